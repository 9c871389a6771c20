/* The airpath's components: sizes of the shipped config, refused structures, mass and energy at single points, known flows, and
 * continuity of branches. Further tests check the teeth of the crankshaft, the limits of the actuator, and the sampled controller.
 * test_models.c checks patterns and completeness of every model. */
#include "describe_host.h"

#include "models/engine/declare.h"
#include "models/engine/gas.h"
#include "runtime/config/settings.h"

static uint64_t random_state = 1;
static double random_between(double low, double high)
{
    return low + (high - low) * wr_random_share(&random_state);
}

static double output_of(model_host *host, const char *name)
{
    double *const y = host_alloc((size_t)host->n[WRSIM_OUTPUT], sizeof *y);
    assert_int_equal(host_output(host, y), 0);
    const int i = host_find(host, WRSIM_OUTPUT, name);
    assert_true(i >= 0);
    const double value = y[i];
    free(y);
    return value;
}

static double rate_of(model_host *host, const char *state)
{
    double *const dx = host_alloc((size_t)host->n[WRSIM_STATE], sizeof *dx);
    assert_int_equal(host_rhs(host, dx), 0);
    const int i = host_find(host, WRSIM_STATE, state);
    assert_true(i >= 0);
    const double value = dx[i];
    free(dx);
    return value;
}

static void set_input(model_host *host, const char *name, double value)
{
    const int i = host_find(host, WRSIM_INPUT, name);
    assert_true(i >= 0);
    host->u[i] = value;
}

/* ---- The shipped config */

TEST(shipped_config_has_its_sizes)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    AUTO(wr_settings_destroy)
    wr_settings *settings = wr_settings_load(wr_test_arg(1), NULL, 0, &diag);
    assert_non_null(settings);
    int n_x = 0, n_z = 0, n_cylinder_x = 0, n_cylinder_z = 0;
    for (int i = 0; i < settings->n_components; i++) {
        const wr_set_component *const c = &settings->components[i];
        host_value values[64];
        assert_true(c->n_parameters < 64);
        for (int j = 0; j < c->n_parameters; j++)
            values[j] = (host_value){c->parameters[j].name, c->parameters[j].value};
        values[c->n_parameters] = (host_value){NULL, 0};
        AUTO(host_destroy) model_host *host = host_create(find_model(c->model), values);
        const int is_cylinder = strcmp(c->model, "engine.cylinder") == 0;
        *(is_cylinder ? &n_cylinder_x : &n_x) += host->n[WRSIM_STATE];
        *(is_cylinder ? &n_cylinder_z : &n_z) += host->n[WRSIM_INDICATOR];
        for (int k = 0; k < c->n_start; k++)
            assert_true(host_find(host, WRSIM_STATE, c->start[k].name) >= 0 ||
                        host_find(host, WRSIM_DISCRETE, c->start[k].name) >= 0);
    }
    assert_int_equal(n_x, 27);
    assert_int_equal(n_z, 100);
    assert_int_equal(n_x + n_cylinder_x, 87);
    assert_int_equal(n_z + n_cylinder_z, 420);
}

/* ---- Volumes */

static const host_value volume_cases[][20] = {
    {{"volume", 4e-3}, {"species", 1}, {"isothermal", 1}, {"balance", 1}},
    {{"volume", 4e-3}, {"species", 1}, {"isothermal", 1}, {"cells", 3}, {"balance", 1}},
    {{"volume", 2.5e-3}, {"species", 1}, {"balance", 1}},
    {{"volume", 3e-3},
     {"in_ports", 2},
     {"out_ports", 4},
     {"wall", 1},
     {"heat_area", 0.1},
     {"film", 30},
     {"film_side", 1},
     {"cold_film", 0.5},
     {"balance", 1}},
    {{"volume", 1e-3},
     {"wall", 2},
     {"heat_area", 0.1},
     {"film", 80},
     {"film_flow", 0.05},
     {"film_table", 1},
     {"cooling", 3},
     {"cooling_knee", 400},
     {"cooling_rise", 0.1},
     {"balance", 1}},
    {{"volume", 6e-3},
     {"cells", 5},
     {"cell_resistance", 1e7},
     {"in_ports", 2},
     {"wall", 1},
     {"heat_area", 0.3},
     {"film", 25},
     {"film_flow", 0.05},
     {"film_table", 1},
     {"balance", 1}},
};
enum { N_VOLUME_CASE = (int)(sizeof volume_cases / sizeof volume_cases[0]) };

