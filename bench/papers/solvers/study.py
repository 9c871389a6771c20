"""Solvers, steps and events: Ben Khaled et al. (2011), Figs. 2-5; (2013), Fig. 20 (docs/METHODS.md, Sources).

    python3 bench/papers/solvers/study.py build/libwrsim.so [--cycles N] [--write]

As in the papers, the solvers of wrsim stop at each communication point, every 500 us. The diesel engine (models/engine/engine.toml,
monolithic, 2500 rpm) replaces the engine of the first paper. The mono-cylinder replaces the engine of the second paper. LSODAR is that of
R's deSolve, if R is installed. All figures are counts, so no figure depends on the machine. --write replaces the readme.md beside this
script, else the text goes to standard output.
"""
import argparse
import contextlib
import ctypes
import math
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../realtime"), os.path.join(HERE, "../../../tools")]
import bounded
import show_engine

MODELS = os.path.join(HERE, "../../../models")
STEP_S = bounded.STEP_S
FIXED_S = 50e-6
ENDS = ("event", "known", "limit", "chosen")
# Windows of the split engine, as long as a communication step.
WINDOWS = ["relaxation.window.initial=5e-4", "relaxation.window.max=5e-4", "relaxation.window.control=fixed"]
MONOLITHIC = ["simulation.monolithic=true"]
KINDS = ("lsoda", "auto", "cvode_adams", "cvode_bdf")
LSODAR_TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)
OWN_TOLERANCES = (1e-3, 1e-4, 1e-5) # 1e-3 is the loosest tolerance that wrsim uses as given
SAME = 1e-4 # a tolerance of all solvers
SHORT_S = 2.0**-21 # tables of lengths join shorter steps, s

HEAD = """# Solvers, steps and events

This file is the output of `python3 bench/papers/solvers/study.py build/libwrsim.so --write`, which counts all its figures. R with deSolve
adds LSODAR.

The study repeats two measurements of Ben Khaled et al. ([sources](../../../docs/METHODS.md#sources)) on models of wrsim, over %d cycles. The
first measurement is 2011, Figs. 2-5 (four-cylinder diesel, Dymola and xMOD). The second measurement is 2013, Fig. 20 (mono-cylinder). As in
the papers, a solver integrates from one communication point to the next. The distance of two points, 500 us, is also the longest step of
the solver. Fixed steps are 50 us. The LSODAR of the papers switches between Adams and BDF, as `lsoda` does. `auto` switches between
one-step methods. LSODAR, `lsoda` and CVODE restart at order one after an event. LSODAR returns values at communication points by
interpolation, so it does not stop there.

The papers compare times. The right-hand sides of their engine are expensive: Euler's method takes 10.5 s for 0.5 s of simulated time, or
1.05 ms for a step of 50 us. So the study compares right-hand sides. wrsim uses no tolerance above 1e-3, and its multistep methods use 0.03
times the tolerance for a step. So tolerances of wrsim from 1e-3 to 1e-5 stand beside those of LSODAR from 1e-1 to 1e-3. Errors are relative
to a signal's range.
"""


def solver(kind, tolerance=0):
    return ["solver.kind=%s" % kind, "solver.rtol=%g" % tolerance, "subsystem.airpath.solver.kind=%s" % kind]


def fixed(kind):
    return ["solver.kind=%s" % kind, "solver.step=%g" % FIXED_S, "subsystem.airpath.solver.kind=%s" % kind,
            "subsystem.airpath.solver.step=%g" % FIXED_S]


class Course:
    """Counts of every communication step of a run, and values at its communication points."""

    def __init__(self, library, words, n_step, names=()):
        """Makes the run. Ends the script if the run fails."""
        self.n_step = n_step
        lib = library.lib
        sim = library.open(words)
        index = [lib.wrsim_find(sim, name.encode()) for name in names]
        counts, values, before = [], [], library.summary(sim)
        for k in range(n_step):
            if lib.wrsim_advance(sim, (k + 1) * STEP_S, None) < 0:
                sys.exit("the run fails: %s" % " ".join(words))
            now = library.summary(sim)
            counts.append([difference(a, b) for a, b in zip(before, now)])
            values.append([lib.wrsim_get(sim, i) for i in index])
            before = now
        lib.wrsim_destroy(ctypes.byref(sim))
        self.counts, self.values, self.parts = counts, values, before

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


