"""The event log and the window records of runs (docs/reference/event_log.md), read as a user reads them.

The counts of the log equal the counts of the run, and the log has a stop for each pair of rows at an event. The bouncing ball has its closed
form. Mono-cylinder and engine name each indicator that fires with the variables that it changes. Runs on several workers, continued runs and
CSV files have the same log.

usage: event_log.py --wrsim PROGRAM --source FOLDER [--tier TIER] [test] ...
"""
import json
import os
import subprocess
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap
from tap import expect

STOP, STATE, TIME, JUMP, VALUE, SLOPE, LOST = range(7)
CAUSES = {"n_stop_state": 1, "n_stop_time": 2, "n_stop_jump": 4}
START = 8


class Log:
    """Event log and window records of an HDF5 file."""

    def __init__(self, file):
        with h5py.File(file, "r") as f:
            log = f["event_log"]
            expect(int(log.attrs["layout"]) == 1, "layout")
            for name in ("time", "stop", "subsystem", "kind", "item", "round", "direction", "before", "after"):
                setattr(self, name, log[name][:])
            texts = lambda group, name: [text.decode() for text in group[name][:]]
            self.subsystems = texts(log, "subsystems")
            self.names, self.types, self.units = (texts(log, "item_" + name) for name in ("names", "types", "units"))
            self.rows = {name: f["events"][name]["time"][:] for name in f["events"]}
            self.windows = None
            if "window_log" in f:
                w = f["window_log"]
                self.windows = {name: w[name][:] for name in ("start", "end", "reason", "sweeps", "contraction", "change",
                                                              "failed", "integrations")}
                self.reasons = texts(w, "reasons")

    def stops(self, subsystem):
        """Returns the rows of the stops of a subsystem, without the start."""
        i = self.subsystems.index(subsystem)
        return np.flatnonzero((self.kind == STOP) & (self.subsystem == i) & (self.direction & START == 0))

    def changes(self):
        """Returns for each fired indicator the names of the variables that change at its stops."""
        changed, fired = {}, {}
        for row in range(len(self.time)):
            name = self.names[self.item[row]] if self.item[row] >= 0 else None
            if self.kind[row] == STATE:
                fired.setdefault(name, set()).add(self.stop[row])
                modes = (0, 1) if self.direction[row] > 0 else (1, 0)
                expect((self.before[row], self.after[row]) == modes, f"{name}: modes {self.before[row]}, {self.after[row]}")
            elif self.kind[row] in (VALUE, SLOPE):
                changed.setdefault(self.stop[row], set()).add(name)
        return {name: set().union(*(changed.get(stop, set()) for stop in stops)) for name, stops in fired.items()}

    def table(self):
        """Returns all columns except values, as rows."""
        return list(zip(self.time, self.subsystem, self.kind, self.item, self.round, self.direction))


