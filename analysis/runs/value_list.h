/* The values that a key takes in many runs: "a,b,c", "0:0.1:1", "[1,2],[3,4]", "\"x,y\",z".
 *
 * Commas separate values, but not within quotes or brackets: a value is TOML, as behind -D. Of the form START:STEP:STOP,
 * three numbers, it stands for START + i STEP up to STOP, which belongs to it if it is met to a billionth of a step.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_VALUE_LIST_H
#define WR_VALUE_LIST_H

enum { WR_VALUE_LIST_MAX = 100000, WR_VALUE_LIST_WHY_BYTES = 256 };

typedef struct wr_value_list {
    int n, cap;
    char **text; /* [n] without blanks around */
} wr_value_list;

/* Appends the values of a text. 0, or -1 with a sentence in ret_why. */
int wr_value_list_parse(wr_value_list *list, const char *text,
                        char ret_why[WR_VALUE_LIST_WHY_BYTES]);
/* Appends one value of n_bytes bytes as it is. 0, or -1: no memory. */
int wr_value_list_add(wr_value_list *list, const char *text, int n_bytes);
void wr_value_list_done(wr_value_list *list);

/* Orders two values: as numbers where both are, else as texts. 0: they are the same. */
int wr_value_compare(const char *a, const char *b);

#endif
