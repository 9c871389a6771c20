/* Lists the variables of an FMU. See cosim_variables.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_variables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "runtime/sim/build_subsystems.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/scenarios.h"
#include "runtime/sim/simulation.h"
#include "wrsim/port.h"

typedef struct builder {
    const wr_assembly *a;
    wr_cosim_list *list;
    unsigned char *
        is_listed; /* [all numbers of wr_lookup_number()] 1: the variable is a recorded signal of the list */
} builder;

/* Returns a variable at the end of the list. The caller has counted the variables. */
static wr_cosim_variable *append(builder *b, wr_cosim_role role, const char *name)
{
    wr_cosim_variable *const v = &b->list->variable[b->list->n++];
    *v = (wr_cosim_variable){.name = name ? name : "",
                             .unit = "",
                             .description = "",
                             .role = role,
                             .start = (double)NAN};
    return v;
}

/* Returns the text of a list of three or four parts joined by dots, with the second part, and a fourth part, in quotes. */
static const char *make_key(const builder *b, const char *table, const char *name, const char *key,
                            const char *last)
{
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text, "%s.", table);
    wr_toml_string_add(&text, name);
    wr_text_buffer_add(&text, ".%s", key);
    if (last) {
        wr_text_buffer_add(&text, ".");
        wr_toml_string_add(&text, last);
    }
    char *const taken = wr_text_buffer_take(&text);
    const char *const copy = taken ? wr_heap_pool_text(b->list->pool, taken, strlen(taken)) : NULL;
    free(taken);
    return copy;
}

static void take_variable(wr_cosim_variable *to, const wr_variable *from)
{
    to->unit = from->unit;
    to->description = from->description;
    to->nominal = from->is_nominal_declared ? from->nominal : 0.0;
    to->min = from->min;
    to->max = from->max;
}

/* Finds a state, input or output by its name. Returns NULL if the component does not exist. */
static const wr_variable *find_variable(const wr_assembly *a, const char *name, wrsim_kind *ret)
{
    int i_component, index;
    if (wr_lookup_name(a, name, &i_component, ret, &index) != 0)
        return NULL;
    return &a->component[i_component]->variable[*ret][index];
}

/* ---- ports ---- */

static void add_ports(builder *b, const wrsim *sim, wrsim_port_direction direction)
{
    const wr_settings *const set = b->a->settings;
    for (int i = 0; i < wrsim_port_count(sim); i++) {
        wrsim_port port;
        if (wrsim_port_info(sim, i, &port) != WRSIM_OK || port.direction != direction)
            continue;
        const wr_set_port *const p = &set->ports[i];
        const int is_input = direction == WRSIM_PORT_INPUT;
        wrsim_kind kind;
        const wr_variable *const shown =
            find_variable(b->a, is_input ? p->to[0].name : p->from.name, &kind);
        wr_cosim_variable *const v =
            append(b, is_input ? WR_COSIM_INPUT : WR_COSIM_PORT, port.name);
        v->handle = i;
        if (shown)
            take_variable(v, shown);
        v->unit = port.unit;
        v->is_discrete = !is_input && shown && kind == WRSIM_DISCRETE;
        if (is_input) {
            v->start = wr_ports_start(b->a, p);
            v->key = make_key(b, "port", port.name, "start", NULL);
        }
    }
}

/* ---- scenarios and parameters ---- */

static const char *join_three(const builder *b, const char *first, const char *second,
                              const char *third)
{
    const char *const two = wr_heap_pool_join(b->list->pool, first, second);
    return two ? wr_heap_pool_join(b->list->pool, two, third) : NULL;
}

/* Returns 1 if the scenario makes its parameter tunable: a host triggers the scenario, which then lasts. */
static int is_tuning(const wr_set_scenario *s)
{
    return s->is_api && s->action == WR_SCENARIO_PARAMETER && isinf(s->until_s) &&
           isinf(s->duration_s);
}

