/* Playing recorded signals. See replay.h.
 *
 * Thread: one at a time. Real-time: yes but for creating.
 */
#include "subsystems/replay.h"

#include <math.h>
#include <string.h>

#include "subsystems/wave/hermite.h"

typedef struct replay {
    wr_recording recording;
    double start_s, step_s;
    int record_events;
    const int *recorded; /* [n_recorded] */
    int i, i_saved;      /* the node at or before the present time, the last of those at one time */
    int64_t i_grid, i_grid_saved; /* the next communication point to be recorded */
    double saved_s;
    double *left, *right; /* [2 n_published] nodes i and i + 1: values, slopes */
    double *value, *slope;
} replay;

static replay *replay_of(const wr_subsystem *s) { return s->inside; }

static double time_of(const replay *r, int i)
{
    return r->recording.time_s(r->recording.context, i);
}

static void load(const wr_subsystem *s, int i, double *to)
{
    const replay *const r = replay_of(s);
    r->recording.node(r->recording.context, i, to, to + s->n_published);
}

/* Goes to the node at or before t, on the right of what happens there. */
static void seek(wr_subsystem *s, double t_s)
{
    replay *const r = replay_of(s);
    while (r->i + 2 < r->recording.n_node &&
           (time_of(r, r->i + 1) <= t_s || wr_time_close(time_of(r, r->i + 1), t_s)))
        r->i++;
    load(s, r->i, r->left);
    load(s, r->i + 1, r->right);
}

/* What is played at t, between nodes i and i + 1. */
static void evaluate(wr_subsystem *s, double t_s, double *ret_value, double *ret_slope)
{
    const replay *const r = replay_of(s);
    const int n = s->n_published;
    const double t0_s = time_of(r, r->i), t1_s = time_of(r, r->i + 1);
    if (!(t1_s > t0_s)) { /* the recording ends with a jump */
        memcpy(ret_value, r->right, (size_t)n * sizeof *ret_value);
        memcpy(ret_slope, r->right + n, (size_t)n * sizeof *ret_slope);
        return;
    }
    const wr_hermite w = wr_hermite_at(t0_s, t1_s, t_s);
    for (int k = 0; k < n; k++) {
        ret_value[k] =
            wr_hermite_value(&w, r->left[k], r->right[k], r->left[n + k], r->right[n + k]);
        ret_slope[k] =
            wr_hermite_slope(&w, r->left[k], r->right[k], r->left[n + k], r->right[n + k]);
    }
}

static wrsim_status begin(wr_subsystem *s)
{
    replay *const r = replay_of(s);
    s->t_s = r->start_s;
    s->fault.status = WRSIM_OK;
    s->n_row = 0;
    r->i = 0;
    r->i_grid = 0;
    seek(s, s->t_s);
    return WRSIM_OK;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    replay *const r = replay_of(s);
    evaluate(s, s->t_s, ret_value, ret_slope ? ret_slope : r->slope);
    return WRSIM_OK;
}

static wrsim_status is_full(wr_subsystem *s, double t_s, const char *what)
{
    s->fault = (wr_fault){.status = WRSIM_E_LIMIT,
                          .t_s = t_s,
                          .i_component = -1,
                          .kind = WRSIM_KIND_COUNT,
                          .i_variable = -1,
                          .message = what};
    return WRSIM_E_LIMIT;
}

static wrsim_status add_node(wr_subsystem *s, double t_s, const double *value, const double *slope)
{
    const wrsim_status status = wr_wave_append(s->wave, t_s, value, slope);
    return status < 0 ? is_full(s, t_s, "the recording has more nodes than a window may have")
                      : WRSIM_OK;
}

static wrsim_status add_row(wr_subsystem *s, double t_s, wr_row_kind kind, const double *value)
{
    const replay *const r = replay_of(s);
    if (s->n_recorded == 0)
        return WRSIM_OK;
    if (s->n_row == s->cap_row)
        return is_full(s, t_s, "a window has more rows than there is room for");
    s->row_time_s[s->n_row] = t_s;
    s->row_kind[s->n_row] = (unsigned char)kind;
    double *const row = s->row_value + (size_t)s->n_row++ * (size_t)s->n_recorded;
    for (int i = 0; i < s->n_recorded; i++)
        row[i] = value[r->recorded[i]];
    return WRSIM_OK;
}

/* Rows of the communication points up to t. */
static wrsim_status add_rows(wr_subsystem *s, double t_s)
{
    replay *const r = replay_of(s);
    for (;; r->i_grid++) {
        const double grid_s = r->start_s + (double)r->i_grid * r->step_s;
        if (grid_s > t_s && !wr_time_close(grid_s, t_s))
            return WRSIM_OK;
        evaluate(s, wr_min(grid_s, t_s), r->value, r->slope);
        WR_TRY(add_row(s, grid_s, WR_ROW_COMMUNICATION, r->value));
    }
}

