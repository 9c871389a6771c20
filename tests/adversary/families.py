"""Families of random cases for adversary.py. Each family tests one way in which a split run may be wrong without a message.

    feedback     switches whose output returns to their own input at the same instant
    loops        general cases with loops closed through all kinds of models
    contact      bodies in contact, each of which finds the contact by itself
    chain        the same with springs between up to five bodies, and a wall
    scale        general cases at a time scale from 1e-15 to 1e12 s
    gate         rates and sources that are smooth pulses in time
    level        levels that equalise, quantities at rest
    account      samplers, thermostats, counters, mostly with loose convergence: the error account against the true error
    pulse_slack  short pulses into slackened readers: the estimate of delay errors against the true error
    scenario     scenarios that act at or before the start
    many         from 20 to about 100 components in two to five subsystems
    multistep    general cases with lsoda, cvode_bdf and cvode_adams in half of the draws of a solver

Family and seed determine a case. family_models.c has the models.
"""
import copy
import json
import math
import os
import random
import tempfile

import adversary
from adversary import ANY, SWING, Model

adversary.MODELS.update({
    "comparator": Model([(SWING, False), (SWING, False)], ["flag", "count"], {"level": (-0.3, 0.5)}),
    "holder": Model([(SWING, False), (SWING, False)], ["flag", "count"], {"low": (-0.5, -0.1), "high": (0.1, 0.5)}),
    "parity": Model([(SWING, False), (SWING, False)], ["flag", "count"], {"level": (-0.3, 0.5)}),
    "bead": Model([(SWING, False)] * 4, ["wave", "level", "count"],
                  {"w": (2.0, 8.0), "x0": [0.0], "x1": [0.0], "rest": [0.0], "pendulum": [0.0, 1.0, 1.0],
                   "m": (0.5, 2.0), "ml": [0.0], "mr": [0.0], "e": [1.0]}),
    "sprung": Model([(SWING, False)] * 4, ["wave", "level", "count"],
                    {"w": (2.0, 8.0), "x0": [0.0], "x1": [0.0], "rest": [0.0], "pendulum": [0.0, 1.0], "m": (0.5, 2.0),
                     "ml": [0.0], "mr": [0.0], "e": [1.0], "stiffness": (0.3, 10.0), "wall": [-10.0]}),
    "gated": Model([(SWING, False)], ["wave"],
                   {"first": [0.5], "width": [0.01], "period": [0.0], "declared": [0.0], "a": [1.0], "k": (-0.4, 0.4),
                    "T": (0.2, 2.0), "x0": (-0.5, 0.5)}),
    "pulses": Model([], ["wave"],
                    {"first": [0.5], "width": [0.01], "period": [0.0], "declared": [0.0], "a": (0.7, 1.2)}),
    "tank": Model([(SWING, False), (ANY, False)], ["wave"],
                  {"c": (0.3, 2.0), "x0": (0.2, 2.0), "k": [0.0], "linear": [0.0, 1e-8, 1e-4, 1e-2], "drain": [0.0]}),
    "pipe_flow": Model([(SWING, False), (SWING, False)], ["wave"],
                       {"c": (0.3, 2.0), "linear": [0.0, 1e-8, 1e-4, 1e-2]}),
    "basin": Model([(SWING, False), (SWING, False)], ["wave"], {"a": [1.0], "b": [1.0], "x0": (0.2, 2.0)}),
    "line": Model([], ["wave"], {"a": (-1.0, 1.0), "b": (-0.3, 0.3)}),
})
adversary.HAS_STATE |= {"bead", "sprung", "gated", "tank", "basin"}


class Draw(adversary.Draw):
    """A random case of a family under construction."""

    def __init__(self, family, seed):
        super().__init__(seed, f"adversary {family}")
        self.family, self.seed = family, seed
        self.open = set()

    def leave_open(self, readers):
        """Keeps all unconnected inputs of the readers unconnected."""
        for reader in readers:
            for i in range(len(adversary.MODELS[self.components[reader]["kind"]].inputs)):
                if (reader, i) not in self.wires:
                    self.open.add((reader, i))

    def wire_rest(self):
        self.wires.update(dict.fromkeys(self.open))
        super().wire_rest()
        for key in self.open:
            self.wires.pop(key, None)

    def source(self, kinds=("osc", "sine", "rotor", "sine")):
        return self.add(self.rng.choice(kinds))

    def fill(self, most, kinds=None):
        """Adds general components until the case has `most` components."""
        while len(self.components) < most:
            self.add(self.rng.choice(kinds or adversary.FILLERS))

    def case(self, share_apart=0.7, has_sizes=True, **more):
        """Returns the case. share_apart: probability of one subsystem for each component; else draw_groups() divides them."""
        self.wire_rest()
        if has_sizes:
            adversary.draw_sizes(self)
        rng = self.rng
        case = {"seed": self.seed, "family": self.family, "rtol": 10.0 ** -rng.uniform(3.0, 8.0), "step_s": self.step_s,
                "stop_s": self.stop_s, "components": self.components, "settings": {}}
        names = [c["name"] for c in self.components]
        case["wires"] = [[names[s], i, names[r], k] for (r, k), (s, i) in sorted(self.wires.items())]
        adversary.draw_settings(self, case)
        if len(names) == 1 or rng.random() < share_apart:
            groups = [[name] for name in names]
            rng.shuffle(groups)
            case["groups"] = [{"components": g} for g in groups]
        else:
            adversary.draw_groups(self, case)
        case.update(more)
        return case


