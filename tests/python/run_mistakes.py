"""Mistakes of users of the Python module: each raises an exception with a sentence. Nothing crashes, hangs or changes a value. TAP.

    run_mistakes.py --wrsim PROGRAM --module FOLDER --source ROOT [--tier quick|full] [test]...
"""
import copy
import datetime
import decimal
import gc
import math
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import run_python
import tap
from run_python import LOOP, Bench, loop, raises
from tap import expect

wrsim = None # main() imports the module of --module


def test_configs_with_errors(bench):
    error = raises(wrsim.ConfigError, "did you mean", wrsim.Config, bench.model("two_mass"), {"simulation.stpo": 1.0})
    expect(error.status == wrsim.Status.E_CONFIG, f"{error.status}")
    text = LOOP.replace("stop = 1.0", "stop = -1.0").replace("rtol", "rtoll")
    error = raises(wrsim.ConfigError, "config:", wrsim.Config.from_text, text)
    expect(len(error.errors) >= 2 and error.errors[0].line > 0 and str(error) == str(error.errors[0]), f"{error.errors}")
    error = raises(wrsim.FileError, "none.toml", wrsim.Config, "none.toml")
    expect(isinstance(error, OSError) and isinstance(error, wrsim.WrsimError), "classes")
    raises(wrsim.FileError, "none.h5", wrsim.read, "none.h5")
    raises(wrsim.ArgumentError, "NUL", wrsim.Config, "a\0b.toml")
    raises(wrsim.ArgumentError, "cannot be object", wrsim.Config, bench.model("two_mass"), {"simulation.stop": object()})
    raises(wrsim.ArgumentError, "expected a text", wrsim.Config, 3)


def test_values_in_toml(bench):
    """Values of all types arrive as they are, also texts with special characters."""
    name = 'a "b" \\ \x7f\u00e9.csv'
    with wrsim.Config.from_text(LOOP, {"output.file": name, "output.signals": ["a.*", "relay.on"], "simulation.rtol": np.float64(1e-7),
                                       "simulation.monolithic": True, "relaxation.window": {"initial": 0.05, "max": 0.2}}) as config:
        found = config.to_dict()
    expect(found["output"]["file"] == name and found["output"]["signals"] == ["a.*", "relay.on"], f"{found['output']}")
    expect(found["simulation"]["rtol"] == 1e-7 and found["simulation"]["monolithic"] is True, f"{found['simulation']}")
    expect(found["relaxation"]["window"]["initial"] == 0.05, f"{found['relaxation']}")
    with wrsim.Config.from_text(LOOP, {"output.decimation": wrsim.Status.STOPPED}) as config: # a member of an IntEnum
        expect(config.to_dict()["output"]["decimation"] == int(wrsim.Status.STOPPED) > 0, "a named integer")


def test_closed_and_unprepared(bench):
    sim = loop()
    raises(wrsim.StateError, "wrsim_prepare", sim.reset)
    sim.close()
    sim.close()
    for call in (sim.run, lambda: sim.advance(1.0), lambda: sim.get(["a.x"]), lambda: sim["a.x"], lambda: sim.time, sim.snapshot,
                 lambda: sim.stats, lambda: sim.variables, lambda: sim.observe(), sim.result, lambda: list(sim.steps())):
        raises(wrsim.StateError, "closed", call)
    sim.stop()
    expect("closed" in repr(sim) and "closed" in sim._repr_html_(), repr(sim))
    config = wrsim.Config.from_text(LOOP)
    config.close()
    raises(wrsim.StateError, "closed", lambda: config.text)
    raises(wrsim.StateError, "closed", wrsim.Simulation, config)
    with loop() as sim:
        sim.run()
        raises(wrsim.StateError, "no result file", sim.result)
        sim.finish()
        raises(wrsim.StateError, "finished", sim.run)


NO_NUMBERS = ("1.5", "abc", None, [1.0], np.array([1.0]), 10**400, 1j, {"a": 1.0}, decimal.Decimal("nan"), math.inf, np.ma.masked,
              np.datetime64("2026-01-01"), datetime.timedelta(seconds=1), len)


