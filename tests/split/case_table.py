"""The named cases of split_cases.py: models, groupings and right results.

Kinds of signals (an event may be early or late by a short time, the hair):
    c  continuous, or a held sample of a continuous signal; compared at every communication point
    s  continuous, but steep at events: compared with the values within a hair of the point
    j  jumps at events with errors in time: compared like s
    n  number that changes at such events: must not be outside of its values within a hair of the point
    d  number that changes at time events only: exact at every point, apart from rounding
"""
import dataclasses
import functools
import importlib
import math
import pathlib
import typing

PI = math.pi


@dataclasses.dataclass
class Case:
    name: str
    about: str
    components: list          # (name, model, parameters, start)
    connections: list         # (output, input)
    groups: list
    signals: dict             # name: kind
    stop: float = 10.0
    step: float = 0.1         # s between communication points
    exact: typing.Optional[typing.Callable] = None # t -> {signal: value}
    window: float = 0.05      # length of "fixed" windows, s
    timing: float = 0.0       # shift of events in s for an error of the whole range
    hair_max: float = 0.02    # largest permitted shift of an event, s
    settings: list = dataclasses.field(default_factory=list) # of the case itself
    gain: float = 0.0         # of the algebraic loop
    divide: int = 4           # steps of a reference in a communication step; a power of two
    agree: float = 3e-8       # largest difference of references, relative to a range: a tenth of LIMIT rtol of split_run.py at rtol = 1e-8
    ranges: dict = dataclasses.field(default_factory=dict) # range of each signal with a larger range than at communication points
    references: typing.Optional[list] = None # (solver, rtol)
    scale: float = 1.0        # time scale, s: multiplies windows and tolerances in time
    most: float = math.inf    # largest permitted error of any run, also monolithic, in units of rtol of a range
    n_sample: typing.Optional[int] = None # number of settings in --sample; None: all
    gives_up: bool = False    # the split may fail, and the run starts again as one subsystem
    topic: str = ""           # the case is in TOPIC_cases.py; "": in this module


def at(name, model, start=None, **parameters):
    return (name, model, parameters, start or {})


def integrator(name="int", a=0.0, b=1.0, x=0.0):
    return at(name, "dahlquist", {"x": x}, a=a, b=b)


def turned(name, settings):
    """Returns the settings, beginning with one that depends on the name. Thus the samples of similar cases have different settings."""
    first = sum(name.encode()) % len(settings)
    return settings[first:] + settings[:first]


def ticks(t, period, first=None):
    """Returns how many of the times first + k period, k = 0, 1, ..., are not after t."""
    first = period if first is None else first
    return max(0, math.floor((t - first) / period + 1e-9) + 1)


ANDERSON = "acceleration=anderson"
GS = "scheme=gauss_seidel"


# ---- 1. Waves of computed outputs

def shaft():
    return Case("shaft", "theta' = 50, cos(theta) into an integrator in another subsystem",
                [at("shaft", "split.shaft", omega=50.0), integrator()],
                [("shaft.y", "int.u")], [["shaft"], ["int"]], {"int.x": "c", "shaft.theta": "c"},
                exact=lambda t: {"int.x": math.sin(50 * t) / 50, "shaft.theta": 50 * t},
                settings=[GS, "rtol=1e-4"])


def oscillator_square():
    w = 30.0
    return Case("oscillator_square", "oscillator, its square by a component without states, integrator",
                [at("osc", "split.oscillator", omega=w), at("square", "split.map", k12=1.0),
                 integrator()],
                [("osc.x", "square.u1"), ("osc.x", "square.u2"), ("square.y", "int.u")],
                [["osc"], ["square"], ["int"]], {"int.x": "c", "osc.x": "c"},
                exact=lambda t: {"osc.x": math.cos(w * t),
                                 "int.x": t / 2 + math.sin(2 * w * t) / (4 * w)},
                settings=[GS])


def sine(name, frequency, settings):
    w = 2 * PI * frequency

    def exact(t):
        return {"int.x": (1 - math.cos(w * t)) / w,
                "lag.x": (w * (math.exp(-t) - math.cos(w * t)) + math.sin(w * t)) / (1 + w * w)}
    return Case(name, "a sine of %g Hz into an integrator, communication points 0.1 s apart" % frequency,
                [at("sine", "signal.sine", frequency=frequency), integrator(), integrator("lag", a=-1)],
                [("sine.y", "int.u"), ("sine.y", "lag.u")], [["sine"], ["int"], ["lag"]],
                {"int.x": "c", "lag.x": "c"}, exact=exact, ranges={"int.x": 2 / w},
                settings=settings, divide=16)


