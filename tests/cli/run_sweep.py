"""`wrsim sweep`: options, messages and tables, and resuming a sweep after any end. TAP.

    run_sweep.py --wrsim PROGRAM --source ROOT --plugin FILE [--tier quick|full|long] [test]...

The script computes results again from the files of the runs, and compares a killed and resumed sweep with an uninterrupted sweep.
"""
import csv
import io
import itertools
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import expect

HERE = pathlib.Path(__file__).resolve().parent
TWO = HERE / "two.toml"
A, B = "component.a.parameters.a", "component.b.parameters.b"


full = tap.tier("full")
in_samples = tap.tier("full", "long")


class Bench:
    def __init__(self, wrsim, source, folder):
        self.wrsim, self.source, self.folder = wrsim, source, folder

    def __call__(self, *arguments, code=0, cwd=None):
        run = subprocess.run(self.line(*arguments), cwd=cwd or self.folder, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=600)
        expect(run.returncode == code, "%s: exit code %d, expected %d\n%s%s"
               % (" ".join(map(str, arguments)), run.returncode, code, run.stdout, run.stderr))
        return run

    def line(self, *arguments):
        return [self.wrsim] + [str(a) for a in arguments]

    def start(self, *arguments, **options):
        return subprocess.Popen(self.line(*arguments), cwd=self.folder, text=True, stderr=subprocess.PIPE,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options})

    def table(self, folder):
        with open(self.folder / folder / "table.csv", newline="") as file:
            return list(csv.DictReader(file))

    def lines(self, folder):
        """Returns the table without wall times, which are the last column."""
        return [row[:-1] for row in csv.reader(io.StringIO((self.folder / folder / "table.csv").read_text()))]

    def done(self, folder):
        return sorted(path.parent.name for path in (self.folder / folder).glob("runs/*/row.csv"))


