#!/usr/bin/python3
"""Offline tools with FMUs: the same answers as for the same models as native C. TAP.

    fmu_offline.py --fmu adversary_fmu.so --wrsim PROGRAM --plugin MODELS.so --fmus SAMPLES [test]...
"""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import fmus
import runs
import tap
from tap import expect

# An oscillator and a lag in a loop, whose product a third model integrates, a ball with state events, and a sampler with time events.
KINDS = {"osc": ("osc", {"k": 0.3, "damping": 0.1}), "lag": ("lag", {}), "power": ("power", {"sy": 1.0}), "ball": ("ball", {}),
         "hold": ("sampler", {})}
WIRES = [("osc.y0", "lag.u0"), ("lag.y0", "osc.u0"), ("osc.y1", "power.u0"), ("ball.y1", "hold.u0"), ("hold.y0", "power.u1")]
HEAD = "simulation = { stop = 2.0, communication_step = 0.1, rtol = 1e-8 }\nsolver = { kind = \"dopri54\" }\n"
# Relations that need no event. Native models declare indicators, FMUs of FMI 2.0 do not.
RELATIONS = ("x_dx", "u_dx", "x_y", "u_y", "x_z", "u_z")
# Largest relative difference between both runs (assumed): rounding changes the times of events, and some derivatives are differences.
CLOSE = 1e-5


