/* Components as a weighted graph. See parts.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/rows.h"
#include "offline/structure/linear.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"

/* Instructions of a right-hand side (assumed): per component, state, input and indicator. */
static const double WEIGHT = 60.0, WEIGHT_STATE = 80.0, WEIGHT_INPUT = 20.0, WEIGHT_INDICATOR = 5.0;
/* Largest number of passes that multiply gains along connections (assumed). The limit ends the growth in a ring with a gain above 1. */
enum { LONGEST_WAY = 16 };

/* ---- components ---- */

static void take_components(const wr_assembly *a, wr_parts *p)
{
    for (int i = 0; i < p->n_component; i++) {
        const wr_component *const c = a->component[i];
        p->name[i] = a->settings->components[i].name;
        p->n_state[i] = c->n[WRSIM_STATE];
        p->weight[i] = WEIGHT + WEIGHT_STATE * c->n[WRSIM_STATE] +
                       WEIGHT_INPUT * c->n[WRSIM_INPUT] + WEIGHT_INDICATOR * c->n[WRSIM_INDICATOR] +
                       WR_RUN_PER_SECOND * c->cost_s;
    }
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const e = &a->graph->edge[i];
        if (e->from >= p->n_component || e->to >= p->n_component || e->from == e->to)
            continue;
        wr_parts_edge *const edge = &p->edge[p->n_edge++];
        *edge = (wr_parts_edge){
            .from = e->from, .to = e->to, .i_output = e->i_output, .i_input = e->i_input};
        const wr_component *const c = a->component[e->from];
        for (int j = 0; j < c->n[WRSIM_INPUT] && !edge->at_once; j++)
            edge->at_once = wr_component_depends(c, WRSIM_U_Y, e->i_output, j);
    }
}

/* ---- parts ---- */

/* Counts the arcs from each output to the outputs that depend on the output by feed-through. If is_putting is 1, stores the arcs
 * instead. */
static void for_arcs(const wr_assembly *a, const int *first, const wr_rows *arcs, int is_putting)
{
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const e = &a->graph->edge[i];
        if (e->from >= a->n_listed || e->to >= a->n_listed)
            continue;
        const wr_component *const c = a->component[e->to];
        for (int y = 0; y < c->n[WRSIM_OUTPUT]; y++) {
            if (!wr_component_depends(c, WRSIM_U_Y, y, e->i_input))
                continue;
            if (is_putting)
                wr_rows_put(arcs, first[e->from] + e->i_output, first[e->to] + y);
            else
                wr_rows_count(arcs, first[e->from] + e->i_output);
        }
    }
}

static int find_parts(const wr_assembly *a, wr_parts *p)
{
    const size_t n = (size_t)p->n_component;
    WR_AUTO_FREE int *const first = malloc((n + 1) * sizeof *first);
    if (!first)
        return -1;
    first[0] = 0;
    for (int i = 0; i < p->n_component; i++)
        first[i + 1] = first[i] + a->component[i]->n[WRSIM_OUTPUT];
    const size_t n_output = (size_t)first[n];
    WR_AUTO_FREE int *const start = calloc(n_output + 2, sizeof *start);
    WR_AUTO_FREE int *const scc = malloc((n_output + 1) * sizeof *scc);
    WR_AUTO_FREE int *const owner = malloc((n_output + 1) * sizeof *owner);
    if (!start || !scc || !owner)
        return -1;
    wr_rows arcs = {.start = start};
    for_arcs(a, first, &arcs, 0);
    wr_rows_begin(&arcs, (int)n_output);
    WR_AUTO_FREE int *const item = malloc(((size_t)start[n_output + 1] + 1) * sizeof *item);
    if (!item)
        return -1;
    arcs.item = item;
    for_arcs(a, first, &arcs, 1);
    if (wr_order_scc((int)n_output, start, item, scc) < 0)
        return -1;
    for (size_t y = 0; y < n_output; y++)
        owner[y] = -1;
    for (int i = 0; i < p->n_component; i++)
        p->part[i] = i;
    for (int i = 0; i < p->n_component; i++)
        for (int y = first[i]; y < first[i + 1]; y++) {
            if (owner[scc[y]] >= 0) {
                const int b = p->part[owner[scc[y]]], c = p->part[i];
                for (int j = 0; j < p->n_component && b != c; j++)
                    if (p->part[j] == (b < c ? c : b))
                        p->part[j] = b < c ? b : c;
            }
            owner[scc[y]] = i;
        }
    for (int i = 0; i < p->n_component; i++) {
        /* first component of the part, which already has the part's number */
        const int root = p->part[i];
        p->part[i] = root == i ? p->n_part++ : p->part[root];
    }
    return 0;
}

/* ---- strengths of connections ---- */

