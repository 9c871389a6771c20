/* Tries orders until an order is sufficient. See reduction.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/reduction.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/reduction/moments.h"

static const double TWO_PI = 6.283185307179586476925;

/* Share of the fastest pole below which real parts are rounding (assumed). */
static const double GROWTH_TOLERANCE = 1e-9;
/* Largest number of unknowns of a full system whose poles a study computes (assumed), because the dense problem takes time n^3. */
enum { MOST_POLES = 800 };

/* ---- The band and its samples ---- */

/* Returns the geometric mean of the ratios of G's and C's diagonals, 1/s; 1 if no row has a ratio. */
static double rate_of_diagonals(const wr_linear_system *s)
{
    double log_sum = 0.0;
    int n = 0;
    for (int j = 0; j < s->n; j++) {
        const double g = fabs(wr_matrix_at(s->G, j, j)), c = fabs(wr_matrix_at(s->C, j, j));
        if (g > 0.0 && c > 0.0) {
            log_sum += log(g / c);
            n++;
        }
    }
    return n ? exp(log_sum / n) : 1.0;
}

/* Returns an estimate of the slowest pole from the moments at 0 (moments.h): |M_3| / |M_4|, 1/s. Returns 0 if M_3 or M_4 is 0 or not
 * computable. */
static double slowest_rate(const wr_linear_system *s)
{
    enum { N = 5 };
    const int size = wr_linear_columns(s) * s->n_output;
    WR_AUTO_FREE double *const moment = malloc((size_t)(N * size + 1) * sizeof *moment);
    double sum[2] = {0.0, 0.0};
    if (moment && wr_moments_of_system(s, 0.0, N, moment) == WRSIM_OK)
        for (int i = 0; i < size; i++)
            for (int k = 0; k < 2; k++)
                sum[k] += fabs(moment[(3 + k) * size + i]);
    return sum[0] > 0.0 && sum[1] > 0.0 ? sum[0] / sum[1] : 0.0;
}

/* Sets the band: the requested band, or two decades on both sides of the positive expansion points. Without such points, the centre is the
 * estimated slowest pole, or rate_of_diagonals() without an estimate. */
static void choose_band(const wr_linear_system *s, const wr_reduction_options *options,
                        wr_reduction *r)
{
    r->low_Hz = options->low_Hz;
    r->high_Hz = options->high_Hz;
    if (r->high_Hz > 0.0)
        return;
    double least = (double)INFINITY, most = 0.0;
    for (int k = 0; k < options->n_s0; k++)
        if (options->s0[k] > 0.0) {
            least = fmin(least, options->s0[k]);
            most = fmax(most, options->s0[k]);
        }
    if (!(most > 0.0))
        least = most = slowest_rate(s);
    if (!(most > 0.0))
        least = most = rate_of_diagonals(s);
    r->low_Hz = 0.01 * least / TWO_PI;
    r->high_Hz = 100.0 * most / TWO_PI;
}

/* Writes n frequencies with equal ratios to ret_hz, or n - 1 frequencies halfway between these frequencies if shift is 0.5. */
static void sample(double low, double high, int n, double shift, double *ret_hz)
{
    for (int k = 0; k < (shift > 0.0 ? n - 1 : n); k++)
        ret_hz[k] = low * pow(high / low, (k + shift) / (n - 1));
}

/* Returns 1 if G + s C is regular. */
static int is_regular_at(const wr_linear_system *system, double s)
{
    WR_AUTO(wr_pencil_destroy) wr_pencil *pencil = NULL;
    return wr_pencil_create(system, &pencil) == WRSIM_OK && wr_pencil_factor(pencil, s) == WRSIM_OK;
}

static wrsim_status find_responses(const wr_linear_system *system,
                                   const wr_reduction_options *options, wr_reduction *r,
                                   wrsim_error *err)
{
    const int n = options->n_sample, has_zero = is_regular_at(system, 0.0);
    double at = 0.0;
    WR_AUTO_FREE double *const hz = calloc(2 * (size_t)n + 1, sizeof *hz);
    if (!hz)
        return wr_error_memory(err);
    double *const between = hz + n + 1;
    sample(r->low_Hz, r->high_Hz, n, 0.0, hz + has_zero);
    sample(r->low_Hz, r->high_Hz, n, 0.5, between);
    wrsim_status status = wr_response_of_system(system, hz, n + has_zero, &r->full, &at);
    WR_THEN(status, wr_response_of_system(system, between, n - 1, &r->full_between, &at));
    if (status == WRSIM_E_SOLVER)
        return wr_error_set(err, status,
                            "the full system has a pole at %.6g Hz, or its equations do not "
                            "determine the response; choose another band",
                            at);
    if (status == WRSIM_E_MEMORY)
        return wr_error_memory(err);
    return status < 0
               ? wr_error_set(
                     err, status,
                     "the full system's response at %.6g Hz is not finite; choose another band", at)
               : WRSIM_OK;
}

/* ---- The basis ---- */

