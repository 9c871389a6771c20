/* A model whose parameters change during a run. See tunable_parameters.h. Thread: as models. Real-time: as the inner model. */
#include "runtime/scenario/tunable_parameters.h"

#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

/* First member of data: the instance of the inner model. The inner model's parameters follow, then its data. */
typedef struct tuned_data {
    wrsim_instance within;
} tuned_data;

/* First member of memory. announced_s: time of the inner model's next time event, s. */
typedef struct tuned_memory {
    double announced_s;
    double asks; /* 1: step_completed() of the inner model has asked for an event */
} tuned_memory;

static size_t aligned(size_t bytes)
{
    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static const wr_tunable_plan *plan_of(const wrsim_instance *self) { return self->user; }

static size_t param_bytes(const wr_tunable_plan *plan)
{
    return (size_t)plan->within->n_param * sizeof(double);
}

static double *params_of(const wrsim_instance *self)
{
    return (double *)(void *)((unsigned char *)self->data + aligned(sizeof(tuned_data)));
}

static int is_parameter(const wr_tuning *t) { return t->kind == WR_TUNE_PARAMETER; }

/* Returns the index of the first discrete state of tuning k. */
static int place_of(const wr_tunable_plan *plan, int k)
{
    return plan->n[WRSIM_DISCRETE] + k * WR_TRIGGER_STATES;
}

void wr_tunable_plan_fill(wr_tunable_plan *plan, const wr_component *plain,
                          unsigned char *ret_is_computed)
{
    plan->within = plain->model;
    memcpy(plan->n, plain->n, sizeof plan->n);
    for (int p = 0; p < WRSIM_PATTERN_COUNT; p++)
        plan->is_declared[p] = plain->pattern[p].is_declared;
    for (int i = 0; i < plain->n[WRSIM_OUTPUT]; i++)
        ret_is_computed[i] = !(plain->variable[WRSIM_OUTPUT][i].flags & WRSIM_IS_STATE);
    plan->is_computed = ret_is_computed;
    plan->data_bytes = plain->data_bytes;
    plan->memory_bytes = plain->memory_bytes;
    int n_input = plain->n[WRSIM_INPUT], n_indicator = plain->n[WRSIM_INDICATOR];
    for (int k = 0; k < plan->n_tuning; k++) {
        wr_tuning *const t = &plan->tuning[k];
        const int has_indicator = wr_trigger_has_indicator(&t->trigger);
        t->i_when = has_indicator ? n_input++ : -1;
        t->i_level = t->trigger.is_api ? n_input++ : -1;
        t->i_indicator = has_indicator ? n_indicator++ : -1;
    }
}

/* ---- description ---- */

enum { NAME_BYTES = 96 };

static const char *joined(char ret_name[NAME_BYTES], const wr_tuning *t, const char *what)
{
    snprintf(ret_name, NAME_BYTES, "%s_%s", t->name, what);
    return ret_name;
}

static int describe_one(const wr_tuning *t, wrsim_description *to)
{
    char name[NAME_BYTES];
    const double size = fabs(t->trigger.threshold);
    const wrsim_variable phase = {.name = joined(name, t, "phase"),
                                  .unit = "1",
                                  .description = "phase of the scenario: 0 waiting, 1 on, 2 over",
                                  .nominal = 1.0};
    if (to->add(to, WRSIM_DISCRETE, &phase))
        return -1;
    const wrsim_variable begin = {.name = joined(name, t, "begin"),
                                  .unit = "s",
                                  .description = "time at which the scenario begins",
                                  .nominal = 1.0};
    if (to->add(to, WRSIM_DISCRETE, &begin))
        return -1;
    const wrsim_variable when = {.name = joined(name, t, "when"),
                                 .description = "signal that begins the scenario",
                                 .nominal = t->trigger.is_api ? 1.0 : 0.0};
    if (t->i_when >= 0 && to->add(to, WRSIM_INPUT, &when))
        return -1;
    const wrsim_variable level = {.name = joined(name, t, "level"),
                                  .description = "value that the host sets"};
    if (t->i_level >= 0 && to->add(to, WRSIM_INPUT, &level))
        return -1;
    const wrsim_variable begins = {
        .name = joined(name, t, "begins"),
        .description = "distance of the signal from the threshold; positive: the condition holds",
        .nominal = size > 0.0 ? size : 1.0,
        .flags = t->trigger.is_api ? 0u : (unsigned)WRSIM_RISING_ONLY};
    return t->i_indicator >= 0 ? to->add(to, WRSIM_INDICATOR, &begins) : 0;
}

/* If the inner model does not declare a pattern, declares all entries of this pattern between the inner model's variables, except outputs
 * that equal states. */
static int fill_block(const wr_tunable_plan *plan, wrsim_description *to, wrsim_pattern pattern,
                      wrsim_kind row, wrsim_kind column)
{
    if (plan->is_declared[pattern])
        return 0;
    int status = to->depends(to, pattern, -1, -1);
    for (int i = 0; i < plan->n[row]; i++)
        for (int k = 0; k < plan->n[column]; k++)
            if (pattern != WRSIM_U_Y || plan->is_computed[i])
                status |= to->depends(to, pattern, i, k);
    return status;
}

/* Declares that a host's value acts on all derivatives, computed outputs and indicators of the inner model. */
static int depend_on_level(const wr_tunable_plan *plan, wrsim_description *to, int i_level)
{
    int status = 0;
    for (int i = 0; i < plan->n[WRSIM_STATE]; i++)
        status |= to->depends(to, WRSIM_U_X, i, i_level);
    for (int i = 0; i < plan->n[WRSIM_OUTPUT]; i++)
        if (plan->is_computed[i])
            status |= to->depends(to, WRSIM_U_Y, i, i_level);
    for (int i = 0; i < plan->n[WRSIM_INDICATOR]; i++)
        status |= to->depends(to, WRSIM_U_Z, i, i_level);
    return status;
}

/* Declares the effects of the discrete states of tuning k, and of the event of its indicator. */
static int depend_on_states(const wr_tunable_plan *plan, wrsim_description *to, int k)
{
    const wr_tuning *const t = &plan->tuning[k];
    const int phase = place_of(plan, k) + WR_TRIGGER_PHASE;
    int status = 0;
    for (int i = 0; plan->is_declared[WRSIM_D_X] && i < plan->n[WRSIM_STATE]; i++)
        status |= to->depends(to, WRSIM_D_X, i, phase);
    for (int i = 0; plan->is_declared[WRSIM_D_Z] && i < plan->n[WRSIM_INDICATOR]; i++)
        status |= to->depends(to, WRSIM_D_Z, i, phase);
    if (!plan->is_declared[WRSIM_Z_D] || t->i_indicator < 0)
        return status;
    status |= to->depends(to, WRSIM_Z_D, phase, t->i_indicator);
    status |= to->depends(to, WRSIM_Z_D, place_of(plan, k) + WR_TRIGGER_BEGIN, t->i_indicator);
    if (t->kind == WR_TUNE_DISCRETE)
        status |= to->depends(to, WRSIM_Z_D, t->index, t->i_indicator);
    return status;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const wr_tunable_plan *const plan = plan_of(self);
    wrsim_instance within = *self;
    within.user = plan->within->user;
    const int rc = plan->within->describe(&within, to);
    self->message = within.message;
    if (rc != 0)
        return rc;
    if (to->time_scale_s < (double)INFINITY)
        to->time_scale_s = 0.0; /* parameters may shorten the time scale */
    to->data_bytes += aligned(sizeof(tuned_data)) + aligned(param_bytes(plan));
    to->memory_bytes += aligned(sizeof(tuned_memory));
    for (int k = 0; k < plan->n_tuning; k++)
        if (describe_one(&plan->tuning[k], to))
            return -1;
    int status = fill_block(plan, to, WRSIM_U_X, WRSIM_STATE, WRSIM_INPUT) |
                 fill_block(plan, to, WRSIM_U_Y, WRSIM_OUTPUT, WRSIM_INPUT) |
                 fill_block(plan, to, WRSIM_X_Z, WRSIM_INDICATOR, WRSIM_STATE) |
                 fill_block(plan, to, WRSIM_U_Z, WRSIM_INDICATOR, WRSIM_INPUT);
    for (int k = 0; k < plan->n_tuning; k++) {
        const wr_tuning *const t = &plan->tuning[k];
        status |= depend_on_states(plan, to, k);
        if (t->i_indicator >= 0)
            status |= to->depends(to, WRSIM_U_Z, t->i_indicator, t->i_when);
        if (t->i_level >= 0 && is_parameter(t))
            status |= depend_on_level(plan, to, t->i_level);
    }
    return status ? -1 : 0;
}

/* ---- the inner model ---- */

/* Returns the instance of the inner model, whose parameters follow the discrete states d and the inputs u. */
static wrsim_instance *enter_with(const wrsim_instance *self, const double *d, const double *u)
{
    const wr_tunable_plan *const plan = plan_of(self);
    tuned_data *const data = self->data;
    double *const param = params_of(self);
    for (int k = 0; k < plan->n_tuning; k++)
        if (is_parameter(&plan->tuning[k]))
            param[plan->tuning[k].index] = self->param[plan->tuning[k].index];
    for (int k = 0; k < plan->n_tuning; k++) {
        const wr_tuning *const t = &plan->tuning[k];
        if (is_parameter(t) && wr_trigger_is_on(d + place_of(plan, k)))
            param[t->index] = t->i_level >= 0 ? u[t->i_level] : t->value;
    }
    return &data->within;
}

static wrsim_instance *enter(const wrsim_instance *self, const wrsim_point *at)
{
    return enter_with(self, at->d, at->u);
}

/* If rc is not 0, copies the inner model's message to the wrapper. Deletes the inner model's message. Returns rc. */
static int leave(wrsim_instance *self, int rc)
{
    tuned_data *const data = self->data;
    if (rc != 0)
        self->message = data->within.message;
    data->within.message = NULL;
    return rc;
}

static void reset(const wr_tuning *t, double value, double *x, double *d)
{
    if (t->kind == WR_TUNE_STATE)
        x[t->index] = value;
    else if (t->kind == WR_TUNE_DISCRETE)
        d[t->index] = value;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    const wr_tunable_plan *const plan = plan_of(self);
    tuned_data *const data = self->data;
    unsigned char *const begin = (unsigned char *)self->data;
    unsigned char *const memory = (unsigned char *)self->memory;
    data->within = *self;
    if (param_bytes(plan) > 0)
        memcpy(params_of(self), self->param, param_bytes(plan));
    data->within.param = params_of(self);
    data->within.data = begin + aligned(sizeof(tuned_data)) + aligned(param_bytes(plan));
    data->within.memory = memory + aligned(sizeof(tuned_memory));
    data->within.user = plan->within->user;
    ((tuned_memory *)self->memory)->announced_s = (double)INFINITY;
    for (int k = 0; k < plan->n_tuning; k++)
        (void)wr_trigger_start(&plan->tuning[k].trigger, t_s, d + place_of(plan, k));
    /* Before the first advance no host has set a value, so no parameter follows an input. */
    int rc = 0;
    if (plan->within->init)
        rc = leave(self, plan->within->init(enter_with(self, d, NULL), t_s, x, d));
    for (int k = 0; k < plan->n_tuning; k++)
        if (wr_trigger_is_on(d + place_of(plan, k)))
            reset(&plan->tuning[k], plan->tuning[k].value, x, d);
    return rc;
}

static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    const wr_tunable_plan *const plan = plan_of(self);
    const int rc = leave(self, plan->within->init_from_inputs(enter(self, at), at, x, d));
    for (int k = 0; k < plan->n_tuning; k++)
        if (wr_trigger_is_on(d + place_of(plan, k)))
            reset(&plan->tuning[k], plan->tuning[k].value, x, d);
    return rc;
}

