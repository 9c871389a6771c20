/* Calls FMUs of co-simulation as models. See cs_model.h. Thread: as cs_model.h. Real-time: callbacks as the FMU allows. */
#include "subsystems/model_host/fmi/cs_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/model_host/fmi/fmi_instance.h"
#include "subsystems/model_host/fmi/fmi_variables.h"

/* Most early returns in one step (assumed): more returns mean an endless step. */
enum { MOST_PARTS = 100000 };

/* Distance from the end of a step that counts as rounding, relative to the step (assumed). FMUs add up their internal steps. */
static const double STEP_ROUNDING = 1e-9;
/* Largest deviation of a step from a multiple of the internal step, relative to the larger of both steps (assumed). The times of a step
 * have rounding errors. */
static const double MULTIPLE_ROUNDING = 1e-6;

struct wr_cs_model {
    wrsim_model model;
    wrsim_stepper stepper;
    wrsim_own_state own_state;
    wr_fmi_variables variables;
    wr_binary *binary;
    const wr_fmi_interface *interface;
    int version;
};

/* Memory of an instance, which wrsim saves and restores with the own state. */
typedef struct cs_memory {
    int is_started; /* 0: the FMU is in initialisation mode */
    int is_ended;   /* 1: the FMU has ended the run at the end of a step */
} cs_memory;

/* Data of an instance. The arrays follow the struct. */
typedef struct cs_data {
    wr_fmi_instance common; /* first member */
    const wr_cs_model *of;
    double *u, *slope; /* [inputs] */
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
    to->data_bytes =
        sizeof(cs_data) + (size_t)(2 * v->input.n_value + v->most_values) * sizeof(double);
    to->memory_bytes = sizeof(cs_memory);
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
    m->slope = m->u + of->variables.input.n_value;
    int rc = wr_fmi_instance_create(self, &of->variables, of->binary, of->model.name,
                                    m->slope + of->variables.input.n_value);
    if (rc == 0)
        rc = wr_fmi_instance_enter(self, t_s);
    if (rc)
        wr_fmi_instance_destroy(self);
    return rc;
}

