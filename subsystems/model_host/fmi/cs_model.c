/* Calls FMUs of co-simulation as models. See cs_model.h. Thread: as cs_model.h. Real-time: callbacks as the FMU allows. */
#include "subsystems/model_host/fmi/cs_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/model_host/fmi/cs_repeat.h"
#include "subsystems/model_host/fmi/fmi_instance.h"
#include "subsystems/model_host/fmi/fmi_variables.h"

/* Distance from the end of a step that counts as rounding, relative to the step (assumed). FMUs add up their internal steps. */
static const double STEP_ROUNDING = 1e-9;
/* Largest deviation of a step from a multiple of the internal step, relative to the larger of both steps (assumed). The times of a step
 * have rounding errors. */
static const double MULTIPLE_ROUNDING = 1e-6;
/* Change of a continuous input at one instant that counts as a jump, relative to the larger of value and nominal value (assumed). Smaller
 * changes may be errors of waveforms. */
static const double INPUT_JUMP = 1e-3;

struct wr_cs_model {
    wrsim_model model;
    wrsim_stepper stepper;
    wrsim_own_state own_state;
    wr_fmi_variables variables;
    wr_binary *binary;
    const wr_fmi_interface *interface;
    int version;
    int is_checked; /* 1: see cs_repeat.h */
};

/* Memory of an instance, which wrsim saves and restores with the own state. An array follows: before[inputs]. */
typedef struct cs_memory {
    int is_started;  /* 0: the FMU is in initialisation mode */
    int is_ended;    /* 1: the FMU has ended the run at the end of a step */
    int is_early;    /* 1: the last step has ended before the end that wrsim requested */
    int needs_event; /* 1: the FMU has requested an event at the present time */
    double next_s;   /* next time event */
} cs_memory;

/* Data of an instance. The arrays follow the struct: inputs, slopes, values of one block, and the values of `repeat`. */
typedef struct cs_data {
    wr_fmi_instance common; /* first member */
    const wr_cs_model *of;
    wr_cs_repeat repeat; /* for FMUs that restore their state */
    double *u, *slope;   /* [inputs] */
    double *
        before; /* [inputs] inputs at the last event; continuous inputs: at the last event or end of a step */
} cs_data;

#define TRY(call, doing) WR_FMI_TRY(self, call, doing)

static int has_flag(const wr_cs_model *of, wr_fmi_flag flag)
{
    return (of->interface->flags & 1U << flag) != 0;
}

/* ---- callbacks ---- */

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const wr_cs_model *const of = self->user;
    const wr_fmi_variables *const v = &of->variables;
    const int n_value =
        2 * v->input.n_value + v->most_values + WR_CS_REPEAT_ARRAYS * v->output.n_value;
    to->data_bytes = sizeof(cs_data) + (size_t)n_value * sizeof(double);
    to->memory_bytes = sizeof(cs_memory) + (size_t)v->input.n_value * sizeof(double);
    return wr_fmi_variables_declare(v, to, WRSIM_INPUT, &v->input) ||
                   wr_fmi_variables_declare(v, to, WRSIM_OUTPUT, &v->output)
               ? -1
               : 0;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    (void)d;
    const wr_cs_model *const of = self->user;
    cs_data *const m = self->data;
    *m = (cs_data){.of = of};
    m->u = (double *)(m + 1);
    const wr_fmi_variables *const v = &of->variables;
    m->slope = m->u + v->input.n_value;
    m->before = (double *)((cs_memory *)self->memory + 1);
    ((cs_memory *)self->memory)->next_s = (double)INFINITY;
    double *const value = m->slope + v->input.n_value;
    m->repeat = (wr_cs_repeat){.n_output = v->output.n_value, .y = value + v->most_values};
    int rc = wr_fmi_instance_create(self, v, of->binary, of->model.name, value);
    if (rc == 0)
        rc = wr_fmi_instance_enter(self, t_s);
    if (rc)
        wr_fmi_instance_destroy(self);
    return rc;
}

