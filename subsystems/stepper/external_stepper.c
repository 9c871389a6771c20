/* Advances subsystems whose models advance themselves. See external_stepper.h.
 *
 * Thread: one at a time. Real-time: after creation, with rt-safe models.
 */
#include "subsystems/stepper/external_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/guard.h"
#include "subsystems/model_host/own_state.h"

/* Most steps at one instant (assumed): more steps mean an endless event. */
enum { MOST_STILL = 1000 };

/* State that the memory of the model does not contain. */
typedef struct present {
    double next_s;  /* latest end of the next step; INFINITY: none */
    double known_s; /* time at which the model announced next_s */
} present;

typedef struct wr_external_stepper {
    wr_playback played; /* first member, for wr_playback_of() */
    const wr_component *component;
    wrsim_instance instance;
    present now, saved;
    int n_output, n_input;
    /* [2 n_published] values and slopes: present, at the last save, at the start of the step. Unknown slopes are NaN (held: 0). */
    double *y, *y_saved, *y_first;
    unsigned char *memory_saved;         /* [memory_bytes] */
    const int *output;                   /* [n_published] */
    unsigned char *is_held;              /* [n_published] the output jumps at ends of steps */
    double *output_value, *output_slope; /* [n_output] results of the model */
    double *before;                      /* [n_published] values at the step's start */
    double *u, *u_end;                   /* [n_input] */
    const int *input_external;           /* [n_input] */
    const wr_unit_scale *input_scale;    /* [n_input] */
    wr_cursor *cursor;                   /* [n_source] cursors after jumps at the step's start */
    double *no_limit;                    /* [1] limit of a jump: zero, so every jump counts */
    int64_t n_step;                      /* steps of all integrations */
    int has_end_jump;                    /* an input has jumped at the end of the last window */
    int is_started;                      /* 1 after init(), if any, has succeeded, until done() */
    wr_own_state own;                    /* own.model NULL: the model has no own state */
} wr_external_stepper;

static wr_external_stepper *stepper_of(const wr_subsystem *s) { return s->inside; }

/* ---- calls of the model ---- */

/* Sets the fault of a callback that has returned a value other than 0, and returns the status. A positive value requests a shorter
 * window. */
static wrsim_status callback_fault(wr_subsystem *s, double t_s, int returned)
{
    wr_external_stepper *const p = stepper_of(s);
    if (returned == 0)
        return WRSIM_OK;
    s->fault = (wr_fault){.status = WRSIM_E_CALLBACK,
                          .t_s = t_s,
                          .i_variable = -1,
                          .returned = returned,
                          .is_final = returned < 0,
                          .message = p->instance.message};
    p->instance.message = NULL;
    return WRSIM_E_CALLBACK;
}

/* Places all guards, and marks the outputs as not written. */
static void place_guards(wr_external_stepper *p)
{
    wr_guard_clear(p->instance.data, p->component->data_bytes);
    wr_guard_clear(p->instance.memory, p->component->memory_bytes);
    wr_unwritten_set(p->output_value, (size_t)p->n_output);
    wr_guard_set(p->output_value + p->n_output);
    wr_guard_set(p->output_slope + p->n_output);
}

/* Sets the fault if a call has written beyond an array. */
static wrsim_status check_guards(wr_subsystem *s, double t_s)
{
    const wr_external_stepper *const p = stepper_of(s);
    const void *const memory = wr_guard_behind(p->instance.memory, p->component->memory_bytes);
    const void *const data = wr_guard_behind(p->instance.data, p->component->data_bytes);
    const char *const message =
        memory && !wr_guard_is_kept(memory) ? WR_GUARD_MEMORY("a callback")
        : data && !wr_guard_is_kept(data)   ? WR_GUARD_DATA("a callback")
        : !wr_guard_is_kept(p->output_value + p->n_output)
            ? WR_GUARD_TEXT("output()", "ret_y", "add an output in describe()")
        : !wr_guard_is_kept(p->output_slope + p->n_output)
            ? WR_GUARD_TEXT("advance()", "ret_slope", "add an output in describe()")
            : NULL;
    if (!message)
        return WRSIM_OK;
    (void)wr_playback_fault(s, WRSIM_E_CALLBACK, t_s, message);
    s->fault.is_final = 1;
    return WRSIM_E_CALLBACK;
}

