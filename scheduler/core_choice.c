/* Chooses units domain by domain. See core_choice.h. Thread: any. Real-time: no (setup only). */
#include "scheduler/core_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* Kind of a domain: the member of wr_pu with the domain's number. */
typedef enum domain_kind { DOMAIN_NUMA, DOMAIN_L3 } domain_kind;

/* Returns the number of a unit's domain. Units without L3 (-1) of one NUMA node form one domain. */
static int domain_of(const wr_pu *pu, domain_kind kind)
{
    return kind == DOMAIN_NUMA ? pu->numa : pu->l3;
}

/* Unit i_pu is a candidate of the present search if is_free[i_pu] and is_open[i_pu] are 1. */
typedef struct pick_work {
    const wr_topology *topology;
    unsigned char *is_free, *is_open;
    int *size; /* [max(n_numa, n_l3) + 1] candidates per domain; index 0 is for "no L3" */
    int *ret_pu;
    int n_picked;
} pick_work;

static int is_candidate(const pick_work *work, int i_pu)
{
    return work->is_free[i_pu] && work->is_open[i_pu];
}

static size_t max_domains(const wr_topology *topology)
{
    return (size_t)(topology->n_numa > topology->n_l3 ? topology->n_numa : topology->n_l3) + 1;
}

/* Returns the first candidate in the best domain, or -1 without a candidate. The best domain is the smallest with at least n_wanted
 * candidates; without such a domain, the largest. Of equal domains the function chooses the first. ret_size gets the size of the domain. */
static int best_domain(const pick_work *work, domain_kind kind, int n_wanted, int *ret_size)
{
    const wr_topology *const topology = work->topology;
    memset(work->size, 0, max_domains(topology) * sizeof *work->size);
    for (int i = 0; i < topology->n_pu; i++)
        if (is_candidate(work, i))
            work->size[domain_of(&topology->pu[i], kind) + 1]++;
    int i_best = -1, best_size = 0;
    for (int i = 0; i < topology->n_pu; i++) {
        if (!is_candidate(work, i))
            continue;
        const int size = work->size[domain_of(&topology->pu[i], kind) + 1];
        const int fits = size >= n_wanted, best_fits = best_size >= n_wanted;
        if (i_best < 0 || (fits && (!best_fits || size < best_size)) ||
            (!fits && !best_fits && size > best_size)) {
            i_best = i;
            best_size = size;
        }
    }
    *ret_size = best_size;
    return i_best;
}

/* Chooses up to n_wanted candidates of one NUMA node, one L3 cache after the other. */
static void pick_in_numa(pick_work *work, int numa, int n_wanted)
{
    const wr_topology *const topology = work->topology;
    unsigned char *const is_open = work->is_open;
    for (int i = 0; i < topology->n_pu; i++)
        if (topology->pu[i].numa != numa)
            is_open[i] = 0;
    while (n_wanted > 0) {
        int size = 0;
        const int i_first = best_domain(work, DOMAIN_L3, n_wanted, &size);
        if (i_first < 0)
            return;
        const int l3 = topology->pu[i_first].l3;
        for (int i = i_first; i < topology->n_pu && n_wanted > 0; i++)
            if (is_candidate(work, i) && topology->pu[i].l3 == l3) {
                work->is_free[i] = 0;
                work->ret_pu[work->n_picked++] = i;
                n_wanted--;
            }
    }
}

/* Chooses up to n_wanted units with the number `sibling` in their cores. */
static void pick_siblings(pick_work *work, int sibling, int n_wanted)
{
    const wr_topology *const topology = work->topology;
    while (n_wanted > 0) {
        for (int i = 0; i < topology->n_pu; i++)
            work->is_open[i] = topology->pu[i].sibling == sibling;
        int size = 0;
        const int i_first = best_domain(work, DOMAIN_NUMA, n_wanted, &size);
        if (i_first < 0)
            return;
        const int n_here = size < n_wanted ? size : n_wanted;
        pick_in_numa(work, topology->pu[i_first].numa, n_here);
        n_wanted -= n_here;
    }
}

/* Reports each listed core without a usable unit. Returns the number of these cores. */
static int check_cores(const wr_topology *topology, const int *cores, int n_cores, wr_diag *diag)
{
    int n_bad = 0;
    for (int i = 0; i < n_cores; i++) {
        int k = 0;
        while (k < topology->n_pu && topology->pu[k].core != cores[i])
            k++;
        if (k < topology->n_pu)
            continue;
        n_bad++;
        wr_diag_add(diag, WRSIM_E_CONFIG, NULL,
                    "core %d cannot be used: the usable cores have numbers within %d to %d (%s); "
                    "choose cores that `wrsim topology` lists",
                    cores[i], topology->pu[0].core, topology->pu[topology->n_pu - 1].core,
                    topology->name);
    }
    return n_bad;
}

int wr_core_choice_units(const wr_topology *topology, int n_worker, int max_worker,
                         const int *cores, int n_cores, int use_smt, int *ret_pu, int cap_pu,
                         wr_diag *diag)
{
    WR_ASSERT(n_worker >= 0 && cap_pu >= 1);
    if (check_cores(topology, cores, n_cores, diag) > 0)
        return -1;
    const size_t n_pu = (size_t)topology->n_pu;
    unsigned char *const flags = calloc(2 * n_pu, 1);
    int *const sizes = calloc(max_domains(topology), sizeof *sizes);
    if (!flags || !sizes) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while choosing cores");
        n_worker = -1;
        goto out;
    }
    int n_usable = 0, max_sibling = 0;
    for (int i = 0; i < topology->n_pu; i++) {
        const wr_pu *const pu = &topology->pu[i];
        int is_listed = n_cores <= 0 && !pu->is_taken;
        for (int k = 0; k < n_cores && !is_listed; k++)
            is_listed = cores[k] == pu->core;
        flags[i] = is_listed && (use_smt || pu->sibling == 0);
        n_usable += flags[i];
        if (flags[i] && pu->sibling > max_sibling)
            max_sibling = pu->sibling;
    }
    if (n_worker == 0)
        n_worker =
            max_worker > 0 && max_worker < n_usable ? max_worker : (n_usable > 0 ? n_usable : 1);
    if (n_worker > cap_pu)
        n_worker = cap_pu;
    pick_work work = {.topology = topology,
                      .is_free = flags,
                      .is_open = flags + n_pu,
                      .size = sizes,
                      .ret_pu = ret_pu};
    for (int sibling = 0; sibling <= max_sibling; sibling++)
        pick_siblings(&work, sibling, n_worker - work.n_picked);
    for (int i = work.n_picked; i < n_worker; i++)
        ret_pu[i] = -1;
out:
    free(sizes);
    free(flags);
    return n_worker;
}
