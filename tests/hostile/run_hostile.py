"""Hostile plug-ins, signals, terminals, disks, and failing system calls: the program must end, and every failure must have a
message. TAP.

    run_hostile.py --wrsim PROGRAM --plugins FOLDER [--hdf5] [--tier quick|plain|full|long]
        plugins|signals|files|terminals|memory|faults [test]...

Each run has a time limit. The plug-in hostile.c has one fault (deed) in one callback, from one simulated time on. The script
reads HDF5 files by h5py.File(name, "r"), as users do.
"""
import atexit
import concurrent.futures
import errno
import fcntl
import json
import math
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect

if "--hdf5" in sys.argv: # h5py is a separate Debian package
    os.environ["OPENBLAS_NUM_THREADS"] = "1" # preexec_fn is unsafe beside threads of numpy
    import h5py
    del os.environ["OPENBLAS_NUM_THREADS"]

full = tap.tier("full")
in_samples = tap.tier("full", "long")
many = tap.tier("quick", "plain") # a sample, also under sanitizers; all cases without sanitizers
CRASH = 13
LIMIT_S = 600
# With these options sanitizers leave faults to the program.
SANITIZERS = {name: ":".join(filter(None, [os.environ.get(name, ""), "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"
                                           "handle_sigill=0:handle_abort=0:detect_leaks=0"]))
              for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
CONFIG = """
plugin = [{ file = "hostile.so" }]
[simulation]
stop = 1.0
communication_step = 0.01
[relaxation]
window = { initial = 0.02, min = 1e-3, max = 0.02 }
[[component]]
name = "bad"
model = "hostile.deed"
parameters = { deed = "%s", in = "%s", time = %r, returned = %r }
[[component]]
name = "good"
model = "hostile.deed"
"""


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Bench:
    """Runs the program in a scratch folder that contains the plug-ins."""

    def __init__(self, wrsim, folder, has_hdf5):
        self.wrsim, self.folder, self.has_hdf5 = wrsim, folder, has_hdf5
        self.environment = dict(os.environ, LC_ALL="C", **SANITIZERS)

    def start(self, *words, **more):
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **more}
        process = subprocess.Popen([self.wrsim] + [str(word) for word in words], cwd=self.folder, env=self.environment,
                                   **more)
        atexit.register(process.kill) # a failed test leaves no endless run
        return process

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.communicate()
            raise AssertionError("it hangs") from error
        return Result(process.returncode, (out or b"").decode(), (err or b"").decode())

    def __call__(self, *words, code=0, **more):
        run = self.finish(self.start(*words, **more))
        expect(run.code == code, "exit code %d, expected %d\n%s%s" % (run.code, code, run.out, run.err))
        return run

    def config(self, deed="none", where="rhs", t_s=0.5, returned=-7.0, more=""):
        path = self.folder / "hostile.toml"
        path.write_text(CONFIG % (deed, where, t_s, returned) + more)
        return path

    def times(self, name):
        """Returns the times of the communication rows of a file. Reads the file as a user does."""
        path = self.folder / name
        if name.endswith(".csv"):
            lines = path.read_text().splitlines(keepends=True)
            if lines and not lines[-1].endswith("\n"): # a row that is being written
                lines.pop()
            lines = [line.split(",") for line in lines if line[:1].isdigit()]
            return [float(line[0]) for line in lines if line[1] == "c"]
        values = {}
        with h5py.File(path, "r") as file:
            times = file["time"][:].tolist() # before the signals, which may grow meanwhile
            file.visititems(lambda key, item: values.update({key: item[()]}) if isinstance(item, h5py.Dataset) else None)
        if times and math.isnan(times[-1]): # a row without values yet
            times.pop()
        expect(all(a < b for a, b in zip(times, times[1:])), "times do not grow")
        signals = [key for key in values if key.startswith("signals/")]
        expect(signals and all(len(values[key]) >= len(times) for key in signals), "signals lack values")
        return times

    def kinds(self):
        return ["csv"] + (["h5"] if self.has_hdf5 else [])


# ---- plug-ins ----

# Part of the message for each way to end the process.
CAUSES = {"segv": "SIGSEGV", "overflow": "SIGSEGV .*stack overflow", "bus": "SIGBUS", "fpe": "SIGFPE", "ill": "SIGILL", "abort": "SIGABRT",
          "exit": r"exit\(\) was called", "quick_exit": r"exit\(\) was called"}
TWO_WORKERS = ("-D", "scheduler.workers=2", "-D", "scheduler.min_work=0")
KEPT = "wrsim: results of all accepted windows are kept\n"


def crash_message(deed, where, at=r" at t = 0\.5\d* s"):
    return r"wrsim: error: %s.* in or after %s\(\) of component 'bad'%s; debug the model\n" % (CAUSES[deed], where, at)


@many
def plugins_that_end_the_program(bench):
    """The message names cause, callback, component and time. The file has earlier rows, without the last rows of a monolithic run."""
    table = [(deed, "rhs", ()) for deed in CAUSES]
    table += [("segv", where, ()) for where in ("output", "indicator", "event", "next_time", "step_completed")]
    table += [(deed, where, TWO_WORKERS) for deed, where in (("segv", "rhs"), ("overflow", "event"), ("exit", "output"))]
    table += [(deed, where, ("--monolithic",)) for deed, where in (("segv", "indicator"), ("overflow", "rhs"), ("exit", "event"))]
    for i, (deed, where, more) in enumerate(table[::tap.sample(3, 1)]):
        name = "r." + bench.kinds()[i % len(bench.kinds())]
        run = bench(bench.config(deed, where), "-q", "-o", name, *more, code=CRASH)
        expect(re.fullmatch(crash_message(deed, where) + KEPT, run.err) and not run.out, (deed, where, more, run.err))
        # A monolithic run passes its rows to the file every few milliseconds only.
        expect(bench.times(name)[-1] > (0.1 if "--monolithic" in more else 0.45), (deed, where, more, bench.times(name)[-1:]))


