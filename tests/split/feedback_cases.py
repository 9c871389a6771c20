"""Loops of events: switches with feedback through other subsystems at the same instant.

A Switch reads one sine and outputs of switches, which are constant between events. So at the first round of an instant a sine crosses a
known value. Instants computes all events one by one, with the rounds of each instant.
"""
import bisect
import math

from case_table import PI, Case, at, ticks

RISES, FALLS = 1, -1


class Switch:
    """Indicator: sin(omega t + phase) + sum of weights x outputs - threshold. Output: low or high."""

    def __init__(self, name, kind, omega, phase, threshold, weights, low=-1.0, high=1.0):
        self.name, self.kind, self.omega, self.phase = name, kind, omega, phase
        self.threshold, self.weights, self.low, self.high = threshold, weights, low, high

    def next_crossing(self, t, offset):
        """Returns (time, way) of the first crossing after t, if the constant terms of the indicator sum to offset."""
        if abs(offset) >= 1.0:
            return math.inf, 0
        rise = math.asin(-offset)
        found = []
        for angle, way in ((rise, RISES), (PI - rise, FALLS)):
            turns = math.floor((self.omega * t + self.phase - angle) / (2 * PI) + 1e-12) + 1
            found.append(((angle + 2 * PI * turns - self.phase) / self.omega, way))
        return min(found)


class Instants:
    """All instants up to the end: times, and outputs and counts of every switch after each instant."""

    def __init__(self, switches, stop):
        on = {s.name: False for s in switches}
        count = {s.name: [0, 0] for s in switches}
        self.times, self.shown = [-1.0], [self.show(switches, on, count)]
        t = 0.0
        while True:
            offset = {s.name: self.offset(s, switches, on) for s in switches}
            crossing = {s.name: s.next_crossing(t, offset[s.name]) for s in switches}
            t = min(time for time, _ in crossing.values())
            if t > stop:
                return
            fired = {name: way for name, (time, way) in crossing.items() if time <= t + 1e-12}
            # Values and sides of indicators before the first round of the instant. The value of an indicator that fires is 0.
            level = {s.name: 0.0 if s.name in fired else math.sin(s.omega * t + s.phase) + offset[s.name] for s in switches}
            side = {name: fired.get(name) or (RISES if value > 0 else FALLS) for name, value in level.items()}
            while fired:
                for s in switches:
                    way = fired.get(s.name, 0)
                    if s.kind == "parity":
                        if way == RISES:
                            count[s.name][0] += 1
                            on[s.name] = not on[s.name]
                    elif way:
                        on[s.name] = way == RISES
                        count[s.name][0 if way == RISES else 1] += 1
                fired = {}
                for s in switches:
                    jump = self.offset(s, switches, on) - offset[s.name]
                    now = level[s.name] + jump
                    way = side[s.name] if abs(now) < 1e-9 else RISES if now > 0 else FALLS
                    if way != side[s.name]:
                        fired[s.name] = side[s.name] = way
            self.times.append(t)
            self.shown.append(self.show(switches, on, count))

    def offset(self, switch, switches, on):
        outputs = {s.name: s.high if on[s.name] else s.low for s in switches}
        return sum(weight * outputs[name] for name, weight in switch.weights.items()) - switch.threshold

    def show(self, switches, on, count):
        shown = {}
        for s in switches:
            shown[s.name + ".y"] = s.high if on[s.name] else s.low
            shown[s.name + ".rises"] = count[s.name][0]
            if s.kind == "comparator":
                shown[s.name + ".falls"] = count[s.name][1]
        return shown

    def __call__(self, t):
        return self.shown[bisect.bisect_right(self.times, t) - 1]


def sine(name, omega, phase=0.0):
    return at(name, "split.oscillator", {"x": math.sin(phase), "v": omega * math.cos(phase)}, omega=omega)


