/* A volume of ideal gas: manifold, cooler, pipe section. The model has states for the mass of each species and the temperature.
 * Ports supply mass and enthalpy, and a wall takes heat.
 *
 *     dm_i/dt = sum of in-ports - sum of out-ports                    i: air, burned gas
 *     m cv dT/dt = sum H - Q - sum_i dm_i/dt (h_i - R_i T)            U = sum m_i (h_i - R_i T)
 *
 * The second line is dU/dt = sum H - Q solved for dT/dt, so energy is conserved exactly (Heywood,
 * Internal Combustion Engine Fundamentals, 1988, sec. 14.2: filling and emptying).
 *
 * Parameters of the structure:
 *   species     2: air and burned gas. 1: air only; all inflow counts as air.
 *   isothermal  1: no temperature state; a heat flow keeps the gas at T_start.
 *   wall        0 none, 1 of constant temperature, 2 with its own temperature state, cooled.
 *   cells       the volume as a chain of equal cells with a linear flow resistance in between:
 *               in-ports enter the first cell, out-ports leave the last cell.
 * Unburned fuel vapour has no state: the vapour counts as burned gas (species = 1: as air).
 *
 * Outputs p, RT, T, burned, h belong to the first cell, end_p and so on to the last.
 *
 * balance = 1 adds sums and outputs. energy is stored in gas and wall, and energy_out is given to the surroundings.
 * air_out, burned_out and fuel_out are the masses of each species that count as another species (negative: gained).
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/engine/declare.h"
#include "models/engine/gas.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"

enum { MAX_CELLS = 64, MAX_BANDS = 32, N_TABLE = 4 };

#define PARAMETERS(ROW)                                                                            \
    ROW(PARAM, VOLUME, "volume", "m3", 0, 1e-9, 1e6, "volume", .flags = WRSIM_REQUIRED)            \
    ROW(INTEGER, SPECIES, "species", "1", 2, 1, 2,                                                 \
        "number of species: 1 air only, 2 air and burned gas")                                     \
    ROW(INTEGER, ISOTHERMAL, "isothermal", "1", 0, 0, 1, "1: the temperature stays at T_start")    \
    ROW(INTEGER, IN, "in_ports", "1", 1, 0, 16, "number of in-ports")                              \
    ROW(INTEGER, OUT, "out_ports", "1", 1, 0, 16, "number of out-ports")                           \
    ROW(INTEGER, CELLS, "cells", "1", 1, 1, MAX_CELLS, "number of cells in the chain")             \
    ROW(PARAM, RESISTANCE, "cell_resistance", "Pa s/kg", 5e4, 1, 1e12,                             \
        "pressure drop per mass flow along the whole chain")                                       \
    ROW(PARAM, P_START, "p_start", "Pa", 1e5, 1, 1e9,                                              \
        "start pressure, from which the start masses are computed")                                \
    ROW(PARAM, T_START, "T_start", "K", 298, 100, 4000, "start temperature")                       \
    ROW(PARAM, BURNED_START, "burned_start", "1", 0, 0, 1,                                         \
        "mass fraction of burned gas at the start")                                                \
    ROW(INTEGER, WALL, "wall", "1", 0, 0, 2,                                                       \
        "wall: 0 none, 1 at constant temperature, 2 with a temperature state")                     \
    ROW(PARAM, AREA, "heat_area", "m2", 0, 0, 1e6, "area of the wall")                             \
    ROW(PARAM, FILM, "film", "W/(m2 K)", 0, 0, 1e6, "heat transfer coefficient")                   \
    ROW(PARAM, FILM_FLOW, "film_flow", "kg/s", 0, 0, 1e6,                                          \
        "mass flow at which the film has its nominal value: it grows as (flow / film_flow + "      \
        "film_floor)^0.8 with the mean flow; 0: constant film")                                    \
    ROW(PARAM, FILM_FLOOR, "film_floor", "1", 0.05, 0, 100,                                        \
        "constant part of the film's growth, see film_flow")                                       \
    ROW(INTEGER, FILM_TABLE, "film_table", "1", 0, 0, 1,                                           \
        "1: the film grows with the gas temperature (4 indicators per cell)")                      \
    ROW(INTEGER, FILM_SIDE, "film_side", "1", 0, 0, 1,                                             \
        "1: the film has a factor if the gas is colder than the wall (1 indicator per cell)")      \
    ROW(PARAM, COLD_FILM, "cold_film", "1", 1, 0, 100,                                             \
        "factor of the film if the gas is colder than the wall (film_side)")                       \
    ROW(PARAM, T_WALL, "T_wall", "K", 300, 1, 4000, "wall temperature, or its start value")        \
    ROW(PARAM, WALL_CAPACITY, "wall_capacity", "J/K", 1000, 1e-3, 1e9,                             \
        "heat capacity of the wall")                                                               \
    ROW(PARAM, COOLING, "cooling", "W/K", 0, 0, 1e9, "conductance from wall to coolant")           \
    ROW(PARAM, COOLING_KNEE, "cooling_knee", "K", 0, 0, 4000,                                      \
        "wall temperature above which cooling increases; 0: never")                                \
    ROW(PARAM, COOLING_RISE, "cooling_rise", "W/K2", 0, 0, 1e6,                                    \
        "increase of cooling per kelvin above cooling_knee")                                       \
    ROW(PARAM, T_COOLANT, "T_coolant", "K", 298, 1, 4000, "temperature of the coolant")            \
    ROW(INTEGER, N_P_BANDS, "p_bands", "1", 0, 0, MAX_BANDS,                                       \
        "number of pressures reported by indicators")                                              \
    ROW(PARAM, P_BAND_FIRST, "p_band_first", "Pa", 1e5, 0, 0, "first of the reported pressures")   \
    ROW(PARAM, P_BAND_STEP, "p_band_step", "Pa", 1e4, 0, 0,                                        \
        "distance between the reported pressures")                                                 \
    ROW(PARAM, P_LIMIT, "p_limit", "Pa", 0, 0, 1e9,                                                \
        "pressure limit reported by an indicator; 0: none")                                        \
    ROW(INTEGER, N_T_BANDS, "T_bands", "1", 0, 0, MAX_BANDS,                                       \
        "number of temperatures reported by indicators")                                           \
    ROW(PARAM, T_BAND_FIRST, "T_band_first", "K", 500, 0, 0, "first of the reported temperatures") \
    ROW(PARAM, T_BAND_STEP, "T_band_step", "K", 100, 0, 0,                                         \
        "distance between the reported temperatures")                                              \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1,                                                 \
        "1: integrate mass and energy for a balance (adds 2 states; 3 if species = 1)")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

enum { WALL_NONE, WALL_FIXED, WALL_STATE };

/* q0 in |q| = sqrt(q^2 + q0^2), kg/s (assumed): makes the film coefficient smooth at zero flow. */
static const double flow_rounding = 1e-3;
static const double per_pascal = 1e-5, per_kelvin = 1e-3; /* scale indicators to the order of one */

