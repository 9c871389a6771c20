#!/usr/bin/python3
"""Systems of SSP: runs against equal configs, random hierarchies against a second flattening, temporary folders. TAP.

    ssp_run.py --wrsim PROGRAM --fmus FOLDER [test]...

WRSIM_SYSTEMS="FIRST COUNT" selects other random hierarchies.
"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import zipfile
from xml.sax.saxutils import quoteattr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs
import tap
from tap import expect

SPACES = " ".join(f'xmlns:{short}="http://ssp-standard.org/SSP1/SystemStructure{name}"' for short, name in
                  (("ssd", "Description"), ("ssc", "Common"), ("ssv", "ParameterValues"), ("ssm", "ParameterMapping")))
# Units with factor and offset to SI; None: no unit.
KINDS = [{None: (1.0, 0.0)},
         {"Pa": (1.0, 0.0), "bar": (1e5, 0.0), "kPa": (1e3, 0.0), "torr": (133.322, 0.0)},
         {"K": (1.0, 0.0), "degC": (1.0, 273.15), "degF": (5 / 9, 459.67 * 5 / 9), "degX": (2.0, -10.0)}]
# Units that FMUs and systems define.
OWN = ('<ssc:Unit name="torr"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="133.322"/></ssc:Unit>'
       '<ssc:Unit name="degX"><ssc:BaseUnit K="1" factor="2" offset="-10"/></ssc:Unit>')


class Bench:
    def __init__(self, wrsim, fmus, folder):
        self.wrsim, self.fmus, self.folder = wrsim, fmus, folder

    def call(self, *words, code=0):
        done = subprocess.run([self.wrsim, *words], capture_output=True, text=True, check=False, timeout=120, cwd=self.folder,
                              env={**os.environ, "TMPDIR": str(self.folder)})
        expect(done.returncode == code, f"{words}: {done.returncode} {done.stderr}")
        return done

    def results(self, name, *options):
        """Returns the lines of the results of a config, FMU or system."""
        self.call(name, "-q", "-o", "r.csv", *runs.defined(options))
        return runs.lines_of(self.folder / "r.csv")

    def package(self, name, system, files=(), sources=("oscillator_2", "thermostat_2", "cs_2", "sampler_2")):
        with zipfile.ZipFile(self.folder / name, "w") as to:
            to.writestr("SystemStructure.ssd", system)
            for source in sources:
                to.write(self.fmus / f"{source}.fmu", f"resources/{source}.fmu")
            for path, content in files:
                to.writestr(path, content)

    def with_units(self, u, y):
        """Returns the bytes of an oscillator whose input and output have units."""
        source = zipfile.ZipFile(self.fmus / "oscillator_2.fmu")
        with zipfile.ZipFile(self.folder / "units.fmu", "w") as fmu:
            for item in source.namelist():
                content = source.read(item)
                for name, unit in (("u", u), ("y", y)) if item == "modelDescription.xml" else ():
                    begin, end = f'name="{name}" '.encode(), b"<Real"
                    at = content.index(end, content.index(begin)) + len(end)
                    content = content[:at] + (f' unit="{unit}"' if unit else "").encode() + content[at:]
                if item == "modelDescription.xml":
                    content = content.replace(b"<ModelVariables>", f"<UnitDefinitions>{OWN.replace('ssc:', '')}</UnitDefinitions><ModelVariables>".encode())
                fmu.writestr(item, content)
        return (self.folder / "units.fmu").read_bytes()


def description(system, more="", stop="1"):
    return (f'<?xml version="1.0" encoding="UTF-8"?><ssd:SystemStructureDescription {SPACES} version="1.0" name="test">{system}{more}'
            f'<ssd:DefaultExperiment stopTime="{stop}"/></ssd:SystemStructureDescription>')


def element(tag, name, inside, **attributes):
    return f"<ssd:{tag} name={quoteattr(name)}{''.join(f' {k}={quoteattr(v)}' for k, v in attributes.items())}>{inside}</ssd:{tag}>"


def connectors(rows):
    """rows: name, kind, unit."""
    return "<ssd:Connectors>" + "".join(f'<ssd:Connector name={quoteattr(name)} kind="{kind}">' + (f'<ssc:Real unit="{unit}"/>' if unit else "")
                                        + "</ssd:Connector>" for name, kind, unit in rows) + "</ssd:Connectors>"


def connection(start, end, change=None, suppress=False):
    """start, end: element or None, connector. change: factor, offset."""
    ends = ""
    for side, (owner, name) in (("start", start), ("end", end)):
        ends += (f" {side}Element={quoteattr(owner)}" if owner else "") + f" {side}Connector={quoteattr(name)}"
    inside = "" if change is None else f'<ssc:LinearTransformation factor="{change[0]!r}" offset="{change[1]!r}"/>'
    return f'<ssd:Connection{ends}{" suppressUnitConversion=" + quoteattr("true") if suppress else ""}>{inside}</ssd:Connection>'


def binding(values, prefix="", changes=None):
    """values: name -> number. changes: source -> target, factor, offset."""
    inside = "".join(f'<ssv:Parameter name={quoteattr(n)}><ssv:Real value="{v!r}"/></ssv:Parameter>' for n, v in values.items())
    text = f'<ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>{inside}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
    if changes is not None:
        text += '<ssd:ParameterMapping><ssm:ParameterMapping version="1.0">' + "".join(
            f'<ssm:MappingEntry source={quoteattr(s)} target={quoteattr(t)}><ssc:LinearTransformation factor="{a!r}" offset="{b!r}"/></ssm:MappingEntry>'
            for s, (t, a, b) in changes.items()) + "</ssm:ParameterMapping></ssd:ParameterMapping>"
    return f"<ssd:ParameterBinding prefix={quoteattr(prefix)}>{text}</ssd:ParameterBinding>"


class System:
    """A system of a random hierarchy. path: names of the systems from the root, which has the path ()."""

    def __init__(self, path):
        self.path, self.elements, self.connectors, self.connections, self.bindings = path, [], [], [], []

    def text(self, name):
        elements = "".join(e.text(e.path[-1]) if isinstance(e, System) else e.text() for e in self.elements)
        bindings = f"<ssd:ParameterBindings>{''.join(self.bindings)}</ssd:ParameterBindings>" if self.bindings else ""
        return element("System", name, connectors(self.connectors) + bindings + f"<ssd:Elements>{elements}</ssd:Elements>"
                       f"<ssd:Connections>{''.join(self.connections)}</ssd:Connections>")


class Leaf:
    """An oscillator of a random hierarchy."""

    def __init__(self, owner, name, u, y):
        self.owner, self.name, self.unit, self.values, self.bindings = owner, name, {"u": u, "y": y}, {}, []
        self.path = owner.path + (name,)

    def text(self):
        bindings = f"<ssd:ParameterBindings>{''.join(self.bindings)}</ssd:ParameterBindings>" if self.bindings else ""
        return element("Component", self.name, connectors([("u", "input", None), ("y", "output", self.unit["y"])]) + bindings,
                       source=f"resources/{self.unit['u']}%20{self.unit['y']}.fmu")


class Case:
    """A random hierarchy, and the config of its flat list."""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.kind = KINDS[seed % 3]
        self.root, self.systems, self.leaves, self.n_connector = System(()), [], [], 0
        self.is_plain = True # no connection changes a value
        self.grow(self.root, 3)
        while len(self.leaves) < 3:
            self.add_leaf(r.choice(self.systems))
        self.wires = [self.wire(r.choice(self.leaves), leaf) for leaf in self.leaves if r.random() < 0.85]
        self.parameters()

    def grow(self, system, depth):
        self.systems.append(system)
        for i in range(self.random.randint(0, 3)):
            if depth > 0 and self.random.random() < 0.5:
                inner = System(system.path + (self.random.choice(["s %d", "s.%d", "syst\u00e8me%d", "S<%d>"]) % i,))
                system.elements.append(inner)
                self.grow(inner, depth - 1)
            else:
                self.add_leaf(system)

    def add_leaf(self, system):
        units = [self.random.choice(list(self.kind)) for _ in range(2)]
        self.leaves.append(Leaf(system, f"c{len(self.leaves)}", *units))
        system.elements.append(self.leaves[-1])

    def hop(self, system, start, end, value, unit, is_last):
        """Adds a connection to a connector with a unit. Returns the new value, which is factor, offset and unit of the present number."""
        r = self.random
        (a, b), now = value
        suppress = r.random() < 0.15
        change = (r.uniform(-1, 1), r.uniform(-1, 1)) if r.random() < 0.3 and (unit or now is None) else None
        if r.random() < 0.5:
            system.connections.append(connection(start, end, change, suppress))
        else:
            system.connections.append(connection(end, start, change, suppress))
        self.is_plain = self.is_plain and not suppress and change is None
        if not suppress and unit and now:
            (f0, o0), (f1, o1) = self.kind[now], self.kind[unit]
            a, b = a * f0 / f1, (b * f0 + o0 - o1) / f1
        if change:
            a, b = change[0] * a, change[0] * b + change[1]
        return (a, b), unit if suppress or unit else now

    def wire(self, source, sink):
        """Connects two leaves through the systems between them. Returns the flat connection."""
        r = self.random
        shared = 0
        while shared < min(len(source.owner.path), len(sink.owner.path)) and source.owner.path[shared] == sink.owner.path[shared]:
            shared += 1
        system_at = {s.path: s for s in self.systems}
        value, at = ((1.0, 0.0), source.unit["y"]), (source.name, "y")
        way = [("out", source.owner.path[:n]) for n in range(len(source.owner.path), shared, -1)]
        way += [("in", sink.owner.path[:n]) for n in range(shared + 1, len(sink.owner.path) + 1)]
        for direction, path in way:
            self.n_connector += 1
            name, unit = f"{direction}{self.n_connector}", r.choice([*self.kind, None])
            system = system_at[path]
            system.connectors.append((name, "output" if direction == "out" else "input", unit))
            if direction == "out":
                value = self.hop(system, at, (None, name), value, unit, False)
            else:
                value = self.hop(system_at[path[:-1]], at, (path[-1], name), value, unit, False)
            at = (path[-1], name) if direction == "out" else (None, name)
        (a, b), _ = self.hop(sink.owner, at, (sink.name, "u"), value, sink.unit["u"], True)
        return source, sink, a, b

    def parameters(self):
        """Adds values at all levels. Outer values replace inner values, and later bindings of a system replace earlier ones."""
        r = self.random
        for system in reversed(self.systems):
            inner = [leaf for leaf in self.leaves if leaf.path[:len(system.path)] == system.path]
            for leaf in inner:
                if r.random() > 0.4:
                    continue
                steps = leaf.path[len(system.path):]
                value, kind = r.uniform(0.5, 3), r.randint(0, 2)
                name = ".".join(steps + ("w",))
                if kind == 0:
                    system.bindings.append(binding({name: value}))
                elif kind == 1:
                    system.bindings.append(binding({"w": value, "unused": 1.0}, ".".join(steps) + "."))
                else:
                    system.bindings.append(binding({"v": value, "w": 1.0}, "", {"v": (name, 2.0, 0.25)}))
                    value = 2.0 * value + 0.25
                leaf.values.setdefault(len(system.path), []).append(value)
        for leaf in self.leaves:
            if r.random() < 0.5:
                leaf.bindings.append(binding({"w": 2.75}))
                leaf.values[99] = [2.75]

    def text(self):
        return description(self.root.text("root"), f"<ssd:Units>{OWN}</ssd:Units>")

    def files(self, bench):
        pairs = {(leaf.unit["u"], leaf.unit["y"]) for leaf in self.leaves}
        return [(f"resources/{u} {y}.fmu", bench.with_units(u, y)) for u, y in sorted(pairs, key=str)]

    def order(self, system):
        for e in system.elements:
            yield from self.order(e) if isinstance(e, System) else [e]

    def config(self, package):
        text = ["[simulation]", "stop = 1", "communication_step = 0.001"]
        names = {leaf: re.sub("[^A-Za-z0-9]", "_", ".".join(leaf.path).encode().decode("latin-1")) for leaf in self.leaves}
        leaves = list(self.order(self.root))
        for leaf in leaves:
            text += ["[[component]]", f'name = "{names[leaf]}"', f'fmu = "{package}/resources/{leaf.unit["u"]} {leaf.unit["y"]}.fmu"']
            if leaf.values:
                text.append(f"parameters = {{ w = {leaf.values[min(leaf.values)][-1]!r} }}")
        for source, sink, a, b in sorted(self.wires, key=lambda wire: leaves.index(wire[1])):
            text += ["[[connection]]", f'from = "{names[source]}.y"', f'to = "{names[sink]}.u"']
            # after a change on the way, factor and offset replace the conversion of wrsim
            if not self.is_plain:
                text += ["convert = false", f"factor = {a!r}", f"offset = {b!r}"]
        return "\n".join(text) + "\n"


def test_random_hierarchies(bench):
    first, count = (int(word) for word in os.environ.get("WRSIM_SYSTEMS", "0 24").split())
    for seed in range(first, first + count):
        case = Case(seed)
        bench.package("x.ssp", case.text(), case.files(bench), ())
        (bench.folder / "c.toml").write_text(case.config("x.ssp"), encoding="utf-8")
        own, other = bench.results("x.ssp"), bench.results("c.toml")
        expect(own[0] == other[0], f"seed {seed}: other signals\n{own[0]}\n{other[0]}")
        if case.is_plain:
            expect(own == other, f"seed {seed}: other bytes")
            continue
        rows = [[[float(v) for v in line.split(",")[2:]] for line in lines if ",c," in line] for lines in (own, other)]
        sizes = [max(abs(v) for v in column) + 1e-9 for column in zip(*rows[1])]
        error = max((abs(a - b) / size for x, y in zip(*rows) for a, b, size in zip(x, y, sizes)), default=1.0)
        expect(error < 1e-5, f"seed {seed}: off by {error:.2g}")


# Two oscillators and a thermostat in a system, with parameters in a file of the package and in a file of the FMU.
LOOP = description(
    element("System", "root", "<ssd:ParameterBindings>"
            '<ssd:ParameterBinding source="resources/p.ssv"/></ssd:ParameterBindings><ssd:Elements>'
            + element("System", "car", connectors([("in", "input", None), ("out", "output", None)]) + "<ssd:Elements>"
                      + element("Component", "osc", connectors([("u", "input", None), ("y", "output", None)]), source="resources/oscillator_2.fmu")
                      + "</ssd:Elements><ssd:Connections>" + connection((None, "in"), ("osc", "u"), (2.0, 0.5)) + connection(("osc", "y"), (None, "out"))
                      + "</ssd:Connections>")
            + element("Component", "heat", connectors([("u", "input", None), ("y", "output", None)]), source="resources/thermostat_2.fmu")
            + "</ssd:Elements><ssd:Connections>" + connection(("heat", "u"), ("car", "out")) + connection(("car", "in"), ("heat", "y"))
            + "</ssd:Connections>"), stop="2")
VALUES = (f'<ssv:ParameterSet {SPACES} version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="car.osc.w"><ssv:Real value="1.25"/></ssv:Parameter>'
          '<ssv:Parameter name="heat.u"><ssv:Real value="9"/></ssv:Parameter><ssv:Parameter name="car.osc.x"><ssv:Real value="0.75"/></ssv:Parameter>'
          "</ssv:Parameters></ssv:ParameterSet>")
EQUAL = """[simulation]
stop = 2
communication_step = 0.002
[[component]]
name = "car_osc"
fmu = "x.ssp/resources/oscillator_2.fmu"
parameters = { w = 1.25 }
start = { x = 0.75 }
[[component]]
name = "heat"
fmu = "x.ssp/resources/thermostat_2.fmu"
[[connection]]
from = "heat.y"
to = "car_osc.u"
factor = 2.0
offset = 0.5
[[connection]]
from = "car_osc.y"
to = "heat.u"
"""


def test_equal_config(bench):
    """A package, its written config, its unpacked files and an equal config give the same bytes; options change components."""
    bench.package("x.ssp", LOOP, [("resources/p.ssv", VALUES)])
    (bench.folder / "c.toml").write_text(EQUAL)
    wanted = bench.results("c.toml")
    expect(bench.results("x.ssp") == wanted, "the package has other results")
    bench.call("import", "x.ssp", "--write", "w.toml")
    expect(bench.results("w.toml") == wanted, "the written config has other results")
    with zipfile.ZipFile(bench.folder / "x.ssp") as package:
        package.extractall(bench.folder / "un packed")
    expect(bench.results("un packed/SystemStructure.ssd") == wanted, "the unpacked files have other results")
    bench.call("import", bench.folder / "un packed" / "SystemStructure.ssd", "--write", "v.toml")
    expect(bench.results("v.toml") == wanted, "the config of the unpacked files has other results")
    # the package in another one
    bench.package("outer.ssp", description(element("System", "root", "<ssd:Elements>" + element(
        "Component", "inner", "", source="parts/x.ssp", type="application/x-ssp-package") + "</ssd:Elements>"), stop="2"),
                  [("parts/x.ssp", (bench.folder / "x.ssp").read_bytes())], ())
    nested = bench.results("outer.ssp")
    expect(nested[0] != wanted[0] == nested[0].replace("inner_", "") and nested[1:] == wanted[1:], "the nested package has other results")
    changed = ("component.heat.parameters.tau=0.25", "scheduler.workers=2")
    expect(bench.results("x.ssp", *changed) == bench.results("c.toml", *changed) != wanted, "an option has no effect")
    bench.call("check", "x.ssp")
    expect(not list(bench.folder.glob("wrsim-fmu-*")), "a temporary folder is left")


def one(source, **attributes):
    inside = connectors([("u", "input", None), ("y", "output", None)])
    return description(element("System", "root", "<ssd:Elements>" + element("Component", "a", inside, source=source, **attributes)
                               + element("Component", "b", inside, source="resources/oscillator_2.fmu")
                               + "</ssd:Elements><ssd:Connections>" + connection(("b", "y"), ("a", "u")) + connection(("a", "y"), ("b", "u"))
                               + "</ssd:Connections>"))


def test_kinds(bench):
    """The implementation chooses the kind. FMUs with events that cannot restore their state share a subsystem."""
    for implementation, mode in (("any", ""), ("ModelExchange", 'mode = "me"'), ("CoSimulation", 'mode = "cs"')):
        bench.package("x.ssp", one("resources/oscillator_2.fmu", implementation=implementation))
        (bench.folder / "w.toml").unlink(missing_ok=True)
        bench.call("import", "x.ssp", "--write", "w.toml")
        text = (bench.folder / "w.toml").read_text()
        expect(("mode =" in text) == bool(mode) and mode in text, f"{implementation}: {text}")
        bench.results("x.ssp")
    ring = one("resources/cs_free_2.fmu").replace("oscillator_2", "cs_free_2")
    bench.package("x.ssp", ring, sources=["cs_free_2"])
    bench.results("x.ssp")
    bench.call("import", "x.ssp", "--write", "u.toml")
    expect('scheme = "slack"' in (bench.folder / "u.toml").read_text(), "FMUs that cannot restore drive one another")
    bench.package("x.ssp", one("resources/sampler_2.fmu"))
    bench.results("x.ssp")
    text = bench.call("import", "x.ssp", "--write", "v.toml") and (bench.folder / "v.toml").read_text()
    expect('components = ["a", "b"]' in text, text)


def test_values_in_the_fmu(bench):
    """sourceBase="component" names a parameter set in the FMU."""
    source = zipfile.ZipFile(bench.fmus / "oscillator_2.fmu")
    with zipfile.ZipFile(bench.folder / "own.fmu", "w") as fmu:
        for item in source.namelist():
            fmu.writestr(item, source.read(item))
        fmu.writestr("resources/p.ssv", VALUES.replace("car.osc.", ""))
    binds = '<ssd:ParameterBindings><ssd:ParameterBinding source="resources/p.ssv" sourceBase="component"/></ssd:ParameterBindings>'
    bench.package("x.ssp", description(element("System", "root", "<ssd:Elements>" + element("Component", "a", binds, source="own.fmu") + "</ssd:Elements>")),
                  [("own.fmu", (bench.folder / "own.fmu").read_bytes())])
    bench.call("import", "x.ssp", "--write", "w.toml")
    expect('parameters = { "w" = 1.25 }' in (bench.folder / "w.toml").read_text(), "no value of the FMU's file")


def test_lost_values(bench):
    """A run and `check --json` warn of a value that no variable takes, with its place."""
    bench.package("x.ssp", LOOP, [("resources/p.ssv", VALUES.replace("car.osc.w", "car.osc.omega"))])
    text = "x.ssp/resources/p.ssv:1: no variable of 'root' takes the value of 'car.osc.omega'; correct the name, or remove the value"
    done = bench.call("x.ssp", "-o", "r.csv")
    expect(f"warning: {text}\n" in done.stdout + done.stderr, done.stdout + done.stderr)
    expect(f"note: {text}\n" in bench.call("import", "x.ssp").stdout, "no note")
    found = [w for w in json.loads(bench.call("check", "x.ssp", "--json").stdout)["warnings"] if "omega" in w["text"]]
    expect([(w["file"], w["line"]) for w in found] == [("x.ssp/resources/p.ssv", 1)], found)


def test_killed(bench):
    """The next run removes the temporary folder of a killed run."""
    bench.package("x.ssp", LOOP.replace('stopTime="2"', 'stopTime="1e6"'), [("resources/p.ssv", VALUES)])
    with subprocess.Popen([bench.wrsim, "x.ssp", "-q", "-o", "k.csv"], cwd=bench.folder, env={**os.environ, "TMPDIR": str(bench.folder)}) as run:
        until = time.monotonic() + 60
        while not (bench.folder / "k.csv").exists() and time.monotonic() < until:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    expect(list(bench.folder.glob("wrsim-fmu-*")), "no temporary folder")
    bench.results("x.ssp", "simulation.stop=0.1")
    expect(not list(bench.folder.glob("wrsim-fmu-*")), "a temporary folder is left")


def main():
    options = tap.parser("--fmus").parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options.wrsim, pathlib.Path(options.fmus), folder))


if __name__ == "__main__":
    sys.exit(main())
