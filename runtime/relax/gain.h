/* Gain: what a subsystem makes of changes of its inputs.
 *
 * An estimate (wr_subsystem_effect) knows the inputs' way through the derivatives at the window's
 * end. What it does not see is hidden: ways through events, in the middle of the window only,
 * through inputs that cancel there. So the effect of a change `inputs` is taken to be
 *
 *     trust * estimate + hidden * inputs        (all in tolerance units)
 *
 * and both factors are learned from integrations that repeat an earlier one with other inputs.
 * trust explains what it can; the rest is hidden. A factor is raised at once and lowered by halves,
 * as far as a small share of what is accepted anyway cannot explain. One below 1 drifts back to 1
 * while it is not measured; a larger one stays.
 * Windows with events have a hidden factor of their own: inputs that act through events act in
 * those only.
 *
 * Thread: the subsystem's task; the engine's serial section may ask between tasks. Real-time: yes.
 */
#ifndef WR_GAIN_H
#define WR_GAIN_H

typedef enum wr_gain_kind { WR_GAIN_QUIET, WR_GAIN_EVENTFUL, WR_GAIN_KINDS } wr_gain_kind;

typedef struct wr_gain_factor {
    double value;
    int n_unmeasured; /* windows */
} wr_gain_factor;

typedef struct wr_gain {
    double noise; /* changes up to this say nothing, tolerance units */
    wr_gain_factor trust, hidden[WR_GAIN_KINDS];
    wr_gain_kind kind; /* of the present window, as far as it is known */
} wr_gain;

/* Nothing ever reacts more than this to a change of its inputs; what would not matter then needs no
 * look. */
enum { WR_GAIN_MOST = 1000 };

/* Nothing is known: what changes, matters. convergence: change that is accepted. */
void wr_gain_init(wr_gain *gain, double convergence);

/* There was an event in the present window. */
static inline void wr_gain_note_event(wr_gain *gain) { gain->kind = WR_GAIN_EVENTFUL; }

/* Effect of a change of the inputs that no estimate would see, and all of it. */
double wr_gain_hidden(const wr_gain *gain, double inputs);
double wr_gain_effect(const wr_gain *gain, double inputs, double estimate);

/* A change `inputs` with this estimate (0 = none) came to `change`. */
void wr_gain_learn(wr_gain *gain, double inputs, double estimate, double change);

/* The window was accepted; the next one begins. */
void wr_gain_accepted(wr_gain *gain);

#endif
