"""Style beyond clang-format: characters, file-top comments, names of files, and calls that a library must not make.

usage: check_style.py ROOT
"""

import os
import re
import subprocess
import sys

import source_tree

TEXT = {".c", ".h", ".cpp", ".py", ".sh", ".build", ".toml", ".md", ".txt", ".bash", ".zsh", ".1"}
# Inputs and expected outputs of tests may break the style.
NOT_OURS = ("tests/fuzz/corpus", "tests/cli/", "tests/config/", "tests/golden/")
PROGRAM = ("offline/blocks/phg/", "bench/peers/", "bench/process/", "bench/solvers/", "cli/") # may print and exit
LIBRARY = ("offline/", "base/", "bench/", "runtime/", "scheduler/", "subsystems/", "models/")
CHILDREN = ("bench/", "offline/runs/run_pool.c") # start child processes, which may call _exit()
# Only the program makes texts for people. The library never prints and never ends the process.
FORBIDDEN = re.compile(r"\b(v?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)(?=\s*\()|"
                       r"\b(stdout|stderr)\b")
THREADS = ("offline/", "base/", "runtime/", "scheduler/", "subsystems/", "bench/", "cli/") # their top comments name threads
# The program prints to its own streams (cli/program_output.h).
STDIO = re.compile(r"\b(v?printf|puts|putchar|perror)(?=\s*\()|\b(stdout|stderr)\b")
# Headers without functions.
NO_THREAD = ("include/wrsim/export.h", "include/wrsim/wrsim.h")


def check_characters(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isascii():
            yield f"{path}:{number}: a character that is not ASCII"
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"
    if text and not text.endswith("\n"):
        yield f"{path}: no end of line at the end"
    if text.endswith("\n\n"):
        yield f"{path}: empty lines at the end"


def check_top(path, text):
    comment = source_tree.top_comment(text)
    if not comment:
        yield f"{path}:1: no comment at the top that says what lives here"
    elif path.startswith("include/"):
        if path not in NO_THREAD and "Thread:" not in text:
            yield f"{path}:1: nowhere says 'Thread:'"
    elif path.startswith(THREADS) and "Thread:" not in comment:
        yield f"{path}:1: the comment at the top does not say 'Thread:'"


def check_calls(path, text):
    """Libraries neither print nor exit; the program prints to wr_out and wr_err."""
    if path == "cli/program_output.c" or path.startswith(PROGRAM) and not path.startswith("cli/"):
        return
    is_program = path.startswith("cli/")
    for number, line in enumerate(source_tree.code_only(text).split("\n"), 1):
        match = (STDIO if is_program else FORBIDDEN).search(line)
        if match and not (path.startswith(CHILDREN) and match.group(1) == "_exit"):
            yield f"{path}:{number}: {'cli' if is_program else 'library'} code must not use {match.group(0)}"


def check_names(paths):
    """The name of a source file is unique outside tests and examples, because messages and debuggers show no folder."""
    first = {}
    for path in paths:
        name = os.path.basename(path)
        if path.endswith((".c", ".cpp")) and not path.startswith(("tests/", "examples/")):
            if name in first:
                yield f"{path}:1: there is {first[name]} already: names of sources are unique"
            first.setdefault(name, path)


def tracked(root):
    """Returns the tracked names in the top folder, because users of tutorials have other files in this folder. Without git: all names."""
    git = subprocess.run(["git", "-C", root, "ls-files", "--", ":(glob)*"], capture_output=True, text=True, check=False)
    return git.stdout.splitlines() if git.returncode == 0 else os.listdir(root)


def main():
    root = sys.argv[1]
    violations = []
    top = [name for name in tracked(root) if os.path.splitext(name)[1] in TEXT]
    violations += check_names(source_tree.files(root, TEXT))
    for path in source_tree.files(root, TEXT) + sorted(top):
        if path.startswith(NOT_OURS):
            continue
        text = source_tree.read(root, path)
        violations += check_characters(path, text)
        if path.endswith((".c", ".h", ".cpp")):
            if not path.startswith("tests/"):
                violations += check_top(path, text)
            if path.startswith(LIBRARY + PROGRAM):
                violations += check_calls(path, text)
    return source_tree.report(violations, "style")


if __name__ == "__main__":
    sys.exit(main())
