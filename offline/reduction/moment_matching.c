/* Comparing moments. See moment_matching.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/moment_matching.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto_free.h"
#include "offline/reduction/moments.h"

/* Writes the relative difference of each of n moments to ret[n]. */
static void compare(const double *full, const double *a, int n, int size, double *ret)
{
    for (int j = 0; j < n; j++) {
        double off = 0.0;
        for (int i = 0; i < size; i++) {
            const double difference = fabs(a[j * size + i] - full[j * size + i]);
            off = isnan(off) || difference <= off ? off : difference; /* the first NaN stays */
        }
        ret[j] = off / wr_largest(full + j * size, size);
    }
}

/* Matches moments by projection onto their vectors. Returns the statuses of wr_moment_matching_make(). */
static wrsim_status explicit_matching(const wr_linear_system *system, const wr_reduction *r,
                                      double s0, const double *full, double *room,
                                      wr_moment_matching *ret)
{
    const int q = r->reduced->q, size = r->full.n_column * r->full.n_output;
    WR_AUTO_FREE double *const v = malloc((size_t)q * (size_t)system->n * sizeof *v);
    WR_AUTO_FREE double *const peak = malloc(((size_t)size + 1) * sizeof *peak);
    WR_AUTO(wr_response_done) wr_response response = {0};
    wr_reduced *reduced = NULL;
    wrsim_status status = v && peak ? WRSIM_OK : WRSIM_E_MEMORY;
    WR_THEN(status, wr_moments_vectors(system, s0, q, v, &ret->condition));
    if (status == WRSIM_OK) {
        reduced = wr_reduced_project(system, v, q);
        status = reduced ? WRSIM_OK : WRSIM_E_MEMORY;
    }
    for (int j = 0; j < ret->n; j++)
        ret->explicit_basis[j] = (double)NAN;
    ret->error = (double)NAN;
    if (status == WRSIM_OK && wr_moments_of_reduced(reduced, s0, ret->n, room) == WRSIM_OK)
        compare(full, room, ret->n, size, ret->explicit_basis);
    if (status == WRSIM_OK &&
        wr_response_of_reduced(reduced, r->full.hz, r->full.n, &response) == WRSIM_OK) {
        wr_response_peaks(&r->full, peak);
        ret->error = wr_response_compare(&r->full, &response, peak).error;
    }
    wr_reduced_destroy(&reduced);
    return status;
}

wrsim_status wr_moment_matching_make(const wr_linear_system *system, const wr_reduction *r,
                                     double s0, wr_moment_matching *ret)
{
    const size_t size = (size_t)(r->full.n_column * r->full.n_output);
    int n = r->trial[r->i_chosen].n_moment;
    *ret = (wr_moment_matching){0};
    if (n < 1)
        n = 1;
    WR_AUTO_FREE double *const full = malloc((2 * size * (size_t)n + 1) * sizeof *full);
    ret->size = malloc((size_t)n * sizeof *ret->size);
    ret->arnoldi = malloc((size_t)n * sizeof *ret->arnoldi);
    ret->explicit_basis = malloc((size_t)n * sizeof *ret->explicit_basis);
    if (!full || !ret->size || !ret->arnoldi || !ret->explicit_basis)
        return WRSIM_E_MEMORY;
    wrsim_status status = wr_moments_of_system(system, s0, n, full);
    while (status == WRSIM_E_NAN && n > 1) /* the loop keeps as many finite moments as possible */
        status = wr_moments_of_system(system, s0, --n, full);
    WR_TRY(status);
    double *const room = full + size * (size_t)n;
    ret->n = n;
    for (int j = 0; j < n; j++)
        ret->size[j] = wr_largest(full + (size_t)j * size, (int)size);
    WR_TRY(wr_moments_of_reduced(r->reduced, s0, n, room));
    compare(full, room, n, (int)size, ret->arnoldi);
    return explicit_matching(system, r, s0, full, room, ret);
}

void wr_moment_matching_done(wr_moment_matching *m)
{
    free(m->size);
    free(m->arnoldi);
    free(m->explicit_basis);
    *m = (wr_moment_matching){0};
}