/* Sets all inputs. */
static int set_all_inputs(wrsim_instance *self, const double *u)
{
    const cs_data *const m = self->data;
    int rc = 0;
    for (int b = 0; rc == 0 && b < m->of->variables.input.n_block; b++)
        rc = wr_fmi_instance_set(self, &m->of->variables.input.block[b], u);
    return rc;
}

static int read_outputs(wrsim_instance *self, double *ret_y)
{
    const cs_data *const m = self->data;
    int rc = 0;
    for (int b = 0; rc == 0 && b < m->of->variables.output.n_block; b++)
        rc = wr_fmi_instance_get(self, &m->of->variables.output.block[b], ret_y);
    return rc;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    int rc = 0;
    if (!((const cs_memory *)self->memory)->is_started) /* u has the inputs at the start */
        rc = set_all_inputs(self, at->u);
    return rc ? rc : read_outputs(self, ret_y);
}

/* Sets the slopes of the inputs of a block. FMI 2.0 has scalars only. */
static int set_slopes(wrsim_instance *self, const wr_fmi_block *b)
{
    cs_data *const m = self->data;
    for (int i = 0; i < b->n_value; i++)
        m->common.value[i] = m->slope[b->place[i]];
    TRY(wr_binary_set_input_derivatives(m->common.fmu, b->number, b->n_number, m->common.value),
        "SetRealInputDerivatives");
    return 0;
}

/* Sets the inputs at the start of a step. The slopes are the slopes of the chord over the step. With event mode discrete inputs change at
 * events only. */
static int set_inputs(wrsim_instance *self, const wrsim_step *step)
{
    cs_data *const m = self->data;
    const wr_fmi_values *const input = &m->of->variables.input;
    for (int i = 0; i < input->n_value; i++)
        m->slope[i] = (step->u_end[i] - step->u[i]) / (step->end_s - step->t_s);
    for (int b = 0; b < input->n_block; b++) {
        const wr_fmi_block *const block = &input->block[b];
        if (block->is_discrete && has_flag(m->of, WR_FMI_EVENT_MODE))
            continue;
        int rc = wr_fmi_instance_set(self, block, step->u);
        if (rc == 0 && has_flag(m->of, WR_FMI_INTERPOLATES) && block->type == WR_FMI_FLOAT64 &&
            !block->is_discrete)
            rc = set_slopes(self, block);
        if (rc)
            return rc;
    }
    return 0;
}

/* Checks that a step is a multiple of the internal step of the FMU. */
static int check_length(wrsim_instance *self, double length_s)
{
    cs_data *const m = self->data;
    const double internal_s = m->of->interface->fixed_internal_step_s;
    const double n = length_s / internal_s; /* NaN: the FMU has no fixed step */
    if (!(fabs(n - rint(n)) > MULTIPLE_ROUNDING * fmax(1.0, n)) && !(n < 0.5))
        return 0;
    snprintf(m->common.message, sizeof m->common.message,
             "a step of %.9g s is no multiple of the internal step of the FMU, which is %.9g s; "
             "set simulation.communication_step to a multiple",
             length_s, internal_s);
    self->message = m->common.message;
    return -1;
}

/* Reports the end of the run, after which the FMU makes no further step. */
static int refuse_end(wrsim_instance *self, double t_s)
{
    cs_data *const m = self->data;
    snprintf(m->common.message, sizeof m->common.message,
             "the FMU ends the run at t = %.9g s; set simulation.stop to this time or an earlier "
             "time, or change the FMU's parameters",
             t_s);
    self->message = m->common.message;
    return -1;
}

/* Returns the planned end of a step of the FMU. With a fixed internal step and variable communication steps, the step ends early for a time
 * event: at the first end of an internal step that reaches the event. */
