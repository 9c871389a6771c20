/* Oscillators and circuits. Thread: any. Real-time: no. */
#include "bench/solvers/problem_set.h"

#include <math.h>
#include <stddef.h>

static int brusselator(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double uuv = x[0] * x[0] * x[1];
    ret_dx[0] = 1.0 + uuv - 4.0 * x[0];
    ret_dx[1] = 3.0 * x[0] - uuv;
    return 0;
}

static int vanderpol_mild(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = x[1];
    ret_dx[1] = (1.0 - x[0] * x[0]) * x[1] - x[0];
    return 0;
}

static int vanderpol_1000(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = x[1];
    ret_dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    return 0;
}

static int vanderpol(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = x[1];
    ret_dx[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
    return 0;
}

static int spirals(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = -10.0 * x[0] + 100.0 * x[1];
    ret_dx[1] = -100.0 * x[0] - 10.0 * x[1];
    ret_dx[2] = -4.0 * x[2];
    ret_dx[3] = -x[3];
    ret_dx[4] = -0.5 * x[4];
    ret_dx[5] = -0.1 * x[5];
    return 0;
}

static double diode(double u) { return 40.67286402e-9 * (exp(17.7493332 * u) - 1.0); }

static int ring_modulator(double t_s, const double *x, double *ret_dx)
{
    const double c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25e3, rp = 50.0, lh = 4.45, ls1 = 2e-3,
                 ls2 = 5e-4, ls3 = 5e-4, rg1 = 36.3, rg2 = 17.3, rg3 = 17.3, ri = 50.0, rc = 600.0;
    const double in1 = 0.5 * sin(2e3 * M_PI * t_s), in2 = 2.0 * sin(2e4 * M_PI * t_s);
    const double *const y = x - 1; /* indices from 1, as in the source */
    double *const f = ret_dx - 1;
    const double d1 = y[3] - y[5] - y[7] - in2, d2 = -y[4] + y[6] - y[7] - in2,
                 d3 = y[4] + y[5] + y[7] + in2, d4 = -y[3] - y[6] + y[7] + in2;
    if (fmax(fmax(d1, d2), fmax(d3, d4)) > 17.0)
        /* The exponential overflows at 40 V. The test set's code also requests a shorter step. */
        return 1;
    const double q1 = diode(d1), q2 = diode(d2), q3 = diode(d3), q4 = diode(d4);
    f[1] = (y[8] - 0.5 * y[10] + 0.5 * y[11] + y[14] - y[1] / r) / c;
    f[2] = (y[9] - 0.5 * y[12] + 0.5 * y[13] + y[15] - y[2] / r) / c;
    f[3] = (y[10] - q1 + q4) / cs;
    f[4] = (-y[11] + q2 - q3) / cs;
    f[5] = (y[12] + q1 - q3) / cs;
    f[6] = (-y[13] - q2 + q4) / cs;
    f[7] = (-y[7] / rp + q1 + q2 - q3 - q4) / cp;
    f[8] = -y[1] / lh;
    f[9] = -y[2] / lh;
    f[10] = (0.5 * y[1] - y[3] - rg2 * y[10]) / ls2;
    f[11] = (-0.5 * y[1] + y[4] - rg3 * y[11]) / ls3;
    f[12] = (0.5 * y[2] - y[5] - rg2 * y[12]) / ls2;
    f[13] = (-0.5 * y[2] + y[6] - rg3 * y[13]) / ls3;
    f[14] = (-y[1] + in1 - (ri + rg1) * y[14]) / ls1;
    f[15] = (-y[2] - (rc + rg1) * y[15]) / ls1;
    return 0;
}

const set_problem set_circuits[] = {
    {SET_PROBLEM("brusselator", SET_NON_STIFF, 2, 20.0, 8, 1.0, brusselator,
                 "Hairer, Norsett, Wanner, Solving ODEs I, I.16"),
     .start = (const double[]){1.5, 3.0}},
    {SET_PROBLEM("vanderpol-1", SET_NON_STIFF, 2, 20.0, 8, 1.0, vanderpol_mild,
                 "SIAM J. Numer. Anal. 9 (1972) 603, E2"),
     .start = (const double[]){2.0, 0.0}},
    {SET_PROBLEM("vanderpol-1e3", SET_STIFF_REAL, 2, 2000.0, 5, 0, vanderpol_1000,
                 "Test Set for IVP Solvers, VDPOL, with time not scaled"),
     .nominals = (const double[]){1.0, 1e-3}, .start = (const double[]){2.0, 0.0},
     .end = (const double[]){1.706167732170465, -8.928097010248165e-4}},
    {SET_PROBLEM("vanderpol-1e6", SET_STIFF_REAL, 2, 2.0, 5, 1.0, vanderpol,
                 "Test Set for IVP Solvers, VDPOL"),
     .start = (const double[]){2.0, 0.0},
     .end = (const double[]){0.1706167732170483e1, -0.8928097010247975}},
    {SET_PROBLEM("b5", SET_STIFF_COMPLEX, 6, 20.0, 10, 1.0, spirals,
                 "Enright, Hull, Lindberg (1975), B5; exact"),
     .first_s = 0.05, .start = (const double[]){1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
     .end = (const double[]){0.0, 0.0, 1.8048513878454153e-35, 2.061153622438558e-09,
                             4.5399929762484854e-05, 0.1353352832366127}},
    {SET_PROBLEM("ring-modulator", SET_STIFF_COMPLEX, 15, 1e-3, 4, 0, ring_modulator,
                 "Test Set for IVP Solvers, RINGMOD"),
     .nominals = (const double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1e-6, 1e-6, 1e-3, 1e-3, 1e-3,
                                  1e-3, 1e-4, 1e-4},
     .end = (const double[]){-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169,
                             -0.4064465721283450, -0.4039455665149794, 0.2607966765422943,
                             0.1106761861269975, 0.2939904342435596e-6, -0.2840029933642329e-7,
                             0.7267198267264553e-3, 0.7929487196960840e-3, -0.7255283495698965e-3,
                             -0.7941401968526521e-3, 0.7088495416976114e-4, 0.2390059075236570e-4},
     .reference = "rosenbrock", .reference_rtol = 1e-10, .most_rhs = 20000000},
    {.name = NULL},
};
