/* The model of a scenario that changes signals. See scenario_model.h. Thread: as models. Real-time: yes, but for describe(). */
#include "runtime/scenario/scenario_model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/check.h"

/* D_PIECE of a ramp: 0 during the ramp, 1 after its end. D_PIECE of a recording: the last passed point, or BEFORE_FIRST. If a scenario that
 * holds a value begins in init(), D_PIECE is NOT_STORED until the initial event stores the value. While D_PIECE is NOT_STORED, the present
 * input replaces the held value. */
enum { D_PIECE = WR_TRIGGER_STATES, D_HELD };
static const double NOT_STORED = -1.0, BEFORE_FIRST = -1.0;

static const wr_scenario_plan *plan_of(const wrsim_instance *self) { return self->user; }

static int has_pieces(const wr_scenario_plan *plan)
{
    return plan->effect == WR_EFFECT_RAMP || plan->effect == WR_EFFECT_REPLAY;
}

static int holds(const wr_scenario_plan *plan)
{
    return plan->effect == WR_EFFECT_RAMP || plan->effect == WR_EFFECT_FREEZE;
}

int wr_scenario_model_when(const wr_scenario_plan *plan)
{
    return wr_trigger_has_indicator(&plan->trigger) ? plan->n_channel : -1;
}

int wr_scenario_model_level(const wr_scenario_plan *plan)
{
    return plan->trigger.is_api ? plan->n_channel + 1 : -1;
}

/* ---- description ---- */

static const char *numbered(char ret_name[32], const char *name, int k, int n)
{
    snprintf(ret_name, 32, n > 1 ? "%s[%d]" : "%s", name, k);
    return ret_name;
}

static int describe_states(const wr_scenario_plan *plan, wrsim_description *to)
{
    static const wrsim_variable states[] = {
        {.name = "phase",
         .unit = "1",
         .description = "phase of the scenario: 0 waiting, 1 on, 2 over",
         .nominal = 1.0},
        {.name = "begin", .unit = "s", .description = "start of the scenario", .nominal = 1.0},
        {.name = "piece",
         .unit = "1",
         .description = "number of the present piece of the recording or ramp",
         .nominal = 1.0}};
    for (size_t i = 0; i < WR_COUNT_OF(states); i++)
        if (to->add(to, WRSIM_DISCRETE, &states[i]))
            return -1;
    char name[32];
    for (int k = 0; holds(plan) && k < plan->n_channel; k++) {
        const wrsim_variable held = {.name = numbered(name, "held", k, plan->n_channel),
                                     .unit = plan->channel[k].unit,
                                     .description = "value at the start of the scenario",
                                     .nominal = plan->channel[k].input_nominal};
        if (to->add(to, WRSIM_DISCRETE, &held))
            return -1;
    }
    return 0;
}

static int describe_inputs(const wr_scenario_plan *plan, wrsim_description *to)
{
    char name[32];
    for (int k = 0; k < plan->n_channel; k++) {
        const wr_channel_face *const c = &plan->channel[k];
        const wrsim_variable u = {.name = numbered(name, "u", k, plan->n_channel),
                                  .unit = c->unit,
                                  .description = "value without the scenario",
                                  .start = c->start,
                                  .nominal = c->input_nominal};
        if (to->add(to, WRSIM_INPUT, &u))
            return -1;
    }
    const wrsim_variable when = {.name = "when",
                                 .description = "signal that the condition compares",
                                 .nominal = plan->trigger.is_api ? 1.0 : 0.0};
    const wrsim_variable level = {.name = "level", .description = "value that the host sets"};
    if (wr_scenario_model_when(plan) >= 0 && to->add(to, WRSIM_INPUT, &when))
        return -1;
    return wr_scenario_model_level(plan) >= 0 ? to->add(to, WRSIM_INPUT, &level) : 0;
}

static int describe_outputs(const wr_scenario_plan *plan, wrsim_description *to)
{
    char name[32];
    for (int k = 0; k < plan->n_channel; k++) {
        const wr_channel_face *const c = &plan->channel[k];
        const wrsim_variable value = {.name = numbered(name, "value", k, plan->n_channel),
                                      .unit = c->unit,
                                      .description = "value with the scenario",
                                      .nominal = c->output_nominal,
                                      .flags = WRSIM_DISCONTINUOUS};
        if (to->add(to, WRSIM_OUTPUT, &value) || to->depends(to, WRSIM_U_Y, k, k) ||
            (plan->trigger.is_api && to->depends(to, WRSIM_U_Y, k, wr_scenario_model_level(plan))))
            return -1;
    }
    const wrsim_variable is_on = {.name = "is_on",
                                  .unit = "1",
                                  .description = "1 while the scenario acts, else 0",
                                  .nominal = 1.0,
                                  .flags = WRSIM_DISCONTINUOUS};
    return to->add(to, WRSIM_OUTPUT, &is_on);
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY;
    const wr_scenario_plan *const plan = plan_of(self);
    if (describe_states(plan, to) || describe_inputs(plan, to) || describe_outputs(plan, to))
        return -1;
    if (!wr_trigger_has_indicator(&plan->trigger))
        return 0;
    const double size = fabs(plan->trigger.threshold);
    const wrsim_variable z = {
        .name = "begins",
        .description = "distance of the signal from the threshold; positive: the condition holds",
        .nominal = size > 0.0 ? size : 1.0,
        .flags = plan->trigger.is_api ? 0u : (unsigned)WRSIM_RISING_ONLY};
    return to->add(to, WRSIM_INDICATOR, &z) ||
                   to->depends(to, WRSIM_U_Z, 0, wr_scenario_model_when(plan)) ||
                   to->depends(to, WRSIM_D_Z, -1, -1)
               ? -1
               : 0;
}

