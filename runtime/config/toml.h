/* TOML text as a plain C tree with the line and column of every key and value.
 *
 * toml.cpp is the only file that knows toml++; no exception crosses this header. The tree may be
 * changed afterwards (overrides do). Nesting is limited so that neither the parser nor anybody who
 * walks the tree recurses deeper than WR_TOML_MAX_DEPTH. Two things that TOML allows are refused
 * because toml++ 3.3 may not survive them (see toml.cpp): a string beyond ASCII right after '=',
 * and one in """ that has a backslash too.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_TOML_H
#define WR_TOML_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" { /* also around diag.h, which is written for C */
#endif

#include "base/diag.h"
#include "runtime/config/settings_memory.h"

enum {
    WR_TOML_MAX_BYTES = 16 * 1024 * 1024, /* an engine's config has 10 KiB */
    WR_TOML_MAX_DEPTH = 32,               /* brackets in brackets, and tables in tables */
    WR_TOML_MAX_DOTS = 16                 /* in one dotted key */
};

/* For messages about what should be a number. */
#define WR_TOML_NUMBER_HINT "numbers look like 20, 0.005 or 5e-3, without quotes or a unit"

typedef enum wr_toml_kind {
    WR_TOML_STRING,
    WR_TOML_INTEGER,
    WR_TOML_REAL,
    WR_TOML_FLAG,
    WR_TOML_TIME, /* a date or time of day; no key has one */
    WR_TOML_ARRAY,
    WR_TOML_TABLE
} wr_toml_kind;

typedef struct wr_toml {
    wr_toml_kind kind;
    const char *key;    /* in a table; NULL in an array and for the root */
    wr_where where_key; /* = where when there is no key */
    wr_where where;
    const char *string; /* STRING; holds no NUL character */
    int64_t integer;    /* INTEGER, FLAG */
    double real;        /* REAL, INTEGER */
    int n_children;     /* ARRAY, TABLE */
    struct wr_toml *first, *last;
    struct wr_toml *next; /* sibling; tables in order of the keys' places, arrays in order */
} wr_toml;

/* Parses text. Errors go to diag with file (kept by pointer in every place, so it should live in
 * memory) and NULL is returned. */
wr_toml *wr_toml_parse(const char *text, size_t text_bytes, const char *file,
                       wr_settings_memory *memory, wr_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
