/* Reads [[component]], [[subsystem]] and [[plugin]], and calls the readers of all other lists. The graph checks later
 * that no two components and no two subsystems have one name.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* Returns a list of at most WR_SETTINGS_MAX_ITEMS tables; NULL if the list is absent or has an error. */
static const wr_toml *find_list(wr_settings_work *work, const char *name)
{
    const wr_toml *const list = wr_settings_member(work->root, name);
    if (!list)
        return NULL;
    if (list->kind != WR_TOML_ARRAY) {
        wr_settings_error(work, &list->where, "'%s' is %s; write [[%s]] with double brackets", name,
                          wr_settings_kind_text(list), name);
        return NULL;
    }
    if (list->n_children > WR_SETTINGS_MAX_ITEMS) {
        wr_settings_error(work, &list->where,
                          "the config has %d [[%s]], but at most %d are allowed; remove some",
                          list->n_children, name, WR_SETTINGS_MAX_ITEMS);
        return NULL;
    }
    for (const wr_toml *item = list->first; item; item = item->next) {
        if (item->kind != WR_TOML_TABLE) {
            wr_settings_error(work, &item->where, "'%s' contains %s; write [[%s]] and its keys",
                              name, wr_settings_kind_text(item), name);
            return NULL;
        }
    }
    return list;
}

/* Reads names with finite numbers, such as start = { a = 1.0 }. With may_be_any, values may also be true, false and texts. The model checks
 * the type later. */
static void read_values(wr_settings_work *work, const wr_toml *item, const char *key,
                        int may_be_any, wr_set_value **ret_values, int *ret_n_values,
                        int *ret_is_partial)
{
    const wr_toml *const table = wr_settings_member(item, key);
    if (!table)
        return;
    if (table->kind != WR_TOML_TABLE) {
        wr_settings_error(work, &table->where,
                          "'%s' must be a table like { name = 1.0 }, but is %s", key,
                          wr_settings_kind_text(table));
        *ret_is_partial = 1;
        return;
    }
    wr_set_value *const values =
        wr_heap_pool_take(work->memory, (size_t)table->n_children, sizeof *values);
    if (!values)
        return;
    int n_values = 0;
    for (const wr_toml *child = table->first; child; child = child->next) {
        char text[WR_SETTINGS_VALUE_BYTES];
        wr_set_value *const value = &values[n_values++];
        *value = (wr_set_value){.name = child->key, .value = (double)NAN, .where = child->where};
        if (may_be_any && (child->kind == WR_TOML_FLAG || child->kind == WR_TOML_STRING)) {
            value->is_flag = child->kind == WR_TOML_FLAG;
            value->value = value->is_flag && child->integer ? 1.0 : 0.0;
            value->text = value->is_flag ? NULL : child->string;
            value->number_hint = wr_settings_number_hint(child);
        } else if (child->kind != WR_TOML_REAL && child->kind != WR_TOML_INTEGER)
            wr_settings_error(work, &child->where,
                              "'%.60s' in '%s' must be a number%s, but is %s%s", child->key, key,
                              may_be_any ? ", true, false or a text" : "",
                              wr_settings_value_text(child, text),
                              child->kind == WR_TOML_TABLE  ? "; write a name with a dot in quotes"
                              : child->kind == WR_TOML_FLAG ? "; write 1 for true, and 0 for false"
                                                            : wr_settings_number_hint(child));
        else if (!isfinite(child->real))
            wr_settings_error(work, &child->where, "'%.60s' in '%s' must be a finite number",
                              child->key, key);
        else
            value->value = child->real;
    }
    *ret_values = values;
    *ret_n_values = n_values;
}

/* Returns the number of a key of [[component]]; without a valid value the default. */
static double read_number(wr_settings_work *work, const wr_toml *item, const char *key,
                          const char *unit, double least, double largest, double if_missing)
{
    const wr_toml *const number = wr_settings_member(item, key);
    if (!number || !wr_settings_is_quantity(work, number, "[[component]]", unit))
        return if_missing;
    if (number->real >= least && number->real <= largest)
        return number->real;
    wr_settings_error(work, &number->where, "'%s' of [[component]] must be from %g to %g", key,
                      least, largest);
    return if_missing;
}

