/* Errors and work of methods with error control on problems from literature and on random problems.
 *
 *    wrsim-solvers reference [PROBLEM ...] > FILE
 *    wrsim-solvers verify FILE [PROBLEM ...]
 *    wrsim-solvers rows FILE METHOD[,METHOD ...] [PROBLEM ...]
 *
 * reference: computes the solutions at the points of each problem, by a one-step method at a tolerance of 1e-12 or the
 * problem's own tolerance. verify: prints the number of digits that agree with published values and with CVODE. rows:
 * prints problem, method, tolerance (1e-4 to 1e-9), and the largest error at the points, relative to |x| + nominal. Further columns
 * are right-hand sides, counted work (subsystems/solvers/counted_work.h), steps, rejected steps and method changes. The command omits
 * rows that fail or need too many right-hand sides. solvers.py makes tables of the rows. Jacobians come from
 * differences, and the program reads no clock, so rows do not depend on the speed of the machine.
 *
 * Thread: one. Real-time: no.
 */
#include "bench/solvers/problem_set.h"

#include "base/arena.h"
#include "subsystems/solvers/counted_work.h"
#include "subsystems/solvers/integrator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCES[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
/* Tolerance of references: rounding errors of many steps limit double precision to about 1e-12. */
static const double REFERENCE_RTOL = 1e-12;
enum { MOST_RHS = 1000000, MOST_RHS_OF_REFERENCE = 400000000 };

/* A problem as an ODE, with the reference solution at the points of the problem. */
typedef struct course {
    const set_problem *problem;
    wr_arena *arena;
    wr_equations ode;
    double nominal[SET_MAX_STATES], factor[SET_MAX_STATES], start[SET_MAX_STATES];
    double reference[SET_MAX_POINTS][SET_MAX_STATES];
} course;

/* Result of one run. */
typedef struct outcome {
    int has_failed;
    double error; /* largest error, relative to |x| + nominal */
    wr_integ_stats stats;
    double work;
} outcome;

_Noreturn static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
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

static void open_course(course *to, const set_problem *problem)
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

/* Writes the values at the points to ret_x. */
static outcome integrate(const course *c, const char *method, double rtol, int64_t most_rhs,
                         double ret_x[][SET_MAX_STATES])
{
    const wr_integrator_ops *const ops = wr_integrator_find(method);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_arena *arena = wr_arena_create((size_t)1 << 26);
    wr_integrator *integrator = NULL;
    outcome found = {0};
    if (!ops || !arena || ops->place(arena, &c->ode, &options, &integrator) != WRSIM_OK ||
        ops->start(integrator, 0.0, c->start, NULL) != 0)
        refuse(method, "the method is unknown or cannot start; name another method of solver.kind");
    for (int k = 0; k < c->problem->n_point && !found.has_failed; k++) {
        const double part = (k + 1.0) / c->problem->n_point;
        const double t_s = k == c->problem->n_point - 1 ? c->problem->t1_s
                           : c->problem->first_s > 0.0
                               ? c->problem->first_s * pow(c->problem->t1_s / c->problem->first_s,
                                                           k / (c->problem->n_point - 1.0))
                               : part * c->problem->t1_s;
        for (double now_s = -(double)INFINITY; now_s < t_s && !found.has_failed;)
            found.has_failed = ops->step(integrator, t_s, &now_s) != 0 ||
                               wr_integrator_stats(integrator)->n_rhs > most_rhs;
        ops->dense(integrator, t_s, ret_x[k], NULL);
    }
    found.stats = *wr_integrator_stats(integrator);
    if (found.stats.n_solve == 0)
        found.stats.n_solve = found.stats.n_newton;
    const wr_counted_work work = wr_counted_work_of(&c->ode, options.linear_solver);
    found.work = wr_counted_work_sum(&work, &found.stats);
    if (ops->destroy)
        ops->destroy(integrator);
    wr_arena_destroy(&arena);
    return found;
}

