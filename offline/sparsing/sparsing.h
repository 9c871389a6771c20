/* Sparsing of a subsystem's Jacobian for the linearly implicit Euler method with a fixed step. A study collects linearisations, finds a
 * pattern that all linearisations accept or checks a given pattern, and assesses the pattern.
 *
 *     wr_sparsing s = {.options = WR_SPARSING_DEFAULTS};
 *     status = wr_sparsing_begin(&s, "robot", n, names, nominal, full, &err);
 *     for (...) status = wr_samples_add(&s.samples, &linearisation, &err);
 *     status = wr_sparsing_search(&s, 0.02, &err);           or wr_sparsing_check(&s, given, &err)
 *     status = wr_sparsing_judge(&s, &err);
 *     ... read the results in s ...
 *     wr_sparsing_done(&s);
 *
 * Sources: Schiela and Bornemann, "Sparsing in real time simulation", ZAMM 83, 2003, pages 637-647; the
 * sum-of-squares paper (docs/METHODS.md, Sources).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SPARSING_H
#define WR_SPARSING_H

#include "offline/sparsing/dropping.h"
#include "offline/sparsing/estimates.h"

/* largest number of states (assumed), because the study uses dense matrices */
enum { WR_SPARSING_MOST = 400 };

typedef struct wr_sparsing_options {
    double tau_s;         /* step, s */
    double gap;           /* gap of clusters (wr_cluster_is_close()) */
    wr_shares shares;     /* largest permitted changes of eigenvalues */
    double error;         /* permitted error of a state, relative to its range */
    double slow;          /* limit below which modes are slow (estimates.h) */
    wr_listener listener; /* receives progress messages */
} wr_sparsing_options;

/* Default options (assumed). Stiff modes, which are faster than a step, may move by 0.8 of their distance from the unit circle. Other modes
 * may move by 0.2 of this distance, which determines their decay. Eigenvalues within 0.1 of their distance from 1 are in one cluster. A
 * state may be wrong by 0.02 of its range. Modes with tau |mu| below 0.1 are slow. The caller sets the step tau_s. */
#define WR_SPARSING_DEFAULTS                                                                       \
    {                                                                                              \
        .gap = 0.1, .shares = {.stiff_radius = 0.5, .stiff = 0.8, .other = 0.2}, .error = 0.02,    \
        .slow = 0.1                                                                                \
    }

/* A pattern of the Jacobian with its cost and its effect. */
typedef struct wr_sparsing_pattern {
    unsigned char *keep; /* [n * n] column-major; 1: entry of J */
    int n_kept;          /* number of entries of J */
    wr_fill fill;        /* cost of solving with L - tau J */
    int n_colour;        /* evaluations of f for computing J by differences */
    wr_dropping how;     /* surprises of the search */
    int is_accepted;     /* 1: all samples accept the pattern */
    double error;     /* largest predicted error, relative to the state's range; 0: not available */
    int error_state;  /* state with the largest predicted error */
    int error_sample; /* sample with the largest predicted error */
} wr_sparsing_pattern;

typedef struct wr_sparsing {
    wr_sparsing_options options; /* options of the study */
    /* name of the subsystem; the caller owns this text, the names of the states, and the nominal values */
    const char *subsystem;
    int n;                       /* number of states */
    const char *const *name;     /* [n] names of the states, "component.state" */
    wr_samples samples;          /* the collected linearisations */
    wr_sparsing_pattern full;    /* all entries of the Jacobian */
    wr_sparsing_pattern sparsed; /* the pattern that the search found or the caller gave */
    /* pattern for mixed mode, in which whole rows and columns are absent */
    wr_sparsing_pattern mixed;
    unsigned char *is_explicit; /* [n] 1: mixed mode integrates the state explicitly */
    int n_round;                /* number of rounds of the search for `sparsed`; 0: no search */
    wr_estimates *estimates;    /* [n_sample] estimates for sparsed */
    /* [n_sample * n] eigenvalues of the sparsed step, in the order of the sample's values */
    double complex *after;
} wr_sparsing;

/* Starts a study. full[n * n], column-major, marks the possible entries of the Jacobian. Returns WRSIM_OK, WRSIM_E_LIMIT for too many
 * states, WRSIM_E_ARG without states or if tau_s is not a positive number, or WRSIM_E_MEMORY. */
wrsim_status wr_sparsing_begin(wr_sparsing *s, const char *subsystem, int n,
                               const char *const *name, const double *nominal,
                               const unsigned char *full, wrsim_error *err);
/* Finds the patterns sparsed and mixed with at most the given predicted error. error is options.error, or less if runs have shown larger
 * errors than predicted. Returns WRSIM_OK, WRSIM_E_ARG without samples, or another negative status. */
wrsim_status wr_sparsing_search(wr_sparsing *s, double error, wrsim_error *err);
/* Checks the pattern given[n * n] instead of searching. The pattern becomes s->sparsed even if the samples refuse the pattern. */
wrsim_status wr_sparsing_check(wr_sparsing *s, const unsigned char *given, wrsim_error *err);

/* Computes the estimates and the exact changes at all samples for the pattern of the last search or check. Returns WRSIM_OK,
 * WRSIM_E_MEMORY, or WRSIM_E_SOLVER if L - tau J is singular, which is possible with a given pattern. */
wrsim_status wr_sparsing_judge(wr_sparsing *s, wrsim_error *err);

void wr_sparsing_done(wr_sparsing *s);

#endif
