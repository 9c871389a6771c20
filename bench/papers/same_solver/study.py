"""The engine split and as one subsystem, with the same solver on both sides: Ben Khaled et al. (2011), section 5 (docs/METHODS.md, Sources).

    python3 bench/papers/same_solver/study.py build/wrsim [--cycles N] [--jobs N] [--check | --write]

Each side searches the tolerance and the settings with the least counted work at an error. The error is max|y - ref| over the largest value
of the worst recorded signal at the communication points, against dopri54 at 1e-11 (tools/show_engine.py). A tolerance counts if its run
and the run with the next tighter tolerance have at most this error, so a lucky run does not count. Work is the cost of points with the
costs of bench/points.toml. On 1, 2 and 5 cores it is the makespan of the tasks under list scheduling. So no figure depends on the machine.
--write replaces the readme.md beside this script, else the text goes to standard output. --check measures the first error only: the exit
code is 1 if a gain of the Jacobi split with CVODE's BDF or lsoda is below its limit.
"""
import argparse
import itertools
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import show_engine

CYCLE_S = 0.048
ERRORS = (1e-3, 1e-4)
CORES = (1, 2, 5)
# Name of a row, and the solvers of which each side takes the cheapest.
SOLVERS = {"CVODE BDF": ["cvode_bdf"], "CVODE Adams": ["cvode_adams"], "lsoda": ["lsoda"], "own": ["bs32", "rk43", "dopri54"]}
SCHEMES = {"Jacobi": "jacobi", "Gauss-Seidel": "gauss_seidel"}
WINDOWS_S, AGREEMENTS = (1.25e-4, 2.5e-4, 5e-4), (0.3, 1.0)
CHOSEN_CORES = 2 # number of cores on which a split run has the least work
NEIGHBOURS = 4 # number of tolerances that compete with a setting
# Tolerances of solvers, loose to tight. 1e-3 is the loosest tolerance that wrsim uses as given (runtime/sim/solver_choice.c).
TOLERANCES = [1e-3 / 10 ** (k / 6) for k in range(25)]
COSTS = ["component.*.cost=4.7619e-6", "component.port*.cost=20e-6", "component.cyl*.cost=100e-6", "simulation.points=count"]
# Least gains of the Jacobi split on CORES at the first error.
LEAST_GAINS, CHECKED = (2.2, 3.4, 4.2), ("CVODE BDF", "lsoda")
COUNTS = ("n_start", "n_step", "n_rhs", "n_jacobian")


class Run:
    """Error, work on each number of cores in s, counts as sums over the subsystems, and the share of stops at events."""

    def __init__(self, bench, reference, words):
        result = bench.file(".csv")
        summary = bench.run(*words, *COSTS, "scheduler.workers=1", result=result)
        self.error = show_engine.error(show_engine.read(result, 0)[0], reference)[0][0]
        parts = summary["subsystems"]
        bounds = {bound["cores"]: bound["points_s"] for bound in summary["schedule_bound_s"]} if len(parts) > 1 else {}
        self.work = {n: bounds.get(n, sum(part["point_s"] for part in parts)) for n in CORES}
        self.counts = [sum(part[key] for part in parts) for key in COUNTS]
        stops = {end: sum(sum(part["step_length"][end]) for part in parts) for end in ("event", "known", "limit", "chosen")}
        self.at_events = (stops["event"] + stops["known"]) / sum(stops.values())


class Lsodar(Run):
    """The same of LSODAR, which counts no points and no Jacobians."""

    def __init__(self, bench, reference, rtol):
        signals, said = bench.peer("lsodar", rtol)
        self.error = show_engine.error(signals, reference)[0][0]
        self.work = {n: 0.0 for n in CORES}
        self.counts = [said["n_event"] + 1, said["n_step"], said["n_rhs"], float("nan")]
        self.at_events = said["n_event"] / said["n_step"]


class Study:
    def __init__(self, bench, pool):
        self.bench, self.pool, self.runs = bench, pool, {}
        self.gains = {}  # {(solver, scheme): gains} of the last table
        self.reference = bench.signals(*show_engine.REFERENCE, "simulation.rtol=1e-11", *bench.factors)[0]

    def run(self, words):
        """Returns the run with these words, or of LSODAR with this tolerance; None if it fails."""
        if words not in self.runs:
            try:
                self.runs[words] = (Run if isinstance(words, tuple) else Lsodar)(self.bench, self.reference, words)
            except SystemExit as failure:
                print(failure, file=sys.stderr)
                self.runs[words] = None
        return self.runs[words]

    def settle(self, setting, limit):
        """Returns [(run, tolerance)] of the loosest tolerance that counts and the next tighter ones, at most NEIGHBOURS."""
        found = []
        for rtol in TOLERANCES:
            run = self.run(setting(rtol))
            if run and run.error <= limit:
                found.append((run, rtol))
            elif len(found) > 1:
                break
            else:
                found = []
            if len(found) == NEIGHBOURS:
                break
        return found if len(found) > 1 else []

    def best(self, settings, limit, n_core):
        """Returns (run, tolerance, name of the setting) with the least work on n_core cores; None if no run counts."""
        found = self.pool.map(lambda name: [(*one, name) for one in self.settle(settings[name], limit)], settings)
        return min(itertools.chain(*found), key=lambda one: one[0].work[n_core], default=None)


