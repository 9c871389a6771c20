"""Runs confirm the verdicts of `wrsim stability`.

A step 2 % above the reported largest stable step counts as unstable, and the run diverges. A step 2 % below the
largest stable step counts as stable, and the run remains near its start. In slackened runs the growth per period is the reported spectral
radius. Steps divide the windows and periods, because shortened steps would be stable.

    stability_runs.py PROGRAM SOURCE full|long

Tier full takes every third case and the DAE, and fewer linearisations of the engine.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

UNSTABLE, UNDECIDED = 12, 11  # exit codes; UNDECIDED: no verdict, for example on the exchange of periods
MARGIN = 0.02


def fail(text):
    sys.exit("not ok - " + text)


def run(words, codes):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode not in codes:
        fail("%s\nended with %d:\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done


def settings(words):
    return [word for setting in words for word in ("-D", setting)]


class Case:
    """A run and its limit: name, config, settings as functions of the step, subsystem, signal, largest deviation of the signal
    in a stable run, and number of points at which the command linearises."""

    def __init__(self, bench, name, config, words, subsystem, signal, limit, points):
        self.bench, self.name, self.config, self.words = bench, name, config, words
        self.subsystem, self.signal, self.limit, self.points = subsystem, signal, limit, points

    def judged(self, step_s):
        done = run([self.bench.program, "stability", self.config, "--json", "--points", str(self.points)]
                   + settings(self.words(step_s)), (0, UNSTABLE, UNDECIDED))
        found = json.loads(done.stdout)
        mine = [s for s in found["subsystems"] if s["subsystem"] == self.subsystem]
        if len(mine) != 1:
            fail("%s: no subsystem '%s' in %s" % (self.name, self.subsystem, found))
        if found["stable"] != {0: True, UNSTABLE: False, UNDECIDED: None}[done.returncode]:
            fail("%s: exit code %d, but %s" % (self.name, done.returncode, found))
        return mine[0]

    def largest(self, step_s):
        """Returns the largest deviation of the signal from its start in the last tenth of a run; infinite if the run fails."""
        file = os.path.join(self.bench.folder, "run.csv")
        done = run([self.bench.program, self.config, "-q", "-o", file]
                   + settings(self.words(step_s) + ['output.signals=["%s"]' % self.signal]), (0, 5))
        if done.returncode != 0:
            return math.inf
        names, rows = self.bench.read(file)
        os.remove(file)
        column = names.index(self.signal)
        return max(abs(float(row[column]) - float(rows[0][column])) for row in rows[-len(rows) // 10:])

    def check(self, step_s):
        limit_s = self.judged(step_s)["largest_step"]
        values = {}
        for above in (False, True):
            h_s = limit_s * (1 + MARGIN if above else 1 - MARGIN)
            found = self.judged(h_s)
            if found["stable"] == above:
                fail("%s: step %g of a limit of %g is said to be %s" % (self.name, h_s, limit_s, found))
            values[above] = self.largest(h_s)
        print("# %s: limit %.6g s; %s departs by %.4g below it, by %.4g above; %s"
              % (self.name, limit_s, self.signal, values[False], values[True],
                 ", ".join("%s %.0f %%" % (s["name"], 100 * s["share"]) for s in found["worst"]["states"][:2])))
        if not values[False] <= self.limit:
            fail("%s: below the limit it reaches %g" % (self.name, values[False]))
        if not values[True] > 10 * self.limit:
            fail("%s: above the limit it departs by %g only" % (self.name, values[True]))


class Bench:
    def __init__(self, program, source, folder, is_long):
        self.program, self.source, self.folder, self.is_long = program, source, folder, is_long

    def path(self, *parts):
        return os.path.join(self.source, *parts)

    def engine(self):
        """Returns cases of the rack's engine, split, with a fast pressure sensor in a subsystem of its own."""
        with open(self.path("models/engine/engine_rack.toml")) as file:
            text = file.read()
        text = text.replace('"sensors", ', "", 1)
        at = text.index('[[subsystem]]\nname = "cyl1"')
        text = text[:at] + '[[subsystem]]\nname = "sensors"\ncomponents = ["sensors"]\n\n' + text[at:]
        config = os.path.join(self.folder, "engine_sensors.toml")
        with open(config, "w") as file:
            file.write(text)
        # Events shorten steps, mostly steps of large oscillations, so wide bands exclude events.
        quiet = ["component.sensors.parameters.%s=1e300" % band for band in ("band_p", "band_maf", "band_T", "egr_band_first")]
        fixed = quiet + ["simulation.monolithic=false", "simulation.stop=0.05", "component.sensors.parameters.tau_p=25e-6",
                 "realtime.rate=0", "realtime.priority=0", "realtime.lock_memory=false", "realtime.jitter=false",
                 "solver.kind=auto", "solver.step=0", "solver.spare_steps=-1", "scheduler.workers=1"]

        def slackened(kind):
            return lambda h: fixed + ["subsystem.sensors.solver.kind=" + kind, "subsystem.sensors.solver.step=%.17g" % h,
                                      "slack.period=%.17g" % (10 * h)]

        return [Case(self, "engine's sensors, " + kind, config, slackened(kind), "sensors", "sensors.p_im", 3e5,
                     10 if self.is_long else 3)
                for kind in ("euler", "rk4")]

    def gas_stand(self):
        """Returns cases of the engine's turbocharger at rest. Rounding of the start values is the disturbance."""
        def words(kind):
            return lambda h: ["output.events=false", "solver.kind=" + kind, "solver.step=%.17g" % h, "simulation.stop=%.17g" % (3000 * h),
                              "simulation.communication_step=%.17g" % (10 * h)] + [
                                  "relaxation.window.%s=%.17g" % (key, 500 * h) for key in ("initial", "min", "max")]
        return [Case(self, "engine's turbocharger, " + kind, self.path("models/engine/gas_stand.toml"), words(kind), "monolith",
                     "charge.p", 1.0, 5) for kind in ("euler", "heun", "rk3", "rk4", "ab2", "ab3", "ab4")]

    def line(self):
        """Returns the case of a DAE with a part of its Jacobian: the large capacitors are explicit. No event shortens a step."""
        with open(self.path("models/varistor_line/kept.mtx")) as source, open(os.path.join(self.folder, "kept.mtx"), "w") as to:
            to.writelines(line for line in source if not line.startswith("%wrsim tau"))  # without tau any step is valid
        with open(self.path("models/varistor_line/varistor_line.toml")) as source, \
                open(os.path.join(self.folder, "line.toml"), "w") as to:
            to.write(source.read())

        def words(h):
            return ["component.source.parameters.after=0.2", "component.line.parameters.threshold=1e6", "solver.pattern=kept.mtx", "solver.step=%.17g" % h,
                    "simulation.stop=%.17g" % (3000 * h), "simulation.communication_step=%.17g" % (10 * h)] + [
                        "relaxation.window.%s=%.17g" % (key, 500 * h) for key in ("initial", "min", "max")]
        return [Case(self, "DAE of a line with a part of its Jacobian", os.path.join(self.folder, "line.toml"), words, "line",
                     "line.v[3]", 1.0, 5)]

    def ladder(self):
        def words(kind):
            return lambda h: ["simulation.monolithic=true", "solver.kind=" + kind, "solver.step=%.17g" % h,
                              "simulation.stop=%.17g" % (4000 * h), "simulation.communication_step=%.17g" % (10 * h)] + [
                                  "relaxation.window.%s=%.17g" % (key, 500 * h) for key in ("initial", "min", "max")]
        return [Case(self, "RC ladder, " + kind, self.path("models/rc_ladder/rc_ladder.toml"), words(kind), "monolith",
                     "left.v[5]", 2.0, 3) for kind in ("euler", "rk3", "ab3", "ab4")]

    def read(self, file):
        with open(file) as lines:
            rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        return [name.split(" [")[0] for name in rows[0]], rows[1:]  # without the unit

    def pipe(self):
        """Returns cases of the pipe at rest. Five cells in a row let errors grow by orders of magnitude before the errors decay.
        Rounding of start values is the disturbance."""
        config, settled = self.path("models/pipe/pipe.toml"), os.path.join(self.folder, "pipe.toml")
        if not os.path.exists(config):
            return []
        still = ["component.%s.parameters.amplitude=0" % name for name in ("flow", "temperature", "CO2")]
        file = os.path.join(self.folder, "pipe.csv")
        run([self.program, config, "-q", "-o", file]
            + settings(still + ["simulation.stop=3000", "simulation.communication_step=100", "solver.kind=rosenbrock",
                                "solver.step=0", "simulation.rtol=1e-10", 'output.signals=["pipe.*"]']), (0,))
        names, rows = self.read(file)
        start = ", ".join('"%s" = %.7g' % (name.split(".", 1)[1], float(value)) for name, value in zip(names, rows[-1])
                          if "[" in name)
        with open(config) as source, open(settled, "w") as to:
            to.write(source.read().replace('name = "pipe"\nmodel = "pipe"\n',
                                           'name = "pipe"\nmodel = "pipe"\nstart = { %s }\n' % start, 1))

        def words(kind):
            return lambda h: still + ["solver.kind=" + kind, "solver.step=%.17g" % h, "simulation.stop=%.17g" % (3000 * h),
                                      "simulation.communication_step=%.17g" % (10 * h)] + [
                                          "relaxation.window.%s=%.17g" % (key, 500 * h) for key in ("initial", "min", "max")]
        return [Case(self, "pipe, " + kind, settled, words(kind), "pipe", "pipe.T[5]", 1.0, 5)
                for kind in ("euler", "rk4", "ab2", "ab3", "ab4")]


    def exchange(self, prediction, period_s, stop_s):
        """Checks two masses on springs in two subsystems: the growth of the run is the spectral radius of a period."""
        config, file = self.path("models/two_mass/two_mass.toml"), os.path.join(self.folder, "two.csv")
        words = settings(["relaxation.scheme=slack", "slack.bound=0", "slack.period=%.17g" % period_s, "scheduler.workers=1",
                          "relaxation.prediction=" + prediction])
        done = run([self.program, "stability", config, "--json", "--points", "3"] + words, (0, UNSTABLE, UNDECIDED))
        found = json.loads(done.stdout)["exchange"]
        radius = found[prediction]["spectral_radius"]
        if (found["verdict"] == "stable") == (radius > 1 + 1e-6):
            fail("two masses, %s: a radius of %g is called %s" % (prediction, radius, found["verdict"]))
        run([self.program, config, "-q", "-o", file] + words
            + settings(["simulation.stop=%g" % stop_s, 'output.signals=["left.x", "right.x"]']), (0,))
        names, rows = self.read(file)
        os.remove(file)

        def size(from_s, to_s):  # of the oscillation, over whole periods of 1 s
            return math.sqrt(sum(float(row[k]) ** 2 for row in rows if from_s <= float(row[0]) < to_s
                                 for k in range(2, len(names))))
        # In the second half the mode with the largest growth dominates.
        half_s = stop_s / 2
        measured = (size(stop_s - 2, stop_s) / size(half_s - 2, half_s)) ** (period_s / half_s)
        print("# two masses, %s, exchange every %g s: spectral radius %.6f, growth of the run per period %.6f"
              % (prediction, period_s, radius, measured))
        if not abs(measured - radius) < 0.1 * abs(radius - 1) + 1e-6:
            fail("two masses, %s: the run grows by %.7f in a period" % (prediction, measured))


def main():
    program, source, tier = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, source, folder, tier == "long")
        cases = bench.ladder() + bench.pipe() + bench.gas_stand() + bench.line() + bench.engine()
        for case in cases if bench.is_long else [c for i, c in enumerate(cases) if i % 3 == 0 or c.subsystem == "line"]:
            case.check(1e-3 if case.subsystem == "line" else 1e-5)
        exchanges = (("hold", 0.01, 16), ("hold", 0.02, 16), ("linear", 0.05, 60), ("linear", 0.1, 40))
        for prediction, period_s, stop_s in exchanges[::1 if bench.is_long else 3]:
            bench.exchange(prediction, period_s, stop_s)
        print("ok - %d cases" % len(cases))


main()
