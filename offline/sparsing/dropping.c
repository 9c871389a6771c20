/* Greedy search for entries to drop. See dropping.h. Thread: one owner. Real-time: no. */
#include "offline/sparsing/dropping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/lu_plan.h"

int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill)
{
    WR_AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_matrix *const pattern = arena ? wr_sparsity_place(arena, n, n, is_set) : NULL;
    WR_AUTO(wr_lu_plan_destroy) wr_lu_plan *plan = NULL;
    int column = -1;
    wrsim_status status = WRSIM_E_MEMORY;
    if (pattern)
        status = wr_lu_plan_create(pattern, &plan, &column);
    if (status == WRSIM_OK)
        *ret_fill = (wr_fill){.nnz = pattern->n_nonzero,
                              .nnz_lu = plan->n_entry,
                              .n_flop = (double)(plan->factor_flop + plan->solve_flop),
                              .is_regular = 1};
    else if (status == WRSIM_E_ARG && column >= 0)
        *ret_fill = (wr_fill){.is_regular = 0};
    return status == WRSIM_OK || (status == WRSIM_E_ARG && column >= 0) ? 0 : -1;
}

int wr_fill_colours(int n, const unsigned char *full, const unsigned char *keep)
{
    const size_t count = (size_t)n * (size_t)n;
    WR_AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    int *const colour = arena ? WR_NEW_ARRAY(arena, int, n) : NULL;
    const wr_matrix *const all = colour ? wr_sparsity_place(arena, n, n, full) : NULL;
    const wr_matrix *const kept = all ? wr_sparsity_place(arena, n, n, keep) : NULL;
    int n_colour = -1;
    if (kept)
        n_colour = memcmp(full, keep, count) == 0 ? wr_sparsity_colour(all, colour)
                                                  : wr_sparsity_colour_partial(all, kept, colour);
    return n_colour;
}

/* Number of passes over all candidates (assumed). The second pass may accept a candidate that the first pass refuses. */
enum { PASSES = 2 };

typedef struct candidate {
    int n_entry; /* number of entries */
    int *entry;  /* [n_entry] the entries, as column * n + row */
    int state;   /* state that the candidate makes explicit; -1: none */
    double score, rank;
} candidate;

typedef struct list {
    int n;
    candidate *item;
    int *entries;
} list;

static size_t count_of(const wr_samples *samples)
{
    return (size_t)samples->n * (size_t)samples->n;
}

void wr_dropping_pattern(const wr_samples *samples, const unsigned char *keep,
                         unsigned char *ret_is_set)
{
    for (size_t e = 0; e < count_of(samples); e++)
        ret_is_set[e] = keep[e] || fabs(samples->sample[0].pencil->l[e]) > 0.0;
}

/* Returns the number of pairs of columns that may share a colour without the candidate. A single candidate rarely saves a colour, so the
 * number of pairs measures the candidate's contribution. A kept entry's column cannot share a colour with a column that has an entry of the
 * whole Jacobian in the same row (base/sparse.h). */
static int n_freed_by(const wr_samples *samples, const candidate *c, const unsigned char *keep,
                      const unsigned char *whole)
{
    const int n = samples->n;
    int n_pair = 0;
    for (int k = 0; k < c->n_entry; k++) {
        if (!keep[c->entry[k]])
            continue;
        n_pair--;
        for (int e = c->entry[k] % n; e < n * n; e += n)
            n_pair += whole[e];
    }
    return n_pair;
}

/* Returns the number of entries that the LU factors save without the candidate; -1 when out of memory. */
static int saved_by(const wr_samples *samples, const candidate *c, const unsigned char *keep,
                    int nnz_lu, unsigned char *is_set)
{
    wr_fill fill;
    wr_dropping_pattern(samples, keep, is_set);
    for (int e = 0; e < c->n_entry; e++)
        is_set[c->entry[e]] = fabs(samples->sample[0].pencil->l[c->entry[e]]) > 0.0;
    if (wr_fill_count(samples->n, is_set, &fill) != 0)
        return -1;
    return fill.is_regular ? (int)wr_max(nnz_lu - fill.nnz_lu, 0) : 0;
}

static int rank_all(const wr_samples *samples, list *all, const unsigned char *keep,
                    const unsigned char *whole)
{
    WR_AUTO_FREE unsigned char *const is_set = malloc(count_of(samples) + 1);
    wr_fill fill;
    if (!is_set)
        return -1;
    wr_dropping_pattern(samples, keep, is_set);
    int failed = wr_fill_count(samples->n, is_set, &fill) != 0;
    for (int k = 0; k < all->n && !failed; k++) {
        candidate *const c = &all->item[k];
        const int saved = saved_by(samples, c, keep, fill.nnz_lu, is_set);
        c->score = wr_samples_score(samples, c->entry, c->n_entry);
        c->rank = c->score / (1.0 + saved + n_freed_by(samples, c, keep, whole));
        failed = saved < 0 || c->score < 0.0;
    }
    return failed ? -1 : 0;
}

