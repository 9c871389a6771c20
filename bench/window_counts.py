"""Compares the window controller with fixed windows on the split models of CASES, by counted work.

    python3 bench/window_counts.py build/wrsim [CASE]...

Work is right-hand sides times (10 + states + indicators / 4), including all sweeps and rejected windows. Work does not depend on the
machine or its load. Each model has the settings of its config and of CASES. The script does not compare errors;
`wrsim bench bench/windows.toml` compares times at equal error. Fixed lengths form a ladder with factors of sqrt(2). The controller
starts at the model's own length, and with lengths 20 times too short and too long. The table is Markdown. Its numbers are relative to
the work of the best fixed length.
"""
import functools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests/harness"))
import engine_tight

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models")
BENCH = (
    "solver.kind=rk43", "solver.rtol=1.5e-4", "subsystem.airpath.solver.kind=bs32",
    "component.crank.tolerance_factor=0.005", "component.turbo.tolerance_factor=1",
    "component.intake.tolerance_factor=1", "component.exhaust.tolerance_factor=1",
    "component.egr_cooler.tolerance_factor=1", "component.intercooler.tolerance_factor=1")
JACOBI = BENCH + (
    "relaxation.scheme=jacobi", "relaxation.window.initial=5e-4", "relaxation.convergence=0.3",
    "simulation.rtol=2e-4", "subsystem.airpath.solver.rtol=6e-5")
GAUSS_SEIDEL = BENCH + (
    "relaxation.scheme=gauss_seidel", "relaxation.window.initial=1e-3",
    "relaxation.convergence=0.8", "simulation.rtol=1e-4", "subsystem.airpath.solver.rtol=8e-5")
CASES = (
    ("engine", "engine/engine.toml", (*engine_tight.OVERRIDES, "simulation.stop=0.144")),
    ("engine, Jacobi", "engine/engine.toml", ("simulation.stop=0.48",) + JACOBI),
    ("engine, Gauss-Seidel", "engine/engine.toml", ("simulation.stop=0.48",) + GAUSS_SEIDEL),
    ("hires", "hires/hires.toml", ()),
    ("rc_ladder", "rc_ladder/rc_ladder.toml", ()),
    ("two_mass", "two_mass/two_mass.toml", ("simulation.stop=10",)),
    ("dahlquist", "dahlquist/dahlquist.toml", ()),
    ("signal", "signal/signal.toml", ()),
    ("relay", "relay/relay.toml", ()),
    ("vanderpol_split", "vanderpol/vanderpol_split.toml", ()),
    ("kpr", "kpr/kpr.toml", ()),
)
HALF_LADDER = 10


def work_of(summary):
    return sum(s["n_rhs"] * (10 + s["n_state"] + 0.25 * s["n_indicator"])
               for s in summary["subsystems"])


class Model:
    """A config; its path is relative to models/."""

    def __init__(self, program, config, settings, folder):
        self.command = [program, os.path.join(MODELS, config), "-q", "-D", 'output.file=""']
        self.settings = settings
        self.summary = os.path.join(folder, "summary.json")

    @functools.cached_property
    def window(self):
        """Returns the window lengths of the config."""
        found = self.run(())["config"].splitlines()
        table = [line.split(" = ") for line in found if line.startswith("window.")]
        return {key: float(value) for key, value in table if key != "window.control"}

    def run(self, settings, accepted=(0, 5), longest_s=None):
        """Returns the summary of a run, or None after longest_s or an accepted exit code other than 0. Other exit codes end the
        script."""
        define = [word for setting in self.settings + tuple(settings) for word in ("-D", setting)]
        try:
            done = subprocess.run([*self.command, *define, "--json", self.summary],
                                  capture_output=True, text=True, timeout=longest_s)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode not in accepted:
            sys.exit("%s\n%s" % (" ".join(done.args), done.stderr))
        if done.returncode != 0:
            return None
        with open(self.summary) as file:
            return json.load(file)

    def measure(self, control, length_s):
        """Returns the work and the mean window length, s, for a given initial window length; inf and nan if the run fails."""
        found = self.run((
            "relaxation.window.control=" + control, "relaxation.window.initial=%.12g" % length_s,
            "relaxation.window.max=%.12g" % max(length_s, self.window["window.max"]),
            "relaxation.window.min=%.12g" % min(length_s, self.window["window.min"])))
        if found is None:
            return float("inf"), float("nan")
        return work_of(found), (found["time_s"] - found["start_s"]) / found["n_window"]


def row(program, name, config, settings, folder):
    model = Model(program, config, settings, folder)
    initial_s = model.window["window.initial"]
    ladder = [initial_s * 2.0 ** (0.5 * k) for k in range(-HALF_LADDER, HALF_LADDER + 1)]
    best, best_s = min((model.measure("fixed", length_s)[0], length_s) for length_s in ladder)
    cells = []
    for factor in (1.0, 0.05, 20.0):
        work, mean_s = model.measure("work", factor * initial_s)
        cells.append("%.3f (%.2g s)" % (work / best, mean_s))
    print("| %s | %.3g s | %s |" % (name, best_s, " | ".join(cells)), flush=True)


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    print("| model | best fixed length | controller (mean window) | 20 times too short | too long |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, config, settings in CASES:
            if not wanted or name in wanted:
                row(program, name, config, settings, folder)


if __name__ == "__main__":
    main()
