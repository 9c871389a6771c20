/* Radial compressor: flow and power from a dimensionless map; has no states.
 *
 *     psi = cp T_a (PR^k - 1) / (U^2 / 2)        head coefficient, U = omega r
 *     phi = phi_0 sqrt(1 - (psi / psi_0)^2)      flow coefficient, an ellipse as in
 *     flow = phi rho_a pi r^2 U                  (J. P. Jensen et al., "Mean value
 *     modeling of a small turbocharged diesel engine", SAE 910070, 1991)
 *
 * with straight, continuous continuations beyond both ends (surge, choke). PR is the pressure ratio, k = R / cp, r the
 * radius of the wheel. The efficiency eta is a table over phi, and falls above the speed omega_fast.
 *
 * Energy: power = flow w, with w = cp T_a (PR^k - 1) / eta per kilogram. The gas takes up exactly this power: H_out -
 * H_in = power. Below PR = 1 the flow drives the wheel, and w has the factor eta instead of 1 / eta. In backward flow
 * (deep surge) the work of the wheel heats the gas that enters the inlet.
 *
 * a is the inlet side, b the outlet side. H_in leaves a, and H_out enters b.
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/engine/declare.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(TUNABLE, RADIUS, "radius", "m", 0.0245, 1e-3, 1, "outer radius of the wheel")              \
    ROW(TUNABLE, PHI_0, "phi_0", "1", 0.30, 1e-3, 10, "flow coefficient at zero head")             \
    ROW(TUNABLE, PSI_0, "psi_0", "1", 1.35, 1e-3, 10, "head coefficient at zero flow")             \
    ROW(TUNABLE, SURGE, "surge", "1", 0.9975, 0.5, 0.9999,                                         \
        "psi / psi_0 above which the map continues as a straight line (surge)")                    \
    ROW(TUNABLE, SURGE_SLOPE, "surge_slope", "1", 0.3, 0, 0,                                       \
        "decrease of phi per psi / psi_0 beyond surge")                                            \
    ROW(TUNABLE, CHOKE, "choke", "1", 0.05, 1e-3, 0.5,                                             \
        "psi / psi_0 below which the map continues as a straight line (choke)")                    \
    ROW(TUNABLE, FAST, "omega_fast", "rad/s", 16000, 0, 0,                                         \
        "speed above which the efficiency falls")                                                  \
    ROW(TUNABLE, FAST_LOSS, "fast_loss", "s/rad", 1e-5, 0, 1,                                      \
        "relative decrease of the efficiency per speed above omega_fast")                          \
    ROW(TUNABLE, BAND_PR, "band_pr", "1", 2, 0, 0, "pressure ratio reported by an indicator")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { U_A, U_B = U_A + GAS_COUNT, U_OMEGA = U_B + GAS_COUNT };
enum { PORT_A, PORT_B = PORT_A + GAS_PORT_COUNT, PORT_OMEGA = PORT_B + GAS_PORT_COUNT };
enum { Y_AIR, Y_BURNED, Y_H_IN, Y_H_OUT, Y_FLOW, Y_POWER, Y_COUNT };
enum { N_ETA = 10 };
enum { Z_FAST, Z_SURGE, Z_CHOKE, Z_ETA, Z_LIFTS = Z_ETA + N_ETA, Z_BAND_PR, Z_FORWARD, Z_COUNT };

static const double cp_air = 1005; /* heat capacity of air near 300 K, J/(kg K) (textbook value) */
static const double exponent = 0.2857; /* R / cp = 2 / 7 of a diatomic gas */
static const double pi = 3.14159265358979323846;

/* Efficiency over phi of an automotive radial wheel of 49 mm (assumed); the best point has 0.71. Below the first break the efficiency is
 * constant, and therefore positive in deep surge. */
static const double eta_phi[N_ETA + 2] = {-1, .02, .05, .08, .11, .14, .17, .20, .23, .26, .29, 2};
static const double eta_value[N_ETA + 2] = {.40, .40, .48, .55, .61, .66,
                                            .69, .71, .70, .66, .58, .2};

