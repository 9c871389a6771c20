/* Table of burned gas in chemical equilibrium over temperature, density and composition, built at the start from equilibrium.h.
 *
 * Interpolation: cubic convolution with four nodes in each direction, so values and first derivatives are continuous (R. G. Keys, "Cubic
 * convolution interpolation for digital image processing", IEEE Trans. ASSP 29, 1981, eq. 15). The directions are T, ln(density)
 * and an angle. The squared sine of the angle is the burned fraction, because OH grows with the root of the burned fraction. O and NO grow
 * with the root of the air fraction.
 *
 * Thread: any. Real-time: all but engine_equilibrium_table_init().
 */
#ifndef ENGINE_EQUILIBRIUM_TABLE_H
#define ENGINE_EQUILIBRIUM_TABLE_H

#include "models/engine/equilibrium.h"

/* Number of nodes in each direction (assumed), with one node beyond each end. */
enum { EQUILIBRIUM_NODES_T = 77, EQUILIBRIUM_NODES_RHO = 25, EQUILIBRIUM_NODES_ANGLE = 26 };
typedef struct engine_equilibrium_table {
    /* lanes: energy of dissociation, J/kg; pressure of dissociation over density, J/kg */
    engine_pair node[EQUILIBRIUM_NODES_T][EQUILIBRIUM_NODES_RHO][EQUILIBRIUM_NODES_ANGLE];
} engine_equilibrium_table;

/* Mixture of air and burned gas. */
typedef struct engine_mixture {
    double T, rho, burned; /* K, kg/m3, mass fraction of burned gas */
} engine_mixture;

/* Properties of dissociation per mass of a mixture. */
typedef struct engine_mixture_properties {
    double p;                                      /* over density, J/kg */
    double energy;                                 /* J/kg */
    double energy_T, energy_ln_rho, energy_burned; /* derivatives of the energy */
} engine_mixture_properties;

/* Computes the properties from the equilibrium. air, burned: elements, mol/kg. Returns as engine_equilibrium_at(). */
int engine_mixture_at(const engine_equilibrium *data, const engine_elements *air,
                      const engine_elements *burned, const engine_mixture *mixture,
                      engine_mixture_properties *ret);

/* Computes the nodes. Returns 0, or 1 if a node has no equilibrium. */
int engine_equilibrium_table_init(engine_equilibrium_table *ret_table,
                                  const engine_equilibrium *data, const engine_elements *air,
                                  const engine_elements *burned);
/* Interpolates the properties. Returns 0, or 1 if the mixture is outside the table: 250 to 3210 K, 0.02 to 132 kg/m3, burned fraction
 * 0.004 to 0.996. */
int engine_equilibrium_table_at(const engine_equilibrium_table *table,
                                const engine_mixture *mixture, engine_mixture_properties *ret);

#endif
