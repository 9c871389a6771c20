#!/usr/bin/python3
"""The adversary with levels: Gauss-Seidel sweeps with random levels of the subsystems.

    levels.py --wrsim PROGRAM --plugin MODELS.so [what adversary.py takes]

A case is one of adversary.py's, by its seed, which also draws a level for each of its subsystems: from all at once
to one after the other, against the connections as often as along them.
"""
import random
import sys

import adversary

plain_draw_case = adversary.draw_case


def draw_case(seed):
    case = plain_draw_case(seed)
    rng = random.Random(f"levels {seed}")
    case["settings"]["relaxation.scheme"] = "gauss_seidel"
    most = rng.randint(1, len(case["groups"]))
    for group in case["groups"]:
        group["level"] = rng.randrange(most)
    return case


if __name__ == "__main__":
    adversary.draw_case = draw_case
    sys.exit(adversary.main())
