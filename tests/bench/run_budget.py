"""`wrsim budget`: the tolerances give the requested error, against exact solutions. TAP.

    run_budget.py --wrsim PROGRAM --source ROOT --plugin EXAMPLE [--tier full|long] [test]...
"""
import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib

from run_bench import expect, run_tests
import tap


class Found:
    """The results of `wrsim budget`, read from its output."""

    def __init__(self, run):
        self.overrides = [line for line in run.stdout.splitlines() if line.startswith("-D ")][0].split()
        table = run.stdout.split("of work\n")[1].split("\n\n")[0].splitlines()
        rows = [re.split(r"\s{2,}|(?<=\d)\s+", line.replace(" %", "%")) for line in table]
        self.uniform = {row[0]: float(row[3]) for row in rows}
        self.chosen = {row[0]: float(row[4]) for row in rows}
        self.share_work = [float(row[6].rstrip("%")) for row in rows]
        lines = {line.split()[0]: line for line in run.stdout.splitlines() if "counted work" in line}
        self.error = {k: float(v.split()[2].rstrip(",")) for k, v in lines.items()}
        self.work = {k: float(v.split()[-1]) for k, v in lines.items()}


THREE = """# No component reads v, and u reads no component.
component = [
    { name = "u", model = "dahlquist", parameters = { a = -1.0, b = 0.5 } },
    { name = "w", model = "dahlquist", parameters = { a = -1.0, b = 0.5 } },
    { name = "v", model = "vanderpol" },
]
connection = [{ from = "u.x", to = "w.u" }]
subsystem = [
    { name = "u", components = ["u"] }, { name = "w", components = ["w"] }, { name = "v", components = ["v"] },
]
[simulation]
stop = 2.0
communication_step = 0.01
rtol = 1e-6
[relaxation]
scheme = "jacobi"
window = { initial = 0.2, min = 1e-3, max = 1.0 }
[solver]
kind = "dopri54"
"""


def simulate(bench, config, *arguments):
    """Runs a config with the points of the error estimate. Returns the columns of the result by name, and the summary."""
    subprocess.run([bench.wrsim, "-q", str(config), "-o", "out.csv", "--json", "out.json", "-D",
                    "output.events=false", "-D", "simulation.communication_step=1e-3", *arguments], cwd=bench.folder, check=True)
    lines = [line for line in (bench.folder / "out.csv").read_text().splitlines() if line[0] != "#"]
    table = list(csv.reader(lines))
    columns = {name.split(" ")[0]: [row[i] for row in table[1:]] for i, name in enumerate(table[0])}
    return columns, json.loads((bench.folder / "out.json").read_text())


def exact(matrix, start, t_s):
    """Returns exp(matrix t) start, by the series over short steps."""
    n = max(1, math.ceil(40 * t_s))
    x = start
    for _ in range(n):
        term, total = x, x
        for k in range(1, 25):
            term = [sum(m * y for m, y in zip(row, term)) * t_s / n / k for row in matrix]
            total = [a + b for a, b in zip(total, term)]
        x = total
    return x


def pair_error(columns, matrix, names=("u.x", "v.x")):
    """Returns the largest error of the linear pair over the largest value, as the program defines the error."""
    times = [float(t) for t in columns["time"]]
    reference = [exact(matrix, [1.0, 3.0], times[0])]
    for before, now in zip(times, times[1:]):
        reference.append(exact(matrix, reference[-1], now - before))
    worst = 0.0
    for i, name in ((0, "u.x"), (1, "v.x")):
        if name in names:
            size = max(abs(r[i]) for r in reference)
            worst = max(worst, max(abs(float(x) - r[i]) for x, r in zip(columns[name], reference)) / size)
    return worst


@tap.tier("full", "long")
def test_error_meets_the_request(bench):
    config = bench.source / "models/dahlquist/dahlquist.toml"
    for asked in tap.sample((1e-4,), (1e-7, 1e-4)):
        run = bench("-q", config, "--error", asked, command="budget")
        found = Found(run)
        columns, _ = simulate(bench, config, *found.overrides)
        error = pair_error(columns, ((-1.0, 0.5), (-0.5, -1.0)))
        expect(0.1 * asked <= error <= 1.01 * asked, "asked for %g, got %g\n%s" % (asked, error, run.stdout))
        expect(found.work["chosen"] <= found.work["uniform"], run.stdout)
        expect(math.isclose(sum(found.share_work), 100.0, abs_tol=2.0), run.stdout)
    again = bench("-q", config, "--error", asked, command="budget")
    expect(again.stdout == run.stdout, "not the same twice")