static wrsim_point point_at(const wr_external_stepper *p, double t_s)
{
    return (wrsim_point){.t_s = t_s, .u = p->u_end};
}

/* Reads outputs at t_s into y, and slopes from output_slope. If a slope is NaN and length_s > 0, the function uses the mean slope over
 * length_s. Held outputs have slope 0. */
static wrsim_status read_outputs(wr_subsystem *s, double t_s, double length_s)
{
    wr_external_stepper *const p = stepper_of(s);
    const wrsim_model *const model = p->component->model;
    if (p->n_output > 0) {
        const wrsim_point point = point_at(p, t_s);
        wr_calling_begin(p->component->name, "output", t_s);
        const int rc = model->output(&p->instance, &point, p->output_value);
        wr_calling_end();
        WR_TRY(callback_fault(s, t_s, rc));
    }
    WR_TRY(check_guards(s, t_s));
    for (int i = 0; i < s->n_published; i++) {
        const int k = p->output[i];
        double *const slope = &p->y[s->n_published + i];
        p->before[i] = p->y[i];
        p->y[i] = p->output_value[k];
        *slope = p->is_held[i] ? 0.0 : p->output_slope[k];
        if (isnan(*slope) && length_s > 0.0)
            *slope = (p->y[i] - p->before[i]) / length_s;
        if (isfinite(p->y[i]) && (isfinite(*slope) || !(length_s > 0.0)))
            continue;
        s->fault =
            (wr_fault){.status = WRSIM_E_NAN, .t_s = t_s, .kind = WRSIM_OUTPUT, .i_variable = k};
        return WRSIM_E_NAN;
    }
    return WRSIM_OK;
}

static wrsim_status ask_next_time(wr_subsystem *s, double t_s)
{
    wr_external_stepper *const p = stepper_of(s);
    if (!p->component->model->next_time)
        return WRSIM_OK;
    const wrsim_point point = point_at(p, t_s);
    wr_calling_begin(p->component->name, "next_time", t_s);
    const double next_s = p->component->model->next_time(&p->instance, &point);
    wr_calling_end();
    if (!(next_s > t_s)) { /* the condition is also true for NaN */
        const char *const message = p->instance.message;
        p->instance.message = NULL;
        return wr_playback_fault(s, WRSIM_E_CALLBACK, t_s, message ? message : WR_FAULT_NEXT_TIME);
    }
    p->now.known_s = next_s < p->now.next_s || next_s > p->now.next_s ? t_s : p->now.known_s;
    p->now.next_s = next_s;
    return WRSIM_OK;
}

static void end_instance(wr_external_stepper *p)
{
    if (p->is_started && p->own.model)
        wr_own_state_end(&p->own);
    if (p->is_started && p->component->model->done) {
        wr_calling_begin(p->component->name, "done", (double)NAN);
        p->component->model->done(&p->instance);
        wr_calling_end();
    }
    p->is_started = 0;
}

/* ---- inputs ---- */

/* Reads the inputs at t_s. cursors NULL: t_s is the start of the run, and the inputs have their values before jumps at the start. */
static void read_inputs(const wr_subsystem *s, const wr_cursor *cursors, double t_s, double *ret_u,
                        double *ret_slope)
{
    const wr_external_stepper *const p = stepper_of(s);
    for (int i = 0; i < p->n_input; i++) {
        const int e = p->input_external[i];
        double slope = 0.0;
        ret_u[i] = p->component->variable[WRSIM_INPUT][i].start;
        if (e >= 0) {
            const wr_wave *const wave = s->source[s->external_source[e]];
            wr_cursor cursor = cursors ? cursors[s->external_source[e]] : wr_cursor_start();
            if (!cursors && wr_time_close(wr_wave_start(wave), t_s))
                ret_u[i] = wave->value[s->external_signal[e]];
            else
                wr_wave_eval_many(wave, &cursor, t_s, 1, &s->external_signal[e], &ret_u[i], &slope);
            ret_u[i] = wr_unit_apply(p->input_scale[i], ret_u[i]);
            slope = wr_unit_apply_change(p->input_scale[i], slope);
        }
        if (ret_slope)
            ret_slope[i] = slope;
    }
}

