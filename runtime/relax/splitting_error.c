/* The account of the splitting error. See splitting_error.h. Thread: as in splitting_error.h. Real-time: yes after placing. */
#include "runtime/relax/splitting_error.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/event_error.h"
#include "runtime/relax/propagation.h"

/* Assumed: the account may spend min(SHARE / n^2, SHARE_MOST) of each subsystem's right-hand sides, n being 1 plus the number of states and
 * inputs. A window with more than BURST times the effect of the windows since the last propagation multiplies this share by BURST_MORE. */
static const double SHARE = 3.0, SHARE_MOST = 0.5, BURST_MORE = 1.5, BURST = 2.0;
/* FEW_WINDOWS: largest number of windows between two propagations at which each window counts. With more windows the last window represents
 * all, except in a burst (BURST), and at the run's end up to ALIKE windows. ALIKE: number of windows in which the solution changes little
 * (both assumed). */
enum { FEW_WINDOWS = 2, ALIKE = 16 };
/* largest number of sweeps over the subsystems in one propagation (assumed) */
enum { SWEEPS = 6 };
/* largest number of propagations in a window, each to the next event (assumed) */
enum { MOST_PIECES = 8 };
/* Stored events of a subsystem in a window (assumed): FEW_EVENTS with many states or many subsystems, else MANY_EVENTS. */
enum { MANY_STATES = 64, MANY_PARTS = 16, FEW_EVENTS = 8, MANY_EVENTS = 64 };
/* A round of an event costs EVENT_RHS right-hand sides: two of the event, three of indicators, one for discrete states. In a model with
 * more than FEW_VARIABLES states and inputs, the events of a subsystem may cost EVENT_SHARE of its right-hand sides. The first FREE_ROUNDS
 * rounds are free. With more rounds the subsystem loses its account of events. The engine model has one event in twenty right-hand sides
 * (docs/lab/2026-11-26-error-account.md). */
enum { EVENT_RHS = 6, FEW_VARIABLES = 100, FREE_ROUNDS = 4 };
static const double EVENT_SHARE = 5e-3;
/* largest delay of an event, in units of the longest window (docs/lab/2026-11-26-error-account.md) */
static const double MOST_LATE = 10.0;
static const double AGREED = 0.02; /* share of the largest change at which sweeps end (assumed) */
/* An event is unsure if errors larger or smaller by the factor SURE (assumed) decide whether the event happens. The subsystem is then not
 * covered, unless the error of a subsystem is at least ENOUGH of a variable's range. A true error of a whole range is at most three times
 * such an error. */
static const double SURE = 1.5, ENOUGH = 1.0 / 3.0;

static const double SWEEP_MEAN = 1.0 / 3.0;    /* mean of t^2 over a window, per value at its end */
static const double WAVE_MEAN = 1.0 / 720.0;   /* mean error of a cubic, per h^4 y'''' */
static const double WAVE_MOST = 720.0 / 384.0; /* largest error of a cubic, per mean error */
/* Largest ratio of two steps that one difference spans (assumed). */
static const double STEP_RATIO = 4.0;
/* Mean of an input error that steps miss, per largest value (assumed). */
static const double UNSEEN = 0.3;

/* IS_UNKNOWN: the error of an event is unknown. IS_UNSURE: the errors may have made or prevented an event. */
enum { IS_UNKNOWN = 1, IS_UNSURE = 2 };

typedef struct part part;

typedef struct input {
    part *producer;
    int i_signal;
} input;

/* The account's record of a subsystem. Members that each propagation reads come first. */
struct part {
    wr_subsystem *subsystem;
    wr_propagation *carry;
    const wr_wave *last; /* wave of the last window */
    input *input;        /* [n_u] output that drives each input */
    int n_x, n_u, n_y, n_d;
    /* time, and [2 n_y] values and slopes, of the last node but one of the wave at the last end_window(); NaN: no node */
    double node_s, *node;
    /* [n_y] slopes at the end of that wave, on the left of a jump at this end */
    double *slope;
    double *wave; /* [n_y] mean error of the last wave */
    /* Integrals since the last propagation. */
    double *unseen; /* [n_x] effect on the states of input errors that steps have missed */
    /* [n_u] integral of input changes, in windows without an effect on each state */
    double *sweep;
    double *source; /* [n_x] sum of the effects of input changes, in all other windows */
    int has_unseen, has_rows;
    int is_exact;           /* 1: in the present propagation all errors and their sources are 0 */
    int has_watch, i_event; /* 1: the subsystem stores its events; index of the next event */
    int is_uncovered;       /* IS_UNKNOWN, IS_UNSURE or both */
    double *mean, *end;     /* [n_u] errors of inputs besides their producers' errors */
    double *incoming;       /* [n_u] producers' errors */
    double *end_now, *source_now; /* [n_u], [n_x] shares of end and source in a piece */
    double *worst;                /* [n_x + n_y] largest errors so far */
    double turn_error; /* largest indicator error at turns, in nominal values; negative: no turn */
    double n_round, n_rhs; /* number of rounds of events, and of right-hand sides, in the run */
    /* Sums of sources of error. */
    double waves, readers, sweeps, *through; /* [n_u] */
    wr_step_watch watch;                     /* events of the last window */
    wr_event_error events;
    /* [watch.cap_event] delay of each event, s. NaN: not known yet; infinite: the errors alone have made the event. */
    double *late_s;
    double *d_worst, *d_low, *d_high; /* [n_d] largest errors so far, and ranges */
    double *read;                     /* [n_u] errors of inputs at the present event */
};

