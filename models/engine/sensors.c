/* Sensors of the control unit for intake pressure, air mass flow and intake temperature, with first-order lags. A further
 * output is the share of exhaust gas in the intake flow. Indicators report bands of all values.
 *
 * The share is q_egr / (|q_egr| + |q_fresh|), with |q| = sqrt(q^2 + q0^2) so that the share is smooth where a flow changes sign.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/engine/declare.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(TUNABLE, TAU_PRESSURE, "tau_p", "s", 0.004, 1e-6, 1e3, "lag of the pressure sensor")       \
    ROW(TUNABLE, TAU_FLOW, "tau_maf", "s", 0.010, 1e-6, 1e3, "lag of the air flow meter")          \
    ROW(TUNABLE, TAU_TEMPERATURE, "tau_T", "s", 0.05, 1e-6, 1e3, "lag of the temperature sensor")  \
    ROW(TUNABLE, BAND_PRESSURE, "band_p", "Pa", 2.0e5, 0, 0,                                       \
        "intake pressure reported by an indicator")                                                \
    ROW(TUNABLE, BAND_FLOW, "band_maf", "kg/s", 0.08, 0, 0,                                        \
        "air mass flow reported by an indicator")                                                  \
    ROW(TUNABLE, BAND_TEMPERATURE, "band_T", "K", 350, 0, 0,                                       \
        "intake temperature reported by an indicator")                                             \
    ROW(TUNABLE, EGR_FIRST, "egr_band_first", "1", 0.02, 0, 0,                                     \
        "first of four EGR shares reported by indicators")                                         \
    ROW(TUNABLE, EGR_STEP, "egr_band_step", "1", 0.06, 0, 0,                                       \
        "distance between the reported EGR shares")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

/* States. The first inputs and outputs have the same order. */
enum { S_PRESSURE, S_FLOW, S_TEMPERATURE, S_COUNT };
enum { U_EGR = S_COUNT, U_FRESH };
enum { Y_EGR_RATE = S_COUNT };
enum { N_EGR_BANDS = 4, Z_EGR = S_COUNT };

static const double flow_rounding =
    1e-4; /* q0, kg/s (assumed): small against the flows of a running engine */

static const wrsim_variable states[S_COUNT] = {
    WR_VALUE("p_im", "Pa", 1.5e5, 2e5, "measured intake pressure"),
    WR_VALUE("maf", "kg/s", 0.06, 0.08, "measured air mass flow"),
    WR_VALUE("T_im", "K", 350, 350, "measured intake temperature"),
};
static const wrsim_variable inputs[S_COUNT + 2] = {
    WR_REQUIRED("p", "Pa", 2e5, "intake pressure"),
    WR_REQUIRED("flow_air", "kg/s", 0.08, "flow through the air filter"),
    WR_REQUIRED("T", "K", 350, "intake temperature"),
    WR_REQUIRED("flow_egr", "kg/s", 0.01, "flow through the EGR valve"),
    WR_REQUIRED("flow_fresh", "kg/s", 0.08, "flow through the intercooler"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    engine_list list = {.to = to};
    for (int i = 0; i < S_COUNT; i++) {
        engine_declare(&list, WRSIM_STATE, states[i]);
        engine_depends(&list, WRSIM_X_X, i, i);
        engine_depends(&list, WRSIM_U_X, i, i);
    }
    for (int i = 0; i < S_COUNT + 2; i++)
        engine_declare(&list, WRSIM_INPUT, inputs[i]);
    engine_ports(&list, 0, S_COUNT + 2);
    for (int i = 0; i < S_COUNT; i++) {
        wrsim_variable v = states[i];
        v.flags = WRSIM_IS_STATE;
        v.index = i;
        engine_declare(&list, WRSIM_OUTPUT, v);
        engine_depends(&list, WRSIM_X_Y, i, i);
    }
    engine_declare(
        &list, WRSIM_OUTPUT,
        (wrsim_variable)WR_SIGNAL("egr_rate", "1", 0.1, "share of exhaust gas in the intake flow"));
    engine_depends_row(&list, WRSIM_U_Y, Y_EGR_RATE, U_EGR, 2);
    for (int i = 0; i < S_COUNT; i++)
        engine_depends(&list, WRSIM_X_Z,
                       ENGINE_DECLARE_NAMED(&list, WRSIM_INDICATOR, (wrsim_variable){0}, "%s_high",
                                            states[i].name),
                       i);
    for (int i = 1; i <= N_EGR_BANDS; i++)
        engine_depends_row(
            &list, WRSIM_U_Z,
            ENGINE_DECLARE_NAMED(&list, WRSIM_INDICATOR, (wrsim_variable){0}, "egr_band%d", i),
            U_EGR, 2);
    return list.status;
}

static double smooth_abs(double q) { return sqrt(q * q + flow_rounding * flow_rounding); }

static double egr_rate(const double *const *port)
{
    const double egr = *port[U_EGR];
    return egr / (smooth_abs(egr) + smooth_abs(*port[U_FRESH]));
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    for (int i = 0; i < S_COUNT; i++)
        ret_dx[i] = (*at->port[i] - at->x[i]) / self->param[P_TAU_PRESSURE + i];
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    for (int i = 0; i < S_COUNT; i++)
        ret_y[i] = at->x[i];
    ret_y[Y_EGR_RATE] = egr_rate(at->port);
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double *const p = self->param;
    for (int i = 0; i < S_COUNT; i++)
        ret_z[i] = (at->x[i] - p[P_BAND_PRESSURE + i]) / states[i].nominal;
    const double rate = egr_rate(at->port);
    for (int i = 0; i < N_EGR_BANDS; i++)
        ret_z[Z_EGR + i] = rate - (p[P_EGR_FIRST] + i * p[P_EGR_STEP]);
    return 0;
}

const wrsim_model engine_sensors_model = {
    WR_MODEL("engine.sensors", "Intake pressure, air flow and temperature sensors, EGR share",
             params, describe),
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
