#!/usr/bin/python3
"""Random systems of SSP: the config of `wrsim import --write` against a second computation. TAP.

    ssp_random.py --wrsim PROGRAM

The program passes each value to variables. The second computation goes the other way: from each variable to all names that set it, and from
each input to its output. WRSIM_SYSTEMS="FIRST COUNT" selects other systems.
"""
import os
import random
import subprocess
import sys
import tomllib
import zipfile
from xml.sax.saxutils import quoteattr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from ssp_run import SPACES
from tap import expect

# Units with factor and offset to SI. The files of SSP and the FMU define "own" differently.
PRESSURES = {"Pa": (1, 0), "bar": (1e5, 0), "kPa": (1e3, 0), "own": (250, 0)}
TEMPERATURES = {"K": (1, 0), "degC": (1, 273.15), "degF": (5 / 9, 459.67 * 5 / 9)}
SCALES = {**PRESSURES, **TEMPERATURES, "own-FMU": (700, 0)}
UNITS = {"pressure": PRESSURES, "temperature": TEMPERATURES}
TYPES = {"pressure": "Real", "temperature": "Real", "plain": "Real", "count": "Integer", "truth": "Boolean", "choice": "Enumeration"}
ITEMS = {"a": 1, "b": 2, "c": 3}
LIST = "".join(f'<Item name="{name}" value="{value}"/>' for name, value in ITEMS.items())
# Variables of the FMU: causality, kind, unit.
VARIABLES = {name: (causality, kind, unit or None) for name, causality, kind, unit in (row.split(",") for row in (
    "u1,input,pressure,Pa u2,input,temperature,degC u3,input,plain, u4,input,pressure, u5,input,pressure,own-FMU u6,input,count, "
    "u7,input,truth, u8,input,choice, y1,output,pressure,bar y2,output,temperature,K y3,output,plain, y4,output,pressure,own-FMU "
    "y5,output,count, y6,output,truth, y7,output,choice, p1,parameter,pressure,Pa p2,parameter,temperature,K p3,parameter,plain, "
    "p4,parameter,pressure,bar p5,parameter,temperature, p6,parameter,pressure,own-FMU p7,parameter,count, p8,parameter,truth, "
    "p9,parameter,choice, p10,parameter,pressure,Pa").split())}
FIRST_NAME = {"p10": "p1"}  # an alias


class Refused(Exception):
    """The text of an error that the program must print."""


def model():
    rows = ""
    for i, (name, (causality, kind, unit)) in enumerate(VARIABLES.items(), 1):
        number = list(VARIABLES).index(FIRST_NAME.get(name, name))
        more = ("" if causality == "output" else ' start="1"') + (f' unit="{unit.split("-")[0]}"' if unit else "") + (' declaredType="E"' if kind == "choice" else "")
        variability = "fixed" if causality == "parameter" else "continuous" if TYPES[kind] == "Real" else "discrete"
        rows += (f'<ScalarVariable name="{name}" valueReference="{number}" causality="{causality}" variability="{variability}"><{TYPES[kind]}{more}/>'
                 "</ScalarVariable>")
    outputs = "".join(f'<Unknown index="{i}"/>' for i, v in enumerate(VARIABLES.values(), 1) if v[0] == "output")
    return ('<fmiModelDescription fmiVersion="2.0" modelName="m" guid="1"><CoSimulation modelIdentifier="m"/><UnitDefinitions><Unit name="own">'
            '<BaseUnit kg="1" m="-1" s="-2" factor="700"/></Unit></UnitDefinitions><TypeDefinitions><SimpleType name="E"><Enumeration>'
            f"{LIST}</Enumeration></SimpleType></TypeDefinitions><ModelVariables>{rows}</ModelVariables><ModelStructure><Outputs>{outputs}</Outputs>"
            "</ModelStructure></fmiModelDescription>")


def xml(tag, inside, **attributes):
    return f"<{tag}{''.join(f' {k}={quoteattr(str(v))}' for k, v in attributes.items() if v is not None)}>{inside}</{tag}>"


def document(system):
    items = LIST.replace("<Item", "<ssc:Item")
    return (f'<ssd:SystemStructureDescription {SPACES} version="1.0" name="random">{system}<ssd:Enumerations><ssc:Enumeration name="E">{items}'
            f"</ssc:Enumeration></ssd:Enumerations><ssd:Units>{OWN}</ssd:Units></ssd:SystemStructureDescription>")


