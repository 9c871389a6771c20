"""Tanks whose levels meet. At equal levels the derivative of the right-hand side is infinite."""
import math

from case_table import Case, at


def two_tanks(name, k, areas, heads, rise, stop):
    """Two tanks joined by an orifice. Both have the same inflow per area, so that their mean level is known."""
    whole = sum(areas)
    rate = k * (1 / areas[0] + 1 / areas[1]) / 2  # decrease of sqrt(head) per second, until the head is 0
    mean = (areas[0] * heads[0] + areas[1] * heads[1]) / whole
    head = heads[0] - heads[1]

    def exact(t):
        root = max(math.sqrt(abs(head)) - rate * t, 0.0)
        now = math.copysign(root * root, head)
        level = mean + rise * t
        return {"left.h": level + now * areas[1] / whole, "right.h": level - now * areas[0] / whole}
    return Case(name, "two tanks that level out through an orifice",
                [at("left", "split.tank", {"h": heads[0]}, k=k, area=areas[0], inflow=rise * areas[0]),
                 at("right", "split.tank", {"h": heads[1]}, k=k, area=areas[1], inflow=rise * areas[1])],
                [("left.h", "right.other"), ("right.h", "left.other")], [["left"], ["right"]],
                {"left.h": "c", "right.h": "c"}, stop=stop, step=stop / 100, gives_up=True, exact=exact, agree=3e-6,
                references=[("rosenbrock_w", 1e-10), ("rosenbrock", 1e-11)])


def tanks_cross():
    """The lower tank fills faster: the levels cross once and come to rest apart. The run keeps its split."""
    return Case("tanks_cross", "two tanks whose levels cross on the way to different levels",
                [at("left", "split.tank", {"h": 1.0}, k=0.5, area=1.0, inflow=0.5),
                 at("right", "split.tank", {"h": 1.6}, k=0.5, area=1.0, inflow=-0.5)],
                [("left.h", "right.other"), ("right.h", "left.other")], [["left"], ["right"]],
                {"left.h": "c", "right.h": "c"}, stop=4.0, step=0.04, agree=3e-6,
                references=[("rosenbrock_w", 1e-10), ("rosenbrock", 1e-11)])


def cases():
    return [two_tanks("tanks_level", 1.0, (1.0, 2.0), (2.0, 1.0), 0.0, 3.0),
            two_tanks("tanks_level_rising", 0.4, (0.7, 0.3), (1.0, 1.6), 0.2, 2.0), tanks_cross()]
