/* Looser first integrations of a window, where it pays by itself (relaxation.tolerance_first = "auto").
 *
 * An integration with wrong inputs needs no smaller error than they have (Ben Khaled et al. (2011), section 5.2). But
 * one at a looser tolerance has to be repeated whatever comes of it. So only the first one in a window is
 * loosened, of a subsystem that would have had to repeat it anyway in each of the last windows, and only
 * by a share of what its inputs missed there. From time to time a first one is tight all the same: only
 * then is learned what changes of inputs do (sensitivity.h), and whether one integration would be enough.
 *
 * Counts only, the subsystem's own: the same for any number of workers (docs/NUMERICS.md).
 *
 * Thread: the subsystem's task asks, the engine's serial section tells. Real-time: yes.
 */
#ifndef WR_LOOSE_H
#define WR_LOOSE_H

#include "base/state_io.h"

typedef struct wr_loose {
    double change; /* of its inputs, after the first sweep of the last window; tolerance units */
    double factor; /* on the tolerance, of the first integration in the present window */
    int n_again;   /* windows in a row in which that had to be repeated, whatever its tolerance */
} wr_loose;

/* Factor >= 1 on the tolerance of the first integration in the next window. */
double wr_loose_first(const wr_loose *loose);

/* A window was accepted after n_integrated integrations of the subsystem; is_missed: what its inputs had
 * changed by after the first one was more than is accepted. */
void wr_loose_accepted(wr_loose *loose, int n_integrated, int is_missed);

/* Passes over it (base/state_io.h). */
void wr_loose_state(wr_loose *loose, wr_state_io *io);

#endif
