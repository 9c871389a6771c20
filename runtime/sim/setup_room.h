/* How much room subsystems have, and that there is none left.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETUP_ROOM_H
#define WR_SETUP_ROOM_H

#include "runtime/sim/assembly.h"

static inline wrsim_status wr_setups_out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while subsystems are built");
}

/* Room that is so large in models of few subsystems, and shared in larger ones. */
int wr_setups_scaled(const wr_assembly *a, int room);
/* Does one subsystem run without windows, which pauses where its room is half full? */
int wr_setups_is_lone(const wr_assembly *a);
/* Rows that a subsystem may have in a window; nobody reads rows without columns. */
int wr_setups_row_count(const wr_assembly *a, const wr_setup *m);

#endif
