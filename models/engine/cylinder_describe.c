/* Declarations of the cylinder: parameters, variables, indicators and incidence patterns.
 *
 * tests/unit/models/test_engine_cylinder.c compares the patterns with the equations by perturbation.
 *
 * Thread: one at a time per instance. Real-time: no (setup).
 */
#include <stdio.h>

#include "models/describe.h"
#include "models/engine/cylinder_variables.h"

/* Sources of the values: models/engine/readme.md, unless a row has another source. */
const wrsim_variable cyl_params[CYL_PARAM_COUNT] = {
    ENGINE_FLOW_PARAMS,
    [CYL_P_SOI] = WR_PARAM("soi_pilot", "deg", 158, 91, 249,
                           "start of the pilot injection (180 = firing TDC)"),
    WR_PARAM("soi_main", "deg", 177, 91, 249, "start of the main injection"),
    WR_PARAM("soi_post", "deg", 205, 91, 249, "start of the post injection"),
    [CYL_P_DURATION] =
        WR_PARAM("duration_pilot", "s", 0.28e-3, 1e-6, 0.1,
                 "duration of the pilot injection, from start of opening to end of closing"),
    WR_PARAM("duration_main", "s", 0.95e-3, 1e-6, 0.1,
             "duration of the main injection, from start of opening to end of closing"),
    WR_PARAM("duration_post", "s", 0.25e-3, 1e-6, 0.1,
             "duration of the post injection, from start of opening to end of closing"),
    [CYL_P_RAMP] = WR_PARAM("needle_ramp", "s", 0.12e-3, 1e-7, 0.1,
                            "needle opening and closing time, each at most half a duration"),
    [CYL_P_NOZZLE] =
        WR_PARAM("nozzle_area", "m2", 0.080e-6, 0, 1e-3, "effective area of all nozzle holes"),
    [CYL_P_RAIL] =
        WR_PARAM("rail_pressure", "Pa", 1100e5, 400e5, 5000e5, "fuel pressure in the common rail"),
    [CYL_P_DENSITY] =
        WR_PARAM("fuel_density", "kg/m3", 830, 100, 2000, "density of liquid diesel fuel (EN 590)"),
    [CYL_P_BACK_PRESSURE] = WR_PARAM("back_pressure", "Pa", 60e5, 0, 300e5,
                                     "cylinder pressure at which the nominal masses are injected"),
    [CYL_P_BURN] = WR_PARAM("burn_pilot", "deg", 10, 1, 180, "burn duration of the pilot (Wiebe)"),
    WR_PARAM("burn_main", "deg", 48, 1, 180, "burn duration of the main injection (Wiebe)"),
    WR_PARAM("burn_post", "deg", 22, 1, 180, "burn duration of the post injection (Wiebe)"),
    [CYL_P_FORM] = WR_PARAM("form_pilot", "1", 2.0, 0, 10, "form factor m of the pilot (Wiebe)"),
    WR_PARAM("form_main", "1", 1.1, 0, 10, "form factor m of the main injection (Wiebe)"),
    WR_PARAM("form_post", "1", 1.5, 0, 10, "form factor m of the post injection (Wiebe)"),
    [CYL_P_LHV] = WR_PARAM(
        "heating_value", "J/kg", 42.8e6, 0, 2e8,
        "lower heating value of the fuel vapour at 298 K (diesel fuel: Heywood, table D.4)"),
    [CYL_P_AFR] = WR_PARAM("air_fuel_ratio", "1", 14.6, 1, 40,
                           "stoichiometric air/fuel ratio by mass (Heywood, table D.4)"),
    [CYL_P_VAPORISATION] =
        WR_PARAM("vaporisation_heat", "J/kg", 3.0e5, 0, 3e6, "heat of vaporisation of the fuel"),
    [CYL_P_LINER] = WR_PARAM("liner_temperature", "K", 400, 200, 900,
                             "temperature of the liner's inner wall, constant"),
    [CYL_P_COOLANT] = WR_PARAM("coolant_temperature", "K", 365, 200, 600,
                               "temperature of the coolant in the head"),
    [CYL_P_OIL] = WR_PARAM("oil_temperature", "K", 385, 200, 600,
                           "temperature of the oil that cools the piston"),
    [CYL_P_HEAD_MASS] = WR_PARAM("head_mass", "kg", 0.9, 1e-6, 1e3,
                                 "mass of the head that takes part in heat exchange"),
    [CYL_P_HEAD_CP] = WR_PARAM("head_heat_capacity", "J/(kg K)", 460, 1, 1e4,
                               "specific heat of the head (cast iron)"),
    [CYL_P_HEAD_CONDUCTIVITY] =
        WR_PARAM("head_conductivity", "W/(m K)", 45, 1e-3, 1e3,
                 "conductivity of the head (cast iron); used with zones > 1"),
    [CYL_P_HEAD_THICKNESS] =
        WR_PARAM("head_thickness", "m", 0.012, 1e-5, 1,
                 "wall thickness of the head, gas to coolant; used with zones > 1"),
    [CYL_P_PISTON_MASS] = WR_PARAM("piston_mass", "kg", 0.55, 1e-6, 1e3, "piston"),
    [CYL_P_PISTON_CP] = WR_PARAM("piston_heat_capacity", "J/(kg K)", 900, 1, 1e4,
                                 "specific heat of the piston (aluminium-silicon alloy)"),
    [CYL_P_PISTON_CONDUCTIVITY] =
        WR_PARAM("piston_conductivity", "W/(m K)", 150, 1e-3, 1e3,
                 "conductivity of the piston (aluminium-silicon alloy); used with zones > 1"),
    [CYL_P_PISTON_THICKNESS] =
        WR_PARAM("piston_thickness", "m", 0.012, 1e-5, 1,
                 "wall thickness of the piston, gas to oil; used with zones > 1"),
    [CYL_P_BLOW_BY_AREA] =
        WR_PARAM("blow_by_area", "m2", 0.6e-6, 0, 1e-3, "effective area of the ring gaps"),
    [CYL_P_BLOW_BY_PRESSURE] =
        WR_PARAM("blow_by_pressure", "Pa", 1.02e5, 1e3, 1e7, "pressure behind the rings"),
    [CYL_P_ZONES] =
        WR_INTEGER("zones", "1", 1, 1, 64,
                   "number of conducting layers in head and piston: adds 2 (zones - 1) states"),
    [CYL_P_BALANCE] = WR_INTEGER("balance", "1", 0, 0, 1,
                                 "1: add sums of all flows of mass and energy as states"),
};

