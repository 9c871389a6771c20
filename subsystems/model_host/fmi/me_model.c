/* Calls FMUs of model exchange as models. See me_model.h.
 *
 * An instance stays in initialisation mode until its initial event, because the event iteration at the start reads inputs. Then the
 * instance stays in continuous-time mode between callbacks. A callback first passes a new time, new states and new inputs to the FMU. With
 * a new time the callback passes all states.
 *
 * Thread: as me_model.h. Real-time: callbacks as the FMU allows.
 */
#include "subsystems/model_host/fmi/me_model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/model_host/fmi/fmi_instance.h"
#include "subsystems/model_host/fmi/fmi_variables.h"

struct wr_me_model {
    wrsim_model model;
    wrsim_own_state own_state;
    wr_fmi_variables variables;
    wr_binary *binary;
    unsigned char *is_direct; /* [values of input] 1: an output depends directly on the input */
    const wr_fmi_block *
        real_inputs; /* block of the continuous inputs if all are FLOAT64 and precede all other inputs; else NULL */
    int n_discrete;         /* values of discrete inputs */
    int *discrete;          /* [n_discrete] their indices among the inputs */
    double *discrete_start; /* [n_discrete] their start values */
    int has_dependencies;   /* 1: some unknowns declare their dependencies */
};

/* Data of an instance. The arrays follow the struct. */
typedef struct me_data {
    wr_fmi_instance common; /* first member */
    const wr_me_model *of;
    double t_s, *x, *u;    /* values that the FMU has; t_s NaN: unknown */
    double *z;             /* [n_indicator] scratch memory */
    int has_x, has_u;      /* 0: x or u is unknown */
    int is_started;        /* 0: the FMU is in initialisation mode, with the states x */
    int is_late;           /* 1: the FMU has event indicators after initialisation mode only */
    wr_binary_point point; /* for wr_binary_set_point(); its pointers and n_u never change */
} me_data;

/* Memory of an instance, which wrsim saves and restores. */
typedef struct me_memory {
    double next_s;   /* next time event */
    int is_ended;    /* 1: the FMU has ended the run at the end of a step */
    int is_over;     /* 1: the FMU has ended the run by an event, and stays at the event's point */
    int64_t n_event; /* events change the memory, so wrsim detects that outputs may jump */
    int i_unseen; /* an indicator with a sign that wrsim has not seen, see note_unseen(); -1: none */
    int is_positive; /* its sign after the last event */
    double unseen_s; /* time of the last event */
} me_memory;

/* ---- calls of the FMU ---- */

#define TRY(call, doing) WR_FMI_TRY(self, call, doing)

/* Marks the time, states and inputs of the FMU as unknown. */
static void forget_point(me_data *m)
{
    m->t_s = (double)NAN;
    m->has_x = m->has_u = 0;
}