static void input_in_step(const wrsim_step *step, double t_s, double *ret_u, double *ret_slope)
{
    const wr_subsystem *const s = step->host;
    read_inputs(s, stepper_of(s)->cursor, wr_clamp(t_s, step->t_s, step->end_s), ret_u, ret_slope);
}

/* Returns the time of the first jump of an input after t_s; INFINITY: none. The cursors have passed t_s. */
static double next_jump(const wr_subsystem *s, double t_s)
{
    const wr_external_stepper *const p = stepper_of(s);
    double jump_s = (double)INFINITY;
    for (int e = 0; e < s->n_external; e++) {
        const int k = s->external_source[e];
        const double at_s = wr_wave_next_jump(s->source[k], &p->cursor[k], t_s, 1,
                                              &s->external_signal[e], p->no_limit);
        if (wr_playback_is_after(at_s, t_s))
            jump_s = wr_min(jump_s, at_s);
    }
    return jump_s;
}

/* ---- the start ---- */

static wrsim_status begin(wr_subsystem *s)
{
    wr_external_stepper *const p = stepper_of(s);
    double none = 0.0;
    end_instance(p); /* the call ends the instance of an earlier start */
    wr_playback_begin(s);
    p->now = p->saved = (present){.next_s = (double)INFINITY, .known_s = s->t_s};
    place_guards(p);
    for (int i = 0; i < p->n_input; i++)
        p->u[i] = p->u_end[i] = p->component->variable[WRSIM_INPUT][i].start;
    if (p->component->model->init) {
        wr_calling_begin(p->component->name, "init", s->t_s);
        const int rc = p->component->model->init(&p->instance, s->t_s, &none, &none);
        wr_calling_end();
        WR_TRY(callback_fault(s, s->t_s, rc));
    }
    p->is_started = 1;
    if (p->own.model)
        wr_own_state_begin(&p->own);
    for (int i = 0; i < p->n_output; i++)
        p->output_slope[i] = (double)NAN;
    WR_TRY(read_outputs(s, s->t_s, 0.0));
    return ask_next_time(s, s->t_s);
}

static double slope_now(const wr_subsystem *s, int i)
{
    const double slope = stepper_of(s)->y[s->n_published + i];
    return isnan(slope) ? 0.0 : slope;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    for (int i = 0; i < s->n_published; i++) {
        ret_value[i] = stepper_of(s)->y[i];
        if (ret_slope)
            ret_slope[i] = slope_now(s, i);
    }
    return WRSIM_OK;
}

/* ---- windows ---- */

/* Returns whether the last reading has changed outputs. is_held 1: only held outputs count. */
static int has_jumped(const wr_subsystem *s, int is_held)
{
    const wr_external_stepper *const p = stepper_of(s);
    for (int i = 0; i < s->n_published; i++)
        if ((p->is_held[i] || !is_held) && (p->y[i] < p->before[i] || p->y[i] > p->before[i]))
            return 1;
    return 0;
}

/* Appends the present outputs. is_left: held outputs have the values before the step. */
static wrsim_status append_node(wr_subsystem *s, double t_s, int is_left)
{
    const wr_external_stepper *const p = stepper_of(s);
    double *value, *slope;
    WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
    for (int i = 0; i < s->n_published; i++) {
        value[i] = is_left && p->is_held[i] ? p->before[i] : p->y[i];
        slope[i] = slope_now(s, i);
    }
    return WRSIM_OK;
}

/* Appends the node at the start of a step, t_s, after the step of length_s. Unknown slopes at the start follow from the parabola through
 * both values with the slope at the step's end. */
