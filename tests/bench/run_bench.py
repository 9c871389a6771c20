"""`wrsim bench` on tiny settings: its JSON, curves, tables and messages. No test sets an upper limit to a time. TAP.

    run_bench.py --wrsim PROGRAM --source ROOT [--peers PROGRAM] [--plugin FILE] [--tier full|long] [test]...

--tier: full runs the tests without @long, long runs the tests with @long. Both tiers run test_shipped_suites.
"""
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import tap
from tap import Skip, expect

ROW = {"case": str, "baseline": str, "cores": int, "kind": str, "ratio": float, "ratio_low": float,
       "ratio_high": float, "error": float, "error_baseline": float, "work": dict,
       "work_baseline": dict}
TINY = ["--runs", "2", "--cores", "1", "--error", "1e-3"]


long = tap.tier("long")


class Bench:
    def __init__(self, wrsim, source, peers, plugin, folder):
        self.wrsim, self.source, self.peers, self.folder = wrsim, source, peers, folder
        self.plugin = plugin
        self.two_mass = source / "models/two_mass/two_mass.toml"
        topology = subprocess.run([wrsim, "topology"], capture_output=True, text=True).stdout
        self.n_core = len({line.split()[1] for line in topology.splitlines()[4:]})

    def __call__(self, *arguments, code=0, command="bench"):
        run = subprocess.run([self.wrsim, command] + [str(a) for a in arguments], cwd=self.folder,
                             capture_output=True, text=True, stdin=subprocess.DEVNULL,
                             env=dict(os.environ, TMPDIR=str(self.folder)))
        expect(run.returncode == code, "exit code %d, expected %d\n%s%s"
               % (run.returncode, code, run.stdout, run.stderr))
        expect(not list(self.folder.glob("wrsim-trial-*")), "temporary files are left")
        return run

    def rows(self, file="out.json"):
        """Checks the rows of a JSON file and returns the rows."""
        tree = json.loads((self.folder / file).read_text())
        expect(tree["schema"] == 1, tree["schema"])
        expect(set(tree["machine"]) == {"cpu", "cores", "kernel", "compiler", "flags"},
               tree["machine"])
        for row in tree["rows"]:
            for key, kind in ROW.items():
                value = row[key]
                if value is None and key in ("error", "error_baseline"):
                    continue
                expect(isinstance(value, kind) or kind is float and isinstance(value, int),
                       "%s: %r" % (key, value))
            expect(row["kind"] in ("measured", "bound", "auto", "points"), row["kind"])
            expect(row["error"] != 0 and row["error_baseline"] != 0 and row["n_round"] > 0, row)
            expect(math.isfinite(row["ratio"]) and row["ratio"] > 0, row["ratio"])
            expect(0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"], row)
            expect(isinstance(row["note"], str) and isinstance(row["is_cost"], bool), row)
        return tree["rows"]


@long
def test_config(bench):
    # With "auto" one solver has the tightest tolerance of the split run. With a factor of 1 the twin has the same tolerance.
    run = bench(bench.two_mass, *TINY, "--json", "out.json", "--svg", "out.svg",
                "-D", "relaxation.solver_tolerance_factor=1")
    rows = bench.rows()
    expect({r["baseline"] for r in rows} >= {"monolithic", "real-time", "schedule", "oracle"}, rows)
    for row in rows:
        expect(row["is_cost"] == (row["baseline"] in ("schedule", "oracle")), row)
        if row["baseline"] == "oracle": # one integration of each subsystem per window, a lower bound of the work
            expect(row["ratio_low"] > 1 and "ratio of right-hand sides" in row["note"], row)
            expect(0 < row["work_baseline"]["n_rhs"] <= row["work"]["n_rhs"], row)
        if row["kind"] == "bound":
            expect("setting of 1 core" in row["note"], row)
    expect([r["cores"] for r in rows if r["kind"] == "bound"] == [2, 5, 16], rows)
    for row in rows:
        expect(0 < row["error"] <= 1e-3, row["error"])
        expect(row["case"] == "two_mass" and row["work"]["n_rhs"] > 0, row)
        expect(row["baseline"] != "monolithic" or 0 < row["error_baseline"] <= 1e-3, row)
        expect((row["error_baseline"] is None) == (row["baseline"] == "real-time"), row)
    auto = {r["baseline"]: r for r in rows if r["kind"] == "auto"}
    expect(set(auto) == {"monolithic", "relaxed"}, auto)
    for row in auto.values():
        expect("chose one solver: the split" in row["note"] and row["cores"] == 1, row)
        expect("simulation.monolithic=auto" in row["overrides"], row)
    expect("monolithic dopri54" in run.stdout and "1e-04" in run.stdout, run.stdout)
    run_again(bench, rows[0])
    tree = json.loads((bench.folder / "out.json").read_text())
    curves = tree["curves"]
    expect(tree["is_complete"] is True, tree)
    expect({c["name"] for c in curves} >= {"relaxed", "auto", "auto bs32", "monolithic bs32"}, curves)
    expect(all(len(c["points"]) > 3 for c in curves), curves)
    for curve in curves:
        counts = [p["work"]["n_rhs"] for p in curve["points"]]
        expect(counts[0] > 0 and counts[-1] > counts[0], curve)
        for point in curve["points"]: # an evaluation of one of two equal subsystems counts as half an evaluation of the whole model
            share = 0.5 if curve["name"] == "relaxed" else 1.0
            expect(point["work"]["n_rhs_whole"] == share * point["work"]["n_rhs"], curve)
    winners = json.loads((bench.folder / "out.json").read_text())["winners"]
    expect(len(winners) > 3 and "relaxed / best monolithic" in run.stdout, winners)
    for curve in curves: # "auto" chooses one solver, so its points are the points of the monolithic curve
        if curve["name"].startswith("auto "):
            twin, = (c for c in curves if c["name"] == "monolithic " + curve["name"].split()[1])
            expect([(p["error"], p["work"]["n_rhs"]) for p in curve["points"]] ==
                   [(p["error"], p["work"]["n_rhs"]) for p in twin["points"]], (curve, twin))
    for winner in winners:
        expect(winner["auto_over_monolithic"] > 0, winner)
        expect(winner["name"] in {c["name"] for c in curves} and winner["cost_s"] > 0, winner)
    svg = xml.etree.ElementTree.parse(bench.folder / "out.svg").getroot()
    expect(len(svg.findall(".//{http://www.w3.org/2000/svg}path")) ==
           2 * len([c for c in curves if not c["name"].startswith("auto ")]), "curves")
    expect({"CPU ms", "f, whole model"} <= {text.text for text in svg.iter()}, "axes")


def test_costs(bench):
    """Costs of points are counts times the given costs, and rows of kind bound add the time of wrsim itself. --burn spends the costs."""
    (bench.folder / "costs.toml").write_text(
        'case = [{ name = "m", config = "%s", solvers = ["bs32"], tune = [["relaxation.scheme=gauss_seidel"]], '
        'costs = ["*=30us", "left=0ns"] }]' % bench.two_mass)
    for more, share in ([], (0.2, 0.8)), (["--cost", "*=30us"], (1, 1)):
        found = []
        for _ in range(2): # costs do not depend on the machine
            bench("costs.toml", *TINY, "-D", "simulation.stop=1", *more, "--json", "out.json")
            rows = {(r["kind"], r["cores"], r["note"]): r for r in bench.rows()}
            expect({k[:2] for k in rows} == {(kind, n) for kind in ("points", "bound") for n in (1, 2, 5)}, rows.keys())
            found.append([r for k, r in rows.items() if k[0] == "points"])
        expect(found[0] == found[1], found)
        one, two = found[0][:2]
        expect(one["wall_s"] >= two["wall_s"] >= 0.5 * one["wall_s"], found)
        for side, wall in (("work", "wall_s"), ("work_baseline", "wall_baseline_s")):
            points = one[side]["points"].values()
            cost_s, n = sum(p["cost_s"] for p in points), sum(p["n"] for p in points)
            expect(abs(cost_s - one[wall]) < 1e-9 * cost_s, one)
            expect(share[0] * n * (1 - 1e-9) <= cost_s / 30e-6 <= share[1] * n * (1 + 1e-9), one)
        bounds = [r["wall_s"] for k, r in rows.items() if k[:2] == ("bound", 1)]
        own_s = bounds[0] - one["wall_s"] # the notes of the rows name the factors
        expect(own_s > 0 and all(abs(b - own_s - f * one["wall_s"]) < 1e-9 for b, f in zip(bounds, (1, 0.1, 0.01, 0))), bounds)
    same = bench("compare", "out.json", "out.json").stdout # pairs rows of equal factors, so no row differs from itself
    expect(same.count("    1.000  too few") == len(rows) and "only in A 0, only in B 0" in same, same)
    bench("costs.toml", *TINY, "--cost", "*=30us", "--burn", "--json", "out.json", "-D", "simulation.stop=1")
    burnt = [r for r in bench.rows() if r["kind"] == "measured" and r["baseline"] == "monolithic"]
    expect(burnt and all(r["wall_s"] > sum(p["cost_s"] for p in r["work"]["points"].values()) for r in burnt), burnt)
    suite = (bench.folder / "costs.toml").read_text()
    for text in suite, suite.replace(', costs = ["*=30us", "left=0ns"]', ""): # -D overrides the suite, and needs no --cost
        (bench.folder / "costs.toml").write_text(text)
        bench("costs.toml", *TINY, "-D", "simulation.stop=1", "-D", "component.*.cost=60e-6", "--json", "out.json")
        points = next(r for r in bench.rows() if r["kind"] == "points")["work"]["points"].values()
        expect(abs(sum(p["cost_s"] for p in points) - 60e-6 * sum(p["n"] for p in points)) < 1e-9, points)
    for more, why in (("--burn",), "has no costs to wait for"), (("--cost", "*=0us"), "all costs are 0"):
        expect(why in bench("costs.toml", *TINY, *more, code=2).stderr, why)
    for bad in ("x", "=1us", "*=1", "*=-1us", "*=us", "*=0x10us", "left.x=1us"):
        expect("is not PATTERN=TIME" in bench(bench.two_mass, "--cost", bad, code=2).stderr, bad)


def run_again(bench, row):
    """The config and overrides in the file give a run with the same work. `tools/profile.py --arguments` prints both."""
    shown = subprocess.run([sys.executable, bench.source / "tools/profile.py", "--arguments",
                            "out.json"], cwd=bench.folder, capture_output=True, text=True)
    arguments = shown.stdout.splitlines()
    expect(arguments == [row["config"]] + [w for o in row["overrides"] for w in ("-D", o)], shown)
    subprocess.run([bench.wrsim, "-q", *arguments, "-D", "output.json=\"again.json\"", "-D",
                    "scheduler.workers=1"], cwd=bench.folder, check=True, capture_output=True)
    again = json.loads((bench.folder / "again.json").read_text())
    for key in ("n_window", "n_sweep", "n_integration"):
        expect(again[key] == row["work"][key], "%s: %r %r" % (key, again[key], row["work"]))


def test_unequal_errors_are_reported(bench):
    """The relaxed run has such tight solvers and convergence that its error is below the baseline's error at any rtol. The
    solvers' rtol of 3e-11 differs from the reference's rtol of 1e-11. With equal tolerances "auto" would choose one solver that
    repeats the reference, without an error."""
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "one"\nconfig = "%s"\nsolvers = ["bs32"]\n'
        'tune = [["relaxation.scheme=jacobi"]]\noverrides = ["relaxation.convergence=1e-6", '
        '"subsystem.left.solver.rtol=3e-11", "subsystem.right.solver.rtol=3e-11"]\n'
        % bench.two_mass)
    bench("suite.toml", *TINY, "--json", "out.json")
    for row in bench.rows():
        if row["baseline"] == "monolithic" and row["kind"] != "auto":
            expect(row["error_baseline"] > 1.2 * row["error"], row)
            expect("errors differ by a factor of" in row["note"] and "relaxed has the smaller error" in row["note"], row)


