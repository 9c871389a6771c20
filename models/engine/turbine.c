/* Fixed-geometry turbine without states: flow through an orifice whose area grows with the pressure ratio, and power.
 *
 *     power = flow eta(bsr) cp T_a (1 - PR^-k)     bsr = omega r / sqrt(2 cp T_a (1 - PR^-k))
 *
 * (Watson and Janota, Turbocharging the Internal Combustion Engine, 1982, ch. 5). At very high blade speed ratios the efficiency is
 * negative: the wheel ventilates. In the root, sqrt(d^2 + e^2) with e = drop_rounding replaces d = 1 - PR^-k. The argument then stays
 * positive for PR near 1. Backward flow gives no power.
 *
 * Energy: the gas gives the power to the shaft, H_in - H_out = power. PR = p_a / p_b, k = 1/4, r is the radius of the wheel.
 *
 * a is the inlet side, b the outlet side. H_in leaves a, and H_out enters b.
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/engine/declare.h"
#include "models/engine/orifice.h"
#include "models/engine/table.h"

enum { P_AREA, P_RADIUS, N_PARAM };
enum { U_A, U_B = U_A + GAS_COUNT, U_OMEGA = U_B + GAS_COUNT };
enum { PORT_A, PORT_B = PORT_A + GAS_PORT_COUNT, PORT_OMEGA = PORT_B + GAS_PORT_COUNT };
enum { Y_AIR, Y_BURNED, Y_H_IN, Y_H_OUT, Y_FLOW, Y_POWER, Y_COUNT };
enum { N_BREAK = 6 };
enum {
    Z_ORIFICE,
    Z_FORWARD = Z_ORIFICE + ENGINE_ORIFICE_FORWARD,
    Z_BSR = Z_ORIFICE + ENGINE_ORIFICE_MODE_COUNT,
    Z_PR = Z_BSR + N_BREAK,
    Z_COUNT = Z_PR + N_BREAK
};

/* Heat capacity of diesel exhaust near 900 K, J/(kg K) (assumed). */
static const double cp_exhaust = 1150;
/* Rounding of 1 - PR^-k in the root of bsr (assumed); the value of 1 - PR^-k at PR = 1.001. */
static const double drop_rounding = 2.5e-4;

/* Efficiency over blade speed ratio and area share over pressure ratio (models/engine/readme.md). */
static const double eta_bsr[N_BREAK + 2] = {-1, .3, .42, .54, .66, .78, .9, 3};
static const double eta_value[N_BREAK + 2] = {.3, .45, .55, .63, .68, .69, .65, .3};
static const double area_pr[N_BREAK + 2] = {0, 1.1, 1.3, 1.6, 1.9, 2.3, 2.8, 20};
static const double area_value[N_BREAK + 2] = {.78, .82, .88, .93, .97, 1.0, 1.0, 1.0};

static const wrsim_variable params[N_PARAM] = {
    [P_AREA] = WR_TUNABLE("area", "m2", 2.6e-4, 1e-9, 10, "largest effective flow area"),
    [P_RADIUS] = WR_TUNABLE("radius", "m", 0.0215, 1e-3, 1, "radius of the wheel's tip"),
};

static const wrsim_variable outputs[Y_COUNT] = {
    [Y_AIR] = WR_SIGNAL("m_air", "kg/s", 0.05, "air from a to b"),
    [Y_BURNED] = WR_SIGNAL("m_burned", "kg/s", 0.05, "burned gas from a to b"),
    [Y_H_IN] = WR_SIGNAL("H_in", "W", 2e4, "enthalpy leaving a"),
    [Y_H_OUT] = WR_SIGNAL("H_out", "W", 2e4, "enthalpy entering b"),
    [Y_FLOW] = WR_SIGNAL("flow", "kg/s", 0.05, "mass flow from a to b"),
    [Y_POWER] = WR_SIGNAL("power", "W", 5e3, "power given to the shaft"),
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
        engine_declare(&list, WRSIM_OUTPUT, outputs[y]);
        engine_depends_row(&list, WRSIM_U_Y, y, U_A + GAS_P, 2); /* p, RT */
        engine_depends_row(&list, WRSIM_U_Y, y, U_B + GAS_P, 2);
        const int up = y == Y_AIR || y == Y_BURNED   ? GAS_BURNED
                       : y == Y_H_IN || y == Y_H_OUT ? GAS_H
                                                     : -1;
        if (up >= 0) {
            engine_depends(&list, WRSIM_U_Y, y, U_A + up);
            engine_depends(&list, WRSIM_U_Y, y, U_B + up);
        }
        if (y == Y_POWER || y == Y_H_OUT) {
            engine_depends(&list, WRSIM_U_Y, y, U_A + GAS_T);
            engine_depends(&list, WRSIM_U_Y, y, U_OMEGA);
        }
    }
    for (int z = 0; z < Z_COUNT; z++) {
        const int is_bsr = z >= Z_BSR && z < Z_PR;
        if (z < Z_BSR)
            engine_declare(&list, WRSIM_INDICATOR,
                           (wrsim_variable){.name = engine_orifice_mode_name[z - Z_ORIFICE]});
        else
            ENGINE_DECLARE_NAMED(&list, WRSIM_INDICATOR, (wrsim_variable){0},
                                 is_bsr ? "bsr%d" : "pr%d", z - (is_bsr ? Z_BSR : Z_PR) + 1);
        engine_depends(&list, WRSIM_U_Z, z, U_A + GAS_P);
        engine_depends(&list, WRSIM_U_Z, z, U_B + GAS_P);
        if (is_bsr) {
            engine_depends(&list, WRSIM_U_Z, z, U_A + GAS_T);
            engine_depends(&list, WRSIM_U_Z, z, U_OMEGA);
        }
    }
    return list.status;
}

