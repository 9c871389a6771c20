/* Text of the answers of a live view. See live_answers.h. Thread: as live_answers.h. Real-time: no. */
#include "cli/live/live_answers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "offline/report/report_template.h"

/* Least number of entries in a long answer (assumed): about the pixels of a picture. The answer has up to two times as many entries of each
 * signal. */
enum { SPANS = 500 };

static void set_text(wr_http_answer *answer, int code, const char *text)
{
    *answer =
        (wr_http_answer){.code = code, .type = "text/plain", .text = text, .n_bytes = strlen(text)};
}

static void set_json(wr_http_answer *answer, wr_json *json)
{
    char *const text = wr_json_take(json);
    if (!text)
        set_text(answer, 503, "The live view has no memory left.\n");
    else
        *answer = (wr_http_answer){.code = 200,
                                   .type = "application/json",
                                   .text = text,
                                   .n_bytes = strlen(text),
                                   .owned = text};
}

/* ---- choosing entries ---- */

/* Marks the entries first .. last - 1 with the lowest and the highest value of each column but the first, which has the time. */
static void mark_extremes(const double *value, int width, int first, int last, char *is_chosen)
{
    for (int k = 1; k < width; k++) {
        int low = -1, high = -1;
        for (int i = first; i < last; i++) {
            const double v = value[(size_t)i * (size_t)width + (size_t)k];
            if (isnan(v))
                continue;
            if (low < 0 || v < value[(size_t)low * (size_t)width + (size_t)k])
                low = i;
            if (high < 0 || v > value[(size_t)high * (size_t)width + (size_t)k])
                high = i;
        }
        if (low >= 0)
            is_chosen[low] = is_chosen[high] = 1;
    }
}

/* Removes entries of a long list. Returns the number of remaining entries. Each remaining entry is an entry of the list. */
static int thin(double *value, int n, int width)
{
    if (n <= 2 * SPANS)
        return n;
    char *const is_chosen = calloc((size_t)n, 1);
    if (!is_chosen)
        return 0;
    is_chosen[0] = is_chosen[n - 1] = 1;
    for (int i = 0; i < SPANS; i++)
        mark_extremes(value, width, (int)((int64_t)n * i / SPANS),
                      (int)((int64_t)n * (i + 1) / SPANS), is_chosen);
    int n_chosen = 0;
    for (int i = 0; i < n; i++)
        if (is_chosen[i])
            memmove(value + (size_t)n_chosen++ * (size_t)width, value + (size_t)i * (size_t)width,
                    (size_t)width * sizeof *value);
    free(is_chosen);
    return n_chosen;
}

/* Entries of an answer. */
typedef struct entries {
    double *value; /* [n][width] from malloc */
    int n;
    int64_t first, next; /* numbers of the first copied entry, and of the entry after the last */
} entries;

/* Copies and thins entries. Returns 0, or -1 when memory is exhausted. */
static int read_entries(const wr_live *live, wr_live_ring ring, int64_t from, int width,
                        const int *column, entries *ret_entries)
{
    /* A fast run may replace all entries while a reader without CPU time copies them. Fewer entries take less time. */
    enum { LESS = 8, LEAST = 64 };
    const int cap = wr_live_cap(live, ring);
    double *const value = malloc((size_t)(cap + 1) * (size_t)width * sizeof *value);
    if (!value)
        return -1;
    int64_t first;
    int n = 0;
    for (int most = cap; n == 0 && most >= LEAST; most /= LESS)
        n = wr_live_read(live, ring, from, width, column, most, value, &first);
    *ret_entries = (entries){.value = value,
                             .n = thin(value, n, width),
                             .first = n > 0 ? first : from,
                             .next = n > 0 ? first + n : from};
    return 0;
}

static void put_column(wr_json *j, const char *key, const entries *e, int width, int k)
{
    wr_json_array(j, key);
    for (int i = 0; i < e->n; i++)
        wr_json_number(j, NULL, e->value[(size_t)i * (size_t)width + (size_t)k]);
    wr_json_end(j);
}

/* ---- requests ---- */

/* Reads a whole number from 0 to `most` at *text. Moves *text to the character after the number. Returns 0 if *text begins with another
 * character. */
static int read_number(const char **text, int64_t most, int64_t *ret_number)
{
    char *end;
    if (!*text || **text < '0' || **text > '9')
        return 0;
    errno = 0;
    const long long number = strtoll(*text, &end, 10);
    if (errno != 0 || number > most)
        return 0;
    *text = end;
    *ret_number = number;
    return 1;
}

static int read_argument(const wr_http_request *request, const char *name, int64_t *ret_number)
{
    const char *text = request->argument(request->source, name);
    return read_number(&text, INT64_MAX, ret_number) && *text == '\0';
}

/* Reads the list of signals as columns of rows, after the time. Returns the number of columns, or 0 if the list is not valid. */
static int read_columns(const wr_http_request *request, int n_signal, int column[1 + WR_LIVE_SHOWN])
{
    const char *text = request->argument(request->source, "s");
    int n = 1;
    column[0] = 0;
    while (text && *text) {
        int64_t i_signal;
        if (n > WR_LIVE_SHOWN || !read_number(&text, n_signal - 1, &i_signal))
            return 0;
        column[n++] = 1 + (int)i_signal;
        if (*text == ',' && text[1])
            text++;
        else if (*text)
            return 0;
    }
    return text ? n : 0;
}

