"""Results must not depend on groupings and window lengths: shipped models and some of the cases, each by
default in up to twelve groupings; see split_cases.py.

The script replaces the [[subsystem]] tables of a shipped config and scales its windows. Tolerance, scheme and solver remain
unchanged, except of the engine (engine_tight.py). split_run.py has the requirements. All signals of shipped models count as steep at
events.
"""
import dataclasses
import pathlib
import random
import re
import tomllib

import engine_tight
from split_run import Runner, Truth, judge, number, read

# Cases that run in groupings, besides the shipped models.
CASES = ["samplers_apart", "samplers_smooth", "time_after_time", "event_ring", "echo_time",
         "echo_state", "blink"]
WINDOWS = ["x1", "x0.1", "x10", "fixed", "fixed0.1", "x3", "fixed10", "x0.3", "x1", "x10", "fixed",
           "ratio"]
STIFF = [("rosenbrock", 1e-10), ("cvode_bdf", 1e-12)]
SMOOTH = [("dopri54", 1e-11), ("cvode_adams", 1e-12)]
# (config, methods and tolerances of its references)
SHIPPED = [
    ("bouncing_ball/bouncing_ball", SMOOTH), ("dahlquist/dahlquist", SMOOTH),
    ("engine/engine", [("dopri54", 1e-9), ("rk43", 1e-10)]), ("faulty/faulty", SMOOTH),
    ("hires/hires", STIFF), ("kpr/kpr", STIFF), ("null/null", SMOOTH), ("orego/orego", STIFF),
    ("plugin_example/plugin_example", SMOOTH), ("rc_ladder/rc_ladder", STIFF),
    ("relay/relay", SMOOTH), ("robertson/robertson", STIFF), ("signal/signal", SMOOTH),
    ("two_mass/two_mass", SMOOTH), ("vanderpol/vanderpol", STIFF),
    ("vanderpol/vanderpol_split", STIFF),
]
MOST_WINDOWS = 20000 # largest number of fixed windows in a run (assumed); shorter fixed windows become longer
MOST_LISTED = 5 # largest number of components of which all groupings run: 52 groupings
TOO_MANY = 8 # largest number of groups in a random grouping


def partitions(names, shipped, seed, n):
    """Returns n groupings: as shipped, all components apart, all together, then random groupings."""
    rng = random.Random(seed)
    found = [shipped, [[name] for name in names], [list(names)]]
    while len(found) < n:
        n_group = rng.randint(2, max(2, min(len(names), TOO_MANY)))
        groups = [[] for _ in range(n_group)]
        for name in names:
            rng.choice(groups).append(name)
        groups = [group for group in groups if group]
        rng.shuffle(groups) # the order of subsystems must not matter either
        found.append(groups)
    return found


def set_partitions(names):
    """Yields all divisions of names into groups."""
    if not names:
        yield []
        return
    for smaller in set_partitions(names[1:]):
        for i in range(len(smaller)):
            yield smaller[:i] + [[names[0]] + smaller[i]] + smaller[i + 1:]
        yield [[names[0]]] + smaller


def all_groupings(case, seed):
    """Returns all groupings of up to MOST_LISTED components. Returns partitions() of more components."""
    names = [component[0] for component in case.components]
    if len(names) <= MOST_LISTED:
        return list(set_partitions(names))
    return partitions(names, case.groups, seed, len(WINDOWS))


@dataclasses.dataclass
class Shipped:
    """A shipped config with the data of a case for Truth and judge()."""
    name: str
    file: pathlib.Path
    references: list
    text: str = ""
    groups: list = None
    signals: dict = None
    stop: float = 0.0
    step: float = 0.0
    timing: float = 0.0
    divide: int = 4
    hair_max: float = 1e9
    gain: float = 0.0
    scale: float = 1.0
    most: float = float("inf")
    exact = None
    ranges = {}
    overrides = {}

    def __post_init__(self):
        self.table = tomllib.loads(self.file.read_text())
        if self.name == "engine":
            self.overrides = dict(text.split("=") for text in engine_tight.OVERRIDES
                                  if not text.startswith("subsystem.")) # the subsystems are different
        simulation = self.table["simulation"]
        for key in ("stop", "rtol"):
            if "simulation." + key in self.overrides:
                simulation[key] = float(self.overrides["simulation." + key])
        self.stop, self.step = simulation["stop"], simulation["communication_step"]
        self.rtol = simulation.get("rtol", 1e-6)
        self.agree = 3 * self.rtol # a tenth of the permitted error of a split run
        self.timing = self.stop / 30.0 # events may move by rtol of the run's length
        self.names = [component["name"] for component in self.table["component"]]
        blocks = re.split(r"(?m)^(?=\[)", self.file.read_text())
        self.text = "".join(block for block in blocks if not block.startswith("[[subsystem]]"))
        patterns = [[re.compile(p.replace("*", ".*") + "$") for p in group["components"]]
                    for group in self.table.get("subsystem", [])]
        self.groups = [[name for name in self.names if any(p.match(name) for p in group)]
                       for group in patterns]
        self.groups += [[name] for name in self.names
                        if not any(name in group for group in self.groups)]


