/* The table of rules. See window_rules.h.
 *
 * Thread: any. Real-time: no.
 */
#include "runtime/relax/window_rules.h"

#include <string.h>

extern const wr_window_rule wr_window_rule_work, wr_window_rule_ratio, wr_window_rule_fixed;

const wr_window_rule *const wr_window_rules[] = {&wr_window_rule_work, &wr_window_rule_ratio,
                                                 &wr_window_rule_fixed, NULL};

const wr_window_rule *wr_window_rule_find(const char *name)
{
    for (const wr_window_rule *const *rule = wr_window_rules; *rule; rule++)
        if (name && strcmp((*rule)->name, name) == 0)
            return *rule;
    return NULL;
}
