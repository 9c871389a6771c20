/* The engine's gases, orifice and table, and the two models of a cylinder. The host of describe_host.h runs the models in a Runge-Kutta
 * loop with events at the ends of its steps. */
#include "describe_host.h"

#include "models/engine/cylinder_variables.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"
#include "models/models.h"

enum { MAX_X = 64, MAX_U = 16, MAX_Z = 96, MAX_Y = 16 };
typedef model_host rig;
static int n_flip; /* changes of indicators in settle() */

/* Returns a rig with parameters p_1 and p_2 (index; -1: none) changed from their defaults. */
static rig *make_rig(const wrsim_model *model, int p_1, double value_1, int p_2, double value_2)
{
    const host_value values[] = {{p_1 < 0 ? NULL : model->params[p_1].name, value_1},
                                 {p_2 < 0 ? NULL : model->params[p_2].name, value_2},
                                 {NULL, 0}};
    rig *const r = host_create(model, values);
    n_flip = 0;
    assert_int_equal(model->init(&r->instance, 0, r->x, r->d), 0);
    return r;
}

static size_t bytes_of(const rig *r, wrsim_kind kind)
{
    return (size_t)r->n[kind] * sizeof(double);
}

static void rhs(rig *r, double *dx) { assert_int_equal(host_rhs(r, dx), 0); }
static void indicators(rig *r, double *z) { assert_int_equal(host_indicator(r, z), 0); }
static void outputs(rig *r, double *y) { assert_int_equal(host_output(r, y), 0); }

/* Executes the event iteration at one instant. */
static void settle(rig *r, int is_initial)
{
    double z[MAX_Z];
    signed char fired[MAX_Z] = {0};
    if (is_initial) {
        host_set_modes(r);
        const wrsim_event what = {.fired = fired, .is_initial = 1};
        assert_int_equal(host_event(r, &what), 0);
    }
    for (int pass = 0; pass < 20; pass++) {
        int n = 0;
        indicators(r, z);
        for (int i = 0; i < r->n[WRSIM_INDICATOR]; i++) {
            const unsigned char now = z[i] > 0;
            fired[i] = (signed char)(now - r->mode[i]);
            n += fired[i] != 0;
            r->mode[i] = now;
        }
        if (n == 0)
            return;
        n_flip += n;
        const wrsim_event what = {.fired = fired};
        assert_int_equal(host_event(r, &what), 0);
    }
    fail_msg("events do not come to rest at t = %g s", r->t_s);
}

/* Makes one classic Runge-Kutta step at constant speed and manifold states, then events. */
static void step(rig *r, double t_0, double theta_0, double h)
{
    const int n = r->n[WRSIM_STATE];
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double x_0[MAX_X], dx[MAX_X] = {0}, sum[MAX_X] = {0};
    memcpy(x_0, r->x, bytes_of(r, WRSIM_STATE));
    for (int stage = 0; stage < 4; stage++) {
        r->t_s = t_0 + at[stage] * h;
        r->u[CYL_U_THETA] = theta_0 + r->u[CYL_U_OMEGA] * at[stage] * h;
        for (int i = 0; i < n; i++)
            r->x[i] = x_0[i] + at[stage] * h * dx[i];
        rhs(r, dx);
        for (int i = 0; i < n; i++)
            sum[i] += weight[stage] * dx[i];
    }
    for (int i = 0; i < n; i++)
        r->x[i] = x_0[i] + h / 6 * sum[i];
    settle(r, 0);
}

static double between(double low, double high)
{
    return low + (high - low) * ((double)rand() / RAND_MAX);
}

static void set_manifolds(rig *r)
{
    static const double manifolds[2 * ENGINE_MAN_COUNT] = {4.48e-3, 2.3e-4, 348,
                                                           1.9e-4,  6.5e-4, 950};
    memcpy(r->u + CYL_U_INTAKE, manifolds, sizeof manifolds);
    r->u[CYL_U_OMEGA] = 261.8;
    r->u[CYL_U_FUEL] = 1;
}

/* Sets a random point of the cylinder, with consistent discrete states and modes. */
static void random_point(rig *r)
{
    const cyl_data *data = r->instance.data;
    const double phi = between(0, 720);
    r->t_s = between(0, 1);
    r->u[CYL_U_THETA] = (phi + r->param[ENGINE_P_OFFSET]) / ENGINE_DEG_PER_RAD;
    r->u[CYL_U_OMEGA] = between(80, 450);
    r->u[CYL_U_INTAKE] = between(2e-3, 8e-3);
    r->u[CYL_U_INTAKE + 1] = between(1e-5, 2e-3);
    r->u[CYL_U_INTAKE + 2] = between(290, 420);
    r->u[CYL_U_EXHAUST] = between(1e-4, 8e-4);
    r->u[CYL_U_EXHAUST + 1] = between(1e-4, 1e-3);
    r->u[CYL_U_EXHAUST + 2] = between(500, 1300);
    r->u[CYL_U_FUEL] = 1;
    if (r->n[WRSIM_INPUT] > CYL_U_COUNT) {
        r->u[CYL_U_GAS + ENGINE_DISS_P] = exp(between(log(0.7e5), log(150e5)));
        r->u[CYL_U_GAS + ENGINE_DISS_H] = between(0, 1e5);
    }
    const double T = between(300, 2300), p = exp(between(log(0.7e5), log(150e5)));
    const double mass = p * engine_volume(&data->flow, phi, NULL, NULL) / (287 * T);
    const double burned = between(0.01, 0.97);
    for (int i = CYL_X_COUNT; i < r->n[WRSIM_STATE]; i++)
        r->x[i] = between(400, 500);
    r->x[CYL_X_AIR] = mass * (1 - burned);
    r->x[CYL_X_BURNED] = mass * burned;
    r->x[CYL_X_FUEL] = mass * between(0.001, 0.04);
    r->x[CYL_X_T] = T;
    r->x[CYL_X_HEAD] = between(400, 500);
    r->x[CYL_X_PISTON] = between(430, 530);
    r->x[CYL_X_LIQUID] = between(1e-7, 2e-5);
    r->x[CYL_X_BURN] = between(0, 1);
    r->x[CYL_X_IGNITION] = between(0, 1.1);
    r->x[CYL_X_K] = between(1, 1500);
    r->x[CYL_X_NOX] = between(0, 2);
    r->x[CYL_X_SOOT] = between(0.01, 0.5);
    memset(r->d, 0, bytes_of(r, WRSIM_DISCRETE));
    r->d[CYL_D_FUEL] = between(0.7, 1.1);
    r->d[CYL_D_P_IVC] = between(1e5, 3e5);
    r->d[CYL_D_V_IVC] = 5.1e-4;
    r->d[CYL_D_T_IVC] = between(320, 450);
    r->d[CYL_D_INTAKE_OPEN] = engine_valve_is_open(&data->flow, ENGINE_INTAKE, phi);
    r->d[CYL_D_EXHAUST_OPEN] = engine_valve_is_open(&data->flow, ENGINE_EXHAUST, phi);
    for (int j = 0; j < CYL_INJECTIONS; j++)
        if (phi > 150 && phi < 318) {
            const double since = between(0, 1e-3);
            r->d[CYL_D_NEEDLE + j] = rand() % 4;
            r->d[CYL_D_SOI_TIME + j] = r->t_s - since;
            r->d[CYL_D_BURN + j] = rand() % 3;
            r->d[CYL_D_BURN_START + j] = phi - between(0.5, 40);
            if ((int)r->d[CYL_D_BURN + j] == CYL_BURN_ACTIVE)
                r->d[CYL_D_COMBUSTION] = 1;
        }
    memset(r->mode, 0, (size_t)r->n[WRSIM_INDICATOR]);
    host_set_modes(r);
}

