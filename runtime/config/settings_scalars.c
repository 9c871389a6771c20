/* Compares the tree with the rows of keys.c: defaults, types, ranges, unknown keys, and rules about two keys. A refused
 * real number becomes NaN, so that a rule about two keys does not report the value again.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/names.h"

enum { MAX_CHOICES = 16, MAX_NAMES = 64, MAX_WHOLE_NUMBERS = 4096 };

/* Destination of the rows: the whole settings, or one subsystem's solver. */
typedef struct target {
    unsigned char *base;
    size_t base_offset; /* offset of base in wr_settings */
} target;

static void *field_of(const target *to, const wr_key *key)
{
    return to->base + (key->offset - to->base_offset);
}

/* Stores count and pointer of a list key. The pointer may have any type. */
static void store_list(const target *to, const wr_key *key, int n_items, const void *items)
{
    memcpy(to->base + (key->offset - to->base_offset), &n_items, sizeof n_items);
    memcpy(to->base + (WR_KEY_ITEMS_OFFSET(key->offset) - to->base_offset), &items, sizeof items);
}

static const char *unit_of(const wr_key *key)
{
    return key->unit[0] == '\0' || strcmp(key->unit, "1") == 0 ? "" : key->unit;
}

static wrsim_status refuse_type(wr_settings_work *work, const wr_key *key, const wr_toml *value,
                                const char *wanted)
{
    char text[WR_SETTINGS_VALUE_BYTES];
    return wr_settings_error(work, &value->where, "'%s' must be %s, but is %s", key->path, wanted,
                             wr_settings_value_text(value, text));
}

static wrsim_status check_range(wr_settings_work *work, const wr_key *key, const wr_toml *value,
                                double number)
{
    if (number >= key->min && number <= key->max)
        return WRSIM_OK;
    const char *const unit = unit_of(key);
    const char *const space = unit[0] ? " " : "";
    if (isnan(number) || (isinf(number) && !isinf(key->min) && !isinf(key->max)))
        return wr_settings_error(work, &value->where, "'%s' must be a finite number", key->path);
    if (isinf(key->min))
        return wr_settings_error(work, &value->where, "'%s' is %.10g, but must be at most %g%s%s",
                                 key->path, number, key->max, space, unit);
    return wr_settings_error(work, &value->where,
                             "'%s' is %.10g, but must lie between %.10g and %.10g%s%s", key->path,
                             number, key->min, key->max, space, unit);
}

/* Stores a number, or 0 for "auto" if the key accepts "auto". */
static wrsim_status store_number(wr_settings_work *work, const wr_key *key, const wr_toml *value,
                                 void *field)
{
    const int is_real =
        key->type == WR_KEY_REAL || key->type == WR_KEY_AUTO_REAL || key->type == WR_KEY_REALS;
    const int may_be_auto = key->type == WR_KEY_AUTO || key->type == WR_KEY_AUTO_REAL;
    const char *const wanted = is_real ? "a number" : "a whole number";
    const char *const unit = unit_of(key);
    char text[WR_SETTINGS_VALUE_BYTES];
    if (may_be_auto && value->kind == WR_TOML_STRING) {
        if (strcmp(value->string, "auto") != 0)
            return wr_settings_error(work, &value->where,
                                     "'%s' is '%.60s', but must be \"auto\" or %s", key->path,
                                     value->string, wanted);
        if (is_real)
            *(double *)field = 0.0;
        else
            *(int *)field = 0;
        return WRSIM_OK;
    }
    if (is_real)
        *(double *)field = (double)NAN;
    if (value->kind != WR_TOML_INTEGER && !(is_real && value->kind == WR_TOML_REAL))
        return wr_settings_error(work, &value->where, "'%s' must be %s%s%s%s%s, but is %s%s",
                                 key->path, may_be_auto ? "\"auto\" or " : "", wanted,
                                 unit[0] ? " (in " : "", unit, unit[0] ? ")" : "",
                                 wr_settings_value_text(value, text),
                                 value->kind == WR_TOML_REAL && value->real == floor(value->real)
                                     ? " with a decimal point; remove the point"
                                     : wr_settings_number_hint(value));
    WR_TRY(check_range(work, key, value, value->real));
    if (is_real)
        *(double *)field = value->real;
    else
        *(int *)field = (int)value->integer;
    return WRSIM_OK;
}

