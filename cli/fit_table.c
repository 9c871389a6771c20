/* See fit_table.h. Thread: one owner. Real-time: no. */
#include "cli/fit_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 20, INDENT = 4 /* indentation of a continued line */ };

/* Returns 1 for the first byte of a character of UTF-8. */
static int is_character(char byte) { return ((unsigned char)byte & 0xc0) != 0x80; }

static size_t line_bytes(const char *at, const char *end)
{
    const char *const feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? (size_t)(feed - at) : (size_t)(end - at);
}

/* Returns 1 for a row of a table: two successive blanks follow the first word. */
static int is_row(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && line[i] == ' ')
        i++;
    return n > 1 && memmem(line + i, n - i, "  ", 2) != NULL;
}

static size_t n_characters(const char *line, size_t n)
{
    size_t n_character = 0;
    for (size_t i = 0; i < n; i++)
        n_character += (size_t)is_character(line[i]);
    return n_character;
}

/* Returns the number of characters of the longest line. */
static size_t longest(const char *lines, const char *end)
{
    size_t most = 0;
    for (const char *at = lines; at < end; at += line_bytes(at, end) + 1) {
        const size_t n = n_characters(at, line_bytes(at, end));
        most = n > most ? n : most;
    }
    return most;
}

/* Marks the columns in which a line has no blank. */
static void mark_columns(const char *lines, const char *end, unsigned char *is_used)
{
    size_t column = 0;
    for (const char *at = lines; at < end; at++) {
        if (*at == '\n') {
            column = 0;
            continue;
        }
        if (*at != ' ' && is_character(*at))
            is_used[column] = 1;
        column += (size_t)is_character(*at);
    }
}

/* Copies lines without columns that, like the column before, are blank in all lines. The indentation stays. */
static void squeeze(const char *lines, const char *end, const unsigned char *is_used,
                    wr_text_buffer *to)
{
    size_t column = 0, first = 0;
    while (!is_used[first])
        first++;
    for (const char *at = lines; at < end; at++) {
        const int is_feed = *at == '\n';
        if (is_feed || column <= first || is_used[column] || is_used[column - 1])
            wr_text_buffer_put(to, at, 1);
        column = is_feed ? 0 : column + (size_t)(at + 1 < end && is_character(at[1]));
    }
}

/* Copies a line, which continues on further lines after the last word that ends within the width. */
static void fold(const char *line, size_t n, size_t width, wr_text_buffer *to)
{
    size_t room = width;
    while (n_characters(line, n) > room) {
        size_t fits = 0, column = 0; /* fits: end of the last word within the room */
        for (size_t i = 0; i < n; i++) {
            if (line[i] == ' ' && i > 0 && line[i - 1] != ' ' && column <= room)
                fits = i;
            column += (size_t)is_character(line[i]);
        }
        if (fits == 0)
            break;
        wr_text_buffer_put(to, line, fits);
        wr_text_buffer_add(to, "\n%*s", INDENT - 1, "");
        line += fits;
        n -= fits;
        room = width - INDENT + 1;
    }
    wr_text_buffer_put(to, line, n);
    wr_text_buffer_put(to, "\n", 1);
}

static void fit(const char *lines, size_t n, int width, wr_text_buffer *to)
{
    const char *const end = lines + n;
    const size_t most = longest(lines, end),
                 room = width > LEAST_WIDTH ? (size_t)width : LEAST_WIDTH;
    unsigned char *const is_used = most > room ? calloc(most + 1, 1) : NULL;
    if (!is_used) {
        wr_text_buffer_put(to, lines, n);
        return;
    }
    wr_text_buffer narrow = {0};
    mark_columns(lines, end, is_used);
    squeeze(lines, end, is_used, &narrow);
    free(is_used);
    const char *const text = wr_text_buffer_get(&narrow);
    const char *const narrow_end = text ? text + narrow.n_bytes : NULL;
    for (const char *at = text; at < narrow_end; at += line_bytes(at, narrow_end) + 1)
        fold(at, line_bytes(at, narrow_end), room, to);
    if (!text)
        wr_text_buffer_put(to, lines, n);
    wr_text_buffer_done(&narrow);
}

size_t wr_fit_table(const char *text, size_t n, int width, int is_end, wr_text_buffer *to)
{
    const char *const end = text + n;
    const char *table = text, *at = text; /* start of the rows before `at` */
    while (at < end && memchr(at, '\n', (size_t)(end - at))) {
        const char *const next = at + line_bytes(at, end) + 1;
        if (!is_row(at, line_bytes(at, end))) {
            fit(table, (size_t)(at - table), width, to);
            wr_text_buffer_put(to, at, (size_t)(next - at));
            table = next;
        }
        at = next;
    }
    if (!is_end)
        return (size_t)(table - text);
    fit(table, (size_t)(at - table), width, to);
    wr_text_buffer_put(to, at, (size_t)(end - at));
    return n;
}
