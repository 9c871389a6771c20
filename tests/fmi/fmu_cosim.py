"""FMUs of co-simulation as components: orders of accuracy, split runs, checkpoints, early returns, and refusals.

The FMUs are oscillators x'' = -w^2 x + u with y = x' and w = 2, or their references of model exchange.

    fmu_cosim.py --wrsim PROGRAM --fmus FOLDER [test] ...
"""
import itertools
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import runs
import tap
from tap import expect

OMEGA = 3.0 # angular frequency of the input cos(OMEGA t), rad/s
W = 2.0


class Bench:
    def __init__(self, options, folder):
        self.wrsim, self.fmus, self.folder = options.wrsim, options.fmus, folder

    def call(self, text, *words):
        with open(self.folder / "c.toml", "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([self.wrsim, "c.toml", "-q", "-o", "r.csv", "--json", "s.json", *words], cwd=self.folder, check=False,
                              capture_output=True, text=True)

    def run(self, text, *words):
        """Returns the columns of the results, and the summary."""
        done = self.call(text, *words)
        expect(done.returncode == 0, f"{text}\nended with {done.returncode}: {done.stderr}")
        return runs.columns_of(self.folder / "r.csv"), runs.json_of(self.folder / "s.json")

    def refused(self, text, code, message, *words):
        done = self.call(text, *words)
        expect(done.returncode == code and message in done.stderr, f"{text}\nended with {done.returncode}: {done.stderr}")

    def head(self, h_s, stop_s, more=""):
        return f"[simulation]\nstop = {stop_s}\ncommunication_step = {h_s!r}\n{more}\n"

    def fmu(self, name, more=""):
        return f'[[component]]\nname = "f"\nfmu = "{self.fmus}/{name}.fmu"\n{more}\n'

    def alone(self, name, h_s, more="", stop_s=2):
        return self.head(h_s, stop_s) + self.fmu(name, more)

    def driven(self, name, h_s, more="", amplitude=1):
        """The FMU with the input amplitude * cos(OMEGA t)."""
        return (self.alone(name, h_s, more) + '[[component]]\nname = "s"\nmodel = "signal.sine"\n'
                f"parameters = {{frequency = {OMEGA / 2 / math.pi!r}, phase = {math.pi / 2!r}, amplitude = {amplitude}}}\n" + connection("s.y", "f.u"))

    def loop(self, name, h_s, more="", simulation=""):
        """A loop of the FMU and x' = -0.5 x + y."""
        return (self.head(h_s, 4, simulation) + self.fmu(name, more) + '[[component]]\nname = "d"\nmodel = "dahlquist"\n'
                "parameters = {a = -0.5, b = 1.0}\n" + connection("d.x", "f.u") + connection("f.y", "d.u"))

    def reference(self, more=""):
        """The loop by model exchange with small tolerances, at multiples of 0.1 s."""
        columns, _ = self.run(self.loop("oscillator_2", 0.1, more, "rtol = 1e-11"), "--monolithic")
        return columns["f.y"]


def connection(source, to):
    return f'[[connection]]\nfrom = "{source}"\nto = "{to}"\n'


def exact(t_s):
    """x' of the oscillator from x = 1, x' = 0 with the input cos(OMEGA t)."""
    return -W * math.sin(W * t_s) + (W * math.sin(W * t_s) - OMEGA * math.sin(OMEGA * t_s)) / (W * W - OMEGA * OMEGA)


def free(t_s, from_x=1.0):
    return -W * from_x * math.sin(W * t_s)


def largest(columns, closed):
    return max(abs(y - closed(t)) for t, y in zip(columns["time"], columns["f.y"]))


def check_order(name, order, errors):
    """Four halvings of the step: the mean order, and each halving with a margin for windows that end between communication points."""
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:])]
    expect(len(orders) == 4 and abs(sum(orders) / 4 - order) < 0.15 and all(abs(o - order) < 0.5 for o in orders),
           f"{name}: orders {orders} of errors {errors}")


STEPS = [0.1 / 2**k for k in range(5)]
SHORT = ("-D", "relaxation.window.control=fixed", "-D", "relaxation.window.initial=0.1")