/* Sets all inputs in initialisation mode. */
static int set_start_inputs(wrsim_instance *self, const double *u)
{
    const cs_data *const m = self->data;
    int rc = 0;
    for (int b = 0; rc == 0 && b < m->of->variables.input.n_block; b++)
        rc = wr_fmi_instance_set(self, &m->of->variables.input.block[b], u);
    return rc;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const cs_data *const m = self->data;
    int rc = 0;
    if (!((const cs_memory *)self->memory)->is_started) /* u has the inputs at the start */
        rc = set_start_inputs(self, at->u);
    for (int b = 0; rc == 0 && b < m->of->variables.output.n_block; b++)
        rc = wr_fmi_instance_get(self, &m->of->variables.output.block[b], ret_y);
    return rc;
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

/* Sets the inputs at t_s in a step. Discrete inputs have the values at the start of the step. The slopes are the slopes of the chord up to
 * the end of the step. */
static int set_inputs(wrsim_instance *self, const wrsim_step *step, double t_s)
{
    cs_data *const m = self->data;
    const wr_fmi_values *const input = &m->of->variables.input;
    const int is_start = !(t_s > step->t_s);
    const double *u = step->u;
    if (!is_start && input->n_value > 0) {
        step->input(step, t_s, m->u, NULL);
        u = m->u;
    }
    for (int i = 0; i < input->n_value; i++)
        m->slope[i] = (step->u_end[i] - u[i]) / (step->end_s - t_s);
    for (int b = 0; b < input->n_block; b++) {
        const wr_fmi_block *const block = &input->block[b];
        if (block->is_discrete && !is_start)
            continue;
        int rc = wr_fmi_instance_set(self, block, u);
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

/* Makes a part of a step, from *t_s to the end or to an early return. */
static int make_part(wrsim_instance *self, const wrsim_step *step, double *t_s)
{
    cs_data *const m = self->data;
    const int rc = set_inputs(self, step, *t_s);
    if (rc)
        return rc;
    wr_binary_step part = {.reached_s = *t_s};
    const wr_binary_status status = wr_binary_do_step(m->common.fmu, *t_s, step->end_s - *t_s,
                                                      !has_flag(m->of, WR_FMI_STATE), &part);
    if (status != WR_BINARY_DISCARD)
        TRY(status, "DoStep");
    const double left_s = step->end_s - part.reached_s;
    const int is_early = left_s > STEP_ROUNDING * (step->end_s - step->t_s);
    if (part.is_terminated && !is_early) {
        /* The run of wrsim may end here, too. If not, the next step reports the end. */
        ((cs_memory *)self->memory)->is_ended = 1;
        *t_s = step->end_s;
        return 0;
    }
    if (part.is_terminated)
        return refuse_end(self, part.reached_s);
    /* FMI 2.0 requires a shorter step also after an early return (section 4.2.2). */
    if (status == WR_BINARY_DISCARD || (is_early && m->of->version == 2)) {
        char log[WR_BINARY_LOG_BYTES];
        wr_binary_log(m->common.fmu, log);
        snprintf(m->common.message, sizeof m->common.message,
                 "the FMU discards the step%s%s; shorten simulation.communication_step",
                 status == WR_BINARY_DISCARD && log[0] ? ": " : "",
                 status == WR_BINARY_DISCARD ? log : "");
        self->message = m->common.message;
        return 1;
    }
    if (is_early && !(part.reached_s > *t_s)) {
        self->message =
            "the FMU returns early from a step without progress; export the FMU again, or "
            "ask its maker";
        return -1;
    }
    *t_s = is_early ? part.reached_s : step->end_s;
    return 0;
}

/* Leaves initialisation mode with the inputs at the start of the first step. */
static int leave_initialisation(wrsim_instance *self, const wrsim_step *step)
{
    cs_data *const m = self->data;
    cs_memory *const memory = self->memory;
    const int rc = set_start_inputs(self, step->u);
    if (rc)
        return rc;
    TRY(wr_binary_exit_initialisation(m->common.fmu), "ExitInitializationMode");
    memory->is_started = m->common.is_initialised = 1;
    return 0;
}

static int advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    (void)ret_slope;
    double t_s = step->t_s;
    if (((const cs_memory *)self->memory)->is_ended)
        return refuse_end(self, step->t_s);
    int rc = check_length(self, step->end_s - step->t_s);
    if (rc == 0 && !((const cs_memory *)self->memory)->is_started)
        rc = leave_initialisation(self, step);
    for (int n = 0; rc == 0 && t_s < step->end_s; n++) {
        if (n == MOST_PARTS) {
            self->message =
                "the FMU returns early from one step too many times; export the FMU again, "
                "or ask its maker";
            return -1;
        }
        rc = make_part(self, step, &t_s);
    }
    return rc;
}

/* ---- creating ---- */

static void make_descriptor(wr_cs_model *of, const char *name)
{
    const wr_description *const d = of->variables.description;
    const int has_state = has_flag(of, WR_FMI_STATE);
    const int is_fixed =
        !has_flag(of, WR_FMI_VARIABLE_STEP) || !isnan(of->interface->fixed_internal_step_s);
    of->stepper = (wrsim_stepper){.struct_size = sizeof of->stepper, .advance = advance};
    of->own_state = wr_fmi_instance_own_state(of->interface->flags);
    of->model =
        (wrsim_model){.abi = WRSIM_MODEL_ABI,
                      .struct_size = sizeof of->model,
                      .name = name,
                      .description = d->description ? d->description : "FMU of co-simulation",
                      .caps = (has_flag(of, WR_FMI_ONCE) ? WRSIM_CAP_ONE_INSTANCE : 0U) |
                              (has_state ? 0U : WRSIM_CAP_CANNOT_RESTORE) |
                              (is_fixed ? WRSIM_CAP_COMMUNICATION_STEPS : 0U),
                      .n_param = of->variables.param.n_value,
                      .params = of->variables.param_variable,
                      .describe = describe,
                      .init = init,
                      .output = of->variables.output.n_block > 0 ? output : NULL,
                      .done = wr_fmi_instance_destroy,
                      .user = of,
                      .stepper = &of->stepper,
                      .own_state = has_state ? &of->own_state : NULL};
}

wr_cs_model *wr_cs_model_create(const wr_description *description, wr_binary *binary,
                                int has_suffix)
{
    wr_cs_model *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    of->binary = binary;
    of->interface = &description->interface[WR_FMI_CS];
    of->version = description->version;
    const char *const suffix = has_suffix ? ".cs" : "";
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
