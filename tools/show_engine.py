"""Compares solvers and the split run of a config at the same error. See run_engine.sh.

    show_engine.py PROGRAM FOLDER CONFIG... [--rounds N] [-D KEY=VALUE]...

1. Reference: monolithic, dopri54 at 1e-11, events located to 1e-12 s. Its error is estimated by the difference from a run at 1e-10.
2. Error of a run: max|y - ref| over the largest value, of the worst recorded signal, at the recorded points before the stop. The script
   also prints the error relative to the signal's range, which is larger for signals that change little.
3. Each solver has a tolerance whose error does not exceed the error of the split run. A solver in SINGLE or OTHERS has the given first
   tolerance, which is the loosest for the shipped configs, or a tighter one. The single solver is the fastest of SINGLE, with and without
   the config's tolerance factors.
4. Rounds: the single solver and the split runs in turn, without output. A ratio compares two runs of one round. The output has median,
   10 % and 90 % quantile. Each other solver has one timed run, because such a run takes seconds.

Other solvers need wrsim-peers beside PROGRAM, LSODAR also needs R. The script names each missing solver. All printed results are also in
FOLDER/engine_report.json.
"""
import argparse
import csv
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

REFERENCE = ["--monolithic", "solver.kind=dopri54", "simulation.event_tolerance=1e-12"]
# Solver of wrsim, and first tolerance.
SINGLE = [("bs32", 1e-4), ("rk43", 1e-2), ("dopri54", 1e-2)]
# Name, "wrsim" for a solver of wrsim or "peers" for a method of wrsim-peers, solver, and first tolerance.
OTHERS = [("CVODE BDF", "wrsim", "cvode_bdf", 2e-6), ("CVODE BDF, KLU", "peers", "cvode-bdf-klu", 3e-8),
          ("LSODAR", "peers", "lsodar", 1e-6), ("ARKODE ERK", "peers", "arkode-erk", 3e-6)]
FINEST = 1e-10
STEP, FINE = 10.0 ** 0.25, 10.0 ** 0.125  # ratio of successive tolerances of the others, and of the single solver
BUSY = 0.03  # share of the CPUs used by other programs above which the script prints a warning
IS_CONSTANT = 1e-8  # range over largest value up to which a signal is constant, as in `wrsim compare`


class Bench:
    """Runs of one config."""

    def __init__(self, options, config, folder):
        self.options, self.config, self.folder, self.number = options, config, folder, itertools.count()
        with open(config, "rb") as file:
            table = tomllib.load(file)
        self.step = table["simulation"]["communication_step"]
        self.factors = ["component.%s.tolerance_factor=1" % c["name"] for c in table["component"] if "tolerance_factor" in c]
        self.peers = os.path.join(os.path.dirname(options.program), "bench", "peers", "wrsim-peers")

    def file(self, ending):
        return os.path.join(self.folder, "%d%s" % (next(self.number), ending))

    def call(self, words):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("%s\nended with %d:\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done.stdout

    def run(self, *arguments, result=""):
        """Runs wrsim. Returns the summary as a dict."""
        summary = self.file(".json")
        words = [self.options.program, self.config, "-q", "-o", result, "--json", summary]
        for word in ["output.events=false", *self.options.define, *arguments]:
            words += [word] if word.startswith("--") else ["-D", word]
        self.call(words)
        with open(summary, encoding="utf-8") as text:
            return json.load(text)

    def signals(self, *arguments):
        """Runs wrsim. Returns the recorded values by name, and the wall time in s."""
        result = self.file(".csv")
        return read(result, self.run(*arguments, result=result)["wall_s"])

    def other(self, kind, name, rtol):
        """Runs another solver. Returns the same as signals()."""
        if kind == "wrsim":
            return self.signals("--monolithic", "solver.kind=" + name, "simulation.rtol=%.3g" % rtol, *self.factors)
        signals, said = self.peer(name, rtol)
        return signals, said["wall_s"]

    def peer(self, name, rtol):
        """Runs a method of wrsim-peers. Returns the recorded values by name, and its output {name: number}."""
        result = self.file(".csv")
        words = [self.peers, "--method", name, "--rtol", "%.3g" % rtol, "--result", result, "--grid", repr(self.step)]
        for word in ['output.file="%s"' % result, *self.options.define, *self.factors]:
            words += ["-D", word]
        said = dict(line.split(None, 1) for line in self.call(words + [self.config]).splitlines())
        return read(result, 0)[0], {key: float(value) for key, value in said.items()}

    def missing(self, kind, name):
        """Returns the reason why a solver is not available, or ''."""
        if kind == "wrsim":
            return ""
        if not os.path.exists(self.peers):
            return "wrsim-peers is not built"
        done = subprocess.run([self.peers, "--probe", "--method", name], capture_output=True, text=True)
        return done.stdout.partition("why ")[2].strip()


def read(result, wall_s):
    with open(result, encoding="utf-8") as text:
        rows = list(csv.reader(line for line in text if line[0] != "#"))
    os.remove(result)
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names) if i > 1}, wall_s