class ShippedRunner(Runner):
    """Runs shipped configs."""

    def __init__(self, runner, options):
        self.__dict__.update(runner.__dict__)
        self.shared, self.build = runner, pathlib.Path(options.build).resolve()

    def execute(self, config, arguments=()):
        return self.shared.execute(config, arguments)

    def keep(self, case, setting, what, run):
        return self.shared.keep(case, setting, what, run)

    def config(self, case, groups, defines):
        text = case.text.replace('file = "wrsim_plugin', 'file = "%s/models/plugin_example/wrsim_plugin'
                                 % self.build)
        for i, group in enumerate(groups):
            text += '\n[[subsystem]]\nname = "g%d"\ncomponents = [%s]\n' % (
                i, ", ".join('"%s"' % name for name in group))
        words = []
        for key, value in {**case.overrides, **defines}.items():
            words += ["-D", "%s=%s" % (key, value)]
        return "# wrsim FILE %s\n%s" % (" ".join(words), text), words

    def windows(self, case, window):
        own = case.table.get("relaxation", {}).get("window", {})
        fixed = window.startswith("fixed")
        factor = 1.0 if window == "ratio" else float(window[5:] or 1.0) if fixed else float(window[1:])
        initial, longest = own.get("initial", 1e-3) * factor, own.get("max", 1.0) * factor
        if fixed: # bounds the number of windows
            initial = max(initial, case.stop / MOST_WINDOWS)
        defines = {"relaxation.window.initial": number(initial)}
        defines["relaxation.window.max"] = number(max(initial, longest))
        if "min" in own:
            defines["relaxation.window.min"] = number(min(own["min"], initial))
        defines["relaxation.window.control"] = ("fixed" if fixed else
                                                "ratio" if window == "ratio" else "work")
        return defines

    def __call__(self, case, setting, monolithic=False, groups=None):
        defines = dict(self.windows(case, setting["window"]))
        defines["scheduler.workers"] = 1
        defines["output.events"] = "false"
        if monolithic:
            defines["simulation.monolithic"] = "true"
        return self.execute(*self.config(case, groups or case.groups, defines))

    def reference(self, case, kind, rtol):
        defines = {"simulation.monolithic": "true", "simulation.rtol": rtol, "solver.kind": kind,
                   "simulation.communication_step": number(case.step / case.divide),
                   "scheduler.workers": 1, "solver.step": 0, "simulation.event_tolerance": 1e-13}
        return self.execute(*self.config(case, case.groups, defines))


def items(options, cases):
    models = pathlib.Path(options.source) / "models"
    shipped = [Shipped(name.split("/")[1], models / (name + ".toml"), references)
               for name, references in SHIPPED]
    return shipped + [case for case in cases if case.name in CASES]


def run_item(item, options, runner, report):
    """Returns (number passed, number failed, largest error over rtol, the same of monolithic runs)."""
    is_shipped = isinstance(item, Shipped)
    if is_shipped:
        runner = ShippedRunner(runner, options)
        names = item.names
        first = runner.reference(item, "auto", item.rtol)
        if first.failure:
            report.failed(item.name, "monolithic", first.failure, None)
            return 0, 1, 0.0, 0.0
        item.signals = {name: "s" for _, _, values in read(first.file)[:1] for name in values}
        first.file.unlink()
        base = {"rtol": repr(item.rtol), "window": "x1"}
    else:
        names = [component[0] for component in item.components]
        base = {"rtol": "1e-6", "solver": "auto", "scheme": "jacobi", "window": "x1",
                "active_set": "true", "acceleration": "auto", "prediction": "auto"}
    n_good = n_bad = 0
    worst = worst_twin = 0.0
    truth = Truth(item, runner)
    if truth.problem:
        report.failed(item.name, "references", truth.problem, truth.file)
        n_bad += 1
    twins = {}
    groupings = partitions(names, item.groups, "%s %s" % (options.seed, item.name), len(WINDOWS))
    for i, (groups, window) in enumerate(zip(groupings, WINDOWS)):
        if options.sample and i not in (1, 4 + sum(item.name.encode()) % 8):
            continue
        setting = dict(base, window=window)
        if window not in twins:
            run = runner(item, setting, monolithic=True)
            twins[window] = twin = judge(item, truth, run, setting, None)
            worst_twin = max(worst_twin, twin.ratio)
            if twin.problem:
                n_bad += 1
                report.failed(item.name, "monolithic, windows " + window, twin.problem,
                              runner.keep(item, setting, "monolithic", run))
        run = runner(item, setting, groups=groups)
        split = judge(item, truth, run, setting, twins[window])
        worst = max(worst, split.ratio)
        if split.problem:
            n_bad += 1
            report.failed(item.name, "grouping %d (%d subsystems), windows %s" % (i + 1, len(groups), window),
                          split.problem, runner.keep(item, setting, "grouping", run))
        else:
            n_good += 1
    return n_good, n_bad, worst, worst_twin
