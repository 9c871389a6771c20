/* Units against the values of the SI brochure, and texts that are no unit. */
#include "wr_test.h"

#include <math.h>

#include "base/check.h"
#include "base/unit.h"

TEST(conversions)
{
    static const struct {
        const char *from, *to;
        double value, expected;
    } cases[] = {
        {"N.m", "N m", 2.0, 2.0},
        {"N.m", "J", 2.0, 2.0},
        {"kg.m2.s-2", "J", 3.0, 3.0},
        {"kg*m**2/s**2", "J", 3.0, 3.0},
        {"kg m^2 s^(-2)", "J", 3.0, 3.0},
        {"kg\xC2\xB7m2/s2", "W.s", 3.0, 3.0},
        {"m/s/s", "m.s-2", 1.5, 1.5},
        {"(m/s)2", "Gy", 1.5, 1.5},
        {"1/s", "Hz", 4.0, 4.0},
        {"bar", "Pa", 1.5, 150000.0},
        {"Pa", "bar", 150000.0, 1.5},
        {"mbar", "hPa", 7.0, 7.0},
        {"kPa", "MPa", 250.0, 0.25},
        {"degC", "K", 20.0, 293.15},
        {"K",
         "\xC2\xB0"
         "C",
         293.15, 20.0},
        {"degF", "degC", 212.0, 100.0},
        {"degC", "degF", -40.0, -40.0},
        {"mK", "degC", 273150.0, 0.0},
        {"W/degC", "W/K", 5.0, 5.0}, /* differences */
        {"rpm", "rad/s", 60.0, 6.283185307179586},
        {"rev/min", "rpm", 60.0, 60.0},
        {"deg", "rad", 180.0, 3.141592653589793},
        {"deg/s", "rpm", 6.0, 1.0},
        {"km/h", "m/s", 36.0, 10.0},
        {"l/min", "m3/s", 60.0, 0.001},
        {"mg/cm3", "kg/m3", 1.0, 1.0},
        {"kJ/(kg.K)", "J/(g.degC)", 4.2, 4.2},
        {"kW.h", "MJ", 1.0, 3.6},
        {"kWh", "kW.h", 1.0, 1.0},
        {"%", "1", 25.0, 0.25},
        {"-", "1", 2.0, 2.0},
        {"t", "kg", 1.0, 1000.0},
        {"d", "h", 1.0, 24.0},
        {"min", "s", 1.0, 60.0},
        {"daN", "N", 1.0, 10.0},
        {"um", "\xCE\xBCm", 1.0, 1.0},
        {"m\xCE\xA9", "V/A", 1000.0, 1.0},
        {"deg = 0.5 rad", "deg = 0.25 rad", 3.0, 6.0}, /* equal names */
        {"bar = 2 Pa + 10", "bar", 5.0, 20e-5},
        {"U = -2 K - 273.15", "degC = 2 K", 10.0, -146.575},
        {"U = 3", "%", 1.0, 300.0},
        {"U = 1e3 kPa", "MPa", 2.0, 2.0},
        {"a = b = 2 m", "m", 1.0, 2.0},
        {"degC (difference)", "K", 20.0, 20.0},
        {"degF (difference)", "degC (difference)", 9.0, 5.0},
        {"furlong = 201.168 m", "furlong", 2.0, 2.0}, /* the name alone is not known */
        {"", "bar", 2.0, 2.0},                        /* no unit */
        {"furlong", "furlong", 2.0, 2.0},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_unit_scale scale;
        assert_int_equal(wr_unit_convert(cases[i].from, cases[i].to, &scale), WR_UNIT_FITS);
        const double value = cases[i].value, expected = cases[i].expected;
        const double is = wr_unit_apply(scale, value);
        assert_true(fabs(is - expected) <= 4e-16 * fmax(fabs(expected), 300.0));
        assert_true(fabs(wr_unit_apply(wr_unit_inverse(scale), is) - value) <=
                    1e-15 * fmax(fabs(value), 500.0));
        const wr_unit_scale turn = {-2.0, 3.0};
        assert_true(fabs(wr_unit_apply(wr_unit_compose(scale, turn), value) - (3.0 - 2.0 * is)) <=
                    1e-15 * fmax(fabs(2.0 * is), 1000.0));
        const double change = wr_unit_apply_change(scale, 1e6) - wr_unit_apply(scale, 1e6);
        assert_true(fabs(change + scale.offset) <= 1e-15 * fabs(wr_unit_apply(scale, 1e6)));
        /* Texts of one unit need no conversion. */
        const int is_same = value >= expected && value <= expected && value > 0.0;
        assert_int_equal(wr_unit_is_scaled(scale), !is_same);
    }
}

