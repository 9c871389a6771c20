/* Tables fit the width of a terminal: common blanks shrink, longer rows continue indented, other lines stay. */
#include "wr_test.h"

#include "cli/fit_table.h"

static const char table[] =
    "run of two subsystems with a line of text that is longer than any terminal here\n"
    "name                steps      rhs\n"
    "left                   12    1.5e3\n"
    "r\xc3\xa9sum\xc3\xa9                  7        2\n"
    "\n";

static const char *fitted(const char *text, int width)
{
    static char result[1024];
    wr_text_buffer to = {0};
    assert_int_equal(wr_fit_table(text, strlen(text), width, 1, &to), strlen(text));
    snprintf(result, sizeof result, "%s", wr_text_buffer_get(&to));
    wr_text_buffer_done(&to);
    return result;
}

TEST(wide_terminal) { assert_string_equal(fitted(table, 35), table); }

TEST(common_blanks_shrink)
{
    assert_string_equal(
        fitted(table, 30),
        "run of two subsystems with a line of text that is longer than any terminal here\n"
        "name   steps   rhs\n"
        "left      12 1.5e3\n"
        "r\xc3\xa9sum\xc3\xa9     7     2\n"
        "\n");
}

TEST(rows_continue)
{
    static const char wide[] = "  name                one      two      three\n"
                               "  abcdefgh   123456789012 34567890 8901234567\n";
    assert_string_equal(fitted(wide, 24), "  name              one\n"
                                          "         two      three\n"
                                          "  abcdefgh 123456789012\n"
                                          "    34567890 8901234567\n");
    assert_string_equal(fitted("  a  word_that_is_longer_than_the_width  b\n", 20),
                        "  a\n    word_that_is_longer_than_the_width b\n");
}

/* A table that may continue waits, and an incomplete line, too. */
TEST(in_parts)
{
    wr_text_buffer to = {0};
    static const char text[] = "text\na  b\nc  d\nrest";
    assert_int_equal(wr_fit_table(text, sizeof text - 1, 20, 0, &to), strlen("text\n"));
    assert_string_equal(wr_text_buffer_get(&to), "text\n");
    wr_text_buffer_done(&to);
    to = (wr_text_buffer){0};
    assert_int_equal(wr_fit_table(text, sizeof text - 1, 20, 1, &to), sizeof text - 1);
    assert_string_equal(wr_text_buffer_get(&to), text);
    wr_text_buffer_done(&to);
}
