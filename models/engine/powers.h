/* Elementary functions where the engine needs them often, each for the arguments it has there: they
 * take a quarter of the instructions of the general ones.
 *
 * Roots: Newton's idea of higher order for y = x^(-1/n). With the residual h = 1 - x y^n,
 * x^(-1/n) = y (1 - h)^(-1/n) = y (1 + h/n + ...): the series to h^3 makes an error of h^4. The start
 * takes the number's bits as its logarithm, divides them by -n, and is right to |h| < 0.11 (n = 3)
 * or 0.16 (n = 5); two rounds bring that to rounding level.
 *
 * Sine and cosine of degrees: the nearest multiple of 90 is subtracted, which is exact, and the
 * rest is at most pi/4, where the series below end with an error of 1e-16.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_POWERS_H
#define ENGINE_POWERS_H

#include <stdint.h>
#include <string.h>

/* The larger one; b if one is not a number. A comparison, where C's fmax() is a call. */
static inline double engine_max(double a, double b) { return a > b ? a : b; }

/* Bits of the start: those of 1.0 times 1 + 1/n, lowered so that the error is even on both sides. */
#define ENGINE_ROOT3_START INT64_C(0x553ee00000000000)
#define ENGINE_ROOT5_START INT64_C(0x4cb8999999999999)

static inline double engine_root_start(double x, int n, int64_t start)
{
    int64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = start - bits / n;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* x^(-1/3), x > 0. */
static inline double engine_inverse_root3(double x)
{
    double y = engine_root_start(x, 3, ENGINE_ROOT3_START);
    for (int i = 0; i < 2; i++) {
        const double h = 1 - x * y * (y * y);
        y += y * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
    }
    return y;
}

/* x^(-1/5), x > 0. */
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

/* x^0.8, x > 0: the exponent of turbulent heat transfer. */
static inline double engine_power_08(double x) { return x * engine_inverse_root5(x); }

/* The nearest multiple of 90 as a number of quarter turns, and what is left, in rad. */
static inline uint64_t engine_quarter_turns(double deg, double *ret_rest)
{
    const double shift = 6755399441055744.0; /* 1.5 * 2^52: units end up in the lowest bits */
    const double shifted = deg * (1.0 / 90) + shift;
    uint64_t quarters;
    memcpy(&quarters, &shifted, sizeof quarters);
    *ret_rest = (deg - 90 * (shifted - shift)) * 0.017453292519943295; /* pi / 180 */
    return quarters;
}

static inline double engine_sine_series(double a)
{
    const double z = a * a;
    return a + a * z *
                   (-1.0 / 6 +
                    z * (1.0 / 120 +
                         z * (-1.0 / 5040 +
                              z * (1.0 / 362880 +
                                   z * (-1.0 / 39916800 +
                                        z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000)))))));
}

static inline double engine_cosine_series(double a)
{
    const double z = a * a;
    return 1 + z * (-1.0 / 2 +
                    z * (1.0 / 24 +
                         z * (-1.0 / 720 +
                              z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                                      z * (1.0 / 479001600 +
                                                           z * (-1.0 / 87178291200 +
                                                                z * (1.0 / 20922789888000))))))));
}

/* Sine of an angle in degrees, |deg| < 1e15. */
static inline double engine_sine_deg(double deg)
{
    double rest;
    const uint64_t quarters = engine_quarter_turns(deg, &rest);
    const double value = quarters & 1 ? engine_cosine_series(rest) : engine_sine_series(rest);
    return quarters & 2 ? -value : value;
}

/* Both. */
static inline void engine_sine_cosine_deg(double deg, double *ret_sine, double *ret_cosine)
{
    double rest;
    const uint64_t quarters = engine_quarter_turns(deg, &rest);
    const double s = engine_sine_series(rest), c = engine_cosine_series(rest);
    const double sine = quarters & 1 ? c : s, cosine = quarters & 1 ? s : c;
    *ret_sine = quarters & 2 ? -sine : sine;
    *ret_cosine = (quarters + 1) & 2 ? -cosine : cosine;
}

#endif
