/* Coefficients of the engine's gases. See gas.h.
 *
 * Pure species: NASA polynomials for 200-1000 K and 1000-3500 K as tabulated with GRI-Mech 3.0. The lower range of N2 begins at 300 K. OH:
 * A. Burcat, B. Ruscic, "Third millennium ideal gas and condensed phase thermochemical database", ANL-05/20, 2005. The standard pressure of
 * the entropies is 1 bar. GRI-Mech 3.0 has the entropy of N2 at 1 atm, so this file adds ln(1.01325) to the last coefficient of N2. Fuel
 * vapour: a straight-chain hydrocarbon of the weight of dodecane, cp fitted by a parabola. */
#include "models/engine/gas.h"

static const double molar_mass[ENGINE_PURE_COUNT] = {28.013e-3, 31.999e-3, 44.01e-3,
                                                     18.015e-3}; /* kg/mol */

/* clang-format off */
const double engine_nasa[ENGINE_NASA_COUNT][2][ENGINE_NASA_TERMS] = {
    [ENGINE_N2] = {{3.298677, 1.4082404e-3, -3.963222e-6, 5.641515e-9, -2.444854e-12, -1020.8999, 3.963535},
                   {2.92664, 1.4879768e-3, -5.68476e-7, 1.0097038e-10, -6.753351e-15, -922.7977, 5.993691}},
    [ENGINE_O2] = {{3.78245636, -2.99673416e-3, 9.84730201e-6, -9.68129509e-9, 3.24372837e-12, -1063.94356, 3.65767573},
                   {3.28253784, 1.48308754e-3, -7.57966669e-7, 2.09470555e-10, -2.16717794e-14, -1088.45772, 5.45323129}},
    [ENGINE_CO2] = {{2.35677352, 8.98459677e-3, -7.12356269e-6, 2.45919022e-9, -1.43699548e-13, -48371.9697, 9.90105222},
                    {3.85746029, 4.41437026e-3, -2.21481404e-6, 5.23490188e-10, -4.72084164e-14, -48759.166, 2.27163806}},
    [ENGINE_H2O] = {{4.19864056, -2.0364341e-3, 6.52040211e-6, -5.48797062e-9, 1.77197817e-12, -30293.7267, -0.849032208},
                    {3.03399249, 2.17691804e-3, -1.64072518e-7, -9.7041987e-11, 1.68200992e-14, -30004.2971, 4.9667701}},
    [ENGINE_CO] = {{3.57953347, -6.1035368e-4, 1.01681433e-6, 9.07005884e-10, -9.04424499e-13, -14344.086, 3.50840928},
                   {2.71518561, 2.06252743e-3, -9.98825771e-7, 2.30053008e-10, -2.03647716e-14, -14151.8724, 7.81868772}},
    [ENGINE_H2] = {{2.34433112, 7.98052075e-3, -1.9478151e-5, 2.01572094e-8, -7.37611761e-12, -917.935173, 0.683010238},
                   {3.3372792, -4.94024731e-5, 4.99456778e-7, -1.79566394e-10, 2.00255376e-14, -950.158922, -3.20502331}},
    [ENGINE_H] = {{2.5, 7.05332819e-13, -1.99591964e-15, 2.30081632e-18, -9.27732332e-22, 25473.6599, -0.446682853},
                  {2.50000001, -2.30842973e-11, 1.61561948e-14, -4.73515235e-18, 4.98197357e-22, 25473.6599, -0.446682914}},
    [ENGINE_O] = {{3.1682671, -3.27931884e-3, 6.64306396e-6, -6.12806624e-9, 2.11265971e-12, 29122.2592, 2.05193346},
                  {2.56942078, -8.59741137e-5, 4.19484589e-8, -1.00177799e-11, 1.22833691e-15, 29217.5791, 4.78433864}},
    [ENGINE_OH] = {{3.99198424, -2.40106655e-3, 4.61664033e-6, -3.87916306e-9, 1.36319502e-12, 3368.89836, -0.103998477},
                   {2.83853033, 1.10741289e-3, -2.94000209e-7, 4.20698729e-11, -2.4228989e-15, 3697.80808, 5.84494652}},
    [ENGINE_NO] = {{4.2184763, -4.638976e-3, 1.1041022e-5, -9.3361354e-9, 2.803577e-12, 9844.623, 2.2808464},
                   {3.2606056, 1.1911043e-3, -4.2917048e-7, 6.9457669e-11, -4.0336099e-15, 9920.9746, 6.3693027}},
};
/* clang-format on */

/* Mole fractions of air and burned gas. Burned gas (assumed): complete combustion of CH1.85 in air with 2.7 % more N2. */
static const double mole_fraction[2][ENGINE_PURE_COUNT] = {
    [ENGINE_AIR] = {[ENGINE_N2] = 0.79, [ENGINE_O2] = 0.21},
    [ENGINE_BURNED] = {[ENGINE_N2] = 0.746, [ENGINE_CO2] = 0.132, [ENGINE_H2O] = 0.122},
};

/* Molar mass and heat capacity of fuel vapour. */
static const double fuel_molar_mass = 0.170; /* kg/mol, C12H26 */
static const double fuel_cp[ENGINE_FUEL_CP_TERMS] = {1000, 2.4,
                                                     -0.6e-3}; /* J/(kg K), powers of T */

void engine_gas_moles(int species, double ret_mol_kg[ENGINE_PURE_COUNT])
{
    double mass = 0; /* kg/mol */
    for (int i = 0; i < ENGINE_PURE_COUNT; i++)
        mass += mole_fraction[species][i] * molar_mass[i];
    for (int i = 0; i < ENGINE_PURE_COUNT; i++)
        ret_mol_kg[i] = mole_fraction[species][i] / mass;
}

double engine_gas_molar_cp(int pure, double T)
{
    const double *a = engine_nasa[pure][engine_gas_range(T)];
    return ENGINE_GAS_CONSTANT * (a[0] + T * (a[1] + T * (a[2] + T * (a[3] + T * a[4]))));
}

static void set_mixture(engine_gas *gas, int species)
{
    const double *x = mole_fraction[species];
    double mass = 0; /* kg/mol */
    for (int i = 0; i < ENGINE_PURE_COUNT; i++)
        mass += x[i] * molar_mass[i];
    const double r = ENGINE_GAS_CONSTANT / mass;
    gas->r[species] = r;
    for (int range = 0; range < 2; range++)
        for (int power = 0; power < ENGINE_CP_TERMS; power++) {
            double a = 0;
            for (int i = 0; i < ENGINE_PURE_COUNT; i++)
                a += x[i] * engine_nasa[i][range][power];
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
    const double r = ENGINE_GAS_CONSTANT / fuel_molar_mass;
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
