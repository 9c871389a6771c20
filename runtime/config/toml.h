/* Parses TOML text to a C tree with the line and column of every key and value.
 *
 * Only toml.cpp uses toml++; no exception crosses this header. Overrides may change the tree. The parser limits nesting, so that no
 * recursion is deeper than WR_TOML_MAX_DEPTH. The parser refuses two constructs of TOML on which toml++ 3.3 may crash (see toml.cpp).
 * One is a non-ASCII string in """ with a backslash. The other is a non-ASCII string directly after a character other than white space,
 * a comma or a closing bracket. Opening brackets between the two do not count.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_TOML_H
#define WR_TOML_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" { /* also around diag.h, which has no such guard */
#endif

#include "base/diag.h"
#include "base/heap_pool.h"

enum {
    WR_TOML_MAX_BYTES = 16 * 1024 * 1024, /* largest config (assumed) */
    WR_TOML_MAX_DEPTH = 32,               /* nested brackets, and nested tables (assumed) */
    WR_TOML_MAX_DOTS = 16                 /* dots in one dotted key (assumed) */
};

/* Part of messages about values that must be numbers. */
#define WR_TOML_NUMBER_HINT "write numbers like 20, 0.005 or 5e-3, without quotes or a unit"

typedef enum wr_toml_kind {
    WR_TOML_STRING,
    WR_TOML_INTEGER,
    WR_TOML_REAL,
    WR_TOML_FLAG,
    WR_TOML_TIME, /* a date or time of day, which no key accepts */
    WR_TOML_ARRAY,
    WR_TOML_TABLE
} wr_toml_kind;

typedef struct wr_toml {
    wr_toml_kind kind;
    const char *key;    /* key in a table; NULL in an array and for the root */
    wr_where where_key; /* place of the key; equal to `where` without a key */
    wr_where where;
    const char *string; /* value of a STRING, without NUL characters */
    int64_t integer;    /* value of an INTEGER or FLAG */
    double real;        /* value of a REAL or INTEGER */
    int n_children;     /* number of children of an ARRAY or TABLE */
    struct wr_toml *first, *last;
    /* next sibling: in a table in the order of the file, in an array by index */
    struct wr_toml *next;
} wr_toml;

/* Parses text. On an error returns NULL and reports to diag with `file`, whose pointer every place keeps. */
wr_toml *wr_toml_parse(const char *text, size_t text_bytes, const char *file, wr_heap_pool *memory,
                       wr_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
