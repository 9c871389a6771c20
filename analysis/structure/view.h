/* A view: some components of a running simulation, seen as one group of their own at the simulation's present point.
 *
 * A subsystem, one component, or all of them: they are joined into a group of their own, with instances of their own, so that
 * the run does not notice what is done to it. wr_view_take() gives it the point at which the simulation stands: states,
 * discrete states, modes, what instances remember, and the inputs from outside. Then it is evaluated and changed at will.
 *
 * Every input that no component of the view drives is an external one, "component.input", also where several are driven by
 * one output, and also those that nothing drives.
 *
 * A group gives outputs and indicators only those inputs that they are declared to read. One component alone gets all, so that it
 * shows what it does and not what it says; unless it drives itself.
 *
 * Thread: the simulation's owner, between two advances. Real-time: no.
 */
#ifndef WR_VIEW_H
#define WR_VIEW_H

#include "subsystems/group/group.h"
#include "wrsim/sim.h"

/* Which components. Both NULL: all that have equations (not ports and recordings). */
typedef struct wr_selection {
    const char *subsystem;
    const char *component;
} wr_selection;

/* A variable of the view: names, units and descriptions are the component's or the view's. */
typedef struct wr_view_variable {
    const char *name; /* "component.variable" */
    const char *unit, *description;
    double nominal;
    int i_component; /* of the group */
    int index;       /* in the component, among those of its kind */
} wr_view_variable;

/* What drives an external input. */
typedef struct wr_view_driver {
    const char *name; /* "component.output"; NULL: nothing does */
    int i_component;  /* in the order of the config; -1 */
    int i_output;     /* of that component; -1 */
} wr_view_driver;

/* All arrays may be changed between two takes; they are what is evaluated. */
typedef struct wr_view {
    struct wrsim *sim;
    const char *name; /* of the component, of the subsystem, or "all" */
    wr_arena *arena;
    wr_group *group;
    int n_component;
    int *component;                               /* [n_component] in the order of the config */
    wr_component *const *described;               /* [n_component] as their models describe them */
    int n[WRSIM_KIND_COUNT];                      /* inputs: the external ones */
    wr_view_variable *variable[WRSIM_KIND_COUNT]; /* [kind][n[kind]], no parameters */
    wr_view_driver *driver;                       /* [n inputs] */
    wr_group_edge
        *edge; /* [group->n_u] what drives each input of the components; from = -1: from outside */
    double t_s;
    double *x, *d, *u;   /* [n] states, discrete states, external inputs */
    unsigned char *mode; /* [n indicators] */
} wr_view;

/* Makes one; sim outlives it, and has been prepared before the view is taken anywhere. Fails with WRSIM_E_ARG where there is no such component or subsystem (the
 * nearest name is said), or one has no equations; with WRSIM_E_MODEL where a model may be there only once in a process;
 * with what models report; WRSIM_E_MEMORY. */
wrsim_status wr_view_create(wrsim *sim, const wr_selection *selection, wr_view **ret_view,
                            wrsim_error *err);
/* Accepts NULL and nulls the pointer. */
void wr_view_destroy(wr_view **view);

/* Brings the view to where the simulation stands. WRSIM_OK, or what cannot be had there. */
wrsim_status wr_view_take(wr_view *view, wrsim_error *err);

/* Evaluates at the arrays, in the floating-point mode of runs; results may be NULL: derivatives of states, all outputs,
 * indicators. Return 0, or as models do; wr_view_fault() says why. */
int wr_view_evaluate(wr_view *view, double *ret_dx, double *ret_y, double *ret_z);
/* One pass of handling an event of indicator i_z at the arrays: its mode turns, its component's event() is called; x, d and
 * the mode are then the new ones. What instances remember is as before. Return as above. */
int wr_view_fire(wr_view *view, int i_z);
void wr_view_fault(const wr_view *view, wrsim_error *err);

#endif
