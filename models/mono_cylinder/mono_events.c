/* event() of the mono-cylinder: start values and actions of the events. See mono_variables.h.
 *
 * Most events are flags, which tables assign to discrete states. Events at crank angles have actions in another table.
 */
#include <math.h>
#include <stddef.h>

#include "models/mono_cylinder/mono_variables.h"

/* Burned gas reduces the laminar flame speed by the factor 1 - 2.06 x_b^0.77 (Rhodes and Keck, SAE 850047, 1985).
 * Development and burn durations are proportional to the power -2/3 of this factor. In degrees the durations grow with
 * the cube root of the crank speed (models/mono_cylinder/readme.md, Burning). */
static const double dilution_factor = 2.06, dilution_power = 0.77, flame_power = -2.0 / 3;
static const double slowest_flame =
    0.1; /* lower bound of the factor on the flame speed (assumed) */
static const double reference_speed = 2000 * MONO_PI / 30, speed_power = 1.0 / 3;
/* Rail pressure of the parameter injector_flow, Pa (assumed). The flow is proportional to the root of the rail pressure. */
static const double rail_reference_pa = 100e5;
/* Constants of the control unit (assumed): richest mixture, over stoichiometric; least angle from the calculation to the charging of the
 * coil, rad. Retard of the spark, rad: at a light and at a heavy knock, limit, and decay per cycle. */
static const double richest = 1.5, soonest_charge = 1 * MONO_RAD_PER_DEG;
static const double light_retard = 2 * MONO_RAD_PER_DEG, heavy_retard = 4 * MONO_RAD_PER_DEG;
static const double retard_max = 12 * MONO_RAD_PER_DEG, retard_decay = 0.25 * MONO_RAD_PER_DEG;
/* Factor on the wall film at low fuel temperature (assumed). */
static const double cold_film_factor = 2;
/* Lowest speed for the conversion of times to angles, rad/s. Any positive value keeps the angles finite for a crank that stands still. */
static const double slowest_speed = 1;

typedef struct at_event {
    const mono_data *data;
    const wrsim_point *point;
    mono_work *work; /* quantities of work_of() */
    int *has_work;   /* 1: work is set; most events do not need these quantities */
    double *x, *d;
    int which; /* index of the side or border */
} at_event;

/* Returns the quantities of algebra() at the point of the event. */
static const mono_work *work_of(const at_event *at)
{
    if (!*at->has_work)
        mono_state(at->data, at->point, at->work);
    *at->has_work = 1;
    return at->work;
}

/* Returns the crank speed for the conversion of times to angles, rad/s. */
static double angle_speed(const at_event *at) { return fmax(work_of(at)->omega, slowest_speed); }

static void valve_opens(const at_event *at) { at->d[MONO_D_OPEN + at->which] = 1; }

/* Stores the present charge as the charge at intake closing, for heat transfer, the control unit and recording. */
static void keep_charge(const mono_work *work, const double *x, double *d)
{
    d[MONO_D_P_IVC] = work->p;
    d[MONO_D_V_IVC] = work->volume_m3;
    d[MONO_D_T_IVC] = x[MONO_X_T];
    d[MONO_D_AIR_IVC] = x[MONO_X_MASS + MONO_AIR];
    d[MONO_D_RESIDUAL] = x[MONO_X_MASS + MONO_BURNED] / work->mass_kg;
}

static void valve_closes(const at_event *at)
{
    at->d[MONO_D_OPEN + at->which] = 0;
    if (at->which == MONO_INTAKE)
        keep_charge(work_of(at), at->x, at->d);
}

/* Computes the commands of the control unit for the next injection and spark. */
static void calculate(const at_event *at)
{
    double *d = at->d;
    const double *u = at->point->u, *param = at->data->param;
    const double fuel = d[MONO_D_FUEL_RICH] > 0.5 ? richest : fmax(u[MONO_U_FUEL], 0);
    d[MONO_D_FUEL_MASS] = fuel * d[MONO_D_AIR_IVC] / param[MONO_P_AIR_FUEL];
    d[MONO_D_SOI] = u[MONO_U_SOI] * MONO_RAD_PER_DEG;
    d[MONO_D_ADVANCE] = u[MONO_U_ADVANCE] * MONO_RAD_PER_DEG - d[MONO_D_KNOCK_RETARD];
    wrsim_point then = *at->point;
    double angle[MONO_ANGLES];
    then.d = d;
    mono_event_angles(at->data, &then, angle);
    const double before = param[MONO_P_DWELL] * angle_speed(at);
    const double first = angle[MONO_A_CALCULATION] - MONO_CYCLE_DEG * MONO_RAD_PER_DEG;
    d[MONO_D_CHARGE_ANGLE] = fmax(angle[MONO_A_SPARK] - before, first + soonest_charge);
}