# ---- 2. Inputs with details shorter than the reader's steps; events

def pad_ball():
    g, k = 9.81, 1e6
    w, sink = math.sqrt(k), g / k  # m = 1
    fall, v0 = math.sqrt(2 / g), math.sqrt(2 * g)
    # In contact h = sink (cos(w s) - 1) - v0 / w sin(w s), until h is 0 again.
    contact = 2 / w * (PI - math.atan(v0 / w / sink))
    # half: time from the middle of the contact on in which -h = sink + size cos(w s) exceeds 1e-3.
    half = math.acos((1e-3 - sink) / math.hypot(sink, v0 / w)) / w
    period = 2 * fall + contact

    def exact(t):
        n = math.floor((t + fall + contact) / period)  # contacts that have begun
        s = t + fall - n * period                      # since the end of the contact
        if s >= 0:
            h, v = v0 * s - g * s * s / 2, v0 - g * s
        else:
            c = s + contact
            h = sink * (math.cos(w * c) - 1) - v0 / w * math.sin(w * c)
            v = -sink * w * math.sin(w * c) - v0 * math.cos(w * c)
        return {"ball.h": h, "int.x": v + g * t,  # integral of the force: m (v + g t)
                "count.rises": n if s > -contact / 2 - half else max(n - 1, 0),
                "count.falls": n if s > -contact / 2 + half else max(n - 1, 0)}
    return Case("pad_ball", "ball on a stiff pad; its force into an integrator and a counter",
                [at("ball", "split.pad_ball"), integrator(),
                 at("count", "split.counter", threshold=1000.0)],
                [("ball.force", "int.u"), ("ball.force", "count.u")], [["ball"], ["int"], ["count"]],
                {"ball.h": "c", "int.x": "s", "count.rises": "n", "count.falls": "n"},
                stop=20.0, exact=exact, timing=1.0, hair_max=1.0, window=0.2, divide=64,
                settings=["solver=cvode_bdf", "solver=rk43", GS])


def bounce(name, threshold):
    g, e = 9.81, 0.8

    def flights(t):
        """Returns the number of impacts up to t, the time of the last impact, and the speed after this impact."""
        v, t_0 = math.sqrt(2 * g), math.sqrt(2 / g)
        n = 0
        while t >= t_0:
            n, v = n + 1, v * e
            t_last, t_0 = t_0, t_0 + 2 * v / g
        return (0, 0.0, 0.0) if n == 0 else (n, t_last, v)

    def exact(t):
        n, t_last, v = flights(t)
        if n == 0:
            h = 1 - g * t * t / 2
            return {"ball.h": h, "count.falls": int(h <= threshold), "count.rises": 0}
        s = t - t_last
        h = v * s - g * s * s / 2
        peak = v / g
        falls = n + int(h <= threshold and s > peak)
        rises = n if h > threshold or s > peak else n - 1
        return {"ball.h": h, "count.falls": falls, "count.rises": rises}
    return Case(name, "a bouncing ball's height, a counter in another subsystem at %g m" % threshold,
                [at("ball", "bouncing_ball"), at("count", "split.counter", threshold=threshold)],
                [("ball.h", "count.u")], [["ball"], ["count"]],
                {"ball.h": "c", "count.falls": "n", "count.rises": "n"}, stop=3.0, step=0.05,
                exact=exact, timing=1.0, hair_max=0.08, divide=64,
                settings=["solver=dopri54", "solver=cvode_bdf"])


def double_parabola():
    def exact(t):
        s = t - 10 * math.floor(t / 10 + 1e-12)
        n = math.floor(t / 10 + 1e-12)
        rises, falls = n + int(s > 4), n + int(s > 6)
        return {"par.h": 1 - (s - 5) ** 2, "par.rises": rises, "par.falls": falls,
                "count.rises": rises, "count.falls": falls, "own.rises": rises, "own.falls": falls}
    return Case("double_parabola", "parabolas that cross a threshold twice within a step",
                [at("par", "split.parabola", period=10.0), at("own", "split.counter", threshold=0.0),
                 at("count", "split.counter", threshold=0.0)],
                [("par.h", "count.u"), ("par.h", "own.u")], [["par", "own"], ["count"]],
                {"par.h": "c", "par.rises": "n", "par.falls": "n", "own.rises": "n", "own.falls": "n",
                 "count.rises": "n", "count.falls": "n"},
                stop=48.0, step=0.5, exact=exact, timing=13.0, hair_max=0.4, window=1.0, divide=8,
                settings=["solver=dopri54 window=x10", "solver=rosenbrock window=x10", "solver=cvode_adams"])


