/* A view of some components of a running simulation. See view.h. Thread: the simulation's owner. Real-time: no. */
#include "offline/structure/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fp_mode.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/simulation.h"

/* Largest size of the arena, bytes: 64 GiB (assumed). The arena allocates memory on demand. */
static const size_t limit_bytes = (size_t)1 << 36;

/* ---- selection ---- */

static int has_equations(const wr_assembly *a, int i_component)
{
    return a->setup[a->graph->node[i_component].i_subsystem].kind->has_group;
}

/* Returns the index of a component or subsystem; -1 with err, which has the nearest name if the name is unknown. */
static int find(const wr_assembly *a, int is_component, const char *name, wrsim_error *err)
{
    const int n = is_component ? a->n_component : a->n_subsystem;
    char hint[WR_NAMES_HINT_BYTES];
    WR_AUTO_FREE const char **const names = calloc((size_t)n + 1, sizeof *names);
    if (!names) {
        wr_error_memory(err);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        names[i] = is_component ? a->component[i]->name : a->setup[i].name;
        if (strcmp(names[i], name) == 0)
            return i;
    }
    wr_error_set(err, WRSIM_E_ARG, "unknown %s '%s'; %s", is_component ? "component" : "subsystem",
                 name, wr_names_hint(name, names, n, hint));
    return -1;
}

static wrsim_status select_components(wr_view *view, const wr_selection *s, wrsim_error *err)
{
    const wr_assembly *const a = view->sim->assembly;
    int i_component = -1, i_subsystem = -1;
    view->name = s->component ? s->component : s->subsystem ? s->subsystem : "all";
    if (s->component && (i_component = find(a, 1, s->component, err)) < 0)
        return WRSIM_E_ARG;
    if (s->subsystem && !s->component && (i_subsystem = find(a, 0, s->subsystem, err)) < 0)
        return WRSIM_E_ARG;
    view->component = WR_NEW_ARRAY(view->arena, int, a->n_component);
    if (!view->component)
        return wr_error_memory(err);
    for (int i = 0; i < a->n_component; i++) {
        if (!(i_component >= 0   ? i == i_component
              : i_subsystem >= 0 ? a->graph->node[i].i_subsystem == i_subsystem
                                 : has_equations(a, i)))
            continue;
        if (!has_equations(a, i))
            return wr_error_set(err, WRSIM_E_ARG,
                                "'%s' has no equations to examine, because it is a stepper, a "
                                "recording or a port; choose another component or subsystem",
                                view->name);
        view->component[view->n_component++] = i;
    }
    return view->n_component > 0
               ? WRSIM_OK
               : wr_error_set(err, WRSIM_E_ARG,
                              "the config has no component with equations; name another config");
}

/* ---- the group ---- */

/* Returns "component.variable" in the arena's memory, or NULL. */
static const char *join_names(wr_arena *arena, const char *component, const char *variable)
{
    const size_t n = strlen(component) + strlen(variable) + 2;
    char *const text = wr_arena_push(arena, n, 1);
    if (text)
        snprintf(text, n, "%s.%s", component, variable);
    return text;
}

static void set_variable(wr_view *view, wrsim_kind kind, int i, int i_component, int index)
{
    const wr_component *const c = view->sim->assembly->component[view->component[i_component]];
    const wr_variable *const v = &c->variable[kind][index];
    view->variable[kind][i] = (wr_view_variable){.name = join_names(view->arena, c->name, v->name),
                                                 .unit = v->unit,
                                                 .description = v->description,
                                                 .nominal = v->nominal,
                                                 .i_component = i_component,
                                                 .index = index};
}

/* Adds the drivers of one component's inputs: edges of the group, and external inputs. Returns WRSIM_OK, or a negative status with err. */
static wrsim_status add_edges(wr_view *view, int c, const int *place, int *n_edge)
{
    const wr_assembly *const a = view->sim->assembly;
    const int i_component = view->component[c];
    for (int u = 0; u < a->component[i_component]->n[WRSIM_INPUT]; u++) {
        const wr_graph_edge *const driver = wr_graph_driver(a->graph, i_component, u);
        const int from = driver ? place[driver->from] : -1;
        const int i_external = from < 0 ? view->n[WRSIM_INPUT]++ : -1;
        view->edge[(*n_edge)++] = (wr_group_edge){.from = from,
                                                  .i_output = driver ? driver->i_output : -1,
                                                  .to = c,
                                                  .i_input = u,
                                                  .i_external = i_external};
        if (from >= 0) /* an external input of the view is in the unit of the input */
            view->edge[*n_edge - 1].scale = driver->scale;
        if (from >= 0)
            continue;
        const wr_component *const by = driver ? a->component[driver->from] : NULL;
        const char *const name = by ? join_names(view->arena, by->name,
                                                 by->variable[WRSIM_OUTPUT][driver->i_output].name)
                                    : NULL;
        set_variable(view, WRSIM_INPUT, i_external, c, u);
        view->driver[i_external] =
            driver ? (wr_view_driver){name, driver->from, driver->i_output, driver->scale}
                   : (wr_view_driver){.i_component = -1, .i_output = -1};
        if ((by && !name) || !view->variable[WRSIM_INPUT][i_external].name)
            return WRSIM_E_MEMORY;
    }
    return WRSIM_OK;
}