/* Explains a singular G + s0 C and proposes a remedy. Returns the status. */
static wrsim_status refuse_point(const wr_linear_system *system,
                                 const wr_reduction_options *options, double s0, wrsim_error *err)
{
    const double s = options->high_Hz > 0.0 ? TWO_PI * sqrt(options->low_Hz * options->high_Hz)
                                            : 1e-2 * rate_of_diagonals(system);
    const double proposed = pow(10.0, floor(log10(s)));
    if (!is_regular_at(system, proposed) && !is_regular_at(system, 1.7 * proposed))
        return wr_error_set(
            err, WRSIM_E_ARG,
            "G + s C is singular for every s, so the equations do not determine the unknowns. Look "
            "for an empty row or column, or a repeated equation");
    if (s0 > 0.0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "G + s0 C is singular at the expansion point s0 = %g 1/s, which is a "
                            "pole; choose another point, such as --expand %g",
                            s0, proposed);
    return wr_error_set(
        err, WRSIM_E_ARG,
        "the linear system has no response at 0 Hz (G is singular). Choose an expansion "
        "point near the important frequencies, in 1/s, such as --expand %g",
        proposed);
}

static wrsim_status find_basis(const wr_linear_system *system, const wr_reduction_options *options,
                               wr_reduction *r, wrsim_error *err)
{
    int i_point = 0;
    const wrsim_status status =
        wr_basis_create(system, options->s0, options->n_s0,
                        options->order ? options->order : options->max_order, &r->basis, &i_point);
    if (status == WRSIM_E_SOLVER)
        return refuse_point(system, options, options->s0[i_point], err);
    if (status == WRSIM_E_NAN)
        return wr_error_set(err, status,
                            "a matrix of the system has a value that is not finite; correct the "
                            "model or the matrix");
    if (status < 0)
        return wr_error_memory(err);
    if (r->basis->n_vector == 0)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "no input has an effect, because B is zero; correct the model or the matrix");
    return WRSIM_OK;
}

/* ---- Trying orders ---- */

/* Tries an order. The results replace the results of the last order in r. */
static wrsim_status try_order(const double *peak, wr_reduction *r, const wr_reduced *largest,
                              int order)
{
    wr_reduction_trial *const trial = &r->trial[r->n_trial];
    wr_reduced_destroy(&r->reduced);
    wr_state_space_destroy(&r->space);
    wr_response_done(&r->response);
    *trial = (wr_reduction_trial){.order = order};
    while (trial->n_moment < r->basis->n_block && r->basis->end_of_block[trial->n_moment] <= order)
        trial->n_moment++;
    r->reduced = wr_reduced_leading(largest, order);
    if (!r->reduced)
        return WRSIM_E_MEMORY;
    wrsim_status status = wr_response_of_reduced(r->reduced, r->full.hz, r->full.n, &r->response);
    WR_THEN(status, wr_state_space_create(r->reduced, r->basis->v, r->basis->n, &r->space));
    if (status == WRSIM_E_MEMORY)
        return status;
    /* A reduced system that is singular, of an index above 1, or without eigenvalues is useless. */
    trial->error.error = status < 0 ? (double)INFINITY : 0.0;
    trial->growth = status < 0 ? (double)INFINITY : wr_state_space_growth(r->space);
    if (status == WRSIM_OK)
        trial->error = wr_response_compare(&r->full, &r->response, peak);
    r->n_trial++;
    return WRSIM_OK;
}

static int is_growth_rounding(const wr_state_space *space, double growth)
{
    double fastest = 0.0;
    for (int i = 0; space && i < space->n; i++)
        fastest = fmax(fastest, cabs(space->pole[i]));
    return growth <= GROWTH_TOLERANCE * fastest || fastest <= 0.0;
}

/* Returns the largest real part of a pole of the full system, 0 if it is positive only by rounding, or NaN if unknown. The full system
 * counts as a reduced system with the identity as basis. */
static double find_full_growth(const wr_linear_system *system)
{
    const size_t n = (size_t)system->n;
    if (n > MOST_POLES)
        return (double)NAN;
    double growth = (double)NAN;
    WR_AUTO_FREE double *const identity = calloc(n * n + 1, sizeof *identity);
    for (size_t i = 0; identity && i < n; i++)
        identity[i * n + i] = 1.0;
    WR_AUTO(wr_reduced_destroy)
    wr_reduced *whole = identity ? wr_reduced_project(system, identity, system->n) : NULL;
    WR_AUTO(wr_state_space_destroy) wr_state_space *space = NULL;
    if (whole && wr_state_space_create(whole, identity, system->n, &space) == WRSIM_OK) {
        growth = wr_state_space_growth(space);
        if (growth > 0.0 && is_growth_rounding(space, growth))
            growth = 0.0;
    }
    return growth;
}

