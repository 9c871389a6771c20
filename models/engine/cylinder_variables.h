/* Types, indices and functions that the source files of the cylinder model share:
 *
 *    cylinder.c            start values, events, outputs
 *    cylinder_describe.c   declarations
 *    cylinder_rates.c      algebra() and rhs(): the equations
 *    cylinder_indicators.c indicator()
 *
 * Equations, parameters and sources: models/engine/readme.md.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#ifndef ENGINE_CYLINDER_VARIABLES_H
#define ENGINE_CYLINDER_VARIABLES_H

#include "models/engine/valve_flow.h"

/* Injections: pilot, main, post. */
enum { CYL_INJECTIONS = 3 };

/* From each list of variables, macros make indices and a table. A row has the index without its prefix, then the arguments of
 * WR_PARAM or WR_VALUE. The parameters follow the parameters of cylinder_flow.h. Blocks of three rows are for pilot, main and post. */
#define CYL_PARAM_LIST(ROW)                                                                        \
    ROW(SOI, "soi_pilot", "deg", 158, 91, 249, "start of the pilot injection (180 = firing TDC)")  \
    ROW(SOI_MAIN, "soi_main", "deg", 177, 91, 249, "start of the main injection")                  \
    ROW(SOI_POST, "soi_post", "deg", 205, 91, 249, "start of the post injection")                  \
    ROW(DURATION, "duration_pilot", "s", 0.28e-3, 1e-6, 0.1,                                       \
        "duration of the pilot injection, from start of opening to end of closing")                \
    ROW(DURATION_MAIN, "duration_main", "s", 0.95e-3, 1e-6, 0.1,                                   \
        "duration of the main injection, from start of opening to end of closing")                 \
    ROW(DURATION_POST, "duration_post", "s", 0.25e-3, 1e-6, 0.1,                                   \
        "duration of the post injection, from start of opening to end of closing")                 \
    ROW(RAMP, "needle_ramp", "s", 0.12e-3, 1e-7, 0.1,                                              \
        "needle opening and closing time, each at most half a duration")                           \
    ROW(NOZZLE, "nozzle_area", "m2", 0.080e-6, 0, 1e-3, "effective area of all nozzle holes")      \
    ROW(RAIL, "rail_pressure", "Pa", 1100e5, 400e5, 5000e5, "fuel pressure in the common rail")    \
    ROW(DENSITY, "fuel_density", "kg/m3", 830, 100, 2000,                                          \
        "density of liquid diesel fuel (EN 590)")                                                  \
    ROW(BACK_PRESSURE, "back_pressure", "Pa", 60e5, 0, 300e5,                                      \
        "cylinder pressure at which the nominal masses are injected")                              \
    ROW(BURN, "burn_pilot", "deg", 10, 1, 180, "burn duration of the pilot (Wiebe)")               \
    ROW(BURN_MAIN, "burn_main", "deg", 48, 1, 180, "burn duration of the main injection (Wiebe)")  \
    ROW(BURN_POST, "burn_post", "deg", 22, 1, 180, "burn duration of the post injection (Wiebe)")  \
    ROW(FORM, "form_pilot", "1", 2.0, 0, 10, "form factor m of the pilot (Wiebe)")                 \
    ROW(FORM_MAIN, "form_main", "1", 1.1, 0, 10, "form factor m of the main injection (Wiebe)")    \
    ROW(FORM_POST, "form_post", "1", 1.5, 0, 10, "form factor m of the post injection (Wiebe)")    \
    ROW(LHV, "heating_value", "J/kg", 42.8e6, 0, 2e8,                                              \
        "lower heating value of the fuel vapour at 298 K (diesel fuel: Heywood, table D.4)")       \
    ROW(AFR, "air_fuel_ratio", "1", 14.6, 1, 40,                                                   \
        "stoichiometric air/fuel ratio by mass (Heywood, table D.4)")                              \
    ROW(VAPORISATION, "vaporisation_heat", "J/kg", 3.0e5, 0, 3e6,                                  \
        "heat of vaporisation of the fuel")                                                        \
    ROW(LINER, "liner_temperature", "K", 400, 200, 900,                                            \
        "temperature of the liner's inner wall, constant")                                         \
    ROW(COOLANT, "coolant_temperature", "K", 365, 200, 600,                                        \
        "temperature of the coolant in the head")                                                  \
    ROW(OIL, "oil_temperature", "K", 385, 200, 600,                                                \
        "temperature of the oil that cools the piston")                                            \
    ROW(HEAD_MASS, "head_mass", "kg", 0.9, 1e-6, 1e3,                                              \
        "mass of the head that takes part in heat exchange")                                       \
    ROW(HEAD_CP, "head_heat_capacity", "J/(kg K)", 460, 1, 1e4,                                    \
        "specific heat of the head (cast iron)")                                                   \
    ROW(HEAD_CONDUCTIVITY, "head_conductivity", "W/(m K)", 45, 1e-3, 1e3,                          \
        "conductivity of the head (cast iron); used with zones > 1")                               \
    ROW(HEAD_THICKNESS, "head_thickness", "m", 0.012, 1e-5, 1,                                     \
        "wall thickness of the head, gas to coolant; used with zones > 1")                         \
    ROW(PISTON_MASS, "piston_mass", "kg", 0.55, 1e-6, 1e3, "piston")                               \
    ROW(PISTON_CP, "piston_heat_capacity", "J/(kg K)", 900, 1, 1e4,                                \
        "specific heat of the piston (aluminium-silicon alloy)")                                   \
    ROW(PISTON_CONDUCTIVITY, "piston_conductivity", "W/(m K)", 150, 1e-3, 1e3,                     \
        "conductivity of the piston (aluminium-silicon alloy); used with zones > 1")               \
    ROW(PISTON_THICKNESS, "piston_thickness", "m", 0.012, 1e-5, 1,                                 \
        "wall thickness of the piston, gas to oil; used with zones > 1")                           \
    ROW(BLOW_BY_AREA, "blow_by_area", "m2", 0.6e-6, 0, 1e-3, "effective area of the ring gaps")    \
    ROW(BLOW_BY_PRESSURE, "blow_by_pressure", "Pa", 1.02e5, 1e3, 1e7, "pressure behind the rings") \
    ROW(ZONES, "zones", "1", 1, 1, 64,                                                             \
        "number of conducting layers in head and piston: adds 2 (zones - 1) states",               \
        .flags = WRSIM_INTEGER)                                                                    \
    ROW(BALANCE, "balance", "1", 0, 0, 1, "1: add sums of all flows of mass and energy as states", \
        .flags = WRSIM_INTEGER)                                                                    \
    ROW(GAS, ENGINE_GAS_PARAM)
