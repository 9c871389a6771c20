"""The random adversary against slackened runs.

    slackened.py --wrsim PROGRAM --plugin adversary_models.so --ends ADVANCE_ENDS --first 0 --count 100 [--truth | --played] [--bounded]

A seed determines a case of adversary.py with relaxation.scheme = "slack" and a random period. In some cases some connections have shorter
periods. The checks are

    bits      runs with bound 0, fixed delays, random delays, sweeps, or shortened periods have equal bytes and counts on 1, 2, 3 and 5
              workers, also with ends of advances beside the grid. Ends of advances on the grid and stops change no byte.
    replay    a live run completes with any slack.bound. A replay of the log of this run has the same bytes on 1, 2 and 5 workers, also
              with ends of advances on the grid and stops.
    played    "bits" and "replay" with a subsystem that its recording replaces (--played)

and with --truth

    period    runs with a short share of the period are much nearer to the monolithic references
    sweeps    three sweeps of each period do not increase the error

The script prints a failure with its seed. Cases of "bits" whose runs fail with a message are counted, and such a run must fail with
any number of workers.
"""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import adversary
import limited
import seeds

WORKERS = (1, 2, 3, 5)
REASONS = (3, 5)    # exit codes of a refused config and of a failure of the model
FINE, FINER, FINEST = 1.0 / 32.0, 1.0 / 256.0, 1.0 / 2048.0   # shares of the period
LEFT = 0.25     # largest share of the error that may remain with a short period (assumed)


def slacken(case):
    """Changes a relaxed case into a slackened case. Returns the random generator."""
    rng = random.Random(f"slack {case['seed']}")
    settings = {key: value for key, value in case["settings"].items()
                if not key.startswith("relaxation.") or key in ("relaxation.prediction", "relaxation.max_nodes")}
    settings["relaxation.scheme"] = "slack"
    settings["slack.period"] = case["step_s"] * rng.choice([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 0.7])
    case["settings"] = settings
    if rng.random() < 0.25:
        settings.pop("relaxation.prediction", None)
        settings["relaxation.history.period"] = case["stop_s"] * rng.uniform(0.05, 0.4)
    return rng


def bound(case):
    """Bounds the work of a period, in some cases to the least possible work. All subsystems get the same kind of solver."""
    rng = random.Random(f"bound {case['seed']}")
    settings = {key: value for key, value in case["settings"].items() if not key.startswith("solver.")}
    for group in case["groups"]:
        for key in [key for key in group if key.startswith("solver")]:
            del group[key]
    if rng.random() < 0.5:
        settings["solver.kind"] = rng.choice(["euler", "heun", "rk3", "rk4", "linimp"])
        settings["solver.step"] = settings["slack.period"] / rng.choice([1, 2, 3.3, 10])
        settings["solver.spare_steps"] = rng.choice([0, 0, 1, 3])
    else:
        settings["solver.kind"] = rng.choice(["bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w"])
        settings["solver.budget"] = rng.choice([1, 1, 5, 30])
    settings["solver.over_budget"] = rng.choice(["finish", "finish", "finish", "fail"])
    case["settings"] = settings


def kinds_of(rng):
    """Returns settings with which results do not depend on the wall clock."""
    n = rng.choice([1, 2, 3, 7])
    shorten = ["slack.watch=1", f"slack.eps_loc={10.0 ** rng.uniform(-7.0, -2.0)}", "slack.on_loc=shorten",
               rng.choice(["slack.bound=0", "slack.delays=drawn"])]
    return {"exchange": ["slack.bound=0"], "shorten": shorten, "fixed": ["slack.delays=fixed", f"slack.delay={n}"],
            "drawn": ["slack.delays=drawn", f"slack.delay={n}", f"slack.seed={rng.randint(0, 999)}"],
            "sweeps": [f"slack.sweeps={rng.choice([2, 3, 4])}"]}


def draw_periods(case):
    """Draws periods of some connections in half of the cases: the period of the run over 1 to 16."""
    rng = random.Random(f"periods {case['seed']}")
    period_s = case["settings"]["slack.period"]
    if rng.random() < 0.5:
        case["periods"] = {n: period_s / 2 ** rng.randint(0, 4) for n in range(len(case["wires"])) if rng.random() < 0.3}