/* Sets random flows, states away from the start values, and the modes. */
static void disturb_volume(model_host *host)
{
    for (int i = 0; i < host->n[WRSIM_STATE]; i++)
        host->x[i] = (host->x[i] + (strncmp(host->variable[WRSIM_STATE][i].name, "m_", 2) == 0
                                        ? host->variable[WRSIM_STATE][i].v.nominal
                                        : 0)) *
                     random_between(0.5, 2.0);
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++)
        host->u[i] = host->variable[WRSIM_INPUT][i].v.nominal * random_between(-1, 1);
    host_set_modes(host);
}

/* Returns the net inflow of one signal through all ports. */
static double net_flow(const model_host *host, int signal)
{
    double sum = 0;
    for (int i = signal; i < host->n[WRSIM_INPUT]; i += FLOW_COUNT)
        sum +=
            host->u[i] * (strncmp(host->variable[WRSIM_INPUT][i].name, "in", 2) == 0 ? 1.0 : -1.0);
    return sum;
}

/* Returns d(output)/dt along the right-hand side, by a central difference that is exact for quadratics. */
static double slope_of_output(model_host *host, const char *name)
{
    const int n = host->n[WRSIM_STATE];
    double *const dx = host_alloc((size_t)n, sizeof *dx), *const x = host_alloc((size_t)n, 8);
    assert_int_equal(host_rhs(host, dx), 0);
    memcpy(x, host->x, (size_t)n * sizeof *x);
    double value[2];
    const double dt = 1e-7; /* s: changes of about 0.01 K; truncation and rounding are below 1e-7 */
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++)
            host->x[i] = x[i] + (side ? dt : -dt) * dx[i];
        value[side] = output_of(host, name);
    }
    memcpy(host->x, x, (size_t)n * sizeof *x);
    free(x);
    free(dx);
    return (value[1] - value[0]) / (2 * dt);
}

/* Stored plus lost energy changes by the inflow of the ports. */
TEST(volumes_conserve_energy)
{
    for (int c = 0; c < N_VOLUME_CASE; c++)
        for (int k = 0; k < 20; k++) {
            AUTO(host_destroy)
            model_host *host = host_create(&engine_volume_model, volume_cases[c]);
            host_start(host, 0);
            disturb_volume(host);
            const double brought = net_flow(host, FLOW_H);
            const double kept =
                slope_of_output(host, "energy") + slope_of_output(host, "energy_out");
            /* at most 5e5 J in walls, with a rounding of 1e-16, over 2e-7 s: 3e-4 W */
            assert_close(kept, brought, 1e-6, 2e-2);
        }
}

/* The mass of each species, plus the output of its mass that counts as another species, changes by the inflow of the ports. */
TEST(volumes_conserve_mass)
{
    for (int c = 0; c < N_VOLUME_CASE; c++) {
        AUTO(host_destroy) model_host *host = host_create(&engine_volume_model, volume_cases[c]);
        host_start(host, 0);
        disturb_volume(host);
        AUTO(wr_test_free) double *dx = host_alloc((size_t)host->n[WRSIM_STATE], sizeof *dx);
        assert_int_equal(host_rhs(host, dx), 0);
        double air = 0, burned = 0;
        for (int i = 0; i < host->n[WRSIM_STATE]; i++) {
            air += strncmp(host->variable[WRSIM_STATE][i].name, "m_air", 5) == 0 ? dx[i] : 0;
            burned += strncmp(host->variable[WRSIM_STATE][i].name, "m_burned", 8) == 0 ? dx[i] : 0;
        }
        assert_close(air + slope_of_output(host, "air_out"), net_flow(host, FLOW_AIR), 1e-7, 1e-9);
        assert_close(burned + slope_of_output(host, "burned_out"), net_flow(host, FLOW_BURNED),
                     1e-7, 1e-9);
        assert_close(slope_of_output(host, "fuel_out"), net_flow(host, FLOW_FUEL), 1e-7, 1e-9);
    }
}

