/* See set_course.h. Thread: one. Real-time: no. */
#include "bench/solvers/set_course.h"

#include "base/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void set_refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

const set_problem *set_table(int index)
{
    const set_problem *const sets[] = {set_motion, set_circuits, set_chemistry, set_vibrations,
                                       set_random()};
    return (size_t)index < WR_COUNT_OF(sets) ? sets[index] : NULL;
}

const set_problem *set_find(const char *name)
{
    for (int s = 0; set_table(s); s++)
        for (const set_problem *p = set_table(s); p->name; p++)
            if (strcmp(p->name, name) == 0)
                return p;
    return NULL;
}

static int rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    const set_problem *const problem = self;
    return problem->rhs_of ? problem->rhs_of(problem->data, t_s, x, ret_dx)
                           : problem->rhs(t_s, x, ret_dx);
}

/* Returns the pattern of the Jacobian: rows that become NaN if only x_j is NaN depend on x_j. */
static const wr_matrix *find_pattern(wr_arena *arena, const set_problem *problem,
                                     const double *start)
{
    static unsigned char is_set[SET_MAX_STATES * SET_MAX_STATES];
    double x[SET_MAX_STATES], dx[SET_MAX_STATES];
    const int n = problem->n;
    for (int j = 0; j < n; j++) {
        memcpy(x, start, sizeof x);
        x[j] = (double)NAN;
        rhs((void *)(uintptr_t)problem, 0.0, x, dx);
        for (int i = 0; i < n; i++)
            is_set[j * n + i] = isnan(dx[i]) != 0;
    }
    return wr_sparsity_place(arena, n, n, is_set);
}

void set_course_open(set_course *to, const set_problem *problem)
{
    memset(to, 0, sizeof *to);
    to->problem = problem;
    to->arena = wr_arena_create((size_t)1 << 26);
    for (int i = 0; i < problem->n; i++) {
        to->nominal[i] = problem->nominals ? problem->nominals[i] : problem->nominal;
        to->factor[i] = 1.0;
        to->start[i] = problem->start ? problem->start[i] : 0.0;
    }
    if (problem->fill)
        problem->fill(to->start);
    to->ode = (wr_equations){.n_x = problem->n,
                             .self = (void *)(uintptr_t)problem,
                             .rhs = rhs,
                             .nominal = to->nominal,
                             .tolerance_factor = to->factor,
                             .pattern = find_pattern(to->arena, problem, to->start)};
}

double set_course_time(const set_problem *problem, int k, int n)
{
    const double end_s = problem->t1_s, first_s = problem->first_s;
    if (k == n - 1)
        return end_s;
    return first_s > 0.0 ? first_s * pow(end_s / first_s, k / (n - 1.0)) : (k + 1.0) / n * end_s;
}

void set_course_read(set_course *c, const char *file_name)
{
    FILE *const file = fopen(file_name, "r");
    char name[64];
    int point = 0, n_found = 0;
    if (!file)
        set_refuse(file_name,
                   "the file cannot be read; name a file that `wrsim-solvers reference` wrote");
    while (fscanf(file, "%63s %d", name, &point) == 2) {
        const int is_it = strcmp(name, c->problem->name) == 0 && point < c->problem->n_point;
        n_found += is_it;
        for (int i = 0; is_it && i < c->problem->n; i++)
            if (fscanf(file, "%lf", &c->reference[point][i]) != 1)
                set_refuse(c->problem->name,
                           "the file of references has too few values; write the file again");
        if (fscanf(file, "%*[^\n]") < 0)
            break;
    }
    fclose(file);
    if (n_found != c->problem->n_point)
        set_refuse(c->problem->name,
                   "the file of references lacks the problem; write the file again");
}

double set_worse(double error, double other)
{
    return isnan(error) || error > other ? error : other;
}

double set_course_error(const set_course *c, const double *x, const double *reference)
{
    double worst = 0.0;
    for (int i = 0; i < c->problem->n; i++) {
        const double error = fabs(x[i] - reference[i]) / (fabs(reference[i]) + c->nominal[i]);
        worst = set_worse(worst, error);
    }
    return worst;
}
