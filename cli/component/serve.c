/* Serves the calls of one instance of a model. See serve.h. Thread: one owner. Real-time: no. */
#include "cli/component/serve.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fp_mode.h"
#include "subsystems/model_host/guard.h"

typedef struct server {
    const wr_served *of;
    wr_process_channel *channel;
    wr_process_arrays at;
    wrsim_instance instance;
    wrsim_point point;
    const double **port; /* [n_port] addresses of the input blocks */
    unsigned seen;       /* passage number of the last request */
    unsigned char *own;  /* bytes of an own state; NULL: not mapped */
    size_t own_bytes;
} server;

static void reply(server *s) { wr_gate_open(&s->channel->reply); }

static void wait_for_request(server *s)
{
    /* Processes of several components may share a CPU, and only one of them has a request at a time
     * (docs/lab/2026-11-29-component-process.md). */
    enum { TURN_NS = 1000 };
    wr_gate *const request = &s->channel->request;
    if (s->of->spin_ns == 0 || !wr_gate_yield(request, s->seen, TURN_NS, s->of->spin_ns))
        (void)wr_gate_wait(request, s->seen, 0);
    s->seen = wr_gate_seen(&s->channel->request);
}

/* ---- arguments ---- */

static void take_point(server *s)
{
    const uint32_t has = s->channel->has;
    s->point = (wrsim_point){.t_s = s->channel->t_s,
                             .x = has & WR_PROCESS_HAS_X ? s->at.x : NULL,
                             .d = has & WR_PROCESS_HAS_D ? s->at.d : NULL,
                             .u = has & WR_PROCESS_HAS_U ? s->at.u : NULL,
                             .w = has & WR_PROCESS_HAS_W ? s->at.w : NULL,
                             .mode = has & WR_PROCESS_HAS_MODE ? s->at.mode : NULL,
                             .port = has & WR_PROCESS_HAS_PORT ? s->port : NULL};
}

/* Asks wrsim for the inputs at a time of the step of advance(). */
static void ask_input(const wrsim_step *step, double t_s, double *ret_u, double *ret_slope)
{
    /* The union removes const, because wrsim_step has only a pointer to constant data. */
    union {
        const void *read;
        server *written;
    } const host = {step->host};
    server *const s = host.written;
    const size_t n_bytes = (size_t)s->of->sizes.n[WRSIM_INPUT] * sizeof(double);
    s->channel->asks = 1;
    s->channel->value = t_s;
    reply(s);
    wait_for_request(s);
    s->channel->asks = 0;
    if (n_bytes == 0)
        return;
    memcpy(ret_u, s->at.x_change, n_bytes);
    if (ret_slope)
        memcpy(ret_slope, s->at.u_change, n_bytes);
}

/* ---- calls ---- */

typedef int (*value_fn)(wrsim_instance *, const wrsim_point *, double *);

/* Returns a callback that computes values at a point, and the number of values; NULL: another callback. */
static value_fn value_callback(const server *s, wr_process_call call, int64_t *ret_n)
{
    const wrsim_model *const m = s->of->model;
    const wr_process_sizes *const sizes = &s->of->sizes;
    const int n_x = sizes->n[WRSIM_STATE];
    switch (call) {
    case WR_PROCESS_RHS:
        *ret_n = n_x;
        return m->rhs;
    case WR_PROCESS_OUTPUT:
        *ret_n = sizes->n[WRSIM_OUTPUT];
        return m->output;
    case WR_PROCESS_ALGEBRA:
        *ret_n = sizes->n_w;
        return m->algebra;
    case WR_PROCESS_INDICATOR:
        *ret_n = sizes->n[WRSIM_INDICATOR];
        return m->indicator;
    case WR_PROCESS_JACOBIAN:
        *ret_n = (int64_t)n_x * n_x;
        return m->jacobian;
    case WR_PROCESS_JACOBIAN_SPARSE:
        *ret_n = sizes->n_sparse;
        return m->jacobian_sparse;
    default:
        return NULL;
    }
}

static int call_tangent(server *s, int is_output)
{
    const wrsim_model *const m = s->of->model;
    const int n = s->of->sizes.n[is_output ? WRSIM_OUTPUT : WRSIM_STATE];
    wr_guard_set(s->at.result + n);
    const int rc = (is_output ? m->tangent_output : m->tangent)(
        &s->instance, &s->point, s->at.x_change, s->at.u_change, s->at.result);
    s->channel->is_beyond = !wr_guard_is_kept(s->at.result + n);
    return rc;
}

