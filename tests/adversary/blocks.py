#!/usr/bin/python3
"""Random models with and without event blocks: the same bytes and counts, with any number of threads.

    blocks.py --wrsim PROGRAM --plugin MODELS.so [--seeds N,N...] [--first N --count N]

A case is one of adversary.py's, by its seed, some times over in one subsystem: copies of a model have their events at the same
instants, in blocks of their own. Blocks are for any number of indicators here, and so are parallel regions. Runs that fail must fail
with the same words.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib

import adversary

COUNTS = ("n_step", "n_rejected", "n_rhs", "n_start", "n_state_event", "n_time_event", "n_input_jump", "n_flip", "n_event_pass",
          "n_active_indicator")
NEVER = 1000000000
REFUSED = 3 # exit code: the config is
WAYS = ((NEVER, 1), (1, 1), (1, 2), (1, 3)) # indicators from which on there are blocks, workers


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


def several(text, n):
    """The config n times over, in one subsystem; what is recorded, of all."""
    one = tomllib.loads(text)
    out = table("[simulation]", dict(one["simulation"], monolithic=True))
    out += table("[solver]", one["solver"])
    for plugin in one["plugin"]:
        out += table("[[plugin]]", plugin)
    for i in range(n):
        by = f"k{i}_"
        for c in one["component"]:
            out += table("[[component]]", dict(c, name=by + c["name"]))
        for c in one.get("connection", []):
            out += table("[[connection]]", dict(c, **{"from": renamed(c["from"], by), "to": renamed(c["to"], by)}))
    return out + table("[output]", {"file": "out.csv"})


def run(given, folder, way):
    """What must be the same, and what the blocks were."""
    done = subprocess.run([given.wrsim, "run", "case.toml", "-q", "-D", f"simulation.event_blocks={way[0]}", "-D",
                           f"scheduler.workers={way[1]}", "-D", "scheduler.event_threads=true", "-D", 'output.json="out.json"'], cwd=folder, capture_output=True,
                          text=True, errors="replace", check=False, timeout=300)
    data = [line for line in open(os.path.join(folder, "out.csv"), "rb") if not line.startswith(b"#")] \
        if os.path.exists(os.path.join(folder, "out.csv")) else []
    counts, more = [], (0, 0)
    if done.returncode == 0:
        with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
            s = json.load(file)["subsystems"][0]
        counts = [s[name] for name in COUNTS]
        more = (s["n_event_block"], s["n_indicator_value"])
    return (done.returncode, re.sub(r"workers?", "", done.stderr), data, counts), more


def check(given, seed):
    """None: set aside; else what is wrong, or "", and the indicators evaluated with and without blocks."""
    rng = random.Random(f"blocks {seed}")
    text = several(adversary.toml_of(adversary.draw_case(seed), given.plugin), rng.choice([1, 2, 3, 5]))
    with tempfile.TemporaryDirectory(prefix="blocks") as folder:
        with open(os.path.join(folder, "case.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        found = [run(given, folder, way) for way in WAYS]
        for (is_now, _), way in zip(found[1:], WAYS[1:]):
            for name, now, was in zip(("exit code", "message", "result", "counts"), is_now, found[0][0]):
                if now != was:
                    return f"another {name} with {way}: {str(now)[-200:]} instead of {str(was)[-200:]}", (0, 0)
    if found[0][0][0] == REFUSED and "there is no" in found[0][0][1]:
        return f"the config is refused: {found[0][0][1][-300:]}", (0, 0)
    if found[0][0][0] != 0 or found[1][1][0] == 0:
        return None, (0, 0)
    return "", (found[1][1][1], found[0][1][1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrsim", required=True, type=os.path.abspath)
    parser.add_argument("--plugin", required=True, type=os.path.abspath)
    parser.add_argument("--seeds", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    given = parser.parse_args()
    os.environ.setdefault("GOMP_SPINCOUNT", "1000") # others may want the cores
    seeds = [int(seed) for seed in given.seeds.split(",") if seed]
    seeds += range(given.first, given.first + given.count)
    n_right = n_wrong = n_with = n_without = 0
    for seed in seeds:
        why, (with_blocks, without) = check(given, seed)
        n_right += why == ""
        n_wrong += bool(why)
        n_with += with_blocks
        n_without += without
        if why:
            print(f"{seed}: {why}")
    print(f"{len(seeds)} draws, {n_right} right, {n_wrong} wrong, {len(seeds) - n_right - n_wrong} set aside; indicators "
          f"evaluated: {n_with / max(1, n_without):.3f} of those without blocks")
    return 1 if n_wrong or not n_right else 0


if __name__ == "__main__":
    sys.exit(main())
