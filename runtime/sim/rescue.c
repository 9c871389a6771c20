/* See rescue.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "runtime/sim/rescue.h"

#include "runtime/sim/simulation.h"

int wr_rescue_has_file(const wrsim *sim)
{
    return sim->recorder && sim->settings->output.file[0] != '\0';
}

int wr_rescue_rows(wrsim *sim, int64_t wait_ns)
{
    return sim->recorder && wr_recorder_hurry(sim->recorder, wait_ns);
}