static wrsim_status append_start_node(wr_subsystem *s, double t_s, double length_s)
{
    const wr_external_stepper *const p = stepper_of(s);
    const double *const y = p->y_first;
    double *value, *slope;
    WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
    for (int i = 0; i < s->n_published; i++) {
        const double before = y[s->n_published + i];
        value[i] = y[i];
        slope[i] =
            isnan(before) ? 2.0 * (p->y[i] - y[i]) / length_s - p->y[s->n_published + i] : before;
    }
    return WRSIM_OK;
}

/* What the wave lacks at the present time: a node of the present values, or of the slopes on the right side only. */
enum { OPEN_VALUES = 1, OPEN_SLOPES = 2 };

/* Lets the model make an event at t_s with the inputs u, and reads the outputs after an event. If the outputs jump, the function appends a
 * missing node with the values before the event. *is_open: sum of OPEN_VALUES and OPEN_SLOPES. */
static wrsim_status make_event(wr_subsystem *s, double t_s, const double *u, int *is_open)
{
    wr_external_stepper *const p = stepper_of(s);
    const wrsim_point at = {.t_s = t_s, .u = u};
    if (!p->component->model->stepper->event)
        return WRSIM_OK;
    wr_calling_begin(p->component->name, "event", t_s);
    const int rc = p->component->model->stepper->event(&p->instance, &at);
    wr_calling_end();
    if (rc != WRSIM_ENTER_EVENT)
        return callback_fault(s, t_s, rc);
    for (int i = 0; i < s->n_published; i++)
        p->output_slope[p->output[i]] = p->y[s->n_published + i];
    WR_TRY(read_outputs(s, t_s, 0.0));
    WR_TRY(ask_next_time(s, t_s));
    const int has_values = has_jumped(s, 0);
    int has_slopes = 0; /* the slopes of outputs that are not held may also jump */
    for (int i = 0; i < s->n_published; i++)
        if (!p->is_held[i]) {
            p->y[s->n_published + i] = (double)NAN;
            has_slopes = 1;
        }
    if (!has_values && !has_slopes)
        return WRSIM_OK;
    if ((*is_open & OPEN_VALUES) && has_values) {
        double *value, *slope;
        WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
        memcpy(value, p->before, (size_t)s->n_published * sizeof *value);
        memset(slope, 0, (size_t)s->n_published * sizeof *slope);
    }
    *is_open |= has_values ? OPEN_VALUES : OPEN_SLOPES;
    return WRSIM_OK;
}

static double step_end(const wr_subsystem *s, double t_s, double t_end_s)
{
    const wr_external_stepper *const p = stepper_of(s);
    const double start_s = p->played.start_s, step_s = p->played.communication_step_s;
    double i_grid = floor((t_s - start_s) / step_s) + 1.0;
    if (!wr_playback_is_after(wr_time_at(start_s, i_grid, step_s),
                              t_s)) /* t_s is at this grid point */
        i_grid += 1.0;
    double end_s = wr_time_at(start_s, i_grid, step_s);
    if (!(s->flags & WR_SUBSYSTEM_GRID_ONLY))
        end_s = wr_min(wr_min(end_s, p->now.next_s), next_jump(s, t_s));
    return wr_playback_is_after(t_end_s, end_s) ? end_s : t_end_s;
}