/* ------------------------------------------------------------------ parts */

/* Values of "NIST-JANAF Thermochemical Tables" (Chase 1998), J/(mol K). */
TEST(heat_capacities_match_published)
{
    assert_close(engine_gas_molar_cp(ENGINE_N2, 300), 29.12, 3e-3, 0);
    assert_close(engine_gas_molar_cp(ENGINE_CO2, 999.9), 54.3, 3e-3, 0);
    assert_close(engine_gas_molar_cp(ENGINE_H2O, 999.9), 41.3, 3e-3, 0);
    assert_close(engine_gas_molar_cp(ENGINE_O2, 1000.1), 34.9, 3e-3, 0);
    assert_close(engine_gas_molar_cp(ENGINE_N2, 2000), 35.97, 3e-3, 0);
}

TEST(enthalpy_is_integral_of_cp)
{
    engine_gas gas;
    engine_gas_init(&gas);
    assert_close(engine_gas_R(&gas, ENGINE_AIR), 288.2, 1e-3, 0); /* 79/21, no argon */
    for (int s = 0; s < ENGINE_SPECIES_COUNT; s++) {
        assert_close(engine_gas_h(&gas, s, 0, ENGINE_GAS_T_ZERO_K), 0, 0, 1e-6);
        assert_close(engine_gas_h(&gas, s, 1, 1000), engine_gas_h(&gas, s, 0, 1000), 1e-13, 0);
        assert_close(engine_gas_cp(&gas, s, 1, 1000), engine_gas_cp(&gas, s, 0, 1000), 1e-4, 0);
        for (double T = 250; T < 3000; T += 61) {
            const int range = engine_gas_range(T);
            const double slope =
                (engine_gas_h(&gas, s, range, T + 1e-2) - engine_gas_h(&gas, s, range, T - 1e-2)) /
                2e-2;
            assert_close(slope, engine_gas_cp(&gas, s, range, T), 1e-7, 0);
        }
    }
}

TEST(orifice_is_continuous_and_antisymmetric)
{
    const double gamma = 1.36;
    const double choked = sqrt(gamma) * pow(2 / (gamma + 1), (gamma + 1) / (2 * (gamma - 1)));
    assert_close(engine_orifice(1e-4, 2e5, 1e5, 0.4e5, 1e5, NULL), 1e-4 * 2e5 / sqrt(1e5) * choked,
                 1e-6, 0);
    assert_close(engine_orifice(1e-4, 2e5, 1e5, 2e5, 2e5, NULL), 0, 0, 0);
    for (double ratio = 0.3; ratio < 1; ratio += 0.07)
        assert_close(engine_orifice(1e-4, 1e5, 9e4, ratio * 1e5, 2e5, NULL),
                     -engine_orifice(1e-4, ratio * 1e5, 2e5, 1e5, 9e4, NULL), 0, 0);
    /* The two branches are equal at the pressure ratio of their border. */
    static const struct {
        double ratio;
        unsigned char below[3], above[3];
    } meeting[] = {
        {0.535, {1, 1, 1}, {1, 1, 0}}, {0.99, {1, 1, 0}, {1, 0, 0}}, {1.0, {1, 0, 0}, {0, 0, 0}}};
    for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++)
        assert_close(engine_orifice(1e-4, 1e5, 9e4, meeting[i].ratio * 1e5, 9e4, meeting[i].below),
                     engine_orifice(1e-4, 1e5, 9e4, meeting[i].ratio * 1e5, 9e4, meeting[i].above),
                     1e-12, 1e-18);
}

/* The flow function's series against its formula (Heywood 1988, "Internal Combustion Engine Fundamentals", eq. C.8). Near a ratio of one
 * the formula loses more digits than the series, hence 1e-13. */
TEST(orifice_follows_its_formula)
{
    const unsigned char subsonic[ENGINE_ORIFICE_MODE_COUNT] = {1, 1, 0};
    const double g = 1.36;
    for (double ratio = 0.3; ratio < 0.995; ratio += 0.0013) {
        const double a = pow(ratio, 1 / g);
        const double psi = sqrt(2 * g / (g - 1) * a * (a - ratio));
        assert_close(engine_orifice(1, 1, 1, ratio, 1, subsonic), psi, 1e-13, 0);
    }
}

/* Compares with the C library. 1e-15 is five units in the last place. pow() gets rounded exponents, with an error of 1.5e-15 at the ends of
 * the range. */
