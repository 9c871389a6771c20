/* Ring buffers between the workers and a writing thread. See recorder.h.
 *
 * The thread moves rows from the buffers to the merge, which grows, before the thread writes. So the producer of a full buffer
 * waits for the thread only, and slow and fast subsystems cannot block each other. The thread sleeps when the buffers are
 * empty. A half-full buffer wakes the thread. A lost wake-up costs at most IDLE_MAX_NS.
 *
 * Thread: see recorder.h. Real-time: push. */
#include "runtime/record/recorder.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/ring.h"
#include "runtime/record/merge.h"
#include "runtime/record/writer.h"

enum {
    MIN_RING_ROW = 256, /* rows (assumed); smaller buffers wake the thread too often */
    /* Half of the shortest sleep, and the longest sleep, of the thread (assumed). The sleep doubles while no row comes. */
    IDLE_MIN_NS = 1000000,
    IDLE_MAX_NS = 16000000,
    FULL_WAIT_NS = 50000, /* sleep of a producer between two tests of a full buffer (assumed) */
    FLUSH_NS = 200000000, /* longest time until a flush, if flushing is fast (assumed) */
    FLUSH_SHARE = 10,     /* flushing takes at most a tenth of the time (assumed) */
    RING_TIME = 0,
    RING_KIND,
    RING_VALUE
};

/* A log stream. */
typedef struct log_stream {
    _Alignas(
        WR_CACHE_LINE) _Atomic double until_s; /* released by the producer after its rows, acquired by the thread */
    /* For the producer: */
    int64_t n_lost; /* rows without room since the last stored row */
    double last_s;  /* time of the last row */
    double *lost;   /* row that stands for lost rows; lost[i_count] is their number */
    int i_count;
} log_stream;

struct wr_recorder {
    int n_stream, is_dropping; /* n_stream: rows, waves and log */
    int first_log;             /* number of the first log stream */
    int *n_channel;            /* [n_stream] number of channels of each stream */
    wr_ring **ring;            /* [n_stream]; NULL: stream without channels */
    int n_log;
    log_stream *log; /* [n_log] */
    pthread_t thread;
    int has_thread, has_sync;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    _Atomic int is_finishing; /* released after the last push (owner), acquired by the thread */
    _Atomic int failure;      /* released by the thread after err, acquired in push and status */
    _Atomic int64_t n_wait, n_dropped; /* relaxed: counters, read after the join */
    /* Numbers of requested and completed calls of wr_recorder_hurry(). The caller releases a request, and the thread acquires the request
     * before the thread drains the buffers. The thread releases the completion. */
    atomic_int n_hurry_asked, n_hurry_done;
    /* Members for the thread only, until the join: */
    const wr_writer_ops *ops;
    wr_writer *writer;
    wr_merge *merge;
    wrsim_error err; /* constant once failure is set */
    wr_recorder_stats stats;
};

/* Stores the first failure. */
static void note_failure(wr_recorder *recorder, wrsim_status status, const wrsim_error *err)
{
    if (status >= 0 || atomic_load_explicit(&recorder->failure, memory_order_relaxed) < 0)
        return; /* relaxed: only this thread writes the failure */
    recorder->err = *err;
    atomic_store_explicit(&recorder->failure, status, memory_order_release);
}

static int is_failed(wr_recorder *recorder)
{
    /* relaxed: the caller is the thread that writes the failure, or has acquired n_hurry_done after the failure */
    return atomic_load_explicit(&recorder->failure, memory_order_relaxed) < 0;
}