static int call_event(server *s)
{
    const uint32_t has = s->channel->has;
    const wrsim_event cause = {.fired = has & WR_PROCESS_HAS_FIRED ? s->at.fired : NULL,
                               .is_time_event = (has & WR_PROCESS_TIME_EVENT) != 0,
                               .is_initial = (has & WR_PROCESS_INITIAL) != 0};
    if (has & WR_PROCESS_SAME_X)
        s->point.x = s->at.new_x;
    if (has & WR_PROCESS_SAME_D)
        s->point.d = s->at.new_d;
    return s->of->model->event(&s->instance, &s->point, &cause, s->at.new_x, s->at.new_d);
}

static int call_advance(server *s)
{
    const int n = s->of->sizes.n[WRSIM_OUTPUT];
    double end_s = s->channel->end_s;
    const wrsim_step step = {.t_s = s->channel->t_s,
                             .end_s = s->channel->end_s,
                             .u = s->at.u,
                             .u_end = s->at.u_end,
                             .input = ask_input,
                             .host = s,
                             .ret_end_s = &end_s};
    wr_guard_set(s->at.result + n);
    const int rc = s->of->model->stepper->advance(&s->instance, &step, s->at.result);
    s->channel->value = end_s;
    s->channel->is_beyond = !wr_guard_is_kept(s->at.result + n);
    return rc;
}

/* Maps the bytes of an own state, which wrsim has appended to the file. Returns 0, or -1. */
static int map_own(server *s, size_t n_bytes)
{
    if (s->own || n_bytes == 0)
        return 0;
    void *const own = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->of->memory_fd,
                           (off_t)wr_process_own_offset(&s->at));
    if (own == MAP_FAILED)
        return -1;
    s->own = own;
    s->own_bytes = n_bytes;
    return 0;
}

static int call_own_state(server *s, wr_process_call call)
{
    const wrsim_own_state *const own = s->of->model->own_state;
    const int slot = (int)s->channel->number;
    const size_t n_bytes = (size_t)s->channel->number;
    switch (call) {
    case WR_PROCESS_KEEP:
        return own->keep(&s->instance, slot);
    case WR_PROCESS_GO_BACK:
        return own->go_back(&s->instance, slot);
    case WR_PROCESS_FORGET:
        own->forget(&s->instance, slot);
        return 0;
    case WR_PROCESS_BYTES:
        s->channel->n_bytes = own->bytes(&s->instance);
        return 0;
    case WR_PROCESS_WRITE:
        return map_own(s, n_bytes) ? -1 : own->write(&s->instance, s->own, n_bytes);
    case WR_PROCESS_READ:
        return map_own(s, n_bytes) ? -1 : own->read(&s->instance, s->own, n_bytes);
    default:
        return -1;
    }
}

static int call_model(server *s, wr_process_call call)
{
    const wrsim_model *const m = s->of->model;
    int64_t n;
    const value_fn value = value_callback(s, call, &n);
    if (value) {
        wr_guard_set(s->at.result + n);
        const int rc = value(&s->instance, &s->point, s->at.result);
        s->channel->is_beyond = !wr_guard_is_kept(s->at.result + n);
        return rc;
    }
    switch (call) {
    case WR_PROCESS_INIT:
        return m->init ? m->init(&s->instance, s->channel->t_s, s->at.new_x, s->at.new_d) : 0;
    case WR_PROCESS_INIT_FROM_INPUTS:
        return m->init_from_inputs(&s->instance, &s->point, s->at.new_x, s->at.new_d);
    case WR_PROCESS_EVENT:
        return call_event(s);
    case WR_PROCESS_NEXT_TIME:
        s->channel->value = m->next_time(&s->instance, &s->point);
        return 0;
    case WR_PROCESS_TANGENT:
        return call_tangent(s, 0);
    case WR_PROCESS_TANGENT_OUTPUT:
        return call_tangent(s, 1);
    case WR_PROCESS_STEP_COMPLETED:
        return m->step_completed(&s->instance, &s->point);
    case WR_PROCESS_DONE:
        if (s->channel->number && m->done)
            m->done(&s->instance);
        return 0;
    case WR_PROCESS_ADVANCE:
        return call_advance(s);
    case WR_PROCESS_STEPPER_EVENT:
        return m->stepper->event(&s->instance, &s->point);
    case WR_PROCESS_NOTHING:
        return 0;
    default:
        return call_own_state(s, call);
    }
}