/* Start values: fresh charge just after intake closing, warm engine. */
static const wrsim_variable states[CYL_X_COUNT] = {
    [CYL_X_AIR] = WR_VALUE("m_air", "kg", 7.2e-4, 5e-4, "air in the cylinder"),
    [CYL_X_FUEL] = WR_VALUE("m_fuel", "kg", 0, 2e-5, "fuel vapour in the cylinder"),
    [CYL_X_BURNED] = WR_VALUE("m_burned", "kg", 5.5e-5, 5e-4, "burned gas in the cylinder"),
    [CYL_X_T] = WR_VALUE("T", "K", 390, 800, "gas temperature"),
    [CYL_X_HEAD] = WR_VALUE("T_head", "K", 451, 400, "temperature of the head on the gas side"),
    [CYL_X_PISTON] =
        WR_VALUE("T_piston", "K", 481, 400, "temperature of the piston on the gas side"),
    [CYL_X_LIQUID] = WR_VALUE("m_liquid", "kg", 0, 1e-5, "liquid fuel"),
    [CYL_X_BURN] =
        WR_VALUE("x_burn", "1", 0, 1, "fuel burned in this cycle over the nominal injected mass"),
    [CYL_X_IGNITION] = WR_VALUE("ignition", "1", 0, 1, "ignition delay integral"),
    [CYL_X_WORK] = WR_VALUE("W_ind", "J", 0, 500, "work on the piston in this cycle"),
    [CYL_X_LOSS] = WR_VALUE("Q_loss", "J", 0, 300, "heat to the walls in this cycle"),
    [CYL_X_IN] = WR_VALUE("m_in", "kg", 0, 5e-4, "mass through the intake valves in this cycle"),
    [CYL_X_K] = WR_VALUE("k_turb", "m2/s2", 60, 200, "turbulent kinetic energy"),
    [CYL_X_NOX] = WR_VALUE("NOx", "mg", 0, 1, "NO formed in this cycle"),
    [CYL_X_SOOT] = WR_VALUE("soot", "mg", 0, 0.1, "soot formed and not oxidised in this cycle"),
};

