/* An instance of an FMU behind an instance of a model. See fmi_instance.h. Thread: as fmi_instance.h. Real-time: as the FMU allows. */
#include "subsystems/model_host/fmi/fmi_instance.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
    SLOT_BYTES = WRSIM_SLOTS, /* slot for the bytes of a checkpoint */
    /* most iterations of an event (assumed): more iterations mean an endless event */
    MAX_EVENT_ITERATIONS = 1000
};

#define TRY(call, doing) WR_FMI_TRY(self, call, doing)

unsigned wr_fmi_instance_uses(const wr_fmi_interface *interface, wr_fmi_kind kind)
{
    const unsigned flags = interface->flags;
    const int has_state = (flags & 1U << WR_FMI_STATE) != 0;
    return (kind == WR_FMI_ME ? WR_FMI_NEED_ME : WR_FMI_NEED_CS) |
           (has_state ? WR_FMI_NEED_STATE : 0U) |
           (has_state && flags & 1U << WR_FMI_SERIALISE ? WR_FMI_NEED_SERIALISE : 0U) |
           (kind == WR_FMI_CS && flags & 1U << WR_FMI_INTERPOLATES ? WR_FMI_NEED_INPUT_DERIVATIVES
                                                                   : 0U) |
           (kind == WR_FMI_CS && flags & 1U << WR_FMI_EVENT_MODE ? WR_FMI_NEED_EVENT_MODE : 0U);
}

int wr_fmi_instance_result(wrsim_instance *self, wr_binary_status status, const char *doing)
{
    if (status == WR_BINARY_OK)
        return 0;
    wr_fmi_instance *const m = self->data;
    char log[WR_BINARY_LOG_BYTES];
    wr_binary_log(m->fmu, log);
    if (!m->is_fatal)
        snprintf(m->message, sizeof m->message,
                 "the FMU fails in %s: %s; check its parameters and inputs, or ask its maker",
                 doing, log[0] ? log : "the FMU logs no reason");
    m->is_fatal |= status == WR_BINARY_FATAL;
    self->message = m->message;
    return status == WR_BINARY_DISCARD ? 1 : -1;
}

/* Sets parameters that differ from the description. */
static int set_parameters(wrsim_instance *self)
{
    wr_fmi_instance *const m = self->data;
    const wr_fmi_variables *const of = m->variables;
    for (int i = 0; i < of->param.n_variable; i++) {
        const wr_fmi_variable *const v = &of->description->variable[of->param.variable[i]];
        const int first = of->param.first[i], n = of->param.first[i + 1] - first;
        const wr_fmi_declared_type *const type =
            v->type == WR_FMI_ENUMERATION ? &of->description->type[v->declared_type] : NULL;
        int is_changed = 0;
        for (int k = 0; k < n; k++) {
            const wrsim_variable *const p = &of->param_variable[first + k];
            const double value = self->param[first + k];
            is_changed |= value < p->start || value > p->start;
            m->value[k] = p->choices ? type->item[(int)value].value : value;
        }
        if (is_changed)
            TRY(wr_binary_set(m->fmu, v->type, &v->number, 1, m->value, n),
                "the setting of a parameter");
    }
    return 0;
}

int wr_fmi_instance_create(wrsim_instance *self, const wr_fmi_variables *variables,
                           wr_binary *binary, const char *name, double *value)
{
    wr_fmi_instance *const m = self->data;
    /* The names of instances differ (FMI 3.0, section 2.3.1). Relaxed, because the numbers only have to differ. */
    static _Atomic unsigned n_made;
    char unique[WR_FMI_MESSAGE_BYTES];
    wrsim_error err = {0};
    *m = (wr_fmi_instance){.variables = variables, .value = value};
    snprintf(unique, sizeof unique, "%s.%u", name,
             1 + atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed));
    m->fmu = wr_binary_instantiate(binary, unique, &err);
    if (!m->fmu) {
        snprintf(m->message, sizeof m->message, "%s", err.text);
        self->message = m->message;
        return -1;
    }
    return set_parameters(self);
}

