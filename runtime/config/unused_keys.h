/* Keys that are given and do nothing, as others have it.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_UNUSED_KEYS_H
#define WR_UNUSED_KEYS_H

#include "runtime/config/settings.h"

/* Adds a warning for every reason, with the keys. has_tolerance: one of the solvers has; has_events: one of the models. */
void wr_unused_keys_warn(const wr_settings *set, int has_tolerance, int has_events,
                         wr_diag *warnings);

#endif
