"""Scenarios that begin at or before the start, against closed forms. TAP.

    start_scenarios.py --wrsim PROGRAM --plugin split_models.so [NAME ...]

A scenario changes a constant 3 from the start on or earlier. At the start a sampler reads the new value, and a relay has the state of
the new value. A counter counts no edge, and an integrator integrates only the new value. The runs are monolithic, Jacobi,
Gauss-Seidel and slackened, from the starts 0 and 2. With an earlier scenario, the runs from 2 that are not slackened also restart.
"""
import csv
import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap

SOURCE, LENGTH = 3.0, 1.0
MODEL = """
plugin = [{{ file = "{plugin}" }}]
component = [
    {{ name = "src", model = "signal.constant", parameters = {{ value = 3.0 }} }},
    {{ name = "sampler", model = "signal.sampler", parameters = {{ period = 10.0, t_first = {start!r} }} }},
    {{ name = "count", model = "split.counter", parameters = {{ threshold = 5.0 }} }},
    {{ name = "relay", model = "relay.switch", parameters = {{ high = 5.0, low = 1.0 }} }},
    {{ name = "int", model = "dahlquist", parameters = {{ a = 0.0, b = 1.0 }}, start = {{ x = 0.0 }} }},
]
connection = [{{ from = "src.y", to = ["sampler.u", "count.u", "relay.measured", "int.u"] }}]
[simulation]
start = {start!r}
stop = {stop!r}
communication_step = 0.25
rtol = 1e-8
[scheduler]
workers = 1
"""
SLACK = "relaxation.scheme=slack"
GROUPINGS = ["simulation.monolithic=true", "relaxation.scheme=jacobi", "relaxation.scheme=gauss_seidel"]


class Bench:
    def __init__(self, folder):
        self.folder = folder

    def execute(self, scenario, start, *arguments):
        """Returns the recorded values at the start and at the end."""
        config, out = self.folder / "start.toml", self.folder / "out.csv"
        config.write_text(MODEL.format(start=start, stop=start + LENGTH, plugin=options.plugin) + scenario)
        out.unlink(missing_ok=True)
        run = subprocess.run([options.wrsim, "-q", config, "-o", out, *map(str, arguments)], capture_output=True, text=True)
        tap.expect(run.returncode == 0, run.stderr)
        with open(out, newline="") as lines:
            table = list(csv.reader(line for line in lines if not line.startswith("#")))
        names = [name.split(" ")[0] for name in table[0]]
        rows = [dict(zip(names, row)) for row in table[1:]]
        last = {}
        for row in rows: # rows at events have the values of one subsystem
            if row["time"] == rows[-1]["time"]:
                last.update((name, value) for name, value in row.items() if value)
        return rows[0], last


def close(row, wanted, text):
    for name, value in wanted.items():
        tap.expect(abs(float(row[name]) - value) <= 1e-7 * max(1.0, abs(value)),
                   "%s: %s is %s, not %r" % (text, name, row[name], value))


def lines(begin, duration, action):
    text = '[[scenario]]\nname = "new"\n%s\nat = %r\n' % (action, begin)
    return text + ("until = %r\n" % (begin + duration) if duration else "")


def holds(bench, action, at_start, area, **more):
    """Checks a scenario that begins `before` seconds before the start. at_start(before): value of the signal at the start.
    area(before): integral of the signal over the run. more: further values at the start, or other values."""
    for start, before, grouping in itertools.product((0.0, 2.0), (0.0, 1.0), GROUPINGS + [SLACK]):
        begin = start - before
        text = "start %g, at %g, %s" % (start, begin, grouping)
        settings = ("-D", grouping)
        scenario = lines(begin, 0.0, action)
        level, whole = at_start(before), area(before)
        wanted = {"sampler.y": level, "count.rises": 0.0, "count.falls": 0.0, "relay.on": float(level < 5.0), **more}
        first, last = bench.execute(scenario, start, *settings)
        close(first, wanted, text)
        if grouping == SLACK:
            continue # integrals of slackened runs have errors of their own
        close(last, {**wanted, "int.x": whole}, text)
        if start == 0.0 or before == 0.0:
            continue
        for every in (0.4, 100.0): # the last checkpoint is in the middle, or at the start
            kept = bench.folder / "kept"
            bench.execute(scenario, start, *settings, "--checkpoint", kept, "--checkpoint-every", every)
            _, last = bench.execute(scenario, start, *settings, "--restart", kept)
            close(last, {**wanted, "int.x": whole}, text + ", restarted")


