"""Compares a split run with its monolithic twin at the same error. See run_engine.sh.

    show_engine.py PROGRAM CONFIG FOLDER [--rounds N] [-D KEY=VALUE]...

1. Reference: monolithic, dopri54 at 1e-11, events located to 1e-12 s. A run at 1e-10 gives the error of the reference.
2. Error of a run: max|y - ref| over the largest value, of the worst recorded signal, at the recorded points. The script also prints the
   error relative to the signal's range, which is larger for signals that change little.
3. Twin: the fastest of several methods, with and without the config's tolerance factors. Each method has the loosest tolerance whose
   error does not exceed the error of the split run.
4. Rounds: all runs in turn, without output. A ratio compares two runs of one round. The output has median, 10 % and 90 % quantile.

All printed results are also in FOLDER/engine_report.json.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib

REFERENCE = ["solver.kind=dopri54", "simulation.event_tolerance=1e-12"]
SOLVERS = ["bs32", "rk43", "dopri54"]
LOOSEST, FINEST, STEP = 1e-2, 1e-9, 10.0 ** 0.125
BUSY = 0.1 # share of the CPUs used by other programs above which the script prints a warning
IS_CONSTANT = 1e-8  # range over largest value up to which a signal is constant, as in `wrsim compare`


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, *arguments, file=""):
        """Runs wrsim. Returns the summary as a dict."""
        summary = os.path.join(self.folder, "summary.json")
        words = [self.options.program, self.options.config, "-q", "-o", file, "--json", summary]
        for word in ["output.events=false", *self.options.define, *arguments]:
            words += [word] if word.startswith("--") else ["-D", word]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("%s\nended with %d:\n%s" % (" ".join(words), done.returncode, done.stderr))
        with open(summary, encoding="utf-8") as text:
            return json.load(text)

    def signals(self, *arguments):
        """Runs wrsim. Returns recorded values by name."""
        file = os.path.join(self.folder, "result.csv")
        self.run(*arguments, file=file)
        with open(file, encoding="utf-8") as text:
            rows = list(csv.reader(line for line in text if line[0] != "#"))
        names = [name.split(" [")[0] for name in rows[0]]
        return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names) if i > 1}


def error(signals, reference):
    """Returns ((largest error over largest value, signal), (largest error over range, signal))."""
    by_value, by_range = (0.0, ""), (0.0, "")
    for name, ref in reference.items():
        if len(signals[name]) != len(ref):
            sys.exit("a run has other communication points than the reference")
        off = max(abs(y - r) for y, r in zip(signals[name], ref))
        size, span = max(abs(r) for r in ref), max(ref) - min(ref)
        by_value = max(by_value, (off / size if size > 0 else off, name))
        if span > IS_CONSTANT * size:
            by_range = max(by_range, (off / span, name))
    return by_value, by_range


def find_twin(bench, reference, limit, factors):
    """Returns (time, words, error) of the fastest monolithic run whose error is at most limit."""
    best = None
    for more in ([], factors) if factors else ([],):
        for method in SOLVERS:
            def words(exponent):
                return ["--monolithic", "solver.kind=" + method,
                        "simulation.rtol=%.3g" % min(LOOSEST, LOOSEST / STEP ** exponent), *more]

            n = round(math.log(LOOSEST / FINEST) / math.log(STEP))
            coarse = next((i for i in range(0, n, 4)
                           if error(bench.signals(*words(i)), reference)[0][0] <= limit), None)
            if coarse is None:
                continue
            for i in [coarse - k / 4.0 for k in range(12, -1, -1)]: # finer steps, because errors are not monotonic
                found = error(bench.signals(*words(i)), reference)
                if found[0][0] <= limit:
                    break
            wall = min(bench.run(*words(i), "scheduler.workers=1")["wall_s"] for _ in range(5))
            if best is None or wall < best[0]:
                best = wall, words(i), found
    if not best:
        sys.exit("no monolithic run is as accurate as the split one")
    return best


def cpu_times():
    """Returns busy and total time of the machine's CPUs in ticks (proc(5))."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def busy_share(seconds=0.5):
    """Returns the share of the CPUs that other programs use, measured while this program sleeps."""
    busy, whole = cpu_times()
    time.sleep(seconds)
    busy_after, whole_after = cpu_times()
    return (busy_after - busy) / max(1, whole_after - whole)


