"""Compares lsoda with LSODAR (R's deSolve) on problems from literature: right-hand sides at equal error, and methods in use.

    python3 bench/solvers/lsodar.py build/bench/solvers [--check]

Both solvers run at tolerances from 1e-4 to 1e-9. Between two tolerances the work of LSODAR is a line in the log-log diagram of work over
error (solvers.py). Right-hand sides include those of Jacobians. The comparison omits errors that LSODAR does not bracket, and runs whose
result is wrong by its own size: with loose tolerances small negative concentrations in robertson grow without bound, in both solvers.
The method is Adams or BDF, at 50 times from start to end. LSODAR then has the tolerance that lsoda applies to a step. The output is
Markdown. The script reads no clock. With --check the exit code is 1 if the median of the ratios is above 1.3, or if less than 90 % of
the methods of a problem agree. Without R the exit code is 77, as for an omitted test.
"""
import argparse
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import solvers

PROBLEMS = ["vanderpol-1e3", "robertson", "hires", "orego", "e5", "pollution", "pleiades", "kepler", "brusselator", "populations"]
FAMILIES = ["vanderpol-1e3", "robertson", "hires", "orego"]
MOST_WORK, LEAST_AGREEMENT = 1.3, 0.9
OMITTED = 77  # exit code of an omitted test


def lines_of(words, folder):
    """Runs a program. Returns its lines."""
    environment = {"WRSIM_MODULES": os.path.join(folder, "..", ".."), **os.environ}
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.splitlines()


def missing():
    """Returns what LSODAR lacks; "" if nothing."""
    test = ["Rscript", "--vanilla", "-e", "quit(status = !requireNamespace('deSolve', quietly = TRUE))"]
    try:
        return "" if subprocess.run(test, stderr=subprocess.DEVNULL).returncode == 0 else "the package r-cran-desolve is not installed"
    except FileNotFoundError:
        return "R is not installed (Debian: r-base-core, r-cran-desolve)"


def compare_work(folder):
    """Prints a row for each problem. Returns the median of the problems' ratios."""
    references = os.path.join(HERE, "references.txt")
    rows = solvers.read_rows(lines_of([os.path.join(folder, "wrsim-solvers"), "rows", references, "lsoda", *PROBLEMS], folder)
                             + lines_of(["Rscript", "--vanilla", os.path.join(HERE, "set_lsodar.R"), folder, "rows", references, *PROBLEMS], folder))
    print("| problem | lsoda: error, right-hand sides, Jacobians | LSODAR | right-hand sides over LSODAR's at equal error | median |\n"
          "|---|---|---|---|---|")
    medians = []
    for problem in PROBLEMS:
        kept = {name: [run for run in runs.values() if 0 < run.error < 1] for name, runs in rows[problem].items()}
        errors = [run.error for run in kept["lsodar"]]
        ratios = [run.n_rhs / solvers.work_for(kept["lsodar"], run.error, "n_rhs") for run in kept["lsoda"]
                  if min(errors) <= run.error <= max(errors)]
        medians.append(statistics.median(ratios))
        cells = ["%.1e, %d, %d" % (run.error, run.n_rhs, run.n_jacobian) if run.error < 1 else "wrong"
                 for run in (rows[problem][name][1e-6] for name in ("lsoda", "lsodar"))]
        print("| %s | %s | %s | %.2f |" % (problem, " | ".join(cells), " ".join("%.2f" % r for r in ratios), medians[-1]))
    median = statistics.median(medians)
    print("\nMedian of the ten problems: %.2f, largest %.2f. Errors and counts are those of the tolerance 1e-6." % (median, max(medians)))
    return median


def compare_methods(folder):
    """Prints a row for each problem. Returns the least share of equal methods of a problem."""
    found = {}
    for line in (lines_of([os.path.join(folder, "wrsim-solvers"), "families", "lsoda", *FAMILIES], folder)
                 + lines_of(["Rscript", "--vanilla", os.path.join(HERE, "set_lsodar.R"), folder, "families", *FAMILIES], folder)):
        problem, name, rtol, *families = line.split()
        found.setdefault(problem, {}).setdefault(float(rtol), {})[name] = families
    print("\n| method at 50 times: equal, and BDF in lsoda / LSODAR | %s |" % " | ".join("%.0e" % t for t in solvers.TOLERANCES))
    print("|---" * (len(solvers.TOLERANCES) + 1) + "|")
    shares = []
    for problem, by_tolerance in found.items():
        cells, equal = [], 0
        for runs in by_tolerance.values():
            a, b = runs["lsoda"], runs["lsodar"]
            same = sum(x == y for x, y in zip(a, b))
            equal += same
            cells.append("%d, %d / %d" % (same, a.count("1"), b.count("1")))
        shares.append(equal / sum(len(runs["lsoda"]) for runs in by_tolerance.values()))
        print("| %s | %s |" % (problem, " | ".join(cells)))
    return min(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="folder of wrsim-solvers")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a limit is exceeded")
    options = parser.parse_args()
    why = missing()
    if why:
        print("LSODAR is omitted: %s" % why)
        return OMITTED
    work, agreement = compare_work(options.folder), compare_methods(options.folder)
    print("\nLeast share of equal methods of a problem: %.0f %%" % (100 * agreement))
    return 1 if options.check and not (work <= MOST_WORK and agreement >= LEAST_AGREEMENT) else 0


if __name__ == "__main__":
    sys.exit(main())