def test_override(bench):
    holds(bench, 'signal = "src.y"\naction = "override"\nvalue = 7.0', lambda b: 7.0, lambda b: 7.0)


def test_bias_and_gain(bench):
    holds(bench, 'signal = "src.y"\naction = "bias"\nvalue = 4.0', lambda b: 7.0, lambda b: 7.0)
    holds(bench, 'signal = "src.y"\naction = "gain"\nvalue = 2.5', lambda b: 7.5, lambda b: 7.5)


def table(bench, text):
    file = bench.folder / "table.csv"
    file.write_text("time,level\n" + text)
    return 'signal = "src.y"\naction = "replay"\nfile = "%s"\ncolumn = "level"\n' % file


def test_replay(bench):
    replay = table(bench, "0,6\n10,16\n")
    holds(bench, replay, lambda b: 6.0 + b, lambda b: 6.5 + b)
    replay = table(bench, "0,6\n1,8\n2,9\n5,1\n") # a replay that begins 1 s before the start jumps at the start
    holds(bench, replay + 'between = "hold"', lambda b: 8.0 if b else 6.0, lambda b: 8.0 if b else 6.0)


def test_replay_with_a_period(bench):
    replay = table(bench, "0,6\n0.1,8\n0.25,5.5\n")
    for keys, at_start, area in (
            ("period = 0.25", 6.0, 4 * (0.1 * 7.0 + 0.15 * 6.75)),
            ("period = 0.2", 6.0, 5 * (0.1 * 7.0 + 0.1 * (8.0 - 2.5 / 3))),
            ("offset = 0.1\nperiod = 0.25", 8.0, 4 * (0.15 * 6.75 + 0.1 * 5.5)), # 0.1 s behind the end of the table
            ("offset = -0.1\nperiod = 0.25", 6.0, 4 * (0.1 * 6.0 + 0.1 * 7.0 + 0.05 * (8.0 - 2.5 / 6))),
            ('between = "hold"\nperiod = 0.25', 6.0, 4 * (0.1 * 6.0 + 0.15 * 8.0))):
        holds(bench, replay + keys, lambda b: at_start, lambda b: area)


def test_period_refused(bench):
    config = bench.folder / "period.toml"
    for period, text in (("1e-300", "would pass more than 1e9 points"), ("1e-10", "would pass more than 1e9 points"),
                         ("0.0", "'period' of [[scenario]] must be greater than 0")):
        config.write_text(MODEL.format(start=0.0, stop=1.0, plugin=options.plugin) +
                          lines(0.0, 0.0, table(bench, "0,6\n1,8\n") + "period = " + period))
        run = subprocess.run([options.wrsim, "-q", config, "-o", ""], capture_output=True, text=True)
        tap.expect(run.returncode == 3 and text in run.stderr, f"{period}: {run.returncode} {run.stderr}")


def test_ramp_and_freeze(bench):
    holds(bench, 'signal = "src.y"\naction = "freeze"', lambda b: SOURCE, lambda b: SOURCE)
    ramp = 'signal = "src.y"\naction = "ramp"\n'
    holds(bench, ramp + "value = 4.0\nramp_time = 2.0", lambda b: 3.0 + b / 2, lambda b: 3.25 + b / 2)
    # a ramp that begins 1 s before the start ends at the start
    holds(bench, ramp + "value = 4.5\nramp_time = 1.0", lambda b: 3.0 + 1.5 * b, lambda b: 4.5 if b else 3.75)