/* Sets the continuous or the discrete inputs. */
static int set_inputs(wrsim_instance *self, int is_discrete)
{
    me_data *const m = self->data;
    for (int b = 0; b < m->of->variables.input.n_block; b++) {
        const wr_fmi_block *const block = &m->of->variables.input.block[b];
        const int rc =
            block->is_discrete == is_discrete ? wr_fmi_instance_set(self, block, m->u) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

/* Leaves initialisation mode with the present inputs, and iterates the first event. */
static int leave_initialisation(wrsim_instance *self, double t_s, wr_binary_update *ret)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    TRY(wr_binary_exit_initialisation(m->common.fmu), "ExitInitializationMode");
    m->is_started = m->common.is_initialised = 1;
    forget_point(m);
    const int rc = wr_fmi_instance_iterate_event(self, t_s, ret);
    if (rc)
        return rc;
    if (ret->is_terminated) {
        self->message = "the FMU ends the run at its start; change its parameters or start values";
        return -1;
    }
    memory->next_s = ret->next_time_s;
    return 0;
}

/* Copies the inputs u to m->u. only: as for set_point(). Returns whether the FMU needs a new value. */
static int take_inputs(const me_data *m, const double *u, const unsigned char *only)
{
    const int n = m->of->variables.input.n_value;
    int is_changed = !m->has_u;
    if (!only) {
        const size_t n_bytes = (size_t)n * sizeof *u;
        is_changed = n > 0 && (is_changed || memcmp(m->u, u, n_bytes) != 0);
        if (is_changed)
            memcpy(m->u, u, n_bytes);
        return is_changed;
    }
    for (int i = 0; i < n; i++)
        if (only[i] && memcmp(&m->u[i], &u[i], sizeof u[i]) != 0) {
            m->u[i] = u[i];
            is_changed = 1;
        }
    return is_changed;
}

/* Sets the point. only: the inputs whose values are known; NULL: all inputs. The other inputs keep their last values. */
static int set_point(wrsim_instance *self, const wrsim_point *at, const unsigned char *only)
{
    me_data *const m = self->data;
    const me_memory *const memory = self->memory;
    const wr_me_model *const of = m->of;
    /* Other subsystems may read outputs up to the end of a window that the run cuts at the event. */
    if (memory->is_over)
        return 0;
    const size_t n_x_bytes = (size_t)of->variables.state.n_value * sizeof *m->x;
    if (!m->is_started && (at->t_s < m->t_s || at->t_s > m->t_s ||
                           (n_x_bytes > 0 && memcmp(m->x, at->x, n_x_bytes) != 0))) {
        self->message =
            "the run sets states of the FMU before the initial event, which FMI does not allow; "
            "let each [[scenario]] begin after simulation.start, and put components with a mass "
            "matrix into another [[subsystem]]";
        return -1;
    }
    wr_binary_point *const point = &m->point;
    point->has_time = !(m->t_s <= at->t_s && m->t_s >= at->t_s);
    point->t_s = at->t_s;
    point->n_x = 0;
    /* At a new time states rarely stay the same, so a comparison costs more than it saves. */
    if (n_x_bytes > 0 && (point->has_time || !m->has_x || memcmp(m->x, at->x, n_x_bytes) != 0)) {
        memcpy(m->x, at->x, n_x_bytes);
        point->n_x = of->variables.state.n_value;
    }
    const int is_new_u = take_inputs(m, at->u, only);
    point->n_number = is_new_u && of->real_inputs ? of->real_inputs->n_number : 0;
    if (point->has_time || point->n_x > 0 || point->n_number > 0) {
        const char *failed;
        const wr_binary_status status = wr_binary_set_point(m->common.fmu, point, &failed);
        if (status != WR_BINARY_OK) {
            forget_point(m);
            return wr_fmi_instance_result(self, status, failed);
        }
    }
    m->t_s = at->t_s;
    m->has_x = 1;
    int rc = is_new_u && !of->real_inputs ? set_inputs(self, 0) : 0;
    if (rc == 0 && is_new_u && !m->is_started)
        rc = set_inputs(self, 1);
    m->has_u = rc == 0;
    return rc;
}

/* ---- callbacks ---- */

/* Sets start values of states that differ from the description. */
static int set_start_values(wrsim_instance *self, const double *x)
{
    me_data *const m = self->data;
    const wr_me_model *const of = m->of;
    for (int i = 0; i < of->variables.state.n_variable; i++) {
        const wr_fmi_variable *const v =
            &of->variables.description->variable[of->variables.state.variable[i]];
        const int first = of->variables.state.first[i],
                  n = of->variables.state.first[i + 1] - first;
        int is_changed = 0;
        for (int k = 0; k < n; k++) {
            const double start = wr_fmi_variables_start(v, k);
            is_changed |= x[first + k] < start || x[first + k] > start;
        }
        if (!is_changed)
            continue;
        TRY(wr_binary_set(m->common.fmu, v->type, &v->number, 1, x + first, n),
            "the setting of a start value");
    }
    return 0;
}

static int begin_run(wrsim_instance *self, double t_s, double *x)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    int rc = set_start_values(self, x);
    if (rc == 0)
        rc = wr_fmi_instance_enter(self, t_s);
    if (rc)
        return rc;
    memory->next_s = (double)INFINITY;
    memory->i_unseen = -1;
    if (m->of->variables.state.n_value > 0)
        TRY(wr_binary_get_states(m->common.fmu, x, m->of->variables.state.n_value),
            "GetContinuousStates");
    return 0;
}