static wrsim_status store_choice(wr_settings_work *work, const wr_key *key, const wr_toml *value,
                                 int *field)
{
    if (value->kind != WR_TOML_STRING)
        return refuse_type(work, key, value, "a string");
    char buffer[256], list[256] = "";
    const char *words[MAX_CHOICES];
    /* The loop splits the choices "a|b|c" into words, which stay in `buffer`. */
    snprintf(buffer, sizeof buffer, "%s", key->choices);
    int n_words = 0;
    for (char *word = buffer; word && n_words < MAX_CHOICES;) {
        char *const bar = strchr(word, '|');
        if (bar)
            *bar = '\0';
        words[n_words++] = word;
        word = bar ? bar + 1 : NULL;
    }
    for (int i = 0; i < n_words; i++) {
        if (strcmp(words[i], value->string) == 0) {
            *field = i;
            return WRSIM_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 i == 0 ? "" : (i == n_words - 1 ? " or " : ", "), words[i]);
    }
    const char *const near = wr_names_nearest(value->string, words, n_words);
    if (near)
        return wr_settings_error(work, &value->where, "'%s' cannot be '%.60s'; did you mean '%s'?",
                                 key->path, value->string, near);
    return wr_settings_error(work, &value->where, "'%s' is '%.60s', but must be %s", key->path,
                             value->string, list);
}

static wrsim_status store_strings(wr_settings_work *work, const target *to, const wr_key *key,
                                  const wr_toml *value)
{
    const wr_toml *const is_alone = value->kind == WR_TOML_STRING ? value : NULL;
    if (!is_alone && value->kind != WR_TOML_ARRAY)
        return refuse_type(work, key, value, "a list of strings");
    const int n_items = is_alone ? 1 : value->n_children;
    const char **const items = wr_heap_pool_take(work->memory, (size_t)n_items, sizeof *items);
    if (!items)
        return WRSIM_E_MEMORY;
    int n_stored = 0;
    const wr_toml *item = is_alone ? is_alone : value->first;
    for (int i = 0; i < n_items; i++, item = item->next) {
        if (item->kind != WR_TOML_STRING || item->string[0] == '\0')
            return wr_settings_error(
                work, &item->where, "'%s' must be a list of strings, but an entry is %s", key->path,
                item->kind == WR_TOML_STRING ? "empty" : wr_settings_kind_text(item));
        items[n_stored++] = item->string;
    }
    store_list(to, key, n_stored, items);
    return WRSIM_OK;
}

static wrsim_status store_integers(wr_settings_work *work, const target *to, const wr_key *key,
                                   const wr_toml *value)
{
    if (value->kind != WR_TOML_ARRAY)
        return refuse_type(work, key, value, "a list of whole numbers");
    if (value->n_children > MAX_WHOLE_NUMBERS)
        return wr_settings_error(work, &value->where,
                                 "'%s' has %d numbers, but at most %d are allowed; remove numbers",
                                 key->path, value->n_children, MAX_WHOLE_NUMBERS);
    int *const items = wr_heap_pool_take(work->memory, (size_t)value->n_children, sizeof *items);
    if (!items)
        return WRSIM_E_MEMORY;
    int n_items = 0;
    for (const wr_toml *item = value->first; item; item = item->next) {
        WR_TRY(store_number(work, key, item, &items[n_items]));
        for (int i = 0; i < n_items; i++)
            if (items[i] == items[n_items])
                return wr_settings_error(work, &item->where,
                                         "'%s' lists %d twice; remove one entry", key->path,
                                         items[i]);
        n_items++;
    }
    store_list(to, key, n_items, items);
    return WRSIM_OK;
}