/* Returns 1 - PR^-k, or zero for backward flow. k = (gamma - 1) / gamma = 1/4 at gamma = 4/3. */
static double relative_drop(const wrsim_point *at)
{
    return at->mode[Z_FORWARD] ? 1 - sqrt(sqrt(at->port[PORT_B][GAS_P] / at->port[PORT_A][GAS_P]))
                               : 0.0;
}

static double blade_speed_ratio(const wrsim_instance *self, const wrsim_point *at, double drop)
{
    const double rounded = sqrt(drop * drop + drop_rounding * drop_rounding);
    return at->port[PORT_OMEGA][0] * self->param[P_RADIUS] /
           sqrt(2 * cp_exhaust * *at->port[PORT_A + GAS_PORT_T] * rounded);
}

static int check(wrsim_instance *self, const wrsim_point *at)
{
    if (at->port[PORT_A][GAS_P] > 0 && at->port[PORT_B][GAS_P] > 0 &&
        *at->port[PORT_A + GAS_PORT_T] > 0)
        return 0;
    self->message =
        "the turbine needs positive pressures and temperature: check start values and inputs";
    return 1;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    if (check(self, at) != 0)
        return 1;
    const double *const a = at->port[PORT_A], *const b = at->port[PORT_B];
    const double share =
        engine_table(area_pr, area_value, N_BREAK, at->mode + Z_PR, a[GAS_P] / b[GAS_P]);
    const double flow = engine_orifice(self->param[P_AREA] * share, a[GAS_P], a[GAS_RT], b[GAS_P],
                                       b[GAS_RT], at->mode + Z_ORIFICE);
    const double drop = relative_drop(at);
    const double eta = engine_table(eta_bsr, eta_value, N_BREAK, at->mode + Z_BSR,
                                    blade_speed_ratio(self, at, drop));
    const double power = flow * eta * cp_exhaust * *at->port[PORT_A + GAS_PORT_T] * drop;
    const double *const up = at->port[(at->mode[Z_FORWARD] ? PORT_A : PORT_B) + GAS_PORT_MIXTURE];
    ret_y[Y_AIR] = flow * (1 - up[MIXTURE_BURNED]);
    ret_y[Y_BURNED] = flow * up[MIXTURE_BURNED];
    ret_y[Y_H_IN] = flow * up[MIXTURE_H];
    ret_y[Y_H_OUT] = flow * up[MIXTURE_H] - power;
    ret_y[Y_FLOW] = flow;
    ret_y[Y_POWER] = power;
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    if (check(self, at) != 0)
        return 1;
    const double p_a = at->port[PORT_A][GAS_P], p_b = at->port[PORT_B][GAS_P];
    const double bsr = blade_speed_ratio(self, at, relative_drop(at));
    engine_orifice_indicators(p_a, p_b, ret_z + Z_ORIFICE);
    engine_marks(eta_bsr + 1, N_BREAK, bsr, 1.0, ret_z + Z_BSR);
    engine_marks(area_pr + 1, N_BREAK, p_a / p_b, 1.0, ret_z + Z_PR);
    return 0;
}

const wrsim_model engine_turbine_model = {
    WR_MODEL("engine.turbine", "Fixed-geometry turbine", params, describe),
    .output = output,
    .indicator = indicator,
};
