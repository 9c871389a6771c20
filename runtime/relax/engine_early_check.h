/* The result of an early check (wr_engine_check_early), and the numbers that undo it.
 *
 * Thread: as the record. Real-time: plain data.
 */
#ifndef WR_ENGINE_EARLY_CHECK_H
#define WR_ENGINE_EARLY_CHECK_H

#include <stdint.h>

/* Does an early check decide for the task? */
typedef enum wr_checked { WR_CHECKED_NOT, WR_CHECKED_UNUSED, WR_CHECKED_USED } wr_checked;

typedef struct wr_early_check {
    double effect;              /* estimated, tolerances */
    int64_t n_rhs, n_indicator; /* evaluations that the check took */
    double error_before;        /* prediction error before the check */
    int had_effect;             /* has_effect before the check */
} wr_early_check;

#endif
