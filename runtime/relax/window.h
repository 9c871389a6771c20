/* Window control: the length of the next window.
 *
 * Rule "work" minimises the predicted work per simulated second. Lengths lie on a geometric ladder with the factor sqrt(2). For each rung
 * of the ladder the rule stores a decayed estimate of
 *
 *     C(H) = S(H) (a H + b) / H,     S = integrations per subsystem in a window of the length H
 *
 * Here a is the work of one integration per simulated second and b the fixed cost of an integration (restart, truncated step, Jacobian).
 * The measured work updates the estimate of the last window's rung. The rule predicts the costs of neighbouring rungs, with less weight on
 * rungs with recent windows (docs/METHODS.md, Window length). An input error of e tolerance units at length H becomes e (H'/H)^p at length
 * H'. Each sweep contracts this error by rho (H'/H), in algebraic loops by rho.
 *
 * The first window is a sixteenth of the requested length, because too long a window costs many sweeps. A single subsystem needs no
 * sweeps, so its first window has the requested length. With a subsystem without rollback the requested length is the least length. After a
 * wrong prediction the length may stay far from the best length. So the rule tries windows on predicted rungs, for a small part of all
 * work. All costs are counts, never clock times.
 *
 * Rule "ratio" rescales the length by the ratio of two successive residuals (Ben Khaled et al. (2011), section 6). Rule "fixed" keeps the
 * requested length, except after a rejection and at the end of the run (engine_window.c).
 *
 * Thread: serial section of the engine; tasks may call wr_window_longest_next(). Real-time: yes. */
#ifndef WR_WINDOW_H
#define WR_WINDOW_H

#include <stdint.h>

#include "base/state_io.h"

typedef struct wr_window wr_window;
typedef struct wr_window_outcome wr_window_outcome;

/* A rule: its functions, and an entry in window_rules.c. The caller limits the rule's lengths to the allowed range. */
typedef struct wr_window_rule {
    const char *name; /* value of relaxation.window.control */
    int reads_each;   /* the rule reads the outcome's data per subsystem */
    int aims; /* the rule aims at a contraction rate, which needs residuals above the solvers' noise */
    int is_fixed; /* the config sets the lengths: errors of subsystems without rollback shorten no window (wr_window_limit()) */
    /* Return the first length, and the longest possible length of the next window, s. */
    double (*first)(const wr_window *window, int n_subsystem);
    double (*longest_next)(const wr_window *window);
    /* Learn from a window. accepted() returns the next length. rejected may be NULL. */
    double (*accepted)(wr_window *window, const wr_window_outcome *outcome);
    void (*rejected)(wr_window *window, const wr_window_outcome *outcome);
} wr_window_rule;

/* All rules, ending with NULL. The first rule is the default. */
extern const wr_window_rule *const wr_window_rules[];

/* Returns the rule of that name, or NULL. Thread: any. */
const wr_window_rule *wr_window_rule_find(const char *name);

enum { WR_WINDOW_RUNGS = 64 };

/* Largest ratio of successive lengths in the rules "ratio" and "fixed" (assumed). */
#define WR_WINDOW_MOST_GROWTH 2.0

struct wr_window {
    const wr_window_rule *rule;
    double min_s, max_s;
    double initial_s;             /* requested length of windows */
    double length_s;              /* proposed length of the next window */
    double least_gap_s;           /* result of wr_window_least_gap() */
    double cost[WR_WINDOW_RUNGS]; /* decayed work per simulated second; 0: not known */
    double
        n_seen[WR_WINDOW_RUNGS]; /* decayed number of windows of that length; 0: cost is a guess */
    double error_order;          /* power of the length with which the prediction error grows */
    int is_static; /* the contraction does not depend on the length, because of algebraic loops */
    int n_window;  /* number of accepted windows, counted by rule "work" */
    /* work saved for trials, work units; price of a trial, per work of the trial's window */
    double spare, trial_price;
    int n_rung_back; /* largest rise after a trial, in rungs; 0: the window is no trial */
    int is_least;    /* 1: the last window's integrations cost no more than their fixed cost */
    double patience; /* number of windows since the last change of the length */
};

/* Outcome of one window. The caller fills arrays per subsystem only for rules with reads_each. */
struct wr_window_outcome {
    double length_s;
    int is_accepted;
    int n_sweep;
    int n_subsystem;
    /* [n_subsystem] effect of the input errors of the first sweep, in units of relaxation.convergence; up to 1 a single integration is
     * enough */
    const double *prediction_error;
    double contraction;  /* ratio of two successive residuals; 0: not known */
    const double *n_rhs; /* [n_subsystem] right-hand sides of one integration */
    const double *work;  /* [n_subsystem] counted work of one integration */
    const double *
        step_rhs; /* [n_subsystem] right-hand sides of a step with Jacobians; 0 or NULL: no Jacobians */
    const unsigned char
        *restarts; /* [n_subsystem] the solver begins each window at order 1; or NULL */
    double spent;  /* counted work of all sweeps */
};

/* Sets the limits of lengths, and the first length, which the rule derives from initial_s. */
void wr_window_init(wr_window *window, const wr_window_rule *rule, int n_subsystem,
                    double initial_s, double min_s, double max_s);

/* Returns the longest possible length of the next window, s. */
double wr_window_longest_next(const wr_window *window);

/* Returns the least distance of successive time events, s, at which windows should end at time events. Predictions end at events, but an
 * additional window costs an additional start. INFINITY in the rules "ratio" and "fixed". */
double wr_window_least_gap(const wr_window *window);

/* Learns from an accepted window, and proposes the next length. */
void wr_window_accepted(wr_window *window, const wr_window_outcome *outcome);

/* Limits the proposed length to the larger of most_s and the least length, unless the user sets the lengths. */
void wr_window_limit(wr_window *window, double most_s);

/* Makes all costs guesses, after windows of another scheme (engine_scheme.h). The proposed length stays. */
void wr_window_forget(wr_window *window);

/* Visits the state (base/state_io.h). */
void wr_window_state(wr_window *window, wr_state_io *io);

/* Returns 1 if a window of this length (s) is as short as allowed. */
int wr_window_is_shortest(const wr_window *window, double length_s);

/* Learns from a rejected window, and proposes a shorter length. prefix_s: length of the window's converged prefix, or 0. Returns 0, or -1
 * without a change if the window was as short as allowed. */
int wr_window_rejected(wr_window *window, const wr_window_outcome *outcome, double prefix_s);

/* Shortens the next window to a part of length_s, without a lower limit. Returns 0, or -1 if the length is too short for the
 * resolution of time at t_s. */
int wr_window_cut(wr_window *window, double t_s, double length_s);

#endif
