"""Commands, options, messages and exit codes of the program. TAP.

    run_cli.py --wrsim PROGRAM --source ROOT --plugin FILE --split-models FILE [--tier quick|plain|full|long] [test]...

--tier: only the tests of this tier. Tests without a mark are of tier quick. Tier plain belongs to tier quick, but does not run under
sanitizers, because other tests run the same code there.

Tests of bad input are in ../config and ../hostile/inputs.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import engine_tight
import tap
from tap import expect

HERE = pathlib.Path(__file__).resolve().parent


class Result:
    def __init__(self, run):
        self.code, self.out, self.err = run.returncode, run.stdout, run.stderr


class Bench:
    """Runs the program in a scratch folder."""

    def __init__(self, wrsim, source, folder):
        self.wrsim, self.source, self.folder = wrsim, source, folder

    def __call__(self, *arguments, code=0):
        run = subprocess.run([self.wrsim] + [str(a) for a in arguments], cwd=self.folder,
                             capture_output=True, text=True, stdin=subprocess.DEVNULL)
        expect(run.returncode == code, "exit code %d, expected %d\n%s%s"
               % (run.returncode, code, run.stdout, run.stderr))
        return Result(run)

    def rows(self, file):
        """Returns the rows of a .csv at communication points, as [time, values...]."""
        lines = (self.folder / file).read_text().splitlines()
        rows = [line.split(",") for line in lines if line and line[0] not in "#t"]
        return [[float(row[0])] + [float(value) for value in row[2:]] for row in rows
                if row[1] == "c"]

    def names(self, file):
        """Returns the signals of a .csv."""
        lines = (self.folder / file).read_text().splitlines()
        head = next(line for line in lines if line.startswith("time [s]"))
        return [name.split(" ")[0] for name in head.split(",")[2:]]


full = tap.tier("full")    # takes seconds: before a submission, not after every change
plain = tap.tier("plain")  # not under sanitizers
TWO = HERE / "two.toml"


# ---- help ----

def test_help(wrsim):
    out = wrsim("--help").out
    expect(wrsim("-h").out == out, "-h and --help differ")
    for command in ("run", "check", "compare", "models", "keys", "topology"):
        expect(re.search(r"^  %s " % command, out, re.M), "--help lacks the command " + command)
    codes = out[out.index("exit codes"):]
    text = (wrsim.source / "include/wrsim/status.h").read_text()
    for code in {int(n) for n in re.findall(r"X\(WRSIM_\w+, -?\d+, (\d+),", text)}:
        expect(re.search(r"^ +%d  [a-z]" % code, codes, re.M), "--help lacks exit code %d" % code)


def test_help_names_keys(wrsim):
    """The help of a command lists -D if, and only if, its usage names CONFIG or FILE."""
    for command in commands_of(wrsim):
        out = wrsim("help", command).out
        expect(("--define KEY=VALUE" in out) == bool(re.search(r"^usage:.* (CONFIG|FILE)", out)), out)


@plain
def test_help_of_a_command(wrsim):
    every = wrsim("--help").out
    expect(wrsim("help").out == every, "help and --help differ")
    expect(wrsim("engine.toml", "--help").out == every, "a config is no command")
    for command in commands_of(wrsim):
        out = wrsim("help", command).out
        expect(out != every and out.startswith("usage: wrsim " + command), out)
    for command in ("run", "bench", "stability", "sweep"):
        out = wrsim("help", command).out
        expect(wrsim(command, "--help").out == out and wrsim("--help", command).out == out, command)
    out = wrsim("check", "--help").out
    expect("--json" in out and "--quiet" not in out, out)
    expect("--total" in wrsim("help", "bench").out, "bench lacks --total")


def test_no_arguments(wrsim):
    expect("usage" in wrsim(code=2).out, "no usage without arguments")


def test_version(wrsim):
    text = (wrsim.source / "include/wrsim/version.h").read_text()
    version = re.search(r'WRSIM_VERSION_STRING "(.*)"', text)[1]
    expect(wrsim("--version").out == "wrsim %s\n" % version, "wrong version")
    expect(wrsim("-V").out == "wrsim %s\n" % version, "wrong version")


def long_options(wrsim):
    return sorted(set(re.findall(r"--[a-z][a-z-]*", wrsim("--help").out)))


def commands_of(wrsim):
    return re.findall(r"^  ([a-z]+) ", wrsim("--help").out, re.M)


@plain
def test_man_page_knows_all(wrsim):
    words = long_options(wrsim) + commands_of(wrsim)
    expect(len(words) > 12, "too few options and commands in --help: %s" % words)
    text = (pathlib.Path(wrsim.wrsim).parent / "docs/wrsim.1").read_text().replace("\\-", "-")
    for word in words:
        expect(word in text, "the man page lacks " + word)


def complete(wrsim, *words):
    """Returns the words that bash offers for the last of the words."""
    script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wrsim_bash 2>/dev/null; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    run = subprocess.run(["bash", "-c", script, "bash",
                          wrsim.source / "tools/completion.sh", wrsim.wrsim, *words],
                         cwd=wrsim.folder, capture_output=True, text=True)
    return run.stdout.split()


@plain
def test_completion(wrsim):
    expect(set(long_options(wrsim)) <= set(complete(wrsim, "--")), complete(wrsim, "--"))
    expect(complete(wrsim, "--mono") == ["--monolithic"], complete(wrsim, "--mono"))
    expect(complete(wrsim, "topo") == ["topology"], complete(wrsim, "topo"))
    expect("orego" in complete(wrsim, "models", "or"), complete(wrsim, "models", "or"))
    expect(complete(wrsim, "-D", "simulation.rt") == ["simulation.rtol="],
           complete(wrsim, "-D", "simulation.rt"))


def test_results_spare_the_config(wrsim):
    """Results do not overwrite the config, also if a link with a result's name leads to the config."""
    text = TWO.read_text()
    (wrsim.folder / "own.toml").write_text(text)
    (wrsim.folder / "link.csv").symlink_to("own.toml")
    err = wrsim("-q", "own.toml", "-o", "link.csv", code=3).err
    expect("results 'link.csv' would overwrite the config; choose another output.file" in err, err)
    expect((wrsim.folder / "own.toml").read_text() == text, "it was overwritten")


def refuse(wrsim, *words, says, keeps):
    """A run that would replace the file keeps the file, prints one error and does not begin."""
    path = wrsim.folder / keeps
    before = path.read_bytes()
    run = wrsim("-q", *words, code=3)
    expect(says in run.err and run.err.count("\n") == 1, (words, run.err))
    expect(path.read_bytes() == before, "%s was overwritten" % keeps)


def test_outputs_replace_only_our_own(wrsim):
    """Results replace only results or an empty file. A summary replaces only a summary or an empty file."""
    (wrsim.folder / "notes.csv").write_text("a,b\n1,2\n")
    (wrsim.folder / "notes.json").write_text('{"program": "another"}\n')
    wrsim("-q", TWO, "-o", "one.csv", "--json", "one.json")
    wrsim("-q", TWO, "-o", "one.h5")
    for option, path, what in (("-o", "notes.csv", "a result of wrsim"), ("--json", "notes.json", "a summary of wrsim"),
                               ("--json", "one.csv", "a summary of wrsim"), ("--json", "one.h5", "a summary of wrsim"),
                               ("--json", "notes.csv", "a summary of wrsim")):
        key = "output.file" if option == "-o" else "output.json"
        refuse(wrsim, TWO, "-o", "new.csv", option, path, keeps=path,
               says="'%s' exists and is not %s, so it is not overwritten; choose another %s, or remove the file"
                    % (path, what, key))
        expect(not (wrsim.folder / "new.csv").exists(), "the run began")
    (wrsim.folder / "link.csv").symlink_to("notes.csv")
    (wrsim.folder / "hard.csv").hardlink_to(wrsim.folder / "notes.csv")
    for path in ("link.csv", "hard.csv"):
        refuse(wrsim, TWO, "-o", path, says="is not a result of wrsim", keeps="notes.csv")
    for path in ("empty.csv", "empty.h5", "empty.json"):
        (wrsim.folder / path).touch()
    for _ in range(2):
        wrsim("-q", TWO, "-o", "empty.csv", "--json", "empty.json")
        wrsim("-q", TWO, "-o", "empty.h5")
    expect(json.loads((wrsim.folder / "empty.json").read_text())["is_complete"], "the summary")
    expect("is not a result of wrsim" in wrsim("check", TWO, "-D", "output.file=notes.csv", code=3).err, "check")


def test_outputs_replace_no_input(wrsim):
    """Outputs replace no plug-in or recording in use and no config, under any of their names."""
    plugin = shutil.copy(wrsim.folder / "example.so", wrsim.folder / "own.so")
    (wrsim.folder / "soft.so").symlink_to("own.so")
    (wrsim.folder / "hard.json").hardlink_to(plugin)
    (wrsim.folder / "plug.toml").write_text('[[plugin]]\nfile = "own.so"\n' + TWO.read_text())
    (wrsim.folder / "hard.csv").hardlink_to(wrsim.folder / "plug.toml")
    wrsim("-q", "plug.toml", "-o", "fine.csv")
    for path in ("own.so", "soft.so", "hard.json", "./own.so"):
        refuse(wrsim, "plug.toml", "--json", path, keeps="own.so",
               says="summary '%s' would overwrite a plug-in of the run; choose another output.json" % path)
    refuse(wrsim, "plug.toml", "-o", "hard.csv", keeps="plug.toml", says="results 'hard.csv' would overwrite the config")
    refuse(wrsim, TWO, "--json", "own.so", keeps="own.so", says="is not a summary of wrsim")
    wrsim("-q", TWO, "-o", "tape.csv", "-D", "output.signals=[\"b.x\"]")
    (wrsim.folder / "replay.toml").write_text(
        TWO.read_text() + '[[subsystem]]\nname = "b"\ncomponents = ["b"]\nkind = "replay"\nfile = "tape.csv"\n')
    (wrsim.folder / "other.csv").hardlink_to(wrsim.folder / "tape.csv")
    played = ("replay.toml", "-D", "output.signals=[\"a.x\"]")
    wrsim("-q", *played, "-o", "played.csv")
    for path in ("tape.csv", "other.csv"):
        refuse(wrsim, *played, "-o", path, keeps="tape.csv",
               says="results '%s' would overwrite a recording that the run plays; choose another output.file" % path)


def test_summary_is_never_half(wrsim):
    """The program renames the complete summary into its place, also behind a link, and leaves no other file."""
    (wrsim.folder / "folder").mkdir()
    (wrsim.folder / "folder/real.json").touch()
    (wrsim.folder / "link.json").symlink_to("folder/real.json")
    (wrsim.folder / "later.json").symlink_to("folder/later.json")
    os.chmod(wrsim.folder / "folder/real.json", 0o640)
    for path in ("link.json", "later.json"):
        wrsim("-q", TWO, "-o", "", "--json", path)
        expect((wrsim.folder / path).is_symlink(), "%s is no link any more" % path)
        expect(json.loads((wrsim.folder / path).read_text())["is_complete"], path)
    expect((wrsim.folder / "folder/real.json").stat().st_mode & 0o777 == 0o640, "its mode")
    expect({p.name for p in (wrsim.folder / "folder").iterdir()} == {"real.json", "later.json"}, "files are left")


# ---- check, and lists ----

def test_check_text(wrsim):
    out = wrsim("check", TWO).out
    expect(out.startswith("2 subsystems, 2 components, 2 continuous states, 0 event indicators\n"),
           out)
    for text in ("a -> b: a.x", "b -> a: b.x", "algebraic loops within subsystems: none"):
        expect(text in out, "check does not say '%s'\n%s" % (text, out))


def test_check_json(wrsim):
    expect(wrsim("-D", "simulation.stop=2", "check", TWO, "--json").out
           == wrsim("check", TWO, "-Dsimulation.stop=2", "--json").out, "the place of an option matters")
    found = json.loads(wrsim("check", TWO, "--json").out)
    expect(found["n_subsystem"] == 2 and found["n_state"] == 2, found)
    expect([s["name"] for s in found["subsystems"]] == ["a", "b"], found)
    expect({"from": "a.x", "to": "b.u"} in found["connections"], found)


def test_nominals_of_two_ends(wrsim):
    """The run locates a step of 1e-9 into an input of nominal 1. A warning names the different nominal values."""
    (wrsim.folder / "tiny.toml").write_text(
        '[simulation]\nstop = 1.0\nrtol = 1e-6\n'
        '[[component]]\nname = "s"\nmodel = "signal.step"\nparameters = { after = 1e-9, t_step = 0.377 }\n'
        '[[component]]\nname = "d"\nmodel = "dahlquist"\nparameters = { a = -1.0, b = 1e9 }\nstart = { x = 0.0 }\n'
        '[[connection]]\nfrom = "s.y"\nto = "d.u"\n')
    text = ("warning: tiny.toml:15: connection 's.y' -> 'd.u': nominal values 1e-09 of 's.y' and 1 of 'd.u' differ "
            "by a factor above 1e3; ")
    expect("\n\n" + text in wrsim("check", "tiny.toml").out, wrsim("check", "tiny.toml").out)
    found = json.loads(wrsim("check", "tiny.toml", "--json").out)["warnings"]
    expect([w["line"] for w in found] == [15] and found[0]["text"] in text + found[0]["text"], found)
    done = wrsim("tiny.toml", "-o", "tiny.csv", "--json", "tiny.json")
    out = done.out
    expect(done.err.startswith("wrsim: " + text), done.err)
    for words in (("-q",), ()):     # also without a summary
        expect(text in wrsim("tiny.toml", "-o", "tiny.csv", *words).err, words)
    expect(json.loads((wrsim.folder / "tiny.json").read_text())["warnings"] == found, "of the run")
    rows = [line for line in out.splitlines() if line.startswith("d ")]
    expect(rows and int(rows[0].split()[-1]) >= 1, out) # number of input jumps
    wrsim("tiny.toml", "-q", "-o", "twin.csv", "--monolithic", "-D", "simulation.rtol=1e-10")
    wrsim("compare", "tiny.csv", "twin.csv", "--limit", "3e-5")
    for words in (("check", TWO), ("check", "tiny.toml", "--monolithic")):
        expect("warning" not in wrsim(*words).out, words)


