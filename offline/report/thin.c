/* See thin.h. Thread: any. Real-time: no. */
#include "offline/report/thin.h"

#include <math.h>

/* Extreme points of a span; each member is the index of a point. */
typedef struct extremes {
    size_t low, high;
    int has_any;
} extremes;

static void take(extremes *e, const double *value, size_t i)
{
    if (isnan(value[i]))
        return;
    if (!e->has_any)
        *e = (extremes){i, i, 1};
    else if (value[i] < value[e->low])
        e->low = i;
    else if (value[i] > value[e->high])
        e->high = i;
}

static void add_extremes(const extremes *e, size_t *point, int *n)
{
    if (!e->has_any)
        return;
    point[(*n)++] = e->low;
    point[(*n)++] = e->high;
}

/* Sorts a few indices in place, and writes each of them once. Returns the number of written indices. */
static size_t write_sorted(size_t *point, int n, size_t *ret_index)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && point[k - 1] > point[k]; k--) {
            const size_t swapped = point[k];
            point[k] = point[k - 1];
            point[k - 1] = swapped;
        }
    size_t n_written = 0;
    for (int i = 0; i < n; i++)
        if (n_written == 0 || ret_index[n_written - 1] != point[i])
            ret_index[n_written++] = point[i];
    return n_written;
}

/* Chooses points of the span first .. last. */
static size_t thin_span(const double *value, const double *second, size_t first, size_t last,
                        size_t *ret_index)
{
    size_t point[WR_THIN_PAIR_POINTS];
    extremes own = {0}, other = {0};
    double largest = -1.0;
    size_t gap = last, farthest = first;
    for (size_t i = last + 1; i-- > first;) {
        take(&own, value, i);
        if (isnan(value[i]))
            gap = i;
        if (!second)
            continue;
        take(&other, second, i);
        if (fabs(value[i] - second[i]) > largest) {
            largest = fabs(value[i] - second[i]);
            farthest = i;
        }
    }
    int n = 0;
    point[n++] = first;
    point[n++] = last;
    point[n++] = gap;
    point[n++] = farthest;
    add_extremes(&own, point, &n);
    add_extremes(&other, point, &n);
    return write_sorted(point, n, ret_index);
}

/* Returns half the time since the first point; the whole time could overflow. */
static double half_since(const double *t_s, size_t i) { return 0.5 * t_s[i] - 0.5 * t_s[0]; }

size_t wr_thin(size_t n, const double *t_s, const double *value, const double *second, size_t cap,
               size_t *ret_index)
{
    size_t n_chosen = 0;
    if (n <= cap) {
        for (size_t i = 0; i < n; i++)
            ret_index[i] = i;
        return n;
    }
    const size_t n_span = cap / (second ? WR_THIN_PAIR_POINTS : WR_THIN_SPAN_POINTS);
    const double per_s = (double)n_span / half_since(t_s, n - 1);
    for (size_t first = 0; first < n;) {
        const double number = floor(half_since(t_s, first) * per_s);
        /* If the span number is infinite or not a number, because the times hardly differ, the span is the last one. */
        const int is_last = !(number < (double)(n_span - 1));
        size_t last = first;
        while (last + 1 < n && (is_last || !(half_since(t_s, last + 1) * per_s >= number + 1.0)))
            last++;
        n_chosen += thin_span(value, second, first, last, ret_index + n_chosen);
        first = last + 1;
    }
    return n_chosen;
}
