/* Memory with two rings, shared with other processes. See live_memory.h. Thread: as live_memory.h. Real-time: wr_live_step(). */
#include "runtime/live/live_memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

enum {
    NAME_BYTES =
        1 << 20,         /* names and units of all signals (assumed); further signals are omitted */
    ROW_BYTES = 1 << 24, /* (assumed): 1000 rows of WR_LIVE_SIGNALS signals */
    CAP_ROW = 1 << 16,   /* rows of few signals (assumed): half a minute with a row each 500 us */
    CAP_STEP = 1 << 16   /* steps (assumed), as CAP_ROW */
};

typedef struct ring {
    /* Numbers of entries that the writer has begun, and has completed. See push() and wr_live_read(). */
    _Alignas(WR_CACHE_LINE) _Atomic int64_t n_begun, n_done;
    int cap, width; /* entries, and columns of an entry */
} ring;

struct wr_live {
    /* Even: the members below are valid. The run releases a generation, readers acquire it before and after they copy members. */
    _Atomic int64_t generation;
    atomic_int state; /* release after `text`, acquired by readers */
    char title[WR_LIVE_TEXT_BYTES], text[WR_LIVE_TEXT_BYTES];
    double start_s, stop_s, rate, period_s;
    int n_stream, n_signal, n_all_signal;
    int n_channel[WR_LIVE_SIGNALS];                        /* [n_stream] signals of each stream */
    uint32_t name[WR_LIVE_SIGNALS], unit[WR_LIVE_SIGNALS]; /* offsets in names */
    atomic_int n_cpu; /* release after `cpu`, acquired by readers */
    int cpu[WR_LIVE_CPUS];
    ring rings[WR_LIVE_RINGS];
    _Atomic int64_t n_miss; /* relaxed: a count for display */
    char names[NAME_BYTES];
    _Atomic double steps[CAP_STEP * WR_LIVE_STEP_COLUMNS];
    _Atomic double rows[ROW_BYTES / sizeof(double)];
};

