/* Calls FMUs of model exchange as models. See me_model.h.
 *
 * An instance stays in continuous-time mode between callbacks. A callback first sets the time, the states and the inputs that differ from
 * the values of the last call.
 *
 * Thread: as me_model.h. Real-time: callbacks as the FMU allows.
 */
#include "subsystems/model_host/fmi/me_model.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "subsystems/model_host/descriptor.h"

enum {
    /* most iterations of an event (assumed): more iterations mean an endless event */
    MAX_EVENT_ITERATIONS = 1000,
    MESSAGE_BYTES = WR_BINARY_LOG_BYTES + 128,
    SLOT_BYTES = WRSIM_SLOTS /* slot for the bytes of a checkpoint */
};

/* Variables of one type that one call of the FMU reads or writes. */
typedef struct value_block {
    wr_fmi_type type;
    int n_number, n_value;
    uint32_t *number; /* [n_number] value references */
    int *place;       /* [n_value] index of each value among the inputs or outputs */
    int is_direct;    /* 1: place[i] is i, so no copy is needed */
    int is_discrete;  /* inputs: 1: the FMU takes the values in event mode only */
} value_block;

/* Variables of one causality, and the calls that read or write all of them. */
typedef struct value_list {
    int n_variable, n_value, n_block;
    int *variable;      /* [n_variable] indices of the description */
    int *first;         /* [n_variable + 1] index of the first value of each variable */
    value_block *block; /* [n_block] */
} value_list;

struct wr_me_model {
    wrsim_model model;
    wrsim_own_state own_state;
    const wr_description *description;
    wr_binary *binary;
    unsigned flags; /* of the interface of model exchange */
    wr_arena *arena;
    value_list state, input, output, param, indicator;
    int *state_of; /* [n_variable] first state of a variable of the description; -1: no state */
    int *input_of; /* [n_variable] first input of a variable; -1: no input */
    unsigned char *is_direct; /* [values of input] an output depends directly on the input */
    int n_discrete;           /* values of discrete inputs */
    int *discrete;            /* [n_discrete] their indices among the inputs */
    double *discrete_start;   /* [n_discrete] their start values */
    wrsim_variable *param_variable;
    int most_values; /* most values of a block */
};

/* Data of an instance. The arrays follow the struct. */
typedef struct me_data {
    const wr_me_model *of;
    wr_binary_instance *fmu;
    double t_s, *x, *u;        /* values that the FMU has; t_s NaN: unknown */
    int has_x, has_u;          /* 0: x or u is unknown */
    double *x_start, *u_start; /* start values of states in the config, and inputs at the start */
    double *value;             /* [most_values] values of one block */
    void *slot[WRSIM_SLOTS + 1];
    char message[MESSAGE_BYTES];
} me_data;

/* Memory of an instance, which wrsim saves and restores. */
typedef struct me_memory {
    double next_s; /* next time event */
} me_memory;

/* ---- calls of the FMU ---- */

/* Returns the return value of a callback for a status of the FMU. Stores the message of a failure. */
static int result_of(wrsim_instance *self, wr_binary_status status, const char *doing)
{
    if (status == WR_BINARY_OK)
        return 0;
    me_data *const m = self->data;
    char log[WR_BINARY_LOG_BYTES];
    wr_binary_log(m->fmu, log);
    snprintf(m->message, sizeof m->message, "the FMU fails in %s: %s", doing,
             log[0] ? log : "it gives no reason");
    self->message = m->message;
    return status == WR_BINARY_DISCARD ? 1 : -1;
}

#define TRY(call, doing)                                                                           \
    do {                                                                                           \
        const int rc_ = result_of(self, (call), (doing));                                          \
        if (rc_)                                                                                   \
            return rc_;                                                                            \
    } while (0)

static int set_block(wrsim_instance *self, const value_block *b, const double *all)
{
    me_data *const m = self->data;
    const double *value = all;
    if (!b->is_direct) {
        for (int i = 0; i < b->n_value; i++)
            m->value[i] = all[b->place[i]];
        value = m->value;
    }
    TRY(wr_binary_set(m->fmu, b->type, b->number, b->n_number, value, b->n_value), "set");
    return 0;
}

static int get_block(wrsim_instance *self, const value_block *b, double *all)
{
    me_data *const m = self->data;
    double *const value = b->is_direct ? all : m->value;
    TRY(wr_binary_get(m->fmu, b->type, b->number, b->n_number, value, b->n_value), "get");
    for (int i = 0; i < b->n_value && !b->is_direct; i++)
        all[b->place[i]] = value[i];
    return 0;
}

