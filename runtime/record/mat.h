/* Results as MAT files of version 4 in the trajectory layout of Dymola and OpenModelica ("binTrans"), which these matrices have in this order:
 *
 *     Aclass          [4 x 11] "Atrajectory", "1.1", "", "binTrans"
 *     name            [bytes x 1 + signals] "time" and the names of the signals, a column each, padded with NUL
 *     description     [bytes x 1 + signals] descriptions with units, as "pressure [Pa]"
 *     dataInfo        [4 x 1 + signals] int32; of each signal: 2 (matrix data_2; 0 for time), row of the matrix, 0 (linear
 *                     interpolation), -1 (not defined outside of the recorded time)
 *     data_1          [1 x 2] first and last time, s
 *     data_2          [1 + signals x points] times, s, and values at communication points
 *
 * Further matrices, which other programs ignore:
 *
 *     wrsim_subsystem [bytes x subsystems] names of the subsystems, in the order of the signals, padded with NUL
 *     wrsim_signals   [1 x subsystems] int32; number of signals of each subsystem
 *     wrsim_events_k  [2 + signals of subsystem k x rows] k = 1, 2, ...: time, s; 1 left of an event and 2 right; values. Absent without
 *                     rows
 *     wrsim_config    [1 x bytes] the resolved config
 *     wrsim           [1 x bytes] "wrsim", version of the program, "layout 1"
 *
 * Texts are bytes of UTF-8. If a signal has no unit, and its description ends with text in brackets, " []" follows the description.
 *
 * matio links HDF5, so only the module 'mat' links matio. A file of version 4 has no place for further rows. So a run collects its
 * rows in HDF5 (writer_mat.c), and makes the MAT file at its end.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_MAT_H
#define WR_MAT_H

#include "runtime/record/results_read.h"
#include "runtime/record/streams.h"

#define WR_MAT_MARK "wrsim" /* name of the last matrix */

/* Operations of the module 'mat'. */
typedef struct wr_mat_ops {
    /* Writes whole results (WR_RESULTS_WHOLE) to a new file. Errors name the file `shown`. Returns WRSIM_E_ARG with err if the results exceed the limits of the format;
     * WRSIM_E_DISK, WRSIM_E_IO or WRSIM_E_MEMORY. */
    wrsim_status (*write)(const char *file, const char *shown, const wr_results *results,
                          const char *version, wrsim_error *err);
    wr_results *(*read)(const char *file, wr_results_extent extent, wrsim_error *err);
} wr_mat_ops;

/* Returns 1 if the file is a MAT file of version 4 with a trajectory. */
int wr_results_is_mat(const char *file);

/* Loads the module. Returns NULL with err if the module is missing. */
const wr_mat_ops *wr_mat_load(wrsim_error *err);

#endif
