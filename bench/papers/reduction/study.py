"""Model order reduction as in Triverio (2014), lecture 19 (docs/METHODS.md, Sources), by `wrsim reduce`; see readme.md.

    python3 bench/papers/reduction/study.py build/wrsim [-o FOLDER]

The study prints the tables of the readme. With -o, FOLDER gets all files, including Bode diagrams.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/harness"))
import ladder

N_LADDER, N_MOMENT = 1000, 20
N_ROUND = 11 # number of timed runs of each case


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = pathlib.Path(path).resolve(), folder

    def __call__(self, *arguments):
        run = subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))}: exit code {run.returncode}\n{run.stderr}")
        return run.stdout


def reduce_ladder(wrsim, *options):
    return json.loads(wrsim("reduce", "G.mtx", "--B", "b.mtx", "--L", "l.mtx", "--json", *options))


def show(value):
    return "singular" if value is None else f"{value:.0e}"


def moments(wrsim):
    """Tests the claim of the notes that an implicitly computed basis of the same space keeps the moments. Returns the largest error of
    Arnoldi's moments, and the first order at which explicit moments are wrong."""
    print(f"\n1. RC ladder, {N_LADDER} nodes: worst relative error of the first q moments\n")
    print("| q | last of them, exactly | Arnoldi | explicit | condition of the explicit basis |")
    print("|---|---|---|---|---|")
    exact = ladder.moments(N_LADDER, N_MOMENT)
    worst, lost = 0.0, None
    for q in range(1, N_MOMENT + 1):
        m = reduce_ladder(wrsim, "--order", q, "--moments", "--samples", 2)["matching"]
        full = max(abs(size / abs(value) - 1) for size, value in zip(m["size"], exact))
        explicit = None if None in m["explicit"] else max(m["explicit"])
        print(f"| {q} | {float(exact[q - 1]):.6e} | {full + max(m['arnoldi']):.1e} | {show(explicit)} "
              f"| {m['explicit_condition']:.1e} |")
        worst = max(worst, full + max(m["arnoldi"]))
        if lost is None and (explicit is None or explicit > 1e-6):
            lost = q
    return worst, lost


def response(wrsim):
    """Prints the error of the response in each decade, for several orders."""
    print("\n2. The same ladder: error of the response, decade by decade, in parts of its value at 0 Hz\n")
    decades = range(-8, -3)
    print("| order | " + " | ".join(f"1e{d} to 1e{d + 1} Hz" for d in decades) + " |")
    print("|---|" + "---|" * len(decades))
    for order in (4, 8, 12, 16, 20):
        errors = []
        for d in decades:
            report = reduce_ladder(wrsim, "--order", order, "--band", f"1e{d},1e{d + 1}")
            errors.append(report["between_samples"]["error"])
        print(f"| {order} | " + " | ".join(f"{e:.0e}" for e in errors) + " |")
    wrsim("reduce", "G.mtx", "--B", "b.mtx", "--L", "l.mtx", "--order", 8, "--band", "1e-8,1e-3", "-o", "bode_ladder")


def points(wrsim):
    """Prints the order for an error of 1e-3 on an oscillating line, for several expansion points."""
    print("\n3. RLC line of 200 sections (R = 0.05), frequencies 1e-3 to 0.1 Hz: order for an error of 1e-3\n")
    config = wrsim.folder / "line.toml"
    text = (ROOT / "models/rlc_line/rlc_line.toml").read_text()
    config.write_text(text.replace('"rlc_line"\nparameters = { n = 20, R = 0.05 }',
                                   '"rlc_line"\nparameters = { n = 200, R = 0.05 }'))
    print("| expansion points, 1/s | order |\n|---|---|")
    for expand in ("0", "0.1", "0.3", "0.6", "0,0.3"):
        report = json.loads(wrsim("reduce", config, "--component", "right", "--json", "--expand", expand, "--band",
                                  "1e-3,0.1", "--max-order", 300))
        print(f"| {expand} | {report['order']} |")


def counted(summary):
    part = next(s for s in summary["subsystems"] if s["name"] == "rod")
    return {"states": part["n_state"], "right-hand sides": part["n_rhs"],
            "state derivatives": part["n_rhs"] * part["n_state"], "Jacobians": part["n_jacobian"],
            "operations of factorising": part["factor_flop"],
            "windows": summary["n_window"], "sweeps per window": round(summary["sweeps_per_window"], 3)}


def rod(wrsim):
    print("\n4. Heat rod of 2,000 states, reduced, in its relaxed run of three subsystems\n")
    config = ROOT / "models/heat_rod/heat_rod.toml"
    cases = {"full": config}
    for order in (6, 12, 18):
        wrsim("reduce", config, "--component", "rod", "--order", order, "-o", f"rod_{order}")
        cases[f"order {order}"] = f"rod_{order}/reduced.toml"
    rows, wall = {}, {name: [] for name in cases}
    one_worker = ["-D", "scheduler.workers=1", "-D", 'output.signals=["heater.*", "block.*", "rod.T_*", "rod.flow_*"]']
    for name, file in cases.items():
        wrsim(file, "-q", "-o", f"{name[-2:]}.csv", "--json", "summary.json", *one_worker)
        rows[name] = counted(json.loads((wrsim.folder / "summary.json").read_text()))
    for _ in range(N_ROUND): # runs in turn, without result files
        for name, file in cases.items():
            wrsim(file, "-q", "--json", "time.json", *one_worker)
            wall[name].append(json.loads((wrsim.folder / "time.json").read_text())["wall_s"])
    print("| | " + " | ".join(cases) + " |\n|---|" + "---|" * len(cases))
    print("| largest difference of 20 signals, of the range | - | "
          + " | ".join(f"{difference(wrsim, name):.1e}" for name in list(cases)[1:]) + " |")
    for key in rows["full"]:
        print(f"| {key} | " + " | ".join(f"{rows[name][key]:.10g}" for name in cases) + " |")
    ratios = {name: [a / b for a, b in zip(wall["full"], wall[name])] for name in cases}
    print("| speed of the whole run, median (least, most) | 1 | " + " | ".join(
        f"{statistics.median(ratios[name]):.1f} ({min(ratios[name]):.1f}, {max(ratios[name]):.1f})"
        for name in list(cases)[1:]) + " |")


def difference(wrsim, name):
    out = wrsim("compare", f"{name[-2:]}.csv", "ll.csv", "--allow-missing")
    return float(next(line for line in out.splitlines() if line.startswith("largest")).split()[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wrsim")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.output or stack.enter_context(tempfile.TemporaryDirectory())
        os.makedirs(folder, exist_ok=True)
        wrsim = Program(arguments.wrsim, pathlib.Path(folder).resolve())
        ladder.write(wrsim.folder, N_LADDER)
        began = time.time()
        worst, lost = moments(wrsim)
        for part in (response, points, rod):
            part(wrsim)
        print("\n| lecture 19 says (it has no figures) | ours |\n|---|---|")
        print(f"| (a) the first q moments are matched | to {worst:.1e} for q up to {N_MOMENT} |")
        print(f"| (b) explicit moments cause \"some numerical trouble\" | off by more than 1e-6 from q = {lost} on |")
        print(f"| (c) Arnoldi avoids it | {worst:.1e} |")
        print(f"\n{time.time() - began:.0f} s")


main()
