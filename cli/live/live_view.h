/* The live view of a run: a process beside the run, which serves a page with the newest rows and steps.
 *
 * The process reads memory that it shares with the run (runtime/live/live_memory.h). The process runs only if no other program needs its CPU
 * (SCHED_IDLE), and leaves the CPUs of the workers if the machine has others. After the end of the run the process serves the last data to
 * present viewers for a few seconds, and ends.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_LIVE_VIEW_H
#define WR_LIVE_VIEW_H

#include "runtime/live/live_memory.h"

typedef struct wr_live_view_process wr_live_view_process;

/* Starts the process and its server on 127.0.0.1. The call must precede the start of other threads. port: 0 to let the system choose.
 * Returns NULL with err: WRSIM_E_CONFIG if the module `http` or the page is missing or the port cannot be used, WRSIM_E_MEMORY if memory or
 * processes are exhausted. */
wr_live_view_process *wr_live_view_start(int port, wrsim_error *err);

/* Returns the memory for the run, and the port. */
wr_live *wr_live_view_memory(wr_live_view_process *process);
int wr_live_view_port(const wr_live_view_process *process);

/* Waits for the end of the process, at most a few seconds after wr_live_end(). text: a sentence for the viewers if the run has not called
 * wr_live_end(). Sets the pointer to NULL. Accepts NULL. */
void wr_live_view_end(wr_live_view_process **process, const char *text);

#endif
