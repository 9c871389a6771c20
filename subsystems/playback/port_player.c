/* Plays values that a host sets. See port_player.h. Thread: one at a time. Real-time: yes, except creating. */
#include "subsystems/playback/port_player.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Course of a signal since the last sample that changed it: a jump, or a ramp, from one value to another. After a jump the value changes
 * with a constant slope. */
typedef struct course {
    double from, to;
    double t0_s, length_s; /* start and length; length 0: a jump */
    double slope;          /* after a jump, 1/s */
} course;

typedef struct wr_port_player {
    wr_playback played;
    course *course;        /* [n_published] */
    double *set;           /* [n_published] values for the next sample */
    double *slope;         /* [n_published] slopes for the next sample, 1/s */
    unsigned char *is_set; /* [n_published] 1: the host has set the value since the last sample */
    const double *start;
} wr_port_player;

/* The left or right limit at a time. */
typedef enum side { SIDE_LEFT, SIDE_RIGHT } side;

static wr_port_player *player_of(const wr_subsystem *s) { return s->inside; }

static double end_of(const course *c) { return c->t0_s + c->length_s; }

static int is_moving(const course *c) { return c->from < c->to || c->from > c->to; }

static double value_at(const course *c, double t_s, side which)
{
    if (!(c->length_s > 0.0))
        return which == SIDE_RIGHT || wr_playback_is_after(t_s, c->t0_s)
                   ? c->to + c->slope * wr_max(0.0, t_s - c->t0_s)
                   : c->from;
    if (!wr_playback_is_after(end_of(c), t_s))
        return c->to;
    return c->from + (c->to - c->from) * wr_max(0.0, (t_s - c->t0_s) / c->length_s);
}

static double slope_at(const course *c, double t_s, side which)
{
    const int has_begun = which == SIDE_RIGHT || wr_playback_is_after(t_s, c->t0_s);
    if (!(c->length_s > 0.0))
        return has_begun ? c->slope : 0.0;
    const int has_ended = which == SIDE_RIGHT ? !wr_playback_is_after(end_of(c), t_s)
                                              : wr_playback_is_after(t_s, end_of(c));
    return has_begun && !has_ended ? (c->to - c->from) / c->length_s : 0.0;
}

static wrsim_status begin(wr_subsystem *s)
{
    wr_port_player *const p = player_of(s);
    wr_playback_begin(s);
    for (int i = 0; i < s->n_published; i++) {
        p->course[i].from = p->course[i].to = p->set[i] = p->start[i];
        p->course[i].slope = p->slope[i] = 0.0;
        p->is_set[i] = 0;
        p->course[i].t0_s = s->t_s - p->course[i].length_s; /* the ramp has ended */
    }
    return WRSIM_OK;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    const wr_port_player *const p = player_of(s);
    for (int i = 0; i < s->n_published; i++) {
        ret_value[i] = value_at(&p->course[i], s->t_s, SIDE_RIGHT);
        if (ret_slope)
            ret_slope[i] = slope_at(&p->course[i], s->t_s, SIDE_RIGHT);
    }
    return WRSIM_OK;
}

void wr_port_player_set(wr_subsystem *s, int i_signal, double value)
{
    WR_ASSERT(isfinite(value));
    const wr_port_player *const p = player_of(s);
    p->set[i_signal] = value;
    p->slope[i_signal] = 0.0;
    p->is_set[i_signal] = 1;
}

int wr_port_player_set_slope(wr_subsystem *s, int i_signal, double slope)
{
    WR_ASSERT(isfinite(slope));
    if (player_of(s)->course[i_signal].length_s > 0.0)
        return -1;
    player_of(s)->slope[i_signal] = slope;
    return 0;
}

static int differs(double a, double b) { return a < b || a > b; }

/* Begins a course at the present time. */
static void begin_course(const wr_subsystem *s, course *c, double to, double slope)
{
    /* Rounding (assumed: 16 units) of a course with a slope, which a host continues at the next sample, is no jump. */
    static const double ROUNDING = 16.0 * DBL_EPSILON;
    const int had_slope = differs(c->slope, 0.0);
    /* After an earlier sample at this time, no wave has a node of that sample yet, so the left value stays. */
    if (!wr_time_close(c->t0_s, s->t_s)) {
        const double change = c->slope * (s->t_s - c->t0_s);
        c->from = value_at(c, s->t_s, SIDE_RIGHT);
        if (had_slope && fabs(to - c->from) <= ROUNDING * (fabs(to) + fabs(change)))
            c->from = to;
        c->t0_s = s->t_s;
    }
    c->to = to;
    c->slope = slope;
}

