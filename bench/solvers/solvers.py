"""Compares solver auto with every single method on problems from literature: error, work, and work at equal error.

    python3 bench/solvers/solvers.py build/bench/solvers/wrsim-solvers [--short] [--keep FILE] [--check] [--without METHOD] [--references FILE]
        [PROBLEM ...]
    python3 bench/solvers/solvers.py --rows FILE [--rows FILE ...]

The script runs every method at tolerances from 1e-4 to 1e-9 (solver_bench.c) and prints Markdown. The unit of work is an evaluation of
the right-hand side, and work includes linear algebra (subsystems/solvers/counted_work.h). For each run of auto, the comparison at equal
error uses the least work with which a single method has at most auto's error. Between two tolerances a method's curve is a line in the
log-log diagram. The comparison omits a run of auto that is more exact than every method at 1e-9. If a run of auto is less exact than
all methods at 1e-4, their cheapest run counts. The best method has the least work at auto's error. The script reads no clock, so the
tables do not depend on the speed of the machine. With --check the exit code is 1 if auto exceeds one of these limits: 1.5 times the
best one-step method's work in the median, 4 times this work at most, and an error of 30 rtol or 3 times the error of that method.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ONE_STEP = ["bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w"]
MULTISTEP = ["cvode_bdf", "cvode_adams", "lsoda"]
MEDIAN_WORK, MOST_WORK = 1.5, 4
TOLERANCES = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]


class Run:
    def __init__(self, words):
        self.error, self.n_rhs, self.work = float(words[3]), int(words[4]), float(words[5])
        self.n_switch = int(words[8]) if words[8] != "NA" else None
        self.n_jacobian = int(words[9]) if len(words) > 9 else None


def read_rows(lines):
    """Reads rows. Returns {problem: {method: {tolerance: Run}}} in the order of the lines."""
    found = {}
    for words in (line.split() for line in lines):
        if words:
            found.setdefault(words[0], {}).setdefault(words[1], {})[float(words[2])] = Run(words)
    return found


def work_for(runs, error, key="work"):
    """Returns the least work, or least count of another name, with which a method reaches the error."""
    runs = [run for run in runs if run.error > 0]
    works = [getattr(run, key) for run in runs if run.error <= error]
    for a, b in zip(runs, runs[1:]):
        if a.error > error > b.error:
            part = math.log(a.error / error) / math.log(a.error / b.error)
            works.append(getattr(a, key) * (getattr(b, key) / getattr(a, key)) ** part)
    return min(works, default=math.inf)


def ratio(methods, names, run):
    """Returns the work of auto over the work of the best named method at auto's error, and this method. Returns None if no method has
    an error as small."""
    works = {name: work_for(list(methods[name].values()), run.error) for name in names if name in methods}
    best = min(works, key=works.get, default=None)
    return (run.work / works[best], best) if best and math.isfinite(works[best]) else None


def excess(methods, tolerance, run):
    """Returns the error of auto over its limit: the larger of 30 rtol, and 3 times the error of the best one-step method at this tolerance.
    The best method reaches auto's error with the least work. If no method reaches auto's error, the most exact method counts."""
    found = ratio(methods, ONE_STEP, run)
    names = [found[1]] if found else ONE_STEP
    errors = [methods[name][tolerance].error for name in names if tolerance in methods.get(name, {})]
    return run.error / max(30 * tolerance, 3 * min(errors, default=0))


def table_of(problem, methods):
    print("\n### %s\n\n| error / rtol; right-hand sides; work | %s |" % (problem, " | ".join("%.0e" % t for t in TOLERANCES)))
    print("|---" * (len(TOLERANCES) + 1) + "|")
    for name in ["auto", *ONE_STEP, *MULTISTEP]:
        cells = []
        for tolerance in TOLERANCES:
            run = methods.get(name, {}).get(tolerance)
            cells.append("%.3g; %d; %.0f" % (run.error / tolerance, run.n_rhs, run.work) if run else "-")
        print("| %s | %s |" % (name, " | ".join(cells)))
    cells = ["%d" % methods["auto"][t].n_switch if t in methods["auto"] else "-" for t in TOLERANCES]
    print("| auto's changes | %s |" % " | ".join(cells))


def overview(rows):
    """Prints one line for each problem and a total. Returns whether auto is within its limits."""
    print("\n| problem | auto over best one-step, by tolerance | | | | | | with CVODE, worst | error / rtol, worst | of what is allowed |")
    print("|---" * 10 + "|")
    all_one, all_any, all_excess = [], [], []
    for problem, methods in rows.items():
        cells, any_worst, error_worst, excess_worst = [], 0, 0, 0
        for tolerance in TOLERANCES:
            run = methods["auto"].get(tolerance)
            if not run:
                cells.append("failed")
                all_one.append(math.inf)
                continue
            one, both = ratio(methods, ONE_STEP, run), ratio(methods, ONE_STEP + MULTISTEP, run)
            cells.append("%.2f %s" % one if one else "")
            all_one += [one[0]] if one else []
            all_any += [both[0]] if both else []
            any_worst = max(any_worst, both[0] if both else 0)
            error_worst = max(error_worst, run.error / tolerance)
            all_excess.append(excess(methods, tolerance, run))
            excess_worst = max(excess_worst, all_excess[-1])
        print("| %s | %s | %.2f | %.3g | %.2f |" % (problem, " | ".join(cells), any_worst, error_worst, excess_worst))
    for text, values in (("the best one-step method", all_one), ("the best of all methods", all_any)):
        if values:
            print("\nWork of auto over that of %s at equal error: median %.2f, largest %.2f, %d points" %
                  (text, statistics.median(values), max(values), len(values)))
    print("\nErrors of auto over the larger of 30 rtol and 3 times the best one-step method's: largest %.2f, above 1 in %d of %d" %
          (max(all_excess), sum(e > 1 for e in all_excess), len(all_excess)))
    return statistics.median(all_one) <= MEDIAN_WORK and max(all_one) <= MOST_WORK and max(all_excess) <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("problems", nargs="*")
    parser.add_argument("--rows", action="append", default=[], help="read rows from files instead of running")
    parser.add_argument("--references", default=os.path.join(HERE, "references.txt"),
                        help="made by `wrsim-solvers reference PROBLEM ...`, for problems that references.txt lacks")
    parser.add_argument("--keep", help="write the rows to this file")
    parser.add_argument("--without", choices=MULTISTEP, action="append", default=[], help="do not run this method, which has no limits")
    parser.add_argument("--check", action="store_true", help="exit code 1 if auto exceeds its limits")
    parser.add_argument("--short", action="store_true", help="print the overview only")
    options = parser.parse_intermixed_args()
    lines = []
    for name in options.rows:
        with open(name) as file:
            lines += file.readlines()
    if not options.rows:
        if not options.program:
            parser.error("give the program wrsim-solvers, or --rows")
        methods = ",".join(["auto", *ONE_STEP, *(name for name in MULTISTEP if name not in options.without)])
        command = [options.program, "rows", options.references, methods, *options.problems]
        # Modules are at the top of the build folder, two folders above the program.
        modules = os.path.join(os.path.dirname(os.path.abspath(command[0])), "..", "..")
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                               env={"WRSIM_MODULES": modules, **os.environ}).stdout.splitlines(True)
    if options.keep:
        with open(options.keep, "w") as file:
            file.writelines(lines)
    rows = read_rows(lines)
    rows = {problem: methods for problem, methods in rows.items() if "auto" in methods}
    if not options.short:
        for problem, methods in rows.items():
            table_of(problem, methods)
    is_good = overview(rows)
    return 1 if options.check and not is_good else 0


if __name__ == "__main__":
    sys.exit(main())