static void done(wrsim_instance *self)
{
    if (plan_of(self)->within->done)
        plan_of(self)->within->done(&((tuned_data *)self->data)->within);
}

/* Defines a function of the model that calls the inner model's function of this name. */
#define FORWARD(name)                                                                              \
    static int name(wrsim_instance *self, const wrsim_point *at, double *ret)                      \
    {                                                                                              \
        return leave(self, plan_of(self)->within->name(enter(self, at), at, ret));                 \
    }
FORWARD(rhs)
FORWARD(output)
FORWARD(algebra)
FORWARD(jacobian)
FORWARD(jacobian_sparse)

/* A value that a host sets has no error, so parameters have no tangent. */
static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    return leave(self,
                 plan_of(self)->within->tangent(enter(self, at), at, x_change, u_change, ret_dx));
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    return leave(self, plan_of(self)->within->tangent_output(enter(self, at), at, x_change,
                                                             u_change, ret_dy));
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    const int rc = leave(self, plan_of(self)->within->step_completed(enter(self, at), at));
    ((tuned_memory *)self->memory)->asks = rc == WRSIM_ENTER_EVENT;
    return rc;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    const wr_tunable_plan *const plan = plan_of(self);
    for (int k = 0; k < plan->n_tuning; k++) {
        const wr_tuning *const t = &plan->tuning[k];
        if (t->i_indicator >= 0)
            ret_z[t->i_indicator] = wr_trigger_indicator(&t->trigger, at->u[t->i_when]);
    }
    return plan->n[WRSIM_INDICATOR] > 0
               ? leave(self, plan->within->indicator(enter(self, at), at, ret_z))
               : 0;
}