@long
def test_own_tolerances_of_the_solvers(bench):
    """[solver] rtol holds for the relaxed run only. The reference and the baseline have their own tolerances."""
    run = bench(bench.two_mass, *TINY, "-D", "solver.rtol=1e-5", "--curve", "--json", "out.json")
    expect("the reference changes" not in run.stderr, run.stderr)
    for curve in json.loads((bench.folder / "out.json").read_text())["curves"]:
        if curve["name"] == "relaxed": # the curve ends at the error of the solvers' fixed tolerance
            expect(len({p["work"]["n_rhs"] for p in curve["points"]}) > 1, curve)
        else:
            errors = [p["error"] for p in curve["points"]]
            expect(errors[-1] < 1e-3 * errors[0] and errors[-1] < 1e-6, curve)
    rows = [r for r in bench.rows() if r["baseline"] == "monolithic" and r["kind"] == "measured"]
    expect(rows and all(3e-4 < r["error_baseline"] <= 1e-3 for r in rows), rows)


@long
def test_curves_move_tuned_tolerances(bench):
    """A tuned tolerance of a solver changes along the curve with the tolerance of the coupling."""
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "one"\nconfig = "%s"\nsolvers = ["dopri54"]\n'
        'overrides = ["solver.kind=euler", "solver.step=0.05"]\n' # without tuning the run has a large error
        'tune = [["solver.kind=dopri54; solver.step=0; solver.rtol=1e-5; relaxation.convergence=0.1"]]\n'
        % bench.two_mass)
    bench("suite.toml", *TINY, "--curve", "--json", "out.json")
    curves = {c["name"]: c for c in json.loads((bench.folder / "out.json").read_text())["curves"]}
    errors = [p["error"] for p in curves["relaxed"]["points"]]
    expect(errors[-1] < 1e-3 * errors[0] and errors[-1] < 1e-6, curves["relaxed"])
    row, = (r for r in bench.rows() if r["baseline"] == "monolithic" and r["kind"] == "measured")
    expect("solver.rtol=1e-5" in row["overrides"], row["overrides"])  # the row keeps the tolerance that the curve changes


