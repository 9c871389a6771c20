#!/usr/bin/env python3
"""Missed deadlines of slackened, paced runs with FMUs, and of the same runs with native models, in turn.

usage: fmu_deadlines.py --wrsim PROGRAM --plugin adversary_models.so --fmu adversary_fmu.so [--pairs N] [--step S] [--steps N] [-D KEY=VALUE]

The plug-in and the FMU have the same models (tests/adversary). A sign test counts the pairs in which the run with FMUs has more misses
(W. J. Conover, Practical Nonparametric Statistics, 1999, section 3.4). The exit code is 1 if chance explains this count with a probability
below 1 %.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/adversary"))
import fmu_offline
import fmus
import runs

# A ball on a pad, whose height a lag filters. A relay and a sampler read the lag.
KINDS = {"pad": ("pad", {}), "lag": ("lag", {}), "relay": ("relay", {}), "hold": ("sampler", {})}
WIRES = [("pad.y1", "lag.u0"), ("lag.y0", "relay.u0"), ("lag.y0", "hold.u0")]
LIMIT = 0.01


def main():
    parser = argparse.ArgumentParser()
    for name in ("--wrsim", "--plugin", "--fmu"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--step", type=float, default=500e-6, help="period and deadline, s")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("-D", action="append", default=[], dest="keys")
    options = parser.parse_args()
    fmus.binary = options.fmu
    head = (f"simulation = {{ stop = {options.step * options.steps}, communication_step = {options.step} }}\n"
            "relaxation = { scheme = \"slack\" }\nrealtime = { rate = 1.0, misses = 0, jitter = false }\noutput = { file = \"\" }\n")
    found = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        bench = fmu_offline.Bench(options.wrsim, options.plugin, None, pathlib.Path(folder))
        config = {is_fmu: bench.config(is_fmu, KINDS, WIRES, head) for is_fmu in found}
        for i in range(options.pairs):
            for is_fmu in ((True, False) if i % 2 else (False, True)):
                summary = os.path.join(folder, "s.json")
                subprocess.run([options.wrsim, config[is_fmu], "-q", "--json", summary, *runs.defined(options.keys)], check=True)
                found[is_fmu].append(runs.json_of(summary)["realtime"])
    miss = {is_fmu: [r["n_miss"] for r in found[is_fmu]] for is_fmu in found}
    for is_fmu, name in ((True, "FMUs"), (False, "native")):
        times = [statistics.median(r["compute"][key] for r in found[is_fmu]) / 1e3 for key in ("median_ns", "quantile_0.999_ns")]
        print(f"{name}: {sum(miss[is_fmu])} missed, median {statistics.median(miss[is_fmu])} of {options.steps}, computing {times[0]:.1f} us, "
              f"99.9 % {times[1]:.1f} us: {miss[is_fmu]}")
    n_more = sum(a > b for a, b in zip(miss[True], miss[False]))
    n_less = sum(a < b for a, b in zip(miss[True], miss[False]))
    n = n_more + n_less
    chance = sum(math.comb(n, k) for k in range(n_more, n + 1)) / 2 ** n
    print(f"more misses with FMUs in {n_more} pairs, fewer in {n_less}, equal in {options.pairs - n}; probability by chance {chance:.2g}")
    return int(chance < LIMIT)


if __name__ == "__main__":
    sys.exit(main())
