"""wrsim analyze as a program: its files agree with each other and with known results, and it refuses bad input.

usage: analyze_cases.py --wrsim PROGRAM --source ROOT [--no-zoltan] [--tier quick|plain]
"""

import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect


class Tool:
    def __init__(self, arguments, folder):
        self.program, self.source, self.folder = arguments.wrsim, arguments.source, folder

    def config(self, name):
        return os.path.join(self.source, "models", name)

    def run(self, *words, code=0):
        run = subprocess.run([self.program, "analyze", *words], cwd=self.folder, capture_output=True, text=True)
        expect(run.returncode == code, f"{words}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return run.stdout if code == 0 else run.stderr

    def read(self, name):
        """Returns size, values by row and column from 1, and names in the comments of a matrix file."""
        names, lines = {}, []
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            expect(file.readline().startswith("%%MatrixMarket matrix coordinate"), name)
            for line in file:
                if line.startswith("%wrsim row ") or line.startswith("%wrsim column "):
                    _, kind, number, variable = line.split()
                    names[kind, int(number)] = variable
                elif not line.startswith("%"):
                    lines.append(line.split())
        values = {(int(x[0]), int(x[1])): float(x[2]) if len(x) > 2 else 1.0 for x in lines[1:]}
        expect(len(values) == int(lines[0][2]), name)
        return (int(lines[0][0]), int(lines[0][1])), values, names


def test_files_agree(tool):
    tool.run("--points", "10", tool.config("mono_cylinder/mono_cylinder.toml"), "-o", "out")
    with open(os.path.join(tool.folder, "out/incidence.json"), encoding="ascii") as file:
        found = json.load(file)
    with open(os.path.join(tool.folder, "out/incidence.csv"), encoding="ascii") as file:
        lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
    expect([len(found[k]) for k in ("states", "discretes", "indicators")] == [15, 93, 111], "sizes")
    for relation in found["relations"]:
        for source in ("declared", "detected"):
            entries = relation.get(source)
            if not entries:
                continue
            size, values, names = tool.read(f"out/{source}_{relation['id']}.mtx")
            expect(size == (relation["rows"], relation["columns"]), relation["id"])
            expect({(i + 1, j + 1) for i, j, *_ in entries} == set(values), relation["id"])
            expect(all(values[e[0] + 1, e[1] + 1] == (e[2] if len(e) > 2 else 1.0) for e in entries), relation["id"])
            table = {(x["row"], x["column"]) for x in lines if x["relation"] == relation["id"] and x[source] == "1"}
            expect(table == {(names["row", i], names["column", j]) for i, j in values}, relation["id"])
            expect(os.path.exists(os.path.join(tool.folder, f"out/{source}_{relation['id']}.svg")), relation["id"])


def test_declared_entries_are_the_detected_entries(tool):
    """Ben Khaled et al. (2013), section 6: 6 of 15 states are coupled directly, 39 of 111 events depend on states. No entry is undeclared
    or unseen."""
    found = json.loads(tool.run("--json", tool.config("mono_cylinder/mono_cylinder.toml")))
    expect(found["n_coupled"] == 6 and found["n_active_by_states"] == 39, found["n_coupled"])
    component = found["components"][0]
    expect((component["n_undeclared"], component["n_unseen"]) == (0, 0), component)
    by_id = {r["id"]: r for r in found["relations"]}
    state = found["states"]

    def acting(relation, row):
        return {j for i, j, *_ in by_id[relation]["detected"] if i == row}
    expect(acting("x_dx", 13) == {0, 10, 11, 12, 14}, [state[j] for j in acting("x_dx", 13)])
    expect({10, 11, 12} <= acting("x_dx_events", 14) and not {10, 11, 12} & acting("x_dx", 14), "X14'")


@tap.tier("quick", "plain")
def test_shipped_models_declare_their_patterns(tool):
    for name in (*tap.sample((), ("engine/engine.toml",)), "bouncing_ball/bouncing_ball.toml", "relay/relay.toml", "hires/hires.toml",
                 "two_mass/two_mass.toml", "rc_ladder/rc_ladder.toml", "vanderpol/vanderpol_split.toml"):
        found = json.loads(tool.run("--points", "12", "--json", tool.config(name)))
        expect(not found["undeclared"], f"{name}: {found['undeclared']}")


def test_linearisation(tool):
    """R C v_i' = v_i-1 - 2 v_i + v_i+1 (models/rc_ladder)."""
    tool.run("--linear", "--times", "0,2.5", "--subsystem", "left", tool.config("rc_ladder/rc_ladder.toml"), "-o", "lin")
    for i_time in ("000", "001"):
        size, a, names = tool.read(f"lin/left_{i_time}_A.mtx")
        expect(size == (10, 10) and names["row", 3] == "left.v[3]", names)
        for i in range(1, 11):
            for j in range(1, 11):
                known = -2.0 if i == j else 1.0 if abs(i - j) == 1 else 0.0
                expect(abs(a.get((i, j), 0.0) - known) < 1e-8, (i, j, a.get((i, j))))
        size, b, names = tool.read(f"lin/left_{i_time}_B.mtx")
        driven = {names["column", j]: (i, value) for (i, j), value in b.items()}
        expect(set(driven) == {"left.v_right"} and driven["left.v_right"][0] == 10, driven)


def test_declared_runs_nothing(tool):
    text = tool.run("--declared", "-D", "component.sick.parameters.nan_time=0", tool.config("faulty/faulty.toml"))
    expect("detected at" not in text and "X -> X'" in text, text)


def test_bad_input_is_refused(tool):
    ladder, faulty = tool.config("rc_ladder/rc_ladder.toml"), tool.config("faulty/faulty.toml")
    cases = [(2, "did you mean 'right'", ladder, "--component", "rihgt"),
             (2, "did you mean 'left'", ladder, "--subsystem", "lefd"),
             (2, "exclude one another", ladder, "--subsystem", "left", "--component", "left"),
             (2, "whole number", ladder, "--points", "0"), (2, "numbers separated by commas", ladder, "--times", "1;2"),
             (2, "not within the run", ladder, "--times", "1,51"), (2, "ascend", ladder, "--times", "2,1"),
             (2, "needs --output DIR", ladder, "--linear"), (2, "needs CONFIG", "--declared"), (2, "remove '", ladder, ladder),
             (6, "cannot be opened", "none.toml"),
             (5, "NaN", faulty, "-D", "component.sick.parameters.nan_time=0.5")]
    for code, said, *words in cases:
        err = tool.run(*words, code=code)
        expect(said.lower() in err.lower() or said == "NaN" and "finite" in err, f"{words}: {err}")
    with open(os.path.join(tool.folder, "incidence.csv"), "w", encoding="ascii") as file:
        file.write("mine")
    err = tool.run("--declared", ladder, "-o", ".", code=6)
    expect("already exists" in err, err)
    err = tool.run("--declared", ladder, "-o", "no/such/folder", code=6)
    expect("the folder cannot be created" in err, err)


def main():
    parser = tap.parser("--source", tiers=["quick", "plain"])
    parser.add_argument("--no-zoltan", action="store_true")
    arguments = parser.parse_args()
    return tap.run(globals(), arguments, lambda folder: Tool(arguments, folder))


sys.exit(main())
