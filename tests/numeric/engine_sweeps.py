"""Quality of the predictions in the engine: mean number of sweeps per window, by counts.

The stretches are ten warm, free-running cycles, and the first cycle after a load step, where shorter windows cost less
(docs/lab/2026-11-22-prediction-and-windows.md). Settings are similar to bench/engine.toml. The number of sweeps of a
stretch is the difference of two runs, to its end and to its start.

Arguments: the wrsim program, the engine's config.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
from runs import call

CYCLE_S = 0.048
SETTINGS = (
    "relaxation.convergence=0.3", "relaxation.window.control=fixed", "simulation.rtol=2e-4",
    "solver.kind=rk43", "solver.rtol=1.5e-4", "subsystem.airpath.solver.kind=bs32",
    "subsystem.airpath.solver.rtol=6e-5", "component.crank.tolerance_factor=0.005",
    "component.turbo.tolerance_factor=1", "component.intake.tolerance_factor=1",
    "component.exhaust.tolerance_factor=1", 'output.file=""',
)
# Scheme, window in s, relative change of fuel at the start of the stretch, cycles before the stretch, cycles to its end, limit of sweeps
# per window. The limits are regression limits, slightly above the measured numbers.
STRETCHES = (
    ("gauss_seidel", 5e-4, 0.0, 1, 11, 1.17),
    ("gauss_seidel", 5e-4, -0.05, 2, 3, 1.45),
    ("gauss_seidel", 5e-4, -0.2, 2, 3, 1.58),
    ("gauss_seidel", 2.5e-4, -0.05, 2, 3, 1.4),
    ("gauss_seidel", 2.5e-4, -0.2, 2, 3, 1.4),
    ("jacobi", 5e-4, 0.0, 1, 11, 1.36),
    ("jacobi", 5e-4, -0.05, 2, 3, 1.88),
    ("jacobi", 2.5e-4, -0.05, 2, 3, 1.4),
)
# Predicted waveforms per window. Gauss-Seidel predicts four of each cylinder, because the airpath reads these waveforms before the
# cylinders integrate. Jacobi also predicts nine of the airpath.
PREDICTED = {"gauss_seidel": 16, "jacobi": 25}


def counts(program, config, folder, scheme, window_s, fuel, from_cycle, n_cycle):
    summary = os.path.join(folder, "summary.json")
    settings = SETTINGS + (
        "relaxation.scheme=" + scheme, "relaxation.window.initial=%g" % window_s,
        "simulation.stop=%.17g" % (n_cycle * CYCLE_S),
        "component.control.parameters.step_size=%g" % fuel,
        "component.control.parameters.step_time=%.17g" % (from_cycle * CYCLE_S))
    call(program, config, *engine_tight.WORDS, "-q", "--json", summary, *("-D" + s for s in settings))
    with open(summary) as file:
        read = json.load(file)
    return read["n_window"], read["n_sweep"], read["n_predicted"]


def main():
    program, config = sys.argv[1:3]
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        for scheme, window_s, fuel, first, last, limit in STRETCHES:
            before = counts(program, config, folder, scheme, window_s, fuel, first, first)
            after = counts(program, config, folder, scheme, window_s, fuel, first, last)
            n_window = after[0] - before[0]
            sweeps = (after[1] - before[1]) / n_window
            is_within = sweeps <= limit and n_window * window_s <= (last - first) * CYCLE_S * 1.01
            is_within &= after[2] - before[2] == PREDICTED[scheme] * n_window
            print("%-12s fuel %+3.0f %%: %.3f sweeps in %d windows of %3.0f us (limit %g)%s"
                  % (scheme, 100.0 * fuel, sweeps, n_window, 1e6 * window_s, limit,
                     "" if is_within else " FAILED"))
            is_good &= is_within
    sys.exit(0 if is_good else 1)


main()
