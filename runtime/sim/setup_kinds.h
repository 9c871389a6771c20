/* Kinds of subsystems, as [[subsystem]] kind names them. A new one is a file with its row, and a line in setup_kinds.c.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SETUP_KINDS_H
#define WR_SETUP_KINDS_H

#include "runtime/sim/assembly.h"

/* That of a subsystem; known ones only (wr_setups_check_kinds). */
const wr_setup_kind *wr_setups_kind(const wr_assembly *a, int i_subsystem);

/* Are all kinds known, with a file where they need one, and none that only a split run can have in one solver? */
void wr_setups_check_kinds(const wr_assembly *a, wr_diag *diag);

#endif
