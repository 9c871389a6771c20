/* Gas properties of the engine: air, burned gas and fuel vapour as ideal gases.
 *
 * Heat capacity and enthalpy follow NASA's seven-coefficient polynomials [McBride, Gordon, Reno,
 * NASA TM 4513, 1993] with two temperature ranges that meet at 1000 K. Enthalpy is sensible,
 * h(298.15 K) = 0, and continuous at 1000 K. Which range holds is the caller's decision (`range`,
 * frozen between events); in the neighbourhood of 1000 K both give the same to 1e-5.
 *
 * Every component keeps its own engine_gas in its instance data, so that instances share nothing.
 *
 * Thread: any. Real-time: all but engine_gas_init().
 */
#ifndef ENGINE_GAS_H
#define ENGINE_GAS_H

/* Species. Air is 79 % N2 and 21 % O2; burned gas 74.6 % N2, 13.2 % CO2, 12.2 % H2O (by mole). */
enum { ENGINE_AIR, ENGINE_BURNED, ENGINE_FUEL, ENGINE_SPECIES_COUNT };

/* Temperature at which the two ranges of the polynomials meet, K. */
#define ENGINE_GAS_T_RANGE_K 1000.0
/* Temperature of zero sensible enthalpy, K. */
#define ENGINE_GAS_T_ZERO_K 298.15

typedef struct engine_gas {
    double r[ENGINE_SPECIES_COUNT];        /* specific gas constant, J/(kg K) */
    double cp[ENGINE_SPECIES_COUNT][2][5]; /* [species][range] polynomial of cp in T, J/(kg K) */
    double h[ENGINE_SPECIES_COUNT][2][6];  /* [species][range] polynomial of h in T, J/kg */
} engine_gas;

void engine_gas_init(engine_gas *ret_gas);

/* The pure species behind the mixtures, for checks against published values: heat capacity at
 * constant pressure, J/(mol K). */
enum { ENGINE_N2, ENGINE_O2, ENGINE_CO2, ENGINE_H2O, ENGINE_PURE_COUNT };
double engine_gas_molar_cp(int pure, double T);

/* Specific gas constant, J/(kg K). */
static inline double engine_gas_R(const engine_gas *gas, int species) { return gas->r[species]; }

/* Which range a temperature lies in: 0 up to 1000 K, 1 above. */
static inline int engine_gas_range(double T) { return T > ENGINE_GAS_T_RANGE_K; }

/* Heat capacity at constant pressure, J/(kg K). */
static inline double engine_gas_cp(const engine_gas *gas, int species, int range, double T)
{
    const double *c = gas->cp[species][range];
    return c[0] + T * (c[1] + T * (c[2] + T * (c[3] + T * c[4])));
}

/* Sensible enthalpy, J/kg. */
static inline double engine_gas_h(const engine_gas *gas, int species, int range, double T)
{
    const double *c = gas->h[species][range];
    return c[0] + T * (c[1] + T * (c[2] + T * (c[3] + T * (c[4] + T * c[5]))));
}

/* That of all species. */
static inline void engine_gas_all_h(const engine_gas *gas, int range, double T,
                                    double ret_h[ENGINE_SPECIES_COUNT])
{
    for (int s = 0; s < ENGINE_SPECIES_COUNT; s++)
        ret_h[s] = engine_gas_h(gas, s, range, T);
}

#endif
