#!/usr/bin/env python3
"""Compares the grouping that `wrsim partition` finds for the engine's loose components with the hand-made five subsystems.

    engine_groups.py WRSIM [--runs N] [--random N] [--rounds N] [--error E] [--output DIR]

The same search tunes both groupings (tolerances, convergence, window, solvers) to the same error of the main pressures, over four
cycles after one cycle of warm-up. Grid and tolerance factors are those in bench/engine.toml. The script prints counted critical paths,
which depend on no clock, and schedule bounds of measured times. A bound uses the shortest time of each task in all rounds, so that
other load has little influence. Results: docs/lab/2026-11-24-groups-and-levels.md.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STOP, WARM = 0.24, 0.048
KEYS = [f"simulation.stop={STOP}", "simulation.communication_step=5e-5", "relaxation.window.initial=1e-3",
        'output.signals=["intake.p", "exhaust.p", "charge.p", "cyl*.p"]', "component.crank.tolerance_factor=0.005"]
KEYS += [f"component.{name}.tolerance_factor=1" for name in ("turbo", "intake", "exhaust", "egr_cooler", "intercooler")]
CORES = (1, 2, 5)


def hand_made():
    """Returns engine_loose.toml with the subsystems of engine.toml. All ports belong to the airpath."""
    loose = (ROOT / "models/engine/engine_loose.toml").read_text()
    shipped = (ROOT / "models/engine/engine.toml").read_text()
    tables = shipped[shipped.index("[[subsystem]]"):shipped.index("[output]")]
    tables = tables.replace('"port*"', '"in?", "out?", "torque?"')
    i = loose.index("[output]")
    return loose[:i] + tables + loose[i:]


def defines(keys):
    return [word for key in keys for word in ("-D", key)]


def print_counts(found):
    print(f"\ncounted critical path, of the work of one solver ({found['monolithic_solver']} at "
          f"{found['monolithic_rtol']:.2g}, error {found['monolithic_error']:.2g})\n")
    print(f"{'':34s} {'groups':>6s} " + " ".join(f"{n:>3d} core{'s' if n > 1 else ' '}" for n in CORES)
          + f" {'sweeps':>7s} {'error':>8s}")
    rows = [("hand-made, tuned", found["given"]), ("hand-made, all in one level, tuned", found["given_at_once"]),
            ("found", found["chosen"])]
    if "random" in found:
        rows.insert(2, (f"best of {found['n_random']} random, tuned", found["random"]))
    for what, row in rows:
        path = {p["cores"]: p["work"] / found["monolithic_work"] for p in row["critical_path"]}
        print(f"{what:34s} {len(row['groups']):6d} " + " ".join(f"{path[n]:9.3f}" for n in CORES)
              + f" {row['sweeps']:7.2f} {row['error']:8.2g}")
    given, chosen = ({p["cores"]: p["work"] for p in found[key]["critical_path"]} for key in ("given", "chosen"))
    for n in CORES:
        print(f"hand-made / found, {n} core{'s' if n > 1 else ''}: {given[n] / chosen[n]:.3f}")
    others = [found["given"]["cost"], found["given_at_once"]["cost"]] + ([found["random"]["cost"]] if "random" in found else [])
    print(f"found / best of hand-made and random: {found['chosen']['cost'] / min(others):.3f}")


def print_times(found):
    rows = {row["what"]: dict(zip(CORES, row["bound_s"])) for row in found["measured"]}
    print("\nmeasured schedule bounds: how many times faster than one solver on one core, and than the hand-made five\n")
    one, chosen = rows["one solver, tuned"][1], rows["chosen"]
    for what, bound in rows.items():
        print(f"{what:34s} " + " ".join(f"{1e3 * bound[n]:7.2f} ms ({one / bound[n]:.2f})" for n in CORES))
    for what in ("as the config has it", "the same, all in one level"):
        for n in CORES:
            print(f"{what} / found, {n} core{'s' if n > 1 else ''}: {rows[what][n] / chosen[n]:.3f}")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("wrsim", type=os.path.abspath)
    parser.add_argument("--runs", type=int, default=2000, help="approximate number of runs of the search")
    parser.add_argument("--random", type=int, default=200, help="number of random balanced groupings")
    parser.add_argument("--rounds", type=int, default=25, help="rounds of the measurement")
    parser.add_argument("--error", type=float, default=1.1e-4)
    parser.add_argument("--output", help="folder for the results")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.output or scratch
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "five.toml")
        pathlib.Path(config).write_text(hand_made())
        command = [given.wrsim, "partition", "--groups", "auto", "--given", "--cores", "2,5", "--runs", str(given.runs),
                   "--random", str(given.random), "--measure", str(given.rounds), "--warm", str(WARM), "--error",
                   str(given.error), "-o", folder, "--json", *defines(KEYS), config]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        print_counts(found)
        print_times(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