/* Stores a list of numbers. Until all numbers are valid, the list is one NaN, like a refused number. */
static wrsim_status store_reals(wr_settings_work *work, const target *to, const wr_key *key,
                                const wr_toml *value)
{
    const int n_items = value->kind == WR_TOML_ARRAY ? value->n_children : 0;
    double *const items = wr_heap_pool_take(work->memory, (size_t)n_items + 1, sizeof *items);
    if (!items)
        return WRSIM_E_MEMORY;
    items[n_items] = (double)NAN;
    store_list(to, key, 1, items + n_items);
    if (value->kind != WR_TOML_ARRAY)
        return refuse_type(work, key, value, "a list of numbers");
    int n_stored = 0;
    for (const wr_toml *item = value->first; item; item = item->next)
        WR_TRY(store_number(work, key, item, &items[n_stored++]));
    store_list(to, key, n_stored, items);
    return WRSIM_OK;
}

static wrsim_status store(wr_settings_work *work, const target *to, const wr_key *key,
                          const wr_toml *value)
{
    void *const field = field_of(to, key);
    for (const wr_gone_value *gone = wr_gone_values; gone->path && value->kind == WR_TOML_STRING;
         gone++)
        if (strcmp(gone->path, key->path) == 0 && strcmp(gone->value, value->string) == 0)
            return wr_settings_error(work, &value->where, "'%s' can no longer be '%s': %s",
                                     key->path, gone->value, gone->instead);
    switch (key->type) {
    case WR_KEY_REAL:
    case WR_KEY_AUTO_REAL:
    case WR_KEY_INTEGER:
    case WR_KEY_AUTO:
        return store_number(work, key, value, field);
    case WR_KEY_FLAG:
    case WR_KEY_AUTO_FLAG: {
        const int may_be_auto = key->type == WR_KEY_AUTO_FLAG;
        if (may_be_auto && value->kind == WR_TOML_STRING && strcmp(value->string, "auto") == 0)
            *(int *)field = WR_GROUPING_AUTO;
        else if (value->kind == WR_TOML_FLAG)
            *(int *)field = (int)value->integer;
        else
            return refuse_type(work, key, value,
                               may_be_auto ? "true, false or \"auto\"" : "true or false");
        return WRSIM_OK;
    }
    case WR_KEY_CHOICE:
        return store_choice(work, key, value, field);
    case WR_KEY_STRING:
        if (value->kind != WR_TOML_STRING)
            return refuse_type(work, key, value, "a string");
        *(const char **)field = value->string;
        return WRSIM_OK;
    case WR_KEY_STRINGS:
        return store_strings(work, to, key, value);
    case WR_KEY_INTEGERS:
        return store_integers(work, to, key, value);
    case WR_KEY_REALS:
        return store_reals(work, to, key, value);
    }
    return WRSIM_E_INTERNAL;
}

/* If `path` continues below `prefix` ("" = root), copies the next part of `path` and returns 1. */
static int next_piece(const char *path, const char *prefix, char *ret_piece, size_t piece_bytes)
{
    const size_t n_prefix = strlen(prefix);
    if (n_prefix > 0 && (strncmp(path, prefix, n_prefix) != 0 || path[n_prefix] != '.'))
        return 0;
    const char *const rest = path + (n_prefix > 0 ? n_prefix + 1 : 0);
    snprintf(ret_piece, piece_bytes, "%.*s", (int)strcspn(rest, "."), rest);
    return 1;
}

typedef struct name_list {
    char text[MAX_NAMES][WR_NAMES_MAX_BYTES];
    const char *names[MAX_NAMES];
    int n_names;
} name_list;

