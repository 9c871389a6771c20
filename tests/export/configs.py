"""Configs that the tests of exported FMUs use."""
import json
import random

# Two subsystems with ports, a scenario of a signal and a tunable parameter.
PLANT = """
[simulation]
stop = 4
communication_step = 0.1
rtol = 1e-6
[[component]]
name = "a"
model = "dahlquist"
parameters = {a = -0.5, b = 1.0}
[[component]]
name = "b"
model = "dahlquist"
parameters = {a = -2.0, b = 1.0}
[[component]]
name = "c"
model = "relay"
[[connection]]
from = "a.x"
to = "b.u"
[[subsystem]]
name = "one"
components = ["a"]
[[subsystem]]
name = "two"
components = ["b", "c"]
[[port]]
name = "drive"
to = "a.u"
start = 0.5
[[port]]
name = "level"
from = "b.x"
[[scenario]]
name = "leak"
signal = "a.x"
action = "bias"
value = 0.1
at = "api"
[[scenario]]
name = "slow"
parameter = "c.T"
value = 2
at = "api"
"""
# Another scheme, whose results do not depend on the clock, and another solver, for PLANT.
SLACK = '[relaxation]\nscheme = "slack"\n[slack]\ndelays = "drawn"\ndelay = 2\n'
CVODE = '[solver]\nkind = "cvode_bdf"\nlinear_solver = "dense"\n'
# Models without continuous states.
STATELESS = """
[simulation]
stop = 4
communication_step = 0.1
[[component]]
name = "sine"
model = "signal.sine"
[[component]]
name = "gain"
model = "signal.gain"
[[component]]
name = "hold"
model = "signal.sampler"
[[connection]]
from = "sine.y"
to = "gain.u"
[[connection]]
from = "gain.y"
to = "hold.u"
"""
# Events of states, in each window.
EVENTS = """
[simulation]
stop = 3
communication_step = 0.05
[[component]]
name = "ball"
model = "bouncing_ball"
[[component]]
name = "relay"
model = "relay"
"""
# A parameter that is a number of variables, and another whole number.
COUNT = """
[simulation]
stop = 1
communication_step = 0.1
[[component]]
name = "rod"
model = "heat_rod"
parameters = {n = 4}
[[component]]
name = "idle"
model = "test.faulty"
"""
# Two FMUs in two subsystems: FMUS.format(heater=FILE, spring=FILE).
FMUS = """
[simulation]
stop = 1
communication_step = 0.01
[relaxation]
window = {{ initial = 0.01, min = 0.01, max = 0.01, control = "fixed" }}
[[component]]
name = "heater"
fmu = "{heater}"
[[component]]
name = "spring"
fmu = "{spring}"
[[connection]]
from = "heater.y"
to = "spring.u"
[[subsystem]]
name = "a"
components = ["heater"]
[[subsystem]]
name = "b"
components = ["spring"]
"""
PLUGIN = """
#include <wrsim/model.h>
#ifndef TEXT
#define TEXT "state"
#endif
%s
static int describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    const wrsim_variable x = {.name = "x", .description = TEXT, .start = 1.0}, y = {.name = "y", .flags = WRSIM_IS_STATE};
    return to->add(to, WRSIM_STATE, &x) || to->add(to, WRSIM_OUTPUT, &y) ? -1 : 0;
}
static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self;
    ret_dx[0] = %s;
    return 0;
}
static const wrsim_model model = {.abi = WRSIM_MODEL_ABI, .struct_size = sizeof model, .name = "own", .description = "own",
                                  .caps = WRSIM_CAP_RT_SAFE, .describe = describe, .rhs = rhs};
static const wrsim_model *const models[] = {&model, 0};
__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(void);
const wrsim_model *const *wrsim_plugin_models(void) { return models; }
"""
WITH_PLUGIN = """
[simulation]
stop = 1
communication_step = 0.1
[[plugin]]
file = "own.so"
[[component]]
name = "a"
model = "own"
"""


def random_config(seed):
    """A ring or chain of first-order components with random splits, solvers and windows."""
    draw = random.Random(seed)
    n = draw.randint(2, 6)
    text = (f"[simulation]\nstop = 2\ncommunication_step = {draw.choice((0.05, 0.1, 0.03125))}\nrtol = {draw.choice((1e-4, 1e-6, 1e-8))}\n"
            f'[relaxation]\nscheme = "{draw.choice(("jacobi", "gauss_seidel", "auto", "slack"))}"\n'
            '[slack]\ndelays = "fixed"\n'
            f'[solver]\nkind = "{draw.choice(("rk43", "dopri54", "lsoda", "rosenbrock", "cvode_bdf", "rosenbrock_w"))}"\n')
    for i in range(n):
        text += f'[[component]]\nname = "c{i}"\nmodel = "dahlquist"\nparameters = {{a = {-draw.uniform(0.5, 5)!r}, b = {draw.uniform(-0.5, 0.5)!r}}}\n'
        if i > 0 or draw.random() < 0.5:
            text += f'[[connection]]\nfrom = "c{(i or n) - 1}.x"\nto = "c{i}.u"\n'
    text += '[[component]]\nname = "s"\nmodel = "relay"\n'
    cut = draw.randint(1, n - 1)
    for name, members in (("left", range(cut)), ("right", range(cut, n))):
        listed = [f"c{i}" for i in members] + (["s"] if name == "right" else [])
        text += f'[[subsystem]]\nname = "{name}"\ncomponents = {json.dumps(listed)}\n'
    return text
