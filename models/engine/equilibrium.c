/* Chemical equilibrium at given temperature and density. See equilibrium.h.
 *
 * Concentrations q are partial pressures over the standard pressure. With the atoms C, H, N and the excess oxygen X in this unit,
 * z = sqrt(q_O2), y = sqrt(q_H2O) and w = sqrt(q_N2), mass action and balances are
 *
 *     CO = K1 q_CO2 / z    H2 = K2 y^2 / z    H = K3 y / sqrt(z)    O = K4 z    OH = K5 y sqrt(z)    NO = K6 w z
 *     C = q_CO2 + CO
 *     H = 2 (1 + K2/z) y^2 + (K3 / sqrt(z) + K5 sqrt(z)) y
 *     N = 2 w^2 + K6 z w
 *     X = 2 z^2 + O + NO + OH/2 - CO - H2 - H/2
 *
 * The first three balances give q_CO2, y and w in closed form for each z. Let G be the right side of the last balance less X. G increases
 * with z, and z G appears convex in z (without a proof). For a convex z G Newton's method converges from every start with a positive slope.
 * Random cases of the tests converge, and without convergence the result is an error. Heywood (Internal Combustion Engine Fundamentals,
 * 1988, 3.7.1) has the mass action. The elimination follows from the balances.
 *
 * Derivatives follow from the implicit function theorem: E(z, v) with G(z, v) = 0 has dE/dv = E_v - E_z G_v / G_z.
 */
#include "models/engine/equilibrium.h"

#include <float.h>
#include <math.h>

#include "models/engine/powers.h"

/* Standard pressure of the thermodynamic data, Pa (gas.c). */
static const double standard_pa = 1e5;
/* Newton's method ends with a relative step below this value (assumed). The next step would be of the order of its square. */
static const double last_step = 1e-8;
enum { MAX_ITERATIONS = 100 };

enum { CO, H2, H, O, OH, NO };

/* Number of molecules of N2, O2, CO2, H2O that form one molecule of a minor species; < 0: products. */
static const double from[EQUILIBRIUM_MINORS][ENGINE_PURE_COUNT] = {
    [CO] = {[ENGINE_CO2] = 1, [ENGINE_O2] = -0.5},   [H2] = {[ENGINE_H2O] = 1, [ENGINE_O2] = -0.5},
    [H] = {[ENGINE_H2O] = 0.5, [ENGINE_O2] = -0.25}, [O] = {[ENGINE_O2] = 0.5},
    [OH] = {[ENGINE_H2O] = 0.5, [ENGINE_O2] = 0.25}, [NO] = {[ENGINE_N2] = 0.5, [ENGINE_O2] = 0.5},
};
/* Increase of the number of molecules for each molecule of a minor species, in pairs. */
static const engine_pair more[EQUILIBRIUM_PAIRS] = {{0.5, 0.5}, {0.75, 0.5}, {0.25, 0}};

/* Returns a coefficient of the difference between a minor species and the species that form it. */
static double difference(int minor, int range, int term)
{
    double sum = engine_nasa[ENGINE_PURE_COUNT + minor][range][term];
    for (int i = 0; i < ENGINE_PURE_COUNT; i++)
        sum -= from[minor][i] * engine_nasa[i][range][term];
    return sum;
}

/* Returns the value at T, K, of ln K without its constants; with is_energy, of the reaction energy over R, K, without its constant. */
static double variable_part(const double *a, double T, int is_energy)
{
    if (is_energy)
        return T * (a[0] + T * (a[1] / 2 + T * (a[2] / 3 + T * (a[3] / 4 + T * a[4] / 5))));
    return a[0] * log(T) + T * (a[1] / 2 + T * (a[2] / 6 + T * (a[3] / 12 + T * a[4] / 20)));
}

/* ln K = - sum of nu g/(R T), with g/(R T) = a1 (1 - ln T) - a2 T/2 - a3 T^2/6 - a4 T^3/12 - a5 T^4/20 + a6/T - a7. Energy and ln K are
 * continuous at 1000 K, where the ranges meet: the constants of the upper range follow from the lower range. */
