#include "wr_test.h"

#include "base/toml_string.h"

TEST(strings_without_escapes)
{
    char text[WR_TOML_STRING_BYTES(16)];
    assert_int_equal(wr_toml_string("", text), 2);
    assert_string_equal(text, "\"\"");
    assert_int_equal(wr_toml_string("a b'\xc3\xa4", text), 8);
    assert_string_equal(text, "\"a b'\xc3\xa4\"");
}

TEST(strings_with_escapes)
{
    char text[WR_TOML_STRING_BYTES(16)];
    assert_int_equal(wr_toml_string("a\"\\\n\x1b\x7f", text), 25);
    assert_string_equal(text, "\"a\\\"\\\\\\u000a\\u001b\\u007f\"");
}

/* wr_toml_string() writes at most WR_TOML_STRING_BYTES(n) bytes for a text of n bytes. */
TEST(room)
{
    char text[WR_TOML_STRING_BYTES(4) + 1];
    memset(text, '#', sizeof text);
    assert_int_equal(wr_toml_string("\x01\x02\x03\x04", text) + 1, WR_TOML_STRING_BYTES(4));
    assert_int_equal(text[WR_TOML_STRING_BYTES(4)], '#');
}