/* Reads the kind of an FMU. */
static void read_mode(wr_settings_work *work, const wr_toml *item, wr_set_component *c)
{
    if (!wr_settings_member(item, "mode"))
        return;
    const char *const mode = wr_settings_text(work, item, "mode", "[[component]]", &c->where_mode);
    if (mode && strcmp(mode, "me") != 0 && strcmp(mode, "cs") != 0)
        wr_settings_error(work, &c->where_mode,
                          "'mode' of [[component]] must be \"me\" (model exchange) or \"cs\" "
                          "(co-simulation)");
    else if (!wr_settings_member(item, "fmu"))
        wr_settings_error(work, &c->where_mode,
                          "'mode' of [[component]] needs an FMU; set 'fmu', or remove 'mode'");
    else
        c->mode = mode;
}

/* Reads whether the FMU runs in event mode. */
static void read_event_mode(wr_settings_work *work, const wr_toml *item, wr_set_component *c)
{
    const wr_toml *const given = wr_settings_member(item, "event_mode");
    char text[WR_SETTINGS_VALUE_BYTES];
    if (!given)
        return;
    c->where_event_mode = given->where;
    if (given->kind != WR_TOML_FLAG)
        wr_settings_error(work, &given->where,
                          "'event_mode' of [[component]] must be true or false, but is %s",
                          wr_settings_value_text(given, text));
    else if (!wr_settings_member(item, "fmu"))
        wr_settings_error(work, &given->where,
                          "'event_mode' of [[component]] needs an FMU; set 'fmu', or remove "
                          "'event_mode'");
    else
        c->event_mode = given->integer ? 1 : -1;
}

/* Reads whether the component has a process of its own. */
static void read_process(wr_settings_work *work, const wr_toml *item, wr_set_component *c)
{
    if (!wr_settings_member(item, "process"))
        return;
    const char *const process =
        wr_settings_text(work, item, "process", "[[component]]", &c->where_process);
    c->has_own_process = process && strcmp(process, "own") == 0;
    if (process && !c->has_own_process && strcmp(process, "auto") != 0)
        wr_settings_error(work, &c->where_process,
                          "'process' of [[component]] must be \"own\" (a process of its own) or "
                          "\"auto\" (a process of its own only if the model needs it)");
}

/* Reads the shortest time scale of a component's explicit time. */
static void read_time_scale(wr_settings_work *work, const wr_toml *item, wr_set_component *c)
{
    const wr_toml *const number = wr_settings_member(item, "time_scale");
    if (!number)
        return;
    c->where_time_scale = number->where;
    const int is_word = number->kind == WR_TOML_STRING && strncmp(number->string, "inf", 3) == 0;
    if (!is_word && !wr_settings_is_quantity(work, number, "[[component]]", "s, or inf"))
        return;
    if (!is_word && number->real > 0.0)
        c->time_scale_s = number->real;
    else if (is_word)
        wr_settings_error(work, &number->where,
                          "'time_scale' of [[component]] is the text \"%.60s\"; write inf, without "
                          "quotes, if no equation reads the time",
                          number->string);
    else
        wr_settings_error(work, &number->where,
                          "'time_scale' of [[component]] must be above 0; write a time in s, or "
                          "inf if no equation reads the time");
}

/* Reads the model of a component: its name, or an FMU. */
static void read_model(wr_settings_work *work, const wr_toml *item, wr_set_component *c)
{
    const wr_toml *const fmu = wr_settings_member(item, "fmu");
    if (fmu && wr_settings_member(item, "model"))
        wr_settings_error(work, &fmu->where,
                          "a [[component]] has both 'fmu' and 'model'; remove one of them");
    read_mode(work, item, c);
    read_event_mode(work, item, c);
    if (!fmu && !wr_settings_member(item, "model")) {
        if (!wr_settings_is_misspelt(item, "model") && !wr_settings_is_misspelt(item, "fmu"))
            wr_settings_error(work, &item->where,
                              "[[component]] needs the key 'model' or 'fmu'; add model = \"...\", "
                              "or fmu = \"X.fmu\"");
        return;
    }
    if (!fmu) {
        c->model = wr_settings_text(work, item, "model", "[[component]]", &c->where_model);
        return;
    }
    const char *const path = wr_settings_text(work, item, "fmu", "[[component]]", &c->where_model);
    c->fmu = path ? wr_settings_path(work, path) : NULL;
}

