/* The present advance: its window and its progress.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_WINDOW_H
#define WR_ODE_WINDOW_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_window {
    double window_start_s;
    double window_end_s;
    double loosened;     /* factor on the tolerances, >= 1 */
    int n_made;          /* steps since the advance began or paused */
    int n_row_kept;      /* recorded rows that the next advance keeps */
    int is_at_start;     /* an instant begins the window */
    int is_node_pending; /* the wave's first node waits for its slope */
    int is_wave_open;    /* rounds of an instant add nodes to the wave */
    double *dx_left;     /* [n_x] slopes at the end of the last window; valid if is_at_start */
} wr_ode_window;

/* Length of the present window, s. */
static inline double wr_ode_window_length(const wr_subsystem *s)
{
    const wr_ode_window *const window = wr_ode_of(s)->window;
    return window->window_end_s - window->window_start_s;
}

#endif
