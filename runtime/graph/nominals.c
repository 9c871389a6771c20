/* Nominal values of signals. See nominals.h.
 *
 * Stateless components join signals without a declared value to clusters (union-find). The nominal value of a cluster is the smallest
 * value, at most 1, that an adjacent signal or open input declares. So the order of components and connections does not matter. A cluster
 * without such a value gets the value 1.
 *
 * Thread: one owner. Real-time: no (setup). */
#include "runtime/graph/nominals.h"

#include <math.h>
#include <stdlib.h>

static const double LARGEST_RATIO = 1e3; /* of two nominal values without a warning (assumed) */

typedef struct nominals {
    wr_component *const *component;
    const wr_graph *graph;
    /* [n_node + 1] number of each component's first output, first input */
    int *first_output, *first_input;
    double *signal;              /* [outputs] nominal value of the signal; 0: unknown */
    double *least_input;         /* [outputs] smallest value that an input declares */
    int *least_edge;             /* [outputs] edge of the input with the smallest value; -1: none */
    unsigned char *is_published; /* [outputs] 1: another subsystem reads the output */
    int *driver;                 /* [inputs] number of the output that drives the input; -1: open */
    double *factor; /* [inputs] factor from the unit of the output to the unit of the input */
    int *parent;    /* [outputs] parent in the tree of the cluster */
} nominals;

static int nominals_init(nominals *work, wr_component *const *component, const wr_graph *graph)
{
    const size_t n_node = (size_t)graph->n_node;
    *work = (nominals){.component = component,
                       .graph = graph,
                       .first_output = calloc(n_node + 1, sizeof *work->first_output),
                       .first_input = calloc(n_node + 1, sizeof *work->first_input)};
    if (!work->first_output || !work->first_input)
        return -1;
    for (size_t c = 0; c < n_node; c++) {
        work->first_output[c + 1] = work->first_output[c] + component[c]->n[WRSIM_OUTPUT];
        work->first_input[c + 1] = work->first_input[c] + component[c]->n[WRSIM_INPUT];
    }
    const size_t n_output = (size_t)work->first_output[n_node] + 1;
    const size_t n_input = (size_t)work->first_input[n_node] + 1;
    work->signal = calloc(n_output, sizeof *work->signal);
    work->least_input = calloc(n_output, sizeof *work->least_input);
    work->least_edge = calloc(n_output, sizeof *work->least_edge);
    work->is_published = calloc(n_output, 1);
    work->parent = calloc(n_output, sizeof *work->parent);
    work->driver = calloc(n_input, sizeof *work->driver);
    work->factor = calloc(n_input, sizeof *work->factor);
    if (!work->signal || !work->least_input || !work->least_edge || !work->is_published ||
        !work->parent || !work->driver || !work->factor)
        return -1;
    for (size_t i = 0; i < n_output; i++) {
        work->least_edge[i] = -1;
        work->parent[i] = (int)i;
    }
    for (size_t i = 0; i < n_input; i++)
        work->driver[i] = -1;
    return 0;
}

/* Returns the nominal value that an output declares. If the output declares no value and is a state, returns the declared value of the
 * state. Returns 0 without a declaration. */
static double declared_output(const wr_component *c, int i_output)
{
    const wr_variable *const y = &c->variable[WRSIM_OUTPUT][i_output];
    const wr_variable *const v = !y->is_nominal_declared && (y->flags & WRSIM_IS_STATE)
                                     ? &c->variable[WRSIM_STATE][y->index]
                                     : y;
    return v->is_nominal_declared ? v->nominal : 0.0;
}

static double declared_input(const wr_component *c, int i_input)
{
    const wr_variable *const u = &c->variable[WRSIM_INPUT][i_input];
    return u->is_nominal_declared ? u->nominal : 0.0;
}

/* Returns the smaller of two values; 0 means no value. */
static double smaller(double a, double b)
{
    if (!(a > 0.0) || !(b > 0.0))
        return fmax(a, b);
    return fmin(a, b);
}

static double factor_of(const wr_graph_edge *e)
{
    return fabs(wr_unit_apply_change(e->scale, 1.0));
}