/* ---- events ---- */

static double next_within(const wrsim_instance *self, const wrsim_point *at)
{
    const wrsim_model *const within = plan_of(self)->within;
    return within->next_time ? within->next_time(enter(self, at), at) : (double)INFINITY;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const wr_tunable_plan *const plan = plan_of(self);
    double next_s = next_within(self, at);
    for (int k = 0; k < plan->n_tuning; k++)
        next_s = wr_min(next_s,
                        wr_trigger_next_time(&plan->tuning[k].trigger, at->d + place_of(plan, k)));
    return next_s;
}

/* If the inner model has event(), and the event is initial or belongs to the inner model, calls event(). */
static int event_within(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                        double *x, double *d)
{
    const wr_tunable_plan *const plan = plan_of(self);
    wrsim_event own = *what;
    const tuned_memory *const memory = self->memory;
    own.is_time_event =
        what->is_time_event && (memory->asks > 0.0 || wr_time_is_due(at->t_s, memory->announced_s));
    int is_due = own.is_initial || own.is_time_event;
    for (int i = 0; what->fired && i < plan->n[WRSIM_INDICATOR]; i++)
        is_due |= what->fired[i] != 0;
    return is_due && plan->within->event
               ? leave(self, plan->within->event(enter(self, at), at, &own, x, d))
               : 0;
}