#define SUM_MASS(name, text) WR_SIGNAL(name, "kg", 5e-4, text)
#define SUM_FUEL(name, text) WR_SIGNAL(name, "kg", 2e-5, text)
#define SUM_ENERGY(name, text) WR_SIGNAL(name, "J", 500, text)

static const wrsim_variable sums[CYL_S_COUNT] = {
    [CYL_S_IN_AIR] = SUM_MASS("sum_air_in", "air through the intake"),
    [CYL_S_IN_BURNED] = SUM_MASS("sum_burned_in", "burned gas through the intake"),
    [CYL_S_IN_FUEL] = SUM_FUEL("sum_fuel_in", "fuel vapour through the intake (<= 0)"),
    [CYL_S_IN_H] = SUM_ENERGY("sum_enthalpy_in", "enthalpy through the intake"),
    [CYL_S_OUT_AIR] = SUM_MASS("sum_air_out", "air through the exhaust"),
    [CYL_S_OUT_BURNED] = SUM_MASS("sum_burned_out", "burned gas through the exhaust"),
    [CYL_S_OUT_FUEL] = SUM_FUEL("sum_fuel_out", "fuel vapour through the exhaust"),
    [CYL_S_OUT_H] = SUM_ENERGY("sum_enthalpy_out", "enthalpy through the exhaust"),
    [CYL_S_BLOW_BY_AIR] = SUM_FUEL("sum_air_blow_by", "air past the rings"),
    [CYL_S_BLOW_BY_BURNED] = SUM_FUEL("sum_burned_blow_by", "burned gas past the rings"),
    [CYL_S_BLOW_BY_FUEL] = SUM_FUEL("sum_fuel_blow_by", "fuel vapour past the rings"),
    [CYL_S_BLOW_BY_H] = SUM_ENERGY("sum_enthalpy_blow_by", "enthalpy past the rings"),
    [CYL_S_INJECTED] = SUM_FUEL("sum_fuel_injected", "liquid fuel injected"),
    [CYL_S_EVAPORATED] = SUM_FUEL("sum_fuel_evaporated", "fuel evaporated"),
    [CYL_S_FUEL_BURNED] = SUM_FUEL("sum_fuel_burned", "fuel burned"),
    [CYL_S_HEAT_RELEASED] = SUM_ENERGY("sum_heat_released", "chemical energy released"),
    [CYL_S_HEAT_WALL] = SUM_ENERGY("sum_heat_wall", "heat from gas to walls"),
    [CYL_S_WORK] = SUM_ENERGY("sum_work", "work p dV of the gas"),
    [CYL_S_EVAPORATION] = SUM_ENERGY("sum_evaporation", "energy of evaporated fuel"),
    [CYL_S_HEAT_COOLANT] = SUM_ENERGY("sum_heat_coolant", "heat to coolant and oil"),
    [CYL_S_HEAT_LINER] = SUM_ENERGY("sum_heat_liner", "heat to the liner"),
};

