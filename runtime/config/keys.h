/* The tables of keys: the scalar and list keys of the config, the keys of repeated tables, and the removed keys and values. Checks,
 * defaults, `wrsim keys` and the config reference use these tables.
 *
 * Thread: any (constant). Real-time: no. */
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

/* Readers of a key. The program normally chooses the values of expert keys itself; `wrsim keys` lists expert keys only with --all. */
typedef enum wr_key_audience { WR_KEY_USER, WR_KEY_EXPERT } wr_key_audience;

typedef struct wr_key {
    const char *path; /* such as "simulation.rtol"; "solver." rows also serve subsystem.solver */
    wr_key_type type;
    const char *unit;         /* unit such as "s" or "1"; "" for none */
    const char *default_text; /* default value as TOML text; NULL = the key is required */
    double min;               /* smallest value of a number; -inf if -inf is allowed */
    double max;               /* largest value of a number */
    const char *choices;      /* CHOICE: "jacobi|gauss_seidel", in enum order */
    const char *help; /* a sentence on the value, and a sentence on when to change the value */
    /* offset in wr_settings; of a list: offset of its count, which the pointer follows */
    size_t offset;
    int changes_results; /* 0: the value has no influence on results */
    wr_key_audience audience;
} wr_key;

/* The rows, ended by path == NULL. Rows of one section are neighbours. */
extern const wr_key wr_keys[];

/* A removed or renamed key. */
typedef struct wr_gone_key {
    const char *path;
    const char *instead; /* replacement or remedy, without a full stop */
} wr_gone_key;

/* The removed keys, ended by path == NULL. The reader refuses a config with such a key, in a message that contains `instead`. */
extern const wr_gone_key wr_gone_keys[];

/* A removed value of a key. */
typedef struct wr_gone_value {
    const char *path, *value;
    const char *instead; /* replacement or remedy, without a full stop */
} wr_gone_value;

/* The removed values, ended by path == NULL. The reader refuses a config with such a value, in a message that contains `instead`. */
extern const wr_gone_value wr_gone_values[];

/* A key of a repeated table. */
typedef struct wr_table_key {
    const char *name, *type; /* name, and type as text such as "table of numbers" */
    const char *help; /* a sentence on the value, and mostly a sentence on when to set the value */
} wr_table_key;

enum { WR_TABLE_KEYS = 16 };

/* A table that a config repeats, such as [[component]]. */
typedef struct wr_table {
    const char *name, *help;
    wr_table_key key[WR_TABLE_KEYS + 1]; /* ended by name == NULL */
} wr_table;

/* Rows by wr_list (settings_data.h), ended by name == NULL. */
extern const wr_table wr_tables[];

/* Offset in wr_settings of the items pointer of a list key, from the offset of its count: the next place aligned for a pointer. keys.c
 * asserts the offset for every list. */
#define WR_KEY_ITEMS_OFFSET(offset)                                                                \
    (((offset) + sizeof(int) + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *))

/* Assumed limits, all included: largest level of a subsystem, and range of tolerance_factor and largest cost, s, of [[component]]. keys.c
 * prints the numbers as text. */
#define WR_KEY_MOST_LEVEL 9999
#define WR_KEY_LEAST_FACTOR 1e-09
#define WR_KEY_LARGEST_FACTOR 1e+09
#define WR_KEY_LARGEST_COST 1000

/* Writes type, range and unit as text, such as "whole number, 1 to 64, in s", cut at `bytes`. */
void wr_key_type_text(const wr_key *key, char *ret_text, size_t bytes);

/* Returns the row of a path; NULL without a row. */
const wr_key *wr_key_find(const char *path);

#endif
