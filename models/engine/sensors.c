/* What the control unit sees: intake pressure, air mass flow and intake temperature through
 * first-order lags, and the share of exhaust gas in the intake flow with its bands.
 *
 * The share is q_egr / (|q_egr| + |q_fresh|), with |q| = sqrt(q^2 + q0^2) so that it is smooth
 * where a flow changes sign.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>
#include <stdio.h>

#include "models/engine/declare.h"
#include "models/engine/engine_airpath.h"

enum {
    P_TAU_PRESSURE,
    P_TAU_FLOW,
    P_TAU_TEMPERATURE,
    P_BAND_PRESSURE,
    P_BAND_FLOW,
    P_BAND_TEMPERATURE,
    P_EGR_FIRST,
    P_EGR_STEP,
    N_PARAM
};
enum { S_PRESSURE, S_FLOW, S_TEMPERATURE, S_COUNT }; /* states, first inputs and outputs */
enum { U_EGR = S_COUNT, U_FRESH };
enum { Y_EGR_RATE = S_COUNT };
enum { N_EGR_BANDS = 4, Z_EGR = S_COUNT };

static const double flow_rounding = 1e-4; /* kg/s: q0, far below any flow that matters */

static const wrsim_variable params[N_PARAM] = {
    [P_TAU_PRESSURE] = {.name = "tau_p",
                        .flags = WRSIM_TUNABLE,
                        .unit = "s",
                        .description = "lag of the pressure sensor",
                        .start = 0.004,
                        .min = 1e-6,
                        .max = 1e3},
    [P_TAU_FLOW] = {.name = "tau_maf",
                    .flags = WRSIM_TUNABLE,
                    .unit = "s",
                    .description = "lag of the air flow meter",
                    .start = 0.010,
                    .min = 1e-6,
                    .max = 1e3},
    [P_TAU_TEMPERATURE] = {.name = "tau_T",
                           .flags = WRSIM_TUNABLE,
                           .unit = "s",
                           .description = "lag of the temperature sensor",
                           .start = 0.05,
                           .min = 1e-6,
                           .max = 1e3},
    [P_BAND_PRESSURE] = {.name = "band_p",
                         .flags = WRSIM_TUNABLE,
                         .unit = "Pa",
                         .description = "intake pressure reported by an indicator",
                         .start = 2.0e5},
    [P_BAND_FLOW] = {.name = "band_maf",
                     .flags = WRSIM_TUNABLE,
                     .unit = "kg/s",
                     .description = "air mass flow reported by an indicator",
                     .start = 0.08},
    [P_BAND_TEMPERATURE] = {.name = "band_T",
                            .flags = WRSIM_TUNABLE,
                            .unit = "K",
                            .description = "intake temperature reported by an indicator",
                            .start = 350},
    [P_EGR_FIRST] = {.name = "egr_band_first",
                     .flags = WRSIM_TUNABLE,
                     .unit = "1",
                     .description = "first of four EGR shares reported by indicators",
                     .start = 0.02},
    [P_EGR_STEP] = {.name = "egr_band_step",
                    .flags = WRSIM_TUNABLE,
                    .unit = "1",
                    .description = "distance between the reported EGR shares",
                    .start = 0.06},
};

static const wrsim_variable states[S_COUNT] = {
    {.name = "p_im",
     .unit = "Pa",
     .description = "measured intake pressure",
     .start = 1.5e5,
     .nominal = 2e5},
    {.name = "maf",
     .unit = "kg/s",
     .description = "measured air mass flow",
     .start = 0.06,
     .nominal = 0.08},
    {.name = "T_im",
     .unit = "K",
     .description = "measured intake temperature",
     .start = 350,
     .nominal = 350},
};
static const wrsim_variable inputs[S_COUNT + 2] = {
    {.name = "p",
     .unit = "Pa",
     .description = "intake pressure",
     .nominal = 2e5,
     .flags = WRSIM_REQUIRED},
    {.name = "flow_air",
     .unit = "kg/s",
     .description = "flow through the air filter",
     .nominal = 0.08,
     .flags = WRSIM_REQUIRED},
    {.name = "T",
     .unit = "K",
     .description = "intake temperature",
     .nominal = 350,
     .flags = WRSIM_REQUIRED},
    {.name = "flow_egr",
     .unit = "kg/s",
     .description = "flow through the EGR valve",
     .nominal = 0.01,
     .flags = WRSIM_REQUIRED},
    {.name = "flow_fresh",
     .unit = "kg/s",
     .description = "flow through the intercooler",
     .nominal = 0.08,
     .flags = WRSIM_REQUIRED},
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
    engine_declare(&list, WRSIM_OUTPUT,
                   (wrsim_variable){.name = "egr_rate",
                                    .unit = "1",
                                    .description = "share of exhaust gas in the intake flow",
                                    .nominal = 0.1});
    engine_depends_row(&list, WRSIM_U_Y, Y_EGR_RATE, U_EGR, 2);
    for (int i = 0; i < S_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_high", states[i].name);
        const int z = engine_declare(&list, WRSIM_INDICATOR, (wrsim_variable){.name = name});
        engine_depends(&list, WRSIM_X_Z, z, i);
    }
    for (int i = 1; i <= N_EGR_BANDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "egr_band%d", i);
        const int z = engine_declare(&list, WRSIM_INDICATOR, (wrsim_variable){.name = name});
        engine_depends_row(&list, WRSIM_U_Z, z, U_EGR, 2);
    }
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
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "engine.sensors",
    .description = "Intake pressure, air flow and temperature sensors, EGR share",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
