"""Measures bounded work per communication step on the engine, in counted work, and its effect on accuracy.

    python3 bench/realtime/bounded.py build/libwrsim.so [--cycles N] [--only WORD] [--set KEY=VALUE]...

Each run advances models/engine/engine.toml by communication steps of 500 us. For each step the script counts right-hand sides (also
after restarts and for jumps of inputs), solver steps and evaluations of indicators. For a split engine the table has the sum over the
subsystems and the most expensive subsystem, which limits a step on several cores. Errors are differences to the monolithic engine at
rtol = 1e-8, from a common start, as a share of a signal's range in the run. The signals are all recorded outputs of the airpath, and
its wall temperatures. The table is Markdown. No result depends on the machine or its load.
"""
import argparse
import ctypes
import json
import os
import statistics
import sys

ENGINE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                      "models", "engine", "engine.toml")
STEP_S, CYCLE = 500e-6, 96
MONOLITHIC = ["simulation.monolithic=true"]
SPLIT = ["relaxation.scheme=slack", "slack.bound=0"]
WATCHED = ("intake.p", "charge.p", "turbo.omega")


class Library:
    """The functions of libwrsim that this script calls."""

    def __init__(self, path, config=ENGINE):
        self.config = config
        self.lib = lib = ctypes.CDLL(os.path.abspath(path))
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [ctypes.c_void_p]
        lib.wrsim_advance.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p]
        lib.wrsim_prepare.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        lib.wrsim_create.argtypes = [ctypes.c_void_p] * 5
        lib.wrsim_summary.argtypes = [ctypes.c_void_p]
        lib.wrsim_summary.restype = ctypes.c_void_p
        lib.wrsim_find.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        lib.wrsim_get.argtypes = [ctypes.c_void_p, ctypes.c_int]
        lib.wrsim_get.restype = ctypes.c_double

    def open(self, overrides):
        words = [word.encode() for word in
                 ('output.file=""', 'output.json=""', "scheduler.workers=1", *overrides)]
        config, sim = ctypes.c_void_p(), ctypes.c_void_p()
        array = (ctypes.c_char_p * len(words))(*words)
        status = self.lib.wrsim_config_from_file(self.config.encode(), array, len(words), None, None,
                                                 ctypes.byref(config), None)
        if status == 0:
            status = self.lib.wrsim_create(config, None, None, ctypes.byref(sim), None)
            self.lib.wrsim_config_destroy(ctypes.byref(config))
        if status == 0:
            status = self.lib.wrsim_prepare(sim, None)
        if status != 0:
            sys.exit("status %d at %s" % (status, " ".join(overrides)))
        return sim

    def summary(self, sim):
        text = self.lib.wrsim_summary(sim)
        found = json.loads(ctypes.string_at(text))
        self.free(text)
        return found["subsystems"]

    def run(self, overrides, n_step, names):
        """Returns the work of each step, [step][subsystem] dicts; values, [step][name]; the last summary. Returns None if the run fails."""
        sim = self.open(overrides)
        index = [self.lib.wrsim_find(sim, name.encode()) for name in names]
        before, work, values = self.summary(sim), [], []
        for k in range(n_step):
            if self.lib.wrsim_advance(sim, (k + 1) * STEP_S, None) < 0:
                break
            now = self.summary(sim)
            work.append([{key: b[key] - a[key] for key in
                          ("n_rhs", "n_step", "n_indicator_evaluation", "n_event_pass")}
                         for a, b in zip(before, now)])
            values.append([self.lib.wrsim_get(sim, i) for i in index])
            before = now
        self.lib.wrsim_destroy(ctypes.byref(sim))
        return (work, values, before) if len(work) == n_step else None


def airpath_signals():
    """Returns the wall temperatures, and the signals that the config records, except the signals of the cylinders."""
    import tomllib
    with open(ENGINE, "rb") as file:
        signals = tomllib.load(file)["output"]["signals"]
    walls = ["intercooler.T_wall", "exhaust.T_wall", "egr_cooler.T_wall"]
    return [s for s in signals if "*" not in s] + walls


def errors_of(values, reference, names):
    """Returns the largest error over time, relative to the range, for each name whose reference changes."""
    found = {}
    for i, name in enumerate(names):
        course = [row[i] for row in reference]
        span = max(course) - min(course)
        if span > 0.0:
            found[name] = max(abs(a[i] - b[i]) for a, b in zip(values, reference)) / span
    return found


def spread(counts):
    return statistics.median(counts), max(counts)