/* The values that the FMU has are unknown. */
static void forget_point(me_data *m)
{
    m->t_s = (double)NAN;
    m->has_x = m->has_u = 0;
}

/* Sets the continuous or the discrete inputs. */
static int set_inputs(wrsim_instance *self, int is_discrete)
{
    me_data *const m = self->data;
    for (int b = 0; b < m->of->input.n_block; b++) {
        const value_block *const block = &m->of->input.block[b];
        const int rc = block->is_discrete == is_discrete ? set_block(self, block, m->u) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

/* Sets the point. only: the inputs whose values are known; NULL: all inputs. The other inputs keep their last values. */
static int set_point(wrsim_instance *self, const wrsim_point *at, const unsigned char *only)
{
    me_data *const m = self->data;
    const wr_me_model *const of = m->of;
    if (!(m->t_s <= at->t_s && m->t_s >= at->t_s)) {
        m->t_s = (double)NAN;
        TRY(wr_binary_set_time(m->fmu, at->t_s), "SetTime");
        m->t_s = at->t_s;
    }
    const size_t n_x_bytes = (size_t)of->state.n_value * sizeof *m->x;
    if (n_x_bytes > 0 && (!m->has_x || memcmp(m->x, at->x, n_x_bytes) != 0)) {
        m->has_x = 0;
        memcpy(m->x, at->x, n_x_bytes);
        TRY(wr_binary_set_states(m->fmu, m->x, of->state.n_value), "SetContinuousStates");
        m->has_x = 1;
    }
    int is_changed = !m->has_u;
    for (int i = 0; i < of->input.n_value; i++)
        if ((!only || only[i]) && memcmp(&m->u[i], &at->u[i], sizeof m->u[i]) != 0) {
            m->u[i] = at->u[i];
            is_changed = 1;
        }
    if (!is_changed)
        return 0;
    m->has_u = 0;
    const int rc = set_inputs(self, 0);
    m->has_u = rc == 0;
    return rc;
}

/* Iterates the event of an instance in event mode, and enters continuous-time mode. */
static int iterate_event(wrsim_instance *self, wr_binary_update *ret)
{
    me_data *const m = self->data;
    *ret = (wr_binary_update){.is_iteration_needed = 1, .next_time_s = (double)INFINITY};
    int has_new_states = 0, n = 0;
    for (; ret->is_iteration_needed && !ret->is_terminated && n < MAX_EVENT_ITERATIONS; n++) {
        TRY(wr_binary_update_discrete(m->fmu, ret), "the update of its discrete states");
        has_new_states |= ret->has_new_states;
    }
    ret->has_new_states = has_new_states;
    if (ret->is_terminated)
        return 0;
    if (ret->is_iteration_needed) {
        self->message = "the FMU iterates an event without end";
        return -1;
    }
    TRY(wr_binary_leave_events(m->fmu), "EnterContinuousTimeMode");
    return 0;
}

/* ---- callbacks ---- */

/* Returns the start value of element k; 0 without a start value. */
static double start_of(const wr_fmi_variable *v, int64_t k)
{
    return v->start && v->n_start > 0 ? v->start[v->n_start > 1 ? k : 0] : 0.0;
}

/* Sets parameters, and start values of states, that differ from the description. */
static int set_start_values(wrsim_instance *self, const double *x)
{
    const me_data *const m = self->data;
    const wr_me_model *const of = m->of;
    for (int i = 0; i < of->param.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->param.variable[i]];
        const int first = of->param.first[i], n = of->param.first[i + 1] - first;
        const wr_fmi_declared_type *const type =
            v->type == WR_FMI_ENUMERATION ? &of->description->type[v->declared_type] : NULL;
        int is_changed = 0;
        for (int k = 0; k < n; k++) {
            const double value = self->param[first + k];
            is_changed |= value < of->param_variable[first + k].start ||
                          value > of->param_variable[first + k].start;
            m->value[k] =
                of->param_variable[first + k].choices ? type->item[(int)value].value : value;
        }
        if (is_changed)
            TRY(wr_binary_set(m->fmu, v->type, &v->number, 1, m->value, n), "set of a parameter");
    }
    for (int i = 0; i < of->state.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->state.variable[i]];
        const int first = of->state.first[i], n = of->state.first[i + 1] - first;
        int is_changed = 0;
        for (int k = 0; k < n; k++) {
            const double start = start_of(v, k);
            is_changed |= x[first + k] < start || x[first + k] > start;
        }
        if (!is_changed)
            continue;
        if (v->initial == WR_FMI_CALCULATED) {
            snprintf(((me_data *)self->data)->message, MESSAGE_BYTES,
                     "the FMU computes the start value of '%.100s'; remove the start value",
                     v->name);
            self->message = m->message;
            return -1;
        }
        TRY(wr_binary_set(m->fmu, v->type, &v->number, 1, x + first, n), "set of a start value");
    }
    return 0;
}

