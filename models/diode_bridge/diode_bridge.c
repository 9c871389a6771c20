/* Diode bridge: a voltage source behind R and L, four diodes, a smoothing capacitor with a load.
 *
 *        u --R-L--> i --> a ----D1---> p ---+---+
 *                             D3 |     D2   |   |          D1: a to p, D2: b to p, D3: n to a, D4: n to b
 *        u returns <----- b ---- n -----    C   R_load     v = p - n
 *
 *     L i' = u - R i - (v_a - v_b)           C v' = i_D1 + i_D2 - v / R_load          (n at 0, p at v)
 *     diode:  i_D = g_off v_D,  and with mode (v_D > v_f)  + (g_on - g_off) (v_D - v_f)
 *
 * A diode's current is continuous in its voltage, so a change of a mode does not move its indicator, and modes do not
 * chatter. v_a and v_b follow from the currents' balance at a and b, one linear equation each.
 *
 * Source: Kirchhoff's laws with piecewise linear diodes, a standard test of hybrid circuits.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { R, L, C, R_LOAD, G_ON, G_OFF, V_F, N_PARAM };
enum { CURRENT, VOLTAGE };
enum { I_SOURCE, V_LOAD, I_LOAD };
enum { D1, D2, D3, D4, N_DIODE };

static const wrsim_variable params[N_PARAM] = {
    [R] = WR_TUNABLE("R", "ohm", 0.5, 0.0, 1e9, "resistance of the source"),
    [L] = WR_TUNABLE("L", "H", 1e-3, 1e-12, 1e6, "inductance of the source"),
    [C] = WR_TUNABLE("C", "F", 1e-3, 1e-15, 1e6, "capacitance parallel to the load"),
    [R_LOAD] = WR_TUNABLE("R_load", "ohm", 100.0, 1e-6, 1e12, "resistance of the load"),
    [G_ON] = WR_PARAM("g_on", "S", 20.0, 1e-12, 1e9, "conductance of a conducting diode"),
    [G_OFF] = WR_PARAM("g_off", "S", 1e-3, 1e-12, 1e9, "conductance of a blocking diode"),
    [V_F] =
        WR_PARAM("v_f", "V", 0.6, 0.0, 1e6, "forward voltage at which a diode starts to conduct"),
};
static const wr_row rows[] = {
    WR_STATE("i", "A", 0, 1.0, "current of the source"),
    WR_STATE("v", "V", 0, 10.0, "voltage of the load"),
    WR_INPUT("u", "V", 10.0, "voltage of the source"),
    WR_COPY("i_source", "A", 1.0, CURRENT, "current of the source"),
    WR_COPY("v_load", "V", 10.0, VOLTAGE, "voltage of the load"),
    WR_OUTPUT("i_load", "A", 1.0, "current of the load"),
    WR_INDICATOR("D1", "V", 1.0, "1 if D1 conducts"),
    WR_INDICATOR("D2", "V", 1.0, "1 if D2 conducts"),
    WR_INDICATOR("D3", "V", 1.0, "1 if D3 conducts"),
    WR_INDICATOR("D4", "V", 1.0, "1 if D4 conducts"),
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    if (!(self->param[G_OFF] < self->param[G_ON])) {
        self->message = "g_off must be less than g_on";
        return -1;
    }
    return WR_DESCRIBE(to, rows, [WRSIM_U_X] = "x .", [WRSIM_X_Y] = "x. .x .x",
                       [WRSIM_U_Y] = ". . .", [WRSIM_U_Z] = ". . . .");
}

/* Current of a diode in its frozen mode, A: slope v_D - shift, with slope in S, shift in A and v_D in V. */
typedef struct diode {
    double slope, shift;
} diode;

static diode diode_of(const wrsim_instance *self, int is_on)
{
    const double *const p = self->param;
    return is_on ? (diode){p[G_ON], (p[G_ON] - p[G_OFF]) * p[V_F]} : (diode){p[G_OFF], 0.0};
}

/* Returns the voltage of a node, V. Diode `up` leads from the node to p at voltage v, and diode `down` leads from n at 0 V to the node.
 * i is the current from the source into the node, A: i = i_up - i_down. */
static double node_voltage(diode up, diode down, double i, double v)
{
    return (i + up.slope * v + up.shift - down.shift) / (up.slope + down.slope);
}

/* Node voltages, V, and the diodes' current into p, A, computed from the states. */
typedef struct bridge {
    double a, b, i_p;
} bridge;

static bridge bridge_at(const wrsim_instance *self, const wrsim_point *at)
{
    const double i = at->x[CURRENT], v = at->x[VOLTAGE];
    const diode d1 = diode_of(self, at->mode[D1]), d2 = diode_of(self, at->mode[D2]);
    const diode d3 = diode_of(self, at->mode[D3]), d4 = diode_of(self, at->mode[D4]);
    const double a = node_voltage(d1, d3, i, v), b = node_voltage(d2, d4, -i, v);
    return (bridge){a, b, d1.slope * (a - v) - d1.shift + d2.slope * (b - v) - d2.shift};
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const bridge now = bridge_at(self, at);
    ret_dx[CURRENT] = (at->u[0] - p[R] * at->x[CURRENT] - (now.a - now.b)) / p[L];
    ret_dx[VOLTAGE] = (now.i_p - at->x[VOLTAGE] / p[R_LOAD]) / p[C];
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const bridge now = bridge_at(self, at);
    const double v = at->x[VOLTAGE], v_f = self->param[V_F];
    ret_z[D1] = now.a - v - v_f;
    ret_z[D2] = now.b - v - v_f;
    ret_z[D3] = -now.a - v_f;
    ret_z[D4] = -now.b - v_f;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[I_LOAD] = at->x[VOLTAGE] / self->param[R_LOAD];
    return 0;
}

/* Writes the Jacobian. With the slopes g1 ... g4 of the diodes, the current balances give da/di = 1 / (g1 + g3), da/dv = g1 / (g1 + g3),
 * db/di = -1 / (g2 + g4) and db/dv = g2 / (g2 + g4). */
static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const double *const p = self->param;
    const double g1 = diode_of(self, at->mode[D1]).slope, g2 = diode_of(self, at->mode[D2]).slope;
    const double g13 = g1 + diode_of(self, at->mode[D3]).slope;
    const double g24 = g2 + diode_of(self, at->mode[D4]).slope;
    ret_jac[0] = -(p[R] + 1.0 / g13 + 1.0 / g24) / p[L];
    ret_jac[1] = (g1 / g13 - g2 / g24) / p[C];
    ret_jac[2] = -(g1 / g13 - g2 / g24) / p[L];
    ret_jac[3] = (g1 * (g1 / g13 - 1.0) + g2 * (g2 / g24 - 1.0) - 1.0 / p[R_LOAD]) / p[C];
    return 0;
}

const wrsim_model wr_model_diode_bridge = {
    WR_MODEL("diode_bridge", "bridge rectifier with a smoothing capacitor and a load", params,
             describe),
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
    .jacobian = jacobian,
};
