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
#define PARAM_ROW(i, ...) [MONO_P_##i] = WR_PARAM(__VA_ARGS__),
const wrsim_variable mono_params[MONO_PARAMS] = {MONO_PARAM_LIST(PARAM_ROW)};

/* Start values: compressed mixture, both valves closed, 115 degrees before firing TDC, part load. */
#define STATE_ROW(i, ...) [MONO_X_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable states[MONO_X_COUNT] = {MONO_STATE_LIST(STATE_ROW)};

#define SUM_ROW(i, ...) [MONO_S_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable sums[MONO_SUMS] = {MONO_SUM_LIST(SUM_ROW)};

#define INPUT_ROW(i, ...) [MONO_U_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable inputs[MONO_U_COUNT] = {MONO_INPUT_LIST(INPUT_ROW)};

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

#define INDICATOR_ROW(i, name, unit, ...) [MONO_Z_##i] = WR_SIGNAL(name, unit, 1, __VA_ARGS__),
#define ANGLE_ROW(i, name, ...)                                                                    \
    INDICATOR_ROW(i, name, "rad", __VA_ARGS__, .flags = WRSIM_RISING_ONLY)
static const wrsim_variable indicators[MONO_Z_COUNT] = {
    MONO_INDICATOR_LIST(INDICATOR_ROW, ANGLE_ROW)};

#define DISCRETE_ROW(i, ...) [MONO_D_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable discretes[MONO_D_COUNT] = {MONO_DISCRETE_LIST(DISCRETE_ROW)};

