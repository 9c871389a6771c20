"""Compares the estimated delay errors of a slackened engine with the true delay errors.

    python3 bench/slack/delay_errors.py build/libwrsim.so [--cycles N] [--repeat N] [--only WORD] [--rtol X] [--states]
                                                          [--course STATE] [--set KEY=VALUE]...

The script runs models/engine/engine.toml from the common start with its split, slack.bound = 0 and one worker, cycle by cycle
(0.048 s). A prediction from a period ago needs a complete cycle, so history starts with the second cycle. The true error of a
continuous state is the largest difference to the monolithic engine at rtol = 1e-9 in a cycle, relative to the state's range. Both runs
record on a grid of 10 us from the dense output, so the grid changes no period and no step. After every period the script reads the
estimate: the largest estimate so far if this value has grown in the period, else the estimate at the end of the period. The true error
includes the solvers' errors, which the estimate does not cover. So the table also has the error of a monolithic run at the same
tolerance.

The table has ratios for states with a true error between 1e-5 and 1e-2 of the range: the largest estimate over the largest true
error of the cycle. If an event resets a state, an error of the event's time is an error of the whole jump for a short time. A
linearised error equation compares both runs before and after the jump, and does not contain this error (Hiskens and Pai, Trajectory
sensitivity analysis of hybrid systems, 2000, section III). The errors therefore omit points at which only one run has jumped. The
column "with jumps" includes these points, and another column has their total time.

Counts depend on no clock. A right-hand side of a subsystem counts like a right-hand side of the whole engine. Wall and CPU times are
the least of N runs (--repeat) in turn, and are meaningful on an idle machine only. The table is Markdown.
"""
import argparse
import csv
import ctypes
import os
import re
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../realtime"))
import bounded

CYCLE_S, GRID_S = 0.048, 10e-6
PER_CYCLE = round(CYCLE_S / GRID_S)
STOP = ["simulation.stop=1", "simulation.communication_step=%.17g" % GRID_S]
MONOLITHIC = ["simulation.monolithic=true", *STOP]
TWIN = [*MONOLITHIC, "simulation.rtol=1e-9", "solver.kind=dopri54"]
LEAST, MOST = 1e-5, 1e-2                    # fractions of the range: true errors for which ratios are computed
JUMP = 1e-3                                 # fraction of the range: smallest jump that is detected
STEEP = 4.0                                 # ratio of a jump to the changes on either side
APART_S = 2e-3                              # largest time between the jumps of two runs that count as the same jump
NAME_BYTES = 384                            # WRSIM_DELAY_NAME_BYTES


class Subsystem(ctypes.Structure):
    """wrsim_delay_subsystem."""
    _fields_ = [
        ("name", ctypes.c_char_p), ("n_connection", ctypes.c_int), ("n_period", ctypes.c_int64),
        ("n_lost", ctypes.c_int64), ("n_failed", ctypes.c_int64),
        ("n_rhs", ctypes.c_int64),
        ("current", ctypes.c_double), ("current_s", ctypes.c_double),
        ("current_state", ctypes.c_char * NAME_BYTES),
        ("estimate", ctypes.c_double), ("estimate_s", ctypes.c_double),
        ("estimate_state", ctypes.c_char * NAME_BYTES),
        ("n_above_loc", ctypes.c_int64), ("n_above_glo", ctypes.c_int64),
        ("first_above_loc_s", ctypes.c_double), ("first_above_glo_s", ctypes.c_double),
        ("n_sweep", ctypes.c_int), ("said_loc", ctypes.c_double), ("said_glo", ctypes.c_double)]


class Connection(ctypes.Structure):
    """wrsim_delay_connection."""
    _fields_ = [
        ("reader", ctypes.c_char_p), ("producer", ctypes.c_char_p), ("is_played", ctypes.c_int),
        ("is_awaited", ctypes.c_int), ("period_s", ctypes.c_double), ("current", ctypes.c_double), ("current_s", ctypes.c_double),
        ("sum", ctypes.c_double)]


class State(ctypes.Structure):
    """wrsim_delay_state."""
    _fields_ = [("current", ctypes.c_double), ("accumulated", ctypes.c_double),
                ("estimate", ctypes.c_double), ("most", ctypes.c_double)]


