/* Declarations of the mono-cylinder: parameters, variables, events and incidence patterns.
 *
 * tests/unit/models/test_mono_cylinder.c compares the patterns with the equations by perturbation along a run.
 *
 * Thread: one at a time per instance. Real-time: no (setup).
 */
#include <stddef.h>

#include "models/describe.h"
#include "models/mono_cylinder/mono_variables.h"

/* Parameters of an engine with 0.5 l per cylinder; sources: readme.md. */
const wrsim_variable mono_params[MONO_PARAMS] = {
    [MONO_P_BORE] = WR_PARAM("bore", "m", 0.086, 0.01, 1, "bore"),
    [MONO_P_STROKE] = WR_PARAM("stroke", "m", 0.086, 0.01, 2, "stroke"),
    [MONO_P_ROD] =
        WR_PARAM("rod", "m", 0.143, 0.01, 5, "length of the connecting rod, centre to centre"),
    [MONO_P_COMPRESSION] = WR_PARAM("compression_ratio", "1", 10, 1.5, 30, "compression ratio"),
    [MONO_P_OPEN] =
        WR_PARAM("intake_open", "deg", 365, 330, 450,
                 "angle at which the intake valves open (0 = firing TDC, 360 = gas-exchange TDC)"),
    WR_PARAM("exhaust_open", "deg", 130, 60, 200, "angle at which the exhaust valves open"),
    [MONO_P_CLOSE] =
        WR_PARAM("intake_close", "deg", 596, 500, 599, "angle at which the intake valves close"),
    WR_PARAM("exhaust_close", "deg", 360, 300, 400, "angle at which the exhaust valves close"),
    [MONO_P_DIAMETER] =
        WR_PARAM("intake_diameter", "m", 0.033, 1e-3, 1, "diameter of an intake valve"),
    WR_PARAM("exhaust_diameter", "m", 0.028, 1e-3, 1, "diameter of an exhaust valve"),
    [MONO_P_LIFT] =
        WR_PARAM("intake_lift", "m", 0.0085, 1e-5, 0.2, "maximum lift of the intake valves"),
    WR_PARAM("exhaust_lift", "m", 0.0080, 1e-5, 0.2, "maximum lift of the exhaust valves"),
    [MONO_P_COUNT_VALVES] = WR_INTEGER("intake_valves", "1", 2, 1, 8, "number of intake valves"),
    WR_INTEGER("exhaust_valves", "1", 2, 1, 8, "number of exhaust valves"),
    [MONO_P_CAM_RANGE] =
        WR_PARAM("cam_range", "deg", 40, 1, 60, "adjustment range of each cam phaser"),
    [MONO_P_HEATING_VALUE] =
        WR_PARAM("heating_value", "J/kg", 44.0e6, 0, 2e8, "lower heating value of petrol vapour"),
    [MONO_P_AIR_FUEL] =
        WR_PARAM("air_fuel_ratio", "1", 14.6, 1, 40, "stoichiometric air/fuel ratio by mass"),
    [MONO_P_VAPORISATION] =
        WR_PARAM("vaporisation_heat", "J/kg", 305e3, 0, 3e6, "heat of vaporisation of petrol"),
    [MONO_P_EFFICIENCY] = WR_PARAM("combustion_efficiency", "1", 0.97, 0.1, 1,
                                   "fraction of the burnable fuel that burns"),
    [MONO_P_DEVELOPMENT] =
        WR_PARAM("flame_development", "deg", 12, 1, 90,
                 "angle from spark to start of burning, without residual gas at 2000 rpm"),
    [MONO_P_DURATION] = WR_PARAM("burn_duration", "deg", 38, 5, 180,
                                 "burn duration, without residual gas at 2000 rpm"),
    [MONO_P_WIEBE_A] = WR_PARAM("wiebe_a", "1", 5, 1, 10, "Wiebe's efficiency factor"),
    [MONO_P_WIEBE_M] = WR_PARAM("wiebe_m", "1", 2, 0, 10, "Wiebe's form factor"),
    [MONO_P_DILUTION_LIMIT] = WR_PARAM("dilution_limit", "1", 0.35, 0, 1,
                                       "burned-gas fraction above which no flame grows"),
    [MONO_P_INJECTOR_FLOW] = WR_PARAM("injector_flow", "kg/s", 0.012, 1e-6, 10,
                                      "injector flow at a rail pressure of 100 bar"),
    [MONO_P_DROPLET_DELAY] = WR_PARAM("droplet_delay", "s", 0.3e-3, 1e-6, 0.1,
                                      "time from start of injection to first vapour"),
    [MONO_P_DROPLET_TIME] =
        WR_PARAM("droplet_time", "s", 2.5e-3, 1e-6, 0.1, "lifetime of a droplet"),
    [MONO_P_FILM_SHARE] =
        WR_PARAM("film_share", "1", 0.15, 1e-3, 1, "fraction of the fuel that wets a wall"),
    [MONO_P_FILM_TIME] = WR_PARAM("film_time", "s", 6e-3, 1e-6, 1, "lifetime of the wall film"),
    [MONO_P_INJECTED_AIR] =
        WR_PARAM("injected_air", "1", 0, 0, 0.5,
                 "mass fraction of air in the injected gas (air-assisted injector)"),
    [MONO_P_INJECTED_BURNED] = WR_PARAM("injected_burned", "1", 0, 0, 0.5,
                                        "mass fraction of burned gas in the injected gas"),
    [MONO_P_DWELL] =
        WR_PARAM("dwell", "s", 3.5e-3, 1e-5, 0.1, "charging time of the ignition coil"),
    [MONO_P_HEAD_RISE] =
        WR_PARAM("head_rise", "K", 70, 0, 500, "temperature of the head above the coolant"),
    [MONO_P_PISTON_RISE] =
        WR_PARAM("piston_rise", "K", 110, 0, 500, "temperature of the piston above the coolant"),
    [MONO_P_LINER_RISE] =
        WR_PARAM("liner_rise", "K", 35, 0, 500, "temperature of the liner above the coolant"),
    [MONO_P_BALANCE] = WR_INTEGER("balance", "1", 0, 0, 1,
                                  "1: add sums of all flows of mass and energy as states"),
};

/* Start values: compressed mixture, both valves closed, 115 degrees before firing TDC, part load. */
static const wrsim_variable states[MONO_X_COUNT] = {
    [MONO_X_CRANK] =
        WR_VALUE("crank_angle", "rad", -2.0071286397934789, 10, "crank angle, 0 = firing TDC"),
    [MONO_X_EVAPO] = WR_VALUE("evapo_air", "kg", 0, 1e-5, "air injected with the fuel"),
    WR_VALUE("evapo_fuel", "kg", 0, 1e-5, "fuel evaporated"),
    WR_VALUE("evapo_burned", "kg", 0, 1e-5, "burned gas injected with the fuel"),
    [MONO_X_QV_ALFA] = WR_VALUE("qv_alfa", "J", 0, 500, "heat released in this cycle"),
    [MONO_X_MREF_ALFA] = WR_VALUE("mref_alfa", "1", 0, 1, "burned mass fraction in this cycle"),
    [MONO_X_HEAT] = WR_VALUE("combu_heat_release", "J", 0, 500, "heat released since the start"),
    [MONO_X_COMBU] = WR_VALUE("combu_air", "kg", 0, 1e-4, "air consumed by combustion (<= 0)"),
    WR_VALUE("combu_fuel", "kg", 0, 1e-5, "fuel consumed by combustion (<= 0)"),
    WR_VALUE("combu_burned", "kg", 0, 1e-4, "burned gas produced by combustion"),
    [MONO_X_MASS] = WR_VALUE("m_air", "kg", 2.29e-4, 2e-4, "air in the cylinder"),
    WR_VALUE("m_fuel", "kg", 1.57e-5, 2e-5, "fuel vapour in the cylinder"),
    WR_VALUE("m_burned", "kg", 4.0e-5, 2e-4, "burned gas in the cylinder"),
    [MONO_X_ENERGY] =
        WR_VALUE("energy", "J", 90, 100, "sensible internal energy (start: from masses and T)"),
    [MONO_X_T] = WR_VALUE("T", "K", 375, 500, "gas temperature"),
};

