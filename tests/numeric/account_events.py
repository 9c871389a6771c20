"""The error account of events whose error is known in closed form.

    account_events.py WRSIM ADVERSARY_PLUGIN

The runs use Jacobi sweeps, prediction "hold", and a relaxation.convergence so large that the run accepts each window after one sweep.
Readers then read the value that a sine had at the start of their window:
- A sampler errs by the change of the sine since that start.
- A switch fires late, at the start of the next window.
- A triggered sample is late, too, and reads a value of that start.
With prediction "linear" readers read the tangent at the window's start, and a counter of rising crossings counts too often. If the tangent
of a falling sine ends below the level, the counter detects a rise at the start of the next window. If a tangent crosses the level before
the sine does, the counter counts both crossings.
The state x' = a x + b v reads the piecewise constant output v of the event. Its solution and error are exact. The run must agree with
these formulas, and the account must report the error within TOLERANCE.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

WINDOW_S, STOP_S, A, B = 0.05, 2.0, -1.0, 1.0
TOLERANCE = 0.25        # relative; ranges of signals grow during the run, and the account estimates errors at ends of windows


def config(components, connections, prediction="hold"):
    names = [c[0] for c in components]
    lines = ["[simulation]", f"stop = {STOP_S}", f"communication_step = {WINDOW_S}", "rtol = 1e-3", "atol_factor = 10.0", "event_tolerance = 1e-12",
             "[solver]", 'kind = "dopri54"', "rtol = 1e-11", "[relaxation]", 'scheme = "jacobi"', "convergence = 1000.0",
             f'prediction = "{prediction}"', "[relaxation.window]", 'control = "fixed"', f"initial = {WINDOW_S}", f"max = {WINDOW_S}",
             "[[plugin]]", f"file = {json.dumps(os.path.abspath(sys.argv[2]))}"]
    for name, model, parameters in components:
        lines += ["[[component]]", f'name = "{name}"', f'model = "{model}"', f"parameters = {{ {parameters} }}"]
    for source, reader in connections:
        lines += ["[[connection]]", f'from = "{source}"', f'to = "{reader}"']
    for group in [[name] for name in names if name not in "hd"] + [["h", "d"]]:
        lines += ["[[subsystem]]", f'name = "{group[0]}"', f"components = {json.dumps(group)}"]
    return "\n".join(lines) + "\n"


def solve(changes, start):
    """Returns x at the ends of windows; `changes` has the pairs (time, new value of v)."""
    x, v, t, i, result = 1.0, start, 0.0, 0, [1.0]
    for n in range(1, round(STOP_S / WINDOW_S) + 1):
        end = n * WINDOW_S
        while i < len(changes) and changes[i][0] <= end + 1e-12:
            x, v, t, i = after(x, v, changes[i][0] - t), changes[i][1], changes[i][0], i + 1
        x, t = after(x, v, end - t), end
        result.append(x)
    return result


def after(x, v, h):
    return (x + B * v / A) * math.exp(A * h) - B * v / A


def start_of(t):
    """Returns the start of the window that contains t. A time at a window's end belongs to the window that ends at this time."""
    return (math.ceil(t / WINDOW_S - 1e-9) - 1) * WINDOW_S


def crossings(f, low_first):
    """Returns the times at which sin(2 pi f t) rises through 0.4 (low_first), or falls through -0.3."""
    rise, fall = math.asin(0.4), math.pi + math.asin(0.3)
    times = [((rise if low_first else fall) + 2 * math.pi * k) / (2 * math.pi * f) for k in range(50)]
    return [t for t in times if t < STOP_S]


def relative(errors, values):
    return max(abs(e) for e in errors) / (max(values) - min(values))


def sampler():
    f, period, first = 0.7, 0.1, 0.03
    times = [first + period * k for k in range(int((STOP_S - first) / period) + 1)]
    wave = lambda t: math.sin(2 * math.pi * f * t)
    true, late = [(t, wave(t)) for t in times], [(t, wave(start_of(t))) for t in times]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("h", "signal.sampler", f"period = {period}, t_first = {first}"),
                   ("d", "dahlquist", f"a = {A}, b = {B}")], [("s.y", "h.u"), ("h.y", "d.u")])
    held = relative([a[1] - b[1] for a, b in zip(late, true)], [v for _, v in late])
    return text, true, late, 0.0, held