/* Calls advance() for a step to *end_s. *end_s gets the end of the step, and *ret_is_event is 1 if the model requests an event. */
static wrsim_status call_advance(wr_subsystem *s, double t_s, double *end_s, int *ret_is_event)
{
    wr_external_stepper *const p = stepper_of(s);
    const wrsim_stepper *const stepper = p->component->model->stepper;
    double reached_s = *end_s;
    const wrsim_step step = {.t_s = t_s,
                             .end_s = *end_s,
                             .u = p->u,
                             .u_end = p->u_end,
                             .input = input_in_step,
                             .host = s,
                             .ret_end_s = &reached_s};
    for (int i = 0; i < p->n_output; i++)
        p->output_slope[i] = (double)NAN;
    wr_calling_begin(p->component->name, "advance", t_s);
    const int rc = stepper->advance(&p->instance, &step, p->output_slope);
    wr_calling_end();
    *ret_is_event = rc == WRSIM_ENTER_EVENT && stepper->event;
    WR_TRY(callback_fault(s, t_s, *ret_is_event ? 0 : rc));
    if (wr_time_close(reached_s, *end_s))
        return WRSIM_OK;
    if (wr_time_close(reached_s, t_s))
        reached_s = t_s;
    if (!(reached_s < *end_s && (reached_s > t_s || (reached_s >= t_s && *ret_is_event))))
        return wr_playback_fault(s, WRSIM_E_CALLBACK, t_s,
                                 "its advance() ends the step outside of its interval; correct "
                                 "*ret_end_s");
    *end_s = reached_s;
    read_inputs(s, p->cursor, reached_s, p->u_end, NULL);
    return WRSIM_OK;
}

/* Makes one step from t_s to *end_s or to an earlier end: calls advance(), reads the outputs, appends nodes, and makes a requested event.
 * *is_open: as in make_event(). */
static wrsim_status make_step(wr_subsystem *s, double t_s, double *end_s, int *is_open)
{
    wr_external_stepper *const p = stepper_of(s);
    int is_event;
    read_inputs(s, p->cursor, *end_s, p->u_end, NULL);
    WR_TRY(call_advance(s, t_s, end_s, &is_event));
    if (*end_s > t_s) {
        WR_TRY(read_outputs(s, *end_s, *end_s - t_s));
        p->n_step++;
        if (*is_open)
            WR_TRY(append_start_node(s, t_s, *end_s - t_s));
        WR_TRY(append_node(s, *end_s, 1));
        *is_open = has_jumped(s, 1) ? OPEN_VALUES : 0;
        wr_subsystem_observe_step(s, t_s, *end_s, p->n_step, 0);
    }
    if (is_event)
        WR_TRY(make_event(s, *end_s, p->u_end, is_open));
    return ask_next_time(s, *end_s);
}

/* Reads the outputs at the start of the run again, and makes the initial event of the model. This reading has the
 * inputs, which begin() lacks: an FMU in initialisation mode computes its outputs from its inputs. */
static wrsim_status start_run(wr_subsystem *s, double t_s)
{
    wr_external_stepper *const p = stepper_of(s);
    int is_open = OPEN_VALUES;
    read_inputs(s, p->component->model->stepper->event ? NULL : p->cursor, t_s, p->u_end, NULL);
    for (int i = 0; i < p->n_output; i++)
        p->output_slope[i] = (double)NAN;
    WR_TRY(read_outputs(s, t_s, 0.0));
    return make_event(s, t_s, p->u_end, &is_open);
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    wr_external_stepper *const p = stepper_of(s);
    (void)tolerance_factor;
    s->stats.n_integration++;
    s->n_row = 0;
    s->fault.status = WRSIM_OK;
    wr_wave_clear(s->wave);
    if (p->own.model && p->own.is_lost)
        return wr_playback_fault(s, WRSIM_E_CALLBACK, s->t_s, wr_own_state_message(&p->own));
    double t_s = s->t_s;
    for (int k = 0; k < s->n_source; k++) {
        p->cursor[k] = wr_cursor_start();
        wr_cursor_pass(&p->cursor[k], s->source[k], t_s);
    }
    int is_open = OPEN_VALUES, n_still = 0;
    if (!wr_playback_is_after(t_s, p->played.start_s))
        WR_TRY(start_run(s, t_s));
    for (int is_first = 1; is_first || !wr_time_close(t_s, t_end_s); is_first = 0) {
        /* The cursors pass jumps at t_s before step_end() searches the next jump. */
        for (int k = 0; k < s->n_source; k++)
            wr_cursor_pass(&p->cursor[k], s->source[k], t_s);
        read_inputs(s, p->cursor, t_s, p->u, NULL);
        WR_TRY(make_event(s, t_s, p->u, &is_open));
        if (is_open)
            memcpy(p->y_first, p->y, 2 * (size_t)s->n_published * sizeof *p->y);
        double end_s = step_end(s, t_s, t_end_s);
        WR_TRY(make_step(s, t_s, &end_s, &is_open));
        n_still = end_s > t_s ? 0 : n_still + 1;
        if (n_still > MOST_STILL)
            return wr_playback_fault(s, WRSIM_E_CALLBACK, t_s,
                                     "its advance() requests too many events at one instant; "
                                     "correct the model");
        t_s = end_s;
    }
    if (p->component->model->stepper->event) { /* jumps of inputs at the end act at once */
        for (int k = 0; k < s->n_source; k++)
            wr_cursor_pass(&p->cursor[k], s->source[k], t_end_s);
        read_inputs(s, p->cursor, t_end_s, p->u, NULL);
        p->has_end_jump = memcmp(p->u, p->u_end, (size_t)p->n_input * sizeof *p->u) != 0;
        WR_TRY(make_event(s, t_end_s, p->u, &is_open));
    }
    if (is_open & OPEN_VALUES)
        WR_TRY(append_node(s, t_end_s, 0));
    for (int e = 0; e < s->n_external; e++) {
        const int k = s->external_source[e];
        wr_wave_eval_many(s->source[k], &p->cursor[k], t_end_s, 1, &s->external_signal[e],
                          &s->external[e], NULL);
    }
    WR_TRY(wr_playback_record(s));
    s->t_s = t_end_s;
    return WRSIM_OK;
}