def test_solvers_of_their_own(bench):
    """If every subsystem sets its own solver, solver.kind has no effect, and bench does not tune this key."""
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "one"\nconfig = "%s"\nsolvers = ["bs32", "rk43"]\n'
        'tune = [["solver.kind=bs32", "solver.kind=rk43"], ["relaxation.scheme=jacobi"]]\n' % bench.two_mass)
    left, right = (["-D", "subsystem.%s.solver.kind=bs32" % name] for name in ("left", "right"))
    for fixed, is_tuned in ((left, True), (left + right, False)):
        said = bench("suite.toml", *TINY, *fixed).stderr.splitlines()
        relaxed = [line for line in said if ": relaxed on " in line]
        expect(any("kind=" in line for line in relaxed) == is_tuned, said)
        expect(any("solver.kind is not tuned" in line for line in said) != is_tuned, said)
        expect(any("scheme=jacobi" in line for line in relaxed), said)


@long
def test_hopeless_tolerances(bench):
    """A method with a fixed step has one error at every tolerance, so its curve ends before 1e-13."""
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "one"\nconfig = "%s"\nsolvers = ["rk4", "dopri54"]\n'
        'overrides = ["solver.step=0.2"]\ntune = [["solver.kind=dopri54"]]\n' % bench.two_mass)
    run = bench("suite.toml", *TINY, "--curve", "--json", "out.json")
    said = [line for line in run.stderr.splitlines() if "kind=rk4" in line]
    expect(said and all("the error does not fall below" in line for line in said), run.stderr)
    curves = {c["name"]: c for c in json.loads((bench.folder / "out.json").read_text())["curves"]}
    rk4 = curves["monolithic rk4"]
    expect(len(rk4["points"]) == 5 and rk4["floor"] == rk4["points"][0]["error"] > 1e-3, rk4)
    expect("monolithic rk4: the error does not fall below" in run.stdout, run.stdout)
    expect(curves["monolithic dopri54"]["floor"] is None, curves)


@long
def test_interrupted(bench):
    """Ctrl-C keeps all complete measurements."""
    case = ('[[case]]\nname = "%s"\nconfig = "%s"\ntune = [["relaxation.scheme=jacobi"]]\n'
            'solvers = ["dopri54"]\noverrides = ["simulation.stop=%s"]\n')
    (bench.folder / "suite.toml").write_text(case % ("one", bench.two_mass, 1) +
                                             case % ("two", bench.two_mass, 200))
    program = subprocess.Popen([bench.wrsim, "bench", "suite.toml", *TINY, "--json", "out.json",
                                "--svg", "out.svg"], cwd=bench.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TMPDIR=str(bench.folder)))
    for line in program.stderr:
        if line.startswith("two: "):
            break
    program.send_signal(signal.SIGINT)
    out, err = program.communicate()
    expect(program.returncode == 130 and "interrupted by a signal; completed measurements are kept" in err, err)
    expect({r["case"] for r in bench.rows()} == {"one"} and "monolithic" in out, out)
    tree = json.loads((bench.folder / "out.json").read_text())
    expect(tree["is_complete"] is False and "one" in {c["case"] for c in tree["curves"]}, tree)
    expect(all(c["points"] for c in tree["curves"]), "each curve has points")
    expect((bench.folder / "out.svg").read_text().endswith("</svg>\n"), "svg")
    expect(not list(bench.folder.glob("wrsim-trial-*")), "temporary files are left")


def test_terminated(bench):
    """After SIGTERM the drawing has the curves so far. Without a curve wrsim writes no drawing."""
    for until, has_curve in (("", False), ("curve of monolithic dopri54: rtol 0.01:", True)):
        program = subprocess.Popen([bench.wrsim, "bench", bench.two_mass, *TINY, "-D", "simulation.stop=1", "--svg", "out.svg"],
                                   cwd=bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, TMPDIR=str(bench.folder)))
        time.sleep(0.0 if until else 0.05)
        for line in program.stderr if until else ():
            if until in line:
                break
        program.send_signal(signal.SIGTERM)
        program.communicate()
        drawing = bench.folder / "out.svg"
        expect(drawing.exists() == has_curve, f"a drawing after {until!r}")
    svg = xml.etree.ElementTree.parse(drawing).getroot()
    expect(len(svg.findall(".//{http://www.w3.org/2000/svg}circle")) >= 4, "points of curves")


