"""A run that continues from a checkpoint in a new process has the bits of the uninterrupted run.

    checkpoints.py --wrsim PROGRAM --writer CHECKPOINT_WRITER --waves PRINT_WAVES --source CHECKOUT [--plugin MODELS.so]
                   [--case NAME ...] [--points N] [--seed N] [--first N --count N] [--slack KIND]

Each case has a run without checkpoints, and a run that writes checkpoints at the ends of windows or periods drawn at random. A slackened
case has a further run that stops at a fourth of these windows. From each checkpoint a new process runs to the end. Each run draws its
number of workers. The rows of the continued run, in any order, must equal the last rows of the uninterrupted run in every digit, with no
row missing or doubled. The error accounts of the summaries and all counts except the counts of rows and bytes must be equal. With
output.waves the script compares the nodes as well. The script compares the runs that write checkpoints with the uninterrupted run in the
same way.

--count: random models of tests/adversary by seed, from --first on, instead of the table. --slack: slackened runs, with exchange
(bound 0), with fixed or drawn delays, with two sweeps, or replayed from the log of a live run.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "harness"), os.path.join(HERE, "..", "adversary")]
import adversary  # pylint: disable=wrong-import-position
import runs
import slackened  # pylint: disable=wrong-import-position
from counted import differences  # pylint: disable=wrong-import-position
from engine_tight import OVERRIDES as TIGHT  # pylint: disable=wrong-import-position

ENGINE, PAIR, HIRES = "models/engine/engine.toml", "models/two_mass/two_mass.toml", "models/hires/hires.toml"
LINE = "models/varistor_line/varistor_line.toml"
STIFF = ["component.left.parameters.k12=2000", "component.right.parameters.k12=2000", "relaxation.max_sweeps=40"]
# name: config, overrides
CASES = {
    # The engine has history, several sweeps and the phase of a crank.
    "engine": (ENGINE, ["simulation.stop=0.1"]), # two cycles
    "engine_tight": (ENGINE, [*TIGHT, "simulation.stop=0.06"]),
    "engine_monolithic": (ENGINE, ["simulation.stop=0.06", "simulation.monolithic=true"]),
    "engine_gauss_seidel": (ENGINE, [*TIGHT, "simulation.stop=0.06", "relaxation.scheme=gauss_seidel"]),
    "engine_decimated": (ENGINE, ["simulation.stop=0.1", "output.decimation=7"]),
    "engine_rosenbrock_w": (ENGINE, ["simulation.stop=0.06", "solver.kind=rosenbrock_w"]),
    "engine_waves": (ENGINE, [*TIGHT, "simulation.stop=0.04", "output.waves=true"]),
    "pair_waves": (PAIR, ["output.waves=true"]),
    "signal_waves": ("models/signal/signal.toml", ["output.waves=true"]),
    "ladder": ("models/rc_ladder/rc_ladder.toml", []),
    "ball": ("models/bouncing_ball/bouncing_ball.toml", []),
    "relay": ("models/relay/relay.toml", []),
    "signal": ("models/signal/signal.toml", []),
    "vanderpol": ("models/vanderpol/vanderpol_split.toml", []),
    "robertson": ("models/robertson/robertson.toml", []),
    "orego": ("models/orego/orego.toml", []),
    "kpr": ("models/kpr/kpr.toml", []),
    "dahlquist": ("models/dahlquist/dahlquist.toml", []),
    "pair": (PAIR, []),
    "pair_anderson": (PAIR, ["relaxation.acceleration=anderson", *STIFF]),
    "pair_fixed": (PAIR, ["relaxation.window.control=fixed", "relaxation.scheme=gauss_seidel"]),
    "pair_ahead": (PAIR, ["relaxation.scheme=gauss_seidel", "relaxation.ahead=true", "solver.kind=rk43"]),
    "engine_ahead": (ENGINE, ["simulation.stop=0.1", "relaxation.ahead=true"]),
    "pair_ratio": (PAIR, ["relaxation.window.control=ratio"]),
    "pair_no_active_set": (PAIR, ["relaxation.active_set=false", "relaxation.tolerance_first=10"]),
    "hires_auto": (HIRES, ["solver.kind=auto", "simulation.rtol=1e-5"]),
    "line": (LINE, ["simulation.stop=1.5"]),
    "line_part": (LINE, ["simulation.stop=0.5", "solver.pattern=kept.mtx", "output.waves=true"]),
    "engine_blocks": (ENGINE, ["simulation.stop=0.04", "simulation.event_blocks=1", "simulation.monolithic=true"]),
    "hires_sparse": (HIRES, ["solver.kind=rosenbrock_w", "solver.linear_solver=sparse"]),
}
# Overrides of slackened runs. The results depend on no clock, except for the live run that "replayed" logs.
SLACK = {"exchange": ["slack.bound=0"], "sweeps": ["slack.sweeps=2"], "fixed": ["slack.delays=fixed", "slack.delay=2"],
         "drawn": ["slack.delays=drawn", "slack.delay=4", "slack.seed=7"], "replayed": ["slack.bound=40"]}
CASES |= {"slack_" + kind: (ENGINE, ["relaxation.scheme=slack", "simulation.stop=0.03", "slack.period=1e-4", *words])
          for kind, words in SLACK.items()}
# The engine tolerates any delay within this bound.
CASES["slack_replayed"][1][-1] = "slack.bound=1"
# The run covers more than one engine cycle, so predictions use history.
CASES["slack_history"] = (ENGINE, ["relaxation.scheme=slack", "simulation.stop=0.1", "slack.period=1e-4", "slack.bound=0"])
CASES["slack_shorten"] = (ENGINE, ["relaxation.scheme=slack", "simulation.stop=0.03", "slack.period=2e-4", "slack.watch=1",
                                   "slack.eps_loc=1e-4", "slack.on_loc=shorten", *SLACK["drawn"]])
CASES["slack_line"] = (LINE, ["relaxation.scheme=slack", "simulation.stop=0.5", *SLACK["drawn"]])
CASES["slack_signal"] = ("models/signal/signal.toml", ["relaxation.scheme=slack", *SLACK["drawn"]])
# name: config, overrides, and the subsystem that a recording of the same config replaces
REPLAYS = {"engine_replay": (ENGINE, ["simulation.stop=0.03"], "cyl2")}
for solver in ("bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "auto", "lsoda"):
    CASES["two_" + solver] = (PAIR, [f"solver.kind={solver}", "simulation.rtol=1e-6"])
for solver in ("euler", "heun", "rk3", "rk4", "linimp", "backward_euler", "trapezoidal", "bdf2", "ab2", "ab3", "ab4", "multistep"):
    CASES["two_" + solver] = (PAIR, [f"solver.kind={solver}", "solver.step=1e-3", "simulation.rtol=1e-4"])
CASES["two_multistep"][1].extend(["solver.alpha=[11, -18, 9, -2]", "solver.beta=[6]"]) # BDF of order 3
CASES["two_bounded"] = (PAIR, [*CASES["two_heun"][1], "solver.spare_steps=1"])
CASES["two_budget"] = (PAIR, [*CASES["two_rk43"][1], "solver.budget=30"])
CASES["two_bounded_ab3"] = (PAIR, [*CASES["two_ab3"][1], "solver.spare_steps=1"])
CASES["relay_bounded"] = ("models/relay/relay.toml", ["solver.kind=heun", "solver.step=0.01", "solver.spare_steps=1"])
MOST_WINDOWS = 4096
STOPPED = 4      # every fourth point of a slackened run also gets a stop by the progress function


class Bench:
    def __init__(self, given):
        self.given, self.rng = given, random.Random(given.seed)
        self.n_point, self.extension, self.published = 0, "csv", []

    def call(self, words, folder, name):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace",
                              check=False, timeout=300)
        if done.returncode not in (0, 8):   # 8: the estimated error exceeds its limit
            raise RuntimeError(f"{name}: exit code {done.returncode}: {done.stderr.strip()[:600]}")

    def outputs(self, name, extension):
        return [f"output.file={name}.{extension}", f"output.json={name}.json"]

    def run(self, config, overrides, folder, name, more=()):
        words = runs.defined([*overrides, *self.outputs(name, self.extension)])
        self.call([self.given.wrsim, config, "-q", *more, *words], folder, name)

    def check_named(self, name):
        if name in CASES:
            config, overrides = CASES[name]
            config = os.path.join(self.given.source, config)
            return self.check_replayed(config, overrides) if name == "slack_replayed" else self.check(config, overrides)
        config, overrides, played = REPLAYS[name]
        config = os.path.join(self.given.source, config)
        with tempfile.TemporaryDirectory() as folder:
            self.extension = "h5"
            self.run(config, [*overrides, "output.waves=true"], folder, "recorded")
            return self.check(config, [*overrides, f"subsystem.{played}.kind=replay",
                                       f"subsystem.{played}.file={folder}/recorded.h5"])

    def check_replayed(self, config, overrides):
        """Logs a live run, and checks replays of the log."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.csv")
            self.extension = "csv"
            self.run(config, [*overrides, f"slack.log={log}", "scheduler.workers=3"], folder, "full")
            kept = [word for word in overrides if not word.startswith("slack.log=")]
            return self.check(config, [*kept, f"slack.replay={log}"], os.path.join(folder, "full.csv"))

    def check(self, config, overrides, live=None):
        """Checks one case; returns the errors. live: result file whose rows the first run must repeat."""
        self.extension = "h5" if "output.waves=true" in overrides else "csv"
        with tempfile.TemporaryDirectory() as folder:
            n_worker = lambda: [f"scheduler.workers={self.rng.choice([1, 2, 3])}", "scheduler.min_work=0"]
            self.published = self.signals(config, overrides) if self.extension == "h5" else []
            self.run(config, [*overrides, *n_worker()], folder, "full")
            n_window, period = summary(folder, "full")["n_window"], slack_period(summary(folder, "full"))
            points = sorted(self.rng.sample(range(min(n_window, MOST_WINDOWS)),
                                            min(self.given.points, n_window, MOST_WINDOWS)))
            wrong = self.write(folder, config, "point", points, period, [*overrides, *n_worker()])
            if period:
                wrong += self.write(folder, config, "stop", points[::STOPPED], "", [*overrides, *n_worker()])
            if live and rows(folder, "full") != rows(os.path.dirname(live), "full"):
                wrong.append("the replay has other rows than the live run")
            names = [f"point.{point}" for point in points]
            # One call of the progress function covers several periods, so a slackened run may end before a stop.
            names += [f"stop.{point}" for point in points if os.path.exists(os.path.join(folder, f"stop.{point}"))]
            for point in names:
                rest = f"rest_{point}"
                self.run(config, [*overrides, *n_worker()], folder, rest, ["--restart", point])
                wrong += self.compare(folder, rest, point)
                os.unlink(os.path.join(folder, f"{rest}.{self.extension}"))
            self.n_point += len(names)
            return wrong

    def write(self, folder, config, prefix, points, period, overrides):
        """Writes checkpoints at windows; returns the differences of the writing run from the uninterrupted run."""
        self.call([self.given.writer, config, prefix, ",".join(map(str, points)) + period, *overrides,
                   *self.outputs("written", self.extension)], folder, "writer")
        return self.compare(folder, "written", None)

    def compare(self, folder, name, point):
        """Returns the differences between the uninterrupted run and a run, or the rest of a run from a point."""
        wrong = [f"{name}: {text}" for text in differences(summary(folder, "full"), summary(folder, name))
                 if point is None or text.split(":")[0].strip(".") not in ("n_row", "n_event_row", "file_bytes")]
        if self.extension == "h5":
            return wrong + self.compare_waves(folder, name, point)
        full, rest = rows(folder, "full"), rows(folder, name)
        tail = full[len(full) - len(rest):] if rest else []
        if point is None and full != rest:
            wrong.append(f"{name}: other rows")
        elif sorted(tail) != sorted(rest) or len(rest) > len(full):
            wrong.append(f"{name}: other rows from {rest[0][:80]}")
        elif point is not None and not self.begins_there(folder, point, full, len(full) - len(rest)):
            wrong.append(f"{name}: rows are missing, or doubled")
        return wrong

    def signals(self, config, overrides):
        """Returns the signals whose waves the subsystems publish: connections between subsystems."""
        words = runs.defined(["output.file=waves.h5", *overrides])
        made = json.loads(runs.call(self.given.wrsim, "check", config, "--json", *words).stdout)
        of = {c: s["name"] for s in made["subsystems"] for c in s["components"]}
        return sorted({c["from"] for c in made["connections"]
                       if of[c["from"].split(".")[0]] != of[c["to"].split(".")[0]]})

    def compare_waves(self, folder, name, point):
        """Returns an error for each signal whose nodes in the rest differ from the last nodes of the full run."""
        def nodes(run):
            words = [self.given.waves, f"{run}.h5", *self.published]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
            found = {}
            for line in done.splitlines():
                if line in self.published:
                    found[line] = []
                    last = found[line]
                else:
                    last.append(line)
            return found
        full, rest, wrong = nodes("full"), nodes(name), []
        for signal in self.published:
            a, b = full[signal], rest[signal]
            n_before = len(a) - len(b)
            t_s = time_of_checkpoint(os.path.join(folder, point)) if point is not None else -1e300
            is_there = all(float.fromhex(x.split()[0]) <= t_s * (1 + 1e-12) + 1e-15 for x in a[:n_before])
            is_after = all(float.fromhex(x.split()[0]) >= t_s * (1 - 1e-12) - 1e-15 for x in b)
            if a[n_before:] != b or not is_after or (b and not is_there):
                wrong.append(f"{name}: waves of {signal}: {len(b)} of {len(a)} nodes, from {b[:1]}")
        return wrong

    def begins_there(self, folder, point, full, n_before):
        """Returns whether no row before the rest is after the checkpoint, and no row of the rest is before the checkpoint."""
        t_s = time_of_checkpoint(os.path.join(folder, point))
        times = [float(row.split(",", 1)[0]) for row in full]
        near = 1e-12 * max(abs(t_s), 1e-3)
        return all(t <= t_s + near for t in times[:n_before]) and all(t >= t_s - near for t in times[n_before:])