static int by_rank(const void *a, const void *b)
{
    const candidate *const x = a, *const y = b;
    if (x->rank < y->rank || x->rank > y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->entry[0] > y->entry[0]) - (x->entry[0] < y->entry[0]);
}

/* Tries to drop item[first] and the size - 1 next candidates together. Returns the result of wr_samples_accept(). */
static int try_some(wr_samples *samples, const list *all, int first, int size,
                    const unsigned char *keep, unsigned char *trial)
{
    memcpy(trial, keep, count_of(samples));
    for (int k = first; k < first + size; k++)
        for (int e = 0; e < all->item[k].n_entry; e++)
            trial[all->item[k].entry[e]] = 0;
    return wr_samples_accept(samples, trial, 1);
}

/* Counts a refused candidate as a surprise if the criterion accepts the candidate and the check refuses the candidate alone. Returns 0, or
 * -1 when out of memory. */
static int note_surprise(wr_samples *samples, const list *all, int at, const unsigned char *whole,
                         unsigned char *trial, wr_dropping *what)
{
    const candidate *const c = &all->item[at];
    if (!(c->score < 1.0))
        return 0;
    const int verdict = try_some(samples, all, at, 1, whole, trial);
    if (verdict != 0)
        return verdict < 0 ? -1 : 0;
    what->n_surprise++;
    if (what->surprise.i < 0 || c->score < what->surprise.score)
        what->surprise = (wr_surprise){.i = c->state >= 0 ? c->state : c->entry[0] % samples->n,
                                       .j = c->state >= 0 ? -1 : c->entry[0] / samples->n,
                                       .score = c->score};
    return 0;
}

/* Patterns of a search, [n * n] each. */
typedef struct trials {
    const unsigned char *whole; /* the pattern before the search */
    unsigned char *keep;        /* the last accepted pattern */
    unsigned char *trial;       /* the pattern to try next */
} trials;

/* Tries all candidates once. `what` (may be NULL) receives surprises. Returns 0, or -1 when out of memory. */
static int pass(wr_samples *samples, const list *all, const trials *on, wr_dropping *what)
{
    for (int at = 0, size = 1 + all->n / 4; at < all->n;) {
        size = size < all->n - at ? size : all->n - at;
        const candidate *const c = &all->item[at];
        int e = 0;
        while (e < c->n_entry && !on->keep[c->entry[e]])
            e++;
        if (e == c->n_entry) { /* earlier candidates have dropped every entry */
            at++;
            continue;
        }
        const int verdict = try_some(samples, all, at, size, on->keep, on->trial);
        if (verdict < 0)
            return -1;
        if (verdict == 1) {
            memcpy(on->keep, on->trial, count_of(samples));
            at += size;
            size *= 2;
        } else if (size > 1) {
            size /= 2;
        } else {
            if (what && note_surprise(samples, all, at, on->whole, on->trial, what) != 0)
                return -1;
            at++;
        }
    }
    return 0;
}

/* ---- candidates */

static int list_init(list *all, int n_item, size_t n_entry)
{
    *all = (list){.item = calloc((size_t)n_item + 1, sizeof *all->item),
                  .entries = calloc(n_entry + 1, sizeof *all->entries)};
    return all->item && all->entries ? 0 : -1;
}

/* Returns 1 if the late contributions of two entries of one equation mostly cancel. Over all intervals, the largest sum is then below half
 * (assumed) of the largest contribution. */
static int do_cancel(const wr_lag *lag, int a, int b)
{
    double largest = 0.0, rest = 0.0;
    for (int k = 0; lag && k < lag->n_interval; k++) {
        const double of_a = wr_lag_force(lag, k, a), of_b = wr_lag_force(lag, k, b);
        largest = wr_max(largest, wr_max(fabs(of_a), fabs(of_b)));
        rest = wr_max(rest, fabs(of_a + of_b));
    }
    return rest < 0.5 * largest;
}

/* Lists the pairs of kept entries of a row that mostly cancel. If ret_pairs is NULL, only counts the pairs. Returns the number of pairs. */
static int each_pair(const wr_samples *samples, const unsigned char *keep, list *ret_pairs)
{
    const int n = samples->n;
    int n_pair = 0;
    for (int i = 0; i < n; i++)
        for (int a = i; a < n * n; a += n)
            for (int b = a + n; b < n * n && keep[a]; b += n) {
                if (!keep[b] || !do_cancel(samples->lag, a, b))
                    continue;
                if (ret_pairs) {
                    int *const entry = ret_pairs->entries + 2 * (size_t)n_pair;
                    entry[0] = a;
                    entry[1] = b;
                    ret_pairs->item[n_pair] =
                        (candidate){.n_entry = 2, .entry = entry, .state = -1};
                    ret_pairs->n = n_pair + 1;
                }
                n_pair++;
            }
    return n_pair;
}

/* Lists pairs of entries that cancel. The terms of a difference, such as of the angles at the ends of a spring, must all stay or all be
 * dropped. */
