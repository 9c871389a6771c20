/* Writes faults, loops and paths of a group as text of messages.
 *
 * Thread: one at a time. Real-time: no (formats text).
 */
#ifndef WR_GROUP_TEXT_H
#define WR_GROUP_TEXT_H

#include "subsystems/group/group_layout.h"

/* Writes a loop as "a.y -> b.u -> b.y -> a.u". */
void wr_group_loop_text(const wr_group *group, int i_loop, char *ret_text, size_t text_bytes);

/* Appends the shortest path from an external input to a computed output at one instant, as "b.u -> b.m -> c.u -> c.y". Appends nothing if
 * no path exists or memory is exhausted. Setup only. */
void wr_group_path_text(const wr_group *group, int i_external, int i_output, char *text,
                        size_t text_bytes);

/* Writes the fault as text: component, variable, time, and remedy. */
void wr_group_fault_text(const wr_group *group, const wr_fault *fault, wrsim_error *ret_err);

#endif
