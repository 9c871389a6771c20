/* Types, indices and functions that the source files of the spark-ignition mono-cylinder share:
 *
 *    mono_cylinder.c    declarations, start values, outputs, the descriptor
 *    mono_rates.c       algebra() and rhs(): the equations
 *    mono_indicators.c  indicator(): the 111 events, and the table of guards
 *    mono_events.c      event(): actions of the events
 *
 * States, events and discrete states have the roles of Ben Khaled et al. (2013), section 6 (docs/METHODS.md, Sources).
 * Events and discrete states form three blocks: gas exchange and charge, fuel and combustion, test bench. In each
 * block, active events come first: they depend on states, and most happen in every cycle. Equations, parameters and sources:
 * models/mono_cylinder/readme.md.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#ifndef MONO_VARIABLES_H
#define MONO_VARIABLES_H

#include "models/describe.h"

#define MONO_PI 3.14159265358979323846
#define MONO_RAD_PER_DEG (MONO_PI / 180)
#define MONO_CYCLE_DEG 720.0

/* The three gases, in the order of Ben Khaled et al. (2013). */
enum { MONO_AIR, MONO_FUEL, MONO_BURNED, MONO_GASES };

enum { MONO_INTAKE, MONO_EXHAUST, MONO_SIDES };

/* Numbers of inner breaks of the tables of discharge coefficient over lift and heat capacity over temperature, and
 * number of borders of the burn table. */
enum { MONO_LIFT_BREAKS = 2, MONO_HOT_BREAKS = 3, MONO_BURN_BORDERS = 9 };

/* From each list of variables, macros make indices and a table. A row has the index without its prefix, then the arguments of
 * WR_PARAM (parameters) or WR_VALUE. Rows of indicators have the arguments of WR_SIGNAL without the nominal value, which is 1. */
#define MONO_PARAM_LIST(ROW)                                                                       \
    ROW(BORE, "bore", "m", 0.086, 0.01, 1, "bore")                                                 \
    ROW(STROKE, "stroke", "m", 0.086, 0.01, 2, "stroke")                                           \
    ROW(ROD, "rod", "m", 0.143, 0.01, 5, "length of the connecting rod, centre to centre")         \
    ROW(COMPRESSION, "compression_ratio", "1", 10, 1.5, 30, "compression ratio")                   \
    ROW(OPEN, "intake_open", "deg", 365, 330, 450,                                                 \
        "angle at which the intake valves open (0 = firing TDC, 360 = gas-exchange TDC)")          \
    ROW(EXHAUST_OPEN, "exhaust_open", "deg", 130, 60, 200,                                         \
        "angle at which the exhaust valves open")                                                  \
    ROW(CLOSE, "intake_close", "deg", 596, 500, 599, "angle at which the intake valves close")     \
    ROW(EXHAUST_CLOSE, "exhaust_close", "deg", 360, 300, 400,                                      \
        "angle at which the exhaust valves close")                                                 \
    ROW(DIAMETER, "intake_diameter", "m", 0.033, 1e-3, 1, "diameter of an intake valve")           \
    ROW(EXHAUST_DIAMETER, "exhaust_diameter", "m", 0.028, 1e-3, 1, "diameter of an exhaust valve") \
    ROW(LIFT, "intake_lift", "m", 0.0085, 1e-5, 0.2, "maximum lift of the intake valves")          \
    ROW(EXHAUST_LIFT, "exhaust_lift", "m", 0.0080, 1e-5, 0.2,                                      \
        "maximum lift of the exhaust valves")                                                      \
    ROW(COUNT_VALVES, "intake_valves", "1", 2, 1, 8, "number of intake valves",                    \
        .flags = WRSIM_INTEGER)                                                                    \
    ROW(EXHAUST_VALVES, "exhaust_valves", "1", 2, 1, 8, "number of exhaust valves",                \
        .flags = WRSIM_INTEGER)                                                                    \
    ROW(CAM_RANGE, "cam_range", "deg", 40, 1, 60, "adjustment range of each cam phaser")           \
    ROW(HEATING_VALUE, "heating_value", "J/kg", 44.0e6, 0, 2e8,                                    \
        "lower heating value of petrol vapour")                                                    \
    ROW(AIR_FUEL, "air_fuel_ratio", "1", 14.6, 1, 40, "stoichiometric air/fuel ratio by mass")     \
    ROW(VAPORISATION, "vaporisation_heat", "J/kg", 305e3, 0, 3e6,                                  \
        "heat of vaporisation of petrol")                                                          \
    ROW(EFFICIENCY, "combustion_efficiency", "1", 0.97, 0.1, 1,                                    \
        "fraction of the burnable fuel that burns")                                                \
    ROW(DEVELOPMENT, "flame_development", "deg", 12, 1, 90,                                        \
        "angle from spark to start of burning, without residual gas at 2000 rpm")                  \
    ROW(DURATION, "burn_duration", "deg", 38, 5, 180,                                              \
        "burn duration, without residual gas at 2000 rpm")                                         \
    ROW(WIEBE_A, "wiebe_a", "1", 5, 1, 10, "Wiebe's efficiency factor")                            \
    ROW(WIEBE_M, "wiebe_m", "1", 2, 0, 10, "Wiebe's form factor")                                  \
    ROW(DILUTION_LIMIT, "dilution_limit", "1", 0.35, 0, 1,                                         \
        "burned-gas fraction above which no flame grows")                                          \
    ROW(INJECTOR_FLOW, "injector_flow", "kg/s", 0.012, 1e-6, 10,                                   \
        "injector flow at a rail pressure of 100 bar")                                             \
    ROW(DROPLET_DELAY, "droplet_delay", "s", 0.3e-3, 1e-6, 0.1,                                    \
        "time from start of injection to first vapour")                                            \
    ROW(DROPLET_TIME, "droplet_time", "s", 2.5e-3, 1e-6, 0.1, "lifetime of a droplet")             \
    ROW(FILM_SHARE, "film_share", "1", 0.15, 1e-3, 1, "fraction of the fuel that wets a wall")     \
    ROW(FILM_TIME, "film_time", "s", 6e-3, 1e-6, 1, "lifetime of the wall film")                   \
    ROW(INJECTED_AIR, "injected_air", "1", 0, 0, 0.5,                                              \
        "mass fraction of air in the injected gas (air-assisted injector)")                        \
    ROW(INJECTED_BURNED, "injected_burned", "1", 0, 0, 0.5,                                        \
        "mass fraction of burned gas in the injected gas")                                         \
    ROW(DWELL, "dwell", "s", 3.5e-3, 1e-5, 0.1, "charging time of the ignition coil")              \
    ROW(HEAD_RISE, "head_rise", "K", 70, 0, 500, "temperature of the head above the coolant")      \
    ROW(PISTON_RISE, "piston_rise", "K", 110, 0, 500,                                              \
        "temperature of the piston above the coolant")                                             \
    ROW(LINER_RISE, "liner_rise", "K", 35, 0, 500, "temperature of the liner above the coolant")   \
    ROW(BALANCE, "balance", "1", 0, 0, 1, "1: add sums of all flows of mass and energy as states", \
        .flags = WRSIM_INTEGER)