def without_periods(case, name):
    """Returns the case. With "sweeps" all connections have the same period."""
    return {**case, "periods": {}} if name == "sweeps" else case


class Bench(adversary.Bench):
    def call(self, case, folder, options, ends=(), n_worker=1):
        """Runs the case in advances to `ends`. Returns exit code, message, rows of the result, and summary."""
        config, outputs = os.path.join(folder, "slack.toml"), ["slack.csv", "slack.json"]
        with open(config, "w", encoding="utf-8") as file:
            file.write(adversary.toml_of(case, self.given.plugin))
        done = limited.run([self.given.ends, config, ",".join(map(repr, ends)), f"scheduler.workers={n_worker}",
                            "scheduler.min_work=0", "output.file=slack.csv", "output.json=slack.json", *options],
                           self.given.timeout, cwd=folder, text=True, errors="replace")
        if done.returncode < 0 or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
            raise RuntimeError(f"crash: {done.returncode} {done.stderr[-300:]}")
        if done.returncode != 0 and not os.path.exists(os.path.join(folder, outputs[1])):
            return Done(done.returncode, done.stderr, [], {})       # the config is refused
        found = []
        for name in outputs:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found.append(file.read())
            os.unlink(path)
        rows = [line for line in found[0].split(b"\n") if not line.startswith(b"#")]    # without the config
        if done.returncode != 0:    # after a failure other subsystems may be ahead, with further events
            rows = [line for line in rows if b",c," in line]
        return Done(done.returncode, done.stderr, rows, json.loads(found[1]))


    def run_waves(self, case, folder):
        """Returns the recording of all nodes of a run. Returns None if the run fails."""
        config, name = os.path.join(folder, "recorded.toml"), "recorded.h5"
        with open(config, "w", encoding="utf-8") as file:
            file.write(adversary.toml_of(case, self.given.plugin))
        done = limited.run([self.given.wrsim, config, "-q", "-o", name, "-D", "output.waves=true", "-D", "slack.bound=0"],
                           self.given.timeout, cwd=folder, text=True, errors="replace")
        return name if done.returncode == 0 else None


class Done:
    def __init__(self, code, text, rows, summary):
        self.code, self.text, self.rows, self.summary = code, text, rows, summary

    def differs(self, other, has_other_ends=False):
        """Returns the difference of two runs, or "". Counts may differ after a failure, or if the ends of advances differ."""
        if (self.code, self.rows) != (other.code, other.rows):
            return f"other rows, exit codes {self.code} {other.code} ({self.text[:100]})"
        if has_other_ends or self.code != 0:
            return ""
        found = adversary.differences(self.summary, other.summary)
        return f"counts: {found[0]}" if found else ""


def draw_ends(rng, case, is_on_grid):
    """Draws ends of advances: exact ends of periods, or any times."""
    period_s, stop_s, n = case["settings"]["slack.period"], case["stop_s"], rng.randint(1, 4)
    if is_on_grid:
        return sorted(period_s * k for k in rng.sample(range(1, max(int(stop_s / period_s), 6)), n) if period_s * k < stop_s)
    return sorted(rng.uniform(0.0, stop_s) for _ in range(n))


def play_one(bench, case, folder, rng):
    """Returns settings that replace a subsystem by a recording of the slackened run. Returns [] if the recording fails,
    or the case has one subsystem."""
    names = re.findall(r'\[\[subsystem\]\]\nname = "(\w+)"', adversary.toml_of(case, bench.given.plugin))
    recorded = bench.run_waves(case, folder)
    if len(names) < 2 or not recorded:
        return []
    name = rng.choice(names)
    return [f"subsystem.{name}.kind=replay", f"subsystem.{name}.file={recorded}"]


