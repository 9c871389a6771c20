/* indicator() of the mono-cylinder, and the tables of its guards. See mono_variables.h.
 *
 * Indicators at crank angles are 2 sin((X0 - angle) / 2). Near the angle the value is about the angle difference in rad. The value rises
 * through zero once per cycle. A disabled indicator, such as of the flow through a closed valve, is -1 until a discrete state changes. So
 * one event enables another event (Ben Khaled et al. (2013), section 6.2).
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>

#include "models/mono_cylinder/mono_variables.h"

static const double idle = -1; /* value of a disabled indicator */
static const double per_bar = 1e-5, per_kelvin = 1e-2;
static const double free_ratio = 0.99;
/* Retard of the spark if the mixture is unreliable, rad; longer charging of the coil at a low battery voltage, rad
 * (assumed). */
static const double careful_retard = 5 * MONO_RAD_PER_DEG, weak_battery = 30 * MONO_RAD_PER_DEG;
/* Limits of the control unit, rad: spark advance, start of injection (0: firing TDC) (assumed). */
static const double advance_max = 50 * MONO_RAD_PER_DEG, advance_min = -20 * MONO_RAD_PER_DEG;
static const double soi_min = 370 * MONO_RAD_PER_DEG, soi_max = 540 * MONO_RAD_PER_DEG;
/* Angle at which the control unit calculates, and window of the knock and combustion sensors, deg (assumed). */
static const double calculation_deg = 600, window_deg[2] = {10, 60};
/* Latest end of injection, and latest end of combustion, rad (assumed). */
static const double last_injection = 545 * MONO_RAD_PER_DEG, last_burn = 120 * MONO_RAD_PER_DEG;
/* Ratio of cylinder to intake pressure that only combustion exceeds (assumed). Compression alone ends at about 19. */
static const double fired_ratio = 26;
/* Readings of the knock sensor: silent, light knock, heavy knock (assumed). */
static const double knock_silent = 0.02, knock_light = 1, knock_heavy = 2;

