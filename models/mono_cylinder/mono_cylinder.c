/* A spark-ignition mono-cylinder engine with three gases as a model: "mono_cylinder".
 *
 * The model has 15 states, 111 events and 93 discrete states, with the roles of the engine in Ben Khaled et al. (2013), section 6
 * (docs/METHODS.md, Sources). This file has declarations, start values, outputs and the descriptor. mono_variables.h lists the
 * other files. tests/unit/models/test_mono_cylinder.c compares the patterns with the equations.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include <math.h>
#include <stddef.h>

#include "models/describe.h"
#include "models/mono_cylinder/mono_variables.h"

/* Parameters of an engine with 0.5 l per cylinder; sources: models/mono_cylinder/readme.md. */
#define PARAM_ROW(i, ...) [MONO_P_##i] = WR_PARAM(__VA_ARGS__),
static const wrsim_variable mono_params[MONO_PARAMS] = {MONO_PARAM_LIST(PARAM_ROW)};

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

/* Block of a pattern: rows row ... row + n_row - 1 depend on every column of the ranges. `columns` has the first column and the number of
 * columns of each range; the number 0 ends the ranges. */
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
#define LIFTS(side) MONO_Z_LIFT + (side)*MONO_LIFT_BREAKS, MONO_LIFT_BREAKS
#define CAM_STOPS(side) ROW(MONO_D_CAM_LOW + (side)), ROW(MONO_D_CAM_HIGH + (side))
#define AFTER_QV_ALFA MONO_X_QV_ALFA, MONO_X_COUNT - MONO_X_QV_ALFA
#define VALVE_FLOWS MONO_Z_REGIME, MONO_SIDES *MONO_REGIMES
#define IS_FORWARD(side) ROW(MONO_D_REGIME + (side)*MONO_REGIMES + MONO_FORWARD)

/* Rows of the valves of one side. */
#define SIDE(s)                                                                                    \
    {WRSIM_U_Z, ROW(MONO_Z_OPENS + (s)), {ROW(MONO_U_CAM + (s))}},                                 \
        {WRSIM_U_Z, ROW(MONO_Z_CLOSES + (s)), {ROW(MONO_U_CAM + (s))}},                            \
        {WRSIM_U_Z, LIFTS(s), {ROW(MONO_U_CAM + (s))}},                                            \
        {WRSIM_U_Z, REGIMES(s), {ROW(MONO_U_P + (s))}},                                            \
        {WRSIM_U_Z, CHOKED(s), {ROW(MONO_U_T + (s))}},                                             \
        {WRSIM_Z_D, ROW(MONO_D_OPEN + (s)), {ROW(MONO_Z_OPENS + (s)), ROW(MONO_Z_CLOSES + (s))}},  \
        {WRSIM_D_Z, ROW(MONO_Z_OPENS + (s)), {CAM_STOPS(s)}},                                      \
        {WRSIM_D_Z, ROW(MONO_Z_CLOSES + (s)), {CAM_STOPS(s)}},                                     \
        {WRSIM_D_Z, LIFTS(s), {CAM_STOPS(s), ROW(MONO_D_OPEN + (s))}},                             \
        {WRSIM_D_Z, REGIMES(s), {ROW(MONO_D_OPEN + (s))}},                                         \
    {                                                                                              \
        WRSIM_D_Z, CHOKED(s), { IS_FORWARD(s), MONO_D_HOT, MONO_HOT_BREAKS }                       \
    }

