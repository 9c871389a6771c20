/* Window control: how long the next window should be.
 *
 * Rule "work" minimises the predicted work per simulated second. Lengths lie on a geometric ladder with the factor sqrt(2).
 * Each rung of the ladder keeps a decayed estimate of
 *
 *     C(H) = S(H) (a H + b) / H,     S = integrations per subsystem in a window of the length H
 *
 * Here a is the work of one integration per simulated second and b its fixed cost (restart, truncated step, the Jacobian
 * of a step). The rung of the last window gets its measured work. The costs of rungs without a recent window are
 * predicted by docs/METHODS.md, Window length: if inputs miss by e tolerance units at length H, they miss by e (H'/H)^p
 * at length H', and each sweep contracts that by rho (H'/H).
 *
 * The first window is a sixteenth of the requested length, because a window that is too long costs many sweeps and one
 * that is too short costs little. A wrong prediction could keep the length far from the best one. So windows on predicted
 * rungs are tried now and then, paid from a small part of all work. All costs are counts, never clock times.
 *
 * A single subsystem needs no sweeps, so its first window has the requested length.
 *
 * Rule "ratio" rescales the length by the ratio of two successive differences (Ben Khaled et al. (2011), section 6).
 *
 * Thread: serial section of the engine; tasks ask wr_window_longest_next() meanwhile. Real-time: yes.
 */
#ifndef WR_WINDOW_H
#define WR_WINDOW_H

#include <stdint.h>

#include "base/state_io.h"

typedef struct wr_window wr_window;
typedef struct wr_window_outcome wr_window_outcome;

/* A rule: one file with its row, and a line in window_rules.c. Lengths that it gives are kept within the limits. */
typedef struct wr_window_rule {
    const char *name; /* as relaxation.window.control says */
    int reads_each;   /* it reads what is per subsystem */
    int aims;         /* at a contraction, which solvers' noise must not blur */
    int is_fixed;     /* lengths are the user's: nothing else shortens them */
    /* The first length, and the longest that the one after the present one may become. */
    double (*first)(const wr_window *window, int n_subsystem);
    double (*longest_next)(const wr_window *window);
    /* Takes a window into account; accepted: returns the next length. rejected may be NULL. */
    double (*accepted)(wr_window *window, const wr_window_outcome *outcome);
    void (*rejected)(wr_window *window, const wr_window_outcome *outcome);
} wr_window_rule;

enum { WR_WINDOW_RUNGS = 64 };

/* No change is larger. */
#define WR_WINDOW_MOST_GROWTH 2.0

struct wr_window {
    const wr_window_rule *rule;
    double min_s, max_s;
    double initial_s;               /* rule fixed comes back to it after a rejection */
    double length_s;                /* proposed for the next window */
    double least_gap_s;             /* see wr_window_least_gap */
    double cost[WR_WINDOW_RUNGS];   /* decayed work per simulated second, 0 = not known */
    double n_seen[WR_WINDOW_RUNGS]; /* windows of that length, decayed; 0: cost is a guess */
    double error_order; /* what a first sweep misses grows by this power of the length */
    int is_static;      /* contraction does not depend on the length: loops without integration */
    int n_window;       /* accepted */
    double spare, trial_price; /* work saved up for trials, and what is taken for it */
    int n_rung_back; /* the window is a trial: rungs it may be left upwards by; 0: it is not */
    int is_least;    /* integrations of the last one cost no more than to begin them */
    double patience; /* windows since the length last changed */
};

/* What one window came to. */
struct wr_window_outcome {
    double length_s;
    int is_accepted;
    int n_sweep; /* rounds */
    int n_subsystem;
    const double
        *prediction_error; /* [n_subsystem] effect of what its first sweep's inputs missed, in
                           units of what is accepted; <= 1: one integration was enough */
    double contraction;    /* ratio of two successive differences; 0 = not known */
    const double *n_rhs;   /* [n_subsystem] right-hand sides of one integration, */
    const double *work;    /* [n_subsystem] and their counted work */
    const double *
        step_rhs; /* [n_subsystem] those of a step, where Jacobians have been made; else 0; NULL: nobody makes any */
    const unsigned char
        *restarts; /* [n_subsystem] its solver begins at order 1 every time; NULL: none does */
    double spent;  /* counted work of all its sweeps */
};                 /* what is per subsystem, for rules that read it only */

/* Starts within [min_s, max_s], with initial_s or what the rule makes of it. */
void wr_window_init(wr_window *window, const wr_window_rule *rule, int n_subsystem,
                    double initial_s, double min_s, double max_s);

/* The longest that the window after the present one may become. */
double wr_window_longest_next(const wr_window *window);

/* Where an event is known in advance what its subsystem puts out cannot be predicted past it, but to end
 * a window there costs a beginning more: it is worth that when at least this long, s, passes from one
 * such event to the next. */
double wr_window_least_gap(const wr_window *window);

/* Takes an accepted window into account and proposes the next length. */
void wr_window_accepted(wr_window *window, const wr_window_outcome *outcome);

/* Passes over what windows have taught (base/state_io.h). */
void wr_window_state(wr_window *window, wr_state_io *io);

/* Is a window of this length (s) as short as allowed? */
int wr_window_is_shortest(const wr_window *window, double length_s);

/* Takes a rejected window into account; prefix_s > 0 is the length of its converged prefix. Returns
 * 0, or -1 when the window was already as short as allowed. */
int wr_window_rejected(wr_window *window, const wr_window_outcome *outcome, double prefix_s);

/* What is not about sweeps, room that a window takes up, knows no shortest one: the next is a part of length_s. Returns 0, or
 * -1 where that is no time at t_s. */
int wr_window_cut(wr_window *window, double t_s, double length_s);

#endif
