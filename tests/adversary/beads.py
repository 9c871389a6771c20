#!/usr/bin/python3
"""Bodies in contact, each in a separate subsystem that finds the contact by itself, against an independent solution.

    beads.py --wrsim PROGRAM --plugin adversary_models.so [--pairs 200] [--cradles 200] [--first 0] [--rtol 1e-4]...

Pairs and cradles of three are pendulums or springs on a line that collide (Newton's impact, mostly elastic). The script computes
the reference: each flight is a Taylor series of order ORDER (Knuth's recurrence for the sine of a series; Hairer, Norsett,
Wanner, Solving ordinary differential equations I, 1993, section I.8), and contacts are roots of the difference of two series.
A reference with half of the steps and two more orders must agree with this reference.

The amplification of a case is the largest effect of start values moved by rtol in WAYS random ways, divided by rtol, and at least 1. A
run passes if it counts the contacts exactly and its error is small: at most LIMIT rtol times the amplification, or at most TWIN times
the error of the monolithic run. Speeds and counts are not compared within a short time of a contact. A case is left out at an rtol if
start values moved by MOVES rtol change the order of its contacts. Bodies that touch at the same instant have no unique solution. A
case is also left out if the amplification makes the limit a large part of the range.

The script prints a row for each kind, scheme and rtol. The exit code is 1 if a run does not pass, or if a larger share than LOUD of the
runs ends with an error.
"""
import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import limited  # pylint: disable=wrong-import-position
import runs

ORDER, STEP = 18, 0.35          # order of the Taylor series, and its step in units of 1 / w (assumed)
LIMIT, TWIN, LOUD = 30.0, 3.0, 0.02     # assumed
MOVES = 30.0                    # change of the start values that must not change the order of contacts, in units of rtol (assumed)
LARGEST = 0.3                   # share of the range (assumed); a case with a larger limit is left out
WAYS = 4                        # number of random changes of the start values by rtol (assumed)
RTOLS = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8]


# ---- The reference

def series(body, x, v, order):
    """Returns the Taylor coefficients of the position: x'' = -w^2 f(x - rest), where f is a sine or the identity."""
    w2, rest, is_pendulum = body["w"] ** 2, body["rest"], body["pendulum"]
    a = [x - rest, v]
    if not is_pendulum:
        for k in range(2, order + 1):
            a.append(-w2 * a[k - 2] / (k * (k - 1)))
    else:
        s, c = [math.sin(a[0])], [math.cos(a[0])]
        for k in range(2, order + 1):
            m = k - 1           # s and c up to m - 1 are known
            a.append(-w2 * s[k - 2] / (k * m))
            s.append(sum(j * a[j] * c[m - j] for j in range(1, m + 1)) / m)
            c.append(-sum(j * a[j] * s[m - j] for j in range(1, m + 1)) / m)
    a[0] += rest
    return a


def value(a, h):
    total = 0.0
    for coefficient in reversed(a):
        total = total * h + coefficient
    return total


def slope(a, h):
    total = 0.0
    for k in range(len(a) - 1, 0, -1):
        total = total * h + k * a[k]
    return total


def first_contact(a, b, end, after):
    """Returns the first time in (after, end] at which body b touches body a, or None. Samples the gap, then bisects."""
    gap = [y - x for x, y in zip(a, b)]
    n = 16
    last = after
    for k in range(1, n + 1):
        h = after + (end - after) * k / n
        if value(gap, h) <= 0.0 and slope(gap, h) < 0.0 or value(gap, h) <= 0.0 < value(gap, last):
            low, high = last, h
            if value(gap, low) <= 0.0:  # the bodies begin in contact and must part first
                last = h
                continue
            for _ in range(200):
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    break
                low, high = (middle, high) if value(gap, middle) > 0.0 else (low, middle)
            return high
        last = h
    return None


