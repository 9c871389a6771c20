/* Turns scenarios into components and wrappers. See scenario_splice.h. Thread: one owner. Real-time: no. */
#include "runtime/sim/scenario_splice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "runtime/scenario/scenario_model.h"
#include "runtime/scenario/tunable_parameters.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/subsystem_kinds.h"

/* ---- scenarios of signals ---- */

/* An output that drives an input. */
typedef struct source {
    int i_component, i_output; /* -1: no output */
    double period_s;           /* period of exchange of the connection */
    wr_unit_scale scale;       /* from the output to its reader */
} source;

static const source NO_SOURCE = {.i_component = -1, .i_output = -1};
static const wr_unit_scale NO_SCALE = {0.0, 0.0};

/* An input that a scenario changes, and its channel of the scenario's component. */
typedef struct reader {
    int i_component, i_input, i_channel;
    wr_unit_scale scale; /* from the scenario's value to the input */
} reader;

/* One scenario during its insertion. */
typedef struct splice {
    wr_assembly *a;
    const wr_set_scenario *set;
    const wr_scenario *scenario;
    /* Unit of the scenario's value: the unit of the input that the scenario names, or else of the original output. */
    const char *unit;
    int n_reader, n_channel;
    reader *reader;  /* [n_reader] */
    source *driver;  /* [n_channel] output that drives the inputs of each channel */
    source original; /* output that drives the inputs before the first insertion */
    source trigger;
} splice;

/* Edges before the first insertion. */
typedef struct origin {
    int n_edge;
    wr_graph_edge *edge;
} origin;

/* Returns 1 if the component's subsystem is integrated. Played subsystems and steppers accept no further components. */
static int is_integrated(const wr_assembly *a, int i_component)
{
    const wr_setup_kind *const kind =
        wr_subsystem_kinds_of(a, a->graph->node[i_component].i_subsystem);
    return kind && kind->has_group;
}

static const wr_variable *output_of(const wr_assembly *a, const source *from)
{
    return &a->component[from->i_component]->variable[WRSIM_OUTPUT][from->i_output];
}

/* ---- affected inputs ---- */

static int is_named(const wr_assembly *a, const wr_graph_edge *e, const wr_set_scenario *set)
{
    for (int i = 0; i < set->n_to; i++) {
        const char *const full =
            wr_heap_pool_join(a->pool, a->component[e->to]->name,
                              a->component[e->to]->variable[WRSIM_INPUT][e->i_input].name);
        if (full && strcmp(full, set->to[i].name) == 0)
            return 1;
    }
    return set->n_to == 0;
}

/* Adds an input of an integrated subsystem. scale: from the scenario's value to the input. Inputs that the same output drives share a
 * channel, because the input of a channel is in the unit of the scenario's value. */
static void add_reader(splice *s, int i_component, int i_input, wr_unit_scale scale)
{
    const wr_graph_edge *const e = wr_graph_driver(s->a->graph, i_component, i_input);
    const source now = e ? (source){e->from, e->i_output, e->period_s,
                                    wr_unit_is_same_scale(e->scale, scale)
                                        ? NO_SCALE
                                        : wr_unit_compose(e->scale, wr_unit_inverse(scale))}
                         : NO_SOURCE;
    int k = 0;
    if (!is_integrated(s->a, i_component))
        return;
    while (k < s->n_channel &&
           (s->driver[k].i_component != now.i_component || s->driver[k].i_output != now.i_output))
        k++;
    if (k == s->n_channel)
        s->driver[s->n_channel++] = now;
    else
        s->driver[k].period_s = wr_graph_shorter(s->driver[k].period_s, now.period_s);
    s->reader[s->n_reader++] = (reader){i_component, i_input, k, scale};
}

/* Returns the subsystem of a scenario that ends the run: that of its trigger, or else the first integrated one. Returns -1 if no subsystem
 * is integrated. */
static int choose_for_stop(const wr_assembly *a, const source *trigger)
{
    int i = trigger->i_component >= 0 && is_integrated(a, trigger->i_component)
                ? trigger->i_component
                : 0;
    while (i < a->n_component && !is_integrated(a, i))
        i++;
    return i < a->n_component ? a->graph->node[i].i_subsystem : -1;
}

