/* Reads the tables [[connection]].
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_CONNECTIONS_H
#define WR_SETTINGS_CONNECTIONS_H

#include "runtime/config/settings_work.h"

void wr_settings_read_connections(wr_settings_work *work, const wr_toml *list);

#endif