TEST(powers)
{
    for (double x = 1e-9; x < 1e12; x *= 1.0137) {
        assert_close(engine_inverse_root3(x), 1 / cbrt(x), 1e-15, 0);
        assert_close(engine_inverse_root5(x), pow(x, -0.2), 2e-15, 0);
        assert_close(engine_power_08(x), pow(x, 0.8), 2e-15, 0);
    }
    for (double deg = -800; deg < 1600; deg += 0.37) {
        const double angle = deg / ENGINE_DEG_PER_RAD;
        double sine, cosine;
        engine_sine_cosine_deg(deg, &sine, &cosine);
        /* The angle in rad has a rounding error, too: 2e-15 at 28 rad. */
        assert_close(sine, sin(angle), 0, 4e-15);
        assert_close(cosine, cos(angle), 0, 4e-15);
        assert_close(engine_sine_deg(deg), sine, 0, 0);
    }
    for (int i = -20; i < 20; i++) {
        static const double sines[4] = {0, 1, 0, -1};
        assert_close(engine_sine_deg(90.0 * i), sines[i & 3], 0, 0);
    }
    assert_close(engine_sine_deg(30), 0.5, 1e-15, 0);
}

/* 2e-14: error of the exponential of a rounded logarithm of up to 120. */
TEST(exponentials)
{
    for (double x = 1e-9; x < 1e12; x *= 1.0137)
        for (double a = -3; a <= 3; a += 0.37)
            assert_close(engine_power(x, a), pow(x, a), 2e-14, 0);
    for (double x = -120; x < 120; x += 0.037)
        assert_close(engine_exp(x), exp(x), 2e-14, 0);
    for (int i = -900; i <= 900; i += 100)
        assert_close(engine_exp2(i), ldexp(1, i), 0, 0);
    assert_close(engine_exp(0.1), exp(0.1), 5e-16, 0);
    assert_close(engine_power(1.1, 1.33), pow(1.1, 1.33), 5e-16, 0);
    assert_close(engine_power(1, 1.33), 1, 0, 0);
    /* At the ends of the range no result is infinite, zero stays near zero, and NaN stays NaN. */
    assert_close(engine_power(0, 1.1), 0, 0, 1e-300);
    assert_close(engine_exp(-1e9), 0, 0, 1e-300);
    assert_true(engine_exp(1e9) > 1e300 && isfinite(engine_exp(1e9)));
    assert_true(isnan(engine_exp((double)NAN)));
}

TEST(table)
{
    const double bx[4] = {0, 1, 3, 4}, by[4] = {0, 2, 3, 0};
    const unsigned char frozen[2] = {1, 0};
    assert_close(engine_table(bx, by, 2, NULL, 0.5), 1, 1e-15, 0);
    assert_close(engine_table(bx, by, 2, NULL, 2), 2.5, 1e-15, 0);
    assert_close(engine_table(bx, by, 2, NULL, 5), -3, 1e-15, 0);
    assert_close(engine_table(bx, by, 2, frozen, 4), 3.5, 1e-15, 0);
}

TEST(geometry)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, -1, 0, -1, 0);
    const engine_flow_data *data = r->instance.data;
    const double top = engine_volume(data, 180, NULL, NULL);
    const double bottom = engine_volume(data, 0, NULL, NULL);
    assert_close(bottom / top, 17, 1e-12, 0);
    assert_close(bottom - top, ENGINE_PI / 4 * 0.085 * 0.085 * 0.088, 1e-12, 0);
    for (double phi = 3; phi < 720; phi += 17) {
        double slope;
        engine_volume(data, phi, &slope, NULL);
        const double h = 1e-3;
        const double difference =
            (engine_volume(data, phi + h, NULL, NULL) - engine_volume(data, phi - h, NULL, NULL)) /
            (2 * h) * ENGINE_DEG_PER_RAD;
        assert_close(slope, difference, 1e-6, 1e-12);
    }
}

/* ------------------------------------------------------------------ description */

