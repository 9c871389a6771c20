#!/usr/bin/env python3
"""The engine with one cylinder replaced by its recording has the airpath of the full run.

    replay.py WRSIM ENGINE.toml [--stop S]

Recorded node by node (output.waves) within 30 x rtol of each signal's range; from points 500 us apart with the error
printed, which the warning must have foretold within a factor of ten.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "harness"))
import engine_tight

WITHIN = 30.0


def run(wrsim, config, *overrides):
    words = [wrsim, "-q", config]
    for o in overrides:
        words += ["-D", o]
    return subprocess.run(words, capture_output=True, text=True)


def airpath(file):
    """{signal: values} of what is not in a cylinder, at communication points."""
    with open(file) as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    points = [row for row in rows[1:] if row[1] == "c"]
    return {name.split(" ")[0]: [float(row[k]) for row in points]
            for k, name in enumerate(rows[0]) if k != 1 and not name.startswith("cyl")}


def worst(file, reference):
    ours, theirs = airpath(file), airpath(reference)
    largest, where = 0.0, ""
    for name, value in theirs.items():
        span = max(value) - min(value)
        if name not in ours or span <= 1e-8 * max(abs(v) for v in value):
            continue
        assert len(ours[name]) == len(value), "other points"
        error = max(abs(a - b) for a, b in zip(ours[name], value)) / span
        if not error <= largest:
            largest, where = error, name
    return largest, where


def replayed(source, name, file):
    """The config's text with that subsystem played from a file."""
    parts = re.split(r"(?m)^(?=\[\[subsystem\]\])", source)
    for i, part in enumerate(parts):
        if part.startswith("[[subsystem]]") and re.search(r'name\s*=\s*"%s"' % name, part):
            lines = [line for line in part.split("\n")
                     if not re.match(r"\s*(follows|lag)\s*=", line)]
            at = next(k for k, line in enumerate(lines) if line.startswith("name"))
            lines[at] += '\nkind = "replay"\nfile = "%s"' % file
            parts[i] = "\n".join(lines)
    text = "".join(parts)
    assert 'kind = "replay"' in text, "no subsystem '%s'" % name
    # Who follows the cylinder that is played has no history of it.
    return re.sub(r'(?m)^follows = "%s"\nlag = .*\n' % name, "", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wrsim")
    parser.add_argument("config")
    parser.add_argument("--stop", type=float, default=0.12)
    parser.add_argument("--cylinder", default="cyl2")
    given = parser.parse_args()
    source = open(given.config).read()
    rtol = 1e-5 # as engine_tight has it
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        common = [*engine_tight.OVERRIDES, "simulation.stop=%g" % given.stop, 'output.json=""']
        for scheme in ("jacobi", "gauss_seidel"):
            way = ['relaxation.scheme="%s"' % scheme]
            full = run(given.wrsim, given.config, *common, *way, 'output.file="%s"' % at("full.h5"),
                       "output.signals=[]", "output.waves=true")
            assert full.returncode == 0, full.stderr
            plain = run(given.wrsim, given.config, *common, *way, 'output.file="%s"' % at("plain.csv"),
                        "output.signals=[]")
            assert plain.returncode == 0, plain.stderr
            for kind, file in (("waves", "full.h5"), ("points", "plain.csv")):
                config = at("%s.toml" % kind)
                with open(config, "w") as f:
                    f.write(replayed(source, given.cylinder, at(file)))
                done = run(given.wrsim, config, *common, *way, 'output.file="%s"' % at("replay.csv"),
                           "output.signals=[]")
                if done.returncode != 0:
                    print("%s, %s: exit code %d: %s" % (scheme, kind, done.returncode, done.stderr))
                    failed += 1
                    continue
                error, signal = worst(at("replay.csv"), at("plain.csv"))
                print("%s, %s: airpath off by at most %.2g of range (%s), %.3g x rtol"
                      % (scheme, kind, error, signal, error / rtol))
                if kind == "waves" and not error <= WITHIN * rtol:
                    failed += 1
                if kind == "points":
                    checked = subprocess.run([given.wrsim, "check", config, *engine_tight.WORDS, "-D",
                                              "simulation.stop=%g" % given.stop],
                                             capture_output=True, text=True)
                    said = re.search(r"off by about ([0-9.e+-]+)", checked.stdout + checked.stderr)
                    print("    foretold: %s" % (said.group(1) if said else "nothing"))
                    failed += said is None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