static wrsim_status find_readers(splice *s, const origin *before, wr_diag *diag)
{
    int i_component, index;
    wrsim_kind kind;
    s->reader = WR_TAKE(s->a->pool, reader, before->n_edge + 1);
    s->driver = WR_TAKE(s->a->pool, source, before->n_edge + 1);
    if (!s->reader || !s->driver)
        return wr_assembly_out_of_memory(diag);
    s->original = NO_SOURCE;
    s->unit = "";
    if (s->set->action == WR_SCENARIO_STOP)
        return choose_for_stop(s->a, &s->trigger) >= 0
                   ? WRSIM_OK
                   : wr_diag_add(diag, WRSIM_E_CONFIG, &s->set->where,
                                 "scenario '%s' ends the run at an event, but no subsystem of this "
                                 "run has events; set simulation.stop instead",
                                 s->set->name);
    wr_scenarios_find(s->a, s->set->signal.name, &i_component, &kind, &index);
    s->unit = s->a->component[i_component]->variable[kind][index].unit;
    if (kind == WRSIM_INPUT)
        add_reader(s, i_component, index, NO_SCALE);
    for (int i = 0; i < before->n_edge; i++) {
        const wr_graph_edge *const e = &before->edge[i];
        const int is_it = kind == WRSIM_INPUT ? e->to == i_component && e->i_input == index
                                              : e->from == i_component && e->i_output == index;
        if (is_it)
            s->original = (source){e->from, e->i_output, e->period_s, e->scale};
        if (is_it && kind == WRSIM_OUTPUT && is_named(s->a, e, s->set))
            add_reader(s, e->to, e->i_input, e->scale);
    }
    if (!*s->unit && kind == WRSIM_INPUT && s->original.i_component >= 0)
        s->unit = output_of(s->a, &s->original)->unit;
    if (s->n_reader > 0)
        return WRSIM_OK;
    return wr_diag_add(
        diag, WRSIM_E_CONFIG, &s->set->signal.where,
        "scenario signal '%.160s': all readers are played or advance themselves, so the scenario "
        "has no effect; remove the scenario",
        s->set->signal.name);
}

static int choose_subsystem(const splice *s)
{
    const wr_graph_node *const node = s->a->graph->node;
    if (s->set->action == WR_SCENARIO_STOP)
        return choose_for_stop(s->a, &s->trigger);
    const int first = node[s->reader[0].i_component].i_subsystem;
    int n_other = 0;
    for (int i = 1; i < s->n_reader; i++)
        n_other += node[s->reader[i].i_component].i_subsystem != first;
    const int from = s->original.i_component;
    return n_other > 0 && from >= 0 && is_integrated(s->a, from) ? node[from].i_subsystem : first;
}

/* ---- the component ---- */

static double declared(const wr_variable *v) { return v->is_nominal_declared ? v->nominal : 0.0; }

/* Describes the channels with nominal values of both ends, so that tolerances equal the tolerances without the scenario. */
static wr_channel_face *make_faces(const splice *s)
{
    const wr_assembly *const a = s->a;
    wr_channel_face *const face = WR_TAKE(a->pool, wr_channel_face, s->n_channel);
    for (int i = 0; face && i < s->n_reader; i++) {
        const reader *const r = &s->reader[i];
        const wr_variable *const u =
            &a->component[r->i_component]->variable[WRSIM_INPUT][r->i_input];
        wr_channel_face *const f = &face[r->i_channel];
        const wr_unit_scale scale = wr_unit_inverse(r->scale);
        const double nominal = fabs(wr_unit_apply_change(scale, declared(u)));
        f->start = wr_unit_apply(scale, u->start);
        if (nominal > 0.0 && (!(f->input_nominal > 0.0) || nominal < f->input_nominal))
            f->input_nominal = nominal;
    }
    for (int k = 0; face && k < s->n_channel; k++) {
        const source *const from = &s->driver[k];
        face[k].unit = s->unit;
        if (from->i_component < 0)
            continue;
        const wr_component *const c = a->component[from->i_component];
        /* An output that equals a state may have the state's nominal value. */
        const wr_variable *const y = output_of(a, from);
        const int is_state = !y->is_nominal_declared && (y->flags & WRSIM_IS_STATE);
        const double nominal = declared(is_state ? &c->variable[WRSIM_STATE][y->index] : y);
        face[k].output_nominal = fabs(wr_unit_apply_change(from->scale, nominal));
    }
    return face;
}