#define CYL_P_INDEX(i, ...) CYL_P_##i,
enum { CYL_P_BEFORE = ENGINE_FLOW_PARAM_COUNT - 1, CYL_PARAM_LIST(CYL_P_INDEX) CYL_PARAM_COUNT };

/* States. Further wall layers (zones > 1) and then sums (balance = 1) follow. */
#define CYL_STATE_LIST(ROW)                                                                        \
    ROW(AIR, "m_air", "kg", 7.2e-4, 5e-4, "air in the cylinder")                                   \
    ROW(FUEL, "m_fuel", "kg", 0, 2e-5, "fuel vapour in the cylinder")                              \
    ROW(BURNED, "m_burned", "kg", 5.5e-5, 5e-4, "burned gas in the cylinder")                      \
    ROW(T, "T", "K", 390, 800, "gas temperature")                                                  \
    ROW(HEAD, "T_head", "K", 451, 400, "temperature of the head on the gas side")                  \
    ROW(PISTON, "T_piston", "K", 481, 400, "temperature of the piston on the gas side")            \
    ROW(LIQUID, "m_liquid", "kg", 0, 1e-5, "liquid fuel")                                          \
    ROW(BURN, "x_burn", "1", 0, 1, "fuel burned in this cycle over the nominal injected mass")     \
    ROW(IGNITION, "ignition", "1", 0, 1, "ignition delay integral")                                \
    ROW(WORK, "W_ind", "J", 0, 500, "work on the piston in this cycle")                            \
    ROW(LOSS, "Q_loss", "J", 0, 300, "heat to the walls in this cycle")                            \
    ROW(IN, "m_in", "kg", 0, 5e-4, "mass through the intake valves in this cycle")                 \
    ROW(K, "k_turb", "m2/s2", 60, 200, "turbulent kinetic energy")                                 \
    ROW(NOX, "NOx", "mg", 0, 1, "NO formed in this cycle")                                         \
    ROW(SOOT, "soot", "mg", 0, 0.1, "soot formed and not oxidised in this cycle")
#define CYL_X_INDEX(i, ...) CYL_X_##i,
enum { CYL_STATE_LIST(CYL_X_INDEX) CYL_X_COUNT };

