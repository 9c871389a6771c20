"""The test master of FMUs: simulations, random legal calls, and sequences that it refuses.

    master_run.py --master PROGRAM --fmus FOLDER [test] ...
"""
import math
import os
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap
from tap import expect

# Sample FMUs of co-simulation. The master does not use event mode.
RANDOM = ("cs_2", "cs_3", "cs_free_2", "cs_free_3", "cs_slope_2", "cs_start_3", "cs_fixed_2", "early_3", "array_2", "array_3",
          "cs_ball_3", "cs_thermostat_3", "cs_tally_3")
WRONG = {"step-before-start": "DoStep is not allowed for an instance that is instantiated",
         "exit-before-enter": "ExitInitializationMode is not allowed for an instance that is instantiated",
         "enter-twice": "EnterInitializationMode is not allowed for an instance that is in initialisation mode",
         "terminate-before-start": "Terminate is not allowed for an instance that is instantiated",
         "terminate-in-initialisation": "Terminate is not allowed for an instance that is in initialisation mode",
         "terminate-twice": "Terminate is not allowed for an instance that is terminated",
         "step-after-end": "DoStep is not allowed for an instance that is terminated",
         "stop-before-start": "the stop time is not allowed to be at or before the start time",
         "step-beyond-stop": "DoStep is not allowed beyond the stop time",
         "zero-step": "DoStep is not allowed with the step 0 s",
         "set-output": 'Set of the variable "y" is not allowed',
         "get-after-set": "has new values without a step",
         "restore-without-state": "SetFMUState is not allowed with a freed state",
         "restore-before-announced-time": "or before the announced time",
         "free-with-state": "FreeInstance is not allowed before 1 saved states are freed",
         "use-after-free": "ExitInitializationMode is not allowed without an instance"}


class Bench:
    def __init__(self, options, folder):
        self.master, self.fmus, self.folder = options.master, options.fmus, folder

    def call(self, name, *words):
        """Calls the master with the unpacked FMU of a name."""
        target = self.folder / name
        if not target.exists():
            with zipfile.ZipFile(f"{self.fmus}/{name}.fmu") as archive:
                archive.extractall(target)
        return subprocess.run([self.master, target, *map(str, words)], cwd=self.folder, check=False, capture_output=True, text=True)

    def simulate(self, name, *words):
        done = self.call(name, *words)
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        lines = done.stdout.splitlines()
        return lines[0], [[float(word) for word in line.split(",")] for line in lines[1:]]


def test_simulation(bench):
    """The oscillator x'' = -w^2 x + u with y = x' from x = 1: the closed form, with a step of the input at 0.05 s."""
    (bench.folder / "u.csv").write_text("time,u\n0,0\n0.05,3\n", encoding="utf-8")
    rows = {}
    for name in ("cs_2", "cs_3"):
        header, rows[name] = bench.simulate(name, "--step", 0.01, "--stop", 0.2, "--inputs", "u.csv")
        expect(header == 'time,"y"' and len(rows[name]) == 21, f"{header}, {len(rows[name])} rows")
        for t_s, y in rows[name]:
            right = -2 * math.sin(2 * t_s) + (3 / 2 * math.sin(2 * (t_s - 0.05)) if t_s > 0.05 else 0)
            expect(abs(y - right) < 1e-9, f"{name}: y({t_s}) = {y} instead of {right}")
    expect(rows["cs_2"] == rows["cs_3"], "the versions give different bits")


def test_random(bench):
    """Random legal calls of right FMUs give no finding."""
    for name in RANDOM:
        done = bench.call(name, "--random", tap.sample(1, 2), "--calls", tap.sample(4000, 400000))
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        n_call, n_check = (int(word) for word in done.stdout.split() if word.isdigit())
        expect(n_call >= 4000 and n_check > 10, f"{name}: {done.stdout}")


def test_defects(bench):
    """The master finds an FMU whose results depend on noSetFMUStatePriorToCurrentPoint."""
    for name in ("cs_new_step_2", "cs_new_step_3"):
        done = bench.call(name, "--random", 1, "--calls", 4000)
        expect(done.returncode == 1 and "give different trajectories" in done.stderr, f"{name}: {done.returncode}, {done.stderr}")


def test_order(bench):
    """The master refuses calls that the standard does not allow."""
    for name in ("cs_2", "cs_3"):
        for sequence, sentence in WRONG.items():
            done = bench.call(name, "--wrong", sequence)
            expect(done.returncode == 3 and sentence in done.stderr, f"{name}, {sequence}: {done.returncode}, {done.stderr}")


def main():
    options = tap.parser("--master", "--fmus", tiers=("quick", "long")).parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
