/* Exhaust pipe, 1-D: transport by the gas and heat transfer to the wall in equal cells, with flow from the first cell
 * to the last. Source: eq. 16-18 of the sum-of-squares paper (docs/METHODS.md, Sources):
 *
 *     rho_i V dw_ij/dt = m_(i-1) (w_(i-1)j - w_ij)                        j: O2, CO2, H2O; w_N2 = 1 - sum w_j
 *     rho_i V cp_i dT_i/dt = m_(i-1) (h(w_(i-1), T_(i-1)) - h(w_(i-1), T_i)) - q_i
 *     rho_C c_C A_C dz dTw_i/dt = q_i - loss_i + lambda_C A_C / dz (Tw_(i-1) - 2 Tw_i + Tw_(i+1))
 *     q_i = alpha_i pi D dz (T_i - Tw_i),   loss_i = pi D_out dz (alpha_A (Tw_i - T_A) + eps sigma (Tw_i^4 - T_A^4))
 *     rho_i = p M_i / (R T_i)
 *
 * w_ij are mass fractions, T_i and Tw_i temperatures of gas and wall of cell i; C is the wall, A the surroundings. The pressure is given
 * and equal along the pipe; ends of the wall are insulated. The equations are the balances of mass, species and enthalpy of a cell with
 * upwind values, solved for w and T.
 *
 * With expansion = 0 the whole pipe has one mass flow, as in the paper. With expansion = 1 the outflow of a cell is m_i
 * = m_(i-1) - V drho_i/dt. Mass, species and energy then balance at every instant, and every cell depends on all cells
 * before it.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>

#include "models/describe.h"

enum { O2, CO2, H2O, N_FRACTION, N2 = N_FRACTION, N_SPECIES };
/* kinds of states: mass fractions, then the temperatures of gas and wall */
enum { T_GAS = N_FRACTION, T_WALL, N_KIND };
enum { MAX_CELLS = 200 };

enum { U_FLOW, U_PRESSURE, U_T_IN, U_O2, U_CO2, U_H2O, U_AMBIENT, N_INPUT };
enum { Y_T_OUT, Y_T_WALL, Y_O2, Y_CO2, Y_H2O, N_OUTPUT };
enum {
    B_FLOW,
    B_MASS,
    B_O2,
    B_GAS_ENERGY,
    B_WALL_ENERGY,
    B_POWER_IN,
    B_POWER_OUT,
    B_LOSS,
    N_BALANCE
};

static const double gas_constant = 8.314462618;        /* J/(mol K) */
static const double stefan_boltzmann = 5.670374419e-8; /* W/(m2 K4) */
static const double pi = 3.14159265358979323846;

/* kg/mol, and cp = a + b T in J/(kg K), J/(kg K2), through the values at 300 and 1000 K (Cengel, Boles, "Thermodynamics",
 * table A-2). */
static const struct {
    double molar_mass, a, b;
} species[N_SPECIES] = {[O2] = {31.998e-3, 844.3, 0.2457},
                        [CO2] = {44.009e-3, 679.7, 0.5543},
                        [H2O] = {18.015e-3, 1682.3, 0.6057},
                        [N2] = {28.013e-3, 984.6, 0.1814}};

/* Viscosity, kg/(m s), and conductivity, W/(m K), of exhaust gas as air at 300 K, and their powers of T / 300 K (textbook values). */
static const double viscosity_300 = 1.85e-5, viscosity_power = 0.7;
static const double conductivity_300 = 0.0262, conductivity_power = 0.8;