class Library(bounded.Library):
    """The functions of libwrsim that this script calls, and runs with estimates of delay errors."""

    def __init__(self, path):
        super().__init__(path)
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.lib.wrsim_delay_subsystem_get.argtypes = [pointer, number, pointer]
        self.lib.wrsim_delay_connection_get.argtypes = [pointer, number, number, pointer]
        self.lib.wrsim_delay_state_get.argtypes = [pointer, number, pointer]
        self.lib.wrsim_finish.argtypes = [pointer, pointer]

    def close(self, sim):
        self.lib.wrsim_destroy(ctypes.byref(sim))

    def advance(self, sim, time_s):
        if self.lib.wrsim_advance(sim, time_s, None) < 0:
            sys.exit("the run fails before %g s" % time_s)

    def titles(self):
        """Returns the names of all signals that can be recorded."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "names.csv")
            sim = self.open([*MONOLITHIC, 'output.file="%s"' % path, 'output.signals=["*.*"]'])
            self.lib.wrsim_finish(sim, None)
            self.close(sim)
            with open(path, encoding="utf-8") as file:
                title = next(line for line in file if not line.startswith("#"))
        return [word.split("[")[0].strip() for word in title.split(",")]

    def states(self):
        """Returns the numbers of states by name, including outputs that equal a state."""
        sim = self.open([*SLACK, "slack.watch=1"])
        error, found = State(), {}
        for name in self.titles():
            i = self.lib.wrsim_find(sim, name.encode())
            if i >= 0 and self.lib.wrsim_delay_state_get(sim, i, ctypes.byref(error)) == 0:
                found[name] = i
        self.close(sim)
        return found

    def course(self, words, names, n_cycle, step_s=500e-6, look=None):
        """Runs n_cycle cycles and two steps more. Returns values on the grid, [state][point], the results of look(sim) after each step,
        and (right-hand sides, result of watching())."""
        looks = []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "course.csv")
            sim = self.open([*words, 'output.file="%s"' % path, "output.events=false",
                             "output.signals=[%s]" % ",".join('"%s"' % name for name in names)])
            for k in range(round(n_cycle * CYCLE_S / step_s) + 2):
                self.advance(sim, (k + 1) * step_s)
                if look:
                    looks.append(look(sim))
            self.lib.wrsim_finish(sim, None)
            counts = sum(s["n_rhs"] for s in self.summary(sim)), self.watching(sim)
            self.close(sim)
            return read_rows(path, names, n_cycle * PER_CYCLE), looks, counts

    def watched(self, words, names, index, n_cycle, period_s):
        """Makes a slackened run. Returns values on the grid, |E| and |estimate| [period][state] of the judged periods, and counts."""
        def look(sim):
            error, found = State(), []
            for i in index:
                self.lib.wrsim_delay_state_get(sim, i, ctypes.byref(error))
                found.append((abs(error.accumulated), abs(error.estimate), error.most))
            return found
        values, looks, (n_rhs, (n_watch, sums)) = self.course(words, names, n_cycle, period_s, look)
        # The run judges the period that ends at k after the next period has begun.
        looks = looks[1:round(n_cycle * CYCLE_S / period_s) + 1]
        return {"values": values, "E": [[one[0] for one in k] for k in looks],
                "estimate": [[one[1] for one in k] for k in looks], "most": raised(looks), "n_rhs": n_rhs, "n_watch": n_watch, "sums": sums}

    def watching(self, sim):
        """Returns the right-hand sides of the estimate, and the sums of E_c by connection."""
        one, connection, total, sums, i = Subsystem(), Connection(), 0, {}, 0
        while self.lib.wrsim_delay_subsystem_get(sim, i, ctypes.byref(one)) == 0:
            total += one.n_rhs
            for j in range(one.n_connection):
                self.lib.wrsim_delay_connection_get(sim, i, j, ctypes.byref(connection))
                sums[connection.producer.decode() + " to " + connection.reader.decode()] = connection.sum
            i += 1
        return total, sums

    def seconds(self, words):
        """Returns wall and CPU time, s, of one advance over the first cycle."""
        sim = self.open([*words, "simulation.communication_step=500e-6"])
        start = time.perf_counter(), time.process_time()
        self.advance(sim, CYCLE_S)
        taken = time.perf_counter() - start[0], time.process_time() - start[1]
        self.close(sim)
        return taken


SLACK = ["relaxation.scheme=slack", "slack.bound=0", *STOP]
PREDICTIONS = ("hold", "linear", "auto")


def raised(looks):
    """Returns [period][state]: the largest estimate so far if this value has grown in the period, else the estimate at the period's end."""
    found, before = [], [0.0] * len(looks[0])
    for now in looks:
        found.append([one[2] if one[2] > most else one[1] for one, most in zip(now, before)])
        before = [one[2] for one in now]
    return found


