/* Tests whether a linear system and its projection are passive: G + G^T >= 0 and C = C^T >= 0, and equal vectors B and L of inputs and
 * outputs (A. Odabasioglu, M. Celik, L. Pileggi, "PRIMA", 1998, section III).
 *
 * Thread: any. Real-time: no. */
#ifndef WR_PASSIVITY_H
#define WR_PASSIVITY_H

#include "offline/reduction/reduced.h"

/* Results, each 0 or 1. */
typedef struct wr_passivity {
    int is_C_symmetric, is_C_semidefinite, is_G_semidefinite;
    int has_ports; /* B = L, and no rate r */
} wr_passivity;

/* Test with a tolerance of 1e-12. For symmetry and B = L the tolerance is relative to the largest entry. For definiteness the tolerance
 * is relative to the largest diagonal entry (full system) or eigenvalue (reduced system). Return WRSIM_OK or WRSIM_E_MEMORY, and for a
 * reduced system also WRSIM_E_NAN or WRSIM_E_SOLVER. */
wrsim_status wr_passivity_of_system(const wr_linear_system *system, wr_passivity *ret);
wrsim_status wr_passivity_of_reduced(const wr_reduced *reduced, wr_passivity *ret);

/* Returns 1 if the system is stable because the three matrix properties hold. */
static inline int wr_passivity_is_stable(const wr_passivity *p)
{
    return p->is_C_symmetric && p->is_C_semidefinite && p->is_G_semidefinite;
}

#endif