static int create(wrsim_instance *self, double t_s, double *x)
{
    me_data *const m = self->data;
    const wr_me_model *const of = m->of;
    const int rc = wr_fmi_instance_create(self, &of->variables, of->binary, of->model.name,
                                          m->z + of->variables.description->n_indicator);
    return rc ? rc : begin_run(self, t_s, x);
}

/* Gets the event indicators in initialisation mode. FMI allows this call, but FMUs of Dymola 2022x to 2025x fail and then take no further
 * call. A new instance replaces such an instance. x: start values; m->x: start values before create(). */
static int try_indicators(wrsim_instance *self, double t_s, double *x)
{
    me_data *const m = self->data;
    const int n = m->of->variables.description->n_indicator;
    double *const z = calloc((size_t)n + 1, sizeof *z);
    if (!z)
        return -1;
    const wr_binary_status status =
        n > 0 ? wr_binary_get_indicators(m->common.fmu, z, n) : WR_BINARY_OK;
    free(z);
    if (status == WR_BINARY_OK)
        return 0;
    if (status == WR_BINARY_FATAL)
        return wr_fmi_instance_result(self, status, "GetEventIndicators");
    wr_fmi_instance_destroy(self);
    m->is_late = 1;
    if (m->of->variables.state.n_value > 0)
        memcpy(x, m->x, (size_t)m->of->variables.state.n_value * sizeof *x);
    return create(self, t_s, x);
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)d;
    const wr_me_model *const of = self->user;
    const wr_fmi_variables *const v = &of->variables;
    me_data *const m = self->data;
    *m = (me_data){.of = of};
    m->x = (double *)(m + 1);
    m->u = m->x + v->state.n_value;
    m->z = m->u + v->input.n_value;
    m->point = (wr_binary_point){.x = m->x, .u = m->u};
    if (of->real_inputs) {
        m->point.number = of->real_inputs->number;
        m->point.n_u = of->real_inputs->n_value;
    }
    for (int i = 0; i < v->input.n_variable; i++)
        for (int k = v->input.first[i]; k < v->input.first[i + 1]; k++)
            m->u[k] = wr_fmi_variables_start(&v->description->variable[v->input.variable[i]],
                                             k - v->input.first[i]);
    if (v->state.n_value > 0)
        memcpy(m->x, x, (size_t)v->state.n_value * sizeof *x);
    int rc = create(self, t_s, x);
    if (rc == 0)
        rc = try_indicators(self, t_s, x);
    m->t_s = t_s;
    m->has_x = 1;
    if (v->state.n_value > 0)
        memcpy(m->x, x, (size_t)v->state.n_value * sizeof *x);
    if (rc)
        wr_fmi_instance_destroy(self);
    return rc;
}

/* Passes the inputs to the FMU in initialisation mode, and reads the states that the FMU computes from the inputs. d gets the discrete
 * inputs. */
static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc || m->is_started)
        return rc;
    const int n = m->of->variables.state.n_value;
    if (n > 0) {
        TRY(wr_binary_get_states(m->common.fmu, x, n), "GetContinuousStates");
        memcpy(m->x, x, (size_t)n * sizeof *x);
    }
    for (int k = 0; k < m->of->n_discrete; k++)
        d[k] = at->u[m->of->discrete[k]];
    return 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    TRY(wr_binary_get_derivatives(m->common.fmu, ret_dx, m->of->variables.state.n_value),
        "GetDerivatives");
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const me_data *const m = self->data;
    int rc = set_point(self, at, m->of->is_direct);
    for (int b = 0; rc == 0 && b < m->of->variables.output.n_block; b++)
        rc = wr_fmi_instance_get(self, &m->of->variables.output.block[b], ret_y);
    return rc;
}

