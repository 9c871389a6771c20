#!/usr/bin/python3
"""The adversary with scenarios that change signals at random times and on conditions, split against monolithic.

    scenarios.py --wrsim PROGRAM --plugin MODELS.so --shrink 0 [options of adversary.py]

A seed determines a case of adversary.py and, if the case has connections, one to three [[scenario]] tables. The references have these
scenarios, too.
Use --shrink 0, because scenarios name components that a simplified case lacks.
"""
import random
import sys

import adversary

plain_toml_of = adversary.toml_of


def draw_begin(rng, case, names, sizes):
    """Returns the lines that define the begin of a scenario, and the time of this begin, or None for a condition."""
    if rng.random() < 0.35:
        name = rng.choice(names)
        threshold = sizes[name] * rng.uniform(-1.0, 1.0)
        return [f"when = \"{name} {rng.choice('<>')} {threshold!r}\""], None
    at_s = rng.choice([0.0, case["step_s"] * rng.randint(0, 40), rng.uniform(0.0, 0.8) * case["stop_s"],
                       rng.uniform(0.0, 0.8) * case["stop_s"]])
    return [f"at = {at_s!r}"], at_s


def draw_end(rng, case, at_s):
    if rng.random() < 0.4:
        return []
    length_s = rng.uniform(0.02, 0.5) * case["stop_s"]
    if at_s is not None and rng.random() < 0.5:
        return [f"until = {at_s + length_s!r}"]
    return [f"duration = {length_s!r}"]


def draw_scenario(rng, case, number, names, sizes):
    kind = {c["name"]: c["kind"] for c in case["components"]}
    source, i, reader, k = rng.choice(case["wires"])
    output = f"{source}.{adversary.port(kind[source], 'y', i)}"
    entry = f"{reader}.{adversary.port(kind[reader], 'u', k)}"
    action = rng.choice(["override", "bias", "gain", "ramp", "freeze"])
    lines = ["[[scenario]]", f"name = \"fault{number}\"", f"action = \"{action}\""]
    which = rng.random()
    lines += [f"signal = \"{entry if which < 0.35 else output}\""]
    if which > 0.8:
        lines += [f"to = \"{entry}\""]
    if action == "gain":
        lines += [f"value = {rng.uniform(-1.5, 2.0)!r}"]
    elif action != "freeze":
        lines += [f"value = {sizes[output] * rng.uniform(-1.0, 1.0)!r}"]
    if action == "ramp":
        lines += [f"ramp_time = {rng.uniform(0.01, 0.3) * case['stop_s']!r}"]
    begin, at_s = draw_begin(rng, case, names, sizes)
    return lines + begin + draw_end(rng, case, at_s) + [""]


def toml_of(case, plugin, has_clock=False):
    """Returns the config of a case with scenarios. All runs of the case have the same scenarios."""
    rng = random.Random(f"scenarios {case['seed']}")
    drawn = adversary.draw_case(case["seed"])
    sizes = {f"{part['name']}.{adversary.port(part['kind'], 'y', i)}": part["size"]
             for part in drawn["components"] for i in range(len(adversary.MODELS[part["kind"]].outputs))}
    lines = [plain_toml_of(case, plugin, has_clock)]
    for number in range(rng.randint(1, 3) if drawn["wires"] else 0):
        lines += draw_scenario(rng, drawn, number, list(sizes), sizes)
    return "\n".join(lines)


if __name__ == "__main__":
    adversary.toml_of = toml_of
    sys.exit(adversary.main())
