"""wrsim partition against exhaustive search and against its written files.

usage: partition_cases.py --wrsim PROGRAM --source ROOT [--no-zoltan] [--tier quick|plain]
"""

import itertools
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect

many = tap.tier("quick", "plain") # a sample of the cases, also under sanitizers; all cases without sanitizers
SIX = [(1, 1), (1, 4), (2, 2), (2, 5), (2, 6), (3, 1), (3, 3), (3, 4), (3, 6), (4, 4), (5, 2), (5, 5), (5, 6), (6, 1), (6, 6)]


class Tool:
    def __init__(self, arguments, folder):
        self.program, self.source, self.folder = arguments.wrsim, arguments.source, folder
        self.has_zoltan = not arguments.no_zoltan

    def needs_zoltan(self):
        if not self.has_zoltan:
            raise tap.Skip("without Zoltan")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, code=0):
        run = subprocess.run([self.program, "partition", *words], cwd=self.folder, capture_output=True, text=True)
        expect(run.returncode == code, f"{words}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return run.stdout if code == 0 else run.stderr

    def form(self, *words):
        return json.loads(self.run("--json", *words))

    def matrix(self, name, n_row, n_column, entries):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate pattern general\n")
            file.write(f"{n_row} {n_column} {len(entries)}\n")
            file.writelines(f"{i} {j}\n" for i, j in entries)
        return name


def check(form, entries):
    """Checks that all entries are in diagonal blocks or in the border. Returns the border, and the blocks of rows and columns."""
    k = form["blocks"]

    def sections(order, start):
        return {int(name): s for s in range(k + 2) for name in order[start[s]:start[s + 1]]}
    row = sections(form["row_order"], form["row_start"])
    column = sections(form["column_order"], form["column_start"])
    expect(sorted(row) == list(range(1, form["rows"] + 1)), "rows are no permutation")
    expect(sorted(column) == list(range(1, form["columns"] + 1)), "columns are no permutation")
    n_inside = 0
    for i, j in entries:
        expect(k in (row[i], column[j]) or row[i] == column[j] < k, f"entry ({i}, {j}) is between blocks")
        n_inside += row[i] == column[j] < k
    expect(n_inside == form["block_entries"], "entries in blocks")
    border = [[x for x in where if where[x] == k] for where in (row, column)]
    expect([len(b) for b in border] == [form["border_rows"], form["border_columns"]], "border")
    return border, row, column


def read_matrix(path):
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    return [int(x) for x in lines[0]], {(int(line[0]), int(line[1])) for line in lines[1:]}


def test_published_example_doubly(tool):
    """Ben Khaled et al. (2013), eq. 20 and Fig. 6: blocks {1 3 4} and {2 5}, separator {r6, c6}."""
    name = tool.matrix("six.mtx", 6, 6, SIX)
    form = tool.form("--form", "doubly", name, "-o", "doubly")
    border, _, _ = check(form, SIX)
    expect(border == [[6], [6]], border)
    expect(form["row_order"] == form["column_order"] == list("134256"), form["row_order"])
    size, moved = read_matrix(tool.path("doubly/form.mtx"))
    order = [int(x) for x in form["row_order"]]
    expect(size == [6, 6, 15] and {(order[i - 1], order[j - 1]) for i, j in moved} == set(SIX), "form.mtx")


def test_published_example_singly(tool):
    """Ben Khaled et al. (2013), Fig. 8: columns {1 3 4} and {2 5 6}; the only balanced division with two cut rows cuts rows 3 and 6."""
    tool.needs_zoltan()
    name = tool.matrix("six.mtx", 6, 6, SIX)
    form = tool.form("--form", "singly", name)
    border, _, _ = check(form, SIX)
    expect(border == [[3, 6], []], border)
    expect(form["column_order"] == list("134256"), form["column_order"])
    expect(form["imbalance"] == 0, "3 and 3")


def draw(seed):
    rng = random.Random(seed)
    n_row, n_column = rng.randint(3, 12), rng.randint(4, 11)
    entries = [(i, j) for i in range(1, n_row + 1) for j in range(1, n_column + 1)
               if rng.random() < rng.choice((0.15, 0.3, 0.45))]
    return n_row, n_column, entries or [(1, 1), (2, 2)]


def least_cut(n_column, entries, imbalance):
    """Returns the least cut of all balanced divisions of the columns with entries into two parts, or None if no division is
    balanced."""
    used = sorted({j for _, j in entries})
    rows = {}
    for i, j in entries:
        rows.setdefault(i, set()).add(j)
    most = 0.5 * len(used) * (1 + imbalance) + 1e-9
    best = None
    for n in range(1, len(used)):
        if max(n, len(used) - n) > most:
            continue
        for half in itertools.combinations(used, n):
            cut = sum(0 < len(columns & set(half)) < len(columns) for columns in rows.values())
            best = cut if best is None else min(best, cut)
    return best


@many
def test_random_singly(tool):
    tool.needs_zoltan()
    n_best = n_case = 0
    for seed in range(tap.sample(5, 14)):
        n_row, n_column, entries = draw(seed)
        if min(len({i for i, _ in entries}), len({j for _, j in entries})) < 2:
            continue
        name = tool.matrix("random.mtx", n_row, n_column, entries)
        form = tool.form("--form", "singly", "--imbalance", "0.34", name)
        check(form, entries)
        expect(form["border_columns"] == 0, "a border of columns")
        best = least_cut(n_column, entries, 0.34)
        if best is None or form["imbalance"] > 0.34 + 1e-9:
            expect(best is None, f"seed {seed}: a balanced cut of {best} was not found")
            continue
        n_case += 1
        n_best += form["border_rows"] == best
        expect(best <= form["border_rows"] <= best + 1, f"seed {seed}: {form['border_rows']} for {best}")
    expect(n_case >= tap.sample(3, 8) and n_best >= 0.9 * n_case, f"{n_best} of {n_case} cuts are least")


@many
def test_random_doubly(tool):
    for seed in range(tap.sample(10, 40)):
        n_row, n_column, entries = draw(seed)
        if min(len({i for i, _ in entries}), len({j for _, j in entries})) < 2:
            continue
        name = tool.matrix("random.mtx", n_row, n_column, entries)
        form = tool.form("--form", "doubly", "--imbalance", "0.5", name)
        check(form, entries)
        if n_row == n_column:
            rows, columns = form["row_start"], form["column_start"]
            expect(rows == columns, f"seed {seed}: blocks of a square matrix are square: {rows} {columns}")


@many
def test_pairs_stay_together(tool):
    for seed in range(tap.sample(5, 20)):
        rng = random.Random(seed)
        n = rng.randint(4, 10)
        entries = sorted({(rng.randint(1, n), rng.randint(1, n)) for _ in range(3 * n)})
        name = tool.matrix("pairs.mtx", n, n, entries)
        for style in ["doubly"] + ["singly"] * (tool.has_zoltan and seed < tap.sample(2, 5)):
            form = tool.form("--form", style, "--pairs", "--imbalance", "0.5", name)
            _, row, column = check(form, entries)
            k = form["blocks"]
            for i in range(1, n + 1):
                expect(row[i] == column[i] or row[i] == k and style == "singly", f"{style}, seed {seed}: pair {i}")


def test_blocks_that_are_there_need_no_border(tool):
    entries = [(i, j) for b in range(3) for i in range(4 * b + 1, 4 * b + 5) for j in range(4 * b + 1, 4 * b + 5)]
    random.Random(1).shuffle(entries)
    name = tool.matrix("three.mtx", 13, 14, entries)
    for style in ("doubly", "singly"):
        form = tool.form("--form", style, "--blocks", "auto", name)
        check(form, entries)
        expect((form["blocks"], form["parts"], form["border_rows"], form["border_columns"]) == (3, 3, 0, 0), form)
        expect((form["unused_rows"], form["unused_columns"]) == (1, 2), form)


def test_many_blocks(tool):
    n = 60
    entries = [(i, j) for i in range(1, n + 1) for j in range(max(1, i - 1), min(n, i + 1) + 1)]
    name = tool.matrix("band.mtx", n, n, entries)
    for k in (2, 3, 4, 8):
        form = tool.form("--form", "doubly", "--pairs", "--blocks", str(k), "--imbalance", "0.6", name)
        check(form, entries)
        expect(form["border_rows"] == k - 1, f"a band falls into {k} pieces by {k - 1}: {form['border_rows']}")


def hypergraph(path, is_patoh):
    """Reads the published formats independently of the program: numbers of nets and cells, and pairs (net, cell) from 1."""
    with open(path, encoding="ascii") as file:
        lines = [[int(x) for x in line.split()] for line in file if not line.startswith("%")]
    if is_patoh:
        base, n_cell, n_net, n_pin = lines[0]
        expect(sum(len(line) for line in lines[1:]) == n_pin, "pins")
    else:
        n_net, n_cell = lines[0]
        base = 1
    expect(len(lines) == n_net + 1, "nets")
    return n_net, n_cell, {(i, x - base + 1) for i, line in enumerate(lines[1:], 1) for x in line}


@many
def test_hypergraph_text_both_ways(tool):
    for seed in range(tap.sample(3, 8)):
        n_row, n_column, entries = draw(seed + 100)
        if min(len({i for i, _ in entries}), len({j for _, j in entries})) < 2:
            continue
        name = tool.matrix("text.mtx", n_row, n_column, entries)
        form = tool.form("--form", "doubly", "--imbalance", "1", name, "-o", "text")
        for ending in ("hgr", "patoh"):
            path = tool.path("text/hypergraph." + ending)
            expect(hypergraph(path, ending == "patoh") == (n_row, n_column, set(entries)), ending)
            again = tool.form("--form", "doubly", "--imbalance", "1", "text/hypergraph." + ending)
            expect({**again, "of": 0} == {**form, "of": 0}, ending + " gives another form")


def test_hypergraph_with_weights(tool):
    text = {"w.hgr": "% nets\n3 4 11\n2 1 2\n7 2 3 4\n1 4\n5\n5\n5\n5\n",
            "w.patoh": "1 4 3 6 3\n2 1 2\n7 2 3 4\n1 4\n5 5 5\n5\n",
            "b.u": "0 4 3 6\n0 1\n1 2 3\n3\n"}
    for name, lines in text.items():
        with open(tool.path(name), "w", encoding="ascii") as file:
            file.write(lines)
        form = tool.form("--form", "doubly", "--imbalance", "1", name)
        check(form, [(1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 4)])


def test_parts_from_elsewhere(tool):
    name = tool.matrix("six.mtx", 6, 6, SIX)
    for text in ("0\n1\n0\n0\n1\n1\n", "0 1 0 0 1 1"):
        with open(tool.path("six.part"), "w", encoding="ascii") as file:
            file.write(text)
        form = tool.form("--form", "singly", "--parts", "six.part", name)
        expect(check(form, SIX)[0] == [[3, 6], []], "border")


def test_same_seed_same_form(tool):
    rng = random.Random(5)
    entries = sorted({(rng.randint(1, 80), rng.randint(1, 70)) for _ in range(400)})
    name = tool.matrix("same.mtx", 80, 70, entries)
    for style in ["doubly"] + ["singly"] * tool.has_zoltan:
        words = ("--json", "--form", style, "--blocks", "4", name)
        first = tool.run(*words)
        expect(tool.run(*words) == first, style + ": two runs differ")
        check(json.loads(first), entries)


def test_bad_input_is_refused(tool):
    name = tool.matrix("six.mtx", 6, 6, SIX)
    files = {"bad.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
             "empty.mtx": "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n",
             "nan.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n",
             "short.hgr": "3 4\n1 2\n", "far.hgr": "1 4\n1 5\n", "pins.patoh": "0 4 1 3\n0 1\n", "head.patoh": "2 4 1 2\n0 1\n",
             "twice.hgr": "1 4\n1 1\n", "word.hgr": "1 4\n1 x\n", "few.part": "0 1 0\n", "far.part": "0 1 0 0 1 9\n",
             "more.hgr": "1 4\n1 2\n3 4\n"}
    for file_name, text in files.items():
        with open(tool.path(file_name), "w", encoding="ascii") as file:
            file.write(text)
    tool.matrix("flat.mtx", 3, 5, [(1, 1), (2, 2), (3, 3), (1, 4), (2, 5)])
    cases = [(6, "bad.mtx:3", "bad.mtx"), (2, "no entries", "empty.mtx"), (6, "nan.mtx:3", "nan.mtx"),
             (6, "cannot be opened", "none.mtx"), (2, "7 blocks are too many", name, "--blocks", "7"),
             (2, "--blocks takes", name, "--blocks", "1"), (2, "--blocks takes", name, "--blocks", "two"),
             (2, "square", "flat.mtx", "--pairs"), (2, "choose one of: doubly, singly", name, "--form", "triply"),
             (2, "--relation does not take 'x_x'", name, "--relation", "x_x"), (6, "after 1 of 3 nets", "short.hgr"),
             (6, "far.hgr:2", "far.hgr"), (6, "2", "pins.patoh"), (6, "head.patoh:1", "head.patoh"), (6, "twice", "twice.hgr"),
             (6, "not a whole number", "word.hgr"), (6, "continues after the nets", "more.hgr"),
             (2, "3 vertices", name, "--form", "singly", "--parts", "few.part"),
             (2, "part 9", name, "--form", "singly", "--parts", "far.part"),
             (2, "columns", name, "--parts", "few.part", "--form", "doubly"),
             (2, "did you mean '--blocks'", name, "--block", "3", "--blok", "2")]
    for code, said, *words in cases:
        err = tool.run(*(["--form", "doubly"] if "--form" not in words else []), *words, code=code)
        expect(said in err and err.count("\n") <= 2, f"{words}: {err}")
    with open(tool.path("form.mtx"), "w", encoding="ascii") as file:
        file.write("mine")
    err = tool.run("--form", "doubly", name, "-o", ".", code=6)
    expect("already exists" in err and open(tool.path("form.mtx"), encoding="ascii").read() == "mine", err)


@many
def test_of_a_config(tool):
    """With airpath and crank as the border, the blocks of the engine are its cylinders. One point shows too few entries for such blocks."""
    config = os.path.join(tool.source, "models/engine/engine.toml")
    form = tool.form("--form", "doubly", "--pairs", "--points", tap.sample("1", "8"), "--blocks", "5", config)
    expect(form["border_rows"] == form["border_columns"] <= 12, form["border_rows"])
    start = form["row_start"]
    blocks = [{name.split(".")[0] for name in form["row_order"][start[b]:start[b + 1]]} for b in range(5)]
    alone = sum(len(b) == 1 and next(iter(b)).startswith("cyl") for b in blocks)
    expect(alone >= tap.sample(0, 3), f"cylinders have blocks of their own: {blocks}")


def main():
    parser = tap.parser("--source", tiers=["quick", "plain"])
    parser.add_argument("--no-zoltan", action="store_true")
    arguments = parser.parse_args()
    return tap.run(globals(), arguments, lambda folder: Tool(arguments, folder))


sys.exit(main())