/* Moves rows from the buffers to the merge. Returns the number of rows. */
static int64_t drain(wr_recorder *recorder)
{
    int64_t n_moved = 0;
    for (int i = 0; i < recorder->n_stream && !is_failed(recorder); i++) {
        wr_ring *const ring = recorder->ring[i];
        /* The buffer has all rows before this time, because the time is read before the rows. */
        if (i >= recorder->first_log)
            wr_merge_log_until(recorder->merge, i - recorder->first_log,
                               atomic_load_explicit(&recorder->log[i - recorder->first_log].until_s,
                                                    memory_order_acquire));
        /* The thread takes at most one full buffer of rows at a time, so that a fast producer cannot block the other buffers. */
        for (int n = ring ? wr_ring_cap(ring) : 0; n > 0; n--) {
            const double *const row = wr_ring_peek(ring);
            if (!row)
                break;
            wrsim_error err;
            note_failure(recorder,
                         wr_merge_add(recorder->merge, i, (int)row[RING_KIND], row[RING_TIME],
                                      row + RING_VALUE, &err),
                         &err);
            wr_ring_release(ring);
            n_moved++;
        }
    }
    return n_moved;
}

/* Flushes if *next_flush_ns has passed, and sets *next_flush_ns to the next time. The time depends on the clock, so a flush must not change
 * the closed file. */
static void flush_if_due(wr_recorder *recorder, int64_t *next_flush_ns)
{
    const int64_t begin_ns = wr_clock_monotonic_ns();
    if (is_failed(recorder) || begin_ns < *next_flush_ns)
        return;
    wrsim_error err;
    note_failure(recorder, recorder->ops->flush(recorder->writer, &err), &err);
    const int64_t end_ns = wr_clock_monotonic_ns();
    const int64_t pause_ns = FLUSH_SHARE * (end_ns - begin_ns);
    *next_flush_ns = end_ns + (pause_ns > FLUSH_NS ? pause_ns : FLUSH_NS);
}

static void *run_thread(void *argument)
{
    wr_recorder *const recorder = argument;
    int64_t idle_ns = IDLE_MIN_NS, next_flush_ns = wr_clock_monotonic_ns() + FLUSH_NS;
    int is_flushed = 1;
    for (;;) {
        /* acquire, before the drain: no row comes after the flag, so this drain is the last. */
        const int is_last = atomic_load_explicit(&recorder->is_finishing, memory_order_acquire);
        const int n_hurry = atomic_load_explicit(&recorder->n_hurry_asked, memory_order_acquire);
        const int64_t n_moved = drain(recorder);
        if (n_moved > 0 && !is_failed(recorder)) {
            wrsim_error err;
            note_failure(recorder, wr_merge_write(recorder->merge, &err), &err);
            is_flushed = 0;
        }
        if (is_last)
            break;
        if (n_hurry != atomic_load_explicit(&recorder->n_hurry_done, memory_order_relaxed)) {
            next_flush_ns = 0;
            flush_if_due(recorder, &next_flush_ns);
            is_flushed = 1;
            /* Only the thread writes this counter. */
            atomic_store_explicit(&recorder->n_hurry_done, n_hurry, memory_order_release);
        }
        if (!is_flushed) {
            const int64_t before_ns = next_flush_ns;
            flush_if_due(recorder, &next_flush_ns);
            is_flushed = next_flush_ns != before_ns;
        }
        idle_ns = n_moved > 0 ? IDLE_MIN_NS : idle_ns < IDLE_MAX_NS / 2 ? 2 * idle_ns : IDLE_MAX_NS;
        if (n_moved == 0) {
            const int64_t until_ns = wr_clock_monotonic_ns() + idle_ns;
            const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                           .tv_nsec = (long)(until_ns % 1000000000)};
            pthread_mutex_lock(&recorder->mutex);
            /* relaxed: join_thread() sets is_finishing under the same mutex */
            if (!atomic_load_explicit(&recorder->is_finishing, memory_order_relaxed))
                pthread_cond_timedwait(&recorder->wake, &recorder->mutex, &until);
            pthread_mutex_unlock(&recorder->mutex);
        }
    }
    wrsim_error err;
    if (!is_failed(recorder))
        note_failure(recorder, wr_merge_finish(recorder->merge, &err), &err);
    recorder->stats.n_row = wr_merge_n_row(recorder->merge);
    recorder->stats.n_event_row = wr_merge_n_event_row(recorder->merge);
    note_failure(recorder, recorder->ops->close(&recorder->writer, &recorder->stats, &err), &err);
    return NULL;
}