# ---- feedback

BACK = ["gain", "gain", "gain", "signal.gain", "sum", "two gains", "lag", "wire"]


def feed_back(draw, source, i_output, reader, i_input, positive=0.85):
    """Connects an output to an input, directly or through other components. The gain is positive with the probability `positive`, so
    that the feedback supports the present state of the switch."""
    rng = draw.rng
    kind = rng.choice(BACK)
    gain = rng.uniform(0.1, 0.9) * (1.0 if rng.random() < positive else -1.0)
    last = source
    if kind == "wire":
        draw.wire(source, i_output, reader, i_input)
        return
    if kind == "two gains":
        middle = draw.add("gain", a=rng.choice([0.5, 2.0, -1.0]), c=0.0)
        draw.wire(source, i_output, middle)
        last, i_output, gain = middle, 0, gain / draw.components[middle]["parameters"]["a"]
    if kind == "sum":
        link = draw.add("sum", a=gain, b=rng.uniform(-0.4, 0.4))
        draw.wire(draw.source(), 0, link, 1)
    elif kind == "signal.gain":
        link = draw.add("signal.gain", k=gain, offset=rng.choice([0.0, rng.uniform(-0.1, 0.1)]))
    elif kind == "lag":
        link = draw.add("lag", k=gain, c=0.0, T=rng.choice([1e-3, 0.01, 0.05, 0.3]))
    else:
        link = draw.add("gain", a=gain, c=rng.choice([0.0, rng.uniform(-0.1, 0.1)]))
    draw.wire(last, i_output, link)
    draw.wire(link, 0, reader, i_input)


def loop_one(draw):
    """Adds a switch with feedback from its own output."""
    switch = draw.add(draw.rng.choice(["comparator", "comparator", "holder", "parity"]))
    draw.wire(draw.source(), 0, switch, 0)
    feed_back(draw, switch, 0, switch, 1)
    return switch


def loop_two(draw):
    """Adds two switches with feedback from each other."""
    kinds = ["comparator", "holder", "holder", "parity"]
    one, two = draw.add(draw.rng.choice(kinds)), draw.add(draw.rng.choice(kinds))
    draw.wire(draw.source(), 0, one, 0)
    draw.wire(draw.source(), 0, two, 0)
    feed_back(draw, one, 0, two, 1)
    feed_back(draw, two, 0, one, 1)
    return one


def loop_ring(draw):
    """Adds three switches in a ring."""
    ring = [draw.add(draw.rng.choice(["comparator", "holder", "parity"])) for _ in range(3)]
    for i, switch in enumerate(ring):
        draw.wire(draw.source(), 0, switch, 0)
        if draw.rng.random() < 0.5:
            draw.wire(switch, 0, ring[(i + 1) % 3], 1)
        else:
            feed_back(draw, switch, 0, ring[(i + 1) % 3], 1)
    return ring[0]


def loop_sum(draw):
    """Adds a switch whose first input is the sum of a source and a share of the switch's own output."""
    total = draw.add("sum", a=1.0, b=draw.rng.uniform(0.1, 0.6))
    switch = draw.add(draw.rng.choice(["relay", "relay.switch", "toggle", "latch", "counter", "pulse"]))
    draw.wire(draw.source(), 0, total, 0)
    draw.wire(total, 0, switch, 0)
    if draw.components[switch]["kind"] == "latch":
        draw.wire(draw.source(), 0, switch, 1)
    if draw.components[switch]["kind"] == "counter":    # a count grows without bound, so the sine of the count feeds back
        odd = draw.add("wobble", a=0.5 * math.pi)
        draw.wire(switch, 0, odd)
        draw.wire(odd, 0, total, 1)
    else:
        draw.wire(switch, 0, total, 1)
    return switch


def draw_feedback(draw):
    rng = draw.rng
    for _ in range(rng.choice([1, 1, 2])):
        name, loop = rng.choice([("one", loop_one), ("one", loop_one), ("two", loop_two), ("ring", loop_ring),
                                 ("sum", loop_sum)])
        switch = loop(draw)
        if rng.random() < 0.5:
            draw.wire(switch, 0, draw.add(rng.choice(["integrator", "lag", "counter", "sampler"])))
    if rng.random() < 0.3:
        draw.fill(len(draw.components) + 1)
    return draw.case()


