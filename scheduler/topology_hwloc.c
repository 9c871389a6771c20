/* The module 'hwloc': reads this machine, or a synthetic description, by hwloc. See topology_reading.h.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "scheduler/topology_reading.h"

#include <ctype.h>
#include <hwloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/module.h"

/* Returns the product of the numbers in a synthetic description, an upper bound of its units. For a product above WR_TOPOLOGY_MAX_PU,
 * may return any number above this limit. hwloc itself has no limit. The function skips attributes in brackets. */
static int64_t synthetic_size(const char *text)
{
    int64_t size = 1;
    int depth = 0;
    for (const char *c = text; *c && size <= WR_TOPOLOGY_MAX_PU; c++) {
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        const int starts_number =
            depth == 0 && isdigit((unsigned char)*c) && (c == text || c[-1] == ':' || c[-1] == ' ');
        if (!starts_number)
            continue;
        int64_t number = 0;
        for (; isdigit((unsigned char)*c) && number <= WR_TOPOLOGY_MAX_PU; c++)
            number = 10 * number + (*c - '0');
        size *= number > 0 ? number : 1;
        c--;
    }
    return size;
}

static int is_given(const char *text) { return text && *text; }

/* Returns a loaded topology. On failure returns NULL with the reason in diag. If hwloc cannot read this machine, the call adds nothing
 * to diag. */
static hwloc_topology_t load(const char *synthetic, wr_diag *diag)
{
    /* free memory that load() requires, bytes (assumed), because hwloc 2.9 crashes or hangs if an allocation fails */
    enum { ENOUGH_BYTES = 16 << 20 };
    hwloc_topology_t hw = NULL;
    if (is_given(synthetic) && synthetic_size(synthetic) > WR_TOPOLOGY_MAX_PU) {
        wr_diag_add(diag, WRSIM_E_CONFIG, NULL,
                    "synthetic topology '%.200s' has more than %d hardware threads; describe a "
                    "smaller machine",
                    synthetic, (int)WR_TOPOLOGY_MAX_PU);
        return NULL;
    }
    void *const room = mmap(NULL, ENOUGH_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || munmap(room, ENOUGH_BYTES) != 0 || hwloc_topology_init(&hw) != 0) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for the machine's topology");
        return NULL;
    }
    if (is_given(synthetic) && hwloc_topology_set_synthetic(hw, synthetic) != 0) {
        wr_diag_add(diag, WRSIM_E_CONFIG, NULL,
                    "synthetic topology '%.200s' is not a valid description for hwloc; write one "
                    "like \"pack:2 numa:1 l3:1 core:4 pu:2\"",
                    synthetic);
        goto fail;
    }
    /* Only the system's files describe caches, as without this module. A virtual machine's CPUs may give false sizes, and hwloc would move
     * the thread to each CPU to ask it. */
    (void)hwloc_topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(hw) == 0)
        return hw;
    /* If hwloc cannot read this machine, the caller reads the system's files. */
    if (is_given(synthetic))
        wr_diag_add(diag, WRSIM_E_CONFIG, NULL,
                    "hwloc cannot make the synthetic topology '%.200s'; describe another machine",
                    synthetic);
fail:
    hwloc_topology_destroy(hw);
    return NULL;
}

static int ancestor_number(hwloc_topology_t hw, hwloc_obj_t pu, hwloc_obj_type_t type, int missing)
{
    const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(hw, type, pu);
    return ancestor ? (int)ancestor->logical_index : missing;
}

/* Writes the usable units; hwloc's logical order is by core, then hardware thread. */
static void read_pus(hwloc_topology_t hw, hwloc_const_bitmap_t usable, wr_topology_reading *ret)
{
    hwloc_obj_t pu = NULL;
    while ((pu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, pu))) {
        if (!hwloc_bitmap_isset(usable, pu->os_index))
            continue;
        /* NUMA nodes are not in the tree of processors. Of several nodes, such as fast and slow memory, the first counts. */
        hwloc_obj_t node = NULL;
        do
            node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node);
        while (node && !hwloc_bitmap_isset(node->cpuset, pu->os_index));
        const wr_pu *const last = ret->n_pu > 0 ? &ret->pu[ret->n_pu - 1] : NULL;
        /* Without core information every hardware thread is a core. */
        const int core = ancestor_number(hw, pu, HWLOC_OBJ_CORE, (int)pu->logical_index);
        ret->pu[ret->n_pu++] =
            (wr_pu){.os_cpu = (int)pu->os_index,
                    .core = core,
                    .sibling = last && last->core == core ? last->sibling + 1 : 0,
                    .package = ancestor_number(hw, pu, HWLOC_OBJ_PACKAGE, 0),
                    .numa = node ? (int)node->logical_index : 0,
                    .l3 = ancestor_number(hw, pu, HWLOC_OBJ_L3CACHE, -1)};
    }
}

static wrsim_status read_machine(const char *synthetic, wr_topology_reading *ret, wr_diag *diag)
{
    const int n_before = diag->n_items;
    const hwloc_topology_t hw = load(synthetic, diag);
    if (!hw)
        return is_given(synthetic)        ? WRSIM_E_CONFIG
               : diag->n_items > n_before ? WRSIM_E_MEMORY
                                          : WRSIM_E_INTERNAL;
    /* The usable units are the units that the cpuset cgroup (hwloc) and the affinity mask permit. */
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hw));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (usable && bound && hwloc_topology_is_thissystem(hw) &&
        hwloc_get_cpubind(hw, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(usable, bound))
        hwloc_bitmap_and(usable, usable, bound);
    hwloc_bitmap_free(bound);
    const hwloc_obj_t l3 = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_L3CACHE, NULL);
    const int n_pu = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU);
    /* The environment can make hwloc read a description of another machine, which is also synthetic. */
    wr_topology_reading reading = {.is_synthetic = !hwloc_topology_is_thissystem(hw),
                                   .l3_bytes = l3 ? (int64_t)l3->attr->cache.size : 0,
                                   .pu = calloc(n_pu > 0 ? (size_t)n_pu : 1, sizeof *reading.pu)};
    wrsim_status status = WRSIM_OK;
    if (usable && reading.pu) {
        read_pus(hw, usable, &reading);
        *ret = reading;
    } else {
        free(reading.pu);
        status =
            wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while reading the topology");
    }
    hwloc_bitmap_free(usable);
    hwloc_topology_destroy(hw);
    return status;
}

static const wr_topology_ops ops = {.read = read_machine};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