/* Factor of the film for the growth of the gas's conductivity, over temperature, K (models/engine/readme.md). The second
 * break is not 1000 K, so that the break does not coincide with the change of the gas polynomials. */
static const double film_T[N_TABLE + 2] = {200, 600, 1000.5, 1400, 2000, 4000};
static const double film_value[N_TABLE + 2] = {.85, 1.0, 1.12, 1.2, 1.28, 1.4};

/* Indices in x, u, y and z; -1: the variable does not exist. */
typedef struct layout {
    int n_cell, n_species, has_T, n_in, n_out, wall;
    /* first state of the first cell (masses, then temperature); states per cell */
    int x_cell, x_per_cell;
    int x_wall;
    int x_heat, x_fuel, x_burned; /* states of the balance */
    int u_out, n_u;
    /* first outputs; y_energy begins energy, energy_out, air_out, burned_out, fuel_out */
    int y_end, y_air, y_burned, y_energy;
    int z_per_cell, z_range, z_table, z_side; /* indicators of one cell; offsets within the cell */
    int z_knee, z_p_band, n_p_band, z_p_limit, z_T_band, n_T_band, z_link, n_z;
} layout;

static layout make_layout(const double *p)
{
    layout at = {.n_cell = (int)p[P_CELLS],
                 .n_species = (int)p[P_SPECIES],
                 .has_T = p[P_ISOTHERMAL] < 0.5,
                 .n_in = (int)p[P_IN],
                 .n_out = (int)p[P_OUT],
                 .wall = (int)p[P_WALL]};
    const int has_balance = p[P_BALANCE] > 0.5;
    at.x_per_cell = at.n_species + at.has_T;
    int x = at.n_cell * at.x_per_cell;
    at.x_wall = at.wall == WALL_STATE ? x++ : -1;
    at.x_heat = has_balance ? x++ : -1;
    at.x_fuel = has_balance ? x++ : -1;
    at.x_burned = has_balance && at.n_species == 1 ? x++ : -1;
    at.u_out = at.n_in * FLOW_COUNT;
    at.n_u = (at.n_in + at.n_out) * FLOW_COUNT;
    at.y_end = GAS_COUNT;
    at.y_air = 2 * GAS_COUNT;
    at.y_burned = at.n_species == 2 ? at.y_air + 1 : -1;
    at.y_energy = has_balance ? at.y_air + at.n_species : -1;
    at.z_range = at.has_T ? at.z_per_cell++ : -1;
    at.z_table = p[P_FILM_TABLE] > 0.5 ? at.z_per_cell : -1;
    at.z_per_cell += p[P_FILM_TABLE] > 0.5 ? N_TABLE : 0;
    at.z_side = p[P_FILM_SIDE] > 0.5 ? at.z_per_cell++ : -1;
    int z = at.n_cell * at.z_per_cell;
    at.z_knee = p[P_COOLING_KNEE] > 0 ? z++ : -1;
    at.z_p_band = z;
    at.n_p_band = (int)p[P_N_P_BANDS];
    z += at.n_p_band;
    at.z_p_limit = p[P_P_LIMIT] > 0 ? z++ : -1;
    at.z_T_band = z;
    at.n_T_band = (int)p[P_N_T_BANDS];
    z += at.n_T_band;
    at.z_link = z;
    at.n_z = z + at.n_cell - 1;
    return at;
}

