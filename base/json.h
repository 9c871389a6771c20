/* Writes JSON text (RFC 8259) into a growing buffer.
 *
 * Calls follow the structure: the caller begins an object or array, adds members, and ends the object or array. Members of an object
 * have a key; in an array and at the top level the key is NULL. Objects with members take several lines, arrays of plain values one
 * line. Numbers have the shortest form that reads back exactly; NaN and infinity become null. Bytes that are not UTF-8 become U+FFFD.
 * After a wrong order of calls, more than WR_JSON_MAX_DEPTH levels, or a lack of memory, wr_json_text() returns NULL.
 *
 *     wr_json json = {0};
 *     wr_json_object(&json, NULL);
 *     wr_json_number(&json, "rtol", 1e-6);
 *     wr_json_end(&json);
 *     fputs(wr_json_text(&json), file);
 *     wr_json_done(&json);
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_JSON_H
#define WR_JSON_H

#include <stdint.h>

#include "base/text_buffer.h"

enum { WR_JSON_MAX_DEPTH = 32 };

typedef struct wr_json_level {
    char kind;       /* '{' for an object, '[' for an array */
    char has_member; /* 1: a comma precedes the next member */
    char is_spread;  /* 1: each member is on a line of its own */
} wr_json_level;

typedef struct wr_json {
    wr_text_buffer text; /* text; is_failed is also 1 after a wrong order of calls */
    int depth, is_complete;
    wr_json_level level[WR_JSON_MAX_DEPTH];
} wr_json;

void wr_json_object(wr_json *json, const char *key);
void wr_json_array(wr_json *json, const char *key);
/* Ends the innermost object or array. */
void wr_json_end(wr_json *json);

void wr_json_number(wr_json *json, const char *key, double value);
void wr_json_integer(wr_json *json, const char *key, int64_t value);
void wr_json_bool(wr_json *json, const char *key, int value);
/* Writes a string; NULL becomes null. */
void wr_json_string(wr_json *json, const char *key, const char *value);
/* Writes a double, int, int64_t or const char *. */
#define wr_json_value(json, key, value)                                                            \
    _Generic((value), double: wr_json_number, int: wr_json_integer, int64_t: wr_json_integer,      \
             const char *: wr_json_string)(json, key, value)
void wr_json_null(wr_json *json, const char *key);

/* Returns the whole text with a final newline; json owns the text until wr_json_done(). Returns NULL after a failure, or if the outermost
 * value has no end. */
const char *wr_json_text(const wr_json *json);
/* Returns the text, which the caller frees, and ends json like wr_json_done(). Returns NULL when memory is exhausted or if wr_json_text()
 * returns NULL. */
char *wr_json_take(wr_json *json);
/* Frees the text. json is then empty and usable again. */
void wr_json_done(wr_json *json);

#endif