def case_of(name, about, switches, sources, dividers=None, stop=3.0):
    """Returns a case of switches. sources: the sine that each switch reads. dividers: factors of maps between an output and its reader.
    Weights contain these factors."""
    dividers = dividers or {}
    instants = Instants(switches, stop + 1.0)
    waves = {}
    for s in switches:
        waves[sources[s.name]] = (s.omega, s.phase)
    components = [sine(wave, *values) for wave, values in waves.items()]
    connections = []
    signals = {}
    for s in switches:
        components.append(at(s.name, "split." + s.kind, threshold=s.threshold, low=s.low, high=s.high))
        connections.append((sources[s.name] + ".x", s.name + ".u"))
        for other in s.weights:
            if other in dividers:
                components.append(at("div_" + other, "split.map", k1=dividers[other]))
                connections += [(other + ".y", "div_%s.u1" % other), ("div_%s.y" % other, s.name + ".back")]
            else:
                connections.append((other + ".y", s.name + ".back"))
        signals.update({s.name + part: "n" for part in ((".y", ".rises", ".falls") if s.kind == "comparator"
                                                        else (".y", ".rises"))})
    signals.update({wave + ".x": "c" for wave in waves})

    def exact(t):
        return {**instants(t), **{wave + ".x": math.sin(omega * t + phase) for wave, (omega, phase) in waves.items()}}
    return Case(name, about, components, connections, [[component[0]] for component in components], signals, stop=stop,
                step=0.05, exact=exact, timing=1.0, divide=16)


def timed(name, about, switches, stop=3.0):
    """Returns a case without states: each switch shares a subsystem with its sine of time."""
    case = case_of(name, about, switches, {s.name: "of_" + s.name for s in switches}, stop=stop)
    instants = Instants(switches, stop + 1.0)
    apart = [component for component in case.components if not component[0].startswith("of_")]
    case.components = apart + [at("of_" + s.name, "signal.sine", frequency=s.omega / (2 * PI), phase=s.phase) for s in switches]
    case.connections = [(source.replace(".x", ".y"), reader) for source, reader in case.connections]
    case.groups = [["of_" + s.name, s.name] for s in switches]
    case.signals = {signal: kind for signal, kind in case.signals.items() if not signal.startswith("of_")}
    case.exact = instants
    return case