static void fire(const wr_tunable_plan *plan, int k, const wrsim_point *at, const wrsim_event *what,
                 double *x, double *d)
{
    const wr_tuning *const t = &plan->tuning[k];
    const int z = t->i_indicator;
    const wr_trigger_seen seen = {.t_s = at->t_s,
                                  .is_initial = what->is_initial,
                                  .mode = z >= 0 && at->mode[z],
                                  .fired = z >= 0 && what->fired ? what->fired[z] : 0};
    /* The initial event of the inner model may change the value that init() has reset. */
    const int is_again = what->is_initial && wr_trigger_is_on(d + place_of(plan, k));
    if (wr_trigger_event(&t->trigger, &seen, d + place_of(plan, k)) || is_again)
        reset(t, t->i_level >= 0 ? at->u[t->i_level] : t->value, x, d);
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    const wr_tunable_plan *const plan = plan_of(self);
    const int rc = event_within(self, at, what, x, d);
    if (rc != 0 && rc != WRSIM_TERMINATE)
        return rc;
    ((tuned_memory *)self->memory)->asks = 0.0;
    for (int k = 0; k < plan->n_tuning; k++)
        fire(plan, k, at, what, x, d);
    wrsim_point after = *at;
    after.x = x;
    after.d = d;
    ((tuned_memory *)self->memory)->announced_s = next_within(self, &after);
    return rc;
}

