/* The course with the right inputs. See delay_shadow.h. Thread: as in delay_shadow.h. Real-time: yes after placing. */
#include "runtime/slack/delay_shadow.h"

#include <math.h>
#include <string.h>

/* input error, in tolerances, below which the shadow reads the published wave itself (assumed) */
static const double NEGLIGIBLE = 0.01;
/* capacity of the copy of a wave that a period reads: the largest number of nodes of a prediction (WR_PREDICT_NODES) */
enum { READ_NODES = 128 };
/* Capacities in nodes, as multiples of a wave's capacity. A difference has the nodes of the published wave and of the shadow's wave. An
 * input has the nodes of the published wave and of the difference. */
enum { DIFFERENCE_FACTOR = 2, INPUT_FACTOR = 4 };

typedef struct shadow_source {
    int n_signal;
    wr_wave *known;  /* difference of the producer from its shadow, from used_s on */
    wr_wave *spare;  /* memory for the next difference */
    wr_wave *joined; /* joined waves, if a period has several published waves */
    wr_wave *input;
    double used_s;   /* time up to which the shadow has read differences, s */
    int64_t version; /* version of the last difference read */
    double *error;   /* [n_signal] errors of a producer without a shadow */
} shadow_source;

struct wr_delay_shadow {
    wr_subsystem *subsystem;
    wr_delay_shadow_options options;
    shadow_source *source;     /* [n_source] */
    const wr_wave **input;     /* [n_source] */
    size_t cap_bytes, n_bytes; /* capacity of `bytes`, and bytes of the shadow's state at t_s */
    unsigned char *bytes;      /* [cap_bytes] state of the shadow */
    unsigned char *other;      /* [cap_bytes] saved state of the subsystem */
    double t_s;                /* time of the shadow, s */
    int is_valid;              /* 0: the shadow begins anew in the next opened period */
    int had_instant; /* 1: an event or a jump of an input may have occurred since the last row */
    wr_wave *wave;   /* wave of the shadow */
    wr_wave *difference; /* difference in the last period */
    /* differences in all periods since the last call of wr_delay_shadow_take_difference() */
    wr_wave *differences;
    double *error, *output; /* [n_x], [n_published] errors at the end of the last period */
    wr_delay_compare ends;  /* comparison of states, discrete states and published outputs */
    wr_delay_compare rows;  /* comparison of recorded variables */
    double size;
    int i_state;
    int64_t n_rhs;
    /* Work space. */
    double *value, *slope;             /* [largest n_signal] */
    double *read, *right, *mean, *off; /* [n_external] */
};

static void copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- placing ---- */

int wr_delay_shadow_is_possible(const wr_subsystem *s)
{
    return wr_subsystem_has_state(s) && s->ops->place_watch &&
           !(s->flags &
             (WR_SUBSYSTEM_CANNOT_RESTORE | WR_SUBSYSTEM_IS_PLAYED | WR_SUBSYSTEM_NO_PROBE));
}

static int place_source(shadow_source *source, wr_arena *arena, int n_signal, int cap_node)
{
    const int cap = INPUT_FACTOR * cap_node;
    *source = (shadow_source){.n_signal = n_signal,
                              .known = wr_wave_place(arena, n_signal, cap),
                              .spare = wr_wave_place(arena, n_signal, cap),
                              .joined = wr_wave_place(arena, n_signal, cap),
                              .input = wr_wave_place(arena, n_signal, cap),
                              .error = WR_NEW_ARRAY(arena, double, n_signal)};
    return source->known && source->spare && source->joined && source->input && source->error ? 0
                                                                                              : -1;
}