def test_order_of_driven(bench):
    for name, order, most in (("cs_2", 1, 0.15), ("cs_3", 1, 0.15), ("cs_slope_2", 2, 0.01), ("cs_slope_3", 1, 0.15)):
        errors = [largest(bench.run(bench.driven(name, h))[0], exact) for h in STEPS]
        expect(errors[0] < most, f"{name}: {errors}")
        check_order(name, order, errors)


def test_order_of_loop(bench):
    for name, order in (("oscillator_2", 1), ("cs_start_3", 1), ("cs_slope_2", 2)):
        reference = bench.reference("start = {v = 1}" if name == "cs_start_3" else "")
        for scheme in ("jacobi", "gauss_seidel"):
            errors = []
            for h in STEPS:
                columns, summary = bench.run(bench.loop(name, h, 'mode = "cs"'), "-D", f"relaxation.scheme={scheme}")
                expect(summary["n_sweep"] > summary["n_window"], f"{name}: no sweep is repeated")
                errors.append(max(abs(a - b) for a, b in zip(columns["f.y"][::round(0.1 / h)], reference)))
            check_order(name + " " + scheme, order, errors)


def test_without_state(bench):
    """An FMU without state advances once per window, and the error is below 0.01."""
    reference = bench.reference()
    for version in (2, 3):
        for h in (0.1, 0.01):
            columns, summary = bench.run(bench.loop(f"cs_free_{version}", h))
            error = max(abs(a - b) for a, b in zip(columns["f.y"][::round(0.1 / h)], reference))
            expect(error < 2 * h and error < 0.01, f"step {h}: error {error}")
            fmu, = (s for s in summary["subsystems"] if s["name"] == "f")
            expect(fmu["n_integration"] == summary["n_window"], f"{fmu['n_integration']} integrations in {summary['n_window']} windows")


def test_chain_without_state(bench):
    """A chain of two FMUs without state: an unexpected jump of an input delays the second FMU by one step."""
    parts = {"a": "array_2", "f": "cs_free_2"}
    wires = connection("s.y", "a.on") + connection("a.y", "f.u")
    step = '[[component]]\nname = "s"\nmodel = "signal.step"\nparameters = {t_step = 1.503}\n'

    def config(h, oscillator, mode):
        return bench.head(h, 3) + step + "".join(
            f'[[component]]\nname = "{name}"\nfmu = "{bench.fmus}/{fmu}.fmu"\nmode = "{mode}"\n'
            for name, fmu in {**parts, "f": oscillator}.items()) + wires

    reference, _ = bench.run(config(0.01, "oscillator_2", "me"), "--monolithic")
    for h in (0.01, 0.005):
        columns, _ = bench.run(config(h, "cs_free_2", "cs"))
        error = max(abs(a - b) for a, b in zip(columns["f.y"][::round(0.01 / h)], reference["f.y"]))
        expect(error < 25 * h, f"step {h}: error {error}, range of y 20") # u is 12, so a delay of two steps changes y by up to 24 h


def test_without_contraction(bench):
    """FMUs of co-simulation cannot join a subsystem, so the run ends with one error, and its advice works."""
    head = bench.head(0.1, 0.3, "[relaxation.window]\ninitial = 0.1\nmin = 0.1")
    text = head + "".join(f'[[component]]\nname = "{name}"\nfmu = "{bench.fmus}/cs_slope_2.fmu"\n' for name in "fg")
    text += "".join(connection(*ends) + "factor = 40\n" for ends in (("f.y", "g.u"), ("g.y", "f.u")))
    done = bench.call(text)
    expect(done.returncode == 5 and done.stderr.count("wrsim: ") == 1, f"ended with {done.returncode}: {done.stderr}")
    for words in ("relaxation does not converge", 'set relaxation.scheme = "slack" and slack.sweeps = 1'):
        expect(words in done.stderr, done.stderr)
    bench.run(text, "-D", "relaxation.scheme=slack", "-D", "slack.sweeps=1")
    masses = "".join(f'[[component]]\nname = "{name}"\nmodel = "dahlquist"\nparameters = {{a = -1, b = 400}}\n' for name in "de")
    wires = connection("d.x", "e.u") + connection("e.x", "d.u") + "factor = -1\n" + connection("d.x", "f.u")
    bench.refused(head + bench.fmu("cs_2") + masses + wires, 5, "Put its producer and its readers into one subsystem") # no ring has the FMU