static wr_component *make_component(const splice *s, wr_diag *diag)
{
    static const wr_effect effects[WR_SCENARIO_ACTION_COUNT] = {
        [WR_SCENARIO_OVERRIDE] = WR_EFFECT_OVERRIDE, [WR_SCENARIO_BIAS] = WR_EFFECT_BIAS,
        [WR_SCENARIO_GAIN] = WR_EFFECT_GAIN,         [WR_SCENARIO_RAMP] = WR_EFFECT_RAMP,
        [WR_SCENARIO_FREEZE] = WR_EFFECT_FREEZE,     [WR_SCENARIO_REPLAY] = WR_EFFECT_REPLAY,
        [WR_SCENARIO_STOP] = WR_EFFECT_STOP};
    const wr_set_scenario *const set = s->set;
    wr_scenario_plan *const plan = WR_TAKE(s->a->pool, wr_scenario_plan, 1);
    wrsim_model *const model = WR_TAKE(s->a->pool, wrsim_model, 1);
    const wr_channel_face *const face = make_faces(s);
    if (!plan || !model || !face) {
        wr_assembly_out_of_memory(diag);
        return NULL;
    }
    *plan = (wr_scenario_plan){.trigger = wr_scenarios_trigger(set),
                               .effect = effects[set->action],
                               .value = set->value,
                               .ramp_time_s = set->ramp_time_s,
                               .n_point = s->scenario->points.n_point,
                               .point_s = s->scenario->points.point_s,
                               .point = s->scenario->points.point,
                               .is_held = set->is_held,
                               .offset_s = s->scenario->points.offset_s,
                               .period_s = set->period_s,
                               .n_channel = s->n_channel,
                               .channel = face};
    *model = wr_scenario_model(plan);
    return wr_component_create(set->name, model, &set->where, NULL, 0, NULL, 0, diag);
}

/* ---- the graph ---- */

static wrsim_status drive(const wr_assembly *a, source from, int i_to, int i_input, wr_diag *diag)
{
    const wr_graph_edge edge = {.from = from.i_component,
                                .i_output = from.i_output,
                                .to = i_to,
                                .i_input = i_input,
                                .period_s = from.period_s,
                                .scale = from.scale,
                                .where = a->component[i_to]->where};
    return wr_graph_drive(a->graph, &edge) < 0 ? wr_assembly_out_of_memory(diag) : WRSIM_OK;
}

/* Returns the trigger of a scenario: the compared signal, or the first of the host's two signals. If a time triggers the scenario, the
 * result has no output. */
static source find_trigger(const wr_assembly *a, int i_scenario)
{
    const wr_set_scenario *const set = &a->settings->scenarios[i_scenario];
    source from = NO_SOURCE;
    int i_component, index;
    wrsim_kind kind;
    if (set->is_api) {
        from.i_component = a->i_port;
        from.i_output = wr_ports_api_output(a->settings, a->scenarios->scenario[i_scenario].i_api);
    } else if (set->condition.name) {
        wr_scenarios_watched(a, set->condition.name, &from.i_component, &from.i_output);
        if (wr_lookup_name(a, set->condition.name, &i_component, &kind, &index) == 0 &&
            kind == WRSIM_INPUT) /* the limit of the condition is in the unit of the input */
            from.scale = wr_graph_driver(a->graph, i_component, index)->scale;
    }
    return from;
}

/* Connects a trigger to a component. inputs[0]: input for the trigger; inputs[1]: input for the host's value; -1: no host triggers the
 * scenario. */
static wrsim_status connect_trigger(const wr_assembly *a, source from, int i_component,
                                    const int inputs[2], wr_diag *diag)
{
    if (from.i_component < 0)
        return WRSIM_OK;
    WR_TRY(drive(a, from, i_component, inputs[0], diag));
    const source level = {from.i_component, from.i_output + 1, from.period_s, {0.0, 0.0}};
    return inputs[1] >= 0 ? drive(a, level, i_component, inputs[1], diag) : WRSIM_OK;
}

