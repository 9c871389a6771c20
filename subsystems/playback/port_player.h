/* The kind "port": plays what a host sets on input ports (wrsim/port.h). It has no states and no inputs.
 *
 * A host sets values while nothing is advanced; they are sampled once, at the time where the subsystem then is, and act
 * from there on: as a jump, or as a ramp over one communication step. So the waves of all windows to come are known, and
 * are the same in all sweeps. A window that begins at a jump shows both sides of it; one with the end of a ramp in it has
 * both slopes there.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_PORT_PLAYER_H
#define WR_PORT_PLAYER_H

#include "base/diag.h"
#include "subsystems/playback/playback.h"

typedef struct wr_port_player_config {
    wr_playback_config played;
    const double *start;          /* [n_published] values before the first that are set */
    const unsigned char *is_ramp; /* [n_published] 1: ramps, 0: jumps */
} wr_port_player_config;

/* Builds one; copies what config points to. Errors go to diag, NULL on failure. */
wr_subsystem *wr_port_player_create(const wr_port_player_config *config, wr_diag *diag);

/* Sets what the next sample takes, in the signal's unit; finite. Changes nothing else. */
void wr_port_player_set(wr_subsystem *s, int i_signal, double value);

/* Takes what was set: it acts from the present time on. Not while the subsystem is advanced, nor between save() and
 * restore(): courses are no part of what these keep, for they are the same in all that is tried of a window. */
void wr_port_player_sample(wr_subsystem *s);

extern const wr_subsystem_ops wr_port_player_ops;

#endif
