/* The triggers of scenarios, and the model of a scenario that changes signals: a component between an input and the output that drives
 * the input. While the scenario is off, the output of the component equals its input. The model uses time events, indicators and
 * discrete states like an ordinary model.
 *
 *     inputs    u[k] for each channel; "when" if the scenario has an indicator (the signal of the condition, or a
 *               signal of the host); "level" if a host triggers the scenario
 *     outputs   value[k] ("value" with one channel), is_on
 *               A scenario that ends the run has no channels.
 *     discrete  phase, begin, piece, held[k] (only of a ramp or freeze)
 *
 * Thread: as models. Real-time: yes.
 */
#ifndef WR_SCENARIO_MODEL_H
#define WR_SCENARIO_MODEL_H

#include "wrsim/model.h"

/* Begin and end of a scenario. Constant. */
typedef struct wr_trigger {
    int is_api,
        has_condition; /* 1: the host, or a condition, begins the scenario; both 0: a time begins it */
    int is_below;      /* 1: the condition is signal < threshold; 0: signal > threshold */
    double threshold; /* with is_api between the host's values 0 (off) and 1 (on) */
    double at_s;
    double until_s, duration_s; /* INFINITY: none */
    int keeps_begin;            /* 1: the effect or the end depends on the time of the begin */
} wr_trigger;

/* Discrete states of a trigger. */
enum { WR_TRIGGER_PHASE, WR_TRIGGER_BEGIN, WR_TRIGGER_STATES };
/* Values of WR_TRIGGER_PHASE. */
enum { WR_TRIGGER_WAITING, WR_TRIGGER_ON, WR_TRIGGER_OVER };

/* Returns 1 if the trigger has an indicator, and therefore a signal. */
static inline int wr_trigger_has_indicator(const wr_trigger *t)
{
    return t->is_api || t->has_condition;
}

/* Returns the indicator, which is positive while the signal fulfils the condition. */
double wr_trigger_indicator(const wr_trigger *t, double signal);

/* Returns the time of the next begin or end that does not need the indicator, s; INFINITY: not known, or none. */
double wr_trigger_next_time(const wr_trigger *t, const double *d);

/* The inputs of an event: the time, a flag of the initial event, and mode and fired of the indicator (0 without an indicator). */
typedef struct wr_trigger_seen {
    double t_s;
    int is_initial, mode, fired;
} wr_trigger_seen;

/* Updates d[WR_TRIGGER_STATES] at an event. Returns 1 if the scenario begins, and does not end, at this event. */
int wr_trigger_event(const wr_trigger *t, const wr_trigger_seen *seen, double *d);

/* Sets d in a model's init(), before signals are known. A scenario that begins at a time at_s <= t_s, and does not end by t_s, is on in all
 * start values, modes and initial events. Returns 1 if the scenario begins. */
int wr_trigger_start(const wr_trigger *t, double t_s, double *d);

int wr_trigger_is_on(const double *d);

/* The effect of a scenario that is on, named as in the config. */
typedef enum wr_effect {
    WR_EFFECT_OVERRIDE,
    WR_EFFECT_BIAS,
    WR_EFFECT_GAIN,
    WR_EFFECT_RAMP,
    WR_EFFECT_FREEZE,
    WR_EFFECT_REPLAY,
    WR_EFFECT_STOP
} wr_effect;

/* Declaration of one channel. */
typedef struct wr_channel_face {
    const char *unit;
    double start;                         /* value of an input that no output drives */
    double input_nominal, output_nominal; /* 0: not declared */
} wr_channel_face;

/* User data of the model: constant. */
typedef struct wr_scenario_plan {
    wr_trigger trigger;
    wr_effect effect;
    double value; /* not used with trigger.is_api, which has the input "level" */
    double ramp_time_s;
    int n_point; /* number of points of a recording, in ascending order of time */
    const double *point_s, *point;
    int is_held;     /* 1: the value is constant between two points; 0: linear interpolation */
    double offset_s; /* time in the recording at the begin, s */
    double
        period_s; /* time of the last point, after which the recording begins again, s; INFINITY: the recording plays once */
    int n_channel;
    const wr_channel_face *channel; /* [n_channel] */
} wr_scenario_plan;

/* Return the indices of the inputs "when" and "level"; -1: the model has no such input. The input of channel k has index k. */
int wr_scenario_model_when(const wr_scenario_plan *plan);
int wr_scenario_model_level(const wr_scenario_plan *plan);

/* Returns a descriptor of the model of a plan. The plan outlives the descriptor. */
wrsim_model wr_scenario_model(const wr_scenario_plan *plan);

#endif
