"""`wrsim stability` for random linear systems: unstable runs grow as reported, per step or per period of exchange; stable runs do not.

    stability_random.py PROGRAM [N [METHOD,...]]

- One subsystem: N systems for each method, with a random step, and 2 % below and above the largest stable step if the command reports one.
- Linearly implicit Euler with a random part of the Jacobian: the same checks of 4 N systems.
- A slow oscillation beside a mode up to 1e12 times as fast, with bdf3, which is unstable near the imaginary axis.
- Exchange of three subsystems: 2 N cases for each method, with steps that divide the period and steps that do not. Every fifth case has
  windows of one sweep, the others are slackened. Jumps of inputs are below the tolerance of inputs (steps go on from period to period) or
  above this tolerance (the method begins anew).

The growth is measured between the middle and the end of a long run.
"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

KINDS = ["euler", "heun", "rk3", "rk4", "linimp", "backward_euler", "trapezoidal", "bdf2", "ab2", "ab3", "ab4"]
# Coefficients (alpha, beta) of implicit methods that lose stability: am3 on the negative real axis, bdf3 and bdf4 near the imaginary axis.
FORMULAS = {"am3": ([24, -24, 0, 0], [9, 19, -5, 1]), "bdf3": ([11, -18, 9, -2], [6]), "bdf4": ([25, -48, 36, -16, 3], [12])}
UNSTABLE, FAILED = 12, 5  # exit codes
MARGIN = 0.02


def solver_of(method, step_s):
    words = ["solver.step=%.17g" % step_s]
    if method not in FORMULAS:
        return words + ["solver.kind=" + method]
    alpha, beta = FORMULAS[method]
    return words + ["solver.kind=multistep", "solver.alpha=[%s]" % ", ".join("%g" % a for a in alpha),
                    "solver.beta=[%s]" % ", ".join("%g" % b for b in beta)]


class System:
    """A linear system x' = A x + B u, y = C x + D u. The matrices are lists of rows."""

    def __init__(self, a, b=(), c=(), d=()):
        self.a, self.b, self.c, self.d = a, b, c, d

    def write(self, folder, name, input_nominal=0.0, state_nominal=1.0):
        lines = ["wrsim state space 1", "model " + name, "states %d" % len(self.a)]
        lines += ["state %d %g" % (i + 1, state_nominal) for i in range(len(self.a))]
        lines += ["input u%d - %g 0" % (k + 1, input_nominal) for k in range(len(self.b[0]) if self.b else 0)]
        lines += ["output y%d - %g 0" % (k + 1, input_nominal) for k in range(len(self.c))]
        for letter, matrix in (("A", self.a), ("B", self.b), ("C", self.c), ("D", self.d)):
            lines += ["%s %d %d %.17g" % (letter, i + 1, j + 1, value) for i, row in enumerate(matrix)
                      for j, value in enumerate(row) if value != 0]
        with open(os.path.join(folder, name + ".ss"), "w") as file:
            file.write("\n".join(lines) + "\n")


def rotate(a, rng):
    """Returns T A T^-1 with random plane rotations and scalings T. Its eigenvalues equal the eigenvalues of A."""
    n = len(a)
    for _ in range(2 * n):
        i, j = rng.sample(range(n), 2) if n > 1 else (0, 0)
        if i == j:
            break
        c, s = math.cos(angle := rng.uniform(0, 6.28)), math.sin(angle)
        for row in a:
            row[i], row[j] = c * row[i] - s * row[j], s * row[i] + c * row[j]
        a[i], a[j] = [c * x - s * y for x, y in zip(a[i], a[j])], [s * x + c * y for x, y in zip(a[i], a[j])]
    for i in range(n):
        scale = rng.uniform(0.3, 3)
        a[i] = [scale * x for x in a[i]]
        for row in a:
            row[i] /= scale
    return a