/* Gives the value of an indicator a sign. A value with the other sign becomes the smallest number. */
static void show_sign(double *z, int is_positive)
{
    if ((*z > 0.0) != is_positive)
        *z = is_positive ? DBL_MIN : -DBL_MIN;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    me_data *const m = self->data;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    const int n = m->of->variables.description->n_indicator;
    /* Positive values stand for unknown ones. After the initial event wrsim compares the signs again. */
    const int is_unknown = m->is_late && !m->is_started;
    for (int i = 0; i < n && is_unknown; i++)
        ret_z[i] = 1.0;
    if (n > 0 && !is_unknown)
        TRY(wr_binary_get_indicators(m->common.fmu, ret_z, n), "GetEventIndicators");
    const me_memory *const memory = self->memory;
    if (memory->i_unseen >= 0 && at->t_s <= memory->unseen_s)
        show_sign(&ret_z[memory->i_unseen], memory->is_positive);
    for (int k = 0; k < m->of->n_discrete; k++) {
        const double u = at->u[m->of->discrete[k]], sign = at->d[m->of->n_discrete + k];
        /* The size of a change shows whether the change is an error of the waveform at the start of a window (wr_ode_drop_carried()). */
        ret_z[n + k] =
            u < at->d[k] || u > at->d[k] ? -sign * fmax(fabs(u - at->d[k]), DBL_MIN) : sign;
    }
    return 0;
}

/* Change of an input or state in check_dependencies(), and largest change of an unknown that counts as none (assumed). Both are relative
 * to the larger of value and nominal value. Smaller changes may come from a solver inside the FMU. */
static const double KNOWN_CHANGE = 1e-4, UNKNOWN_CHANGE = 1e-8;

static double size_of(double value, const wr_fmi_variable *v)
{
    const double nominal = fabs(v->quantity.nominal);
    return fmax(fabs(value), nominal > 0.0 ? nominal : 1.0);
}

/* Gets the values of all outputs that are no states, and then of all derivatives. */
static int get_unknowns(wrsim_instance *self, double *ret)
{
    me_data *const m = self->data;
    const wr_fmi_variables *const v = &m->of->variables;
    for (int b = 0; b < v->output.n_block; b++) {
        const int rc = wr_fmi_instance_get(self, &v->output.block[b], ret);
        if (rc)
            return rc;
    }
    if (v->state.n_value > 0)
        TRY(wr_binary_get_derivatives(m->common.fmu, ret + v->output.n_value, v->state.n_value),
            "GetDerivatives");
    return 0;
}

/* Returns whether a row declares a dependency on the value of a variable. */
static int is_declared(const wr_description *d, const wr_fmi_unknown *row, int variable)
{
    const wr_fmi_variable *const all = d->variable;
    const int first = all[variable].alias_of >= 0 ? all[variable].alias_of : variable;
    int is = row->n_dependency < 0;
    for (int k = 0; k < row->n_dependency && !is; k++) {
        const int j = row->dependency[k];
        is = j == first || all[j].alias_of == first;
    }
    return is;
}

/* Requires that the change of a value of the variable `known` changes only unknowns that declare a dependency on the variable. list: the
 * unknowns that are numbers. */
static int compare_unknowns(wrsim_instance *self, const wr_fmi_list *rows,
                            const wr_fmi_values *list, int known, const double *before,
                            const double *after)
{
    me_data *const m = self->data;
    const wr_description *const d = m->of->variables.description;
    for (int i = 0; i < list->n_variable; i++) {
        const wr_fmi_unknown *const row = &rows->row[list->row[i]];
        const wr_fmi_variable *const v = &d->variable[row->variable];
        const int is_free = is_declared(d, row, known);
        for (int k = list->first[i]; k < list->first[i + 1] && !is_free; k++) {
            if (!(fabs(after[k] - before[k]) > UNKNOWN_CHANGE * size_of(before[k], v)))
                continue;
            snprintf(m->common.message, sizeof m->common.message,
                     "'%.150s' depends on '%.150s', but the FMU's ModelStructure lacks this "
                     "dependency; correct modelDescription.xml",
                     v->name, d->variable[known].name);
            self->message = m->common.message;
            return -1;
        }
    }
    return 0;
}

/* Sets the continuous inputs, or the states. */
static int set_known(wrsim_instance *self, int is_state)
{
    const me_data *const m = self->data;
    if (!is_state)
        return set_inputs(self, 0);
    TRY(wr_binary_set_states(m->common.fmu, m->x, m->of->variables.state.n_value),
        "SetContinuousStates");
    return 0;
}