/* Returns the value that an input declares, in the unit of its driver; 0 without a declaration. */
static double declared_reader(const nominals *work, const wr_graph_edge *e)
{
    return declared_input(work->component[e->to], e->i_input) / factor_of(e);
}

static int output_of(const nominals *work, const wr_graph_edge *e)
{
    return work->first_output[e->from] + e->i_output;
}

static void take_declared(nominals *work)
{
    const wr_graph *const g = work->graph;
    for (int c = 0; c < g->n_node; c++)
        for (int i = 0; i < work->component[c]->n[WRSIM_OUTPUT]; i++)
            work->signal[work->first_output[c] + i] = declared_output(work->component[c], i);
    for (int i = 0; i < g->n_edge; i++) {
        const wr_graph_edge *const e = &g->edge[i];
        const int y = output_of(work, e);
        const double nominal = declared_reader(work, e);
        work->driver[work->first_input[e->to] + e->i_input] = y;
        work->factor[work->first_input[e->to] + e->i_input] = factor_of(e);
        work->is_published[y] |= g->node[e->from].i_subsystem != g->node[e->to].i_subsystem;
        if (!(nominal > 0.0))
            continue;
        if (work->least_edge[y] < 0 || nominal < work->least_input[y]) {
            work->least_edge[y] = i;
            work->least_input[y] = nominal;
        }
        work->signal[y] = smaller(work->signal[y], nominal);
    }
}

/* ---- signals without a declaration ---- */

static int root_of(const nominals *work, int y)
{
    while (work->parent[y] != y) {
        work->parent[y] = work->parent[work->parent[y]];
        y = work->parent[y];
    }
    return y;
}

/* Visits an output y that depends directly on an input of the same stateless component. */
typedef void (*pair_fn)(nominals *work, double *cluster, int c, int i_input, int y);

static void join(nominals *work, double *cluster, int c, int i_input, int y)
{
    (void)cluster;
    const int from = work->driver[work->first_input[c] + i_input];
    if (from < 0 || work->signal[from] > 0.0 || work->signal[y] > 0.0)
        return;
    const int a = root_of(work, from), b = root_of(work, y);
    work->parent[a > b ? a : b] = a > b ? b : a;
}

static void spread(nominals *work, double *cluster, int c, int i_input, int y)
{
    const int from = work->driver[work->first_input[c] + i_input];
    const double factor = work->factor[work->first_input[c] + i_input];
    const double input =
        from >= 0 ? work->signal[from] * factor : declared_input(work->component[c], i_input);
    if (!(work->signal[y] > 0.0))
        cluster[root_of(work, y)] = smaller(cluster[root_of(work, y)], input);
    if (from >= 0 && !(work->signal[from] > 0.0))
        cluster[root_of(work, from)] =
            smaller(cluster[root_of(work, from)], work->signal[y] / factor);
}

/* Calls `call` for every pair of an input and an output that depends directly on the input. Without a declared pattern, each output counts
 * as dependent on each input. */
static void each_pair(nominals *work, double *cluster, int c, pair_fn call)
{
    const wr_component *const component = work->component[c];
    const wr_incidence *const pattern = &component->pattern[WRSIM_U_Y];
    const int first = work->first_output[c];
    if (pattern->is_declared) {
        for (int k = 0; k < pattern->n; k++)
            call(work, cluster, c, pattern->column[k], first + pattern->row[k]);
        return;
    }
    for (int i = 0; i < component->n[WRSIM_OUTPUT]; i++)
        for (int k = 0; k < component->n[WRSIM_INPUT]; k++)
            call(work, cluster, c, k, first + i);
}

/* Returns 1 for a component without states that has a signal without a known value. */
static int passes_on(const nominals *work, int c)
{
    const wr_component *const component = work->component[c];
    int n_unknown = 0;
    if (component->n[WRSIM_STATE] > 0)
        return 0;
    for (int i = work->first_output[c]; i < work->first_output[c + 1]; i++)
        n_unknown += !(work->signal[i] > 0.0);
    for (int i = work->first_input[c]; i < work->first_input[c + 1]; i++)
        n_unknown += work->driver[i] >= 0 && !(work->signal[work->driver[i]] > 0.0);
    return n_unknown > 0;
}