static const wrsim_variable inputs[CYL_U_COUNT] = {
    [CYL_U_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [CYL_U_OMEGA] = WR_REQUIRED("omega", "rad/s", 261.8, "crank speed"),
    [CYL_U_INTAKE] = WR_REQUIRED("im_m_air", "kg", 5e-3, "air in the intake manifold"),
    WR_REQUIRED("im_m_burned", "kg", 1e-3, "burned gas in the intake manifold"),
    WR_REQUIRED("im_T", "K", 350, "temperature of the intake manifold"),
    [CYL_U_EXHAUST] = WR_REQUIRED("em_m_air", "kg", 1e-3, "air in the exhaust manifold"),
    WR_REQUIRED("em_m_burned", "kg", 1e-3, "burned gas in the exhaust manifold"),
    WR_REQUIRED("em_T", "K", 900, "temperature of the exhaust manifold"),
    [CYL_U_FUEL] = WR_VALUE("fuel_factor", "1", 1, 1,
                            "factor on the injected mass; sampled at the start of the pilot "
                            "injection for a whole cycle"),
};

static const wrsim_variable outputs[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR] =
        WR_STATE_OUTPUT("m_air", "kg", 5e-4, CYL_X_AIR, "air in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_FUEL] =
        WR_STATE_OUTPUT("m_fuel", "kg", 2e-5, CYL_X_FUEL, "fuel vapour in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_BURNED] =
        WR_STATE_OUTPUT("m_burned", "kg", 5e-4, CYL_X_BURNED, "burned gas in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_T] = WR_STATE_OUTPUT("T", "K", 800, CYL_X_T, "gas temperature"),
    [CYL_Y_P] = WR_SIGNAL("p", "Pa", 1e6, "cylinder pressure"),
    [CYL_Y_V] = WR_SIGNAL("V", "m3", 5e-4, "cylinder volume"),
    [CYL_Y_PHI] = WR_SIGNAL("phi", "deg", 360, "crank angle in the cycle (180 = firing TDC)",
                            .flags = WRSIM_DISCONTINUOUS),
    [CYL_Y_TORQUE] = WR_SIGNAL("torque", "N m", 200, "torque of the gas on the crank"),
    [CYL_Y_BURN] =
        WR_SIGNAL("burn_rate", "kg/s", 1e-2, "fuel burned per time", .flags = WRSIM_DISCONTINUOUS),
    [CYL_Y_INJECTION] = WR_SIGNAL("injection_rate", "kg/s", 3e-2, "fuel injected per time"),
    [CYL_Y_ENERGY] = WR_SIGNAL("energy", "J", 500,
                               "energy of gas, fuel (chemical included), head and piston; zero for "
                               "gas at 298.15 K, walls at 0 K"),
};

static const wrsim_variable discretes[CYL_D_COUNT] = {
    [CYL_D_CYCLE] = WR_SIGNAL("cycle", "1", 0, "number of cycles begun"),
    [CYL_D_NEEDLE] =
        WR_SIGNAL("needle_pilot", "1", 0,
                  "needle of the pilot injection: 0 shut, 1 opening, 2 open, 3 closing"),
    WR_SIGNAL("needle_main", "1", 0, "needle of the main injection, values as needle_pilot"),
    WR_SIGNAL("needle_post", "1", 0, "needle of the post injection, values as needle_pilot"),
    [CYL_D_SOI_TIME] =
        WR_SIGNAL("soi_time_pilot", "s", 0, "start time of the last pilot injection"),
    WR_SIGNAL("soi_time_main", "s", 0, "start time of the last main injection"),
    WR_SIGNAL("soi_time_post", "s", 0, "start time of the last post injection"),
    [CYL_D_BURN] = WR_SIGNAL("burn_phase_pilot", "1", 0,
                             "pilot fuel: 0 not burning, 1 waiting for ignition, 2 burning"),
    WR_SIGNAL("burn_phase_main", "1", 0, "main fuel, values as burn_phase_pilot"),
    WR_SIGNAL("burn_phase_post", "1", 0, "post fuel, values as burn_phase_pilot"),
    [CYL_D_BURN_START] =
        WR_SIGNAL("burn_start_pilot", "deg", 0, "angle at which the pilot fuel ignited"),
    WR_SIGNAL("burn_start_main", "deg", 0, "angle at which the main fuel ignited"),
    WR_SIGNAL("burn_start_post", "deg", 0, "angle at which the post fuel ignited"),
    [CYL_D_P_IVC] = WR_VALUE("p_ivc", "Pa", 1.6e5, 0, "pressure at intake closing"),
    [CYL_D_V_IVC] = WR_VALUE("V_ivc", "m3", 5e-4, 0, "volume at intake closing"),
    [CYL_D_T_IVC] = WR_VALUE("T_ivc", "K", 380, 0, "temperature at intake closing"),
    [CYL_D_INTAKE_OPEN] = WR_SIGNAL("intake_is_open", "1", 0, "1 while the intake valves are open"),
    [CYL_D_EXHAUST_OPEN] =
        WR_SIGNAL("exhaust_is_open", "1", 0, "1 while the exhaust valves are open"),
    [CYL_D_COMBUSTION] = WR_SIGNAL("is_burning", "1", 0, "1 while fuel burns"),
    [CYL_D_FUEL] = WR_VALUE("fuel", "1", 1, 0, "fuel_factor of this cycle"),
};

/* Columns of X patterns: air fuel burned T head piston | liquid x_burn ignition work loss in k NOx
 * soot. Columns of U patterns: theta omega | im: air burned T | em: air burned T | fuel_factor. */
/* clang-format off */
static const char *const x_x[CYL_X_COUNT] = {
    [CYL_X_AIR]      = "XXXX........X..",
    [CYL_X_FUEL]     = "XXXX..X.....X..",
    [CYL_X_BURNED]   = "XXXX........X..",
    [CYL_X_T]        = "XXXXXXX.....X..",
    [CYL_X_HEAD]     = "XXXXX..........",
    [CYL_X_PISTON]   = "XXXX.X.........",
    [CYL_X_LIQUID]   = "XXXX..X........",
    [CYL_X_BURN]     = ".X..........X..",
    [CYL_X_IGNITION] = "XXXX...........",
    [CYL_X_WORK]     = "XXXX...........",
    [CYL_X_LOSS]     = "XXXXXX.........",
    [CYL_X_IN]       = "XXXX...........",
    [CYL_X_K]        = "XXXX........X..",
    [CYL_X_NOX]      = "XXXX...........",
    [CYL_X_SOOT]     = "XXXX........X.X",
};
static const char *const u_x[CYL_X_COUNT] = {
    [CYL_X_AIR]      = "XXXXXXXX.",
    [CYL_X_FUEL]     = "XXXXXXXX.",
    [CYL_X_BURNED]   = "XXXXXXXX.",
    [CYL_X_T]        = "XXXXXXXX.",
    [CYL_X_HEAD]     = "XX.......",
    [CYL_X_PISTON]   = "XX.......",
    [CYL_X_LIQUID]   = "X........",
    [CYL_X_BURN]     = "XX.......",
    [CYL_X_IGNITION] = "X........",
    [CYL_X_WORK]     = "XX.......",
    [CYL_X_LOSS]     = "XX.......",
    [CYL_X_IN]       = "X.XXX....",
    [CYL_X_K]        = "XXXXX....",
    [CYL_X_NOX]      = ".........",
    [CYL_X_SOOT]     = "XX.......",
};
/* clang-format on */
/* Rows of the sums. */
static const struct {
    const char *x, *u;
    /* clang-format off */
} sum_pattern[CYL_S_COUNT] = {
    [CYL_S_IN_AIR]             = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_BURNED]          = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_FUEL]            = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_H]               = {"XXXX...........", "X.XXX...."},
    [CYL_S_OUT_AIR]            = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_BURNED]         = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_FUEL]           = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_H]              = {"XXXX...........", "X....XXX."},
    [CYL_S_BLOW_BY_AIR]        = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_BURNED]     = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_FUEL]       = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_H]          = {"XXXX...........", "X........"},
    [CYL_S_INJECTED]           = {"XXXX...........", "X........"},
    [CYL_S_EVAPORATED]         = {"...X..X........", "........."},
    [CYL_S_FUEL_BURNED]        = {".X..........X..", "XX......."},
    [CYL_S_HEAT_RELEASED]      = {".X..........X..", "XX......."},
    [CYL_S_HEAT_WALL]          = {"XXXXXX.........", "XX......."},
    [CYL_S_WORK]               = {"XXXX...........", "XX......."},
    [CYL_S_EVAPORATION]        = {"...X..X........", "........."},
    [CYL_S_HEAT_COOLANT]       = {"....XX.........", "........."},
    [CYL_S_HEAT_LINER]         = {"XXXX...........", "XX......."},
};
static const char *const x_y[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR]    = "X..............",
    [CYL_Y_GAS + ENGINE_CYL_FUEL]   = ".X.............",
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = "..X............",
    [CYL_Y_GAS + ENGINE_CYL_T]      = "...X...........",
    [CYL_Y_P]                       = "XXXX...........",
    [CYL_Y_V]                       = "...............",
    [CYL_Y_PHI]                     = "...............",
    [CYL_Y_TORQUE]                  = "XXXX...........",
    [CYL_Y_BURN]                    = ".X..........X..",
    [CYL_Y_INJECTION]               = "XXXX...........",
    [CYL_Y_ENERGY]                  = "XXXXXXX........",
};
static const char *const u_y[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR]    = ".........",
    [CYL_Y_GAS + ENGINE_CYL_FUEL]   = ".........",
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = ".........",
    [CYL_Y_GAS + ENGINE_CYL_T]      = ".........",
    [CYL_Y_P]                       = "X........",
    [CYL_Y_V]                       = "X........",
    [CYL_Y_PHI]                     = "X........",
    [CYL_Y_TORQUE]                  = "X........",
    [CYL_Y_BURN]                    = "XX.......",
    [CYL_Y_INJECTION]               = "X........",
    [CYL_Y_ENERGY]                  = ".........",
};
/* clang-format on */

