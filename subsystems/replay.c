/* A player of recorded signals. See replay.h.
 *
 * A part of a cubic is a cubic, so values and slopes at the ends of a window and at the nodes inside of it give the
 * recording to rounding.
 *
 * Thread: one at a time. Real-time: yes, but for creating.
 */
#include "subsystems/replay.h"

#include <math.h>
#include <string.h>

#include "subsystems/wave/hermite.h"

/* What changes from window to window beside the present time. */
typedef struct replay_place {
    int i_next;     /* first node of the recording after the present time */
    int i_jump;     /* first jump after it */
    int64_t i_grid; /* next communication point */
    double t_s;     /* of save() */
} replay_place;

typedef struct wr_replay {
    wr_recording recording;
    replay_place now, saved;
    int n_jump;
    double *jump_s; /* [n_jump] when any signal jumps by more than its tolerance */
    const int *recorded;
    double *value, *slope; /* [2 n_published] scratch: of two nodes */
    double start_s, communication_step_s;
    int record_events;
} wr_replay;

static wr_replay *replay_of(const wr_subsystem *s) { return s->inside; }

static double time_at(const wr_replay *r, int i)
{
    return r->recording.time_s(r->recording.context, i);
}

static void load(const wr_replay *r, int i, double *ret_value, double *ret_slope)
{
    r->recording.node(r->recording.context, i, ret_value, ret_slope);
}

static wrsim_status fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message)
{
    s->fault = (wr_fault){
        .status = status, .t_s = t_s, .i_component = -1, .i_variable = -1, .message = message};
    return status;
}

/* Does any signal jump by more than its tolerance? */
static int is_jump(const wr_subsystem *s, const double *from, const double *to)
{
    for (int j = 0; j < s->n_published; j++)
        if (fabs(to[j] - from[j]) > s->rtol * fabs(from[j]) + s->atol_published[j])
            return 1;
    return 0;
}

/* The recording at t on the right of what may be there, into value and slope. i_next: first node after t. */
static void read_at(const wr_subsystem *s, int i_next, double t_s)
{
    wr_replay *const r = replay_of(s);
    const int i = i_next > 0 ? i_next - 1 : 0, n = s->n_published;
    load(r, i, r->value, r->slope);
    if (i_next == r->recording.n_node || wr_time_close(time_at(r, i), t_s))
        return;
    load(r, i + 1, r->value + n, r->slope + n);
    const wr_hermite w = wr_hermite_at(time_at(r, i), time_at(r, i + 1), t_s);
    for (int j = 0; j < n; j++) {
        const double y0 = r->value[j], y1 = r->value[n + j];
        const double s0 = r->slope[j], s1 = r->slope[n + j];
        r->value[j] = wr_hermite_value(&w, y0, y1, s0, s1);
        r->slope[j] = wr_hermite_slope(&w, y0, y1, s0, s1);
    }
}

static int is_after(double t_s, double other_s)
{
    return t_s > other_s && !wr_time_close(t_s, other_s);
}

/* First node after t from node i on. */
static int node_after(const wr_replay *r, int i, double t_s)
{
    while (i < r->recording.n_node && !is_after(time_at(r, i), t_s))
        i++;
    return i;
}

static void find_next_jump(wr_replay *r, double t_s)
{
    while (r->now.i_jump < r->n_jump && !is_after(r->jump_s[r->now.i_jump], t_s))
        r->now.i_jump++;
}

static wrsim_status begin(wr_subsystem *s)
{
    wr_replay *const r = replay_of(s);
    s->t_s = r->start_s;
    s->fault.status = WRSIM_OK;
    int i = 0;
    while (i < r->recording.n_node && is_after(r->start_s, time_at(r, i)))
        i++;
    r->now = (replay_place){.i_next = is_after(time_at(r, i), r->start_s) ? i : i + 1};
    find_next_jump(r, r->start_s);
    return WRSIM_OK;
}

/* The first node at the start is what was published before the initial events, each further one what it was after a
 * round of them. */
static wrsim_status pass_round(wr_subsystem *s, int *ret_n_due)
{
    wr_replay *const r = replay_of(s);
    const int last = node_after(r, r->now.i_next, r->start_s);
    r->now.i_next += r->now.i_next < last;
    *ret_n_due = last - r->now.i_next;
    return WRSIM_OK;
}

static wrsim_status fire_initial(wr_subsystem *s, const double *external, int *ret_n_due)
{
    (void)external;
    return pass_round(s, ret_n_due);
}

