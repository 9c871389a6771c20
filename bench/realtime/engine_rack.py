#!/usr/bin/env python3
"""Measures the engine against the wall clock: all figures of models/engine/engine_rack.toml.

usage: engine_rack.py BUILD [--cycles N] [-D KEY=VALUE]

1. Paced: N cycles (100) at rate 1 in steps of 500 us, once for each way of waiting. The output has the compute time, lateness, margin
   and misses of steps, and the lateness of an idle thread in the same run. With wait = "sleep" the idle thread waits like the workers,
   so its lateness is the machine's share of lateness.
2. Counted: right-hand sides of a step with and without bounded work, and errors of the airpath against one solver at
   rtol = 1e-8, from a common start, as a share of a signal's range. These results do not depend on the machine.
3. Unpaced: simulated over wall time with fixed and with variable steps, the median of several runs.

The exit code is 1 if counted work or errors exceed their bounds, or if a paced run does not complete. Missed deadlines do not change
the exit code, because missed deadlines depend on the machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import bounded

CONFIG = os.path.join(os.path.dirname(bounded.ENGINE), "engine_rack.toml")
PERIOD_S, CYCLE_S = bounded.STEP_S, bounded.CYCLE * bounded.STEP_S
MOST_RATIO, MOST_MEDIAN, MOST_ERROR = 1.3, 1.1, 0.01
UNPACED = ["realtime.rate=0", "realtime.priority=0", "realtime.lock_memory=false", "realtime.jitter=false"]
FREE = ["solver.spare_steps=-1", "solver.step=0"]
TIGHT = FREE + ["solver.kind=dopri54", "simulation.rtol=1e-8"]
VARIABLE = FREE + ["solver.kind=rk43", "simulation.rtol=1e-4"]
# Settings for five cores: the airpath and four cylinders exchange often enough that phases do not drift.
SPLIT = ["simulation.monolithic=false", "slack.period=50e-6", "solver.step=25e-6", "solver.spare_steps=0"]
N_ROUND = 3


def define(words):
    return [part for word in words for part in ("-D", word)]


def simulate(wrsim, words, config=CONFIG):
    """Runs wrsim. Returns the summary and the text on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "summary.json")
        run = subprocess.run([wrsim, "run", config, "--json", file, *define(['output.file=""', *words])],
                             capture_output=True, text=True, timeout=600, check=False)
        if run.returncode != 0:
            sys.exit("%s\nended with %d\n%s" % (" ".join(words), run.returncode, run.stderr))
        with open(file, encoding="utf-8") as text:
            return json.load(text), run.stderr


# ---- 1 ----

def load():
    with open("/proc/loadavg", encoding="ascii") as file:
        return file.read().split()[0]


def show_times(name, times, low_end=False):
    low, high = ("quantile_0.001_ns", "least_ns") if low_end else ("quantile_0.999_ns", "most_ns")
    print("   %-22s %9.1f %9.1f %9.1f" % (name, *(times[key] / 1e3 for key in ("median_ns", low, high))))


def show_paced(wrsim, stop, words):
    """Prints the times of paced runs. Returns whether the runs complete all steps."""
    n_step, is_whole = round(stop / PERIOD_S), True
    for wait in ("sleep", "mixed"):
        before = load()
        summary, said = simulate(wrsim, ["simulation.stop=%.17g" % stop, "realtime.wait=" + wait, *words])
        found = summary["realtime"]
        is_whole &= found["n_step"] == n_step
        print("   wait = %s, %d steps, load %s before and %s after%s" % (
            wait, found["n_step"], before, load(),
            "".join(", %s refused: %s" % (what, found[key]) for what, key in (
                ("priority", "priority_refused"), ("locked memory", "lock_refused")) if found[key])))
        print("   %-22s %9s %9s %9s" % ("us", "median", "99.9 %", "max"))
        show_times("compute time of a step", found["compute"])
        show_times("lateness of a step", found["lateness"])
        show_times("lateness, idle thread", found["jitter"])
        show_times("margin (0.1 %, least)", found["margin"], low_end=True)
        if wait == "sleep":  # in other modes the workers do not sleep, but the idle thread does
            print("   the program's share of lateness: median %+.1f us, 99.9 %% %+.1f us" % tuple(
                (found["lateness"][key] - found["jitter"][key]) / 1e3 for key in ("median_ns", "quantile_0.999_ns")))
        late = sum(w["late_ns"] > 1e9 * PERIOD_S for w in found["worst_steps"])
        print("   missed %d, %d in a row at most; of the %d worst steps %d began more than a period late\n" % (
            found["n_miss"], found["longest_run"], len(found["worst_steps"]), late))
        for line in sorted(set(said.splitlines())) if wait == "mixed" else []:
            print("   " + line)
    return is_whole


