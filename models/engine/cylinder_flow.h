/* Types, parameters, geometry and valve timing of one cylinder, for the cylinder and for the airpath.
 *
 * Cylinder and airpath exchange states. Both sides compute the flows through the valves from the same function
 * (valve_flow.h). Event modes select the branches of the cylinder, and present values select the branches of the
 * airpath's port (cylinder_port.c). If modes and values agree, both results have the same bits at equal states.
 *
 * Crank slider and valve flow: Heywood, Internal Combustion Engine Fundamentals, 1988, 2.2, 6.3, appendix C.
 *
 * Angles: phi = theta - firing offset - 720 cycles, in degrees: 0 bottom dead centre before
 * compression, 180 firing top dead centre, 540 gas exchange top dead centre.
 * Signs: intake flows are positive into the cylinder, exhaust flows positive out of it.
 *
 * Thread: any. Real-time: all but engine_flow_data_init().
 */
#ifndef ENGINE_CYLINDER_FLOW_H
#define ENGINE_CYLINDER_FLOW_H

#include "models/engine/gas.h"
#include "wrsim/model.h"

#define ENGINE_PI 3.14159265358979323846
#define ENGINE_DEG_PER_RAD 57.29577951308232
#define ENGINE_CYCLE_DEG 720.0

/* Number of breaks of the table of discharge coefficients. */
enum { ENGINE_LIFT_BREAKS = 5 };
/* Lift over diameter at the breaks and ends of the table of discharge coefficients. */
extern const double engine_lift_ratio[ENGINE_LIFT_BREAKS + 2];

/* Throat area over the area of the valve's head (models/engine/readme.md). */
#define ENGINE_THROAT_FRACTION 0.85
/* Lift over diameter at which the curtain area equals the throat area. */
#define ENGINE_THROAT_RATIO (ENGINE_THROAT_FRACTION / 4)

/* Parameters of all models of a cylinder, in this order; a model's own parameters follow. The values are for a 1.6..2 L class passenger car
 * diesel with two intake and two exhaust valves. Sources of the values: models/engine/readme.md. */
#define ENGINE_FLOW_PARAM_LIST(ROW)                                                                \
    ROW(PARAM, BORE, "bore", "m", 0.085, 0.01, 2, "cylinder bore")                                 \
    ROW(PARAM, STROKE, "stroke", "m", 0.088, 0.01, 4, "piston stroke")                             \
    ROW(PARAM, ROD, "rod", "m", 0.145, 0.01, 10, "length of the connecting rod")                   \
    ROW(PARAM, COMPRESSION, "compression_ratio", "1", 17, 2, 40, "largest over smallest volume")   \
    ROW(PARAM, OFFSET, "firing_offset", "deg", 0, -720, 720,                                       \
        "crank angle at which the cycle begins (0 = BDC before compression); 0, 540, 180, 360 "    \
        "for cylinders 1 to 4 gives the firing order 1-3-4-2")                                     \
    ROW(PARAM, IVO, "intake_open", "deg", 530, 400, 600, "intake valve opens")                     \
    ROW(PARAM, IVC, "intake_close", "deg", 750, 721, 809,                                          \
        "intake valve closes (750 = 30 of the next cycle)")                                        \
    ROW(PARAM, EVO, "exhaust_open", "deg", 318, 250, 399, "exhaust valve opens")                   \
    ROW(PARAM, EVC, "exhaust_close", "deg", 552, 450, 700, "exhaust valve closes")                 \
    ROW(INTEGER, IV_COUNT, "intake_valves", "1", 2, 1, 8, "number of intake valves")               \
    ROW(PARAM, IV_DIAMETER, "intake_valve_diameter", "m", 0.027, 1e-3, 1,                          \
        "head of an intake valve")                                                                 \
    ROW(PARAM, IV_LIFT, "intake_valve_lift", "m", 0.0085, 0, 1,                                    \
        "largest lift of the intake valves")                                                       \
    ROW(INTEGER, EV_COUNT, "exhaust_valves", "1", 2, 1, 8, "number of exhaust valves")             \
    ROW(PARAM, EV_DIAMETER, "exhaust_valve_diameter", "m", 0.024, 1e-3, 1,                         \
        "head of an exhaust valve")                                                                \
    ROW(PARAM, EV_LIFT, "exhaust_valve_lift", "m", 0.0082, 0, 1,                                   \
        "largest lift of the exhaust valves")                                                      \
    ROW(PARAM, IM_VOLUME, "intake_volume", "m3", 3.0e-3, 1e-6, 100,                                \
        "volume of the intake manifold (as in the airpath)")                                       \
    ROW(PARAM, EM_VOLUME, "exhaust_volume", "m3", 1.2e-3, 1e-6, 100,                               \
        "volume of the exhaust manifold (as in the airpath)")                                      \
    ROW(PARAM, CRANKCASE, "crankcase_pressure", "Pa", 1.0e5, 0, 1e7, "pressure below the piston")