void engine_equilibrium_init(engine_equilibrium *ret_data)
{
    for (int minor = 0; minor < EQUILIBRIUM_MINORS; minor++) {
        double energy = 0, ln_k = 0; /* at 1000 K */
        for (int range = 0; range < 2; range++) {
            double a[ENGINE_NASA_TERMS];
            for (int term = 0; term < ENGINE_NASA_TERMS; term++)
                a[term] = difference(minor, range, term);
            const double T = ENGINE_GAS_T_RANGE_K;
            double offset = a[6] - a[0], heat = a[5];
            if (range == 1) {
                heat = energy - variable_part(a, T, 1);
                offset = ln_k - variable_part(a, T, 0) + heat / T;
            }
            energy = heat + variable_part(a, T, 1);
            ln_k = offset - heat / T + variable_part(a, T, 0);
            const double c[EQUILIBRIUM_TERMS] = {offset,   -heat,     a[0],     a[1] / 2,
                                                 a[2] / 6, a[3] / 12, a[4] / 20};
            for (int term = 0; term < EQUILIBRIUM_TERMS; term++)
                ret_data->ln_k[range][term][minor / 2][minor % 2] = c[term];
        }
    }
}

/* Constants of the reactions at one temperature, in pairs of minor species. */
typedef struct reactions {
    double k[EQUILIBRIUM_MINORS];                /* equilibrium constants */
    engine_pair energy[EQUILIBRIUM_PAIRS];       /* reaction energy over R T at constant volume */
    engine_pair energy_slope[EQUILIBRIUM_PAIRS]; /* derivative of energy times T by T, over R */
    engine_pair ln_k_slope[EQUILIBRIUM_PAIRS];   /* derivative of ln K, times T */
} reactions;

static void react(const engine_equilibrium *data, double T, reactions *ret)
{
    const engine_pair(*const c)[EQUILIBRIUM_PAIRS] = data->ln_k[engine_gas_range(T)];
    const double per_T = 1 / T, ln_T = engine_log2(T) * 0.69314718055994530942; /* ln 2 */
    for (int i = 0; i < EQUILIBRIUM_PAIRS; i++) {
        const engine_pair t = engine_both(T), inverse = engine_both(per_T);
        const engine_pair a = c[3][i] * t, b = c[4][i] * t * t, d = c[5][i] * t * t * t,
                          e = c[6][i] * t * t * t * t;
        const engine_pair ln_k =
            c[0][i] + c[1][i] * inverse + c[2][i] * engine_both(ln_T) + (a + b + (d + e));
        ret->k[2 * i] = engine_exp(ln_k[0]);
        ret->k[2 * i + 1] = engine_exp(ln_k[1]);
        const engine_pair slope =
            c[2][i] - c[1][i] * inverse +
            (a + engine_both(2) * b + (engine_both(3) * d + engine_both(4) * e));
        ret->ln_k_slope[i] = slope;
        ret->energy[i] = slope - more[i];
        ret->energy_slope[i] = c[2][i] - more[i] + engine_both(2) * a +
                               (engine_both(6) * b + (engine_both(12) * d + engine_both(20) * e));
    }
}

/* The balances at one z. */
typedef struct balance {
    double q[EQUILIBRIUM_MINORS];
    double root_z, per_z;
    double y, y_z, per_root; /* y, its derivative, 1 over the root of the quadratic of y */
    double w, per_w;         /* w, 1/(4 w + K6 z) */
    double co_share;         /* K1 / (z + K1) */
    double value, slope;     /* balance of oxygen and its derivative */
} balance;

