"""The same small models at time scales from 1e-15 to 1e12 s: rates are 1 / scale, values of order one."""
import math

from case_table import PI, Case, at


def triangle(tau):
    """Returns (x, number of flips) at the time tau in units of the scale: x' = y from x = 0, and y = 1 flips at x = 1 and x = -1."""
    phase = tau + 1.0
    n = math.floor(phase / 2.0)
    rest = phase - 2.0 * n
    return (rest - 1.0 if n % 2 == 0 else 1.0 - rest), n


def bang_bang(name, scale, n_half, n_point=40):
    """An integrator and a relay. Only events determine the period, so that their delays add up."""
    stop = scale * (2.0 * n_half + 0.3)

    def exact(t):
        x, n = triangle(t / scale)
        return {"int.x": x, "relay.n": n}
    return Case(name, "an integrator that a relay turns round, %d times" % n_half,
                [at("int", "split.fast", rate=1.0 / scale), at("relay", "split.relay")],
                [("int.x", "relay.u"), ("relay.y", "int.u")], [["int"], ["relay"]],
                {"int.x": "c", "relay.n": "n"}, stop=stop, step=stop / n_point, exact=exact,
                timing=2.0 * scale, hair_max=0.1 * scale, window=10.0 * scale, scale=scale, divide=1, most=30.0,
                settings=["rtol=1e-8", "rtol=1e-3 scheme=gauss_seidel"])


def early_event(name, scale):
    """A ramp passes a threshold. From then on another ramp falls."""
    def exact(t):
        tau = t / scale
        return {"ramp.x": tau, "relay.n": float(tau >= 1.0), "back.x": tau if tau < 1.0 else 2.0 - tau}
    return Case(name, "a ramp passes a threshold at %g s of %g s" % (scale, 1.6 * scale),
                [at("ramp", "split.fast", rate=1.0 / scale, a=1.0, b=0.0), at("relay", "split.relay"),
                 at("back", "split.fast", rate=1.0 / scale)],
                [("ramp.x", "relay.u"), ("relay.y", "back.u")], [["ramp"], ["relay"], ["back"]],
                {"ramp.x": "c", "relay.n": "n", "back.x": "c"}, stop=1.6 * scale,
                step=0.16 * scale, exact=exact, timing=1.6 * scale, hair_max=0.05 * scale,
                window=0.3 * scale, scale=scale, most=30.0)


def counted_turns(name, scale, n_turn=40):
    """sin(2 pi t / scale) drives a relay that switches at +-0.5, and an integrator reads the relay."""
    up = 1.0 / 12.0 # sin(2 pi up) = 0.5

    def exact(t):
        phase = t / scale - up
        n = math.floor(2.0 * phase) + 1 # a fall follows a rise by half a turn
        rest = phase - 0.5 * (n - 1) if n > 0 else phase + up
        # y = 1 until the first switch, then -1, 1, ...
        x = up + (0.0 if n % 2 else -0.5) + (rest if n % 2 == 0 else -rest) if n > 0 else rest
        return {"turn.x": math.sin(2 * PI * t / scale), "relay.n": n, "sum.x": x}
    return Case(name, "an oscillation of a period of %g s into a relay and an integrator" % scale,
                [at("turn", "split.turn", rate=2 * PI / scale), at("relay", "split.relay", high=0.5),
                 at("sum", "split.fast", rate=1.0 / scale)],
                [("turn.x", "relay.u"), ("relay.y", "sum.u")], [["turn"], ["relay"], ["sum"]],
                {"turn.x": "c", "relay.n": "n", "sum.x": "c"}, stop=scale * n_turn,
                step=scale * n_turn / 40.3, exact=exact, timing=scale, hair_max=0.1 * scale,
                window=0.5 * scale, scale=scale, divide=32, most=200.0)


def ball(name, scale, restitution, threshold=0.02):
    """Returns a case: a ball that falls from 0.5 with an acceleration of 1/scale^2, and a counter in another subsystem."""
    def flight(tau):
        """Returns (number of impacts, time since the last impact, speed after this impact) at tau."""
        if tau < 1.0:
            return 0, tau, 0.0
        start, v, n = 1.0, restitution, 1
        while tau >= start + 2.0 * v:
            start, v, n = start + 2.0 * v, v * restitution, n + 1
        return n, tau - start, v

    def exact(t):
        n, rest, v = flight(t / scale)
        h = (v * rest if n else 0.5) - 0.5 * rest * rest
        is_late = n > 0 and rest > v # the ball falls again
        return {"ball.h": h, "ball.n": n,
                "count.falls": n + (h <= threshold and (n == 0 or is_late)),
                "count.rises": n - (n > 0 and h <= threshold and not is_late)}
    stop = 9.7 * scale
    return Case(name, "a ball that bounces at a time scale of %g s" % scale,
                [at("ball", "split.ball", rate=1.0 / scale, restitution=restitution),
                 at("count", "split.counter", threshold=threshold)],
                [("ball.h", "count.u")], [["ball"], ["count"]],
                {"ball.h": "c", "ball.n": "n", "count.falls": "n", "count.rises": "n"}, stop=stop,
                step=stop / 48.5, exact=exact, timing=scale, hair_max=0.05 * scale, window=0.4 * scale,
                scale=scale, divide=4, most=30.0)


def cases():
    return [
        bang_bang("bang_bang", 2.5e-6, 2000), early_event("early_event", 1e-13), counted_turns("turns_30ns", 3e-8),
        *[bang_bang("bang_bang_%g" % scale, scale, 60) for scale in (1e-15, 1e12)],
        *[counted_turns("turns_%g" % scale, scale, 7) for scale in (1e-15, 1e6)],
        *[ball("ball_%g" % scale, scale, 0.85) for scale in (1e-15, 1e-9, 1.0, 1e6, 1e12)],
    ]