/* Returns the length of `path` up to the end of the parts in `name`; 0 if `path` does not contain these parts. */
static size_t length_to(const char *path, const char *name)
{
    const size_t n_name = strlen(name);
    for (const char *at = strstr(path, name); at && n_name > 0; at = strstr(at + 1, name))
        if ((at == path || at[-1] == '.') && (at[n_name] == '.' || at[n_name] == '\0'))
            return (size_t)(at - path) + n_name;
    return 0;
}

/* Finds the key or section with the fewest parts that ends like the refused key, which may consist of several tables (window.control).
 * Returns 0 if no such key exists, or if a quoted key contains a dot. */
static int find_elsewhere(const wr_toml *child, char ret_name[WR_SETTINGS_MAX_PATH],
                          char ret_path[WR_SETTINGS_MAX_PATH])
{
    size_t n = (size_t)snprintf(ret_name, WR_SETTINGS_MAX_PATH, "%.60s", child->key);
    for (const wr_toml *node = child;
         node->kind == WR_TOML_TABLE && node->n_children == 1 && n + 62 < WR_SETTINGS_MAX_PATH;
         node = node->first)
        n += (size_t)snprintf(ret_name + n, WR_SETTINGS_MAX_PATH - n, ".%.60s", node->first->key);
    if (strchr(child->key, '.')) /* quoted keys are no paths */
        return 0;
    for (;;) {
        int n_least = INT_MAX;
        for (const wr_key *key = wr_keys; key->path; key++) {
            const size_t n_path = length_to(key->path, ret_name);
            int n_dot = 0;
            for (size_t i = 0; i < n_path; i++)
                n_dot += key->path[i] == '.';
            if (n_path > 0 && n_dot < n_least) {
                n_least = n_dot;
                snprintf(ret_path, WR_SETTINGS_MAX_PATH, "%.*s", (int)n_path, key->path);
            }
        }
        if (n_least < INT_MAX)
            return 1;
        char *const dot = strrchr(ret_name, '.');
        if (!dot)
            return 0;
        *dot = '\0';
    }
}

static int is_component(const wr_settings_work *work, const char *name)
{
    const wr_toml *const list = wr_settings_member(work->root, "component");
    for (const wr_toml *item = list ? list->first : NULL; item; item = item->next) {
        const wr_toml *const own = wr_settings_member(item, "name");
        if (own && own->kind == WR_TOML_STRING && strcmp(own->string, name) == 0)
            return 1;
    }
    return 0;
}

static void refuse_unknown(wr_settings_work *work, const wr_toml *child, const char *prefix)
{
    if (wr_settings_refuse_gone(work, child, prefix))
        return;
    name_list valid;
    valid.n_names = 0;
    for (const wr_key *key = wr_keys; key->path && valid.n_names < MAX_NAMES; key++) {
        char *const text = valid.text[valid.n_names];
        /* Rows of one section are neighbours, so equal parts are neighbours, too. */
        if (next_piece(key->path, prefix, text, WR_NAMES_MAX_BYTES) &&
            (valid.n_names == 0 || strcmp(valid.names[valid.n_names - 1], text) != 0))
            valid.names[valid.n_names++] = text;
    }
    if (prefix[0] == '\0')
        for (int i = 0; i < WR_LIST_COUNT && valid.n_names < MAX_NAMES; i++)
            valid.names[valid.n_names++] = wr_tables[i].name;
    const char *const dot = prefix[0] ? "." : "";
    const char *near = wr_names_nearest(child->key, valid.names, valid.n_names);
    char name[WR_SETTINGS_MAX_PATH], elsewhere[WR_SETTINGS_MAX_PATH];
    const int is_elsewhere = find_elsewhere(child, name, elsewhere);
    if (is_elsewhere && (!near || strncmp(elsewhere, "solver.", 7) != 0))
        near = elsewhere;
    else
        snprintf(name, sizeof name, "%.60s", child->key);
    char hint[WR_NAMES_HINT_BYTES];
    if (!prefix[0] && is_component(work, child->key))
        snprintf(hint, sizeof hint,
                 "'%.60s' is a component; write component.%.60s.parameters.%.60s", child->key,
                 child->key,
                 child->kind == WR_TOML_TABLE && child->first ? child->first->key : "KEY");
    else if (!prefix[0] && strcmp(child->key, "case") == 0)
        snprintf(hint, sizeof hint,
                 "a file with [[case]] is a suite for `wrsim bench`, not a config");
    else if (near)
        snprintf(hint, sizeof hint, "did you mean '%.300s'?", near);
    else
        wr_names_hint(child->key, valid.names, valid.n_names, hint);
    wr_settings_error(work, &child->where_key, "unknown key '%s%s%s'; %s", prefix, dot, name, hint);
}