/* Groups of indicators in order: their number, and the states and inputs on which they depend. */
static const struct {
    const char *name, *description;
    int n;
    const char *x, *u;
} indicators[] = {
    {"cycle_end", "phi passes 720 degrees, or -60 backwards", 1, "...............", "X........"},
    {"intake_opens", "phi passes intake_open", 1, "...............", "X........"},
    {"intake_closes", "phi passes intake_close - 720", 1, "...............", "X........"},
    {"exhaust_opens", "phi passes exhaust_open", 1, "...............", "X........"},
    {"exhaust_closes", "phi passes exhaust_close", 1, "...............", "X........"},
    {"injection", "phi passes soi (pilot, main, post)", 3, "...............", "X........"},
    {"needle", "needle fully open, closing, shut (pilot, main, post)", 9, "...............",
     "........."},
    {"ignition", "delay integral reaches 1 (pilot, main, post)", 3, "........X......", "........."},
    {"burn_end", "end of the Wiebe function (pilot, main, post)", 3, "...............",
     "X........"},
    {"mixing", "burning limited by mixing", 1, ".X..........X..", "XX......."},
    {"liquid", "liquid fuel above 1e-8 kg", 1, "......X........", "........."},
    {"oxygen", "air fraction above 5 %", 1, "XXX............", "........."},
    {"intake_flow", "intake: into the cylinder, not laminar, choked", 3, "XXXX...........",
     "X.XXX...."},
    {"exhaust_flow", "exhaust: out of the cylinder, not laminar, choked", 3, "XXXX...........",
     "X....XXX."},
    {"blow_by", "past the rings: out, not laminar, choked", 3, "XXXX...........", "X........"},
    {"intake_lift", "lift ratio passes a break of the discharge table", 5, "...............",
     "X........"},
    {"exhaust_lift", "lift ratio passes a break of the discharge table", 5, "...............",
     "X........"},
    {"intake_throat", "throat instead of curtain limits the intake area", 1, "...............",
     "X........"},
    {"exhaust_throat", "throat instead of curtain limits the exhaust area", 1, "...............",
     "X........"},
    {"hot_range", "T above 1000 K: range of gas properties", 1, "...X...........", "........."},
    {"combustion_pressure", "p above the motored pressure", 1, "XXXX...........", "X........"},
    {"hotter_than_head", "T above T_head", 1, "...XX..........", "........."},
    {"hotter_than_piston", "T above T_piston", 1, "...X.X.........", "........."},
    {"hotter_than_liner", "T above the liner temperature", 1, "...X...........", "........."},
    {"conductivity", "T passes a break of the conductivity table", 4, "...X...........",
     "........."},
    {"nox", "burned zone above 1800 K", 1, "XXXX...........", "........."},
    {"dissociation", "burned zone above 2400 K", 1, "XXXX...........", "........."},
    {"soot_oxidation", "T above 1300 K", 1, "...X...........", "........."},
    {"burned_share", "10, 50, 90 % of the fuel burned", 3, ".......X.......", "........."},
    {"peak_pressure", "p above 150, 100 bar", 2, "XXXX...........", "X........"},
    {"squish", "phi passes 160, 200, 500, 580 degrees", 4, "...............", "X........"},
    {"dead_centre", "phi passes 180, 360, 540 degrees", 3, "...............", "X........"},
    {"half_way", "phi passes 90 degrees: the motored pressure is computed from here on", 1,
     "...............", "X........"},
    {"turbulence", "k_turb above 20 m2/s2", 1, "............X..", "........."},
    {"cavitation", "rail over cylinder pressure above 12", 1, "XXXX...........", "X........"},
    {"head_hot", "head on the coolant side above 450 K", 1, "....X..........", "........."},
    {"piston_hot", "piston on the oil side above 480 K", 1, ".....X.........", "........."},
    {"air_rich", "more air than burned gas", 1, "X.X............", "........."},
    {"diluted", "burned fraction above one half", 1, "XXX............", "........."},
    {"pressure", "p above 4 bar", 1, "XXXX...........", "X........"},
    {"warm", "T above 600 K: evaporation without vapour-pressure limit", 1, "...X...........",
     "........."},
};