struct wr_splitting_error {
    int n;
    part *part;
    /* [n_active] parts with events in the last window; [n_origin] parts with own events, in order */
    part **active, **origin;
    int n_active, n_origin;
    double cost;                /* cost of a propagation without measured columns */
    double since_s;             /* length of the windows since the last propagation */
    double allowed, spent;      /* number of right-hand sides */
    double at_s;                /* time up to which the errors are propagated */
    double length_s, longest_s; /* last and longest length of a window */
    /* largest effect in this window; sum over the windows since the last propagation */
    double effect, effects;
    int n_window;   /* number of windows since the last propagation */
    int n_variable; /* number of states and inputs */
    int is_sample;  /* this window represents all windows since the last propagation */
    int n_column;   /* number of columns of the largest Jacobian J */
    /* number of successive propagations with few windows between them; if n_near <= n_column, a column of J is from before these
     * propagations */
    int n_near;
};

/* ---- placing ---- */

/* An array of a subsystem. is_kept: a checkpoint contains the array. */
typedef struct array_room {
    double **array;
    int n, is_kept;
} array_room;

enum { ROOMS = 17 };

static void list_rooms(part *p, array_room ret_room[ROOMS])
{
    const int n_x = p->n_x, n_u = p->n_u, n_y = p->n_y, n_d = p->n_d;
    const array_room rooms[ROOMS] = {
        {&p->worst, n_x + n_y, 1}, {&p->node, 2 * n_y, 1}, {&p->sweep, n_u, 1},
        {&p->through, n_u, 1},     {&p->wave, n_y, 0},     {&p->mean, n_u, 0},
        {&p->end, n_u, 1},         {&p->incoming, n_u, 0}, {&p->unseen, n_x, 1},
        {&p->source, n_x, 1},      {&p->d_worst, n_d, 1},  {&p->d_low, n_d, 1},
        {&p->d_high, n_d, 1},      {&p->read, n_u, 0},     {&p->end_now, n_u, 0},
        {&p->source_now, n_x, 0},  {&p->slope, n_y, 1}};
    memcpy(ret_room, rooms, sizeof rooms);
}

/* Switches the account of events on or off. */
static void set_watch(part *p, int has_watch)
{
    p->has_watch = has_watch;
    wr_step_watch_clear(&p->watch);
    p->subsystem->watch = has_watch ? &p->watch : NULL;
    wr_propagation_set_discrete(p->carry, has_watch ? p->events.error : NULL);
}

/* Places memory for events, except for kinds of subsystems without own events. */
static int place_events(const wr_splitting_error *a, part *p, wr_arena *arena)
{
    const int is_much = p->n_x > MANY_STATES || a->n > MANY_PARTS;
    const int rc = wr_subsystem_place_watch(p->subsystem, arena, 0,
                                            is_much ? FEW_EVENTS : MANY_EVENTS, &p->watch);
    p->late_s = WR_NEW_ARRAY(arena, double, p->watch.cap_event);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (!p->late_s || wr_event_error_place(&p->events, arena, p->subsystem) != 0 ||
        wr_propagation_place_discrete(p->carry, arena) != 0)
        return -1;
    p->watch.has_course = 1;
    set_watch(p, 1);
    return 0;
}

/* Places subsystem i. Returns 0, or -1 when the arena is exhausted. */
static int place_part(wr_splitting_error *a, wr_arena *arena, int i, const wr_wiring *link,
                      double *work)
{
    part *const p = &a->part[i];
    wr_subsystem *const s = link->subsystem;
    array_room room[ROOMS];
    *p = (part){.subsystem = s,
                .n_x = s->n_x,
                .n_u = s->n_external,
                .n_y = s->n_published,
                .n_d = s->n_d,
                .node_s = (double)NAN,
                .input = WR_NEW_ARRAY(arena, input, s->n_external),
                .carry = wr_propagation_place(arena, s, work)};
    if (!p->input || !p->carry)
        return -1;
    for (int j = 0; j < p->n_u; j++)
        p->input[j] =
            (input){&a->part[link->producer[s->external_source[j]]], s->external_signal[j]};
    list_rooms(p, room);
    for (int k = 0; k < ROOMS; k++)
        if (!(*room[k].array = WR_NEW_ARRAY(arena, double, room[k].n)))
            return -1;
    for (int k = 0; k < p->n_d; k++) {
        p->d_low[k] = (double)INFINITY;
        p->d_high[k] = -(double)INFINITY;
    }
    if (place_events(a, p, arena) != 0)
        return -1;
    a->n_variable += p->n_x + p->n_u;
    for (int k = 0; k <= i && a->n_variable > FEW_VARIABLES; k++)
        a->part[k].watch.has_course = 0;
    a->n_column = p->n_x + p->n_u > a->n_column ? p->n_x + p->n_u : a->n_column;
    a->n_near = a->n_column; /* the first propagation measures all columns */
    a->cost += wr_propagation_cost(p->carry);
    return 0;
}