/* The start gas is equal for any number of cells. */
TEST(cells_share_the_gas)
{
    double energy[2];
    for (int k = 0; k < 2; k++) {
        const host_value values[] = {
            {"volume", 6e-3}, {"cells", k == 0 ? 1 : 7}, {"p_start", 1.3e5},
            {"T_start", 800}, {"burned_start", 0.7},     {"balance", 1},
            {NULL, 0}};
        AUTO(host_destroy) model_host *host = host_create(&engine_volume_model, values);
        host_start(host, 0);
        assert_int_equal(host->n[WRSIM_STATE], (k == 0 ? 1 : 7) * 3 + 2);
        assert_close(output_of(host, "p"), 1.3e5, 1e-12, 0);
        assert_close(output_of(host, "end_p"), 1.3e5, 1e-12, 0);
        assert_close(output_of(host, "burned"), 0.7, 1e-12, 0);
        energy[k] = output_of(host, "energy");
    }
    assert_close(energy[1], energy[0], 1e-12, 0);
}

TEST(volume_refuses_impossible_structures)
{
    double param[64];
    for (int i = 0; i < engine_volume_model.n_param; i++) {
        param[i] = engine_volume_model.params[i].start;
        if (strcmp(engine_volume_model.params[i].name, "isothermal") == 0 ||
            strcmp(engine_volume_model.params[i].name, "wall") == 0)
            param[i] = 1;
    }
    wrsim_instance instance = {.param = param};
    wrsim_description description = {.struct_size = sizeof description};
    assert_int_equal(engine_volume_model.describe(&instance, &description), -1);
    assert_non_null(instance.message);
}

/* ---- Flows between two gases */

/* Sets a gas port to air and burned gas of the given state. */
static void set_gas(model_host *host, const char *port, double p, double T, double burned)
{
    engine_gas gas;
    engine_gas_init(&gas);
    const int range = engine_gas_range(T);
    const double r =
        (1 - burned) * engine_gas_R(&gas, ENGINE_AIR) + burned * engine_gas_R(&gas, ENGINE_BURNED);
    const double h = (1 - burned) * engine_gas_h(&gas, ENGINE_AIR, range, T) +
                     burned * engine_gas_h(&gas, ENGINE_BURNED, range, T);
    const double value[GAS_COUNT] = {p, r * T, T, burned, h};
    char name[16];
    snprintf(name, sizeof name, "%s_p", port);
    const int first = host_find(host, WRSIM_INPUT, name);
    assert_true(first >= 0);
    memcpy(host->u + first, value, sizeof value);
}

static void set_random_gases(model_host *host)
{
    set_gas(host, "a", random_between(0.5e5, 4e5), random_between(280, 1300), random_between(0, 1));
    set_gas(host, "b", random_between(0.5e5, 4e5), random_between(280, 1300), random_between(0, 1));
}

TEST(orifice_carries_the_upstream_gas)
{
    const host_value values[] = {{"area", 1e-4}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_orifice_model, values);
    host_start(host, 0);
    for (int k = 0; k < 50; k++) {
        set_random_gases(host);
        host_set_modes(host);
        const double p_a = host->u[GAS_P], p_b = host->u[GAS_COUNT + GAS_P];
        const double *const up = p_a > p_b ? host->u : host->u + GAS_COUNT;
        const double flow = output_of(host, "flow");
        assert_true((flow > 0) == (p_a > p_b));
        assert_close(output_of(host, "m_air") + output_of(host, "m_burned"), flow, 1e-12, 0);
        assert_close(output_of(host, "m_burned"), flow * up[GAS_BURNED], 1e-12, 0);
        assert_close(output_of(host, "H"), flow * up[GAS_H], 1e-12, 0);
    }
    set_input(host, "opening", 0);
    assert_true(output_of(host, "flow") == 0);
}

/* Choked flow of air: 0.0404 A p / sqrt(T) for gamma = 1.4 (Anderson, Modern Compressible Flow,
 * eq. 5.21); 0.678 / sqrt(287) = 0.0400 for gamma = 1.36. */
TEST(choked_flow_of_air)
{
    const host_value values[] = {{"area", 1e-4}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_orifice_model, values);
    host_start(host, 0);
    set_gas(host, "a", 3e5, 300, 0);
    set_gas(host, "b", 1e5, 300, 0);
    host_set_modes(host);
    assert_close(output_of(host, "flow"), 0.0400 * 1e-4 * 3e5 / sqrt(300), 3e-3, 0);
}

