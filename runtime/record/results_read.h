/* Results in memory, from the readers of all formats. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_READ_H
#define WR_RESULTS_READ_H

#include "base/diag.h"

typedef struct wr_results {
    int n_signal, n_row;
    char **name, **unit; /* [n_signal] names and units of the signals; unit "": not known */
    double *time_s;      /* [n_row] communication points, s */
    double *value;       /* [n_signal * n_row], signal-major */
    char *config_text;   /* stored config; "" without a config */
} wr_results;

void wr_results_destroy(wr_results **results);

/* Returns the index of a signal; -1: no signal has this name. */
int wr_results_find(const wr_results *results, const char *name);

/* Nodes of some of the wanted signals. */
typedef struct wr_results_part {
    int n_signal, n_node;
    int *signal;                 /* [n_signal] indices among the wanted signals */
    double *t_s, *value, *slope; /* [n_node] times; value, slope [n_node * n_signal], node-major */
} wr_results_part;
void wr_results_part_done(wr_results_part *part);

/* Appends a part with room for cap_signal signals and cap_node nodes to list[*n]; the counts of the part are 0. Returns NULL when out of
 * memory. */
wr_results_part *wr_results_part_add(wr_results_part **list, int *n, size_t cap_signal,
                                     size_t cap_node);

/* Rows at events, with the wanted signals. */
typedef struct wr_results_events {
    int n_row;
    double *time_s;
    unsigned char *is_right; /* [n_row] 1: right of the event; 0: left */
    double *value;           /* [n_row * n_wanted] row-major; NaN: the row lacks the signal */
} wr_results_events;
void wr_results_events_done(wr_results_events *events);

int wr_results_is_hdf5(const char *file);

/* Fills err with a message about a file (line 0: the whole file). Returns status. */
wrsim_status wr_results_fail(wrsim_error *err, wrsim_status status, const char *file, int line,
                             const char *format, ...) WR_PRINTF(5, 6);

#endif
