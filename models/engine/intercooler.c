/* Intercooler: a column of gas with inertia heats a wall, which a coolant cools.
 *
 *     d(flow)/dt = (A / L) (p_a - p_b - c flow |flow|)
 *     h_out = h_wall + bypass (h_up - h_wall)        share of the gas that misses the wall
 *     C d(T_wall)/dt = flow (h_up - h_out) - G (T_wall - T_coolant)
 *
 * h_up is the enthalpy of the upstream side, h_wall the enthalpy of the same gas at the wall's temperature. So the wall
 * gets exactly the energy that the gas loses. The balance neglects the kinetic energy of the column (below 1 J). Above
 * bypass_flow the bypass rises, continuously.
 *
 * With balance = 1 energy is C (T_wall - 298.15 K), and energy_out is the heat to the coolant.
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include "models/engine/declare.h"
#include "models/engine/gas.h"

#define PARAMETERS(ROW)                                                                            \
    ROW(TUNABLE, SLENDERNESS, "slenderness", "1/m", 600, 1, 1e6,                                   \
        "length over section of the gas column (0.6 m / 1e-3 m2)")                                 \
    ROW(TUNABLE, LOSS, "loss", "Pa s2/kg2", 2.0e6, 0, 1e12, "pressure loss per flow squared")      \
    ROW(TUNABLE, BYPASS, "bypass", "1", 0.22, 0, 1, "fraction of the gas that bypasses the wall")  \
    ROW(TUNABLE, BYPASS_FLOW, "bypass_flow", "kg/s", 0.09, 0, 0,                                   \
        "mass flow above which the bypass fraction rises")                                         \
    ROW(TUNABLE, BYPASS_RISE, "bypass_rise", "s/kg", 0.6, 0, 10,                                   \
        "slope of the bypass fraction over the mass flow")                                         \
    ROW(TUNABLE, CAPACITY, "wall_capacity", "J/K", 1620, 1, 1e9,                                   \
        "heat capacity of the wall (1.8 kg of aluminium)")                                         \
    ROW(TUNABLE, COOLING, "cooling", "W/K", 220, 0, 1e9, "conductance from wall to coolant")       \
    ROW(TUNABLE, COOLANT, "T_coolant", "K", 300, 0, 0, "temperature of the coolant")               \
    ROW(TUNABLE, BAND_FIRST, "band_first", "kg/s", 0.05, 0, 0,                                     \
        "first of four mass flows reported by indicators")                                         \
    ROW(TUNABLE, BAND_STEP, "band_step", "kg/s", 0.015, 0, 0,                                      \
        "distance between the reported mass flows")                                                \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1,                                                 \
        "1: integrate energies for a balance (adds 1 state)")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { X_FLOW, X_WALL, X_HEAT_OUT };
enum { U_A, U_B = U_A + GAS_COUNT };
enum { PORT_A, PORT_B = PORT_A + GAS_PORT_COUNT };
enum { Y_AIR, Y_BURNED, Y_H_IN, Y_H_OUT, Y_FLOW, Y_ENERGY, Y_ENERGY_OUT };
enum { N_BAND = 4 };
enum { Z_FORWARD, Z_BYPASS, Z_BAND };

static const double flow_scale = 0.1; /* scale of the indicators, kg/s, of the order of the flow */

static const wr_row rows[] = {
    WR_STATE("flow", "kg/s", 0.05, 0.08, "mass flow from a to b"),
    WR_STATE("T_wall", "K", 311, 320, "temperature of the wall"),
    WR_OUTPUT("m_air", "kg/s", 0.05, "air from a to b"),
    WR_OUTPUT("m_burned", "kg/s", 0.05, "burned gas from a to b"),
    WR_OUTPUT("H_in", "W", 2e4, "enthalpy leaving a"),
    WR_OUTPUT("H_out", "W", 2e4, "enthalpy entering b"),
    WR_COPY("flow", "kg/s", 0.08, X_FLOW, "mass flow from a to b"),
    WR_ROW(INDICATOR, {.name = "forward"}),
    WR_ROW(INDICATOR, {.name = "bypass_rises"}),
};
static const wr_row balance[] = {
    WR_STATE("heat_out", "J", 0, 1e3, "heat given to the coolant"),
    WR_OUTPUT("energy", "J", 1e5, "heat in the wall"),
    WR_OUTPUT("energy_out", "J", 1e3, "energy given to the surroundings"),
};