static int create_sync(wr_recorder *recorder)
{
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&recorder->mutex, NULL) != 0)
        return 0;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    recorder->has_sync = pthread_cond_init(&recorder->wake, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!recorder->has_sync)
        pthread_mutex_destroy(&recorder->mutex);
    return recorder->has_sync;
}

static int create_logs(wr_recorder *recorder, const wr_recorder_options *options, int n_log)
{
    recorder->log = aligned_alloc(WR_CACHE_LINE, ((size_t)n_log + 1) * sizeof *recorder->log);
    if (!recorder->log)
        return 0;
    recorder->n_log = n_log;
    for (int i = 0; i < n_log; i++)
        recorder->log[i] = (log_stream){.until_s = -(double)INFINITY};
    for (int i = 0; i < n_log; i++) {
        log_stream *const log = &recorder->log[i];
        const int n = wr_writer_log_values(options, i), is_window = i == n_log - 1;
        log->lost = calloc((size_t)n + 1, sizeof *log->lost);
        if (!log->lost)
            return 0;
        if (n == 0)
            continue;
        if (is_window) {
            log->i_count = WR_LOG_WINDOW_SWEEPS;
            log->lost[WR_LOG_WINDOW_END] = log->lost[WR_LOG_WINDOW_CONTRACTION] =
                log->lost[WR_LOG_WINDOW_CHANGE] = log->lost[WR_LOG_WINDOW_PREDICTION] = (double)NAN;
            log->lost[WR_LOG_WINDOW_REASON] = options->log->n_reason - 1;
            log->lost[WR_LOG_WINDOW_FAILED] = -1.0;
        } else {
            log->i_count = WR_LOG_ENTRY_AFTER;
            log->lost[WR_LOG_ENTRY_ITEM] = log->lost[WR_LOG_ENTRY_ROUND] = -1.0;
            log->lost[WR_LOG_ENTRY_BEFORE] = (double)NAN;
        }
    }
    return 1;
}

static int create_rings(wr_recorder *recorder, const wr_recorder_options *options)
{
    const int first_log = options->n_stream + options->n_wave;
    const int n_log = wr_writer_n_log(options), n_stream = first_log + n_log;
    recorder->n_stream = n_stream;
    recorder->first_log = first_log;
    recorder->is_dropping = options->is_dropping;
    recorder->n_channel = calloc((size_t)n_stream + 1, sizeof *recorder->n_channel);
    recorder->ring = calloc((size_t)n_stream + 1, sizeof *recorder->ring);
    if (!recorder->n_channel || !recorder->ring || !create_logs(recorder, options, n_log))
        return 0;
    for (int i = 0; i < n_stream; i++) {
        const int is_log = i >= first_log, is_wave = !is_log && i >= options->n_stream;
        const int wanted = is_log    ? options->log->cap_entry
                           : is_wave ? options->cap_node
                                     : options->cap_row;
        const int cap_row = wanted > MIN_RING_ROW ? wanted : MIN_RING_ROW;
        recorder->n_channel[i] = is_log    ? wr_writer_log_values(options, i - first_log)
                                 : is_wave ? options->wave[i - options->n_stream].n_channel
                                           : options->stream[i].n_channel;
        if (recorder->n_channel[i] == 0)
            continue;
        recorder->ring[i] =
            wr_ring_create(options->memory, RING_VALUE + recorder->n_channel[i], cap_row);
        if (!recorder->ring[i])
            return 0;
    }
    return 1;
}