wr_delay_shadow *wr_delay_shadow_place(wr_arena *arena, wr_subsystem *s, const int *n_signal,
                                       const wr_delay_shadow_options *options)
{
    wr_delay_shadow *const w = WR_NEW(arena, wr_delay_shadow);
    wr_state_io io = wr_state_measure();
    int most = s->n_published;
    if (!w)
        return NULL;
    wr_subsystem_state(s, &io);
    const int cap_difference = DIFFERENCE_FACTOR * options->cap_node;
    *w = (wr_delay_shadow){.subsystem = s,
                           .options = *options,
                           .cap_bytes = io.n_bytes,
                           .i_state = -1,
                           .source = WR_NEW_ARRAY(arena, shadow_source, s->n_source),
                           .input = WR_NEW_ARRAY(arena, const wr_wave *, s->n_source),
                           .bytes = wr_arena_push(arena, io.n_bytes, 1),
                           .other = wr_arena_push(arena, io.n_bytes, 1),
                           .wave = wr_wave_place(arena, s->n_published, options->cap_node),
                           .difference = wr_wave_place(arena, s->n_published, cap_difference),
                           .differences = wr_wave_place(arena, s->n_published, cap_difference),
                           .error = WR_NEW_ARRAY(arena, double, s->n_x),
                           .output = WR_NEW_ARRAY(arena, double, s->n_published)};
    if (!w->source || !w->input || !w->bytes || !w->other || !w->wave || !w->difference ||
        !w->differences || !w->error || !w->output ||
        wr_delay_compare_place(&w->ends, arena, s->n_x + s->n_d + s->n_published) != 0 ||
        wr_delay_compare_place(&w->rows, arena, s->n_recorded) != 0)
        return NULL;
    copy(w->ends.least, s->atol_x, s->n_x);
    copy(w->ends.least + s->n_x + s->n_d, s->atol_published, s->n_published);
    for (int i = 0; i < s->n_source; i++) {
        if (place_source(&w->source[i], arena, n_signal[i], options->cap_node) != 0)
            return NULL;
        w->source[i].used_s = s->t_s;
        most = n_signal[i] > most ? n_signal[i] : most;
    }
    return WR_NEW_DOUBLES(arena, most, &w->value, &w->slope) == 0 &&
                   WR_NEW_DOUBLES(arena, s->n_external, &w->read, &w->right, &w->mean, &w->off) == 0
               ? w
               : NULL;
}

int wr_delay_period_place(wr_delay_period *period, wr_arena *arena, const wr_subsystem *s,
                          const int *n_signal, const wr_delay_shadow_options *options)
{
    *period = (wr_delay_period){.read = WR_NEW_ARRAY(arena, wr_wave *, s->n_source),
                                .x = WR_NEW_ARRAY(arena, double, s->n_x),
                                .d = WR_NEW_ARRAY(arena, double, s->n_d),
                                .wave = wr_wave_place(arena, s->n_published, options->cap_node),
                                .row_s = WR_NEW_ARRAY(arena, double, options->cap_row),
                                .row_value =
                                    WR_NEW_ARRAY(arena, double, options->cap_row * s->n_recorded)};
    if (!period->read)
        return -1;
    for (int i = 0; i < s->n_source; i++)
        if (!(period->read[i] = wr_wave_place(arena, n_signal[i], READ_NODES)))
            return -1;
    return period->x && period->d && period->wave && period->row_s && period->row_value ? 0 : -1;
}

/* ---- a period of the subsystem ---- */

void wr_delay_shadow_open(wr_delay_shadow *w)
{
    if (w->is_valid)
        return;
    wr_state_io io = wr_state_writer(w->bytes, w->cap_bytes, 0);
    wr_subsystem_state(w->subsystem, &io);
    w->n_bytes = io.n_bytes;
    w->t_s = w->subsystem->t_s;
    w->is_valid = 1;
    wr_delay_compare_restart(&w->ends);
    wr_delay_compare_restart(&w->rows);
}

/* Copies the nodes of the inputs around the period. If a wave has too many nodes, its copy is empty. */
void wr_delay_period_open(wr_delay_period *p, const wr_subsystem *s)
{
    for (int i = 0; i < s->n_source; i++) {
        const wr_wave *const wave = s->source[i];
        wr_wave *const to = p->read[i];
        const size_t n = (size_t)wave->n_signal;
        int first = 0, end = wave->n_node;
        while (first + 2 < wave->n_node && wave->t_s[first + 1] <= p->start_s)
            first++;
        while (end > first + 2 && wave->t_s[end - 2] >= p->end_s)
            end--;
        wr_wave_clear(to);
        for (int k = first; k < end && end - first <= to->cap_node; k++)
            (void)wr_wave_append(to, wave->t_s[k], wave->value + (size_t)k * n,
                                 wave->slope + (size_t)k * n);
    }
}