#define MONO_P_INDEX(i, ...) MONO_P_##i,
enum { MONO_PARAM_LIST(MONO_P_INDEX) MONO_PARAMS };

/* States X0 ... X14 of Ben Khaled et al. (2013), section 6.1. With balance = 1 sums follow. */
#define MONO_STATE_LIST(ROW)                                                                       \
    ROW(CRANK, "crank_angle", "rad", -2.0071286397934789, 10, "crank angle, 0 = firing TDC")       \
    ROW(EVAPO, "evapo_air", "kg", 0, 1e-5, "air injected with the fuel")                           \
    ROW(EVAPO_FUEL, "evapo_fuel", "kg", 0, 1e-5, "fuel evaporated")                                \
    ROW(EVAPO_BURNED, "evapo_burned", "kg", 0, 1e-5, "burned gas injected with the fuel")          \
    ROW(QV_ALFA, "qv_alfa", "J", 0, 500, "heat released in this cycle")                            \
    ROW(MREF_ALFA, "mref_alfa", "1", 0, 1, "burned mass fraction in this cycle")                   \
    ROW(HEAT, "combu_heat_release", "J", 0, 500, "heat released since the start")                  \
    ROW(COMBU, "combu_air", "kg", 0, 1e-4, "air consumed by combustion (<= 0)")                    \
    ROW(COMBU_FUEL, "combu_fuel", "kg", 0, 1e-5, "fuel consumed by combustion (<= 0)")             \
    ROW(COMBU_BURNED, "combu_burned", "kg", 0, 1e-4, "burned gas produced by combustion")          \
    ROW(MASS, "m_air", "kg", 2.29e-4, 2e-4, "air in the cylinder")                                 \
    ROW(M_FUEL, "m_fuel", "kg", 1.57e-5, 2e-5, "fuel vapour in the cylinder")                      \
    ROW(M_BURNED, "m_burned", "kg", 4.0e-5, 2e-4, "burned gas in the cylinder")                    \
    ROW(ENERGY, "energy", "J", 90, 100, "sensible internal energy (start: from masses and T)")     \
    ROW(T, "T", "K", 375, 500, "gas temperature")
#define MONO_X_INDEX(i, ...) MONO_X_##i,
enum { MONO_STATE_LIST(MONO_X_INDEX) MONO_X_COUNT };

/* Sums for balances: inflow through the intake, outflow through the exhaust, energies. */
#define MONO_SUM_LIST(ROW)                                                                         \
    ROW(IN, "sum_air_in", "kg", 0, 1e-4, "air through the intake")                                 \
    ROW(SUM_FUEL_IN, "sum_fuel_in", "kg", 0, 1e-5, "fuel through the intake (<= 0)")               \
    ROW(SUM_BURNED_IN, "sum_burned_in", "kg", 0, 1e-4, "burned gas through the intake")            \
    ROW(OUT, "sum_air_out", "kg", 0, 1e-4, "air through the exhaust")                              \
    ROW(SUM_FUEL_OUT, "sum_fuel_out", "kg", 0, 1e-5, "fuel through the exhaust")                   \
    ROW(SUM_BURNED_OUT, "sum_burned_out", "kg", 0, 1e-4, "burned gas through the exhaust")         \
    ROW(IN_H, "sum_enthalpy_in", "J", 0, 500, "enthalpy through the intake")                       \
    ROW(OUT_H, "sum_enthalpy_out", "J", 0, 500, "enthalpy through the exhaust")                    \
    ROW(EVAPORATION, "sum_evaporation", "J", 0, 10, "energy brought by evaporated fuel")           \
    ROW(WALL, "sum_heat_wall", "J", 0, 500, "heat to the walls")                                   \
    ROW(WORK, "sum_work", "J", 0, 500, "work p dV")