/* The enthalpy flow of the gas changes by the power of the shaft, in either flow direction. With backward flow the turbine has no power. */
TEST(turbo_machines_pass_power_on)
{
    const wrsim_model *const models[2] = {&engine_compressor_model, &engine_turbine_model};
    int n_backward[2] = {0, 0};
    for (int m = 0; m < 2; m++) {
        AUTO(host_destroy) model_host *host = host_create(models[m], NULL);
        set_random_gases(host);
        set_input(host, "omega", 1e4);
        host_start(host, 0);
        for (int k = 0; k < 200; k++) {
            set_random_gases(host);
            set_input(host, "omega", random_between(3000, 18000));
            host_set_modes(host);
            const double gained = output_of(host, "H_out") - output_of(host, "H_in");
            const double power = output_of(host, "power") * (m == 0 ? 1 : -1);
            assert_close(gained, power, 1e-9, 1e-9 * fabs(output_of(host, "H_in")));
            assert_close(output_of(host, "m_air") + output_of(host, "m_burned"),
                         output_of(host, "flow"), 1e-12, 0);
            const int is_backward = output_of(host, "flow") < 0;
            n_backward[m] += is_backward;
            if (m == 0 && host->u[GAS_COUNT + GAS_P] > host->u[GAS_P])
                assert_true(power >= 0); /* compression takes power, also in deep surge */
            if (m == 1 && is_backward)
                assert_true(power == 0);
        }
    }
    assert_true(n_backward[0] > 0 && n_backward[1] > 0);
}

/* Assumed ranges for a compressor of this size at 10,990 rad/s and 1.6 bar behind the wheel: 50 to 60 g/s, heating by 60 to 80 K, and an
 * efficiency between 0.55 and 0.71. */
TEST(compressor_operating_point)
{
    AUTO(host_destroy) model_host *host = host_create(&engine_compressor_model, NULL);
    set_gas(host, "a", 0.981e5, 298, 0);
    set_gas(host, "b", 1.624e5, 376, 0);
    set_input(host, "omega", 10990);
    host_start(host, 0);
    const double flow = output_of(host, "flow"), power = output_of(host, "power");
    assert_between(flow, 0.050, 0.060);
    assert_between(power / flow / 1005, 60, 80);
    const double ideal = 1005 * 298 * (pow(1.624 / 0.981, 0.2857) - 1);
    assert_between(ideal * flow / power, 0.55, 0.71);
}

/* J omega d(omega)/dt plus losses equals the difference of the powers. */
TEST(shaft_conserves_energy)
{
    const host_value values[] = {{"balance", 1}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_turbo_shaft_model, values);
    host_start(host, 0);
    set_input(host, "P_turbine", 5000);
    set_input(host, "P_compressor", 4000);
    const double kept = slope_of_output(host, "energy") + slope_of_output(host, "energy_out");
    assert_close(kept, 1000, 1e-6, 0);
    assert_close(rate_of(host, "friction_work"), 0.03 * 5000 + 2e-7 * 11000.0 * 11000.0, 1e-12, 0);
    host->x[0] = 0;
    double dx[2];
    assert_true(host_rhs(host, dx) > 0);
    assert_non_null(host->instance.message);
}

/* The wall receives the heat of the gas, also for reverse flow. */
TEST(intercooler_conserves_energy)
{
    const host_value values[] = {{"balance", 1}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_intercooler_model, values);
    host_start(host, 0);
    for (int k = 0; k < 50; k++) {
        set_random_gases(host);
        host->x[0] = random_between(-0.1, 0.2);
        host->x[1] = random_between(290, 400);
        host_set_modes(host);
        const double lost = output_of(host, "H_in") - output_of(host, "H_out");
        const double kept = slope_of_output(host, "energy") + slope_of_output(host, "energy_out");
        assert_close(kept, lost, 1e-6, 2e-2);
    }
}

TEST(crankshaft_conserves_energy)
{
    const host_value values[] = {{"balance", 1}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_crankshaft_model, values);
    for (int k = 0; k < 2; k++) { /* below and above the governor's speed */
        host->x[1] = k == 0 ? 250 : 290;
        host_start(host, 0);
        for (int i = 0; i < 4; i++)
            host->u[i] = random_between(-300, 900);
        const double work = output_of(host, "torque") * host->x[1];
        const double kept = slope_of_output(host, "energy") + slope_of_output(host, "energy_out");
        assert_close(kept, work, 1e-6, 1e-2);
        assert_close(rate_of(host, "gas_work"), work, 1e-12, 0);
    }
}