def test_long_runs_are_announced(wrsim):
    """Before a long run a warning names the key that makes the run long. Waveforms that need too much memory are an error."""
    (wrsim.folder / "long.toml").write_text(
        '[simulation]\nstop = 1.0\ncommunication_step = 1e-3\n[solver]\nkind = "rk4"\nstep = 1e-12\n'
        '[[component]]\nname = "f"\nmodel = "test.faulty"\nparameters = { fail_time = 0.0 }\n')
    for more in ((), ("-D", "solver.step=1e-3", "-D", "simulation.communication_step=1e-10")):
        key = "simulation.communication_step" if more else "solver.step"
        run = wrsim("long.toml", "-o", "long.csv", *more, code=5)
        expect(re.match("wrsim: warning: (long.toml:[0-9]+: )?'%s' .1e-1" % key, run.err), run.err)
        expect("days at least" in run.err.splitlines()[0] and run.err.count("warning") == 1, run.err)
        expect("warning" not in wrsim("long.toml", "-q", "-o", "long.csv", *more, code=5).err, "not quiet")
        expect(wrsim("check", "long.toml", *more, code=5).out.count("warning") == 1, "of check")
    run = wrsim("long.toml", "-o", "long.csv", "-D", "solver.step=1e-6", code=5)
    expect("warning" not in run.err, run.err)
    # The solver searches for pulses at intervals of half the declared time scale.
    (wrsim.folder / "scale.toml").write_text(
        '[simulation]\nstop = 1.0\ncommunication_step = 1e-3\n[[plugin]]\nfile = "split.so"\n'
        '[[component]]\nname = "f"\nmodel = "split.time_driven"\nparameters = { declares = 1.0 }\n')
    for half, is_long in (("1e-10", 1), ("1e-8", 0)):
        out = wrsim("check", "scale.toml", "-D", "component.f.parameters.half=" + half).out
        expect(out.count("half of the time_scale_s that 'f' declares (1e-10 s) divides") == is_long, out)
    # The summary does not repeat the warning from before the run.
    process = start(wrsim, "long.toml", "-o", "long.csv", "-D", "component.f.parameters.fail_time=2.0")
    wait_for(lambda: catches(process, signal.SIGTERM), "no signal is caught")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    expect("simulated" in out and "warning" not in out and err.count("warning") == 1, (out, err))
    run = wrsim(wrsim.source / "models/engine/engine.toml", "-q", "-o", "room.csv", "-D", "relaxation.max_nodes=10000000",
                code=7)
    expect("'relaxation.max_nodes' = 10000000 needs" in run.err, run.err)


def test_check_shows_defaults(wrsim):
    (wrsim.folder / "left_out.toml").write_text(
        '[simulation]\nstop = 1.0\n'
        '[[component]]\nname = "a"\nmodel = "dahlquist"\nstart = { u = 2.5 }\n'
        '[[component]]\nname = "b"\nmodel = "dahlquist"\n'
        '[[component]]\nname = "c"\nmodel = "dahlquist"\n'
        '[[connection]]\nfrom = "a.x"\nto = "c.u"\n'
        '[[subsystem]]\nname = "s"\ncomponents = ["a"]\n')
    out = wrsim("check", "left_out.toml").out
    expect("made automatically, for components without a [[subsystem]]: b c\n" in out, out)
    expect("\nunconnected inputs and their values\n  a: u = 2.5\n  b: u = 0\n\n" in out, out)
    found = json.loads(wrsim("check", "left_out.toml", "--json").out)
    expect([s["is_automatic"] for s in found["subsystems"]] == [False, True, True], found)
    expect(found["unconnected_inputs"][0] == {"name": "a.u", "value": 2.5, "unit": "1"}, found)
    out = wrsim("check", TWO).out + wrsim("check", "left_out.toml", "--monolithic").out
    expect(out.count("made automatically") == 1 and out.count("unconnected") == 1, out)


@full
def test_history_is_reported(wrsim):
    engine = wrsim.source / "models/engine/engine.toml"
    short = ("-D", "simulation.stop=0.06", "-D", 'output.file=""')
    out = wrsim("check", engine).out
    expect("\nhistory: period 12.5664 of crank.theta, 16384 nodes per subsystem\n"
           "  airpath has the history source airpath, lag 3.14159\n  cyl1 has the history source cyl2, lag 3.14159\n" in out, out)
    out = wrsim("check", engine, "-D", "relaxation.max_nodes=20000").out
    expect("40000 nodes per subsystem" in out, out)
    out = wrsim("check", engine, "-D", "relaxation.history.period=0").out
    expect("cyl1 has the history source cyl2, lag 3.14159 (not used: relaxation.history.period is 0)" in out
           and "history:" not in out, out)
    found = json.loads(wrsim("check", engine, "--json").out)
    expect(found["history"] == {"period": 12.566370614359172, "phase": "crank.theta",
                                "n_node": 16384}, found["history"])
    expect(found["subsystems"][1]["history_source"] == "cyl2", found["subsystems"][1])
    out = wrsim(engine, *short, "--json", "history.json").out
    expect("predicted from history: " in out and " decreased " not in out, out)
    found = json.loads((wrsim.folder / "history.json").read_text())
    expect(0 < found["n_predicted_period"] < found["n_predicted"]
           and 0 < found["n_predicted_followed"] < found["n_predicted"]
           and found["n_phase_fall"] == 0, found)
    out = wrsim(engine, *short, "-D", "relaxation.history.phase=cyl1.T").out
    expect("relaxation.history.phase: cyl1.T decreased " in out, out)
    expect("history" not in wrsim(engine, *short, "-D", "relaxation.history.period=0").out, "told")


def test_check_leaves_nothing(wrsim):
    wrsim("check", TWO, "-D", "output.file=never.csv")
    expect(not (wrsim.folder / "never.csv").exists(), "check writes results")


def test_superfluous_operands_are_named(wrsim):
    config = wrsim.source / "models/relay/relay.toml"
    for words, said in ((("simulate", config), "'simulate' is neither a command nor a file"),
                        (("-q", "simulate", config), "'simulate' is neither a command nor a file"),
                        (("--jsn", "new", config), "'run' takes no option '--jsn'; did you mean '--json'?"),
                        (("help", "chek"), "unknown command 'chek'; did you mean 'check'?"),
                        ((config, "-D", "simulation.rtol", "1e-5"), "remove '1e-5'")):
        expect(said in wrsim(*words, code=2).err, words)


@plain
def test_check_engine(wrsim):
    found = json.loads(wrsim("check", wrsim.source / "models/engine/engine.toml", "--json").out)
    numbers = found["n_subsystem"], found["n_state"], found["n_indicator"]
    expect(numbers == (5, 87, 420), "the engine has %s" % (numbers,))


def recommendation(wrsim, config, *args):
    return json.loads(wrsim("check", config, "--json", *args).out).get("recommendation")


@full
def test_check_recommends(wrsim):
    models = wrsim.source / "models"
    for name, n_worker, is_monolithic in (
            ("hires", 1, True), ("hires", 2, True), ("rc_ladder", 2, True), ("two_mass", 2, True),
            ("engine", 1, False), ("engine", 5, False),
            ("engine_loose", 2, True)): # the split needs twice the work, so that two workers are slower than one solver
        config = models / name.split("_")[0] / (name + ".toml") if "engine" in name else models / name / (name + ".toml")
        workers = "-Dscheduler.workers=%d" % n_worker
        found = recommendation(wrsim, config, workers)
        expect(found["monolithic"] == is_monolithic, "%s: %s" % (name, found))
        expect(found["n_worker"] == n_worker and 1 <= found["shared_by"] <= n_worker, found)
        expect((found["work_ratio"] > max(1, found["shared_by"] / 1.5)) == is_monolithic, found)
        if name == "engine_loose" or (name, n_worker) == ("engine", 1): # one repeated study of the engine suffices
            continue
        text = wrsim("check", config, workers).out.splitlines()[-1]
        expect(text == "recommended: " + found["text"],
               "not the same twice: %s, %s" % (text, found["text"]))
        ratio = "took %.3g times the work of one solver with the same " % found["work_ratio"]
        expect(ratio in text and " (--monolithic" in text, text)
    engine = recommendation(wrsim, models / "engine/engine.toml", "-Dscheduler.workers=5",
                            "-Drelaxation.window.control=fixed")  # the shares depend on the lengths of windows
    expect(engine["shared_by"] > 2.0, engine)


@full
def test_check_counts_sparse_matrices(wrsim):
    """Two subsystems of 990 states have sparse matrices, but each writes a Jacobian of 990^2 entries."""
    ladder = (wrsim.source / "models/rc_ladder/rc_ladder.toml").read_text()
    (wrsim.folder / "ladder.toml").write_text(ladder.replace("n = 10", "n = 990"))
    found = recommendation(wrsim, "ladder.toml", "-Dscheduler.workers=1")
    expect(found["monolithic"] and found["work_ratio"] > 1.5, found)


@full
def test_check_counts_costs(wrsim):
    """The engine's split evaluates cylinders and airpath at fewer points than one solver. So the work of the split, over the work of one
    solver, falls if models are expensive."""
    engine = wrsim.source / "models/engine/engine.toml"
    one = "-Dscheduler.workers=1"
    cheap = recommendation(wrsim, engine, one)["work_ratio"]
    dear = recommendation(wrsim, engine, one, "--cost", "*=4.7619us", "--cost", "port*=20us", "--cost", "cyl*=100us")
    expect(dear["work_ratio"] < 0.8 * cheap, (cheap, dear))
    same = recommendation(wrsim, engine, one, "-Dcomponent.*.cost=4.7619e-6", "-Dcomponent.port?.cost=2e-5",
                          "-Dcomponent.cyl*.cost=1e-4")
    expect(dear["text"] == same["text"], (dear, same))
    expect("unknown component 'cyl'" in wrsim("check", engine, "--cost", "cyl=9us", code=3).err, "a cost without a component")
    expect("PATTERN=TIME" in wrsim("check", engine, "--cost", "cyl1=9", code=2).err, "a cost without a unit")


@tap.tier("long")
def test_check_measures_costs(wrsim):
    """A model whose derivatives take about 50 us gives the same ratio of work as a declared cost of 50 us."""
    def ratio(burn, *args):
        (wrsim.folder / "slow.toml").write_text("""
[simulation]
stop = 20.0
[relaxation]
scheme = "gauss_seidel"
window = { initial = 0.5, max = 1.0 }
[[component]]
name = "slow"
model = "test.faulty"
parameters = { burn = %d }
[[component]]
name = "ball"
model = "bouncing_ball"
[[component]]
name = "mass"
model = "oscillator.mass"
start = { x = 1.0 }
""" % burn)
        return recommendation(wrsim, "slow.toml", "-Dscheduler.workers=1", *args)["work_ratio"]
    declared = ratio(0, "--cost", "slow=50us")
    expect(ratio(0) < 0.9 * declared, "a cheap model is not cheap")
    expect(abs(ratio(20000) - declared) < 0.05, declared)


@full
def test_check_measures_equal_components(wrsim):
    """One solver evaluates one of two equal components without states, but the split evaluates both, so both need a measured cost."""
    (wrsim.folder / "equal.toml").write_text("""
plugin = [{ file = "split.so" }]
component = [{ name = "osc", model = "split.oscillator" }, { name = "s1", model = "split.slow" }, { name = "s2", model = "split.slow" },
             { name = "a", model = "split.linear" }, { name = "b", model = "split.linear" }]
connection = [{ from = "osc.x", to = ["s1.u", "s2.u"] }, { from = "s1.y", to = "a.u1" }, { from = "s2.y", to = "b.u1" }]
subsystem = [{ name = "o", components = ["osc"] }, { name = "sa", components = ["s1", "a"] }, { name = "sb", components = ["s2", "b"] }]
simulation = { stop = 0.05 }
""")
    for attempt in range(3): # other programs may disturb a measurement
        ratio = [recommendation(wrsim, "equal.toml", "-Dscheduler.workers=1", *more)["work_ratio"]
                 for more in ((), ("--cost", "s?=20us"), ("--cost", "s1=20us", "--cost", "s2=1ns"))]
        if abs(ratio[0] / ratio[1] - 1) < 0.05:
            break
    expect(abs(ratio[0] / ratio[1] - 1) < 0.05 and abs(ratio[2] / ratio[1] - 1) > 0.2, ratio)
    wrsim("partition", "--groups", "2", "equal.toml", "--runs", "20", "-o", "found")
    expect("cost" not in (wrsim.folder / "found/grouped.toml").read_text(), "a measured cost becomes a declared cost")


@plain
def test_chattering_keeps_the_same(wrsim):
    """The rows of a run that ends with chattering do not depend on its windows. The event is beside a communication point. At a
    communication point the resolution of time decides whether the file keeps the row."""
    for name, fault, time in (("chatter", 0.5005, 0.5005), ("slide", 0.5, 0.501)):
        for key, value in (("initial", "3e-3"), ("initial", "0.1"), ("max", "0.1")):
            more = ["-Drelaxation.window.%s=%s" % (each, value) for each in ("initial", "max")] + ["--monolithic"] * (key == "max")
            err = wrsim(FAULTY, "-q", *more, "-Drelaxation.window.min=1e-4", "-Dcomponent.sick.parameters.%s_time=%g" % (name, fault),
                        "-Dsimulation.chatter_time=1e-3", "-Dsimulation.max_stuck_events=100", "-o", "kept.csv", code=5).err
            expect("event indicators 'sick.%s'" % name in err, err)
            kept = float(re.search(r"results up to t = (\S+) s are kept", err)[1])
            expect(abs(kept - time) < 1e-6, (name, more, kept))
            rows = wrsim.rows("kept.csv")
            expect(rows[-1][0] == 0.5, (name, more, rows[-1]))


@full
def test_check_waits_for_a_history(wrsim):
    """The first period of an engine has no history to predict from, so `check` judges later periods."""
    engine = wrsim.source / "models/engine/engine.toml"
    words = engine_tight.WORDS + ["-Drelaxation.tolerance_first=10"] # the setting with the least work
    found = recommendation(wrsim, engine, *words, "-Dscheduler.workers=1")
    expect(found["monolithic"] and 1 < found["work_ratio"] < 2, found) # 0.97 at the same tolerance
    expect(found["start_s"] > 0.0479 and found["span_s"] > 0.0479, found) # a cycle of 0.048 s each
    short = "-Dsimulation.stop=0.048"
    beyond = recommendation(wrsim, engine, *words, "-Drelaxation.history.period=1000", short,  # the probe is the whole run
                            "-Dscheduler.workers=1")
    expect(beyond["start_s"] == 0 and beyond["span_s"] == 0.048, beyond)
    expect(beyond["work_ratio"] > 1.1 * found["work_ratio"], (beyond, found))
    expect("from t = 0 s to 0.048 s the split took " in beyond["text"] and "auto" not in beyond["text"], beyond)
    many = recommendation(wrsim, engine, "-Drelaxation.scheme=jacobi", "-Drelaxation.history.period=1000", short, "-Dscheduler.workers=5")
    expect(1 < many["work_ratio"] < many["shared_by"] and not many["monolithic"], many)
    expect('"auto", which decides for one worker, chooses one solver' in many["text"], many)
    out = wrsim("check", engine, "-Drelaxation.history.period=1e6", "-Dsimulation.stop=1000").out
    # under a sanitizer the limit on wall time may act first
    expect(re.search("recommended: the split as it is, without a comparison: "
                     "(the study is too short|the models take too much time)", out), out)