/* Initialises the FMU with the inputs m->u_start. Writes its states to x. */
static int begin_run(wrsim_instance *self, double t_s, double *x)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    const wr_binary_experiment experiment = {
        .start_s = t_s, .stop_s = (double)NAN, .tolerance = (double)NAN};
    memcpy(m->u, m->u_start, (size_t)m->of->input.n_value * sizeof *m->u);
    int rc = set_start_values(self, m->x_start);
    for (int is_discrete = 0; rc == 0 && is_discrete <= 1; is_discrete++)
        rc = set_inputs(self, is_discrete);
    if (rc)
        return rc;
    TRY(wr_binary_enter_initialisation(m->fmu, &experiment), "EnterInitializationMode");
    TRY(wr_binary_exit_initialisation(m->fmu), "ExitInitializationMode");
    wr_binary_update update;
    const int rc_event = iterate_event(self, &update);
    if (rc_event)
        return rc_event;
    if (update.is_terminated) {
        self->message = "the FMU ends the run at its start";
        return -1;
    }
    memory->next_s = update.next_time_s;
    if (m->of->state.n_value > 0)
        TRY(wr_binary_get_states(m->fmu, x, m->of->state.n_value), "GetContinuousStates");
    return 0;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)d;
    const wr_me_model *const of = self->user;
    me_data *const m = self->data;
    *m = (me_data){.of = of};
    m->x = (double *)(m + 1);
    m->u = m->x + of->state.n_value;
    m->x_start = m->u + of->input.n_value;
    m->u_start = m->x_start + of->state.n_value;
    m->value = m->u_start + of->input.n_value;
    if (of->state.n_value > 0)
        memcpy(m->x_start, x, (size_t)of->state.n_value * sizeof *x);
    for (int i = 0; i < of->input.n_variable; i++)
        for (int k = of->input.first[i]; k < of->input.first[i + 1]; k++)
            m->u_start[k] =
                start_of(&of->description->variable[of->input.variable[i]], k - of->input.first[i]);
    wrsim_error err = {0};
    m->fmu = wr_binary_instantiate(of->binary, of->model.name, &err);
    if (!m->fmu) {
        snprintf(m->message, sizeof m->message, "%s", err.text);
        self->message = m->message;
        return -1;
    }
    const int rc = begin_run(self, t_s, x);
    forget_point(m);
    if (rc)
        wr_binary_free(&m->fmu);
    return rc;
}

/* Returns whether the inputs differ from those of the initialisation. */
static int has_other_inputs(const me_data *m, const double *u)
{
    for (int i = 0; i < m->of->input.n_value; i++)
        if (u[i] < m->u_start[i] || u[i] > m->u_start[i])
            return 1;
    return 0;
}

static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    me_data *const m = self->data;
    if (!has_other_inputs(m, at->u))
        return 0;
    memcpy(m->u_start, at->u, (size_t)m->of->input.n_value * sizeof *m->u_start);
    for (int k = 0; k < m->of->n_discrete; k++)
        d[k] = at->u[m->of->discrete[k]];
    TRY(wr_binary_reset(m->fmu), "Reset");
    const int rc = begin_run(self, at->t_s, x);
    forget_point(m);
    return rc;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    TRY(wr_binary_get_derivatives(m->fmu, ret_dx, m->of->state.n_value), "GetDerivatives");
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const me_data *const m = self->data;
    int rc = set_point(self, at, m->of->is_direct);
    for (int b = 0; rc == 0 && b < m->of->output.n_block; b++)
        rc = get_block(self, &m->of->output.block[b], ret_y);
    return rc;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    const int n = m->of->description->n_indicator;
    if (n > 0)
        TRY(wr_binary_get_indicators(m->fmu, ret_z, n), "GetEventIndicators");
    for (int k = 0; k < m->of->n_discrete; k++) {
        const double u = at->u[m->of->discrete[k]];
        ret_z[n + k] = u < at->d[k] || u > at->d[k] ? -1.0 : 1.0;
    }
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *cause, double *x,
                 double *d)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    if (cause->is_initial && !has_other_inputs(m, at->u))
        return 0; /* the initialisation has made the initial event */
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    TRY(wr_binary_enter_events(m->fmu), "EnterEventMode");
    const int rc_set = set_inputs(self, 1);
    if (rc_set)
        return rc_set;
    for (int k = 0; k < m->of->n_discrete; k++)
        d[k] = at->u[m->of->discrete[k]];
    wr_binary_update update;
    const int rc_event = iterate_event(self, &update);
    if (rc_event)
        return rc_event;
    if (update.is_terminated) {
        self->message = "the FMU ends the run";
        return WRSIM_TERMINATE;
    }
    if (update.next_time_s <= at->t_s) {
        self->message = "the FMU asks for a time event that is not later than the present time";
        return -1;
    }
    memory->next_s = update.next_time_s;
    forget_point(m);
    if (update.has_new_states)
        TRY(wr_binary_get_states(m->fmu, x, m->of->state.n_value), "GetContinuousStates");
    return 0;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    (void)at;
    const me_memory *const memory = self->memory;
    return memory->next_s;
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    wr_binary_step step;
    TRY(wr_binary_step_completed(m->fmu, 0, &step), "CompletedIntegratorStep");
    if (step.is_terminated) {
        self->message = "the FMU ends the run at the end of a step";
        return -1;
    }
    return step.is_event ? WRSIM_ENTER_EVENT : 0;
}

