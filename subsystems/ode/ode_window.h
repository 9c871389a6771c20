/* The present advance: its window and its progress. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_WINDOW_H
#define WR_ODE_WINDOW_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_window {
    double start_s, end_s;
    double loosened; /* factor on the tolerances, >= 1 */
    int n_made;      /* number of steps since the advance began or continued */
    int n_row_kept;  /* number of recorded rows that the next advance keeps */
    int is_at_start; /* an instant begins the window */
    int has_jumped; /* the inputs have jumped since the end of the last window; valid if is_at_start */
    int is_node_pending; /* the wave has no node until a step gives the slope */
    int is_wave_open;    /* rounds of an instant add nodes to the wave */
    double *dx_left; /* [n_x] slopes at the last window's end; valid if is_at_start and s->watch */
} wr_ode_window;

/* Returns the end of the window, s. */
WR_ODE_GET(double, window_end, window->end_s)
/* Returns the length of the window, s. */
WR_ODE_GET(double, window_length, window->end_s - wr_ode_of(s)->window->start_s)
/* Returns the factor on the tolerances in this advance, >= 1. */
WR_ODE_GET(double, loosened, window->loosened)
/* Returns the number of steps since the advance began or continued. */
WR_ODE_GET(int, n_made, window->n_made)
/* Returns whether the present instant begins the window. */
WR_ODE_GET(int, is_at_start, window->is_at_start)
/* Places the window. Setup only. Returns 0, or -1 when the arena is exhausted. */
static inline int wr_ode_window_place(const wr_subsystem *s, wr_arena *arena)
{
    wr_ode_of(s)->window->dx_left = WR_NEW_ARRAY(arena, double, s->n_x);
    return wr_ode_of(s)->window->dx_left ? 0 : -1;
}

/* Prevents the rounds of the initial instant from adding nodes to the wave. */
static inline void wr_ode_close_wave(wr_subsystem *s) { wr_ode_of(s)->window->is_wave_open = 0; }

/* Returns whether rounds of an instant add nodes to the wave. */
WR_ODE_GET(int, is_wave_open, window->is_wave_open)

#endif