def plugins_that_end_it_before_and_after(bench):
    """A fault before or after the run has a message with the callback, or with the opening or closing of the plug-in, but perhaps without
    a time. After the run the file has all rows."""
    for deed in ("exit", "segv"):
        for where, words in (("describe", ("check",)), ("describe", ("-q",)), ("init", ("-q",))):
            run = bench(*words, bench.config(deed, where), code=CRASH)
            expect(re.match(crash_message(deed, where, "( at t = 0 s)?"), run.err), (deed, where, run.err))
        run = bench(bench.config(deed, "done"), "-q", "-o", "r.csv", code=CRASH)
        expect(re.fullmatch(crash_message(deed, "done", ""), run.err) and bench.times("r.csv")[-1] == 1.0, (deed, run.err))
        for when in ("load", "unload"):
            plugin = "hostile_%s_%s.so" % (when, deed)
            config = bench.config()
            config.write_text(config.read_text().replace("hostile.so", plugin))
            for words in (("check", config), (config, "-q")) + ((("models", "--plugin", plugin),) if when == "load" else ()):
                run = bench(*words, code=CRASH)
                expect(re.fullmatch("wrsim: error: .* in or after %s plug-in '.*%s'; debug the plug-in\n" % (
                    "opening" if when == "load" else "closing", plugin), run.err), (words, run.err))


def plugins_two_at_once(bench):
    """Two workers fail by the same fault. One worker reports, and the process ends after this report."""
    for _ in range(4):
        run = bench(bench.config("segv_both"), "-q", "-o", "r.csv", *TWO_WORKERS, "-D", "component.good.parameters.deed=segv_both", code=CRASH)
        expect(re.fullmatch(r"wrsim: error: SIGSEGV .* in or after rhs\(\) of component '(bad|good)' at t = 0\.5\d* s; debug the model\n" + KEPT, run.err), run.err)
        expect(bench.times("r.csv")[-1] > 0.45, "rows")


def plugins_in_a_sweep(bench):
    """The table lists each run as failed, with its crash message. A run that calls _exit() leaves no message, so the table names _exit()."""
    deeds = ("segv", "exit", "overflow", "_exit")
    run = bench("sweep", bench.config(), "-D", "component.bad.parameters.deed=" + ",".join(deeds), "-o", "sweep", code=5)
    table = (bench.folder / "sweep" / "table.csv").read_text().splitlines()[1:]
    expect(len(table) == len(deeds), run.err)
    for line, deed in zip(table, deeds, strict=True):
        said = r"0,.*called exit\(\) or _exit\(\)" if deed == "_exit" else r"%d,.*%s.* of component 'bad' at t = 0\.5" % (CRASH, CAUSES[deed])
        expect(re.search(",failed," + said, line), line)


def plugins_cut_off(bench):
    whole = (bench.folder / "hostile.so").read_bytes()
    for share in (0.999, 0.9, 0.5, 0.2, 0.05):
        (bench.folder / "cut.so").write_bytes(whole[:int(share * len(whole))])
        config = bench.config()
        config.write_text(config.read_text().replace("hostile.so", "cut.so"))
        for words in (("check", config), (config, "-q"), ("models", "--plugin", "cut.so")):
            run = bench(*words, code=4)
            expect("cut.so' cannot be opened: the file is truncated: the header requires %d bytes" % len(whole) in run.err, run.err)
    for n, said in ((0, "file too short"), (3, "file too short"), (40, "file too short")):
        (bench.folder / "cut.so").write_bytes(whole[:n])
        run = bench("models", "--plugin", "cut.so", code=4)
        expect("cut.so' cannot be opened: " in run.err and said in run.err, run.err)


def data(path):
    return [line for line in path.read_text().splitlines() if line[0] != "#"]


@many
def plugins_that_change_nothing(bench):
    """A plug-in that changes folders, locales or children, or prints, leaves results, summary and standard output unchanged."""
    bench(bench.config(), "-q", "-o", "plain.csv")
    plain = data(bench.folder / "plain.csv")
    deeds = [(deed, where) for deed in ("chdir", "locale") for where in ("describe", "init", "event", "rhs", "done")]
    deeds += [(deed, where) for deed in ("print", "stdout_fd") for where in ("rhs", "done")]
    deeds += [(deed, "event") for deed in ("fork", "fork_exec", "close_stdout", "daz")]
    for deed, where in deeds[::tap.sample(3, 1)]:
        (bench.folder / "s.json").unlink(missing_ok=True)
        run = bench(bench.config(deed, where, 0.9), "-o", "r.csv", "--json", "s.json")
        expect(data(bench.folder / "r.csv") == plain, (deed, where, "results"))
        expect(json.loads((bench.folder / "s.json").read_text())["is_complete"], (deed, where))
        expect("spoilt" not in run.out and "simulated 1 s in" in run.out, (deed, where, run.out))
        expect(deed not in ("print", "stdout_fd") or "spoilt" in run.err, (deed, where, run.err))


