"""Runs a case of split_cases.py and compares its results."""
import bisect
import csv
import dataclasses
import functools
import math
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../harness"))
import limited  # pylint: disable=wrong-import-position

LIMIT = 30.0       # a split run may err by LIMIT rtol of a signal's range (assumed) ...
LIMIT_TWIN = 3.0   # ... or by LIMIT_TWIN times the error of its monolithic twin (assumed)
# Methods and tolerances of the references, far below 1e-8, the tightest tolerance of a setting.
REFERENCES = [("dopri54", 1e-11), ("cvode_adams", 1e-12)]
INITIAL_S, MAX_S = 1e-3, 1.0 # default windows


@dataclasses.dataclass
class Run:
    code: int       # exit code; None: killed at the time limit
    message: str
    file: pathlib.Path
    config: str

    @property
    def failure(self):
        if self.code is None:
            return "did not end (%s)" % self.message
        return "exit code %d: %s" % (self.code, self.message) if self.code else ""


def number(value):
    return repr(value) if isinstance(value, float) else str(value)


def window_lines(case, window):
    if window.startswith("fixed"):
        length = case.window * float(window[5:] or 1.0)
        return ['window = { initial = %r, max = %r, control = "fixed" }' % (length, length)]
    if window == "ratio":
        return ['window = { control = "ratio" }']
    factor = float(window[1:]) * case.scale
    return [] if factor == 1.0 else ["window = { initial = %r, max = %r }"
                                     % (INITIAL_S * factor, MAX_S * factor)]


def config_text(case, plugin, groups, simulation, relaxation, solver, events, note):
    lines = ["# Case %s: %s" % (case.name, case.about), "# " + note, "[simulation]"]
    lines += ["%s = %s" % (key, number(value)) for key, value in simulation.items()]
    lines += ["[relaxation]"] + relaxation + ["[scheduler]", "workers = 1", "[solver]"]
    lines += ["%s = %s" % (key, value) for key, value in solver.items()]
    lines += ["[output]", "events = %s" % ("true" if events else "false"),
              "signals = [%s]" % ", ".join('"%s"' % name for name in case.signals)]
    lines += ["[[plugin]]", 'file = "%s"' % plugin]
    for name, model, parameters, start in case.components:
        lines += ["[[component]]", 'name = "%s"' % name, 'model = "%s"' % model]
        for table, values in (("parameters", parameters), ("start", start)):
            if values:
                lines.append("%s = { %s }" % (table, ", ".join(
                    "%s = %s" % (k, number(float(v))) for k, v in values.items())))
    for source, target in case.connections:
        lines += ["[[connection]]", 'from = "%s"' % source, 'to = "%s"' % target]
    for i, group in enumerate(groups):
        lines += ["[[subsystem]]", 'name = "g%d"' % i,
                  "components = [%s]" % ", ".join('"%s"' % name for name in group)]
    return "\n".join(lines) + "\n"


# Message of a run that starts again without its split, and the exit code that this module gives such a run.
STARTS_AGAIN, EXIT_CONTRACT = "The run starts again as one subsystem", 5


