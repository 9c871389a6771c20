/* Start values in the order of dependencies. See start_outputs.h.
 *
 * base/loop_newton.h solves a loop. The map g of a loop is one evaluation of the loop's outputs. The iteration begins with the last values,
 * at first the defaults of the driven inputs. If a model refuses these values, the iteration begins with nominal values.
 *
 * Thread: one owner. Real-time: as in start_outputs.h. */
#include "runtime/relax/start_outputs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/diag.h"
#include "base/loop_newton.h"
#include "base/order.h"
#include "base/rows.h"

/* Largest amplification that differences resolve (docs/lab/2026-11-23-algebraic-loops.md). */
static const double MOST_AMPLIFICATION = 1e6;

/* One evaluation of a subsystem's outputs. */
typedef struct evaluation {
    int i_part;
    const wr_output_plan *plan;
    int n, *signal; /* [n] published signals that become known */
} evaluation;

/* A step of the order: one evaluation, or a loop of evaluations. */
typedef struct stage {
    int first, n;          /* first evaluation, and number of evaluations */
    int n_loop, *vertex;   /* [n_loop] vertices of the loop; 0: no loop */
    struct newton *newton; /* solver of the loop; NULL: no loop */
    int is_for_indicators; /* indicators depend on this stage */
} stage;

/* The solver of a loop. */
typedef struct newton {
    wr_start *s;
    const struct stage *loop;
    int n;
    wrsim_status status; /* status of the model that has refused the values; WRSIM_OK: no model */
    int i_failed;        /* index of the subsystem of that model; -1: no model */
    wr_loop_newton solver;
    double *g;          /* [n_signal] values of g; all loops share the array */
    double *step;       /* [n * n] step of wr_start_loop */
    int *part, *signal; /* [n] subsystem and signal of each unknown */
} newton;

/* A published signal: a computed output, which is a vertex of the graph, or a state. */
typedef struct vertex {
    int i_part, i_signal;
    const wr_output_plan *plan;  /* plan for this output alone; NULL: a state */
    const wr_output_plan *whole; /* plan for all outputs of the called components */
    int scc;                     /* number of the vertex's strong component */
    unsigned char is_known, is_wanted;
} vertex;

struct wr_start {
    const wr_wiring *part;
    int n_part, n_signal, is_gauss_seidel;
    wr_arena *arena;   /* memory of plans and lists */
    int *first_signal; /* [n_part + 1] number of the first signal of each subsystem */
    int *first_input;  /* [n_part + 1] number of the first external input of each subsystem */
    double *value, *value_of_loop; /* [n_signal] values of signals; values of g in loops */
    double *unit;                  /* [n_signal] tolerance unit */
    double *input;                 /* [first_input[n_part]] values of inputs */
    int *source;                   /* [first_input[n_part]] signal of each input */
    double *y;                     /* [largest n_published] outputs of one subsystem */
    int n_stage, n_evaluation;
    stage *stage;
    evaluation *evaluation;
    vertex *vertex;         /* [n_signal] */
    unsigned char *is_read; /* [largest n_external] work space */
    wr_rows arcs;           /* for each vertex: the vertices that need the vertex */
    int *need_start, *need; /* for each vertex: the signals that the vertex needs */
    wr_rows units;          /* for each strong component: the vertices of the component */
    int n_unit;
    int n_loop;
    wr_start_loop *loop; /* [n_loop] */
};

static int n_published(const wr_wiring *part) { return part->subsystem->n_published; }

static int n_external(const wr_wiring *part) { return part->subsystem->n_external; }

static wr_subsystem *subsystem_of(const wr_start *s, int i_part)
{
    return s->part[i_part].subsystem;
}

/* ---- the graph ---- */

