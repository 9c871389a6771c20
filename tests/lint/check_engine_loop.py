"""Other configs of the engine have the components, connections and groups of engine.toml: the script prints differences.

usage: check_engine_loop.py ENGINE.toml SAME_SOLVERS.toml OTHER_SOLVERS.toml
"""
import sys

# Begins of lines that may differ: keys of relaxation, and keys of results.
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


def main():
    engine, same, others = sys.argv[1:]
    wrong = compare(engine, same, "[solver]", LEFT_OUT)
    wrong += compare(engine, others, "[[component]]", (*LEFT_OUT, "solver ="))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