TEST(counts)
{
    static const struct {
        double zones, balance;
        int n_x;
    } cases[] = {{1, 0, 15}, {4, 0, 21}, {1, 1, 15 + CYL_S_COUNT}, {3, 1, 19 + CYL_S_COUNT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(wr_test_free)
        rig *r = make_rig(&engine_cylinder_model, CYL_P_ZONES, cases[i].zones, CYL_P_BALANCE,
                          cases[i].balance);
        assert_int_equal(r->n[WRSIM_STATE], cases[i].n_x);
        assert_int_equal(r->n[WRSIM_INDICATOR], 80);
        assert_int_equal(r->n[WRSIM_DISCRETE], CYL_D_COUNT);
        assert_int_equal(r->n[WRSIM_INPUT], CYL_U_COUNT);
    }
    assert_int_equal(CYL_Z_COUNT, 80);
    AUTO(host_destroy) rig *port = make_rig(&engine_cylinder_port_model, -1, 0, -1, 0);
    assert_int_equal(port->n[WRSIM_STATE] + port->n[WRSIM_INDICATOR], 0);
    assert_int_equal(port->n[WRSIM_INPUT], 12);
}

/* The rows of a pattern: derivatives of states, outputs or indicators. */
typedef enum rows { ROWS_DX, ROWS_Y, ROWS_Z } rows;

static int evaluate(rig *r, rows which, double *ret)
{
    switch (which) {
    case ROWS_DX:
        rhs(r, ret);
        return r->n[WRSIM_STATE];
    case ROWS_Y:
        outputs(r, ret);
        return r->n[WRSIM_OUTPUT];
    default:
        indicators(r, ret);
        return r->n[WRSIM_INDICATOR];
    }
}

static int is_declared(const rig *r, wrsim_pattern pattern, int row, int column)
{
    return r->pattern[pattern].is_set[row * r->pattern[pattern].n_columns + column];
}

/* Perturbs each column at the point; undeclared entries must not change. Records the changed entries. */
static void check_columns(rig *r, wrsim_pattern pattern, rows which, double *column, int n_column,
                          unsigned char seen[MAX_Z][MAX_X])
{
    double before[MAX_Z], after[MAX_Z];
    const int n_row = evaluate(r, which, before);
    for (int j = 0; j < n_column; j++) {
        const double keep = column[j];
        column[j] = keep * (1 + 1e-4) + 1e-12;
        evaluate(r, which, after);
        column[j] = keep;
        for (int i = 0; i < n_row; i++) {
            if (memcmp(&before[i], &after[i], sizeof before[i]) == 0)
                continue;
            seen[i][j] = 1;
            if (!is_declared(r, pattern, i, j))
                fail_msg("pattern %d: row %d depends on column %d, undeclared", (int)pattern, i, j);
        }
    }
}

static void check_all_seen(const rig *r, wrsim_pattern pattern, int n_row, int n_column,
                           unsigned char seen[MAX_Z][MAX_X])
{
    assert_true(r->pattern[pattern].is_declared);
    for (int i = 0; i < n_row; i++)
        for (int j = 0; j < n_column; j++)
            if (is_declared(r, pattern, i, j) && !seen[i][j])
                fail_msg("pattern %d: row %d, column %d is declared but never acts", (int)pattern,
                         i, j);
}

static void check_patterns(double zones, double balance)
{
    static const struct {
        wrsim_pattern pattern;
        rows which;
        wrsim_kind row;
        int is_input;
    } all[] = {{WRSIM_X_X, ROWS_DX, WRSIM_STATE, 0},    {WRSIM_U_X, ROWS_DX, WRSIM_STATE, 1},
               {WRSIM_X_Y, ROWS_Y, WRSIM_OUTPUT, 0},    {WRSIM_U_Y, ROWS_Y, WRSIM_OUTPUT, 1},
               {WRSIM_X_Z, ROWS_Z, WRSIM_INDICATOR, 0}, {WRSIM_U_Z, ROWS_Z, WRSIM_INDICATOR, 1}};
    AUTO(wr_test_free)
    rig *r = make_rig(&engine_cylinder_model, CYL_P_ZONES, zones, CYL_P_BALANCE, balance);
    srand(1);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        unsigned char seen[MAX_Z][MAX_X] = {{0}};
        const int n_column = r->n[all[k].is_input ? WRSIM_INPUT : WRSIM_STATE];
        for (int i = 0; i < 3000; i++) {
            random_point(r);
            check_columns(r, all[k].pattern, all[k].which, all[k].is_input ? r->u : r->x, n_column,
                          seen);
        }
        check_all_seen(r, all[k].pattern, r->n[all[k].row], n_column, seen);
    }
}

TEST(patterns_are_truthful)
{
    check_patterns(1, 0);
    check_patterns(3, 1);
}

/* ------------------------------------------------------------------ equations */

/* A sum of terms, and the sum of their absolute values. */
typedef struct balance {
    double sum, size;
} balance;

static void add(balance *b, double term)
{
    b->sum += term;
    b->size += fabs(term);
}

static void check_closed(const char *what, balance b)
{
    if (!(fabs(b.sum) <= 1e-12 * b.size)) {
        print_error("%s: %g of %g is left over\n", what, b.sum, b.size);
        fail();
    }
}

static const int state_of[ENGINE_SPECIES_COUNT] = {
    [ENGINE_AIR] = CYL_X_AIR, [ENGINE_BURNED] = CYL_X_BURNED, [ENGINE_FUEL] = CYL_X_FUEL};

/* Compares dU/dt, by the chain rule from the states' rates, with the sum of the flows. */
static void check_energy(const rig *r, const double *dx, const double *flow)
{
    const cyl_data *data = r->instance.data;
    const engine_gas *gas = &data->flow.gas;
    const double T = r->x[CYL_X_T];
    const int range = r->mode[CYL_Z_RANGE];
    balance gas_energy = {0}, walls = {0};
    for (int s = 0; s < ENGINE_SPECIES_COUNT; s++) {
        const double R = engine_gas_R(gas, s);
        add(&gas_energy, dx[state_of[s]] * (engine_gas_h(gas, s, range, T) - R * T));
        add(&gas_energy, r->x[state_of[s]] * (engine_gas_cp(gas, s, range, T) - R) * dx[CYL_X_T]);
    }
    add(&gas_energy, -flow[CYL_S_HEAT_RELEASED]);
    add(&gas_energy, flow[CYL_S_HEAT_WALL]);
    add(&gas_energy, flow[CYL_S_WORK]);
    add(&gas_energy, -flow[CYL_S_EVAPORATION]);
    add(&gas_energy, -flow[CYL_S_IN_H]);
    add(&gas_energy, flow[CYL_S_OUT_H]);
    add(&gas_energy, flow[CYL_S_BLOW_BY_H]);
    check_closed("gas energy", gas_energy);
    for (int i = 0; i < CYL_WALL_COUNT; i++)
        for (int layer = 0; layer < data->n_layer; layer++)
            add(&walls, data->wall[i].capacity_j_k * dx[cyl_layer(&data->wall[i], layer)]);
    add(&walls, -flow[CYL_S_HEAT_WALL]);
    add(&walls, flow[CYL_S_HEAT_LINER]);
    add(&walls, flow[CYL_S_HEAT_COOLANT]);
    check_closed("walls", walls);
}

static void check_masses(const rig *r, const double *dx, const double *flow)
{
    const double afr = r->param[CYL_P_AFR];
    const double reacted[ENGINE_SPECIES_COUNT] = {
        [ENGINE_AIR] = -afr, [ENGINE_BURNED] = 1 + afr, [ENGINE_FUEL] = -1};
    for (int s = 0; s < ENGINE_SPECIES_COUNT; s++) {
        balance b = {0};
        add(&b, dx[state_of[s]]);
        add(&b, -flow[CYL_S_IN_AIR + s]);
        add(&b, flow[CYL_S_OUT_AIR + s]);
        add(&b, flow[CYL_S_BLOW_BY_AIR + s]);
        add(&b, -reacted[s] * flow[CYL_S_FUEL_BURNED]);
        if (s == ENGINE_FUEL)
            add(&b, -flow[CYL_S_EVAPORATED]);
        check_closed("species", b);
    }
    balance liquid = {0};
    add(&liquid, dx[CYL_X_LIQUID]);
    add(&liquid, -flow[CYL_S_INJECTED]);
    add(&liquid, flow[CYL_S_EVAPORATED]);
    check_closed("liquid", liquid);
}