static int number_all(wr_start *s)
{
    int most_y = 0, most_external = 0;
    s->first_signal = WR_NEW_ARRAY(s->arena, int, s->n_part + 1);
    s->first_input = WR_NEW_ARRAY(s->arena, int, s->n_part + 1);
    if (!s->first_signal || !s->first_input)
        return -1;
    for (int i = 0; i < s->n_part; i++) {
        s->first_signal[i + 1] = s->first_signal[i] + n_published(&s->part[i]);
        s->first_input[i + 1] = s->first_input[i] + n_external(&s->part[i]);
        most_y = n_published(&s->part[i]) > most_y ? n_published(&s->part[i]) : most_y;
        most_external =
            n_external(&s->part[i]) > most_external ? n_external(&s->part[i]) : most_external;
    }
    s->n_signal = s->first_signal[s->n_part];
    const int n_input = s->first_input[s->n_part];
    s->vertex = WR_NEW_ARRAY(s->arena, vertex, s->n_signal);
    s->source = WR_NEW_ARRAY(s->arena, int, n_input);
    s->is_read = WR_NEW_ARRAY(s->arena, unsigned char, most_external);
    const int is_out =
        WR_NEW_DOUBLES(s->arena, s->n_signal, &s->value, &s->value_of_loop, &s->unit) |
        WR_NEW_DOUBLES(s->arena, n_input, &s->input) | WR_NEW_DOUBLES(s->arena, most_y, &s->y);
    return s->vertex && s->source && s->is_read && !is_out ? 0 : -1;
}

/* Finds the signal of each input, sets first guesses, and places the vertices. */
static int place_vertices(wr_start *s)
{
    for (int i = 0; i < s->n_part; i++) {
        const wr_wiring *const part = &s->part[i];
        const wr_subsystem *const subsystem = part->subsystem;
        for (int j = 0; j < n_external(part); j++) {
            const int producer = part->producer[subsystem->external_source[j]];
            const int signal = s->first_signal[producer] + subsystem->external_signal[j];
            s->source[s->first_input[i] + j] = signal;
            s->input[s->first_input[i] + j] = part->input_start[j];
            s->value[signal] = part->input_start[j];
        }
    }
    for (int i = 0; i < s->n_part; i++)
        for (int k = 0; k < n_published(&s->part[i]); k++) {
            const int signal = s->first_signal[i] + k;
            vertex *const v = &s->vertex[signal];
            *v = (vertex){.i_part = i, .i_signal = k};
            v->is_known = s->part[i].subsystem->signal_state[k] >= 0;
            if (v->is_known)
                continue;
            v->plan = wr_subsystem_plan(subsystem_of(s, i), s->arena, k, 0);
            v->whole = wr_subsystem_plan(subsystem_of(s, i), s->arena, k, 1);
            if (!v->plan || !v->whole)
                return -1;
        }
    return 0;
}

/* Marks in is_read the external inputs that a plan reads. If plan is NULL, marks the inputs that the indicators read. */
static void read_by(wr_start *s, int i_part, const wr_output_plan *plan)
{
    wr_subsystem_plan_reads(subsystem_of(s, i_part), plan, s->is_read);
}

/* Lists the needs of each vertex, and the arcs between vertices. */
static int place_arcs(wr_start *s)
{
    int64_t n_need = 0;
    s->need_start = WR_NEW_ARRAY(s->arena, int, s->n_signal + 1);
    s->arcs.start = WR_NEW_ARRAY(s->arena, int, s->n_signal + 2);
    if (!s->need_start || !s->arcs.start)
        return -1;
    for (int v = 0; v < s->n_signal; v++) {
        const int i_part = s->vertex[v].i_part;
        if (s->vertex[v].plan) {
            read_by(s, i_part, s->vertex[v].plan);
            for (int j = 0; j < n_external(&s->part[i_part]); j++)
                n_need += s->is_read[j];
        }
        if (n_need > INT_MAX)
            return -1;
        s->need_start[v + 1] = (int)n_need;
    }
    s->need = WR_NEW_ARRAY(s->arena, int, n_need);
    s->arcs.item = WR_NEW_ARRAY(s->arena, int, n_need);
    if (!s->need || !s->arcs.item)
        return -1;
    for (int v = 0, n = 0; v < s->n_signal; v++) {
        const int i_part = s->vertex[v].i_part;
        if (!s->vertex[v].plan)
            continue;
        read_by(s, i_part, s->vertex[v].plan);
        for (int j = 0; j < n_external(&s->part[i_part]); j++)
            if (s->is_read[j]) {
                s->need[n] = s->source[s->first_input[i_part] + j];
                wr_rows_count(&s->arcs, s->need[n++]);
            }
    }
    wr_rows_begin(&s->arcs, s->n_signal);
    for (int v = 0; v < s->n_signal; v++)
        for (int k = s->need_start[v]; k < s->need_start[v + 1]; k++)
            wr_rows_put(&s->arcs, s->need[k], v);
    return 0;
}

