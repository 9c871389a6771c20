/* Linearised subsystems that exchange once in a period and do not wait: the map of a small change over a period.
 *
 * Each subsystem integrates x' = A x + B u over the period P. A subsystem with a fixed step uses its own method, any other subsystem a
 * tight tolerance. A subsystem reads outputs published at the beginning of the period: held values, or linear extrapolations (runtime/slack
 * with bound 0). With s = (x, y, y') at the end of a period, published outputs y, and inputs u = L y by the connections,
 *
 *     x+ = Phi x + Gamma_0 L y + Gamma_1 L y'    y+ = C x+ + D (L y + P L y')    y'+ = C x'+ + D L y'
 *
 * where the integrator itself computes Phi, Gamma and x'+ from unit vectors. The exchange is stable if no eigenvalue of the map is outside
 * the unit circle (U. Miekkala, O. Nevanlinna, "Convergence of dynamic iteration methods for initial value problems", 1987, for windows of
 * waveform relaxation; a period is the first sweep of a window).
 *
 * A fixed-step method begins anew with a period if the inputs then jump by more than their tolerance (subsystems/ode/ode_advance.c).
 * Otherwise the steps continue, and the map differs: the past of a multistep method is part of s. If steps do not divide the period, the
 * grid of steps shifts from period to period until the grid meets a period's beginning again. The map then covers these n periods, at most
 * WR_PERIOD_CYCLE, and the radius per period is the n-th root of the map's radius.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_PERIOD_MAP_H
#define WR_PERIOD_MAP_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_period_part {
    int n_x, n_u, n_y;
    const double *a, *b, *c, *d; /* column by column */
    const int *source_part;      /* [n_u] subsystem that drives each input; -1: none */
    const int *source_output;    /* [n_u] output of the subsystem that drives each input */
    const wr_integrator_ops *integrator;
    wr_integ_options options;
    const unsigned char *kept; /* [n_x * n_x] 1: entry of A that the method uses; NULL: all */
} wr_period_part;

typedef enum wr_period_order { WR_PERIOD_HOLD, WR_PERIOD_LINEAR } wr_period_order;
typedef enum wr_period_start { WR_PERIOD_GO_ON, WR_PERIOD_ANEW } wr_period_start;

enum { WR_PERIOD_CYCLE = 16 }; /* largest number of periods of a map (assumed) */

/* Returns 1 if WR_PERIOD_GO_ON and WR_PERIOD_ANEW have different maps. */
int wr_period_map_minds_start(const wr_period_part *part, int n_part, double period_s);

/* Computes the spectral radius of the map, per period. Returns WRSIM_OK, WRSIM_E_MEMORY, or an error of an integrator or LAPACK. */
wrsim_status wr_period_map_radius(const wr_period_part *part, int n_part, double period_s,
                                  wr_period_order order, wr_period_start start, double *ret_radius);

#endif