#define PARAMETERS(ROW)                                                                            \
    ROW(INTEGER, CELLS, "cells", "1", 5, 1, MAX_CELLS, "number of cells, with 5 states each")      \
    ROW(PARAM, LENGTH, "length", "m", 0.7, 1e-3, 100, "length")                                    \
    ROW(PARAM, DIAMETER, "diameter", "m", 0.0116, 1e-4, 10, "inner diameter of the pipe")          \
    ROW(PARAM, THICKNESS, "thickness", "m", 2.1e-3, 1e-5, 1, "thickness of the wall")              \
    ROW(PARAM, DENSITY, "density", "kg/m3", 7900, 1, 1e5, "density of the wall")                   \
    ROW(PARAM, HEAT, "heat", "J/(kg K)", 500, 1, 1e5, "specific heat of the wall")                 \
    ROW(PARAM, CONDUCTIVITY, "conductivity", "W/(m K)", 16, 0, 1e4, "conductivity of the wall")    \
    ROW(PARAM, FILM_OUTSIDE, "film_outside", "W/(m2 K)", 5, 0, 1e5,                                \
        "heat transfer coefficient to the surroundings")                                           \
    ROW(PARAM, EMISSIVITY, "emissivity", "1", 0.1, 0, 1, "emissivity of the outer wall surface")   \
    ROW(INTEGER, EXPANSION, "expansion", "1", 0, 0, 1,                                             \
        "0: one mass flow for all cells; 1: cells store mass")                                     \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1, "1: add outputs for mass and energy balances")  \
    ROW(PARAM, T_START, "T_start", "K", 500, 100, 3000, "start temperature of the gas")            \
    ROW(PARAM, T_WALL_START, "T_wall_start", "K", 490, 100, 3000, "start temperature of the wall") \
    ROW(PARAM, O2_START, "O2_start", "1", 0.1, 0, 1, "start mass fraction of O2")                  \
    ROW(PARAM, CO2_START, "CO2_start", "1", 0.12, 0, 1, "start mass fraction of CO2")              \
    ROW(PARAM, H2O_START, "H2O_start", "1", 0.05, 0, 1, "start mass fraction of H2O")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

static const wrsim_variable inputs[N_INPUT] = {
    [U_FLOW] = WR_VALUE("m_flow", "kg/s", 8.15e-3, 1e-2, "mass flow into the pipe, >= 0"),
    [U_PRESSURE] = WR_VALUE("p", "Pa", 1.05e5, 1e5, "pressure"),
    [U_T_IN] = WR_VALUE("T_in", "K", 500, 500, "temperature of the inflowing gas"),
    [U_O2] = WR_VALUE("O2_in", "1", 0.1, 0.1, "mass fraction of O2 in the inflowing gas"),
    [U_CO2] = WR_VALUE("CO2_in", "1", 0.12, 0.1, "mass fraction of CO2 in the inflowing gas"),
    [U_H2O] = WR_VALUE("H2O_in", "1", 0.05, 0.1, "mass fraction of H2O in the inflowing gas"),
    [U_AMBIENT] = WR_VALUE("T_ambient", "K", 298, 300, "temperature of the surroundings"),
};

static const wrsim_variable balances[N_BALANCE] = {
    [B_FLOW] = WR_VALUE("m_out", "kg/s", 0, 1e-2, "mass flow out of the pipe"),
    [B_MASS] = WR_VALUE("gas_mass", "kg", 0, 1e-4, "mass of the gas in the pipe"),
    [B_O2] = WR_VALUE("O2_mass", "kg", 0, 1e-5, "mass of O2 in the pipe"),
    [B_GAS_ENERGY] = WR_VALUE("gas_energy", "J", 0, 10, "internal energy of the gas"),
    [B_WALL_ENERGY] = WR_VALUE("wall_energy", "J", 0, 1e5, "heat in the wall, from 0 K"),
    [B_POWER_IN] = WR_VALUE("power_in", "W", 0, 1e3, "enthalpy flow into the pipe"),
    [B_POWER_OUT] = WR_VALUE("power_out", "W", 0, 1e3, "enthalpy flow out of the pipe"),
    [B_LOSS] = WR_VALUE("loss", "W", 0, 100, "heat flow to the surroundings"),
};

static int n_cells(const wrsim_instance *self) { return (int)self->param[P_CELLS]; }
static int is_on(const wrsim_instance *self, int flag) { return self->param[flag] > 0.5; }

static int add_states(const wrsim_instance *self, wrsim_description *to)
{
    static const struct {
        const char *name, *unit, *description;
        int start;
        double nominal;
    } kinds[N_KIND] = {
        [O2] = {"O2", "1", "mass fraction of O2 in a cell", P_O2_START, 0.1},
        [CO2] = {"CO2", "1", "mass fraction of CO2 in a cell", P_CO2_START, 0.1},
        [H2O] = {"H2O", "1", "mass fraction of H2O in a cell", P_H2O_START, 0.1},
        [T_GAS] = {"T", "K", "temperature of the gas in a cell", P_T_START, 500},
        [T_WALL] = {"T_wall", "K", "temperature of the wall in a cell", P_T_WALL_START, 500},
    };
    for (int kind = 0; kind < N_KIND; kind++)
        for (int i = 0; i < n_cells(self); i++) {
            const wrsim_variable state =
                WR_VALUE(NULL, kinds[kind].unit, self->param[kinds[kind].start],
                         kinds[kind].nominal, kinds[kind].description);
            if (wr_describe_named(to, WRSIM_STATE, state, "%s[%d]", kinds[kind].name, i + 1))
                return -1;
        }
    return 0;
}

