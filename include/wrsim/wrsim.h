/* wrsim: simulates coupled hybrid ODE models by waveform relaxation on several cores.
 *
 * The calls of a run, for a program that embeds wrsim:
 *
 *     wrsim_config *config = NULL;
 *     wrsim *sim = NULL;
 *     wrsim_error err;
 *     wrsim_status status =
 *         wrsim_config_from_file("engine.toml", NULL, 0, NULL, NULL, &config, &err);
 *     if (status >= 0)
 *         status = wrsim_create(config, NULL, NULL, &sim, &err);
 *     if (status >= 0)
 *         status = wrsim_prepare(sim, &err);
 *     if (status >= 0)
 *         status = wrsim_run(sim, &err);
 *     if (status < 0)
 *         fprintf(stderr, "%s\n", err.text);
 *     wrsim_finish(sim, NULL);
 *     wrsim_destroy(&sim);
 *     wrsim_config_destroy(&config);
 *
 * docs/reference/calls.md has order and thread of each call. wrsim/port.h describes a loop with a controller. wrsim_create_hosted
 * (wrsim/host.h) takes a logger, an allocator, a clock and models of the host.
 *
 * Errors: a wrsim_status is 0 if the call is done, > 0 if done with information, < 0 if failed. Other failed calls return NULL, -1 or NaN.
 * On failure outputs keep their values, except in wrsim_get_many(). err, if given, has the error and its place. The library never prints
 * and never exits.
 */
#ifndef WRSIM_H
#define WRSIM_H

#include "wrsim/checkpoint.h"
#include "wrsim/config.h"
#include "wrsim/delay.h"
#include "wrsim/host.h"
#include "wrsim/model.h"
#include "wrsim/observer.h"
#include "wrsim/port.h"
#include "wrsim/results.h"
#include "wrsim/scenario.h"
#include "wrsim/sim.h"
#include "wrsim/stats.h"
#include "wrsim/status.h"
#include "wrsim/study.h"
#include "wrsim/version.h"

#endif
