/* Detects incidence by perturbation: changes variables one at a time at points of a run, and fires events at the points.
 *
 * At a point every state and input takes four other values: small and large changes in both directions. With WR_DETECT_ALL every discrete
 * state takes a slightly larger value, and values from the run and from fired events. Every indicator takes its other mode. Each event that
 * its model allows at the present mode fires. An event fires twice, with discrete states unchanged and slightly changed, because setting an
 * unchanged value is not visible.
 *
 * The detector fires no events of models that forbid probes, such as FMUs.
 *
 * A quantity that differs by more than rounding depends on the changed variable. In models with algebraic loops the limit is the accuracy
 * of the loops. A detection misses dependences that no point shows. More points and longer runs find more dependences. The detector counts
 * evaluations that models refuse.
 *
 * Thread: the view's owner. Real-time: no. */
#ifndef WR_DETECT_H
#define WR_DETECT_H

#include "offline/structure/incidence.h"

typedef struct wr_detector wr_detector;

/* Scope of a detection. WR_DETECT_VALUES changes states and inputs only, so that models get only values that a step could produce. */
typedef enum wr_detect_scope { WR_DETECT_ALL, WR_DETECT_VALUES } wr_detect_scope;

/* Returns a detector without findings; NULL when out of memory. The view outlives the detector. */
wr_detector *wr_detector_create(wr_view *view);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_detector_destroy(wr_detector **detector);

/* Adds dependences at the view's point (after wr_view_take()). Returns WRSIM_OK, an error of a model at the point
 * itself, or WRSIM_E_MEMORY. Restores the view. */
wrsim_status wr_detector_look(wr_detector *detector, wr_detect_scope scope, wrsim_error *err);

/* Writes all findings so far, with compositions. The caller owns *ret_set (wr_incidence_done()). Returns 0, or -1 when out of memory. */
int wr_detector_get(const wr_detector *detector, wr_incidence_set *ret_set);

#endif
