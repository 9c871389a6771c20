"""The error account behind events whose error is known in closed form.

    account_events.py WRSIM ADVERSARY_PLUGIN

With relaxation.convergence so large that each window is accepted after one sweep, Jacobi and prediction "hold", readers see the value
that a sine had at the start of their window. So a sampler is off by what the sine has moved since then. With prediction "linear" readers
see the tangent at the start of their window: a switch comes early, and a triggered sample is early and reads a value of a tangent. A
tangent may pass a level that the sine does not reach in that window. Then a counter counts once more when the sine does. If
an event would be due at the end of a window with the sine's value there, the window is integrated again, with the sine. In the same subsystem is x' = a x + b v with
piecewise constant v, whose solution and error are exact. The run has to be as these formulas say, and the account has to tell the error within TOLERANCE.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

WINDOW_S, STOP_S, A, B = 0.05, 2.0, -1.0, 1.0
TOLERANCE = 0.25        # the ranges grow with the run, and the account looks at errors at the ends of windows


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


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        path, out, summary = (os.path.join(folder, name) for name in ("c.toml", "r.csv", "s.json"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([sys.argv[1], path, "-q", "-o", out, "--json", summary, "-D", "output.events=false", "-D",
                        "scheduler.workers=1"], check=True)
        with open(out, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        with open(summary, encoding="utf-8") as file:
            account = json.load(file)["error_account"]
    return [{k.split("[")[0].strip(): v for k, v in row.items()} for row in rows], account


def solve(changes, start):
    """x at the ends of windows, where v becomes value at each (time, value)."""
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
    """Number of the window that contains t. The end of a window belongs to it."""
    return (math.ceil(t / WINDOW_S - 1e-9) - 1) * WINDOW_S


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


def tangent(wave, t0):
    """The line through the wave's value and slope at t0."""
    value, slope = wave(t0)
    return lambda t: (value + slope * (t - t0), slope)


def zero_of(f, low, high):
    """Where f(t)[0] changes its sign between low and high."""
    sign = f(low)[0] > 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle)[0] > 0.0) == sign else (low, middle)
    return 0.5 * (low + high)


def seen_events(wave, thresholds):
    """Times of the events of a run. thresholds(n) is that of event n, with the direction in which it is
    passed: event n comes where direction * (wave - threshold) rises through 0. A window reads the tangent at its start. If the next
    event would be due at the window's end with the value that the wave has there, the window is integrated again with the wave."""
    events = []
    for k in range(round(STOP_S / WINDOW_S)):
        start, end = k * WINDOW_S, (k + 1) * WINDOW_S
        line = tangent(wave, start)

        def found(course):
            threshold, direction = thresholds(len(events))
            past = lambda t: (direction * (course(t)[0] - threshold), 0.0)
            return [zero_of(past, start, end)] if past(start)[0] < 0.0 < past(end)[0] else []
        new = found(line)
        threshold, direction = thresholds(len(events) + len(new))
        if not new and direction * (wave(end)[0] - threshold) > 0.0 > direction * (wave(start)[0] - threshold):
            new = found(wave)
        events += new
    return events


def sine(f, phase=0.0):
    w = 2 * math.pi * f
    return lambda t: (math.sin(w * t + phase), w * math.cos(w * t + phase))


def relay():
    """On below -0.8, off above 0.9, of a sine that curves back there: early, where the tangents pass the thresholds."""
    f = 1.37
    thresholds = lambda n: (0.9, 1) if n % 2 == 0 else (-0.8, -1)
    late = [(t, float(n % 2)) for n, t in enumerate(seen_events(sine(f), thresholds))]
    true = [(t, float(n % 2)) for n, t in enumerate(true_times(sine(f), thresholds))]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("h", "relay.switch", "low = -0.8, high = 0.9"),
                   ("d", "dahlquist", f"a = {A}, b = {B}")], [("s.y", "h.measured"), ("h.on", "d.u")], "linear")
    return text, true, late, 1.0, 0.0


def true_times(wave, thresholds):
    """Times at which the wave itself passes the thresholds, in turn."""
    times, n = [], 4000
    for k in range(n):
        threshold, direction = thresholds(len(times))
        past = lambda t, at=threshold, way=direction: (way * (wave(t)[0] - at), 0.0)
        if past(STOP_S * k / n)[0] < 0.0 < past(STOP_S * (k + 1) / n)[0]:
            times.append(zero_of(past, STOP_S * k / n, STOP_S * (k + 1) / n))
    return times


def trigger():
    """Samples sin(2 pi g t + 1) when sin(2 pi f t) rises through 0.9."""
    f, g = 1.42, 0.45
    rises = lambda n: (0.9, 1)
    value = sine(g, 1.0)
    true = [(t, value(t)[0]) for t in true_times(sine(f), rises)]
    late = [(t, tangent(value, start_of(t))(t)[0]) for t in seen_events(sine(f), rises)]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("w", "signal.sine", f"frequency = {g}, phase = 1.0"),
                   ("h", "adversary.trigger", "level = 0.9"), ("d", "dahlquist", f"a = {A}, b = {B}")],
                  [("w.y", "h.u0"), ("s.y", "h.u1"), ("h.y0", "d.u")], "linear")
    held = relative([a[1] - b[1] for a, b in zip(late, true, strict=True)], [0.0] + [v for _, v in late])
    return text, true, late, 0.0, held


def counter():
    """Counts when sin(2 pi f t) rises through 0.9."""
    f = 1.7
    rises = lambda n: (0.9, 1)
    true = [(t, float(n + 1)) for n, t in enumerate(true_times(sine(f), rises))]
    late = [(t, float(n + 1)) for n, t in enumerate(seen_events(sine(f), rises))]
    text = config([("s", "signal.sine", f"frequency = {f}"), ("h", "adversary.counter", "level = 0.9"),
                   ("d", "dahlquist", f"a = {A}, b = {B}")], [("s.y", "h.u0"), ("h.y0", "d.u")], "linear")
    return text, true, late, 0.0, abs(len(late) - len(true)) / len(late)


def main():
    n_bad = 0
    for case in (sampler, relay, trigger, counter):
        text, true, late, start, held = case()
        rows, account = run(text)
        x_true, x_late = solve(true, start), solve(late, start)
        off = max(abs(float(row["d.x"]) - x) for row, x in zip(rows, x_late))
        truth = max(relative([a - b for a, b in zip(x_late, x_true)], x_late), held)
        ratio = account["error"] / truth
        limit = 1e-9 if case is sampler else 1e-7       # tangents are those of the published wave
        is_bad = off > limit or abs(ratio - 1.0) > TOLERANCE or account["not_covered"] != ""
        n_bad += is_bad
        print(f"{'BAD ' if is_bad else ''}{case.__name__}: the run is off its formula by {off:.1e}; error {truth:.3e}, told "
              f"{account['error']:.3e}, {ratio:.3f} of it{', not covered' if account['not_covered'] else ''}")
    sys.exit(n_bad > 0)


main()
