"""Instructions of the engine with FMUs as cylinders, against native cylinders with the same right-hand sides.

    python3 bench/fmu_price.py BUILD

BUILD is a build folder of the build type release, with the tests. The counts are instructions of the run without its setup (callgrind) and
right-hand sides of the four cylinders, over 0.1 s of models/engine/engine.toml. A native cylinder has the declarations of its FMU
(tests/fmi/cylinder_plain.c), so both runs have the same right-hand sides. In the last rows the airpath plays a recording, so that the
cylinders do nearly all work. The table is Markdown.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/harness"))
import runs

PAIRS = (("FMI 2.0", "plain.fmi2", "cylinder_2"), ("FMI 3.0", "plain.fmi3", "cylinder_3"))


def options_of(folder, is_alone):
    played = ["subsystem.airpath.kind=replay", f"subsystem.airpath.file={folder}/airpath.h5", "output.signals=['cyl*.p']"] if is_alone else []
    return runs.defined(["simulation.stop=0.1", "scheduler.workers=1", *played])


def counts(build, folder, text, is_alone):
    """Returns the instructions of the run, and the right-hand sides of the cylinders."""
    config, summary = (os.path.join(folder, name) for name in ("c.toml", "s.json"))
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    done = runs.call("valgrind", "--tool=callgrind", "--toggle-collect=wr_engine_run", f"--callgrind-out-file={folder}/callgrind",
                     f"{build}/wrsim", config, "-q", "--json", summary, *options_of(folder, is_alone), "-D", 'output.file=""')
    rows = runs.json_of(summary)["subsystems"]
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]), sum(row["n_rhs"] for row in rows if row["name"].startswith("cyl"))


def main():
    build = os.path.abspath(sys.argv[1])
    with open(os.path.join(ROOT, "models/engine/engine.toml"), encoding="utf-8") as file:
        engine = file.read()
    shipped, plugin = 'model = "engine.cylinder"\n', f'[[plugin]]\nfile = "{build}/tests/fmi/cylinder_plain.so"\n'
    print("| run | right-hand sides | native, instructions | FMU, instructions | ratio | per right-hand side |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for is_alone in (False, True):
            for name, native, fmu in PAIRS:
                texts = [plugin + engine.replace(shipped, f'model = "{native}"\n'),
                         engine.replace(shipped, f'fmu = "{build}/tests/fmi/{fmu}.fmu"\n')]
                if is_alone and not os.path.exists(f"{folder}/airpath.h5"):
                    config = os.path.join(folder, "r.toml")
                    with open(config, "w", encoding="utf-8") as file:
                        file.write(texts[0])
                    runs.call(f"{build}/wrsim", config, "-q", "-o", f"{folder}/airpath.h5", *options_of(folder, False), "-D", "output.waves=true")
                (before, n_before), (after, n_after) = (counts(build, folder, text, is_alone) for text in texts)
                assert n_before == n_after, f"{name}: {n_before} and {n_after} right-hand sides"
                print(f"| {name}, {'cylinders alone' if is_alone else 'engine'} | {n_after:,} | {before:,} | {after:,} | {after / before:.3f} "
                      f"| {before / n_after:,.0f} and {after / n_after:,.0f} |")


if __name__ == "__main__":
    main()