static const wrsim_variable outputs[Y_COUNT] = {
    [Y_AIR] = WR_SIGNAL("m_air", "kg/s", 0.05, "air from a to b"),
    [Y_BURNED] = WR_SIGNAL("m_burned", "kg/s", 0.05, "burned gas from a to b"),
    [Y_H_IN] = WR_SIGNAL("H_in", "W", 2e4, "enthalpy leaving a"),
    [Y_H_OUT] = WR_SIGNAL("H_out", "W", 2e4, "enthalpy entering b"),
    [Y_FLOW] = WR_SIGNAL("flow", "kg/s", 0.05, "mass flow from a to b"),
    [Y_POWER] = WR_SIGNAL("power", "W", 5e3, "power taken from the shaft"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    engine_list list = {.to = to};
    engine_declare_gas(&list, WRSIM_INPUT, "a_", -1);
    engine_declare_gas(&list, WRSIM_INPUT, "b_", -1);
    engine_declare(&list, WRSIM_INPUT,
                   (wrsim_variable)WR_REQUIRED("omega", "rad/s", 1e4, "shaft speed"));
    engine_gas_ports(&list, U_A);
    engine_gas_ports(&list, U_B);
    engine_port(&list, U_OMEGA, 1);
    for (int y = 0; y < Y_COUNT; y++) {
        static const int flow_needs[] = {U_A + GAS_P, U_A + GAS_RT, U_A + GAS_T, U_B + GAS_P,
                                         U_OMEGA};
        engine_declare(&list, WRSIM_OUTPUT, outputs[y]);
        for (int i = 0; i < (int)(sizeof flow_needs / sizeof flow_needs[0]); i++)
            engine_depends(&list, WRSIM_U_Y, y, flow_needs[i]);
        const int up = y == Y_AIR || y == Y_BURNED   ? GAS_BURNED
                       : y == Y_H_IN || y == Y_H_OUT ? GAS_H
                                                     : -1;
        if (up >= 0) {
            engine_depends(&list, WRSIM_U_Y, y, U_A + up);
            engine_depends(&list, WRSIM_U_Y, y, U_B + up);
        }
    }
    for (int z = 0; z < Z_COUNT; z++) {
        static const char *const names[Z_COUNT] = {
            [Z_FAST] = "fast",        [Z_SURGE] = "surge",     [Z_CHOKE] = "choke",
            [Z_LIFTS] = "compresses", [Z_BAND_PR] = "pr_band", [Z_FORWARD] = "forward"};
        if (names[z])
            engine_declare(&list, WRSIM_INDICATOR, (wrsim_variable){.name = names[z]});
        else
            ENGINE_DECLARE_NAMED(&list, WRSIM_INDICATOR, (wrsim_variable){0}, "eta%d",
                                 z - Z_ETA + 1);
        if (z != Z_LIFTS && z != Z_BAND_PR)
            engine_depends(&list, WRSIM_U_Z, z, U_OMEGA);
        if (z != Z_FAST) {
            engine_depends(&list, WRSIM_U_Z, z, U_A + GAS_P);
            engine_depends(&list, WRSIM_U_Z, z, U_B + GAS_P);
        }
        if (z != Z_FAST && z != Z_LIFTS && z != Z_BAND_PR)
            engine_depends(&list, WRSIM_U_Z, z, U_A + GAS_T);
    }
    return list.status;
}

/* Operating point of the compressor. */
typedef struct operation {
    double tip;   /* U, m/s */
    double pr;    /* pressure ratio */
    double lift;  /* isentropic work, J/kg */
    double ratio; /* psi / psi_0 */
    double phi;
} operation;

static inline int operate(const wrsim_instance *self, const wrsim_point *at, operation *ret_op)
{
    const double *const p = self->param, *const a = at->port[PORT_A], *const b = at->port[PORT_B];
    operation op;
    op.tip = at->port[PORT_OMEGA][0] * p[P_RADIUS];
    if (!(op.tip > 0 && a[GAS_P] > 0 && b[GAS_P] > 0))
        return 1;
    op.pr = b[GAS_P] / a[GAS_P];
    op.lift = cp_air * *at->port[PORT_A + GAS_PORT_T] * (engine_power(op.pr, exponent) - 1);
    op.ratio = op.lift / (0.5 * op.tip * op.tip) / p[P_PSI_0];
    if (at->mode[Z_SURGE]) {
        op.phi = p[P_PHI_0] * sqrt(1 - p[P_SURGE] * p[P_SURGE]) -
                 p[P_SURGE_SLOPE] * (op.ratio - p[P_SURGE]);
    } else if (at->mode[Z_CHOKE]) {
        /* the continuation is the tangent of the ellipse at psi / psi_0 = choke */
        const double root = sqrt(1 - p[P_CHOKE] * p[P_CHOKE]);
        op.phi = p[P_PHI_0] * (root - p[P_CHOKE] / root * (op.ratio - p[P_CHOKE]));
    } else {
        op.phi =
            /* 1 - ratio^2 is negative only in trial steps of the solver */
            p[P_PHI_0] * sqrt(engine_max(1 - op.ratio * op.ratio, 0));
    }
    *ret_op = op;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const a = at->port[PORT_A];
    operation op;
    if (operate(self, at, &op) != 0) {
        self->message =
            "the compressor needs positive speed and pressures: check start values and inputs";
        return 1;
    }
    const double *const p = self->param, r = p[P_RADIUS];
    const double flow = op.phi * a[GAS_P] / a[GAS_RT] * pi * r * r * op.tip;
    double eta = engine_table(eta_phi, eta_value, N_ETA, at->mode + Z_ETA, op.phi);
    if (at->mode[Z_FAST])
        eta /= 1 + p[P_FAST_LOSS] * (at->port[PORT_OMEGA][0] - p[P_FAST]);
    const double work = at->mode[Z_LIFTS] ? op.lift / eta : op.lift * eta;
    const int is_forward = at->mode[Z_FORWARD];
    const double *const up = at->port[(is_forward ? PORT_A : PORT_B) + GAS_PORT_MIXTURE];
    const double power = is_forward ? flow * work : -flow * work;
    ret_y[Y_AIR] = flow * (1 - up[MIXTURE_BURNED]);
    ret_y[Y_BURNED] = flow * up[MIXTURE_BURNED];
    ret_y[Y_H_IN] = flow * up[MIXTURE_H] - (is_forward ? 0 : power);
    ret_y[Y_H_OUT] = flow * up[MIXTURE_H] + (is_forward ? power : 0);
    ret_y[Y_FLOW] = flow;
    ret_y[Y_POWER] = power;
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double *const p = self->param;
    operation op;
    if (operate(self, at, &op) != 0) {
        self->message =
            "the compressor needs positive speed and pressures: check start values and inputs";
        return 1;
    }
    ret_z[Z_FAST] = at->port[PORT_OMEGA][0] / p[P_FAST] - 1;
    ret_z[Z_SURGE] = op.ratio - p[P_SURGE];
    ret_z[Z_CHOKE] = p[P_CHOKE] - op.ratio;
    engine_marks(eta_phi + 1, N_ETA, op.phi, 1 / p[P_PHI_0], ret_z + Z_ETA);
    ret_z[Z_LIFTS] = op.pr - 1;
    ret_z[Z_BAND_PR] = op.pr - p[P_BAND_PR];
    ret_z[Z_FORWARD] = op.phi / p[P_PHI_0];
    return 0;
}

const wrsim_model engine_compressor_model = {
    WR_MODEL("engine.compressor", "Radial compressor with a dimensionless map", params, describe),
    .output = output,
    .indicator = indicator,
};