TEST(balances_hold_at_every_point)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, CYL_P_ZONES, 2, CYL_P_BALANCE, 1);
    const cyl_data *data = r->instance.data;
    srand(2);
    for (int i = 0; i < 20000; i++) {
        double dx[MAX_X];
        random_point(r);
        rhs(r, dx);
        check_energy(r, dx, dx + data->first_sum);
        check_masses(r, dx, dx + data->first_sum);
    }
}

/* With frozen modes, half the difference step divides the error of the slope by four if the functions have three derivatives. */
TEST(rates_are_smooth_between_events)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, -1, 0, -1, 0);
    srand(3);
    for (int trial = 0; trial < 60000; trial++) {
        random_point(r);
        double x_0[MAX_X], direction[MAX_X], slope[3][MAX_Z], dx[MAX_X];
        const double theta_0 = r->u[CYL_U_THETA], turn = between(-1, 1) * 0.1;
        memcpy(x_0, r->x, bytes_of(r, WRSIM_STATE));
        for (int i = 0; i < CYL_X_COUNT; i++)
            direction[i] = between(-1, 1) * x_0[i];
        double biggest[MAX_X] = {0};
        for (int k = 0; k < 3; k++) {
            const double h = 1e-3 / (1 << k);
            for (int i = 0; i < CYL_X_COUNT; i++)
                slope[k][i] = 0;
            for (int side = -1; side <= 1; side += 2) {
                for (int i = 0; i < CYL_X_COUNT; i++)
                    r->x[i] = x_0[i] + side * h * direction[i];
                r->u[CYL_U_THETA] = theta_0 + side * h * turn;
                rhs(r, dx);
                for (int i = 0; i < CYL_X_COUNT; i++) {
                    slope[k][i] += side * dx[i] / (2 * h);
                    biggest[i] = fmax(biggest[i], fabs(dx[i]));
                }
            }
        }
        for (int i = 0; i < CYL_X_COUNT; i++) {
            const double first = slope[1][i] - slope[0][i], second = slope[2][i] - slope[1][i];
            /* with a kink in the stencil, second is about as large as first */
            const double floor = 1e-9 * biggest[i] + 1e-6 * fabs(slope[0][i]);
            if (fabs(second) > 0.35 * fabs(first) + floor)
                fail_msg("rate of %s is not smooth: %g, %g", r->variable[WRSIM_STATE][i].name,
                         first, second);
        }
    }
}

/* Indicators whose branches meet without a jump, because states and inputs determine the indicator. Other branches jump by angle or time,
 * or in a rate without readers (NOx, soot). */
static const int continuous[] = {
    CYL_Z_MIXING,
    CYL_Z_INTAKE,
    CYL_Z_INTAKE + 1,
    CYL_Z_INTAKE + 2,
    CYL_Z_EXHAUST,
    CYL_Z_EXHAUST + 1,
    CYL_Z_EXHAUST + 2,
    CYL_Z_BLOW_BY,
    CYL_Z_BLOW_BY + 1,
    CYL_Z_BLOW_BY + 2,
    CYL_Z_INTAKE_LIFT,
    CYL_Z_INTAKE_LIFT + 1,
    CYL_Z_INTAKE_LIFT + 2,
    CYL_Z_INTAKE_LIFT + 3,
    CYL_Z_INTAKE_LIFT + 4,
    CYL_Z_EXHAUST_LIFT,
    CYL_Z_EXHAUST_LIFT + 1,
    CYL_Z_EXHAUST_LIFT + 2,
    CYL_Z_EXHAUST_LIFT + 3,
    CYL_Z_EXHAUST_LIFT + 4,
    CYL_Z_INTAKE_THROAT,
    CYL_Z_EXHAUST_THROAT,
    CYL_Z_RANGE,
    CYL_Z_MOTORED,
    CYL_Z_CONDUCTIVITY,
    CYL_Z_CONDUCTIVITY + 1,
    CYL_Z_CONDUCTIVITY + 2,
    CYL_Z_CONDUCTIVITY + 3,
    CYL_Z_DISSOCIATION,
    CYL_Z_TURBULENCE,
    CYL_Z_HEAD,
    CYL_Z_CROWN,
    CYL_Z_WARM,
};

static void blend(rig *r, const double *a, const double *b, double s)
{
    for (int i = 0; i < CYL_X_COUNT; i++)
        r->x[i] = a[i] + s * (b[i] - a[i]);
    for (int i = 0; i < CYL_U_COUNT; i++)
        r->u[i] = a[MAX_X + i] + s * (b[MAX_X + i] - a[MAX_X + i]);
}

static void keep_point(const rig *r, double *ret)
{
    memcpy(ret, r->x, bytes_of(r, WRSIM_STATE));
    memcpy(ret + MAX_X, r->u, bytes_of(r, WRSIM_INPUT));
}

static double indicator_at(rig *r, const double *a, const double *b, double s, int i)
{
    double z[MAX_Z];
    blend(r, a, b, s);
    host_set_modes(r);
    indicators(r, z);
    return z[i];
}

/* Compares the rates of the two branches at a zero of indicator i between a and b. */
static void check_meeting(rig *r, const double *a, const double *b, int i)
{
    const double z_low = indicator_at(r, a, b, 0, i);
    double low = 0, high = 1, off[MAX_X], on[MAX_X];
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2, z = indicator_at(r, a, b, middle, i);
        if ((z > 0) == (z_low > 0))
            low = middle;
        else
            high = middle;
    }
    if (fabs(indicator_at(r, a, b, low, i) - indicator_at(r, a, b, high, i)) > 1e-9)
        return; /* the indicator itself jumps (valve angles, watched range) */
    r->mode[i] = 0;
    rhs(r, off);
    r->mode[i] = 1;
    rhs(r, on);
    for (int k = 0; k < CYL_X_COUNT; k++)
        assert_close(on[k], off[k], i == CYL_Z_RANGE ? 1e-4 : 1e-6,
                     1e-6 * r->variable[WRSIM_STATE][k].v.nominal);
}