/* Returns 1 if a derivative depends on a state. With expansion, every state of an earlier cell acts. Heat transfer affects temperatures
 * only; conduction affects the wall only. */
static int acts(const wrsim_instance *self, int kind, int cell, int other, int from)
{
    if ((is_on(self, P_EXPANSION) ? from < cell : 0))
        return 1;
    if (kind == T_WALL)
        return from == cell ? other >= T_GAS
                            : other == T_WALL && (from == cell - 1 || from == cell + 1);
    const int is_here = from == cell, is_before = from == cell - 1;
    if (kind == T_GAS)
        return is_here || (is_before && other != T_WALL);
    return is_here ? other != T_WALL : is_before && other == kind;
}

static int declare_states(const wrsim_instance *self, wrsim_description *to)
{
    const int n = n_cells(self);
    for (int kind = 0; kind < N_KIND; kind++)
        for (int cell = 0; cell < n; cell++)
            for (int other = 0; other < N_KIND; other++)
                for (int from = 0; from < n; from++)
                    if (acts(self, kind, cell, other, from) &&
                        to->depends(to, WRSIM_X_X, kind * n + cell, other * n + from))
                        return -1;
    return 0;
}

static int declare_inputs(const wrsim_instance *self, wrsim_description *to)
{
    const int n = n_cells(self);
    for (int kind = 0; kind < N_KIND; kind++)
        for (int cell = 0; cell < n; cell++)
            for (int u = 0; u < N_INPUT; u++) {
                const int is_carried = u == U_T_IN || u == U_O2 || u == U_CO2 || u == U_H2O;
                const int own = kind < N_FRACTION ? u == U_O2 + kind : kind == T_GAS;
                const int reaches = is_carried        ? (cell == 0 ? own : is_on(self, P_EXPANSION))
                                    : u == U_AMBIENT  ? kind == T_WALL
                                    : u == U_PRESSURE ? kind != T_WALL
                                                      : 1;
                if (reaches && to->depends(to, WRSIM_U_X, kind * n + cell, u))
                    return -1;
            }
    return 0;
}

static int add_outputs(const wrsim_instance *self, wrsim_description *to)
{
    static const struct {
        const char *name, *unit, *description;
        int kind;
        double nominal;
    } outputs[N_OUTPUT] = {
        [Y_T_OUT] = {"T_out", "K", "temperature of the gas at the end", T_GAS, 500},
        [Y_T_WALL] = {"T_wall_out", "K", "temperature of the wall at the end", T_WALL, 500},
        [Y_O2] = {"O2_out", "1", "mass fraction of O2 at the end", O2, 0.1},
        [Y_CO2] = {"CO2_out", "1", "mass fraction of CO2 at the end", CO2, 0.1},
        [Y_H2O] = {"H2O_out", "1", "mass fraction of H2O at the end", H2O, 0.1},
    };
    const int n = n_cells(self);
    for (int i = 0; i < N_OUTPUT; i++) {
        const wrsim_variable output =
            WR_STATE_OUTPUT(outputs[i].name, outputs[i].unit, outputs[i].nominal,
                            outputs[i].kind * n + n - 1, outputs[i].description);
        if (to->add(to, WRSIM_OUTPUT, &output) || to->depends(to, WRSIM_X_Y, i, output.index))
            return -1;
    }
    if (!is_on(self, P_BALANCE))
        return to->depends(to, WRSIM_U_Y, -1, -1) ? -1 : 0;
    for (int i = 0; i < N_BALANCE; i++) {
        for (int x = 0; x < N_KIND * n; x++)
            if (to->depends(to, WRSIM_X_Y, N_OUTPUT + i, x))
                return -1;
        for (int u = 0; u < N_INPUT; u++)
            if (to->depends(to, WRSIM_U_Y, N_OUTPUT + i, u))
                return -1;
    }
    return WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, balances);
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    return add_states(self, to) || WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) ||
                   add_outputs(self, to) || declare_states(self, to) || declare_inputs(self, to)
               ? -1
               : 0;
}

typedef struct gas {
    double fraction[N_FRACTION];
    double temperature; /* K */
} gas;