def random_system(rng, lightly_damped):
    """Returns a stable system of blocks with one state (decay) or two states (damped oscillation), in random coordinates."""
    n_block = rng.randint(1, 3)
    blocks = []
    for _ in range(n_block):
        size = 10 ** rng.uniform(-0.5, 1.5)
        if rng.random() < 0.5:
            blocks.append([[-size]])
        else:
            angle = math.pi / 2 + (rng.uniform(1e-3, 0.3) if lightly_damped else rng.uniform(0.05, 1.5))
            re, im = size * math.cos(angle), size * math.sin(angle)
            blocks.append([[re, im], [-im, re]])
    n = sum(map(len, blocks))
    a = [[0.0] * n for _ in range(n)]
    at = 0
    for block in blocks:
        for i, row in enumerate(block):
            for j, value in enumerate(row):
                a[at + i][at + j] = value
        at += len(block)
    return System(rotate(a, rng))


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder, self.n_wrong, self.n_checked = program, folder, 0, 0

    def call(self, words, codes):
        done = subprocess.run([self.program] + words, capture_output=True, text=True, timeout=300, cwd=self.folder)
        if done.returncode not in codes:
            sys.exit("%s\nended with %d:\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def judged(self, config, words):
        done = self.call(["stability", config, "--json", "--points", "2"] + [w for s in words for w in ("-D", s)], (0, UNSTABLE))
        return json.loads(done.stdout)

    def growth(self, config, words, stop_s, unit_s):
        """Returns ln of the growth per unit_s from the middle to the end of a run; inf: overflow or failure, -inf: at rest."""
        path = os.path.join(self.folder, "run.csv")
        done = self.call([config, "-q", "-o", path] + [w for s in words for w in ("-D", s)]
                         + ["-D", "simulation.stop=%.17g" % stop_s], (0, FAILED))
        if done.returncode:
            return math.inf
        with open(path) as file:
            rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))][1:]
        os.remove(path)
        if any("nan" in row or "inf" in row for row in rows):
            return math.inf

        def size(from_share, to_share):
            """Returns the largest absolute value of a state in these rows, and its time."""
            part = rows[int(len(rows) * from_share):int(len(rows) * to_share)]
            best = max(part, key=lambda row: max(abs(float(x)) for x in row[2:]))
            return max(abs(float(x)) for x in best[2:]), float(best[0])
        first, last = size(0.4, 0.6), size(0.8, 1.0)
        return -math.inf if last[0] == 0 else math.log(last[0] / first[0]) / (last[1] - first[1]) * unit_s

    def complain(self, text):
        self.n_wrong += 1
        print("WRONG: " + text)


def windows(length_s):
    return ["relaxation.window.%s=%.17g" % (key, length_s) for key in ("initial", "min", "max")]


def write_pattern(bench, system, rng):
    """Writes a random part of the Jacobian's pattern to kept.mtx."""
    n = len(system.a)
    order = rng.sample(range(n), n)  # random numbers of the states in the file: the program identifies states by name
    kept = [(i, j) for i in range(n) for j in range(n) if rng.random() < (0.7 if i == j else 0.3)]
    with open(os.path.join(bench.folder, "kept.mtx"), "w") as file:
        file.write("%%MatrixMarket matrix coordinate pattern general\n%wrsim pattern 1\n")
        file.writelines("%%wrsim state %d a.z[%d]\n" % (order.index(i) + 1, i + 1) for i in range(n))
        file.write("%d %d %d\n" % (n, n, len(kept)))
        file.writelines("%d %d\n" % (order.index(i) + 1, order.index(j) + 1) for i, j in kept)


def check_single(bench, method, seed, with_pattern=False):
    rng = random.Random("%s %d" % (method, seed))
    system = random_system(rng, method in FORMULAS)
    system.write(bench.folder, "one")
    solver_words = solver_of
    if with_pattern:
        write_pattern(bench, system, rng)
        solver_words = lambda method, step_s: solver_of(method, step_s) + ["solver.pattern=kept.mtx"]
    start = ", ".join('"z[%d]" = %g' % (i + 1, rng.uniform(0.5, 1)) for i in range(len(system.a)))
    with open(os.path.join(bench.folder, "one.toml"), "w") as file:
        file.write('[simulation]\nstop = 1\ncommunication_step = 0.1\nmonolithic = true\n[[plugin]]\nfile = "one.ss"\n'
                   '[[component]]\nname = "a"\nmodel = "one"\nstart = { %s }\n' % start)
    limit_s = bench.judged("one.toml", solver_words(method, 0.01))["subsystems"][0].get("largest_step")
    bounded = isinstance(limit_s, float) and limit_s > 0
    steps = [limit_s * (1 - MARGIN), limit_s * (1 + MARGIN)] if bounded else []
    steps.append((limit_s if bounded else 1.0) * 2 ** rng.uniform(-2, 2))
    for step_s in steps:
        words = solver_words(method, step_s) + windows(500 * step_s) + ["simulation.communication_step=%.17g" % (5 * step_s)]
        found = bench.judged("one.toml", words)["subsystems"][0]
        measured = bench.growth("one.toml", words, 6000 * step_s, step_s)
        told = math.log(found["worst"]["growth_per_step"])
        bench.n_checked += 1
        text = "%s%s %d, step %g of a limit of %s: told %s, growth %.5g per step, measured %.5g" % (
            method, " with a part of its Jacobian" if with_pattern else "", seed, step_s, limit_s, "stable" if found["stable"] else "unstable", told, measured)
        if found["stable"]:
            is_right = measured <= 2e-5
        else:  # a fast growth overflows the numbers
            is_right = math.isinf(measured) and measured > 0 or abs(measured - told) <= 0.05 * told + 2e-6
        if not is_right:
            bench.complain(text)