def test_wrong_numbers(bench):
    with loop() as sim:
        for value in NO_NUMBERS:
            for call in (lambda: sim.__setitem__("load", value), lambda: sim.set({"load": value}), lambda: sim.set_scenario("push", value),
                         lambda: sim.advance(value), lambda: sim.steps(until=value or "")):
                raises(wrsim.ArgumentError, "number, got", call)
        for values in ([1.0], [[1.0, 2.0]], np.zeros((2, 1)), 1.0, [1.0, 2.0, 3.0], ["1", "2"], [1.0, None], [object(), 2.0], {1.0, 2.0},
                       [[1.0], [2.0, 3.0]], (x for x in (1.0, 2.0)), np.ma.array([1.0, 2.0], mask=[0, 1]), np.array([1j, 2j]),
                       np.array(["2026-01-01"] * 2, dtype="M8[D]"), [10**400, 1.0]):
            raises(wrsim.ArgumentError, "expected an array of shape (2,)", sim.set, ["load", "level"], values)
        raises(wrsim.ArgumentError, "value 1 is inf", sim.set, ["load", "level"], [1.0, math.inf])
        raises(wrsim.ArgumentError, "expected a dict of names and values, or", sim.set, {"load": 1.0}, [2.0])
        raises(wrsim.ArgumentError, "expected a dict of names and values, or", sim.set, ["load"])
        sim.advance(0.5) # the wrong calls changed nothing
        expect(abs(sim["a.x"] - math.exp(-0.5)) < 1e-7, f"{sim['a.x']}")


def test_arrays_of_all_kinds(bench):
    """Strided, read-only, big-endian and smaller types give the same bits, and stay as they are."""
    wide = np.array([[0.1, 9.0], [0.25, 9.0]])
    locked = wide[:, 0].copy()
    locked.flags.writeable = False
    arrays = {"list": [0.1, 0.25], "strided": wide[:, 0], "reversed": np.array([0.25, 0.1])[::-1], "read-only": locked,
              "big-endian": wide[:, 0].astype(">f8"), "objects": np.array([decimal.Decimal("0.1"), 0.25], dtype=object),
              "dict": {"load": 0.1, "level": np.float64(0.25)}}
    found = {}
    for name, values in {**arrays, "float32": np.float32([0.1, 0.25]), "rounded": [float(np.float32(0.1)), 0.25]}.items():
        with loop() as sim:
            sim.set(*([values] if name == "dict" else [["load", "level"], values]))
            sim.advance(0.5)
            found[name] = tuple(sim.get(["a.x", "relay.on"]))
    expect(all(found[name] == found["list"] for name in arrays) and found["float32"] == found["rounded"] != found["list"], f"{found}")
    expect(locked[0] == 0.1 and wide[0, 0] == 0.1, "an array has other values")


def test_times(bench):
    with loop() as sim:
        raises(wrsim.ArgumentError, "the time -1 s has passed", sim.advance, -1)
        sim.advance(0.5)
        raises(wrsim.ArgumentError, "give a time from 0.5 s on", sim.advance, 0.25)
        raises(wrsim.ArgumentError, "the time 0.25 s has passed", sim.steps, 0.25)
        for step in (0.0, -0.1, 1e-300):
            raises(wrsim.ArgumentError, "give a longer step", sim.steps, step=step)
        expect(sim.advance(0.5) == wrsim.Status.OK and sim.time == 0.5 and not list(sim.steps(until=0.5)), f"{sim.time}")
        turns = sim.steps(step=0.1)
        next(turns)
        sim.advance(0.9)
        raises(wrsim.ArgumentError, "the time 0.6 s has passed", next, turns)


