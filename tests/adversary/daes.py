#!/usr/bin/python3
"""Random DAEs of index 1 against equivalent ODEs, in one subsystem and in several, relaxed, slackened and restarted.

    daes.py --wrsim PROGRAM --plugin ALGEBRAIC_MODELS.so [--first N --count N]

algebraic_models.c has the equations. A seed determines a case: two to four components in a chain, some with a loop, all as DAEs with
random mass matrices. The reference is the same case as ODEs, by dopri54 at 1e-11. The checks are

    order     in one subsystem the error is small, and falls with the step of linimp
    split     relaxed, with one subsystem for each component: the error is not much larger than in one subsystem
    slack     slackened, with short periods and several sweeps: the error is not much larger
    workers   1, 2 and 3 workers give equal rows and counts
    blocks    event blocks change no row
    restart   from a checkpoint in the middle of the split run: equal rows
    events    the split run has as many events as the reference

If a run in one subsystem has another number of events than the reference, the script omits the case: its events are too close to one
another for the step.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import seeds  # pylint: disable=wrong-import-position
from counted import differences  # pylint: disable=wrong-import-position

STEP_S, STOP_S = 2e-3, 2.0
SIGNALS = ("s", "p", "q")


def draw(rng):
    """Returns components with parameters, and connections."""
    n = rng.randint(2, 4)
    parts = []
    for i in range(n):
        as_state = rng.choice([0, 0, 1, 2])
        p = {"a": rng.uniform(0.5, 5.0), "k": rng.uniform(-0.5, 0.5), "m": rng.uniform(0.3, 1.5),
             "b": rng.uniform(-0.5, 0.5), "c": rng.uniform(-0.6, 0.6), "g": rng.uniform(0.0, 1.0),
             "level": rng.uniform(0.05, 0.25), "back": rng.uniform(0.1, 0.3), "s0": rng.uniform(-0.2, 0.0)}
        if as_state < 2:
            p |= {name: rng.uniform(-0.8, 0.8) for name in ("t21", "t31", "t32")}
        p |= {name: rng.uniform(-0.8, 0.8) for name in ("p21", "p31", "p32")}
        p["y0_is_state"] = as_state
        parts.append((f"c{i}", p))
    wires = [("src.y", "c0.u0")]
    for i in range(1, n):
        wires.append((f"c{i - 1}.{rng.choice(SIGNALS)}", f"c{i}.u0"))
    if rng.random() < 0.6:
        wires.append((f"c{n - 1}.{rng.choice(SIGNALS)}", "c0.u1"))
    return parts, wires


def text_of(case, plugin, model, settings, is_split):
    parts, wires = case
    tables = {}
    for key, value in settings.items():
        table, name = key.split(".", 1)
        tables.setdefault(table, []).append(f"{name} = {value}")
    out = "".join(f"[{name}]\n" + "\n".join(rows) + "\n\n" for name, rows in tables.items())
    out += f'[[plugin]]\nfile = "{plugin}"\n\n[[component]]\nname = "src"\nmodel = "signal.sine"\n'
    out += "parameters = { amplitude = 1.0, frequency = 0.8 }\n\n"
    for name, p in parts:
        p = p if model == "dae" else {k: v for k, v in p.items() if k[0] not in "ty" and k not in ("p21", "p31", "p32")}
        values = ", ".join(f"{k} = {float(v)!r}" for k, v in p.items())
        out += f'[[component]]\nname = "{name}"\nmodel = "adversary.{model}"\nparameters = {{ {values} }}\n\n'
    for a, b in wires:
        out += f'[[connection]]\nfrom = "{a}"\nto = "{b}"\n\n'
    for name in ["src", *[name for name, _ in parts]] if is_split else []:
        out += f'[[subsystem]]\nname = "{name}"\ncomponents = ["{name}"]\n\n'
    return out


class Bench:
    def __init__(self, given, folder, case):
        self.given, self.folder, self.case = given, folder, case
        self.names = [f"{name}.{s}" for name, _ in case[0] for s in (*SIGNALS, "d0")]

    def run(self, model, is_split, more, options=(), out="out.csv"):
        """Returns values by name at communication points, and the lines of these rows."""
        settings = {"simulation.stop": STOP_S, "simulation.communication_step": 1e-2, "simulation.monolithic":
                    "false" if is_split else "true", "solver.kind": '"linimp"', "solver.step": STEP_S, "output.events": "false",
                    "output.signals": "[" + ", ".join(f'"{name}"' for name in self.names) + "]", **more}
        with open(os.path.join(self.folder, "case.toml"), "w", encoding="ascii") as file:
            file.write(text_of(self.case, self.given.plugin, model, settings, is_split))
        seeds.remove(self.folder, out)
        done = subprocess.run([self.given.wrsim, "case.toml", "-q", "-o", out, *options], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=200)
        if done.returncode != 0:
            raise RuntimeError(f"{model} {is_split} {more}: exit code {done.returncode}: {done.stderr[-400:]}")
        lines = seeds.rows_of(self.folder, out)
        head = [name.split(" ")[0].strip('"') for name in lines[0].strip().split(",")]
        rows = [line.strip().split(",") for line in lines[1:]]
        return {name: [float(row[head.index(name)]) for row in rows] for name in self.names}, lines[1:]

    def error(self, found, reference):
        """Returns the largest and mean error of all signals, relative to their ranges, and the share of points with another d0.
        The errors omit the worst twentieth of the points, because an event may be early or late by a step."""
        worst, total, n_other = 0.0, 0.0, 0
        for name, _ in self.case[0]:
            for s in SIGNALS:
                was, now = reference[f"{name}.{s}"], found[f"{name}.{s}"]
                size = max(was) - min(was) + 1e-9
                away = [abs(a - b) / size for a, b in zip(was, now)]
                n_off = sorted(away)[-1 - len(away) // 20]     # without the points beside shifted events
                worst = max(worst, n_off)
                kept = sorted(away)[:-1 - len(away) // 20]
                total += sum(kept) / len(kept)
            n_other += sum(a != b for a, b in zip(reference[f"{name}.d0"], found[f"{name}.d0"]))
        return worst, total / (3 * len(self.case[0])), n_other / len(reference[f"{self.case[0][0][0]}.d0"])

    def flips(self, found):
        return [sum(a != b for a, b in zip(d[1:], d)) for d in (found[f"{name}.d0"] for name, _ in self.case[0])]


def compare(given, seed):
    rng = random.Random(f"daes {seed}")
    case = draw(rng)
    window_s = rng.choice([2e-3, 1e-2, 5e-2])
    relaxed = {"relaxation.window": f'{{ control = "fixed", initial = {window_s} }}' if rng.random() < 0.7 else "{}",
               "relaxation.scheme": rng.choice(['"jacobi"', '"gauss_seidel"']), "simulation.rtol": 1e-6}
    with tempfile.TemporaryDirectory(prefix="daes") as folder:
        b = Bench(given, folder, case)
        reference, _ = b.run("ode", False, {"solver.kind": '"dopri54"', "solver.rtol": 1e-11, "simulation.rtol": 1e-10})
        errors = {}
        mono = [b.run("dae", False, {"solver.step": h})[0] for h in (2e-3, 1e-3)]
        if b.flips(mono[1]) != b.flips(reference) or b.flips(mono[0]) != b.flips(reference):
            return None
        errors = [b.error(m, reference) for m in mono]
        if errors[1][1] > 0.7 * errors[0][1] + 1e-5 or errors[0][0] > 0.05:
            return f"order: {errors}"
        blocks = {"simulation.event_blocks": 1, "scheduler.event_threads": "true", "scheduler.workers": rng.choice([1, 2])}
        if b.run("dae", False, blocks)[1] != b.run("dae", False, {})[1]:
            return "event blocks: other rows"
        counted, found = {**relaxed, "scheduler.min_work": 0, "output.json": '"sum.json"'}, []
        for n_worker in (1, 2, 3):
            _, lines = b.run("dae", True, {**counted, "scheduler.workers": n_worker})
            with open(os.path.join(folder, "sum.json"), encoding="ascii") as file:
                found.append((lines, json.load(file)))
            if found[0][0] != lines or differences(found[0][1], found[-1][1]):
                return f"{n_worker} workers {relaxed}: other rows, or {differences(found[0][1], found[-1][1])}"
        split, lines = b.run("dae", True, relaxed, out="split.csv")
        e = b.error(split, reference)
        if e[1] > 1.5 * errors[0][1] + 3e-4 or e[0] > 3.0 * errors[0][0] + 1e-3:
            return f"split {relaxed}: {e} instead of {errors[0]}"
        if b.flips(split) != b.flips(reference):
            return f"split {relaxed}: {b.flips(split)} events instead of {b.flips(reference)}"
        b.run("dae", True, relaxed, ["--checkpoint", "half.ckpt", "--checkpoint-every", "1.1"], out="whole.csv")
        rest = b.run("dae", True, relaxed, ["--restart", "half.ckpt"], out="rest.csv")[1]
        if rest != lines[len(lines) - len(rest):]:
            return f"restart {relaxed}: other rows"
        period_s = rng.choice([2e-3, 4e-3])
        slack = {"relaxation.scheme": '"slack"', "slack.period": period_s, "slack.sweeps": 4, "simulation.rtol": 1e-6}
        e = b.error(b.run("dae", True, slack)[0], reference)
        if e[1] > 3.0 * errors[0][1] + 1e-3:
            return f"slack {slack}: {e} instead of {errors[0]}"
    return ""


def check(given, seed):
    try:
        return compare(given, seed)
    except RuntimeError as failure:
        return str(failure)


if __name__ == "__main__":
    sys.exit(seeds.run(seeds.parser().parse_args(), check))