/* Evaluates the balances at z. e: elements in units of q. */
static inline void evaluate(const double *k, const engine_elements *e, double z, balance *ret)
{
    const double s = sqrt(z), per_z = 1 / z, per_s = s * per_z;
    ret->root_z = s;
    ret->per_z = per_z;
    const double per_co = 1 / (z + k[CO]);
    ret->co_share = k[CO] * per_co;
    const double co = e->carbon * ret->co_share;
    const double a = 2 + 2 * k[H2] * per_z, h_part = k[H] * per_s, oh_part = k[OH] * s;
    const double b = h_part + oh_part, root = sqrt(b * b + 4 * a * e->hydrogen);
    ret->per_root = 1 / root;
    const double y = 2 * e->hydrogen / (b + root);
    ret->y = y;
    const double h2 = k[H2] * per_z * y * y, h = h_part * y, oh = oh_part * y;
    ret->y_z = (2 * h2 + 0.5 * (h - oh)) * per_z * ret->per_root;
    const double g = k[NO] * z;
    const double w = 2 * e->nitrogen / (g + sqrt(g * g + 8 * e->nitrogen));
    ret->w = w;
    ret->per_w = 1 / (4 * w + g);
    const double o = k[O] * z, no = g * w;
    ret->q[CO] = co;
    ret->q[H2] = h2;
    ret->q[H] = h;
    ret->q[O] = o;
    ret->q[OH] = oh;
    ret->q[NO] = no;
    ret->value = 2 * z * z - e->excess + o + no + 0.5 * (oh - h) - (co + h2);
    ret->slope = 4 * z + k[O] + 4 * w * w * k[NO] * ret->per_w + co * per_co +
                 (h2 + 0.25 * (h + oh)) * per_z +
                 (0.5 * (oh_part - h_part) - 2 * k[H2] * per_z * y) * ret->y_z;
}

/* Returns an estimate of z. Without dissociation 2 z^2 = X; with little excess oxygen the dissociation of CO2 and H2O gives 2 z^3 = B with
 * B = K1 C + K2 H/2. The estimate is the larger value. A rich gas has z = B / -X if this value is smaller. */
static double start_value(const double *k, const engine_elements *e)
{
    const double b = k[CO] * e->carbon + 0.5 * k[H2] * e->hydrogen;
    const double inverse = engine_inverse_root3(engine_max(0.5 * b, DBL_MIN));
    const double rest = engine_max(0.5 * b, DBL_MIN) * inverse * inverse;
    if (e->excess > 0)
        return engine_max(rest, sqrt(0.5 * e->excess));
    return b < -e->excess * rest ? engine_max(b / -e->excess, DBL_MIN) : rest;
}

/* Finds the root of z times the balance of oxygen. Returns 0, or 1 without convergence. */
static int solve(const double *k, const engine_elements *e, balance *ret)
{
    double z = start_value(k, e);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        evaluate(k, e, z, ret);
        const double slope = ret->value + z * ret->slope;
        const double next = z - z * ret->value / slope;
        if (!(fabs(next) <= DBL_MAX))
            return 1;
        if (fabs(next - z) <= last_step * z) {
            evaluate(k, e, next, ret);
            return 0;
        }
        /* With a negative slope the root is above z. Only rounding leads to values below zero. */
        z = slope < 0 ? 2 * z : next > 0 ? next : 0.5 * z;
    }
    return 1;
}

/* Derivatives of a sum of c[i] q[i] by the variables of the balances. Lanes: balance of oxygen, and energy. */
typedef struct gradient {
    engine_pair z, carbon, hydrogen, nitrogen;
    engine_pair ln_k[EQUILIBRIUM_MINORS];
} gradient;