static const char *layer_name(int wall, int layer, char *buffer, size_t bytes)
{
    snprintf(buffer, bytes, "%s_%d", wall == CYL_HEAD ? "T_head" : "T_piston", layer + 1);
    return buffer;
}

static int describe_states(wrsim_description *to, int n_layer, int has_sums)
{
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) != 0)
        return -1;
    for (int wall = 0; wall < CYL_WALL_COUNT; wall++)
        for (int layer = 1; layer < n_layer; layer++) {
            char name[32];
            wrsim_variable v = states[wall == CYL_HEAD ? CYL_X_HEAD : CYL_X_PISTON];
            v.name = layer_name(wall, layer, name, sizeof name);
            v.description = "wall layer, counted from the gas side";
            if (to->add(to, WRSIM_STATE, &v) != 0)
                return -1;
        }
    return has_sums ? WR_DESCRIBE_ADD(to, WRSIM_STATE, sums) : 0;
}

static int describe_row(wrsim_description *to, wrsim_pattern pattern, int row, const char *columns)
{
    for (int column = 0; columns[column] != '\0'; column++)
        if (columns[column] != '.' && to->depends(to, pattern, row, column) != 0)
            return -1;
    return 0;
}

/* Declares wall layers, and patterns that depend on the layer at the coolant. */
static int describe_layers(wrsim_description *to, int n_layer, int first_sum)
{
    for (int i = 0; i < CYL_WALL_COUNT; i++) {
        const cyl_wall wall = {.first = i == CYL_HEAD ? CYL_X_HEAD : CYL_X_PISTON,
                               .rest = CYL_X_COUNT + i * (n_layer - 1)};
        for (int layer = 1; layer < n_layer; layer++) {
            const int above = cyl_layer(&wall, layer - 1), here = cyl_layer(&wall, layer);
            if (to->depends(to, WRSIM_X_X, above, here) != 0 ||
                to->depends(to, WRSIM_X_X, here, above) != 0 ||
                to->depends(to, WRSIM_X_X, here, here) != 0)
                return -1;
            if (to->depends(to, WRSIM_X_Y, CYL_Y_ENERGY, here) != 0)
                return -1;
        }
        const int last = cyl_layer(&wall, n_layer - 1);
        if (n_layer > 1 &&
            to->depends(to, WRSIM_X_Z, i == CYL_HEAD ? CYL_Z_HEAD : CYL_Z_CROWN, last) != 0)
            return -1;
        if (n_layer > 1 && first_sum > 0 &&
            to->depends(to, WRSIM_X_X, first_sum + CYL_S_HEAT_COOLANT, last) != 0)
            return -1;
    }
    return 0;
}

