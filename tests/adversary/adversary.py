"""The random adversary: small hybrid models, connected and split at random, against monolithic references.

    adversary.py --wrsim PROGRAM --plugin adversary_models.so [--family NAME|all]... --first 0 --count 500

A seed determines a case. The outcome of a case is one of

    right     the split run agrees with the references
    wrong     the split run ends with exit code 0, but a count or another discrete value differs, or a signal is off by more
              than 50 rtol of its range, 5 times the error of the monolithic run, and WRONG_MOVED
    both      a discrete value is wrong in the split run and in the monolithic run, or see LOST
    loud      the split run fails with a message
    hang      the split run takes more than --timeout seconds of CPU time
    crash     a signal or a sanitizer ends the split run, or the split run fails without a message
    aside     according to the references the case is ill-conditioned: nothing is compared
    workers   with --workers-check: runs with one, two and three workers differ

The references are monolithic, with short steps: two solvers at 1e-11 and 1e-10, and two runs of the first solver
with slightly changed numbers of the models. If these differ in a count, or by much more than the change, a result
at the case's tolerance has no meaning.

README.md in this folder describes the cases and the comparison.
"""
import argparse
import bisect
import concurrent.futures
import copy
import functools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "harness"), HERE]
import limited  # pylint: disable=wrong-import-position
import runs
from counted import differences  # pylint: disable=wrong-import-position

WRONG_RTOL, WRONG_TWIN = 50.0, 5.0
REFERENCE_SHARE = 8.0       # the two references may differ by WRONG_RTOL rtol / REFERENCE_SHARE (all limits here are assumed)
MOVE = 30.0                 # change of the models' numbers for two references, in units of rtol
WRONG_MOVED = 5.0 / MOVE    # allowed error, as a share of the effect of MOVE
PULSE_SHARE = 0.05          # a pulse is compared at points if it may shift by at most this share of its length
LOST, LOST_RTOL = 0.03, 1000.0   # in families: an error above LOST and LOST_RTOL rtol of the range is "both" if not "wrong"
WAIT = 10.0                 # allowed shift of a state event, in units of rtol times the run's length
FINE = 4                    # points of the first reference per communication point
WORST_CONDITION = 200.0     # largest relative change of a signal per relative change of the numbers
FAILED = ("wrong", "both", "hang", "crash", "workers")

# ---- Models

# Kinds of outputs: wave (smooth, size one), force (short pulses), steps (jumps, size one), flag (exactly
# one of few values), count (grows, exact), level (jumps, any value), positive, slow (grows, smooth).
# Parameters: (least, largest), or a list of choices; []: Draw.add() has the choices. move() changes the parameters of STARTS,
# RATES (the phase at the end changes), SLOPES (by a tenth) and NUMBERS for two references.


class Model:
    def __init__(self, inputs, outputs, parameters, shipped=None, like=None):
        self.inputs, self.outputs, self.parameters = inputs, outputs, parameters
        self.shipped = shipped          # name of a shipped model, which has no parameters of size
        self.like = like or {}          # names of the inputs and outputs of a shipped model


# Message of a run that starts again without its split, and the exit code that this script gives such a run.
STARTS_AGAIN, EXIT_CONTRACT = "The run starts again as one subsystem", 5
# Settings that are times. The time scale of a case multiplies these settings.
TIMES = {"simulation.stop", "simulation.communication_step", "relaxation.window.initial", "relaxation.window.max",
         "relaxation.window.min", "solver.step", "slack.period"}
STARTS, RATES = {"x0", "x1", "ph", "phase"}, {"w", "frequency"}
SLOPES = {"g", "kick", "k", "T", "damping"}
NUMBERS = {"level", "low", "high", "a", "b", "c", "amplitude"}
# An input of a model is a pair: the kinds of outputs that fit, and whether the input may close a loop.
ANY = ("wave", "force", "steps", "flag", "level", "slow", "positive", "count")
SWING = ("wave", "wave", "wave", "force", "steps", "flag", "level")
SMALL = ("wave", "steps", "flag", "level", "positive")
PERIODS = [0.05, 0.1, 0.1, 0.2, 0.25, 0.3]
MODELS = {
    "sine": Model([], ["wave", "wave", "count"],
                  {"a": (0.7, 1.2), "w": (3.0, 40.0), "ph": (0.0, 6.0), "level": (-0.6, 0.6)}),
    "rotor": Model([(SMALL, True)], ["wave", "wave"],
                   {"w": (5.0, 50.0), "x0": (0.0, 6.0), "a": (0.7, 1.2), "k": (-1.0, 1.0)}),
    "stair": Model([], ["steps", "count"], {"period": PERIODS, "offset": [], "a": (0.7, 1.2)}),
    "osc": Model([(SMALL, True)], ["wave", "wave", "positive"],
                 {"w": (2.0, 20.0), "damping": (0.02, 0.2), "k": (-0.4, 0.4), "x0": (0.5, 1.2),
                  "x1": (-0.5, 0.5)}),
    "lag": Model([(ANY, True)], ["wave"],
                 {"T": (0.05, 1.0), "x0": (-0.5, 0.5), "k": (-0.9, 0.9), "c": (-0.5, 0.5)}),
    "integrator": Model([(ANY, False)], ["slow"], {"k": (0.5, 2.0), "x0": (-0.5, 0.5)}),
    "rectifier": Model([(SWING, False)], ["slow"], {"k": (0.5, 2.0), "x0": (-0.5, 0.5)}),
    "power": Model([(SWING, False), (SWING, False)], ["slow"], {"k": (0.5, 2.0), "x0": (-0.5, 0.5)}),
    "gain": Model([(ANY, False)], ["wave"], {"a": (-1.5, 1.5), "c": (-0.3, 0.3)}),
    "sum": Model([(SWING, False), (SWING, False)], ["wave"], {"a": (0.4, 1.2), "b": (-1.2, -0.4)}),
    "product": Model([(SWING, False), (SWING, False)], ["wave"], {"a": (0.5, 1.5)}),
    "wobble": Model([(("wave", "slow"), False)], ["wave"], {"a": (2.0, 8.0)}),
    "logarithm": Model([(("positive",), False)], ["wave"], {}),
    "saturation": Model([(SWING, False)], ["wave"], {"low": (-0.7, -0.2), "high": (0.1, 0.7)}),
    "dead_zone": Model([(SWING, False)], ["wave"], {"low": (-0.5, -0.1), "high": (0.1, 0.5)}),
    "gate": Model([(SWING, False), (SWING, False)], ["level"], {"level": (0.15, 0.6)}),
    "pad": Model([], ["force", "wave"], {"g": (5.0, 15.0), "x0": (0.3, 1.2), "k": (1e4, 1e6)}),
    "ball": Model([(SMALL, True)], ["wave", "level", "count"],
                  {"g": (5.0, 15.0), "x0": (0.2, 1.2), "kick": (1.0, 4.0), "k": (-0.2, 0.2)}),
    "counter": Model([(SWING, False)], ["count"], {"level": (0.15, 0.65)}),
    "relay": Model([(SWING, False)], ["flag", "count"],
                   {"low": (-0.4, 0.1), "high": (0.2, 0.6), "start": [0.0, 1.0],
                    "sign": [1.0, -1.0]}),
    "toggle": Model([(SWING, False)], ["flag"], {"level": (0.15, 0.65)}),
    "latch": Model([(SWING, False), (SWING, False)], ["flag", "count"], {"level": (0.15, 0.65)}),
    "sampler": Model([(ANY, False)], ["level", "level", "count"],
                     {"period": PERIODS, "offset": []}),
    "trigger": Model([(SWING, False), (SWING, False)], ["level", "count"], {"level": (0.15, 0.65)}),
    "pulse": Model([(SWING, False)], ["flag", "count"],
                   {"level": (0.15, 0.65), "width": [0.05, 0.1, 0.2, 0.137]}),
    "echo": Model([(ANY, False)], ["level", "level", "count"], {"period": PERIODS, "offset": []}),
    "filler": Model([(SMALL, True)], ["flag", "count"],
                    {"w": (1.0, 8.0), "x0": (0.0, 0.9), "k": (-0.4, 0.4)}),
    # Shipped models, with signals of size one.
    "signal.sine": Model([], ["wave"], {"amplitude": (0.7, 1.2), "frequency": (0.5, 10.0),
                                        "phase": (0.0, 6.0)}, "signal.sine", {"y0": "y"}),
    "signal.sampler": Model([(ANY, False)], ["level"], {"period": PERIODS, "t_first": []},
                            "signal.sampler", {"y0": "y", "u0": "u"}),
    "signal.gain": Model([(ANY, False)], ["wave"], {"k": (-1.5, 1.5), "offset": (-0.3, 0.3)},
                         "signal.gain", {"y0": "y", "u0": "u"}),
    "relay.switch": Model([(SWING, False)], ["flag"], {"low": (-0.4, 0.1), "high": (0.2, 0.6)},
                          "relay.switch", {"y0": "on", "u0": "measured"}),
    "dahlquist": Model([(ANY, True)], ["wave"], {"a": (-8.0, -1.0), "b": (-1.0, 1.0)},
                       "dahlquist", {"y0": "x", "u0": "u"}),
}
FILLERS = [kind for kind in MODELS if MODELS[kind].inputs and kind != "echo"]   # without the models of families.py
EXACT = ("flag", "count")
HAS_STATE = {"rotor", "osc", "lag", "integrator", "rectifier", "power", "pad", "ball", "filler",
             "dahlquist"}