/* Refuses an unstable order of a stable system, and checks the response between the samples and passivity. */
static wrsim_status check_chosen(const wr_linear_system *system, const double *peak,
                                 wr_reduction *r, wrsim_error *err)
{
    const wr_reduction_trial *const chosen = &r->trial[r->i_chosen];
    r->is_stable = is_growth_rounding(r->space, r->trial[r->n_trial - 1].growth);
    r->full_growth = r->is_stable ? (double)NAN : find_full_growth(system);
    if (!r->is_stable && r->full_growth <= 0.0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "order %d is unstable (pole at %.3g 1/s), but the full system is "
                            "stable; choose another order or expansion point, or remove --order",
                            chosen->order, chosen->growth);
    WR_AUTO(wr_response_done) wr_response reduced = {0};
    wrsim_status status =
        wr_response_of_reduced(r->reduced, r->full_between.hz, r->full_between.n, &reduced);
    if (status == WRSIM_OK)
        r->between = wr_response_compare(&r->full_between, &reduced, peak);
    WR_THEN(status, wr_passivity_of_system(system, &r->passivity_full));
    WR_THEN(status, wr_passivity_of_reduced(r->reduced, &r->passivity_reduced));
    return status < 0 ? wr_error_set(err, status,
                                     "the reduced system cannot be checked: %s; choose another "
                                     "order or expansion point",
                                     wrsim_status_text(status))
                      : WRSIM_OK;
}

static wrsim_status refuse_all(const wr_reduction *r, const wr_reduction_options *options,
                               wrsim_error *err)
{
    const wr_reduction_trial *best = &r->trial[0];
    for (int k = 0; k < r->n_trial; k++)
        if (r->trial[k].error.error < best->error.error)
            best = &r->trial[k];
    if (best->error.error <= options->error)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "all sufficient orders are unstable, such as %d (error %.2g, pole at %.3g 1/s). Choose "
            "another expansion point, or set --order %d if the full system grows",
            best->order, best->error.error, best->growth, best->order);
    return wr_error_set(
        err, WRSIM_E_ARG,
        "no order up to %d is sufficient: order %d has an error of %.2g at %.4g Hz, above %.2g. "
        "Raise --max-order or --error, or change --band or --expand",
        r->trial[r->n_trial - 1].order, best->order, best->error.error, best->error.hz,
        options->error);
}

/* Tries the orders at which blocks end, and the last order, until an order is sufficient. If options->order is not 0, tries only the last
 * order. */
static wrsim_status find_order(const wr_reduction_options *options, const double *peak,
                               const wr_reduced *largest, wr_reduction *r, wrsim_error *err)
{
    const wr_basis *const basis = r->basis;
    for (int order = 1, i_block = 0; order <= basis->n_vector; order++) {
        while (i_block < basis->n_block && basis->end_of_block[i_block] < order)
            i_block++;
        const int ends_block = i_block < basis->n_block && basis->end_of_block[i_block] == order;
        if (order < basis->n_vector && (options->order || !ends_block))
            continue;
        if (try_order(peak, r, largest, order) < 0)
            return wr_error_memory(err);
        r->i_chosen = r->n_trial - 1;
        if (!options->order && r->trial[r->i_chosen].error.error <= options->error &&
            is_growth_rounding(r->space, r->trial[r->i_chosen].growth))
            return WRSIM_OK;
    }
    if (options->order && r->space)
        return WRSIM_OK;
    if (options->order)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "order %d makes algebraic equations that cannot be solved; choose another order or "
            "expansion point",
            options->order);
    return refuse_all(r, options, err);
}

static wrsim_status reduce(const wr_linear_system *system, const wr_reduction_options *options,
                           wr_reduction *r, wrsim_error *err)
{
    WR_TRY(find_basis(system, options, r, err));
    WR_TRY(find_responses(system, options, r, err));
    WR_AUTO(wr_reduced_destroy)
    wr_reduced *largest = wr_reduced_project(system, r->basis->v, r->basis->n_vector);
    WR_AUTO_FREE double *const peak =
        malloc((size_t)(wr_linear_columns(system) * system->n_output + 1) * sizeof *peak);
    r->trial = calloc((size_t)r->basis->n_vector + 1, sizeof *r->trial);
    if (!largest || !peak || !r->trial)
        return wr_error_memory(err);
    wr_response_peaks(&r->full, peak);
    WR_TRY(find_order(options, peak, largest, r, err));
    return check_chosen(system, peak, r, err);
}

wrsim_status wr_reduction_create(const wr_linear_system *system,
                                 const wr_reduction_options *options, wr_reduction **ret_reduction,
                                 wrsim_error *err)
{
    wr_reduction *r = calloc(1, sizeof *r);
    if (!r)
        return wr_error_memory(err);
    choose_band(system, options, r);
    const wrsim_status status = reduce(system, options, r, err);
    if (status < 0)
        wr_reduction_destroy(&r);
    else
        *ret_reduction = r;
    return status;
}

void wr_reduction_destroy(wr_reduction **reduction)
{
    if (!reduction || !*reduction)
        return;
    wr_reduction *const r = *reduction;
    free(r->trial);
    wr_basis_destroy(&r->basis);
    wr_reduced_destroy(&r->reduced);
    wr_state_space_destroy(&r->space);
    wr_response_done(&r->full);
    wr_response_done(&r->full_between);
    wr_response_done(&r->response);
    free(r);
    *reduction = NULL;
}