def test_stop(bench):
    stop = '[[scenario]]\nname = "enough"\naction = "stop"\n'
    for start, grouping in itertools.product((0.0, 2.0), GROUPINGS):
        for begin, end in (('when = "int.x > 1.5"', start + 0.5), ("at = %r" % (start + 0.3), start + 0.3),
                           ('when = "int.x > 15"', start + LENGTH), ("at = %r" % (start + 9.0), start + LENGTH)):
            _, last = bench.execute(stop + begin, start, "-D", grouping)
            wanted = {"time": end, "int.x": SOURCE * (end - start)}
            if "int.x" not in last: # an event row of another subsystem
                del wanted["int.x"]
            tap.expect("int.x" in last or begin.startswith("at"), f"{begin}, {grouping}: no value of int.x")
            close(last, wanted, f"start {start}, {begin}, {grouping}")


def test_stop_refused(bench):
    config = bench.folder / "stop.toml"
    for begin, settings, code, text in (
            ("at = 0.0", [], 5, "ends the run, so the run has no results"),
            ('when = "src.y > 2"', [], 5, "ends the run, so the run has no results"),
            ("at = 0.3", ["-D", SLACK], 5, "this run cannot end within a window"),
            ('at = 0.3\nsignal = "src.y"', [], 3, "ends the run and has no 'signal'"),
            ("at = 0.3\nuntil = 0.4", [], 3, "'until' of [[scenario]] does not apply to action"),
            ("at = 0.3\nvalue = 1.0", [], 3, "'value' of [[scenario]] does not apply to action")):
        config.write_text(MODEL.format(start=0.0, stop=1.0, plugin=options.plugin) +
                          '[[scenario]]\nname = "enough"\naction = "stop"\n' + begin)
        run = subprocess.run([options.wrsim, "-q", config, "-o", "", *settings], capture_output=True, text=True)
        tap.expect(run.returncode == code and text in run.stderr, f"{begin}: {run.returncode} {run.stderr}")


def test_parameter(bench):
    holds(bench, 'parameter = "src.value"\nvalue = 7.0', lambda b: 7.0, lambda b: 7.0)


def test_reset(bench):
    holds(bench, 'signal = "int.x"\naction = "reset"\nvalue = 2.0', lambda b: SOURCE, lambda b: 2.0 + SOURCE)
    holds(bench, 'signal = "relay.is_on"\naction = "reset"\nvalue = 0.0', lambda b: SOURCE, lambda b: SOURCE,
          **{"relay.on": 0.0})


def test_chain(bench):
    """The second scenario freezes the signal at the value of the first scenario."""
    first = 'signal = "src.y"\naction = "override"\nvalue = 7.0\nat = -1.0\n[[scenario]]\nname = "then"\n'
    holds(bench, first + 'signal = "src.y"\naction = "freeze"', lambda b: 7.0, lambda b: 7.0)


def test_ends(bench):
    """A scenario that ends before or at the start never acts. A scenario that ends later causes one edge."""
    override = 'signal = "src.y"\naction = "override"\nvalue = 7.0'
    for start, grouping in itertools.product((0.0, 2.0), GROUPINGS):
        for begin, duration in ((-2.0, 1.0), (-1.0, 1.0)):
            scenario = lines(start + begin, duration, override)
            first, last = bench.execute(scenario, start, "-D", grouping)
            wanted = {"sampler.y": SOURCE, "count.rises": 0.0, "count.falls": 0.0, "relay.on": 1.0}
            close(first, wanted, grouping)
            close(last, {**wanted, "int.x": SOURCE}, grouping)
        first, last = bench.execute(lines(start - 1.0, 1.5, override), start, "-D", grouping)
        close(first, {"sampler.y": 7.0, "count.falls": 0.0, "relay.on": 0.0}, grouping)
        close(last, {"sampler.y": 7.0, "count.rises": 0.0, "count.falls": 1.0, "int.x": 5.0}, grouping)


if __name__ == "__main__":
    options = tap.parser("--plugin").parse_args()
    sys.exit(tap.run(globals(), options, Bench))