static double planned_end(wrsim_instance *self, const wrsim_step *step)
{
    const cs_data *const m = self->data;
    const double internal_s = m->of->interface->fixed_internal_step_s;
    const double n = (((const cs_memory *)self->memory)->next_s - step->t_s) / internal_s;
    if (isnan(n) || !has_flag(m->of, WR_FMI_VARIABLE_STEP))
        return step->end_s;
    return fmin(step->end_s, step->t_s + internal_s * fmax(1.0, ceil(n - MULTIPLE_ROUNDING)));
}

/* Returns the length of a step. If a time event is due at the end, the rounded step reaches the time of the event. */
static double step_length(double t_s, double end_s, double next_s)
{
    const double least_s = wr_time_is_due(end_s, next_s) ? fmax(end_s, next_s) : end_s;
    const double h_s = least_s - t_s;
    return next_s < (double)INFINITY && t_s + h_s < least_s ? nextafter(h_s, (double)INFINITY)
                                                            : h_s;
}

/* Stores the continuous inputs at the end of a step. */
static void note_inputs(wrsim_instance *self, const wrsim_step *step, double end_s)
{
    cs_data *const m = self->data;
    const wr_fmi_values *const input = &m->of->variables.input;
    const double *u = step->u_end;
    if (end_s < step->end_s && input->n_value > 0) {
        step->input(step, end_s, m->u, NULL);
        u = m->u;
    }
    for (int b = 0; b < input->n_block; b++)
        for (int i = 0; i < input->block[b].n_value && !input->block[b].is_discrete; i++)
            m->before[input->block[b].place[i]] = u[input->block[b].place[i]];
}

/* Makes a step of the FMU, which may end early. */
static int make_step(wrsim_instance *self, const wrsim_step *step)
{
    cs_data *const m = self->data;
    cs_memory *const memory = self->memory;
    const double end_s = planned_end(self, step);
    wr_binary_step part = {.reached_s = step->t_s};
    const wr_binary_status status = wr_binary_do_step(
        m->common.fmu, step->t_s, step_length(step->t_s, end_s, memory->next_s),
        !has_flag(m->of, WR_FMI_STATE) || wr_cs_repeat_may_forget(&m->repeat), &part);
    if (status != WR_BINARY_DISCARD)
        TRY(status, "DoStep");
    const int is_early = end_s - part.reached_s > STEP_ROUNDING * (step->end_s - step->t_s);
    if (part.is_terminated && is_early)
        return refuse_end(self, part.reached_s);
    /* FMI 2.0 requires a shorter step also after an early return (section 4.2.2). */
    if (!part.is_terminated && (status == WR_BINARY_DISCARD || (is_early && m->of->version == 2))) {
        char log[WR_BINARY_LOG_BYTES];
        wr_binary_log(m->common.fmu, log);
        snprintf(m->common.message, sizeof m->common.message,
                 "the FMU discards the step%s%s; shorten simulation.communication_step",
                 status == WR_BINARY_DISCARD && log[0] ? ": " : "",
                 status == WR_BINARY_DISCARD ? log : "");
        self->message = m->common.message;
        return 1;
    }
    /* If the run of wrsim does not end here, the next step reports the end. */
    memory->is_ended = part.is_terminated;
    if (part.is_terminated)
        memory->next_s = (double)INFINITY;
    memory->needs_event = part.is_event && !part.is_terminated;
    *step->ret_end_s = is_early ? part.reached_s : end_s;
    memory->is_early = *step->ret_end_s < step->end_s;
    note_inputs(self, step, *step->ret_end_s);
    return memory->needs_event || wr_time_is_due(*step->ret_end_s, memory->next_s)
               ? WRSIM_ENTER_EVENT
               : 0;
}

