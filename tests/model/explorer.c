/* Searches all executions depth first. See explorer.h. */
#include "explorer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRACE = 512 };

typedef enum step_kind { NOTHING, LOAD, STORE, UPDATE, CHOOSE } step_kind;

/* The next step of a thread. The struct has no padding, because the search hashes a state by its bytes. */
typedef struct step {
    int64_t value; /* STORE: value to store; UPDATE: value to add; CHOOSE: number of choices */
    int32_t kind, location, is_acquire, is_release;
} step;

typedef struct thread_state {
    int64_t number[WR_MODEL_NUMBERS], plain[WR_MODEL_PLAIN]; /* values at the start of the round */
    int64_t result[WR_MODEL_STEPS]; /* results of the steps of the round so far */
    int64_t n_result;
    step next; /* kind NOTHING: the thread has ended */
} thread_state;

typedef struct state {
    wr_weak_memory memory;
    thread_state thread[WR_WM_THREADS];
} state;
_Static_assert(sizeof(thread_state) ==
                   8 * (WR_MODEL_NUMBERS + WR_MODEL_PLAIN + WR_MODEL_STEPS + 1) + 24,
               "no padding: it is hashed by bytes");
_Static_assert(sizeof(state) % 8 == 0 && sizeof(wr_weak_memory) % 8 == 0, "it is hashed by words");

typedef struct seen_state {
    uint64_t key[2]; /* hash of the state; both words 0: free entry */
    double n_execution;
} seen_state;

typedef struct trace_entry {
    int thread;
    const char *what, *name;
    int64_t value;
} trace_entry;

typedef struct explorer {
    const wr_model *model;
    wr_model_result *result;
    seen_state *seen; /* [cap_seen] hash table with open addressing */
    size_t n_seen, cap_seen;
    trace_entry trace[MOST_TRACE]; /* [n_trace] steps of the current execution */
    int n_trace;
    /* State, thread and next result of the running round. */
    state *at;
    int thread, i_result;
    jmp_buf until_next;
} explorer;

/* The exploration of the running round; NULL between rounds. Atomic accesses have no argument for the exploration. */
static explorer *running;

_Noreturn static void give_up(const char *what)
{
    fprintf(stderr, "model: %s\n", what);
    abort();
}

static void note(explorer *x, const trace_entry *entry)
{
    if (x->n_trace == MOST_TRACE)
        give_up("an execution has too many steps");
    x->trace[x->n_trace++] = *entry;
}

static void violate(explorer *x, const char *what)
{
    wr_model_result *const r = x->result;
    size_t n = (size_t)snprintf(r->text, sizeof r->text, "%s\n", what);
    for (int i = 0; i < x->n_trace && n < sizeof r->text; i++) {
        const trace_entry *const e = &x->trace[i];
        n += (size_t)snprintf(r->text + n, sizeof r->text - n, "    thread %d %s %s %lld\n",
                              e->thread, e->what, e->name, (long long)e->value);
    }
    r->is_violated = 1;
}

/* --- Functions that rounds call. A round restarts from its start: stored results replay, and longjmp() ends it at the next step. --- */

static int is_replayed(const explorer *x)
{
    return x->i_result < x->at->thread[x->thread].n_result;
}

static int64_t replay(explorer *x) { return x->at->thread[x->thread].result[x->i_result++]; }

static void keep_result(explorer *x, state *s, int thread, int64_t value)
{
    thread_state *const t = &s->thread[thread];
    if (t->n_result == WR_MODEL_STEPS)
        give_up("a round has too many steps");
    t->result[t->n_result++] = value;
    x->i_result++;
}

_Noreturn static void stop_before(explorer *x, const step *next)
{
    x->at->thread[x->thread].next = *next;
    longjmp(x->until_next, 1);
}

_Noreturn static void stop_violated(explorer *x, const char *what)
{
    violate(x, what);
    longjmp(x->until_next, 1);
}

static int location_of(const explorer *x, const _Atomic int64_t *object)
{
    for (int i = 0; i < x->model->n_location; i++)
        if (x->model->location[i].object == object)
            return i;
    give_up("an atomic that is none of the model's locations");
}