static void read_components(wr_settings_work *work, const wr_toml *list)
{
    wr_set_component *const items =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *items);
    if (!items)
        return;
    int n_items = 0;
    for (const wr_toml *item = list->first; item; item = item->next) {
        wr_set_component *const c = &items[n_items++];
        c->is_partial = wr_settings_check_members(work, item, WR_LIST_COMPONENT);
        c->where = c->where_model = item->where;
        c->name = wr_settings_name(work, item, "[[component]]");
        read_model(work, item, c);
        c->tolerance_factor = read_number(work, item, "tolerance_factor", "", WR_KEY_LEAST_FACTOR,
                                          WR_KEY_LARGEST_FACTOR, 1.0);
        c->cost_s = read_number(work, item, "cost", "s", 0.0, WR_KEY_LARGEST_COST, 0.0);
        read_time_scale(work, item, c);
        read_process(work, item, c);
        read_values(work, item, "parameters", 1, &c->parameters, &c->n_parameters, &c->is_partial);
        read_values(work, item, "start", 0, &c->start, &c->n_start, &c->is_partial);
    }
    work->settings->components = items;
    work->settings->n_components = n_items;
}

static void read_members(wr_settings_work *work, const wr_toml *item, wr_set_subsystem *s)
{
    const wr_toml *const list = wr_settings_member(item, "components");
    if (!list) {
        if (!wr_settings_is_misspelt(item, "components"))
            wr_settings_error(
                work, &item->where,
                "[[subsystem]] needs the key 'components'; add components = [\"...\"]");
        return;
    }
    if (list->kind != WR_TOML_ARRAY || list->n_children == 0) {
        wr_settings_error(work, &list->where,
                          "'components' of [[subsystem]] must be a list of component names, but "
                          "is %s",
                          list->kind == WR_TOML_ARRAY ? "empty" : wr_settings_kind_text(list));
        return;
    }
    s->where_components = list->where;
    s->components =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *s->components);
    for (const wr_toml *name = list->first; name && s->components; name = name->next) {
        if (name->kind != WR_TOML_STRING || name->string[0] == '\0')
            wr_settings_error(work, &name->where,
                              "'components' of [[subsystem]] contains %s; write names like "
                              "\"cyl1\" or patterns like \"cyl*\"",
                              name->kind == WR_TOML_STRING ? "an empty name"
                                                           : wr_settings_kind_text(name));
        else
            s->components[s->n_components++] = name->string;
    }
}

/* Returns the place of a solver's key, in the subsystem or in [solver]. Without the key, returns the place of the solver's table or of the
 * subsystem. */
static wr_where solver_place(const wr_settings_work *work, const wr_toml *table, const char *key,
                             const wr_set_subsystem *s)
{
    const wr_toml *const own = wr_settings_member(table, key);
    const wr_toml *const common = wr_settings_member(wr_settings_member(work->root, "solver"), key);
    return own ? own->where : common ? common->where : table ? table->where : s->where;
}

/* Reads 'history_source' and 'lag'. A subsystem must have both keys or neither. */
static void read_history_source(wr_settings_work *work, const wr_toml *item, wr_set_subsystem *s)
{
    const wr_toml *const source = wr_settings_member(item, "history_source");
    const wr_toml *const lag = wr_settings_member(item, "lag");
    /* 'follows' is a removed key, which wr_settings_check_members() has reported */
    if ((!source && !lag) || wr_settings_member(item, "follows"))
        return;
    if (!source || !lag) {
        wr_settings_error(work, source ? &source->where : &lag->where,
                          "'history_source' and 'lag' of [[subsystem]] belong together; add '%s'",
                          source ? "lag" : "history_source");
        return;
    }
    s->where_history_source = source->where;
    s->where_lag = lag->where;
    s->history_source =
        wr_settings_text(work, item, "history_source", "[[subsystem]]", &s->where_history_source);
    if (!wr_settings_is_number(work, lag, "[[subsystem]]"))
        return;
    if (!(lag->real > 0.0) || !isfinite(lag->real))
        wr_settings_error(work, &lag->where, "'lag' of [[subsystem]] must be finite and above 0");
    else
        s->lag = lag->real;
}

