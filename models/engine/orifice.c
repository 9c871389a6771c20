/* The subsonic flow function where no flows are. See orifice.h. */
#include "models/engine/orifice.h"

static const double gamma_gas = 1.36; /* isentropic exponent, warm air to exhaust gas */

double engine_orifice_psi_formula(double ratio)
{
    const double a = pow(ratio, 1.0 / gamma_gas);
    const double square = a * a - a * ratio;
    return square > 0 ? sqrt(2 * gamma_gas / (gamma_gas - 1) * square) : 0;
}
