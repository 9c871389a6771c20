/* Types, indices and functions that the source files of the spark-ignition mono-cylinder share:
 *
 *    mono_cylinder.c    start values, outputs, the descriptor
 *    mono_describe.c    declarations: names, units, incidence patterns
 *    mono_rates.c       algebra() and rhs(): the equations
 *    mono_indicators.c  indicator(): the 111 events, and the table of guards
 *    mono_events.c      event(): actions of the events
 *
 * States, events and discrete states have the roles of Ben Khaled et al. (2013), section 6 (docs/METHODS.md, Sources).
 * Events and discrete states come in three blocks: gas exchange and charge, fuel and combustion, test bench. In each
 * block, active events come first: they depend on states and happen in every cycle. Equations, parameters and sources:
 * readme.md.
 *
 * Thread: one at a time per instance. Real-time: yes, but describe() and init().
 */
#ifndef MONO_VARIABLES_H
#define MONO_VARIABLES_H

#include "wrsim/model.h"

#define MONO_PI 3.14159265358979323846
#define MONO_RAD_PER_DEG (MONO_PI / 180)
#define MONO_CYCLE_DEG 720.0

/* The three gases, in the order of Ben Khaled et al. (2013). */
enum { MONO_AIR, MONO_FUEL, MONO_BURNED, MONO_GASES };

enum { MONO_INTAKE, MONO_EXHAUST, MONO_SIDES };

/* Inner breaks of the tables: discharge coefficient over lift, heat capacity over temperature; borders of the burn
 * table. */
enum { MONO_LIFT_BREAKS = 2, MONO_HOT_BREAKS = 3, MONO_BURN_BORDERS = 9 };

enum {
    MONO_P_BORE,
    MONO_P_STROKE,
    MONO_P_ROD,
    MONO_P_COMPRESSION,
    MONO_P_OPEN, /* [MONO_SIDES] */
    MONO_P_CLOSE = MONO_P_OPEN + MONO_SIDES,
    MONO_P_DIAMETER = MONO_P_CLOSE + MONO_SIDES,
    MONO_P_LIFT = MONO_P_DIAMETER + MONO_SIDES,
    MONO_P_COUNT_VALVES = MONO_P_LIFT + MONO_SIDES,
    MONO_P_CAM_RANGE = MONO_P_COUNT_VALVES + MONO_SIDES,
    MONO_P_HEATING_VALUE,
    MONO_P_AIR_FUEL,
    MONO_P_VAPORISATION,
    MONO_P_EFFICIENCY,
    MONO_P_DEVELOPMENT,
    MONO_P_DURATION,
    MONO_P_WIEBE_A,
    MONO_P_WIEBE_M,
    MONO_P_DILUTION_LIMIT,
    MONO_P_INJECTOR_FLOW,
    MONO_P_DROPLET_DELAY,
    MONO_P_DROPLET_TIME,
    MONO_P_FILM_SHARE,
    MONO_P_FILM_TIME,
    MONO_P_INJECTED_AIR,
    MONO_P_INJECTED_BURNED,
    MONO_P_DWELL,
    MONO_P_HEAD_RISE,
    MONO_P_PISTON_RISE,
    MONO_P_LINER_RISE,
    MONO_P_BALANCE,
    MONO_PARAMS
};

/* States X0 ... X14 of Ben Khaled et al. (2013), section 6.1. With balance = 1 sums follow. */
enum {
    MONO_X_CRANK,
    MONO_X_EVAPO,
    MONO_X_QV_ALFA = MONO_X_EVAPO + MONO_GASES,
    MONO_X_MREF_ALFA,
    MONO_X_HEAT,
    MONO_X_COMBU,
    MONO_X_MASS = MONO_X_COMBU + MONO_GASES,
    MONO_X_ENERGY = MONO_X_MASS + MONO_GASES,
    MONO_X_T,
    MONO_X_COUNT
};

/* Sums for balances, in this order: what came through the intake and left through the exhaust. */
enum {
    MONO_S_IN,
    MONO_S_OUT = MONO_S_IN + MONO_GASES,
    MONO_S_IN_H = MONO_S_OUT + MONO_GASES,
    MONO_S_OUT_H,
    MONO_S_EVAPORATION,
    MONO_S_WALL,
    MONO_S_WORK,
    MONO_SUMS
};