/* Data of an instance, constant after init(). */
typedef struct volume_data {
    engine_gas gas;
    layout at;
    double per_cell_m3; /* 1 / volume of a cell, 1/m3 */
    double film_w_k;    /* film coefficient times area of a cell, W/K */
    double per_film_flow;
    double p_band[MAX_BANDS], T_band[MAX_BANDS];
} volume_data;

static const volume_data *data_of(const wrsim_instance *self)
{
    return (const volume_data *)self->data;
}

static int x_of(const layout *at, int cell, int i) { return cell * at->x_per_cell + i; }
static int x_of_T(const layout *at, int cell) { return x_of(at, cell, at->n_species); }

static const char *check_structure(const double *p)
{
    const layout at = make_layout(p);
    if (!at.has_T && (at.wall != WALL_NONE || p[P_FILM_TABLE] > 0.5 || p[P_FILM_SIDE] > 0.5 ||
                      p[P_N_T_BANDS] > 0.5))
        return "an isothermal volume has no wall, film or temperature bands: set isothermal = 0, "
               "or remove these parameters";
    if (at.wall == WALL_NONE && (p[P_FILM_TABLE] > 0.5 || p[P_FILM_SIDE] > 0.5))
        return "film_table and film_side need wall = 1 or 2";
    if (at.wall != WALL_STATE && p[P_COOLING_KNEE] > 0)
        return "cooling_knee needs wall = 2";
    return NULL;
}

static const wr_row balance_states[] = {
    WR_STATE("heat_out", "J", 0, 1e3, "heat given to the surroundings"),
    WR_STATE("fuel_counted", "kg", 0, 1e-4, "fuel vapour counted as another species"),
    WR_STATE("burned_counted", "kg", 0, 1e-4, "burned gas counted as air"),
};
static const wr_row mass_outputs[] = {
    WR_COPY("m_air", "kg", 1e-3, 0, "mass of air"),
    WR_COPY("m_burned", "kg", 1e-3, 1, "mass of burned gas"),
};
static const wr_row balance_outputs[] = {
    WR_OUTPUT("energy", "J", 1e3, "energy stored in gas and wall"),
    WR_OUTPUT("energy_out", "J", 1e3, "energy given to the surroundings"),
    WR_OUTPUT("air_out", "kg", 1e-4, "air counted as another species"),
    WR_OUTPUT("burned_out", "kg", 1e-4, "burned gas counted as another species"),
    WR_OUTPUT("fuel_out", "kg", 1e-4, "fuel vapour counted as another species"),
};

static void declare_states(const double *p, const layout *at, engine_list *list)
{
    engine_gas gas;
    engine_gas_init(&gas);
    const double share = at->n_species == 2 ? p[P_BURNED_START] : 0.0;
    const double r =
        (1 - share) * engine_gas_R(&gas, ENGINE_AIR) + share * engine_gas_R(&gas, ENGINE_BURNED);
    const double mass = p[P_P_START] * p[P_VOLUME] / at->n_cell / (r * p[P_T_START]);
    /* nominal density 1.5 kg/m3 (assumed), between exhaust gas and charge air */
    const double nominal_mass = 1.5 * p[P_VOLUME] / at->n_cell;
    for (int cell = 0; cell < at->n_cell; cell++) {
        char suffix[16] = "";
        if (cell > 0)
            snprintf(suffix, sizeof suffix, "[%d]", cell + 1);
        const wrsim_variable states[] = {
            WR_VALUE("m_air", "kg", mass * (1 - share), nominal_mass, "mass of air"),
            WR_VALUE("m_burned", "kg", mass * share, nominal_mass, "mass of burned gas"),
            WR_VALUE("T", "K", p[P_T_START], p[P_T_START], "temperature")};
        for (int i = 0; i < 3; i++)
            if (i < at->n_species || (i == 2 && at->has_T))
                ENGINE_DECLARE_NAMED(list, WRSIM_STATE, states[i], "%s%s", states[i].name, suffix);
    }
    const wr_row wall =
        WR_STATE("T_wall", "K", p[P_T_WALL], p[P_T_WALL], "temperature of the wall");
    if (at->wall == WALL_STATE)
        engine_declare_rows(list, &wall, 1);
    if (at->x_heat >= 0) /* the last state exists if at->x_burned >= 0 */
        engine_declare_rows(list, balance_states, at->x_burned >= 0 ? 3 : 2);
}