/* Changes value k of the inputs or states, which belongs to the variable `known`, and compares the unknowns with the declared dependencies.
 * before: the unknowns; the changed unknowns follow in the same array. */
static int change_known(wrsim_instance *self, int is_state, int known, int k, double *before)
{
    me_data *const m = self->data;
    const wr_fmi_variables *const v = &m->of->variables;
    const wr_fmi_list *const lists = v->description->list;
    const int n_y = v->output.n_value;
    double *const after = before + n_y + v->state.n_value, *const all = is_state ? m->x : m->u;
    const double value = all[k];
    all[k] += KNOWN_CHANGE * size_of(value, &v->description->variable[known]);
    int rc = set_known(self, is_state);
    rc = rc ? rc : get_unknowns(self, after);
    all[k] = value;
    if (rc == 0)
        rc = compare_unknowns(self, &lists[WR_FMI_OUTPUTS], &v->output, known, before, after);
    if (rc == 0)
        rc = compare_unknowns(self, &lists[WR_FMI_DERIVATIVES], &v->state, known, before + n_y,
                              after + n_y);
    return rc < 0 ? rc : set_known(self, is_state); /* rc > 0: no value at the changed point */
}

/* Changes one continuous input or state after the other at the start, and compares the unknowns with the declared dependencies. wrsim
 * evaluates unknowns while inputs without a dependency have old values, so a missing dependency leads to wrong results. Dependencies that
 * appear later are not found. */
static int check_dependencies(wrsim_instance *self)
{
    me_data *const m = self->data;
    const wr_fmi_variables *const v = &m->of->variables;
    double *const before =
        calloc(2 * (size_t)(v->output.n_value + v->state.n_value) + 1, sizeof *before);
    int rc = before ? 0 : -1;
    if (rc == 0 && v->state.n_value > 0)
        rc = wr_fmi_instance_result(self,
                                    wr_binary_get_states(m->common.fmu, m->x, v->state.n_value),
                                    "GetContinuousStates");
    rc = rc ? rc : get_unknowns(self, before);
    for (int is_state = 0; is_state < 2; is_state++) {
        const wr_fmi_values *const list = is_state ? &v->state : &v->input;
        for (int i = 0; i < list->n_variable; i++)
            for (int k = list->first[i]; k < list->first[i + 1] && rc == 0; k++)
                if (is_state ||
                    v->description->variable[list->variable[i]].variability == WR_FMI_CONTINUOUS)
                    rc = change_known(self, is_state, list->variable[i], k, before);
    }
    m->has_u = m->has_x = 0;
    free(before);
    return rc > 0 ? 0 : rc; /* no value at the start: nothing to compare */
}

/* Passes an event to the FMU. */
static int fire_event(wrsim_instance *self, double t_s, int is_time_event, wr_binary_update *ret)
{
    me_data *const m = self->data;
    const me_memory *const memory = self->memory;
    if (!m->is_started) {
        const int rc = leave_initialisation(self, t_s, ret);
        return rc || !m->of->has_dependencies ? rc : check_dependencies(self);
    }
    if (is_time_event && m->t_s < memory->next_s && wr_time_is_due(m->t_s, memory->next_s)) {
        /* wrsim's time is below the event's time by rounding. FMI 3.0 allows SetTime in continuous-time mode only. */
        m->t_s = memory->next_s;
        TRY(wr_binary_set_time(m->common.fmu, m->t_s), "SetTime");
    }
    TRY(wr_binary_enter_events(m->common.fmu), "EnterEventMode");
    const int rc = set_inputs(self, 1);
    if (rc)
        return rc;
    return wr_fmi_instance_iterate_event(self, t_s, ret);
}

/* Notes the first indicator whose sign the event has changed without an event of the indicator, such as by a new value of a discrete input,
 * which the FMU gets in event mode only. A continuous input may change the sign back at the same instant, and wrsim would see no change. So
 * indicator() shows the sign until the next event, or a later time. Any event lets the FMU check all its conditions. */