enum {
    MONO_U_SPEED,
    MONO_U_P, /* [MONO_SIDES] */
    MONO_U_T = MONO_U_P + MONO_SIDES,
    MONO_U_EGR = MONO_U_T + MONO_SIDES,
    MONO_U_CAM, /* [MONO_SIDES] */
    MONO_U_COOLANT = MONO_U_CAM + MONO_SIDES,
    MONO_U_FUEL,
    MONO_U_ADVANCE,
    MONO_U_SOI,
    MONO_U_RAIL,
    MONO_U_T_FUEL,
    MONO_U_BATTERY,
    MONO_U_LAMBDA,
    MONO_U_IGNITION,
    MONO_U_KNOCK,
    MONO_U_OIL_P,
    MONO_U_OIL_T,
    MONO_U_VIBRATION,
    MONO_U_CELL_GAS,
    MONO_U_CELL_T,
    MONO_U_DYNO_T,
    MONO_U_WATER,
    MONO_U_CRANK_SENSOR,
    MONO_U_CAM_SENSOR,
    MONO_U_STOP,
    MONO_U_DOOR,
    MONO_U_COUNT
};

/* Outputs: all states of the paper first, under their own names. */
enum {
    MONO_Y_STATES,
    MONO_Y_P = MONO_Y_STATES + MONO_X_COUNT,
    MONO_Y_V,
    MONO_Y_PHI,
    MONO_Y_POWER,
    MONO_Y_HEAT_RATE,
    MONO_Y_RESIDUAL,
    MONO_Y_TRIPPED,
    MONO_Y_COUNT
};

/* Events at crank angles, of all three blocks. */
enum {
    MONO_A_OPENS, /* [MONO_SIDES] */
    MONO_A_CLOSES = MONO_A_OPENS + MONO_SIDES,
    MONO_A_CALCULATION = MONO_A_CLOSES + MONO_SIDES,
    MONO_A_INJECTION,
    MONO_A_INJECTED,
    MONO_A_EVAPORATION,
    MONO_A_DROPS_GONE,
    MONO_A_FILM_GONE,
    MONO_A_CHARGES,
    MONO_A_SPARK,
    MONO_A_BURN, /* [MONO_BURN_BORDERS] */
    MONO_A_CYCLE = MONO_A_BURN + MONO_BURN_BORDERS,
    MONO_A_WINDOW_OPENS,
    MONO_A_WINDOW_CLOSES,
    MONO_ANGLES
};

/* Flow regimes of the valves of one side. */
enum { MONO_FORWARD, MONO_FREE, MONO_CHOKED, MONO_REGIMES };

/* Event indicators. */
enum {
    /* gas exchange and charge: 18 active, 19 guards */
    MONO_Z_OPENS,
    MONO_Z_CLOSES = MONO_Z_OPENS + MONO_SIDES,
    MONO_Z_LIFT = MONO_Z_CLOSES + MONO_SIDES,                    /* [side][MONO_LIFT_BREAKS] */
    MONO_Z_REGIME = MONO_Z_LIFT + MONO_SIDES * MONO_LIFT_BREAKS, /* [side][MONO_REGIMES] */
    MONO_Z_HOT = MONO_Z_REGIME + MONO_SIDES * MONO_REGIMES,
    MONO_Z_FIRED_PRESSURE = MONO_Z_HOT + MONO_HOT_BREAKS,
    MONO_Z_P_IM_LOW,
    MONO_Z_P_IM_HIGH,
    MONO_Z_T_IM_LOW,
    MONO_Z_T_IM_HIGH,
    MONO_Z_P_EM_LOW,
    MONO_Z_P_EM_HIGH,
    MONO_Z_T_EM_LOW,
    MONO_Z_T_EM_HIGH,
    MONO_Z_EGR_LOW,
    MONO_Z_EGR_HIGH,
    MONO_Z_CAM_LOW,                                /* [MONO_SIDES] */
    MONO_Z_CAM_HIGH = MONO_Z_CAM_LOW + MONO_SIDES, /* [MONO_SIDES] */
    MONO_Z_COLD_ENGINE = MONO_Z_CAM_HIGH + MONO_SIDES,
    MONO_Z_HOT_ENGINE,
    MONO_Z_SCAVENGING,
    MONO_Z_SENSOR_FAULT,
    MONO_Z_PARKED,
    MONO_Z_GAS_END,