/* Prevents errors for missing lists and a missing step of a solver, because the refused key `child` may be their misspelt name. is_partial
 * and NaN mark these values (settings_data.h). */
static void forgive_missing(wr_settings_work *work, const target *to, const wr_toml *child,
                            const char *prefix)
{
    if (prefix[0] == '\0' && child->kind == WR_TOML_ARRAY)
        for (int i = 0; i < WR_LIST_COUNT; i++)
            work->settings->is_partial[i] = 1;
    if (strcmp(prefix, "solver") == 0) {
        double *const step_s = field_of(to, wr_key_find("solver.step"));
        if (!(*step_s > 0.0))
            *step_s = (double)NAN;
    }
}

static int is_section(const char *path)
{
    char piece[WR_NAMES_MAX_BYTES];
    for (const wr_key *key = wr_keys; key->path; key++)
        if (next_piece(key->path, path, piece, sizeof piece))
            return 1;
    return 0;
}

/* Recurses along the paths of the table of keys, not along the user's tree. */
static void walk(wr_settings_work *work, const target *to, const wr_toml *table, const char *prefix)
{
    for (const wr_toml *child = table->first; child; child = child->next) {
        int i_list = 0;
        while (i_list < WR_LIST_COUNT && strcmp(wr_tables[i_list].name, child->key) != 0)
            i_list++;
        if (prefix[0] == '\0' && i_list < WR_LIST_COUNT)
            continue; /* settings_lists.c reads lists */
        char path[WR_SETTINGS_MAX_PATH];
        const int n =
            snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", child->key);
        /* A quoted key with a dot is no path. */
        const int is_path =
            n > 0 && (size_t)n < sizeof path && !strchr(child->key, '.') && child->key[0] != '\0';
        const wr_key *const key = is_path ? wr_key_find(path) : NULL;
        if (key)
            store(work, to, key, child);
        else if (!is_path || !is_section(path)) {
            refuse_unknown(work, child, prefix);
            forgive_missing(work, to, child, prefix);
        } else if (child->kind != WR_TOML_TABLE)
            wr_settings_error(work, &child->where, "'%s' must be a table, but is %s", path,
                              wr_settings_kind_text(child));
        else
            walk(work, to, child, path);
    }
}

/* Reports an error at the place of a key. Further arguments: format and values. */
#define REFUSE_KEY(work, path, ...)                                                                \
    wr_settings_error(work, (wr_where[]){wr_settings_at(work, path)}, __VA_ARGS__)

/* Returns 0 if the section is no table, which walk() reports. */
static int is_in_table(const wr_settings_work *work, const char *path)
{
    char section[WR_NAMES_MAX_BYTES];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    const wr_toml *const table = wr_settings_member(work->root, section);
    return !table || table->kind == WR_TOML_TABLE;
}

/* Returns 1 if a refused key of `table`, whose path is `prefix`, resembles `name`. */
static int is_hinted_at(const wr_toml *table, const char *prefix, const char *name)
{
    for (const wr_toml *child = table->first; child; child = child->next) {
        char path[WR_SETTINGS_MAX_PATH];
        snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", child->key);
        if (!wr_key_find(path) && !is_section(path) && wr_names_nearest(child->key, &name, 1))
            return 1;
    }
    return 0;
}

