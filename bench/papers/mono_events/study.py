"""The incidence of the mono-cylinder and its event matrix in three blocks: Ben Khaled et al. (2013), Figs. 11-19.

    python3 bench/papers/mono_events/study.py build/wrsim [-o DIR]

`wrsim analyze` detects the matrices along ten cycles of models/mono_cylinder/mono_cylinder.toml. `wrsim partition` permutes the
event matrix to blocks. The table compares the paper's values with the detected values. The exit code is 1 if values differ. The study
writes drawings to DIR.
"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = os.path.join(HERE, "../../../models/mono_cylinder/mono_cylinder.toml")
POINTS = "600"  # one millisecond apart, so that points lie in each phase of a cycle, such as from coil on to spark
# Relations that models can declare.
DECLARED = ("x_dx", "u_dx", "x_y", "u_y", "x_z", "u_z", "z_d", "d_dx", "d_z")
DRAWN = (("x_dx", "11"), ("x_z", "12"), ("z_d", "13"), ("d_dx", "14"), ("z_dx", "15"), ("x_dx_all", "17"), ("z_z", "18"))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def entries(folder):
    """Returns {"declared" or "detected": {relation: {(row, column)}}}, without the component's name."""
    found = {"declared": {}, "detected": {}}
    with open(os.path.join(folder, "incidence.csv")) as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            key = tuple(row[name].removeprefix("engine.") for name in ("row", "column"))
            for which, relations in found.items():
                if row[which] == "1":
                    relations.setdefault(row["relation"], set()).add(key)
    return found


def facts(folder):
    """Returns rows (figure, what, paper, ours), the number of entries of each figure, and the number of entries that are only declared
    or only detected."""
    with open(os.path.join(folder, "incidence.json")) as file:
        about = json.load(file)
    name = [n.removeprefix("engine.") for n in about["states"]]
    number = {n: i for i, n in enumerate(name)}
    both = entries(folder)
    found = both["detected"]

    def numbers(names):
        return " ".join("X%d" % i for i in sorted(number[n] for n in names)) or "none"

    def row(relation, state):
        return {column for r, column in found[relation] if r == name[state]}

    coupled = {n for pair in found["x_dx"] for n in pair}
    by_events = row("x_dx_events", 14) & {name[i] for i in (10, 11, 12)}
    acted_on = {r for r, _ in found["z_dx"]}
    active = {r for r, _ in found["x_z"]}
    differ = sum(len(both["declared"].get(r, set()) ^ found.get(r, set())) for r in DECLARED)
    return [
        ("6.1", "states, events, discrete states", "15, 111, 93",
         "%d, %d, %d" % tuple(len(about[key]) for key in ("states", "indicators", "discretes"))),
        ("11", "coupled states", "6 of 15", "%d of %d" % (len(coupled), len(name))),
        ("11", "X13' depends on", "X0 X10 X11 X12 X14", numbers(row("x_dx", 13))),
        ("12", "events that depend on states", "39 of 111", "%d of %d" % (len(active), len(about["indicators"]))),
        ("15", "states that no event acts on", "X1 X3", numbers(set(name) - acted_on)),
        ("11", "X14' depends directly on masses", "none", numbers(row("x_dx", 14) & {name[i] for i in (10, 11, 12)})),
        ("17", "X14' depends through events on masses", "X10 X11 X12", numbers(by_events)),
    ], {"11": len(found["x_dx"]), "12": len(found["x_z"]), "13": len(found["z_d"]), "14": len(found["d_dx"]),
        "15": len(found["z_dx"]), "17": len(found["x_dx_all"]), "18": len(found["z_z"])}, differ


def blocks(program, folder, *words):
    out = run(program, "partition", CONFIG, "--relation", "z_z", "--points", POINTS, "--json", "-o", folder, *words)
    form = json.loads(out)
    starts = form["column_start"]
    return form, [b - a for a, b in zip(starts, starts[1:])][:form["blocks"]]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("wrsim")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        analysis, blocked, bare = (os.path.join(folder, name) for name in ("analysis", "blocks", "bare"))
        run(options.wrsim, "analyze", CONFIG, "--points", POINTS, "-o", analysis)
        rows, n_entries, n_differ = facts(analysis)
        paired, sizes = blocks(options.wrsim, blocked, "--blocks", "3", "--pairs")
        free, free_sizes = blocks(options.wrsim, bare, "--blocks", "3")
        rows.append(("19", "blocks of the event matrix", "3", str(paired["blocks"])))
        rows.append(("19", "events in the border", "0", str(paired["border_rows"] + paired["border_columns"])))
        print("| Fig. | what | paper | ours |\n|---|---|---|---|")
        for row in rows:
            print("| %s | %s | %s | %s |" % row)
        print("\nEntries declared or detected only: %d." % n_differ)
        print("Events per block: %s. Entries: %s." % (
            ", ".join(map(str, sizes)), ", ".join("Fig. %s %d" % item for item in sorted(n_entries.items()))))
        print("As a hypergraph, rows apart from columns: %d parts, three blocks of %s columns, border of %d rows." % (
            free["parts"], ", ".join(map(str, free_sizes)), free["border_rows"]))
        if options.output:
            os.makedirs(options.output, exist_ok=True)
            for relation, figure in DRAWN:
                shutil.copy(os.path.join(analysis, "detected_%s.svg" % relation),
                            os.path.join(options.output, "figure_%s.svg" % figure))
            shutil.copy(os.path.join(blocked, "form.svg"), os.path.join(options.output, "figure_19.svg"))
    wrong = ["%s: %s" % (row[1], row[3]) for row in rows if row[2] != row[3]]
    if wrong or n_differ:
        sys.exit("not as in the paper, or not as declared: %s" % "; ".join(wrong))


if __name__ == "__main__":
    main()