#define MONO_S_INDEX(i, ...) MONO_S_##i,
enum { MONO_SUM_LIST(MONO_S_INDEX) MONO_SUMS };

#define MONO_INPUT_LIST(ROW)                                                                       \
    ROW(SPEED, "speed", "rad/s", 209.43951023931953, 100,                                          \
        "crank speed, imposed by the dynamometer")                                                 \
    ROW(P, "p_im", "Pa", 0.45e5, 1e5, "pressure in the intake pipe")                               \
    ROW(P_EM, "p_em", "Pa", 1.03e5, 1e5, "pressure in the exhaust pipe")                           \
    ROW(T, "T_im", "K", 310, 300, "temperature in the intake pipe")                                \
    ROW(T_EM, "T_em", "K", 850, 1000, "temperature in the exhaust pipe")                           \
    ROW(EGR, "egr", "1", 0.03, 1, "share of burned gas in the intake pipe")                        \
    ROW(CAM, "cam_intake", "deg", 10, 10, "advance of the intake phaser")                          \
    ROW(CAM_EXHAUST, "cam_exhaust", "deg", 15, 10, "retard of the exhaust phaser")                 \
    ROW(COOLANT, "T_coolant", "K", 363, 300, "temperature of the coolant")                         \
    ROW(FUEL, "fuel_factor", "1", 1, 1, "demanded fuel over stoichiometric fuel")                  \
    ROW(ADVANCE, "spark_advance", "deg", 35, 10, "demanded spark advance before TDC")              \
    ROW(SOI, "soi", "deg", 420, 100, "demanded start of injection")                                \
    ROW(RAIL, "p_rail", "Pa", 100e5, 100e5, "pressure in the fuel rail")                           \
    ROW(T_FUEL, "T_fuel", "K", 313, 300, "temperature of the fuel")                                \
    ROW(BATTERY, "battery", "V", 13.5, 10, "supply voltage of the ignition")                       \
    ROW(LAMBDA, "lambda", "1", 1, 1, "measured air/fuel equivalence ratio")                        \
    ROW(IGNITION, "ignition_enable", "1", 1, 1, "1 = ignition relay closed")                       \
    ROW(KNOCK, "knock_level", "1", 0.2, 1, "signal of the knock sensor, 1 = light knock")          \
    ROW(OIL_P, "p_oil", "Pa", 3.5e5, 1e5, "pressure of the oil")                                   \
    ROW(OIL_T, "T_oil", "K", 368, 300, "temperature of the oil")                                   \
    ROW(VIBRATION, "vibration", "mm/s", 8, 10, "vibration velocity of the bearings")               \
    ROW(CELL_GAS, "cell_gas", "ppm", 2, 10, "carbon monoxide in the test cell")                    \
    ROW(CELL_T, "T_cell", "K", 298, 300, "air temperature in the test cell")                       \
    ROW(DYNO_T, "T_dyno", "K", 340, 300, "temperature of the dynamometer's windings")              \
    ROW(WATER, "water_flow", "1", 1, 1, "flow of cooling water over its nominal flow")             \
    ROW(CRANK_SENSOR, "crank_sensor", "1", 1, 1, "1 = crank sensor gives a signal")                \
    ROW(CAM_SENSOR, "cam_sensor", "1", 1, 1, "1 = cam sensor gives a signal")                      \
    ROW(STOP, "stop_button", "1", 0, 1, "1 = stop button pressed")                                 \
    ROW(DOOR, "door", "1", 0, 1, "1 = door of the test cell open")
#define MONO_U_INDEX(i, ...) MONO_U_##i,
enum { MONO_INPUT_LIST(MONO_U_INDEX) MONO_U_COUNT };

/* Outputs: the states of Ben Khaled et al. (2013) first, under their own names. */
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

/* Flow regimes of the valves of one side. */
enum { MONO_FORWARD, MONO_FREE, MONO_CHOKED, MONO_REGIMES };