/* Returns whether the callback may change the memory, the states or the data of the instance. */
static int is_changing(wr_process_call call)
{
    return call == WR_PROCESS_INIT || call == WR_PROCESS_INIT_FROM_INPUTS ||
           call == WR_PROCESS_EVENT || call == WR_PROCESS_STEP_COMPLETED ||
           call == WR_PROCESS_ADVANCE || call == WR_PROCESS_STEPPER_EVENT;
}

static int guards_are_kept(const server *s)
{
    const wr_process_sizes *const sizes = &s->of->sizes;
    const void *const data = wr_guard_behind(s->instance.data, s->of->data_bytes);
    return wr_guard_is_kept(s->at.new_x + sizes->n[WRSIM_STATE]) &&
           wr_guard_is_kept(s->at.new_d + sizes->n[WRSIM_DISCRETE]) &&
           wr_guard_is_kept(s->at.memory + sizes->memory_bytes) &&
           (!data || wr_guard_is_kept(data));
}

static void put_message(server *s)
{
    wr_process_channel *const channel = s->channel;
    channel->has_message = s->instance.message != NULL;
    if (!channel->has_message)
        return;
    const size_t n = strnlen(s->instance.message, WR_PROCESS_MESSAGE_BYTES - 1);
    memcpy(channel->message, s->instance.message, n);
    channel->message[n] = '\0';
    s->instance.message = NULL;
}

static void serve_calls(server *s)
{
    wr_process_channel *const channel = s->channel;
    wr_process_call call;
    do {
        wait_for_request(s);
        call = (wr_process_call)channel->call;
        if (wr_fp_mode_differs(channel->fp_mode)) {
            fesetenv(FE_DFL_ENV);
            wr_fp_mode_restore(channel->fp_mode);
        }
        take_point(s);
        channel->is_beyond = 0;
        channel->returned = call_model(s, call);
        if (is_changing(call))
            channel->is_beyond |= !guards_are_kept(s);
        put_message(s);
        reply(s);
    } while (call != WR_PROCESS_DONE);
}

/* ---- the instance ---- */

/* Sets the guards and the addresses of the input blocks. */
static void place(server *s)
{
    const wr_process_sizes *const sizes = &s->of->sizes;
    wr_guard_clear(s->instance.data, s->of->data_bytes);
    wr_guard_set(s->at.new_x + sizes->n[WRSIM_STATE]);
    wr_guard_set(s->at.new_d + sizes->n[WRSIM_DISCRETE]);
    wr_guard_set(s->at.memory + sizes->memory_bytes);
    const double *first = s->at.port;
    for (int k = 0; k < s->of->n_port; k++) {
        s->port[k] = first;
        first += s->of->port_length[k];
    }
    s->instance.param = s->at.param;
    s->instance.text = s->of->text;
    s->instance.memory = sizes->memory_bytes > 0 ? s->at.memory : NULL;
    s->instance.user = s->of->model->user;
}

int wr_serve(const wr_served *served, void (*answer)(void *context), void *context)
{
    server s = {.of = served, .at = wr_process_arrays_place(&served->sizes, NULL)};
    const size_t n_bytes = s.at.n_bytes, n_data = served->data_bytes + WR_GUARD_BYTES;
    void *const memory =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, served->memory_fd, 0);
    s.port = calloc((size_t)served->n_port + 1, sizeof *s.port);
    void *const data = served->data_bytes > 0 ? calloc(1, n_data) : NULL;
    const int is_short = memory == MAP_FAILED || !s.port || (served->data_bytes > 0 && !data);
    if (!is_short) {
        s.channel = memory;
        s.at = wr_process_arrays_place(&served->sizes, s.channel);
        s.instance.data = data;
        place(&s);
        answer(context);
        serve_calls(&s);
    }
    if (s.own)
        munmap(s.own, s.own_bytes);
    if (memory != MAP_FAILED)
        munmap(memory, n_bytes);
    free(data);
    free(s.port);
    return is_short ? -1 : 0;
}
