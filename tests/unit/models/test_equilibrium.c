/* Burned gas in chemical equilibrium, against published results of NASA's program CEA, and against mass action, element balances,
 * differences and thermodynamic identities; the model engine.cylinder_gas. */
#include "describe_host.h"

#include "models/engine/cylinder_variables.h"
#include "models/engine/equilibrium_table.h"

static const double R = ENGINE_GAS_CONSTANT;

static double between(double low, double high)
{
    return low + (high - low) * ((double)rand() / RAND_MAX);
}

static engine_dissociation at(const engine_equilibrium *data, double T, engine_elements elements)
{
    engine_dissociation result;
    assert_int_equal(engine_equilibrium_at(data, T, &elements, &result), 0);
    return result;
}

/* A state that CEA has published: S. Gordon, B. J. McBride, "Computer program for calculation of complex chemical equilibrium
 * compositions and applications", NASA RP-1311 part II, 1996, examples 1 (hydrogen) and 3 (toluene and octane), as nasa/cea prints them
 * (docs/source/examples/equilibrium); densities as CEA2 (2004) prints them. CEA has more species (HO2, NO2, ...) and later data, hence 0.4 %. */
typedef struct published {
    double T, p, rho;                            /* K, Pa, kg/m3 */
    double carbon, hydrogen, nitrogen, o, argon; /* kmol/kg */
    double cv;                                   /* kJ/(kg K) */
    double x[EQUILIBRIUM_MINORS];                /* mole fractions */
} published;

#define HYDROGEN_IN_AIR 1.0701224e-5, 0.028108460, 0.052388364, 0.014075632, 3.1415977e-4
#define FUEL_IN_AIR 0.0040331842, 0.0071820928, 0.050920563, 0.013681266, 3.0535774e-4
#define CAL 4.184 /* J; example 1 has cv in cal/(g K) */
/* clang-format off */
static const published cea[] = {
    /* T     p        rho        elements         cv               CO         H2         H          O          OH         NO */
    {2418.66, 1e7,     14.431,    FUEL_IN_AIR,     1.3122,        {1.6773e-3, 2.5064e-4, 2.7554e-5, 1.5505e-4, 2.3483e-3, 6.7762e-3}},
    {2390.59, 1e6,     1.4570,    FUEL_IN_AIR,     1.5038,        {4.3120e-3, 6.6103e-4, 1.2385e-4, 4.3112e-4, 3.8160e-3, 6.5527e-3}},
    {2338.84, 1e5,     0.14834,   FUEL_IN_AIR,     1.8640,        {9.1860e-3, 1.4836e-3, 4.5515e-4, 1.0664e-3, 5.7214e-3, 6.1447e-3}},
    {3000,    101325,  0.091781,  HYDROGEN_IN_AIR, 1.4371 * CAL,  {1.7073e-4, 0.067277, 0.040752, 0.015397, 0.045174, 0.012303}},
    {3000,    1013.25, 6.6136e-4, HYDROGEN_IN_AIR, 3.0554 * CAL,  {1.6776e-4, 0.041209, 0.31894, 0.14261, 0.032747, 9.6685e-3}},
};
/* clang-format on */

