/* The account of the splitting's own error. See account.h.
 *
 * Thread: as there. Real-time: yes after placing.
 */
#include "runtime/relax/account.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/carry.h"

/* Right-hand sides it may spend, of those integrated: so much over the square of the number of states and
 * inputs, as those of few cost little beside what is done around them, and so many times that for windows that
 * outweigh all since the last one by so much. */
static const double SHARE = 3.0, SHARE_MOST = 0.5, BURST_MORE = 1.5, BURST = 2.0;
enum { FEW_WINDOWS = 2, ALIKE = 16 /* windows that are alike */ };
enum { SWEEPS = 6 }; /* over the subsystems, at most */
static const double AGREED = 0.02;

static const double SWEEP_MEAN = 1.0 / 3.0;    /* of a change that grows like the square of time */
static const double WAVE_MEAN = 1.0 / 720.0;   /* of h^4 y'''' */
static const double WAVE_MOST = 720.0 / 384.0; /* of the mean */
static const double STEP_RATIO = 4.0;          /* of two steps that a difference is taken over */
static const double UNSEEN = 0.3; /* of what steps missed, were that at its largest all the time */

typedef struct part part;

typedef struct input {
    const part *producer;
    int i_signal;
} input;

/* What is kept of a subsystem. */
struct part {
    wr_subsystem *subsystem;
    wr_carry *carry;
    int n_x, n_u, n_y;
    input *input;         /* [n_u] */
    double *worst;        /* [n_x + n_y] the largest errors */
    double node_s, *node; /* [2 n_y] the last wave's node before its last; NaN: none */
    const wr_wave *last;  /* the last window's */
    /* Over time, since errors were carried on. */
    double *unseen; /* [n_x] */
    int has_unseen, has_rows;
    double *sweep;  /* [n_u] of inputs, in windows whose effect is not known; */
    double *source; /* [n_x] what it is in the others */
    /* What has come in. */
    double waves, readers, sweeps, *through; /* [n_u] */
    /* Work space. */
    double *wave;       /* [n_y] mean error of the last wave */
    double *mean, *end; /* [n_u] what inputs err by beside their producers' errors */
    double *incoming;   /* [n_u] those */
};

struct wr_account {
    int n;
    part *part;
    double since_s, allowed, spent;
    double effect, effects; /* of this window, and of those before */
    int n_window;           /* since errors were carried on */
    int is_sample;          /* this window stands for all of them */
    int n_column,
        n_near; /* of the largest J; times in a row that few windows were between: <= n_column: J
                               is older than that somewhere */
};

/* ---- placing ---- */

wr_account *wr_account_place(wr_arena *arena, int n)
{
    wr_account *const a = WR_NEW(arena, wr_account);
    if (!a || !(a->part = WR_NEW_ARRAY(arena, part, n)))
        return NULL;
    a->n = n;
    return a;
}

/* An array of a part. */
typedef struct array_room {
    double **array;
    int n;
    int is_kept; /* from one window to the next; the others are made anew each time */
} array_room;

enum { ROOMS = 10 };

static void list_rooms(part *p, array_room ret_room[ROOMS])
{
    const int n_x = p->n_x, n_u = p->n_u, n_y = p->n_y;
    const array_room rooms[ROOMS] = {{&p->worst, n_x + n_y, 1}, {&p->node, 2 * n_y, 1},
                                     {&p->sweep, n_u, 1},       {&p->through, n_u, 1},
                                     {&p->wave, n_y, 0},        {&p->mean, n_u, 0},
                                     {&p->end, n_u, 1},         {&p->incoming, n_u, 0},
                                     {&p->unseen, n_x, 1},      {&p->source, n_x, 1}};
    memcpy(ret_room, rooms, sizeof rooms);
}

