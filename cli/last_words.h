/* What the program says when a model or plug-in ends it: by a signal (SIGSEGV, SIGABRT, SIGFPE, ...) or by exit().
 *
 * One line names component, callback and simulated time; what was pushed to the recorder is written and flushed by its own
 * thread, which is waited for a moment; the exit code is that of WRSIM_E_CRASH. Handlers do nothing that is
 * unsafe in one: they read the thread's record (subsystems/calling.h), write(), sleep and end the process. They run on
 * a stack of their own, so that a stack that is full is told, too. Signals that have a handler already, as a
 * sanitizer's, or are ignored are left alone; one that another process has sent ends this one as it would have.
 *
 * Thread: main; handlers in whichever it happens. Real-time: no.
 */
#ifndef WR_LAST_WORDS_H
#define WR_LAST_WORDS_H

#include "wrsim/wrsim.h"

/* At the start. */
void wr_last_words_install(void);

/* In a process that the program has forked off: it speaks for itself as its parent does. */
void wr_last_words_own(void);

/* Whose rows are to be saved; NULL: of none. A call with one also puts its own exit handler before those that libraries have
 * registered meanwhile, which may take away what the recorder still needs. */
void wr_last_words_save(wrsim *sim);

/* From here on exit() is the program's own. */
void wr_last_words_expected(void);

#endif