static int place_units(wr_start *s)
{
    int *const scc = WR_NEW_ARRAY(s->arena, int, s->n_signal);
    s->units.item = WR_NEW_ARRAY(s->arena, int, s->n_signal);
    if (!scc || !s->units.item)
        return -1;
    s->n_unit = wr_order_scc(s->n_signal, s->arcs.start, s->arcs.item, scc);
    if (s->n_unit < 0)
        return -1;
    s->units.start = WR_NEW_ARRAY(s->arena, int, s->n_unit + 2);
    if (!s->units.start)
        return -1;
    for (int v = 0; v < s->n_signal; v++) {
        s->vertex[v].scc = scc[v];
        wr_rows_count(&s->units, scc[v]);
    }
    wr_rows_begin(&s->units, s->n_unit);
    for (int v = 0; v < s->n_signal; v++)
        wr_rows_put(&s->units, scc[v], v);
    return 0;
}

/* ---- the order ---- */

/* Returns 1 if all inputs that the plan reads are known, or are signals of the unit. */
static int is_ready(wr_start *s, int i_part, const wr_output_plan *plan, int unit)
{
    read_by(s, i_part, plan);
    for (int j = 0; j < n_external(&s->part[i_part]); j++) {
        const vertex *const v = &s->vertex[s->source[s->first_input[i_part] + j]];
        if (s->is_read[j] && !v->is_known && v->scc != unit)
            return 0;
    }
    return 1;
}

static int is_unit_known(const wr_start *s, int unit)
{
    return s->vertex[s->units.item[s->units.start[unit]]].is_known;
}

static int is_unit_ready(wr_start *s, int unit, int is_whole)
{
    for (int k = s->units.start[unit]; k < s->units.start[unit + 1]; k++) {
        const vertex *const v = &s->vertex[s->units.item[k]];
        if (!is_ready(s, v->i_part, is_whole ? v->whole : v->plan, unit))
            return 0;
    }
    return 1;
}

/* Returns the next unit: the first unit whose components have only known inputs; else the first unit whose vertices have only known
 * needs. */
static int choose_unit(wr_start *s, int first)
{
    int second_best = -1;
    for (int unit = first; unit < s->n_unit; unit++) {
        if (is_unit_known(s, unit) || !is_unit_ready(s, unit, 0))
            continue;
        if (is_unit_ready(s, unit, 1))
            return unit;
        second_best = second_best < 0 ? unit : second_best;
    }
    return second_best;
}

/* Adds the evaluation of a vertex, and lists the signals that become known. In a loop the list has only signals of the loop, because other
 * signals follow from the loop's solution. */
static int add_evaluation(wr_start *s, stage *to, int i_vertex, int is_loop)
{
    const vertex *const of = &s->vertex[i_vertex];
    evaluation *const e = &s->evaluation[s->n_evaluation++];
    const int is_whole = is_ready(s, of->i_part, of->whole, of->scc);
    *e = (evaluation){.i_part = of->i_part, .plan = is_whole ? of->whole : of->plan};
    to->n++;
    const int first = s->first_signal[e->i_part], end = s->first_signal[e->i_part + 1];
    unsigned char *const is_given = calloc((size_t)(end - first) + 1, 1);
    e->signal = WR_NEW_ARRAY(s->arena, int, end - first);
    if (!is_given || !e->signal) {
        free(is_given);
        return -1;
    }
    wr_subsystem_plan_gives(subsystem_of(s, e->i_part), e->plan, is_given);
    for (int v = first; v < end; v++)
        if (is_given[v - first] && !s->vertex[v].is_known &&
            (!is_loop || s->vertex[v].scc == of->scc))
            e->signal[e->n++] = v;
    free(is_given);
    return 0;
}

