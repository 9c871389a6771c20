"""Sparsing of an exhaust pipe's Jacobian, as in section 4 of the sum-of-squares paper (docs/METHODS.md, Sources). The tables have the
spectrum (eq. 20), the bidiagonal pattern and estimates of its effect (Fig. 1), beside the results of wrsim.

usage: study.py WRSIM [-o DIR]
"""

import argparse
import json
import math
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PIPE = os.path.join(HERE, "../../../models/pipe/pipe.toml")
CELLS, FRACTIONS, GAS, WALL = 5, 3, 3, 4 # kinds of states: fractions, temperatures of gas and wall


def sparse(program, folder, *words):
    run = subprocess.run([program, "sparse", PIPE, "--json", "-o", folder, *words], capture_output=True, text=True, check=False)
    if run.returncode > 1:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout)


def write_pattern(path, entries):
    n = 5 * CELLS
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix coordinate pattern general\n%wrsim study\n{n} {n} {len(entries)}\n")
        file.writelines(f"{i + 1} {j + 1}\n" for i, j in entries)


def kind(i):
    return i // CELLS


def bidiagonal():
    """Returns the entries of the diagonal and of the cell before, without the wall. The paper writes: "the lower right 5 x 5 submatrix
    contains only zeros"."""
    rows = range(CELLS * WALL)
    return [(i, i) for i in rows] + [(i, i - 1) for i in rows if i % CELLS]


def wall_explicit(full):
    """Returns the full pattern without the rows of the wall."""
    return [(i, j) for i, j in full if kind(i) != WALL]


def read_pattern(path):
    lines = [line.split() for line in open(path, encoding="ascii") if line[0] != "%"]
    return [(int(i) - 1, int(j) - 1) for i, j in lines[1:]]


def eigenvalues(folder, time_s, step_s):
    """Returns the rates lambda of the model at a time, 1/s, from the eigenvalues z = 1 / (1 - tau lambda) of the step."""
    text = open(os.path.join(folder, "eigenvalues.csv"), encoding="ascii").read().splitlines()
    rows = [[float(word) for word in line.split(",")] for line in text if line[:1].isdigit()]
    near = min(rows, key=lambda row: abs(row[0] - time_s))[0]
    return sorted(((1 - 1 / complex(row[1], row[2])) / step_s).real for row in rows if row[0] == near)


def span(values):
    return f"{min(values):.5g} ... {max(values):.5g}"


def closest(found, key):
    """Returns the numbers of linearisations in which d2, or d2 with separate clusters, is nearer to the exact change than dS and d1.
    Also returns the means of all estimates over the exact change."""
    counts, sums = [0, 0], dict.fromkeys(("dS_published", "dS", "d1", "d2", "d2k", "dE"), 0.0)
    for at in found["linearisations"]:
        off = {name: abs(math.log(at[name] / at[key])) if at[name] else math.inf for name in sums}
        for i, name in enumerate(("d2", "d2k")):
            counts[i] += off[name] < min(off["dS_published"], off["dS"], off["d1"])
        for name in sums:
            sums[name] += (at[name] / at[key] if at[name] else math.nan) / len(found["linearisations"])
    return counts, sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wrsim")
    parser.add_argument("-o", default=None)
    arguments = parser.parse_args()
    folder = arguments.o or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    path = lambda *words: os.path.join(folder, *words)
    found = sparse(arguments.wrsim, path("found"))
    write_pattern(path("bidiagonal.mtx"), bidiagonal())
    write_pattern(path("wall.mtx"), wall_explicit(read_pattern(path("found", "full.mtx"))))
    paper = sparse(arguments.wrsim, path("bidiagonal"), "--pattern", path("bidiagonal.mtx"))
    rates = eigenvalues(path("found"), 8.0, found["options"]["tau_s"])
    slow = [rate for rate in rates if rate > -1]
    middle = [rate for rate in rates if -800 < rate <= -1]
    print("| where | what | paper | ours |\n|---|---|---|---|")
    print(f"| eq. 20 | gas temperatures, 1/s | -1014 ... -1005 | {span([r for r in rates if r <= -800])} |")
    print(f"| eq. 20 | fractions, 1/s | -756 ... -748.5 | {span(middle)} |")
    print(f"| eq. 20 | wall temperatures, 1/s | -0.05727 ... -0.03519 | {span(slow)} |")
    print(f"| eq. 20 | how many of each | 5, 15, 5 | {25 - len(slow) - len(middle)}, {len(middle)}, {len(slow)} |")
    accepted = "accepted" if paper["sparsed"]["accepted"] else "refused"
    print(f"| section 4 | bidiagonal pattern | suitable | {accepted} |")
    print(f"| section 4 | entries of I - tau J and of L and U, full; bidiagonal | - | {paper['full']['entries']}, "
          f"{paper['full']['entries_of_LU']}; {paper['sparsed']['entries']}, {paper['sparsed']['entries_of_LU']} |")
    print("| section 4 | largest error of a run, bidiagonal; unsparsed | - | "
          + "; ".join(f"{100 * max(e[w] for e in paper['errors']):.3f} %" for w in ("sparsed", "unsparsed")) + " |")
    print(f"| - | entries found by the tool; of L and U | - | {found['sparsed']['entries']}; {found['sparsed']['entries_of_LU']} |")
    print(f"| section 2.1 | mixed mode: explicit states | - | {', '.join(name.split('.')[1] for name in found['explicit'])} |")
    bounds = [min(at[name] for at in paper["linearisations"]) for name in ("C1", "C1_fast")]
    print(f"| section 3 | bound C1, all modes; slow ones set aside | -; set aside | {bounds[0]:.3g}; {bounds[1]:.3g} |")
    print("\nFig. 1, estimates over 100 linearisations of 60 s in parts of the exact d_r (means; nan: not there somewhere), and for how many d2 "
          "(or d2k for it) is the nearest of dS, d1, d2:\n")
    print("| pattern, step | d_r | dS, eq. 2 | dS | d1 | d2 | d2k | dE | d2; d2k nearest |\n|---|---|---|---|---|---|---|---|---|")
    for name, step in (("bidiagonal", "1e-2"), ("bidiagonal", "1e-3"), ("bidiagonal", "1e-4"), ("wall", "1e-2")):
        at = sparse(arguments.wrsim, path(f"{name}_{step}"), "--pattern", path(name + ".mtx"), "--tau", step, "--no-run")
        for key, words in (("dr_squares", "root of squares"), ("dr_sum", "sum")):
            counts, means = closest(at, key)
            print(f"| {name}, {step} s | {words} | " + " | ".join(f"{means[k]:.3g}" for k in means) + f" | {counts[0]}; {counts[1]} of {len(at['linearisations'])} |")
    print(f"\n    Drawings in {folder}: found/spectrum.svg, bidiagonal/sparsed.svg, wall_1e-2/changes.svg, bidiagonal_1e-4/changes.svg.")


if __name__ == "__main__":
    main()
