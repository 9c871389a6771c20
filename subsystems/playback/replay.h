/* The kind "replay": plays recorded signals instead of integrating. The subsystem has no states and no inputs.
 *
 * The wave of a window has the nodes of the recording in the window, and so the cubics of the recording. The wave of a window that ends at
 * a jump has both limits, and the next window begins with the right limit. Changes of signals within their tolerances are no jumps. An
 * advance past the end of the recording is a fault.
 *
 * Thread: one at a time. Real-time: yes after creation, if the recording's functions are real-time safe.
 */
#ifndef WR_REPLAY_H
#define WR_REPLAY_H

#include "base/diag.h"
#include "subsystems/playback/playback.h"

/* A recording: nodes of cubics in time order. At a jump two or more nodes have one time. The caller owns the recording, which outlives the
 * subsystem. */
typedef struct wr_recording {
    const void *context;
    int n_node; /* >= 2 */
    double (*time_s)(const void *context, int i_node);
    /* Writes values and slopes (per second) of all signals, [n_published] each. */
    void (*node)(const void *context, int i_node, double *ret_value, double *ret_slope);
} wr_recording;

typedef struct wr_replay_config {
    wr_playback_config played;
    wr_recording recording;
} wr_replay_config;

/* Builds a subsystem. The recording covers the time to be played. Adds errors to diag. Returns NULL on failure. */
wr_subsystem *wr_replay_create(const wr_replay_config *config, wr_diag *diag);

extern const wr_subsystem_ops wr_replay_ops;

#endif