def check_bits(bench, full, folder, rng, more=()):
    for name, words in kinds_of(rng).items():
        case, words = without_periods(full, name), [*words, *more]
        ends = draw_ends(rng, case, False) if rng.random() < 0.3 else ()
        first = bench.call(case, folder, words, ends)
        for n_worker in WORKERS[1:]:
            wrong = bench.call(case, folder, words, ends, n_worker).differs(first)
            if wrong:
                return f"{name}: {n_worker} workers: {wrong}", False
        if ends or first.code != 0:     # after a failure subsystems end at different times
            continue
        stops = sorted([*draw_ends(rng, case, True), -rng.uniform(0.0, case["stop_s"])], key=abs)
        wrong = bench.call(case, folder, words, stops, rng.choice(WORKERS)).differs(first, True)
        if wrong:
            return f"{name}: ends {stops}: {wrong}", False
    return "", first.code != 0


def check_replay(bench, case, folder, rng, more=()):
    bound = rng.choice([-1, 0, 1, 3, 20])
    ends = draw_ends(rng, case, False) if rng.random() < 0.3 else ()
    words = [*more, f"slack.bound={bound}"]
    if rng.random() < 0.2:
        words.append(f"slack.sweeps={rng.choice([2, 3])}")
        case = without_periods(case, "sweeps")
    elif rng.random() < 0.3:
        words += ["slack.watch=1", f"slack.eps_loc={10.0 ** rng.uniform(-7.0, -2.0)}", "slack.on_loc=shorten"]
    live = bench.call(case, folder, [*words, "slack.log=log.csv"], ends, rng.choice(WORKERS[1:]))
    if live.code in REASONS:
        return ""       # the log of a failed run is incomplete
    if live.code != 0:
        return f"live: exit code {live.code}: {live.text[:200]}"
    words = [*words, "slack.replay=log.csv"]
    for n_worker in (1, 2, 5):
        wrong = bench.call(case, folder, words, ends, n_worker).differs(live)
        if wrong:
            return f"replay {words} {ends}: {n_worker} workers: {wrong}"
    if bound >= 0 and not ends:
        stops = sorted([*draw_ends(rng, case, True), -rng.uniform(0.0, case["stop_s"])], key=abs)
        wrong = bench.call(case, folder, words, stops, rng.choice(WORKERS)).differs(live, True)
        if wrong:
            return f"replay {words}: ends {stops}: {wrong}"
    # Watching retains versions. Retained versions must not block their producer.
    watched = bench.call(case, folder, [*more, "slack.bound=-1", "slack.watch=1"], (), 3)
    # Without a bound a model may fail, but subsystems do not wait for one another for ever.
    is_stuck = watched.code != 0 and ("wait for one another" in watched.text or not watched.text.strip())
    return f"watched: {watched.text[:100]}" if is_stuck else ""


# ---- Against the references


def keep_apart(case):
    """Moves events apart, because subsystems exchange the events of an instant a period later than one solver."""
    rng = random.Random(f"apart {case['seed']}")
    for part in case["components"]:
        parameters = part["parameters"]
        if "period" in parameters:
            parameters["period"] *= rng.uniform(0.97, 1.03)
            first = "t_first" if "t_first" in parameters else "offset"
            parameters[first] = parameters.get(first, 0.0) + rng.uniform(0.01, 0.03)
        if "width" in parameters:
            parameters["width"] *= rng.uniform(0.97, 1.03)


def is_comparable(case):
    """Returns whether no event acts on itself at its own instant through another subsystem, and all time events are more than
    two periods of the length FINER step_s apart."""
    times = []
    for part in case["components"]:
        parameters = part["parameters"]
        if "period" in parameters:
            first = parameters.get("t_first", parameters.get("offset", 0.0))
            n = int((case["stop_s"] - first) / parameters["period"]) + 1
            times += [first + k * parameters["period"] for k in range(n)]
    times.sort()
    is_apart = all(b - a > 2.0 * FINER * case["step_s"] for a, b in zip(times, times[1:]))
    return is_apart and not {"event loop", "same instant", "algebraic loop"} & set(case["motifs"])


def worst_errors(truth, result, period_s):
    """Returns for each signal the error that 80 % of its points do not exceed. A jump may be late by some periods, and a sampler
    then reads the value before the jump."""
    wait = adversary.Wait(truth.reference, truth.up, truth.wait_s + 4.0 * period_s)
    wait.known = [[truth.wait_s + 4.0 * period_s for _ in row] for row in wait.known]
    return adversary.errors(truth.reference, result, truth.scale, wait, truth.n_point, 0.8)


