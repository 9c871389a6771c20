"""Makes HTML pages of the C interface from the comments in include/wrsim, with doxygen.

    api_pages.py ROOT FOLDER    writes FOLDER/html/index.html; a warning of doxygen is an error
    api_pages.py --filter FILE  prints a header as doxygen reads it

Exit code 77: doxygen is not installed.
"""

import os
import re
import shutil
import subprocess
import sys

SETTINGS = """
PROJECT_NAME = wrsim
PROJECT_NUMBER = %(version)s
INPUT = %(headers)s
INPUT_FILTER = "%(python)s %(script)s --filter"
OUTPUT_DIRECTORY = %(folder)s
STRIP_FROM_PATH = %(root)s/include
OPTIMIZE_OUTPUT_FOR_C = YES
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = NO
TYPEDEF_HIDES_STRUCT = YES
SORT_MEMBER_DOCS = NO
GENERATE_LATEX = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
SOURCE_BROWSER = NO
VERBATIM_HEADERS = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
WARN_FORMAT = "$file:$line: $text"
"""
NOT_INSTALLED = 77
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
# Rows of tables that make members: X(type, name[, JSON member], "meaning").
TABLE = re.compile(r"^#define (WRSIM_\w+_(?:STATS|LIST))\([^)]*\) *\\\n((?:.*\\\n)*.*\n)", re.MULTILINE)
ROW = re.compile(r'\w+\(((?:[^()"]|"[^"]*")*)\)', re.DOTALL)
USE = re.compile(r"^ *(WRSIM_\w+_(?:STATS|LIST))\([^)]*\)\n", re.MULTILINE)
DIRECTIVE = re.compile(r"^#(?:.*\\\n)*.*\n", re.MULTILINE)
CONSTANT = re.compile(r"^enum \{ (\w+) = (\w+) \};", re.MULTILINE)
NAME = re.compile(r"\b(?:wrsim|WRSIM)_\w+\b(?!\*|\w*/)")
# Members with one comment behind or above them.
SEVERAL = re.compile(r"^( +[\w ]+?[ *]+)(\w+(?:, \*?\w+)+); *(/\*(?:(?!\*/).)*\*/)", re.MULTILINE | re.DOTALL)
SEVERAL_BELOW = re.compile(r"^ +(/\*(?:(?!\*/).)*\*/)\n( +[\w ]+?[ *]+)(\w+(?:, \*?\w+)+);$", re.MULTILINE | re.DOTALL)
DEEP = 4 # leading blanks of a line that doxygen shows as written


def with_markup(text):
    """Returns the text of a comment for doxygen. Names become links, and indented lines stay as written."""
    lines, is_shown = [], False
    for line in text.split("\n"):
        line = re.sub(r"^\s*\* ?", "", line) if re.match(r"\s*\*", line) else line.strip()
        is_deep = line.startswith(" " * DEEP)
        if is_deep != is_shown and line.strip():
            lines.append("@verbatim" if is_deep else "@endverbatim")
            is_shown = is_deep
        if not is_shown:
            line = re.sub(r'([\\@&<>#%"$])', r"\\\1", line)
            line = NAME.sub(lambda found: f'@ref {found[0]} "{found[0]}"', line)
        lines.append(line)
    return "\n".join(lines + ["@endverbatim"] * is_shown).strip("\n")


def table_rows(text):
    """Returns {name of a table: its rows as members}. A row of a list of statuses is an enumerator, another row a field."""
    tables = {}
    for table, body in TABLE.findall(text):
        rows = []
        for row in ROW.findall(re.sub(r"\\\n", "\n", body)):
            strings = re.findall(r'"([^"]*)"', row)
            kind, name = (part.strip() for part in row.split(",")[:2])
            code = f"{kind} = {name}," if table.endswith("LIST") else f"{kind} {name};"
            rows.append("%s /* %s */\n" % (code, strings[-1]))
        tables[table] = "".join(rows)
    return tables


def each_with(comment, kind, names):
    """Returns declarations of several members, each with a copy of their comment."""
    first, *others = names.split(", ")
    return " ".join(f"{start}{name}; {comment}" for start, name in [(kind, first)] + [(kind.rstrip("*"), each) for each in others])


def filtered(text, name):
    tables = table_rows(text)
    text = USE.sub(lambda found: tables[found[1]], text)
    text = SEVERAL.sub(lambda found: each_with(found[3], found[1], found[2]), text)
    text = SEVERAL_BELOW.sub(lambda found: each_with(found[1], found[2], found[3]), text)
    text = re.sub(r"#ifdef __cplusplus\n(.*\n)*?#endif\n", "", text)
    text = DIRECTIVE.sub(lambda found: found[0] if re.match(r"#define WRSIM_\w+ [^_\s]", found[0]) and "\\\n" not in found[0]
                         else "\n" * found[0].count("\n"), text)
    text = CONSTANT.sub(r"#define \1 \2", text).replace("WRSIM_API ", "")
    parts, at = [], 0
    for found in TOKEN.finditer(text):
        comment = found[0]
        parts.append(text[at:found.start()])
        at = found.end()
        if comment.startswith('"'):
            parts.append(comment)
            continue
        before = text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        body = with_markup(comment[2:-2].rstrip())
        if found.start() == 0:
            main = "/** @mainpage\n%s */\n" % body if name == "wrsim.h" else ""
            parts.append("%s/** @file\n%s */" % (main, body))
        elif before:
            parts.append("/**< %s */" % body)
        elif body.rstrip().endswith(":") or text[at:at + 2] == "\n\n": # a heading of several members
            parts.append("")
        else:
            parts.append("/** %s */" % body)
    return "".join(parts + [text[at:]])


def make(root, folder):
    doxygen = shutil.which("doxygen")
    if not doxygen:
        print("The API pages are not made: doxygen is not installed (Debian package doxygen).")
        return NOT_INSTALLED
    headers = os.path.join(root, "include/wrsim")
    with open(os.path.join(headers, "version.h"), encoding="ascii") as file:
        version = re.search(r'WRSIM_VERSION_STRING "([^"]*)"', file.read())[1]
    os.makedirs(folder, exist_ok=True)
    settings = SETTINGS % {"version": version, "headers": headers, "python": sys.executable, "script": os.path.abspath(__file__),
                           "folder": folder, "root": root}
    done = subprocess.run([doxygen, "-"], input=settings, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, end="")
    if done.returncode == 0:
        print("made", os.path.join(folder, "html/index.html"))
    return 1 if done.returncode else 0


def main():
    if sys.argv[1] == "--filter":
        with open(sys.argv[2], encoding="ascii") as file:
            sys.stdout.write(filtered(file.read(), os.path.basename(sys.argv[2])))
        return 0
    return make(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