def test_unknown_names(bench):
    with loop() as sim:
        for name, hint in {"sped": "did you mean 'speed'?", "Speed": "did you mean 'speed'?", "a.xx": "did you mean 'a.x'?",
                           "laod": "did you mean the input port 'load'?", "measurd": "did you mean the variable 'relay.measured'?",
                           "load": "which is an input port; choose one of: speed, on", "": "choose one of: speed, on"}.items():
            raises(wrsim.ArgumentError, hint, sim.get, ["speed", name])
            expect(name not in sim, f"{name!r} in sim")
        for name, hint in {"laod": "did you mean 'load'?", "sped": "did you mean the output port 'speed'?",
                           "speed": "which is an output port; choose one of: load, level", "a.u": "which is a variable; choose"}.items():
            raises(wrsim.ArgumentError, hint, sim.__setitem__, name, 1.0)
        expect("speed" in sim and "a.x" in sim and 3 not in sim, "names")
        for names in (None, 3, "speed", {"speed", "on"}, [3], [["speed"]], [b"speed"], ["speed", None]):
            raises(wrsim.ArgumentError, "get: expected", sim.get, names)
            raises(wrsim.ArgumentError, "set: expected", sim.set, names, [1.0])
        raises(wrsim.ArgumentError, "NUL", sim.get, ["a\0b"])
        raises(wrsim.ArgumentError, "no text in UTF-8", sim.get, ["\ud800"])
        raises(TypeError, "not iterable", list, sim)
    with wrsim.Simulation(bench.model("two_mass"), {"output.file": ""}) as sim:
        raises(wrsim.ArgumentError, "add a [[port]] to the config", sim.__setitem__, "force", 1.0)
        raises(wrsim.ArgumentError, "name a variable component.variable", lambda: sim["force"])


def test_wrong_functions(bench):
    def turns(record):
        yield record

    async def wait(record):
        return record

    with loop() as sim:
        raises(wrsim.ArgumentError, "choose some of", sim.observe, windows=print)
        for function in (turns, wait, 3, "print"):
            raises(wrsim.ArgumentError, "expected a function", sim.observe, window=function)
            raises(wrsim.ArgumentError, "expected a function", sim.on_progress, function)
        sim.on_progress(lambda: None)
        raises(TypeError, "positional argument", sim.run)
        for kind in (SystemExit, KeyboardInterrupt, StopIteration, GeneratorExit):
            def end(record, kind=kind):
                raise kind
            sim.on_progress(end)
            raises(kind, "", sim.advance, sim.time + 1.0)
        box = [loop()]
        box[0].on_progress(lambda progress: box.clear()) # the last reference but that of the call
        expect(box[0].run() == wrsim.Status.OK and not box, "the run has not ended")


