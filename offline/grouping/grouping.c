/* Groupings and their settings. See grouping.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/grouping.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/names.h"
#include "base/order.h"

const char *const wr_grouping_solvers[] = {"", "bs32", "rk43", "dopri54", NULL};

wr_grouping_set wr_grouping_whole(int n_part)
{
    wr_grouping_set set = {
        .n_part = n_part, .n_group = 1, .tolerance = 1.0F, .convergence = 1.0F, .window = 1.0F};
    for (int g = 0; g < WR_GROUPING_GROUPS; g++)
        set.tight[g] = 1.0F;
    return set;
}

void wr_grouping_tidy(wr_grouping_set *set)
{
    const wr_grouping_set old = *set;
    int number[256], rank[256], n_level = 0;
    memset(number, -1, sizeof number);
    memset(rank, 0, sizeof rank);
    set->n_group = 0;
    for (int i = 0; i < set->n_part; i++) {
        int *const to = &number[old.group[i]];
        if (*to < 0) {
            *to = set->n_group++;
            set->level[*to] = old.level[old.group[i]];
            set->solver[*to] = old.solver[old.group[i]];
            set->tight[*to] = old.tight[old.group[i]];
        }
        set->group[i] = (unsigned char)*to;
    }
    for (int g = 0; g < set->n_group; g++)
        rank[set->level[g]] = 1;
    for (int k = 0; k < 256; k++) {
        const int is_used = rank[k];
        rank[k] = n_level;
        n_level += is_used;
    }
    for (int g = 0; g < set->n_group; g++)
        set->level[g] = (unsigned char)rank[set->level[g]];
}

static int is_close(float a, float b) { return fabsf(a - b) <= 1e-5F * fabsf(a); }

int wr_grouping_is_same(const wr_grouping_set *a, const wr_grouping_set *b)
{
    if (a->n_part != b->n_part || a->n_group != b->n_group ||
        memcmp(a->group, b->group, (size_t)a->n_part) != 0 ||
        !is_close(a->tolerance, b->tolerance) || !is_close(a->convergence, b->convergence) ||
        !is_close(a->window, b->window))
        return 0;
    for (int g = 0; g < a->n_group; g++)
        if (a->level[g] != b->level[g] || a->solver[g] != b->solver[g] ||
            !is_close(a->tight[g], b->tight[g]))
            return 0;
    return 1;
}

int wr_grouping_head(const wr_parts *parts, const wr_grouping_set *set, int i_group)
{
    int head = -1;
    for (int i = 0; i < parts->n_component; i++)
        if (set->group[parts->part[i]] == i_group &&
            (head < 0 || parts->weight[i] > parts->weight[head]))
            head = i;
    return head;
}

/* ---- settings ---- */

/* Lists the signals that cross cuts, in the order of publication: by consumer and its inputs (runtime/sim/network.c). Returns 0, or -1 when
 * out of memory. */
static int list_published(const wr_parts *p, const wr_grouping_set *set, wr_likeness_group *groups,
                          wr_heap_pool *memory)
{
    for (int g = 0; g < set->n_group; g++) {
        const size_t n = (size_t)p->n_edge + 1;
        int *const both = wr_heap_pool_take(memory, 2 * n, sizeof *both);
        if (!both)
            return -1;
        groups[g] = (wr_likeness_group){0, both, both + n};
    }
    for (int reader = 0; reader < set->n_group; reader++)
        for (int i = 0; i < p->n_edge; i++) {
            const wr_parts_edge *const e = &p->edge[i];
            wr_likeness_group *const from = &groups[set->group[p->part[e->from]]];
            if (set->group[p->part[e->to]] != reader || from == &groups[reader])
                continue;
            int k = 0;
            while (k < from->n && (from->component[k] != e->from || from->output[k] != e->i_output))
                k++;
            if (k < from->n) /* an earlier input has the signal */
                continue;
            from->component[from->n] = e->from;
            from->output[from->n++] = e->i_output;
        }
    return 0;
}

static void find_sources(const wr_grouping_of *of, const wr_grouping_set *set,
                         wr_set_subsystem *subsystem, wr_heap_pool *memory)
{
    wr_likeness_group *const groups =
        wr_heap_pool_take(memory, (size_t)set->n_group + 1, sizeof *groups);
    if (!of->likeness || !groups || list_published(of->parts, set, groups, memory) < 0)
        return;
    for (int g = 0; g < set->n_group; g++) {
        double lag = 0.0;
        const int source = wr_likeness_source(of->likeness, groups, set->n_group, g, &lag);
        if (source < 0)
            continue;
        subsystem[g].history_source = subsystem[source].name;
        subsystem[g].lag = lag;
    }
}

/* Returns the relative tolerance of the default solver. */
static double rtol_of(const wr_settings *s)
{
    return s->solver.rtol > 0.0
               ? s->solver.rtol
               : s->simulation.rtol * s->relaxation.solver_tolerance_factor *
                     wr_set_relaxation_tightening(&s->relaxation, s->simulation.rtol);
}