static int is_given(const wr_start *s, const stage *in, int i_vertex)
{
    for (int i = in->first; i < in->first + in->n; i++)
        for (int k = 0; k < s->evaluation[i].n; k++)
            if (s->evaluation[i].signal[k] == i_vertex)
                return 1;
    return 0;
}

static int map_at(void *self, const double *y, double *ret_g);

static int place_newton(wr_start *s, stage *loop)
{
    const size_t n = (size_t)loop->n_loop;
    newton *const w = WR_NEW(s->arena, newton);
    if (!w)
        return -1;
    *w = (newton){.s = s,
                  .loop = loop,
                  .n = loop->n_loop,
                  .i_failed = -1,
                  .solver = {.map = map_at, .self = w, .looks_back = 1},
                  .g = s->value_of_loop,
                  .step = wr_arena_push(s->arena, n * n, sizeof *w->step),
                  .part = WR_NEW_ARRAY(s->arena, int, n),
                  .signal = WR_NEW_ARRAY(s->arena, int, n)};
    if (!w->step || !w->part || !w->signal || wr_loop_newton_place(&w->solver, s->arena, w->n) < 0)
        return -1;
    for (int i = 0; i < w->n; i++) {
        const int v = loop->vertex[i];
        w->solver.nominal[i] =
            subsystem_of(s, s->vertex[v].i_part)->nominal_published[s->vertex[v].i_signal];
        w->part[i] = s->vertex[v].i_part;
        w->signal[i] = s->vertex[v].i_signal;
    }
    loop->newton = w;
    s->loop[s->n_loop++] =
        (wr_start_loop){.n = w->n, .i_part = w->part, .i_signal = w->signal, .step = w->step};
    return 0;
}

static int add_stage(wr_start *s, int unit)
{
    stage *const to = &s->stage[s->n_stage++];
    const int first = s->units.start[unit], n = s->units.start[unit + 1] - first;
    *to = (stage){.first = s->n_evaluation};
    if (n > 1) {
        to->n_loop = n;
        to->vertex = s->units.item + first;
        if (place_newton(s, to) < 0)
            return -1;
    }
    for (int k = first; k < first + n; k++)
        if (!is_given(s, to, s->units.item[k]) &&
            add_evaluation(s, to, s->units.item[k], n > 1) < 0)
            return -1;
    for (int i = to->first; i < to->first + to->n; i++)
        for (int k = 0; k < s->evaluation[i].n; k++)
            s->vertex[s->evaluation[i].signal[k]].is_known = 1;
    return 0;
}

static int find_order(wr_start *s)
{
    s->stage = WR_NEW_ARRAY(s->arena, stage, s->n_unit);
    s->evaluation = WR_NEW_ARRAY(s->arena, evaluation, s->n_signal);
    s->loop = WR_NEW_ARRAY(s->arena, wr_start_loop, s->n_unit);
    if (!s->stage || !s->evaluation || !s->loop)
        return -1;
    for (int first = 0;;) {
        while (first < s->n_unit && is_unit_known(s, first))
            first++;
        if (first == s->n_unit)
            return 0;
        if (add_stage(s, choose_unit(s, first)) < 0)
            return -1;
    }
}

static void want_sources(wr_start *s, int i_part, const wr_output_plan *plan)
{
    read_by(s, i_part, plan);
    for (int j = 0; j < n_external(&s->part[i_part]); j++)
        s->vertex[s->source[s->first_input[i_part] + j]].is_wanted |= s->is_read[j];
}

