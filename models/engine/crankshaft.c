/* Crankshaft: J d(omega)/dt = sum of cylinder torques - friction - brake.
 *
 * Friction grows with speed; Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 13.3b has the same three
 * terms. The brake is an eddy-current dynamometer around its set point, with a steeper governor above governor_speed.
 * Both torques are continuous in omega. A torque that jumps at some omega would make a sliding mode.
 *
 * With balance = 1 energy is J omega^2 / 2, and energy_out is friction work + brake work. gas_work is the integral of M omega, where M is
 * the sum of the cylinders' torques (p - p_crankcase) dV/d(theta).
 *
 * theta is the crank angle since the start of the first cycle, rad, and omega is its rate.
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>
#include <stdio.h>

#include "models/engine/declare.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(INTEGER, CYLINDERS, "cylinders", "1", 4, 1, 16, "number of torque inputs")                 \
    ROW(TUNABLE, INERTIA, "inertia", "kg m2", 0.9, 1e-6, 1e6,                                      \
        "moment of inertia of crankshaft, flywheel and brake")                                     \
    ROW(TUNABLE, FRICTION_0, "friction_0", "N m", 12, 0, 0, "friction torque, constant part")      \
    ROW(TUNABLE, FRICTION_1, "friction_1", "N m s", 0.02, 0, 0, "friction torque per speed")       \
    ROW(TUNABLE, FRICTION_2, "friction_2", "N m s2", 1.5e-4, 0, 0,                                 \
        "friction torque per speed squared")                                                       \
    ROW(TUNABLE, BRAKE_TORQUE, "brake_torque", "N m", 190, 0, 0, "brake torque at brake_speed")    \
    ROW(TUNABLE, BRAKE_SLOPE, "brake_slope", "N m s", 8, 0, 0,                                     \
        "slope of the brake torque over the speed")                                                \
    ROW(TUNABLE, BRAKE_SPEED, "brake_speed", "rad/s", 261.8, 0, 0,                                 \
        "set point of the brake (2500 rpm)")                                                       \
    ROW(TUNABLE, GOVERNOR_SPEED, "governor_speed", "rad/s", 270, 0, 0,                             \
        "speed above which the brake torque rises faster")                                         \
    ROW(TUNABLE, GOVERNOR_SLOPE, "governor_slope", "N m s", 8, 0, 0,                               \
        "additional slope of the brake torque above governor_speed")                               \
    ROW(PARAM, TOOTH, "tooth", "rad", 0.52359877559829887308, 1e-3, 100,                           \
        "angle between teeth of the speed wheel (30 degrees)")                                     \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1,                                                 \
        "1: integrate energies for a balance (adds 3 states)")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { X_THETA, X_OMEGA, X_FRICTION_WORK, X_BRAKE_WORK, X_GAS_WORK };
enum { D_TEETH };
enum { Z_GOVERNOR, Z_SPEED, Z_TOOTH };
enum { Y_THETA, Y_OMEGA, Y_TORQUE, Y_ENERGY, Y_ENERGY_OUT };

static const wr_row rows[] = {
    WR_SHOWN_STATE(X_THETA, "theta", "rad", 0, 10, "crank angle"),
    WR_SHOWN_STATE(X_OMEGA, "omega", "rad/s", 261.8, 261.8, "crankshaft speed"),
    WR_DISCRETE("teeth", "1", 0, "number of teeth passed since theta = 0"),
    WR_OUTPUT("torque", "N m", 200, "torque of all cylinders"),
    WR_INDICATOR("governor", NULL, 0, "omega above governor_speed"),
    WR_INDICATOR("fast", NULL, 0, "omega above brake_speed"),
    WR_INDICATOR("tooth", NULL, 0, "next tooth reached", .flags = WRSIM_RISING_ONLY),
};
static const wr_row balance[] = {
    WR_STATE("friction_work", "J", 0, 1e3, "work of friction"),
    WR_STATE("brake_work", "J", 0, 1e3, "work of the brake"),
    WR_STATE("gas_work", "J", 0, 1e3, "work of the cylinders"),
    WR_OUTPUT("energy", "J", 1e4, "kinetic energy"),
    WR_OUTPUT("energy_out", "J", 1e3, "energy given to the surroundings"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    const int n_torque = (int)self->param[P_CYLINDERS];
    const int has_balance = self->param[P_BALANCE] > 0.5;
    ENGINE_DECLARE_ROWS(&list, rows);
    if (has_balance)
        ENGINE_DECLARE_ROWS(&list, balance);
    for (int i = 1; i <= n_torque; i++)
        ENGINE_DECLARE_NAMED(&list, WRSIM_INPUT,
                             (wrsim_variable)WR_REQUIRED(NULL, "N m", 200, "torque of a cylinder"),
                             "torque%d", i);
    engine_ports(&list, 0, n_torque);
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

/* Counts the teeth that the crank has passed at the start angle. */
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
    const double governor =
        at->mode[Z_GOVERNOR] ? p[P_GOVERNOR_SLOPE] * (omega - p[P_GOVERNOR_SPEED]) : 0.0;
    const double friction = friction_torque(p, omega),
                 brake =
                     p[P_BRAKE_TORQUE] + p[P_BRAKE_SLOPE] * (omega - p[P_BRAKE_SPEED]) + governor;
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

/* Writes the indicators, scaled to the order of one. */
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
    WR_MODEL("engine.crankshaft", "Crankshaft with friction and brake; wheel with teeth", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .event = event,
};