def relay():
    """A relay switches on when a sine falls through -0.3, and off when the sine rises through 0.4. In the run the relay switches at the
    start of the next window."""
    f = 0.37
    true = sorted([(t, 0.0) for t in crossings(f, True)] + [(t, 1.0) for t in crossings(f, False)])
    late = [(start_of(t) + WINDOW_S, v) for t, v in true]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("h", "relay.switch", "low = -0.3, high = 0.4"),
                   ("d", "dahlquist", f"a = {A}, b = {B}")], [("s.y", "h.measured"), ("h.on", "d.u")])
    return text, true, late, 1.0, 0.0


def trigger():
    """A trigger samples sin(2 pi g t + 1) when sin(2 pi f t) rises through 0.4."""
    f, g = 1.3, 0.45
    wave = lambda t: math.sin(2 * math.pi * g * t + 1.0)
    times = crossings(f, True)
    true = [(t, wave(t)) for t in times]
    late = [(start_of(t) + WINDOW_S, wave(start_of(t) + WINDOW_S)) for t in times]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("w", "signal.sine", f"frequency = {g}, phase = 1.0"),
                   ("h", "adversary.trigger", "level = 0.4"), ("d", "dahlquist", f"a = {A}, b = {B}")],
                  [("w.y", "h.u0"), ("s.y", "h.u1"), ("h.y0", "d.u")])
    held = relative([a[1] - b[1] for a, b in zip(late, true)], [0.0] + [v for _, v in late])
    return text, true, late, 0.0, held


def counted(level):
    """A counter counts when sin(2 pi f t) rises through the level. In each window the counter reads the tangent at the
    window's start."""
    f = 1.7
    w = 2 * math.pi * f
    times = [(2 * math.pi * k + math.asin(level)) / w for k in range(math.ceil(f * STOP_S) + 1)]
    true = [(t, float(i + 1)) for i, t in enumerate(t for t in times if 0.0 < t < STOP_S)]
    times, end = [], 1.0
    for k in range(round(STOP_S / WINDOW_S)):
        start, slope = math.sin(w * k * WINDOW_S) - level, w * math.cos(w * k * WINDOW_S)
        if end < 0.0 < start:
            times.append(k * WINDOW_S)
        end = start + slope * WINDOW_S
        if start < 0.0 < end:
            times.append(k * WINDOW_S - start / slope)
    late = [(t, float(i + 1)) for i, t in enumerate(times)]
    n_more = len(late) - len(true)
    assert n_more > 0
    text = config([("s", "signal.sine", f"frequency = {f}"), ("h", "adversary.counter", f"level = {level}"),
                   ("d", "dahlquist", f"a = {A}, b = {B}")], [("s.y", "h.u0"), ("h.y0", "d.u")], "linear")
    return text, true, late, 0.0, n_more / len(late)


def counter():
    """If a tangent ends below the level and the sine is above the level, the counter counts at the start of the next window."""
    return counted(-0.7)


def early_counter():
    """Near its maximum a sine passes the level later than a tangent does, and the counter counts both crossings."""
    return counted(0.9)


def main():
    n_bad = 0
    for case in (sampler, relay, trigger, counter, early_counter):
        text, true, late, start, held = case()
        columns, summary = runs.of_text(sys.argv[1], text, "output.events=false", "scheduler.workers=1")
        account = summary["error_account"]
        x_true, x_late = solve(true, start), solve(late, start)
        off = max(abs(value - x) for value, x in zip(columns["d.x"], x_late))
        truth = max(relative([a - b for a, b in zip(x_late, x_true)], x_late), held)
        ratio = account["error"] / truth
        limit = 1e-7 if case in (counter, early_counter) else 1e-9       # tangents come from the published wave
        is_bad = off > limit or abs(ratio - 1.0) > TOLERANCE or account["not_covered"] != ""
        n_bad += is_bad
        print(f"{'BAD ' if is_bad else ''}{case.__name__}: the run is off its formula by {off:.1e}; error {truth:.3e}, told "
              f"{account['error']:.3e}, {ratio:.3f} of it{', not covered' if account['not_covered'] else ''}")
    sys.exit(n_bad > 0)


main()