static void injection_starts(const at_event *at)
{
    double *d = at->d;
    const double *param = at->data->param, *u = at->point->u;
    const double now = at->point->x[MONO_X_CRANK], omega = angle_speed(at);
    const double mass = d[MONO_D_FUEL_MASS];
    const double flow =
        param[MONO_P_INJECTOR_FLOW] * sqrt(fmax(u[MONO_U_RAIL], 1e5) / rail_reference_pa);
    const double injects_s = mass / flow;
    const double film =
        fmin(param[MONO_P_FILM_SHARE] * (d[MONO_D_FUEL_COLD] > 0.5 ? cold_film_factor : 1), 1);
    const double drops_s = injects_s + param[MONO_P_DROPLET_TIME];
    d[MONO_D_INJECTING] = d[MONO_D_IN_FLIGHT] = 1;
    d[MONO_D_INJECTED_ANGLE] = now + omega * injects_s;
    d[MONO_D_EVAPORATION_ANGLE] = now + omega * param[MONO_P_DROPLET_DELAY];
    d[MONO_D_DROPS_ANGLE] = d[MONO_D_EVAPORATION_ANGLE] + omega * drops_s;
    d[MONO_D_FILM_ANGLE] = d[MONO_D_DROPS_ANGLE] + omega * param[MONO_P_FILM_TIME];
    d[MONO_D_FILM_RATE] = film * mass / param[MONO_P_FILM_TIME];
}

static void injection_ends(const at_event *at) { at->d[MONO_D_INJECTING] = 0; }

static void drops_evaporate(const at_event *at)
{
    double *d = at->d;
    const double film = d[MONO_D_FILM_RATE] * at->data->param[MONO_P_FILM_TIME];
    const double span = (d[MONO_D_DROPS_ANGLE] - d[MONO_D_EVAPORATION_ANGLE]) / angle_speed(at);
    d[MONO_D_EVAPORATION] = (d[MONO_D_FUEL_MASS] - film) / span;
}

static void drops_gone(const at_event *at) { at->d[MONO_D_EVAPORATION] = at->d[MONO_D_FILM_RATE]; }

static void film_gone(const at_event *at)
{
    at->d[MONO_D_EVAPORATION] = 0;
    at->d[MONO_D_IN_FLIGHT] = 0;
}

static void coil_charges(const at_event *at) { at->d[MONO_D_COIL_ON] = 1; }

/* If the coil is charged, switches the coil off, and sets the start and duration of burning from the charge. */
static void spark(const at_event *at)
{
    double *d = at->d, *x = at->x;
    const double *param = at->data->param;
    if (!(d[MONO_D_COIL_ON] > 0.5))
        return;
    const double dilution = x[MONO_X_MASS + MONO_BURNED] / work_of(at)->mass_kg;
    const double flame =
        fmax(1 - dilution_factor * pow(fmax(dilution, 0), dilution_power), slowest_flame);
    const double stretch =
        pow(flame, flame_power) * pow(angle_speed(at) / reference_speed, speed_power);
    const double fuel =
        fmin(x[MONO_X_MASS + MONO_FUEL], x[MONO_X_MASS + MONO_AIR] / param[MONO_P_AIR_FUEL]);
    d[MONO_D_COIL_ON] = 0;
    d[MONO_D_DILUTION] = dilution;
    d[MONO_D_BURNING] = 1;
    d[MONO_D_BURN_ANGLE] =
        at->point->x[MONO_X_CRANK] + param[MONO_P_DEVELOPMENT] * MONO_RAD_PER_DEG * stretch;
    d[MONO_D_BURN_DURATION] = param[MONO_P_DURATION] * MONO_RAD_PER_DEG * stretch;
    d[MONO_D_CHARGE_FUEL] = fmax(fuel, 0) * param[MONO_P_EFFICIENCY];
    x[MONO_X_QV_ALFA] = 0;
    x[MONO_X_MREF_ALFA] = 0;
}