#define INDICATOR(...) ENGINE_DECLARE_NAMED(list, WRSIM_INDICATOR, (wrsim_variable){0}, __VA_ARGS__)
static void declare_indicators(const layout *at, engine_list *list)
{
    for (int cell = 0; cell < at->n_cell; cell++) {
        char suffix[16] = "";
        if (cell > 0)
            snprintf(suffix, sizeof suffix, "[%d]", cell + 1);
        if (at->z_range >= 0)
            INDICATOR("hot%s", suffix);
        for (int i = 0; i < N_TABLE && at->z_table >= 0; i++)
            INDICATOR("film%d%s", i + 1, suffix);
        if (at->z_side >= 0)
            INDICATOR("warmer%s", suffix);
    }
    if (at->z_knee >= 0)
        INDICATOR("wall_hot");
    for (int i = 0; i < at->n_p_band; i++)
        INDICATOR("p_band%d", i + 1);
    if (at->z_p_limit >= 0)
        INDICATOR("p_high");
    for (int i = 0; i < at->n_T_band; i++)
        INDICATOR("T_band%d", i + 1);
    for (int i = 1; i < at->n_cell; i++)
        INDICATOR("link%d", i);
}

/* Declares that a row depends on all states of a cell. */
static void depends_on_cell(const layout *at, engine_list *list, wrsim_pattern pattern, int row,
                            int cell)
{
    if (cell >= 0 && cell < at->n_cell)
        engine_depends_row(list, pattern, row, x_of(at, cell, 0), at->x_per_cell);
}

/* Declares that a row depends on one signal of all ports of a side. */
static void depends_on_ports(engine_list *list, int row, int first, int n, int signal)
{
    for (int port = 0; port < n; port++)
        engine_depends(list, WRSIM_U_X, row, first + port * FLOW_COUNT + signal);
}

static void depends_on_throughflow(const double *p, const layout *at, engine_list *list, int row)
{
    if (at->wall != WALL_NONE && p[P_FILM_FLOW] > 0)
        for (int signal = FLOW_AIR; signal <= FLOW_FUEL; signal++)
            depends_on_ports(list, row, 0, at->n_in + at->n_out, signal);
}

static void declare_cell_patterns(const double *p, const layout *at, engine_list *list, int cell)
{
    const int has_links = at->n_cell > 1;
    for (int i = 0; i < at->x_per_cell; i++) {
        const int row = x_of(at, cell, i), is_T = i == at->n_species;
        if (has_links || is_T)
            for (int near = cell - has_links; near <= cell + has_links; near++)
                depends_on_cell(at, list, WRSIM_X_X, row, near);
        if (is_T && at->x_wall >= 0)
            engine_depends(list, WRSIM_X_X, row, at->x_wall);
        for (int signal = 0; signal < FLOW_COUNT; signal++) {
            const int is_mine = is_T                 ? 1
                                : signal == FLOW_H   ? 0
                                : at->n_species == 1 ? 1
                                : i == 0             ? signal == FLOW_AIR
                                                     : signal != FLOW_AIR;
            if (is_mine && cell == 0)
                depends_on_ports(list, row, 0, at->n_in, signal);
            if (is_mine && cell == at->n_cell - 1)
                depends_on_ports(list, row, at->u_out, at->n_out, signal);
        }
        if (is_T)
            depends_on_throughflow(p, at, list, row);
    }
}

static void declare_wall_patterns(const double *p, const layout *at, engine_list *list)
{
    if (at->x_wall >= 0) {
        engine_depends(list, WRSIM_X_X, at->x_wall, at->x_wall);
        for (int cell = 0; cell < at->n_cell; cell++)
            engine_depends(list, WRSIM_X_X, at->x_wall, x_of_T(at, cell));
        depends_on_throughflow(p, at, list, at->x_wall);
    }
    if (at->x_heat < 0)
        return;
    if (at->wall == WALL_STATE)
        engine_depends(list, WRSIM_X_X, at->x_heat, at->x_wall);
    if (at->wall == WALL_FIXED) {
        for (int cell = 0; cell < at->n_cell; cell++)
            engine_depends(list, WRSIM_X_X, at->x_heat, x_of_T(at, cell));
        depends_on_throughflow(p, at, list, at->x_heat);
    }
    if (!at->has_T) {
        engine_depends_row(list, WRSIM_U_X, at->x_heat, 0, at->n_u);
        for (int cell = 0; cell < at->n_cell && at->n_cell > 1; cell++)
            depends_on_cell(at, list, WRSIM_X_X, at->x_heat, cell);
    }
    depends_on_ports(list, at->x_fuel, 0, at->n_in + at->n_out, FLOW_FUEL);
    if (at->x_burned >= 0)
        depends_on_ports(list, at->x_burned, 0, at->n_in + at->n_out, FLOW_BURNED);
}

