"""Named cases in which earlier split runs have errors, each against a tight reference. TAP.

    split_cases.py --wrsim PROGRAM --plugin PLUGIN [--sample | --quick | --full | --all] [--case NAME]...
    split_cases.py --wrsim PROGRAM --plugin PLUGIN --groupings --source ROOT --build BUILD [--sample]
    split_cases.py --wrsim PROGRAM --plugin PLUGIN --matrix [--runs N] [--topic NAME]...
    split_cases.py --list

For each case (case_table.py) and setting the script runs
    two tight monolithic references with different methods, which must agree with each other and,
        if a solution in closed form exists, with this solution;
    the monolithic twin with the setting's solver and tolerance;
    the split.
Requirements:
    continuous signals are within 30 x rtol of their range, or 3 x the twin's own error if that is larger;
    counters and discrete states are exact at communication points, also in the twin. If a continuous signal
        triggers an event, the event's time has an error. Points closer to the event than this error
        may show the value before or after the event.

Settings: --sample takes the first settings of the case itself (n_sample) and one more, with --groupings two of twelve groupings of
every third model; --quick takes some fixed settings and the settings of the case itself; --full a sample
of all dimensions (Latin hypercubes, --seed, --samples); --all every combination, which takes days.
--matrix runs the cases of the modules TOPIC_cases.py (or the cases of --case) in all groupings. --matrix combines both schemes, windows of
a tenth to ten times the default, five solvers and six tolerances; --runs draws that many of these settings for each case (--seed).
--sample leaves out the cases of these modules.
--setting "rtol=1e-6 solver=cvode_bdf ..." runs one setting with defaults for omitted keys. The setting may name a grouping, as a
failing run prints it: "rtol=1e-6 a+b|c".

A failing combination prints a line, and --keep stores its config.
"""
import argparse
import concurrent.futures
import itertools
import math
import os
import pathlib
import random
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import case_table
import groupings
from split_run import Runner, Truth, judge

DIMENSIONS = {
    "rtol": ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"],
    "solver": ["auto", "bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "cvode_bdf",
               "cvode_adams", "lsoda"],
    "scheme": ["jacobi", "gauss_seidel"],
    # x3: three times the default; fixed: the case's own length; fixed0.1, fixed10: a tenth, ten times this length.
    "window": ["x1", "x0.1", "x0.3", "x3", "x10", "fixed", "fixed0.1", "fixed10", "ratio"],
    "active_set": ["true", "false"],
    "acceleration": ["auto", "none", "anderson"],
    "prediction": ["auto", "hold", "linear", "quadratic", "cubic"],
}
DEFAULT = {"rtol": "1e-6", "solver": "auto", "scheme": "jacobi", "window": "x1",
           "active_set": "true", "acceleration": "auto", "prediction": "auto"}
MATRIX = {"scheme": DIMENSIONS["scheme"], "window": ["x1", "x0.1", "x10"], "rtol": DIMENSIONS["rtol"],
          "solver": ["dopri54", "rk43", "rosenbrock_w", "cvode_bdf", "cvode_adams", "lsoda"]}
QUICK = [
    "",
    "rtol=1e-4 scheme=gauss_seidel",
    "rtol=1e-3 solver=bs32 window=fixed10 prediction=linear",
    "rtol=1e-5 solver=rosenbrock scheme=gauss_seidel acceleration=anderson prediction=quadratic",
    "solver=cvode_bdf active_set=false window=fixed",
    "rtol=1e-8 solver=dopri54 acceleration=anderson window=x10",
]


def run_from(text):
    """Returns (groups, setting) of a text as a failing run prints it: "rtol=1e-4 a+b|c". Without groups in the text: (None, setting)."""
    setting, groups = dict(DEFAULT), None
    for word in text.split():
        if "|" in word:
            groups = [group.split("+") for group in word.split("|")]
            continue
        key, _, value = word.partition("=")
        if value not in DIMENSIONS.get(key, []):
            sys.exit("split_cases.py: no such setting: " + word)
        setting[key] = value
    return groups, setting


def text_of(setting):
    return " ".join("%s=%s" % (key, value) for key, value in setting.items()
                    if value != DEFAULT[key]) or "defaults"


def latin(n, seed):
    """Returns n settings that are evenly spread in each dimension."""
    rng = random.Random(seed)
    columns = {}
    for key, values in DIMENSIONS.items():
        column = [values[i % len(values)] for i in range(n)]
        rng.shuffle(column)
        columns[key] = column
    return [{key: columns[key][i] for key in DIMENSIONS} for i in range(n)]


def matrix_of(case, options):
    """Returns [(groups, setting)]: the whole matrix, or --runs entries of it, with different groupings first."""
    found = [(groups, dict(DEFAULT, **dict(zip(MATRIX, values))))
             for groups in groupings.all_groupings(case, "%s %s" % (options.seed, case.name))
             for values in itertools.product(*MATRIX.values())]
    if not options.runs or options.runs >= len(found):
        return found
    rng = random.Random("matrix %s %s" % (options.seed, case.name))
    n_group, n_setting = len(found) // math.prod(map(len, MATRIX.values())), math.prod(map(len, MATRIX.values()))
    order = rng.sample(range(n_group), n_group)
    return [found[order[i % n_group] * n_setting + rng.randrange(n_setting)] for i in range(options.runs)]