/* Sets the slope of the next segment at a border of the burn table. At the first border after the opening angle exhaust_open the flame
 * goes out. */
static void burn_border(const at_event *at)
{
    double *d = at->d;
    const double *burned = at->data->burned;
    const double exhaust_opens = at->data->param[MONO_P_OPEN + MONO_EXHAUST];
    const int is_last = at->which == MONO_BURN_BORDERS - 1;
    const int is_out = is_last || mono_angle_since(work_of(at)->phi_deg, exhaust_opens) > 0;
    d[MONO_D_BURN_SLOPE] = is_out ? 0
                                  : (burned[at->which + 1] - burned[at->which]) *
                                        (MONO_BURN_BORDERS - 1) / d[MONO_D_BURN_DURATION];
    if (is_last)
        d[MONO_D_BURNING] = 0;
}

/* Counts the cycle at firing top dead centre. If the fuel is on and no combustion was detected, counts a misfire. Otherwise resets the
 * count of successive misfires. */
static void cycle(const at_event *at)
{
    double *d = at->d;
    const int is_misfire = !(d[MONO_D_COMBUSTION_SEEN] > 0.5) && !(d[MONO_D_FUEL_OFF] > 0.5);
    d[MONO_D_MISFIRES] = is_misfire ? d[MONO_D_MISFIRES] + 1 : 0;
    d[MONO_D_COMBUSTION_SEEN] = 0;
    d[MONO_D_CYCLE] += 1;
    d[MONO_D_KNOCK_RETARD] = fmax(d[MONO_D_KNOCK_RETARD] - retard_decay, 0);
}

static void window_opens(const at_event *at) { at->d[MONO_D_WINDOW] = 1; }
static void window_closes(const at_event *at) { at->d[MONO_D_WINDOW] = 0; }

/* Actions of n events with adjacent indices MONO_A_...; `which` counts the events of an action. */
static const struct {
    int first, n;
    void (*act)(const at_event *);
} actions[] = {
    {MONO_A_OPENS, MONO_SIDES, valve_opens},
    {MONO_A_CLOSES, MONO_SIDES, valve_closes},
    {MONO_A_CALCULATION, 1, calculate},
    {MONO_A_INJECTION, 1, injection_starts},
    {MONO_A_INJECTED, 1, injection_ends},
    {MONO_A_EVAPORATION, 1, drops_evaporate},
    {MONO_A_DROPS_GONE, 1, drops_gone},
    {MONO_A_FILM_GONE, 1, film_gone},
    {MONO_A_CHARGES, 1, coil_charges},
    {MONO_A_SPARK, 1, spark},
    {MONO_A_BURN, MONO_BURN_BORDERS, burn_border},
    {MONO_A_CYCLE, 1, cycle},
    {MONO_A_WINDOW_OPENS, 1, window_opens},
    {MONO_A_WINDOW_CLOSES, 1, window_closes},
};

/* Flags that the tables in mono_indicators.c do not contain. */
const mono_flag mono_flags[MONO_FLAGS] = {
    {MONO_Z_LIFT, MONO_D_LIFT, 1},
    {MONO_Z_LIFT + 1, MONO_D_LIFT + 1, 1},
    {MONO_Z_LIFT + 2, MONO_D_LIFT + 2, 1},
    {MONO_Z_LIFT + 3, MONO_D_LIFT + 3, 1},
    {MONO_Z_REGIME, MONO_D_REGIME, 1},
    {MONO_Z_REGIME + 1, MONO_D_REGIME + 1, 1},
    {MONO_Z_REGIME + 2, MONO_D_REGIME + 2, 1},
    {MONO_Z_REGIME + 3, MONO_D_REGIME + 3, 1},
    {MONO_Z_REGIME + 4, MONO_D_REGIME + 4, 1},
    {MONO_Z_REGIME + 5, MONO_D_REGIME + 5, 1},
    {MONO_Z_HOT, MONO_D_HOT, 1},
    {MONO_Z_HOT + 1, MONO_D_HOT + 1, 1},
    {MONO_Z_HOT + 2, MONO_D_HOT + 2, 1},
    {MONO_Z_FIRED_PRESSURE, MONO_D_FIRED_PRESSURE, 1},
    {MONO_Z_SCAVENGING, MONO_D_SCAVENGING, 1},
    {MONO_Z_INJECTS_LATE, MONO_D_INJECTS_LATE, 1},
    {MONO_Z_BURNS_LATE, MONO_D_BURNS_LATE, 1},
    {MONO_Z_DILUTE, MONO_D_DILUTE, 1},
    {MONO_Z_KNOCK_LIGHT, MONO_D_KNOCK, 1},
    {MONO_Z_KNOCK_HEAVY, MONO_D_KNOCK, 1},
    {MONO_Z_KNOCK_SILENT, MONO_D_KNOCK_SILENT, 1},
};

