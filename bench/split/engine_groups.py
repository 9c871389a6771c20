#!/usr/bin/env python3
"""The engine as loose components: the grouping that `wrsim partition` finds against the hand-made five subsystems.

    engine_groups.py WRSIM [--runs N] [--random N] [--rounds N] [--error E] [--output DIR]

Both are tuned by the same search (tolerances, agreement, window, solvers) to the same error of the main pressures, over four
warm cycles after one of warming up, on the grid and with the tolerance factors of bench/engine.toml. Printed are counted
critical paths, which no clock has a say in, and then measured times, round by round in turn, with the schedule bounds that
the program itself measures: the medians of the ratios. docs/lab/2026-11-24-groups-and-levels.md has what came of it.
"""
import argparse
import json
import os
import pathlib
import statistics
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
    """engine_loose.toml with the subsystems of engine.toml, ports by side in the airpath."""
    loose = (ROOT / "models/engine/engine_loose.toml").read_text()
    shipped = (ROOT / "models/engine/engine.toml").read_text()
    tables = shipped[shipped.index("[[subsystem]]"):shipped.index("[output]")]
    tables = tables.replace('"port*"', '"in?", "out?", "torque?"')
    i = loose.index("[output]")
    return loose[:i] + tables + loose[i:]


def defines(keys):
    return [word for key in keys for word in ("-D", key)]


def run(wrsim, config, workers, keys):
    """The summary of a run that records nothing, and of its warm-up alone."""
    parts = []
    for stop in (WARM, STOP):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            words = defines(keys + [f"simulation.stop={stop}", 'output.file=""', 'output.signals=["crank.omega"]',
                                    "output.events=false", f"scheduler.workers={workers}",
                                    "simulation.communication_step=500e-6"])
            subprocess.run([wrsim, "-q", config, "--json", path, *words], check=True)
            with open(path, encoding="utf-8") as file:
                parts.append(json.load(file))
    return parts


def spent(parts):
    """Wall time and schedule bounds after the warm-up, s."""
    bound = [b["wall_s"] - a["wall_s"] for a, b in zip(parts[0]["schedule_bound_s"], parts[1]["schedule_bound_s"])]
    cores = [b["cores"] for b in parts[1]["schedule_bound_s"]]
    return parts[1]["wall_s"] - parts[0]["wall_s"], dict(zip(cores, bound))


def error_of(wrsim, config, reference, keys, folder):
    """max|p - ref| / max|ref| over the recorded pressures, by the program's own comparison."""
    path = os.path.join(folder, "e.csv")
    subprocess.run([wrsim, "-q", config, "-o", path, *defines(keys + ["output.events=false"])], check=True)
    rows = [read(p) for p in (path, reference)]
    return max(max(abs(a - b) for a, b in zip(rows[0][name], column)) / max(map(abs, column))
               for name, column in rows[1].items())