# ---- contact

def watch_contacts(draw, beads, masses):
    """Adds comparators of the momentum of two neighbours. A contact leaves the momentum unchanged, but the sum of one speed before
    and the other speed after the contact is far off. Returns pairs of a comparator and the body of its subsystem. A separate random
    generator keeps the other draws of a case unchanged."""
    rng = random.Random(f"watchers {draw.seed}")
    beside = []
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        i = rng.randrange(len(beads) - 1)
        watcher = draw.add("comparator", k=masses[i + 1] / masses[i], level=rng.uniform(-3.0, 3.0))
        draw.wire(beads[i], 1, watcher, 0)
        draw.wire(beads[i + 1], 1, watcher, 1)
        if rng.random() < 0.7:
            beside.append((watcher, rng.choice([beads[i], beads[i + 1]])))
    return beside


def move_beside(case, name, other):
    """Moves a component into the subsystem of the other component."""
    for group in case["groups"]:
        if name in group["components"]:
            group["components"].remove(name)
    case["groups"] = [g for g in case["groups"] if g["components"]]
    next(g for g in case["groups"] if other in g["components"])["components"].append(name)


def draw_contact(draw):
    rng = draw.rng
    n = rng.choice([2, 2, 2, 3])
    w, gap = rng.uniform(2.0, 8.0), rng.choice([0.0, 0.0, rng.uniform(-0.05, 0.2)])
    pendulum = rng.choice([0.0, 1.0, 1.0])
    restitution = rng.uniform(0.8, 1.0) if gap > 0.01 and rng.random() < 0.4 else 1.0
    masses = [rng.choice([1.0, 10.0 ** rng.uniform(-0.5, 0.5)]) for _ in range(n)]
    rest = [i * gap for i in range(n)]
    at = sorted(rng.uniform(-0.8, 0.8) + rest[i] for i in range(n))
    for i in range(n):      # neighbours are at least 0.05 apart
        at[i] = at[i] + 0.05 * i
    beads = [draw.add("bead", w=w * rng.uniform(0.8, 1.25), x0=at[i], x1=rng.choice([0.0, rng.uniform(-1.0, 1.0)]),
                      rest=rest[i], pendulum=pendulum, m=masses[i], ml=masses[i - 1] if i else 0.0,
                      mr=masses[i + 1] if i + 1 < n else 0.0, e=restitution) for i in range(n)]
    for one, two in zip(beads, beads[1:]):
        draw.wire(one, 0, two, 0)
        draw.wire(one, 1, two, 1)
        draw.wire(two, 0, one, 2)
        draw.wire(two, 1, one, 3)
    draw.leave_open(beads)
    draw.stop_s = draw.step_s * round(rng.uniform(1.5, 4.0) / draw.step_s)
    for _ in range(rng.choice([0, 0, 1, 2])):
        reader = draw.add(rng.choice(["integrator", "lag", "counter", "relay"]))
        draw.wire(rng.choice(beads), rng.choice([0, 0, 1]), reader)
    watchers = watch_contacts(draw, beads, masses)
    # Both bodies must find the same contact, so references leave the inputs of bodies unchanged.
    case = draw.case(0.8, moves_inputs=False)
    for watcher, body in watchers:
        move_beside(case, draw.components[watcher]["name"], draw.components[body]["name"])
    return case


# ---- chain

def draw_chain(draw):
    rng = draw.rng
    n = rng.choice([1, 2, 2, 3, 4, 5])
    pendulum, w = rng.choice([0.0, 1.0]), rng.uniform(1.5, 5.0)
    gap, e = rng.uniform(-0.05, 0.4), rng.choice([1.0, 1.0, rng.uniform(0.7, 1.0)])
    e = e if gap > 0.05 else 1.0
    masses = [rng.choice([1.0, 10.0 ** rng.uniform(-0.5, 0.5)]) for _ in range(n)]
    at = sorted(rng.uniform(-0.6, 0.6) + i * gap for i in range(n))
    wall = at[0] - rng.uniform(0.05, 0.8) if n == 1 or rng.random() < 0.4 else -10.0
    bodies = [draw.add("sprung", w=w * rng.uniform(0.8, 1.25), x0=at[i] + 0.08 * i, x1=rng.uniform(-1.5, 1.5), rest=i * gap,
                       pendulum=pendulum, m=masses[i], ml=masses[i - 1] if i else 0.0, mr=masses[i + 1] if i + 1 < n else 0.0,
                       e=e, wall=wall if i == 0 else -10.0) for i in range(n)]
    for one, two in zip(bodies, bodies[1:]):
        for y in (0, 1):
            draw.wire(one, y, two, y)
            draw.wire(two, y, one, 2 + y)
    draw.leave_open(bodies)
    draw.stop_s = draw.step_s * round(rng.uniform(1.0, 3.0) / draw.step_s)
    body = rng.choice(bodies)
    what = rng.random()
    if what < 0.3:              # a trigger that the speed after a contact may fire
        trigger = draw.add("trigger", level=0.0)
        draw.wire(body, 0, trigger, 0)
        draw.wire(rng.choice(bodies), 1, trigger, 1)
    elif what < 0.6:
        draw.wire(body, rng.choice([0, 1]), draw.add(rng.choice(["comparator", "relay", "counter", "integrator", "sampler"])))
    return draw.case(0.75, moves_inputs=False)