TIMED = {"stair", "sampler", "echo", "signal.sampler"}
# A loop through one of these models could slide along a switch.
NO_LOOP = {"gate", "toggle", "trigger", "latch", "pulse", "relay", "relay.switch", "counter"}


# ---- Drawing a case


class Draw:
    """A random case under construction."""

    def __init__(self, seed, stream="adversary"):
        self.rng = random.Random(f"{stream} {seed}")
        self.components, self.wires, self.motifs = [], {}, set()
        self.solvers = SOLVERS
        self.step_s = self.rng.choice([0.01, 0.02, 0.025, 0.05, 0.05, 0.1])
        self.stop_s = self.step_s * self.rng.randint(40, 160)
        self.stop_s = min(self.stop_s, 8.0)

    def add(self, kind, **given):
        rng, model = self.rng, MODELS[kind]
        parameters = {}
        for name, span in model.parameters.items():
            if name in ("offset", "t_first") and not span:
                period = parameters["period"]
                parameters[name] = rng.choice([0.0, 0.0, self.step_s, 0.5 * period,
                                               rng.uniform(0.01, 0.3)])
            elif isinstance(span, list):
                parameters[name] = rng.choice(span)
                if name == "period" and rng.random() < 0.3:
                    parameters[name] = rng.uniform(0.04, 0.4)
            else:
                least, most = span
                parameters[name] = least * (most / least) ** rng.random() if least > 0.0 else rng.uniform(least, most)
        parameters.update(given)
        if kind == "echo":      # an echo must have no event at the start
            parameters["offset"] = max(parameters["offset"], self.step_s)
        self.components.append({"name": f"c{len(self.components)}", "kind": kind,
                                "parameters": parameters, "size": 1.0})
        return len(self.components) - 1

    def wire(self, source, i_output, reader, i_input=0):
        self.wires[reader, i_input] = (source, i_output)

    def outputs(self, before=None):
        return [(c, i, kind) for c, part in enumerate(self.components[:before])
                for i, kind in enumerate(MODELS[part["kind"]].outputs)]

    def wire_rest(self):
        """Connects most open inputs to random outputs of earlier components, of a kind that fits the input. If no kind fits, a shipped
        model gets any earlier output."""
        for reader, part in enumerate(self.components):
            for i_input, (likes, _) in enumerate(MODELS[part["kind"]].inputs):
                is_shipped = MODELS[part["kind"]].shipped is not None   # shipped models need their inputs
                if (reader, i_input) in self.wires or (self.rng.random() < 0.08 and
                                                       not is_shipped):
                    continue
                fitting = [o for o in self.outputs(reader) if o[2] in likes]
                fitting = fitting or (self.outputs(reader) if is_shipped else [])
                if fitting:
                    self.wire(*self.rng.choice(fitting)[:2], reader, i_input)

    def reaches(self, source, target):
        """Returns whether the outputs of source act on target, directly or through other components."""
        todo, seen = [source], set()
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            todo += [r for (r, _), (s, _) in self.wires.items() if s == at]
        return target in seen

    def close_loops(self):
        """Connects some inputs that may close a loop to outputs of later components."""
        for reader, part in enumerate(self.components):
            for i_input, (likes, may_close) in enumerate(MODELS[part["kind"]].inputs):
                if not may_close or self.rng.random() > 0.2:
                    continue
                later = [o for o in self.outputs() if o[0] > reader and o[2] in likes]
                if not later:
                    continue
                source, i_output, _ = self.rng.choice(later)
                loop = {part["kind"] for c, part in enumerate(self.components) if self.reaches(reader, c) and self.reaches(c, source)}
                if loop & NO_LOOP:
                    continue
                self.wire(source, i_output, reader, i_input)


SLOW = ["integrator", "integrator", "lag", "sampler"]   # kinds of slow readers


def reader_of_slow_kind(draw):
    return draw.add(draw.rng.choice(SLOW))


def motif_line(*links):
    """Returns a motif of components in a line. A link is a kind, or a list of kinds in which repeated kinds are more probable."""
    def motif(draw):
        last = None
        for kinds in links:
            part = draw.add(kinds if isinstance(kinds, str) else draw.rng.choice(kinds))
            if last is not None:
                draw.wire(last, 0, part)
            last = part
    return motif


def motif_rotor(draw):
    rotor = draw.add("rotor", k=0.0)
    draw.wire(rotor, draw.rng.randrange(2), reader_of_slow_kind(draw))


def motif_product(draw):
    a, b = draw.add(draw.rng.choice(["osc", "rotor", "sine"])), draw.add("osc")
    product = draw.add(draw.rng.choice(["product", "product", "power"]))
    draw.wire(a, 0, product, 0)
    draw.wire(b, 0, product, 1)
    if draw.components[product]["kind"] == "product":
        draw.wire(product, 0, reader_of_slow_kind(draw))


def motif_chain(draw):
    last = draw.add(draw.rng.choice(["osc", "rotor", "sine", "osc"]))
    for _ in range(draw.rng.randint(1, 2)):
        link = draw.add(draw.rng.choice(["gain", "saturation", "dead_zone", "wobble", "signal.gain"]))
        draw.wire(last, 0, link)
        last = link
    draw.wire(last, 0, reader_of_slow_kind(draw))


