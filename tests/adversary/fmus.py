#!/usr/bin/python3
"""The adversary with FMUs: some models of a case are FMUs of model exchange, with and without FMU state.

    fmus.py --fmu adversary_fmu.so --wrsim PROGRAM --plugin MODELS.so [options of adversary.py]

A seed determines a case of adversary.py, and the components that are FMUs. The references have the native models. Both the split run and
the monolithic run with FMUs must agree with the references. With --least-run SHARE the script fails if a smaller share of the split runs
ends. The script also fails if wrsim refuses a case in which no FMU without state has an event. With --no-state no FMU has a state.
"""
import argparse
import copy
import csv
import ctypes
import os
import random
import sys
import tempfile
import zipfile
from xml.sax.saxutils import quoteattr

import adversary
import families

plain = {name: getattr(adversary, name) for name in ("draw_case", "write_files", "examine")}
plain["draw"] = families.draw
# Kinds that are FMUs. An echo announces an event at the next floating-point number, which an FMU cannot separate from the present event.
KINDS = {kind for kind, model in adversary.MODELS.items() if not model.shipped} - {"echo"}
# Kinds of models whose outputs HELD_OUTPUTS are constant between events.
HELD = {"stair", "sampler", "relay", "toggle", "latch", "counter", "trigger", "pulse", "filler", "echo"}
# Longest delay of events that follow one another at one instant, through FMUs without state, in communication steps.
LATE = 1e-8
HELD_OUTPUTS = ("steps", "flag", "level", "count")
binary = None
has_states = True


class Kernel(ctypes.Structure):
    """The first members of `kernel` (adversary_shell.h)."""
    _fields_ = ([(name, ctypes.c_int) for name in ("n_x", "n_d", "n_u", "n_y", "n_z")]
                + [(name, ctypes.c_char_p) for name in ("y_is", "z_way", "u_y", "x_y", "u_x", "x_x", "u_z", "x_z", "z_d", "d_x", "d_z")]
                + [("u_start", ctypes.c_double)])


class Param(ctypes.Structure):
    """wrsim_variable of wrsim/model.h."""
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("description", ctypes.c_char_p), ("start", ctypes.c_double)]


def kernel_of(kind):
    library = ctypes.CDLL(binary)
    library.adversary_kernel.restype = ctypes.POINTER(Kernel)
    return library.adversary_kernel(f"adversary.{kind}".encode()).contents


def rows_of(pattern, n_row):
    """The columns of each row of a pattern; an undeclared pattern has None."""
    rows = pattern.decode().split(" ") if pattern is not None else [None] * n_row
    return [None if row is None else [k for k, mark in enumerate(row) if mark == "x"] for row in rows]


def description_of(part):
    """Returns modelDescription.xml of a component."""
    k, p, fmu = kernel_of(part["kind"]), part["parameters"], part["fmu"]
    size, rows, index = p.get("sy", 1.0), [], {}

    def add(name, number, causality, variability, initial, attributes):
        index[name] = len(rows) + 1
        rows.append(f'<ScalarVariable name={quoteattr(name)} valueReference="{number}" causality="{causality}" variability="{variability}"'
                    f'{initial}><Real{attributes}/></ScalarVariable>')

    for i in range(k.n_x):
        nominal = f' nominal="{size!r}"' if p.get("nx", 1.0) > 0.5 else ""
        add(f"state{i}", i, "local", "continuous", ' initial="calculated"', nominal)
        add(f"der(state{i})", 10 + i, "local", "continuous", ' initial="calculated"', f' derivative="{index[f"state{i}"]}"')
    for i in range(k.n_u):
        nominal = f' nominal="{p[f"nu{i}"]!r}"' if p.get(f"nu{i}", 0.0) > 0.0 else ""
        held = "discrete" if i in fmu["held"] else "continuous"
        add(f"u{i}", 20 + i, "input", held, "", f' start="{k.u_start * p.get(f"su{i}", 1.0)!r}"{nominal}')
    for i in range(k.n_y):
        is_state = k.y_is[i:i + 1] != b"." and fmu["aliases"]
        nominal = f' nominal="{size * p.get("ny", 1.0)!r}"' if p.get("ny", 1.0) > 0.0 else ""
        add(f"y{i}", int(k.y_is[i:i + 1]) if is_state else 30 + i, "output", "continuous", ' initial="calculated"', nominal)
    for i, name in enumerate(fmu["parameters"]):
        add(name, 100 + i, "parameter", "fixed", ' initial="exact"', f' start="{fmu["parameters"][name]!r}"')

    def unknowns(prefix, suffix, n, x_pattern, u_pattern, least):
        text, x_rows, u_rows = "", rows_of(x_pattern, n), rows_of(u_pattern, n)
        for i in range(n):
            dependencies = ""
            if p.get("patterns", 2.0) > least and (k.n_x == 0 or x_rows[i] is not None) and (k.n_u == 0 or u_rows[i] is not None):
                on = [index[f"state{j}"] for j in x_rows[i] or []] + [index[f"u{j}"] for j in u_rows[i] or []]
                dependencies = f' dependencies="{" ".join(map(str, on))}"'
            text += f'<Unknown index="{index[f"{prefix}{i}{suffix}"]}"{dependencies}/>'
        return text

    structure = ""
    for tag, text in (("Outputs", unknowns("y", "", k.n_y, k.x_y, k.u_y, 0.5)), ("Derivatives", unknowns("der(state", ")", k.n_x, k.x_x, k.u_x, 1.5)),
                      ("InitialUnknowns", "".join(f'<Unknown index="{i}"/>' for name, i in index.items() if name[0] in "yd" or name.startswith("state")
                                                  and name not in fmu["parameters"]))):
        structure += f"<{tag}>{text}</{tag}>" if text else ""
    flags = ' canGetAndSetFMUstate="true" canSerializeFMUstate="true"' if fmu["state"] else ""
    flags += "" if fmu["steps"] else ' completedIntegratorStepNotNeeded="true"'
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<fmiModelDescription fmiVersion="2.0" modelName="{part["kind"]}" '
            f'guid="adversary.{part["kind"]}" numberOfEventIndicators="{k.n_z}"><ModelExchange modelIdentifier="adversary_fmu"{flags}/>'
            f'<ModelVariables>{"".join(rows)}</ModelVariables><ModelStructure>{structure}</ModelStructure></fmiModelDescription>')


