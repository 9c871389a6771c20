"""A DAE of index 1 (models/varistor_line) against the equivalent ODE by another method, and with a part of its Jacobian.

    algebraic.py WRSIM MODEL.toml CC
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WRSIM, CONFIG, CC = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="ascii"), sys.argv[3]
ODE = CONFIG.replace('"varistor_line"', '"varistor_line_reduced"').replace('"linimp"', '"rosenbrock"')
ODE = re.sub("^step = .*", "rtol = 1e-9", ODE, flags=re.MULTILINE)


def wrsim(*arguments, code=0):
    done = subprocess.run([WRSIM, *arguments], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != code:
        sys.exit(f"wrsim {' '.join(arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def run(config, out, *overrides):
    """Runs the config and returns the counts of the subsystem 'line'."""
    wrsim(config, "-q", "-o", out, "--json", "sum.json", *[f"-D{o}" for o in overrides])
    with open("sum.json", encoding="ascii") as file:
        return [s for s in json.load(file)["subsystems"] if s["n_state"] > 1][0]


def error(one, other):
    """Returns the largest difference of a signal of the two results, relative to its range, and the number of signals."""
    rows = wrsim("compare", one, other).splitlines()
    found = [float(row.split()[3]) for row in rows if row.startswith("line.")]
    return max(found), len(found)


def check(is_good, text):
    print("ok" if is_good else "NOT OK", text)
    if not is_good:
        sys.exit(1)


def pattern(path, keeps, edit=lambda lines: lines):
    """Writes the matrix entries (row, column) with keeps(row, column) as a pattern file; returns their number.

    The entries come from the generated code of the whole matrix. `edit` may change the lines of the file.
    """
    source = pathlib.Path("whole.c").read_text(encoding="ascii")
    start, row = ([int(v) for v in re.search(name + r"\[\d+\] = \{([^}]*)\}", source).group(1).split(",")]
                  for name in ("column_start", " row"))
    n = len(start) - 1
    names = [f"v[{i + 1}]" for i in range(40)] + [f"w[{i + 1}]" for i in range(10)]
    entries = [(i, j) for j in range(n) for i in row[start[j]:start[j + 1]] if keeps(i, j)]
    lines = ["%%MatrixMarket matrix coordinate pattern general", "%wrsim pattern 1", "%wrsim subsystem line",
             "%wrsim tau 1e-3", *[f"%wrsim state {i + 1} line.{name}" for i, name in enumerate(names)],
             f"{n} {n} {len(entries)}", *[f"{i + 1} {j + 1}" for i, j in entries]]
    pathlib.Path(path).write_text("\n".join(edit(lines)) + "\n", encoding="ascii")
    return len(entries)


def against_the_ode():
    run("ode.toml", "ode.csv")
    before = None
    for step in (2e-3, 1e-3, 5e-4):
        counts = run("dae.toml", "dae.csv", f"solver.step={step}")
        worst, n = error("dae.csv", "ode.csv")
        check(n >= 51 and worst < 4.5 * step, f"step {step}: {worst:.2e} of the range in {n} signals")
        check(before is None or 1.7 < before / worst < 2.3, "order 1")
        check(counts["n_state_event"] == 1 and counts["n_other_pivots"] == 0, "one event, no other pivots")
        before = worst
    # With spare_steps the solver plans its steps from one communication point to the next. Without spare_steps, steps of the
    # split run also end at the ends of windows.
    run("dae.toml", "split.csv", "solver.spare_steps=2")
    run("dae.toml", "mono.csv", "solver.spare_steps=2", "simulation.monolithic=true")
    check(error("split.csv", "mono.csv")[0] <= 0.0, "the source in a subsystem of its own changes no bit")


def start_and_jump():
    """Junctions satisfy their equations at the start (the config starts them at 0) and after the jump of u."""
    run("dae.toml", "jump.csv", "output.events=true")
    lines = [line.split(",") for line in pathlib.Path("jump.csv").read_text(encoding="ascii").splitlines()]
    head = [name.split(" ")[0] for name in next(line for line in lines if len(line) > 10)]
    rows = [[float(v) if v else 0.0 for v in (line[0], *line[2:])] for line in lines if len(line) > 10 and line[0][0].isdigit()]
    of = {name: i - 1 for i, name in enumerate(head) if i > 1}

    def residual(row, u):
        w, v = row[of["line.w[1]"]], row[of["line.v[1]"]]
        return abs(u - 2.0 * w + v - 0.02 * w * (1.0 + 5.0 * w * w))

    at_jump = [row for row in rows if abs(row[0] - 0.2) < 1e-9]
    check(residual(rows[0], 0.2) < 1e-9, "consistent at the start")
    check(residual(at_jump[0], 0.2) < 1e-4 and residual(at_jump[-1], 1.0) < 1e-9, "and after a jump of the input")
    check(at_jump[-1][of["line.w[1]"]] - at_jump[0][of["line.w[1]"]] > 0.3, "which it follows at once")


def with_a_part():
    wrsim("codegen", "dae.toml", "whole.c", "-Dsolver.step=1e-3")
    n_whole = pattern("whole.mtx", lambda i, j: True)
    # Nodes with large capacitors become explicit. Fast nodes and junctions remain implicit.
    n_kept = pattern("part.mtx", lambda i, j: i >= 40 or i % 4 == 0)
    check(n_kept < 0.45 * n_whole, f"{n_kept} of {n_whole} entries are kept")
    whole, part = run("dae.toml", "whole.csv", "solver.pattern=whole.mtx"), run("dae.toml", "part.csv", "solver.pattern=part.mtx")
    run("dae.toml", "plain.csv")
    check(error("whole.csv", "plain.csv")[0] < 1e-7, "a pattern that keeps all changes nothing but rounding")
    check(error("part.csv", "ode.csv")[0] < 0.02, f"with a part the error is {error('part.csv', 'ode.csv')[0]:.1e}")
    check(part["factor_flop"] / part["n_factor"] < 0.7 * whole["factor_flop"] / whole["n_factor"], "and work is saved")
    wrsim("codegen", "dae.toml", "part.c", "-Dsolver.pattern=part.mtx")
    subprocess.run([CC, "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", "part.so", "part.c"], check=True)
    counts = run("dae.toml", "code.csv", "solver.pattern=part.mtx", "solver.code=part.so")
    check(error("code.csv", "part.csv")[0] < 1e-9 and counts["n_other_pivots"] == 0, "generated code gives the same")
    said = wrsim("dae.toml", "-q", "-Dsolver.code=part.so", code=3)
    check("generated for another Jacobian" in said, "but not for another pattern")


def restarts():
    """A run from a checkpoint after the jump has the same bits as the whole run."""
    for name, overrides in {"plain": (), "code": ("-Dsolver.pattern=part.mtx", "-Dsolver.code=part.so")}.items():
        for file in ("all.csv", "half.csv", "rest.csv", "half.ckpt"):
            pathlib.Path(file).unlink(missing_ok=True)
        wrsim("dae.toml", "-q", "-o", "all.csv", *overrides)
        wrsim("dae.toml", "-q", "-o", "half.csv", "--checkpoint", "half.ckpt", "-Dsimulation.stop=1.0", *overrides)
        wrsim("dae.toml", "-q", "-o", "rest.csv", "--restart", "half.ckpt", *overrides)
        rows = {name: [line for line in pathlib.Path(name).read_text(encoding="ascii").splitlines()
                       if line[:1].isdigit() and float(line.split(",")[0]) > 1.05]
                for name in ("all.csv", "rest.csv")}
        check(len(rows["all.csv"]) > 150 and rows["all.csv"] == rows["rest.csv"], f"restarted, {name}: the same bits")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("dae.toml").write_text(CONFIG, encoding="ascii")
        pathlib.Path("ode.toml").write_text(ODE, encoding="ascii")
        against_the_ode()
        start_and_jump()
        with_a_part()
        restarts()


main()
