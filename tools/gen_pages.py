"""Makes docs/reference/commands.md from the program's help, and docs/reference/exit_codes.md from the help and include/wrsim/status.h.

    gen_pages.py ROOT PROGRAM           writes the pages
    gen_pages.py ROOT PROGRAM --check   exit code 1 if a page differs
"""
import os
import re
import subprocess
import sys

REMAKE = "`meson compile -C build update_pages`"
CODE = re.compile(r"^ +(\d+)  (.*)(?:\n {7}(.*))?", re.MULTILINE)
STATUS = re.compile(r'X\((WRSIM_\w+), (-?\d+), (\d+), "([^"]*)"\)')
def help_of(program, *words):
    # The page must not depend on the width and language of the terminal.
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C", "COLUMNS": "120"}).stdout.rstrip()


def commands_page(program):
    summary = help_of(program)
    names = re.findall(r"^  ([a-z]+) ", summary, re.MULTILINE)
    if "run" not in names or "help" not in names:
        raise SystemExit("gen_pages.py: the help lists no commands:\n" + summary)
    parts = ["# Reference: commands\n\nThis page has the output of `wrsim --help` and `wrsim COMMAND --help`. tools/gen_pages.py makes "
             "it. After a change of the help, run\n" + REMAKE + ".\n\n```text\n" + summary + "\n```\n"]
    parts += ["## %s\n\n```text\n%s\n```\n" % (name, help_of(program, name)) for name in names if name != "help"]
    return "\n".join(parts)


def exit_codes_page(root, program):
    with open(os.path.join(root, "include/wrsim/status.h"), encoding="ascii") as file:
        statuses = [(name, int(number), int(code), text) for name, number, code, text in STATUS.findall(file.read())]
    codes = CODE.findall(help_of(program).split("exit codes:\n")[1])
    missing = {code for _, _, code, _ in statuses} ^ {int(code) for code, _, _ in codes}
    if not statuses or missing:
        raise SystemExit("gen_pages.py: exit codes %s are in only one of status.h and cli/commands.c; add or remove rows" % sorted(missing))
    rows = "".join("| %s | %s | %s |\n" % (code, meaning, re.sub(r"docs/(\S+)", r"[\1](../\1)", remedy)) for code, meaning, remedy in codes)
    listed = "".join("| `%s` | %d | %d | %s |\n" % (name, number, code, text) for name, number, code, text in statuses)
    return ("# Reference: exit codes and statuses\n\ntools/gen_pages.py makes this page from cli/commands.c and include/wrsim/status.h. After a change of either file, run\n" + REMAKE
            + ". The first error decides the exit code.\n\n## Exit codes\n\n| code | meaning | what to do |\n|---|---|---|\n" + rows
            + "\n## Statuses\n\nFunctions of the library return these, and the summary's JSON has the name.\n\n"
            "| status | number | exit code | text |\n|---|---|---|---|\n" + listed)


def main():
    root, program = sys.argv[1], os.path.abspath(sys.argv[2])
    code = 0
    for name, page in (("commands.md", commands_page(program)), ("exit_codes.md", exit_codes_page(root, program))):
        path = os.path.join(root, "docs/reference", name)
        page = "\n".join(line.rstrip() for line in page.split("\n"))
        if sys.argv[3:] != ["--check"]:
            with open(path, "w", encoding="ascii") as file:
                file.write(page)
            continue
        with open(path, encoding="ascii") as file:
            if file.read() != page:
                print("%s differs: run %s" % (path, REMAKE))
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
