"""The tolerances of `wrsim budget` for the engine, against a monolithic CVODE run (Adams) at rtol 1e-10.

Over one cycle the error of the main pressures, max|p - ref| / max|ref|, must be between a fifth of the requested error and the requested
error. Against a uniform tolerance the counted work must not increase at a requested error of 1e-3, and must fall by 10 % at 1e-4.

Arguments: the wrsim program, the engine's config, the requested errors.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
import runs

SIGNALS = ("intake.p", "exhaust.p", "charge.p", "cyl*.p")
# Methods and windows as in bench/engine.toml.
COMMON = [*engine_tight.WORDS, "-D", "simulation.stop=0.048", "-D", "output.events=false",
          "-D", "simulation.communication_step=1e-4", "-D", "relaxation.convergence=0.3",
          "-D", "relaxation.window.control=fixed", "-D", "relaxation.window.initial=5e-4",
          "-D", "solver.kind=rk43", "-D", "subsystem.airpath.solver.kind=bs32",
          "-D", "output.signals=[%s]" % ", ".join('"%s"' % s for s in SIGNALS)]


def simulate(program, config, file, *args):
    """Returns the columns of the recorded signals."""
    runs.call(program, config, "-q", "-o", file, *COMMON, *args)
    return [values for name, values in runs.columns_of(file).items() if name != "time"]


def main():
    program, config = sys.argv[1:3]
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "result.csv")
        reference = simulate(program, config, file, "--monolithic", "-D", "solver.kind=cvode_adams",
                             "-D", "simulation.rtol=1e-10", "-D", "simulation.event_tolerance=1e-12")
        for asked in map(float, sys.argv[3:]):
            said = runs.call(program, "budget", "-q", config, *COMMON, "--error", "%g" % asked).stdout
            words = [line for line in said.splitlines() if line.startswith("-D")][0].split()
            result = simulate(program, config, file, *words)
            error = max(max(abs(x - r) for x, r in zip(a, b)) / max(abs(r) for r in b)
                        for a, b in zip(result, reference))
            saved = float(re.search(r"over uniform: (\S+) %", said).group(1))
            print("%s\nasked for %g: %.3g against CVODE" % (said, asked, error))
            is_good &= len(reference) == 7 and 0.2 * asked <= error <= asked and saved >= (0 if asked > 5e-4 else 10)
            is_good &= "cyl1, cyl2, cyl3, cyl4" in said  # the cylinders repeat one another, so they share a tolerance
    sys.exit(0 if is_good else 1)


main()