TEST(branches_meet)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, -1, 0, -1, 0);
    int n_met[CYL_Z_COUNT] = {0};
    srand(4);
    for (int trial = 0; trial < 6000; trial++) {
        double a[MAX_X + MAX_U], b[MAX_X + MAX_U], z_a[MAX_Z], z_b[MAX_Z];
        random_point(r);
        keep_point(r, b);
        random_point(r); /* the discrete states of this point stay for a and b */
        keep_point(r, a);
        indicators(r, z_a);
        /* Point b is up to 20 degrees later and has the discrete states of point a, such as open valves. */
        b[MAX_X + CYL_U_THETA] = a[MAX_X + CYL_U_THETA] + between(0, 20) / ENGINE_DEG_PER_RAD;
        blend(r, a, b, 1);
        host_set_modes(r);
        indicators(r, z_b);
        for (size_t k = 0; k < sizeof continuous / sizeof continuous[0]; k++) {
            const int i = continuous[k];
            if ((z_a[i] > 0) != (z_b[i] > 0) && n_met[i] < 30) {
                check_meeting(r, a, b, i);
                n_met[i]++;
            }
        }
    }
    for (size_t k = 0; k < sizeof continuous / sizeof continuous[0]; k++)
        if (n_met[continuous[k]] == 0)
            fail_msg("indicator %d was never met", continuous[k]);
}

/* ------------------------------------------------------------------ both models of a cylinder */

static void copy_to_port(const rig *cylinder, rig *port)
{
    memcpy(port->u, cylinder->u, 2 * sizeof(double));
    memcpy(port->u + 2, cylinder->x, ENGINE_CYL_COUNT * sizeof(double));
    memcpy(port->u + 2 + ENGINE_CYL_COUNT, cylinder->u + CYL_U_INTAKE,
           2 * ENGINE_MAN_COUNT * sizeof(double));
    for (int i = 12; i < port->n[WRSIM_INPUT]; i++)
        port->u[i] = cylinder->u[CYL_U_GAS + i - 12];
}

static void check_port_bits(int gas)
{
    AUTO(wr_test_free)
    rig *cylinder = make_rig(&engine_cylinder_model, ENGINE_P_OFFSET, 180, CYL_P_GAS, gas);
    AUTO(wr_test_free)
    rig *port =
        make_rig(&engine_cylinder_port_model, ENGINE_P_OFFSET, 180, ENGINE_FLOW_PARAM_COUNT, gas);
    srand(5);
    int n_flow = 0;
    for (int i = 0; i < 20000; i++) {
        random_point(cylinder);
        const double cycle = floor(between(0, 6));
        cylinder->u[CYL_U_THETA] += cycle * ENGINE_CYCLE_DEG / ENGINE_DEG_PER_RAD;
        cylinder->d[CYL_D_CYCLE] = engine_cycle(cylinder->instance.data, cylinder->u[CYL_U_THETA]);
        host_set_modes(cylinder);
        const engine_flow *flow = &((const cyl_work *)(const void *)cylinder->w)->flow;
        copy_to_port(cylinder, port);
        double y[MAX_Y];
        outputs(port, y);
        const cyl_data *data = cylinder->instance.data;
        const wrsim_point point = host_point(cylinder);
        double h[ENGINE_SPECIES_COUNT];
        engine_valve_flow valve[ENGINE_VALVE_COUNT];
        engine_gas_all_h(&data->flow.gas, cylinder->mode[CYL_Z_RANGE], cylinder->x[CYL_X_T], h);
        if (gas == ENGINE_GAS_CONNECTED)
            engine_add_dissociation(cylinder->u[CYL_U_GAS + ENGINE_DISS_H], h);
        cyl_valve_flows(data, &point, h, valve);
        for (int side = 0; side < ENGINE_VALVE_COUNT; side++) {
            const engine_valve_flow *v = &valve[side];
            assert_close(y[4 * side + 0], v->air, 0, 0);
            assert_close(y[4 * side + 1], v->burned_gas, 0, 0);
            assert_close(y[4 * side + 2], v->fuel, 0, 0);
            assert_close(y[4 * side + 3], v->enthalpy, 0, 0);
            n_flow += v->mass > 0 || v->mass < 0;
        }
        assert_close(y[8], flow->torque, 0, 0);
    }
    assert_true(n_flow > 5000);
}

TEST(port_gives_the_same_bits)
{
    check_port_bits(ENGINE_GAS_IDEAL);
    check_port_bits(ENGINE_GAS_CONNECTED);
}

static void check_port_pattern(int gas)
{
    AUTO(host_destroy) rig *cylinder = make_rig(&engine_cylinder_model, CYL_P_GAS, gas, -1, 0);
    AUTO(host_destroy)
    rig *port = make_rig(&engine_cylinder_port_model, ENGINE_FLOW_PARAM_COUNT, gas, -1, 0);
    unsigned char seen[MAX_Z][MAX_X] = {{0}};
    srand(6);
    for (int i = 0; i < 5000; i++) {
        random_point(cylinder);
        copy_to_port(cylinder, port);
        check_columns(port, WRSIM_U_Y, ROWS_Y, port->u, port->n[WRSIM_INPUT], seen);
    }
    if (gas == ENGINE_GAS_IDEAL) /* gas_p replaces the masses, and all rows declare gas_h */
        check_all_seen(port, WRSIM_U_Y, port->n[WRSIM_OUTPUT], 12, seen);
}

TEST(port_pattern_is_truthful)
{
    check_port_pattern(ENGINE_GAS_IDEAL);
    check_port_pattern(ENGINE_GAS_CONNECTED);
}

/* ------------------------------------------------------------------ events and cycles */