# ---- loops

SWITCHES = ["comparator", "comparator", "holder", "parity", "relay", "latch", "toggle", "trigger", "pulse", "gate"]
STATIC = ["gain", "sum", "saturation", "dead_zone", "lag"]


def draw_loops(draw):
    """Draws a network of switches and blocks with random connections in any direction."""
    rng = draw.rng
    sources = [draw.source(("osc", "sine", "rotor", "stair")) for _ in range(rng.randint(1, 2))]
    parts = [draw.add(rng.choice(SWITCHES)) for _ in range(rng.randint(1, 4))]
    parts += [draw.add(rng.choice(STATIC)) for _ in range(rng.randint(0, 3))]
    for reader in parts:
        for i_input, (likes, _) in enumerate(adversary.MODELS[draw.components[reader]["kind"]].inputs):
            own = [o for o in draw.outputs() if o[0] in parts and o[2] in likes]
            if (i_input == 0 and rng.random() < 0.6) or not own:
                draw.wire(rng.choice(sources), 0, reader, i_input)
            else:
                draw.wire(*rng.choice(own)[:2], reader, i_input)
    return draw.case(0.7)


# ---- scale

SCALED = [kind for kind in adversary.FILLERS if not adversary.MODELS[kind].shipped]
SHIPPED_IN_MOTIFS = {"source", "hysteresis", "feed-through chain"}
EVENTFUL = {"saturation", "stiff contact", "bounces", "event at start", "event loop", "unobserved", "triggered"}


def draw_scale(draw):
    rng = draw.rng
    most = rng.randint(2, 6)
    names = [name for name in adversary.MOTIFS if name not in SHIPPED_IN_MOTIFS | {"same instant", "samplers"}]
    weights = [3.0 if name in EVENTFUL else 1.0 for name in names]
    while len(draw.components) < most:
        if len(draw.components) + 3 > 8 or (len(draw.components) > 2 and rng.random() < 0.4):
            draw.add(rng.choice(SCALED))
        else:
            name = rng.choices(names, weights)[0]
            adversary.MOTIFS[name](draw)
    draw.wire_rest()
    draw.close_loops()
    case = draw.case(0.5)
    exponent = rng.choice([rng.uniform(-15.0, 12.0), rng.uniform(-15.0, -6.0)])
    scale = 10.0 ** exponent
    if rng.random() < 0.5:      # a power of two, with which products are exact
        scale = 2.0 ** round(math.log2(scale))
    case["time_scale"] = scale
    settings = case["settings"]
    if "relaxation.window.max" not in settings and scale > 1.0:
        settings["relaxation.window.max"], settings["relaxation.window.initial"] = 1.0, 1e-3
    return case


# ---- gate

def pulse_times(draw):
    """Draws begin, width and period of pulses. A pulse lasts at least a tenth of the communication step."""
    rng = draw.rng
    width = draw.step_s * 10.0 ** rng.uniform(-1.0, 0.5)
    period = rng.choice([0.0, 0.0, rng.uniform(3.0, 30.0) * width, rng.uniform(0.1, 0.5) * draw.stop_s])
    period = period if period > 1.5 * width else 0.0
    first = rng.uniform(0.02, 0.8 if not period else 0.3) * draw.stop_s
    return {"first": first, "width": width, "period": period, "declared": rng.choice([0.0, 1.0])}


def draw_gate(draw):
    rng = draw.rng
    draw.stop_s = min(draw.stop_s, 60 * draw.step_s, 4.0)
    for _ in range(rng.randint(1, 2)):
        times = pulse_times(draw)
        area = rng.uniform(0.5, 1.5)    # integral of one pulse
        if rng.random() < 0.6:
            T = rng.choice([0.0, rng.uniform(0.3, 2.0)])
            gated = draw.add("gated", **times, a=2.0 * area / times["width"], T=T, k=rng.choice([0.0, rng.uniform(-0.4, 0.4)]))
            if rng.random() < 0.7:
                draw.wire(draw.source(("osc", "lag", "rotor")), 0, gated)
            if rng.random() < 0.7:
                draw.wire(gated, 0, draw.add(rng.choice(["integrator", "lag", "osc", "counter"])))
        else:
            pulses = draw.add("pulses", **times)
            draw.wire(pulses, 0, draw.add("integrator", k=2.0 * area / times["width"]))
            if rng.random() < 0.3:
                draw.wire(pulses, 0, draw.add("counter", level=0.4))
    if rng.random() < 0.4:
        draw.add("osc")
    return draw.case(0.75)


