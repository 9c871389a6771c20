/* Central differences at a view's point. See differences.h.
 *
 * Thread: the view's owner. Real-time: no.
 */
#include "offline/structure/differences.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag.h"

/* cbrt(DBL_EPSILON), which balances truncation and rounding errors. */
static const double increment_scale = 6.0554544523933429e-06;
/* factor of the second increment, if a model refuses both sides of the first; a choice of this program */
static const double retry_scale = 1e-3;

int wr_values_init(wr_values *values, const wr_view *view)
{
    const size_t n_x = (size_t)view->n[WRSIM_STATE], n_y = (size_t)view->n[WRSIM_OUTPUT],
                 n_z = (size_t)view->n[WRSIM_INDICATOR];
    double *const block = calloc(n_x + n_y + n_z + 1, sizeof *block);
    *values = (wr_values){.n_x = (int)n_x, .n_y = (int)n_y, .n_z = (int)n_z};
    if (!block)
        return -1;
    values->dx = block;
    values->y = block + n_x;
    values->z = block + n_x + n_y;
    return 0;
}

void wr_values_done(wr_values *values)
{
    free(values->dx); /* beginning of the block */
    *values = (wr_values){0};
}

static int evaluate(wr_view *view, wr_values *values)
{
    return wr_view_evaluate(view, values->dx, values->y, values->z);
}

wrsim_status wr_differences_begin(wr_differences *d, wr_view *view, wrsim_error *err)
{
    *d = (wr_differences){.view = view};
    const int rc_at = wr_values_init(&d->at, view), rc_low = wr_values_init(&d->low, view),
              rc_high = wr_values_init(&d->high, view);
    if (rc_at < 0 || rc_low < 0 || rc_high < 0) {
        wr_differences_done(d);
        return wr_error_memory(err);
    }
    if (evaluate(view, &d->at) == 0)
        return WRSIM_OK;
    wrsim_error fault;
    wr_view_fault(view, &fault);
    wr_differences_done(d);
    if (err)
        *err = fault;
    return fault.status;
}

void wr_differences_done(wr_differences *d)
{
    wr_values_done(&d->at);
    wr_values_done(&d->low);
    wr_values_done(&d->high);
}

/* Tries one increment. Returns 1 if no side can be evaluated. */
static int try_increment(wr_differences *d, double *variable, double increment, wr_values *ret)
{
    const double before = *variable;
    /* volatile rounds to the precision of memory */
    volatile double up = before + increment, down = before - increment;
    *variable = up;
    const int has_high = evaluate(d->view, &d->high) == 0;
    *variable = down;
    const int has_low = evaluate(d->view, &d->low) == 0;
    *variable = before;
    if (!has_high && !has_low)
        return 1;
    const wr_values *const high = has_high ? &d->high : &d->at, *const low =
                                                                    has_low ? &d->low : &d->at;
    const double by = (has_high ? up : before) - (has_low ? down : before);
    for (int i = 0; i < ret->n_x + ret->n_y + ret->n_z; i++) /* dx, y and z are one block */
        ret->dx[i] = (high->dx[i] - low->dx[i]) / by;
    return 0;
}

int wr_differences_by(wr_differences *d, double *variable, double nominal, wr_values *ret)
{
    const double increment = increment_scale * fmax(fabs(*variable), nominal);
    return try_increment(d, variable, increment, ret) == 0
               ? 0
               : try_increment(d, variable, retry_scale * increment, ret);
}
