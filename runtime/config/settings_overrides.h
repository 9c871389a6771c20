/* Changes the TOML tree by an override "key=value".
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_OVERRIDES_H
#define WR_SETTINGS_OVERRIDES_H

#include "runtime/config/settings_work.h"

void wr_settings_override(wr_settings_work *work, const char *text);

#endif