/* Returns 1 if the key or its section has a misspelt name, or the key is outside its section. */
static int is_meant(const wr_settings_work *work, const wr_key *key)
{
    char section[WR_NAMES_MAX_BYTES];
    const char *const name = strrchr(key->path, '.') + 1;
    snprintf(section, sizeof section, "%.*s", (int)(name - 1 - key->path), key->path);
    const wr_toml *const table = wr_settings_member(work->root, section);
    return (table ? is_hinted_at(table, section, name) : is_hinted_at(work->root, "", section)) ||
           wr_settings_member(work->root, name);
}

/* Refuses a step below least_s, a multiple of the resolution of time, which is coarse far from zero. */
static void check_step_at(wr_settings_work *work, const wr_where *at, const char *key,
                          double step_s, double least_s)
{
    const wr_set_simulation *const s = &work->settings->simulation;
    if (step_s > 0.0 && step_s < least_s)
        wr_settings_error(work, at,
                          "'%s' (%.10g s) is too short: numbers near t = %.10g s are %.3g s apart. "
                          "Choose at least %.3g s, or times of the run nearer to 0",
                          key, step_s, wr_max(fabs(s->start_s), fabs(s->stop_s)),
                          wr_settings_clock(work->settings), least_s);
}

static void check_step(wr_settings_work *work, const char *key, double step_s, double least_s)
{
    const wr_where at = wr_settings_at(work, key);
    check_step_at(work, &at, key, step_s, least_s);
}

/* Checks a length of windows that the config sets. settle_window() raises a default that is too short. */
static void check_window_step(wr_settings_work *work, const char *key, double length_s)
{
    if (wr_settings_find(work->root, key, &(wr_where){0}))
        check_step(work, key, length_s, wr_settings_least_window(work->settings));
}

/* Default communication step, s (Ben Khaled et al. (2011), section 4), and assumed limits of its share of the run: 10 to a million
 * communication points. */
static const double USUAL_STEP_S = 500e-6, MOST_OF_RUN = 0.1, LEAST_OF_RUN = 1e-6;

/* Sets the default communication step, and checks times, steps and the format for output.waves. */
static void check_times(wr_settings_work *work)
{
    wr_set_simulation *const s = &work->settings->simulation;
    const wr_set_output *const out = &work->settings->output;
    const double run_s = s->stop_s - s->start_s;
    if (s->communication_step_s <= 0.0)
        s->communication_step_s =
            run_s > 0.0 ? wr_clamp(USUAL_STEP_S, LEAST_OF_RUN * run_s, MOST_OF_RUN * run_s)
                        : USUAL_STEP_S;
    if (s->stop_s <= s->start_s) {
        REFUSE_KEY(
            work, "simulation.stop",
            "'simulation.stop' (%.10g s) must be greater than 'simulation.start' (%.10g s); set a "
            "later stop",
            s->stop_s, s->start_s);
        return;
    }
    const double clock_s = wr_settings_clock(work->settings);
    check_step(work, "solver.step", work->settings->solver.step_s, clock_s);
    check_step(work, "slack.period", work->settings->slack.period_s, clock_s);
    check_window_step(work, "relaxation.window.initial",
                      work->settings->relaxation.window_initial_s);
    check_window_step(work, "relaxation.window.max", work->settings->relaxation.window_max_s);
    const char *const dot = out->file ? strrchr(out->file, '.') : NULL;
    if (out->waves && out->file && out->file[0] &&
        (!dot || (strcasecmp(dot, ".h5") != 0 && strcasecmp(dot, ".hdf5") != 0)))
        REFUSE_KEY(work, "output.waves",
                   "'output.waves' needs an HDF5 file, but output.file is '%.200s'; choose a file "
                   "that ends in .h5",
                   out->file);
    if (!out->points && !out->events && !out->waves && out->file && out->file[0])
        REFUSE_KEY(work, "output.points",
                   "with 'output.points' and 'output.events' false, the result file would have no "
                   "rows; set one of them to true");
    if (out->start_s > s->stop_s)
        REFUSE_KEY(work, "output.start",
                   "'output.start' (%.10g s) is after 'simulation.stop' (%.10g s), so the result "
                   "would be empty; lower output.start",
                   out->start_s, s->stop_s);
    /* 2^53; above this number of points, numbers t0 + i h coincide. */
    const double max_points = 9007199254740992.0;
    if (run_s / s->communication_step_s > max_points)
        REFUSE_KEY(work, "simulation.communication_step",
                   "'simulation.communication_step' (%.10g s) is too short for a run of %.10g s; "
                   "raise the step",
                   s->communication_step_s, run_s);
    else
        check_step(work, "simulation.communication_step", s->communication_step_s,
                   wr_settings_least_step(work->settings));
}