# ---- level

# Least linear part of a flow in references (truth_of()). At rtol 1e-7 the effect of this part is a fifth of an error that counts as
# wrong.
LEAST_LINEAR = 1e-9


def draw_level(draw):
    rng = draw.rng
    n = rng.choice([2, 2, 2, 3])
    linear = rng.choice([0.0, 0.0, 1e-8, 1e-4, 1e-2])
    c = rng.uniform(0.5, 3.0)
    draw.stop_s = draw.step_s * rng.randint(40, 100)
    draw.stop_s = min(draw.stop_s, 4.0)
    pipes = []
    if rng.random() < 0.5:
        tanks = [draw.add("tank", c=c, linear=linear) for _ in range(n)]
        for one, two in zip(tanks, tanks[1:]):
            draw.wire(one, 0, two)
        draw.wire(tanks[1], 0, tanks[0])
    else:
        tanks = [draw.add("basin", a=-1.0 if i == 0 else 1.0, b=1.0 if i == 0 else -1.0) for i in range(n)]
        for one, two in zip(tanks, tanks[1:]):
            pipe = draw.add("pipe_flow", c=c, linear=linear)
            pipes.append(pipe)
            draw.wire(one, 0, pipe, 0)
            draw.wire(two, 0, pipe, 1)
            draw.wire(pipe, 0, one, 1 if one != tanks[0] else 0)
            draw.wire(pipe, 0, two, 0)
    draw.leave_open(tanks)
    what = rng.random()
    if what < 0.3:              # two coupled lags at rest
        at = rng.uniform(-1.0, 1.0)
        one, two = draw.add("lag", k=0.5, c=0.5 * at, x0=at), draw.add("lag", k=0.5, c=0.5 * at, x0=at)
        draw.wire(one, 0, two)
        draw.wire(two, 0, one)
    elif what < 0.6:
        draw.wire(rng.choice(tanks), 0, draw.add(rng.choice(["integrator", "lag", "counter", "sampler"])))
    case = draw.case(0.75, moves_inputs=False,      # the outflow of one tank must remain the inflow of its neighbour
                     reference_solvers=("rosenbrock", "cvode_bdf") if linear < 1e-3 else ("dopri54", "rk43"))
    case["gives_up"] = True     # the run may start again as one subsystem
    # If two levels are equal, an error d of their difference makes a flow of about c sqrt(d). So the comparison converts flows to
    # differences of levels.
    case["heads"] = {f"{draw.components[pipe]['name']}.y0": (c, linear) for pipe in pipes}
    if linear < LEAST_LINEAR:
        case["rtol"] = max(case["rtol"], 1e-7)
    return case


def head_of(c, linear, flow):
    """Returns the difference of levels d that makes this flow: flow = c d / sqrt(|d| + linear), solved for d."""
    part = flow / c
    return math.copysign(0.5 * (part * part + abs(part) * math.sqrt(part * part + 4.0 * linear)), flow)


# ---- scenario

def draw_scenario(draw):
    """Draws one or two scenarios that act from the start. The references have other components in place of the scenarios."""
    rng = draw.rng
    files, lines, swaps = {}, [], []
    for n in range(rng.choice([1, 1, 2])):
        source = draw.add(rng.choice(["line", "osc", "sine", "stair", "lag"]))
        readers = [draw.add(rng.choice(["sampler", "sampler", "counter", "relay", "trigger", "integrator", "toggle", "latch"]))
                   for _ in range(rng.randint(1, 3))]
        for reader in readers:
            kind = draw.components[reader]["kind"]
            draw.wire(source, 0, reader, 1 if kind == "trigger" and rng.random() < 0.5 else 0)
            if kind == "sampler" and rng.random() < 0.7:
                draw.components[reader]["parameters"]["offset"] = 0.0
        at_s = rng.choice([0.0, 0.0, -1.0, -rng.uniform(0.1, 2.0)])
        action = rng.choice(["override", "replay", "replay", "bias", "gain"])
        swaps.append((n, source, at_s, action, [rng.uniform(-1.5, 1.5), rng.uniform(-0.6, 0.6)]))
    if rng.random() < 0.5:
        draw.fill(len(draw.components) + 1)
    case = draw.case(0.6, has_sizes=False)
    case["swaps"] = []
    for n, source, at_s, action, (a, b) in swaps:
        name = case["components"][source]["name"]
        lines += ["[[scenario]]", f'name = "fault{n}"', f'signal = "{name}.y0"', f'action = "{action}"', f"at = {at_s!r}"]
        if action == "replay":
            end_s = case["stop_s"] + 10.0
            files[f"fault{n}.csv"] = f"time,v\n-5.0,{a - 5.0 * b!r}\n{end_s!r},{a + b * end_s!r}\n"
            lines += [f'file = "fault{n}.csv"', 'column = "v"', f"offset = {at_s!r}"]
        else:
            lines.append(f"value = {a!r}")
        lines.append("")
        case["swaps"].append({"component": name, "action": action, "a": a, "b": b if action == "replay" else 0.0})
    case["lines"], case["files"] = lines, files
    case["uncompared"] = [f"{swap['component']}.y0" for swap in case["swaps"]]
    return case


