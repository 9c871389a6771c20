/* A model whose parameters change and whose states are reset while it runs: another model within one that has, for every
 * scenario on it, two discrete states (scenario_model.h), an indicator and inputs for what triggers it. They come after those
 * of the model within, which so sees its own variables where they always are, and parameters as the scenarios leave them.
 *
 *     discrete  ..., NAME_phase, NAME_begin
 *     inputs    ..., NAME_when, NAME_level (as in scenario_model.h)
 *
 * What is changed follows from the point and is part of it, so that it goes back with it; it changes at events, which
 * start the solver afresh.
 *
 * Thread: as models. Real-time: as the model within.
 */
#ifndef WR_TUNABLE_PARAMETERS_H
#define WR_TUNABLE_PARAMETERS_H

#include "runtime/scenario/scenario_model.h"
#include "subsystems/model_host/component.h"

typedef enum wr_tuning_kind {
    WR_TUNE_PARAMETER, /* has value while the scenario is on */
    WR_TUNE_STATE,     /* gets it when it begins */
    WR_TUNE_DISCRETE
} wr_tuning_kind;

typedef struct wr_tuning {
    const char *name; /* of the scenario */
    wr_trigger trigger;
    wr_tuning_kind kind;
    int index;    /* of what is changed in its kind */
    double value; /* unless the host says when: then the input NAME_level */
    /* Found by wr_tunable_plan_fill(), -1 = none: its inputs, its indicator. */
    int i_when, i_level, i_indicator;
} wr_tuning;

/* The model's user: constant. */
typedef struct wr_tunable_plan {
    const wrsim_model *within;
    int n[WRSIM_KIND_COUNT]; /* variables of it */
    int is_declared[WRSIM_PATTERN_COUNT];
    const unsigned char *is_computed; /* [n[WRSIM_OUTPUT]] 0: equals a state */
    size_t data_bytes, memory_bytes;
    int n_tuning;
    wr_tuning *tuning; /* [n_tuning] in the order in which they act */
} wr_tunable_plan;

/* Fills a plan whose tunings are there from a component of the model within; ret_is_computed[its outputs] and the plan's
 * tunings belong to the caller and outlive it. */
void wr_tunable_plan_fill(wr_tunable_plan *plan, const wr_component *plain,
                          unsigned char *ret_is_computed);

/* A descriptor of a plan that outlives it. */
wrsim_model wr_tunable_model(const wr_tunable_plan *plan);

#endif
