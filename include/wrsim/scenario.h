/* Scenarios: what happens to signals, states and parameters while a simulation runs, without any change of a model. A config
 * declares them ([[scenario]]), with what happens and when. Those declared with at = "api", or with neither a time nor a
 * condition, begin and end when a host says so:
 *
 *     wrsim_prepare -> (wrsim_scenario_set_value*, wrsim_scenario_trigger*, wrsim_advance)* -> wrsim_finish
 *
 * As what is set on ports (wrsim/port.h) it is sampled once, when wrsim_advance() begins, and acts from the present time
 * on, the same in all sweeps: what is set twice before counts as it was set last. What scenarios do is recorded by their
 * names: NAME.value and NAME.is_on are signals as all others, also for wrsim_find().
 *
 * Thread: the simulation's owner, between two advances. Real-time: all but wrsim_scenario_find: nothing is allocated, and
 * nothing waits.
 */
#ifndef WRSIM_SCENARIO_H
#define WRSIM_SCENARIO_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scenario is; strings are owned by the simulation. */
typedef struct wrsim_scenario {
    const char *name, *action; /* "override", ... */
    const char *target;        /* "component.variable": the signal, state or parameter */
    int is_triggered;          /* 1: a host says when */
} wrsim_scenario;

/* How many there are; handles are 0 to that less 1, in the order of the config. 0 where sim is NULL. Phase: after create. */
WRSIM_API int wrsim_scenario_count(const wrsim *sim);

/* The handle of a scenario; -1 if there is none of that name. Phase: after create. */
WRSIM_API int wrsim_scenario_find(const wrsim *sim, const char *name);

/* Returns WRSIM_OK, or WRSIM_E_ARG where the handle is wrong. Phase: after create. */
WRSIM_API wrsim_status wrsim_scenario_info(const wrsim *sim, int scenario,
                                           wrsim_scenario *ret_info);

/* Switches a scenario on (is_on 1) or off (0) for the next advance; one that is on already goes on. A reset acts each time it
 * is switched on. One that has ended by itself (until, duration) begins again only after it was switched off. Returns WRSIM_OK;
 * WRSIM_E_ARG if the handle is wrong or the config says when it begins; WRSIM_E_STATE before wrsim_prepare, in a callback, and
 * after a failure. Changes nothing then. */
WRSIM_API wrsim_status wrsim_scenario_trigger(wrsim *sim, int scenario, int is_on);

/* Sets what the config calls value, in the unit of what is changed, for the next advance; one that is on goes on with it, but
 * a reset, which takes it when it is switched on next. A parameter's is not held against its limits. Returns as
 * wrsim_scenario_trigger(); WRSIM_E_ARG also if value is not finite, or the action has none (freeze, replay). */
WRSIM_API wrsim_status wrsim_scenario_set_value(wrsim *sim, int scenario, double value);

#ifdef __cplusplus
}
#endif
#endif
