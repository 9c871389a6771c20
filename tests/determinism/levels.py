"""Levels in the config: equal levels give the bits of Jacobi, and the levels of the connections give the bits of Gauss-Seidel.

    levels.py WRSIM CONFIG EARLY SETTING...

Runs the config with Gauss-Seidel sweeps in the connections' order, and with this order as levels in the config (with gaps). Runs
the config also with Jacobi sweeps, and with all subsystems in one level. Each pair must write the same rows. The two pairs must
differ, because otherwise the test proves nothing. With relaxation.scheme = "auto" a run to EARLY ends before the order may change, so
the run must write the rows of Gauss-Seidel.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs


def rows(wrsim, config, settings, more):
    """Returns all lines of the result that are no comments."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.csv")
        runs.call(wrsim, config, "-q", "-o", path, *runs.defined(settings + more))
        return runs.lines_of(path)


def main():
    wrsim, config, early, *settings = sys.argv[1:]
    words = runs.defined(settings + ["relaxation.scheme=gauss_seidel"])
    structure = json.loads(runs.call(wrsim, "check", config, "--json", *words).stdout)
    levels = {s["name"]: s["level"] for s in structure["subsystems"]}
    as_graph = [f"subsystem.{name}.level={3 * level + 2}" for name, level in levels.items()]
    at_once = [f"subsystem.{name}.level=7" for name in levels]
    gauss_seidel = ["relaxation.scheme=gauss_seidel"]
    jacobi = rows(wrsim, config, settings, ["relaxation.scheme=jacobi"])
    in_order = rows(wrsim, config, settings, gauss_seidel)
    if rows(wrsim, config, settings, gauss_seidel + at_once) != jacobi:
        sys.exit("all in one level differ from Jacobi")
    if rows(wrsim, config, settings, gauss_seidel + as_graph) != in_order:
        sys.exit("the connections' order differs from the same levels, given")
    if jacobi == in_order:
        sys.exit("Jacobi and Gauss-Seidel do not differ: nothing was tried")
    early = [f"simulation.stop={early}"]
    if rows(wrsim, config, settings, early + ["relaxation.scheme=auto"]) != rows(wrsim, config, settings, early + gauss_seidel):
        sys.exit("the first windows of auto differ from Gauss-Seidel")


if __name__ == "__main__":
    main()
