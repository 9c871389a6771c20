/* Writes settings as TOML; a reader converts the text of a double to the same double. Thread: one owner. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "runtime/config/keys.h"
#include "runtime/config/settings.h"
#include "runtime/config/settings_readers.h"

static void put_text(wr_text_buffer *to, const char *text)
{
    wr_text_buffer_put(to, text, strlen(text));
}

/* Rounds to 15, 16 or 17 digits, the first number of digits from which a reader gets the same double, and writes the result. */
static void put_real(wr_text_buffer *to, double value)
{
    if (isinf(value)) {
        put_text(to, value < 0 ? "-inf" : "inf");
        return;
    }
    char text[40];
    for (int n_digits = 15; n_digits <= 17; n_digits++) {
        snprintf(text, sizeof text, "%.*g", n_digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put_text(to, text);
    if (!strpbrk(text, ".e"))
        put_text(to, ".0");
}

static void put_choice(wr_text_buffer *to, const char *choices, int choice)
{
    for (; choice > 0; choice--)
        choices += strcspn(choices, "|") + 1;
    wr_text_buffer_add(to, "\"%.*s\"", (int)strcspn(choices, "|"), choices);
}

/* Writes a list of strings, integers or reals. */
static void put_list(wr_text_buffer *to, wr_key_type type, const void *items, int n_items)
{
    put_text(to, "[");
    for (int i = 0; i < n_items; i++) {
        put_text(to, i ? ", " : "");
        if (type == WR_KEY_STRINGS)
            wr_toml_string_add(to, ((const char *const *)items)[i]);
        else if (type == WR_KEY_INTEGERS)
            wr_text_buffer_add(to, "%d", ((const int *)items)[i]);
        else
            put_real(to, ((const double *)items)[i]);
    }
    put_text(to, "]");
}

/* Writes the value of a row. base: the struct at base_offset of wr_settings. */
static void put_value(wr_text_buffer *to, const wr_key *key, const void *base, size_t base_offset)
{
    const unsigned char *const bytes = base;
    const void *const field = bytes + (key->offset - base_offset);
    const wr_key_type type = key->type;
    int n_items = 0;
    void *items = NULL;
    if (type == WR_KEY_STRINGS || type == WR_KEY_INTEGERS || type == WR_KEY_REALS) {
        memcpy(&n_items, field, sizeof n_items);
        memcpy(&items, bytes + (WR_KEY_ITEMS_OFFSET(key->offset) - base_offset), sizeof items);
    }
    if ((type == WR_KEY_AUTO_REAL && !(*(const double *)field > 0.0)) ||
        (type == WR_KEY_AUTO && *(const int *)field == 0) ||
        (type == WR_KEY_AUTO_FLAG && *(const int *)field == WR_GROUPING_AUTO)) {
        put_text(to, "\"auto\"");
        return;
    }
    switch (key->type) {
    case WR_KEY_REAL:
    case WR_KEY_AUTO_REAL:
        put_real(to, *(const double *)field);
        break;
    case WR_KEY_INTEGER:
    case WR_KEY_AUTO:
        wr_text_buffer_add(to, "%d", *(const int *)field);
        break;
    case WR_KEY_FLAG:
    case WR_KEY_AUTO_FLAG:
        put_text(to, *(const int *)field ? "true" : "false");
        break;
    case WR_KEY_CHOICE:
        put_choice(to, key->choices, *(const int *)field);
        break;
    case WR_KEY_STRING:
        wr_toml_string_add(to, *(const char *const *)field);
        break;
    case WR_KEY_STRINGS:
    case WR_KEY_INTEGERS:
    case WR_KEY_REALS:
        put_list(to, key->type, items, n_items);
        break;
    }
}

/* Returns 1 for an empty list of WR_KEY_REALS, which the dump omits. */
static int is_unset(const wr_key *key, const void *base, size_t base_offset)
{
    int n_items;
    const unsigned char *const bytes = base;
    memcpy(&n_items, bytes + (key->offset - base_offset), sizeof n_items);
    return key->type == WR_KEY_REALS && n_items == 0;
}

/* Returns 1 if a row has the same value in two structs. */
static int is_same(const wr_key *key, const void *base, const void *other, size_t base_offset)
{
    wr_text_buffer one = {0}, two = {0};
    put_value(&one, key, base, base_offset);
    put_value(&two, key, other, base_offset);
    const char *const a = wr_text_buffer_get(&one), *const b = wr_text_buffer_get(&two);
    const int is_same = a && b && strcmp(a, b) == 0;
    wr_text_buffer_done(&one);
    wr_text_buffer_done(&two);
    return is_same;
}

/* Options of a dump. defaults: values that the dump omits (NULL: the dump omits nothing). */
typedef struct choice {
    wr_dump_kind kind;
    const wr_settings *defaults;
} choice;

static void put_scalars(wr_text_buffer *to, const wr_settings *settings, const choice *of)
{
    const char *section = "";
    size_t n_section = 0;
    for (const wr_key *key = wr_keys; key->path; key++) {
        if ((of->kind == WR_DUMP_RESULTS && !key->changes_results) || is_unset(key, settings, 0) ||
            (of->defaults && key->default_text && is_same(key, settings, of->defaults, 0)))
            continue;
        const size_t n_piece = strcspn(key->path, ".");
        if (n_piece != n_section || strncmp(section, key->path, n_piece) != 0) {
            wr_text_buffer_add(to, "%s%.*s]\n", to->n_bytes ? "\n[" : "[", (int)n_piece, key->path);
            section = key->path;
            n_section = n_piece;
        }
        wr_text_buffer_add(to, "%s = ", key->path + n_piece + 1);
        put_value(to, key, settings, 0);
        put_text(to, "\n");
    }
}

static void put_pair(wr_text_buffer *to, const char *key, const char *value)
{
    wr_text_buffer_add(to, "%s = ", key);
    wr_toml_string_add(to, value);
    put_text(to, "\n");
}

static void put_number(wr_text_buffer *to, const char *key, double value)
{
    wr_text_buffer_add(to, "%s = ", key);
    put_real(to, value);
    put_text(to, "\n");
}

static void put_names(wr_text_buffer *to, const char *key, const wr_set_name *names, int n_names)
{
    wr_text_buffer_add(to, "%s = [", key);
    for (int i = 0; i < n_names; i++) {
        put_text(to, i ? ", " : "");
        wr_toml_string_add(to, names[i].name);
    }
    put_text(to, "]\n");
}

static void put_values(wr_text_buffer *to, const char *key, const wr_set_value *values,
                       int n_values)
{
    for (int i = 0; i < n_values; i++) {
        put_text(to, key);
        const char *text = values[i].name;
        while (*text && (unsigned char)*text < 0x80)
            text++;
        put_text(to, *text == '\0' ? "." : ". "); /* toml.cpp requires the space */
        wr_toml_string_add(to, values[i].name);
        put_text(to, " = ");
        if (values[i].text)
            wr_toml_string_add(to, values[i].text);
        else if (values[i].is_flag)
            put_text(to, values[i].value > 0.0 ? "true" : "false");
        else
            put_real(to, values[i].value);
        put_text(to, "\n");
    }
}

/* Writes a solver. inherited: a solver whose equal keys the dump omits; NULL: none. */
static void put_solver(wr_text_buffer *to, const wr_set_solver *solver,
                       const wr_set_solver *inherited)
{
    const size_t base = offsetof(wr_settings, solver);
    for (const wr_key *key = wr_keys; key->path; key++) {
        if (strncmp(key->path, "solver.", 7) != 0 || is_unset(key, solver, base) ||
            (inherited && is_same(key, solver, inherited, base)))
            continue;
        wr_text_buffer_add(to, "%s = ", key->path);
        put_value(to, key, solver, base);
        put_text(to, "\n");
    }
}

static void put_lists(wr_text_buffer *to, const wr_settings *settings, const choice *of)
{
    for (int i = 0; i < settings->n_plugins; i++) {
        put_text(to, "\n[[plugin]]\n");
        put_pair(to, "file", settings->plugins[i].file);
    }
    for (int i = 0; i < settings->n_components; i++) {
        const wr_set_component *const c = &settings->components[i];
        put_text(to, "\n[[component]]\n");
        put_pair(to, "name", c->name);
        put_pair(to, c->fmu ? "fmu" : "model", c->fmu ? c->fmu : c->model);
        if (c->mode)
            put_pair(to, "mode", c->mode);
        if (c->event_mode)
            put_text(to, c->event_mode > 0 ? "event_mode = true\n" : "event_mode = false\n");
        if (c->tolerance_factor < 1.0 || c->tolerance_factor > 1.0)
            put_number(to, "tolerance_factor", c->tolerance_factor);
        if (c->cost_s > 0.0 && of->kind != WR_DUMP_RESULTS)
            put_number(to, "cost", c->cost_s);
        if (c->time_scale_s > 0.0)
            put_number(to, "time_scale", c->time_scale_s);
        if (c->has_own_process && of->kind != WR_DUMP_RESULTS)
            put_pair(to, "process", "own");
        put_values(to, "parameters", c->parameters, c->n_parameters);
        put_values(to, "start", c->start, c->n_start);
    }
    for (int i = 0; i < settings->n_connections; i++) {
        put_text(to, "\n[[connection]]\n");
        put_pair(to, "from", settings->connections[i].from);
        put_pair(to, "to", settings->connections[i].to);
        if (settings->connections[i].period_s > 0.0)
            put_number(to, "period", settings->connections[i].period_s);
        if (settings->connections[i].factor < 1.0 || settings->connections[i].factor > 1.0)
            put_number(to, "factor", settings->connections[i].factor);
        if (settings->connections[i].offset < 0.0 || settings->connections[i].offset > 0.0)
            put_number(to, "offset", settings->connections[i].offset);
        if (settings->connections[i].is_unconverted)
            put_text(to, "convert = false\n");
    }
    for (int i = 0; i < settings->n_subsystems; i++) {
        const wr_set_subsystem *const s = &settings->subsystems[i];
        put_text(to, "\n[[subsystem]]\n");
        put_pair(to, "name", s->name);
        put_text(to, "components = ");
        put_list(to, WR_KEY_STRINGS, s->components, s->n_components);
        put_text(to, "\n");
        if (strcmp(s->kind, "components") != 0)
            put_pair(to, "kind", s->kind);
        if (s->file)
            put_pair(to, "file", s->file);
        put_solver(to, &s->solver, of->kind == WR_DUMP_SHORT ? &settings->solver : NULL);
        if (s->history_source) {
            put_pair(to, "history_source", s->history_source);
            put_number(to, "lag", s->lag);
        }
        if (s->level >= 0)
            wr_text_buffer_add(to, "level = %d\n", s->level);
    }
}

static void put_ports(wr_text_buffer *to, const wr_settings *settings)
{
    for (int i = 0; i < settings->n_ports; i++) {
        const wr_set_port *const p = &settings->ports[i];
        put_text(to, "\n[[port]]\n");
        put_pair(to, "name", p->name);
        if (p->n_to == 0) {
            put_pair(to, "from", p->from.name);
            continue;
        }
        put_names(to, "to", p->to, p->n_to);
        if (!isnan(p->start))
            put_number(to, "start", p->start);
        put_pair(to, "mode", p->mode == WR_PORT_RAMP ? "ramp" : "hold");
    }
}

static void put_scenarios(wr_text_buffer *to, const wr_settings *settings)
{
    for (int i = 0; i < settings->n_scenarios; i++) {
        const wr_set_scenario *const s = &settings->scenarios[i];
        const int is_replay = s->action == WR_SCENARIO_REPLAY;
        put_text(to, "\n[[scenario]]\n");
        put_pair(to, "name", s->name);
        if (s->signal.name)
            put_pair(to, "signal", s->signal.name);
        else if (s->parameter.name)
            put_pair(to, "parameter", s->parameter.name);
        if (s->n_to > 0)
            put_names(to, "to", s->to, s->n_to);
        put_pair(to, "action", wr_settings_actions[s->action]);
        if (!is_replay && s->action != WR_SCENARIO_FREEZE && s->action != WR_SCENARIO_STOP)
            put_number(to, "value", s->value);
        if (s->condition.name) {
            wr_text_buffer_add(to, "when = \"%s %c ", s->condition.name, s->is_below ? '<' : '>');
            put_real(to, s->threshold);
            put_text(to, "\"\n");
        } else if (s->is_api)
            put_pair(to, "at", "api");
        else
            put_number(to, "at", s->at_s);
        if (isfinite(s->until_s))
            put_number(to, "until", s->until_s);
        if (isfinite(s->duration_s))
            put_number(to, "duration", s->duration_s);
        if (s->action == WR_SCENARIO_RAMP)
            put_number(to, "ramp_time", s->ramp_time_s);
        if (!is_replay)
            continue;
        put_pair(to, "file", s->file);
        put_pair(to, "column", s->column);
        put_pair(to, "between", s->is_held ? "hold" : "linear");
        put_number(to, "offset", s->offset_s);
        if (isfinite(s->period_s))
            put_number(to, "period", s->period_s);
    }
}

/* Returns the settings of a config that has only the key without a default. */
static wr_settings *make_defaults(void)
{
    static const char least[] = "simulation.stop = 1";
    wr_diag diag = {0};
    wr_settings *const defaults =
        wr_settings_parse(least, sizeof least - 1, "defaults", NULL, 0, &diag);
    wr_diag_done(&diag);
    return defaults;
}

char *wr_settings_dump(const wr_settings *settings, wr_dump_kind kind)
{
    wr_text_buffer to = {0};
    wr_settings *defaults = kind == WR_DUMP_SHORT ? make_defaults() : NULL;
    const choice of = {.kind = kind, .defaults = defaults};
    to.is_failed = kind == WR_DUMP_SHORT && !defaults;
    put_scalars(&to, settings, &of);
    put_lists(&to, settings, &of);
    put_ports(&to, settings);
    put_scenarios(&to, settings);
    wr_settings_destroy(&defaults);
    return wr_text_buffer_take(&to);
}
