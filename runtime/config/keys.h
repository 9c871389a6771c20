/* The tables of keys: one row per scalar (or list) key of the config, and the keys of its repeated
 * tables, [[component]] and so on. Checks, defaults, `wrsim keys`
 * and the config reference are made from it.
 *
 * Thread: any (constant). Real-time: no.
 */
#ifndef WR_KEYS_H
#define WR_KEYS_H

#include <stddef.h>

typedef enum wr_key_type {
    WR_KEY_REAL,
    WR_KEY_INTEGER,
    WR_KEY_FLAG,   /* true / false, stored as int */
    WR_KEY_CHOICE, /* one of a list of words, stored as int */
    WR_KEY_STRING,
    WR_KEY_STRINGS, /* list of strings */
    WR_KEY_INTEGERS,
    WR_KEY_REALS,
    WR_KEY_AUTO,      /* "auto" (0) or a whole number */
    WR_KEY_AUTO_REAL, /* "auto" (0) or a number > 0 */
    WR_KEY_AUTO_FLAG  /* true (1), false (0) or "auto" (2) */
} wr_key_type;

/* Who sets a key. What the program normally decides by itself is for experts: `wrsim keys` lists it
 * with --all only. */
typedef enum wr_key_audience { WR_KEY_USER, WR_KEY_EXPERT } wr_key_audience;

typedef struct wr_key {
    const char *path; /* such as "simulation.rtol"; "solver." rows also serve subsystem.solver */
    wr_key_type type;
    const char *unit;         /* "s", "1", ...; "" for none */
    const char *default_text; /* as TOML; NULL = required */
    double min,
        max; /* REAL, INTEGER, AUTO, AUTO_REAL: both included; infinite only if the value may be */
    const char *choices; /* CHOICE: "jacobi|gauss_seidel", in enum order */
    const char *help;    /* one sentence */
    size_t offset;       /* into wr_settings; of lists: of the count, the pointer follows */
    int changes_results; /* 0: same results whatever its value */
    wr_key_audience audience;
} wr_key;

/* Terminated by path == NULL. Rows of one section stand together. */
extern const wr_key wr_keys[];

/* A key that was removed or renamed. */
typedef struct wr_gone_key {
    const char *path;
    const char *instead; /* what to write now, without a full stop */
} wr_gone_key;

/* Terminated by path == NULL. A config with such a key is refused with a sentence that ends with instead. */
extern const wr_gone_key wr_gone_keys[];

/* A text that a key once accepted as its value. */
typedef struct wr_gone_value {
    const char *path, *value;
    const char *instead; /* what to write now, without a full stop */
} wr_gone_value;

/* Terminated by path == NULL. A config with such a value is refused with a sentence that ends with instead. */
extern const wr_gone_value wr_gone_values[];

/* A key of a repeated table. */
typedef struct wr_table_key {
    const char *name, *type; /* "parameters", "table of numbers" */
    const char *help;        /* one sentence */
} wr_table_key;

enum { WR_TABLE_KEYS = 16 };

/* A table that a config repeats, such as [[component]]. */
typedef struct wr_table {
    const char *name, *help;
    wr_table_key key[WR_TABLE_KEYS + 1]; /* terminated by name == NULL */
} wr_table;

/* By wr_list (settings.h); terminated by name == NULL. */
extern const wr_table wr_tables[];

/* Where the items pointer of a list key (STRINGS, INTEGERS, REALS) is in wr_settings, given the offset of
 * its count: the next place that is aligned for a pointer. keys.c asserts it of every list field.
 */
#define WR_KEY_ITEMS_OFFSET(offset)                                                                \
    (((offset) + sizeof(int) + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *))

/* Limits of [[component]] tolerance_factor, both included, as keys.c prints them. */
#define WR_KEY_MOST_LEVEL 9999
#define WR_KEY_LEAST_FACTOR 1e-09
#define WR_KEY_LARGEST_FACTOR 1e+09

/* "whole number, 1 to 64, in s": type, range and unit, for people. Cut where ret_text is too short. */
void wr_key_type_text(const wr_key *key, char *ret_text, size_t bytes);

/* The row of that path, NULL if there is none. */
const wr_key *wr_key_find(const char *path);

#endif