/* Linearised response of one component: the largest |B| and |D| over the points so far, scaled by nominal values. */
typedef struct response {
    wr_view *view;
    double *rate;  /* [n inputs] largest rate of change of a state, 1/s */
    double *gain;  /* [n outputs * n inputs] largest gain */
    double *reach; /* [n inputs] largest rate, states of readers included, 1/s */
    double *last;  /* [4 * n outputs] values at the last four points, a third of a window apart */
    double *miss; /* [n outputs] largest error of an extrapolation, relative to the nominal value */
    unsigned char *mode; /* [n indicators] modes at the last point */
} response;

static void note(response *r, const wr_linear *l)
{
    const wr_view *const v = l->view;
    const int n_u = v->n[WRSIM_INPUT];
    for (int j = 0; j < n_u; j++) {
        const double size = fabs(v->variable[WRSIM_INPUT][j].nominal);
        for (int k = l->b->start[j]; k < l->b->start[j + 1]; k++)
            r->rate[j] = fmax(r->rate[j], fabs(l->b->value[k]) * size /
                                              fabs(v->variable[WRSIM_STATE][l->b->row[k]].nominal));
        for (int k = l->d->start[j]; k < l->d->start[j + 1]; k++) {
            const int y = l->d->row[k];
            double *const gain = &r->gain[y * n_u + j];
            *gain = fmax(*gain,
                         fabs(l->d->value[k]) * size / fabs(v->variable[WRSIM_OUTPUT][y].nominal));
        }
    }
}

/* Number of points of an extrapolation: a parabola through three points, compared with the value at the fourth point. */
enum { N_VALUE = 4 };

static void spread(wr_parts *p, response *r)
{
    for (int way = 0; way < LONGEST_WAY; way++) {
        int has_grown = 0;
        for (int i = 0; i < p->n_edge; i++) {
            const wr_parts_edge *const e = &p->edge[i];
            response *const from = &r[e->from];
            const double reach = r[e->to].reach[e->i_input];
            const int n_u = from->view ? from->view->n[WRSIM_INPUT] : 0;
            for (int j = 0; j < n_u; j++) {
                const double through = from->gain[e->i_output * n_u + j] * reach;
                if (through > from->reach[j]) {
                    from->reach[j] = through;
                    has_grown = 1;
                }
            }
        }
        if (!has_grown)
            break;
    }
}

static wrsim_status open_views(wrsim *sim, wr_parts *p, response *r, wrsim_error *err)
{
    for (int i = 0; i < p->n_component; i++) {
        const wr_component *const c = sim->assembly->component[i];
        const size_t n_u = (size_t)c->n[WRSIM_INPUT], n_y = (size_t)c->n[WRSIM_OUTPUT];
        r[i].rate = calloc(2 * n_u + n_u * n_y + (N_VALUE + 1) * n_y + 1, sizeof *r[i].rate);
        r[i].mode = calloc((size_t)c->n[WRSIM_INDICATOR] + 1, 1);
        if (!r[i].rate || !r[i].mode)
            return wr_error_memory(err);
        r[i].reach = r[i].rate + n_u;
        r[i].gain = r[i].reach + n_u;
        r[i].last = r[i].gain + n_u * n_y;
        r[i].miss = r[i].last + N_VALUE * n_y;
        if (n_u > 0)
            WR_TRY(wr_view_create(sim, &(wr_selection){.component = c->name}, &r[i].view, err));
    }
    return WRSIM_OK;
}

/* Linearises a component at the present point and adds the number of changed modes to *events. */
static wrsim_status look(response *r, int is_first, double *events, wrsim_error *err)
{
    WR_AUTO(wr_linear_done) wr_linear linear = {0};
    WR_TRY(wr_view_take(r->view, err));
    WR_TRY(wr_linear_make(r->view, WR_LINEAR_BEST, &linear, err));
    note(r, &linear);
    for (int z = 0; z < r->view->n[WRSIM_INDICATOR]; z++) {
        *events += !is_first && r->view->mode[z] != r->mode[z];
        r->mode[z] = r->view->mode[z];
    }
    return WRSIM_OK;
}