static int keep(wrsim_instance *self, int slot)
{
    me_data *const m = self->data;
    TRY(wr_binary_keep(m->fmu, &m->slot[slot]), "GetFMUState");
    return 0;
}

static int go_back(wrsim_instance *self, int slot)
{
    me_data *const m = self->data;
    forget_point(m);
    TRY(wr_binary_go_back(m->fmu, m->slot[slot]), "SetFMUState");
    return 0;
}

static void forget(wrsim_instance *self, int slot)
{
    me_data *const m = self->data;
    if (m->slot[slot])
        (void)wr_binary_forget(m->fmu, &m->slot[slot]); /* the run ends, whatever the FMU says */
}

static size_t n_bytes_of(wrsim_instance *self)
{
    me_data *const m = self->data;
    size_t n_bytes = SIZE_MAX; /* a failure */
    if (keep(self, SLOT_BYTES) == 0 &&
        wr_binary_state_bytes(m->fmu, m->slot[SLOT_BYTES], &n_bytes) != WR_BINARY_OK)
        n_bytes = SIZE_MAX;
    forget(self, SLOT_BYTES);
    return n_bytes;
}

static int write_state(wrsim_instance *self, void *to, size_t n_bytes)
{
    me_data *const m = self->data;
    size_t n_now = 0;
    int rc = keep(self, SLOT_BYTES);
    if (rc == 0)
        rc = result_of(self, wr_binary_state_bytes(m->fmu, m->slot[SLOT_BYTES], &n_now),
                       "SerializedFMUStateSize");
    if (rc == 0 && n_now != n_bytes) {
        self->message = "the FMU changes the number of bytes of its state, so the state has no "
                        "place in a checkpoint";
        rc = -1;
    }
    if (rc == 0)
        rc = result_of(self, wr_binary_write_state(m->fmu, m->slot[SLOT_BYTES], to, n_bytes),
                       "SerializeFMUState");
    forget(self, SLOT_BYTES);
    return rc;
}

static int read_state(wrsim_instance *self, const void *from, size_t n_bytes)
{
    me_data *const m = self->data;
    int rc = result_of(self, wr_binary_read_state(m->fmu, from, n_bytes, &m->slot[SLOT_BYTES]),
                       "DeSerializeFMUState");
    if (rc == 0)
        rc = go_back(self, SLOT_BYTES);
    forget(self, SLOT_BYTES);
    return rc;
}

static void done(wrsim_instance *self)
{
    me_data *const m = self->data;
    (void)wr_binary_terminate(m->fmu); /* the run ends, whatever the FMU says */
    wr_binary_free(&m->fmu);
}

/* ---- description ---- */

/* Writes the name of element k of an array, such as "a[2,1]", and of a scalar. */
static void name_element(const wr_fmi_variable *v, int64_t k, char *ret, size_t n_bytes)
{
    size_t n = (size_t)snprintf(ret, n_bytes, "%s", v->name);
    int64_t rest = v->n_element;
    for (int i = 0; i < v->n_dimension && n < n_bytes; i++) {
        rest /= v->dimension[i].size; /* the last index changes first (FMI 3.0, section 2.2.6.1) */
        n += (size_t)snprintf(ret + n, n_bytes - n, "%s%" PRId64, i ? "," : "[", k / rest + 1);
        k %= rest;
    }
    if (v->n_dimension > 0 && n < n_bytes)
        snprintf(ret + n, n_bytes - n, "]");
}

/* Returns the variable of an element, whose name is in name. */
static wrsim_variable element_of(const wr_fmi_variable *v, int64_t k, char *name, size_t n_bytes)
{
    name_element(v, k, name, n_bytes);
    const double nominal = v->quantity.nominal;
    return (wrsim_variable){.name = name,
                            .unit = v->quantity.unit,
                            .description = v->description,
                            .start = start_of(v, k),
                            .nominal = nominal > 1.0 || nominal < 1.0 ? nominal : 0.0};
}