static const wrsim_variable sums[MONO_SUMS] = {
    [MONO_S_IN] = WR_VALUE("sum_air_in", "kg", 0, 1e-4, "air through the intake"),
    WR_VALUE("sum_fuel_in", "kg", 0, 1e-5, "fuel through the intake (<= 0)"),
    WR_VALUE("sum_burned_in", "kg", 0, 1e-4, "burned gas through the intake"),
    [MONO_S_OUT] = WR_VALUE("sum_air_out", "kg", 0, 1e-4, "air through the exhaust"),
    WR_VALUE("sum_fuel_out", "kg", 0, 1e-5, "fuel through the exhaust"),
    WR_VALUE("sum_burned_out", "kg", 0, 1e-4, "burned gas through the exhaust"),
    [MONO_S_IN_H] = WR_VALUE("sum_enthalpy_in", "J", 0, 500, "enthalpy through the intake"),
    [MONO_S_OUT_H] = WR_VALUE("sum_enthalpy_out", "J", 0, 500, "enthalpy through the exhaust"),
    [MONO_S_EVAPORATION] =
        WR_VALUE("sum_evaporation", "J", 0, 10, "energy brought by evaporated fuel"),
    [MONO_S_WALL] = WR_VALUE("sum_heat_wall", "J", 0, 500, "heat to the walls"),
    [MONO_S_WORK] = WR_VALUE("sum_work", "J", 0, 500, "work p dV"),
};

static const wrsim_variable inputs[MONO_U_COUNT] = {
    [MONO_U_SPEED] = WR_VALUE("speed", "rad/s", 209.43951023931953, 100,
                              "crank speed, imposed by the dynamometer"),
    [MONO_U_P] = WR_VALUE("p_im", "Pa", 0.45e5, 1e5, "pressure in the intake pipe"),
    WR_VALUE("p_em", "Pa", 1.03e5, 1e5, "pressure in the exhaust pipe"),
    [MONO_U_T] = WR_VALUE("T_im", "K", 310, 300, "temperature in the intake pipe"),
    WR_VALUE("T_em", "K", 850, 1000, "temperature in the exhaust pipe"),
    [MONO_U_EGR] = WR_VALUE("egr", "1", 0.03, 1, "share of burned gas in the intake pipe"),
    [MONO_U_CAM] = WR_VALUE("cam_intake", "deg", 10, 10, "advance of the intake phaser"),
    WR_VALUE("cam_exhaust", "deg", 15, 10, "retard of the exhaust phaser"),
    [MONO_U_COOLANT] = WR_VALUE("T_coolant", "K", 363, 300, "coolant"),
    [MONO_U_FUEL] = WR_VALUE("fuel_factor", "1", 1, 1, "demanded fuel over stoichiometric fuel"),
    [MONO_U_ADVANCE] =
        WR_VALUE("spark_advance", "deg", 35, 10, "demanded spark advance before TDC"),
    [MONO_U_SOI] = WR_VALUE("soi", "deg", 420, 100, "demanded start of injection"),
    [MONO_U_RAIL] = WR_VALUE("p_rail", "Pa", 100e5, 100e5, "pressure in the fuel rail"),
    [MONO_U_T_FUEL] = WR_VALUE("T_fuel", "K", 313, 300, "fuel"),
    [MONO_U_BATTERY] = WR_VALUE("battery", "V", 13.5, 10, "supply voltage of the ignition"),
    [MONO_U_LAMBDA] = WR_VALUE("lambda", "1", 1, 1, "measured air/fuel equivalence ratio"),
    [MONO_U_IGNITION] = WR_VALUE("ignition_enable", "1", 1, 1, "1 = ignition relay closed"),
    [MONO_U_KNOCK] =
        WR_VALUE("knock_level", "1", 0.2, 1, "signal of the knock sensor, 1 = light knock"),
    [MONO_U_OIL_P] = WR_VALUE("p_oil", "Pa", 3.5e5, 1e5, "oil"),
    [MONO_U_OIL_T] = WR_VALUE("T_oil", "K", 368, 300, "oil"),
    [MONO_U_VIBRATION] = WR_VALUE("vibration", "mm/s", 8, 10, "vibration velocity of the bearings"),
    [MONO_U_CELL_GAS] = WR_VALUE("cell_gas", "ppm", 2, 10, "carbon monoxide in the test cell"),
    [MONO_U_CELL_T] = WR_VALUE("T_cell", "K", 298, 300, "air temperature in the test cell"),
    [MONO_U_DYNO_T] =
        WR_VALUE("T_dyno", "K", 340, 300, "temperature of the dynamometer's windings"),
    [MONO_U_WATER] =
        WR_VALUE("water_flow", "1", 1, 1, "flow of cooling water over its nominal flow"),
    [MONO_U_CRANK_SENSOR] = WR_VALUE("crank_sensor", "1", 1, 1, "1 = crank sensor gives a signal"),
    [MONO_U_CAM_SENSOR] = WR_VALUE("cam_sensor", "1", 1, 1, "1 = cam sensor gives a signal"),
    [MONO_U_STOP] = WR_VALUE("stop_button", "1", 0, 1, "1 = stop button pressed"),
    [MONO_U_DOOR] = WR_VALUE("door", "1", 0, 1, "1 = door of the test cell open"),
};

static const wrsim_variable outputs[MONO_Y_COUNT - MONO_X_COUNT] = {
    WR_VALUE("p", "Pa", 0, 1e6, "pressure in the cylinder"),
    WR_VALUE("V", "m3", 0, 1e-4, "volume"),
    WR_SIGNAL("phi", "deg", 100, "crank angle in the cycle, 0 = firing TDC",
              .flags = WRSIM_DISCONTINUOUS),
    WR_VALUE("power", "W", 0, 1e4, "power of the gas on the piston"),
    WR_SIGNAL("heat_rate", "W", 1e5, "heat release of combustion", .flags = WRSIM_DISCONTINUOUS),
    WR_SIGNAL("residual", "1", 0.1, "share of burned gas at intake closing",
              .flags = WRSIM_DISCONTINUOUS),
    WR_SIGNAL("tripped", "1", 1, "1 = the test bench has stopped the engine",
              .flags = WRSIM_DISCONTINUOUS),
};

#define ANGLE(NAME, TEXT) WR_SIGNAL(NAME, "rad", 1, TEXT, .flags = WRSIM_RISING_ONLY)
#define EVENT(NAME, UNIT, TEXT) WR_SIGNAL(NAME, UNIT, 1, TEXT)

