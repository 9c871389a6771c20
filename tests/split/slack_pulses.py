"""A slackened run misses short pulses, and its monitor must report this error. TAP.

    slack_pulses.py --wrsim PROGRAM --plugin split_models.so [NAME ...]

Rectangular pulses of 0.2 ms occur every 10 ms, each between two exchanges 1 ms apart. Predictions do not contain the pulses, so readers
with and without states miss them. The true result of each reader is known. The monitor (slack.watch = 1) must report at least a third of
the error, and slack.eps_glo with "stop" must stop the run.
"""
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap

MODEL = """
plugin = [{{ file = "{plugin}" }}]
component = [
    {{ name = "up", model = "split.tick", parameters = {{ period = 0.01, t_first = {first!r} }} }},
    {{ name = "down", model = "split.tick", parameters = {{ period = 0.01, t_first = {last!r} }} }},
    {{ name = "pulse", model = "split.map", parameters = {{ k1 = 1.0, k2 = -1.0 }} }},
    {{ name = "reader", {reader} }},
]
connection = [
    {{ from = "up.n", to = "pulse.u1" }}, {{ from = "down.n", to = "pulse.u2" }}, {{ from = "pulse.y", to = "reader.{port}" }},
]
subsystem = [{{ name = "source", components = ["up", "down", "pulse"] }}]
[simulation]
stop = 0.2
communication_step = 1e-3
rtol = 1e-6
[relaxation]
scheme = "slack"
[slack]
period = 1e-3
watch = 1
[scheduler]
workers = 1
"""
FIRST, WIDTH = 0.0033, 0.0002
DELAYS = ["slack.bound=0", "slack.delays=fixed"]


class Bench:
    def __init__(self, folder):
        self.folder = folder

    def run(self, reader, port, *options):
        """Returns the exit code, the summary and the last row."""
        config, out, summary = (self.folder / name for name in ("pulses.toml", "out.csv", "out.json"))
        config.write_text(MODEL.format(plugin=options_given.plugin, first=FIRST, last=FIRST + WIDTH, reader=reader.replace("\n", ", "), port=port))
        words = [word for option in options for word in ("-D", option)]
        done = subprocess.run([options_given.wrsim, "-q", config, "-o", out, "--json", summary, *words], capture_output=True, text=True)
        tap.expect(done.returncode in (0, 8), done.stderr)
        with open(out, newline="") as lines:
            table = list(csv.reader(line for line in lines if not line.startswith("#")))
        names = [name.split(" ")[0] for name in table[0]]
        return done.returncode, json.loads(summary.read_text()), dict(zip(names, table[-1]))


def sees(bench, reader, port, signal=None, right=None):
    """Checks the reported error of a reader. signal: a value that is 0 if the run misses the pulses. right: the true final value."""
    for delays in DELAYS:
        _, said, row = bench.run(reader, port, delays)
        if signal:
            tap.expect(abs(float(row[signal]) - right) > 0.5 * abs(right), f"{delays}: the pulses are not lost: {row[signal]}")
        told = said["error_account"]["error"]     # the true error is the whole range
        tap.expect(told > 1.0 / 3.0, f"{delays}: {told:g} of the range is told, but all of the signal is lost")
        code, _, row = bench.run(reader, port, delays, "slack.eps_glo=1e-3", "slack.on_glo=stop")
        tap.expect(code == 8 and float(row["time"]) < 0.03, f"{delays}: it goes on to {row['time']} s, exit code {code}")


def test_integrator(bench):
    sees(bench, 'model = "dahlquist"\nparameters = { a = 0.0, b = 1.0 }\nstart = { x = 0.0 }', "u", "reader.x", 20 * WIDTH)


def test_lag(bench):
    sees(bench, 'model = "dahlquist"\nparameters = { a = -100.0, b = 100.0 }\nstart = { x = 0.0 }', "u")


def test_counter(bench):
    sees(bench, 'model = "split.counter"\nparameters = { threshold = 0.5 }', "u", "reader.rises", 20.0)


def test_sampler(bench):
    sees(bench, f'model = "signal.sampler"\nparameters = {{ period = 0.01, t_first = {FIRST + 0.5 * WIDTH!r} }}', "u", "reader.y", 1.0)


def test_relay(bench):
    sees(bench, 'model = "relay.switch"\nparameters = { high = 0.6, low = -1.0 }', "measured")


def test_algebraic(bench):
    sees(bench, 'model = "split.map"\nparameters = { k1 = 2.0 }', "u1")


def test_no_pulses(bench):
    """The run reports no error of a reader of a constant."""
    _, said, _ = bench.run('model = "dahlquist"\nparameters = { a = -1.0, b = 1.0 }', "u", "component.up.parameters.t_first=1.0",
                           "component.down.parameters.t_first=1.0")
    tap.expect(said["error_account"]["error"] < 1e-9, said["error_account"])


if __name__ == "__main__":
    options_given = tap.parser("--plugin").parse_args()
    sys.exit(tap.run(globals(), options_given, Bench))
