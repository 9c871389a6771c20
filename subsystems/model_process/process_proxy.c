/* Callbacks that forward each call to the process of a component. See process_proxy.h. Thread: as models. Real-time: a call waits for
 * another process; otherwise copies of arrays only. */
#include "subsystems/model_process/process_proxy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fp_mode.h"
#include "subsystems/model_host/own_state.h"

static const wr_process_model *model_of(const wrsim_instance *self) { return self->user; }

static wr_process_parts *process_of(const wrsim_instance *self) { return model_of(self)->process; }

static void copy(void *to, const void *from, size_t n_bytes)
{
    if (n_bytes > 0)
        memcpy(to, from, n_bytes);
}

/* Copies values that rarely change into shared memory. Unchanged cache lines then stay in the caches of both processes. For values that
 * change at each call the comparison costs more than it saves. */
static void copy_change(void *to, const void *from, size_t n_bytes)
{
    if (n_bytes > 0 && memcmp(to, from, n_bytes) != 0)
        memcpy(to, from, n_bytes);
}

static void copy_values(double *to, const double *from, int64_t n)
{
    copy(to, from, (size_t)n * sizeof *to);
}

/* ---- a call ---- */

/* Sets the message of a call that has failed. */
static int fail(wrsim_instance *self, const char *message)
{
    self->message = message;
    return -1;
}

/* Makes a call, whose arguments are in place. Returns the value of the callback, or -1 with a message. */
static int send_call(wrsim_instance *self, wr_process_call what)
{
    wr_process_link *const link = &process_of(self)->link;
    link->channel->call = (int32_t)what;
    link->channel->fp_mode = wr_fp_mode_get();
    if (wr_process_link_call(link, what) < 0)
        return fail(self, link->message);
    return link->channel->returned;
}

/* Sets the message of a call without service. */
static int fail_unserved(wrsim_instance *self)
{
    const wr_process_link *const link = &process_of(self)->link;
    return fail(self, link->is_dead ? link->message
                                    : "the process of its model has no instance; "
                                      "report this error of wrsim");
}

/* Makes a call, whose other arguments are in place. The parameters and the memory of the instance travel with the call. */
static int call(wrsim_instance *self, wr_process_call what)
{
    wr_process_parts *const p = process_of(self);
    const wr_process_arrays *const at = &p->link.at;
    if (p->has_tunable || what == WR_PROCESS_INIT)
        copy_change(at->param, self->param,
                    (size_t)p->sizes.n[WRSIM_PARAMETER] * sizeof *at->param);
    copy_change(at->memory, self->memory, p->sizes.memory_bytes);
    p->link.counts.n_call++;
    return send_call(self, what);
}

/* Ends a call: takes the message and reports writes beyond an array. rc: the value of call(). */
static int finish(wrsim_instance *self, wr_process_call what, int rc)
{
    wr_process_parts *const p = process_of(self);
    wr_process_link *const link = &p->link;
    if (link->is_dead || !link->channel)
        return -1;
    copy(self->memory, link->at.memory, p->sizes.memory_bytes);
    if (link->channel->has_message) {
        memcpy(p->message, link->channel->message, sizeof p->message);
        p->message[sizeof p->message - 1] = '\0';
        self->message = p->message;
    }
    if (!link->channel->is_beyond)
        return rc;
    snprintf(link->message, sizeof link->message,
             "%s() of its model writes beyond an array, instance->memory or instance->data; raise "
             "the sizes in describe()",
             wr_process_call_name(what));
    return fail(self, link->message);
}

static int call_and_finish(wrsim_instance *self, wr_process_call what)
{
    return finish(self, what, call(self, what));
}

/* ---- points ---- */

static uint32_t put_values(double *to, const double *from, int n, uint32_t has)
{
    if (!from)
        return 0;
    copy_values(to, from, n);
    return has;
}

