/* See report_json.h. Thread: one owner. Real-time: no. */
#include "offline/report/report_json.h"

#include <stdlib.h>
#include <string.h>

#include "offline/report/thin.h"

enum { CAP_ENTRY = 200 }; /* entries of a list (assumed: a table that people read) */
enum { WORST_ROWS = 50 }; /* rows of the table of differences (assumed: a table that people read) */

/* Writes the base64 text of up to three bytes. */
static void put_quantum(const unsigned char *byte, size_t n, char *ret_text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned word = (unsigned)byte[0] << 16 | (n > 1 ? (unsigned)byte[1] << 8 : 0u) |
                          (n > 2 ? (unsigned)byte[2] : 0u);
    for (size_t i = 0; i < 4; i++)
        ret_text[i] = i <= n ? letters[word >> (18 - 6 * i) & 63] : '=';
}

void wr_report_doubles(wr_json *json, const char *key, size_t n, const double *value)
{
    const size_t n_byte = n * sizeof *value;
    unsigned char *const byte = malloc(n_byte + 3);
    char *const text = malloc(n_byte / 3 * 4 + 5);
    if (!byte || !text) {
        wr_text_buffer_fail(&json->text);
    } else {
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &value[i], sizeof bits);
            for (size_t k = 0; k < sizeof bits; k++)
                byte[i * sizeof bits + k] = (unsigned char)(bits >> 8 * k);
        }
        size_t n_text = 0;
        for (size_t at = 0; at < n_byte; at += 3, n_text += 4)
            put_quantum(byte + at, n_byte - at < 3 ? n_byte - at : 3, text + n_text);
        text[n_text] = '\0';
        wr_json_string(json, key, text);
    }
    free(byte);
    free(text);
}

static int is_whole_grid(const wr_curves *curves, const wr_curve *c)
{
    return c->n == (size_t)curves->results->n_row;
}

/* Returns the number of values of all curves if no curve has more than cap points. */
static size_t count_values(const wr_curves *curves, size_t cap)
{
    size_t n = 0;
    for (int i = 0; i < curves->n; i++) {
        const wr_curve *const c = &curves->curve[i];
        const size_t n_value = c->twin ? 2 : 1;
        n += c->n > cap                 ? cap * (n_value + 1)
             : is_whole_grid(curves, c) ? c->n * n_value
                                        : c->n * (n_value + 1);
    }
    return n;
}

/* Returns the number of points per curve for at most cap_value values in all. */
static size_t limit_points(const wr_curves *curves, size_t cap_value)
{
    size_t cap = WR_THIN_PAIR_POINTS;
    for (int i = 0; i < curves->n; i++)
        cap = curves->curve[i].n > cap ? curves->curve[i].n : cap;
    while (cap > WR_THIN_PAIR_POINTS && count_values(curves, cap) > cap_value)
        cap -= cap / 8 + 1; /* an eighth (assumed) uses most of the space in few steps */
    return cap < WR_THIN_PAIR_POINTS ? WR_THIN_PAIR_POINTS : cap;
}

static void difference_json(wr_json *json, const wr_difference *d)
{
    wr_json_object(json, NULL);
    wr_json_string(json, "name", d->name);
    wr_json_number(json, "range", d->range);
    wr_json_number(json, "max_abs", d->max_abs);
    wr_json_number(json, "max_rel", d->max_rel);
    wr_json_number(json, "rms_rel", d->rms_rel);
    wr_json_number(json, "t_s", d->t_max_s);
    wr_json_bool(json, "is_constant", d->is_constant);
    wr_json_end(json);
}

static void compared_json(wr_json *json, const wr_curves *curves)
{
    const wr_overlap *const o = &curves->overlap;
    wr_json_object(json, "compared");
    wr_json_integer(json, "n_signal", curves->n_compared);
    wr_json_integer(json, "n_row", o->n_row);
    wr_json_integer(json, "n_only_a", o->n_only_a);
    wr_json_integer(json, "n_only_b", o->n_only_b);
    wr_json_integer(json, "n_row_only_a", o->n_row_only_a);
    wr_json_integer(json, "n_row_only_b", o->n_row_only_b);
    wr_json_array(json, "worst");
    for (int i = 0; i < curves->n_compared && i < WORST_ROWS; i++)
        difference_json(json, &curves->difference[i]);
    wr_json_end(json);
    wr_json_end(json);
}