def test_error_account(bench):
    """The summary names the FMUs whose error is unknown, but not the first FMU, which reads no other subsystem."""
    for n, wanted in ((2, "f0, f1"), (10, "f0, f1, f2, f3, f4, f5, f6, f7 and 2 further subsystems")):
        text = bench.alone("cs_2", 0.1) + "".join(bench.fmu("cs_2").replace('"f"', f'"f{k}"') + connection("f.y", f"f{k}.u") for k in range(n))
        _, summary = bench.run(text)
        expect(summary["error_account"]["not_covered"] == wanted, f"{n} readers: {summary['error_account']}")


def test_same_bits(bench):
    for name in ("cs_2", "cs_slope_2", "cs_free_3", "cs_fixed_3"):
        results = []
        for workers in (1, 2, 3):
            bench.run(bench.loop(name, 0.02), "-D", f"scheduler.workers={workers}")
            results.append(runs.lines_of(bench.folder / "r.csv"))
        expect(results[0] == results[1] == results[2], f"{name}: the results depend on the number of workers")


def test_flag_of_steps(bench):
    """These FMUs repeat the last step if noSetFMUStatePriorToCurrentPoint is false. In windows of one step the flag is true.

    In the second config the FMU is at rest until the input jumps, long after the first window.
    """
    rest = '[[component]]\nname = "s"\nmodel = "signal.step"\nparameters = {before = 4, after = 0, t_step = 1.55}\n' + connection("s.y", "f.u")
    for name in ("cs_new_step_2", "cs_new_step_3"):
        for text in (bench.loop(name, 0.1), bench.alone(name, 0.1, stop_s=4) + rest):
            bench.refused(text, 5, "repeats the last step if noSetFMUStatePriorToCurrentPoint is false")
            bench.refused(text, 5, 'set relaxation.window.control = "fixed" and relaxation.window.initial (scheme "slack": slack.period) to simulation.communication_step')
        reference, _ = bench.run(bench.loop(name.replace("_new_step", ""), 0.1), *SHORT)
        columns, _ = bench.run(bench.loop(name, 0.1), *SHORT)
        expect(columns == reference, f"{name}: windows of one step have other results")
        bench.run(bench.loop(name, 0.1), "-D", "relaxation.scheme=slack", "-D", "slack.sweeps=1")


def test_price_of_flag(bench):
    """In the windows 2, 4, 8, 16 and 32 an FMU that restores its state goes back twice more, without more copies."""
    path = bench.folder / "counts"
    for name, more in (("cs_2", 2), ("cs_free_2", 0)):
        path.unlink(missing_ok=True)
        with open(bench.folder / "c.toml", "w", encoding="utf-8") as file:
            file.write(bench.driven(name, 0.02) + "[relaxation]\nwindow.control = \"fixed\"\nwindow.initial = 0.04\n")
        subprocess.run([bench.wrsim, "c.toml", "-q", "-o", "r.csv", "--json", "s.json"], cwd=bench.folder, check=True, env={**os.environ, "SAMPLE_COUNTS": str(path)})
        summary = runs.json_of(bench.folder / "s.json")
        fmu, = (s for s in summary["subsystems"] if s["name"] == "f")
        n_keep, n_go_back = [int(word) for word in path.read_text(encoding="utf-8").split()[1:3]]
        expect(summary["n_window"] == 50 and n_keep <= 51 and n_go_back == fmu["n_integration"] - 50 + more * 5,
               f"{name}: {n_keep} copies, {n_go_back} returns, {fmu['n_integration']} integrations")


def test_checkpoint(bench):
    for name in ("cs_2", "cs_3", "cs_late_2", "cs_late_3"):
        bench.run(bench.loop(name, 0.1))
        whole = runs.lines_of(bench.folder / "r.csv")
        bench.run(bench.loop(name, 0.1), "--checkpoint", "k", "--checkpoint-every", "1.5")
        (bench.folder / "r.csv").unlink()
        bench.run(bench.loop(name, 0.1), "--restart", "k")
        rest = runs.lines_of(bench.folder / "r.csv")
        expect(5 < len(rest) < len(whole) and rest[1:] == whole[1 - len(rest):], f"{name}: the continued run has other results")
    for name, lacks in (("cs_free_2", "save and restore its state (canGetAndSetFMUState)"), ("cs_slope_3", "write its state as bytes (canSerializeFMUState)")):
        bench.refused(bench.loop(name, 0.1), 3, f"the state of component 'f' cannot be saved, because its FMU cannot {lacks}", "--checkpoint", "k")


