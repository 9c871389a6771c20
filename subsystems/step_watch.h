/* Points and events of an advance, stored so that f can be evaluated there again with other inputs: the error of stale inputs is known
 * only after the true inputs (slack/delay_error.h).
 *
 * A point is the start of a step. The number of points is limited. If there are more steps, a point represents several steps and is
 * the start of the last one, at which inputs are oldest.
 *
 * A turn is a point at which an indicator has its smallest distance from zero and turns back: without errors it might cross zero.
 * Turns and events share memory. If it is full, events and shallower turns replace the deepest turn.
 *
 * Thread: the subsystem's, and between advances its owner. Real-time: yes after placing.
 */
#ifndef WR_STEP_WATCH_H
#define WR_STEP_WATCH_H

#include "base/arena.h"

enum { WR_STEP_WATCH_POINTS = 8 };

typedef struct wr_step_point {
    double t_s;
    double step_s; /* length of the step that begins here */
    double span_s; /* time that the point represents, up to the end of that step */
    double *x, *d, *external;
    double *inside; /* inputs in the middle of the step */
    unsigned char *mode;
} wr_step_point;

/* A round of an instant that changed discrete states, or the slopes of states. */
typedef struct wr_event_point {
    double t_s;
    int round;   /* 0: first of the instant */
    int i_z;     /* the indicator that fired first; -1: none, or a later round */
    int is_time; /* a time event was due in round 0 */
    int is_back; /* at the window's start: the indicator returns to its side at the start of the previous window */
    int is_again; /* the previous window fired the event, and new inputs at this window's start have undone it */
    /* The course of indicator i_z (ode_watch.c). */
    int is_turn; /* no event: the indicator turns back before zero; fired holds the event of a crossing */
    int is_twice; /* both sign changes are events: a crossing makes a second event in the other direction */
    double depth; /* of a turn: its distance from zero, in nominal values of the indicator */
    double bend;  /* of an event: its second derivative by time; 0: unknown */
    double *x, *d, *external, *external_slope; /* before the event */
    unsigned char *mode;
    signed char *fired; /* [n_mode], as in wr_group_event(), of the first pass */
    unsigned char *due; /* [n_component], likewise */
    double *x_after, *d_after;
    double *left,
        *right; /* [n_x] slopes before and after; in later rounds both are after the instant */
} wr_event_point;

typedef struct wr_step_watch {
    int n_x, n_d, n_external, n_mode, n_component;
    int has_points;     /* 0: events only */
    int has_course;     /* turns, and second derivatives of indicators at events, are stored */
    int n;              /* number of points */
    int n_each, n_made; /* steps per point, and steps of the last point */
    wr_step_point point[WR_STEP_WATCH_POINTS];
    wr_step_point end; /* end of the advance */
    int n_event;       /* stored events, the first of the advance */
    int n_open;        /* events after them, of the present instant */
    int n_lost;        /* events that were not stored, as the memory was full */
    double
        lost_depth; /* least depth of a turn that was not stored; INFINITY: all turns are stored */
    int cap_event;
    wr_event_point *event; /* [cap_event] */
    int is_accepted;       /* wr_step_watch_accept() has been called: mode_before is known */
    /* [n_mode] at the start of this advance, and of the window before (wr_step_watch_accept()). */
    unsigned char *mode_start, *mode_before;
    unsigned char *
        mode_taken; /* [n_mode] after new inputs at the start of this advance, then after the last event */
} wr_step_watch;

/* Places the arrays. The caller has set the sizes, has_points and cap_event. Returns 0, or -1 when
 * the arena is exhausted. */
int wr_step_watch_place(wr_step_watch *watch, wr_arena *arena);

/* Begins a new advance. */
void wr_step_watch_clear(wr_step_watch *watch);

/* Notes that the window of the last advance is accepted. */
void wr_step_watch_accept(wr_step_watch *watch);

/* Makes room for an event (depth 0) or a turn of this depth. If the memory is full, a deeper turn is removed. Returns 1 if there is
 * room. */
int wr_step_watch_make_room(wr_step_watch *watch, double depth);

/* Returns the place for the point of a step that begins now. */
wr_step_point *wr_step_watch_next(wr_step_watch *watch);

/* Notes the length of that step after the step. */
void wr_step_watch_made(wr_step_watch *watch, double step_s);

#endif
