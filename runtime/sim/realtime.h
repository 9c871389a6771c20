/* Real time of a simulation: [realtime] joined to a slackened run, and what is asked of the system for it.
 *
 * Thread: the simulation's owner. Real-time: wr_realtime_enter(), _leave() and _is_holding(), with the system calls that
 * give the calling thread, which is worker 0 in a run only, its priority.
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
    wr_rt_answer *raise, *sharpen; /* [n_worker] */
    wr_rt_answer lock;
    int n_not_pinned;      /* workers that should have been */
    wr_rt_thread before;   /* what the calling thread had */
    wr_jitter *jitter;     /* NULL: is not measured */
    wr_histogram lateness; /* of the machine: when it is stopped */
    int has_lateness;
};

/* That the keys go together with one another and with the rest. */
void wr_realtime_check(const wr_settings *set, wr_diag *diag);

/* Places sim->realtime and paces the driver, if the settings ask for it and the driver can be paced. 0, or -1: out of memory. */
int wr_realtime_place(wrsim *sim);

/* Asks the system for what the settings say, on all workers. WRSIM_OK, also where it refuses something; with
 * realtime.strict WRSIM_E_PRIVILEGE then, with err set. */
wrsim_status wr_realtime_ask(wrsim *sim, wrsim_error *err);

/* Around a run. */
void wr_realtime_enter(wrsim *sim);
void wr_realtime_leave(wrsim *sim);

/* Do output ports keep their values? */
int wr_realtime_is_holding(const wrsim *sim);

/* How long the last step took: from the first subsystem that began to the last that was done; ns. */
int64_t wr_realtime_last_span_ns(const wrsim *sim);

/* How late a thread is that does nothing but wait as the workers do, with their priority on the core of the first, while nothing
 * runs: moments every period_s, for length_s. WRSIM_OK, WRSIM_E_ARG, WRSIM_E_MEMORY. Real-time: no. */
typedef struct wr_realtime_lateness {
    wr_histogram all;
    int64_t *trace_ns; /* [cap] the caller's */
    int64_t cap, n;    /* values there, in their order */
} wr_realtime_lateness;
wrsim_status wr_realtime_measure_jitter(const wrsim *sim, double period_s, double length_s,
                                        wr_realtime_lateness *lateness);

/* Ends what runs beside; what was measured stays. */
void wr_realtime_finish(wrsim *sim);

/* Gives all back. */
void wr_realtime_done(wrsim *sim);

/* Writes the member "realtime" of a summary, if the run is paced or timed. */
void wr_realtime_json(wr_json *j, const wrsim *sim);

#endif