@tap.tier("long")
def test_outputs_decide(bench):
    """u decays 20 times as fast as v and has little effect on v. If only v counts, u may have a looser tolerance."""
    config = bench.source / "models/dahlquist/dahlquist.toml"
    fast = ["-D", "component.u.parameters.a=-20", "-D", "relaxation.window.control=fixed",
            "-D", "relaxation.convergence=0.3"]
    run = bench("-q", config, *fast, "--error", "1e-6", "--signals", "v.x", command="budget")
    found = Found(run)
    expect(found.chosen["u"] >= 4 * found.chosen["v"], run.stdout)
    expect(found.uniform["u"] == found.uniform["v"], run.stdout)
    columns, chosen = simulate(bench, config, *fast, *found.overrides)
    error = pair_error(columns, ((-20.0, 0.5), (-0.5, -1.0)), ("v.x",))
    expect(1e-7 <= error <= 1.01e-6, "%g\n%s" % (error, run.stdout))
    same = ["-D", "relaxation.convergence=%g" % found.uniform["coupling"]]
    for name in ("u", "v"):
        same += ["-D", "subsystem.%s.solver.rtol=%g" % (name, found.uniform[name])]
    _, uniform = simulate(bench, config, *fast, "-D", "simulation.rtol=1e-6", *same)
    count = [sum(s["n_rhs"] for s in tree["subsystems"]) for tree in (chosen, uniform)]
    expect(count[0] < 0.97 * count[1], "%s\n%s" % (count, run.stdout))


def test_write(bench):
    """The written config has the run of the printed overrides, also in another folder."""
    (bench.folder / "elsewhere").mkdir()
    run = bench("-q", bench.two_mass, "--error", "1e-5", "-D", "simulation.stop=0.5", "--write",
                "elsewhere/tuned.toml", command="budget")
    found = Found(run)
    words, _ = simulate(bench, bench.two_mass, "-D", "simulation.stop=0.5", *found.overrides)
    written, _ = simulate(bench, "elsewhere/tuned.toml", "-D", "simulation.stop=0.5")
    expect(words == written and len(words["time"]) > 10, "not the same run")


def test_write_keeps_the_stop_of_the_config(bench):
    """The written config has the stop of the config, not the -D stop of the measurement, and every other -D."""
    own = bench.two_mass.read_text()
    stop = re.search("^stop = .*$", own, re.M)[0]
    (bench.folder / "endless.toml").write_text(own.replace(stop + "\n", ""))
    for config, expected in ((bench.two_mass, tomllib.loads(own)["simulation"]["stop"]), ("endless.toml", 0.25)):
        bench("-q", config, "--error", "1e-4", "-D", "simulation.stop = 0.25", "-D", "output.events=false",
              "--write", "tuned.toml", command="budget")
        written = tomllib.loads((bench.folder / "tuned.toml").read_text())
        expect(written["simulation"]["stop"] == expected, (config, written["simulation"]))
        expect(written["output"]["events"] is False, written["output"])


def test_written_config_finds_its_plugin(bench):
    for name in ("elsewhere", "here"):
        (bench.folder / name).mkdir()
    source = bench.source / "models/plugin_example/plugin_example.toml"
    (bench.folder / "here/rooms.toml").write_bytes(source.read_bytes())
    shutil.copy(bench.plugin, bench.folder / "here/wrsim_plugin_example.so")
    bench("-q", "here/rooms.toml", "-D", "simulation.stop=600", "--error", "1e-4", "--signals", "*.T",
          "--write", "elsewhere/tuned.toml", command="budget")
    simulate(bench, "elsewhere/tuned.toml", "-D", "simulation.communication_step=60")


def test_written_config_can_be_tightened(bench):
    """The reference has its own tolerance, also if the config sets one in [solver]."""
    hires = bench.source / "models/hires/hires.toml"
    bench("-q", hires, "-D", "simulation.monolithic=true", "-D", "simulation.stop=20", "--error", "1e-4",
          "--write", "one.toml", command="budget")
    run = bench("-q", "one.toml", "--error", "1e-7", command="budget")
    expect(1e-8 <= Found(run).error["chosen"] <= 1e-7, run.stdout)
    expect(0 < float(re.search("error of the reference ([^)]*)", run.stdout)[1]) < 1e-8, run.stdout)