def error(signals, reference):
    """Returns ((largest error over largest value, signal), (largest error over range, signal))."""
    by_value, by_range = (0.0, ""), (0.0, "")
    for name, ref in reference.items():
        if len(signals[name]) != len(ref):
            sys.exit("a run has other communication points than the reference")
        off = max(abs(y - r) for y, r in zip(signals[name][:-1], ref[:-1]))  # LSODAR handles no event at the stop
        size, span = max(abs(r) for r in ref), max(ref) - min(ref)
        by_value = max(by_value, (off / size if size > 0 else off, name))
        if span > IS_CONSTANT * size:
            by_range = max(by_range, (off / span, name))
    return by_value, by_range


def tight_enough(run, rtol, step, reference, limit):
    """Returns (time, tolerance, error) of the first run whose error is at most limit; else None. step divides the tolerance."""
    while rtol >= FINEST:
        signals, wall_s = run(rtol)
        found = error(signals, reference)
        if found[0][0] <= limit:
            return wall_s, rtol, found
        rtol /= step
    return None


def find_single(bench, pool, reference, limit):
    """Returns (error, words) of the fastest monolithic run whose error is at most limit."""
    def search(job):
        method, start, more = job

        def words(rtol):
            return ["--monolithic", "solver.kind=" + method, "simulation.rtol=%.3g" % rtol, *more]

        found = tight_enough(lambda rtol: bench.signals(*words(rtol)), start, FINE, reference, limit)
        return found and (found[2], words(found[1]))

    jobs = [(method, start, more) for method, start in SINGLE for more in ([[], bench.factors] if bench.factors else [[]])]
    found = [one for one in pool.map(search, jobs) if one]
    if not found:
        sys.exit("no monolithic run is as accurate as the split run; the split run needs looser tolerances")
    walls = [min(bench.run(*one[1], "scheduler.workers=1")["wall_s"] for _ in range(3)) for one in found]
    return found[walls.index(min(walls))]


