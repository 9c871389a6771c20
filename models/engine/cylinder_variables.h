/* Types, indices and functions that the source files of the cylinder model share:
 *
 *    cylinder.c            start values, events, outputs
 *    cylinder_describe.c   declarations
 *    cylinder_rates.c      algebra() and rhs(): the equations
 *    cylinder_indicators.c indicator()
 *
 * Equations, parameters and sources: readme.md.
 *
 * Thread: one at a time per instance. Real-time: yes, but describe() and init().
 */
#ifndef ENGINE_CYLINDER_VARIABLES_H
#define ENGINE_CYLINDER_VARIABLES_H

#include "models/engine/valve_flow.h"

/* Injections: pilot, main, post. */
enum { CYL_INJECTIONS = 3 };

/* Parameters, after those of cylinder_flow.h. Blocks of three: pilot, main, post. */
enum {
    CYL_P_SOI = ENGINE_FLOW_PARAM_COUNT,
    CYL_P_DURATION = CYL_P_SOI + CYL_INJECTIONS,
    CYL_P_RAMP = CYL_P_DURATION + CYL_INJECTIONS,
    CYL_P_NOZZLE,
    CYL_P_RAIL,
    CYL_P_DENSITY,
    CYL_P_BACK_PRESSURE,
    CYL_P_BURN,
    CYL_P_FORM = CYL_P_BURN + CYL_INJECTIONS,
    CYL_P_LHV = CYL_P_FORM + CYL_INJECTIONS,
    CYL_P_AFR,
    CYL_P_VAPORISATION,
    CYL_P_LINER,
    CYL_P_COOLANT,
    CYL_P_OIL,
    CYL_P_HEAD_MASS,
    CYL_P_HEAD_CP,
    CYL_P_HEAD_CONDUCTIVITY,
    CYL_P_HEAD_THICKNESS,
    CYL_P_PISTON_MASS,
    CYL_P_PISTON_CP,
    CYL_P_PISTON_CONDUCTIVITY,
    CYL_P_PISTON_THICKNESS,
    CYL_P_BLOW_BY_AREA,
    CYL_P_BLOW_BY_PRESSURE,
    CYL_P_ZONES,
    CYL_P_BALANCE,
    CYL_PARAM_COUNT
};

/* States. After these: further wall layers (zones > 1), then sums (balance = 1). */
enum {
    CYL_X_AIR,
    CYL_X_FUEL,
    CYL_X_BURNED,
    CYL_X_T,
    CYL_X_HEAD,
    CYL_X_PISTON,
    CYL_X_LIQUID,
    CYL_X_BURN,
    CYL_X_IGNITION,
    CYL_X_WORK,
    CYL_X_LOSS,
    CYL_X_IN,
    CYL_X_K,
    CYL_X_NOX,
    CYL_X_SOOT,
    CYL_X_COUNT
};

/* Sums for balances, in this order. */
enum {
    CYL_S_IN_AIR,
    CYL_S_IN_BURNED,
    CYL_S_IN_FUEL,
    CYL_S_IN_H,
    CYL_S_OUT_AIR,
    CYL_S_OUT_BURNED,
    CYL_S_OUT_FUEL,
    CYL_S_OUT_H,
    CYL_S_BLOW_BY_AIR,
    CYL_S_BLOW_BY_BURNED,
    CYL_S_BLOW_BY_FUEL,
    CYL_S_BLOW_BY_H,
    CYL_S_INJECTED,
    CYL_S_EVAPORATED,
    CYL_S_FUEL_BURNED,
    CYL_S_HEAT_RELEASED,
    CYL_S_HEAT_WALL,
    CYL_S_WORK,
    CYL_S_EVAPORATION,
    CYL_S_HEAT_COOLANT,
    CYL_S_HEAT_LINER,
    CYL_S_COUNT
};

enum {
    CYL_U_THETA,
    CYL_U_OMEGA,
    CYL_U_INTAKE,
    CYL_U_EXHAUST = CYL_U_INTAKE + ENGINE_MAN_COUNT,
    CYL_U_FUEL = CYL_U_EXHAUST + ENGINE_MAN_COUNT,
    CYL_U_COUNT
};

/* Inputs are read in ports: theta and omega, both manifolds, fuel factor. */
enum { CYL_PORT_CRANK, CYL_PORT_INTAKE, CYL_PORT_EXHAUST, CYL_PORT_FUEL };

static inline double cyl_theta(const wrsim_point *point)
{
    return point->port[CYL_PORT_CRANK][CYL_U_THETA];
}

static inline double cyl_omega(const wrsim_point *point)
{
    return point->port[CYL_PORT_CRANK][CYL_U_OMEGA];
}

/* Outputs: the coupled states first, the others for recording. */
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

/* Discrete states; blocks of three: pilot, main, post. */
enum {
    CYL_D_CYCLE,
    CYL_D_NEEDLE,
    CYL_D_SOI_TIME = CYL_D_NEEDLE + CYL_INJECTIONS,
    CYL_D_BURN = CYL_D_SOI_TIME + CYL_INJECTIONS,
    CYL_D_BURN_START = CYL_D_BURN + CYL_INJECTIONS,
    CYL_D_P_IVC = CYL_D_BURN_START + CYL_INJECTIONS,
    CYL_D_V_IVC,
    CYL_D_T_IVC,
    CYL_D_INTAKE_OPEN,
    CYL_D_EXHAUST_OPEN,
    CYL_D_COMBUSTION,
    CYL_D_FUEL,
    CYL_D_COUNT
};

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

/* Indicators of crank angles: events of the cycle, and piston positions. */
enum { CYL_TIMINGS = CYL_Z_NEEDLE - CYL_Z_WRAP, CYL_POSITIONS = CYL_Z_TURBULENCE - CYL_Z_SQUISH };