static wrsim_status start(wr_subsystem *s)
{
    wr_replay *const r = replay_of(s);
    r->now.i_next = node_after(r, r->now.i_next, r->start_s);
    return WRSIM_OK;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    const wr_replay *const r = replay_of(s);
    const size_t bytes = (size_t)s->n_published * sizeof *ret_value;
    read_at(s, r->now.i_next, s->t_s);
    memcpy(ret_value, r->value, bytes);
    if (ret_slope)
        memcpy(ret_slope, r->slope, bytes);
    return WRSIM_OK;
}

/* ---- rows ---- */

static wrsim_status append_row(wr_subsystem *s, wr_row_kind kind, double t_s, const double *value)
{
    if (s->n_row == s->cap_row)
        return fault(s, WRSIM_E_LIMIT, t_s,
                     "it records too many rows in one window; lower relaxation.window.min and "
                     ".max, or set output.events = false");
    double *const row = s->row_value + (size_t)s->n_row * (size_t)s->n_recorded;
    for (int i = 0; i < s->n_recorded; i++)
        row[i] = value[replay_of(s)->recorded[i]];
    s->row_time_s[s->n_row] = t_s;
    s->row_kind[s->n_row++] = (unsigned char)kind;
    return WRSIM_OK;
}

static double grid_at(const wr_replay *r)
{
    return r->start_s + (double)r->now.i_grid * r->communication_step_s;
}

static const double *value_at(const wr_wave *w, int i)
{
    return w->value + (size_t)i * (size_t)w->n_signal;
}

/* Both sides of what is at nodes [left, right] of the wave. A row never comes after that of a communication point which
 * is the same instant. */
static wrsim_status record_jump(wr_subsystem *s, int left, int right)
{
    const wr_wave *const w = s->wave;
    if (!is_jump(s, value_at(w, left), value_at(w, right)))
        return WRSIM_OK;
    s->stats.n_time_event++;
    if (!replay_of(s)->record_events || s->n_recorded == 0)
        return WRSIM_OK;
    const double grid_s = grid_at(replay_of(s)), at_s = w->t_s[left];
    const double t_s = wr_time_close(grid_s, at_s) ? wr_min(grid_s, at_s) : at_s;
    WR_TRY(append_row(s, WR_ROW_EVENT_LEFT, t_s, value_at(w, left)));
    return append_row(s, WR_ROW_EVENT_RIGHT, t_s, value_at(w, right));
}

/* Communication points from node i of the wave on, which is the last at its time, to the next node. Those that are a
 * node's instant have the values on its right. */
static wrsim_status record_grid(wr_subsystem *s, int i)
{
    wr_replay *const r = replay_of(s);
    const wr_wave *const w = s->wave;
    const int is_last = i + 1 == w->n_node;
    const double *const value = value_at(w, i);
    const wr_piece piece = {.t0_s = w->t_s[i],
                            .t1_s = w->t_s[is_last ? i : i + 1],
                            .y0 = value,
                            .y1 = is_last ? value : value + w->n_signal,
                            .s0 = w->slope + (size_t)i * (size_t)w->n_signal,
                            .s1 = w->slope + (size_t)(is_last ? i : i + 1) * (size_t)w->n_signal};
    for (; s->n_recorded > 0; r->now.i_grid++) {
        const double t_s = grid_at(r);
        const int is_here = !is_after(t_s, piece.t0_s);
        if (!is_here && (is_last || !is_after(piece.t1_s, t_s)))
            break;
        if (!is_here)
            wr_piece_values(&piece, t_s, w->n_signal, r->value);
        WR_TRY(append_row(s, WR_ROW_COMMUNICATION, t_s, is_here ? value : r->value));
    }
    return WRSIM_OK;
}

/* From the wave of the window, which is complete. */
static wrsim_status record(wr_subsystem *s)
{
    const wr_wave *const w = s->wave;
    for (int i = 0; i < w->n_node; i++) {
        const int left = i;
        while (i + 1 < w->n_node && wr_time_close(w->t_s[i + 1], w->t_s[left]))
            i++;
        if (i > left)
            WR_TRY(record_jump(s, left, i));
        WR_TRY(record_grid(s, i));
    }
    return WRSIM_OK;
}

/* ---- windows ---- */

/* Room for a node at t. */
static wrsim_status extend(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope)
{
    const wrsim_status status = wr_wave_extend(s->wave, t_s, ret_value, ret_slope);
    return status >= 0
               ? status
               : fault(s, status, t_s,
                       "its waveform is full: the recording has more nodes in one window than "
                       "there is room for; lower relaxation.window.min and .max, or raise "
                       "relaxation.max_nodes");
}

