/* Burned gas in chemical equilibrium: ten species CO2, H2O, N2, O2, CO, H2, H, O, OH, NO at given temperature and density.
 *
 * The species, the equations and the assumptions are those of C. Olikara, G. L. Borman, "A computer program for calculating
 * properties of equilibrium combustion products with some applications to I.C. engines", SAE 750468, 1975, without N and
 * argon. The gas is lean or moderately rich, and no soot forms. Density is given instead of pressure, so the balances of C, H
 * and N are linear or quadratic. One unknown remains, the concentration of O2. equilibrium.c has the equations.
 *
 * The results are the differences from the frozen gas, in which the same elements form CO2, H2O, N2 and O2 only. The frozen gas has the
 * properties of gas.h. So both gases agree at low temperature, and no difference of large numbers occurs.
 *
 * The result depends on the arguments only, not on earlier calls: Newton's method starts from an estimate that follows from the
 * arguments (start_value() in equilibrium.c).
 *
 * Thread: any. Real-time: all but engine_equilibrium_init().
 */
#ifndef ENGINE_EQUILIBRIUM_H
#define ENGINE_EQUILIBRIUM_H

#include "models/engine/gas.h"

/* Minor species, which form by dissociation of the frozen gas. */
enum { EQUILIBRIUM_MINORS = ENGINE_NASA_COUNT - ENGINE_PURE_COUNT, EQUILIBRIUM_PAIRS = 3 };
/* Terms of ln K in the order 1, 1/T, ln T, T, T^2, T^3, T^4. */
enum { EQUILIBRIUM_TERMS = 7 };

/* Coefficients of ln K of the formation of each minor species from the frozen gas, pairs of species. [range][term] */
typedef struct engine_equilibrium {
    engine_pair ln_k[2][EQUILIBRIUM_TERMS][EQUILIBRIUM_PAIRS];
} engine_equilibrium;

/* Amounts of elements, mol/m3. */
typedef struct engine_elements {
    double carbon, hydrogen, nitrogen; /* atoms */
    /* O atoms beyond complete combustion: all oxygen - 2 carbon - hydrogen / 2; < 0: rich gas */
    double excess;
} engine_elements;

/* Differences from the frozen gas at the same temperature and density. */
typedef struct engine_dissociation {
    double p;        /* pressure, Pa */
    double energy;   /* internal energy, J/m3 */
    double energy_T; /* derivative of energy by T at constant density, J/(m3 K) */
    /* derivatives of energy by the amounts of elements, J/mol */
    engine_elements energy_by;
    double mol_m3[EQUILIBRIUM_MINORS]; /* amounts of minor species: CO, H2, H, O, OH, NO */
} engine_dissociation;

void engine_equilibrium_init(engine_equilibrium *ret_data);

/* Computes the equilibrium at T, K. Returns 0, or 1 without convergence or for arguments outside the model. Outside: T not positive,
 * negative nitrogen, less oxygen than the carbon needs for CO, or values that are not finite. The polynomials extrapolate outside 200 to
 * 3500 K. */
int engine_equilibrium_at(const engine_equilibrium *data, double T, const engine_elements *elements,
                          engine_dissociation *ret);

#endif