/* A start at any angle sets valves, cycle and modes right, without a spurious injection. */
TEST(start_at_any_angle)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, ENGINE_P_OFFSET, 540, -1, 0);
    const engine_flow_data *data = r->instance.data;
    for (double degrees = -700; degrees < 2000; degrees += 12.7) {
        host_destroy(&r);
        r = make_rig(&engine_cylinder_model, ENGINE_P_OFFSET, 540, -1, 0);
        data = r->instance.data;
        set_manifolds(r);
        r->u[CYL_U_THETA] = degrees / ENGINE_DEG_PER_RAD;
        r->u[CYL_U_FUEL] = 0.9;
        settle(r, 1);
        const double phi = engine_phi(data, r->u[CYL_U_THETA], r->d[CYL_D_CYCLE]);
        assert_between(phi, 0, 720);
        assert_true(r->d[CYL_D_INTAKE_OPEN] == engine_valve_is_open(data, ENGINE_INTAKE, phi));
        assert_true(r->d[CYL_D_EXHAUST_OPEN] == engine_valve_is_open(data, ENGINE_EXHAUST, phi));
        assert_close(r->d[CYL_D_FUEL], 0.9, 0, 0);
        for (int j = 0; j < CYL_INJECTIONS; j++)
            if (fabs(phi - r->param[CYL_P_SOI + j]) > 3)
                assert_true((int)r->d[CYL_D_NEEDLE + j] == CYL_NEEDLE_SHUT);
    }
}

static rig *start_at(double degrees)
{
    rig *r = make_rig(&engine_cylinder_model, ENGINE_P_OFFSET, 540, -1, 0);
    set_manifolds(r);
    r->u[CYL_U_THETA] = degrees / ENGINE_DEG_PER_RAD;
    settle(r, 1);
    return r;
}

/* After jumps of the angle in both directions, cycle count and valves fit the crank. An injection starts only if a forward jump passes its
 * start by less than 60 degrees. */
TEST(jumps)
{
    srand(17);
    for (int i = 0; i < 4000; i++) {
        double degrees = between(-2000, 2000);
        AUTO(host_destroy) rig *r = start_at(degrees);
        const engine_flow_data *data = r->instance.data;
        for (int k = 1; k < 8; k++) {
            const double by = i % 2 ? between(-1500, 500) : between(0, 90);
            const double from = engine_phi(data, r->u[CYL_U_THETA], r->d[CYL_D_CYCLE]);
            degrees += by;
            r->t_s = k * 1e-3;
            r->u[CYL_U_THETA] = degrees / ENGINE_DEG_PER_RAD;
            settle(r, 0);
            const double phi = engine_phi(data, r->u[CYL_U_THETA], r->d[CYL_D_CYCLE]);
            const double in_cycle = phi < 0 ? phi + ENGINE_CYCLE_DEG : phi;
            assert_between(phi, -60, 720);
            for (int side = 0; side < ENGINE_VALVE_COUNT; side++)
                if (phi >= 0 || by < 0)
                    assert_true(
                        r->d[side == ENGINE_INTAKE ? CYL_D_INTAKE_OPEN : CYL_D_EXHAUST_OPEN] ==
                        engine_valve_is_open(data, (engine_valve_side)side, in_cycle));
            for (int j = 0; j < CYL_INJECTIONS; j++) {
                const double soi = r->param[CYL_P_SOI + j];
                const double late = fmod(from + by - soi + 7200, ENGINE_CYCLE_DEG);
                const int has_begun = r->d[CYL_D_SOI_TIME + j] == r->t_s;
                if (by > 0 && from >= 0)
                    assert_int_equal(has_begun, late < by && late < 60);
                else if (by < 0)
                    assert_false(has_begun);
            }
        }
    }
}

/* The model refuses a jump by a cycle or more, because the jump would lose the events of a cycle. */
TEST(jump_past_a_cycle_is_refused)
{
    for (double from = 1; from < 720; from += 7.3)
        for (double by = 720.01; by < 3000; by += 41) {
            AUTO(host_destroy) rig *r = start_at(540 + from);
            signed char fired[MAX_Z] = {0};
            double z[MAX_Z];
            r->t_s = 1e-3;
            r->u[CYL_U_THETA] = (540 + from + by) / ENGINE_DEG_PER_RAD;
            indicators(r, z);
            for (int i = 0; i < r->n[WRSIM_INDICATOR]; i++) {
                fired[i] = (signed char)((z[i] > 0) - r->mode[i]);
                r->mode[i] = z[i] > 0;
            }
            const wrsim_event what = {.fired = fired};
            assert_int_equal(host_event(r, &what), -1);
            assert_non_null(strstr(r->instance.message, "jumped by nearly a cycle or more"));
        }
}

/* Runs n_cycles cycles from phi = 53 degrees in steps of h seconds, and returns the highest pressure in Pa. */
static double run_cycles(rig *r, double n_cycles, double h)
{
    set_manifolds(r);
    const double theta_0 = 53 / ENGINE_DEG_PER_RAD;
    r->u[CYL_U_THETA] = theta_0;
    settle(r, 1);
    const double omega = r->u[CYL_U_OMEGA];
    const int n = (int)(n_cycles * 4 * ENGINE_PI / omega / h);
    double peak = 0;
    for (int i = 0; i < n; i++) {
        step(r, i * h, theta_0 + omega * (i * h), h);
        peak = fmax(peak, ((const cyl_work *)(const void *)r->w)->flow.p);
    }
    return peak;
}

