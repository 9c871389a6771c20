"""Runs one config on each number of workers, by default 1, 2, 3, 5 and 5 again. The result files must have the
same bytes, and the summaries the same counts and error account.

usage: check_bytes.py [--workers N,N...] WRSIM CONFIG EXTENSION [KEY=VALUE ...]

Every run has a separate folder and the same relative file name, so that names do not differ.
"""

import argparse
import hashlib
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import runs
from counted import differences  # pylint: disable=wrong-import-position

def run(program, config, extension, overrides, n_worker):
    """Runs the config; returns the result file's digest and size, and the summary."""
    settings = [f"scheduler.workers={n_worker}", "scheduler.min_work=0", *overrides]
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result." + extension)
        runs.call(program, config, "-q", "-o", "result." + extension, "--json", "summary.json", *runs.defined(settings), cwd=folder)
        with open(result, "rb") as file:
            content = file.read()
        summary = runs.json_of(os.path.join(folder, "summary.json"))
    return hashlib.sha256(content).hexdigest(), len(content), summary


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", default="1,2,3,5,5")
    for name in ("program", "config"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("extension")
    parser.add_argument("overrides", nargs="*")
    given = parser.parse_args()
    workers = [int(n) for n in given.workers.split(",")]
    failures, first = 0, None
    for n_worker in workers:
        digest, n_byte, summary = run(given.program, given.config, given.extension, given.overrides,
                                      n_worker)
        counts = [summary[key] for key in ("n_window", "n_sweep", "n_integration", "n_skipped",
                                           "n_row", "n_event_row")]
        print(f"{n_worker} workers: {digest[:16]} {n_byte} bytes, counts {counts}")
        # A run with fewer active threads than workers proves nothing, except if the model has fewer subsystems or scheduler.min_work is
        # set. A run with fewer than 10 rows proves nothing, either.
        expected = min(n_worker, summary["n_subsystem"])
        is_free = any(setting.startswith("scheduler.min_work=") for setting in given.overrides)
        if summary["n_worker"] != n_worker or (summary["n_active_worker"] < expected and not is_free):
            print(f"  only {summary['n_active_worker']} of {n_worker} workers took part")
            failures += 1
        if summary["n_row"] < 10:
            print("  fewer than 10 rows were recorded")
            failures += 1
        if "relaxation.scheme=auto" in given.overrides and summary["scheme_choice"]["n_change"] < 2:
            print("  the order of sweeps changed less than twice")
            failures += 1
        first = first or (digest, summary)
        differ = differences(first[1], summary)
        if digest != first[0] or differ:
            print(f"  differs from the run on {workers[0]} worker", *differ, sep="\n    ")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