static int put_rows(wr_json *j, const wr_live *live, int64_t from, int width, const int *column)
{
    entries e;
    if (read_entries(live, WR_LIVE_ROWS, from, width, column, &e) < 0)
        return 0;
    wr_json_integer(j, "first_row", e.first);
    wr_json_integer(j, "row", e.next);
    put_column(j, "t", &e, width, 0);
    wr_json_array(j, "v");
    for (int k = 1; k < width; k++)
        put_column(j, NULL, &e, width, k);
    wr_json_end(j);
    free(e.value);
    return 1;
}

static int put_steps(wr_json *j, const wr_live *live, int64_t from)
{
    static const int column[WR_LIVE_STEP_COLUMNS] = {WR_LIVE_TIME, WR_LIVE_COMPUTE, WR_LIVE_LATE,
                                                     WR_LIVE_OVER};
    static const char *const key[WR_LIVE_STEP_COLUMNS] = {"step_t", "compute", "late", "over"};
    entries e;
    if (read_entries(live, WR_LIVE_STEPS, from, WR_LIVE_STEP_COLUMNS, column, &e) < 0)
        return 0;
    wr_json_integer(j, "first_step", e.first);
    wr_json_integer(j, "step", e.next);
    for (int k = 0; k < WR_LIVE_STEP_COLUMNS; k++)
        put_column(j, key[k], &e, WR_LIVE_STEP_COLUMNS, k);
    free(e.value);
    return 1;
}

/* Ends an answer, unless another run has begun while the functions above copied data. */
static void end_answer(const wr_live *live, const wr_live_view *before, wr_json *j,
                       wr_http_answer *answer)
{
    wr_live_view after;
    wr_live_view_get(live, &after);
    wr_json_end(j);
    if (after.generation == before->generation) {
        set_json(answer, j);
        return;
    }
    wr_json_done(j);
    wr_json_object(j, NULL);
    wr_json_integer(j, "generation", after.generation);
    wr_json_end(j);
    set_json(answer, j);
}

static void answer_data(wr_live_answers *a, const wr_http_request *request, wr_http_answer *answer)
{
    static const char *const states[] = {
        [WR_LIVE_EMPTY] = "starting", [WR_LIVE_RUNNING] = "running", [WR_LIVE_ENDED] = "ended"};
    int64_t generation, row, step;
    wr_live_view view;
    wr_json json = {0};
    int column[1 + WR_LIVE_SHOWN];
    wr_live_view_get(a->live, &view);
    if (!read_argument(request, "g", &generation) || !read_argument(request, "row", &row) ||
        !read_argument(request, "step", &step)) {
        set_text(answer, 400, "The query needs the numbers g, row and step.\n");
        return;
    }
    const int is_known = generation == view.generation && generation % 2 == 0;
    const int width = is_known ? read_columns(request, view.n_signal, column) : 1;
    if (width == 0) {
        set_text(answer, 400, "The query needs a list s of up to 16 signals of the run.\n");
        return;
    }
    wr_json_object(&json, NULL);
    wr_json_integer(&json, "generation", view.generation);
    if (is_known) {
        wr_json_string(&json, "state", states[view.state]);
        wr_json_string(&json, "text", view.text);
        wr_json_integer(&json, "n_row", view.n_row);
        wr_json_integer(&json, "n_step", view.n_step);
        wr_json_integer(&json, "n_miss", view.n_miss);
        if (view.generation > 0 &&
            (!put_rows(&json, a->live, row, width, column) || !put_steps(&json, a->live, step))) {
            wr_json_done(&json);
            set_text(answer, 503, "The live view has no memory left.\n");
            return;
        }
    }
    end_answer(a->live, &view, &json, answer);
}

static void answer_signals(const wr_live_answers *a, wr_http_answer *answer)
{
    wr_live_view view;
    wr_json json = {0};
    wr_live_view_get(a->live, &view);
    wr_json_object(&json, NULL);
    wr_json_integer(&json, "generation", view.generation);
    if (view.generation % 2 == 0) {
        wr_json_string(&json, "title", view.title);
        wr_json_number(&json, "start", view.start_s);
        wr_json_number(&json, "stop", view.stop_s);
        wr_json_number(&json, "rate", view.rate);
        wr_json_number(&json, "period", view.period_s);
        wr_json_integer(&json, "n_all", view.n_all_signal);
        wr_json_array(&json, "signals");
        for (int i = 0; i < view.n_signal; i++) {
            wr_json_array(&json, NULL);
            wr_json_string(&json, NULL, wr_live_name(a->live, i));
            wr_json_string(&json, NULL, wr_live_unit(a->live, i));
            wr_json_end(&json);
        }
        wr_json_end(&json);
    }
    end_answer(a->live, &view, &json, answer);
}

void wr_live_answer(void *context, const wr_http_request *request, wr_http_answer *answer)
{
    wr_live_answers *const a = context;
    atomic_store_explicit(&a->asked_ns, wr_clock_monotonic_ns(), memory_order_relaxed);
    if (strcmp(request->path, "/") == 0)
        *answer = (wr_http_answer){.code = 200,
                                   .type = "text/html; charset=utf-8",
                                   .text = wr_live_template[0].text,
                                   .n_bytes = wr_live_template[0].n_bytes};
    else if (strcmp(request->path, "/signals") == 0)
        answer_signals(a, answer);
    else if (strcmp(request->path, "/data") == 0)
        answer_data(a, request, answer);
    else
        set_text(answer, 404, "This server has the page / only.\n");
}
