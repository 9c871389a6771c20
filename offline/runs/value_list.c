/* Lists of values. See value_list.h. Thread: one owner. Real-time: no. */
#include "offline/runs/value_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define LAST_OF_STEP 1e-9 /* allowed excess of the last value over STOP, in steps (assumed) */

static int fail(char *ret_why, const char *why, const char *text)
{
    snprintf(ret_why, WR_VALUE_LIST_WHY_BYTES, why, text);
    return -1;
}

int wr_value_list_add(wr_value_list *list, const char *text, int n_bytes)
{
    if (list->n == list->cap) {
        const int cap = list->cap > 0 ? 2 * list->cap : 8;
        char **const grown = realloc(list->text, (size_t)cap * sizeof *grown);
        if (!grown)
            return -1;
        list->text = grown;
        list->cap = cap;
    }
    list->text[list->n] = strndup(text, (size_t)n_bytes);
    return list->text[list->n] ? list->n++, 0 : -1;
}

/* Returns the number of finite numbers, separated by colons, in the text; 0 for any other text. */
static int count_numbers(const char *text, int n, double ret[3], int *ret_is_integer)
{
    const char *at = text, *const end = text + n;
    int n_number = 0;
    *ret_is_integer = 1;
    for (const char *stop = text; stop != end; at = stop + 1) {
        double number;
        stop = memchr(at, ':', (size_t)(end - at));
        stop = stop ? stop : end;
        if (!wr_number_parse(at, stop, &number) || !isfinite(number))
            return 0;
        if (n_number < 3)
            ret[n_number] = number;
        n_number++;
        const char *const digits = at + (*at == '-' || *at == '+');
        *ret_is_integer &= stop > digits && strspn(digits, "0123456789") >= (size_t)(stop - digits);
    }
    return n_number;
}

/* Adds the values of a range: without fraction if is_whole is 1, else with 15 digits, so that 0:0.1:1 contains 0.3 exactly as written. */
static int add_range(wr_value_list *list, const char *text, const double range[3], int is_whole,
                     char *ret_why)
{
    const double start = range[0], step = range[1], stop = range[2];
    const double n = floor((stop - start) / step + LAST_OF_STEP) + 1.0;
    if (!(step != 0.0) || !(n >= 1.0))
        return fail(ret_why, "the range '%s' is empty; give a step that leads from START to STOP",
                    text);
    if (!(list->n + n <= WR_VALUE_LIST_MAX))
        return fail(ret_why, "the range '%s' has too many values; choose a larger step", text);
    for (int i = 0; i < (int)n; i++) {
        char value[WR_NUMBER_CAP + 16];
        const int n_byte =
            snprintf(value, sizeof value, is_whole ? "%.0f" : "%.15g", start + i * step);
        if (wr_value_list_add(list, value, n_byte) < 0)
            return fail(ret_why, "out of memory for '%s'", text);
    }
    return 0;
}

static int add_value(wr_value_list *list, const char *text, int n, char *ret_why)
{
    double range[3];
    int is_whole;
    for (; n > 0 && (*text == ' ' || *text == '\t'); n--)
        text++;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", n, text);
    if (n == 0)
        return fail(ret_why, "a value is missing%s; add a value, or remove a comma", "");
    if (list->n == WR_VALUE_LIST_MAX)
        return fail(ret_why, "the key has too many values; remove the values from '%s' on", shown);
    const int n_number = count_numbers(text, n, range, &is_whole);
    if (n_number == 3)
        return add_range(list, shown, range, is_whole, ret_why);
    if (n_number > 1)
        return fail(ret_why, "the range '%s' does not have three numbers; write START:STEP:STOP",
                    shown);
    return wr_value_list_add(list, text, n) < 0 ? fail(ret_why, "out of memory for '%s'", shown)
                                                : 0;
}

/* Returns the number of bytes until a comma outside of quotes and brackets, or until the end; -1 for an open quote or bracket. */
static int value_bytes(const char *text)
{
    int depth = 0;
    char quote = '\0';
    const char *at = text;
    for (; *at && (quote || depth > 0 || *at != ','); at++) {
        if (quote == '"' && *at == '\\' && at[1])
            at++;
        else if (quote)
            quote = *at == quote ? '\0' : quote;
        else if ((*at == '"' || *at == '\'') && (depth > 0 || at == text))
            quote = *at;
        else
            depth += strchr("[{", *at) ? 1 : strchr("]}", *at) ? -1 : 0;
    }
    return quote || depth > 0 ? -1 : (int)(at - text);
}

int wr_value_list_parse(wr_value_list *list, const char *text,
                        char ret_why[WR_VALUE_LIST_WHY_BYTES])
{
    for (const char *at = text; at;) {
        at += strspn(at, " \t");
        const int n = value_bytes(at);
        if (n < 0)
            return fail(ret_why,
                        "a quote or bracket is not closed in '%.60s'; close the quote or bracket",
                        at);
        if (add_value(list, at, n, ret_why) < 0)
            return -1;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return 0;
}

void wr_value_list_done(wr_value_list *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->text[i]);
    free(list->text);
    *list = (wr_value_list){.n = 0};
}

static int is_number(const char *text, double *ret)
{
    return wr_number_parse(text, text + strlen(text), ret) && !isnan(*ret);
}

int wr_value_compare(const char *a, const char *b)
{
    double x, y;
    const int has_x = is_number(a, &x), has_y = is_number(b, &y);
    if (has_x != has_y)
        return has_y - has_x;
    return has_x ? (x > y) - (x < y) : strcmp(a, b);
}
