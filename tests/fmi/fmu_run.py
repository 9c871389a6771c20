#!/usr/bin/python3
"""FMUs of model exchange as components: closed forms, split runs, kept states, failing FMUs. TAP.

    fmu_run.py --wrsim PROGRAM --fmus FOLDER [test]...
"""
import itertools
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs
import tap
from tap import expect

SOLVERS = ["auto", "bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "cvode_bdf", "cvode_adams", "lsoda"]
VERSIONS = (2, 3)
# Three FMUs in a ring, in which an event of an FMU causes an event of the next FMU: oscillator -> sampler -> thermostat -> oscillator.
RING = {"osc": ("oscillator_2", "w = 1.5"), "hold": ("sampler_state_3", ""), "heat": ("thermostat_2", "tau = 0.7")}
RING_WIRES = [("osc.y", "hold.u"), ("hold.y", "heat.u"), ("heat.y", "osc.u")]
FEW = {"hold.n", "heat.n", "heat.on"}      # integers and a switch, compared without tolerance


class Bench:
    def __init__(self, wrsim, fmus, folder):
        self.wrsim, self.fmus, self.folder = wrsim, fmus, folder

    def text(self, components, wires=(), lines=(), groups=()):
        """Returns a config. components: name -> (FMU or model, parameters)."""
        text = [*lines]
        for name, (model, parameters) in components.items():
            source = f'model = "{model}"' if "." in model else f'fmu = "{self.fmus / model}.fmu"'
            text += ["[[component]]", f'name = "{name}"', source, f"parameters = {{ {parameters} }}"]
        for source, target in wires:
            text += ["[[connection]]", f'from = "{source}"', f'to = "{target}"']
        for i, group in enumerate(groups):
            text += ["[[subsystem]]", f'name = "s{i}"', f"components = {list(group)}"]
        return "\n".join(text) + "\n"

    def edited(self, fmu, edit, rename=lambda name: name):
        """Returns a config of an FMU whose description is edited, and whose files have new names."""
        source = zipfile.ZipFile(self.fmus / f"{fmu}.fmu")
        with zipfile.ZipFile(self.folder / "edited.fmu", "w") as to:
            for item in source.namelist():
                content = source.read(item)
                to.writestr(rename(item), edit(content.decode()) if item == "modelDescription.xml" else content)
        return self.text({"o": (fmu, "")}).replace(str(self.fmus / f"{fmu}.fmu"), "edited.fmu")

    def call(self, text, *options, env=None):
        config = self.folder / "c.toml"
        config.write_text(text, encoding="utf-8")
        out, summary = self.folder / "r.csv", self.folder / "s.json"
        for path in (out, summary):
            path.unlink(missing_ok=True)
        return subprocess.run([self.wrsim, config, "-q", "-o", out, "--json", summary, *runs.defined(options)], capture_output=True, text=True,
                              check=False, timeout=120, env={**os.environ, **(env or {})})

    def run(self, text, *options, env=None):
        """Returns the signals at communication points, and the summary."""
        done = self.call(text, *options, env=env)
        expect(done.returncode == 0, f"{options}: {done.stderr}")
        return runs.columns_of(self.folder / "r.csv"), runs.json_of(self.folder / "s.json")

    def fails(self, text, pattern, *options):
        """Requires a failure with one line that fits the pattern."""
        done = self.call(text, *options)
        lines = [line for line in done.stderr.splitlines() if "are kept" not in line]
        expect(0 < done.returncode < 10 and len(lines) == 1 and re.search(pattern, lines[0]), f"{done.returncode}: {done.stderr}")


def agree(found, wanted, share, name):
    """Requires that a signal agrees with the wanted values within a share of their range."""
    low, high = min(wanted), max(wanted)
    error = max(abs(a - b) for a, b in zip(found, wanted))
    expect(len(found) == len(wanted) and error <= share * (high - low), f"{name}: off by {error / (high - low):.2g} of the range, allowed {share:.2g}")


def times(stop_s, rtol, step_s=0.05):
    return [f"simulation.stop={stop_s}", f"simulation.communication_step={step_s}", f"simulation.rtol={rtol}"]


def ball_at(t, e=0.75, g=9.81):
    """Returns height and number of bounces of the ball at time t."""
    end, v, n = math.sqrt(2 / g), math.sqrt(2 * g), 0
    if t <= end:
        return 1 - g / 2 * t * t, 0
    while t > end:
        start, v, n = end, v * e, n + 1
        end = start + 2 * v / g
    return v * (t - start) - g / 2 * (t - start) ** 2, n


def test_ball(bench):
    for version, solver in itertools.product(VERSIONS, SOLVERS):
        signals, summary = bench.run(bench.text({"b": (f"ball_{version}", "")}), *times(2.0, 1e-6, 0.01), f"solver.kind={solver}", "output.signals=['b.*']")
        wanted = [ball_at(t) for t in signals["time"]]
        agree(signals["b.x"], [h for h, _ in wanted], 1e-5, f"{version} {solver}")
        expect(signals["b.n"] == [n for _, n in wanted], f"{version} {solver}: other bounces {signals['b.n']}")
        # The FMU ends the run at bounce 9, with the results of the bounce. A lone FMU needs no state for this.
        free = "_free" if solver == "dopri54" else ""
        signals, summary = bench.run(bench.text({"b": (f"ball{free}_{version}", "")}), *times(20.0, 1e-6), f"solver.kind={solver}")
        last_s = math.sqrt(2 / 9.81) + 2 * math.sqrt(2 / 9.81) * sum(0.75 ** k for k in range(1, 9))
        expect(abs(summary["time_s"] - last_s) <= 1e-5 * last_s and "ends the run" in str(summary), f"{solver}: ends at {summary['time_s']}, not at {last_s}")
        rows = runs.lines_of(bench.folder / "r.csv")
        end = dict(zip(rows[0].strip().split(","), rows[-1].strip().split(",")))
        expect(end["b.n"] == "9" and float(end["b.v"]) > 0, f"{solver}: the last row lacks bounce 9: {end}")


def test_late_indicators(bench):
    """An FMU without indicators in initialisation mode has the results of an FMU with them, although an indicator is negative at the start."""
    for start in ("", "\nstart = { x = 10.5 }"):
        signals = [bench.run(bench.text({"h": (f"{name}_2", "tau = 0.7")}) + start, *times(4.0, 1e-6))[0] for name in ("late", "thermostat")]
        expect(signals[0] == signals[1] and signals[0]["h.n"][-1] > 5, f"{start}: {signals}")


def test_oscillator(bench):
    for version, solver in itertools.product(VERSIONS, SOLVERS):
        text = bench.text({"o": (f"oscillator_{version}", "w = 3.0")})
        for rtol in (1e-4, 1e-6):
            signals, _ = bench.run(text, *times(2.0, rtol), f"solver.kind={solver}")
            agree(signals["o.y"], [-3 * math.sin(3 * t) for t in signals["time"]], 10 * rtol, f"{version} {solver}")


def test_time_scale(bench):
    """A declared time scale replaces the search for pulses, and leaves the results. A shorter declaration of a model counts."""
    def count(scale, *options):
        values = [f"component.{name}.time_scale={value}" for name, value in scale.items()]
        signals, summary = bench.run(text, *times(2.0, 1e-6, 1e-3), *options, *values)
        return signals, summary["subsystems"][0]["n_rhs"]
    text = bench.text({"o": ("oscillator_2", "w = 3.0")})
    results = [count(scale) for scale in ({}, {"o": 0.02}, {"o": "inf"})]
    expect(all(signals == results[0][0] for signals, _ in results), "other results")
    expect(results[0][1] > 30_000 and results[2][1] + 100 < results[1][1] < 1_000, f"evaluations: {[n for _, n in results]}")
    text = bench.text({"o": ("oscillator_2", "w = 3.0"), "s": ("signal.sine", "frequency = 20.0")}, [("s.y", "o.u")], groups=[("o", "s")])
    expect(count({"o": "inf"}) == count({"o": "inf", "s": "inf"}), "the declaration of the model has no effect")
    bench.fails(bench.text({"o": ("cs_2", "")}), "'time_scale' has no effect", *times(2.0, 1e-6), "component.o.time_scale=inf")


def test_sampler(bench):
    """Samples of a native sine are exact, also sample 0 at the start."""
    for version, solver, state in itertools.product(VERSIONS, SOLVERS, ("", "_state")):
        text = bench.text({"s": ("signal.sine", "frequency = 0.5, phase = 0.7"), "h": (f"sampler{state}_{version}", "")}, [("s.y", "h.u")])
        signals, _ = bench.run(text, *times(2.0, 1e-6, 0.03), f"solver.kind={solver}", *(["--monolithic"] if not state else []))
        sample = [math.sin(math.pi * 0.125 * k + 0.7) for k in range(17)]
        n = [1 + math.floor(t / 0.125) for t in signals["time"]]
        held = [sample[k - 1] for k in n]
        x = [0.125 * sum(sample[:k - 1]) + (t - 0.125 * (k - 1)) * sample[k - 1] for k, t in zip(n, signals["time"])]
        expect(signals["h.n"] == n, f"{solver}: other counts {signals['h.n']}")
        agree(signals["h.y"], held, 1e-5 if state else 1e-12, f"{version} {solver}{state}: held")
        agree(signals["h.x"], x, 1e-5, f"{version} {solver}: x")


def test_array(bench):
    """Arrays and enumerations as parameters; a Boolean input from a relay, whose switching is an event of the FMU."""
    names = '"a[1]" = 4.0, mode = "c"'
    for version in VERSIONS:
        text = bench.text({"s": ("signal.sine", "frequency = 0.5"), "r": ("relay.switch", "low = -0.5, high = 0.5"), "a": (f"array_{version}", names)},
                          [("s.y", "r.measured"), ("r.on", "a.on")])
        signals, _ = bench.run(text, *times(4.0, 1e-6, 0.07), "--monolithic")
        expect(signals["a.y"] == [27.0 * on for on in signals["r.on"]] and len(set(signals["r.on"])) == 2, f"{version}: {signals['a.y']}")
    bench.fails(bench.text({"a": ("array_3", 'mode = "d"')}), "mode.*a, b", *times(1, 1e-6))
    bench.fails(bench.text({"a": ("array_3", "k = 1.5")}), "k.*whole", *times(1, 1e-6))


def ring(bench, groups, lines=()):
    return bench.text(RING, RING_WIRES, lines, groups)


def test_ring(bench):
    """Split runs against monolithic runs; the same bytes with any number of workers, with windows begun ahead too."""
    alone = ring(bench, ())
    tight, _ = bench.run(alone, *times(10, 1e-11), "--monolithic", "solver.kind=dopri54", "solver.step=0.01")
    for rtol in (1e-4, 1e-7):
        mono, summary = bench.run(alone, *times(10, rtol), "--monolithic")
        normal_s = 0.5
        for name in mono:
            if name in FEW:
                expect(mono[name] == tight[name], f"monolithic, {rtol}: {name}")
            elif name != "time":
                agree(mono[name], tight[name], 30 * rtol, f"monolithic, {rtol}: {name}")
        for scheme, factor in itertools.product(("jacobi", "gauss_seidel"), (0.1, 1, 10)):
            first = None
            more = ("relaxation.ahead=true",) if factor == 1 else ()
            for workers, options in [(1, ()), (2, ()), (3, more)]:
                found, _ = bench.run(ring(bench, [[c] for c in RING]), *times(10, rtol), f"relaxation.scheme={scheme}", "scheduler.min_work=0",
                                     f"relaxation.window.max={factor * normal_s}", f"scheduler.workers={workers}", *options)
                lines = runs.lines_of(bench.folder / "r.csv")
                first = first or lines
                expect(lines == first, f"{scheme}, window {factor}, {rtol}: {workers} workers {options} differ")
            for name in mono:
                if name in FEW:
                    expect(found[name] == mono[name], f"{scheme}, window {factor}, {rtol}: {name}")
                elif name != "time":
                    agree(found[name], mono[name], 30 * rtol, f"{scheme}, window {factor}, {rtol}: {name}")


def test_ring_groups(bench):
    """Two of the three FMUs in a subsystem."""
    mono, _ = bench.run(ring(bench, ()), *times(10, 1e-6), "--monolithic")
    for alone in RING:
        found, _ = bench.run(ring(bench, [[alone], [c for c in RING if c != alone]]), *times(10, 1e-6))
        for name in mono:
            agree(found[name], mono[name], 3e-5, f"{alone} alone: {name}")


def test_ring_slack(bench):
    """A slackened ring has the same bytes with any number of workers and approaches the monolithic run with shorter periods."""
    mono, _ = bench.run(ring(bench, ()), *times(4, 1e-7), "--monolithic")
    errors = []
    for period in (0.02, 0.005):
        found, first = None, None
        for workers in (1, 2, 3):
            found, _ = bench.run(ring(bench, [[c] for c in RING]), *times(4, 1e-7), "relaxation.scheme=slack", f"slack.period={period}", "slack.bound=0",
                                 f"scheduler.workers={workers}", "scheduler.min_work=0")
            lines = runs.lines_of(bench.folder / "r.csv")
            first = first or lines
            expect(lines == first, f"slack: {workers} workers differ")
        errors.append(max(abs(a - b) for a, b in zip(found["osc.x"], mono["osc.x"])))
    expect(errors[1] < 0.5 * errors[0], f"the error of slack does not fall with the period: {errors}")


def test_ring_continued(bench):
    """A run that continues from a checkpoint has the same bytes."""
    text = ring(bench, [[c] for c in RING])
    bench.run(text, *times(4, 1e-6))
    whole = runs.lines_of(bench.folder / "r.csv")
    checkpoint = bench.folder / "k"
    bench.run(text, *times(2, 1e-6), f"--checkpoint={checkpoint}", "--checkpoint-every=1")
    bench.run(text, *times(4, 1e-6), f"--restart={checkpoint}")
    rest = runs.lines_of(bench.folder / "r.csv")
    expect(len(rest) > 30 and rest[-20:] == whole[-20:], "the continued run differs")


def counts_of(path):
    """Returns the counts that each library reports: name -> (keeps, returns, most alive, left)."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: tuple(map(int, row[1:])) for row in rows}


def test_states(bench):
    """At most one state per window and one return per repeated integration, four alive, none left."""
    path = bench.folder / "counts"
    text, environment = ring(bench, [[c] for c in RING]), {"SAMPLE_COUNTS": str(path)}
    for scheme in ("jacobi", "gauss_seidel"):
        path.unlink(missing_ok=True)
        _, summary = bench.run(text, *times(10, 1e-5), f"relaxation.scheme={scheme}", "relaxation.window.max=0.001", "relaxation.window.initial=0.001",
                               "relaxation.window.control=fixed", env=environment)
        n_window = summary["n_window"] + summary["n_window_rejected"]
        expect(n_window >= 10000, f"{n_window} windows")
        counts = counts_of(path)
        for (model, _), row in zip(RING.values(), summary["subsystems"]):
            n_keep, n_go_back, most, left = counts[f"{{{model}}}"]
            # One more state at the start gives the number of bytes. The first integration from each start of a window needs no return.
            expect(n_keep <= n_window + 1 and n_go_back <= row["n_integration"] - summary["n_window"] and most <= 4 and left == 0,
                   f"{scheme}, {model}: {n_keep} keeps, {n_go_back} returns, {most} alive, {left} left in {n_window} windows, {row['n_integration']} integrations")
    path.unlink()
    grows = text.replace("{ tau = 0.7 }", "{ tau = -0.5 }\nstart = { x = 60.0 }")    # x grows until the FMU refuses the state
    done = bench.call(grows, *times(10, 1e-5), env=environment)
    counts = counts_of(path)
    expect(done.returncode == 5 and len(counts) == 3 and all(row[3] == 0 for row in counts.values()), f"after an error: {done.returncode} {done.stderr} {counts}")
    path.unlink()
    (bench.folder / "c.toml").write_text(text, encoding="utf-8")
    out = bench.folder / "long.csv"
    long = [bench.wrsim, bench.folder / "c.toml", "-q", "-o", out, *runs.defined(times(1e6, 1e-5))]
    with subprocess.Popen(long, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True) as process:
        while not (out.exists() and out.stat().st_size > 100000) and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    counts = counts_of(path)
    expect(len(counts) == 3 and all(row[3] == 0 for row in counts.values()), f"after Ctrl-C: {counts}")


def test_no_state(bench):
    """An FMU without state: alone, slackened, or in windows that end at its events."""
    wires = [("osc.y", "hold.u"), ("hold.y", "osc.u")]
    text = bench.text({"osc": ("oscillator_2", ""), "hold": ("sampler_2", "")}, wires)
    twin = bench.text({"osc": ("oscillator_2", ""), "hold": ("sampler_state_2", "")}, wires)
    for options in (["--monolithic"], ["relaxation.scheme=slack", "slack.period=0.01", "slack.bound=0"]):
        found, _ = bench.run(text, *times(2, 1e-6), *options)
        wanted, _ = bench.run(twin, *times(2, 1e-6), *options)
        expect(found == wanted, f"{options}: other results without state")
    for scheme, rtol in itertools.product(("jacobi", "gauss_seidel"), (1e-4, 1e-7)):
        wanted, _ = bench.run(twin, *times(2, rtol), "--monolithic")
        lines = []
        for workers in (1, 2, 3):
            found, summary = bench.run(text, *times(2, rtol), f"relaxation.scheme={scheme}", f"scheduler.workers={workers}", "scheduler.min_work=0")
            lines.append(runs.lines_of(bench.folder / "r.csv"))
            for name in set(wanted) - {"time"}:
                agree(found[name], wanted[name], 30 * rtol, f"{scheme}, {rtol}: {name}")
        expect(lines[0] == lines[1] == lines[2], f"{scheme}, {rtol}: the number of workers changes the results")
    bench.fails(bench.text({"cs": ("cs_fixed_2", ""), "hold": ("ball_free_2", "")}, ()), "'cs' advances by whole communication steps",
                *times(2, 1e-6))
    bench.fails(text, "component 'hold' cannot be saved.*canGetAndSetFMUState", *times(2, 1e-6), "--monolithic", f"--checkpoint={bench.folder / 'k'}")


def test_delay(bench):
    """An FMU without state that stores values at the ends of steps: right if its delay is longer than the windows, else an error."""
    rng = random.Random(38)
    for case in range(6):
        window = rng.uniform(0.01, 0.1)
        delay = window * rng.uniform(1.0, 5.0) if case % 2 == 0 else rng.choice([0.0, window * rng.uniform(0.0, 0.9)])
        text = bench.text({"o": ("oscillator_2", f"w = {rng.uniform(1.0, 4.0)}"), "d": (f"delay_{2 + case // 2 % 2}", f"T = {delay}")},
                          [("o.y", "d.u"), ("d.y", "o.u")])
        options = [*times(1.5, 1e-5), "solver.kind=rk4", "solver.step=0.002", f"relaxation.window.max={window}", f"relaxation.window.initial={window}",
                   "relaxation.window.control=fixed", f"relaxation.scheme={rng.choice(['jacobi', 'gauss_seidel'])}"]
        if case % 2 == 1:
            bench.fails(text, "'d'.*earlier steps of the same window.*--monolithic", *options)
            continue
        mono, _ = bench.run(text, *options, "--monolithic")
        found, _ = bench.run(text, *options)
        for name in ("o.x", "d.x", "d.y"):
            agree(found[name], mono[name], 3e-4, f"delay {delay}, window {window}: {name}")


def test_rows_before_a_fault(bench):
    """A fault at the end of a window, in an FMU without state, leaves the rows before the fault, and no later row."""
    for version, scheme, workers in itertools.product(VERSIONS, ("jacobi", "gauss_seidel"), (1, 2)):
        # Windows grow until they are longer than the delay.
        text = bench.text({"o": ("oscillator_2", "w = 3.0"), "d": (f"delay_{version}", "T = 0.11"), "g": ("signal.gain", "k = 2.0")},
                          [("o.y", "d.u"), ("d.y", "o.u"), ("d.y", "g.u")])
        options = [*times(3.0, 1e-5, 0.002), "solver.kind=rk4", "solver.step=0.002", f"relaxation.scheme={scheme}", "relaxation.window.initial=0.01",
                   "relaxation.window.max=1.0", f"scheduler.workers={workers}", "scheduler.min_work=0"]
        mono, _ = bench.run(text, *options, "--monolithic")
        done = bench.call(text, *options)
        at_s = float(re.search(r"t = ([0-9.e-]+)", done.stderr)[1])
        kept_s = float(re.search(r"results up to t = ([0-9.e-]+) s are kept", done.stderr)[1])
        found = runs.columns_of(bench.folder / "r.csv")
        n = len(found["time"])
        expect(done.returncode == 5 and 0.11 < kept_s < at_s <= kept_s + 0.003 and abs(found["time"][-1] - kept_s) < 1e-9 and n > 50,
               f"{scheme}: {done.stderr} last row at {found['time'][-1:]} of {n}")
        for name in ("o.x", "o.v", "d.x", "d.y", "g.y"):
            agree(found[name], mono[name][:n], 3e-4, f"{scheme}, {workers} workers: {name}")
        done = subprocess.run([bench.wrsim, bench.folder / "c.toml", "-q", "-o", bench.folder / "r.h5", *runs.defined(options)], capture_output=True, text=True,
                              check=False)
        same = subprocess.run([bench.wrsim, "compare", bench.folder / "r.csv", bench.folder / "r.h5"], capture_output=True, text=True, check=False)
        expect(done.returncode == 5 and same.returncode == 0, f"{scheme}: {same.stdout}{same.stderr}")


def test_branch_with_new_state(bench):
    """An event at a jump changes a state and a count, but not the output that contains both. A reader in another subsystem never reads an
    output with the old state and the new count."""
    for version, k, scheme in itertools.product(VERSIONS, (0.0, 0.1), ("jacobi", "gauss_seidel")):
        text = bench.text({"s": ("signal.step", "t_step = 0.95"), "r": (f"rewind_{version}", f"k = {k}"), "on": ("relay.switch", "low = -5.0, high = 2.5")},
                          [("s.y", "r.u"), ("r.y", "on.measured")])
        for options in (["--monolithic"], [f"relaxation.scheme={scheme}"]):
            signals, _ = bench.run(text, *times(2.0, 1e-6), *options)
            agree(signals["r.y"], [t + k * (t > 0.94) for t in signals["time"]], 1e-6, f"{version} {options}")
            expect(signals["r.n"][-1] == 1 and min(signals["on.on"]) == 1, f"{version}, k = {k}, {options}: {signals['on.on']}")


def test_branch_at_the_start(bench):
    """The event of an FMU reads the output of another FMU after the event of this other FMU, also at the start and across subsystems."""
    for version, options in itertools.product(VERSIONS, (["--monolithic"], ["relaxation.scheme=jacobi"], ["relaxation.scheme=gauss_seidel"])):
        text = bench.text({"c": ("signal.constant", ""), "s": ("signal.sampler", "period = 10.0"), "one": (f"rewind_{version}", "k = 0.5"),
                           "two": (f"rewind_{version}", "")}, [("c.y", "s.u"), ("s.y", "one.u"), ("s.y", "two.u"), ("one.y", "two.v")])
        signals, _ = bench.run(text, *times(1.0, 1e-6), *options)
        expect(signals["one.n"][0] == 1 and set(signals["two.held"]) == {0.5}, f"{version} {options}: {signals['two.held']}")


def test_wrong_dependencies(bench):
    """A derivative that depends on an input or a state without declaring it is an error."""
    for version, unknown, declared, message in ((2, '<Unknown index="4"/>', '<Unknown index="4" dependencies="1"/>', "der.v.. depends on 'u'"),
                                             (2, '<Unknown index="4"/>', '<Unknown index="4" dependencies="6"/>', "der.v.. depends on 'x'"),
                                             (3, '<ContinuousStateDerivative valueReference="11"/>',
                                              '<ContinuousStateDerivative valueReference="11" dependencies="0"/>', "der.v.. depends on 'u'")):
        text = bench.edited(f"oscillator_{version}", lambda xml, old=unknown, new=declared: xml.replace(old, new, 1))
        bench.fails(text, message, *times(1, 1e-6))


def test_end_of_a_split_run(bench):
    """An FMU that ends the run by an event ends a split run, too, also if the FMU has no state, and if the event is at simulation.stop."""
    last_s = math.sqrt(2 / 9.81) + 2 * math.sqrt(2 / 9.81) * sum(0.75 ** k for k in range(1, 9))
    for version, scheme, free in itertools.product(VERSIONS, ("jacobi", "gauss_seidel"), ("", "_free")):
        text = bench.text({"b": (f"ball{free}_{version}", ""), "g": ("signal.gain", "")}, [("b.n", "g.u")])
        for stop_s in (20.0, None):
            _, summary = bench.run(text, *times(stop_s or summary["time_s"], 1e-6), f"relaxation.scheme={scheme}", "output.signals=['b.*', 'g.*']")
            label = f"{version}{free}, {scheme}, stop {stop_s}"
            expect(abs(summary["time_s"] - last_s) <= 1e-5 * last_s, f"{label}: ends at {summary['time_s']}, not at {last_s}")
            expect("ended the run" in str(summary) or stop_s is None, f"{label}: {summary}")
            rows = runs.lines_of(bench.folder / "r.csv")
            ends = [dict(zip(rows[0].strip().split(","), row.strip().split(","))) for row in rows[-8:]]
            expect(any(row["b.n"] == "9" for row in ends), f"{label}: the last rows lack bounce 9: {ends}")


def test_changes_before_the_start(bench):
    """A scenario cannot change a state of an FMU at the start of the run, but can do so later."""
    reset = '[[scenario]]\nsignal = "o.x"\naction = "reset"\nvalue = 3.0\nat = '
    for version in VERSIONS:
        text = bench.text({"o": (f"oscillator_{version}", "")}) + reset
        bench.fails(text + "0.0", "before the initial event", *times(1.0, 1e-6))
        signals, _ = bench.run(text + "0.5", *times(1.0, 1e-6, 0.01))
        v = -2 * math.sin(2 * 0.5)
        wanted = [3 * math.cos(2 * (t - 0.5)) + v / 2 * math.sin(2 * (t - 0.5)) for t in signals["time"] if t > 0.505]
        agree(signals["o.x"][-len(wanted):], wanted, 1e-5, f"{version}: reset")


BASES = {"Pa": ("kg m s", (1, -1, -2)), "K": ("K", (1,)), "rad": ("rad", (1,))}
# Unit without definition -> base, factor and offset as wrsim knows them; None: not known.
KNOWN = {"bar": ("Pa", 1e5, 0.0), "degC": ("K", 1.0, 273.15), "deg": ("rad", math.pi / 180, 0.0), "U": None}


def random_unit(rng):
    """Returns name, definition of the FMU (None: none), and whether values are differences."""
    name = rng.choice(list(KNOWN))
    offset = rng.choice([0.0, rng.uniform(-300, 300)])
    own = (rng.choice(list(BASES)) if rng.random() < 0.5 else (KNOWN[name] or ("K",))[0], rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 2), offset)
    return name, rng.choice([None, own, own, KNOWN[name]]), rng.random() < 0.3


def with_unit(bench, path, version, variable, unit):
    """Writes an oscillator whose variable has a unit."""
    name, own, is_difference = unit
    base = "".join(f' {n}="{e}"' for n, e in zip(BASES[own[0]][0].split(), BASES[own[0]][1])) if own else ""
    base = f'<BaseUnit{base} factor="{own[1]!r}" offset="{own[2]!r}"/>' if own else ""
    place = f'name="{variable}"[^>]*>' + ("<Real" if version == 2 else "")

    def edit(xml):
        begin = re.search(place, xml).end() - (0 if version == 2 else 2)
        xml = xml[:begin] + f' unit="{name}" relativeQuantity="{str(is_difference).lower()}"' + xml[begin:]
        return xml.replace("<ModelVariables>", f'<UnitDefinitions><Unit name="{name}">{base}<DisplayUnit name="d" factor="7"/></Unit></UnitDefinitions>'
                           "<ModelVariables>")
    bench.edited(f"oscillator_{version}", edit)
    os.replace(bench.folder / "edited.fmu", bench.folder / path)


def test_units(bench):
    """FMUs define units of equal names differently. A connection converts, or refuses units that do not fit."""
    rng, n_run = random.Random(38), 0
    for case in range(40):
        units = [random_unit(rng) for _ in range(2)]
        for path, variable, unit in zip(("a.fmu", "b.fmu"), "yu", units):
            with_unit(bench, path, rng.choice(VERSIONS), variable, unit)
        text = '[[component]]\nname = "a"\nfmu = "a.fmu"\n[[component]]\nname = "b"\nfmu = "b.fmu"\n[[connection]]\nfrom = "a.y"\nto = "b.u"\n'
        (base, f, o), (base_b, f_b, o_b) = [own or KNOWN[name] or (None, 1.0, 0.0) for name, own, _ in units]
        differs = units[0][2] != units[1][2]
        message = ("have different units, and wrsim cannot read 'U" if None in (base, base_b) and units[0][0] != units[1][0]
                   else "have different dimensions" if None not in (base, base_b) and base != base_b
                   else "only one of them is a difference" if None not in (base, base_b) and differs and (o_b if units[0][2] else o) else None)
        if message:
            bench.fails(text, message, *times(0.5, 1e-6))
            continue
        if None in (base, base_b):
            f = f_b = 1.0
        if None in (base, base_b) or units[0][2] or units[1][2]:
            o = o_b = 0.0
        signals, _ = bench.run(text, *times(0.5, 1e-8, 0.05), "output.signals=['a.y', 'b.u']")
        wanted = [(f * v + o - o_b) / f_b for v in signals["a.y"]]
        agree(signals["b.u"], wanted, 1e-6, f"{case}: {units}")
        n_run += 1
    expect(n_run >= 12, f"only {n_run} cases run")


def test_second_name_of_input(bench):
    """Another name of an input (FMI 3.0) is no input, so its start value does not replace the value of the input."""
    first = b'causality="input" variability="continuous" start="0"'
    source = zipfile.ZipFile(bench.fmus / "oscillator_3.fmu")
    with zipfile.ZipFile(bench.folder / "second.fmu", "w") as fmu:
        for item in source.namelist():
            content = source.read(item)
            fmu.writestr(item, content.replace(first + b"/>", first + b'><Alias name="second"/></Float64>') if item.endswith(".xml") else content)
    text = bench.text({"o": ("oscillator_3", ""), "s": ("signal.sine", "")}, [("s.y", "o.u")])
    for mode in ("me", "cs"):
        both = [bench.run(t.replace("[[component]]", f"[[component]]\nmode = '{mode}'", 1), *times(2, 1e-6))[0]
                for t in (text, text.replace(str(bench.fmus / "oscillator_3.fmu"), str(bench.folder / "second.fmu")))]
        expect(both[0] == both[1] and min(both[0]["o.y"]) < -2, f"{mode}: {both}")
    bench.fails(text.replace(str(bench.fmus / "oscillator_3.fmu"), str(bench.folder / "second.fmu")).replace("o.u", "o.second"), "has no input 'second'", *times(2, 1e-6))


def test_folder(bench):
    """An FMU that changes the current folder and the locale in every call leaves the results where the config asks for them."""
    for version, name in itertools.product(VERSIONS, ("moves", "locale")):
        (bench.folder / "f.toml").write_text(bench.text({"o": (f"{name}_{version}", "")}), encoding="utf-8")
        (bench.folder / "f.csv").unlink(missing_ok=True)
        done = subprocess.run([bench.wrsim, "f.toml", "-q", "-o", "f.csv", *runs.defined(times(1, 1e-6))], capture_output=True, text=True, check=False,
                              cwd=bench.folder)
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        signals = runs.columns_of(bench.folder / "f.csv")
        agree(signals["o.y"], [-2 * math.sin(2 * t) for t in signals["time"]], 1e-5, name)


def test_missing_file(bench):
    """`wrsim models` names a file that does not exist."""
    done = subprocess.run([bench.wrsim, "models", "nix.fmu"], capture_output=True, text=True, check=False, cwd=bench.folder)
    expect(done.returncode > 0 and re.search("FMU './nix.fmu' cannot be read: No such file.*check the path", done.stderr), f"{done.returncode}: {done.stderr}")


def test_clock(bench):
    """An FMU with a clock is refused, because wrsim has no clocks."""
    clock = '<Clock name="tick" valueReference="90" causality="local" variability="discrete" intervalVariability="triggered"/></ModelVariables>'
    bench.fails(bench.edited("oscillator_3", lambda xml: xml.replace("</ModelVariables>", clock)), "cannot run the FMU: it has clocks; export", *times(1, 1e-6))


def test_fixed_variables(bench):
    """A value of a variable that no config can set is an error that says why."""
    new = {2: '<ScalarVariable name="c" valueReference="40" causality="{}" variability="{}"{}><Real{}/></ScalarVariable></ModelVariables>',
           3: '<Float64 name="c" valueReference="40" causality="{}" variability="{}"{}{}/></ModelVariables>'}
    for version in VERSIONS:
        for causality, variability, initial, start, message in (
                ("local", "constant", ' initial="exact"', ' start="3"', "'c' is a constant of the FMU; remove the value"),
                ("calculatedParameter", "fixed", ' initial="calculated"', "", "'c' is a calculated parameter, which the FMU computes; set other parameters")):
            text = bench.edited(f"oscillator_{version}", lambda xml, v=version, a=(causality, variability, initial, start):
                                xml.replace("</ModelVariables>", new[v].format(*a)))
            bench.fails(text.replace("parameters = {  }", "parameters = { c = 4 }"), message, *times(1, 1e-6))
    bench.fails(bench.text({"a": ("array_3", "a = 4")}), "'a' is an array; set its elements", *times(1, 1e-6))


def test_other_names_of_outputs(bench):
    """Each name of an output (FMI 3.0) is an output. A state is no output, but the message names an output with its value."""
    wires = [("t.y", "o.u")]
    text = bench.text({"t": ("thermostat_3", ""), "o": ("oscillator_3", "")}, wires)
    signals, _ = bench.run(text, *times(1, 1e-6))
    same, _ = bench.run(bench.text({"t": ("thermostat_3", ""), "o": ("oscillator_3", "")}, [("t.x", "o.u")]), *times(1, 1e-6))
    expect(signals == same and signals["t.x"] == signals["t.y"] and min(signals["t.y"]) > 5, f"{signals}")
    bench.fails(bench.text({"t": ("thermostat_2", ""), "o": ("oscillator_2", "")}, [("t.x", "o.u")]),
                "'x' is a state of component 't', and no output; connect the output 'y', which has the same value", *times(1, 1e-6))


def test_stop_time(bench):
    """A run that chooses its stop time says so, unless the command sets the stop time."""
    text = "wrsim: warning: the default experiment has no stop time, so the run ends 1 s after its start; set simulation.stop\n"
    for options, wanted in (([], text), (["-D", "simulation.stop=0.5"], "")):
        done = subprocess.run([bench.wrsim, bench.fmus / "oscillator_2.fmu", "-q", "-o", "r.csv", *options], capture_output=True, text=True, check=False,
                              cwd=bench.folder)
        expect(done.returncode == 0 and done.stderr == wanted, f"{options}: {done.returncode} {done.stderr}")


def test_computed_start(bench):
    """A config cannot set a start value that the FMU computes, even the value 0 that the description implies."""
    for version, old, new in ((2, 'initial="exact"><Real start="1"/>', 'initial="calculated"><Real/>'), (3, 'initial="exact" start="1"', 'initial="calculated"')):
        text = bench.edited(f"oscillator_{version}", lambda xml, old=old, new=new: xml.replace(old, new, 1))
        signals, _ = bench.run(text, *times(1, 1e-6))
        agree(signals["o.x"], [math.cos(2 * t) for t in signals["time"]], 1e-5, f"{version}: computed start")
        for value in ("0", "0.5"):
            bench.fails(text + f"start = {{ x = {value} }}\n", f"x = {value} cannot be set, because the model computes the start value", *times(1, 1e-6))


def test_identifiers(bench):
    """The error about a wrong identifier, or a missing binary, names the FMU's path. A long identifier is valid."""
    place = {2: "binaries/linux64", 3: "binaries/x86_64-linux"}
    for version in VERSIONS:
        old = f"oscillator_{version}"
        for new, message in (("osc-2", "edited.fmu': the FMU has the modelIdentifier 'osc-2'; use a letter"),
                             ("osc", f"edited.fmu': the FMU has no binary '{place[version]}/osc.so'; export the FMU")):
            bench.fails(bench.edited(old, lambda xml, new=new: xml.replace(f'modelIdentifier="{old}"', f'modelIdentifier="{new}"')), message, *times(1, 1e-6))
        long = "a" * 100
        bench.edited(old, lambda xml: xml.replace(f'modelIdentifier="{old}"', f'modelIdentifier="{long}"'), lambda name: name.replace(old, long))
        done = subprocess.run([bench.wrsim, "edited.fmu", "-q", "-o", "r.csv"], capture_output=True, text=True, check=False, cwd=bench.folder)
        expect(done.returncode == 0, f"{version}: {done.stderr}")


def main():
    options = tap.parser("--fmus").parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options.wrsim, pathlib.Path(options.fmus), folder))


if __name__ == "__main__":
    sys.exit(main())
