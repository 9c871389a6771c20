"""Solvers, events and times of communication steps: Ben Khaled et al. (2011), Figs. 2-5; (2013), Fig. 20 (docs/METHODS.md, Sources).

    python3 bench/papers/solvers/study.py build/libwrsim.so [--cycles N] [--repeat N]

As in the papers, the solver stops at each communication point, every 500 us. The diesel engine (models/engine/engine.toml,
monolithic, 2500 rpm) replaces the engine of the first paper. The mono-cylinder replaces the engine of the second paper. Counts depend
on no clock. The time of a communication step is its least time in N runs (--repeat) in turn on one worker. Times are meaningful on an
idle machine only. Tables are Markdown and include the papers' values.
"""
import argparse
import ctypes
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../realtime"))
import bounded

MODELS = os.path.join(HERE, "../../../models")
STEP_S = bounded.STEP_S
FIXED_S = 50e-6
ENDS = ("event", "known", "limit", "chosen")
# Windows of the split engine, as long as a communication step.
WINDOWS = ["relaxation.window.initial=5e-4", "relaxation.window.max=5e-4", "relaxation.window.control=fixed"]
MONOLITHIC = ["simulation.monolithic=true"]


def solver(kind, tolerance=0):
    return ["solver.kind=%s" % kind, "solver.rtol=%g" % tolerance, "subsystem.airpath.solver.kind=%s" % kind]


def fixed(kind):
    return ["solver.kind=%s" % kind, "solver.step=%g" % FIXED_S, "subsystem.airpath.solver.kind=%s" % kind,
            "subsystem.airpath.solver.step=%g" % FIXED_S]


class Course:
    """Costs of every communication step of a run, over all subsystems: counts, seconds, lengths of steps."""

    def __init__(self, library, words, n_step, names=()):
        self.library, self.words, self.n_step, self.names = library, words, n_step, names
        self.seconds = [float("inf")] * n_step
        self.counts = self.values = self.parts = None

    def run(self):
        """Makes one more run and stores the least times. Returns False if the run fails."""
        lib = self.library.lib
        sim = self.library.open(self.words)
        index = [lib.wrsim_find(sim, name.encode()) for name in self.names]
        counts, values, before = [], [], self.library.summary(sim)
        for k in range(self.n_step):
            begin = time.perf_counter()
            status = lib.wrsim_advance(sim, (k + 1) * STEP_S, None)
            seconds = time.perf_counter() - begin
            if status < 0:
                break
            self.seconds[k] = min(self.seconds[k], seconds)
            now = self.library.summary(sim)
            counts.append([difference(a, b) for a, b in zip(before, now)])
            values.append([lib.wrsim_get(sim, i) for i in index])
            before = now
        lib.wrsim_destroy(ctypes.byref(sim))
        self.counts, self.values, self.parts = counts, values, before
        return len(counts) == self.n_step

    def total(self, key):
        return sum(part[key] for step in self.counts for part in step)

    def lengths(self):
        """Returns the histogram of the whole run: {end: {shortest length of the class in s: count}}."""
        found = {end: {} for end in ENDS}
        for step in self.counts:
            for part in step:
                for end in ENDS:
                    for power, n in part["lengths"][end].items():
                        found[end][power] = found[end].get(power, 0) + n
        return found


def powers(part):
    """Returns {end: {length in s: count}} of a subsystem in a summary."""
    lengths = part["step_length"]
    return {end: {lengths["from_s"] * 2**i: n for i, n in enumerate(lengths[end]) if n} for end in ENDS}


def difference(before, after):
    found = {key: after[key] - before[key] for key in ("n_rhs", "n_step", "n_state_event", "n_time_event")}
    old, new = powers(before), powers(after)
    found["lengths"] = {end: {p: n - old[end].get(p, 0) for p, n in new[end].items() if n > old[end].get(p, 0)}
                        for end in ENDS}
    return found


def run_all(courses, repeat):
    """Makes runs in turn, so that load of the machine affects all runs."""
    for _ in range(repeat):
        for name in [n for n, c in courses.items() if c is not None]:
            if not courses[name].run():
                print("%s: the run fails" % name)
                courses[name] = None


def stops(lengths):
    """Returns the number of stops of the integration, and the number of stops at events."""
    by_end = {end: sum(lengths[end].values()) for end in ENDS}
    return sum(by_end.values()), by_end["event"] + by_end["known"]