def test_wrong_types(bench):
    model, key = bench.model("two_mass"), "simulation.rtol"
    result = wrsim.run(model, output="a.csv")
    wrong = {
        "expected a dict of keys": [lambda: wrsim.Config(model, ["simulation.stop=1"]), lambda: wrsim.run(model, "a.csv"),
                                    lambda: wrsim.sweep(model, [key], {"x": "left.x"}), lambda: wrsim.sweep(model, {key: [1e-3]}, "left.x"),
                                    lambda: wrsim.sweep(model, {key: [1e-3]}, {"x": "left.x"}, overrides="a")],
        "expected the name of a key": [lambda: wrsim.Config(model, {3: 1}), lambda: wrsim.Config(model, {"simulation.stop=3 #": 1})],
        "expected a text, got": [lambda: wrsim.Config.from_text(None), lambda: wrsim.Simulation(model, output=3), lambda: wrsim.read(3),
                                 lambda: wrsim.run(wrsim.Config(model)), lambda: result[3], lambda: result[["left.x"]]],
        "expected a list of values": [lambda value=value: wrsim.sweep(model, {key: value}, {"x": "left.x"})
                                      for value in (1e-3, "abc", {1e-3}, np.float64(1))],
        "expected the name of a signal or a function": [lambda: wrsim.sweep(model, {key: [1e-3]}, {"x": 3})],
        "expected an integer": [lambda jobs=jobs: wrsim.sweep(model, {key: [1e-3]}, {"x": "left.x"}, jobs=jobs) for jobs in (-1, "2", 1.5)]
                               + [lambda: wrsim.Config(model).study_split("a"), lambda: wrsim.Config(model).study_split(2**40)],
        "expected a number": [lambda: wrsim.study_budget(model, error="a"), lambda: wrsim.Config(model).study_realtime("a")],
        "expected a finite number": [lambda: wrsim.study_budget(model, warm=math.nan)],
        "expected a Result": [lambda: result.compare("a.csv"), lambda: wrsim.plot("a.csv"), lambda: result.plot(reference="a.csv")],
        "has an empty list": [lambda value=value: wrsim.sweep(model, {key: value}, {"x": "left.x"}) for value in ([], np.array([]))],
        "list of signals is empty": [lambda: result.plot([])],
        "expected a list of names": [lambda: result.match(3), lambda: result.curves("left.x"),
                                     lambda: wrsim.study_budget(model, signals="left.x")],
        "expected names": [lambda: result.match([3])],
        "a column of a table": [lambda: wrsim.Table({"a": 3}), lambda: wrsim.Table({"a": "abc"}), lambda: wrsim.Table({"a": {1, 2}})],
        "Table: expected a dict": [lambda: wrsim.Table([1, 2])],
        "different lengths": [lambda: wrsim.Table({"a": [1], "b": [1, 2]})],
        "expected a Simulation": [lambda: wrsim.Snapshot(3)],
        "did you mean 'left.x'?": [lambda: result["left.xx"], lambda: result.unit("left.xx"), lambda: result.events("left.xx")],
        "did you mean": [lambda: result.match(["left.?", "rihgt.x"])],
    }
    try:
        import matplotlib # pylint: disable=unused-import
    except ImportError:
        del wrong["list of signals is empty"], wrong["expected a Result"][1:]
    for text, calls in wrong.items():
        for call in calls:
            raises(wrsim.ArgumentError, text, call)
    table = wrsim.sweep(model, {key: (rtol for rtol in (1e-3, 1e-4))}, {"x": "left.x"})
    expect(len(table) == 2, repr(table))


def test_formats_have_the_same_bits(bench):
    results = [wrsim.read(wrsim.run(bench.model("bouncing_ball"), output=file).file) for file in ("a.csv", "a.h5", "a.mat")]
    for other in results[1:]:
        expect(other.names == results[0].names and other.time.tobytes() == results[0].time.tobytes(), f"{other.names}")
        for name in other:
            expect(other[name].tobytes() == results[0][name].tobytes(), name)
            expect(other.unit(name) == results[0].unit(name) and other.description(name) == results[0].description(name), name)


@tap.tier("full")
def test_without_optional_packages(bench):
    program = """
import sys
sys.modules["pandas"] = sys.modules["matplotlib"] = None
import wrsim
table = wrsim.sweep(sys.argv[1], {"simulation.rtol": [1e-3, 1e-4]}, {"x": "left.x"})
print(len(table), table.names)
for call in (table.to_pandas, wrsim.run(sys.argv[1], output="a.csv").plot):
    try:
        call()
    except ImportError as error:
        print(error.name)
"""
    process = bench.python(program, bench.model("two_mass"))
    out, err = process.communicate()
    expect(out.split("\n")[:3] == ["2 ['simulation.rtol', 'status', 'x', 'error']", "pandas", "matplotlib"], f"{out}{err}")
    process = bench.python("import sys; sys.modules['numpy'] = None; import wrsim")
    expect("numpy" in process.communicate()[1] and process.returncode == 1, "no NumPy")


@tap.tier("full")
def test_library_of_another_version(bench):
    """The module refuses a library of another version, also if the name of its file fits."""
    package = bench.folder / "python" / "wrsim"
    shutil.copytree(os.path.join(bench.module, "wrsim"), package, ignore=shutil.ignore_patterns("__pycache__"))
    version = wrsim.__version__
    abi, link = (package / "_abi.py").read_text(), bench.folder / "libwrsim.so.9.8.7"
    expect(f"VERSION = '{version}'" in abi, "no version")
    (package / "_abi.py").write_text(abi.replace(f"VERSION = '{version}'", "VERSION = '9.8.7'"))
    for text in ("is neither in", "but the module of 9.8.7"):
        process = subprocess.run([sys.executable, "-c", "import wrsim"], env={**os.environ, "PYTHONPATH": str(package.parent)}, text=True,
                                 capture_output=True, check=False)
        expect(process.returncode == 1 and text in process.stderr, process.stderr)
        if not link.is_symlink():
            link.symlink_to(os.path.join(os.path.dirname(bench.module), f"libwrsim.so.{version}"))


