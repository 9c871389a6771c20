#!/usr/bin/python3
"""Systems of SSP: runs against equal configs, warnings, temporary folders. TAP.

    ssp_run.py --wrsim PROGRAM --fmus FOLDER [test]...
"""
import json
import os
import pathlib
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


def description(system, stop="1"):
    return (f'<?xml version="1.0" encoding="UTF-8"?><ssd:SystemStructureDescription {SPACES} version="1.0" name="test">{system}'
            f'<ssd:DefaultExperiment stopTime="{stop}"/></ssd:SystemStructureDescription>')


def element(tag, name, inside, **attributes):
    return f"<ssd:{tag} name={quoteattr(name)}{''.join(f' {k}={quoteattr(v)}' for k, v in attributes.items())}>{inside}</ssd:{tag}>"


def connectors(rows):
    """rows: name, kind, unit."""
    return "<ssd:Connectors>" + "".join(f'<ssd:Connector name={quoteattr(name)} kind="{kind}">' + (f'<ssc:Real unit="{unit}"/>' if unit else "")
                                        + "</ssd:Connector>" for name, kind, unit in rows) + "</ssd:Connectors>"


def connection(start, end, change=None):
    """start, end: element or None, connector. change: factor, offset."""
    ends = ""
    for side, (owner, name) in (("start", start), ("end", end)):
        ends += (f" {side}Element={quoteattr(owner)}" if owner else "") + f" {side}Connector={quoteattr(name)}"
    inside = "" if change is None else f'<ssc:LinearTransformation factor="{change[0]!r}" offset="{change[1]!r}"/>'
    return f"<ssd:Connection{ends}>{inside}</ssd:Connection>"


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
    """The implementation chooses the kind. FMUs that cannot restore their state run in a split system."""
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
    expect("[[subsystem]]" not in text, text)


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
    text = "x.ssp/resources/p.ssv:1: no variable of 'root' takes the value for 'car.osc.omega'; correct the name, or remove the value"
    done = bench.call("x.ssp", "-o", "r.csv")
    expect(f"warning: {text}\n" in done.stdout + done.stderr, done.stdout + done.stderr)
    expect(f"note: {text}\n" in bench.call("import", "x.ssp").stdout, "no note")
    found = [w for w in json.loads(bench.call("check", "x.ssp", "--json").stdout)["warnings"] if "omega" in w["text"]]
    expect([(w["file"], w["line"]) for w in found] == [("x.ssp/resources/p.ssv", 1)], found)


def test_limit_of_work(bench):
    """1,100 values of a connector that drives 11,110 connectors are refused."""
    def level(k):
        """Returns a system, with ten systems of the next level inside."""
        inside, wires = "", ""
        if k < 4:
            inside = level(k + 1) + "".join(element("Component", f"c{i}", connectors([("p", "parameter", None)]), source=f"#level{k + 1}",
                                                    type="application/x-ssp-definition") for i in range(9))
            wires = "".join(connection((None, "p"), (name, "p")) for name in [f"s{k + 1}"] + [f"c{i}" for i in range(9)])
        else:
            inside = element("Component", "osc", "", source="resources/oscillator_2.fmu")
        return element("System", f"s{k}", connectors([("p", "parameter", None)]) + (bindings if k == 0 else "")
                       + f"<ssd:Elements>{inside}</ssd:Elements><ssd:Connections>{wires}</ssd:Connections>", id=f"level{k}")

    value = ('<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="p">'
             '<ssv:Real value="1"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>')
    bindings = f"<ssd:ParameterBindings>{value * 1100}</ssd:ParameterBindings>"
    bench.package("x.ssp", description(level(0)))
    done = bench.call("import", "x.ssp", code=4)
    expect("visit more than 10000000 elements, connectors and variables; remove values or connections" in done.stderr, done.stderr)


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