wr_splitting_error *wr_splitting_error_place(wr_arena *arena, const wr_wiring *parts, int n)
{
    wr_splitting_error *const a = WR_NEW(arena, wr_splitting_error);
    if (!a || !(a->part = WR_NEW_ARRAY(arena, part, n)) ||
        !(a->active = WR_NEW_ARRAY(arena, part *, n)) ||
        !(a->origin = WR_NEW_ARRAY(arena, part *, n)))
        return NULL;
    a->n = n;
    int n_work = 0;
    for (int i = 0; i < n; i++) {
        const int n_own = wr_propagation_n_work(parts[i].subsystem);
        n_work = n_own > n_work ? n_own : n_work;
    }
    double *const work = WR_NEW_ARRAY(arena, double, n_work);
    if (!work)
        return NULL;
    for (int i = 0; i < n; i++)
        if (place_part(a, arena, i, &parts[i], work) != 0)
            return NULL;
    return a;
}

/* ---- errors of waves between nodes ---- */

/* A node of a wave. Node -1 is a node of the window before. */
typedef struct node {
    double t_s;
    const double *value, *slope;
} node;

static node node_of(const part *p, const wr_wave *wave, int i)
{
    if (i < 0)
        return (node){p->node_s, p->node, p->node + p->n_y};
    const size_t at = (size_t)i * (size_t)wave->n_signal;
    return (node){wave->t_s[i], wave->value + at, wave->slope + at};
}

/* Finds the mean error of the last wave's cubics. Three nodes give the fourth derivative over the last of their two steps. */
static void find_wave_error(part *p)
{
    const wr_wave *const wave = p->last;
    const double length_s = wr_wave_end(wave) - wr_wave_start(wave);
    memset(p->wave, 0, (size_t)p->n_y * sizeof *p->wave);
    for (int i = isnan(p->node_s) ? 2 : 1; i < wave->n_node && length_s > 0.0; i++) {
        const node left = node_of(p, wave, i - 2), middle = node_of(p, wave, i - 1),
                   right = node_of(p, wave, i);
        const double h1 = middle.t_s - left.t_s, h2 = right.t_s - middle.t_s;
        if (!(h1 > 0.0) || !(h2 > 0.0) || !(h2 < STEP_RATIO * h1) || !(h1 < STEP_RATIO * h2))
            continue;
        const wr_hermite w = wr_hermite_at(left.t_s, right.t_s, middle.t_s);
        const double per = 24.0 / (h1 * h1 * h2 * h2);
        const double mean = WAVE_MEAN * per * (h2 * h2 * h2 * h2) * (h2 / length_s);
        for (int k = 0; k < p->n_y; k++)
            p->wave[k] -=
                mean * (middle.value[k] - wr_hermite_value(&w, left.value[k], right.value[k],
                                                           left.slope[k], right.slope[k]));
    }
}

static void keep_node(part *p)
{
    const wr_wave *const wave = p->last;
    p->node_s = (double)NAN;
    if (wave->n_node < 2 || p->n_y == 0)
        return;
    const node end = node_of(p, wave, wave->n_node - 1 - wr_wave_rounds_at_end(wave));
    const node last = node_of(p, wave, wave->n_node - 2);
    p->node_s = last.t_s;
    for (int k = 0; k < p->n_y; k++) {
        p->slope[k] = end.slope[k];
        p->node[k] = last.value[k];
        p->node[p->n_y + k] = last.slope[k];
    }
}

static void end_window(part *p)
{
    keep_node(p);
    if (p->has_watch)
        wr_step_watch_accept(&p->watch);
}

/* ---- propagation ---- */

/* Sets `incoming` to the errors of the inputs from their producers' errors. Returns 1 if an error of an input has changed. */
static int read_incoming(part *p)
{
    int has_changed = 0;
    for (int j = 0; j < p->n_u; j++) {
        const double *const output = wr_propagation_output(p->input[j].producer->carry);
        const double now = output[p->input[j].i_signal];
        has_changed |= now < p->incoming[j] || now > p->incoming[j];
        p->incoming[j] = now;
    }
    return has_changed;
}

/* Returns the errors of the inputs from their producers' errors. */
static const double *incoming(part *p)
{
    (void)read_incoming(p);
    return p->incoming;
}

/* Finds the errors of inputs besides their producers' errors: the mean since the last propagation, and the value at the end. With is_sample
 * the last window represents all windows, whose errors have independent signs after ALIKE windows. */
static void find_means(part *p, double since_s, int n_window, int is_sample)
{
    const double by = is_sample && n_window > ALIKE ? sqrt(ALIKE / (double)n_window) : 1.0;
    const double wave_by = is_sample ? 1.0 / sqrt((double)n_window) : 1.0;
    for (int j = 0; j < p->n_u; j++) {
        const double moved = p->end[j];
        if (is_sample)
            p->sweep[j] = p->subsystem->has_effect ? 0.0 : -SWEEP_MEAN * since_s * moved;
        const double wave = p->input[j].producer->wave[p->input[j].i_signal];
        p->mean[j] = wave_by * wave + by * p->sweep[j] / since_s;
        p->end[j] = WAVE_MOST * wave - moved;
    }
}