class Lsodar(Course):
    """The same of LSODAR, whose longest step is a communication step. LSODAR does not stop at communication points."""

    def __init__(self, peers, config, rtol, n_step, names=()):
        self.n_step = n_step
        with tempfile.TemporaryDirectory() as folder:
            stops = os.path.join(folder, "stops.csv")
            self.call(peers, config, rtol, n_step, ["--stops", stops, "--longest", repr(STEP_S)])
            with open(stops, encoding="utf-8") as file:
                found = [[float(word) for word in line.split(",")] for line in file]
            self.counts, n_before = [], 0
            for k in range(n_step):
                inside = [stop for stop in found if k * STEP_S < stop[0] <= (k + 1) * STEP_S or k == 0 >= stop[0]]
                n_rhs = inside[-1][3] - n_before if inside else 0
                n_before += n_rhs
                lengths = {end: {} for end in ENDS}
                for _, length, is_event, _ in inside:
                    of_end, power = lengths["event" if is_event else "chosen"], 2.0 ** math.floor(math.log2(length))
                    of_end[power] = of_end.get(power, 0) + 1
                n_event = sum(stop[2] == 1 for stop in inside)
                self.counts.append([{"n_rhs": n_rhs, "n_step": len(inside), "n_state_event": n_event, "n_time_event": 0,
                                     "lengths": lengths}])
            if names:
                result = os.path.join(folder, "result.csv")
                recorded = ", ".join('"%s"' % name for name in names)
                self.call(peers, config, rtol, n_step, ["--result", result, "--grid", repr(STEP_S), "-D", "output.signals=[%s]" % recorded])
                signals = show_engine.read(result, 0)[0]
                self.values = [[signals[name][k + 1] for name in names] for k in range(n_step)]

    @staticmethod
    def call(peers, config, rtol, n_step, words):
        done = subprocess.run([peers, "--method", "lsodar", "--rtol", "%g" % rtol, "-D", "simulation.stop=%.17g" % (n_step * STEP_S),
                               *words, config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit("LSODAR at %g: %s" % (rtol, done.stdout))

    @staticmethod
    def missing(peers):
        """Returns the reason why LSODAR is not available, or ''."""
        if not os.path.exists(peers):
            return "wrsim-peers is not built"
        return subprocess.run([peers, "--probe", "--method", "lsodar"], capture_output=True, text=True).stdout.partition("why ")[2].strip()


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


def stops(lengths):
    """Returns the number of stops of the integration, and the number of stops at events."""
    by_end = {end: sum(lengths[end].values()) for end in ENDS}
    return sum(by_end.values()), by_end["event"] + by_end["known"]


def figure_2(courses, reference, names):
    print("\n### Solvers and tolerances\n")
    print("| solver | right-hand sides per cycle | over Euler | stops | at events | error of intake.p, % | worst |")
    print("|---|---|---|---|---|---|---|")
    euler = courses["euler 50 us"].total("n_rhs")
    for name, c in courses.items():
        n, n_event = stops(c.lengths())
        error = bounded.errors_of(c.values, reference.values, names)
        worst = max(error, key=error.get)
        cycles = c.n_step / bounded.CYCLE
        print("| %s | %d | %.2f | %d | %.1f %% | %.3f | %.3f %s |" % (
            name, c.total("n_rhs") / cycles, c.total("n_rhs") / euler, n / cycles, 100 * n_event / n, 100 * error["intake.p"],
            100 * error[worst], worst))


def figure_3(name, course):
    """Prints the first combustion, a quarter of the last cycle; the other quarters are similar."""
    print("\n### Steps over a quarter of a cycle, every 2 ms (30 degrees): %s\n" % name)
    print("| from, ms | events | steps | longest, us | shortest, us | mean step |")
    print("|---|---|---|---|---|---|")
    first = course.n_step - bounded.CYCLE
    for k in range(first, first + bounded.CYCLE // 4 + 4, 4):
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
    print("\n### Lengths of steps, %s: %d stops, %.1f %% at events\n" % (name, n, 100 * n_event / n))
    print("| length, us | at events | at communication points | chosen by the solver | |")
    print("|---|---|---|---|---|")
    rows = {}
    for column, end in ((0, "event"), (0, "known"), (1, "limit"), (2, "chosen")):
        for length, count in lengths[end].items():
            rows.setdefault(max(length, SHORT_S), [0, 0, 0])[column] += count
    for length, counts in sorted(rows.items()):
        marks = "".join(mark * round(60 * count / n) for mark, count in zip("ec.", counts))
        print("| %s%.3g | %s | %s |" % ("%.3g-" % (1e6 * length) if length > SHORT_S else "below ", 2e6 * length,
                                        " | ".join("%d" % count for count in counts), marks))


def per_step(course):
    """Returns the right-hand sides of each communication step."""
    return [sum(part["n_rhs"] for part in step) for step in course.counts]


def figure_5(courses):
    print("\n### Right-hand sides per communication step\n")
    print("| solver | median | most | most over median | fewer than Euler | than RK4 |")
    print("|---|---|---|---|---|---|")
    for name, c in courses.items():
        rhs = per_step(c)
        fewer = [sum(a < b for a, b in zip(rhs, per_step(courses[other]))) / c.n_step for other in ("euler 50 us", "rk4 50 us")]
        median = statistics.median(rhs)
        print("| %s | %.0f | %d | %.1f | %.0f %% | %.0f %% |" % (
            name, median, max(rhs), max(rhs) / median, 100 * fewer[0], 100 * fewer[1]))


def split_stops(name, course):
    print("\n### After splitting, with %s: each solver stops at its own events\n" % name)
    print("| subsystem | stops | at events |\n|---|---|---|")
    for i, part in enumerate(course.parts):
        sums = {end: sum(n for step in course.counts for n in step[i]["lengths"][end].values()) for end in ENDS}
        n = sum(sums.values())
        print("| %s | %d | %d, %.1f %% |" % (part["name"], n, sums["event"] + sums["known"],
                                            100 * (sums["event"] + sums["known"]) / n))


def event_cost(course):
    """Returns text: the mean and largest right-hand sides of communication steps with an event, over the mean of the other steps."""
    rhs = per_step(course)
    has_event = [any(part["n_state_event"] + part["n_time_event"] for part in step) for step in course.counts]
    quiet = statistics.mean(n for n, e in zip(rhs, has_event) if not e)
    busy = [n for n, e in zip(rhs, has_event) if e]
    return "%.1f x, up to %.1f x" % (statistics.mean(busy) / quiet, max(busy) / quiet)


def share_at_events(course):
    n, n_event = stops(course.lengths())
    return "%.1f %%" % (100 * n_event / n)


def fewer_than_fixed(course, courses):
    """Returns text: the share of communication steps with fewer right-hand sides than Euler's method and RK4."""
    return " and ".join("%.0f %%" % (100 * sum(a < b for a, b in zip(per_step(course), per_step(courses[other]))) / course.n_step)
                        for other in ("euler 50 us", "rk4 50 us"))


def side_by_side(engine, mono, has_lsodar):
    """Prints the numbers of the papers beside the results."""
    def over(course, other):
        return "%.2f x" % (engine[course].total("n_rhs") / engine[other].total("n_rhs"))

    kinds = (["LSODAR"] if has_lsodar else []) + list(KINDS)
    # A solver's name and its loosest tolerance in the study.
    loosest = {kind: "%s %g" % (kind, LSODAR_TOLERANCES[0] if kind == "LSODAR" else OWN_TOLERANCES[0]) for kind in kinds}
    rows = [
        ("2011, Fig. 2: Euler is the fastest, RK4 takes about as long as LSODAR at 1e-1", "1 x RK4",
         [over(loosest[kind], "rk4 50 us") for kind in kinds]),
        ("2011, Fig. 2: tolerance 1e-1 to 1e-3 (wrsim: 1e-3 to 1e-5)", "2 x the time",
         [over("%s %g" % (kind, 1e-3 if kind == "LSODAR" else 1e-5), loosest[kind]) for kind in kinds]),
        ("2011, Fig. 4: stops at events, loosest tolerance", "57.7 %", [share_at_events(engine[loosest[kind]]) for kind in kinds]),
        ("2011, Fig. 4: stops at events, tolerance %g" % SAME, "-", [share_at_events(engine["%s %g" % (kind, SAME)]) for kind in kinds]),
        ("2011, Fig. 5: communication steps cheaper than Euler and RK4", "several", [fewer_than_fixed(engine[loosest[kind]], engine) for kind in kinds]),
        ("2013, Fig. 20: steps with events over the others, 1e-4", "4 x, up to 60 x", [event_cost(mono["%s 1e-4" % kind]) for kind in kinds]),
    ]
    print("\n## The papers' figures and ours\n\n| | paper: LSODAR | %s |\n%s" % (" | ".join(kinds), "|---" * (len(kinds) + 2) + "|"))
    for what, paper, ours in rows:
        print("| %s | %s | %s |" % (what, paper, " | ".join(ours)))


def study(options):
    """Makes all runs and prints the readme."""
    config = os.path.join(MODELS, "engine/engine.toml")
    mono_config = os.path.join(MODELS, "mono_cylinder/mono_cylinder.toml")
    engine, mono = bounded.Library(options.library, config), bounded.Library(options.library, mono_config)
    peers = os.path.join(os.path.dirname(os.path.abspath(options.library)), "bench/peers/wrsim-peers")
    why = Lsodar.missing(peers)
    n_step, n_mono, names = options.cycles * bounded.CYCLE, options.cycles * 120, bounded.airpath_signals()

    def course(words):
        return Course(engine, [*WINDOWS, "simulation.stop=1", *words], n_step, names)

    reference = course(MONOLITHIC + solver("dopri54", 1e-8))
    courses = {"euler 50 us": course(MONOLITHIC + fixed("euler")), "rk4 50 us": course(MONOLITHIC + fixed("rk4"))}
    of_mono = {}
    if not why:
        courses.update({"LSODAR %g" % rtol: Lsodar(peers, config, rtol, n_step, names) for rtol in LSODAR_TOLERANCES})
        of_mono["LSODAR 1e-4"] = Lsodar(peers, mono_config, 1e-4, n_mono)
    for kind in KINDS:
        courses.update({"%s %g" % (kind, rtol): course(MONOLITHIC + solver(kind, rtol)) for rtol in OWN_TOLERANCES})
        of_mono[kind + " 1e-4"] = Course(mono, ["simulation.stop=1", "solver.kind=%s" % kind, "solver.rtol=1e-4"], n_mono)
    print(HEAD % options.cycles, end="")
    if why:
        print("\nLSODAR is omitted: %s." % why)
    side_by_side(courses, of_mono, not why)
    print("\n## The diesel engine, one solver")
    figure_2(courses, reference, names)
    shown = (["LSODAR 0.1"] if not why else []) + ["lsoda 0.001", "auto 0.001"]
    for name in shown:
        figure_3(name, courses[name])
    for name in shown:
        figure_4(name, courses[name])
    figure_5(courses)
    for kind in ("lsoda", "auto"):
        split_stops(kind, course(["simulation.monolithic=false"] + solver(kind, 1e-3)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("library")
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not options.write:
        study(options)
        return
    new = os.path.join(HERE, "readme.new")
    with open(new, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        study(options)
    os.replace(new, os.path.join(HERE, "readme.md"))


if __name__ == "__main__":
    main()
