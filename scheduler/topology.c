/* Describes a machine for placement, from the module 'hwloc' or the system's files. See topology.h.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "scheduler/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/module.h"
#include "scheduler/topology_reading.h"

static int *member_of(wr_pu *pu, size_t field_offset) { return (int *)((char *)pu + field_offset); }

/* Renumbers one member of all units to 0 .. n - 1 in the order of first appearance; -1 stays. Writes n. Returns 0,
 * or -1 when memory is exhausted. */
static int renumber(wr_topology *topology, size_t field_offset, int *ret_n)
{
    int n_old = 0, n_new = 0;
    for (int i = 0; i < topology->n_pu; i++) {
        const int number = *member_of(&topology->pu[i], field_offset);
        n_old = number >= n_old ? number + 1 : n_old;
    }
    int *const new_number = calloc((size_t)n_old + 1, sizeof *new_number);
    if (!new_number)
        return -1;
    for (int i = 0; i < n_old; i++)
        new_number[i] = -1;
    for (int i = 0; i < topology->n_pu; i++) {
        int *const number = member_of(&topology->pu[i], field_offset);
        if (*number < 0)
            continue;
        if (new_number[*number] < 0)
            new_number[*number] = n_new++;
        *number = new_number[*number];
    }
    free(new_number);
    *ret_n = n_new;
    return 0;
}

static void append(char *text, size_t cap, const char *format, ...) WR_PRINTF(3, 4);
static void append(char *text, size_t cap, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, cap - used, format, args);
    va_end(args);
}

static void append_count(char *text, size_t cap, int n, const char *one)
{
    append(text, cap, "%s%d %s%s", *text ? ", " : "", n, one, n == 1 ? "" : "s");
}

static wrsim_status read_machine(const char *synthetic, wr_topology_reading *ret, wr_diag *diag)
{
    wrsim_error err;
    const wr_topology_ops *const hwloc = wr_module_load(WR_MODULE_HWLOC, &err);
    wrsim_status status = hwloc ? hwloc->read(synthetic, ret, diag) : WRSIM_E_INTERNAL;
    if (status != WRSIM_E_INTERNAL)
        return status;
    if (synthetic && *synthetic)
        return wr_diag_add(diag, err.status, NULL, "%s", err.text);
    status = wr_topology_sysfs_read("/sys/devices/system", ret);
    if (status == WRSIM_E_INTERNAL)
        wr_diag_add(diag, status, NULL,
                    "the affinity mask of this process cannot be read; allow the system call "
                    "sched_getaffinity()");
    else if (status < 0)
        wr_diag_add(diag, status, NULL, "out of memory while reading the topology");
    return status;
}

wr_topology *wr_topology_create(const char *synthetic, wr_diag *diag)
{
    wr_topology_reading reading;
    if (read_machine(synthetic, &reading, diag) < 0)
        return NULL;
    WR_ASSERT(reading.n_pu > 0);
    wr_topology *topology = calloc(1, sizeof *topology);
    if (!topology) {
        free(reading.pu);
        goto fail;
    }
    topology->pu = reading.pu;
    topology->n_pu = reading.n_pu;
    topology->is_synthetic = reading.is_synthetic;
    for (int i = 0; i < topology->n_pu; i++)
        topology->n_core += topology->pu[i].sibling == 0;
    if (renumber(topology, offsetof(wr_pu, package), &topology->n_package) != 0 ||
        renumber(topology, offsetof(wr_pu, numa), &topology->n_numa) != 0 ||
        renumber(topology, offsetof(wr_pu, l3), &topology->n_l3) != 0)
        goto fail;
    /* The name is a text such as "8 cores, 16 hardware threads, 2 packages, 2 x 16 MiB L3". */
    char *const name = topology->name;
    const size_t cap = sizeof topology->name;
    append_count(name, cap, topology->n_core, "core");
    if (topology->n_pu != topology->n_core)
        append_count(name, cap, topology->n_pu, "hardware thread");
    append_count(name, cap, topology->n_package, "package");
    if (topology->n_numa > 1)
        append_count(name, cap, topology->n_numa, "NUMA node");
    if (topology->n_l3 > 1)
        append(name, cap, ", %d x %lld MiB L3", topology->n_l3,
               (long long)(reading.l3_bytes >> 20));
    else if (topology->n_l3 > 0)
        append(name, cap, ", %lld MiB L3", (long long)(reading.l3_bytes >> 20));
    if (topology->is_synthetic)
        append(name, cap, " (synthetic)");
    return topology;
fail:
    wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while reading the topology");
    wr_topology_destroy(&topology);
    return NULL;
}

void wr_topology_destroy(wr_topology **topology)
{
    if (!topology || !*topology)
        return;
    free((*topology)->pu);
    free(*topology);
    *topology = NULL;
}