/* ---- rollback and state ---- */

static void save(wr_subsystem *s)
{
    wr_external_stepper *const p = stepper_of(s);
    wr_playback_save(s);
    p->saved = p->now;
    memcpy(p->y_saved, p->y, 2 * (size_t)s->n_published * sizeof *p->y);
    memcpy(p->memory_saved, p->instance.memory, p->component->memory_bytes);
    if (p->own.model)
        wr_own_state_keep(&p->own, WR_OWN_START, s->t_s);
}

static void restore(wr_subsystem *s)
{
    wr_external_stepper *const p = stepper_of(s);
    wr_playback_restore(s);
    p->now = p->saved;
    memcpy(p->y, p->y_saved, 2 * (size_t)s->n_published * sizeof *p->y);
    memcpy(p->instance.memory, p->memory_saved, p->component->memory_bytes);
    if (p->own.model)
        wr_own_state_go_back(&p->own, WR_OWN_START, s->t_s);
}

static void pass_state(wr_subsystem *s, wr_state_io *io)
{
    wr_external_stepper *const p = stepper_of(s);
    wr_state_agree(io, s->n_published);
    wr_state_agree(io, (int64_t)p->component->memory_bytes);
    wr_state_bytes(io, p->instance.memory, p->component->memory_bytes);
    if (p->own.model)
        wr_own_state_pass(&p->own, io, s->t_s);
    WR_STATE_ARRAY(io, p->y, 2 * s->n_published);
    WR_STATE_ARRAY(io, s->external, s->n_external);
    WR_STATE(io, p->now);
    WR_STATE(io, p->n_step);
    wr_playback_state(s, io);
}

/* ---- the other operations ---- */

/* Returns 0, because the engine estimates the effect of inputs from repeated integrations (runtime/relax/sensitivity.h). */
static double effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight)
{
    (void)s;
    (void)change;
    (void)length_s;
    (void)output_weight;
    return 0.0;
}

static double next_event(const wr_subsystem *s, double *ret_gap_s)
{
    const present *const now = &stepper_of(s)->now;
    *ret_gap_s = now->next_s - now->known_s;
    return now->next_s;
}

/* A jump of an input at the end of a window acts at once if the model makes events. */
static int follows_at_end(const wr_subsystem *s, int i_external, const wr_wave *wave)
{
    (void)i_external;
    (void)wave;
    return stepper_of(s)->component->model->stepper->event != NULL;
}