static wrsim_status take_passed_on(nominals *work)
{
    const int n_node = work->graph->n_node, n_output = work->first_output[n_node];
    double *const cluster = calloc((size_t)n_output + 1, sizeof *cluster);
    if (!cluster)
        return WRSIM_E_MEMORY;
    for (int c = 0; c < n_node; c++)
        if (passes_on(work, c))
            each_pair(work, cluster, c, join);
    for (int c = 0; c < n_node; c++)
        if (passes_on(work, c))
            each_pair(work, cluster, c, spread);
    for (int y = 0; y < n_output; y++)
        if (!(work->signal[y] > 0.0)) {
            const double nominal = cluster[root_of(work, y)];
            work->signal[y] = nominal > 0.0 ? fmin(nominal, 1.0) : 1.0;
        }
    free(cluster);
    return WRSIM_OK;
}

/* ---- warnings ---- */

/* Warns of a connection if the values of both ends have a ratio above LARGEST_RATIO. If the output declares no value, the function
 * compares the input with least_input. */
static void warn_of(const nominals *work, const wr_graph_edge *e, wr_diag *warnings)
{
    const wr_component *const from = work->component[e->from], *const to = work->component[e->to];
    const int y = output_of(work, e);
    const double input = declared_reader(work, e);
    double other = declared_output(from, e->i_output);
    const wr_component *at = from;
    const char *at_name = from->variable[WRSIM_OUTPUT][e->i_output].name;
    if (!(other > 0.0) && work->least_edge[y] >= 0) {
        const wr_graph_edge *const least = &work->graph->edge[work->least_edge[y]];
        other = work->least_input[y];
        at = work->component[least->to];
        at_name = at->variable[WRSIM_INPUT][least->i_input].name;
    }
    if (!(input > 0.0) || !(other > 0.0) ||
        fmax(input, other) <= LARGEST_RATIO * fmin(input, other))
        return;
    wr_diag_add(
        warnings, WRSIM_OK, &e->where,
        "connection '%s.%s' -> '%s.%s': nominal values %.6g of '%s.%s' and %.6g of '%s.%s'%s%s%s "
        "differ by a factor above 1e3; declare similar values, or scale one signal",
        from->name, from->variable[WRSIM_OUTPUT][e->i_output].name, to->name,
        to->variable[WRSIM_INPUT][e->i_input].name, other, at->name, at_name, input, to->name,
        to->variable[WRSIM_INPUT][e->i_input].name, wr_unit_is_scaled(e->scale) ? " (in " : "",
        wr_unit_is_scaled(e->scale) ? from->variable[WRSIM_OUTPUT][e->i_output].unit : "",
        wr_unit_is_scaled(e->scale) ? ")" : "");
}

/* ---- result ---- */

wrsim_status wr_nominals_settle(wr_component *const *component, const wr_graph *graph,
                                wr_diag *warnings)
{
    nominals work;
    wrsim_status status = WRSIM_E_MEMORY;
    if (nominals_init(&work, component, graph) == 0) {
        take_declared(&work);
        status = take_passed_on(&work);
    }
    for (int i = 0; status >= 0 && i < graph->n_edge; i++)
        if (work.is_published[output_of(&work, &graph->edge[i])])
            warn_of(&work, &graph->edge[i], warnings);
    for (int n = 0; status >= 0 && n < graph->n_node; n++) {
        wr_component *const c = component[n];
        for (int i = 0; i < c->n[WRSIM_OUTPUT]; i++)
            c->variable[WRSIM_OUTPUT][i].nominal = work.signal[work.first_output[n] + i];
        for (int i = 0; i < c->n[WRSIM_INPUT]; i++) {
            const int y = work.driver[work.first_input[n] + i];
            if (y >= 0)
                c->variable[WRSIM_INPUT][i].nominal =
                    work.signal[y] * work.factor[work.first_input[n] + i];
        }
    }
    free(work.first_output);
    free(work.first_input);
    free(work.signal);
    free(work.least_input);
    free(work.least_edge);
    free(work.is_published);
    free(work.driver);
    free(work.factor);
    free(work.parent);
    return status;
}