def quantile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("config")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("-D", "--define", action="append", default=[])
    options = parser.parse_args()
    with open(options.config, "rb") as file:
        table = tomllib.load(file)
    factors = ["component.%s.tolerance_factor=1" % c["name"] for c in table["component"]
               if "tolerance_factor" in c]
    topology = subprocess.run([options.program, "topology"], capture_output=True, text=True).stdout
    n_core = len({line.split()[1] for line in topology.splitlines() if re.match(r" *\d+ +\d+ ", line)})
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        reference = bench.signals("--monolithic", "simulation.rtol=1e-11", *REFERENCE, *factors)
        floor = error(bench.signals("--monolithic", "simulation.rtol=1e-10", *REFERENCE, *factors), reference)
        split_error = error(bench.signals(), reference)
        _, twin, twin_error = find_twin(bench, reference, split_error[0][0], factors)
        summary = bench.run("scheduler.workers=1")
        n_most = min(n_core, summary["n_subsystem"])
        cores = [1] + ([n_most] if n_most > 1 else [])
        sides = {"twin": [*twin, "scheduler.workers=1"]}
        sides.update({n: ["scheduler.workers=%d" % n, "scheduler.min_work=0"] for n in cores})
        times = {side: [] for side in sides}
        busy = busy_share()
        for i in range(options.rounds):
            order = list(sides)[i % len(sides):] + list(sides)[:i % len(sides)]
            for side in order:
                times[side].append(bench.run(*sides[side])["wall_s"])
    stop = summary["stop_s"] - summary["start_s"]
    ratios = {n: [t / s for t, s in zip(times["twin"], times[n])] for n in cores}
    middle = {side: quantile(values, 0.5) for side, values in times.items()}
    report = {
        "config": options.config, "machine": summary["machine"], "simulated_s": stop, "rounds": options.rounds,
        "busy_share": busy, "reference_error": floor[0][0], "split_error": split_error, "twin_error": twin_error, "twin": twin,
        "time_s": {str(side): value for side, value in middle.items()},
        "speed_up": {str(n): [quantile(r, q) for q in (0.1, 0.5, 0.9)] for n, r in ratios.items()}}
    with open(os.path.join(options.folder, "engine_report.json"), "w", encoding="utf-8") as text:
        json.dump(report, text, indent=2)
        text.write("\n")

    def row(name, side, found):
        print("%-24s %9.1f %11.1f   %.1e  %-16s %.1e  %s"
              % (name, 1e3 * middle[side], stop / middle[side], *found[0], *found[1]))

    print("the split run and its monolithic twin at the same error, %g s of simulated time, %d rounds in turn:\n"
          % (stop, options.rounds))
    print("%-24s %9s %11s   %-26s %s" % ("", "time [ms]", "x real time", "error of largest value", "error of range"))
    row("monolithic twin, 1 core", "twin", twin_error)
    for n in cores:
        row("split, %d core%s" % (n, "" if n == 1 else "s"), n, split_error)
    print()
    for n in cores:
        low, half, high = report["speed_up"][str(n)]
        print("speed-up on %d core%s: %.2f (%.2f to %.2f)" % (n, " " if n == 1 else "s", half, low, high))
    if busy > BUSY:
        print("\nOther programs took %.0f %% of the CPUs: speed-ups are too low; stop them and call again." % (100 * busy))
    print("\nerrors: the worst of %d recorded signals, against a monolithic run at 1e-11 (itself off by %.0e)\n"
          "twin:   %s" % (len(reference), floor[0][0], " ".join(["--monolithic"] + ["-D " + w for w in twin[1:]])))


main()
