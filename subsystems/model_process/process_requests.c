/* Requests to the process of a component. See process_requests.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_process/process_requests.h"

#include <stdlib.h>
#include <string.h>

#include "subsystems/model_process/process_setup.h"

/* Sends a request, and receives the answer into *ret. Returns 0, or -1 with a message in the link. */
static int ask(wr_process_parts *p, wr_text_buffer *request, wr_message_reader *ret,
               const char *doing)
{
    wr_message_done(ret);
    const int is_answered = !p->link.is_dead && p->link.socket >= 0 &&
                            wr_message_send(p->link.socket, request) == 0 &&
                            wr_message_receive(p->link.socket, ret) == 0;
    wr_text_buffer_done(request);
    if (!is_answered)
        wr_process_link_note_end(&p->link, doing);
    return is_answered ? 0 : -1;
}

const char *wr_process_requests_explain(wr_process_parts *p, const char *name)
{
    wr_text_buffer request = {0};
    wr_message_put_int(&request, WR_PROCESS_EXPLAIN);
    wr_message_put_text(&request, name);
    return ask(p, &request, &p->explained, "a question") < 0 ? NULL
                                                             : wr_message_get_text(&p->explained);
}

/* Begins a request with the number of the model, and its parameters. */
static void put_instance(wr_text_buffer *request, wr_process_request what,
                         const wr_process_model *m, const wrsim_instance *self)
{
    wr_message_put_int(request, (int)what);
    wr_message_put_int(request, m->number);
    wr_message_put(request, self->param, (size_t)m->model.n_param * sizeof *self->param);
    for (int i = 0; i < m->model.n_param; i++)
        wr_message_put_whole_text(request, self->text[i]);
}

/* Repeats the declarations of the process. Returns 0, or -1 after a refused declaration. */
static int repeat_declarations(wr_message_reader *from, wrsim_description *to)
{
    int number[3];
    double value;
    int status = 0;
    for (;;) {
        const wr_process_declaration kind = (wr_process_declaration)wr_message_get_int(from);
        if (from->is_short)
            return -1;
        switch (kind) {
        case WR_DECLARED_VARIABLE: {
            wrsim_variable variable;
            const char **choices = NULL;
            const wrsim_kind of = (wrsim_kind)wr_message_get_int(from);
            const int is_there = wr_message_get_int(from);
            if (is_there)
                wr_message_get_variable(from, &variable, &choices);
            status |= to->add(to, of, is_there ? &variable : NULL);
            free(choices);
            break;
        }
        case WR_DECLARED_ENTRY:
            wr_message_get(from, number, sizeof number);
            status |= to->depends(to, (wrsim_pattern)number[0], number[1], number[2]);
            break;
        case WR_DECLARED_MASS:
            wr_message_get(from, number, 2 * sizeof(int));
            wr_message_get(from, &value, sizeof value);
            status |= to->mass(to, number[0], number[1], value);
            break;
        case WR_DECLARED_PORT:
            wr_message_get(from, number, 2 * sizeof(int));
            status |= to->port(to, number[0], number[1]);
            break;
        case WR_DECLARED_END:
            to->n_w = wr_message_get_int(from);
            wr_message_get(from, &to->memory_bytes, sizeof to->memory_bytes);
            size_t data_bytes; /* the data of the instance are in the process */
            wr_message_get(from, &data_bytes, sizeof data_bytes);
            wr_message_get(from, &to->time_scale_s, sizeof to->time_scale_s);
            return status || from->is_short ? -1 : 0;
        }
    }
}

int wr_process_requests_describe(const wr_process_model *m, wrsim_instance *self,
                                 wrsim_description *to)
{
    wr_process_parts *const p = m->process;
    wr_text_buffer request = {0};
    put_instance(&request, WR_PROCESS_DESCRIBE, m, self);
    if (ask(p, &request, &p->described, "describe") < 0) {
        self->message = p->link.message;
        return -1;
    }
    const int rc = wr_message_get_int(&p->described);
    self->message = wr_message_get_text(&p->described);
    const int repeated = repeat_declarations(&p->described, to);
    return rc ? rc : repeated;
}

/* ---- the sizes ---- */

static int compare_numbers(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

/* Returns the number of different entries; -1 when out of memory. */
static int count_different(const wr_incidence *entries)
{
    int64_t *const place = calloc((size_t)entries->n + 1, sizeof *place);
    int n = 0;
    if (!place)
        return -1;
    for (int i = 0; i < entries->n; i++)
        place[i] = ((int64_t)entries->column[i] << 32) + entries->row[i];
    qsort(place, (size_t)entries->n, sizeof *place, compare_numbers);
    for (int i = 0; i < entries->n; i++)
        n += i == 0 || place[i] != place[i - 1];
    free(place);
    return n;
}

void wr_process_requests_take_sizes(wr_process_parts *p, const wr_component *component)
{
    wr_process_sizes *const sizes = &p->sizes;
    memset(sizes, 0, sizeof *sizes); /* the bytes of the struct go to the process */
    memcpy(sizes->n, component->n, sizeof sizes->n);
    sizes->n_w = component->n_w;
    sizes->n_port = component->n_port;
    sizes->n_sparse =
        component->model->jacobian_sparse ? count_different(&component->pattern[WRSIM_X_X]) : 0;
    sizes->has_jacobian = component->model->jacobian != NULL;
    sizes->memory_bytes = component->memory_bytes;
    free(p->port_length);
    p->port_length = calloc((size_t)component->n_port + 1, sizeof *p->port_length);
    for (int k = 0; p->port_length && k < component->n_port; k++) {
        p->port_length[k] = component->port[k].n;
        sizes->n_port_value += component->port[k].n;
    }
    p->has_tunable = 0;
    for (int i = 0; i < component->model->n_param; i++)
        p->has_tunable |= (component->model->params[i].flags & WRSIM_TUNABLE) != 0;
}

/* ---- the instance ---- */

int wr_process_requests_serve(const wr_process_model *m, wrsim_instance *self)
{
    wr_process_parts *const p = m->process;
    wr_process_link *const link = &p->link;
    wr_process_link_leave(link); /* init() of the last start has failed */
    self->message = link->message;
    link->counts = (wr_process_counts){.n_call = 0};
    if (link->is_dead)
        return -1;
    if (!p->port_length || p->sizes.n_sparse < 0 || wr_process_link_map(link, &p->sizes) < 0) {
        self->message = "out of memory for the shared memory of its process";
        return -1;
    }
    wr_text_buffer request = {0};
    put_instance(&request, WR_PROCESS_SERVE, m, self);
    wr_message_put(&request, &p->sizes, sizeof p->sizes);
    wr_message_put(&request, &link->waits.process_spin_ns, sizeof link->waits.process_spin_ns);
    wr_message_reader answer = {0};
    int rc = ask(p, &request, &answer, "init");
    if (rc == 0 && wr_message_get_int(&answer) != 0) {
        const char *const text = wr_message_get_text(&answer);
        strncpy(p->message, text ? text : "", sizeof p->message - 1);
        self->message = p->message;
        rc = -1;
    } else if (rc == 0)
        rc = wr_process_link_measure(link);
    wr_message_done(&answer);
    if (rc < 0)
        wr_process_link_unmap(link);
    else
        self->message = NULL;
    return rc;
}

void wr_process_parts_done(wr_process_parts *process)
{
    wr_process_link_end(&process->link);
    wr_message_done(&process->described);
    wr_message_done(&process->explained);
    free(process->port_length);
}