@long
def test_no_time(bench):
    run = bench(bench.two_mass, *TINY, "--total", "0.001", "--json", "out.json", code=5)
    expect("the time of --total is over" in run.stderr and not (bench.folder / "out.json").exists(), run.stderr)
    bench(bench.two_mass, *TINY, "--total", "1e6", "--json", "out.json")
    expect(json.loads((bench.folder / "out.json").read_text())["is_complete"], "complete")


@long
def test_a_failure_shows_when_time_ends(bench):
    case = '[[case]]\nname = "%s"\nconfig = "%s"\ntune = [["relaxation.scheme=jacobi"]]\nsolvers = ["dopri54"]\n' \
           'overrides = ["%s"]\n'
    faulty = bench.source / "models/faulty/faulty.toml"
    (bench.folder / "suite.toml").write_text(
        case % ("bad", faulty, "component.sick.parameters.nan_time=0.5") +
        case % ("good", bench.two_mass, "simulation.stop=0.25") +
        case % ("long", bench.two_mass, "simulation.stop=100000"))
    run = bench("suite.toml", *TINY, "--total", "15", "--json", "out.json", code=5)
    expect("the time of --total is over" in run.stderr and "case 'bad': the reference run failed" in run.stderr, run.stderr)
    expect({r["case"] for r in bench.rows()} == {"good"}, run.stderr)


@long
def test_same_counts_every_time(bench):
    for name in ("a.json", "b.json"):
        bench(bench.two_mass, *TINY, "-D", "solver.kind=dopri54", "--warm", 0.25, "--signals",
              "*.x", "--json", name)
    counts = [[r["work_baseline"] for r in bench.rows(name) if r["baseline"] == "monolithic"]
              for name in ("a.json", "b.json")]
    expect(counts[0] and all(c["n_rhs"] > 0 for c in counts[0]), counts)


def test_suite(bench):
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "one"\nconfig = "%s"\nwarm = 0.1\nsignals = ["left.x"]\n'
        'tune = [["relaxation.scheme=jacobi"]]\nsolvers = ["dopri54"]\n'
        '[[case]]\nname = "two"\nconfig = "missing.toml"\n' % bench.two_mass)
    bench("suite.toml", *TINY, "--case", "one", "--json", "out.json")
    expect({r["case"] for r in bench.rows()} == {"one"}, "cases")
    run = bench("suite.toml", *TINY, code=6)
    expect("missing.toml" in run.stderr, run.stderr)
    run = bench("suite.toml", "--case", "three", code=2)
    expect("has no case 'three'" in run.stderr, run.stderr)
    run = bench(bench.two_mass, "--case", "one", code=2)
    expect("is not a suite" in run.stderr, run.stderr)


def test_bad_suites(bench):
    for text, message in (
            ('[[case]]\nname = "a"\nconfg = "x"\n', ":3:1: error: unknown key 'confg' of a case; did you"),
            ('[[case]]\nname = "a"\n', "a case needs a name and a config"),
            ('[[case]]\nname = 1\n', ":2:8: error: 'name' of a case must be a string in quotes"),
            ('[[case]]\nname = "a"\nsignals = [1]\n', ":3:12: error: 'signals' of a case must be a list of strings"),
            ('[[case]]\nname = "a"\nerror = "x"\n', ":3:9: error: 'error' of a case must be a number"),
            ('[[case]]\nname = "a"\nerror = -1e-4\n', ":3:9: error: 'error' of a case must be above 0"),
            ('[[case]]\nname = "a"\ngrid = nan\n', "'grid' of a case must be above 0"),
            ('[[case]]\nname = "a"\nwarm = -1\n', "'warm' of a case must be at least 0"),
            ('error = 1e-3\n[[case]]\nname = "a"\nconfig = "x"\n', ":1:1: error: 'error' is outside of a case"),
            ('case = []\n', "the suite has no case"),
            ('case = "x"\n', "the suite has no case"),
            ('[case]\nname = "a"\n', "'case' is not a list of tables"),
            ('[[case]]\nname = "a"\nconfig = "x"\nunit = "step"\n', "must be \"window\" or \"sweep\""),
            ('[[case]]\nname = "a"\nconfig = "x"\nbaselines = ["cvode"]\n', "unknown baseline 'cvode'"),
            ('case = 1\n[[case\n', "bad.toml:")):
        (bench.folder / "bad.toml").write_text(text)
        run = bench("bad.toml", code=3)
        expect(message in run.stderr, run.stderr)


def test_usage(bench):
    text = bench("--help").stdout
    expect("--baseline" in text and "wrsim bench growth --help" in text, text)
    expect("growth-ladder, growth-ring, " in bench("growth", "--help").stdout, "shapes")
    too_many = str(bench.n_core + 1)
    for arguments, message in ((["--runs", "0", "x"], "--runs takes a whole number from 1"),
                               (["--runs", "1.5", "x"], "whole number"),
                               (["--nonsense", "x"], "takes no option '--nonsense'"),
                               (["--json"], "option '--json' needs a value"),
                               ([], "'bench' needs FILE"),
                               (["busy"], "'bench busy' needs FILE"),
                               (["growth", "x"], "'bench growth' takes no operand"),
                               (["compare", "a"], "'bench compare' needs A.json B.json"),
                               (["--largest", "9", "x"], "'bench' takes no option '--largest'"),
                               (["--load", "2", "x"], "'bench' takes no option '--load'"),
                               (["busy", "x", "--cores", "1"], "'bench busy' takes no option '--cores'"),
                               (["growth", "-D", "a=1"], "'bench growth' takes no option '-D'"),
                               (["table", "a", "--json", "b"], "'bench table' takes no option '--json'"),
                               (["compare", "a", "b", "-q"], "'bench compare' takes no option '-q'"),
                               (["--case", "a", "--case", "b", "x"], "--case takes one name"),
                               (["--cores", too_many, "x"], "that this process may use"),
                               (["--baseline", "cvode", "x"], "--baseline does not take 'cvode'"),
                               (["busy", "--load", "0", "x"], "--load takes a whole number from 1"),
                               (["--total", "0", "x"], "--total takes a number from"),
                               (["--peers", "nowhere/peers", bench.two_mass],
                                "--peers 'nowhere/peers' cannot be run: No such file"),
                               (["growth", "--case", "x"], "--case does not take 'x'"),
                               (["growth", "--largest", "4"],
                                "--largest 4 is too small, because the smallest models of growth have 5 subsystems"),
                               ([bench.two_mass, "--warm", "1"], "is negative or not less than the run")):
        run = bench(*arguments, code=2)
        expect(message in run.stderr and "(see wrsim bench " in run.stderr, run.stderr)
    bench("nowhere.toml", code=6)


