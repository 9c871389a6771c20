"""What a slackened engine says of its delay errors, against what they are.

    python3 bench/slack/delay_errors.py build/libwrsim.so [--repeat N] [--states] [--skip-jumps] [--set KEY=VALUE]...

models/engine/engine.toml over one cycle (0.048 s) from the common start, split as shipped, slack.bound = 0, one worker. The truth
is the monolithic engine at rtol = 1e-9; errors are of continuous states, as shares of what a state ranges over in the cycle, and
largest over the ends of communication steps (500 us), where all runs have a common point. A state's truth holds the solvers' own
errors, too, which no delay error knows: what a monolithic run at the same tolerance errs by stands beside it.

Ratios are of the states whose truth is between 1e-5 and 1e-2 of range: the largest estimate over the largest truth, each
over the cycle. Where a state jumps (an event resets it) the time of an event is an error of its whole range;
--skip-jumps leaves out the points beside a jump of the truth, in all that is compared, as tests/numeric/error_account.py does.

Counts depend on no clock; a right-hand side of a part counts as one of the whole engine does. Wall and CPU times are the least
of N runs each, taken in turn; they are worth something on an idle machine only. The table is Markdown.
"""
import argparse
import ctypes
import os
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../realtime"))
import bounded

STEP_S, N_STEP, N_FINE = 500e-6, 96, 10     # ranges are found on a grid N_FINE times as fine: injections are short
STOP = ["simulation.stop=%.17g" % (2.0 * N_STEP * STEP_S)]
MONOLITHIC = ["simulation.monolithic=true", *STOP]
TWIN = [*MONOLITHIC, "simulation.rtol=1e-9", "solver.kind=dopri54"]
LEAST, MOST = 1e-5, 1e-2                    # of range: truths that ratios are taken of
JUMP = 0.2                                  # of range, between communication points
NAME_BYTES = 128                            # WRSIM_DELAY_NAME_BYTES


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
    """With delay errors."""

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
            sys.exit("it fails before %g s" % time_s)

    def titles(self):
        """Names of all that can be recorded."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "names.csv")
            sim = self.open([*MONOLITHIC, 'output.file="%s"' % path, 'output.signals=["*.*"]'])
            self.lib.wrsim_finish(sim, None)
            self.close(sim)
            with open(path, encoding="utf-8") as file:
                title = next(line for line in file if not line.startswith("#"))
        return [word.split("[")[0].strip() for word in title.split(",")]

    def states(self):
        """Index by name, of states; some are outputs under the same or another name."""
        sim = self.open([*SLACK, "slack.watch=1"])
        error, found = State(), {}
        for name in self.titles():
            i = self.lib.wrsim_find(sim, name.encode())
            if i >= 0 and self.lib.wrsim_delay_state_get(sim, i, ctypes.byref(error)) == 0:
                found[name] = i
        self.close(sim)
        return found

    def course(self, words, index, n_fine=1):
        """Values, [point][state]; right-hand sides."""
        sim, values = self.open(words), []
        for k in range(N_STEP * n_fine):
            self.advance(sim, (k + 1) * STEP_S / n_fine)
            values.append([self.lib.wrsim_get(sim, i) for i in index])
        n_rhs = sum(s["n_rhs"] for s in self.summary(sim))
        self.close(sim)
        return values, n_rhs

    def watched(self, words, index):
        """The same of a slackened run, with |E| and |estimate|, [point][state], and what watching cost."""
        sim, error = self.open(words), State()
        run = {"values": [], "E": [], "estimate": []}
        for k in range(N_STEP):
            self.advance(sim, (k + 1) * STEP_S)
            run["values"].append([self.lib.wrsim_get(sim, i) for i in index])
            summed, estimate = [], []
            for i in index:
                self.lib.wrsim_delay_state_get(sim, i, ctypes.byref(error))
                summed.append(abs(error.accumulated))
                estimate.append(abs(error.estimate))
            run["E"].append(summed)
            run["estimate"].append(estimate)
        run["n_rhs"] = sum(s["n_rhs"] for s in self.summary(sim))
        run["n_watch"], run["sums"] = self.watching(sim)
        self.close(sim)
        return run

    def watching(self, sim):
        """Right-hand sides of it, and sums of E_c by connection."""
        one, connection, total, sums, i = Subsystem(), Connection(), 0, {}, 0
        while self.lib.wrsim_delay_subsystem_get(sim, i, ctypes.byref(one)) == 0:
            total += one.n_rhs
            for j in range(one.n_connection):
                self.lib.wrsim_delay_connection_get(sim, i, j, ctypes.byref(connection))
                sums[connection.producer.decode() + " to " + connection.reader.decode()] = connection.sum
            i += 1
        return total, sums

    def seconds(self, words):
        """Of the cycle in one call: by the wall clock, of CPU."""
        sim = self.open(words)
        start = time.perf_counter(), time.process_time()
        self.advance(sim, N_STEP * STEP_S)
        taken = time.perf_counter() - start[0], time.process_time() - start[1]
        self.close(sim)
        return taken


SLACK = ["relaxation.scheme=slack", "slack.bound=0", *STOP]
PREDICTIONS = ("hold", "linear", "auto")


class Truth:
    """The twin's courses, what they range over, and at which points they are compared."""

    def __init__(self, names, index, fine, skips_jumps):
        self.names, self.index = names, index
        self.span = [max(c) - min(c) for c in zip(*fine)]
        self.values = fine[N_FINE - 1::N_FINE]
        self.points = [[k for k in range(N_STEP) if not (skips_jumps and self.is_beside_jump(j, k))]
                       for j in range(len(names))]

    def is_beside_jump(self, j, k):
        return any(abs(self.values[k][j] - self.values[i][j]) > JUMP * self.span[j]
                   for i in (k - 1, k + 1) if 0 <= i < N_STEP)

    def largest(self, sizes):
        """Over the points, in ranges, [state]."""
        return [max((sizes[k][j] for k in points), default=0.0) / span
                for j, (points, span) in enumerate(zip(self.points, self.span))]

    def errors(self, values):
        return self.largest([[abs(a - b) for a, b in zip(*pair)] for pair in zip(values, self.values)])