static const wrsim_variable indicators[MONO_Z_COUNT] = {
    [MONO_Z_OPENS] = ANGLE("intake_opens", "intake valves open"),
    ANGLE("exhaust_opens", "exhaust valves open"),
    [MONO_Z_CLOSES] = ANGLE("intake_closes", "intake valves close"),
    ANGLE("exhaust_closes", "exhaust valves close"),
    [MONO_Z_LIFT] =
        EVENT("intake_lift_1", "1", "intake lift passes a break of the discharge table"),
    EVENT("intake_lift_2", "1", "intake lift passes a break of the discharge table"),
    EVENT("exhaust_lift_1", "1", "exhaust lift passes a break of the discharge table"),
    EVENT("exhaust_lift_2", "1", "exhaust lift passes a break of the discharge table"),
    [MONO_Z_REGIME] = EVENT("intake_forward", "bar", "flow into the cylinder"),
    EVENT("intake_free", "1", "intake flow leaves the range linear in the pressure difference"),
    EVENT("intake_choked", "1", "intake flow reaches the speed of sound"),
    EVENT("exhaust_forward", "bar", "flow out of the cylinder"),
    EVENT("exhaust_free", "1", "exhaust flow leaves the range linear in the pressure difference"),
    EVENT("exhaust_choked", "1", "exhaust flow reaches the speed of sound"),
    [MONO_Z_HOT] = EVENT("gas_600_K", "1", "temperature passes a break of the heat capacity table"),
    EVENT("gas_1000_K", "1", "temperature passes a break of the heat capacity table"),
    EVENT("gas_1500_K", "1", "temperature passes a break of the heat capacity table"),
    [MONO_Z_FIRED_PRESSURE] = EVENT("fired_pressure", "bar",
                                    "pressure above the motored pressure: faster gas at the walls"),
    [MONO_Z_P_IM_LOW] = EVENT("p_im_low", "1", "intake pressure below 0.15 bar"),
    [MONO_Z_P_IM_HIGH] = EVENT("p_im_high", "1", "intake pressure above 2.5 bar"),
    [MONO_Z_T_IM_LOW] = EVENT("T_im_low", "1", "intake temperature below 243 K"),
    [MONO_Z_T_IM_HIGH] = EVENT("T_im_high", "1", "intake temperature above 373 K"),
    [MONO_Z_P_EM_LOW] = EVENT("p_em_low", "1", "exhaust pressure below 0.7 bar"),
    [MONO_Z_P_EM_HIGH] = EVENT("p_em_high", "1", "exhaust pressure above 2.5 bar"),
    [MONO_Z_T_EM_LOW] = EVENT("T_em_low", "1", "exhaust temperature below 400 K"),
    [MONO_Z_T_EM_HIGH] = EVENT("T_em_high", "1", "exhaust temperature above 1273 K"),
    [MONO_Z_EGR_LOW] =
        EVENT("egr_low", "1", "burned fraction in the intake below -0.01: sensor fault"),
    [MONO_Z_EGR_HIGH] = EVENT("egr_high", "1", "burned fraction in the intake above 0.35"),
    [MONO_Z_CAM_LOW] = EVENT("cam_intake_low", "1", "intake phaser at its late stop"),
    EVENT("cam_exhaust_low", "1", "exhaust phaser at its early stop"),
    [MONO_Z_CAM_HIGH] = EVENT("cam_intake_high", "1", "intake phaser at its early stop"),
    EVENT("cam_exhaust_high", "1", "exhaust phaser at its late stop"),
    [MONO_Z_COLD_ENGINE] = EVENT("cold_engine", "1", "coolant below 313 K: phasers parked"),
    [MONO_Z_HOT_ENGINE] = EVENT("hot_engine", "1", "coolant above 388 K: phasers parked"),
    [MONO_Z_SCAVENGING] = EVENT("scavenging", "bar", "intake pressure above exhaust pressure"),
    [MONO_Z_SENSOR_FAULT] = EVENT("sensor_fault", "1", "a gas sensor is beyond its limits"),
    [MONO_Z_PARKED] = EVENT("phasers_parked", "1", "cold, hot, scavenging or sensor fault"),

    [MONO_Z_CALCULATION] = ANGLE("calculation", "control unit computes fuel and spark"),
    [MONO_Z_INJECTION] = ANGLE("injection_starts", "injector opens"),
    [MONO_Z_INJECTED] = ANGLE("injection_ends", "injector closes"),
    [MONO_Z_EVAPORATION] = ANGLE("evaporation_starts", "first vapour of droplets"),
    [MONO_Z_DROPS_GONE] = ANGLE("droplets_gone", "droplets evaporated, the wall film remains"),
    [MONO_Z_FILM_GONE] = ANGLE("film_gone", "wall film evaporated"),
    [MONO_Z_CHARGES] = ANGLE("coil_charges", "ignition coil switched on"),
    [MONO_Z_SPARK] = ANGLE("spark", "coil switched off"),
    [MONO_Z_BURN] = ANGLE("burning_starts", "flame has developed: burn table, segment 1"),
    ANGLE("burn_segment_2", "crank passes a border of the burn table"),
    ANGLE("burn_segment_3", "crank passes a border of the burn table"),
    ANGLE("burn_segment_4", "crank passes a border of the burn table"),
    ANGLE("burn_segment_5", "crank passes a border of the burn table"),
    ANGLE("burn_segment_6", "crank passes a border of the burn table"),
    ANGLE("burn_segment_7", "crank passes a border of the burn table"),
    ANGLE("burn_segment_8", "crank passes a border of the burn table"),
    ANGLE("burning_ends", "end of the burn table"),
    [MONO_Z_RAIL_LOW] = EVENT("rail_low", "1", "fuel pressure below 20 bar"),
    [MONO_Z_RAIL_HIGH] = EVENT("rail_high", "1", "fuel pressure above 250 bar"),
    [MONO_Z_FUEL_CUT] = EVENT("fuel_cut", "1", "fuel demand below 0.1: overrun"),
    [MONO_Z_FUEL_RICH] = EVENT("fuel_rich", "1", "fuel demand above 1.5: limited"),
    [MONO_Z_ADVANCE_EARLY] = EVENT("advance_early", "1", "spark advance above 50 deg: limited"),
    [MONO_Z_ADVANCE_LATE] = EVENT("advance_late", "1", "spark advance below -20 deg: limited"),
    [MONO_Z_SOI_EARLY] = EVENT("soi_early", "1", "start of injection before 370 deg: limited"),
    [MONO_Z_SOI_LATE] = EVENT("soi_late", "1", "start of injection after 540 deg: limited"),
    [MONO_Z_BATTERY_LOW] =
        EVENT("battery_low", "V", "supply below 9 V: longer charging of the coil"),
    [MONO_Z_FUEL_COLD] = EVENT("fuel_cold", "1", "fuel below 263 K: larger wall film"),
    [MONO_Z_FUEL_HOT] = EVENT("fuel_hot", "1", "fuel above 353 K: vapour in the lines"),
    [MONO_Z_LAMBDA_LEAN] = EVENT("lambda_lean", "1", "lambda sensor above 1.3"),
    [MONO_Z_LAMBDA_RICH] = EVENT("lambda_rich", "1", "lambda sensor below 0.75"),
    [MONO_Z_IGNITION_INHIBITED] = EVENT("ignition_inhibited", "1", "ignition relay off"),
    [MONO_Z_INJECTS_LATE] = EVENT("injects_late", "rad", "injection ends after 545 deg"),
    [MONO_Z_BURNS_LATE] = EVENT("burns_late", "rad", "combustion will end after 120 deg"),
    [MONO_Z_DILUTE] = EVENT("too_dilute", "1", "burned fraction above the limit of a flame"),
    [MONO_Z_MIXTURE_FAULT] =
        EVENT("mixture_fault", "1", "unreliable mixture: spark retarded by 5 deg"),
    [MONO_Z_FUEL_OFF] =
        EVENT("fuel_off", "1", "no injection: fuel cut, or rail pressure outside its limits"),
    [MONO_Z_IGNITION_OFF] = EVENT("ignition_off", "1", "no spark: relay off, or no fuel"),

    [MONO_Z_CYCLE] = ANGLE("cycle", "firing TDC: a cycle is complete"),
    [MONO_Z_WINDOW_OPENS] =
        ANGLE("window_opens", "window of the knock and combustion sensors opens"),
    [MONO_Z_WINDOW_CLOSES] =
        ANGLE("window_closes", "window of the knock and combustion sensors closes"),
    [MONO_Z_COMBUSTION_SEEN] =
        EVENT("combustion_seen", "1", "pressure above any pressure of compression alone"),
    [MONO_Z_SPEED_LOW] = EVENT("speed_low", "1", "speed below 60 rad/s"),
    [MONO_Z_SPEED_REVERSE] = EVENT("speed_reverse", "1", "speed below -1 rad/s"),
    [MONO_Z_SPEED_HIGH] = EVENT("speed_high", "1", "speed above 650 rad/s"),
    [MONO_Z_SPEED_OVER] = EVENT("overspeed", "1", "speed above 730 rad/s"),
    [MONO_Z_OIL_P_LOW] = EVENT("oil_pressure_low", "1", "oil pressure below 1.5 bar"),
    [MONO_Z_OIL_P_LOST] = EVENT("oil_pressure_lost", "1", "oil pressure below 0.8 bar"),
    [MONO_Z_OIL_P_HIGH] = EVENT("oil_pressure_high", "1", "oil pressure above 7 bar"),
    [MONO_Z_OIL_T_LOW] = EVENT("oil_cold", "1", "oil below 313 K"),
    [MONO_Z_OIL_T_HIGH] = EVENT("oil_hot", "1", "oil above 403 K"),
    [MONO_Z_OIL_T_ALARM] = EVENT("oil_too_hot", "1", "oil above 423 K"),
    [MONO_Z_COOLANT_LOW] = EVENT("coolant_cold", "1", "coolant below 323 K"),
    [MONO_Z_COOLANT_HIGH] = EVENT("coolant_hot", "1", "coolant above 378 K"),
    [MONO_Z_COOLANT_ALARM] = EVENT("coolant_too_hot", "1", "coolant above 393 K"),
    [MONO_Z_VIBRATION_HIGH] = EVENT("vibration_high", "1", "vibration above 30 mm/s"),
    [MONO_Z_VIBRATION_ALARM] = EVENT("vibration_too_high", "1", "vibration above 60 mm/s"),
    [MONO_Z_CELL_GAS_HIGH] = EVENT("cell_gas_high", "1", "carbon monoxide above 30 ppm"),
    [MONO_Z_CELL_GAS_ALARM] = EVENT("cell_gas_too_high", "1", "carbon monoxide above 60 ppm"),
    [MONO_Z_CELL_T_HIGH] = EVENT("cell_hot", "1", "test cell above 313 K"),
    [MONO_Z_CELL_T_ALARM] = EVENT("cell_too_hot", "1", "test cell above 333 K"),
    [MONO_Z_DYNO_T_HIGH] = EVENT("dyno_hot", "1", "dynamometer above 393 K"),
    [MONO_Z_DYNO_T_ALARM] = EVENT("dyno_too_hot", "1", "dynamometer above 423 K"),
    [MONO_Z_WATER_LOW] = EVENT("water_low", "1", "cooling water below half its flow"),
    [MONO_Z_WATER_LOST] = EVENT("water_lost", "1", "cooling water below a fifth of its flow"),
    [MONO_Z_CRANK_SENSOR_LOST] = EVENT("crank_sensor_lost", "1", "no signal: alarm"),
    [MONO_Z_CAM_SENSOR_LOST] = EVENT("cam_sensor_lost", "1", "no signal: warning"),
    [MONO_Z_STOP_PRESSED] = EVENT("stop_pressed", "1", "stop button: alarm"),
    [MONO_Z_DOOR_OPEN] = EVENT("door_open", "1", "door of the cell: warning"),
    [MONO_Z_KNOCK_LIGHT] = EVENT("knock_light", "1", "knock sensor above 1 in its window"),
    [MONO_Z_KNOCK_HEAVY] = EVENT("knock_heavy", "1", "knock sensor above 2 in its window"),
    [MONO_Z_KNOCK_SILENT] =
        EVENT("knock_silent", "1", "knock sensor below its noise level: broken wire"),
    [MONO_Z_MISFIRING] = EVENT("misfiring", "1", "four misfires in a row"),
    [MONO_Z_WARNING] = EVENT("warning", "1", "a warning is active: speed reduced by 20 %"),
    [MONO_Z_TRIPPED] = EVENT("trip", "1", "two warnings or an alarm: the crank is stopped"),
};

