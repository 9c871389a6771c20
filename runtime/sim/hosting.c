/* The host's functions. See hosting.h.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#include "runtime/sim/hosting.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 1024 };

/* Hosts of newer headers: what this library does not know must not be asked for. */
static int is_rest_zero(const wrsim_host *host)
{
    const unsigned char *const bytes = (const unsigned char *)host;
    for (size_t i = sizeof *host; i < host->size_bytes; i++)
        if (bytes[i] != 0)
            return 0;
    return 1;
}

static const char *find_fault(const wrsim_host *host)
{
    /* The first version had no models; a struct without a size is one that was not set up. */
    if (host->size_bytes < offsetof(wrsim_host, models) || host->size_bytes > LINE_BYTES)
        return "set size_bytes to sizeof(wrsim_host)";
    if (!is_rest_zero(host))
        return "it asks for what this version of the library does not have";
    if (!host->allocate != !host->release)
        return "give both allocate and release, or neither";
    if (!host->now_ns != !host->sleep_until_ns)
        return "give both now_ns and sleep_until_ns, or neither";
    return NULL;
}

wrsim_status wr_hosting_take(wrsim *sim, const wrsim_host *host, wrsim_error *err)
{
    if (!host)
        return WRSIM_OK;
    const char *const fault = find_fault(host);
    if (fault)
        return wr_error_set(err, WRSIM_E_ARG, "the wrsim_host cannot be used: %s", fault);
    const size_t bytes = host->size_bytes < sizeof *host ? host->size_bytes : sizeof *host;
    memcpy(&sim->host, host, bytes);
    sim->memory = (wr_memory){
        .allocate = host->allocate, .release = host->release, .context = host->memory_user};
    sim->pace_clock = (wr_pacer_clock){
        .now = host->now_ns, .sleep_until = host->sleep_until_ns, .context = host->clock_user};
    return WRSIM_OK;
}

static void say(wrsim *sim, wrsim_log_level level, const char *line)
{
    const wr_sim_state before = wr_simulation_where(sim);
    wr_simulation_enter(sim, WR_SIM_RUNNING);
    sim->host.log(sim->host.log_user, level, line);
    wr_simulation_enter(sim, before);
}

void wr_hosting_log(wrsim *sim, wrsim_log_level level, const char *format, ...)
{
    if (!sim->host.log)
        return;
    char line[LINE_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    say(sim, level, line);
}

void wr_hosting_log_all(wrsim *sim, wrsim_log_level level, const wr_diag *diag)
{
    for (int i = 0; i < diag->n_items; i++) {
        const wrsim_error *const e = &diag->items[i];
        if (e->file[0])
            wr_hosting_log(sim, level, "%s:%d: %s", e->file, e->line, e->text);
        else
            wr_hosting_log(sim, level, "%s", e->text);
    }
}