/* A node between those of the recording, or on the right of them. i_next: first one after it. */
static wrsim_status append_between(wr_subsystem *s, int i_next, double t_s)
{
    const wr_replay *const r = replay_of(s);
    double *value, *slope;
    WR_TRY(extend(s, t_s, &value, &slope));
    read_at(s, i_next, t_s);
    memcpy(value, r->value, (size_t)s->n_published * sizeof *value);
    memcpy(slope, r->slope, (size_t)s->n_published * sizeof *slope);
    return WRSIM_OK;
}

static wrsim_status append_node(wr_subsystem *s, int i, double t_s)
{
    double *value, *slope;
    WR_TRY(extend(s, t_s, &value, &slope));
    load(replay_of(s), i, value, slope);
    return WRSIM_OK;
}

/* The part of the recording from the present time to t_end_s. */
static wrsim_status copy_nodes(wr_subsystem *s, double t_end_s)
{
    wr_replay *const r = replay_of(s);
    const int n_node = r->recording.n_node;
    int i = r->now.i_next;
    WR_TRY(append_between(s, i, s->t_s));
    for (; i < n_node && is_after(t_end_s, time_at(r, i)); i++)
        WR_TRY(append_node(s, i, time_at(r, i)));
    if (i == n_node || is_after(time_at(r, i), t_end_s))
        WR_TRY(append_between(s, i, t_end_s));
    for (; i < n_node && !is_after(time_at(r, i), t_end_s); i++)
        WR_TRY(append_node(s, i, t_end_s));
    r->now.i_next = i;
    return WRSIM_OK;
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    (void)tolerance_factor;
    wr_replay *const r = replay_of(s);
    const double last_s = time_at(r, r->recording.n_node - 1);
    s->stats.n_advance++;
    s->n_row = 0;
    wr_wave_clear(s->wave);
    if (is_after(t_end_s, last_s))
        return fault(s, WRSIM_E_ARG, last_s, "its recording ends");
    WR_TRY(copy_nodes(s, t_end_s));
    WR_TRY(record(s));
    s->t_s = t_end_s;
    find_next_jump(r, t_end_s);
    return WRSIM_OK;
}

static void save(wr_subsystem *s)
{
    replay_of(s)->saved = replay_of(s)->now;
    replay_of(s)->saved.t_s = s->t_s;
}

static void restore(wr_subsystem *s)
{
    replay_of(s)->now = replay_of(s)->saved;
    s->t_s = replay_of(s)->saved.t_s;
}

static void state(wr_subsystem *s, wr_state_io *io)
{
    wr_replay *const r = replay_of(s);
    wr_state_agree(io, r->recording.n_node);
    wr_state_agree(io, r->n_jump);
    const int i_next = (int)wr_state_count(io, r->now.i_next, r->recording.n_node);
    const int i_jump = (int)wr_state_count(io, r->now.i_jump, r->n_jump);
    const int n_row = (int)wr_state_count(io, s->n_row, s->cap_row);
    WR_STATE(io, r->now.i_grid);
    WR_STATE(io, s->t_s);
    WR_STATE(io, s->stats);
    if (!wr_state_reads(io))
        return;
    r->now.i_next = i_next;
    r->now.i_jump = i_jump;
    s->n_row = n_row;
    s->fault = (wr_fault){0};
}

/* Jumps are known all the time; as far before each as the last one lies. */
static double next_event(const wr_subsystem *s, double *ret_gap_s)
{
    const wr_replay *const r = replay_of(s);
    const int i = r->now.i_jump;
    if (i == r->n_jump)
        return (double)INFINITY;
    *ret_gap_s = r->jump_s[i] - (i > 0 ? r->jump_s[i - 1] : time_at(r, 0));
    return r->jump_s[i];
}

const wr_subsystem_ops wr_replay_ops = {.kind = "replay",
                                        .begin = begin,
                                        .fire_initial = fire_initial,
                                        .fire_next = pass_round,
                                        .start = start,
                                        .published = published,
                                        .advance = advance,
                                        .save = save,
                                        .restore = restore,
                                        .state = state,
                                        .next_event = next_event};

/* ---- making one ---- */

