/* When a scenario begins and ends: at a time, when a signal first crosses a threshold, or when a host says so. What is
 * remembered of it are two discrete states of the component that it is in, so that it is saved, brought back and located as
 * all that models do.
 *
 *     waiting --at, condition, host--> on --until, duration--> over
 *             <------- host ---------      <---- host -------
 *
 * Thread: any (no state of its own). Real-time: yes.
 */
#ifndef WR_TRIGGER_H
#define WR_TRIGGER_H

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

#endif