/* Event indicators. */
/* ROW: name, unit, description. ANGLE: an event at a crank angle, in rad. */
#define MONO_INDICATOR_LIST(ROW, ANGLE)                                                            \
    /* gas exchange and charge: 18 active, 19 guards */                                            \
    ANGLE(OPENS, "intake_opens", "intake valves open")                                             \
    ANGLE(EXHAUST_OPENS, "exhaust_opens", "exhaust valves open")                                   \
    ANGLE(CLOSES, "intake_closes", "intake valves close")                                          \
    ANGLE(EXHAUST_CLOSES, "exhaust_closes", "exhaust valves close")                                \
    ROW(LIFT, "intake_lift_1", "1", "intake lift passes a break of the discharge table")           \
    ROW(INTAKE_LIFT_2, "intake_lift_2", "1", "intake lift passes a break of the discharge table")  \
    ROW(EXHAUST_LIFT_1, "exhaust_lift_1", "1",                                                     \
        "exhaust lift passes a break of the discharge table")                                      \
    ROW(EXHAUST_LIFT_2, "exhaust_lift_2", "1",                                                     \
        "exhaust lift passes a break of the discharge table")                                      \
    ROW(REGIME, "intake_forward", "bar", "flow into the cylinder")                                 \
    ROW(INTAKE_FREE, "intake_free", "1",                                                           \
        "intake flow leaves the range linear in the pressure difference")                          \
    ROW(INTAKE_CHOKED, "intake_choked", "1", "intake flow reaches the speed of sound")             \
    ROW(EXHAUST_FORWARD, "exhaust_forward", "bar", "flow out of the cylinder")                     \
    ROW(EXHAUST_FREE, "exhaust_free", "1",                                                         \
        "exhaust flow leaves the range linear in the pressure difference")                         \
    ROW(EXHAUST_CHOKED, "exhaust_choked", "1", "exhaust flow reaches the speed of sound")          \
    ROW(HOT, "gas_600_K", "1", "temperature passes a break of the heat capacity table")            \
    ROW(GAS_1000_K, "gas_1000_K", "1", "temperature passes a break of the heat capacity table")    \
    ROW(GAS_1500_K, "gas_1500_K", "1", "temperature passes a break of the heat capacity table")    \
    ROW(FIRED_PRESSURE, "fired_pressure", "bar",                                                   \
        "pressure above the motored pressure: faster gas at the walls")                            \
    ROW(P_IM_LOW, "p_im_low", "1", "intake pressure below 0.15 bar")                               \
    ROW(P_IM_HIGH, "p_im_high", "1", "intake pressure above 2.5 bar")                              \
    ROW(T_IM_LOW, "T_im_low", "1", "intake temperature below 243 K")                               \
    ROW(T_IM_HIGH, "T_im_high", "1", "intake temperature above 373 K")                             \
    ROW(P_EM_LOW, "p_em_low", "1", "exhaust pressure below 0.7 bar")                               \
    ROW(P_EM_HIGH, "p_em_high", "1", "exhaust pressure above 2.5 bar")                             \
    ROW(T_EM_LOW, "T_em_low", "1", "exhaust temperature below 400 K")                              \
    ROW(T_EM_HIGH, "T_em_high", "1", "exhaust temperature above 1273 K")                           \
    ROW(EGR_LOW, "egr_low", "1", "burned fraction in the intake below -0.01: sensor fault")        \
    ROW(EGR_HIGH, "egr_high", "1", "burned fraction in the intake above 0.35")                     \
    ROW(CAM_LOW, "cam_intake_low", "1", "intake phaser at its late stop")                          \
    ROW(CAM_EXHAUST_LOW, "cam_exhaust_low", "1", "exhaust phaser at its early stop")               \
    ROW(CAM_HIGH, "cam_intake_high", "1", "intake phaser at its early stop")                       \
    ROW(CAM_EXHAUST_HIGH, "cam_exhaust_high", "1", "exhaust phaser at its late stop")              \
    ROW(COLD_ENGINE, "cold_engine", "1", "coolant below 313 K: phasers parked")                    \
    ROW(HOT_ENGINE, "hot_engine", "1", "coolant above 388 K: phasers parked")                      \
    ROW(SCAVENGING, "scavenging", "bar", "intake pressure above exhaust pressure")                 \
    ROW(SENSOR_FAULT, "sensor_fault", "1", "a gas sensor is beyond its limits")                    \
    ROW(PARKED, "phasers_parked", "1", "cold, hot, scavenging or sensor fault")                    \
    /* fuel and combustion: 17 active, 20 guards */                                                \
    ANGLE(CALCULATION, "calculation", "control unit computes fuel and spark")                      \
    ANGLE(INJECTION, "injection_starts", "injector opens")                                         \
    ANGLE(INJECTED, "injection_ends", "injector closes")                                           \
    ANGLE(EVAPORATION, "evaporation_starts", "first vapour of droplets")                           \
    ANGLE(DROPS_GONE, "droplets_gone", "droplets evaporated, the wall film remains")               \
    ANGLE(FILM_GONE, "film_gone", "wall film evaporated")                                          \
    ANGLE(CHARGES, "coil_charges", "ignition coil switched on")                                    \
    ANGLE(SPARK, "spark", "coil switched off")                                                     \
    ANGLE(BURN, "burning_starts", "flame has developed: burn table, segment 1")                    \
    ANGLE(BURN_SEGMENT_2, "burn_segment_2", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_3, "burn_segment_3", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_4, "burn_segment_4", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_5, "burn_segment_5", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_6, "burn_segment_6", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_7, "burn_segment_7", "crank passes a border of the burn table")             \
    ANGLE(BURN_SEGMENT_8, "burn_segment_8", "crank passes a border of the burn table")             \
    ANGLE(BURNING_ENDS, "burning_ends", "end of the burn table")                                   \
    ROW(RAIL_LOW, "rail_low", "1", "fuel pressure below 20 bar")                                   \
    ROW(RAIL_HIGH, "rail_high", "1", "fuel pressure above 250 bar")                                \
    ROW(FUEL_CUT, "fuel_cut", "1", "fuel demand below 0.1: overrun")                               \
    ROW(FUEL_RICH, "fuel_rich", "1", "fuel demand above 1.5: limited")                             \
    ROW(ADVANCE_EARLY, "advance_early", "1", "spark advance above 50 deg: limited")                \
    ROW(ADVANCE_LATE, "advance_late", "1", "spark advance below -20 deg: limited")                 \
    ROW(SOI_EARLY, "soi_early", "1", "start of injection before 370 deg: limited")                 \
    ROW(SOI_LATE, "soi_late", "1", "start of injection after 540 deg: limited")                    \
    ROW(BATTERY_LOW, "battery_low", "V", "supply below 9 V: longer charging of the coil")          \
    ROW(FUEL_COLD, "fuel_cold", "1", "fuel below 263 K: larger wall film")                         \
    ROW(FUEL_HOT, "fuel_hot", "1", "fuel above 353 K: vapour in the lines")                        \
    ROW(LAMBDA_LEAN, "lambda_lean", "1", "lambda sensor above 1.3")                                \
    ROW(LAMBDA_RICH, "lambda_rich", "1", "lambda sensor below 0.75")                               \
    ROW(IGNITION_INHIBITED, "ignition_inhibited", "1", "ignition relay off")                       \
    ROW(INJECTS_LATE, "injects_late", "rad", "injection ends after 545 deg")                       \
    ROW(BURNS_LATE, "burns_late", "rad", "combustion will end after 120 deg")                      \
    ROW(DILUTE, "too_dilute", "1", "burned fraction above the limit of a flame")                   \
    ROW(MIXTURE_FAULT, "mixture_fault", "1", "unreliable mixture: spark retarded by 5 deg")        \
    ROW(FUEL_OFF, "fuel_off", "1", "no injection: fuel cut, or rail pressure outside its limits")  \
    ROW(IGNITION_OFF, "ignition_off", "1", "no spark: relay off, or no fuel")                      \
    /* test bench: 4 active, 33 guards */                                                          \
    ANGLE(CYCLE, "cycle", "firing TDC: a cycle is complete")                                       \
    ANGLE(WINDOW_OPENS, "window_opens", "window of the knock and combustion sensors opens")        \
    ANGLE(WINDOW_CLOSES, "window_closes", "window of the knock and combustion sensors closes")     \
    ROW(COMBUSTION_SEEN, "combustion_seen", "1",                                                   \
        "pressure above any pressure of compression alone")                                        \
    ROW(SPEED_LOW, "speed_low", "1", "speed below 60 rad/s")                                       \
    ROW(SPEED_REVERSE, "speed_reverse", "1", "speed below -1 rad/s")                               \
    ROW(SPEED_HIGH, "speed_high", "1", "speed above 650 rad/s")                                    \
    ROW(SPEED_OVER, "overspeed", "1", "speed above 730 rad/s")                                     \
    ROW(OIL_P_LOW, "oil_pressure_low", "1", "oil pressure below 1.5 bar")                          \
    ROW(OIL_P_LOST, "oil_pressure_lost", "1", "oil pressure below 0.8 bar")                        \
    ROW(OIL_P_HIGH, "oil_pressure_high", "1", "oil pressure above 7 bar")                          \
    ROW(OIL_T_LOW, "oil_cold", "1", "oil below 313 K")                                             \
    ROW(OIL_T_HIGH, "oil_hot", "1", "oil above 403 K")                                             \
    ROW(OIL_T_ALARM, "oil_too_hot", "1", "oil above 423 K")                                        \
    ROW(COOLANT_LOW, "coolant_cold", "1", "coolant below 323 K")                                   \
    ROW(COOLANT_HIGH, "coolant_hot", "1", "coolant above 378 K")                                   \
    ROW(COOLANT_ALARM, "coolant_too_hot", "1", "coolant above 393 K")                              \
    ROW(VIBRATION_HIGH, "vibration_high", "1", "vibration above 30 mm/s")                          \
    ROW(VIBRATION_ALARM, "vibration_too_high", "1", "vibration above 60 mm/s")                     \
    ROW(CELL_GAS_HIGH, "cell_gas_high", "1", "carbon monoxide above 30 ppm")                       \
    ROW(CELL_GAS_ALARM, "cell_gas_too_high", "1", "carbon monoxide above 60 ppm")                  \
    ROW(CELL_T_HIGH, "cell_hot", "1", "test cell above 313 K")                                     \
    ROW(CELL_T_ALARM, "cell_too_hot", "1", "test cell above 333 K")                                \
    ROW(DYNO_T_HIGH, "dyno_hot", "1", "dynamometer above 393 K")                                   \
    ROW(DYNO_T_ALARM, "dyno_too_hot", "1", "dynamometer above 423 K")                              \
    ROW(WATER_LOW, "water_low", "1", "cooling water below half its flow")                          \
    ROW(WATER_LOST, "water_lost", "1", "cooling water below a fifth of its flow")                  \
    ROW(CRANK_SENSOR_LOST, "crank_sensor_lost", "1", "crank sensor without signal: alarm")         \
    ROW(CAM_SENSOR_LOST, "cam_sensor_lost", "1", "cam sensor without signal: warning")             \
    ROW(STOP_PRESSED, "stop_pressed", "1", "stop button: alarm")                                   \
    ROW(DOOR_OPEN, "door_open", "1", "door of the cell: warning")                                  \
    ROW(KNOCK_LIGHT, "knock_light", "1", "knock sensor above 1 in its window")                     \
    ROW(KNOCK_HEAVY, "knock_heavy", "1", "knock sensor above 2 in its window")                     \
    ROW(KNOCK_SILENT, "knock_silent", "1", "knock sensor below its noise level: broken wire")      \
    ROW(MISFIRING, "misfiring", "1", "four misfires in a row")                                     \
    ROW(WARNING, "warning", "1", "a warning is active: speed reduced by 20 %")                     \
    ROW(TRIPPED, "trip", "1", "two warnings or an alarm: the crank is stopped")
