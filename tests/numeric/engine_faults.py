"""Faults of the engine by its config alone: a stuck boost sensor and a blocked EGR valve.

The faults must have their effects in the results, in split and in monolithic runs, and must change nothing before they begin.

Arguments: the wrsim program, the engine's config.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

STUCK_PA, STUCK_S, BLOCKED_S, FREE_S, STOP_S = 2.2e5, 0.1, 0.2, 0.3, 0.48
FAULTS = f"""
[[scenario]]
name = "stuck_boost"
signal = "sensors.p_im"
action = "override"
value = {STUCK_PA}
at = {STUCK_S}

[[scenario]]
name = "blocked_egr"
signal = "egr_valve.opening"
action = "override"
value = 0.0
at = {BLOCKED_S}
until = {FREE_S}
"""
NEVER = """
[[scenario]]
signal = "sensors.p_im"
action = "freeze"
when = "sensors.p_im > 9e5"

[[scenario]]
parameter = "egr_valve.area"
value = 1e-6
when = "intake.p < 1e4"
"""
SIGNALS = ("intake.p", "sensors.p_im", "egr_valve.flow", "wastegate_actuator.position", "turbo.omega",
           "stuck_boost.value", "blocked_egr.value", "blocked_egr.is_on")
# Limit of the difference between the split and the monolithic run at the shipped tolerances, relative to each signal's range (assumed).
SPLIT = 2e-3


def run(program, config, folder, more, *words):
    """Runs the config with the text `more` appended. Returns time and signals at communication points: {name: [values]}."""
    path, result = os.path.join(folder, "case.toml"), os.path.join(folder, "case.csv")
    with open(config) as file, open(path, "w") as case:
        case.write(file.read() + more)
    names = [name for name in SIGNALS if "." in name and (name.split(".")[0] not in ("stuck_boost", "blocked_egr")
                                                         or name.split(".")[0] in more)]
    runs.call(program, path, "-q", "-o", result, "-D", "output.signals=[%s]" % ", ".join('"%s"' % name for name in names), *words)
    return runs.columns_of(result)


def at(result, name, time_s):
    index = min(range(len(result["time"])), key=lambda i: abs(result["time"][i] - time_s))
    return result[name][index]


def check_faults(plain, faulty, problems):
    times = faulty["time"]
    for i, time_s in enumerate(times):
        before = time_s < STUCK_S - 1e-9
        for name in plain:
            if before and plain[name][i] != faulty[name][i]:
                problems.append(f"{name} differs at {time_s} s, before anything has happened")
        seen = faulty["stuck_boost.value"][i]
        if seen != (faulty["sensors.p_im"][i] if before else STUCK_PA):
            problems.append(f"the stuck sensor shows {seen} Pa at {time_s} s")
        is_blocked = BLOCKED_S - 1e-9 < time_s < FREE_S - 1e-9
        if faulty["blocked_egr.is_on"][i] != is_blocked:
            problems.append(f"the EGR valve is blocked or free wrongly at {time_s} s")
        if is_blocked and faulty["egr_valve.flow"][i] != 0.0:
            problems.append(f"gas flows through the blocked EGR valve at {time_s} s")
    # The stuck sensor reports a high boost pressure, so the control unit opens the waste-gate: turbocharger speed and boost fall. The
    # component `sensors` still measures the true boost.
    if not at(faulty, "wastegate_actuator.position", STOP_S) > 0.5 > 0.0 == at(
            plain, "wastegate_actuator.position", STOP_S):
        problems.append("the waste-gate does not open")
    for name, share in (("turbo.omega", 0.98), ("intake.p", 0.95), ("sensors.p_im", 0.95)):
        if not at(faulty, name, STOP_S) < share * at(plain, name, STOP_S):
            problems.append(f"{name} does not fall")
    if not abs(at(faulty, "egr_valve.flow", BLOCKED_S - 0.01)) > 1e-3 < abs(at(faulty, "egr_valve.flow", STOP_S)):
        problems.append("nothing flows where the EGR valve is free")


def largest_difference(a, b):
    largest = 0.0
    for name in b:
        span = max(b[name]) - min(b[name])
        if name in a and span > 0.0:
            largest = max(largest, max(abs(x - y) for x, y in zip(a[name], b[name])) / span)
    return largest


def main():
    program, config = sys.argv[1:]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        plain = run(program, config, folder, "")
        faulty = run(program, config, folder, FAULTS)
        whole = run(program, config, folder, FAULTS, "--monolithic")
        untouched = run(program, config, folder, NEVER)
    check_faults(plain, faulty, problems)
    if largest_difference(faulty, whole) > SPLIT:
        problems.append(f"split and whole differ by {largest_difference(faulty, whole):.2g} of range")
    if largest_difference(untouched, plain) > 1e-12:
        problems.append(f"what never happens changes {largest_difference(untouched, plain):.2g} of range")
    print(f"faults: split and whole differ by {largest_difference(faulty, whole):.2g} of range, what never happens "
          f"changes {largest_difference(untouched, plain):.2g}")
    sys.exit("\n".join(problems[:10]) if problems else 0)


main()
