"""Equations that depend on time: smooth pulses that last a tenth of the communication step or longer, and shorter pulses
whose length the model declares, or whose beginning it announces."""
import dataclasses
import math

from case_table import Case, at, integrator

STEP = 0.1      # s between communication points
LEVEL = 0.05    # level at which pulses are counted, as a share of their height
OMEGA = 20.0    # 1/s, of an oscillator that keeps the steps of a monolithic run short
# Positive nodes of Gauss's formula with 8 points on [-1, 1], and their weights.
GAUSS = [(0.1834346424956498, 0.3626837833783620), (0.5255324099163290, 0.3137066458778873),
         (0.7966664774136267, 0.2223810344533745), (0.9602898564975363, 0.1012285362903763)]


def integral(f, low, high, n_part):
    width = (high - low) / n_part
    return sum(0.5 * width * weight * (f(middle - 0.5 * width * node) + f(middle + 0.5 * width * node))
               for middle in (low + (i + 0.5) * width for i in range(n_part)) for node, weight in GAUSS)


class Pulses:
    """The pulses of time_models.c."""

    def __init__(self, center=0.3137, length=STEP / 10, period=0.71, k=2, area=1.0):
        self.center, self.half, self.period, self.k = center, length / 2, period, k
        self.size = area / (self.half * self.moment(1.0))

    def moment(self, z):
        """Returns the integral of (1 - z^2)^k from -1 to z."""
        return sum(math.comb(self.k, i) * (-1) ** i * (z ** (2 * i + 1) + 1) / (2 * i + 1)
                   for i in range(self.k + 1))

    def above(self):
        """Returns the share of a pulse's length in which the pulse is above the level."""
        return math.sqrt(1 - LEVEL ** (1 / self.k))

    def centers(self, t):
        """Yields the centers of the pulses that begin before t."""
        n = 0
        while self.center + n * self.period - self.half < t and (self.period > 0 or n == 0):
            yield self.center + n * self.period
            n += 1

    def area(self, t):
        """Returns the integral from 0 to t."""
        return sum(self.size * self.half * self.moment(min((t - c) / self.half, 1.0)) for c in self.centers(t))

    def weighted(self, weight, t, n_part=4):
        """Returns the integral of weight(s) times the pulse from 0 to t, for a smooth weight."""
        def f(c, s):
            return self.size * max(1 - ((s - c) / self.half) ** 2, 0.0) ** self.k * weight(s)
        return sum(integral(lambda s, c=c: f(c, s), c - self.half, min(c + self.half, t), n_part)
                   for c in self.centers(t))

    def count(self, t):
        """Returns how often the pulses rise above and fall below the level until t."""
        z = self.half * self.above()
        centers = list(self.centers(t + self.half))
        return sum(t >= c - z for c in centers), sum(t >= c + z for c in centers)

    def parameters(self, **more):
        return dict(center=self.center, half=self.half, period=self.period, k=float(self.k), size=self.size, **more)


def oscillator():
    return at("osc", "split.oscillator", omega=OMEGA)


def driven(name, about, pulses, exact, start=None, stop=3.05, **parameters):
    """Returns a case of a driven state, an integrator of this state, and an oscillator that drives the state (weight b or c_u)."""
    return Case(name, about,
                [oscillator(), at("pulse", "split.time_driven", start, **pulses.parameters(**parameters)),
                 integrator("read", b=1.0)],
                [("osc.x", "pulse.u"), ("pulse.x", "read.u")], [["osc"], ["pulse"], ["read"]],
                {"osc.x": "c", "pulse.x": "c"}, stop=stop, step=STEP,
                exact=lambda t: {"osc.x": math.cos(OMEGA * t), "pulse.x": exact(t)}, divide=8, agree=3e-8)


def plain(name, about, pulses, x=0.0, **parameters):
    return driven(name, about, pulses, lambda t: x + pulses.area(t), {"x": x}, **parameters)


def by_state():
    pulses = Pulses(length=0.013, k=3, area=0.3)
    return driven("time_by_state", "x' = pulse(t) x", pulses, lambda t: math.exp(pulses.area(t)), {"x": 1.0},
                  c=0.0, c_x=1.0)


def by_input():
    pulses = Pulses(center=0.052, length=0.011, k=4)
    return driven("time_by_input", "x' = pulse(t) u, u an oscillation", pulses,
                  lambda t: pulses.weighted(lambda s: math.cos(OMEGA * s), t), c=0.0, c_u=1.0)


def lag(name, rate, **pulse):
    pulses = Pulses(**pulse)
    return driven(name, "x' = -%g x + pulse(t)" % rate, pulses,
                  lambda t: math.exp(-rate * t) + pulses.weighted(
                      lambda s: math.exp(rate * (s - t)), t, math.ceil(4 + rate * pulses.half)), {"x": 1.0}, a=-rate)


def gate(name, pulses, groups, **parameters):
    def exact(t):
        rises, falls = pulses.count(t)
        return {"int.x": pulses.area(t), "gate.rises": rises, "gate.falls": falls, "count.rises": rises,
                "count.falls": falls, "osc.x": math.cos(OMEGA * t)}
    return Case(name, "pulses of an output without states, integrated and counted",
                [at("gate", "split.time_gate", **pulses.parameters(**parameters)), integrator(),
                 at("count", "split.counter", threshold=LEVEL * pulses.size), oscillator()],
                [("gate.y", "int.u"), ("gate.y", "count.u")], groups,
                {"int.x": "c", "gate.rises": "n", "gate.falls": "n", "count.rises": "n", "count.falls": "n",
                 "osc.x": "c"}, stop=3.05, step=STEP, exact=exact, timing=pulses.half, hair_max=0.2 * pulses.half,
                divide=8)


def cases():
    apart = [["gate"], ["int"], ["count"], ["osc"]]
    return [
        plain("time_shortest", "x' = pulse(t), pulses of a tenth of a communication step", Pulses()),
        plain("time_longer", "the same, longer and flatter", Pulses(center=0.41, length=0.037, period=0.0, k=5)),
        dataclasses.replace(plain("time_small", "a pulse of a thousandth of the state", Pulses(area=1e-3, period=1.3), x=1.0),
                            ranges={"pulse.x": 1.0}),
        plain("time_declared", "pulses of a thousandth of a communication step, declared",
              Pulses(length=STEP / 1000), declares=1.0),
        plain("time_announced", "pulses of a thousandth of a communication step whose beginning is a time event",
              Pulses(length=STEP / 1000, period=0.713), announces=1.0),
        by_state(), by_input(), lag("time_lag", 3.0, length=0.012), lag("time_stiff", 1e3, length=0.0107, k=3),
        gate("time_gate", Pulses(length=STEP / 10 / Pulses().above()), apart),
        gate("time_gate_declared", Pulses(length=STEP / 200, k=3), [["gate", "osc"], ["int", "count"]], declares=1.0),
    ]