static void declare_output_patterns(const layout *at, engine_list *list)
{
    const int ends[2] = {0, at->n_cell - 1};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < GAS_COUNT; i++) {
            const int y = end * at->y_end + i, cell = ends[end];
            const int needs_T = at->has_T && i != GAS_BURNED;
            const int needs_mass = i == GAS_P || (i != GAS_T && at->n_species == 2);
            if (needs_mass)
                engine_depends_row(list, WRSIM_X_Y, y, x_of(at, cell, 0), at->n_species);
            if (needs_T)
                engine_depends(list, WRSIM_X_Y, y, x_of_T(at, cell));
        }
    for (int i = 0; i < at->n_species; i++)
        engine_depends(list, WRSIM_X_Y, at->y_air + i, i);
    engine_depends_not(list, WRSIM_U_Y);
    if (at->x_heat < 0)
        return;
    engine_depends_row(list, WRSIM_X_Y, at->y_energy, 0, at->n_cell * at->x_per_cell);
    if (at->x_wall >= 0)
        engine_depends(list, WRSIM_X_Y, at->y_energy, at->x_wall);
    engine_depends(list, WRSIM_X_Y, at->y_energy + 1, at->x_heat);
    engine_depends(list, WRSIM_X_Y, at->y_energy + 4, at->x_fuel);
    if (at->x_burned >= 0) {
        engine_depends(list, WRSIM_X_Y, at->y_energy + 2, at->x_fuel);
        engine_depends(list, WRSIM_X_Y, at->y_energy + 2, at->x_burned);
        engine_depends(list, WRSIM_X_Y, at->y_energy + 3, at->x_burned);
    } else {
        engine_depends(list, WRSIM_X_Y, at->y_energy + 3, at->x_fuel);
    }
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const double *const p = self->param;
    engine_list list = {.to = to};
    self->message = check_structure(p);
    if (self->message != NULL)
        return -1;
    const layout at = make_layout(p);
    to->data_bytes = sizeof(volume_data);
    declare_states(p, &at, &list);
    for (int i = 1; i <= at.n_in + at.n_out; i++) {
        char port[16];
        snprintf(port, sizeof port, "%s%d", i <= at.n_in ? "in" : "out",
                 i <= at.n_in ? i : i - at.n_in);
        const int first = engine_declare_flow_port(&list, port);
        engine_port(&list, first + FLOW_AIR, 2);   /* air and burned gas */
        engine_ports(&list, first + FLOW_FUEL, 2); /* fuel, which few sources have, and enthalpy */
    }
    engine_declare_gas(&list, WRSIM_OUTPUT, "", at.has_T ? x_of_T(&at, 0) : -1);
    engine_declare_gas(&list, WRSIM_OUTPUT, "end_", -1);
    engine_declare_rows(&list, mass_outputs, at.n_species);
    if (at.x_heat >= 0)
        ENGINE_DECLARE_ROWS(&list, balance_outputs);
    declare_indicators(&at, &list);
    for (int cell = 0; cell < at.n_cell; cell++)
        declare_cell_patterns(p, &at, &list, cell);
    declare_wall_patterns(p, &at, &list);
    if (!at.has_T && at.n_cell == 1)
        engine_depends_not(&list, WRSIM_X_X);
    declare_output_patterns(&at, &list);
    for (int cell = 0; cell < at.n_cell; cell++)
        for (int i = 0; i < at.z_per_cell; i++) {
            const int z = cell * at.z_per_cell + i;
            engine_depends(&list, WRSIM_X_Z, z, x_of_T(&at, cell));
            if (i == at.z_side && at.x_wall >= 0)
                engine_depends(&list, WRSIM_X_Z, z, at.x_wall);
        }
    if (at.z_knee >= 0)
        engine_depends(&list, WRSIM_X_Z, at.z_knee, at.x_wall);
    for (int i = 0; i < at.n_p_band; i++)
        depends_on_cell(&at, &list, WRSIM_X_Z, at.z_p_band + i, 0);
    if (at.z_p_limit >= 0)
        depends_on_cell(&at, &list, WRSIM_X_Z, at.z_p_limit, 0);
    for (int i = 0; i < at.n_T_band; i++)
        engine_depends(&list, WRSIM_X_Z, at.z_T_band + i, x_of_T(&at, 0));
    for (int i = 0; i + 1 < at.n_cell; i++) {
        depends_on_cell(&at, &list, WRSIM_X_Z, at.z_link + i, i);
        depends_on_cell(&at, &list, WRSIM_X_Z, at.z_link + i, i + 1);
    }
    if (at.n_z > 0)
        engine_depends_not(&list, WRSIM_U_Z);
    return list.status;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    volume_data *const data = (volume_data *)self->data;
    engine_gas_init(&data->gas);
    data->at = make_layout(self->param);
    data->per_cell_m3 = data->at.n_cell / self->param[P_VOLUME];
    data->film_w_k = self->param[P_FILM] * self->param[P_AREA] / data->at.n_cell;
    data->per_film_flow = self->param[P_FILM_FLOW] > 0 ? 1 / self->param[P_FILM_FLOW] : 0.0;
    for (int i = 0; i < MAX_BANDS; i++) {
        data->p_band[i] = self->param[P_P_BAND_FIRST] + i * self->param[P_P_BAND_STEP];
        data->T_band[i] = self->param[P_T_BAND_FIRST] + i * self->param[P_T_BAND_STEP];
    }
    return 0;
}