def write_files(case, folder):
    plain["write_files"](case, folder)
    for part in case["components"]:
        path = os.path.join(folder, part["fmu"]["file"]) if "fmu" in part else None
        if path and not os.path.exists(path):
            with zipfile.ZipFile(path, "w") as fmu:
                fmu.writestr("modelDescription.xml", description_of(part))
                fmu.write(binary, "binaries/linux64/adversary_fmu.so")


def draw_case(seed):
    return with_fmus(plain["draw_case"](seed), seed)


def draw(family, seed):
    return with_fmus(plain["draw"](family, seed), seed)


def with_fmus(case, seed):
    """Returns the case with FMUs in place of some models."""
    rng = random.Random(f"fmus {seed}")
    share, with_state = rng.choice([0.4, 0.7, 1.0]), rng.choice([0.0, 0.5, 0.9, 1.0, 1.0])
    kind_of = {part["name"]: part["kind"] for part in case["components"]}
    for part in case["components"]:
        if part["kind"] not in KINDS or rng.random() > share:
            continue
        held = [i for source, k, reader, i in case["wires"] if reader == part["name"] and kind_of[source] in HELD
                and adversary.MODELS[kind_of[source]].outputs[k] in HELD_OUTPUTS and rng.random() < 0.3]
        part["fmu"] = {"file": f"{seed}_{part['name']}.fmu", "held": held, "aliases": rng.random() < 0.5, "state": rng.random() < with_state and has_states,
                       "steps": rng.random() < 0.5, "parameters": parameters_of(part["kind"])}
    return case


def parameters_of(kind):
    """Names and defaults of the parameters of a model of the plug-in."""
    library = ctypes.CDLL(binary)
    library.adversary_parameter.restype = ctypes.POINTER(Param)
    found, i = {}, 0
    while row := library.adversary_parameter(f"adversary.{kind}".encode(), i):
        found[row.contents.name.decode()] = row.contents.start
        i += 1
    return found


def native(case):
    """Returns the case with native models in place of FMUs."""
    case = copy.deepcopy(case)
    for part in case["components"]:
        part.pop("fmu", None)
    return case


def needs_state(case):
    """Returns whether an FMU without state has events."""
    return any("fmu" in part and not part["fmu"]["state"] and (kernel_of(part["kind"]).n_z > 0 or part["fmu"]["held"] or kernel_of(part["kind"]).n_d > 0)
               for part in case["components"])


def first_miscount(truth, result):
    """Returns the last communication point before the first wrong count or flag of a result, and the point after it, s; None: none."""
    for k in range(truth.n_point):
        for i, column in enumerate(result.columns):
            off = adversary.distance(truth.reference, i, truth.reference.time[k], k, column[k], truth.wait)
            if truth.is_miscounted(i, off / truth.scale[i]):
                return truth.reference.time[max(k - 1, 0)], truth.reference.time[k]
    return None