# ---- 2 ----

def counts(run):
    """Returns the median and largest number of right-hand sides of a step, and the number of late events of the run."""
    work, _, last = run
    total = [sum(part["n_rhs"] for part in step) for step in work]
    return statistics.median(total), max(total), sum(part["n_late_event"] for part in last)


def show_counted(library, n_cycle):
    """Prints counted work and errors. Returns whether work and errors stay within their bounds."""
    names, n_step = bounded.airpath_signals(), bounded.CYCLE * n_cycle
    words = UNPACED + ["simulation.stop=%.17g" % (2 * n_step * PERIOD_S)]
    runs = [library.run(words + more, n_step, names) for more in ([], ["solver.spare_steps=-1"], TIGHT)]
    if None in runs:
        sys.exit("a counted run has failed")
    (median, most, late), (free_median, free_most, _) = map(counts, runs[:2])
    error = bounded.errors_of(runs[0][1], runs[2][1], names)
    free = bounded.errors_of(runs[1][1], runs[2][1], names)
    print("   right-hand sides of a step: bounded median %g, largest %d; unbounded %g, %d" % (
        median, most, free_median, free_most))
    print("   largest / median %.3f (at most %g), median / unbounded %.3f (at most %g), late events %d" % (
        most / median, MOST_RATIO, median / free_median, MOST_MEDIAN, late))
    print("   errors, %% of range: %-20s %9s %9s" % ("", "bounded", "unbounded"))
    for name in sorted(error, key=error.get, reverse=True):
        print("                       %-20s %9.4f %9.4f" % (name, 100 * error[name], 100 * free[name]))
    return most <= MOST_RATIO * median and median <= MOST_MEDIAN * free_median and max(error.values()) < MOST_ERROR


# ---- 3 ----

def show_unpaced(wrsim, stop):
    cases = (
        ("rk3, 17.86 us, bounded (as shipped)", CONFIG, UNPACED),
        ("rk3, 17.86 us, unbounded", CONFIG, UNPACED + ["solver.spare_steps=-1"]),
        ("euler, 50 us (the paper's took 21 s)", CONFIG, UNPACED + ["solver.spare_steps=-1", "solver.kind=euler", "solver.step=50e-6"]),
        ("rk43, variable, rtol 1e-4", CONFIG, UNPACED + VARIABLE),
        ("split every 50 us, rk3, 25 us, bounded, 1 worker", CONFIG, UNPACED + SPLIT + ["scheduler.workers=1"]),
        ("split every 50 us, rk3, 25 us, bounded, 2 workers", CONFIG, UNPACED + SPLIT + ["scheduler.workers=2"]),
        ("engine.toml (sweeps until all agree), 1 worker", bounded.ENGINE, ["scheduler.workers=1"]),
        ("engine.toml, 2 workers", bounded.ENGINE, ["scheduler.workers=2"]))
    times = {name: [] for name, _, _ in cases}
    for _ in range(N_ROUND):  # interleaved, because other programs use the machine
        for name, config, words in cases:
            summary, _ = simulate(wrsim, ["simulation.stop=%.17g" % stop, *words], config)
            times[name].append(summary["wall_s"])
    print("   %-48s %9s %14s %s" % ("", "x real", "s per", "of so many runs,"))
    print("   %-48s %9s %14s %s" % ("", "time", "simulated s", "from .. to"))
    for name, walls in times.items():
        middle = statistics.median(walls)
        print("   %-48s %9.2f %14.4f %d, %.2f .. %.2f" % (
            name, stop / middle, middle / stop, N_ROUND, stop / max(walls), stop / min(walls)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder with wrsim and libwrsim.so")
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("-D", "--define", action="append", default=[], help="KEY=VALUE of the paced runs")
    args = parser.parse_args()
    wrsim = os.path.join(args.build, "wrsim")
    stop = args.cycles * CYCLE_S
    print("1 paced, %d cycles, P = 500 us, rate 1" % args.cycles, flush=True)
    is_whole = show_paced(wrsim, stop, args.define)
    print("\n2 counted work over the same %d cycles" % args.cycles, flush=True)
    is_bounded = show_counted(bounded.Library(os.path.join(args.build, "libwrsim.so"), CONFIG), args.cycles)
    print("   bounds and errors: %s" % ("kept" if is_bounded else "NOT KEPT"))
    print("\n3 unpaced, %d cycles" % args.cycles, flush=True)
    show_unpaced(wrsim, stop)
    return 0 if is_whole and is_bounded else 1


if __name__ == "__main__":
    sys.exit(main())
