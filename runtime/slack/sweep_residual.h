/* The residual of a fixed number of sweeps: the difference of the waves of the last two sweeps of a period.
 *
 * The residual is not the remaining error, which with contraction rate rho is about rho / (1 - rho) times the residual.
 *
 * Thread: the worker that has claimed the task. Real-time: yes after placing.
 */
#ifndef WR_SWEEP_RESIDUAL_H
#define WR_SWEEP_RESIDUAL_H

#include "base/state_io.h"
#include "runtime/relax/wave_distance.h"
#include "runtime/slack/slack_options.h"
#include "subsystems/subsystem.h"

typedef struct wr_sweep_residual {
    wr_wave_distance *converge; /* NULL: one sweep (slack.sweeps), a played task, or no output */
    /* [n_published] largest difference; lower and upper end of the signal's range */
    double *most, *low, *high;
    double units, t_s; /* largest difference in tolerances, and start of its period, s */
    int i_signal;
} wr_sweep_residual;

/* Places the residual of a subsystem whose periods have several sweeps. Returns 0, or -1 when the arena is exhausted. */
int wr_sweep_residual_place(wr_sweep_residual *rest, const wr_subsystem *subsystem, double period_s,
                            wr_arena *arena);

/* Notes the waves of the last two sweeps of the period that began at t_s. */
void wr_sweep_residual_note(wr_sweep_residual *rest, const wr_wave *now, const wr_wave *before,
                            double t_s);

/* Returns the largest difference of all periods. */
wr_slack_left wr_sweep_residual_left(const wr_sweep_residual *rest);

/* Reads or writes the state; n: number of published signals. */
void wr_sweep_residual_state(wr_sweep_residual *rest, int n, wr_state_io *io);

#endif
