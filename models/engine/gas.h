/* Gas properties of the engine: air, burned gas and fuel vapour as ideal gases.
 *
 * Heat capacity and enthalpy follow NASA's seven-coefficient polynomials (models/engine/readme.md),
 * with the values of GRI-Mech 3.0 (gas.c) and two temperature ranges that meet at 1000 K. Enthalpy is sensible,
 * h(298.15 K) = 0, and continuous at 1000 K. The caller selects the range (`range`, frozen between events). Near 1000 K
 * both ranges agree to 1e-5.
 *
 * A component that needs gas properties has an engine_gas in its instance data, so that instances share nothing.
 *
 * Thread: any. Real-time: all but engine_gas_init().
 */
#ifndef ENGINE_GAS_H
#define ENGINE_GAS_H

#include "models/engine/pair.h"

/* Species. Air is 79 % N2 and 21 % O2; burned gas 74.6 % N2, 13.2 % CO2, 12.2 % H2O (by mole, assumed). */
enum { ENGINE_AIR, ENGINE_BURNED, ENGINE_FUEL, ENGINE_SPECIES_COUNT };

/* Temperature at which the two ranges of the polynomials meet, K. */
#define ENGINE_GAS_T_RANGE_K 1000.0
/* Temperature of zero sensible enthalpy, K. */
#define ENGINE_GAS_T_ZERO_K 298.15

/* Coefficients. Air and burned gas are pairs, because components need both at the same temperature. Fuel vapour has the
 * same coefficients in both ranges. */
enum { ENGINE_CP_TERMS = 5, ENGINE_H_TERMS = 6, ENGINE_FUEL_CP_TERMS = 3, ENGINE_FUEL_H_TERMS = 4 };
typedef struct engine_gas {
    double r[ENGINE_SPECIES_COUNT];     /* specific gas constant, J/(kg K) */
    engine_pair cv[2][ENGINE_CP_TERMS]; /* [range] polynomial of cp - R in T, J/(kg K) */
    engine_pair h[2][ENGINE_H_TERMS];   /* [range] polynomial of h in T, J/kg */
    double fuel_cv[ENGINE_FUEL_CP_TERMS], fuel_h[ENGINE_FUEL_H_TERMS];
} engine_gas;

void engine_gas_init(engine_gas *ret_gas);

/* Universal gas constant, J/(mol K) (CODATA 2018, truncated after six decimals). */
#define ENGINE_GAS_CONSTANT 8.314462

/* Pure species: first the species of air and burned gas, then the species into which they dissociate (equilibrium.h). */
enum {
    ENGINE_N2,
    ENGINE_O2,
    ENGINE_CO2,
    ENGINE_H2O,
    ENGINE_PURE_COUNT,
    ENGINE_CO = ENGINE_PURE_COUNT,
    ENGINE_H2,
    ENGINE_H,
    ENGINE_O,
    ENGINE_OH,
    ENGINE_NO,
    ENGINE_NASA_COUNT
};

/* NASA's seven coefficients of a pure species: a1 to a5 of cp/R, then the constants of h/(R T) and s/R. [species][range] */
enum { ENGINE_NASA_TERMS = 7 };
extern const double engine_nasa[ENGINE_NASA_COUNT][2][ENGINE_NASA_TERMS];

/* Writes the amounts of pure species in air or burned gas, mol/kg. */
void engine_gas_moles(int species, double ret_mol_kg[ENGINE_PURE_COUNT]);
/* Returns the molar heat capacity at constant pressure of a pure species, J/(mol K), for checks against published values. */
double engine_gas_molar_cp(int pure, double T);

/* Returns the specific gas constant, J/(kg K). */
static inline double engine_gas_R(const engine_gas *gas, int species) { return gas->r[species]; }

/* Returns the temperature range: 0 up to 1000 K, 1 above. */
static inline int engine_gas_range(double T) { return T > ENGINE_GAS_T_RANGE_K; }

static inline engine_pair engine_gas_pair_R(const engine_gas *gas)
{
    return (engine_pair){gas->r[ENGINE_AIR], gas->r[ENGINE_BURNED]};
}

/* Returns the heat capacities at constant volume of air and burned gas, J/(kg K). */
static inline engine_pair engine_gas_pair_cv(const engine_gas *gas, int range, double T)
{
    const engine_pair *c = gas->cv[range], t = engine_both(T);
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
}

/* Returns the sensible enthalpies of air and burned gas, J/kg. */
static inline engine_pair engine_gas_pair_h(const engine_gas *gas, int range, double T)
{
    const engine_pair *c = gas->h[range], t = engine_both(T);
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
}

/* Returns the heat capacity at constant volume of fuel vapour, J/(kg K). */
static inline double engine_gas_fuel_cv(const engine_gas *gas, double T)
{
    const double *c = gas->fuel_cv;
    return c[0] + T * (c[1] + T * c[2]);
}

static inline double engine_gas_fuel_h(const engine_gas *gas, double T)
{
    const double *c = gas->fuel_h;
    return c[0] + T * (c[1] + T * (c[2] + T * c[3]));
}

/* Returns the heat capacity at constant pressure of a species, J/(kg K). */
static inline double engine_gas_cp(const engine_gas *gas, int species, int range, double T)
{
    return gas->r[species] + (species == ENGINE_FUEL ? engine_gas_fuel_cv(gas, T)
                                                     : engine_gas_pair_cv(gas, range, T)[species]);
}

static inline double engine_gas_h(const engine_gas *gas, int species, int range, double T)
{
    return species == ENGINE_FUEL ? engine_gas_fuel_h(gas, T)
                                  : engine_gas_pair_h(gas, range, T)[species];
}

/* Writes the enthalpies of all species, J/kg. */
static inline void engine_gas_all_h(const engine_gas *gas, int range, double T,
                                    double ret_h[ENGINE_SPECIES_COUNT])
{
    const engine_pair h = engine_gas_pair_h(gas, range, T);
    ret_h[ENGINE_AIR] = h[ENGINE_AIR];
    ret_h[ENGINE_BURNED] = h[ENGINE_BURNED];
    ret_h[ENGINE_FUEL] = engine_gas_fuel_h(gas, T);
}

#endif
