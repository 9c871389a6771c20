/* Moments of a transfer function, H(s0 + d) = sum M_j d^j, and their vectors:
 *
 *     m_0 = R = (G + s0 C)^{-1} B,   m_j = -(G + s0 C)^{-1} C m_{j-1},   M_0 = L^T m_0 + D,   M_j = L^T m_j
 *
 * (docs/METHODS.md, Reduction.) Projection onto the m_j themselves is explicit moment matching. The m_j soon become parallel to the mode
 * nearest to s0, and their differences become rounding errors. Studies compare this basis with Arnoldi's basis of the same space
 * (arnoldi.h).
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_MOMENTS_H
#define WR_MOMENTS_H

#include "offline/reduction/pencil.h"
#include "offline/reduction/reduced.h"

/* Writes the first n moments at s0 to ret[n][n_column][n_output]. Returns the statuses of wr_pencil_factor(), or WRSIM_E_NAN if a moment
 * overflows. */
wrsim_status wr_moments_of_system(const wr_linear_system *system, double s0, int n, double *ret);
/* Writes moments as wr_moments_of_system() for a reduced system. Returns WRSIM_OK, even if a moment overflows, WRSIM_E_SOLVER if G_q + s0
 * C_q is singular, or WRSIM_E_MEMORY. */
wrsim_status wr_moments_of_reduced(const wr_reduced *reduced, double s0, int n, double *ret);

/* Writes m_0, m_1, ..., the columns of a block side by side, each scaled to length 1, to ret_v[n_vector][n]. *ret_condition receives the
 * ratio of the largest to the smallest singular value of these vectors (1 for an orthonormal basis). */
wrsim_status wr_moments_vectors(const wr_linear_system *system, double s0, int n_vector,
                                double *ret_v, double *ret_condition);

#endif
