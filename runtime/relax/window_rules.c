/* Rules for the length of windows: their table, and the short rules. See window.h.
 *
 * Thread: serial section of the engine. Real-time: yes; the search for a name: no.
 */
#include <string.h>

#include "base/check.h"
#include "runtime/relax/window.h"

static double requested(const wr_window *w, int n_subsystem)
{
    (void)n_subsystem;
    return w->initial_s;
}

/* ---- rule "fixed": the requested length; after a rejection the length doubles up to the requested length ---- */

static double fixed_longest(const wr_window *w) { return w->initial_s; }

static double fixed_accepted(wr_window *w, const wr_window_outcome *o)
{
    (void)o;
    return wr_min(WR_WINDOW_MOST_GROWTH * w->length_s, w->initial_s);
}

/* ---- rule "ratio": the ratio of two successive residuals rescales the length ----
 *
 * Ben Khaled et al. (2011), section 6, gives no formula; docs/METHODS.md, Window length. */

static const double TARGET = 0.1; /* wanted contraction rate of the next window (assumed) */
static const double SAFETY = 0.9; /* factor on the length that gives TARGET (assumed) */
static const double LEAST = 0.3;  /* least ratio of two successive lengths (assumed) */

static double ratio_longest(const wr_window *w) { return w->length_s * WR_WINDOW_MOST_GROWTH; }

static double ratio_accepted(wr_window *w, const wr_window_outcome *o)
{
    const double ratio = o->contraction > 0.0 && !w->is_static ? SAFETY * TARGET / o->contraction
                                                               : WR_WINDOW_MOST_GROWTH;
    return o->length_s *
           wr_clamp(o->n_sweep > 1 ? ratio : WR_WINDOW_MOST_GROWTH, LEAST, WR_WINDOW_MOST_GROWTH);
}

/* ---- the table ---- */

static const wr_window_rule rule_ratio = {.name = "ratio",
                                          .aims = 1,
                                          .first = requested,
                                          .longest_next = ratio_longest,
                                          .accepted = ratio_accepted};
static const wr_window_rule rule_fixed = {.name = "fixed",
                                          .is_fixed = 1,
                                          .first = requested,
                                          .longest_next = fixed_longest,
                                          .accepted = fixed_accepted};
extern const wr_window_rule wr_window_rule_work;

const wr_window_rule *const wr_window_rules[] = {&wr_window_rule_work, &rule_ratio, &rule_fixed,
                                                 NULL};

const wr_window_rule *wr_window_rule_find(const char *name)
{
    for (const wr_window_rule *const *rule = wr_window_rules; *rule; rule++)
        if (name && strcmp((*rule)->name, name) == 0)
            return *rule;
    return NULL;
}
