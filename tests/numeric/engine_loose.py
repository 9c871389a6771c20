"""engine_loose.toml, the engine as loose components, gives the rows of engine.toml bit for bit.

The script compares monolithic runs, and runs with the subsystems of engine.toml, in which the parts of the ports belong to the airpath.

    engine_loose.py WRSIM MODELS/ENGINE
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def rows(wrsim, config, *more):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.csv")
        subprocess.run([wrsim, "-q", config, "-o", path, "-D", "simulation.stop=0.05", *more], check=True)
        with open(path, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    order = sorted(range(len(lines[0])), key=lambda i: lines[0][i])    # by name, because the order of signals may differ
    return [[line[i] for i in order] for line in lines]


def main():
    wrsim, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shipped, loose = folder / "engine.toml", folder / "engine_loose.toml"
    if rows(wrsim, shipped, "--monolithic") != rows(wrsim, loose, "--monolithic"):
        sys.exit("one solver: engine_loose.toml differs from engine.toml")
    text = shipped.read_text()
    tables = text[text.index("[[subsystem]]"):text.index("[output]")].replace('"port*"', '"in?", "out?", "torque?"')
    with tempfile.TemporaryDirectory() as scratch:
        split = pathlib.Path(scratch) / "split.toml"
        split.write_text(loose.read_text() + "\n" + tables)
        if rows(wrsim, shipped) != rows(wrsim, split):
            sys.exit("five subsystems: engine_loose.toml differs from engine.toml")


if __name__ == "__main__":
    main()
