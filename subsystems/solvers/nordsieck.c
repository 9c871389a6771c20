/* Constants and operations of methods in Nordsieck form. See nordsieck.h. Thread: any. Real-time: yes. */
#include "subsystems/solvers/nordsieck.h"

#include <string.h>

enum { LOWER, SAME, HIGHER };

/* Multiplies a polynomial of the degree by x + root. p[i] is the coefficient of x^i. */
static void multiply(double *p, int degree, double root)
{
    p[degree + 1] = 0.0;
    for (int i = degree + 1; i > 0; i--)
        p[i] = p[i - 1] + root * p[i];
    p[0] *= root;
}

/* Adams-Moulton: l(x) is the integral from -1 to x of (u + 1) ... (u + q - 1) / (q - 1)!. The error constant is minus the integral from -1 to
 * 0 of u (u + 1) ... (u + q - 1) / q!. */
static void fill_adams(wr_nordsieck_order *of)
{
    double p[WR_NORDSIECK_COLUMNS] = {1.0}, factorial = 1.0; /* of q - 1 */
    of[1].l[0] = of[1].l[1] = 1.0;
    of[1].test[SAME] = 2.0;
    of[2].test[LOWER] = 1.0;
    for (int q = 2; q <= WR_ADAMS_ORDER; q++) {
        multiply(p, q - 2, q - 1);
        double integral = 0.0, moment = 0.0;
        for (int i = 0; i < q; i++) {
            const double sign = i % 2 == 0 ? 1.0 : -1.0;
            integral += sign * p[i] / (i + 1);
            moment += sign * p[i] / (i + 2);
        }
        of[q].l[0] = integral / factorial;
        of[q].l[1] = 1.0;
        for (int i = 2; i <= q; i++)
            of[q].l[i] = p[i - 1] / (i * factorial);
        factorial *= q;
        of[q].test[SAME] = of[q - 1].test[HIGHER] = factorial / moment;
        if (q < WR_ADAMS_ORDER)
            of[q + 1].test[LOWER] = 1.0 / (moment * (q + 1));
    }
}

/* BDF: l(x) is (1 + x) (1 + x / 2) ... (1 + x / q), divided by its coefficient of x. */
static void fill_bdf(wr_nordsieck_order *of)
{
    double p[WR_NORDSIECK_COLUMNS] = {1.0}, factorial = 1.0; /* of q - 1 */
    for (int q = 1; q <= WR_BDF_ORDER; q++) {
        multiply(p, q - 1, q);
        for (int i = 0; i <= q; i++)
            of[q].l[i] = p[i] / p[1];
        of[q].test[LOWER] = 1.0 / factorial;
        of[q].test[SAME] = (q + 1) / of[q].l[0];
        of[q].test[HIGHER] = (q + 2) / of[q].l[0];
        factorial *= q;
    }
}

void wr_nordsieck_fill(wr_nordsieck_table *table)
{
    *table = (wr_nordsieck_table){{{{{0.0}, {0.0}}}}};
    fill_adams(table->of[WR_ADAMS]);
    fill_bdf(table->of[WR_BDF]);
}

void wr_nordsieck_predict(int n, int q, const double *z, double *ret)
{
    memcpy(ret, z, (size_t)(q + 1) * (size_t)n * sizeof *ret);
    for (int k = 0; k < q; k++) /* Pascal's triangle */
        for (int j = q - 1; j >= k; j--)
            for (int i = 0; i < n; i++)
                ret[j * n + i] += ret[(j + 1) * n + i];
}

void wr_nordsieck_rescale(int n, int q, double ratio, double *z)
{
    double power = 1.0;
    for (int j = 1; j <= q; j++) {
        power *= ratio;
        for (int i = 0; i < n; i++)
            z[j * n + i] *= power;
    }
}

void wr_nordsieck_eval(int n, int q, const double *z, double s, double *ret_x, double *ret_hdx)
{
    for (int i = 0; i < n; i++) {
        double x = z[q * n + i], hdx = q * z[q * n + i];
        for (int j = q - 1; j >= 1; j--) {
            x = x * s + z[j * n + i];
            hdx = hdx * s + j * z[j * n + i];
        }
        if (ret_x)
            ret_x[i] = x * s + z[i];
        if (ret_hdx)
            ret_hdx[i] = hdx;
    }
}