/* Every row depends on every column of the ranges: first column and number of columns, ended by a number of 0. */
typedef struct block {
    wrsim_pattern pattern;
    int row, n_row, columns[12];
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
    {WRSIM_X_X, MASSES, {ROW(MONO_X_CRANK), MASSES, MONO_X_ENERGY, 2}},
    {WRSIM_X_X, ROW(MONO_X_ENERGY), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_X, ROW(MONO_X_T), {ROW(MONO_X_CRANK), ROW(MONO_X_ENERGY), ROW(MONO_X_T)}},

    /* U -> X' */
    {WRSIM_U_X, ROW(MONO_X_CRANK), {ROW(MONO_U_SPEED)}},
    {WRSIM_U_X, MONO_X_QV_ALFA, MONO_X_COUNT - MONO_X_QV_ALFA, {ROW(MONO_U_SPEED)}},
    {WRSIM_U_X, GAS_ROWS, {MONO_U_P, MONO_SIDES, CAMS}},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_AIR), {ROW(MONO_U_T), ROW(MONO_U_EGR)}},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_BURNED), {MONO_U_T, MONO_SIDES + 1}},
    {WRSIM_U_X, MONO_X_ENERGY, 2, {MONO_U_T, MONO_SIDES, ROW(MONO_U_COOLANT), ROW(MONO_U_T_FUEL)}},

    /* D -> X' */
    {WRSIM_D_X, ROW(MONO_X_CRANK), {MONO_D_WARNING, 2}},
    {WRSIM_D_X,
     MONO_X_QV_ALFA,
     MONO_X_COUNT - MONO_X_QV_ALFA,
     {MONO_D_WARNING, 2, ROW(MONO_D_BURN_SLOPE)}},
    {WRSIM_D_X, ROW(MONO_X_EVAPO + MONO_FUEL), {ROW(MONO_D_EVAPORATION)}},
    {WRSIM_D_X, ROW(MONO_X_MASS + MONO_FUEL), {ROW(MONO_D_EVAPORATION)}},
    {WRSIM_D_X, MONO_X_ENERGY, 2, {ROW(MONO_D_EVAPORATION), MONO_D_FIRED_PRESSURE, 4}},
    {WRSIM_D_X, ROW(MONO_X_QV_ALFA), {ROW(MONO_D_CHARGE_FUEL)}},
    {WRSIM_D_X, MONO_X_HEAT, MONO_X_COUNT - MONO_X_HEAT, {ROW(MONO_D_CHARGE_FUEL)}},
    {WRSIM_D_X,
     GAS_ROWS,
     {MONO_D_OPEN, MONO_D_FIRED_PRESSURE - MONO_D_OPEN, MONO_D_CAM_LOW, 2 * MONO_SIDES,
      ROW(MONO_D_PARKED)}},

    /* X -> Z: the 39 active events */
    {WRSIM_X_Z, TIMINGS, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Z,
     MONO_Z_REGIME,
     MONO_SIDES *MONO_REGIMES,
     {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_Z, MONO_Z_HOT, MONO_HOT_BREAKS, {ROW(MONO_X_T)}},
    {WRSIM_X_Z, ROW(MONO_Z_FIRED_PRESSURE), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_Z, MONO_Z_CALCULATION, MONO_Z_RAIL_LOW - MONO_Z_CALCULATION, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Z, MONO_Z_CYCLE, 4, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Z, ROW(MONO_Z_COMBUSTION_SEEN), {MASSES, ROW(MONO_X_T)}},

    /* U -> Z, but for the guards of the table */
    {WRSIM_U_Z, MONO_Z_OPENS, 1, {ROW(MONO_U_CAM)}},
    {WRSIM_U_Z, MONO_Z_CLOSES, 1, {ROW(MONO_U_CAM)}},
    {WRSIM_U_Z, MONO_Z_LIFT, MONO_LIFT_BREAKS, {ROW(MONO_U_CAM)}},
    {WRSIM_U_Z, MONO_Z_OPENS + 1, 1, {ROW(MONO_U_CAM + 1)}},
    {WRSIM_U_Z, MONO_Z_CLOSES + 1, 1, {ROW(MONO_U_CAM + 1)}},
    {WRSIM_U_Z, MONO_Z_LIFT + MONO_LIFT_BREAKS, MONO_LIFT_BREAKS, {ROW(MONO_U_CAM + 1)}},
    {WRSIM_U_Z, REGIMES(MONO_INTAKE), {ROW(MONO_U_P)}},
    {WRSIM_U_Z, REGIMES(MONO_EXHAUST), {ROW(MONO_U_P + MONO_EXHAUST)}},
    {WRSIM_U_Z, CHOKED(MONO_INTAKE), {ROW(MONO_U_T)}},
    {WRSIM_U_Z, CHOKED(MONO_EXHAUST), {ROW(MONO_U_T + MONO_EXHAUST)}},
    {WRSIM_U_Z, ROW(MONO_Z_SCAVENGING), {MONO_U_P, MONO_SIDES}},
    {WRSIM_U_Z, ROW(MONO_Z_COMBUSTION_SEEN), {ROW(MONO_U_P)}},
    {WRSIM_U_Z, MONO_Z_KNOCK_LIGHT, 3, {ROW(MONO_U_KNOCK)}},

    /* Z -> D, but for the flags of the tables */
    {WRSIM_Z_D, ROW(MONO_D_OPEN), {ROW(MONO_Z_OPENS), ROW(MONO_Z_CLOSES)}},
    {WRSIM_Z_D, ROW(MONO_D_OPEN + 1), {ROW(MONO_Z_OPENS + 1), ROW(MONO_Z_CLOSES + 1)}},
    {WRSIM_Z_D, MONO_D_P_IVC, 5, {ROW(MONO_Z_CLOSES)}},
    {WRSIM_Z_D, MONO_D_ADVANCE, 4, {ROW(MONO_Z_CALCULATION)}},
    {WRSIM_Z_D, MONO_D_INJECTING, 3, {ROW(MONO_Z_INJECTION)}},
    {WRSIM_Z_D, MONO_D_FILM_RATE, 4, {ROW(MONO_Z_INJECTION)}},
    {WRSIM_Z_D, ROW(MONO_D_INJECTING), {ROW(MONO_Z_INJECTED)}},
    {WRSIM_Z_D, ROW(MONO_D_EVAPORATION), {MONO_Z_EVAPORATION, 3}},
    {WRSIM_Z_D, ROW(MONO_D_IN_FLIGHT), {ROW(MONO_Z_FILM_GONE)}},
    {WRSIM_Z_D, ROW(MONO_D_COIL_ON), {MONO_Z_CHARGES, 2}},
    {WRSIM_Z_D, MONO_D_BURNING, 3, {ROW(MONO_Z_SPARK)}},
    {WRSIM_Z_D, MONO_D_CHARGE_FUEL, 2, {ROW(MONO_Z_SPARK)}},
    {WRSIM_Z_D, ROW(MONO_D_BURN_SLOPE), {MONO_Z_BURN, MONO_BURN_BORDERS}},
    {WRSIM_Z_D, ROW(MONO_D_BURNING), {ROW(MONO_Z_BURN + MONO_BURN_BORDERS - 1)}},
    {WRSIM_Z_D, ROW(MONO_D_CYCLE), {ROW(MONO_Z_CYCLE)}},
    {WRSIM_Z_D, MONO_D_COMBUSTION_SEEN, 3, {ROW(MONO_Z_CYCLE)}},
    {WRSIM_Z_D, ROW(MONO_D_COMBUSTION_SEEN), {ROW(MONO_Z_COMBUSTION_SEEN)}},
    {WRSIM_Z_D, ROW(MONO_D_WINDOW), {MONO_Z_WINDOW_OPENS, 2}},
    {WRSIM_Z_D, ROW(MONO_D_KNOCK_RETARD), {MONO_Z_KNOCK_LIGHT, 2}},

    /* D -> Z, but for the sums of the table */
    {WRSIM_D_Z, ROW(MONO_Z_OPENS), {ROW(MONO_D_CAM_LOW), ROW(MONO_D_CAM_HIGH)}},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES), {ROW(MONO_D_CAM_LOW), ROW(MONO_D_CAM_HIGH)}},
    {WRSIM_D_Z,
     MONO_Z_LIFT,
     MONO_LIFT_BREAKS,
     {ROW(MONO_D_CAM_LOW), ROW(MONO_D_CAM_HIGH), ROW(MONO_D_OPEN)}},
    {WRSIM_D_Z, ROW(MONO_Z_OPENS + 1), {ROW(MONO_D_CAM_LOW + 1), ROW(MONO_D_CAM_HIGH + 1)}},
    {WRSIM_D_Z, ROW(MONO_Z_CLOSES + 1), {ROW(MONO_D_CAM_LOW + 1), ROW(MONO_D_CAM_HIGH + 1)}},
    {WRSIM_D_Z,
     MONO_Z_LIFT + MONO_LIFT_BREAKS,
     MONO_LIFT_BREAKS,
     {ROW(MONO_D_CAM_LOW + 1), ROW(MONO_D_CAM_HIGH + 1), ROW(MONO_D_OPEN + 1)}},
    {WRSIM_D_Z, TIMINGS, {ROW(MONO_D_PARKED)}},
    {WRSIM_D_Z, REGIMES(MONO_INTAKE), {ROW(MONO_D_OPEN)}},
    {WRSIM_D_Z, REGIMES(MONO_EXHAUST), {ROW(MONO_D_OPEN + 1)}},
    {WRSIM_D_Z,
     CHOKED(MONO_INTAKE),
     {ROW(MONO_D_REGIME + MONO_FORWARD), MONO_D_HOT, MONO_HOT_BREAKS}},
    {WRSIM_D_Z,
     CHOKED(MONO_EXHAUST),
     {ROW(MONO_D_REGIME + MONO_REGIMES + MONO_FORWARD), MONO_D_HOT, MONO_HOT_BREAKS}},
    {WRSIM_D_Z, ROW(MONO_Z_FIRED_PRESSURE), {MONO_D_OPEN, MONO_SIDES, MONO_D_P_IVC, 2}},
    {WRSIM_D_Z,
     ROW(MONO_Z_INJECTION),
     {ROW(MONO_D_SOI), MONO_D_SOI_EARLY, 2, ROW(MONO_D_FUEL_OFF)}},
    {WRSIM_D_Z, ROW(MONO_Z_INJECTED), {MONO_D_INJECTING, 2}},
    {WRSIM_D_Z, ROW(MONO_Z_INJECTS_LATE), {ROW(MONO_D_INJECTED_ANGLE)}},
    {WRSIM_D_Z, MONO_Z_EVAPORATION, 3, {ROW(MONO_D_IN_FLIGHT)}},
    {WRSIM_D_Z, ROW(MONO_Z_EVAPORATION), {ROW(MONO_D_EVAPORATION_ANGLE)}},
    {WRSIM_D_Z, ROW(MONO_Z_DROPS_GONE), {ROW(MONO_D_DROPS_ANGLE)}},
    {WRSIM_D_Z, ROW(MONO_Z_FILM_GONE), {ROW(MONO_D_FILM_ANGLE)}},
    {WRSIM_D_Z, ROW(MONO_Z_CHARGES), {ROW(MONO_D_CHARGE_ANGLE), ROW(MONO_D_BATTERY_LOW)}},
    {WRSIM_D_Z, MONO_Z_CHARGES, 2, {ROW(MONO_D_IGNITION_OFF)}},
    {WRSIM_D_Z,
     ROW(MONO_Z_SPARK),
     {ROW(MONO_D_ADVANCE), MONO_D_ADVANCE_EARLY, 2, ROW(MONO_D_MIXTURE_FAULT)}},
    {WRSIM_D_Z, MONO_Z_BURN, MONO_BURN_BORDERS, {MONO_D_BURNING, 2, ROW(MONO_D_DILUTE)}},
    {WRSIM_D_Z, MONO_Z_BURN + 1, MONO_BURN_BORDERS - 1, {ROW(MONO_D_BURN_DURATION)}},
    {WRSIM_D_Z, ROW(MONO_Z_BURNS_LATE), {MONO_D_BURN_ANGLE, 2}},
    {WRSIM_D_Z, ROW(MONO_Z_DILUTE), {ROW(MONO_D_DILUTION)}},
    {WRSIM_D_Z, ROW(MONO_Z_COMBUSTION_SEEN), {ROW(MONO_D_WINDOW)}},
    {WRSIM_D_Z, MONO_Z_KNOCK_LIGHT, 3, {ROW(MONO_D_WINDOW)}},

    /* X -> Y: add_outputs() adds the states themselves */
    {WRSIM_X_Y, ROW(MONO_Y_P), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_Y, MONO_Y_V, 2, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Y, ROW(MONO_Y_POWER), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_U_Y, MONO_Y_POWER, 2, {ROW(MONO_U_SPEED)}},
};

static int add_block(wrsim_description *to, const block *b)
{
    int bad = 0;
    for (const int *range = b->columns; range[1] > 0; range += 2)
        for (int row = b->row; row < b->row + b->n_row; row++)
            for (int column = range[0]; column < range[0] + range[1]; column++)
                bad |= to->depends(to, b->pattern, row, column);
    return bad;
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
    if (bad == 0 && has_sums) /* Sums depend on all variables of masses and energy: full rows. */
        bad = WR_DESCRIBE_ADD(to, WRSIM_STATE, sums) |
              add_block(to, &(block){WRSIM_X_X, MONO_X_COUNT, MONO_SUMS, {0, MONO_X_COUNT}}) |
              add_block(to, &(block){WRSIM_U_X, MONO_X_COUNT, MONO_SUMS, {0, MONO_U_COUNT}}) |
              add_block(to, &(block){WRSIM_D_X, MONO_X_COUNT, MONO_SUMS, {0, MONO_D_COUNT}});
    if (bad != 0 || WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, indicators) || add_outputs(to, has_sums))
        return -1;
    for (int i = 0; i < WR_DESCRIBE_COUNT(blocks); i++)
        bad |= add_block(to, &blocks[i]);
    return bad | add_tables(to) | add_injected(self, to);
}
