/* Reports a model or plug-in that ends the program by a signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) or by exit().
 *
 * One line on standard error names the component or plug-in, the callback and, if known, the simulated time. The recorder has one second
 * to write its rows. Then the program ends with the exit code of WRSIM_E_CRASH. A signal that already has a handler, for example of a
 * sanitizer, keeps this handler.
 *
 * Thread: main; the handlers run in the failing thread. Real-time: no.
 */
#ifndef WR_CRASH_REPORT_H
#define WR_CRASH_REPORT_H

#include "wrsim/wrsim.h"

/* Installs the handlers, once for the process. */
void wr_crash_report_install(void);

/* Sets the simulation whose rows the crash handlers write; NULL: none. */
void wr_crash_report_watch(wrsim *sim);

/* Disables the report for later calls of exit(). */
void wr_crash_report_end(void);

#endif