def plugins_that_print(bench):
    """If a plug-in prints, --json on standard output is JSON."""
    fixed_step = ("-D", "solver.kind=rk4", "-D", "solver.step=1e-3")
    for deed, where, *words in (("print", "describe", "check", "--json"), ("print", "event", "analyze", "--json"),
                                ("print", "rhs", "stability", "--json", *fixed_step), ("stdout_fd", "init", "analyze", "--json"),
                                ("stdout_fd", "output", "stability", "--json", *fixed_step)):
        run = bench.finish(bench.start(words[0], bench.config(deed, where, -1.0), *words[1:]))
        expect(run.code in (0, 12) and json.loads(run.out), (deed, words, run.code, run.out[:200], run.err[:300]))
    config = bench.config()
    config.write_text(config.read_text().replace("hostile.so", "hostile_load_print.so"))
    json.loads(bench("check", config, "--json").out)
    expect("spoilt" not in bench("models", "--plugin", "hostile_load_print.so").out, "models")


@many
def plugins_that_round(bench):
    """After a rare callback the program restores the floating-point mode. If a frequent callback changes the mode, an error names the
    callback."""
    bench(bench.config(), "-q", "-o", "plain.csv")
    plain = data(bench.folder / "plain.csv")
    for deed in ("round", "unmask"):
        for where in ("describe", "event", "init", "next_time", "step_completed", "done")[:tap.sample(2, 6)]:
            bench(bench.config(deed, where, 0.1), "-q", "-o", "r.csv")
            expect(data(bench.folder / "r.csv") == plain, (deed, where))
    for where in ("rhs", "output", "indicator")[:tap.sample(1, 3)]:
        for more in ((), ("--monolithic",), TWO_WORKERS):
            run = bench(bench.config("round", where), "-q", "-o", "r.csv", *more, code=5)
            expect(re.search(r"component 'bad'.*%s\(\).*floating-point" % where, run.err), (where, more, run.err))
            rows = data(bench.folder / "r.csv")
            expect(more or rows == plain[:len(rows)] and len(rows) > 40, (where, len(rows)))
        # With traps on, the solver may divide by zero before the program checks the mode.
        run = bench.finish(bench.start(bench.config("unmask", where), "-q", "-o", "r.csv"))
        expect(run.code == 5 and "floating-point mode" in run.err or run.code == CRASH and "trap that a model left on" in run.err,
               (where, run.code, run.err))
    config = bench.config()
    config.write_text(config.read_text().replace("hostile.so", "hostile_load_round.so"))
    bench(config, "-q", "-o", "r.csv")
    expect(data(bench.folder / "r.csv") == plain, "while it is loaded")


def plugins_that_close_files(bench):
    """If a plug-in closes the results, the error names the file, and the exit code is the code of files."""
    for kind in bench.kinds():
        run = bench(bench.config("close", "event", 0.5), "-q", "-o", "r." + kind, code=6)
        expect("results 'r.%s' cannot be written: Bad file descriptor" % kind in run.err, run.err)


def plugins_that_return(bench):
    """An error names the value that the callback returned, negative or positive."""
    table = [("fail", where, -7, 5) for where in ("rhs", "output", "event", "init", "step_completed")]
    table += [("fail", "describe", -7, 4), ("fail", "rhs", 3, 5), ("fail", "describe", -2147483648, 4), ("fail", "event", -2147483648, 5)]
    for deed, where, returned, code in table + [("mute", "rhs", -7, 5), ("mute", "describe", -7, 4)]:
        run = bench(bench.config(deed, where, 0.5, float(returned)), "-q", "-o", "r.csv", code=code)
        expect("returned %d" % returned in run.err, (deed, where, run.err))
        expect(deed != "mute" or re.search(r": (its model gives no|unknown) reason \(", run.err), (where, run.err))


def controls(text):
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0]


def plugins_with_control_characters(bench):
    for where, code in (("event", 5), ("describe", 4), ("init", 5)):
        run = bench(bench.config("message", where), "-q", code=code)
        expect("red" in run.err and not controls(run.err) and "\nwrsim: all is well" not in run.err, repr(run.err))
    for words in (("check", bench.config("control")), ("models", "--plugin", "hostile.so", "hostile.deed"),
                  (bench.config("control"), "-o", "r.csv")):
        run = bench(*words)
        expect(not controls(run.out + run.err), repr(run.out + run.err))
    name = "a\x1b[31mb\x07"
    path = bench.folder / (name + ".toml")
    path.write_text("[simulation]\nstop = -1\n")
    run = bench(path, code=3)
    expect(not controls(run.err) and "\\x1b[31mb" in run.err, repr(run.err))
    run = bench("\x1b[2Jrun", code=2)
    expect(not controls(run.err), repr(run.err))


# ---- signals ----

def wait_for(condition, what, limit_s=200.0):
    end = time.monotonic() + limit_s
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.005)


def catches(process, number):
    try:
        text = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    except OSError:
        return False
    return int(re.search(r"SigCgt:\s*([0-9a-f]+)", text)[1], 16) >> (number - 1) & 1


def start_endless(bench, *words, **more):
    process = bench.start(bench.config(), "-D", "simulation.stop=1e6", *words, **more)
    wait_for(lambda: catches(process, signal.SIGTERM), "no signal is caught")
    return process


def last_s(bench, name):
    """Returns the time of the file's last row. Returns -1 if the file has no row, or is being written. Reads few bytes, because a
    file that grows while it is read is never whole."""
    path = bench.folder / name
    try:
        if name.endswith(".csv"):
            with open(path, "rb") as file:
                file.seek(max(0, path.stat().st_size - 65536))
                rows = [line.split(b",") for line in file.readlines()[1:] if line.endswith(b"\n")]
            return [float(row[0]) for row in rows if len(row) > 1 and row[1] == b"c"][-1]
        if path.stat().st_size == 0: # a reader's lock would prevent the program from creating the file
            return -1.0
        with h5py.File(path, "r") as file:
            return [t_s for t_s in file["time"][-2:].tolist() if not math.isnan(t_s)][-1] # the last row may have no values yet
    except (OSError, IndexError, ValueError, KeyError, RuntimeError): # h5py has several classes for a file that is being written
        return -1.0