def zone_counters():
    """Jumps cross a dead zone. The branch before a jump would give values that no comparator may count."""
    high, low = 0.94, -0.47         # inputs of the dead zone, in turn
    over, under = 0.40, -0.33       # limits of the dead zone

    def exact(t):
        u = high if ticks(t, 0.3) % 2 else low
        rises = (ticks(t, 0.3) + 1) // 2
        return {"zone.y": u - over if u > over else u - under, "far.rises": 0, "near.rises": rises, "below.rises": 0,
                "near.falls": ticks(t, 0.3) // 2, "far.falls": 0}
    return Case("zone_counters", "jumps through a dead zone whose old branch would cross thresholds",
                [at("tick", "split.tick", period=0.3, modulus=2.0), at("map", "split.map", k1=high - low, offset=low),
                 at("zone", "split.dead_zone", low=under, high=over), at("far", "split.comparator", threshold=0.9),
                 at("near", "split.comparator", threshold=0.2), at("below", "split.parity", threshold=-0.3)],
                [("tick.y", "map.u1"), ("map.y", "zone.u"), ("zone.y", "far.u"), ("zone.y", "near.u"), ("zone.y", "below.u")],
                [["tick"], ["map"], ["zone"], ["far"], ["near"], ["below"]],
                {"zone.y": "d", "far.rises": "d", "far.falls": "d", "near.rises": "d", "near.falls": "d", "below.rises": "d"},
                stop=3.1, exact=exact)


def sampled_at_start():
    """The initial event of a sampler lifts two comparators in one round. One comparator reads the sample directly, the other through a
    dead zone. The dead zone changes its branch after the input of the first comparator has risen."""
    value, over = 0.94, 0.40
    names = ("direct", "behind")
    return Case("sampled_at_start", "a sample at the start lifts two comparators, one of them through a dead zone",
                [at("source", "signal.constant", value=value), at("hold", "signal.sampler", period=0.3),
                 at("zone", "split.dead_zone", low=-over, high=over)] +
                [at(name, "split.comparator", threshold=0.3) for name in names],
                [("source.y", "hold.u"), ("hold.y", "zone.u"), ("hold.y", "direct.u"), ("zone.y", "behind.u")],
                [["source"], ["hold"], ["zone"], list(names)], {name + part: "d" for name in names for part in (".y", ".rises", ".falls")},
                stop=1.0, step=0.1, exact=lambda t: {name + part: {".falls": 0}.get(part, 1) for name in names
                                                     for part in (".y", ".rises", ".falls")})


# A source without inputs sets a latch. A comparator that reads the latch resets it at the same instant.
RING = [("latch.y", "comp.u"), ("comp.y", "latch.r")]
COUNTS = {"latch.y": "n", "latch.n_set": "n", "latch.n_reset": "n", "comp.rises": "n", "comp.falls": "n"}


def counts(n):
    return {"latch.y": 0.0, "latch.n_set": n, "latch.n_reset": n, "comp.rises": n, "comp.falls": n}


def step_into_latch():
    """The step is a time event: counts are exact at every point."""
    time = 0.35
    return Case("step_into_latch", "a step sets a latch that resets itself through another subsystem",
                [at("step", "signal.step", t_step=time), at("latch", "split.latch"),
                 at("comp", "split.comparator", threshold=0.5, low=0.0)],
                [("step.y", "latch.s")] + RING, [["step"], ["latch"], ["comp"]], {name: "d" for name in COUNTS}, stop=1.0, step=0.05,
                exact=lambda t: counts(1 if t >= time - 1e-9 else 0))


def switch_into_latch():
    """The source is a sine and a comparator in one subsystem: each rise of the sine sets the latch."""
    frequency, phase = 1.3, -0.5

    def exact(t):
        return {**counts(max(0, math.floor(frequency * t + phase / (2 * PI)) + 1)),
                "sine.y": math.sin(2 * PI * frequency * t + phase)}
    return Case("switch_into_latch", "a switch without inputs sets a latch that resets itself through another subsystem",
                [at("sine", "signal.sine", frequency=frequency, phase=phase), at("switch", "split.comparator", low=0.0),
                 at("latch", "split.latch"), at("comp", "split.comparator", threshold=0.5, low=0.0)],
                [("sine.y", "switch.u"), ("switch.y", "latch.s")] + RING, [["sine", "switch"], ["latch"], ["comp"]],
                {**COUNTS, "sine.y": "c"}, stop=3.0, step=0.05, exact=exact, timing=1.0)


def cases():
    w = 2 * PI * 1.7
    v = 2 * PI * 1.1
    return [
        case_of("schmitt_trigger", "a comparator with positive feedback through a divider",
                [Switch("comp", "comparator", w, 0.0, 0.0, {"comp": 0.3})], {"comp": "osc"}, {"comp": 0.3}),
        case_of("schmitt_early", "the same, and the sine begins above the threshold",
                [Switch("comp", "comparator", v, 2.0, 0.1, {"comp": 0.45})], {"comp": "osc"}, {"comp": 0.45}),
        case_of("mutual_comparators", "two comparators that hold each other",
                [Switch("a", "comparator", w, 0.3, 0.05, {"b": 1.0}, -0.35, 0.35),
                 Switch("b", "comparator", v, 1.0, -0.1, {"a": 1.0}, -0.35, 0.35)], {"a": "one", "b": "two"}),
        case_of("comparator_ring", "three comparators in a ring read one sine",
                [Switch("a", "comparator", w, 0.0, 0.1, {"c": 1.0}, -0.2, 0.3),
                 Switch("b", "comparator", w, 0.0, 0.2, {"a": 1.0}, -0.2, 0.3),
                 Switch("c", "comparator", w, 0.0, 0.3, {"b": 1.0}, -0.2, 0.3)], {"a": "osc", "b": "osc", "c": "osc"}),
        case_of("parity_loop", "a parity counter that lifts its own input",
                [Switch("odd", "parity", w, 0.0, 0.4, {"odd": 0.5}, 0.0, 1.0)], {"odd": "osc"}, {"odd": 0.5}),
        timed("timed_switches", "a comparator and a parity counter of two sines of the time hold each other",
              [Switch("a", "comparator", 11.59, 0.3, 0.05, {"b": 1.0}, -0.15, 0.15),
               Switch("b", "parity", 23.47, 1.0, 0.02, {"a": 1.0}, -0.3, 0.3)]),
        zone_counters(), sampled_at_start(), step_into_latch(), switch_into_latch(),
        case_of("parity_lowered", "a parity counter that lowers its own input",
                [Switch("odd", "parity", v, 0.5, 0.2, {"odd": -0.4}, 0.0, 1.0)], {"odd": "osc"}, {"odd": -0.4}),
    ]
