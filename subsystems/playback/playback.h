/* What kinds of subsystems that play have in common (replay.h, port_player.h): they integrate nothing and read nothing,
 * so what they publish is known ahead. Here is the face that they show, and the rows that follow from a window's wave.
 *
 * Thread: one at a time. Real-time: yes, but for placing.
 */
#ifndef WR_PLAYBACK_H
#define WR_PLAYBACK_H

#include "subsystems/subsystem.h"

typedef struct wr_playback_config {
    const char *name;
    wr_arena *arena;
    int n_published;
    const double *nominal;    /* [n_published] */
    double rtol, atol_factor; /* of the coupling: rtol (|value| + atol_factor * nominal) */
    int n_recorded;
    const int *recorded; /* [n_recorded] which signals */
    double start_s, communication_step_s;
    int cap_node, cap_row;
    int record_events; /* rows left and right of jumps, too */
} wr_playback_config;

/* Stands first in what is inside of such a subsystem. */
typedef struct wr_playback {
    const int *recorded;
    double *value; /* [n_published] scratch */
    double start_s, communication_step_s;
    int record_events;
    int64_t i_grid;       /* next communication point */
    int64_t saved_i_grid; /* of save() */
    double saved_t_s;
} wr_playback;

static inline wr_playback *wr_playback_of(const wr_subsystem *s) { return s->inside; }

/* A subsystem with inside_bytes >= sizeof(wr_playback) inside, zeroed but for the first part, and without states and inputs;
 * its operations are the caller's to set. NULL when the arena is exhausted. */
wr_subsystem *wr_playback_place(const wr_playback_config *config, size_t inside_bytes);

/* At its start time, before anything has been recorded. */
void wr_playback_begin(wr_subsystem *s);

/* Time and communication point; the kind keeps what else changes. */
void wr_playback_save(wr_subsystem *s);
void wr_playback_restore(wr_subsystem *s);

/* What they have in common of a state between two windows; the kind passes over the rest. */
void wr_playback_state(wr_subsystem *s, wr_state_io *io);

/* Does any signal jump by more than its tolerance between these values[n_published]? */
int wr_playback_is_jump(const wr_subsystem *s, const double *from, const double *to);

/* Rows of the window from its wave, which is complete. WRSIM_E_LIMIT with a fault set where they are too many. */
wrsim_status wr_playback_record(wr_subsystem *s);

/* Room for a node at t in the wave, as wr_wave_extend(); a fault is set where it is full. */
wrsim_status wr_playback_extend(wr_subsystem *s, double t_s, double **ret_value,
                                double **ret_slope);

/* Sets the fault of no component; returns status. message is constant text. */
wrsim_status wr_playback_fault(wr_subsystem *s, wrsim_status status, double t_s,
                               const char *message);

static inline int wr_playback_is_after(double t_s, double other_s)
{
    return t_s > other_s && !wr_time_close(t_s, other_s);
}

#endif
