/* Kinds of subsystems, as [[subsystem]] kind names them. A new kind is a file with its row of operations, and an entry in the
 * table of subsystem_kinds.c.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SUBSYSTEM_KINDS_H
#define WR_SUBSYSTEM_KINDS_H

#include "runtime/sim/lookup.h"
#include "subsystems/playback/playback.h"

/* That of a subsystem; known ones only (wr_subsystem_kinds_check). */
const wr_setup_kind *wr_subsystem_kinds_of(const wr_assembly *a, int i_subsystem);

/* Are all kinds known, with a file where they need one, and none that only a split run can have in one solver? */
void wr_subsystem_kinds_check(const wr_assembly *a, wr_diag *diag);

#endif
