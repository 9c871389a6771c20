/* Points and events of an advance, stored for later evaluations with the true inputs. These evaluations give the errors of stale inputs
 * (runtime/slack/delay_error.h) and of waves (runtime/relax/splitting_error.h).
 *
 * A point is the start of a step. The number of points is limited. If an advance has more steps, a point represents several steps, and is
 * the start of the last of these steps, where inputs are oldest.
 *
 * A turn is a time at which an indicator has its smallest distance from zero and turns back. Without errors the indicator might cross
 * zero. Turns and events share memory. If the memory is full, events and shallower turns replace the deepest turn.
 *
 * Thread: the worker of the subsystem; between advances its owner. Real-time: yes after placing.
 */
#ifndef WR_STEP_WATCH_H
#define WR_STEP_WATCH_H

#include "base/arena.h"

enum { WR_STEP_WATCH_POINTS = 8 };

typedef struct wr_step_point {
    double t_s;
    double step_s; /* length of the step that begins at t_s */
    double span_s; /* time that the point represents, up to the end of the step */
    double *x, *d, *external;
    double *inside; /* inputs in the middle of the step */
    unsigned char *mode;
} wr_step_point;

/* A round of an instant with a change of states, discrete states, memory or slopes; or a turn. */
typedef struct wr_event_point {
    double t_s;
    int round;   /* 0: first of the instant */
    int i_z;     /* indicator that fired first, or turns; -1: none, or a later round */
    int is_time; /* a time event is due in round 0 */
    int is_back; /* event at the window's start that restores the mode of the last window's start */
    int is_again; /* repeats an event of the last window that new inputs at this window's start undid */
    /* The course of indicator i_z (ode_watch.c). */
    int is_turn;  /* the indicator turns back before zero; fired has the event of a crossing */
    int is_twice; /* both sign changes are events, so a crossing has a second event back */
    double depth; /* distance of a turn from zero, in nominal values of the indicator */
    double bend;  /* second derivative by time at an event; 0: unknown */
    double *x, *d, *external, *external_slope; /* values and slopes before the event */
    unsigned char *mode;
    signed char *fired; /* [n_mode] as in wr_group_event(), in the first pass */
    unsigned char *due; /* [n_component] as in wr_group_event(), in the first pass */
    double *x_after, *d_after;
    double *left,
        *right; /* [n_x] slopes before and after the instant; in later rounds both arrays have the slopes after the instant */
} wr_event_point;

/* Members that each advance writes come first. */
typedef struct wr_step_watch {
    int n_event;        /* stored events of the advance */
    int n_open;         /* events of the present instant, after the stored events */
    int n_lost;         /* number of events without free memory */
    int n;              /* number of points */
    int n_each, n_made; /* steps per point, and steps of the last point */
    double lost_depth;  /* least depth of a turn that has no place in event[]; INFINITY: none */
    int n_mode;
    int has_points;  /* 0: the advance stores no points */
    int has_course;  /* the advance stores turns, and second derivatives of indicators at events */
    int is_accepted; /* mode_before is valid */
    int cap_event;
    int n_x, n_d, n_external, n_component;
    wr_event_point *event;      /* [cap_event] */
    unsigned char *mode_start;  /* [n_mode] modes at the start of this advance */
    unsigned char *mode_before; /* [n_mode] modes at the start of the window before */
    unsigned char *mode_taken;  /* [n_mode] modes after new inputs at the start, and after events */
    wr_step_point point[WR_STEP_WATCH_POINTS];
    wr_step_point end; /* end of the advance */
} wr_step_watch;

/* Places the arrays. Set the sizes, has_points and cap_event before the call. Returns 0, or -1 when the arena is exhausted. */
int wr_step_watch_place(wr_step_watch *watch, wr_arena *arena);

/* Removes all points and events, for a new advance. */
void wr_step_watch_clear(wr_step_watch *watch);

/* Prepares a watch with the same sizes for the window after the window of `watch`, as wr_step_watch_accept(watch) does. */
void wr_step_watch_follow(wr_step_watch *next, const wr_step_watch *watch);

/* Accepts the window of the last advance: the modes at the window's start become mode_before. */
void wr_step_watch_accept(wr_step_watch *watch);

/* Frees memory for an event (depth 0), or for a turn of the given depth. If the memory is full, removes the deepest turn if that turn is
 * deeper than depth. Returns 0 if no memory is free, else 1. */
int wr_step_watch_make_room(wr_step_watch *watch, double depth);

/* Returns memory for the start of a step. */
wr_step_point *wr_step_watch_next(wr_step_watch *watch);

/* Stores the length of the step after wr_step_watch_next(). */
void wr_step_watch_made(wr_step_watch *watch, double step_s);

#endif
