"""The commands in tutorials and how-to pages run. Links in installed pages lead to installed pages. docs/README.md lists each page of
the folders LISTED.

A block "```c striker.c" (or toml, python) is a file. bash -e -u runs the blocks "```sh" in a folder of the page, in which models/,
examples, include and build belong to this build. A how-to page that "goes on from [a tutorial](PATH)" runs in the folder of that tutorial.
Python files that no command runs run last, if their packages are installed. PYTHONPATH names the Python module of this build. Other blocks
(console, text, ...) do not run. A picture of a page must equal the picture that the commands of the page make.

usage: check_pages.py ROOT WRSIM LIBRARY (beside WRSIM)
"""

import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time

BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
TARGET = re.compile(r"\]\((?!https?:)([^()#]*)#?([^()]*)\)")
GOES_ON = re.compile(r"goes on from \[[^]]*\]\(([^)]*)\)")
RUN = ("tutorials", "howto") # tutorials first, because other pages continue in their folders
LISTED = (*RUN, "reference", "explanation", "offline")
N_AT_A_TIME = 2 # pages at once; their runs have one or two workers each
LEAST_BLOCKS, LEAST_PAGES = 40, 20 # of sh blocks and pages; with fewer the patterns above do not fit the pages


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def pages(docs, folder):
    return sorted("%s/%s" % (folder, name) for name in os.listdir(os.path.join(docs, folder)) if name.endswith(".md"))


def installed(docs):
    """Returns the paths below docs that meson installs: files by name, folders as a whole."""
    text = read(os.path.join(docs, "meson.build"))
    names = set(re.findall(r"'([\w./]+\.md)'", text))
    for folder in re.findall(r"'(\w+)'", "".join(re.findall(r"foreach folder : \[([^]]*)\]", text))):
        names |= {"%s/%s" % (folder, name) for name in os.listdir(os.path.join(docs, folder))}
    return names


def dead_links(docs):
    """Returns the links of installed pages that lead to no installed page or heading."""
    names = installed(docs)
    texts = {name: BLOCK.sub("", read(os.path.join(docs, name))) for name in names if name.endswith(".md")}
    anchors = {name: {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in HEADING.findall(text)}
               for name, text in texts.items()}

    def is_dead(name, target, anchor):
        there = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        return there not in names or bool(anchor) and anchor not in anchors[there]

    return [f"{name}: {target}#{anchor}" for name, text in texts.items() for target, anchor in TARGET.findall(text)
            if is_dead(name, target, anchor)]


def unlisted(docs):
    listed = {target for target, _ in TARGET.findall(read(os.path.join(docs, "README.md")))}
    return [page for folder in LISTED for page in pages(docs, folder) if page not in listed]


def can_run(text):
    return all(importlib.util.find_spec(name) for name in re.findall(r"^import (\w+)", text, re.MULTILINE))


def stale_pictures(docs, folders):
    """Returns the pictures beside pages that differ from the pictures that the commands of the page have made."""
    stale = []
    for page, folder in folders.items():
        for name in re.findall(r"!\[[^]]*\]\((\w+\.svg)\)", read(os.path.join(docs, page))):
            kept, made = os.path.join(docs, os.path.dirname(page), name), os.path.join(folder, name)
            if os.path.exists(made) and read(made) != read(kept):
                os.replace(made, os.path.join(tempfile.gettempdir(), name))
                stale.append(f"docs/{page}: copy {os.path.join(tempfile.gettempdir(), name)} to {kept}")
    return stale


def is_living(folder):
    """Returns whether the embedding program prints 20 lines with different positions, and three strikes at the end."""
    lines = subprocess.run(["./embed"], cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
    found = {re.search("x +(-?[0-9.]+) m", line)[1] for line in lines}
    return len(found) == len(lines) == 20 and lines[-1].endswith(" 3 strikes")


def make_folder(top, page, root, program):
    folder = os.path.join(top, page)
    os.makedirs(folder)
    for name, target in (*((name, os.path.join(root, name)) for name in ("models", "examples", "include")),
                         ("build", os.path.dirname(program))):
        os.symlink(target, os.path.join(folder, name))
    return folder


def run_page(page, text, folder):
    """Runs the page's commands and prints their output. Returns the exit code and the number of sh blocks."""
    began = time.monotonic()
    blocks, script = BLOCK.findall(text), []
    for kind, name, block in blocks:
        if name:
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(block)
        elif kind == "sh":
            script.append(block)
    commands = [["bash", "-e", "-u", "-v", "-c", "".join(script)]]
    commands += [[sys.executable, name] for kind, name, block in blocks
                 if kind == "python" and name not in "".join(script) and can_run(block)]
    code, said = 0, ""
    for command in commands:
        if code == 0:
            done = subprocess.run(command, cwd=folder, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            code, said = done.returncode, said + done.stdout
    print("%s== docs/%s: exit code %d, %.1f s\n" % (said, page, code, time.monotonic() - began), end="", flush=True)
    return code, len(script)


def run_pages(docs, top, root, program):
    """Returns the failed pages, the number of sh blocks, and the folder of each page."""
    failed, n_blocks, folders = [], 0, {}
    for names in (pages(docs, folder) for folder in RUN):
        texts = [read(os.path.join(docs, page)) for page in names]
        for page, text in zip(names, texts):
            before = GOES_ON.search(text)
            folders[page] = folders[os.path.normpath(os.path.join(os.path.dirname(page), before[1]))] if before \
                else make_folder(top, page, root, program)
        with concurrent.futures.ThreadPoolExecutor(N_AT_A_TIME) as pool:
            ended = list(pool.map(run_page, names, texts, [folders[page] for page in names]))
        failed += [page for page, (code, _) in zip(names, ended) if code]
        n_blocks += sum(n for _, n in ended)
    return failed, n_blocks, folders


def main():
    root, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    docs = os.path.join(root, "docs")
    os.environ["PYTHONPATH"] = os.path.join(os.path.dirname(program), "python")
    sys.path.append(os.environ["PYTHONPATH"])
    for what, found in (("links that lead nowhere once installed:", dead_links(docs)), ("not in docs/README.md:", unlisted(docs))):
        if found:
            print(what, *found, sep="\n")
            return 1
    with tempfile.TemporaryDirectory() as top:
        failed, n_blocks, folders = run_pages(docs, top, root, program)
        if failed:
            print("failed:", *failed)
            return 1
        if n_blocks < LEAST_BLOCKS or len(folders) < LEAST_PAGES:
            print(f"only {n_blocks} sh blocks on {len(folders)} pages were found")
            return 1
        stale = stale_pictures(docs, folders)
        if stale:
            print("pictures differ from those of the pages' commands:", *stale, sep="\n")
            return 1
        if not is_living(folders["howto/embed.md"]):
            print("the output of ./embed does not change")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