def wrong_run(model):
    wrsim.run(model, {"simulation.stpo": 1.0, "simulation.rtoll": 1.0})


def test_copies(bench):
    config = wrsim.Config(bench.model("two_mass"), {"output.file": ""})
    with config, wrsim.Simulation(config) as sim, sim.snapshot() as snapshot:
        result = wrsim.run(bench.model("two_mass"), output="a.csv")
        for thing in (config, sim, snapshot, result):
            for function in (copy.deepcopy, pickle.dumps) if thing is result else (copy.copy, copy.deepcopy, pickle.dumps):
                raises(wrsim.ArgumentError, "cannot be copied or pickled", function, thing)
        stats = pickle.loads(pickle.dumps(sim.stats))
        expect(stats.n_subsystem == sim.stats.n_subsystem, repr(stats))
        expect(sim.run() == wrsim.Status.OK, "run")
    table = pickle.loads(pickle.dumps(result.to_table()))
    expect(np.array_equal(table["left.x"], result["left.x"]), "table")
    error = raises(wrsim.ConfigError, "did you mean", wrong_run, bench.model("two_mass"))
    other = pickle.loads(pickle.dumps(error))
    expect((type(other), str(other), other.status, len(other.errors)) == (type(error), str(error), error.status, 2), repr(other))
    with multiprocessing.get_context("fork").Pool(1) as pool: # a pool waits for ever if an exception cannot be read
        raises(wrsim.ConfigError, "did you mean", pool.apply, wrong_run, [bench.model("two_mass")])


def test_forks(bench):
    """A child process leaves the simulation of its parent alone; the parent's results are complete."""
    sim = wrsim.Simulation(bench.model("two_mass"), output="a.csv")
    sim.advance(0.5)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0: # no exception may reach the test program
        try:
            raises(wrsim.StateError, "before a fork", sim.advance, 1.0)
            raises(wrsim.StateError, "before a fork", lambda: sim.time)
            expect("another process" in repr(sim), repr(sim))
            wrsim.run(bench.model("two_mass"), output="b.csv")
            sim = None
            gc.collect()
            os.write(writer, b"done")
        except BaseException as error: # pylint: disable=broad-except
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    expect(os.read(reader, 1000) == b"done" and os.waitpid(child, 0)[1] == 0, "the child has failed")
    os.close(reader)
    expect(sim.run() == wrsim.Status.OK and len(sim.result().time) == len(wrsim.read("b.csv").time) == 101, "rows")


END = """
import sys, threading, time
import wrsim
sim = wrsim.Simulation(sys.argv[1], output="a.csv")
sim.observe(window=lambda record: None)
sim.advance(0.5)
kind = sys.argv[2]
if kind == "cycle":
    sim.sim, snapshot, config = sim, sim.snapshot(), wrsim.Config(sys.argv[1])
elif kind == "generator":
    turns = sim.steps()
    next(turns)
elif kind == "thread":
    other = wrsim.Simulation(sys.argv[1], {"simulation.stop": 1e4, "output.file": ""})
    threading.Thread(target=other.run, daemon=True).start()
    while not other.time > 0.1:
        time.sleep(0.001)
elif kind == "exit":
    sys.exit(3)
"""


@tap.tier("full")
def test_end_of_the_program(bench):
    """A program may end without close(). The results are complete."""
    for kind in ("plain", "cycle", "generator", "thread", "exit"):
        process = bench.python(END, bench.model("two_mass"), kind)
        out, err = process.communicate()
        expect(process.returncode == (3 if kind == "exit" else 0) and not out + err, f"{kind}: {process.returncode}\n{out}{err}")
        expect(len(wrsim.read("a.csv").time) == 51, f"{kind}: {wrsim.read('a.csv')}")
        os.unlink("a.csv")


