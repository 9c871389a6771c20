"""A model at a time scale that is a power of two gives the same bits. TAP.

    time_scales.py --wrsim PROGRAM --plugin PLUGIN [--sample]

Products with a power of two are exact. So a length of time that is built into the program shows as a difference: in the
results, in the numbers of steps and windows, or in the times of events.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import scale_cases
from split_run import config_text

EXPONENTS = [-50, -20, 20, 40]
SOLVERS = ["auto", "bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "cvode_bdf", "cvode_adams", "lsoda"]
MODELS = {"bang_bang": lambda scale: scale_cases.bang_bang("bang_bang", scale, 30),
          "turns": lambda scale: scale_cases.counted_turns("turns", scale, 6),
          "ball": lambda scale: scale_cases.ball("ball", scale, 0.85),
          "early_event": lambda scale: scale_cases.early_event("early_event", scale)}
WAYS = [("jacobi", True), ("jacobi", False), ("gauss_seidel", False)] # (scheme, whether the run is monolithic)


def run(options, folder, case, solver, way, scale):
    """Returns ([(time in units of the scale, other cells of the row)], counts), or (error text of the program, None)."""
    simulation = {"stop": case.stop, "communication_step": case.step, "rtol": 1e-6}
    if way[1]:
        simulation["monolithic"] = "true"
    config, out, summary = folder / "run.toml", folder / "run.csv", folder / "run.json"
    config.write_text(config_text(case, pathlib.Path(options.plugin).resolve(), case.groups, simulation,
                                  ['scheme = "%s"' % way[0]], {"kind": '"%s"' % solver}, True, "scale"))
    done = subprocess.run([options.wrsim, "-q", config, "-o", out, "--json", summary], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode:
        return done.stderr.strip(), None
    with open(out, newline="") as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))[1:]
    found = json.loads(summary.read_text())
    counts = [found["n_window"], found["n_sweep"]] + [s[key] for s in found["subsystems"]
                                                      for key in ("n_step", "n_rhs", "n_indicator_evaluation")]
    return [(float(row[0]) / scale, row[1:]) for row in rows], counts


def difference(one, other):
    if one[1] is None or other[1] is None:
        return "" if one == other else "fails: %s" % (one[0] if one[1] is None else other[0])
    for row, is_row in zip(one[0], other[0]):
        if row != is_row:
            return "row %s, not %s" % (is_row, row)
    return "" if one == other else "counts %s, not %s" % (other[1], one[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrsim", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--sample", action="store_true", help="one way and two scales for each model and solver")
    options = parser.parse_args()
    n_failed = 0
    print("1..%d" % len(MODELS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, model) in enumerate(MODELS.items(), 1):
            wrong = []
            for j, solver in enumerate(SOLVERS):
                for way in [WAYS[(i + j) % 3]] if options.sample else WAYS:
                    here = [run(options, pathlib.Path(folder), model(scale), solver, way, scale)
                            for scale in [1.0] + [2.0 ** e for e in
                                                  (EXPONENTS[j % 4:j % 4 + 1] if options.sample else EXPONENTS)]]
                    wrong += ["%s %s%s: %s" % (solver, way[0], " monolithic" if way[1] else "", text)
                              for text in [difference(here[0], other) for other in here[1:]] if text]
                    if here[0][1] is None:
                        wrong.append("%s %s: %s" % (solver, way, here[0][0]))
            n_failed += bool(wrong)
            print("\n".join(["%sok %d - %s" % ("not " if wrong else "", i, name)] + ["# " + text for text in wrong]),
                  flush=True)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