/* Sums for balances, which are states if balance = 1. */
#define CYL_SUM_LIST(ROW)                                                                          \
    ROW(IN_AIR, "sum_air_in", "kg", 0, 5e-4, "air through the intake")                             \
    ROW(IN_BURNED, "sum_burned_in", "kg", 0, 5e-4, "burned gas through the intake")                \
    ROW(IN_FUEL, "sum_fuel_in", "kg", 0, 2e-5, "fuel vapour through the intake (<= 0)")            \
    ROW(IN_H, "sum_enthalpy_in", "J", 0, 500, "enthalpy through the intake")                       \
    ROW(OUT_AIR, "sum_air_out", "kg", 0, 5e-4, "air through the exhaust")                          \
    ROW(OUT_BURNED, "sum_burned_out", "kg", 0, 5e-4, "burned gas through the exhaust")             \
    ROW(OUT_FUEL, "sum_fuel_out", "kg", 0, 2e-5, "fuel vapour through the exhaust")                \
    ROW(OUT_H, "sum_enthalpy_out", "J", 0, 500, "enthalpy through the exhaust")                    \
    ROW(BLOW_BY_AIR, "sum_air_blow_by", "kg", 0, 2e-5, "air past the rings")                       \
    ROW(BLOW_BY_BURNED, "sum_burned_blow_by", "kg", 0, 2e-5, "burned gas past the rings")          \
    ROW(BLOW_BY_FUEL, "sum_fuel_blow_by", "kg", 0, 2e-5, "fuel vapour past the rings")             \
    ROW(BLOW_BY_H, "sum_enthalpy_blow_by", "J", 0, 500, "enthalpy past the rings")                 \
    ROW(INJECTED, "sum_fuel_injected", "kg", 0, 2e-5, "liquid fuel injected")                      \
    ROW(EVAPORATED, "sum_fuel_evaporated", "kg", 0, 2e-5, "fuel evaporated")                       \
    ROW(FUEL_BURNED, "sum_fuel_burned", "kg", 0, 2e-5, "fuel burned")                              \
    ROW(HEAT_RELEASED, "sum_heat_released", "J", 0, 500, "chemical energy released")               \
    ROW(HEAT_WALL, "sum_heat_wall", "J", 0, 500, "heat from gas to walls")                         \
    ROW(WORK, "sum_work", "J", 0, 500, "work p dV of the gas")                                     \
    ROW(EVAPORATION, "sum_evaporation", "J", 0, 500, "energy of evaporated fuel")                  \
    ROW(HEAT_COOLANT, "sum_heat_coolant", "J", 0, 500, "heat to coolant and oil")                  \
    ROW(HEAT_LINER, "sum_heat_liner", "J", 0, 500, "heat to the liner")
#define CYL_S_INDEX(i, ...) CYL_S_##i,
enum { CYL_SUM_LIST(CYL_S_INDEX) CYL_S_COUNT };

enum {
    CYL_U_THETA,
    CYL_U_OMEGA,
    CYL_U_INTAKE,
    CYL_U_EXHAUST = CYL_U_INTAKE + ENGINE_MAN_COUNT,
    CYL_U_FUEL = CYL_U_EXHAUST + ENGINE_MAN_COUNT,
    CYL_U_COUNT,
    CYL_U_GAS = CYL_U_COUNT /* further inputs with gas = "connected" */
};

/* The model reads inputs in input blocks: theta and omega, both manifolds, fuel factor, gas if connected. */
enum { CYL_PORT_CRANK, CYL_PORT_INTAKE, CYL_PORT_EXHAUST, CYL_PORT_FUEL, CYL_PORT_GAS };

static inline double cyl_theta(const wrsim_point *point)
{
    return point->port[CYL_PORT_CRANK][CYL_U_THETA];
}

static inline double cyl_omega(const wrsim_point *point)
{
    return point->port[CYL_PORT_CRANK][CYL_U_OMEGA];
}

/* Outputs: the coupled states first, then the outputs for recording. */
enum {
    CYL_Y_GAS,
    CYL_Y_P = CYL_Y_GAS + ENGINE_CYL_COUNT,
    CYL_Y_V,
    CYL_Y_PHI,
    CYL_Y_TORQUE,
    CYL_Y_BURN,
    CYL_Y_INJECTION,
    CYL_Y_ENERGY,
    CYL_Y_COUNT
};