TEST(crankshaft_counts_teeth)
{
    AUTO(host_destroy) model_host *host = host_create(&engine_crankshaft_model, NULL);
    const double tooth = 0.52359877559829887308;
    host->x[0] = 3.5 * tooth;
    host_start(host, 0);
    assert_true(host->d[0] == 3);
    double z[3];
    for (int k = 4; k < 8; k++) {
        host->x[0] = (k - 1e-9) * tooth;
        assert_int_equal(host_indicator(host, z), 0);
        assert_true(z[2] < 0);
        host->x[0] = (k + 1e-9) * tooth;
        assert_int_equal(host_indicator(host, z), 0);
        assert_true(z[2] > 0);
        const signed char fired[3] = {0, 0, 1};
        assert_int_equal(host_event(host, &(wrsim_event){.fired = fired}), 0);
        assert_true(host->d[0] == k);
    }
}

/* ---- Continuity across branches */

enum { MAX_VALUES = 256 };

/* Stores all outputs and derivatives at the host's point and modes, and returns their number. */
static int evaluate(model_host *host, double *ret_value)
{
    const int n_y = host->n[WRSIM_OUTPUT];
    assert_true(n_y + host->n[WRSIM_STATE] <= MAX_VALUES);
    assert_int_equal(host_output(host, ret_value), 0);
    assert_int_equal(host_rhs(host, ret_value + n_y), 0);
    return n_y + host->n[WRSIM_STATE];
}

typedef struct line {
    double x[2][MAX_VALUES], u[2][MAX_VALUES];
} line;

static void go_to(model_host *host, const line *on, double s)
{
    for (int i = 0; i < host->n[WRSIM_STATE]; i++)
        host->x[i] = (1 - s) * on->x[0][i] + s * on->x[1][i];
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++)
        host->u[i] = (1 - s) * on->u[0][i] + s * on->u[1][i];
    host_set_modes(host);
}

static double indicator_at(model_host *host, const line *on, double s, int i)
{
    double z[MAX_VALUES];
    go_to(host, on, s);
    assert_int_equal(host_indicator(host, z), 0);
    return z[i];
}

/* Expects that, at the zero of indicator i between s0 and s1, the results do not depend on its mode. */
static void check_crossing(model_host *host, const line *on, int i, double s0, double s1)
{
    const int is_up = indicator_at(host, on, s1, i) > 0;
    for (int k = 0; k < 200 && s1 - s0 > 0; k++) {
        const double s = 0.5 * (s0 + s1);
        if (s <= s0 || s >= s1)
            break;
        *((indicator_at(host, on, s, i) > 0) == is_up ? &s1 : &s0) = s;
    }
    double value[2][MAX_VALUES], scale[MAX_VALUES];
    go_to(host, on, 0);
    const int n = evaluate(host, scale);
    go_to(host, on, s1);
    for (int mode = 0; mode < 2; mode++) {
        host->mode[i] = (unsigned char)mode;
        evaluate(host, value[mode]);
    }
    for (int k = 0; k < n; k++) {
        /* 5e-5: the two polynomials of the heat capacity differ by 1e-5 at 1000 K */
        const double limit = 5e-5 * (fabs(value[0][k]) + 0.01 * fabs(scale[k])) + 1e-9;
        if (!(fabs(value[1][k] - value[0][k]) <= limit))
            fail_msg("%s: indicator '%s' makes result %d jump from %.12g to %.12g",
                     host->model->name, host->variable[WRSIM_INDICATOR][i].name, k, value[0][k],
                     value[1][k]);
    }
}