def figure_2(courses, reference, names):
    print("\n### Fig. 2: time for different solvers and tolerances\n")
    print("| solver | right-hand sides | time, ms per cycle | over Euler | stops | at events | error of intake.p, % | worst |")
    print("|---|---|---|---|---|---|---|---|")
    euler = sum(courses["euler 50 us"].seconds)
    for name, c in courses.items():
        if c is None:
            continue
        n, n_event = stops(c.lengths())
        error = bounded.errors_of(c.values, reference.values, names)
        worst = max(error, key=error.get)
        cycles = c.n_step / bounded.CYCLE
        print("| %s | %d | %.2f | %.2f | %d | %.1f %% | %.3f | %.3f %s |" % (
            name, c.total("n_rhs") / cycles, 1e3 * sum(c.seconds) / cycles, sum(c.seconds) / euler, n / cycles,
            100 * n_event / n, 100 * error["intake.p"], 100 * error[worst], worst))


def figure_3(course):
    print("\n### Fig. 3: steps over one cycle, every 2 ms (30 degrees)\n")
    print("| from, ms | events | steps | longest, us | shortest, us | mean step |")
    print("|---|---|---|---|---|---|")
    first = course.n_step - bounded.CYCLE
    for k in range(first, course.n_step, 4):
        found = {}
        events = steps = 0
        for step in course.counts[k:k + 4]:
            for part in step:
                events += part["n_state_event"] + part["n_time_event"]
                for end in ENDS:
                    for length, n in part["lengths"][end].items():
                        found[length] = found.get(length, 0) + n
                        steps += n
        mean = 4 * STEP_S / steps
        print("| %.1f | %d | %d | %.3g-%.3g | %.2g-%.2g | %s %.0f us |" % (
            1e3 * (k - first) * STEP_S, events, steps, 1e6 * max(found), 2e6 * max(found), 1e6 * min(found),
            2e6 * min(found), "#" * round(mean / STEP_S * 100), 1e6 * mean))


def figure_4(name, course):
    lengths = course.lengths()
    n, n_event = stops(lengths)
    print("\n### Fig. 4: lengths of steps, %s: %d stops, %.1f %% at events\n" % (name, n, 100 * n_event / n))
    print("| length, us | at events | at communication points | chosen by the solver | |")
    print("|---|---|---|---|---|")
    for length in sorted({p for end in ENDS for p in lengths[end]}):
        event = lengths["event"].get(length, 0) + lengths["known"].get(length, 0)
        limit, chosen = lengths["limit"].get(length, 0), lengths["chosen"].get(length, 0)
        marks = [round(60 * count / n) for count in (event, limit, chosen)]
        print("| %.3g-%.3g | %d | %d | %d | %s%s%s |" % (
            1e6 * length, 2e6 * length, event, limit, chosen, "e" * marks[0], "c" * marks[1], "." * marks[2]))


def figure_5(courses):
    print("\n### Fig. 5: time per communication step, us\n")
    print("| solver | median | most | most over median | right-hand sides, median / most | faster than Euler | than RK4 |")
    print("|---|---|---|---|---|---|---|")
    for name, c in courses.items():
        if c is None:
            continue
        rhs = [sum(part["n_rhs"] for part in step) for step in c.counts]
        faster = [sum(a < b for a, b in zip(c.seconds, courses[n].seconds)) / c.n_step
                  for n in ("euler 50 us", "rk4 50 us")]
        median = statistics.median(c.seconds)
        print("| %s | %.1f | %.1f | %.1f | %.0f / %d | %.0f %% | %.0f %% |" % (
            name, 1e6 * median, 1e6 * max(c.seconds), max(c.seconds) / median, statistics.median(rhs), max(rhs),
            100 * faster[0], 100 * faster[1]))


def split_stops(course):
    print("\n### After splitting: each solver stops at its own events\n")
    print("| subsystem | stops | at events |\n|---|---|---|")
    for i, part in enumerate(course.parts):
        sums = {end: sum(n for step in course.counts for n in step[i]["lengths"][end].values()) for end in ENDS}
        n = sum(sums.values())
        print("| %s | %d | %d, %.1f %% |" % (part["name"], n, sums["event"] + sums["known"],
                                            100 * (sums["event"] + sums["known"]) / n))


def figure_20(courses):
    print("\n### 2013, Fig. 20: mono-cylinder, communication steps with events and without\n")
    print("| solver | steps with events | time, with : without, mean | most : without, mean | right-hand sides, mean | most |")
    print("|---|---|---|---|---|---|")
    for name, c in courses.items():
        if c is None:
            continue
        has_event = [any(part["n_state_event"] for part in step) for step in c.counts]
        rhs = [sum(part["n_rhs"] for part in step) for step in c.counts]

        def ratios(series):
            with_events = [v for v, e in zip(series, has_event) if e]
            without = statistics.mean(v for v, e in zip(series, has_event) if not e)
            return statistics.mean(with_events) / without, max(with_events) / without

        mean, most = ratios(c.seconds)
        mean_rhs, most_rhs = ratios(rhs)
        print("| %s | %d of %d | %.1f | %.1f | %.1f | %.1f |" % (
            name, sum(has_event), c.n_step, mean, most, mean_rhs, most_rhs))