def compare(bench, case, folder, truth, share):
    """Compares runs with the given share of the period with the references. Returns the error, or ""."""
    period_s, found = case["step_s"], {}
    for name, words in (("coarse", []), ("fine", []), ("swept", ["slack.sweeps=3"])):
        part = 1.0 if name == "coarse" else share
        run = bench.run(case, folder, truth.signals, ["slack.bound=0", "output.events=false", "simulation.rtol=1e-9",
                                                      f"slack.period={part * period_s}", *words], name=name)
        if not run.result:
            return f"{name}: {run.text[:200] or run.code}" if run.code is None or not run.text else ""
        found[name] = worst_errors(truth, run.result, part * period_s)
    for i, (name, size, is_exact) in enumerate(truth.signals.rows):
        coarse, fine, swept = (found[key][i] for key in ("coarse", "fine", "swept"))
        allowed = max(adversary.WRONG_RTOL * case["rtol"], adversary.WRONG_MOVED * truth.moved[i])
        if is_exact:
            if fine * truth.scale[i] > 1e-6 * size:
                return f"{name}: another count at {share} of the period"
        elif fine > max(LEFT * coarse, allowed, 0.01):
            return f"{name}: off by {coarse:.2g} at {period_s} s, by {fine:.2g} at {share} of it"
        elif swept > max(fine, allowed, 1e-3):
            return f"{name}: off by {fine:.2g}, with three sweeps {swept:.2g}"
    return ""


def check_truth(bench, case, folder):
    """Returns the error, or "", and whether the case is comparable."""
    keep_apart(case)
    case["stop_s"] = 40 * case["step_s"]    # short, because the runs have very many periods
    signals = adversary.Signals(case)
    runs, _ = bench.references({**case, "settings": {}}, folder, signals) if is_comparable(case) else (None, "")
    truth = adversary.Truth(case, runs, signals) if runs else None
    if not truth or truth.reason:
        return "", False
    # Two events, or an event and the stop, may be closer than a short period. So a case fails only if it fails with all three shares.
    return compare(bench, case, folder, truth, FINE) and compare(bench, case, folder, truth, FINER) and compare(
        bench, case, folder, truth, FINEST), True


def examine(bench, seed):
    case = adversary.draw_case(seed)
    rng = slacken(case)
    if bench.given.bounded:
        bound(case)
    is_loud, is_compared = False, False
    with tempfile.TemporaryDirectory(prefix="slackened") as folder:
        try:
            if bench.given.truth:
                wrong, is_compared = check_truth(bench, case, folder)
            else:
                draw_periods(case)
                more = play_one(bench, case, folder, rng) if bench.given.played else []
                wrong, is_loud = check_bits(bench, case, folder, rng, more)
                wrong = wrong or check_replay(bench, case, folder, rng, more)
        except subprocess.TimeoutExpired as why:
            wrong = f"hang: {why.cmd[2:]}"
        except RuntimeError as why:
            wrong = str(why)
    return seed, wrong, is_loud, is_compared


def main():
    parser = seeds.parser("--ends")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    parser.add_argument("--truth", action="store_true", help="periods and sweeps, not bits and replays")
    parser.add_argument("--played", action="store_true", help="bits and replays with one subsystem that is played")
    parser.add_argument("--bounded", action="store_true", help="bits and replays with the work of a period bounded")
    parser.add_argument("--least", type=int, default=0, help="compared with references: fewer prove too little")
    parser.add_argument("--timeout", type=float, default=20.0, help="of a run, in s of CPU time")
    given = parser.parse_args()
    bench, n_wrong, n_loud, n_compared = Bench(given), 0, 0, 0
    drawn = given.seeds or range(given.first, given.first + given.count)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for seed, wrong, is_loud, is_compared in pool.map(lambda seed: examine(bench, seed), drawn):
            n_wrong += bool(wrong)
            n_loud += is_loud
            n_compared += is_compared
            if wrong:
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{len(drawn)} draws, {n_wrong} wrong, {n_loud} fail and say why, {n_compared} compared with references")
    return 1 if n_wrong or n_compared < given.least else 0


if __name__ == "__main__":
    sys.exit(main())
