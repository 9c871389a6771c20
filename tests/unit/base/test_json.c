#include "wr_test.h"

#include "base/json.h"

TEST(structure)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "name", "engine");
    wr_json_number(&json, "rtol", 1e-6);
    wr_json_number(&json, "third", 1.0 / 3.0);
    wr_json_integer(&json, "n", INT64_MIN);
    wr_json_bool(&json, "is_split", 1);
    wr_json_null(&json, "nothing");
    wr_json_string(&json, "none", NULL);
    wr_json_number(&json, "nan", (double)NAN);
    wr_json_array(&json, "list");
    wr_json_integer(&json, NULL, 1);
    wr_json_number(&json, NULL, 2.5);
    wr_json_end(&json);
    wr_json_array(&json, "empty");
    wr_json_end(&json);
    wr_json_array(&json, "objects");
    wr_json_object(&json, NULL);
    wr_json_integer(&json, "a", 1);
    wr_json_end(&json);
    wr_json_object(&json, NULL);
    wr_json_end(&json);
    wr_json_end(&json);
    assert_null(wr_json_text(&json)); /* not ended yet */
    wr_json_end(&json);
    const char *const expected = "{\n"
                                 "  \"name\": \"engine\",\n"
                                 "  \"rtol\": 1e-06,\n"
                                 "  \"third\": 0.3333333333333333,\n"
                                 "  \"n\": -9223372036854775808,\n"
                                 "  \"is_split\": true,\n"
                                 "  \"nothing\": null,\n"
                                 "  \"none\": null,\n"
                                 "  \"nan\": null,\n"
                                 "  \"list\": [1, 2.5],\n"
                                 "  \"empty\": [],\n"
                                 "  \"objects\": [\n"
                                 "    {\n"
                                 "      \"a\": 1\n"
                                 "    },\n"
                                 "    {}\n"
                                 "  ]\n"
                                 "}\n";
    assert_string_equal(wr_json_text(&json), expected);
    assert_string_equal(wr_json_text(&json), expected);
    wr_json_done(&json);
    assert_null(wr_json_text(&json));
}

TEST(escapes)
{
    static const struct {
        const char *value, *text;
    } cases[] = {
        {"", "\"\"\n"},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n"},
        {"\b\f\n\r\t\x01\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u007f\"\n"},
        {"m\xc2\xb3 \xe2\x82\xac \xf0\x9f\x98\x80",
         "\"m\xc2\xb3 \xe2\x82\xac \xf0\x9f\x98\x80\"\n"},
        {"m\xb3", "\"m\\ufffd\"\n"},                     /* Latin-1 */
        {"\xe2\x82", "\"\\ufffd\\ufffd\"\n"},            /* cut off */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\"\n"},            /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"}, /* surrogate */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(wr_json_done) wr_json json = {0};
        wr_json_string(&json, NULL, cases[i].value);
        assert_string_equal(wr_json_text(&json), cases[i].text);
    }
}

TEST(wrong_order_gives_null)
{
    AUTO(wr_json_done) wr_json json = {0};
    assert_null(wr_json_text(&json));
    wr_json_end(&json);
    assert_null(wr_json_text(&json));
    wr_json_done(&json);

    wr_json_object(&json, NULL);
    wr_json_integer(&json, NULL, 1); /* a member without a key */
    wr_json_end(&json);
    assert_null(wr_json_text(&json));
    wr_json_done(&json);

    wr_json_array(&json, NULL);
    wr_json_integer(&json, "key", 1);
    wr_json_end(&json);
    assert_null(wr_json_text(&json));
    wr_json_done(&json);

    wr_json_integer(&json, NULL, 1);
    wr_json_integer(&json, NULL, 2); /* two values at top level */
    assert_null(wr_json_text(&json));
    wr_json_done(&json);

    for (int i = 0; i <= WR_JSON_MAX_DEPTH; i++)
        wr_json_array(&json, NULL);
    for (int i = 0; i <= WR_JSON_MAX_DEPTH; i++)
        wr_json_end(&json);
    assert_null(wr_json_text(&json));
}

TEST(grows)
{
    AUTO(wr_json_done) wr_json json = {0};
    wr_json_array(&json, NULL);
    for (int i = 0; i < 100000; i++)
        wr_json_integer(&json, NULL, i);
    wr_json_end(&json);
    const char *text = wr_json_text(&json);
    assert_non_null(text);
    assert_int_equal(*text++, '[');
    for (int i = 0; i < 100000; i++) {
        char *end;
        assert_int_equal(strtol(text, &end, 10), i);
        text = end + (i < 99999 ? 2 : 0);
    }
    assert_string_equal(text, "]\n");
}