wr_live *wr_live_create(void)
{
    void *const block =
        mmap(NULL, sizeof(wr_live), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void wr_live_destroy(wr_live **live)
{
    if (*live)
        munmap(*live, sizeof **live);
    *live = NULL;
}

/* ---- the run ---- */

/* Stores a text in names. Returns the number of used bytes, or 0 if the text does not fit. */
static size_t keep_text(wr_live *live, size_t n_used, const char *text)
{
    const size_t n = strlen(text ? text : "") + 1;
    if (n > NAME_BYTES - n_used)
        return 0;
    memcpy(live->names + n_used, text ? text : "", n);
    return n;
}

static void keep_signals(wr_live *live, const wr_live_run *run)
{
    size_t n_used = 0;
    int is_full = 0;
    live->n_stream = live->n_signal = live->n_all_signal = 0;
    for (int i = 0; i < run->n_stream; i++) {
        const wr_stream_info *const stream = &run->stream[i];
        const int n_before = live->n_signal;
        for (int k = 0; k < stream->n_channel; k++, live->n_all_signal++) {
            const int i_signal = live->n_signal;
            is_full = is_full || i_signal == WR_LIVE_SIGNALS;
            const size_t n_name = is_full ? 0 : keep_text(live, n_used, stream->channel[k].name);
            const size_t n_unit =
                n_name ? keep_text(live, n_used + n_name, stream->channel[k].unit) : 0;
            is_full = n_unit == 0;
            if (is_full)
                continue;
            live->name[i_signal] = (uint32_t)n_used;
            live->unit[i_signal] = (uint32_t)(n_used + n_name);
            n_used += n_name + n_unit;
            live->n_signal++;
        }
        /* Streams after the last signal are not read. A stream without signals takes an entry, too. */
        if (i < WR_LIVE_SIGNALS) {
            live->n_channel[i] = live->n_signal - n_before;
            live->n_stream = i + 1;
        } else
            live->n_signal = n_before;
    }
}

static void begin_ring(ring *r, int cap, int width)
{
    /* relaxed: generation orders these stores */
    atomic_store_explicit(&r->n_begun, 0, memory_order_relaxed);
    atomic_store_explicit(&r->n_done, 0, memory_order_relaxed);
    r->cap = cap;
    r->width = width;
}

void wr_live_begin(wr_live *live, const wr_live_run *run)
{
    /* relaxed: only this thread changes the generation */
    const int64_t before = atomic_load_explicit(&live->generation, memory_order_relaxed);
    atomic_store_explicit(&live->generation, before + 1, memory_order_relaxed);
    /* Partner: the fence in wr_live_view_get(). A reader of a new member sees the odd generation. */
    atomic_thread_fence(memory_order_release);
    snprintf(live->title, sizeof live->title, "%s", run->title);
    live->start_s = run->start_s;
    live->stop_s = run->stop_s;
    live->rate = run->rate;
    live->period_s = run->period_s;
    keep_signals(live, run);
    const int width = 1 + live->n_signal, cap = ROW_BYTES / (int)sizeof(double) / width;
    begin_ring(&live->rings[WR_LIVE_ROWS], cap < CAP_ROW ? cap : CAP_ROW, width);
    begin_ring(&live->rings[WR_LIVE_STEPS], CAP_STEP, WR_LIVE_STEP_COLUMNS);
    for (size_t i = 0; i < WR_COUNT_OF(live->steps); i++) /* relaxed: as begin_ring() */
        atomic_store_explicit(&live->steps[i], 0.0, memory_order_relaxed);
    atomic_store_explicit(&live->n_miss, 0, memory_order_relaxed);
    live->text[0] = '\0';
    atomic_store_explicit(&live->state, WR_LIVE_RUNNING, memory_order_release);
    atomic_store_explicit(&live->generation, before + 2, memory_order_release);
}

void wr_live_set_cpus(wr_live *live, int n, const int *cpu)
{
    int n_kept = 0;
    for (int i = 0; i < n && n_kept < WR_LIVE_CPUS; i++)
        if (cpu[i] >= 0)
            live->cpu[n_kept++] = cpu[i];
    atomic_store_explicit(&live->n_cpu, n_kept, memory_order_release);
}

void wr_live_end(wr_live *live, const char *text)
{
    snprintf(live->text, sizeof live->text, "%s", text);
    atomic_store_explicit(&live->state, WR_LIVE_ENDED, memory_order_release);
}

/* Begins an entry. Returns the address of its values. */
static _Atomic double *push(ring *r, _Atomic double *values)
{
    /* relaxed: only the writer changes the counts; the fence orders n_begun before the values */
    const int64_t n = atomic_load_explicit(&r->n_done, memory_order_relaxed);
    atomic_store_explicit(&r->n_begun, n + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* partner: the fence in wr_live_read() */
    return values + (size_t)(n % r->cap) * (size_t)r->width;
}

/* Completes an entry. Partner of the release: the acquire in wr_live_read(). */
static void complete(ring *r)
{
    const int64_t n = atomic_load_explicit(&r->n_begun, memory_order_relaxed);
    atomic_store_explicit(&r->n_done, n, memory_order_release);
}

/* relaxed: push() and complete() order the values */
static void put(_Atomic double *to, double value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

void wr_live_row(void *context, double t_s, const double *const *values)
{
    wr_live *const live = context;
    ring *const r = &live->rings[WR_LIVE_ROWS];
    _Atomic double *to = push(r, live->rows);
    put(to++, t_s);
    for (int i = 0; i < live->n_stream; i++)
        for (int k = 0; k < live->n_channel[i]; k++)
            put(to++, values[i] ? values[i][k] : (double)NAN);
    complete(r);
}

void wr_live_step(void *context, const wr_live_step_time *step)
{
    wr_live *const live = context;
    ring *const r = &live->rings[WR_LIVE_STEPS];
    _Atomic double *const to = push(r, live->steps);
    put(to + WR_LIVE_TIME, step->t_s);
    put(to + WR_LIVE_COMPUTE, (double)step->compute_ns);
    put(to + WR_LIVE_LATE, (double)step->late_ns);
    put(to + WR_LIVE_OVER, step->over_ns == INT64_MAX ? (double)INFINITY : (double)step->over_ns);
    const int64_t n_miss = atomic_load_explicit(&live->n_miss, memory_order_relaxed);
    atomic_store_explicit(&live->n_miss, n_miss + (step->over_ns > 0), memory_order_relaxed);
    complete(r);
}

/* ---- readers ---- */

static int64_t n_done(const wr_live *live, wr_live_ring i)
{
    return atomic_load_explicit(&live->rings[i].n_done, memory_order_acquire);
}

void wr_live_view_get(const wr_live *live, wr_live_view *v)
{
    const int64_t generation = atomic_load_explicit(&live->generation, memory_order_acquire);
    v->state = (wr_live_state)atomic_load_explicit(&live->state, memory_order_acquire);
    memcpy(v->title, live->title, sizeof v->title);
    memcpy(v->text, live->text, sizeof v->text);
    v->text[v->state == WR_LIVE_ENDED ? sizeof v->text - 1 : 0] = '\0';
    v->start_s = live->start_s;
    v->stop_s = live->stop_s;
    v->rate = live->rate;
    v->period_s = live->period_s;
    v->n_signal = live->n_signal;
    v->n_all_signal = live->n_all_signal;
    v->n_row = n_done(live, WR_LIVE_ROWS);
    v->n_step = n_done(live, WR_LIVE_STEPS);
    v->n_miss = atomic_load_explicit(&live->n_miss, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire); /* partner: the fence in wr_live_begin() */
    const int64_t after = atomic_load_explicit(&live->generation, memory_order_relaxed);
    v->generation = after == generation ? generation : after | 1;
}

const char *wr_live_name(const wr_live *live, int i) { return live->names + live->name[i]; }
const char *wr_live_unit(const wr_live *live, int i) { return live->names + live->unit[i]; }

int wr_live_cap(const wr_live *live, wr_live_ring i) { return live->rings[i].cap; }

int wr_live_read(const wr_live *live, wr_live_ring which, int64_t from, int n_column,
                 const int *column, int cap_value, double *ret_value, int64_t *ret_first)
{
    const ring *const r = &live->rings[which];
    const _Atomic double *const values = which == WR_LIVE_ROWS ? live->rows : live->steps;
    const size_t n_all = which == WR_LIVE_ROWS ? WR_COUNT_OF(live->rows) : WR_COUNT_OF(live->steps);
    const int64_t done = n_done(live, which);
    /* Another run may begin meanwhile, so the copies of the sizes may disagree. The caller then drops the values. */
    const int cap = r->cap < cap_value ? r->cap : cap_value, width = r->width;
    *ret_first = from;
    if (cap <= 0 || (size_t)r->cap * (size_t)width > n_all)
        return 0;
    int64_t first = from > done - cap ? from : done - cap;
    first = first > 0 ? first : 0;
    double *to = ret_value;
    for (int64_t i = first; i < done; i++) {
        const size_t at = (size_t)(i % r->cap) * (size_t)width;
        for (int k = 0; k < n_column; k++) /* relaxed: the writer's counts order the values */
            *to++ =
                at + (size_t)column[k] < n_all
                    ? atomic_load_explicit(&values[at + (size_t)column[k]], memory_order_relaxed)
                    : (double)NAN;
    }
    /* If a copied value is new, this thread now sees the n_begun of its entry: the fences pair. */
    atomic_thread_fence(memory_order_acquire);
    const int64_t begun = atomic_load_explicit(&r->n_begun, memory_order_relaxed);
    const int64_t valid = begun - r->cap > first ? begun - r->cap : first;
    *ret_first = valid;
    if (valid >= done)
        return 0;
    memmove(ret_value, ret_value + (size_t)(valid - first) * (size_t)n_column,
            (size_t)(done - valid) * (size_t)n_column * sizeof *ret_value);
    return (int)(done - valid);
}

int wr_live_cpus(const wr_live *live, int ret_cpu[WR_LIVE_CPUS])
{
    const int n = atomic_load_explicit(&live->n_cpu, memory_order_acquire);
    memcpy(ret_cpu, live->cpu, (size_t)n * sizeof *ret_cpu);
    return n;
}
