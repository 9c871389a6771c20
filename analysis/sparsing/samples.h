/* Linearisations under study: each with its exact eigenvalues; those that were kept for the criterion with their spectral
 * resolution too.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SAMPLES_H
#define WR_SAMPLES_H

#include "analysis/sparsing/lag.h"
#include "analysis/sparsing/resolution.h"
#include "analysis/sparsing/verdict.h"
#include "base/check.h"

typedef struct wr_sample {
    const wr_step_pencil *pencil;
    const double complex *value;     /* [n] of the unsparsed step */
    const wr_resolution *resolution; /* NULL: only checked */
    const double *x,
        *f; /* [n] where and how it moves there, in the model's units; NULL: not known */
} wr_sample;

/* A linearisation to be added; what it points at is copied. Matrices are column-major, [n * n]. */
typedef struct wr_linearisation {
    double t_s;
    const double *l; /* NULL: the identity */
    const double *df;
    const double *x; /* [n] or NULL */
} wr_linearisation;

/* Who hears what a study is doing, in words, now and then. tell NULL: nobody. */
typedef struct wr_listener {
    void (*tell)(void *user, const char *text);
    void *user;
} wr_listener;

void wr_listener_tell(const wr_listener *listener, const char *format, ...) WR_PRINTF(2, 3);

typedef struct wr_samples {
    wr_arena *arena; /* of all that is placed */
    int n;           /* states */
    double tau_s;
    double gap; /* of clusters */
    wr_shares shares;
    double error;          /* how far states may be off, in parts of their range over all samples */
    const wr_lag *lag;     /* what acts late along the samples; NULL: not known */
    const double *nominal; /* [n] of states; NULL: as they are */
    int n_sample, cap;
    wr_sample *sample;
    int suspect; /* the sample that last refused a pattern is asked first */
    int n_check; /* eigenvalue problems solved by checks */
    wr_listener listener;
} wr_samples;

/* Adds one. It is kept for the criterion if that says that it differs
 * from every one kept before: if the sum of some cluster's eigenvalues would move by more than they may
 * (dJ = Df_old - Df_new; Schiela and Bornemann (2003), section 3.5). WRSIM_OK, or as wr_step_pencil_place() and wr_resolution_place(). */
wrsim_status wr_samples_add(wr_samples *samples, const wr_linearisation *at, wrsim_error *err);
/* All are there: prepares what acts late, where x is known of all samples and these follow one another in time. WRSIM_OK,
 * WRSIM_E_MEMORY. */
wrsim_status wr_samples_close(wr_samples *samples, wrsim_error *err);
void wr_samples_done(wr_samples *samples);

/* Gives sample i its resolution, if it has none. */
wrsim_status wr_samples_keep(wr_samples *samples, int i, wrsim_error *err);
int wr_samples_n_kept(const wr_samples *samples);

/* What dropping the listed entries (column * n + row) at once does to first order, in parts of what may be: how far the sum
 * of a cluster's eigenvalues moves, of all clusters of all kept samples, and the error of a state, of all samples; the largest. */
double wr_samples_score(const wr_samples *samples, const int *entry, int n_entry);

/* The error that a pattern makes by what acts late, the largest of all states and samples, in parts of ranges; 0 where
 * that is not known. *ret_sample and *ret_state (may be NULL): where. Returns -1 when out of memory. */
double wr_samples_error(const wr_samples *samples, const unsigned char *keep, int *ret_sample,
                        int *ret_state);

/* Is the pattern keep[n * n] accepted by every sample, or every kept one: its spectrum by wr_verdict(), its error? 1, 0, or
 * -1 when out of memory. The number of one that refuses the spectrum goes into samples->suspect. */
int wr_samples_accept(wr_samples *samples, const unsigned char *keep, int only_kept);

#endif
