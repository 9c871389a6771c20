"""Exported FMUs (wrsim export): a direct run, a master by ctypes, and wrsim's own importer give equal results.

    fmu_export.py --wrsim PROGRAM --module FOLDER --source FOLDER [--tier TIER] [test] ...
"""
import glob
import json
import math
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import check_description
import configs
import fmu_master
import runs
import tap
from tap import expect

VERSIONS = (2, 3)


class Bench:
    shared = {} # folder of unpacked FMUs that several tests use, and these FMUs

    def __init__(self, options, folder):
        self.wrsim, self.source, self.folder = options.wrsim, options.source, folder

    def config(self, text, name="c.toml"):
        with open(self.folder / name, "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def call(self, *words, **environment):
        return subprocess.run([self.wrsim, *map(str, words)], cwd=self.folder, check=False, capture_output=True, text=True,
                              env={**os.environ, **environment})

    def export(self, config, version=2, *words):
        """Returns the unpacked FMU of a config."""
        name = f"{os.path.splitext(os.path.basename(config))[0]}_{version}"
        done = self.call("export", config, "--fmi", version, "-o", f"{name}.fmu", *words)
        expect(done.returncode == 0, f"export ended with {done.returncode}: {done.stderr}")
        return fmu_master.Unpacked(self.folder / f"{name}.fmu", self.folder / name)

    def recorded(self, config):
        """Returns the names of the signals that a run records."""
        done = self.call(config, "-q", "-o", "names.csv", "-D", "simulation.stop=5e-4")
        expect(done.returncode == 0, done.stderr)
        return set(runs.columns_of(self.folder / "names.csv")) - {"time", "kind"}

    def engine(self, version=None):
        """Returns the config of the engine, or its unpacked FMU."""
        config = os.path.join(self.source, "models/engine/engine.toml")
        if version is None:
            return config
        if version not in self.shared:
            own, self.folder = self.folder, self.common
            self.shared[version] = self.export(config, version)
            self.folder = own
        return self.shared[version]


def grid(step_s, n):
    return [step_s * k for k in range(n + 1)]


def run_directly(config, points, names):
    """Returns the rows of values of a run whose windows end at the points."""
    import wrsim
    with wrsim.Simulation(config) as sim:
        sim.prepare()
        rows = [list(sim.get(names))]
        for t_s in points[1:]:
            sim.advance(t_s)
            rows.append(list(sim.get(names)))
    return rows


def expect_equal(rows, expected, names, tolerance=0.0):
    for name, column, right in zip(names, zip(*rows), zip(*expected)):
        span = max(right) - min(right) or max(map(abs, right)) or 1.0
        worst = max(abs(a - b) for a, b in zip(column, right)) / span
        expect(worst <= tolerance, f"{name}: {worst:g} of the range")
    expect(len(rows) == len(expected), f"{len(rows)} rows instead of {len(expected)}")


def test_engine(bench):
    """The engine: the master's rows have the bits of the direct run, also when the master adds the step lengths."""
    points = grid(5e-4, tap.sample(40, 200))
    names = expected = None
    for version in VERSIONS:
        fmu = bench.engine(version)
        names = names or fmu.names("output")
        expected = expected or run_directly(bench.engine(), points, names)
        expect(set(names) == set(bench.recorded(bench.engine())), f"outputs: {names}")
        instance = fmu_master.Instance(fmu)
        instance.begin(0.0, 0.48)
        expect_equal(instance.run(points, names), expected, names)
        instance.need("Reset")
        instance.begin()
        added = [0.0]
        for _ in points[1:]:
            added.append(added[-1] + 5e-4)
        expect_equal(instance.run(added, names), expected, names)
        instance.need("Terminate")
        instance.free()
        expect(not instance.log, f"messages: {instance.log}")


@tap.tier("full")
def test_import(bench):
    """wrsim imports the engine as a component: equal to the direct run."""
    n = tap.sample(40, 200)
    for version in VERSIONS:
        fmu = bench.engine(version)
        names = fmu.names("output")
        config = bench.config(f"""
[simulation]
stop = {n * 5e-4!r}
communication_step = 5e-4
[relaxation]
window = {{ initial = 5e-4, min = 5e-4, max = 5e-4, control = "fixed" }}
[[component]]
name = "f"
fmu = "{bench.common}/engine_{version}.fmu"
[output]
events = false
""")
        done = bench.call(config, "-q", "-o", "r.csv")
        expect(done.returncode == 0, done.stderr)
        columns = runs.columns_of(bench.folder / "r.csv")
        rows = list(zip(*(columns["f." + name] for name in names)))
        expect_equal(rows, run_directly(bench.engine(), grid(5e-4, n), names), names, 1e-12)


def same(bench, config, version, n, step_s, drive, adjust):
    """Runs n steps directly and as an FMU. drive(k) gives {port: value}; adjust(k, sim, instance) makes further changes of both."""
    import wrsim
    fmu = bench.export(config, version)
    instance = fmu_master.Instance(fmu)
    instance.begin()
    names = [name for name in fmu.names("output") if "." in name]
    points = grid(step_s, n)
    with wrsim.Simulation(bench.folder / config) as sim:
        sim.prepare()
        for k in range(n):
            for name, value in drive(k).items():
                sim[name] = value
                instance.set([name], [value])
            adjust(k, sim, instance)
            sim.advance(points[k + 1])
            status, _, _ = instance.step(points[k], points[k + 1] - points[k])
            expect(status == fmu_master.OK, f"step {k}: {status} {instance.log[-1:]}")
            expect(list(sim.get(names)) == instance.get(names), f"FMI {version}: step {k} differs: {list(sim.get(names))} {instance.get(names)}")
            expect(instance.get(["level"]) == [sim["level"]], f"step {k}: output port")
    instance.free()
    expect(not instance.log, f"messages: {instance.log}")


def test_ports(bench):
    """Inputs that jump in each step, a scenario of a signal and a tunable parameter: the bits of the direct run."""
    config = bench.config(configs.PLANT, "p.toml")

    def adjust(k, sim, instance):
        if k == 5:
            sim.set_scenario("leak", 0.25)
            sim.trigger("leak")
            instance.set(["scenario.leak.value"], [0.25])
            instance.set(["scenario.leak.is_on"], [1])
        if k == 12:
            sim.trigger("leak", False)
            instance.set(["scenario.leak.is_on"], [0])
        if k == 8:
            sim.set_scenario("slow", 3.0)
            sim.trigger("slow")
            instance.set(["c.parameters.T"], [3.0])
    for version in VERSIONS:
        same(bench, config, version, 20, 0.1, lambda k: {"drive": math.sin(k)}, adjust)


@tap.tier("full")
def test_start(bench):
    """Start values of inputs and parameters before the initialisation equal keys of the config. Outputs have values before the first step."""
    config = bench.config(configs.PLANT, "p.toml")
    import wrsim
    with wrsim.Simulation(bench.folder / config, {"component.a.parameters.b": 2.0, "port.drive.start": 1.25}) as sim:
        sim.prepare()
        sim.advance(0.1)
        expected = sim["a.x"]
    for version in VERSIONS:
        instance = fmu_master.Instance(bench.export(config, version))
        instance.set(["a.parameters.b"], [2.0])
        instance.enter()
        expect(instance.get(["a.x"]) == [1.0], "start value of a.x")
        instance.set(["drive"], [1.25])
        instance.need("ExitInitializationMode")
        for name in ("a.parameters.b", "time", "level"):
            try:
                instance.set([name], [3.0])
                raise AssertionError(f"{name} is set between steps")
            except fmu_master.Failed:
                pass
        instance.step(0.0, 0.1)
        expect(instance.get(["a.x", "a.parameters.b", "drive", "time"]) == [expected, 2.0, 1.25, 0.1], f"{instance.get(['a.x'])} {expected}")
        instance.free()


@tap.tier("full")
def test_slopes(bench):
    """x' = -0.5 x + u with u = 1 + t by derivatives of the input: x = 2 (t - 1) + 3 e^(-t/2). Without derivatives the error is large."""
    config = bench.config(configs.PLANT, "p.toml")
    fmu = bench.export(config, 2)
    for has_slope, low, high in ((True, 0.0, 1e-5), (False, 1e-2, 1.0)):
        instance = fmu_master.Instance(fmu)
        instance.set(["drive"], [1.0])
        instance.begin()
        for k in range(20):
            instance.set(["drive"], [1.0 + 0.1 * k])
            if has_slope:
                instance.set_slopes(["drive"], [1.0])
            instance.step(0.1 * k, 0.1)
        error = abs(instance.get(["a.x"])[0] - (2.0 + 3.0 * math.exp(-1.0)))
        expect(low <= error <= high, f"slopes {has_slope}: error {error:g}")
        instance.free()


@tap.tier("full")
def test_state(bench):
    """A state saved in the middle of the engine's run: the same bits after a restore, in another instance and in another process."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fmu_continue.py")
    for version in VERSIONS:
        fmu = bench.engine(version)
        names = fmu.names("output")
        points = grid(5e-4, 40)
        one, two = fmu_master.Instance(fmu), fmu_master.Instance(fmu)
        one.begin()
        one.run(points[:21], names)
        state = one.save()
        rows = one.run(points[20:], names)
        one.restore(state)
        expect(one.run(points[20:], names) == rows, "other rows after a restore")
        data = one.serialise(state)
        two.restore(two.deserialise(data))
        expect(two.run(points[20:], names) == rows, "other rows in another instance")
        with open(bench.folder / "state", "wb") as file:
            file.write(data)
        done = subprocess.run([sys.executable, script, fmu.folder, bench.folder / "state", repr(points[20:])], check=False,
                              capture_output=True, text=True)
        expect(done.returncode == 0, done.stderr)
        expect(json.loads(done.stdout) == rows, "other rows in another process")
        for wrong in (data[:-1], data[:50], data[:500] + b"x" + data[501:], b""):
            try:
                one.deserialise(wrong)
                raise AssertionError("damaged bytes are accepted")
            except fmu_master.Failed:
                pass
        one.forget(state)
        one.free()
        two.free()


@tap.tier("full")
def test_ends(bench):
    """A parameter scenario that ends by itself is a switch, and its parameter is fixed."""
    config = bench.config(configs.PLANT.replace("value = 2\n", "value = 2\nduration = 0.25\n"), "p.toml")
    fmu = bench.export(config)
    expect(fmu.by_name["c.parameters.T"].variability == "fixed", "a parameter that changes by itself")
    expect("scenario.slow.is_on" in fmu.by_name and "scenario.slow.value" in fmu.by_name, f"{list(fmu.by_name)}")
    expect("scenario.slow.is_on" not in bench.export(bench.config(configs.PLANT, "q.toml")).by_name, "two ways to one parameter")


def check_rules(fmu):
    """The FMU follows the rules of FMI, and further rules of `wrsim export`."""
    violations = check_description.violations(fmu.path)
    expect(not violations, "\n".join(violations[:5]))
    experiment = fmu.root.find("DefaultExperiment")
    expect(float(experiment.get("startTime")) < float(experiment.get("stopTime")), "the default experiment has no length")
    expect(len(fmu.names("independent")) == 1, "not one independent variable")
    expect("numberOfEventIndicators" not in fmu.root.attrib, "an FMU of co-simulation has no event indicators")


@tap.tier("full")
def test_rules(bench):
    """Descriptions follow the rules of FMI."""
    for version in VERSIONS:
        check_rules(bench.engine(version))
        check_rules(bench.export(bench.config(configs.PLANT, "p.toml"), version))


@tap.tier("full")
def test_libraries(bench):
    """The binary links libc, libm and the loader only, and exports functions of FMI only."""
    for version in VERSIONS:
        listing = subprocess.run(["ldd", bench.engine(version).binary], check=True, capture_output=True, text=True).stdout
        names = {line.split()[0].split("/")[-1].split(".so")[0] for line in listing.splitlines()}
        expect(names <= {"linux-vdso", "libc", "libm", "ld-linux-x86-64"}, listing)


def compile_plugin(bench, head, rate, *words):
    subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(bench.source, "include"), "-x", "c", "-", "-x", "none", "-o", "own.so",
                    *words], cwd=bench.folder, check=True, input=configs.PLUGIN % (head, rate), text=True)


@tap.tier("full")
def test_texts(bench):
    """Texts of a plug-in that XML excludes do not damage the description."""
    compile_plugin(bench, "", "-at->x[0]", r'-DTEXT="<\"&\001\377caf\351\357\277\277 \303\244>"')
    fmu = bench.export(bench.config(configs.WITH_PLUGIN))
    text = next(v for v in fmu.root.find("ModelVariables") if v.get("name") == "a.x").get("description")
    expect(text == '<"& ?caf?? \u00e4>', text)


@tap.tier("full")
def test_token(bench):
    """The token of an FMU depends on the content of the files of its config, so a state of another plug-in is refused."""
    tokens = []
    for rate in ("-at->x[0]", "-2.0 * at->x[0]", "-at->x[0]"):
        compile_plugin(bench, "", rate)
        tokens.append(bench.export(bench.config(configs.WITH_PLUGIN)).token)
    expect(tokens[0] == tokens[2] != tokens[1], f"{tokens}")


@tap.tier("full")
def test_plugin(bench):
    """A plug-in travels inside of the FMU. A plug-in that links another library is refused by the name of the library."""
    compile_plugin(bench, "", "-at->x[0]")
    config = bench.config(configs.WITH_PLUGIN)
    for version in VERSIONS:
        fmu = bench.export(config, version)
        os.rename(bench.folder / "own.so", bench.folder / "away.so")
        instance = fmu_master.Instance(fmu)
        instance.begin()
        value = instance.run(grid(0.1, 10), ["a.y"])[-1][0]
        expect(abs(value - math.exp(-1)) < 1e-3, f"{value}")
        instance.free()
        os.rename(bench.folder / "away.so", bench.folder / "own.so")
    compile_plugin(bench, "const char *zlibVersion(void);", "zlibVersion()[0] - at->x[0]", "-l:libz.so.1")
    done = bench.call("export", config)
    expect(done.returncode == 4 and "libz.so.1" in done.stderr and "plugin.file" in done.stderr, f"{done.returncode} {done.stderr}")


@tap.tier("full")
def test_refusals(bench):
    """The command names the key of a config that cannot be exported."""
    plant = configs.PLANT
    cases = {'[solver]\nkind = "rosenbrock"\nlinear_solver = "sparse"\n': "solver.linear_solver",
             '[solver]\nkind = "cvode_bdf"\nlinear_solver = "sparse"\n': "solver.linear_solver"}
    bench.config(plant, "p.toml")
    for text, key in cases.items():
        done = bench.call("export", bench.config(plant + text))
        expect(done.returncode == 3 and key in done.stderr, f"{text}: {done.returncode} {done.stderr}")
        expect(not os.path.exists(bench.folder / "c.fmu"), "a refused config leaves a file")
    for name in ("r.h5", "r.mat"):
        bench.call("p.toml", "-q", "-o", name)
        done = bench.call("export", bench.config(plant + f'[[scenario]]\nname = "r"\nsignal = "a.x"\naction = "replay"\nfile = "{name}"\n'
                                                 'column = "b.x"\nat = 1\n'))
        expect(done.returncode == 3 and "scenario.r.file" in done.stderr and "wrsim convert" in done.stderr, f"{done.returncode} {done.stderr}")
    with open(bench.folder / "notes.fmu", "w", encoding="ascii") as file:
        file.write("notes")
    done = bench.call("export", "p.toml", "-o", "notes.fmu")
    expect(done.returncode == 6 and "notes.fmu" in done.stderr, f"{done.returncode} {done.stderr}")
    done = bench.call("export", "p.toml", "-o", "no/where.fmu")
    expect(done.returncode == 6 and "no/where.fmu" in done.stderr, f"{done.returncode} {done.stderr}")
    os.mkfifo(bench.folder / "pipe.fmu")
    done = bench.call("export", "p.toml", "-o", "pipe.fmu")
    expect(done.returncode == 6 and "pipe.fmu" in done.stderr, f"{done.returncode} {done.stderr}")
    expect(stat.S_ISFIFO(os.lstat(bench.folder / "pipe.fmu").st_mode), "the pipe is gone")
    for _ in range(2): # to a new file, and over this file
        done = bench.call("export", "p.toml", "-o", "real.fmu")
        expect(done.returncode == 0, done.stderr)
        if not os.path.lexists(bench.folder / "link.fmu"):
            os.symlink("real.fmu", bench.folder / "link.fmu")
    before = (bench.folder / "real.fmu").read_bytes()
    done = bench.call("export", "real.fmu") # the name of the output would be the name of the input
    expect(done.returncode == 6 and "overwrite" in done.stderr, f"{done.returncode} {done.stderr}")
    expect((bench.folder / "real.fmu").read_bytes() == before, "the export has overwritten its input")
    done = bench.call("export", "p.toml", "-o", "link.fmu")
    expect(done.returncode == 0 and os.path.islink(bench.folder / "link.fmu"), f"the link is gone: {done.stderr}")


@tap.tier("full")
def test_killed(bench):
    """An export leaves no temporary folder, and removes the folder of a killed export."""
    os.makedirs(bench.folder / "temporary" / "wrsim-fmu-dead00" / "resources")
    done = bench.call("export", bench.config(configs.PLANT), "-o", "x.fmu", TMPDIR=str(bench.folder / "temporary"))
    expect(done.returncode == 0, done.stderr)
    expect(not os.listdir(bench.folder / "temporary"), "a temporary folder is left")


def compare(bench, config, version):
    """Runs a config directly and as an FMU. Returns the number of steps; 0 if the config is refused by a key."""
    import wrsim
    own = {"output.file": "", "output.json": "", "slack.log": "", "realtime.rate": 0.0}
    done = bench.call("export", config, "--fmi", version, "-o", "x.fmu")
    if done.returncode != 0:
        expect(any(key in done.stderr for key in ("solver.linear_solver", "subsystem.", "scenario.", "component.", "simulation.", "output.")),
               f"{config}: refused without a key: {done.stderr}")
        return 0
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        fmu = fmu_master.Unpacked(bench.folder / "x.fmu", folder)
        check_rules(fmu)
        names = [name for name in fmu.names("output") if "." in name][:50]
        step_s = float(fmu.root.find("DefaultExperiment").get("stepSize"))
        start_s, stop_s = (float(fmu.root.find("DefaultExperiment").get(key)) for key in ("startTime", "stopTime"))
        n = max(1, min(10, int((stop_s - start_s) / step_s + 1e-9)))
        points = [start_s + step_s * k for k in range(n + 1)]
        with wrsim.Simulation(bench.folder / config, own) as sim:
            sim.prepare()
            instance = fmu_master.Instance(fmu)
            instance.begin(start_s)
            for t_s, end_s in zip(points, points[1:]):
                sim.advance(end_s)
                status, _, _ = instance.step(t_s, end_s - t_s)
                expect(status == fmu_master.OK, f"{config}: step to {end_s}: {status} {instance.log[-1:]}")
                expect(instance.get(names) == list(sim.get(names)), f"{config}: other values at {end_s}")
            instance.free()
    return n


@tap.tier("full")
def test_configs(bench):
    """Shipped and random configs: the bits of the direct run, or a refusal that names the key."""
    shipped = sorted(glob.glob(os.path.join(bench.source, "models/*/*.toml")))
    shipped = [path for path in shipped if "plugin_example" not in path] # needs a plug-in that the test plugin replaces
    shipped = shipped if tap.sample(False, True) else shipped[::4]
    paths = shipped + [bench.config(configs.random_config(seed), f"r{seed}.toml") for seed in range(tap.sample(4, 20))]
    n_run = sum(compare(bench, config, 2 + k % 2) > 0 for k, config in enumerate(paths))
    expect(n_run > len(paths) * 3 // 4, f"{n_run} of {len(paths)} configs run as an FMU")


def main():
    parser = tap.parser("--module", "--source", tiers=("quick", "full", "long"))
    options = parser.parse_args()
    sys.path.insert(0, options.module)
    with tempfile.TemporaryDirectory() as common:
        Bench.common = pathlib.Path(common)
        return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