@tap.tier("long")
def test_check_gives_up_dear_models(wrsim):
    """Counted work treats every model as cheap, so wall time ends the probe of expensive models."""
    (wrsim.folder / "dear.toml").write_text(
        "[simulation]\nstop = 1e6\n[relaxation]\nwindow = { initial = 0.02, min = 0.01, max = 0.02 }\n"
        + "".join('[[component]]\nname = "%s"\nmodel = "test.faulty"\nparameters = { burn = 1e6 }\n'
                  % name for name in "ab"))
    out = wrsim("check", "dear.toml", "-Dsimulation.monolithic=auto").out
    expect(out.endswith("chosen: the split as it is, without a comparison: the models take too much "
                        "time for a study\n") and "2 subsystems" in out, out)


def test_check_holds_patterns_against_models(wrsim):
    """`check` finds an entry that the pattern of the model lacks, although the gap hides the entry at the start."""
    (wrsim.folder / "play.toml").write_text("""
plugin = [{ file = "split.so" }]
component = [
    { name = "osc", model = "split.oscillator", parameters = { omega = 40.0 }, start = { x = 0.0, v = 40.0 } },
    { name = "play", model = "split.play", parameters = { gap = 0.5 } },
    { name = "lag", model = "split.linear" },
]
connection = [{ from = "osc.x", to = "play.u" }, { from = "play.y", to = "lag.u1" }]
subsystem = [{ name = "a", components = ["osc"] }, { name = "b", components = ["play", "lag"] }]
simulation = { stop = 1, communication_step = 0.1, rtol = 1e-6 }
""")
    err = wrsim("check", "play.toml", code=4).err
    expect("(U -> Y of split.play: play.y depends on play.u); correct the patterns" in err, err)
    # other time spans, with ends that are no exact sums of steps
    for begin, end in ((-2.0, -0.9), (0.3, 0.9), (0.6, 1.7)):
        err = wrsim("check", "play.toml", "-Dsimulation.start=%r" % begin, "-Dsimulation.stop=%r" % end, code=4).err
        expect("play.y depends on play.u" in err, (begin, end, err))
    gone = wrsim("check", "play.toml", "-Dcomponent.play.parameters.gap=100").err
    expect(not gone, gone)
    expect(sorted(p.name for p in wrsim.folder.glob("*.csv")) == [], "check writes")


@full
def test_choice_is_reported_without_a_probe(wrsim):
    """Without a comparison of split and one solver, `check` and a run with "auto" report the reason."""
    rod = wrsim.source / "models/heat_rod/heat_rod.toml"
    lone = "the split as it is, without a comparison: "
    large = "3 subsystems with 2002 states exceed the limit of the study, 256 with 2000"
    for config, why, words in ((rod, large, ("-Dsimulation.stop=0.01",)),
                               (TWO, "a slackened run has errors that one solver does not have", SLACK)):
        found = recommendation(wrsim, config, *words)
        expect(found["text"] == lone + why and found["work_ratio"] is None and not found["monolithic"], found)
        expect(wrsim("check", config, *words).out.endswith("\nrecommended: " + lone + why + "\n"), why)
    run = wrsim(rod, "-Dsimulation.stop=0.01", '-Dsimulation.monolithic="auto"', "--json", "auto.json", "-o", "rod.csv")
    expect("\nchosen: " + lone + large + "\n" in run.out, run.out)
    expect(json.loads((wrsim.folder / "auto.json").read_text())["choice"]["text"] == lone + large, large)


def test_check_recommends_settings_that_work(wrsim):
    """Two coupled dahlquist models: relaxation does not converge, so one solver runs."""
    (wrsim.folder / "stiff.toml").write_text(
        "[simulation]\nstop = 1.0\n[relaxation]\nscheme = \"jacobi\"\nwindow = { initial = 0.1, min = 0.05, max = 0.1 }\n"
        + "".join('[[component]]\nname = "%s"\nmodel = "dahlquist"\n'
                  'parameters = { a = -1.0, b = %s }\n'
                  '[[connection]]\nfrom = "%s.x"\nto = "%s.u"\n' % (me, drive, other, me)
                  for me, drive, other in (("a", 500.0, "b"), ("b", -500.0, "a"))))
    found = recommendation(wrsim, "stiff.toml")
    expect(found["monolithic"] and found["work_ratio"] is None, found)
    expect("one solver succeeds, but the split fails: relaxation does not converge" in found["text"], found)
    out = wrsim("stiff.toml", "-Dsimulation.monolithic=auto").out
    expect("\nchosen: monolithic: one solver succeeds, but the split fails" in out, out)


def test_check_is_sure_about_the_rest(wrsim):
    """If the rest of the run may reverse the advice, the study goes on to the end, or says that it is undecided."""
    words = wrsim.source / "models/two_mass/two_mass.toml", "-Dscheduler.workers=1", "--cost", "*=10ms"
    found = recommendation(wrsim, *words, "-Dsimulation.stop=100")
    if found["undecided"]:  # on a slow machine
        expect(re.match("undecided: from t = .* the study ended after 0.0.* % of the run, and the rest may reverse the comparison",
                        found["text"]), found)
    else:
        expect(found["start_s"] == 0 and found["span_s"] == 100, found)
    whole = recommendation(wrsim, *words, "-Dsimulation.stop=0.1")
    expect(not whole["undecided"] and whole["start_s"] == 0 and whole["span_s"] == 0.1, whole)


def test_check_meets_the_fault_of_the_run(wrsim):
    """`check` gives the error and the exit code of a run that fails at the start or within the study, and no recommendation."""
    # With expensive points the study begins with a part of the run, and then goes on to the fault.
    for at, cost, words in ((0.0, 0, ()), (0.0, 0, ("--monolithic",)), (0.5, 0, ()), (0.5, 0, ("-Dsimulation.monolithic=auto",)), (0.5, 1e-3, ())):
        (wrsim.folder / "sick.toml").write_text(
            "simulation = { stop = 1 }\n"
            '[[component]]\nname = "sick"\nmodel = "test.faulty"\ncost = %g\nparameters = { nan_time = %s }\n'
            '[[component]]\nname = "well"\nmodel = "dahlquist"\ncost = %g\n[[connection]]\nfrom = "sick.y"\nto = "well.u"\n' % (cost, at, cost))
        found, run = (wrsim(*command, "sick.toml", *words, code=5) for command in (("check",), ("run", "-q")))
        expect("state 'sick.x' is not finite at t = %g s" % at in found.err and found.err == run.err, (at, words, found.err, run.err))
        expect("\nmachine: " in found.out and "recommended" not in found.out and "chosen" not in found.out, found.out)


def test_large_splitting_error_warns(wrsim):
    """A complete run whose estimated splitting error is large warns, also with -q."""
    loose = ["-Drelaxation.convergence=1000", "-Dsimulation.rtol=1e-5", "-Drelaxation.window={ control = 'fixed', initial = 1.0, max = 1.0 }"]
    err = wrsim("run", TWO, "-q", "-o", "two.csv", *loose).err
    expect(re.match("wrsim: warning: the estimated splitting error is [0-9.]+ of the range", err) and "`wrsim check`" in err, err)
    expect(wrsim("run", TWO, "-q", "-o", "two.csv").err == "", "a small error")


LOOP = """
component = [
    { name = "a", model = "signal.gain", parameters = { k = 0.5, offset = 1 } },
    { name = "b", model = "signal.gain", parameters = { k = -1.9 } },
]
connection = [{ from = "a.y", to = "b.u" }, { from = "b.y", to = "a.u" }]
simulation = { stop = 1, communication_step = 0.1, rtol = 1e-6 }
"""


DRIVEN_LOOP = """
plugin = [{ file = "split.so" }]
component = [
    { name = "osc", model = "split.oscillator", parameters = { omega = 1.0 }, start = { x = 1.0 } },
    { name = "a", model = "split.map", parameters = { k1 = 0.5, k2 = 1.0 } },
    { name = "b", model = "split.map", parameters = { k1 = 1.0 } },
]
connection = [{ from = "osc.x", to = "a.u2" }, { from = "b.y", to = "a.u1" }, { from = "a.y", to = "b.u1" }]
subsystem = [{ name = "g0", components = ["osc", "a"] }, { name = "g1", components = ["b"] }]
simulation = { stop = 3, communication_step = 0.1, rtol = 1e-6 }
relaxation = { acceleration = "none" }
"""


def test_check_of_a_loop_between_subsystems(wrsim):
    """A loop between subsystems has start values, as within one subsystem. If a loop has no solution, the error names the loop."""
    (wrsim.folder / "loop.toml").write_text(LOOP)
    found = wrsim("check", "loop.toml").out
    expect("algebraic loops within subsystems: none" in found, found)
    expect("the split fails" not in found and "start values" not in found, found)
    expect("a.y" in wrsim("check", "--monolithic", "loop.toml").out.split("algebraic loops: ")[1], found)
    err = wrsim("loop.toml", "-q", "-o", "none.csv", "-D", "component.b.parameters.k=2", code=5).err
    expect("no start values of the algebraic loop a.y -> b.u -> b.y -> a.u across subsystems" in err, err)


def test_start_of_a_loop_between_subsystems(wrsim):
    """Start values of a loop are right at the gains 0.5, -0.9, 0.99 and 3. At 3 repeated evaluation diverges."""
    (wrsim.folder / "loop.toml").write_text(LOOP)
    for gain in (0.5, -0.9, 0.99, 3.0):
        wrsim("loop.toml", "-q", "-o", "loop.csv", "-D", "component.b.parameters.k=%g" % (2 * gain))
        rows = [line.split(",") for line in (wrsim.folder / "loop.csv").read_text().splitlines()
                if line[0] not in "#\n"]
        first = dict(zip(rows[0], rows[1]))
        y = 1 / (1 - gain)
        expect(abs(float(first["a.y"]) - y) < 1e-9 * abs(y), (gain, first))
        expect(abs(float(first["b.y"]) - 2 * gain * y) < 1e-9 * abs(2 * gain * y), (gain, first))


def test_loop_falls_back_on_auto(wrsim):
    """If sweeps without acceleration do not contract, the run accelerates and reports the time of this change."""
    (wrsim.folder / "driven.toml").write_text(DRIVEN_LOOP)
    for gain, falls_back in ((0.1, False), (0.999, True), (-3.0, True)):
        same = ("driven.toml", "-D", "component.a.parameters.k1=%g" % gain)
        out = wrsim(*same, "-o", "loop.csv", "--json", "loop.json").out
        found = json.loads((wrsim.folder / "loop.json").read_text())
        expect(("acceleration active from t =" in out) == falls_back, out)
        expect(("acceleration_fallback_s" in found) == falls_back, found)
        wrsim(*same, "-q", "--monolithic", "-o", "one.csv")
        wrsim("compare", "loop.csv", "one.csv", "--limit", "3e-5") # 30 rtol


@full
def test_start_of_a_turbocharger_of_its_own(wrsim):
    """The compressor reads its speed from another subsystem, where the speed is a state and known at the start."""
    text = (wrsim.source / "models/engine/engine.toml").read_text()
    expect('"turbine", "turbo", "charge"' in text, "the airpath has other components")
    (wrsim.folder / "turbo.toml").write_text(text.replace('"turbo", ', ""))
    out = wrsim("check", "turbo.toml").out
    expect("made automatically, for components without a [[subsystem]]: turbo\n" in out, out)
    expect("the split fails" not in out, out)
    short = ("-q", *engine_tight.WORDS, "-D", "simulation.stop=0.01", "-o")
    wrsim("turbo.toml", *short, "turbo.csv")
    wrsim(wrsim.source / "models/engine/engine.toml", *short, "engine.csv")
    wrsim("compare", "turbo.csv", "engine.csv", "--limit", "3e-4") # 30 rtol


def test_check_recommends_nothing(wrsim):
    for args in ((wrsim.source / "models/orego/orego.toml",), (TWO, "--monolithic")):
        expect(recommendation(wrsim, *args) is None, args)
        expect("recommended" not in wrsim("check", *args).out, args)


@full
def test_auto_chooses(wrsim):
    """simulation.monolithic = "auto" gives the bits of one of the two runs, and reports the choice and its reason."""
    models = wrsim.source / "models"
    for name, chosen, other in (("two_mass", "true", "false"), ("engine", "false", "true")):
        config = models / name / (name + ".toml")
        # a short engine run, with a probe that is long enough
        more = (("-Dsimulation.stop=0.05", "-Dsimulation.rtol=1e-4",
                 "-Drelaxation.scheme=gauss_seidel") if name == "engine" else ())
        rtol = ()
        for value in ("auto", chosen):
            for workers in ("1", "2"):
                out = wrsim(config, *more, *(rtol if value == chosen else ()),
                            "-Dsimulation.monolithic=" + value, "-o",
                            value + workers + ".csv", "--json", value + workers + ".json",
                            "-Dscheduler.workers=" + workers).out
                expect(("\nchosen: " in out) == (value == "auto"), out)
                if chosen == "true" and value == "auto": # one solver at the printed tolerance
                    rtol = ("-D" + re.search(r"--monolithic -D (solver.rtol=\S+)\)", out)[1],)
        read = lambda file: (wrsim.folder / file).read_bytes()
        for one, other_one in (("auto1", "auto2"), (chosen + "1", chosen + "2")):
            expect(read(one + ".csv") == read(other_one + ".csv"), "%s: %s" % (name, one))
        rows = lambda file: [l for l in read(file).splitlines() if not l.startswith(b"#")]
        expect(rows("auto1.csv") == rows(chosen + "1.csv"), name)
        auto, plain = (json.loads(read(v + "2.json")) for v in ("auto", chosen))
        expect("choice" not in plain and auto["choice"]["monolithic"] == (chosen == "true"), auto)
        expect(auto["choice"]["n_worker"] == 1 and auto["choice"]["text"] in out_of_auto(wrsim, config, more),
               auto["choice"])
        expect("monolithic = %s\n" % chosen in auto["config"], auto["config"])
        expect([s["name"] for s in auto["subsystems"]] == [s["name"] for s in plain["subsystems"]], auto)
        # both groupings have the same names, so that their results compare
        wrsim(config, *more, "-q", "-Dsimulation.monolithic=" + other, "-o", "other.csv")
        expect(sorted(wrsim.names("other.csv")) == sorted(wrsim.names("auto1.csv")), name)