#define FLAG(NAME, TEXT) WR_SIGNAL(NAME, "1", 1, TEXT)

static const wrsim_variable discretes[MONO_D_COUNT] = {
    [MONO_D_OPEN] = FLAG("intake_is_open", "1 = intake valves open"),
    FLAG("exhaust_is_open", "1 = exhaust valves open"),
    [MONO_D_LIFT] = FLAG("intake_past_lift_1", "passed break of the intake discharge table"),
    FLAG("intake_past_lift_2", "passed break of the intake discharge table"),
    FLAG("exhaust_past_lift_1", "passed break of the exhaust discharge table"),
    FLAG("exhaust_past_lift_2", "passed break of the exhaust discharge table"),
    [MONO_D_REGIME] = FLAG("intake_is_forward", "1 = intake flow into the cylinder"),
    FLAG("intake_is_free", "1 = intake flow not laminar"),
    FLAG("intake_is_choked", "1 = intake flow at the speed of sound"),
    FLAG("exhaust_is_forward", "1 = exhaust flow out of the cylinder"),
    FLAG("exhaust_is_free", "1 = exhaust flow not laminar"),
    FLAG("exhaust_is_choked", "1 = exhaust flow at the speed of sound"),
    [MONO_D_HOT] = FLAG("gas_past_600_K", "passed break of the heat capacity table"),
    FLAG("gas_past_1000_K", "passed break of the heat capacity table"),
    FLAG("gas_past_1500_K", "passed break of the heat capacity table"),
    [MONO_D_FIRED_PRESSURE] = FLAG("is_fired", "1 = pressure above the motored pressure"),
    [MONO_D_P_IVC] = WR_VALUE("p_ivc", "Pa", 1e5, 1e5, "pressure at intake closing"),
    [MONO_D_V_IVC] = WR_VALUE("V_ivc", "m3", 5e-4, 1e-4, "volume at intake closing"),
    [MONO_D_T_IVC] = WR_VALUE("T_ivc", "K", 350, 100, "temperature at intake closing"),
    [MONO_D_AIR_IVC] = WR_VALUE("air_ivc", "kg", 0, 1e-4, "air at intake closing"),
    [MONO_D_RESIDUAL] = FLAG("residual_ivc", "share of burned gas at intake closing"),
    [MONO_D_P_IM] = FLAG("p_im_fault", "1 = intake pressure outside its limits"),
    [MONO_D_T_IM] = FLAG("T_im_fault", "1 = intake temperature outside its limits"),
    [MONO_D_P_EM] = FLAG("p_em_fault", "1 = exhaust pressure outside its limits"),
    [MONO_D_T_EM] = FLAG("T_em_fault", "1 = exhaust temperature outside its limits"),
    [MONO_D_EGR] = FLAG("egr_fault", "1 = burned fraction in the intake outside its limits"),
    [MONO_D_CAM_LOW] = FLAG("cam_intake_is_low", "intake phaser at its late stop"),
    FLAG("cam_exhaust_is_low", "exhaust phaser at its early stop"),
    [MONO_D_CAM_HIGH] = FLAG("cam_intake_is_high", "intake phaser at its early stop"),
    FLAG("cam_exhaust_is_high", "exhaust phaser at its late stop"),
    [MONO_D_COLD_ENGINE] = FLAG("engine_is_cold", "coolant"),
    [MONO_D_HOT_ENGINE] = FLAG("engine_is_hot", "coolant"),
    [MONO_D_SCAVENGING] = FLAG("scavenges", "1 = intake pressure above exhaust pressure"),
    [MONO_D_SENSOR_FAULT] = FLAG("has_sensor_fault", "1 = a gas sensor outside its limits"),
    [MONO_D_PARKED] = FLAG("phasers_are_parked", "1 = phasers parked at zero"),

    [MONO_D_ADVANCE] = FLAG("advance", "commanded spark advance, rad"),
    [MONO_D_SOI] =
        WR_VALUE("soi_angle", "rad", 7.3303828583761843, 1, "commanded start of injection"),
    [MONO_D_FUEL_MASS] = WR_VALUE("fuel_mass", "kg", 0, 1e-5, "commanded fuel"),
    [MONO_D_CHARGE_ANGLE] =
        WR_VALUE("charge_angle", "rad", 0, 1, "commanded angle at which the coil is switched on"),
    [MONO_D_INJECTING] = FLAG("is_injecting", "1 = injector open"),
    [MONO_D_INJECTED_ANGLE] = WR_VALUE("injected_angle", "rad", 7.3303828583761843, 1,
                                       "angle at which the injector closes"),
    [MONO_D_IN_FLIGHT] = FLAG("fuel_is_liquid", "injected fuel that has not evaporated"),
    [MONO_D_EVAPORATION] =
        WR_VALUE("evaporation", "kg/s", 0, 1e-3, "evaporation rate of the droplets and the film"),
    [MONO_D_FILM_RATE] =
        WR_VALUE("film_rate", "kg/s", 0, 1e-3, "evaporation rate of the wall film"),
    [MONO_D_EVAPORATION_ANGLE] =
        WR_VALUE("evaporation_angle", "rad", 0, 1, "angle at which evaporation starts"),
    [MONO_D_DROPS_ANGLE] =
        WR_VALUE("droplets_angle", "rad", 0, 1, "angle at which the droplets are evaporated"),
    [MONO_D_FILM_ANGLE] =
        WR_VALUE("film_angle", "rad", 0, 1, "angle at which the wall film is evaporated"),
    [MONO_D_COIL_ON] = FLAG("coil_is_on", "1 = coil charging"),
    [MONO_D_BURNING] = FLAG("is_burning", "1 = from spark to the end of the burn table"),
    [MONO_D_BURN_ANGLE] = WR_VALUE("burn_angle", "rad", 0, 1, "angle at which burning starts"),
    [MONO_D_BURN_DURATION] = WR_VALUE("burn_angle_span", "rad", 0, 1, "burn duration"),
    [MONO_D_BURN_SLOPE] =
        WR_VALUE("burn_slope", "1/rad", 0, 1, "slope of the present segment of the burn table"),
    [MONO_D_CHARGE_FUEL] = WR_VALUE("charge_fuel", "kg", 0, 1e-5, "burnable fuel of the charge"),
    [MONO_D_DILUTION] = FLAG("dilution", "burned fraction at the spark"),
    [MONO_D_RAIL] = FLAG("rail_fault", "1 = fuel pressure outside its limits"),
    [MONO_D_FUEL_CUT] = FLAG("fuel_is_cut", "overrun"),
    [MONO_D_FUEL_RICH] = FLAG("fuel_is_rich", "1 = fuel demand limited to 1.5"),
    [MONO_D_ADVANCE_EARLY] = FLAG("advance_is_early", "1 = spark advance limited to 50 deg"),
    [MONO_D_ADVANCE_LATE] = FLAG("advance_is_late", "1 = spark advance limited to -20 deg"),
    [MONO_D_SOI_EARLY] = FLAG("soi_is_early", "1 = start of injection limited to 370 deg"),
    [MONO_D_SOI_LATE] = FLAG("soi_is_late", "1 = start of injection limited to 540 deg"),
    [MONO_D_BATTERY_LOW] = FLAG("battery_is_low", "1 = coil charged for longer"),
    [MONO_D_FUEL_COLD] = FLAG("fuel_is_cold", "1 = larger wall film"),
    [MONO_D_FUEL_HOT] = FLAG("fuel_is_hot", "1 = vapour in the fuel lines"),
    [MONO_D_LAMBDA] = FLAG("lambda_fault", "1 = lambda outside its limits"),
    [MONO_D_IGNITION_INHIBITED] = FLAG("ignition_is_inhibited", "1 = ignition relay off"),
    [MONO_D_INJECTS_LATE] = FLAG("injection_is_late", "1 = injection ends too late"),
    [MONO_D_BURNS_LATE] = FLAG("burning_is_late", "1 = combustion ends too late"),
    [MONO_D_DILUTE] = FLAG("is_too_dilute", "1 = no flame"),
    [MONO_D_MIXTURE_FAULT] = FLAG("has_mixture_fault", "1 = spark retarded by 5 deg"),
    [MONO_D_FUEL_OFF] = FLAG("fuel_is_off", "1 = no injection"),
    [MONO_D_IGNITION_OFF] = FLAG("ignition_is_off", "1 = no spark"),

    [MONO_D_CYCLE] = FLAG("cycles", "number of firing TDCs passed"),
    [MONO_D_WINDOW] = FLAG("window_is_open", "1 = sensors in their window"),
    [MONO_D_COMBUSTION_SEEN] = FLAG("has_burned", "1 = combustion detected in this cycle"),
    [MONO_D_KNOCK_RETARD] =
        WR_VALUE("knock_retard", "rad", 0, 0.1, "retard of the spark after knock"),
    [MONO_D_MISFIRES] = FLAG("misfires", "number of misfires in a row"),
    [MONO_D_SPEED] = FLAG("speed_level", "number of limits passed: speed"),
    [MONO_D_OIL_P] = FLAG("oil_pressure_level", "limits passed"),
    [MONO_D_OIL_T] = FLAG("oil_temperature_level", "limits passed"),
    [MONO_D_COOLANT] = FLAG("coolant_level", "limits passed"),
    [MONO_D_VIBRATION] = FLAG("vibration_level", "limits passed"),
    [MONO_D_CELL_GAS] = FLAG("cell_gas_level", "limits passed"),
    [MONO_D_CELL_T] = FLAG("cell_temperature_level", "limits passed"),
    [MONO_D_DYNO_T] = FLAG("dyno_temperature_level", "limits passed"),
    [MONO_D_WATER] = FLAG("water_level", "limits passed"),
    [MONO_D_SENSORS] = FLAG("position_sensors_level", "crank sensor 2, cam sensor 1"),
    [MONO_D_SAFETY] = FLAG("safety_level", "stop button 2, door 1"),
    [MONO_D_KNOCK] = FLAG("knock_level_passed", "number of knock limits passed in the window"),
    [MONO_D_KNOCK_SILENT] = FLAG("knock_is_silent", "1 = knock sensor silent in the window"),
    [MONO_D_MISFIRING] = FLAG("misfires_too_often", "1 = four misfires in a row"),
    [MONO_D_WARNING] = FLAG("is_warned", "1 = speed reduced by 20 %"),
    [MONO_D_TRIPPED] = FLAG("is_tripped", "1 = the crank is stopped"),
};