    /* fuel and combustion: 17 active, 20 guards */
    MONO_Z_CALCULATION = MONO_Z_GAS_END,
    MONO_Z_INJECTION,
    MONO_Z_INJECTED,
    MONO_Z_EVAPORATION,
    MONO_Z_DROPS_GONE,
    MONO_Z_FILM_GONE,
    MONO_Z_CHARGES,
    MONO_Z_SPARK,
    MONO_Z_BURN, /* [MONO_BURN_BORDERS] */
    MONO_Z_RAIL_LOW = MONO_Z_BURN + MONO_BURN_BORDERS,
    MONO_Z_RAIL_HIGH,
    MONO_Z_FUEL_CUT,
    MONO_Z_FUEL_RICH,
    MONO_Z_ADVANCE_EARLY,
    MONO_Z_ADVANCE_LATE,
    MONO_Z_SOI_EARLY,
    MONO_Z_SOI_LATE,
    MONO_Z_BATTERY_LOW,
    MONO_Z_FUEL_COLD,
    MONO_Z_FUEL_HOT,
    MONO_Z_LAMBDA_LEAN,
    MONO_Z_LAMBDA_RICH,
    MONO_Z_IGNITION_INHIBITED,
    MONO_Z_INJECTS_LATE,
    MONO_Z_BURNS_LATE,
    MONO_Z_DILUTE,
    MONO_Z_MIXTURE_FAULT,
    MONO_Z_FUEL_OFF,
    MONO_Z_IGNITION_OFF,
    MONO_Z_FUEL_END,

    /* test bench: 4 active, 33 guards */
    MONO_Z_CYCLE = MONO_Z_FUEL_END,
    MONO_Z_WINDOW_OPENS,
    MONO_Z_WINDOW_CLOSES,
    MONO_Z_COMBUSTION_SEEN,
    MONO_Z_SPEED_LOW,
    MONO_Z_SPEED_REVERSE,
    MONO_Z_SPEED_HIGH,
    MONO_Z_SPEED_OVER,
    MONO_Z_OIL_P_LOW,
    MONO_Z_OIL_P_LOST,
    MONO_Z_OIL_P_HIGH,
    MONO_Z_OIL_T_LOW,
    MONO_Z_OIL_T_HIGH,
    MONO_Z_OIL_T_ALARM,
    MONO_Z_COOLANT_LOW,
    MONO_Z_COOLANT_HIGH,
    MONO_Z_COOLANT_ALARM,
    MONO_Z_VIBRATION_HIGH,
    MONO_Z_VIBRATION_ALARM,
    MONO_Z_CELL_GAS_HIGH,
    MONO_Z_CELL_GAS_ALARM,
    MONO_Z_CELL_T_HIGH,
    MONO_Z_CELL_T_ALARM,
    MONO_Z_DYNO_T_HIGH,
    MONO_Z_DYNO_T_ALARM,
    MONO_Z_WATER_LOW,
    MONO_Z_WATER_LOST,
    MONO_Z_CRANK_SENSOR_LOST,
    MONO_Z_CAM_SENSOR_LOST,
    MONO_Z_STOP_PRESSED,
    MONO_Z_DOOR_OPEN,
    MONO_Z_KNOCK_LIGHT,
    MONO_Z_KNOCK_HEAVY,
    MONO_Z_KNOCK_SILENT,
    MONO_Z_MISFIRING,
    MONO_Z_WARNING,
    MONO_Z_TRIPPED,
    MONO_Z_COUNT
};

/* Discrete states. */
enum {
    /* gas exchange and charge */
    MONO_D_OPEN,                                                 /* [MONO_SIDES] */
    MONO_D_LIFT = MONO_D_OPEN + MONO_SIDES,                      /* [side][MONO_LIFT_BREAKS] */
    MONO_D_REGIME = MONO_D_LIFT + MONO_SIDES * MONO_LIFT_BREAKS, /* [side][MONO_REGIMES] */
    MONO_D_HOT = MONO_D_REGIME + MONO_SIDES * MONO_REGIMES,
    MONO_D_FIRED_PRESSURE = MONO_D_HOT + MONO_HOT_BREAKS,
    MONO_D_P_IVC,
    MONO_D_V_IVC,
    MONO_D_T_IVC,
    MONO_D_AIR_IVC,
    MONO_D_RESIDUAL,
    MONO_D_P_IM,
    MONO_D_T_IM,
    MONO_D_P_EM,
    MONO_D_T_EM,
    MONO_D_EGR,
    MONO_D_CAM_LOW,                                /* [MONO_SIDES] */
    MONO_D_CAM_HIGH = MONO_D_CAM_LOW + MONO_SIDES, /* [MONO_SIDES] */
    MONO_D_COLD_ENGINE = MONO_D_CAM_HIGH + MONO_SIDES,
    MONO_D_HOT_ENGINE,
    MONO_D_SCAVENGING,
    MONO_D_SENSOR_FAULT,
    MONO_D_PARKED,
    MONO_D_GAS_END,

