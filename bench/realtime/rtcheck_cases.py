#!/usr/bin/env python3
"""Compares predictions of `wrsim rtcheck` with runs, for fourteen configs of different kinds.

usage: rtcheck_cases.py --wrsim PROGRAM [--priority N] [--only WORD] [--runs N] [--drawn SEED [--count N]]

The cases have solvers with fixed and variable steps, split and monolithic models, one and two workers, periods from 50 us to 20 ms
of wall time, different deadlines and (m, k): at most m misses in k steps. A case has a load or a period. The load is the mean compute
time of a step over its period, from an unpaced run. With a load of 1 or more no deadline holds. Cases with a period have very short
steps, so that only the wake-up delay matters. rtcheck does not get the load.

A prediction is right, wrong, or too close (within rtcheck's margin). The observed result is the result of most of --runs runs (3),
because a host that stops a virtual machine for some milliseconds spoils single runs. A line has the number of runs that held, and the
load of the machine. The last line has the number of right cases whose runs disagreed. --drawn draws random cases: model, period, load,
workers, (m, k) and deadline. The exit code is 1 if any prediction is wrong, or more than three of ten are too close.
"""
import argparse
import os
import random
import sys

from rtcheck import VERDICTS, call, predict, simulate

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "models")
LONGEST_S, MOST_STEPS, LEAST_STEPS = 4.0, 4000, 400  # duration of a run, s; steps of a run
MONOLITHIC = ["simulation.monolithic=true"]
ENGINE_SPLIT = ["slack.bound=0"]
RACK = ["realtime.jitter=false"]
LADDER = ["component.left.parameters.n=150", "component.right.parameters.n=150"]

# name, config, period in simulated s, load or (wall time of a period, s), workers, (m, k), deadline in periods, more keys
CASES = (
    ("rack: bounded, little load", "engine/engine_rack.toml", 500e-6, 0.1, 1, (5, 100), 1.0, RACK),
    ("rack: bounded, half a load", "engine/engine_rack.toml", 500e-6, 0.5, 1, (2, 20), 1.0, RACK),
    ("rack: deadline too short", "engine/engine_rack.toml", 500e-6, 0.3, 1, (10, 100), 0.2, RACK),
    ("engine: variable, split", "engine/engine.toml", 500e-6, 0.1, 2, (10, 100), 1.0, ENGINE_SPLIT),
    ("engine: variable, overloaded", "engine/engine.toml", 500e-6, 1.5, 2, (10, 100), 1.0, ENGINE_SPLIT),
    ("engine: one solver, near full", "engine/engine.toml", 500e-6, 0.8, 1, (5, 100), 1.0, MONOLITHIC),
    ("ladder: stiff, fixed steps", "rc_ladder/rc_ladder.toml", 0.1, 0.1, 1, (3, 50), 1.0,
     LADDER + ["solver.kind=linimp", "solver.step=0.01"]),
    ("ladder: stiff, overloaded", "rc_ladder/rc_ladder.toml", 0.1, 1.3, 1, (3, 50), 1.0,
     LADDER + ["solver.kind=linimp", "solver.step=0.01"]),
    ("ladder: two workers", "rc_ladder/rc_ladder.toml", 0.05, 0.06, 2, (5, 50), 1.0, LADDER),
    ("orego: uneven steps, some", "orego/orego.toml", 1.0, 0.1, 1, (10, 100), 1.0, []),
    ("orego: uneven steps, many", "orego/orego.toml", 1.0, 0.7, 1, (2, 100), 1.0, []),
    ("two masses: slow", "two_mass/two_mass.toml", 0.01, (20e-3,), 1, (1, 20), 1.0, []),
    ("two masses: faster than it wakes", "two_mass/two_mass.toml", 1e-4, (50e-6,), 1, (5, 100), 0.4, []),
    ("van der Pol: two workers", "vanderpol/vanderpol_split.toml", 0.005, (1e-3,), 2, (5, 100), 1.0, []),
)


# Random cases: config, periods in simulated s, more keys.
FAMILIES = (
    ("engine/engine_rack.toml", (250e-6, 500e-6, 1e-3), RACK),
    ("engine/engine.toml", (200e-6, 500e-6, 1e-3), ENGINE_SPLIT),
    ("engine/engine.toml", (500e-6, 1e-3), MONOLITHIC),
    ("rc_ladder/rc_ladder.toml", (0.02, 0.05, 0.1), LADDER),
    ("rc_ladder/rc_ladder.toml", (0.05, 0.1), LADDER + ["solver.kind=linimp", "solver.step=0.01"]),
    ("hires/hires.toml", (0.5, 2.0), MONOLITHIC),
    ("orego/orego.toml", (1.0, 2.0), []),
)