def read(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    names = [name.split(" ")[0] for name in lines[0]]
    return {name: [float(line[i]) for line in lines[1:]] for i, name in enumerate(names) if name.endswith(".p")}


def best_monolithic(wrsim, config, error, folder):
    """The loosest tolerance of one solver within the error, of the solvers the one with the least work."""
    reference = os.path.join(folder, "reference.csv")
    subprocess.run([wrsim, "-q", config, "--monolithic", "-o", reference, *defines(
        KEYS + ["solver.kind=dopri54", "simulation.rtol=1e-11", "simulation.event_tolerance=1e-12",
                "output.events=false"])], check=True)
    best = None
    for kind in ("bs32", "rk43", "dopri54"):
        for k in range(24):
            keys = KEYS + ["simulation.monolithic=true", f"solver.kind={kind}", f"solver.rtol={3e-3 * 0.75 ** k!r}"]
            off = error_of(wrsim, config, reference, keys, folder)
            if off > error:
                continue
            n_rhs = sum(s["n_rhs"] for s in run(wrsim, config, 1, keys[len(KEYS):] + KEYS[4:])[1]["subsystems"])
            if best is None or n_rhs < best[0]:
                best = n_rhs, keys[len(KEYS):] + KEYS[4:], off
            break
    return best


def print_counts(found):
    print(f"\ncounted critical path, of the work of one solver (error {found['monolithic_error']:.2g})\n")
    print(f"{'':34s} {'groups':>6s} " + " ".join(f"{n:>3d} core{'s' if n > 1 else ' '}" for n in CORES)
          + f" {'sweeps':>7s} {'error':>8s}")
    rows = [("hand-made, tuned", found["given"]), ("found", found["chosen"])]
    if "random" in found:
        rows.insert(1, (f"best of {found['n_random']} random, tuned", found["random"]))
    for what, row in rows:
        path = {p["cores"]: p["work"] / found["monolithic_work"] for p in row["critical_path"]}
        print(f"{what:34s} {len(row['groups']):6d} " + " ".join(f"{path[n]:9.3f}" for n in CORES)
              + f" {row['sweeps']:7.2f} {row['error']:8.2g}")
    given, chosen = ({p["cores"]: p["work"] for p in found[key]["critical_path"]} for key in ("given", "chosen"))
    for n in CORES:
        print(f"hand-made / found, {n} core{'s' if n > 1 else ''}: {given[n] / chosen[n]:.3f}")
    others = [found["given"]["cost"]] + ([found["random"]["cost"]] if "random" in found else [])
    print(f"found / best of hand-made and random: {found['chosen']['cost'] / min(others):.3f}")


def measure(wrsim, folder, rounds, monolithic):
    keys = {"hand-made": (f"{folder}/given.toml", []), "found": (f"{folder}/grouped.toml", []),
            "monolithic": (f"{folder}/five.toml", monolithic[1])}
    wall = {name: {n: [] for n in (1, 2)} for name in keys}
    bound = {name: {n: [] for n in CORES} for name in keys}
    for _ in range(rounds):
        for name, (config, more) in keys.items():
            for workers in (1, 2):
                time, bounds = spent(run(wrsim, config, workers, more))
                wall[name][workers].append(time)
                for n in CORES:
                    if workers == 1:
                        bound[name][n].append(bounds[n])
    print(f"\nmeasured, median of {rounds} rounds of the ratio to found (10 %, 90 %)\n")
    for name in ("hand-made", "monolithic"):
        for what, times, case in (("schedule bound", bound, CORES), ("wall time", wall, (1, 2))):
            for n in case:
                of = times[name][n] if name != "monolithic" else times[name][1]
                ratio = sorted(a / b for a, b in zip(of, times["found"][n]))
                low, high = ratio[len(ratio) // 10], ratio[-1 - len(ratio) // 10]
                print(f"  {name:10s} / found, {what:14s} {n} core{'s' if n > 1 else ' '}: "
                      f"{statistics.median(ratio):.3f} ({low:.3f}, {high:.3f})")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("wrsim", type=os.path.abspath)
    parser.add_argument("--runs", type=int, default=1600, help="of the search, about")
    parser.add_argument("--random", type=int, default=200, help="random balanced groupings")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--error", type=float, default=1.1e-4)
    parser.add_argument("--output", help="folder to keep what was found in")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.output or scratch
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "five.toml")
        pathlib.Path(config).write_text(hand_made())
        found = os.path.join(folder, "found.json")
        subprocess.run([given.wrsim, "partition", "--groups", "auto", "--given", "--cores", "2,5", "--runs",
                        str(given.runs), "--random", str(given.random), "--warm", str(WARM), "--error",
                        str(given.error), "-o", folder, "--json", found, *defines(KEYS), config], check=True)
        with open(found, encoding="utf-8") as file:
            found = json.load(file)
        print_counts(found)
        monolithic = best_monolithic(given.wrsim, config, given.error, folder)
        print(f"\nbest monolithic run: {' '.join(monolithic[1][1:3])}, {monolithic[0]} right-hand sides, "
              f"error {monolithic[2]:.2g}")
        measure(given.wrsim, folder, given.rounds, monolithic)
    return 0


if __name__ == "__main__":
    sys.exit(main())
