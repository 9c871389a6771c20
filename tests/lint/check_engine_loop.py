"""Other configs of the engine have the components, connections and groups of engine.toml: the script prints differences.

usage: check_engine_loop.py ENGINE.toml SAME_SOLVERS.toml OTHER_SOLVERS.toml GAS.toml

GAS.toml differs from engine.toml by the components gas* and port_gas*, the connections of these components, the
parameter gas, the window, and the result file.
"""
import re
import sys
import tomllib

# First words of lines that may differ: keys of histories, and keys of results.
LEFT_OUT = ("history_source =", "lag =", "file =", "events =")


def model_of(path, begin, left_out):
    """Returns the lines of the config from the line `begin` on, without lines that may differ."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [line for line in lines[lines.index(begin):] if not line.startswith(left_out)]


def compare(first, second, begin, left_out):
    """Returns the differences as text."""
    engine, other = model_of(first, begin, left_out), model_of(second, begin, left_out)
    wrong = [f"{second}: {a!r} is {b!r} there" for a, b in zip(engine, other) if a != b][:5]
    if len(engine) != len(other):
        wrong.append(f"{second}: {len(engine)} lines, {len(other)} there")
    if len(engine) < 100:
        wrong.append(f"{first}: {len(engine)} lines are no engine")
    return wrong


def is_gas(name):
    return re.match(r"(port_)?gas\d", name) is not None


def wrong_gas(path):
    """Returns the gas components that differ from their cylinder in parameters or group, or from gas1 in connections."""
    with open(path, "rb") as file:
        config = tomllib.load(file)
    parameters = {c["name"]: c.get("parameters", {}) for c in config["component"]}

    def connections(n):
        own = [c for c in config["connection"] if c["from"] != "crank.theta" and re.search(rf"gas{n}\b", str(c))]
        return re.sub(rf"(?<=[a-z]){n}\b", "N", str(own))

    group = {name: s["name"] for s in config["subsystem"] for name in s["components"]}
    wrong = []
    for name in filter(is_gas, parameters):
        n = name[-1]
        if parameters[name] | {"gas": "connected"} != parameters["cyl" + n] or connections(n) != connections("1"):
            wrong.append(name)
        elif group.get(name) != (None if name.startswith("port") else group["cyl" + n]):  # port*: the airpath
            wrong.append(name)
    return wrong


def without_gas(path):
    """Returns the config without the parts that may differ: the components gas* and port_gas*, their connections, the parameter gas, the
    window and the result file."""
    with open(path, "rb") as file:
        config = tomllib.load(file)
    config["output"].pop("file")
    config["relaxation"].pop("window")
    config["component"] = [c for c in config["component"] if not is_gas(c["name"])]
    for component in config["component"]:
        component.get("parameters", {}).pop("gas", None)
    kept = []
    for c in config["connection"]:
        to = [name for name in ([c["to"]] if isinstance(c["to"], str) else c["to"]) if not is_gas(name)]
        if to and not is_gas(c["from"]):
            kept.append({**c, "to": to})
    config["connection"] = kept
    for subsystem in config["subsystem"]:
        subsystem["components"] = [name for name in subsystem["components"] if not is_gas(name)]
    return config


def main():
    engine, same, others, gas = sys.argv[1:]
    wrong = compare(engine, same, "[solver]", LEFT_OUT)
    wrong += compare(engine, others, "[[component]]", (*LEFT_OUT, "solver ="))
    first, second = without_gas(engine), without_gas(gas)
    wrong += [f"{gas}: [{key}] is different there"
              for key in first.keys() | second.keys() if first.get(key) != second.get(key)]
    wrong += [f"{gas}: {name} does not fit its cylinder" for name in wrong_gas(gas)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