/* Value of the mixture: sum of w_j value_j; the fraction of N2 is 1 less the other fractions. */
#define MIXED(of, value)                                                                           \
    ((of)->fraction[O2] * (species[O2].value) + (of)->fraction[CO2] * (species[CO2].value) +       \
     (of)->fraction[H2O] * (species[H2O].value) +                                                  \
     (1.0 - (of)->fraction[O2] - (of)->fraction[CO2] - (of)->fraction[H2O]) * (species[N2].value))

static double molar_mass(const gas *of)
{
    double moles = 1.0 / species[N2].molar_mass;
    for (int j = 0; j < N_FRACTION; j++)
        moles += of->fraction[j] * (1.0 / species[j].molar_mass - 1.0 / species[N2].molar_mass);
    return 1.0 / moles;
}

static double enthalpy(const gas *of, double T)
{
    return (MIXED(of, a) + 0.5 * MIXED(of, b) * T) * T;
}

/* Returns the mass flow that stays in the cell, kg/s: V d(rho)/dt at constant pressure, through the changes of M and 1/T. The arguments are
 * the cell's mass times the rates of the fractions and of the temperature. */
static double kept_of(const gas *of, const double *fraction_flow, double temperature_flow)
{
    double moles_flow = 0.0;
    for (int j = 0; j < N_FRACTION; j++)
        moles_flow +=
            fraction_flow[j] * (1.0 / species[j].molar_mass - 1.0 / species[N2].molar_mass);
    return -molar_mass(of) * moles_flow - temperature_flow / of->temperature;
}

/* Returns the heat transfer coefficient inside, W/(m2 K). Nu is 0.07 Re^0.75 in exhaust pipes (C. Depcik, D. Assanis, "A universal heat
 * transfer correlation for intake and exhaust flows in an spark-ignition internal combustion engine", SAE 2002-01-0372), with a smooth
 * transition to Nu = 3.66 of laminar flow. */
static double film_inside(double m_flow, double diameter, double T)
{
    const double viscosity = viscosity_300 * pow(T / 300.0, viscosity_power);
    const double conductivity = conductivity_300 * pow(T / 300.0, conductivity_power);
    const double reynolds = 4.0 * fabs(m_flow) / (pi * diameter * viscosity);
    const double turbulent_4 = 2.401e-5 * reynolds * reynolds * reynolds; /* (0.07 Re^0.75)^4 */
    const double laminar_4 = 3.66 * 3.66 * 3.66 * 3.66;
    return sqrt(sqrt(laminar_4 + turbulent_4)) * conductivity / diameter;
}

/* Geometry that all cells share. */
typedef struct geometry {
    /* length, m; volume, m3; inner and outer surface, m2; of a cell */
    double dz, volume, inside, outside;
    double wall_heat;        /* heat capacity of the wall of a cell, J/K */
    double wall_conductance; /* conductance of the wall between two cells, W/K */
} geometry;

static geometry geometry_of(const double *p, int n)
{
    const double dz = p[P_LENGTH] / n,
                 area_of_wall = pi * (p[P_DIAMETER] + p[P_THICKNESS]) * p[P_THICKNESS];
    return (geometry){
        .dz = dz,
        .volume = 0.25 * pi * p[P_DIAMETER] * p[P_DIAMETER] * dz,
        .inside = pi * p[P_DIAMETER] * dz,
        .outside = pi * (p[P_DIAMETER] + 2.0 * p[P_THICKNESS]) * dz,
        .wall_heat = p[P_DENSITY] * p[P_HEAT] * area_of_wall * dz,
        .wall_conductance = p[P_CONDUCTIVITY] * area_of_wall / dz,
    };
}

static gas inlet_of(const double *u)
{
    return (gas){.fraction = {u[U_O2], u[U_CO2], u[U_H2O]}, .temperature = u[U_T_IN]};
}

static gas gas_of(const double *x, int n, int cell)
{
    return (gas){.fraction = {x[O2 * n + cell], x[CO2 * n + cell], x[H2O * n + cell]},
                 .temperature = x[T_GAS * n + cell]};
}

static double density_of(const gas *of, double p)
{
    return p * molar_mass(of) / (gas_constant * of->temperature);
}

static double loss_of(const wrsim_instance *self, const geometry *g, double T_wall,
                      double T_ambient)
{
    const double a2 = T_ambient * T_ambient, w2 = T_wall * T_wall;
    return g->outside * (self->param[P_FILM_OUTSIDE] * (T_wall - T_ambient) +
                         self->param[P_EMISSIVITY] * stefan_boltzmann * (w2 * w2 - a2 * a2));
}

