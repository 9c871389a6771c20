/* Reads JSON text (RFC 8259) into a tree, for files that the program has written (json.h). Thread: one owner. Real-time: no. */
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
    char *key, *string; /* key: NULL outside an object; string: value of a STRING */
    double number;      /* value of a NUMBER or FLAG; NaN for other kinds */
    struct wr_json_tree *first, *next;
} wr_json_tree;

/* Returns the tree of a file. On failure returns NULL and writes the reason to ret_why[256]. */
wr_json_tree *wr_json_tree_load(const char *file, char *ret_why);
/* Returns the tree of a text in memory. On failure returns NULL and writes the reason to ret_why[256]. */
wr_json_tree *wr_json_tree_parse(const char *text, char *ret_why);
void wr_json_tree_free(wr_json_tree **tree);

/* Returns a member of an object, or NULL if the member is absent. parent may be NULL. */
const wr_json_tree *wr_json_tree_get(const wr_json_tree *parent, const char *key);
/* Return the value of a member, or "" or NaN if the member is absent or of another kind. true is 1, false 0. */
const char *wr_json_tree_string(const wr_json_tree *parent, const char *key);
double wr_json_tree_number(const wr_json_tree *parent, const char *key);

#endif
