/* [[connection]]: expanded to connections of one output and one input.
 *
 *     from = "a.y", to = "b.u"                         one connection
 *     from = "a.y", to = ["b.u", "c.u"]                several inputs
 *     from = "a.y", to = "b.u", factor = -1             b.u = -a.y
 *     from = "a", to = "b", signals = ["p", "T -> T_in"]   several outputs, to inputs of the same or the given name
 *
 * The graph checks the names of components and variables later.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/names.h"

/* Checks an end of a connection. has_signals 1: the end must be a component, because 'signals' names the variables. */
static int check_end(wr_settings_work *work, const wr_toml *end, const char *key, int has_signals)
{
    if (!has_signals)
        return wr_settings_check_variable(work, end, key);
    if (wr_names_is_identifier(end->string))
        return 1;
    wr_settings_error(
        work, &end->where,
        "'%s' is '%.60s', but with the key 'signals' it must be the name of a component", key,
        end->string);
    return 0;
}

static int check_ends(wr_settings_work *work, const wr_toml *ends, const char *key, int has_signals)
{
    int is_good = 1;
    const wr_toml *end = wr_settings_first_of(ends);
    for (int i = 0; i < wr_settings_count_of(ends); i++, end = end->next)
        is_good &= check_end(work, end, key, has_signals);
    return is_good;
}

typedef struct piece {
    const char *text;
    size_t n_text;
} piece;

static piece trimmed(const char *text, size_t n_text)
{
    while (n_text > 0 && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        n_text--;
    }
    while (n_text > 0 && (text[n_text - 1] == ' ' || text[n_text - 1] == '\t'))
        n_text--;
    return (piece){text, n_text};
}

/* Splits "name" or "output -> input". */
static int split_signal(wr_settings_work *work, const wr_toml *signal, piece *ret_out,
                        piece *ret_in)
{
    const char *const text = signal->string;
    const char *const arrow = strstr(text, "->");
    *ret_out = trimmed(text, arrow ? (size_t)(arrow - text) : strlen(text));
    *ret_in = arrow ? trimmed(arrow + 2, strlen(arrow + 2)) : *ret_out;
    if (ret_out->n_text > 0 && ret_in->n_text > 0 && !(arrow && strstr(arrow + 2, "->")))
        return 1;
    wr_settings_error(work, &signal->where, "signal '%.60s' must be a name or \"output -> input\"",
                      text);
    return 0;
}

/* Returns component + "." + variable. */
static const char *join(wr_settings_work *work, const char *component, const piece *variable)
{
    const size_t n_component = strlen(component);
    char *const text = wr_heap_pool_take(work->memory, n_component + 1 + variable->n_text + 1, 1);
    if (!text)
        return NULL;
    memcpy(text, component, n_component);
    text[n_component] = '.';
    memcpy(text + n_component + 1, variable->text, variable->n_text);
    return text;
}

/* Values of one [[connection]]; signals may be NULL. */
typedef struct ends {
    const wr_toml *from, *to, *signals;
    wr_set_connection like; /* values that all connections of the table share */
} ends;

/* Reads 'period'. Returns 0 after an error. runtime/sim/build_simulation.c compares the period with slack.period. */
static int read_period(wr_settings_work *work, const wr_toml *item, ends *ret)
{
    const wr_toml *const value = wr_settings_member(item, "period");
    if (!value)
        return 1;
    ret->like.where_period = value->where;
    if (!wr_settings_is_number(work, value, "[[connection]]"))
        return 0;
    if (value->real > 0.0 && isfinite(value->real)) {
        ret->like.period_s = value->real;
        return 1;
    }
    wr_settings_error(work, &value->where,
                      "'period' of [[connection]] must be finite and above 0 s");
    return 0;
}

/* Reads a number of the transformation. Returns 0 after an error. */
static int read_term(wr_settings_work *work, const wr_toml *item, const char *key, int is_factor,
                     double *ret)
{
    const wr_toml *const value = wr_settings_member(item, key);
    *ret = is_factor ? 1.0 : 0.0;
    if (!value)
        return 1;
    if (!wr_settings_is_number(work, value, "[[connection]]"))
        return 0;
    *ret = value->real;
    /* Runs treat denormal numbers as 0 (base/fp_mode.h), and a factor of 0 means no conversion (base/unit.h). */
    if (isfinite(*ret) && (!is_factor || fabs(*ret) >= DBL_MIN))
        return 1;
    wr_settings_error(work, &value->where, "'%s' of [[connection]] must be finite%s", key,
                      is_factor ? " and at least 2.3e-308 in size" : "");
    return 0;
}

