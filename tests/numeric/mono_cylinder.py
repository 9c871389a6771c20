"""The mono-cylinder: accuracy, convergence from cycle to cycle, balances, and performance figures.

1. In the shipped config no signal is off by more than 10 rtol of its range, against a run at rtol 1e-10. Two methods at rtol 1e-10
   differ by at most a hundredth of this limit.
2. The changes from cycle to cycle fall to 1e-8. Residual gas and the control unit's fuel pass from each cycle to the next.
3. With balance = 1 the mass of every gas and the energy agree with their sums, apart from rounding (1e-13 kg a cycle, 1e-8 J). Energy
   and temperature, two states, belong to the same gas within 20 times the solver's tolerance.
4. Air, work and heat of one cycle are within wide limits (EXPECTED). The limits come from energy (an efficiency below 1 - 10^-0.3 of the
   constant-volume cycle), volume (no more air than the cylinder holds at the intake's state), and typical values.

Arguments: the wrsim program, mono_cylinder.toml.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

RTOL = 1e-6
CYCLES_RTOL = 1e-8
SETTLED = CYCLES_RTOL
CYCLE = 0.06  # s, 720 degrees at 2000 rpm
CYCLES = 14
STEP = 5e-4     # s between rows of the result
SWEPT = 0.0004995574  # swept volume in m3: bore and stroke 86 mm
HEATING_VALUE = 44e6        # J/kg, of the fuel
GAS = 287.6                 # gas constant of air, J/(kg K)
P_IM, T_IM = 0.45e5, 310    # Pa, K, in the intake
# Temperature in K, and specific heat capacity in J/(kg K) at constant volume.
CV = ((300, 775.7), (600, 860.4), (1000, 982.9), (1500, 1080.2), (2500, 1173.9))
# Quantity, least and largest value of a throttled engine at 2000 rpm with stoichiometric mixture and without dissociation.
EXPECTED = (
    ("indicated mean pressure, compression and expansion, bar", 3.5, 5.5),
    ("mean pressure of pumping, bar", -0.75, -0.35),  # p_im - p_em is about -0.58 bar
    ("indicated efficiency, net", 0.27, 0.38),
    ("volumetric efficiency on intake density", 0.75, 0.95),
    ("share of the fuel's heat that goes to the walls", 0.12, 0.30),
    ("exhaust enthalpy above that of the intake, share of the heat", 0.30, 0.50),
    ("peak pressure, bar", 20, 35),
)


def run(program, config, path, *overrides):
    runs.call(program, config, "-q", "-o", path, *runs.defined(["output.events=false", *overrides]))


def compare(program, a, b, limit):
    print(runs.call(program, "compare", a, b, "--limit", "%g" % limit).stdout.strip().split("\n")[-1])


def specific_energy(T):
    """Returns the integral of the heat capacity from 0 to T: linear between the points of CV and beyond them."""
    total = 0
    for i, (t, cv) in enumerate(CV[:-1]):
        slope = (CV[i + 1][1] - cv) / (CV[i + 1][0] - t)
        low = 0 if i == 0 else t
        high = T if i == len(CV) - 2 else min(T, CV[i + 1][0])
        if high > low:
            total += (high - low) * (cv + slope * ((high + low) / 2 - t))
    return total


def check_accuracy(program, config, folder):
    paths = {name: os.path.join(folder, name + ".h5") for name in ("shipped", "reference", "second")}
    run(program, config, paths["shipped"])
    for name, kind in (("reference", "dopri54"), ("second", "rk43")):
        run(program, config, paths[name], "simulation.rtol=1e-10", 'solver.kind="%s"' % kind)
    compare(program, paths["shipped"], paths["reference"], 10 * RTOL)
    compare(program, paths["second"], paths["reference"], 0.1 * RTOL)


def check_cycles(d):
    """Compares points 42 degrees apart with the same points of the next cycle."""
    per_cycle = round(CYCLE / STEP)
    signals = ("m_air", "m_fuel", "m_burned", "T", "p")
    changes = []
    for k in range(1, CYCLES):
        points = [k * per_cycle - per_cycle + i for i in range(0, per_cycle, 7)]
        changes.append(max(abs(d[s][i + per_cycle] - d[s][i]) / max(map(abs, d[s])) for s in signals for i in points))
    print("changes from cycle to cycle:", " ".join("%.1e" % c for c in changes))
    for before, after in zip(changes, changes[2:]):  # two cycles apart, because the fuel follows the air a cycle later
        if after > max(0.2 * before, SETTLED):
            sys.exit("cycles do not approach one another: %g two after %g" % (after, before))
    if changes[-1] > SETTLED:
        sys.exit("the last two cycles differ by %g" % changes[-1])


def check_balances(d):
    n = len(d["T"])
    for gas in ("air", "fuel", "burned"):
        for i in range(n):
            by_sums = (d["sum_%s_in" % gas][i] - d["sum_%s_out" % gas][i] + d["evapo_" + gas][i] + d["combu_" + gas][i])
            error = d["m_" + gas][i] - d["m_" + gas][0] - by_sums
            if abs(error) > 1e-13 * CYCLES:
                sys.exit("%s: %g kg are missing at row %d" % (gas, error, i))
    worst = 0
    for i in range(n):
        energy = (d["combu_heat_release"][i] + d["sum_enthalpy_in"][i] - d["sum_enthalpy_out"][i]
                  + d["sum_evaporation"][i] - d["sum_heat_wall"][i] - d["sum_work"][i])
        if abs(d["energy"][i] - d["energy"][0] - energy) > 1e-8:
            sys.exit("energy: %g J are missing at row %d" % (d["energy"][i] - d["energy"][0] - energy, i))
        mass = d["m_air"][i] + d["m_fuel"][i] + d["m_burned"][i]
        worst = max(worst, abs(d["energy"][i] / (mass * specific_energy(d["T"][i])) - 1))
    print("energy and temperature differ by %.1e" % worst)
    if worst > 20 * CYCLES_RTOL:
        sys.exit("energy and temperature are those of two gases")


def performance(d):
    """Checks the figures of the last cycle. The gas exchange lasts from 180 to 540 degrees."""
    per_cycle = round(CYCLE / STEP)
    last = len(d["T"]) - 1
    first = last - per_cycle
    # Start and end of the gas exchange are points of the grid, which are 6 degrees apart.
    exchange = [i for i in range(first, last + 1) if 180 <= d["phi"][i] <= 540]
    work = d["sum_work"][last] - d["sum_work"][first]
    pumping = d["sum_work"][exchange[-1]] - d["sum_work"][exchange[0]]
    fuel = d["evapo_fuel"][last] - d["evapo_fuel"][first]
    heat = d["combu_heat_release"][last] - d["combu_heat_release"][first]
    air = d["sum_air_in"][last] - d["sum_air_in"][first]
    density = P_IM / (GAS * T_IM)

    def change(name):
        return d[name][last] - d[name][first]

    values = ((work - pumping) / SWEPT / 1e5, pumping / SWEPT / 1e5, work / (fuel * HEATING_VALUE), air / density / SWEPT,
              change("sum_heat_wall") / heat, (change("sum_enthalpy_out") - change("sum_enthalpy_in")) / heat,
              max(d["p"][first:]) / 1e5)
    wrong = 0
    for (what, low, high), value in zip(EXPECTED, values):
        print("%-62s %8.3f   (%g to %g)" % (what, value, low, high))
        wrong += not low <= value <= high
    if wrong:
        sys.exit("%d figures are not those of such an engine" % wrong)


def main():
    program, config = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        check_accuracy(program, config, folder)
        path = os.path.join(folder, "balance.csv")
        run(program, config, path, "component.engine.parameters.balance=1", "simulation.stop=%g" % (CYCLES * CYCLE),
            "simulation.rtol=%g" % CYCLES_RTOL)
        d = {name.removeprefix("engine."): values for name, values in runs.columns_of(path).items()}
    check_cycles(d)
    check_balances(d)
    performance(d)


if __name__ == "__main__":
    main()
