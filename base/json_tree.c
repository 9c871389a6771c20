/* JSON text to a tree. See json_tree.h. Thread: one owner. Real-time: no. */
#include "base/json_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open_file.h"

enum { MAX_DEPTH = 32, FIRST_BYTES = 64 * 1024, MAX_BYTES = 1024 * FIRST_BYTES, WHY_BYTES = 256 };

typedef struct reader {
    const char *at, *begin;
    const char *wrong; /* first error; NULL: none */
    int depth;
} reader;

static void *give_up(reader *r, const char *why)
{
    if (!r->wrong)
        r->wrong = why;
    return NULL;
}

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

/* Writes a 16-bit code point as UTF-8, a surrogate as '?'. Returns the address after the last byte. */
static char *put_code(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code >= 0xd800 && code < 0xe000) {
        *to++ = '?';
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

static char *read_string(reader *r)
{
    static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *end = *r->at == '"' ? r->at + 1 : "";
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *const text = *end ? malloc((size_t)(end - r->at)) : NULL;
    if (!text)
        return give_up(r, "a string is missing or not closed");
    char *to = text;
    for (const char *c = r->at + 1; c < end; c++) {
        unsigned code;
        if (*c != '\\') {
            *to++ = *c;
        } else if (*++c == 'u' && sscanf(c + 1, "%4x", &code) == 1) {
            to = put_code(to, code);
            c += 4;
        } else {
            const char *const which = strchr(escapes, *c);
            *to++ = which ? values[which - escapes] : *c;
        }
    }
    *to = '\0';
    r->at = end + 1;
    return text;
}

static wr_json_tree *read_value(reader *r);

static void read_members(reader *r, wr_json_tree *parent)
{
    const int is_object = parent->kind == WR_JSON_TREE_OBJECT;
    const char close = is_object ? '}' : ']';
    wr_json_tree **tail = &parent->first;
    r->at++;
    skip_blanks(r);
    while (*r->at != close && !r->wrong) {
        char *const key = is_object ? read_string(r) : NULL;
        skip_blanks(r);
        if (is_object && *r->at != ':')
            give_up(r, "a ':' is missing");
        r->at += is_object && !r->wrong; /* the reader never skips the final 0 */
        *tail = r->wrong ? NULL : read_value(r);
        if (*tail && key)
            (*tail)->key = key;
        else
            free(key);
        if (!*tail)
            return;
        tail = &(*tail)->next;
        skip_blanks(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != close)
            give_up(r, "a ',' or a closing bracket is missing");
        skip_blanks(r);
    }
    if (!r->wrong)
        r->at++;
}

static void read_plain(reader *r, wr_json_tree *value)
{
    static const struct {
        const char *word;
        wr_json_tree_kind kind;
        double number;
    } words[] = {{"null", WR_JSON_TREE_NULL, (double)NAN},
                 {"true", WR_JSON_TREE_FLAG, 1.0},
                 {"false", WR_JSON_TREE_FLAG, 0.0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(r->at, words[i].word, strlen(words[i].word)) == 0) {
            value->kind = words[i].kind;
            value->number = words[i].number;
            r->at += strlen(words[i].word);
            return;
        }
    char *end;
    value->kind = WR_JSON_TREE_NUMBER;
    value->number = strtod(r->at, &end);
    if (end == r->at)
        give_up(r, "a value is missing");
    r->at = end;
}

static wr_json_tree *read_value(reader *r)
{
    skip_blanks(r);
    if (r->depth >= MAX_DEPTH)
        return give_up(r, "values are nested more than 32 deep");
    wr_json_tree *value = calloc(1, sizeof *value);
    if (!value)
        return give_up(r, "out of memory");
    value->number = (double)NAN;
    r->depth++;
    if (*r->at == '{' || *r->at == '[') {
        value->kind = *r->at == '{' ? WR_JSON_TREE_OBJECT : WR_JSON_TREE_ARRAY;
        read_members(r, value);
    } else if (*r->at == '"') {
        value->kind = WR_JSON_TREE_STRING;
        value->string = read_string(r);
    } else {
        read_plain(r, value);
    }
    r->depth--;
    return value;
}

wr_json_tree *wr_json_tree_parse(const char *text, char *ret_why)
{
    reader r = {.at = text, .begin = text};
    wr_json_tree *tree = read_value(&r);
    skip_blanks(&r);
    if (!r.wrong && *r.at)
        give_up(&r, "text follows the end of the value");
    if (!r.wrong)
        return tree;
    int line = 1;
    for (const char *c = text; c < r.at && *c; c++)
        line += *c == '\n';
    snprintf(ret_why, WHY_BYTES, "cannot be read as JSON: line %d: %s", line, r.wrong);
    wr_json_tree_free(&tree);
    return NULL;
}

/* Returns the file's text and a zero byte. Returns NULL and sets errno if memory is insufficient, or the file has MAX_BYTES bytes or
 * more. */
static char *read_text(FILE *in)
{
    char *text = NULL;
    size_t n = 0;
    for (size_t cap = FIRST_BYTES; cap <= MAX_BYTES; cap *= 2) {
        char *const larger = realloc(text, cap + 1);
        if (!larger) {
            free(text);
            return NULL;
        }
        text = larger;
        n += fread(text + n, 1, cap - n, in);
        if (n < cap) {
            text[n] = '\0';
            return text;
        }
    }
    free(text);
    errno = EFBIG;
    return NULL;
}

wr_json_tree *wr_json_tree_load(const char *file, char *ret_why)
{
    FILE *const in = wr_open_file_read(file);
    char *const text = in ? read_text(in) : NULL;
    wr_json_tree *tree = NULL;
    if (text && !ferror(in)) {
        tree = wr_json_tree_parse(text, ret_why);
    } else {
        snprintf(ret_why, WHY_BYTES, "cannot be read: %s", strerror(errno));
    }
    if (in)
        fclose(in);
    free(text);
    return tree;
}

void wr_json_tree_free(wr_json_tree **tree)
{
    if (!tree)
        return;
    while (*tree) {
        wr_json_tree *const value = *tree;
        *tree = value->next;
        wr_json_tree_free(&value->first);
        free(value->key);
        free(value->string);
        free(value);
    }
}

const wr_json_tree *wr_json_tree_get(const wr_json_tree *parent, const char *key)
{
    const wr_json_tree *value = parent ? parent->first : NULL;
    while (value && (!value->key || strcmp(value->key, key) != 0))
        value = value->next;
    return value;
}

const char *wr_json_tree_string(const wr_json_tree *parent, const char *key)
{
    const wr_json_tree *const value = wr_json_tree_get(parent, key);
    return value && value->string ? value->string : "";
}

double wr_json_tree_number(const wr_json_tree *parent, const char *key)
{
    const wr_json_tree *const value = wr_json_tree_get(parent, key);
    return value ? value->number : (double)NAN;
}
