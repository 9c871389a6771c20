/* Progress of a run: the run itself, its window, its sweep.
 *
 * Thread: serial section writes, tasks read. Real-time: plain data.
 */
#ifndef WR_ENGINE_PROGRESS_H
#define WR_ENGINE_PROGRESS_H

#include "base/diag.h"
#include "runtime/relax/phase.h"
#include "scheduler/crew.h"
#include "subsystems/subsystem.h"
#include <stdatomic.h>

/* The run, and how it ends. */
typedef struct wr_control {
    double end_s;
    double sound_s; /* time up to which the last failed window was free of failures */
    int n_fault;    /* windows cut at sound_s */
    int is_stopped; /* the last run stopped; the next run continues it */
    int is_leaving; /* workers return after this batch */
    int is_cut;     /* the run stopped within a window */
    wrsim_status status;
    int i_failed; /* subsystem that made the run fail, -1: none */
    wrsim_error failure;
    atomic_int stop; /* set by wr_engine_stop (relaxed: only the flag itself matters) */
} wr_control;

/* The window in progress. */
typedef struct wr_window_now {
    double t_s, length_s, t_end_s;
    int i_prediction; /* the predictions in use; the others are written */
    wr_phase_point phase;
    int is_tight; /* a try was rejected: no looser tolerances in the next one */
    int is_held; /* predictions are held at their start values, because a solver met a pole with predicted inputs */
    int has_once_run;    /* subsystems without rollback have advanced */
    int has_event_check; /* its events have been checked since the last sweep */
    int n_refuted;       /* checks that failed */
    double
        once_length_s; /* longest window in which predicted inputs of subsystems without rollback have an accepted error */
    double work;      /* of all its sweeps, work units */
    int n_integrated; /* integrations of all subsystems */
} wr_window_now;

/* The sweep in progress, or the last one. */
typedef struct wr_sweep {
    int i, i_level;    /* i: from 1 in each window */
    int is_all_active; /* all subsystems have tasks */
    int is_check_only; /* subsystems only estimate whether they would integrate */
    int n_wanted;      /* number of subsystems that would integrate */
    int is_forced;     /* all integrate, whether inputs have changed or not */
    int is_once_turn;  /* only subsystems without rollback integrate */
    int is_event_check; /* checks events that shared an instant with jumps of inputs (engine_causes.c) */
    int n_integrated;
    double delta;        /* largest residual */
    double mixed_change; /* largest residual of waves that acceleration moves */
    double
        late_change; /* largest residual of other waves that are read a sweep later, which drive a ring */
} wr_sweep;

/* A run of one subsystem has no windows. It advances to the run's end and pauses in between, so that rows, progress and a
 * stop do not wait for the end. */
typedef struct wr_lone {
    int is_on;
    wr_pause pause;
    int64_t since_ns; /* of the last pause */
} wr_lone;

/* The number of workers that take part, and the expected work that it is chosen by. */
typedef struct wr_load {
    int n_active_worker;
    wr_crew crew;
    int64_t noted_ns;    /* time up to which the crew has the work of windows */
    double unnoted_work; /* work units since then */
    double expected_sweeps, work_per_window;
} wr_load;

/* Numbers for the window rule, [n] each. */
typedef struct wr_measured {
    double *prediction_error, *n_rhs, *step_rhs, *work;
    unsigned char *restarts;
} wr_measured;

#endif
