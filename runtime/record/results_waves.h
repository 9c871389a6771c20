/* Signals of a result file as one recording: nodes with values and slopes, cubics between them.
 *
 * Where the file has waves (output.waves) it is what was published, to rounding: signals of several subsystems stand
 * on the nodes of all. Signals that it has no waves of are taken from the communication points, and from the rows at
 * events where there are any: there they may jump or turn. Slopes are then those of the polynomial through up to five
 * neighbours between two events (weights of differentiation: Berrut and Trefethen, "Barycentric Lagrange
 * interpolation", SIAM Review 46 (2004), eq. (9.4)), so that the cubics have order 4 where the signal is smooth.
 *
 * What these cubics miss is estimated by leaving points out: e2 is the largest error at left-out points with every
 * second one kept, e4 that with every fourth. Errors fall by e4 / e2 per halving, or by 16 = 2^4 at most:
 *
 *     error = e2 / min(max(e4 / e2, 1), 16) / range
 *
 * It knows nothing of what happens between two points and shows at none.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RESULTS_WAVES_H
#define WR_RESULTS_WAVES_H

#include "base/diag.h"

typedef struct wr_results_waves {
    int n_signal, n_node; /* n_node >= 2 */
    double *t_s;          /* [n_node] non-decreasing; equal neighbours are a jump */
    double *value;        /* [n_node * n_signal] node-major, as slope, per second */
    double *slope;
    int n_point_signal; /* signals that were taken from points */
    double *
        error; /* [n_signal] what their cubics miss, of their range; 0: from waves; NaN: not known */
} wr_results_waves;

/* Loads those signals, in that order, over the time for which all are known. NULL with err: not a result file, no such
 * signal (names the nearest one), too few points, values that are not finite. */
wr_results_waves *wr_results_waves_load(const char *file, int n_signal, const char *const *name,
                                        wrsim_error *err);
void wr_results_waves_destroy(wr_results_waves **waves);

#endif
