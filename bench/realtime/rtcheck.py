#!/usr/bin/env python3
"""Compares predictions of `wrsim rtcheck` with runs, for configs with and without missed deadlines.

usage: rtcheck.py --wrsim PROGRAM [--priority N] [--misses M] [--of K] [-D KEY=VALUE] CONFIG ...

For each config the script calls rtcheck once for the largest rate that holds and the smallest rate that fails. The script then predicts
and runs ten rates, from a third of the largest rate that holds to three times the smallest rate that fails. A prediction is right, wrong,
or too close (within rtcheck's margin). The exit code is 1 if any prediction is wrong, or more than three of ten are too close.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

N_RATE = 10
VERDICTS = {0: "will hold", 10: "will not hold", 11: "too close"}
LONGEST_S = 120  # limit of each run, s


def call(arguments, codes):
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    if run.returncode not in codes:
        sys.exit("%s\nended with %d\n%s" % (" ".join(arguments), run.returncode, run.stderr))
    return run


def predict(wrsim, config, sets):
    """Returns the exit code of the verdict, the largest rate that holds and the smallest rate that fails (None: no such rate)."""
    run = call([wrsim, "rtcheck", config] + sets, VERDICTS)
    rates = [re.search(text + r" rate ([0-9.e+-]+)", run.stdout) for text in ("up to", "from")]
    return run.returncode, [float(found[1]) if found else None for found in rates]


def simulate(wrsim, config, sets):
    """Returns the object "realtime" of the run's summary."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "summary.json")
        call([wrsim, "run", "--quiet", config, "--json", file] + sets, [0])
        with open(file, encoding="utf-8") as text:
            return json.load(text)["realtime"]


def spread(holds, fails):
    """Returns rates from a third of `holds` to three times `fails`, at equal ratios."""
    low, high = holds / 3, fails * 3
    return [low * (high / low) ** (i / (N_RATE - 1)) for i in range(N_RATE)]


def check(wrsim, config, sets):
    """Prints a line for each rate. Returns the numbers of right, wrong and too close predictions."""
    count = {"right": 0, "wrong": 0, "too close": 0}
    _, (holds, fails) = predict(wrsim, config, sets + ["-D", "realtime.rate=1"])
    if not holds or not fails:
        sys.exit("%s: no rate at which it holds, or none at which it fails" % config)
    print("%s: holds up to rate %.3g, fails from %.3g on" % (config, holds, fails))
    print("%10s %-14s %8s %8s %11s %10s %10s  %s" % ("rate", "predicted", "steps", "missed",
                                                     "violations", "median", "99.9 %", ""))
    for rate in spread(holds, fails):
        here = sets + ["-D", "realtime.rate=%.6g" % rate]
        code, _ = predict(wrsim, config, here)
        found = simulate(wrsim, config, here)
        is_held = found["n_violation"] == 0
        verdict = "too close" if code == 11 else "right" if (code == 0) == is_held else "wrong"
        count[verdict] += 1
        print("%10.4g %-14s %8d %8d %11d %7.1f us %7.1f us  %s" %
              (rate, VERDICTS[code], found["n_step"], found["n_miss"], found["n_violation"],
               found["compute"]["median_ns"] / 1e3, found["compute"]["quantile_0.999_ns"] / 1e3,
               verdict), flush=True)
    print("%(right)d right, %(wrong)d wrong, %(too close)d too close to say\n" % count, flush=True)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--priority", type=int, default=0, help="SCHED_FIFO priority; 0: none")
    parser.add_argument("--misses", type=int, default=5, help="allowed misses in --of steps")
    parser.add_argument("--of", type=int, default=100)
    parser.add_argument("-D", "--define", action="append", default=[], help="KEY=VALUE of the config")
    parser.add_argument("config", nargs="+")
    args = parser.parse_args()
    sets = []
    for key in ["relaxation.scheme=\"slack\"", "output.file=\"\"",
                "realtime.priority=%d" % args.priority, "realtime.misses=%d" % args.misses,
                "realtime.of=%d" % args.of] + args.define:
        sets += ["-D", key]
    counts = [check(args.wrsim, config, sets) for config in args.config]
    is_bad = any(c["wrong"] > 0 or c["too close"] > 3 for c in counts)
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
