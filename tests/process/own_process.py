#!/usr/bin/python3
"""Components in processes of their own: the bits of runs in one process, models that allow one instance, crashes, killed processes. TAP.

    own_process.py --wrsim PROGRAM --plugin FILE [--fmus FOLDER] [--tier TIER] [test]...

Under sanitizers the processes of components keep the default actions of signals, and search no leaks after exit() in a callback.
"""
import itertools
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs
import tap
from tap import expect

ENVIRONMENT = {**os.environ, **{name: os.environ.get(name, "") + ":handle_segv=0:allow_user_segv_handler=1"
                                for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}}
NO_LEAKS = {**ENVIRONMENT, "ASAN_OPTIONS": ENVIRONMENT["ASAN_OPTIONS"] + ":detect_leaks=0"}
WAIT_S = 60           # longest wait for an event that takes milliseconds on a quiet machine
PROGRAM = "wrsim-component"
# Three components in a ring: each callback of wrsim_model runs.
RING = {"a": "process.dense", "b": "process.sparse", "c": "process.stepper"}
RING_WIRES = [("c.y", "a.u"), ("b.y", "a.b0"), ("b.v", "a.b1"), ("a.y", "b.u"), ("b.y", "c.u")]
PAIR = {"a": "process.dense", "b": "process.sparse"}
PAIR_WIRES = [wire for wire in RING_WIRES if "c." not in str(wire)]
# Callbacks, and the component of the ring that has the callback.
CALLS = {"init": "a", "init_from_inputs": "a", "rhs": "a", "output": "a", "algebra": "a", "indicator": "a", "event": "a", "next_time": "a",
         "jacobian": "a", "tangent": "a", "tangent_output": "b", "jacobian_sparse": "b", "step_completed": "b", "keep": "b", "go_back": "b",
         "bytes": "b", "advance": "c", "stepper_event": "c"}