def truth_of(case):
    """Returns the case of the references: components with the effect of the scenarios, no scenarios, and flows with at least
    LEAST_LINEAR."""
    truth = copy.deepcopy(case)
    for part in truth["components"]:
        if "linear" in part["parameters"]:
            part["parameters"]["linear"] = max(part["parameters"]["linear"], LEAST_LINEAR)
    if "swaps" not in case:
        return truth
    del truth["lines"]
    for n, swap in enumerate(case["swaps"]):
        name, names = f"truth{n}", {c["name"] for c in truth["components"]}
        if swap["component"] not in names:
            continue
        if swap["action"] in ("override", "replay"):
            kind, parameters = "line", {"a": swap["a"], "b": swap["b"]}
        else:
            is_gain = swap["action"] == "gain"
            kind, parameters = "gain", {"a": swap["a"] if is_gain else 1.0, "c": 0.0 if is_gain else swap["a"]}
        for wire in truth["wires"]:
            if wire[0] == swap["component"] and wire[1] == 0:
                wire[0] = name
        if kind == "gain":
            truth["wires"].append([swap["component"], 0, name, 0])
        truth["components"].append({"name": name, "kind": kind, "parameters": parameters, "size": 1.0})
    return truth


# ---- many

MANY = ["rotor", "product", "feed-through chain", "source", "saturation", "samplers", "unobserved", "pair", "tight loop",
        "hysteresis", "triggered", "event at start"]


def draw_many(draw):
    rng = draw.rng
    most = rng.randint(20, 100)
    while len(draw.components) < most:
        adversary.MOTIFS[rng.choice(MANY)](draw)
    draw.stop_s = draw.step_s * rng.randint(20, 40)
    draw.stop_s = min(draw.stop_s, 2.0)
    case = draw.case(0.0, aside="signal")
    n = max(2, math.ceil(len(draw.components) / 40))
    n = rng.randint(n, n + 2)
    groups = [[] for _ in range(n)]
    for part in draw.components:
        rng.choice(groups).append(part["name"])
    case["groups"] = [{"components": g} for g in groups if g]
    return case


# ---- account and pulse_slack: reported errors against true errors

def draw_account(draw):
    rng = draw.rng
    for _ in range(rng.randint(1, 2)):
        what = rng.choice(["thermostat", "sampled", "sampled loop", "sampled loop", "counter", "triggered", "triggered", "pair"])
        if what == "thermostat":
            plant = draw.add("lag", T=rng.uniform(0.2, 1.0), k=rng.uniform(0.9, 1.2), c=rng.uniform(-0.2, 0.2))
            relay = draw.add("relay", sign=-1.0, low=rng.uniform(-0.4, -0.1), high=rng.uniform(0.1, 0.4))
            draw.wire(plant, 0, relay)
            draw.wire(relay, 0, plant)
            draw.wire(plant, 0, draw.add(rng.choice(["lag", "integrator", "sampler"])))
            continue
        if what == "sampled loop":      # a controller that samples two coupled states
            plant, lag = draw.add("lag", k=rng.uniform(0.5, 1.5)), draw.add("osc", k=rng.uniform(0.3, 0.8))
            sampler = draw.add("sampler", period=rng.choice([0.02, 0.05, 0.1]), offset=0.02)
            back = draw.add("sum", a=-rng.uniform(0.2, 0.8), b=rng.uniform(0.3, 0.8))
            draw.wire(plant, 0, lag)
            draw.wire(lag, 0, sampler)
            draw.wire(sampler, 0, back, 0)
            draw.wire(lag, 0, back, 1)
            draw.wire(back, 0, plant)
            continue
        one, two = draw.add("osc"), draw.add("osc")
        draw.wire(one, 0, two)
        draw.wire(two, 0, one)
        if what == "sampled":
            sampler = draw.add("sampler")
            draw.wire(two, 0, sampler)
            draw.wire(sampler, 0, draw.add("lag", k=0.9))
        elif what == "counter":
            counter = draw.add(rng.choice(["counter", "relay", "toggle"]))
            draw.wire(two, 0, counter)
            draw.wire(counter, 0, draw.add(rng.choice(["lag", "integrator"])))
        elif what == "triggered":
            trigger = draw.add("trigger")
            draw.wire(one, 0, trigger, 0)
            draw.wire(two, 1, trigger, 1)
            draw.wire(trigger, 0, draw.add(rng.choice(["lag", "integrator"])))
    draw.stop_s = min(draw.stop_s, 3.0)
    case = draw.case(0.8, has_sizes=False)
    convergence = rng.choice([1.0, 10.0, 100.0, 1000.0, 1000.0])
    case["rtol"] = 10.0 ** -rng.uniform(3.0, 6.0)
    case["settings"] = {"solver.kind": "dopri54", "relaxation.convergence": convergence, "relaxation.error_limit": 0.0,
                        "relaxation.scheme": rng.choice(["jacobi", "gauss_seidel"])}
    if rng.random() < 0.6:
        window = 0.05 * 10.0 ** rng.uniform(-0.7, 0.5)
        case["settings"].update({"relaxation.window.control": "fixed", "relaxation.window.initial": window,
                                 "relaxation.window.max": max(window, 1.0)})
    if rng.random() < 0.3:
        case["settings"]["relaxation.prediction"] = rng.choice(["hold", "linear", "quadratic"])
    for group in case["groups"]:
        group.pop("solver", None)
    return case


