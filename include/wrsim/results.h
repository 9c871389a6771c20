/* Result files: signals at communication points, rows at events, and the comparison of two results.
 *
 *     wrsim_results *results = NULL;
 *     int x;
 *     wrsim_signal signal;
 *     status = wrsim_results_read("engine.h5", &results, &err);
 *     if (status >= 0)
 *         status = wrsim_results_find(results, "airpath.p_intake", &x, &err);
 *     if (status >= 0)
 *         status = wrsim_results_signal(results, x, &signal);
 *     wrsim_results_destroy(&results);
 *
 * The calls read each format that a run writes, and the file of a run that still goes on or was killed. Signals and communication points
 * have indices from 0.
 *
 * Thread: one owner per result. Real-time: no. */
#ifndef WRSIM_RESULTS_H
#define WRSIM_RESULTS_H

#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wrsim_results wrsim_results; /* results of one run in memory; opaque */

/* A recorded signal; the results own strings and values. */
typedef struct wrsim_signal {
    const char *name;        /* "component.variable" */
    const char *unit;        /* unit; "": not known */
    const char *description; /* one line; "": not known */
    const double
        *value; /* [wrsim_results_row_count()] values at the communication points, in unit */
} wrsim_signal;

/* Reads a result file: communication points, rows at events and config. On success the caller owns *ret_results (wrsim_results_destroy). Returns WRSIM_OK,
 * WRSIM_E_ARG, WRSIM_E_IO (the file cannot be read, or is no result), WRSIM_E_CONFIG (the module of the format is missing), or
 * WRSIM_E_MEMORY. err may be NULL. */
WRSIM_API wrsim_status wrsim_results_read(const char *file, wrsim_results **ret_results,
                                          wrsim_error *err);

/* Returns the number of signals, or 0 if results is NULL. */
WRSIM_API int wrsim_results_signal_count(const wrsim_results *results);

/* Returns the number of communication points, or 0 if results is NULL. */
WRSIM_API int wrsim_results_row_count(const wrsim_results *results);

/* Returns the times of the communication points, s. The results own the array [wrsim_results_row_count()]. Returns NULL if results is
 * NULL. */
WRSIM_API const double *wrsim_results_times(const wrsim_results *results);

/* Returns the config of the run as TOML text, which the results own; "": the file has no config. Returns NULL if results is NULL. */
WRSIM_API const char *wrsim_results_config(const wrsim_results *results);

/* Describes a signal. Returns WRSIM_OK, or WRSIM_E_ARG if the index is out of range or an argument is NULL. */
WRSIM_API wrsim_status wrsim_results_signal(const wrsim_results *results, int signal,
                                            wrsim_signal *ret_signal);

/* Finds a signal by its name. Returns WRSIM_OK, or WRSIM_E_ARG if no signal has the name; err (may be NULL) then has the most similar
 * name. */
WRSIM_API wrsim_status wrsim_results_find(const wrsim_results *results, const char *name,
                                          int *ret_signal, wrsim_error *err);

/* Rows at events and at jumps of inputs. Each instant has a row with the values on its left, and a row with the values on its right. */
typedef struct wrsim_event_rows {
    int n_row, n_signal;           /* numbers of rows and of requested signals */
    const double *time_s;          /* [n_row] times, s */
    const unsigned char *is_right; /* [n_row] 1: right of the instant; 0: left */
    const double *
        value; /* [n_row * n_signal] row-major, in units of the signals; NaN: the row belongs to another subsystem */
    void *memory; /* private data of wrsim */
} wrsim_event_rows;

/* Copies the rows at events of n signals. On success the caller owns *ret_rows (wrsim_event_rows_destroy). Returns WRSIM_OK, WRSIM_E_ARG or
 * WRSIM_E_MEMORY. err may be NULL. */
WRSIM_API wrsim_status wrsim_results_events(const wrsim_results *results, int n, const int *signal,
                                            wrsim_event_rows **ret_rows, wrsim_error *err);

/* Frees the rows and sets *rows to NULL. rows and *rows may be NULL. */
WRSIM_API void wrsim_event_rows_destroy(wrsim_event_rows **rows);

/* Difference of one signal in two results, in the unit of the reference. */
typedef struct wrsim_difference {
    const char *name; /* name of the signal; the compared results own the string */
    /* max - min of the signal in the reference. Of a constant signal: its largest magnitude. A signal counts as constant if max - min is at
     * most 1e-8 of its largest magnitude. */
    double range;
    int is_constant;         /* 1: the signal is constant in the reference */
    double max_abs;          /* largest difference; infinite if a value is not finite */
    double rms;              /* root mean square difference; infinite if a value is not finite */
    double max_rel, rms_rel; /* max_abs and rms divided by range, or by 1 if range is 0 */
    double t_max_s;          /* time of the largest difference, s */
} wrsim_difference;

/* Extent of a comparison. */
typedef struct wrsim_overlap {
    int n_only_a, n_only_b; /* numbers of signals that the other result lacks */
    /* first signal that only result a has, and that only result b has; NULL: no such signal; the results own the strings */
    const char *only_a, *only_b;
    int n_row;                      /* number of common communication points */
    double first_s, last_s;         /* first and last common point, s */
    int n_row_only_a, n_row_only_b; /* numbers of points that the other result lacks */
    /* last point of each result, s; equal if the points differ by rounding only */
    double end_a_s, end_b_s;
} wrsim_overlap;

/* Result of wrsim_results_compare. */
typedef struct wrsim_comparison {
    int n_signal;                       /* number of common signals */
    const wrsim_difference *difference; /* [n_signal] in the order of the first result */
    wrsim_overlap overlap;              /* common and other signals and points */
    void *memory;                       /* private data of wrsim */
} wrsim_comparison;

/* Compares the common signals of a and the reference b at their common communication points, without interpolation, as `wrsim compare`
 * does. On success the caller owns *ret_comparison (wrsim_comparison_destroy); a and b must stay valid as long. Returns WRSIM_OK,
 * WRSIM_E_ARG, or WRSIM_E_MEMORY. Causes of WRSIM_E_ARG are no common signal, no common time, units that do not fit, and times that
 * decrease or are not finite. err may be NULL. */
WRSIM_API wrsim_status wrsim_results_compare(const wrsim_results *a, const wrsim_results *b,
                                             wrsim_comparison **ret_comparison, wrsim_error *err);

/* Frees a comparison and sets *comparison to NULL. comparison and *comparison may be NULL. */
WRSIM_API void wrsim_comparison_destroy(wrsim_comparison **comparison);

/* Frees the results and sets *results to NULL. results and *results may be NULL. */
WRSIM_API void wrsim_results_destroy(wrsim_results **results);

#ifdef __cplusplus
}
#endif
#endif