static void end_part(part *p)
{
    double *const error = wr_propagation_error(p->carry);
    const double *const output = wr_propagation_output(p->carry);
    for (int k = 0; k < p->n_x && p->has_unseen; k++)
        error[k] += UNSEEN * p->unseen[k];
    for (int k = 0; k < p->n_x && p->has_rows; k++)
        p->worst[k] = wr_max(p->worst[k], fabs(error[k]));
    for (int i = 0; i < p->n_y && p->has_rows; i++)
        p->worst[p->n_x + i] = wr_max(p->worst[p->n_x + i], fabs(output[i]));
    for (int k = 0; k < p->n_d && p->has_watch; k++)
        p->d_worst[k] = wr_max(p->d_worst[k], fabs(p->events.error[k]));
}

/* Adds the sources of errors since the last propagation to the sums, and sets the integrals to 0. */
static void note_sources(part *p, double since_s)
{
    for (int j = 0; j < p->n_u; j++) {
        const double missed = fabs(p->input[j].producer->wave[p->input[j].i_signal]);
        const double end = p->subsystem->has_effect ? fabs(p->end[j]) : 0.0;
        if (missed + fabs(p->sweep[j]) + end <= 0.0)
            continue;
        const double weight =
            wr_propagation_weight(p->carry, j) / wr_propagation_size(p->carry, p->n_x + j);
        const double wave = weight * since_s * missed, sweep = weight * fabs(p->sweep[j]);
        p->waves += wave;
        p->sweeps += sweep;
        p->through[j] += wave + sweep;
        p->through[j] += weight * SWEEP_MEAN * since_s * end;
    }
    double unseen = 0.0, sweeps = 0.0;
    for (int k = 0; k < p->n_x; k++) {
        if (fabs(p->unseen[k]) + fabs(p->source[k]) <= 0.0)
            continue;
        const double size = wr_propagation_size(p->carry, k);
        unseen = wr_max(unseen, UNSEEN * fabs(p->unseen[k]) / size);
        sweeps = wr_max(sweeps, fabs(p->source[k]) / size);
        p->unseen[k] = p->source[k] = 0.0;
    }
    p->readers += unseen;
    p->sweeps += sweeps;
    p->has_unseen = 0;
    p->has_rows = 0;
    memset(p->sweep, 0, (size_t)p->n_u * sizeof *p->sweep);
}

/* ---- windows ---- */

void wr_splitting_error_note(wr_splitting_error *a, int i, double length_s,
                             const wr_splitting_error_window *window)
{
    part *const p = &a->part[i];
    wr_subsystem *const s = p->subsystem;
    s->has_effect = window->has_effect;
    if (i == 0) {
        a->since_s += length_s;
        a->length_s = length_s;
        a->longest_s = wr_max(a->longest_s, length_s);
        a->n_window++;
    }
    a->effect = i == 0 ? window->effect : wr_max(a->effect, window->effect);
    p->n_rhs += window->n_rhs;
    const double n = p->n_x + p->n_u + 1;
    a->allowed += window->n_rhs * wr_min(SHARE_MOST, SHARE / (n * n));
    for (int k = 0; k < p->n_x && s->has_unseen; k++)
        p->unseen[k] += s->unseen[k];
    p->has_unseen |= s->has_unseen;
    p->has_rows |= s->n_row > 0 || s->n_recorded == 0;
    p->last = window->wave;
    for (int j = 0; j < p->n_u; j++) {
        p->end[j] = window->moved[j];
        if (!s->has_effect)
            p->sweep[j] -= SWEEP_MEAN * length_s * window->moved[j];
    }
    for (int k = 0; k < p->n_x && s->has_effect; k++) {
        const double effect = wr_min(SWEEP_MEAN, window->modelled) * s->effect[k];
        p->source[k] -= isfinite(effect) ? effect : 0.0;
    }
    wr_propagation_note_ranges(p->carry, window->wave);
    for (int k = 0; k < p->n_d && p->has_watch; k++) {
        p->d_low[k] = wr_min(p->d_low[k], s->d[k]);
        p->d_high[k] = wr_max(p->d_high[k], s->d[k]);
    }
}

/* Returns the largest error of the subsystems with errors in the present propagation. */
static double largest_error(const wr_splitting_error *a)
{
    double largest = 0.0;
    for (int i = 0; i < a->n; i++)
        if (!a->part[i].is_exact)
            largest = wr_max(largest, wr_propagation_largest(a->part[i].carry));
    return largest;
}

/* Propagates errors from at_s to t_s. Input errors besides the producers' errors grow with the square of time up to the
 * window's end. With is_limited errors grow by their sources only, because old derivatives are no measure of growth. */