static int add_list(const wr_me_model *of, wrsim_description *to, wrsim_kind kind,
                    const value_list *list)
{
    for (int i = 0; i < list->n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[list->variable[i]];
        const int n = list->first[i + 1] - list->first[i];
        for (int k = 0; k < n; k++) {
            char name[MESSAGE_BYTES];
            wrsim_variable element = element_of(v, k, name, sizeof name);
            const int state = of->state_of[list->variable[i]];
            if (kind == WRSIM_OUTPUT && state >= 0) {
                element.flags = WRSIM_IS_STATE;
                element.index = state + k;
            }
            if (to->add(to, kind, &element))
                return -1;
        }
    }
    return 0;
}

/* Declares the dependencies of n_row values from row on, on variable j of the description. */
static int add_dependency(const wr_me_model *of, wrsim_description *to, wrsim_pattern of_states,
                          wrsim_pattern of_inputs, int row, int n_row, int j)
{
    const int is_state = of->state_of[j] >= 0;
    const int first = is_state ? of->state_of[j] : of->input_of[j];
    const int64_t n = first < 0 ? 0 : of->description->variable[j].n_element;
    for (int r = row; r < row + n_row; r++)
        for (int64_t k = 0; k < n; k++)
            if (to->depends(to, is_state ? of_states : of_inputs, r, first + (int)k))
                return -1;
    return 0;
}

/* Declares the patterns of a list of unknowns. list: the same unknowns in the same order. */
static int add_patterns(const wr_me_model *of, wrsim_description *to, wrsim_pattern of_states,
                        wrsim_pattern of_inputs, const wr_fmi_list *rows, const value_list *list)
{
    int is_known = 0;
    for (int i = 0; i < rows->n_row; i++)
        is_known |= rows->row[i].n_dependency >= 0;
    if (!is_known)
        return 0;
    if (to->depends(to, of_states, -1, -1) || to->depends(to, of_inputs, -1, -1))
        return -1;
    for (int k = 0; list == &of->indicator && k < of->n_discrete; k++)
        if (to->depends(to, of_inputs, list->n_value + k, of->discrete[k]))
            return -1;
    for (int i = 0; i < list->n_variable; i++) {
        const wr_fmi_unknown *const row = &rows->row[i];
        const int first = list->first[i], n = list->first[i + 1] - first;
        for (int k = 0; k < row->n_dependency; k++)
            if (add_dependency(of, to, of_states, of_inputs, first, n, row->dependency[k]))
                return -1;
        for (int j = 0; row->n_dependency < 0 && j < of->description->n_variable; j++)
            if (of->description->variable[j].alias_of < 0 &&
                add_dependency(of, to, of_states, of_inputs, first, n, j))
                return -1;
    }
    return 0;
}

/* Adds a discrete state and an indicator for each discrete input. The state is the value at the last event. A new value makes the indicator
 * negative, and so fires an event, in which the FMU gets the value. */
static int add_discrete_inputs(const wr_me_model *of, wrsim_description *to)
{
    for (int k = 0; k < of->n_discrete; k++) {
        char name[40];
        snprintf(name, sizeof name, "input_at_event[%d]", k + 1);
        if (to->add(to, WRSIM_DISCRETE,
                    &(wrsim_variable){.name = name,
                                      .description = "discrete input at the last event",
                                      .start = of->discrete_start[k]}))
            return -1;
        snprintf(name, sizeof name, "input_change[%d]", k + 1);
        if (to->add(to, WRSIM_INDICATOR,
                    &(wrsim_variable){.name = name,
                                      .description = "change of a discrete input",
                                      .flags = WRSIM_FALLING_ONLY}))
            return -1;
    }
    return 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const wr_me_model *const of = self->user;
    const wr_description *const d = of->description;
    to->data_bytes =
        sizeof(me_data) +
        (size_t)(2 * of->state.n_value + 2 * of->input.n_value + of->most_values) * sizeof(double);
    to->memory_bytes = sizeof(me_memory);
    if (add_list(of, to, WRSIM_STATE, &of->state) || add_list(of, to, WRSIM_INPUT, &of->input) ||
        add_list(of, to, WRSIM_OUTPUT, &of->output))
        return -1;
    for (int i = 0; i < d->n_indicator; i++) {
        char name[40];
        snprintf(name, sizeof name, "indicator[%d]", i + 1);
        if (to->add(to, WRSIM_INDICATOR,
                    &(wrsim_variable){.name = name, .description = "event indicator of the FMU"}))
            return -1;
    }
    if (add_discrete_inputs(of, to))
        return -1;
    /* FMI 2.0 declares no dependencies of event indicators. */
    if (d->list[WR_FMI_EVENT_INDICATORS].n_row > 0 &&
        add_patterns(of, to, WRSIM_X_Z, WRSIM_U_Z, &d->list[WR_FMI_EVENT_INDICATORS],
                     &of->indicator))
        return -1;
    return add_patterns(of, to, WRSIM_X_X, WRSIM_U_X, &d->list[WR_FMI_DERIVATIVES], &of->state) ||
                   add_patterns(of, to, WRSIM_X_Y, WRSIM_U_Y, &d->list[WR_FMI_OUTPUTS], &of->output)
               ? -1
               : 0;
}