/* Leaves initialisation mode with the inputs at the start of the first step. */
static int leave_initialisation(wrsim_instance *self, const double *u)
{
    cs_data *const m = self->data;
    cs_memory *const memory = self->memory;
    const int rc = set_all_inputs(self, u);
    if (rc)
        return rc;
    TRY(wr_binary_exit_initialisation(m->common.fmu), "ExitInitializationMode");
    memory->is_started = m->common.is_initialised = 1;
    return 0;
}

/* Calls of the check in cs_repeat.h. */
static int make_whole(wrsim_instance *self, double t_s, double end_s, int may_forget)
{
    cs_data *const m = self->data;
    wr_binary_step part = {.reached_s = t_s};
    TRY(wr_binary_do_step(m->common.fmu, t_s, end_s - t_s, may_forget, &part), "DoStep");
    return part.is_event || part.is_terminated ||
           end_s - part.reached_s > STEP_ROUNDING * (end_s - t_s);
}

static const wr_cs_repeat_calls calls = {
    .make = make_whole, .read = read_outputs, .go_back = wr_fmi_instance_go_back};

static int advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    (void)ret_slope;
    cs_data *const m = self->data;
    const cs_memory *const memory = self->memory;
    if (memory->is_ended)
        return refuse_end(self, step->t_s);
    int rc = memory->is_early ? 0 : check_length(self, step->end_s - step->t_s);
    if (rc == 0 && !memory->is_started)
        rc = leave_initialisation(self, step->u);
    else if (rc == 0 && m->of->is_checked && !memory->is_early)
        rc = wr_cs_repeat_begin_step(self, &m->repeat, &calls, step);
    if (rc == 0)
        rc = set_inputs(self, step);
    if (rc == 0)
        rc = make_step(self, step);
    wr_cs_repeat_end_step(&m->repeat);
    return rc;
}

/* ---- event mode ---- */

/* Returns whether a discrete input has a new value, or a continuous input has jumped. */
static int has_jumped(wrsim_instance *self, const double *u)
{
    const cs_data *const m = self->data;
    const wr_fmi_values *const input = &m->of->variables.input;
    for (int i = 0; i < input->n_variable; i++) {
        const wr_fmi_variable *const v =
            &m->of->variables.description->variable[input->variable[i]];
        const double nominal = fabs(v->quantity.nominal);
        for (int k = input->first[i]; k < input->first[i + 1]; k++) {
            const double change = fabs(u[k] - m->before[k]),
                         size = fmax(fmax(fabs(u[k]), fabs(m->before[k])),
                                     nominal > 0.0 ? nominal : 1.0);
            if (change > (v->variability == WR_FMI_CONTINUOUS ? INPUT_JUMP * size : 0.0))
                return 1;
        }
    }
    return 0;
}

/* Makes an event if the FMU or wrsim needs one (FMI 3.0, section 4.2.1). */
static int event(wrsim_instance *self, const wrsim_point *at)
{
    cs_data *const m = self->data;
    cs_memory *const memory = self->memory;
    int rc;
    if (memory->is_ended)
        return 0;
    if (!memory->is_started)
        rc = leave_initialisation(self, at->u);
    else if (memory->needs_event || wr_time_is_due(at->t_s, memory->next_s) ||
             has_jumped(self, at->u)) {
        TRY(wr_binary_enter_events(m->common.fmu), "EnterEventMode");
        rc = set_all_inputs(self, at->u);
    } else
        return 0;
    wr_binary_update update;
    rc = rc ? rc : wr_fmi_instance_iterate_event(self, at->t_s, &update);
    if (rc)
        return rc;
    for (int k = 0; k < m->of->variables.input.n_value; k++)
        m->before[k] = at->u[k];
    memory->needs_event = 0;
    memory->is_ended = update.is_terminated;
    memory->next_s = update.next_time_s;
    return WRSIM_ENTER_EVENT;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    (void)at;
    return ((const cs_memory *)self->memory)->next_s;
}

/* ---- the own state ---- */

static int keep(wrsim_instance *self, int slot)
{
    wr_cs_repeat_enter(&((cs_data *)self->data)->repeat, 1);
    return wr_fmi_instance_keep(self, slot);
}

