/* Reads all repeated tables.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_LISTS_H
#define WR_SETTINGS_LISTS_H

#include "runtime/config/settings_work.h"

void wr_settings_read_lists(wr_settings_work *work);

#endif
