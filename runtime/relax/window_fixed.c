/* Rule "fixed": the length is always the initial one. After a rejection the length doubles until it is the initial one
 * again.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "base/check.h"
#include "runtime/relax/window.h"

static double first(const wr_window *w, int n_subsystem)
{
    (void)n_subsystem;
    return w->initial_s;
}

static double longest_next(const wr_window *w) { return w->initial_s; }

static double accepted(wr_window *w, const wr_window_outcome *o)
{
    (void)o;
    return wr_min(WR_WINDOW_MOST_GROWTH * w->length_s, w->initial_s);
}

const wr_window_rule wr_window_rule_fixed = {.name = "fixed",
                                             .is_fixed = 1,
                                             .first = first,
                                             .longest_next = longest_next,
                                             .accepted = accepted};