/* Every row of the first range depends on every column of the second. */
typedef struct block {
    wrsim_pattern pattern;
    int row, n_row, column, n_column;
} block;

#define GAS_ROWS MONO_X_MASS, MONO_X_COUNT - MONO_X_MASS /* masses, energy, temperature */
#define MASSES MONO_X_MASS, MONO_GASES
#define CAMS MONO_U_CAM, MONO_SIDES
#define TIMINGS MONO_Z_OPENS, 2 * MONO_SIDES + MONO_SIDES *MONO_LIFT_BREAKS
#define REGIMES(side) MONO_Z_REGIME + (side)*MONO_REGIMES, MONO_REGIMES
#define CHOKED(side) MONO_Z_REGIME + (side)*MONO_REGIMES + MONO_CHOKED, 1
#define ROW(i) i, 1

static const block blocks[] = {
    /* X -> X': six states only. Energy takes the pressure from the masses, temperature from the energy. */
    {WRSIM_X_X, MASSES, ROW(MONO_X_CRANK)},
    {WRSIM_X_X, MASSES, MASSES},
    {WRSIM_X_X, MASSES, MONO_X_ENERGY, 2}, /* and MONO_X_T */
    {WRSIM_X_X, ROW(MONO_X_ENERGY), ROW(MONO_X_CRANK)},
    {WRSIM_X_X, ROW(MONO_X_ENERGY), MASSES},
    {WRSIM_X_X, ROW(MONO_X_ENERGY), ROW(MONO_X_T)},
    {WRSIM_X_X, ROW(MONO_X_T), ROW(MONO_X_CRANK)},
    {WRSIM_X_X, ROW(MONO_X_T), ROW(MONO_X_ENERGY)},
    {WRSIM_X_X, ROW(MONO_X_T), ROW(MONO_X_T)},

    /* U -> X' */
    {WRSIM_U_X, ROW(MONO_X_CRANK), ROW(MONO_U_SPEED)},
    {WRSIM_U_X, MONO_X_QV_ALFA, MONO_X_COUNT - MONO_X_QV_ALFA, ROW(MONO_U_SPEED)},
    {WRSIM_U_X, GAS_ROWS, MONO_U_P, MONO_SIDES},
    {WRSIM_U_X, GAS_ROWS, CAMS},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_AIR), ROW(MONO_U_T)},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_AIR), ROW(MONO_U_EGR)},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_BURNED), MONO_U_T, MONO_SIDES + 1}, /* and MONO_U_EGR */
    {WRSIM_U_X, MONO_X_ENERGY, 2, MONO_U_T, MONO_SIDES},
    {WRSIM_U_X, MONO_X_ENERGY, 2, ROW(MONO_U_COOLANT)},
    {WRSIM_U_X, MONO_X_ENERGY, 2, ROW(MONO_U_T_FUEL)},

    /* D -> X' */
    {WRSIM_D_X, ROW(MONO_X_CRANK), MONO_D_WARNING, 2}, /* and MONO_D_TRIPPED */
    {WRSIM_D_X, MONO_X_QV_ALFA, MONO_X_COUNT - MONO_X_QV_ALFA, MONO_D_WARNING, 2},
    {WRSIM_D_X, ROW(MONO_X_EVAPO + MONO_FUEL), ROW(MONO_D_EVAPORATION)},
    {WRSIM_D_X, ROW(MONO_X_MASS + MONO_FUEL), ROW(MONO_D_EVAPORATION)},
    {WRSIM_D_X, MONO_X_ENERGY, 2, ROW(MONO_D_EVAPORATION)},
    {WRSIM_D_X, MONO_X_QV_ALFA, MONO_X_COUNT - MONO_X_QV_ALFA, ROW(MONO_D_BURN_SLOPE)},
    {WRSIM_D_X, ROW(MONO_X_QV_ALFA), ROW(MONO_D_CHARGE_FUEL)},
    {WRSIM_D_X, MONO_X_HEAT, MONO_X_COUNT - MONO_X_HEAT, ROW(MONO_D_CHARGE_FUEL)},
    {WRSIM_D_X, GAS_ROWS, MONO_D_OPEN, MONO_D_FIRED_PRESSURE - MONO_D_OPEN},
    {WRSIM_D_X, GAS_ROWS, MONO_D_CAM_LOW, 2 * MONO_SIDES},
    {WRSIM_D_X, GAS_ROWS, ROW(MONO_D_PARKED)},
    {WRSIM_D_X, MONO_X_ENERGY, 2, MONO_D_FIRED_PRESSURE, 4}, /* and at intake closing */

    /* X -> Z: the 39 active events */
    {WRSIM_X_Z, TIMINGS, ROW(MONO_X_CRANK)},
    {WRSIM_X_Z, MONO_Z_REGIME, MONO_SIDES *MONO_REGIMES, ROW(MONO_X_CRANK)},
    {WRSIM_X_Z, MONO_Z_REGIME, MONO_SIDES *MONO_REGIMES, MASSES},
    {WRSIM_X_Z, MONO_Z_REGIME, MONO_SIDES *MONO_REGIMES, ROW(MONO_X_T)},
    {WRSIM_X_Z, MONO_Z_HOT, MONO_HOT_BREAKS, ROW(MONO_X_T)},
    {WRSIM_X_Z, ROW(MONO_Z_FIRED_PRESSURE), ROW(MONO_X_CRANK)},
    {WRSIM_X_Z, ROW(MONO_Z_FIRED_PRESSURE), MASSES},
    {WRSIM_X_Z, ROW(MONO_Z_FIRED_PRESSURE), ROW(MONO_X_T)},
    {WRSIM_X_Z, MONO_Z_CALCULATION, MONO_Z_RAIL_LOW - MONO_Z_CALCULATION, ROW(MONO_X_CRANK)},
    {WRSIM_X_Z, MONO_Z_CYCLE, 4, ROW(MONO_X_CRANK)}, /* to MONO_Z_COMBUSTION_SEEN */
    {WRSIM_X_Z, ROW(MONO_Z_COMBUSTION_SEEN), MASSES},
    {WRSIM_X_Z, ROW(MONO_Z_COMBUSTION_SEEN), ROW(MONO_X_T)},

    /* U -> Z, but for the guards of the table */
    {WRSIM_U_Z, MONO_Z_OPENS, 1, ROW(MONO_U_CAM)},
    {WRSIM_U_Z, MONO_Z_CLOSES, 1, ROW(MONO_U_CAM)},
    {WRSIM_U_Z, MONO_Z_LIFT, MONO_LIFT_BREAKS, ROW(MONO_U_CAM)},
    {WRSIM_U_Z, MONO_Z_OPENS + 1, 1, ROW(MONO_U_CAM + 1)},
    {WRSIM_U_Z, MONO_Z_CLOSES + 1, 1, ROW(MONO_U_CAM + 1)},
    {WRSIM_U_Z, MONO_Z_LIFT + MONO_LIFT_BREAKS, MONO_LIFT_BREAKS, ROW(MONO_U_CAM + 1)},
    {WRSIM_U_Z, REGIMES(MONO_INTAKE), ROW(MONO_U_P)},
    {WRSIM_U_Z, REGIMES(MONO_EXHAUST), ROW(MONO_U_P + MONO_EXHAUST)},
    {WRSIM_U_Z, CHOKED(MONO_INTAKE), ROW(MONO_U_T)},
    {WRSIM_U_Z, CHOKED(MONO_EXHAUST), ROW(MONO_U_T + MONO_EXHAUST)},
    {WRSIM_U_Z, ROW(MONO_Z_SCAVENGING), MONO_U_P, MONO_SIDES},
    {WRSIM_U_Z, ROW(MONO_Z_COMBUSTION_SEEN), ROW(MONO_U_P)},
    {WRSIM_U_Z, MONO_Z_KNOCK_LIGHT, 3, ROW(MONO_U_KNOCK)},

    /* Z -> D, but for the flags of the tables */
    {WRSIM_Z_D, ROW(MONO_D_OPEN), ROW(MONO_Z_OPENS)},
    {WRSIM_Z_D, ROW(MONO_D_OPEN), ROW(MONO_Z_CLOSES)},
    {WRSIM_Z_D, ROW(MONO_D_OPEN + 1), ROW(MONO_Z_OPENS + 1)},
    {WRSIM_Z_D, ROW(MONO_D_OPEN + 1), ROW(MONO_Z_CLOSES + 1)},
    {WRSIM_Z_D, MONO_D_P_IVC, 5, ROW(MONO_Z_CLOSES)},        /* to MONO_D_RESIDUAL */
    {WRSIM_Z_D, MONO_D_ADVANCE, 4, ROW(MONO_Z_CALCULATION)}, /* to MONO_D_CHARGE_ANGLE */
    {WRSIM_Z_D, MONO_D_INJECTING, 3, ROW(MONO_Z_INJECTION)}, /* to MONO_D_IN_FLIGHT */
    {WRSIM_Z_D, MONO_D_FILM_RATE, 4, ROW(MONO_Z_INJECTION)}, /* to MONO_D_FILM_ANGLE */
    {WRSIM_Z_D, ROW(MONO_D_INJECTING), ROW(MONO_Z_INJECTED)},
    {WRSIM_Z_D, ROW(MONO_D_EVAPORATION), MONO_Z_EVAPORATION, 3}, /* to MONO_Z_FILM_GONE */
    {WRSIM_Z_D, ROW(MONO_D_IN_FLIGHT), ROW(MONO_Z_FILM_GONE)},
    {WRSIM_Z_D, ROW(MONO_D_COIL_ON), MONO_Z_CHARGES, 2},   /* and MONO_Z_SPARK */
    {WRSIM_Z_D, MONO_D_BURNING, 3, ROW(MONO_Z_SPARK)},     /* to MONO_D_BURN_DURATION */
    {WRSIM_Z_D, MONO_D_CHARGE_FUEL, 2, ROW(MONO_Z_SPARK)}, /* and MONO_D_DILUTION */
    {WRSIM_Z_D, ROW(MONO_D_BURN_SLOPE), MONO_Z_BURN, MONO_BURN_BORDERS},
    {WRSIM_Z_D, ROW(MONO_D_BURNING), ROW(MONO_Z_BURN + MONO_BURN_BORDERS - 1)},
    {WRSIM_Z_D, ROW(MONO_D_CYCLE), ROW(MONO_Z_CYCLE)},
    {WRSIM_Z_D, MONO_D_COMBUSTION_SEEN, 3, ROW(MONO_Z_CYCLE)}, /* to MONO_D_MISFIRES */
    {WRSIM_Z_D, ROW(MONO_D_COMBUSTION_SEEN), ROW(MONO_Z_COMBUSTION_SEEN)},
    {WRSIM_Z_D, ROW(MONO_D_WINDOW), MONO_Z_WINDOW_OPENS, 2},
    {WRSIM_Z_D, ROW(MONO_D_KNOCK_RETARD), MONO_Z_KNOCK_LIGHT, 2},

    /* D -> Z, but for the sums of the table */
    {WRSIM_D_Z, ROW(MONO_Z_OPENS), ROW(MONO_D_CAM_LOW)},
    {WRSIM_D_Z, ROW(MONO_Z_OPENS), ROW(MONO_D_CAM_HIGH)},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES), ROW(MONO_D_CAM_LOW)},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES), ROW(MONO_D_CAM_HIGH)},
    {WRSIM_D_Z, MONO_Z_LIFT, MONO_LIFT_BREAKS, ROW(MONO_D_CAM_LOW)},
    {WRSIM_D_Z, MONO_Z_LIFT, MONO_LIFT_BREAKS, ROW(MONO_D_CAM_HIGH)},
    {WRSIM_D_Z, ROW(MONO_Z_OPENS + 1), ROW(MONO_D_CAM_LOW + 1)},
    {WRSIM_D_Z, ROW(MONO_Z_OPENS + 1), ROW(MONO_D_CAM_HIGH + 1)},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES + 1), ROW(MONO_D_CAM_LOW + 1)},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES + 1), ROW(MONO_D_CAM_HIGH + 1)},
    {WRSIM_D_Z, MONO_Z_LIFT + MONO_LIFT_BREAKS, MONO_LIFT_BREAKS, ROW(MONO_D_CAM_LOW + 1)},
    {WRSIM_D_Z, MONO_Z_LIFT + MONO_LIFT_BREAKS, MONO_LIFT_BREAKS, ROW(MONO_D_CAM_HIGH + 1)},
    {WRSIM_D_Z, TIMINGS, ROW(MONO_D_PARKED)},
    {WRSIM_D_Z, MONO_Z_LIFT, MONO_LIFT_BREAKS, ROW(MONO_D_OPEN)},
    {WRSIM_D_Z, MONO_Z_LIFT + MONO_LIFT_BREAKS, MONO_LIFT_BREAKS, ROW(MONO_D_OPEN + 1)},
    {WRSIM_D_Z, REGIMES(MONO_INTAKE), ROW(MONO_D_OPEN)},
    {WRSIM_D_Z, REGIMES(MONO_EXHAUST), ROW(MONO_D_OPEN + 1)},
    {WRSIM_D_Z, CHOKED(MONO_INTAKE), ROW(MONO_D_REGIME + MONO_FORWARD)},
    {WRSIM_D_Z, CHOKED(MONO_EXHAUST), ROW(MONO_D_REGIME + MONO_REGIMES + MONO_FORWARD)},
    {WRSIM_D_Z, CHOKED(MONO_INTAKE), MONO_D_HOT, MONO_HOT_BREAKS},
    {WRSIM_D_Z, CHOKED(MONO_EXHAUST), MONO_D_HOT, MONO_HOT_BREAKS},
    {WRSIM_D_Z, ROW(MONO_Z_FIRED_PRESSURE), MONO_D_OPEN, MONO_SIDES},
    {WRSIM_D_Z, ROW(MONO_Z_FIRED_PRESSURE), MONO_D_P_IVC, 2}, /* and MONO_D_V_IVC */
    {WRSIM_D_Z, ROW(MONO_Z_INJECTION), ROW(MONO_D_SOI)},
    {WRSIM_D_Z, ROW(MONO_Z_INJECTION), MONO_D_SOI_EARLY, 2},
    {WRSIM_D_Z, ROW(MONO_Z_INJECTION), ROW(MONO_D_FUEL_OFF)},
    {WRSIM_D_Z, ROW(MONO_Z_INJECTED), MONO_D_INJECTING, 2}, /* and MONO_D_INJECTED_ANGLE */
    {WRSIM_D_Z, ROW(MONO_Z_INJECTS_LATE), ROW(MONO_D_INJECTED_ANGLE)},
    {WRSIM_D_Z, MONO_Z_EVAPORATION, 3, ROW(MONO_D_IN_FLIGHT)},
    {WRSIM_D_Z, ROW(MONO_Z_EVAPORATION), ROW(MONO_D_EVAPORATION_ANGLE)},
    {WRSIM_D_Z, ROW(MONO_Z_DROPS_GONE), ROW(MONO_D_DROPS_ANGLE)},
    {WRSIM_D_Z, ROW(MONO_Z_FILM_GONE), ROW(MONO_D_FILM_ANGLE)},
    {WRSIM_D_Z, ROW(MONO_Z_CHARGES), ROW(MONO_D_CHARGE_ANGLE)},
    {WRSIM_D_Z, ROW(MONO_Z_CHARGES), ROW(MONO_D_BATTERY_LOW)},
    {WRSIM_D_Z, MONO_Z_CHARGES, 2, ROW(MONO_D_IGNITION_OFF)}, /* and MONO_Z_SPARK */
    {WRSIM_D_Z, ROW(MONO_Z_SPARK), ROW(MONO_D_ADVANCE)},
    {WRSIM_D_Z, ROW(MONO_Z_SPARK), MONO_D_ADVANCE_EARLY, 2},
    {WRSIM_D_Z, ROW(MONO_Z_SPARK), ROW(MONO_D_MIXTURE_FAULT)},
    {WRSIM_D_Z, MONO_Z_BURN, MONO_BURN_BORDERS, MONO_D_BURNING, 2}, /* and MONO_D_BURN_ANGLE */
    {WRSIM_D_Z, MONO_Z_BURN + 1, MONO_BURN_BORDERS - 1, ROW(MONO_D_BURN_DURATION)},
    {WRSIM_D_Z, MONO_Z_BURN, MONO_BURN_BORDERS, ROW(MONO_D_DILUTE)},
    {WRSIM_D_Z, ROW(MONO_Z_BURNS_LATE), MONO_D_BURN_ANGLE, 2}, /* and MONO_D_BURN_DURATION */
    {WRSIM_D_Z, ROW(MONO_Z_DILUTE), ROW(MONO_D_DILUTION)},
    {WRSIM_D_Z, ROW(MONO_Z_COMBUSTION_SEEN), ROW(MONO_D_WINDOW)},
    {WRSIM_D_Z, MONO_Z_KNOCK_LIGHT, 3, ROW(MONO_D_WINDOW)},

    /* X -> Y: the states themselves follow */
    {WRSIM_X_Y, ROW(MONO_Y_P), ROW(MONO_X_CRANK)},
    {WRSIM_X_Y, ROW(MONO_Y_P), MASSES},
    {WRSIM_X_Y, ROW(MONO_Y_P), ROW(MONO_X_T)},
    {WRSIM_X_Y, MONO_Y_V, 2, ROW(MONO_X_CRANK)}, /* and MONO_Y_PHI */
    {WRSIM_X_Y, ROW(MONO_Y_POWER), ROW(MONO_X_CRANK)},
    {WRSIM_X_Y, ROW(MONO_Y_POWER), MASSES},
    {WRSIM_X_Y, ROW(MONO_Y_POWER), ROW(MONO_X_T)},
    {WRSIM_U_Y, MONO_Y_POWER, 2, ROW(MONO_U_SPEED)}, /* and MONO_Y_HEAT_RATE */
};