/* A wall with layers between gas and coolant. */
typedef struct cyl_wall {
    int first, rest; /* state of the layer on the gas side; first of the others */
    int n_layer;
    double capacity_j_k, per_capacity; /* heat capacity of one layer, J/K; its inverse, K/J */
    double conductance;                /* conductance between two layers, W/K */
    double gas_m2;                     /* area on the gas side, m2 */
    double coolant_k;
    double film_w_k;   /* heat transfer to the coolant below the threshold, W/K */
    double film_slope; /* its slope over temperature above the threshold, W/K2 */
    double threshold_k;
} cyl_wall;

enum { CYL_HEAD, CYL_PISTON, CYL_WALL_COUNT };

/* Constants of one cylinder: instance->data. */
typedef struct cyl_data {
    engine_flow_data flow; /* must be first: same layout as in the port */
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
} cyl_data;

/* Results of algebra() that rhs(), indicator() and event() share: doubles only. Quantities that only one of them needs
 * are computed there. */
typedef struct cyl_work {
    engine_flow flow;
} cyl_work;
enum { CYL_WORK_COUNT = sizeof(cyl_work) / sizeof(double) };

static inline const cyl_work *cyl_work_of(const wrsim_point *point)
{
    return (const cyl_work *)(const void *)point->w;
}

/* State that holds the temperature of a wall's layer, 0 on the gas side. */
static inline int cyl_layer(const cyl_wall *wall, int layer)
{
    return layer == 0 ? wall->first : wall->rest + layer - 1;
}

/* Constants that equations and indicators share. */

/* Breaks of the table of charge conductivity, K, with the ends. */
extern const double cyl_conductivity_k[CYL_CONDUCTIVITY_BREAKS + 2];

/* Burned-zone temperature estimated from the mean: the burned gas is up to this much hotter. */
#define CYL_FLAME_RISE_K 1150.0
/* Temperature above which dissociation absorbs part of the heat, K. */
#define CYL_DISSOCIATION_K 2400.0
/* Temperature below which no NO forms, K (Heywood, Internal Combustion Engine Fundamentals, 1988, fig. 11-4: rates are
 * negligible). */
#define CYL_NOX_ONSET_K 1800.0
#define CYL_SOOT_ONSET_K 1300.0   /* oxidation of soot starts above, K */
#define CYL_AIR_FRACTION_MIN 0.05 /* lack of oxygen slows burning below */
#define CYL_K_FLOOR_M2_S2 1.0e-3  /* keeps sqrt(k) differentiable */
#define CYL_K_LOW_M2_S2 20.0      /* dissipation has a constant time scale below */
#define CYL_CAVITATION_RATIO 12.0 /* rail over cylinder pressure above which the nozzle cavitates */
#define CYL_EVAPORATION_K 600.0   /* vapour pressure limits evaporation below, K */
#define CYL_BURN_END 1.02         /* end of Wiebe functions, as a multiple of the duration */
#define CYL_CRANKCASE_K 360.0     /* gas drawn from the crankcase past the rings, K */

/* Temperature of the burned zone before dissociation, K. */
static inline double cyl_flame_temperature(double T, double burned_fraction)
{
    return T + CYL_FLAME_RISE_K * (1 - 0.5 * burned_fraction);
}

/* Is a valve open? */
static inline int cyl_is_gas_exchange(const double *d)
{
    return d[CYL_D_INTAKE_OPEN] + d[CYL_D_EXHAUST_OPEN] > 0.5;
}

/* Is an injection under way? */
static inline int cyl_is_injecting(const double *d)
{
    return d[CYL_D_NEEDLE] + d[CYL_D_NEEDLE + 1] + d[CYL_D_NEEDLE + 2] > CYL_NEEDLE_SHUT;
}

/* Is fuel burning, or an injection waiting for ignition? */
static inline int cyl_is_burning(const double *d)
{
    return d[CYL_D_COMBUSTION] + d[CYL_D_BURN] + d[CYL_D_BURN + 1] + d[CYL_D_BURN + 2] >
           CYL_BURN_NONE;
}

/* Mass flow of the active injections, kg/s, at cylinder pressure p, Pa. */
double cyl_injection_rate(const cyl_data *data, const wrsim_point *point, double p);
/* Burn rate, kg/s: Wiebe's rate or the mixing limit, selected by the modes. */
double cyl_burn_rate(const cyl_data *data, const wrsim_point *point, double phi_deg);
double cyl_wiebe_rate(const cyl_data *data, const wrsim_point *point, double phi_deg);
double cyl_mixing_limit(const double *x);
/* Pressure of the closed cylinder without combustion, Pa. */
double cyl_motored_pressure(const double *d, double volume_m3);
/* Flows through both valves. h[ENGINE_SPECIES_COUNT]: enthalpies of the gas in the cylinder, J/kg. */
void cyl_valve_flows(const cyl_data *data, const wrsim_point *point, const double *h,
                     engine_valve_flow ret_valve[ENGINE_VALVE_COUNT]);

/* Parameters with defaults and limits. */
extern const wrsim_variable cyl_params[CYL_PARAM_COUNT];
int cyl_describe(wrsim_instance *self, wrsim_description *to);

int cyl_algebra(wrsim_instance *self, const wrsim_point *point, double *ret_w);
int cyl_rhs(wrsim_instance *self, const wrsim_point *point, double *ret_dx);
/* Sets the angles in data; all other fields are already set. */
void cyl_indicator_init(cyl_data *data);
int cyl_indicator(wrsim_instance *self, const wrsim_point *point, double *ret_z);

#endif
