#include "wr_test.h"

#include "base/check.h"
#include "base/names.h"

TEST(distance)
{
    static const struct {
        const char *a, *b;
        int expected;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"rtol", "rtol", 0},
        {"rtol", "rol", 1},                 /* deletion */
        {"rtol", "rttol", 1},               /* insertion */
        {"rtol", "atol", 1},                /* replacement */
        {"rtol", "rotl", 1},                /* swap of neighbours */
        {"ca", "abc", 3},                   /* the restricted form: full Damerau gives 2 */
        {"kitten", "sitting", 3},           /* common textbook example */
        {"workers", "wrokesr", 2},          /* two swaps */
        {"intention", "execution", 5},      /* Jurafsky 2024, Speech and Language Processing */
        {"decimation", "desimation", 1},    /* replacement in a longer name */
        {"max_sweeps", "maximum_sweep", 5}, /* several kinds of edits */
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        assert_int_equal(wr_names_distance(cases[i].a, cases[i].b), cases[i].expected);
        assert_int_equal(wr_names_distance(cases[i].b, cases[i].a), cases[i].expected);
    }
    char long_name[WR_NAMES_MAX_BYTES + 2];
    memset(long_name, 'a', sizeof long_name);
    long_name[WR_NAMES_MAX_BYTES + 1] = '\0';
    assert_int_equal(wr_names_distance(long_name, "a"), WR_NAMES_FAR);
    assert_int_equal(wr_names_distance("a", long_name), WR_NAMES_FAR);
    long_name[WR_NAMES_MAX_BYTES] = '\0';
    assert_int_equal(wr_names_distance(long_name, "a"), WR_NAMES_MAX_BYTES - 1);
}

TEST(nearest)
{
    static const char *const names[] = {"start", "stop", "rtol", NULL, "atol_factor", "x"};
    const int n = (int)WR_COUNT_OF(names);
    assert_string_equal(wr_names_nearest("strat", names, n), "start");
    assert_string_equal(wr_names_nearest("RTOL", names, n), "rtol");
    assert_string_equal(wr_names_nearest("atolfactor", names, n), "atol_factor");
    assert_string_equal(wr_names_nearest("stpo", names, n), "stop");
    assert_null(wr_names_nearest("workers", names, n));
    assert_null(wr_names_nearest("y", names, n));
    assert_null(wr_names_nearest("", names, n));
    assert_null(wr_names_nearest("rtol", names, 0));
    /* The result is the first of two equally near names. */
    static const char *const twins[] = {"cyl1", "cyl2"};
    assert_string_equal(wr_names_nearest("cyl", twins, 2), "cyl1");
    assert_string_equal(wr_names_nearest("cyl2", twins, 2), "cyl2");
}

TEST(hint)
{
    static const char *const names[] = {"start", NULL, "stop"};
    char text[WR_NAMES_HINT_BYTES];
    assert_string_equal(wr_names_hint("stpo", names, 3, text), "did you mean 'stop'?");
    assert_string_equal(wr_names_hint("zebra", names, 3, text), "choose one of: start, stop");
    assert_string_equal(wr_names_hint("zebra", names, 0, text),
                        "define this name first, or remove the name");
    static const char *const twice[] = {"stop", "start", "stop", "start", "step"};
    assert_string_equal(wr_names_hint("zebra", twice, 5, text), "choose one of: stop, start, step");
    char long_name[WR_NAMES_HINT_BYTES];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *const many[] = {"start", long_name, "stop"};
    assert_string_equal(wr_names_hint("zebra", many, 3, text), "choose one of: start, ...");
    assert_string_equal(wr_names_hint("zebra", many + 1, 1, text),
                        "correct the name (no known name is similar)");
    /* The list has as many names as fit, to the byte. */
    long_name[sizeof long_name - sizeof "choose one of: start, , ..."] = '\0';
    wr_names_hint("zebra", many, 3, text);
    assert_int_equal(strlen(text), sizeof text - 1);
    assert_string_equal(text + sizeof text - 7, "a, ...");
}

TEST(match)
{
    static const struct {
        const char *pattern, *name;
        int expected;
    } cases[] = {
        {"", "", 1},
        {"", "a", 0},
        {"*", "", 1},
        {"*", "a.b", 1},
        {"a", "a", 1},
        {"a", "ab", 0},
        {"ab", "a", 0},
        {"?", "", 0},
        {"?", "a", 1},
        {"cyl*.p", "cyl1.p", 1},
        {"cyl*.p", "cyl.p", 1},
        {"cyl*.p", "cyl1.pp", 0},
        {"cyl?.p", "cyl12.p", 0},
        {"*.p", "a.p.p", 1},
        {"a*b*c", "aXbYbZc", 1},
        {"a*b*c", "aXbYbZ", 0},
        {"**a**", "a", 1},
        {"soc[3]", "soc[3]", 1},
        {"soc[3]", "soc3", 0},
        {"soc[*]", "soc[12]", 1},
        {"*a", "aaab", 0},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        if (wr_names_match(cases[i].pattern, cases[i].name) != cases[i].expected)
            fail_msg("'%s' against '%s'", cases[i].pattern, cases[i].name);
    }
    assert_true(wr_names_is_glob("a*"));
    assert_true(wr_names_is_glob("a?b"));
    assert_false(wr_names_is_glob("soc[3]"));
}

TEST(identifier)
{
    static const char *const good[] = {"a", "_", "cyl1", "Air_path", "A9_"};
    static const char *const bad[] = {"", "1a", "a.b", "a b", "a-b", "soc[3]", "\xc3\xa4", "a\n"};
    for (size_t i = 0; i < WR_COUNT_OF(good); i++)
        assert_true(wr_names_is_identifier(good[i]));
    for (size_t i = 0; i < WR_COUNT_OF(bad); i++)
        assert_false(wr_names_is_identifier(bad[i]));
    char name[WR_NAMES_MAX_BYTES + 1];
    memset(name, 'a', sizeof name);
    name[WR_NAMES_MAX_BYTES] = '\0';
    assert_false(wr_names_is_identifier(name));
    name[WR_NAMES_MAX_BYTES - 1] = '\0';
    assert_true(wr_names_is_identifier(name));
}

TEST(sorted_names_are_found)
{
    wr_named list[] = {{"b", 1}, {"ab", 2}, {"a", 5}, {"abc", 4}, {"a", 3}};
    wr_names_sort(list, 5);
    assert_int_equal(wr_names_find(list, 5, "a", 1), 3); /* the lower number of two */
    assert_int_equal(wr_names_find(list, 5, "ab.x", 2), 2);
    assert_int_equal(wr_names_find(list, 5, "abc", 3), 4);
    assert_int_equal(wr_names_find(list, 5, "b", 1), 1);
    assert_int_equal(wr_names_find(list, 5, "abcd", 4), -1);
    assert_int_equal(wr_names_find(list, 5, "B", 1), -1);
    assert_int_equal(wr_names_find(list, 5, "c", 1), -1);
    assert_int_equal(wr_names_find(list, 5, "", 0), -1);
    assert_int_equal(wr_names_find(list, 0, "a", 1), -1);
}
