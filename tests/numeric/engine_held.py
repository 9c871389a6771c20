"""Each cylinder completes its cycle with a crank angle that is held and then jumps by several degrees.

The angle jumps past the angles at which valves and needles move. While all valves are shut, the gas mass must stay within limits,
and the injected fuel must burn.

Arguments: the wrsim program, the engine's config.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

STOP_S, PERIODS_S = 0.096, (2e-4, 5e-4)
SHUT_DEG = (50.0, 300.0)        # crank angles: well after the intake valve has closed, before the exhaust valve opens
LOST, FUEL = 0.02, 0.08         # largest loss by blow-by and gain by burning fuel, in units of the mass of air and burned gas
BURNED, LEAST_KG = 0.9, 1e-6    # least burned share of the fuel; least mass of fuel vapour
NAMES = ("phi", "m_air", "m_burned", "m_fuel", "m_liquid", "x_burn")


def run(program, config, folder, period_s):
    """Returns the signals of each cylinder at communication points: [cylinder][name][point]."""
    result = os.path.join(folder, "held.csv")
    runs.call(program, config, "-q", "-o", result, "-D", "relaxation.scheme=slack", "-D", "relaxation.prediction=hold",
              "-D", f"slack.period={period_s}", "-D", "slack.bound=0", "-D", f"simulation.stop={STOP_S}",
              "-D", 'output.signals=["cyl*.*"]', "-D", "output.events=false")
    signals = runs.columns_of(result)
    return [{name: signals[f"cyl{i}.{name}"] for name in NAMES} for i in (1, 2, 3, 4)]


def strokes(cylinder):
    """Returns the ranges of points in which all valves are shut, without a range that the run's end cuts."""
    phi, begin, found = cylinder["phi"], None, []
    for k, angle in enumerate(phi):
        is_shut = SHUT_DEG[0] < angle < SHUT_DEG[1]
        if is_shut and begin is None and k > 0:
            begin = k
        if not is_shut and begin is not None:
            found.append((begin, k))
            begin = None
    return found


def main():
    program, config = sys.argv[1:]
    n_stroke = n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for period_s in PERIODS_S:
            for i, cylinder in enumerate(run(program, config, folder, period_s)):
                for begin, end in strokes(cylinder):
                    if cylinder["phi"][begin] > SHUT_DEG[0] + 30:
                        continue    # the run starts within this stroke
                    injected = max(cylinder["m_fuel"][begin:end])
                    held = [a + b for a, b in zip(cylinder["m_air"], cylinder["m_burned"])]
                    low, high = min(held[begin:end]), max(held[begin:end])
                    burned = max(cylinder["x_burn"][begin:end])
                    n_stroke += 1
                    is_right = (low > (1 - LOST) * held[begin] and high < (1 + FUEL) * held[begin] and
                                injected > LEAST_KG and burned > BURNED)
                    if not is_right:
                        n_wrong += 1
                        print(f"{period_s} s, cyl{i + 1}, from point {begin}: mass {held[begin]:.3e} goes from {low:.3e} to "
                              f"{high:.3e} kg, fuel {injected:.2e} kg, burned {burned:.2f}")
    print(f"{n_stroke} strokes, {n_wrong} wrong")
    return n_wrong > 0 or n_stroke < 12


if __name__ == "__main__":
    sys.exit(main())