/* Discrete states. Blocks of three rows are for pilot, main and post. */
#define CYL_DISCRETE_LIST(ROW)                                                                     \
    ROW(CYCLE, "cycle", "1", 0, 0, "number of cycles begun")                                       \
    ROW(NEEDLE, "needle_pilot", "1", 0, 0,                                                         \
        "needle of the pilot injection: 0 shut, 1 opening, 2 open, 3 closing")                     \
    ROW(NEEDLE_MAIN, "needle_main", "1", 0, 0,                                                     \
        "needle of the main injection, values as needle_pilot")                                    \
    ROW(NEEDLE_POST, "needle_post", "1", 0, 0,                                                     \
        "needle of the post injection, values as needle_pilot")                                    \
    ROW(SOI_TIME, "soi_time_pilot", "s", 0, 0, "start time of the last pilot injection")           \
    ROW(SOI_TIME_MAIN, "soi_time_main", "s", 0, 0, "start time of the last main injection")        \
    ROW(SOI_TIME_POST, "soi_time_post", "s", 0, 0, "start time of the last post injection")        \
    ROW(BURN, "burn_phase_pilot", "1", 0, 0,                                                       \
        "pilot fuel: 0 not burning, 1 waiting for ignition, 2 burning")                            \
    ROW(BURN_PHASE_MAIN, "burn_phase_main", "1", 0, 0, "main fuel, values as burn_phase_pilot")    \
    ROW(BURN_PHASE_POST, "burn_phase_post", "1", 0, 0, "post fuel, values as burn_phase_pilot")    \
    ROW(BURN_START, "burn_start_pilot", "deg", 0, 0, "angle at which the pilot fuel ignited")      \
    ROW(BURN_START_MAIN, "burn_start_main", "deg", 0, 0, "angle at which the main fuel ignited")   \
    ROW(BURN_START_POST, "burn_start_post", "deg", 0, 0, "angle at which the post fuel ignited")   \
    ROW(P_IVC, "p_ivc", "Pa", 1.6e5, 0, "pressure at intake closing")                              \
    ROW(V_IVC, "V_ivc", "m3", 5e-4, 0, "volume at intake closing")                                 \
    ROW(T_IVC, "T_ivc", "K", 380, 0, "temperature at intake closing")                              \
    ROW(INTAKE_OPEN, "intake_is_open", "1", 0, 0, "1 while the intake valves are open")            \
    ROW(EXHAUST_OPEN, "exhaust_is_open", "1", 0, 0, "1 while the exhaust valves are open")         \
    ROW(COMBUSTION, "is_burning", "1", 0, 0, "1 while fuel burns")                                 \
    ROW(FUEL, "fuel", "1", 1, 0, "fuel_factor of this cycle")
#define CYL_D_INDEX(i, ...) CYL_D_##i,
enum { CYL_DISCRETE_LIST(CYL_D_INDEX) CYL_D_COUNT };

/* Values of CYL_D_NEEDLE and CYL_D_BURN. */
enum { CYL_NEEDLE_SHUT, CYL_NEEDLE_OPENING, CYL_NEEDLE_OPEN, CYL_NEEDLE_CLOSING };
enum { CYL_BURN_NONE, CYL_BURN_WAITING, CYL_BURN_ACTIVE };

/* Indicators; cylinder_indicators.c has their formulas and comments. */
enum { CYL_CONDUCTIVITY_BREAKS = 4, CYL_NEEDLE_INDICATORS = 3 };
enum {
    CYL_Z_WRAP,
    CYL_Z_IVO,
    CYL_Z_IVC,
    CYL_Z_EVO,
    CYL_Z_EVC,
    CYL_Z_SOI,
    CYL_Z_NEEDLE = CYL_Z_SOI + CYL_INJECTIONS,
    CYL_Z_IGNITION = CYL_Z_NEEDLE + CYL_INJECTIONS * CYL_NEEDLE_INDICATORS,
    CYL_Z_BURN_END = CYL_Z_IGNITION + CYL_INJECTIONS,
    CYL_Z_MIXING = CYL_Z_BURN_END + CYL_INJECTIONS,
    CYL_Z_LIQUID,
    CYL_Z_OXYGEN,
    CYL_Z_INTAKE,
    CYL_Z_EXHAUST = CYL_Z_INTAKE + ENGINE_ORIFICE_MODE_COUNT,
    CYL_Z_BLOW_BY = CYL_Z_EXHAUST + ENGINE_ORIFICE_MODE_COUNT,
    CYL_Z_INTAKE_LIFT = CYL_Z_BLOW_BY + ENGINE_ORIFICE_MODE_COUNT,
    CYL_Z_EXHAUST_LIFT = CYL_Z_INTAKE_LIFT + ENGINE_LIFT_BREAKS,
    CYL_Z_INTAKE_THROAT = CYL_Z_EXHAUST_LIFT + ENGINE_LIFT_BREAKS,
    CYL_Z_EXHAUST_THROAT,
    CYL_Z_RANGE,
    CYL_Z_MOTORED,
    CYL_Z_WALL,
    CYL_Z_CONDUCTIVITY = CYL_Z_WALL + 3,
    CYL_Z_NOX = CYL_Z_CONDUCTIVITY + CYL_CONDUCTIVITY_BREAKS,
    CYL_Z_DISSOCIATION,
    CYL_Z_SOOT,
    CYL_Z_BURNED,
    CYL_Z_PEAK = CYL_Z_BURNED + 3,
    CYL_Z_SQUISH = CYL_Z_PEAK + 2,
    CYL_Z_PISTON = CYL_Z_SQUISH + 4,
    CYL_Z_HALF_WAY = CYL_Z_PISTON + 3,
    CYL_Z_TURBULENCE,
    CYL_Z_CAVITATION,
    CYL_Z_HEAD,
    CYL_Z_CROWN,
    CYL_Z_LEAN,
    CYL_Z_DILUTION,
    CYL_Z_PRESSURE,
    CYL_Z_WARM,
    CYL_Z_COUNT
};

