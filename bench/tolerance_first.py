"""Looser first sweeps (relaxation.tolerance_first) never, always, and by the rule "auto", by counted work.

    python3 bench/tolerance_first.py build/wrsim PLUGIN [--count N] [--first SEED] [--on F]...

Over all shipped models that are split, with the settings of bench/window_counts.py, and over N random ones
of tests/adversary (PLUGIN is its models, compiled), whose own tolerance_first is overridden. Work is as in
window_counts.py. The table is Markdown: work over that without looser sweeps, sweeps per window without.
Then all of them together, and for each F "auto" over the better of F and 1. Random models that fail, or take too long, without
looser sweeps are left out; one that does so with them counts as infinitely dear.
"""
import argparse
import math
import os
import statistics
import sys
import tempfile

from window_counts import CASES, MODELS, Model, work_of

sys.path.append(os.path.join(os.path.dirname(MODELS), "tests", "adversary"))
from adversary import draw_case, toml_of  # noqa: E402

LONGEST_S = 60.0


def measure(model, value, accepted):
    """Work, and sweeps per window."""
    found = model.run(("relaxation.tolerance_first=" + value, "scheduler.workers=1"), accepted,
                      LONGEST_S)
    if found is None:
        return math.inf, math.nan
    return work_of(found), found["n_sweep"] / max(found["n_window"], 1)


def compare(name, model, values, accepted):
    """Work with each value over that without, None if that did not end; prints a row."""
    work, n_sweep = measure(model, "1", accepted)
    if not 0.0 < work < math.inf:
        return None
    found = {value: measure(model, value, accepted)[0] / work for value in values}
    print("| %s | %.2f | %s |" % (name, n_sweep,
                                  " | ".join("%.3f" % found[value] for value in values)),
          flush=True)
    return {"1": 1.0, **found}


def random_models(given, folder):
    seed, n = given.first, 0
    while n < given.count:
        path = os.path.join(folder, "random.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(toml_of(draw_case(seed), given.plugin))
        n += yield "seed %d" % seed, Model(given.wrsim, path, (), folder)
        seed += 1


def print_verdict(title, rows, on):
    for value in (*on, "auto"):
        ratio = [row[value] for row in rows]
        print("%s, %s: geometric mean %.3f, best %.3f, worst %.3f"
              % (title, value, statistics.geometric_mean(ratio), min(ratio), max(ratio)))
    for value in on:
        ratio = [row["auto"] / min(row[value], 1.0) for row in rows]
        print("%s, auto over the better of %s and 1: median %.3f, worst %.3f"
              % (title, value, statistics.median(ratio), max(ratio)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wrsim", type=os.path.abspath)
    parser.add_argument("plugin", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=100, help="random models")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--on", action="append", help="factors to compare with")
    given = parser.parse_args()
    on = given.on or ["100", "1000"]
    values = [*on, "auto"]
    print("| model | sweeps | " + " | ".join(values) + " |")
    print("|---" * (len(values) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        shipped = [compare(name, Model(given.wrsim, config, settings, folder), values, (0, 5))
                   for name, config, settings in CASES]
        shipped = [row for row in shipped if row]
        drawn, models = [], random_models(given, folder)
        try:
            name, model = next(models)
            while True:
                row = compare(name, model, values, range(256))
                drawn += [row] if row else []
                name, model = models.send(bool(row))
        except StopIteration:
            pass
    print()
    for title, rows in (("shipped", shipped), ("random", drawn)):
        if rows:
            print_verdict(title, rows, on)


if __name__ == "__main__":
    main()
