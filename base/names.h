/* Names: comparison for "did you mean", globs, and what may be a name at all.
 *
 * The distance is Damerau's in its restricted form, also called optimal string alignment: the
 * fewest insertions, deletions, replacements and swaps of neighbours that turn one name into the
 * other, where no part is edited twice (F. J. Damerau, Comm. ACM 7(3), 1964).
 *
 * Thread: any. Real-time: no (set-up and messages only).
 */
#ifndef WR_NAMES_H
#define WR_NAMES_H

#include <stddef.h>

enum {
    WR_NAMES_MAX_BYTES = 64,  /* longer names are not compared: nobody mistypes those by hand */
    WR_NAMES_FAR = 1000000000 /* distance of names that are not compared */
};

/* Edit distance in bytes; WR_NAMES_FAR when a name is longer than WR_NAMES_MAX_BYTES. */
int wr_names_distance(const char *a, const char *b);

/* The name in names[n_names] that is most like name, upper and lower case taken as equal, or NULL
 * when none is near enough to be what was meant (a third of the letters may differ). The first one
 * wins a tie. NULL entries are passed over. */
const char *wr_names_nearest(const char *name, const char *const *names, int n_names);

/* What to write instead of a name that is not there: "did you mean 'x'?", or without any that is like it
 * "there are: a, b, c", cut with "..." where the text is full; "there are none". NULL entries are
 * passed over. Returns ret_text. */
enum { WR_NAMES_HINT_BYTES = 400 };
const char *wr_names_hint(const char *name, const char *const *names, int n_names,
                          char ret_text[WR_NAMES_HINT_BYTES]);

/* 1 when the whole name fits the pattern: '*' stands for any number of characters, also none, '?'
 * for exactly one byte, everything else for itself; so "soc[3]" matches only the name "soc[3]".
 * Cost: at most length of pattern times length of name. */
int wr_names_match(const char *pattern, const char *name);

/* 1 when the pattern holds a wildcard, so that it may match several names. */
int wr_names_is_glob(const char *pattern);

/* 1 for a letter or '_' followed by letters, digits and '_', all ASCII, at most WR_NAMES_MAX_BYTES
 * - 1 long (it then fits into wrsim_error.subsystem). */
int wr_names_is_identifier(const char *name);

/* Names with numbers, to be searched. */
typedef struct wr_named {
    const char *name;
    int number;
} wr_named;

/* Sorts by name, then by number. */
void wr_names_sort(wr_named *list, int n);

/* The lowest number of a name of that many bytes in a sorted list, -1 if it is not there. */
int wr_names_find(const wr_named *list, int n, const char *name, size_t name_bytes);

#endif
