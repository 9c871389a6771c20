"""Shipped configs without an installed module: the engine runs. Another config runs, or one error names the module.

usage: run_without_modules.py --wrsim PROGRAM --source FOLDER [test] ...
"""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap
from tap import expect

SENTENCE = re.compile(r"error: [^\n]* need the module '(\w+)', which cannot be loaded: the file '[^'\n]*' does not exist\. "
                      r"Install the module, name its folder in WRSIM_MODULES, or [^\n]*$", re.MULTILINE)
NEED = {"heat_rod": "klu", "robot": "klu", "varistor_line": "klu"}


class Place:
    def __init__(self, options, folder):
        self.wrsim, self.source, self.folder = options.wrsim, options.source, folder

    def run(self, *words):
        empty = os.path.join(self.folder, "no_modules")
        os.makedirs(empty, exist_ok=True)
        return subprocess.run([self.wrsim, *words], cwd=self.folder, env=dict(os.environ, WRSIM_MODULES=empty), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


def configs(place, pattern):
    found = sorted(glob.glob(os.path.join(place.source, "models", pattern)))
    expect(found, f"no config matches {pattern}")
    return [path for path in found if "plugin_example" not in path] # its plug-in is in the build folder


def test_the_engine_runs(place):
    for path in configs(place, "engine/*.toml"):
        done = place.run("-q", path, "-o", "engine.csv", "-D", "simulation.stop=0.05")
        expect(done.returncode == 0, f"{path}: {done.stderr}")
        expect(os.path.getsize(os.path.join(place.folder, "engine.csv")) > 1000, path)


@tap.tier("full")
def test_other_models_run_or_name_the_module(place):
    for path in configs(place, "[!e]*/*.toml"):
        done = place.run("-q", path, "-o", "other.csv")
        module = NEED.get(os.path.basename(os.path.dirname(path)))
        if module is None:
            expect(done.returncode == 0, f"{path}: {done.stderr}")
            continue
        said = SENTENCE.findall(done.stderr)
        expect(done.returncode == 3 and said == [module], f"{path}: {done.returncode}, {done.stderr}")


def test_a_missing_module_is_named(place):
    engine = os.path.join(place.source, "models/engine/engine.toml")
    for module, words in {"hdf5": ["-o", "engine.h5"], "mat": ["-o", "engine.mat"], "sundials": ["-D", 'solver.kind="cvode_bdf"', "--monolithic"],
                          "klu": ["-D", 'solver.linear_solver="sparse"', "-D", 'solver.kind="rosenbrock"', "--monolithic"],
                          "hwloc": ["-D", 'scheduler.topology="core:4 pu:2"']}.items():
        done = place.run("-q", engine, *words)
        said = SENTENCE.findall(done.stderr)
        expect(done.returncode == 3 and said == [module], f"{module}: {done.returncode}, {done.stderr}")
        expect(done.stderr.count("\n") == 1, f"{module}: more than one sentence: {done.stderr}")


def test_results_in_hdf5_are_refused(place):
    with open(os.path.join(place.folder, "r.h5"), "wb") as file:
        file.write(b"\x89HDF\r\n\x1a\n" + bytes(100))
    done = place.run("compare", "r.h5", "r.h5")
    expect(done.returncode == 6 and SENTENCE.findall(done.stderr) == ["hdf5"], f"{done.returncode}, {done.stderr}")


def test_fmus_are_refused(place):
    done = place.run("import", "x.fmu")
    expect(done.returncode == 3 and SENTENCE.findall(done.stderr) == ["fmi"], f"{done.returncode}, {done.stderr}")


def main():
    options = tap.parser("--source", tiers=["quick", "full"]).parse_args()
    return tap.run(globals(), options, lambda folder: Place(options, folder))


if __name__ == "__main__":
    sys.exit(main())