#define ENGINE_P_INDEX(kind, i, ...) ENGINE_P_##i,
enum { ENGINE_FLOW_PARAM_LIST(ENGINE_P_INDEX) ENGINE_FLOW_PARAM_COUNT };
#define ENGINE_P_ROW(kind, i, ...) [ENGINE_P_##i] = WR_##kind(__VA_ARGS__),
#define ENGINE_FLOW_PARAMS ENGINE_FLOW_PARAM_LIST(ENGINE_P_ROW)

typedef enum engine_valve_side {
    ENGINE_INTAKE,
    ENGINE_EXHAUST,
    ENGINE_VALVE_COUNT
} engine_valve_side;

typedef struct engine_valve {
    double open_deg, close_deg;
    double lift_m, diameter_m, per_diameter; /* maximum lift, diameter of the head, 1/diameter */
    double half_turns_per_deg;               /* 180 degrees over the opening duration */
    double circumference_m, throat_m2;       /* sum of all valves of a side */
} engine_valve;

/* Constants of one cylinder, in instance->data. */
typedef struct engine_flow_data {
    engine_gas gas;
    double piston_area_m2, swept_m3, clearance_m3, crank_m, rod_m;
    double offset_deg;
    double crankcase_pa;
    engine_valve valve[ENGINE_VALVE_COUNT];
    double per_manifold_m3[ENGINE_VALVE_COUNT];
} engine_flow_data;

/* Indices of the states of the gas in the cylinder. */
enum { ENGINE_CYL_AIR, ENGINE_CYL_FUEL, ENGINE_CYL_BURNED, ENGINE_CYL_T, ENGINE_CYL_COUNT };
/* Indices of a manifold's states, in the order of the inputs. */
enum { ENGINE_MAN_AIR, ENGINE_MAN_BURNED, ENGINE_MAN_T, ENGINE_MAN_COUNT };

/* Values of the parameter `gas` of the cylinder and of its port. */
enum { ENGINE_GAS_IDEAL, ENGINE_GAS_CONNECTED };
extern const char *const engine_gas_sources[];
#define ENGINE_GAS_PARAM                                                                           \
    "gas", "1", ENGINE_GAS_IDEAL, 0, 0,                                                            \
        "\"ideal\": air, burned gas and vapour of fixed composition; \"connected\": pressure and " \
        "dissociation are inputs, which engine.cylinder_gas computes",                             \
        .choices = engine_gas_sources

/* Signals of engine.cylinder_gas, in this order also inputs of the cylinder. The port reads the signals before ENGINE_DISS_PORT_COUNT.
 * Values of dissociation are differences from the frozen gas of gas.h at equal temperature and density. */
enum {
    ENGINE_DISS_P, /* pressure of all gas in the cylinder, Pa */
    ENGINE_DISS_H, /* enthalpy of dissociation, J/kg of air and burned gas */
    ENGINE_DISS_PORT_COUNT,
    ENGINE_DISS_C =
        ENGINE_DISS_PORT_COUNT, /* heat capacity of dissociation at constant volume, J/K */
    ENGINE_DISS_U_AIR, /* energy of dissociation by mass of air, at constant T and volume, J/kg */
    ENGINE_DISS_U_BURNED,   /* energy of dissociation by mass of burned gas, J/kg */
    ENGINE_DISS_P_INTERNAL, /* energy of dissociation by volume, at constant T and masses, J/m3 */
    ENGINE_DISS_U,          /* energy of dissociation, J */
    ENGINE_DISS_COUNT
};