/* Tolerances; what of the face is empty, but is pointed to. */
static int place_face(wr_subsystem *s, wr_arena *arena, const wr_replay_config *c)
{
    const int n = c->n_published;
    double *const nominal = WR_NEW_ARRAY(arena, double, n + 1);
    double *const atol = WR_NEW_ARRAY(arena, double, n + 1);
    double *const none = WR_NEW_ARRAY(arena, double, 1);
    int *const state = WR_NEW_ARRAY(arena, int, n + 1);
    if (!nominal || !atol || !none || !state)
        return -1;
    for (int i = 0; i < n; i++) {
        nominal[i] = c->nominal[i];
        atol[i] = c->rtol * c->atol_factor * c->nominal[i];
        state[i] = -1;
    }
    s->rtol = c->rtol;
    s->n_published = n;
    s->nominal_published = nominal;
    s->atol_published = atol;
    s->signal_state = state;
    s->x = s->d = s->external = s->unseen = s->effect = none;
    s->atol_x = s->atol_external = none;
    s->external_source = s->external_signal = state;
    s->source = WR_NEW_ARRAY(arena, const wr_wave *, 1);
    s->work_per_rhs = 10.0 + n; /* as what computes so many outputs and integrates nothing */
    return s->source ? 0 : -1;
}

static int place_rows(wr_subsystem *s, wr_arena *arena, const wr_replay_config *c)
{
    const size_t name_bytes = strlen(c->name) + 1;
    int *const recorded = WR_NEW_ARRAY(arena, int, c->n_recorded + 1);
    s->n_recorded = c->n_recorded;
    s->cap_row = c->cap_row;
    wr_arena_cold(arena, 1);
    s->row_time_s = WR_NEW_ARRAY(arena, double, c->cap_row);
    s->row_kind = WR_NEW_ARRAY(arena, unsigned char, c->cap_row);
    s->row_value =
        wr_arena_push(arena, (size_t)c->cap_row * (size_t)c->n_recorded + 1, sizeof(double));
    char *const name = WR_NEW_ARRAY(arena, char, name_bytes);
    wr_arena_cold(arena, 0);
    if (!recorded || !s->row_time_s || !s->row_kind || !s->row_value || !name)
        return -1;
    for (int i = 0; i < c->n_recorded; i++)
        recorded[i] = c->recorded[i];
    memcpy(name, c->name, name_bytes);
    replay_of(s)->recorded = recorded;
    s->name = name;
    return 0;
}

/* Counts the jumps; lists them where there is room. */
static int list_jumps(const wr_subsystem *s, double *ret_jump_s)
{
    const wr_replay *const r = replay_of(s);
    const int n = s->n_published;
    int n_jump = 0;
    for (int i = 0; i + 1 < r->recording.n_node; i++) {
        const int left = i;
        while (i + 1 < r->recording.n_node && wr_time_close(time_at(r, i + 1), time_at(r, left)))
            i++;
        if (i == left)
            continue;
        load(r, left, r->value, r->slope);
        load(r, i, r->value + n, r->slope + n);
        if (!is_jump(s, r->value, r->value + n))
            continue;
        if (ret_jump_s)
            ret_jump_s[n_jump] = time_at(r, left);
        n_jump++;
    }
    return n_jump;
}

static int place_inside(wr_subsystem *s, wr_arena *arena, const wr_replay_config *c)
{
    wr_replay *const r = replay_of(s);
    r->recording = c->recording;
    r->start_s = c->start_s;
    r->communication_step_s = c->communication_step_s;
    r->record_events = c->record_events;
    r->value = WR_NEW_ARRAY(arena, double, 2 * s->n_published + 1);
    r->slope = WR_NEW_ARRAY(arena, double, 2 * s->n_published + 1);
    if (!r->value || !r->slope)
        return -1;
    r->n_jump = list_jumps(s, NULL);
    r->jump_s = WR_NEW_ARRAY(arena, double, r->n_jump + 1);
    s->wave = wr_wave_place(arena, s->n_published, c->cap_node);
    if (!r->jump_s || !s->wave)
        return -1;
    list_jumps(s, r->jump_s);
    return 0;
}

wr_subsystem *wr_replay_create(const wr_replay_config *config, wr_diag *diag)
{
    wr_arena *const arena = config->arena;
    WR_ASSERT(config->recording.n_node >= 2);
    wr_arena_line(arena);
    wr_subsystem *const s = WR_NEW(arena, wr_subsystem);
    if (s)
        s->inside = WR_NEW(arena, wr_replay);
    if (!s || !s->inside || place_face(s, arena, config) < 0 || place_rows(s, arena, config) < 0 ||
        place_inside(s, arena, config) < 0) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "subsystem '%s' cannot be built: %s", config->name,
                    wrsim_status_text(WRSIM_E_MEMORY));
        return NULL;
    }
    s->ops = &wr_replay_ops;
    wr_arena_line(arena);
    s->near_bytes = wr_arena_bytes_since(arena, s);
    return s;
}
