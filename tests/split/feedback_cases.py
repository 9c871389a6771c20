"""Loops of events: a switch whose output supports it through another subsystem at the same instant."""
import math

from case_table import PI, Case, at


def schmitt_trigger(frequency=1.7, share=0.3):
    """sin(w t) -> comparator -> divider -> comparator: on above +share, off below -share."""
    w = 2 * PI * frequency
    up = math.asin(share)       # phase of the first rise; the first fall is half a turn later

    def exact(t):
        phase = w * t - up
        return {"comp.rises": math.floor(phase / (2 * PI)) + 1,
                "comp.falls": math.floor((phase - PI) / (2 * PI)) + 1,
                "comp.y": 1.0 if phase >= 0 and phase % (2 * PI) < PI else -1.0,
                "osc.x": math.sin(w * t)}
    return Case("schmitt_trigger", "a comparator with positive feedback through a divider",
                [at("osc", "split.oscillator", {"x": 0.0, "v": w}, omega=w), at("comp", "split.comparator"),
                 at("div", "split.map", k1=share)],
                [("osc.x", "comp.u"), ("comp.y", "div.u1"), ("div.y", "comp.back")],
                [["osc"], ["comp"], ["div"]],
                {"comp.rises": "n", "comp.falls": "n", "comp.y": "n", "osc.x": "c"},
                stop=3.0, step=0.05, exact=exact, timing=1.0, divide=16)


def cases():
    return [schmitt_trigger()]