static void differentiate(const double *k, double z, const balance *at, const engine_pair *c,
                          gradient *ret)
{
    const double *q = at->q, per_z = at->per_z, y = at->y;
    const double h_part = k[H] * per_z * at->root_z, oh_part = k[OH] * at->root_z;
    const double no_share = 4 * at->w * at->per_w;
    const engine_pair h2 = c[H2] * engine_both(q[H2]), h = c[H] * engine_both(q[H]),
                      oh = c[OH] * engine_both(q[OH]), no = c[NO] * engine_both(q[NO]);
    const engine_pair by_y = c[H2] * engine_both(2 * k[H2] * per_z * y) +
                             c[H] * engine_both(h_part) + c[OH] * engine_both(oh_part);
    const engine_pair by_root = by_y * engine_both(at->per_root);
    ret->carbon = c[CO] * engine_both(at->co_share);
    ret->hydrogen = by_root;
    ret->nitrogen = c[NO] * engine_both(k[NO] * z * at->per_w);
    ret->ln_k[CO] = c[CO] * engine_both(q[CO] * (1 - at->co_share));
    ret->ln_k[H2] = h2 - by_root * engine_both(2 * q[H2]);
    ret->ln_k[H] = h - by_root * engine_both(q[H]);
    ret->ln_k[O] = c[O] * engine_both(q[O]);
    ret->ln_k[OH] = oh - by_root * engine_both(q[OH]);
    ret->ln_k[NO] = no * engine_both(no_share);
    const engine_pair half = engine_both(0.5);
    ret->z =
        by_y * engine_both(at->y_z) +
        (half * (oh - h) - h2 + ret->ln_k[O] + ret->ln_k[NO] - ret->ln_k[CO]) * engine_both(per_z);
}

int engine_equilibrium_at(const engine_equilibrium *data, double T, const engine_elements *elements,
                          engine_dissociation *ret)
{
    if (!(T > 0) || !(elements->nitrogen >= 0) ||
        !isfinite(elements->carbon + elements->hydrogen + elements->nitrogen + elements->excess))
        return 1;
    const double rt = ENGINE_GAS_CONSTANT * T;
    const double unit = rt / standard_pa,
                 mol_m3 = standard_pa / rt; /* q per concentration, m3/mol, and its inverse */
    /* An amount of carbon or hydrogen below zero is an error of the states, so it counts as zero. */
    const engine_elements e = {.carbon = unit * engine_max(elements->carbon, 0),
                               .hydrogen = unit * engine_max(elements->hydrogen, 0),
                               .nitrogen = unit * elements->nitrogen,
                               .excess = unit * elements->excess};
    reactions r;
    balance at;
    react(data, T, &r);
    if (solve(r.k, &e, &at) != 0)
        return 1;
    /* Lane 0: coefficients of the balance of oxygen. Lane 1: reaction energies over R T. */
    const engine_pair c[EQUILIBRIUM_MINORS] = {
        [CO] = {-1, r.energy[0][0]}, [H2] = {-1, r.energy[0][1]},  [H] = {-0.5, r.energy[1][0]},
        [O] = {1, r.energy[1][1]},   [OH] = {0.5, r.energy[2][0]}, [NO] = {1, r.energy[2][1]},
    };
    gradient g;
    differentiate(r.k, at.root_z * at.root_z, &at, c, &g);
    const double share = -g.z[1] / at.slope; /* change of the energy with the balance, through z */
    double energy = 0, more_molecules = 0, heat_capacity = 0, by_ln_k = 0;
    for (int i = 0; i < EQUILIBRIUM_MINORS; i++) {
        const double q = at.q[i];
        energy += q * c[i][1];
        more_molecules += q * more[i / 2][i % 2];
        heat_capacity += q * r.energy_slope[i / 2][i % 2];
        by_ln_k += (g.ln_k[i][1] + share * g.ln_k[i][0]) * r.ln_k_slope[i / 2][i % 2];
        ret->mol_m3[i] = q * mol_m3;
    }
    const engine_elements by = {.carbon = g.carbon[1] + share * g.carbon[0],
                                .hydrogen = g.hydrogen[1] + share * g.hydrogen[0],
                                .nitrogen = g.nitrogen[1] + share * g.nitrogen[0],
                                .excess = -share};
    /* At constant density q is proportional to T. */
    const double by_T = by.carbon * e.carbon + by.hydrogen * e.hydrogen + by.nitrogen * e.nitrogen +
                        by.excess * e.excess;
    ret->p = standard_pa * more_molecules;
    ret->energy = standard_pa * energy;
    ret->energy_T = standard_pa / T * (heat_capacity + by_ln_k + by_T - energy);
    ret->energy_by = (engine_elements){.carbon = rt * by.carbon,
                                       .hydrogen = rt * by.hydrogen,
                                       .nitrogen = rt * by.nitrogen,
                                       .excess = rt * by.excess};
    return 0;
}
