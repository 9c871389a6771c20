/* Reading recorded waves back (output.waves; layout in hdf5_names.h).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_WAVES_H
#define WR_WAVES_H

#include "base/diag.h"

/* What one subsystem published: nodes of cubics. */
typedef struct wr_recorded_wave {
    int n_signal, n_node;
    char **name;    /* [n_signal] "component.variable" */
    double *time_s; /* [n_node] non-decreasing; equal ones are a jump */
    double *value;  /* [n_node * 2 n_signal] node by node: values, then slopes per second */
} wr_recorded_wave;

typedef struct wr_recorded_waves {
    int n;
    wr_recorded_wave *wave; /* [n] */
} wr_recorded_waves;

/* Those of a result file; n = 0 where it has none, as CSV files. NULL on failure. */
wr_recorded_waves *wr_recorded_waves_load(const char *file, wrsim_error *err);
void wr_recorded_waves_destroy(wr_recorded_waves **waves);

#endif
