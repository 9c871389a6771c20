/* Frequency responses of linear systems and of reduced ones, and how far they are apart.
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_RESPONSE_H
#define WR_RESPONSE_H

#include "analysis/reduction/pencil.h"
#include "analysis/reduction/reduced.h"

/* H(2 pi i f) at n frequencies: value[i_frequency][column][output]. */
typedef struct wr_response {
    int n, n_column, n_output;
    double *hz;
    double complex *value;
} wr_response;

/* The largest difference of two responses, where each input and output's is in parts of the full one's largest
 * magnitude at all these frequencies (at least 1e-12 of the largest of all). */
typedef struct wr_response_error {
    double error;
    double hz; /* where */
    int i_column, i_output;
} wr_response_error;

/* hz[n] is copied. *ret is to be freed by wr_response_done(), also after a failure: those of wr_pencil_transfer(). *ret_hz:
 * where it failed. */
wrsim_status wr_response_of_system(const wr_linear_system *system, const double *hz, int n,
                                   wr_response *ret, double *ret_hz);
wrsim_status wr_response_of_reduced(const wr_reduced *reduced, const double *hz, int n,
                                    wr_response *ret);
void wr_response_done(wr_response *response);

/* peak[n_column * n_output] of the full system, from wr_response_peaks(). Both have the same frequencies. */
void wr_response_peaks(const wr_response *full, double *ret_peak);
wr_response_error wr_response_compare(const wr_response *full, const wr_response *other,
                                      const double *peak);

#endif
