/* Crankshaft: J d(omega)/dt = sum of cylinder torques - friction - brake.
 *
 * Friction grows with speed (Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 13.3b has
 * the same three terms); the brake is an eddy-current dynamometer around its set point, with a
 * steeper governor above a second speed. Both are continuous in omega: a jump at omega = const
 * driven by omega itself would be a sliding mode.
 *
 * Energy: stored = J omega^2 / 2, out = friction work + brake work (balance = 1); in = gas_work,
 * the integral of M omega, where a cylinder's torque M is (p - p_crankcase) dV/d(theta).
 *
 * theta crank angle since the start of the first cycle, omega its rate.
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>
#include <stdio.h>

#include "models/engine/declare.h"
#include "models/engine/engine_airpath.h"

enum {
    P_CYLINDERS,
    P_INERTIA,
    P_FRICTION_0,
    P_FRICTION_1,
    P_FRICTION_2,
    P_BRAKE_TORQUE,
    P_BRAKE_SLOPE,
    P_BRAKE_SPEED,
    P_GOVERNOR_SPEED,
    P_GOVERNOR_SLOPE,
    P_TOOTH,
    P_BALANCE,
    N_PARAM
};
enum { X_THETA, X_OMEGA, X_FRICTION_WORK, X_BRAKE_WORK, X_GAS_WORK };
enum { D_TEETH };
enum { Z_GOVERNOR, Z_SPEED, Z_TOOTH };
enum { Y_THETA, Y_OMEGA, Y_TORQUE, Y_ENERGY, Y_ENERGY_OUT };

static const wrsim_variable params[N_PARAM] = {
    [P_CYLINDERS] = {.name = "cylinders",
                     .unit = "1",
                     .description = "number of torque inputs",
                     .start = 4,
                     .min = 1,
                     .max = 16,
                     .flags = WRSIM_INTEGER},
    [P_INERTIA] = {.name = "inertia",
                   .flags = WRSIM_TUNABLE,
                   .unit = "kg m2",
                   .description = "moment of inertia of crankshaft, flywheel and brake",
                   .start = 0.9,
                   .min = 1e-6,
                   .max = 1e6},
    [P_FRICTION_0] = {.name = "friction_0",
                      .flags = WRSIM_TUNABLE,
                      .unit = "N m",
                      .description = "friction torque, constant part",
                      .start = 12},
    [P_FRICTION_1] = {.name = "friction_1",
                      .flags = WRSIM_TUNABLE,
                      .unit = "N m s",
                      .description = "friction torque per speed",
                      .start = 0.02},
    [P_FRICTION_2] = {.name = "friction_2",
                      .flags = WRSIM_TUNABLE,
                      .unit = "N m s2",
                      .description = "friction torque per speed squared",
                      .start = 1.5e-4},
    [P_BRAKE_TORQUE] = {.name = "brake_torque",
                        .flags = WRSIM_TUNABLE,
                        .unit = "N m",
                        .description = "brake torque at brake_speed",
                        .start = 190},
    [P_BRAKE_SLOPE] = {.name = "brake_slope",
                       .flags = WRSIM_TUNABLE,
                       .unit = "N m s",
                       .description = "slope of the brake torque over the speed",
                       .start = 8},
    [P_BRAKE_SPEED] = {.name = "brake_speed",
                       .flags = WRSIM_TUNABLE,
                       .unit = "rad/s",
                       .description = "set point of the brake (2500 rpm)",
                       .start = 261.8},
    [P_GOVERNOR_SPEED] = {.name = "governor_speed",
                          .flags = WRSIM_TUNABLE,
                          .unit = "rad/s",
                          .description = "speed above which the brake torque rises faster",
                          .start = 270},
    [P_GOVERNOR_SLOPE] = {.name = "governor_slope",
                          .flags = WRSIM_TUNABLE,
                          .unit = "N m s",
                          .description =
                              "additional slope of the brake torque above governor_speed",
                          .start = 8},
    [P_TOOTH] = {.name = "tooth",
                 .unit = "rad",
                 .description = "angle between teeth of the speed wheel (30 degrees)",
                 .start = 0.52359877559829887308,
                 .min = 1e-3,
                 .max = 100},
    [P_BALANCE] = {.name = "balance",
                   .unit = "1",
                   .description = "1: integrate energies for a balance (adds 3 states)",
                   .start = 0,
                   .min = 0,
                   .max = 1,
                   .flags = WRSIM_INTEGER},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    const int n_torque = (int)self->param[P_CYLINDERS];
    const int has_balance = self->param[P_BALANCE] > 0.5;

    engine_declare(
        &list, WRSIM_STATE,
        (wrsim_variable){
            .name = "theta", .unit = "rad", .description = "crank angle", .nominal = 10});
    engine_declare(&list, WRSIM_STATE,
                   (wrsim_variable){.name = "omega",
                                    .unit = "rad/s",
                                    .description = "crankshaft speed",
                                    .start = 261.8,
                                    .nominal = 261.8});
    if (has_balance) {
        engine_declare(&list, WRSIM_STATE,
                       (wrsim_variable){.name = "friction_work",
                                        .unit = "J",
                                        .description = "work of friction",
                                        .nominal = 1e3});
        engine_declare(&list, WRSIM_STATE,
                       (wrsim_variable){.name = "brake_work",
                                        .unit = "J",
                                        .description = "work of the brake",
                                        .nominal = 1e3});
        engine_declare(&list, WRSIM_STATE,
                       (wrsim_variable){.name = "gas_work",
                                        .unit = "J",
                                        .description = "work of the cylinders",
                                        .nominal = 1e3});
    }
    engine_declare(&list, WRSIM_DISCRETE,
                   (wrsim_variable){.name = "teeth",
                                    .unit = "1",
                                    .description = "number of teeth passed since theta = 0"});
    for (int i = 1; i <= n_torque; i++) {
        char name[32];
        snprintf(name, sizeof name, "torque%d", i);
        engine_declare(&list, WRSIM_INPUT,
                       (wrsim_variable){.name = name,
                                        .unit = "N m",
                                        .description = "torque of a cylinder",
                                        .nominal = 200,
                                        .flags = WRSIM_REQUIRED});
    }
    engine_ports(&list, 0, n_torque);
    engine_declare(&list, WRSIM_OUTPUT,
                   (wrsim_variable){.name = "theta",
                                    .unit = "rad",
                                    .description = "crank angle",
                                    .nominal = 10,
                                    .flags = WRSIM_IS_STATE,
                                    .index = X_THETA});
    engine_declare(&list, WRSIM_OUTPUT,
                   (wrsim_variable){.name = "omega",
                                    .unit = "rad/s",
                                    .description = "crankshaft speed",
                                    .nominal = 261.8,
                                    .flags = WRSIM_IS_STATE,
                                    .index = X_OMEGA});
    engine_declare(&list, WRSIM_OUTPUT,
                   (wrsim_variable){.name = "torque",
                                    .unit = "N m",
                                    .description = "torque of all cylinders",
                                    .nominal = 200});
    if (has_balance) {
        engine_declare(
            &list, WRSIM_OUTPUT,
            (wrsim_variable){
                .name = "energy", .unit = "J", .description = "kinetic energy", .nominal = 1e4});
        engine_declare(&list, WRSIM_OUTPUT,
                       (wrsim_variable){.name = "energy_out",
                                        .unit = "J",
                                        .description = "energy given to the surroundings",
                                        .nominal = 1e3});
    }
    engine_declare(&list, WRSIM_INDICATOR,
                   (wrsim_variable){.name = "governor", .description = "omega above governor"});
    engine_declare(&list, WRSIM_INDICATOR,
                   (wrsim_variable){.name = "fast", .description = "omega above brake_speed"});
    engine_declare(&list, WRSIM_INDICATOR,
                   (wrsim_variable){.name = "tooth",
                                    .description = "next tooth reached",
                                    .flags = WRSIM_RISING_ONLY});

    engine_depends(&list, WRSIM_X_X, X_THETA, X_OMEGA);
    engine_depends(&list, WRSIM_X_X, X_OMEGA, X_OMEGA);
    engine_depends_row(&list, WRSIM_U_X, X_OMEGA, 0, n_torque);
    engine_depends(&list, WRSIM_X_Y, Y_THETA, X_THETA);
    engine_depends(&list, WRSIM_X_Y, Y_OMEGA, X_OMEGA);
    engine_depends_row(&list, WRSIM_U_Y, Y_TORQUE, 0, n_torque);
    if (has_balance) {
        engine_depends(&list, WRSIM_X_X, X_FRICTION_WORK, X_OMEGA);
        engine_depends(&list, WRSIM_X_X, X_BRAKE_WORK, X_OMEGA);
        engine_depends(&list, WRSIM_X_X, X_GAS_WORK, X_OMEGA);
        engine_depends_row(&list, WRSIM_U_X, X_GAS_WORK, 0, n_torque);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY, X_OMEGA);
        engine_depends_row(&list, WRSIM_X_Y, Y_ENERGY_OUT, X_FRICTION_WORK, 2);
    }
    engine_depends(&list, WRSIM_X_Z, Z_GOVERNOR, X_OMEGA);
    engine_depends(&list, WRSIM_X_Z, Z_SPEED, X_OMEGA);
    engine_depends(&list, WRSIM_X_Z, Z_TOOTH, X_THETA);
    engine_depends_not(&list, WRSIM_U_Z);
    engine_depends(&list, WRSIM_Z_D, D_TEETH, Z_TOOTH);
    engine_depends_not(&list, WRSIM_D_X);
    engine_depends(&list, WRSIM_D_Z, Z_TOOTH, D_TEETH);
    return list.status;
}

/* Counts the teeth already passed at the start angle. */
static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s;
    d[D_TEETH] = floor(x[X_THETA] / self->param[P_TOOTH]);
    return 0;
}

