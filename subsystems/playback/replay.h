/* The kind "replay": plays recorded signals instead of integrating. It has no states and no inputs.
 *
 * Its wave is the part of the recording that lies in the window, node by node, and thereby the very same cubics. A window
 * that ends at a jump shows both sides of it, and the next one begins on the right. Signals that move by no more than
 * their tolerances do not jump, whatever nodes they have. Where the recording ends, advancing is a fault.
 *
 * Thread: one at a time. Real-time: yes after creation, if the recording is.
 */
#ifndef WR_REPLAY_H
#define WR_REPLAY_H

#include "base/diag.h"
#include "subsystems/playback/playback.h"

/* What is played: nodes of cubics in time order, two at one time a jump. The caller's; outlives the subsystem. */
typedef struct wr_recording {
    const void *context;
    int n_node; /* >= 2 */
    double (*time_s)(const void *context, int i_node);
    /* Values and slopes (per second) of all signals, [n_published] each. */
    void (*node)(const void *context, int i_node, double *ret_value, double *ret_slope);
} wr_recording;

typedef struct wr_replay_config {
    wr_playback_config played;
    wr_recording recording;
} wr_replay_config;

/* Builds one; the recording covers the time to be played. Errors go to diag, NULL on failure. */
wr_subsystem *wr_replay_create(const wr_replay_config *config, wr_diag *diag);

extern const wr_subsystem_ops wr_replay_ops;

#endif