#define MONO_Z_INDEX(i, ...) MONO_Z_##i,
enum { MONO_INDICATOR_LIST(MONO_Z_INDEX, MONO_Z_INDEX) MONO_Z_COUNT };

/* Indices of the events at crank angles. */
#define MONO_NO_ROW(...)
#define MONO_A_INDEX(i, ...) MONO_A_##i,
enum { MONO_INDICATOR_LIST(MONO_NO_ROW, MONO_A_INDEX) MONO_ANGLES };

/* Discrete states. */
#define MONO_DISCRETE_LIST(ROW)                                                                    \
    /* gas exchange and charge */                                                                  \
    ROW(OPEN, "intake_is_open", "1", 0, 1, "1 = intake valves open")                               \
    ROW(EXHAUST_IS_OPEN, "exhaust_is_open", "1", 0, 1, "1 = exhaust valves open")                  \
    ROW(LIFT, "intake_past_lift_1", "1", 0, 1,                                                     \
        "1 = intake lift above a break of the discharge table")                                    \
    ROW(INTAKE_PAST_LIFT_2, "intake_past_lift_2", "1", 0, 1,                                       \
        "1 = intake lift above a break of the discharge table")                                    \
    ROW(EXHAUST_PAST_LIFT_1, "exhaust_past_lift_1", "1", 0, 1,                                     \
        "1 = exhaust lift above a break of the discharge table")                                   \
    ROW(EXHAUST_PAST_LIFT_2, "exhaust_past_lift_2", "1", 0, 1,                                     \
        "1 = exhaust lift above a break of the discharge table")                                   \
    ROW(REGIME, "intake_is_forward", "1", 0, 1, "1 = intake flow into the cylinder")               \
    ROW(INTAKE_IS_FREE, "intake_is_free", "1", 0, 1, "1 = intake flow not laminar")                \
    ROW(INTAKE_IS_CHOKED, "intake_is_choked", "1", 0, 1, "1 = intake flow at the speed of sound")  \
    ROW(EXHAUST_IS_FORWARD, "exhaust_is_forward", "1", 0, 1,                                       \
        "1 = exhaust flow out of the cylinder")                                                    \
    ROW(EXHAUST_IS_FREE, "exhaust_is_free", "1", 0, 1, "1 = exhaust flow not laminar")             \
    ROW(EXHAUST_IS_CHOKED, "exhaust_is_choked", "1", 0, 1,                                         \
        "1 = exhaust flow at the speed of sound")                                                  \
    ROW(HOT, "gas_past_600_K", "1", 0, 1, "1 = gas above 600 K")                                   \
    ROW(GAS_PAST_1000_K, "gas_past_1000_K", "1", 0, 1, "1 = gas above 1000 K")                     \
    ROW(GAS_PAST_1500_K, "gas_past_1500_K", "1", 0, 1, "1 = gas above 1500 K")                     \
    ROW(FIRED_PRESSURE, "is_fired", "1", 0, 1, "1 = pressure above the motored pressure")          \
    ROW(P_IVC, "p_ivc", "Pa", 1e5, 1e5, "pressure at intake closing")                              \
    ROW(V_IVC, "V_ivc", "m3", 5e-4, 1e-4, "volume at intake closing")                              \
    ROW(T_IVC, "T_ivc", "K", 350, 100, "temperature at intake closing")                            \
    ROW(AIR_IVC, "air_ivc", "kg", 0, 1e-4, "air at intake closing")                                \
    ROW(RESIDUAL, "residual_ivc", "1", 0, 1, "share of burned gas at intake closing")              \
    ROW(P_IM, "p_im_fault", "1", 0, 1, "1 = intake pressure outside its limits")                   \
    ROW(T_IM, "T_im_fault", "1", 0, 1, "1 = intake temperature outside its limits")                \
    ROW(P_EM, "p_em_fault", "1", 0, 1, "1 = exhaust pressure outside its limits")                  \
    ROW(T_EM, "T_em_fault", "1", 0, 1, "1 = exhaust temperature outside its limits")               \
    ROW(EGR, "egr_fault", "1", 0, 1, "1 = burned fraction in the intake outside its limits")       \
    ROW(CAM_LOW, "cam_intake_is_low", "1", 0, 1, "intake phaser at its late stop")                 \
    ROW(CAM_EXHAUST_IS_LOW, "cam_exhaust_is_low", "1", 0, 1, "exhaust phaser at its early stop")   \
    ROW(CAM_HIGH, "cam_intake_is_high", "1", 0, 1, "intake phaser at its early stop")              \
    ROW(CAM_EXHAUST_IS_HIGH, "cam_exhaust_is_high", "1", 0, 1, "exhaust phaser at its late stop")  \
    ROW(COLD_ENGINE, "engine_is_cold", "1", 0, 1, "1 = coolant below 313 K")                       \
    ROW(HOT_ENGINE, "engine_is_hot", "1", 0, 1, "1 = coolant above 388 K")                         \
    ROW(SCAVENGING, "scavenges", "1", 0, 1, "1 = intake pressure above exhaust pressure")          \
    ROW(SENSOR_FAULT, "has_sensor_fault", "1", 0, 1, "1 = a gas sensor outside its limits")        \
    ROW(PARKED, "phasers_are_parked", "1", 0, 1, "1 = phasers parked at zero")                     \
    /* fuel and combustion */                                                                      \
    ROW(ADVANCE, "advance", "1", 0, 1, "commanded spark advance, rad")                             \
    ROW(SOI, "soi_angle", "rad", 7.3303828583761843, 1, "commanded start of injection")            \
    ROW(FUEL_MASS, "fuel_mass", "kg", 0, 1e-5, "commanded fuel")                                   \
    ROW(CHARGE_ANGLE, "charge_angle", "rad", 0, 1,                                                 \
        "commanded angle at which the coil is switched on")                                        \
    ROW(INJECTING, "is_injecting", "1", 0, 1, "1 = injector open")                                 \
    ROW(INJECTED_ANGLE, "injected_angle", "rad", 7.3303828583761843, 1,                            \
        "angle at which the injector closes")                                                      \
    ROW(IN_FLIGHT, "fuel_is_liquid", "1", 0, 1, "1 = injected fuel has not evaporated")            \
    ROW(EVAPORATION, "evaporation", "kg/s", 0, 1e-3,                                               \
        "evaporation rate of the droplets and the film")                                           \
    ROW(FILM_RATE, "film_rate", "kg/s", 0, 1e-3, "evaporation rate of the wall film")              \
    ROW(EVAPORATION_ANGLE, "evaporation_angle", "rad", 0, 1, "angle at which evaporation starts")  \
    ROW(DROPS_ANGLE, "droplets_angle", "rad", 0, 1, "angle at which the droplets are evaporated")  \
    ROW(FILM_ANGLE, "film_angle", "rad", 0, 1, "angle at which the wall film is evaporated")       \
    ROW(COIL_ON, "coil_is_on", "1", 0, 1, "1 = coil charging")                                     \
    ROW(BURNING, "is_burning", "1", 0, 1, "1 = from spark to the end of the burn table")           \
    ROW(BURN_ANGLE, "burn_angle", "rad", 0, 1, "angle at which burning starts")                    \
    ROW(BURN_DURATION, "burn_angle_span", "rad", 0, 1, "burn duration")                            \
    ROW(BURN_SLOPE, "burn_slope", "1/rad", 0, 1, "slope of the present segment of the burn table") \
    ROW(CHARGE_FUEL, "charge_fuel", "kg", 0, 1e-5, "burnable fuel of the charge")                  \
    ROW(DILUTION, "dilution", "1", 0, 1, "burned fraction at the spark")                           \
    ROW(RAIL, "rail_fault", "1", 0, 1, "1 = fuel pressure outside its limits")                     \
    ROW(FUEL_CUT, "fuel_is_cut", "1", 0, 1, "1 = no injection in overrun")                         \
    ROW(FUEL_RICH, "fuel_is_rich", "1", 0, 1, "1 = fuel demand limited to 1.5")                    \
    ROW(ADVANCE_EARLY, "advance_is_early", "1", 0, 1, "1 = spark advance limited to 50 deg")       \
    ROW(ADVANCE_LATE, "advance_is_late", "1", 0, 1, "1 = spark advance limited to -20 deg")        \
    ROW(SOI_EARLY, "soi_is_early", "1", 0, 1, "1 = start of injection limited to 370 deg")         \
    ROW(SOI_LATE, "soi_is_late", "1", 0, 1, "1 = start of injection limited to 540 deg")           \
    ROW(BATTERY_LOW, "battery_is_low", "1", 0, 1, "1 = coil charged for longer")                   \
    ROW(FUEL_COLD, "fuel_is_cold", "1", 0, 1, "1 = larger wall film")                              \
    ROW(FUEL_HOT, "fuel_is_hot", "1", 0, 1, "1 = vapour in the fuel lines")                        \
    ROW(LAMBDA, "lambda_fault", "1", 0, 1, "1 = lambda outside its limits")                        \
    ROW(IGNITION_INHIBITED, "ignition_is_inhibited", "1", 0, 1, "1 = ignition relay off")          \
    ROW(INJECTS_LATE, "injection_is_late", "1", 0, 1, "1 = injection ends too late")               \
    ROW(BURNS_LATE, "burning_is_late", "1", 0, 1, "1 = combustion ends too late")                  \
    ROW(DILUTE, "is_too_dilute", "1", 0, 1, "1 = no flame")                                        \
    ROW(MIXTURE_FAULT, "has_mixture_fault", "1", 0, 1, "1 = spark retarded by 5 deg")              \
    ROW(FUEL_OFF, "fuel_is_off", "1", 0, 1, "1 = no injection")                                    \
    ROW(IGNITION_OFF, "ignition_is_off", "1", 0, 1, "1 = no spark")                                \
    /* test bench */                                                                               \
    ROW(CYCLE, "cycles", "1", 0, 1, "number of firing TDCs passed")                                \
    ROW(WINDOW, "window_is_open", "1", 0, 1, "1 = sensors in their window")                        \
    ROW(COMBUSTION_SEEN, "has_burned", "1", 0, 1, "1 = combustion detected in this cycle")         \
    ROW(KNOCK_RETARD, "knock_retard", "rad", 0, 0.1, "retard of the spark after knock")            \
    ROW(MISFIRES, "misfires", "1", 0, 1, "number of misfires in a row")                            \
    ROW(SPEED, "speed_level", "1", 0, 1,                                                           \
        "limits passed by the speed: sum of 1 per warning, 2 per alarm")                           \
    ROW(OIL_P, "oil_pressure_level", "1", 0, 1,                                                    \
        "limits passed by the oil pressure: sum of 1 per warning, 2 per alarm")                    \
    ROW(OIL_T, "oil_temperature_level", "1", 0, 1,                                                 \
        "limits passed by the oil temperature: sum of 1 per warning, 2 per alarm")                 \
    ROW(COOLANT, "coolant_level", "1", 0, 1,                                                       \
        "limits passed by the coolant temperature: sum of 1 per warning, 2 per alarm")             \
    ROW(VIBRATION, "vibration_level", "1", 0, 1,                                                   \
        "limits passed by the vibration: sum of 1 per warning, 2 per alarm")                       \
    ROW(CELL_GAS, "cell_gas_level", "1", 0, 1,                                                     \
        "limits passed by carbon monoxide: sum of 1 per warning, 2 per alarm")                     \
    ROW(CELL_T, "cell_temperature_level", "1", 0, 1,                                               \
        "limits passed by the cell temperature: sum of 1 per warning, 2 per alarm")                \
    ROW(DYNO_T, "dyno_temperature_level", "1", 0, 1,                                               \
        "limits passed by the dynamometer: sum of 1 per warning, 2 per alarm")                     \
    ROW(WATER, "water_level", "1", 0, 1,                                                           \
        "limits passed by the water flow: sum of 1 per warning, 2 per alarm")                      \
    ROW(SENSORS, "position_sensors_level", "1", 0, 1,                                              \
        "2 = no crank signal, 1 = no cam signal, 3 = neither")                                     \
    ROW(SAFETY, "safety_level", "1", 0, 1, "2 = stop button pressed, 1 = door open, 3 = both")     \
    ROW(KNOCK, "knock_level_passed", "1", 0, 1, "number of knock limits passed in the window")     \
    ROW(KNOCK_SILENT, "knock_is_silent", "1", 0, 1, "1 = knock sensor silent in the window")       \
    ROW(MISFIRING, "misfires_too_often", "1", 0, 1, "1 = four misfires in a row")                  \
    ROW(WARNING, "is_warned", "1", 0, 1, "1 = speed reduced by 20 %")                              \
    ROW(TRIPPED, "is_tripped", "1", 0, 1, "1 = the crank is stopped")
