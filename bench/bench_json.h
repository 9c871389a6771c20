/* Reads JSON text (RFC 8259) into a tree; the counterpart of base/json.h, for files that
 * `wrsim bench` wrote.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_BENCH_JSON_H
#define WR_BENCH_JSON_H

typedef enum wr_bench_json_kind {
    WR_BENCH_JSON_NULL,
    WR_BENCH_JSON_FLAG,
    WR_BENCH_JSON_NUMBER,
    WR_BENCH_JSON_STRING,
    WR_BENCH_JSON_ARRAY,
    WR_BENCH_JSON_OBJECT
} wr_bench_json_kind;

typedef struct wr_bench_json {
    wr_bench_json_kind kind;
    char *key, *string; /* key: "" where there is none; string: STRING */
    double number;      /* NUMBER, FLAG; else NaN */
    struct wr_bench_json *first, *next;
} wr_bench_json;

/* Reads a file; NULL with a text for people in ret_why[256]. */
wr_bench_json *wr_bench_json_load(const char *file, char *ret_why);
void wr_bench_json_free(wr_bench_json **tree);

/* A member of an object; NULL if there is none. parent may be NULL. */
const wr_bench_json *wr_bench_json_get(const wr_bench_json *parent, const char *key);
/* Its value, or "" / NaN; true is 1, false 0. */
const char *wr_bench_json_string(const wr_bench_json *parent, const char *key);
double wr_bench_json_number(const wr_bench_json *parent, const char *key);

#endif