int wr_account_place_part(wr_account *a, wr_arena *arena, int i, wr_subsystem *s)
{
    part *const p = &a->part[i];
    array_room room[ROOMS];
    p->subsystem = s;
    p->n_x = s->n_x;
    p->n_u = s->n_external;
    p->n_y = s->n_published;
    p->node_s = (double)NAN;
    p->input = WR_NEW_ARRAY(arena, input, p->n_u);
    p->carry = wr_carry_place(arena, s);
    if (!p->input || !p->carry)
        return -1;
    list_rooms(p, room);
    for (int k = 0; k < ROOMS; k++)
        if (!(*room[k].array = WR_NEW_ARRAY(arena, double, room[k].n)))
            return -1;
    if (p->n_x + p->n_u > a->n_column)
        a->n_column = p->n_x + p->n_u;
    a->n_near = a->n_column; /* all is measured at first */
    return 0;
}

void wr_account_read(wr_account *a, int i, int i_external, int i_producer, int i_signal)
{
    a->part[i].input[i_external] = (input){&a->part[i_producer], i_signal};
}

/* ---- what waves miss ---- */

/* A node of a wave: the one before its first is that of the window before. */
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

/* The fourth derivative from three nodes, into the errors of the cubic over the last step or, where the
 * three are the first of all, both. */
static void add_step(part *p, node left, node middle, node right, double length_s)
{
    const double h1 = middle.t_s - left.t_s, h2 = right.t_s - middle.t_s;
    if (!(h1 > 0.0) || !(h2 > 0.0) || !(h2 < STEP_RATIO * h1) || !(h1 < STEP_RATIO * h2))
        return;
    const wr_hermite w = wr_hermite_at(left.t_s, right.t_s, middle.t_s);
    const double per = 24.0 / (h1 * h1 * h2 * h2);
    const double mean = WAVE_MEAN * per * (h2 * h2 * h2 * h2) * (h2 / length_s);
    for (int i = 0; i < p->n_y; i++) {
        const double off = middle.value[i] - wr_hermite_value(&w, left.value[i], right.value[i],
                                                              left.slope[i], right.slope[i]);
        p->wave[i] -= mean * off;
    }
}

static void look_at_wave(part *p, const wr_wave *wave)
{
    const double length_s = wr_wave_end(wave) - wr_wave_start(wave);
    memset(p->wave, 0, (size_t)p->n_y * sizeof *p->wave);
    for (int i = isnan(p->node_s) ? 2 : 1; i < wave->n_node && length_s > 0.0; i++)
        add_step(p, node_of(p, wave, i - 2), node_of(p, wave, i - 1), node_of(p, wave, i),
                 length_s);
}

static void keep_node(part *p, const wr_wave *wave)
{
    p->node_s = (double)NAN;
    if (wave->n_node < 2 || p->n_y == 0)
        return;
    const node last = node_of(p, wave, wave->n_node - 2);
    p->node_s = last.t_s;
    memcpy(p->node, last.value, (size_t)p->n_y * sizeof *p->node);
    memcpy(p->node + p->n_y, last.slope, (size_t)p->n_y * sizeof *p->node);
}

/* ---- carrying errors on ---- */

/* Of the inputs, by what their producers err. */
static const double *incoming(part *p)
{
    for (int j = 0; j < p->n_u; j++)
        p->incoming[j] = wr_carry_output(p->input[j].producer->carry)[p->input[j].i_signal];
    return p->incoming;
}

/* What inputs err by beside their producers' errors: in the mean over the time since, and at its end. Over
 * many windows the last one stands for all, as large changes are accepted where they do not matter, and what
 * matters is known at its end only; errors of windows far apart have signs of their own. */
static void find_means(part *p, double since_s, int n_window, int is_sample)
{
    const double by = is_sample && n_window > ALIKE ? sqrt(ALIKE / (double)n_window) : 1.0;
    const double wave_by = is_sample ? 1.0 / sqrt((double)n_window) : 1.0;
    for (int j = 0; j < p->n_u; j++) {
        const double moved = p->end[j];
        if (is_sample && !p->subsystem->has_effect)
            p->sweep[j] = -SWEEP_MEAN * since_s * moved;
        else if (is_sample)
            p->sweep[j] = 0.0;
        const double wave = p->input[j].producer->wave[p->input[j].i_signal];
        p->mean[j] = wave_by * wave + by * p->sweep[j] / since_s;
        p->end[j] = WAVE_MOST * wave - moved;
    }
}