/* Chooses the components of the group. If the view has one component, which does not drive itself, the view uses a copy whose inputs all
 * count as read. */
static wrsim_status choose_components(wr_view *view, wr_component **component,
                                      wr_component **described, int n_edge)
{
    static const wrsim_pattern by_input[] = {WRSIM_U_X, WRSIM_U_Y, WRSIM_U_Z};
    for (int c = 0; c < view->n_component; c++)
        component[c] = described[c] = view->sim->assembly->component[view->component[c]];
    view->described = described;
    int is_alone = view->n_component == 1;
    for (int i = 0; i < n_edge; i++)
        is_alone &= view->edge[i].from < 0;
    if (!is_alone)
        return WRSIM_OK;
    component[0] = WR_NEW(view->arena, wr_component);
    if (!component[0])
        return WRSIM_E_MEMORY;
    *component[0] = *described[0];
    for (size_t i = 0; i < WR_COUNT_OF(by_input); i++)
        component[0]->pattern[by_input[i]].is_declared = 0;
    return WRSIM_OK;
}

static wrsim_status place_group(wr_view *view, wr_diag *diag)
{
    int n_input = 0;
    for (int i = 0; i < view->n_component; i++)
        n_input += view->sim->assembly->component[view->component[i]]->n[WRSIM_INPUT];
    const int n = view->sim->assembly->n_component;
    WR_AUTO_FREE int *const place = malloc(((size_t)n + 1) * sizeof *place);
    wr_component **const component = WR_NEW_ARRAY(view->arena, wr_component *, view->n_component),
                         **const described =
                             WR_NEW_ARRAY(view->arena, wr_component *, view->n_component);
    view->edge = WR_NEW_ARRAY(view->arena, wr_group_edge, n_input);
    view->driver = WR_NEW_ARRAY(view->arena, wr_view_driver, n_input);
    view->variable[WRSIM_INPUT] = WR_NEW_ARRAY(view->arena, wr_view_variable, n_input);
    if (!place || !view->edge || !component || !described || !view->driver ||
        !view->variable[WRSIM_INPUT])
        return WRSIM_E_MEMORY;
    for (int i = 0; i < n; i++)
        place[i] = -1;
    for (int i = 0; i < view->n_component; i++)
        place[view->component[i]] = i;
    int n_edge = 0;
    for (int c = 0; c < view->n_component; c++)
        WR_TRY(add_edges(view, c, place, &n_edge));
    WR_TRY(choose_components(view, component, described, n_edge));
    view->group = wr_group_place(view->arena, component, view->n_component, view->edge, n_edge,
                                 view->n[WRSIM_INPUT], diag);
    return view->group ? WRSIM_OK : wr_diag_status(diag);
}

static wrsim_status place_variables(wr_view *view)
{
    static const wrsim_kind kinds[] = {WRSIM_STATE, WRSIM_DISCRETE, WRSIM_OUTPUT, WRSIM_INDICATOR};
    for (size_t k = 0; k < WR_COUNT_OF(kinds); k++) {
        const wrsim_kind kind = kinds[k];
        for (int c = 0; c < view->n_component; c++)
            view->n[kind] += view->group->component[c]->n[kind];
        view->variable[kind] = WR_NEW_ARRAY(view->arena, wr_view_variable, view->n[kind]);
        if (!view->variable[kind])
            return WRSIM_E_MEMORY;
        for (int c = 0, i = 0; c < view->n_component; c++)
            for (int j = 0; j < view->group->component[c]->n[kind]; j++, i++) {
                set_variable(view, kind, i, c, j);
                if (!view->variable[kind][i].name)
                    return WRSIM_E_MEMORY;
            }
    }
    view->x = WR_NEW_ARRAY(view->arena, double, view->n[WRSIM_STATE]);
    view->d = WR_NEW_ARRAY(view->arena, double, view->n[WRSIM_DISCRETE]);
    view->u = WR_NEW_ARRAY(view->arena, double, view->n[WRSIM_INPUT]);
    view->mode = WR_NEW_ARRAY(view->arena, unsigned char, view->n[WRSIM_INDICATOR]);
    return view->x && view->d && view->u && view->mode ? WRSIM_OK : WRSIM_E_MEMORY;
}