static int note_unseen(wrsim_instance *self, const wrsim_point *at, const wrsim_event *cause)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    const int n = m->of->variables.description->n_indicator;
    memory->i_unseen = -1;
    if (m->of->n_discrete == 0 || n == 0 || cause->is_initial)
        return 0;
    TRY(wr_binary_get_indicators(m->common.fmu, m->z, n), "GetEventIndicators");
    for (int i = 0; i < n && memory->i_unseen < 0; i++)
        if ((m->z[i] > 0.0) != at->mode[i] && !cause->fired[i])
            memory->i_unseen = i;
    if (memory->i_unseen >= 0)
        memory->is_positive = m->z[memory->i_unseen] > 0.0;
    memory->unseen_s = at->t_s;
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *cause, double *x,
                 double *d)
{
    me_data *const m = self->data;
    me_memory *const memory = self->memory;
    const int was_started = m->is_started;
    if (memory->is_ended || memory->is_over) {
        self->message =
            memory->is_over ? "the FMU ends the run" : "the FMU ends the run at the end of a step";
        return WRSIM_TERMINATE;
    }
    int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    wr_binary_update update;
    rc = fire_event(self, at->t_s, cause->is_time_event, &update);
    if (rc == 0 && (update.has_new_states || !was_started) && m->of->variables.state.n_value > 0)
        rc = wr_fmi_instance_result(
            self, wr_binary_get_states(m->common.fmu, x, m->of->variables.state.n_value),
            "GetContinuousStates");
    if (rc)
        return -1; /* a smaller step leads to the same event */
    for (int k = 0; k < m->of->n_discrete; k++) {
        d[k] = at->u[m->of->discrete[k]];
        d[m->of->n_discrete + k] =
            at->mode[m->of->variables.description->n_indicator + k] ? 1.0 : -1.0;
    }
    memory->n_event++;
    memory->next_s = update.next_time_s;
    m->has_x = 0;
    if (update.is_terminated) {
        memory->is_over = 1;
        self->message = "the FMU ends the run";
        return WRSIM_TERMINATE;
    }
    return note_unseen(self, at, cause);
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
    me_memory *const memory = self->memory;
    if (memory->is_over)
        return 0;
    const int rc = set_point(self, at, NULL);
    if (rc)
        return rc;
    wr_binary_step step;
    TRY(wr_binary_step_completed(m->common.fmu, 0, &step), "CompletedIntegratorStep");
    memory->is_ended |= step.is_terminated; /* the event ends the run */
    return step.is_event || step.is_terminated ? WRSIM_ENTER_EVENT : 0;
}

static int keep(wrsim_instance *self, int slot)
{
    /* The first window begins after the initial event. So a kept state is never in initialisation mode, and is_started stays valid. */
    WR_ASSERT(((const me_data *)self->data)->is_started);
    return wr_fmi_instance_keep(self, slot);
}

static int go_back(wrsim_instance *self, int slot)
{
    forget_point(self->data);
    return wr_fmi_instance_go_back(self, slot);
}

static int read_state(wrsim_instance *self, const void *from, size_t n_bytes)
{
    me_data *const m = self->data;
    forget_point(m);
    m->is_started = 1; /* states are written after the start only */
    return wr_fmi_instance_read(self, from, n_bytes);
}

/* ---- description ---- */

/* Declares the dependencies of n_row values from row on, on variable j of the description. */
static int add_dependency(const wr_me_model *of, wrsim_description *to, wrsim_pattern of_states,
                          wrsim_pattern of_inputs, int row, int n_row, int j)
{
    const int is_state = of->variables.state_of[j] >= 0;
    const int first = is_state ? of->variables.state_of[j] : of->variables.input_of[j];
    const int64_t n = first < 0 ? 0 : of->variables.description->variable[j].n_element;
    for (int r = row; r < row + n_row; r++)
        for (int64_t k = 0; k < n; k++)
            if (to->depends(to, is_state ? of_states : of_inputs, r, first + (int)k))
                return -1;
    return 0;
}

