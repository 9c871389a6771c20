/* Random calls of an FMU in the order of the standard (master.c --random).
 *
 * Besides the calls, the functions compare bits: a restored or deserialised state continues like the instance that gave the state, and a
 * reset instance gives the trajectory of a new one. */
#include "master.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SESSIONS = 3, MAX_STATES = 3, MAX_TAIL = 6 };

/* A state and the steps that have followed it once. */
typedef struct kept_state {
    session_state at;
    int n_step; /* 0: no steps */
    uint64_t bits, sum;
} kept_state;

typedef struct random_session {
    session *s;
    kept_state state[MAX_STATES];
} random_session;

typedef struct random_run {
    const fmu *f;
    bool is_strict;
    uint64_t bits; /* state of the random numbers */
    random_session of[MAX_SESSIONS];
    long n_check; /* comparisons of bits */
} random_run;

/* splitmix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators (2014), figure 12 */
static uint64_t draw(uint64_t *bits)
{
    uint64_t z = *bits += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *bits) { return (double)(draw(bits) >> 11) * 0x1p-53; }
static size_t below(uint64_t *bits, size_t n) { return (size_t)(draw(bits) % n); }

/* ---- values ---- */

/* Fills values near the start value, within min and max. Parameters of value 0 or of a whole-number type stay, because they often select
 * equations or count parts. */
static void draw_values(uint64_t *bits, const fmu_variable *v, double *value)
{
    const bool is_input = v->causality == FMU_INPUT,
               is_real = v->kind == FMU_Float64 || v->kind == FMU_Float32;
    const double zero_width = is_input ? fmin(1, v->max - v->min) : 0;
    const double span = fabs(v->start) > 0 ? fabs(v->start) : zero_width;
    const double width = span * (is_input ? 0.05 : 0.005);
    for (size_t i = 0; i < v->n; i++) {
        const double real = fmin(fmax(v->start + width * (2 * uniform(bits) - 1), v->min), v->max);
        value[i] = is_real                                     ? real
                   : !is_input || v->is_enumeration            ? v->start
                   : v->kind == FMU_Boolean                    ? (double)below(bits, 2)
                   : v->start + 1 <= v->max && real > v->start ? v->start + 1
                                                               : v->start;
    }
}

static double *room_of(const fmu_table *table)
{
    size_t most = 1;
    for (size_t i = 0; i < table->n; i++)
        most = table->variable[i].n > most ? table->variable[i].n : most;
    double *const room = calloc(most, sizeof *room);
    if (!room)
        fmu_stop(2, "memory is short");
    return room;
}

/* Sets some of the variables that the standard allows to set now. */
static void set_some(session *s, uint64_t *bits)
{
    const fmu_table *const table = &s->fmu->table;
    double *const value = room_of(table);
    for (int k = 0; k < 4; k++) {
        const fmu_variable *const v = &table->variable[below(bits, table->n)];
        if (!session_can_set(s, v))
            continue;
        draw_values(bits, v, value);
        session_set(s, v, value);
        if (s->phase == PHASE_STEPPING && table->can_interpolate && v->causality == FMU_INPUT &&
            v->is_continuous && v->kind == FMU_Float64 && below(bits, 2))
            session_set_slope(s, v, value[0] - v->start);
    }
    free(value);
}

/* Returns a checksum of the bits of all outputs and of the time (FNV-1a, 64 bits). */
static uint64_t outputs_of(session *s)
{
    const fmu_table *const table = &s->fmu->table;
    double *const value = room_of(table);
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < table->n; i++) {
        const fmu_variable *const v = &table->variable[i];
        if ((v->causality != FMU_OUTPUT && v->causality != FMU_INDEPENDENT) ||
            !session_can_get(s, v))
            continue;
        memset(value, 0, v->n * sizeof *value);
        session_get(s, v, value);
        for (size_t j = 0; j < v->n; j++)
            if (!isfinite(value[j]))
                fmu_stop(1, "the variable \"%s\" is not finite at t = %.17g s", v->name, s->t_s);
        for (size_t j = 0; j < v->n * sizeof *value; j++)
            sum = (sum ^ ((const unsigned char *)value)[j]) * 0x100000001b3u;
    }
    free(value);
    return sum;
}

static void get_some(session *s, uint64_t *bits)
{
    const fmu_table *const table = &s->fmu->table;
    double *const value = room_of(table);
    for (int k = 0; k < 4; k++) {
        const fmu_variable *const v = &table->variable[below(bits, table->n)];
        if (session_can_get(s, v))
            session_get(s, v, value);
    }
    free(value);
}