def test_one_solver(bench):
    run = bench("-q", bench.two_mass, "--error", "1e-5", "-D", "simulation.monolithic=true",
                command="budget")
    found = Found(run)
    expect(list(found.chosen) == ["monolith"] and "solver.rtol=" in found.overrides[-1], run.stdout)
    expect(0.1 * 1e-5 <= found.error["chosen"] <= 1e-5, run.stdout)


def test_grouping_chosen_is_kept(bench):
    """The grouping that "auto" chooses for the config holds for all runs, the printed overrides and the written config. In very short
    windows one solver is cheaper."""
    choices = set()
    (bench.folder / "three.toml").write_text(THREE)
    for error, window in (("1e-4", "0.2"), ("1e-6", "0.005")):
        arguments = ["-q", "three.toml", "--error", error, "-D", "relaxation.convergence=0.3", "-D", "relaxation.window.initial=" + window,
                     "-D", "relaxation.window.max=" + window, "-D"]
        run = bench(*arguments, "simulation.monolithic=auto", "--write", "tuned.toml", command="budget")
        found = Found(run)
        choice, = [w for w in found.overrides if w.startswith("simulation.monolithic=")]
        choices.add(choice)
        # with "auto" one solver has the tightest tolerance of the split run
        own = ["-D", "solver.rtol=%.17g" % (0.2 * float(error))] if choice.endswith("true") else []
        same = bench(*arguments, choice, *own, command="budget").stdout
        expect(run.stdout.replace(" -D " + choice, "") == same, run.stdout + same)
        written = (bench.folder / "tuned.toml").read_text() # false is the default, so the config omits it
        expect(("monolithic = true" in written) == choice.endswith("true") and 'monolithic = "auto"' not in written, choice)
    expect(len(choices) == 2, choices)


def test_nothing_is_looser_than_100_errors(bench):
    """No tolerance exceeds 100 times the requested error, except a tolerance that the config sets. A signal without effect now may
    matter in another part of the run."""
    (bench.folder / "three.toml").write_text(THREE)
    for v, loosest in ((2e-7, 1e-4), (1e-3, 1e-3)):
        found = Found(bench("-q", "three.toml", "--error", "1e-6", "--signals", "u.x", "-D",
                            "subsystem.v.solver.rtol=%g" % v, command="budget"))
        for tolerances in (found.uniform, found.chosen):
            expect(tolerances["v"] <= loosest and tolerances["w"] <= 1e-4, tolerances)
        expect(found.chosen["w"] == 1e-4 and found.chosen["v"] == loosest, found.chosen)


def test_no_run_is_made_twice(bench):
    """The search repeats no run. Candidate tolerances far apart may be equal by their limits, and near ones by rounding."""
    (bench.folder / "three.toml").write_text(THREE)
    run = bench("three.toml", "--error", "1e-6", "--signals", "u.x", command="budget")
    runs = [line.split(": error")[0] for line in run.stderr.splitlines() if ", work " in line]
    expect(len(runs) > 10 and len(set(runs)) == len(runs), "%d of %d\n%s"
           % (len(set(runs)), len(runs), run.stderr))


def interrupt(bench, is_time, *arguments):
    """Sends Ctrl-C when is_time(line) holds for a line of progress; the program abandons the present run."""
    program = subprocess.Popen([bench.wrsim, "budget", *map(str, arguments)], cwd=bench.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=dict(os.environ, TMPDIR=str(bench.folder)))
    said = []
    for line in program.stderr:
        said.append(line)
        if is_time(line):
            break
    program.send_signal(signal.SIGINT)
    out, err = program.communicate()
    expect(program.returncode == 130 and "wrsim: budget: interrupted" in err, (program.returncode, err))
    expect(not list(bench.folder.glob("wrsim-trial-*")), "temporary files are left")
    return out, said