class Place:
    def __init__(self, options, folder):
        self.wrsim, self.source, self.folder = options.wrsim, options.source, str(folder)

    def model(self, *path):
        return os.path.join(self.source, "models", *path)

    def call(self, *words, code=0):
        done = subprocess.run([self.wrsim, *words], cwd=self.folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(done.returncode == code, f"{words}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def run(self, config, *options, result="r.h5", code=0):
        """Runs a config. Returns its summary."""
        self.call("run", config, "-q", "-o", result, "--json", "s.json", *options, code=code)
        with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as file:
            return json.load(file)

    def log(self, result="r.h5"):
        return Log(os.path.join(self.folder, result))

    def checked(self, config, *options):
        """Runs a config, compares its log with its counts and rows, and returns log and summary."""
        summary = self.run(config, *options)
        log = self.log()
        compare(log, summary)
        return log, summary

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def compare(log, summary):
    expect(np.all(np.diff(log.time) >= 0.0), "times decrease")
    expect(not np.any(log.kind == LOST), "entries are lost")
    for s in summary["subsystems"]:
        stops, name = log.stops(s["name"]), s["name"]
        found = {"n_stop": len(stops)} | {key: int(np.sum(log.direction[stops] & bit != 0)) for key, bit in CAUSES.items()}
        expect(all(found[key] == s[key] for key in found), f"{name}: {found}, the run has {[s[key] for key in found]}")
        if name in log.rows: # rows left and right of each stop
            rows = log.rows[name]
            expect(len(rows) == 2 * len(stops), f"{name}: {len(rows)} rows at {len(stops)} stops")
            expect(np.allclose(rows[::2], log.time[stops], rtol=1e-14, atol=0.0), f"{name}: times of rows and stops differ")
        if log.windows is None: # no sweep is repeated
            expect((s["n_state_event"], s["n_time_event"], s["n_input_jump"]) == tuple(s[key] for key in CAUSES), name)
    if log.windows is None:
        return
    w = log.windows
    accepted = w["reason"] == 0
    found = (np.sum(accepted), np.sum(~accepted), np.sum(w["integrations"][accepted]), np.sum(w["sweeps"][accepted]))
    run = tuple(summary[key] for key in ("n_window", "n_window_rejected", "n_integration", "n_sweep"))
    expect(found == run, f"windows, rejections, integrations, sweeps: {found}, the run has {run}")
    expect(np.array_equal(w["start"][accepted][1:], w["end"][accepted][:-1]), "windows do not follow one another")


def test_the_ball_equals_its_closed_form(place):
    rtol, g, restitution, height = 1e-8, 9.81, 0.8, 1.0
    log, _ = place.checked(place.model("bouncing_ball", "bouncing_ball.toml"))
    times = [np.sqrt(2.0 * height / g)]
    while times[-1] + 2.0 * times[0] * restitution ** len(times) < 3.0:
        times.append(times[-1] + 2.0 * times[0] * restitution ** len(times))
    hits = log.kind == STATE
    expect(len(times) == np.sum(hits), f"{np.sum(hits)} impacts, exact {len(times)}")
    error = np.max(np.abs(log.time[hits] - times) / times)
    expect(error <= 10.0 * rtol, f"times of impacts differ by {error}")
    expect(np.all(log.direction[hits] == -1), "an impact rises")
    expect(log.changes().keys() == {"ball.impact"}, str(log.changes()))
    expect({"ball.v", "ball.n_impact"} <= log.changes()["ball.impact"], str(log.changes()))
    speeds = np.flatnonzero((log.kind == VALUE) & (np.array([log.names[i] + log.types[i] for i in log.item]) == "ball.vstate"))
    expect(len(speeds) == len(times), f"{len(speeds)} changes of the speed")
    expect(np.allclose(log.after[speeds], -restitution * log.before[speeds], rtol=1e-14), "speeds")


def test_each_indicator_of_the_mono_cylinder_changes_variables(place):
    log, _ = place.checked(place.model("mono_cylinder", "mono_cylinder.toml"), "-D", "simulation.stop=0.12")
    changes = log.changes()
    expect(len(changes) > 20, f"{len(changes)} indicators")
    still = sorted(name for name, changed in changes.items() if not changed)
    expect(not still, f"indicators without changes: {still}")


def test_events_of_the_engine_change_modes_and_variables(place):
    config = place.model("engine", "engine.toml")
    split, _ = place.checked(config, "-D", "simulation.stop=0.03")
    whole, _ = place.checked(config, "-D", "simulation.stop=0.03", "--monolithic")
    for log in (split, whole):
        changes = log.changes()
        expect(len(changes) > 100, f"{len(changes)} indicators fire")
        expect(sum(bool(changed) for changed in changes.values()) > 20, "few events change values") # others change modes only
    expect(split.changes().keys() == whole.changes().keys(),
           f"split or monolithic only: {split.changes().keys() ^ whole.changes().keys()}")


def test_workers_do_not_change_the_file(place):
    config = place.model("engine", "engine.toml")
    for workers in (1, 2):
        place.run(config, "-D", "simulation.stop=0.01", "-D", f"scheduler.workers={workers}")
        os.rename(os.path.join(place.folder, "r.h5"), os.path.join(place.folder, f"{workers}.h5"))
    one, two = place.log("1.h5"), place.log("2.h5")
    expect(one.table() == two.table(), "logs differ")
    expect(all(np.array_equal(one.windows[key], two.windows[key], equal_nan=True) for key in one.windows), "windows differ")


def test_csv_has_the_same_log(place):
    config = place.model("engine", "engine.toml")
    options = ("-D", "simulation.stop=0.01")
    place.run(config, *options)
    place.run(config, *options, result="r.csv")
    for view in ((), ("--causes",), ("--windows",)):
        texts = [place.call("events", result, "--csv", *view) for result in ("r.h5", "r.csv")]
        expect(texts[0].count("\n") > 5, f"{view}: {texts[0]}")
        expect(sorted(texts[0].splitlines()) == sorted(texts[1].splitlines()), f"{view} differs")
    place.run(config, *options, "-D", "output.log=false", result="r.csv")
    expect(not os.path.exists(os.path.join(place.folder, "r.events.csv")), "an old log remains")
    place.call("events", "r.csv", code=6)


def test_a_changed_log_is_refused(place):
    place.run(place.model("two_mass", "two_mass.toml"), result="r.csv")
    place.run(place.model("bouncing_ball", "bouncing_ball.toml"), result="b.csv")
    for name, view in (("r.windows.csv", "--windows"), ("b.events.csv", "--causes")):
        path, result = os.path.join(place.folder, name), name[0] + ".csv"
        place.call("events", result, view)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        head, _, row = text.partition("\n")
        digit = next(i for i, c in enumerate(row) if c in "12345678")
        for changed in (head + "\n" + row[:digit] + "9" + row[digit + 1:], head + "\n"):
            place.write(name, changed)
            place.call("events", result, view, code=6)
        os.remove(path)
        place.call("events", result, view, code=6)
        place.write(name, text)
        place.call("events", result, view)
    # Versions before the check sums of logs wrote no such members.
    with open(os.path.join(place.folder, "r.csv.json"), encoding="utf-8") as file:
        about = {key: value for key, value in json.load(file).items() if not key.startswith(("events_", "windows_"))}
    place.write("r.csv.json", json.dumps(about))
    place.call("events", "r.csv", "--windows")


def test_an_empty_choice_is_said(place):
    place.run(place.model("two_mass", "two_mass.toml"), result="r.csv")
    for words, text, code in ((("--component", "nix"), "matches 'nix'", 2), (("--component", "nix", "--causes"), "matches 'nix'", 2),
                              (("--component", "left"), "no event has a component or variable that matches 'left'", 0),
                              (("--from", "1e9"), "no entry to show", 0), (("--windows", "--from", "1e9"), "no window to show", 0)):
        done = subprocess.run([place.wrsim, "events", "r.csv", *words], cwd=place.folder, check=False, capture_output=True, text=True)
        expect(done.returncode == code and text in done.stderr, f"{words}: {done.returncode}, {done.stderr}")
        expect((code == 0) == bool(done.stdout), f"{words}: a table after an error, or none")
    place.call("events", "r.csv", "--from", "2", "--to", "1", code=2)
    for result in ("r.events.csv", "r.windows.csv"):
        place.call("events", result, code=6)


def test_a_log_replaces_no_foreign_file(place):
    place.write("r.events.csv", "mine\n")
    config = place.model("bouncing_ball", "bouncing_ball.toml")
    place.call("run", config, "-q", "-o", "r.csv", code=3)
    with open(os.path.join(place.folder, "r.events.csv"), encoding="utf-8") as file:
        expect(file.read() == "mine\n", "the file is lost")
    place.run(config, result="q.events.csv")
    place.call("run", config, "-q", "-o", "q.csv", code=3)
    with open(os.path.join(place.folder, "q.events.csv"), encoding="utf-8") as file:
        expect(file.read().startswith("time [s],kind,"), "the results of another run are lost")


def test_a_continued_run_continues_the_log(place):
    config = place.model("engine", "engine.toml")
    options = ("-D", "simulation.stop=0.02")
    whole, _ = place.checked(config, *options, "--checkpoint", "c", "--checkpoint-every", "0.011")
    place.run(config, *options, "--restart", "c", result="rest.h5")
    rest = place.log("rest.h5")
    expect(0 < len(rest.time) < len(whole.time), f"{len(rest.time)} of {len(whole.time)} entries")
    expect(rest.table() == whole.table()[-len(rest.time):], "the log is not the end of the whole log")
    n = len(rest.windows["start"])
    expect(0 < n < len(whole.windows["start"]), f"{n} windows")
    expect(np.array_equal(rest.windows["integrations"], whole.windows["integrations"][-n:]), "windows differ")


if __name__ == "__main__":
    arguments = tap.parser("--source", tiers=("quick", "full", "long")).parse_args()
    sys.exit(tap.run(globals(), arguments, lambda folder: Place(arguments, folder)))