class Bench:
    def __init__(self, wrsim, plugin, samples, folder):
        self.wrsim, self.plugin, self.fmus, self.folder = wrsim, plugin, samples, folder

    def config(self, is_fmu, kinds, wires=(), head=HEAD, more=lambda text: text):
        """Writes a config with the models as FMUs or as native models, and returns its path. more: changes the FMU's description."""
        text = head if is_fmu else head + f'[[plugin]]\nfile = "{self.plugin}"\n'
        for name, (kind, parameters) in kinds.items():
            part = {"kind": kind, "parameters": parameters,
                    "fmu": {"held": [], "aliases": True, "state": True, "steps": False, "parameters": fmus.parameters_of(kind)}}
            path = self.folder / f"{name}.fmu"
            if is_fmu:
                with zipfile.ZipFile(path, "w") as fmu:
                    fmu.writestr("modelDescription.xml", more(fmus.description_of(part)))
                    fmu.write(fmus.binary, "binaries/linux64/adversary_fmu.so")
            values = ", ".join(f"{key} = {value}" for key, value in parameters.items())
            text += f'[[component]]\nname = "{name}"\n' + (f'fmu = "{path}"\n' if is_fmu else f'model = "adversary.{kind}"\n') + f"parameters = {{ {values} }}\n"
        for source, target in wires:
            text += f'[[connection]]\nfrom = "{source}"\nto = "{target}"\n'
        config = self.folder / ("fmu.toml" if is_fmu else "native.toml")
        config.write_text(text, encoding="ascii")
        return config

    def call(self, *words, codes=(0,)):
        done = subprocess.run([self.wrsim, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
        expect(done.returncode in codes, f"{words}: {done.returncode}, {done.stderr}")
        return done.stdout

    def json(self, *words, codes=(0,)):
        return runs.json.loads(self.call(*words, "--json", codes=codes).replace("state", "x"))


def close(a, b, by):
    return abs(a - b) <= by * max(abs(a), abs(b), 1e-3)


def numbers_of(text):
    return [float(n) for n in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", text)]


def matrix_of(path):
    """Returns the entries of a Matrix Market file, without its comments."""
    return [tuple(map(float, line.split())) for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("%")]


def entries_of(found, relation):
    detected, = (r["detected"] for r in found["relations"] if r["id"] == relation)
    return {(row, column): strength for row, column, strength in detected}


def test_analyze(bench):
    """The same dependencies and strengths. Events of FMUs do not fire."""
    fmu, native = (bench.json("analyze", bench.config(is_fmu, KINDS, WIRES), "--points", 7) for is_fmu in (True, False))
    for relation in RELATIONS:
        a, b = entries_of(fmu, relation), entries_of(native, relation)
        expect(a.keys() == b.keys(), f"{relation}: {a.keys() ^ b.keys()}")
        expect(all(close(a[k], b[k], CLOSE) for k in a), f"{relation}: {a} {b}")
    expect(sum(len(entries_of(fmu, relation)) for relation in RELATIONS) > 15, "too few dependencies")
    expect(fmu["n_not_fired"] == len(KINDS) and native["n_not_fired"] == 0 and fmu["n_refused"] == 0, f"{fmu['n_not_fired']}, {fmu['n_refused']}")
    expect(not entries_of(fmu, "z_x") and entries_of(native, "z_x"), "events")


def test_linear(bench):
    """The same linearisations at each point. Earlier points do not change the run, which shares the instances of the FMUs."""
    out = {}
    for name, is_fmu, points in (("fmu", True, "0,0.3,1.1,2"), ("native", False, "0,0.3,1.1,2"), ("last", True, "2")):
        out[name] = bench.folder / name
        bench.call("analyze", "--linear", "--times", points, bench.config(is_fmu, KINDS, WIRES), "-o", out[name])
    for point in range(4):
        for letter in "ABCD":
            a, b = (matrix_of(out[name] / f"all_{point:03}_{letter}.mtx") for name in ("fmu", "native"))
            expect(len(a) == len(b) and all(p[:2] == q[:2] and close(p[-1], q[-1], CLOSE) for p, q in zip(a, b)), f"{letter} at point {point}: {a} {b}")
    for letter in "ABCD":
        a, b = matrix_of(out["fmu"] / f"all_003_{letter}.mtx"), matrix_of(out["last"] / f"all_000_{letter}.mtx")
        expect(len(a) == len(b) and all(close(p[-1], q[-1], 1e-7) for p, q in zip(a, b)), f"{letter} at the end depends on earlier points: {a} {b}")


def test_stability(bench):
    """The same largest steps and eigenvalues."""
    options = ("-D", "solver.kind=rk4", "-D", "solver.step=0.05", "--points", 5)
    fmu, native = (bench.json("stability", bench.config(is_fmu, KINDS, WIRES), *options, codes=(0, 12)) for is_fmu in (True, False))

    a, b = (numbers_of(runs.json.dumps(found)) for found in (fmu, native))
    expect(len(a) == len(b) > 20 and all(close(p, q, 1e-4) for p, q in zip(a, b)), f"{fmu} {native}")


def test_reduce(bench):
    """A reduced FMU, in place of the FMU."""
    for is_fmu in (True, False):
        config = bench.config(is_fmu, {"osc": KINDS["osc"], "lag": KINDS["lag"]}, WIRES[:2])
        bench.call("reduce", config, "--component", "lag", "--order", 1, "-o", bench.folder / "r")
        reduced = bench.folder / "r/reduced.toml"
        expect("lag.fmu" not in reduced.read_text(encoding="ascii"), "the FMU stays in the config")
        columns = []
        for path in (config, reduced):
            bench.call(path, "-q", "-o", bench.folder / "r.csv", "-D", "output.signals=[\"osc.y0\"]")
            columns.append(runs.columns_of(bench.folder / "r.csv")["osc.y0"])
        expect(all(abs(a - b) < 1e-6 for a, b in zip(*columns)) and max(columns[0]) > 0.5, f"FMU {is_fmu}: {columns}")


def test_sparse(bench):
    """The same Jacobian, kept entries and errors."""
    head = HEAD.replace('"dopri54"', '"linimp", step = 0.002')
    fmu, native = (numbers_of(bench.call("sparse", bench.config(is_fmu, {"osc": KINDS["osc"]}, head=head), "-o", bench.folder / f"s{is_fmu}"))
                   for is_fmu in (True, False))
    expect(len(fmu) == len(native) > 50 and all(close(p, q, 1e-3) for p, q in zip(fmu, native)), f"{fmu} {native}")


def test_groups(bench):
    """A grouping of FMUs runs, and agrees with one solver."""
    config = bench.config(True, KINDS, WIRES, HEAD.replace("1e-8", "1e-5"))
    bench.call("partition", "--groups", "auto", config, "--error", "1e-2", "--runs", 40, "-o", bench.folder / "g")
    columns = []
    for words in ([bench.folder / "g/grouped.toml"], [config, "--monolithic"]):
        bench.call(*words, "-q", "-o", bench.folder / "g.csv")
        columns.append(runs.columns_of(bench.folder / "g.csv"))
    for name, values in columns[1].items():
        size = max(map(abs, values))
        expect(all(abs(a - b) <= 0.03 * size for a, b in zip(values, columns[0][name])), f"{name}: {values} {columns[0][name]}")


def test_once(bench):
    """An FMU that allows one instance per process."""
    def once(text):
        return text.replace("<ModelExchange ", '<ModelExchange canBeInstantiatedOnlyOncePerProcess="true" ')
    kinds = {"osc": KINDS["osc"], "lag": KINDS["lag"]}
    config = bench.config(True, kinds, WIRES[:2], more=once)
    found = bench.json("analyze", config, "--points", 3)
    expect(len(entries_of(found, "x_dx")) == 6, f"{found}")
    bench.call("stability", config, "-D", "solver.kind=rk4", "-D", "solver.step=0.01")
    expect("one instance per process" in bench.call("check", config), "check of an FMU with one instance")


def test_cosimulation(bench):
    """An FMU of co-simulation has no equations: other components have answers."""
    config = bench.folder / "cs.toml"
    config.write_text(HEAD + "".join(f'[[component]]\nname = "{name}"\nfmu = "{bench.fmus / fmu}.fmu"\n' for name, fmu in (("a", "cs_2"), ("b", "oscillator_3")))
                      + '[[connection]]\nfrom = "a.y"\nto = "b.u"\n', encoding="ascii")
    expect("'a' advances itself" in subprocess.run([bench.wrsim, "partition", "--groups", "auto", config, "-o", bench.folder / "g"],
                                                   capture_output=True, text=True, check=False).stderr, "partition")
    expect("advances itself" in bench.call("check", config) and "oscillator_3" in bench.call("analyze", config), "check and analyze")


def test_end(bench):
    """Points after the end of a run by an FMU."""
    for tool in ("analyze", "stability"):
        done = subprocess.run([bench.wrsim, tool, bench.fmus / "ball_2.fmu", "-D", "simulation.stop=20", "-D", "solver.kind=rk4", "-D", "solver.step=1e-3"],
                              capture_output=True, text=True, check=False)
        expect(done.returncode == 2 and "component 'ball_2' ended the run" in done.stderr and "earlier times" in done.stderr, f"{done}")


def main():
    options = tap.parser("--fmu", "--plugin", "--fmus").parse_args()
    fmus.binary = options.fmu
    return tap.run(globals(), options, lambda folder: Bench(options.wrsim, options.plugin, pathlib.Path(options.fmus), folder))


if __name__ == "__main__":
    sys.exit(main())
