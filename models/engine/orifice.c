/* Compressible flow through an orifice. See orifice.h. */
#include "models/engine/orifice.h"

#include <math.h>
#include <stddef.h>

static const double gamma_gas = 1.36;     /* isentropic exponent, warm air to exhaust gas */
static const double ratio_choked = 0.535; /* (2 / (gamma + 1))^(gamma / (gamma - 1)) */
static const double ratio_laminar = 0.99; /* linear above it */
static const double pascal_per_bar = 1.0e5;

/* psi at the two ends of the subsonic branch; test_engine_cylinder.c checks them. */
static const double psi_choked = 0.67788526768002966;
static const double psi_laminar = 0.14063942630237877;

/* psi^2 / (1 - ratio) over t = 4 ratio - 3, that is, ratio from 0.5 to 1, expanded in Chebyshev
 * polynomials and written as powers; relative error 1.2e-14. It has no zero and no cancellation
 * there. */
enum { PSI_TERMS = 15 };
static const double psi_series[PSI_TERMS] = {
    1.4515709611679725,    0.54443686770846984,    0.0051389942750071233,  -0.0013851587043570473,
    2.9004709830823723e-4, -6.3573799300233506e-5, 1.4713714329087721e-5,  -3.5629797973172767e-6,
    8.9476853116848212e-7, -2.3202949854584251e-7, 6.1534996425895231e-8,  -1.5820059150078408e-8,
    4.2997144821497626e-9, -1.7391685753496725e-9, 5.0485992552006862e-10,
};

/* Subsonic flow function [Heywood, eq. C.8]: sqrt(2 g / (g - 1) (a^2 - a ratio)),
 * a = ratio^(1 / g). By its series where flows are, by its formula elsewhere (trial steps). */
static double psi_subsonic(double ratio)
{
    if (ratio >= 0.5 && ratio <= 1) {
        const double t = 4 * ratio - 3, square = t * t;
        double even = psi_series[PSI_TERMS - 1], odd = psi_series[PSI_TERMS - 2];
        for (int i = PSI_TERMS - 3; i > 0; i -= 2) {
            even = even * square + psi_series[i];
            odd = odd * square + psi_series[i - 1];
        }
        even = even * square + psi_series[0];
        return sqrt((1 - ratio) * (even + t * odd));
    }
    const double a = pow(ratio, 1.0 / gamma_gas);
    const double square = a * a - a * ratio;
    return square > 0 ? sqrt(2 * gamma_gas / (gamma_gas - 1) * square) : 0;
}

static void modes_from_pressures(double p1, double p2, unsigned char *ret_mode)
{
    double z[ENGINE_ORIFICE_MODE_COUNT];
    engine_orifice_indicators(p1, p2, z);
    for (int i = 0; i < ENGINE_ORIFICE_MODE_COUNT; i++)
        ret_mode[i] = z[i] > 0;
}

double engine_orifice(double area_m2, double p1, double rt1, double p2, double rt2,
                      const unsigned char *mode)
{
    unsigned char own[ENGINE_ORIFICE_MODE_COUNT];
    if (mode == NULL) {
        modes_from_pressures(p1, p2, own);
        mode = own;
    }
    const int is_forward = mode[ENGINE_ORIFICE_FORWARD];
    const double p_up = is_forward ? p1 : p2;
    const double p_down = is_forward ? p2 : p1;
    const double rt_up = is_forward ? rt1 : rt2;
    const double ratio = p_down / p_up;
    double psi;
    if (mode[ENGINE_ORIFICE_CHOKED])
        psi = psi_choked;
    else if (mode[ENGINE_ORIFICE_FREE])
        psi = psi_subsonic(ratio);
    else
        psi = psi_laminar * (1 - ratio) / (1 - ratio_laminar);
    const double flow = area_m2 * p_up / sqrt(rt_up) * psi;
    return is_forward ? flow : -flow;
}

void engine_orifice_indicators(double p1, double p2, double ret_z[ENGINE_ORIFICE_MODE_COUNT])
{
    const double ratio = p1 > p2 ? p2 / p1 : p1 / p2;
    ret_z[ENGINE_ORIFICE_FORWARD] = (p1 - p2) / pascal_per_bar;
    ret_z[ENGINE_ORIFICE_FREE] = ratio_laminar - ratio;
    ret_z[ENGINE_ORIFICE_CHOKED] = ratio_choked - ratio;
}
