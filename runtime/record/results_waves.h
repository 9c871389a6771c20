/* Signals of a result file as one recording: nodes with values and slopes, joined by cubics.
 *
 * With waves in the file (output.waves), the recording equals the published waveforms up to rounding, with the nodes of all subsystems.
 * Other signals come from communication points and from rows at events, where the signals may jump or have a corner. The slopes of these
 * signals are derivatives of the polynomial through up to five successive points between two events (weights: J.-P. Berrut and L. N.
 * Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46, 2004, eq. (9.4)), so the cubics have order 4 where the signal is
 * smooth.
 *
 * The loader estimates the error of the cubics by omitting points. e2 is the largest error at omitted points with every second point
 * kept, e4 with every fourth point kept. The error decreases by the factor e4 / e2 per halving, at most by 16 = 2^4:
 *
 *     error = e2 / min(max(e4 / e2, 1), 16) / range
 *
 * The estimate lacks changes of the signal between two points that no point shows.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_WAVES_H
#define WR_RESULTS_WAVES_H

#include "base/diag.h"

typedef struct wr_results_waves {
    int n_signal, n_node; /* n_node >= 2 */
    double *t_s;          /* [n_node] non-decreasing; equal neighbours are a jump */
    double *value;        /* [n_node * n_signal] node-major */
    double *slope;        /* [n_node * n_signal] node-major, per second */
    char **unit;          /* [n_signal] units in the file; NULL: not known */
    int n_point_signal;   /* number of signals from communication points */
    /* [n_signal] error of the cubics relative to the range; 0 if the signal comes from waves; NaN: unknown */
    double *error;
} wr_results_waves;

/* Loads signals in the given order, over the time in which the file has values of all signals. Returns NULL with err on failure. Causes
 * are another format, an unknown signal (with the nearest name), too few points, times that decrease, values that are not finite, or no
 * memory. */
wr_results_waves *wr_results_waves_load(const char *file, int n_signal, const char *const *name,
                                        wrsim_error *err);
void wr_results_waves_destroy(wr_results_waves **waves);

#endif