def test_interrupted(bench):
    """Ctrl-C leaves the best complete result, or nothing if no result meets the error."""
    arguments = (bench.two_mass, "-D", "simulation.stop=50", "--error", "1e-4", "--write", "tuned.toml")

    def error(line):
        return float(line.split(": error ")[1].split(",")[0])

    out, said = interrupt(bench, lambda line: ", work " in line and error(line) < 1e-4, *arguments)
    expect("the search was interrupted" in out and "\n-D simulation.rtol=0.0001 -D subsystem.left" in out, out)
    chosen = [line for line in out.splitlines() if line.startswith("chosen ")][0]
    expect(float(chosen.split()[2].rstrip(",")) <= 1e-4, out)
    expect(not (bench.folder / "tuned.toml").exists(), "written though it is incomplete")
    out, said = interrupt(bench, lambda line: ", work " in line, *arguments)
    expect(error(said[-1]) > 1e-4 and out == "", "%s%s" % (said, out))


def test_now_is_the_config_as_it_is(bench):
    """The row "now" has the exact tolerances of the config. Rounded to two digits, as in the overrides, both configs would be equal."""
    now = []
    for rtol in ("1e-6", "1.0499e-6"):
        own = [w for name in ("left", "right") for w in ("-D", "subsystem.%s.solver.rtol=%s" % (name, rtol))]
        found = Found(bench("-q", bench.two_mass, "--error", "1e-5", "-D", "simulation.stop=2", *own,
                            command="budget"))
        now.append((found.error["now"], found.work["now"]))
    expect(now[0] != now[1], now)


def test_fixed_steps_are_left_out(bench):
    fixed = ["-D", "subsystem.left.solver.kind=rk4", "-D", "subsystem.left.solver.step=1e-3"]
    run = bench("-q", bench.two_mass, "--error", "1e-6", *fixed, command="budget")
    expect("left keeps its fixed step (rk4)" in run.stderr, run.stderr)
    expect(set(Found(run).chosen) == {"right", "coupling"}, run.stdout)


def test_suite(bench):
    (bench.folder / "suite.toml").write_text("".join(
        '[[case]]\nname = "%s"\nconfig = "%s"\nerror = 1e-4\noverrides = ["simulation.stop=%s", "output.start=%s"]\n' %
        (stop, bench.two_mass, stop, stop) for stop in ("0.25", "0.5")))
    run = bench("-q", "suite.toml", "--write", "tuned.toml", code=2, command="budget")
    expect("--write takes one case; choose the case by --case (see wrsim budget" in run.stderr, run.stderr)
    expect(run.stdout == "" and not (bench.folder / "tuned.toml").exists(), run.stdout)
    bench("-q", "suite.toml", "--write", "tuned.toml", "--case", "0.25", command="budget")
    expect("start = 0.25" in (bench.folder / "tuned.toml").read_text(), "of another case")
    run = bench("-q", "suite.toml", command="budget")
    expect("0.25: requested error" in run.stdout and "0.5: requested error" in run.stdout, run.stdout)


def test_impossible_requests(bench):
    fixed = ["-D", "solver.kind=rk4", "-D"]
    for arguments, code, message in (
            ([bench.two_mass, *fixed, "solver.step=1e-2"], 2, "has no solver with a tolerance"),
            ([bench.two_mass, "-D", "subsystem.left.solver.kind=rk4", "-D",
              "subsystem.left.solver.step=0.05", "-D", "relaxation.window.control=fixed"], 5, "does not reach an error of 1e-06"),
            ([bench.two_mass, "--signals", "nothing"], 3, "no variable matches 'nothing'"),
            ([bench.two_mass, "--write", "nowhere/file"], 6, "'nowhere/file' cannot be written"),
            ([bench.two_mass, "--load", "3"], 2, "'budget' takes no option '--load'"),
            ([bench.two_mass, "--error", "2"], 2, "--error takes a number from"),
            ([bench.two_mass, "--nonsense"], 2, "takes no option '--nonsense'"),
            ([], 2, "'budget' needs FILE"),
            ([bench.two_mass, bench.two_mass], 2, "'budget' takes FILE"),
            (["nowhere.toml"], 6, "nowhere.toml: error: the file cannot be opened")):
        run = bench(*arguments, "-q", "--error", "1e-6", code=code, command="budget")
        expect(message in run.stderr and run.stdout == "", "%s: %s" % (message, run))
        expect(code != 2 or "has no solver" in message or "(see wrsim budget --help)" in run.stderr, run)
    run = bench("--write", "a", bench.two_mass, code=2)
    expect("'bench' takes no option '--write'" in run.stderr, run.stderr)
    expect("--write FILE" in bench("--help", command="budget").stdout, "help")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