def test_fixed_step(bench):
    """cs_fixed_3 has the internal step 0.01 s; cs_fixed_2 needs steps of one length."""
    for name in ("cs_fixed_2", "cs_fixed_3"):
        columns, summary = bench.run(bench.driven(name, 0.02))
        expect(largest(columns, exact) < 0.04, name)
        expect(summary["subsystems"][0]["n_step"] % 100 == 0, f"{name}: {summary['subsystems'][0]['n_step']} steps")
        bench.refused(bench.driven(name, 0.03), 3, "c.toml:2:8: error: simulation.stop = 2 s is not a communication point, and component 'f' can stop only at such points")
    for h in (0.025, 0.005):
        bench.refused(bench.driven("cs_fixed_3", h), 5, f"a step of {h} s is no multiple of the internal step of the FMU, which is 0.01 s; "
                      "set simulation.communication_step to a multiple")


def test_modes(bench):
    bench.refused(bench.alone("cs_2", 0.1, 'mode = "me"'), 3, "cs_2.fmu' has no model exchange; set mode = \"cs\", or remove 'mode'")
    bench.refused(bench.alone("ball_3", 0.1, 'mode = "cs"'), 3, "ball_3.fmu' has no co-simulation; set mode = \"me\", or remove 'mode'")
    bench.refused(bench.alone("cs_2", 0.1, 'mode = "ce"'), 3, "'mode' of [[component]] must be \"me\" (model exchange) or \"cs\" (co-simulation)")
    bench.refused(bench.head(0.1, 1) + '[[component]]\nname = "x"\nmodel = "dahlquist"\nmode = "cs"', 3, "'mode' of [[component]] needs an FMU")
    bench.refused(bench.loop("cs_2", 0.1), 3, "needs a subsystem of its own; omit --monolithic, or set simulation.monolithic = false", "--monolithic")
    for command in (["bench"], ["budget", "--error", "1e-3"]):    # the config is the file of the call before
        done = subprocess.run([bench.wrsim, *command, bench.folder / "c.toml"], capture_output=True, text=True, check=False)
        expect(done.returncode == 3 and "component 'f' advances itself, as an FMU of co-simulation does; set mode" in done.stderr, done.stderr)
    bench.refused(bench.loop("cs_2", 0.1) + '[[subsystem]]\nname = "s"\ncomponents = ["d", "f"]', 3,
                  "needs a subsystem of its own; list it alone in a [[subsystem]]")
    for mode, n_state in (("", 2), ('mode = "me"', 2), ('mode = "cs"', 0)):
        expect(bench.run(bench.alone("oscillator_3", 0.1, mode))[1]["n_state"] == n_state, mode)


def test_parameters_and_inputs(bench):
    columns, _ = bench.run(bench.alone("cs_2", 0.1, "parameters = {w = 4}"))
    expect(max(abs(y + 4 * math.sin(4 * t)) for t, y in zip(columns["time"], columns["f.y"])) < 1e-5, "parameter w")
    columns, _ = bench.run(bench.alone("cs_3", 0.1, "start = {u = 2}")) # the equilibrium is x = u / w^2
    expect(largest(columns, lambda t: free(t, 0.5)) < 1e-5, "start value of u")


def test_start_from_inputs(bench):
    """x and x' start with the value of the input, also in the wave of y, whose integral is x.

    In order_of_loop the FMU leaves its initialisation again in each sweep of the first window.
    """
    def speed(t):
        return 3 * exact(t) + 3 * math.cos(W * t)

    def integral(t):
        return 3 * (math.cos(W * t) + (math.cos(OMEGA * t) - math.cos(W * t)) / (W * W - OMEGA * OMEGA)) + 3 * math.sin(W * t) / W

    for name in ("cs_start_2", "cs_start_3"):
        columns, _ = bench.run(bench.driven(name, 0.01, amplitude=3) + '[[component]]\nname = "i"\nmodel = "dahlquist"\n'
                               "parameters = {a = 0, b = 1}\nstart = {x = 3}\n" + connection("f.y", "i.u"))
        error = max(abs(y - speed(t)) for t, y in zip(columns["time"][1:], columns["f.y"][1:]))
        expect(error < 0.06 and abs(columns["i.x"][1] - integral(0.01)) < 1e-3, f"{name}: {error}, {columns['i.x'][1] - integral(0.01)}")


