#!/usr/bin/python3
"""Random models that read inputs in input blocks have the same bytes as models that read copies of the inputs.

    ports.py --wrsim PROGRAM --plugin MODELS.so [--seeds N,N...] [--first N --count N]

A seed determines a case of adversary.py; half of the cases have scenarios (scenarios.py). The script runs the case relaxed, in one
subsystem, and slackened. In the compared runs each model that is not shipped declares no input block, one for all inputs, one for each,
or one for the first two.
"""
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import adversary
import scenarios
import seeds
import slackened

COUNTS = ("n_step", "n_rejected", "n_rhs", "n_state_event", "n_time_event", "n_input_jump", "n_indicator")


def run(given, folder, text, options):
    with open(os.path.join(folder, "case.toml"), "w", encoding="utf-8") as file:
        file.write(text)
    seeds.remove(folder, "out.csv", "out.json")
    done = subprocess.run([given.wrsim, "case.toml", "-q", "-o", "out.csv", "--json", "out.json", *options], cwd=folder,
                          capture_output=True, text=True, errors="replace", check=False, timeout=200)
    rows, counts = seeds.rows_of(folder, "out.csv"), []
    if done.returncode == 0:
        with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
            counts = [[s.get(name) for name in COUNTS] for s in json.load(file)["subsystems"]]
    else:   # after a failure other subsystems may be ahead
        rows = [line for line in rows if ",c," in line]
    return done.returncode, re.sub(r"case\.toml:\d+:\d+", "", done.stderr), rows, counts


def check(given, seed):
    """Returns "" or the error. Returns None if all runs fail, with and without input blocks alike."""
    rng = random.Random(f"ports {seed}")
    case = adversary.draw_case(seed)
    slack = copy.deepcopy(case)
    slackened.slacken(slack)
    slack["settings"]["slack.bound"] = 0
    text_of = scenarios.toml_of if rng.random() < 0.5 else adversary.toml_of
    n_failed = 0
    with tempfile.TemporaryDirectory(prefix="ports") as folder:
        for name, one, options in (("split", case, []), ("monolithic", case, ["--monolithic"]), ("slack", slack, [])):
            plain = run(given, folder, text_of(one, given.plugin), options)
            n_failed += plain[0] != 0
            with_ports = copy.deepcopy(one)
            for part in with_ports["components"]:
                if not adversary.MODELS[part["kind"]].shipped:
                    part["parameters"]["ports"] = rng.choice([0, 1, 1, 2, 3])
            found = run(given, folder, text_of(with_ports, given.plugin), options)
            for what, a, b in zip(("exit code", "message", "rows", "counts"), found, plain):
                if a != b:
                    return f"{name}: another {what}: {str(a)[-300:]} instead of {str(b)[-300:]}"
    return None if n_failed == 3 else ""


if __name__ == "__main__":
    sys.exit(seeds.run(seeds.parser().parse_args(), check))
