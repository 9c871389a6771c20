/* A model whose parameters change, and whose states are reset, during a run: a wrapper around another model. The wrapper adds for each
 * scenario two discrete states (scenario_model.h), and the indicator and inputs that the trigger needs. The added variables follow the
 * variables of the inner model, so the inner model's variables keep their indices. While a scenario is on, its parameter of the inner model
 * has the scenario's value.
 *
 *     discrete    ..., NAME_phase, NAME_begin
 *     inputs      ..., NAME_when, NAME_level (as in scenario_model.h)
 *     indicators  ..., NAME_begins
 *
 * The changes are functions of the discrete states and inputs, so a rollback of the states also undoes the changes. Parameters change at
 * events, which restart the solver, or with the input NAME_level.
 *
 * Thread: as models. Real-time: as the inner model.
 */
#ifndef WR_TUNABLE_PARAMETERS_H
#define WR_TUNABLE_PARAMETERS_H

#include "runtime/scenario/scenario_model.h"
#include "subsystems/model_host/component.h"

typedef enum wr_tuning_kind {
    WR_TUNE_PARAMETER, /* the parameter has `value` while the scenario is on */
    WR_TUNE_STATE,     /* the begin of the scenario sets the state to `value` */
    WR_TUNE_DISCRETE
} wr_tuning_kind;

typedef struct wr_tuning {
    const char *name; /* name of the scenario */
    wr_trigger trigger;
    wr_tuning_kind kind;
    int index;    /* index of the changed variable in its kind */
    double value; /* not used with trigger.is_api, which has the input NAME_level */
    /* Indices of the inputs and the indicator, set by wr_tunable_plan_fill(); -1: none. */
    int i_when, i_level, i_indicator;
} wr_tuning;

/* User data of the model: constant. */
typedef struct wr_tunable_plan {
    const wrsim_model *within;
    int n[WRSIM_KIND_COUNT]; /* numbers of variables of the inner model */
    int is_declared[WRSIM_PATTERN_COUNT];
    const unsigned char *is_computed; /* [n[WRSIM_OUTPUT]] 0: the output equals a state */
    size_t data_bytes, memory_bytes;
    int n_tuning;
    wr_tuning *tuning; /* [n_tuning] in the order of their action */
} wr_tunable_plan;

/* Fills a plan from a component of the inner model. The caller has set the tunings of the plan. The caller owns ret_is_computed[outputs]
 * and the tunings, which outlive the plan. */
void wr_tunable_plan_fill(wr_tunable_plan *plan, const wr_component *plain,
                          unsigned char *ret_is_computed);

/* Returns a descriptor of the model of a plan. The plan outlives the descriptor. */
wrsim_model wr_tunable_model(const wr_tunable_plan *plan);

#endif