def test_auto_runs_its_choice(wrsim):
    """If subsystems have their own tolerances, the chosen single solver has the tightest of these tolerances."""
    config = wrsim.source / "models/two_mass/two_mass.toml"
    tight = ("-Dsimulation.rtol=1e-4", "-Dsubsystem.left.solver.rtol=1e-10",
             "-Dsubsystem.right.solver.rtol=1e-9", "-Drelaxation.convergence=1e-6")
    out = wrsim(config, *tight, "-Dsimulation.monolithic=auto", "-o", "auto.csv", "--json",
                "auto.json").out
    expect("\nchosen: monolithic: " in out and "(--monolithic -D solver.rtol=1e-10)" in out, out)
    found = json.loads((wrsim.folder / "auto.json").read_text())
    expect(found["choice"]["rtol"] == 1e-10 and found["choice"]["error"] is None, found["choice"])
    equal = recommendation(wrsim, config, *tight, "-Dscheduler.workers=1") # the same error needs a looser tolerance
    expect(equal["rtol"] > 1e-10 and equal["work_ratio"] > found["choice"]["work_ratio"], equal)
    expect("rtol = 1e-10\n" in found["config"].split("[solver]")[1].split("[")[0], found["config"])
    wrsim(config, "-q", "-Dsimulation.rtol=1e-12", "--monolithic", "-o", "reference.csv")
    for row, exact in zip(wrsim.rows("auto.csv"), wrsim.rows("reference.csv"), strict=True):
        expect(all(abs(a - b) < 1e-8 for a, b in zip(row, exact)), (row, exact))


def out_of_auto(wrsim, config, more):
    """Returns the report of `check` on a config with "auto"."""
    args = (config, *more, "-Dsimulation.monolithic=auto", "-Dscheduler.workers=2")
    found = json.loads(wrsim("check", *args, "--json").out)
    expect("recommendation" not in found and "choice" in found, found)
    out = wrsim("check", *args).out.splitlines()[-1]
    expect(out == "chosen: " + found["choice"]["text"], out)
    return out


def test_auto_without_a_choice(wrsim):
    """With "auto" a config of one subsystem runs unchanged. The key accepts only true, false and "auto"."""
    orego = wrsim.source / "models/orego/orego.toml"
    out = wrsim(orego, "-Dsimulation.monolithic=auto", "-Dsimulation.stop=1", "-Doutput.file=").out
    expect("chosen" not in out and "1 subsystem, " in out, out)
    out = wrsim(TWO, "-Dsimulation.monolithic=1", code=3).err
    expect("must be true, false or \"auto\"" in out, out)


def test_check_monolithic(wrsim):
    found = json.loads(wrsim("check", TWO, "--json", "--monolithic").out)
    expect([s["name"] for s in found["subsystems"]] == ["monolith"], found)


def test_check_names_loops(wrsim):
    (wrsim.folder / "loop.toml").write_text(
        '[simulation]\nstop = 1.0\n[[component]]\nname = "g"\nmodel = "signal.gain"\n'
        'parameters = { k = 0.5, offset = 1.0 }\n[[connection]]\nfrom = "g.y"\nto = "g.u"\n')
    expect("g.y -> g.u" in wrsim("check", "loop.toml").out, "check does not name the loop")
    wrsim("loop.toml", "-q", "-o", "loop.csv")
    for row in wrsim.rows("loop.csv"):
        expect(abs(row[1] - 2.0) < 1e-9, "the loop y = 0.5 y + 1 gives %s" % row)


@plain
def test_models(wrsim):
    lines = wrsim("models").out.splitlines()
    expect(len(lines) > 20, "only %d models" % len(lines))
    for line in lines:
        name = line.split()[0]
        out = wrsim("models", name).out
        expect(out.startswith(name + ": "), "models %s says\n%s" % (name, out))
    out = wrsim("models", "oscillator.mass").out
    for text in ("k12", "[N/m]", "x_neighbour", "inputs (1)", "continuous states (2)"):
        expect(text in out, "models oscillator.mass lacks " + text)


def test_keys(wrsim):
    for_users = wrsim("keys").out
    out = wrsim("keys", "--all").out
    n_hidden = int(re.search(r"^(\d+) keys for experts are not shown; wrsim keys --all lists all keys$", for_users, re.M)[1])
    shown = re.findall(r"^([a-z_.]+) = ", for_users, re.M)
    expect("simulation.rtol" in shown and "scheduler.topology" not in shown, for_users)
    expect(n_hidden + len(shown) == len(re.findall(r"^[a-z_.]+ = ", out, re.M)) and n_hidden >= 16, for_users)
    expect(not re.search(r"\[expert\]|not shown", for_users.replace(str(n_hidden) + " keys for experts are not shown", "")), for_users)
    expect("scheduler.topology = " in wrsim("keys", "topology").out, "who asks by name gets it")
    keys = re.findall(r"^([a-z_.]+) = ", out, re.M)
    for section in ("simulation.", "relaxation.", "scheduler.", "output.", "solver."):
        expect(any(key.startswith(section) for key in keys), "no key of " + section)
    part = re.findall(r"^([a-z_.]+) = ", wrsim("keys", "window").out, re.M)
    expect(part == [key for key in keys if "window" in key] and part, "keys window: %s" % part)
    for line in ("relaxation.max_sweeps = 12  (whole number, 1 to 1000)  [expert]",
                 "simulation.stop = (required)  (number, -1e+30 to 1e+30, in s)",
                 'relaxation.scheme = "auto"  (one of auto, jacobi, gauss_seidel, slack)'):
        expect(line + "\n" in out, "keys lacks %s\n%s" % (line, out))
    reference = (wrsim.source / "docs/config_reference.md").read_text()
    for table in ("component", "connection", "subsystem", "plugin"):
        shown = re.findall(r"^\[\[%s\]\] (\w+)  \(" % table, out, re.M)
        section = reference[reference.index("## [[%s]]" % table):].split("```")[0]
        expect(shown and shown == re.findall(r"^\| `(\w+)` ", section, re.M), "%s: %s" % (table, shown))
    expect("[[connection]] to  (string or list, required)\n" in wrsim("keys", "connection.to").out, out)


def test_topology(wrsim):
    out = wrsim("topology").out
    expect(re.search(r"^ +\d+ +\d+", out, re.M), out)
    rows = re.findall(r"^ +\d+ +(\d+) +(\d+)", wrsim("topology", "core:4 pu:2").out, re.M)
    expect(len(rows) == 8, "4 cores with 2 threads make %d rows" % len(rows))


SLACK = ("-D", "relaxation.scheme=slack")


def test_limits_of_delay_errors(wrsim):
    """The summary names the change that a limit of delay errors caused: shorter periods, waits or relaxation. Without limits the
    summary names no change."""
    watched = (TWO, *SLACK, "-D", "slack.watch=1", "-D", "slack.bound=0")
    above = (*watched, "-D", "slack.eps_loc=1e-12", "-D")
    words = {"shorten": "is exchanged every", "wait": "waits for", "relax": "integrates each period"}
    for action, text in words.items():
        out = wrsim(*above, "slack.on_loc=" + action).out
        expect(all((word in out) == (word == text) for word in words.values()), out)
    out = wrsim(*watched).out
    expect("stale inputs" in out and not any(word in out for word in words.values()), out)


# Deadlines that are never and always met, however busy the machine is.
NEVER_MET, ALWAYS_MET = ("-D", "realtime.deadline=1e-9"), ("-D", "realtime.deadline=3600")


def test_paced_run(wrsim):
    paced = (TWO, *SLACK, "-D", "realtime.rate=100")
    out = wrsim(*paced, *ALWAYS_MET, "--json", "paced.json").out
    expect("0 of 20 steps missed" in out and "never more than 0 in 1" in out, out)
    for word in ("compute", "lateness", "margin", "latest in"):
        expect(word in out, "the summary lacks " + word)
    found = json.loads((wrsim.folder / "paced.json").read_text())["realtime"]
    expect(found["n_step"] == 20 and found["n_miss"] == 0, found)
    expect(len(found["worst_steps"]) == 10 and len(found["subsystems"]) == 2, found)
    out = wrsim(*paced, *NEVER_MET, "-D", "realtime.misses=4", "-D", "realtime.of=10").out
    expect("20 of 20 steps missed" in out and "the limit of 4 misses in 10 steps was exceeded at 16 steps, first at step 4" in out, out)
    stopped = wrsim(*paced, *NEVER_MET, "-D", "realtime.policy=stop", "-o", "stopped.csv", code=9)
    expect("more deadlines were missed" in stopped.err and "raise realtime.deadline" in stopped.err, stopped.err)
    expect(1 < len(wrsim.rows("stopped.csv")) < 21, "rows up to the stop are kept")
    expect("real time:" not in wrsim(TWO, *SLACK).out, "a run that is not paced has nothing to say")


@full
def test_rtcheck(wrsim):
    check = ("rtcheck", TWO, *SLACK, "-D", "realtime.rate=1", "-D", "slack.period=0.05") # 20 steps
    allowed = "-D", "realtime.misses=2", "-D", "realtime.of=3"
    never = "-D", "realtime.misses=0", "-D", "realtime.of=10"
    # at once, because each program measures the wake-up delay of threads for three seconds
    runs = [(start(wrsim, *check, *words), code) for words, code in
            ((ALWAYS_MET, 0), ((*NEVER_MET, *allowed), 10), ((*NEVER_MET, *never), 10), (("-q", *NEVER_MET), 10),
             ((*ALWAYS_MET, "-D", "slack.period=0.005"), 0))]
    held, failing, none, quiet, long = (run.communicate()[0] for run, _ in runs)
    expect([run.returncode for run, _ in runs] == [code for _, code in runs], [run.returncode for run, _ in runs])
    expect("\nthe deadlines will hold (margin" in held and "a whole step" in held, held)
    expect(held.count(": the run misses no deadline\n") == 3 and "for each step, of which none may be missed:" in held, held)
    expect("of which at most 2 of any 3 in a row may be missed:" in failing, failing)
    missed = re.search(r": (\d+) of \1 deadlines missed; (\d+) steps end a span", failing)
    expect(missed and int(missed[2]) == int(missed[1]) - 2, failing)
    # The error to find: "more than allowed in 16 stretches of 10 steps" of 7 existing stretches, although no deadline may be missed.
    expect("of which none may be missed:" in none and len(re.findall(r": (\d+) of \1 deadlines missed\n", none)) == 3, none)
    expect(quiet.startswith("\nthe deadlines will not hold"), quiet)
    expect("lower realtime.rate" in failing and "lower realtime.rate" not in held + quiet, failing)
    # Times of subsystems and of whole steps omit the same first steps.
    most = {name: float(time) * {"n": 1e-9, "u": 1e-6, "m": 1e-3}.get(unit, 1.0)
            for name, time, unit in re.findall(r"^(a|b|a whole step) {2,}.* (\S+) ([num]?)s$", long, re.M)}
    expect(len(most) == 3 and max(most["a"], most["b"]) <= 1.01 * most["a whole step"], long)
    err = wrsim("rtcheck", TWO, *SLACK, code=3).err
    expect("so no step has a deadline; set the simulated seconds" in err, err)
    err = wrsim("rtcheck", TWO, "-D", "realtime.rate=1", code=3).err
    expect('needs relaxation.scheme = "slack"' in err, err)


def test_tools_name_a_remedy(wrsim):
    """The error of a request that a tool cannot fulfil is one line with the remedy or the conflict. Tested requests are listed below."""
    two = ("-D", "solver.kind=linimp", "-D", "solver.step=1e-3")
    (wrsim.folder / "two.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n")
    for words, says in ((("codegen", TWO, "code.txt", "a", *two), "write CONFIG first"),
                        (("codegen", TWO, "code.c", *two), "name of one subsystem after the file; choose one of: a, b"),
                        (("sparse", TWO, *two), "add --subsystem NAME; choose one of: a, b"),
                        (("sparse", TWO, "--subsystem", "arm", *two), "choose one of: a, b"),
                        (("stability", TWO), "such as -D solver.kind=rk4 -D solver.step=1e-3"),
                        (("stability", "--method", "ab2", "--points", "3"), "--method and --points exclude one another"),
                        (("stability", "--method", "ab2", "-D", "solver.step=1"), "--method and --define exclude one another"),
                        (("partition", "two.mtx", "--relation", "z_z"), "'two.mtx' is no config, so --relation has no effect"),
                        (("partition", "two.mtx", "--points", "3"), "'two.mtx' is no config, so --points has no effect"),
                        (("partition", "two.mtx", "--declared"), "'two.mtx' is no config, so --declared has no effect"),
                        (("partition", "two.mtx", "-D", "simulation.stop=1"), "'two.mtx' is no config, so --define has no effect")):
        err = wrsim(*words, code=2).err
        expect(says in err and err.count("\n") == 1, err)
    expect(not (wrsim.folder / "code.txt").exists(), "a file that no compiler takes")


def test_codegen_names_the_object_as_the_config_does(wrsim):
    """solver.code is relative to the config, so the printed name fits into the config."""
    (wrsim.folder / "made").mkdir()
    shutil.copy(wrsim.source / "models/robot/robot.toml", wrsim.folder / "made/robot.toml")
    for config, code, named in (("made/robot.toml", "made/lu.c", "lu.so"), ("made/robot.toml", "lu.c", str(wrsim.folder / "lu.so")),
                                (str(wrsim.folder / "made/robot.toml"), "made/lu.c", "lu.so")):
        out = wrsim("codegen", config, code).out
        expect(out.endswith('then:     solver.code = "%s" in the config\n' % named), out)


