/* The common code of the subsystem kinds without a solver: kinds that play signals (replay.h, port_player.h), and steppers
 * (external_stepper.h). Kinds that play signals have no inputs, so their waves are known in advance. The common code saves the time, and
 * makes the recorded rows from a window's wave.
 *
 * Thread: one at a time. Real-time: yes, except placing.
 */
#ifndef WR_PLAYBACK_H
#define WR_PLAYBACK_H

#include "base/diag.h"
#include "subsystems/subsystem.h"

typedef struct wr_playback_config {
    const char *name;
    wr_arena *arena;
    int n_published;
    const double *nominal;    /* [n_published] */
    double rtol, atol_factor; /* coupling tolerance: rtol (|value| + atol_factor * nominal) */
    int n_recorded;
    const int *recorded; /* [n_recorded] indices of published signals */
    double start_s, communication_step_s;
    int cap_node, cap_row;
    int record_events; /* 1: the run also records rows left and right of jumps */
} wr_playback_config;

/* First member of the object in wr_subsystem.inside. */
typedef struct wr_playback {
    const int *recorded;
    double *value; /* [n_published] scratch */
    double start_s, communication_step_s;
    int record_events;
    int64_t i_grid;       /* next communication point */
    int64_t saved_i_grid; /* i_grid at the last save */
    double saved_t_s;     /* time at the last save, s */
} wr_playback;

static inline wr_playback *wr_playback_of(const wr_subsystem *s) { return s->inside; }

/* Places a subsystem without states and inputs. The object of the subsystem has inside_bytes, begins with a wr_playback, and has zeros
 * after the wr_playback. The caller sets the operations, and any inputs. Returns NULL when the arena is exhausted. */
wr_subsystem *wr_playback_place(const wr_playback_config *config, size_t inside_bytes);

/* Ends the creation of a subsystem, and returns s. If s is NULL, adds the error of exhausted memory to diag. */
wr_subsystem *wr_playback_finish(wr_subsystem *s, const wr_playback_config *config, wr_diag *diag);

/* Sets the subsystem to its start time and the first communication point. */
void wr_playback_begin(wr_subsystem *s);

/* Save and restore time and communication point. The kind saves its other state. */
void wr_playback_save(wr_subsystem *s);
void wr_playback_restore(wr_subsystem *s);

/* Reads or writes time, communication point, number of rows and statistics between two windows. The kind handles its other state. */
void wr_playback_state(wr_subsystem *s, wr_state_io *io);

/* Returns whether a signal differs by more than its tolerance between from[n_published] and to[n_published]. */
int wr_playback_is_jump(const wr_subsystem *s, const double *from, const double *to);

/* Records the rows of the window from its complete wave. Returns WRSIM_E_LIMIT with a fault set if the rows exceed cap_row. */
wrsim_status wr_playback_record(wr_subsystem *s);

/* Appends a node to the subsystem's wave like wr_wave_extend(). Sets a fault if the wave is full. */
wrsim_status wr_playback_extend(wr_subsystem *s, double t_s, double **ret_value,
                                double **ret_slope);

/* Sets a fault without a component, and returns status. message is constant text. */
wrsim_status wr_playback_fault(wr_subsystem *s, wrsim_status status, double t_s,
                               const char *message);

static inline int wr_playback_is_after(double t_s, double other_s)
{
    return t_s > other_s && !wr_time_close(t_s, other_s);
}

#endif
