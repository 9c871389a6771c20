/* Compares two results. See results.h. Thread: any. Real-time: no. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/unit.h"
#include "runtime/record/results.h"

/* Two rows have equal times if the times differ by at most this share (assumed) of the reference's mean step. Times within rounding
 * (wr_time_close()) are equal, too. Grid points of equal runs differ by rounding, which is far smaller than the share. */
static const double TIME_PART = 1e-9;

/* Returns the signals of a result in alphabetical order; from malloc. */
static wr_named *sort_names(const wr_results *results)
{
    wr_named *const names = malloc(((size_t)results->n_signal + 1) * sizeof *names);
    for (int i = 0; names && i < results->n_signal; i++)
        names[i] = (wr_named){results->name[i], i};
    if (names)
        wr_names_sort(names, results->n_signal);
    return names;
}

/* Returns the first signal of `of` that `other` lacks; NULL if `other` has all signals. *ret_n is the number of lacking signals. */
static const char *find_only(const wr_results *of, const wr_named *other, int n_other, int *ret_n)
{
    const char *first = NULL;
    *ret_n = 0;
    for (int i = 0; i < of->n_signal; i++)
        if (wr_names_find(other, n_other, of->name[i], strlen(of->name[i])) < 0) {
            first = first ? first : of->name[i];
            ++*ret_n;
        }
    return first;
}

int wr_results_match(const wr_results *a, const wr_results *b, wr_results_pair *ret_pair)
{
    const double step_s =
        b->n_row > 1 ? (b->time_s[b->n_row - 1] - b->time_s[0]) / (b->n_row - 1) : 0.0;
    int n_pair = 0;
    for (int i = 0, j = 0; i < a->n_row && j < b->n_row;) {
        const double difference = a->time_s[i] - b->time_s[j];
        if (fabs(difference) <= TIME_PART * step_s || wr_time_close(a->time_s[i], b->time_s[j]))
            ret_pair[n_pair++] = (wr_results_pair){i++, j++};
        else if (difference < 0)
            i++;
        else
            j++;
    }
    return n_pair;
}

/* Returns max - min of the finite values. If this range is at most WR_NOISE_PART of the largest magnitude, returns the largest magnitude.
 * *ret_is_constant is then 1. Returns 0 if all values are zero or not finite. */
static double range_of(const double *value, int n, int *ret_is_constant)
{
    *ret_is_constant = 0;
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < n; i++)
        if (isfinite(value[i])) {
            low = wr_min(low, value[i]);
            high = wr_max(high, value[i]);
        }
    if (!(high >= low))
        return 0.0;
    const double magnitude = wr_max(fabs(low), fabs(high));
    /* The test halves both sides, because the range of finite values may overflow. */
    if (0.5 * high - 0.5 * low > 0.5 * WR_NOISE_PART * magnitude)
        return wr_min(high - low, DBL_MAX);
    *ret_is_constant = 1;
    return magnitude;
}

static const char *unit_of(const wr_results *results, int i)
{
    return results->unit ? results->unit[i] : "";
}

/* to_b: conversion from the unit of the signal in a to its unit in b. */
static wr_difference compare_signal(const wr_results *a, const wr_results *b, int i_a, int i_b,
                                    wr_unit_scale to_b, const wr_results_pair *pair, int n_pair)
{
    const double *const value_a = a->value + (size_t)i_a * (size_t)a->n_row;
    const double *const value_b = b->value + (size_t)i_b * (size_t)b->n_row;
    wr_difference result = {.name = a->name[i_a]};
    result.range = range_of(value_b, b->n_row, &result.is_constant);
    result.t_max_s = b->time_s[pair[0].b];
    /* scale^2 * sum is the sum of squares; neither scale nor sum overflows */
    double scale = 0.0, sum = 0.0;
    for (int i = 0; i < n_pair; i++) {
        double difference = fabs(wr_unit_apply(to_b, value_a[pair[i].a]) - value_b[pair[i].b]);
        if (isnan(difference))
            difference = (double)INFINITY;
        if (difference > result.max_abs) {
            result.max_abs = difference;
            result.t_max_s = b->time_s[pair[i].b];
        }
        if (difference > scale) {
            sum = 1.0 + sum * (scale / difference) * (scale / difference);
            scale = difference;
        } else if (scale > 0.0) {
            sum += (difference / scale) * (difference / scale);
        }
    }
    result.rms = isinf(result.max_abs) ? (double)INFINITY : scale * sqrt(sum / n_pair);
    /* For a reference of zeros the comparison uses the absolute difference. */
    const double divisor = result.range > 0.0 ? result.range : 1.0;
    result.max_rel = result.max_abs / divisor;
    result.rms_rel = result.rms / divisor;
    return result;
}

