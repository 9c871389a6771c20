"""Lines, statements and files of each room, in the working tree or in a commit.

usage: sizes.py [COMMIT]

A room is a top-level folder. The row `product` sums all but tests. The lines of a room are all lines of its .c, .h and .cpp files. For
tests the lines are all lines of text files without fuzz corpora. A statement is a semicolon outside of comments, strings and heads of for
loops.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout


def content(commit, path):
    if commit:
        return git("show", f"{commit}:{path}")
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def statements(text):
    code = NOT_CODE.sub(" ", text)
    return code.count(";") - 2 * len(re.findall(r"\bfor\s*\(", code))


def sizes(commit):
    """Returns {room: [lines, statements, files]}."""
    rooms = {}
    listed = git("ls-tree", "-r", "-z", "--name-only", commit) if commit else git("ls-files", "-z")
    for path in listed.decode().split("\0"):
        is_code, is_test = path.endswith((".c", ".h", ".cpp")), path.startswith("tests/")
        if not is_code and (not is_test or "corpus_" in path or path.endswith(".h5")):
            continue
        if not commit and not os.path.exists(os.path.join(ROOT, path)):
            continue
        text = content(commit, path).decode(errors="replace")
        for room in (path.split("/")[0], *([] if is_test else ["product"])):
            row = rooms.setdefault(room, [0, 0, 0])
            row[0] += text.count("\n")
            row[1] += statements(text) if is_code else 0
            row[2] += 1
    return rooms


if __name__ == "__main__":
    print("| room | lines | statements | files |\n|---|---|---|---|")
    for name, row in sorted(sizes(sys.argv[1] if len(sys.argv) > 1 else "").items()):
        print(f"| `{name}` |", " | ".join(map(str, row)), "|")
