/* Real time of a simulation: the [realtime] keys of a slackened run, and the settings of the operating system.
 *
 * Thread: the simulation's owner. Real-time: wr_realtime_enter(), _leave() and _is_holding(), with the system calls that change priority
 * and timer slack of the calling thread, which is worker 0 during a run.
 */
#ifndef WR_REALTIME_H
#define WR_REALTIME_H

#include "base/json.h"
#include "runtime/realtime/deadlines.h"
#include "runtime/sim/simulation.h"
#include "scheduler/jitter.h"
#include "scheduler/rt_thread.h"

struct wr_realtime {
    wr_deadlines *deadlines;
    wr_rt_answer *raise, *sharpen; /* [n_worker] answers for priority and timer slack */
    wr_rt_answer lock;
    int n_not_pinned;      /* workers without a core of their own, if scheduler.pin */
    wr_rt_thread before;   /* settings of the calling thread before the run */
    wr_jitter *jitter;     /* NULL: jitter is not measured */
    wr_histogram lateness; /* lateness of a thread's wake-ups, set when the measurement stops */
    int has_lateness;
};

/* Checks that the keys of [realtime] agree with one another and with the other settings. Errors go to diag. */
void wr_realtime_check(const wr_settings *set, wr_diag *diag);

/* Places sim->realtime and paces the driver, if the run is in real time or sim->is_timed, and the driver has set_pace(). Returns 0, or -1
 * when out of memory. */
int wr_realtime_place(wrsim *sim);

/* Requests exact timers, and the priority and locked memory of the config, from the operating system for all workers. With realtime.jitter
 * starts the measurement of jitter. Returns WRSIM_OK, also after a refusal. With realtime.strict, a refused priority or memory lock, or a
 * worker without a core, is WRSIM_E_PRIVILEGE. Returns WRSIM_E_MEMORY if the measurement cannot start. */
wrsim_status wr_realtime_ask(wrsim *sim, wrsim_error *err);

/* Set and restore the calling thread's priority and timer slack before and after a run. */
void wr_realtime_enter(wrsim *sim);
void wr_realtime_leave(wrsim *sim);

/* Returns 1 while output ports keep their values (realtime.policy = "hold"). */
int wr_realtime_is_holding(const wrsim *sim);

/* Returns the wall time of the last step, ns, from the start of its first subsystem to the end of its last subsystem. */
int64_t wr_realtime_last_span_ns(const wrsim *sim);

typedef struct wr_realtime_lateness {
    wr_histogram all;
    int64_t *trace_ns; /* [cap] owned by the caller */
    int64_t cap, n;    /* n values in trace_ns, in the order of time */
} wr_realtime_lateness;

/* Measures the lateness of a thread with the wait and priority of the workers, on the core of worker 0. The function measures one value
 * each period_s, for length_s. Requires that no run is in progress. Returns WRSIM_OK, WRSIM_E_ARG, WRSIM_E_MEMORY. Real-time: no. */
wrsim_status wr_realtime_measure_jitter(const wrsim *sim, double period_s, double length_s,
                                        wr_realtime_lateness *lateness);

/* Ends the measurement of jitter, and stores its values in sim->realtime. */
void wr_realtime_finish(wrsim *sim);

/* Ends the measurement, unlocks memory, and sets sim->realtime to NULL. */
void wr_realtime_done(wrsim *sim);

/* Writes the member "realtime" of a summary, if the run is paced or timed. */
void wr_realtime_json(wr_json *j, const wrsim *sim);

#endif