static void end_part(part *p)
{
    double *const error = wr_carry_error(p->carry);
    const double *const output = wr_carry_output(p->carry);
    for (int k = 0; k < p->n_x && p->has_unseen; k++)
        error[k] += UNSEEN * p->unseen[k];
    for (int k = 0; k < p->n_x && p->has_rows; k++)
        p->worst[k] = wr_max(p->worst[k], fabs(error[k]));
    for (int i = 0; i < p->n_y && p->has_rows; i++)
        p->worst[p->n_x + i] = wr_max(p->worst[p->n_x + i], fabs(output[i]));
}

/* ---- where errors come from ---- */

static void note_sources(part *p, double since_s)
{
    for (int j = 0; j < p->n_u; j++) {
        const double weight = wr_carry_weight(p->carry, j) / wr_carry_size(p->carry, p->n_x + j);
        const double missed = p->input[j].producer->wave[p->input[j].i_signal];
        const double wave = weight * since_s * fabs(missed), sweep = weight * fabs(p->sweep[j]);
        p->waves += wave;
        p->sweeps += sweep;
        p->through[j] += wave + sweep;
        if (p->subsystem->has_effect)
            p->through[j] += weight * SWEEP_MEAN * since_s * fabs(p->end[j]);
    }
    double unseen = 0.0, sweeps = 0.0;
    for (int k = 0; k < p->n_x; k++) {
        unseen = wr_max(unseen, UNSEEN * fabs(p->unseen[k]) / wr_carry_size(p->carry, k));
        sweeps = wr_max(sweeps, fabs(p->source[k]) / wr_carry_size(p->carry, k));
        p->unseen[k] = p->source[k] = 0.0;
    }
    p->readers += unseen;
    p->sweeps += sweeps;
    p->has_unseen = 0;
    p->has_rows = 0;
    memset(p->sweep, 0, (size_t)p->n_u * sizeof *p->sweep);
}

/* ---- windows ---- */

static double share_of(double n) { return wr_min(SHARE_MOST, SHARE / (n * n)); }

void wr_account_note(wr_account *a, int i, double length_s, const wr_account_window *window)
{
    part *const p = &a->part[i];
    const wr_subsystem *const s = p->subsystem;
    if (i == 0) {
        a->since_s += length_s;
        a->n_window++;
    }
    a->effect = i == 0 ? window->effect : wr_max(a->effect, window->effect);
    a->allowed += window->n_rhs * share_of(p->n_x + p->n_u + 1);
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
    wr_carry_note_ranges(p->carry, window->wave);
}

static double largest_error(const wr_account *a)
{
    double largest = 0.0;
    for (int i = 0; i < a->n; i++)
        largest = wr_max(largest, wr_carry_largest(a->part[i].carry));
    return largest;
}

/* Over many windows a derivative at one time says nothing of growth: there errors do not grow by
 * themselves. */
static void limit_growth(wr_account *a, double before, double h)
{
    double most = before;
    for (int i = 0; i < a->n; i++)
        most += wr_carry_response(a->part[i].carry, h, a->part[i].end, a->part[i].source);
    const double now = largest_error(a);
    for (int i = 0; i < a->n && now > most; i++)
        wr_carry_scale(a->part[i].carry, most / now);
}

