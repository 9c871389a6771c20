"""The Python module. TAP.

    run_python.py --wrsim PROGRAM --module FOLDER --source ROOT [--tier quick|full] [test]...

FOLDER contains the package wrsim, as in the build folder.
"""
import gc
import math
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect

wrsim = None # main() imports the module of --module

STEP = 0.125
# a' = -a + u with a(0) = 1, and a relay that switches on below 0.2; load and level are input ports.
LOOP = f"""
component = [
    {{ name = "a", model = "dahlquist", parameters = {{ a = -1.0, b = 1.0 }}, start = {{ x = 1.0 }} }},
    {{ name = "relay", model = "relay.switch" }},
]
port = [
    {{ name = "load", to = "a.u" }}, {{ name = "level", to = "relay.measured", start = 0.5 }},
    {{ name = "speed", from = "a.x" }}, {{ name = "on", from = "relay.on" }},
]
scenario = [ {{ name = "push", signal = "a.x", action = "reset", value = 0.5, at = "api" }} ]
[simulation]
stop = 1.0
communication_step = {STEP}
rtol = 1e-9
[scheduler]
workers = 1
topology = "core:1 pu:1"
"""


class Bench:
    """A scratch folder, which is the current folder of the test."""

    def __init__(self, source, module, folder):
        self.source, self.module, self.folder = source, module, folder
        os.chdir(folder)

    def model(self, name):
        return os.path.join(self.source, "models", name, name + ".toml")

    def python(self, text, *arguments):
        """Starts Python with the module and a program. Returns the process."""
        environment = {**os.environ, "PYTHONPATH": self.module}
        return subprocess.Popen([sys.executable, "-c", text, *arguments], cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def loop(text=LOOP, overrides=None, **more):
    return wrsim.Simulation(wrsim.Config.from_text(text, {"output.file": "", **(overrides or {})}), **more)


def raises(kind, text, function, *arguments, **named):
    """Calls the function. Returns its exception, which must be of this class and contain the text."""
    try:
        function(*arguments, **named)
    except kind as error:
        expect(type(error) is kind, f"expected {kind}, got {type(error)}: {error}")
        expect(text in str(error), f"expected '{text}' in: {error}")
        return error
    raise AssertionError(f"no {kind.__name__}: expected '{text}'")


# ---- runs and results


def test_run_and_read(bench):
    for file in ("a.csv", "a.h5", "a.mat"):
        result = wrsim.run(bench.model("two_mass"), {"simulation.stop": 0.5}, output=file)
        expect(result.status == wrsim.Status.OK and len(result.time) == 51, repr(result))
        expect(f"{result.status}" == str(result.status) == "OK", f"{result.status}")
        expect(result.summary["is_complete"], "the summary is not complete")
        again = wrsim.read(file)
        expect(again.names == result.names, f"{again.names}")
        for name in result:
            expect(np.array_equal(again[name], result[name]), name)
            expect(again.unit(name) == result.unit(name) == {"x": "m", "v": "m/s"}[name[-1]], name)
            expect(again.description(name) and again.description(name) == result.description(name), name)
        expect(result.time.shape == result["left.x"].shape == (51,), "shapes")
        expect("communication_step" in result.config, "no config in the file")
    kept = wrsim.read("a.csv")["left.x"] # the array owns the memory of the result
    gc.collect()
    expect(kept[0] == 1.0, "the array has lost its memory")
    raises(ValueError, "read-only", kept.__setitem__, 0, 2.0)
    table = result.to_table("*.x")
    expect(table.names == ["time", "left.x", "right.x"] and len(table) == 51, f"{table.names}")


def test_temporary_results(bench):
    result = wrsim.run(bench.model("bouncing_ball"), {"output.file": ""})
    expect(not list(bench.folder.iterdir()), "a file stays in the folder")
    time_s, is_right, v = result.events("ball.v")
    falls = v[~is_right]
    # Velocity before impact n: sqrt(2 g h0) e^n (models/bouncing_ball/bouncing_ball.c).
    expect(np.allclose(falls, -math.sqrt(2.0 * 9.81) * 0.8 ** np.arange(6), rtol=1e-6), f"{falls}")
    first_s = math.sqrt(2.0 / 9.81)
    expect(abs(time_s[0] - first_s) < 1e-7 and np.array_equal(time_s[::2], time_s[1::2]), f"{time_s}")
    times, heights = result.curves(["ball.h"])["ball.h"]
    expect((np.diff(times) >= 0.0).all() and len(times) == 301 + 12 and (np.abs(heights) < 1e-9).sum() >= 12, f"{times}")
    expect(not os.path.exists(os.path.dirname(result.file)), "the temporary folder stays")


def test_order_of_events_at_one_time(bench):
    (bench.folder / "r.csv").write_text("time [s],kind,a.x\n0,c,0\n1,l,0\n1,r,5\n1,l,5\n1,r,2\n1,c,2\n2,c,2\n2,l,2\n2,r,7\n", encoding="utf-8")
    times, values = wrsim.read("r.csv").curves(["a.x"])["a.x"]
    expect(times.tolist() == [0, 1, 1, 1, 1, 1, 2, 2, 2] and values.tolist() == [0, 0, 5, 5, 2, 2, 2, 2, 7], f"{times} {values}")


def test_comparison(bench):
    result = wrsim.run(bench.model("two_mass"), output="a.csv")
    twin = wrsim.run(bench.model("two_mass"), {"simulation.monolithic": True}, output="b.csv")
    comparison = result.compare(twin)
    difference = np.abs(result["left.v"] - twin["left.v"])
    row = next(row for row in comparison.table if row["name"] == "left.v")
    expect(row["max_abs"] == difference.max(), f"{row}")
    expect(0.0 < comparison.worst.max_rel < 1e-4 and comparison.overlap.n_row == 101, repr(comparison))
    ball = wrsim.run(bench.model("bouncing_ball"), {"simulation.stop": 0.5}, output="c.csv")
    raises(wrsim.ArgumentError, "no signal in common", result.compare, ball)


def test_incomplete_run(bench):
    """After a failure the results up to the failure stay."""
    error = raises(wrsim.NumericalError, "", wrsim.run, bench.model("faulty"), {
        "component.sick.parameters.nan_time": 0.5, "output.file": "f.csv"})
    expect(error.status == wrsim.Status.E_NAN and error.subsystem and error.time is not None, f"{vars(error)}")
    expect(0 < len(error.result.time) and error.result.time[-1] <= 0.5, repr(error.result))
    expect(np.array_equal(wrsim.read("f.csv").time, error.result.time), "the file has other rows")


def test_undecided_split(bench):
    with wrsim.Config(bench.model("two_mass"), {"simulation.monolithic": "auto"}) as config:
        expect(config.is_undecided, "auto is decided")
        with wrsim.Simulation(config) as sim:
            expect(not config.is_undecided and sim.stats.n_subsystem in (1, 2), repr(sim.stats))


# ---- in the loop


def test_control_loop(bench):
    """A controller sees the exact states of a' = -a + u with held inputs."""
    exact, u = 1.0, 0.0
    with loop() as sim:
        for i, t in enumerate(sim.steps()):
            expect(abs(t - i * STEP) < 1e-12, f"t = {t}")
            expect(abs(sim["speed"] - exact) < 1e-7 and sim["speed"] == sim["a.x"], f"{sim['speed']}, {exact}")
            u = math.sin(3.0 * i)
            sim["load"] = u
            exact = u + (exact - u) * math.exp(-STEP)
        expect(i == 7 and sim.time == 1.0, f"{i}, {sim.time}")
        expect(abs(sim["speed"] - exact) < 1e-7, f"{sim['speed']}, {exact}")
        sim.set({"load": 0.25, "level": 0.1})
        sim.set(["level", "load"], np.array([0.1, 0.25]))
        sim.advance(1.5)
        values = sim.get(["a.x", "on", "speed"])
        expect(values.shape == (3,) and values[1] == 1.0 and values[0] == values[2], f"{values}")
        expect(list(sim.steps(until=1.9, step=0.25)) == [1.5, 1.75] and sim.time == 1.9, f"{sim.time}")


def test_snapshots(bench):
    with loop() as sim:
        sim.keep_start()
        sim.advance(0.25)
        with sim.snapshot() as snapshot:
            sim.advance(1.0)
            end = sim["a.x"]
            sim.write_checkpoint("end.ckpt")
            snapshot.restore()
            expect(sim.time == 0.25, f"{sim.time}")
            sim.advance(1.0)
            expect(sim["a.x"] == end, "the restored run has other bits")
            snapshot.take()
            sim.reset()
            expect(sim.time == 0.0 and sim["a.x"] == 1.0, f"{sim.time}")
            sim.read_checkpoint("end.ckpt")
            expect(sim.time == 1.0 and sim["a.x"] == end, f"{sim.time}")
        raises(wrsim.StateError, "closed", snapshot.restore)
    raises(wrsim.StateError, "closed", sim.snapshot)


def test_scenarios(bench):
    with loop() as sim:
        expect(sim.scenarios["target"][0] == "a.x", repr(sim.scenarios))
        sim.advance(0.5)
        sim.set_scenario("push", 3.0)
        sim.trigger("push")
        sim.advance(0.625)
        expect(abs(sim["a.x"] - 3.0 * math.exp(-STEP)) < 1e-6, f"{sim['a.x']}")
        raises(wrsim.ArgumentError, "scenarios: push", sim.trigger, "pull")
        raises(wrsim.ArgumentError, "nan", sim.set_scenario, "push", math.nan)


# ---- warnings


def test_warnings_of_runs(bench):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = wrsim.run(bench.model("two_mass"), {"relaxation.error_limit": 1e-9}, output="a.csv")
    expect(result.status == wrsim.Status.INACCURATE, f"{result.status}")
    expect(len(caught) == 1 and caught[0].category is wrsim.WrsimWarning and "splitting error" in str(caught[0].message), f"{caught}")
    expect(caught[0].filename == __file__, f"the warning names {caught[0].filename}")


# ---- functions that the run calls


def test_observer(bench):
    windows, events, progress = [], [], []
    with wrsim.Simulation(bench.model("two_mass"), {"output.file": ""}) as sim:
        sim.observe(window=windows.append, event=events.append)
        sim.on_progress(progress.append)
        sim.run()
        expect(len(windows) == sim.stats.n_window == progress[-1].n_window > 1, f"{len(windows)}")
        expect("n_sweep=" in repr(windows[0]) and "time_s=" in repr(progress[0]), f"{windows[0]}")
        expect(windows[0].start_s == 0.0 and windows[-1].end_s == 1.0, "the records have lost their values")
        sim.observe()
        n = len(windows)
        sim.advance(1.5)
        expect(len(windows) == n, "the observer is still there")


def test_exception_in_a_callback(bench):
    class Odd(Exception):
        pass

    def fail(record):
        times.append(sim.time)
        raise Odd(f"{record.n_sweep}")

    for kind in ("window", "sweep", "progress"):
        times = []
        with wrsim.Simulation(bench.model("two_mass"), {"output.file": "a.csv"}) as sim:
            if kind == "progress":
                sim.on_progress(fail)
            else:
                sim.observe(**{kind: fail})
            raises(Odd, "", sim.run)
            expect(len(times) == 1 and 0.0 < sim.time < 1.0, f"{kind}: {times}, {sim.time}")
            sim.observe()
            sim.on_progress(None)
            expect(sim.run() == wrsim.Status.OK and sim.time == 1.0, "the run does not go on")
    # A call that is not allowed in a callback is an exception, too.
    with wrsim.Simulation(bench.model("two_mass"), {"output.file": ""}) as sim:
        sim.observe(window=lambda record: sim.get(["left.x"]))
        raises(wrsim.StateError, "in use", sim.run)
        sim.observe(window=lambda record: sim.close())
        raises(wrsim.StateError, "in use", sim.run)
        sim.observe(window=lambda record: sim.stop())
        expect(sim.run() == wrsim.Status.STOPPED and sim.time < 1.0, "no stop")


# ---- threads and signals

# A run without end, whose windows are short.
ENDLESS = {"simulation.stop": 1e6, "output.file": "", "scheduler.workers": 1}


def test_two_runs_at_once(bench):
    """The whole call of one run lies within a call of another run, which ends by a stop only. The runs call no Python."""
    with wrsim.Simulation(bench.model("two_mass"), ENDLESS) as outer, wrsim.Simulation(bench.model("two_mass"), ENDLESS) as inner:
        outer.prepare()
        ended = []
        thread = threading.Thread(target=lambda: ended.append(outer.run()))
        thread.start()
        while not outer.time > 0.0:
            pass
        expect(inner.advance(5.0) == wrsim.Status.OK and inner.time == 5.0, f"{inner.time}")
        expect(thread.is_alive() and not ended, "the outer run has ended")
        raises(wrsim.StateError, "in use", outer.get, ["left.x"])
        raises(wrsim.StateError, "in use", outer.close)
        outer.stop()
        thread.join()
        expect(ended == [wrsim.Status.STOPPED] and outer.time > 0.0, f"{ended}, {outer.time}")


def test_interpreter_goes_on(bench):
    """While a run without callbacks is in C, this thread executes Python."""
    with wrsim.Simulation(bench.model("two_mass"), ENDLESS) as sim:
        sim.prepare()
        thread = threading.Thread(target=sim.run)
        thread.start()
        seen = set()
        while len(seen) < 10: # needs ten windows during ten turns of this loop
            seen.add(sim.time)
        sim.stop()
        thread.join()


INTERRUPTED = """
import os, signal, sys, threading, time
import wrsim
def interrupt(sim, signals):
    while not sim.time > 0.3: # NaN before the start
        time.sleep(0.001)
    for number in signals:
        os.kill(os.getpid(), number)
with wrsim.Simulation(sys.argv[1], {"simulation.stop": 1e6, "output.file": "a.csv"}) as sim:
    sim.prepare()
    if sys.argv[2] == "observed": # the main thread executes Python in the run
        sim.observe(window=lambda record: None)
    if sys.argv[2] == "handler": # a handler without an exception does not end the run
        def handle(number, frame):
            caught.append(sim.time)
            if len(caught) == 2:
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGUSR1)
        caught = []
        signal.signal(signal.SIGUSR1, handle)
        threading.Thread(target=interrupt, args=[sim, [signal.SIGUSR1]]).start()
    else:
        threading.Thread(target=interrupt, args=[sim, [signal.SIGINT]]).start()
    try:
        sim.run()
        print("no exception")
    except KeyboardInterrupt:
        stopped = sim.time
        assert signal.set_wakeup_fd(-1) == -1, "the file descriptor of signals stays"
    sim.advance(stopped + 1.0) # the run can go on
    result = sim.result()
    assert len(result.time) >= 130 and result.time[-1] <= stopped + 1.0, (len(result.time), stopped)
print("ended")
"""


@tap.tier("full")
def test_keyboard_interrupt(bench):
    for kind in ("plain", "observed", "handler"):
        process = bench.python(INTERRUPTED, bench.model("two_mass"), kind)
        out, err = process.communicate()
        expect(process.returncode == 0 and out == "ended\n", f"{kind}: {process.returncode}\n{out}{err}")


WHOLE_RUN = """
import os, signal, sys, threading, time
import wrsim
def interrupt(file):
    while not os.path.exists(file) or os.path.getsize(file) < 30000:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, args=["a.csv"]).start()
try:
    wrsim.run(sys.argv[1], {"simulation.stop": 1e9}, output="a.csv")
except KeyboardInterrupt as error:
    assert len(error.result.time) > 10 and len(wrsim.read("a.csv").time) == len(error.result.time)
    print("ended")
"""


@tap.tier("full")
def test_interrupted_run(bench):
    process = bench.python(WHOLE_RUN, bench.model("two_mass"))
    out, err = process.communicate()
    expect(process.returncode == 0 and out == "ended\n", f"{process.returncode}\n{out}{err}")


# ---- sweeps and studies


def test_sweep(bench):
    key = "component.left.parameters.k12"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = wrsim.sweep(bench.model("two_mass"), {key: [20.0, 40.0], "simulation.rtol": [1e-6, -1.0]},
                            {"end": "left.x", "peak": lambda result: result["right.x"].max()}, jobs=2)
    expect("2 of 4 runs have failed" in str(caught[0].message) and caught[0].filename == __file__, f"{caught}")
    expect(list(table[key]) == [20.0, 20.0, 40.0, 40.0] and list(table["status"]) == ["OK", "E_CONFIG"] * 2, repr(table))
    for i, k12 in ((0, 20.0), (2, 40.0)):
        alone = wrsim.run(bench.model("two_mass"), {key: k12, "simulation.rtol": 1e-6, "output.file": ""})
        expect(table["end"][i] == alone["left.x"][-1] and table["peak"][i] == alone["right.x"].max(), repr(table))
    expect(np.isnan(table["peak"][1]) and "rtol" in table["error"][1] and not table["error"][0], repr(table))
    try:
        import pandas # pylint: disable=unused-import
    except ImportError:
        pass
    else:
        frame = table.to_pandas()
        expect(list(frame.columns) == table.names and all(frame[name].tolist()[::2] == table[name].tolist()[::2] for name in table.names),
               f"{frame}")
    for measure in ("left.xx", lambda result: result["left.xx"]):
        error = raises(wrsim.ArgumentError, "did you mean 'left.x'?", wrsim.sweep, bench.model("two_mass"), {key: [20.0]}, {"x": measure})
        expect(error.status == wrsim.Status.E_ARG and len(error.table) == 0, "status")
    raises(wrsim.ArgumentError, "sweep: result 'x': no signal", wrsim.sweep, bench.model("two_mass"), {key: [20.0]}, {"x": "left.xx"})
    raises(wrsim.ArgumentError, "sweep: result 'x': no communication point", wrsim.sweep, bench.model("two_mass"), {key: [20.0]},
           {"x": "left.x"}, overrides={"output.points": False})
    error = raises(ZeroDivisionError, "", wrsim.sweep, bench.model("two_mass"), {key: [20.0, 40.0]}, {"x": lambda result: 1 / 0}, jobs=1)
    expect(len(error.table) == 0, repr(error.table))
    lists = [["left.x"], ["left.x", "left.v"]]
    table = wrsim.sweep(bench.model("two_mass"), {"output.signals": lists}, {"n": len})
    expect(list(table["output.signals"]) == lists and list(table["n"]) == [1, 2], repr(table))
    raises(wrsim.ArgumentError, "rename", wrsim.sweep, bench.model("two_mass"), {key: [1.0]}, {"status": "left.x"})


INTERRUPTED_SWEEP = """
import os, signal, sys
import wrsim
n = 0
def measure(result): # called by a thread of the sweep
    global n
    n += 1
    if n == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return result["left.x"][-1]
try:
    wrsim.sweep(sys.argv[1], {"component.left.parameters.k12": [float(k) for k in range(20, 2020)]}, {"end": measure}, jobs=2)
except KeyboardInterrupt as error:
    assert 3 <= len(error.table) < 2000, len(error.table)
    print("ended")
"""


@tap.tier("full")
def test_interrupted_sweep(bench):
    process = bench.python(INTERRUPTED_SWEEP, bench.model("two_mass"))
    out, err = process.communicate()
    expect(process.returncode == 0 and out == "ended\n", f"{process.returncode}\n{out}{err}")


def test_studies(bench):
    with wrsim.Config(bench.model("two_mass"), {"output.file": ""}) as config:
        probe = config.study_split(2)
        expect(probe.has_answer == 1 and probe.is_monolithic == 1 and "monolithic" in probe.text, repr(probe))


@tap.tier("full")
def test_long_studies(bench):
    lines = []
    budget = wrsim.study_budget(bench.model("two_mass"), {"output.file": ""}, error=1e-4, on_progress=lines.append)
    expect(budget.is_complete and len(budget.tolerances) >= 2 and 0.0 < budget.chosen.error <= 1e-4, repr(budget))
    overrides = dict(text.split("=", 1) for text in budget.overrides)
    expect("simulation.rtol" in overrides and lines, f"{overrides}")
    raises(ZeroDivisionError, "", wrsim.study_budget, bench.model("two_mass"), error=1e-4, on_progress=lambda text: 1 / 0)
    with wrsim.Config(bench.model("two_mass"), {"output.file": "", "realtime.rate": 1e-3, "simulation.stop": 0.1, "relaxation.scheme": "slack"}) as config:
        check = config.study_realtime(0.2)
    expect(wrsim.Status(check.verdict) in (wrsim.Status.OK, wrsim.Status.UNDECIDED, wrsim.Status.INFEASIBLE), repr(check))
    expect(len(check.subsystems) == check.n_subsystem == 2 and check.subsystems[0].compute.n > 0, repr(check))


# ---- descriptions and memory


@tap.tier("full")
def test_plot(bench):
    """Each curve of a picture has the values of the results."""
    try:
        import matplotlib # pylint: disable=unused-import
    except ImportError as error:
        raise tap.Skip("matplotlib is not installed") from error
    result = wrsim.run(bench.model("two_mass"), output="a.csv")
    figure = result.plot("*", file="a.svg", reference=result)
    expect([len(axes.lines) for axes in figure.axes] == [4, 4], "curves")
    for line in (line for axes in figure.axes for line in axes.lines):
        expect(np.array_equal(line.get_ydata(), result[line.get_label().split(",")[0]]), line.get_label())
    wrsim.plot(result, "*", file="b.svg", reference=result)
    expect((bench.folder / "a.svg").read_bytes() == (bench.folder / "b.svg").read_bytes(), "equal results make different files")
    for name, unit in (("m", "m"), ("mm", "mm"), ("none", "")):
        (bench.folder / f"{name}.csv").write_text(f"time [s],left.x{unit and f' [{unit}]'}\n0,1\n1,2\n", encoding="utf-8")
    raises(wrsim.ArgumentError, "has the unit m, but mm in the reference", result.plot, "left.x", reference=wrsim.read("mm.csv"))
    for name in ("m", "none"):
        expect(len(result.plot("left.x", reference=wrsim.read(name + ".csv")).axes[0].lines) == 2, name)
    raises(wrsim.ArgumentError, "no value of left.x is recorded", wrsim.run(bench.model("two_mass"), {"output.points": False}).plot, "left.x")
    wrsim.plot(result, "left.x", file="b.png")
    expect((bench.folder / "b.png").read_bytes().startswith(b"\x89PNG"), "no PNG")


def test_descriptions(bench):
    with wrsim.Simulation(bench.model("two_mass"), {"output.file": "a.csv"}) as sim:
        expect({"left.x", "right.v"} <= set(sim.variables["name"]), repr(sim.variables))
        expect(set(sim.variables["kind"]) <= {"state", "discrete", "input", "output"}, repr(sim.variables))
        expect(len(sim.structure["subsystems"]) == 2, f"{sim.structure}")
        sim.run()
        expect(list(sim.subsystems["name"]) == ["left", "right"] and sim.subsystems["n_step"].min() > 0, repr(sim.subsystems))
        expect(len(sim.workers) == sim.stats.n_worker and sim.error_account.error >= 0.0, repr(sim.workers))
        pages = [sim._repr_html_(), sim.result()._repr_html_(), sim.stats._repr_html_()]
    with wrsim.Config.from_text(LOOP, name="<b>") as config:
        pages.append(config._repr_html_())
        with wrsim.Simulation(config) as sim:
            expect(list(sim.ports["direction"]) == ["input", "input", "output", "output"], repr(sim.ports))
    expect(all(page.startswith("<p>") or page.startswith("<table>") for page in pages), f"{pages}")
    expect("&lt;b&gt;" in pages[-1] and "<b>" not in pages[-1] and "left.x" in pages[1], f"{pages[-1]:.200}")
    raises(AttributeError, "n_window", lambda: sim_stats_of(bench).n_windw)


def sim_stats_of(bench):
    with wrsim.Simulation(bench.model("two_mass"), {"output.file": ""}) as sim:
        return sim.stats


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@tap.tier("full")
def test_thousand_simulations(bench):
    def use(i):
        with loop() as sim:
            sim.observe(window=lambda record: None)
            with sim.snapshot():
                sim.advance(0.25)
                sim["load"] = 1.0
                sim.get(["a.x", "speed"])
        if i % 10 == 0: # constructors that raise exceptions
            for wrong in ({"simulation.stpo": 1.0}, {"component.a.model": "none"}, {"output.file": "a.xyz"}):
                raises(wrsim.ConfigError, "", loop, overrides=wrong)
            raises(wrsim.FileError, "", loop(overrides={"output.file": "none/a.csv"}).prepare)
            raises(wrsim.FileError, "", wrsim.read, "none.csv")
        if i % 100 == 0: # without close(), and with an exception
            wrsim.Result("a.csv")["left.x"]
            unclosed = loop()
            unclosed.observe(event=lambda record: None)
            raises(wrsim.ArgumentError, "", unclosed.get, ["b"])

    wrsim.run(bench.model("two_mass"), output="a.csv")
    for i in range(200): # the allocators reach their steady sizes
        use(i)
    gc.collect()
    before, objects = resident_bytes(), len(gc.get_objects())
    for i in range(1000):
        use(i)
    gc.collect()
    grown = resident_bytes() - before
    # One simulation has about 1 MB. 1 MB is the spread of the allocators.
    expect(grown < 1 << 20, f"{grown} bytes more after 1000 simulations")
    expect(len(gc.get_objects()) - objects < 100, f"{len(gc.get_objects()) - objects} objects more")


def main():
    global wrsim
    options = tap.parser("--module", "--source", tiers=("quick", "full")).parse_args()
    sys.path.insert(0, options.module)
    import wrsim as module
    wrsim = module
    return tap.run(globals(), options, lambda folder: Bench(options.source, options.module, folder))


if __name__ == "__main__":
    sys.exit(main())
