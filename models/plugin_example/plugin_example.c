/* Example of a native plug-in, to be copied: one model, "example.room".
 *
 * A heated room with a thermostat, beside a neighbouring room:
 *
 *    C T' = heater * P - G_wall (T - T_out) - G_door (T - T_neighbour)
 *
 *    T    room temperature (state)           heater  0 or 1 (discrete state)
 *    T_out, T_neighbour                      inputs
 *
 * The thermostat switches the heater off when T rises above T_set + band / 2, and on when T falls below T_set - band /
 * 2. Both switches are state events: wrsim locates the time at which the indicator changes sign, calls event(), and restarts the
 * integration at this time.
 *
 * The model needs wrsim/model.h only, whose comments are the reference. Steps to a new model:
 *
 *  1. parameters   a constant table, with defaults and limits
 *  2. describe()   names, units, start values; patterns: which variable depends on which
 *  3. rhs(), output(), indicator(), event()   the equations, which read all values from `at`
 *  4. the descriptor, and the exported function that lists it
 *
 * Instances share no variables: all changing values are in x and d, which wrsim owns.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "wrsim/model.h"

/* 1. Parameters: values that a config may set under parameters = { ... }. */

enum { P_C, P_G_WALL, P_G_DOOR, P_HEATER, P_SET, P_BAND, N_PARAM };

/* Any field of wrsim_variable may follow the description. */
#define VARIABLE(name_, unit_, start_, description_, ...)                                          \
    {                                                                                              \
        .name = name_, .unit = unit_, .start = start_, .description = description_, __VA_ARGS__    \
    }

static const wrsim_variable params[N_PARAM] = {
    [P_C] = VARIABLE("C", "J/K", 2e5, "heat capacity of the room", .min = 1.0, .max = 1e12),
    [P_G_WALL] =
        VARIABLE("G_wall", "W/K", 50.0, "conductance to the outside", .min = 0.0, .max = 1e9),
    [P_G_DOOR] = VARIABLE("G_door", "W/K", 20.0, "conductance to the neighbouring room", .min = 0.0,
                          .max = 1e9),
    [P_HEATER] = VARIABLE("P_heater", "W", 2000.0, "power of the heater", .min = 0.0, .max = 1e9),
    [P_SET] = VARIABLE("T_set", "K", 293.15, "set temperature", .min = 0),
    [P_BAND] = VARIABLE("band", "K", 1.0, "width of the thermostat's hysteresis", .min = 1e-3,
                        .max = 100.0),
};

/* 2. Description. Indices below follow the order of the add() calls. */

enum { X_T };
enum { D_HEATER };
enum { U_T_OUT, U_T_NEIGHBOUR };
enum { Z_TOO_WARM, Z_TOO_COLD };

static const wrsim_variable state_T =
    VARIABLE("T", "K", 288.15, "temperature of the room", .nominal = 300.0);
static const wrsim_variable discrete_heater =
    VARIABLE("is_heating", "1", 0, "1 while the heater is on", .min = 0);
static const wrsim_variable inputs[] = {
    [U_T_OUT] = VARIABLE("T_out", "K", 273.15, "temperature outside", .nominal = 300.0),
    [U_T_NEIGHBOUR] = VARIABLE("T_neighbour", "K", 288.15, "temperature of the neighbouring room",
                               .nominal = 300.0),
};
static const wrsim_variable outputs[] = {
    /* An output that equals a state may have the same name; wrsim copies the state and its slope. */
    VARIABLE("T", "K", 0, "temperature of the room", .nominal = 300.0, .flags = WRSIM_IS_STATE,
             .index = X_T),
    VARIABLE("heat", "W", 0, "present power of the heater", .nominal = 1000.0,
             .flags = WRSIM_DISCONTINUOUS),
};
static const wrsim_variable indicators[] = {
    [Z_TOO_WARM] = VARIABLE("too_warm", "K", 0, "T above the hysteresis band", .nominal = 1.0,
                            .flags = WRSIM_RISING_ONLY),
    [Z_TOO_COLD] = VARIABLE("too_cold", "K", 0, "T below the hysteresis band", .nominal = 1.0,
                            .flags = WRSIM_RISING_ONLY),
};

/* Declares the patterns. Patterns are optional and make runs faster; a missing entry makes results wrong. A pattern that is not declared
 * counts as full. */
