/* Linear lines and the diode bridge against closed forms: modes of the heat rod and the RLC line, conserved heat, a constant current,
 * and the rectifier. */
#include <complex.h>

#include "describe_host.h"

static const double pi = 3.14159265358979323846;

/* Eigenvectors are cos(k pi (i - 1/2) / n) without films, and sin of the same angle with infinite films. The eigenvalue is -4 a / dx^2
 * sin^2(k pi / 2n), a = conductivity / capacity (Iserles, "A First Course in the Numerical Analysis of Differential Equations", 2nd
 * ed., 2009, section 12.1). The ends of the rod lie half a cell beyond the outer points. */
static void check_rod_mode(model_host *host, int n, int k, int is_insulated)
{
    const double a = 400.0 / 3.4e6, dx = 1.0 / n;
    const double s = sin(0.5 * k * pi / n), eigenvalue = -4.0 * a / (dx * dx) * s * s;
    AUTO(wr_test_free) double *dx_dt = host_alloc((size_t)n, sizeof *dx_dt);
    for (int i = 0; i < n; i++) {
        const double phase = k * pi * (i + 0.5) / n;
        host->x[i] = is_insulated ? cos(phase) : sin(phase);
    }
    assert_int_equal(host_rhs(host, dx_dt), 0);
    /* Films of 1e18 differ from infinite films by 1e-12; the factor 1 / s^2 amplifies rounding of differences. */
    for (int i = 0; i < n; i++)
        assert_close(dx_dt[i], eigenvalue * host->x[i], 1e-9, 1e-13 * 4.0 * a / (dx * dx));
}

TEST(modes_of_the_heat_rod)
{
    for (int is_insulated = 0; is_insulated < 2; is_insulated++)
        for (int n = 1; n <= 50; n += 7) {
            const double film = is_insulated ? 0.0 : 1e18;
            const host_value values[] = {
                {"n", n}, {"film_left", film}, {"film_right", film}, {NULL, 0.0}};
            AUTO(host_destroy) model_host *host = host_create(find_model("heat_rod"), values);
            host->u[0] = host->u[1] = 0.0;
            for (int k = is_insulated ? 0 : 1; k < n + !is_insulated; k++)
                check_rod_mode(host, n, k, is_insulated);
        }
}

/* The stored heat changes by the flow through the ends and by the source. */
TEST(heat_is_kept)
{
    const host_value values[] = {
        {"n", 40.0}, {"film_left", 700.0}, {"film_right", 90.0}, {NULL, 0.0}};
    AUTO(host_destroy) model_host *host = host_create(find_model("heat_rod"), values);
    const double capacity = 3.4e6 * 1e-4 / 40.0;
    double dx_dt[40], y[5], stored = 0.0;
    for (int i = 0; i < 40; i++)
        host->x[i] = 300.0 + 7.0 * sin(3.0 * i * i);
    host->u[0] = 350.0;
    host->u[1] = 280.0;
    host->u[2] = 12.0;
    assert_int_equal(host_rhs(host, dx_dt), 0);
    assert_int_equal(host_output(host, y), 0);
    for (int i = 0; i < 40; i++)
        stored += capacity * dx_dt[i];
    assert_close(stored, y[3] + y[4] + 12.0, 1e-9, 0.0);
    assert_close(y[0], host->x[0], 0.0, 0.0);
    assert_close(y[2], host->x[39], 0.0, 0.0);
}

/* In a lossless open line v_j = sin(j th), th = (2k - 1) pi / (2n + 1), oscillates with w = 2 / sqrt(LC) sin(th / 2) (Brillouin
 * 1946, "Wave Propagation in Periodic Structures", chapter 4). The right-hand side of the derivatives gives v''. */
TEST(frequencies_of_the_rlc_line)
{
    enum { N = 12 };
    const host_value values[] = {{"n", N}, {"R", 0.0}, {"L", 0.3}, {"C", 0.07}, {NULL, 0.0}};
    AUTO(host_destroy) model_host *host = host_create(find_model("rlc_line"), values);
    for (int k = 1; k <= N; k++) {
        const double th = (2.0 * k - 1.0) * pi / (2.0 * N + 1.0);
        const double w2 = 4.0 / (0.3 * 0.07) * pow(sin(0.5 * th), 2.0);
        double v[N], first[2 * N], second[2 * N];
        for (int j = 0; j < N; j++) {
            host->x[2 * j] = 0.0;
            host->x[2 * j + 1] = v[j] = sin((j + 1) * th);
        }
        assert_int_equal(host_rhs(host, first), 0);
        memcpy(host->x, first, sizeof first);
        assert_int_equal(host_rhs(host, second), 0);
        for (int j = 0; j < N; j++)
            assert_close(second[2 * j + 1], -w2 * v[j], 1e-12, 1e-11);
    }
}

