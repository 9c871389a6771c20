#include "wr_test.h"

#include "base/utf8.h"

TEST(valid_sequences)
{
    static const char *const valid[] = {"a",
                                        "\x7f",
                                        "\xc2\x80",
                                        "\xdf\xbf",
                                        "\xe0\xa0\x80",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xef\xbf\xbf",
                                        "\xf0\x90\x80\x80",
                                        "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        assert_int_equal(wr_utf8_length(valid[i]), strlen(valid[i]));
}

/* RFC 3629 forbids overlong forms, surrogates, codes above U+10FFFF and truncated sequences. */
TEST(sequences_that_are_not_valid)
{
    static const char *const none[] = {"\x80",
                                       "\xbf",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xc2",
                                       "\xc2z",
                                       "\xe0\x9f\xbf",
                                       "\xe2\x82",
                                       "\xed\xa0\x80",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf0\x90\x80",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xfe",
                                       "\xff"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(wr_utf8_length(none[i]), 0);
}

TEST(control_characters)
{
    static const char *const control[] = {"\x01", "\t",   "\n",       "\x1b",
                                          "\x1f", "\x7f", "\xc2\x80", "\xc2\x9f"};
    static const char *const plain[] = {" ", "~", "\xc2\xa0", "\xc3\x80", "\xe2\x82\xac"};
    for (size_t i = 0; i < sizeof control / sizeof control[0]; i++)
        assert_true(wr_utf8_is_control(control[i]));
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_false(wr_utf8_is_control(plain[i]));
}
