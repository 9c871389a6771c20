/* Scenarios change signals, states and parameters during a simulation, or end it, without a change of the models. A config declares scenarios
 * ([[scenario]]) with action and time. A scenario with at = "api", or with neither a time nor a condition, begins and ends when the host
 * calls wrsim_scenario_trigger:
 *
 *     wrsim_prepare -> (wrsim_scenario_set_value*, wrsim_scenario_trigger*, wrsim_advance)* -> wrsim_finish
 *
 * wrsim_advance() samples the settings of scenarios once, at its beginning, like values of ports (wrsim/port.h). Settings act from the
 * present time on, with equal effect in all sweeps. If the host sets a scenario twice before an advance, the last setting counts. The run
 * records NAME.value and NAME.is_on as signals, which wrsim_find() also finds.
 *
 * Thread: the owner of the simulation, between two advances. Real-time: all functions except wrsim_scenario_find; these functions neither
 * allocate nor wait. */
#ifndef WRSIM_SCENARIO_H
#define WRSIM_SCENARIO_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Description of a scenario; the simulation owns the strings. */
typedef struct wrsim_scenario {
    const char *name;   /* name in the config */
    const char *action; /* kind of change, such as "override" */
    const char *
        target; /* "component.variable": changed signal, state or parameter; "": the scenario ends the run */
    int is_triggered; /* 1: the host triggers the scenario */
} wrsim_scenario;

/* Returns the number of scenarios, or 0 if sim is NULL. Handles are 0 to that number less 1, in the order of the config. Phase: after
 * create. */
WRSIM_API int wrsim_scenario_count(const wrsim *sim);

/* Returns the handle of a scenario, or -1 if no scenario has the name. Phase: after create. */
WRSIM_API int wrsim_scenario_find(const wrsim *sim, const char *name);

/* Describes a scenario. Returns WRSIM_OK, or WRSIM_E_ARG if the handle is invalid. Phase: after create. */
WRSIM_API wrsim_status wrsim_scenario_info(const wrsim *sim, int scenario,
                                           wrsim_scenario *ret_info);

/* Switches a scenario on (is_on 1) or off (0) for the next advance. Switching on an active scenario has no effect, but a reset acts
 * every time. If a scenario ends by its keys `until` or `duration`, the host must switch off the scenario before a new beginning.
 * Returns WRSIM_OK, or WRSIM_E_ARG if the handle is invalid or the config defines when the scenario begins. Returns WRSIM_E_STATE before
 * wrsim_prepare, in a callback, after a failure, and after wrsim_finish. A call that fails changes nothing. */
WRSIM_API wrsim_status wrsim_scenario_trigger(wrsim *sim, int scenario, int is_on);

/* Sets the key `value` of a scenario for the next advance, in the unit of its target. An active scenario uses the new value at once; a
 * reset uses the new value when the reset next acts. The call does not check the limits of a parameter. Returns a status as
 * wrsim_scenario_trigger() does; WRSIM_E_ARG also if the value is not finite or the action has no value (freeze, replay, stop). */
WRSIM_API wrsim_status wrsim_scenario_set_value(wrsim *sim, int scenario, double value);

#ifdef __cplusplus
}
#endif
#endif
