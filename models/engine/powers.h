/* Elementary functions for the argument ranges of the engine, with fewer instructions than the general
 * functions.
 *
 * Roots: a higher-order Newton method for y = x^(-1/n). With the residual h = 1 - x y^n, x^(-1/n) = y (1 - h)^(-1/n) =
 * y (1 + h/n + ...): the series to h^3 has an error of order h^4. For the start value the bits of x, taken as
 * the logarithm of x, are divided by -n; |h| is below 0.11 (n = 3) or 0.16 (n = 5). Two iterations reach rounding level.
 *
 * Sine and cosine of degrees: the functions subtract the nearest multiple of 90, exactly; the remainder is at most pi/4.
 *
 * Exponentials and general powers: a power of two and a remainder, for which a short polynomial is accurate; no table.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_POWERS_H
#define ENGINE_POWERS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "models/engine/pair.h"

/* Returns the larger number, or b if one number is NaN. Unlike fmax() the function needs no call. */
static inline double engine_max(double a, double b) { return a > b ? a : b; }

/* Bits of the start value: the bits of 1.0 times 1 + 1/n, reduced so that the error is equal on both sides. */
#define ENGINE_ROOT3_START UINT64_C(0x553ee00000000000)
#define ENGINE_ROOT5_START UINT64_C(0x4cb8999999999999)

static inline double engine_root_start(double x, unsigned n, uint64_t start)
{
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = start - bits / n;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* Returns x^(-1/3), x > 0. */
static inline double engine_inverse_root3(double x)
{
    double y = engine_root_start(x, 3, ENGINE_ROOT3_START);
    for (int i = 0; i < 2; i++) {
        const double h = 1 - x * y * (y * y);
        y += y * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
    }
    return y;
}

/* Returns x^(-1/5), x > 0. */
static inline double engine_inverse_root5(double x)
{
    double y = engine_root_start(x, 5, ENGINE_ROOT5_START);
    for (int i = 0; i < 2; i++) {
        const double square = y * y;
        const double h = 1 - x * y * (square * square);
        y += y * h * (0.2 + h * (0.12 + h * 0.088));
    }
    return y;
}

/* Returns x^0.8, x > 0: the exponent of turbulent heat transfer. */
static inline double engine_power_08(double x) { return x * engine_inverse_root5(x); }

/* Returns a number whose lowest bits count the quarter turns in the nearest multiple of 90. Writes the remainder, in rad. */
static inline uint64_t engine_quarter_turns(double deg, double *ret_rest)
{
    /* 1.5 * 2^52: in a sum with this number the last bit of the mantissa has the value 1 */
    const double shift = 6755399441055744.0;
    const double shifted = deg * (1.0 / 90) + shift;
    uint64_t quarters;
    memcpy(&quarters, &shifted, sizeof quarters);
    *ret_rest = (deg - 90 * (shifted - shift)) * 0.017453292519943295; /* pi / 180 */
    return quarters;
}

/* Returns the sine of |a| <= pi/4 rad: a + a^3 times a polynomial in a^2, interpolated at Chebyshev nodes; error 2e-17. */
static inline double engine_sine_series(double a)
{
    const double z = a * a;
    return a +
           a * z *
               (-0.16666666666666664621 +
                z * (0.0083333333333309461029 +
                     z * (-0.00019841269836754970014 +
                          z * (2.755731610068302914e-6 +
                               z * (-2.5051131455427947391e-8 + z * 1.5918101230274120348e-10)))));
}

/* Returns the cosine of an angle from its sine, for |angle| <= pi/4. The cosine is at least 0.7, so the root loses no digits. */
static inline double engine_cosine_beside(double sine) { return sqrt(1 - sine * sine); }

/* Returns the sine of an angle in degrees, |deg| < 1e15. */
static inline double engine_sine_deg(double deg)
{
    double rest;
    const uint64_t quarters = engine_quarter_turns(deg, &rest);
    const double s = engine_sine_series(rest);
    const double value = quarters & 1 ? engine_cosine_beside(s) : s;
    return quarters & 2 ? -value : value;
}

/* Writes the sine and cosine of an angle in degrees. */
static inline void engine_sine_cosine_deg(double deg, double *ret_sine, double *ret_cosine)
{
    double rest;
    const uint64_t quarters = engine_quarter_turns(deg, &rest);
    const double s = engine_sine_series(rest), c = engine_cosine_beside(s);
    const double sine = quarters & 1 ? c : s, cosine = quarters & 1 ? s : c;
    *ret_sine = quarters & 2 ? -sine : sine;
    *ret_cosine = (quarters + 1) & 2 ? -cosine : cosine;
}

/* Returns 2^x; x is limited to -1000 ... 1000, and NaN stays NaN. The nearest whole number becomes the exponent. For the remainder f, |f|
 * <= 1/2, 2^f is a polynomial interpolated at Chebyshev nodes; error 5e-18. */
static inline double engine_exp2(double x)
{
    enum { PAIRS = 6 };
    static const engine_pair series[PAIRS] = {
        {1.0, 0.69314718055994530925},
        {0.24022650695910159744, 0.055504108664821627134},
        {0.0096181291075871906373, 0.0013333558146406435501},
        {0.0001540353046380885914, 0.000015252733841601815169},
        {1.3215432492460393428e-6, 1.0178057064573358798e-7},
        {7.0742020206822138569e-9, 4.4558220250149151406e-10},
    };
    const double limit = 1000, shift = 6755399441055744.0; /* as in engine_quarter_turns() */
    const double within = x < -limit ? -limit : x > limit ? limit : x;
    const double shifted = within + shift;
    double value = engine_polynomial(series, PAIRS, within - (shifted - shift));
    uint64_t whole, bits;
    memcpy(&whole, &shifted, sizeof whole);
    memcpy(&bits, &value, sizeof bits);
    bits += whole << 52;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the logarithm to the base 2, x > 0 and normal. x = 2^k m, sqrt(1/2) <= m < sqrt(2), and log2(m) is odd in s = (m - 1) / (m + 1):
 * s times a polynomial in s^2, interpolated at Chebyshev nodes; relative error 1e-18. */
static inline double engine_log2(double x)
{
    enum { PAIRS = 4 };
    static const engine_pair series[PAIRS] = {
        {2.8853900817779268115, 0.96179669392598974886},
        {0.57707801634550793028, 0.41219858584368855386},
        {0.32059853461607497, 0.26233436870494064391},
        {0.22091265040628202809, 0.21366349336860481222},
    };
    const int64_t root_bits = INT64_C(0x3fe6a09e667f3bcd); /* bits of sqrt(1/2) */
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int64_t k = (bits - root_bits) >> 52;
    bits -= k * (INT64_C(1) << 52);
    double m;
    memcpy(&m, &bits, sizeof m);
    const double s = (m - 1) / (m + 1);
    return (double)k + s * engine_polynomial(series, PAIRS, s * s);
}

/* Returns e^x between 1e-301 and 1e301; relative error at most about (1 + |x|) times 3e-16. */
static inline double engine_exp(double x) { return engine_exp2(x * 1.4426950408889634074); }

/* Returns x^a, x >= 0, between 1e-301 and 1e301. */
static inline double engine_power(double x, double a) { return engine_exp2(a * engine_log2(x)); }

#endif
