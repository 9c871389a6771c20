"""Checks whether a shorter period of the connection with the largest sum of E_c reduces the error most.

    python3 bench/slack/worst_connection.py build/wrsim [--part N]

The script runs models/engine/engine.toml over one cycle (0.048 s) from the common start, with slack.bound = 0, slack.watch = 1 and
rtol = 1e-6. For each period and prediction the run ranks connections by the sum of their E_c (docs/METHODS.md). The script then divides
the period of one connection after the other by N (4), and compares errors against the monolithic engine at rtol = 1e-9. The error is
the geometric mean over all recorded signals that change, of the RMS error on a grid of 25 us, in ranges. In contrast to the RMS error,
the largest error depends mostly on the times of jumps. The subsystems at both ends of a connection use its period, so a shorter
period applies to both directions.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/engine/engine.toml")
COMMON = ["simulation.stop=0.048", "simulation.communication_step=25e-6", "output.events=false"]
SLACK = ["relaxation.scheme=slack", "slack.bound=0", "slack.watch=1", "simulation.rtol=1e-6"]
CYLINDERS = ("cyl1", "cyl2", "cyl3", "cyl4")


def shortened(text, cylinder, period_s):
    """Returns the config with a shorter period of the connection from the cylinder to its port in the airpath."""
    found = re.compile(r'(\[\[connection\]\]\nfrom = "%s"\nto = "port\d"\n)' % cylinder)
    text, n = found.subn(r"\g<1>period = %.17g\n" % period_s, text, count=1)
    if n != 1:
        sys.exit("%s has no connection to a port of its own" % cylinder)
    return text


class Runs:
    def __init__(self, wrsim, folder):
        self.wrsim, self.folder = wrsim, folder
        with open(ENGINE, encoding="utf-8") as file:
            self.text = file.read()

    def run(self, text, words):
        """Runs a config. Returns values [signal][point] and the summary."""
        names = [os.path.join(self.folder, "run." + ending) for ending in ("toml", "csv", "json")]
        with open(names[0], "w", encoding="utf-8") as file:
            file.write(text)
        command = [self.wrsim, names[0], "-q", "-o", names[1], "--json", names[2]]
        for word in (*COMMON, *words):
            command += ["-D", word]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        with open(names[1], encoding="utf-8") as file:
            lines = csv.reader(line for line in file if not line.startswith("#"))
            kind = next(lines).index("kind")
            rows = [[float(word) for word in line[kind + 1:]] for line in lines if line[kind] == "c"]
        with open(names[2], encoding="utf-8") as file:
            return list(zip(*rows)), json.load(file)

    def twin(self):
        return self.run(self.text, ["simulation.monolithic=true", "simulation.rtol=1e-9", "solver.kind=dopri54"])[0]


def mean_error(values, truth):
    """Returns the geometric mean over all moving signals of the RMS error over the grid, in ranges."""
    found = []
    for course, exact in zip(values, truth):
        span = max(exact) - min(exact)
        if span > 1e-9 * max(map(abs, exact)):
            square = sum((a - b) ** 2 for a, b in zip(course, exact)) / len(exact)
            found.append(math.log(max(math.sqrt(square) / span, 1e-12)))
    return math.exp(sum(found) / len(found))


def sums_of(summary):
    """Returns for each cylinder the larger sum of E_c of its connections to and from the airpath."""
    sums = {}
    for reader in summary["delay_errors"]:
        for one in reader["connections"]:
            cylinder = next(name for name in (reader["name"], one["producer"]) if name in CYLINDERS)
            sums[cylinder] = max(sums.get(cylinder, 0.0), one["sum"])
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wrsim")
    parser.add_argument("--part", type=int, default=4, help="divisor of the period for the shortened connection")
    given = parser.parse_args()
    n_right = n_all = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(given.wrsim, folder)
        truth = runs.twin()
        print("| P, prediction | error | %s | named | its place |" % " | ".join(CYLINDERS))
        print("|" + " --- |" * (len(CYLINDERS) + 4))
        for period_us in (500, 200, 100, 50):
            for prediction in ("hold", "linear", "auto"):
                words = [*SLACK, "slack.period=%.17g" % (1e-6 * period_us), "relaxation.prediction=" + prediction]
                values, summary = runs.run(runs.text, words)
                sums = sums_of(summary)
                error = {name: mean_error(runs.run(shortened(runs.text, name, 1e-6 * period_us / given.part), words)[0], truth)
                         for name in CYLINDERS}
                named = max(sums, key=sums.get)
                place = sorted(CYLINDERS, key=error.get).index(named) + 1
                n_right += place <= 2
                n_all += 1
                print("| %d us %s | %.2e | %s | %s | %d |" % (
                    period_us, prediction, mean_error(values, truth),
                    " | ".join("%.2e (%.2g)" % (error[name], sums[name]) for name in CYLINDERS), named, place), flush=True)
    print("\nError with that cylinder's connection shortened, in brackets the sum of E_c through it without; the one named is"
          " among the two best in %d of %d runs" % (n_right, n_all))


if __name__ == "__main__":
    main()
