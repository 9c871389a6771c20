"""The shipped engine at tighter tolerances than its own: the split run is about as accurate as the monolithic run.

A signal is off if its error exceeds FACTOR rtol of its range, against a monolithic CVODE run at rtol 1e-9. At the same rtol the
split run may have at most MORE such signals more than the monolithic run.

    engine_same_rtol.py WRSIM ENGINE.toml RTOL ...
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
from runs import call

FACTOR, MORE = 20.0, 1


def errors(program, result, reference):
    """Returns the largest error of each signal, relative to its range."""
    found = {}
    for line in call(program, "compare", result, reference).stdout.splitlines():
        fields = line.split()
        if len(fields) >= 6 and "." in fields[0] and not line.startswith(("compared", "largest")):
            found[fields[0]] = float(fields[3])
    return found


def main():
    program, config = sys.argv[1:3]
    common = ("-q", "-D", "output.events=false")
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        reference, result = (os.path.join(folder, name) for name in ("reference.h5", "result.h5"))
        call(program, config, *common, "--monolithic", "-o", reference, "-D", "solver.kind=cvode_bdf", "-D", "simulation.rtol=1e-9",
             "-D", "simulation.event_tolerance=1e-12")
        for rtol in map(float, sys.argv[3:]):
            off = []
            for grouping in ([], ["--monolithic"]):
                call(program, config, *common, *grouping, "-o", result, "-D", "simulation.rtol=%g" % rtol)
                found = errors(program, result, reference)
                off.append([(name, error) for name, error in found.items() if error > FACTOR * rtol])
                print("rtol %g, %s: %d of %d signals are off by more than %g rtol, the worst by %.3g" % (
                    rtol, "monolithic" if grouping else "split", len(off[-1]), len(found), FACTOR, max(found.values()) / rtol))
            is_good &= len(found) > 50 and len(off[0]) <= len(off[1]) + MORE
    sys.exit(0 if is_good else 1)


main()
