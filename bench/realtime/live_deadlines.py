#!/usr/bin/env python3
"""Missed deadlines of paced runs with a live view, and of the same runs without, in turn.

usage: live_deadlines.py --wrsim PROGRAM [--pairs N] [--viewers N] [--step S] [--steps N] [--config FILE] [-D KEY=VALUE]

A viewer is a process of the lowest priority that asks for new data every 250 ms, as the page does. The exit code is 1 if the median number of
misses with the view exceeds the median without it by more than the interquartile range of the latter. One stall of a virtual machine causes
dozens of misses in turn. Such a stall dominates a mean, but not a median.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

CONFIG = """
simulation = {{ stop = {stop}, communication_step = {step} }}
relaxation = {{ scheme = "slack" }}
realtime = {{ rate = 1.0, misses = 0, jitter = false }}
component = [{{ name = "a", model = "vanderpol" }}, {{ name = "b", model = "dahlquist" }}, {{ name = "c", model = "dahlquist" }},
             {{ name = "d", model = "relay" }}]
connection = [{{ from = "b.x", to = "c.u" }}]
"""


def view(url):
    """Asks for new data until the server ends, as the page does."""
    row = step = 0
    while True:
        try:
            about = json.load(urllib.request.urlopen(url + "signals"))
            shown = ",".join(str(i) for i in range(min(3, len(about.get("signals", [])))))
            data = json.load(urllib.request.urlopen(f"{url}data?g={about['generation']}&row={row}&step={step}&s={shown}"))
        except OSError:
            return
        row, step = data.get("row", 0), data.get("step", 0)
        if data.get("state") == "ended":
            return
        time.sleep(0.25)


def run(options, config, folder, is_live):
    """Returns the real-time figures of a run."""
    summary = folder / "s.json"
    keys = [word for key in options.keys for word in ("-D", key)]
    command = [options.wrsim, "run", str(config), "-q", "-o", str(folder / "r.h5"), "--json", str(summary), *keys]
    if not is_live:
        subprocess.run(command, check=True)
    else:
        with subprocess.Popen([*command, "--live"], stderr=subprocess.PIPE, text=True) as program:
            line = ""
            while "live view" not in line:
                line = program.stderr.readline()
                if not line:
                    sys.exit("the program has no live view")
            url = re.search(r"http://\S+", line)[0]
            viewers = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "--view", url],
                                        preexec_fn=lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))
                       for _ in range(options.viewers)]
            program.stderr.read()
        for viewer in viewers:
            viewer.wait()
        if program.returncode != 0:
            sys.exit(f"the run ended with {program.returncode}")
    return json.loads(summary.read_text(encoding="utf-8"))["realtime"]


def main():
    if sys.argv[1:2] == ["--view"]:
        return view(sys.argv[2])
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim", required=True, type=os.path.abspath)
    parser.add_argument("--config", help="a paced config in place of four small models")
    parser.add_argument("--pairs", type=int, default=10, help="at least 2")
    parser.add_argument("--viewers", type=int, default=2)
    parser.add_argument("--step", type=float, default=500e-6, help="period and deadline, s")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("-D", action="append", default=[], dest="keys")
    options = parser.parse_args()
    if options.pairs < 2:
        parser.error("--pairs: at least 2")
    found = {True: [], False: []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        config = pathlib.Path(options.config).resolve() if options.config else folder / "c.toml"
        if not options.config:
            config.write_text(CONFIG.format(stop=options.step * options.steps, step=options.step), encoding="utf-8")
        for i in range(options.pairs):
            for is_live in ((True, False) if i % 2 else (False, True)):
                found[is_live].append(run(options, config, folder, is_live))
    miss = {is_live: [r["n_miss"] for r in found[is_live]] for is_live in found}
    for is_live, name in ((True, "with live view"), (False, "without")):
        times = [statistics.median(r["compute"][key] for r in found[is_live]) / 1e3 for key in ("median_ns", "quantile_0.999_ns")]
        print(f"{name}: {sum(miss[is_live])} missed, median {statistics.median(miss[is_live])} of {found[is_live][0]['n_step']}, "
              f"computing {times[0]:.1f} us, 99.9 % {times[1]:.1f} us: {miss[is_live]}")
    excess = statistics.median(miss[True]) - statistics.median(miss[False])
    low, _, high = statistics.quantiles(miss[False], n=4, method="inclusive")
    print(f"median misses with the view less median without: {excess:g}; interquartile range without: {high - low:g}")
    return int(excess > high - low)


if __name__ == "__main__":
    sys.exit(main())
