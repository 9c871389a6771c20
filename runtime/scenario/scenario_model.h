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

#include "wrsim/model.h"

/* Constant. */
typedef struct wr_trigger {
    int is_api, has_condition; /* neither: at a time */
    int is_below;              /* of the condition: signal < threshold, else signal > threshold */
    double threshold;          /* of the host's signal: between 0 (off) and 1 (on) */
    double at_s;
    double until_s, duration_s; /* INFINITY: none */
    int keeps_begin;            /* what it does depends on when it has begun */
} wr_trigger;

/* Its discrete states. */
enum { WR_TRIGGER_PHASE, WR_TRIGGER_BEGIN, WR_TRIGGER_STATES };
/* Values of the first. */
enum { WR_TRIGGER_WAITING, WR_TRIGGER_ON, WR_TRIGGER_OVER };

/* Has it an indicator, and so a signal? */
static inline int wr_trigger_has_indicator(const wr_trigger *t)
{
    return t->is_api || t->has_condition;
}

/* The indicator; positive while the signal asks for it. */
double wr_trigger_indicator(const wr_trigger *t, double signal);

/* When it begins or ends by itself, s; INFINITY: not at a time known by now. */
double wr_trigger_next_time(const wr_trigger *t, const double *d);

/* What an event finds: mode and fired of its indicator (0 where there is none), and whether it is the first one. */
typedef struct wr_trigger_seen {
    double t_s;
    int is_initial, mode, fired;
} wr_trigger_seen;

/* Changes d[WR_TRIGGER_STATES]. Returns 1 if it has just begun. */
int wr_trigger_event(const wr_trigger *t, const wr_trigger_seen *seen, double *d);

/* The same in a model's init(), before there are signals: if the time of a scenario is not after
 * the start t_s, it is in force in all start values, modes and initial events. */
int wr_trigger_start(const wr_trigger *t, double t_s, double *d);

int wr_trigger_is_on(const double *d);

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
