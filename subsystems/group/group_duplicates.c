/* Finds duplicate components with a hash table. See group_duplicates.h. Thread: one owner. Real-time: no (setup only). */
#include "subsystems/group/group_duplicates.h"

#include <stdlib.h>
#include <string.h>

typedef struct finder {
    wr_component *const *component;
    wr_group_edge *edge;
    int *first_edge;  /* [n_component + 1] first edge of each consumer */
    int *original;    /* [n_component] first component with the same values */
    char *is_acyclic; /* [n_component] the component is in no algebraic loop */
    int *table;       /* [n_slot] component, or -1 */
    unsigned n_slot;  /* a power of two */
} finder;

/* Returns whether an output is a state, or by its declared pattern depends directly on no input. */
static int is_free(const wr_component *component, int output)
{
    const wr_incidence *const pattern = &component->pattern[WRSIM_U_Y];
    int is_free = pattern->is_declared;
    for (int k = 0; k < pattern->n && is_free; k++)
        is_free = pattern->row[k] != output;
    return is_free || (component->variable[WRSIM_OUTPUT][output].flags & WRSIM_IS_STATE) != 0;
}

/* Returns whether each source of the component is an external input, a free output, or an output of an earlier component in no loop. Then c
 * is in no algebraic loop. The iteration of a loop may have several solutions, so its components are not shared. */
static int has_acyclic_sources(const finder *f, int c)
{
    for (int i = f->first_edge[c]; i < f->first_edge[c + 1]; i++) {
        const wr_group_edge *const e = &f->edge[i];
        if (e->from >= 0 && !(e->from < c && f->is_acyclic[e->from]) &&
            !is_free(f->component[e->from], e->i_output))
            return 0;
    }
    return 1;
}

/* Returns whether the outputs depend only on time, constant parameters and inputs, and every input has a source. A scenario may change a
 * tunable parameter during the run, so a tunable parameter is not constant. */
static int may_share(const finder *f, int c)
{
    const wr_component *const component = f->component[c];
    const wrsim_model *const m = component->model;
    for (int i = 0; i < m->n_param; i++)
        if (m->params[i].flags & WRSIM_TUNABLE)
            return 0;
    return component->n[WRSIM_INPUT] > 0 && component->n[WRSIM_OUTPUT] > 0 &&
           component->n[WRSIM_STATE] + component->n[WRSIM_DISCRETE] +
                   component->n[WRSIM_INDICATOR] ==
               0 &&
           component->memory_bytes == 0 && !m->own_state && !m->init_from_inputs &&
           !component->is_claimed && !m->next_time && !m->event && !m->step_completed && !m->done &&
           f->first_edge[c + 1] - f->first_edge[c] == component->n[WRSIM_INPUT];
}

static int has_same_parameters(const wr_component *a, const wr_component *b)
{
    const size_t n = (size_t)a->model->n_param;
    if (n > 0 && memcmp(a->param, b->param, n * sizeof *a->param) != 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (a->text[i] && (!b->text[i] || strcmp(a->text[i], b->text[i]) != 0))
            return 0;
    return 1;
}

/* Returns whether two inputs of equal components have one source with the same conversion and transformation. */
static int is_same_source(const wr_group_edge *a, const wr_group_edge *b)
{
    return a->i_input == b->i_input && a->from == b->from &&
           wr_unit_is_same_scale(a->scale, b->scale) &&
           (a->from < 0 ? a->i_external == b->i_external : a->i_output == b->i_output);
}

static int is_duplicate(const finder *f, int a, int b)
{
    if (f->component[a]->model != f->component[b]->model ||
        !has_same_parameters(f->component[a], f->component[b]))
        return 0;
    for (int i = 0; i < f->component[a]->n[WRSIM_INPUT]; i++)
        if (!is_same_source(&f->edge[f->first_edge[a] + i], &f->edge[f->first_edge[b] + i]))
            return 0;
    return 1;
}

/* Returns the slot of a component that computes the same values as component c, or an empty slot. */
static int *find_slot(const finder *f, int c)
{
    unsigned hash = 0;
    for (int i = f->first_edge[c]; i < f->first_edge[c + 1]; i++) {
        const wr_group_edge *const e = &f->edge[i];
        const int source = e->from < 0 ? e->i_external : e->i_output;
        hash = (hash * 31 + (unsigned)(e->from + 2)) * 31 + (unsigned)source;
    }
    unsigned slot = (hash ^ hash >> 15) & (f->n_slot - 1);
    while (f->table[slot] >= 0 && !is_duplicate(f, f->table[slot], c))
        slot = (slot + 1) & (f->n_slot - 1);
    return &f->table[slot];
}

int wr_group_share_duplicates(wr_component *const *components, int n_components,
                              wr_group_edge *edges, int n_edges)
{
    finder f = {.component = components, .edge = edges, .n_slot = 4};
    while (f.n_slot < 2 * (unsigned)n_components)
        f.n_slot *= 2;
    f.first_edge = calloc((size_t)n_components + 1, sizeof *f.first_edge);
    f.original = calloc((size_t)n_components + 1, sizeof *f.original);
    f.table = malloc(f.n_slot * sizeof *f.table);
    f.is_acyclic = calloc((size_t)n_components + 1, 1);
    int n_duplicate = f.first_edge && f.original && f.is_acyclic && f.table ? 0 : -1;
    for (unsigned i = 0; n_duplicate == 0 && i < f.n_slot; i++)
        f.table[i] = -1;
    for (int i = 0, c = 0; n_duplicate == 0 && c <= n_components; c++) {
        while (i < n_edges && edges[i].to < c)
            i++;
        f.first_edge[c] = i;
        if (c < n_components)
            f.original[c] = c;
    }
    if (n_duplicate < 0)
        goto out;
    for (int c = 0; c < n_components; c++) {
        /* Sources before c are final, so duplicates may read duplicates. */
        for (int i = f.first_edge[c]; i < f.first_edge[c + 1]; i++)
            if (edges[i].from >= 0)
                edges[i].from = f.original[edges[i].from];
        f.is_acyclic[c] = (char)has_acyclic_sources(&f, c);
        if (!f.is_acyclic[c] || !may_share(&f, c))
            continue;
        int *const slot = find_slot(&f, c);
        if (*slot < 0) {
            *slot = c;
        } else {
            f.original[c] = *slot;
            n_duplicate++;
        }
    }
    for (int i = 0; i < n_edges; i++)
        if (edges[i].from >= 0)
            edges[i].from = f.original[edges[i].from];
out:
    free(f.first_edge);
    free(f.original);
    free(f.is_acyclic);
    free(f.table);
    return n_duplicate;
}
