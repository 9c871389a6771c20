/* The result of a study of stability, and the judgement of subsystems that exchange once in a period.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_EXCHANGE_H
#define WR_STABILITY_EXCHANGE_H

#include "base/heap_pool.h"
#include "offline/stability/linear_step.h"
#include "offline/stability/modes.h"
#include "offline/stability/period_map.h"
#include "offline/structure/linear.h"
#include "runtime/config/settings_data.h"

typedef struct wr_stability_group {
    const char *name, *method;           /* name of the subsystem, and its solver */
    const wr_integrator_ops *integrator; /* solver; NULL: the subsystem has no states */
    wr_integ_options options;
    wr_lms formula; /* copy of options.formula, if options have a formula */
    int is_fixed;   /* 1: the step is fixed; 0: only the exchange needs the group */
    double step_s;
    wr_stepper stepper;
    /* Data of steps with an incomplete Jacobian or a mass matrix (linear_step.h): */
    const char *pattern_file; /* solver.pattern; NULL: none */
    int has_mass;
    unsigned char *kept; /* [n_state * n_state] column by column; 1: used entry; NULL: all */
    int n_state, n_input, n_output, has_names;
    const char **state, **driver, **output; /* names; driver NULL: the input has no driver */
    /* For the exchange: linearisation at the present time, with used outputs only. */
    double *a, *b, *c, *d;
    /* number of used outputs; [n_output] index among the used outputs; -1: unused */
    int n_used, *used;
    int *source_part, *source_output;
    /* Results over all times: */
    int n_mode;
    wr_mode *mode; /* [n_state * n_time] modes at all times */
    int64_t n_unstable, n_growing, n_lost;
    double lost_per_s; /* fastest growth of the modes whose growth is lost, 1/s; 0: none */
    double follow_s;   /* largest step that follows modes with lost growth, s: h |lambda| <= 1/2 */
    int n_time_unstable; /* number of times with an unstable mode */
    int has_worst;
    /* the mode with the largest excess, if a mode is unstable or the map of a step decides; else the mode that limits the step */
    wr_mode worst;
    /* largest step such that the step and all shorter steps are stable; 0: none, INFINITY: any examined step */
    double largest_step_s;
} wr_stability_group;

typedef enum wr_exchange_verdict {
    WR_EXCHANGE_NONE,       /* subsystems wait for one another, or the config has one subsystem */
    WR_EXCHANGE_NOT_JUDGED, /* not judged, for the reason in why */
    WR_EXCHANGE_STABLE,
    WR_EXCHANGE_UNDECIDED, /* depends on the choice of relaxation.prediction = "auto" */
    WR_EXCHANGE_UNSTABLE
} wr_exchange_verdict;

typedef struct wr_stability_exchange {
    wr_exchange_verdict verdict;
    const char *why;        /* reason of WR_EXCHANGE_NOT_JUDGED */
    const char *prediction; /* relaxation.prediction of the config */
    double period_s;
    /* 1: slackened; 0: relaxation.max_sweeps is 1, and changes within the tolerance cause no second sweep */
    int is_slack;
    int minds_start; /* 1: the map depends on whether steps begin anew with a period */
    /* By wr_period_order and wr_period_start: spectral radius with the largest excess, its time, and the excess. The excess is the
     * logarithm of the radius less the permitted growth of the whole system in a period. */
    double radius[2][2], time_s[2][2], excess[2][2];
} wr_stability_exchange;

typedef struct wr_stability {
    wr_heap_pool *memory; /* owner of all arrays and texts */
    int n_group, n_time, n_fixed;
    wr_stability_group *group;
    wr_stability_exchange exchange;
    int has_mass; /* 1: a group has a mass matrix */
    /* Verdict of the study: WRSIM_OK; WRSIM_UNSTABLE, also for lost growth; WRSIM_UNDECIDED if the exchange is not judged or undecided. */
    wrsim_status verdict;
    /* growth of the whole system at the present time: largest real part of an eigenvalue, at least 0, 1/s */
    double own_growth;
} wr_stability;

/* Describes how subsystems exchange. The verdict becomes WR_EXCHANGE_STABLE if a study has to judge the exchange. */
void wr_stability_exchange_describe(wr_stability *to, const wr_settings *set);
/* Copies the linearisation of a group at the present time. */
wrsim_status wr_stability_exchange_take(wr_stability *to, wr_stability_group *group,
                                        const wr_linear *at, wrsim_error *err);
/* Computes the maps of the period from the linearisations of all groups, and stores the radii with the largest excess. */
wrsim_status wr_stability_exchange_judge(wr_stability *to, double t_s, wrsim_error *err);
/* Returns 1 if periods may begin with the given start: anew, if inputs jump by more than their tolerance, or continued. */
static inline int wr_stability_exchange_starts(const wr_stability_exchange *exchange,
                                               wr_period_start start)
{
    return start == WR_PERIOD_ANEW ? exchange->is_slack
                                   : !exchange->is_slack || exchange->minds_start;
}
/* Returns the start with the larger excess. */
wr_period_start wr_stability_exchange_worse(const wr_stability_exchange *exchange, int order);
/* Sets the verdict over all times. */
void wr_stability_exchange_finish(wr_stability *to);

#endif