def read_rows(path, names, n_point):
    """Reads values [state][point], without the start."""
    with open(path, encoding="utf-8") as file:
        lines = csv.reader(line for line in file if not line.startswith("#"))
        title = [word.split("[")[0].strip() for word in next(lines)]
        place = [title.index(name) for name in names]
        kind = title.index("kind")
        rows = [[float(line[i]) for i in place] for line in lines if line[kind] == "c"]
    if len(rows) < n_point + 1:
        sys.exit("%d rows instead of %d" % (len(rows), n_point + 1))
    return [list(course) for course in zip(*rows[1:n_point + 1])]


def jumps(course, span):
    """Returns the index after each jump. A jump is a change far larger than the changes on either side."""
    change = [abs(b - a) for a, b in zip(course, course[1:])]
    return [k + 1 for k in range(1, len(change) - 1)
            if change[k] > JUMP * span and change[k] > STEEP * max(change[k - 1], change[k + 1])]


def between(first, second, n_point):
    """Returns points at which only one of two runs has jumped: the points between the closest pairs of jumps."""
    left, found = list(second), set()
    for k in first:
        near = min(left, key=lambda other: abs(other - k), default=None)
        if near is None or abs(near - k) > APART_S / GRID_S:
            continue
        left.remove(near)
        found.update(range(max(min(k, near), 0), min(max(k, near), n_point)))
    return found


class Truth:
    """Waveforms of the monolithic twin and their ranges."""

    def __init__(self, names, index, values):
        self.names, self.index, self.values = names, index, values
        self.span = [max(course) - min(course) for course in values]
        self.jumps = [jumps(course, span) for course, span in zip(values, self.span)]

    def errors(self, values):
        """Returns errors in ranges, [state][point], and for each state the points on different sides of a jump."""
        error = [[abs(a - b) / span for a, b in zip(*pair)] for *pair, span in zip(values, self.values, self.span)]
        apart = [between(found, jumps(course, span), len(course))
                 for found, course, span in zip(self.jumps, values, self.span)]
        return error, apart

    def largest(self, error, cycle, apart=None):
        """Returns the largest error over a cycle, [state]."""
        points = range(cycle * PER_CYCLE, (cycle + 1) * PER_CYCLE)
        return [max((course[k] for k in points if not apart or k not in apart[j]), default=0.0)
                for j, course in enumerate(error)]

    def said(self, sizes, cycle, n_cycle):
        """Returns the largest value over a cycle, [state], of sizes [period][state], in ranges."""
        n = len(sizes) // n_cycle
        return [max(size) / span for size, span in zip(zip(*sizes[cycle * n:(cycle + 1) * n]), self.span)]


def alike(values):
    """Returns the indices of states with different waveforms, so that an output that equals a state counts once."""
    seen, found = set(), []
    for j, course in enumerate(values):
        if tuple(course) not in seen:
            seen.add(tuple(course))
            found.append(j)
    return found


def ratios(said, truth):
    return [a / b for a, b in zip(said, truth) if LEAST <= b <= MOST]


def share(flags):
    flags = list(flags)
    return "%.0f" % (100.0 * sum(flags) / len(flags)) if flags else "-"


def both(values):
    return "%.1e / %.1e" % (max(values), statistics.median(values))


def row(label, said, truth, with_jumps, apart_us, noise, costs):
    """Prints one cycle of a run. said: E and the estimate, [2][state]."""
    q_sum, q = (ratios(one, truth) for one in said)
    loud = sum(LEAST <= t <= MOST and n > t / 3.0 for t, n in zip(truth, noise))
    q_jumps = ratios(said[1], with_jumps)
    print("| %s | %s | %s | %s | %d (%d) | %s | %s | %.0f | %d: %s | %s | %s |" % (
        label, both(truth), *(both(one) for one in said), len(q), loud, " / ".join(shares(q)), " / ".join(shares(q_sum)),
        apart_us, len(q_jumps), " / ".join(shares(q_jumps)), costs[0], costs[1]))
    sys.stdout.flush()


def shares(q):
    """Returns the shares of ratios within a factor of 3, and below a tenth."""
    return share(1 / 3 <= x <= 3 for x in q), share(x < 0.1 for x in q)


def bad(names, estimate, truth, noise):
    """Prints states whose ratio is not within a factor of 3."""
    for name, a, t, n in zip(names, estimate, truth, noise):
        if LEAST <= t <= MOST and not 1 / 3 <= a / t <= 3:
            print("    %s: truth %.1e, estimate %.1e (%.2g), solvers %.1e" % (name, t, a, a / t, n))


def print_course(twin, run, error, apart, name, period_s):
    """Prints for each period the largest error, the error at the period's end, and the estimate at the period's end, in ranges."""
    j, n = twin.names.index(name), round(period_s / GRID_S)
    for k, sizes in enumerate(run["estimate"]):
        points = range(k * n, (k + 1) * n)
        print("    %.6f %.2e %.2e %.2e%s" % (
            (k + 1) * period_s, max(error[j][i] for i in points if i not in apart[j] or len(points) < 2), error[j][points[-1]],
            sizes[j] / twin.span[j], " jump" if apart[j] & set(points) else ""))


