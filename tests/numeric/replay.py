#!/usr/bin/env python3
"""If recordings replace subsystems, the other subsystems have the results of the full run.

    replay.py WRSIM ENGINE.toml

The engine with a recording of one cylinder has the airpath of the full run. If the recording has all nodes (output.waves), the airpath is
within 30 rtol of each signal's range. If the recording has points 500 us apart, the airpath is within ten times the error that
the warning reports for the recorded signals. Recordings of a sampler and a step have the jumps of the full run, at the same times, with
the same values on both sides.
"""
import csv
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
import runs

WITHIN = 30.0
ENGINE_RTOL = 1e-5
ENGINE_STOP = 0.12
CYLINDER = "cyl2"

JUMPS_RTOL = 1e-7
JUMPS = """
component = [
    { name = "sine", model = "signal.sine", parameters = { amplitude = 1.0, frequency = 1.5, t_on = 0.5 } },
    { name = "sampler", model = "signal.sampler", parameters = { period = 0.1 } },
    { name = "step", model = "signal.step", parameters = { before = 0.0, after = 2.0, t_step = 0.955 } },
    { name = "lag", model = "dahlquist", parameters = { a = -4.0, b = 4.0 }, start = { x = 0.0 } },
    { name = "lag2", model = "dahlquist", parameters = { a = -2.0, b = 1.0 }, start = { x = 0.0 } },
]
connection = [
    { from = "sine.y", to = "sampler.u" }, { from = "sampler.y", to = "lag.u" }, { from = "step.y", to = "lag2.u" },
]
subsystem = [
    { name = "source", components = ["sine", "sampler", "step"] }, { name = "sink", components = ["lag", "lag2"] },
]
[simulation]
stop = 3.0
communication_step = 0.01
rtol = 1e-7

[relaxation]
window = { initial = 0.05, min = 1e-6, max = 0.5 }
"""


def run(wrsim, config, output, *overrides):
    """Runs the config and returns its messages."""
    done = runs.call(wrsim, config, "-o", output, *runs.defined(['output.json=""', "output.signals=[]", *overrides]))
    return done.stdout + done.stderr


def played(subsystem, file):
    return ["subsystem.%s.kind=replay" % subsystem, 'subsystem.%s.file="%s"' % (subsystem, file)]


def read(file):
    """Returns communication rows {signal: values}, and event rows [(time, kind, {signal: value})], of a CSV file."""
    rows = list(csv.reader(runs.lines_of(file)))
    names = [name.split(" ")[0] for name in rows[0]]
    points = {name: [float(row[k]) for row in rows[1:] if row[1] == "c"]
              for k, name in enumerate(names) if k != 1}
    events = [(float(row[0]), row[1], {names[k]: float(row[k]) for k in range(2, len(row)) if row[k]})
              for row in rows[1:] if row[1] != "c"]
    return points, events


def worst(file, reference, is_wanted):
    """Returns the largest difference of a wanted signal at communication points, relative to its range, and the signal."""
    ours, theirs = read(file)[0], read(reference)[0]
    largest, where, n = 0.0, "", 0
    for name, value in theirs.items():
        span = max(value) - min(value)
        if not is_wanted(name) or span <= 1e-8 * max(abs(v) for v in value):
            continue
        n += 1
        assert len(ours[name]) == len(value), "other points"
        error = max(abs(a - b) for a, b in zip(ours[name], value)) / span
        if not error <= largest:
            largest, where = error, name
    assert n > 0, "nothing to compare"
    return largest, where


def check_engine(wrsim, config, folder, scheme):
    waves, plain, replay = (os.path.join(folder, name) for name in ("waves.h5", "plain.csv", "replay.csv"))
    common = [*engine_tight.OVERRIDES, "simulation.rtol=%g" % ENGINE_RTOL,
              "simulation.stop=%g" % ENGINE_STOP, "relaxation.scheme=%s" % scheme]
    is_airpath = lambda name: not name.startswith("cyl")
    run(wrsim, config, waves, *common, "output.waves=true")
    run(wrsim, config, plain, *common)
    is_good = True

    said = run(wrsim, config, replay, *common, *played(CYLINDER, waves))
    error, signal = worst(replay, plain, is_airpath)
    print("%s, waves: airpath off by at most %.2g of range (%s), %.3g x rtol"
          % (scheme, error, signal, error / ENGINE_RTOL))
    is_good &= error <= WITHIN * ENGINE_RTOL and "are interpolated from points" not in said

    said = run(wrsim, config, replay, *common, *played(CYLINDER, plain))
    error, signal = worst(replay, plain, is_airpath)
    foretold = re.search(r"has the largest error, about ([0-9.e+-]+) of its range", said)
    print("%s, points 500 us apart: airpath off by at most %.2g of range (%s), %.3g x rtol; what is played is "
          "%s" % (scheme, error, signal, error / ENGINE_RTOL, foretold.group(0) if foretold else "?"))
    return is_good and foretold is not None and error <= 10.0 * float(foretold.group(1))


def jump_rows(file):
    """Returns pairs of event rows, left and right of the jumps of the recorded signals."""
    rows = [(t, kind, signals["sampler.y"], signals["step.y"])
            for t, kind, signals in read(file)[1] if "sampler.y" in signals]
    pairs = [(left, right) for left, right in zip(rows[::2], rows[1::2])]
    return [pair for pair in pairs
            if max(abs(pair[1][k] - pair[0][k]) for k in (2, 3)) > 1e-6]


def check_jumps(wrsim, folder, scheme):
    config, waves, plain, replay = (os.path.join(folder, name)
                                    for name in ("jumps.toml", "jumps.h5", "jumps.csv", "replay.csv"))
    with open(config, "w") as file:
        file.write(JUMPS)
    common = ["relaxation.scheme=%s" % scheme]
    run(wrsim, config, waves, *common, "output.waves=true")
    run(wrsim, config, plain, *common)
    is_good = True
    for kind, file in (("waves", waves), ("points", plain)):
        run(wrsim, config, replay, *common, *played("source", file))
        error, signal = worst(replay, plain, lambda name: name.startswith("lag"))
        ours, theirs = jump_rows(replay), jump_rows(plain)
        is_same = len(ours) == len(theirs) and all(
            a[0][1:2] + a[1][1:2] == ("l", "r") and
            max(abs(x - y) for side in (0, 1) for x, y in zip(a[side][0:1] + a[side][2:],
                                                              b[side][0:1] + b[side][2:])) < 1e-9
            for a, b in zip(ours, theirs))
        print("jumps, %s, %s: off by at most %.2g of range (%s), %.3g x rtol; %d jumps, %d in the full run, %s"
              % (scheme, kind, error, signal, error / JUMPS_RTOL, len(ours), len(theirs),
                 "the same" if is_same else "others"))
        is_good &= error <= WITHIN * JUMPS_RTOL and is_same and len(theirs) > 20
    return is_good


def main():
    wrsim, config = sys.argv[1:3]
    is_good = True
    for scheme in ("jacobi", "gauss_seidel"):
        with tempfile.TemporaryDirectory() as folder:
            is_good &= check_engine(wrsim, config, folder, scheme)
            is_good &= check_jumps(wrsim, folder, scheme)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