def double_sine():
    w, level = 2 * PI, 0.9
    half = math.acos(level) / w

    def exact(t):
        return {"osc.x": math.cos(w * t), "count.rises": math.floor(t + half),
                "count.falls": math.floor(t - half) + 1}
    return Case("double_sine", "an oscillation that is above a threshold for a seventh of its period",
                [at("osc", "split.oscillator", omega=w),
                 at("count", "split.counter", threshold=level)],
                [("osc.x", "count.u")], [["osc"], ["count"]],
                {"osc.x": "c", "count.rises": "n", "count.falls": "n"},
                stop=9.5, exact=exact, timing=1.0, hair_max=0.06, divide=16,
                settings=["solver=dopri54"])


def stateless_sine(name, groups):
    f, level = 3.2, 0.8
    up = math.asin(level) / (2 * PI)
    down = 0.5 - up

    def exact(t):
        return {"count.rises": math.floor(f * t - up) + 1, "count.falls": math.floor(f * t - down) + 1}
    return Case(name, "a sine counted by an indicator, nobody has states",
                [at("sine", "signal.sine", frequency=f),
                 at("count", "split.counter", threshold=level)],
                [("sine.y", "count.u")], groups,
                {"count.rises": "n", "count.falls": "n"}, exact=exact, divide=64)


# ---- 3. Samples and events at the instant at which an input jumps

def samplers(name, groups, period=0.1, second=0.1, source="tick", window=0.05):
    """tick or oscillator -> sampler -> sampler -> sum of samples, all at coinciding times."""
    w = 3.0

    def value(t):
        return ticks(t, period) % 7 if source == "tick" else math.cos(w * t)

    @functools.lru_cache(None)
    def states(t):
        first = last = total = n = 0.0
        times = sorted({round(k * p, 9) for p in (period, second) for k in range(1000)
                        if k * p <= t + 1e-9})
        for now in times:
            at_first = abs(now / period - round(now / period)) < 1e-6
            at_second = abs(now / second - round(now / second)) < 1e-6
            # all samplers read the values before this instant
            u = value(now - 1e-6 if source == "tick" else now) if now > 0 else value(0.0)
            if now > 0 and at_second:
                total, n = total + last, n + 1
            last, first = first if at_second else last, u if at_first else first
        return {"first.y": first, "second.y": last, "sum.sum": total}
    component = (at("src", "split.tick", period=period, modulus=7.0) if source == "tick"
                 else at("src", "split.oscillator", omega=w))
    kind = "d" if source == "tick" else "c"
    return Case(name, "two samplers in a row and the sum of what comes out",
                [component, at("first", "signal.sampler", period=period),
                 at("second", "signal.sampler", period=second),
                 at("sum", "split.collector", period=second)],
                [("src.y" if source == "tick" else "src.x", "first.u"), ("first.y", "second.u"),
                 ("second.y", "sum.u")], groups,
                {"first.y": kind, "second.y": kind, "sum.sum": kind},
                stop=2.05, step=0.05, exact=states, window=window,
                settings=["window=fixed", "window=fixed active_set=false", "window=fixed10",
                          GS + " window=fixed"])


def echo(name, groups, by_state):
    period, w = 0.3, 3.0

    def exact(t):
        if not by_state:
            n = ticks(t, period)
        else: # cos(w t) rises through 0.5 at (2 pi k - pi / 3) / w
            n = math.floor((w * t + PI / 3) / (2 * PI))
        # the k-th event, k = 0, 1, ..., reads 2 k + 1
        return {"echo.n": n, "echo.last": 2 * (n - 1) + 1 if n else 0, "echo.sum": n * n}
    components = [at("echo", "split.collector", period=0.0 if by_state else period, t_first=period),
                  at("gain", "split.map", k1=2.0, offset=1.0)]
    connections = [("echo.n", "gain.u1"), ("gain.y", "echo.u")]
    kind = "n" if by_state else "d"
    if by_state:
        components.append(at("osc", "split.oscillator", omega=w))
        connections.append(("osc.x", "echo.trigger"))
    return Case(name, "an event's consequence comes back through another subsystem at the same instant",
                components, connections, groups,
                {"echo.n": kind, "echo.last": kind, "echo.sum": kind}, stop=6.1, exact=exact,
                timing=1.0, hair_max=0.1, window=0.3, settings=["window=fixed", GS])


