#include "wr_test.h"

#include "runtime/config/toml.h"

typedef struct fixture {
    wr_heap_pool *memory;
    wr_diag diag;
} fixture;

static int set_up(void **state)
{
    fixture *const f = calloc(1, sizeof *f);
    f->memory = wr_heap_pool_create(NULL);
    *state = f;
    return f->memory ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *const f = *state;
    wr_diag_done(&f->diag);
    wr_heap_pool_destroy(&f->memory);
    free(f);
    return 0;
}

TEST_EACH(set_up, tear_down)

static const wr_toml *parse(fixture *f, const char *text)
{
    return wr_toml_parse(text, strlen(text), "t.toml", f->memory, &f->diag);
}

static void expect_place(wr_where where, int line, int column)
{
    assert_string_equal(where.file, "t.toml");
    assert_int_equal(where.line, line);
    assert_int_equal(where.column, column);
}

TEST(kinds_and_places)
{
    const wr_toml *const root = parse(*state, "s = \"a\"\n"
                                              "  i = -3\n"
                                              "r = 0.5\n"
                                              "f = true\n"
                                              "t = 2024-01-02\n"
                                              "list = [1,\n"
                                              "        \"two\"]\n"
                                              "[table]\n"
                                              "z.y = 1\n"
                                              "a = 2\n");
    assert_non_null(root);
    assert_int_equal(root->kind, WR_TOML_TABLE);
    assert_int_equal(root->n_children, 7);
    static const wr_toml_kind kinds[] = {WR_TOML_STRING, WR_TOML_INTEGER, WR_TOML_REAL,
                                         WR_TOML_FLAG,   WR_TOML_TIME,    WR_TOML_ARRAY,
                                         WR_TOML_TABLE};
    const wr_toml *nodes[7];
    int i = 0;
    for (const wr_toml *node = root->first; node; node = node->next, i++) {
        nodes[i] = node;
        assert_int_equal(node->kind, kinds[i]);
    }
    assert_string_equal(nodes[0]->key, "s");
    assert_string_equal(nodes[0]->string, "a");
    assert_int_equal(nodes[1]->integer, -3);
    assert_close(nodes[1]->real, -3.0, 0.0, 0.0);
    expect_place(nodes[1]->where_key, 2, 3);
    expect_place(nodes[1]->where, 2, 7);
    assert_close(nodes[2]->real, 0.5, 0.0, 0.0);
    assert_int_equal(nodes[3]->integer, 1);
    assert_int_equal(nodes[5]->n_children, 2);
    expect_place(nodes[5]->first->next->where, 7, 9);
    assert_ptr_equal(nodes[5]->last, nodes[5]->first->next);
    /* Keys keep the order of the file, not of the alphabet. */
    assert_string_equal(nodes[6]->first->key, "z");
    assert_string_equal(nodes[6]->last->key, "a");
    assert_string_equal(nodes[6]->first->first->key, "y");
}

static void expect_refused(fixture *f, const char *text, size_t n_bytes, int line,
                           const char *message)
{
    wr_diag_done(&f->diag);
    assert_null(wr_toml_parse(text, n_bytes, "t.toml", f->memory, &f->diag));
    assert_int_equal(f->diag.n_items, 1);
    assert_int_equal(f->diag.items[0].status, WRSIM_E_CONFIG);
    if (!strstr(f->diag.items[0].text, message) || f->diag.items[0].line != line)
        fail_msg("line %d: '%s', expected line %d: '%s'", f->diag.items[0].line,
                 f->diag.items[0].text, line, message);
}

