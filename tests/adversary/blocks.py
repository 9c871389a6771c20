#!/usr/bin/python3
"""Random models with and without event blocks have equal bytes and counts, with any number of workers.

    blocks.py --wrsim PROGRAM --plugin MODELS.so [--seeds N,N...] [--first N --count N] [--split]

A seed determines a case of adversary.py, in one to five copies in one subsystem. The copies have events at the same instants, in
separate event blocks. The script allows event blocks and parallel regions from one indicator on. Failing runs must have equal messages.

With --split each subsystem of the case contains the parts of all copies. The runs are relaxed or slackened, with several numbers of
workers. A restart from a checkpoint, with or without event blocks, must have the bytes of the whole run.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib

import adversary
import seeds
import slackened

COUNTS = ("n_step", "n_rejected", "n_rhs", "n_start", "n_state_event", "n_time_event", "n_input_jump", "n_flip", "n_event_pass",
          "n_active_indicator")
NEVER = 1000000000
REFUSED = 3 # exit code of a refused config
WAYS = ((NEVER, 1), (1, 1), (1, 2), (1, 3)) # (least number of indicators for event blocks, number of workers)


def value(v):
    if isinstance(v, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {value(x)}" for k, x in v.items()) + " }"
    if isinstance(v, list):
        return "[" + ", ".join(value(x) for x in v) + "]"
    return json.dumps(v) if isinstance(v, (str, bool)) else repr(v)


def table(name, rows):
    return f"{name}\n" + "".join(f"{k} = {value(v)}\n" for k, v in rows.items()) + "\n"


def renamed(names, by):
    return [by + name for name in names] if isinstance(names, list) else by + names


def several(text, n, is_split):
    """Returns n copies of the config, in one subsystem or in the subsystems of the config, with all signals recorded."""
    one = tomllib.loads(text)
    out = table("[simulation]", one["simulation"] if is_split else dict(one["simulation"], monolithic=True))
    for name in ("solver", "relaxation", "slack") if is_split else ("solver",):
        out += table(f"[{name}]", one.get(name, {}))
    for group in one.get("subsystem", []) if is_split else []:
        parts = [f"k{i}_{c}" for i in range(n) for c in group["components"]]
        out += table("[[subsystem]]", dict(group, components=parts))
    for plugin in one["plugin"]:
        out += table("[[plugin]]", plugin)
    for i in range(n):
        by = f"k{i}_"
        for c in one["component"]:
            out += table("[[component]]", dict(c, name=by + c["name"]))
        for c in one.get("connection", []):
            out += table("[[connection]]", dict(c, **{"from": renamed(c["from"], by), "to": renamed(c["to"], by)}))
    return out + table("[output]", {"file": "out.csv"})


def run(given, folder, way, more=()):
    """Returns (exit code, message, rows, counts), which must be equal for all ways, and the number of event blocks."""
    seeds.remove(folder, "out.csv", "out.json")
    words = [word for option in (f"simulation.event_blocks={way[0]}", f"scheduler.workers={way[1]}", "scheduler.min_work=0",
                                 "scheduler.event_threads=true", "scheduler.pin=false", 'output.json="out.json"') for word in ("-D", option)]
    done = subprocess.run([given.wrsim, "run", "case.toml", "-q", *words, *more], cwd=folder, capture_output=True,
                          text=True, errors="replace", check=False, timeout=300)
    data, counts, n_block = seeds.rows_of(folder, "out.csv"), [], 0
    if done.returncode == 0:
        with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
            all_of = json.load(file)["subsystems"]
        counts = [[s[name] for name in COUNTS if name in s] for s in all_of]
        n_block = sum(s.get("n_event_block", 0) for s in all_of)
    elif given.split:   # after a failure other subsystems may be ahead
        data = [line for line in data if ",c," in line]
    return (done.returncode, re.sub(r"workers?", "", done.stderr), data, counts), n_block


def what_differs(now, was):
    for name, a, b in zip(("exit code", "message", "result", "counts"), now, was):
        if a != b:
            return f"another {name}: {str(a)[-200:]} instead of {str(b)[-200:]} {now[1][-200:]}"
    return ""


def check_restart(given, folder, stop_s, whole, way_there, way_on):
    """Restarts a run from a checkpoint in the run's second half, in the ways way_there and way_on. Returns "" or the error."""
    checkpoint = ["--checkpoint", "half.ckpt", "--checkpoint-every", repr(0.55 * stop_s)]
    there, _ = run(given, folder, way_there, checkpoint)
    if there[0] != 0 and "cvode" in there[1]:   # cvode has no checkpoints
        return ""
    differs = what_differs(there, whole)
    if differs:
        return f"with checkpoints, {way_there}: {differs}"
    (code, text, rows, counts), _ = run(given, folder, way_on, ["--restart", "half.ckpt"])
    if code != 0:
        return f"restarted with {way_on}: exit code {code}: {text[-300:]}"
    if rows[1:] != whole[2][len(whole[2]) - len(rows) + 1:] or counts != whole[3]:
        return f"restarted with {way_on} from {way_there}: other rows or counts"
    return ""


def draw(given, seed):
    """Returns the config, its stop in s, and the random generator."""
    rng = random.Random(f"blocks {seed}")
    n = rng.choice([1, 2, 3, 5])
    case = adversary.draw_case(seed)
    if given.split and rng.random() < 0.4:
        slackened.slacken(case)
        case["settings"]["slack.bound"] = 0
    return several(adversary.toml_of(case, given.plugin), n, given.split), case["stop_s"], rng


def check(given, seed):
    """Returns "" or the error. Returns None if the run fails or has no event blocks."""
    text, stop_s, rng = draw(given, seed)
    with tempfile.TemporaryDirectory(prefix="blocks") as folder:
        with open(os.path.join(folder, "case.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        found = [run(given, folder, way) for way in WAYS]
        for (is_now, _), way in zip(found[1:], WAYS[1:]):
            differs = what_differs(is_now, found[0][0])
            if differs:
                return f"with {way}: {differs}"
        if found[0][0][0] == 0 and given.split:
            differs = check_restart(given, folder, stop_s, found[0][0], rng.choice(WAYS), rng.choice(WAYS))
            if differs:
                return differs
    if found[0][0][0] == REFUSED and "there is no" in found[0][0][1]:
        return f"the config is refused: {found[0][0][1][-300:]}"
    return None if found[0][0][0] != 0 or found[1][1] == 0 else ""


if __name__ == "__main__":
    parser = seeds.parser()
    parser.add_argument("--split", action="store_true")
    sys.exit(seeds.run(parser.parse_args(), check))
