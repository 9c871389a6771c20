"""`wrsim check` says the order of sweeps that a run with relaxation.scheme = "auto" reports, for each number of workers.

    scheme_check.py WRSIM CONFIG...

Takes the configs, and a ring of six components in two, three and six subsystems. `check` names the end of its runs and the order for
relaxation.scheme_workers 1 to 6 and 8. A run to this end with each of these numbers must print the same line. Both orders must occur.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

N = 6  # components of the ring


def ring(n_group):
    """Returns a config: each component reads the one before it, and a subsystem has neighbours. The first component is expensive."""
    lines = ['simulation = { stop = 20.0, communication_step = 0.1 }', 'relaxation.window = { initial = 0.1, max = 0.4 }']
    for i in range(N):
        lines += ["[[component]]", f'name = "c{i}"', 'model = "dahlquist"', f"cost = {1e-6 if i == 0 else 0.0}",
                  f"parameters = {{ a = {-0.5 - i}, b = {(-1.0) ** i} }}", f"start.x = {1.0 + i}"]
    for i in range(N):
        lines += ["[[connection]]", f'from = "c{i}.x"', f'to = "c{(i + 1) % N}.u"']
    size = N // n_group
    for k in range(n_group):
        lines += ["[[subsystem]]", f'name = "s{k}"', f"components = {[f'c{i}' for i in range(k * size, (k + 1) * size)]}"]
    return "\n".join(lines) + "\n"


def compare(wrsim, config, folder):
    """Returns the orders by number of workers."""
    found = {}
    for stated in (3, 5, 6):
        text = runs.call(wrsim, "check", config, *runs.defined([f"relaxation.scheme_workers={stated}"])).stdout
        line = re.search(r"^relaxation\.scheme of a run until t = (\S+) s: (.*)$", text, re.M)
        if not line:
            sys.exit(f"{config}: check does not say the order for {stated} workers")
        for part in line[2].split("; "):
            n_worker = int(re.search(r" for (\d+) worker", part)[1])
            if found.setdefault(n_worker, part) != part:
                sys.exit(f"{config}: two answers for {n_worker} workers: {found[n_worker]}, {part}")
        if stated not in found:
            sys.exit(f"{config}: no answer for {stated} workers")
    for n_worker, part in found.items():
        words = runs.defined([f"simulation.stop={line[1]}", f"relaxation.scheme_workers={n_worker}"])
        done = runs.call(wrsim, config, "-o", os.path.join(folder, "out.csv"), *words)
        if f"relaxation.scheme: {part}\n" not in done.stdout + done.stderr:
            sys.exit(f"{config}: check says '{part}', but the run with {n_worker} workers prints\n{done.stdout}{done.stderr}")
    return {n: part.split()[0] for n, part in found.items()}


def main():
    wrsim, *configs = sys.argv[1:]
    orders = set()
    with tempfile.TemporaryDirectory() as folder:
        for n_group in (2, 3, 6):
            configs.append(os.path.join(folder, f"ring{n_group}.toml"))
            with open(configs[-1], "w", encoding="utf-8") as file:
                file.write(ring(n_group))
        for config in configs:
            found = compare(wrsim, config, folder)
            orders |= set(found.values())
            print(os.path.basename(config), found)
    if orders != {"jacobi", "gauss_seidel"}:
        sys.exit(f"not both orders occur: {orders}")


if __name__ == "__main__":
    main()