OWN = '<ssc:Unit name="own"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="250"/></ssc:Unit>'


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class Transfer:
    """A connection or an entry of a mapping. change: None, (factor, offset), or a map as dict."""

    def __init__(self, kind, change=None, suppress=False):
        self.kind, self.change, self.suppress = kind, change, suppress

    def text(self):
        if self.change is None:
            return ""
        if isinstance(self.change, tuple):
            return f'<ssc:LinearTransformation factor="{self.change[0]!r}" offset="{self.change[1]!r}"/>'
        return xml(f"ssc:{TYPES[self.kind]}MappingTransformation",
                   "".join(xml("ssc:MapEntry", "", source=text_of(s), target=text_of(t)) for s, t in self.change.items()))

    def carry(self, value, unit):
        """value: type, number, unit, 1 after a linear change at a connector without unit. unit: of the target."""
        type_, number, own, is_bare = value
        if not self.suppress and own and unit:
            if is_bare and SCALES[own] != SCALES[unit]:
                raise Refused("at a connector without unit")
            (a, b), (c, d) = SCALES[own], SCALES[unit]
            number = (a * number + b - d) / c
        if self.change is not None and type_ != TYPES[self.kind]:
            raise Refused("a type that its transformation does not take")
        if isinstance(self.change, tuple):
            number = self.change[0] * number + self.change[1]
            is_bare |= bool(own and not unit and not self.suppress)
        elif self.change is not None and number not in self.change:
            raise Refused("has no <MapEntry> for")
        elif self.change is not None:
            number = self.change[number]
        return type_, number, unit if self.suppress else unit or own, is_bare


class Element:
    """A system or a component. connectors: name -> causality, kind, unit, unit in the file. connections: source element or None, its
    connector, sink element or None, its connector, transfer. bindings: prefix, values, mapping or None. outer: bindings of the component
    that refers to a system in a file of its own."""

    def __init__(self, name, owner, is_system):
        self.name, self.owner, self.is_system, self.has_file = name, owner, is_system, False
        self.elements, self.connectors, self.connections, self.bindings, self.outer = [], {}, [], [], []
        self.level = owner.level + 1 if owner else 0

    def components(self):
        for e in self.elements:
            yield from e.components() if e.is_system else [e]

    def names(self):
        """Yields the hierarchical names that values may have, with their kinds and units."""
        own = self.connectors if self.is_system else VARIABLES
        yield from ((name, row[1], self.unit(name)) for name, row in own.items() if row[0] != "output")
        for e in self.elements:
            yield from ((f"{e.name}.{name}", kind, unit) for name, kind, unit in e.names())

    def driver(self, name):
        """Returns the connection that drives a connector, and its system; None, None without a connection."""
        for system, sink in ((self.owner, self), (self, None)):
            for c in system.connections if system else []:
                if c[2] is sink and c[3] == name:
                    return c, system
        return None, None

    def unit(self, name):
        return self.connectors[name][2] if name in self.connectors else VARIABLES[name][2]

    def source(self, name):
        """Returns the component and the name of the output that drives an input, factor and offset; None without an output."""
        hops, at, label = [], self, name
        while label in at.connectors and at.driver(label)[0]:
            c, system = at.driver(label)
            hops.insert(0, (c[4], at.unit(label)))
            at, label = c[0] or system, c[1]
        if at.is_system or not hops:
            return None

        def value(number):
            here = (TYPES[VARIABLES[label][1]], number, at.unit(label), False)
            for transfer, unit in hops:
                here = transfer.carry(here, unit)
            return ITEMS.get(here[1], here[1])

        points = {"truth": (False, True), "choice": tuple(ITEMS)}.get(VARIABLES[label][1], (0.0, 1.0))
        values = [value(p) for p in points]
        first, last = (ITEMS.get(p, p) for p in (points[0], points[-1]))
        factor = (values[-1] - values[0]) / (last - first)
        return at, label, factor, values[0] - factor * first

    def ways(self, name):
        """Yields the elements and names that set a variable, with the unit at this name, and the hops after it."""
        at, label, hops = self, name, []
        while True:
            above, path = at, label
            while above:
                yield above, path, at.unit(label), list(hops)
                above, path = above.owner, f"{above.name}.{path}"
            c, system = at.driver(label) if label in at.connectors else (None, None)
            if not c or c[0]:
                return
            hops.insert(0, (c[4], at.unit(label)))
            at, label = system, c[1]