static double conducted_to(const geometry *g, const double *T_wall, int n, int cell)
{
    const double before = cell > 0 ? T_wall[cell - 1] - T_wall[cell] : 0.0;
    const double after = cell < n - 1 ? T_wall[cell + 1] - T_wall[cell] : 0.0;
    return g->wall_conductance * (before + after);
}

/* Computes the rates of all cells. Returns the mass flow out of the last cell, kg/s. */
static double cells_rates(const wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const int n = n_cells(self);
    const geometry g = geometry_of(self->param, n);
    const double *const T_wall = at->x + T_WALL * n;
    gas before = inlet_of(at->u);
    double m_flow = at->u[U_FLOW];
    for (int i = 0; i < n; i++) {
        const gas here = gas_of(at->x, n, i);
        const double mass = density_of(&here, at->u[U_PRESSURE]) * g.volume;
        const double film = film_inside(m_flow, self->param[P_DIAMETER], here.temperature);
        const double heat = film * g.inside * (here.temperature - T_wall[i]);
        const double carried =
            m_flow * (enthalpy(&before, before.temperature) - enthalpy(&before, here.temperature));
        const double cp = MIXED(&here, a) + MIXED(&here, b) * here.temperature;
        double fraction_flow[N_FRACTION]; /* mass of the cell times rate, kg/s */
        const double temperature_flow = (carried - heat) / cp;
        for (int j = 0; j < N_FRACTION; j++) {
            fraction_flow[j] = m_flow * (before.fraction[j] - here.fraction[j]);
            ret_dx[j * n + i] = fraction_flow[j] / mass;
        }
        ret_dx[T_GAS * n + i] = temperature_flow / mass;
        ret_dx[T_WALL * n + i] = (heat - loss_of(self, &g, T_wall[i], at->u[U_AMBIENT]) +
                                  conducted_to(&g, T_wall, n, i)) /
                                 g.wall_heat;
        if (is_on(self, P_EXPANSION))
            m_flow -= kept_of(&here, fraction_flow, temperature_flow);
        before = here;
    }
    return m_flow;
}

static int is_sound(wrsim_instance *self, const wrsim_point *at)
{
    const int n = n_cells(self);
    if (!(at->u[U_FLOW] >= 0.0)) {
        self->message = "the mass flow into the pipe is negative: check its source";
        return 0;
    }
    if (!(at->u[U_PRESSURE] > 0.0) || !(at->u[U_T_IN] > 0.0)) {
        self->message =
            "pressure or temperature of the inflow is not positive: check the source of the flow";
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (!(at->x[T_GAS * n + i] > 0.0)) {
            self->message =
                "the temperature of the gas is not positive: check start values and inputs";
            return 0;
        }
    return 1;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    if (!is_sound(self, at))
        return 1;
    cells_rates(self, at, ret_dx);
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    if (!is_on(self, P_BALANCE))
        return 0;
    if (!is_sound(self, at))
        return 1;
    const int n = n_cells(self);
    const geometry g = geometry_of(self->param, n);
    double rates[N_KIND * MAX_CELLS];
    double *const y = ret_y + N_OUTPUT;
    const gas inlet = inlet_of(at->u), last = gas_of(at->x, n, n - 1);
    y[B_FLOW] = cells_rates(self, at, rates);
    y[B_POWER_IN] = at->u[U_FLOW] * enthalpy(&inlet, inlet.temperature);
    y[B_POWER_OUT] = y[B_FLOW] * enthalpy(&last, last.temperature);
    for (int i = B_MASS; i <= B_WALL_ENERGY; i++)
        y[i] = 0.0;
    y[B_LOSS] = 0.0;
    for (int i = 0; i < n; i++) {
        const gas here = gas_of(at->x, n, i);
        const double mass = density_of(&here, at->u[U_PRESSURE]) * g.volume;
        y[B_MASS] += mass;
        y[B_O2] += mass * here.fraction[O2];
        y[B_GAS_ENERGY] += mass * enthalpy(&here, here.temperature) - at->u[U_PRESSURE] * g.volume;
        y[B_WALL_ENERGY] += g.wall_heat * at->x[T_WALL * n + i];
        y[B_LOSS] += loss_of(self, &g, at->x[T_WALL * n + i], at->u[U_AMBIENT]);
    }
    return 0;
}

const wrsim_model wr_model_pipe = {
    WR_MODEL("pipe", "exhaust pipe, 1-D: gas composition, gas and wall temperatures", params,
             describe),
    .rhs = rhs,
    .output = output,
};