def draw_pulse_slack(draw):
    rng = draw.rng
    period = rng.choice([1e-3, 2e-3, 5e-3])
    draw.step_s, draw.stop_s = 0.01, rng.choice([0.2, 0.3, 0.5])
    for _ in range(rng.randint(1, 2)):
        width = period * 10.0 ** rng.uniform(-1.0, 0.7)
        times = {"first": rng.uniform(0.05, 0.3) * draw.stop_s, "width": width, "declared": rng.choice([0.0, 1.0]),
                 "period": rng.choice([0.0, rng.uniform(2.0, 20.0) * max(width, period)])}
        pulses = draw.add("pulses", **times, a=1.0)
        area = 0.5 * width * (1.0 + (draw.stop_s / times["period"] if times["period"] else 0.0))
        what = rng.choice(["integrator", "integrator", "lag", "osc", "gain"])
        reader = draw.add(what, **({"k": 1.0 / area} if what == "integrator" else {}))
        draw.wire(pulses, 0, reader)
        if what == "gain":      # a reader without states, whose output another component integrates
            draw.wire(reader, 0, draw.add("integrator", k=1.0 / area))
    case = draw.case(1.0, has_sizes=False)
    case["settings"] = {"solver.kind": rng.choice(["dopri54", "dopri54", "rk43"]), "relaxation.scheme": "slack",
                        "relaxation.max_nodes": 100000,
                        "slack.period": period, "slack.watch": 1, "slack.bound": 0}
    case["rtol"] = 10.0 ** -rng.uniform(4.0, 6.0)
    # Communication points are dense enough to show the error of a late pulse while it passes. Exchange has its own periods.
    shortest = min(c["parameters"]["width"] for c in case["components"] if "width" in c["parameters"])
    case["step_s"] = max(min(0.2 * shortest, 0.5 * period), case["stop_s"] / 5000)
    case["stop_s"] = case["step_s"] * round(case["stop_s"] / case["step_s"])
    for group in case["groups"]:
        group.pop("solver", None)
    return case


def judged(case):
    """Returns the compared outputs: states, with pulse_slack also outputs of gains, with account also sampled values."""
    more = {"pulse_slack": {"gain"}, "account": {"sampler", "trigger"}}
    kinds = adversary.HAS_STATE - {"filler"} | more[case["family"]]
    return [f"{c['name']}.{adversary.port(c['kind'], 'y', 0)}" for c in case["components"] if c["kind"] in kinds]


def true_error(case, reference, result, signals, names):
    """Returns the largest error of a signal, relative to its range, and the signal. Leaves out points beside a jump."""
    worst, which = 0.0, ""
    scale = adversary.scales(reference, signals)
    for i, (name, _, is_exact) in enumerate(signals.rows):
        if name not in names or is_exact or not reference.most[i] > reference.least[i]:
            continue
        for k, t_s in enumerate(reference.time[:len(result.time)]):
            if any(abs(j[0] - t_s) < 1.5 * case["step_s"] for j in reference.jumps[i]):
                continue
            off = abs(result.columns[i][k] - reference.columns[i][k]) / scale[i]
            if off > worst:
                worst, which = off, name
    return worst, which