/* Linearises the components with inputs at a point of the run. Raises each output's `miss` to the extrapolation error over a window. */
static wrsim_status look_at(wrsim *sim, double time_s, double window_s, int is_first, wr_parts *p,
                            response *r, wrsim_error *err)
{
    for (int k = 0; k < N_VALUE; k++) {
        WR_TRY(wr_walk_to(sim, time_s + window_s * k / (N_VALUE - 1.0), err));
        for (int i = 0; i < p->n_component; i++) {
            const wr_component *const c = sim->assembly->component[i];
            for (int y = 0; y < c->n[WRSIM_OUTPUT]; y++) {
                double *const last = r[i].last + N_VALUE * (size_t)y, *const miss = &r[i].miss[y];
                last[k] = wrsim_get(sim, wr_lookup_number(sim->assembly, i, WRSIM_OUTPUT, y));
                if (k == N_VALUE - 1)
                    *miss = fmax(*miss, fabs(last[3] - 3.0 * last[2] + 3.0 * last[1] - last[0]) /
                                            fabs(c->variable[WRSIM_OUTPUT][y].nominal));
            }
        }
        for (int i = 0; i < p->n_component && k == 0; i++)
            if (r[i].view)
                WR_TRY(look(&r[i], is_first, &p->events[i], err));
    }
    return WRSIM_OK;
}

static wrsim_status find_strengths(wrsim *sim, int n_time, wr_parts *p, wrsim_error *err)
{
    const double start_s = sim->settings->simulation.start_s,
                 length_s = sim->settings->simulation.stop_s - start_s,
                 window_s = fmin(sim->settings->relaxation.window_initial_s,
                                 0.5 * length_s / (n_time + 1.0));
    WR_AUTO_FREE response *const r = calloc((size_t)p->n_component + 1, sizeof *r);
    wrsim_status status = r ? open_views(sim, p, r, err) : wr_error_memory(err);
    for (int k = 0; k < n_time && status >= 0; k++) {
        const double time_s = start_s + length_s * (k + 1.0) / (n_time + 1.0);
        status = look_at(sim, time_s, window_s, k == 0, p, r, err);
    }
    for (int i = 0; status >= 0 && i < p->n_component; i++)
        for (int j = 0; r[i].view && j < r[i].view->n[WRSIM_INPUT]; j++)
            r[i].reach[j] = r[i].rate[j];
    if (status >= 0) {
        spread(p, r);
        for (int i = 0; i < p->n_edge; i++) {
            wr_parts_edge *const e = &p->edge[i];
            e->strength = r[e->to].reach[e->i_input] * window_s * r[e->from].miss[e->i_output];
        }
    }
    for (int i = 0; r && i < p->n_component; i++) {
        wr_view_destroy(&r[i].view);
        free(r[i].rate);
        free(r[i].mode);
    }
    return status;
}

/* If a component advances itself, replaces the error of the run with one solver. Returns the status of the error. */
static wrsim_status refuse_stepper(const wr_settings *settings, wrsim_status status,
                                   wrsim_error *err)
{
    WR_AUTO(wrsim_destroy) wrsim *split = NULL;
    if (wr_build_simulation_create(settings, NULL, &split, NULL) < 0)
        return status;
    const wr_assembly *const a = split->assembly;
    for (int i = 0; i < a->n_component; i++)
        if (a->component[i]->model->stepper)
            return wr_error_set(err, WRSIM_E_CONFIG,
                                "the components cannot be grouped, because '%s' advances itself, "
                                "as an FMU of co-simulation does; write the [[subsystem]] tables "
                                "by hand",
                                a->component[i]->name);
    return status;
}

wrsim_status wr_parts_find(const wr_settings *settings, int n_time, wr_parts *ret_parts,
                           wrsim_error *err)
{
    wr_settings set = *settings;
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    set.n_subsystems = 0;
    set.simulation.monolithic = WR_GROUPING_MONOLITHIC;
    wr_parts p = {.n_component = set.n_components, .arena = wr_arena_create((size_t)-1)};
    *ret_parts = p;
    if (!p.arena)
        return wr_error_memory(err);
    const wrsim_status status = wr_run_open_second(&set, NULL, &sim, err);
    if (status < 0)
        return refuse_stepper(settings, status, err);
    p.part = WR_NEW_ARRAY(p.arena, int, p.n_component);
    p.weight = WR_NEW_ARRAY(p.arena, double, p.n_component);
    p.events = WR_NEW_ARRAY(p.arena, double, p.n_component);
    p.n_state = WR_NEW_ARRAY(p.arena, int, p.n_component);
    p.name = WR_NEW_ARRAY(p.arena, const char *, p.n_component);
    p.edge = WR_NEW_ARRAY(p.arena, wr_parts_edge, sim->assembly->graph->n_edge);
    *ret_parts = p;
    if (!p.part || !p.weight || !p.events || !p.n_state || !p.name || !p.edge)
        return wr_error_memory(err);
    take_components(sim->assembly, ret_parts);
    return find_parts(sim->assembly, ret_parts) < 0 ? wr_error_memory(err)
                                                    : find_strengths(sim, n_time, ret_parts, err);
}

void wr_parts_done(wr_parts *parts)
{
    wr_arena_destroy(&parts->arena);
    *parts = (wr_parts){0};
}