    /* fuel and combustion */
    MONO_D_ADVANCE = MONO_D_GAS_END,
    MONO_D_SOI,
    MONO_D_FUEL_MASS,
    MONO_D_CHARGE_ANGLE,
    MONO_D_INJECTING,
    MONO_D_INJECTED_ANGLE,
    MONO_D_IN_FLIGHT,
    MONO_D_EVAPORATION,
    MONO_D_FILM_RATE,
    MONO_D_EVAPORATION_ANGLE,
    MONO_D_DROPS_ANGLE,
    MONO_D_FILM_ANGLE,
    MONO_D_COIL_ON,
    MONO_D_BURNING,
    MONO_D_BURN_ANGLE,
    MONO_D_BURN_DURATION,
    MONO_D_BURN_SLOPE,
    MONO_D_CHARGE_FUEL,
    MONO_D_DILUTION,
    MONO_D_RAIL,
    MONO_D_FUEL_CUT,
    MONO_D_FUEL_RICH,
    MONO_D_ADVANCE_EARLY,
    MONO_D_ADVANCE_LATE,
    MONO_D_SOI_EARLY,
    MONO_D_SOI_LATE,
    MONO_D_BATTERY_LOW,
    MONO_D_FUEL_COLD,
    MONO_D_FUEL_HOT,
    MONO_D_LAMBDA,
    MONO_D_IGNITION_INHIBITED,
    MONO_D_INJECTS_LATE,
    MONO_D_BURNS_LATE,
    MONO_D_DILUTE,
    MONO_D_MIXTURE_FAULT,
    MONO_D_FUEL_OFF,
    MONO_D_IGNITION_OFF,
    MONO_D_FUEL_END,

    /* test bench */
    MONO_D_CYCLE = MONO_D_FUEL_END,
    MONO_D_WINDOW,
    MONO_D_COMBUSTION_SEEN,
    MONO_D_KNOCK_RETARD,
    MONO_D_MISFIRES,
    MONO_D_SPEED,
    MONO_D_OIL_P,
    MONO_D_OIL_T,
    MONO_D_COOLANT,
    MONO_D_VIBRATION,
    MONO_D_CELL_GAS,
    MONO_D_CELL_T,
    MONO_D_DYNO_T,
    MONO_D_WATER,
    MONO_D_SENSORS,
    MONO_D_SAFETY,
    MONO_D_KNOCK,
    MONO_D_KNOCK_SILENT,
    MONO_D_MISFIRING,
    MONO_D_WARNING,
    MONO_D_TRIPPED,
    MONO_D_COUNT
};

/* Channels of the test bench whose warnings and trips are counted in MONO_D_WARNING and MONO_D_TRIPPED. */
enum { MONO_D_CHANNELS = MONO_D_SPEED, MONO_CHANNELS = MONO_D_MISFIRING - MONO_D_SPEED + 1 };

/* Piecewise linear function: a line with changes of slope at breaks. Discrete states hold which breaks have been
 * passed, so that the function is smooth between events and continuous at them. */
typedef struct mono_line {
    int n_break;
    double at_0, slope;             /* value at 0, slope below the first break */
    double breaks[MONO_HOT_BREAKS]; /* ascending */
    double change[MONO_HOT_BREAKS]; /* changes of the slope at the breaks */
} mono_line;

/* Constants of one instance. */
typedef struct mono_data {
    const double *param;
    double area_m2, swept_m3, clearance_m3, crank_m, rod_m, liner_m;
    mono_line cv;                  /* heat capacity at constant volume, J/(kg K), over T in K */
    mono_line discharge;           /* discharge coefficient over lift / diameter */
    double curtain_m2[MONO_SIDES]; /* curtain area of all valves of a side per lift/diameter, m2 */
    double
        /* fraction burned at equally spaced borders of the burn table, 0 ... 1 */
        burned[MONO_BURN_BORDERS];
    double injected[MONO_GASES]; /* mass fractions of the injected mass */
    double heat_factor;          /* Woschni's factor times the power of the bore */
    int has_sums;
} mono_data;

