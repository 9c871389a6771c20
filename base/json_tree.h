/* Reads JSON text (RFC 8259) into a tree; the counterpart of json.h, for files that the program wrote.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_JSON_TREE_H
#define WR_JSON_TREE_H

typedef enum wr_json_tree_kind {
    WR_JSON_TREE_NULL,
    WR_JSON_TREE_FLAG,
    WR_JSON_TREE_NUMBER,
    WR_JSON_TREE_STRING,
    WR_JSON_TREE_ARRAY,
    WR_JSON_TREE_OBJECT
} wr_json_tree_kind;

typedef struct wr_json_tree {
    wr_json_tree_kind kind;
    char *key, *string; /* key: "" where there is none; string: STRING */
    double number;      /* NUMBER, FLAG; else NaN */
    struct wr_json_tree *first, *next;
} wr_json_tree;

/* Reads a file; NULL with a text for people in ret_why[256]. */
wr_json_tree *wr_json_tree_load(const char *file, char *ret_why);
/* The same of a text. */
wr_json_tree *wr_json_tree_parse(const char *text, char *ret_why);
void wr_json_tree_free(wr_json_tree **tree);

/* A member of an object; NULL if there is none. parent may be NULL. */
const wr_json_tree *wr_json_tree_get(const wr_json_tree *parent, const char *key);
/* Its value, or "" / NaN; true is 1, false 0. */
const char *wr_json_tree_string(const wr_json_tree *parent, const char *key);
double wr_json_tree_number(const wr_json_tree *parent, const char *key);

#endif