class Solution:
    """Positions, speeds and counts at communication points, all contacts, and start, series and counts of each flight."""

    def __init__(self, case, order=ORDER, step=STEP):
        bodies, n = case["bodies"], len(case["bodies"])
        x, v = [b["x0"] for b in bodies], [b["x1"] for b in bodies]
        self.contacts, self.at, self.flights = [], [], [] # contacts: (time, left body)
        fastest = max(b["w"] for b in bodies)
        t, point = 0.0, 0
        n_point = round(case["stop_s"] / case["step_s"])
        count = [0] * n
        held = None                         # the pair of the last contact
        while True:
            a = [series(b, *start, order) for b, start in zip(bodies, zip(x, v))]
            self.flights.append((t, a, list(count)))
            h = min(step / fastest, case["stop_s"] + 1e-6 - t)
            found = []
            for i in range(n - 1):
                # After a contact the gap is 0 up to rounding, so the search starts slightly later.
                after = 0.0 if i != held else 1e-6 / fastest
                at = first_contact(a[i], a[i + 1], h, after)
                if at is not None:
                    found.append((at, i))
            at, pair = min(found) if found else (h, None)
            while point <= n_point and point * case["step_s"] <= t + at:
                local = point * case["step_s"] - t
                self.at.append(([value(p, local) for p in a], [slope(p, local) for p in a], list(count)))
                point += 1
            if point > n_point:
                return
            x, v = [value(p, at) for p in a], [slope(p, at) for p in a]
            t += at
            held = None
            if pair is not None:
                one, two, e = bodies[pair], bodies[pair + 1], case["e"]
                v_1, v_2, m = v[pair], v[pair + 1], one["m"] + two["m"]
                v[pair] = (one["m"] * v_1 + two["m"] * v_2 + two["m"] * e * (v_2 - v_1)) / m
                v[pair + 1] = (one["m"] * v_1 + two["m"] * v_2 + one["m"] * e * (v_1 - v_2)) / m
                count[pair] += 1
                count[pair + 1] += 1
                self.contacts.append((t, pair))
                held = pair


def moved(case, by, rng):
    """Returns the case with start values moved by the share `by` of their ranges."""
    return {**case, "bodies": [{**b, "x0": b["x0"] + by * b["x_range"] * rng.choice([-1.0, 1.0]),
                                "x1": b["x1"] + by * b["v_range"] * rng.choice([-1.0, 1.0])} for b in case["bodies"]]}


def order_of(solution):
    return [pair for _, pair in solution.contacts]


def distance(case, reference, rows, hair_s):
    """Returns the largest error of a position or a speed, relative to its range, and whether the counts are right. Speeds
    and counts are not compared within hair_s of a contact, because they may have their values from before or after the contact."""
    worst, is_counted = 0.0, True
    times = [[t for t, pair in reference.contacts if i in (pair, pair + 1)] for i in range(len(case["bodies"]))]
    for k, (x, v, count) in enumerate(rows):
        t_s = k * case["step_s"]
        for i, body in enumerate(case["bodies"]):
            right = reference.at[k]
            near = any(abs(t - t_s) <= hair_s for t in times[i])
            worst = max(worst, abs(x[i] - right[0][i]) / body["x_range"])
            if not near:
                worst = max(worst, abs(v[i] - right[1][i]) / body["v_range"])
                is_counted = is_counted and round(count[i]) == right[2][i]
    return worst, is_counted


# ---- Cases

def draw_case(kind, seed):
    rng = random.Random(f"beads {kind} {seed}")
    n = 2 if kind == "pair" else 3
    w, gap = rng.uniform(2.0, 6.0), rng.choice([0.0, 0.0, rng.uniform(0.0, 0.15)])
    pendulum = rng.random() < 0.75
    at = sorted(rng.uniform(-0.8, 0.8) for _ in range(n))
    bodies = [{"w": w * rng.uniform(0.85, 1.2), "rest": i * gap, "x0": at[i] + i * (gap + 0.05), "pendulum": pendulum,
               "x1": rng.choice([0.0, rng.uniform(-1.0, 1.0)]), "m": rng.choice([1.0, rng.uniform(0.4, 2.5)])}
              for i in range(n)]
    e = rng.uniform(0.85, 1.0) if gap > 0.05 and rng.random() < 0.3 else 1.0
    return {"kind": kind, "seed": seed, "bodies": bodies, "e": e, "step_s": 0.02, "stop_s": 4.0}