static int describe_indicators(wrsim_description *to, int n_layer)
{
    int row = 0;
    for (int g = 0; g < WR_DESCRIBE_COUNT(indicators); g++)
        for (int i = 0; i < indicators[g].n; i++, row++) {
            char name[48];
            if (indicators[g].n == 1)
                snprintf(name, sizeof name, "%s", indicators[g].name);
            else
                snprintf(name, sizeof name, "%s[%d]", indicators[g].name, i + 1);
            const wrsim_variable v = WR_SIGNAL(name, "1", 0, indicators[g].description);
            /* With several layers the coolant side is another state: see describe_layers(). */
            const int is_moved = n_layer > 1 && (row == CYL_Z_HEAD || row == CYL_Z_CROWN);
            if (to->add(to, WRSIM_INDICATOR, &v) != 0 ||
                (!is_moved && describe_row(to, WRSIM_X_Z, row, indicators[g].x) != 0) ||
                describe_row(to, WRSIM_U_Z, row, indicators[g].u) != 0)
                return -1;
        }
    return 0;
}

int cyl_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n_layer = (int)self->param[CYL_P_ZONES];
    const int has_sums = self->param[CYL_P_BALANCE] > 0.5;
    const int first_sum = has_sums ? CYL_X_COUNT + 2 * (n_layer - 1) : 0;
    to->n_w = CYL_WORK_COUNT;
    to->data_bytes = sizeof(cyl_data);
    if (describe_states(to, n_layer, has_sums) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) != 0 || to->port(to, CYL_U_THETA, 2) != 0 ||
        to->port(to, CYL_U_INTAKE, ENGINE_MAN_COUNT) != 0 ||
        to->port(to, CYL_U_EXHAUST, ENGINE_MAN_COUNT) != 0 || to->port(to, CYL_U_FUEL, 1) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) != 0 || describe_indicators(to, n_layer) != 0)
        return -1;
    if (WR_DESCRIBE_PATTERN(to, WRSIM_X_X, x_x) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_U_X, u_x) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_X_Y, x_y) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_U_Y, u_y) != 0 ||
        describe_layers(to, n_layer, first_sum) != 0)
        return -1;
    for (int s = 0; has_sums && s < CYL_S_COUNT; s++) {
        const int is_moved = n_layer > 1 && s == CYL_S_HEAT_COOLANT;
        if ((!is_moved && describe_row(to, WRSIM_X_X, first_sum + s, sum_pattern[s].x) != 0) ||
            describe_row(to, WRSIM_U_X, first_sum + s, sum_pattern[s].u) != 0)
            return -1;
    }
    return 0;
}