def processes(parent):
    """Returns the numbers of the processes of components of a run, which may have ended: the first argument is the run's number."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if state not in "ZX" and words[0].endswith(PROGRAM.encode()) and words[1] == str(parent).encode():
            found.append(int(folder.name))
    return found


def wait_for(condition, text):
    end = time.monotonic() + WAIT_S
    while not condition():
        expect(time.monotonic() < end, f"no {text}")
        time.sleep(0.001)


class Bench:
    def __init__(self, options, folder):
        self.wrsim, self.plugin, self.folder = options.wrsim, options.plugin, folder
        self.fmus = pathlib.Path(options.fmus).resolve() if options.fmus else None

    def text(self, components, wires=(), own=(), parameters=None, lines=()):
        """Returns a config. own: components with process = "own". parameters: component -> text."""
        text = ["[simulation]", "stop = 1.0", "communication_step = 0.01", "[output]", 'signals = ["*"]', "events = true", *lines]
        if any("." in model for model in components.values()):
            text += ["[[plugin]]", f'file = "{self.plugin}"']
        for name, model in components.items():
            source = f'model = "{model}"' if not model.endswith(".fmu") else f'fmu = "{model}"'
            text += ["[[component]]", f'name = "{name}"', source, f"parameters = {{ {(parameters or {}).get(name, '')} }}"]
            if name in own:
                text.append('process = "own"')
        for source, target in wires:
            text += ["[[connection]]", f'from = "{source}"', f'to = "{target}"']
        return "\n".join(text) + "\n"

    def start(self, text, *options, name="r", env=None, more=()):
        config = self.folder / f"{name}.toml"
        config.write_text(text, encoding="utf-8")
        for suffix in (".csv", ".events.csv"):
            (self.folder / (name + suffix)).unlink(missing_ok=True)
        return subprocess.Popen([self.wrsim, config, "-q", "-o", self.folder / f"{name}.csv", "--json", self.folder / f"{name}.json",
                                 *runs.defined(options), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env or ENVIRONMENT)

    def call(self, text, *options, name="r", env=None, more=()):
        """Runs a config. Returns the exit code, and the lines of messages."""
        run = self.start(text, *options, name=name, env=env, more=more)
        _, err = run.communicate(timeout=WAIT_S)
        expect(not processes(run.pid), "a process remains")
        return run.returncode, err.splitlines()

    def results(self, text, *options, name="r"):
        """Returns all lines of the results, without comments, and the summary."""
        code, lines = self.call(text, *options, name=name)
        expect(code == 0 and not lines, f"{options}: {code}: {lines}")
        events = self.folder / f"{name}.events.csv"
        files = [runs.lines_of(path) for path in (self.folder / f"{name}.csv", events) if path.exists()]
        return files, runs.json_of(self.folder / f"{name}.json")

    def same(self, components, wires, *options, lines=()):
        """Requires the same bytes with and without processes. Returns the summary of the run with processes."""
        alone, _ = self.results(self.text(components, wires, lines=lines), *options)
        own, summary = self.results(self.text(components, wires, own=components, lines=lines), *options)
        expect(len(alone[0]) > 50 and alone == own, f"{components} {options}: other results")
        expect([p["component"] for p in summary["processes"]] == list(components), f"{summary['processes']}")
        expect(all(p["n_call"] > 100 and p["call_cost_us"] > 0 and not p["is_needed"] for p in summary["processes"]), f"{summary['processes']}")
        return summary


def test_same_ring(bench):
    """A ring of three kinds of models."""
    bench.same(RING, RING_WIRES)


@tap.tier("full", "long")
def test_same_bytes(bench):
    """The ring, and one or two subsystems for its oscillators, with solvers, workers and schemes."""
    for solver, workers in tap.sample([("rosenbrock", 2), ("dopri54", 1)], list(itertools.product(["auto", "rosenbrock", "dopri54", "cvode_bdf", "lsoda"], [1, 2]))):
        bench.same(RING, RING_WIRES, f"solver.kind={solver}", f"scheduler.workers={workers}")
        bench.same(PAIR, PAIR_WIRES, f"solver.kind={solver}", f"scheduler.workers={workers}", "simulation.monolithic=true")
        bench.same(PAIR, PAIR_WIRES, f"solver.kind={solver}", f"scheduler.workers={workers}", "relaxation.scheme=gauss_seidel")
    bench.same(PAIR, PAIR_WIRES, "relaxation.scheme=slack", "slack.period=0.01", "slack.bound=0")


def test_built_in(bench):
    bench.same({"p": "vanderpol.position", "v": "vanderpol.velocity"}, [("p.y1", "v.y1"), ("v.y2", "p.y2")])


@tap.tier("full")
def test_scenario(bench):
    """A scenario changes a parameter, which travels with each call."""
    lines = ["[[scenario]]", 'name = "slow"', 'parameter = "a.friction"', 'at = 0.3', 'value = 3.0', 'until = 0.8']
    bench.same(PAIR, PAIR_WIRES, lines=lines)
    _, changed = bench.results(bench.text(PAIR, PAIR_WIRES, own=PAIR, lines=lines))
    expect(changed["is_complete"], "the run is incomplete")


@tap.tier("full")
def test_long_text(bench):
    """A text parameter has any length."""
    parameters = {"a": f'label = "{"x" * 60000}"'}
    alone, own = (bench.results(bench.text(PAIR, PAIR_WIRES, own=own, parameters=parameters))[0] for own in ((), PAIR))
    expect(alone == own, "other results")


@tap.tier("full")
def test_checkpoint(bench):
    """A run that continues from a checkpoint, in new processes or in one process, has the rows of a run without a pause."""
    text, file = bench.text(PAIR, PAIR_WIRES, own=PAIR), bench.folder / "half.ckpt"
    whole, _ = bench.results(text)
    code, lines = bench.call(text, "simulation.stop=0.5", name="half", more=["--checkpoint", file, "--checkpoint-every", "0.2"])
    expect(code == 0 and file.exists(), f"{code}: {lines}")
    for own in (PAIR, ()):
        code, lines = bench.call(bench.text(PAIR, PAIR_WIRES, own=own), name="rest", more=["--restart", file])
        expect(code == 0, f"{own}: {code}: {lines}")
        rest = runs.lines_of(bench.folder / "rest.csv")[1:]
        expect(len(rest) > 40 and rest == whole[0][-len(rest):], f"{own}: other rows after the checkpoint")


@tap.tier("full")
def test_tools(bench):
    """Tools that evaluate the components of a run find the same matrices."""
    found = []
    for own in ((), PAIR):
        config = bench.folder / "tools.toml"
        config.write_text(bench.text(PAIR, PAIR_WIRES, own=own), encoding="utf-8")
        done = [subprocess.run([bench.wrsim, *words], capture_output=True, text=True, check=False, timeout=WAIT_S)
                for words in (["analyze", config, "--points", "3"], ["stability", config, "-D", "solver.kind=rk4", "-D", "solver.step=0.01"])]
        expect(all(d.returncode == 0 for d in done), f"{own}: {[d.stderr for d in done]}")
        found.append([d.stdout for d in done])
    expect(found[0] == found[1], f"other matrices: {found}")


def test_once(bench):
    """The second component of a model that allows one instance gets a process by itself."""
    wires = [("a.y", "b.u"), ("b.y", "a.u")]
    many, _ = bench.results(bench.text({"a": "process.many", "b": "process.many"}, wires))
    for own in ((), ("a",), ("b",), ("a", "b")):
        once, summary = bench.results(bench.text({"a": "process.once", "b": "process.once"}, wires, own=own))
        expect(once == many, f"{own}: other results")
        expect([(p["component"], p["is_needed"]) for p in summary["processes"]] == ([("b", True)] if not own else [(name, False) for name in own]),
               f"{own}: {summary['processes']}")


@tap.tier("full")
def test_once_fmu(bench):
    """Two components of an FMU for one instance, and of the same FMU without this limit."""
    for version in (2, 3) if bench.fmus else ():
        fmu = bench.fmus / f"once_{version}.fmu"
        copied = bench.folder / f"copy_{version}.fmu"
        copied.write_bytes(fmu.read_bytes())
        code, lines = bench.call(bench.text({"a": str(fmu), "b": str(copied)}))
        expect(code and 'set process = "own" in [[component]]' in lines[0], f"{code}: {lines}")
        source = zipfile.ZipFile(bench.fmus / f"once_{version}.fmu")
        free = bench.folder / f"free_{version}.fmu"
        with zipfile.ZipFile(free, "w") as to:
            for item in source.namelist():
                content = source.read(item)
                to.writestr(item, content.replace(b'OnlyOncePerProcess="true"', b'OnlyOncePerProcess="false"'))
        wires = [("a.y", "b.u"), ("b.y", "a.u")]
        for options in ([], ["simulation.monolithic=true"]):
            options.append("simulation.stop=0.2")
            many, _ = bench.results(bench.text({"a": str(free), "b": str(free)}, wires), *options)
            once = str(bench.fmus / f"once_{version}.fmu")
            for own in ((), ("a", "b")):
                found, summary = bench.results(bench.text({"a": once, "b": once}, wires, own=own), *options)
                expect(found == many and len(summary["processes"]) == max(1, len(own)), f"{version} {own} {options}: other results")


def fails_once(code, lines, pattern, what):
    """Requires one message, and the exit code of a failed model."""
    messages = [line for line in lines if "are kept" not in line]
    expect(code == 5 and len(messages) == 1 and re.search(pattern, messages[0]), f"{what}: {code}: {lines}")


@tap.tier("full", "long")
def test_faults(bench):
    """A crash, exit(), a refusal and a write beyond an array in each callback."""
    ends = {"crash": r"the process of its model was killed by signal 11 \(Segmentation fault\) during {}\(\); debug the model",
            "exit": r"the process of its model ended with exit code 7 during {}\(\); debug the model"}
    for (call, component), fault, count in itertools.product(CALLS.items(), ends, tap.sample((1,), (0, 3))):
        count = 0 if call in ("init", "init_from_inputs", "bytes") else count
        parameters = {component: f'call = "{call}", count = {count}, fault = "{fault}"'}
        # In one subsystem, the solver needs the derivative of the oscillators' outputs.
        ring = (PAIR, PAIR_WIRES) if call == "tangent_output" else (RING, RING_WIRES)
        options = ["solver.kind=rosenbrock", f"simulation.monolithic={str(ring[0] is PAIR).lower()}"]
        code, lines = bench.call(bench.text(*ring, own=(component,), parameters=parameters), *options, env=NO_LEAKS)
        name = call.replace("stepper_", "")
        fails_once(code, lines, f"component '{component}' fails at t = [0-9.e-]+ s: " + ends[fault].format(name), f"{call} {fault} {count}")


@tap.tier("full")
def test_end(bench):
    """A crash at the end of the run leaves the results complete."""
    for call in ("done", "forget"):
        parameters = {"b": f'call = "{call}", fault = "crash"'}
        found, summary = bench.results(bench.text(RING, RING_WIRES, own=("b",), parameters=parameters))
        expect(summary["is_complete"] and len(found[0]) > 100, f"{call}: incomplete")


@tap.tier("full")
def test_messages(bench):
    """Refusals, messages and writes beyond arrays are the same errors as in one process, or errors of their own."""
    for call in ("rhs", "event", "step_completed", "advance"):
        component = CALLS[call]
        parameters = {component: f'call = "{call}", count = 5, fault = "refuse"'}
        alone, own = (bench.call(bench.text(RING, RING_WIRES, own=own, parameters=parameters)) for own in ((), (component,)))
        expect(alone == own and "a refusal of the model" in str(own), f"{call}: {alone} {own}")
    for call in ("rhs", "output", "algebra", "indicator", "event", "jacobian"):
        parameters = {"a": f'call = "{call}", count = 5, fault = "beyond"'}
        code, lines = bench.call(bench.text(RING, RING_WIRES, own=("a",), parameters=parameters), "solver.kind=rosenbrock")
        fails_once(code, lines, f"component 'a' fails at t = .*: {call}\\(\\) of its model writes beyond", call)
    for fault in ("crash", "exit"):
        code, lines = bench.call(bench.text(PAIR, PAIR_WIRES, own=("a",), parameters={"a": f'call = "describe", fault = "{fault}"'}), env=NO_LEAKS)
        expect(code == 4 and len(lines) == 1 and "component 'a'" in lines[0] and "during describe()" in lines[0], f"describe: {code} {lines}")


def kill_at(bench, run, delay_s):
    """Kills a process of the run after a time. Returns 1 if a process existed."""
    wait_for(lambda: processes(run.pid) or run.poll() is not None, "process of a component")
    time.sleep(delay_s)
    victims = processes(run.pid)
    for victim in random.sample(victims, min(1, len(victims))):
        os.kill(victim, signal.SIGKILL)
        return 1
    return 0


@tap.tier("quick", "full", "long")
def test_killed(bench):
    """A process that is killed at any moment, also during setup, gives one message, and the results are kept."""
    before, n_killed = set(os.listdir("/dev/shm")), 0
    for i in range({"quick": 3, "full": 10}.get(tap.chosen_tier, 50)):
        random.seed(i)
        run = bench.start(bench.text(RING, RING_WIRES, own=RING), "simulation.stop=1e6")
        delay_s = random.choice([0.0, 0.01, 0.05, 0.3]) * random.random()
        n_killed += kill_at(bench, run, delay_s)
        _, err = run.communicate(timeout=WAIT_S)
        lines = [line for line in err.splitlines() if "are kept" not in line]
        is_setup = run.returncode == 4
        expect(run.returncode in (4, 5) and len(lines) == 1 and re.search(r"killed by signal 9 \(Killed\) .*; a user or the system", lines[0]) and
               re.search("component '[abc]'", lines[0]) or is_setup and "killed by signal 9" in err, f"{i} {delay_s}: {run.returncode}: {err}")
        if not is_setup and "fails at t = 0 s" not in err:
            times = runs.columns_of(bench.folder / "r.csv")["time"]
            at_s = float(re.search("at t = ([0-9.e+-]+) s", lines[0]).group(1))
            expect(times == sorted(times) and times[0] == 0 and times[-1] <= at_s, f"{i}: results up to {times[-1]} s, fault at {at_s} s")
        wait_for(lambda: not processes(run.pid), "end of the other processes")
    expect(set(os.listdir("/dev/shm")) <= before, "shared memory remains")
    expect(n_killed > 0, "no process was killed")


def hanging(bench, own, component="a", fault='call = "rhs", count = 100, fault = "hang"'):
    """Starts a run with a component whose callback does not return, and waits for this call."""
    mark = bench.folder / "hangs"
    mark.unlink(missing_ok=True)
    text = bench.text(RING, RING_WIRES, own=own, parameters={component: f'{fault}, label = "{mark}"'})
    run = bench.start(text, "simulation.stop=1e6")
    wait_for(mark.exists, "call without an end")
    return run


@tap.tier("full")
def test_killed_wrsim(bench):
    """All processes end with wrsim, also a process whose callback does not return."""
    run = hanging(bench, RING)
    victims = processes(run.pid)
    expect(len(victims) == 3, f"{victims}")
    run.kill()
    run.wait()
    wait_for(lambda: not processes(run.pid), "end of the processes")


@tap.tier("full")
def test_hang(bench):
    """After a signal wrsim kills a process whose callback does not return, or requests inputs without end, and keeps the results."""
    for component, call, fault in (("a", "rhs", 'call = "rhs", count = 100, fault = "hang"'), ("c", "advance", 'fault = "ask"')):
        run = hanging(bench, (component,), component, fault)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=WAIT_S)
        lines = [line for line in err.splitlines() if "are kept" not in line and "stopping at the end" not in line and line]
        fails_once(run.returncode, lines, rf"component '{component}' fails at t = .*did not return within 2 s after the request to stop from {call}\(\)", "hang")
        expect(not processes(run.pid), "a process remains")


@tap.tier("full")
def test_truncated(bench):
    """A model that truncates files of other numbers does not change the shared memory."""
    alone, _ = bench.results(bench.text(RING, RING_WIRES))
    own, _ = bench.results(bench.text(RING, RING_WIRES, own=RING, parameters={"a": 'call = "rhs", fault = "truncate"'}))
    expect(alone == own, "other results")


@tap.tier("full")
def test_study(bench):
    """A study has a second instance of a model, but not of a model that allows one instance."""
    scenario = ["[[scenario]]", 'name = "slow"', 'parameter = "a.friction"', 'at = 0.3', 'value = 3.0']
    for components, fault, lines in ((PAIR, "", []), (PAIR, "", scenario), ({"a": "process.once", "b": "process.many"}, 'call = "init", count = 1, fault = "crash"', [])):
        found = []
        for own in ((), components):
            config = bench.folder / "study.toml"
            config.write_text(bench.text(components, [("a.y", "b.u"), ("b.y", "a.u")], own=own, parameters={"a": fault}, lines=lines), encoding="utf-8")
            found.append(subprocess.run([bench.wrsim, "analyze", "--points", "3", config], capture_output=True, text=True, env=ENVIRONMENT, timeout=WAIT_S))
        expect(found[0].returncode == 0 and len(found[0].stdout) > 500 and found[0].stdout == found[1].stdout, f"{found}")


@tap.tier("full")
def test_descriptors(bench):
    """A process inherits no descriptors of wrsim, and passes its own descriptors to no program."""
    with open(bench.folder / "inherited", "w", encoding="utf-8") as file:
        config = bench.folder / "r.toml"
        config.write_text(bench.text(PAIR, PAIR_WIRES, own=PAIR), encoding="utf-8")
        with subprocess.Popen([bench.wrsim, config, "-q", "-o", bench.folder / "r.csv", *runs.defined(["simulation.stop=1e6"])], env=ENVIRONMENT, pass_fds=[file.fileno()]) as run:
            wait_for((bench.folder / "r.csv").exists, "results")
            for folder in (pathlib.Path(f"/proc/{p}") for p in processes(run.pid)):
                for descriptor in (folder / "fdinfo").iterdir():
                    flags = int(re.search(r"flags:\s*(\d+)", descriptor.read_text()).group(1), 8)
                    expect(int(descriptor.name) < 3 or flags & os.O_CLOEXEC, f"{descriptor.name} stays open")
                    expect("inherited" not in os.readlink(folder / "fd" / descriptor.name), f"{descriptor.name} is inherited")
            run.kill()


def test_loading(bench):
    """wrsim does not load a plug-in that only components with processes need, so a crash while it is loaded is an error."""
    for own, n_loaded in ((("a", "b"), 0), (("a",), 1)):
        run = bench.start(bench.text(PAIR, PAIR_WIRES, own=own), "simulation.stop=1e6")
        wait_for(lambda run=run, own=own: len(processes(run.pid)) == len(own) and (bench.folder / "r.csv").exists(), "processes and results")
        maps = pathlib.Path(f"/proc/{run.pid}/maps").read_text()
        expect(("every_call.so" in maps) == n_loaded and all("every_call.so" in pathlib.Path(f"/proc/{p}/maps").read_text() for p in processes(run.pid)), maps)
        run.kill()
        run.communicate()
    code, lines = bench.call(bench.text(PAIR, PAIR_WIRES, own=PAIR), env={**NO_LEAKS, "EVERY_CALL_CRASH": "1"})
    expect(code == 4 and len(lines) == 1 and re.search("every_call.so': the process of its model was killed by signal 11 .* during the opening of its file", lines[0]),
           f"{code}: {lines}")


def test_no_thread(bench):
    """A process that cannot start its thread names the reason: here the size of a thread's stack is beyond the address space."""
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        return
    config = bench.folder / "r.toml"
    config.write_text(bench.text({"m": "vanderpol"}, own="m"), encoding="utf-8")
    done = subprocess.run(["bash", "-c", 'ulimit -Ss 200000000000; exec "$@"', "-", bench.wrsim, config, "-q"], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=WAIT_S, check=False)
    expect(done.returncode == 7 and re.search(r"cannot start a thread: .*; raise the limit of processes", done.stderr), f"{done.returncode}: {done.stderr}")