def judge_told(bench, case):
    """Compares the reported error with the true error. A case that the account covers is silent if its true error exceeds rtol and a
    multiple of the reported error. The multiple is 10, or 3 in a slackened run."""
    signals = adversary.Signals(case)
    tight = ["solver.rtol=1e-10", "simulation.event_tolerance=1e-12"]
    is_slack = case["settings"].get("relaxation.scheme") == "slack"
    plain = copy.deepcopy(case)
    plain["settings"] = {"solver.kind": "dopri54"}
    step = f"solver.step={adversary.reference_step(case)}"
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        whole = bench.run(plain, folder, signals, ["--monolithic", step, *tight], name="whole")
        other = bench.run(plain, folder, signals, ["--monolithic", step, "solver.rtol=1e-9", tight[1]], name="other")
        if not whole.result or not other.result:
            return {"outcome": "aside", "why": f"no monolithic run: {whole.text[:200]}"}
        told_file = os.path.join(folder, "told.json")
        split = bench.run(case, folder, signals, [*tight, f"output.json={told_file}", "output.events=false"], name="split")
        if split.code is None:
            return {"outcome": "hang", "why": f"more than {split.seconds:.0f} s"}
        if split.code not in (0, 8):
            is_crash = split.code < 0 or not split.text
            return {"outcome": "crash" if is_crash else "loud", "why": f"exit code {split.code}: {split.text[:300]}"}
        with open(told_file, encoding="utf-8") as file:
            summary = json.load(file)
        if not split.result:
            split.result = adversary.Result(os.path.join(folder, "split.csv"), signals)
    account = summary["error_account"]
    truth, which = true_error(case, whole.result, split.result, signals, judged(case))
    noise, _ = true_error(case, whole.result, other.result, signals, judged(case))
    numbers = {"truth": truth, "told": account["error"], "rtol": case["rtol"], "signal": which,
               "not_covered": account["not_covered"], "waves": account["waves"], "readers": account["readers"],
               "sweeps": account["sweeps"]}
    if noise > 0.3 * max(truth, 0.1 * case["rtol"]):
        return {"outcome": "aside", "why": f"noise {noise:.2g}, truth {truth:.2g}", **numbers}
    if truth <= case["rtol"]:
        return {"outcome": "right", "why": "", **numbers}
    limit = 3.0 if is_slack else 10.0
    is_silent = min(truth, 1.0) > limit * account["error"] and not account["not_covered"]
    return {"outcome": "wrong" if is_silent else "right",
            "why": f"{which}: off by {truth:.2g} of its range, told {account['error']:.2g}, rtol {case['rtol']:.1g}"
            if is_silent else "", **numbers}


# Least shares (name, share) of print_accounts() with at least LEAST_TOLD cases (assumed).
REQUIRED = {"account": [("within 3", 0.8), ("within 10", 0.95), ("not below a tenth", 0.99), ("covered", 0.9)],
            "pulse_slack": [("at least a third", 0.95), ("at most ten times", 0.9)]}
LEAST_TOLD = 100


def print_accounts(rows):
    """Prints the shares of reported errors near true errors above rtol. A case that the account does not cover counts as a
    reported error of 0. Returns whether a share is too small."""
    is_bad = False
    for family, required in REQUIRED.items():
        told = [r for r in rows if r.get("family") == family and "truth" in r and r["outcome"] != "aside"]
        above = [r for r in told if r["truth"] > r["rtol"]]
        ratio = [0.0 if r["not_covered"] else r["told"] / min(r["truth"], 1.0) for r in above]
        if not told:
            continue
        n = max(len(above), 1)
        share = {"within 3": sum(1 / 3 <= q <= 3 for q in ratio) / n, "within 10": sum(0.1 <= q <= 10 for q in ratio) / n,
                 "at least a third": sum(q >= 1 / 3 for q in ratio) / n, "at most ten times": sum(q <= 10 for q in ratio) / n,
                 "not below a tenth": sum(q >= 0.1 for q in ratio) / n,
                 "covered": sum(not r["not_covered"] for r in told) / len(told)}
        print(f"{family}: {len(told)} cases, {len(above)} with a truth above rtol: told "
              + ", ".join(f"{name} {100.0 * part:.1f} %" for name, part in share.items()))
        for name, least in required:
            if len(above) >= LEAST_TOLD and share[name] < least:
                print(f"{family}: {name} in {100.0 * share[name]:.1f} %, expected {100.0 * least:.0f} %")
                is_bad = True
    return is_bad


MULTISTEP = ["lsoda", "cvode_bdf", "cvode_adams"]


def draw_multistep(draw):
    others = [kind for kind in adversary.SOLVERS if kind not in MULTISTEP]
    draw.solvers = others + MULTISTEP * (len(others) // len(MULTISTEP))
    return {**adversary.draw_general(draw, draw.seed), "family": draw.family}


JUDGES = {"account": judge_told, "pulse_slack": judge_told}
DRAWS = {"feedback": draw_feedback, "loops": draw_loops, "contact": draw_contact, "chain": draw_chain, "scale": draw_scale, "gate": draw_gate, "level": draw_level,
         "account": draw_account, "pulse_slack": draw_pulse_slack, "scenario": draw_scenario, "many": draw_many, "multistep": draw_multistep}


def draw(family, seed):
    return DRAWS[family](Draw(family, seed))
