/* Responses at frequencies. See response.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/complex_values.h"

static const double TWO_PI = 6.283185307179586476925;
/* Least peak, relative to the largest peak (assumed). Smaller values are rounding. */
static const double SMALLEST_PEAK = 1e-12;

static int size_of(const wr_response *r) { return r->n_column * r->n_output; }

static wrsim_status response_init(wr_response *r, int n_column, int n_output, const double *hz,
                                  int n)
{
    *r = (wr_response){.n = n, .n_column = n_column, .n_output = n_output};
    r->hz = malloc(((size_t)n + 1) * sizeof *r->hz);
    r->value = calloc((size_t)n * (size_t)size_of(r) + 1, sizeof *r->value);
    if (!r->hz || !r->value)
        return WRSIM_E_MEMORY;
    memcpy(r->hz, hz, (size_t)n * sizeof *hz);
    return WRSIM_OK;
}

void wr_response_done(wr_response *r)
{
    free(r->hz);
    free(r->value);
    *r = (wr_response){0};
}

wrsim_status wr_response_of_system(const wr_linear_system *system, const double *hz, int n,
                                   wr_response *ret, double *ret_hz)
{
    WR_AUTO(wr_pencil_destroy) wr_pencil *pencil = NULL;
    wrsim_status status = response_init(ret, wr_linear_columns(system), system->n_output, hz, n);
    WR_THEN(status, wr_pencil_create(system, &pencil));
    for (int k = 0; k < n && status == WRSIM_OK; k++) {
        status =
            wr_pencil_transfer(pencil, CMPLX(0.0, TWO_PI * hz[k]), ret->value + k * size_of(ret));
        *ret_hz = hz[k];
    }
    return status;
}

wrsim_status wr_response_of_reduced(const wr_reduced *reduced, const double *hz, int n,
                                    wr_response *ret)
{
    wrsim_status status = response_init(ret, reduced->n_column, reduced->n_output, hz, n);
    for (int k = 0; k < n && status == WRSIM_OK; k++)
        status =
            wr_reduced_transfer(reduced, CMPLX(0.0, TWO_PI * hz[k]), ret->value + k * size_of(ret));
    return status;
}

void wr_response_peaks(const wr_response *full, double *ret_peak)
{
    const int size = size_of(full);
    double most = 0.0;
    for (int i = 0; i < size; i++) {
        ret_peak[i] = 0.0;
        for (int k = 0; k < full->n; k++)
            ret_peak[i] = fmax(ret_peak[i], cabs(full->value[k * size + i]));
        most = fmax(most, ret_peak[i]);
    }
    for (int i = 0; i < size; i++)
        ret_peak[i] = fmax(ret_peak[i], SMALLEST_PEAK * most);
}

wr_response_error wr_response_compare(const wr_response *full, const wr_response *other,
                                      const double *peak)
{
    const int size = size_of(full);
    wr_response_error worst = {0};
    for (int k = 0; k < full->n; k++)
        for (int i = 0; i < size; i++) {
            const double difference = cabs(other->value[k * size + i] - full->value[k * size + i]);
            const double error = difference > 0.0 ? difference / peak[i] : difference;
            if (!isnan(worst.error) && !(error <= worst.error)) /* the first NaN stays */
                worst =
                    (wr_response_error){error, full->hz[k], i / full->n_output, i % full->n_output};
        }
    return worst;
}
