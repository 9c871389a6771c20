"""`wrsim partition --groups` finds the known grouping of small models, and the written config runs unchanged.

    grouping.py WRSIM

Masses with a stiff spring between them must stay in one group. The written config must run within 1.5 times the requested
error. A second search must give the same answer.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

MASSES = """
[simulation]
stop = 2.0
communication_step = 0.02
rtol = 1e-5

[relaxation]
window = { initial = 0.02, max = 0.1 }

[solver]
kind = "dopri54"
"""


def masses():
    """Returns a config: a stiff spring couples masses a and b; soft springs act from b on c, and from c on d."""
    text = MASSES
    for name, hard, x in (("a", 900.0, 1.0), ("b", 900.0, 0.0), ("c", 2.0, 0.0), ("d", 2.0, 0.5)):
        text += (f'\n[[component]]\nname = "{name}"\nmodel = "oscillator.mass"\n'
                 f'parameters = {{ k12 = {hard} }}\nstart = {{ x = {x} }}\n')
    for source, to in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")):
        text += f'\n[[connection]]\nfrom = "{source}.x"\nto = "{to}.x_neighbour"\n'
    return text


def rows(wrsim, config, folder, *more):
    path = os.path.join(folder, "rows.csv")
    runs.call(wrsim, "-q", config, "-o", path, *more)
    return runs.columns_of(path)


def search(wrsim, config, folder, *more):
    out = os.path.join(folder, "out")
    return json.loads(runs.call(wrsim, "partition", "-q", "-o", out, "--json", *more, config).stdout), out


def check_masses(wrsim, folder):
    config = os.path.join(folder, "masses.toml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(masses())
    arguments = ["--groups", "2", "--runs", "60", "--error", "1e-4"]
    found, out = search(wrsim, config, folder, *arguments)
    chosen = found["chosen"]
    groups = [set(g["components"]) for g in chosen["groups"]]
    if not any({"a", "b"} <= g for g in groups):
        sys.exit(f"the hard spring is cut: {groups}")
    if not chosen["error"] <= 1e-4:
        sys.exit(f"the error is {chosen['error']}")
    if search(wrsim, config, folder, *arguments)[0] != found:
        sys.exit("the same search found something else")
    # The second half of a run has half of the work. The error to find: the count begins at an earlier pause of the run,
    # whose time depends on the wall clock.
    whole, half = (search(wrsim, config, folder, "--groups", "2", "--runs", "8", "--error", "1e-4", "--warm", warm)[0]
                   ["monolithic_work"] for warm in ("0", "1"))
    if not 0.3 * whole < half < 0.7 * whole:
        sys.exit(f"of the work of one solver, {whole}, the second half is {half}")
    grouped = rows(wrsim, os.path.join(out, "grouped.toml"), folder)
    exact = rows(wrsim, config, folder, "--monolithic", "-D", "simulation.rtol=1e-10")
    for name, b in exact.items():
        off = max(abs(x - y) for x, y in zip(grouped[name], b)) / max(max(map(abs, b)), 1e-3)
        if not off <= 1.5e-4:
            sys.exit(f"{name} of grouped.toml is off by {off}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_masses(sys.argv[1], folder)


if __name__ == "__main__":
    main()