/* Returns the first row whose time is not finite or decreases; -1 if all times are valid. */
static int find_fallen(const wr_results *results)
{
    for (int i = 0; i < results->n_row; i++)
        if (!isfinite(results->time_s[i]) || (i > 0 && results->time_s[i] < results->time_s[i - 1]))
            return i;
    return -1;
}

int wr_results_lack(const wr_overlap *overlap)
{
    return overlap->n_only_a > 0 || overlap->n_only_b > 0 || overlap->n_row_only_a > 0 ||
           overlap->n_row_only_b > 0;
}

int wr_results_compare(const wr_results *a, const wr_results *b, wr_difference **ret_difference,
                       wr_overlap *ret_overlap, wrsim_error *err)
{
    const int n_least = a->n_row < b->n_row ? a->n_row : b->n_row;
    wrsim_status status = WRSIM_E_MEMORY;
    const char *problem = "out of memory while results are compared";
    char text[400];
    wr_results_pair *const pair = malloc(((size_t)n_least + 1) * sizeof *pair);
    wr_named *const place_a = sort_names(a), *const place = sort_names(b);
    wr_difference *difference = calloc((size_t)a->n_signal + 1, sizeof *difference);
    int n = 0;
    if (!pair || !place_a || !place || !difference)
        goto out;
    status = WRSIM_E_ARG;
    for (int i = 0; i < 2; i++) {
        const wr_results *const one = i == 0 ? a : b;
        const int row = find_fallen(one);
        snprintf(text, sizeof text,
                 "the times of the %s results decrease or are not finite: row %d has t = %.9g s; "
                 "correct this row",
                 i == 0 ? "first" : "second", row + 1, row < 0 ? 0.0 : one->time_s[row]);
        problem = text;
        if (row >= 0)
            goto out;
    }
    problem = n_least > 0 ? "the results have no communication point in common; use the same "
                            "simulation.communication_step and overlapping times"
                          : "a result has no communication point; run the simulation longer";
    const int n_pair = wr_results_match(a, b, pair);
    if (n_pair == 0)
        goto out;
    /* Results with more than one point need more than one common point. */
    snprintf(text, sizeof text,
             "the results have only one communication point in common, t = %.9g s; use the same "
             "simulation.communication_step and overlapping times",
             b->time_s[pair[0].b]);
    problem = text;
    if (n_pair == 1 && (a->n_row > 1 || b->n_row > 1))
        goto out;
    for (int i = 0; i < a->n_signal; i++) {
        const int i_b = wr_names_find(place, b->n_signal, a->name[i], strlen(a->name[i]));
        wr_unit_scale to_b;
        if (i_b < 0)
            continue;
        if (wr_unit_convert(unit_of(a, i), unit_of(b, i_b), &to_b) != WR_UNIT_FITS) {
            snprintf(text, sizeof text,
                     "'%.96s' has the unit %.64s in the first results, but %.64s in the second; "
                     "correct a unit, or compare other signals",
                     a->name[i], unit_of(a, i), unit_of(b, i_b));
            problem = text;
            goto out;
        }
        difference[n++] = compare_signal(a, b, i, i_b, to_b, pair, n_pair);
    }
    problem = "the results have no signal in common; name other files, or record the same signals";
    if (n == 0)
        goto out;
    status = WRSIM_OK;
    *ret_difference = difference;
    difference = NULL;
    *ret_overlap = (wr_overlap){.n_row = n_pair,
                                .n_row_only_a = a->n_row - n_pair,
                                .n_row_only_b = b->n_row - n_pair,
                                .first_s = b->time_s[pair[0].b],
                                .last_s = b->time_s[pair[n_pair - 1].b],
                                .end_a_s = a->time_s[a->n_row - 1],
                                .end_b_s = b->time_s[b->n_row - 1]};
    ret_overlap->only_a = find_only(a, place, b->n_signal, &ret_overlap->n_only_a);
    ret_overlap->only_b = find_only(b, place_a, a->n_signal, &ret_overlap->n_only_b);
    /* Ends that differ by rounding only are equal. */
    if (pair[n_pair - 1].a == a->n_row - 1 && pair[n_pair - 1].b == b->n_row - 1)
        ret_overlap->end_a_s = ret_overlap->end_b_s;
out:
    free(difference);
    free(place);
    free(place_a);
    free(pair);
    if (status == WRSIM_OK)
        return n;
    wr_error_set(err, status, "%s", problem);
    return (int)status;
}