/* Refuses simulation.monolithic = "auto" and relaxation.error_limit in a run without relaxation. */
static void check_unrelaxed(wr_settings_work *work)
{
    const wr_settings *const set = work->settings;
    if (wr_settings_relaxes(set))
        return;
    if (set->simulation.monolithic == WR_GROUPING_AUTO)
        REFUSE_KEY(work, "simulation.monolithic",
                   "'simulation.monolithic' = \"auto\" needs relaxation, but relaxation.scheme is "
                   "\"slack\"; set simulation.monolithic to true or false");
    if (set->relaxation.error_limit > 0.0)
        REFUSE_KEY(work, "relaxation.error_limit",
                   "'relaxation.error_limit' limits the splitting error of relaxation, but "
                   "relaxation.scheme is \"slack\"; remove the limit, or choose another scheme");
}

static void settle_length(wr_settings_work *work, double units, double *length_s)
{
    if (*length_s <= 0.0)
        *length_s = units * wr_settings_time_unit(work->settings);
}

/* Ensures min <= initial <= max, or reports an error. A length that the config does not set adapts to the lengths of the config. */
static void settle_window(wr_settings_work *work)
{
    wr_set_relaxation *const r = &work->settings->relaxation;
    const int has_initial = r->window_initial_s > 0.0, has_min = r->window_min_s > 0.0,
              has_max = r->window_max_s > 0.0;
    settle_length(work, WR_WINDOW_INITIAL_UNITS, &r->window_initial_s);
    settle_length(work, WR_WINDOW_MIN_UNITS, &r->window_min_s);
    settle_length(work, WR_WINDOW_MAX_UNITS, &r->window_max_s);
    if (isnan(r->window_initial_s) || isnan(r->window_min_s) || isnan(r->window_max_s))
        return;
    if (has_min && has_max && r->window_min_s > r->window_max_s) {
        REFUSE_KEY(work, "relaxation.window.min",
                   "'relaxation.window.min' (%.10g s) must not exceed 'relaxation.window.max' "
                   "(%.10g s)",
                   r->window_min_s, r->window_max_s);
        return;
    }
    if (has_initial && ((has_min && r->window_initial_s < r->window_min_s) ||
                        (has_max && r->window_initial_s > r->window_max_s))) {
        REFUSE_KEY(work, "relaxation.window.initial",
                   "'relaxation.window.initial' (%.10g s) must lie between "
                   "'relaxation.window.min' (%.10g s) and 'relaxation.window.max' (%.10g s)",
                   r->window_initial_s, r->window_min_s, r->window_max_s);
        return;
    }
    const double least_s = wr_settings_least_window(work->settings);
    r->window_max_s = wr_max(r->window_max_s, least_s);
    r->window_min_s = wr_max(r->window_min_s, least_s);
    r->window_initial_s = wr_max(r->window_initial_s, least_s);
    if (!has_max)
        r->window_max_s = wr_max(r->window_max_s, wr_max(has_initial ? r->window_initial_s : 0.0,
                                                         has_min ? r->window_min_s : 0.0));
    if (!has_min)
        r->window_min_s = wr_min(wr_min(r->window_min_s, r->window_max_s),
                                 has_initial ? r->window_initial_s : r->window_max_s);
    r->window_initial_s = wr_clamp(r->window_initial_s, r->window_min_s, r->window_max_s);
}

