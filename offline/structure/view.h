/* A view: components of a running simulation as a separate group at the simulation's present point.
 *
 * The components of a subsystem, one component, or all are joined to a group with separate instances, so that the run
 * is not affected. wr_view_take() copies the point of the simulation: states, discrete states, modes, memory of
 * instances, and external inputs. Then the view can be evaluated and changed.
 *
 * Every input that no component of the view drives is an external input, "component.input", also if one output
 * drives several of them, or none does.
 *
 * Outputs and indicators of a group get only the inputs that they are declared to read. A view of one component
 * passes all inputs, unless the component drives itself, so that undeclared dependences are visible.
 *
 * Thread: the simulation's owner, between two advances. Real-time: no. */
#ifndef WR_VIEW_H
#define WR_VIEW_H

#include "subsystems/group/group.h"
#include "wrsim/sim.h"

/* Selected components. Both NULL: all components with equations (no ports and recordings). */
typedef struct wr_selection {
    const char *subsystem;
    const char *component;
} wr_selection;

/* A variable of the view. The component or the view owns the strings. */
typedef struct wr_view_variable {
    const char *name; /* "component.variable" */
    const char *unit, *description;
    double nominal;
    int i_component; /* component in the group */
    int index;       /* index among the variables of its kind in the component */
} wr_view_variable;

/* Output that drives an external input. */
typedef struct wr_view_driver {
    const char *name; /* "component.output"; NULL: no output */
    int i_component;  /* component in the order of the config; -1: none */
    int i_output;     /* output of that component; -1: none */
} wr_view_driver;

/* A view. The arrays x, d, u and mode are evaluated, and may be changed between two takes. */
typedef struct wr_view {
    struct wrsim *sim;
    const char *name; /* name of the component or subsystem, or "all" */
    wr_arena *arena;
    wr_group *group;
    int n_component;
    int *component;                 /* [n_component] numbers in the order of the config */
    wr_component *const *described; /* [n_component] components as their models describe them */
    int n[WRSIM_KIND_COUNT];        /* numbers of variables; of inputs: the external ones */
    wr_view_variable *variable[WRSIM_KIND_COUNT]; /* [kind][n[kind]], without parameters */
    wr_view_driver *driver;                       /* [n inputs] driver of each external input */
    wr_group_edge
        *edge; /* [group->n_u] driver of each input of the components; from = -1: external */
    double t_s;
    double *x, *d, *u;   /* [n] states, discrete states, external inputs */
    unsigned char *mode; /* [n indicators] mode of each indicator */
} wr_view;

/* Creates a view. sim outlives it and must be prepared before the first take. Returns WRSIM_E_ARG if the component
 * or subsystem does not exist (err has the nearest name) or has no equations; WRSIM_E_MODEL if a model allows one
 * instance per process only; an error of a model; WRSIM_E_MEMORY. */
wrsim_status wr_view_create(wrsim *sim, const wr_selection *selection, wr_view **ret_view,
                            wrsim_error *err);
/* Accepts NULL and nulls the pointer. */
void wr_view_destroy(wr_view **view);

/* Copies the simulation's present point. Returns WRSIM_OK, or an error if a value is not available. */
wrsim_status wr_view_take(wr_view *view, wrsim_error *err);

/* Evaluates at the arrays, in the floating-point mode of runs: derivatives of states, all outputs, indicators;
 * results may be NULL. Returns 0, or the result of a model; wr_view_fault() gives the reason. */
int wr_view_evaluate(wr_view *view, double *ret_dx, double *ret_y, double *ret_z);
/* Performs one event iteration for indicator i_z: changes its mode and calls event() of its component. x, d and mode
 * have the new values afterwards; memory of instances is restored. Returns as wr_view_evaluate. */
int wr_view_fire(wr_view *view, int i_z);
void wr_view_fault(const wr_view *view, wrsim_error *err);

#endif
