"""The files of the tree, and C text without comments and strings, for the lint scripts."""

import os
import re

TOP_FOLDERS = ("include", "base", "scheduler", "subsystems", "models", "runtime", "offline", "bench", "cli", "tests",
               "tools", "python", "docs", "examples")


def files(root, extensions, folders=TOP_FOLDERS):
    """Returns paths relative to root, '/'-separated and sorted."""
    found = []
    for top in folders:
        for where, names, leaves in os.walk(os.path.join(root, top)):
            names[:] = [n for n in names if n != "__pycache__"]
            for leaf in leaves:
                if os.path.splitext(leaf)[1] in extensions:
                    path = os.path.relpath(os.path.join(where, leaf), root)
                    found.append(path.replace(os.sep, "/"))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def top_comment(text):
    """Returns the comment that opens a file, or ''."""
    match = re.match(r"/\*.*?\*/", text, re.DOTALL)
    return match.group(0) if match else ""


TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code_only(text):
    """Returns C text with comments and the insides of literals blanked. Line numbers do not change."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token[0] == "/" else token[0] * 2
    return TOKEN.sub(blank, text)


def report(violations, what):
    """Prints all violations ('path:line: text') and returns the exit code."""
    for line in violations:
        print(line)
    print(f"{what}: {len(violations)} violations" if violations else f"{what}: fine")
    return 1 if violations else 0