def one_solver(bench, kinds):
    """Returns {name: function of the tolerance} of the settings of one subsystem."""
    def setting(kind, more):
        return lambda rtol: ("--monolithic", "solver.kind=" + kind, "simulation.rtol=%.4g" % rtol, "solver.rtol=%.4g" % rtol, *more)
    return {kind + name: setting(kind, more) for kind in kinds
            for name, more in (("", bench.factors), (" with tolerance factors", []))}


def split(kinds, scheme):
    """Returns the same of the split engine."""
    def setting(kind, window_s, agreement):
        return lambda rtol: ("relaxation.scheme=" + scheme, "relaxation.window.initial=%g" % window_s,
                             "relaxation.convergence=%g" % agreement, "solver.kind=" + kind, "subsystem.airpath.solver.kind=" + kind,
                             "simulation.rtol=%.4g" % rtol, "solver.rtol=%.4g" % rtol, "subsystem.airpath.solver.rtol=%.4g" % rtol)
    return {"%s, %g us, convergence %g" % (kind, 1e6 * window_s, agreement): setting(kind, window_s, agreement)
            for kind, window_s, agreement in itertools.product(kinds, WINDOWS_S, AGREEMENTS)}


def row(label, side, found, single, cycles):
    """Returns the row of a run. single: the run of one solver; None: the row has no work."""
    if not found:
        return "| %s | %s | no tolerance gives this error |" % (label, side) + " |" * 8
    run, rtol, name = found
    work = [run.work[n] / cycles for n in (CORES if run is not single else CORES[:1])] if single else []
    gains = ["**%.2f**" % (single.work[1] / run.work[n]) for n in CORES] if single and run is not single else []
    counts = ["-" if count != count else "%d" % round(count / cycles) for count in run.counts]
    return "| %s | %s | %s | %s | %s | %.1f %% | %.1e | %.1e, %s |" % (
        label, side, " / ".join("%.2f" % w for w in work), " / ".join(gains), " | ".join(counts), 100 * run.at_events, run.error, rtol, name)


def table(study, limit, cycles, why):
    """Returns the lines of the table for an error. why: reason why LSODAR is missing, or ''."""
    lines = ["| solver | engine as | work on 1 / 2 / 5 cores, s | gain | starts | steps | right-hand sides | Jacobians | stops at events | error "
             "| tolerance, setting |", "|" + "---|" * 11, PAPER]
    for label, kinds in SOLVERS.items():
        single = study.best(one_solver(study.bench, kinds), limit, 1)
        lines.append(row(label, "one subsystem", single, single and single[0], cycles))
        for name, scheme in SCHEMES.items():
            found = single and study.best(split(kinds, scheme), limit, CHOSEN_CORES)
            study.gains[label, name] = [single[0].work[1] / found[0].work[n] if found else 0.0 for n in CORES]
            lines.append(row(label, name, found, single and single[0], cycles))
        print("%s at %g: done" % (label, limit), file=sys.stderr)
    lines.append("| LSODAR | omitted: %s |" % why + " |" * 9 if why else
                 row("LSODAR", "one subsystem", study.best({"R's deSolve": lambda rtol: rtol}, limit, 1), None, cycles))
    return lines


PAPER = "| Ben Khaled et al. (2011): LSODAR | one subsystem | | | | | | | **57.7 %** | | |"
HEAD = """# The same solver on both sides

This file is the output of `python3 bench/papers/same_solver/study.py build/wrsim --write`, which measures all its figures.

Ben Khaled et al. (2011, section 5; [sources](../../../docs/METHODS.md#sources)) expect that the split of a four-cylinder engine saves work
even on one core, because each solver stops at its own events only. Their paper has one figure for it: events cause **57.7 %** of the stops
of LSODAR in the engine as one system. The tables compare the split with one solver for the whole engine, with the same solver on both
sides. Each side has the tolerance and the setting with the least work at an error of at most the given error, the split on two cores. The
tolerances end at 1e-3, because wrsim uses no looser tolerance, so some errors are smaller. An error is the error of the worst of {signals}
signals, relative to its largest value. Counts are sums over the subsystems, per cycle of the engine. `own` is the cheapest of bs32, rk43
and dopri54 on each side. Work is the cost of all points of a cycle: 100 us for a point of a cylinder, and 180 us for a point of the whole
airpath ([points](../../../docs/lab/2026-11-27-points.md)). On several cores work is the makespan of the tasks. The gain is the work of one
solver on one core over the work of the split. A gain above the number of cores is superlinear. LSODAR of R is beside the solvers of wrsim.
"""


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("program")
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--write", action="store_true")
    either.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.define = ["simulation.stop=%g" % (options.cycles * CYCLE_S)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        study = Study(show_engine.Bench(options, os.path.join(ROOT, "models/engine/engine.toml"), folder), pool)
        text = HEAD.format(signals=len(study.reference))
        why = study.bench.missing("peers", "lsodar")
        for limit in ERRORS[:1] if options.check else ERRORS:
            text += "\n## Error %g\n\n%s\n" % (limit, "\n".join(table(study, limit, options.cycles, why)))
        if options.check and not all(gain >= least for label in CHECKED for gain, least in zip(study.gains[label, "Jacobi"], LEAST_GAINS)):
            print(text)
            sys.exit("a gain is below its limit %s; look at the table" % (LEAST_GAINS,))
    if options.write:
        with open(os.path.join(HERE, "readme.md"), "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