static int is_jump(const wr_subsystem *s, int i_external, double value)
{
    const double now = s->external[i_external];
    return fabs(value - now) > s->rtol * fabs(now) + s->atol_external[i_external];
}

static int has_jump_at_end(const wr_subsystem *s) { return stepper_of(s)->has_end_jump; }
static int64_t n_steps(const wr_subsystem *s) { return stepper_of(s)->n_step; }

static void fault_text(const wr_subsystem *s, wrsim_error *ret_err)
{
    const wr_component *const c = stepper_of(s)->component;
    const wr_fault *const fault = &s->fault;
    const int has_message = fault->message && fault->message[0];
    char returned[32] = "";
    if (fault->returned > 1 || fault->returned < -1)
        snprintf(returned, sizeof returned, " (returned %d)", fault->returned);
    if (fault->status == WRSIM_E_NAN)
        wr_error_set(
            ret_err, fault->status,
            "output '%s.%s' or its slope is not finite at t = %.9g s; check parameters and inputs",
            c->name, c->variable[WRSIM_OUTPUT][fault->i_variable].name, fault->t_s);
    else
        wr_error_set(ret_err, fault->status, "component '%s' fails at t = %.9g s: %s%s%s", c->name,
                     fault->t_s, has_message ? fault->message : "its model gives no reason",
                     returned, has_message ? "" : "; debug the model, or set instance->message");
    ret_err->time_s = fault->t_s;
}

static void destroy(wr_subsystem *s) { end_instance(stepper_of(s)); }

#define COMMON                                                                                     \
    .kind = "stepper", .begin = begin, .published = published, .advance = advance, .save = save,   \
    .next_event = next_event, .n_rhs = n_steps, .fault_text = fault_text, .destroy = destroy

/* once_ops: models without rollback */
static const wr_subsystem_ops operations = {COMMON,
                                            .restore = restore,
                                            .effect = effect,
                                            .state = pass_state,
                                            .follows_at_end = follows_at_end,
                                            .is_jump = is_jump,
                                            .has_jump_at_end = has_jump_at_end};
static const wr_subsystem_ops once_ops = {COMMON};

/* ---- creation ---- */

static const double WORK_PER_STEP =
    100.0; /* counted work of a step; an assumption, because the true work is unknown */

static int place_inputs(wr_subsystem *s, const wr_external_stepper_config *c)
{
    wr_external_stepper *const p = stepper_of(s);
    wr_arena *const arena = c->played.arena;
    int *const source = WR_NEW_ARRAY(arena, int, c->n_external + 1);
    int *const signal = WR_NEW_ARRAY(arena, int, c->n_external + 1);
    int *const input = WR_NEW_ARRAY(arena, int, p->n_input + 1);
    wr_unit_scale *const scale = WR_NEW_ARRAY(arena, wr_unit_scale, p->n_input + 1);
    double *const atol = WR_NEW_ARRAY(arena, double, c->n_external + 1);
    s->external = WR_NEW_ARRAY(arena, double, c->n_external + 1);
    s->source = WR_NEW_ARRAY(arena, const wr_wave *, c->n_source + 1);
    p->cursor = WR_NEW_ARRAY(arena, wr_cursor, c->n_source + 1);
    p->no_limit = WR_NEW_ARRAY(arena, double, 1);
    p->u = WR_NEW_ARRAY(arena, double, p->n_input + 1);
    p->u_end = WR_NEW_ARRAY(arena, double, p->n_input + 1);
    if (!source || !signal || !input || !scale || !atol || !s->external || !s->source ||
        !p->cursor || !p->no_limit || !p->u || !p->u_end)
        return -1;
    for (int e = 0; e < c->n_external; e++) {
        source[e] = c->source[e];
        signal[e] = c->signal[e];
        atol[e] = c->played.rtol * c->played.atol_factor * c->nominal[e];
    }
    for (int i = 0; i < p->n_input; i++) {
        input[i] = c->input_external[i];
        scale[i] = c->input_scale[i];
    }
    s->n_external = c->n_external;
    s->n_source = c->n_source;
    s->external_source = source;
    s->external_signal = signal;
    s->atol_external = atol;
    p->input_external = input;
    p->input_scale = scale;
    return 0;
}

