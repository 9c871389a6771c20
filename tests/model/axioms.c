/* Enumerates all candidate executions and judges each by the axioms. See axioms.h. */
#include "axioms.h"

#include <string.h>

enum { MOST = WR_LITMUS_LOCATIONS + WR_WM_THREADS * WR_LITMUS_INSTRUCTIONS };

/* A relation: bit b of row a is set if a comes before b. */
typedef struct relation {
    uint32_t row[MOST];
} relation;

typedef struct event {
    wr_litmus_instruction is; /* the first events store 0, one event per location */
    int thread;               /* -1: initial stores */
    int from;                 /* index of the event that this event reads from */
    int rank;                 /* of a write: index in the modification order of its location */
    int result;               /* value read; set by value_of(), like the value written */
    int written;
} event;

typedef struct candidate {
    int n;
    event event[MOST];
    relation po;
    wr_outcomes *outcomes;
} candidate;

static int reads(const event *e) { return e->is.kind == WR_LOAD || e->is.kind == WR_ADD; }
static int writes(const event *e) { return e->is.kind == WR_STORE || e->is.kind == WR_ADD; }
static int is_cell(const event *e)
{
    return e->is.kind == WR_READ_CELL || e->is.kind == WR_WRITE_CELL;
}
static int acquires(const event *e)
{
    return reads(e) && (e->is.order == memory_order_acquire || e->is.order == memory_order_acq_rel);
}
static int releases(const event *e)
{
    return writes(e) &&
           (e->is.order == memory_order_release || e->is.order == memory_order_acq_rel);
}

static void add(relation *r, int a, int b) { r->row[a] |= (uint32_t)1 << b; }
static int has(const relation *r, int a, int b) { return r->row[a] >> b & 1; }

static void close(relation *r, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (has(r, i, k))
                r->row[i] |= r->row[k];
}

static int is_cyclic(const relation *closed, int n)
{
    for (int i = 0; i < n; i++)
        if (has(closed, i, i))
            return 1;
    return 0;
}

static int same_place(const event *a, const event *b)
{
    return !is_cell(a) && !is_cell(b) && a->is.location == b->is.location;
}

/* Adds the edges of synchronisation to hb: an acquire read reads from a release, or from a chain of updates that starts with a release. */
static void add_synchronises(const candidate *c, relation *hb)
{
    for (int r = 0; r < c->n; r++) {
        if (!acquires(&c->event[r]))
            continue;
        for (int w = c->event[r].from;; w = c->event[w].from) {
            if (releases(&c->event[w]))
                add(hb, w, r);
            if (c->event[w].is.kind != WR_ADD)
                break;
        }
    }
}

static relation extended_coherence(const candidate *c)
{
    relation eco = {{0}};
    for (int a = 0; a < c->n; a++)
        for (int b = 0; b < c->n; b++) {
            const event *const x = &c->event[a], *const y = &c->event[b];
            if (a == b || !same_place(x, y))
                continue;
            const int mo = writes(x) && writes(y) && x->rank < y->rank;
            const int rf = reads(y) && y->from == a;
            const int fr = reads(x) && writes(y) && c->event[x->from].rank < y->rank;
            if (mo || rf || fr)
                add(&eco, a, b);
        }
    close(&eco, c->n);
    return eco;
}

/* Returns 1 if each update directly follows, in modification order, the write that the update reads from. */
static int is_atomic(const candidate *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->event[i].is.kind == WR_ADD &&
            c->event[i].rank != c->event[c->event[i].from].rank + 1)
            return 0;
    return 1;
}

static int has_race(const candidate *c, const relation *hb)
{
    for (int a = 0; a < c->n; a++)
        for (int b = 0; b < a; b++) {
            const event *const x = &c->event[a], *const y = &c->event[b];
            if (is_cell(x) && is_cell(y) &&
                (x->is.kind == WR_WRITE_CELL || y->is.kind == WR_WRITE_CELL) && !has(hb, a, b) &&
                !has(hb, b, a))
                return 1;
        }
    return 0;
}

