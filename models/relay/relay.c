/* Relay with hysteresis: off when the measured value rises through `high`, on when the value falls through `low`. "relay" has a
 * first-order plant x' = (-x + u) / T. "relay.switch" is the relay alone, with discrete states only, for a plant in another
 * component.
 *
 * With high = 0.8, low = 0.2, T = 1 s the switching times are ln 5 + k ln 4, k = 0, 1, ...
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { HIGH, LOW, T, N_PARAM };
enum { Z_HIGH, Z_LOW };

static const wrsim_variable params[N_PARAM] = {
    [HIGH] = WR_TUNABLE("high", "1", 0.8, 0, 0, "value above which the relay switches off"),
    [LOW] = WR_TUNABLE("low", "1", 0.2, 0, 0, "value below which the relay switches on"),
    [T] = WR_TUNABLE("T", "s", 1.0, 1e-12, 1e12, "time constant of the plant"),
};
static const wrsim_variable states[] = {WR_VALUE("x", "1", 0.0, 1.0, "plant")};
static const wrsim_variable discretes[] = {
    WR_VALUE("is_on", "1", 1.0, 0, "1 while the relay is on")};
static const wrsim_variable inputs[] = {
    WR_REQUIRED("measured", "1", 1.0, "measured value, to be kept between low and high")};
static const wrsim_variable output_x = WR_STATE_OUTPUT("x", "1", 1.0, 0, "plant");
static const wrsim_variable output_on =
    WR_SIGNAL("on", "1", 1.0, "1 while the relay is on, else 0", .flags = WRSIM_DISCONTINUOUS);
static const wrsim_variable indicators[] = {
    [Z_HIGH] = WR_SIGNAL("above_high", "1", 1.0, "measured - high", .flags = WRSIM_RISING_ONLY),
    [Z_LOW] = WR_SIGNAL("above_low", "1", 1.0, "measured - low", .flags = WRSIM_FALLING_ONLY),
};

/* Declares the patterns that both models share: both indicators set the relay, neither depends on the relay. */
static int describe_switch_patterns(wrsim_description *to)
{
    return WR_DESCRIBE_PATTERNS(to, [WRSIM_Z_D] = "xx", [WRSIM_D_Z] = ". .");
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)self;
    (void)x;
    if (what->is_initial) { /* outside of the band, the start state is the state after the last crossing */
        if (at->mode[Z_HIGH])
            d[0] = 0.0;
        if (!at->mode[Z_LOW])
            d[0] = 1.0;
    }
    if (what->fired[Z_HIGH] > 0)
        d[0] = 0.0;
    if (what->fired[Z_LOW] < 0)
        d[0] = 1.0;
    return 0;
}

static void write_indicators(const double *param, double measured, double *ret_z)
{
    ret_z[Z_HIGH] = measured - param[HIGH];
    ret_z[Z_LOW] = measured - param[LOW];
}

static int describe_plant(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, indicators) || to->add(to, WRSIM_OUTPUT, &output_x) ||
        to->add(to, WRSIM_OUTPUT, &output_on))
        return -1;
    return describe_switch_patterns(to) ||
                   WR_DESCRIBE_PATTERNS(to, [WRSIM_X_X] = "x", [WRSIM_X_Y] = "x .",
                                        [WRSIM_X_Z] = "x x", [WRSIM_D_X] = "x")
               ? -1
               : 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = (-at->x[0] + at->d[0]) / self->param[T];
    return 0;
}

static int output_plant(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->x[0];
    ret_y[1] = at->d[0];
    return 0;
}

static int indicator_plant(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    write_indicators(self->param, at->x[0], ret_z);
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)at;
    ret_jac[0] = -1.0 / self->param[T];
    return 0;
}

const wrsim_model wr_model_relay = {
    WR_MODEL("relay", "first-order plant under a relay with hysteresis", params, describe_plant),
    .rhs = rhs,
    .output = output_plant,
    .indicator = indicator_plant,
    .event = event,
    .jacobian = jacobian,
};

static int describe_switch(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    if (WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) ||
        WR_DESCRIBE_ADD(to, WRSIM_INDICATOR, indicators) || to->add(to, WRSIM_OUTPUT, &output_on))
        return -1;
    return describe_switch_patterns(to) ||
                   WR_DESCRIBE_PATTERNS(to, [WRSIM_U_Y] = ".", [WRSIM_U_Z] = "x x")
               ? -1
               : 0;
}

static int output_switch(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    ret_y[0] = at->d[0];
    return 0;
}

static int indicator_switch(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    write_indicators(self->param, at->u[0], ret_z);
    return 0;
}

const wrsim_model wr_model_relay_switch = {
    WR_MODEL_BASE("relay.switch", "relay with hysteresis, without a plant", describe_switch),
    .n_param = T, /* the parameters are high and low */
    .params = params,
    .output = output_switch,
    .indicator = indicator_switch,
    .event = event,
};
