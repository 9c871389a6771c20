/* Incidence by perturbation: variables are changed one at a time at points of a run, and events are fired there.
 *
 * At a point every state and input takes four other values, small and large changes to both sides; every discrete state a
 * slightly larger one, and those that it has been seen to take, in the run or by a fired event; every indicator's mode is turned; and every indicator's event
 * is fired, in the direction that its sign allows, with discrete states as they are and slightly moved (what is set to what it
 * already was would not show). Whatever then differs by more than rounding depends on it, and where algebraic loops are
 * solved, by more than they are solved to. What shows nowhere along the run is not found: more points, and runs that do more, find more. Points
 * that models refuse are counted.
 *
 * Thread: the view's owner. Real-time: no.
 */
#ifndef WR_DETECT_H
#define WR_DETECT_H

#include "analysis/structure/incidence.h"

typedef struct wr_detector wr_detector;

/* WR_DETECT_VALUES: of states and inputs alone. A model is asked nothing that a step might not ask: no event is fired and no mode
 * turned. */
typedef enum wr_detect_scope { WR_DETECT_ALL, WR_DETECT_VALUES } wr_detect_scope;

/* Begins with nothing found. NULL when out of memory. The view outlives it. */
wr_detector *wr_detector_create(wr_view *view);
/* Accepts NULL and nulls the pointer. */
void wr_detector_destroy(wr_detector **detector);

/* Adds what shows at the view's point (wr_view_take() before). WRSIM_OK, or what models report at the point itself;
 * WRSIM_E_MEMORY. The view is as before. */
wrsim_status wr_detector_look(wr_detector *detector, wr_detect_scope scope, wrsim_error *err);

/* What has been found so far, with compositions; the caller's. 0, or -1 when out of memory. */
int wr_detector_get(const wr_detector *detector, wr_incidence_set *ret_set);

#endif