void wr_delay_period_close(wr_delay_period *p, const wr_subsystem *s, int cap_row)
{
    copy(p->x, s->x, s->n_x);
    copy(p->d, s->d, s->n_d);
    if (s->n_published > 0)
        (void)wr_wave_copy(p->wave, s->wave); /* both waves have the same capacity */
    p->n_row = 0;
    for (int i = 0; i < s->n_row && p->n_row < cap_row; i++) {
        if (s->row_kind[i] != WR_ROW_COMMUNICATION)
            continue;
        p->row_s[p->n_row] = s->row_time_s[i];
        copy(p->row_value + (size_t)p->n_row * (size_t)s->n_recorded,
             s->row_value + (size_t)i * (size_t)s->n_recorded, s->n_recorded);
        p->n_row++;
    }
}

void wr_delay_period_state(wr_delay_period *p, const wr_subsystem *s, int cap_row, wr_state_io *io)
{
    const int n_row = (int)wr_state_count(io, p->n_row, cap_row);
    if (wr_state_reads(io))
        p->n_row = n_row;
    WR_STATE(io, p->start_s);
    WR_STATE(io, p->end_s);
    for (int i = 0; i < s->n_source; i++)
        wr_wave_state(p->read[i], io);
    WR_STATE_ARRAY(io, p->x, s->n_x);
    WR_STATE_ARRAY(io, p->d, s->n_d);
    wr_wave_state(p->wave, io);
    WR_STATE_ARRAY(io, p->row_s, n_row);
    WR_STATE_ARRAY(io, p->row_value, (size_t)n_row * (size_t)s->n_recorded);
}

/* ---- waves ---- */

/* A wave with a cursor that moves forward in time. The wave is constant beyond its ends, and 0 with fewer than two nodes. */
typedef struct track {
    const wr_wave *wave;
    wr_cursor cursor;
} track;

static track track_from(const wr_wave *wave, double t_s)
{
    track it = {wave, wr_cursor_start()};
    if (wave->n_node > 1)
        wr_cursor_pass(&it.cursor, wave, t_s);
    return it;
}

/* Returns the time of the next node after t_s; INFINITY: none. */
static double next_node(const track *it, double t_s)
{
    const int i =
        it->wave->n_node > 1 ? wr_wave_node_after(it->wave, &it->cursor, t_s) : it->wave->n_node;
    return i < it->wave->n_node ? it->wave->t_s[i] : (double)INFINITY;
}

static void read_track(track *it, double t_s, double *ret_value, double *ret_slope)
{
    const wr_wave *const wave = it->wave;
    const int n = wave->n_signal;
    if (wave->n_node < 2) {
        memset(ret_value, 0, (size_t)n * sizeof *ret_value);
        memset(ret_slope, 0, (size_t)n * sizeof *ret_slope);
        return;
    }
    const double at_s = wr_clamp(t_s, wr_wave_start(wave), wr_wave_end(wave));
    const wr_piece piece = wr_wave_piece(wave, &it->cursor, at_s);
    if (piece.t1_s > piece.t0_s) {
        wr_piece_values(&piece, at_s, n, ret_value);
        wr_piece_slopes(&piece, at_s, n, ret_slope);
    } else {
        copy(ret_value, piece.y1, n);
        copy(ret_slope, piece.s1, n);
    }
    if (at_s < t_s || at_s > t_s)
        memset(ret_slope, 0, (size_t)n * sizeof *ret_slope);
}

/* Appends a(t_s) - b(b_s) as a node at t_s. */
static wrsim_status append_difference(wr_delay_shadow *w, wr_wave *to, double t_s, track *a,
                                      track *b, double b_s)
{
    const int n = to->n_signal;
    double *value, *slope;
    WR_TRY(wr_wave_extend(to, t_s, &value, &slope));
    read_track(a, t_s, value, slope);
    read_track(b, b_s, w->value, w->slope);
    for (int i = 0; i < n; i++) {
        value[i] -= w->value[i];
        slope[i] -= w->slope[i];
    }
    return WRSIM_OK;
}