def test_help_lists_the_options_of_each_form(bench):
    """The man page has each form, too. A form refuses an option that its help does not list."""
    page = (pathlib.Path(bench.wrsim).parent / "docs/wrsim.1").read_text().replace("\\-", "-")
    for form, operands in (("busy", ["x.toml"]), ("growth", ["x"]), ("compare", ["a", "b"]), ("table", ["a"])):
        text = bench(form, "--help").stdout
        expect("wrsim bench %s" % form in page, "the man page lacks bench %s" % form)
        for option in ("--load", "--largest", "--cores", "--runs"):
            run = subprocess.run([bench.wrsim, "bench", form, *operands, option, "1"], cwd=bench.folder,
                                 capture_output=True, text=True)
            expect(run.returncode != 0 and (option in text) != ("takes no option '%s'" % option in run.stderr),
                   (text, run.stderr))


def refuse_to_overwrite(bench):
    """No output replaces a config or a suite under any of its names, and bench measures nothing."""
    text = bench.two_mass.read_text()
    suite = '[[case]]\nname = "a"\nconfig = "own.toml"\n[[case]]\nname = "b"\nconfig = "other.toml"\n'
    for name, content in (("own.toml", text), ("other.toml", text), ("own_suite.toml", suite)):
        (bench.folder / name).write_text(content)
    (bench.folder / "soft.toml").symlink_to("own.toml")
    (bench.folder / "hard.toml").hardlink_to(bench.folder / "own.toml")
    for command, option in (("bench", "--json"), ("bench", "--svg"), ("budget", "--write")):
        for file, path, what in (("own.toml", "own.toml", "the config 'own.toml'"),
                                 ("own.toml", "./own.toml", "the config 'own.toml'"),
                                 ("own.toml", "soft.toml", "the config 'own.toml'"),
                                 ("soft.toml", "hard.toml", "the config 'soft.toml'"),
                                 ("own_suite.toml", "own_suite.toml", "the suite 'own_suite.toml'"),
                                 ("own_suite.toml", "other.toml", "the config 'other.toml'")):
            run = bench(file, "--case", "a", option, path, code=2, command=command) if "suite" in file \
                else bench(file, option, path, code=2, command=command)
            expect("%s '%s' would overwrite %s; choose another file" % (option, path, what) in run.stderr, run.stderr)
            expect(run.stdout == "" and run.stderr.count("\n") == 1, run)
    run = bench("busy", "own.toml", "--json", "own.toml", code=2)
    expect("--json 'own.toml' would overwrite the config" in run.stderr, run.stderr)
    expect((bench.folder / "own.toml").read_text() == text, "it was overwritten")
    expect((bench.folder / "own_suite.toml").read_text() == suite, "it was overwritten")


def test_outputs_replace_only_our_own(bench):
    """An output replaces a file only if wrsim bench or wrsim budget wrote the file."""
    (bench.folder / "tiny.toml").write_text(
        '[simulation]\nstop = 1.0\nrtol = 1e-5\n[[component]]\nname = "a"\nmodel = "dahlquist"\n')
    for name in ("notes.json", "notes.svg", "notes.toml"):
        (bench.folder / name).write_text("[notes]\n")
    for words, command, path, what in (((), "bench", "notes.json", "a result of wrsim bench"),
                                       ((), "bench", "notes.svg", "a drawing of wrsim bench"),
                                       ((), "budget", "notes.toml", "a config of wrsim")):
        option = {"notes.json": "--json", "notes.svg": "--svg", "notes.toml": "--write"}[path]
        run = bench(*words, "tiny.toml", option, path, code=2, command=command)
        expect("'%s' exists and is not %s; choose another file" % (path, what) in run.stderr, run.stderr)
        expect(run.stdout == "" and run.stderr.count("\n") == 1, run)
        expect((bench.folder / path).read_text() == "[notes]\n", "it was overwritten")
    run = bench("growth", "--json", "notes.json", code=2)
    expect("is not a result of wrsim bench" in run.stderr, run.stderr)
    for _ in range(2):
        bench("tiny.toml", "--write", "found.toml", "-q", command="budget")
    expect((bench.folder / "found.toml").read_text().startswith("# Written by wrsim budget."), "the mark")


def test_config_of_a_shape(bench):
    for n in (5, 10):
        bench("growth", "--case", "growth-pipes", "--largest", str(n), "--write", "pipes.toml")
        bench("pipes.toml", "-q", "--json", "summary.json", "-o", "", "-D", "simulation.stop=0.2", command="run")
        expect(json.loads((bench.folder / "summary.json").read_text())["n_subsystem"] == n, "number of subsystems")
    expect("add --case" in bench("growth", "--write", "pipes.toml", code=2).stderr, "no shape")


def test_files_are_tried_before_anything_is_measured(bench):
    (bench.folder / "old.json").write_text("old")
    for option in ("--json", "--svg"):
        run = bench(bench.two_mass, *TINY, "--json", "old.json", option, "nowhere/file", code=6)
        expect("'nowhere/file' cannot be written" in run.stderr, run.stderr)
        expect("rtol" not in run.stderr and run.stdout == "", run.stderr)
    refuse_to_overwrite(bench)
    run = bench("nowhere.toml", "--json", "old.json", "--svg", "new.svg", code=6)
    expect((bench.folder / "old.json").read_text() == "old", "the old file is gone")
    expect(not (bench.folder / "new.svg").exists(), "an empty file is left")


@long
def test_quiet(bench):
    run = bench(bench.two_mass, *TINY, "-q")
    expect(run.stderr == "" and "monolithic" in run.stdout, run.stderr)


