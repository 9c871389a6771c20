/* Reads the tables [[port]].
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_PORTS_H
#define WR_SETTINGS_PORTS_H

#include "runtime/config/settings_work.h"

void wr_settings_read_ports(wr_settings_work *work, const wr_toml *list);

#endif