/* Writes a(t) - b(t - lag) from start to end, with the nodes of a and b. If a wave jumps at the start, the value on the right counts. */
static wrsim_status subtract(wr_delay_shadow *w, wr_wave *to, const wr_wave *wave_a,
                             const wr_wave *wave_b, double lag_s, double start_s, double end_s)
{
    track a = track_from(wave_a, start_s), b = track_from(wave_b, start_s - lag_s);
    double t_s = start_s, b_s = start_s - lag_s;
    wr_wave_clear(to);
    WR_TRY(append_difference(w, to, t_s, &a, &b, b_s));
    do {
        const double next_a = next_node(&a, t_s), next_b = next_node(&b, b_s);
        t_s = wr_min(wr_min(next_a, next_b + lag_s), end_s);
        const int is_b = wr_time_close(next_b + lag_s, t_s) || next_b + lag_s <= t_s;
        const int is_a = wr_time_close(next_a, t_s);
        if (wr_time_close(t_s, end_s))
            t_s = end_s;
        else if (is_a)
            t_s = next_a;
        b_s = is_b ? next_b : t_s - lag_s;
        WR_TRY(append_difference(w, to, t_s, &a, &b, b_s));
        if (is_a && wave_a->n_node > 1)
            wr_cursor_pass(&a.cursor, wave_a, wr_max(t_s, next_a));
        if (is_b && wave_b->n_node > 1)
            wr_cursor_pass(&b.cursor, wave_b, b_s);
        if ((!is_a || wave_a->n_jump == 0) && (!is_b || wave_b->n_jump == 0))
            continue;
        WR_TRY(append_difference(w, to, t_s, &a, &b, b_s));
        const size_t n = (size_t)to->n_signal, last = (size_t)(to->n_node - 1) * n;
        if (n == 0 || (memcmp(to->value + last, to->value + last - n, n * sizeof(double)) == 0 &&
                       memcmp(to->slope + last, to->slope + last - n, n * sizeof(double)) == 0)) {
            to->n_node--; /* both nodes are equal: no jump */
            to->n_jump--;
        }
    } while (t_s < end_s);
    return WRSIM_OK;
}

/* Appends the nodes of a wave from from_s on. */
static wrsim_status append_wave(wr_wave *to, const wr_wave *wave, double from_s)
{
    const size_t n = (size_t)wave->n_signal;
    for (int i = 0; i < wave->n_node; i++)
        if (wave->t_s[i] >= from_s)
            WR_TRY(wr_wave_append(to, wave->t_s[i], wave->value + (size_t)i * n,
                                  wave->slope + (size_t)i * n));
    return WRSIM_OK;
}

/* ---- inputs ---- */

/* Returns the published wave of the period: one wave, or several joined waves. Returns NULL if the nodes do not fit, or if a wave is
 * missing. */
static const wr_wave *find_published(shadow_source *source, const wr_delay_producers *producers,
                                     int i_source, double start_s, double end_s)
{
    const wr_wave *wave = producers->published(producers->context, i_source, start_s);
    if (!(wr_wave_end(wave) < end_s) || wr_time_close(wr_wave_end(wave), end_s))
        return wave;
    wr_wave_clear(source->joined);
    if (append_wave(source->joined, wave, -(double)INFINITY) < 0)
        return NULL;
    while (wr_wave_end(source->joined) < end_s &&
           !wr_time_close(wr_wave_end(source->joined), end_s)) {
        const double from_s = wr_wave_end(source->joined);
        wave = producers->published(producers->context, i_source, from_s);
        if (!(wr_wave_end(wave) > from_s) || append_wave(source->joined, wave, from_s) < 0)
            return NULL;
    }
    return source->joined;
}

/* Adds the producer's new differences to `known`, and drops nodes before used_s. If a difference does not fit, drops all nodes up to the
 * end of this difference. */
