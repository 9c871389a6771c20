/* Candidate groupings. See cuts.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/cuts.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

/* HEAVIEST: coupling weight of an edge whose error is MANY_TOLERANCES tolerances or more. SIGNAL: weight of each signal (all assumed). */
static const double HEAVIEST = 1000.0, MANY_TOLERANCES = 1000.0, SIGNAL = 10.0;
/* Share of all events above which a part forms a group of its own (assumed), because its events would stop the other parts too often. */
static const double MANY_EVENTS = 0.1;
/* factor on the weight of outputs with direct feed-through (assumed), which makes cuts through such outputs rare */
static const int AT_ONCE = 3;

int wr_cuts_draw(unsigned long long *state, int n)
{
    /* xorshift64* (G. Marsaglia, "Xorshift RNGs", 2003; S. Vigna, "An experimental exploration of Marsaglia's
     * xorshift generators, scrambled", 2016) */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (int)((*state * 2685821657736338717ULL >> 33) % (unsigned)n);
}

static double edge_weight(const wr_parts_edge *e, wr_cuts_rule rule, double rtol)
{
    const double times = e->at_once ? AT_ONCE : 1;
    const double off = e->strength / rtol; /* strength in tolerances */
    const double coupling = fmin(log1p(off) / log1p(MANY_TOLERANCES), 1.0) * HEAVIEST;
    return times * (rule == WR_CUTS_SIGNALS    ? SIGNAL
                    : rule == WR_CUTS_STRENGTH ? coupling
                                               : SIGNAL + coupling);
}

/* Divides the n parts with place[part] >= 0 into k groups. Does not change group[part] of other parts. Returns 0, or -1 on failure. */
static int cut(const wr_parts *p, const int *place, size_t n, int k, wr_cuts_rule rule, double rtol,
               double uneven, int seed, unsigned char *group)
{
    WR_AUTO_FREE double *const between = calloc(n * n + 1, sizeof *between);
    WR_AUTO_FREE idx_t *const start = calloc(n + 1, sizeof *start),
                              *const weight = calloc(n + 1, sizeof *weight),
                              *const part = calloc(n + 1, sizeof *part);
    WR_AUTO_FREE idx_t *const to = calloc(n * n + 1, sizeof *to), *const load = calloc(
                                                                      n * n + 1, sizeof *load);
    if (!between || !start || !weight || !part || !to || !load)
        return -1;
    for (int i = 0; i < p->n_component; i++)
        if (place[p->part[i]] >= 0)
            weight[place[p->part[i]]] += (idx_t)p->weight[i];
    for (int i = 0; i < p->n_edge; i++) {
        const wr_parts_edge *const e = &p->edge[i];
        const int a = place[p->part[e->from]], b = place[p->part[e->to]];
        if (a < 0 || b < 0)
            continue;
        between[(size_t)a * n + (size_t)b] += edge_weight(e, rule, rtol);
        between[(size_t)b * n + (size_t)a] += edge_weight(e, rule, rtol);
    }
    idx_t n_to = 0;
    for (size_t a = 0; a < n; a++) {
        start[a] = n_to;
        for (size_t b = 0; b < n; b++)
            if (a != b && between[a * n + b] > 0.0) {
                to[n_to] = (idx_t)b;
                load[n_to++] = (idx_t)fmax(1.0, between[a * n + b]);
            }
    }
    start[n] = n_to;
    idx_t option[METIS_NOPTIONS], n_vertex = (idx_t)n, n_weight = 1, n_part = k, objective;
    real_t unevenness = (real_t)uneven;
    METIS_SetDefaultOptions(option);
    option[METIS_OPTION_SEED] = seed;
    option[METIS_OPTION_NUMBERING] = 0;
    if (k > 1 && METIS_PartGraphKway(&n_vertex, &n_weight, start, to, weight, NULL, load, &n_part,
                                     NULL, &unevenness, option, &objective, part) != METIS_OK)
        return -1;
    for (int i = 0; i < p->n_part; i++)
        if (place[i] >= 0)
            group[i] = (unsigned char)part[place[i]];
    return 0;
}

int wr_cuts_make(const wr_parts *p, int k, wr_cuts_rule rule, double rtol, double uneven, int seed,
                 wr_grouping_set *ret_set)
{
    int place[WR_GROUPING_PARTS];
    for (int i = 0; i < p->n_part; i++)
        place[i] = i;
    *ret_set = wr_grouping_whole(p->n_part);
    if (cut(p, place, (size_t)p->n_part, k, rule, rtol, uneven, seed, ret_set->group) < 0)
        return -1;
    ret_set->n_group = k;
    wr_grouping_tidy(ret_set);
    return ret_set->n_group == k ? 0 : -1;
}

