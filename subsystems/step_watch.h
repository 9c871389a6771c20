/* Points and events that a subsystem's solver has passed in an advance, kept so that f can be evaluated there again with other inputs:
 * what stale inputs cost is known only when the true ones are (slack/delay_error.h).
 *
 * A point is where a step begins. There is room for a few: where steps are more, a point stands for several steps and is
 * that of the last of them, where inputs are at their stalest.
 *
 * A turn is a point where an indicator comes nearest to zero and turns back, as errors may have kept it from crossing. The watch
 * stores turns in the room for events. Where room is short, events and shallower turns replace the deepest turn.
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
    double span_s; /* time that the point stands for, to the end of that step */
    double *x, *d, *external;
    double *inside; /* external in the middle of the step */
    unsigned char *mode;
} wr_step_point;

/* A round of an instant that changed discrete states, or the slopes of states. */
typedef struct wr_event_point {
    double t_s;
    int round;   /* 0: the first one of its instant */
    int i_z;     /* the indicator that fired first; -1: none did, or the round is a later one */
    int is_time; /* a time event was due in round 0 */
    int is_back; /* at the window's start, back to the side on which the indicator was when the window before began */
    int is_again; /* the window before fired it, and new inputs at this window's start took that back */
    /* The course of indicator i_z (ode_watch.c). */
    int is_turn; /* no event: the indicator turns back before zero; fired holds the event that a crossing would make */
    int is_twice; /* either sign change is an event: the crossing would make a second event, the other way */
    double depth; /* of a turn: its distance from zero, in nominal values of the indicator */
    double bend;  /* of an event: its second derivative by time; 0: unknown */
    double *x, *d, *external, *external_slope; /* before it */
    unsigned char *mode;
    signed char *fired; /* [n_mode] and [n_component], as in wr_group_event(), of its first pass */
    unsigned char *due;
    double *x_after, *d_after;
    double *left,
        *right; /* [n_x] slopes on either side; of later rounds both are those after the instant */
} wr_event_point;

typedef struct wr_step_watch {
    int n_x, n_d, n_external, n_mode, n_component;
    int has_points;     /* or only events */
    int has_course;     /* also turns, and the bends of indicators at events */
    int n;              /* points */
    int n_each, n_made; /* steps per point, and how many of them the last one has */
    wr_step_point point[WR_STEP_WATCH_POINTS];
    wr_step_point end; /* where the advance ended; no step begins there */
    int n_event;       /* stored events, the first of the advance; ... */
    int n_open;        /* ... events after them, of the present instant; ... */
    int n_lost;        /* ... events without room */
    double lost_depth; /* the least depth of a turn without room; INFINITY: all turns are stored */
    int cap_event;
    wr_event_point *event; /* [cap_event] */
    int is_accepted;       /* wr_step_watch_accept() has been called: mode_before is known */
    /* [n_mode] at the start of this advance, and of the window before (wr_step_watch_accept()). */
    unsigned char *mode_start, *mode_before;
    unsigned char *
        mode_taken; /* [n_mode] after new inputs at the start of this advance; then as the last event left it */
} wr_step_watch;

/* Places the arrays. The caller has set the sizes, has_points and cap_event. Returns 0, or -1 when
 * the arena is exhausted. */
int wr_step_watch_place(wr_step_watch *watch, wr_arena *arena);

/* A new advance begins. */
void wr_step_watch_clear(wr_step_watch *watch);

/* The window of the last advance is accepted. */
void wr_step_watch_accept(wr_step_watch *watch);

/* Makes room for an event (depth = 0), or for a turn of this depth: where room is short, drops the deepest turn if that
 * is deeper. Returns whether there is room. */
int wr_step_watch_make_room(wr_step_watch *watch, double depth);

/* Where the point of a step that begins now is to be written. */
wr_step_point *wr_step_watch_next(wr_step_watch *watch);

/* That step has been made. */
void wr_step_watch_made(wr_step_watch *watch, double step_s);

#endif
