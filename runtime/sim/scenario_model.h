/* The model of a scenario that changes signals: a component between who drives an input and that input. It passes on what
 * it reads until it begins, and makes something else of it then. Its time events, indicators and discrete states go through
 * the same machinery as those of any model, one solver or several.
 *
 *     inputs    u[k] for each channel, then if it has an indicator "when" (the signal that is compared, or the host's),
 *               and if the host sets its value "level"
 *     outputs   value[k] ("value" where there is one), is_on
 *     discrete  phase, begin, piece, held[k]
 *
 * Thread: as models. Real-time: yes.
 */
#ifndef WR_SCENARIO_MODEL_H
#define WR_SCENARIO_MODEL_H

#include "runtime/sim/trigger.h"
#include "wrsim/model.h"

/* What it does while it is on; of what a config calls so. */
typedef enum wr_effect {
    WR_EFFECT_OVERRIDE,
    WR_EFFECT_BIAS,
    WR_EFFECT_GAIN,
    WR_EFFECT_RAMP,
    WR_EFFECT_FREEZE,
    WR_EFFECT_REPLAY
} wr_effect;

/* Of one channel. */
typedef struct wr_channel_face {
    const char *unit;
    double start;                         /* of the input, where nothing drives it */
    double input_nominal, output_nominal; /* 0: not declared */
} wr_channel_face;

/* The model's user: constant. */
typedef struct wr_scenario_plan {
    wr_trigger trigger;
    wr_effect effect;
    double value; /* unless is_api: then the input "level" */
    double ramp_time_s;
    int n_point; /* of a recording, growing in time */
    const double *point_s, *point;
    int is_held;     /* between two points */
    double offset_s; /* time there when it begins */
    int n_channel;
    const wr_channel_face *channel; /* [n_channel] */
} wr_scenario_plan;

/* Its inputs beside the channels' (that of channel k is k); -1 if it has none. */
int wr_scenario_model_when(const wr_scenario_plan *plan);
int wr_scenario_model_level(const wr_scenario_plan *plan);

/* A descriptor of a plan that outlives it. */
wrsim_model wr_scenario_model(const wr_scenario_plan *plan);

#endif