static void carry_piece(wr_splitting_error *a, double t_s, int is_limited)
{
    const double h = t_s - a->at_s, share = h / a->since_s;
    const double end_s = wr_wave_end(a->part[0].last);
    const double grown = wr_max(1.0 - (end_s - t_s) / a->length_s, 0.0);
    double before = 0.0, change = 1.0, largest = 0.0;
    for (int i = 0; i < a->n; i++) {
        part *const p = &a->part[i];
        for (int j = 0; j < p->n_u; j++)
            p->end_now[j] = grown * grown * p->end[j];
        for (int k = 0; k < p->n_x; k++)
            p->source_now[k] = share * p->source[k];
        p->is_exact = a->n_active == 0 && wr_propagation_is_zero(p->carry, incoming(p), p->mean,
                                                                 p->end_now, p->source_now);
        if (p->is_exact)
            continue;
        before = is_limited ? wr_max(before, wr_propagation_largest(p->carry)) : 0.0;
        wr_propagation_begin(p->carry, h, incoming(p), p->mean);
    }
    for (int k = 0; k < SWEEPS && change > AGREED * largest; k++) {
        change = 0.0;
        for (int i = 0; i < a->n; i++) {
            part *const p = &a->part[i];
            /* Equal inputs give equal errors. */
            if (!read_incoming(p) && (k > 0 || p->is_exact))
                continue;
            if (p->is_exact) /* mean contains zeros, as the inputs at the beginning */
                wr_propagation_begin(p->carry, h, p->mean, p->mean);
            p->is_exact = 0;
            change = wr_max(change,
                            wr_propagation_on(p->carry, h, p->incoming, p->end_now, p->source_now));
        }
        largest = wr_max(largest, change);
    }
    const double now = is_limited ? largest_error(a) : 0.0;
    double most = before;
    for (int i = 0; i < a->n && now > before; i++)
        if (!a->part[i].is_exact)
            most += wr_propagation_response(a->part[i].carry, h, a->part[i].end_now,
                                            a->part[i].source_now);
    for (int i = 0; i < a->n && now > most; i++)
        wr_propagation_scale(a->part[i].carry, most / now);
    a->at_s = t_s;
}

/* ---- events ---- */

/* Returns the next event of all subsystems; NULL: no event is left. The events of an instant are in order of rounds, the events of a
 * round in order of subsystems. */
static const wr_event_point *next_event(const wr_splitting_error *a)
{
    const wr_event_point *next = NULL;
    for (int i = 0; i < a->n_active; i++) {
        const part *const p = a->active[i];
        if (p->i_event == p->watch.n_event)
            continue;
        const wr_event_point *const event = &p->watch.event[p->i_event];
        const int is_one = next && wr_time_close(event->t_s, next->t_s);
        if (!next || (is_one ? event->round < next->round : event->t_s < next->t_s))
            next = event;
    }
    return next;
}

static int is_own(const wr_event_point *event)
{
    return event->round == 0 && !event->is_turn && (event->i_z >= 0 || event->is_time);
}

/* Returns the time of the jump in a wave that is nearest to t_s; NaN: the wave has no jump. */
static double nearest_jump(const wr_wave *wave, double t_s)
{
    double nearest_s = (double)NAN;
    for (int i = 0; i + 1 < wave->n_node && wave->n_jump > 0; i++)
        if (wave->t_s[i] >= wave->t_s[i + 1] &&
            !(fabs(wave->t_s[i] - t_s) >= fabs(nearest_s - t_s)))
            nearest_s = wave->t_s[i];
    return nearest_s;
}

/* Finds the errors of inputs at an event that is moved_s later than its origin in the accepted waves. Slopes come from the accepted
 * waves, because the inputs of the step may be constant. Rounds after the first round read the right limit of a jump. */
static void find_read(part *p, wr_event_point *event, double moved_s)
{
    const double t_s = event->t_s - moved_s;
    incoming(p);
    for (int j = 0; j < p->n_u; j++) {
        const input *const read = &p->input[j];
        const wr_wave *const wave = read->producer->last;
        const double jump_s = nearest_jump(wave, t_s);
        const int is_jump = wr_time_close(jump_s, t_s);
        double *const slope = &event->external_slope[j], value;
        wr_cursor cursor = wr_cursor_start();
        if (is_jump && event->round > 0)
            wr_cursor_pass(&cursor, wave, jump_s);
        wr_wave_eval_many(wave, &cursor, is_jump ? jump_s : t_s, 1, &read->i_signal, &value, slope);
        if (event->round == 0 && wr_time_close(t_s, wr_wave_start(wave)))
            *slope = read->producer->slope[read->i_signal];
        const double off = event->external[j] - *slope * moved_s - value;
        p->read[j] = p->incoming[j] + off;
    }
}

static int is_unsure(double margin) { return margin > 1.0 / SURE && margin < SURE ? IS_UNSURE : 0; }

/* Returns the delay, s, of an event of the subsystem's own indicator or announced time, by the present errors. */
static double own_late(const wr_splitting_error *a, part *p, int i)
{
    if (isnan(p->late_s[i])) {
        const double most_s = MOST_LATE * a->longest_s;
        find_read(p, &p->watch.event[i], 0.0);
        const double late_s = wr_event_error_late(&p->events, &p->watch.event[i],
                                                  wr_propagation_error(p->carry), p->read, most_s);
        p->is_uncovered |= (fabs(late_s) >= most_s ? IS_UNKNOWN : 0) | is_unsure(p->events.margin);
        p->late_s[i] = isnan(late_s)   ? (double)INFINITY
                       : isinf(late_s) ? 0.0 /* unknown */
                                       : wr_clamp(late_s, -most_s, most_s);
    }
    return p->late_s[i];
}

