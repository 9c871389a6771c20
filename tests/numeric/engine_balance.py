"""Mass of each species and energy of the whole engine over four cycles.

With balance = 1 the volumes, cylinders, ambient, intercooler, turbo and crank integrate the mass and energy that they give to their
surroundings. The sum of all storage, sources and outflow must be constant to LIMIT of the flow through the engine. The script checks
air, burned gas, fuel and energy, in the relaxed and in the monolithic run. models/engine/readme.md has the identities.

Arguments: the wrsim program, the engine's config.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
import runs

LIMIT = 1e-6
AIR_PER_FUEL = 14.6  # kg/kg, stoichiometric
HEATING_VALUE = 42.8e6  # J/kg
VOLUMES = ("inlet", "charge", "intake", "exhaust", "tailpipe", "egr_cooler")
TWO_SPECIES = ("intake", "exhaust", "tailpipe", "egr_cooler")
OTHERS = ("ambient", "intercooler", "turbo", "crank")
CYLINDERS = ("cyl1", "cyl2", "cyl3", "cyl4")


def changes(program, config, folder, *args):
    """Runs the engine and returns the change of each signal from the first to the last row."""
    path = os.path.join(folder, "balance.csv")
    balances = ["component.%s.parameters.balance=1" % component for component in VOLUMES + OTHERS + CYLINDERS]
    runs.call(program, config, *engine_tight.WORDS, "-q", "-o", path, *args,
              *runs.defined(["output.signals=[]", "output.events=false", *balances]))
    return {name: values[-1] - values[0] for name, values in runs.columns_of(path).items()}


def residuals(d):
    def total(names, what):
        return sum(d["%s.%s" % (name, what)] for name in names)

    burned_fuel = total(CYLINDERS, "sum_fuel_burned")
    injected = total(CYLINDERS, "sum_fuel_injected")
    air = (total(VOLUMES, "m_air") + total(VOLUMES, "air_out") + d["ambient.air_out"]
           + total(CYLINDERS, "m_air") + total(CYLINDERS, "sum_air_blow_by")
           + AIR_PER_FUEL * burned_fuel)
    burned = (total(TWO_SPECIES, "m_burned") + total(VOLUMES, "burned_out")
              + d["ambient.burned_out"] + total(CYLINDERS, "m_burned")
              + total(CYLINDERS, "sum_burned_blow_by") - (1 + AIR_PER_FUEL) * burned_fuel)
    fuel = (total(CYLINDERS, "m_fuel") + total(CYLINDERS, "m_liquid")
            + total(CYLINDERS, "sum_fuel_blow_by") + burned_fuel - injected
            + total(VOLUMES, "fuel_out"))
    energy = (total(VOLUMES, "energy") + total(VOLUMES, "energy_out")
              + total(("intercooler", "turbo"), "energy")
              + total(("intercooler", "turbo"), "energy_out")
              + d["ambient.energy_out"] + d["crank.energy"] + d["crank.energy_out"]
              - d["crank.gas_work"])
    for cylinder in CYLINDERS:
        def s(what):
            return d["%s.sum_%s" % (cylinder, what)]
        vaporisation = s("evaporation") / s("fuel_evaporated")  # J/kg
        energy += d[cylinder + ".energy"] - (
            s("fuel_injected") * (HEATING_VALUE + vaporisation)
            + HEATING_VALUE * (s("fuel_in") - s("fuel_out") - s("fuel_blow_by"))
            - s("enthalpy_blow_by") - s("work") - s("heat_liner") - s("heat_coolant"))
    burned_made = (1 + AIR_PER_FUEL) * burned_fuel
    return {"air": air / d["ambient.out1_air"],
            "burned gas": burned / burned_made,
            "fuel": fuel / injected,
            "energy": energy / (injected * HEATING_VALUE)}


def main():
    program, config = sys.argv[1:3]
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        for args in ((), ("--monolithic",)):
            d = changes(program, config, folder, *args)
            for what, residual in residuals(d).items():
                print("%-12s %-10s %.2e" % (args[0][2:] if args else "relaxed", what, residual))
                is_good &= abs(residual) <= LIMIT
    sys.exit(0 if is_good else 1)


main()