/* ---- the inner model's own state ---- */

static wrsim_instance *within_of(const wrsim_instance *self)
{
    return &((tuned_data *)self->data)->within;
}

static int keep(wrsim_instance *self, int slot)
{
    return leave(self, plan_of(self)->within->own_state->keep(within_of(self), slot));
}

static int go_back(wrsim_instance *self, int slot)
{
    return leave(self, plan_of(self)->within->own_state->go_back(within_of(self), slot));
}

static void forget(wrsim_instance *self, int slot)
{
    plan_of(self)->within->own_state->forget(within_of(self), slot);
}

static size_t bytes(wrsim_instance *self)
{
    const size_t n_bytes = plan_of(self)->within->own_state->bytes(within_of(self));
    (void)leave(self, n_bytes == SIZE_MAX);
    return n_bytes;
}

static int write_bytes(wrsim_instance *self, void *to, size_t n_bytes)
{
    return leave(self, plan_of(self)->within->own_state->write(within_of(self), to, n_bytes));
}

static int read_bytes(wrsim_instance *self, const void *from, size_t n_bytes)
{
    return leave(self, plan_of(self)->within->own_state->read(within_of(self), from, n_bytes));
}

#define COPIES                                                                                     \
    .struct_size = sizeof(wrsim_own_state), .keep = keep, .go_back = go_back, .forget = forget
static const wrsim_own_state with_copies = {COPIES},
                             with_bytes = {COPIES, .bytes = bytes, .write = write_bytes,
                                           .read = read_bytes};

wrsim_model wr_tunable_model(const wr_tunable_plan *plan)
{
    const wrsim_model *const within = plan->within;
    int has_indicator = within->indicator != NULL;
    for (int k = 0; k < plan->n_tuning; k++)
        has_indicator |= plan->tuning[k].i_indicator >= 0;
    return (wrsim_model){.abi = WRSIM_MODEL_ABI,
                         .struct_size = sizeof(wrsim_model),
                         .name = within->name,
                         .description = within->description,
                         .caps = within->caps & ~(unsigned)WRSIM_CAP_ONE_INSTANCE,
                         .n_param = within->n_param,
                         .params = within->params,
                         .describe = describe,
                         .init = init,
                         .rhs = within->rhs ? rhs : NULL,
                         .output = within->output ? output : NULL,
                         .algebra = within->algebra ? algebra : NULL,
                         .indicator = has_indicator ? indicator : NULL,
                         .event = event,
                         .next_time = next_time,
                         .jacobian = within->jacobian ? jacobian : NULL,
                         .user = plan,
                         .jacobian_sparse = within->jacobian_sparse ? jacobian_sparse : NULL,
                         .step_completed = within->step_completed ? step_completed : NULL,
                         .tangent = within->tangent ? tangent : NULL,
                         .tangent_output = within->tangent_output ? tangent_output : NULL,
                         .done = done,
                         .init_from_inputs = within->init_from_inputs ? init_from_inputs : NULL,
                         .own_state = !within->own_state         ? NULL
                                      : within->own_state->write ? &with_bytes
                                                                 : &with_copies};
}