/* Reads the level in Gauss-Seidel sweeps. */
static void read_level(wr_settings_work *work, const wr_toml *item, wr_set_subsystem *s)
{
    const wr_toml *const level = wr_settings_member(item, "level");
    s->level = -1;
    if (!level)
        return;
    s->where_level = level->where;
    if (level->kind == WR_TOML_INTEGER && level->integer >= 0 &&
        level->integer <= WR_KEY_MOST_LEVEL) {
        s->level = (int)level->integer;
        return;
    }
    char text[WR_SETTINGS_VALUE_BYTES];
    wr_settings_error(work, &level->where,
                      "'level' of [[subsystem]] must be a whole number from 0 to %d, but is %s%s",
                      WR_KEY_MOST_LEVEL, wr_settings_value_text(level, text),
                      wr_settings_number_hint(level));
}

static void read_subsystems(wr_settings_work *work, const wr_toml *list)
{
    wr_set_subsystem *const items =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *items);
    if (!items)
        return;
    int n_items = 0;
    for (const wr_toml *item = list->first; item; item = item->next) {
        wr_set_subsystem *const s = &items[n_items++];
        wr_settings_check_members(work, item, WR_LIST_SUBSYSTEM);
        s->where = item->where;
        s->name = wr_settings_name(work, item, "[[subsystem]]");
        read_members(work, item, s);
        s->solver = work->settings->solver;
        const wr_toml *const table = wr_settings_member(item, "solver");
        s->where_solver = solver_place(work, table, "kind", s);
        s->where_max_order = solver_place(work, table, "max_order", s);
        s->where_pattern = solver_place(work, table, "pattern", s);
        s->where_code = solver_place(work, table, "code", s);
        wr_settings_read_solver(work, table, &s->solver);
        read_history_source(work, item, s);
        read_level(work, item, s);
        s->kind = "components";
        if (wr_settings_member(item, "kind"))
            s->kind = wr_settings_text(work, item, "kind", "[[subsystem]]", &s->where_kind);
        if (wr_settings_member(item, "file")) {
            const char *const path =
                wr_settings_text(work, item, "file", "[[subsystem]]", &s->where_file);
            s->file = path ? wr_settings_path(work, path) : NULL;
        }
    }
    work->settings->subsystems = items;
    work->settings->n_subsystems = n_items;
}

static void read_plugins(wr_settings_work *work, const wr_toml *list)
{
    wr_set_plugin *const items =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *items);
    int n_items = 0;
    for (const wr_toml *item = list->first; item && items; item = item->next) {
        wr_set_plugin *const p = &items[n_items++];
        wr_settings_check_members(work, item, WR_LIST_PLUGIN);
        p->where = item->where;
        const char *const file = wr_settings_text(work, item, "file", "[[plugin]]", &p->where);
        p->file = file ? wr_settings_path(work, file) : NULL;
    }
    work->settings->plugins = items;
    work->settings->n_plugins = n_items;
}

void wr_settings_read_lists(wr_settings_work *work)
{
    static void (*const read[WR_LIST_COUNT])(wr_settings_work * work, const wr_toml *list) = {
        [WR_LIST_COMPONENT] = read_components,
        [WR_LIST_CONNECTION] = wr_settings_read_connections,
        [WR_LIST_SUBSYSTEM] = read_subsystems,
        [WR_LIST_PLUGIN] = read_plugins,
        [WR_LIST_PORT] = wr_settings_read_ports,
        [WR_LIST_SCENARIO] = wr_settings_read_scenarios,
    };
    for (int i = 0; i < WR_LIST_COUNT; i++) {
        const wr_toml *const list = find_list(work, wr_tables[i].name);
        if (list)
            read[i](work, list);
        else if (wr_settings_member(work->root, wr_tables[i].name))
            work->settings->is_partial[i] = 1;
    }
}