static void take_differences(shadow_source *source, const wr_delay_producers *producers,
                             int i_source)
{
    wr_wave *const kept = source->spare, *const before = source->known;
    int first = 0;
    while (first + 2 < before->n_node && before->t_s[first + 1] <= source->used_s)
        first++;
    wr_wave_clear(kept);
    if (first < before->n_node)
        (void)append_wave(kept, before, before->t_s[first]);
    const wr_wave *wave;
    while ((wave = producers->difference(producers->context, i_source, &source->version)))
        if (wave->n_node > 1 &&
            (kept->n_node == 0 || wr_wave_start(wave) >= wr_wave_end(kept) ||
             wr_time_close(wr_wave_start(wave), wr_wave_end(kept))) &&
            append_wave(kept, wave, kept->n_node > 0 ? wr_wave_end(kept) : -(double)INFINITY) < 0)
            wr_wave_clear(kept);
    source->spare = before;
    source->known = kept;
}

/* Returns 1 if the difference is negligible in all signals that the subsystem reads from this source. */
static int is_negligible(const wr_subsystem *s, int i_source, const wr_wave *difference,
                         const wr_wave *published)
{
    const size_t n = (size_t)difference->n_signal;
    const double *const value = published->value + (size_t)(published->n_node - 1) * n;
    for (int j = 0; j < s->n_external; j++) {
        const int k = s->external_signal[j];
        if (s->external_source[j] != i_source)
            continue;
        const double limit = NEGLIGIBLE * (s->rtol * fabs(value[k]) + s->atol_external[j]);
        for (int i = 0; i < difference->n_node; i++)
            if (!(fabs(difference->value[(size_t)i * n + (size_t)k]) <= limit))
                return 0;
    }
    return 1;
}

static wrsim_status find_input(wr_delay_shadow *w, const wr_delay_period *p,
                               const wr_delay_producers *producers, int i)
{
    shadow_source *const source = &w->source[i];
    take_differences(source, producers, i);
    const wr_wave *const published = find_published(source, producers, i, p->start_s, p->end_s);
    if (!published)
        return WRSIM_E_LIMIT;
    if (source->known->n_node < 2) { /* the producer has no shadow, or no difference is known yet */
        producers->errors(producers->context, i, source->error);
        wr_wave_clear(source->known);
        double *value, *slope;
        for (int k = 0; k < 2; k++) {
            WR_TRY(wr_wave_extend(source->known, k == 0 ? p->start_s : p->end_s, &value, &slope));
            copy(value, source->error, source->n_signal);
            memset(slope, 0, (size_t)source->n_signal * sizeof *slope);
        }
        const int is_right = is_negligible(w->subsystem, i, source->known, published);
        const wrsim_status status = is_right ? WRSIM_OK
                                             : subtract(w, source->input, published, source->known,
                                                        0.0, p->start_s, p->end_s);
        wr_wave_clear(source->known);
        w->input[i] = is_right ? published : source->input;
        return status;
    }
    source->used_s = wr_max(source->used_s, wr_wave_start(source->known));
    const double lag_s = p->start_s - source->used_s;
    source->used_s = wr_min(source->used_s + (p->end_s - p->start_s), wr_wave_end(source->known));
    w->input[i] = source->input;
    if (is_negligible(w->subsystem, i, source->known, published)) {
        w->input[i] = published;
        return WRSIM_OK;
    }
    return subtract(w, source->input, published, source->known, lag_s, p->start_s, p->end_s);
}

/* ---- comparing ---- */

static void note_size(wr_delay_shadow *w, double error, double y, double atol, int i_state)
{
    const double rtol = w->subsystem->rtol;
    const double size = rtol * fabs(error) / (rtol * fabs(y) + wr_max(atol, 1e-300));
    if (size > w->size) {
        w->size = size;
        w->i_state = i_state;
    }
}

static int jumps_inside(const wr_wave *wave, int k)
{
    const size_t n = (size_t)wave->n_signal;
    for (int i = 0; wave->n_jump > 0 && i + 1 < wave->n_node; i++) {
        const double left = wave->value[(size_t)i * n + (size_t)k],
                     right = wave->value[(size_t)(i + 1) * n + (size_t)k];
        if (wave->t_s[i + 1] <= wave->t_s[i] && (left < right || left > right))
            return 1;
    }
    return 0;
}

/* If neither output nor shadow jumps, compares each published output at the nodes inside the period. If only the shadow jumps, the errors
 * at both ends must be below half of the largest error. */