/* Over four cycles the sums of flows equal the changes of mass and energy in the cylinder. */
TEST(balances_over_four_cycles)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, CYL_P_BALANCE, 1, -1, 0);
    const cyl_data *data = r->instance.data;
    set_manifolds(r);
    double before[MAX_X], y_before[MAX_Y], y[MAX_Y];
    memcpy(before, r->x, bytes_of(r, WRSIM_STATE));
    r->u[CYL_U_THETA] = 53 / ENGINE_DEG_PER_RAD;
    host_set_modes(r);
    outputs(r, y_before);
    const double peak = run_cycles(r, 4, 4e-6);
    outputs(r, y);
    assert_between(peak, 60e5, 140e5);

    const double *sum = r->x + data->first_sum, afr = r->param[CYL_P_AFR];
    const double throughput = sum[CYL_S_IN_AIR];
    assert_between(throughput, 4 * 3e-4, 4 * 1.2e-3);
    const double reacted[ENGINE_SPECIES_COUNT] = {
        [ENGINE_AIR] = -afr, [ENGINE_BURNED] = 1 + afr, [ENGINE_FUEL] = -1};
    for (int s = 0; s < ENGINE_SPECIES_COUNT; s++) {
        const double gained = r->x[state_of[s]] - before[state_of[s]];
        const double expected = sum[CYL_S_IN_AIR + s] - sum[CYL_S_OUT_AIR + s] -
                                sum[CYL_S_BLOW_BY_AIR + s] + reacted[s] * sum[CYL_S_FUEL_BURNED] +
                                (s == ENGINE_FUEL ? sum[CYL_S_EVAPORATED] : 0);
        assert_close(gained, expected, 0, 1e-12 * throughput);
    }
    assert_close(sum[CYL_S_INJECTED] - sum[CYL_S_EVAPORATED],
                 r->x[CYL_X_LIQUID] - before[CYL_X_LIQUID], 0, 1e-12 * sum[CYL_S_INJECTED]);
    assert_close(sum[CYL_S_INJECTED], 4 * data->injected_sum_kg, 0.03, 0);
    assert_true(sum[CYL_S_FUEL_BURNED] > 0.95 * sum[CYL_S_INJECTED]);

    /* "energy" includes the chemical energy of fuel and the energy of both walls. */
    const double lhv = r->param[CYL_P_LHV];
    const double fuel_out = sum[CYL_S_OUT_FUEL] + sum[CYL_S_BLOW_BY_FUEL] - sum[CYL_S_IN_FUEL];
    const double gained = y[CYL_Y_ENERGY] - y_before[CYL_Y_ENERGY];
    const double expected = sum[CYL_S_INJECTED] * (lhv + data->liquid_h) - fuel_out * lhv +
                            sum[CYL_S_IN_H] - sum[CYL_S_OUT_H] - sum[CYL_S_BLOW_BY_H] -
                            sum[CYL_S_WORK] - sum[CYL_S_HEAT_LINER] - sum[CYL_S_HEAT_COOLANT];
    assert_string_equal(r->variable[WRSIM_OUTPUT][CYL_Y_ENERGY].name, "energy");
    assert_close(gained, expected, 0, 1e-7 * sum[CYL_S_HEAT_RELEASED]);
    assert_true(sum[CYL_S_WORK] > 0.25 * sum[CYL_S_HEAT_RELEASED]);
}

/* Cycle counting, valves and number of events of one cycle. */
TEST(cycle_has_the_expected_course)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, -1, 0, -1, 0);
    run_cycles(r, 0.93, 4e-6); /* to phi = 720 + 2.6 */
    assert_close(r->d[CYL_D_CYCLE], 1, 0, 0);
    assert_between(r->x[CYL_X_WORK], -50, 50); /* restarted at zero */
    assert_between(n_flip, 90, 160);           /* usually 118 to 122 */
    assert_true((int)r->d[CYL_D_COMBUSTION] == 0);
    assert_true(r->d[CYL_D_INTAKE_OPEN] > 0.5);
    assert_true(r->d[CYL_D_EXHAUST_OPEN] < 0.5);
}

/* fuel_factor acts from the next pilot injection on, equally on injected and burned mass. */
TEST(fuel_factor_scales_a_whole_cycle)
{
    double injected[2], burned[2];
    for (int k = 0; k < 2; k++) {
        AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, CYL_P_BALANCE, 1, -1, 0);
        const cyl_data *data = r->instance.data;
        set_manifolds(r);
        const double theta_0 = 53 / ENGINE_DEG_PER_RAD, h = 4e-6;
        r->u[CYL_U_THETA] = theta_0;
        settle(r, 1);
        r->u[CYL_U_FUEL] = k == 0 ? 1 : 0.8; /* after the start, before the injections */
        assert_close(r->d[CYL_D_FUEL], 1, 0, 0);
        for (int i = 0; i < 3800; i++)
            step(r, i * h, theta_0 + r->u[CYL_U_OMEGA] * (i * h), h);
        injected[k] = r->x[data->first_sum + CYL_S_INJECTED];
        burned[k] = r->x[data->first_sum + CYL_S_FUEL_BURNED];
        assert_close(r->d[CYL_D_FUEL], k == 0 ? 1 : 0.8, 0, 0);
        assert_between(r->x[CYL_X_BURN], 0.9, 1.02);
    }
    /* at lower pressure in the cylinder each needle opening injects slightly more */
    assert_close(injected[1], 0.8 * injected[0], 1e-2, 0);
    assert_close(burned[1], 0.8 * burned[0], 2e-2, 0);
}

TEST(fuel_scales_injection_and_demand)
{
    AUTO(host_destroy) rig *r = make_rig(&engine_cylinder_model, -1, 0, -1, 0);
    double y[2][MAX_Y];
    int n_burning = 0;
    srand(7);
    for (int i = 0; i < 2000; i++) {
        random_point(r);
        r->mode[CYL_Z_MIXING] = 0;
        for (int k = 0; k < 2; k++) {
            r->d[CYL_D_FUEL] = k == 0 ? 1 : 0.5;
            outputs(r, y[k]);
        }
        assert_close(y[1][CYL_Y_BURN], 0.5 * y[0][CYL_Y_BURN], 1e-14, 0);
        assert_close(y[1][CYL_Y_INJECTION], 0.5 * y[0][CYL_Y_INJECTION], 1e-14, 0);
        n_burning += y[0][CYL_Y_BURN] > 0 && y[0][CYL_Y_INJECTION] > 0;
    }
    assert_true(n_burning > 50);
}

TEST(zones_conduct)
{
    double coolant[2];
    for (int k = 0; k < 2; k++) {
        AUTO(wr_test_free)
        rig *r = make_rig(&engine_cylinder_model, CYL_P_ZONES, k == 0 ? 1 : 4, CYL_P_BALANCE, 1);
        const cyl_data *data = r->instance.data;
        run_cycles(r, 1, 4e-6);
        coolant[k] = r->x[data->first_sum + CYL_S_HEAT_COOLANT];
        /* heat flows outwards: the gas side warms first */
        if (k == 1)
            assert_true(r->x[CYL_X_HEAD] > r->x[cyl_layer(&data->wall[CYL_HEAD], 3)]);
    }
    assert_close(coolant[1], coolant[0], 0.1, 0);
}