#define MONO_D_INDEX(i, ...) MONO_D_##i,
enum { MONO_DISCRETE_LIST(MONO_D_INDEX) MONO_D_COUNT };

/* Channels of the test bench. MONO_D_WARNING is 1 if the sum of the channels is at least 1, and MONO_D_TRIPPED if it is at least 2. */
enum { MONO_D_CHANNELS = MONO_D_SPEED, MONO_CHANNELS = MONO_D_MISFIRING - MONO_D_SPEED + 1 };

/* Piecewise linear function: a line with changes of slope at breaks. Discrete states mark the passed breaks, so that
 * the function is smooth between events and continuous at events. */
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
    double mass_kg, p;   /* mass of the gas, kg; pressure from the masses, Pa */
    double cv, u, gamma; /* cv of the gas, J/(kg K); internal energy, J/kg; cp / cv */
} mono_work;

enum { MONO_WORK_DOUBLES = sizeof(mono_work) / sizeof(double) };

static inline const mono_work *mono_work_of(const wrsim_point *point)
{
    return (const mono_work *)(const void *)point->w;
}

/* Ratio to the motored pressure (assumed) above which the gas speed at the walls contains the combustion term. A ratio of 1 would make
 * the indicator zero at intake closing. */
#define MONO_FIRED_RATIO 1.15

