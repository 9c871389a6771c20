"""Overrides for tests of accuracy: the errors of all signals of the engine become small relative to their ranges.

The tolerances of models/engine/engine.toml are larger. As a program the module prints one override per line.
"""
OVERRIDES = [
    "simulation.stop=0.192",
    "simulation.rtol=1e-5",
    "relaxation.scheme=jacobi",
    "relaxation.window.control=work",
    "relaxation.solver_tolerance_factor=0.05",
    "relaxation.convergence=0.02",
    "relaxation.tuned_rtol=0",
    "subsystem.airpath.solver.kind=rk43",
    "component.crank.tolerance_factor=0.05",
    "component.turbo.tolerance_factor=0.1",
    "component.intercooler.tolerance_factor=1",
    "component.intake.tolerance_factor=0.1",
    "component.exhaust.tolerance_factor=0.1",
    "component.egr_cooler.tolerance_factor=1",
]
WORDS = [word for override in OVERRIDES for word in ("-D", override)]

if __name__ == "__main__":
    print("\n".join(OVERRIDES))