/* Places the point of a call. Returns 0, or -1 without an instance. */
static int put_point(const wrsim_instance *self, const wrsim_point *at)
{
    const wr_process_parts *const p = process_of(self);
    const wr_process_arrays *const to = &p->link.at;
    const int *const n = p->sizes.n;
    if (!p->link.channel)
        return -1;
    uint32_t has = put_values(to->x, at->x, n[WRSIM_STATE], WR_PROCESS_HAS_X) |
                   put_values(to->u, at->u, n[WRSIM_INPUT], WR_PROCESS_HAS_U) |
                   put_values(to->w, at->w, p->sizes.n_w, WR_PROCESS_HAS_W);
    if (at->d) {
        copy_change(to->d, at->d, (size_t)n[WRSIM_DISCRETE] * sizeof *to->d);
        has |= WR_PROCESS_HAS_D;
    }
    if (at->mode) {
        copy_change(to->mode, at->mode, (size_t)n[WRSIM_INDICATOR]);
        has |= WR_PROCESS_HAS_MODE;
    }
    double *block = to->port;
    for (int k = 0; at->port && k < p->sizes.n_port; k++) {
        copy_values(block, at->port[k], p->port_length[k]);
        block += p->port_length[k];
        has |= WR_PROCESS_HAS_PORT;
    }
    p->link.channel->has = has;
    p->link.channel->t_s = at->t_s;
    return 0;
}

/* Calls a callback that computes n values. Values that the callback does not write keep their bits. */
static int call_for_values(wrsim_instance *self, wr_process_call what, const wrsim_point *at,
                           double *ret_value, int64_t n)
{
    const wr_process_parts *const p = process_of(self);
    if (put_point(self, at) < 0)
        return fail_unserved(self);
    copy_values(p->link.at.result, ret_value, n);
    const int rc = call_and_finish(self, what);
    if (!p->link.is_dead)
        copy_values(ret_value, p->link.at.result, n);
    return rc;
}

/* ---- callbacks ---- */

static int describe(wrsim_instance *self, wrsim_description *to)
{
    return wr_process_requests_describe(model_of(self), self, to);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    return call_for_values(self, WR_PROCESS_RHS, at, ret_dx,
                           process_of(self)->sizes.n[WRSIM_STATE]);
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return call_for_values(self, WR_PROCESS_OUTPUT, at, ret_y,
                           process_of(self)->sizes.n[WRSIM_OUTPUT]);
}

static int algebra(wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    return call_for_values(self, WR_PROCESS_ALGEBRA, at, ret_w, process_of(self)->sizes.n_w);
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    return call_for_values(self, WR_PROCESS_INDICATOR, at, ret_z,
                           process_of(self)->sizes.n[WRSIM_INDICATOR]);
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    const int64_t n = process_of(self)->sizes.n[WRSIM_STATE];
    return call_for_values(self, WR_PROCESS_JACOBIAN, at, ret_jac, n * n);
}

static int jacobian_sparse(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    return call_for_values(self, WR_PROCESS_JACOBIAN_SPARSE, at, ret_value,
                           process_of(self)->sizes.n_sparse);
}

/* Places the changes of a directional derivative. */
static void put_changes(const wrsim_instance *self, const double *x_change, const double *u_change)
{
    const wr_process_parts *const p = process_of(self);
    if (!p->link.channel)
        return;
    copy_values(p->link.at.x_change, x_change, p->sizes.n[WRSIM_STATE]);
    copy_values(p->link.at.u_change, u_change, p->sizes.n[WRSIM_INPUT]);
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    put_changes(self, x_change, u_change);
    return call_for_values(self, WR_PROCESS_TANGENT, at, ret_dx,
                           process_of(self)->sizes.n[WRSIM_STATE]);
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    put_changes(self, x_change, u_change);
    return call_for_values(self, WR_PROCESS_TANGENT_OUTPUT, at, ret_dy,
                           process_of(self)->sizes.n[WRSIM_OUTPUT]);
}

