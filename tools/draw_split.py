"""Draws a config's split as a Mermaid graph: subsystems, and the number of signals between them.

    draw_split.py PROGRAM CONFIG              prints the graph
    draw_split.py PROGRAM CONFIG --check FILE exit code 1 if the graph is not in FILE

README.md shows the split of models/engine/engine.toml; the test docs_figure compares both.
"""
import json
import subprocess
import sys


def graph(program, config):
    found = json.loads(subprocess.run([program, "check", config, "--json"], capture_output=True, text=True,
                                      check=True).stdout)
    home = {component: s["name"] for s in found["subsystems"] for component in s["components"]}
    lines = ["```mermaid", "graph LR"]
    for s in found["subsystems"]:
        parts = s["components"]
        what = parts[0] if len(parts) == 1 else "%d components" % len(parts)
        if what == s["name"]:
            what = "1 component"
        lines.append('    %s["<b>%s</b><br>%s<br>%d states, %d event indicators"]'
                     % (s["name"], s["name"], what, s["n_state"], s["n_indicator"]))
    crossing = {}
    for c in found["connections"]:
        ends = home[c["from"].split(".")[0]], home[c["to"].split(".")[0]]
        if ends[0] != ends[1]: # a signal that several inputs read is one waveform
            crossing.setdefault(ends, set()).add(c["from"])
    for (source, target), signals in crossing.items():
        lines.append("    %s -- %d --> %s" % (source, len(signals), target))
    return "\n".join(lines + ["```"]) + "\n"


def main():
    text = graph(*sys.argv[1:3])
    if sys.argv[3:4] != ["--check"]:
        print(text, end="")
        return 0
    with open(sys.argv[4], encoding="utf-8") as file:
        if text in file.read():
            return 0
    print("%s has another drawing than tools/draw_split.py makes; replace the drawing by:\n%s" % (sys.argv[4], text))
    return 1


sys.exit(main())