/* Numbers of indicators of crank angles: events of the cycle, and piston positions. */
enum { CYL_TIMINGS = CYL_Z_NEEDLE - CYL_Z_WRAP, CYL_POSITIONS = CYL_Z_TURBULENCE - CYL_Z_SQUISH };

/* A wall with layers between gas and coolant. */
typedef struct cyl_wall {
    int first, rest; /* state of the layer on the gas side; first state of the other layers */
    int n_layer;
    double capacity_j_k, per_capacity; /* heat capacity of one layer, J/K; its inverse, K/J */
    double conductance;                /* conductance between two layers, W/K */
    double gas_m2;                     /* area on the gas side, m2 */
    double coolant_k;
    double film_w_k;   /* heat transfer to the coolant below the threshold, W/K */
    double film_slope; /* slope of the heat transfer over temperature above the threshold, W/K2 */
    double threshold_k;
} cyl_wall;

enum { CYL_HEAD, CYL_PISTON, CYL_WALL_COUNT };

/* Constants of one cylinder, in instance->data. */
typedef struct cyl_data {
    engine_flow_data flow; /* geometry and gas properties, as in the port (cylinder_port.c) */
    const double *param;
    double injected_kg[CYL_INJECTIONS]; /* nominal mass of each injection, kg */
    double injected_sum_kg;
    double liquid_h;    /* enthalpy of liquid fuel, J/kg */
    double heat_factor; /* 3.26 bore^-0.2 of Woschni's equation, for p in Pa */
    double speed_m;     /* mean piston speed over crank speed, m */
    double liner_m;     /* circumference of the bore, m */
    double crankcase_h; /* enthalpy of gas drawn from the crankcase, J/kg */
    /* angles of the indicators CYL_Z_WRAP to CYL_Z_SOI and CYL_Z_SQUISH to CYL_Z_HALF_WAY, deg */
    double timing_deg[CYL_TIMINGS], position_deg[CYL_POSITIONS];
    double start_s; /* start time of the run, s */
    cyl_wall wall[CYL_WALL_COUNT];
    int n_layer, first_sum, has_sums;
    int is_connected; /* gas = "connected" */
} cyl_data;

/* Results of algebra() that rhs(), indicator() and event() share, as doubles. If only one callback needs a quantity, this callback computes
 * the quantity. */
typedef struct cyl_work {
    engine_flow flow;
} cyl_work;
enum { CYL_WORK_COUNT = sizeof(cyl_work) / sizeof(double) };

static inline const cyl_work *cyl_work_of(const wrsim_point *point)
{
    return (const cyl_work *)(const void *)point->w;
}

/* Returns the index of the state with the temperature of a wall's layer. Layer 0 is on the gas side. */
static inline int cyl_layer(const cyl_wall *wall, int layer)
{
    return layer == 0 ? wall->first : wall->rest + layer - 1;
}

/* Constants that equations and indicators share. */

/* Temperatures at the breaks and ends of the table of charge conductivity, K. */
extern const double cyl_conductivity_k[CYL_CONDUCTIVITY_BREAKS + 2];