/* ---- creating ---- */

static int is_number(const wr_fmi_variable *v)
{
    return v->type != WR_FMI_STRING && v->type != WR_FMI_BINARY && v->type != WR_FMI_CLOCK;
}

static int is_discrete(const wr_fmi_variable *v) { return v->variability != WR_FMI_CONTINUOUS; }

/* Adds variable i of the description. */
static void list_add(const wr_me_model *of, value_list *list, int i)
{
    list->variable[list->n_variable++] = i;
    list->n_value += (int)of->description->variable[i].n_element;
    list->first[list->n_variable] = list->n_value;
}

static int list_begin(wr_me_model *of, value_list *list, int most)
{
    list->variable = WR_NEW_ARRAY(of->arena, int, most);
    list->first = WR_NEW_ARRAY(of->arena, int, most + 1);
    return list->variable && list->first ? 0 : -1;
}

/* Makes the block of one type, without outputs that are states. Inputs have a block of continuous and a block of discrete variables. */
static int make_block(wr_me_model *of, value_list *list, wr_fmi_type type, int of_discrete)
{
    const wr_fmi_variable *const all = of->description->variable;
    const int is_output = list == &of->output;
    value_block b = {.type = type, .is_direct = 1, .is_discrete = of_discrete};
    b.number = WR_NEW_ARRAY(of->arena, uint32_t, list->n_variable);
    b.place = WR_NEW_ARRAY(of->arena, int, list->n_value);
    if (!b.number || !b.place)
        return -1;
    for (int i = 0; i < list->n_variable; i++) {
        const int variable = list->variable[i];
        if (all[variable].type != type ||
            (is_output ? of->state_of[variable] >= 0 : is_discrete(&all[variable]) != of_discrete))
            continue;
        b.number[b.n_number++] = all[variable].number;
        for (int k = list->first[i]; k < list->first[i + 1]; k++) {
            b.is_direct &= k == b.n_value;
            b.place[b.n_value++] = k;
        }
    }
    if (b.n_value > of->most_values)
        of->most_values = b.n_value;
    if (b.n_number > 0)
        list->block[list->n_block++] = b;
    return 0;
}

static int make_blocks(wr_me_model *of, value_list *list)
{
    const int n_kind = list == &of->input ? 2 : 1;
    list->block = WR_NEW_ARRAY(of->arena, value_block, WR_FMI_TYPE_COUNT * n_kind);
    int rc = list->block ? 0 : -1;
    for (int type = 0; type < WR_FMI_TYPE_COUNT; type++)
        for (int kind = 0; rc == 0 && kind < n_kind; kind++)
            rc = make_block(of, list, (wr_fmi_type)type, kind);
    return rc;
}

/* Index of the first variable with the same value. */
static int first_of(const wr_description *d, int i)
{
    return d->variable[i].alias_of >= 0 ? d->variable[i].alias_of : i;
}