def test_discrete_signals(bench):
    """A boolean input is set at the start of a step, and a discrete output jumps at the end."""
    step = '[[component]]\nname = "s"\nmodel = "signal.step"\nparameters = {t_step = 0.35, before = 0, after = 1}\n'
    for name in ("array_2", "array_3"):
        text = bench.alone(name, 0.1, 'mode = "cs"', 1) + step
        columns, _ = bench.run(text + connection("s.y", "f.on"))
        expect(columns["f.y"] == [0.0] * 5 + [12.0] * 6, f"{name}: {columns['f.y']}")
        bench.refused(text.replace("after = 1", "after = 0.5") + connection("s.y", "f.on"), 5, "input 'on' takes 0 and 1, but has the value 0.5; connect a discrete output")


def test_early_return(bench):
    """After an early return of FMI 3.0 the step continues, with the inputs at that time."""
    for name in ("cs_3", "cs_free_3", "oscillator_3"):
        early = 'mode = "cs"\nparameters = {early = 0.33}'
        expect(largest(bench.run(bench.alone(name, 0.1, early))[0], free) < 1e-4, f"{name}: without input")
        expect(largest(bench.run(bench.driven(name, 0.1, early))[0], exact) < 0.16, f"{name}: with an input")


def test_discard(bench):
    """Windows become shorter until the FMU accepts the step. With an FMU without state, or with steps of one length, the run fails."""
    for version in (2, 3):
        longest = "parameters = {early = -0.02}"
        columns, summary = bench.run(bench.alone(f"cs_{version}", 0.1, longest))
        expect(largest(columns, free) < 1e-6 and summary["subsystems"][0]["n_step"] >= 100, f"{summary['subsystems'][0]['n_step']} steps")
        for message in ("the FMU discards the step", "; shorten simulation.communication_step"):
            bench.refused(bench.alone(f"cs_free_{version}", 0.1, longest), 5, message)
            bench.refused(bench.alone(f"cs_fixed_{version}", 0.1, longest), 5, message)


# Event mode (FMI 3.0). The sample FMUs refuse each call that FMI does not allow in the present mode. Such calls are a step with an open
# event, a step past a time event, a discrete input outside of event mode, and the end of event mode during an iteration.

def bounces(t_s):
    """Returns the number of bounces of the ball (ball.c) up to t_s."""
    end, v, n = math.sqrt(2 / 9.81), math.sqrt(2 * 9.81), 0
    while t_s > end:
        v, n = 0.75 * v, n + 1
        end += 2 * v / 9.81
    return n


def switched(t_s, tau=0.5):
    """Returns the value of the thermostat (thermostat.c) at t_s, and the number of switches up to t_s."""
    x, to, n = 10, 20, 0
    while True:
        limit = 11 if to else 9
        length = tau * math.log((to - x) / (to - limit))
        if t_s <= length:
            return to + (x - to) * math.exp(-t_s / tau), n
        t_s, x, to, n = t_s - length, limit, 20 - to, n + 1


def test_state_events(bench):
    for h in (0.1, 0.0371):
        for name in ("cs_ball_3", "cs_ball_free_3"):
            columns, summary = bench.run(bench.alone(name, h, "", 2.4))
            expect(columns["f.n"] == [bounces(t) for t in columns["time"]], f"{name}: {columns['f.n']}")
            expect(summary["subsystems"][0]["n_time_event"] == bounces(2.4), str(summary["subsystems"][0]))
        columns, _ = bench.run(bench.alone("cs_thermostat_3", h, "", 3))
        wanted = [switched(t) for t in columns["time"]]
        expect(columns["f.n"] == [n for _, n in wanted] and wanted[-1][1] > 5, f"{columns['f.n']}")
        error = max(abs(y - x) for y, (x, _) in zip(columns["f.x"], wanted))
        expect(error < 1e-6, f"thermostat: {error}")
    bench.refused(bench.alone("cs_sampler_3", 0.1, "parameters = {T = 0}"), 5, "the FMU asks for a time event that is not later than the present time")
    bench.refused(bench.alone("cs_ball_3", 0.1, "", 20), 5, "the FMU ends the run at t = 2.889")


