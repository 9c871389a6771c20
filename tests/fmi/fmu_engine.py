#!/usr/bin/python3
"""The engine with its four cylinders as FMUs, against native cylinders. TAP.

    fmu_engine.py --wrsim PROGRAM --fmus FOLDER --stop SECONDS [test]...
"""
import itertools
import os
import pathlib
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../harness"))
import runs
import tap
from tap import expect

RTOL = 1e-4     # of engine.toml
SETTINGS = {"": [], "monolithic": ["--monolithic"], "jacobi": ["relaxation.scheme=jacobi"], "long windows": ["relaxation.window.initial=2e-3"],
            "dopri54": ["solver.kind=dopri54"], "1e-6": ["simulation.rtol=1e-6"]}


class Engine:
    def __init__(self, wrsim, fmus, stop, folder):
        self.wrsim, self.fmus, self.stop, self.folder = wrsim, fmus, stop, folder
        text = pathlib.Path(HERE, "../../models/engine/engine.toml").read_text(encoding="utf-8")
        shipped = 'model = "engine.cylinder"\n'
        expect(text.count(shipped) == 4, "engine.toml has other cylinders")
        plugin = f'[[plugin]]\nfile = "{fmus}/cylinder_plain.so"\n'
        self.texts = {"shipped": text}
        for name in ("cylinder_2", "cylinder_3"):
            self.texts[name] = text.replace(shipped, f'fmu = "{fmus}/{name}.fmu"\n')
        for name in ("plain.fmi2", "plain.fmi3", "plain.probed"):
            self.texts[name] = plugin + text.replace(shipped, f'model = "{name}"\n')

    def run(self, cylinder, *options, stop=None):
        """Returns the lines of the results, and the summary."""
        config, out, summary = (self.folder / name for name in ("c.toml", "r.csv", "s.json"))
        for path in (out, summary):
            path.unlink(missing_ok=True)
        config.write_text(self.texts[cylinder], encoding="utf-8")
        done = subprocess.run([self.wrsim, config, "-q", "-o", out, "--json", summary, *runs.defined([f"simulation.stop={stop or self.stop}", *options])],
                              capture_output=True, text=True, check=False, timeout=600)
        expect(done.returncode == 0, f"{cylinder} {options}: {done.stderr}")
        return runs.lines_of(out), runs.json_of(summary)

    def columns(self, cylinder):
        """Returns the results at communication points, and the number of rows of each kind."""
        lines, _ = self.run(cylinder)
        kinds = [line.split(",")[1] for line in lines]
        return runs.columns_of(self.folder / "r.csv"), {kind: kinds.count(kind) for kind in set(kinds)}


def counts(summary):
    """Returns the counts of work of each subsystem."""
    names = ("n_integration", "n_step", "n_rejected", "n_rhs", "n_state_event", "n_event_pass", "n_flip", "n_indicator_evaluation")
    return [[row[name] for name in names] for row in summary["subsystems"]]


def test_same_bytes(engine):
    """FMUs have the bytes and the counts of native cylinders that have only the declarations of FMI."""
    chosen = SETTINGS if engine.stop > 0.1 else ("", "jacobi")
    for (version, native), name in itertools.product(((2, "plain.fmi2"), (3, "plain.fmi3")), chosen):
        options = SETTINGS[name]
        wanted, summary = engine.run(native, *options)
        found, of_fmu = engine.run(f"cylinder_{version}", *options)
        expect(found == wanted, f"FMI {version}, {name}: other bytes")
        expect(counts(of_fmu) == counts(summary), f"FMI {version}, {name}: other counts {counts(of_fmu)} {counts(summary)}")


def test_workers(engine):
    wanted, _ = engine.run("cylinder_2", "scheduler.workers=1")
    for workers in (2, 3):
        found, _ = engine.run("cylinder_2", f"scheduler.workers={workers}", "scheduler.min_work=0")
        expect(found == wanted, f"{workers} workers: other bytes")


def test_causes(engine):
    """Input blocks and patterns of event indicators change no byte. The other declarations change the results of the shipped cylinder."""
    wanted, _ = engine.run("shipped")
    found, _ = engine.run("plain.probed")
    expect(found == wanted, "other bytes without input blocks and patterns of event indicators")


def test_shipped(engine):
    """Results within 10 rtol of the shipped cylinder, and the same number of events."""
    wanted, wanted_rows = engine.columns("shipped")
    found, rows = engine.columns("cylinder_2")
    expect(rows == wanted_rows and sum(rows.values()) > 5 * rows["c"], f"other events: {rows}, {wanted_rows}")
    for name, values in wanted.items():
        size = max(values) - min(values)
        error = max(abs(a - b) for a, b in zip(values, found[name]))
        expect(error <= 10 * RTOL * size, f"{name}: off by {error:.2g} of {size:.2g}")


def test_checkpoint(engine):
    """A run that continues from serialised states has the same bytes."""
    half = engine.stop / 2
    whole, _ = engine.run("cylinder_2")
    checkpoint = engine.folder / "k"
    engine.run("cylinder_2", f"--checkpoint={checkpoint}", f"--checkpoint-every={half / 2}", stop=half)
    rest, _ = engine.run("cylinder_2", f"--restart={checkpoint}")
    expect(len(rest) > 100 and rest[-100:] == whole[-100:], "the continued run differs")


def main():
    parser = tap.parser("--fmus")
    parser.add_argument("--stop", type=float, required=True)
    options = parser.parse_args()
    return tap.run(globals(), options, lambda folder: Engine(options.wrsim, pathlib.Path(options.fmus), options.stop, folder))


if __name__ == "__main__":
    sys.exit(main())
