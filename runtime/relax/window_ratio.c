/* Rule "ratio": the length is rescaled by the ratio of two successive differences of iterates (Ben Khaled et al. (2011),
 * section 6, which gives no formula; docs/METHODS.md, Window length).
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "base/check.h"
#include "runtime/relax/window.h"

static const double TARGET = 0.1; /* contraction rate that the next window should have */
/* Factor below the length that would give TARGET, and the smallest ratio of two successive lengths. */
static const double SAFETY = 0.9, LEAST = 0.3;

static double first(const wr_window *w, int n_subsystem)
{
    (void)n_subsystem;
    return w->initial_s;
}

static double longest_next(const wr_window *w) { return w->length_s * WR_WINDOW_MOST_GROWTH; }

static double accepted(wr_window *w, const wr_window_outcome *o)
{
    const double ratio = o->contraction > 0.0 && !w->is_static ? SAFETY * TARGET / o->contraction
                                                               : WR_WINDOW_MOST_GROWTH;
    return o->length_s *
           wr_clamp(o->n_sweep > 1 ? ratio : WR_WINDOW_MOST_GROWTH, LEAST, WR_WINDOW_MOST_GROWTH);
}

const wr_window_rule wr_window_rule_ratio = {
    .name = "ratio", .aims = 1, .first = first, .longest_next = longest_next, .accepted = accepted};
