/* Candidate groupings. See cuts.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "analysis/grouping/cuts.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

/* The weight of the strongest edge; that of a signal; a coupling of so much over a window is not to be cut. */
static const double HEAVIEST = 1000.0, NEVER = 1.0;
static const int AT_ONCE = 3; /* times the weight of a state */

int wr_cuts_draw(unsigned long long *state, int n)
{
    /* xorshift64* (G. Marsaglia 2003, S. Vigna 2016) */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (int)((*state * 2685821657736338717ULL >> 33) % (unsigned)n);
}

static double edge_weight(const wr_parts_edge *e, wr_cuts_rule rule, double window_s)
{
    const double times = e->at_once ? AT_ONCE : 1;
    const double coupling = fmin(e->strength * window_s / NEVER, 1.0) * HEAVIEST;
    return times * (rule == WR_CUTS_SIGNALS ? 1.0 : rule == WR_CUTS_STRENGTH ? coupling : 10.0 + coupling);
}

int wr_cuts_make(const wr_parts *p, int k, wr_cuts_rule rule, double window_s, double uneven,
                 int seed, wr_grouping_set *ret_set)
{
    const size_t n = (size_t)p->n_part;
    double *const between = calloc(n * n + 1, sizeof *between);
    idx_t *const start = calloc(n + 1, sizeof *start), *const weight = calloc(n + 1, sizeof *weight),
                 *const part = calloc(n + 1, sizeof *part);
    idx_t *const to = calloc(n * n + 1, sizeof *to), *const cut = calloc(n * n + 1, sizeof *cut);
    int code = -1;
    if (!between || !start || !weight || !part || !to || !cut)
        goto out;
    for (int i = 0; i < p->n_component; i++)
        weight[p->part[i]] += (idx_t)p->weight[i];
    for (int i = 0; i < p->n_edge; i++) {
        const wr_parts_edge *const e = &p->edge[i];
        const size_t a = (size_t)p->part[e->from], b = (size_t)p->part[e->to];
        between[a * n + b] += edge_weight(e, rule, window_s);
        between[b * n + a] += edge_weight(e, rule, window_s);
    }
    idx_t n_to = 0;
    for (size_t a = 0; a < n; a++) {
        start[a] = n_to;
        for (size_t b = 0; b < n; b++)
            if (a != b && between[a * n + b] > 0.0) {
                to[n_to] = (idx_t)b;
                cut[n_to++] = (idx_t)fmax(1.0, between[a * n + b]);
            }
    }
    start[n] = n_to;
    idx_t option[METIS_NOPTIONS], n_vertex = (idx_t)n, n_weight = 1, n_part = k, objective;
    real_t unevenness = (real_t)uneven;
    METIS_SetDefaultOptions(option);
    option[METIS_OPTION_SEED] = seed;
    option[METIS_OPTION_NUMBERING] = 0;
    if (METIS_PartGraphKway(&n_vertex, &n_weight, start, to, weight, NULL, cut, &n_part, NULL,
                            &unevenness, option, &objective, part) == METIS_OK) {
        *ret_set = wr_grouping_whole(p->n_part);
        ret_set->n_group = k;
        for (size_t i = 0; i < n; i++)
            ret_set->group[i] = (unsigned char)part[i];
        wr_grouping_tidy(ret_set);
        code = ret_set->n_group == k ? 0 : -1;
    }
out:
    free(between);
    free(start);
    free(weight);
    free(part);
    free(to);
    free(cut);
    return code;
}

/* Adds a random neighbour of the lightest group that has one; 0: nobody is left. */
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
    for (int i = 0; choice < 0 && i < p->n_part; i++) /* no neighbour: anybody */
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
