"""Draws some windows of a trace (`wrsim run --trace`) as SVG: the picture of docs/howto/observe_a_run.md.

    draw_trace.py TRACE.json PICTURE.svg [--first N] [--windows N]

    wrsim run models/engine/engine.toml -q -D simulation.stop=0.1 -D output.file=\\"\\" -D scheduler.workers=2 -D scheduler.min_work=0 --trace t.json
    python3 tools/draw_trace.py t.json docs/howto/timeline.svg --first 216
"""
import argparse
import json
import os
import sys
import xml.sax.saxutils

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw_explanations import Drawing, INK, PALE

WIDTH, LEFT, ROW, TOP = 760, 80, 22, 30
# The colours for colour-blind readers of M. Okabe and K. Ito ("Color universal design", 2008).
TASKS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#666666", "#f0e442")
WAIT, OUTER, REJECTED, DECISION, COMMIT = "#ffffff", "#dddddd", "#e8a090", "#333333", "#ffffff"


def fill(event, names):
    kind = event["cat"]
    if kind in ("integration", "check"):
        return TASKS[names.index(event["name"]) % len(TASKS)]
    return {"wait": WAIT, "rejection": REJECTED, "decision": DECISION, "commit": COMMIT}.get(kind, OUTER)


def box(drawing, x0, x1, y, height, color, tip):
    drawing.parts.append('<rect x="%.2f" y="%.1f" width="%.2f" height="%.1f" fill="%s" stroke="%s" stroke-width="0.4"><title>%s</title></rect>'
                         % (x0, y, max(x1 - x0, 0.3), height, color, INK, xml.sax.saxutils.escape(tip)))


def draw(trace, first, n_window):
    events = trace["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    slices = [e for e in events if e["ph"] == "X"]
    windows = [e for e in slices if tracks[e["tid"]] == "windows" and e["cat"] in ("window", "rejection")][first:first + n_window]
    if not windows:
        sys.exit("the trace has no window %d; choose a smaller --first" % first)
    begin, end = windows[0]["ts"], windows[-1]["ts"] + windows[-1]["dur"]
    names = sorted({e["name"] for e in slices if e["cat"] in ("integration", "check")})
    rows, y = [], TOP
    for tid, name in sorted(tracks.items()):
        rows.append((tid, name, y))
        y += 3 * ROW if name == "windows" else 4 * ROW
    drawing = Drawing("Timeline of a run", WIDTH, y + 40)
    place = lambda t: LEFT + (WIDTH - LEFT - 20) * (min(max(t, begin), end) - begin) / (end - begin)
    levels = {"window": 0, "rejection": 0, "sweep": 1, "integration": 2, "check": 2, "wait": 2, "decision": 2, "commit": 3}
    for tid, name, top in rows:
        drawing.text(LEFT - 8, top + ROW - 6, name, anchor="end")
        for e in slices:
            if e["tid"] == tid and e["ts"] < end and e["ts"] + e["dur"] > begin:
                level = levels[e["cat"]]
                height = ROW - 4 if level < 3 else (ROW - 4) / 2
                at = top + ROW * level if level < 3 else top + ROW * 2
                box(drawing, place(e["ts"]), place(e["ts"] + e["dur"]), at, height, fill(e, names),
                    "%s, %.1f us%s" % (e["name"], e["dur"], "".join(", %s %s" % pair for pair in e.get("args", {}).items())))
    drawing.line([(LEFT, y + 4), (WIDTH - 20, y + 4)], PALE)
    drawing.text(LEFT, y + 20, "%.0f us" % begin)
    drawing.text(WIDTH - 20, y + 20, "%.0f us" % end, anchor="end")
    x = LEFT
    for color, name in [(TASKS[i % len(TASKS)], name) for i, name in enumerate(names)] + [(OUTER, "window, sweep"), (WAIT, "wait"), (DECISION, "decision")]:
        drawing.parts.append('<rect x="%d" y="4" width="12" height="12" fill="%s" stroke="%s" stroke-width="0.4"/>' % (x, color, INK))
        drawing.text(x + 16, 15, name)
        x += 16 + 8 * len(name) + 14
    return drawing.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--first", type=int, default=0, help="number of the first window")
    parser.add_argument("--windows", type=int, default=5, help="number of windows")
    options = parser.parse_args()
    with open(options.trace, encoding="utf-8") as file:
        picture = draw(json.load(file), options.first, options.windows)
    with open(options.picture, "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
