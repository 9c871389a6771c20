/* Sparsing of a subsystem's Jacobian for linearly implicit Euler with a fixed step: linearisations are collected, a pattern
 * that all of them accept is found (or a given one is checked), and judged.
 *
 *     wr_sparsing s = {.options = wr_sparsing_defaults};
 *     status = wr_sparsing_begin(&s, "robot", n, names, nominal, full, &err);
 *     for (...) status = wr_sparsing_add(&s, &linearisation, &err);
 *     status = wr_sparsing_search(&s, 0.02, &err);           or wr_sparsing_check(&s, given, &err)
 *     status = wr_sparsing_judge(&s, &err);
 *     ... what it found ...
 *     wr_sparsing_done(&s);
 *
 * Sources: Schiela and Bornemann, "Sparsing in real time simulation", ZAMM 83, 2003, pages 637-647; the sum-of-squares paper
 * (docs/METHODS.md, Sources).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SPARSING_H
#define WR_SPARSING_H

#include "analysis/sparsing/dropping.h"
#include "analysis/sparsing/estimates.h"
#include "analysis/sparsing/fill.h"
#include "analysis/sparsing/samples.h"

enum { WR_SPARSING_MOST = 400 }; /* states: matrices are dense here */

typedef struct wr_sparsing_options {
    double tau_s; /* step */
    double gap;   /* of clusters, cluster.h */
    wr_shares shares;
    double error; /* of states, in parts of their ranges */
    double slow;  /* modes below are set aside for C1, C2: estimates.h */
    wr_listener listener;
} wr_sparsing_options;

extern const wr_sparsing_options wr_sparsing_defaults; /* without a step */

/* What a pattern is worth. */
typedef struct wr_sparsing_pattern {
    unsigned char *keep; /* [n * n] column-major: entries of J */
    int n_kept;
    wr_fill fill; /* of L - tau J */
    int n_colour; /* evaluations of f that J costs by differences */
    wr_dropping how;
    int is_accepted; /* by all samples */
    double error;    /* predicted, of the state and sample where it is largest; 0 where not known */
    int error_state, error_sample;
} wr_sparsing_pattern;

typedef struct wr_sparsing {
    wr_sparsing_options options;
    const char *subsystem; /* the caller's, as names and nominal values */
    int n;
    const char *const *name; /* [n] "component.state" */
    wr_samples samples;
    wr_sparsing_pattern full, sparsed, mixed; /* mixed: whole rows and columns */
    unsigned char *is_explicit;               /* [n] in mixed */
    int n_round; /* of the search: samples that were not kept at first, and refused, are kept for the next */
    wr_estimates *estimates; /* [n_sample] of sparsed */
    double complex
        *after; /* [n_sample * n] eigenvalues of the sparsed step, paired with the sample's */
} wr_sparsing;

/* full[n * n], column-major: where the Jacobian may have entries. WRSIM_OK, WRSIM_E_LIMIT: too many states, WRSIM_E_ARG: tau
 * is no step, WRSIM_E_MEMORY. */
wrsim_status wr_sparsing_begin(wr_sparsing *s, const char *subsystem, int n,
                               const char *const *name, const double *nominal,
                               const unsigned char *full, wrsim_error *err);
/* As wr_samples_add(). */
wrsim_status wr_sparsing_add(wr_sparsing *s, const wr_linearisation *at, wrsim_error *err);

/* Finds sparsed and mixed, with at most that predicted error (options.error, or less where runs have shown more than was
 * predicted). WRSIM_E_ARG without any sample. */
wrsim_status wr_sparsing_search(wr_sparsing *s, double error, wrsim_error *err);
/* Instead: given[n * n] is sparsed, accepted or not. */
wrsim_status wr_sparsing_check(wr_sparsing *s, const unsigned char *given, wrsim_error *err);

/* Estimates and true changes of all samples, of the last search or check. WRSIM_E_SOLVER where L - tau J is singular with a given pattern. */
wrsim_status wr_sparsing_judge(wr_sparsing *s, wrsim_error *err);

void wr_sparsing_done(wr_sparsing *s);

#endif
