/* Oscillators with little or no damping; all but `line` are published. Thread: any. Real-time: no. */
#include "bench/solvers/problem_set.h"

#include <math.h>
#include <stddef.h>

/* Problem of Fermi, Pasta and Ulam: three stiff linear springs and four soft cubic springs. States are scaled middles and elongations of
 * the stiff springs. */
enum { N_STIFF = 3 };

static int fermi(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double w = 50.0;
    const double *const middle = x, *const longer = x + N_STIFF;
    double force_left = 0.0; /* force of the soft spring to the left */
    for (int i = 0; i < 2 * N_STIFF; i++)
        ret_dx[i] = x[2 * N_STIFF + i];
    for (int i = 0; i <= N_STIFF; i++) {
        const double left = i > 0 ? middle[i - 1] + longer[i - 1] : 0.0,
                     right = i < N_STIFF ? middle[i] - longer[i] : 0.0, gap = right - left,
                     force = gap * gap * gap;
        if (i > 0) {
            ret_dx[2 * N_STIFF + i - 1] = force - force_left;
            ret_dx[3 * N_STIFF + i - 1] = force + force_left - w * w * longer[i - 1];
        }
        force_left = force;
    }
    return 0;
}

static int henon(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    ret_dx[0] = x[2];
    ret_dx[1] = x[3];
    ret_dx[2] = -x[0] - 2.0 * x[0] * x[1];
    ret_dx[3] = -x[1] - x[0] * x[0] + x[1] * x[1];
    return 0;
}

static int stiff_pendulum(double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const double stiffness = 1e6, length = sqrt(x[0] * x[0] + x[1] * x[1]),
                 pull = stiffness * (length - 1.0) / length;
    ret_dx[0] = x[2];
    ret_dx[1] = x[3];
    ret_dx[2] = -pull * x[0];
    ret_dx[3] = -pull * x[1] - 1.0;
    return 0;
}

/* A transmission line of 20 sections of 1 uH and 100 pF, matched at its source and open at its end. A step of 1 V travels to and fro. */
enum { N_SECTION = 20 };

static int line(double t_s, const double *x, double *ret_dx)
{
    const double l = 1e-6, c = 1e-10, z = 100.0, rise_s = 5e-8;
    const double *const i_a = x + N_SECTION;
    double before_v = t_s < rise_s ? 0.5 - 0.5 * cos(M_PI * t_s / rise_s) : 1.0;
    for (int k = 0; k < N_SECTION; k++) {
        ret_dx[k] = (i_a[k] - (k < N_SECTION - 1 ? i_a[k + 1] : 0.0)) / c;
        ret_dx[N_SECTION + k] = (before_v - x[k] - (k == 0 ? z * i_a[0] : 0.0)) / l;
        before_v = x[k];
    }
    return 0;
}

const set_problem set_vibrations[] = {
    {SET_PROBLEM("fermi-pasta-ulam", SET_STIFF_COMPLEX, 4 * N_STIFF, 20.0, 5, 1.0, fermi,
                 "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.5.1; 20 s"),
     .start = (const double[]){1.0, 0.0, 0.0, 0.02, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0}},
    {SET_PROBLEM("henon-heiles", SET_NON_STIFF, 4, 100.0, 5, 1.0, henon,
                 "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.3; energy 1/12"),
     .start = (const double[]){0.0, 0.1, 0.39665266081716044, 0.0}},
    {SET_PROBLEM(
         "stiff-pendulum", SET_STIFF_COMPLEX, 4, 10.0, 5, 1.0, stiff_pendulum,
         "Lubich, BIT 33 (1993): stiff spring pendulum; here eps = 1e-3, from a smooth start"),
     .start = (const double[]){1.0, 0.0, 0.0, 0.0}},
    {SET_PROBLEM("line", SET_STIFF_COMPLEX, 2 * N_SECTION, 1e-6, 5, 0.01, line,
                 "a line of 20 sections, open at its end")},
    {.name = NULL},
};
