/* Faults, loops and paths of a group as text for people.
 *
 * Thread: one at a time. Real-time: no (formats text).
 */
#ifndef WR_GROUP_TEXT_H
#define WR_GROUP_TEXT_H

#include "subsystems/group/group_layout.h"

/* Spells a loop: "a.y -> b.u -> b.y -> a.u". */
void wr_group_loop_text(const wr_group *group, int i_loop, char *ret_text, size_t text_bytes);

/* Appends how an external input acts on a computed output at the same instant: "b.u -> b.m -> c.u -> c.y", the
 * shortest way. Nothing if it does not, or out of memory. Setup only. */
void wr_group_path_text(const wr_group *group, int i_external, int i_output, char *text,
                        size_t text_bytes);

/* Makes the fault into text: names component, variable, time, and what to do. */
void wr_group_fault_text(const wr_group *group, const wr_fault *fault, wrsim_error *ret_err);

#endif
