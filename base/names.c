/* Comparison of names. See names.h. Thread: any. Real-time: no. */
#include "base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int min_int(int a, int b) { return a < b ? a : b; }

int wr_names_distance(const char *a, const char *b)
{
    const size_t n_a = strnlen(a, WR_NAMES_MAX_BYTES + 1);
    const size_t n_b = strnlen(b, WR_NAMES_MAX_BYTES + 1);
    if (n_a > WR_NAMES_MAX_BYTES || n_b > WR_NAMES_MAX_BYTES)
        return WR_NAMES_FAR;
    /* Row i of the table depends only on rows i - 1 and i - 2. */
    int rows[3][WR_NAMES_MAX_BYTES + 1];
    for (size_t j = 0; j <= n_b; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= n_a; i++) {
        int *const row = rows[i % 3];
        const int *const above = rows[(i + 2) % 3];
        const int *const above_2 = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= n_b; j++) {
            const int replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = min_int(replace, min_int(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_int(row[j], above_2[j - 2] + 1);
        }
    }
    return rows[n_a % 3][n_b];
}

/* Copies a name in small ASCII letters, independent of the locale. */
static void copy_lower(char *ret_text, const char *text)
{
    size_t i = 0;
    for (; text[i] && i <= WR_NAMES_MAX_BYTES; i++)
        ret_text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    ret_text[i] = '\0';
}

const char *wr_names_nearest(const char *name, const char *const *names, int n_names)
{
    char wanted[WR_NAMES_MAX_BYTES + 2] = "", candidate[WR_NAMES_MAX_BYTES + 2] = "";
    copy_lower(wanted, name);
    /* limit of the distance: a third of the letters, rounded up: 1 for "to", 2 for "rtol", 3 for "workers" */
    int limit = ((int)strlen(wanted) + 2) / 3;
    const char *nearest = NULL;
    for (int i = 0; i < n_names; i++) {
        if (!names[i])
            continue;
        copy_lower(candidate, names[i]);
        const int distance = wr_names_distance(wanted, candidate);
        /* If the distance is at least the length of the candidate, the edits keep no letter, so the candidate is not similar. */
        if (distance > limit || distance >= (int)strlen(candidate))
            continue;
        nearest = names[i];
        limit = distance - 1;
    }
    return nearest;
}

const char *wr_names_hint(const char *name, const char *const *names, int n_names,
                          char ret_text[WR_NAMES_HINT_BYTES])
{
    static const char more[] = ", ...";
    const char *const nearest = wr_names_nearest(name, names, n_names);
    if (nearest) {
        snprintf(ret_text, WR_NAMES_HINT_BYTES, "did you mean '%s'?", nearest);
        return ret_text;
    }
    size_t used = 0;
    for (int i = 0; i < n_names; i++) {
        int is_listed = !names[i];
        for (int k = 0; k < i && !is_listed; k++)
            is_listed = names[k] && strcmp(names[k], names[i]) == 0;
        if (is_listed)
            continue;
        const char *const before = used > 0 ? ", " : "choose one of: ";
        if (used + strlen(before) + strlen(names[i]) + sizeof more > WR_NAMES_HINT_BYTES) {
            snprintf(ret_text + used, WR_NAMES_HINT_BYTES - used, "%s",
                     used > 0 ? more : "correct the name (no known name is similar)");
            return ret_text;
        }
        used += (size_t)sprintf(ret_text + used, "%s%s", before, names[i]);
    }
    if (used == 0)
        snprintf(ret_text, WR_NAMES_HINT_BYTES, "define this name first, or remove the name");
    return ret_text;
}

int wr_names_match(const char *pattern, const char *name)
{
    /* Only the last star may match more characters, so one position for backtracking is enough. */
    const char *star = NULL, *star_name = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            star_name = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++star_name;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int wr_names_is_glob(const char *pattern) { return strpbrk(pattern, "*?") != NULL; }

int wr_names_is_identifier(const char *name)
{
    static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t n = strspn(name, legal);
    return n > 0 && !(name[0] >= '0' && name[0] <= '9') && name[n] == '\0' &&
           n < WR_NAMES_MAX_BYTES;
}

static int compare_named(const void *left, const void *right)
{
    const wr_named *const a = left, *const b = right;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

void wr_names_sort(wr_named *list, int n) { qsort(list, (size_t)n, sizeof *list, compare_named); }

int wr_names_find(const wr_named *list, int n, const char *name, size_t name_bytes)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strncmp(list[middle].name, name, name_bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    /* `low` is the first name that does not sort before `name`. Longer names with the same beginning follow. */
    const int is_found = low < n && strncmp(list[low].name, name, name_bytes) == 0 &&
                         list[low].name[name_bytes] == '\0';
    return is_found ? list[low].number : -1;
}
