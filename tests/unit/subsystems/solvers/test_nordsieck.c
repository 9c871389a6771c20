/* Constants of methods in Nordsieck form against published values, and the operations on a history against polynomials. */
#include "wr_test.h"

#include "subsystems/solvers/nordsieck.h"

#include <string.h>

/* Gear, "Numerical Initial Value Problems in Ordinary Differential Equations", 1971, tables 9.1 (Adams) and 11.1 (stiff methods, divided by
 * l_1 so that l_1 = 1). */
TEST(corrections_are_gears)
{
    static wr_nordsieck_table table;
    const double adams[][6] = {{1.0, 1.0},
                               {1.0 / 2, 1.0, 1.0 / 2},
                               {5.0 / 12, 1.0, 3.0 / 4, 1.0 / 6},
                               {3.0 / 8, 1.0, 11.0 / 12, 1.0 / 3, 1.0 / 24},
                               {251.0 / 720, 1.0, 25.0 / 24, 35.0 / 72, 5.0 / 48, 1.0 / 120}};
    const double bdf[][6] = {{1.0, 1.0},
                             {2.0 / 3, 1.0, 1.0 / 3},
                             {6.0 / 11, 1.0, 6.0 / 11, 1.0 / 11},
                             {24.0 / 50, 1.0, 35.0 / 50, 10.0 / 50, 1.0 / 50},
                             {120.0 / 274, 1.0, 225.0 / 274, 85.0 / 274, 15.0 / 274, 1.0 / 274}};
    wr_nordsieck_fill(&table);
    for (int q = 1; q <= 5; q++)
        for (int j = 0; j <= q; j++) {
            assert_close(table.of[WR_ADAMS][q].l[j], adams[q - 1][j], 1e-14, 0.0);
            assert_close(table.of[WR_BDF][q].l[j], bdf[q - 1][j], 1e-14, 0.0);
        }
}

/* In a step of a smooth solution z_q = h^q x^(q) / q! grows by l_q e = h^(q+1) x^(q+1) / q!. So the local error C h^(q+1) x^(q+1) is
 * e / test[1] if test[1] = 1 / (C l_q q!). Error constants C of Adams-Moulton methods: Hairer, Norsett, Wanner, "Solving ODEs I", III.2,
 * table 2.2; of BDF: 1 / (q + 1). */
TEST(local_errors_have_the_published_constants)
{
    static wr_nordsieck_table table;
    const double adams[] = {1.0 / 2, 1.0 / 12, 1.0 / 24, 19.0 / 720, 3.0 / 160, 863.0 / 60480};
    wr_nordsieck_fill(&table);
    for (int method = WR_ADAMS; method <= WR_BDF; method++) {
        double factorial = 1.0;
        for (int q = 1; q <= (method == WR_ADAMS ? 6 : WR_BDF_ORDER); q++) {
            const wr_nordsieck_order *const order = &table.of[method][q];
            const double constant = method == WR_ADAMS ? adams[q - 1] : 1.0 / (q + 1);
            factorial *= q;
            assert_close(order->test[1], 1.0 / (constant * order->l[q] * factorial), 1e-13, 0.0);
        }
    }
}

/* A polynomial of degree q is predicted exactly, also after a change of the step. */
TEST(histories_are_polynomials)
{
    enum { N = 2, Q = 7 };
    double z[(Q + 1) * N], next[(Q + 1) * N], x[N], hdx[N];
    const double t = 0.3, h = 0.2;
    for (int i = 0; i < N; i++) {
        double c = 1.0; /* binomial coefficient of (t + s h)^Q times (i + 1) */
        for (int j = 0; j <= Q; j++) {
            z[j * N + i] = (i + 1) * c * pow(t, Q - j) * pow(h, j);
            c = c * (Q - j) / (j + 1);
        }
    }
    wr_nordsieck_predict(N, Q, z, next);
    for (int i = 0; i < N; i++) {
        assert_close(next[i], (i + 1) * pow(t + h, Q), 1e-13, 0.0);
        assert_close(next[N + i], (i + 1) * Q * h * pow(t + h, Q - 1), 1e-13, 0.0);
    }
    wr_nordsieck_rescale(N, Q, 1.7, z);
    wr_nordsieck_predict(N, Q, z, next);
    wr_nordsieck_eval(N, Q, z, -0.5, x, hdx);
    for (int i = 0; i < N; i++) {
        assert_close(next[i], (i + 1) * pow(t + 1.7 * h, Q), 1e-12, 0.0);
        assert_close(x[i], (i + 1) * pow(t - 0.85 * h, Q), 1e-12, 0.0);
        assert_close(hdx[i], (i + 1) * Q * 1.7 * h * pow(t - 0.85 * h, Q - 1), 1e-12, 0.0);
    }
}
