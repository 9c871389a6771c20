"""The relaxed engine against a monolithic CVODE run at rtol 1e-10, over four cycles.

At rtol 1e-4, 1e-5 and 1e-6 every recorded signal must be within FACTOR times rtol, relative to its range. The largest error must
decrease with rtol.

Arguments: the wrsim program, the engine's config.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
from runs import call

FACTOR = 20.0
TOLERANCES = (1e-4, 1e-5, 1e-6)


def main():
    program, config = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "reference.h5")
        call(program, config, *engine_tight.WORDS, "-q", "--monolithic", "-o", reference, "-D", "solver.kind=cvode_bdf",
             "-D", "simulation.rtol=1e-10", "-D", "simulation.event_tolerance=1e-12", "-D", "output.events=false")
        worst_before = float("inf")
        is_good = True
        for rtol in TOLERANCES:
            result = os.path.join(folder, "relaxed.h5")
            call(program, config, *engine_tight.WORDS, "-q", "-o", result, "-D", "simulation.rtol=%g" % rtol,
                 "-D", "output.events=false")
            compared = call(program, "compare", result, reference, "--limit", "%g" % (FACTOR * rtol), codes=(0, 1))
            last = [line for line in compared.stdout.splitlines() if line.startswith("largest")][0]
            worst = float(last.split()[2])
            print("rtol %g: %s (%.1f x rtol)" % (rtol, last, worst / rtol))
            is_good &= compared.returncode == 0 and worst < worst_before
            worst_before = worst
    sys.exit(0 if is_good else 1)


main()