static wrsim_status add_component(splice *s, wr_diag *diag)
{
    wr_assembly *const a = s->a;
    wr_component *const c = make_component(s, diag);
    if (!c)
        return wr_diag_status(diag);
    const int i = a->n_component++;
    a->component[i] = c;
    a->named[a->n_named++] = (wr_named){c->name, i};
    wr_names_sort(a->named, a->n_named);
    const wr_graph_node node = {.name = c->name,
                                .where = c->where,
                                .n_input = c->n[WRSIM_INPUT],
                                .n_output = c->n[WRSIM_OUTPUT],
                                .is_made = 1,
                                .i_subsystem = choose_subsystem(s)};
    if (wr_graph_add_node(a->graph, &node) < 0)
        return wr_assembly_out_of_memory(diag);
    for (int k = 0; k < s->n_channel; k++) {
        if (s->driver[k].i_component >= 0)
            WR_TRY(drive(a, s->driver[k], i, k, diag));
    }
    for (int k = 0; k < s->n_reader; k++) {
        const reader *const r = &s->reader[k];
        const source from = {i, r->i_channel, s->driver[r->i_channel].period_s, r->scale};
        WR_TRY(drive(a, from, r->i_component, r->i_input, diag));
    }
    return WRSIM_OK;
}

static wrsim_status splice_one(wr_assembly *a, int i, const origin *before, wr_diag *diag)
{
    splice s = {.a = a, .set = &a->settings->scenarios[i], .scenario = &a->scenarios->scenario[i]};
    /* The search precedes the insertion, so that this scenario does not change its own trigger. */
    s.trigger = find_trigger(a, i);
    WR_TRY(find_readers(&s, before, diag));
    WR_TRY(add_component(&s, diag));
    const int when = s.n_channel; /* order of inputs as in runtime/scenario/scenario_model.h */
    const int inputs[2] = {when, s.set->is_api ? when + 1 : -1};
    return connect_trigger(a, s.trigger, a->n_component - 1, inputs, diag);
}

/* Connects the trigger of a scenario of a parameter or state to the wrapper. */
static wrsim_status connect_tuned(const wr_assembly *a, int i, wr_diag *diag)
{
    const wr_set_scenario *const set = &a->settings->scenarios[i];
    const char *const target =
        set->action == WR_SCENARIO_RESET ? set->signal.name : set->parameter.name;
    const int c = wr_names_find(a->named, a->n_named, target, strcspn(target, "."));
    if (!is_integrated(a, c))
        return wr_diag_add(
            diag, WRSIM_E_CONFIG, &set->where,
            "scenario '%s': '%s' is played or advances itself, so the scenario has no effect; "
            "remove the scenario",
            set->name, a->component[c]->name);
    int inputs[2];
    static const char *const kinds[2] = {"when", "level"};
    for (int k = 0; k < 2; k++) {
        char name[WR_NAMES_MAX_BYTES + 16];
        snprintf(name, sizeof name, "%s_%s", set->name, kinds[k]);
        inputs[k] = wr_component_find(a->component[c], WRSIM_INPUT, name);
    }
    return connect_trigger(a, find_trigger(a, i), c, inputs, diag);
}

void wr_scenarios_splice(wr_assembly *a, wr_diag *diag)
{
    const int n = a->graph->n_edge;
    origin before = {n, WR_TAKE(a->pool, wr_graph_edge, n)};
    if (!before.edge) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    if (n > 0)
        memcpy(before.edge, a->graph->edge, (size_t)n * sizeof *before.edge);
    for (int i = 0; i < a->scenarios->n; i++) {
        if (wr_scenarios_is_spliced(&a->settings->scenarios[i]))
            splice_one(a, i, &before, diag);
        else
            connect_tuned(a, i, diag);
    }
    a->is_spliced = 1;
}

void wr_scenarios_place(wr_assembly *a)
{
    wr_scenarios *const list = a->scenarios;
    for (int i = 0; i < list->n; i++) {
        wr_scenario *const s = &list->scenario[i];
        if (s->i_api < 0)
            continue;
        const int on = wr_ports_api_output(a->settings, s->i_api);
        s->i_on = a->signal_of[wr_lookup_number(a, a->i_port, WRSIM_OUTPUT, on)];
        s->i_level = a->signal_of[wr_lookup_number(a, a->i_port, WRSIM_OUTPUT, on + 1)];
        list->player = a->setup[a->graph->node[a->i_port].i_subsystem].subsystem;
    }
}