def test_without_event_mode(bench):
    """Without event mode the room heats up to 20 degrees, because the sample FMU then has no events."""
    columns, summary = bench.run(bench.alone("cs_thermostat_3", 0.1, "event_mode = false"))
    error = max(abs(x - (20 - 10 * math.exp(-t / 0.5))) for t, x in zip(columns["time"], columns["f.x"]))
    expect(error < 1e-5 and set(columns["f.n"]) == {0} and summary["subsystems"][0]["n_time_event"] == 0, f"{error}, {columns['f.n']}")
    bench.run(bench.alone("cs_3", 0.1, "event_mode = false"))
    columns, _ = bench.run(bench.alone("cs_ball_3", 0.1, "event_mode = true", 1))
    expect(columns["f.n"] == [bounces(t) for t in columns["time"]], f"{columns['f.n']}")
    for name, key, message in (("cs_3", "true", "cs_3.fmu' has no event mode; remove 'event_mode'"), ("cs_ball_3", "0", "must be true or false, but is 0"),
                               ("ball_3", "false", "'event_mode' has no effect on model exchange")):
        bench.refused(bench.alone(name, 0.1, f"event_mode = {key}"), 3, message)
    bench.refused(bench.alone("cs_3", 0.1).replace("fmu = ", "event_mode = true\nmodel = ").replace(f"{bench.fmus}/cs_3.fmu", "dahlquist"), 3,
                  "'event_mode' of [[component]] needs an FMU")


def test_time_events(bench):
    """Samples of a sine are exact: the FMU gets its input at the time event. With a fixed internal step the event is at the next
    multiple of this step."""
    for name, h, grid in (("cs_sampler_3", 0.05, 0.125), ("cs_sampler_3", 0.3, 0.125), ("cs_sampler_fixed_3", 0.05, 0.01)):
        sine = '[[component]]\nname = "s"\nmodel = "signal.sine"\nparameters = {frequency = 0.5, phase = 0.7}\n'
        columns, _ = bench.run(bench.alone(name, h) + sine + connection("s.y", "f.u"))
        sample_s = [grid * math.ceil(0.125 * k / grid - 1e-6) for k in range(17)]
        for t, n, y in zip(columns["time"], columns["f.n"], columns["f.y"]):
            wanted = sum(s < t + 1e-9 for s in sample_s)
            expect(n == wanted and abs(y - math.sin(math.pi * sample_s[wanted - 1] + 0.7)) < 1e-5, f"{name}, step {h}, t = {t}: sample {n} is {y}, not {wanted}")


def pulses(bench, name, h, stop_s=3):
    """Returns a config: the FMU counts samples at its input u, and its input w jumps to 2 at 1.3 s."""
    step = '[[component]]\nname = "s"\nmodel = "signal.step"\nparameters = {t_step = 1.3, after = 2.0}\n'
    sampler = f'[[component]]\nname = "h"\nfmu = "{bench.fmus}/cs_sampler_3.fmu"\n'
    return bench.alone(name, h, "", stop_s) + step + sampler + connection("h.n", "f.u") + connection("s.y", "f.w")