class Runner:
    def __init__(self, options, folder):
        self.wrsim, self.plugin = pathlib.Path(options.wrsim).resolve(), pathlib.Path(
            options.plugin).resolve()
        self.folder, self.timeout = folder, options.timeout
        self.keep_folder = pathlib.Path(options.keep) if options.keep else None
        self.lock, self.n_run, self.n_kept = threading.Lock(), 0, 0

    def execute(self, config, arguments=()):
        """Runs a config. Each run has a result file of its own."""
        with self.lock:
            self.n_run += 1
            name = self.folder / ("%06d" % self.n_run)
        toml, out = name.with_suffix(".toml"), name.with_suffix(".csv")
        toml.write_text(config)
        try:
            run = limited.run([self.wrsim, "-q", toml, "-o", out, *arguments], self.timeout, cwd=self.folder, text=True)
        except subprocess.TimeoutExpired:
            return Run(None, "killed after %g s of CPU time" % self.timeout, out, config)
        finally:
            toml.unlink()
        lines = run.stderr.strip().splitlines()
        return Run(run.returncode, lines[0].replace("wrsim: error: ", "") if lines else "", out, config)

    def __call__(self, case, setting, monolithic=False, groups=None):
        rtol = float(setting["rtol"])
        simulation = {"stop": case.stop, "communication_step": case.step, "rtol": rtol}
        if monolithic:
            simulation["monolithic"] = "true"
        relaxation = ['scheme = "%s"' % setting["scheme"],
                      "active_set = %s" % setting["active_set"],
                      'acceleration = "%s"' % setting["acceleration"],
                      'prediction = "%s"' % setting["prediction"]]
        relaxation += window_lines(case, setting["window"])
        note = " ".join("%s=%s" % item for item in setting.items())
        run = self.execute(config_text(case, self.plugin, groups or case.groups, simulation,
                                       relaxation, {"kind": '"%s"' % setting["solver"]}, False,
                                       note))
        if run.code == 0 and STARTS_AGAIN in run.message and not case.gives_up:
            run.code = EXIT_CONTRACT # the case requires a split
        return run

    def reference(self, case, kind, rtol):
        simulation = {"stop": case.stop, "communication_step": case.step / case.divide,
                      "rtol": rtol, "event_tolerance": 1e-13 * case.scale, "monolithic": "true"}
        solver = {"kind": '"%s"' % kind, "step": number(case.step / case.divide)}
        return self.execute(config_text(case, self.plugin, case.groups, simulation, [], solver, True,
                                        "reference"))

    def keep(self, case, setting, what, run):
        """Stores the config of a failing run and returns its file."""
        with self.lock:
            if self.keep_folder is None:
                self.keep_folder = pathlib.Path(tempfile.mkdtemp(prefix="split_cases_"))
            self.keep_folder.mkdir(parents=True, exist_ok=True)
            self.n_kept += 1
            file = self.keep_folder / ("%s_%03d_%s.toml" % (case.name, self.n_kept, what))
        file.write_text(run.config)
        return file


def read(file):
    """Returns [(time, kind, {signal: value})] of a .csv file."""
    with open(file, newline="") as lines:
        table = csv.reader(line for line in lines if not line.startswith("#"))
        names = [name.split(" ")[0] for name in next(table)[2:]]
        return [(float(row[0]), row[1], {n: float(v) for n, v in zip(names, row[2:]) if v})
                for row in table]


def between(times, values, i, t):
    """Returns the value at t on the straight line from row i - 1 to row i. Outside of the rows: the nearest value."""
    if i <= 0 or i >= len(times):
        return values[min(i, len(values) - 1)]
    part = (t - times[i - 1]) / (times[i] - times[i - 1]) if times[i] > times[i - 1] else 0.0
    return values[i - 1] + part * (values[i] - values[i - 1])


class Truth:
    """The right values: the closed form if the case has one, otherwise the first reference."""

    def __init__(self, case, runner):
        self.case, self.problem, self.file = case, "", None
        self.exact = case.exact and functools.cache(case.exact) # all signals and runs need the same times
        self.series = {}
        runs = [runner.reference(case, kind, rtol) for kind, rtol in case.references or REFERENCES]
        both = []
        for run in runs:
            if run.failure:
                self.problem = self.problem or run.failure
                self.file = self.file or runner.keep(case, None, "reference", run)
            else:
                both.append(read(run.file))
                run.file.unlink()
        if not both and not case.exact:
            raise SystemExit("split_cases.py: %s has no reference: %s" % (case.name, self.problem))
        if both:
            for name in case.signals:
                self.series[name] = ([], [])
                for t, _, values in both[0]:
                    if name in values:
                        self.series[name][0].append(t)
                        self.series[name][1].append(values[name])
        self.range = {}
        n = round(case.stop / case.step)
        for name in case.signals:
            values = ([self.exact(i * case.step)[name] for i in range(n + 1)] if case.exact
                      else self.series[name][1])
            size = max(map(abs, values)) or 1.0
            self.range[name] = case.ranges.get(name) or max(max(values) - min(values), 1e-6 * size)
        for rows, (kind, _) in zip(both, case.references or REFERENCES):
            worst = self.compare(rows)
            if not self.problem and worst[0] > case.agree:
                self.problem = "with %s %s" % (kind, worst[1])
                self.file = runner.keep(case, None, "reference", runs[0])

    def compare(self, rows):
        worst = (0.0, "")
        for t, kind, values in rows:
            if kind != "c":
                continue
            for name, sort in self.case.signals.items():
                off = self.distance(name, t, values[name],
                                    0.0 if sort in "cd" else 1e-6 * self.case.scale)
                off = off / self.range[name]
                if off > worst[0]:
                    worst = (off, "%s is off by %.2g of its range at t = %g: %.12g" % (
                        name, off, t, values[name]))
        return worst

    def hull(self, name, t, hair):
        """Returns the least and the largest value within a hair of t. An exact solution counts at t and at both ends. A reference counts at
        its rows and, between rows, at both ends; for kind n at its rows and the row before."""
        if self.exact:
            points = (t,) if hair == 0.0 else (max(t - hair, 0.0), t, t + hair)
            values = [self.exact(point)[name] for point in points]
            return min(values), max(values)
        times, values = self.series[name]
        if hair == 0.0:
            i = bisect.bisect_right(times, t + 1e-9 * self.case.step) - 1
            return values[i], values[i]
        first, end = bisect.bisect_left(times, t - hair), bisect.bisect_right(times, t + hair)
        if self.case.signals[name] == "n":
            found = values[max(first - 1, 0):end]
        else:
            found = values[first:end] + [between(times, values, first, t - hair),
                                         between(times, values, end, t + hair)]
        return min(found), max(found)

    def distance(self, name, t, value, hair):
        low, high = self.hull(name, t, hair)
        return max(low - value, value - high, 0.0)


