/* Texts about a simulation: its structure (`check`) and the summary of a run.
 *
 * Thread: main, between runs. Real-time: no.
 */
#ifndef WR_PRINT_RUN_H
#define WR_PRINT_RUN_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Prints components, states, indicators, connections, algebraic loops, the workers of subsystems, warnings, and the
 * result of the split probe. Called after wrsim_create(). */
void wr_print_structure(FILE *out, const wrsim *sim);

/* Called after wrsim_prepare(). */
void wr_print_summary(FILE *out, const wrsim *sim);

/* The text of `check` and the summary contain the result of the split probe and the warnings of the config. */
void wr_print_split_probe(FILE *out, const wrsim *sim);
void wr_print_warnings(FILE *out, const wrsim *sim);

/* Prints one line for each exceeded limit whose action in the config is "warn" or "stop". */
void wr_print_delay_excess(FILE *out, const wrsim *sim);

/* Prints a warning for each time constant that makes the run long. Called before the run; the summary does not repeat
 * these warnings. */
void wr_print_run_length(FILE *out, const wrsim *sim);

#endif