def summary(folder, name):
    return runs.json_of(os.path.join(folder, name + ".json"))


def slack_period(found):
    """Returns the period in the notation of the writer, "@1e-4", or "" for relaxed runs."""
    config = tomllib.loads(found["config"])
    if config["relaxation"]["scheme"] != "slack":
        return ""
    return f"@{config['slack']['period'] or config['simulation']['communication_step']!r}"


def rows(folder, name):
    with open(os.path.join(folder, name + ".csv"), encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if not line.startswith("#")][1:]


def time_of_checkpoint(path):
    """Returns the simulated time in the head of a checkpoint, in seconds."""
    with open(path, "rb") as file:
        return struct.unpack("=24s24sIIQd", file.read(72))[5]


def random_cases(given):
    """Draws configs of the adversary by seed. CVODE has no state that can be saved, so other solvers replace it."""
    for seed in range(given.first, given.first + given.count):
        case = adversary.draw_of(given.family, seed)
        case["settings"] = {key: "auto" if str(value).startswith("cvode") else value
                            for key, value in case["settings"].items()}
        for group in case["groups"]:
            if group.get("solver", "").startswith("cvode"):
                group["solver"] = "rosenbrock_w"
        if given.slack:
            slackened.slacken(case)
        yield f"{given.family or ''} seed {seed}".lstrip(), adversary.toml_of(case, given.plugin), case