@dataclasses.dataclass
class Verdict:
    problem: str = ""
    ratio: float = 0.0   # worst error of a signal of kind c, s or j, relative to its range, over rtol
    error: dict = dataclasses.field(default_factory=dict)
    hair: float = 0.0    # worst error of a signal of kind c, relative to its range


def allowed_to_fail(case, run, setting):
    """Returns whether the run has failed with a message at an rtol below 1e-6, in a loop with a gain above 0.99. The exit
    codes 2, 3, 4, 6 and 7 are not allowed."""
    return (case.gain > 0.99 and float(setting["rtol"]) < 0.99e-6 and run.code is not None and
            run.code > 0 and run.code not in (2, 3, 4, 6, 7) and run.message != "")


def judge(case, truth, run, setting, twin):
    """Compares a run with the truth. twin: verdict of the monolithic twin; None if the run is a twin itself."""
    rtol = float(setting["rtol"])
    if run.failure:
        verdict = Verdict("" if allowed_to_fail(case, run, setting) else run.failure)
        if run.file.exists():
            run.file.unlink()
        return verdict
    rows = [(t, values) for t, kind, values in read(run.file) if kind == "c"]
    run.file.unlink()
    verdict = Verdict()
    n = round(case.stop / case.step) + 1
    if len(rows) != n:
        verdict.problem = "%d communication points of %d" % (len(rows), n)
    def worst_of(name, hair):
        return max((truth.distance(name, t, values[name], hair), t, values[name])
                   for t, values in rows)
    smooth = [name for name, sort in case.signals.items() if sort == "c"]
    found = {name: worst_of(name, 0.0) for name in smooth}
    off = max([found[name][0] / truth.range[name] for name in smooth], default=0.0)
    allowed = max(LIMIT * rtol, LIMIT_TWIN * (off if twin is None else twin.hair))
    verdict.hair = off
    hair = min(allowed * case.timing + 1e-8 * case.scale, case.hair_max)
    for name, sort in case.signals.items():
        if sort in "js":
            found[name] = worst_of(name, hair)
    for name, (error, t, value) in found.items():
        error /= truth.range[name]
        verdict.error[name] = error
        if not error <= verdict.ratio * rtol:
            verdict.ratio = error / rtol
        of_twin = twin.error.get(name, 0.0) if twin else 0.0
        limit = min(max(LIMIT * rtol, LIMIT_TWIN * of_twin) if twin else math.inf, case.most * rtol)
        if not error <= limit and not verdict.problem:
            verdict.problem = "%s is off by %.2g of its range (%.3g x rtol; monolithic %.2g) at t = %g" % (
                name, error, error / rtol, of_twin, t)
    for name, sort in case.signals.items():
        if sort not in "dn":
            continue
        for t, values in rows:
            value = values[name]
            low, high = truth.hull(name, t, 0.0 if sort == "d" else hair)
            slack = 1e-9 * max(abs(low), abs(high), 1.0)
            if not low - slack <= value <= high + slack:
                last = rows[-1][1][name]
                verdict.problem = verdict.problem or (
                    "%s is %g, not %g, at t = %g; %g at the end, not %g" % (
                        name, value, low, t, last, truth.hull(name, rows[-1][0], 0.0)[0]))
                break
    return verdict
