/* Reads the scalar keys by their table (keys.h).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SCALARS_H
#define WR_SETTINGS_SCALARS_H

#include "runtime/config/settings_work.h"

/* Fills all members with a row in the table, defaults first. */
void wr_settings_read_scalars(wr_settings_work *work);

/* Fills a subsystem's solver from its table; missing keys keep their values. table may be NULL. */
void wr_settings_read_solver(wr_settings_work *work, const wr_toml *table, wr_set_solver *solver);

#endif
