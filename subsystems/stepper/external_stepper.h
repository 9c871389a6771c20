/* The kind "stepper": one component whose model advances itself (wrsim_model.stepper). The subsystem has no states and no solver.
 *
 * A window consists of steps that end at communication points, at the model's next_time(), at jumps of inputs and at the window's end. With
 * WRSIM_CAP_COMMUNICATION_STEPS the steps end at communication points only. The model may end a step earlier. The subsystem publishes all
 * outputs. An output is a cubic between the ends of steps, or the output is constant in a step with a jump at the end. All outputs may jump
 * at an event of the model. Inputs act on outputs after a step or at an event only, so no algebraic loop contains a stepper.
 *
 * The subsystem saves the model's memory with the outputs. If the model has an own state, wrsim calls its keep() and go_back(). The
 * subsystem then has a state for checkpoints only if the model passes the bytes of the own state. If the model cannot restore, the
 * subsystem advances once in a window.
 *
 * Thread: one at a time. Real-time: after creation, with rt-safe models.
 */
#ifndef WR_EXTERNAL_STEPPER_H
#define WR_EXTERNAL_STEPPER_H

#include "base/diag.h"
#include "base/unit.h"
#include "subsystems/model_host/component.h"
#include "subsystems/playback/playback.h"

typedef struct wr_external_stepper_config {
    wr_playback_config played; /* outputs, rows, tolerances */
    const wr_component *component;
    const int *output;        /* [n_published] output of the model for each signal */
    int n_external, n_source; /* as in wr_subsystem */
    const int *source,
        *signal;           /* [n_external] source of an input, and signal of the source's wave */
    const double *nominal; /* [n_external] */
    const int *input_external; /* [inputs of the model] external input; -1: the start value */
    const wr_unit_scale *input_scale; /* [inputs of the model] conversion of the external input */
} wr_external_stepper_config;

/* Builds a subsystem, and copies the arrays of config. The component outlives the subsystem. Adds errors to diag. Returns NULL on
 * failure. */
wr_subsystem *wr_external_stepper_create(const wr_external_stepper_config *config, wr_diag *diag);

#endif
