#!/usr/bin/python3
"""At loose tolerances each variable-step solver is accurate or gives a message: rtol 0.1, 0.03 and 0.01 against a tight run.

    loose_tolerances.py --wrsim PROGRAM --root SOURCES --plugin adversary_models.so [--split] [--models NAME ...]

The models are the engine, the mono-cylinder, other configs below SOURCES, and random hybrid models of tests/adversary (--random N).
A run is right if no recorded signal is off by more than the smaller of 10 rtol and 0.2 of its range. Without --split a right run also
has the number of events of the tight run. A jump may come WAIT communication steps earlier or later than in the reference. The error is
therefore the distance from the range of the reference's values within that time.
Any other run must warn or fail with a message that has the solver's name and the key to change. The exit code is 1 if a run does neither,
or if more than a tenth of the right runs warn.
"""
import argparse
import bisect
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adversary"))
import adversary  # pylint: disable=wrong-import-position
import runs

SOLVERS = ("bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "auto", "cvode_bdf", "cvode_adams", "lsoda")
RTOLS = (0.1, 0.03, 0.01)
FACTOR, MOST = 10.0, 0.2    # largest error of a right run, in units of rtol and in units of the range
MOST_WARNED = 0.1           # largest share of the right runs that may warn
WAIT = 1.0                  # communication steps by which a jump may be early or late
CONDITION_RTOL = 1e-3       # a random model is left out if its references (adversary.py) are ill-conditioned at this rtol
CONSTANT = 1e-8             # a range below this share of the largest value is rounding (as in wrsim compare)
SHIPPED = {"engine": "models/engine/engine.toml", "mono_cylinder": "models/mono_cylinder/mono_cylinder.toml"}
KEY = re.compile(r"solver\.kind|simulation\.rtol|solver\.rtol|solver\.step")


class Rows:
    """Rows of a result file: times, whether at a communication point, and values of all signals."""

    def __init__(self, path, has_events):
        self.time, self.is_point, self.values = [], [], []
        self.names = None
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line[0] == "#":
                    continue
                fields = line.rstrip("\n").split(",")
                if self.names is None:
                    self.names = [field.split(" ")[0] for field in fields[2:]]
                    continue
                if not has_events and fields[1] != "c":
                    continue
                self.time.append(float(fields[0]))
                self.is_point.append(fields[1] == "c")
                self.values.append([float(f) if f else float("nan") for f in fields[2:]])


class Model:
    """A config and its tight run."""

    def __init__(self, name, given, folder):
        self.name, self.given, self.folder = name, given, folder
        self.extra = given.extra + ([f"simulation.stop={given.engine_stop}"] if name == "engine" and given.engine_stop else [])
        self.left_out = set()   # short pulses, in which communication points lie by chance only
        self.tight = ["simulation.rtol=1e-9", "solver.kind=dopri54"]
        if not name.startswith("random:"):
            self.tight.append("simulation.event_tolerance=1e-9")  # indicators that fire together in a loose run then fire together here
            self.config = os.path.join(given.root, SHIPPED.get(name, name))
        else:
            self.config = os.path.join(folder, "model.toml")
            self.draw(int(name.removeprefix("random:")))

    def draw(self, seed):
        case = adversary.draw_case(seed)
        case["rtol"] = CONDITION_RTOL
        case["settings"] = {key: value for key, value in case["settings"].items() if not key.startswith("solver.")}
        for group in case["groups"]:
            group.pop("solver", None)
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(adversary.toml_of(case, self.given.plugin))
        self.tight.append(f"solver.step={adversary.reference_step(case)}")
        bench = adversary.Bench(argparse.Namespace(wrsim=self.given.wrsim, plugin=self.given.plugin, timeout=60))
        signals = adversary.Signals(case)
        self.left_out = {signals.rows[i][0] for i in signals.pulse_s}
        runs, why = bench.references(case, self.folder, signals)
        self.why_not = why or adversary.Truth(case, runs, signals).reason

    def run(self, words, has_events):
        """Runs the program. Returns exit code, messages, rows, number of events, number of right-hand sides.

        After a failure rows and number of events are None.
        """
        path = os.path.join(self.folder, "run.csv")
        command = [self.given.wrsim, self.config, "-o", path, "--json", path + ".summary.json",
                   *runs.defined(["scheduler.workers=1", "output.events=true", *words])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return done.returncode, done.stderr.strip(), None, None, 0
        summary = runs.json_of(path + ".summary.json")
        said = " ".join(str(w) for w in summary["warnings"])
        parts = summary["subsystems"]
        return 0, said, Rows(path, has_events), summary["n_event_row"], sum(p["n_rhs"] for p in parts)

    def take_reference(self):
        _, text, rows, self.events, _ = self.run(["--monolithic", *self.extra, *self.tight], True)
        if rows is None:
            sys.exit(f"{self.name}: no reference: {text}")
        self.rows = rows
        self.range = []
        for i in range(len(rows.names)):
            column = [row[i] for row in rows.values]
            low, high = min(column), max(column)
            self.range.append(high - low if high - low > CONSTANT * max(abs(low), abs(high)) else None)
        points = [t for t, is_point in zip(rows.time, rows.is_point) if is_point]
        self.wait_s = WAIT * (points[1] - points[0])

    def error(self, rows):
        """Returns the largest errors relative to the range, with and without a wait at jumps, and the signal of the first error."""
        worst, worst_plain, who = 0.0, 0.0, ""
        where = {t: k for k, (t, is_point) in enumerate(zip(self.rows.time, self.rows.is_point)) if is_point}
        times = self.rows.time
        column = {name: i for i, name in enumerate(self.rows.names)}
        for t, values in zip(rows.time, rows.values):
            if t not in where:
                continue
            first, last = bisect.bisect_left(times, t - self.wait_s), bisect.bisect_right(times, t + self.wait_s)
            for name, value in zip(rows.names, values):
                i = column[name]
                if self.range[i] is None or name in self.left_out:
                    continue
                plain = abs(value - self.rows.values[where[t]][i]) / self.range[i]
                worst_plain = max(worst_plain, plain)
                if plain <= worst:
                    continue
                near = [row[i] for row in self.rows.values[first:last]]
                error = max(min(near) - value, value - max(near), 0.0) / self.range[i]
                if error > worst:
                    worst, who = error, name
        return worst, worst_plain, who


def examine(model, kind, rtol, grouping):
    code, said, rows, events, n_rhs = model.run([*grouping, f"solver.kind={kind}", f"simulation.rtol={rtol}", *model.extra], False)
    names_it = kind in said and KEY.search(said) is not None
    row = {"model": model.name, "kind": kind, "rtol": rtol, "n_rhs": n_rhs, "warned": names_it}
    if code != 0:
        return {**row, "verdict": "loud" if names_it else "FAILS", "said": said}
    error, plain, who = model.error(rows)
    limit = min(FACTOR * rtol, MOST)
    # In a split run each subsystem with an event at an instant has a row. The tight run is monolithic, so its number of rows differs.
    is_right = error <= limit and (model.given.split or events == model.events)
    verdict = "right" if is_right else "warned" if names_it else "SILENT"
    return {**row, "verdict": verdict, "events": events, "error": error, "plain": plain, "who": who, "said": said}


def print_row(row, model):
    events = row.get("events", "")
    error = "" if "error" not in row else f"{row['error']:.2g}"
    plain = "" if "plain" not in row else f"{row['plain']:.2g}"
    print(f"{row['model']:16} {row['kind']:12} {row['rtol']:<6g} {row['n_rhs']:8} {events:>7} ({model.events}) "
          f"{error:>8} {plain:>8} {'warns' if row['warned'] else '':5} {row['verdict']:7} {row.get('who', '')} {row['said'][:200] if row['verdict'] == 'FAILS' else ''}",
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim", required=True, type=os.path.abspath)
    parser.add_argument("--root", required=True, type=os.path.abspath)
    parser.add_argument("--plugin", required=True, type=os.path.abspath)
    parser.add_argument("--models", nargs="*", default=[*SHIPPED])
    parser.add_argument("--random", type=int, default=0, help="that many random models more")
    parser.add_argument("--first", type=int, default=1, help="their first seed")
    parser.add_argument("--solvers", nargs="+", default=SOLVERS)
    parser.add_argument("--rtols", nargs="+", type=float, default=RTOLS)
    parser.add_argument("--split", action="store_true", help="the config's own grouping; else one solver")
    parser.add_argument("--engine-stop", help="end of the engine's runs, s")
    parser.add_argument("-D", dest="extra", action="append", default=[], help="an override of all runs, the tight one included")
    given = parser.parse_args()
    rows = []
    names, seed, n_random = list(given.models), given.first, 0
    while names or n_random < given.random:
        name = names.pop(0) if names else f"random:{seed}"
        is_drawn = name == f"random:{seed}"
        with tempfile.TemporaryDirectory() as folder:
            model = Model(name, given, folder)
            seed += is_drawn
            if getattr(model, "why_not", ""):
                continue
            n_random += is_drawn
            model.take_reference()
            for kind in given.solvers:
                for rtol in given.rtols:
                    rows.append(examine(model, kind, rtol, [] if given.split else ["--monolithic"]))
                    print_row(rows[-1], model)
    right = [row for row in rows if row["verdict"] == "right"]
    n_warned = sum(row["warned"] for row in right)
    wrong = [row for row in rows if row["verdict"] in ("SILENT", "FAILS")]
    print(f"{len(rows)} runs: {len(right)} right, of them {n_warned} warn; {len(rows) - len(right) - len(wrong)} not right and loud; "
          f"{len(wrong)} wrong and silent")
    return 1 if wrong or n_warned > MOST_WARNED * len(right) else 0


if __name__ == "__main__":
    sys.exit(main())