static int has_balance(const wrsim_instance *self) { return self->param[P_BALANCE] > 0.5; }

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    to->data_bytes = sizeof(engine_gas);
    ENGINE_DECLARE_ROWS(&list, rows);
    if (has_balance(self)) {
        ENGINE_DECLARE_ROWS(&list, balance);
        engine_depends(&list, WRSIM_X_X, X_HEAT_OUT, X_WALL);
    }
    engine_declare_gas(&list, WRSIM_INPUT, "a_", -1);
    engine_declare_gas(&list, WRSIM_INPUT, "b_", -1);
    engine_gas_ports(&list, U_A);
    engine_gas_ports(&list, U_B);
    engine_depends(&list, WRSIM_X_X, X_FLOW, X_FLOW);
    engine_depends_row(&list, WRSIM_X_X, X_WALL, X_FLOW, 2);
    for (int side = U_A; side <= U_B; side += GAS_COUNT) {
        engine_depends(&list, WRSIM_U_X, X_FLOW, side + GAS_P);
        engine_depends(&list, WRSIM_U_X, X_WALL, side + GAS_BURNED);
        engine_depends(&list, WRSIM_U_X, X_WALL, side + GAS_H);
    }
    for (int y = Y_AIR; y <= Y_FLOW; y++)
        engine_depends(&list, WRSIM_X_Y, y, X_FLOW);
    for (int side = U_A; side <= U_B; side += GAS_COUNT) {
        for (int y = Y_AIR; y <= Y_H_OUT; y++)
            if (y != Y_H_IN)
                engine_depends(&list, WRSIM_U_Y, y, side + GAS_BURNED);
        engine_depends(&list, WRSIM_U_Y, Y_H_IN, side + GAS_H);
        engine_depends(&list, WRSIM_U_Y, Y_H_OUT, side + GAS_H);
    }
    /* The enthalpy into the downstream side depends on the wall, and both sides may be downstream. */
    engine_depends(&list, WRSIM_X_Y, Y_H_IN, X_WALL);
    engine_depends(&list, WRSIM_X_Y, Y_H_OUT, X_WALL);
    engine_depends(&list, WRSIM_U_Y, Y_H_IN, U_B + GAS_BURNED);
    if (has_balance(self)) {
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY, X_WALL);
        engine_depends(&list, WRSIM_X_Y, Y_ENERGY_OUT, X_HEAT_OUT);
    }
    for (int i = 1; i <= N_BAND; i++)
        ENGINE_DECLARE_NAMED(&list, WRSIM_INDICATOR, (wrsim_variable){0}, "band%d", i);
    for (int z = 0; z < Z_BAND + N_BAND; z++)
        engine_depends(&list, WRSIM_X_Z, z, X_FLOW);
    engine_depends_not(&list, WRSIM_U_Z);
    return list.status;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    engine_gas_init((engine_gas *)self->data);
    return 0;
}

static const double *upstream(const wrsim_point *at)
{
    return at->port[(at->mode[Z_FORWARD] ? PORT_A : PORT_B) + GAS_PORT_MIXTURE];
}

/* Returns the enthalpy that the upstream gas gives to the wall, J/kg. The function assumes that the wall stays below 1000 K. */
static double heat_to_wall(const wrsim_instance *self, const wrsim_point *at)
{
    const double *const p = self->param, *const up = upstream(at);
    const engine_gas *const gas = (const engine_gas *)self->data;
    const double T = at->x[X_WALL], share = up[MIXTURE_BURNED];
    const double h_wall = (1 - share) * engine_gas_h(gas, ENGINE_AIR, 0, T) +
                          share * engine_gas_h(gas, ENGINE_BURNED, 0, T);
    const double rise =
        at->mode[Z_BYPASS] ? p[P_BYPASS_RISE] * (at->x[X_FLOW] - p[P_BYPASS_FLOW]) : 0.0;
    return (1 - p[P_BYPASS] - rise) * (up[MIXTURE_H] - h_wall);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double *const p = self->param;
    const double flow = at->x[X_FLOW], magnitude = at->mode[Z_FORWARD] ? flow : -flow;
    const double cooling = self->param[P_COOLING] * (at->x[X_WALL] - self->param[P_COOLANT]);
    ret_dx[X_FLOW] =
        (at->port[PORT_A][GAS_P] - at->port[PORT_B][GAS_P] - p[P_LOSS] * flow * magnitude) /
        p[P_SLENDERNESS];
    ret_dx[X_WALL] = (magnitude * heat_to_wall(self, at) - cooling) / p[P_CAPACITY];
    if (has_balance(self))
        ret_dx[X_HEAT_OUT] = cooling;
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double flow = at->x[X_FLOW];
    const double *const up = upstream(at);
    const double h_up = up[MIXTURE_H], h_down = h_up - heat_to_wall(self, at);
    ret_y[Y_AIR] = flow * (1 - up[MIXTURE_BURNED]);
    ret_y[Y_BURNED] = flow * up[MIXTURE_BURNED];
    ret_y[Y_H_IN] = flow * (at->mode[Z_FORWARD] ? h_up : h_down);
    ret_y[Y_H_OUT] = flow * (at->mode[Z_FORWARD] ? h_down : h_up);
    ret_y[Y_FLOW] = flow;
    if (has_balance(self)) {
        ret_y[Y_ENERGY] = self->param[P_CAPACITY] * (at->x[X_WALL] - ENGINE_GAS_T_ZERO_K);
        ret_y[Y_ENERGY_OUT] = at->x[X_HEAT_OUT];
    }
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const double *const p = self->param;
    const double flow = at->x[X_FLOW];
    ret_z[Z_FORWARD] = flow / flow_scale;
    ret_z[Z_BYPASS] = (flow - p[P_BYPASS_FLOW]) / flow_scale;
    for (int i = 0; i < N_BAND; i++)
        ret_z[Z_BAND + i] = (flow - (p[P_BAND_FIRST] + i * p[P_BAND_STEP])) / flow_scale;
    return 0;
}

const wrsim_model engine_intercooler_model = {
    WR_MODEL("engine.intercooler", "Intercooler: gas column with inertia, wall and coolant", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
