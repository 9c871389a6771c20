/* A view: components of a running simulation as a separate group at the simulation's present point.
 *
 * A view joins the components of a subsystem, one component, or all components to a group with separate instances. So
 * the view does not change the run. A model that forbids probes or a second instance, such as an FMU, shares the data of the run's
 * instance. The view fires no event of a model that forbids probes. wr_view_take() copies the point of the simulation: states, discrete
 * states, modes, memory of instances, and external inputs. Then a caller can evaluate and change the view.
 *
 * Every input that no component of the view drives is an external input with the name "component.input". One output
 * may drive several external inputs.
 *
 * Outputs and indicators of a group receive only the inputs that their patterns declare. A view of one component passes
 * all inputs, unless the component drives itself. Undeclared dependences are then visible.
 *
 * Thread: the simulation's owner, between two advances. Real-time: no. */
#ifndef WR_VIEW_H
#define WR_VIEW_H

#include <string.h>

#include "subsystems/group/group.h"
#include "wrsim/sim.h"

/* Selected components. subsystem and component NULL: all components with equations (no steppers, recordings and ports). */
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
    const char *name;    /* "component.output"; NULL: no output */
    int i_component;     /* component in the order of the config; -1: none */
    int i_output;        /* output of that component; -1: none */
    wr_unit_scale scale; /* conversion from the unit of the output to the unit of the input */
} wr_view_driver;

/* A view. A caller may change the arrays x, d, u and mode between two calls of wr_view_take(). */
typedef struct wr_view {
    struct wrsim *sim;
    const char *name; /* name of the component or subsystem, or "all" */
    wr_arena *arena;
    wr_group *group;
    int n_component;
    int *component;                 /* [n_component] numbers in the order of the config */
    wr_component *const *described; /* [n_component] components as their models describe them */
    int n[WRSIM_KIND_COUNT];        /* number of variables of each kind; inputs: external inputs */
    wr_view_variable *variable[WRSIM_KIND_COUNT]; /* [kind][n[kind]], without parameters */
    wr_view_driver *driver;                       /* [n inputs] driver of each external input */
    /* [group->n_u] driver of each input of the components; from = -1: external */
    wr_group_edge *edge;
    double t_s;
    double *x, *d, *u;   /* [n] states, discrete states, external inputs */
    unsigned char *mode; /* [n indicators] mode of each indicator */
} wr_view;

/* Creates a view. sim must outlive the view. The owner of sim prepares sim before the first wr_view_take(). Returns WRSIM_OK; WRSIM_E_ARG
 * if the component or subsystem does not exist (err has the nearest name) or has no equations; WRSIM_E_MODEL if a model allows one instance
 * per process only; an error of a model; or WRSIM_E_MEMORY. */
wrsim_status wr_view_create(wrsim *sim, const wr_selection *selection, wr_view **ret_view,
                            wrsim_error *err);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_view_destroy(wr_view **view);

/* Returns the arguments of an evaluation of the group. */
static inline wr_group_point wr_view_point(const wr_view *view)
{
    return (wr_group_point){view->t_s, view->x, view->d, view->u, view->mode};
}

/* Copies n values; n may be 0 with NULL pointers. */
static inline void wr_view_copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* Copies the simulation's present point. Returns WRSIM_OK, WRSIM_E_NAN if an input or an output of a loop is not finite, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_view_take(wr_view *view, wrsim_error *err);

/* Evaluates derivatives, outputs and indicators at the arrays x, d, u and mode, in the floating-point mode of runs. Omits a NULL result.
 * Returns 0, or the non-zero result of a model, with the reason in wr_view_fault(). */
int wr_view_evaluate(wr_view *view, double *ret_dx, double *ret_y, double *ret_z);
/* Returns the number of components with events that wr_view_fire() may not fire. Discrete states of such a model, as of an FMU, are not in
 * the view. */
int wr_view_n_unfired(const wr_view *view);
/* Returns whether the model of indicator i_z allows wr_view_fire(). */
int wr_view_may_fire(const wr_view *view, int i_z);
/* Performs one round with the state event of indicator i_z, for which wr_view_may_fire() returns 1. Inverts the mode of i_z and calls
 * event() of the component. Writes the new values to x, d and mode, and restores the memory of instances. Returns 0, the non-zero result
 * of a model, or -1 when out of memory. */
int wr_view_fire(wr_view *view, int i_z);
/* Writes the error of the last failed evaluation. */
void wr_view_fault(const wr_view *view, wrsim_error *err);

#endif
