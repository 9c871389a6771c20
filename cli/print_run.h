/* What is printed of a simulation: its structure (`check`) and the summary of a run.
 *
 * Thread: main, between runs. Real-time: no.
 */
#ifndef WR_PRINT_RUN_H
#define WR_PRINT_RUN_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Components, states, indicators, connections, algebraic loops, map of subsystems to workers, warnings, and what a
 * study of the split found. After wrsim_create. */
void wr_print_structure(FILE *out, const wrsim *sim);

/* After wrsim_prepare. */
void wr_print_summary(FILE *out, const wrsim *sim);

/* For both: what was chosen or is recommended; what is not wrong, but seldom meant. */
void wr_print_split_probe(FILE *out, const wrsim *sim);
void wr_print_warnings(FILE *out, const wrsim *sim);

/* Before the run: a warning for each length of time that makes the run long. The summary does not repeat them. */
void wr_print_run_length(FILE *out, const wrsim *sim);

#endif
