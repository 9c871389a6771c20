#!/usr/bin/python3
"""The adversary with levels: Gauss-Seidel sweeps with random levels of the subsystems.

    levels.py --wrsim PROGRAM --plugin MODELS.so [options of adversary.py]

A seed determines a case of adversary.py and a level for each of its subsystems. Levels range from one for all subsystems to a
different one for each, in any order with respect to the connections.
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
