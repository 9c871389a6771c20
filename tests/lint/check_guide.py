"""docs/guide.md does what it says: files it shows are written, its sh blocks are run in order. Links in
installed texts lead to installed texts.

A block "```c striker.c" (or toml, python) is a file; "```sh" is run with bash -e -u in a folder where
models/, include and build are those of this build. Then the Python files that they do not
run are, where the packages they need are installed. Other blocks (console, text, ...) are not run.

usage: check_guide.py ROOT WRSIM LIBRARY (which lies beside it)
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
TARGET = re.compile(r"\]\((?!https?:)([^()#]*)#?([^()]*)\)")


def dead_links(docs):
    """What leads nowhere when the texts lie where they are installed, which is as in docs/, but for those that are not."""
    with open(os.path.join(docs, "meson.build"), encoding="ascii") as file:
        names = re.findall(r"'([\w./]+\.md)'", "".join(re.findall(r"install_data\([^)]*\.md'[^)]*\)", file.read())))
    texts = {}
    for name in names:
        with open(os.path.join(docs, name), encoding="ascii") as file:
            texts[name] = BLOCK.sub("", file.read())
    anchors = {name: {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in HEADING.findall(text)}
               for name, text in texts.items()}

    def is_dead(name, target, anchor):
        there = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        return there not in texts or bool(anchor) and anchor not in anchors[there]

    return [f"{name}: {target}#{anchor}" for name, text in texts.items() for target, anchor in TARGET.findall(text)
            if is_dead(name, target, anchor)]


def can_run(text):
    return all(importlib.util.find_spec(name) for name in re.findall(r"^import (\w+)", text, re.MULTILINE))


def is_living(folder):
    """The embedding program shows values that change, and three strikes. Buggy: ten lines, nine of which said 0."""
    lines = subprocess.run(["./embed"], cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
    found = {re.search("x +(-?[0-9.]+) m", line)[1] for line in lines}
    return len(found) == len(lines) == 20 and lines[-1].endswith(" 3 strikes")


def link(folder, name, target):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(target, path)


def main():
    root, program = sys.argv[1], os.path.abspath(sys.argv[2])
    dead = dead_links(os.path.join(root, "docs"))
    if dead:
        print("links that lead nowhere once installed:", *dead, sep="\n")
        return 1
    with open(os.path.join(root, "docs/guide.md"), encoding="ascii") as file:
        blocks = BLOCK.findall(file.read())
    with tempfile.TemporaryDirectory() as folder:
        link(folder, "models", os.path.join(root, "models"))
        link(folder, "include", os.path.join(root, "include"))
        link(folder, "build", os.path.dirname(program))
        script = []
        for kind, name, text in blocks:
            if name:
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            elif kind == "sh":
                script.append(text)
        if len(script) < 10:
            print(f"only {len(script)} sh blocks were found")
            return 1
        code = subprocess.run(["bash", "-e", "-u", "-v", "-c", "".join(script)], cwd=folder,
                              check=False).returncode
        if code == 0 and not is_living(folder):
            print("what ./embed prints does not change")
            return 1
        for kind, name, text in blocks:
            if code == 0 and kind == "python" and name not in "".join(script) and can_run(text):
                code = subprocess.run([sys.executable, name], cwd=folder, check=False).returncode
        return code


if __name__ == "__main__":
    sys.exit(main())