#define GUARD(Z, D, U, sign, limit, scale)                                                         \
    {                                                                                              \
        {MONO_Z_##Z, MONO_D_##D, 1}, MONO_U_##U, sign, limit, scale                                \
    }
#define ALARM(Z, D, U, sign, limit, scale) /* an alarm has the weight of two warnings */           \
    {                                                                                              \
        {MONO_Z_##Z, MONO_D_##D, 2}, MONO_U_##U, sign, limit, scale                                \
    }

/* Guards. Their limits are in the unit of the input (assumed). */
const mono_guard mono_guards[MONO_GUARDS] = {
    GUARD(P_IM_LOW, P_IM, P, -1, 0.15e5, 1e-5),
    GUARD(P_IM_HIGH, P_IM, P, 1, 2.5e5, 1e-5),
    GUARD(T_IM_LOW, T_IM, T, -1, 243, 1e-2),
    GUARD(T_IM_HIGH, T_IM, T, 1, 373, 1e-2),
    {{MONO_Z_P_EM_LOW, MONO_D_P_EM, 1}, MONO_U_P + MONO_EXHAUST, -1, 0.7e5, 1e-5},
    {{MONO_Z_P_EM_HIGH, MONO_D_P_EM, 1}, MONO_U_P + MONO_EXHAUST, 1, 2.5e5, 1e-5},
    {{MONO_Z_T_EM_LOW, MONO_D_T_EM, 1}, MONO_U_T + MONO_EXHAUST, -1, 400, 1e-2},
    {{MONO_Z_T_EM_HIGH, MONO_D_T_EM, 1}, MONO_U_T + MONO_EXHAUST, 1, 1273, 1e-2},
    GUARD(EGR_LOW, EGR, EGR, -1, -0.01, 10),
    GUARD(EGR_HIGH, EGR, EGR, 1, 0.35, 10),
    GUARD(CAM_LOW, CAM_LOW, CAM, -1, 0, 0.1),
    {{MONO_Z_CAM_LOW + 1, MONO_D_CAM_LOW + 1, 1}, MONO_U_CAM + MONO_EXHAUST, -1, 0, 0.1},
    GUARD(CAM_HIGH, CAM_HIGH, CAM, 1, 0, 0.1),
    {{MONO_Z_CAM_HIGH + 1, MONO_D_CAM_HIGH + 1, 1}, MONO_U_CAM + MONO_EXHAUST, 1, 0, 0.1},
    GUARD(COLD_ENGINE, COLD_ENGINE, COOLANT, -1, 313, 1e-2),
    GUARD(HOT_ENGINE, HOT_ENGINE, COOLANT, 1, 388, 1e-2),

    GUARD(RAIL_LOW, RAIL, RAIL, -1, 20e5, 1e-5),
    GUARD(RAIL_HIGH, RAIL, RAIL, 1, 250e5, 1e-5),
    GUARD(FUEL_CUT, FUEL_CUT, FUEL, -1, 0.1, 1),
    GUARD(FUEL_RICH, FUEL_RICH, FUEL, 1, 1.5, 1),
    GUARD(ADVANCE_EARLY, ADVANCE_EARLY, ADVANCE, 1, 50, 0.1),
    GUARD(ADVANCE_LATE, ADVANCE_LATE, ADVANCE, -1, -20, 0.1),
    GUARD(SOI_EARLY, SOI_EARLY, SOI, -1, 370, 0.1),
    GUARD(SOI_LATE, SOI_LATE, SOI, 1, 540, 0.1),
    GUARD(BATTERY_LOW, BATTERY_LOW, BATTERY, -1, 9, 1),
    GUARD(FUEL_COLD, FUEL_COLD, T_FUEL, -1, 263, 1e-2),
    GUARD(FUEL_HOT, FUEL_HOT, T_FUEL, 1, 353, 1e-2),
    GUARD(LAMBDA_LEAN, LAMBDA, LAMBDA, 1, 1.3, 1),
    GUARD(LAMBDA_RICH, LAMBDA, LAMBDA, -1, 0.75, 1),
    GUARD(IGNITION_INHIBITED, IGNITION_INHIBITED, IGNITION, -1, 0.5, 1),

    GUARD(SPEED_LOW, SPEED, SPEED, -1, 60, 1e-2),
    GUARD(SPEED_REVERSE, SPEED, SPEED, -1, -1, 1e-2),
    GUARD(SPEED_HIGH, SPEED, SPEED, 1, 650, 1e-2),
    GUARD(SPEED_OVER, SPEED, SPEED, 1, 730, 1e-2),
    GUARD(OIL_P_LOW, OIL_P, OIL_P, -1, 1.5e5, 1e-5),
    GUARD(OIL_P_LOST, OIL_P, OIL_P, -1, 0.8e5, 1e-5),
    GUARD(OIL_P_HIGH, OIL_P, OIL_P, 1, 7e5, 1e-5),
    GUARD(OIL_T_LOW, OIL_T, OIL_T, -1, 313, 1e-2),
    GUARD(OIL_T_HIGH, OIL_T, OIL_T, 1, 403, 1e-2),
    GUARD(OIL_T_ALARM, OIL_T, OIL_T, 1, 423, 1e-2),
    GUARD(COOLANT_LOW, COOLANT, COOLANT, -1, 323, 1e-2),
    GUARD(COOLANT_HIGH, COOLANT, COOLANT, 1, 378, 1e-2),
    GUARD(COOLANT_ALARM, COOLANT, COOLANT, 1, 393, 1e-2),
    GUARD(VIBRATION_HIGH, VIBRATION, VIBRATION, 1, 30, 0.1),
    GUARD(VIBRATION_ALARM, VIBRATION, VIBRATION, 1, 60, 0.1),
    GUARD(CELL_GAS_HIGH, CELL_GAS, CELL_GAS, 1, 30, 0.1),
    GUARD(CELL_GAS_ALARM, CELL_GAS, CELL_GAS, 1, 60, 0.1),
    GUARD(CELL_T_HIGH, CELL_T, CELL_T, 1, 313, 1e-2),
    GUARD(CELL_T_ALARM, CELL_T, CELL_T, 1, 333, 1e-2),
    GUARD(DYNO_T_HIGH, DYNO_T, DYNO_T, 1, 393, 1e-2),
    GUARD(DYNO_T_ALARM, DYNO_T, DYNO_T, 1, 423, 1e-2),
    GUARD(WATER_LOW, WATER, WATER, -1, 0.5, 1),
    GUARD(WATER_LOST, WATER, WATER, -1, 0.2, 1),
    ALARM(CRANK_SENSOR_LOST, SENSORS, CRANK_SENSOR, -1, 0.5, 1),
    GUARD(CAM_SENSOR_LOST, SENSORS, CAM_SENSOR, -1, 0.5, 1),
    ALARM(STOP_PRESSED, SAFETY, STOP, 1, 0.5, 1),
    GUARD(DOOR_OPEN, SAFETY, DOOR, 1, 0.5, 1),
};

/* A sum is positive if one of its flags is set. Exceptions: a trip needs two warnings or one alarm, and misfiring needs four successive
 * misfires. */
const mono_sum mono_sums[MONO_SUM_GUARDS] = {
    {{MONO_Z_SENSOR_FAULT, MONO_D_SENSOR_FAULT, 1}, MONO_D_P_IM, 5, {0}, 0.5},
    {{MONO_Z_PARKED, MONO_D_PARKED, 1}, MONO_D_COLD_ENGINE, 4, {0}, 0.5},
    {{MONO_Z_MIXTURE_FAULT, MONO_D_MIXTURE_FAULT, 1},
     MONO_D_FUEL_COLD,
     3,
     {MONO_D_FUEL_RICH, MONO_D_INJECTS_LATE},
     0.5},
    {{MONO_Z_FUEL_OFF, MONO_D_FUEL_OFF, 1}, MONO_D_RAIL, 2, {0}, 0.5},
    {{MONO_Z_IGNITION_OFF, MONO_D_IGNITION_OFF, 1},
     MONO_D_IGNITION_INHIBITED,
     1,
     {MONO_D_FUEL_OFF},
     0.5},
    {{MONO_Z_MISFIRING, MONO_D_MISFIRING, 1}, MONO_D_MISFIRES, 1, {0}, 3.5},
    {{MONO_Z_WARNING, MONO_D_WARNING, 1}, MONO_D_CHANNELS, MONO_CHANNELS, {0}, 0.5},
    {{MONO_Z_TRIPPED, MONO_D_TRIPPED, 1}, MONO_D_CHANNELS, MONO_CHANNELS, {0}, 1.5},
};

#define ANGLE_ROW(i, ...) [MONO_A_##i] = MONO_Z_##i,
const int mono_angle_indicator[MONO_ANGLES] = {MONO_INDICATOR_LIST(MONO_NO_ROW, ANGLE_ROW)};

/* Returns a command limited to its range. is_low and is_high, discrete states, are 1 if the command is beyond the lower or upper limit. */
static double within(double command, double is_low, double low, double is_high, double high)
{
    return (1 - is_low - is_high) * command + is_low * low + is_high * high;
}

void mono_event_angles(const mono_data *data, const wrsim_point *point,
                       double ret_angle[MONO_ANGLES])
{
    const double *d = point->d, *param = data->param;
    for (int side = 0; side < MONO_SIDES; side++) {
        const double opens = mono_opens_deg(data, d, point->u, side);
        const double span = param[MONO_P_CLOSE + side] - param[MONO_P_OPEN + side];
        ret_angle[MONO_A_OPENS + side] = opens * MONO_RAD_PER_DEG;
        ret_angle[MONO_A_CLOSES + side] = (opens + span) * MONO_RAD_PER_DEG;
    }
    ret_angle[MONO_A_CALCULATION] = calculation_deg * MONO_RAD_PER_DEG;
    ret_angle[MONO_A_INJECTION] =
        within(d[MONO_D_SOI], d[MONO_D_SOI_EARLY], soi_min, d[MONO_D_SOI_LATE], soi_max);
    ret_angle[MONO_A_INJECTED] = d[MONO_D_INJECTED_ANGLE];
    ret_angle[MONO_A_EVAPORATION] = d[MONO_D_EVAPORATION_ANGLE];
    ret_angle[MONO_A_DROPS_GONE] = d[MONO_D_DROPS_ANGLE];
    ret_angle[MONO_A_FILM_GONE] = d[MONO_D_FILM_ANGLE];
    ret_angle[MONO_A_CHARGES] = d[MONO_D_CHARGE_ANGLE] - weak_battery * d[MONO_D_BATTERY_LOW];
    ret_angle[MONO_A_SPARK] = careful_retard * d[MONO_D_MIXTURE_FAULT] -
                              within(d[MONO_D_ADVANCE], d[MONO_D_ADVANCE_LATE], advance_min,
                                     d[MONO_D_ADVANCE_EARLY], advance_max);
    for (int i = 0; i < MONO_BURN_BORDERS; i++)
        ret_angle[MONO_A_BURN + i] =
            d[MONO_D_BURN_ANGLE] + d[MONO_D_BURN_DURATION] * i / (MONO_BURN_BORDERS - 1);
    ret_angle[MONO_A_CYCLE] = 0;
    ret_angle[MONO_A_WINDOW_OPENS] = window_deg[0] * MONO_RAD_PER_DEG;
    ret_angle[MONO_A_WINDOW_CLOSES] = window_deg[1] * MONO_RAD_PER_DEG;
}

/* Writes the indicators of the flow through the valves of one side: direction, not laminar, choked. */
static void flow_indicators(const mono_data *data, const wrsim_point *point, int side,
                            double *ret_z)
{
    const mono_work *w = mono_work_of(point);
    for (int i = 0; i < MONO_REGIMES; i++)
        ret_z[i] = idle;
    if (!(point->d[MONO_D_OPEN + side] > 0.5))
        return;
    const double pipe = point->u[MONO_U_P + side];
    const int is_forward = point->d[MONO_D_REGIME + side * MONO_REGIMES + MONO_FORWARD] > 0.5;
    const int is_from_pipe = is_forward == (side == MONO_INTAKE);
    const double ratio = pipe > w->p ? w->p / pipe : pipe / w->p;
    const double gamma = is_from_pipe ? mono_gamma_of(data, point->u[MONO_U_T + side]) : w->gamma;
    ret_z[MONO_FORWARD] = (side == MONO_INTAKE ? pipe - w->p : w->p - pipe) * per_bar;
    ret_z[MONO_FREE] = free_ratio - ratio;
    ret_z[MONO_CHOKED] = mono_critical_ratio(gamma) - ratio;
}

static void charge_indicators(const mono_data *data, const wrsim_point *point, double *ret_z)
{
    const mono_work *w = mono_work_of(point);
    const double *d = point->d;
    for (int side = 0; side < MONO_SIDES; side++) {
        for (int i = 0; i < MONO_LIFT_BREAKS; i++)
            ret_z[MONO_Z_LIFT + side * MONO_LIFT_BREAKS + i] =
                w->lift[side] - data->discharge.breaks[i];
        flow_indicators(data, point, side, ret_z + MONO_Z_REGIME + side * MONO_REGIMES);
    }
    for (int i = 0; i < MONO_HOT_BREAKS; i++)
        ret_z[MONO_Z_HOT + i] = (point->x[MONO_X_T] - data->cv.breaks[i]) * per_kelvin;
    const int is_closed = d[MONO_D_OPEN] + d[MONO_D_OPEN + 1] < 0.5;
    ret_z[MONO_Z_FIRED_PRESSURE] =
        is_closed ? (w->p - MONO_FIRED_RATIO * mono_motored_pressure(d, w->volume_m3)) * per_bar
                  : idle;
    ret_z[MONO_Z_SCAVENGING] = (point->u[MONO_U_P] - point->u[MONO_U_P + MONO_EXHAUST]) * per_bar;
}

static void guard_indicators(const mono_data *data, const wrsim_point *point, double *ret_z)
{
    const double *u = point->u, *d = point->d;
    for (int i = 0; i < MONO_GUARDS; i++) {
        const mono_guard *guard = &mono_guards[i];
        ret_z[guard->flag.z] = guard->sign * (u[guard->u] - guard->limit) * guard->scale;
    }
    /* The limit of the phaser guard is a parameter. */
    for (int side = 0; side < MONO_SIDES; side++)
        ret_z[MONO_Z_CAM_HIGH + side] -= 0.1 * data->param[MONO_P_CAM_RANGE];
    for (int i = 0; i < MONO_SUM_GUARDS; i++) {
        const mono_sum *sum = &mono_sums[i];
        double value = -sum->limit;
        for (int k = 0; k < sum->n; k++)
            value += d[sum->first + k];
        for (int k = 0; k < 3 && sum->more[k] != 0; k++)
            value += d[sum->more[k]];
        ret_z[sum->flag.z] = value;
    }
    ret_z[MONO_Z_INJECTS_LATE] = 2 * sin((d[MONO_D_INJECTED_ANGLE] - last_injection) / 2);
    ret_z[MONO_Z_BURNS_LATE] =
        2 * sin((d[MONO_D_BURN_ANGLE] + d[MONO_D_BURN_DURATION] - last_burn) / 2);
    ret_z[MONO_Z_DILUTE] = d[MONO_D_DILUTION] - data->param[MONO_P_DILUTION_LIMIT];
}

int mono_indicator(wrsim_instance *self, const wrsim_point *point, double *ret_z)
{
    const mono_data *data = (const mono_data *)self->data;
    double angle[MONO_ANGLES], is_watched[MONO_ANGLES];
    mono_event_angles(data, point, angle);
    for (int i = 0; i < MONO_ANGLES; i++)
        is_watched[i] = 1;
    is_watched[MONO_A_INJECTION] = 1 - point->d[MONO_D_FUEL_OFF];
    is_watched[MONO_A_INJECTED] = point->d[MONO_D_INJECTING];
    for (int i = MONO_A_EVAPORATION; i <= MONO_A_FILM_GONE; i++)
        is_watched[i] = point->d[MONO_D_IN_FLIGHT];
    is_watched[MONO_A_CHARGES] = is_watched[MONO_A_SPARK] = 1 - point->d[MONO_D_IGNITION_OFF];
    for (int i = 0; i < MONO_BURN_BORDERS; i++)
        is_watched[MONO_A_BURN + i] = point->d[MONO_D_BURNING] * (1 - point->d[MONO_D_DILUTE]);
    for (int i = 0; i < MONO_ANGLES; i++)
        ret_z[mono_angle_indicator[i]] =
            is_watched[i] * 2 * sin((point->x[MONO_X_CRANK] - angle[i]) / 2) +
            (1 - is_watched[i]) * idle;
    charge_indicators(data, point, ret_z);
    const double knock = point->u[MONO_U_KNOCK];
    const int is_open = point->d[MONO_D_WINDOW] > 0.5;
    ret_z[MONO_Z_COMBUSTION_SEEN] =
        is_open ? mono_work_of(point)->p / point->u[MONO_U_P] - fired_ratio : idle;
    ret_z[MONO_Z_KNOCK_LIGHT] = is_open ? knock - knock_light : idle;
    ret_z[MONO_Z_KNOCK_HEAVY] = is_open ? knock - knock_heavy : idle;
    ret_z[MONO_Z_KNOCK_SILENT] = is_open ? knock_silent - knock : idle;
    guard_indicators(data, point, ret_z);
    return 0;
}
