"""Exported FMUs under a master that makes random calls, legal ones and calls out of order (master.c --random --strict).

    fmu_random.py --wrsim PROGRAM --master PROGRAM --fmus FOLDER [--tier TIER] [--seconds N] [--seed N] [test] ...

--seconds: wall time of the master for each FMU.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import configs
import fmu_master
import tap
from tap import expect


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, config, saves=True):
        """Exports the text of a config in both versions, and runs the master. saves: whether the FMU saves its state."""
        with open(self.folder / "c.toml", "w", encoding="utf-8") as file:
            file.write(config)
        for version in (2, 3):
            done = subprocess.run([self.options.wrsim, "export", "c.toml", "--fmi", str(version), "-o", f"c{version}.fmu"], cwd=self.folder,
                                  check=False, capture_output=True, text=True)
            expect(done.returncode == 0, done.stderr)
            fmu = fmu_master.Unpacked(self.folder / f"c{version}.fmu", self.folder / str(version))
            limit = ["--seconds", self.options.seconds] if self.options.seconds else ["--calls", 3000]
            done = subprocess.run([self.options.master, fmu.folder, "--random", *map(str, [self.options.seed, "--strict", 1, *limit])],
                                  cwd=self.folder, check=False, capture_output=True, text=True)
            expect(done.returncode == 0, f"FMI {version}: the master ended with {done.returncode}: {done.stderr}")
            n_call, n_check = (int(word) for word in done.stdout.split() if word.isdigit())
            expect(n_call >= 1000 and n_check > 50, f"FMI {version}: {done.stdout}")
            expect(fmu.saves == saves, f"FMI {version}: saves its state: {fmu.saves}")

    def fmus(self, heater, spring):
        return configs.FMUS.format(heater=f"{self.options.fmus}/{heater}.fmu", spring=f"{self.options.fmus}/{spring}.fmu")


def test_plant(bench):
    bench.run(configs.PLANT)


@tap.tier("full")
def test_cvode(bench):
    """The master exports symbols of CVODE, LAPACK and HDF5, which the FMU does not use. Such an FMU saves no state."""
    bench.run(configs.PLANT + configs.CVODE, saves=False)


@tap.tier("full")
def test_slack(bench):
    bench.run(configs.PLANT + configs.SLACK)


@tap.tier("full")
def test_stateless(bench):
    """Components without continuous states."""
    bench.run(configs.STATELESS)


@tap.tier("full")
def test_events(bench):
    bench.run(configs.EVENTS)


@tap.tier("full")
def test_fmus(bench):
    """FMUs inside of the FMU, which save their states."""
    bench.run(bench.fmus("thermostat_3", "cs_2"))


@tap.tier("full")
def test_fmus_without_states(bench):
    bench.run(bench.fmus("sampler_2", "cs_free_3"), saves=False)


def main():
    parser = tap.parser("--master", "--fmus", tiers=("quick", "full"))
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
