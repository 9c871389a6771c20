/* Kinds of subsystems (key kind of [[subsystem]]). A new kind is a function that creates the subsystem, a row of operations, and an entry
 * in the table of subsystem_kinds.c.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SUBSYSTEM_KINDS_H
#define WR_SUBSYSTEM_KINDS_H

#include "runtime/sim/assembly.h"
#include "subsystems/playback/playback.h"

/* Returns the kind of a subsystem; NULL: the config's kind is unknown, which wr_subsystem_kinds_check() reports. */
const wr_setup_kind *wr_subsystem_kinds_of(const wr_assembly *a, int i_subsystem);

/* Checks that kinds are known, that kinds and files agree, and that a monolithic run is possible. Checks that each stepper is alone in its
 * subsystem, and does not drive its own inputs. */
void wr_subsystem_kinds_check(const wr_assembly *a, wr_diag *diag);

#endif
