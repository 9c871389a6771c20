/* Which processing units get workers, and which tasks go where. See topology.h.
 *
 * Units are taken so that a team spans as few memory and cache domains as it can: at each level the
 * smallest domain that holds all that is wanted, else the largest one whole, then again for the
 * rest. Tasks are placed by the longest-processing-time rule, at most 4/3 - 1/(3 n_worker) times
 * the best possible (R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl.
 * Math. 17(2), 1969, theorem 2).
 *
 * Thread: one owner. Real-time: wr_placement_order yes (works in place), the rest no.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "scheduler/topology.h"

/* Domains are told apart by one of these fields of a PU. */
typedef enum domain_kind { DOMAIN_NUMA, DOMAIN_L3 } domain_kind;

/* A PU may have no L3 (-1): all such PUs of one NUMA node then make up one domain. */
static int domain_of(const wr_pu *pu, domain_kind kind)
{
    return kind == DOMAIN_NUMA ? pu->numa : pu->l3;
}

/* What is still to be had: is_free[i_pu], and is_open[i_pu] for those in the domains chosen. */
typedef struct pick_work {
    const wr_topology *topology;
    unsigned char *is_free, *is_open;
    int *size; /* [max(n_numa, n_l3) + 1] candidates per domain; 0 is for "no L3" */
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

/* First candidate in the domain to take n_wanted PUs from, -1 when no candidate is left; the
 * domain's size in ret_size. Ties go to the domain that comes first. */
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

/* Takes up to n_wanted candidates from one NUMA node, by L3. */
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

/* Takes up to n_wanted PUs among the first, second, ... hardware threads of their cores. */
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

static int has_core(const wr_topology *topology, int core)
{
    for (int i = 0; i < topology->n_pu; i++)
        if (topology->pu[i].core == core)
            return 1;
    return 0;
}

static int is_listed(const int *cores, int n_cores, int core)
{
    for (int i = 0; i < n_cores; i++)
        if (cores[i] == core)
            return 1;
    return n_cores <= 0;
}

/* Every unknown core is an error of its own. */
static int check_cores(const wr_topology *topology, const int *cores, int n_cores, wr_diag *diag)
{
    int n_bad = 0;
    for (int i = 0; i < n_cores; i++) {
        if (has_core(topology, cores[i]))
            continue;
        n_bad++;
        wr_diag_add(diag, WRSIM_E_CONFIG, NULL,
                    "core %d cannot be used: this process may use %s, numbered %d to %d; "
                    "'wrsim topology' lists them",
                    cores[i], topology->name, topology->pu[0].core,
                    topology->pu[topology->n_pu - 1].core);
    }
    return n_bad;
}

int wr_topology_pick(const wr_topology *topology, int n_worker, int max_worker, const int *cores,
                     int n_cores, int use_smt, int *ret_pu, int cap_pu, wr_diag *diag)
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
        flags[i] = is_listed(cores, n_cores, pu->core) && (n_cores > 0 || !pu->is_taken) &&
                   (use_smt || pu->sibling == 0);
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

/* A cost that is not a positive number counts as nothing. */
static double clean_cost(double cost) { return cost > 0.0 ? cost : 0.0; }

/* 1 when task a stands before task b in the order of falling cost. */
static int is_before(const double *cost, int a, int b)
{
    const double cost_a = clean_cost(cost[a]), cost_b = clean_cost(cost[b]);
    return cost_a > cost_b || (!(cost_b > cost_a) && a < b);
}

/* Moves the element at i down a heap whose root is the task that comes last. */
static void sift_down(const double *cost, int *heap, int n, int i)
{
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && is_before(cost, heap[child], heap[child + 1]))
            child++;
        if (!is_before(cost, heap[i], heap[child]))
            return;
        const int swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

/* Heapsort: in place, no allocation, n log n whatever the costs. */
void wr_placement_order(const double *cost, int n_task, int *ret_order)
{
    WR_ASSERT(n_task >= 0);
    for (int i = 0; i < n_task; i++)
        ret_order[i] = i;
    for (int i = n_task / 2 - 1; i >= 0; i--)
        sift_down(cost, ret_order, n_task, i);
    for (int last = n_task - 1; last > 0; last--) {
        const int swap = ret_order[0];
        ret_order[0] = ret_order[last];
        ret_order[last] = swap;
        sift_down(cost, ret_order, last, 0);
    }
}

static int least_loaded(const double *load, int n_worker)
{
    int i_least = 0;
    for (int i = 1; i < n_worker; i++)
        if (load[i] < load[i_least])
            i_least = i;
    return i_least;
}

double wr_placement_lpt(const double *cost, int n_task, int n_worker, int *ret_worker)
{
    WR_ASSERT(n_worker >= 1);
    double fullest = 0.0;
    double *const load = calloc((size_t)n_worker, sizeof *load);
    int *const order = malloc(((size_t)n_task + 1) * sizeof *order);
    if (!load || !order) {
        fullest = -1.0;
        goto out;
    }
    wr_placement_order(cost, n_task, order);
    for (int i = 0; i < n_task; i++) {
        const int i_worker = least_loaded(load, n_worker);
        ret_worker[order[i]] = i_worker;
        load[i_worker] += clean_cost(cost[order[i]]);
        fullest = wr_max(fullest, load[i_worker]);
    }
out:
    free(order);
    free(load);
    return fullest;
}