/* Lets components share the data of the run's instances if the model forbids probes or a second instance. A model with an own state also
 * shares the data, because a second instance would lack this state. */
static void share_instances(wr_view *view)
{
    const wr_assembly *const a = view->sim->assembly;
    for (int c = 0; c < view->n_component; c++) {
        const int i = view->component[c];
        const wrsim_model *const model = a->component[i]->model;
        if (!(model->own_state || (model->caps & (WRSIM_CAP_NO_PROBE | WRSIM_CAP_ONE_INSTANCE))))
            continue;
        wr_group_share(view->group, c, wr_setup_group(&a->setup[a->graph->node[i].i_subsystem]),
                       a->place[i].i_component);
    }
}

static wrsim_status build(wr_view *view, const wr_selection *selection, wrsim_error *err)
{
    WR_TRY(select_components(view, selection, err));
    WR_AUTO(wr_diag_done) wr_diag diag = {0};
    wrsim_status status = place_group(view, &diag);
    if (diag.n_items > 0 && err)
        *err = diag.items[0];
    const int is_told = diag.n_items > 0;
    WR_THEN(status, place_variables(view));
    if (status < 0)
        return is_told ? status : wr_error_memory(err);
    share_instances(view);
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    status = wr_group_init(view->group, view->sim->settings->simulation.start_s, view->x, view->d);
    wr_fp_mode_restore(before);
    if (status < 0)
        wr_view_fault(view, err);
    return status;
}

wrsim_status wr_view_create(wrsim *sim, const wr_selection *selection, wr_view **ret_view,
                            wrsim_error *err)
{
    wr_arena *arena = wr_arena_create(limit_bytes);
    wr_view *view = arena ? WR_NEW(arena, wr_view) : NULL;
    if (!view) {
        wr_arena_destroy(&arena);
        return wr_error_memory(err);
    }
    *view = (wr_view){.sim = sim, .arena = arena};
    const wrsim_status status = build(view, selection, err);
    if (status < 0)
        wr_view_destroy(&view);
    else
        *ret_view = view;
    return status;
}

void wr_view_destroy(wr_view **view)
{
    if (!view || !*view)
        return;
    wr_arena *arena = (*view)->arena;
    if ((*view)->group)
        wr_group_done((*view)->group);
    wr_arena_destroy(&arena);
    *view = NULL;
}

/* ---- the point ---- */

/* Copies states, discrete states, modes and memory of component c from its subsystem. */
static void take_component(wr_view *view, int c)
{
    const wr_assembly *const a = view->sim->assembly;
    const int i_component = view->component[c];
    const wr_setup *const m = &a->setup[a->graph->node[i_component].i_subsystem];
    const wr_subsystem *const s = m->subsystem;
    const wr_group *const from = wr_setup_group(m), *const to = view->group;
    const int own = a->place[i_component].i_component;
    const wr_component *const component = a->component[i_component];
    size_t n_bytes;
    wr_view_copy(view->x + to->x_start[c], s->x + from->x_start[own], component->n[WRSIM_STATE]);
    wr_view_copy(view->d + to->d_start[c], s->d + from->d_start[own], component->n[WRSIM_DISCRETE]);
    if (component->n[WRSIM_INDICATOR] > 0)
        memcpy(view->mode + to->z_start[c], wr_ode_mode(s) + from->z_start[own],
               (size_t)component->n[WRSIM_INDICATOR]);
    const void *const memory = wr_group_memory_of(from, own, &n_bytes);
    if (n_bytes > 0)
        memcpy(wr_group_memory_of(to, c, &n_bytes), memory, n_bytes);
}

/* Reads n variables of one kind of the view's simulation: variable which[i], or i if which is NULL. Returns WRSIM_OK, WRSIM_E_NAN
 * if a value is not finite, or WRSIM_E_MEMORY. */