/* Finds the own event nearest to t_s of a producer of p, or with is_any of any other subsystem. Returns -1 without such an event. */
static int origin_of(const wr_splitting_error *a, const part *p, double t_s, int is_any,
                     part **ret_origin)
{
    int i_nearest = -1;
    double nearest_s = (double)INFINITY;
    for (int i = 0; i < a->n_origin; i++) {
        part *const of = a->origin[i];
        int is_source = is_any;
        for (int j = 0; j < p->n_u && !is_source; j++)
            is_source = p->input[j].producer == of;
        if (p == of || !is_source)
            continue;
        for (int k = 0; k < of->watch.n_event; k++) {
            const double apart_s = fabs(of->watch.event[k].t_s - t_s);
            if (!is_own(&of->watch.event[k]) || !(apart_s < nearest_s))
                continue;
            nearest_s = apart_s;
            i_nearest = k;
            *ret_origin = of;
        }
    }
    return i_nearest;
}

/* Returns the delay, s, of an event that follows from jumps of inputs. The delay is the delay of the event's origin plus *ret_moved_s,
 * the time from the origin to the event. The origin is the event of another subsystem at the same instant. If the last sweep has shifted
 * that event, the origin is the nearest event of a producer, else of any subsystem. An event without origin follows from jumps at known
 * times, so its delay is 0. */
static double jump_late(const wr_splitting_error *a, part *p, const wr_event_point *event,
                        double *ret_moved_s)
{
    part *origin = NULL;
    *ret_moved_s = 0.0;
    int i = origin_of(a, p, event->t_s, 1, &origin);
    if (i < 0)
        return 0.0;
    if (!wr_time_close(event->t_s, origin->watch.event[i].t_s)) {
        int has_jump = wr_time_close(event->t_s, wr_wave_start(p->last));
        for (int j = 0; j < p->n_u && !has_jump; j++)
            has_jump =
                wr_time_close(nearest_jump(p->input[j].producer->last, event->t_s), event->t_s);
        if (has_jump)
            return 0.0;
        const int i_near = origin_of(a, p, event->t_s, 0, &origin);
        i = i_near >= 0 ? i_near : i;
        *ret_moved_s = event->t_s - origin->watch.event[i].t_s;
    }
    return *ret_moved_s + own_late(a, origin, i);
}

/* Finds the delay of an event and the errors of its inputs, before the event's round changes these errors. */
static void find_late(wr_splitting_error *a, part *p, wr_event_point *event)
{
    double moved_s = 0.0;
    if (event->round == 0)
        p->events.late_s =
            is_own(event) ? own_late(a, p, p->i_event) : jump_late(a, p, event, &moved_s);
    find_read(p, event, moved_s);
    for (int j = 0; j < p->n_u; j++) {
        const double come_in =
            fabs(p->read[j] - p->incoming[j]) / wr_propagation_size(p->carry, p->n_x + j);
        p->sweeps += come_in;
        p->through[j] += come_in;
    }
}

/* Tests a turn: without the errors the indicator may have crossed zero. If so, stores the changes of the event that the errors may have
 * prevented, for settle_turn(). */
static void pass_turn(const wr_splitting_error *a, part *p, wr_event_point *event)
{
    const double *const error = wr_propagation_error(p->carry);
    find_read(p, event, 0.0);
    const double late_s = wr_event_error_late(&p->events, event, error, p->read, a->longest_s);
    p->is_uncovered |= isinf(late_s) ? IS_UNKNOWN : 0;
    p->turn_error = wr_max(p->turn_error, event->depth / p->events.margin);
    if (p->events.margin < SURE && wr_event_error_miss(&p->events, event, error, p->read) != 0)
        p->is_uncovered |= IS_UNKNOWN;
}

/* Propagates the errors across an event. If the errors alone have made the event (is_made), all changes of the event are errors. */
static void pass_event(part *p, const wr_event_point *event)
{
    double *const error = wr_propagation_error(p->carry);
    const int is_made = isinf(p->events.late_s);
    if (is_made)
        wr_event_error_add(&p->events, event, error);
    /* is_again: the event repeats an event of the window before, which has made about the same change */
    if (!is_made || event->is_again)
        p->is_uncovered |= wr_event_error_pass(&p->events, event, error, p->read,
                                               is_made ? 0.0 : p->events.late_s);
}

/* Updates the errors of all published outputs, also of outputs that depend directly on inputs. */
static void show_all(wr_splitting_error *a)
{
    double change = 1.0, largest = 0.0;
    for (int k = 0; k < SWEEPS && change > AGREED * largest; k++) {
        change = 0.0;
        for (int i = 0; i < a->n; i++) {
            part *const p = &a->part[i];
            change = wr_max(change, wr_propagation_show(p->carry, incoming(p), NULL));
        }
        largest = wr_max(largest, change);
    }
}

/* Limits the errors of a subsystem after a jump, and updates the largest errors of discrete states. */
static void note_jump(part *p)
{
    wr_propagation_limit_states(p->carry, wr_propagation_error(p->carry));
    for (int k = 0; k < p->n_d; k++) {
        p->is_uncovered |= !isfinite(p->events.error[k]) ? IS_UNKNOWN : 0;
        p->events.error[k] = isfinite(p->events.error[k]) ? p->events.error[k] : 0.0;
        p->d_worst[k] = wr_max(p->d_worst[k], fabs(p->events.error[k]));
    }
    (void)wr_propagation_feel_discrete(p->carry);
}

/* Settles an event that a turn may have prevented. first: the event that begins the next window, or NULL. Returns 1 if errors have
 * jumped. */
