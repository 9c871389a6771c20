/* `wrsim check` holds the patterns that models declare against what they do.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_CHECK_PATTERNS_H
#define WR_CHECK_PATTERNS_H

#include "cli/command_line.h"
#include "wrsim/wrsim.h"

/* Of the config on the command line, which sim was made from: at the start and, as far as the split was probed, along the run.
 * Whoever trusts a pattern that leaves something out gets wrong results without a word. WRSIM_E_MODEL, and printed, where one
 * does; what keeps them from being looked at is left to the run. */
wrsim_status wr_check_patterns(const wr_cli *cli, const wrsim *sim);

#endif
