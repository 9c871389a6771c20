/* Frequency responses of linear and reduced systems, and their difference. Thread: one at a time. Real-time: no. */
#ifndef WR_RESPONSE_H
#define WR_RESPONSE_H

#include "offline/reduction/pencil.h"
#include "offline/reduction/reduced.h"

/* H(2 pi i f) at n frequencies: value[i_frequency][column][output]. */
typedef struct wr_response {
    int n, n_column, n_output;
    double *hz;
    double complex *value;
} wr_response;

/* The largest difference of two responses. The difference of each input and output is relative to the largest magnitude of the full
 * response at all frequencies. This magnitude is at least 1e-12 of the largest magnitude of all inputs and outputs. */
typedef struct wr_response_error {
    double error;
    double hz; /* frequency of the largest difference */
    int i_column, i_output;
} wr_response_error;

/* Compute responses at hz[n]. Return the statuses of wr_pencil_transfer(). *ret_hz is the frequency of a failure. The caller frees *ret by
 * wr_response_done(), also after a failure. */
wrsim_status wr_response_of_system(const wr_linear_system *system, const double *hz, int n,
                                   wr_response *ret, double *ret_hz);
wrsim_status wr_response_of_reduced(const wr_reduced *reduced, const double *hz, int n,
                                    wr_response *ret);
void wr_response_done(wr_response *response);

/* wr_response_peaks() writes the largest magnitudes, [n_column * n_output], each at least 1e-12 of the largest. wr_response_compare()
 * returns the largest difference of two responses at equal frequencies. */
void wr_response_peaks(const wr_response *full, double *ret_peak);
wr_response_error wr_response_compare(const wr_response *full, const wr_response *other,
                                      const double *peak);

#endif
