/* The pipe: its declarations, its balances of mass, species and energy, and its steady state, where inflow equals outflow. Balances
 * are balances of rates: the test differences a stored quantity along the derivatives of the states. The relative error of the
 * quotient is about eps^(2/3). */
#include "describe_host.h"

extern const wrsim_model wr_model_pipe;

enum { MASS = 5 + 1, O2_MASS, GAS_ENERGY, WALL_ENERGY, POWER_IN, POWER_OUT, LOSS, N_Y = 5 + 8 };
enum { M_OUT = 5 };
enum { U_FLOW, U_PRESSURE, U_T_IN, U_O2, U_CO2, U_H2O, N_U = 7 };

static uint64_t random_state = 1;
static double random_unit(void) { return wr_random_unit(&random_state); }

static model_host *create(double cells, double expansion)
{
    const host_value values[] = {
        {"cells", cells}, {"expansion", expansion}, {"balance", 1.0}, {NULL, 0.0}};
    model_host *const host = host_create(&wr_model_pipe, values);
    host_start(host, 0.0);
    return host;
}

/* Sets random states and inputs: gases of any mixture, far from the steady state. */
static void go_anywhere(model_host *host)
{
    const int n = host->n[WRSIM_STATE] / 5;
    for (int i = 0; i < 3 * n; i++)
        host->x[i] = 0.15 + 0.15 * random_unit();
    for (int i = 3 * n; i < 5 * n; i++)
        host->x[i] = 600.0 + 250.0 * random_unit();
    host->u[U_FLOW] = 5e-3 * (1.01 + random_unit());
    host->u[U_PRESSURE] = 1e5 * (1.2 + 0.2 * random_unit());
    host->u[U_T_IN] = 600.0 + 250.0 * random_unit();
    for (int i = U_O2; i <= U_H2O; i++)
        host->u[i] = 0.15 + 0.15 * random_unit();
}

TEST(declared_is_there)
{
    for (int expansion = 0; expansion <= 1; expansion++) {
        AUTO(host_destroy) model_host *host = create(4, expansion);
        const int n = host->n[WRSIM_STATE];
        go_anywhere(host);
        AUTO(wr_test_free)
        double *before = host_alloc((size_t)n, 8), *after = host_alloc((size_t)n, 8);
        assert_int_equal(host_rhs(host, before), 0);
        for (int k = 0; k < n + N_U; k++) {
            const int is_state = k < n, column = is_state ? k : k - n;
            const host_pattern *const p = &host->pattern[is_state ? WRSIM_X_X : WRSIM_U_X];
            double *const moved = is_state ? &host->x[column] : &host->u[column];
            const double value = *moved;
            *moved += 1e-3 * value;
            assert_int_equal(host_rhs(host, after), 0);
            *moved = value;
            for (int row = 0; row < n; row++)
                assert_int_equal(memcmp(&before[row], &after[row], sizeof(double)) != 0,
                                 p->is_set[row * p->n_columns + column]);
        }
    }
}

/* Stores the time derivatives of all outputs with constant inputs, by differences along the derivatives of the states. */
static void output_rates(model_host *host, double *ret_rate)
{
    const int n = host->n[WRSIM_STATE];
    AUTO(wr_test_free) double *dx = host_alloc((size_t)n, 8), *x = host_alloc((size_t)n, 8);
    double y[2][N_Y];
    const double h = 1e-7; /* s: about cbrt(eps) of the gas's time constant */
    memcpy(x, host->x, (size_t)n * sizeof *x);
    assert_int_equal(host_rhs(host, dx), 0);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++)
            host->x[i] = x[i] + (side ? h : -h) * dx[i];
        assert_int_equal(host_output(host, y[side]), 0);
    }
    for (int i = 0; i < N_Y; i++)
        ret_rate[i] = (y[1][i] - y[0][i]) / (2.0 * h);
    memcpy(host->x, x, (size_t)n * sizeof *x);
}

