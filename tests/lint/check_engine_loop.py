"""engine_loop.toml has the components, connections and solvers of engine.toml: what is not is printed.

usage: check_engine_loop.py ENGINE.toml ENGINE_LOOP.toml
"""
import sys

# Keys that only relaxation has a use for, and the name of the result.
LEFT_OUT = ("history_source =", "lag =", "file =")


def model_of(path):
    """From the solver on, without what may differ."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [line for line in lines[lines.index("[solver]"):] if not line.startswith(LEFT_OUT)]


def main():
    engine, loop = model_of(sys.argv[1]), model_of(sys.argv[2])
    wrong = [f"{a!r} is {b!r} there" for a, b in zip(engine, loop) if a != b]
    if len(engine) != len(loop):
        wrong.append(f"{len(engine)} lines, {len(loop)} there")
    print(*wrong[:5], sep="\n")
    return 1 if wrong or len(engine) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