/* Gas of one cell: its states and the pressure. */
typedef struct cell_gas {
    engine_pair m; /* air and burned gas, kg */
    double mass, T;
    double mass_r; /* mass times gas constant, J/K */
    double p;
    int range;
} cell_gas;

static inline int get_cell(const wrsim_instance *self, const wrsim_point *point, int cell,
                           cell_gas *ret_gas)
{
    const volume_data *const data = data_of(self);
    const layout *const at = &data->at;
    const double *const x = point->x + x_of(at, cell, 0);
    cell_gas *const g = ret_gas;
    g->m = (engine_pair){x[0], at->n_species == 2 ? x[1] : 0.0};
    g->mass = engine_sum(g->m);
    if (at->has_T) {
        g->T = x[at->n_species];
        g->range = point->mode[cell * at->z_per_cell + at->z_range];
    } else {
        g->T = self->param[P_T_START];
        g->range = engine_gas_range(g->T);
    }
    g->mass_r = engine_sum(g->m * engine_gas_pair_R(&data->gas));
    g->p = g->mass_r * g->T * data->per_cell_m3;
    return !(g->mass > 0 && g->T > 0);
}

/* Returns the enthalpy of the mixture times its mass, J. */
static inline double total_h(const volume_data *data, const cell_gas *g)
{
    return engine_sum(g->m * engine_gas_pair_h(&data->gas, g->range, g->T));
}

static int refuse(wrsim_instance *self)
{
    self->message = "a volume needs positive mass and temperature: check start values and inputs";
    return 1;
}

/* Gain of a cell: mass per species, kg/s, and energy, W. */
typedef struct gain {
    engine_pair mass;
    double energy;
} gain;

/* The model declares a flow port as three input blocks: m_air and m_burned, m_fuel, H. */
enum { PART_MASSES, PART_FUEL, PART_H, PART_COUNT };

/* Writes the sums of the signals of n flow ports to a gain. Returns the mass flow through the ports, kg/s. */
static inline double sum_ports(const layout *at, const double *const *port, int n, gain *ret_sum)
{
    engine_pair air_burned = {0, 0}, fuel_h = {0, 0};
    for (const double *const *const end = port + n * PART_COUNT; port < end; port += PART_COUNT) {
        air_burned += (engine_pair){port[PART_MASSES][FLOW_AIR], port[PART_MASSES][FLOW_BURNED]};
        fuel_h += (engine_pair){*port[PART_FUEL], *port[PART_H]};
    }
    const double air = air_burned[0], other = air_burned[1] + fuel_h[0], mass = air + other;
    ret_sum->mass = at->n_species == 2 ? (engine_pair){air, other} : (engine_pair){mass, 0};
    ret_sum->energy = fuel_h[1];
    return mass;
}

/* Adds the flow between two adjacent cells to the gains of both cells. */
static void add_link(const wrsim_instance *self, int is_forward, const cell_gas *a,
                     const cell_gas *b, gain *to_a, gain *to_b)
{
    const volume_data *const data = data_of(self);
    const double flow = (a->p - b->p) * data->at.n_cell / self->param[P_RESISTANCE];
    const cell_gas *const up = is_forward ? a : b;
    /* share of the upstream cell's mass that flows per second, 1/s */
    const double share = flow / up->mass;
    const engine_pair mass = up->m * engine_both(share);
    const double energy = total_h(data, up) * share;
    to_a->mass -= mass;
    to_b->mass += mass;
    to_a->energy -= energy;
    to_b->energy += energy;
}

static double smooth_abs(double flow) { return sqrt(flow * flow + flow_rounding * flow_rounding); }

/* Returns the film coefficient times area of one cell, without the factors that differ between cells, W/K. in and out: mass flows through
 * the ports, kg/s. */
static inline double film_of_flow(const wrsim_instance *self, double in, double out)
{
    const volume_data *const data = data_of(self);
    if (!(data->per_film_flow > 0))
        return data->film_w_k;
    /* exponent 0.8: turbulent pipe flow (F. W. Dittus, L. M. K. Boelter, "Heat transfer in automobile radiators of the tubular type",
     * 1930) */
    const double magnitude = 0.5 * (smooth_abs(in) + smooth_abs(out));
    return data->film_w_k *
           engine_power_08(magnitude * data->per_film_flow + self->param[P_FILM_FLOOR]);
}

/* Returns the heat flow from a cell to the wall, W. */
static inline double heat_to_wall(const wrsim_instance *self, const wrsim_point *point, double film,
                                  int cell, double T)
{
    const double *const p = self->param;
    const layout *const at = &data_of(self)->at;
    const unsigned char *const mode = point->mode + cell * at->z_per_cell;
    const double T_wall = at->x_wall >= 0 ? point->x[at->x_wall] : p[P_T_WALL];
    if (at->z_table >= 0)
        film *= engine_table(film_T, film_value, N_TABLE, mode + at->z_table, T);
    if (at->z_side >= 0 && !mode[at->z_side])
        film *= p[P_COLD_FILM];
    return film * (T - T_wall);
}