def check_slow(bench, fast, step_s):
    """x1' = -fast (x1 - x2), x2' = x3, x3' = -x2: bdf3 is not stable near the imaginary axis."""
    System([[-fast, fast, 0], [0, 0, 1], [0, -1, 0]]).write(bench.folder, "one")
    with open(os.path.join(bench.folder, "one.toml"), "w") as file:
        file.write('[simulation]\nstop = 1\ncommunication_step = 0.1\nmonolithic = true\n[[plugin]]\nfile = "one.ss"\n'
                   '[[component]]\nname = "a"\nmodel = "one"\nstart = { "z[1]" = 1, "z[2]" = 1 }\n')
    words = solver_of("bdf3", step_s) + windows(500 * step_s) + ["simulation.communication_step=%.17g" % (5 * step_s)]
    found = bench.judged("one.toml", words)["subsystems"][0]
    measured = bench.growth("one.toml", words, 4000 * step_s, step_s)
    told = math.log(found["worst"]["growth_per_step"])
    bench.n_checked += 1
    if found["stable"] != (measured < 0) or not found["stable"] and abs(measured - told) > 0.01 * told:
        bench.complain("beside a mode of %g 1/s, step %g: %s, measured %g" % (fast, step_s, found, measured))


N_PART = 3


def check_exchange(bench, method, seed):
    rng = random.Random("exchange %s %d" % (method, seed))
    is_slack = seed % 5 != 4  # else windows of a single sweep, in which no input jumps by more than its tolerance
    goes_on, order = seed % 2 == 0 or not is_slack, ("hold", "linear")[seed // 2 % 2]
    period_s = 0.05 * 10 ** rng.uniform(-1, 0.5)
    n_step = rng.choice([1, 2, 3, 5, 8] if seed // 4 % 2 == 0 else [1.5, 2.5, 8 / 3])
    step_s = period_s / n_step
    strength = rng.uniform(0.5, 4) / period_s
    text = '[simulation]\nstop = 1\ncommunication_step = 0.1\nmonolithic = false\n[scheduler]\nworkers = 1\n'
    if not is_slack:
        scheme = "a single sweep"
        text += ('[relaxation]\nscheme = "jacobi"\nmax_sweeps = 1\nprediction = "%s"\n[relaxation.window]\n'
                 'initial = %.17g\nmin = %.17g\nmax = %.17g\ncontrol = "fixed"\n' % (order, period_s, period_s, period_s))
    else:
        scheme = "slack"
        text += '[relaxation]\nscheme = "slack"\nprediction = "%s"\n[slack]\nperiod = %.17g\nbound = 0\n' % (order, period_s)
    for p in range(N_PART):
        a = [[(-2.0 if i == j else 0) / period_s * rng.uniform(0.05, 0.3) + rng.uniform(-0.2, 0.2) / period_s for j in range(2)]
             for i in range(2)]
        b = [[strength * rng.uniform(-0.5, 0.5) for _ in range(2)] for _ in range(2)]
        d = [[rng.uniform(-0.5, 0.5) if seed % 3 == 0 else 0.0 for _ in range(2)] for _ in range(2)]
        System(a, b, [[1, 0], [0, 1]], d).write(bench.folder, "part%d" % p, 1e300 if goes_on else 1e-200, 1e-200)
        text += ('[[plugin]]\nfile = "part%d.ss"\n[[component]]\nname = "c%d"\nmodel = "part%d"\nstart = { "z[1]" = %g, "z[2]" = %g }\n'
                 % (p, p, p, 1e-3 * rng.uniform(0.5, 1), 1e-3 * rng.uniform(0.5, 1)))
    for p in range(N_PART):
        for k in range(2):
            text += '[[connection]]\nfrom = "c%d.y%d"\nto = "c%d.u%d"\n' % ((p + 1 + k) % N_PART, k + 1, p, k + 1)
    with open(os.path.join(bench.folder, "three.toml"), "w") as file:
        file.write(text)
    words = solver_of(method, step_s)
    found = bench.judged("three.toml", words)["exchange"]
    found = found[order]
    radius = found.get("going_on", found.get("begun_anew")) if goes_on else found["begun_anew"]
    told = math.log(radius)
    n_period = int(max(80, min(4000, 300 / max(abs(told), 1e-3))))  # numbers overflow at e^700; slow growth needs many periods
    measured = bench.growth("three.toml", words + ["simulation.communication_step=%.17g" % period_s,
                                                   'output.signals=["*.z*"]'], n_period * period_s, period_s)
    bench.n_checked += 1
    line = "%s%s, %s %d, %s, %g steps in a period, %s: told %.5g per period, measured %.5g" % (
        scheme, " with feedthrough" if seed % 3 == 0 else "", method, seed, order, n_step, "going on" if goes_on else "begun anew", told, measured)
    if os.environ.get("VERBOSE"):
        print(line)
    if abs(measured - told) > 0.02 * abs(told) + 2e-3:
        bench.complain(line)


def main():
    program = os.path.abspath(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    methods = sys.argv[3].split(",") if len(sys.argv) > 3 else KINDS + list(FORMULAS)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for fast in (1e6, 1e9, 1e12):
            for step_s in (0.2, 0.5, 1.5, 3.0):
                check_slow(bench, fast, step_s)
        for seed in range(4 * n):
            check_single(bench, "linimp", seed, True)
        for method in methods:
            for seed in range(n):
                check_single(bench, method, seed)
            for seed in range(2 * n):
                check_exchange(bench, method, seed)
        if bench.n_wrong:
            sys.exit("FAILED: %d of %d verdicts" % (bench.n_wrong, bench.n_checked))
        print("ok - %d verdicts on random systems, as running them shows" % bench.n_checked)


main()
