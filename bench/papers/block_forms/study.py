"""The block-diagonal forms of Ben Khaled et al. (2013), Figs. 6, 8 and 19, beside the results of wrsim.

usage: study.py WRSIM [-o DIR]
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MONO = os.path.join(HERE, "../../../models/mono_cylinder/mono_cylinder.toml")
ROWS = ["100100", "010011", "101101", "000100", "010011", "100001"] # eq. 20 of the paper
ENTRIES = [(i, j) for i, row in enumerate(ROWS, 1) for j, x in enumerate(row, 1) if x == "1"]


def partition(program, *words):
    run = subprocess.run([program, "partition", "--json", *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def sections(form, which):
    order, start = form[which + "_order"], form[which + "_start"]
    return [order[start[k]:start[k + 1]] for k in range(form["blocks"] + 2)]


def show(form):
    """Returns the blocks of columns, then the border, as "1 3 4 | 2 5 | 6"."""
    return " \\| ".join(" ".join(part) for part in sections(form, "column")[:form["blocks"] + 1] if part)


def count_cuts():
    """Returns the least number of rows that a split of the six columns into 3 and 3 cuts, and the number of such splits."""
    cuts = []
    for half in itertools.combinations(range(1, 7), 3):
        if 1 in half: # counts each split once
            cuts.append(sum(0 < sum(j in half for r, j in ENTRIES if r == i) < sum(r == i for r, _ in ENTRIES) for i in range(1, 7)))
    return min(cuts), cuts.count(min(cuts))


def border(form):
    return f"{form['border_rows']} + {form['border_columns']}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wrsim")
    parser.add_argument("-o", default=None)
    arguments = parser.parse_args()
    folder = arguments.o or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    six = os.path.join(folder, "six.mtx")
    with open(six, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate pattern general\n%wrsim example\n6 6 15\n")
        file.writelines(f"{i} {j}\n" for i, j in ENTRIES)
    doubly = partition(arguments.wrsim, "--form", "doubly", six, "-o", os.path.join(folder, "figure_6"))
    singly = partition(arguments.wrsim, "--form", "singly", six, "-o", os.path.join(folder, "figure_8"))
    least, n_least = count_cuts()
    events = partition(arguments.wrsim, "--form", "singly", "--relation", "z_z", "--pairs", "--blocks", "3", MONO, "-o",
                       os.path.join(folder, "figure_19"))
    sizes = ", ".join(str(len(part)) for part in sections(events, "column")[:3])
    print("| Fig. | what | paper | ours |\n|---|---|---|---|")
    print(f"| Fig. 6 | doubly bordered, order of columns | 1 3 4 \\| 2 5 \\| 6 | {show(doubly)} |")
    print(f"| Fig. 6 | border, rows + columns | 1 + 1 | {border(doubly)} |")
    print(f"| Fig. 8 | singly bordered, parts of columns | 1 3 4 \\| 2 5 6 | {show(singly)} |")
    print(f"| Fig. 8 | border, rows + columns | 2 + 0 | {border(singly)} |")
    print(f"| Fig. 8 | fewest rows that a halving cuts (all tried) | - | {least}, by {n_least} of 10 |")
    print(f"| Fig. 19 | event matrix of the mono-cylinder: blocks, border | 3, 0 | {events['blocks']}, {events['border_rows']} |")
    print(f"| Fig. 19 | events in each block | - | {sizes} |")
    if arguments.o:
        print(f"\ndrawings: {folder}/figure_*/form.svg")
    right = (show(doubly) == "1 3 4 \\| 2 5 \\| 6" and border(doubly) == "1 + 1" and singly["border_rows"] == least == 2
             and (events["blocks"], events["border_rows"]) == (3, 0))
    return 0 if right else 1


sys.exit(main())