def drawn_cases(seed, count):
    rng = random.Random(seed)
    for i in range(count):
        config, periods, more = rng.choice(FAMILIES)
        k = rng.choice((20, 50, 100, 200))
        load = 10.0 ** rng.uniform(-1.2, 0.3)
        yield ("%d: %s" % (i + 1, config.split("/")[1]), config, rng.choice(periods), load, rng.choice((1, 2)),
               (rng.randint(1, max(k // 10, 1)), k), rng.choice((1.0, 1.0, 0.7, 0.4)), more)


def machine_load():
    with open("/proc/loadavg", encoding="ascii") as file:
        return float(file.read().split()[0])


def settings(case, n_step, priority):
    _, _, period, _, workers, (m, k), _, more = case
    words = ["relaxation.scheme=slack", 'output.file=""', "slack.period=%.17g" % period,
             "simulation.communication_step=%.17g" % period, "simulation.stop=%.17g" % (n_step * period),
             "scheduler.workers=%d" % workers, "realtime.misses=%d" % m, "realtime.of=%d" % k,
             "realtime.priority=%d" % priority, *more]
    return [part for word in words for part in ("-D", word)]


def find_rate(wrsim, path, case, priority):
    """Returns the rate at which the case has its load (from a timed run without pacing) or its period."""
    _, _, period, load, *_ = case
    if isinstance(load, tuple):
        return period / load[0]
    found = simulate(wrsim, path, settings(case, LEAST_STEPS, priority) + [
        "-D", "realtime.rate=0", "-D", "realtime.soft=true"] + ["-D", "realtime.priority=%d" % max(priority, 1)])
    return load * period / (found["compute"]["mean_ns"] / 1e9)


def check(wrsim, case, priority, n_run):
    """Prints a line. Returns "right", "wrong" or "too close", and whether the runs of a right prediction disagreed."""
    name, config, period, load, workers, (m, k), deadline, _ = case
    path = os.path.join(MODELS, config)
    rate = find_rate(wrsim, path, case, priority)
    n_step = int(max(LEAST_STEPS, min(MOST_STEPS, LONGEST_S * rate / period)))
    words = settings(case, n_step, priority) + ["-D", "realtime.rate=%.9g" % rate,
                                                "-D", "realtime.deadline=%.9g" % (deadline * period / rate)]
    before = machine_load()
    code, _ = predict(wrsim, path, words)
    runs = [simulate(wrsim, path, words) for _ in range(n_run)]
    n_held = sum(run["n_violation"] == 0 for run in runs)
    if code == 11:
        verdict = "too close"
    else:
        verdict = "right" if (2 * n_held > n_run) == (code == 0) else "wrong"
    print("%-33s %5s %7.0f us %2d %3d/%-3d %-14s %5d %6d %6d %7.1f %8.1f %8.1f %5.2f %2d/%d %s" % (
        name, "-" if isinstance(load, tuple) else "%.2f" % load, 1e6 * deadline * period / rate, workers, m, k,
        VERDICTS[code], runs[0]["n_step"], max(r["n_miss"] for r in runs), max(r["n_violation"] for r in runs),
        runs[0]["compute"]["median_ns"] / 1e3, runs[0]["compute"]["quantile_0.999_ns"] / 1e3,
        runs[0]["lateness"]["quantile_0.999_ns"] / 1e3, max(before, machine_load()), n_held, n_run, verdict), flush=True)
    return verdict, verdict == "right" and 0 < n_held < n_run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--priority", type=int, default=50, help="SCHED_FIFO priority; 0: none")
    parser.add_argument("--only", default="", help="run only cases whose name contains this text")
    parser.add_argument("--runs", type=int, default=3, help="runs per case, odd")
    parser.add_argument("--drawn", type=int, metavar="SEED")
    parser.add_argument("--count", type=int, default=10, help="number of random cases")
    args = parser.parse_args()
    call([args.wrsim, "--version"], [0])
    cases = CASES if args.drawn is None else drawn_cases(args.drawn, args.count)
    print("%-33s %5s %10s %2s %7s %-14s %5s %6s %6s %7s %8s %8s %5s %4s" % (
        "", "load", "deadline", "w", "m/k", "predicted", "steps", "missed", "viol.", "median", "99.9 %", "late", "busy", "held"))
    found = [check(args.wrsim, case, args.priority, args.runs) for case in cases if args.only in case[0]]
    count = {verdict: [one for one, _ in found].count(verdict) for verdict in ("right", "wrong", "too close")}
    print("%(right)d right, %(wrong)d wrong, %(too close)d too close to say" % count, end="")
    print("; runs of %d right ones did not all agree" % sum(is_apart for _, is_apart in found))
    return 1 if count["wrong"] or 10 * count["too close"] > 3 * len(found) else 0


if __name__ == "__main__":
    sys.exit(main())
