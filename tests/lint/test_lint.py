"""Lint scripts find their errors in small bad trees, and none in good trees.

usage: test_lint.py COMPILER ...
"""

import contextlib
import importlib
import io
import os
import subprocess
import sys
import tempfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))

LAYERS = """# a table
room base : libc
room scheduler : base libc posix
room models/ : wrsim/model.h libc
room include/wrsim : libc
room tests/ : anything
only hwloc.h : scheduler/topology.c
name scheduler wr_part_ : scheduler/topology.c
"""
ARCHITECTURE = """# Architecture

## The rooms

| room | what | may include |
|---|---|---|
| `include/wrsim` | a | no other room |
| `base` | a | no other room |
| `scheduler` | a | `base` |
| `models` | a | `include/wrsim` |
| `tests` | a | anything |

## More
"""
TOP = "/* A file.\n *\n * Thread: any. Real-time: yes.\n */\n"
GOOD = {
    "docs/ARCHITECTURE.md": ARCHITECTURE,
    "layers.txt": LAYERS,
    "include/wrsim/model.h": TOP + "#include <stddef.h>\n",
    "base/a.h": TOP,
    "base/a.c": TOP + '#include "base/a.h"\n/* malloc(, printf( */\n',
    "scheduler/topology.c": TOP + '#include <hwloc.h>\n#include "base/a.h"\n',
    "models/m/m.c": TOP + '#include <math.h>\n\n#include "wrsim/model.h"\n',
    "tests/t.c": TOP + '#include <cmocka.h>\n#include "scheduler/s.h"\n',
    "docs/METHODS.md": "# Methods\n\n## Window length\n\nCode: `base/a.c`. Save this:\n\n```c mine.c\n```\n\nmine.c is yours.\n",
    "models/m/n.c": TOP + "/* docs/METHODS.md, Window\n * length; docs/ARCHITECTURE.md, The rooms. See base/a.h, a.h and NAME.c; x[010]. */\n",
}
# (script, file, its bad text, part of the expected message)
BAD = [
    ("layers", "base/a.c", TOP + '#include "scheduler/s.h"\n', "a.c:5:"),
    ("layers", "base/a.c", TOP + "#include <pthread.h>\n", "a.c:5:"),
    ("layers", "base/a.c", TOP + "#include <charconv>\n", "a.c:5:"),
    ("layers", "scheduler/team.c", TOP + "# include <hwloc.h>\n", "scheduler/topology.c alone"),
    ("layers", "scheduler/team.c", TOP + "/* wr_part_a\n */\nint x = wr_part_b(1);\n", "team.c:7: wr_part_b belongs to"),
    ("layers", "models/m/m.c", TOP + '#include "base/a.h"\n', "m.c:5:"),
    ("layers", "runtime/new/n.c", TOP + '#include "base/a.h"\n', "not in layers.txt"),
    ("layers", "docs/ARCHITECTURE.md", ARCHITECTURE.replace("`scheduler`", "`shed`"), "shed"),
    ("layers", "docs/ARCHITECTURE.md", ARCHITECTURE.replace("| `base` |\n", "| `tests` |\n"),
     "row of scheduler must end with: `base`"),
    ("style", "base/a.c", "int a;\n", "no comment at the top"),
    ("style", "base/a.c", "/* A file. */\n", "'Thread:'"),
    ("style", "scheduler/a.c", TOP, "there is base/a.c already"),
    ("style", "base/a.c", TOP + "\tint a;\n", "a.c:5: a tab"),
    ("style", "base/a.c", TOP + "int a; \n", "a.c:5: blanks"),
    ("style", "base/a.c", TOP + "int a;", "no end of line"),
    ("style", "base/a.c", TOP + "/* \u00b5s */\n", "not ASCII"),
    ("style", "base/a.c", TOP + "void f(void) { exit (1); }\n", "must not use exit"),
    ("style", "base/a.c", TOP + 'void f(void) { fputs("", stderr); }\n', "stderr"),
    ("style", "models/m/m.c", TOP + 'void f(void) { printf("x"); }\n', "must not use printf"),
    ("style", "cli/a.c", TOP + 'void f(void) { puts("x"); }\n', "must not use puts"),
    ("rt", "base/a.c", TOP + "void f(void) { free(p); }\n", "a.c:5:"),
    ("references", "base/a.c", TOP + "/* See DESIGN 4. */\n", "a.c:5: DESIGN"),
    ("references", "base/a.c", TOP + "/* The rule of METHODS 2. */\n", "a.c:5: METHODS"),
    ("references", "base/a.c", TOP + "/* METHODS.md 12 */\n", "a.c:5: METHODS.md"),
    ("references", "base/a.c", TOP + "/* An error, [002 eq. 16]. */\n", "a.c:5: '[002'"),
    ("references", "base/a.c", TOP + "/* An error (002, section 6). */\n", "a.c:5: '002, sec'"),
    ("references", "docs/PAGE.md", "As in [003].\n", "PAGE.md:1: '[003'"),
    ("references", "base/a.c", TOP + "/* Rooms: docs/ARCHITECTURE.md,\n * The attic. */\n", "no section 'The attic"),
    ("references", "base/a.c", TOP + "/* docs/NONE.md, Title */\n", "there is no file docs/NONE.md"),
    ("references", "base/a.c", TOP + "/* See gone.h. */\n", "a.c:5: there is no file gone.h"),
    ("references", "docs/PAGE.md", "The code is in `base/gone.c`.\n", "PAGE.md:1: there is no file base/gone.c"),
    ("references", "tests/t.py", '"""Runs base/gone.c."""\n', "t.py:1: there is no file base/gone.c"),
    ("references", "tests/meson.build", "# see gone.sh\n", "meson.build:1: there is no file gone.sh"),
    ("fields", "base/a.h", TOP + "struct a {\n    " + "".join(f"int m{i}; " for i in range(61)) + "\n};\n", "a.h has 61 members"),
    ("fields", "layers.txt", LAYERS + "fields base/a.h : a reason\n", "base/a.h needs no exception"),
    ("headers", "include/wrsim/model.h", TOP + "size_t n;\n", "model.h does not compile"),
    ("headers", "include/wrsim/model.h", TOP + "#include <stddef.h>\ntypedef int new;\n",
     "c++11"),
]


