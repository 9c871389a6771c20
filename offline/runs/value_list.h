/* Values of a key in many runs: "a,b,c", "0:0.1:1", "[1,2],[3,4]", "\"x,y\",z".
 *
 * Commas separate values, except within quotes or brackets. A value is TOML, as after -D. START:STEP:STOP, three numbers, means the values
 * START + i STEP up to STOP. A value within 1e-9 steps of STOP belongs to the list.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_VALUE_LIST_H
#define WR_VALUE_LIST_H

/* Largest number of values of a key, and bytes of a reason (assumed). */
enum { WR_VALUE_LIST_MAX = 100000, WR_VALUE_LIST_WHY_BYTES = 256 };

typedef struct wr_value_list {
    int n, cap;
    char **text; /* [n] without surrounding blanks */
} wr_value_list;

/* Appends the values of a text. Returns 0, or -1 with a reason in ret_why. */
int wr_value_list_parse(wr_value_list *list, const char *text,
                        char ret_why[WR_VALUE_LIST_WHY_BYTES]);
/* Appends one value of n_bytes bytes unchanged. Returns 0, or -1 when out of memory. */
int wr_value_list_add(wr_value_list *list, const char *text, int n_bytes);
void wr_value_list_done(wr_value_list *list);

/* Compares two numbers as numbers, and two other values as texts. A number comes before other texts. Returns 0 for equal values. */
int wr_value_compare(const char *a, const char *b);

#endif
