/* Random oscillators and circuits whose fast modes are weakly damped and have any share of the energy.
 *
 * All numbers of a problem come from its seed (splitmix64: Steele, Lea and Flood, Fast splittable pseudorandom number
 * generators, OOPSLA 2014). Frequencies, damping ratios and initial energies of the fast modes are distributed evenly
 * in their logarithms.
 *
 * Thread: one. Real-time: no.
 */
#include "bench/solvers/problem_set.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* N_EACH: number of problems of each kind. references.txt has the references of the first six problems of each kind. The other problems are
 * for checks, after solver_bench.c has computed their references. */
enum { N_KIND = 4, N_EACH = 100, N_ALL = N_KIND * N_EACH, MOST_PARTS = 6 };

/* Numbers of one problem. For a ladder, mass, spring and damper are C, L and R, and start > 0 marks a diode. */
typedef struct draw {
    uint64_t seed;
    int n_part;
    double mass[MOST_PARTS], spring[MOST_PARTS], damper[MOST_PARTS];
    double force, rate, start[2 * MOST_PARTS];
    char name[24];
} draw;

static uint64_t next(draw *d)
{
    d->seed += 0x9e3779b97f4a7c15u;
    uint64_t z = d->seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double between(draw *d, double low, double high)
{
    return low + (high - low) * (double)(next(d) >> 11) * 0x1p-53;
}

static double spread(draw *d, double low, double high)
{
    return low * pow(high / low, between(d, 0.0, 1.0));
}

static int whole(draw *d, int low, int high)
{
    return low + (int)(next(d) % (unsigned)(high - low + 1));
}

/* A chain of masses fixed to a wall, with a driven last mass: positions, then velocities. */

static int chain(const void *data, double t_s, const double *x, double *ret_dx)
{
    const draw *const d = data;
    const int n = d->n_part;
    const double *const v = x + n;
    double pull = 0.0;
    for (int i = 0; i < n; i++) {
        pull = d->spring[i] * (x[i] - (i > 0 ? x[i - 1] : 0.0)) +
               d->damper[i] * (v[i] - (i > 0 ? v[i - 1] : 0.0));
        ret_dx[i] = v[i];
        ret_dx[n + i] = -pull / d->mass[i];
        if (i > 0)
            ret_dx[n + i - 1] += pull / d->mass[i - 1];
    }
    ret_dx[2 * n - 1] += d->force * sin(d->rate * t_s) / d->mass[n - 1];
    return 0;
}

static void draw_chain(draw *d, set_problem *ret)
{
    d->n_part = whole(d, 2, MOST_PARTS);
    double at = 0.0;
    for (int i = 0; i < d->n_part; i++) {
        d->mass[i] = spread(d, 0.1, 10.0);
        d->spring[i] = spread(d, 10.0, 1e8);
        d->damper[i] = 2.0 * spread(d, 1e-4, 0.03) * sqrt(d->spring[i] * d->mass[i]);
        /* The energy in a spring is at most the energy of a spring of 10 N/m that is 1 m longer. */
        at += between(d, -1.0, 1.0) * sqrt(10.0 / d->spring[i]) * spread(d, 1e-3, 1.0);
        d->start[i] = at;
    }
    d->force = spread(d, 0.1, 10.0);
    d->rate = spread(d, 0.3, 10.0);
    ret->n = 2 * d->n_part;
    ret->t1_s = 3.0;
    ret->nominal = 0.1;
    ret->rhs_of = chain;
}

/* Diode current, linear above 0.7 V. */
static double diode(double u)
{
    const double scale_v = 0.05, saturation_a = 1e-9, bend_v = 0.7;
    const double at_v = fmin(u, bend_v), slope = saturation_a / scale_v * exp(at_v / scale_v);
    return saturation_a * (exp(at_v / scale_v) - 1.0) + slope * (u - at_v);
}

/* A ladder of coils and capacitors, with diodes across some capacitors: voltages, then currents. */
static int ladder(const void *data, double t_s, const double *x, double *ret_dx)
{
    const draw *const d = data;
    const int n = d->n_part;
    const double *const i_a = x + n;
    double before_v = d->force * sin(d->rate * t_s);
    for (int k = 0; k < n; k++) {
        const double to_next_a = k < n - 1 ? i_a[k + 1] : 0.01 * x[k];
        const double through_a = d->start[k] > 0.0 ? diode(x[k]) : 0.0;
        ret_dx[k] = (i_a[k] - to_next_a - through_a) / d->mass[k];
        ret_dx[n + k] = (before_v - x[k] - d->damper[k] * i_a[k]) / d->spring[k];
        before_v = x[k];
    }
    return 0;
}

static void start_at_rest(double *ret_x) { (void)ret_x; }

static void draw_ladder(draw *d, set_problem *ret)
{
    d->n_part = whole(d, 2, 5);
    for (int k = 0; k < d->n_part; k++) {
        d->mass[k] = spread(d, 1e-9, 1e-5);
        d->spring[k] = spread(d, 1e-4, 1e-1);
        d->damper[k] = spread(d, 1e-3, 0.1) * sqrt(d->spring[k] / d->mass[k]);
        d->start[k] = between(d, -1.0, 1.0); /* positive: the capacitor has a diode */
    }
    d->force = spread(d, 0.3, 10.0);
    d->rate = spread(d, 300.0, 3e4);
    ret->n = 2 * d->n_part;
    ret->t1_s = 0.01;
    ret->nominal = 0.1;
    ret->fill = start_at_rest;
    ret->rhs_of = ladder;
}

/* A pendulum on a spring. */

static int pendulum(const void *data, double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const draw *const d = data;
    const double length = sqrt(x[0] * x[0] + x[1] * x[1]),
                 rate = (x[0] * x[2] + x[1] * x[3]) / length;
    const double pull = (d->spring[0] * (length - 1.0) + d->damper[0] * rate) / length;
    ret_dx[0] = x[2];
    ret_dx[1] = x[3];
    ret_dx[2] = -pull * x[0];
    ret_dx[3] = -pull * x[1] - 9.81;
    return 0;
}

static void draw_pendulum(draw *d, set_problem *ret)
{
    d->n_part = 2;
    d->spring[0] = spread(d, 1e3, 1e8);
    d->damper[0] = 2.0 * spread(d, 1e-6, 1e-2) * sqrt(d->spring[0]);
    const double angle = between(d, 0.2, 2.5),
                 length = 1.0 + sqrt(10.0 / d->spring[0]) * spread(d, 1e-3, 0.3);
    d->start[0] = length * sin(angle);
    d->start[1] = -length * cos(angle);
    ret->n = 4;
    ret->t1_s = 3.0;
    ret->nominal = 1.0;
    ret->rhs_of = pendulum;
}

/* Van der Pol's oscillator with a resonator. */

static int valve(const void *data, double t_s, const double *x, double *ret_dx)
{
    (void)t_s;
    const draw *const d = data;
    const double w = d->rate;
    ret_dx[0] = x[1];
    ret_dx[1] = d->spring[0] * (1.0 - x[0] * x[0]) * x[1] - x[0] + d->force * x[2];
    ret_dx[2] = w * x[3];
    ret_dx[3] = -w * (x[2] - x[0]) - 2.0 * d->damper[0] * w * x[3];
    return 0;
}

static void draw_valve(draw *d, set_problem *ret)
{
    d->n_part = 2;
    d->spring[0] = spread(d, 0.1, 100.0);
    d->damper[0] = spread(d, 1e-5, 0.05);
    d->rate = spread(d, 30.0, 1e4);
    d->force = spread(d, 0.01, 1.0);
    d->start[0] = 2.0;
    d->start[2] = 2.0 + spread(d, 1e-6, 1.0);
    ret->n = 4;
    ret->t1_s = 10.0;
    ret->nominal = 1.0;
    ret->rhs_of = valve;
}

static const struct {
    const char *name;
    void (*draw)(draw *d, set_problem *ret);
} KINDS[N_KIND] = {{"chain", draw_chain},
                   {"ladder", draw_ladder},
                   {"pendulum", draw_pendulum},
                   {"valve", draw_valve}};

const set_problem *set_random(void)
{
    static draw draws[N_ALL];
    static set_problem problems[N_ALL + 1];
    for (int i = 0; i < N_ALL; i++) {
        draw *const d = &draws[i];
        const int kind = i / N_EACH, seed = i % N_EACH + 1;
        *d = (draw){.seed = (uint64_t)(1000 * kind + seed)};
        snprintf(d->name, sizeof d->name, "%s-%d", KINDS[kind].name, seed);
        problems[i] = (set_problem){.name = d->name,
                                    .source = "random",
                                    .kind = SET_STIFF_COMPLEX,
                                    .n_point = 4,
                                    .start = d->start,
                                    .data = d};
        KINDS[kind].draw(d, &problems[i]);
        if (problems[i].fill)
            problems[i].start = NULL;
    }
    return problems;
}