def run(script, root, compiler):
    arguments = {"layers": [os.path.join(root, "layers.txt")], "fields": [os.path.join(root, "layers.txt")],
                 "headers": [os.path.join(root, "scratch"), "public"] + compiler}
    words = [f"check_{script}.py", root] + arguments.get(script, [])
    with mock.patch("sys.argv", words), contextlib.redirect_stdout(io.StringIO()) as text: # a new interpreter would take most of the time
        code = importlib.import_module(f"check_{script}").main()
    return code, text.getvalue()


def check_symbols(folder, compiler, source):
    with open(os.path.join(folder, "s.c"), "w", encoding="ascii") as file:
        file.write(source)
    library = os.path.join(folder, "s.so")
    subprocess.run(compiler + ["-shared", "-fPIC", "-o", library, os.path.join(folder, "s.c")],
                   check=True)
    return subprocess.run([sys.executable, os.path.join(HERE, "check_symbols.py"), library],
                          stdout=subprocess.DEVNULL, check=False).returncode


def check_libraries(folder, compiler, links):
    library = os.path.join(folder, "libwrsim.so")
    source = os.path.join(folder, "s.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("int wrsim_a(void);\nint wrsim_a(void) { return 1; }\n")
    subprocess.run(compiler + ["-shared", "-fPIC", "-o", library, source, "-Wl,--no-as-needed"] + links, check=True)
    return subprocess.run([sys.executable, os.path.join(HERE, "check_libraries.py"), library],
                          stdout=subprocess.DEVNULL, check=False).returncode


# Two file pairs of base, and one file of scheduler above. CYCLES: (changed files, part of the expected message or None).
PAIRS = {
    "layers.txt": "room base : libc\nroom scheduler : base libc\n",
    "base/a.h": "int a(void);\n",
    "base/a.c": '#include "base/a.h"\nint a(void) { return 1; }\n',
    "base/b.h": "int b(void);\n",
    "base/b.c": '#include "base/b.h"\n#include "base/a.h"\nint b(void) { return a(); }\n',
    "scheduler/s.c": '#include "base/b.h"\nint s(void);\nint s(void) { return b(); }\n',
}
CYCLES = [
    ({}, None),
    ({"base/a.h": '#include "base/b.h"\nint a(void);\n'}, "base/a includes base/b.h (base/b)"),
    ({"base/a.c": "int b(void);\nint a(void);\nint a(void) { return b(); }\n"}, "base/a uses b (base/b)"),
    ({"base/a.c": "int s(void);\nint a(void);\nint a(void) { return s(); }\n"},
     "base/a.c uses s of scheduler/s.c, a room above"),
    # A cycle of symbols that no include shows.
    ({"base/b.h": "int b(void);\n", "base/a.c": "int b(void);\nint a(void);\nint a(void) { return b(); }\n",
      "base/b.c": "int a(void);\nint b(void);\nint b(void) { return a(); }\n"}, "base/a uses b (base/b); base/b uses a (base/a)"),
    # A cycle of fields: both files include both structs by a third header.
    ({"base/a.h": "struct a { int of_a; };\n", "base/b.h": "struct b { int of_b; };\n",
      "base/c.h": '#include "base/a.h"\n#include "base/b.h"\n',
      "base/a.c": '#include "base/c.h"\nint a(struct b *x);\nint a(struct b *x) { return x->of_b; }\n',
      "base/b.c": '#include "base/c.h"\nint b(struct a *x);\nint b(struct a *x) { return x->of_a; }\n',
      "scheduler/s.c": "int s(void);\nint s(void) { return 0; }\n"},
     "base/a reaches the field of_b (base/b)"),
    # Two structs have a field of this name, so the struct of a use is unknown.
    ({"base/a.h": "struct a { int n; };\nint a(struct a *x);\n", "base/b.h": "struct b { int n; };\nint b(struct b *x);\n",
      "base/a.c": '#include "base/a.h"\nint a(struct a *x) { return x->n; }\n',
      "base/b.c": '#include "base/b.h"\nint b(struct b *x) { return x->n; }\n',
      "scheduler/s.c": "int s(void);\nint s(void) { return 0; }\n"}, None),
]


# Five files use a struct of base/a.h. A row has the statement of one file, and whether this statement writes a field of the struct.
WRITERS = [("p->n = 1;", True), ("p->n++;", True), ("p->n += 1;", True), ("--p->n;", True), ("p->inner.k = 1;", True),
           ("atomic_store_explicit(&p->n, 1, 0);", True), ("WR_STATE(io, p->n);", True), ("p[1].n = 1;", True),
           ("if (p->n == 1) {}", False), ("struct a own = {.n = 1}; own.n = 2;", False), ("p->other->k = 1;", False)]


def count_writers(root, line):
    body = "void f(struct a *p);\nvoid f(struct a *p)\n{\n    %s\n}\n"
    make_tree(root, {**GOOD, "base/o.h": TOP + "struct o { int k; };\n",
                     "base/a.h": TOP + "struct a { int n; struct o inner, *other; };\n",
                     **{f"scheduler/w{i}.c": TOP + body % ("p->n = 1;" if i else line) for i in range(5)}})
    return run("fields", root, [])


PAGE_FOLDERS = ("tutorials", "howto", "reference", "explanation", "offline")
PAGES = {
    "docs/meson.build": "install_data('README.md')\nforeach folder : [%s]\n" % ", ".join("'%s'" % name for name in PAGE_FOLDERS),
    "docs/README.md": "".join("[a](%s/a.md)\n" % name for name in PAGE_FOLDERS),
    **{"docs/%s/a.md" % name: "# A\n\n## Rule\n" for name in PAGE_FOLDERS},
}
# (changed pages, part of the expected message of check_pages.py). A good tree has too few blocks.
BAD_PAGES = [
    ({}, "only 0 sh blocks on 2 pages"),
    ({"docs/howto/a.md": "[b](b.md)\n"}, "howto/a.md: b.md#"),
    ({"docs/howto/a.md": "[b](../tutorials/a.md#rules)\n"}, "tutorials/a.md#rules"),
    ({"docs/howto/a.md": "[b](../tutorials/a.md#rule)\n"}, "only 0 sh blocks"),
    ({"docs/howto/b.md": "# B\n"}, "not in docs/README.md:\nhowto/b.md"),
    ({"docs/howto/a.md": "```sh\nexit 3\n```\n"}, "failed: howto/a.md"),
    ({"docs/tutorials/a.md": "```text one.txt\n1\n```\n",
      "docs/howto/a.md": "It goes on from [a](../tutorials/a.md).\n\n```sh\ncat one.txt\n```\n"}, "only 1 sh blocks"),
]


def check_pages(root, changes):
    make_tree(root, {**PAGES, **changes})
    result = subprocess.run([sys.executable, os.path.join(HERE, "check_pages.py"), root, os.path.join(root, "wrsim"), "libwrsim.so"],
                            stdout=subprocess.PIPE, universal_newlines=True, check=False)
    return result.returncode, result.stdout


def check_cycles(root, compiler, changes):
    make_tree(root, {**PAIRS, **changes})
    for room, files in (("base", ("a", "b")), ("scheduler", ("s",))):
        build = os.path.join(root, "build", room, f"lib{room}.a.p")
        os.makedirs(build)
        for name in files:
            subprocess.run(compiler + ["-I", root, "-c", os.path.join(root, room, name + ".c"), "-o",
                                       os.path.join(build, name + ".c.o")], check=True)
    result = subprocess.run([sys.executable, os.path.join(HERE, "check_cycles.py"), root,
                             os.path.join(root, "build"), os.path.join(root, "layers.txt")],
                            stdout=subprocess.PIPE, universal_newlines=True, check=False)
    return result.returncode, result.stdout


def make_tree(root, tree):
    for path, text in tree.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    compiler, failures = sys.argv[1:], 0
    for script in ("layers", "style", "rt", "references", "fields", "headers"):
        with tempfile.TemporaryDirectory() as root:
            make_tree(root, GOOD)
            code, text = run(script, root, compiler)
        if code != 0:
            failures += 1
            print(f"{script} is not content with a good tree:\n{text}")
    for script, path, content, expected in BAD:
        with tempfile.TemporaryDirectory() as root:
            make_tree(root, {**GOOD, path: content})
            code, text = run(script, root, compiler)
        if code != 1 or expected not in text:
            failures += 1
            print(f"{script} does not say '{expected}' of {path} with\n{content}\nbut:\n{text}")
    for line, is_write in WRITERS:
        with tempfile.TemporaryDirectory() as root:
            code, text = count_writers(root, line)
        if code != int(is_write) or ("base/a.h: 5 files write" in text) != is_write:
            failures += 1
            print(f"fields takes {line} for {'no ' if is_write else 'a '}write: {text}")
    with tempfile.TemporaryDirectory() as folder:
        if check_symbols(folder, compiler, "int wrsim_a(void) { return 1; }\n") != 0:
            failures += 1
            print("symbols is not content with a good library")
        for source in ("int wrsim_a(void) { return 1; } int other(void) { return 2; }\n",
                       "static int unused __attribute__((unused));\n",
                       "#include <signal.h>\nint wrsim_a(void) { return signal(SIGSEGV, SIG_DFL) == SIG_ERR; }\n"):
            if check_symbols(folder, compiler, source) != 1:
                failures += 1
                print(f"symbols is content with {source}")
        for links, expected in (["-lm"], 0), (["-lm", "-lresolv"], 1):
            if check_libraries(folder, compiler, links) != expected:
                failures += 1
                print(f"libraries is wrong about {links}")
    for changes, expected in BAD_PAGES:
        with tempfile.TemporaryDirectory() as root:
            code, text = check_pages(root, changes)
        if code != 1 or expected not in text:
            failures += 1
            print(f"pages does not say '{expected}' with {changes} but:\n{text}")
    for changes, expected in CYCLES:
        with tempfile.TemporaryDirectory() as root:
            code, text = check_cycles(root, compiler, changes)
        if code != (expected is not None) or (expected and expected not in text):
            failures += 1
            print(f"cycles does not say '{expected}' with {changes} but:\n{text}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