void wr_port_player_sample(wr_subsystem *s)
{
    const wr_port_player *const p = player_of(s);
    for (int i = 0; i < s->n_published; i++) {
        course *const c = &p->course[i];
        const int is_renewed = p->is_set[i] && differs(c->slope, 0.0);
        if (differs(p->set[i], c->to) || differs(p->slope[i], c->slope) || is_renewed)
            begin_course(s, c, p->set[i], p->slope[i]);
        p->is_set[i] = 0;
    }
}

/* ---- windows ---- */

static wrsim_status append_node(wr_subsystem *s, double t_s, side which)
{
    double *value, *slope;
    WR_TRY(wr_playback_extend(s, t_s, &value, &slope));
    for (int i = 0; i < s->n_published; i++) {
        value[i] = value_at(&player_of(s)->course[i], t_s, which);
        slope[i] = slope_at(&player_of(s)->course[i], t_s, which);
    }
    return WRSIM_OK;
}

/* Returns whether a signal jumps at the present time. */
static int has_jump(const wr_subsystem *s)
{
    for (int i = 0; i < s->n_published; i++) {
        const course *const c = &player_of(s)->course[i];
        if (!(c->length_s > 0.0) && is_moving(c) && wr_time_close(c->t0_s, s->t_s))
            return 1;
    }
    return 0;
}

/* Returns the first end of a ramp after t_s; INFINITY: none. */
static double ramp_end_after(const wr_subsystem *s, double t_s)
{
    double end_s = (double)INFINITY;
    for (int i = 0; i < s->n_published; i++) {
        const course *const c = &player_of(s)->course[i];
        if (c->length_s > 0.0 && is_moving(c) && wr_playback_is_after(end_of(c), t_s))
            end_s = wr_min(end_s, end_of(c));
    }
    return end_s;
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    (void)tolerance_factor;
    s->stats.n_integration++;
    s->n_row = 0;
    wr_wave_clear(s->wave);
    if (has_jump(s))
        WR_TRY(append_node(s, s->t_s, SIDE_LEFT));
    WR_TRY(append_node(s, s->t_s, SIDE_RIGHT));
    double t_s = s->t_s;
    while (!wr_time_close(t_s, t_end_s)) {
        const double next_s = ramp_end_after(s, t_s);
        const int is_inside = !wr_playback_is_after(next_s, t_end_s);
        t_s = is_inside && wr_playback_is_after(t_end_s, next_s) ? next_s : t_end_s;
        WR_TRY(append_node(s, t_s, SIDE_LEFT));
        if (is_inside)
            WR_TRY(append_node(s, t_s, SIDE_RIGHT));
    }
    WR_TRY(wr_playback_record(s));
    s->t_s = t_end_s;
    return WRSIM_OK;
}

static void state(wr_subsystem *s, wr_state_io *io)
{
    const wr_port_player *const p = player_of(s);
    wr_state_agree(io, s->n_published);
    WR_STATE_ARRAY(io, p->course, s->n_published);
    WR_STATE_ARRAY(io, p->set, s->n_published);
    WR_STATE_ARRAY(io, p->slope, s->n_published);
    WR_STATE_ARRAY(io, p->is_set, s->n_published);
    wr_playback_state(s, io);
}

const wr_subsystem_ops wr_port_player_ops = {.kind = "port",
                                             .begin = begin,
                                             .published = published,
                                             .advance = advance,
                                             .save = wr_playback_save,
                                             .restore = wr_playback_restore,
                                             .state = state};

/* ---- creation ---- */

static int place_inside(wr_subsystem *s, const wr_port_player_config *config)
{
    wr_port_player *const p = player_of(s);
    wr_arena *const arena = config->played.arena;
    const int n = s->n_published;
    double *const start = WR_NEW_ARRAY(arena, double, n + 1);
    p->course = WR_NEW_ARRAY(arena, course, n + 1);
    p->set = WR_NEW_ARRAY(arena, double, n + 1);
    p->slope = WR_NEW_ARRAY(arena, double, n + 1);
    p->is_set = WR_NEW_ARRAY(arena, unsigned char, n + 1);
    if (!start || !p->course || !p->set || !p->slope || !p->is_set)
        return -1;
    for (int i = 0; i < n; i++) {
        start[i] = config->start[i];
        p->course[i].length_s = config->is_ramp[i] ? config->played.communication_step_s : 0.0;
    }
    p->start = start;
    return 0;
}

wr_subsystem *wr_port_player_create(const wr_port_player_config *config, wr_diag *diag)
{
    wr_subsystem *const s = wr_playback_place(&config->played, sizeof(wr_port_player));
    const int is_placed = s && place_inside(s, config) == 0;
    if (is_placed)
        s->ops = &wr_port_player_ops;
    return wr_playback_finish(is_placed ? s : NULL, &config->played, diag);
}
