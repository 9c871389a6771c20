/* Measures the time of one step of the linearly implicit Euler method, and of its factorisation, in four ways at times along
 * a run:
 *
 *    dense        f_x by one difference for each state, LAPACK's dgetrf
 *    coloured     f_x by colours of its full pattern, KLU's klu_refactor with fixed pivots
 *    part         the entries that solver.pattern keeps, by partial colours, klu_refactor
 *    code         as part, with the generated factorisation of solver.code
 *
 * usage: wrsim-linimp [-D KEY=VALUE]... [--rounds N] [--at T,T,...] CONFIG
 *
 * In each round and at each time all ways run in turn, timed by the thread's CPU time. The program prints medians of the times, and of the
 * ratios within a round. Compare ratios, because times depend on the machine and its load. Before the measurement the program compares the
 * steps. Differences are relative to the largest change of a state. The largest difference must be below 1e-4 between the first two ways,
 * and below 1e-6 between the last two ways.
 *
 * Thread: main. Real-time: no.
 */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "base/clock.h"
#include "cli/options.h"
#include "runtime/sim/simulation.h"
#include "subsystems/group/jacobian_pattern_file.h"
#include "subsystems/model_host/lu_object.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/solvers/consistent.h"
#include "subsystems/solvers/shifted_matrix.h"

enum { MOST_STATES = 400, MOST_TIMES = 16, MOST_ROUNDS = 1000 };
/* Repetitions of each way in one sample (assumed); a sample takes some hundred microseconds. */
enum { STEPS = 8, FACTORISATIONS = 64 };

typedef enum way { DENSE, COLOURED, PART, CODE, N_WAY } way;
static const char *const way_name[N_WAY] = {"dense", "coloured", "part", "code"};

/* Jacobian and matrix of a sparse way. */
typedef struct sparse_way {
    wr_jac_color *jac;
    wr_shifted shifted;
    double *jacobian;
    /* KLU's own objects, for the factorisation alone. */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} sparse_way;

typedef struct bench {
    wr_equations ode;
    double h_s, t1_s;
    double x[MOST_STATES], f[MOST_STATES], moved[MOST_STATES], f_moved[MOST_STATES];
    double d[N_WAY][MOST_STATES];
    double *matrix, *factors; /* [n * n] dense matrix and its factors */
    lapack_int pivot[MOST_STATES];
    sparse_way sparse[N_WAY];
    const wr_lu_code *code;
    double *code_value;
    wr_integ_stats stats;
    double step_ns[N_WAY][MOST_TIMES * MOST_ROUNDS], factor_ns[N_WAY][MOST_TIMES * MOST_ROUNDS];
    int n_sample;
} bench;

static void stop(const char *why, const char *what)
{
    fprintf(stderr, "wrsim-linimp: %s%s\n", why, what);
    exit(1);
}

static void eval_f(bench *b)
{
    if (b->ode.rhs(b->ode.self, b->t1_s, b->x, b->f) != 0)
        stop("f cannot be evaluated", "");
}

/* Fills the dense matrix L / h - f_x, where L is the mass matrix or the identity. f_x comes from differences with the increments of
 * subsystems/solvers/jac_color.c. */
static void fill_dense(bench *b)
{
    const int n = b->ode.n_x;
    memcpy(b->moved, b->x, (size_t)n * sizeof *b->x);
    for (int j = 0; j < n; j++) {
        const double size =
            sqrt(2.220446049250313e-16) * wr_max(fabs(b->x[j]), 0.01 * b->ode.nominal[j]);
        b->moved[j] = b->x[j] + (b->x[j] < 0.0 ? -size : size);
        const double inverse = 1.0 / (b->moved[j] - b->x[j]);
        if (b->ode.rhs(b->ode.self, b->t1_s, b->moved, b->f_moved) != 0)
            stop("f cannot be evaluated", "");
        for (int i = 0; i < n; i++)
            b->matrix[(size_t)j * (size_t)n + (size_t)i] = -(b->f_moved[i] - b->f[i]) * inverse;
        b->moved[j] = b->x[j];
    }
    const wr_mass *const mass = b->ode.mass;
    for (int j = 0; j < n; j++)
        if (!mass)
            b->matrix[(size_t)j * (size_t)(n + 1)] += 1.0 / b->h_s;
        else
            for (int k = mass->pattern->start[j]; k < mass->pattern->start[j + 1]; k++)
                b->matrix[(size_t)j * (size_t)n + (size_t)mass->pattern->row[k]] +=
                    mass->value[k] / b->h_s;
}