static int cell_of(const explorer *x, const void *address)
{
    for (int i = 0; i < x->model->n_cell; i++)
        if (x->model->cell[i] == address)
            return i;
    give_up("an address that is none of the model's cells");
}

static int is_acquire(memory_order order)
{
    if (order == memory_order_seq_cst || order == memory_order_consume)
        give_up("seq_cst and consume are not modelled");
    return order == memory_order_acquire || order == memory_order_acq_rel;
}

static int is_release(memory_order order)
{
    return order == memory_order_release || order == memory_order_acq_rel;
}

int64_t wr_model_load(const _Atomic int64_t *object, memory_order order)
{
    explorer *const x = running;
    if (!x)
        return *object;
    const int location = location_of(x, object);
    const int asks = is_acquire(order);
    if (is_replayed(x))
        return replay(x);
    const wr_model_location *const of = &x->model->location[location];
    stop_before(x, &(step){.kind = LOAD,
                           .location = location,
                           .is_acquire = asks && !(of->relaxed & WR_MODEL_LOADS)});
}

static int64_t write_to(const _Atomic int64_t *object, int64_t value, memory_order order,
                        step_kind kind)
{
    explorer *const x = running;
    const int location = location_of(x, object);
    const int acquires = is_acquire(order), releases = is_release(order);
    const wr_model_location *const of = &x->model->location[location];
    if (of->owner >= 0 && of->owner != x->thread)
        stop_violated(x, "a store by another than the location's owner");
    if (is_replayed(x))
        return replay(x);
    stop_before(x, &(step){.kind = (int32_t)kind,
                           .location = location,
                           .value = value,
                           .is_acquire = acquires && !(of->relaxed & WR_MODEL_LOADS),
                           .is_release = releases && !(of->relaxed & WR_MODEL_STORES)});
}

void wr_model_store(_Atomic int64_t *object, int64_t value, memory_order order)
{
    if (running)
        write_to(object, value, order, STORE);
    else
        *object = value;
}

int64_t wr_model_fetch_add(_Atomic int64_t *object, int64_t value, memory_order order)
{
    if (running)
        return write_to(object, value, order, UPDATE);
    const int64_t before = *object;
    *object = before + value;
    return before;
}

int wr_model_choose(int n)
{
    explorer *const x = running;
    if (n < 1)
        give_up("a choice among none");
    if (is_replayed(x))
        return (int)replay(x);
    stop_before(x, &(step){.kind = CHOOSE, .value = n});
}

int64_t wr_model_read(const void *cell)
{
    explorer *const x = running;
    if (is_replayed(x))
        return replay(x);
    const int i = cell_of(x, cell);
    int64_t value;
    const int is_race = wr_wm_read_cell(&x->at->memory, x->thread, i, &value);
    note(x, &(trace_entry){x->thread, "reads", "a cell:", value});
    if (is_race)
        stop_violated(x, "a race: a cell is read while it is written");
    keep_result(x, x->at, x->thread, value);
    return value;
}

void wr_model_write(const void *cell, int64_t value)
{
    explorer *const x = running;
    if (is_replayed(x)) {
        replay(x);
        return;
    }
    const int is_race = wr_wm_write_cell(&x->at->memory, x->thread, cell_of(x, cell), value);
    note(x, &(trace_entry){x->thread, "writes", "a cell:", value});
    if (is_race)
        stop_violated(x, "a race: a cell is written while it is read or written");
    keep_result(x, x->at, x->thread, value);
}

void wr_model_require_that(int holds, const char *what)
{
    if (!holds)
        stop_violated(running, what);
}

/* --- The rounds of a thread. --- */

static void set_plain(const wr_model_plain *plain, const int64_t *from)
{
    for (int i = 0; i < plain->n; i++)
        plain->number[i] = from[i];
}

static void get_plain(const wr_model_plain *plain, int64_t *to)
{
    for (int i = 0; i < plain->n; i++)
        to[i] = plain->number[i];
}

