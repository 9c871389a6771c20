/* The subsonic flow function outside of the range of the series. See orifice.h. */
#include "models/engine/orifice.h"

#include "models/engine/powers.h"

static const double gamma_gas = 1.36; /* isentropic exponent, warm air to exhaust gas */

double engine_orifice_formula(double ratio)
{
    const double a = pow(ratio, 1.0 / gamma_gas);
    return engine_max(2 * gamma_gas / (gamma_gas - 1) * (a * a - a * ratio), 0);
}