@full
def test_stability_of_methods(wrsim):
    beste = wrsim("stability", "--method", "beste", code=12).out
    expect("order              3\n" in beste and "root             -5, outside" in beste and "refuses the method" in beste, beste)
    bdf3 = json.loads(wrsim("stability", "--method", "bdf3", "--json").out)
    expect(bdf3["order"] == 3 and abs(bdf3["angle_degrees"] - 86.03) < 0.01, bdf3)
    own = json.loads(wrsim("stability", "--alpha", "12,-12", "--beta", "0,23,-16", "--json", code=2).out or "{}")
    expect(own == {}, own)
    own = json.loads(wrsim("stability", "--alpha", "12,-12,0,0", "--beta", "0,23,-16,5", "--json").out)
    expect(own["order"] == 3 and abs(own["real_interval"] - 6 / 11) < 1e-9, own)
    wrong = json.loads(wrsim("stability", "--alpha", "1,-1", "--beta", "0.9", "--json", code=12).out)
    expect(not wrong["consistent"], wrong)
    for words, says in ((("--method", "bdf9"), "did you mean"), (("--alpha", "1,-1"), "--alpha needs --beta"),
                        (("--alpha", "0,1", "--beta", "1"), "do not define a method: alpha_0"),
                        (("--method", "ab2", "--alpha", "1,-1", "--beta", "1"), "exclude one another"),
                        (("--alpha", "1,nan", "--beta", "1"), "takes finite numbers"), ((), "needs CONFIG"),
                        (("--method", "ab2", "config.toml"), "--method and --alpha take no config")):
        err = wrsim("stability", *words, code=2).err
        expect(says in err, err)


@full
def test_stability_of_a_config(wrsim):
    ladder = (wrsim.source / "models/rc_ladder/rc_ladder.toml", "--points", "2", "-D", "solver.kind=ab3")
    stable = wrsim("stability", *ladder, "-D", "solver.step=0.13").out
    expect("right: ab3, step 0.13 s, 10 states: stable\n    largest stable step: 0.139" in stable, stable)
    folder = wrsim.folder / "drawings"
    told = wrsim("stability", *ladder, "-D", "solver.step=0.13", "-o", folder).out
    expect(told.endswith(f"2 files in {folder}\n"), told)
    found = json.loads(wrsim("stability", *ladder, "-D", "solver.step=0.15", "--json", "-o", folder, code=12).out)
    expect([s["stable"] for s in found["subsystems"]] == [False, False], found)
    expect(found["subsystems"][0]["worst"]["states"][0]["name"].startswith("left.v["), found)
    for name in ("left.svg", "right.svg"):
        xml.etree.ElementTree.parse(folder / name)
    slack = json.loads(wrsim("stability", wrsim.source / "models/two_mass/two_mass.toml", "--points", "2", "--json",
                             "-D", "relaxation.scheme=slack", "-D", "relaxation.prediction=hold", code=12).out)
    expect(slack["exchange"]["verdict"] == "unstable" and slack["exchange"]["hold"]["spectral_radius"] > 1.0, slack)
    line = (wrsim.source / "models/varistor_line/varistor_line.toml", "--points", "2")
    expect("line: linimp with a mass matrix, step 0.001 s, 50 states: stable\n" in wrsim("stability", *line).out, "mass matrix")
    part = json.loads(wrsim("stability", *line, "-D", "solver.pattern=kept.mtx", "--json").out)["subsystems"][0]
    expect(part["stable"] and 0.0097 < part["largest_step"] < 0.0098 and "factor" in part["worst"], part)
    err = wrsim("stability", TWO, code=2).err
    expect("has a fixed step or exchanges values" in err, err)
    for model, way, verdict in (("engine/engine_loop", (), "not judged"),
                                ("two_mass/two_mass", (*SLACK, "-D", "slack.period=1e-3", "-D", "relaxation.prediction=auto"), "undecided")):
        found = json.loads(wrsim("stability", wrsim.source / "models" / (model + ".toml"), "--points", "2", "--json", *way, code=11).out)
        expect(found["stable"] is None and found["exchange"]["verdict"] == verdict, found)