static void fill(const wr_grouping_of *of, const wr_grouping_set *set, int g,
                 const wr_settings *settings, wr_set_subsystem *s, wr_heap_pool *memory)
{
    const wr_parts *const p = of->parts;
    const float tight = set->tight[g];
    *s = (wr_set_subsystem){
        .name = p->name[wr_grouping_head(p, set, g)],
        .components = wr_heap_pool_take(memory, (size_t)p->n_component + 1, sizeof(const char *)),
        .solver = settings->solver,
        .level = set->n_group > 1 ? set->level[g] : -1,
        .kind = "components",
        .where_level = {.line = set->n_group > 1}};
    for (int i = 0; s->components && i < p->n_component; i++)
        if (set->group[p->part[i]] == g)
            s->components[s->n_components++] = p->name[i];
    if (set->solver[g] > 0)
        s->solver.kind = wr_grouping_solvers[set->solver[g]];
    if (!is_close(tight, 1.0F))
        s->solver.rtol = (double)tight * rtol_of(settings);
}

wr_settings wr_grouping_settings(const wr_grouping_of *of, const wr_grouping_set *set,
                                 wr_heap_pool *memory)
{
    wr_settings s = *of->settings;
    s.relaxation.scheme = WR_SCHEME_GAUSS_SEIDEL;
    s.simulation.monolithic = WR_GROUPING_SPLIT;
    s.relaxation.convergence *= (double)set->convergence;
    if (s.solver.rtol > 0.0)
        s.solver.rtol *= (double)set->tolerance;
    else
        s.relaxation.solver_tolerance_factor =
            wr_min(s.relaxation.solver_tolerance_factor * (double)set->tolerance, 1.0);
    s.relaxation.window_initial_s *= (double)set->window;
    s.relaxation.window_max_s = wr_max(s.relaxation.window_max_s, s.relaxation.window_initial_s);
    s.relaxation.window_min_s = wr_min(s.relaxation.window_min_s, s.relaxation.window_initial_s);
    s.n_subsystems = set->n_group;
    s.subsystems = wr_heap_pool_take(memory, (size_t)set->n_group + 1, sizeof *s.subsystems);
    if (!s.subsystems)
        return s;
    for (int g = 0; g < set->n_group; g++)
        fill(of, set, g, &s, &s.subsystems[g], memory);
    find_sources(of, set, s.subsystems, memory);
    return s;
}

/* ---- from a config ---- */

void wr_grouping_order(const wr_parts *parts, wr_grouping_set *set)
{
    enum { N = WR_GROUPING_GROUPS };
    int start[N + 2] = {0}, item[N * N], level[N], is_arc[N][N] = {{0}};
    for (int i = 0; i < parts->n_edge; i++)
        is_arc[set->group[parts->part[parts->edge[i].from]]]
              [set->group[parts->part[parts->edge[i].to]]] = 1;
    int n = 0;
    for (int a = 0; a < set->n_group; a++) {
        start[a] = n;
        for (int b = 0; b < set->n_group; b++)
            if (a != b && is_arc[a][b])
                item[n++] = b;
    }
    start[set->n_group] = n;
    if (wr_order_levels(set->n_group, start, item, level) < 0)
        return;
    for (int g = 0; g < set->n_group; g++)
        set->level[g] = (unsigned char)level[g];
}

wrsim_status wr_grouping_given(const wr_grouping_of *of, wr_grouping_set *ret_set, wrsim_error *err)
{
    const wr_settings *const s = of->settings;
    const wr_parts *const p = of->parts;
    wr_grouping_set set = wr_grouping_whole(p->n_part);
    int n_group = s->n_subsystems, has_levels = 1;
    if (n_group > WR_GROUPING_GROUPS)
        return wr_error_set(err, WRSIM_E_LIMIT,
                            "the config has %d subsystems, but a comparison takes at most %d; join "
                            "subsystems",
                            n_group, (int)WR_GROUPING_GROUPS);
    memset(set.group, 255, sizeof set.group);
    for (int i = 0; i < p->n_component; i++) {
        int g = -1;
        for (int j = 0; j < s->n_subsystems && g < 0; j++)
            for (int k = 0; k < s->subsystems[j].n_components && g < 0; k++)
                g = wr_names_match(s->subsystems[j].components[k], p->name[i]) ? j : -1;
        if (g < 0 && (g = n_group++) >= WR_GROUPING_GROUPS)
            return wr_error_set(err, WRSIM_E_LIMIT,
                                "the config has more than %d subsystems, because each component "
                                "outside of [[subsystem]] is one; list components together",
                                (int)WR_GROUPING_GROUPS);
        unsigned char *const to = &set.group[p->part[i]];
        if (*to != 255 && *to != g)
            return wr_error_set(err, WRSIM_E_CONFIG,
                                "the subsystems divide an algebraic loop at component '%s'; keep "
                                "the loop in one subsystem",
                                p->name[i]);
        *to = (unsigned char)g;
    }
    set.n_group = n_group;
    for (int g = 0; g < n_group; g++) {
        const int is_given = g < s->n_subsystems && s->subsystems[g].level >= 0;
        has_levels &= is_given;
        set.level[g] = (unsigned char)(is_given ? s->subsystems[g].level % 256 : 0);
        if (g >= s->n_subsystems)
            continue;
        const wr_set_solver *const solver = &s->subsystems[g].solver;
        for (int k = 1; wr_grouping_solvers[k]; k++)
            if (strcmp(solver->kind, wr_grouping_solvers[k]) == 0 &&
                strcmp(solver->kind, s->solver.kind) != 0)
                set.solver[g] = (unsigned char)k;
        if (solver->rtol > 0.0)
            set.tight[g] = (float)(solver->rtol / rtol_of(s));
    }
    wr_grouping_tidy(&set);
    if (!has_levels)
        wr_grouping_order(p, &set);
    *ret_set = set;
    return WRSIM_OK;
}