@long
def test_one_subsystem_has_no_bounds(bench):
    """A run of one subsystem has one task at a time, so no row has the kind "bound"."""
    bench(bench.source / "models/bouncing_ball/bouncing_ball.toml", *TINY, "-q", "--json", "out.json")
    rows = bench.rows()
    expect(rows and all(r["kind"] != "bound" for r in rows), rows)
    bench(bench.two_mass, *TINY, "-q", "--json", "out.json")
    expect(any(r["kind"] == "bound" for r in bench.rows()), "those of two are gone, too")


@long
def test_peers(bench):
    if not bench.peers:
        raise Skip("wrsim-peers is not built")
    names = ["arkode-erk", "arkode-erk5", "arkode-dirk", "arkode-dirk5", "cvode-adams",
             "cvode-bdf-klu", "cvode-bdf-dense"]
    words = [w for n in names + ["lsodar"] for w in ("--baseline", n)]
    run = bench(bench.source / "models/hires/hires.toml", "-D", "simulation.stop=20", *TINY,
                "-D", "simulation.event_tolerance=1e-9", "--peers", bench.peers, *words,
                "--json", "out.json")
    rows = bench.rows()
    expect({r["baseline"] for r in rows} >= set(names), sorted({r["baseline"] for r in rows}))
    expect("lsodar" in {r["baseline"] for r in rows} or "lsodar is left out" in run.stderr,
           run.stderr)
    for row in rows:
        expect(row["baseline"] not in names or 0 < row["error_baseline"] <= 1e-3, row)


@long
def test_peers_see_events(bench):
    """A peer treats all indicators as roots. The peer has as many events as wrsim's own run."""
    if not bench.peers:
        raise Skip("wrsim-peers is not built")
    run = bench(bench.source / "models/relay/relay.toml", *TINY, "--peers", bench.peers,
                "--baseline", "monolithic", "--baseline", "arkode-erk", "--baseline", "cvode-adams",
                "--json", "out.json")
    events = {r["baseline"]: r["work_baseline"]["n_event"] for r in bench.rows()
              if r["baseline"] not in ("real-time", "schedule", "oracle", "relaxed")}
    expect(len(events) == 3 and len(set(events.values())) == 1 and events["monolithic"] > 0,
           "%s\n%s" % (events, run.stderr))


def test_peers_show_changes_by_events(bench):
    """If a jump of a signal is due at a row, the row of a peer has the values after the jump, as in wrsim."""
    if not bench.peers:
        raise Skip("wrsim-peers is not built")
    (bench.folder / "step.toml").write_text("""
component = [
    { name = "step", model = "signal.step", parameters = { t_step = 0.1, after = 3 } },
    { name = "line", model = "rc_ladder", parameters = { n = 2 } },
]
connection = [{ from = "step.y", to = "line.u" }]
simulation = { stop = 0.2, communication_step = 0.05 }
output = { file = "step.csv", signals = ["step.y"] }
""")
    for method in "cvode-adams", "arkode-erk":
        run = subprocess.run([bench.peers, "--method", method, "--rtol", "1e-6", "--grid", "0.05",
                              "--result", "rows.csv", "step.toml"], cwd=bench.folder,
                             capture_output=True, text=True)
        expect(run.returncode == 0, run.stdout + run.stderr)
        lines = (bench.folder / "rows.csv").read_text().splitlines()[1:]
        place = next(i for i, name in enumerate(lines[0].split(",")) if "step.y" in name)
        expect([float(line.split(",")[place]) for line in lines[1:]] == [0, 0, 3, 3, 3], lines)


def test_signals_are_tried_before_anything_is_measured(bench):
    run = bench(bench.two_mass, *TINY, "--signals", "left.x", "--signals", "lift.*", code=3)
    expect("no variable matches 'lift.*'" in run.stderr and "reference" not in run.stderr, run.stderr)
    (bench.folder / "suite.toml").write_text("".join(
        '[[case]]\nname = "%s"\nconfig = "%s"\nsignals = ["%s"]\n' % (name, bench.two_mass, signals)
        for name, signals in (("one", "left.x"), ("two", "lift.x"))))
    run = bench("suite.toml", *TINY, code=3)
    expect("no variable matches 'lift.x'" in run.stderr and "one: " not in run.stderr, run.stderr)


@long
def test_without_peers(bench):
    run = bench(bench.two_mass, *TINY, "--peers", "/bin/false", "--baseline", "cvode-adams",
                "--baseline", "monolithic", "--json", "out.json")
    expect("cvode-adams is left out" in run.stderr, run.stderr)
    expect("monolithic" in {r["baseline"] for r in bench.rows()}, "rows")


def test_units(bench):
    cores = min(2, bench.n_core)
    bench(bench.source / "bench/null.toml", "-D", "simulation.stop=1.1", "--runs", "2", "--cores",
          cores, "--json", "out.json")
    rows = bench.rows()
    expect([(r["case"], r["cores"]) for r in rows] ==
           [(c, k + 1) for c in ("null", "two-mass-sweep") for k in range(cores)], rows)
    for row in rows:
        unit = "sweep" if "sweep" in row["case"] else "window"
        n_unit = row["work"]["n_" + unit]
        expect(math.isclose(row["unit_ns"] * n_unit, 1e9 * row["wall_s"], rel_tol=1e-9), row)
        expect(row["error"] is None and row["error_baseline"] is None, row)
        expect(row["note"] == "%.3f us per %s" % (1e-3 * row["unit_ns"], unit), row)
    expect(rows[0]["work"]["n_window"] == 100, rows[0]["work"])


def test_busy(bench):
    """The test checks no times. The load processes must end with the program, also after a kill."""
    if bench.n_core < 2:
        run = bench("busy", bench.two_mass, code=2)
        expect("two cores" in run.stderr, run.stderr)
        return
    bench("busy", bench.two_mass, "--runs", "2", "--load", "3", "--json", "out.json")
    row, = bench.rows()
    expect(row["cores"] == 2 and row["baseline"] == "one worker", row)
    expect(row["error"] is None and row["error_baseline"] is None, row)
    slower = "two workers are slower" in row["note"]
    expect("3 load processes" in row["note"] and slower == (row["ratio"] < 0.97), row)
    program = subprocess.Popen([bench.wrsim, "bench", "-q", "busy", bench.two_mass, "--runs", "1000",
                                "-D", "simulation.stop=100"], cwd=bench.folder,
                               env=dict(os.environ, TMPDIR=str(bench.folder)))
    children = wait_for(lambda: children_of(program.pid), lambda found: len(found) == 2)
    program.kill()
    program.wait()
    wait_for(lambda: [pid for pid in children if is_alive(pid)], lambda left: not left)


