"""Exported FMUs (wrsim export): a direct run, a master by ctypes, and wrsim's own importer give equal results.

    fmu_export.py --wrsim PROGRAM --module FOLDER --source FOLDER [--tier TIER] [test] ...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import fmu_master
import runs
import tap
from tap import expect

VERSIONS = (2, 3)


class Bench:
    shared = {} # folder of unpacked FMUs that several tests use, and these FMUs

    def __init__(self, options, folder):
        self.wrsim, self.source, self.folder = options.wrsim, options.source, folder

    def config(self, text, name="c.toml"):
        with open(self.folder / name, "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def call(self, *words):
        return subprocess.run([self.wrsim, *map(str, words)], cwd=self.folder, check=False, capture_output=True, text=True)

    def export(self, config, version=2, *words):
        """Returns the unpacked FMU of a config."""
        name = f"{os.path.splitext(os.path.basename(config))[0]}_{version}"
        done = self.call("export", config, "--fmi", version, "-o", f"{name}.fmu", *words)
        expect(done.returncode == 0, f"export ended with {done.returncode}: {done.stderr}")
        return fmu_master.Unpacked(self.folder / f"{name}.fmu", self.folder / name)

    def engine(self, version=None):
        """Returns the config of the engine, or its unpacked FMU."""
        config = os.path.join(self.source, "models/engine/engine.toml")
        if version is None:
            return config
        if version not in self.shared:
            own, self.folder = self.folder, self.common
            self.shared[version] = self.export(config, version)
            self.folder = own
        return self.shared[version]


def grid(step_s, n):
    return [step_s * k for k in range(n + 1)]


def run_directly(config, points, names):
    """Returns the rows of values of a run whose windows end at the points."""
    import wrsim
    with wrsim.Simulation(config) as sim:
        sim.prepare()
        rows = [list(sim.get(names))]
        for t_s in points[1:]:
            sim.advance(t_s)
            rows.append(list(sim.get(names)))
    return rows


def expect_equal(rows, expected, names, tolerance=0.0):
    for name, column, right in zip(names, zip(*rows), zip(*expected)):
        span = max(right) - min(right) or max(map(abs, right)) or 1.0
        worst = max(abs(a - b) for a, b in zip(column, right)) / span
        expect(worst <= tolerance, f"{name}: {worst:g} of the range")
    expect(len(rows) == len(expected), f"{len(rows)} rows instead of {len(expected)}")


def test_engine(bench):
    """The engine: the master's rows have the bits of the direct run, also when the master adds the step lengths."""
    points = grid(5e-4, tap.sample(40, 200))
    names = expected = None
    for version in VERSIONS:
        fmu = bench.engine(version)
        names = names or fmu.names("output")
        expected = expected or run_directly(bench.engine(), points, names)
        expect(len(names) > 30, f"{len(names)} outputs")
        instance = fmu_master.Instance(fmu)
        instance.begin(0.0, 0.48)
        expect_equal(instance.run(points, names), expected, names)
        instance.need("Reset")
        instance.begin()
        added = [0.0]
        for _ in points[1:]:
            added.append(added[-1] + 5e-4)
        expect_equal(instance.run(added, names), expected, names)
        instance.need("Terminate")
        instance.free()
        expect(not instance.log, f"messages: {instance.log}")


def test_import(bench):
    """wrsim imports the engine as a component: equal to the direct run."""
    n = tap.sample(40, 200)
    for version in VERSIONS:
        fmu = bench.engine(version)
        names = fmu.names("output")
        config = bench.config(f"""
[simulation]
stop = {n * 5e-4!r}
communication_step = 5e-4
[relaxation]
window = {{ initial = 5e-4, min = 5e-4, max = 5e-4, control = "fixed" }}
[[component]]
name = "f"
fmu = "{bench.common}/engine_{version}.fmu"
[output]
events = false
""")
        done = bench.call(config, "-q", "-o", "r.csv")
        expect(done.returncode == 0, done.stderr)
        columns = runs.columns_of(bench.folder / "r.csv")
        rows = list(zip(*(columns["f." + name] for name in names)))
        expect_equal(rows, run_directly(bench.engine(), grid(5e-4, n), names), names, 1e-12)


def main():
    parser = tap.parser("--module", "--source", tiers=("quick", "full"))
    options = parser.parse_args()
    sys.path.insert(0, options.module)
    with tempfile.TemporaryDirectory() as common:
        Bench.common = pathlib.Path(common)
        return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
