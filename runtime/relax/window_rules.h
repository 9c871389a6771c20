/* Rules for the length of windows.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_WINDOW_RULES_H
#define WR_WINDOW_RULES_H

#include "runtime/relax/window.h"

/* Terminated by NULL; the first is the default. */
extern const wr_window_rule *const wr_window_rules[];

/* The rule of that name, or NULL. */
const wr_window_rule *wr_window_rule_find(const char *name);

#endif