/* Marks the stages that find the inputs of indicators, and the stages on which the marked stages depend. */
static void mark_wanted(wr_start *s)
{
    for (int i = 0; i < s->n_part; i++)
        want_sources(s, i, NULL);
    for (int i = s->n_stage - 1; i >= 0; i--) {
        stage *const at = &s->stage[i];
        for (int e = at->first; e < at->first + at->n; e++)
            for (int k = 0; k < s->evaluation[e].n; k++)
                at->is_for_indicators |= s->vertex[s->evaluation[e].signal[k]].is_wanted;
        for (int e = at->first; at->is_for_indicators && e < at->first + at->n; e++)
            want_sources(s, s->evaluation[e].i_part, s->evaluation[e].plan);
    }
}

wr_start *wr_start_place(wr_arena *arena, const wr_wiring *part, int n_part, int is_gauss_seidel)
{
    wr_start *const s = WR_NEW(arena, wr_start);
    if (!s)
        return NULL;
    *s = (wr_start){
        .part = part, .n_part = n_part, .is_gauss_seidel = is_gauss_seidel, .arena = arena};
    if (number_all(s) < 0)
        return NULL;
    if (place_vertices(s) < 0 || place_arcs(s) < 0 || place_units(s) < 0 || find_order(s) < 0)
        return NULL;
    mark_wanted(s);
    return s;
}

/* ---- values ---- */

static void gather(wr_start *s, int i_part)
{
    for (int j = s->first_input[i_part]; j < s->first_input[i_part + 1]; j++)
        s->input[j] = s->value[s->source[j]];
}

/* Evaluates outputs. Unknown inputs have their defaults, or earlier values. */
static wrsim_status evaluate(wr_start *s, const evaluation *e, double *ret_value)
{
    gather(s, e->i_part);
    WR_TRY(wr_subsystem_outputs(s->part[e->i_part].subsystem, e->plan,
                                wr_start_inputs(s, e->i_part), s->y));
    for (int k = 0; k < e->n; k++)
        ret_value[e->signal[k]] = s->y[s->vertex[e->signal[k]].i_signal];
    return WRSIM_OK;
}

/* Computes g(y). Returns 0, or 1 if a model refuses y. */
static int map_at(void *self, const double *y, double *ret_g)
{
    newton *const w = self;
    wr_start *const s = w->s;
    for (int i = 0; i < w->n; i++)
        s->value[w->loop->vertex[i]] = y[i];
    w->i_failed = -1;
    for (int i = w->loop->first; i < w->loop->first + w->loop->n; i++) {
        w->status = evaluate(s, &s->evaluation[i], w->g);
        if (w->status < 0) {
            w->i_failed = s->evaluation[i].i_part;
            return 1;
        }
    }
    for (int i = 0; i < w->n; i++)
        ret_g[i] = w->g[w->loop->vertex[i]];
    return 0;
}

static void append(char *text, size_t text_bytes, const char *what)
{
    const size_t used = strlen(text);
    if (used + 1 < text_bytes)
        snprintf(text + used, text_bytes - used, "%s", what);
}

/* Follows needs backwards from the loop's first vertex until a vertex repeats. Writes the closed path, last vertex first, and returns the
 * length of the path. place[n_signal] is work space. */
static int find_way(const wr_start *s, const stage *loop, int *place, int *ret_way)
{
    int n = 0, v = loop->vertex[0];
    for (int i = 0; i < s->n_signal; i++)
        place[i] = -1;
    for (; place[v] < 0; n++) {
        place[v] = n;
        ret_way[n] = v;
        int k = s->need_start[v];
        while (s->vertex[s->need[k]].scc != s->vertex[v].scc)
            k++; /* in a strong component each vertex needs a vertex of the component */
        v = s->need[k];
    }
    memmove(ret_way, ret_way + place[v], (size_t)(n - place[v]) * sizeof *ret_way);
    return n - place[v];
}

