/* Table of burned gas in chemical equilibrium. See equilibrium_table.h. */
#include "models/engine/equilibrium_table.h"

#include <math.h>

#include "models/engine/powers.h"

/* First node inside the table, and distance of nodes (assumed). */
static const double first_k = 250, step_k = 40;
static const double first_ln_rho = -3.912023005428146, step_ln_rho = 0.4; /* ln(0.02 kg/m3) */
static const double step_angle = 1.57079632679489661923 / (EQUILIBRIUM_NODES_ANGLE - 1); /* rad */

/* Node i in each direction; node 0 is before the first node inside. */
static double node_k(int i) { return first_k + (i - 1) * step_k; }
static double node_rho(int i) { return exp(first_ln_rho + (i - 1) * step_ln_rho); }
static double node_burned(int i)
{
    const double root = sin(i * step_angle);
    return root * root;
}

int engine_mixture_at(const engine_equilibrium *data, const engine_elements *air,
                      const engine_elements *burned, const engine_mixture *mixture,
                      engine_mixture_properties *ret)
{
    const double rho = mixture->rho, share = mixture->burned;
    const engine_elements elements = {
        .carbon = rho * share * burned->carbon,
        .hydrogen = rho * share * burned->hydrogen,
        .nitrogen = rho * (air->nitrogen + share * (burned->nitrogen - air->nitrogen)),
        .excess = rho * (1 - share) * air->excess,
    };
    engine_dissociation gas;
    if (!(rho > 0) || engine_equilibrium_at(data, mixture->T, &elements, &gas) != 0)
        return 1;
    const engine_elements *by = &gas.energy_by;
    const double per_rho = 1 / rho;
    ret->p = gas.p * per_rho;
    ret->energy = gas.energy * per_rho;
    ret->energy_T = gas.energy_T * per_rho;
    ret->energy_ln_rho = (by->carbon * elements.carbon + by->hydrogen * elements.hydrogen +
                          by->nitrogen * elements.nitrogen + by->excess * elements.excess) *
                             per_rho -
                         ret->energy;
    ret->energy_burned = by->carbon * burned->carbon + by->hydrogen * burned->hydrogen +
                         by->nitrogen * (burned->nitrogen - air->nitrogen) -
                         by->excess * air->excess;
    return 0;
}

int engine_equilibrium_table_init(engine_equilibrium_table *ret_table,
                                  const engine_equilibrium *data, const engine_elements *air,
                                  const engine_elements *burned)
{
    for (int i = 0; i < EQUILIBRIUM_NODES_T; i++)
        for (int j = 0; j < EQUILIBRIUM_NODES_RHO; j++)
            for (int k = 0; k < EQUILIBRIUM_NODES_ANGLE; k++) {
                const engine_mixture at = {node_k(i), node_rho(j), node_burned(k)};
                engine_mixture_properties gas;
                if (engine_mixture_at(data, air, burned, &at, &gas) != 0)
                    return 1;
                ret_table->node[i][j][k] = (engine_pair){gas.energy, gas.p};
            }
    return 0;
}

enum { STENCIL = 4 };
/* Cell of a coordinate: first node of the stencil, weights of the nodes, and weights of the derivative. */
typedef struct cell {
    int first;
    double weight[STENCIL], slope[STENCIL];
} cell;

/* Finds the cell. x: coordinate in node distances from node 0. Returns 0, or 1 outside. */
static inline int find_cell(double x, double per_step, int n_node, cell *ret)
{
    if (!(x >= 1 && x <= n_node - 2))
        return 1;
    const int below = x < n_node - 2 ? (int)x : n_node - 3;
    const double t = x - below, s = 1 - t, ts = t * s;
    ret->first = below - 1;
    ret->weight[0] = -0.5 * ts * s;
    ret->weight[1] = 1 - t * t * (2.5 - 1.5 * t);
    ret->weight[2] = 1 - s * s * (2.5 - 1.5 * s);
    ret->weight[3] = -0.5 * ts * t;
    ret->slope[0] = per_step * (-0.5 * s * (1 - 3 * t));
    ret->slope[1] = per_step * (t * (4.5 * t - 5));
    ret->slope[2] = per_step * (-s * (4.5 * s - 5));
    ret->slope[3] = per_step * (0.5 * t * (1 - 3 * s));
    return 0;
}

int engine_equilibrium_table_at(const engine_equilibrium_table *table,
                                const engine_mixture *mixture, engine_mixture_properties *ret)
{
    const double root = sqrt(mixture->burned), root_air = sqrt(1 - mixture->burned);
    if (!(mixture->rho > 0) || !(root > 0) || !(root_air > 0))
        return 1;
    const double angle = atan2(root, root_air);
    const double ln_rho = engine_log2(mixture->rho) * 0.69314718055994530942;
    cell T, rho, composition;
    if (find_cell((mixture->T - first_k) / step_k + 1, 1 / step_k, EQUILIBRIUM_NODES_T, &T) != 0 ||
        find_cell((ln_rho - first_ln_rho) / step_ln_rho + 1, 1 / step_ln_rho, EQUILIBRIUM_NODES_RHO,
                  &rho) != 0 ||
        find_cell(angle / step_angle, 1 / step_angle, EQUILIBRIUM_NODES_ANGLE, &composition) != 0)
        return 1;
    engine_pair value = {0}, by_T = {0}, by_rho = {0}, by_angle = {0};
    for (int i = 0; i < STENCIL; i++) {
        engine_pair line = {0}, line_rho = {0}, line_angle = {0};
        for (int j = 0; j < STENCIL; j++) {
            const engine_pair *row = &table->node[T.first + i][rho.first + j][composition.first];
            engine_pair sum = {0}, slope = {0};
            for (int k = 0; k < STENCIL; k++) {
                sum += engine_both(composition.weight[k]) * row[k];
                slope += engine_both(composition.slope[k]) * row[k];
            }
            line += engine_both(rho.weight[j]) * sum;
            line_rho += engine_both(rho.slope[j]) * sum;
            line_angle += engine_both(rho.weight[j]) * slope;
        }
        value += engine_both(T.weight[i]) * line;
        by_T += engine_both(T.slope[i]) * line;
        by_rho += engine_both(T.weight[i]) * line_rho;
        by_angle += engine_both(T.weight[i]) * line_angle;
    }
    *ret = (engine_mixture_properties){.p = value[1],
                                       .energy = value[0],
                                       .energy_T = by_T[0],
                                       .energy_ln_rho = by_rho[0],
                                       .energy_burned = 0.5 * by_angle[0] / (root * root_air)};
    return 0;
}
