"""Exported FMUs under a master that calls in random order (random_master.c).

    fmu_random.py --wrsim PROGRAM --master PROGRAM [--seconds N] [--seed N]
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import fmu_master
import tap
from tap import expect

# Two subsystems with ports, a scenario of a signal and a tunable parameter.
PLANT = """
[simulation]
stop = 4
communication_step = 0.1
rtol = 1e-6
[[component]]
name = "a"
model = "dahlquist"
parameters = {a = -0.5, b = 1.0}
[[component]]
name = "b"
model = "dahlquist"
parameters = {a = -2.0, b = 1.0}
[[component]]
name = "c"
model = "relay"
[[connection]]
from = "a.x"
to = "b.u"
[[subsystem]]
name = "one"
components = ["a"]
[[subsystem]]
name = "two"
components = ["b", "c"]
[[port]]
name = "drive"
to = "a.u"
start = 0.5
[[port]]
name = "level"
from = "b.x"
[[scenario]]
name = "leak"
signal = "a.x"
action = "bias"
value = 0.1
at = "api"
[[scenario]]
name = "slow"
parameter = "c.T"
value = 2
at = "api"
"""
KINDS = {"Real": "r", "Float64": "r", "Integer": "w", "Int32": "w", "Boolean": "b"}


def write_variables(fmu, path):
    with open(path, "w", encoding="ascii") as file:
        for v in fmu.variables:
            if v.causality == "independent":
                continue
            causality = {"input": "i", "output": "o"}.get(v.causality) or ("t" if v.variability == "tunable" else "p")
            start = {"true": "1", "false": "0", None: "0"}.get(v.start, v.start)
            file.write(f"{v.number} {causality} {KINDS[v.kind]} {start}\n")


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, config, step_s, *words):
        """Exports the text of a config in both versions, and runs the random master."""
        with open(self.folder / "c.toml", "w", encoding="utf-8") as file:
            file.write(config)
        for version in (2, 3):
            done = subprocess.run([self.options.wrsim, "export", "c.toml", "--fmi", str(version), "-o", f"c{version}.fmu"], cwd=self.folder,
                                  check=False, capture_output=True, text=True)
            expect(done.returncode == 0, done.stderr)
            fmu = fmu_master.Unpacked(self.folder / f"c{version}.fmu", self.folder / str(version))
            write_variables(fmu, self.folder / "variables")
            done = subprocess.run([self.options.master, fmu.binary, fmu.folder / "resources", fmu.token, str(version), "variables",
                                   str(step_s), str(self.options.seed), str(self.options.seconds), *words], cwd=self.folder, check=False,
                                  capture_output=True, text=True)
            expect(done.returncode == 0, f"FMI {version}: the master ended with {done.returncode}: {done.stderr}")


def test_plant(bench):
    bench.run(PLANT, 0.1)


def test_cvode(bench):
    """The host exports symbols of CVODE, LAPACK and HDF5, which the FMU does not use. Such an FMU saves no state."""
    bench.run(PLANT + '[solver]\nkind = "cvode_bdf"\nlinear_solver = "dense"\n', 0.1, "no-states")


def main():
    parser = tap.parser("--master")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