static const block blocks[] = {
    SIDE(MONO_INTAKE),
    SIDE(MONO_EXHAUST),

    /* X -> X': six states only. The energy depends on the pressure of the masses, the temperature on the energy. */
    {WRSIM_X_X, MASSES, {ROW(MONO_X_CRANK), MASSES, MONO_X_ENERGY, 2}},
    {WRSIM_X_X, ROW(MONO_X_ENERGY), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_X, ROW(MONO_X_T), {ROW(MONO_X_CRANK), ROW(MONO_X_ENERGY), ROW(MONO_X_T)}},

    /* U -> X': inputs in derivatives */
    {WRSIM_U_X, ROW(MONO_X_CRANK), {ROW(MONO_U_SPEED)}},
    {WRSIM_U_X, AFTER_QV_ALFA, {ROW(MONO_U_SPEED)}},
    {WRSIM_U_X, GAS_ROWS, {MONO_U_P, MONO_SIDES, CAMS}},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_AIR), {ROW(MONO_U_T), ROW(MONO_U_EGR)}},
    {WRSIM_U_X, ROW(MONO_X_MASS + MONO_BURNED), {MONO_U_T, MONO_SIDES + 1}},
    {WRSIM_U_X, MONO_X_ENERGY, 2, {MONO_U_T, MONO_SIDES, ROW(MONO_U_COOLANT), ROW(MONO_U_T_FUEL)}},

    /* D -> X': discrete states in derivatives */
    {WRSIM_D_X, ROW(MONO_X_CRANK), {MONO_D_WARNING, 2}},
    {WRSIM_D_X, AFTER_QV_ALFA, {MONO_D_WARNING, 2, ROW(MONO_D_BURN_SLOPE)}},
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
    {WRSIM_X_Z, VALVE_FLOWS, {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_Z, MONO_Z_HOT, MONO_HOT_BREAKS, {ROW(MONO_X_T)}},
    {WRSIM_X_Z, ROW(MONO_Z_FIRED_PRESSURE), {ROW(MONO_X_CRANK), MASSES, ROW(MONO_X_T)}},
    {WRSIM_X_Z, MONO_Z_CALCULATION, MONO_Z_RAIL_LOW - MONO_Z_CALCULATION, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Z, MONO_Z_CYCLE, 4, {ROW(MONO_X_CRANK)}},
    {WRSIM_X_Z, ROW(MONO_Z_COMBUSTION_SEEN), {MASSES, ROW(MONO_X_T)}},

    /* U -> Z, without the guards, which add_tables() adds */
    {WRSIM_U_Z, ROW(MONO_Z_SCAVENGING), {MONO_U_P, MONO_SIDES}},
    {WRSIM_U_Z, ROW(MONO_Z_COMBUSTION_SEEN), {ROW(MONO_U_P)}},
    {WRSIM_U_Z, MONO_Z_KNOCK_LIGHT, 3, {ROW(MONO_U_KNOCK)}},

    /* Z -> D, without the flags, which add_tables() adds */
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

    /* D -> Z, without the sums, which add_tables() adds */
    {WRSIM_D_Z, TIMINGS, {ROW(MONO_D_PARKED)}},
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

    /* X -> Y: add_outputs() adds outputs that equal states */
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

/* Adds the patterns of injected air and burned gas, if their shares of the injected gas are positive. */
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

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int has_sums = self->param[MONO_P_BALANCE] > 0.5;
    to->n_w = MONO_WORK_DOUBLES;
    to->data_bytes = sizeof(mono_data);
    int bad = WR_DESCRIBE_ADD(to, WRSIM_STATE, states);
    if (bad == 0 && has_sums) /* Rows of sums are full. */
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

_Static_assert(MONO_X_COUNT == 15 && MONO_Z_COUNT == 111 && MONO_D_COUNT == 93,
               "the sizes of Ben Khaled et al. (2013), section 6.1");

/* Heat capacity of burned gas from NASA's polynomials, J/(kg K), with straight lines between these temperatures.
 * By mole the gas is 13.4 % CO2, 12.6 % H2O and 74 % N2 (stoichiometric CH1.87 in air). Fresh mixture (with 1/14.6
 * of petrol vapour) has the same value to 1 % from 300 to 700 K. */
static const double cv_t[] = {300, 600, 1000, 1500, 2500};
static const double cv_j_kg_k[] = {775.7, 860.4, 982.9, 1080.2, 1173.9};
/* Discharge coefficient of a poppet valve over lift / diameter (assumed). At low lift the flow separates at the seat.
 * At high lift the throat limits the flow, so the coefficient of the curtain area falls. */
static const double lift_ratio[] = {0, 0.08, 0.17, 0.30};
static const double discharge[] = {0.56, 0.68, 0.69, 0.60};
/* Factor and bore exponent of Woschni's heat transfer coefficient in W/(m2 K), with the bore in m and p in kPa
 * (Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 12.65). */
static const double woschni_factor = 3.26, woschni_bore_power = -0.2;

/* Returns the piecewise linear function through n points; the inner points are its breaks. */
static mono_line line_through(const double *x, const double *y, int n)
{
    mono_line line = {.n_break = n - 2};
    line.slope = (y[1] - y[0]) / (x[1] - x[0]);
    line.at_0 = y[0] - line.slope * x[0];
    double slope = line.slope;
    for (int i = 1; i < n - 1; i++) {
        const double next = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        line.breaks[i - 1] = x[i];
        line.change[i - 1] = next - slope;
        slope = next;
    }
    return line;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)d;
    mono_data *data = (mono_data *)self->data;
    const double *param = self->param;
    data->param = param;
    data->has_sums = param[MONO_P_BALANCE] > 0.5;
    data->area_m2 = MONO_PI / 4 * param[MONO_P_BORE] * param[MONO_P_BORE];
    data->swept_m3 = data->area_m2 * param[MONO_P_STROKE];
    data->clearance_m3 = data->swept_m3 / (param[MONO_P_COMPRESSION] - 1);
    data->crank_m = param[MONO_P_STROKE] / 2;
    data->rod_m = param[MONO_P_ROD];
    data->liner_m = MONO_PI * param[MONO_P_BORE];
    data->cv = line_through(cv_t, cv_j_kg_k, MONO_HOT_BREAKS + 2);
    data->discharge = line_through(lift_ratio, discharge, MONO_LIFT_BREAKS + 2);
    for (int side = 0; side < MONO_SIDES; side++) {
        const double diameter = param[MONO_P_DIAMETER + side];
        data->curtain_m2[side] = param[MONO_P_COUNT_VALVES + side] * MONO_PI * diameter * diameter;
    }
    const double whole = 1 - exp(-param[MONO_P_WIEBE_A]);
    for (int i = 0; i < MONO_BURN_BORDERS; i++) {
        const double y = (double)i / (MONO_BURN_BORDERS - 1);
        data->burned[i] =
            (1 - exp(-param[MONO_P_WIEBE_A] * pow(y, param[MONO_P_WIEBE_M] + 1))) / whole;
    }
    data->injected[MONO_AIR] = param[MONO_P_INJECTED_AIR];
    data->injected[MONO_BURNED] = param[MONO_P_INJECTED_BURNED];
    data->injected[MONO_FUEL] = 1 - data->injected[MONO_AIR] - data->injected[MONO_BURNED];
    data->heat_factor = woschni_factor * pow(param[MONO_P_BORE], woschni_bore_power);
    if (!(data->injected[MONO_FUEL] > 0)) {
        self->message =
            "the injected gas contains no fuel: reduce the shares of air and burned gas";
        return -1;
    }
    if (data->rod_m <= data->crank_m) {
        self->message = "the connecting rod is not longer than the crank: raise the rod's length";
        return -1;
    }
    const double mass = x[MONO_X_MASS] + x[MONO_X_MASS + 1] + x[MONO_X_MASS + 2];
    x[MONO_X_ENERGY] = mass * mono_line_integral(&data->cv, NULL, x[MONO_X_T]);
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const mono_data *data = (const mono_data *)self->data;
    mono_work w;
    mono_state(data, point, &w);
    ret_y[MONO_Y_P] = w.p;
    ret_y[MONO_Y_V] = w.volume_m3;
    ret_y[MONO_Y_PHI] = w.phi_deg;
    ret_y[MONO_Y_POWER] = w.p * w.slope_m3 * w.omega;
    ret_y[MONO_Y_HEAT_RATE] = mono_heat_rate(data, point->d, w.omega);
    ret_y[MONO_Y_RESIDUAL] = point->d[MONO_D_RESIDUAL];
    ret_y[MONO_Y_TRIPPED] = point->d[MONO_D_TRIPPED];
    return 0;
}

const wrsim_model wr_model_mono_cylinder = {
    WR_MODEL_CAPS("mono_cylinder",
                  "spark-ignition mono-cylinder engine with three gases, on a test bench",
                  WRSIM_CAP_EVENT_WITHOUT_W, describe),
    .n_param = WR_DESCRIBE_COUNT(mono_params),
    .params = mono_params,
    .init = init,
    .rhs = mono_rhs,
    .output = output,
    .algebra = mono_algebra,
    .indicator = mono_indicator,
    .event = mono_event,
};
