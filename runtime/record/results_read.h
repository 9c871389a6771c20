/* Results in memory, from the readers of all formats. Thread: one owner. Real-time: no. */
#ifndef WR_RESULTS_READ_H
#define WR_RESULTS_READ_H

#include "base/diag.h"

/* Rows at events of one subsystem. */
typedef struct wr_results_stream {
    char *name; /* name of the subsystem */
    int n_signal, n_row, cap_row;
    int *signal;             /* [n_signal] indices of the signals among the results */
    double *time_s;          /* [n_row] */
    unsigned char *is_right; /* [n_row] 1: right of the event; 0: left */
    double *value;           /* [n_row * n_signal] row-major; NaN: the file has no value */
} wr_results_stream;

typedef struct wr_results {
    int n_signal, n_row;
    char **name, **unit; /* [n_signal] names and units of the signals; unit "": not known */
    double *time_s;      /* [n_row] communication points, s */
    double *value;       /* [n_signal * n_row], signal-major */
    /* Members for wr_results_load_whole(), else NULL, 0 or "": */
    char **description, **subsystem; /* [n_signal]; "": not known */
    char *config_text;               /* stored config; "" without a config */
    wr_results_stream *stream;       /* [n_stream] streams, which together have every signal once */
    int n_stream;
    int has_waves; /* 1: the file also has waves */
} wr_results;

/* Which parts of a file a reader reads. */
typedef enum wr_results_extent {
    WR_RESULTS_POINTS, /* names, units and communication points */
    WR_RESULTS_WHOLE   /* also descriptions, subsystems, config and rows at events */
} wr_results_extent;

void wr_results_destroy(wr_results **results);

/* Allocates `description` and `subsystem`, with empty texts. Returns 0 when out of memory. */
int wr_results_place_texts(wr_results *results);
/* Makes the streams from `subsystem`: a stream for each run of signals of one subsystem. Signals without a subsystem have a stream "signals".
 * The streams have no rows. Returns 0 when out of memory. */
int wr_results_place_streams(wr_results *results);
/* Appends a row with the values of all signals of the stream. Returns 0 when out of memory. */
int wr_results_stream_add(wr_results_stream *stream, double t_s, int is_right, const double *value);

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

/* Fills err for a file whose layout is of a later version of wrsim (version NULL: not known). Returns WRSIM_E_IO. */
wrsim_status wr_results_fail_later(const char *file, const char *version, wrsim_error *err);

#endif