def row(name, run, reference, names, unbounded):
    """Prints one run. Returns the median of right-hand sides per step; None if the run has failed."""
    if run is None:
        print("| %s | the run fails |" % name)
        return None
    work, values, last = run
    total = [sum(part["n_rhs"] for part in step) for step in work]
    dearest = [max(part["n_rhs"] for part in step) for step in work]
    steps = [sum(part["n_step"] for part in step) for step in work]
    passes = [sum(part["n_event_pass"] for part in step) for step in work]
    looks = [sum(part["n_indicator_evaluation"] for part in step) for step in work]
    error = errors_of(values, reference, names)
    worst = max(error, key=error.get)
    median, most = spread(total)
    print("| %s | %.0f | %d | %.2f | %s | %.0f | %d | %.2f | %.0f / %d | %.0f / %d | %.0f / %d | %d | %.1f | %s | %.2f %s |" % (
        name, median, most, most / median, "%.2f" % (median / unbounded) if unbounded else "1",
        *spread(dearest), max(dearest) / statistics.median(dearest), *spread(steps), *spread(passes),
        *spread(looks),
        sum(s["n_late_event"] for s in last), 1e6 * max(s["latest_s"] for s in last),
        " / ".join("%.3f" % (100.0 * error[n]) for n in WATCHED), 100.0 * error[worst], worst))
    sys.stdout.flush()
    return median


def fixed(kind, step_us, *spares):
    """Returns name, settings and bounds of a method with fixed steps. Each bound is a name and settings for a number of spare steps."""
    words = ["solver.kind=" + kind, "solver.step=%.17g" % (1e-6 * step_us), "subsystem.airpath.solver.kind=" + kind]
    return "%s %.4g us" % (kind, step_us), words, [
        ("spare %d" % n, ["solver.spare_steps=%d" % n]) for n in spares]


def variable(rtol, *budgets):
    """Returns name, settings and bounds of the config's methods with error control. Each bound is a budget of every subsystem."""
    return "bs32 and rk43, rtol %g" % rtol, ["simulation.rtol=%g" % rtol], [
        ("budget %d" % n, ["solver.budget=%d" % n]) for n in budgets]


def cases():
    """Yields groups: name, common settings, and methods as fixed() and variable() return."""
    yield "one solver", MONOLITHIC, [
        fixed("euler", 500.0 / 24, 0), fixed("heun", 500.0 / 24, 0), fixed("heun", 500.0 / 32, 0),
        fixed("rk3", 500.0 / 14, 0, 1), fixed("rk3", 500.0 / 16, 0, 1), fixed("rk3", 500.0 / 20, 0, 1),
        fixed("rk3", 500.0 / 28, 0, 1), fixed("rk4", 500.0 / 14, 0, 1), fixed("rk4", 500.0 / 20, 0, 1),
        variable(1e-4, 150, 100)]
    for sweeps, period in ((1, 125.0), (2, 250.0), (3, 500.0)):
        setting = SPLIT + ["slack.period=%.17g" % (1e-6 * period), "slack.sweeps=%d" % sweeps]
        yield "split, P = %g us, %d sweep%s" % (period, sweeps, "s" * (sweeps > 1)), setting, [
            fixed("heun", 125.0 / 6, 0), fixed("rk3", 125.0 / 3, 0, 1), fixed("rk3", 125.0 / 4, 0, 1),
            fixed("rk4", 125.0 / 3, 0), variable(1e-4, 40)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libwrsim")
    parser.add_argument("--cycles", type=int, default=1)
    parser.add_argument("--only", default="", help="run only groups whose name contains this text")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of all runs except the reference")
    args = parser.parse_args()
    library, names = Library(args.libwrsim), airpath_signals()
    n_step = CYCLE * args.cycles
    stop = ["simulation.stop=%.17g" % (2.0 * n_step * STEP_S)]
    tight = library.run(MONOLITHIC + stop + ["simulation.rtol=1e-8", "solver.kind=dopri54"], n_step, names)
    reference = tight[1]
    print("| run | f: median | most | most / median | median / unbounded | dearest part: median | most | most / median "
          "| steps: median / most | event passes: median / most | indicators: median / most | late events | longest late step, us "
          "| error of %s, %% of range | worst |" % ", ".join(WATCHED))
    print("|" + " --- |" * 15)
    for name, setting, methods in cases():
        if args.only not in name:
            continue
        for label, words, bounds in methods:
            common = setting + stop + args.set + words
            base = row("%s, %s" % (name, label), library.run(common, n_step, names), reference, names, None)
            for bound, more in bounds:
                row("%s, %s, %s" % (name, label, bound), library.run(common + more, n_step, names),
                    reference, names, base)


if __name__ == "__main__":
    main()
