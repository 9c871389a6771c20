"""No file pair of a room depends on itself through other pairs, by includes, symbols or struct fields. No room uses a symbol of a room
above it.

usage: check_cycles.py ROOT BUILD [LAYERS]

x.c and x.h are one file pair. LAYERS has the order of the rooms. The files that include a header of MERGED count as one file
until each of them has a header of its own.
"""

import functools
import os
import re
import subprocess
import sys

import check_layers
import source_tree

SOURCE = re.compile(r"\.(c|cpp|h)$")
FIELD = re.compile(r"(?:->|\.)\s*([A-Za-z_]\w*)\b(?!\s*\()")
STRUCT = re.compile(r"\b(?:struct|union)\s+\w*\s*\{")
DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?=[,;])|\(\s*\*\s*([A-Za-z_]\w*)\s*\)\s*\(")
# Headers that several files implement. If such a header becomes one header for each file, remove its entry.
MERGED = ("offline/runs/run_sweep.h",)


def stem(path):
    return SOURCE.sub("", path)


@functools.lru_cache(maxsize=None)
def quoted_in(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return [header for mark, header in check_layers.INCLUDE.findall(file.read()) if mark == '"']


def includes_of(root, path, known):
    return [header for header in quoted_in(root, path) if header in known]


@functools.lru_cache(maxsize=None)
def code_of(root, path):
    """Returns the text of a file without comments, strings and includes."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|^[ \t]*#[ \t]*include.*$', " ", text, flags=re.M)


def fields_in(text):
    """Returns the names of the fields of all structs that a header defines."""
    found = set()
    for struct in STRUCT.finditer(text):
        depth, end = 1, struct.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        for one, call in DECLARED.findall(text[struct.end():end]):
            found.add(one or call)
    return found


def field_homes(root, paths):
    """Returns {field: header} of the fields whose names occur in one header only."""
    homes = {}
    for header in (path for path in paths if path.endswith(".h")):
        for field in fields_in(code_of(root, header)):
            homes.setdefault(field, set()).add(header)
    return {field: next(iter(headers)) for field, headers in homes.items() if len(headers) == 1}


def find_objects(build, sources):
    """Returns {source: object file} of the libraries and the program."""
    found = {}
    for folder, _, names in os.walk(build):
        if not folder.endswith(".p"):
            continue
        own = os.path.relpath(os.path.dirname(folder), build)
        own = "" if own == "." else own + "/"
        flat = {source[len(own):].replace("/", "_") + ".o": source
                for source in sources if source.startswith(own)}
        for name in names:
            if name in flat:
                found.setdefault(flat[name], os.path.join(folder, name))
    return found


def symbols_of(objects):
    """Returns {source: (defined, used)}, the global symbols of the source's object file."""
    found = {source: (set(), set()) for source in objects}
    source_of = {path: source for source, path in objects.items()}
    text = subprocess.run(["nm", "-g", "-P", "-A", *source_of], capture_output=True, text=True, check=True).stdout if objects else ""
    for line in text.splitlines():
        path, symbol = line.split(": ", 1)
        name, kind = symbol.split()[:2]
        defined, wanted = found[source_of[path]]
        (wanted if kind in "Uwv" else defined).add(name)
    return found


class Graph:
    """The uses between file pairs, each with a reason."""

    def __init__(self):
        self.by = {}   # node -> {node: reason}
        self.one = {}  # stem -> the node that contains it

    def node(self, name):
        while self.one.get(name, name) != name:
            name = self.one[name]
        return name

    def merge(self, names):
        names = sorted(self.node(name) for name in names)
        for name in names[1:]:
            self.one[name] = names[0]

    def use(self, a, b, reason):
        a, b = self.node(a), self.node(b)
        if a != b:
            self.by.setdefault(a, {}).setdefault(b, reason)

    def cycles(self):
        """Returns one cycle for each strong component of several file pairs. Source: Tarjan 1972, "Depth-first search and
        linear graph algorithms"."""
        index, low, on, stack, found = {}, {}, set(), [], []
        for root in sorted(self.by):
            if root in index:
                continue
            work = [(root, iter(sorted(self.by.get(root, ()))))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on.add(root)
            while work:
                node, rest = work[-1]
                for to in rest:
                    if to not in index:
                        index[to] = low[to] = len(index)
                        stack.append(to)
                        on.add(to)
                        work.append((to, iter(sorted(self.by.get(to, ())))))
                        break
                    if to in on:
                        low[node] = min(low[node], index[to])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        part = set()
                        while not part or top != node:
                            top = stack.pop()
                            on.discard(top)
                            part.add(top)
                        if len(part) > 1:
                            found.append(self.way(part))
        return found

    def way(self, part):
        """Returns a shortest cycle through the first file pair of the strong component."""
        start = min(part)
        before, line = {}, [start]
        for node in line:
            for to in sorted(self.by.get(node, ())):
                if to == start:
                    way = [start]
                    while node != start:
                        way.append(node)
                        node = before[node]
                    return [start] + way[:0:-1] + [start]
                if to in part and to not in before:
                    before[to] = node
                    line.append(to)
        return [start]


def check(root, build, layers):
    rooms, _, _ = check_layers.read_table(layers)
    order = {room: i for i, room in enumerate(rooms)}
    paths = [path for path in source_tree.files(root, (".c", ".cpp", ".h"))
             if not path.startswith(("tests/", "tools/", "bench/peers/"))]
    room = {path: check_layers.room_of(os.path.dirname(path), rooms) for path in paths}
    known = set(paths) | {path[len("include/"):] for path in paths if path.startswith("include/")}
    objects = find_objects(build, [path for path in paths if not path.endswith(".h")])
    symbols = symbols_of(objects)
    home = {}
    for path, (defined, _) in symbols.items():
        for name in defined:
            home.setdefault(name, path)

    graph, problems = Graph(), []
    for header in MERGED:
        if header in room:
            graph.merge({stem(path) for path in paths if header in includes_of(root, path, known) and room[path] == room[header]}
                        | {stem(header)})
    for path in paths:
        for header in includes_of(root, path, known):
            target = header if header in room else "include/" + header
            if room[target] == room[path]:
                graph.use(stem(path), stem(target), "includes " + header)
    fields = field_homes(root, paths)
    for path in paths:
        code = code_of(root, path)
        for name in sorted(set(FIELD.findall(code)) - (fields_in(code) if path.endswith(".c") else set())):
            if name in fields and room[fields[name]] == room[path]:
                graph.use(stem(path), stem(fields[name]), f"reaches the field {name}")
    for path, (_, wanted) in symbols.items():
        for name in sorted(wanted):
            other = home.get(name)
            if other is None or other == path:
                continue
            if room[other] == room[path]:
                graph.use(stem(path), stem(other), "uses " + name)
            elif order[room[other]] > order[room[path]]:
                problems.append(f"{path} uses {name} of {other}, a room above")
    for way in graph.cycles():
        steps = [f"{a} {graph.by[a][b]} ({b})" for a, b in zip(way, way[1:])]
        problems.append("a cycle: " + "; ".join(steps))
    return problems, len(symbols)


def main():
    root, build = sys.argv[1], sys.argv[2]
    layers = sys.argv[3] if len(sys.argv) > 3 else os.path.join(os.path.dirname(__file__), "layers.txt")
    problems, n_object = check(root, build, layers)
    if n_object == 0:
        problems = [f"no object files in {build}"]
    for problem in problems:
        print(problem)
    print(f"cycles: {len(problems)} found" if problems else f"cycles: none in {n_object} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
