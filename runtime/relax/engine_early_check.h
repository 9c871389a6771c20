/* An early check: one worker estimates the effect of an input change as soon as the producers have integrated.
 *
 * Thread: the subsystem's task, or serial. Real-time: plain data.
 */
#ifndef WR_ENGINE_EARLY_CHECK_H
#define WR_ENGINE_EARLY_CHECK_H

#include <stdint.h>

typedef enum wr_checked { WR_CHECKED_NOT, WR_CHECKED_UNUSED, WR_CHECKED_USED } wr_checked;

/* What a check that is taken back has to restore. */
typedef struct wr_early_check {
    double effect;              /* estimated, tolerances */
    int64_t n_rhs, n_indicator; /* evaluations that the check took */
    double error_before;        /* prediction error before the check */
    int had_effect;             /* the subsystem's has_effect before the check */
} wr_early_check;

#endif