/* Calls a round of a thread. Returns 1 if the round ends; returns 0 if the round stops before a step or at a violation. */
static int run_round(explorer *x, state *s, int thread, int64_t *number)
{
    memcpy(number, s->thread[thread].number, sizeof s->thread[thread].number);
    set_plain(&x->model->plain[thread], s->thread[thread].plain);
    x->at = s;
    x->thread = thread;
    x->i_result = 0;
    if (setjmp(x->until_next) != 0) {
        running = NULL;
        return 0;
    }
    running = x;
    const int goes_on = x->model->round(x->model->context, thread, number);
    running = NULL;
    thread_state *const t = &s->thread[thread];
    if (x->i_result != t->n_result)
        give_up("a round does not do the same again");
    memcpy(t->number, number, sizeof t->number);
    get_plain(&x->model->plain[thread], t->plain);
    memset(t->result, 0, sizeof t->result);
    t->n_result = 0;
    t->next = (step){.kind = NOTHING, .value = goes_on};
    return 1;
}

/* Runs rounds of the thread until its next step is known or the thread ends. */
static void resume(explorer *x, state *s, int thread)
{
    int64_t number[WR_MODEL_NUMBERS];
    step *const next = &s->thread[thread].next;
    memset(next, 0, sizeof *next);
    while (run_round(x, s, thread, number))
        if (!next->value)
            return;
}

/* --- The table of explored states. --- */

static uint64_t mixed(uint64_t hash, uint64_t word, uint64_t factor)
{
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 29;
}

static void hash_state(const state *s, uint64_t *ret_key)
{
    uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu;
    const unsigned char *const bytes = (const unsigned char *)s;
    for (size_t i = 0; i < sizeof *s; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        a = mixed(a, word, 0xff51afd7ed558ccdu);
        b = mixed(b, word + i, 0xc4ceb9fe1a85ec53u);
    }
    ret_key[0] = a | 1; /* nonzero, because 0 marks a free entry */
    ret_key[1] = b;
}

static seen_state *place_of(seen_state *seen, size_t cap, const uint64_t *key)
{
    size_t i = (key[0] ^ key[1] >> 7) & (cap - 1);
    while (seen[i].key[0] != 0 && (seen[i].key[0] != key[0] || seen[i].key[1] != key[1]))
        i = (i + 1) & (cap - 1);
    return &seen[i];
}

static void remember(explorer *x, const uint64_t *key, double n_execution)
{
    if (2 * x->n_seen >= x->cap_seen) {
        const size_t cap = x->cap_seen > 0 ? 2 * x->cap_seen : 1 << 12;
        seen_state *const more = calloc(cap, sizeof *more);
        if (!more)
            give_up("out of memory");
        for (size_t i = 0; i < x->cap_seen; i++)
            if (x->seen[i].key[0] != 0)
                *place_of(more, cap, x->seen[i].key) = x->seen[i];
        free(x->seen);
        x->seen = more;
        x->cap_seen = cap;
    }
    *place_of(x->seen, x->cap_seen, key) = (seen_state){{key[0], key[1]}, n_execution};
    x->n_seen++;
}

/* --- The search. --- */

static double explore(explorer *x, const state *s);

static const char *name_of(const explorer *x, const step *next)
{
    return next->kind == CHOOSE ? "" : x->model->location[next->location].name;
}

/* Stores the result of the thread's step and explores the states after the step. Returns the number of executions. */
static double go_on(explorer *x, state *s, int thread, int64_t value)
{
    static const char *const verbs[] = {
        [LOAD] = "loads", [STORE] = "stores", [UPDATE] = "updates", [CHOOSE] = "chooses"};
    const step *const did = &s->thread[thread].next;
    const int n_trace = x->n_trace;
    note(x, &(trace_entry){thread, verbs[did->kind], name_of(x, did),
                           did->kind == STORE ? did->value : value});
    x->result->n_step++;
    keep_result(x, s, thread, value);
    resume(x, s, thread);
    const double n = x->result->is_violated ? 0 : explore(x, s);
    x->n_trace = n_trace;
    return n;
}

