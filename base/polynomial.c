/* Roots and values of polynomials. See polynomial.h. Thread: any. Real-time: no. */
#include "base/polynomial.h"

#include <float.h>
#include <string.h>

#include "base/check.h"

enum {
    MAX_ITERATIONS = 60, /* limit of the QR steps for one eigenvalue (assumed); 2 to 4 are usual */
    /* steps between exceptional shifts, which break cycles (as in EISPACK's hqr) */
    EXCEPTIONAL_INTERVAL = 10
};

/* A square matrix, column-major; n is the size of the leading block in use. */
typedef struct small_matrix {
    int n;
    double complex a[WR_POLYNOMIAL_DEGREE][WR_POLYNOMIAL_DEGREE]; /* a[column][row] */
} small_matrix;

static int is_zero(double complex c) { return !(cabs(c) > 0.0) && cabs(c) <= 0.0; }

static int is_finite(double complex c) { return isfinite(creal(c)) && isfinite(cimag(c)); }

/* Scales rows and columns to similar size by powers of two, which keeps the eigenvalues (Parlett, Reinsch, "Balancing a matrix
 * for calculation of eigenvalues and eigenvectors", Numer. Math. 13, 1969). */
static void balance(small_matrix *m)
{
    const double base = 2.0, least_gain = 0.95;
    /* largest number of passes (assumed); a few are usually enough, but extreme coefficients need more */
    enum { MAX_PASSES = 100 };
    int is_changed = 1;
    for (int pass = 0; is_changed && pass < MAX_PASSES; pass++) {
        is_changed = 0;
        for (int i = 0; i < m->n; i++) {
            double row = 0.0, column = 0.0, factor = 1.0; /* sums without the diagonal */
            for (int j = 0; j < m->n; j++) {
                row += j == i ? 0.0 : cabs(m->a[j][i]);
                column += j == i ? 0.0 : cabs(m->a[i][j]);
            }
            if (!(row > 0.0) || !(column > 0.0) || !isfinite(row + column))
                continue;
            const double sum = row + column;
            for (; column < row / base && factor < 1e100; factor *= base, column *= base)
                row /= base;
            for (; row < column / base && factor > 1e-100; factor /= base, row *= base)
                column /= base;
            if (row + column >= least_gain * sum)
                continue;
            for (int j = 0; j < m->n; j++)
                m->a[j][i] /= factor;
            for (int j = 0; j < m->n; j++)
                m->a[i][j] *= factor;
            is_changed = 1;
        }
    }
}

/* Returns the first row of the unreduced block that ends with row `last`. Sets the negligible subdiagonal entry before the block to
 * zero. */
static int find_block(small_matrix *m, int last)
{
    for (int k = last; k > 0; k--) {
        const double size = cabs(m->a[k][k]) + cabs(m->a[k - 1][k - 1]);
        if (cabs(m->a[k - 1][k]) > DBL_EPSILON * size && cabs(m->a[k - 1][k]) > DBL_MIN)
            continue;
        m->a[k - 1][k] = 0.0;
        return k;
    }
    return 0;
}

/* Returns the eigenvalue of the last 2 x 2 block that is closer to the last entry (Wilkinson's shift), or an exceptional shift. */
static double complex choose_shift(const small_matrix *m, int last, int iteration)
{
    if (iteration % EXCEPTIONAL_INTERVAL == EXCEPTIONAL_INTERVAL - 1)
        return m->a[last][last] + cabs(m->a[last - 1][last]);
    const double complex d = m->a[last][last];
    const double complex half = 0.5 * (m->a[last - 1][last - 1] - d);
    const double complex product = m->a[last - 1][last] * m->a[last][last - 1];
    double complex root = csqrt(half * half + product);
    if (creal(conj(half) * root) < 0.0)
        root = -root;
    return is_zero(half + root) ? d : d - product / (half + root);
}

/* A rotation [c s; -conj(s) c] that maps (a, b) to (r, 0). */
typedef struct rotation {
    double c;
    double complex s;
} rotation;

static rotation rotation_of(double complex a, double complex b)
{
    const double size_a = cabs(a), size = hypot(size_a, cabs(b));
    if (!(size > 0.0))
        return (rotation){1.0, 0.0};
    if (!(size_a > 0.0))
        return (rotation){0.0, conj(b) / size};
    return (rotation){size_a / size, a / size_a * (conj(b) / size)};
}

/* Performs a shifted QR step on rows and columns first to last of a Hessenberg matrix. */
static void iterate(small_matrix *m, int first, int last, double complex shift)
{
    rotation turn[WR_POLYNOMIAL_DEGREE];
    for (int k = first; k <= last; k++)
        m->a[k][k] -= shift;
    for (int k = first; k < last; k++) {
        turn[k] = rotation_of(m->a[k][k], m->a[k][k + 1]);
        for (int j = k; j <= last; j++) {
            const double complex x = m->a[j][k], y = m->a[j][k + 1];
            m->a[j][k] = turn[k].c * x + turn[k].s * y;
            m->a[j][k + 1] = turn[k].c * y - conj(turn[k].s) * x;
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= k + 1; i++) {
            const double complex x = m->a[k][i], y = m->a[k + 1][i];
            m->a[k][i] = turn[k].c * x + conj(turn[k].s) * y;
            m->a[k + 1][i] = turn[k].c * y - turn[k].s * x;
        }
    for (int k = first; k <= last; k++)
        m->a[k][k] += shift;
}

/* Finds the eigenvalues of an upper Hessenberg matrix by the shifted QR algorithm (Golub, Van Loan, "Matrix
 * Computations", 4th ed., section 7.5). Overwrites the matrix. */
static wrsim_status find_eigenvalues(small_matrix *m, double complex *ret_value)
{
    balance(m);
    for (int last = m->n - 1, iteration = 0; last >= 0;) {
        const int first = find_block(m, last);
        if (first == last) {
            ret_value[last] = m->a[last][last];
            last--;
            iteration = 0;
            continue;
        }
        if (iteration == MAX_ITERATIONS)
            return WRSIM_E_SOLVER;
        iterate(m, first, last, choose_shift(m, last, iteration++));
    }
    return WRSIM_OK;
}

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
    small_matrix companion = {.n = last - first};
    for (int j = 0; j < companion.n; j++) { /* first row: -c[j] / c[last]; subdiagonal: 1 */
        const double complex entry = -c[first + j] / c[last];
        if (!is_finite(entry))
            return WRSIM_E_NAN;
        companion.a[companion.n - 1 - j][0] = entry;
        if (j > 0)
            companion.a[j - 1][j] = 1.0;
    }
    double complex root[WR_POLYNOMIAL_DEGREE] = {0};
    WR_TRY(find_eigenvalues(&companion, root));
    for (int i = 0; i < first; i++)
        ret_root[i] = 0.0;
    memcpy(ret_root + first, root, (size_t)companion.n * sizeof *root);
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
