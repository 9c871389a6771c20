"""`wrsim run --trace`: the file is valid and complete, also after a failure, a signal, and more records than the memory has. TAP.

    run_trace.py --wrsim PROGRAM --source ROOT [--tier quick|long] [test]...
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect

NESTED = 1e-3 # us, the resolution of the file
HEAD = """[simulation]
stop = 1.0
communication_step = 0.01
[output]
file = ""
"""
PAIR = """[[component]]
name = "left"
model = "oscillator.mass"
start = { x = 1.0 }
[[component]]
name = "right"
model = "oscillator.mass"
[[connection]]
from = "left.x"
to = "right.x_neighbour"
[[connection]]
from = "right.x"
to = "left.x_neighbour"
"""
WORKERS = ("-D", "scheduler.workers=2", "-D", "scheduler.min_work=0")


class Trace:
    def __init__(self, path):
        whole = json.loads(path.read_text())
        self.about, self.events = whole["otherData"], whole["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in self.events if e["name"] == "thread_name"}
        expect(len(set(names.values())) == len(names), f"tracks have unique names: {names}")
        self.track = {name: [e for e in self.events if e["ph"] in "Xi" and e["tid"] == i] for i, name in names.items()}
        used = {e["tid"] for e in self.events if e["ph"] in "Xi"}
        expect(used <= set(names) or self.about["omitted_records"], f"tracks without a name: {used - set(names)}")

    def of(self, category, track=None):
        return [e for e in (self.events if track is None else self.track[track]) if e.get("cat") == category]

    def workers(self):
        return [name for name in self.track if name.startswith("worker ")]

    def check_nesting(self):
        """Slices of a track are disjoint or nested, and no slice is negative."""
        for name, events in self.track.items():
            # Viewers sort by time. Slices with one time keep the order of the file.
            slices = sorted(((e["ts"], -e["dur"]) for e in events if e["ph"] == "X"), key=lambda one: one[0])
            open_ends = []
            for start, minus_length in slices:
                end = start - minus_length
                expect(minus_length <= 0 and start >= -NESTED, f"{name}: slice from {start} to {end}")
                while open_ends and open_ends[-1] <= start + NESTED:
                    open_ends.pop()
                expect(not open_ends or end <= open_ends[-1] + NESTED, f"{name}: slice at {start} ends at {end}, outside of its parent")
                open_ends.append(end)


class Bench:
    def __init__(self, wrsim, source, folder):
        self.wrsim, self.source, self.folder = wrsim, pathlib.Path(source), folder

    def config(self, text, name="c.toml"):
        (self.folder / name).write_text(text)
        return name

    def __call__(self, *arguments, code=0):
        run = subprocess.run([self.wrsim, "run", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=600)
        expect(run.returncode == code, "%s: exit code %d, expected %d\n%s%s"
               % (" ".join(map(str, arguments)), run.returncode, code, run.stdout, run.stderr))
        return run

    def trace(self, name="t.json"):
        result = Trace(self.folder / name)
        result.check_nesting()
        return result

    def summary(self, name="s.json"):
        return json.loads((self.folder / name).read_text())


def check_windows(trace, summary):
    expect(trace.about["omitted_records"] == 0 and trace.about["kept"] == "all records", str(trace.about))
    windows, rejected = trace.of("window", "windows"), trace.of("rejection", "windows")
    expect(len(windows) == summary["n_window"], f"{len(windows)} windows, summary {summary['n_window']}")
    expect(len(rejected) == summary["n_window_rejected"], f"{len(rejected)} rejections, summary {summary['n_window_rejected']}")
    expect(sum(w["args"]["sweeps"] for w in windows) == summary["n_sweep"], "sweeps of windows")
    n = sum(1 for name in trace.workers() for e in trace.of("integration", name))
    expect(n == summary["n_integration"] + summary["n_wasted"], f"{n} integrations")
    for before, after in zip(windows, windows[1:]):
        expect(abs(before["args"]["to s"] - after["args"]["from s"]) < 1e-12, "windows follow one another")
    counters = {e["name"] for e in trace.events if e["ph"] == "C"}
    expect({"window length [s]", "sweeps per window", "simulated time [s]"} <= counters, f"counters {counters}")


def check_waits(trace, summary, share=0.02):
    for i, worker in enumerate(summary["workers"]):
        sum_us = sum(e["dur"] for e in trace.of("wait", f"worker {i}"))
        wait_us = worker["wait_ns"] * 1e-3
        expect(abs(sum_us - wait_us) <= share * wait_us + 1.0, f"worker {i}: waits of {sum_us} us, summary {wait_us} us")
        expect(abs(trace.about["wait_ns"][i] * 1e-3 - sum_us) <= 1e-3 * len(trace.events), "the sum in the file")


def test_engine(bench):
    """The engine on two workers: tracks, nesting, counts and waits as in the summary of the run."""
    bench(bench.source / "models/engine/engine.toml", "-q", *WORKERS, "-D", "simulation.stop=0.01", "-o", "r.csv",
          "--json", "s.json", "--trace", "t.json")
    trace, summary = bench.trace(), bench.summary()
    expect(trace.workers() == ["worker 0", "worker 1"], f"tracks {list(trace.track)}")
    expect(trace.about["state"] == "complete" and trace.about["format"] == "wrsim trace 1", str(trace.about))
    check_windows(trace, summary)
    check_waits(trace, summary)
    for name in trace.workers():
        expect(trace.of("window", name) and trace.of("sweep", name) and trace.of("integration", name), f"{name} has slices")
    expect(trace.of("commit") and trace.of("decision") and trace.of("wait"), "commits, decisions and waits")
    names = {s["name"] for s in summary["subsystems"]}
    expect({e["name"] for e in trace.of("integration")} == names, "names of subsystems")
    steps = sum(e["args"]["steps"] for e in trace.of("integration"))
    expect(steps > 0 and sum(e["args"]["events"] for e in trace.of("integration")) > 0, "steps and events")


def test_rejections(bench):
    """Rejected windows are on the track of windows, with one worker and with two."""
    config = bench.config(HEAD + '[relaxation]\nscheme = "jacobi"\nwindow.control = "ratio"\nwindow.initial = 0.5\n'
                          'window.min = 0.02\nwindow.max = 0.5\n' + PAIR)
    for n in (1, 2):
        bench(config, "-q", "--json", "s.json", "--trace", "t.json", "-D", f"scheduler.workers={n}", "-D", "scheduler.min_work=0")
        trace, summary = bench.trace(), bench.summary()
        check_windows(trace, summary)
        check_waits(trace, summary)
        expect(trace.of("rejection"), "the run rejects windows")


def test_one_subsystem(bench):
    """A run of one subsystem has tasks without windows."""
    bench(bench.config(HEAD + PAIR), "-q", "-D", "simulation.monolithic=true", "--trace", "t.json")
    trace = bench.trace()
    expect(trace.of("integration") and not trace.of("window"), "tasks without windows")


def test_periods(bench):
    """A paced run has periods with deadlines, which equal the steps and misses of the summary."""
    config = bench.config(HEAD + '[relaxation]\nscheme = "slack"\n[slack]\nperiod = 0.01\n'
                          '[realtime]\nrate = 10.0\npolicy = "report"\nmisses = 1\nof = 2\n' + PAIR)
    bench(config, "-q", "-D", "scheduler.workers=2", "--json", "s.json", "--trace", "t.json")
    trace, summary = bench.trace(), bench.summary()
    for name in ("left", "right"):
        periods, misses = trace.of("period", name), trace.of("miss", name)
        expect(len(periods) == 100, f"{name}: {len(periods)} periods")
        expect(len(misses) + len(trace.of("deadline", name)) == 100, f"{name}: each period has a deadline")
        n_miss = {s["name"]: s["n_miss"] for s in summary["realtime"]["subsystems"]}[name]
        expect(len(misses) == n_miss, f"{name}: {len(misses)} misses, summary {n_miss}")
        for period in periods:
            expect("margin us" in period["args"], "margins")
    expect({e["name"] for e in trace.of("wait")} >= {"wait for the clock"}, "waits for the clock")
    expect("margin to the deadline [us]" in {e["name"] for e in trace.events if e["ph"] == "C"}, "counter of margins")


def test_same_bits(bench):
    """A trace does not change the results."""
    config = bench.config(HEAD + PAIR)
    bench(config, "-q", "-o", "a.csv", *WORKERS)
    bench(config, "-q", "-o", "b.csv", *WORKERS, "--trace", "t.json")
    a, b = ([line for line in (bench.folder / f"{x}.csv").read_text().splitlines() if not line.startswith("#")] for x in "ab")
    expect(a == b, "rows with and without trace")


def test_failed(bench):
    """A run that fails at its start or later leaves a valid trace with the cause."""
    config = bench.config(HEAD + PAIR + '[[component]]\nname = "bad"\nmodel = "test.faulty"\nparameters = { fail_time = 0.5 }\n')
    bench(config, "-q", "--trace", "t.json", code=5)
    trace = bench.trace()
    expect(trace.about["state"].startswith("failed: ") and trace.of("integration"), str(trace.about))
    (bench.folder / "t.json").unlink()
    bench(config, "-q", "--trace", "t.json", "-D", "no.such=1", code=3)
    expect(not (bench.folder / "t.json").exists(), "a config with errors leaves no trace")


def test_signal(bench):
    """After Ctrl-C the trace has all windows up to the stop; after a kill the file is valid and says so."""
    config = bench.config(HEAD.replace("stop = 1.0", "stop = 1e6") + PAIR)
    for number, state in ((signal.SIGINT, "stopped"), (signal.SIGKILL, "has not ended")):
        path = bench.folder / "t.json"
        path.unlink(missing_ok=True)
        run = subprocess.Popen([bench.wrsim, "run", config, "-q", "--trace", "t.json"], cwd=bench.folder,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not path.exists() and run.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3 if number == signal.SIGINT else 0.0)
        run.send_signal(number)
        run.communicate()
        trace = bench.trace()
        expect(state in trace.about["state"], str(trace.about))
        expect(number == signal.SIGKILL or trace.of("window", "windows") or run.returncode, "windows")


def test_refused(bench):
    """The trace replaces no file of the run and no foreign file, and a full disk is an error."""
    config = bench.config(HEAD + PAIR)
    foreign = bench.folder / "foreign.json"
    foreign.write_text("{}\n")
    for arguments, text in ((("--trace", config), "the config"), (("--trace", "r.csv", "-o", "r.csv"), "the results"),
                            (("--trace", "s.json", "--json", "s.json"), "the summary"),
                            (("--trace", "c.bin", "--checkpoint", "c.bin"), "the checkpoint"),
                            (("--trace", foreign), "not a trace of wrsim")):
        run = bench(config, "-q", *arguments, code=2)
        expect(text in run.stderr and run.stderr.count("\n") == 1, run.stderr)
    expect(foreign.read_text() == "{}\n", "the foreign file stays")
    run = bench(config, "-q", "-o", "r.csv", "--trace", "no/folder/t.json", code=6)
    expect("no/folder/t.json" in run.stderr and not (bench.folder / "r.csv").exists(), run.stderr)
    if os.path.exists("/dev/full"):
        expect("/dev/full" in bench(config, "-q", "--trace", "/dev/full", code=6).stderr, "a full disk")
    bench(config, "-q", "--trace", "t.json")
    bench(config, "-q", "--trace", "t.json") # an old trace may be replaced


def test_odd_names(bench):
    """A name of the config with quotes, blanks and UTF-8 is a valid string."""
    odd = bench.config(HEAD + PAIR, 'c "ü" \\ x.toml')
    bench(odd, "-q", "--trace", "t \".json")
    expect(bench.trace("t \".json").about["config"] == odd, "the name of the config")


def test_standard_output(bench):
    run = bench(bench.config(HEAD + PAIR), "-q", "--trace", "/dev/stdout")
    expect(json.loads(run.stdout[run.stdout.rindex('{"otherData"'):])["otherData"]["state"] == "complete", run.stdout[:200])


def test_restart(bench):
    """A run from a checkpoint has a trace of its own windows."""
    config = bench.config(HEAD + PAIR)
    bench(config, "-q", "--checkpoint", "c.bin", "--checkpoint-every", "0.3", "--trace", "t.json")
    bench.trace()
    bench(config, "-q", "--restart", "c.bin", "--trace", "u.json")
    bench.trace("u.json")


@tap.tier("long")
def test_million_tasks(bench):
    """With 10^6 tasks the file has the newest part, and memory and file are bounded."""
    config = bench.source / "models/two_mass/two_mass.toml"
    sizes = []
    for stop in (100, 1400):
        words = ["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"]
        run = subprocess.run([*words, bench.wrsim, "run", str(config), "-q", "-D", f"simulation.stop={stop}", "-D", 'output.file=""',
                              "--json", "s.json", "--trace", "t.json"], cwd=bench.folder, capture_output=True, text=True, check=True)
        n_task = sum(w["n_task"] for w in bench.summary()["workers"])
        sizes.append((n_task, int(run.stdout), (bench.folder / "t.json").stat().st_size))
        trace = bench.trace()
    print("#", sizes)
    expect(sizes[1][0] >= 1_000_000, f"tasks {sizes}")
    expect(trace.about["kept"] == "the newest records" and trace.about["omitted_records"] > 500_000, str(trace.about))
    expect(any("older records" in e["name"] for e in trace.of("omitted")), "the timeline says so")
    last = trace.of("window", "windows")[-1]["args"]["to s"]
    expect(abs(last - 1400) < 1e-6, f"the last window ends at {last} s")
    expect(sizes[1][2] < 100e6 and sizes[1][1] < 200_000, f"sizes {sizes}")


if __name__ == "__main__":
    options = tap.parser("--source", tiers=("quick", "long")).parse_args()
    sys.exit(tap.run(globals(), options, lambda folder: Bench(options.wrsim, options.source, folder)))
