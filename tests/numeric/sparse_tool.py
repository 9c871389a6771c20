"""`wrsim sparse`: the chosen pattern is stable and accurate in a run, the written config runs unchanged, and bad input gives
one error message.

    sparse_tool.py WRSIM ROOT [long]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WRSIM, MODELS = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve() / "models"


def wrsim(*arguments, code=0):
    done = subprocess.run([WRSIM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != code:
        sys.exit(f"wrsim {' '.join(map(str, arguments))} ended with {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def check(is_good, text):
    print("ok" if is_good else "NOT OK", text)
    if not is_good:
        sys.exit(1)


def counts(config):
    wrsim(config, "-q", "--json", "sum.json")
    stats = json.loads(pathlib.Path("sum.json").read_text(encoding="ascii"))["subsystems"]
    return max(stats, key=lambda s: s["n_state"])


def worst(found, which):
    return max(entry[which] for entry in found["errors"])


def study(model, folder, entries, error, *samples):
    """Checks the tool, its config and its files. Returns the content of sparse.json."""
    config = MODELS / model / f"{model}.toml"
    text = wrsim("sparse", config, "-o", folder, *samples).stdout
    found = json.loads((pathlib.Path(folder) / "sparse.json").read_text(encoding="ascii"))
    check("compared with a run of tight tolerances" in text, f"{model}: it was run")
    check(found["sparsed"]["accepted"] and found["sparsed"]["entries"] <= entries,
          f"{model}: {found['sparsed']['entries']} of {found['full']['entries']} entries, at most {entries}")
    check(all(at["radius_sparsed"] < 1 for at in found["linearisations"]), f"{model}: all eigenvalues inside the unit disc")
    check(worst(found, "sparsed") <= error, f"{model}: error {worst(found, 'sparsed'):.4f}, at most {error}")
    full, sparsed = counts(config), counts(f"{folder}/sparsed.toml")
    check(sparsed["n_rhs"] < full["n_rhs"], f"{model}: {sparsed['n_rhs']} right-hand sides, {full['n_rhs']} unsparsed")
    check(sparsed["factor_flop"] < full["factor_flop"], f"{model}: factorising takes less")
    for name in ("full", "sparsed", "mixed", "spectrum", "changes"):
        check((pathlib.Path(folder) / f"{name}.svg").read_text(encoding="ascii").rstrip().endswith("</svg>"), f"{model}: {name}.svg")
    wrsim("sparse", config, "--pattern", f"{folder}/pattern.mtx", "--no-run", *samples)
    check(True, f"{model}: its own pattern is accepted again")
    wrsim("sparse", config, "--pattern", f"{folder}/mixed.mtx", "--no-run", *samples)
    check(True, f"{model}: and that of mixed mode")
    return found


def matrix(path, rows, form="real"):
    n = len(rows)
    lines = [f"%%MatrixMarket matrix array {form} general", "%wrsim test", f"{n} {n}"]
    lines += [str(rows[i][j]) for j in range(n) for i in range(n)]
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="ascii")


def refused(words, code, *arguments):
    error = wrsim("sparse", *arguments, code=code).stderr
    lines = [line for line in error.splitlines() if line]
    check(len(lines) == 1 and re.search(words, error), f"one message: {lines[0] if lines else 'none'}")


def bad_input():
    matrix("good.mtx", [[-1, 0], [1, -500]])
    matrix("defective.mtx", [[-10, 1, 0], [0, -10.00000001, 0], [0, 0, -900]])
    matrix("mass.mtx", [[1, 0], [0, 0]])
    matrix("no_equation.mtx", [[-1, 1], [0, 0]])
    pathlib.Path("broken.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n1\n2\nx\n4\n", encoding="ascii")
    pathlib.Path("nan.mtx").write_text("%%MatrixMarket matrix array real general\n1 1\nnan\n", encoding="ascii")
    wrsim("sparse", "good.mtx", "--tau", "1e-2")
    wrsim("sparse", "defective.mtx", "--tau", "1e-2")
    refused("defective", 5, "defective.mtx", "--tau", "1e-2", "--gap", "0")
    refused("no_equation.mtx.*singular", 5, "no_equation.mtx", "--mass", "mass.mtx", "--tau", "1e-2")
    refused(r"broken.mtx:5", 6, "broken.mtx", "--tau", "1e-2")
    refused("nan.mtx", 6, "nan.mtx", "--tau", "1")
    refused("cannot be (read|opened)", 6, "none.mtx", "--tau", "1")
    wrsim("sparse", MODELS / "pipe/pipe.toml", "--times", "0.005", "-o", "at_start")
    found = json.loads(pathlib.Path("at_start/sparse.json").read_text(encoding="ascii"))
    check(worst(found, "unsparsed") > 1e-4, f"runs are compared all along, not at 0.005 s only: {worst(found, 'unsparsed')}")
    refused("3 x 3", 2, "defective.mtx", "--tau", "1", "--mass", "mass.mtx")
    refused("did you mean 'robot'", 2, MODELS / "robot/robot.toml", "--subsystem", "robt")
    refused("5 subsystems have states", 2, MODELS / "engine/engine.toml")
    refused("no solver.step", 2, MODELS / "engine/engine.toml", "--subsystem", "cyl1")
    refused("within the run", 2, MODELS / "pipe/pipe.toml", "--times", "1000")
    wrsim("sparse", "good.mtx", code=2) # without a step
    pathlib.Path("other.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n%wrsim state 1 other.x\n25 25 1\n1 1\n",
                                         encoding="ascii")
    refused("other.mtx:2.*other.x", 6, MODELS / "pipe/pipe.toml", "--pattern", "other.mtx")
    empty = "%%MatrixMarket matrix coordinate pattern general\n%wrsim test\n25 25 1\n1 1\n"
    pathlib.Path("empty.mtx").write_text(empty, encoding="ascii")
    wrsim("sparse", MODELS / "pipe/pipe.toml", "--pattern", "empty.mtx", "--no-run", code=1)
    check(True, "a pattern that leaves the fast modes explicit is refused with exit code 1")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bad_input()
        pipe = study("pipe", "pipe", 60, 0.02)
        check(sorted(pipe["explicit"]) == [f"pipe.T_wall[{i}]" for i in range(1, 6)], "pipe: mixed mode makes the wall explicit")
        is_long = "long" in sys.argv[3:]
        study("varistor_line", "line", 140, 0.03, "--samples", 100 if is_long else 30) # a DAE: its L is singular
        if is_long: # takes three times as long as the others
            robot = study("robot", "robot", 186, 0.03)
            check(robot["full"]["entries"] == 372, "robot: 372 entries")


main()
