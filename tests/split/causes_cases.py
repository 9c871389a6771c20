"""Latches with feedback at one instant, alone and with a toggle, and pairs of beads in which both beads find each contact.

Exact results: closed forms of the latches; Taylor series and bisection for the beads (tests/adversary/beads.py).
"""
import bisect
import functools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../adversary"))
import beads
from case_table import PI, Case, at
from feedback_cases import sine


def latch(name, about, omega, threshold, holds, toggles):
    """A sine x sets a latch y when x + `holds` y rises through the threshold, and resets y when -x - 0.3 y rises through the threshold.
    With a toggle z, which changes when the latch switches on, `holds` z replaces `holds` y. The latch also counts sets that come while
    the latch is on."""
    stop, turn = 3.0, 2 * PI / omega

    def rises(level):
        """Returns the times at which x rises through a level."""
        return [math.asin(level) / omega + k * turn for k in range(int((stop + 1.0) / turn) + 1)]

    def falls(level):
        return [(PI - math.asin(level)) / omega + k * turn for k in range(int((stop + 1.0) / turn) + 1)]

    resets, first = falls(-threshold - 0.3), rises(threshold)
    if toggles:
        # ons: times of sets while the latch is off, in turn with z = 0 and z = 1. At z = 1 the jump of z lowers the input below the
        # threshold. Later x sets the latch again while it is on.
        low = rises(threshold - holds)
        ons = [low[k] if k % 2 else first[k] for k in range(len(first))]
        sets = sorted(ons + first[1::2])
    else:
        ons = first
        sets = sorted(first + (rises(threshold - holds) if holds < 0.0 else []))

    def exact(t):
        n_on, n_reset = bisect.bisect_right(ons, t), bisect.bisect_right(resets, t)
        shown = {"latch.y": n_on - n_reset, "latch.n_set": bisect.bisect_right(sets, t), "latch.n_reset": n_reset,
                 "osc.x": math.sin(omega * t)}
        return {**shown, "odd.y": n_on % 2, "odd.rises": n_on} if toggles else shown

    lifter = "odd.y" if toggles else "latch.y"
    components = [sine("osc", omega), at("lift", "split.map", k1=1.0, k2=holds), at("lower", "split.map", k1=-1.0, k2=-0.3),
                  at("latch", "split.latch", threshold=threshold)]
    connections = [("osc.x", "lift.u1"), (lifter, "lift.u2"), ("lift.y", "latch.s"), ("osc.x", "lower.u1"),
                   ("latch.y", "lower.u2"), ("lower.y", "latch.r")]
    signals = {"latch.y": "n", "latch.n_set": "n", "latch.n_reset": "n", "osc.x": "c"}
    if toggles:
        components.append(at("odd", "split.parity", threshold=0.5, low=0.0, high=1.0))
        connections.append(("latch.y", "odd.u"))
        signals.update({"odd.y": "n", "odd.rises": "n"})
    return Case(name, about, components, connections, [[component[0]] for component in components], signals, stop=stop,
                step=0.05, exact=exact, timing=1.0, divide=16)


def bead_pair(name, omegas, masses, starts, gap):
    """Two pendulum beads that collide elastically when their angles differ by the gap."""
    stop, step = 3.0, 0.05
    bodies = [{"w": omega, "rest": -i * gap, "x0": start - i * gap, "x1": 0.0, "m": mass, "pendulum": True}
              for i, (omega, mass, start) in enumerate(zip(omegas, masses, starts))]

    @functools.cache
    def flights():
        solution = beads.Solution({"bodies": bodies, "e": 1.0, "step_s": step, "stop_s": stop + 0.1})
        return [flight[0] for flight in solution.flights], solution.flights

    def exact(t):
        begins, all_flights = flights()
        begin, series, count = all_flights[bisect.bisect_right(begins, t) - 1]
        shown = {}
        for i, body in enumerate(bodies):
            shown["b%d.theta" % i] = beads.value(series[i], t - begin) - body["rest"]
            shown["b%d.w" % i] = beads.slope(series[i], t - begin)
            shown["b%d.n" % i] = count[i]
        return shown
    components = [at("b0", "split.bead", {"theta": starts[0]}, omega=omegas[0], mass=masses[0], mass_right=masses[1], gap=gap),
                  at("b1", "split.bead", {"theta": starts[1]}, omega=omegas[1], mass=masses[1], mass_left=masses[0], gap=gap)]
    connections = [("b0.theta", "b1.theta_left"), ("b0.w", "b1.w_left"), ("b1.theta", "b0.theta_right"), ("b1.w", "b0.w_right")]
    kinds = (("theta", "c"), ("w", "j"), ("n", "n"))
    return Case(name, "two pendulum beads, each of which finds their elastic contacts", components, connections, [["b0"], ["b1"]],
                {"b%d.%s" % (i, part): kind for i in (0, 1) for part, kind in kinds}, stop=stop, step=step, exact=exact,
                timing=2.0, divide=16)


def watched_pair():
    """A comparator beside each bead reads the sum of both speeds. The true sum never passes the thresholds. If a comparator reads one speed
    from before a contact and the other speed from after the contact, the sum of these speeds passes a threshold."""
    case = bead_pair("bead_pair_watched", (3.1, 3.6), (1.0, 0.6), (-0.5, 0.6), 0.1)
    pair = case.exact
    highest = 1.3 * max(abs(pair(0.001 * k)["b0.w"] + pair(0.001 * k)["b1.w"]) for k in range(int(1000 * case.stop)))
    case.about = "two pendulum beads, and comparators that read both speeds"
    for name, threshold, group in (("above", highest, 0), ("below", -highest, 1)):
        case.components.append(at(name, "split.comparator", threshold=threshold))
        case.connections += [("b0.w", name + ".u"), ("b1.w", name + ".back")]
        case.groups[group].append(name)
        case.signals.update({name + ".rises": "n", name + ".falls": "n"})
    case.exact = lambda t: {**pair(t), "above.rises": 0, "above.falls": 0, "below.rises": 0, "below.falls": 0}
    return case


def cases():
    return [
        latch("latch_held", "a latch whose output holds its input up", 2 * PI * 1.3, 0.5, 0.6, False),
        latch("latch_lowered", "a latch whose output lowers its input", 2 * PI * 0.9, 0.2, -0.5, False),
        latch("latch_toggle", "a latch that a toggle sets again at the same instant", 2 * PI * 1.7, 0.5, 0.4, True),
        bead_pair("bead_pair", (3.1, 3.6), (1.0, 0.6), (-0.5, 0.6), 0.1),
        bead_pair("bead_pair_heavy", (4.2, 2.9), (0.7, 1.9), (-0.3, 0.7), 0.0),
        watched_pair(),
    ]