/* ---- steps ---- */

static bool can_step(const session *s)
{
    return s->phase == PHASE_STEPPING && !s->must_stop &&
           s->t_s + 2 * s->fmu->table.step_s <= s->stop_s;
}

static void step(session *s, uint64_t *bits, bool is_final)
{
    static const double factors[] = {1, 1, 1, 0.5, 0.3, 1.7};
    const double factor = s->fmu->table.can_vary_step ? factors[below(bits, 6)] : 1;
    (void)session_step(s, factor * s->fmu->table.step_s, is_final);
}

/* Sets and steps, as far as legal. Returns a checksum of the outputs after all steps, which must not depend on is_final. */
static uint64_t run_tail(session *s, uint64_t bits, int n, bool is_final)
{
    uint64_t sum = 0;
    for (int k = 0; k < n && can_step(s); k++) {
        set_some(s, &bits);
        step(s, &bits, is_final);
        sum = sum * 31 + outputs_of(s);
    }
    return sum;
}

static void enter(session *s, uint64_t *bits)
{
    const fmu_table *const table = &s->fmu->table;
    const double long_s = 200 * table->step_s;
    session_enter(s, table->start_s,
                  below(bits, 2) ? (double)INFINITY : fmin(table->stop_s, table->start_s + long_s));
}

/* Runs an instance from its start. Returns a checksum of the outputs. */
static uint64_t run_whole(session *s, uint64_t bits, bool is_final)
{
    set_some(s, &bits);
    enter(s, &bits);
    set_some(s, &bits);
    (void)outputs_of(s);
    session_exit(s);
    const uint64_t first = outputs_of(s);
    return first * 31 + run_tail(s, bits, MAX_TAIL, is_final);
}

/* ---- comparisons ---- */

static void expect_equal(random_run *r, uint64_t a, uint64_t b, const char *what)
{
    r->n_check++;
    if (a != b)
        fmu_stop(1, "after %ld calls %s", session_calls, what);
}

static void check_restored(random_run *r, random_session *own)
{
    session *const s = own->s;
    session_state saved = {0};
    const uint64_t bits = draw(&r->bits);
    const int n = 1 + (int)below(&r->bits, MAX_TAIL);
    session_save(s, &saved);
    const uint64_t first = run_tail(s, bits, n, false);
    if (s->phase == PHASE_STEPPING && below(&r->bits, 2))
        session_terminate(s);
    session_restore(s, &saved);
    expect_equal(r, first, run_tail(s, bits, n, false),
                 "a restored state continues with other bits");
    if (s->fmu->table.can_serialise && !s->fmu->table.is_once) {
        size_t bytes;
        unsigned char *const text = session_serialise(s, &saved, &bytes);
        session *other = session_open(r->f, "other");
        session_state copy;
        if (below(&r->bits, 2))
            (void)run_whole(other, draw(&r->bits), false);
        session_deserialise(other, text, bytes, &saved.at, &copy);
        memset(text, 0xa5, bytes);
        free(text);
        session_restore(other, &copy);
        session_forget(other, &copy);
        expect_equal(r, first, run_tail(other, bits, n, false),
                     "a deserialised state continues with other bits in a further instance");
        session_free(&other);
    }
    session_forget(s, &saved);
}

static void check_reset(random_run *r, random_session *own)
{
    const uint64_t bits = draw(&r->bits);
    session_reset(own->s);
    const uint64_t after_reset = run_whole(own->s, bits, false);
    if (r->f->table.is_once)
        return;
    session *fresh = session_open(r->f, "fresh");
    expect_equal(r, after_reset, run_whole(fresh, bits, true),
                 "a reset instance and a new one give different trajectories");
    if (fresh->phase == PHASE_STEPPING)
        session_terminate(fresh);
    session_free(&fresh);
}

/* ---- random calls ---- */

static void forget_all(random_session *own)
{
    for (int i = 0; i < MAX_STATES; i++)
        if (own->state[i].at.state)
            session_forget(own->s, &own->state[i].at);
}

/* Saves a state, and often makes steps from it. */
static void keep_state(random_run *r, session *s, kept_state *to)
{
    session_save(s, &to->at);
    to->n_step = 0;
    if (!can_step(s) || s->is_stale || below(&r->bits, 3) == 0)
        return;
    to->n_step = 1 + (int)below(&r->bits, MAX_TAIL);
    to->bits = draw(&r->bits);
    to->sum = run_tail(s, to->bits, to->n_step, false);
}

