"""How often `wrsim check` advises right between a split and one solver, on random configs and on the engine.

    python3 bench/split/advice.py --wrsim PROGRAM --plugin adversary_models.so [--first 0] [--count 60] [--json FILE]

A config has two to five subsystems of fast or slow oscillators, lags and bouncing balls, with random connections between them, and in
two of three cases expensive models (component.cost). The advice is that of `check` for one worker. The truth is from whole runs: the
split runs as configured. One solver has the tolerance with which the error equals the split's error, found on a ladder of tolerances.
Errors are max|y - ref| / max|ref| of the worst recorded signal, with the signal ref of one solver at a tight tolerance. The costs are
instructions (callgrind), and the declared costs of points. The program needs valgrind.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests/harness"), os.path.join(ROOT, "tests/adversary")]
import adversary  # pylint: disable=wrong-import-position

COSTS_S = (1e-6, 1e-4)      # seconds per point of an expensive model
LEAST_ERROR = 1e-9          # about the error of the reference; smaller errors cannot be compared
PER_SECOND = 3e9            # counted work of a second, in instructions (runtime/sim/run.h)
LADDER = 1.5                # ratio of tolerances of one solver
CLEAR = 1.25                # ratio of costs from which the advice must be right
STYLES = {                  # components of a subsystem, the largest number of them, and changed parameters
    "balls": (["ball"], 10, {}),
    "fast": (["rotor", "osc"], 8, {"w": (30.0, 200.0)}),
    "waves": (["osc", "rotor"], 8, {}),
    "slow": (["lag", "osc"], 12, {"w": (0.5, 3.0)}),
}
WEIGHTS = (4, 1, 1, 1)
STIFF = {"fast": (["rotor", "osc"], 3, {"w": (100.0, 400.0)}), "slow": (["lag", "osc"], 25, {"w": (0.5, 3.0)})}


def draw_case(seed):
    draw = adversary.Draw(seed, "advice")
    rng = draw.rng
    groups = []
    styles = rng.choices(list(STYLES), WEIGHTS, k=rng.randint(2, 5))
    is_fast_and_slow = rng.random() < 0.7
    if is_fast_and_slow:
        styles = ["fast", *["slow"] * (len(styles) - 1)]
    for style in styles:
        kinds, most, given = (STIFF if is_fast_and_slow else STYLES)[style]
        group = []
        for _ in range(rng.randint(1, most)):
            kind = rng.choice(kinds)
            own = {k: math.exp(rng.uniform(*map(math.log, span))) for k, span in given.items()
                   if k in adversary.MODELS[kind].parameters}
            if kind == "lag":
                own["T"] = rng.uniform(0.3, 3.0)
            group.append(draw.add(kind, **own))
        groups.append(group)
    weak = rng.choice([0.02, 0.1, 0.3, 1.0])
    for i, group in enumerate(groups):      # inputs: within the subsystem, or from another subsystem
        for reader in group:
            kind = draw.components[reader]["kind"]
            if not adversary.MODELS[kind].inputs:
                continue
            others = [c for k, g in enumerate(groups) if k != i for c in g]
            sources = others if reader == group[0] or rng.random() < 0.3 else [c for c in group if c < reader]
            sources = [(c, o) for c in sources for o, k in enumerate(adversary.MODELS[draw.components[c]["kind"]].outputs) if k == "wave"]
            if sources:
                draw.wire(*rng.choice(sources), reader)
                if sources and reader == group[0] and "k" in draw.components[reader]["parameters"]:
                    draw.components[reader]["parameters"]["k"] *= weak
    names = [c["name"] for c in draw.components]
    step = rng.choice([0.02, 0.05, 0.1])
    case = {"seed": seed, "rtol": 10.0 ** -rng.uniform(3.0, 6.5), "step_s": step, "stop_s": 2.0, "components": draw.components,
            "wires": [[names[s], i, names[r], k] for (r, k), (s, i) in sorted(draw.wires.items())],
            "settings": {"solver.kind": rng.choice(["auto", "dopri54", "rk43", "bs32"]),
                         "relaxation.scheme": rng.choice(["jacobi", "gauss_seidel"])},
            "groups": [{"components": [names[c] for c in g]} for g in groups]}
    case["costs"] = [f"component.{name}.cost={math.exp(rng.uniform(*map(math.log, COSTS_S))):.3g}" for name in names]
    if rng.random() < 0.33:     # a third of the configs has cheap models
        case["costs"] = []
    waves = [f"{c['name']}.{adversary.port(c['kind'], 'y', i)}" for c in draw.components
             for i, k in enumerate(adversary.MODELS[c["kind"]].outputs) if k == "wave"]
    case["settings"]["output.signals"] = waves
    return case


class Config:
    """A config file, its runs and their errors."""

    def __init__(self, options, file, folder):
        self.options, self.file, self.folder = options, file, folder
        self.reference = None

    def define(self, settings):
        return [word for s in ("scheduler.workers=1", "output.events=false", *settings) for word in ("-D", s)]

    def run(self, *settings):
        """Returns the error, or None if the run fails, lasts longer than 300 s, or gives up its split."""
        csv = os.path.join(self.folder, "run.csv")
        words = [self.options.wrsim, "run", self.file, "-q", "-o", csv, *self.define(settings)]
        try:
            done = subprocess.run(words, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0 or b"starts again" in done.stderr:
            return None
        with open(csv, encoding="ascii") as file:
            head = next(line for line in file if not line.startswith("#"))
            columns = dict(zip(head.strip().split(","), zip(*(line.strip().split(",") for line in file))))
        columns = {name: [*map(float, columns[name])] for name in columns if "." in name}
        if self.reference is None:
            self.reference = columns
        error = 0.0
        for name, ref in self.reference.items():
            size = max(map(abs, ref)) or 1.0
            error = max(error, max(abs(a - b) for a, b in zip(columns[name], ref)) / size)
        return error

    def work(self, settings):
        """Returns the counted work, in instructions: of wrsim_advance() as callgrind counts them, and of points with a declared cost."""
        out, summary = (os.path.join(self.folder, name) for name in ("callgrind", "run.json"))
        words = [self.options.wrsim, "run", self.file, "-q", *self.define(('output.file=""', *settings))]
        subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, "--toggle-collect=wrsim_advance", *words],
                       capture_output=True, check=True)
        with open(out, encoding="ascii") as file:
            instructions = float(next(line for line in file if line.startswith("totals:")).split()[1])
        subprocess.run([*words, "-D", "simulation.points=count", "--json", summary], capture_output=True, check=True)
        with open(summary, encoding="ascii") as file:
            return instructions + PER_SECOND * sum(part["point_s"] for part in json.load(file)["subsystems"])

    def one_solver(self, error, rtol):
        """Returns the tolerance of one solver with this error, between the tightest two tolerances with errors on both sides."""
        def at(k):
            if k not in found:
                done = self.run("simulation.monolithic=true", f"solver.rtol={min(rtol * LADDER ** k, 0.3):.17g}")
                found[k] = math.inf if done is None else done
            return found[k]
        found, k = {}, 0
        while at(k) > error and k > -24:
            k -= 1
        while at(k + 1) <= error and rtol * LADDER ** k < 0.2:
            k += 1
        low, high = max(at(k), 1e-14), at(k + 1)
        share = 0.0 if not high > error or math.isinf(high) or low > error else math.log(error / low) / math.log(high / low)
        return rtol * LADDER ** (k + share)


def examine(options, name, file, settings, rtol, folder):
    config = Config(options, file, folder)
    text = subprocess.run([options.wrsim, "check", file, "--json", *config.define(settings)], capture_output=True, check=True).stdout
    advice = json.loads(text).get("recommendation")
    if not advice or not advice["work_ratio"]:
        return {"name": name, "why": "no comparison", "advice": advice and advice["text"]}
    if config.run("simulation.monolithic=true", f"solver.rtol={max(rtol * 1e-3, 1e-12):.17g}", *settings) is None:
        return {"name": name, "why": "no reference"}
    error = config.run(*settings)
    if error is None or error < LEAST_ERROR:
        return {"name": name, "why": "the split fails, or has no error", "advice": advice["text"]}
    one_rtol = config.one_solver(error, advice["rtol"])
    one = ("simulation.monolithic=true", f"solver.rtol={one_rtol:.17g}", *settings)
    one_error = config.run(*one)
    one_work = config.work(one)
    truth = config.work(settings) / one_work
    return {"name": name, "truth": truth, "advice": advice["work_ratio"], "error": error, "one_error": one_error,
            "estimated_error": advice["error"], "rtol": one_rtol, "estimated_rtol": advice["rtol"], "one_work": one_work,
            "is_undecided": advice["undecided"], "is_right": not advice["undecided"] and (truth > 1.0) == (advice["work_ratio"] > 1.0),
            "is_clear": not 1 / CLEAR < truth < CLEAR}


def examine_seed(options, seed):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "config.toml")
        case = draw_case(seed)
        with open(file, "w", encoding="ascii") as out:
            out.write(adversary.toml_of(case, os.path.abspath(options.plugin)))
        return examine(options, f"random {seed}", file, case["costs"], case["rtol"], folder)


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("wrsim", None), ("plugin", None), ("first", 0), ("count", 60), ("json", None), ("jobs", 1)):
        parser.add_argument("--" + name, default=value, type=type(value) if value is not None else str)
    options = parser.parse_args()
    options.wrsim = os.path.abspath(options.wrsim)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rows.append(examine(options, "engine", os.path.join(ROOT, "models/engine/engine.toml"), (), 1e-4, folder))
        print(rows[0], flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda seed: examine_seed(argparse.Namespace(**vars(options)), seed),
                            range(options.first, options.first + options.count)):
            rows.append(row)
            print({k: f"{v:.3g}" if isinstance(v, float) else v for k, v in row.items()}, flush=True)
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump(rows, file, indent=1)
    judged = [r for r in rows if "truth" in r]
    right = [r for r in judged if r["is_right"]]
    clear = [r for r in judged if r["is_clear"]]
    undecided = [r for r in judged if r["is_undecided"]]
    print(f"{len(judged)} compared, {len(rows) - len(judged)} not; the split wins {sum(r['truth'] < 1 for r in judged)}; "
          f"right {len(right)}, undecided {len(undecided)}; of {len(clear)} clear ones right {sum(r['is_right'] for r in clear)}, "
          f"undecided {sum(r['is_undecided'] for r in clear)}")


if __name__ == "__main__":
    main()