/* Calls a callback that changes states. */
static int call_for_states(wrsim_instance *self, wr_process_call what, double *x, double *d)
{
    const wr_process_parts *const p = process_of(self);
    const int n_x = p->sizes.n[WRSIM_STATE], n_d = p->sizes.n[WRSIM_DISCRETE];
    copy_values(p->link.at.new_x, x, n_x);
    copy_values(p->link.at.new_d, d, n_d);
    const int rc = call_and_finish(self, what);
    if (p->link.is_dead)
        return rc;
    copy_values(x, p->link.at.new_x, n_x);
    copy_values(d, p->link.at.new_d, n_d);
    return rc;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    wr_process_parts *const p = process_of(self);
    const int rc = wr_process_requests_serve(model_of(self), self);
    if (rc)
        return rc;
    p->link.channel->t_s = t_s;
    p->link.channel->has = 0;
    const int failed = call_for_states(self, WR_PROCESS_INIT, x, d);
    p->n_open = failed ? 0 : p->n_open + 1;
    if (failed) /* so that calls of an earlier instance fail */
        wr_process_link_leave(&p->link);
    return failed;
}

static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    if (put_point(self, at) < 0)
        return fail_unserved(self);
    return call_for_states(self, WR_PROCESS_INIT_FROM_INPUTS, x, d);
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *cause, double *x,
                 double *d)
{
    const wr_process_parts *const p = process_of(self);
    if (put_point(self, at) < 0)
        return fail_unserved(self);
    uint32_t has = (cause->is_time_event ? WR_PROCESS_TIME_EVENT : 0) |
                   (cause->is_initial ? WR_PROCESS_INITIAL : 0) |
                   (at->x == x ? WR_PROCESS_SAME_X : 0) | (at->d == d ? WR_PROCESS_SAME_D : 0);
    if (cause->fired) {
        copy(p->link.at.fired, cause->fired, (size_t)p->sizes.n[WRSIM_INDICATOR]);
        has |= WR_PROCESS_HAS_FIRED;
    }
    p->link.channel->has |= has;
    return call_for_states(self, WR_PROCESS_EVENT, x, d);
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const wr_process_parts *const p = process_of(self);
    if (put_point(self, at) < 0) {
        (void)fail_unserved(self);
        return (double)NAN;
    }
    return call_and_finish(self, WR_PROCESS_NEXT_TIME) ? (double)NAN : p->link.channel->value;
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    return put_point(self, at) < 0 ? fail_unserved(self)
                                   : call_and_finish(self, WR_PROCESS_STEP_COMPLETED);
}

/* Ends the instance in the process, unless a study and the run both have an instance. */
static void done(wrsim_instance *self)
{
    wr_process_parts *const p = process_of(self);
    wr_process_link *const link = &p->link;
    p->n_open -= p->n_open > 0;
    if (!link->channel || p->n_open > 0)
        return;
    link->channel->number = 1;
    (void)call(self, WR_PROCESS_DONE);
    self->message = NULL;
    wr_process_link_unmap(link);
}

/* ---- steppers ---- */

/* Answers questions of the model for inputs, until advance() returns. rc: the value of call(). */
static int answer_questions(wrsim_instance *self, const wrsim_step *step, int rc)
{
    wr_process_parts *const p = process_of(self);
    const wr_process_channel *const channel = p->link.channel;
    while (!p->link.is_dead && channel->asks) {
        step->input(step, channel->value, p->link.at.x_change, p->link.at.u_change);
        rc = wr_process_link_go_on(&p->link, WR_PROCESS_ADVANCE) < 0
                 ? fail(self, p->link.message)
                 : channel->returned; /* the memory of the instance stays */
    }
    return rc;
}

static int advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    wr_process_parts *const p = process_of(self);
    const wr_process_arrays *const at = &p->link.at;
    const int n_u = p->sizes.n[WRSIM_INPUT], n_y = p->sizes.n[WRSIM_OUTPUT];
    const wrsim_point start = {.t_s = step->t_s, .u = step->u};
    if (put_point(self, &start) < 0)
        return fail_unserved(self);
    p->link.channel->end_s = step->end_s;
    copy_values(at->u_end, step->u_end, n_u);
    copy_values(at->result, ret_slope, n_y);
    const int rc = finish(self, WR_PROCESS_ADVANCE,
                          answer_questions(self, step, call(self, WR_PROCESS_ADVANCE)));
    if (p->link.is_dead)
        return rc;
    copy_values(ret_slope, at->result, n_y);
    *step->ret_end_s = p->link.channel->value;
    return rc;
}