/* Specific gas constant of all three gases, J/(kg K) (models/mono_cylinder/readme.md). */
#define MONO_GAS_R 287.6

/* mono_line_at returns the value at x, mono_line_integral the integral from 0 to x. passed: flags of the passed breaks; NULL: x selects the
 * segment. */
double mono_line_at(const mono_line *line, const double *passed, double x);
double mono_line_integral(const mono_line *line, const double *passed, double x);

/* Returns the angle difference x_deg - at_deg, between -360 and 360 degrees. */
double mono_angle_since(double x_deg, double at_deg);
/* Returns the angle after firing top dead centre, deg, at which the valves of a side open. The cam phaser moves opening and closing by the
 * same angle. */
double mono_opens_deg(const mono_data *data, const double *d, const double *u, int side);
/* Returns the pressure of unfired gas at the present volume, Pa, by a polytropic change from intake closing. */
double mono_motored_pressure(const double *d, double volume_m3);
/* Returns the pressure ratio below which a flow is choked. */
double mono_critical_ratio(double gamma);
/* Returns cp / cv of gas at temperature T, K. Values of T select the segments of the heat capacity table. */
double mono_gamma_of(const mono_data *data, double T);
/* Computes all quantities of mono_work: geometry, gas state and valves. */
void mono_state(const mono_data *data, const wrsim_point *point, mono_work *ret_work);
/* Returns the heat release of the combustion, W. */
double mono_heat_rate(const mono_data *data, const double *d, double omega);

int mono_algebra(wrsim_instance *, const wrsim_point *, double *ret_w);
int mono_rhs(wrsim_instance *, const wrsim_point *, double *ret_dx);

/* Flag: adds `weight` to discrete state d while indicator z is positive. */
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

/* Writes the crank angles of events, rad modulo a cycle. */
void mono_event_angles(const mono_data *data, const wrsim_point *point,
                       double ret_angle[MONO_ANGLES]);
extern const int mono_angle_indicator[MONO_ANGLES];
int mono_indicator(wrsim_instance *, const wrsim_point *, double *ret_z);

/* Sets discrete states at the start, and executes the actions of events. */
int mono_event(wrsim_instance *, const wrsim_point *, const wrsim_event *, double *x, double *d);

#endif
