/* Reads the tables [[scenario]].
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_SCENARIOS_H
#define WR_SETTINGS_SCENARIOS_H

#include "runtime/config/settings_work.h"

/* Names of the actions by wr_scenario_action. */
extern const char *const wr_settings_actions[WR_SCENARIO_ACTION_COUNT];

void wr_settings_read_scenarios(wr_settings_work *work, const wr_toml *list);

#endif