TEST(compositions_match_published)
{
    engine_equilibrium data;
    engine_equilibrium_init(&data);
    for (size_t i = 0; i < sizeof cea / sizeof cea[0]; i++) {
        const published *c = &cea[i];
        const double kmol = 1e3 * c->rho; /* mol/m3 per kmol/kg */
        const double excess = c->o - 2 * c->carbon - c->hydrogen / 2;
        const double frozen[ENGINE_PURE_COUNT] = {[ENGINE_N2] = c->nitrogen / 2,
                                                  [ENGINE_O2] = excess / 2,
                                                  [ENGINE_CO2] = c->carbon,
                                                  [ENGINE_H2O] = c->hydrogen / 2};
        const engine_dissociation gas = at(&data, c->T,
                                           (engine_elements){c->carbon * kmol, c->hydrogen * kmol,
                                                             c->nitrogen * kmol, excess * kmol});
        double n = c->argon, cv = 1.5 * R * c->argon; /* kmol/kg, kJ/(kg K) */
        for (int s = 0; s < ENGINE_PURE_COUNT; s++) {
            n += frozen[s];
            cv += frozen[s] * (engine_gas_molar_cp(s, c->T) - R);
        }
        const double p = n * kmol * R * c->T + gas.p;
        assert_close(p, c->p, 2e-4, 0);
        for (int s = 0; s < EQUILIBRIUM_MINORS; s++)
            assert_close(gas.mol_m3[s] * R * c->T / p, c->x[s], 4e-3, 0);
        assert_close(cv + gas.energy_T / c->rho * 1e-3, c->cv, 4e-3, 0);
    }
}

/* Returns the elements of a random lean, stoichiometric or rich gas of carbon, hydrogen and air. */
static engine_elements random_elements(void)
{
    const double rho = exp(between(log(0.01), log(1e3))), lean = exp(between(log(1e-12), 0));
    engine_elements e = {.carbon = rho, .hydrogen = rho * between(0.2, 4), .nitrogen = 8 * rho};
    const double sign[] = {1, 1, 0, -0.9};
    e.excess = sign[rand() % 4] * lean * 3 * rho;
    e.excess = fmax(e.excess, -0.9 * (e.carbon + e.hydrogen / 2));
    return e;
}

/* Returns the chemical potential over R T of a species at partial pressure p, Pa. */
static double potential(int species, double T, double p)
{
    const double *a = engine_nasa[species][T > 1000];
    return a[0] * (1 - log(T)) - a[1] * T / 2 - a[2] * T * T / 6 - a[3] * T * T * T / 12 -
           a[4] * T * T * T * T / 20 + a[5] / T - a[6] + log(p / 1e5);
}

/* Elements balance, and no reaction has a driving force, computed without the elimination of equilibrium.c. Above 1000 K equilibrium.c
 * makes the potentials continuous, which changes them by up to 2e-4. */
TEST(elements_balance_and_potentials_agree)
{
    engine_equilibrium data;
    engine_equilibrium_init(&data);
    srand(1);
    for (int i = 0; i < 20000; i++) {
        const double T = between(300, 3500);
        const engine_elements e = random_elements();
        const engine_dissociation gas = at(&data, T, e);
        const double co = gas.mol_m3[0], h2 = gas.mol_m3[1], h = gas.mol_m3[2], o = gas.mol_m3[3],
                     oh = gas.mol_m3[4], no = gas.mol_m3[5];
        const double h2o = (e.hydrogen - 2 * h2 - h - oh) / 2, n2 = (e.nitrogen - no) / 2;
        const double co2 = e.carbon - co;
        const double o2 = (e.excess + co + h2 + h / 2 - o - no - oh / 2) / 2;
        assert_true(co >= 0 && h2 >= 0 && h >= 0 && o >= 0 && oh >= 0 && no >= 0 && n2 > 0);
        /* Differences lose digits where one species takes nearly all of an element. */
        const double ln_o2 = potential(ENGINE_O2, T, 1) + log(R * T * o2);
        if (o2 > 1e-7 * (e.carbon + fabs(e.excess))) {
            const double tolerance = 1e-6 + (T > 1000 ? 2e-4 : 0);
            const double half_o2 = 0.5 * ln_o2, rt = R * T;
            const double mu_n2 = potential(ENGINE_N2, T, rt * n2);
            assert_close(potential(ENGINE_O, T, rt * o), half_o2, 0, tolerance);
            assert_close(potential(ENGINE_NO, T, rt * no), 0.5 * mu_n2 + half_o2, 0, tolerance);
            if (h2o > 1e-6 * e.hydrogen) {
                const double mu_h2 = potential(ENGINE_H2, T, rt * h2);
                assert_close(potential(ENGINE_H2O, T, rt * h2o), mu_h2 + half_o2, 0, tolerance);
                assert_close(potential(ENGINE_H, T, rt * h), 0.5 * mu_h2, 0, tolerance);
                assert_close(potential(ENGINE_OH, T, rt * oh), 0.5 * mu_h2 + half_o2, 0, tolerance);
            }
            if (co2 > 1e-6 * e.carbon)
                assert_close(potential(ENGINE_CO2, T, rt * co2),
                             potential(ENGINE_CO, T, rt * co) + half_o2, 0, tolerance);
        }
        const double molecules = 0.5 * (co + h2 + o) + 0.75 * h + 0.25 * oh;
        assert_close(gas.p, R * T * molecules, 1e-12, 0);
    }
}

