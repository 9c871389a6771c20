/* Sensitivity: the effect of input changes on a subsystem.
 *
 * An estimate (wr_subsystem_effect) contains the effect of inputs through the derivatives at the window's end. Effects through events, in
 * the middle of the window only, or through inputs that cancel at the end are unmodelled. So the assumed effect of a change `inputs` is
 *
 *     modelled * estimate + unmodelled * inputs        (all in tolerance units)
 *
 * The object measures both factors when an integration repeats an earlier integration with other inputs. `modelled` covers as much of a
 * change as possible, `unmodelled` the difference. A factor rises at once, and falls by half of its error. An error below the noise of
 * solvers changes no factor. Without measurements a factor below 1 drifts back to 1. Windows with events have their own unmodelled factor,
 * because some inputs act through events only. After its last event a window is like a window without events, so there the assumed effect
 * is
 *
 *     modelled * estimate + min(eventful * inputs, quiet * inputs + eventful * early)
 *
 * `early` is the change of the inputs up to the last event, and a margin for the shift of this event.
 *
 * Thread: the subsystem's task, and the engine's serial section between tasks. Real-time: yes. */
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
    int n_unmeasured; /* number of windows since the last measurement */
} wr_sensitivity_factor;

typedef struct wr_sensitivity {
    double
        noise; /* if observed and expected change differ by less, a factor stays; tolerance units */
    wr_sensitivity_factor modelled, unmodelled[WR_SENSITIVITY_KINDS];
    wr_sensitivity_kind kind; /* kind of the present window up to now */
    int i_part; /* last part of the window in which an input change may act on an event; -1: none */
    double early; /* change of the inputs up to the end of part i_part, tolerances */
} wr_sensitivity;

/* Largest effect per input change (assumed). A change that does not matter with this factor needs no estimate. */
enum { WR_SENSITIVITY_MOST = 1000 };

/* Sets all factors to 1. convergence: accepted change, tolerance units. */
void wr_sensitivity_init(wr_sensitivity *sensitivity, double convergence);

/* Stores that the present window has an event. i_part: as the member. */
static inline void wr_sensitivity_note_event(wr_sensitivity *sensitivity, int i_part)
{
    sensitivity->kind = WR_SENSITIVITY_EVENTFUL;
    sensitivity->i_part = i_part > sensitivity->i_part ? i_part : sensitivity->i_part;
}

/* Begins a window without events. */
static inline void wr_sensitivity_forget_events(wr_sensitivity *sensitivity)
{
    sensitivity->kind = WR_SENSITIVITY_QUIET;
    sensitivity->i_part = -1;
}

/* Returns the unmodelled effect, and the total effect, of a change of the inputs. */
double wr_sensitivity_unmodelled(const wr_sensitivity *sensitivity, double inputs);
double wr_sensitivity_effect(const wr_sensitivity *sensitivity, double inputs, double estimate);
/* Returns the total effect of a change of the inputs that is not later than the last event. */
double wr_sensitivity_largest(const wr_sensitivity *sensitivity, double inputs, double estimate);

/* Learns that a change `inputs` with estimate `estimate` (0: none) had the effect `change`. */
void wr_sensitivity_learn(wr_sensitivity *sensitivity, double inputs, double estimate,
                          double change);

/* Visits the factors (base/state_io.h). */
void wr_sensitivity_state(wr_sensitivity *sensitivity, wr_state_io *io);

/* Begins the next window after an accepted window. */
void wr_sensitivity_accepted(wr_sensitivity *sensitivity);

#endif