static int place_outputs(wr_subsystem *s, const wr_external_stepper_config *c)
{
    wr_external_stepper *const p = stepper_of(s);
    wr_arena *const arena = c->played.arena;
    const int n = s->n_published;
    int *const output = WR_NEW_ARRAY(arena, int, n + 1);
    p->y = WR_NEW_ARRAY(arena, double, 2 * n + 1);
    p->y_saved = WR_NEW_ARRAY(arena, double, 2 * n + 1);
    p->y_first = WR_NEW_ARRAY(arena, double, 2 * n + 1);
    p->before = WR_NEW_ARRAY(arena, double, n + 1);
    p->is_held = WR_NEW_ARRAY(arena, unsigned char, n + 1);
    p->output_value = WR_NEW_ARRAY(arena, double, p->n_output + WR_GUARD_WORDS);
    p->output_slope = WR_NEW_ARRAY(arena, double, p->n_output + WR_GUARD_WORDS);
    if (!output || !p->y || !p->y_saved || !p->y_first || !p->before || !p->is_held ||
        !p->output_value || !p->output_slope)
        return -1;
    for (int i = 0; i < n; i++) {
        output[i] = c->output[i];
        p->is_held[i] =
            (p->component->variable[WRSIM_OUTPUT][output[i]].flags & WRSIM_DISCONTINUOUS) != 0;
    }
    p->output = output;
    return 0;
}

static int place_instance(wr_external_stepper *p, wr_arena *arena)
{
    const wr_component *const c = p->component;
    void *const data = wr_arena_push(arena, c->data_bytes + WR_GUARD_BYTES, 1);
    void *const memory = wr_arena_push(arena, c->memory_bytes + WR_GUARD_BYTES, 1);
    p->memory_saved = wr_arena_push(arena, c->memory_bytes + 1, 1);
    p->instance = (wrsim_instance){.param = c->param,
                                   .text = (const char *const *)c->text,
                                   .data = data,
                                   .memory = memory,
                                   .user = c->model->user};
    p->own =
        (wr_own_state){.model = c->model->own_state, .name = c->name, .instance = &p->instance};
    return data && memory && p->memory_saved ? 0 : -1;
}

wr_subsystem *wr_external_stepper_create(const wr_external_stepper_config *config, wr_diag *diag)
{
    const wrsim_model *const model = config->component->model;
    wr_subsystem *const s = wr_playback_place(&config->played, sizeof(wr_external_stepper));
    wr_external_stepper *const p = s ? stepper_of(s) : NULL;
    if (s) {
        p->component = config->component;
        p->n_input = config->component->n[WRSIM_INPUT];
        p->n_output = config->component->n[WRSIM_OUTPUT];
    }
    if (!s || place_inputs(s, config) < 0 || place_outputs(s, config) < 0 ||
        place_instance(p, config->played.arena) < 0)
        return wr_playback_finish(NULL, &config->played, diag);
    const int is_once = (model->caps & WRSIM_CAP_CANNOT_RESTORE) != 0;
    s->ops = is_once ? &once_ops : &operations;
    const int has_bytes = !model->own_state || wr_own_state_has_bytes(model->own_state);
    s->flags = WR_SUBSYSTEM_STEPS | (model->own_state ? WR_SUBSYSTEM_OWN_STATE : 0U) |
               (has_bytes ? 0U : WR_SUBSYSTEM_NO_BYTES) |
               (is_once ? WR_SUBSYSTEM_CANNOT_RESTORE : 0U) |
               (model->caps & WRSIM_CAP_COMMUNICATION_STEPS ? WR_SUBSYSTEM_GRID_ONLY : 0U);
    s->work_per_rhs = WORK_PER_STEP;
    return wr_playback_finish(s, &config->played, diag);
}