/* Derivatives agree with central differences, whose error is 1e-6. (dU/dV)_T = T (dp/dT)_V - p relates energies and constants of mass
 * action. */
TEST(derivatives_match_differences)
{
    engine_equilibrium data;
    engine_equilibrium_init(&data);
    srand(2);
    for (int i = 0; i < 5000; i++) {
        const double T = between(300, 3400);
        if (fabs(T - 1000) < 5)
            continue; /* the heat capacity has a small jump at 1000 K */
        const engine_elements e = random_elements();
        const engine_dissociation gas = at(&data, T, e);
        const double step = 1e-4 * T;
        const engine_dissociation up = at(&data, T + step, e), down = at(&data, T - step, e);
        const double size = fabs(gas.energy_T) + fabs(gas.energy / T);
        assert_close((up.energy - down.energy) / (2 * step), gas.energy_T, 0, 2e-5 * size);
        const double *amount = (const double *)&e, *slope = (const double *)&gas.energy_by;
        double internal = gas.energy;
        for (int k = 0; k < 4; k++) {
            const double change = 1e-5 * fabs(amount[k]);
            internal -= amount[k] * slope[k];
            if (change == 0)
                continue;
            engine_elements more = e, less = e;
            ((double *)&more)[k] += change;
            ((double *)&less)[k] -= change;
            const double difference =
                (at(&data, T, more).energy - at(&data, T, less).energy) / (2 * change);
            assert_close(difference, slope[k], 0,
                         1e-6 * (fabs(slope[k]) + fabs(gas.energy / amount[k])));
        }
        const double identity = T * (up.p - down.p) / (2 * step) - gas.p;
        assert_close(internal, identity, 0, 2e-5 * (fabs(identity) + fabs(gas.energy)));
    }
}

/* Cold gas is the frozen gas, the properties are continuous at 1000 K, and earlier calls change no bit. Soot, NaN and a negative
 * temperature are errors. */
TEST(limits)
{
    engine_equilibrium data;
    engine_equilibrium_init(&data);
    const engine_elements lean = {20, 40, 700, 50};
    engine_dissociation gas = at(&data, 300, lean);
    const double frozen_pa = (20 + 20 + 350 + 25) * R * 300;
    assert_true(fabs(gas.p) < 1e-15 * frozen_pa && fabs(gas.energy) < 1e-13 * frozen_pa);
    gas = at(&data, 700, lean);
    assert_true(fabs(gas.p) < 1e-9 * frozen_pa && fabs(gas.energy) < 1e-4 * frozen_pa);
    const engine_dissociation below = at(&data, 1000 * (1 - 1e-13), lean);
    const engine_dissociation above = at(&data, 1000 * (1 + 1e-13), lean);
    assert_close(above.p, below.p, 1e-10, 0);
    assert_close(above.energy, below.energy, 1e-10, 0);
    assert_close(above.energy_T, below.energy_T, 1e-4, 0);
    srand(3);
    for (int i = 0; i < 1000; i++) {
        const double T = between(300, 3500);
        const engine_elements e = random_elements();
        const engine_dissociation first = at(&data, T, e);
        at(&data, between(300, 3500), random_elements());
        const engine_dissociation again = at(&data, T, e);
        assert_memory_equal(&first, &again, sizeof first);
    }
    engine_dissociation ignored;
    const engine_elements soot = {20, 40, 700, -45};
    at(&data, 1500, (engine_elements){20, 40, 700, -39});
    for (int k = 0; k < 4; k++) {
        engine_elements bad = lean;
        ((double *)&bad)[k] = (double)NAN;
        assert_int_equal(engine_equilibrium_at(&data, 1500, &bad, &ignored), 1);
    }
    assert_int_equal(engine_equilibrium_at(&data, 1500, &soot, &ignored), 1);
    assert_int_equal(engine_equilibrium_at(&data, (double)NAN, &lean, &ignored), 1);
    assert_int_equal(engine_equilibrium_at(&data, -1, &lean, &ignored), 1);
}