static int add_block(wrsim_description *to, const block *b)
{
    for (int row = b->row; row < b->row + b->n_row; row++)
        for (int column = b->column; column < b->column + b->n_column; column++)
            if (to->depends(to, b->pattern, row, column) != 0)
                return -1;
    return 0;
}

/* Adds the patterns of flags, guards and sums. */
static int add_tables(wrsim_description *to)
{
    int bad = 0;
    for (int i = 0; i < MONO_FLAGS; i++)
        bad |= to->depends(to, WRSIM_Z_D, mono_flags[i].d, mono_flags[i].z);
    for (int i = 0; i < MONO_GUARDS; i++) {
        const mono_guard *guard = &mono_guards[i];
        bad |= to->depends(to, WRSIM_Z_D, guard->flag.d, guard->flag.z);
        bad |= to->depends(to, WRSIM_U_Z, guard->flag.z, guard->u);
    }
    for (int i = 0; i < MONO_SUM_GUARDS; i++) {
        const mono_sum *sum = &mono_sums[i];
        bad |= to->depends(to, WRSIM_Z_D, sum->flag.d, sum->flag.z);
        for (int k = 0; k < sum->n; k++)
            bad |= to->depends(to, WRSIM_D_Z, sum->flag.z, sum->first + k);
        for (int k = 0; k < 3 && sum->more[k] != 0; k++)
            bad |= to->depends(to, WRSIM_D_Z, sum->flag.z, sum->more[k]);
    }
    return bad;
}