static int list_pairs(const wr_samples *samples, const unsigned char *keep, list *ret_all)
{
    const int n_pair = each_pair(samples, keep, NULL);
    if (list_init(ret_all, n_pair, 2 * (size_t)n_pair) != 0)
        return -1;
    each_pair(samples, keep, ret_all);
    return 0;
}

/* Lists whole rows. The terms of an equation in balance, such as of a mass in a chain, must all stay or all be dropped. A step integrates
 * the state of a dropped row explicitly, but other states can still depend on the state implicitly. */
static int list_rows(const wr_samples *samples, const unsigned char *keep, list *ret_all)
{
    const int n = samples->n;
    if (list_init(ret_all, n, count_of(samples)) != 0)
        return -1;
    for (int i = 0, n_entry = 0; i < n; i++) {
        candidate *const c = &ret_all->item[ret_all->n];
        *c = (candidate){.entry = ret_all->entries + n_entry, .state = i};
        for (int e = i; e < n * n; e += n)
            if (keep[e])
                c->entry[c->n_entry++] = e;
        n_entry += c->n_entry;
        ret_all->n += c->n_entry > 0;
    }
    return 0;
}

static int list_entries(const wr_samples *samples, const unsigned char *keep, list *ret_all)
{
    const int count = samples->n * samples->n;
    if (list_init(ret_all, count, (size_t)count) != 0)
        return -1;
    for (int e = 0; e < count; e++)
        if (keep[e]) {
            int *const entry = ret_all->entries + ret_all->n;
            *entry = e;
            ret_all->item[ret_all->n++] = (candidate){.n_entry = 1, .entry = entry, .state = -1};
        }
    return 0;
}

/* Lists the row and the column of each state as candidates for mixed mode. */
static int list_states(const wr_samples *samples, const unsigned char *keep, list *ret_all)
{
    const int n = samples->n;
    if (list_init(ret_all, n, 2 * count_of(samples)) != 0)
        return -1;
    for (int i = 0, n_entry = 0; i < n; i++) {
        candidate *const c = &ret_all->item[ret_all->n];
        *c = (candidate){.entry = ret_all->entries + n_entry, .state = i};
        for (int j = 0; j < n; j++) {
            if (keep[(size_t)j * (size_t)n + (size_t)i])
                c->entry[c->n_entry++] = j * n + i;
            if (j != i && keep[(size_t)i * (size_t)n + (size_t)j])
                c->entry[c->n_entry++] = i * n + j;
        }
        n_entry += c->n_entry;
        ret_all->n += c->n_entry > 0;
    }
    return 0;
}

/* ---- searches */

typedef int list_fn(const wr_samples *samples, const unsigned char *keep, list *ret_all);

static int drop_listed(wr_samples *samples, list_fn *list_all, const trials *on, wr_dropping *what)
{
    list all;
    int failed =
        list_all(samples, on->keep, &all) != 0 || rank_all(samples, &all, on->keep, on->whole) != 0;
    if (!failed)
        qsort(all.item, (size_t)all.n, sizeof *all.item, by_rank);
    for (int k = 0; k < PASSES && !failed; k++)
        failed = pass(samples, &all, on, k == 0 ? what : NULL) != 0;
    free(all.item);
    free(all.entries);
    return failed ? -1 : 0;
}

/* The search begins with pairs and rows, because single entries, which are halves of pairs, would use up the permitted error. */
int wr_dropping_entries(wr_samples *samples, unsigned char *keep, wr_dropping *ret_what)
{
    const size_t count = count_of(samples);
    WR_AUTO_FREE unsigned char *const memory = malloc(2 * count + 1);
    const trials on = {.whole = memory, .keep = keep, .trial = memory + count};
    *ret_what = (wr_dropping){.surprise = {.i = -1, .j = -1}};
    if (!memory)
        return -1;
    memcpy(memory, keep, count);
    return drop_listed(samples, list_pairs, &on, NULL) != 0 ||
                   drop_listed(samples, list_rows, &on, NULL) != 0 ||
                   drop_listed(samples, list_entries, &on, ret_what) != 0
               ? -1
               : 0;
}

int wr_dropping_states(wr_samples *samples, unsigned char *keep, unsigned char *ret_is_explicit,
                       wr_dropping *ret_what)
{
    const size_t n = (size_t)samples->n, count = count_of(samples);
    WR_AUTO_FREE unsigned char *const memory = malloc(2 * count + 1);
    const trials on = {.whole = memory, .keep = keep, .trial = memory + count};
    *ret_what = (wr_dropping){.surprise = {.i = -1, .j = -1}};
    if (!memory)
        return -1;
    memcpy(memory, keep, count);
    const int failed = drop_listed(samples, list_states, &on, ret_what) != 0;
    for (size_t i = 0; i < n && !failed; i++) {
        ret_is_explicit[i] = 1;
        for (size_t j = 0; j < n; j++)
            if (keep[j * n + i] || keep[i * n + j])
                ret_is_explicit[i] = 0;
    }
    return failed ? -1 : 0;
}