@full
def test_rtcheck_waits(wrsim):
    """The thread that measures the wake-up delay waits as the run does: with realtime.wait = "spin" the thread uses CPU time."""
    used_s = {}
    for wait in ("sleep", "spin"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wrsim("rtcheck", TWO, *SLACK, "-D", "realtime.rate=1", *ALWAYS_MET, "-D", "realtime.wait=" + wait)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used_s[wait] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expect(used_s["spin"] > 2.0 * used_s["sleep"], used_s)


# ---- runs ----

def test_nothing_is_beyond_the_end(wrsim):
    """An event at 3 * 0.1 s is due an ulp after 0.3 s. The run handles the event at the window's end."""
    (wrsim.folder / "late.toml").write_text(
        "[simulation]\nstop = 0.3\ncommunication_step = 0.1\n[relaxation]\n"
        'window = { initial = 0.1, min = 1e-4, max = 0.1, control = "fixed" }\n'
        '[[component]]\nname = "lag"\nmodel = "dahlquist"\nstart = { x = 1.0 }\n'
        'parameters = { a = -4.0, b = 0.0 }\n'
        '[[component]]\nname = "sampler"\nmodel = "signal.sampler"\nparameters = { period = 0.1 }\n'
        '[[connection]]\nfrom = "lag.x"\nto = "sampler.u"\n')
    for value in ("true", "false"):
        wrsim("late.toml", "-q", "-o", "late.csv", "-Dsimulation.monolithic=" + value)
        lines = (wrsim.folder / "late.csv").read_text().splitlines()
        times = [float(line.split(",")[0]) for line in lines if line[0] not in "#t" and ",c," not in line]
        expect(len(times) == 6 and times[-2:] == [0.3, 0.3], (value, times)) # left and right of events


def test_points_at_zero(wrsim):
    """Each run has a row at t = 0, also if start + n * step is not 0 by rounding, and if the run ends there."""
    for stop in ("0.0", "0.2"):
        for more in ((), ("--monolithic",), ("-D", "relaxation.scheme=slack")):
            wrsim(TWO, "-q", "-o", "zero.csv", "-D", "simulation.start=-0.3", "-D", "simulation.stop=" + stop,
                  "-D", "simulation.communication_step=0.1", *more)
            times = [row[0] for row in wrsim.rows("zero.csv")]
            expect(len(times) == 4 + (2 if stop == "0.2" else 0) and times[3] == 0.0, (stop, more, times))


@full
def test_tolerance_factor(wrsim):
    """A factor of all components has the effect of this factor on the solver's rtol, split or not. A factor of the left mass alone
    reduces the error of both masses."""
    config = wrsim.source / "models/two_mass/two_mass.toml"
    factor = 2.0 ** -13  # a power of two, so that products are exact

    def run(kind, rtol, *factors, monolithic="true", factor=factor):
        wrsim(config, "-q", "-o", "rows.csv", "-Dsimulation.monolithic=" + monolithic, "-Dsolver.kind=" + kind,
              "-Dsolver.rtol=%.17g" % rtol,
              *("-Dcomponent.%s.tolerance_factor=%.17g" % (name, factor) for name in factors))
        return wrsim.rows("rows.csv")

    def error(rows):
        return max(abs(a - b) for row, right in zip(rows, exact, strict=True) for a, b in zip(row, right))

    exact = run("dopri54", 1e-13)
    loose = 2.0 ** -10
    # tolerances within the range of each method; the product with the factor is the same for all
    for kind, rtol, value in (("bs32", loose, "true"), ("rk43", loose, "false"), ("dopri54", loose, "true"), ("dopri54", loose, "false"),
                              ("rosenbrock", loose / 16, "true"), ("rosenbrock_w", loose / 4, "false")):
        expect(run(kind, rtol, "left", "right", monolithic=value, factor=loose * factor / rtol)
               == run(kind, loose * factor, monolithic=value), (kind, value))
    for kind in ("bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w", "auto", "cvode_bdf", "cvode_adams", "lsoda"):
        plain, left, both = (error(run(kind, loose, *f)) for f in ((), ("left",), ("left", "right")))
        expect(both < 0.02 * plain and left < 0.2 * plain, (kind, plain, left, both))


def test_summary_and_quiet(wrsim):
    found = wrsim(TWO, "-o", "s.csv")
    for text in ("windows", "sweeps", "rejected", "skipped", "worker 0", "s.csv, 21 rows"):
        expect(text in found.out, "the summary lacks '%s'\n%s" % (text, found.out))
    expect(found.err == "", "standard error: " + found.err)
    quiet = wrsim(TWO, "--quiet", "-o", "s.csv")
    expect(quiet.out == "" and quiet.err == "", "not quiet: " + quiet.out + quiet.err)


def test_run_word_is_optional(wrsim):
    wrsim("run", TWO, "-q", "-o", "with.csv")
    wrsim(TWO, "-q", "-o", "without.csv")
    same = (wrsim.folder / "with.csv").read_bytes() == (wrsim.folder / "without.csv").read_bytes()
    expect(same, "run CONFIG and CONFIG differ")


SAMPLED = """
[simulation]
stop = 10.0
communication_step = 0.01
[output]
events = true
[[component]]
name = "sine"
model = "signal.sine"
parameters = { frequency = 0.3 }
[[component]]
name = "sam"
model = "signal.sampler"
parameters = { period = 0.05 }
[[connection]]
from = "sine.y"
to = "sam.u"
"""


@plain
def test_samples_at_communication_points(wrsim):
    """Sampled values do not depend on windows that end a rounding before or after the sample. Errors to find: with windows of 0.05 s the
    row at 8.45 s has the value before the sample, and rows of events are a rounding later than the next row."""
    (wrsim.folder / "sampled.toml").write_text(SAMPLED)
    fixed = ("-D", "relaxation.window.control=fixed", "-D")
    wrsim("sampled.toml", "-q", "--monolithic", "-o", "s.csv")
    for length in (0.05, 0.07, 0.1):
        for way in ([], ["--monolithic"]):
            wrsim("sampled.toml", "-q", "-o", "t.csv", *fixed, "relaxation.window.initial=%g" % length, *way)
            wrsim("compare", "t.csv", "s.csv", "--limit", "1e-9")
            times = [float(line.split(",")[0]) for line in (wrsim.folder / "t.csv").read_text().splitlines()
                     if line[0] not in "#t"]
            expect(times == sorted(times), "time goes back")


@full
def test_endless_run_is_given_up(wrsim):
    """A split run with windows of a microsecond for five simulated minutes ends with an error."""
    short = ["-D", "relaxation.window={initial=1e-6,min=1e-6,max=1e-6}", "-D", "simulation.stop=300"]
    short += ["-D", "relaxation.on_failure=stop"]
    run = wrsim(TWO, "-q", "-o", "endless.csv", *short, "-D", "output.json=endless.json", code=5)
    expect("above relaxation.max_work = 1000. Windows of 1e-06 s" in run.err
           and "wrsim: results up to t = " in run.err, run.err)
    taken = float(run.err.split(" sweeps took ")[1].split(" times this work")[0])
    whole = float(run.err.split("the split run needs ")[1].split(" times")[0])
    expect(100.0 < taken < 0.01 * whole, (taken, whole))
    summary = json.loads((wrsim.folder / "endless.json").read_text())
    expect("relaxation.max_work" in summary["failure"]["text"], summary)
    # A short run with a higher limit does not end with an error.
    run = wrsim(TWO, "-q", *short[:2], "-D", "simulation.stop=0.2", "-D", "relaxation.max_work=1e9")
    expect(run.err == "", run.err)


LEVELS = """
simulation = { stop = 3, communication_step = 0.1, rtol = 1e-7 }
plugin = [{ file = "split.so" }]
component = [
    { name = "left", model = "split.tank", start = { h = 2.0 } },
    { name = "right", model = "split.tank", start = { h = 1.0 } },
]
connection = [{ from = "left.h", to = "right.other" }, { from = "right.h", to = "left.other" }]
subsystem = [{ name = "l", components = ["left"] }, { name = "r", components = ["right"] }]
"""


def test_a_split_that_is_given_up_starts_again(wrsim):
    """Two levels joined by an orifice have no finite slope when the levels are equal. The split run ends at equal levels, and one solver
    starts again."""
    (wrsim.folder / "levels.toml").write_text(LEVELS)
    wrsim("levels.toml", "-q", "--monolithic", "-o", "one.csv")
    run = wrsim("levels.toml", "-o", "again.csv", "--json", "again.json")
    expect(run.err.count("looks infinite at the run's tolerances") == 1 and "The run starts again as one subsystem" in run.err, run.err)
    expect("chosen: monolithic: the split run failed at t = " in run.out, run.out)
    wrsim("compare", "again.csv", "one.csv", "--limit", "0")
    found = json.loads((wrsim.folder / "again.json").read_text())
    expect(found["choice"]["monolithic"] and "looks infinite at the run's tolerances" in found["choice"]["text"], found["choice"])
    expect(len(found["subsystems"]) == 1 and found["is_complete"], found)
    run = wrsim("levels.toml", "-q", "-o", "stop.csv", "-D", "relaxation.on_failure=stop", code=5)
    expect(all(part in run.err for part in ("wrsim: error: subsystem '", "looks infinite at the run's tolerances", "are kept")), run.err)
    # The reader of a pipe already has rows of the split run, so the run ends with the error.
    os.mkfifo(wrsim.folder / "pipe.csv")
    reader = subprocess.Popen(["cat", wrsim.folder / "pipe.csv"], stdout=subprocess.DEVNULL)
    run = wrsim("levels.toml", "-q", "-o", "pipe.csv", code=5)
    reader.wait()
    expect("starts again" not in run.err, run.err)
    # A checkpoint belongs to the split, so a restarted run ends with the error.
    wrsim("levels.toml", "-q", "-D", "simulation.stop=0.5", "--checkpoint", "half.ckpt")
    run = wrsim("levels.toml", "-q", "--restart", "half.ckpt", code=5)
    expect("looks infinite at the run's tolerances" in run.err and "starts again" not in run.err, run.err)


def test_csv_and_hdf5_agree(wrsim):
    wrsim(TWO, "-q", "-o", "agree.csv")
    wrsim(TWO, "-q", "-o", "agree.h5")
    out = wrsim("compare", "agree.csv", "agree.h5", "--limit", "0").out
    expect("compared 2 signals at 21 points, t = 0 s to 1 s" in out, out)


def test_results_are_right(wrsim):
    wrsim(TWO, "-q", "-o", "fine.csv", "-D", "simulation.rtol=1e-10")
    # x' = A x with A = [[-1, 0.5], [-0.5, -2]]: one double eigenvalue, -1.5, so that
    # exp(A t) = exp(-1.5 t) (I + (A + 1.5 I) t).
    last = wrsim.rows("fine.csv")[-1]
    expect(wrsim.names("fine.csv") == ["a.x", "b.x"], wrsim.names("fine.csv"))
    factor = 2.718281828459045 ** -1.5
    for value, exact in zip(last[1:], (factor * (1 + 0.5 + 0.5), factor * (1 - 0.5 - 0.5))):
        expect(abs(value - exact) < 1e-8, "%.12g instead of %.12g" % (value, exact))


def test_config_is_stored(wrsim):
    wrsim(TWO, "-q", "-o", "stored.csv", "-D", "simulation.rtol=1e-5")
    expect((wrsim.folder / "stored.csv").read_text().startswith("time [s],kind,a.x [1],"), "the header is not the first line")
    about = json.loads((wrsim.folder / "stored.csv.json").read_text())
    for line in ("rtol = 1e-05", 'model = "dahlquist"'):
        expect("\n" + line in about["config"], "the description lacks " + line)
    expect(about["signals"][0]["column"] == "a.x [1]" and about["version"], about["signals"])


# ---- options ----

@plain
def test_overrides(wrsim):
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "simulation.stop=0.5")
    expect(wrsim.rows("o.csv")[-1][0] == 0.5, "simulation.stop has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "simulation.stop=0.5", "-D", "simulation.stop=0.25")
    expect(wrsim.rows("o.csv")[-1][0] == 0.25, "the last override does not win")
    wrsim(TWO, "-q", "-o", "o.csv", "-Dcomponent.a.start.x=7")
    expect(wrsim.rows("o.csv")[0][1] == 7.0, "component.a.start.x has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "component.b.parameters.a=0", "-D",
          "component.b.parameters.b=0")
    expect(wrsim.rows("o.csv")[-1][2] == 1.0, "component.b.parameters have no effect")
    wrsim(TWO, "-q", "--define", "output.file=named.csv")
    expect((wrsim.folder / "named.csv").exists(), "output.file has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "output.signals=['*.x', 'a.*']")
    expect(wrsim.names("o.csv") == ["a.x", "b.x"], "output.signals: %s" % wrsim.names("o.csv"))
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "output.signals=b.x")
    expect(wrsim.names("o.csv") == ["b.x"], "output.signals: %s" % wrsim.names("o.csv"))
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "output.decimation=4")
    expect(len(wrsim.rows("o.csv")) == 6, "output.decimation has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "output.points=false")
    expect(not wrsim.rows("o.csv"), "output.points has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "output.start=0.5")
    expect(abs(wrsim.rows("o.csv")[0][0] - 0.5) < 1e-9, "output.start has no effect")
    wrsim(TWO, "-q", "-o", "o.csv", "-D", "simulation.stop=0.97")
    expect(abs(wrsim.rows("o.csv")[-1][0] - 0.95) < 1e-9, "rows are not at communication points only")
    own = wrsim.folder / "own.toml"
    own.write_text(TWO.read_text() + "[[subsystem]]\nname = 'first'\ncomponents = ['a']\nsolver.kind = 'rk43'\n"
                   "[[subsystem]]\nname = 'second'\ncomponents = ['b']\n")
    said = wrsim(own, "-D", "solver.kind=dopri54").err
    expect("subsystem 'first' has a solver.kind of its own; -D '*.solver.kind=VALUE' sets all" in said, said)
    own.write_text(own.read_text() + "solver.kind = 'rk43'\n")
    expect("2 subsystems, such as 'first', have a solver.kind of their own" in wrsim(own, "-D", "solver.kind=dopri54").err, "two")
    said = wrsim(own, "-D", "solver.kind=dopri54", "-D", "subsystem.first.solver.kind=bs32").err
    expect("warning: subsystem 'second' has a solver.kind" in said, said)
    for kind in ("*.solver.kind=dopri54", "subsystem.*.solver.kind=dopri54"):
        run = wrsim(own, "-D", kind)
        expect("warning" not in run.out + run.err and "rk43" not in run.out, run.out + run.err)
    for kind, says in (("solver.kind", False), ("*.solver.kind", False), ("subsystem.first.solver.kind", True), ("subsystem.*.solver.kind", True)):
        said = wrsim(own, "-D", kind + "=dopri54", "--monolithic").err
        expect(said.count("subsystem.NAME.solver.kind has no effect on a run with one solver; write -D solver.kind=VALUE") == says, said)
        expect(said.count("warning") == says, said)


def idle_workers(wrsim, *arguments):
    """Returns the line of the summary about idle workers, or ""."""
    text = wrsim(*arguments).out
    return next((line for line in text.splitlines() if " used at the end: " in line), "")


def has_one_cpu():
    """Returns whether the process may use one CPU only. Then no second worker takes part in a run."""
    return len(os.sched_getaffinity(0)) == 1


def test_idle_workers(wrsim):
    if has_one_cpu():
        return
    little = idle_workers(wrsim, TWO, "-Dscheduler.workers=2", "-Dscheduler.min_work=1e4")
    expect(re.match(r"1 of 2 workers was used at the end: a window has [0-9]+ units of work, and .* needs 10000 "
                    r".*set scheduler.workers = 1$", little)
           or "too short to try more" in little, little) # on a busy machine
    expect(idle_workers(wrsim, TWO, "-Dscheduler.workers=2", "-Dscheduler.min_work=0") == "", "all are used")
    first = idle_workers(wrsim, TWO, "-Dscheduler.workers=2", "-Dscheduler.min_work=600")
    expect("1 of 2 workers was used at the end: the run was too short to try more workers;" in first
           or "in a periodic trial" in first
           or re.search(r": a window took [0-9.]+ [mnu]?s with one worker and [0-9.]+ [mnu]?s with several[,;].* set scheduler.(workers = 1|min_work = 0)$", first),
           first)
    expect(("stop other programs" in first) == ("other programs kept " in first), "the remedy follows from a measurement: " + first)
    few = idle_workers(wrsim, TWO, "-Dscheduler.workers=3", "-Dscheduler.min_work=0")
    expect(few.startswith("2 of 3 workers were used at the end: the model has no more subsystems; set "), few)
    many = wrsim(TWO, "-Drelaxation.scheme=jacobi", "-Dscheduler.workers=40", "-Dscheduler.min_work=0").out
    expect("\nworkers 2 to 39: no tasks\n" in many and len(re.findall("^worker ", many, re.M)) == 2, many)


@full
def test_little_work_is_shared_if_that_is_faster(wrsim):
    """In a run of at least 300 ms with windows of some 800 units of work the program tries two workers, except on a busy machine."""
    if has_one_cpu():
        return
    config = wrsim.source / "models/two_mass/two_mass.toml"
    out = wrsim(config, "-Dsimulation.stop=120", "-Dscheduler.workers=2", "-Doutput.file=", "--json", "s.json").out
    summary = json.loads((wrsim.folder / "s.json").read_text())
    expect(summary["workers"][1]["n_task"] > 100 or "no faster than one, because a window has only" in out, out)
    enough = wrsim(config, "-Dsimulation.stop=120", "-Dscheduler.workers=2", "-Doutput.file=",
                   "-Dscheduler.min_work=1e5", "--json", "s.json").out
    summary = json.loads((wrsim.folder / "s.json").read_text())
    expect(summary["workers"][1]["n_task"] < 100 and "1 of 2 workers was used at the end: a window has" in enough,
           "less than a tenth of min_work is for one worker: " + enough)


@full
def test_expected_workers(wrsim):
    """`check` assigns many short subsystems to workers in their order, and few subsystems by decreasing work."""
    def workers(config):
        found = json.loads(wrsim("check", config, "--json", "-Dscheduler.workers=2").out)
        return [s["worker"] for s in found["subsystems"]]
    engine = workers(wrsim.source / "models/engine/engine.toml")
    expect(engine == [0, 1, 1, 0, 1], engine)
    decays = "".join('[[component]]\nname = "d%d"\nmodel = "dahlquist"\n' % i for i in range(41))
    (wrsim.folder / "many.toml").write_text("[simulation]\nstop = 1\n" + decays)
    expect(workers("many.toml") == [0] * 20 + [1] * 21, workers("many.toml"))


def test_workers_on_one_core(wrsim):
    """The program does not try several workers on one core, except if the config demands all workers."""
    core = min(os.sched_getaffinity(0))
    for min_work, said in (("1", "1 of 3 workers was used at the end: the process may use no more CPUs; set "
                                 "scheduler.workers = 1\n"),
                           ("0", "2 of 3 workers were used at the end: the model has no more subsystems; set "
                                 "scheduler.workers = 1\n")):
        run = subprocess.run([wrsim.wrsim, TWO, "-Dscheduler.workers=3", "-Dscheduler.min_work=" + min_work],
                             cwd=wrsim.folder, capture_output=True, text=True,
                             preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        expect(run.returncode == 0 and said in run.stdout, run)


def catches(process, number):
    status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    return int(re.search(r"SigCgt:\s*([0-9a-f]+)", status)[1], 16) >> (number - 1) & 1


def wait_for(condition, what):
    end = time.monotonic() + 200.0
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.005)


def test_second_signal(wrsim):
    """Within an endless window a second signal, which differs from the first, ends the program."""
    (wrsim.folder / "endless.toml").write_text(
        "[simulation]\nstop = 100.0\n[solver]\nkind = 'euler'\nstep = 1e-3\n[relaxation]\nwindow = { initial = 100.0, min = 10.0, max = 100.0 }\n"
        + "".join('[[component]]\nname = "%s"\nmodel = "test.faulty"\nparameters = { burn = 1e9 }\n' % name for name in "ab"))
    for first, second in ((signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)):
        process = subprocess.Popen([wrsim.wrsim, "-q", "endless.toml"], cwd=wrsim.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: catches(process, signal.SIGTERM), "no signal is caught")  # the last handler that the program installs
            process.send_signal(first)
            wait_for(lambda: not catches(process, first), "the first signal is not taken note of")
            process.send_signal(second)
            wait_for(lambda: process.poll() is not None, "the second signal does not end the program")
            expect(process.returncode == -second, process.returncode)
        finally:
            process.kill()
            process.wait()


def checkpoint_time_s(path):
    return struct.unpack("=24s24sIIQd", path.read_bytes()[:72])[5]


def test_restart(wrsim):
    """A restarted run has the rows of an uninterrupted run. Writing checkpoints changes no row."""
    wrsim(TWO, "-q", "-o", "all.csv")
    wrsim(TWO, "-q", "-o", "first.csv", "--checkpoint", "two.ckpt", "--checkpoint-every=0.3")
    expect(data_of(wrsim, "all.csv") == data_of(wrsim, "first.csv"), "checkpoints have changed the results")
    out = wrsim(TWO, "-o", "rest.csv", "--restart", "two.ckpt").out
    every, rest = wrsim.rows("all.csv"), wrsim.rows("rest.csv")
    t_s = checkpoint_time_s(wrsim.folder / "two.ckpt")
    expect(0.0 < t_s < every[-1][0] and 0 < len(rest) < len(every), (t_s, len(rest), len(every)))
    expect(rest == every[-len(rest):] and rest[0][0] > t_s >= every[-len(rest) - 1][0], rest[0])
    expect("simulated %.6g s in" % every[-1][0] in out, out)
    wrsim(TWO, "-q", "-o", "more.csv", "--restart", "two.ckpt", "-Dsimulation.stop=%r" % (2.0 * every[-1][0]))
    expect(wrsim.rows("more.csv")[-1][0] > 1.9 * every[-1][0], "it may go on further")


def data_of(wrsim, file):
    return [line for line in (wrsim.folder / file).read_text().splitlines() if line[0] != "#"]


def test_signal_leaves_a_checkpoint(wrsim):
    process = subprocess.Popen([wrsim.wrsim, "-q", TWO, "--checkpoint=two.ckpt", "-Dsimulation.stop=1e9"],
                               cwd=wrsim.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = wrsim.folder / "two.ckpt"
    try:
        wait_for(path.exists, "none is written at the start")
        process.send_signal(signal.SIGTERM)
        expect(process.wait(timeout=600) == 130, process.returncode)
    finally:
        process.kill()
        process.wait()
    t_s = checkpoint_time_s(path)
    wrsim(TWO, "-q", "--restart", "two.ckpt", "--json", "s.json", "-Dsimulation.stop=%r" % (t_s + 1.0))
    summary = json.loads((wrsim.folder / "s.json").read_text())
    expect(summary["is_complete"] and summary["time_s"] == t_s + 1.0, summary["time_s"])


def allowed_cpus(process):
    """Returns the CPUs that the program's first thread may use now."""
    text = pathlib.Path("/proc/%d/task/%d/status" % (process.pid, process.pid)).read_text()
    listed = re.search(r"^Cpus_allowed_list:\s*(\S+)$", text, re.MULTILINE).group(1)
    ends = [[int(cpu) for cpu in part.split("-")] for part in listed.split(",")]
    return {cpu for part in ends for cpu in range(part[0], part[-1] + 1)}


def test_two_runs_share_no_core(wrsim):
    """If one run is pinned, a second run takes another core, or is not pinned."""
    all_cpus = os.sched_getaffinity(0)
    if len(all_cpus) < 2:
        return
    one_worker = ("-q", "-D", "scheduler.workers=1")
    with start(wrsim, *one_worker, HERE / "slow.toml", "-o", "first.csv") as first:
        try:
            wait_for(lambda: catches(first, signal.SIGTERM), "no signal is caught")
            held = allowed_cpus(first)
            wrsim(*one_worker, TWO, "-o", "second.csv", "--json", "second.json")
            second = json.loads((wrsim.folder / "second.json").read_text())["workers"][0]
            is_apart = not second["is_pinned"] or second["cpu"] not in held
            expect(is_apart or held == all_cpus, (held, second))
        finally:
            first.kill()
            first.wait()


def test_models_of_a_family(wrsim):
    names = [line.split()[0] for line in wrsim("models").out.splitlines()]
    family = [line.split()[0] for line in wrsim("models", "engine").out.splitlines()]
    expect(len(family) > 5 and family == [name for name in names if name.startswith("engine.")], family)
    expect(wrsim("models", "relay").out.startswith("relay: "), "a model before its family")
    expect("did you mean" in wrsim("models", "engine.cylindr", code=2).err, "no hint")
    expect("did you mean 'signal.sine'?" in wrsim("models", "sine", code=2).err, "no hint of the family")
    err = wrsim("models", "engin", code=2).err
    expect("unknown model 'engin'; did you mean 'engine'?" in err, err) # the first letters of a family are no family


def test_json_summary(wrsim):
    for arguments in (("--json", "sum.json"), ("--json=sum.json",)):
        (wrsim.folder / "sum.json").unlink(missing_ok=True)
        wrsim(TWO, "-q", *arguments)
        found = json.loads((wrsim.folder / "sum.json").read_text())
        expect(found["program"] == "wrsim" and "machine" in found, found)
        expect(len(found["subsystems"]) == 2, found["subsystems"])


def test_a_file_may_be_called_check(wrsim):
    shutil.copy(TWO, wrsim.folder / "check")
    wrsim("run", "check", "-q", "--json", "sum.json")
    expect((wrsim.folder / "sum.json").exists(), "no summary")
    wrsim("-q", "--json", "check.json", "-D", "simulation.stop=0.5", "run", "check")
    expect((wrsim.folder / "check.json").exists(), "no summary")
    expect(wrsim("-D", "simulation.stop=0.5", "check", "--json", "check").out.startswith("{"), "no JSON")


def start(wrsim, *arguments, **more):
    return subprocess.Popen([wrsim.wrsim, *map(str, arguments)], cwd=wrsim.folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def interrupt(wrsim, process):
    """Sends Ctrl-C while the run catches the signal. Returns the messages on standard error."""
    try:
        wait_for(lambda: catches(process, signal.SIGTERM), "no signal is caught")
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=300)[1]
        expect(process.returncode == 130, (process.returncode, err))
        return err
    finally:
        process.kill()
        process.wait()


FAULTY = HERE.parent / "config/bad/faulty.toml"
NAN = (FAULTY, "-Dcomponent.sick.parameters.nan_time=0.5")
LONG = (FAULTY, "-Dcomponent.sick.parameters.burn=2000", "-Dsimulation.stop=1e5", "-Drelaxation.window={initial=0.1,min=0.01,max=0.1}")


def test_summary_reports_the_end(wrsim):
    def summary():
        return json.loads((wrsim.folder / "end.json").read_text())

    wrsim(TWO, "-q", "--json", "end.json")
    found = summary()
    expect((found["is_complete"], found["status"], found["reason"], found["time_s"], found["stop_s"]) ==
           (True, "WRSIM_OK", "", 1.0, 1.0), found)
    wrsim(*NAN, "-q", "-o", "nan.csv", "--json", "end.json", code=5)
    found = summary()
    expect(found["is_complete"] is False and found["status"] == "WRSIM_E_NAN", found)
    expect("not finite" in found["reason"] and abs(found["time_s"] - 0.5) < 0.02, found)
    err = interrupt(wrsim, start(wrsim, "-q", *LONG, "-o", "long.csv", "--json", "end.json"))
    found = summary()
    expect(found["is_complete"] is False and found["status"] == "WRSIM_STOPPED", found)
    expect(found["reason"].startswith("stopped") and found["time_s"] < found["stop_s"], found)
    expect("stopped at t = " in err and ("results up to this time are complete" in err or found["time_s"] == 0), err)


def test_nothing_is_kept_without_a_file(wrsim):
    err = wrsim(*NAN, "-D", "output.file=", code=5).err
    expect("not finite" in err and "kept" not in err, err)
    err = wrsim("-q", *NAN, "-o", "head.csv", "-D", "output.start=0.9", code=5).err
    expect("not finite" in err and "kept" not in err, err) # a header is no result
    err = interrupt(wrsim, start(wrsim, "-q", *LONG, "-D", "output.file="))
    expect("; nothing was recorded" in err and "complete" not in err, err)


def test_full_disk(wrsim):
    """If the disk has no space for the summary, the command fails and leaves no summary file. If the disk is full for the results,
    the summary reports the full disk."""
    def limit(n_bytes):
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL) # as in a program that a shell starts
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    for arguments, n_bytes in ((("-q", TWO), 500), (("-q", *NAN, "-D", "output.file="), 500)):
        run = start(wrsim, *arguments, "--json", "end.json", preexec_fn=lambda: limit(n_bytes))
        err = run.communicate()[1]
        expect(run.returncode != 0 and err.count("no space left for the summary 'end.json' (File too large)") == 1, err)
        expect(not (wrsim.folder / "end.json").exists(), "half a summary is left")
    run = start(wrsim, "-q", *LONG, "-o", "fills.csv", "--json", "end.json",
                preexec_fn=lambda: limit(150000))
    err = run.communicate()[1]
    expect(run.returncode == 6 and err.count("error") == 1 and "no space left" in err, err)
    found = json.loads((wrsim.folder / "end.json").read_text())
    expect(found["is_complete"] is False and found["status"] == "WRSIM_E_DISK", found)
    expect(found["n_row"] == len(wrsim.rows("fills.csv")) > 1000, "rows: %d" % found["n_row"])
    # The summary counts only rows in the file, also if the last rows do not fit.
    ball = (HERE.parents[1] / "models/bouncing_ball/bouncing_ball.toml", "-Dsimulation.communication_step=1e-3")
    for name, share in (("ball.csv", 0.999), ("ball.h5", 0.8)):
        wrsim(*ball, "-q", "-o", name, "--json", "end.json")
        whole = json.loads((wrsim.folder / "end.json").read_text())
        run = start(wrsim, *ball, "-q", "-o", name, "--json", "end.json",
                    preexec_fn=lambda: limit(int(share * whole["file_bytes"])))
        expect("no space left" in run.communicate()[1], "not told")
        found = json.loads((wrsim.folder / "end.json").read_text())
        n_point = int(re.search(r"at ([0-9]+) point", wrsim("compare", name, name).out)[1])
        expect(1000 < found["n_row"] == n_point < whole["n_row"] == 3001, (name, found["n_row"], n_point))


def test_summary_is_removed_with_its_results(wrsim):
    """A new run that empties the results also removes the old summary. A refused run changes neither."""
    for name in ("gone.csv", "gone.h5"):
        wrsim(TWO, "-q", "-o", name, "--json", "gone.json")
        before = (wrsim.folder / "gone.json").read_bytes()
        with open(wrsim.folder / name, "rb+") as other:
            # the lock of a run: F_OFD_SETLK, struct flock
            fcntl.fcntl(other, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            wrsim(TWO, "-q", "-o", name, "--json", "gone.json", code=6)
        expect((wrsim.folder / "gone.json").read_bytes() == before, "a refused run takes the summary")
        run = start(wrsim, TWO, "-q", "-o", name, "--json", "gone.json",
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
        err = run.communicate()[1]
        expect(run.returncode == 6 and "no space left for results" in err, err)
        expect(not (wrsim.folder / "gone.json").exists(), "a summary of results that are gone")


def test_summary_behind_a_link(wrsim):
    target, link = wrsim.folder / "down/target.json", wrsim.folder / "down/link.json"
    target.parent.mkdir()
    link.symlink_to("target.json")
    # If the program cannot write the results, the link to the summary does not change.
    wrsim(TWO, "-q", "-o", "nowhere/x.csv", "--json", link, code=6)
    expect(link.is_symlink() and not target.exists(), "the link to nothing is not as it was")
    wrsim(TWO, "-q", "--json", link)
    expect(link.is_symlink() and json.loads(target.read_text())["is_complete"], "not behind the link")
    run = start(wrsim, "-q", TWO, "-o", "", "--json", link,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
    expect("no space left for the summary" in run.communicate()[1], "not told")
    expect(link.is_symlink() and target.read_text() == "", "half a summary is left behind the link")
    link.unlink()
    link.symlink_to("nowhere/target.json")
    err = wrsim(TWO, "-q", "--json", link, code=6).err
    expect("cannot be written: No such file" in err and link.is_symlink(), err)


def test_one_run_to_a_file(wrsim):
    """The program refuses a second run into the file of an active run, and the rows of the active run remain."""
    for name in ("one.csv", "one.h5"):
        first = start(wrsim, "-q", *LONG, "-o", name)
        try:
            wait_for(lambda: catches(first, signal.SIGTERM), "no signal is caught") # by then the file is open
            wait_for(lambda: (wrsim.folder / name).exists() and has_rows(wrsim, name), "no rows")
            err = wrsim(TWO, "-q", "-o", name, code=6).err
            expect("'%s' cannot be written: another run or a reader uses the file" % name in err, err)
            expect(has_rows(wrsim, name), "the first run's rows are gone")
        finally:
            interrupt(wrsim, first)
        expect(has_rows(wrsim, name), "the first run's rows are gone")
        wrsim(TWO, "-q", "-o", name)
        expect("at 21 points" in wrsim("compare", name, name).out, "not overwritten afterwards")


def test_one_run_to_a_summary(wrsim):
    """The program refuses a second run with the summary or checkpoint of an active run, but not of a killed run."""
    wrsim.folder.joinpath("alias.json").symlink_to("own.json")
    for option, name, other, said in (
            ("--json", "own.json", "alias.json", "another run that has not ended writes its summary to 'alias.json'"),
            ("--checkpoint", "own.ckpt", "./own.ckpt", "checkpoint './own.ckpt' belongs to another run")):
        lock = wrsim.folder / (name + ".lock")
        first = start(wrsim, "-q", *LONG, option, name)
        try:
            wait_for(lock.exists, "no lock")
            wait_for(lambda: catches(first, signal.SIGTERM), "no signal is caught")
            err = wrsim(TWO, "-q", option, other, code=6).err
            expect(said in err and "choose another" in err and "or wait" in err, err)
            wrsim(TWO, "-q", option, "unlike" + name)
        finally:
            first.kill()
            first.communicate()
        expect(lock.exists(), "killed, the run has removed its lock")
        wrsim(TWO, "-q", option, other)
        expect((wrsim.folder / name).exists() and not lock.exists(), "not written after a run that was killed")
    # Several runs may write to the same device.
    first = start(wrsim, "-q", *LONG, "--json", "/dev/null")
    try:
        wait_for(lambda: catches(first, signal.SIGTERM), "no signal is caught")
        wrsim(TWO, "-q", "--json", "/dev/null")
    finally:
        interrupt(wrsim, first)
    # One run may not use one file under two names.
    wrsim.folder.joinpath("later.json").symlink_to("later.csv")
    err = wrsim(TWO, "-q", "-o", "later.csv", "--json", "later.json", code=3).err
    expect("would overwrite the results" in err, err)


def test_results_that_are_read(wrsim):
    """The program refuses a run into a file that a reader has locked as readers of HDF5 do. The results remain."""
    wrsim(TWO, "-q", "-o", "read.h5")
    before = (wrsim.folder / "read.h5").read_bytes()
    with open(wrsim.folder / "read.h5", "rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        expect("uses the file" in wrsim(TWO, "-q", "-o", "read.h5", code=6).err, "not refused")
    expect((wrsim.folder / "read.h5").read_bytes() == before, "the results are gone")
    wrsim(TWO, "-q", "-o", "read.h5")
    # During a run readers may lock the file, also with locking of HDF5 disabled.
    environment = dict(os.environ, HDF5_USE_FILE_LOCKING="FALSE")
    for more in ({}, {"env": environment}):
        (wrsim.folder / "read.h5").unlink() # otherwise has_rows() would find the old rows and disturb the writer
        writer = start(wrsim, "-q", *LONG, "-o", "read.h5", **more)
        try:
            wait_for(lambda: catches(writer, signal.SIGTERM), "no signal is caught")
            wait_for(lambda: has_rows(wrsim, "read.h5"), "no rows")
            with open(wrsim.folder / "read.h5", "rb") as reader:
                fcntl.flock(reader, fcntl.LOCK_SH | fcntl.LOCK_NB)
        finally:
            interrupt(wrsim, writer)


def has_rows(wrsim, name):
    run = subprocess.run([wrsim.wrsim, "compare", name, name], cwd=wrsim.folder, capture_output=True, text=True)
    found = re.search(r"at ([0-9]+) points", run.stdout)
    return found and int(found[1]) > 21


# A sampled value passes two subsystems without states. Samples are at
# communication points, the last sample at the end.
CHAIN = """
component = [
    { name = "s", model = "signal.sine", parameters = { frequency = 5, phase = 1 } },
    { name = "hold", model = "signal.sampler", parameters = { period = 0.01 } },
    { name = "twice", model = "signal.gain", parameters = { k = 2 } },
    { name = "six", model = "signal.gain", parameters = { k = 3 } },
]
connection = [
    { from = "s.y", to = "hold.u" }, { from = "hold.y", to = "twice.u" },
    { from = "twice.y", to = "six.u" },
]
subsystem = [
    { name = "a", components = ["s", "hold"] }, { name = "b", components = ["twice"] },
    { name = "c", components = ["six"] },
]
[simulation]
stop = 0.1
communication_step = 0.005
"""


@plain
def test_rows_show_effects_of_other_events(wrsim):
    (wrsim.folder / "chain.toml").write_text(CHAIN)
    for settings in (["relaxation.window.control=fixed", "relaxation.window.initial=0.01"],
                     ["relaxation.window.control=fixed", "relaxation.window.initial=0.0025"], [],
                     ["relaxation.scheme=gauss_seidel"], ["simulation.rtol=1e-3"],
                     ["relaxation.active_set=false"]):
        wrsim("chain.toml", "-q", "-o", "chain.csv",
              *(word for setting in settings for word in ("-D", setting)))
        names, rows = wrsim.names("chain.csv"), wrsim.rows("chain.csv")
        hold, twice, six = (1 + names.index(name) for name in ("hold.y", "twice.y", "six.y"))
        expect(len(rows) == 21 and len({row[hold] for row in rows}) == 11, rows)
        for row in rows:
            expect(abs(row[twice] - 2 * row[hold]) < 1e-12 and
                   abs(row[six] - 6 * row[hold]) < 1e-12, (settings, row))


@plain
def test_monolithic_is_the_twin(wrsim):
    wrsim(TWO, "-q", "-o", "split.csv")
    found = wrsim(TWO, "-o", "twin.csv", "--monolithic", "-D", "simulation.rtol=1e-10")
    expect("1 subsystem," in found.out, found.out)
    wrsim("compare", "split.csv", "twin.csv", "--limit", "2e-5")


def test_another_solver_is_tried(wrsim):
    """If the config sets solver.max_order for its own solver, -D may still select another solver."""
    (wrsim.folder / "order.toml").write_text(TWO.read_text() + '[solver]\nkind = "cvode_bdf"\nmax_order = 3\n')
    wrsim("check", "order.toml", "-D", "solver.kind=bs32")
    wrsim("check", "order.toml", "-D", "solver.kind=bs32", "-D", "solver.max_order=2", code=3)
    (wrsim.folder / "own.toml").write_text(TWO.read_text() + '[solver]\nmax_order = 3\n[[subsystem]]\nname = "own"\n'
                                           'components = ["a", "b"]\nsolver = { kind = "cvode_bdf" }\n')
    wrsim("check", "own.toml", "-D", "subsystem.own.solver.kind=bs32")


@full
def test_every_solver_runs(wrsim):
    kinds = re.search(r"Integration method: ([^.]*)\.", wrsim("keys", "solver.kind").out)[1]
    kinds = kinds.split(", ")
    expect(len(kinds) >= 8, "solvers: %s" % kinds)
    wrsim(TWO, "-q", "-o", "exact.csv", "-D", "simulation.rtol=1e-10")
    exact = wrsim.rows("exact.csv")
    formula = ("-D", "solver.alpha=[3, -4, 1]", "-D", "solver.beta=[2]")
    for kind in kinds:
        wrsim(TWO, "-q", "-o", "kind.csv", "-D", "solver.kind=" + kind, "-D", "solver.step=0.001",
              *(formula if kind == "multistep" else ()))
        error = max(abs(a - b) for row, right in zip(wrsim.rows("kind.csv"), exact, strict=True) for a, b in zip(row, right, strict=True))
        expect(error < 1e-3, (kind, error))


# ---- compare ----

@plain
def test_compare_limit(wrsim):
    wrsim(TWO, "-q", "-o", "loose.csv", "-D", "simulation.rtol=1e-3")
    wrsim(TWO, "-q", "-o", "tight.csv", "-D", "simulation.rtol=1e-9")
    wrsim("compare", "loose.csv", "tight.csv")
    wrsim("compare", "loose.csv", "tight.csv", "--limit", "0.05")
    found = wrsim("compare", "loose.csv", "tight.csv", "--limit", "1e-9", code=1)
    expect("above the limit 1e-09: " in found.out and found.err == "", found.out + found.err)
    rows = [line for line in found.out.splitlines() if re.match(r"[a-z]\w*\.", line)]
    marked = [line for line in rows if line.endswith("  above the limit")]
    above = [line for line in rows if float(line.split()[3]) > 1e-9]
    expect(marked and marked == above, found.out)
    wrsim("compare", "tight.csv", "tight.csv", "--limit", "0")


def test_compare_reports_its_signals_and_points(wrsim):
    wrsim(TWO, "-q", "-o", "long.csv")
    wrsim(TWO, "-q", "-o", "short.csv", "-D", "simulation.stop=0.5", "-D", "output.signals=a.x")
    out = wrsim("compare", "short.csv", "long.csv").out
    expect("signals in one file only: 0 of short.csv, 1 of long.csv (b.x)" in out, out)
    expect("the files end at different times: short.csv at t = 0.5 s, long.csv at t = 1 s" in out, out)
    expect("points in one file only: 0 of short.csv, 10 of long.csv" in out, out)
    expect("compared 1 signal at 11 points, t = 0 s to 0.5 s" in out, out)


@plain
def test_compare_passes_nothing_that_is_not_there(wrsim):
    """If one side lacks a signal or a span of time, the lack counts as a difference, except with --allow-missing."""
    wrsim(TWO, "-q", "-o", "all.csv")
    wrsim(TWO, "-q", "-o", "early.csv", "-D", "simulation.stop=0.1")
    wrsim(TWO, "-q", "-o", "one.csv", "-D", "output.signals=a.x")
    wrsim(TWO, "-q", "-o", "coarse.csv", "-D", "simulation.communication_step=0.5")
    for name in ("early", "one", "coarse"):
        for files in ((name + ".csv", "all.csv"), ("all.csv", name + ".csv")):
            wrsim("compare", *files)
            found = wrsim("compare", *files, "--limit", "1e-3", code=1)
            expect("signals and points that one file lacks count as above the limit 0.001" in found.out, found.out)
            expect("  above the limit" not in found.out, found.out)
            found = wrsim("compare", *files, "--limit", "1e-3", "--allow-missing")
            expect("in one file only" in found.out and "that one file" not in found.out, found.out)
    expect("below 1e-8 of the" in wrsim("compare", "--help").out, "the help says when a signal counts as constant")


def test_compare_of_noise(wrsim):
    """The unit of a constant signal is its size, not the range of its rounding errors."""
    for name, value in (("a", "5.000000000000001"), ("b", "5.000000000000004"), ("c", "5.001")):
        rows = ["time,still,zero", "0,5,0", "0.5,%s,0" % value, "1,5,0"]
        (wrsim.folder / (name + ".csv")).write_text("\n".join(rows) + "\n")
    found = wrsim("compare", "a.csv", "b.csv", "--limit", "1e-12")
    expect(re.search(r"^still +5 .*  constant$", found.out, re.M), found.out)
    wrsim("compare", "c.csv", "b.csv", "--limit", "1e-4", code=1)
    wrsim("compare", "c.csv", "b.csv", "--limit", "1e-3")


def test_compare_cut_row(wrsim):
    wrsim(TWO, "-q", "-o", "whole.csv")
    (wrsim.folder / "cut.csv").write_bytes((wrsim.folder / "whole.csv").read_bytes()[:-9])
    out = wrsim("compare", "cut.csv", "whole.csv", "--limit", "0", "--allow-missing").out
    expect("compared 2 signals at 20 points" in out, out)
    wrsim("compare", "cut.csv", "whole.csv", "--limit", "0", code=1)
    for name in "ab": # results with one instant
        wrsim(TWO, "-q", "-o", name + ".csv", "-Dsimulation.communication_step=2")
    expect("compared 2 signals at 1 point, t = 0 s to 0 s" in wrsim("compare", "a.csv", "b.csv").out, "one")


# ---- plug-ins ----

def test_models_of_a_plugin(wrsim):
    out = wrsim("models", "--plugin", "example.so").out
    expect(re.match(r"example\.room +\S", out) and "dahlquist" not in out, out)
    out = wrsim("models", "--plugin", wrsim.folder / "example.so", "example.room").out
    for text in ("example.room: ", "  parameters\n", "    P_heater               [W] = 2000",
                 "  continuous states (1)\n"):
        expect(text in out, out)
    words = complete(wrsim, "models", "--plugin", "exam")
    expect(words == ["example.so"], words)
    words = complete(wrsim, "models", "--plugin", "example.so", "exam")
    expect(words == ["example.room"], words)


# ---- the progress line ----

@full
def test_progress(wrsim):
    config = HERE / "slow.toml"
    found = wrsim(config, "--progress")
    expect(re.search(r"\[[#.]+\] +\d+ % .* x real time", found.err),
           "no progress line in: " + repr(found.err))
    # The run has a minute from t = 1e7 s on. If the time before the start counted, the speed would exceed 1e6.
    late = wrsim(config, "--progress", "-D", "simulation.start=1e7", "-D", "simulation.stop=10000060")
    speed = re.search(r"s  ([0-9.e+]+) x real time", late.err)
    expect(speed and float(speed[1]) < 1e6, "the time before the start counts: " + repr(late.err))
    expect(wrsim(config).err == "", "progress without a terminal")
    expect(wrsim(config, "-q", "--progress").err == "", "progress although quiet")


@plain
def test_modes_come_to_rest(wrsim):
    """The diodes of a bridge switch each other at one instant. Their modes come to rest at both tolerances of the test."""
    for rtol in ("3e-7", "5e-8"):
        wrsim(wrsim.source / "models/diode_bridge/diode_bridge.toml", "-q", "-D", 'output.file=""',
              "-D", "simulation.rtol=" + rtol)


@plain
def test_looser_first_sweeps(wrsim):
    """A factor on the tolerance of first sweeps changes the steps, but neither the accuracy nor the bits on two workers."""
    def run(name, *settings):
        define = [word for setting in settings for word in ("-D", setting)]
        wrsim(wrsim.source / "models/kpr/kpr.toml", "-q", "-o", name + ".csv", "--json", name + ".json",
              "-D", "scheduler.min_work=0", "-D", "relaxation.scheme=jacobi", *define)
        found = json.loads((wrsim.folder / (name + ".json")).read_text())
        return sum(s["n_rhs"] for s in found["subsystems"]), found["config"]

    tight, text = run("tight", "scheduler.workers=1")
    expect("tolerance_first = 1.0\n" in text, text)
    loose, text = run("loose", "relaxation.tolerance_first=100", "scheduler.workers=1")
    expect("tolerance_first = 100.0\n" in text, text)
    expect(loose != tight, "%d right-hand sides with and without looser sweeps" % loose)
    run("two", "relaxation.tolerance_first=100", "scheduler.workers=2")
    expect(wrsim.rows("two.csv") == wrsim.rows("loose.csv"), "two workers differ from one")
    worst = max(abs(a - b) for one, other in zip(wrsim.rows("tight.csv"), wrsim.rows("loose.csv"), strict=True)
                for a, b in zip(one, other, strict=True))
    expect(worst < 1e-6, worst)     # ten times rtol


def on_terminal(wrsim, *arguments, stream="stderr", **variables):
    """Returns the text of a stream of the program if this stream is a terminal. Further arguments are variables of the environment."""
    controller, terminal = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL, stream: terminal}
    with subprocess.Popen([wrsim.wrsim] + [str(a) for a in arguments], cwd=wrsim.folder, env={**os.environ, **variables},
                          **streams) as run:
        os.close(terminal)
        seen = b""
        try:
            while True:
                part = os.read(controller, 4096)
                if not part:
                    break
                seen += part
        except OSError: # the program has closed its end
            pass
    os.close(controller)
    expect(run.returncode == 0, "exit code %d" % run.returncode)
    return seen


def test_tables_fit_a_terminal(wrsim):
    """Rows of tables fit the width of a terminal. A wide terminal shows the text that a pipe receives."""
    for width in ("48", "70"):
        seen = on_terminal(wrsim, TWO, "-D", 'output.file=""', stream="stdout", COLUMNS=width).decode().splitlines()
        rows = [line for line in seen if "  " in line.strip()]
        expect(rows and all(len(row) <= int(width) for row in rows), "rows for %s columns: %s" % (width, rows))
        expect(any(row.split()[:2] == ["subsystem", "solver"] for row in seen if row), "the head of the table: %s" % seen)
    help_text = wrsim("run", "--help").out
    expect(max(len(line) for line in help_text.splitlines()) > 80, "the help has long rows")
    expect(on_terminal(wrsim, "run", "--help", stream="stdout", COLUMNS="500").decode().replace("\r\n", "\n") == help_text, "a wide terminal")
    narrow = on_terminal(wrsim, "run", "--help", stream="stdout", COLUMNS="60").decode().replace("\r\n", "\n")
    expect(narrow.split() == help_text.split(), "a narrow terminal shows the same words")


@full
def test_progress_on_a_terminal(wrsim):
    seen = on_terminal(wrsim, HERE / "slow.toml")
    expect(b" % " in seen and b"x real time" in seen, "no progress line in: %r" % seen)


def test_sparse_reports_its_progress(wrsim):
    """The status line is on a terminal only, disappears at the end, and is absent with JSON."""
    pipe = [wrsim.source / "models/pipe/pipe.toml", "--samples", "5", "-D", "simulation.stop=5"]
    seen = on_terminal(wrsim, "sparse", *pipe)
    expect(b"\rlinearised at 1 of 5 points" in seen and seen.endswith(b" \r"), "no status line in: %r" % seen)
    expect(on_terminal(wrsim, "sparse", *pipe, "--json") == b"", "a status line beside JSON")
    expect(wrsim("sparse", *pipe).err == "", "a status line without a terminal")


def test_tools_write_the_next_config(wrsim):
    """From a config that names files in its folder, tools write a config into another folder. The written config runs from any
    folder without warnings, and has no keys without effect."""
    (wrsim.folder / "own").mkdir()
    (wrsim.folder / "away").mkdir()
    config = wrsim.folder / "own/own.toml"
    text = (wrsim.source / "models/pipe/pipe.toml").read_text()
    rows = ["time [s],y [1]"] + ["%g,0.008" % t for t in (0, 10)]
    (wrsim.folder / "own/drive.csv").write_text("\n".join(rows) + "\n")
    config.write_text(text + '\n[[scenario]]\nsignal = "flow.y"\naction = "replay"\nfile = "drive.csv"\ncolumn = "y"\nat = 1\n')
    wrsim("sparse", "own/own.toml", "--samples", "5", "-D", "simulation.stop=5", "-o", "away/found")
    found = (wrsim.folder / "away/found/sparsed.toml").read_text()
    expect('pattern = "pattern.mtx"' in found and str(wrsim.folder / "own/drive.csv") in found, found)
    expect("[slack]" not in found and "[scheduler]" not in found, found)
    shutil.move(wrsim.folder / "away/found", wrsim.folder / "moved")
    run = wrsim("moved/sparsed.toml", "-o", "moved.csv")
    expect(run.err == "", run.err)


@plain
def test_recording_cuts_no_fixed_step(wrsim):
    """Communication points off the grid of fixed steps change neither steps nor values."""
    (wrsim.folder / "fixed.toml").write_text("""
simulation = { stop = 6.0, communication_step = 1.0 }
relaxation = { window = { control = "fixed", initial = 1.0 } }
component = [{ name = "v", model = "vanderpol", parameters = { mu = 5.0 } }]
solver = { step = 0.01 }
output = { signals = ["v.*"] }
""")
    for kind in ("euler", "rk4", "linimp"):
        found = []
        for step in ("1.0", "0.03", "0.0024"): # some points lie between steps
            wrsim("fixed.toml", "-q", "-o", "fixed.csv", "--json", "fixed.json", "-D", "solver.kind=" + kind,
                  "-D", "simulation.communication_step=" + step)
            n_step = json.loads((wrsim.folder / "fixed.json").read_text())["subsystems"][0]["n_step"]
            found.append((n_step, [row[1:] for row in wrsim.rows("fixed.csv") if round(row[0], 9) in (0.0, 3.0, 6.0)]))
        expect(all(n == 600 and len(rows) == 3 for n, rows in found), found)
        for _, rows in found[1:]: # to rounding of a point's time, 1250 * 0.0024
            expect(all(abs(x - y) < 1e-13 * max(abs(x), 1) for one, other in zip(rows, found[0][1], strict=True)
                       for x, y in zip(one, other, strict=True)), found)


def test_hints_name_the_command(wrsim):
    for words, command in ((["sparse", "--nosuch"], "sparse"), (["analyze", TWO, "--linear"], "analyze"), (["reduce"], "reduce"),
                           (["partition", TWO, "--groups", "x"], "partition --groups auto"), (["stability", "--alpha", "1"], "stability"),
                           (["check"], "check"), (["compare", "a", "b", "c"], "compare")):
        err = wrsim(*words, code=2).err
        expect(err.endswith("(see wrsim %s --help)\n" % command), err)
        wrsim(*command.split(), "--help")


def main():
    parser = tap.parser("--source", "--plugin", "--split-models", tiers=["quick", "plain", "full", "long"])
    options = parser.parse_args()
    os.environ["LC_ALL"] = "C"

    def bench(folder):
        shutil.copy(options.plugin, folder / "example.so")
        shutil.copy(options.split_models, folder / "split.so")
        return Bench(options.wrsim, pathlib.Path(options.source), folder)

    return tap.run(globals(), options, bench)


if __name__ == "__main__":
    sys.exit(main())