static void compare_inside(wr_delay_shadow *w, const wr_delay_period *p)
{
    const wr_wave *const e = w->difference, *const shadow = w->subsystem->wave;
    const int n = e->n_signal, first = w->subsystem->n_x + w->subsystem->n_d;
    for (int k = 0; k < n && e->n_node > 1; k++) {
        double most = 0.0;
        for (int i = 0; i < e->n_node; i++)
            most = wr_max(most, fabs(e->value[i * n + k]));
        for (int i = 0; i < shadow->n_node; i++)
            wr_delay_compare_note(&w->ends, first + k, shadow->value[i * n + k]);
        const double ends = wr_max(fabs(e->value[k]), fabs(e->value[(e->n_node - 1) * n + k]));
        if (!jumps_inside(p->wave, k) && (!jumps_inside(shadow, k) || ends < 0.5 * most))
            wr_delay_compare_error(&w->ends, first + k, most);
    }
}

static void compare(wr_delay_shadow *w, const wr_delay_period *p, int has_instant)
{
    wr_subsystem *const s = w->subsystem;
    const int n_x = s->n_x, n_d = s->n_d, n_y = s->n_published;
    double *const course = wr_delay_compare_course(&w->ends), *const shadow =
                                                                  wr_delay_compare_shadow(&w->ends);
    copy(course, p->x, n_x);
    copy(shadow, s->x, n_x);
    copy(course + n_x, p->d, n_d);
    copy(shadow + n_x, s->d, n_d);
    if (n_y > 0) {
        copy(course + n_x + n_d, p->wave->value + (size_t)(p->wave->n_node - 1) * (size_t)n_y, n_y);
        copy(shadow + n_x + n_d, s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)n_y, n_y);
    }
    for (int k = 0; k < n_x; k++)
        w->error[k] = p->x[k] - s->x[k];
    for (int k = 0; k < n_y; k++)
        w->output[k] = course[n_x + n_d + k] - shadow[n_x + n_d + k];
    wr_delay_compare_add(&w->ends, has_instant);
    compare_inside(w, p);
    w->size = 0.0;
    w->i_state = -1;
    for (int k = 0; k < n_x; k++)
        note_size(w, w->ends.last[k], p->x[k], s->atol_x[k], k);
    for (int k = 0; k < n_d; k++)
        note_size(w, w->ends.last[n_x + k], shadow[n_x + k],
                  s->rtol * wr_delay_compare_range(&w->ends, n_x + k), -1);
    for (int k = 0; k < n_y; k++)
        note_size(w, w->ends.last[n_x + n_d + k], shadow[n_x + n_d + k], s->atol_published[k], -1);
    int i_row = 0;
    for (int i = 0; i < s->n_row && i_row < p->n_row; i++) {
        if (s->row_kind[i] != WR_ROW_COMMUNICATION)
            continue;
        copy(wr_delay_compare_course(&w->rows),
             p->row_value + (size_t)i_row * (size_t)s->n_recorded, s->n_recorded);
        copy(wr_delay_compare_shadow(&w->rows), s->row_value + (size_t)i * (size_t)s->n_recorded,
             s->n_recorded);
        wr_delay_compare_add(&w->rows, has_instant || w->had_instant);
        for (int k = 0; k < s->n_recorded && n_x == 0; k++)
            note_size(w, w->rows.last[k],
                      s->row_value[(size_t)i * (size_t)s->n_recorded + (size_t)k],
                      s->rtol * wr_delay_compare_range(&w->rows, k), -1);
        i_row++;
    }
    w->had_instant = has_instant || (w->had_instant && i_row == 0);
}

/* ---- settling ---- */

/* Writes the subsystem's state to `to`, and reads the state in `from`. */
static void exchange(wr_subsystem *s, unsigned char *to, size_t cap_to, size_t *ret_n,
                     const unsigned char *from, size_t n_from)
{
    wr_state_io out = wr_state_writer(to, cap_to, 0);
    wr_subsystem_state(s, &out);
    *ret_n = out.n_bytes;
    wr_state_io in = wr_state_reader(from, n_from, 0, 0);
    wr_subsystem_state(s, &in);
}

static int64_t count_instants(const wr_subsystem *s)
{
    return s->stats.n_state_event + s->stats.n_time_event + s->stats.n_input_jump;
}