/* Calls visit for every flag. */
static void each_flag(void (*visit)(const mono_flag *, const void *, double *), const void *of,
                      double *d)
{
    for (int i = 0; i < MONO_FLAGS; i++)
        visit(&mono_flags[i], of, d);
    for (int i = 0; i < MONO_GUARDS; i++)
        visit(&mono_guards[i].flag, of, d);
    for (int i = 0; i < MONO_SUM_GUARDS; i++)
        visit(&mono_sums[i].flag, of, d);
}

static void clear_flag(const mono_flag *flag, const void *of, double *d)
{
    (void)of;
    d[flag->d] = 0;
}

static void add_mode(const mono_flag *flag, const void *mode, double *d)
{
    d[flag->d] += flag->weight * ((const unsigned char *)mode)[flag->z];
}

static void add_fired(const mono_flag *flag, const void *fired, double *d)
{
    d[flag->d] += flag->weight * ((const signed char *)fired)[flag->z];
}

/* Sets discrete states that fit the start angle. No injection or flame is active. The present charge determines the commands. */
static void start(const at_event *at)
{
    double *d = at->d;
    each_flag(clear_flag, NULL, d);
    each_flag(add_mode, at->point->mode, d);
    for (int side = 0; side < MONO_SIDES; side++) {
        const double *param = at->data->param;
        const double since =
            mono_angle_since(work_of(at)->phi_deg, mono_opens_deg(at->data, d, at->point->u, side));
        d[MONO_D_OPEN + side] =
            since >= 0 && since < param[MONO_P_CLOSE + side] - param[MONO_P_OPEN + side];
    }
    d[MONO_D_COMBUSTION_SEEN] = 1;
    keep_charge(work_of(at), at->x, d);
    calculate(at);
}

int mono_event(wrsim_instance *self, const wrsim_point *point, const wrsim_event *what, double *x,
               double *d)
{
    const mono_data *data = (const mono_data *)self->data;
    mono_work work;
    int has_work = 0;
    at_event at = {
        .data = data, .point = point, .work = &work, .has_work = &has_work, .x = x, .d = d};
    if (what->is_initial) {
        start(&at);
        return 0;
    }
    each_flag(add_fired, what->fired, d);
    if (what->fired[MONO_Z_COMBUSTION_SEEN] > 0)
        d[MONO_D_COMBUSTION_SEEN] = 1;
    if (what->fired[MONO_Z_KNOCK_LIGHT] > 0)
        d[MONO_D_KNOCK_RETARD] += light_retard;
    if (what->fired[MONO_Z_KNOCK_HEAVY] > 0)
        d[MONO_D_KNOCK_RETARD] += heavy_retard;
    d[MONO_D_KNOCK_RETARD] = fmin(d[MONO_D_KNOCK_RETARD], retard_max);
    double angle[MONO_ANGLES];
    mono_event_angles(data, point, angle);
    for (size_t k = 0; k < sizeof actions / sizeof actions[0]; k++)
        for (at.which = 0; at.which < actions[k].n; at.which++) {
            const int i = actions[k].first + at.which;
            /* A jump of an input may make an indicator rise half a cycle away from its angle; event() ignores such an event. */
            if (what->fired[mono_angle_indicator[i]] > 0 &&
                cos((point->x[MONO_X_CRANK] - angle[i]) / 2) >= 0)
                actions[k].act(&at);
        }
    return 0;
}
