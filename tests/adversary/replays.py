#!/usr/bin/python3
"""In random models a recording replaces each subsystem in turn. The other subsystems must have the results of the full run.

    replays.py --wrsim PROGRAM --plugin MODELS.so [--seeds N,N...] [--first N --count N] [--points]

A seed determines a case of adversary.py and the windows of the first replay. The full run records all nodes. The first replay uses this
recording for one subsystem, and the second replay uses the recording of the first. A signal may differ from the full run by 50 rtol of
its range, by 1e-6 of its range, or by five times the error of the full run against a tight monolithic run. With --points
the recordings have communication points only and are less accurate. The script then checks only that no replay fails.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import adversary
import seeds

WITHIN_RTOL, WITHIN_TWIN, LEAST = 50.0, 5.0, 1e-6
OUT_OF_REACH = 1e-7     # the script omits a case with a smaller rtol, because a replay is only as accurate as its recording


def call(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False,
                          timeout=120)
    return done.returncode, (done.stdout + done.stderr).strip()


def worst_difference(given, folder, result, reference):
    code, text = call([given.wrsim, "compare", "--allow-missing", result, reference], folder)
    found = re.search(r"^largest difference: (\S+) of the range", text, re.M)
    return float(found.group(1)) if code == 0 and found else float("inf")


def play(given, folder, subsystem, recording, result, windows):
    words = [given.wrsim, "case.toml", "-q", "-o", result, "-D", "output.waves=true",
             "-D", f"subsystem.{subsystem}.kind=replay", "-D", f"subsystem.{subsystem}.file={recording}", *windows]
    return call(words, folder)


def draw_windows(rng, step_s):
    share = rng.choice([None, 0.05, 0.3, 1.7])
    if share is None:
        return []
    return [word for name, by in (("max", 1.0), ("initial", 0.5), ("min", 1e-4))
            for word in ("-D", f"relaxation.window.{name}={by * share * step_s}")]


def tight(given, folder, case):
    """Returns the file of the reference. The first call writes this file."""
    if not os.path.exists(os.path.join(folder, "tight.h5")):
        call([given.wrsim, "case.toml", "-q", "-o", "tight.h5", "--monolithic",
              "-D", f"simulation.rtol={min(1e-9, 1e-3 * case['rtol'])}"], folder)
    return "tight.h5"


def check_one(given, folder, case, full, subsystem, windows):
    """Returns "" or the error. Returns None if a recording cannot replace the subsystem."""
    recording = full
    for i, name in enumerate(("once", "twice")):
        result = f"{subsystem}_{name}.h5"
        code, text = play(given, folder, subsystem, recording, result, windows if i == 0 else [])
        if code and ("has no readers" in text or "has a pulse that depends on" in text):
            return None
        if code:
            return f"'{subsystem}' cannot be played: {text[-300:]}"
        recording = result
        off = 0.0 if given.points else worst_difference(given, folder, result, full)
        if (off > max(WITHIN_RTOL * case["rtol"], LEAST)
                and off > WITHIN_TWIN * worst_difference(given, folder, full, tight(given, folder, case))):
            return f"'{subsystem}' played {name} is off by {off} of a signal's range, rtol {case['rtol']:.3g}"
    return ""


def check(given, seed):
    """Returns "" or the error. Returns None if the script omits the case."""
    case = adversary.draw_case(seed)
    rng = random.Random(f"replay {seed}")
    text = adversary.toml_of(case, given.plugin)
    subsystems = re.findall(r'\[\[subsystem\]\]\nname = "(\w+)"', text)
    if case["rtol"] < OUT_OF_REACH or len(subsystems) < 2:
        return None
    windows = draw_windows(rng, case["step_s"])
    with tempfile.TemporaryDirectory(prefix="replays") as folder:
        with open(os.path.join(folder, "case.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        full = "full.csv" if given.points else "full.h5"
        waves = [] if given.points else ["-D", "output.waves=true"]
        if call([given.wrsim, "case.toml", "-q", "-o", full, *waves], folder)[0] != 0:
            return None
        found = [check_one(given, folder, case, full, subsystem, windows) for subsystem in subsystems]
    found = [why for why in found if why is not None]
    return "; ".join(why for why in found if why) if found else None


if __name__ == "__main__":
    parser = seeds.parser()
    parser.add_argument("--points", action="store_true")
    sys.exit(seeds.run(parser.parse_args(), check, os.cpu_count()))