/* Branches that are frozen between events. */
typedef struct engine_flow_branch {
    const unsigned char *orifice[ENGINE_VALVE_COUNT];    /* [3] each, see orifice.h */
    const unsigned char *lift_table[ENGINE_VALVE_COUNT]; /* [ENGINE_LIFT_BREAKS] each */
    int is_throat[ENGINE_VALVE_COUNT]; /* 1: the throat, not the curtain, limits the area */
    int range;                         /* temperature range of the gas in the cylinder, see gas.h */
} engine_flow_branch;

/* Point at which flows are computed. */
typedef struct engine_flow_point {
    const double *cylinder; /* [ENGINE_CYL_COUNT] */
    /* [ENGINE_SPECIES_COUNT] enthalpies, J/kg; NULL: the function computes them */
    const double *cylinder_h;
    const double *manifold[ENGINE_VALVE_COUNT]; /* [ENGINE_MAN_COUNT] each */
    const engine_flow_branch *branch;           /* frozen branches; NULL: values select branches */
} engine_flow_point;

/* Geometry and gas of the cylinder, for the flow through its valves. All members are doubles, because a model's w stores the structure. */
typedef struct engine_flow {
    double phi_deg;
    double volume_m3, slope_m3, travel_m; /* V; dV/dtheta, m3/rad; piston travel from TDC */
    double mass, per_kg, rt, p;           /* gas in the cylinder: kg, 1/mass, J/kg, Pa */
    double torque;                        /* (p - crankcase) dV/dtheta, N m */
} engine_flow;

/* Flow through the valves of one side. */
typedef struct engine_valve_flow {
    double mass, air, burned_gas, fuel; /* kg/s */
    double enthalpy;                    /* W */
    double jet_m_s; /* speed in the valve curtain, contraction included; 0: no intake inflow */
} engine_valve_flow;

/* Fills data from the first ENGINE_FLOW_PARAM_COUNT parameters. */
void engine_flow_data_init(engine_flow_data *ret_data, const double *param);

/* Returns phi, the angle within the cycle after `cycle` complete cycles, deg. theta: crank angle, rad. */
static inline double engine_phi(const engine_flow_data *data, double theta, double cycle)
{
    return theta * ENGINE_DEG_PER_RAD - data->offset_deg - ENGINE_CYCLE_DEG * cycle;
}

/* Returns the number of complete cycles at theta, rad, so that phi is in [0, 720). The result equals floor() of the cycles, without a call:
 * the addition of 1.5 * 2^52 rounds to the nearest whole number. */
static inline double engine_cycle(const engine_flow_data *data, double theta)
{
    const double shift = 6755399441055744.0;
    const double cycles = (theta * ENGINE_DEG_PER_RAD - data->offset_deg) / ENGINE_CYCLE_DEG;
    const double rounded = cycles + shift - shift;
    return rounded > cycles ? rounded - 1 : rounded;
}

/* Returns the volume, m3. Writes the slope per rad and the piston travel if the pointers are not NULL. */
double engine_volume(const engine_flow_data *data, double phi_deg, double *ret_slope_m3,
                     double *ret_travel_m);

/* Returns the angle to compare with a valve's timing, deg. The intake phase extends past 720 degrees, so an angle before firing top dead
 * centre counts as an angle of the previous cycle's intake phase. */
static inline double engine_valve_angle(engine_valve_side side, double phi_deg)
{
    const double wrap_deg = 180;
    return side == ENGINE_INTAKE && phi_deg < wrap_deg ? phi_deg + ENGINE_CYCLE_DEG : phi_deg;
}

/* Returns 1 if the value of phi is within the valve's opening phase. The function reads no mode. */
static inline int engine_valve_is_open(const engine_flow_data *data, engine_valve_side side,
                                       double phi_deg)
{
    const double angle = engine_valve_angle(side, phi_deg);
    return angle > data->valve[side].open_deg && angle < data->valve[side].close_deg;
}

/* Returns p V of the gas in a manifold, J. */
static inline double engine_manifold_energy(const engine_flow_data *data, const double *manifold)
{
    return (manifold[ENGINE_MAN_AIR] * data->gas.r[ENGINE_AIR] +
            manifold[ENGINE_MAN_BURNED] * data->gas.r[ENGINE_BURNED]) *
           manifold[ENGINE_MAN_T];
}

/* Returns the pressure in a manifold, Pa. */
static inline double engine_manifold_p(const engine_flow_data *data, engine_valve_side side,
                                       const double *manifold)
{
    return engine_manifold_energy(data, manifold) * data->per_manifold_m3[side];
}

#endif
