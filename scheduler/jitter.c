/* A thread that waits periodically. See jitter.h.
 *
 * Each moment that passes during a delay of up to MOST_LATE_S counts with its own lateness, like a step of a run. Otherwise a long delay
 * would count only once.
 *
 * Thread: one owner. Real-time: no.
 */
#include "scheduler/jitter.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "scheduler/barrier.h"

/* lateness, s, above which the thread skips moments; only a suspended machine or process is so late (assumed) */
static const double MOST_LATE_S = 1.0;

/* size of the stack, bytes (assumed): enough for sanitizers, and small, because the stack counts as locked memory */
enum { STACK_BYTES = 1 << 18 };

struct wr_jitter {
    wr_jitter_options options;
    wr_pacer pacer;
    wr_jitter_result result; /* written by the thread until the owner joins the thread */
    pthread_t thread;
    int is_running;       /* 1: the owner has not joined the thread yet */
    atomic_int is_ending; /* stop flag of the pacer; the owner sets the flag */
    wr_gate is_ready;     /* gate that the thread opens before the first wait */
};

static void *measure(void *argument)
{
    wr_jitter *const jitter = argument;
    wr_pacer *const pacer = &jitter->pacer;
    const wr_jitter_options *const options = &jitter->options;
    wr_jitter_result *const result = &jitter->result;
    wr_rt_thread before = {0}; /* no call restores these settings, because the thread ends */
    if (options->cpu >= 0)
        result->pin = wr_rt_thread_pin(options->cpu);
    if (options->timer_slack_ns > 0)
        result->sharpen = wr_rt_thread_sharpen(&before, options->timer_slack_ns);
    if (options->priority > 0)
        result->raise = wr_rt_thread_raise(&before, options->priority);
    wr_gate_open(&jitter->is_ready);
    wr_pacer_begin(pacer, 0.0);
    for (int64_t i = 1;; i++) {
        const int64_t late_ns = wr_pacer_wait(pacer, (double)i * options->period_s);
        if (late_ns == WR_PACER_STOPPED)
            return NULL;
        wr_histogram_add(&result->lateness, late_ns);
        if (options->trace_ns && result->n_trace < options->cap_trace)
            options->trace_ns[result->n_trace++] = late_ns;
    }
}

/* Shortest period, s (assumed). With a shorter period the thread could not sleep, and with a real-time priority would occupy a CPU. */
static const double LEAST_PERIOD_S = 1e-5;

wrsim_status wr_jitter_start(wr_jitter **ret_jitter, const wr_jitter_options *options)
{
    if (!(options->period_s >= LEAST_PERIOD_S) || !isfinite(options->period_s) ||
        options->cpu < -1 || options->priority < 0 || options->priority > 99 ||
        options->timer_slack_ns < 0)
        return WRSIM_E_ARG;
    wr_jitter *jitter = calloc(1, sizeof *jitter);
    if (!jitter)
        return WRSIM_E_MEMORY;
    pthread_attr_t attributes;
    sigset_t old;
    jitter->options = *options;
    wr_histogram_init(&jitter->result.lateness);
    wrsim_status status =
        wr_pacer_init(&jitter->pacer, &(wr_pacer_options){.rate = 1.0,
                                                          .spin_ns = options->spin_ns,
                                                          .most_late_s = MOST_LATE_S,
                                                          .jump_s = (double)INFINITY,
                                                          .stop = &jitter->is_ending});
    if (status < 0)
        goto fail;
    const unsigned seen = wr_gate_seen(&jitter->is_ready);
    const size_t stack_bytes = STACK_BYTES > PTHREAD_STACK_MIN ? STACK_BYTES : PTHREAD_STACK_MIN;
    status = WRSIM_E_MEMORY;
    if (pthread_attr_init(&attributes) != 0)
        goto fail;
    wr_rt_thread_block_signals(&old);
    jitter->is_running = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                         pthread_create(&jitter->thread, &attributes, measure, jitter) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (!jitter->is_running)
        goto fail;
    (void)wr_gate_wait(&jitter->is_ready, seen, 0);
    *ret_jitter = jitter;
    return WRSIM_OK;
fail:
    wr_jitter_destroy(&jitter);
    return status;
}

const wr_jitter_result *wr_jitter_stop(wr_jitter *jitter)
{
    if (jitter->is_running) {
        /* relaxed: no other data depend on the flag (partner: is_stopped() of the pacer). pthread_join() makes the result visible. */
        atomic_store_explicit(&jitter->is_ending, 1, memory_order_relaxed);
        pthread_join(jitter->thread, NULL);
        jitter->is_running = 0;
    }
    return &jitter->result;
}

void wr_jitter_destroy(wr_jitter **jitter)
{
    if (!jitter || !*jitter)
        return;
    (void)wr_jitter_stop(*jitter);
    free(*jitter);
    *jitter = NULL;
}
