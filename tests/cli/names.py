"""Unusual names of variables, in all places of a config and of results (name_models.c).

    names.py WRSIM PLUGIN
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

WRSIM, PLUGIN = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
NAMES = ["a.b.c", 'q"uo,te', "br[1,2].x", "blank name [bar]", "\u00fcn\u00ef.\U0001f697", "p*?", "x > y", "p -> q", "x" * 256, "%20 %",
         "/sl/ash", "..", "# hash", "'one'", "back\\slash", " ends ", "=", "der(w[3])", "w]", "</script><b>&amp;"]
STATES, INPUTS = [n[:250] + "'" for n in NAMES], [n[:250] + "<" for n in NAMES]


def wrsim(*arguments, code=0):
    done = subprocess.run([WRSIM, *arguments], capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    if done.returncode != code:
        sys.exit(f"wrsim {' '.join(arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(is_good, what):
    if not is_good:
        sys.exit(f"wrong: {what}")


def q(text):
    """Returns a quoted TOML string."""
    return json.dumps(text, ensure_ascii=False)


def config(extra="", kind=""):
    component = f'model = "names"\nparameters = {{ "rate.of[1]" = 2.0, "te xt" = "t.x" }}\nstart = {{ {q(STATES[0])} = 3.5 }}\n'
    text = (f'[simulation]\nstop = 1.0\ncommunication_step = 0.1\nrtol = 1e-6\n[output]\nsignals = ["a.*", "b.*"]\n[[plugin]]\nfile = {q(PLUGIN)}\n'
            f'[[component]]\nname = "a"\n{component}[[component]]\nname = "b"\n{component}'
            f'[[subsystem]]\nname = "first"\ncomponents = ["a"]\n{kind}')
    for output, name in zip(NAMES, INPUTS):
        text += f"[[connection]]\nfrom = {q('a.' + output)}\nto = [{q('b.' + name)}]\n"
    return text + extra


def write(text, path="case.toml"):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def columns(path):
    """Returns the columns of a CSV file by header."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def header(component, i):
    """Returns the name of a column. If a variable has no unit, and its name ends like a unit, empty brackets follow."""
    unit = " [N m]" if i % 2 else " []" if NAMES[i].endswith("]") and " [" in NAMES[i] else ""
    return f"{component}.{NAMES[i]}{unit}"


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    case = write(config())
    wrsim(case, "-q", "-o", "run.csv")
    wrsim(case, "-q", "-o", "run.h5", "-D", "output.waves=true")
    run = columns("run.csv")
    for k, _ in enumerate(NAMES):
        expect(header("a", k) in run and header("b", k) in run, f"column of {NAMES[k][:40]!r} in {list(run)}")
    expect(run["a.a.b.c"][0] == "3.5", "start value with a quoted key")
    shown = wrsim("compare", "run.csv", "run.h5")
    for name in NAMES:
        expect("b." + name in shown, f"compare lacks {name[:40]!r}")
    # The text of the config in the results gives the same results.
    with open("run.csv.json", encoding="utf-8") as file:
        about = json.load(file)
    expect([item["column"] for item in about["signals"]] == list(run)[2:], "columns of the description")
    wrsim(write(about["config"], "again.toml"), "-q", "-o", "again.csv")
    expect(columns("again.csv") == run, "config in the results")
    # Overrides, and one signal by its exact name
    wrsim(case, "-q", "-o", "one.csv", "-D", f"component.a.start.{q(STATES[1])}=7", "-D", f"output.signals=[{q('a.' + NAMES[1])}, {q('b.p*?')}]",
          "-D", "component.b.parameters.'rate.of[1]' = 0")
    one = columns("one.csv")
    expect(list(one) == ["time [s]", "kind", header("a", 1), header("b", 5)], list(one))
    expect(one[header("a", 1)][0] == "7" and len(set(one[header("b", 5)])) == 1, "overrides with quoted keys")
    expect("write a name with a dot in quotes" in wrsim(case, "-D", "component.a.start.a.b=1", code=3), "hint for a key without quotes")
    for bad in ('component.a.start."a=1', 'component.a.start."a"b=1', "component.a.start.''=1", 'component.a.start."a"'):
        wrsim(case, "-D", bad, code=3)
    wrsim("sweep", case, "-D", f"component.a.start.{q(STATES[16])}=1,2", "-D", "component.a.parameters.'rate.of[1]'=3", "-o", "sweep",
          "--results", '"a.br[1,2].x","max:a.q""uo,te",max:b.p*?')
    with open("sweep/table.csv", encoding="utf-8", newline="") as file:
        table = list(csv.reader(line for line in file if not line.startswith("#")))
    expect(f"component.a.start.{q(STATES[16])}" in table[0], table[0])
    expect([c for c in table[0] if c.startswith(("a.", "max:"))] == ["a.br[1,2].x", 'max:a.q"uo,te [N m]', "max:b.p*? [N m]"], table[0])
    # A reduced model keeps names and units.
    wrsim("reduce", case, "--component", "a", "--order", "2", "-o", "reduced")
    wrsim("reduced/reduced.toml", "-q", "-o", "reduced.csv")
    expect(header("a", 1) in columns("reduced.csv"), list(columns("reduced.csv")))
    # Ports, scenarios and conditions
    extra = "".join(f'[[port]]\nname = "p{k}"\nfrom = {q("b." + name)}\n' for k, name in enumerate(NAMES))
    extra += "".join(f'[[port]]\nname = "i{k}"\nto = {q("a." + name)}\nstart = 0.5\n' for k, name in enumerate(INPUTS))
    extra += "".join(f'[[scenario]]\nname = "s{k}"\nsignal = {q("a." + name)}\naction = "override"\nvalue = {100 + k}.0\n'
                     f'when = {q("b." + STATES[(k + 1) % len(NAMES)] + " < 0.9")}\n' for k, name in enumerate(NAMES))
    wrsim(write(config(extra), "more.toml"), "-q", "-o", "more.csv", "-D", f"output.signals=[{q('b.' + INPUTS[6])}, 's5.value']")
    expect(header("b", 0) not in columns("more.csv"), "signals of the run with scenarios")
    found = json.loads(wrsim("check", "more.toml", "--json"))
    for output, name in zip(NAMES, INPUTS):
        expect({"b." + output} <= {s for p in found["ports"] for s in p["signals"]}, "ports of check")
        expect(any(c["to"] == "b." + name for c in found["connections"]), "connections of check")
    # A recording replaces a component.
    wrsim(write(config(kind='kind = "replay"\nfile = "run.h5"\n'), "replay.toml"), "-q", "-o", "replay.csv")
    replay = columns("replay.csv")
    for k, _ in enumerate(NAMES):
        error = max(abs(float(x) - float(y)) for x, y in zip(run[header("b", k)], replay[header("b", k)]))
        expect(error < 1e-5, f"replay of {NAMES[k][:40]!r}: {error}")
    # Files of tools
    wrsim("analyze", case, "-o", "structure")
    with open("structure/incidence.csv", encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(line for line in file if not line.startswith("#")) for cell in row}
    for name in STATES:
        expect("a." + name in cells, f"incidence.csv lacks {name[:40]!r}")
    for k in range(5):
        bad_case = write(f'[simulation]\nstop = 1.0\n[[plugin]]\nfile = {q(PLUGIN)}\n[[component]]\nname = "a"\nmodel = "bad{k}"\n', "bad.toml")
        expect("state number 0 has no valid name; a name has 1 to 256 bytes of UTF-8" in wrsim(bad_case, "-q", code=4), f"bad name {k}")
print("ok")