/* Room for the points of one curve. */
typedef struct room {
    size_t *index;
    double *value;
} room;

static void put_chosen(wr_json *json, const char *key, const room *r, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++)
        r->value[i] = value[r->index[i]];
    wr_report_doubles(json, key, n, r->value);
}

static void curve_json(wr_json *json, const wr_curves *curves, const wr_curve *c, size_t cap,
                       const room *r)
{
    const size_t n = wr_thin(c->n, c->t_s, c->value, c->twin, cap, r->index);
    wr_json_object(json, NULL);
    wr_json_string(json, "name", c->name);
    wr_json_string(json, "unit", c->unit);
    wr_json_integer(json, "n", (int64_t)c->n);
    wr_json_integer(json, "n_shown", (int64_t)n);
    if (n < c->n || !is_whole_grid(curves, c))
        put_chosen(json, "t", r, n, c->t_s);
    put_chosen(json, "v", r, n, c->value);
    if (c->twin)
        put_chosen(json, "b", r, n, c->twin);
    wr_json_end(json);
}

void wr_report_curves_json(wr_json *json, const wr_curves *curves, size_t cap_value)
{
    const size_t cap = limit_points(curves, cap_value);
    size_t n_most = 0;
    int has_grid = 0;
    for (int i = 0; i < curves->n; i++) {
        const wr_curve *const c = &curves->curve[i];
        n_most = c->n > n_most ? c->n : n_most;
        has_grid |= c->n <= cap && is_whole_grid(curves, c);
    }
    const room r = {malloc((n_most + 1) * sizeof *r.index), malloc((n_most + 1) * sizeof *r.value)};
    if (!r.index || !r.value)
        wr_text_buffer_fail(&json->text);
    wr_report_doubles(json, "grid", has_grid ? (size_t)curves->results->n_row : 0,
                      curves->results->time_s);
    wr_json_array(json, "signals");
    for (int i = 0; i < curves->n && !json->text.is_failed; i++)
        curve_json(json, curves, &curves->curve[i], cap, &r);
    wr_json_end(json);
    if (curves->twin_results)
        compared_json(json, curves);
    free(r.index);
    free(r.value);
}

void wr_report_tree_json(wr_json *json, const char *key, const wr_json_tree *tree,
                         const char *omitted)
{
    switch (tree->kind) {
    case WR_JSON_TREE_NULL:
        wr_json_null(json, key);
        return;
    case WR_JSON_TREE_FLAG:
        wr_json_bool(json, key, tree->number > 0.0);
        return;
    case WR_JSON_TREE_NUMBER:
        wr_json_number(json, key, tree->number);
        return;
    case WR_JSON_TREE_STRING:
        wr_json_string(json, key, tree->string);
        return;
    case WR_JSON_TREE_ARRAY:
        wr_json_array(json, key);
        break;
    case WR_JSON_TREE_OBJECT:
        wr_json_object(json, key);
        break;
    }
    /* A list of a large run, such as thousands of subsystems, would make the page too large. */
    int n = 0;
    for (const wr_json_tree *t = tree->first; t && n < CAP_ENTRY; t = t->next, n++)
        if (!t->key || !omitted || strcmp(t->key, omitted) != 0)
            wr_report_tree_json(json, t->key, t, NULL);
    wr_json_end(json);
}

char *wr_report_escape(const char *json)
{
    static const char escape[] = "\\u003c";
    size_t n = 1;
    for (const char *c = json; *c; c++)
        n += *c == '<' ? sizeof escape - 1 : 1;
    char *const text = malloc(n);
    char *to = text;
    for (const char *c = json; text && *c; c++) {
        if (*c == '<') {
            memcpy(to, escape, sizeof escape - 1);
            to += sizeof escape - 1;
        } else {
            *to++ = *c;
        }
    }
    if (text)
        *to = '\0';
    return text;
}