static double error_at(const course *c, const double *x, const double *reference)
{
    double worst = 0.0;
    for (int i = 0; i < c->problem->n; i++) {
        const double error = fabs(x[i] - reference[i]) / (fabs(reference[i]) + c->nominal[i]);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

static void print_reference(const set_problem *problem)
{
    static course c;
    open_course(&c, problem);
    const double rtol =
        c.problem->reference_rtol > 0.0 ? c.problem->reference_rtol : REFERENCE_RTOL;
    const outcome found = integrate(&c,
                                    (c.problem->reference                ? c.problem->reference
                                     : c.problem->kind == SET_STIFF_REAL ? "rosenbrock"
                                                                         : "dopri54"),
                                    rtol, MOST_RHS_OF_REFERENCE, c.reference);
    if (found.has_failed)
        refuse(c.problem->name, "the reference run fails; correct the problem's row");
    for (int k = 0; k < problem->n_point; k++) {
        printf("%s %d", problem->name, k);
        for (int i = 0; i < problem->n; i++)
            printf(" %.17g", c.reference[k][i]);
        printf("\n");
    }
    fflush(stdout);
    wr_arena_destroy(&c.arena);
}

static void read_reference(course *c, const char *file_name)
{
    FILE *const file = fopen(file_name, "r");
    char name[64];
    int point = 0, n_found = 0;
    if (!file)
        refuse(file_name,
               "the file cannot be read; name a file that `wrsim-solvers reference` wrote");
    while (fscanf(file, "%63s %d", name, &point) == 2) {
        const int is_it = strcmp(name, c->problem->name) == 0 && point < c->problem->n_point;
        n_found += is_it;
        for (int i = 0; is_it && i < c->problem->n; i++)
            if (fscanf(file, "%lf", &c->reference[point][i]) != 1)
                refuse(c->problem->name,
                       "the file of references has too few values; write the file again");
        if (fscanf(file, "%*[^\n]") < 0)
            break;
    }
    fclose(file);
    if (n_found != c->problem->n_point)
        refuse(c->problem->name, "the file of references lacks the problem; write the file again");
}

static void print_rows(const set_problem *problem, const char *references, const char *methods)
{
    static course c;
    open_course(&c, problem);
    read_reference(&c, references);
    char names[256];
    snprintf(names, sizeof names, "%s", methods);
    char *rest = names;
    for (const char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        for (size_t k = 0; k < WR_COUNT_OF(TOLERANCES); k++) {
            static double x[SET_MAX_POINTS][SET_MAX_STATES];
            outcome found = integrate(&c, name, TOLERANCES[k],
                                      c.problem->most_rhs > 0 ? c.problem->most_rhs : MOST_RHS, x);
            for (int i = 0; i < c.problem->n_point && !found.has_failed; i++)
                found.error = fmax(found.error, error_at(&c, x[i], c.reference[i]));
            const wr_integ_stats *const s = &found.stats;
            if (found.has_failed)
                continue;
            printf("%s %s %g %.6g %lld %.6g %lld %lld %lld\n", problem->name, name, TOLERANCES[k],
                   found.error, (long long)s->n_rhs, found.work, (long long)s->n_step,
                   (long long)s->n_rejected, (long long)s->n_method_change);
            fflush(stdout);
        }
    wr_arena_destroy(&c.arena);
}

static double digits(double error) { return error > 0.0 ? -log10(error) : 17.0; }

static void verify(const set_problem *problem, const char *references)
{
    static course c;
    static double other[SET_MAX_POINTS][SET_MAX_STATES];
    open_course(&c, problem);
    read_reference(&c, references);
    const char *const method = problem->kind == SET_NON_STIFF ? "cvode_adams" : "cvode_bdf";
    const outcome found = integrate(&c, method, REFERENCE_RTOL, MOST_RHS_OF_REFERENCE, other);
    double worst = 0.0;
    for (int k = 0; k < problem->n_point && !found.has_failed; k++)
        worst = fmax(worst, error_at(&c, other[k], c.reference[k]));
    printf("%s %s %.1f", problem->name, method, found.has_failed ? 0.0 : digits(worst));
    if (problem->end)
        printf(" published %.1f",
               digits(error_at(&c, c.reference[problem->n_point - 1], problem->end)));
    printf("\n");
    fflush(stdout);
    wr_arena_destroy(&c.arena);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_argument;
    } commands[] = {{"reference", 0}, {"verify", 1}, {"rows", 2}};
    size_t command = 0;
    while (command < WR_COUNT_OF(commands) &&
           (argc < 2 || strcmp(argv[1], commands[command].name) != 0))
        command++;
    if (command == WR_COUNT_OF(commands) || argc < 2 + commands[command].n_argument)
        refuse("usage",
               "wrsim-solvers reference|verify FILE|rows FILE METHOD[,METHOD ...] [PROBLEM ...]");
    /* Index of the first set whose problems run only if the command line names them, because auto exceeds its limits on these sets. */
    enum { ON_REQUEST = 3 };
    const set_problem *const sets[] = {set_motion, set_circuits, set_chemistry, set_vibrations,
                                       set_random()};
    for (size_t s = 0; s < WR_COUNT_OF(sets); s++)
        for (const set_problem *p = sets[s]; p->name; p++) {
            const int first = 2 + commands[command].n_argument;
            int is_in = argc <= first;
            for (int i = first; i < argc; i++)
                is_in |= strcmp(argv[i], p->name) == 0;
            if (!is_in || (argc <= first && s >= ON_REQUEST))
                continue;
            if (command == 0)
                print_reference(p);
            else if (command == 1)
                verify(p, argv[2]);
            else
                print_rows(p, argv[2], argv[3]);
        }
    return 0;
}