def test_no_reader(bench):
    """A model prints after the reader of standard error has ended."""
    if not bench.fmus:
        return
    config = bench.folder / "r.toml"
    for own in ((), ("a",)):
        config.write_text(bench.text({"a": str(bench.fmus / "prints_2.fmu")}, own=own), encoding="utf-8")
        reader, writer = os.pipe()
        os.close(reader)
        code = subprocess.run([bench.wrsim, config, "-q", "-o", bench.folder / "r.csv"], stderr=writer, env=ENVIRONMENT, timeout=WAIT_S, check=False).returncode
        os.close(writer)
        expect(code == 0, f"{own}: {code}")


def test_refused(bench):
    for text, pattern, code in (
            (bench.text(PAIR, PAIR_WIRES, own=PAIR, lines=["[realtime]", "rate = 1.0"]), "impossible in a real-time run", 3),
            (bench.text(PAIR, PAIR_WIRES).replace('name = "a"', 'name = "a"\nprocess = "shared"'), 'must be "own"', 3),
            (bench.text({"x": str(bench.folder / "none.fmu")}, own="x"), "none.fmu", None)):
        found, lines = bench.call(text)
        expect(found == code or code is None and 0 < found < 13, f"{pattern}: {found} {lines}")
        expect(re.search(pattern, "\n".join(lines)), f"{pattern}: {lines}")
    (bench.folder / PROGRAM).write_text("no program", encoding="utf-8")
    code, lines = bench.call(bench.text({"m": "vanderpol"}, own="m"), env={**ENVIRONMENT, "WRSIM_MODULES": str(bench.folder)})
    expect(code == 7 and re.search(f"cannot start the program '.*/{PROGRAM}': Permission denied; install", lines[0]), f"{code}: {lines}")


def main():
    parser = tap.parser("--plugin", tiers=["quick", "full", "long"])
    parser.add_argument("--fmus")
    options = parser.parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
