"""A live slackened run, as the clock would have it, is replayed from its log to the same rows on 1, 2 and 5 workers.

usage: slack_replay.py [--workers N,N...] WRSIM CONFIG [KEY=VALUE ...]

The live run has 3 workers. Its log must have reads of another age than its neighbours', or nothing was replayed: that is said
only, as it depends on the machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from counted import differences  # pylint: disable=wrong-import-position


def run(given, folder, n_worker, more):
    """Returns the rows of the result, without the config above them, and the summary."""
    command = [given.program, given.config, "-q", "-o", "result.csv", "--json", "summary.json"]
    for setting in ["relaxation.scheme=slack", f"scheduler.workers={n_worker}", *given.overrides, *more]:
        command += ["-D", setting]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    return rows_of(os.path.join(folder, "result.csv")), summary


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [line for line in file if not line.startswith("#")]


def ages(path):
    """How often which age was read, in periods."""
    rows = [line.rstrip("\n").split(",")[2:] for line in rows_of(path)[1:]]
    count = {}
    for i, row in enumerate(rows):
        for value in row:
            if value:
                count[i - int(float(value))] = count.get(i - int(float(value)), 0) + 1
    return dict(sorted(count.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", default="1,2,5")
    for name in ("program", "config"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("overrides", nargs="*")
    given, n_wrong = parser.parse_args(), 0
    with tempfile.TemporaryDirectory() as folder:
        live, summary = run(given, folder, 3, ["slack.log=log.csv"])
        print(f"live: {len(live)} rows, reads by age {ages(os.path.join(folder, 'log.csv'))}")
        if len(live) < 20:
            print("  too few rows")
            n_wrong += 1
        for n_worker in map(int, given.workers.split(",")):
            rows, again = run(given, folder, n_worker, ["slack.replay=log.csv"])
            differ = differences(summary, again)
            is_same = rows == live and not differ
            print(f"{n_worker} workers: {'same' if is_same else 'OTHER rows' if rows != live else differ[0]}")
            n_wrong += not is_same
    return 1 if n_wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