/* Takes the thread's step with its i-th result, in a copy of the state. Returns 0 if the memory does not allow result i. */
static int take(const state *s, int thread, int i, state *ret_state, int64_t *ret_value)
{
    const step *const next = &s->thread[thread].next;
    const int location = next->location;
    wr_weak_memory *const memory = &ret_state->memory;
    const wr_wm_write write = {next->value, i, next->is_acquire, next->is_release};
    *ret_value = i;
    if (next->kind == LOAD && !wr_wm_may_load(&s->memory, thread, location, i))
        return 0;
    if (next->kind == STORE && !wr_wm_may_store(&s->memory, thread, location, i))
        return 0;
    if (next->kind == UPDATE && !wr_wm_may_update(&s->memory, thread, location, i))
        return 0;
    memcpy(ret_state, s, sizeof *s);
    if (next->kind == LOAD)
        *ret_value = wr_wm_load(memory, thread, location, i, next->is_acquire);
    else if (next->kind == STORE)
        wr_wm_store(memory, thread, location, &write);
    else if (next->kind == UPDATE)
        *ret_value = wr_wm_update(memory, thread, location, &write);
    return 1;
}

static double step_thread(explorer *x, const state *s, int thread)
{
    const step *const next = &s->thread[thread].next;
    const int n = next->kind == CHOOSE ? (int)next->value : s->memory.n_message[next->location] + 1;
    double n_execution = 0;
    state after;
    int64_t value;
    for (int i = 0; i < n && !x->result->is_violated; i++)
        if (take(s, thread, i, &after, &value))
            n_execution += go_on(x, &after, thread, value);
    return n_execution;
}

/* Returns 1 if the thread's step commutes with all later steps of the other threads. */
static int is_alone(const explorer *x, const state *s, int thread)
{
    const step *const next = &s->thread[thread].next;
    if (next->kind != LOAD)
        return next->kind == CHOOSE;
    const int owner = x->model->location[next->location].owner;
    return owner == thread || (owner >= 0 && s->thread[owner].next.kind == NOTHING);
}

static void end(const explorer *x, const state *s)
{
    int64_t number[WR_WM_THREADS * WR_MODEL_NUMBERS];
    for (int t = 0; t < WR_WM_THREADS; t++)
        memcpy(number + t * WR_MODEL_NUMBERS, s->thread[t].number, sizeof s->thread[t].number);
    if (x->model->end)
        x->model->end(x->model->context, number);
}

/* Returns the number of executions from a state that the table does not contain. */
static double explore_new(explorer *x, const state *s)
{
    const int n_thread = x->model->n_thread;
    int n_left = 0;
    double n = 0;
    for (int t = 0; t < n_thread; t++) {
        if (s->thread[t].next.kind != NOTHING && is_alone(x, s, t))
            return step_thread(x, s, t);
        n_left += s->thread[t].next.kind != NOTHING;
    }
    if (n_left == 0) {
        end(x, s);
        return 1;
    }
    for (int t = 0; t < n_thread && !x->result->is_violated; t++)
        if (s->thread[t].next.kind != NOTHING)
            n += step_thread(x, s, t);
    return n;
}

static double explore(explorer *x, const state *s)
{
    uint64_t key[2];
    hash_state(s, key);
    if (x->cap_seen > 0 && !x->model->does_not_merge) {
        const seen_state *const seen = place_of(x->seen, x->cap_seen, key);
        if (seen->key[0] != 0)
            return seen->n_execution;
    }
    if (++x->result->n_state > x->model->most_states)
        give_up("more states than expected");
    const double n = explore_new(x, s);
    if (!x->model->does_not_merge)
        remember(x, key, n);
    return n;
}

static void start(explorer *x, state *s)
{
    const wr_model *const model = x->model;
    memset(s, 0, sizeof *s);
    wr_wm_start(&s->memory);
    for (int i = 0; i < model->n_location; i++)
        wr_wm_set(&s->memory, i, *model->location[i].object);
    for (int t = 0; t < model->n_thread; t++)
        get_plain(&model->plain[t], s->thread[t].plain);
    for (int t = 0; t < model->n_thread && !x->result->is_violated; t++)
        resume(x, s, t);
}

void wr_model_explore(const wr_model *model, wr_model_result *ret_result)
{
    explorer *const x = calloc(1, sizeof *x);
    if (!x || running)
        give_up("out of memory, or an exploration inside of one");
    memset(ret_result, 0, sizeof *ret_result);
    x->model = model;
    x->result = ret_result;
    state s;
    start(x, &s);
    if (!ret_result->is_violated)
        ret_result->n_execution = explore(x, &s);
    for (int t = 0; t < model->n_thread; t++) /* restores the values from before the exploration */
        set_plain(&model->plain[t], s.thread[t].plain);
    free(x->seen);
    free(x);
}