/* Largest difference between the temperature of the burned gas and the mean temperature, K (models/engine/readme.md). */
#define CYL_FLAME_RISE_K 1150.0
/* Temperature above which dissociation absorbs some of the heat, K (models/engine/readme.md). */
#define CYL_DISSOCIATION_K 2400.0
/* Temperature below which no NO forms, K (Heywood, Internal Combustion Engine Fundamentals, 1988, fig. 11-4: rates are
 * negligible). */
#define CYL_NOX_ONSET_K 1800.0
/* Temperature above which soot oxidises, K (models/engine/readme.md). */
#define CYL_SOOT_ONSET_K 1300.0
/* Air mass fraction below which lack of oxygen slows burning (models/engine/readme.md, Burning). */
#define CYL_AIR_FRACTION_MIN 0.05
#define CYL_K_FLOOR_M2_S2 1.0e-3 /* least k, m2/s2 (assumed); keeps sqrt(k) differentiable */
/* Turbulent energy below which dissipation is proportional to the energy, m2/s2 (assumed). */
#define CYL_K_LOW_M2_S2 20.0
/* Rail pressure over cylinder pressure above which the nozzle cavitates (models/engine/readme.md, Injection). */
#define CYL_CAVITATION_RATIO 12.0
/* Temperature below which vapour pressure limits evaporation, K (models/engine/readme.md, Injection). */
#define CYL_EVAPORATION_K 600.0
#define CYL_BURN_END 1.02 /* end of Wiebe functions, as a multiple of the burn duration (assumed) */
/* Temperature of gas from the crankcase, K (models/engine/readme.md, Blow-by). */
#define CYL_CRANKCASE_K 360.0

/* Computes geometry and gas of the cylinder at a point. */
void cyl_gas(const cyl_data *data, const wrsim_point *point, engine_flow *ret_flow);
/* Returns the temperature of the burned zone before dissociation, K. */
static inline double cyl_flame_temperature(double T, double burned_fraction)
{
    return T + CYL_FLAME_RISE_K * (1 - 0.5 * burned_fraction);
}

/* Returns 1 if a valve is open. */
static inline int cyl_is_gas_exchange(const double *d)
{
    return d[CYL_D_INTAKE_OPEN] + d[CYL_D_EXHAUST_OPEN] > 0.5;
}

/* Returns 1 if an injection is active. */
static inline int cyl_is_injecting(const double *d)
{
    return d[CYL_D_NEEDLE] + d[CYL_D_NEEDLE + 1] + d[CYL_D_NEEDLE + 2] > CYL_NEEDLE_SHUT;
}

/* Returns 1 if fuel burns, or an injection waits for ignition. */
static inline int cyl_is_burning(const double *d)
{
    return d[CYL_D_COMBUSTION] + d[CYL_D_BURN] + d[CYL_D_BURN + 1] + d[CYL_D_BURN + 2] >
           CYL_BURN_NONE;
}

/* Returns the mass flow of the active injections, kg/s, at cylinder pressure p, Pa. */
double cyl_injection_rate(const cyl_data *data, const wrsim_point *point, double p);
/* Returns the burn rate, kg/s. Modes select Wiebe's rate or the mixing limit, and a reduction for lack of oxygen. */
double cyl_burn_rate(const cyl_data *data, const wrsim_point *point, double phi_deg);
double cyl_wiebe_rate(const cyl_data *data, const wrsim_point *point, double phi_deg);
double cyl_mixing_limit(const double *x);
/* Returns the pressure of the closed cylinder without combustion, Pa. */
double cyl_motored_pressure(const double *d, double volume_m3);
/* Computes the flows through the valves of both sides. h[ENGINE_SPECIES_COUNT]: enthalpies of the gas in the cylinder, J/kg. */
void cyl_valve_flows(const cyl_data *data, const wrsim_point *point, const double *h,
                     engine_valve_flow ret_valve[ENGINE_VALVE_COUNT]);

/* Parameters with defaults and limits. */
extern const wrsim_variable cyl_params[CYL_PARAM_COUNT];
int cyl_describe(wrsim_instance *self, wrsim_description *to);

int cyl_algebra(wrsim_instance *self, const wrsim_point *point, double *ret_w);
int cyl_rhs(wrsim_instance *self, const wrsim_point *point, double *ret_dx);
/* Sets timing_deg and position_deg of data from data->flow and data->param. */
void cyl_indicator_init(cyl_data *data);
int cyl_indicator(wrsim_instance *self, const wrsim_point *point, double *ret_z);

#endif