/* Integrates the shadow's period with the subsystem, which has the shadow's state. */
static wrsim_status pass(wr_delay_shadow *w, const wr_delay_period *p)
{
    wr_subsystem *const s = w->subsystem;
    const int64_t n_before = wr_subsystem_n_rhs(s), n_instant = count_instants(s);
    const wrsim_observer *const observer = s->observer;
    s->wave = w->wave;
    s->watch = NULL;
    s->observer = NULL; /* steps of the shadow are no steps of the run */
    for (int i = 0; i < s->n_source; i++)
        s->source[i] = w->input[i];
    wrsim_status status = wr_subsystem_advance(s, p->end_s, 1.0);
    s->observer = observer;
    w->n_rhs += wr_subsystem_n_rhs(s) - n_before;
    if (status != WRSIM_OK)
        return status < 0 ? status : WRSIM_E_SOLVER;
    if (s->n_published > 0)
        status = subtract(w, w->difference, p->wave, s->wave, 0.0, p->start_s, p->end_s);
    if (status >= 0)
        compare(w, p, count_instants(s) > n_instant);
    if (status >= 0 && s->n_published > 0 &&
        append_wave(w->differences, w->difference,
                    w->differences->n_node > 0 ? p->start_s : -(double)INFINITY) < 0)
        /* `differences` is full if the task has published no version for many periods */
        wr_wave_clear(w->differences);
    return status;
}

int wr_delay_shadow_settle(wr_delay_shadow *w, const wr_delay_period *p,
                           const wr_delay_producers *producers)
{
    wr_subsystem *const s = w->subsystem;
    wr_wave *const wave = s->wave;
    if (!w->is_valid || p->start_s < w->t_s)
        return 1;
    wrsim_status status =
        p->start_s > w->t_s ? WRSIM_E_SOLVER : WRSIM_OK; /* an earlier period is missing */
    for (int i = 0; i < s->n_source && status >= 0; i++)
        status = find_input(w, p, producers, i);
    if (status >= 0) {
        size_t n_other, n_bytes;
        exchange(s, w->other, w->cap_bytes, &n_other, w->bytes, w->n_bytes);
        status = pass(w, p);
        exchange(s, w->bytes, w->cap_bytes, &n_bytes, w->other, n_other);
        w->n_bytes = n_bytes;
        w->t_s = p->end_s;
        s->wave = wave;
    }
    w->is_valid = status >= 0;
    return status < 0;
}

/* ---- inside of a period ---- */

/* Reads the inputs at t_s from wave[n_source]. If a wave jumps at t_s, the value on the right counts. */
static void read_inputs(const wr_subsystem *s, const wr_wave *const *wave, double t_s, double *ret)
{
    for (int j = 0; j < s->n_external; j++) {
        wr_cursor cursor = wr_cursor_start();
        const wr_wave *const from = wave[s->external_source[j]];
        wr_cursor_pass(&cursor, from, t_s);
        ret[j] = wr_wave_eval(from, &cursor, t_s, s->external_signal[j]);
    }
}

/* Sets off[n_external] to the right inputs less the read inputs at t_s. Returns the largest error, in tolerances. */
static double find_off(wr_delay_shadow *w, const wr_delay_period *p, double t_s)
{
    const wr_subsystem *const s = w->subsystem;
    double largest = 0.0;
    read_inputs(s, w->input, t_s, w->right);
    read_inputs(s, (const wr_wave *const *)p->read, t_s, w->read);
    for (int j = 0; j < s->n_external; j++) {
        w->off[j] = w->right[j] - w->read[j];
        largest =
            wr_max(largest, fabs(w->off[j]) / (s->rtol * fabs(w->right[j]) + s->atol_external[j]));
    }
    return largest;
}

