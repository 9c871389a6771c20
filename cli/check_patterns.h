/* `wrsim check` compares the dependency patterns that models declare with the dependencies that it detects.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_CHECK_PATTERNS_H
#define WR_CHECK_PATTERNS_H

#include "cli/options.h"
#include "wrsim/wrsim.h"

/* Checks the declared patterns of the config that sim was made from. The check covers the start, and the part of the run that the
 * split probe simulated. Solvers trust a declared pattern, so a missing entry gives wrong results. If an entry is
 * missing, prints it and returns WRSIM_E_MODEL. If the models cannot be evaluated, returns WRSIM_OK: the run reports
 * the cause. */
wrsim_status wr_check_patterns(const wr_arguments *line, const wrsim *sim);

#endif