/* Computes result and written of event i. Precondition: the relation "reads from" has no cycle. */
static int value_of(candidate *c, int i)
{
    event *const e = &c->event[i];
    if (reads(e))
        e->result = value_of(c, e->from);
    e->written = e->is.kind == WR_ADD ? e->result + e->is.value : e->is.value;
    return e->written;
}

static void judge(candidate *c)
{
    relation causal = c->po, hb = c->po;
    for (int i = 0; i < c->n; i++)
        if (reads(&c->event[i]))
            add(&causal, c->event[i].from, i);
    close(&causal, c->n);
    if (is_cyclic(&causal, c->n) || !is_atomic(c))
        return;
    add_synchronises(c, &hb);
    close(&hb, c->n);
    const relation eco = extended_coherence(c);
    if (is_cyclic(&eco, c->n))
        return;
    for (int a = 0; a < c->n; a++)
        for (int b = 0; b < c->n; b++)
            if (has(&hb, a, b) && has(&eco, b, a))
                return;
    c->outcomes->has_race |= has_race(c, &hb);
    unsigned code = 0;
    for (int i = 0; i < c->n; i++)
        if (reads(&c->event[i])) {
            value_of(c, i);
            code = code << WR_LITMUS_DIGIT | (unsigned)c->event[i].result;
        }
    c->outcomes->is_there[code] = 1;
}

/* Tries all modification orders of the writes from event i on: each write goes before or behind each earlier write to its location. */
static void order_writes(candidate *c, int i)
{
    while (i < c->n && !writes(&c->event[i]))
        i++;
    if (i == c->n) {
        judge(c);
        return;
    }
    event *const e = &c->event[i];
    int n_before = 0;
    for (int k = 0; k < i; k++)
        n_before += writes(&c->event[k]) && same_place(&c->event[k], e);
    const candidate saved = *c;
    for (int rank = 1; rank <= n_before; rank++) { /* rank 0 is the initial store */
        for (int k = 0; k < i; k++)
            c->event[k].rank +=
                writes(&c->event[k]) && same_place(&c->event[k], e) && c->event[k].rank >= rank;
        e->rank = rank;
        order_writes(c, i + 1);
        *c = saved;
    }
}

/* Tries all writes that the loads and updates from event i on may read from. */
static void choose_sources(candidate *c, int i)
{
    while (i < c->n && !reads(&c->event[i]))
        i++;
    if (i == c->n) {
        order_writes(c, WR_LITMUS_LOCATIONS);
        return;
    }
    for (int w = 0; w < c->n; w++)
        if (w != i && writes(&c->event[w]) && same_place(&c->event[w], &c->event[i])) {
            c->event[i].from = w;
            choose_sources(c, i + 1);
        }
}

void wr_axioms_outcomes(const wr_litmus *litmus, wr_outcomes *ret_outcomes)
{
    memset(ret_outcomes, 0, sizeof *ret_outcomes);
    candidate c = {.outcomes = ret_outcomes};
    for (int i = 0; i < WR_LITMUS_LOCATIONS; i++)
        c.event[c.n++] = (event){.is = {.kind = WR_STORE, .location = i}, .thread = -1};
    for (int t = 0; t < litmus->n_thread; t++)
        for (int i = 0; i < WR_LITMUS_INSTRUCTIONS && litmus->thread[t][i].kind != WR_END; i++)
            c.event[c.n++] = (event){.is = litmus->thread[t][i], .thread = t};
    for (int a = 0; a < c.n; a++)
        for (int b = a + 1; b < c.n; b++)
            if (c.event[b].thread >= 0 &&
                (c.event[a].thread == -1 || c.event[a].thread == c.event[b].thread))
                add(&c.po, a, b);
    choose_sources(&c, 0);
}
