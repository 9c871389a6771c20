/* Coefficients of the engine's gases. See gas.h.
 *
 * Pure species: NASA polynomials cp/R = a1 + a2 T + ... + a5 T^4 for 200-1000 K and 1000-3500 K as
 * tabulated with GRI-Mech 3.0 (N2, O2, CO2, H2O). Fuel vapour: a straight-chain hydrocarbon of the
 * weight of dodecane, cp fitted by a parabola. */
#include "models/engine/gas.h"

/* Universal gas constant, J/(mol K) (CODATA 2018, rounded). */
static const double gas_constant = 8.314462;

static const double molar_mass[ENGINE_PURE_COUNT] = {28.013e-3, 31.999e-3, 44.01e-3,
                                                     18.015e-3}; /* kg/mol */

/* cp/R: [species][range][power of T] */
static const double nasa[ENGINE_PURE_COUNT][2][5] = {
    [ENGINE_N2] = {{3.298677, 1.4082404e-3, -3.963222e-6, 5.641515e-9, -2.444854e-12},
                   {2.92664, 1.4879768e-3, -5.68476e-7, 1.0097038e-10, -6.753351e-15}},
    [ENGINE_O2] = {{3.78245636, -2.99673416e-3, 9.84730201e-6, -9.68129509e-9, 3.24372837e-12},
                   {3.28253784, 1.48308754e-3, -7.57966669e-7, 2.09470555e-10, -2.16717794e-14}},
    [ENGINE_CO2] = {{2.35677352, 8.98459677e-3, -7.12356269e-6, 2.45919022e-9, -1.43699548e-13},
                    {3.85746029, 4.41437026e-3, -2.21481404e-6, 5.23490188e-10, -4.72084164e-14}},
    [ENGINE_H2O] = {{4.19864056, -2.0364341e-3, 6.52040211e-6, -5.48797062e-9, 1.77197817e-12},
                    {3.03399249, 2.17691804e-3, -1.64072518e-7, -9.7041987e-11, 1.68200992e-14}},
};

/* Mole fractions of air and burned gas. Burned gas: complete combustion of CH1.85 in air. */
static const double mole_fraction[2][ENGINE_PURE_COUNT] = {
    [ENGINE_AIR] = {[ENGINE_N2] = 0.79, [ENGINE_O2] = 0.21},
    [ENGINE_BURNED] = {[ENGINE_N2] = 0.746, [ENGINE_CO2] = 0.132, [ENGINE_H2O] = 0.122},
};

/* Molar mass and heat capacity of fuel vapour. */
static const double fuel_molar_mass = 0.170; /* kg/mol, C12H26 */
static const double fuel_cp[ENGINE_FUEL_CP_TERMS] = {1000, 2.4,
                                                     -0.6e-3}; /* J/(kg K), powers of T */

double engine_gas_molar_cp(int pure, double T)
{
    const double *a = nasa[pure][engine_gas_range(T)];
    return gas_constant * (a[0] + T * (a[1] + T * (a[2] + T * (a[3] + T * a[4]))));
}

static void set_mixture(engine_gas *gas, int species)
{
    const double *x = mole_fraction[species];
    double mass = 0; /* kg/mol */
    for (int i = 0; i < ENGINE_PURE_COUNT; i++)
        mass += x[i] * molar_mass[i];
    const double r = gas_constant / mass;
    gas->r[species] = r;
    for (int range = 0; range < 2; range++)
        for (int power = 0; power < ENGINE_CP_TERMS; power++) {
            double a = 0;
            for (int i = 0; i < ENGINE_PURE_COUNT; i++)
                a += x[i] * nasa[i][range][power];
            const double cp = r * a;
            gas->cv[range][power][species] = power == 0 ? cp - r : cp;
            gas->h[range][power + 1][species] = cp / (power + 1);
        }
}

/* Computes the coefficients. The constant terms of the enthalpies follow last, from h(298.15 K) = 0 and continuity at 1000 K. */
void engine_gas_init(engine_gas *ret_gas)
{
    engine_gas *gas = ret_gas;
    *gas = (engine_gas){0};
    set_mixture(gas, ENGINE_AIR);
    set_mixture(gas, ENGINE_BURNED);
    const double r = gas_constant / fuel_molar_mass;
    gas->r[ENGINE_FUEL] = r;
    for (int power = 0; power < ENGINE_FUEL_CP_TERMS; power++) {
        gas->fuel_cv[power] = power == 0 ? fuel_cp[power] - r : fuel_cp[power];
        gas->fuel_h[power + 1] = fuel_cp[power] / (power + 1);
    }
    gas->h[0][0] = -engine_gas_pair_h(gas, 0, ENGINE_GAS_T_ZERO_K);
    gas->h[1][0] = engine_gas_pair_h(gas, 0, ENGINE_GAS_T_RANGE_K) -
                   engine_gas_pair_h(gas, 1, ENGINE_GAS_T_RANGE_K);
    gas->fuel_h[0] = -engine_gas_fuel_h(gas, ENGINE_GAS_T_ZERO_K);
}