def test_input_events(bench):
    """A new value of a discrete input and a jump of a continuous input are one event each, and act on outputs at once."""
    for name in ("cs_tally_3", "cs_tally_free_3"):
        for scheme in ("jacobi", "gauss_seidel"):
            for window in (0.1, 1, 10):
                results = []
                for workers in (1, 2, 3):
                    columns, _ = bench.run(pulses(bench, name, 0.05), *(word for option in (f"relaxation.scheme={scheme}", "scheduler.min_work=0",
                                           f"relaxation.window.max={0.05 * window}", f"scheduler.workers={workers}") for word in ("-D", option)))
                    results.append(runs.lines_of(bench.folder / "r.csv"))
                expect(results[0] == results[1] == results[2], f"{name}: the results depend on the number of workers")
                where = f"{name}, {scheme}, window {window}"
                samples = [1 + math.floor(t / 0.125 + 1e-9) for t in columns["time"]]
                expect(columns["h.n"] == samples, f"{where}: {columns['h.n']}")
                if name == "cs_tally_free_3":   # without state the FMU advances last
                    expect(columns["f.n"][-1] == samples[-1] and columns["f.jumps"][-1] == 1, f"{where}: {columns['f.n']}")
                    continue
                expect(columns["f.n"] == samples, f"{where}: {columns['f.n']}")
                after = [float(t > 1.3 - 1e-9) for t in columns["time"]]
                expect(columns["f.jumps"] == after and columns["f.y"] == [2 * a for a in after], f"{where}: {columns['f.jumps']} {columns['f.y']}")


def test_order_of_events(bench):
    """With an input the events shift, and the error falls with the step. The reference is the FMU for model exchange."""
    def config(name, h, more=""):
        return bench.driven(name, h, more, amplitude=3)
    reference, _ = bench.run(config("thermostat_3", 0.1) + "[solver]\nkind = \"dopri54\"\n", "-D", "simulation.rtol=1e-10", "--monolithic")
    errors = []
    for h in STEPS:
        columns, _ = bench.run(config("cs_thermostat_3", h))
        every = round(0.1 / h)
        errors.append(max(abs(a - b) for a, b in zip(columns["f.x"][::every], reference["f.x"])))
        expect(abs(columns["f.n"][-1] - reference["f.n"][-1]) <= (h > 0.02), f"step {h}: {columns['f.n'][-1]} switches, reference {reference['f.n'][-1]}")
    check_order("cs_thermostat_3", 1, errors)


def test_loop_at_an_instant(bench):
    """A sampler and a relay in a ring: the sampler takes the value before the jump that its own sample causes, at the start, too."""
    for scheme in ("jacobi", "gauss_seidel"):
        columns, _ = bench.run(bench.alone("cs_sampler_3", 0.05) + '[[component]]\nname = "r"\nmodel = "relay.switch"\n'
                               + connection("r.on", "f.u") + connection("f.y", "r.measured"), "-D", f"relaxation.scheme={scheme}")
        expect(columns["f.y"] == [float(math.floor(t / 0.125 + 1e-9) % 2 == 0) for t in columns["time"]], f"{scheme}: {columns['f.y']}")
        expect(columns["r.on"] == [1 - y for y in columns["f.y"]], f"{scheme}: {columns['r.on']}")


def couplings(rng):
    """Draws components (name -> model, FMU for model exchange, parameters), wires, and the discrete output that the tally m counts."""
    parts = {f"s{i}": ("cs_sampler_3", "sampler_state_3", f"T = {rng.choice([0.125, 0.0625, 0.25, 0.1])}") for i in range(rng.randint(1, 2))}
    parts |= {f"t{i}": ("cs_thermostat_3", "thermostat_3", f"tau = {rng.choice([0.3, 0.7, 1.1])}") for i in range(rng.randint(0, 2))}
    parts |= {f"d{i}": ("dahlquist", "dahlquist", f"a = {-rng.uniform(0.5, 3)!r}, b = {rng.uniform(-1, 1)!r}") for i in range(rng.randint(1, 2))}
    parts |= {"q": ("signal.sine", "signal.sine", f"frequency = {rng.uniform(0.2, 1)!r}, amplitude = {rng.uniform(1, 4)!r}")}
    parts |= {f"r{i}": ("relay.switch", "relay.switch", "low = -0.5, high = 1.1") for i in range(rng.randint(0, 2))}
    outputs = [name + {"s": ".y", "t": ".x", "d": ".x", "q": ".y", "r": ".on"}[name[0]] for name in parts]
    # No relay reads jumps, so no relay switches at the start. FMUs for model exchange would read a relay's output before such a switch.
    wires = [(rng.choice([o for o in outputs if not o.startswith(name) and (name[0] != "r" or o[0] in "dq")]), name + (".measured" if name[0] == "r" else ".u"))
             for name in parts if name != "q"]
    return parts, wires, rng.choice([name + ".n" for name in parts if name[0] in "st"])


