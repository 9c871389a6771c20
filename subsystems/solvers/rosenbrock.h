/* Functions of Rosenbrock methods: a sum that the methods share, and a reset of rosenbrock_w. Thread: any. Real-time: yes. */
#ifndef WR_ROSENBROCK_H
#define WR_ROSENBROCK_H

#include "subsystems/solvers/integrator.h"

/* Drops the kept Jacobian of rosenbrock_w. */
void wr_rosenbrock_w_forget(wr_integrator *integrator);

/* Adds scale times the sum of weight_j u_j over n_term stages to ret[n]. */
static inline void wr_rosenbrock_add(int n, double *ret, double scale, int n_term,
                                     const double *weight, double *const *u)
{
    for (int j = 0; j < n_term; j++) {
        const double c = scale * weight[j];
        for (int i = 0; i < n; i++)
            ret[i] += c * u[j][i];
    }
}

#endif