/* ---- evaluation ---- */

static double level_of(const wr_scenario_plan *plan, const wrsim_point *at)
{
    return plan->trigger.is_api ? at->u[wr_scenario_model_level(plan)] : plan->value;
}

static int piece_of(const wrsim_point *at) { return (int)floor(at->d[D_PIECE] + 0.5); }

/* Returns the completed share of a ramp. A ramp that begins before the start may be complete at the start. */
static double share_of(const wr_scenario_plan *plan, const wrsim_point *at)
{
    const double share = (at->t_s - at->d[WR_TRIGGER_BEGIN]) / plan->ramp_time_s;
    if (piece_of(at) < 0)
        return wr_min(share, 1.0);
    return piece_of(at) > 0 ? 1.0 : share;
}

static double held(const wrsim_point *at, int k)
{
    return piece_of(at) < 0 ? at->u[k] : at->d[D_HELD + k];
}

/* Returns the point at which a piece of a recording begins. *ret_before_s: time of the earlier repetitions, s. */
static int first_point(const wr_scenario_plan *plan, int i_piece, double *ret_before_s)
{
    const int n_piece = isfinite(plan->period_s) ? plan->n_point - 1 : INT_MAX;
    const int n_before = i_piece > 0 ? i_piece / n_piece : 0;
    *ret_before_s = n_before > 0 ? n_before * plan->period_s : 0.0;
    return i_piece - n_before * n_piece;
}

static double played(const wr_scenario_plan *plan, const wrsim_point *at)
{
    double before_s;
    const int i = first_point(plan, piece_of(at), &before_s);
    if (i < 0)
        return plan->point[0];
    if (plan->is_held || i + 1 >= plan->n_point)
        return plan->point[i];
    const double t_s = at->t_s - at->d[WR_TRIGGER_BEGIN] - before_s + plan->offset_s;
    const double length_s = plan->point_s[i + 1] - plan->point_s[i];
    return plan->point[i] +
           (plan->point[i + 1] - plan->point[i]) * ((t_s - plan->point_s[i]) / length_s);
}

static double value_of(const wr_scenario_plan *plan, const wrsim_point *at, int k)
{
    const double level = level_of(plan, at);
    switch (plan->effect) {
    case WR_EFFECT_OVERRIDE:
        return level;
    case WR_EFFECT_BIAS:
        return at->u[k] + level;
    case WR_EFFECT_GAIN:
        return at->u[k] * level;
    case WR_EFFECT_RAMP:
        return held(at, k) + (level - held(at, k)) * share_of(plan, at);
    case WR_EFFECT_FREEZE:
        return held(at, k);
    case WR_EFFECT_REPLAY:
    case WR_EFFECT_STOP: /* no channels */
        break;
    }
    return played(plan, at);
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const wr_scenario_plan *const plan = plan_of(self);
    const int is_on = wr_trigger_is_on(at->d);
    for (int k = 0; k < plan->n_channel; k++)
        ret_y[k] = is_on ? value_of(plan, at, k) : at->u[k];
    ret_y[plan->n_channel] = is_on;
    return 0;
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    (void)x_change;
    const wr_scenario_plan *const plan = plan_of(self);
    const double level = level_of(plan, at);
    const double level_change =
        plan->trigger.is_api ? u_change[wr_scenario_model_level(plan)] : 0.0;
    for (int k = 0; k < plan->n_channel; k++) {
        double change = u_change[k];
        if (wr_trigger_is_on(at->d))
            change = plan->effect == WR_EFFECT_OVERRIDE ? level_change
                     : plan->effect == WR_EFFECT_BIAS   ? u_change[k] + level_change
                     : plan->effect == WR_EFFECT_GAIN
                         ? u_change[k] * level + at->u[k] * level_change
                     : plan->effect == WR_EFFECT_RAMP ? level_change * share_of(plan, at)
                                                      : 0.0;
        ret_dy[k] = change;
    }
    ret_dy[plan->n_channel] = 0.0;
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const wr_scenario_plan *const plan = plan_of(self);
    ret_z[0] = wr_trigger_indicator(&plan->trigger, at->u[wr_scenario_model_when(plan)]);
    return 0;
}

/* ---- events ---- */

