/* Polynomials of low degree. See polynomial.h.
 *
 * Thread: any. Real-time: no.
 */
#include "base/polynomial.h"

#include <string.h>

#include "base/check.h"
#include "base/lapack.h"

static int is_zero(double complex c) { return !(cabs(c) > 0.0) && cabs(c) <= 0.0; }

wrsim_status wr_polynomial_roots(int degree, const double complex *c, double complex *ret_root,
                                 int *ret_n)
{
    if (degree < 0 || degree > WR_POLYNOMIAL_DEGREE)
        return WRSIM_E_ARG;
    int first = 0, last = degree;
    while (last >= 0 && is_zero(c[last]))
        last--;
    if (last < 0)
        return WRSIM_E_ARG;
    while (is_zero(c[first]))
        first++;
    const int n = last - first;
    double complex companion[WR_POLYNOMIAL_DEGREE * WR_POLYNOMIAL_DEGREE] = {0};
    for (int j = 0; j < n; j++) { /* last row: -c / leading; ones above the diagonal */
        companion[j * n + n - 1] = -c[first + j] / c[last];
        if (j > 0)
            companion[j * n + j - 1] = 1.0;
    }
    double complex root[WR_POLYNOMIAL_DEGREE] = {0};
    if (n == 1)
        root[0] = companion[0];
    else
        WR_TRY(wr_lapack_eigen_complex(n, companion, root));
    for (int i = 0; i < first; i++)
        ret_root[i] = 0.0;
    memcpy(ret_root + first, root, (size_t)n * sizeof *root);
    *ret_n = last;
    return WRSIM_OK;
}

double complex wr_polynomial_eval(int degree, const double complex *c, double complex z)
{
    double complex sum = c[degree];
    for (int i = degree - 1; i >= 0; i--)
        sum = sum * z + c[i];
    return sum;
}

void wr_polynomial_differentiate(int degree, const double complex *c, double complex *ret_c)
{
    for (int i = 1; i <= degree; i++)
        ret_c[i - 1] = i * c[i];
}
