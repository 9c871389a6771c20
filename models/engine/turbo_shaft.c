/* Turbocharger shaft: J omega d(omega)/dt = eta_m P_turbine - P_compressor - c omega^2.
 *
 * Works on powers, so that what compressor and turbine take from or give to the gas is exactly what
 * the shaft gives or takes. Bearing losses: a fraction 1 - eta_m of the turbine power (thrust
 * bearing) and a viscous part.
 *
 * Energy: stored = J omega^2 / 2, out = bearing losses (balance = 1).
 * Thread: one at a time. Real-time: yes.
 */
#include "models/engine/declare.h"
#include "models/engine/engine_airpath.h"

enum { P_INERTIA, P_EFFICIENCY, P_FRICTION, P_SPEED_BAND, P_BALANCE, N_PARAM };
enum { X_OMEGA, X_FRICTION_WORK };
enum { U_TURBINE, U_COMPRESSOR };
enum { Y_OMEGA, Y_ENERGY, Y_ENERGY_OUT };

static const wrsim_variable params[N_PARAM] = {
    [P_INERTIA] = {.name = "inertia",
                   .flags = WRSIM_TUNABLE,
                   .unit = "kg m2",
                   .description = "moment of inertia of the shaft and both wheels",
                   .start = 3.2e-5,
                   .min = 1e-9,
                   .max = 1},
    [P_EFFICIENCY] = {.name = "mechanical_efficiency",
                      .flags = WRSIM_TUNABLE,
                      .unit = "1",
                      .description = "fraction of the turbine power that reaches the compressor",
                      .start = 0.97,
                      .min = 0.1,
                      .max = 1},
    [P_FRICTION] = {.name = "friction",
                    .flags = WRSIM_TUNABLE,
                    .unit = "N m s",
                    .description = "bearing friction torque per speed",
                    .start = 2e-7},
    [P_SPEED_BAND] = {.name = "speed_band",
                      .flags = WRSIM_TUNABLE,
                      .unit = "rad/s",
                      .description = "speed reported by an indicator",
                      .start = 12000,
                      .min = 1,
                      .max = 1e6},
    [P_BALANCE] = {.name = "balance",
                   .unit = "1",
                   .description = "1: integrate energies for a balance (adds 1 state)",
                   .start = 0,
                   .min = 0,
                   .max = 1,
                   .flags = WRSIM_INTEGER},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    const int has_balance = self->param[P_BALANCE] > 0.5;
    engine_declare(&list, WRSIM_STATE,
                   (wrsim_variable){.name = "omega",
                                    .unit = "rad/s",
                                    .description = "turbocharger speed",
                                    .start = 11000,
                                    .nominal = 1e4});
    if (has_balance)
        engine_declare(&list, WRSIM_STATE,
                       (wrsim_variable){.name = "friction_work",
                                        .unit = "J",
                                        .description = "work of friction",
                                        .nominal = 1e2});
    engine_declare(&list, WRSIM_INPUT,
                   (wrsim_variable){.name = "P_turbine",
                                    .unit = "W",
                                    .description = "power from the gas in the turbine",
                                    .nominal = 5e3,
                                    .flags = WRSIM_REQUIRED});
    engine_declare(&list, WRSIM_INPUT,
                   (wrsim_variable){.name = "P_compressor",
                                    .unit = "W",
                                    .description = "power to the gas in the compressor",
                                    .nominal = 5e3,
                                    .flags = WRSIM_REQUIRED});
    engine_ports(&list, U_TURBINE, 2);
    engine_declare(&list, WRSIM_OUTPUT,
                   (wrsim_variable){.name = "omega",
                                    .unit = "rad/s",
                                    .description = "turbocharger speed",
                                    .nominal = 1e4,
                                    .flags = WRSIM_IS_STATE,
                                    .index = X_OMEGA});
    if (has_balance) {
        engine_declare(
            &list, WRSIM_OUTPUT,
            (wrsim_variable){
                .name = "energy", .unit = "J", .description = "kinetic energy", .nominal = 1e3});
        engine_declare(&list, WRSIM_OUTPUT,
                       (wrsim_variable){.name = "energy_out",
                                        .unit = "J",
                                        .description = "energy given to the surroundings",
                                        .nominal = 1e2});
        engine_depends(&list, WRSIM_X_X, X_FRICTION_WORK, X_OMEGA);
        engine_depends(&list, WRSIM_U_X, X_FRICTION_WORK, U_TURBINE);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY, X_OMEGA);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY_OUT, X_FRICTION_WORK);
    }
    engine_declare(&list, WRSIM_INDICATOR,
                   (wrsim_variable){.name = "fast", .description = "omega above speed_band"});
    engine_depends(&list, WRSIM_X_X, X_OMEGA, X_OMEGA);
    engine_depends_row(&list, WRSIM_U_X, X_OMEGA, U_TURBINE, 2);
    engine_depends(&list, WRSIM_X_Y, Y_OMEGA, X_OMEGA);
    engine_depends_not(&list, WRSIM_U_Y);
    engine_depends(&list, WRSIM_X_Z, 0, X_OMEGA);
    engine_depends_not(&list, WRSIM_U_Z);
    return list.status;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double omega = at->x[X_OMEGA];
    if (!(omega > 0)) {
        self->message = "the turbocharger stands still, and its model divides by the speed: start "
                        "with a positive speed";
        return 1;
    }
    const double loss =
        (1 - p[P_EFFICIENCY]) * *at->port[U_TURBINE] + p[P_FRICTION] * omega * omega;
    ret_dx[X_OMEGA] =
        (*at->port[U_TURBINE] - *at->port[U_COMPRESSOR] - loss) / (p[P_INERTIA] * omega);
    if (p[P_BALANCE] > 0.5)
        ret_dx[X_FRICTION_WORK] = loss;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[Y_OMEGA] = at->x[X_OMEGA];
    if (self->param[P_BALANCE] > 0.5) {
        ret_y[Y_ENERGY] = 0.5 * self->param[P_INERTIA] * at->x[X_OMEGA] * at->x[X_OMEGA];
        ret_y[Y_ENERGY_OUT] = at->x[X_FRICTION_WORK];
    }
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->x[X_OMEGA] / self->param[P_SPEED_BAND] - 1;
    return 0;
}

const wrsim_model engine_turbo_shaft_model = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "engine.turbo_shaft",
    .description = "Turbocharger shaft driven by turbine and compressor powers",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