def wait_for_rows(bench, name, least_s=0.0):
    wait_for(lambda: last_s(bench, name) > least_s, "rows are not flushed")


def signals_that_stop(bench):
    """SIGHUP, SIGTERM and Ctrl-C stop the run. The results are complete, and the exit code is 130."""
    for number, kind in ((signal.SIGHUP, "csv"), (signal.SIGTERM, bench.kinds()[-1]), (signal.SIGINT, "csv")):
        (bench.folder / ("r." + kind)).unlink(missing_ok=True)
        process = start_endless(bench, "-o", "r." + kind)
        wait_for_rows(bench, "r." + kind)
        process.send_signal(number)
        run = bench.finish(process)
        expect(run.code == 130 and "results up to this time are complete" in run.err, (number, run.code, run.err))
        expect((number == signal.SIGINT) == ("stopping at the end of the present window" in run.err), run.err)
        expect(len(bench.times("r." + kind)) > 1, "rows")


def signals_ignored_before(bench):
    """A run under nohup ignores SIGHUP and continues."""
    process = start_endless(bench, "-q", "-o", "r.csv", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    expect(not catches(process, signal.SIGHUP), "SIGHUP is caught")
    process.send_signal(signal.SIGHUP)
    wait_for_rows(bench, "r.csv")
    process.send_signal(signal.SIGTERM)
    expect(bench.finish(process).code == 130, "SIGTERM")


def signals_that_end_at_once(bench):
    """The program flushes rows five times a second, so a file stays readable after any signal."""
    for number, code, kind in ((signal.SIGKILL, -signal.SIGKILL, "csv"), (signal.SIGKILL, -signal.SIGKILL, bench.kinds()[-1]),
                               (signal.SIGALRM, -signal.SIGALRM, bench.kinds()[-1]), (signal.SIGABRT, CRASH, "csv")):
        name = "%d.%s" % (number, kind)
        process = start_endless(bench, "-q", "-o", name)
        wait_for_rows(bench, name)
        process.send_signal(number)
        run = bench.finish(process)
        expect(run.code == code and len(bench.times(name)) > 1, (number, kind, run.code, run.err))


def signals_while_a_callback_hangs(bench):
    """While a callback hangs, the file soon contains rows from before the callback. A second signal ends the program at once."""
    h5 = bench.kinds()[-1]
    twice = (signal.SIGTERM, signal.SIGTERM)
    for name, more, numbers in (("r.csv", (), (signal.SIGINT, signal.SIGHUP)), ("r." + h5, ("--monolithic",), twice),
                                ("r." + h5, TWO_WORKERS, (signal.SIGKILL,)), ("r.csv", ("--monolithic",), twice)):
        least = 0.1 if more == ("--monolithic",) else 0.45 # as in plugins_that_end_the_program
        (bench.folder / name).unlink(missing_ok=True)
        process = bench.start(bench.config("spin"), "-q", "-o", name, *more)
        wait_for_rows(bench, name, least)
        expect(process.poll() is None, "it has ended")
        for number in numbers:
            process.send_signal(number)
            wait_for(lambda number=number: not catches(process, number), "the signal has no effect")
        run = bench.finish(process)
        expect(run.code == -numbers[-1], (name, more, numbers, run.code, run.err))
        expect(last_s(bench, name) > least, (name, more, numbers, last_s(bench, name)))


STORM = ["-D", "relaxation.window.control=fixed"] + [
    word for key, value in (("simulation.stop", "1e6"), ("simulation.communication_step", "%s"),
                            ("relaxation.window.initial", "%s"), ("relaxation.window.max", "%s"))
    for word in ("-D", key + "=" + value)]


def storm(window):
    return [word.replace("%s", window) for word in STORM]


def signals_in_a_storm(bench):
    """If a window has millions of events, a stop does not wait for the window's end, which takes a minute."""
    for more in ((), ("--monolithic",), TWO_WORKERS):
        process = bench.start(bench.config(), "-q", "-o", "", *storm("1e6"), *more) # rows would make windows short
        wait_for(lambda process=process: catches(process, signal.SIGTERM), "no signal is caught")
        time.sleep(0.1) # until the window has begun
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        run = bench.finish(process)
        stopped = "stopped at t = " if "--monolithic" in more else "stopped at t = 0 s" # a monolithic run has no windows
        expect(run.code == 130 and stopped in run.err, (more, run.code, run.err))
        expect(time.monotonic() - began < 40.0, "it waits for the window's end")


@full
def signals_in_a_storm_resume(bench):
    """A stop within a window discards this window. A restart gives the bits of a run without a stop."""
    driven = '[[component]]\nname = "driven"\nmodel = "dahlquist"\n[[connection]]\nfrom = "bad.y"\nto = "driven.u"\n'
    for more in ((), ("--monolithic",)):
        for stop in ("2e3", "8e3", "32e3", "128e3"): # if a run ends before the signal, a longer run follows
            words = storm("50") + ["-D", "simulation.stop=" + stop, "-D", "output.events=false", *more] # events make windows short
            for name in ("r.csv", "c.ckpt", "rest.csv"):
                (bench.folder / name).unlink(missing_ok=True)
            process = bench.start(bench.config(more=driven), "-q", "-o", "r.csv", "--checkpoint", "c.ckpt", *words)
            wait_for_rows(bench, "r.csv")
            process.send_signal(signal.SIGTERM)
            run = bench.finish(process)
            if run.code != 0:
                break
        expect(run.code == 130 and "stopped at t = 0 s" not in run.err, (more, run.code, run.err))
        bench(bench.config(more=driven), "-q", "-o", "all.csv", *words)
        bench(bench.config(more=driven), "-q", "-o", "rest.csv", "--restart", "c.ckpt", *words)
        rest, every = data(bench.folder / "rest.csv"), data(bench.folder / "all.csv")
        expect(len(rest) > 1 and rest[1:] == every[-len(rest) + 1:], (more, len(rest)))


def signals_without_a_reader(bench):
    """If standard output and error are broken pipes, the results are complete and the exit code is not 0."""
    process = start_endless(bench, "-o", "r.csv", "--progress")
    process.stdout.close()
    process.stderr.close()
    wait_for_rows(bench, "r.csv")
    process.send_signal(signal.SIGTERM)
    expect(process.wait(timeout=LIMIT_S) in (6, 130), process.returncode)
    expect(len(bench.times("r.csv")) > 1, "rows")


# ---- files ----

def files_full(bench):
    """After a full disk (a limit on the file's size) all earlier rows are readable."""
    for kind in bench.kinds():
        for limit in (30000, 60000, 100000, 300000):
            process = bench.start(bench.config(), "-q", "-o", "r." + kind, "-D", "simulation.stop=1e5",
                                  preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            run = bench.finish(process)
            expect(run.code == 6 and "no space left" in run.err, (kind, limit, run.code, run.err))
            n = len(bench.times("r." + kind)) # opens the file
            expect(n > 1 or limit < 300000, (kind, limit))


def files_readable_meanwhile(bench):
    """h5py.File opens the file during the run, and the number of rows never falls."""
    for kind in bench.kinds()[1:]:
        process = start_endless(bench, "-q", "-o", "r." + kind)
        try:
            wait_for(lambda: (bench.folder / ("r." + kind)).exists(), "no file")
            before = n_torn = n_read = 0
            end = time.monotonic() + 200.0
            while n_read < 8:
                time.sleep(0.1)
                try:
                    n = len(bench.times("r." + kind))
                except OSError: # the program is writing at this moment
                    n_torn += 1
                    expect(n_torn < 3, "it cannot be read again and again")
                    continue
                expect(n >= before and time.monotonic() < end, (kind, n, before))
                before = n
                n_read += n > 1 # on a busy machine the first rows may take longer
        finally:
            process.send_signal(signal.SIGTERM)
            bench.finish(process)


def files_removed(bench):
    """If the result file, its name, or its folder disappears during the run, the program reports an error."""
    for kind in bench.kinds():
        for deed, said in (("unlink", "was removed"), ("rename", "was renamed or replaced"),
                           ("folder", "was removed"), ("replace", "was removed")):
            folder = bench.folder / "results"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(bench.folder / "other", ignore_errors=True)
            folder.mkdir()
            name = "results/r." + kind
            process = start_endless(bench, "-o", name)
            wait_for(lambda: (bench.folder / name).exists(), "no file")
            time.sleep(0.3)
            if deed == "unlink":
                (bench.folder / name).unlink()
            elif deed == "rename":
                (bench.folder / name).rename(bench.folder / "elsewhere")
            elif deed == "folder":
                shutil.rmtree(folder)
            else:
                (bench.folder / "new").write_text("new\n")
                os.replace(bench.folder / "new", bench.folder / name)
            process.send_signal(signal.SIGTERM)
            run = bench.finish(process)
            expect(run.code == 6, (deed, run.code, run.err))
            expect("'%s' %s" % (name, said) in run.err and "during the run" in run.err, (deed, run.err))
            expect("complete" not in run.err, run.err)
            expect(deed != "replace" or (bench.folder / name).read_text() == "new\n", "the new file")


def files_summary_folder_removed(bench):
    (bench.folder / "sub").mkdir()
    process = start_endless(bench, "--json", "sub/s.json", "-o", "r.csv")
    shutil.rmtree(bench.folder / "sub")
    process.send_signal(signal.SIGTERM)
    run = bench.finish(process)
    expect(run.code == 6 and "sub/s.json" in run.err, (run.code, run.err))


# ---- terminals ----

def watch(bench, columns, *words, act=None):
    """Runs the program on a terminal with this number of columns; returns the exit code and the output."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = bench.start(*words, stdout=terminal, stderr=terminal, stdin=terminal, start_new_session=True,
                          preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(terminal)
    seen, end = b"", time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < end:
            if select.select([controller], [], [], 0.1)[0]:
                part = os.read(controller, 65536)
                if not part:
                    break
                seen += part
            if act and act(controller, seen, process):
                break
    except OSError: # the program has closed its end
        pass
    os.close(controller)
    try:
        return process.wait(timeout=LIMIT_S), seen.decode()
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise AssertionError("it hangs") from error


@full
def terminals_narrow(bench):
    """The progress line fits the terminal, also if the terminal's width changes."""
    def stop_later(controller, seen, process, n_drawn=3):
        if seen.count(b"\r") > n_drawn and catches(process, signal.SIGTERM): # only once: a second signal ends the program
            process.send_signal(signal.SIGTERM)
            wait_for(lambda: not catches(process, signal.SIGTERM), "it is not taken note of")

    config, widths = bench.config(), (200, 80, 79, 40, 5, 1, 0)
    with concurrent.futures.ThreadPoolExecutor(len(widths)) as pool: # at once, because the wall clock determines when a line appears
        seen_at = pool.map(lambda columns: watch(bench, columns, config, "-D", "simulation.stop=1e6", act=stop_later), widths)
    for columns, (code, seen) in zip(widths, seen_at):
        expect(code == 130, (columns, code, seen))
        lines = [part for part in re.split(r"[\r\n]+", seen) if "%" in part and "x real" in part or part.startswith("[#")
                 or part.startswith("[.")]
        if columns > 40:
            expect(lines and all(len(line) < columns for line in lines), (columns, lines[:2]))
        parts = re.findall(r"\r([^\r\n]*)", seen.split("wrsim: ")[0])
        if columns > 1:
            expect(parts and max(map(len, parts)) < columns, (columns, parts[:3]))

    def change(controller, seen, process):
        n = seen.count(b"\r")
        fcntl.ioctl(controller, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100 if n < 4 else 30, 0, 0))
        stop_later(controller, seen, process, 8)

    code, seen = watch(bench, 100, bench.config(), "-D", "simulation.stop=1e6", act=change)
    parts = re.findall(r"\r([^\r\n]*)", seen.split("wrsim: ")[0])
    expect(code == 130 and len(parts[-1]) < 30 < max(map(len, parts)), parts)


def terminals_ctrl_c(bench):
    state = {"is_sent": False}

    def press(controller, seen, process):
        if not state["is_sent"] and seen.count(b"\r") > 3:
            os.write(controller, b"\x03")
            state["is_sent"] = True

    code, seen = watch(bench, 100, bench.config(), "-D", "simulation.stop=1e6", "-o", "r.csv", act=press)
    expect(code == 130 and "wrsim: stopping at the end of the present window, period or step; a second signal ends" in seen, (code, seen))
    expect("results up to this time are complete" in seen, seen)


def terminals_lost(bench):
    """The terminal closes with SIGHUP, and no process reads the output. The results are complete."""
    for kind in bench.kinds():
        code, seen = watch(bench, 100, bench.config(), "-D", "simulation.stop=1e6", "-o", "r." + kind,
                           act=lambda controller, seen, process: seen.count(b"\r") > 2)
        expect(code in (6, 130), (code, seen))
        expect(len(bench.times("r." + kind)) > 1, kind)


def dense(bench, n):
    """Writes a config of n fully coupled states, whose analysis at one point takes seconds."""
    lines = ["wrsim state space 1", "model dense", "states %d" % n, "input u m 1 0", "output y m 1 0", "B 1 1 1", "C 1 1 1"]
    lines += ["A %d %d %r" % (i, j, -1.0 - i / n if i == j else 1e-3 / (i + 2 * j))
              for i in range(1, n + 1) for j in range(1, n + 1)]
    (bench.folder / "dense.ss").write_text("\n".join(lines) + "\n")
    path = bench.folder / "dense.toml"
    path.write_text("[simulation]\nstop = 1e-3\ncommunication_step = 1e-3\n[solver]\nkind = 'rk4'\nstep = 1e-4\n"
                    "[[plugin]]\nfile = 'dense.ss'\n[[component]]\nname = 'd'\nmodel = 'dense'\n")
    return path


@full
def terminals_busy(bench):
    """Tools that take minutes report their progress, and Ctrl-C ends them at once."""
    config = dense(bench, 500)
    state = {}

    def press(controller, seen, process):
        if b" s" in seen and "pressed" not in state:
            os.write(controller, b"\x03")
            state["pressed"] = time.monotonic()

    for words, said in ((("stability", config, "--points", "50"), r"\rwrsim stability: (point \d+ of 50, t = \S+ s, )?\d+ s"),
                        (("analyze", config, "--points", "5000"), r"\rwrsim analyze: (point \d+ of 5000, t = \S+ s, )?\d+ s"),
                        (("partition", config, "--points", "5000"), r"\rwrsim partition: (point \d+ of 5000, t = \S+ s, )?\d+ s"),
                        (("reduce", config, "--component", "d"), r"\rwrsim reduce: \d+ s")):
        state.clear()
        code, seen = watch(bench, 100, *words, act=press)
        expect(re.search(said, seen), (words, code, seen))
        expect(code == -signal.SIGINT or words[0] == "reduce" and code >= 0, (words, code, seen))
        expect(time.monotonic() - state["pressed"] < 5.0, words)


def terminals_main_takes_signals(bench):
    """Only the main thread receives signals. The error to find: the threads that write progress receive signals, too."""
    mine = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGPIPE, signal.SIGALRM
    seen_of = {}

    def look(controller, seen, process):
        if b"\r" not in seen or process.pid in seen_of:
            return False
        seen_of[process.pid] = []
        for task in pathlib.Path("/proc/%d/task" % process.pid).iterdir():
            blocked = int(re.search(r"SigBlk:\s*([0-9a-f]+)", (task / "status").read_text())[1], 16)
            if int(task.name) != process.pid:
                seen_of[process.pid].append([number.name for number in mine if not blocked >> (number - 1) & 1])
        process.send_signal(signal.SIGKILL)
        return False

    for words in ((bench.config(), "-D", "simulation.stop=1e6"), ("stability", dense(bench, 500), "--points", "50")):
        watch(bench, 100, *words, act=look)
        found = seen_of.popitem()[1]
        expect(found and not any(found), (words, found))


def terminals_of_others(bench):
    """Another process makes the pipe non-blocking and reads late. The error to find: "Resource temporarily unavailable"."""
    for words in (("keys", "--all"), ("--help",)):
        whole = bench(*words).out
        for _ in range(2):
            reader, writer = os.pipe()
            fcntl.fcntl(writer, 1031, 4096) # F_SETPIPE_SZ
            os.set_blocking(writer, False)
            process = bench.start(*words, stdout=writer)
            os.close(writer)
            time.sleep(0.3)
            with os.fdopen(reader, "rb") as pipe:
                seen = pipe.read().decode()
            run = bench.finish(process)
            expect(run.code == 0 and seen == whole, (words[0], run.code, len(seen), len(whole), run.err))


# ---- calls that fail ----

TWO = """
plugin = [{ file = "hostile.so" }]
[simulation]
stop = 0.2
communication_step = 0.01
[[component]]
name = "sine"
model = "signal.sine"
[[component]]
name = "fast"
model = "dahlquist"
[[connection]]
from = "sine.y"
to = "fast.u"
[[component]]
name = "good"
model = "hostile.deed"
"""


def result(kind):
    """Returns the names of the files of a result."""
    return ("r.csv", "r.csv.json", "r.events.csv", "r.windows.csv") if kind == "csv" else ("r." + kind,)


class Faults:
    """Runs the program with one failing system call, or with this call and all later calls failing: fail_at.c."""

    def __init__(self, bench, *words, makes=()):
        self.bench, self.words, self.makes, self.n_way, self.n_call = bench, words, makes, 0, {}
        (bench.folder / "two.toml").write_text(TWO)
        self.mine = set(os.listdir(bench.folder)) - set(makes)
        self.clean()
        run = self.run({})
        expect(run.code == 0, ("it does not run", run.err))
        for name in makes:
            kept = bench.folder.parent / (bench.folder.name + "-kept")
            kept.mkdir(exist_ok=True)
            shutil.rmtree(kept / name, ignore_errors=True)
            (shutil.copytree if (bench.folder / name).is_dir() else shutil.copy)(bench.folder / name, kept / name)
        self.kept = bench.folder.parent / (bench.folder.name + "-kept")

    def clean(self):
        for path in self.bench.folder.iterdir():
            if path.name not in self.mine:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def run(self, variables):
        bench = self.bench
        shim = next(bench.folder.glob("fail_at.*"))
        return bench.finish(subprocess.Popen([bench.wrsim, *self.words], cwd=bench.folder, stdin=subprocess.DEVNULL,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                             env=dict(bench.environment, LD_PRELOAD=str(shim), TMPDIR=str(bench.folder), **variables)))

    def count(self, function):
        if function not in self.n_call:
            self.clean()
            self.run({"WR_FAIL": function + ":-1", "WR_FAIL_COUNT": "count"})
            self.n_call[function] = int((self.bench.folder / "count").read_text())
        return self.n_call[function]

    def is_as_it_was(self, name):
        bench, made, kept = self.bench, self.bench.folder / name, self.kept / name
        if name.endswith(".csv"):
            return data(made) == data(kept)
        if name.endswith(".h5"):
            return bench.finish(bench.start("compare", "--limit", "0", made, kept)).code == 0
        return made.is_dir() or len(made.read_bytes()) > 0

    def judge(self, what, run):
        """Checks that the run does not crash, fail without a message, repeat a line, or leave an unexpected file. With exit code 0 all
        files must exist, and results must equal the results of the first run."""
        there = set(os.listdir(self.bench.folder)) - self.mine
        expect(0 <= run.code <= 12 and run.code != 2, (what, run.code, run.err))
        expect(run.code == 0 or re.match(r"wrsim: .*error: \S|wrsim: run \d+ .* failed: \S", run.err), (what, run.code, run.err))
        expect(len(set(run.err.splitlines())) == len(run.err.splitlines()), (what, "said twice", run.err))
        expect("TOML" not in run.err and "KEY=VALUE" not in run.err, (what, run.err))
        expect(there <= set(self.makes), (what, run.code, there))
        if run.code == 0:
            expect(there == set(self.makes), (what, there, run.err))
            for name in self.makes:
                expect(self.is_as_it_was(name), (what, name, run.err))
        elif "r.h5" in there and "c.ckpt" in there: # the checkpoint exists from the start of the run on
            try:
                self.bench.times("r.h5")
            except AssertionError as error:
                raise AssertionError((what, run.err, str(error))) from error

    def __call__(self, function, errors, most=None, goes_on=("", "+")):
        """Lets about `most` of the calls fail in turn, alone or with all later calls. Each error, alone or not, starts at another call.
        Returns the number of calls."""
        n = self.count(function)
        stride = max(1, n // (most or tap.sample(2, n + 1)))
        for error in errors:
            for plus in goes_on:
                self.n_way += 1
                for k in range(self.n_way % stride, n, stride):
                    self.clean()
                    what = (self.words, function, k, plus, error)
                    self.judge(what, self.run({"WR_FAIL": "%s:%d%s" % (function, k, plus), "WR_FAIL_ERRNO": str(error)}))
        return n


@in_samples
def memory_that_is_refused(bench):
    """Allocations fail in turn, alone or with all later allocations. Errors to find: no message, or a message about a valid number."""
    n = Faults(bench, "two.toml", "-o", "r.csv", "--json", "j.json", makes=(*result("csv"), "j.json"))("memory", [errno.ENOMEM], tap.sample(40, 200))
    expect(n > 500, n)
    Faults(bench, "models", "--plugin", "hostile.so")("memory", [errno.ENOMEM])
    for words in (("check",), ("analyze",)):
        Faults(bench, *words, "two.toml", "-D", "simulation.rtol=1e-5")("memory", [errno.ENOMEM], tap.sample(20, 60))


@in_samples
def memory_of_a_sweep(bench):
    """A sweep without memory reports the lack of memory. The error to find: the message is that no run has a valid config."""
    faults = Faults(bench, "sweep", "two.toml", "-q", "-o", "d", "-D", "simulation.rtol=1e-4,1e-5", makes=("d",))
    n = 0
    for k in range(0, 2500, tap.sample(150, 50)):
        faults.clean()
        run = faults.run({"WR_FAIL": "memory:%d+" % k, "WR_FAIL_ERRNO": str(errno.ENOMEM)})
        expect(0 <= run.code <= 12 and "valid config" not in run.err, (k, run.code, run.err))
        expect(run.code == 0 or re.match(r"wrsim: .*error: \S|wrsim: run \d+ .* failed: \S", run.err), (k, run.code, run.err))
        n += run.code == 7 and "out of memory" in run.err
    expect(n > tap.sample(3, 10), n)


@in_samples
def faults_of_files(bench):
    """Calls that write fail in turn, alone or with all later calls."""
    errors = [errno.ENOSPC, errno.ESTALE]
    for kind in bench.kinds():
        faults = Faults(bench, "two.toml", "-o", "r." + kind, "--json", "j.json", "--checkpoint", "c.ckpt", "--checkpoint-every", "0.05",
                        makes=(*result(kind), "j.json", "c.ckpt"))
        n = sum(faults(function, errors) for function in ("write", "fwrite", "fdopen", "fsync", "ftruncate64", "rename"))
        n += sum(faults(function, errors[:1]) for function in ("fflush", "fclose", "close", "flock"))
        n += sum(faults(function, [error], goes_on=[""]) for function, error in (("write", "half"), ("write", errno.EINTR),
                 ("fsync", errno.EINTR), ("ftruncate64", errno.EINTR), ("flock", errno.EINTR)))
        # HDF5 makes some 60 calls of pwrite64.
        n += faults("pwrite64", errors[:1], tap.sample(3, 15)) + sum(faults("pwrite64", [error], tap.sample(3, 15), [""]) for error in ("half", errno.EINTR))
        expect(n > 20, n)


@in_samples
def faults_of_a_sweep(bench):
    """A full disk gives one error with a remedy. A folder remains only with a sweep in it, and the resumed sweep has a whole table."""
    words = ("sweep", "two.toml", "-q", "-o", "d", "-D", "simulation.rtol=1e-4,1e-5")
    folder = bench.folder / "d"

    def table():
        return [line.rsplit(",", 1)[0] for line in (folder / "table.csv").read_text().splitlines()] # without wall times

    faults = Faults(bench, *words, makes=("d",))
    whole, n = table(), 0
    for function in ("mkdir", "fwrite", "fsync", "fclose", "rename"):
        for k in range(0, faults.count(function) + 3, tap.sample(3, 1)): # each run of the sweep continues this count
            for plus in ("", "+"):
                faults.clean()
                what = (function, k, plus)
                run = faults.run({"WR_FAIL": "%s:%d%s" % (function, k, plus), "WR_FAIL_ERRNO": str(errno.ENOSPC)})
                n += run.code != 0
                expect(run.code in (0, 5, 6), (what, run.code, run.err))
                expect(run.code == 0 or "No space left on device" in run.err and re.search("free space", run.err), (what, run.err))
                expect(run.code == 0 or (folder / "sweep.json").exists() or not folder.exists(), (what, run.err))
                expect(run.code != 6 or not folder.exists() or "--resume" in run.err, (what, run.err))
                again = bench.finish(bench.start(*words, "--resume", "--retry"))
                expect(again.code == 0 and table() == whole, (what, run.err, again.code, again.err))
    expect(n > tap.sample(6, 20), n)


@full
def faults_of_processes(bench):
    """If the system starts no further process, the sweep reports the reason."""
    faults = Faults(bench, "sweep", "two.toml", "-q", "-o", "d", "-D", "simulation.rtol=1e-4,1e-5", makes=("d",))
    for k, says in ((0, "the process that checks the config cannot be started: "), (1, "the process of a run cannot be started: ")):
        faults.clean()
        run = faults.run({"WR_FAIL": "fork:%d+" % k, "WR_FAIL_ERRNO": str(errno.EAGAIN)})
        lines = ["wrsim: error: " + says + os.strerror(errno.EAGAIN) + "; end other processes, or free memory"] + k * [
            "wrsim: stopped: 0 of 2 runs are completed; repeat the command with --resume to start again"]
        expect(run.code == 7 and run.err.splitlines() == lines, (k, run.code, run.err))


@full
def faults_of_little_stack(bench):
    """Workers have the stack that models need. The error to find: SIGSEGV without a message."""
    bench(bench.config(), "-q", "-o", "plain.csv")
    run = bench.finish(bench.start(bench.config(), "-q", "-o", "r.csv", "-D", "scheduler.workers=2", "-D", "scheduler.min_work=0",
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (65536, 65536))))
    expect(run.code == 0 and data(bench.folder / "r.csv") == data(bench.folder / "plain.csv"), (run.code, run.err))


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL) # under nohup programs would inherit an ignored SIGHUP
    parser = tap.parser("--plugins", tiers=["quick", "plain", "full", "long"])
    parser.add_argument("--hdf5", action="store_true", help="the program has HDF5")
    options = parser.parse_args()
    family = options.which.pop(0) + "_"

    def bench(folder):
        for plugin in pathlib.Path(options.plugins).glob("*.so"):
            shutil.copy(plugin, folder)
        return Bench(options.wrsim, folder, options.hdf5)

    return tap.run(globals(), options, bench, family)


if __name__ == "__main__":
    sys.exit(main())