int wr_cuts_events(const wr_parts *p, int k, wr_cuts_rule rule, double rtol, double uneven,
                   int seed, wr_grouping_set *ret_set, int *ret_n_alone)
{
    int place[WR_GROUPING_PARTS], n_left = 0, n_alone = 0;
    double events[WR_GROUPING_PARTS] = {0}, all = 0.0;
    for (int i = 0; i < p->n_component; i++) {
        events[p->part[i]] += p->events[i];
        all += p->events[i];
    }
    *ret_set = wr_grouping_whole(p->n_part);
    for (int i = 0; i < p->n_part; i++) {
        const int is_alone = events[i] > MANY_EVENTS * all;
        place[i] = is_alone ? -1 : n_left++;
        n_alone += is_alone;
    }
    *ret_n_alone = n_alone;
    if (n_alone == 0 || k <= n_alone || n_left < k - n_alone ||
        cut(p, place, (size_t)n_left, k - n_alone, rule, rtol, uneven, seed, ret_set->group) < 0)
        return -1;
    ret_set->n_group = k - n_alone;
    for (int i = 0; i < p->n_part; i++)
        if (place[i] < 0) {
            ret_set->level[ret_set->n_group] = 1;
            ret_set->group[i] = (unsigned char)ret_set->n_group++;
        }
    wr_grouping_tidy(ret_set);
    return ret_set->n_group == k ? 0 : -1;
}

/* Adds a random neighbour, or else any free part, to the lightest group. Returns 0 if no part is free. */
static int grow(const wr_parts *p, wr_grouping_set *set, double *load, unsigned long long *state)
{
    int left = 0;
    for (int i = 0; i < p->n_part; i++)
        left += set->group[i] == 255;
    if (left == 0)
        return 0;
    int g = 0, choice = -1, n = 0;
    for (int k = 1; k < set->n_group; k++)
        g = load[k] < load[g] ? k : g;
    for (int i = 0; i < p->n_edge; i++) {
        const int a = p->part[p->edge[i].from], b = p->part[p->edge[i].to];
        const int other = set->group[a] == g ? b : set->group[b] == g ? a : -1;
        if (other >= 0 && set->group[other] == 255 && wr_cuts_draw(state, ++n) == 0)
            choice = other;
    }
    for (int i = 0; choice < 0 && i < p->n_part; i++) /* the group has no free neighbour */
        if (set->group[i] == 255 && wr_cuts_draw(state, ++n) == 0)
            choice = i;
    for (int i = 0; choice < 0 && i < p->n_part; i++)
        if (set->group[i] == 255)
            choice = i;
    set->group[choice] = (unsigned char)g;
    for (int i = 0; i < p->n_component; i++)
        if (p->part[i] == choice)
            load[g] += p->weight[i];
    return 1;
}

int wr_cuts_random(const wr_parts *p, int k, double uneven, unsigned long long *state,
                   wr_grouping_set *ret_set)
{
    double load[WR_GROUPING_GROUPS] = {0}, all = 0.0, heaviest = 0.0;
    wr_grouping_set set = wr_grouping_whole(p->n_part);
    if (k > p->n_part)
        return -1;
    memset(set.group, 255, sizeof set.group);
    set.n_group = k;
    for (int i = 0; i < p->n_component; i++) {
        all += p->weight[i];
        heaviest = fmax(heaviest, p->weight[i]);
    }
    for (int g = 0; g < k; g++) {
        int i = wr_cuts_draw(state, p->n_part);
        while (set.group[i] != 255)
            i = (i + 1) % p->n_part;
        set.group[i] = (unsigned char)g;
        for (int c = 0; c < p->n_component; c++)
            if (p->part[c] == i)
                load[g] += p->weight[c];
    }
    while (grow(p, &set, load, state))
        ;
    for (int g = 0; g < k; g++)
        if (load[g] > uneven * fmax(all / k, heaviest))
            return -1;
    for (int g = 0; g < k; g++)
        set.level[g] = (unsigned char)wr_cuts_draw(state, k < 3 ? k : 3);
    wr_grouping_tidy(&set);
    *ret_set = set;
    return set.n_group == k ? 0 : -1;
}