wr_recorder *wr_recorder_create(const wr_recorder_options *options, wr_diag *diag)
{
    wrsim_error err;
    wr_error_set(&err, WRSIM_E_MEMORY, "out of memory for the recorder");
    wr_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder || !create_sync(recorder) || !create_rings(recorder, options))
        goto fail;
    recorder->ops = wr_writer_find(options->file, &err);
    if (!recorder->ops)
        goto fail;
    recorder->writer = recorder->ops->open(options, &err);
    if (!recorder->writer)
        goto fail;
    recorder->merge = wr_merge_create(options, recorder->ops, recorder->writer);
    if (!recorder->merge)
        goto fail;
    /* The thread starts with all signals blocked except signals of its own faults, because other signals belong to the program. A write
     * to a closed pipe or beyond a size limit then returns an error. */
    static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < WR_COUNT_OF(own_faults); i++)
        sigdelset(&all, own_faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error_number = pthread_create(&recorder->thread, NULL, run_thread, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    recorder->has_thread = error_number == 0;
    if (error_number != 0) {
        wr_error_set(&err, WRSIM_E_MEMORY,
                     "the thread of the recorder cannot be started: %s; end other processes",
                     strerror(error_number));
        goto fail;
    }
    return recorder;
fail:
    wr_diag_add(diag, err.status, NULL, "%s", err.text);
    wr_recorder_destroy(&recorder);
    return NULL;
}

/* Stores the number of earlier communication rows. The thread reads this number with the first row, which the thread
 * acquires from a buffer. */
void wr_recorder_resume(wr_recorder *recorder, int64_t n_communication)
{
    wr_merge_resume(recorder->merge, n_communication);
}

static void sleep_ns(int64_t ns)
{
    const struct timespec pause = {.tv_nsec = (long)ns};
    nanosleep(&pause, NULL);
}

/* Pushes a row. Waits for room if may_wait is 1. *ret_is_stored: 0 without room. */
static wrsim_status push(wr_recorder *recorder, int i_stream, int kind, double t_s,
                         const double *values, int may_wait, int *ret_is_stored)
{
    WR_ASSERT(i_stream >= 0 && i_stream < recorder->n_stream);
    int failure = atomic_load_explicit(&recorder->failure, memory_order_acquire);
    wr_ring *const ring = recorder->ring[i_stream];
    *ret_is_stored = 1;
    if (failure < 0 || !ring)
        return (wrsim_status)failure;
    double *row = wr_ring_reserve(ring);
    *ret_is_stored = row || may_wait;
    if (!*ret_is_stored) {
        atomic_fetch_add_explicit(&recorder->n_dropped, 1, memory_order_relaxed);
        return WRSIM_OK;
    }
    if (!row)
        atomic_fetch_add_explicit(&recorder->n_wait, 1, memory_order_relaxed);
    while (!row) {
        pthread_cond_signal(&recorder->wake);
        sleep_ns(FULL_WAIT_NS);
        failure = atomic_load_explicit(&recorder->failure, memory_order_acquire);
        if (failure < 0)
            return (wrsim_status)failure;
        row = wr_ring_reserve(ring);
    }
    row[RING_TIME] = t_s;
    row[RING_KIND] = kind;
    memcpy(row + RING_VALUE, values, (size_t)recorder->n_channel[i_stream] * sizeof(double));
    if (wr_ring_commit(ring) == wr_ring_cap(ring) / 2)
        pthread_cond_signal(&recorder->wake);
    return WRSIM_OK;
}

wrsim_status wr_recorder_push(wr_recorder *recorder, int i_stream, int kind, double t_s,
                              const double *values)
{
    WR_ASSERT(kind >= 0 && kind < WR_RECORD_KIND_COUNT);
    int is_stored;
    return push(recorder, i_stream, kind, t_s, values, !recorder->is_dropping, &is_stored);
}

/* Pushes a row that stands for the lost rows of a log stream. Returns as push(). */
static wrsim_status push_lost(wr_recorder *recorder, int i_log, int may_wait, int *ret_is_stored)
{
    log_stream *const log = &recorder->log[i_log];
    log->lost[log->i_count] = (double)log->n_lost;
    const wrsim_status status = push(recorder, recorder->first_log + i_log, WR_LOGGED_LOST,
                                     log->last_s, log->lost, may_wait, ret_is_stored);
    if (*ret_is_stored)
        log->n_lost = 0;
    return status;
}

wrsim_status wr_recorder_push_log(wr_recorder *recorder, int i_log, int kind, double t_s,
                                  const double *values)
{
    log_stream *const log = &recorder->log[i_log];
    int is_stored = 1;
    log->last_s = t_s;
    if (log->n_lost > 0)
        WR_TRY(push_lost(recorder, i_log, 0, &is_stored));
    if (is_stored)
        WR_TRY(push(recorder, recorder->first_log + i_log, kind, t_s, values,
                    !recorder->is_dropping, &is_stored));
    log->n_lost += !is_stored;
    return WRSIM_OK;
}

void wr_recorder_log_until(wr_recorder *recorder, int i_log, double t_s)
{
    atomic_store_explicit(&recorder->log[i_log].until_s, t_s, memory_order_release);
}

wrsim_status wr_recorder_status(wr_recorder *recorder, wrsim_error *err)
{
    const int failure = atomic_load_explicit(&recorder->failure, memory_order_acquire);
    if (failure < 0 && err)
        *err = recorder->err;
    return (wrsim_status)failure;
}

int wr_recorder_hurry(wr_recorder *recorder, int64_t wait_ns)
{
    const int64_t step_ns = IDLE_MIN_NS;
    if (!recorder->has_thread || pthread_equal(pthread_self(), recorder->thread))
        return 0;
    const int asked =
        1 + atomic_fetch_add_explicit(&recorder->n_hurry_asked, 1, memory_order_release);
    for (int64_t waited_ns = 0; waited_ns < wait_ns; waited_ns += step_ns) {
        if (atomic_load_explicit(&recorder->n_hurry_done, memory_order_acquire) - asked >= 0)
            return !is_failed(recorder);
        sleep_ns(step_ns);
    }
    return 0;
}

int64_t wr_recorder_cpu_ns(const wr_recorder *recorder)
{
    clockid_t clock;
    struct timespec used;
    if (!recorder->has_thread || pthread_getcpuclockid(recorder->thread, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return 1000000000 * (int64_t)used.tv_sec + used.tv_nsec;
}

/* Ends the thread, which writes the remaining rows and closes the file. */
static void join_thread(wr_recorder *recorder)
{
    if (!recorder->has_thread)
        return;
    pthread_mutex_lock(&recorder->mutex);
    atomic_store_explicit(&recorder->is_finishing, 1, memory_order_release);
    pthread_cond_signal(&recorder->wake);
    pthread_mutex_unlock(&recorder->mutex);
    pthread_join(recorder->thread, NULL);
    recorder->has_thread = 0;
}

wrsim_status wr_recorder_finish(wr_recorder *recorder, wr_recorder_stats *ret_stats,
                                wrsim_error *err)
{
    for (int i = 0, is_stored; i < recorder->n_log && recorder->has_thread; i++)
        if (recorder->log[i].n_lost > 0)
            (void)push_lost(recorder, i, 1, &is_stored);
    join_thread(recorder);
    recorder->stats.n_wait = atomic_load_explicit(&recorder->n_wait, memory_order_relaxed);
    recorder->stats.n_dropped = atomic_load_explicit(&recorder->n_dropped, memory_order_relaxed);
    if (ret_stats)
        *ret_stats = recorder->stats;
    return wr_recorder_status(recorder, err);
}

void wr_recorder_destroy(wr_recorder **recorder_at)
{
    if (!recorder_at || !*recorder_at)
        return;
    wr_recorder *const recorder = *recorder_at;
    join_thread(recorder);
    if (recorder->writer) /* no thread has closed the file */
        (void)recorder->ops->close(&recorder->writer, &recorder->stats, NULL);
    wr_merge_destroy(&recorder->merge);
    for (int i = 0; recorder->ring && i < recorder->n_stream; i++)
        wr_ring_destroy(&recorder->ring[i]);
    for (int i = 0; i < recorder->n_log; i++)
        free(recorder->log[i].lost);
    free(recorder->log);
    free(recorder->ring);
    free(recorder->n_channel);
    if (recorder->has_sync) {
        pthread_cond_destroy(&recorder->wake);
        pthread_mutex_destroy(&recorder->mutex);
    }
    free(recorder);
    *recorder_at = NULL;
}