def signals(path):
    """Returns the signals of a CSV result: {name with unit: [(t, value)]} at communication points."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    head, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
    return {name: [(float(row[0]), float(row[k])) for row in rows if row[1] == "c"]
            for k, name in enumerate(head) if k > 1}


# ---- which runs

def values(wrsim, folder, *keys):
    return [tuple(row[key] for key in keys) for row in wrsim.table(folder)]


def test_grid(wrsim):
    wrsim("sweep", TWO, "-o", "g", "-D", A + "=-3:0.1:-2.7", "-D", B + "=0.25, -0.5", "-D", "simulation.stop=0.2")
    expect(values(wrsim, "g", A, B, "simulation.stop") == [(a, b, "0.2") for a, b in itertools.product(
        ("-3", "-2.9", "-2.8", "-2.7"), ("0.25", "-0.5"))], wrsim.table("g"))
    expect([row["run"] for row in wrsim.table("g")] == [str(i) for i in range(1, 9)], "numbers")


def test_paired(wrsim):
    wrsim("sweep", TWO, "-o", "p", "--paired", "-D", A + "=-1,-2,-2", "-D", B + "=1:1:3", "-D", "simulation.stop=0.2")
    expect(values(wrsim, "p", A, B) == [("-1", "1"), ("-2", "2"), ("-2", "3")], wrsim.table("p"))


def test_cases(wrsim):
    """Cases come from a file in the format of a spreadsheet. All runs of a case follow each other."""
    (wrsim.folder / "c.csv").write_bytes(b'\xef\xbb\xbfcomponent.a.parameters.a , output.signals\r\n'
                                         b'-1,"[""a.x"", ""b.x""]"\r\n\r\n"-2","[""a.*""]"\r\n')
    wrsim("sweep", TWO, "-o", "c", "--cases", "c.csv", "-D", B + "=1,2")
    expect(values(wrsim, "c", A, "output.signals", B) == [(a, s, b) for (a, s), b in itertools.product(
        (("-1", '["a.x", "b.x"]'), ("-2", '["a.*"]')), ("1", "2"))], wrsim.table("c"))
    expect([row["b.x [1]"] != "" for row in wrsim.table("c")] == [True, True, False, False], "columns of all runs")


@full
def test_values_with_commas(wrsim):
    wrsim("sweep", TWO, "-o", "v", "-D", 'output.signals=["a.x","b.x"],["a.x"],[\'b.?\', "a.x"]', "-D",
          "relaxation.window={ initial = 0.1, min = 1e-3, max = 0.5 },{ initial = 0.2, min = 1e-3, max = 0.5 }",
          "--results", "a.x")
    expect(len(wrsim.table("v")) == 6, wrsim.table("v"))
    expect(values(wrsim, "v", "output.signals")[::2] == [('["a.x","b.x"]',), ('["a.x"]',), ("['b.?', \"a.x\"]",)],
           values(wrsim, "v", "output.signals"))
    wrsim("sweep", TWO, "-o", "w", "-D", 'relaxation.window.control="work",\'fixed\',ratio', "--results", "a.x")
    expect(values(wrsim, "w", "relaxation.window.control") == [("work",), ("fixed",), ("ratio",)], wrsim.table("w"))


# ---- results

def at(rows, t_s):
    for (t, y), (t_next, y_next) in zip(rows, rows[1:]):
        if t <= t_s <= t_next:
            return y + (t_s - t) / (t_next - t) * (y_next - y)
    raise AssertionError("no time %g" % t_s)


def mean(rows):
    return sum((y + y_next) / 2 * (t_next - t) for (t, y), (t_next, y_next) in zip(rows, rows[1:])) / (
        rows[-1][0] - rows[0][0])


@full
def test_results(wrsim):
    """The values in the table agree with values computed from the result file of each run."""
    for form in "csv", "h5":
        wrsim("sweep", TWO, "-o", form, "-D", A + "=-3,2", "-D", B + "=-3:2:3", "--format", form, "--results",
              "b.x,final:a.x,max:?.x,min:?.x,mean:*,at:0.52:b.x,at:0.5:b.x,stat:n_window,"
              "stat:error_account.error,stat:subsystems.b.n_rhs")
    expect(wrsim.lines("csv") == wrsim.lines("h5"), "formats differ")
    for row in wrsim.table("csv"):
        folder = wrsim.folder / "csv/runs" / ("%06d" % int(row["run"]))
        of = signals(folder / "result.csv")
        summary = json.loads((folder / "summary.json").read_text())
        for name in "a.x [1]", "b.x [1]":
            ys = [y for _, y in of[name]]
            expect(float(row["max:" + name]) == max(ys) and float(row["min:" + name]) == min(ys), (name, row))
            expect(abs(float(row["mean:" + name]) - mean(of[name])) <= 1e-12 * max(map(abs, ys)), (name, row))
        expect(float(row["b.x [1]"]) == of["b.x [1]"][-1][1] and float(row["final:a.x [1]"]) == of["a.x [1]"][-1][1], row)
        for t_s in 0.5, 0.52:
            expect(abs(float(row["at:%g:b.x [1]" % t_s]) - at(of["b.x [1]"], t_s)) <= 1e-13, (t_s, row))
        expect(float(row["stat:n_window"]) == float(row["windows"]) == summary["n_window"], row)
        expect(float(row["sweeps"]) == summary["n_sweep"] and float(row["end_s"]) == 1.0, row)
        expect(float(row["stat:error_account.error"]) == float(row["error"]) == summary["error_account"]["error"], row)
        expect(float(row["rhs"]) == sum(s["n_rhs"] for s in summary["subsystems"]), row)
        expect(float(row["stat:subsystems.b.n_rhs"]) == summary["subsystems"][1]["n_rhs"], row)
        expect(row["status"] == "done" and row["exit_code"] == "0" and row["message"] == "", row)


def test_same_bits_as_alone(wrsim):
    """The result file of a run equals the file of `wrsim run` with the same -D, and the file of a run of the written config.toml."""
    wrsim("sweep", TWO, "-o", "s", "-D", A + "=-3,-1", "-D", "simulation.rtol=1e-4,1e-8", "--jobs", "3")
    for i, (a, rtol) in enumerate(itertools.product(("-3", "-1"), ("1e-4", "1e-8")), 1):
        own = (wrsim.folder / ("s/runs/%06d/result.csv" % i)).read_bytes()
        wrsim("-q", TWO, "-D", A + "=" + a, "-D", "simulation.rtol=" + rtol, "-o", "alone.csv")
        expect(own == (wrsim.folder / "alone.csv").read_bytes(), "run %d differs" % i)
        wrsim("-q", "s/runs/%06d/config.toml" % i, "-o", "again.csv", "--json", "again.json")
        expect(own == (wrsim.folder / "again.csv").read_bytes(), "run %d differs from its config.toml" % i)
    before = {path: path.stat().st_mtime_ns for path in (wrsim.folder / "s").rglob("*")}
    (wrsim.folder / "elsewhere").mkdir()
    for config, folder in (("s/runs/000001/config.toml", "."), ("../s/runs/000002/config.toml", "elsewhere")):
        wrsim("-q", config, cwd=wrsim.folder / folder) # the run writes neither over the sweep's results nor into a missing folder
    expect(before == {path: path.stat().st_mtime_ns for path in (wrsim.folder / "s").rglob("*")}, "a sweep was written over")


def test_config_of_a_run_names_files_from_anywhere(wrsim):
    wrsim("sweep", ending(wrsim), "-o", "e", "-D", "simulation.rtol=1e-3,1e-4")
    wrsim("-q", "e/runs/000002/config.toml", "-o", "again.csv", "--json", "again.json")
    expect((wrsim.folder / "again.csv").read_bytes().splitlines()[-1]
           == (wrsim.folder / "e/runs/000002/result.csv").read_bytes().splitlines()[-1], "it differs")


def test_json(wrsim):
    out = wrsim("sweep", TWO, "-o", "j", "--json", "-D", "simulation.rtol=1e-4,-1", code=5).stdout
    table, rows = json.loads(out), wrsim.table("j")
    expect(table["tool"] == "wrsim sweep" and table["columns"] == list(rows[0]), table["columns"])
    for one, other in zip(table["rows"], rows, strict=True):
        for name, cell in other.items():
            value = one[name]
            expect(value is None if cell == "" else value == (float(cell) if isinstance(value, (int, float)) else cell),
                   (name, value, cell))
    expect(isinstance(table["rows"][0]["a.x [1]"], float) and table["rows"][1]["a.x [1]"] is None, table["rows"])


def test_text(wrsim):
    run = wrsim("sweep", TWO, "-o", "t", "-D", "simulation.rtol=1e-4,1e-5", "-q")
    expect(run.stdout == "" and run.stderr == "", run)
    out = wrsim("sweep", TWO, "-o", "t", "-D", "simulation.rtol=1e-4,1e-5", "--resume", "--progress").stdout
    expect("2 of 2 runs are completed, 0 of them failed; table: t/table.csv" in out, out)
    expect("simulation.rtol" in out.splitlines()[0] and "1e-5" in out, out)


def test_printed_numbers_are_rounded(wrsim):
    """A number that is too long for its column is rounded. The error to find: the text is cut, so 4.4e-05 becomes 4.4."""
    n_small = 0
    for power in ("e-5", "e-7"):
        out = wrsim("sweep", TWO, "-o", "n" + power, "-D", A + "=-1.2345678901234567" + power + ",2",
                    "--results", "a.x,at:0.7:a.x,mean:b.x", "--progress").stdout
        rows = wrsim.table("n" + power)
        for row, line in zip(rows, out.splitlines()[1:], strict=False):
            cells, columns = line.split(), list(row.values())
            for told, kept in zip(cells[:6], columns[:6], strict=False):
                try:
                    value = float(kept)
                except ValueError:
                    continue
                expect(abs(float(told) - value) <= 1e-8 * abs(value), (told, kept))
                n_small += "e-" in kept and len(kept) > 18
    expect(n_small > 0, "no number that is too long was printed")


def test_run_without_points(wrsim):
    """A row that lacks its signals has the reason."""
    wrsim("sweep", TWO, "-o", "none", "-D", A + "=-1", "-D", "output.points=false,true", "--results", "a.x")
    without, whole = wrsim.table("none")
    expect(without["a.x [1]"] == "" and "output.points = true" in without["message"], without)
    expect(whole["a.x [1]"] != "" and whole["message"] == "", whole)


# ---- runs that fail

def test_failed_run(wrsim):
    """The table has the error and exit code of a failed run, the other runs continue, and --retry repeats the failed run."""
    line = ["sweep", TWO, "-o", "f", "-D", "simulation.rtol=1e-4,-1,1e-5,word", "--results", "a.x"]
    err = wrsim(*line, code=5).stderr
    rows = wrsim.table("f")
    expect([row["status"] for row in rows] == ["done", "failed", "done", "failed"], rows)
    expect([row["exit_code"] for row in rows] == ["0", "3", "0", "3"], rows)
    expect([row["a.x [1]"] != "" for row in rows] == [True, False, True, False], rows)
    says = "-D simulation.rtol=word: 'simulation.rtol' must be a number, but is the text \"word\""
    expect(rows[3]["message"] == says, rows[3]["message"])
    expect(sorted(err.splitlines())[1] == "wrsim: run 4 (simulation.rtol = word) failed: " + says, err)
    before = [os.stat(wrsim.folder / "f/runs" / name / "row.csv").st_ino for name in wrsim.done("f")]
    wrsim(*line, "--resume", code=5)
    after = [os.stat(wrsim.folder / "f/runs" / name / "row.csv").st_ino for name in wrsim.done("f")]
    expect(before == after and len(after) == 4, "runs that are done were done again")
    (wrsim.folder / "f/runs/000004/mark").touch()
    (wrsim.folder / "f/runs/000003/mark").touch()
    wrsim(*line, "--resume", "--retry", code=5)
    expect(not (wrsim.folder / "f/runs/000004/mark").exists(), "a failed run was not done again")
    expect((wrsim.folder / "f/runs/000003/mark").exists(), "a good one was")


def test_failed_run_keeps_how_far_it_came(wrsim):
    (wrsim.folder / "n.toml").write_text('[simulation]\nstop = 1.0\ncommunication_step = 0.1\n'
                                         '[[component]]\nname = "c"\nmodel = "test.faulty"\n')
    wrsim("sweep", "n.toml", "-o", "n", "-D", "component.c.parameters.nan_time=-1,0.35", "--results", "c.x", code=5)
    bad = wrsim.table("n")[1]
    expect(bad["status"] == "failed" and bad["exit_code"] == "5" and "c" in bad["message"] and bad["c.x [1]"] == "", bad)
    expect(0.2 <= float(bad["end_s"]) <= 0.36, bad)


@full
def test_run_that_is_stopped_by_its_config(wrsim):
    """A run that its config stops counts as failed, with exit code 8. A run above relaxation.error_limit has the same code, and results."""
    line = ["sweep", TWO, "-D", "relaxation.scheme=slack", "-D", "slack.watch=1", "-D", "slack.bound=0", "--results", "a.x"]
    err = wrsim(*line, "-o", "s", "-D", "slack.eps_loc=1,1e-12", "-D", "slack.on_loc=stop", code=5).stderr
    good, bad = wrsim.table("s")
    expect(good["status"] == "done" and bad["status"] == "failed" and bad["exit_code"] == "8" and bad["a.x [1]"] == "", bad)
    expect(bad["message"].startswith("stopped, because a delay error is above its limit, at t = "), bad)
    expect(err.count("\n") == 1 and err.endswith(" failed: " + bad["message"] + "\n"), err)
    wrsim("sweep", TWO, "-o", "i", "-D", "relaxation.error_limit=1e-300", "--results", "a.x")
    expect([(row["status"], row["exit_code"], row["a.x [1]"] != "") for row in wrsim.table("i")] == [("inaccurate", "8", True)],
           wrsim.table("i"))
    (wrsim.folder / "talks.toml").write_text(TWO.read_text() + '[[plugin]]\nfile = "sweep.so"\n[[component]]\nname = "c"\n'
                                             'model = "sweep.ending"\nparameters = { how = 6 }\n')
    line[1] = "talks.toml"
    wrsim(*line, "-o", "t", "-D", "slack.eps_loc=3e-6", "-D", "slack.on_loc=stop", code=5)
    log = (wrsim.folder / "t/runs/000001/log.txt").read_text()
    expect("by the way\n" in log and "warning: " in log, log)
    expect(wrsim.table("t")[0]["message"].startswith("stopped, because a delay error is above its limit, at t = "), wrsim.table("t"))


def ending(wrsim):
    (wrsim.folder / "ending.toml").write_text(
        '[simulation]\nstop = 1.0\ncommunication_step = 0.1\n[[plugin]]\nfile = "sweep.so"\n'
        '[[component]]\nname = "c"\nmodel = "sweep.ending"\n')
    return "ending.toml"


@full
def test_processes_that_end(wrsim):
    """Runs whose model ends the process by exit(0), abort() or SIGKILL have failed. The results of other runs are unchanged."""
    config = ending(wrsim)
    wrsim("sweep", config, "-o", "e", "-D", "component.c.parameters.how=0,1,2,3", "-D", "simulation.rtol=1e-4,1e-5",
          "--results", "c.x", code=5)
    rows = wrsim.table("e")
    expect([row["status"] for row in rows] == ["done"] * 2 + ["failed"] * 6, rows)
    expect(all(row["message"] for row in rows[2:]) and all(row["c.x [1]"] == "" for row in rows[2:]), rows)
    expect("signal 9" in rows[6]["message"] and rows[6]["exit_code"] == "-1", rows[6])
    wrsim("sweep", config, "-o", "alone", "-D", "component.c.parameters.how=0", "-D", "simulation.rtol=1e-4,1e-5",
          "--results", "c.x")
    expect([row["c.x [1]"] for row in rows[:2]] == [row["c.x [1]"] for row in wrsim.table("alone")], rows)


@full
def test_a_run_that_is_stopped_alone_has_failed(wrsim):
    """If a signal stops a run but not the sweep, the run counts as failed, also after --resume."""
    config = ending(wrsim)
    line = ["sweep", config, "-o", "e", "-D", "component.c.parameters.how=0,4,5", "--results", "c.x"]
    wrsim(*line, code=5)
    rows = wrsim.table("e")
    expect([(row["status"], row["exit_code"], row["message"]) for row in rows]
           == [("done", "0", ""), ("failed", "-1", "ended by signal 15 (Terminated)"), ("failed", "130",
                "ended with exit code 130, without a message; see log.txt in the folder of the run")], rows)
    wrsim(*line, "--resume", code=5)


@full
def test_a_plugin_that_cannot_be_loaded(wrsim):
    config = ending(wrsim)
    whole = (wrsim.folder / "sweep.so").read_bytes()
    (wrsim.folder / "sweep.so").write_bytes(whole[:len(whole) // 2])
    run = subprocess.run(wrsim.line("sweep", config, "-o", "e", "-D", "simulation.rtol=1e-4,1e-5"), cwd=wrsim.folder,
                         capture_output=True, text=True, timeout=600)
    expect(run.returncode in range(1, 13) and "error" in run.stderr, (run.returncode, run.stderr))
    expect(not (wrsim.folder / "e").exists(), "a folder is left")


# ---- going on

@full
def test_resume_is_of_the_same_sweep(wrsim):
    (wrsim.folder / "own.toml").write_text(TWO.read_text())
    shutil.copy(wrsim.folder / "own.toml", wrsim.folder / "other.toml")
    base = ["-o", "r", "-D", "simulation.rtol=1e-4,1e-5"]
    wrsim("sweep", "own.toml", *base)
    says = "wrsim: error: 'r' has a sweep %s, so it cannot continue; choose another folder (-o)\n"
    for words, what in ((["own.toml", "-o", "r", "-D", "simulation.rtol=1e-4,1e-6"], "of other keys or values"),
                        (["own.toml", "-o", "r", "-D", "simulation.rtol=1e-4"], "of other keys or values"),
                        (["own.toml", *base, "-D", "simulation.stop=2"], "of other keys or values"),
                        (["own.toml", *base, "--results", "a.x"], "with other --results"),
                        (["own.toml", *base, "--format", "h5"], "with another --format"),
                        (["other.toml", *base], "of a config with another name")):
        err = wrsim("sweep", *words, "--resume", code=2).stderr
        expect(err == says % what, err)
    err = wrsim("sweep", "own.toml", *base, code=2).stderr
    expect(err == "wrsim: error: 'r' already contains a sweep; resume it with --resume, or choose another folder (-o)\n", err)
    with open(wrsim.folder / "own.toml", "a") as file:
        file.write("# other\n")
    err = wrsim("sweep", "own.toml", *base, "--resume", code=2).stderr
    expect(err == says % "of a config with other content", err)
    wrsim("sweep", "other.toml", "-o", "fresh", "-D", "simulation.rtol=1e-4,1e-5", "--resume") # --resume may begin a sweep


@full
def test_half_written_runs_are_done_again(wrsim):
    line = ["sweep", TWO, "-o", "h", "-D", "simulation.rtol=1e-4,1e-5,1e-6"]
    wrsim(*line)
    whole = wrsim.lines("h")
    os.remove(wrsim.folder / "h/runs/000001/row.csv") # all other files of the run exist
    (wrsim.folder / "h/runs/000001/result.csv").write_text("time [s],kind\n0,c\n")
    (wrsim.folder / "h/runs/000002/row.csv").write_text("") # as after a stop of the machine
    shutil.rmtree(wrsim.folder / "h/runs/000003")
    os.remove(wrsim.folder / "h/table.csv")
    wrsim(*line, "--resume")
    expect(wrsim.lines("h") == whole, wrsim.lines("h"))
    (wrsim.folder / "h/runs/000002/row.csv").write_text("nonsense\n")
    err = wrsim(*line, "--resume", code=6).stderr
    expect(err == "wrsim: h/runs/000002/row.csv: error: the file is not the row of a run; remove the file, and repeat the command with --resume\n", err)
    row = (wrsim.folder / "h/runs/000003/row.csv").read_text()
    (wrsim.folder / "h/runs/000002/row.csv").write_text(row)
    for other in row, row.replace("\n3,", "\n2x,"), row.replace("\n3,", "\n-2147483648,").replace("done", "failed"):
        (wrsim.folder / "h/runs/000002/row.csv").write_text(other) # a row with another run number, which the table must not contain
        again = wrsim(*line, "--resume", "--retry", code=6).stderr
        expect(again == err and len(wrsim.done("h")) == 3, again)


# ---- signals

def waiting(wrsim, n):
    """Returns the command for n runs that take a minute without hasten()."""
    (wrsim.folder / "waiting.toml").write_text(
        '[simulation]\nstop = 60.0\ncommunication_step = 0.1\n[solver]\nkind = "euler"\nstep = 0.025\n[[plugin]]\nfile = "sweep.so"\n'
        '[[component]]\nname = "c"\nmodel = "sweep.waiting"\n')
    return ["sweep", "waiting.toml", "-D", "component.c.parameters.number=0:1:%d" % (n - 1), "--results", "c.x"]


def hasten(wrsim, *numbers):
    """Ends the pauses of the runs with these numbers only; without numbers, of all runs."""
    for path in wrsim.folder.glob("haste*"):
        path.unlink()
    for name in ["haste_%d" % number for number in numbers] or ["haste"]:
        (wrsim.folder / name).touch()


def wait_for_runs(wrsim, folder, n, process):
    until = time.monotonic() + 600
    while len(wrsim.done(folder)) < n:
        expect(time.monotonic() < until and process.poll() is None, "the sweep does not go on")
        time.sleep(0.02)


def children(process):
    return [int(pid) for pid in pathlib.Path("/proc/%d/task/%d/children" % (process.pid, process.pid)).read_text().split()]


def are_gone(pids):
    until = time.monotonic() + 600
    while any(os.path.exists("/proc/%d" % pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@full
def test_runs_side_by_side(wrsim):
    """A sweep executes as many runs at once as the process may use cores, or as --jobs demands. The number changes no row."""
    n_core = int(re.search(r"^(\d+) cores?,", wrsim("topology").stdout, re.M)[1])
    core, tables = {min(os.sched_getaffinity(0))}, []
    line = waiting(wrsim, 6)
    for words, n, more in (((), n_core, {}), ((), 1, {"preexec_fn": lambda: os.sched_setaffinity(0, core)}), (("--jobs", "3"), 3, {})):
        folder = "n%d" % len(tables)
        hasten(wrsim, 0)
        with wrsim.start(*line, "-o", folder, *words, **more) as run:
            seen = set()
            while run.poll() is None:
                seen.add(len(children(run)))
                if len(list((wrsim.folder / folder).glob("runs/*/result.csv"))) > min(n, 5): # n runs beside run 0, which is done
                    hasten(wrsim)
                time.sleep(0.02)
        expect(run.returncode == 0 and max(seen) == n, (words, n, seen))
        tables.append(wrsim.lines(folder))
        expect(len(tables[-1]) == 7 and tables[-1] == tables[0], (words, tables))


@full
def test_signals_stop_in_order(wrsim):
    """Active runs end, no further run begins, and a message names --resume."""
    line = waiting(wrsim, 4)
    hasten(wrsim)
    wrsim(*line, "-o", "whole")
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        folder = number.name
        hasten(wrsim, 0)
        with wrsim.start(*line, "-o", folder, "--jobs", "2") as run:
            wait_for_runs(wrsim, folder, 1, run)
            pids = children(run)
            run.send_signal(number)
            err = run.communicate(timeout=600)[1]
        n = len(wrsim.done(folder))
        expect(run.returncode == 130 and n == 1, (number, run.returncode, n, err))
        expect(err == "wrsim: stopped: %d of 4 runs are completed; repeat the command with --resume to do the other %d\n"
               % (n, 4 - n), err)
        expect(are_gone(pids), "a run goes on")
        expect(len(wrsim.table(folder)) == n, "the table has what is done")
        hasten(wrsim)
        wrsim(*line, "-o", folder, "--resume")
        expect(wrsim.lines(folder) == wrsim.lines("whole"), "%s: tables differ" % number)


@full
def test_two_signals_end_at_once(wrsim):
    line = ["sweep", HERE / "slow.toml", "-D", "component.busy.parameters.burn=4000:1:4003", "--results", "busy.x"]
    with wrsim.start(*line, "-o", "s", "-D", "simulation.stop=60000", "-D", "relaxation.window.max=60000",
                     "-D", "relaxation.window.initial=1000") as run:
        while not (wrsim.folder / "s/runs/000001/result.csv").exists():
            expect(run.poll() is None, "it has ended")
            time.sleep(0.02)
        pids = children(run)
        run.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        run.send_signal(signal.SIGTERM)
        err = run.communicate(timeout=600)[1]
    expect(run.returncode == 130 and "0 of 4 runs are completed" in err, (run.returncode, err))
    expect(are_gone(pids), "a run goes on")


@full
def test_ignored_signals_stay_ignored(wrsim):
    """A sweep keeps ignoring the signals that nohup ignores."""
    hasten(wrsim, 0)
    with wrsim.start(*waiting(wrsim, 3), "-o", "n", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
        wait_for_runs(wrsim, "n", 1, run)
        run.send_signal(signal.SIGHUP)
        hasten(wrsim)
        run.communicate(timeout=600)
    expect(run.returncode == 0 and len(wrsim.done("n")) == 3, run.returncode)


@full
def test_ctrl_c_on_a_terminal(wrsim):
    """The terminal sends Ctrl-C to all processes of the group. Only the sweep ends the runs, once."""
    line = wrsim.line(*waiting(wrsim, 6), "-o", "c")
    hasten(wrsim, 0)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(wrsim.folder)
        os.execv(line[0], line)
    while not wrsim.done("c"):
        time.sleep(0.02)
    os.write(terminal, b"\x03")
    seen = b""
    for _ in range(3): # the kernel may report the closed end before it delivers the last bytes
        try:
            while part := os.read(terminal, 4096):
                seen += part
        except OSError:
            time.sleep(0.1)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    expect(code == 130 and b"repeat the command with --resume to do the other" in seen, (code, seen))
    expect(b"] 1 of 6 runs, 0 failed, " in seen or b"] 0 of 6 runs, 0 failed, " in seen, seen)
    expect(all(len(line) < 80 for line in seen.replace(b"\n", b"\r").split(b"\r") if line.startswith(b"[")), seen)


@in_samples
def test_killed(wrsim):
    """If SIGKILL ends a sweep, its runs end, too. --resume completes the same table and repeats no completed run."""
    line = waiting(wrsim, 6)
    hasten(wrsim)
    wrsim(*line, "-o", "whole")
    rng = random.Random(19)
    for i in range(tap.sample(1, 3)):
        folder = "k%d" % i
        hasten(wrsim, *range(1 + i))
        with wrsim.start(*line, "-o", folder) as run:
            wait_for_runs(wrsim, folder, 1 + i, run)
            time.sleep(rng.uniform(0, 0.3))
            pids = children(run)
            run.kill()
        expect(are_gone(pids), "a run goes on without its sweep")
        kept = {name: os.stat(wrsim.folder / folder / "runs" / name / "result.csv").st_mtime_ns for name in wrsim.done(folder)}
        hasten(wrsim)
        wrsim(*line, "-o", folder, "--resume")
        expect(wrsim.lines(folder) == wrsim.lines("whole"), "tables differ")
        for name, written in kept.items():
            expect(os.stat(wrsim.folder / folder / "runs" / name / "result.csv").st_mtime_ns == written, name + " again")


@full
def test_one_sweep_at_a_time(wrsim):
    line = waiting(wrsim, 4)
    hasten(wrsim, 0)
    with wrsim.start(*line, "-o", "o") as run:
        wait_for_runs(wrsim, "o", 1, run)
        err = wrsim(*line, "-o", "o", "--resume", code=2).stderr
        expect(err == "wrsim: error: a sweep is running in 'o'; wait for its end, stop it, or choose another folder (-o)\n", err)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=600)
    expect(run.returncode == 130, run.returncode)


@full
def test_config_changed_meanwhile(wrsim):
    rest = waiting(wrsim, 6)[2:]
    text = (wrsim.folder / "waiting.toml").read_text()
    (wrsim.folder / "m.toml").write_text(text)
    line = ["sweep", "m.toml", *rest, "-o", "m", "--jobs", "2"]
    hasten(wrsim, 0)
    with wrsim.start(*line) as run:
        wait_for_runs(wrsim, "m", 1, run)
        (wrsim.folder / "m.toml").write_text(text + "# another\n")
        hasten(wrsim)
        err = run.communicate(timeout=600)[1]
    expect(run.returncode == 3 and "'m.toml' changed during the sweep, after " in err, (run.returncode, err))


@in_samples
def test_engine_killed_and_resumed(wrsim):
    """A sweep of the engine, killed in the middle and resumed, has the table of an uninterrupted sweep with other --jobs."""
    n_torque = tap.sample(5, 50)
    n_run, n_least = 4 * n_torque, n_torque
    line = ["sweep", wrsim.source / "models/engine/engine.toml", "-D", "simulation.stop=0.004", "-D",
            "component.crank.parameters.brake_torque=150:1:%d" % (149 + n_torque), "-D", "component.turbo.start.omega=10000:500:11500", "-D",
            'output.signals=["crank.*", "turbo.*"]', "--results", "crank.omega,mean:crank.omega,max:turbo.*,stat:n_sweep"]
    wrsim(*line, "-o", "whole", "--jobs", "3")
    with wrsim.start(*line, "-o", "killed") as run:
        wait_for_runs(wrsim, "killed", n_least, run)
        run.kill()
    n = len(wrsim.done("killed"))
    expect(n_least <= n < n_run, n)
    wrsim(*line, "-o", "killed", "--resume")
    expect(len(wrsim.table("killed")) == n_run, len(wrsim.table("killed")))
    expect(wrsim.lines("killed") == wrsim.lines("whole"), "tables differ")


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL) # under nohup the program would inherit an ignored SIGHUP
    options = tap.parser("--source", "--plugin", tiers=["quick", "full", "long"]).parse_args()
    os.environ["LC_ALL"] = "C"

    def bench(folder):
        shutil.copy(options.plugin, folder / "sweep.so")
        return Bench(options.wrsim, pathlib.Path(options.source).resolve(), folder)

    return tap.run(globals(), options, bench)


if __name__ == "__main__":
    sys.exit(main())