/* Reads 'factor', 'offset' and 'convert'. Returns 0 after an error. */
static int read_transformation(wr_settings_work *work, const wr_toml *item, ends *ret)
{
    const wr_toml *const convert = wr_settings_member(item, "convert");
    int is_good = read_term(work, item, "factor", 1, &ret->like.factor);
    is_good &= read_term(work, item, "offset", 0, &ret->like.offset);
    if (convert && convert->kind != WR_TOML_FLAG) {
        char text[WR_SETTINGS_VALUE_BYTES];
        wr_settings_error(work, &convert->where,
                          "'convert' of [[connection]] must be true or false, but is %s",
                          wr_settings_value_text(convert, text));
        return 0;
    }
    ret->like.is_unconverted = convert && !convert->integer;
    return is_good;
}

/* Reads and checks the ends. Returns 0 after an error. */
static int read_ends(wr_settings_work *work, const wr_toml *item, ends *ret)
{
    wr_settings_check_members(work, item, WR_LIST_CONNECTION);
    const int has_signals = wr_settings_member(item, "signals") != NULL;
    ret->from = wr_settings_texts(work, item, "from", "[[connection]]", 0);
    ret->to = wr_settings_texts(work, item, "to", "[[connection]]", 1);
    ret->signals =
        has_signals ? wr_settings_texts(work, item, "signals", "[[connection]]", 1) : NULL;
    /* With a misspelt 'signals', the reader cannot interpret the ends. */
    if (!has_signals && wr_settings_is_misspelt(item, "signals"))
        return 0;
    int is_good = !has_signals || ret->signals;
    is_good &= ret->from && check_ends(work, ret->from, "from", has_signals);
    is_good &= ret->to && check_ends(work, ret->to, "to", has_signals);
    is_good &= read_period(work, item, ret);
    is_good &= read_transformation(work, item, ret);
    return is_good;
}

static void unfold_signals(wr_settings_work *work, const ends *e, const wr_toml *to,
                           wr_set_connection *links, int *n_links)
{
    const wr_toml *signal = wr_settings_first_of(e->signals);
    for (int i = 0; i < wr_settings_count_of(e->signals); i++, signal = signal->next) {
        piece out, in;
        if (!split_signal(work, signal, &out, &in)) {
            work->settings->is_partial[WR_LIST_CONNECTION] = 1;
            continue;
        }
        wr_set_connection *const link = &links[(*n_links)++];
        *link = e->like;
        link->from = join(work, e->from->string, &out);
        link->to = join(work, to->string, &in);
        link->where_from = link->where_to = signal->where;
    }
}

void wr_settings_read_connections(wr_settings_work *work, const wr_toml *list)
{
    ends *const all = wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *all);
    if (!all)
        return;
    int n_all = 0;
    int64_t cap_links = 0;
    for (const wr_toml *item = list->first; item; item = item->next) {
        if (!read_ends(work, item, &all[n_all])) {
            work->settings->is_partial[WR_LIST_CONNECTION] = 1;
            continue;
        }
        /* The loop limits the number of connections, because a short text with lists of inputs and signals may define many connections. */
        cap_links +=
            (int64_t)wr_settings_count_of(all[n_all].to) * wr_settings_count_of(all[n_all].signals);
        n_all++;
        if (cap_links > WR_SETTINGS_MAX_ITEMS) {
            wr_settings_error(
                work, &item->where,
                "the config has more than the allowed %d connections; remove connections",
                WR_SETTINGS_MAX_ITEMS);
            work->settings->is_partial[WR_LIST_CONNECTION] = 1;
            return;
        }
    }
    wr_set_connection *const links =
        wr_heap_pool_take(work->memory, (size_t)cap_links, sizeof *links);
    int n_links = 0;
    for (int i = 0; i < n_all && links; i++) {
        const wr_toml *to = wr_settings_first_of(all[i].to);
        for (int j = 0; j < wr_settings_count_of(all[i].to); j++, to = to->next) {
            if (all[i].signals) {
                unfold_signals(work, &all[i], to, links, &n_links);
                continue;
            }
            wr_set_connection *const link = &links[n_links++];
            *link = all[i].like;
            link->from = all[i].from->string;
            link->to = to->string;
            link->where_from = all[i].from->where;
            link->where_to = to->where;
        }
    }
    work->settings->connections = links;
    work->settings->n_connections = n_links;
}
