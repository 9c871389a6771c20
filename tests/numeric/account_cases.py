"""Random cases for the error account: splitting errors pass samplers, relays, triggers, counters, latches and impacts.

A seed determines a case, which has the notation of tests/adversary/adversary.py. Each family has a source (one model, or two coupled
oscillators) and events that pass the splitting error on.
"""
import random


def source(draw):
    """Adds two coupled oscillators, which err if sweeps do not converge, or one model without inputs, which does not err.

    In the second case only the readers of the source err, because their inputs belong to an earlier time. Returns the source's index.
    """
    rng = draw.rng
    if rng.random() < 0.5:
        return draw.add(rng.choice(["osc", "rotor", "sine"]))
    first = draw.add("osc", k=rng.choice([-1, 1]) * rng.uniform(0.2, 0.4))
    second = draw.add("osc", k=rng.choice([-1, 1]) * rng.uniform(0.2, 0.4))
    draw.wire(first, 0, second)
    draw.wire(second, 0, first)
    return first


def reader(draw, event, i_output=0):
    """Adds a state that integrates the error of an event's output."""
    draw.wire(event, i_output, draw.add(draw.rng.choice(["integrator", "lag"])))


def sampler(draw):
    held = draw.add("sampler")
    draw.wire(source(draw), 0, held)
    reader(draw, held)


def samplers(draw):
    last = source(draw)
    period = draw.rng.choice([0.1, 0.2, 0.25])
    for _ in range(draw.rng.randint(2, 3)):
        is_same = draw.rng.random() < 0.5
        held = draw.add("sampler", period=period * (1.0 if is_same else draw.rng.choice([0.618, 1.4142])))
        draw.wire(last, 0, held)
        last = held
    reader(draw, last)


def control(draw):
    """A sampled controller: the held value drives the state that the controller samples."""
    rng = draw.rng
    plant = draw.add("lag", T=rng.uniform(0.2, 1.0), k=rng.uniform(-1.2, -0.4), c=rng.uniform(0.3, 0.8))
    held = draw.add("sampler")
    draw.wire(plant, 0, held)
    draw.wire(held, 0, plant)
    total = draw.add("sum")
    draw.wire(plant, 0, total, 0)
    draw.wire(source(draw), 0, total, 1)
    reader(draw, total)


def thermostat(draw):
    rng = draw.rng
    heat, wall = rng.uniform(0.8, 1.5), draw.add("lag", T=rng.uniform(0.1, 0.5), k=1.0, c=0.0)
    room = draw.add("lag", T=rng.uniform(0.1, 0.6), k=1.0, c=0.0)
    middle, half = rng.uniform(-0.2, 0.2) * heat, rng.uniform(0.08, 0.2)
    relay = draw.add("relay", low=middle - half, high=middle + half, sign=-1.0, start=rng.choice([0.0, 1.0]))
    gain = draw.add("gain", a=heat, c=0.0)
    draw.wire(relay, 0, gain)
    draw.wire(gain, 0, wall)
    draw.wire(wall, 0, room)
    draw.wire(room, 0, relay)
    if rng.random() < 0.5:
        reader(draw, relay)


def weather(draw):
    """A thermostat of a room with a disturbance."""
    rng = draw.rng
    room, total = draw.add("lag", T=rng.uniform(0.2, 0.8), k=1.0, c=0.0), draw.add("sum", a=1.0, b=rng.uniform(-0.5, -0.2))
    relay = draw.add("relay", low=-rng.uniform(0.1, 0.25), high=rng.uniform(0.1, 0.25), sign=-1.0, start=0.0)
    draw.wire(relay, 0, total, 0)
    draw.wire(source(draw), 0, total, 1)
    draw.wire(total, 0, room)
    draw.wire(room, 0, relay)


def relay(draw):
    switch = draw.add(draw.rng.choice(["relay", "relay.switch", "toggle", "pulse", "gate"]))
    first = source(draw)
    draw.wire(first, 0, switch)
    if draw.components[switch]["kind"] == "gate":
        draw.wire(first, 1, switch, 0)
        draw.wire(first, 0, switch, 1)
    reader(draw, switch)


