/* The subsonic flow function. See orifice.h. */
#include "models/engine/orifice.h"

static const double gamma_gas = 1.36; /* isentropic exponent, warm air to exhaust gas */

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
double engine_orifice_psi(double ratio)
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