int wr_fmi_instance_enter(wrsim_instance *self, double t_s)
{
    const wr_fmi_instance *const m = self->data;
    const wr_binary_experiment experiment = {
        .start_s = t_s, .stop_s = (double)NAN, .tolerance = (double)NAN};
    TRY(wr_binary_enter_initialisation(m->fmu, &experiment), "EnterInitializationMode");
    return 0;
}

/* Checks that values are whole numbers, as inputs of all types other than Float64 and Float32 need. A Boolean needs 0 or 1. */
static int check_whole(wrsim_instance *self, const wr_fmi_block *b, const double *value)
{
    wr_fmi_instance *const m = self->data;
    const wr_fmi_values *const input = &m->variables->input;
    for (int i = 0; i < b->n_value; i++) {
        if (b->type == WR_FMI_BOOLEAN ? value[i] == 0.0 || value[i] == 1.0
                                      : value[i] == rint(value[i]))
            continue;
        int k = 0;
        while (input->first[k + 1] <= b->place[i])
            k++;
        snprintf(m->message, sizeof m->message,
                 "input '%.200s' takes %s, but has the value %.9g; connect a discrete output",
                 m->variables->description->variable[input->variable[k]].name,
                 b->type == WR_FMI_BOOLEAN ? "0 and 1" : "whole numbers", value[i]);
        self->message = m->message;
        return -1;
    }
    return 0;
}

int wr_fmi_instance_set(wrsim_instance *self, const wr_fmi_block *b, const double *all)
{
    wr_fmi_instance *const m = self->data;
    const double *value = all;
    if (!b->is_direct) {
        for (int i = 0; i < b->n_value; i++)
            m->value[i] = all[b->place[i]];
        value = m->value;
    }
    const int is_real = b->type == WR_FMI_FLOAT64 || b->type == WR_FMI_FLOAT32;
    const int rc = is_real ? 0 : check_whole(self, b, value);
    if (rc)
        return rc;
    TRY(wr_binary_set(m->fmu, b->type, b->number, b->n_number, value, b->n_value),
        "the setting of inputs");
    return 0;
}

int wr_fmi_instance_get(wrsim_instance *self, const wr_fmi_block *b, double *all)
{
    wr_fmi_instance *const m = self->data;
    double *const value = b->is_direct ? all : m->value;
    TRY(wr_binary_get(m->fmu, b->type, b->number, b->n_number, value, b->n_value),
        "the reading of outputs");
    for (int i = 0; i < b->n_value && !b->is_direct; i++)
        all[b->place[i]] = value[i];
    return 0;
}

int wr_fmi_instance_iterate_event(wrsim_instance *self, double t_s, wr_binary_update *ret)
{
    wr_fmi_instance *const m = self->data;
    *ret = (wr_binary_update){.is_iteration_needed = 1, .next_time_s = (double)INFINITY};
    int has_new_states = 0, n = 0;
    for (; ret->is_iteration_needed && !ret->is_terminated && n < MAX_EVENT_ITERATIONS; n++) {
        TRY(wr_binary_update_discrete(m->fmu, ret), "the update of its discrete states");
        has_new_states |= ret->has_new_states;
    }
    ret->has_new_states = has_new_states;
    if (ret->is_terminated) {
        ret->next_time_s = (double)INFINITY;
        return 0;
    }
    self->message = NULL;
    if (ret->is_iteration_needed)
        self->message =
            "the FMU needs too many iterations of one event; correct the model of the FMU";
    else if (ret->next_time_s <= t_s)
        self->message =
            "the FMU asks for a time event that is not later than the present time; correct "
            "the model of the FMU";
    if (self->message)
        return -1;
    TRY(wr_binary_leave_events(m->fmu), "the exit from event mode");
    return 0;
}

