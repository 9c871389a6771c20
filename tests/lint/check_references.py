"""References in comments and pages lead to a file and a heading of this tree, or name a paper by author and year.

usage: check_references.py ROOT

check_links.py checks the links of Markdown pages.
"""

import os
import re
import sys

import source_tree

TEXT = (".c", ".h", ".cpp", ".py", ".sh", ".build", ".toml", ".md", ".txt", ".bash", ".zsh", ".1")
# Folders with intended bad references, or with inputs and outputs of tests.
NOT_OURS = ("tests/lint/", "tests/fuzz/corpus", "tests/golden/")
# Notes with a date may name files of that date.
DATED = "docs/lab/"

# Names of documents that are not in this tree, and numbers of papers.
FOREIGN = re.compile(r"\bDESIGN\b|\bMETHODS\b(?!\.md)|(?<![/('\w])METHODS\.md")
NUMBERS = (re.compile(r"\[(?<![\w\]]\[)0\d\d\b"), re.compile(r"0(?<!\w0)\d\d,? (?:Figs?\.|eqs?\.|sec|Theorem|Table)"))

SECTION = re.compile(r"\bdocs/([\w/.-]+\.md),\s+(?=[A-Z])")
SUFFIX = re.compile(r"\.(?:c|h|cpp|py|sh|md|toml)(?![\w/*])")
STEM = re.compile(r"(?<![\w./*<{%$])(?:\.\./)*(?:[\w][\w.-]*/)*[\w][\w-]*$")
LONGEST_PATH = 200
# Placeholders in names of files that a user or a test makes.
PLACEHOLDER = re.compile(r"NAME|FILE|TOPIC|topic_|MODEL|_lu\.c$")
# Files of other projects.
OTHERS = {"math.h", "e_pow.c", "lapacke.h", "klu.h", "H5FDpublic.h", "uapi/linux/capability.h", "sunlinsol/sunlinsol_klu.h",
          "problem_toy.cpp"}
FENCE = re.compile(r"^```\w+ ([\w.-]+)$", re.MULTILINE)
MARGIN = re.compile(r"(?<=\n)[ \t]*(?:\*|#|//)?")


def all_files(root):
    """Returns the paths of the tree, and every ending of a path that begins after a '/'."""
    paths = [name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name))]
    for top in source_tree.TOP_FOLDERS:
        for where, _, leaves in os.walk(os.path.join(root, top)):
            paths += [os.path.relpath(os.path.join(where, leaf), root).replace(os.sep, "/") for leaf in leaves]
    endings = set()
    for path in paths:
        parts = path.split("/")
        endings.update("/".join(parts[i:]) for i in range(len(parts)))
    return set(paths), endings


def prose(path, text):
    """Returns the comments of a source or the text of a page, with all other text blanked."""
    if path.endswith(".md"):
        return text
    if path.endswith((".c", ".h", ".cpp")):
        kept = [m.span() for m in source_tree.TOKEN.finditer(text) if m.group(0).startswith("/")]
    elif path.endswith(".py"):
        kept = [m.span() for m in re.finditer(r'^[ \t]*""".*?"""|(?<![\w"\'&])#[^\n]*', text, re.DOTALL | re.MULTILINE)]
    elif path.endswith((".sh", ".build", ".toml")):
        kept = [m.span() for m in re.finditer(r"(?<!\S)#[^\n]*", text)]
    else:
        kept = []
    result, at = "", 0
    for start, end in kept:
        result += re.sub(r"[^\n]", " ", text[at:start]) + text[start:end]
        at = end
    return result + re.sub(r"[^\n]", " ", text[at:])


def headings(root, page):
    text = re.sub(r"^```.*?^```$", "", source_tree.read(root, page), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def check_words(path, text):
    for match in FOREIGN.finditer(text) if "DESIGN" in text or "METHODS" in text else ():
        yield f"{path}:{line_of(text, match)}: {match.group(0)} is no document of this tree: name a file and section, or a paper"
    for match in (found for number in NUMBERS for found in number.finditer(text)):
        yield f"{path}:{line_of(text, match)}: '{match.group(0)}' names a paper by number: give author, year and equation"


def check_sections(root, path, text):
    if "docs/" not in text:
        return
    text = MARGIN.sub(lambda m: " " * len(m.group(0)), text)
    for match in SECTION.finditer(text):
        page = "docs/" + match.group(1)
        rest = " ".join(text[match.end():match.end() + 120].split())
        if not os.path.exists(os.path.join(root, page)):
            continue # check_paths() reports the missing page
        if not any(re.match(re.escape(title) + r"(?!\w)", rest) for title in headings(root, page)):
            yield f"{path}:{line_of(text, match)}: {page} has no section '{rest[:30]}...'"


def check_paths(path, text, paths, endings, made):
    for match in SUFFIX.finditer(text):
        stem = STEM.search(text[max(match.start() - LONGEST_PATH, 0):match.start()])
        if not stem:
            continue
        name = stem.group(0) + match.group(0)
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name)).replace(os.sep, "/")
        is_config = name.endswith(".toml") and name.split("/")[0] not in source_tree.TOP_FOLDERS
        if name in endings or beside in paths or name in OTHERS or name in made or is_config or PLACEHOLDER.search(name):
            continue
        yield f"{path}:{line_of(text, match)}: there is no file {name}"


def main():
    root = sys.argv[1]
    paths, endings = all_files(root)
    violations = []
    names = source_tree.files(root, TEXT) + sorted(p for p in paths if "/" not in p and p.endswith(TEXT))
    # Names of blocks that a reader of a page saves as files.
    made = {name for path in names if path.endswith(".md") for name in FENCE.findall(source_tree.read(root, path))}
    for path in names:
        if path.startswith(NOT_OURS):
            continue
        text = source_tree.read(root, path)
        violations += check_words(path, text)
        said = prose(path, text)
        violations += check_sections(root, path, said)
        if not path.startswith(DATED):
            violations += check_paths(path, said, paths, endings, made)
    return source_tree.report(violations, "references")


if __name__ == "__main__":
    sys.exit(main())