TEST(refuses)
{
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {
        {"a = 1\nb = \n", 2, "not valid TOML"},
        {"a = 1\na = 2\n", 2,
         "not valid TOML: Error while parsing key-value pair: cannot redefine"},
        {"[x]\n[y]\n[x]\n", 3, "cannot redefine existing table 'x'"},
        {"\n[x\n", 2, "not valid TOML: Error while parsing table header: expected ']'"},
        {"a = [1, 2", 1, "not valid TOML: Error while parsing array: encountered end-of-file"},
        {"a = { b = 1,\n c = 2 }\n", 1, "parsing inline table: expected key or closing '}'"},
        {"a 1\n", 1, "not valid TOML: Error while parsing key-value pair: expected '='"},
        {"a = soon\n", 1, "'soon' has no quotes; write \"soon\""},
        {"a = [\"x\", true.y, 1]\n", 1, "'true.y' has no quotes; write \"true.y\""},
        {"a = ../x.fmu # y\n", 1, "'../x.fmu' has no quotes; write \"../x.fmu\""},
        {"a = { b = pump.p_1 }\n", 1, "'pump.p_1' has no quotes; write \"pump.p_1\""},
        {"a = \"open\n", 1, "not valid TOML"},
        {"a = \"\\q\"\n", 1, "not valid TOML: Error while parsing string: unknown escape sequence"},
        {"a = 'x'\nb = \"\xff\"\n", 2, "not valid TOML: Encountered invalid utf-8 sequence"},
        {"a = \"\"\"open\n", 1,
         "not valid TOML: Error while parsing string: encountered end-of-file"},
        {"a = 1 # \xc0\xaf\n", 1, "not valid TOML: Encountered invalid utf-8 sequence"},
        {"a = 1 # \xed\xa0\x80\n", 1, "not valid TOML: Encountered invalid utf-8 sequence"},
        {"a = 1 # \x1b[31m\n", 1, "control characters other than TAB (U+0009)"},
        {"[x]\n[[x]]\n", 2, "cannot redefine existing table 'x' as array-of-tables"},
        {"x = []\n[[x]]\n", 2, "cannot redefine existing array 'x' as array-of-tables"},
        {"a.b = 1\na = { c = 1 }\n", 2, "cannot redefine existing table 'a'"},
        {"a:\n", 1, "Error while parsing key-value pair: expected '=', saw ':'"},
        {"<a/>\n", 1, "expected keys, tables, whitespace or comments, saw '<'"},
        {"a = True\n", 1, "Error while parsing boolean: expected 'true', saw 'T'"},
        {"a = 0x1p3\n", 1, "hexadecimal floating-point values are not supported"},
        {"a = 99999999999999999999\n", 1, "is not representable in 64 bits"},
        {"a = 1\xe2\x80\x8b\n", 1, "outside of quotes is not ASCII"},
        {"a = \xe2\x80\x9cx\xe2\x80\x9d\n", 1, "outside of quotes is not ASCII"},
        {"[a]\f\n", 1, "a control character is outside of quotes"},
        {"a = 1\n\xc3\xa9 = 1\n", 2, "outside of quotes is not ASCII"},
        {"a = 1\nb = 1\xc2\xa0\n", 2, "outside of quotes is not ASCII"},
        {"\n\xef\xbb\xbf = 1\n", 2, "outside of quotes is not ASCII"},
        {"a = \"\"\"\n\\\n \xc3\xa9\"\"\"\n", 3, "with a backslash must be ASCII"},
        {"a = \"\"\"\\\xc3\xa9\"\"\"\n", 1, "with a backslash must be ASCII"},
        {"a = \"\"\"\xc3\xa9 \\n\"\"\"\n", 1, "with a backslash must be ASCII"},
        {"\na = 0\"\xc3\xa9\"\n", 2, "needs a space before its quote"},
        {"\na=+[\"\xc3\xa9\"]\n", 2, "needs a space before its quote"},
        {"\na=\"\xc3\xa9\"\n", 2, "needs a space before its quote"},
        {"a = 0\"b\"\n", 1, "not valid TOML"},
        {"a = 1\v\n", 1, "a control character is outside of quotes"},
        {"[[[a]]]\n", 1, "not valid TOML"},
        {"\na = \"x\\u0000y\"\n", 2, "a string must not contain a NUL character"},
        {"\"x\\u0000y\" = 1\n", 1, "NUL"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++)
        expect_refused(*state, cases[i].text, strlen(cases[i].text), cases[i].line,
                       cases[i].message);
    expect_refused(*state, "a = 1\n\0b = 2\n", 13, 2, "not valid TOML");
}

/* Returns n copies of text between before and after. */
static char *repeat(const char *before, const char *text, int n, const char *after)
{
    char *const all = calloc(strlen(before) + strlen(text) * (size_t)n + strlen(after) + 1, 1);
    char *end = stpcpy(all, before);
    for (int i = 0; i < n; i++)
        end = stpcpy(end, text);
    strcpy(end, after);
    return all;
}

TEST(limits)
{
    fixture *const f = *state;
    static const struct {
        const char *before, *text, *after, *message;
    } cases[] = {
        {"a = ", "[", "", "brackets are nested more than 32 deep; use at most 32 levels"},
        {"a = ", "{ a = ", "", "nested more than 32"},
        {"[a", ".a", "]\n", "a key has more than 16 dots; use at most 16"},
        {"a", " . \"a\"", " = 1\n", "more than 16 dots"},
        {"a = '''\n'''\nb", ".b", " = 1\n", "more than 16 dots"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        AUTO(wr_test_free)
        char *text = repeat(cases[i].before, cases[i].text, 100000, cases[i].after);
        expect_refused(f, text, strlen(text), i == 4 ? 3 : 1, cases[i].message);
    }
    /* Nested tables: every bracket and dotted key is within its limit, but the total depth is not. */
    char *const deep = repeat("a = ", "{ b.c.d.e.f.g.h.i = ", 20, "1");
    char *const closed = repeat(deep, "}", 20, "\n");
    expect_refused(f, closed, strlen(closed), 1, "tables are nested more than 32");
    free(deep);
    free(closed);
    /* Dots and brackets in strings and comments do not count. */
    char *const quoted = repeat("a = \"", "[.", 1000, "\" # ");
    char *const text = repeat(quoted, "[.", 1000, "\nb = ['\"', '''[[[''', \"\"\"\\\"[\"\"\"\"]\n");
    wr_diag_done(&f->diag);
    const wr_toml *const root = parse(f, text);
    assert_non_null(root);
    assert_int_equal(strlen(root->first->string), 2000);
    assert_int_equal(root->last->n_children, 3);
    free(quoted);
    free(text);
    AUTO(wr_test_free) char *large = repeat("", "# 3456789012345\n", 1024 * 1024, "\n");
    expect_refused(f, large, strlen(large), 0, "larger than 16 MiB");
    assert_non_null(wr_toml_parse(large, WR_TOML_MAX_BYTES, "t.toml", f->memory, &f->diag));
}

/* Text beyond ASCII is valid in strings, quoted keys and comments, also after a byte order mark. */
TEST(beyond_ascii)
{
    const wr_toml *const root =
        parse(*state, "\xef\xbb\xbf\"\xc3\xa4\" = '\xc3\xa9' # \xe2\x82\xac\n"
                      "b = \"\"\"\n\xc3\xa9\n\"\"\"\n"
                      "c = [['''\\ \xc3\xa9''']]\n"
                      "d = \"\\n\xc3\xa9\"\n");
    assert_non_null(root);
    assert_int_equal(root->n_children, 4);
    assert_string_equal(root->first->key, "\xc3\xa4");
    assert_string_equal(root->first->next->string, "\xc3\xa9\n");
    assert_string_equal(root->first->next->next->first->first->string, "\\ \xc3\xa9");
    assert_string_equal(root->last->string, "\n\xc3\xa9");
}

TEST(empty)
{
    fixture *const f = *state;
    const wr_toml *const root = wr_toml_parse(NULL, 0, "t.toml", f->memory, &f->diag);
    assert_non_null(root);
    assert_int_equal(root->n_children, 0);
}
