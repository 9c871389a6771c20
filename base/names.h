/* Names: edit distance for "did you mean", glob patterns, valid identifiers, and sorted lists.
 *
 * The restricted Damerau distance, also called optimal string alignment, counts insertions, deletions, replacements and swaps of
 * adjacent letters. The distance is the smallest number of edits that turns one name into the other and edits no substring twice. (F. J.
 * Damerau, "A technique for computer detection and correction of spelling errors", Comm. ACM 7(3), 1964.)
 *
 * Thread: any. Real-time: no (setup and messages only).
 */
#ifndef WR_NAMES_H
#define WR_NAMES_H

#include <stddef.h>

enum {
    WR_NAMES_MAX_BYTES =
        64, /* longest name that functions compare, bytes (assumed); users seldom type longer names */
    WR_NAMES_FAR = 1000000000 /* distance of names that are too long to compare */
};

/* Returns the edit distance in bytes, or WR_NAMES_FAR when a name is longer than WR_NAMES_MAX_BYTES. */
int wr_names_distance(const char *a, const char *b);

/* Returns the most similar name in names[n_names], case ignored, and of equally similar names the first. A name is similar if its distance
 * is at most a third of the letters of `name`, rounded up, and less than its own length. Returns NULL if no name is similar. The function
 * skips NULL entries. */
const char *wr_names_nearest(const char *name, const char *const *names, int n_names);

/* Writes a hint for an unknown name: "did you mean 'x'?". Without a similar name the hint lists names: "choose one of: a, b, c". "..."
 * replaces names beyond the limit. An empty list has a text of its own, as has a first name beyond the limit. NULL entries do not count.
 * Returns ret_text. */
enum { WR_NAMES_HINT_BYTES = 400 };
const char *wr_names_hint(const char *name, const char *const *names, int n_names,
                          char ret_text[WR_NAMES_HINT_BYTES]);

/* Returns 1 if the whole name matches the pattern: '*' matches any number of characters, '?' one byte, any other
 * character itself. So "soc[3]" matches only "soc[3]". Cost: at most length of pattern times length of name. */
int wr_names_match(const char *pattern, const char *name);

/* Returns 1 if the pattern has a '*' or '?'. */
int wr_names_is_glob(const char *pattern);

/* Returns 1 for a letter or '_' followed by letters, digits and '_', all ASCII, of at most WR_NAMES_MAX_BYTES - 1
 * bytes. Such names fit into wrsim_error.subsystem. */
int wr_names_is_identifier(const char *name);

/* A name with a number, for sorted lists. */
typedef struct wr_named {
    const char *name;
    int number;
} wr_named;

/* Sorts by name, then by number. */
void wr_names_sort(wr_named *list, int n);

/* Returns the lowest number of a name of name_bytes bytes in a sorted list, or -1 if the list has no such name. */
int wr_names_find(const wr_named *list, int n, const char *name, size_t name_bytes);

#endif