static void loop_text(const wr_start *s, const stage *loop, char *text, size_t text_bytes)
{
    int *const place = calloc((size_t)s->n_signal + 1, sizeof *place);
    int *const way = calloc((size_t)loop->n_loop + 1, sizeof *way);
    const int n = place && way ? find_way(s, loop, place, way) : 0;
    text[0] = '\0';
    for (int i = n - 1; i >= 0; i--) {
        const int from = way[(i + 1) % n];
        const vertex *const to = &s->vertex[way[i]], *const by = &s->vertex[from];
        append(text, text_bytes, i == n - 1 ? s->part[by->i_part].signal_name[by->i_signal] : "");
        append(text, text_bytes, " -> ");
        int j = 0; /* the input that `from` drives */
        while (s->source[s->first_input[to->i_part] + j] != from)
            j++;
        wr_subsystem_path_text(subsystem_of(s, to->i_part), j, to->i_signal, text, text_bytes);
    }
    char *const last = n > 0 ? strrchr(text, '>') : NULL; /* the path ends with its first output */
    if (last && last - text >= 2)
        last[-2] = '\0';
    free(place);
    free(way);
}

static wrsim_status loop_fault(const newton *w, wrsim_status status, wrsim_error *err)
{
    char text[300];
    const wr_start *const s = w->s;
    loop_text(s, w->loop, text, sizeof text);
    if (w->i_failed >= 0) {
        wrsim_error why = {0};
        wr_subsystem_fault_text(s->part[w->i_failed].subsystem, &why);
        wr_error_set(err, status,
                     "the algebraic loop %s across subsystems has no start values: %s; declare "
                     "better start values of its inputs in describe()",
                     text, why.text);
        if (err) {
            snprintf(err->subsystem, sizeof err->subsystem, "%s", why.subsystem);
            err->time_s = why.time_s;
        }
        return status;
    }
    wr_error_set(err, status,
                 "Newton's method finds no start values of the algebraic loop %s across "
                 "subsystems. Put a state into the loop, or declare better start values of its "
                 "inputs in describe()",
                 text);
    return status;
}

static wrsim_status solve_loop(newton *w, wrsim_error *err)
{
    wr_loop_newton *const solver = &w->solver;
    for (int i = 0; i < w->n; i++)
        solver->y[i] = w->s->value[w->loop->vertex[i]];
    if (map_at(w, solver->y, solver->g) != 0)
        memcpy(solver->y, solver->nominal, (size_t)w->n * sizeof *solver->y);
    const int rc = wr_loop_newton_solve(solver);
    if (rc)
        return loop_fault(w, rc == WR_LOOP_UNSOLVED ? WRSIM_E_LOOP : w->status, err);
    for (int i = 0; i < w->n; i++)
        w->s->value[w->loop->vertex[i]] = solver->y[i];
    return WRSIM_OK;
}

wrsim_status wr_start_propagate(wr_start *s, wr_start_goal goal, wrsim_error *err)
{
    for (int v = 0; v < s->n_signal; v++) {
        const wr_subsystem *const subsystem = s->part[s->vertex[v].i_part].subsystem;
        if (!s->vertex[v].plan)
            s->value[v] = subsystem->x[subsystem->signal_state[s->vertex[v].i_signal]];
    }
    for (int i = 0; i < s->n_stage; i++) {
        const stage *const at = &s->stage[i];
        if (goal != WR_START_ALL && !at->is_for_indicators)
            continue;
        const evaluation *const e = &s->evaluation[at->first];
        const wrsim_status status =
            at->newton ? solve_loop(at->newton, err) : evaluate(s, e, s->value);
        if (status < 0 && !at->newton)
            wr_subsystem_fault_text(s->part[e->i_part].subsystem, err);
        WR_TRY(status);
    }
    for (int i = 0; i < s->n_part; i++)
        gather(s, i);
    return WRSIM_OK;
}