def test_subclasses(bench):
    class Odd(wrsim.Simulation):
        def __init__(self): # pylint: disable=super-init-not-called
            pass

    class Even(wrsim.Simulation):
        def advance(self, time): # pylint: disable=redefined-outer-name
            return super().advance(2.0 * time)

    odd = Odd()
    raises(wrsim.StateError, "closed", odd.run)
    expect("closed" in repr(odd), repr(odd))
    with Even(bench.model("two_mass"), {"output.file": ""}) as sim:
        expect(sim.advance(0.25) == wrsim.Status.OK and sim.time == 0.5, f"{sim.time}")


# ---- threads and signals


@tap.tier("full")
def test_threads_that_close(bench):
    """While threads read a simulation, another thread closes it."""
    seen = set()

    def read(sim):
        try:
            while True:
                sim["a.x"], sim.time, repr(sim), sim.scenarios, sim._is_prepared
        except wrsim.StateError as error:
            seen.add(str(error)[:24])
        except BaseException as error: # pylint: disable=broad-except
            seen.add(repr(error))

    for _ in range(20):
        sim = loop()
        sim.prepare()
        threads = [threading.Thread(target=read, args=[sim]) for _ in range(2)]
        for thread in threads:
            thread.start()
        while repr(sim) != "<wrsim.Simulation 'config', closed>":
            try:
                sim.close()
            except wrsim.StateError:
                time.sleep(0.001)
        for thread in threads:
            thread.join()
    expect(seen <= {"the simulation is closed", "the simulation is in use"}, f"{seen}")


def test_close_in_a_run(bench):
    """close() and finish() of a simulation that runs are errors; afterwards the results are complete."""
    with wrsim.Simulation(bench.model("two_mass"), {"simulation.stop": 1e4}, output="a.csv") as sim:
        sim.prepare()
        thread = threading.Thread(target=sim.run)
        thread.start()
        while not sim.time > 0.1:
            time.sleep(0.001)
        raises(wrsim.StateError, "in use", sim.close)
        raises(wrsim.StateError, "in use", sim.finish)
        sim.stop()
        thread.join()
        expect(len(sim.result().time) > 10, repr(sim.result()))


AT_EACH_MOMENT = """
import random, signal, sys, time
import wrsim
n, kinds = 0, set()
def interrupt(number, frame):
    global n
    n += 1
    sim.stop() # a handler may call this function at each moment
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
random.seed(1)
sim = wrsim.Simulation(sys.argv[1], {"simulation.stop": 1e4}, output="a.csv")
sim.observe(window=lambda record: None)
while n < int(sys.argv[2]):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 6e-3), 0.1) # again, because __del__() ignores exceptions
        while True:
            sim.advance(sim.time + 0.01)
            sim.get(["left.x", "right.v"])
            with sim.snapshot() as snapshot:
                snapshot.take()
            repr(sim), sim.stats, sim.ports
            with wrsim.Simulation(sys.argv[1], {"output.file": ""}) as other:
                other.advance(0.02)
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
    while sim.advance(sim.time + 0.01) == wrsim.Status.STOPPED:
        kinds.add("stopped")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler and signal.set_wakeup_fd(-1) == -1
assert signal.getsignal(signal.SIGALRM) is interrupt
result = sim.result()
assert (result.time[1:] > result.time[:-1]).all() and abs(result.time[-1] - sim.time) < 0.011, (result.time[-1], sim.time)
sim.close()
print("ended")
"""


@tap.tier("full")
def test_interrupts_at_each_moment(bench):
    process = bench.python(AT_EACH_MOMENT, bench.model("two_mass"), "400")
    out, err = process.communicate()
    expect(process.returncode == 0 and out == "ended\n" and "ctypes callback" not in err, f"{process.returncode}\n{out}{err}")


def main():
    global wrsim
    options = tap.parser("--module", "--source", tiers=("quick", "full")).parse_args()
    sys.path.insert(0, options.module)
    import wrsim as module
    wrsim = run_python.wrsim = module
    return tap.run(globals(), options, lambda folder: Bench(options.source, options.module, folder))


if __name__ == "__main__":
    sys.exit(main())