int wr_delay_shadow_look_inside(wr_delay_shadow *w, const wr_delay_period *p,
                                wr_delay_inside *ret_inside)
{
    static const double CLEARLY = 2.0; /* least ratio to the error at the period's ends (assumed) */
    const wr_cursor start = wr_cursor_start();
    const wr_subsystem *const s = w->subsystem;
    double worst = 0.0, worst_s = p->start_s, t_s = p->start_s;
    for (int i = 0; i < s->n_source; i++)
        if (p->read[i]->n_node < 2)
            return 0;
    const double ends = wr_max(find_off(w, p, p->end_s), find_off(w, p, p->start_s));
    memset(w->mean, 0, (size_t)s->n_external * sizeof *w->mean);
    while (t_s < p->end_s) {
        double next_s = p->end_s;
        for (int i = 0; i < s->n_source; i++) {
            const int k = wr_wave_node_after(w->input[i], &start, t_s);
            if (k < w->input[i]->n_node)
                next_s = wr_min(next_s, w->input[i]->t_s[k]);
        }
        next_s = wr_time_close(next_s, p->end_s) ? p->end_s : next_s;
        /* The loop takes the mean of the errors at the first node and in the middle as the mean error between two nodes. */
        const double at_s[] = {0.5 * (t_s + next_s), t_s};
        double off[2];
        for (int k = 1; k >= 0; k--) {
            off[k] = find_off(w, p, at_s[k]);
            for (int j = 0; j < s->n_external; j++)
                w->mean[j] += 0.5 * w->off[j] * (next_s - t_s) / (p->end_s - p->start_s);
        }
        const int is_first = off[1] > off[0];
        if (off[is_first] > worst) {
            worst = off[is_first];
            worst_s = at_s[is_first];
        }
        t_s = next_s;
    }
    if (!(worst > 1.0) || !(worst > CLEARLY * ends))
        return 0;
    (void)find_off(w, p, worst_s);
    *ret_inside = (wr_delay_inside){worst_s, w->read, w->right, w->mean};
    return 1;
}

void wr_delay_shadow_rows_inside(wr_delay_shadow *w, const double *read, const double *right)
{
    const double rtol = w->subsystem->rtol;
    for (int i = 0; i < w->subsystem->n_recorded; i++) {
        wr_delay_compare_note(&w->rows, i, right[i]);
        wr_delay_compare_error(&w->rows, i, fabs(read[i] - right[i]));
        if (w->subsystem->n_x == 0)
            note_size(w, read[i] - right[i], right[i], rtol * wr_delay_compare_range(&w->rows, i),
                      -1);
    }
}

void wr_delay_shadow_take_difference(wr_delay_shadow *w, wr_wave *ret_difference)
{
    (void)wr_wave_copy(ret_difference, w->differences); /* both waves have the same capacity */
    wr_wave_clear(w->differences);
}

const double *wr_delay_shadow_states(const wr_delay_shadow *w) { return w->error; }

const double *wr_delay_shadow_outputs(const wr_delay_shadow *w) { return w->output; }

wr_delay_finding wr_delay_shadow_found(const wr_delay_shadow *w)
{
    return (wr_delay_finding){
        .error = wr_max(wr_delay_compare_most(&w->ends), wr_delay_compare_most(&w->rows)),
        .size = w->size,
        .i_state = w->i_state,
        .n_rhs = w->n_rhs};
}

double wr_delay_shadow_most(const wr_delay_shadow *w, int i_state)
{
    return wr_delay_compare_largest(&w->ends, i_state);
}

/* ---- state ---- */

void wr_delay_shadow_state(wr_delay_shadow *w, wr_state_io *io)
{
    const wr_subsystem *const s = w->subsystem;
    const size_t n_bytes = (size_t)wr_state_count(io, (int64_t)w->n_bytes, (int64_t)w->cap_bytes);
    if (wr_state_reads(io))
        w->n_bytes = n_bytes;
    wr_state_bytes(io, w->bytes, n_bytes);
    WR_STATE(io, w->t_s);
    WR_STATE(io, w->is_valid);
    WR_STATE(io, w->had_instant);
    WR_STATE(io, w->n_rhs);
    wr_wave_state(w->differences, io);
    WR_STATE_ARRAY(io, w->error, s->n_x);
    WR_STATE_ARRAY(io, w->output, s->n_published);
    wr_delay_compare_state(&w->ends, io);
    wr_delay_compare_state(&w->rows, io);
    for (int i = 0; i < s->n_source; i++) {
        wr_wave_state(w->source[i].known, io);
        WR_STATE(io, w->source[i].used_s);
        WR_STATE(io, w->source[i].version);
    }
}
