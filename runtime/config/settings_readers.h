/* Readers of the tables of a config, and the application of overrides. All functions report errors to work->diag.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_READERS_H
#define WR_SETTINGS_READERS_H

#include "runtime/config/settings_work.h"

/* Applies an override "key=value" to the tree work->root. */
void wr_settings_override(wr_settings_work *work, const char *text);

/* Fills all members that have a row in the table of keys, defaults first. */
void wr_settings_read_scalars(wr_settings_work *work);

/* Fills a subsystem's solver from its table, which may be NULL. Missing keys keep their values. */
void wr_settings_read_solver(wr_settings_work *work, const wr_toml *table, wr_set_solver *solver);

/* Reads all repeated tables. */
void wr_settings_read_lists(wr_settings_work *work);

/* Read the repeated tables [[connection]], [[port]] and [[scenario]]. */
void wr_settings_read_connections(wr_settings_work *work, const wr_toml *list);
void wr_settings_read_ports(wr_settings_work *work, const wr_toml *list);
void wr_settings_read_scenarios(wr_settings_work *work, const wr_toml *list);

#endif