static int settle_turn(part *p, const wr_event_point *first)
{
    if (!p->has_watch || !wr_event_error_settle(&p->events, first, wr_propagation_error(p->carry)))
        return 0;
    p->is_uncovered |= is_unsure(p->events.margin_missed);
    note_jump(p);
    return 1;
}

/* Returns the event of an indicator at the start of the last window, or NULL. */
static const wr_event_point *first_event(const part *p)
{
    const wr_event_point *const first = p->watch.event;
    const int is_first = p->watch.n_event > 0 && is_own(first) && first->i_z >= 0 &&
                         wr_time_close(first->t_s, wr_wave_start(p->last));
    return is_first ? first : NULL;
}

/* Returns the next event of a subsystem if this event belongs to the round of event `of`; else NULL. */
static wr_event_point *event_with(const part *p, const wr_event_point *of)
{
    if (p->i_event == p->watch.n_event)
        return NULL;
    wr_event_point *const event = &p->watch.event[p->i_event];
    return event->round == of->round && wr_time_close(event->t_s, of->t_s) ? event : NULL;
}

/* Propagates the errors across a round of the present instant in all subsystems. */
static void pass_round(wr_splitting_error *a, const wr_event_point *of)
{
    int is_any = 0;
    for (int i = 0; i < a->n_active; i++)
        if (a->active[i]->events.has_missed && event_with(a->active[i], of))
            is_any |= settle_turn(a->active[i], NULL);
    if (is_any)
        show_all(a);
    for (int i = 0; i < a->n_active; i++) {
        wr_event_point *const event = event_with(a->active[i], of);
        if (event && !event->is_turn)
            find_late(a, a->active[i], event);
    }
    for (int i = 0; i < a->n_active; i++) {
        part *const p = a->active[i];
        wr_event_point *const event = event_with(p, of);
        if (!event)
            continue;
        if (event->is_turn)
            pass_turn(a, p, event);
        else
            pass_event(p, event);
        note_jump(p);
        p->i_event++;
    }
    show_all(a);
}

/* Begins the events of a subsystem's last window, and lists a subsystem with events. Settles the event that a turn in the
 * window before may have prevented. Returns 1 if errors have jumped. */
static int begin_events(wr_splitting_error *a, part *p)
{
    p->i_event = 0;
    p->turn_error = -1.0;
    p->n_round += p->watch.n_event;
    if (p->has_watch && a->n_variable > FEW_VARIABLES &&
        EVENT_RHS * (p->n_round - FREE_ROUNDS) > EVENT_SHARE * p->n_rhs)
        set_watch(p, 0);
    int has_own = 0;
    for (int k = 0; k < p->watch.n_event; k++) {
        p->late_s[k] = (double)NAN;
        has_own |= is_own(&p->watch.event[k]);
    }
    if (has_own)
        a->origin[a->n_origin++] = p;
    p->is_uncovered |= p->watch.n_lost > 0 ? IS_UNKNOWN : 0;
    if (p->has_watch && (p->watch.n_event > 0 || isfinite(p->watch.lost_depth)))
        a->active[a->n_active++] = p;
    return p->events.has_missed && settle_turn(p, first_event(p));
}

/* Propagates the errors across the events of the last window. With is_carried the function also propagates errors from event to event;
 * otherwise errors are constant between events. has_jumped: errors have jumped at the window's start. */
static void pass_events(wr_splitting_error *a, int has_jumped, int is_carried, int is_limited)
{
    if (has_jumped)
        show_all(a);
    const double least_s = a->since_s / MOST_PIECES;
    for (const wr_event_point *event = next_event(a); event; event = next_event(a)) {
        if (is_carried && event->t_s - a->at_s > least_s)
            carry_piece(a, event->t_s, is_limited);
        pass_round(a, event);
    }
    /* turns without memory in the watch may have errors as large as the stored turns */
    for (int i = 0; i < a->n_active; i++) {
        part *const p = a->active[i];
        const double depth = p->watch.lost_depth;
        if (isfinite(depth) && (p->turn_error < 0.0 || depth < SURE * p->turn_error))
            p->is_uncovered |= IS_UNKNOWN;
    }
}

/* Propagates the errors over the windows since the last propagation. is_over: 1: no window follows. The function has few loops over the
 * subsystems, because the data of many subsystems exceed the caches. */
static void carry(wr_splitting_error *a, int is_over)
{
    const double h = a->since_s;
    a->n_near = a->n_window > FEW_WINDOWS ? 0 : a->n_near + (a->n_near <= a->n_column);
    /* Each propagation measures at most one column of J, so with more than ALIKE columns the oldest column is from a distant point. */
    const int is_limited = a->n_near <= a->n_column || a->n_column > ALIKE;
    for (int i = 0; i < a->n; i++) {
        part *const p = &a->part[i];
        find_wave_error(p);
        a->spent += wr_propagation_measure(p->carry, a->n_window > FEW_WINDOWS);
        if (p->has_watch)
            (void)wr_propagation_feel_discrete(p->carry);
    }
    const double end_s = wr_wave_end(a->part[0].last);
    a->at_s = end_s - h;
    a->n_active = a->n_origin = 0;
    int has_jumped = 0;
    for (int i = 0; i < a->n; i++) {
        find_means(&a->part[i], h, a->n_window, a->is_sample);
        has_jumped |= begin_events(a, &a->part[i]);
    }
    pass_events(a, has_jumped, a->n_variable <= FEW_VARIABLES, is_limited);
    if (!(a->at_s < end_s) || wr_time_close(a->at_s, end_s))
        show_all(a);
    else
        carry_piece(a, end_s, is_limited);
    for (int i = 0; i < a->n; i++) {
        end_part(&a->part[i]);
        note_sources(&a->part[i], h);
        if (!is_over)
            end_window(&a->part[i]);
    }
    a->since_s = 0.0;
    a->n_window = 0;
}