static int stepper_event(wrsim_instance *self, const wrsim_point *at)
{
    return put_point(self, at) < 0 ? fail_unserved(self)
                                   : call_and_finish(self, WR_PROCESS_STEPPER_EVENT);
}

/* ---- the own state ---- */

static int call_for_slot(wrsim_instance *self, wr_process_call what, int64_t number)
{
    const wr_process_link *const link = &process_of(self)->link;
    if (!link->channel)
        return fail_unserved(self);
    link->channel->number = number;
    return call_and_finish(self, what);
}

static int keep(wrsim_instance *self, int slot)
{
    return call_for_slot(self, WR_PROCESS_KEEP, slot);
}

static int go_back(wrsim_instance *self, int slot)
{
    return call_for_slot(self, WR_PROCESS_GO_BACK, slot);
}

static void forget(wrsim_instance *self, int slot)
{
    (void)call_for_slot(self, WR_PROCESS_FORGET, slot);
    self->message = NULL;
}

static size_t own_bytes(wrsim_instance *self)
{
    wr_process_link *const link = &process_of(self)->link;
    if (call_for_slot(self, WR_PROCESS_BYTES, 0))
        return SIZE_MAX;
    const size_t n_bytes = (size_t)link->channel->n_bytes;
    if (n_bytes <= WR_OWN_STATE_MOST_BYTES && wr_process_link_map_own(link, n_bytes) < 0) {
        (void)fail(self, "out of memory for the own state of its model");
        return SIZE_MAX;
    }
    return n_bytes;
}

static int write_own(wrsim_instance *self, void *to, size_t n_bytes)
{
    const wr_process_link *const link = &process_of(self)->link;
    const int rc = call_for_slot(self, WR_PROCESS_WRITE, (int64_t)n_bytes);
    if (rc == 0 && link->own)
        copy(to, link->own, n_bytes);
    return rc;
}

static int read_own(wrsim_instance *self, const void *from, size_t n_bytes)
{
    const wr_process_link *const link = &process_of(self)->link;
    if (link->own)
        copy(link->own, from, n_bytes);
    return call_for_slot(self, WR_PROCESS_READ, (int64_t)n_bytes);
}

/* ---- the descriptor ---- */

void wr_process_proxy_fill(wr_process_model *model, unsigned has)
{
#define HAS(call) ((has & 1U << WR_PROCESS_##call) != 0)
    wrsim_model *const m = &model->model;
    m->describe = describe;
    m->init = init;
    m->rhs = HAS(RHS) ? rhs : NULL;
    m->output = HAS(OUTPUT) ? output : NULL;
    m->algebra = HAS(ALGEBRA) ? algebra : NULL;
    m->indicator = HAS(INDICATOR) ? indicator : NULL;
    m->event = HAS(EVENT) ? event : NULL;
    m->next_time = HAS(NEXT_TIME) ? next_time : NULL;
    m->jacobian = HAS(JACOBIAN) ? jacobian : NULL;
    m->jacobian_sparse = HAS(JACOBIAN_SPARSE) ? jacobian_sparse : NULL;
    m->tangent = HAS(TANGENT) ? tangent : NULL;
    m->tangent_output = HAS(TANGENT_OUTPUT) ? tangent_output : NULL;
    m->step_completed = HAS(STEP_COMPLETED) ? step_completed : NULL;
    m->init_from_inputs = HAS(INIT_FROM_INPUTS) ? init_from_inputs : NULL;
    m->done = done;
    model->stepper = (wrsim_stepper){.struct_size = sizeof model->stepper,
                                     .advance = advance,
                                     .event = HAS(STEPPER_EVENT) ? stepper_event : NULL};
    model->own_state = (wrsim_own_state){.struct_size = sizeof model->own_state,
                                         .keep = keep,
                                         .go_back = go_back,
                                         .forget = forget,
                                         .bytes = HAS(WRITE) ? own_bytes : NULL,
                                         .write = HAS(WRITE) ? write_own : NULL,
                                         .read = HAS(WRITE) ? read_own : NULL};
    m->stepper = HAS(ADVANCE) ? &model->stepper : NULL;
    m->own_state = HAS(KEEP) ? &model->own_state : NULL;
#undef HAS
}