/* ------------------------------------------------------------------ table */

static void elements_of(int species, engine_elements *ret)
{
    double mol[ENGINE_PURE_COUNT];
    engine_gas_moles(species, mol);
    *ret = (engine_elements){mol[ENGINE_CO2], 2 * mol[ENGINE_H2O], 2 * mol[ENGINE_N2],
                             2 * mol[ENGINE_O2]};
}

/* The errors of the table are below the limits of models/engine/readme.md (the energy of air at 2000 K is 1.4 MJ/kg). The derivatives
 * are the derivatives of the interpolation. The table refuses points outside of its range. */
TEST(table)
{
    engine_equilibrium data;
    engine_elements air, burned;
    engine_equilibrium_init(&data);
    elements_of(ENGINE_AIR, &air);
    elements_of(ENGINE_BURNED, &burned);
    AUTO(wr_test_free) engine_equilibrium_table *table = malloc(sizeof *table);
    assert_non_null(table);
    assert_int_equal(engine_equilibrium_table_init(table, &data, &air, &burned), 0);
    srand(4);
    for (int i = 0; i < 20000; i++) {
        const engine_mixture at = {between(250, 3200), exp(between(log(0.02), log(120))),
                                   between(0.004, 0.996)};
        engine_mixture_properties exact, near, up, down;
        assert_int_equal(engine_mixture_at(&data, &air, &burned, &at, &exact), 0);
        assert_int_equal(engine_equilibrium_table_at(table, &at, &near), 0);
        const int is_rest = at.burned > 0.95;
        assert_close(near.energy, exact.energy, is_rest ? 0 : 1e-3, is_rest ? 350 : 20);
        if (at.T < 2400 && at.rho > 0.3 && at.burned < 0.8)
            assert_close(near.energy, exact.energy, 0, 50);
        assert_close(near.p, exact.p, 1e-3, is_rest ? 15 : 5);
        const double slopes[3] = {near.energy_T, near.energy_ln_rho, near.energy_burned};
        for (int k = 0; k < 3; k++) {
            const double change[3] = {1e-3, 1e-6, 1e-7};
            engine_mixture more = at, less = at;
            more.T += k == 0 ? change[0] : 0, less.T -= k == 0 ? change[0] : 0;
            more.rho *= k == 1 ? exp(change[1]) : 1, less.rho *= k == 1 ? exp(-change[1]) : 1;
            more.burned += k == 2 ? change[2] : 0, less.burned -= k == 2 ? change[2] : 0;
            if (engine_equilibrium_table_at(table, &more, &up) != 0 ||
                engine_equilibrium_table_at(table, &less, &down) != 0)
                continue;
            assert_close((up.energy - down.energy) / (2 * change[k]), slopes[k], 1e-4,
                         1e-9 * fabs(near.energy) / change[k] + 1e-3);
        }
    }
    static const engine_mixture outside[] = {
        {249, 1, 0.5},    {3211, 1, 0.5},   {1000, 0.019, 0.5},    {1000, 133, 0.5},
        {1000, 1, 0.997}, {1000, 1, 0.003}, {(double)NAN, 1, 0.5}, {1000, 1, -0.1}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        engine_mixture_properties ignored;
        assert_int_equal(engine_equilibrium_table_at(table, &outside[i], &ignored), 1);
    }
}

