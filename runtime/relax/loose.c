/* When first integrations are looser, and by how much. See loose.h.
 *
 * Thread: as said there. Real-time: yes.
 */
#include "runtime/relax/loose.h"

#include "base/check.h"

/* Allowed solver error per unit of waveform error (docs/lab/2026-11-23-looser-first-sweeps.md). */
static const double SHARE = 0.1;
static const double MOST = 100.0;
enum { SURE = 16, PROBE = 8 }; /* windows in a row, and of these one is tight */

double wr_loose_first(const wr_loose *loose)
{
    if (loose->n_again < SURE || loose->n_again % PROBE == PROBE - 1)
        return 1.0;
    return wr_clamp(SHARE * loose->change, 1.0, MOST);
}

void wr_loose_accepted(wr_loose *loose, int n_integrated, int is_missed)
{
    const int n_needed = loose->factor > 1.0 ? 2 : 1;
    if (n_integrated <= n_needed && !is_missed)
        loose->n_again = 0;
    else if (loose->n_again < SURE + PROBE - 1)
        loose->n_again++;
    else
        loose->n_again = SURE;
}

void wr_loose_state(wr_loose *loose, wr_state_io *io)
{
    WR_STATE(io, loose->change);
    WR_STATE(io, loose->factor);
    WR_STATE(io, loose->n_again);
}