def alike(values):
    """Of states that have the same course the first: an output that is a state counts once."""
    seen, found = set(), []
    for j, course in enumerate(zip(*values)):
        if course not in seen:
            seen.add(course)
            found.append(j)
    return found


def ratios(said, truth):
    return [a / b for a, b in zip(said, truth) if LEAST <= b <= MOST]


def share(flags):
    flags = list(flags)
    return "%.0f" % (100.0 * sum(flags) / len(flags)) if flags else "-"


def both(values):
    return "%.1e / %.1e" % (max(values), statistics.median(values))


def row(label, said, truth, noise, costs):
    """Prints one run; said are E and the estimate."""
    q_sum, q = (ratios(one, truth) for one in said)
    loud = sum(LEAST <= t <= MOST and n > t / 3.0 for t, n in zip(truth, noise))
    print("| %s | %s | %s | %s | %d (%d) | %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f |" % (
        label, both(truth), *(both(one) for one in said), len(q), loud, *shares(q), *shares(q_sum), *costs))
    sys.stdout.flush()


def shares(q):
    """Within a factor of 3, below a tenth."""
    return share(1 / 3 <= x <= 3 for x in q), share(x < 0.1 for x in q)


def bad(names, estimate, truth):
    """Those not within 3, with their ratios."""
    for name, a, t in zip(names, estimate, truth):
        if LEAST <= t <= MOST and not 1 / 3 <= a / t <= 3:
            print("    %s: truth %.1e, estimate %.1e (%.2g)" % (name, t, a, a / t))


def cases():
    """Period in us, prediction, every how-many-th period is watched."""
    for period_us in (500, 200, 100, 50):
        for prediction in PREDICTIONS:
            yield period_us, prediction, 1
    for watch in (2, 4, 8):
        for prediction in PREDICTIONS:
            yield 100, prediction, watch


def table(library, given, title, settings, twin):
    """All runs at one tolerance."""
    common = [*settings, *given.set]
    alone, n_alone = library.course([*MONOLITHIC, *common], twin.index)
    noise = twin.errors(alone)
    print("\n%s; one solver errs by %s, in %d right-hand sides\n" % (title, both(noise), n_alone))
    print("| P, prediction, watch | truth: largest / median | E | estimate | states (a third of it noise) | within 3, % "
          "| below a tenth, % | E within 3, % | E below a tenth, % | wall / one solver | CPU / one solver "
          "| f / one solver | watching, of f |")
    print("|" + " --- |" * 13)
    sums = {}
    for period_us, prediction, watch in cases():
        words = [*SLACK, *common, "slack.period=%.17g" % (1e-6 * period_us), "slack.watch=%d" % watch,
                 "relaxation.prediction=" + prediction]
        run = library.watched(words, twin.index)
        truth, said = twin.errors(run["values"]), (twin.largest(run["E"]), twin.largest(run["estimate"]))
        pairs = [(library.seconds([*MONOLITHIC, *common]), library.seconds(words)) for _ in range(given.repeat)]
        times = [min(split[i] for _, split in pairs) / min(whole[i] for whole, _ in pairs) for i in (0, 1)]
        f = run["n_rhs"] + run["n_watch"]
        label = "%d us %s%s" % (period_us, prediction, "" if watch == 1 else ", %d" % watch)
        row(label, said, truth, noise, (*times, f / n_alone, run["n_watch"] / f))
        sums[label] = run["sums"]
        if given.states:
            bad(twin.names, said[1], truth)
    print("\nSums of E_c by connection:\n")
    for label, found in sums.items():
        print("- %s: %s" % (label, ", ".join("%s %.1e" % (k, v) for k, v in sorted(found.items(), key=lambda kv: -kv[1]))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libwrsim")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--states", action="store_true", help="list the states that are not within 3")
    parser.add_argument("--skip-jumps", action="store_true")
    parser.add_argument("--set", action="append", default=[], help="for all but the twin")
    given = parser.parse_args()
    library = Library(given.libwrsim)
    found = library.states()
    names, index = list(found), list(found.values())
    fine, _ = library.course(TWIN, index, N_FINE)
    kept = [j for j in alike(fine) if max(v[j] for v in fine) > min(v[j] for v in fine)]
    twin = Truth([names[j] for j in kept], [index[j] for j in kept], [[point[j] for j in kept] for point in fine],
                 given.skip_jumps)
    print("%d states that move" % len(kept))
    table(library, given, "rtol = 1e-6", ["simulation.rtol=1e-6"], twin)
    table(library, given, "rtol as shipped", [], twin)


if __name__ == "__main__":
    main()