const double *wr_start_inputs(const wr_start *s, int i_part)
{
    return s->input + s->first_input[i_part];
}

const double *wr_start_outputs(const wr_start *s, int i_part)
{
    return s->value + s->first_signal[i_part];
}

/* ---- amplification of errors in loops ---- */

const wr_start_loop *wr_start_loops(const wr_start *s, int *ret_n)
{
    *ret_n = s->n_loop;
    return s->loop;
}

void wr_start_take(wr_start *s, int i_part, const double *value, const double *unit)
{
    const size_t bytes = (size_t)n_published(&s->part[i_part]) * sizeof *value;
    memcpy(s->value + s->first_signal[i_part], value, bytes);
    memcpy(s->unit + s->first_signal[i_part], unit, bytes);
}

/* Returns the largest sum of a row of |(I - D)^-1|, in tolerances. */
static double norm_of_inverse(newton *w)
{
    const int n = w->n;
    double largest = 0.0;
    memset(w->solver.tried, 0, (size_t)n * sizeof *w->solver.tried);
    for (int j = 0; j < n; j++) {
        memset(w->solver.step, 0, (size_t)n * sizeof *w->solver.step);
        w->solver.step[j] = w->s->unit[w->loop->vertex[j]];
        wr_dense_solve(n, w->solver.jac, w->solver.pivot, w->solver.step);
        for (int i = 0; i < n; i++)
            w->solver.tried[i] += fabs(w->solver.step[i]);
    }
    for (int i = 0; i < n; i++)
        largest = wr_max(largest, w->solver.tried[i] / w->s->unit[w->loop->vertex[i]]);
    return largest;
}

/* Computes Newton's step. Returns the loop's amplification of errors; 0: a model refuses the values. */
static double linearise(newton *w)
{
    const int n = w->n;
    for (int i = 0; i < n; i++)
        w->solver.y[i] = w->s->value[w->loop->vertex[i]];
    const int is_refused =
        map_at(w, w->solver.y, w->solver.g) != 0 || wr_loop_newton_jacobian(&w->solver) != 0;
    for (int i = 0; i < n; i++) /* restores the values before the evaluation */
        w->s->value[w->loop->vertex[i]] = w->solver.y[i];
    memset(w->step, 0, (size_t)n * (size_t)n * sizeof *w->step);
    if (is_refused)
        return 0.0;
    const wr_start *const s = w->s;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n;
             i++) { /* is_late: the subsystem of signal i reads signal j a sweep late */
            const int is_late =
                !s->is_gauss_seidel || s->part[w->part[i]].level <= s->part[w->part[j]].level;
            w->step[j * n + i] = is_late ? -(w->solver.jac[j * n + i] + (i == j)) : 0.0;
        }
    if (wr_dense_factor(n, w->solver.jac, w->solver.pivot) != 0) {
        memset(w->step, 0, (size_t)n * (size_t)n * sizeof *w->step);
        return MOST_AMPLIFICATION;
    }
    for (int j = 0; j < n; j++)
        wr_dense_solve(n, w->solver.jac, w->solver.pivot, w->step + (size_t)j * (size_t)n);
    const double norm = norm_of_inverse(w);
    return norm < MOST_AMPLIFICATION ? norm : MOST_AMPLIFICATION;
}

double wr_start_amplification(wr_start *s, double before)
{
    double largest = 1.0;
    for (int i = 0; i < s->n_stage; i++) {
        if (s->stage[i].n_loop == 0)
            continue;
        const double norm = linearise(s->stage[i].newton);
        largest = wr_max(largest, norm > 0.0 ? norm : before);
    }
    return largest;
}

void wr_start_state(wr_start *s, wr_state_io *io)
{
    wr_state_agree(io, s->n_loop);
    for (int i = 0; i < s->n_stage; i++) {
        newton *const w = s->stage[i].newton;
        if (s->stage[i].n_loop > 0)
            WR_STATE_ARRAY(io, w->step, (size_t)w->n * (size_t)w->n);
    }
}