/* ---- scenarios of parameters and states ---- */

/* Returns the variable that a scenario in a component changes: "component.variable". */
static const wr_set_name *target_of(const wr_set_scenario *set)
{
    return set->action == WR_SCENARIO_RESET ? &set->signal : &set->parameter;
}

/* Returns the component whose parameter or state a scenario changes; -1: the scenario is refused or of a signal, or no such component. */
static int find_component(const wr_assembly *a, const wr_set_scenario *set)
{
    if (set->is_refused || wr_scenarios_is_spliced(set))
        return -1;
    const char *const name = target_of(set)->name;
    return wr_names_find(a->named, a->n_named, name, strcspn(name, "."));
}

static const char *variable_of(const wr_set_scenario *set)
{
    return strchr(target_of(set)->name, '.') + 1;
}

/* ---- checks ---- */

static void refuse_unknown(const wr_assembly *a, const wr_component *c, const wr_set_scenario *set,
                           wr_diag *diag)
{
    static const wrsim_kind states[] = {WRSIM_STATE, WRSIM_DISCRETE},
                            parameters[] = {WRSIM_PARAMETER};
    const int is_reset = set->action == WR_SCENARIO_RESET;
    const wrsim_kind *const kinds = is_reset ? states : parameters;
    int n = 0;
    for (int k = 0; k < 1 + is_reset; k++)
        n += c->n[kinds[k]];
    const char **const names = WR_TAKE(a->pool, const char *, n);
    n = 0;
    for (int k = 0; names && k < 1 + is_reset; k++)
        for (int i = 0; i < c->n[kinds[k]]; i++)
            names[n++] = c->variable[kinds[k]][i].name;
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(diag, WRSIM_E_CONFIG, &target_of(set)->where,
                "scenario %s '%.160s': component '%s' has no %s '%.96s'; %s",
                is_reset ? "signal" : "parameter", target_of(set)->name, c->name,
                is_reset ? "state" : "parameter", variable_of(set),
                wr_names_hint(variable_of(set), names, n, hint));
}

static void refuse_fixed(const wr_assembly *a, const wr_component *c, const wr_set_scenario *set,
                         wr_diag *diag)
{
    const char **const names = WR_TAKE(a->pool, const char *, c->n[WRSIM_PARAMETER]);
    int n = 0;
    for (int i = 0; names && i < c->n[WRSIM_PARAMETER]; i++)
        if (c->variable[WRSIM_PARAMETER][i].flags & WRSIM_TUNABLE)
            names[n++] = c->variable[WRSIM_PARAMETER][i].name;
    static const char list[] = "choose one of: ";
    char hint[WR_NAMES_HINT_BYTES];
    wr_names_hint("", names, n, hint);
    const int is_list = strncmp(hint, list, sizeof list - 1) == 0;
    wr_diag_add(
        diag, WRSIM_E_CONFIG, &set->parameter.where,
        "scenario parameter '%.160s': model '%s' does not declare this parameter as tunable; %s",
        set->parameter.name, c->model->name, is_list ? hint : "remove the scenario");
}

/* Checks that the model accepts the value, by a trial component with this value of the parameter. */
static void try_value(const wr_assembly *a, int i_component, const wr_set_scenario *set,
                      wr_remake_fn make, wr_diag *diag)
{
    const wrsim_model *const model = a->component[i_component]->model;
    wrsim_model free_model = *model;
    free_model.caps &= ~(unsigned)WRSIM_CAP_ONE_INSTANCE; /* the trial is a second instance */
    const wr_remake how = {.model = &free_model,
                           .parameter = variable_of(set),
                           .value = set->value,
                           .where = &set->where_value};
    wr_diag refused = {0};
    wr_component *trial = make(a, i_component, &how, &refused);
    if (wr_diag_status(&refused) < 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_value,
                    "scenario parameter '%.160s': the model refuses %.10g: %.300s",
                    set->parameter.name, set->value, refused.items[0].text);
    wr_diag_done(&refused);
    wr_component_destroy(&trial);
}