/* Adds the patterns of injected air and burned gas, if the parameters include them. */
static int add_injected(wrsim_instance *self, wrsim_description *to)
{
    static const struct {
        int param, gas;
    } with_fuel[] = {{MONO_P_INJECTED_AIR, MONO_AIR}, {MONO_P_INJECTED_BURNED, MONO_BURNED}};
    int bad = 0;
    for (int i = 0; i < 2; i++)
        if (self->param[with_fuel[i].param] > 0) {
            bad |= to->depends(to, WRSIM_D_X, MONO_X_EVAPO + with_fuel[i].gas, MONO_D_EVAPORATION);
            bad |= to->depends(to, WRSIM_D_X, MONO_X_MASS + with_fuel[i].gas, MONO_D_EVAPORATION);
        }
    return bad;
}

/* Sums depend on all that masses and energy depend on: full rows. */
static int add_sums(wrsim_description *to)
{
    static const int columns[][2] = {
        {WRSIM_X_X, MONO_X_COUNT}, {WRSIM_U_X, MONO_U_COUNT}, {WRSIM_D_X, MONO_D_COUNT}};
    int bad = WR_DESCRIBE_ADD(to, WRSIM_STATE, sums);
    for (int i = 0; i < 3; i++)
        bad |= add_block(
            to, &(block){(wrsim_pattern)columns[i][0], MONO_X_COUNT, MONO_SUMS, 0, columns[i][1]});
    return bad;
}

