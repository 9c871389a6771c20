/* See crash_flush.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "runtime/sim/crash_flush.h"

#include "runtime/sim/simulation.h"

wr_crash_flush wr_crash_flush_rows(wrsim *sim, int64_t wait_ns)
{
    if (!sim->recorder || sim->settings->output.file[0] == '\0')
        return WR_FLUSH_NO_FILE;
    return wr_recorder_hurry(sim->recorder, wait_ns) ? WR_FLUSH_DONE : WR_FLUSH_LATE;
}