/* Fills a tuning. Returns 0 if the component has no such variable, or the model does not declare the parameter as tunable. */
static int resolve(const wr_assembly *a, int i_component, const wr_set_scenario *set,
                   wr_tuning *ret, wr_diag *diag)
{
    const wr_component *const c = a->component[i_component];
    const char *const name = variable_of(set);
    *ret =
        (wr_tuning){.name = set->name, .trigger = wr_scenarios_trigger(set), .value = set->value};
    if (set->action == WR_SCENARIO_RESET) {
        ret->kind = WR_TUNE_STATE;
        ret->index = wr_component_find(c, WRSIM_STATE, name);
        if (ret->index < 0) {
            ret->kind = WR_TUNE_DISCRETE;
            ret->index = wr_component_find(c, WRSIM_DISCRETE, name);
        }
    } else {
        ret->kind = WR_TUNE_PARAMETER;
        ret->index = wr_component_find(c, WRSIM_PARAMETER, name);
    }
    if (ret->index < 0) {
        refuse_unknown(a, c, set, diag);
        return 0;
    }
    if (ret->kind == WR_TUNE_PARAMETER &&
        !(c->variable[WRSIM_PARAMETER][ret->index].flags & WRSIM_TUNABLE)) {
        refuse_fixed(a, c, set, diag);
        return 0;
    }
    return 1;
}

/* ---- the component ---- */

/* Puts a wrapper around a component. The assembly keeps the inner component, because its model may allow one instance only. */
static void surround(wr_assembly *a, int i_component, wr_tunable_plan *plan, wr_remake_fn make,
                     wr_diag *diag)
{
    wr_component *const plain = a->component[i_component];
    wrsim_model *const model = WR_TAKE(a->pool, wrsim_model, 1);
    unsigned char *const is_computed = WR_TAKE(a->pool, unsigned char, plain->n[WRSIM_OUTPUT]);
    if (!model || !is_computed) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    wr_tunable_plan_fill(plan, plain, is_computed);
    *model = wr_tunable_model(plan);
    wr_component *const tuned = make(a, i_component, &(wr_remake){.model = model}, diag);
    if (!tuned)
        return;
    a->within[i_component] = plain;
    a->component[i_component] = tuned;
    for (int i = 0; i < a->n_named; i++)
        if (a->named[i].number == i_component)
            a->named[i].name = tuned->name;
}

/* Puts all scenarios of one component into one wrapper. */
static void tune(wr_assembly *a, int i_component, wr_remake_fn make, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_tunable_plan *const plan = WR_TAKE(a->pool, wr_tunable_plan, 1);
    wr_tuning *const tuning = WR_TAKE(a->pool, wr_tuning, set->n_scenarios);
    int is_good = 1;
    if (!plan || !tuning) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    *plan = (wr_tunable_plan){.tuning = tuning};
    for (int i = 0; i < set->n_scenarios; i++) {
        const wr_set_scenario *const s = &set->scenarios[i];
        if (find_component(a, s) != i_component)
            continue;
        const int is_known = resolve(a, i_component, s, &tuning[plan->n_tuning++], diag);
        if (is_known && s->action == WR_SCENARIO_PARAMETER)
            try_value(a, i_component, s, make, diag);
        is_good &= is_known;
    }
    if (is_good)
        surround(a, i_component, plan, make, diag);
}

void wr_scenarios_tune(wr_assembly *a, wr_remake_fn make, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    unsigned char *const is_tuned = WR_TAKE(a->pool, unsigned char, a->n_component);
    if (!is_tuned)
        wr_assembly_out_of_memory(diag);
    for (int i = 0; is_tuned && i < set->n_scenarios; i++) {
        const wr_set_scenario *const s = &set->scenarios[i];
        if (s->is_refused || wr_scenarios_is_spliced(s))
            continue;
        const int c = find_component(a, s);
        char hint[WR_NAMES_HINT_BYTES];
        if (c >= 0)
            is_tuned[c] = 1;
        else if (!wr_lookup_may_lack(a, target_of(s)->name))
            wr_diag_add(diag, WRSIM_E_CONFIG, &target_of(s)->where,
                        "scenario %s '%.160s': unknown component; %s",
                        s->action == WR_SCENARIO_RESET ? "signal" : "parameter", target_of(s)->name,
                        wr_lookup_hint(a, target_of(s)->name, hint));
    }
    for (int c = 0; is_tuned && c < a->n_component; c++)
        if (is_tuned[c])
            tune(a, c, make, diag);
}
