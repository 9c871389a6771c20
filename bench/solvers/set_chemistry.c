/* Stiff chemistry and reaction-diffusion: eigenvalues near the negative real axis. Thread: any. Real-time: no. */
#include "bench/solvers/problem_set.h"

#include <math.h>
#include <stddef.h>

static int robertson(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    ret_dx[2] = 3e7 * x[1] * x[1];
    ret_dx[1] = -ret_dx[0] - ret_dx[2];
    return 0;
}

static int hires(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    ret_dx[1] = 1.71 * x[0] - 8.75 * x[1];
    ret_dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    ret_dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    ret_dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    ret_dx[5] = -280.0 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    ret_dx[6] = 280.0 * x[5] * x[7] - 1.81 * x[6];
    ret_dx[7] = -ret_dx[6];
    return 0;
}

static int orego(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
    ret_dx[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
    ret_dx[2] = 0.161 * (x[0] - x[2]);
    return 0;
}

static int e5(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double a = 7.89e-10 * x[0], b = 1.1e7 * x[0] * x[2], c = 1.13e3 * x[3];
    const double mc = 1.13e9 * x[1] * x[2];
    ret_dx[0] = -a - b;
    ret_dx[1] = a - mc;
    ret_dx[3] = b - c;
    ret_dx[2] = ret_dx[1] - ret_dx[3];
    return 0;
}

static int pollution(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double *const y = x - 1; /* indices from 1, as in the source */
    double *const f = ret_dx - 1;
    const double r1 = 0.35 * y[1], r2 = 26.6 * y[2] * y[4], r3 = 1.23e4 * y[5] * y[2],
                 r4 = 8.6e-4 * y[7], r5 = 8.2e-4 * y[7], r6 = 1.5e4 * y[7] * y[6],
                 r7 = 1.3e-4 * y[9], r8 = 2.4e4 * y[9] * y[6], r9 = 1.65e4 * y[11] * y[2],
                 r10 = 9e3 * y[11] * y[1], r11 = 0.022 * y[13], r12 = 1.2e4 * y[10] * y[2],
                 r13 = 1.88 * y[14], r14 = 1.63e4 * y[1] * y[6], r15 = 4.8e6 * y[3],
                 r16 = 3.5e-4 * y[4], r17 = 0.0175 * y[4], r18 = 1e8 * y[16], r19 = 4.44e11 * y[16],
                 r20 = 1240.0 * y[17] * y[6], r21 = 2.1 * y[19], r22 = 5.78 * y[19],
                 r23 = 0.0474 * y[1] * y[4], r24 = 1780.0 * y[19] * y[1], r25 = 3.12 * y[20];
    f[1] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    f[2] = -r2 - r3 - r9 - r12 + r1 + r21;
    f[3] = -r15 + r1 + r17 + r19 + r22;
    f[4] = -r2 - r16 - r17 - r23 + r15;
    f[5] = -r3 + 2.0 * r4 + r6 + r7 + r13 + r20;
    f[6] = -r6 - r8 - r14 - r20 + r3 + 2.0 * r18;
    f[7] = -r4 - r5 - r6 + r13;
    f[8] = r4 + r5 + r6 + r7;
    f[9] = -r7 - r8;
    f[10] = -r12 + r7 + r9;
    f[11] = -r9 - r10 + r8 + r11;
    f[12] = r9;
    f[13] = -r11 + r10;
    f[14] = -r13 + r12;
    f[15] = r14;
    f[16] = -r18 - r19 + r16;
    f[17] = -r20;
    f[18] = r20;
    f[19] = -r21 - r22 - r24 + r23 + r25;
    f[20] = -r25 + r24;
    return 0;
}

/* Number of cells of the reaction-diffusion equation. */
enum { N_CELL = 40 };

static int brusselator_line(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double k = (N_CELL + 1) * (N_CELL + 1) / 50.0;
    for (int i = 0; i < N_CELL; i++) {
        const double *const at = x + 2 * i;
        const double u = at[0], v = at[1], uuv = u * u * v;
        const double u_left = i > 0 ? at[-2] : 1.0, v_left = i > 0 ? at[-1] : 3.0;
        const double u_right = i < N_CELL - 1 ? at[2] : 1.0, v_right = i < N_CELL - 1 ? at[3] : 3.0;
        ret_dx[2 * i] = 1.0 + uuv - 4.0 * u + k * (u_left - 2.0 * u + u_right);
        ret_dx[2 * i + 1] = 3.0 * u - uuv + k * (v_left - 2.0 * v + v_right);
    }
    return 0;
}

static void brusselator_line_fill(double *ret_x)
{
    for (int i = 0; i < N_CELL; i++) {
        ret_x[2 * i] = 1.0 + sin(2.0 * M_PI * (i + 1) / (N_CELL + 1));
        ret_x[2 * i + 1] = 3.0;
    }
}

enum { N_NERVE = 32 };

static int cusp(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double d = N_NERVE * N_NERVE / 144.0;
    for (int i = 0; i < N_NERVE; i++) {
        const double *const at = x + 3 * i, *const left = x + 3 * ((i + N_NERVE - 1) % N_NERVE),
                            *const right = x + 3 * ((i + 1) % N_NERVE);
        const double y = at[0], a = at[1], b = at[2], u = (y - 0.7) * (y - 1.3), v = u / (u + 0.1);
        ret_dx[3 * i] = -1e4 * (y * (y * y + a) + b) + d * (left[0] - 2.0 * y + right[0]);
        ret_dx[3 * i + 1] = b + 0.07 * v + d * (left[1] - 2.0 * a + right[1]);
        ret_dx[3 * i + 2] =
            (1.0 - a * a) * b - a - 0.4 * y + 0.035 * v + d * (left[2] - 2.0 * b + right[2]);
    }
    return 0;
}

static void cusp_fill(double *ret_x)
{
    for (int i = 0; i < N_NERVE; i++) {
        ret_x[3 * i] = 0.0;
        ret_x[3 * i + 1] = -2.0 * cos(2.0 * M_PI * (i + 1) / N_NERVE);
        ret_x[3 * i + 2] = 2.0 * sin(2.0 * M_PI * (i + 1) / N_NERVE);
    }
}

/* Nominal values of chemical problems are typical concentrations in the run. */
const set_problem set_chemistry[] = {
    {SET_PROBLEM("robertson", SET_STIFF_REAL, 3, 1e11, 12, 0, robertson,
                 "Test Set for IVP Solvers, ROBER"),
     .first_s = 0.4, .nominals = (const double[]){1.0, 1e-5, 1.0},
     .start = (const double[]){1.0, 0.0, 0.0},
     .end = (const double[]){2.083340149701294e-8, 8.333360770334784e-14, 0.9999999791665152}},
    {SET_PROBLEM("hires", SET_STIFF_REAL, 8, 321.8122, 8, 1e-3, hires,
                 "Test Set for IVP Solvers, HIRES"),
     .first_s = 1.0, .start = (const double[]){1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
     .end = (const double[]){7.371312573325668e-4, 1.442485726316185e-4, 5.888729740967575e-5,
                             1.175651343283149e-3, 2.386356198831331e-3, 6.238968252742793e-3,
                             2.849998395185769e-3, 2.850001604814231e-3}},
    {SET_PROBLEM("orego", SET_STIFF_REAL, 3, 360.0, 12, 1.0, orego,
                 "Test Set for IVP Solvers, OREGO"),
     .start = (const double[]){1.0, 2.0, 3.0},
     .end = (const double[]){1.000814870318523, 1228.178521549888, 132.0554942846508}},
    {SET_PROBLEM("e5", SET_STIFF_REAL, 4, 1e3, 6, 0, e5, "Enright, Hull, Lindberg (1975), E5"),
     .first_s = 0.01, .nominals = (const double[]){1.76e-3, 1.5e-10, 1e-11, 1.4e-10},
     .start = (const double[]){1.76e-3, 0.0, 0.0, 0.0}},
    {SET_PROBLEM("pollution", SET_STIFF_REAL, 20, 60.0, 8, 0, pollution,
                 "Test Set for IVP Solvers, POLLU"),
     .first_s = 0.5,
     .nominals = (const double[]){5e-2, 1e-1, 4e-9, 5e-3, 2e-7, 1e-7,  8e-2, 3e-1, 7e-3, 2e-8,
                                  1e-8, 2e-3, 2e-4, 1e-5, 9e-3, 4e-18, 7e-3, 1e-4, 2e-6, 6e-5},
     .start = (const double[]){0, 0.2, 0, 0.04, 0, 0, 0.1,   0.3, 0.01, 0,
                               0, 0,   0, 0,    0, 0, 0.007, 0,   0,    0},
     .end = (const double[]){0.5646255480022769e-1,  0.1342484130422339,    0.4139734331099427e-8,
                             0.5523140207484359e-2,  0.2018977262302196e-6, 0.1464541863493966e-6,
                             0.7784249118997964e-1,  0.3245075353396018,    0.7494013383880406e-2,
                             0.1622293157301561e-7,  0.1135863833257075e-7, 0.2230505975721359e-2,
                             0.2087162882798630e-3,  0.1396921016840158e-4, 0.8964884856898295e-2,
                             0.4352846369330103e-17, 0.6899219696263405e-2, 0.1007803037365946e-3,
                             0.1772146513969984e-5,  0.5682943292316392e-4}},
    {SET_PROBLEM("brusselator-line", SET_STIFF_REAL, 2 * N_CELL, 10.0, 10, 1.0, brusselator_line,
                 "Hairer, Wanner, Solving ODEs II, IV.1, N = 40"),
     .fill = brusselator_line_fill},
    {SET_PROBLEM("cusp", SET_STIFF_REAL, 3 * N_NERVE, 1.1, 4, 1.0, cusp,
                 "Hairer, Wanner, Solving ODEs II, IV.10, CUSP"),
     .fill = cusp_fill},
    {.name = NULL},
};