TEST(dimensions)
{
    static const struct {
        const char *unit, *text;
    } cases[] = {{"W", "kg.m2.s-3"},
                 {"bar", "kg.m-1.s-2"},
                 {"Ohm", "kg.m2.s-3.A-2"},
                 {"S", "kg-1.m-2.s3.A2"},
                 {"F", "kg-1.m-2.s4.A2"},
                 {"H", "kg.m2.s-2.A-2"},
                 {"Wb", "kg.m2.s-2.A-1"},
                 {"T", "kg.s-2.A-1"},
                 {"V", "kg.m2.s-3.A-1"},
                 {"C", "s.A"},
                 {"lx", "m-2.cd"},
                 {"kat", "s-1.mol"},
                 {"rpm", "s-1.rad"},
                 {"%", "1"},
                 {"m0", "1"}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_unit unit;
        char text[WR_UNIT_TEXT_BYTES];
        assert_int_equal(wr_unit_read(cases[i].unit, &unit), 0);
        assert_string_equal(wr_unit_text(&unit, text), cases[i].text);
    }
    static const char *const others[][2] = {{"bar", "K"},   {"Hz", "rad/s"}, {"1", "rad"},
                                            {"m", "m2"},    {"N.m", "N/m"},  {"rpm", "1/min"},
                                            {"W.h", "W/h"}, {"C", "K"}};
    wr_unit_scale scale;
    for (size_t i = 0; i < WR_COUNT_OF(others); i++)
        assert_int_equal(wr_unit_convert(others[i][0], others[i][1], &scale),
                         WR_UNIT_OTHER_DIMENSION);
}

TEST(definitions)
{
    static const struct {
        const char *name, *text;
        wr_unit unit;
        int is_difference;
    } cases[] = {
        {"deg", "deg", {.exponent = {[WR_UNIT_RADIAN] = 1}, .factor = 0.0174532925199433}, 0},
        {"deg", "deg", {.factor = 0.0174532925199433}, 0}, /* FMI lets tools omit rad */
        {"deg", "deg = 0.5", {.factor = 0.5}, 0},
        {"rpm", "rpm = 0.25 s-1", {.exponent = {0, 0, -1}, .factor = 0.25}, 0},
        {"degC", "degC", {.exponent = {[4] = 1}, .factor = 1.0, .offset = 273.15}, 0},
        {"degC", "degC (difference)", {.exponent = {[4] = 1}, .factor = 1.0, .offset = 273.15}, 1},
        {"degC", "degC = 1 K", {.exponent = {[4] = 1}, .factor = 1.0}, 0},
        {"U", "U = -0.1 K - 2", {.exponent = {[4] = 1}, .factor = -0.1, .offset = -2.0}, 0},
        {"U", "U = 2 K (difference)", {.exponent = {[4] = 1}, .factor = 2.0, .offset = 1.0}, 1}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        char text[64];
        wr_unit unit = cases[i].unit, read;
        wr_unit_settle(cases[i].name, &unit);
        wr_unit_define(cases[i].name, &unit, cases[i].is_difference, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(wr_unit_read(text, &read), 0);
        assert_memory_equal(read.exponent, unit.exponent, sizeof unit.exponent);
        assert_true(read.factor >= unit.factor && read.factor <= unit.factor);
        assert_int_equal(read.is_difference, cases[i].is_difference);
        assert_true(fabs(read.offset - (cases[i].is_difference ? 0.0 : unit.offset)) <= 0.0);
    }
    static const char *const mixed[][2] = {{"degC (difference)", "degC"},
                                           {"degC", "K (difference)"},
                                           {"U = 2 m + 1", "m (difference)"}};
    wr_unit_scale scale;
    for (size_t i = 0; i < WR_COUNT_OF(mixed); i++)
        assert_int_equal(wr_unit_convert(mixed[i][0], mixed[i][1], &scale), WR_UNIT_DIFFERENCE);
}

TEST(unreadable)
{
    static const char *const cases[] = {"furlong",
                                        "N.",
                                        ".m",
                                        "m/",
                                        "/s",
                                        "m..s",
                                        "W/m2.K",
                                        "W/m2 K",
                                        "(m",
                                        "m)",
                                        "()",
                                        "m^",
                                        "m**",
                                        "m^x",
                                        "m--1",
                                        "m100",
                                        "((((((((((((((((((m))))))))))))))))))",
                                        "((m50)9)9",
                                        "Ym99",
                                        "kdegC",
                                        "kmin",
                                        "2",
                                        "10 m",
                                        "1.5",
                                        "m s;",
                                        "mm m-",
                                        " ",
                                        "k",
                                        "\xC2\xB7m",
                                        "\xFF",
                                        "--",
                                        "1/",
                                        "m0.1",
                                        "m2.1",
                                        "m/1",
                                        "m 1",
                                        "ft",
                                        "kt",
                                        "ym12",
                                        "U = m",
                                        "U = 2 degC",
                                        "U = 2 m + x",
                                        "U = 0 m",
                                        "U = 1e200 m",
                                        "U = nan m",
                                        "Ym12"};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_unit unit;
        wr_unit_scale scale;
        if (wr_unit_read(cases[i], &unit) != -1)
            fail_msg("'%s' was read", cases[i]);
        assert_int_equal(wr_unit_convert(cases[i], "m", &scale), WR_UNIT_UNREADABLE);
        assert_int_equal(wr_unit_convert("m", cases[i], &scale), WR_UNIT_UNREADABLE);
    }
}