/* Returns the heat flow from the wall to its coolant, W. */
static double cooling(const wrsim_instance *self, const wrsim_point *point)
{
    const double *const p = self->param;
    const layout *const at = &data_of(self)->at;
    const double T_wall = point->x[at->x_wall];
    double conductance = p[P_COOLING];
    if (at->z_knee >= 0 && point->mode[at->z_knee])
        conductance += p[P_COOLING_RISE] * (T_wall - p[P_COOLING_KNEE]);
    return conductance * (T_wall - p[P_T_COOLANT]);
}

/* Writes the derivatives of one cell. Returns the heat flow out of an isothermal cell that keeps T constant, W, else 0. */
static inline double cell_rates(const volume_data *data, const cell_gas *g, const gain *in,
                                double heat, double *ret_dx)
{
    const engine_gas *const gas = &data->gas;
    const engine_pair u =
        engine_gas_pair_h(gas, g->range, g->T) - engine_gas_pair_R(gas) * engine_both(g->T);
    const double rest = in->energy - heat - engine_sum(in->mass * u);
    ret_dx[0] = in->mass[0];
    if (data->at.n_species == 2)
        ret_dx[1] = in->mass[1];
    if (!data->at.has_T)
        return rest;
    ret_dx[data->at.n_species] = rest / engine_sum(g->m * engine_gas_pair_cv(gas, g->range, g->T));
    return 0;
}

/* Writes the rates of the balance sums. Returns 0. */
static int balance_rates(const wrsim_instance *self, const wrsim_point *point, double heat_out,
                         double *ret_dx)
{
    const layout *const at = &data_of(self)->at;
    double fuel = 0, burned = 0;
    for (int port = 0; port < at->n_in + at->n_out; port++) {
        const double sign = port < at->n_in ? 1 : -1;
        fuel += sign * *point->port[port * PART_COUNT + PART_FUEL];
        burned += sign * point->port[port * PART_COUNT + PART_MASSES][FLOW_BURNED];
    }
    ret_dx[at->x_heat] = heat_out;
    ret_dx[at->x_fuel] = fuel;
    if (at->x_burned >= 0)
        ret_dx[at->x_burned] = burned;
    return 0;
}

/* Computes the right-hand side for n_cell cells. g[n_cell] and in[n_cell] are work arrays. */
static inline int rates(wrsim_instance *self, const wrsim_point *point, int n_cell, cell_gas *g,
                        gain *in, double *ret_dx)
{
    const volume_data *const data = data_of(self);
    const layout *const at = &data->at;
    gain out;
    for (int cell = 0; cell < n_cell; cell++) {
        in[cell] = (gain){0};
        if (get_cell(self, point, cell, &g[cell]) != 0)
            return refuse(self);
    }
    const double flow_in = sum_ports(at, point->port, at->n_in, &in[0]);
    const double flow_out = sum_ports(at, point->port + at->n_in * PART_COUNT, at->n_out, &out);
    in[n_cell - 1].mass -= out.mass;
    in[n_cell - 1].energy -= out.energy;
    for (int i = 0; i + 1 < n_cell; i++)
        add_link(self, point->mode[at->z_link + i], &g[i], &g[i + 1], &in[i], &in[i + 1]);

    const double film = at->wall != WALL_NONE ? film_of_flow(self, flow_in, flow_out) : 0.0;
    double to_wall = 0, kept = 0;
    for (int cell = 0; cell < n_cell; cell++) {
        const double heat =
            at->wall != WALL_NONE ? heat_to_wall(self, point, film, cell, g[cell].T) : 0.0;
        to_wall += heat;
        kept += cell_rates(data, &g[cell], &in[cell], heat, ret_dx + x_of(at, cell, 0));
    }
    double heat_out = to_wall + kept;
    if (at->x_wall >= 0) {
        heat_out = cooling(self, point);
        ret_dx[at->x_wall] = (to_wall - heat_out) / self->param[P_WALL_CAPACITY];
    }
    return at->x_heat >= 0 ? balance_rates(self, point, heat_out, ret_dx) : 0;
}

static int chain_rates(wrsim_instance *self, const wrsim_point *point, double *ret_dx)
{
    const int n_cell = data_of(self)->at.n_cell;
    assert(n_cell >= 1 && n_cell <= MAX_CELLS);
    cell_gas g[MAX_CELLS];
    gain in[MAX_CELLS];
    return rates(self, point, n_cell, g, in, ret_dx);
}

/* Computes the derivatives. Most volumes have one cell. For one cell the compiler removes the loops and arrays of this instance of
 * rates(). */
static int rhs(wrsim_instance *self, const wrsim_point *point, double *ret_dx)
{
    if (data_of(self)->at.n_cell > 1)
        return chain_rates(self, point, ret_dx);
    cell_gas g;
    gain in;
    return rates(self, point, 1, &g, &in, ret_dx);
}

