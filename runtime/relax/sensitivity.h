/* Sensitivity: what a subsystem makes of changes of its inputs.
 *
 * An estimate (wr_subsystem_effect) knows the inputs' way through the derivatives at the window's
 * end. What it does not see is unmodelled: ways through events, in the middle of the window only,
 * through inputs that cancel there. So the effect of a change `inputs` is taken to be
 *
 *     modelled * estimate + unmodelled * inputs        (all in tolerance units)
 *
 * and both factors are learned from integrations that repeat an earlier one with other inputs.
 * modelled explains what it can; the rest is unmodelled. A factor is raised at once and lowered by halves,
 * as far as a small share of what is accepted anyway cannot explain. One below 1 drifts back to 1
 * while it is not measured; a larger one stays.
 * Windows with events have an unmodelled factor of their own: inputs that act through events act in
 * those only.
 *
 * Thread: the subsystem's task; the engine's serial section may ask between tasks. Real-time: yes.
 */
#ifndef WR_SENSITIVITY_H
#define WR_SENSITIVITY_H

#include "base/state_io.h"

typedef enum wr_sensitivity_kind {
    WR_SENSITIVITY_QUIET,
    WR_SENSITIVITY_EVENTFUL,
    WR_SENSITIVITY_KINDS
} wr_sensitivity_kind;

typedef struct wr_sensitivity_factor {
    double value;
    int n_unmeasured; /* windows */
} wr_sensitivity_factor;

typedef struct wr_sensitivity {
    double noise; /* changes up to this say nothing, tolerance units */
    wr_sensitivity_factor modelled, unmodelled[WR_SENSITIVITY_KINDS];
    wr_sensitivity_kind kind; /* of the present window, as far as it is known */
} wr_sensitivity;

/* Nothing ever reacts more than this to a change of its inputs; what would not matter then needs no
 * check. */
enum { WR_SENSITIVITY_MOST = 1000 };

/* Nothing is known: what changes, matters. convergence: change that is accepted. */
void wr_sensitivity_init(wr_sensitivity *sensitivity, double convergence);

/* There was an event in the present window. */
static inline void wr_sensitivity_note_event(wr_sensitivity *sensitivity)
{
    sensitivity->kind = WR_SENSITIVITY_EVENTFUL;
}

/* Effect of a change of the inputs that no estimate would see, and all of it. */
double wr_sensitivity_unmodelled(const wr_sensitivity *sensitivity, double inputs);
double wr_sensitivity_effect(const wr_sensitivity *sensitivity, double inputs, double estimate);

/* A change `inputs` with this estimate (0 = none) came to `change`. */
void wr_sensitivity_learn(wr_sensitivity *sensitivity, double inputs, double estimate,
                          double change);

/* Passes over what has been learned (base/state_io.h). */
void wr_sensitivity_state(wr_sensitivity *sensitivity, wr_state_io *io);

/* The window was accepted; the next one begins. */
void wr_sensitivity_accepted(wr_sensitivity *sensitivity);

#endif