def motif_contact(draw):
    pad = draw.add("pad")
    draw.wire(pad, 0, draw.add(draw.rng.choice(["integrator", "lag", "rectifier"])))
    if draw.rng.random() < 0.7:
        draw.wire(pad, 0, draw.add(draw.rng.choice(["counter", "relay", "trigger"])))


def motif_bounces(draw):
    ball = draw.add("ball", k=0.0)
    height = draw.components[ball]["parameters"]
    level = 0.3 * height["kick"] ** 2 / (2.0 * height["g"])
    draw.wire(ball, 0, draw.add("counter", level=level))
    if draw.rng.random() < 0.5:
        draw.wire(ball, 1, reader_of_slow_kind(draw))


def motif_samplers(draw):
    """Adds samplers in a row, with equal or different periods."""
    last = draw.add(draw.rng.choice(["osc", "stair", "sine", "stair"]))
    period, offset = draw.rng.choice(PERIODS), draw.rng.choice([0.0, draw.step_s])
    for i in range(draw.rng.randint(2, 3)):
        if draw.rng.random() < 0.6:
            given = {"period": period * draw.rng.choice([1, 1, 2]), "offset": offset}
        else:
            given = {"period": period * draw.rng.choice([math.sqrt(0.5), math.sqrt(2.0), 0.618])}
        link = draw.add("echo" if i and draw.rng.random() < 0.1 else "sampler", **given)
        draw.wire(last, 0, link)
        last = link
    if draw.rng.random() < 0.5:
        draw.wire(last, 0, reader_of_slow_kind(draw))


def motif_echo(draw):
    """Adds a component whose time event announces another time event at its own instant."""
    source = draw.add(draw.rng.choice(["osc", "sine", "stair"]))
    period = draw.rng.choice(PERIODS)
    sampler = draw.add("sampler", period=period, offset=period)
    draw.wire(source, 0, sampler)
    draw.wire(sampler, 0, draw.add("echo", period=period, offset=period))


def motif_start(draw):
    """Adds a relay outside its band at t = 0, and a reader that the relay triggers."""
    source = draw.add(draw.rng.choice(["osc", "lag"]), x0=draw.rng.uniform(0.8, 1.2))
    relay = draw.add("relay", start=0.0, sign=1.0)
    draw.wire(source, 0, relay)
    draw.wire(relay, 0, draw.add(draw.rng.choice(["counter", "counter", "trigger", "pulse"])))


def motif_event_loop(draw):
    """Adds a latch whose output resets the latch through another component, at the instant at which the latch is set."""
    source = draw.add(draw.rng.choice(["osc", "sine", "rotor", "stair"]))
    latch = draw.add("latch")
    back = draw.add(draw.rng.choice(["relay", "gain"]), **{})
    if draw.components[back]["kind"] == "relay":
        draw.components[back]["parameters"].update(low=0.2, high=0.5, start=0.0, sign=1.0)
    else:
        draw.components[back]["parameters"].update(a=1.0, c=0.0)
    draw.wire(source, 0, latch, 0)
    draw.wire(latch, 0, back)
    draw.wire(back, 0, latch, 1)
    draw.wire(latch, 0, draw.add(draw.rng.choice(["counter", "pulse", "toggle"])))


def motif_algebraic(draw):
    source = draw.add(draw.rng.choice(["osc", "sine", "stair"]))
    total = draw.add("sum", a=1.0, b=1.0)
    gain = draw.rng.choice([0.5, -0.5, 0.5, draw.rng.choice([0.9, -0.9]),
                            draw.rng.uniform(-0.7, 0.7), draw.rng.uniform(-0.7, 0.7)])
    back = draw.add("gain", a=gain, c=draw.rng.uniform(-0.3, 0.3))
    draw.wire(source, 0, total, 0)
    draw.wire(back, 0, total, 1)
    draw.wire(total, 0, back)
    draw.wire(total, 0, reader_of_slow_kind(draw))


def motif_tight(draw):
    """Adds two lags in a loop with a gain near 1 or -1."""
    gain = draw.rng.choice([0.9, 0.99, 0.999, -0.9])
    first = draw.add("lag", k=1.0, T=draw.rng.uniform(0.02, 0.3))
    second = draw.add("lag", k=gain, T=draw.rng.uniform(0.02, 0.3))
    draw.wire(first, 0, second)
    draw.wire(second, 0, first)


def motif_pair(draw):
    """Adds two coupled oscillators."""
    first, second = draw.add("osc"), draw.add("osc")
    draw.wire(first, 0, second)
    draw.wire(second, draw.rng.randrange(2), first)


def motif_positive(draw):
    source = draw.add("osc", x1=draw.rng.uniform(-0.5, 0.5))
    logarithm = draw.add("logarithm")
    draw.wire(source, 2, logarithm)
    draw.wire(logarithm, 0, reader_of_slow_kind(draw))


def motif_triggered(draw):
    first, second = draw.add("osc"), draw.add(draw.rng.choice(["osc", "sine", "rotor"]))
    trigger = draw.add("trigger")
    draw.wire(first, 0, trigger, 0)
    draw.wire(second, 0, trigger, 1)
    draw.wire(trigger, 0, reader_of_slow_kind(draw))


MOTIFS = {"rotor": motif_rotor, "product": motif_product, "feed-through chain": motif_chain,
          "source": motif_line(["sine", "signal.sine"], ["integrator", "lag", "counter", "relay"]),
          "saturation": motif_line(["osc", "rotor", "sine"], ["saturation", "dead_zone", "gate"], SLOW), "stiff contact": motif_contact,
          "bounces": motif_bounces, "samplers": motif_samplers, "same instant": motif_echo,
          "event at start": motif_start, "event loop": motif_event_loop,
          "unobserved": motif_line("filler", ["integrator", "counter", "lag", "sampler"]), "algebraic loop": motif_algebraic,
          "tight loop": motif_tight, "pair": motif_pair, "start values": motif_positive,
          "triggered": motif_triggered,
          "hysteresis": motif_line(["osc", "rotor", "sine", "stair"], ["relay", "relay.switch"], ["lag", "integrator", "counter", "pulse"])}
MOTIF_WEIGHT = {"rotor": 3.5, "samplers": 3, "stiff contact": 2, "feed-through chain": 3, "product": 2,
                "source": 2, "pair": 2, "algebraic loop": 1.3, "event loop": 1.2, "same instant": 1.1,
                "event at start": 1.1}


def draw_sizes(draw):
    """Draws patterns and sizes of signals for all models but shipped models, and a nominal value for at least one end of their
    connections."""
    rng = draw.rng
    own = [c for c, part in enumerate(draw.components) if not MODELS[part["kind"]].shipped]
    has_sizes = rng.random() < 0.35
    readers_of = {c: [r for r, wire in draw.wires.items() if wire[0] == c] for c in own}
    for c in own:
        is_read_by_shipped = any(MODELS[draw.components[r]["kind"]].shipped for r, _ in readers_of[c])
        if has_sizes and rng.random() < 0.6 and not is_read_by_shipped:
            draw.components[c]["size"] = 10.0 ** rng.randint(-9, 9)
    for c in own:
        part, readers = draw.components[c], readers_of[c]
        parameters = part["parameters"]
        parameters["sy"] = part["size"]
        is_in_loop = any(draw.reaches(r, c) for r, _ in readers)
        parameters["patterns"] = rng.choice([2, 2, 2, 1, 1, 0]) if not is_in_loop else 2
        is_declared = rng.random() < 0.8 or any(r not in own for r, _ in readers)
        parameters["ny"] = 1.0 if is_declared else 0.0
        if part["size"] >= 1.0 and rng.random() < 0.1:
            parameters["nx"] = 0.0
        for reader, i in readers:
            if reader in own:
                to = draw.components[reader]["parameters"]
                to[f"su{i}"] = part["size"]
                if not is_declared:
                    to[f"nu{i}"] = part["size"]
                else:
                    to[f"nu{i}"] = rng.choice([part["size"], part["size"], 0.0, 0.0, 1.0])


