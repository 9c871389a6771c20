"""FMUs inside an exported FMU, and unpacked FMUs.

    fmu_nested.py --wrsim PROGRAM --module FOLDER --source FOLDER --fmus FOLDER [--tier TIER] [test] ...
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import configs
import fmu_export
import fmu_master
import tap
from tap import expect

class Bench(fmu_export.Bench):
    fmus = None

    def fmu(self, name):
        """Copies an FMU into the folder of the test. Returns its name."""
        shutil.copy(self.fmus / f"{name}.fmu", self.folder)
        return f"{name}.fmu"

    def unpack(self, name):
        with zipfile.ZipFile(self.folder / name) as file:
            file.extractall(self.folder / name[:-4])
        return name[:-4]


def test_export(bench):
    """Two FMUs, one of model exchange and one of co-simulation, travel inside the exported FMU: the rows have the bits of the direct run.
    One of the two is an unpacked FMU."""
    points = fmu_export.grid(0.01, 100)
    names = ["heater.y", "heater.n", "spring.y"]
    for heater, spring in (("thermostat_3", "cs_2"), ("thermostat_2", "cs_3")):
        folder = bench.unpack(bench.fmu(heater))
        config = bench.config(configs.FMUS.format(heater=folder, spring=bench.fmu(spring)), f"{heater}.toml")
        expected = fmu_export.run_directly(bench.folder / config, points, names)
        fmus = [bench.export(config, version) for version in fmu_export.VERSIONS]
        shutil.rmtree(bench.folder / folder) # the exported FMU needs no other file
        os.remove(bench.folder / f"{spring}.fmu")
        for fmu in fmus:
            instance = fmu_master.Instance(fmu)
            instance.begin(0.0, 1.0)
            fmu_export.expect_equal(instance.run(points, names), expected, names)
            status = instance.step(0.5, 0.01)[0]
            expect(status == fmu_master.ERROR and "the FMU is at 1 s" in instance.log[-1][-1], f"{status} {instance.log}")
            instance.free()


@tap.tier("full")
def test_states(bench):
    """FMUs inside that save their states: a restored state and its bytes continue with the bits of the direct run. If one FMU saves no state,
    the exported FMU saves none."""
    points = fmu_export.grid(0.05, 20)
    for names in (("thermostat_2", "oscillator_3", "thermostat_2"), ("ball_3", "cs_2", "sampler_state_3"), ("cs_ball_3", "early_2")):
        text = "[simulation]\nstop = 1\ncommunication_step = 0.05\n"
        for i, name in enumerate(names):
            text += f'[[component]]\nname = "f{i}"\nfmu = "{bench.fmus}/{name}.fmu"\n'
        config = bench.config(text, "-".join(names) + ".toml")
        rows = None
        for version in fmu_export.VERSIONS:
            fmu = bench.export(config, version)
            signals = fmu.names("output")
            rows = rows or fmu_export.run_directly(bench.folder / config, points, signals)
            instance = fmu_master.Instance(fmu)
            instance.begin()
            expect(instance.run(points, signals) == rows, f"{names}: other rows in FMI {version}")
            expect(fmu.saves == (names[-1] != "early_2"), f"{names}: saves its state: {fmu.saves}")
            if fmu.saves:
                instance.need("Reset")
                instance.begin()
                instance.run(points[:11], signals)
                data = instance.serialise(instance.save())
                instance.restore(instance.deserialise(data))
                expect(instance.run(points[10:], signals) == rows[10:], f"{names}: other rows after a restore")
            instance.free()


def test_unpacked(bench):
    """The folder of an unpacked FMU runs as its archive, and stays as it is."""
    heater, spring = bench.fmu("thermostat_3"), bench.fmu("cs_2")
    texts = []
    for name in (heater, bench.unpack(heater)):
        config = bench.config(configs.FMUS.format(heater=name, spring=spring))
        done = bench.call(config, "-q", "-o", "r.csv")
        expect(done.returncode == 0, done.stderr)
        texts.append((bench.folder / "r.csv").read_text(encoding="utf-8").splitlines()[-50:])
    expect(texts[0] == texts[1], "the folder gives other rows than the archive")
    expect((bench.folder / "thermostat_3" / "modelDescription.xml").exists(), "the folder is gone")
    os.mkdir(bench.folder / "empty")
    done = bench.call(bench.config(configs.FMUS.format(heater="empty", spring=spring)), "-q")
    expect(done.returncode != 0 and "is a folder without modelDescription.xml" in done.stderr, done.stderr)


def test_link(bench):
    """A link in an unpacked FMU is refused, because the exported FMU would lack the file."""
    folder = bench.unpack(bench.fmu("thermostat_3"))
    os.makedirs(bench.folder / folder / "resources", exist_ok=True)
    os.symlink("/etc/hostname", bench.folder / folder / "resources" / "table.txt")
    done = bench.call("export", bench.config(configs.FMUS.format(heater=folder, spring=bench.fmu("cs_2"))), "-o", "x.fmu")
    expect(done.returncode == 6 and "table.txt" in done.stderr and "component.heater.fmu" in done.stderr, f"{done.returncode} {done.stderr}")


def test_library(bench):
    """An FMU whose binary needs another library is refused by its name."""
    config = bench.config(configs.FMUS.format(heater=bench.fmu("needs_2"), spring=bench.fmu("cs_2")))
    done = bench.call("export", config, "-o", "x.fmu")
    expect(done.returncode != 0 and "component.heater.fmu" in done.stderr and "libexpat" in done.stderr, done.stderr)
    expect(not (bench.folder / "x.fmu").exists(), "an FMU was written")


def test_state(bench):
    """If the exported FMU cannot save its state, the command prints the reason."""
    for spring, reason in (("cs_2", None), ("cs_tally_3", r"state: .*component 'spring' cannot be saved, because its FMU cannot write")):
        done = bench.call("export", bench.config(configs.FMUS.format(heater=bench.fmu("thermostat_3"), spring=bench.fmu(spring))), "-o", f"{spring}_x.fmu")
        expect(done.returncode == 0 and ("saves and restores its state" in done.stdout) == (reason is None), f"{spring}: {done.stdout}{done.stderr}")
        expect(reason is None or re.search(reason, done.stdout), done.stdout)


def test_many(bench):
    """glibc loads a limited number of exported FMUs. The message advises processes of components."""
    done = bench.call("export", bench.config('simulation.stop = 1\n[[component]]\nname = "v"\nmodel = "vanderpol"\n'), "-o", "v.fmu")
    expect(done.returncode == 0, done.stderr)
    text = "simulation.stop = 0.1\n"
    for i in range(32): # the limit is about 26
        shutil.copy(bench.folder / "v.fmu", bench.folder / f"v{i}.fmu")
        text += f'[[component]]\nname = "v{i}"\nfmu = "v{i}.fmu"\n'
    done = bench.call(bench.config(text), "-q")
    expect(done.returncode == 4 and 'static TLS block; the process has too many such FMUs, so set process = "own"' in done.stderr, done.stderr)


def main():
    parser = tap.parser("--module", "--source", "--fmus", tiers=("quick", "full"))
    options = parser.parse_args()
    sys.path.insert(0, options.module)
    Bench.fmus = pathlib.Path(options.fmus)
    with tempfile.TemporaryDirectory() as common:
        Bench.common = pathlib.Path(common)
        return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