int wr_fmi_instance_keep(wrsim_instance *self, int slot)
{
    wr_fmi_instance *const m = self->data;
    TRY(wr_binary_keep(m->fmu, &m->slot[slot]), "GetFMUState");
    return 0;
}

int wr_fmi_instance_go_back(wrsim_instance *self, int slot)
{
    wr_fmi_instance *const m = self->data;
    TRY(wr_binary_go_back(m->fmu, m->slot[slot]), "SetFMUState");
    return 0;
}

void wr_fmi_instance_forget(wrsim_instance *self, int slot)
{
    wr_fmi_instance *const m = self->data;
    if (m->slot[slot])
        (void)wr_binary_forget(m->fmu, &m->slot[slot]); /* the run ends, whatever the FMU says */
}

size_t wr_fmi_instance_bytes(wrsim_instance *self)
{
    wr_fmi_instance *const m = self->data;
    size_t n_bytes = SIZE_MAX; /* a failure */
    if (wr_fmi_instance_keep(self, SLOT_BYTES) == 0 &&
        wr_fmi_instance_result(self, wr_binary_state_bytes(m->fmu, m->slot[SLOT_BYTES], &n_bytes),
                               "SerializedFMUStateSize") != 0)
        n_bytes = SIZE_MAX;
    wr_fmi_instance_forget(self, SLOT_BYTES);
    return n_bytes;
}

int wr_fmi_instance_write(wrsim_instance *self, void *to, size_t n_bytes)
{
    wr_fmi_instance *const m = self->data;
    size_t n_now = 0;
    int rc = wr_fmi_instance_keep(self, SLOT_BYTES);
    if (rc == 0)
        rc =
            wr_fmi_instance_result(self, wr_binary_state_bytes(m->fmu, m->slot[SLOT_BYTES], &n_now),
                                   "SerializedFMUStateSize");
    if (rc == 0 && n_now != n_bytes) {
        self->message =
            "the FMU changes the number of bytes of its state, which a checkpoint does not "
            "allow; run without checkpoints and snapshots";
        rc = -1;
    }
    if (rc == 0)
        rc = wr_fmi_instance_result(self,
                                    wr_binary_write_state(m->fmu, m->slot[SLOT_BYTES], to, n_bytes),
                                    "SerializeFMUState");
    wr_fmi_instance_forget(self, SLOT_BYTES);
    return rc;
}

int wr_fmi_instance_read(wrsim_instance *self, const void *from, size_t n_bytes)
{
    wr_fmi_instance *const m = self->data;
    int rc = wr_fmi_instance_result(
        self, wr_binary_read_state(m->fmu, from, n_bytes, &m->slot[SLOT_BYTES]),
        "DeSerializeFMUState");
    if (rc == 0)
        rc = wr_fmi_instance_go_back(self, SLOT_BYTES);
    wr_fmi_instance_forget(self, SLOT_BYTES);
    return rc;
}

void wr_fmi_instance_destroy(wrsim_instance *self)
{
    wr_fmi_instance *const m = self->data;
    if (m->fmu && m->is_initialised)
        (void)wr_binary_terminate(m->fmu); /* the run ends, whatever the FMU says */
    wr_binary_free(&m->fmu);
}

wrsim_own_state wr_fmi_instance_own_state(unsigned flags)
{
    const int has_bytes = (flags & 1U << WR_FMI_SERIALISE) != 0;
    return (wrsim_own_state){.struct_size = sizeof(wrsim_own_state),
                             .keep = wr_fmi_instance_keep,
                             .go_back = wr_fmi_instance_go_back,
                             .forget = wr_fmi_instance_forget,
                             .bytes = has_bytes ? wr_fmi_instance_bytes : NULL,
                             .write = has_bytes ? wr_fmi_instance_write : NULL,
                             .read = has_bytes ? wr_fmi_instance_read : NULL};
}
