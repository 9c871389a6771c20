/* -D key=value: changes the tree before the readers read the tree, so that the checks of the file also cover overrides. The
 * place of an error is the text of the override, "-D simulation.rtol=x".
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"
#include "base/toml_string.h"

typedef struct path {
    const char *pieces[WR_TOML_MAX_DEPTH];
    int n_pieces;
} path;

static void set_place(wr_toml *value, const wr_where *where)
{
    value->where = value->where_key = *where;
    for (wr_toml *child = value->first; child; child = child->next)
        set_place(child, where);
}

static wr_toml *take_text_value(wr_settings_work *work, const char *text)
{
    wr_toml *const value = wr_heap_pool_take(work->memory, 1, sizeof *value);
    if (!value)
        return NULL;
    value->kind = WR_TOML_STRING;
    value->string = wr_heap_pool_text(work->memory, text, strlen(text));
    return value->string ? value : NULL;
}

/* Parses the value as TOML. A value that is no TOML and does not begin like a string, list or table is a bare word. */
static wr_toml *parse_value(wr_settings_work *work, const char *text, const wr_where *where)
{
    static const char key[] = "v = ";
    const size_t text_bytes = strlen(text), key_bytes = sizeof key - 1;
    char *const line = wr_heap_pool_take(work->memory, key_bytes + text_bytes + 1, 1);
    if (!line)
        return NULL;
    memcpy(line, key, key_bytes);
    memcpy(line + key_bytes, text, text_bytes);
    wr_diag why = {0};
    wr_toml *const tree =
        wr_toml_parse(line, key_bytes + text_bytes, where->file, work->memory, &why);
    wr_toml *value = NULL;
    if (tree && tree->n_children == 1)
        value = tree->first;
    else if (wr_diag_status(&why) == WRSIM_E_MEMORY)
        wr_diag_add(work->diag, WRSIM_E_MEMORY, NULL, "out of memory while reading the config");
    else if (text[0] == '\0' || !strchr("[{\"'", text[0]))
        value = take_text_value(work, text);
    else
        wr_settings_error(
            work, where, "%s",
            why.n_items > 0
                ? why.items[0].text
                : "the value is not valid TOML; write a number, true, false, or a text in quotes");
    wr_diag_done(&why);
    if (value)
        set_place(value, where);
    return value;
}

/* Returns the text of a part in quotes, by the rules of TOML; NULL if the part is not valid. */
static const char *unquoted(wr_settings_work *work, const char *piece, const wr_where *where)
{
    static const char value[] = " = 0";
    const size_t n = strlen(piece);
    char *const line = wr_heap_pool_take(work->memory, n + sizeof value, 1);
    if (!line)
        return NULL;
    memcpy(line, piece, n);
    memcpy(line + n, value, sizeof value);
    wr_diag why = {0};
    const wr_toml *const tree = wr_toml_parse(line, strlen(line), where->file, work->memory, &why);
    const wr_toml *const key = tree && tree->n_children == 1 ? tree->first : NULL;
    wr_diag_done(&why);
    return key && key->kind == WR_TOML_INTEGER ? key->key : NULL;
}

/* Splits "component.cyl1.start.x" into its parts, in place. A part in quotes may contain dots. */
static int split_key(wr_settings_work *work, char *key, const wr_where *where, path *ret_path)
{
    ret_path->n_pieces = 0;
    for (char *piece = key; piece;) {
        char *const end = piece + wr_toml_key_part(piece);
        char *const next = *end ? end + 1 : NULL;
        const int is_quoted = *piece == '"' || *piece == '\'';
        *end = '\0';
        const char *const text = is_quoted ? unquoted(work, piece, where) : piece;
        if (!text || text[0] == '\0' || ret_path->n_pieces == WR_TOML_MAX_DEPTH) {
            wr_settings_error(work, where,
                              "the key is not a dotted name; write a name like simulation.rtol");
            return 0;
        }
        ret_path->pieces[ret_path->n_pieces++] = text;
        piece = next;
    }
    return 1;
}

