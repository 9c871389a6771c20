/* Regions as polygons. See region.h. Thread: any. Real-time: no. */
#include "offline/stability/region.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto_free.h"

/* Number of rows, and largest number of intervals of a row (assumed). An interval adds two points, and up to four points at a chain's
 * ends. */
enum { N_ROW = 201, INTERVALS = 16, MOST_POINTS = 6 * N_ROW * INTERVALS };
/* Numbers of samples of a row, of bisections, and of samples of the boundary (assumed). */
enum { N_SAMPLE = 161, CUTS = 30, LOCUS_SAMPLES = 720 };
/* farthest: largest distance from 0 of a shown boundary. margin: share of the box. least_size: smallest size of the box (all assumed). */
static const double farthest = 25.0, margin = 0.12, least_size = 1.0;

typedef struct row {
    double y;
    int n;
    double low[INTERVALS], high[INTERVALS];
} row;

void wr_region_box(const wr_amplification *a, wr_region *ret_region)
{
    double x_low = -least_size, x_high = 0.3 * least_size, y = 0.5 * least_size;
    for (int k = 0; k < LOCUS_SAMPLES; k++) {
        double complex q[WR_AMPLIFICATION_Q + 1];
        const int n = wr_amplification_locus(a, 2.0 * M_PI * (k + 0.5) / LOCUS_SAMPLES, q);
        for (int i = 0; i < n; i++) {
            if (!(cabs(q[i]) < farthest))
                continue;
            x_low = wr_min(x_low, creal(q[i]));
            x_high = wr_max(x_high, creal(q[i]));
            y = wr_max(y, fabs(cimag(q[i])));
        }
    }
    const double edge = margin * wr_max(x_high - x_low, 2.0 * y);
    *ret_region =
        (wr_region){x_low - edge, x_high + edge, -y - edge, y + edge, 0, NULL, NULL, NULL};
}

static double bisect(const wr_amplification *a, double y, double stable, double unstable)
{
    for (int i = 0; i < CUTS; i++) {
        const double middle = 0.5 * (stable + unstable);
        if (wr_amplification_is_stable(a, CMPLX(middle, y)))
            stable = middle;
        else
            unstable = middle;
    }
    return stable;
}

static void find_row(const wr_amplification *a, const wr_region *box, double y, row *ret)
{
    const double step = (box->x_high - box->x_low) / (N_SAMPLE - 1);
    int was_stable = 0;
    ret->y = y;
    ret->n = 0;
    for (int k = 0; k < N_SAMPLE && ret->n < INTERVALS; k++) {
        const double x = box->x_low + k * step;
        const int is_stable = wr_amplification_is_stable(a, CMPLX(x, y));
        if (is_stable && !was_stable)
            ret->low[ret->n] = k == 0 ? x : bisect(a, y, x, x - step);
        if (!is_stable && was_stable)
            ret->high[ret->n++] = bisect(a, y, x - step, x);
        if (is_stable && k == N_SAMPLE - 1)
            ret->high[ret->n++] = x;
        was_stable = is_stable;
    }
}

/* Returns the interval of `to` that overlaps interval i of `from`, if neither interval overlaps a further interval of the other row; else
 * -1. */
static int partner(const row *from, int i, const row *to)
{
    int found = -1;
    for (int k = 0; k < to->n; k++) {
        if (to->high[k] < from->low[i] || to->low[k] > from->high[i])
            continue;
        if (found >= 0)
            return -1;
        found = k;
    }
    for (int k = 0; found >= 0 && k < from->n; k++)
        if (k != i && from->high[k] >= to->low[found] && from->low[k] <= to->high[found])
            return -1;
    return found;
}

static int meets_any(const row *from, int i, const row *to)
{
    for (int k = 0; k < to->n; k++)
        if (to->high[k] >= from->low[i] && to->low[k] <= from->high[i])
            return 1;
    return 0;
}

static void add_point(wr_region *region, int *n_point, double x, double y)
{
    region->x[*n_point] = x;
    region->y[(*n_point)++] = y;
}

/* Adds the polygon of a chain of intervals from interval i of a row on, with the right ends upwards and the left ends back. At a fork the
 * polygon extends half way to its neighbours. */
static void add_chain(const row *rows, int first, int i, unsigned char *is_used, wr_region *region,
                      int *n_point)
{
    int chain[N_ROW] = {i}, n = 0;
    const int before = *n_point;
    const double half = 0.5 * (rows[1].y - rows[0].y);
    for (int r = first; r < N_ROW && i >= 0; r++) {
        is_used[r * INTERVALS + i] = 1;
        chain[n++] = i;
        i = r + 1 < N_ROW ? partner(&rows[r], i, &rows[r + 1]) : -1;
    }
    const row *const bottom = &rows[first], *const top = &rows[first + n - 1];
    const int goes_down = first > 0 && meets_any(bottom, chain[0], bottom - 1);
    const int goes_up = first + n < N_ROW && meets_any(top, chain[n - 1], top + 1);
    if (goes_down)
        add_point(region, n_point, bottom->high[chain[0]], bottom->y - half);
    for (int k = 0; k < n; k++)
        add_point(region, n_point, rows[first + k].high[chain[k]], rows[first + k].y);
    for (int k = 0; goes_up && k < 2; k++)
        add_point(region, n_point, k == 0 ? top->high[chain[n - 1]] : top->low[chain[n - 1]],
                  top->y + half);
    for (int k = n - 1; k >= 0; k--)
        add_point(region, n_point, rows[first + k].low[chain[k]], rows[first + k].y);
    if (goes_down)
        add_point(region, n_point, bottom->low[chain[0]], bottom->y - half);
    region->n[region->n_polygon++] = *n_point - before;
}

wrsim_status wr_region_find(const wr_amplification *a, wr_region *region)
{
    WR_AUTO_FREE row *const rows = calloc(N_ROW, sizeof *rows);
    WR_AUTO_FREE unsigned char *const is_used = calloc(N_ROW * INTERVALS, 1);
    region->n = calloc(N_ROW * INTERVALS, sizeof *region->n);
    region->x = calloc(MOST_POINTS, sizeof *region->x);
    region->y = calloc(MOST_POINTS, sizeof *region->y);
    region->n_polygon = 0;
    if (!rows || !is_used || !region->n || !region->x || !region->y) {
        wr_region_done(region);
        return WRSIM_E_MEMORY;
    }
    /* Rows avoid the real axis, on which a region may be a line. */
    for (int r = 0; r < N_ROW; r++)
        find_row(a, region, region->y_low + (region->y_high - region->y_low) * (r + 0.37) / N_ROW,
                 &rows[r]);
    int n_point = 0;
    for (int r = 0; r < N_ROW; r++)
        for (int i = 0; i < rows[r].n; i++)
            if (!is_used[r * INTERVALS + i])
                add_chain(rows, r, i, is_used, region, &n_point);
    return WRSIM_OK;
}

void wr_region_done(wr_region *region)
{
    free(region->n);
    free(region->x);
    free(region->y);
    region->n = NULL;
    region->x = region->y = NULL;
    region->n_polygon = 0;
}
