#include "wr_test.h"

#include <float.h>

#include "base/number.h"

TEST(prints_shortest)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0 / 3.0, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {0.0005, "5e-04"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
        {-(double)NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[WR_NUMBER_CAP];
        const int length = wr_number_print(cases[i].value, text);
        assert_int_equal(length, strlen(text));
        assert_string_equal(text, cases[i].text);
    }
}

/* The texts of random bit patterns, except NaN, fit the buffer and read back as the same bits. */
TEST(round_trip)
{
    uint64_t bits = 88172645463325252u; /* xorshift64: Marsaglia 2003, "Xorshift RNGs" */
    for (int i = 0; i < 200000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value, back = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        char text[WR_NUMBER_CAP];
        const int length = wr_number_print(value, text);
        assert_true(length < WR_NUMBER_CAP);
        assert_true(wr_number_parse(text, text + length, &back));
        assert_memory_equal(&value, &back, sizeof value);
    }
}

TEST(parse_is_strict)
{
    static const char *const wrong[] = {"", " ", "1,5", "1.5x", "--1", "0x10", "1 2", "e5", "+-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value = 7.0;
        assert_false(wr_number_parse(wrong[i], wrong[i] + strlen(wrong[i]), &value));
        assert_true(value == 7.0);
    }
    double value = 0.0;
    const char *const padded = " +2.5\r";
    assert_true(wr_number_parse(padded, padded + strlen(padded), &value));
    assert_true(value == 2.5);
    const char *const not_a_number = "nan";
    assert_true(wr_number_parse(not_a_number, not_a_number + 3, &value));
    assert_true(isnan(value));
}
