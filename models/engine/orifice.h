/* Compressible flow through an orifice (Heywood, Internal Combustion Engine Fundamentals, 1988, appendix C), with the
 * isentropic exponent 1.36 for all gases of the engine:
 *
 *     mdot = A p_up / sqrt(R T_up) psi(p_down / p_up)
 *
 * The flow function psi has three branches: choked below the critical pressure ratio, subsonic, and linear in the pressure
 * difference above 0.99. At ratio 1 the slope of psi would be infinite. The flow is continuous across the branches and through zero.
 * Each orifice has three indicators: direction, not laminar, choked.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_ORIFICE_H
#define ENGINE_ORIFICE_H

#include <math.h>
#include <stddef.h>

#include "models/engine/pair.h"

/* Indicators, and modes, of one orifice. */
enum {
    ENGINE_ORIFICE_FORWARD, /* p1 > p2 */
    ENGINE_ORIFICE_FREE,    /* pressure ratio below 0.99: not laminar */
    ENGINE_ORIFICE_CHOKED,  /* pressure ratio below the critical ratio */
    ENGINE_ORIFICE_MODE_COUNT
};
extern const char *const engine_orifice_mode_name[ENGINE_ORIFICE_MODE_COUNT];

/* Pressure ratios at which the branches meet: the critical ratio (2 / (gamma + 1))^(gamma / (gamma - 1)), and the start of
 * the linear branch; then psi at both ratios. tests/unit/models/test_engine_cylinder.c checks psi. */
#define ENGINE_ORIFICE_RATIO_CHOKED 0.535
#define ENGINE_ORIFICE_RATIO_LAMINAR 0.99
#define ENGINE_ORIFICE_PSI_CHOKED 0.67788526768002966
#define ENGINE_ORIFICE_PSI_LAMINAR 0.14063942630237877

/* Returns the square of the subsonic flow function (Heywood, 1988, eq. C.8): 2 g / (g - 1) (a^2 - a ratio), a = ratio^(1/g), g = gamma. */
double engine_orifice_formula(double ratio);

/* Returns the square of the subsonic flow function, from a series for ratios from 0.5 to 1, else (trial steps) from the formula. The series
 * is psi^2 / (1 - ratio) over t = 4 ratio - 3, expanded in Chebyshev polynomials and written as powers, with a relative error of 1.2e-14.
 * The series has no zero and no cancellation for these ratios. */
static inline double engine_orifice_subsonic(double ratio)
{
    enum { PSI_PAIRS = 8 };
    static const engine_pair series[PSI_PAIRS] = {
        {1.4515709611679725, 0.54443686770846984},
        {0.0051389942750071233, -0.0013851587043570473},
        {2.9004709830823723e-4, -6.3573799300233506e-5},
        {1.4713714329087721e-5, -3.5629797973172767e-6},
        {8.9476853116848212e-7, -2.3202949854584251e-7},
        {6.1534996425895231e-8, -1.5820059150078408e-8},
        {4.2997144821497626e-9, -1.7391685753496725e-9},
        {5.0485992552006862e-10, 0},
    };
    if (!(ratio >= 0.5 && ratio <= 1))
        return engine_orifice_formula(ratio);
    return (1 - ratio) * engine_polynomial(series, PSI_PAIRS, 4 * ratio - 3);
}

/* Returns the mass flow from 1 to 2, kg/s (negative: from 2 to 1). area_m2: effective area; p1, p2: pressures, Pa; rt1, rt2: R T on both
 * sides, J/kg; mode: three frozen modes, or NULL if the pressures select the branch. */
static inline double engine_orifice(double area_m2, double p1, double rt1, double p2, double rt2,
                                    const unsigned char *mode)
{
    const int is_forward = mode != NULL ? mode[ENGINE_ORIFICE_FORWARD] : p1 > p2;
    const double p_up = is_forward ? p1 : p2;
    const double p_down = is_forward ? p2 : p1;
    const double rt_up = is_forward ? rt1 : rt2;
    const double ratio = p_down / p_up;
    double factor = area_m2 * p_up, square; /* square: psi^2, or 1 in the linear branch */
    if (mode != NULL ? mode[ENGINE_ORIFICE_CHOKED] : ratio < ENGINE_ORIFICE_RATIO_CHOKED) {
        square = ENGINE_ORIFICE_PSI_CHOKED * ENGINE_ORIFICE_PSI_CHOKED;
    } else if (mode != NULL ? mode[ENGINE_ORIFICE_FREE] : ratio < ENGINE_ORIFICE_RATIO_LAMINAR) {
        square = engine_orifice_subsonic(ratio);
    } else {
        factor *= (1 - ratio) * (ENGINE_ORIFICE_PSI_LAMINAR / (1 - ENGINE_ORIFICE_RATIO_LAMINAR));
        square = 1;
    }
    const double flow = factor * sqrt(square / rt_up);
    return is_forward ? flow : -flow;
}

/* Writes the three indicators: (p1 - p2) in bar, 0.99 - ratio, critical - ratio. */
static inline void engine_orifice_indicators(double p1, double p2,
                                             double ret_z[ENGINE_ORIFICE_MODE_COUNT])
{
    const double per_bar = 1e-5;
    const double ratio = p1 > p2 ? p2 / p1 : p1 / p2;
    ret_z[ENGINE_ORIFICE_FORWARD] = (p1 - p2) * per_bar;
    ret_z[ENGINE_ORIFICE_FREE] = ENGINE_ORIFICE_RATIO_LAMINAR - ratio;
    ret_z[ENGINE_ORIFICE_CHOKED] = ENGINE_ORIFICE_RATIO_CHOKED - ratio;
}

#endif