def main():
    parser = argparse.ArgumentParser()
    for name in ("--wrsim", "--writer", "--waves", "--source", "--plugin"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--case", action="append")
    parser.add_argument("--without", action="append", default=[], help="not this case")
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--least", type=int, default=0, help="of all points: fewer prove too little")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--family", choices=list(adversary.families.DRAWS), help="of tests/adversary/families.py")
    parser.add_argument("--slack", choices=SLACK)
    given = parser.parse_args()
    bench, n_wrong, n_aside = Bench(given), 0, 0
    names = given.case or ([] if given.count else [*CASES, *REPLAYS])
    for name in (name for name in names if name not in given.without):
        wrong = bench.check_named(name)
        n_wrong += bool(wrong)
        print(f"{name}: {'wrong' if wrong else 'same'}", *wrong[:10], sep="\n    ")
    with tempfile.TemporaryDirectory() as folder:
        for name, text, case in random_cases(given):
            config = os.path.join(folder, "case.toml")
            adversary.write_files(case, folder)
            with open(config, "w", encoding="utf-8") as file:
                file.write(text)
            try:
                is_replayed = given.slack == "replayed"
                wrong = (bench.check_replayed if is_replayed else bench.check)(config, SLACK.get(given.slack, ["relaxation.on_failure=stop"]))
            except RuntimeError as why:     # a failure of the run without checkpoints belongs to another test
                wrong, is_full = [str(why)], str(why).startswith("full:")
                if is_full:
                    n_aside += 1
                    continue
            n_wrong += bool(wrong)
            if wrong:
                print(f"{name}: wrong", *wrong[:10], sep="\n    ")
    print(f"{bench.n_point} checkpoints, {n_wrong} cases wrong, {n_aside} did not run")
    return 1 if n_wrong or bench.n_point < given.least else 0


if __name__ == "__main__":
    raise SystemExit(main())
