/* Turbocharger shaft: J omega d(omega)/dt = eta_m P_turbine - P_compressor - c omega^2.
 *
 * The equation has powers instead of torques, so the shaft exchanges exactly the powers that compressor and turbine
 * exchange with the gas. Bearing losses: a fraction 1 - eta_m of the turbine power (thrust bearing) and a viscous loss.
 *
 * With balance = 1 energy is J omega^2 / 2, and energy_out is the integral of the bearing losses.
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/engine/declare.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(TUNABLE, INERTIA, "inertia", "kg m2", 3.2e-5, 1e-9, 1,                                     \
        "moment of inertia of the shaft and both wheels")                                          \
    ROW(TUNABLE, EFFICIENCY, "mechanical_efficiency", "1", 0.97, 0.1, 1,                           \
        "fraction of the turbine power that reaches the compressor")                               \
    ROW(TUNABLE, FRICTION, "friction", "N m s", 2e-7, 0, 0, "bearing friction torque per speed")   \
    ROW(TUNABLE, SPEED_BAND, "speed_band", "rad/s", 12000, 1, 1e6,                                 \
        "speed reported by an indicator")                                                          \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1,                                                 \
        "1: integrate energies for a balance (adds 1 state)")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { X_OMEGA, X_FRICTION_WORK };
enum { U_TURBINE, U_COMPRESSOR };
enum { Y_OMEGA, Y_ENERGY, Y_ENERGY_OUT };

static const wr_row rows[] = {
    WR_SHOWN_STATE(X_OMEGA, "omega", "rad/s", 11000, 1e4, "turbocharger speed"),
    WR_NEEDED("P_turbine", "W", 5e3, "power from the gas in the turbine"),
    WR_NEEDED("P_compressor", "W", 5e3, "power to the gas in the compressor"),
    WR_INDICATOR("fast", NULL, 0, "omega above speed_band"),
};
static const wr_row balance[] = {
    WR_STATE("friction_work", "J", 0, 1e2, "work of friction"),
    WR_OUTPUT("energy", "J", 1e3, "kinetic energy"),
    WR_OUTPUT("energy_out", "J", 1e2, "energy given to the surroundings"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    const int has_balance = self->param[P_BALANCE] > 0.5;
    ENGINE_DECLARE_ROWS(&list, rows);
    engine_ports(&list, U_TURBINE, 2);
    if (has_balance) {
        ENGINE_DECLARE_ROWS(&list, balance);
        engine_depends(&list, WRSIM_X_X, X_FRICTION_WORK, X_OMEGA);
        engine_depends(&list, WRSIM_U_X, X_FRICTION_WORK, U_TURBINE);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY, X_OMEGA);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY_OUT, X_FRICTION_WORK);
    }
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
        self->message = "the speed of the turbocharger is not positive, but its model divides by "
                        "the speed: set a positive start speed";
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
    WR_MODEL("engine.turbo_shaft", "Turbocharger shaft driven by turbine and compressor powers",
             params, describe),
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