def share_at_events(course):
    n, n_event = stops(course.lengths())
    return "%.1f %%" % (100 * n_event / n)


def event_cost(course):
    """Returns the mean and largest time of communication steps with a state event, over the mean time of the other steps."""
    with_events = [any(part["n_state_event"] for part in step) for step in course.counts]
    quiet = statistics.mean(t for t, e in zip(course.seconds, with_events) if not e)
    busy = [t for t, e in zip(course.seconds, with_events) if e]
    return "%.1f x, up to %.0f x" % (statistics.mean(busy) / quiet, max(busy) / quiet)


def side_by_side(engine, mono):
    """Prints the numbers of the papers beside the results; the readme explains differences."""
    def ratio(a, b, of):
        return "%.2f x" % (of(engine[a]) / of(engine[b]))

    def rhs(course):
        return course.total("n_rhs")

    def seconds(course):
        return sum(course.seconds)

    print("\n## The papers' figures and ours\n")
    print("| | paper: LSODAR | ours: auto | CVODE Adams | CVODE BDF |\n|---|---|---|---|---|")
    kinds = ("auto", "cvode_adams", "cvode_bdf")
    rows = [
        ("2011, Fig. 2: 1e-3 over 1e-1, time", "about 2 x", [lambda k=k: ratio(k + " 0.001", k + " 0.1", seconds) for k in kinds]),
        ("the same, right-hand sides", "-", [lambda k=k: ratio(k + " 0.001", k + " 0.1", rhs) for k in kinds]),
        ("2011, Fig. 2: 1e-1 over RK4, time", "about 1 x", [lambda k=k: ratio(k + " 0.1", "rk4 50 us", seconds) for k in kinds]),
        ("2011, Fig. 4: stops at events", "57.7 %", [lambda k=k: share_at_events(engine[k + " 0.001"]) for k in kinds]),
        ("2013, Fig. 20: steps with events over others", "about 4 x, up to 60 x", [lambda k=k: event_cost(mono[k + " 1e-4"]) for k in kinds]),
    ]
    for what, paper, ours in rows:
        cells = []
        for value in ours:
            try:
                cells.append(value())
            except (AttributeError, TypeError): # the course is None, because its run failed
                cells.append("failed")
        print("| %s | %s | %s |" % (what, paper, " | ".join(cells)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("library")
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    engine = bounded.Library(options.library, os.path.join(MODELS, "engine/engine.toml"))
    n_step = options.cycles * bounded.CYCLE
    names = bounded.airpath_signals()

    def course(words, library=engine, n=n_step):
        return Course(library, [*WINDOWS, "simulation.stop=1", *words], n, names if library is engine else ())

    print("## The diesel engine, %d cycles of 48 ms, one solver" % options.cycles)
    reference = course(MONOLITHIC + solver("dopri54", 1e-8))
    if not reference.run():
        sys.exit("the reference fails")
    courses = {"euler 50 us": course(MONOLITHIC + fixed("euler")), "rk4 50 us": course(MONOLITHIC + fixed("rk4"))}
    for kind in ("cvode_adams", "cvode_bdf", "auto"):
        for tolerance in (1e-1, 1e-2, 1e-3, 1e-4):
            courses["%s %g" % (kind, tolerance)] = course(MONOLITHIC + solver(kind, tolerance))
    run_all(courses, options.repeat)
    figure_2(courses, reference, names)
    for name in ("cvode_adams 0.001", "auto 0.001"):
        if courses[name] is not None:
            figure_4(name, courses[name])
    if courses["auto 0.001"] is not None:
        figure_3(courses["auto 0.001"])
    figure_5(courses)
    split = course(["simulation.monolithic=false"] + solver("auto", 1e-3))
    if split.run():
        split_stops(split)

    mono = bounded.Library(options.library, os.path.join(MODELS, "mono_cylinder/mono_cylinder.toml"))
    n_mono = options.cycles * 120
    of_mono = {}
    for kind in ("cvode_adams", "cvode_bdf", "auto"):
        of_mono["%s 1e-4" % kind] = course(["solver.kind=%s" % kind, "solver.rtol=1e-4"], mono, n_mono)
    run_all(of_mono, options.repeat)
    figure_20(of_mono)
    side_by_side(courses, of_mono)


if __name__ == "__main__":
    main()