/* Quantities that algebra() computes once per point. */
typedef struct mono_work {
    double omega;               /* crank speed, rad/s */
    double phi_deg;             /* crank angle since firing top dead centre, 0 ... 720 deg */
    double volume_m3, slope_m3; /* cylinder volume, m3; dV/dangle, m3/rad */
    double travel_m;            /* piston travel from top dead centre, m */
    double lift[MONO_SIDES];    /* valve lift over valve diameter */
    double area_m2[MONO_SIDES];
    double mass_kg, p;   /* mass of the gas, kg; its pressure from the masses, Pa */
    double cv, u, gamma; /* cv of the gas, J/(kg K); internal energy, J/kg; cp / cv */
} mono_work;

enum { MONO_WORK_DOUBLES = sizeof(mono_work) / sizeof(double) };

static inline const mono_work *mono_work_of(const wrsim_point *point)
{
    return (const mono_work *)(const void *)point->w;
}

/* Ratio to the motored pressure above which the gas speed at the walls contains the combustion term. */
#define MONO_FIRED_RATIO 1.15

/* Specific gas constant of all three gases, J/(kg K). */
#define MONO_GAS_R 287.6

extern const wrsim_variable mono_params[MONO_PARAMS];
int mono_describe(wrsim_instance *, wrsim_description *);

/* mono_line_at: value at x. mono_line_integral: integral from 0 to x. passed: flags of the passed breaks; NULL: found
 * from x. */
double mono_line_at(const mono_line *line, const double *passed, double x);
double mono_line_integral(const mono_line *line, const double *passed, double x);

/* Angle difference x_deg - at_deg, between -360 and 360 degrees. */
double mono_angle_since(double x_deg, double at_deg);
/* Angle after firing top dead centre, deg, at which the valves of a side open. The cam phaser moves opening and closing
 * by the same angle. */
double mono_opens_deg(const mono_data *data, const double *d, const double *u, int side);
/* Pressure of unfired gas at the present volume, Pa, by a polytropic change from intake closing. */
double mono_motored_pressure(const double *d, double volume_m3);
/* Pressure ratio below which a flow is choked. */
double mono_critical_ratio(double gamma);
/* cp / cv of external gas at temperature T, K. */
double mono_gamma_of(const mono_data *data, double T);
/* Computes geometry and gas state, without quantities that only flows need. */
void mono_state(const mono_data *data, const wrsim_point *point, mono_work *ret_work);
/* Heat release of the combustion, W. */
double mono_heat_rate(const mono_data *data, const double *d, double omega);

int mono_algebra(wrsim_instance *, const wrsim_point *, double *ret_w);
int mono_rhs(wrsim_instance *, const wrsim_point *, double *ret_dx);

/* A flag: an event whose discrete state is the sum of the weights of its positive indicators. */
typedef struct mono_flag {
    int z, d;
    double weight;
} mono_flag;

/* A guard on one input: its indicator is sign (u - limit) times a scale. */
typedef struct mono_guard {
    mono_flag flag;
    int u;
    double sign, limit, scale;
} mono_guard;

enum { MONO_GUARDS = 57 };
extern const mono_guard mono_guards[MONO_GUARDS];

/* An indicator on a sum of discrete states of its block: first ... first + n - 1, and `more` (0: none). */
typedef struct mono_sum {
    mono_flag flag;
    int first, n, more[3];
    double limit;
} mono_sum;

enum { MONO_SUM_GUARDS = 8 };
extern const mono_sum mono_sums[MONO_SUM_GUARDS];

/* Flags that are neither guards nor sums. */
enum { MONO_FLAGS = 21 };
extern const mono_flag mono_flags[MONO_FLAGS];

/* Crank angles of events, rad modulo a cycle. */
void mono_event_angles(const mono_data *data, const wrsim_point *point,
                       double ret_angle[MONO_ANGLES]);
extern const int mono_angle_indicator[MONO_ANGLES];
int mono_indicator(wrsim_instance *, const wrsim_point *, double *ret_z);

/* Sets discrete states at the start, and acts at events. */
int mono_event(wrsim_instance *, const wrsim_point *, const wrsim_event *, double *x, double *d);

#endif
