"""The reported error of slackened runs (slack.watch = 1) against the true error.

    slack_truth.py --wrsim PROGRAM --plugin adversary_models.so --first 0 --count 100 [--above N] [--list] [--loose]

A seed determines a case of adversary.py and a period. The slackened run has slack.watch = 1, and exchanges all versions, or has fixed or
random delays. The true error is the difference from a monolithic run. The solvers of both runs are so tight that only stale inputs cause
errors (--loose: the slackened run has the case's own tolerance and solvers). A second monolithic run with
another solver measures the errors of the solvers. If these exceed a third of the true error and of rtol, the case is left out.

The script measures errors as tests/numeric/error_account.py does: at communication points, relative to the range of each signal in the
reference, and at most 1. A point beside a jump of the reference is left out if the run also jumps near this point. The reported error is
`error_account.error` of the summary.

The script prints two shares of the cases with a true error above rtol: the share with a reported error of at least a third of the true
error, and the share with at most ten times the true error. The exit code is 1 if a share is below --least-third or --most-ten, in per cent,
or if no case counts.
"""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

import adversary
import limited
import runs
import seeds
import slackened

NOISE_SHARE = 1.0 / 3.0
# The reference jumps if neighbouring points differ by more than JUMP times the range. If the run also jumps within REACH points, by more
# than SAME_JUMP times the range, only the time of the event is wrong. The comparison then omits points beside the jump. All numbers are
# assumed.
JUMP, SAME_JUMP, REACH = 0.2, 0.1, 2
TIGHT = ["solver.rtol=1e-9", "simulation.event_tolerance=1e-12"]


def run(given, folder, name, config, options):
    """Returns columns by signal, and the summary. After a failure returns None and the reason."""
    out, summary = os.path.join(folder, name + ".csv"), os.path.join(folder, name + ".json")
    words = runs.defined(["scheduler.workers=1", "output.events=false", *options])
    try:
        done = limited.run([given.wrsim, config, "-q", "-o", out, "--json", summary, *words], given.timeout, text=True)
    except subprocess.TimeoutExpired:
        return None, "hang"
    if done.returncode not in (0, 8):
        return None, done.stderr.strip()[:200] or f"exit code {done.returncode}"
    return runs.columns_of(out), runs.json_of(summary)


def difference(found, reference):
    """Returns the largest difference of a signal, relative to its range, and the signal."""
    worst, which = 0.0, ""
    for name, true in reference.items():
        low, high = min(true), max(true)
        size = max(abs(low), abs(high))
        span = high - low if high - low > 1e-12 * size else size
        if not span > 0.0 or len(found[name]) != len(true):
            continue
        jumps = [abs(b - a) > JUMP * span for a, b in zip(true, true[1:])]
        follows = [abs(b - a) > SAME_JUMP * span for a, b in zip(found[name], found[name][1:])]
        for i, value in enumerate(true):
            if any(jumps[max(i - 1, 0):i + 1]) and any(follows[max(i - REACH, 0):i + REACH]):
                continue
            off = min(abs(found[name][i] - value) / span, 1.0)
            if off > worst:
                worst, which = off, name
    return worst, which


def draw(seed, is_loose):
    """Returns the case, and the options of delays in the slackened run."""
    case = adversary.draw_case(seed)
    rng = slackened.slacken(case)
    n = rng.choice([1, 2, 3])
    delays = rng.choice([["slack.bound=0"], ["slack.bound=0"], ["slack.delays=fixed", f"slack.delay={n}"],
                         ["slack.delays=drawn", f"slack.delay={n}", f"slack.seed={rng.randint(0, 999)}"]])
    if not is_loose:
        case["settings"]["solver.kind"] = "dopri54"
        for group in case["groups"]:
            group.pop("solver", None)
    return case, delays