def counter(draw):
    count = draw.add("counter")
    draw.wire(source(draw), 0, count)
    reader(draw, count)


def latch(draw):
    first, second = source(draw), draw.add(draw.rng.choice(["sine", "rotor", "osc"]))
    held = draw.add("latch")
    draw.wire(first, 0, held, 0)
    draw.wire(second, 0, held, 1)
    reader(draw, held)


def trigger(draw):
    first = source(draw)
    second = draw.add(draw.rng.choice(["osc", "rotor"]))
    held = draw.add("trigger")
    draw.wire(second, 0, held, 0)
    draw.wire(first, 0, held, 1)
    reader(draw, held)


def triggered(draw):
    """The switching of a relay triggers a sample of a smooth signal at the same instant."""
    first = source(draw)
    switch, held = draw.add("relay", sign=1.0), draw.add("trigger")
    draw.wire(first, 0, switch)
    draw.wire(switch, 0, held, 1)
    draw.wire(draw.add("osc"), 0, held, 0)
    reader(draw, held)


def echo(draw):
    held, second = draw.add("sampler", period=0.2, offset=0.2), draw.add("echo", period=0.2, offset=0.2)
    draw.wire(source(draw), 0, held)
    draw.wire(held, 0, second)
    reader(draw, second, draw.rng.randrange(2))


def ball(draw):
    impact = draw.add("ball", k=draw.rng.uniform(0.05, 0.2), kick=draw.rng.uniform(1.5, 4.0))
    draw.wire(source(draw), 0, impact)
    reader(draw, impact, draw.rng.randrange(2))


def filler(draw):
    full = draw.add("filler", k=draw.rng.uniform(0.1, 0.4))
    draw.wire(source(draw), 0, full)
    reader(draw, full)


FAMILIES = {f.__name__: f for f in (sampler, samplers, control, thermostat, weather, relay, counter, latch, trigger, triggered,
                                    echo, ball, filler)}


def draw_case(adversary, family, seed):
    """Returns a random case in the notation of adversary.py."""
    draw = adversary.Draw(f"account {family} {seed}")
    rng = draw.rng
    FAMILIES[family](draw)
    adversary.draw_sizes(draw)
    case = {"seed": seed, "rtol": 1e-4, "step_s": draw.step_s, "stop_s": min(draw.stop_s, rng.uniform(1.0, 4.0)),
            "components": draw.components,
            "wires": [[draw.components[s]["name"], i, draw.components[r]["name"], k]
                      for (r, k), (s, i) in sorted(draw.wires.items())],
            "settings": {"solver.kind": "dopri54"}}
    adversary.draw_groups(draw, case)
    if rng.random() < 0.7:
        case["groups"] = [{"components": [c["name"]]} for c in case["components"]]
    for group in case["groups"]:
        group.pop("solver", None)
    return case


def sabotage(rng):
    """Returns options with which the splitting error of many cases exceeds rtol."""
    options = [f"simulation.rtol={10.0 ** -rng.uniform(3.0, 6.0):.3g}",
               f"relaxation.convergence={rng.choice([0.1, 1.0, 10.0, 10.0, 100.0, 100.0, 1000.0, 1000.0])}",
               "relaxation.error_limit=0"]
    if rng.random() < 0.6:
        window = 0.05 * 10.0 ** rng.uniform(-0.7, 0.8)
        options += [f"relaxation.window.control={rng.choice(['fixed', 'work'])}", f"relaxation.window.initial={window:.4g}",
                    f"relaxation.window.max={max(window, 1.0):.4g}"]
    if rng.random() < 0.3:
        options.append(f"relaxation.prediction={rng.choice(['hold', 'linear', 'quadratic'])}")
    options.append(f"relaxation.scheme={rng.choice(['jacobi', 'gauss_seidel'])}")
    if rng.random() < 0.1:
        options.append("relaxation.acceleration=anderson")
    return options


def is_level(kind):
    """Returns whether signals of this kind have real values. The comparison omits all other kinds."""
    return kind in ("wave", "slow", "positive", "force", "level")


def random_of(seed):
    return random.Random(f"account families {seed}")
