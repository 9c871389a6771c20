/* Scenarios of parameters and states. See scenario_tune.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/scenario_tune.h"

#include <string.h>

#include "base/names.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/tuned_model.h"

/* What a scenario that is not spliced in changes: "component.variable". */
static const wr_set_name *target_of(const wr_set_scenario *set)
{
    return set->action == WR_SCENARIO_RESET ? &set->signal : &set->parameter;
}

/* The component of a scenario; -1: there is none, or another kind of scenario. */
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

/* ---- what is wrong ---- */

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
    const char **const names = WR_TAKE(a->bag, const char *, n);
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
    const char **const names = WR_TAKE(a->bag, const char *, c->n[WRSIM_PARAMETER]);
    int n = 0;
    for (int i = 0; names && i < c->n[WRSIM_PARAMETER]; i++)
        if (c->variable[WRSIM_PARAMETER][i].flags & WRSIM_TUNABLE)
            names[n++] = c->variable[WRSIM_PARAMETER][i].name;
    static const char there_are[] = "there are: ";
    char hint[WR_NAMES_HINT_BYTES];
    wr_names_hint("", names, n, hint);
    const int is_list = strncmp(hint, there_are, sizeof there_are - 1) == 0;
    wr_diag_add(diag, WRSIM_E_CONFIG, &set->parameter.where,
                "scenario parameter '%.160s': model '%s' does not say that it may change while it "
                "runs; %s%s",
                set->parameter.name, c->model->name, is_list ? "tunable are: " : "none may",
                is_list ? hint + sizeof there_are - 1 : "");
}

/* Would the model take the value from the start? */
static void try_value(const wr_assembly *a, int i_component, const wr_set_scenario *set,
                      wr_remake_fn make, wr_diag *diag)
{
    wrsim_model free_model = *a->component[i_component]->model;
    free_model.caps &= ~(unsigned)WRSIM_CAP_ONE_INSTANCE; /* the one there is has been made */
    const wr_remake how = {.model = &free_model,
                           .parameter = variable_of(set),
                           .value = set->value,
                           .where = &set->where_value};
    wr_diag refused = {0};
    wr_component *trial = make(a, i_component, &how, &refused);
    if (wr_diag_status(&refused) < 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_value,
                    "scenario parameter '%.160s' cannot be %.10g: %.300s", set->parameter.name,
                    set->value, refused.items[0].text);
    wr_diag_done(&refused);
    wr_component_destroy(&trial);
}

/* Fills a tuning; returns whether it can be. */
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

/* The component around another; the one within stays as long as the assembly, as its model may be there once. */
static void surround(wr_assembly *a, int i_component, wr_tuned_plan *plan, wr_remake_fn make,
                     wr_diag *diag)
{
    wr_component *const plain = a->component[i_component];
    wrsim_model *const model = WR_TAKE(a->bag, wrsim_model, 1);
    unsigned char *const is_computed = WR_TAKE(a->bag, unsigned char, plain->n[WRSIM_OUTPUT]);
    if (!model || !is_computed) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for scenarios");
        return;
    }
    wr_tuned_plan_fill(plan, plain, is_computed);
    *model = wr_tuned_model(plan);
    wr_component *const tuned = make(a, i_component, &(wr_remake){.model = model}, diag);
    if (!tuned)
        return;
    a->within[i_component] = plain;
    a->component[i_component] = tuned;
    for (int i = 0; i < a->n_named; i++)
        if (a->named[i].number == i_component)
            a->named[i].name = tuned->name;
}

/* All scenarios of one component are in one model around it. */
static void tune(wr_assembly *a, int i_component, wr_remake_fn make, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_tuned_plan *const plan = WR_TAKE(a->bag, wr_tuned_plan, 1);
    wr_tuning *const tuning = WR_TAKE(a->bag, wr_tuning, set->n_scenarios);
    int is_good = 1;
    if (!plan || !tuning) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for scenarios");
        return;
    }
    *plan = (wr_tuned_plan){.tuning = tuning};
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
    unsigned char *const is_tuned = WR_TAKE(a->bag, unsigned char, a->n_component);
    if (!is_tuned)
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for scenarios");
    for (int i = 0; is_tuned && i < set->n_scenarios; i++) {
        const wr_set_scenario *const s = &set->scenarios[i];
        if (s->is_refused || wr_scenarios_is_spliced(s))
            continue;
        const int c = find_component(a, s);
        char hint[WR_NAMES_HINT_BYTES];
        if (c >= 0)
            is_tuned[c] = 1;
        else if (!wr_assembly_may_lack(a, target_of(s)->name))
            wr_diag_add(diag, WRSIM_E_CONFIG, &target_of(s)->where,
                        "scenario %s '%.160s': there is no such component; %s",
                        s->action == WR_SCENARIO_RESET ? "signal" : "parameter", target_of(s)->name,
                        wr_assembly_hint(a, target_of(s)->name, hint));
    }
    for (int c = 0; is_tuned && c < a->n_component; c++)
        if (is_tuned[c])
            tune(a, c, make, diag);
}