/* Lists the variables. Returns 0, or -1 when out of memory. */
static int list_variables(wr_me_model *of)
{
    const wr_description *const d = of->description;
    value_list *const lists[] = {&of->state, &of->input, &of->output, &of->param, &of->indicator};
    for (size_t i = 0; i < WR_COUNT_OF(lists); i++)
        if (list_begin(of, lists[i], d->n_variable) < 0)
            return -1;
    of->state_of = WR_NEW_ARRAY(of->arena, int, d->n_variable);
    of->input_of = WR_NEW_ARRAY(of->arena, int, d->n_variable);
    if (!of->state_of || !of->input_of)
        return -1;
    for (int i = 0; i < d->n_variable; i++)
        of->state_of[i] = of->input_of[i] = -1;
    const wr_fmi_list *const derivatives = &d->list[WR_FMI_DERIVATIVES];
    for (int i = 0; i < derivatives->n_row; i++) {
        const int state = d->variable[derivatives->row[i].variable].derivative_of;
        of->state_of[first_of(d, state)] = of->state.n_value;
        list_add(of, &of->state, state);
    }
    for (int i = 0; i < d->n_variable; i++) {
        const wr_fmi_variable *const v = &d->variable[i];
        if (v->causality == WR_FMI_INPUT && is_number(v)) {
            of->input_of[first_of(d, i)] = of->input.n_value;
            list_add(of, &of->input, i);
        }
        if (v->causality == WR_FMI_PARAMETER && is_number(v) && v->variability != WR_FMI_CONSTANT)
            list_add(of, &of->param, i);
    }
    for (int i = 0; i < d->n_variable; i++) {
        of->state_of[i] = of->state_of[first_of(d, i)];
        of->input_of[i] = of->input_of[first_of(d, i)];
    }
    for (int i = 0; i < d->list[WR_FMI_OUTPUTS].n_row; i++)
        list_add(of, &of->output, d->list[WR_FMI_OUTPUTS].row[i].variable);
    for (int i = 0; i < d->list[WR_FMI_EVENT_INDICATORS].n_row; i++)
        list_add(of, &of->indicator, d->list[WR_FMI_EVENT_INDICATORS].row[i].variable);
    return 0;
}

/* Lists the values of discrete inputs. Returns 0, or -1 when out of memory. */
static int list_discrete_inputs(wr_me_model *of)
{
    of->discrete = WR_NEW_ARRAY(of->arena, int, of->input.n_value);
    of->discrete_start = WR_NEW_ARRAY(of->arena, double, of->input.n_value);
    if (!of->discrete || !of->discrete_start)
        return -1;
    for (int i = 0; i < of->input.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->input.variable[i]];
        for (int k = of->input.first[i]; is_discrete(v) && k < of->input.first[i + 1]; k++) {
            of->discrete_start[of->n_discrete] = start_of(v, k - of->input.first[i]);
            of->discrete[of->n_discrete++] = k;
        }
    }
    return 0;
}

/* Marks inputs on which outputs depend directly. */
static int mark_direct_inputs(wr_me_model *of)
{
    const wr_description *const d = of->description;
    of->is_direct = WR_NEW_ARRAY(of->arena, unsigned char, of->input.n_value);
    if (!of->is_direct)
        return -1;
    for (int i = 0; i < d->list[WR_FMI_OUTPUTS].n_row; i++) {
        const wr_fmi_unknown *const row = &d->list[WR_FMI_OUTPUTS].row[i];
        if (row->n_dependency < 0)
            memset(of->is_direct, 1, (size_t)of->input.n_value);
        for (int k = 0; k < row->n_dependency; k++) {
            const int j = row->dependency[k];
            if (of->input_of[j] >= 0)
                memset(of->is_direct + of->input_of[j], 1, (size_t)d->variable[j].n_element);
        }
    }
    return 0;
}