def cpu_times():
    """Returns busy, own and total time of the machine's CPUs in ticks (proc(5)); own: this process and its children."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
    return sum(ticks) - ticks[3] - ticks[4], own, sum(ticks)


def time_rounds(bench, sides, n_round):
    """Runs all sides in turn. Returns wall times by side, and the share of the CPUs that other programs used."""
    times = {side: [] for side in sides}
    before = cpu_times()
    for i in range(n_round):
        order = list(sides)[i % len(sides):] + list(sides)[:i % len(sides)]
        for side in order:
            times[side].append(bench.run(*sides[side])["wall_s"])
    busy, own, whole = (after - first for after, first in zip(cpu_times(), before))
    return times, max(0.0, (busy - own) / max(1.0, whole))


def quantile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def study(bench, n_core, n_round):
    """Runs and compares all solvers on one config. Returns the report."""
    with ThreadPoolExecutor(max_workers=max(1, n_core)) as pool:
        tight = [pool.submit(bench.signals, *REFERENCE, "simulation.rtol=" + rtol, *bench.factors) for rtol in ("1e-11", "1e-10")]
        reference, near = (one.result()[0] for one in tight)
        split_error = error(bench.signals()[0], reference)
        limit = split_error[0][0]
        single_error, single = find_single(bench, pool, reference, limit)
    summary = bench.run("scheduler.workers=1")
    n_most = min(n_core, summary["n_subsystem"])
    cores = [1] + ([n_most] if n_most > 1 else [])
    sides = {"single": [*single, "scheduler.workers=1"]}
    sides.update({n: ["scheduler.workers=%d" % n, "scheduler.min_work=0"] for n in cores})
    times, busy = time_rounds(bench, sides, n_round)
    middle = {side: quantile(values, 0.5) for side, values in times.items()}
    others, missing = [], {}
    for label, kind, name, start in OTHERS:
        why = bench.missing(kind, name)
        found = None if why else tight_enough(lambda rtol: bench.other(kind, name, rtol), start, STEP, reference, limit)
        if found:
            others.append({"solver": label, "time_s": found[0], "rtol": found[1], "error": found[2]})
        else:
            missing[label] = why or "no tolerance gives this error"
    return {
        "config": bench.config, "machine": summary["machine"], "simulated_s": summary["stop_s"] - summary["start_s"],
        "n_signal": len(reference), "rounds": n_round, "busy_share": busy,
        "reference_error": error(near, reference)[0][0], "others": others, "missing": missing,
        "single": {"time_s": middle["single"], "error": single_error, "options": single},
        "split": {"time_s": {str(n): middle[n] for n in cores}, "error": split_error},
        "speed_up": {str(n): [quantile([t / s for t, s in zip(times["single"], times[n])], q) for q in (0.1, 0.5, 0.9)]
                     for n in cores}}


def show(report):
    """Prints the table of one report."""
    stop_s, single_s = report["simulated_s"], report["single"]["time_s"]
    most = max(report["split"]["time_s"], key=int)
    best_s = report["split"]["time_s"][most]

    def row(name, time_s, found):
        print("%-26s %9.0f %8.1f %8.2f %8.2f   %.1e  %.1e"
              % (name, 1e3 * time_s, stop_s / time_s, time_s / single_s, time_s / best_s, found[0][0], found[1][0]))

    print("\n%s: %g s of simulated time\n" % (os.path.relpath(report["config"]), stop_s))
    print("%-26s %9s %8s %8s %8s   %s" % ("", "time", "x real", "over", "over", "error of"))
    print("%-26s %9s %8s %8s %8s   %s" % ("", "[ms]", "time", "single", "split", "largest  range"))
    for one in report["others"]:
        row(one["solver"] + ", 1 core", one["time_s"], one["error"])
    row("wrsim, one solver, 1 core", single_s, report["single"]["error"])
    for n, time_s in report["split"]["time_s"].items():
        row("wrsim, split, %s core%s" % (n, "" if n == "1" else "s"), time_s, report["split"]["error"])
    for n, (low, half, high) in report["speed_up"].items():
        print("split on %s core%s over one solver: %.2f (%.2f to %.2f) in %d rounds"
              % (n, "" if n == "1" else "s", half, low, high, report["rounds"]))
    if report["missing"]:
        print("omitted: " + "; ".join("%s (%s)" % one for one in report["missing"].items()))
    if report["busy_share"] > BUSY:
        print("Other programs took %.0f %% of the CPUs: ratios are unreliable; stop them and call again." % (100 * report["busy_share"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("config", nargs="+")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("-D", "--define", action="append", default=[])
    options = parser.parse_args()
    topology = subprocess.run([options.program, "topology"], capture_output=True, text=True).stdout
    n_core = len({line.split()[1] for line in topology.splitlines() if re.match(r" *\d+ +\d+ ", line)})
    reports = []
    os.makedirs(options.folder, exist_ok=True)
    for config in options.config:
        with tempfile.TemporaryDirectory() as folder:
            reports.append(study(Bench(options, config, folder), n_core, options.rounds))
        show(reports[-1])
        with open(os.path.join(options.folder, "engine_report.json"), "w", encoding="utf-8") as text:
            json.dump(reports, text, indent=2)
            text.write("\n")
    last = reports[-1]
    print("\nError: the worst of %d recorded signals, against a monolithic run at 1e-11 (itself off by %.0e).\n"
          "The error of each solver, in the column 'largest', is at most the error of the split run."
          % (last["n_signal"], last["reference_error"]))


if __name__ == "__main__":
    main()
