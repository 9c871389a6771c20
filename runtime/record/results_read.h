/* Types and functions that the readers of all result formats share; see results.h.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_READ_H
#define WR_RESULTS_READ_H

#include <stddef.h>

#include "runtime/record/results.h"

/* Reads the whole text of a file in CSV format. */
wr_results *wr_results_csv_read(const char *file, const char *text, size_t n_bytes,
                                wrsim_error *err);
wr_results *wr_results_hdf5_read(const char *file, wrsim_error *err);

/* Nodes of some of the wanted signals. */
typedef struct wr_results_part {
    int n_signal, n_node;
    int *signal;                 /* [n_signal] indices among the wanted signals */
    double *t_s, *value, *slope; /* [n_node] times; value, slope [n_node * n_signal], node-major */
} wr_results_part;
void wr_results_part_done(wr_results_part *part);

/* Rows at events, with the wanted signals. */
typedef struct wr_results_events {
    int n_row;
    double *time_s;
    unsigned char *is_right; /* [n_row] 1: right of the event; 0: left */
    double *value; /* [n_row * n_wanted] row-major; NaN: the signal is in another subsystem */
} wr_results_events;
void wr_results_events_done(wr_results_events *events);

int wr_results_is_hdf5(const char *file);

/* Appends the waves that contain wanted signals to (*ret_part)[*ret_n]. */
wrsim_status wr_results_hdf5_waves(const char *file, int n_wanted, const char *const *wanted,
                                   wr_results_part **ret_part, int *ret_n, wrsim_error *err);
wrsim_status wr_results_hdf5_events(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err);
wrsim_status wr_results_csv_events(const char *file, const char *text, size_t n_bytes, int n_wanted,
                                   const char *const *wanted, wr_results_events *ret,
                                   wrsim_error *err);
/* Reads rows at events of a file in either format. */
wrsim_status wr_results_events_read(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err);

/* Fills err with a sentence about a file (line 0: the whole file). Returns status. */
wrsim_status wr_results_fail(wrsim_error *err, wrsim_status status, const char *file, int line,
                             const char *format, ...) WR_PRINTF(5, 6);

#endif
