"""Linear multistep methods: error slopes, the discretised equation and regions of the lecture notes.

    python3 bench/papers/multistep/study.py build/wrsim [-o DIR]

Triverio (2014), "Modeling of Multiphysics Systems", lectures 14 to 16 and "Stability of discretized linear differential
equations" (docs/METHODS.md, Sources). The results come from runs of wrsim and from `wrsim stability`, which writes a drawing of each
region to DIR.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import tempfile

CONFIG = """[simulation]
stop = 1.0
communication_step = 1.0
rtol = 1e-12
atol_factor = 1.0

[relaxation]
window = { initial = 1.0, min = 1.0, max = 1.0 }

[[component]]
name = "fast"
model = "dahlquist"
parameters = { a = -2.0, b = 0.0 }
start = { x = 1.0 }

[[component]]
name = "slow"
model = "dahlquist"
parameters = { a = -1.0, b = 0.0 }
start = { x = 1.0 }

[[subsystem]]
name = "equation"
components = ["fast", "slow"]
"""
LAMBDA = {"fast.x": -2.0, "slow.x": -1.0}
# Kind of solver, name in the notes ("-": none), expected slope of the error.
SLOPES = (("euler", "FE", 1), ("backward_euler", "BE", 1), ("trapezoidal", "TR", 2), ("bdf2", "-", 2), ("ab2", "-", 2),
          ("ab3", "-", 3), ("ab4", "-", 4), ("rk4", "-", 4))
# Order of the residual in the notes: R ~ dt^(p + 1).
RESIDUALS = (("euler", "FE", 1), ("backward_euler", "BE", 1), ("trapezoidal", "TR", 2), ("beste", "BESTE", 3))
# x'' + 3 x' + 2 x = 0: step, roots in the notes.
ROOTS = ((0.5, (0.5, 0.0), "0, 1/2"), (1.0, (0.0, -1.0), "0, -1"), (2.0, (-1.0, -3.0), "-1, -3"))
# Real interval and angle of A(alpha)-stability (Hairer, Wanner, "Solving ODEs II", V.1 and V.2).
REGIONS = (("euler", "2", None), ("ab2", "1", None), ("ab3", "6/11", None), ("ab4", "3/10", None), ("rk4", "2.785", None),
           ("backward_euler", "all", 90.0), ("trapezoidal", "all", 90.0), ("bdf1", "all", 90.0), ("bdf2", "all", 90.0),
           ("bdf3", "all", 86.03), ("bdf4", "all", 73.35), ("bdf5", "all", 51.84), ("bdf6", "all", 17.84))


class Bench:
    def __init__(self, program, folder, out):
        self.program, self.folder, self.out = os.path.abspath(program), folder, out
        self.config = os.path.join(folder, "equation.toml")
        with open(self.config, "w") as file:
            file.write(CONFIG)

    def call(self, words, codes=(0,)):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit("%s\nended with %d:\n%s" % (" ".join(words), done.returncode, done.stderr))
        return done

    def end(self, kind, step_s, n_step, jacobian=None):
        """Returns the two states after n steps, by name."""
        file = os.path.join(self.folder, "run.csv")
        stop_s = step_s * n_step
        settings = ["solver.kind=" + kind, "solver.step=%.17g" % step_s, "simulation.stop=%.17g" % stop_s,
                    "simulation.communication_step=%.17g" % stop_s] + [
                        "relaxation.window.%s=%.17g" % (key, stop_s) for key in ("initial", "min", "max")]
        self.call([self.config, "-q", "-o", file] + [word for s in settings for word in ("-D", s)])
        with open(file) as lines:
            rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        names = [name.split(" [")[0] for name in rows[0]]
        return {name: float(rows[-1][names.index(name)]) for name in LAMBDA}

    def method(self, name):
        words = ["stability", "--method", name, "--json"] + (["-o", self.out] if self.out else [])
        return json.loads(self.call(words, (0, 12)).stdout)


def slope(bench, kind):
    errors = []
    for n_step in (64, 128, 256):
        end = bench.end(kind, 1.0 / n_step, n_step)
        errors.append(max(abs(end[name] - math.exp(LAMBDA[name])) for name in LAMBDA))
    return math.log2(errors[0] / errors[2]) / 2, errors[0]


def interval(found):
    return "all" if found["real_interval"] == "unbounded" else "%.4f" % found["real_interval"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("-o", dest="out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.program, folder, given.out)
        print("| lecture 16 | residual dt^(p+1), p in the notes | ours | constant | zero-stable |\n|---|---|---|---|---|")
        for name, label, order in RESIDUALS:
            found = bench.method(name)
            print("| %s | %d | %d | %.4g | %s |" % (label, order, found["order"], found["residual_constant"],
                                                 "yes" if found["zero_stable"] else "no, roots %s" % ", ".join(
                                                     "%.3g" % root["z"][0] for root in found["roots"])))
        print("\n| run of | notes | slope of the error, expected | measured | error at dt = 1/64 |\n|---|---|---|---|---|")
        for kind, label, expected in SLOPES:
            measured, error = slope(bench, kind)
            print("| %s | %s | %d | %.2f | %.2e |" % (kind, label, expected, measured, error))
        print("\n| x'' + 3 x' + 2 x = 0, dt | roots in the notes | factors of one step of the program |\n|---|---|---|")
        for step_s, _, text in ROOTS:
            end = bench.end("euler", step_s, 1)
            print("| %g | %s | %.17g, %.17g |" % (step_s, text, end["slow.x"], end["fast.x"]))
        print("\n| method | real interval, published | ours | angle, published | ours |\n|---|---|---|---|---|")
        for name, real, angle in REGIONS:
            found = bench.method(name)
            print("| %s | %s | %s | %s | %.2f |" % (name, real, interval(found), "-" if angle is None else "%.2f" % angle,
                                                 found["angle_degrees"]))


main()
