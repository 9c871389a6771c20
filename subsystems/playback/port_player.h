/* The kind "port": plays the values that a host sets on input ports (wrsim/port.h). The subsystem has no states and no inputs.
 *
 * A host sets values between advances. wr_port_player_sample() samples the values. From the time of the sample on, the values act as a
 * jump, or as a ramp over one communication step. So the waves of the next windows are known, and are the same in all sweeps. The wave of a
 * window that begins at a jump has both limits. At the end of a ramp the wave has both slopes.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_PORT_PLAYER_H
#define WR_PORT_PLAYER_H

#include "base/diag.h"
#include "subsystems/playback/playback.h"

typedef struct wr_port_player_config {
    wr_playback_config played;
    const double *start;          /* [n_published] values before the host sets other values */
    const unsigned char *is_ramp; /* [n_published] 1: ramps, 0: jumps */
} wr_port_player_config;

/* Builds a subsystem; copies the arrays of config. Adds errors to diag. Returns NULL on failure. */
wr_subsystem *wr_port_player_create(const wr_port_player_config *config, wr_diag *diag);

/* Sets a finite value, in the signal's unit, and the slope 0 for the next sample. */
void wr_port_player_set(wr_subsystem *s, int i_signal, double value);
/* Sets a finite slope, 1/s, for the next sample. From the sample on, the signal changes with this slope until a later sample gets another
 * value or slope. Returns 0, or -1 if the signal ramps. */
int wr_port_player_set_slope(wr_subsystem *s, int i_signal, double slope);

/* Samples the set values, which act from the present time on. Invalid during an advance, and between save() and restore(). save() excludes
 * sampled values, because all trials of a window share the sampled values. */
void wr_port_player_sample(wr_subsystem *s);

extern const wr_subsystem_ops wr_port_player_ops;

#endif