class Case:
    """A random system."""

    def __init__(self, seed):
        self.random, self.files, self.bindings, self.count = random.Random(seed), {}, [], 0
        self.is_partial = self.random.random() < 0.1    # maps lack entries
        self.root = Element("root", None, True)
        self.grow(self.root)
        self.root.elements.append(Element("last", self.root, False))
        self.wire(self.root)
        self.bind(self.root)

    def grow(self, system):
        for name in self.random.sample(["a", "b", "a.b", "c", "b.a", "\u00e9"], self.random.randint(1, 3)):
            e = Element(name, system, system.level < 3 and self.random.random() < 0.5)
            system.elements.append(e)
            if e.is_system:
                e.has_file = self.random.random() < 0.25
                self.grow(e)

    def unit_of(self, kind):
        return self.random.choice([*UNITS[kind], None]) if kind in UNITS else None

    def transfer(self, kind, unit, is_parameter):
        """unit: of the target. A linear change at a connector without unit is ambiguous. A signal has linear maps only."""
        r = self.random
        change, suppress = None, r.random() < 0.15
        if r.random() < 0.35 and TYPES[kind] == "Real" and (unit or kind == "plain"):
            change = (round(r.uniform(0.5, 2), 3) * r.choice([1, -1]), round(r.uniform(-2, 2), 3))
        elif r.random() < 0.35 and TYPES[kind] != "Real" and (is_parameter or kind != "count"):
            sources = {"count": range(-3, 10), "truth": (False, True), "choice": "abc"}[kind]
            targets = [r.choice(sources) for _ in sources] if is_parameter else reversed(sources)
            change = dict(zip(sources, targets))
            if self.is_partial and r.random() < 0.3:
                del change[r.choice(list(change))]
        return Transfer(kind, change, suppress)

    def wire(self, system):
        r, sinks, sources = self.random, [], []
        for e in system.elements:
            if e.is_system:
                self.wire(e)
            for name in r.sample(list(VARIABLES), r.randint(2, 12)) if not e.is_system else []:
                causality, kind, unit = VARIABLES[name]
                given = self.unit_of(kind) if not unit else unit if r.random() < 0.5 and unit in UNITS[kind] else None
                e.connectors[name] = (causality, kind, unit or given, given)
            for name, (causality, kind, unit, _) in e.connectors.items():
                (sources if causality == "output" else sinks).append((e, name, causality, kind, unit))
        for e, name, causality, kind, unit in sinks:
            outputs = [s for s in sources if s[3] == kind and causality == "input"]
            shared = [n for n, c in system.connectors.items() if c[:2] == (causality, kind)]
            way = r.random()
            if outputs and way < 0.4:
                source = r.choice(outputs)[:2]
            elif way < 0.8:
                source = (None, r.choice(shared) if shared and r.random() < 0.4 else self.add(system, causality, kind, f"{e.name}.{name}", name))
            else:
                continue
            system.connections.append((*source, e, name, self.transfer(kind, unit, causality == "parameter")))
        for e, name, _, kind, _ in sources:
            if r.random() < 0.4:
                outer = self.add(system, "output", kind)
                system.connections.append((e, name, None, outer, self.transfer(kind, system.unit(outer), False)))

    def add(self, system, causality, kind, *names):
        """Adds a connector to a system. Some names equal the names of inner variables. Returns the name."""
        self.count += 1
        name = self.random.choice([f"k{self.count}", f"a.k{self.count}", *names])
        name = f"k{self.count}" if name in system.connectors else name
        unit = self.unit_of(kind)
        system.connectors[name] = (causality, kind, unit, unit)
        return name

    def value(self, kind):
        r = self.random
        if TYPES[kind] == "Real":
            return ("Integer", r.randint(-5, 5), None) if r.random() < 0.02 else ("Real", round(r.uniform(-5, 5), 3), self.unit_of(kind))
        return TYPES[kind], r.randint(-3, 9) if kind == "count" else r.random() < 0.5 if kind == "truth" else r.choice("abc"), None

    def bind(self, at):
        r, names = self.random, list(at.names())
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            chosen, prefix, mapping, values = r.sample(names, min(len(names), r.randint(1, 5))), "", None, {"lost": self.value("plain")}
            if r.random() < 0.3:
                prefix = chosen[0][0][:r.randint(0, len(chosen[0][0]) - 1)]
                chosen = [c for c in chosen if c[0].startswith(prefix) and len(c[0]) > len(prefix)]
            if r.random() < 0.4:
                mapping = {}
            for name, kind, unit in chosen:
                source = name[len(prefix):] if mapping is None else f"v{len(values)}"
                values[source] = self.value(kind)
                if mapping is not None:
                    mapping.setdefault(name, (prefix + source, self.transfer(kind, unit, True)))
            self.bindings.append((prefix, values, mapping))
            (at.outer if at.has_file and r.random() < 0.5 else at.bindings).append(self.bindings[-1])
        for e in at.elements:
            self.bind(e)

    def source_text(self, name, content):
        """Puts a parameter set or a mapping into a file or in line. Returns the path and the contents."""
        if self.random.random() < 0.3:
            self.files[f"{len(self.files)} {name}"] = content
            return f"{len(self.files) - 1}%20{name}", ""
        return None, content

    def bindings_text(self, bindings):
        text = ""
        for prefix, values, mapping in bindings:
            rows = "".join(xml("ssv:Parameter", xml(f"ssv:{t}", "", value=text_of(v), unit=u), name=n) for n, (t, v, u) in values.items())
            path, inside = self.source_text("v.ssv", f'<ssv:ParameterSet {SPACES} version="1.0" name="p"><ssv:Parameters>{rows}</ssv:Parameters>'
                                            f"<ssv:Units>{OWN}</ssv:Units></ssv:ParameterSet>")
            inside = xml("ssd:ParameterValues", inside) if inside else ""
            if mapping is not None:
                rows = "".join(xml("ssm:MappingEntry", by.text(), source=s, target=t, suppressUnitConversion="true" if by.suppress else None)
                               for t, (s, by) in mapping.items())
                of_map, rows = self.source_text("m.ssm", f'<ssm:ParameterMapping {SPACES} version="1.0">{rows}</ssm:ParameterMapping>')
                inside += xml("ssd:ParameterMapping", rows, source=of_map)
            text += xml("ssd:ParameterBinding", inside, source=path, prefix=prefix or None)
        return xml("ssd:ParameterBindings", text) if text else ""

    def connectors_text(self, e):
        inside = {"truth": "<ssc:Boolean/>", "choice": '<ssc:Enumeration name="E"/>'}
        return xml("ssd:Connectors", "".join(xml("ssd:Connector", f'<ssc:Real unit="{given}"/>' if given else inside.get(kind, ""), name=n, kind=causality)
                                             for n, (causality, kind, _, given) in e.connectors.items()))

    def text(self, e, is_file=False):
        inside = self.connectors_text(e) + self.bindings_text(e.bindings)
        if not e.is_system:
            return xml("ssd:Component", inside, name=e.name, source="m.fmu")
        if e.has_file and not is_file:
            name = f"{len(self.files)}.ssd"
            self.files[name] = None
            self.files[name] = document(self.text(e, True))
            return xml("ssd:Component", (self.connectors_text(e) if self.random.random() < 0.5 else "") + self.bindings_text(e.outer), name=e.name,
                       type="application/x-ssp-definition", source=name)
        lines = ""
        for *ends, by in e.connections:
            sides = ("start", "end") if self.random.random() < 0.5 else ("end", "start")
            attributes = {}
            for side, owner, name in zip(sides, ends[::2], ends[1::2]):
                attributes.update({f"{side}Element": owner.name if owner else None, f"{side}Connector": name})
            lines += xml("ssd:Connection", by.text(), suppressUnitConversion="true" if by.suppress else None, **attributes)
        return xml("ssd:System", inside + xml("ssd:Elements", "".join(self.text(i) for i in e.elements)) + xml("ssd:Connections", lines), name=e.name)

    def expected(self):
        """Returns the values of each component, the connections, and the texts of errors."""
        all_values, links, errors = [], {}, set()
        for i, component in enumerate(self.root.components()):
            found = {}      # variable -> level and position of the binding -> values
            for name, (causality, kind, _) in VARIABLES.items():
                link = None
                try:
                    link = component.source(name) if causality == "input" else None
                except Refused as e:
                    errors.add(str(e))
                if link:
                    links[i, name] = link
                for at, full, unit, hops in component.ways(name) if causality != "output" else ():
                    for k, (prefix, values, mapping) in enumerate(at.bindings + at.outer):
                        source, by = (full, Transfer(kind)) if mapping is None else mapping.get(full, (None, None))
                        for value in (v for n, v in values.items() if prefix + n == source):
                            try:
                                value = (*value, False)
                                for transfer, end in [(by, unit), *hops]:
                                    value = transfer.carry(value, end)
                                if not link:
                                    place = found.setdefault(FIRST_NAME.get(name, name), {}).setdefault((at.level, -k), [])
                                    place.append(float(ITEMS.get(value[1], value[1])))
                            except Refused as e:
                                errors.add(str(e))
            best = {name: of[min(of)] for name, of in found.items()}
            errors |= {"to two values" for v in best.values() if max(v) - min(v) > 1e-12 * abs(v[0])}
            all_values.append({name: v[0] for name, v in best.items()})
        return all_values, links, errors


