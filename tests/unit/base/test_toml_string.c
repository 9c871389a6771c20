#include "wr_test.h"

#include <string.h>

#include "base/toml_string.h"

static void test_what_needs_no_escape(void **state)
{
    (void)state;
    char text[WR_TOML_STRING_BYTES(16)];
    assert_int_equal(wr_toml_string("", text), 2);
    assert_string_equal(text, "\"\"");
    assert_int_equal(wr_toml_string("a b'\xc3\xa4", text), 8);
    assert_string_equal(text, "\"a b'\xc3\xa4\"");
}

static void test_what_needs_one(void **state)
{
    (void)state;
    char text[WR_TOML_STRING_BYTES(16)];
    assert_int_equal(wr_toml_string("a\"\\\n\x1b\x7f", text), 25);
    assert_string_equal(text, "\"a\\\"\\\\\\u000a\\u001b\\u007f\"");
}

/* Expected: the room that is said is enough. */
static void test_room(void **state)
{
    (void)state;
    char text[WR_TOML_STRING_BYTES(4) + 1];
    memset(text, '#', sizeof text);
    assert_int_equal(wr_toml_string("\x01\x02\x03\x04", text) + 1, WR_TOML_STRING_BYTES(4));
    assert_int_equal(text[WR_TOML_STRING_BYTES(4)], '#');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_needs_no_escape),
        cmocka_unit_test(test_what_needs_one),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