/* Returns the end of the present piece, s; INFINITY: no end. */
static double end_of_piece(const wr_scenario_plan *plan, const double *d)
{
    const int i_piece = (int)floor(d[D_PIECE] + 0.5);
    if (!has_pieces(plan) || !wr_trigger_is_on(d))
        return (double)INFINITY;
    if (plan->effect == WR_EFFECT_RAMP)
        return i_piece > 0 ? (double)INFINITY : d[WR_TRIGGER_BEGIN] + plan->ramp_time_s;
    double before_s;
    const int i = first_point(plan, i_piece, &before_s);
    return i + 1 < plan->n_point
               ? d[WR_TRIGGER_BEGIN] + (before_s + (plan->point_s[i + 1] - plan->offset_s))
               : (double)INFINITY;
}

static void pass_pieces(const wr_scenario_plan *plan, double t_s, double *d)
{
    while (wr_time_is_due(t_s, end_of_piece(plan, d)))
        d[D_PIECE] += 1.0;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    const wr_scenario_plan *const plan = plan_of(self);
    if (!wr_trigger_start(&plan->trigger, t_s, d))
        return 0;
    d[D_PIECE] = holds(plan) ? NOT_STORED : BEFORE_FIRST;
    if (!holds(plan))
        pass_pieces(plan, t_s, d);
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)x;
    const wr_scenario_plan *const plan = plan_of(self);
    const int has_z = wr_trigger_has_indicator(&plan->trigger);
    const wr_trigger_seen seen = {.t_s = at->t_s,
                                  .is_initial = what->is_initial,
                                  .mode = has_z && at->mode[0],
                                  .fired = has_z && what->fired ? what->fired[0] : 0};
    const int has_begun = wr_trigger_event(&plan->trigger, &seen, d);
    if (holds(plan) && (has_begun || piece_of(at) < 0)) {
        for (int k = 0; k < plan->n_channel; k++)
            d[D_HELD + k] = at->u[k];
        d[D_PIECE] = 0.0;
    } else if (has_begun)
        d[D_PIECE] = BEFORE_FIRST;
    pass_pieces(plan, at->t_s, d);
    /* A scenario that begins at the start is on since init(). wrsim refuses a run that ends at its start. */
    if (plan->effect != WR_EFFECT_STOP || !(has_begun || (what->is_initial && wr_trigger_is_on(d))))
        return 0;
    self->message = "the scenario ends the run";
    return WRSIM_TERMINATE;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const wr_scenario_plan *const plan = plan_of(self);
    return wr_min(wr_trigger_next_time(&plan->trigger, at->d), end_of_piece(plan, at->d));
}

wrsim_model wr_scenario_model(const wr_scenario_plan *plan)
{
    const int has_z = wr_trigger_has_indicator(&plan->trigger);
    return (wrsim_model){.abi = WRSIM_MODEL_ABI,
                         .struct_size = sizeof(wrsim_model),
                         .name = "scenario",
                         .description = "changes signals at given times or on conditions",
                         .caps = WRSIM_CAP_RT_SAFE,
                         .describe = describe,
                         .init = init,
                         .output = output,
                         .indicator = has_z ? indicator : NULL,
                         .event = event,
                         .next_time = next_time,
                         .tangent_output = tangent_output,
                         .user = plan};
}

/* ---- triggers ---- */

static int phase_of(const double *d) { return (int)(d[WR_TRIGGER_PHASE] + 0.5); }

int wr_trigger_is_on(const double *d) { return phase_of(d) == WR_TRIGGER_ON; }

double wr_trigger_indicator(const wr_trigger *t, double signal)
{
    return t->is_below ? t->threshold - signal : signal - t->threshold;
}

static int is_timed(const wr_trigger *t) { return !wr_trigger_has_indicator(t); }

static double end_of(const wr_trigger *t, const double *d)
{
    return wr_min(t->until_s, d[WR_TRIGGER_BEGIN] + t->duration_s);
}

double wr_trigger_next_time(const wr_trigger *t, const double *d)
{
    if (phase_of(d) == WR_TRIGGER_WAITING && is_timed(t))
        return t->at_s;
    return wr_trigger_is_on(d) ? end_of(t, d) : (double)INFINITY;
}

static int asks_to_begin(const wr_trigger *t, const wr_trigger_seen *seen)
{
    if (is_timed(t))
        return wr_time_is_due(seen->t_s, t->at_s);
    return seen->fired > 0 || (seen->is_initial && seen->mode);
}

int wr_trigger_start(const wr_trigger *t, double t_s, double *d)
{
    return wr_trigger_event(t, &(wr_trigger_seen){.t_s = t_s}, d);
}

int wr_trigger_event(const wr_trigger *t, const wr_trigger_seen *seen, double *d)
{
    int has_begun = 0;
    if (t->is_api && seen->fired < 0)
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_WAITING;
    if (phase_of(d) == WR_TRIGGER_WAITING && asks_to_begin(t, seen)) {
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_ON;
        if (t->keeps_begin)
            d[WR_TRIGGER_BEGIN] = is_timed(t) ? t->at_s : seen->t_s;
        has_begun = 1;
    }
    if (wr_trigger_is_on(d) && wr_time_is_due(seen->t_s, end_of(t, d))) {
        d[WR_TRIGGER_PHASE] = WR_TRIGGER_OVER;
        has_begun = 0;
    }
    return has_begun;
}