/* A call on a saved state of the session, which may be empty. Steps after a restored state repeat the steps that have followed it before. */
static void use_state(random_run *r, random_session *own)
{
    kept_state *const kept = &own->state[below(&r->bits, MAX_STATES)];
    session *const s = own->s;
    const size_t choice = below(&r->bits, 4);
    if (choice == 0 && s->phase != PHASE_STEP_FAILED) {
        keep_state(r, s, kept);
    } else if (choice == 1 && session_can_restore(s, &kept->at)) {
        session_restore(s, &kept->at);
        if (kept->n_step > 0)
            expect_equal(r, kept->sum, run_tail(s, kept->bits, kept->n_step, false),
                         "a state restored after other calls continues with other bits");
    } else if (choice == 2) {
        session_forget(s, &kept->at); /* NULL is legal */
    } else if (choice == 3 && kept->at.state && s->fmu->table.can_serialise) {
        size_t bytes;
        unsigned char *const text = session_serialise(s, &kept->at, &bytes);
        session_state copy;
        session_deserialise(s, text, bytes, &kept->at.at, &copy);
        free(text);
        session_forget(s, &kept->at);
        kept->at = copy;
    }
}

/* Makes a call that the standard forbids. The FMU must refuse the call, and keep its state. */
static void check_refusal(random_run *r, session *s)
{
    const uint64_t before = outputs_of(s);
    const bool has_state =
        s->fmu->table.can_save && s->phase != PHASE_STEP_FAILED && below(&r->bits, 4) == 0;
    const char *const function = has_state ? session_find_unrefused_state(s)
                                           : session_find_unrefused(s, below(&r->bits, 64));
    if (function)
        fmu_stop(1, "after %ld calls the FMU does not refuse the call of %s out of order",
                 session_calls, function);
    expect_equal(r, before, outputs_of(s), "a refused call changes outputs");
}

static void free_session(random_run *r, random_session *own)
{
    if (!r->is_strict || below(&r->bits, 2)) {
        forget_all(own);
        session_free(&own->s);
        return;
    }
    if (!session_free_early(&own->s, own->state[below(&r->bits, MAX_STATES)].at.state))
        fmu_stop(1, "after %ld calls the FMU frees a state of a freed instance", session_calls);
    memset(own->state, 0, sizeof own->state);
}

/* The next call of the phase. Returns false if the instance has been freed. */
static bool call_once(random_run *r, random_session *own)
{
    session *const s = own->s;
    const size_t choice = below(&r->bits, r->is_strict ? 28 : 24);
    if (choice == 0) {
        free_session(r, own);
        return false;
    }
    if (choice == 1) {
        session_reset(s);
    } else if (choice < 6 && s->fmu->table.can_save) {
        use_state(r, own);
    } else if (choice == 6 && s->fmu->table.can_save && can_step(s) && !s->is_stale) {
        check_restored(r, own);
    } else if (choice == 7) {
        check_reset(r, own);
    } else if (choice >= 24) {
        check_refusal(r, s);
    } else if (choice < 11) {
        set_some(s, &r->bits);
    } else if (choice < 15) {
        get_some(s, &r->bits);
    } else if (s->phase == PHASE_INSTANTIATED) {
        enter(s, &r->bits);
    } else if (s->phase == PHASE_INITIALISING) {
        session_exit(s);
    } else if (can_step(s) && choice != 15) {
        step(s, &r->bits, below(&r->bits, 16) == 0);
    } else if (s->phase & (PHASE_STEPPING | PHASE_STEP_FAILED)) {
        session_terminate(s);
    }
    return true;
}

void master_run_random(const fmu *f, uint64_t seed, long n_call, double limit_s, bool is_strict)
{
    const time_t begin = time(NULL);
    random_run r = {.f = f, .bits = seed, .is_strict = is_strict};
    const size_t n_session = f->table.is_once ? 1 : MAX_SESSIONS;
    while (session_calls < n_call && difftime(time(NULL), begin) < limit_s) {
        random_session *const own = &r.of[below(&r.bits, n_session)];
        if (!own->s)
            own->s = session_open(f, "random");
        for (size_t k = below(&r.bits, 20); k > 0 && call_once(&r, own); k--)
            ;
    }
    for (size_t i = 0; i < n_session; i++)
        if (r.of[i].s)
            free_session(&r, &r.of[i]);
    (void)printf("%ld calls, %ld comparisons of bits\n", session_calls, r.n_check);
}