SOLVERS = ["auto", "auto", "auto", "dopri54", "dopri54", "rk43", "bs32", "rosenbrock",
           "rosenbrock_w", "cvode_bdf", "cvode_adams", "lsoda"]


def draw_settings(draw, case):
    rng = draw.rng
    settings = case["settings"]
    settings["solver.kind"] = rng.choice(draw.solvers)
    settings["relaxation.scheme"] = rng.choice(["jacobi", "gauss_seidel"])
    if rng.random() < 0.85:
        longest = 10.0 ** rng.uniform(-1.7, 0.3)
        settings["relaxation.window.max"] = longest
        settings["relaxation.window.initial"] = longest * rng.choice([1.0, 0.3, 0.1])
        if rng.random() < 0.3:
            settings["relaxation.window.min"] = min(1e-5, 0.01 * longest)
        control = rng.choice(["work", "work", "work", "ratio", "fixed"])
        if control != "work":
            settings["relaxation.window.control"] = control
    if rng.random() < 0.3:
        settings["relaxation.acceleration"] = rng.choice(["none", "anderson", "anderson", "anderson"])
        if rng.random() < 0.5:
            settings["relaxation.max_sweeps"] = 40
    if rng.random() < 0.3:
        settings["relaxation.prediction"] = rng.choice(["hold", "linear", "quadratic", "cubic"])
    if rng.random() < 0.2:
        settings["relaxation.active_set"] = False
    if rng.random() < 0.08:
        settings["relaxation.tolerance_first"] = rng.choice([3.0, 10.0])
    if rng.random() < 0.06:
        settings["relaxation.convergence"] = rng.choice([0.1, 0.03])
    if rng.random() < 0.05:
        settings["relaxation.max_nodes"] = rng.choice([1024, 20000])
    if rng.random() < 0.06:
        settings["solver.step"] = rng.choice([0.01, 0.05])


def draw_groups(draw, case):
    """Draws the subsystems (one for each component, or a random division of the components), and solvers of some subsystems."""
    rng, names = draw.rng, [c["name"] for c in draw.components]
    if rng.random() < 0.45:
        groups = [[name] for name in names]
    else:
        n = rng.randint(2, len(names))
        groups = [[] for _ in range(n)]
        for name in names:
            rng.choice(groups).append(name)
        groups = [g for g in groups if g]
        if len(groups) == 1:
            groups = [names[:1], names[1:]]
    rng.shuffle(groups)
    case["groups"] = [{"components": g} for g in groups]
    for group in case["groups"]:
        if rng.random() < 0.15:
            group["solver"] = rng.choice(draw.solvers[1:])


def draw_case(seed):
    return draw_general(Draw(seed), seed)


def draw_general(draw, seed):
    rng = draw.rng
    most = rng.randint(3, 8)
    names = list(MOTIFS)
    weights = [MOTIF_WEIGHT.get(name, 1.5) for name in names]
    while len(draw.components) < most:
        name = rng.choices(names, weights)[0]
        if len(draw.components) + 3 > 8 or (len(draw.components) > 2 and rng.random() < 0.4):
            draw.add(rng.choice(FILLERS))
        else:
            MOTIFS[name](draw)
            draw.motifs.add(name)
    draw.wire_rest()
    draw.close_loops()
    draw_sizes(draw)
    case = {"seed": seed, "rtol": 10.0 ** -rng.uniform(3.0, 8.0), "step_s": draw.step_s,
            "stop_s": draw.stop_s, "components": draw.components,
            "wires": [[s, i, r, k] for (r, k), (s, i) in sorted(draw.wires.items())],
            "settings": {}}
    case["wires"] = [[draw.components[s]["name"], i, draw.components[r]["name"], k]
                     for s, i, r, k in case["wires"]]
    draw_settings(draw, case)
    draw_groups(draw, case)
    firsts = [c["parameters"].get("offset", c["parameters"].get("t_first", 1.0)) for c in draw.components if c["kind"] in TIMED]
    if any(c["kind"] == "echo" for c in draw.components) and 0.0 not in firsts:
        draw.motifs.add("same instant")
    case["motifs"] = sorted(draw.motifs)
    return case


# ---- Writing and running a case


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def port(kind, letter, index):
    return MODELS[kind].like.get(f"{letter}{index}", f"{letter}{index}")


def toml_of(case, plugin, has_clock=False):
    """Returns the config of a case."""
    kind = {c["name"]: c["kind"] for c in case["components"]}
    settings = {"simulation.stop": case["stop_s"], "simulation.communication_step": case["step_s"],
                "simulation.rtol": case["rtol"], **case["settings"]}
    scale = case.get("time_scale", 1.0)
    settings = {key: scale * value if key in TIMES else value for key, value in settings.items()}
    lines, tables = [], {}
    for key, value in settings.items():
        table, name = key.split(".", 1)
        tables.setdefault(table, []).append(f"{name} = {text_of(value)}")
    for table, rows in tables.items():
        lines += [f"[{table}]", *rows, ""]
    lines += ["[[plugin]]", f"file = {text_of(plugin)}", ""]
    for part in case["components"]:
        model = MODELS[part["kind"]].shipped or "adversary." + part["kind"]
        parameters = {**part["parameters"], "ts": scale} if scale != 1.0 else part["parameters"]
        values = ", ".join(f"{k} = {text_of(float(v))}" for k, v in parameters.items())
        source = f"fmu = {text_of(part['fmu']['file'])}" if "fmu" in part else f"model = {text_of(model)}"    # drawn by fmus.py
        lines += ["[[component]]", f"name = {text_of(part['name'])}", source, f"parameters = {{ {values} }}", ""]
    if has_clock:       # gives the group a state, and thereby steps in which the solver finds events
        lines += ["[[component]]", 'name = "clock"', 'model = "adversary.integrator"', ""]
    for n, (source, i, reader, k) in enumerate(case["wires"]):
        lines += ["[[connection]]", f"from = \"{source}.{port(kind[source], 'y', i)}\"",
                  f"to = \"{reader}.{port(kind[reader], 'u', k)}\""]
        if n in case.get("periods", {}):    # period of a slackened connection
            lines.append(f"period = {case['periods'][n]!r}")
        lines.append("")
    for i, group in enumerate(case["groups"]):
        lines += ["[[subsystem]]", f"name = \"s{i}\"", "components = ["
                  + ", ".join(text_of(c) for c in group["components"]) + "]"]
        if "solver" in group:
            lines.append(f"solver = {{ kind = {text_of(group['solver'])} }}")
        if "level" in group:    # drawn by levels.py
            lines.append(f"level = {group['level']}")
        lines.append("")
    return "\n".join(lines + case.get("lines", []))