static int describe_patterns(wrsim_description *to)
{
    int rc = 0;
    rc |= to->depends(to, WRSIM_X_X, X_T, X_T);
    rc |= to->depends(to, WRSIM_U_X, X_T, U_T_OUT);
    rc |= to->depends(to, WRSIM_U_X, X_T, U_T_NEIGHBOUR);
    rc |= to->depends(to, WRSIM_X_Y, 0, X_T);
    rc |= to->depends(to, WRSIM_U_Y, -1, -1); /* empty: no output depends directly on an input */
    rc |= to->depends(to, WRSIM_X_Z, Z_TOO_WARM, X_T);
    rc |= to->depends(to, WRSIM_X_Z, Z_TOO_COLD, X_T);
    rc |= to->depends(to, WRSIM_U_Z, -1, -1);
    rc |= to->depends(to, WRSIM_Z_D, D_HEATER, Z_TOO_WARM);
    rc |= to->depends(to, WRSIM_Z_D, D_HEATER, Z_TOO_COLD);
    rc |= to->depends(to, WRSIM_D_X, X_T, D_HEATER);
    rc |= to->depends(to, WRSIM_D_Z, -1, -1);
    return rc ? -1 : 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self; /* the sizes of this model do not depend on parameters */
    if (to->struct_size > offsetof(wrsim_description, time_scale_s))
        to->time_scale_s = (double)INFINITY; /* no callback reads the time */
    int rc = 0;
    rc |= to->add(to, WRSIM_STATE, &state_T);
    rc |= to->add(to, WRSIM_DISCRETE, &discrete_heater);
    rc |= to->add(to, WRSIM_INPUT, &inputs[U_T_OUT]);
    rc |= to->add(to, WRSIM_INPUT, &inputs[U_T_NEIGHBOUR]);
    rc |= to->add(to, WRSIM_OUTPUT, &outputs[0]);
    rc |= to->add(to, WRSIM_OUTPUT, &outputs[1]);
    rc |= to->add(to, WRSIM_INDICATOR, &indicators[Z_TOO_WARM]);
    rc |= to->add(to, WRSIM_INDICATOR, &indicators[Z_TOO_COLD]);
    return rc ? -1 : describe_patterns(to);
}

/* 3. Equations. Each function returns 0 if done, > 0 to request a smaller step, < 0 to end the run (with self->message set). */

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double T = at->x[X_T];
    const double flow_out = p[P_G_WALL] * (T - at->u[U_T_OUT]);
    const double flow_door = p[P_G_DOOR] * (T - at->u[U_T_NEIGHBOUR]);
    ret_dx[X_T] = (at->d[D_HEATER] * p[P_HEATER] - flow_out - flow_door) / p[P_C];
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->x[X_T];
    ret_y[1] = at->d[D_HEATER] * self->param[P_HEATER];
    return 0;
}

/* Indicators are zero at their event, and smooth between events. */
static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double *const p = self->param;
    ret_z[Z_TOO_WARM] = at->x[X_T] - (p[P_SET] + 0.5 * p[P_BAND]);
    ret_z[Z_TOO_COLD] = (p[P_SET] - 0.5 * p[P_BAND]) - at->x[X_T];
    return 0;
}

/* Changes d; an event may also change x. at->mode[i] is 1 if indicator i is positive. At the start of the run no indicator has fired, so
 * the mode of too_cold decides whether the heater is switched on. */
static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)self;
    (void)x;
    if (what->fired[Z_TOO_WARM] > 0)
        d[D_HEATER] = 0.0;
    if (what->fired[Z_TOO_COLD] > 0 || (what->is_initial && at->mode[Z_TOO_COLD]))
        d[D_HEATER] = 1.0;
    return 0;
}

/* Optional: df/dx, column by column. Implicit methods then need no differences. */
static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)at;
    const double *const p = self->param;
    ret_jac[0] = -(p[P_G_WALL] + p[P_G_DOOR]) / p[P_C];
    return 0;
}

/* 4. The descriptor, and the symbol that wrsim looks up. */

static const wrsim_model room = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "example.room",
    .description = "room with a heater and a thermostat, beside another room",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .event = event,
    .jacobian = jacobian,
};

/* The attribute exports the symbol also under -fvisibility=hidden. */
__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model *const models[] = {&room, NULL};
    return abi == WRSIM_MODEL_ABI ? models : NULL;
}
