"""Readers and writers of the fields of each private header; limits on both; the table of docs/ARCHITECTURE.md.

usage: check_fields.py ROOT [LAYERS] [--update | --all]

A private header is a .h file of the product outside include/. A file uses a header if it follows a field of a struct that the header
defines, as in a->b[i].c. A file writes the last field of such a chain if the code assigns the chain, counts it up or down, stores it
atomically, or visits it by WR_STATE. A write also counts for the structs that contain this field by value. Designated initialisers and
changes of structs on the stack are no writes. x.c and x.h count as one file. Types come from declarations, so chains from an unknown
type do not count. LAYERS (tests/lint/layers.txt) lists exceptions with their reason: fields HEADER : REASON.

--update writes the table; --all prints each header with its files.
"""

import os
import re
import sys

import source_tree

MOST_MEMBERS, MOST_WRITERS = 60, 4
LISTED_MEMBERS, LISTED_USERS = 20, 4  # the table lists headers above one of these
BEGIN, END = "<!-- fields: made by tests/lint/check_fields.py --update -->\n", "<!-- /fields -->\n"
EXTENSION = re.compile(r"\.(c|cpp|h)$")
STRUCT = re.compile(r"\b(typedef\s+)?(?:struct|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)?\s*\{")
TYPE = r"(?:\b(?:const|struct|union|static|extern|inline|_Atomic|volatile)\s+)*\b([A-Za-z_]\w*)\b"
DECLARATOR = re.compile(r"\s*((?:\*|\bconst\b|\brestrict\b|\s)*)([A-Za-z_]\w*)\b\s*(\[|\()?")
WRITE = re.compile(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
WRITTEN_BEFORE = re.compile(
    r"(?:\+\+|--|\batomic_(?:store|exchange|fetch_\w+|init)\w*\s*\(\s*&|\bWR_STATE(?:_ARRAY)?\s*\(\s*\w+\s*,\s*\*?)\s*$")
KEYWORDS = set("return if while for switch sizeof case else do goto".split())


def stem(path):
    return EXTENSION.sub("", path)


def closing(text, at):
    """Returns the index after the bracket that closes the bracket at text[at]."""
    pair = {"(": ")", "[": "]", "{": "}"}[text[at]]
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == text[at]) - (text[i] == pair)
        if depth == 0:
            return i + 1
    return len(text)


def members_of(body):
    """Returns {member: (type, whether the struct contains it by value)} of the body of a struct."""
    found = {}
    body = re.sub(r"_Alignas\s*\([^)]*\)+", " ", body)
    inner = STRUCT.search(body)
    while inner:
        end = closing(body, inner.end() - 1)
        found.update(members_of(body[inner.end():end - 1]))
        body = body[:inner.start()] + " int " + body[end:]
        inner = STRUCT.search(body)
    for text in body.split(";"):
        call = re.search(r"\(\s*\*\s*(\w+)\s*(?:\[[^\]]*\])?\s*\)\s*\(", text)
        if call:
            found[call.group(1)] = (None, False)
            continue
        match = re.match(r"\s*" + TYPE, re.sub(r"\bunsigned\s+(?=char|int|long|short)", "", text))
        if not match:
            continue
        for part in re.sub(r"\[[^\]]*\]", "[]", re.sub(r"\bunsigned\s+(?=char|int|long|short)", "", text)[match.end():]).split(","):
            name = DECLARATOR.match(part.split(":")[0])
            if name:
                found[name.group(2)] = (match.group(1), "*" not in name.group(1))
    return found