def read_stat(path):
    """Returns state and parent of a process, or None if the process has ended."""
    try:
        return path.read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None


def children_of(pid):
    found = {path.parent.name: read_stat(path) for path in pathlib.Path("/proc").glob("[0-9]*/stat")}
    return [int(child) for child, stat in found.items() if stat and stat[1] == str(pid)]


def is_alive(pid):
    stat = read_stat(pathlib.Path("/proc/%d/stat" % pid))
    return stat is not None and stat[0] != "Z"


def wait_for(read, is_it):
    """Calls read() until is_it(value) holds, and returns the value. The time limit of the test ends the wait."""
    while True:
        value = read()
        if is_it(value):
            return value


@long
def test_windows(bench):
    (bench.folder / "suite.toml").write_text(
        '[[case]]\nname = "w"\nconfig = "%s"\nwindows = true\n' % bench.two_mass)
    bench("suite.toml", *TINY, "--json", "out.json")
    rows = bench.rows()
    expect([r["case"] for r in rows] == ["w", "w-short", "w-long"], rows)
    expect({r["baseline"] for r in rows} == {"best-fixed"}, rows)


@long
def test_growth(bench):
    for shape, runs in ("growth-ring", 3), ("growth-bank", 1), ("growth-pipes", 1):
        text = bench("growth", "--case", shape, "--largest", "20", "--runs", str(runs), "--json", "out.json").stdout
        rows = bench.rows()
        expect([r["n_subsystem"] for r in rows] == [5, 20], rows)
        expect(all(r["unit_ns"] > 0 and r["start_s"] > 0 and r["unit_bytes"] > 0 for r in rows),
               rows)
        growth = max(1.0, rows[1]["ratio"])  # both sizes run in the same rounds
        expect(rows[0]["note"] == "" and rows[1]["note"] == "%s: 5 to 20 subsystems, time per unit grows %.2f x (limit 1.2)" % (
            "flat" if growth <= 1.2 else "not flat", growth), rows)
        expect(re.search(r"ns/unit +KiB/subsystem +start \[s\] +ratio .* baseline\n", text), text)
        if runs == 1:
            ratio = "%.2f" % rows[1]["ratio"]
            expect(abs(rows[1]["ratio"] * rows[0]["unit_ns"] / rows[1]["unit_ns"] - 1.0) < 1e-6, rows)
            expect(re.search(shape + r"-20 .* %s  %s \.\. %s  5 subsystems\n" % (ratio, ratio, ratio), text), text)
            table = bench("table", "out.json").stdout
            expect("| 5 subsystems | %s (%s to %s), smaller is better |" % (ratio, ratio, ratio) in table, table)


def test_compare(bench):
    bench("growth", "--case", "growth-ring", "--largest", "5", "--runs", "1", "--json", "a.json")
    run = bench("compare", "a.json", "a.json")
    expect("growth-ring-5" in run.stdout and "same" in run.stdout, run.stdout)
    expect("1 with too few rounds" in run.stdout and "0 with other settings" in run.stdout, run.stdout)
    tree = json.loads((bench.folder / "a.json").read_text())
    tree["rows"][0]["n_round"] = 5
    for changes, message in (
            ({"ratio_low": 9.0}, "1 better, 0 worse"),
            ({"ratio_high": 0.1}, "0 better, 1 worse"),
            ({"ratio_high": 0.1, "n_round": 4}, "0 better, 0 worse, 0 same, 1 with too few rounds"),
            ({}, "0 better, 0 worse, 1 same"),
            ({"ratio_high": 0.1, "is_cost": True}, "1 better, 0 worse"),
            ({"setting": "rtol 1e-3; a=2"}, "1 with other settings"),
            ({"setting": "rtol 1e-4; a=1"}, "0 with other settings")):
        old = json.loads(json.dumps(tree))
        old["rows"][0]["setting"] = "rtol 1e-3; a=1"
        old["rows"][0]["is_cost"] = changes.get("is_cost", False)
        new = json.loads(json.dumps(old))
        new["rows"][0].update(changes)
        (bench.folder / "old.json").write_text(json.dumps(old))
        (bench.folder / "new.json").write_text(json.dumps(new))
        run = bench("compare", "old.json", "new.json")
        expect(message in run.stdout, "%s\n%s" % (changes, run.stdout))
        expect(("B rtol 1e-3; a=2" in run.stdout) == ("a=2" in str(changes)), run.stdout)
    new["rows"][0]["case"] = "other"
    (bench.folder / "new.json").write_text(json.dumps(new))
    run = bench("compare", "old.json", "new.json", code=2)
    expect("no row in common" in run.stderr and "only in A 1, only in B 1" in run.stdout, run)
    for part in tree["machine"]:
        other = json.loads(json.dumps(tree))
        other["machine"][part] = "other"
        (bench.folder / "b.json").write_text(json.dumps(other))
        run = bench("compare", "a.json", "b.json", code=2)
        expect("different machines" in run.stderr and part in run.stderr, run.stderr)
    other = dict(tree, schema=99)
    (bench.folder / "b.json").write_text(json.dumps(other))
    expect("schema 99" in bench("compare", "a.json", "b.json", code=6).stderr, "schema")
    for text in ('{"schema": 1', '{"schema": 1}', "[" * 100, '{"a" 1}', '"\\u00e4', ""):
        (bench.folder / "b.json").write_text(text)
        expect("b.json" in bench("compare", "a.json", "b.json", code=6).stderr, text)