static int go_back(wrsim_instance *self, int slot)
{
    wr_cs_repeat_enter(&((cs_data *)self->data)->repeat, 0);
    return wr_fmi_instance_go_back(self, slot);
}

/* Sets the state from bytes. `memory` has the values of the bytes already. A new FMU leaves initialisation mode before it takes a state of
 * step mode. Reference FMUs 0.0.37 prepare their solver there, and keep constant outputs without this preparation. */
static int read_bytes(wrsim_instance *self, const void *from, size_t n_bytes)
{
    cs_data *const m = self->data;
    if (((const cs_memory *)self->memory)->is_started && !m->common.is_initialised) {
        TRY(wr_binary_exit_initialisation(m->common.fmu), "ExitInitializationMode");
        m->common.is_initialised = 1;
    }
    return wr_fmi_instance_read(self, from, n_bytes);
}

/* ---- creating ---- */

static void make_descriptor(wr_cs_model *of, const char *name)
{
    const wr_description *const d = of->variables.description;
    const int has_state = has_flag(of, WR_FMI_STATE);
    const int is_fixed =
        !has_flag(of, WR_FMI_VARIABLE_STEP) || !isnan(of->interface->fixed_internal_step_s);
    const int has_events = has_flag(of, WR_FMI_EVENT_MODE);
    of->stepper = (wrsim_stepper){
        .struct_size = sizeof of->stepper, .advance = advance, .event = has_events ? event : NULL};
    of->own_state = wr_fmi_instance_own_state(of->interface->flags);
    of->own_state.keep = keep;
    of->own_state.go_back = go_back;
    if (of->own_state.read)
        of->own_state.read = read_bytes;
    of->is_checked = has_state && !is_fixed && !has_events && of->variables.output.n_value > 0;
    of->model = (wrsim_model){
        .abi = WRSIM_MODEL_ABI,
        .struct_size = sizeof of->model,
        .name = name,
        .description = d->description ? d->description : "FMU of co-simulation",
        .caps = (has_flag(of, WR_FMI_ONCE) ? WRSIM_CAP_ONE_INSTANCE : 0U) |
                (has_state ? 0U : WRSIM_CAP_CANNOT_RESTORE) |
                (is_fixed ? WRSIM_CAP_COMMUNICATION_STEPS : 0U),
        .n_param = of->variables.param.n_value,
        .params = of->variables.param.n_value > 0 ? of->variables.param_variable : NULL,
        .describe = describe,
        .init = init,
        .output = of->variables.output.n_block > 0 ? output : NULL,
        .next_time = has_events && !is_fixed ? next_time : NULL,
        .done = wr_fmi_instance_destroy,
        .user = of,
        .stepper = &of->stepper,
        .own_state = has_state ? &of->own_state : NULL};
}

wr_cs_model *wr_cs_model_create(const wr_description *description,
                                const wr_fmi_interface *interface, wr_binary *binary,
                                const char *suffix)
{
    wr_cs_model *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    of->binary = binary;
    of->interface = interface;
    of->version = description->version;
    char *name = NULL;
    if (wr_fmi_variables_create(&of->variables, description, WR_FMI_CS) == 0)
        name = WR_NEW_ARRAY(of->variables.arena, char,
                            strlen(of->interface->identifier) + strlen(suffix) + 1);
    if (!name) {
        wr_cs_model_destroy(&of);
        return NULL;
    }
    strcat(strcpy(name, of->interface->identifier), suffix);
    make_descriptor(of, name);
    return of;
}

void wr_cs_model_destroy(wr_cs_model **model)
{
    if (!model || !*model)
        return;
    wr_fmi_variables_clear(&(*model)->variables);
    free(*model);
    *model = NULL;
}

const wrsim_model *wr_cs_model_descriptor(const wr_cs_model *model) { return &model->model; }