/* Returns the scenario that makes a parameter tunable; -1: none. */
static int find_tuning(const wr_settings *set, const char *component, const char *parameter)
{
    const size_t n = strlen(component);
    for (int i = 0; i < set->n_scenarios; i++) {
        const char *const name = set->scenarios[i].parameter.name;
        if (is_tuning(&set->scenarios[i]) && strncmp(name, component, n) == 0 && name[n] == '.' &&
            strcmp(name + n + 1, parameter) == 0)
            return i;
    }
    return -1;
}

/* Adds the scenarios that a host triggers, apart from the scenarios that make a parameter tunable. */
static void add_scenarios(builder *b)
{
    const wr_settings *const set = b->a->settings;
    for (int i = 0; i < set->n_scenarios; i++) {
        const wr_set_scenario *const s = &set->scenarios[i];
        if (!s->is_api || is_tuning(s))
            continue;
        wr_cosim_variable *v =
            append(b, WR_COSIM_SWITCH, join_three(b, "scenario", s->name, "is_on"));
        v->type = WR_COSIM_BOOLEAN;
        v->is_discrete = 1;
        v->handle = i;
        v->start = 0.0;
        v->description = "1: the scenario is on";
        if (!wr_scenarios_has_value(s))
            continue;
        v = append(b, WR_COSIM_VALUE, join_three(b, "scenario", s->name, "value"));
        v->handle = i;
        v->start = s->value;
        v->description = "value of the scenario";
        v->key = make_key(b, "scenario", s->name, "value", NULL);
    }
}

/* Returns the component of the config, without the wrapper of a scenario. */
static const wr_component *plain(const wr_assembly *a, int i)
{
    return a->within && a->within[i] ? a->within[i] : a->component[i];
}

static int is_number(const wrsim_variable *p) { return !(p->flags & WRSIM_TEXT) && !p->choices; }

static void add_parameters(builder *b)
{
    for (int i = 0; i < b->a->n_listed; i++) {
        const wr_component *const c = plain(b->a, i);
        for (int k = 0; k < c->model->n_param; k++) {
            const wrsim_variable *const p = &c->model->params[k];
            if (!is_number(p))
                continue;
            const int scenario = find_tuning(b->a->settings, c->name, p->name);
            wr_cosim_variable *const v =
                append(b, scenario >= 0 ? WR_COSIM_TUNABLE : WR_COSIM_PARAMETER,
                       join_three(b, c->name, "parameters", p->name));
            v->handle = scenario;
            v->type = p->flags & WRSIM_BOOLEAN   ? WR_COSIM_BOOLEAN
                      : p->flags & WRSIM_INTEGER ? WR_COSIM_INTEGER
                                                 : WR_COSIM_REAL;
            v->unit = p->unit ? p->unit : "";
            v->description = p->description ? p->description : "";
            v->start = c->param[k];
            v->nominal = p->nominal;
            v->min = p->min;
            v->max = p->max;
            v->key = make_key(b, "component", c->name, "parameters", p->name);
        }
    }
}

/* ---- recorded signals ---- */

/* Adds a variable of output.signals, unless the list has it. user: the builder. */
static int add_signal(void *user, int i_component, wrsim_kind kind, int index)
{
    builder *const b = user;
    const int number = wr_lookup_number(b->a, i_component, kind, index);
    if (i_component >= b->a->n_listed || b->is_listed[number])
        return 1;
    b->is_listed[number] = 1;
    const wr_component *const c = b->a->component[i_component];
    const wr_variable *const from = &c->variable[kind][index];
    wr_cosim_variable *const v =
        append(b, WR_COSIM_SIGNAL, wr_heap_pool_join(b->list->pool, c->name, from->name));
    take_variable(v, from);
    v->is_discrete = kind == WRSIM_DISCRETE;
    v->handle = number;
    return 1;
}

/* ---- the list ---- */

