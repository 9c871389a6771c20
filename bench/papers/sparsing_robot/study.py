"""Sparsing of a robot's Jacobian: Schiela and Bornemann (2003), section 4 (docs/METHODS.md, Sources), beside the results of wrsim.

usage: study.py WRSIM [-o DIR] [--linimp WRSIM-LINIMP]

The study repeats Table 1 without its times, Figs. 1-4 and errors. With --linimp (build/bench/peers/wrsim-linimp) the study also prints
the times of a step's parts, with generated code for the found pattern. This code needs cc.
"""

import argparse
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROBOT = os.path.join(HERE, "../../../models/robot/robot.toml")


def sparse(program, folder, *words):
    """Runs wrsim sparse and returns its JSON. Exit code 1 of wrsim, a refused pattern, is no error."""
    run = subprocess.run([program, "sparse", ROBOT, "--json", "-o", folder, *words], capture_output=True, text=True, check=False)
    if run.returncode > 1:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout)


def worst(errors, which):
    return max(entry[which] for entry in errors)


def groups(folder):
    """Returns three numbers for the unsparsed step at t = 0: stiff eigenvalues (inside radius 0.5), oscillating pairs near the unit
    circle, and eigenvalues from 0.5 to 0.9."""
    text = open(os.path.join(folder, "eigenvalues.csv"), encoding="ascii").read().splitlines()
    rows = [line.split(",") for line in text if line[:1].isdigit()]
    first = [complex(float(row[1]), float(row[2])) for row in rows if float(row[0]) == 0.0]
    stiff = sum(abs(z) < 0.5 for z in first)
    swinging = sum(abs(z) > 0.9 and z.imag > 0.05 for z in first)
    return stiff, swinging, sum(0.5 <= abs(z) < 0.9 for z in first)


def print_times(program, linimp, folder):
    """Prints the times of a step with the pattern in the folder: the last column of Table 1, and the whole step."""
    pattern, source, library = (os.path.abspath(os.path.join(folder, name)) for name in ("pattern.mtx", "code.c", "code.so"))
    subprocess.run([program, "codegen", ROBOT, source, "-D", f'solver.pattern="{pattern}"'], check=True, capture_output=True)
    subprocess.run(["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, source], check=True)
    run = subprocess.run([linimp, ROBOT, "-D", f'solver.pattern="{pattern}"', "-D", f'solver.code="{library}"'], check=True,
                         capture_output=True, text=True)
    print("\n" + run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wrsim")
    parser.add_argument("-o", default=None)
    parser.add_argument("--linimp", default=None)
    arguments = parser.parse_args()
    folder = arguments.o or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    moving = os.path.join(folder, "moving")
    standing = os.path.join(folder, "standing")
    found = sparse(arguments.wrsim, moving)
    at_start = sparse(arguments.wrsim, standing, "--times", "0", "--error", "1e9", "--no-run")
    checked = sparse(arguments.wrsim, os.path.join(folder, "standing_moved"), "--pattern",
                     os.path.join(standing, "pattern.mtx"), "--error", "1e9", "--no-run")
    full, sparsed = found["full"], found["sparsed"]
    stiff, swinging, between = groups(moving)
    radius = max(at["radius_sparsed"] for at in found["linearisations"])
    print("| where | what | paper | ours |\n|---|---|---|---|")
    print(f"| Fig. 1 | states; step | 78; 1 ms | {found['states']}; {1e3 * found['options']['tau_s']:g} ms |")
    print(f"| Fig. 1 | eigenvalues inside 0.5; pairs near the circle; others between 0.5 and 0.9 | all stiff ones; 3; - "
          f"| {stiff}; {swinging}; {between} |")
    print(f"| Table 1 | entries of I - tau J, full | 390 | {full['entries']} |")
    print(f"| Table 1 | entries of I - tau J, sparsed | 158 | {sparsed['entries']} |")
    print(f"| Table 1 | entries of L and U, full | 646 | {full['entries_of_LU']} |")
    print(f"| Table 1 | entries of L and U, sparsed | 204 | {sparsed['entries_of_LU']} |")
    print(f"| - | operations of factorising and solving, full; sparsed | - | {full['operations']:.0f}; {sparsed['operations']:.0f} |")
    print(f"| - | evaluations of f for the Jacobian, full; sparsed | - | {full['colours']}; {sparsed['colours']} |")
    print(f"| Figs. 3, 4 | largest eigenvalue of all linearisations, sparsed | inside | {radius:.4f} |")
    print(f"| section 4 | largest error of a run, sparsed | 1 to 3 % | {100 * worst(found['errors'], 'sparsed'):.2f} % |")
    print(f"| section 4 | the same, unsparsed | smaller | {100 * worst(found['errors'], 'unsparsed'):.2f} % |")
    print(f"| Fig. 2 | pattern of standing alone, entries | tridiagonal | {at_start['sparsed']['entries']} |")
    print(f"| section 4 | that pattern when moving | unstable | {'accepted' if checked['sparsed']['accepted'] else 'refused'}, "
          f"largest eigenvalue {max(at['radius_sparsed'] for at in checked['linearisations']):.4f} |")
    print(f"\n    {len(found['linearisations'])} linearisations, {sum(at['kept'] for at in found['linearisations'])} of them distinct. "
          f"Drawings in {folder}: moving/full.svg, sparsed.svg, spectrum.svg.")
    if arguments.linimp:
        print_times(arguments.wrsim, arguments.linimp, moving)


if __name__ == "__main__":
    main()
