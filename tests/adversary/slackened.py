"""The random adversary against slackened runs.

    slackened.py --wrsim PROGRAM --plugin adversary_models.so --ends ADVANCE_ENDS --first 0 --count 100 [--truth N]

A seed is a case of adversary.py, run with relaxation.scheme = "slack" at a period drawn for it. Looked at are

    bits      bound 0, fixed and drawn delays and sweeps give the same bytes and counts on 1, 2, 3 and 5 workers, also
              where advances end beside the grid, and bytes do not change where they end on the grid or a run is stopped
    replay    a live run with any bound ends, and its log gives the same bytes on 1, 2 and 5 workers, also where the replay
              ends advances on the grid or is stopped
    period    exchanged at shorter and shorter periods, it comes to the monolithic references (every Nth case)
    sweeps    several sweeps of each period come closer to them than one, where periods are short (with that)

A failure is said with its seed; runs that say why they fail are counted, and must fail on any number of workers.
"""
import argparse
import concurrent.futures
import copy
import os
import random
import sys
import tempfile

import adversary

WORKERS = (1, 2, 3, 5)
# By which the finest period is shorter than the first; what it leaves of the error, with hold in no case less than so much.
FINE, LEFT = 32, 0.25


def slacken(case):
    """Makes a slackened case of one that is relaxed."""
    rng = random.Random(f"slack {case['seed']}")
    settings = {key: value for key, value in case["settings"].items()
                if not key.startswith("relaxation.") or key in ("relaxation.prediction", "relaxation.max_nodes")}
    settings["relaxation.scheme"] = "slack"
    settings["slack.period"] = case["step_s"] * rng.choice([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 0.7])
    case["settings"] = settings
    return rng


def kinds_of(rng):
    """Settings that no clock has a say in."""
    n = rng.choice([1, 2, 3, 7])
    return {"exchange": ["slack.bound=0"], "fixed": ["slack.delays=fixed", f"slack.delay={n}"],
            "drawn": ["slack.delays=drawn", f"slack.delay={n}", f"slack.seed={rng.randint(0, 999)}"],
            "sweeps": [f"slack.sweeps={rng.choice([2, 3, 4])}"]}