def is_near(a, b):
    return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def check(wrsim, folder, seed):
    case = Case(seed)
    text = document(case.text(case.root))
    with zipfile.ZipFile(folder / "m.fmu", "w") as fmu:
        fmu.writestr("modelDescription.xml", model())
    with zipfile.ZipFile(folder / "x.ssp", "w") as package:
        package.write(folder / "m.fmu", "m.fmu")
        for name, content in {"SystemStructure.ssd": text, **case.files}.items():
            package.writestr(name, content)
    values, links, errors = case.expected()
    (folder / "x.toml").unlink(missing_ok=True)
    done = subprocess.run([wrsim, "import", "x.ssp", "--write", "x.toml"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    expect((done.returncode == 4 and any(e in done.stderr for e in errors)) if errors else done.returncode == 0, f"seed {seed}: {errors} {done.stderr}")
    if errors:
        return
    notes = sorted(line.partition(" takes the value for ")[2].split("'")[1] for line in done.stdout.splitlines() if "takes the value for" in line)
    lost = sorted(prefix + "lost" for prefix, _, mapping in case.bindings if mapping is None)
    expect(notes == lost, f"seed {seed}: notes of {notes}\n{lost}")
    found = tomllib.loads((folder / "x.toml").read_text())
    components = list(case.root.components())
    own = [{FIRST_NAME.get(n, n): ITEMS.get(v, v) for part in ("parameters", "start") for n, v in c.get(part, {}).items()} for c in found["component"]]
    expect([set(v) for v in own] == [set(v) for v in values], f"seed {seed}: values\n{own}\n{values}")
    for i, c in enumerate(components):
        expect(all(is_near(own[i][n], v) for n, v in values[i].items()), f"seed {seed}: {c.name} below {c.owner.name}\n{own[i]}\n{values[i]}")
    number = {c["name"]: i for i, c in enumerate(found["component"])}
    connections = {}
    for c in found.get("connection", ()):
        (source, output), (sink, name) = (c[end].split(".") for end in ("from", "to"))
        connections[number[sink], name] = (components[number[source]], output, c.get("factor", 1), c.get("offset", 0), c.get("convert", True))
    expect(set(connections) == set(links), f"seed {seed}: inputs\n{connections}\n{links}")
    for (i, name), (output, label, factor, offset) in links.items():
        source, of, own_factor, own_offset, is_converted = connections[i, name]
        units = [VARIABLES[n][2] for n in (label, name)]
        (a, b), (d, e) = (SCALES[u] for u in units) if is_converted and None not in units else ((1, 0), (1, 0))
        a, b = own_factor * a / d, own_factor * (b - e) / d + own_offset
        expect(source is output and of == label and is_near(a, factor) and is_near(b, offset),
               f"seed {seed}: {connections[i, name]}\n{output.name}.{label} {factor} {offset}")


def test_random_systems(wrsim_and_folder):
    wrsim, folder = wrsim_and_folder
    first, count = (int(word) for word in os.environ.get("WRSIM_SYSTEMS", "0 80").split())
    for seed in range(first, first + count):
        check(wrsim, folder, seed)


def main():
    options = tap.parser().parse_args()
    return tap.run(globals(), options, lambda folder: (options.wrsim, folder))


if __name__ == "__main__":
    sys.exit(main())