/* In steady state one current flows through all sections, and each voltage drop is current times resistance. */
TEST(direct_current_of_the_rlc_line)
{
    const host_value values[] = {{"n", 5.0}, {"R", 2.0}, {NULL, 0.0}};
    AUTO(host_destroy) model_host *host = host_create(find_model("rlc_line"), values);
    double dx_dt[10];
    host->u[0] = 20.0;
    host->u[1] = 1.5;
    for (int k = 0; k < 5; k++) {
        host->x[2 * k] = 1.5;
        host->x[2 * k + 1] = 20.0 - 3.0 * (k + 1);
    }
    assert_int_equal(host_rhs(host, dx_dt), 0);
    for (int i = 0; i < 10; i++)
        assert_close(dx_dt[i], 0.0, 0.0, 1e-14);
}

/* The rectifier's modes follow the diodes' voltages, for either polarity. */
TEST(which_diodes_conduct)
{
    AUTO(host_destroy) model_host *host = host_create(find_model("diode_bridge"), NULL);
    for (int is_back = 0; is_back < 2; is_back++) {
        host->u[0] = is_back ? -20.0 : 20.0;
        host->x[0] = is_back ? -3.0 : 3.0;
        host->x[1] = 8.0;
        memset(host->mode, 0, 4);
        host_set_modes(host);
        const unsigned char expected[2][4] = {{1, 0, 0, 1}, {0, 1, 1, 0}};
        assert_memory_equal(host->mode, expected[is_back], 4);
        double dx_dt[2];
        assert_int_equal(host_rhs(host, dx_dt), 0);
        /* v_a - v_b = v + 2 (i / g_on + v_f (1 - g_off / g_on)) up to the leakage, 1e-2 A. */
        const double drop = 8.0 + 2.0 * (3.0 / 20.0 + 0.6);
        assert_close(fabs(dx_dt[0]), (20.0 - 0.5 * 3.0 - drop) / 1e-3, 1e-3, 0.0);
    }
}

/* While D1 and D4 conduct, without leakage:  L i' = u - 2 v_f - (R + 2 / g_on) i - v,  C v' = i - v / R_load. With
 * x = end + Re(c1 e^{s1 t} w1 + c2 e^{s2 t} w2), s the roots of s^2 + (r/L + 1/(C Rl)) s + (1 + r/Rl)/(L C). */
TEST(rectifier_while_it_conducts)
{
    const double L = 1e-3, C = 1e-3, load = 100.0, r = 0.5 + 2.0 / 20.0, e = 30.0 - 1.2;
    const host_value values[] = {{"g_off", 1e-12}, {NULL, 0.0}};
    AUTO(host_destroy) model_host *host = host_create(find_model("diode_bridge"), values);
    host->u[0] = 30.0;
    host->x[0] = 2.0;
    host->x[1] = 5.0;
    host_set_modes(host);
    const double b = 0.5 * (r / L + 1.0 / (C * load));
    const double complex root = csqrt(b * b - (1.0 + r / load) / (L * C));
    const double complex s[2] = {-b + root, -b - root};
    const double end_v = e / (1.0 + r / load), end_i = end_v / load;
    /* v - end_v = sum c_k e^{s_k t}, i - end_i = sum (C s_k + 1/Rl) c_k e^{s_k t} */
    const double complex w0 = C * s[0] + 1.0 / load, w1 = C * s[1] + 1.0 / load;
    const double complex c0 = ((2.0 - end_i) - w1 * (5.0 - end_v)) / (w0 - w1);
    const double complex c1 = (5.0 - end_v) - c0;
    const double h = 1e-6; /* RK4: (w h)^4 / 120 */
    double k[4][2], x[2];
    for (int step = 1; step <= 1500; step++) {
        memcpy(x, host->x, sizeof x);
        for (int stage = 0; stage < 4; stage++) {
            const double to = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 2; i++)
                host->x[i] = x[i] + (stage ? to * k[stage - 1][i] : 0.0);
            assert_int_equal(host_rhs(host, k[stage]), 0);
        }
        for (int i = 0; i < 2; i++)
            host->x[i] = x[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        const double t = step * h;
        const double complex e0 = c0 * cexp(s[0] * t), e1 = c1 * cexp(s[1] * t);
        assert_close(host->x[1], end_v + creal(e0 + e1), 1e-9, 0.0);
        assert_close(host->x[0], end_i + creal(w0 * e0 + w1 * e1), 1e-9, 1e-9);
    }
}