/* Copies a text to the arena. */
static const char *copy_text(wr_me_model *of, const char *text)
{
    char *const copy = WR_NEW_ARRAY(of->arena, char, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Gives a parameter the names of its enumeration if wrsim allows the names as choices. */
static int add_choices(wr_me_model *of, const wr_fmi_variable *v, wrsim_variable *p)
{
    enum { MOST_CHOICES = 999 /* of a parameter (descriptor.c) */ };
    const wr_fmi_declared_type *const type = &of->description->type[v->declared_type];
    if (type->n_item < 1 || type->n_item > MOST_CHOICES)
        return 0;
    const char **const choices = WR_NEW_ARRAY(of->arena, const char *, type->n_item + 1);
    int start = -1;
    if (!choices)
        return -1;
    for (int i = 0; i < type->n_item; i++) {
        choices[i] = type->item[i].name;
        if (!wr_model_is_name(choices[i], ".-"))
            return 0;
        if (type->item[i].value <= p->start && type->item[i].value >= p->start)
            start = i;
    }
    if (start < 0)
        return 0;
    *p = (wrsim_variable){
        .name = p->name, .description = p->description, .start = start, .choices = choices};
    return 0;
}

/* Describes the parameters. Returns 0, or -1 when out of memory. */
static int make_parameters(wr_me_model *of)
{
    of->param_variable = WR_NEW_ARRAY(of->arena, wrsim_variable, of->param.n_value);
    if (!of->param_variable)
        return -1;
    for (int i = 0; i < of->param.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->param.variable[i]];
        const int first = of->param.first[i], n = of->param.first[i + 1] - first;
        of->most_values = n > of->most_values ? n : of->most_values;
        for (int k = 0; k < n; k++) {
            char name[MESSAGE_BYTES];
            wrsim_variable *const p = &of->param_variable[first + k];
            *p = element_of(v, k, name, sizeof name);
            p->name = copy_text(of, name);
            if (!p->name || (v->type == WR_FMI_ENUMERATION && add_choices(of, v, p) < 0))
                return -1;
            if (p->choices)
                continue;
            if (v->type == WR_FMI_BOOLEAN) {
                p->flags = WRSIM_BOOLEAN;
                continue;
            }
            if (v->type != WR_FMI_FLOAT64 && v->type != WR_FMI_FLOAT32)
                p->flags = WRSIM_INTEGER;
            if ((isfinite(v->quantity.min) || isfinite(v->quantity.max)) &&
                p->start >= v->quantity.min && p->start <= v->quantity.max) {
                p->min = fmax(v->quantity.min, -DBL_MAX);
                p->max = fmin(v->quantity.max, DBL_MAX);
            }
        }
    }
    return 0;
}

/* Fills the descriptor. */
static void make_descriptor(wr_me_model *of)
{
    const wr_description *const d = of->description;
    const unsigned flags = of->flags;
    const int needs_steps = d->version == 2 ? !(flags & 1U << WR_FMI_STEP_COMPLETED_UNUSED)
                                            : (flags & 1U << WR_FMI_STEP_COMPLETED) != 0;
    const int has_state = (flags & 1U << WR_FMI_STATE) != 0;
    const int has_bytes = has_state && (flags & 1U << WR_FMI_SERIALISE) != 0;
    of->own_state = (wrsim_own_state){.struct_size = sizeof of->own_state,
                                      .keep = keep,
                                      .go_back = go_back,
                                      .forget = forget,
                                      .bytes = has_bytes ? n_bytes_of : NULL,
                                      .write = has_bytes ? write_state : NULL,
                                      .read = has_bytes ? read_state : NULL};
    of->model = (wrsim_model){
        .abi = WRSIM_MODEL_ABI,
        .struct_size = sizeof of->model,
        .name = d->interface[WR_FMI_ME].identifier,
        .description = d->description ? d->description : "FMU of model exchange",
        .caps = WRSIM_CAP_NO_PROBE | (flags & 1U << WR_FMI_ONCE ? WRSIM_CAP_ONE_INSTANCE : 0U) |
                (has_state ? 0U : WRSIM_CAP_CANNOT_RESTORE),
        .n_param = of->param.n_value,
        .params = of->param_variable,
        .describe = describe,
        .init = init,
        .rhs = of->state.n_value > 0 ? rhs : NULL,
        .output = of->output.n_block > 0 ? output : NULL,
        .indicator = d->n_indicator + of->n_discrete > 0 ? indicator : NULL,
        .event = event,
        .next_time = next_time,
        .step_completed = needs_steps ? step_completed : NULL,
        .done = done,
        .user = of,
        .init_from_inputs = of->input.n_value > 0 ? init_from_inputs : NULL,
        .own_state = has_state ? &of->own_state : NULL};
}

unsigned wr_me_model_uses(const wr_description *description)
{
    const unsigned flags = description->interface[WR_FMI_ME].flags;
    return WR_FMI_NEED_ME | (flags & 1U << WR_FMI_STATE ? WR_FMI_NEED_STATE : 0U) |
           (flags & 1U << WR_FMI_STATE && flags & 1U << WR_FMI_SERIALISE ? WR_FMI_NEED_SERIALISE
                                                                         : 0U);
}

wr_me_model *wr_me_model_create(const char *file, const wr_description *description,
                                wr_binary *binary, const wr_where *where, wr_diag *diag)
{
    static const size_t MOST_BYTES = (size_t)4 << 30;
    wr_me_model *of = calloc(1, sizeof *of);
    if (of) {
        of->description = description;
        of->binary = binary;
        of->flags = description->interface[WR_FMI_ME].flags;
        of->arena = wr_arena_create(MOST_BYTES);
    }
    if (!of || !of->arena || list_variables(of) < 0 || mark_direct_inputs(of) < 0 ||
        make_blocks(of, &of->input) < 0 || make_blocks(of, &of->output) < 0 ||
        make_parameters(of) < 0 || list_discrete_inputs(of) < 0) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory for the FMU '%s'", file);
        wr_me_model_destroy(&of);
        return NULL;
    }
    make_descriptor(of);
    return of;
}

void wr_me_model_destroy(wr_me_model **model)
{
    if (!model || !*model)
        return;
    wr_arena_destroy(&(*model)->arena);
    free(*model);
    *model = NULL;
}

const wrsim_model *wr_me_model_descriptor(const wr_me_model *model) { return &model->model; }