def toml_of(case, plugin, rtol, settings):
    lines = ["[simulation]", f"stop = {case['stop_s']}", f"communication_step = {case['step_s']}", f"rtol = {rtol!r}",
             "[output]", "events = false", "[scheduler]", "workers = 1", "[[plugin]]", f'file = "{plugin}"', *settings]
    bodies = case["bodies"]
    for i, b in enumerate(bodies):
        values = {"w": b["w"], "x0": b["x0"], "x1": b["x1"], "rest": b["rest"], "pendulum": float(b["pendulum"]), "m": b["m"],
                  "ml": bodies[i - 1]["m"] if i else 0.0, "mr": bodies[i + 1]["m"] if i + 1 < len(bodies) else 0.0, "e": case["e"]}
        text = ", ".join(f"{key} = {number!r}" for key, number in values.items())
        lines += ["[[component]]", f'name = "b{i}"', 'model = "adversary.bead"', f"parameters = {{ {text} }}"]
    for i in range(len(bodies) - 1):
        for source, reader, k in ((i, i + 1, 0), (i + 1, i, 2)):
            for y in (0, 1):
                lines += ["[[connection]]", f'from = "b{source}.y{y}"', f'to = "b{reader}.u{k + y}"']
    for i in range(len(bodies)):
        lines += ["[[subsystem]]", f'name = "s{i}"', f'components = ["b{i}"]']
    return "\n".join(lines) + "\n"


