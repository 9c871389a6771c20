/* Nonstiff problems of motion (orbits, tops, populations), and structures with complex eigenvalues.
 *
 * Thread: any. Real-time: no.
 */
#include "bench/solvers/problem_set.h"

#include <math.h>
#include <stddef.h>

static int arenstorf(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double mu = 0.012277471, nu = 1.0 - mu, a = x[0] + mu, b = x[0] - nu, yy = x[1] * x[1];
    const double d1 = pow(a * a + yy, 1.5), d2 = pow(b * b + yy, 1.5);
    ret_dx[0] = x[2];
    ret_dx[1] = x[3];
    ret_dx[2] = x[0] + 2.0 * x[3] - nu * a / d1 - mu * b / d2;
    ret_dx[3] = x[1] - 2.0 * x[2] - nu * x[1] / d1 - mu * x[1] / d2;
    return 0;
}

enum { N_STAR = 7 };

static int pleiades(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double *const y = x + N_STAR;
    for (int i = 0; i < N_STAR; i++) {
        double ax = 0.0, ay = 0.0;
        for (int j = 0; j < N_STAR; j++) {
            if (j == i)
                continue;
            const double dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy;
            const double pull = (j + 1) / (r2 * sqrt(r2));
            ax += pull * dx;
            ay += pull * dy;
        }
        ret_dx[i] = x[2 * N_STAR + i];
        ret_dx[N_STAR + i] = x[3 * N_STAR + i];
        ret_dx[2 * N_STAR + i] = ax;
        ret_dx[3 * N_STAR + i] = ay;
    }
    return 0;
}

static int kepler(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    ret_dx[0] = x[2];
    ret_dx[1] = x[3];
    ret_dx[2] = -x[0] / r3;
    ret_dx[3] = -x[1] / r3;
    return 0;
}

static int top(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = x[1] * x[2];
    ret_dx[1] = -x[0] * x[2];
    ret_dx[2] = -0.51 * x[0] * x[1];
    return 0;
}

static int populations(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = 2.0 * (x[0] - x[0] * x[1]);
    ret_dx[1] = -(x[1] - x[0] * x[1]);
    return 0;
}

enum { N_X = 8, N_Y = 5, N_PLATE = N_X * N_Y };

/* Returns the biharmonic operator with simply supported edges, times the fourth power of the grid width. */
static double bend(const double *u, int i, int j)
{
    const double *const at = u + i + N_X * j;
    const int west = i > 0, east = i<N_X - 1, south = j> 0, north = j < N_Y - 1;
    double sum = (16.0 + west + east + south + north) * at[0];
    sum -= 8.0 * ((west ? at[-1] : 0.0) + (east ? at[1] : 0.0) + (south ? at[-N_X] : 0.0) +
                  (north ? at[N_X] : 0.0));
    sum += 2.0 * ((west && south ? at[-N_X - 1] : 0.0) + (east && south ? at[-N_X + 1] : 0.0) +
                  (west && north ? at[N_X - 1] : 0.0) + (east && north ? at[N_X + 1] : 0.0));
    sum += (i > 1 ? at[-2] : 0.0) + (i < N_X - 2 ? at[2] : 0.0) + (j > 1 ? at[-2 * N_X] : 0.0) +
           (j < N_Y - 2 ? at[2 * N_X] : 0.0);
    return sum;
}

static int plate(double t_s, const double *x, double *ret_dx)
{
    const double width = 2.0 / (N_X + 1), stiffness = 100.0 / pow(width, 4.0);
    for (int j = 0; j < N_Y; j++)
        for (int i = 0; i < N_X; i++) {
            const int k = i + N_X * j;
            const double at = t_s - (i + 1) * width;
            const double force = j == 1 || j == 3 ? exp(-5.0 * (at - 2.0) * (at - 2.0)) +
                                                        exp(-5.0 * (at - 5.0) * (at - 5.0))
                                                  : 0.0;
            ret_dx[k] = x[N_PLATE + k];
            ret_dx[N_PLATE + k] =
                -1000.0 * x[N_PLATE + k] - stiffness * bend(x, i, j) + 200.0 * force;
        }
    return 0;
}

enum { N_BEAM = 40 };

/* Computes the vector v of the beam (Test Set for IVP Solvers, BEAM): bending, and the force at the free end, which ends at t = pi s. */
static void beam_load(double t_s, const double *angle, double *ret_v)
{
    const double n2 = N_BEAM * N_BEAM, n4 = n2 * n2,
                 force = t_s > M_PI ? 0.0 : 1.5 * sin(t_s) * sin(t_s);
    for (int i = 0; i < N_BEAM; i++) {
        const double bending = i == 0            ? -3.0 * angle[0] + angle[1]
                               : i == N_BEAM - 1 ? angle[i - 1] - angle[i]
                                                 : angle[i - 1] - 2.0 * angle[i] + angle[i + 1];
        ret_v[i] = n4 * bending + n2 * force * (cos(angle[i]) + sin(angle[i]));
    }
}