/* ------------------------------------------------------------------ model */

enum { G_THETA, G_AIR, G_FUEL, G_BURNED, G_T };

static void set_gas(model_host *host, double T, double burned)
{
    static const double mass = 6e-4;
    host->u[G_THETA] = 3.4;
    host->u[G_AIR] = mass * (1 - burned);
    host->u[G_FUEL] = 1e-5;
    host->u[G_BURNED] = mass * burned;
    host->u[G_T] = T;
}

/* Returns the derivative of the energy of dissociation with respect to an input, as a central difference. */
static double energy_slope(model_host *host, int input, double change)
{
    double up[ENGINE_DISS_COUNT], down[ENGINE_DISS_COUNT];
    const double keep = host->u[input];
    host->u[input] = keep + change;
    assert_int_equal(host_output(host, up), 0);
    host->u[input] = keep - change;
    assert_int_equal(host_output(host, down), 0);
    host->u[input] = keep;
    return (up[ENGINE_DISS_U] - down[ENGINE_DISS_U]) / (2 * change);
}

static void check_outputs(int is_table)
{
    const host_value properties[] = {{"properties", is_table}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_cylinder_gas_model, properties);
    assert_int_equal(host->model->init(&host->instance, 0, NULL, NULL), 0);
    engine_flow_data flow;
    engine_flow_data_init(&flow, host->param);
    /* Below 900 K the energy of the table is below its error. */
    for (double T = is_table ? 910 : 400; T < 3000; T += 170)
        for (double burned = is_table ? 0.01 : 0; burned < 1; burned += 0.3) {
            double y[ENGINE_DISS_COUNT], slope_m3;
            set_gas(host, T, burned);
            assert_int_equal(host_output(host, y), 0);
            const double size = fabs(y[ENGINE_DISS_U]);
            const double volume = engine_volume(&flow, engine_phi(&flow, 3.4, 0), &slope_m3, NULL);
            assert_close(energy_slope(host, G_T, 1e-5 * T), y[ENGINE_DISS_C], 2e-5, 1e-12);
            assert_close(energy_slope(host, G_AIR, 1e-9), y[ENGINE_DISS_U_AIR], 1e-5,
                         1e-6 * size / 6e-4);
            if (burned > 0)
                assert_close(energy_slope(host, G_BURNED, 1e-9), y[ENGINE_DISS_U_BURNED], 1e-5,
                             1e-6 * size / 6e-4);
            assert_close(energy_slope(host, G_THETA, 1e-5), y[ENGINE_DISS_P_INTERNAL] * slope_m3,
                         1e-5, 1e-6 * size);
            const double frozen = T / volume *
                                  (host->u[G_AIR] * flow.gas.r[ENGINE_AIR] +
                                   host->u[G_FUEL] * flow.gas.r[ENGINE_FUEL] +
                                   host->u[G_BURNED] * flow.gas.r[ENGINE_BURNED]);
            const double more = y[ENGINE_DISS_P] - frozen;
            assert_true(more > -1e-9 * frozen && more < 0.05 * frozen);
            assert_close(y[ENGINE_DISS_H] * 6e-4, y[ENGINE_DISS_U] + more * volume, 1e-6,
                         1e-9 * frozen * volume);
        }
    double y[ENGINE_DISS_COUNT];
    set_gas(host, is_table ? 800 : -1, is_table ? 0 : 0.5);
    assert_true(host_output(host, y) > 0);
    assert_non_null(
        strstr(host->instance.message, is_table ? "0.004 to 0.996" : "no chemical equilibrium"));
}

TEST(outputs_are_derivatives_of_the_energy)
{
    check_outputs(0);
    check_outputs(1);
}
