/* The result of a study of stability.
 *
 * Thread: plain data. Real-time: no.
 */
#ifndef WR_STABILITY_RESULT_H
#define WR_STABILITY_RESULT_H

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

#endif