/* Returns a number above the numbers of wr_lookup_number(). */
static int end_of_numbers(const wr_assembly *a)
{
    const int last = a->n_component - 1;
    return last < 0 ? 0 : wr_lookup_number(a, last, WRSIM_KIND_COUNT, 0);
}

/* Returns the largest number of variables. */
static int count(const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    int n = 1 + a->settings->n_ports + 2 * a->settings->n_scenarios + wrsim_variable_count(sim);
    for (int i = 0; i < a->n_listed; i++)
        n += plain(a, i)->model->n_param;
    return n;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Refuses two variables with one name. Returns 0, or -1 with err. */
static int check_names(const wr_cosim_list *list, wrsim_error *err)
{
    const char **const names = malloc(((size_t)list->n + 1) * sizeof *names);
    if (!names) {
        wr_error_memory(err);
        return -1;
    }
    for (int i = 0; i < list->n; i++)
        names[i] = list->variable[i].name;
    qsort(names, (size_t)list->n, sizeof *names, compare_names);
    int i = 1;
    while (i < list->n && strcmp(names[i - 1], names[i]) != 0)
        i++;
    if (i < list->n)
        wr_error_set(err, WRSIM_E_CONFIG,
                     "two variables of the FMU would have the name '%.200s'; choose another "
                     "[[port]] name",
                     names[i]);
    free(names);
    return i < list->n ? -1 : 0;
}

static const char *own_text(const wr_cosim_list *list, const char *text)
{
    const char *const copy = wr_heap_pool_text(list->pool, text, strlen(text));
    return copy ? copy : "";
}

/* Copies the texts, which belong to the simulation. */
static void own_texts(const wr_cosim_list *list, wr_cosim_variable *v)
{
    v->name = own_text(list, v->name);
    v->unit = own_text(list, v->unit);
    v->description = own_text(list, v->description);
}

wr_cosim_list *wr_cosim_variables_create(const wrsim *sim, wrsim_error *err)
{
    wr_cosim_list *list = calloc(1, sizeof *list);
    const int n = count(sim);
    if (list)
        list->pool = wr_heap_pool_create(NULL);
    if (list && list->pool)
        list->variable = wr_heap_pool_take(list->pool, (size_t)n, sizeof *list->variable);
    builder b = {.a = sim->assembly, .list = list};
    if (list && list->variable)
        b.is_listed = wr_heap_pool_take(list->pool, (size_t)end_of_numbers(b.a) + 1, 1);
    if (!b.is_listed) {
        wr_error_memory(err);
        wr_cosim_variables_destroy(&list);
        return NULL;
    }
    wr_cosim_variable *const time = append(&b, WR_COSIM_TIME, "time");
    time->unit = "s";
    time->description = "simulated time";
    add_ports(&b, sim, WRSIM_PORT_INPUT);
    add_ports(&b, sim, WRSIM_PORT_OUTPUT);
    add_scenarios(&b);
    add_parameters(&b);
    wr_build_subsystems_each_signal(b.a, add_signal, &b);
    for (int i = 0; i < list->n; i++)
        own_texts(list, &list->variable[i]);
    if (wr_heap_pool_is_short(list->pool)) {
        wr_error_memory(err);
        wr_cosim_variables_destroy(&list);
    } else if (check_names(list, err) < 0)
        wr_cosim_variables_destroy(&list);
    return list;
}

void wr_cosim_variables_destroy(wr_cosim_list **list)
{
    if (!list || !*list)
        return;
    wr_heap_pool_destroy(&(*list)->pool);
    free(*list);
    *list = NULL;
}

const char *wr_cosim_variables_token(const char *text, size_t n_bytes,
                                     char ret_token[WR_COSIM_TOKEN_BYTES])
{
    /* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, RFC 9923, section 5), 64 bits */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    snprintf(ret_token, WR_COSIM_TOKEN_BYTES, "{wrsim-%s-%016llx}", WRSIM_VERSION_STRING,
             (unsigned long long)hash);
    return ret_token;
}