def test_random_couplings(bench):
    """Counts are exact, the same bytes come from any number of workers, and values agree with FMUs for model exchange in one subsystem."""
    for seed in range(4):
        rng = random.Random(f"couplings {seed}")
        (parts, wires, counted), h = couplings(rng), rng.choice([0.01, 0.02, 0.05])

        def config(is_me, step_s, parts=parts, wires=wires, counted=counted):
            text = bench.head(step_s, 2)
            for name, (model, me_model, parameters) in parts.items():
                model = me_model if is_me else model
                source = f'fmu = "{bench.fmus}/{model}.fmu"' if model.endswith("_3") else f'model = "{model}"'
                text += f'[[component]]\nname = "{name}"\n{source}\nparameters = {{ {parameters} }}\n'
            tally = "" if is_me else f'[[component]]\nname = "m"\nfmu = "{bench.fmus}/cs_tally_3.fmu"\n' + connection(counted, "m.u")
            return text + "".join(connection(*wire) + ("factor = 0.2\n" if wire[0][0] == "t" else "") for wire in wires) + tally

        tight, _ = bench.run(config(True, h), "--monolithic", "-D", "simulation.rtol=1e-9")
        for scheme, window in itertools.product(("jacobi", "gauss_seidel"), (0.1, 1, 10)):
            where, results = f"{seed}, {scheme}, window {window}", []
            for workers in (1, 2, 3):
                columns, _ = bench.run(config(False, h), *(word for option in (f"relaxation.scheme={scheme}", "scheduler.min_work=0",
                                       f"relaxation.window.max={h * window!r}", f"scheduler.workers={workers}") for word in ("-D", option)))
                results.append(runs.lines_of(bench.folder / "r.csv"))
            expect(results[0] == results[1] == results[2], f"{where}: the results depend on the number of workers")
            expect(columns["m.n"] == columns[counted], f"{where}: {counted} {columns[counted]}, counted {columns['m.n']}")
            for name, (model, _, parameters) in parts.items():
                if name[0] == "s":
                    samples = [1 + math.floor(t / float(parameters[4:]) + 1e-9) for t in columns["time"]]
                    expect(columns[name + ".n"] == samples, f"{where}: samples {columns[name + '.n']}")
                signal = name + (".y" if name[0] in "sq" else ".on" if name[0] == "r" else ".x")
                if name[0] in "std":    # apart from rows near shifted jumps
                    errors = sorted(abs(a - b) for a, b in zip(columns[signal], tight[signal]))
                    span = max(1, max(tight[signal]) - min(tight[signal]))
                    expect(errors[len(errors) * 9 // 10] <= 8 * h * span, f"{where}: {signal} off by {errors[len(errors) * 9 // 10]} of {span}")


def test_checkpoint_of_events(bench):
    for name, stop_s in (("cs_ball_3", 2.4), ("cs_sampler_3", 3)):
        text = bench.alone(name, 0.1, "", stop_s)
        short = ("-D", "relaxation.window.max=0.3")
        bench.run(text, *short)
        whole = runs.lines_of(bench.folder / "r.csv")
        bench.run(text, *short, "--checkpoint", "k", "--checkpoint-every", "1.1")
        (bench.folder / "r.csv").unlink()
        bench.run(text, *short, "--restart", "k")
        rest = runs.lines_of(bench.folder / "r.csv")
        expect(5 < len(rest) < len(whole) and rest[1:] == whole[1 - len(rest):], f"{name}: the continued run has other results")


def test_end_by_the_fmu(bench):
    """The oscillator ends the run at x < -200."""
    for version in (2, 3):
        text = bench.alone(f"cs_{version}", 0.1, "parameters = {w = 0.5}\nstart = {u = -100}", 4)
        bench.refused(text, 5, "the FMU ends the run at t = ")
        bench.refused(text, 5, "; set simulation.stop to this time or an earlier time, or change the FMU's parameters")
        bench.run(text.replace("stop = 4", "stop = 2.1"))   # the end of the step at which the FMU ends the run


def main():
    parser = tap.parser("--fmus")
    options = parser.parse_args()
    return tap.run(globals(), options, lambda folder: Bench(options, folder))


if __name__ == "__main__":
    sys.exit(main())