def examine(given, seed):
    """Returns the result of a case as a dict. "why" is the reason if the case is left out, else ""."""
    case, delays = draw(seed, given.loose)
    tight = [] if given.loose else TIGHT
    with tempfile.TemporaryDirectory(prefix="slack_truth") as folder:
        config = os.path.join(folder, "case.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(adversary.toml_of(case, given.plugin))
        found, said = run(given, folder, "slack", config, [*delays, *tight, "slack.watch=1"])
        if found is None:
            return {"seed": seed, "why": f"it fails: {said}"}
        whole = ["--monolithic", *TIGHT, f"solver.step={adversary.reference_step(case)}"]
        first, why = run(given, folder, "first", config, [*whole, "solver.kind=dopri54"])
        second, _ = run(given, folder, "second", config, [*whole, "solver.kind=rk43", "solver.rtol=1e-8"])
    if first is None or second is None:
        return {"seed": seed, "why": f"no reference: {why}"}
    truth, which = difference(found, first)
    noise, _ = difference(second, first)
    if noise > NOISE_SHARE * max(truth, case["rtol"]):
        return {"seed": seed, "why": f"noise {noise:.2g}"}
    return {"seed": seed, "why": "", "rtol": case["rtol"], "truth": truth, "signal": which,
            "told": said["error_account"]["error"], "in": said["error_account"]["subsystem"], "delays": delays,
            "n_rhs": sum(s["n_rhs"] for s in said["subsystems"]), "n_watch": sum(s["n_rhs"] for s in said["delay_errors"]),
            "n_lost": sum(s["n_lost"] + s["n_failed"] for s in said["delay_errors"])}


def main():
    parser = seeds.parser()
    parser.add_argument("--above", type=int, default=0, metavar="N", help="stop when so many have a truth above rtol")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    parser.add_argument("--timeout", type=float, default=20.0, help="of a run, in s of CPU time")
    parser.add_argument("--loose", action="store_true", help="solvers and tolerances as drawn")
    parser.add_argument("--list", action="store_true", help="a line for each case")
    parser.add_argument("--least-third", type=float, default=0.0, metavar="PER_CENT")
    parser.add_argument("--most-ten", type=float, default=0.0, metavar="PER_CENT")
    given = parser.parse_args()
    rows, left_out, quiet = [], 0, []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        drawn = iter(range(given.first, given.first + given.count))
        while not (given.above and len(rows) >= given.above):
            batch = [seed for _, seed in zip(range(given.jobs), drawn)]
            if not batch:
                break
            for row in pool.map(lambda seed: examine(given, seed), batch):
                if row["why"]:
                    left_out += 1
                    if given.list:
                        print(f"{row['seed']:6d} {row['why']}", flush=True)
                    continue
                (rows if row["truth"] > row["rtol"] else quiet).append(row)
                if given.list:
                    ratio = row["told"] / row["truth"] if row["truth"] > 0.0 else 0.0
                    print(f"{row['seed']:6d} rtol {row['rtol']:.1e} truth {row['truth']:.2e} ({row['signal']}) told {row['told']:.2e} "
                          f"({row['in']}) ratio {ratio:.2g} {' '.join(row['delays'])} lost {row['n_lost']}"
                          f"{'' if row['truth'] <= row['rtol'] else ' LOW' if ratio < 1 / 3 else ' HIGH' if ratio > 10 else ''}", flush=True)
    ratio = sorted(row["told"] / row["truth"] for row in rows)
    n = max(len(rows), 1)
    third, ten = 100.0 * sum(q >= 1 / 3 for q in ratio) / n, 100.0 * sum(q <= 10.0 for q in ratio) / n
    cost = sum(row["n_watch"] for row in rows) / max(sum(row["n_rhs"] for row in rows), 1)
    print(f"{len(rows)} cases whose error exceeds rtol: at least a third of it told in {third:.1f} %, at most ten times in {ten:.1f} %, "
          f"within 3 in {100.0 * sum(1 / 3 <= q <= 3.0 for q in ratio) / n:.1f} %, median {ratio[len(ratio) // 2] if ratio else 1.0:.2f}; "
          f"{len(quiet)} below rtol, of which {sum(row['told'] <= 10.0 * row['rtol'] for row in quiet)} tell at most 10 rtol; "
          f"{left_out} left out; right-hand sides of watching {cost:.2f} of those of the run")
    return 1 if third < given.least_third or ten < given.most_ten or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