class Signals:
    """The compared outputs, with their sizes and kinds."""

    def __init__(self, case):
        self.rows, self.pulse_s = [], {}     # pulse_s: index and length of signals that are short pulses
        self.inverse = {}       # by index: function from a recorded value to the compared quantity
        for part in case["components"]:
            for i, kind in enumerate(MODELS[part["kind"]].outputs):
                if kind == "force":
                    self.pulse_s[len(self.rows)] = math.pi / math.sqrt(part["parameters"]["k"])
                name = f"{part['name']}.{port(part['kind'], 'y', i)}"
                if name in case.get("uncompared", []):
                    continue
                if name in case.get("heads", {}):
                    self.inverse[len(self.rows)] = functools.partial(families.head_of, *case["heads"][name])
                self.rows.append((name, part["size"], kind in EXACT))


class Result:
    """A result file: values at communication points, and jumps of signals."""

    def __init__(self, path, signals, n_fine=1, scale=1.0):
        self.time, self.columns, self.jumps = [], [], []
        n = len(signals.rows)
        self.columns = [[] for _ in range(n)]
        self.jumps = [[] for _ in range(n)]     # (time, left, right) of each jump
        where, left, n_row = None, None, 0
        self.least, self.most = [math.inf] * n, [-math.inf] * n
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line[0] == "#":
                    continue
                fields = line.rstrip("\n").split(",")
                if where is None:
                    names = [f.split(" ")[0] for f in fields]
                    where = [names.index(name) for name, _, _ in signals.rows]
                    continue
                values = [float(fields[k]) if fields[k] else math.nan for k in where]
                for i, inverse in signals.inverse.items():
                    values[i] = inverse(values[i])
                self.least = list(map(min, self.least, values))
                self.most = list(map(max, self.most, values))
                if fields[1] == "c":
                    n_row += 1
                    if (n_row - 1) % n_fine:
                        continue
                    self.time.append(float(fields[0]) / scale)
                    for column, value in zip(self.columns, values):
                        column.append(value)
                elif fields[1] == "l":
                    left = values
                elif left is not None:
                    self.note_jumps(float(fields[0]) / scale, left, values, signals)

    def note_jumps(self, t_s, left, right, signals):
        for i, (_, size, is_exact) in enumerate(signals.rows):
            least = 0.5 * size if is_exact else 1e-9 * max(size, abs(left[i]))
            if abs(right[i] - left[i]) > least:
                self.jumps[i].append((t_s, left[i], right[i]))


class Run:
    def __init__(self, code, seconds, text, result):
        self.code, self.seconds, self.text, self.result = code, seconds, text, result


def write_files(case, folder):
    """Writes the files that the config names."""
    for name, text in case.get("files", {}).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