static void step(bench *b, way w)
{
    if (w == DENSE) {
        const int n = b->ode.n_x;
        eval_f(b);
        fill_dense(b);
        memcpy(b->d[DENSE], b->f, (size_t)n * sizeof *b->f);
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, b->matrix, n, b->pivot) != 0 ||
            LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, b->matrix, n, b->pivot, b->d[DENSE],
                                n) != 0)
            stop("the dense matrix is singular", "");
    } else {
        sparse_way *const s = &b->sparse[w];
        eval_f(b);
        if (wr_jac_color_eval(s->jac, &b->stats, b->t1_s, b->x, b->f, s->jacobian) != 0)
            stop("the Jacobian cannot be evaluated", "");
        if (wr_shifted_factor(&s->shifted, &b->stats, 1.0 / b->h_s, s->jacobian) != 0)
            stop("the sparse matrix is singular: ", way_name[w]);
        memcpy(b->d[w], b->f, (size_t)b->ode.n_x * sizeof *b->f);
        wr_shifted_solve(&s->shifted, b->d[w]);
    }
}

/* Factorises the matrix of the last step, without the other operations of the step. */
static void factorise(bench *b, way w)
{
    const lapack_int n = b->ode.n_x;
    if (w == DENSE) { /* the time includes a copy of the matrix */
        memcpy(b->factors, b->matrix, (size_t)n * (size_t)n * sizeof *b->matrix);
        LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, b->factors, n, b->pivot);
        return;
    }
    sparse_way *const s = &b->sparse[w];
    if (w == CODE)
        b->code->factor(s->shifted.values, b->code_value);
    else
        klu_refactor(s->shifted.pattern->start, s->shifted.pattern->row, s->shifted.values,
                     s->symbolic, s->numeric, &s->common);
}

static void place_sparse(bench *b, wr_arena *arena, way w, const wr_matrix *pattern,
                         const wr_lu_code *code)
{
    sparse_way *const s = &b->sparse[w];
    s->jac = wr_jac_color_place_part(arena, &b->ode, pattern);
    s->jacobian = WR_NEW_ARRAY(arena, double, pattern->n_nonzero);
    if (!s->jac || !s->jacobian ||
        wr_shifted_place_sparse(&s->shifted, arena, pattern, b->ode.mass, code) < 0)
        stop("cannot be set up: ", way_name[w]);
}

static double difference(const bench *b, way one, way other)
{
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < b->ode.n_x; i++) {
        largest = wr_max(largest, fabs(b->d[one][i] - b->d[other][i]) / b->ode.nominal[i]);
        size = wr_max(size, fabs(b->d[one][i]) / b->ode.nominal[i]);
    }
    return largest / wr_max(size, 1e-300);
}

