"""Draws the pictures of docs/explanation as SVG.

    draw_explanations.py FOLDER          writes the pictures
    draw_explanations.py FOLDER --check  exit code 1 if a picture there differs

sweeps.svg shows iterates of two coupled equations, computed here:

    x1' = -x1 + 3 x2, x2' = -3 x1 - x2, x1(0) = 1, x2(0) = 0, each solved with the last waveform of the other equation.

windows.svg is a sketch: steps, events and sweeps of three subsystems in two windows. jump.svg shows a wave that jumps, and a consumer with
x' = 2 (u - x).
"""
import os
import sys

WIDTH, HEIGHT, N = 640, 300, 400
INK, PALE, BLUE, RED = "#333", "#bbb", "#1f5fa8", "#b3342b"


class Drawing:
    def __init__(self, title, width, height):
        self.size = width, height
        self.parts = ["<title>%s</title>" % title, '<rect width="%d" height="%d" fill="#fff"/>' % (width, height)]

    def line(self, points, color, width=1.5, dash=""):
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%s"%s/>' % (
            " ".join("%.1f,%.1f" % p for p in points), color, width, ' stroke-dasharray="%s"' % dash if dash else ""))

    def text(self, x, y, text, color=INK, anchor="start"):
        self.parts.append('<text x="%.1f" y="%.1f" fill="%s" text-anchor="%s">%s</text>' % (x, y, color, anchor, text))

    def svg(self):
        return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">\n%s\n</svg>\n'
                % (*self.size, "\n".join(self.parts)))


def solve(x0, factor, other, dt):
    """Solves x' = -x + factor * other by Heun's method on the grid of other."""
    x = [x0]
    for i in range(len(other) - 1):
        k1 = -x[-1] + factor * other[i]
        k2 = -(x[-1] + dt * k1) + factor * other[i + 1]
        x.append(x[-1] + dt * (k1 + k2) / 2)
    return x


def iterates(stop, n_sweeps):
    """Returns the waveform of x1 after each sweep. The first waveform is the prediction x = x(0)."""
    dt, x1, x2 = stop / N, [1.0] * (N + 1), [0.0] * (N + 1)
    kept = [x1]
    for _ in range(n_sweeps):
        x1, x2 = solve(1.0, 3.0, x2, dt), solve(0.0, -3.0, x1, dt)
        kept.append(x1)
    return kept


def sweeps():
    drawing = Drawing("Iterates of a waveform", WIDTH, HEIGHT)
    stop = 1.2
    waves = iterates(stop, 40)

    def place(wave):
        return [(50 + 520 * i / N, 90 - 60 * x) for i, x in enumerate(wave)][::8]

    drawing.line([(50, 290), (50, 15)], INK, 1)
    drawing.line([(50, 90), (580, 90)], PALE, 1)
    drawing.text(56, 24, "x1")
    drawing.text(585, 94, "t")
    for k, color, dash in ((0, PALE, "2 3"), (1, RED, "2 3"), (2, RED, "6 4"), (3, BLUE, "6 4"), (4, BLUE, "")):
        drawing.line(place(waves[k]), color, 1.5, dash)
    drawing.line(place(waves[-1]), INK, 2.5)
    for row, (label, color) in enumerate((("prediction: held", PALE), ("sweep 1 (dotted), sweep 2 (dashed)", RED),
                                          ("sweep 3 (dashed), sweep 4 (solid)", BLUE), ("one solver", INK))):
        drawing.text(70, 225 + 18 * row, label, color)
    return drawing.svg()


def windows():
    drawing = Drawing("Windows, steps and events", WIDTH, 220)
    rows = (("airpath", (0, 12, 20, 31, 40, 52, 64, 72, 88, 100), (31,), (0, 9, 22, 31, 44, 58, 70, 84, 100), (58,)),
            ("cylinder 1", (0, 22, 44, 52, 75, 100), (44,), (0, 30, 55, 78, 100), ()),
            ("cylinder 2", (0, 25, 60, 100), (), (0, 18, 30, 52, 80, 100), (30,)))
    for x in (110, 360, 610):
        drawing.line([(x, 30), (x, 160)], INK, 1.5)
    drawing.text(235, 22, "window 1", INK, "middle")
    drawing.text(485, 22, "window 2", INK, "middle")
    for row, (name, first, first_events, second, second_events) in enumerate(rows):
        y = 60 + 40 * row
        drawing.text(100, y + 4, name, INK, "end")
        drawing.line([(110, y), (610, y)], PALE, 1)
        for left, steps, events in ((110, first, first_events), (360, second, second_events)):
            for at in steps:
                x = left + 2.5 * at
                is_event = at in events
                drawing.line([(x, y - (12 if is_event else 5)), (x, y + (12 if is_event else 5))],
                             RED if is_event else BLUE, 2.5 if is_event else 1.5)
    drawing.text(110, 188, "blue: steps, each subsystem takes its own", BLUE)
    drawing.text(110, 208, "red: an event stops only the subsystem of the event", RED)
    return drawing.svg()


def jump():
    """Draws a wave with a jump in the middle, and the consumer's steps. Times are shares of the window."""
    drawing = Drawing("An event across a cut", WIDTH, 260)
    at = 0.5

    def wave(t):
        return 0.2 + 0.3 * t if t < at else 0.95 - 0.2 * t

    def place(t, value, low):
        return 110 + 480 * t, low - 80 * value

    grid = [i / N for i in range(N + 1)]
    x, state = 0.2, []
    for t in grid:
        state.append(x)
        x += 2 * (wave(t) - x) / N
    halves = (0.0, 0.18, 0.34, at), (at, 0.7, 1.0)
    for low, name in ((110, "producer: y"), (220, "consumer: x")):
        drawing.line([place(0, 0, low), place(1, 0, low)], PALE, 1)
        drawing.text(100, low - 30, name, INK, "end")
    drawing.line([place(at, 1.1, 110), place(at, -0.05, 220)], RED, 1, "4 3")
    for nodes in halves:
        limits = [wave(min(t, at - 1e-9)) if nodes is halves[0] else wave(t) for t in nodes]
        drawing.line([place(t, y, 110) for t, y in zip(nodes, limits)], BLUE)
        for t, y in zip(nodes, limits):
            left, top = place(t, y, 110)
            drawing.line([(left - 3, top), (left + 3, top)], RED if t == at else BLUE, 6)
    drawing.line([place(t, value, 220) for t, value in zip(grid, state)][::8], BLUE)
    for t in (0.0, 0.27, at, 0.62, 0.85, 1.0):
        left, top = place(t, state[round(t * N)], 220)
        drawing.line([(left, top - 6), (left, top + 6)], RED if t == at else BLUE, 2)
    drawing.text(342, 30, "event: two nodes at one time, left and right", RED, "end")
    drawing.text(110, 248, "the consumer's step ends at the jump; the next step begins with the right value", INK)
    return drawing.svg()


def main():
    folder, code = sys.argv[1], 0
    for name, drawn in (("sweeps.svg", sweeps()), ("windows.svg", windows()), ("jump.svg", jump())):
        path = os.path.join(folder, name)
        if sys.argv[2:] != ["--check"]:
            with open(path, "w", encoding="ascii") as file:
                file.write(drawn)
            continue
        with open(path, encoding="ascii") as file:
            if file.read() != drawn:
                print("%s differs: run tools/draw_explanations.py docs/explanation" % path)
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