class Bench:
    """Runs the program on cases, with the options of the command line."""

    def __init__(self, given):
        self.given = given

    def run(self, case, folder, signals, options, has_clock=False, name="run", n_fine=1):
        config, path = os.path.join(folder, name + ".toml"), os.path.join(folder, name + ".csv")
        with open(config, "w", encoding="utf-8") as file:
            file.write(toml_of(case, self.given.plugin, has_clock))
        write_files(case, folder)
        command = [self.given.wrsim, config, "-q", "-o", path, *runs.defined(["scheduler.workers=1", *options])]
        begin = time.monotonic()
        try:
            done = limited.run(command, self.given.timeout, cwd=folder, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return Run(None, time.monotonic() - begin, "", None)
        seconds = time.monotonic() - begin
        result = None
        if done.returncode == 0 and signals:
            result = Result(path, signals, n_fine, case.get("time_scale", 1.0))
        text = done.stderr.strip()
        gave_up = done.returncode == 0 and STARTS_AGAIN in text and not case.get("gives_up", False)
        return Run(EXIT_CONTRACT if gave_up else done.returncode, seconds, text, result)

    def references(self, case, folder, signals):
        """Returns the results of the two references and of the two with changed numbers; after a failure None and the reason."""
        scale = case.get("time_scale", 1.0)
        step_s = reference_step(case)
        long = families.truth_of(case)
        long["groups"] = []
        long["stop_s"] = case["stop_s"] + 2.0 * case["step_s"]
        long["settings"] = {}
        runs = []
        one, other = case.get("reference_solvers", ("dopri54", "rk43"))
        for name, solver, rtol, share, sign in (("first", one, 1e-11, 1.0, 0),
                                                ("second", other, 1e-10, 0.7, 0),
                                                ("up", one, 1e-10, 1.0, 1),
                                                ("down", one, 1e-10, 1.0, -1)):
            moved = move(long, sign * MOVE * case["rtol"]) if sign else dict(long)
            n_fine = FINE if name == "first" else 1     # the first reference defines the ranges of signals
            moved["step_s"] = case["step_s"] / n_fine
            run = self.run(moved, folder, signals,
                           ["--monolithic", f"simulation.rtol={rtol}", f"solver.kind={solver}",
                            f"solver.step={scale * share * step_s}",
                            f"simulation.event_tolerance={1e-12 * scale}"],
                           has_clock=True, name=name, n_fine=n_fine)
            if not run.result:
                return None, f"reference {name}: {run.text[:200] or run.code}"
            runs.append(run.result)
        return runs, ""


def reference_step(case):
    """Returns the step of the references, s: 1 to 5 ms by the largest frequency, and at most a tenth of a declared pulse."""
    fastest = 5.0
    for part in case["components"]:
        p = part["parameters"]
        fastest = max(fastest, abs(p.get("w", 0.0)), 6.3 * abs(p.get("frequency", 0.0)))
    if any(part["kind"] == "wobble" for part in case["components"]):
        fastest *= 3.0
    step_s = min(max(0.15 / fastest, 1e-3), 5e-3)
    return min([step_s] + [0.1 * p["width"] for p in (part["parameters"] for part in case["components"])
                           if "declared" in p])


def move(case, by):
    """Returns the case with small random changes of numbers of its models."""
    rng = random.Random(f"move {case['seed']}")
    moved = copy.deepcopy(case)
    for part in moved["components"]:
        for name, value in part["parameters"].items():
            share = by * rng.uniform(0.5, 1.0) * rng.choice([-1.0, 1.0])
            if name in STARTS:
                part["parameters"][name] = value + share * max(abs(value), 1.0)
            elif name in RATES:     # the phase at the end changes by at most share
                part["parameters"][name] = value * (1.0 + share / (1.0 + value * case["stop_s"]))
            elif name in SLOPES:
                part["parameters"][name] = value * (1.0 + 0.1 * share)
            elif name in NUMBERS:
                part["parameters"][name] = value * (1.0 + share)
    if by and case.get("moves_inputs", True):
        move_inputs(moved, by)
    return moved


def move_inputs(case, by):
    """Scales each input of the models that are not shipped, each by another random factor."""
    rng = random.Random(f"move inputs {case['seed']}")
    for part in case["components"]:
        if MODELS[part["kind"]].shipped:
            continue
        for i in range(len(MODELS[part["kind"]].inputs)):
            scale = part["parameters"].get(f"su{i}", 1.0)
            share = by * rng.uniform(0.5, 1.0) * rng.choice([-1.0, 1.0])
            part["parameters"][f"su{i}"] = scale * (1.0 + share)


# ---- Comparing


def distance(reference, i, t_s, index, value, wait):
    """Returns the distance of a value from the reference, whose jumps may be early or late by `wait`."""
    low = high = reference.columns[i][index]
    jumps = reference.jumps[i]
    k = bisect.bisect_left(jumps, (t_s - wait.longest,))
    while k < len(jumps) and jumps[k][0] <= t_s + wait.longest:
        if abs(jumps[k][0] - t_s) <= wait.of(i, k):
            low, high = min(low, *jumps[k][1:]), max(high, *jumps[k][1:])
        k += 1
    return max(low - value, value - high, 0.0) if value == value else math.inf


class Wait:
    """The time by which each jump may be early or late. If `moved`, the reference with changed numbers, jumps at the same time, the
    wait of the jump is 0."""

    def __init__(self, reference, moved, state_s):
        self.longest = state_s + 1e-12
        self.known = []
        for i, jumps in enumerate(reference.jumps):
            times = [j[0] for j in moved.jumps[i]]
            self.known.append([0.0 if near(times, t[0]) <= 1e-12 * max(1.0, t[0]) else state_s
                               for t in jumps])

    def of(self, i, k):
        return self.known[i][k]

    def at_least(self, wait_s):
        """Allows each jump to be early or late by wait_s."""
        self.longest = max(self.longest, wait_s)
        self.known = [[max(known, wait_s) for known in row] for row in self.known]


def near(times, t_s):
    """Returns the distance of t_s from the nearest of the times."""
    k = bisect.bisect_left(times, t_s)
    return min((abs(t - t_s) for t in times[max(k - 1, 0):k + 1]), default=math.inf)


def errors(reference, result, scale, wait, n_point, share=1.0):
    """Returns the largest difference of each signal, relative to its scale. With a share below 1: the difference that this share
    of the points does not exceed."""
    worst = []
    for i, column in enumerate(result.columns):
        found = [distance(reference, i, reference.time[k], k, column[k], wait)
                 for k in range(n_point)]
        at = max(found) if share == 1.0 else sorted(found)[int(share * (n_point - 1))]
        worst.append(at / scale[i])
    return worst


def scales(reference, signals):
    """Returns the range of each signal, or a share of its largest value or of its size if this share is larger."""
    return [max(most - least, 0.02 * max(most, -least), 0.01 * size)
            for (_, size, _), least, most in zip(signals.rows, reference.least, reference.most)]


class Truth:
    """The references of a case, the scales of its signals, and the signals without a reliable reference."""

    def __init__(self, case, runs, signals):
        self.signals = signals
        first, second, up, down = runs
        self.reference, self.reason = first, ""
        self.n_point = 1 + round(case["stop_s"] / case["step_s"])
        n_least = min(len(r.time) for r in runs)
        self.n_point = min(self.n_point, n_least)
        self.scale = scales(first, signals)
        rtol, stop_s = case["rtol"], case["stop_s"]
        self.shift_s = 0.0
        self.is_left_out = [False] * len(signals.rows)    # True: the signal is ill-conditioned
        self.is_each = case.get("aside") == "signal"
        for i, (name, _, is_exact) in enumerate(signals.rows):
            if is_exact:
                self.check_exact(i, name, runs, case)
        self.up, self.wait_s = up, max(WAIT * rtol * stop_s, WRONG_MOVED * self.shift_s)
        self.longest_wait_s = min(LOST, LOST_RTOL * rtol) * stop_s if "family" in case else math.inf
        self.wait = Wait(first, up, self.wait_s)
        exactly = Wait(first, up, 1e-6 * stop_s)
        moved = Wait(first, up, 1.5 * self.shift_s + WAIT * rtol * stop_s)
        apart = errors(first, second, self.scale, exactly, self.n_point)
        self.moved = [max(a, b) for a, b in zip(errors(first, up, self.scale, moved, self.n_point),
                                                errors(first, down, self.scale, moved,
                                                       self.n_point))]
        # A shifted short pulse has large differences at few points. Differences at few points do not exclude a case.
        mostly = [max(a, b) for a, b in zip(errors(first, up, self.scale, moved, self.n_point, 0.8),
                                            errors(first, down, self.scale, moved, self.n_point,
                                                   0.8))]
        for i, (name, _, is_exact) in enumerate(signals.rows):
            if not apart[i] <= (1e-3 if is_exact else WRONG_RTOL * rtol / REFERENCE_SHARE):
                self.leave_out(i, f"{name}: references differ by {apart[i]:.2g}")
            if not mostly[i] <= min(WORST_CONDITION * MOVE * rtol, 0.5):
                self.leave_out(i, f"{name}: moved by {mostly[i]:.2g}")
        if self.is_each and 2 * sum(self.is_left_out) > len(self.is_left_out):
            self.reason = "most signals are ill-conditioned"

    def leave_out(self, i, why):
        self.is_left_out[i] = True
        if not self.is_each:
            self.reason = self.reason or why

    def check_exact(self, i, name, runs, case):
        """Requires equal jumps of a count or discrete value in all references, and stores the largest shift of their times."""
        jumps = [r.jumps[i] for r in runs]
        end_s = case["stop_s"] + case["step_s"]
        n = max(sum(j[0] <= end_s for j in row) for row in jumps)
        for row in jumps:
            if len(row) < n or any(abs(a[2] - b[2]) > 1e-6 * abs(b[2]) + 1e-300
                                   for a, b in zip(row[:n], jumps[0][:n])):
                self.leave_out(i, f"{name}: references count differently")
                return
        for row in jumps[2:]:
            for a, b in zip(row[:n], jumps[0][:n]):
                self.shift_s = max(self.shift_s, abs(a[0] - b[0]))

    def allow_shift(self, result, stop_s):
        """Raises the allowed shift of events to WRONG_TWIN times the shift in a monolithic run; in families up to a bound."""
        for i, (_, _, is_exact) in enumerate(self.signals.rows):
            if is_exact:
                for a, b in zip(self.reference.jumps[i], result.jumps[i]):
                    if a[2] == b[2] and abs(a[0] - b[0]) < 0.01 * stop_s:
                        self.wait_s = max(self.wait_s, min(WRONG_TWIN * abs(a[0] - b[0]), self.longest_wait_s))
        self.wait = Wait(self.reference, self.up, self.wait_s)

    def errors(self, result):
        return errors(self.reference, result, self.scale, self.wait, self.n_point)

    def is_miscounted(self, i, error):
        _, size, is_exact = self.signals.rows[i]
        return is_exact and not error * self.scale[i] <= 1e-6 * size

    def judge(self, case, result, twin_errors):
        """Returns the worst signal, and the name of a signal with the outcome "both", or "". The worst signal is (ratio, name, error,
        error of the monolithic run). The ratio is the error over the allowed error. For counts and flags the ratio is 0 or infinite."""
        worst, both = (0.0, "", 0.0, 0.0), ""
        for i, error in enumerate(self.errors(result)):
            name, _, is_exact = self.signals.rows[i]
            ratio = 0.0
            if self.is_left_out[i] or self.wait_s > PULSE_SHARE * self.signals.pulse_s.get(i, math.inf):
                continue    # communication points hit a short pulse by chance
            if self.is_miscounted(i, error):
                if self.is_miscounted(i, twin_errors[i]):
                    both = both or name
                else:
                    ratio = math.inf
            elif not is_exact:
                if "family" in case and error > max(LOST, LOST_RTOL * case["rtol"], self.moved[i]):
                    both = both or name
                ratio = error / max(WRONG_RTOL * case["rtol"], WRONG_MOVED * self.moved[i],
                                    WRONG_TWIN * twin_errors[i])
            worst = max(worst, (ratio, name, error, twin_errors[i]))
        return worst, both


def examine(bench, case):
    """Runs a case. Returns a dict of outcome, reason and numbers."""
    if case.get("family") in families.JUDGES:
        return families.JUDGES[case["family"]](bench, case)
    signals = Signals(case)
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        runs, reason = bench.references(case, folder, signals)
        if not runs:
            return {"outcome": "aside", "why": reason}
        truth = Truth(case, runs, signals)
        if truth.reason:
            return {"outcome": "aside", "why": truth.reason}
        twin_errors, numbers = examine_twins(bench, case, folder, signals, truth)
        split = bench.run(case, folder, signals, ["output.events=false"], name="split")
    numbers["split_s"] = round(split.seconds, 4)
    if split.code is None:
        return {"outcome": "hang", "why": f"more than {split.seconds:.0f} s", **numbers}
    if split.code < 0 or "Sanitizer" in split.text or "runtime error" in split.text or (
            split.code != 0 and not split.text):
        return {"outcome": "crash", "why": f"exit code {split.code}: {split.text[:300]}", **numbers}
    if split.code != 0:
        return {"outcome": "loud", "why": split.text[:300], **numbers}
    (ratio, name, error, twin_error), both = truth.judge(case, split.result, twin_errors)
    numbers["ratio"] = min(ratio, 1e300)
    if ratio > 1.0:
        return {"outcome": "wrong", "why": f"{name}: off by {error:.2g} of its range, monolithic"
                f" {twin_error:.2g}, rtol {case['rtol']:.1g}", **numbers}
    if both:
        return {"outcome": "both", "why": f"{both}: wrong in the monolithic run, too", **numbers}
    return {"outcome": "right", "why": "", **numbers}


def examine_twins(bench, case, folder, signals, truth):
    """Runs the case monolithically with each of its solvers. Returns the largest errors, and numbers."""
    numbers, results = {"twin_s": 0.0}, []
    kinds = {case["settings"].get("solver.kind", "auto")}
    kinds |= {g["solver"] for g in case["groups"] if "solver" in g}
    for kind in sorted(kinds):
        twin = bench.run(case, folder, signals, ["--monolithic", f"solver.kind={kind}"], name="twin")
        numbers["twin_s"] = max(numbers["twin_s"], round(twin.seconds, 4))
        if twin.result:
            results.append(twin.result)
            truth.allow_shift(twin.result, case["stop_s"])
        else:
            numbers["twin_failed"] = twin.text[:200] or f"exit code {twin.code}"
    found = [truth.errors(result) for result in results]
    worst = [max(row) for row in zip(*found)] or [0.0] * len(signals.rows)
    for i, error in enumerate(worst):
        if truth.is_miscounted(i, error):
            numbers["twin_wrong"] = signals.rows[i][0]
    return worst, numbers


def check_workers(bench, case):
    """Compares bytes, counts and error account of runs with one, two and three workers. Returns "" or the difference."""
    first = None
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        for n in (1, 2, 3):
            run = bench.run(case, folder, None, [f"scheduler.workers={n}", "scheduler.min_work=0",
                                                 "output.json=workers.json"], name="workers")
            contents = []
            for name in ("workers.csv", "workers.json"):
                path = pathlib.Path(folder, name)
                contents.append(path.read_bytes() if path.exists() else b"")
                path.unlink(missing_ok=True)
            summary = re.sub(rb"after \S+ s of wall time", b"", contents[1])
            now = (run.code, contents[0], json.loads(summary or "{}"))
            first = first or now
            if now[:2] != first[:2]:
                return f"{n} workers differ from one"
            differ = differences(first[2], now[2])
            if differ:
                return f"{n} workers count differently from one: {differ[0]}"
    return ""


# ---- Shrinking


def without_component(case, name):
    less = copy.deepcopy(case)
    less["components"] = [c for c in less["components"] if c["name"] != name]
    less["wires"] = [w for w in less["wires"] if name not in (w[0], w[2])]
    for group in less["groups"]:
        group["components"] = [c for c in group["components"] if c != name]
    less["groups"] = [g for g in less["groups"] if g["components"]]
    return less


def smaller_cases(case):
    """Yields slightly simpler cases, large simplifications first."""
    for part in case["components"]:
        if len(case["components"]) > 1:
            yield without_component(case, part["name"])
    for i in range(len(case["wires"])):
        less = copy.deepcopy(case)
        del less["wires"][i]
        yield less
    for i in range(len(case["groups"])):
        for k in range(i):
            if len(case["groups"]) > 2:
                less = copy.deepcopy(case)
                less["groups"][k]["components"] += less["groups"].pop(i)["components"]
                yield less
    for i, group in enumerate(case["groups"]):
        if "solver" in group:
            less = copy.deepcopy(case)
            del less["groups"][i]["solver"]
            yield less
    for key in case["settings"]:
        less = copy.deepcopy(case)
        del less["settings"][key]
        yield less
    for share in (0.5, 0.75):
        less = copy.deepcopy(case)
        less["stop_s"] = case["step_s"] * math.ceil(share * case["stop_s"] / case["step_s"])
        if less["stop_s"] < case["stop_s"] and less["stop_s"] > 5.0 * case["step_s"]:
            yield less
    if any(c["size"] != 1.0 for c in case["components"]):
        less = copy.deepcopy(case)
        for part in less["components"]:
            part["size"] = 1.0
            for name in part["parameters"]:
                if name[:2] in ("su", "nu", "sy", "ny") and len(name) <= 3:
                    part["parameters"][name] = 1.0
        yield less
    for i, part in enumerate(case["components"]):
        plain = {k: v for k, v in part["parameters"].items()
                 if not (k == "patterns" and v == 2 or k in ("sy", "ny", "nx") and v == 1.0
                         or k[:2] == "su" and v == 1.0)}
        if plain != part["parameters"]:
            less = copy.deepcopy(case)
            less["components"][i]["parameters"] = plain
            yield less
        for name, value in part["parameters"].items():
            short = float(f"{value:.2g}")
            if short != value and name not in ("period", "offset"):
                less = copy.deepcopy(case)
                less["components"][i]["parameters"][name] = short
                yield less
    short = float(f"{case['rtol']:.0e}")
    if short != case["rtol"]:
        less = copy.deepcopy(case)
        less["rtol"] = short
        yield less


def shrink(bench, case, outcome, longest_s):
    """Simplifies a case as long as its outcome remains. Begins no run after longest_s seconds."""
    end_s, was_smaller = time.monotonic() + longest_s, True
    while was_smaller:
        was_smaller = False
        for less in smaller_cases(case):
            if time.monotonic() > end_s:
                break
            if examine(bench, less)["outcome"] == outcome:
                case, was_smaller = less, True
                break
    return case


# ---- Command line


def draw_of(family, seed):
    case = families.draw(family, seed) if family else draw_case(seed)
    if seed % 3 == 2 and case["settings"].get("relaxation.scheme") in ("jacobi", "gauss_seidel"):
        case["settings"]["relaxation.scheme"] = "auto"
    return case


def examine_seed(bench, which):
    family, seed = which
    begin = time.monotonic()
    case = draw_of(family, seed)
    found = {"seed": seed, **({"family": family} if family else {}), **examine(bench, case)}
    if bench.given.workers_check and found["outcome"] not in ("aside", "hang"):
        why = check_workers(bench, case)
        if why:
            found.update(outcome="workers", why=why)
    found["seconds"] = round(time.monotonic() - begin, 3)
    return found


def keep_failure(bench, found):
    """Simplifies a failing case (not for the outcome "workers"), and writes its config, with the failure as a comment. Returns the path."""
    case, folder = draw_of(found.get("family"), found["seed"]), bench.given.output
    os.makedirs(folder, exist_ok=True)
    if found["outcome"] != "workers" and bench.given.shrink:
        case = shrink(bench, case, found["outcome"], bench.given.shrink)
        again = examine(bench, case)
    else:
        again = found
    write_files(case, folder)
    name = "_".join([found["outcome"], *([found["family"]] if "family" in found else []), str(found["seed"])])
    path = os.path.join(folder, name + ".toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {found.get('family', '')} seed {found['seed']}, {found['outcome']}: {found['why']}\n"
                   f"# As it is here: {again['why']}\n"
                   "# Reference: --monolithic -D simulation.rtol=1e-11 -D solver.kind=dopri54"
                   f" -D solver.step={reference_step(case)}\n\n" + toml_of(case, bench.given.plugin))
    return path


def read_log(path):
    rows = []
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):     # the seed of an incomplete line runs again
                    rows.append(json.loads(line))
    return rows