/* Returns the example of a key if the path begins in a repeated table with names; NULL for other tables. */
static const char *example_of(const char *table)
{
    static const char *const examples[][2] = {{"component", "parameters.KEY"},
                                              {"subsystem", "solver.kind"},
                                              {"port", "start"},
                                              {"scenario", "value"}};
    for (size_t i = 0; i < WR_COUNT_OF(examples); i++)
        if (strcmp(table, examples[i][0]) == 0)
            return examples[i][1];
    return NULL;
}

/* Returns the table in which the path begins, or NULL after an error. *ret_i: first part of the path inside the table. */
static wr_toml *find_start(wr_settings_work *work, const path *p, const wr_where *where, int *ret_i)
{
    const char *const first = p->pieces[0];
    *ret_i = 0;
    if (strcmp(first, "connection") == 0 || strcmp(first, "plugin") == 0) {
        wr_settings_error(work, where,
                          "[[%s]] has no names, so -D cannot change it; change the config file",
                          first);
        return NULL;
    }
    const char *const example = example_of(first);
    if (!example)
        return work->root;
    if (p->n_pieces < 3) {
        wr_settings_error(work, where, "the name or the key of the %s is missing; write %s.NAME.%s",
                          first, first, example);
        return NULL;
    }
    *ret_i = 2;
    /* The path continues in the [[component]], [[subsystem]] and so on with the name p->pieces[1]. */
    const wr_toml *const list = wr_settings_member(work->root, first);
    const int is_list = list && list->kind == WR_TOML_ARRAY;
    const char **const names =
        wr_heap_pool_take(work->memory, is_list ? (size_t)list->n_children : 0, sizeof *names);
    if (!names)
        return NULL;
    int n_names = 0;
    for (wr_toml *item = is_list ? list->first : NULL; item; item = item->next) {
        const wr_toml *const item_name = wr_settings_member(item, "name");
        if (!item_name || item_name->kind != WR_TOML_STRING)
            continue;
        if (strcmp(item_name->string, p->pieces[1]) == 0)
            return item;
        names[n_names++] = item_name->string;
    }
    char hint[WR_NAMES_HINT_BYTES];
    wr_settings_error(work, where, "unknown %s '%.60s'; %s", first, p->pieces[1],
                      wr_names_hint(p->pieces[1], names, n_names, hint));
    return NULL;
}

/* Returns the member of a table; creates an empty table if the member is absent. Returns NULL when out of memory. */
static wr_toml *take_member(wr_settings_work *work, wr_toml *table, const char *key,
                            const wr_where *where)
{
    wr_toml *member = wr_settings_member(table, key);
    if (member)
        return member;
    member = wr_heap_pool_take(work->memory, 1, sizeof *member);
    if (!member)
        return NULL;
    member->kind = WR_TOML_TABLE;
    member->key = key;
    member->where = member->where_key = *where;
    if (table->last)
        table->last->next = member;
    else
        table->first = member;
    table->last = member;
    table->n_children++;
    return member;
}

/* Sets the value at the parts of a path from i on. node is the table in which these parts begin. */
static void set_path(wr_settings_work *work, wr_toml *node, const path *p, int i,
                     const wr_toml *value, const wr_where *where)
{
    for (; node && i < p->n_pieces; i++) {
        if (node->kind != WR_TOML_TABLE) {
            WR_ASSERT(i > 0); /* the root is a table */
            wr_settings_error(work, where,
                              "'%.60s' is %s, so it has no key '%.60s'; shorten the name",
                              p->pieces[i - 1], wr_settings_kind_text(node), p->pieces[i]);
            return;
        }
        node = take_member(work, node, p->pieces[i], where);
    }
    if (!node)
        return; /* out of memory */
    const char *const key = node->key;
    wr_toml *const next = node->next;
    *node = *value;
    node->key = key;
    node->next = next;
}