static double friction_torque(const double *p, double omega)
{
    return p[P_FRICTION_0] + omega * (p[P_FRICTION_1] + omega * p[P_FRICTION_2]);
}

static double brake_torque(const double *p, double omega, const unsigned char *mode)
{
    const double governor =
        mode[Z_GOVERNOR] ? p[P_GOVERNOR_SLOPE] * (omega - p[P_GOVERNOR_SPEED]) : 0.0;
    return p[P_BRAKE_TORQUE] + p[P_BRAKE_SLOPE] * (omega - p[P_BRAKE_SPEED]) + governor;
}

static double total_torque(const wrsim_instance *self, const double *const *port)
{
    double sum = 0;
    for (int i = 0; i < (int)self->param[P_CYLINDERS]; i++)
        sum += *port[i];
    return sum;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double omega = at->x[X_OMEGA];
    const double friction = friction_torque(p, omega), brake = brake_torque(p, omega, at->mode);
    const double torque = total_torque(self, at->port);
    ret_dx[X_THETA] = omega;
    ret_dx[X_OMEGA] = (torque - friction - brake) / p[P_INERTIA];
    if (p[P_BALANCE] > 0.5) {
        ret_dx[X_FRICTION_WORK] = friction * omega;
        ret_dx[X_BRAKE_WORK] = brake * omega;
        ret_dx[X_GAS_WORK] = torque * omega;
    }
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const p = self->param;
    ret_y[Y_THETA] = at->x[X_THETA];
    ret_y[Y_OMEGA] = at->x[X_OMEGA];
    ret_y[Y_TORQUE] = total_torque(self, at->port);
    if (p[P_BALANCE] > 0.5) {
        ret_y[Y_ENERGY] = 0.5 * p[P_INERTIA] * at->x[X_OMEGA] * at->x[X_OMEGA];
        ret_y[Y_ENERGY_OUT] = at->x[X_FRICTION_WORK] + at->x[X_BRAKE_WORK];
    }
    return 0;
}

/* Indicators are scaled to be of order one. */
static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double *const p = self->param;
    const double omega = at->x[X_OMEGA];
    ret_z[Z_GOVERNOR] = omega / p[P_GOVERNOR_SPEED] - 1;
    ret_z[Z_SPEED] = omega / p[P_BRAKE_SPEED] - 1;
    ret_z[Z_TOOTH] = at->x[X_THETA] / p[P_TOOTH] - (at->d[D_TEETH] + 1);
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)self;
    (void)at;
    (void)x;
    if (what->fired[Z_TOOTH] > 0)
        d[D_TEETH] += 1;
    return 0;
}

const wrsim_model engine_crankshaft_model = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "engine.crankshaft",
    .description = "Crankshaft with friction and brake; wheel with teeth",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .event = event,
};