def cases():
    """Returns cases: period in us, prediction, interval of watched periods."""
    for period_us in (500, 200, 100, 50):
        for prediction in PREDICTIONS:
            yield period_us, prediction, 1
    for period_us in (20, 10):    # with shorter periods held values have errors below their ranges
        yield period_us, "hold", 1
    for watch in (2, 4, 8):
        for prediction in PREDICTIONS[1:]:
            yield 100, prediction, watch


def costs_of(library, given, common, words, run, n_alone):
    """Returns two texts relative to one solver: right-hand sides, with the share of the estimate; and wall and CPU time."""
    f = run["n_rhs"] + run["n_watch"]
    counts = "%.2f, %.2f" % (f / n_alone, run["n_watch"] / f)
    if given.repeat == 0:
        return counts, "-"
    pairs = [(library.seconds([*MONOLITHIC, *common]), library.seconds(words)) for _ in range(given.repeat)]
    return counts, "%.2f / %.2f" % tuple(min(split[i] for _, split in pairs) / min(whole[i] for whole, _ in pairs)
                                         for i in (0, 1))


def table(library, given, title, settings, twin):
    """Makes all runs at one tolerance, and prints the tables."""
    common = [*settings, *given.set]
    alone, _, (n_alone, _) = library.course([*MONOLITHIC, *common], twin.names, given.cycles)
    alone, alone_apart = twin.errors(alone)
    noise = [twin.largest(alone, cycle, alone_apart) for cycle in range(given.cycles)]
    print("\n%s; one solver errs by %s, in %d right-hand sides\n" % (title, both(noise[0]), n_alone))
    print("| P, prediction, watch; cycle | truth: largest / median | E | estimate | states (a third of it noise) "
          "| within 3 / below a tenth, % | of E | left out, us | with jumps | f / one solver, watching's share | wall / CPU |")
    print("|" + " --- |" * 11)
    sums = {}
    for period_us, prediction, watch in cases():
        label = "%d us %s%s" % (period_us, prediction, "" if watch == 1 else ", %d" % watch)
        if not re.search(given.only, label):
            continue
        words = [*SLACK, *common, "slack.period=%.17g" % (1e-6 * period_us), "slack.watch=%d" % watch,
                 "relaxation.prediction=" + prediction]
        run = library.watched(words, twin.names, twin.index, given.cycles, 1e-6 * period_us)
        error, apart = twin.errors(run["values"])
        costs = costs_of(library, given, common, words, run, n_alone)
        for cycle in range(given.cycles):
            truth = twin.largest(error, cycle, apart)
            said = [twin.said(run[key], cycle, given.cycles) for key in ("E", "most")]
            row("%s; %d" % (label, cycle + 1), said, truth, twin.largest(error, cycle),
                1e6 * GRID_S * max(map(len, apart)), noise[cycle], costs)
            if given.states:
                bad(twin.names, said[1], truth, noise[cycle])
        for name in given.course:
            print_course(twin, run, error, apart, name, 1e-6 * period_us)
        sums[label] = run["sums"]
    print("\nSums of E_c by connection:\n")
    for label, found in sums.items():
        print("- %s: %s" % (label, ", ".join("%s %.1e" % (k, v) for k, v in sorted(found.items(), key=lambda kv: -kv[1]))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libwrsim")
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=0, help="number of timed repetitions")
    parser.add_argument("--only", default="", help="make only runs whose label contains this text")
    parser.add_argument("--rtol", default="1e-6", help="tolerance of all runs except the twin; 'shipped': the value of the config")
    parser.add_argument("--states", action="store_true", help="list states whose ratio is not within a factor of 3")
    parser.add_argument("--course", action="append", default=[], help="a state's error and estimate, period by period")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of all runs except the twin")
    given = parser.parse_args()
    library = Library(given.libwrsim)
    found = library.states()
    names = list(found)
    fine, _, _ = library.course(TWIN, names, given.cycles)
    kept = [j for j in alike(fine) if max(fine[j]) > min(fine[j])]
    twin = Truth([names[j] for j in kept], [found[names[j]] for j in kept], [fine[j] for j in kept])
    print("%d states that move" % len(kept))
    if given.rtol == "shipped":
        table(library, given, "rtol as shipped", [], twin)
    else:
        table(library, given, "rtol = " + given.rtol, ["simulation.rtol=" + given.rtol], twin)


if __name__ == "__main__":
    main()