def settings_of(case, options):
    """Returns [(groups, setting)] of a case."""
    if options.matrix and options.setting is None:
        return matrix_of(case, options)
    if options.setting is not None:
        return [run_from(options.setting)]
    if options.all:
        return [(None, dict(zip(DIMENSIONS, values))) for values in itertools.product(*DIMENSIONS.values())]
    own, more = case.settings, QUICK
    if options.sample: # one more setting, which depends on the case
        own = own[:case.n_sample]
        more = [QUICK[sum(case.name.encode()) % len(QUICK)]]
    chosen = [run_from(text) for text in own + more]
    if options.full:
        chosen += ((None, setting) for setting in latin(options.samples, "%s %s" % (options.seed, case.name)))
    return [s for i, s in enumerate(chosen) if s not in chosen[:i]]


class Report:
    """Prints each line as a whole, also from several threads, and stores the results of each case."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rows = {}

    def failed(self, name, text, what, file):
        with self.lock:
            print("# FAILED %s [%s]: %s%s" % (name, text, what, "; config: %s" % file if file else ""),
                  flush=True)


def run_case(case, options, runner, report):
    """Returns (number passed, number failed, largest error over rtol, the same of the twins)."""
    n_good = n_bad = 0
    worst = worst_twin = 0.0
    truth = Truth(case, runner)
    if truth.problem:
        report.failed(case.name, "references", truth.problem, truth.file)
        n_bad += 1
    twins = {}
    for groups, setting in settings_of(case, options):
        key = (setting["rtol"], setting["solver"], setting["window"])
        if key not in twins:
            run = runner(case, setting, monolithic=True)
            twins[key] = twin = judge(case, truth, run, setting, None)
            worst_twin = max(worst_twin, twin.ratio)
            if twin.problem:
                n_bad += 1
                report.failed(case.name, "monolithic " + text_of(setting), twin.problem,
                              runner.keep(case, setting, "monolithic", run))
        run = runner(case, setting, groups=groups)
        split = judge(case, truth, run, setting, twins[key])
        text = text_of(setting) + (" " + "|".join("+".join(group) for group in groups) if groups else "")
        if split.problem:
            n_bad += 1
            report.failed(case.name, text, split.problem,
                          runner.keep(case, setting, "split", run))
        else:
            n_good += 1
        worst = max(worst, split.ratio)
    return n_good, n_bad, worst, worst_twin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrsim", help="the program")
    parser.add_argument("--plugin", help="the shared object of split_models.c")
    parser.add_argument("--sample", action="store_true", help="one setting per case, and its own")
    parser.add_argument("--quick", action="store_true", help="some settings per case (default)")
    parser.add_argument("--full", action="store_true", help="also a sample of all dimensions")
    parser.add_argument("--all", action="store_true", help="every combination")
    parser.add_argument("--samples", type=int, default=72, help="settings per case of --full")
    parser.add_argument("--seed", default="1", help="of --full and --groupings")
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument("--setting", help='only this one, as "rtol=1e-4 solver=bs32"')
    parser.add_argument("--groupings", action="store_true", help="groupings and windows instead")
    parser.add_argument("--matrix", action="store_true", help="every grouping, scheme, window, solver, tolerance")
    parser.add_argument("--runs", type=int, default=0, help="so many of --matrix for each case, 0 = all")
    parser.add_argument("--topic", action="append", help="cases of this module only, with --matrix")
    parser.add_argument("--source", default=".", help="of the shipped configs, for --groupings")
    parser.add_argument("--build", default="build", help="of the example plug-in, for --groupings")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--timeout", type=float, default=60.0, help="of one run, in s of CPU time")
    parser.add_argument("--keep", help="folder for the configs of what fails")
    parser.add_argument("--list", action="store_true", help="list the cases")
    options = parser.parse_args()
    os.environ["LC_ALL"] = "C"
    cases = case_table.cases()
    if options.list:
        for case in cases:
            print("%-20s %s" % (case.name, case.about))
        return 0
    if not options.wrsim or not options.plugin:
        parser.error("--wrsim and --plugin are needed")
    if options.groupings:
        items = groupings.items(options, cases)
        run_item = groupings.run_item
    else:
        items, run_item = cases, run_case
        if options.matrix and not options.case:
            items = [case for case in cases if case.topic and (not options.topic or case.topic in options.topic)]
        elif options.sample and not options.case:
            items = [case for case in cases if not case.topic]
    if options.case:
        unknown = set(options.case) - {item.name for item in items}
        if unknown:
            parser.error("no such case: " + ", ".join(sorted(unknown)))
        items = [item for item in items if item.name in options.case]
    if options.sample and options.groupings:
        items = items[::3] # without the engine, which takes as long as all others
    report = Report()
    n_failed = 0
    print("1..%d" % len(items), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            futures = [pool.submit(run_item, item, options, runner, report) for item in items]
            for i, (item, future) in enumerate(zip(items, futures), 1):
                n_good, n_bad, worst, worst_twin = report.rows[item.name] = future.result()
                n_failed += n_bad > 0
                with report.lock:
                    print("%sok %d - %s" % ("not " if n_bad else "", i, item.name), flush=True)
    print("# %-22s %6s %6s %14s %14s" % ("case", "passed", "failed", "error / rtol", "monolithic"))
    for item in items:
        print("# %-22s %6d %6d %14.3g %14.3g" % ((item.name,) + report.rows[item.name]))
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
