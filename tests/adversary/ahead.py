#!/usr/bin/python3
"""The adversary with the first level of Gauss-Seidel sweeps one window ahead (relaxation.ahead).

    ahead.py --wrsim PROGRAM --plugin MODELS.so [options of adversary.py]

A seed determines a case of adversary.py or of a family. The solvers become explicit, because other solvers keep Jacobians. In half of the
cases one random subsystem is the first level, and the other subsystems have two random levels.
"""
import random
import sys

import adversary

plain_draw_of = adversary.draw_of
EXPLICIT = ["dopri54", "rk43", "bs32"]


def draw_of(family, seed):
    case = plain_draw_of(family, seed)
    rng, groups = random.Random(f"ahead {seed}"), case["groups"]
    case["settings"] |= {"relaxation.scheme": "gauss_seidel", "relaxation.ahead": True, "solver.kind": rng.choice(EXPLICIT)}
    first = rng.randrange(2 * len(groups))
    for i, group in enumerate(groups):
        if "solver" in group:
            group["solver"] = rng.choice(EXPLICIT)
        if first < len(groups):
            group["level"] = 0 if i == first else rng.randint(1, 2)
    return case


if __name__ == "__main__":
    adversary.draw_of = draw_of
    sys.exit(adversary.main())