/* Follows a random line; checks and marks the indicators that change sign. */
static void walk(model_host *host, void (*set_random)(model_host *), unsigned char *was_crossed)
{
    enum { N_SCAN = 40 };
    static line on;
    for (int end = 0; end < 2; end++) {
        set_random(host);
        memcpy(on.x[end], host->x, (size_t)host->n[WRSIM_STATE] * sizeof(double));
        memcpy(on.u[end], host->u, (size_t)host->n[WRSIM_INPUT] * sizeof(double));
    }
    double z[2][MAX_VALUES];
    go_to(host, &on, 0);
    assert_int_equal(host_indicator(host, z[0]), 0);
    for (int k = 1; k <= N_SCAN; k++) {
        go_to(host, &on, (double)k / N_SCAN);
        assert_int_equal(host_indicator(host, z[1]), 0);
        for (int i = 0; i < host->n[WRSIM_INDICATOR]; i++)
            if ((z[0][i] > 0) != (z[1][i] > 0)) {
                check_crossing(host, &on, i, (double)(k - 1) / N_SCAN, (double)k / N_SCAN);
                was_crossed[i] = 1;
            }
        memcpy(z[0], z[1], sizeof z[0]);
    }
}

static void random_flow_element(model_host *host)
{
    set_random_gases(host);
    if (host_find(host, WRSIM_INPUT, "omega") >= 0)
        set_input(host, "omega", random_between(2000, 22000));
    if (host_find(host, WRSIM_INPUT, "opening") >= 0)
        set_input(host, "opening", random_between(0, 1));
}

static void random_intercooler(model_host *host)
{
    set_random_gases(host);
    host->x[0] = random_between(-0.1, 0.2);
    host->x[1] = random_between(290, 400);
}

static void random_near_start(model_host *host)
{
    for (int i = 0; i < host->n[WRSIM_STATE]; i++)
        host->x[i] = host->variable[WRSIM_STATE][i].v.nominal * random_between(0.1, 2.5);
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++)
        host->u[i] = host->variable[WRSIM_INPUT][i].v.nominal * random_between(-1, 3);
}

static const struct {
    const wrsim_model *model;
    host_value values[20];
    void (*set_random)(model_host *);
} branch_cases[] = {
    {&engine_orifice_model, {{"area", 1e-4}}, random_flow_element},
    {&engine_compressor_model, {{NULL, 0}}, random_flow_element},
    {&engine_turbine_model, {{NULL, 0}}, random_flow_element},
    {&engine_intercooler_model, {{NULL, 0}}, random_intercooler},
    {&engine_turbo_shaft_model, {{NULL, 0}}, random_near_start},
    {&engine_sensors_model, {{NULL, 0}}, random_near_start},
    {&engine_actuator_model, {{"gain", 1e-6}, {"low", 0.1}, {"high", 0.6}}, random_near_start},
    {&engine_volume_model,
     {{"volume", 1e-3},
      {"T_start", 900},
      {"wall", 2},
      {"T_wall", 800},
      {"heat_area", 0.1},
      {"film", 80},
      {"film_flow", 0.05},
      {"film_table", 1},
      {"film_side", 1},
      {"cold_film", 0.5},
      {"cooling", 3},
      {"cooling_knee", 700},
      {"cooling_rise", 0.1},
      {"p_bands", 2},
      {"p_limit", 1.5e5},
      {"T_bands", 2}},
     random_near_start},
    {&engine_volume_model,
     {{"volume", 6e-3},
      {"T_start", 700},
      {"cells", 3},
      {"wall", 1},
      {"T_wall", 600},
      {"heat_area", 0.1},
      {"film", 80},
      {"film_side", 1}},
     random_near_start},
};

/* A jump across a branch can cause chattering. The test crosses all branches. */
TEST(branches_meet)
{
    for (int c = 0; c < (int)(sizeof branch_cases / sizeof branch_cases[0]); c++) {
        AUTO(host_destroy)
        model_host *host = host_create(branch_cases[c].model, branch_cases[c].values);
        branch_cases[c].set_random(host);
        host_start(host, 0);
        unsigned char was_crossed[MAX_VALUES] = {0};
        for (int k = 0; k < 300; k++)
            walk(host, branch_cases[c].set_random, was_crossed);
        for (int i = 0; i < host->n[WRSIM_INDICATOR]; i++)
            if (!was_crossed[i])
                fail_msg("%s: indicator '%s' was never crossed", host->model->name,
                         host->variable[WRSIM_INDICATOR][i].name);
    }
}