def run(given, folder, case, rtol, options):
    """Returns the rows at communication points and "", or None and the reason of the failure."""
    config, out = os.path.join(folder, "case.toml"), os.path.join(folder, "case.csv")
    with open(config, "w", encoding="utf-8") as file:
        file.write(toml_of(case, given.plugin, rtol, []))
    words = runs.defined(options + ([f"solver.kind={given.solver}"] if given.solver else []))
    try:
        done = limited.run([given.wrsim, config, "-q", "-o", out, *words], given.timeout, text=True)
    except subprocess.TimeoutExpired:
        return None, f"more than {given.timeout} s of CPU time"
    if done.returncode != 0:
        return None, done.stderr.strip()
    with open(out, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    n = len(case["bodies"])
    names = [title.split(" ")[0] for title in lines[0]]
    where = [[names.index(f"b{i}.y{k}") for i in range(n)] for k in range(3)]
    return [tuple([float(line[c]) for c in columns] for columns in where) for line in lines[1:] if line[1] == "c"], ""


class Row:
    """Counts and largest errors of one kind, scheme and tolerance."""

    def __init__(self):
        self.n_run = self.n_loud = self.n_over = self.n_count = self.n_left = 0
        self.worst = self.worst_twin = 0.0


def references(case):
    """Sets the ranges of the bodies. Returns the reference, and its distance from a reference with half steps and two more orders."""
    reference = Solution(case)
    for i, body in enumerate(case["bodies"]):
        for key, k in (("x_range", 0), ("v_range", 1)):
            values = [row[k][i] for row in reference.at]
            body[key] = max(max(values) - min(values), 1e-3)
    again = Solution(case, ORDER + 2, 0.5 * STEP)
    if order_of(reference) != order_of(again):
        return reference, math.inf
    return reference, distance(case, reference, again.at, 1e-9)[0]


def amplification(case, reference, rtol):
    """Returns the amplification, and the largest shift of a contact in s. Returns None if the order of contacts changes, or their
    number by more than 1."""
    rng = random.Random(f"move {case['kind']} {case['seed']}")
    worst, shift_s = 1.0, 0.0
    for way in range(WAYS + 2):
        by = rtol if way < WAYS else MOVES * rtol
        other = Solution(moved(case, by, rng))
        n = min(len(other.contacts), len(reference.contacts))
        both = zip(other.contacts, reference.contacts)
        if order_of(other)[:n] != order_of(reference)[:n] or abs(len(other.contacts) - len(reference.contacts)) > 1:
            return None
        if way < WAYS:
            shift_s = max([shift_s] + [abs(a[0] - b[0]) for a, b in both])
            worst = max(worst, distance(case, reference, other.at, 2.0 * shift_s)[0] / rtol)
    return worst, shift_s


def judge(given, folder, case, reference, rtol, rows):
    found = amplification(case, reference, rtol)
    if found is None or LIMIT * found[0] * rtol > LARGEST:
        for scheme in ("jacobi", "gauss_seidel"):
            rows[case["kind"], scheme, rtol].n_left += 1
        return
    amplified, shift_s = found
    hair_s = LIMIT * shift_s + 10 * rtol * case["stop_s"]
    twin, why = run(given, folder, case, rtol, ["--monolithic"])
    twin_error, twin_counts = distance(case, reference, twin, hair_s) if twin else (0.0, True)
    for scheme in ("jacobi", "gauss_seidel"):
        row = rows[case["kind"], scheme, rtol]
        row.n_run += 1
        found, why = run(given, folder, case, rtol, [f"relaxation.scheme={scheme}"])
        where = f"{case['kind']} {case['seed']}, {scheme}, rtol {rtol:g}"
        if found is None:
            row.n_loud += 1
            print(f"{where}: {why[:200]}", flush=True)
            continue
        error, is_counted = distance(case, reference, found, hair_s)
        row.worst = max(row.worst, error / (amplified * rtol))
        row.worst_twin = max(row.worst_twin, twin_error / (amplified * rtol))
        is_over = error > LIMIT * rtol * amplified and error > TWIN * twin_error
        row.n_over += is_over
        row.n_count += not is_counted
        if is_over or not is_counted:
            print(f"{where}: error {error:.2g}, over amplification {amplified:.2g} and rtol {error / amplified / rtol:.2g},"
                  f" monolithic {twin_error:.2g}{'' if is_counted else ', contacts counted wrongly'}"
                  f"{'' if twin_counts else ' (monolithic as well)'}", flush=True)
            if given.keep:
                os.makedirs(given.keep, exist_ok=True)
                with open(os.path.join(given.keep, f"{case['kind']}_{case['seed']}_{scheme}_{rtol:g}.toml"), "w",
                          encoding="utf-8") as file:
                    file.write(toml_of(case, given.plugin, rtol, ["[relaxation]", f'scheme = "{scheme}"']))


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--wrsim", type=os.path.abspath, required=True)
    parser.add_argument("--plugin", type=os.path.abspath, required=True)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--cradles", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--rtol", type=float, action="append")
    parser.add_argument("--solver", help="solver.kind")
    parser.add_argument("--timeout", type=float, default=20.0, help="of a run, in s of CPU time")
    parser.add_argument("--keep", help="folder for the configs of failing runs")
    given = parser.parse_args()
    rtols = given.rtol or RTOLS
    kinds = {"pair": given.pairs, "cradle": given.cradles}
    rows = {(kind, scheme, rtol): Row() for kind in kinds for scheme in ("jacobi", "gauss_seidel") for rtol in rtols}
    n_unsure = 0
    with tempfile.TemporaryDirectory(prefix="beads") as folder:
        for kind, n in kinds.items():
            for seed in range(given.first, given.first + n):
                case = draw_case(kind, seed)
                reference, apart = references(case)
                if apart > 1e-10:
                    n_unsure += 1
                    continue
                for rtol in rtols:
                    judge(given, folder, case, reference, rtol, rows)
    print(f"references that do not agree with themselves to 1e-10: {n_unsure} of {sum(kinds.values())}")
    print("kind   scheme        rtol   runs  left out  loud   error / (amplification rtol)  monolithic  beyond both limits"
          "  counts wrong")
    for (kind, scheme, rtol), r in rows.items():
        print(f"{kind:6} {scheme:12} {rtol:5.0e} {r.n_run:6} {r.n_left:9} {r.n_loud:5} {r.worst:30.3g} {r.worst_twin:11.3g}"
              f" {r.n_over:19} {r.n_count:13}")
    n_run, n_loud = sum(r.n_run for r in rows.values()), sum(r.n_loud for r in rows.values())
    n_bad = sum(r.n_over for r in rows.values()) + sum(r.n_count for r in rows.values())
    print(f"{n_run} runs, {n_loud} end with an error ({100.0 * n_loud / max(n_run, 1):.1f} %), beyond both limits"
          f" {sum(r.n_over for r in rows.values())}, counts wrong {sum(r.n_count for r in rows.values())}")
    return 1 if n_bad or n_loud > LOUD * n_run else 0


if __name__ == "__main__":
    sys.exit(main())