def event_ring():
    def exact(t):
        n = ticks(t, 0.5)
        area = 3 * sum(t - 0.5 * k for k in range(1, n + 1))
        return {"leader.n": 3 * n, "one.n": 3 * n, "two.n": 3 * n, "int.x": area}
    return Case("event_ring", "a token goes three times round a ring of events at one instant",
                [at("leader", "split.leader"), at("one", "split.token"), at("two", "split.token"),
                 integrator()],
                [("leader.n", "one.u"), ("one.n", "two.u"), ("two.n", "leader.u"),
                 ("two.n", "int.u")],
                [["leader"], ["one"], ["two"], ["int"]],
                {"leader.n": "d", "one.n": "d", "two.n": "d", "int.x": "c"}, stop=3.2, exact=exact,
                window=0.25, settings=["window=fixed", GS])


def small_ticks():
    height, period = 1e-8, 0.037

    def exact(t):
        n = ticks(t, period)
        return {"count.rises": (n + 1) // 2, "count.falls": n // 2}
    return Case("small_ticks", "jumps far below the tolerance, through a gain, carry an indicator through zero",
                [at("tick", "split.tick", period=period, t_first=period, modulus=2.0, amplitude=height),
                 at("gain", "signal.gain", offset=1.0),
                 at("count", "split.counter", threshold=1.0 + height / 2)],
                [("tick.y", "gain.u"), ("gain.y", "count.u")], [["tick"], ["gain"], ["count"]],
                {"count.rises": "d", "count.falls": "d"}, stop=2.05, step=0.05, exact=exact,
                settings=[GS, "window=fixed", "rtol=1e-3"])


def time_after_time(name, first):
    def exact(t):
        n = ticks(t, 0.5, first)
        return {"tick.n": n, "twice.n": n, "twice.last": n, "twice.sum": n * (n + 1) // 2,
                "sample.y": max(n - 1, 0), "later.y": max(n - 1, 0)}
    same = {"period": 0.5, "t_first": first}
    return Case(name, "a time event schedules another at the same instant",
                [at("tick", "split.tick", **same), at("twice", "split.twice", **same),
                 at("sample", "signal.sampler", **same), at("later", "signal.sampler", **same)],
                [("tick.n", "twice.u"), ("twice.n", "sample.u"), ("twice.last", "later.u")],
                [["tick"], ["twice"], ["sample"], ["later"]],
                {"tick.n": "d", "twice.n": "d", "twice.last": "d", "twice.sum": "d", "sample.y": "d",
                 "later.y": "d"}, stop=3.2, exact=exact, window=0.25,
                settings=["window=fixed", GS])


def window_end(name, is_coupled):
    """x = cos(w t) passes zero at 0.1, 0.3, ... A coupled subsystem integrates x several times."""
    w = 2 * PI / 0.4

    def exact(t):
        return {"osc.x": math.cos(w * t), "count.rises": math.floor((t + 0.1) / 0.4),
                "count.falls": math.floor((t + 0.3) / 0.4)}
    components = [at("osc", "split.oscillator", omega=w), at("count", "split.counter", threshold=0.0)]
    connections = [("osc.x", "count.u")]
    groups = [["osc"], ["count"]]
    if is_coupled: # the force is 0: the difference of two equal pairs, one in two subsystems and one in a single subsystem
        pair_a, pair_b = {"a": -1.0, "b1": 8.0}, {"a": -1.0, "b1": -8.0}
        components += [at("a", "split.linear", {"x": 1.0}, **pair_a), at("b", "split.linear", **pair_b),
                       at("c", "split.linear", {"x": 1.0}, **pair_a), at("d", "split.linear", **pair_b),
                       at("force", "split.map", k1=1.0, k2=-1.0)]
        components[0] = at("osc", "split.oscillator", omega=w, b=100.0)
        connections += [("a.x", "b.u1"), ("b.x", "a.u1"), ("c.x", "d.u1"), ("d.x", "c.u1"),
                        ("a.x", "force.u1"), ("c.x", "force.u2"), ("force.y", "osc.u")]
        groups = [["osc", "c", "d", "force"], ["count"], ["a"], ["b"]]
    return Case(name, "events at the ends of windows, counted", components, connections, groups,
                {"osc.x": "c", "count.rises": "n", "count.falls": "n"}, stop=5.0, step=0.05,
                exact=exact, timing=1.0, hair_max=0.04, window=0.1, divide=16,
                settings=["solver=cvode_bdf window=fixed", "solver=cvode_bdf window=fixed active_set=false",
                          "solver=cvode_bdf " + GS + " window=fixed", "window=fixed",
                          "solver=cvode_bdf rtol=1e-4 window=fixed"])


def relay_start(name, groups):
    on = math.log(5)

    def exact(t):
        cycle = math.floor((t - on) / (2 * math.log(4))) if t >= on else -1
        s = t - on - cycle * 2 * math.log(4)
        if t < on:
            return {"plant.x": math.exp(-t), "switch.on": 0, "count.falls": 1, "count.rises": 0}
        is_on = s < math.log(4)
        x = 1 - 0.8 * math.exp(-s) if is_on else 0.8 * math.exp(-(s - math.log(4)))
        return {"plant.x": x, "switch.on": int(is_on), "count.falls": 1 + cycle + (not is_on),
                "count.rises": cycle + 1}
    return Case(name, "a relay that switches at the start, counted in another subsystem",
                [integrator("plant", a=-1, x=1.0), at("switch", "relay.switch"),
                 at("count", "split.counter", threshold=0.5)],
                [("plant.x", "switch.measured"), ("switch.on", "plant.u"), ("switch.on", "count.u")],
                groups,
                {"plant.x": "c", "switch.on": "n", "count.falls": "n", "count.rises": "n"},
                stop=5.4, exact=exact, timing=5.0, hair_max=0.1, settings=[GS], divide=16)


def blink(name, groups):
    def exact(t):
        n = ticks(t, 0.5)
        return {"blink.y": 0, "count.rises": n, "count.falls": n, "far.rises": n, "far.falls": n,
                "take.n": n, "take.last": max(n - 1, 0)}
    return Case(name, "a value that appears and vanishes within one instant, counted",
                [at("blink", "split.blink"), at("count", "split.counter"),
                 at("gain", "split.map", k1=2.0), at("far", "split.counter", threshold=1.0),
                 at("take", "split.collector")],
                [("blink.y", "count.u"), ("blink.y", "gain.u1"), ("gain.y", "far.u"),
                 ("blink.y", "take.trigger"), ("count.rises", "take.u")], groups,
                {"blink.y": "d", "count.rises": "d", "count.falls": "d", "far.rises": "d",
                 "far.falls": "d", "take.n": "d", "take.last": "d"}, stop=3.2, exact=exact,
                window=0.25, settings=["window=fixed", GS])


# ---- 4., 5. Limits of acceptance

def pair(k12):
    """Returns components and connections of two masses joined by a spring."""
    return ([at("left", "oscillator.mass", {"x": 1.0}, k12=k12), at("right", "oscillator.mass", k12=k12)],
            [("left.x", "right.x_neighbour"), ("right.x", "left.x_neighbour")])


def sample_mean():
    components, connections = pair(50.0)
    return Case("sample_mean", "a component that only stores samples, and their mean",
                components + [at("mean", "split.collector", period=0.05)],
                connections + [("right.x", "mean.u")], [["left"], ["right"], ["mean"]],
                {"left.x": "c", "right.x": "c", "mean.mean": "c", "mean.sum": "c"}, stop=3.01,
                step=0.07, settings=[GS, "window=fixed10"], window=0.1)


def kicked(b=400.0):
    """Returns components and connections of two masses with a spring; one of them gets a kick every 0.3 s."""
    both = {"omega": math.sqrt(b + 100.0), "b": b}
    return ([at("one", "split.oscillator", kick=2.0, period=0.3, t_first=0.1, **both),
             at("two", "split.oscillator", {"x": 0.0}, **both)],
            [("one.x", "two.u"), ("two.x", "one.u")])


def small_mean(size):
    components, connections = kicked()
    return Case("small_mean", "the mean of samples of a signal of size %g" % size,
                components + [at("scale", "split.map", k1=size),
                              at("mean", "split.collector", period=0.037)],
                connections + [("two.v", "scale.u1"), ("scale.y", "mean.u")],
                [["one"], ["two", "scale"], ["mean"]],
                {"two.x": "c", "mean.last": "c", "mean.mean": "c", "mean.sum": "c"}, stop=3.05,
                step=0.05, settings=[GS, "rtol=1e-4", "window=x10", "prediction=hold"])


def small_signal(name, size, is_loop, kick):
    b, omega = 400.0, math.sqrt(500.0)
    return Case(name, "a signal of size %g that a reader multiplies by %g" % (size, b / size),
                [at("one", "split.oscillator", omega=omega, b=b if is_loop else 0.0, kick=kick,
                    period=0.3 if kick else 0.0, t_first=0.1),
                 at("scale", "split.map", k1=size),
                 at("two", "split.oscillator", {"x": 0.0}, omega=1.3 * omega, b=b / size)],
                [("one.x", "scale.u1"), ("scale.y", "two.u")] + [("two.x", "one.u")] * is_loop,
                [["one", "scale"], ["two"]],
                {"one.x": "c", "one.v": "c", "two.x": "c", "two.v": "c"}, stop=3.05, step=0.05,
                settings=turned(name, ["active_set=false", ANDERSON, GS, "active_set=false window=fixed",
                                       GS + " rtol=1e-5 " + ANDERSON, GS + " rtol=1e-5 acceleration=none",
                                       "active_set=false prediction=hold"]), n_sample=4)


# ---- 6. Loops

def loop(name, gain, is_zero, groups=(("osc", "a"), ("b",), ("int",))):
    """A loop with the input sin t (is_zero: the loop starts at 0) or cos t."""
    drive, area = ((math.sin, lambda t: 1 - math.cos(t)) if is_zero else (math.cos, math.sin))

    def exact(t):
        return {"a.y": drive(t) / (1 - gain), "int.x": area(t) / (1 - gain)}
    return Case(name, "an algebraic loop of gain %g across subsystems" % gain,
                [at("osc", "split.oscillator", {"x": drive(0.0), "v": 1 - drive(0.0)}, omega=1.0),
                 at("a", "split.map", k1=gain, k2=1.0), at("b", "split.map", k1=1.0), integrator()],
                [("osc.x", "a.u2"), ("b.y", "a.u1"), ("a.y", "b.u1"), ("a.y", "int.u")],
                [list(group) for group in groups], {"a.y": "c", "int.x": "c"}, stop=3.0, exact=exact,
                gain=abs(gain),
                settings=turned(name, [ANDERSON, GS + " " + ANDERSON, GS,
                                       GS + " rtol=1e-5 solver=rosenbrock acceleration=none prediction=hold",
                                       "rtol=1e-7 solver=bs32 window=ratio acceleration=none prediction=hold",
                                       "rtol=1e-4 acceleration=anderson window=fixed0.1",
                                       GS + " rtol=1e-4 solver=rosenbrock window=x10 active_set=false "
                                       "acceleration=anderson prediction=quadratic"]), n_sample=3)


def turning_loop(k1, k12):
    """y = (k1 + k12 sin t) y + sin t, with a varying gain. At a gain of 0.99 an error of 1 rtol in sin t would become 51 rtol."""
    return Case("loop_turning", "an algebraic loop whose gain goes from %g to %g and back"
                % (k1 - k12, k1 + k12),
                [at("osc", "split.oscillator", {"x": 0.0, "v": 1.0}, omega=1.0),
                 at("a", "split.map", k1=k1, k2=1.0, k12=k12), at("b", "split.map", k1=1.0),
                 integrator()],
                [("osc.x", "a.u2"), ("b.y", "a.u1"), ("a.y", "b.u1"), ("a.y", "int.u")],
                [["osc"], ["a"], ["b"], ["int"]], {"a.y": "c", "int.x": "c"}, stop=7.0,
                gain=k1 + k12,
                settings=[ANDERSON, GS, GS + " rtol=1e-5 " + ANDERSON,
                          "rtol=1e-4 acceleration=none window=fixed0.1"])


def peaking_loop():
    """a = 0.999 cos t b, b = a + cos 2.37 t: the gain is largest in the middle of windows, not at their ends."""
    return Case("loop_peaking", "an algebraic loop whose gain is nearly 1 inside of windows",
                [at("s1", "split.shaft", omega=1.0), at("s2", "split.shaft", omega=2.37),
                 at("g", "split.map", k1=0.999), at("a", "split.map", k12=1.0),
                 at("b", "split.map", k1=1.0, k2=1.0), integrator()],
                [("s1.y", "g.u1"), ("g.y", "a.u2"), ("b.y", "a.u1"), ("a.y", "b.u1"),
                 ("s2.y", "b.u2"), ("a.y", "int.u")],
                [["s1"], ["s2"], ["g"], ["b"], ["a"], ["int"]], {"a.y": "c", "int.x": "c"},
                stop=4 * math.pi, step=math.pi / 40, window=math.pi, gain=0.999,
                settings=["rtol=1e-4 window=fixed", ANDERSON + " rtol=1e-4 window=fixed10",
                          GS + " rtol=1e-3 window=fixed acceleration=none",
                          "rtol=1e-3 window=fixed", GS + " rtol=1e-4 window=fixed"], n_sample=2)


def small_loop_signal():
    """b = 1e-9 a and a = 1e9 (0.995 b) + sin t: b lies far below its nominal value."""
    return Case("loop_small", "an algebraic loop through a signal of size 1e-7",
                [at("osc", "split.oscillator", {"x": 0.0, "v": 1.0}, omega=1.0),
                 at("a", "split.map", k1=0.995e9, k2=1.0), at("b", "split.map", k1=1e-9),
                 integrator(b=1e9)],
                [("osc.x", "a.u2"), ("b.y", "a.u1"), ("a.y", "b.u1"), ("b.y", "int.u")],
                [["osc", "a"], ["b"], ["int"]], {"a.y": "c", "int.x": "c"}, stop=3.0, gain=0.995,
                exact=lambda t: {"a.y": 200 * math.sin(t), "int.x": 200 * (1 - math.cos(t))},
                settings=[GS, "rtol=1e-4", ANDERSON])


# ---- 7. Acceleration

def smooth_three():
    components, connections = pair(400.0)
    return Case("smooth_three", "two masses and a reader, accelerated",
                components + [at("lag", "split.linear", a=-1.0)], connections + [("right.x", "lag.u1")],
                [["left"], ["right"], ["lag"]], {"left.x": "c", "right.x": "c", "lag.x": "c"},
                stop=3.0, step=0.05,
                settings=["rtol=1e-5 %s acceleration=%s" % (GS, way)
                          for way in ("none", "anderson")] +
                ["rtol=1e-5 %s acceleration=%s window=fixed" % (GS, way)
                 for way in ("none", "anderson")])


def smooth_ring():
    return Case("smooth_ring", "three components in a ring, accelerated",
                [at("a", "split.linear", a=-1.0, b1=-6.0, c=1.0),
                 at("b", "split.linear", {"x": 1.0}, a=-1.0, b1=5.0, b2=0.2),
                 at("c", "split.linear", a=-2.0, b1=4.0), at("drive", "split.oscillator", omega=2.0)],
                [("c.x", "a.u1"), ("a.y", "b.u1"), ("drive.x", "b.u2"), ("b.x", "c.u1")],
                [["a"], ["b", "drive"], ["c"]], {"a.x": "c", "b.x": "c", "c.x": "c"}, stop=2.0,
                step=0.05, window=0.1,
                settings=["rtol=1e-5 %s acceleration=%s window=%s" % (GS, way, window)
                          for way in ("none", "anderson") for window in ("x1", "fixed")])


def kicked_pair():
    components, connections = kicked(2000.0)
    return Case("kicked_pair", "two masses, one kicked: states that jump, accelerated",
                components, connections, [["one"], ["two"]],
                {"one.x": "c", "one.v": "c", "two.x": "c", "two.v": "c"}, stop=3.05, step=0.05,
                settings=[ANDERSON, ANDERSON + " rtol=1e-4", GS + " " + ANDERSON,
                          "rtol=1e-3 solver=rk43 window=ratio prediction=quadratic %s %s" % (GS, ANDERSON)])


def kicked_loop():
    """u = v + 0.9 u: u = 10 v, a damping of 1."""
    return Case("kicked_loop", "an oscillator that is kicked, damped through an algebraic loop",
                [at("osc", "split.oscillator", {"x": 0.0}, omega=8.0, b=-0.1, kick=2.0, period=0.3,
                    t_first=0.1),
                 at("a", "split.map", k1=0.9, k2=1.0), at("b", "split.map", k1=1.0)],
                [("osc.v", "a.u2"), ("b.y", "a.u1"), ("a.y", "b.u1"), ("a.y", "osc.u")],
                [["osc"], ["a"], ["b"]], {"osc.x": "c", "osc.v": "c", "a.y": "c"}, stop=3.05,
                step=0.05, gain=0.9,
                settings=[ANDERSON, ANDERSON + " rtol=1e-4", GS + " " + ANDERSON])


def accelerated_hold():
    components, connections = pair(100.0)
    return Case("accelerated_hold", "accelerated, with prediction by the last value",
                components, connections, [["left"], ["right"]], {"left.x": "c", "right.x": "c"},
                stop=1.0, step=0.01,
                settings=[way + ANDERSON + " prediction=hold" for way in ("", GS + " ", "rtol=1e-8 ")])


# ---- 8., 9. Nominals and start values

def small_jumps(name, a, b):
    period, size = 0.1, 1e-9

    def exact(t):
        x, now = 0.0, 0.0
        for k in range(ticks(t, period) + 1):
            end = min((k + 1) * period, t)
            u = size * b * (k % 2)
            x = u + (x - u) * math.exp(a * (end - now)) if a else x + u * (end - now)
            now = end
        return {"lag.x": x}
    return Case(name, "jumps of 1e-9 into an input that declares 1",
                [at("square", "split.tick", period=period, modulus=2.0, amplitude=size, nominal=size),
                 integrator("lag", a=a, b=b)],
                [("square.y", "lag.u")], [["square"], ["lag"]], {"lag.x": "c"}, stop=3.02, step=0.02,
                exact=exact, settings=[GS, "window=fixed10"], window=0.03)


def positive_start():
    return Case("positive_start", "an input that must be positive, from another subsystem, at the start",
                [at("last", "split.root"), at("root", "split.root"),
                 at("gain", "split.map", k1=1.0), integrator("src", a=-0.1, b=0.0, x=2.0)],
                [("src.x", "gain.u1"), ("gain.y", "root.u"), ("root.y", "last.u")],
                [["last"], ["root"], ["gain"], ["src"]],
                {"src.x": "c", "root.y": "c", "root.x": "c", "last.x": "c", "last.y": "c"}, stop=3.0,
                settings=[GS])


def topic_cases():
    """Returns the cases of all modules TOPIC_cases.py in this folder."""
    found = []
    for file in sorted(pathlib.Path(__file__).parent.glob("*_cases.py")):
        if file.stem != "split_cases":
            for case in importlib.import_module(file.stem).cases():
                case.topic = file.stem[:-len("_cases")]
                found.append(case)
    return found


def cases():
    apart = [["src"], ["first"], ["second"], ["sum"]]
    pairs = [["src", "first"], ["second", "sum"]]
    every = [["blink"], ["count"], ["gain"], ["far"], ["take"]]
    return [
        shaft(), oscillator_square(), sine("sine_10hz", 10.0, [GS]),
        sine("sine_9.5hz", 9.5, ["window=ratio", GS + " window=ratio"]),
        pad_ball(), bounce("bounce_zero", 0.0), bounce("bounce_low", 0.02),
        double_parabola(), double_sine(),
        stateless_sine("stateless_one", [["sine", "count"]]),
        stateless_sine("stateless_two", [["sine"], ["count"]]),
        samplers("samplers_apart", apart), samplers("samplers_pairs", pairs),
        samplers("samplers_quarter", apart, window=0.25),
        samplers("samplers_crossed", [["src", "second"], ["first", "sum"]]),
        samplers("samplers_uneven", apart, 0.1, 0.15),
        samplers("samplers_smooth", apart, 0.1, 0.1, "oscillator"),
        echo("echo_time", [["echo"], ["gain"]], False),
        echo("echo_state", [["osc"], ["echo"], ["gain"]], True),
        echo("echo_state_pair", [["osc", "echo"], ["gain"]], True),
        event_ring(), small_ticks(), time_after_time("time_after_time", 0.5),
        time_after_time("time_between", 0.55),
        window_end("window_end", False), window_end("window_end_again", True),
        relay_start("relay_start", [["plant", "switch"], ["count"]]),
        relay_start("relay_start_apart", [["plant"], ["switch"], ["count"]]), blink("blink", every),
        blink("blink_pairs", [["blink", "far"], ["count", "gain"], ["take"]]),
        sample_mean(), small_mean(1e-6), small_signal("small_signal", 1e-8, False, 2.0),
        small_signal("small_signal_smooth", 1e-8, False, 0.0),
        small_signal("small_loop", 1e-7, True, 2.0),
        small_signal("small_loop_smooth", 1e-7, True, 0.0),
        *[loop("loop_%g" % gain, gain, True) for gain in (0.5, -0.5, 0.9, 0.99, 0.999, 0.9999)],
        *[loop("loop_start_%g" % gain, gain, False) for gain in (0.5, 0.99, 0.9999)],
        *[loop("loop_driven_%g" % gain, gain, False, (("osc",), ("a",), ("b",), ("int",)))
          for gain in (0.5, 0.99, 0.9999)],
        turning_loop(0.45, 0.45), peaking_loop(), small_loop_signal(), smooth_three(), smooth_ring(), kicked_pair(), kicked_loop(),
        accelerated_hold(),
        small_jumps("small_jumps", 0.0, 1.0),
        small_jumps("small_jumps_amplified", -1.0, 1e9), positive_start(), *topic_cases(),
    ]
