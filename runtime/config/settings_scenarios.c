/* [[scenario]]: changes of signals, states or parameters with their times. runtime/sim/scenarios.c checks the targets.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"
#include "base/number.h"

static const char ITEM[] = "[[scenario]]";

const char *const wr_settings_actions[WR_SCENARIO_ACTION_COUNT] = {
    [WR_SCENARIO_OVERRIDE] = "override", [WR_SCENARIO_BIAS] = "bias",
    [WR_SCENARIO_GAIN] = "gain",         [WR_SCENARIO_RAMP] = "ramp",
    [WR_SCENARIO_FREEZE] = "freeze",     [WR_SCENARIO_REPLAY] = "replay",
    [WR_SCENARIO_RESET] = "reset",       [WR_SCENARIO_PARAMETER] = "parameter",
    [WR_SCENARIO_STOP] = "stop"};

/* State of the reader during one [[scenario]]. */
typedef struct reader {
    wr_settings_work *work;
    const wr_toml *item;
    wr_set_scenario *to;
} reader;

static void refuse(const reader *r, const wr_where *where, const char *format, ...) WR_PRINTF(3, 4);
static void refuse(const reader *r, const wr_where *where, const char *format, ...)
{
    char text[480];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->to->is_refused = 1;
    wr_settings_error(r->work, where, "%s", text);
}

static const wr_toml *member(const reader *r, const char *key)
{
    return wr_settings_member(r->item, key);
}

/* Reads a finite number. Returns 1 if the number is present and valid. */
static int read_number(const reader *r, const char *key, double *ret)
{
    const wr_toml *const value = member(r, key);
    if (!value)
        return 0;
    if (!wr_settings_is_number(r->work, value, ITEM)) {
        r->to->is_refused = 1;
        return 0;
    }
    if (!isfinite(value->real)) {
        refuse(r, &value->where, "'%s' of %s must be a finite number", key, ITEM);
        return 0;
    }
    *ret = value->real;
    return 1;
}

static void read_positive(const reader *r, const char *key, double *ret)
{
    double value;
    if (!read_number(r, key, &value))
        return;
    if (value > 0.0)
        *ret = value;
    else
        refuse(r, &member(r, key)->where, "'%s' of %s must be greater than 0", key, ITEM);
}

static const char *read_text(const reader *r, const char *key, wr_where *ret_where)
{
    const char *const text =
        wr_settings_text(r->work, r->item, key, ITEM, ret_where ? ret_where : &(wr_where){0});
    r->to->is_refused |= !text;
    return text;
}

/* Returns the index of a word; -1 as wr_settings_choice(). */
static int read_choice(const reader *r, const char *key, const char *const *choices, int n_choice)
{
    const int choice = wr_settings_choice(r->work, r->item, key, ITEM, choices, n_choice);
    r->to->is_refused |= choice < 0;
    return choice;
}

/* ---- target and action ---- */

static void read_variable(const reader *r, const char *key, wr_set_name *ret)
{
    const wr_toml *const text = wr_settings_texts(r->work, r->item, key, ITEM, 0);
    if (text && wr_settings_check_variable(r->work, text, key))
        *ret = (wr_set_name){.name = text->string, .where = text->where};
    else
        r->to->is_refused = 1;
}

static int is_stop(const reader *r)
{
    const wr_toml *const action = member(r, "action");
    return action && action->kind == WR_TOML_STRING &&
           strcmp(action->string, wr_settings_actions[WR_SCENARIO_STOP]) == 0;
}

static void read_target(const reader *r)
{
    const wr_toml *const signal = member(r, "signal"), *const parameter = member(r, "parameter");
    if (is_stop(r)) {
        if (signal || parameter)
            refuse(r, &(signal ? signal : parameter)->where,
                   "%s with action = \"stop\" ends the run and has no '%s'; remove the key", ITEM,
                   signal ? "signal" : "parameter");
        return;
    }
    if (signal)
        read_variable(r, "signal", &r->to->signal);
    if (parameter)
        read_variable(r, "parameter", &r->to->parameter);
    if (member(r, "to")) {
        const wr_toml *const to = wr_settings_texts(r->work, r->item, "to", ITEM, 1);
        int is_good = to != NULL;
        r->to->to = to ? wr_settings_variables(r->work, to, "to", &is_good) : NULL;
        r->to->n_to = r->to->to ? wr_settings_count_of(to) : 0;
        r->to->is_refused |= !is_good;
    }
    if (signal && parameter)
        refuse(r, &parameter->where,
               "%s has 'signal' and 'parameter'; write two scenarios, one for each", ITEM);
    else if (!signal && !parameter && !wr_settings_is_misspelt(r->item, "signal") &&
             !wr_settings_is_misspelt(r->item, "parameter"))
        refuse(r, &r->item->where,
               "%s needs 'signal' or 'parameter'; name its target as component.variable", ITEM);
    r->to->is_refused |= !signal && !parameter;
}