static inline void put_gas(const volume_data *data, const cell_gas *g, double *ret_y)
{
    const double per_kg = 1 / g->mass;
    ret_y[GAS_P] = g->p;
    ret_y[GAS_RT] = g->mass_r * g->T * per_kg;
    ret_y[GAS_T] = g->T;
    ret_y[GAS_BURNED] = g->m[1] * per_kg;
    ret_y[GAS_H] = total_h(data, g) * per_kg;
}

static int balance_output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const layout *const at = &data_of(self)->at;
    const double fuel = point->x[at->x_fuel];
    const double burned = at->x_burned >= 0 ? point->x[at->x_burned] : 0.0;
    double *const y = ret_y + at->y_energy;
    y[1] = point->x[at->x_heat];
    y[2] = at->n_species == 1 ? -fuel - burned : 0.0;
    y[3] = at->n_species == 1 ? burned : -fuel;
    y[4] = fuel;
    /* The enthalpy is zero at 298.15 K, so the gas has the energy -R T per kilogram at this temperature. */
    double energy = 0;
    for (int cell = 0; cell < at->n_cell; cell++) {
        cell_gas g;
        if (get_cell(self, point, cell, &g) != 0)
            return refuse(self);
        energy += total_h(data_of(self), &g) - g.mass_r * g.T;
    }
    if (at->x_wall >= 0)
        energy += self->param[P_WALL_CAPACITY] * (point->x[at->x_wall] - ENGINE_GAS_T_ZERO_K);
    y[0] = energy;
    return 0;
}

/* Writes the outputs of the last cell of a chain, and of the balance. */
static int chain_output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const layout *const at = &data_of(self)->at;
    cell_gas g;
    if (get_cell(self, point, at->n_cell - 1, &g) != 0)
        return refuse(self);
    put_gas(data_of(self), &g, ret_y + GAS_COUNT);
    return at->x_heat < 0 ? 0 : balance_output(self, point, ret_y);
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const volume_data *const data = data_of(self);
    const layout *const at = &data->at;
    cell_gas g;
    if (get_cell(self, point, 0, &g) != 0)
        return refuse(self);
    put_gas(data, &g, ret_y);
    if (at->n_cell > 1)
        return chain_output(self, point, ret_y);
    memcpy(ret_y + GAS_COUNT, ret_y, GAS_COUNT * sizeof *ret_y);
    return at->x_heat < 0 ? 0 : balance_output(self, point, ret_y);
}

/* Writes the indicators of one cell. */
static inline void cell_indicators(const wrsim_instance *self, const wrsim_point *point, double T,
                                   double *ret_z)
{
    const layout *const at = &data_of(self)->at;
    if (at->z_range >= 0)
        ret_z[at->z_range] = (T - ENGINE_GAS_T_RANGE_K) * per_kelvin;
    if (at->z_table >= 0)
        engine_marks(film_T + 1, N_TABLE, T, per_kelvin, ret_z + at->z_table);
    if (at->z_side >= 0)
        ret_z[at->z_side] =
            (T - (at->x_wall >= 0 ? point->x[at->x_wall] : self->param[P_T_WALL])) * per_kelvin;
}

/* Writes the indicators of the second and further cells, and of the links between all cells. */
static int chain_indicators(wrsim_instance *self, const wrsim_point *point, const cell_gas *first,
                            double *ret_z)
{
    const layout *const at = &data_of(self)->at;
    cell_gas before = *first, g;
    for (int cell = 1; cell < at->n_cell; cell++) {
        if (get_cell(self, point, cell, &g) != 0)
            return refuse(self);
        cell_indicators(self, point, g.T, ret_z + cell * at->z_per_cell);
        ret_z[at->z_link + cell - 1] = (before.p - g.p) * per_pascal;
        before = g;
    }
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *point, double *ret_z)
{
    const double *const p = self->param;
    const volume_data *const data = data_of(self);
    const layout *const at = &data->at;
    cell_gas g;
    if (get_cell(self, point, 0, &g) != 0)
        return refuse(self);
    cell_indicators(self, point, g.T, ret_z);
    if (at->z_knee >= 0)
        ret_z[at->z_knee] = (point->x[at->x_wall] - p[P_COOLING_KNEE]) * per_kelvin;
    engine_marks(data->p_band, at->n_p_band, g.p, per_pascal, ret_z + at->z_p_band);
    if (at->z_p_limit >= 0)
        ret_z[at->z_p_limit] = (g.p - p[P_P_LIMIT]) * per_pascal;
    engine_marks(data->T_band, at->n_T_band, g.T, per_kelvin, ret_z + at->z_T_band);
    return at->n_cell > 1 ? chain_indicators(self, point, &g, ret_z) : 0;
}

const wrsim_model engine_volume_model = {
    WR_MODEL("engine.volume", "Volume of air and burned gas with ports and a wall", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
    .indicator = indicator,
};