static void check_solver(wr_settings_work *work, const wr_where *where, const wr_set_solver *solver)
{
    if (solver->kind && solver->kind[0] == '\0')
        wr_settings_error(work, where, "'solver.kind' must not be empty; \"auto\" is the default");
    if (solver->step_s > 0 && solver->min_step_s > solver->step_s)
        wr_settings_error(work, where,
                          "'solver.min_step' (%.10g s) must not exceed 'solver.step' (%.10g s)",
                          solver->min_step_s, solver->step_s);
}

/* Resolves the path of a file that `table` sets. Inherited paths are already resolved. */
static void settle_path(wr_settings_work *work, const wr_toml *table, const char *key,
                        const char **file)
{
    const wr_toml *const own = wr_settings_member(table, key);
    if (!own || !*file || !(*file)[0])
        return;
    const char *const path = wr_settings_path(work, *file);
    *file = path ? path : "";
}

static void settle_solver_paths(wr_settings_work *work, const wr_toml *table, wr_set_solver *solver)
{
    settle_path(work, table, "pattern", &solver->pattern);
    settle_path(work, table, "code", &solver->code);
}

void wr_settings_read_scalars(wr_settings_work *work)
{
    const target whole = {(unsigned char *)work->settings, 0};
    /* Keys without a default are NaN. */
    for (const wr_key *key = wr_keys; key->path; key++) {
        if (!key->default_text) {
            WR_ASSERT(key->type == WR_KEY_REAL);
            *(double *)field_of(&whole, key) = (double)NAN;
            continue;
        }
        char text[128];
        const int n = snprintf(text, sizeof text, "v = %s", key->default_text);
        const wr_toml *const tree =
            wr_toml_parse(text, (size_t)n, "default", work->memory, work->diag);
        if (tree)
            store(work, &whole, key, tree->first);
    }
    walk(work, &whole, work->root, "");
    for (const wr_key *key = wr_keys; key->path; key++) {
        const char *const unit = unit_of(key);
        if (!key->default_text && !wr_settings_find(work->root, key->path, &(wr_where){0}) &&
            is_in_table(work, key->path) && !is_meant(work, key))
            REFUSE_KEY(work, key->path, "'%s' is missing and has no default; add it%s%s%s",
                       key->path, unit[0] ? " (in " : "", unit, unit[0] ? ")" : "");
    }
    check_times(work);
    settle_window(work);
    check_unrelaxed(work);
    const wr_where where = wr_settings_at(work, "solver");
    check_solver(work, &where, &work->settings->solver);
    settle_solver_paths(work, wr_settings_member(work->root, "solver"), &work->settings->solver);
}

void wr_settings_read_solver(wr_settings_work *work, const wr_toml *table, wr_set_solver *solver)
{
    if (!table)
        return;
    if (table->kind != WR_TOML_TABLE) {
        wr_settings_error(work, &table->where,
                          "'solver' must be a table like { kind = \"bs32\" }, but is %s",
                          wr_settings_kind_text(table));
        return;
    }
    const target to = {(unsigned char *)solver, offsetof(wr_settings, solver)};
    walk(work, &to, table, "solver");
    check_solver(work, &table->where, solver);
    const wr_toml *const step = wr_settings_member(table, "step");
    if (step)
        check_step_at(work, &step->where, "solver.step", solver->step_s,
                      wr_settings_clock(work->settings));
    settle_solver_paths(work, table, solver);
}
