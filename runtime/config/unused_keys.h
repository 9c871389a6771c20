/* Warns of given keys that have no effect, because of other keys.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_UNUSED_KEYS_H
#define WR_UNUSED_KEYS_H

#include "runtime/config/settings.h"

/* Adds a warning for every reason, with the keys. has_tolerance: a solver has a tolerance; has_events: a model has events. */
void wr_unused_keys_warn(const wr_settings *set, int has_tolerance, int has_events,
                         wr_diag *warnings);

#endif