/* Declares the patterns of a list of unknowns. list: the unknowns that are numbers. */
static int add_patterns(const wr_me_model *of, wrsim_description *to, wrsim_pattern of_states,
                        wrsim_pattern of_inputs, const wr_fmi_list *rows, const wr_fmi_values *list)
{
    int is_known = 0;
    for (int i = 0; i < rows->n_row; i++)
        is_known |= rows->row[i].n_dependency >= 0;
    if (!is_known)
        return 0;
    if (to->depends(to, of_states, -1, -1) || to->depends(to, of_inputs, -1, -1))
        return -1;
    for (int k = 0; list == &of->variables.indicator && k < of->n_discrete; k++)
        if (to->depends(to, of_inputs, list->n_value + k, of->discrete[k]))
            return -1;
    for (int i = 0; i < list->n_variable; i++) {
        const wr_fmi_unknown *const row = &rows->row[list->row[i]];
        const int first = list->first[i], n = list->first[i + 1] - first;
        for (int k = 0; k < row->n_dependency; k++)
            if (add_dependency(of, to, of_states, of_inputs, first, n, row->dependency[k]))
                return -1;
        for (int j = 0; row->n_dependency < 0 && j < of->variables.description->n_variable; j++)
            if (of->variables.description->variable[j].alias_of < 0 &&
                add_dependency(of, to, of_states, of_inputs, first, n, j))
                return -1;
    }
    return 0;
}

/* Adds an indicator and two discrete states for each discrete input. The first state is the value at the last event. The second state is
 * the sign of the indicator as long as the input has this value. Another value changes the sign, and so fires an event, in which the FMU
 * gets the value. The event sets the second state to the present mode, so a further value at the same instant fires again. */
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
                    &(wrsim_variable){.name = name, .description = "change of a discrete input"}))
            return -1;
    }
    for (int k = 0; k < of->n_discrete; k++) {
        char name[40];
        snprintf(name, sizeof name, "input_sign[%d]", k + 1);
        if (to->add(to, WRSIM_DISCRETE,
                    &(wrsim_variable){.name = name,
                                      .description =
                                          "sign of input_change while the input keeps its value",
                                      .start = 1.0}))
            return -1;
    }
    return 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const wr_me_model *const of = self->user;
    const wr_description *const d = of->variables.description;
    to->data_bytes = sizeof(me_data) +
                     (size_t)(of->variables.state.n_value + of->variables.input.n_value +
                              of->variables.description->n_indicator + of->variables.most_values) *
                         sizeof(double);
    to->memory_bytes = sizeof(me_memory);
    if (wr_fmi_variables_declare(&of->variables, to, WRSIM_STATE, &of->variables.state) ||
        wr_fmi_variables_declare(&of->variables, to, WRSIM_INPUT, &of->variables.input) ||
        wr_fmi_variables_declare(&of->variables, to, WRSIM_OUTPUT, &of->variables.output))
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
                     &of->variables.indicator))
        return -1;
    return add_patterns(of, to, WRSIM_X_X, WRSIM_U_X, &d->list[WR_FMI_DERIVATIVES],
                        &of->variables.state) ||
                   add_patterns(of, to, WRSIM_X_Y, WRSIM_U_Y, &d->list[WR_FMI_OUTPUTS],
                                &of->variables.output)
               ? -1
               : 0;
}

/* ---- creating ---- */

/* Lists the values of discrete inputs. Returns 0, or -1 when out of memory. */
static int list_discrete_inputs(wr_me_model *of)
{
    of->discrete = WR_NEW_ARRAY(of->variables.arena, int, of->variables.input.n_value);
    of->discrete_start = WR_NEW_ARRAY(of->variables.arena, double, of->variables.input.n_value);
    if (!of->discrete || !of->discrete_start)
        return -1;
    for (int i = 0; i < of->variables.input.n_variable; i++) {
        const wr_fmi_variable *const v =
            &of->variables.description->variable[of->variables.input.variable[i]];
        for (int k = of->variables.input.first[i];
             v->variability != WR_FMI_CONTINUOUS && k < of->variables.input.first[i + 1]; k++) {
            of->discrete_start[of->n_discrete] =
                wr_fmi_variables_start(v, k - of->variables.input.first[i]);
            of->discrete[of->n_discrete++] = k;
        }
    }
    return 0;
}

/* Finds real_inputs. */
static const wr_fmi_block *find_real_inputs(const wr_fmi_values *input)
{
    const wr_fmi_block *found = NULL;
    for (int b = 0; b < input->n_block; b++)
        if (!input->block[b].is_discrete) {
            if (found || input->block[b].type != WR_FMI_FLOAT64 || !input->block[b].is_direct)
                return NULL;
            found = &input->block[b];
        }
    return found;
}

