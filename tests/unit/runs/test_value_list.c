/* Lists of values: separating commas, and ranges. */

#include "offline/runs/value_list.h"
#include "wr_test.h"

#define MISSING "a value is missing; add a value, or remove a comma"

static const struct {
    const char *text, *values; /* values with '|' between, or the error */
} cases[] = {
    {"1,2,3", "1|2|3"},
    {" 1 ,\t2 ", "1|2"},
    {"word", "word"},
    {"it's,fine", "it's|fine"},
    {"\"a,b\",'c,d',e", "\"a,b\"|'c,d'|e"},
    {"\"a\\\",b\",c", "\"a\\\",b\"|c"},
    {"[1,2],[3,[4,5]],{a=1,b=2}", "[1,2]|[3,[4,5]]|{a=1,b=2}"},
    {"[\"]\",'['],1", "[\"]\",'[']|1"},
    {"0:0.1:0.5", "0|0.1|0.2|0.3|0.4|0.5"},
    {"0:0.3:1", "0|0.3|0.6|0.9"},
    {"3:-1:1", "3|2|1"},
    {"-1:1:1,7", "-1|0|1|7"},
    {"1e-3:1e-3:2e-3", "0.001|0.002"},
    {"5:1:5", "5"},
    {"2:1:2000000", "the range '2:1:2000000' has too many values; choose a larger step"},
    {"999999999999:1:1000000000001", "999999999999|1000000000000|1000000000001"},
    {"a:b:c", "a:b:c"},
    {"'1:1:3'", "'1:1:3'"},
    {"10:0.5:11", "10|10.5|11"},
    {"", MISSING},
    {",", MISSING},
    {"1,", MISSING},
    {"1,,2", MISSING},
    {"[1,2", "a quote or bracket is not closed in '[1,2'; close the quote or bracket"},
    {"'a", "a quote or bracket is not closed in ''a'; close the quote or bracket"},
    {"\"a\\\"", "a quote or bracket is not closed in '\"a\\\"'; close the quote or bracket"},
    {"1:2", "the range '1:2' does not have three numbers; write START:STEP:STOP"},
    {"1:0:2", "the range '1:0:2' is empty; give a step that leads from START to STOP"},
    {"1:-1:2", "the range '1:-1:2' is empty; give a step that leads from START to STOP"},
    {"1:1:inf", "1:1:inf"},
};

TEST(lists)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(wr_value_list_done) wr_value_list list = {0};
        char why[WR_VALUE_LIST_WHY_BYTES] = "", joined[512] = "";
        const int code = wr_value_list_parse(&list, cases[i].text, why);
        for (int k = 0; k < list.n; k++)
            if (code == 0)
                strcat(strcat(joined, k > 0 ? "|" : ""), list.text[k]);
        assert_string_equal(code == 0 ? joined : why, cases[i].values);
    }
}

TEST(order)
{
    /* Numbers sort by value, before all texts. */
    static const char *const sorted[] = {"-1e3", "9", "10", "1e2", "\"9\"", "5x", "nan", "word"};
    const int n = (int)(sizeof sorted / sizeof *sorted);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int order = wr_value_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    assert_int_equal(wr_value_compare("1", "1.00"), 0);
    assert_int_equal(wr_value_compare("a", "a"), 0);
}