/* Reads the action; a parameter has one possible action. */
static void read_action(const reader *r)
{
    r->to->action = WR_SCENARIO_PARAMETER;
    const int is_parameter = member(r, "parameter") && !member(r, "signal");
    if (is_parameter && !member(r, "action"))
        return;
    const int action = read_choice(r, "action", wr_settings_actions, WR_SCENARIO_ACTION_COUNT);
    if (action < 0)
        return;
    r->to->action = action;
    if (is_parameter && action != WR_SCENARIO_PARAMETER)
        refuse(r, &member(r, "action")->where,
               "'action' of %s is \"%s\", but a parameter only gets a value; remove 'action'", ITEM,
               wr_settings_actions[action]);
    else if (!is_parameter && action == WR_SCENARIO_PARAMETER)
        refuse(
            r, &member(r, "action")->where,
            "'action' of %s is \"parameter\", which needs the key 'parameter' instead of 'signal'",
            ITEM);
}

/* ---- keys that some actions have ---- */

enum {
    /* bits by action */
    ON_VALUES = ~(1 << WR_SCENARIO_FREEZE | 1 << WR_SCENARIO_REPLAY | 1 << WR_SCENARIO_STOP),
    ON_REPLAY = 1 << WR_SCENARIO_REPLAY,
    ON_RAMP = 1 << WR_SCENARIO_RAMP,
    ON_LASTING = ~(1 << WR_SCENARIO_RESET | 1 << WR_SCENARIO_STOP),
    ON_SIGNALS = ~(1 << WR_SCENARIO_RESET | 1 << WR_SCENARIO_PARAMETER | 1 << WR_SCENARIO_STOP)
};

static const struct {
    const char *name;
    int actions, is_needed;
} keys[] = {{"value", ON_VALUES, 1},    {"ramp_time", ON_RAMP, 1}, {"file", ON_REPLAY, 1},
            {"column", ON_REPLAY, 1},   {"between", ON_REPLAY, 0}, {"offset", ON_REPLAY, 0},
            {"period", ON_REPLAY, 0},   {"to", ON_SIGNALS, 0},     {"until", ON_LASTING, 0},
            {"duration", ON_LASTING, 0}};

static void check_keys(const reader *r)
{
    const int action = r->to->action;
    for (size_t i = 0; i < WR_COUNT_OF(keys); i++) {
        const int fits = keys[i].actions >> action & 1;
        const wr_toml *const value = member(r, keys[i].name);
        if (value && !fits)
            refuse(r, &value->where, "'%s' of %s does not apply to action = \"%s\"; remove the key",
                   keys[i].name, ITEM, wr_settings_actions[action]);
        else if (!value && fits && keys[i].is_needed &&
                 !wr_settings_is_misspelt(r->item, keys[i].name))
            refuse(r, &r->item->where, "%s with action = \"%s\" needs the key '%s'; add it", ITEM,
                   wr_settings_actions[action], keys[i].name);
    }
}

/* ---- begin and end ---- */

static const char *skip_blank(const char *text) { return text + strspn(text, " \t"); }

/* Parses a condition such as "crank.speed > 3000". */
static void read_condition(const reader *r)
{
    wr_where where = r->item->where;
    const char *const text = read_text(r, "when", &where);
    if (!text)
        return;
    /* A name may contain '<' and '>', so the last of these signs divides the condition. */
    const char *const first = skip_blank(text);
    const char *sign = text + strlen(text);
    while (sign > first && *sign != '<' && *sign != '>')
        sign--;
    size_t n = (size_t)(sign - first);
    while (n > 0 && (first[n - 1] == ' ' || first[n - 1] == '\t'))
        n--;
    char *const name = wr_heap_pool_text(r->work->memory, first, n);
    const char *const number = *sign ? skip_blank(sign + 1) : sign;
    double threshold = (double)NAN;
    const int is_whole = *number && wr_number_parse(number, number + strlen(number), &threshold) &&
                         isfinite(threshold);
    if (!name || !wr_settings_is_variable(name) || (*sign != '<' && *sign != '>') || !is_whole) {
        refuse(r, &where,
               "'when' of %s is '%.60s', but must be a signal, < or >, and a finite number, like "
               "\"crank.speed > 3000\"",
               ITEM, text);
        return;
    }
    r->to->condition = (wr_set_name){.name = name, .where = where};
    r->to->is_below = *sign == '<';
    r->to->threshold = threshold;
}