/* Marks inputs on which outputs depend directly, and finds whether the FMU declares dependencies. */
static int mark_direct_inputs(wr_me_model *of)
{
    const wr_description *const d = of->variables.description;
    of->is_direct = WR_NEW_ARRAY(of->variables.arena, unsigned char, of->variables.input.n_value);
    if (!of->is_direct)
        return -1;
    for (int i = 0; i < d->list[WR_FMI_DERIVATIVES].n_row; i++)
        of->has_dependencies |= d->list[WR_FMI_DERIVATIVES].row[i].n_dependency >= 0;
    for (int i = 0; i < d->list[WR_FMI_OUTPUTS].n_row; i++) {
        const wr_fmi_unknown *const row = &d->list[WR_FMI_OUTPUTS].row[i];
        of->has_dependencies |= row->n_dependency >= 0;
        if (row->n_dependency < 0)
            memset(of->is_direct, 1, (size_t)of->variables.input.n_value);
        for (int k = 0; k < row->n_dependency; k++) {
            const int j = row->dependency[k];
            if (of->variables.input_of[j] >= 0)
                memset(of->is_direct + of->variables.input_of[j], 1,
                       (size_t)d->variable[j].n_element);
        }
    }
    return 0;
}

/* Fills the descriptor. */
static void make_descriptor(wr_me_model *of)
{
    const wr_description *const d = of->variables.description;
    const unsigned flags = d->interface[WR_FMI_ME].flags;
    const int needs_steps = d->version == 2 ? !(flags & 1U << WR_FMI_STEP_COMPLETED_UNUSED)
                                            : (flags & 1U << WR_FMI_STEP_COMPLETED) != 0;
    const int has_state = (flags & 1U << WR_FMI_STATE) != 0;
    of->own_state = wr_fmi_instance_own_state(flags);
    of->own_state.keep = keep;
    of->own_state.go_back = go_back;
    if (of->own_state.read)
        of->own_state.read = read_state;
    of->model = (wrsim_model){
        .abi = WRSIM_MODEL_ABI,
        .struct_size = sizeof of->model,
        .name = d->interface[WR_FMI_ME].identifier,
        .description = d->description ? d->description : "FMU of model exchange",
        .caps = WRSIM_CAP_NO_PROBE | WRSIM_CAP_OWN_MODES |
                (flags & 1U << WR_FMI_ONCE ? WRSIM_CAP_ONE_INSTANCE : 0U) |
                (has_state ? 0U : WRSIM_CAP_CANNOT_RESTORE),
        .n_param = of->variables.param.n_value,
        .params = of->variables.param.n_value > 0 ? of->variables.param_variable : NULL,
        .describe = describe,
        .init = init,
        .rhs = of->variables.state.n_value > 0 ? rhs : NULL,
        .output = of->variables.output.n_block > 0 ? output : NULL,
        .indicator = d->n_indicator + of->n_discrete > 0 ? indicator : NULL,
        .event = event,
        .next_time = next_time,
        .step_completed = needs_steps ? step_completed : NULL,
        .done = wr_fmi_instance_destroy,
        .user = of,
        .init_from_inputs = of->variables.input.n_value > 0 ? init_from_inputs : NULL,
        .own_state = has_state ? &of->own_state : NULL};
}

wr_me_model *wr_me_model_create(const wr_description *description, wr_binary *binary)
{
    wr_me_model *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    of->binary = binary;
    if (wr_fmi_variables_create(&of->variables, description, WR_FMI_ME) < 0 ||
        mark_direct_inputs(of) < 0 || list_discrete_inputs(of) < 0) {
        wr_me_model_destroy(&of);
        return NULL;
    }
    of->real_inputs = find_real_inputs(&of->variables.input);
    make_descriptor(of);
    return of;
}

void wr_me_model_destroy(wr_me_model **model)
{
    if (!model || !*model)
        return;
    wr_fmi_variables_clear(&(*model)->variables);
    free(*model);
    *model = NULL;
}

const wrsim_model *wr_me_model_descriptor(const wr_me_model *model) { return &model->model; }