/* Solves C w = D v + theta'^2 for w, with tridiagonal matrices C and D. C has 1, 2, ..., 2, 3 on the diagonal and -cos(theta_i - theta_i-1)
 * beside the diagonal. D has -sin(theta_i - theta_i-1) below the diagonal and the sine above. */
static void beam_turn(const double *c, const double *s, const double *v, const double *rate,
                      double *ret_w)
{
    double alpha[N_BEAM];
    for (int i = 0; i < N_BEAM; i++) {
        alpha[i] = i == 0 ? 1.0 : i == N_BEAM - 1 ? 3.0 : 2.0;
        ret_w[i] = rate[i] * rate[i] - (i > 0 ? s[i] * v[i - 1] : 0.0) +
                   (i < N_BEAM - 1 ? s[i + 1] * v[i + 1] : 0.0);
    }
    for (int i = N_BEAM - 2; i >= 0; i--) {
        const double q = -c[i + 1] / alpha[i + 1];
        ret_w[i] -= ret_w[i + 1] * q;
        alpha[i] += c[i + 1] * q;
    }
    ret_w[0] /= alpha[0];
    for (int i = 1; i < N_BEAM; i++)
        ret_w[i] = (ret_w[i] + c[i] * ret_w[i - 1]) / alpha[i];
}

static int beam(double t_s, const double *x, double *ret_dx)
{
    double c[N_BEAM] = {0.0}, s[N_BEAM] = {0.0}, v[N_BEAM], w[N_BEAM];
    for (int i = 1; i < N_BEAM; i++) {
        c[i] = cos(x[i] - x[i - 1]);
        s[i] = sin(x[i] - x[i - 1]);
    }
    beam_load(t_s, x, v);
    beam_turn(c, s, v, x + N_BEAM, w);
    for (int i = 0; i < N_BEAM; i++) {
        const double own = i == 0 ? 1.0 : i == N_BEAM - 1 ? 3.0 : 2.0;
        ret_dx[i] = x[N_BEAM + i];
        ret_dx[N_BEAM + i] = own * v[i] - (i > 0 ? c[i] * v[i - 1] + s[i] * w[i - 1] : 0.0) +
                             (i < N_BEAM - 1 ? s[i + 1] * w[i + 1] - c[i + 1] * v[i + 1] : 0.0);
    }
    return 0;
}

const set_problem set_motion[] = {
    {SET_PROBLEM("arenstorf", SET_NON_STIFF, 4, 17.0652165601579625588917206249, 4, 1.0, arenstorf,
                 "Hairer, Norsett, Wanner, Solving ODEs I, II.0; periodic"),
     .start = (const double[]){0.994, 0.0, 0.0, -2.00158510637908252240537862224},
     .end = (const double[]){0.994, 0.0, 0.0, -2.00158510637908252240537862224}},
    {SET_PROBLEM("pleiades", SET_NON_STIFF, 4 * N_STAR, 3.0, 6, 1.0, pleiades,
                 "Test Set for IVP Solvers, PLEI"),
     .start = (const double[]){3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                               0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0},
     .end =
         (const double[]){
             0.3706139143970502,  3.237284092057233,   -3.222559032418324,  0.6597091455775310,
             0.3425581707156584,  1.562172101400631,   -0.7003092922212495, -3.943437585517392,
             -3.271380973972550,  5.225081843456543,   -2.590612434977470,  1.198213693392275,
             -0.2429682344935824, 1.091449240428980,   3.417003806314313,   1.354584501625501,
             -2.590065597810775,  2.025053734714242,   -1.155815100160448,  -0.8072988170223021,
             0.5952396354208710,  -3.741244961234010,  0.3773459685750630,  0.9386858869551073,
             0.3667922227200571,  -0.3474046353808490, 2.344915448180937,   -1.947020434263292}},
    {SET_PROBLEM("kepler", SET_NON_STIFF, 4, 20.0, 8, 1.0, kepler,
                 "SIAM J. Numer. Anal. 9 (1972) 603, D5; exact"),
     .start = (const double[]){0.1, 0.0, 0.0, 4.358898943540673552236981983859615659},
     .end = (const double[]){-1.2952662509875759, 0.40039389637923184, -0.6775390924707554,
                             -0.12708381542786895}},
    {SET_PROBLEM("top", SET_NON_STIFF, 3, 20.0, 8, 1.0, top,
                 "SIAM J. Numer. Anal. 9 (1972) 603, B5"),
     .start = (const double[]){0.0, 1.0, 1.0}},
    {SET_PROBLEM("populations", SET_NON_STIFF, 2, 20.0, 8, 1.0, populations,
                 "SIAM J. Numer. Anal. 9 (1972) 603, B1"),
     .start = (const double[]){1.0, 3.0}},
    {SET_PROBLEM("plate", SET_STIFF_COMPLEX, 2 * N_PLATE, 7.0, 7, 1e-3, plate,
                 "Hairer, Wanner, Solving ODEs II, IV.10, PLATE")},
    {SET_PROBLEM("beam", SET_STIFF_COMPLEX, 2 * N_BEAM, 5.0, 5, 1.0, beam,
                 "Test Set for IVP Solvers, BEAM")},
    {.name = NULL},
};
