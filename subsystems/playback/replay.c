/* Plays recorded signals. See replay.h.
 *
 * A segment of a cubic is a cubic. So values and slopes at the ends of a window and at its nodes reproduce the recording up to rounding.
 *
 * Thread: one at a time. Real-time: yes, except creating.
 */
#include "subsystems/playback/replay.h"

#include <math.h>
#include <string.h>

#include "subsystems/waves/hermite.h"

/* State that is not in wr_playback. */
typedef struct replay_place {
    int i_next; /* first node of the recording that the subsystem has not passed */
    int i_jump; /* first jump in jump_s after the present time; n_jump: none */
} replay_place;

typedef struct wr_replay {
    wr_playback played;
    wr_recording recording;
    replay_place now, saved;
    int n_jump;
    double *jump_s;        /* [n_jump] times at which a signal jumps by more than its tolerance */
    double *value, *slope; /* [2 n_published] scratch for two nodes */
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

/* Reads the recording at t_s, right of node i_next - 1, into value and slope. i_next: as in replay_place. */
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

/* Returns the first node from i on that is after t_s; n_node: none. */
static int node_after(const wr_replay *r, int i, double t_s)
{
    while (i < r->recording.n_node && !wr_playback_is_after(time_at(r, i), t_s))
        i++;
    return i;
}

static void find_next_jump(wr_replay *r, double t_s)
{
    while (r->now.i_jump < r->n_jump && !wr_playback_is_after(r->jump_s[r->now.i_jump], t_s))
        r->now.i_jump++;
}

static wrsim_status begin(wr_subsystem *s)
{
    wr_replay *const r = replay_of(s);
    wr_playback_begin(s);
    int i = 0;
    while (i < r->recording.n_node && wr_playback_is_after(r->played.start_s, time_at(r, i)))
        i++;
    r->now = (replay_place){.i_next =
                                wr_playback_is_after(time_at(r, i), r->played.start_s) ? i : i + 1};
    find_next_jump(r, r->played.start_s);
    return WRSIM_OK;
}

/* Advances by one round of the initial events. The first node at the start has the values before these events. Each further node has the
 * values after a round. */
static wrsim_status pass_round(wr_subsystem *s, int *ret_n_due)
{
    wr_replay *const r = replay_of(s);
    const int last = node_after(r, r->now.i_next, r->played.start_s);
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
    r->now.i_next = node_after(r, r->now.i_next, r->played.start_s);
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

/* ---- windows ---- */

/* Appends a node at t_s between nodes of the recording, or at the right limit of a node. i_next: as in replay_place. */
static wrsim_status append_between(wr_subsystem *s, int i_next, double t_s)
{
    const wr_replay *const r = replay_of(s);
    double *value, *slope;
    WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
    read_at(s, i_next, t_s);
    memcpy(value, r->value, (size_t)s->n_published * sizeof *value);
    memcpy(slope, r->slope, (size_t)s->n_published * sizeof *slope);
    return WRSIM_OK;
}

static wrsim_status append_node(wr_subsystem *s, int i, double t_s)
{
    double *value, *slope;
    WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
    load(replay_of(s), i, value, slope);
    return WRSIM_OK;
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    (void)tolerance_factor;
    wr_replay *const r = replay_of(s);
    const double last_s = time_at(r, r->recording.n_node - 1);
    s->stats.n_integration++;
    s->n_row = 0;
    wr_wave_clear(s->wave);
    if (wr_playback_is_after(t_end_s, last_s))
        return wr_playback_fault(
            s, WRSIM_E_ARG, last_s,
            "the recording ends; advance to this time at most, or record a longer run");
    const int n_node = r->recording.n_node;
    int i = r->now.i_next;
    WR_TRY(append_between(s, i, s->t_s));
    for (; i < n_node && wr_playback_is_after(t_end_s, time_at(r, i)); i++)
        WR_TRY(append_node(s, i, time_at(r, i)));
    if (i == n_node || wr_playback_is_after(time_at(r, i), t_end_s))
        WR_TRY(append_between(s, i, t_end_s));
    for (; i < n_node && !wr_playback_is_after(time_at(r, i), t_end_s); i++)
        WR_TRY(append_node(s, i, t_end_s));
    r->now.i_next = i;
    WR_TRY(wr_playback_record(s));
    s->t_s = t_end_s;
    find_next_jump(r, t_end_s);
    return WRSIM_OK;
}

static void save(wr_subsystem *s)
{
    replay_of(s)->saved = replay_of(s)->now;
    wr_playback_save(s);
}

static void restore(wr_subsystem *s)
{
    replay_of(s)->now = replay_of(s)->saved;
    wr_playback_restore(s);
}

static void state(wr_subsystem *s, wr_state_io *io)
{
    wr_replay *const r = replay_of(s);
    wr_state_agree(io, r->recording.n_node);
    wr_state_agree(io, r->n_jump);
    const int i_next = (int)wr_state_count(io, r->now.i_next, r->recording.n_node);
    const int i_jump = (int)wr_state_count(io, r->now.i_jump, r->n_jump);
    wr_playback_state(s, io);
    if (!wr_state_reads(io))
        return;
    r->now.i_next = i_next;
    r->now.i_jump = i_jump;
}

/* Returns the time of the next jump; INFINITY: none. A jump counts as announced at the previous jump or the first node. */
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

/* ---- creation ---- */

/* Counts the jumps. If ret_jump_s is not NULL, lists the times of the jumps. */
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
        if (!wr_playback_is_jump(s, r->value, r->value + n))
            continue;
        if (ret_jump_s)
            ret_jump_s[n_jump] = time_at(r, left);
        n_jump++;
    }
    return n_jump;
}

static int place_inside(wr_subsystem *s, wr_arena *arena)
{
    wr_replay *const r = replay_of(s);
    r->value = WR_NEW_ARRAY(arena, double, 2 * s->n_published + 1);
    r->slope = WR_NEW_ARRAY(arena, double, 2 * s->n_published + 1);
    if (!r->value || !r->slope)
        return -1;
    r->n_jump = list_jumps(s, NULL);
    r->jump_s = WR_NEW_ARRAY(arena, double, r->n_jump + 1);
    if (!r->jump_s)
        return -1;
    list_jumps(s, r->jump_s);
    return 0;
}

wr_subsystem *wr_replay_create(const wr_replay_config *config, wr_diag *diag)
{
    WR_ASSERT(config->recording.n_node >= 2);
    wr_subsystem *const s = wr_playback_place(&config->played, sizeof(wr_replay));
    if (s)
        replay_of(s)->recording = config->recording;
    const int is_placed = s && place_inside(s, config->played.arena) == 0;
    if (is_placed)
        s->ops = &wr_replay_ops;
    return wr_playback_finish(is_placed ? s : NULL, &config->played, diag);
}