static int has_match(const wr_toml *item, const char *glob)
{
    const wr_toml *const name = wr_settings_member(item, "name");
    return name && name->kind == WR_TOML_STRING && wr_names_match(glob, name->string);
}

/* Sets the value in each item whose name matches a glob, in one repeated table. `*.solver.KEY` sets the value in [solver] and in each
 * subsystem that sets this key itself. Each place gets a value of its own, because a later override may change a part of one value. */
static void set_each(wr_settings_work *work, const path *p, const char *text, const wr_where *where)
{
    const int is_solver = strcmp(p->pieces[0], "*") == 0;
    const wr_toml *const list =
        wr_settings_member(work->root, is_solver ? "subsystem" : p->pieces[0]);
    if (is_solver && (p->n_pieces != 3 || strcmp(p->pieces[1], "solver") != 0)) {
        wr_settings_error(work, where,
                          "'*' stands for all solvers, or for names of a repeated table; write "
                          "*.solver.KEY or component.cyl*.KEY");
        return;
    }
    const wr_toml *value = parse_value(work, text, where);
    if (is_solver && value)
        set_path(work, work->root, p, 1, value, where);
    const int is_list = list && list->kind == WR_TOML_ARRAY;
    int n_match = is_solver;
    for (wr_toml *item = is_list ? list->first : NULL; item && value; item = item->next) {
        const wr_toml *const solver = wr_settings_member(item, "solver");
        if (is_solver ? !wr_settings_member(solver, p->pieces[2]) : !has_match(item, p->pieces[1]))
            continue;
        n_match++;
        value = parse_value(work, text, where);
        if (value && item->kind == WR_TOML_TABLE)
            set_path(work, item, p, is_solver ? 1 : 2, value, where);
    }
    if (n_match == 0 && value)
        wr_settings_error(work, where,
                          "the config has no [[%s]] with a name like '%.60s'; change the name, or "
                          "remove the override",
                          p->pieces[0], p->pieces[1]);
}

static void trim(char **text)
{
    while (**text == ' ' || **text == '\t')
        (*text)++;
    size_t n = strlen(*text);
    while (n > 0 && ((*text)[n - 1] == ' ' || (*text)[n - 1] == '\t'))
        (*text)[--n] = '\0';
}

void wr_settings_override(wr_settings_work *work, const char *text)
{
    const size_t text_bytes = strlen(text);
    static const char option[] = "-D ";
    char *const place = wr_heap_pool_take(work->memory, sizeof option + text_bytes, 1);
    char *key = wr_heap_pool_text(work->memory, text, text_bytes);
    if (!place || !key)
        return;
    memcpy(place, option, sizeof option - 1);
    memcpy(place + sizeof option - 1, text, text_bytes);
    const wr_where where = {place, 0, 0};
    char *value_text = key + wr_toml_key_bytes(key);
    const char *at = text;
    while ((unsigned char)*at >= 0x20 || *at == '\t')
        at++;
    if (*value_text == '\0' || value_text == key || *at != '\0') {
        wr_settings_error(
            work, &where,
            "the override is not one line KEY=VALUE; write it like -D simulation.rtol=1e-6");
        return;
    }
    *value_text++ = '\0';
    trim(&key);
    trim(&value_text);
    path p = {.n_pieces = 0};
    int i = 0;
    if (!split_key(work, key, &where, &p))
        return;
    if (strcmp(p.pieces[0], "*") == 0 ||
        (p.n_pieces > 2 && wr_names_is_glob(p.pieces[1]) && example_of(p.pieces[0]))) {
        set_each(work, &p, value_text, &where);
        return;
    }
    const wr_toml *const value = parse_value(work, value_text, &where);
    wr_toml *const start = value ? find_start(work, &p, &where, &i) : NULL;
    if (start)
        set_path(work, start, &p, i, value, &where);
}