def print_summary(rows):
    count = {}
    for row in rows:
        count[row["outcome"]] = count.get(row["outcome"], 0) + 1
    n_kept = len(rows) - count.get("aside", 0)
    print(f"{len(rows)} draws, {count.pop('aside', 0)} set aside"
          f" ({100.0 * (1.0 - n_kept / max(len(rows), 1)):.1f} %), {n_kept} kept")
    for outcome in sorted(count):
        print(f"  {outcome:8} {count[outcome]:6}  {100.0 * count[outcome] / max(n_kept, 1):5.1f} %")
    n_twin = sum("twin_wrong" in row for row in rows)
    print(f"  a count of the monolithic run is wrong in {n_twin}, it failed in"
          f" {sum('twin_failed' in row for row in rows)}")


def print_families(rows):
    """Prints a line for each family. The share of loud cases refers to cases with a successful monolithic run. Returns the largest
    share of loud cases."""
    most_loud = 0.0
    print(f"{'family':12} {'cases':>6} {'aside':>6} {'right':>6} {'silent':>6} {'%':>6} {'hang':>5} {'loud':>5} {'%':>6}"
          f" {'monolithic fails':>17}")
    for name in [*dict.fromkeys(row.get("family", "general") for row in rows), "all"]:
        mine = [r for r in rows if name in (r.get("family", "general"), "all")]
        kept = [r for r in mine if r["outcome"] != "aside"]
        ends = [r for r in kept if "twin_failed" not in r]
        n = {o: sum(r["outcome"] == o for r in kept) for o in ("right", "wrong", "both", "hang", "crash", "workers")}
        most_loud = max(most_loud, sum(r["outcome"] == "loud" for r in ends) / max(len(ends), 1))
        n_silent, n_loud = n["wrong"] + n["both"] + n["workers"], sum(r["outcome"] == "loud" for r in ends)
        print(f"{name:12} {len(mine):6} {len(mine) - len(kept):6} {n['right']:6} {n_silent:6}"
              f" {100.0 * n_silent / max(len(kept), 1):6.2f} {n['hang'] + n['crash']:5} {n_loud:5}"
              f" {100.0 * n_loud / max(len(ends), 1):6.2f} {len(kept) - len(ends):17}")
    return most_loud