/* Node i + 1 is within the window, or at its end: it is shown, and rows of what is before it. */
static wrsim_status pass_node(wr_subsystem *s)
{
    replay *const r = replay_of(s);
    const int n = s->n_published, is_jump = !(time_of(r, r->i + 1) > time_of(r, r->i));
    const double t_s = time_of(r, r->i + 1);
    if (is_jump && r->record_events) {
        WR_TRY(add_row(s, t_s, WR_ROW_EVENT_LEFT, r->left));
        WR_TRY(add_row(s, t_s, WR_ROW_EVENT_RIGHT, r->right));
    } else if (!is_jump)
        WR_TRY(add_rows(s, t_s));
    WR_TRY(add_node(s, t_s, r->right, r->right + n));
    r->i++;
    memcpy(r->left, r->right, 2 * (size_t)n * sizeof *r->left);
    load(s, r->i + 1, r->right);
    return WRSIM_OK;
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    (void)tolerance_factor;
    replay *const r = replay_of(s);
    s->stats.n_advance++;
    s->n_row = 0;
    wr_wave_clear(s->wave);
    evaluate(s, s->t_s, r->value, r->slope);
    WR_TRY(add_node(s, s->t_s, r->value, r->slope));
    while (r->i + 2 < r->recording.n_node && time_of(r, r->i + 1) < t_end_s &&
           !wr_time_close(time_of(r, r->i + 1), t_end_s))
        WR_TRY(pass_node(s));
    WR_TRY(add_rows(s, t_end_s));
    evaluate(s, t_end_s, r->value, r->slope);
    WR_TRY(add_node(s, t_end_s, r->value, r->slope));
    s->t_s = t_end_s;
    /* What happens at the end is shown there, as others do; its left is in the wave already. */
    const int first = r->i + 1;
    seek(s, t_end_s);
    for (int i = first + 1; i <= r->i; i++) {
        load(s, i, r->left);
        WR_TRY(add_node(s, t_end_s, r->left, r->left + s->n_published));
    }
    if (first >= r->i || !r->record_events)
        return WRSIM_OK;
    WR_TRY(add_row(s, t_end_s, WR_ROW_EVENT_LEFT, r->value));
    return add_row(s, t_end_s, WR_ROW_EVENT_RIGHT, r->left);
}

static void save(wr_subsystem *s)
{
    replay *const r = replay_of(s);
    r->saved_s = s->t_s;
    r->i_saved = r->i;
    r->i_grid_saved = r->i_grid;
}

static void restore(wr_subsystem *s)
{
    replay *const r = replay_of(s);
    s->t_s = r->saved_s;
    r->i = r->i_saved;
    r->i_grid = r->i_grid_saved;
    load(s, r->i, r->left);
    load(s, r->i + 1, r->right);
}

const wr_subsystem_ops wr_replay_ops = {.kind = "replay",
                                        .begin = begin,
                                        .published = published,
                                        .advance = advance,
                                        .save = save,
                                        .restore = restore};

static double *copy_doubles(wr_arena *arena, const double *from, int n, double factor)
{
    double *const copy = WR_NEW_ARRAY(arena, double, n);
    for (int i = 0; copy && i < n; i++)
        copy[i] = factor * from[i];
    return copy;
}

static int place(wr_subsystem *s, const wr_replay_config *c)
{
    wr_arena *const arena = c->arena;
    replay *const r = s->inside = WR_NEW(arena, replay);
    int *const state = WR_NEW_ARRAY(arena, int, c->n_published);
    int *const recorded = WR_NEW_ARRAY(arena, int, c->n_recorded);
    char *const name = WR_NEW_ARRAY(arena, char, strlen(c->name) + 1);
    if (!r || !state || !recorded || !name)
        return -1;
    *r = (replay){.recording = c->recording,
                  .start_s = c->start_s,
                  .step_s = c->communication_step_s,
                  .record_events = c->record_events,
                  .recorded = recorded};
    for (int i = 0; i < c->n_published; i++)
        state[i] = -1;
    for (int i = 0; i < c->n_recorded; i++)
        recorded[i] = c->recorded[i];
    memcpy(name, c->name, strlen(c->name) + 1);
    r->left = WR_NEW_ARRAY(arena, double, 2 * c->n_published);
    r->right = WR_NEW_ARRAY(arena, double, 2 * c->n_published);
    r->value = WR_NEW_ARRAY(arena, double, 2 * c->n_published);
    r->slope = WR_NEW_ARRAY(arena, double, c->n_published);
    s->ops = &wr_replay_ops;
    s->name = name;
    s->n_published = c->n_published;
    s->signal_state = state;
    s->rtol = c->rtol;
    s->work_per_rhs = 1.0;
    s->nominal_published = copy_doubles(arena, c->nominal, c->n_published, 1.0);
    s->atol_published = copy_doubles(arena, c->nominal, c->n_published, c->rtol * c->atol_factor);
    s->wave = wr_wave_place(arena, c->n_published, c->cap_node);
    s->n_recorded = c->n_recorded;
    s->cap_row = c->cap_row;
    s->row_time_s = WR_NEW_ARRAY(arena, double, c->cap_row);
    s->row_kind = WR_NEW_ARRAY(arena, unsigned char, c->cap_row);
    s->row_value = wr_arena_push(arena, (size_t)c->cap_row * (size_t)c->n_recorded, sizeof(double));
    return r->left && r->right && r->value && r->slope && s->nominal_published &&
                   s->atol_published && s->wave && s->row_time_s && s->row_kind && s->row_value
               ? 0
               : -1;
}

wr_subsystem *wr_replay_create(const wr_replay_config *config, wr_diag *diag)
{
    WR_ASSERT(config->recording.n_node >= 2);
    wr_subsystem *const s = WR_NEW(config->arena, wr_subsystem);
    if (!s || place(s, config) < 0) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for subsystem '%s'", config->name);
        return NULL;
    }
    return s;
}