def why_ill_posed(bench, case, folder, truth, result):
    """Returns why a result may differ from the references, or "". In the native run an indicator changes and returns at one instant, and
    the counts differ from there on. Such a change lasts for one round. An FMU takes a round to change its branch, and a native model takes
    none. So an event in this round depends on the order of events, which neither FMI nor the models define (docs/explanation/events.md)."""
    between = first_miscount(truth, result)
    if between is None or bench.run(native(case), folder, None, ["--monolithic"], name="rounds").code != 0:
        return ""
    directions = {}
    with open(os.path.join(folder, "rounds.events.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "state event" and between[0] - truth.wait.longest <= float(row["time [s]"]) <= between[1] + truth.wait.longest:
                directions.setdefault((float(row["time [s]"]), row["item"]), set()).add(row["direction"])
    for (t_s, item), found in directions.items():
        if len(found) > 1:
            return f"at t = {t_s} s {item} changes and returns, so the count depends on the order of events of FMUs"
    return ""


def examine(bench, case):
    if case.get("family") in families.JUDGES:
        return plain["examine"](bench, native(case))
    if not any("fmu" in part for part in case["components"]):
        return {"outcome": "aside", "why": "no FMU"}
    signals = adversary.Signals(case)
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        runs, reason = bench.references(native(case), folder, signals)
        if not runs:
            return {"outcome": "aside", "why": reason}
        truth = adversary.Truth(case, runs, signals)
        if truth.reason:
            return {"outcome": "aside", "why": truth.reason}
        twin_errors, numbers = adversary.examine_twins(bench, native(case), folder, signals, truth)
        if needs_state(case):  # an event that follows an event at one instant may be late (docs/howto/use_fmus.md)
            truth.wait.at_least(LATE * case["step_s"])
        plain_split = bench.run(native(case), folder, None, ["output.events=false"], name="plain")
        found = {"outcome": "right", "why": "", "needs_state": needs_state(case), "native": plain_split.code, **numbers}
        for name, options in (("monolithic", ["--monolithic"]), ("split", ["output.events=false"])):
            run = bench.run(case, folder, signals, options, name=name)
            found[name] = run.code
            if run.code is None:
                return {**found, "outcome": "hang", "why": f"{name}: more than {run.seconds:.0f} s"}
            if run.code < 0 or "Sanitizer" in run.text or "runtime error" in run.text or (run.code != 0 and not run.text):
                return {**found, "outcome": "crash", "why": f"{name}: exit code {run.code}: {run.text[:300]}"}
            if run.code != 0:
                found.update(outcome="loud", why=f"{name}: {run.text[:300]}")
                continue
            (ratio, signal, error, twin_error), both = truth.judge(case, run.result, twin_errors)
            ill_posed = why_ill_posed(bench, case, folder, truth, run.result) if ratio > 1.0 and name == "monolithic" else ""
            if ill_posed:
                return {**found, "outcome": "aside", "why": f"{name}: {ill_posed}"}
            if ratio > 1.0:
                return {**found, "outcome": "wrong", "ratio": min(ratio, 1e300),
                        "why": f"{name}: {signal}: off by {error:.2g} of its range, native {twin_error:.2g}, rtol {case['rtol']:.1g}"}
            if both:
                return {**found, "outcome": "both", "why": f"{both}: wrong in the native run, too"}
    return found


def main():
    global binary, has_states
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--fmu", type=os.path.abspath, required=True)
    parser.add_argument("--least-run", type=float, default=0.0)
    parser.add_argument("--no-state", action="store_true")
    given, sys.argv[1:] = parser.parse_known_args()
    binary, has_states = given.fmu, not given.no_state
    adversary.draw_case, adversary.write_files, adversary.examine, families.draw = draw_case, write_files, examine, draw
    rows = []
    summary = adversary.print_summary

    def print_summary(found):
        rows.extend(found)
        summary(found)
    adversary.print_summary = print_summary
    code = adversary.main()
    kept = [row for row in rows if row["outcome"] != "aside"]
    n_run = sum(row.get("split") == 0 for row in kept)
    refused = [row["seed"] for row in kept if row["outcome"] == "loud" and not row["needs_state"] and row["native"] == 0]
    n_alone = sum(row.get("monolithic") == 0 for row in kept)
    print(f"{n_alone} of {len(kept)} monolithic runs and {n_run} split runs end; refused without an FMU that lacks a state for its events: {refused}")
    return int(code or bool(refused) or n_run < given.least_run * len(kept))


if __name__ == "__main__":
    sys.exit(main())