static wrsim_status take_values(const wr_view *view, wrsim_kind kind, const int *which, int n,
                                double *ret, wrsim_error *err)
{
    WR_AUTO_FREE int *const number = calloc((size_t)n + 1, sizeof *number);
    if (!number)
        return wr_error_memory(err);
    for (int i = 0; i < n; i++) {
        const wr_view_variable *const v = &view->variable[kind][which ? which[i] : i];
        number[i] =
            wr_lookup_number(view->sim->assembly, view->component[v->i_component], kind, v->index);
    }
    wrsim_get_many(view->sim, n, number, ret);
    for (int i = 0; i < n; i++)
        if (!isfinite(ret[i]))
            return wr_error_set(err, WRSIM_E_NAN,
                                "'%s' is not finite at t = %.9g s; choose other times",
                                view->variable[kind][which ? which[i] : i].name, view->t_s);
    return WRSIM_OK;
}

/* Starts Newton's method at the run's solution of the loops, so that the view finds the solution of the run. */
static wrsim_status take_loops(wr_view *view, wrsim_error *err)
{
    int n_guess;
    double *guess = wr_group_guess(view->group, &n_guess);
    for (int i = 0; i < view->group->n_loop; i++) {
        const wr_algebraic_loop *const loop = &view->group->loop[i];
        WR_TRY(take_values(view, WRSIM_OUTPUT, loop->output, loop->n, guess, err));
        guess += loop->n;
    }
    return WRSIM_OK;
}

wrsim_status wr_view_take(wr_view *view, wrsim_error *err)
{
    view->t_s = wrsim_time(view->sim);
    for (int c = 0; c < view->n_component; c++)
        take_component(view, c);
    WR_TRY(take_values(view, WRSIM_INPUT, NULL, view->n[WRSIM_INPUT], view->u, err));
    return take_loops(view, err);
}

/* ---- evaluating ---- */

int wr_view_evaluate(wr_view *view, double *ret_dx, double *ret_y, double *ret_z)
{
    const wr_group_point point = wr_view_point(view);
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    int rc = 0;
    if (ret_dx && view->n[WRSIM_STATE] > 0) {
        wr_group_forget(view->group);
        rc = wr_group_rhs(view->group, &point, ret_dx);
    }
    if (ret_y && rc == 0 && view->n[WRSIM_OUTPUT] > 0) {
        wr_group_forget(view->group);
        rc = wr_group_outputs(view->group, &point, ret_y);
    }
    if (ret_z && rc == 0 && view->n[WRSIM_INDICATOR] > 0) {
        wr_group_forget(view->group);
        rc = wr_group_indicators(view->group, &point, ret_z);
    }
    wr_fp_mode_restore(before);
    return rc;
}

int wr_view_n_unfired(const wr_view *view)
{
    int n = 0;
    for (int c = 0; c < view->n_component; c++)
        n += wr_group_forbids_probe(view->group, c);
    return n;
}

int wr_view_may_fire(const wr_view *view, int i_z)
{
    return !wr_group_forbids_probe(view->group, view->variable[WRSIM_INDICATOR][i_z].i_component);
}

int wr_view_fire(wr_view *view, int i_z)
{
    WR_ASSERT(wr_view_may_fire(view, i_z));
    size_t n_bytes;
    void *const memory = wr_group_memory(view->group, &n_bytes);
    WR_AUTO_FREE void *const kept = malloc(n_bytes + 1);
    WR_AUTO_FREE signed char *const fired = calloc((size_t)view->n[WRSIM_INDICATOR], 1);
    WR_AUTO_FREE unsigned char *const due = calloc((size_t)view->n_component, 1);
    int rc = -1;
    const int c = view->variable[WRSIM_INDICATOR][i_z].i_component;
    if (kept && fired && due) {
        due[c] = WR_DUE_STATE;
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
        if (n_bytes > 0)
            memcpy(kept, memory, n_bytes);
        const wr_group_point point = wr_view_point(view);
        fired[i_z] = view->mode[i_z] ? -1 : 1;
        view->mode[i_z] = !view->mode[i_z];
        wr_group_forget(view->group);
        rc = wr_group_event(view->group, &point, fired, due, 0, view->x, view->d);
        if (n_bytes > 0)
            memcpy(memory, kept, n_bytes);
        wr_fp_mode_restore(before);
    }
    return rc;
}

void wr_view_fault(const wr_view *view, wrsim_error *err)
{
    wrsim_error fault = {0};
    wr_group_fault_text(view->group, &view->group->fault, &fault);
    if (!fault.text[0])
        wr_error_memory(&fault);
    if (err)
        *err = fault;
}
