/* Progress of a run: its window, its sweep, its workers. After placing, engine_sweep.c writes the sweep. engine_window.c writes all other
 * objects, and restores the phase of the sweep. engine_ahead.c adds the work of windows taken back, and restores the next window.
 *
 * Thread: serial section writes, tasks read. Real-time: plain data. */
#ifndef WR_ENGINE_PROGRESS_H
#define WR_ENGINE_PROGRESS_H

#include "runtime/relax/phase.h"
#include "scheduler/worker_count.h"
#include "subsystems/subsystem.h"

/* The window in progress. */
typedef struct wr_window_now {
    double t_s, length_s, t_end_s;
    /* end and length of the next window, if it begins ahead; NaN: it does not */
    double next_end_s, next_length_s;
    /* index of the predictions in use; tasks write the predictions of the other index */
    int i_prediction;
    int is_tight; /* 1: a retry after a rejection, without looser tolerances */
    /* 1: predictions are constant, because a solver has failed at a pole with predicted inputs */
    int is_held;
    /* Longest window in which predicted inputs of subsystems without rollback have an accepted error. */
    double once_length_s;
} wr_window_now;

/* The sweep in progress, or the last sweep. */
typedef struct wr_sweep {
    int i, i_level;    /* number of the sweep in the window, from 1; Gauss-Seidel level */
    int is_check_only; /* 1: subsystems only estimate the effect of their input change */
    int is_completing; /* 1: the batch ends the accepted window (wr_subsystem_accept()) */
    int n_wanted; /* after a sweep with is_check_only: number of subsystems that need an integration */
    int n_integrated; /* number of integrations in this sweep */
    double delta;     /* largest residual, tolerances */
    /* largest residuals of the window's first sweep, and of its last sweep with an integration, tolerances */
    double first_delta, last_delta;
    double mixed_change;  /* largest residual of waves that acceleration changes */
    double late_change;   /* largest residual of other waves that consumers read one sweep late */
    int n_in_window;      /* number of integrations in all sweeps of this window */
    int *n_by_subsystem;  /* [number of subsystems] n_in_window of each subsystem */
    double work;          /* work of all sweeps of this window, work units */
    wr_phase_point phase; /* phase at the window's end, if known */
} wr_sweep;

/* A run of one subsystem without windows. At pauses the run writes rows, reports progress, and may stop. */
typedef struct wr_lone {
    int is_on;
    wr_pause pause;
    int64_t since_ns; /* wall time of the last pause, or of the start of the run */
} wr_lone;

/* The number of active workers, and the expected work that determines this number. */
typedef struct wr_load {
    int n_active_worker;
    wr_worker_count workers;
    int64_t noted_ns; /* wall time up to which `workers` has counted the work of windows */
    /* work units since noted_ns: rejected windows, and windows begun ahead and taken back */
    double unnoted_work;
    double expected_sweeps, work_per_window;
} wr_load;

#endif