TEST(balances)
{
    AUTO(host_destroy) model_host *host = create(7, 1);
    for (int trial = 0; trial < 20; trial++) {
        double y[N_Y], rate[N_Y];
        go_anywhere(host);
        assert_int_equal(host_output(host, y), 0);
        output_rates(host, rate);
        const double flow = host->u[U_FLOW], n = host->n[WRSIM_STATE] / 5;
        const double o2_out = y[M_OUT] * y[2];
        assert_close(rate[MASS], flow - y[M_OUT], 1e-7, 1e-9);
        assert_close(rate[O2_MASS], flow * host->u[U_O2] - o2_out, 1e-7, 1e-9);
        /* The quotient of the wall's energy, 1e5 J, errs by 1e5 eps / h = 2e-4 W. */
        assert_close(rate[GAS_ENERGY] + rate[WALL_ENERGY], y[POWER_IN] - y[POWER_OUT] - y[LOSS],
                     1e-6, 1e-2);
        assert_true(n > 0);
    }
}

/* With one flow for all cells (expansion = 0) the outflow equals the inflow, whatever the cells store. The first cell has the same rates
 * as with expansion = 1. */
TEST(paper_flow)
{
    AUTO(host_destroy) model_host *host = create(5, 0), *exact = create(5, 1);
    go_anywhere(host);
    memcpy(exact->x, host->x, 25 * sizeof(double));
    memcpy(exact->u, host->u, N_U * sizeof(double));
    double y[N_Y], y_exact[N_Y], rate[N_Y], dx[25], dx_exact[25];
    assert_int_equal(host_output(host, y), 0);
    assert_int_equal(host_output(exact, y_exact), 0);
    assert_int_equal(host_rhs(host, dx), 0);
    assert_int_equal(host_rhs(exact, dx_exact), 0);
    output_rates(host, rate);
    assert_close(y[M_OUT], host->u[U_FLOW], 0.0, 0.0);
    assert_true(fabs(rate[MASS] - (host->u[U_FLOW] - y[M_OUT])) > 1e-3 * host->u[U_FLOW]);
    for (int kind = 0; kind < 5; kind++) /* the first cell does not depend on expansion */
        assert_close(dx[5 * kind], dx_exact[5 * kind], 0.0, 0.0);
}

/* Settles the pipe without a Jacobian: explicit steps for the gas, which settles in milliseconds, and longer steps for the wall. */
static void settle(model_host *host)
{
    const int n = host->n[WRSIM_STATE] / 5;
    AUTO(wr_test_free) double *dx = host_alloc((size_t)(5 * n), 8);
    for (int step = 0; step < 400000; step++) {
        assert_int_equal(host_rhs(host, dx), 0);
        for (int i = 0; i < 4 * n; i++)
            host->x[i] += 5e-4 * dx[i];
        for (int i = 4 * n; i < 5 * n; i++)
            host->x[i] += 5e-1 * dx[i]; /* pseudo-time: only the end state counts */
    }
    for (int i = 0; i < 5 * n; i++)
        assert_true(fabs(dx[i]) < 1e-8);
}

TEST(settled)
{
    for (int expansion = 0; expansion <= 1; expansion++) {
        AUTO(host_destroy) model_host *host = create(3, expansion);
        host->u[U_T_IN] = 700.0;
        host->u[U_CO2] = 0.05;
        settle(host);
        double y[N_Y];
        assert_int_equal(host_output(host, y), 0);
        assert_close(y[M_OUT], host->u[U_FLOW], 1e-9, 0.0);
        assert_close(y[3], 0.05, 1e-9, 0.0);
        assert_close(y[POWER_IN] - y[POWER_OUT], y[LOSS], 1e-7, 0.0);
        assert_true(y[LOSS] > 10.0 && y[0] < 700.0 && y[1] < y[0] && y[1] > 298.0);
    }
}

TEST(refuses)
{
    AUTO(host_destroy) model_host *host = create(5, 0);
    double dx[25];
    host->u[U_FLOW] = -1e-3;
    assert_true(host_rhs(host, dx) > 0);
    assert_non_null(strstr(host->instance.message, "mass flow"));
    host->u[U_FLOW] = 1e-3;
    host->x[17] = -1.0; /* T[3] */
    assert_true(host_rhs(host, dx) > 0);
    assert_non_null(strstr(host->instance.message, "temperature"));
    host->u[U_PRESSURE] = 0.0;
    assert_true(host_rhs(host, dx) > 0);
}