void wr_splitting_error_propagation(wr_splitting_error *a)
{
    const int is_burst = a->effect > BURST * a->effects && a->spent <= BURST_MORE * a->allowed;
    a->effects += a->effect;
    if (a->spent <= a->allowed || is_burst) {
        a->is_sample = !is_burst && a->n_window > FEW_WINDOWS;
        a->effects = 0.0;
        a->spent += a->cost;
        carry(a, 0);
        return;
    }
    int has_jumped = 0;
    a->n_active = a->n_origin = 0;
    for (int i = 0; i < a->n; i++)
        has_jumped |= begin_events(a, &a->part[i]);
    pass_events(a, has_jumped, 0, 0);
    for (int i = 0; i < a->n; i++)
        end_window(&a->part[i]);
}

void wr_splitting_error_close(wr_splitting_error *a)
{
    int has_jumped = 0;
    for (int i = 0; i < a->n; i++)
        has_jumped |= a->part[i].events.has_missed && settle_turn(&a->part[i], NULL);
    if (has_jumped)
        show_all(a);
    for (int i = 0; i < a->n && has_jumped && a->n_window == 0; i++) {
        a->part[i].has_rows = 1;
        end_part(&a->part[i]);
    }
    if (a->n_window == 0)
        return;
    a->is_sample = a->n_window > ALIKE;
    a->effects = 0.0;
    for (int i = 0; i < a->n; i++)
        /* the errors are already propagated across all events */
        wr_step_watch_clear(&a->part[i].watch);
    carry(a, 1);
}

/* Returns the largest error of a subsystem, relative to the ranges of its variables. */
static double error_of(const part *p)
{
    double error = 0.0;
    for (int k = 0; k < p->n_d && p->has_watch; k++)
        error = wr_max(error, wr_propagation_relative(p->d_worst[k], p->d_high[k] - p->d_low[k]));
    for (int k = 0; k < p->n_x + p->n_y; k++)
        error =
            wr_max(error, wr_propagation_relative(p->worst[k], wr_propagation_range(p->carry, k)));
    return error;
}

wr_splitting_error_sum wr_splitting_error_get(const wr_splitting_error *a, int i)
{
    const part *const p = &a->part[i];
    wr_splitting_error_sum sum = {.error = error_of(p),
                                  .waves = p->waves,
                                  .readers = p->readers,
                                  .sweeps = p->sweeps,
                                  .i_external = -1};
    double largest = 0.0;
    for (int k = 0; k < a->n && p->is_uncovered; k++)
        largest = wr_max(largest, error_of(&a->part[k]));
    sum.is_uncovered =
        p->n_u > 0 && ((p->is_uncovered & IS_UNKNOWN) ||
                       (p->is_uncovered && !(largest >= ENOUGH)) || !p->subsystem->ops->tangent);
    for (int j = 0; j < p->n_u; j++)
        if (p->through[j] > sum.through) {
            sum.through = p->through[j];
            sum.i_external = j;
        }
    return sum;
}

/* ---- state ---- */

void wr_splitting_error_state(wr_splitting_error *a, wr_state_io *io)
{
    wr_state_agree(io, a->n);
    WR_STATE(io, a->since_s);
    WR_STATE(io, a->length_s);
    WR_STATE(io, a->longest_s);
    WR_STATE(io, a->allowed);
    WR_STATE(io, a->spent);
    WR_STATE(io, a->effect);
    WR_STATE(io, a->effects);
    WR_STATE(io, a->n_window);
    WR_STATE(io, a->is_sample);
    WR_STATE(io, a->n_near);
}

void wr_splitting_error_part_state(wr_splitting_error *a, int i, wr_state_io *io,
                                   const wr_wave *last)
{
    part *const p = &a->part[i];
    array_room room[ROOMS];
    list_rooms(p, room);
    for (int k = 0; k < ROOMS; k++)
        if (room[k].is_kept)
            WR_STATE_ARRAY(io, *room[k].array, room[k].n);
    wr_propagation_state(p->carry, io);
    WR_STATE(io, p->node_s);
    WR_STATE(io, p->has_unseen);
    WR_STATE(io, p->has_rows);
    WR_STATE(io, p->is_uncovered);
    WR_STATE(io, p->n_round);
    WR_STATE(io, p->n_rhs);
    WR_STATE_ARRAY(io, p->watch.mode_before, p->watch.n_mode);
    WR_STATE(io, p->watch.is_accepted);
    const int has_watch = (int)wr_state_count(io, p->has_watch, 1);
    if (p->events.subsystem)
        wr_event_error_state(&p->events, io);
    if (wr_state_reads(io) && p->events.subsystem)
        set_watch(p, has_watch);
    WR_STATE(io, p->waves);
    WR_STATE(io, p->readers);
    WR_STATE(io, p->sweeps);
    if (wr_state_reads(io))
        p->last = last;
}