static void carry(wr_account *a)
{
    const double h = a->since_s;
    a->n_near = a->n_window > FEW_WINDOWS ? 0 : a->n_near + (a->n_near <= a->n_column);
    /* Columns are measured one at a time: of more than are alike the oldest is not of here. */
    const int is_limited = a->n_near <= a->n_column || a->n_column > ALIKE;
    const double before = is_limited ? largest_error(a) : 0.0;
    double change = 1.0, largest = 0.0;
    for (int i = 0; i < a->n; i++)
        look_at_wave(&a->part[i], a->part[i].last);
    for (int i = 0; i < a->n; i++) {
        part *const p = &a->part[i];
        find_means(p, h, a->n_window, a->is_sample);
        a->spent += wr_carry_measure(p->carry, a->n_window > FEW_WINDOWS);
        wr_carry_begin(p->carry, h, incoming(p), p->mean, a->n_window <= ALIKE);
    }
    for (int k = 0; k < SWEEPS && change > AGREED * largest; k++) {
        change = 0.0;
        for (int i = 0; i < a->n; i++) {
            part *const p = &a->part[i];
            change = wr_max(change, wr_carry_on(p->carry, h, incoming(p), p->end, p->source));
        }
        largest = wr_max(largest, change);
    }
    if (is_limited)
        limit_growth(a, before, h);
    for (int i = 0; i < a->n; i++) {
        end_part(&a->part[i]);
        note_sources(&a->part[i], h);
    }
    a->since_s = 0.0;
    a->n_window = 0;
}

void wr_account_carry(wr_account *a)
{
    double cost = 0.0;
    for (int i = 0; i < a->n; i++)
        cost += wr_carry_cost(a->part[i].carry);
    const int is_burst = a->effect > BURST * a->effects && a->spent <= BURST_MORE * a->allowed;
    a->effects += a->effect;
    if (a->spent <= a->allowed || is_burst) {
        a->is_sample = !is_burst && a->n_window > FEW_WINDOWS;
        a->effects = 0.0;
        a->spent += cost;
        carry(a);
    }
    for (int i = 0; i < a->n; i++)
        keep_node(&a->part[i], a->part[i].last);
}

void wr_account_close(wr_account *a)
{
    if (a->n_window == 0)
        return;
    a->is_sample = a->n_window > ALIKE;
    a->effects = 0.0;
    carry(a);
}

wr_account_sum wr_account_get(const wr_account *a, int i)
{
    const part *const p = &a->part[i];
    wr_account_sum sum = {
        .waves = p->waves, .readers = p->readers, .sweeps = p->sweeps, .i_external = -1};
    for (int k = 0; k < p->n_x + p->n_y; k++)
        sum.error = wr_max(sum.error, wr_carry_relative(p->worst[k], wr_carry_range(p->carry, k)));
    for (int j = 0; j < p->n_u; j++)
        if (p->through[j] > sum.through) {
            sum.through = p->through[j];
            sum.i_external = j;
        }
    return sum;
}

/* ---- state ---- */

void wr_account_state(wr_account *a, wr_state_io *io)
{
    wr_state_agree(io, a->n);
    WR_STATE(io, a->since_s);
    WR_STATE(io, a->allowed);
    WR_STATE(io, a->spent);
    WR_STATE(io, a->effect);
    WR_STATE(io, a->effects);
    WR_STATE(io, a->n_window);
    WR_STATE(io, a->is_sample);
    WR_STATE(io, a->n_near);
}

void wr_account_part_state(wr_account *a, int i, wr_state_io *io, const wr_wave *last)
{
    part *const p = &a->part[i];
    array_room room[ROOMS];
    list_rooms(p, room);
    for (int k = 0; k < ROOMS; k++)
        if (room[k].is_kept)
            WR_STATE_ARRAY(io, *room[k].array, room[k].n);
    wr_carry_state(p->carry, io);
    WR_STATE(io, p->node_s);
    WR_STATE(io, p->has_unseen);
    WR_STATE(io, p->has_rows);
    WR_STATE(io, p->waves);
    WR_STATE(io, p->readers);
    WR_STATE(io, p->sweeps);
    if (wr_state_reads(io))
        p->last = last;
}