static void sample(bench *b)
{
    for (way w = DENSE; w < N_WAY; w++) {
        int64_t at_ns = wr_clock_thread_cpu_ns();
        for (int i = 0; i < STEPS; i++)
            step(b, w);
        b->step_ns[w][b->n_sample] = (double)(wr_clock_thread_cpu_ns() - at_ns) / STEPS;
        fill_dense(b); /* dgetrf has overwritten the matrix */
        at_ns = wr_clock_thread_cpu_ns();
        for (int i = 0; i < FACTORISATIONS; i++)
            factorise(b, w);
        b->factor_ns[w][b->n_sample] = (double)(wr_clock_thread_cpu_ns() - at_ns) / FACTORISATIONS;
    }
    b->n_sample++;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median of value[i] / part[i]; part NULL: the median of the values. */
static double median(const double *value, const double *part, int n)
{
    double *const sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        stop("out of memory", "");
    for (int i = 0; i < n; i++)
        sorted[i] = part ? value[i] / part[i] : value[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    const double middle = sorted[n / 2];
    free(sorted);
    return middle;
}

static void print(const bench *b)
{
    const int n = b->ode.n_x;
    const double dense_flop = 2.0 / 3.0 * n * n * n;
    printf("%d states, step %g s; %d samples\n\n", n, b->h_s, b->n_sample);
    printf("%-10s %9s %9s %9s %12s %12s\n", "way", "f a step", "entries", "flop", "factorise",
           "whole step");
    for (way w = DENSE; w < N_WAY; w++) {
        const sparse_way *const s = &b->sparse[w];
        const int n_f = 1 + (w == DENSE ? n : b->ode.jacobian ? 0 : s->jac->n_colour);
        const double flop = w == DENSE  ? dense_flop
                            : w == CODE ? b->code->factor_flop
                                        : s->common.flops;
        printf("%-10s %9d %9d %9.0f %9.2f us %9.2f us\n", way_name[w], n_f,
               w == DENSE ? n * n : s->shifted.pattern->n_nonzero, flop,
               1e-3 * median(b->factor_ns[w], NULL, b->n_sample),
               1e-3 * median(b->step_ns[w], NULL, b->n_sample));
    }
    printf("\nspeed of code relative to each way (medians of ratios):\n");
    for (way w = DENSE; w < CODE; w++)
        printf("%-10s factorise %7.2f   whole step %7.2f\n", way_name[w],
               median(b->factor_ns[w], b->factor_ns[CODE], b->n_sample),
               median(b->step_ns[w], b->step_ns[CODE], b->n_sample));
}

typedef struct options {
    wr_arguments line;
    int n_round;
    wr_option_numbers times;
} options;

#define ROW(...) WR_OPTION(options, __VA_ARGS__)
static const wr_option rows[] = {
    ROW("rounds", "N", "samples at each time (default 25)", COUNT, n_round, .low = 1,
        .high = MOST_ROUNDS),
    ROW("at", "T,T,...", "times, s (default: 8 times of the run)", LIST, times),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static const wr_command command = {.name = "wrsim-linimp",
                                   .operands = "CONFIG",
                                   .min_operand = 1,
                                   .max_operand = 1,
                                   .option = rows};

static void tell(void *user, const wrsim_error *error)
{
    (void)user;
    fprintf(stderr, "wrsim-linimp: %s\n", error->text);
}

/* Returns the first subsystem with a pattern and code. */
static const wr_setup *find(const wr_assembly *a)
{
    for (int i = 0; i < a->n_subsystem; i++)
        if (a->setup[i].ode.pattern_file && a->setup[i].ode.code_file)
            return &a->setup[i];
    stop("no subsystem has solver.pattern and solver.code; set both", "");
    return NULL;
}

static void set_up(bench *b, wr_arena *arena, const wr_setup *m)
{
    const wr_ode *const work = wr_ode_of(m->subsystem);
    wr_diag diag = {0};
    void *handle;
    b->ode = work->method->ode;
    b->h_s = m->ode.options.step_s;
    if (b->ode.n_x > MOST_STATES)
        stop("the subsystem has more than 400 states; divide it", "");
    b->code = wr_lu_object_open(m->ode.code_file, NULL, &diag, &handle);
    b->code_value = b->code ? WR_NEW_ARRAY(arena, double, b->code->n_value) : NULL;
    const size_t n2 = (size_t)b->ode.n_x * (size_t)b->ode.n_x;
    b->matrix = WR_NEW_ARRAY(arena, double, n2);
    b->factors = WR_NEW_ARRAY(arena, double, n2);
    if (!b->code_value || !b->matrix || !b->factors)
        stop("out of memory", "");
    place_sparse(b, arena, COLOURED, b->ode.pattern, NULL);
    place_sparse(b, arena, PART, work->method->kept, NULL);
    place_sparse(b, arena, CODE, work->method->kept, b->code);
}

int main(int argc, char **argv)
{
    static options o = {.n_round = 25}; /* static, because the struct is too large for the stack */
    static char why[WR_OPTION_WHY_BYTES] =
        "usage: wrsim-linimp [-D KEY=VALUE]... [--rounds N] [--at T,T,...] CONFIG";
    if (wr_options_parse(&command, argc, argv, &o, why) != 0)
        stop(why, "");
    if (o.times.n > MOST_TIMES)
        stop("--at has more than 16 times; remove times", "");
    static bench b;
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    if (wrsim_config_from_file(o.line.operand[0], o.line.override, o.line.n_override, tell, NULL,
                               &config, NULL) < 0 ||
        wrsim_create(config, tell, NULL, &sim, NULL) < 0)
        return 1;
    if (wrsim_prepare(sim, &err) < 0)
        stop(err.text, "");
    wr_arena *arena = wr_arena_create((size_t)1 << 32);
    const wr_setup *const m = find(sim->assembly);
    const wr_set_simulation *const set = &sim->settings->simulation;
    set_up(&b, arena, m);
    const int n_time = o.times.n > 0 ? o.times.n : 8;
    for (int k = 0; k < n_time; k++) {
        const double t_s = o.times.n > 0
                               ? o.times.value[k]
                               : set->start_s + (set->stop_s - set->start_s) * (k + 0.5) / 8;
        if (wrsim_advance(sim, t_s, &err) < 0)
            stop(err.text, "");
        memcpy(b.x, m->subsystem->x, (size_t)b.ode.n_x * sizeof *b.x);
        b.t1_s = wrsim_time(sim);
        for (way w = DENSE; w < N_WAY; w++)
            step(&b, w);
        if (!(difference(&b, DENSE, COLOURED) < 1e-4) || !(difference(&b, PART, CODE) < 1e-6))
            stop("the ways do not agree", "");
        for (way w = COLOURED; k == 0 && w < CODE; w++) {
            sparse_way *s = &b.sparse[w];
            klu_defaults(&s->common);
            s->symbolic = klu_analyze(s->shifted.n_x, s->shifted.pattern->start,
                                      s->shifted.pattern->row, &s->common);
            s->numeric = s->symbolic
                             ? klu_factor(s->shifted.pattern->start, s->shifted.pattern->row,
                                          s->shifted.values, s->symbolic, &s->common)
                             : NULL;
            if (!s->numeric)
                stop("KLU cannot factorise", "");
            klu_flops(s->symbolic, s->numeric, &s->common);
        }
        for (int round = 0; round < o.n_round; round++)
            sample(&b);
    }
    print(&b);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    return 0;
}