class Product:
    def __init__(self, root):
        self.text = {path: re.sub(r"^[ \t]*#[ \t]*include.*$", "", source_tree.code_only(source_tree.read(root, path)), flags=re.M)
                     for path in source_tree.files(root, {".c", ".cpp", ".h"})
                     if not path.startswith(("tests/", "tools/", "examples/", "bench/peers/"))}
        self.shared, self.local = {}, {}  # {type: (header, members)}; {path: the same for types of a .c file}
        self.result = {}                  # {function: type}
        self.users, self.writers = {}, {}  # {header: stems}
        for path, text in self.text.items():
            home = self.shared if path.endswith(".h") else self.local.setdefault(path, {})
            for match in STRUCT.finditer(text):
                end = closing(text, match.end() - 1)
                alias = re.match(r"\s*\**\s*(\w+)\s*;", text[end:])
                for name in {match.group(2), alias.group(1) if match.group(1) and alias else None} - {None}:
                    home[name] = (path, members_of(text[match.end():end - 1]))
            for match in re.finditer(r"^" + TYPE + r"[\s*]+(\w+)\(", text, re.M):
                self.result.setdefault(match.group(2), match.group(1))

    def members(self, path, name):
        return self.local.get(path, {}).get(name) or self.shared.get(name)

    def variables(self, path, text):
        """Returns {variable: type} of the declarations in the text, the last declaration of each name."""
        found = {}
        for match in re.finditer(r"\b(?:struct\s+|union\s+)?(\w+)\b(?=(?:\s|\*|const\b|restrict\b)+\w)", text):
            if not self.members(path, match.group(1)):
                continue
            at = match.end()
            while True:
                name = DECLARATOR.match(text, at)
                if not name or name.group(3) == "(":
                    break
                found[name.group(2)] = match.group(1)
                at = name.end() - (1 if name.group(3) else 0)
                depth = 0  # skips an initialiser
                while at < len(text) and (depth or text[at] not in ",;)"):
                    depth += (text[at] in "([{") - (text[at] in ")]}")
                    at += 1
                if text[at:at + 1] != "," or text.count("\n", match.start(), at) > 12:
                    break
                at += 1
                if re.match(r"\s*(?:const\s+)?(?:struct\s+)?\w+(?:\s+\w|\s*\*+\s*(?:const\s+)?\w+\s*[,)])", text[at:]) and \
                        not re.match(r"\s*\*", text[at:]):
                    break  # the next parameter
        return found

    def count(self, path):
        text = self.text[path]
        starts = [m.start() for m in re.finditer(r"^\}", text, re.M)]
        begin = 0
        for end in starts + [len(text)]:
            self.count_chains(path, text[begin:end])
            begin = end

    def count_chains(self, path, text):
        variables = self.variables(path, text)
        for match in re.finditer(r"(?<![\w.])(?<!->)([A-Za-z_]\w*)", text):
            name, at = match.group(1), match.end()
            if name in KEYWORDS or text[:match.start()].rstrip().endswith((".", "->")):
                continue
            kind = variables.get(name)
            if text[at:at + 1] == "(" and name in self.result:
                kind, at = self.result[name], closing(text, at)
            if kind is None:
                continue
            held = []  # headers of the structs that contain the field by value
            chain, is_own = False, bool(re.match(r"\s*\.", text[at:at + 20]))  # a struct on the stack
            while True:
                while re.match(r"\s*\[", text[at:at + 200]):
                    at = closing(text, text.index("[", at))
                    held = held if held and held[-1][1] else held
                step = re.match(r"\s*(->|\.)\s*(\w+)", text[at:at + 200])
                found = self.members(path, kind) if kind else None
                if not step or not found or step.group(2) not in found[1]:
                    break
                chain = True
                at += step.end()
                header, members = found
                kind, by_value = members[step.group(2)]
                if header.endswith(".h"):
                    self.users.setdefault(header, set()).add(stem(path))
                held = (held if step.group(1) == "." else []) + [header]
                if not by_value and re.match(r"\s*(->|\[[^\]]*\]\s*(\.|->))", text[at:at + 200]):
                    held = []
            if chain and not is_own and (WRITE.match(text[at:at + 20]) or WRITTEN_BEFORE.search(text[max(0, match.start() - 80):match.start()])):
                for header in held:
                    if header.endswith(".h"):
                        self.writers.setdefault(header, set()).add(stem(path))

    def rows(self):
        """Returns [(header, members, users, writers)] of the private headers that define a struct."""
        for path in self.text:
            self.count(path)
        n_member = {}
        for name in {id(v[1]): v for v in self.shared.values()}.values():
            n_member[name[0]] = n_member.get(name[0], 0) + len(name[1])
        return [(header, n, self.users.get(header, set()), self.writers.get(header, set()))
                for header, n in sorted(n_member.items()) if not header.startswith("include/")]


def read_exceptions(path):
    with open(path, encoding="ascii") as file:
        rows = [line.partition(" : ") for line in file if line.startswith("fields ")]
    return {head.split()[1]: reason.strip() for head, _, reason in rows}


def table_of(rows, exceptions):
    lines = ["| header | members | files that use its fields | files that write them |", "|---|---|---|---|"]
    for header, n_member, users, writers in rows:
        if n_member <= LISTED_MEMBERS and len(users) <= LISTED_USERS:
            continue
        names = ", ".join(f"`{os.path.basename(name)}`" for name in sorted(writers, key=os.path.basename))
        if header in exceptions:
            names = f"{len(writers)} files: {exceptions[header]}"
        lines.append(f"| `{header}` | {n_member} | {len(users)} | {names or 'none: constant'} |")
    return "\n".join(lines) + "\n"


def main():
    root = sys.argv[1]
    layers = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    rows = Product(root).rows()
    exceptions = read_exceptions(layers[0] if layers else os.path.join(os.path.dirname(__file__), "layers.txt"))
    if "--all" in sys.argv:
        for header, n_member, users, writers in sorted(rows, key=lambda row: -len(row[3])):
            print(header, n_member, len(users), len(writers), "| writes:", *sorted(map(os.path.basename, writers)),
                  "| uses:", *sorted(map(os.path.basename, users - writers)))
        return 0
    problems = []
    for header, n_member, users, writers in rows:
        if n_member > MOST_MEMBERS and header not in exceptions:
            problems.append(f"{header} has {n_member} members, more than {MOST_MEMBERS}")
        if len(writers) > MOST_WRITERS and header not in exceptions:
            problems.append(f"{header}: {len(writers)} files write its fields, more than {MOST_WRITERS}: "
                            + ", ".join(sorted(writers)))
    for header in sorted(set(exceptions) - {row[0] for row in rows if row[1] > MOST_MEMBERS or len(row[3]) > MOST_WRITERS}):
        problems.append(f"tests/lint/layers.txt: {header} needs no exception")
    page = source_tree.read(root, "docs/ARCHITECTURE.md")
    before, _, rest = page.partition(BEGIN)
    old, _, after = rest.partition(END)
    table = table_of(rows, exceptions)
    if old != table and "--update" in sys.argv:
        with open(os.path.join(root, "docs/ARCHITECTURE.md"), "w", encoding="utf-8", newline="") as file:
            file.write(before + BEGIN + table + END + after)
    elif old != table and BEGIN in page:
        problems.append("docs/ARCHITECTURE.md: the table of fields is old; run python3 tests/lint/check_fields.py . --update")
    return source_tree.report(problems, "fields")


if __name__ == "__main__":
    sys.exit(main())