static int add_outputs(wrsim_description *to, int has_sums)
{
    int bad = 0;
    for (int i = 0; i < MONO_X_COUNT; i++) {
        wrsim_variable output = states[i];
        output.flags = WRSIM_IS_STATE;
        output.index = i;
        bad |= to->add(to, WRSIM_OUTPUT, &output);
        bad |= to->depends(to, WRSIM_X_Y, MONO_Y_STATES + i, i);
    }
    bad |= WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs);
    for (int i = 0; has_sums && i < MONO_SUMS; i++) {
        wrsim_variable output = sums[i];
        output.flags = WRSIM_IS_STATE;
        output.index = MONO_X_COUNT + i;
        bad |= to->add(to, WRSIM_OUTPUT, &output);
        bad |= to->depends(to, WRSIM_X_Y, MONO_Y_COUNT + i, MONO_X_COUNT + i);
    }
    return bad;
}

int mono_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int has_sums = self->param[MONO_P_BALANCE] > 0.5;
    to->n_w = MONO_WORK_DOUBLES;
    to->data_bytes = sizeof(mono_data);
    int bad = WR_DESCRIBE_ADD(to, WRSIM_STATE, states);
    if (bad == 0 && has_sums)
        bad = add_sums(to);
    if (bad != 0 || WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, indicators) || add_outputs(to, has_sums))
        return -1;
    for (int i = 0; i < WR_DESCRIBE_COUNT(blocks); i++)
        bad |= add_block(to, &blocks[i]);
    return bad | add_tables(to) | add_injected(self, to);
}