TEST(actuator_stops_at_its_limits)
{
    const host_value values[] = {{"time_constant", 0.1}, {"gain", 1e-5}, {"reference", 1e5},
                                 {"low", 0.1},           {"high", 0.9},  {NULL, 0}};
    AUTO(host_destroy) model_host *host = host_create(&engine_actuator_model, values);
    host_start(host, 0);
    host->x[0] = 0.5;
    static const struct {
        double feedback, trim, command;
    } rows[] = {{1e5, 0, 0.1}, {1.5e5, 0, 0.5}, {1.5e5, 0.2, 0.7}, {3e5, 0, 0.9}, {3e5, -1.5, 0.5}};
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        set_input(host, "feedback", rows[i].feedback);
        set_input(host, "trim", rows[i].trim);
        host_set_modes(host);
        assert_close(rate_of(host, "position"), (rows[i].command - 0.5) / 0.1, 1e-12, 1e-12);
    }
}

/* ---- Controller */

/* Advances to the next announced time and executes its event; returns the time. */
static double next_event(model_host *host)
{
    const double t = host_next_time(host);
    assert_true(t > host->t_s);
    host->t_s = t;
    assert_int_equal(host_event(host, &(wrsim_event){.is_time_event = 1}), 0);
    return t;
}

static model_host *create_controller(const host_value *values, double t_s)
{
    model_host *const host = host_create(&engine_controller_model, values);
    set_input(host, "omega", 261.8);
    set_input(host, "p_im", 1.5e5);
    host_start(host, t_s);
    return host;
}

/* Sample times equal start + k T to the bit, even after many samples. The start has no jump. */
TEST(controller_samples_on_a_grid)
{
    AUTO(host_destroy) model_host *host = create_controller(NULL, 0.3);
    assert_true(output_of(host, "fuel_factor") == 1);
    for (int k = 1; k < 1000; k++) {
        assert_true(next_event(host) == 0.3 + k * 0.010);
        assert_true(host->d[0] == k);
        assert_close(output_of(host, "fuel_factor"), 1, 0, 1e-12); /* at the set point */
        assert_true(output_of(host, "wastegate_trim") == 0);
        assert_close(output_of(host, "egr_trim"), 0, 0, 1e-12);
    }
}

/* A change of the speed changes fuel_factor only at the next sample. */
TEST(controller_holds_between_samples)
{
    AUTO(host_destroy) model_host *host = create_controller(NULL, 0);
    next_event(host);
    set_input(host, "omega", 200);
    assert_true(output_of(host, "fuel_factor") == 1);
    next_event(host);
    assert_true(output_of(host, "fuel_factor") > 1);
}

/* At low speed, fuel rises and EGR falls to their limits. The fuel returns at once, because the integrator stops at the limits. At high
 * boost pressure the waste-gate opens to its limit. */
TEST(controller_saturates_without_windup)
{
    const host_value values[] = {{"speed_filter", 1}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = create_controller(values, 0);
    set_input(host, "omega", 220);
    set_input(host, "p_im", 4e5);
    double last = 1;
    for (int k = 0; k < 2000; k++) {
        next_event(host);
        const double fuel = output_of(host, "fuel_factor");
        assert_true(fuel >= last && fuel <= 1.2);
        last = fuel;
    }
    assert_true(last == 1.2);
    assert_close(output_of(host, "egr_trim"), -0.1, 1e-12, 0);
    assert_true(output_of(host, "wastegate_trim") == 0.3);
    set_input(host, "omega", 300);
    set_input(host, "p_im", 1e5);
    next_event(host);
    next_event(host);
    assert_true(output_of(host, "fuel_factor") < 1.1);
    for (int k = 0; k < 20000; k++)
        next_event(host);
    assert_true(output_of(host, "fuel_factor") == 0.2);
    assert_true(output_of(host, "wastegate_trim") == 0);
}

/* The load step is a separate event between two samples and multiplies the fuel once. */
TEST(load_step)
{
    const host_value values[] = {{"step_time", 0.0254}, {"step_size", -0.2}, {NULL, 0}};
    AUTO(host_destroy) model_host *host = create_controller(values, 0);
    assert_true(next_event(host) == 0.010);
    assert_true(next_event(host) == 2 * 0.010);
    assert_close(output_of(host, "fuel_factor"), 1, 0, 1e-12);
    assert_true(next_event(host) == 0.0254);
    assert_close(output_of(host, "fuel_factor"), 0.8, 1e-12, 0);
    assert_true(next_event(host) == 3 * 0.010);
    assert_close(output_of(host, "fuel_factor"), 0.8, 1e-12, 0);
}
