/* The present advance: its window and its progress.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_WINDOW_H
#define WR_ODE_WINDOW_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_window {
    double start_s, end_s;
    double loosened;     /* factor on the tolerances, >= 1 */
    int n_made;          /* steps since the advance began or paused */
    int n_row_kept;      /* recorded rows that the next advance keeps */
    int is_at_start;     /* an instant begins the window */
    int is_node_pending; /* the wave's first node waits for its slope */
    int is_wave_open;    /* rounds of an instant add nodes to the wave */
    double *dx_left;     /* [n_x] slopes at the end of the last window; valid if is_at_start */
} wr_ode_window;

/* s */
static inline double wr_ode_window_end(const wr_subsystem *s)
{
    return wr_ode_of(s)->window->end_s;
}

/* s */
static inline double wr_ode_window_length(const wr_subsystem *s)
{
    return wr_ode_of(s)->window->end_s - wr_ode_of(s)->window->start_s;
}

/* Factor on the tolerances in this advance, >= 1. */
static inline double wr_ode_loosened(const wr_subsystem *s)
{
    return wr_ode_of(s)->window->loosened;
}

/* Steps since the advance began or paused. */
static inline int wr_ode_n_made(const wr_subsystem *s) { return wr_ode_of(s)->window->n_made; }

/* Does the present instant begin the window? */
static inline int wr_ode_is_at_start(const wr_subsystem *s)
{
    return wr_ode_of(s)->window->is_at_start;
}

/* Do rounds of an instant add nodes to the wave? */
static inline int wr_ode_is_wave_open(const wr_subsystem *s)
{
    return wr_ode_of(s)->window->is_wave_open;
}

#endif