/* Reads 'at', a time or "api". */
static void read_at(const reader *r)
{
    const wr_toml *const at = member(r, "at");
    if (at->kind == WR_TOML_STRING && strcmp(at->string, "api") == 0)
        r->to->is_api = 1;
    else if (at->kind == WR_TOML_STRING)
        refuse(r, &at->where,
               "'at' of %s must be a number or \"api\", but is the text \"%.60s\"; %s", ITEM,
               at->string, WR_TOML_NUMBER_HINT);
    else
        read_number(r, "at", &r->to->at_s);
}

static void read_span(const reader *r)
{
    wr_set_scenario *const s = r->to;
    const wr_toml *const at = member(r, "at"), *const when = member(r, "when");
    const wr_toml *const until = member(r, "until"), *const duration = member(r, "duration");
    if (at && when)
        refuse(r, &when->where, "%s has 'at' and 'when'; remove one of the two keys", ITEM);
    else if (at)
        read_at(r);
    else if (when)
        read_condition(r);
    else
        s->is_api = !wr_settings_is_misspelt(r->item, "when");
    if (until && duration)
        refuse(r, &duration->where, "%s has 'until' and 'duration'; remove one of the two keys",
               ITEM);
    if (read_number(r, "until", &s->until_s) && s->until_s <= s->at_s)
        refuse(r, &until->where,
               "'until' of %s is %g s, but the scenario begins at %g s; set a later end", ITEM,
               s->until_s, s->at_s);
    read_positive(r, "duration", &s->duration_s);
}

/* ---- name ---- */

static void read_name(const reader *r, int number)
{
    if (member(r, "name")) {
        r->to->name = wr_settings_name(r->work, r->item, ITEM);
        r->to->is_refused |= !r->to->name;
        return;
    }
    char text[32];
    snprintf(text, sizeof text, "scenario%d", number);
    r->to->name = wr_heap_pool_text(r->work->memory, text, strlen(text));
    if (r->to->is_api && !r->to->is_refused && !wr_settings_is_misspelt(r->item, "name"))
        refuse(r, &r->item->where,
               "%s that a host triggers needs the key 'name'; add one, or set its beginning by "
               "'at' or 'when'",
               ITEM);
}

void wr_settings_read_scenarios(wr_settings_work *work, const wr_toml *list)
{
    wr_set_scenario *const items =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *items);
    wr_set_name *const names =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *names);
    int n_items = 0;
    for (const wr_toml *item = list->first; item && items && names; item = item->next) {
        const reader r = {work, item, &items[n_items++]};
        *r.to = (wr_set_scenario){.where = item->where,
                                  .at_s = (double)NAN,
                                  .until_s = (double)INFINITY,
                                  .duration_s = (double)INFINITY,
                                  .period_s = (double)INFINITY};
        r.to->is_refused = wr_settings_check_members(work, item, WR_LIST_SCENARIO) > 0;
        read_target(&r);
        read_action(&r);
        static const char *const betweens[] = {"linear", "hold"};
        wr_set_scenario *const s = r.to;
        s->where_value = member(&r, "value") ? member(&r, "value")->where : r.item->where;
        read_number(&r, "value", &s->value);
        read_positive(&r, "ramp_time", &s->ramp_time_s);
        read_number(&r, "offset", &s->offset_s);
        read_positive(&r, "period", &s->period_s);
        if (member(&r, "between"))
            s->is_held = read_choice(&r, "between", betweens, 2) == 1;
        if (member(&r, "column"))
            s->column = read_text(&r, "column", &s->where_column);
        const char *const file = member(&r, "file") ? read_text(&r, "file", &s->where_file) : NULL;
        s->file = file ? wr_settings_path(r.work, file) : NULL;
        read_span(&r);
        if (!r.to->is_refused)
            check_keys(&r);
        read_name(&r, n_items);
        names[n_items - 1] = (wr_set_name){.name = r.to->name, .where = r.to->where};
        work->settings->is_partial[WR_LIST_SCENARIO] |= r.to->is_refused;
    }
    wr_settings_check_names(work, "scenario", names, n_items);
    for (int i = 0; i < n_items; i++)
        items[i].is_refused |= names[i].is_refused;
    work->settings->scenarios = items;
    work->settings->n_scenarios = n_items;
}
