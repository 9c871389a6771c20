/* Subsystems that exchange once in a period and do not wait, linearised: what a period makes of a small change of the whole.
 *
 * Each integrates x' = A x + B u over the period P with its own method, and reads what the others had published at its beginning:
 * their values held, or carried on by their slopes (runtime/slack, bound 0: nobody is late). With s = (x, y, y') at the end of a
 * period, y what is published and u = L y,
 *
 *     x+ = Phi x + Gamma_0 L y + Gamma_1 L y'    y+ = C x+ + D (L y + P L y')    y'+ = C x'+ + D L y'
 *
 * where Phi, Gamma and x'+ are what the integrator itself makes of unit vectors. The exchange is stable if no eigenvalue
 * of that map lies outside of the unit circle (Miekkala, Nevanlinna 1987 for windows of waveform relaxation; a period is
 * its first sweep).
 *
 * A fixed step begins anew with a period if the inputs jump there by more than their tolerance (ode_advance.c); else it goes on,
 * which is another map: a multistep method's past is part of s, and where steps do not divide the period their grid shifts from
 * one to the next, until it meets a period's beginning again. Over so many periods the map goes then, at most
 * WR_PERIOD_CYCLE, and its radius is the root of theirs.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_PERIOD_MAP_H
#define WR_PERIOD_MAP_H

#include "subsystems/integrators/integrator.h"

typedef struct wr_period_part {
    int n_x, n_u, n_y;
    const double *a, *b, *c, *d; /* column by column */
    const int *source_part;      /* [n_u] which part drives each input, -1: nobody */
    const int *source_output;    /* [n_u] and which of its outputs */
    const wr_integrator_ops *integrator;
    wr_integ_options options;
    const unsigned char *kept; /* [n_x * n_x] of A, what the method uses; NULL: all */
} wr_period_part;

typedef enum wr_period_order { WR_PERIOD_HOLD, WR_PERIOD_LINEAR } wr_period_order;
typedef enum wr_period_start { WR_PERIOD_GO_ON, WR_PERIOD_ANEW } wr_period_start;

enum { WR_PERIOD_CYCLE = 16 }; /* periods of a map at most */

/* Is there a difference between the two? */
int wr_period_map_minds_start(const wr_period_part *part, int n_part, double period_s);

/* The spectral radius of the map, per period. WRSIM_OK, WRSIM_E_MEMORY, or what an integrator or LAPACK report. */
wrsim_status wr_period_map_radius(const wr_period_part *part, int n_part, double period_s,
                                  wr_period_order order, wr_period_start start, double *ret_radius);

#endif
