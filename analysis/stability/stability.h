/* Are the fixed steps of a config stable? Along a run of it, made with solvers that choose their steps (for one with
 * unstable steps would show nothing but that), every subsystem that the config gives a fixed step is linearised, and its modes
 * are held against the method at that step (modes.h), or the map of a step is taken (linear_step.h). Where subsystems exchange once in a period without waiting, the whole
 * is held against the map of a period (period_map.h).
 *
 * What is found holds for small changes along this run: between the points that were looked at, at events, and for modes whose
 * directions turn quickly, it says nothing.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_H
#define WR_STABILITY_H

#include "analysis/stability/linear_step.h"
#include "analysis/stability/modes.h"
#include "analysis/stability/period_map.h"
#include "analysis/structure/linear.h"
#include "runtime/config/settings_data.h"
#include "runtime/config/settings_memory.h"

typedef struct wr_stability_group {
    const char *name, *method;           /* of a subsystem; its solver */
    const wr_integrator_ops *integrator; /* NULL: no states */
    wr_integ_options options;
    wr_lms formula; /* options.formula, if it is one */
    int is_fixed;   /* its step is; else it is looked at for the exchange only */
    double step_s;
    wr_stepper stepper;
    /* Steps with a part of the Jacobian or a mass matrix are judged as linear_step.h does. */
    const char *pattern_file; /* NULL: none */
    int has_mass;
    unsigned char *kept; /* [n_state * n_state] column by column: that part; NULL: all */
    int n_state, n_input, n_output, has_names;
    const char **state, **driver, **output; /* names; driver NULL: nobody drives that input */
    /* Of the exchange: linearisation at the present time, used outputs only. */
    double *a, *b, *c, *d;
    int n_used, *used; /* [n_output] place among the used ones, -1 */
    int *source_part, *source_output;
    /* Found, at all times. */
    int n_mode;
    wr_mode *mode; /* [n_state * n_time] */
    int64_t n_unstable, n_growing, n_lost;
    double lost_per_s;   /* of those whose growth is lost the fastest growth by itself; 0: none */
    double follow_s;     /* steps up to there follow them: h |lambda| <= 1/2 */
    int n_time_unstable; /* times with an unstable one */
    int has_worst;
    wr_mode worst; /* the unstable one that grows most; else the one that limits the step */
    double
        largest_step_s; /* all modes are stable with it and shorter ones; 0: none, INFINITY: any */
} wr_stability_group;

typedef enum wr_exchange_verdict {
    WR_EXCHANGE_NONE,       /* subsystems do not exchange so, or one is alone */
    WR_EXCHANGE_NOT_JUDGED, /* why says why */
    WR_EXCHANGE_STABLE,
    WR_EXCHANGE_UNDECIDED, /* it depends on what relaxation.prediction = "auto" chooses */
    WR_EXCHANGE_UNSTABLE
} wr_exchange_verdict;

typedef struct wr_stability_exchange {
    wr_exchange_verdict verdict;
    const char *why;        /* it is not judged */
    const char *prediction; /* as in the config */
    double period_s;
    int is_slack;    /* else a single sweep: only what is within tolerance is not swept again */
    int minds_start; /* whether steps begin anew with a period or go on matters */
    /* By wr_period_order and wr_period_start: the spectral radius that is largest over the run beyond the whole's own growth, when
     * it is, and ln of it less that growth. */
    double radius[2][2], time_s[2][2], excess[2][2];
} wr_stability_exchange;

typedef struct wr_stability {
    wr_settings_memory *memory; /* of all arrays and texts */
    int n_group, n_time, n_fixed;
    wr_stability_group *group;
    wr_stability_exchange exchange;
    int has_mass; /* some group has */
    /* On all: WRSIM_OK; WRSIM_UNSTABLE, also where growth is lost; WRSIM_UNDECIDED: the exchange is not judged, or it depends. */
    wrsim_status verdict;
    double
        own_growth; /* of the whole, at the present time: its largest real part, 1/s, 0 at least */
} wr_stability;

typedef struct wr_stability_request {
    const char *file; /* of the config */
    const char *const *override;
    int n_override;
    const double *time_s; /* [n_time] ascending; NULL: n_time of them evenly over the run */
    int n_time;
    wr_walk_progress_fn progress; /* NULL: nobody is told */
    void *user;
} wr_stability_request;

/* Makes the run and judges. Errors of the config go to report. WRSIM_E_ARG where no subsystem has a fixed step and none exchanges
 * so. Result: the caller's, freed by wr_stability_done(). */
wrsim_status wr_stability_run(const wr_stability_request *request, wr_stability *ret,
                              wrsim_report_fn report, void *reporter, wrsim_error *err);
void wr_stability_done(wr_stability *stability);

/* Are its steps maps of their own, not modes in a region? */
static inline int wr_stability_is_mapped(const wr_stability_group *group)
{
    return group->kept || group->has_mass;
}

/* ---- inside of it: the exchange (stability_exchange.c) ---- */

/* How subsystems exchange; verdict STABLE where that is to be judged. */
void wr_stability_exchange_describe(wr_stability *to, const wr_settings *set);
/* A group's linearisation at the present time. */
wrsim_status wr_stability_exchange_take(wr_stability *to, wr_stability_group *group,
                                        const wr_linear *at, wrsim_error *err);
/* All groups have been taken. */
wrsim_status wr_stability_exchange_judge(wr_stability *to, double t_s, wrsim_error *err);
/* May periods begin so? What is within tolerance does not jump by more than that. */
static inline int wr_stability_exchange_starts(const wr_stability_exchange *exchange,
                                               wr_period_start start)
{
    return start == WR_PERIOD_ANEW ? exchange->is_slack
                                   : !exchange->is_slack || exchange->minds_start;
}
/* The start with the larger radius. */
wr_period_start wr_stability_exchange_worse(const wr_stability_exchange *exchange, int order);
/* The verdict over all times. */
void wr_stability_exchange_finish(wr_stability *to);

#endif