def run_seeds(bench, seeds, log):
    """Yields the result of each seed in order, and runs several seeds at once."""
    with concurrent.futures.ThreadPoolExecutor(bench.given.jobs) as pool:
        for found in pool.map(lambda seed: examine_seed(bench, seed), seeds):
            if log:
                log.write(json.dumps(found) + "\n")
                log.flush()
            yield found


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("--wrsim", type=os.path.abspath, required=True)
    parser.add_argument("--plugin", type=os.path.abspath, required=True)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=100, help="number of seeds")
    parser.add_argument("--seeds", type=lambda text: [int(seed) for seed in text.split(",")],
                        metavar="A,B,...", help="these instead")
    parser.add_argument("--family", action="append", choices=[*families.DRAWS, "all"],
                        help="cases of families.py instead, each with these seeds; may be repeated")
    parser.add_argument("--most-loud", type=float, default=1.0, metavar="SHARE",
                        help="of a family's cases whose monolithic runs end well: more is a failure")
    parser.add_argument("--seed", type=int, help="this one alone, with all that is known of it")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    parser.add_argument("--resume", help="log, one JSON object per line: seeds in it are not run again")
    parser.add_argument("--output", default="adversary", help="folder of failing cases")
    parser.add_argument("--timeout", type=float, default=20.0, help="of a run, in s of CPU time")
    parser.add_argument("--workers-check", action="store_true",
                        help="run with 1, 2 and 3 workers, too: same bytes")
    parser.add_argument("--shrink", type=float, default=60.0, metavar="S",
                        help="longest time to make a failing case simpler, in s; 0 leaves it as drawn")
    parser.add_argument("--keep", type=int, default=10, metavar="N",
                        help="make configs of the first N failing cases")
    given = parser.parse_args()
    bench = Bench(given)
    names = given.family or [None]
    names = list(families.DRAWS) if "all" in names else names
    if given.seed is not None:
        print(toml_of(draw_of(names[0], given.seed), given.plugin))
        seeds, rows = [(names[0], given.seed)], []
    else:
        wanted = [(name, seed) for seed in given.seeds or range(given.first, given.first + given.count) for name in names]
        rows = [r for r in read_log(given.resume) if (r.get("family"), r["seed"]) in set(wanted)]
        done = {(r.get("family"), r["seed"]) for r in rows}
        seeds = [s for s in wanted if s not in done]
    log = open(given.resume, "a", encoding="utf-8") if given.resume and given.seed is None else None
    n_failed = 0
    try:
        for found in run_seeds(bench, seeds, log):
            rows.append(found)
            if given.seed is not None:
                print(json.dumps(found, indent=1))
            if found["outcome"] in FAILED:
                print(f"{(found.get('family', '') + ' seed').lstrip()} {found['seed']}: {found['outcome']}: {found['why']}",
                      flush=True)
                n_failed += 1
                if n_failed <= given.keep:
                    print(f"  kept as {keep_failure(bench, found)}", flush=True)
    finally:
        if log:
            log.close()
    print_summary(rows)
    is_bad = any(row["outcome"] in FAILED for row in rows)
    if any("family" in row for row in rows):
        is_bad |= print_families(rows) > given.most_loud
        is_bad |= families.print_accounts(rows)
    return int(is_bad)


import families  # pylint: disable=wrong-import-position  # adds its models to MODELS

if __name__ == "__main__":
    import adversary    # the module that families.py imports, which is not __main__
    sys.exit(adversary.main())