def test_table(bench):
    bench("growth", "--case", "growth-ring", "--largest", "5", "--runs", "1", "--json", "a.json")
    lines = bench("table", "a.json").stdout.splitlines()
    expect(lines[0].startswith("| case |") and lines[2].startswith("| growth-ring-5 | 1 core |"),
           lines)
    expect(len(bench("table", "a.json", "a.json").stdout.splitlines()) == 2 * len(lines) + 1, lines)
    bench("table", "nowhere.json", code=6)
    tree = json.loads((bench.folder / "a.json").read_text())
    kinds = (("bound", "monolithic"), ("bound", "arkode-erk"), ("auto", "monolithic"), ("measured", "arkode-erk"),
             ("points", "monolithic"))
    tree["rows"] = [dict(tree["rows"][0], kind=kind, baseline=baseline, cores=2) for kind, baseline in kinds]
    (bench.folder / "kinds.json").write_text(json.dumps(tree))
    rows = [line for line in bench("table", "kinds.json").stdout.splitlines() if "growth-ring" in line]
    expect(len(rows) == 3 and "schedule bound | monolithic" in rows[0] and "| arkode-erk" in rows[1] and "cost of points" in rows[2], rows)


PROFILE = """events: Ir
fl=(1) ../src/models/engine/volume.c
ob=(1) /build/wrsim
fn=(1) rhs
16 60
fi=(2) ../src/subsystems/waves/wave.c
+3 20
fe=(1)
16 3
fi=(7) /usr/lib/gcc/include/emmintrin.h
400 7
fe=(1)
cob=(2) /usr/lib/libm.so.6
cfi=(9) e_pow.c
cfn=(2) pow
calls=2 +4
17 30
fl=(9)
ob=(2)
fn=(2)
20 30
fl=(4) ../src/subsystems/solvers/integ_erk.c
ob=(1)
fn=(4) step
* 40
cfi=(1)
cfn=(1)
calls=1 16
* 120
fl=(5) ???
ob=(1)
fn=(5) _start
cob=(3) /usr/lib/libc.so.6
cfn=(6) __libc_start_main
calls=1 0
0 160
totals: 160
"""


def test_profile(bench):
    """Shares of a profile made by hand. libm and intrinsics count for the model that uses them. The inclusive cost of calls does not
    count."""
    (bench.folder / "callgrind.out").write_text(PROFILE)
    run = subprocess.run([sys.executable, bench.source / "tools/profile.py", "callgrind.out"],
                         cwd=bench.folder, capture_output=True, text=True)
    rows = {line[:24].strip(): line[24:].split() for line in run.stdout.splitlines()[1:]}
    expect({k: int(v[0]) for k, v in rows.items() if v[0] != "0"} ==
           {"model code": 100, "integrator arithmetic": 40, "waveforms": 20,
            "model and integrators": 140, "all of integrating": 140, "for relaxation": 20,
            "all": 160}, run)
    expect(rows["model and integrators"][1] == "87.5", rows)


def test_profile_of_samples(bench):
    """Shares of stacks made by hand from the program's own functions: the sample of a helper counts for its caller."""
    names = subprocess.run(["nm", bench.wrsim], capture_output=True, text=True, check=True).stdout
    address = {line.split()[-1]: line.split()[0] for line in names.splitlines() if len(line.split()) == 3}
    known = subprocess.run(["addr2line", "-e", bench.wrsim, address["wr_ode_advance"]],
                           capture_output=True, text=True, check=True).stdout
    if known.startswith(("??", ":?")):
        raise Skip("built without debug information")
    advance = "\t%s wr_ode_advance (%s)\n" % (address["wr_ode_advance"], bench.wrsim)
    predict = "\t%s wr_predict_offer (%s)\n" % (address["wr_predict_offer"], bench.wrsim)
    stacks = [advance, "\t1f __powf_fma (/usr/lib/libm.so.6)\n" + predict + advance,
              "\t2f klu_solve (/usr/lib/libklu.so.1)\n" + advance,
              "\t7 __vdso_clock_gettime ([vdso])\n" + predict, "\tffff [unknown] ([unknown])\n"]
    (bench.folder / "samples").write_text("\n".join(stacks) + "\n")
    run = subprocess.run([sys.executable, bench.source / "tools/profile.py", "--samples", "samples"],
                         cwd=bench.folder, capture_output=True, text=True)
    rows = {line[:24].strip(): line[24:].split() for line in run.stdout.splitlines()[1:]}
    expect({k: int(v[0]) for k, v in rows.items() if v[0] != "0"} ==
           {"subsystems": 1, "prediction": 2, "integrator arithmetic": 1, "model and integrators": 1,
            "all of integrating": 2, "for relaxation": 2, "all": 4}, run)


@tap.tier("full", "long")
def test_shipped_suites(bench):
    """Each case of the suites in bench/ names an existing config. `wrsim check` accepts the overrides and tuned settings of the case."""
    n = 0
    for file in (bench.source / "bench").glob("*.toml"):
        with open(file, "rb") as text:
            cases = tomllib.load(text)["case"]
        for case in cases:
            config = file.parent / case["config"]
            # The end soon after the start shortens the study of the split, which takes most of the time of `wrsim check`.
            start_s = tomllib.loads(config.read_text())["simulation"].get("start", 0.0)
            short = ("-D", "simulation.stop=%r" % (start_s + 1e-9))
            words = [w for o in case.get("overrides", []) for w in ("-D", o)]
            end = () if "simulation.stop" in str(words) else tap.sample(short, ())
            run = subprocess.run([bench.wrsim, "check", *words, *end, config], capture_output=True,
                                 text=True, cwd=bench.folder)
            expect(run.returncode == 0, "%s, %s: %s" % (file, case["name"], run.stderr))
            for alternatives in case.get("tune", []):
                for texts in alternatives[::tap.sample(12, 1)]:
                    more = [w for o in texts.split(";") for w in ("-D", o.strip())]
                    more += () if "simulation.stop" in texts else short
                    run = subprocess.run([bench.wrsim, "check", *words, *more, config],
                                         capture_output=True, text=True, cwd=bench.folder)
                    expect(run.returncode == 0, "%s: %s: %s" % (file, texts, run.stderr))
            n += 1
    expect(n >= 7, n)


def run_tests(namespace):
    """Runs the functions test_... Each test has a Bench with a separate folder."""
    parser = tap.parser("--source", tiers=["full", "long"])
    for program in ("--peers", "--plugin"):
        parser.add_argument(program, type=os.path.abspath)
    given = parser.parse_args()
    return tap.run(namespace, given, lambda folder: Bench(given.wrsim, pathlib.Path(given.source), given.peers, given.plugin, folder))


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
