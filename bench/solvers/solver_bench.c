/* Errors and work of methods with error control on problems from literature and on random problems.
 *
 *    wrsim-solvers reference [PROBLEM ...] > FILE
 *    wrsim-solvers verify FILE [PROBLEM ...]
 *    wrsim-solvers rows FILE METHOD[,METHOD ...] [PROBLEM ...]
 *    wrsim-solvers families METHOD[,METHOD ...] [PROBLEM ...]
 *
 * reference: computes the solutions at the points of each problem, by a one-step method at a tolerance of 1e-12 or the
 * problem's own tolerance. verify: prints the number of digits that agree with published values and with CVODE. rows:
 * prints problem, method, tolerance (1e-4 to 1e-9), and the largest error at the points, relative to |x| + nominal. Further columns
 * are right-hand sides, counted work (subsystems/solvers/counted_work.h), steps, rejected steps, method changes and Jacobians. The command
 * omits rows that fail or need too many right-hand sides. families: prints problem, method, tolerance, and at 50 times whether the step is
 * implicit. set_lsodar.R prints the same rows for LSODAR. solvers.py makes tables of the rows. Jacobians come from
 * differences, and the program reads no clock, so rows do not depend on the speed of the machine.
 *
 * Thread: one. Real-time: no.
 */
#include "bench/solvers/set_course.h"

#include "base/check.h"
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

/* Result of one run. */
typedef struct outcome {
    int has_failed;
    double error; /* largest error, relative to |x| + nominal */
    wr_integ_stats stats;
    double work;
} outcome;

/* Starts a method at the start of the problem. Ends the process if the method is unknown. */
static wr_integrator *begin(const set_course *c, const wr_integrator_ops *ops, const char *method,
                            const wr_integ_options *options, wr_arena *arena)
{
    wr_integrator *integrator = NULL;
    if (!ops || !arena || ops->place(arena, &c->ode, options, &integrator) != WRSIM_OK ||
        ops->start(integrator, 0.0, c->start, NULL) != 0)
        set_refuse(method,
                   "the method is unknown or cannot start; name another method of solver.kind");
    return integrator;
}

/* Writes the values at the points to ret_x. */
static outcome integrate(const set_course *c, const char *method, double rtol, int64_t most_rhs,
                         double ret_x[][SET_MAX_STATES])
{
    const wr_integrator_ops *const ops = wr_integrator_find(method);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_arena *arena = wr_arena_create((size_t)1 << 26);
    wr_integrator *const integrator = begin(c, ops, method, &options, arena);
    outcome found = {0};
    for (int k = 0; k < c->problem->n_point && !found.has_failed; k++) {
        const double t_s = set_course_time(c->problem, k, c->problem->n_point);
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

static void print_reference(const set_problem *problem)
{
    static set_course c;
    set_course_open(&c, problem);
    const double rtol =
        c.problem->reference_rtol > 0.0 ? c.problem->reference_rtol : REFERENCE_RTOL;
    const outcome found = integrate(&c,
                                    (c.problem->reference                ? c.problem->reference
                                     : c.problem->kind == SET_STIFF_REAL ? "rosenbrock"
                                                                         : "dopri54"),
                                    rtol, MOST_RHS_OF_REFERENCE, c.reference);
    if (found.has_failed)
        set_refuse(c.problem->name, "the reference run fails; correct the problem's row");
    for (int k = 0; k < problem->n_point; k++) {
        printf("%s %d", problem->name, k);
        for (int i = 0; i < problem->n; i++)
            printf(" %.17g", c.reference[k][i]);
        printf("\n");
    }
    fflush(stdout);
    wr_arena_destroy(&c.arena);
}

static void print_rows(const set_problem *problem, const char *references, const char *methods)
{
    static set_course c;
    set_course_open(&c, problem);
    set_course_read(&c, references);
    char names[256];
    snprintf(names, sizeof names, "%s", methods);
    char *rest = names;
    for (const char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        for (size_t k = 0; k < WR_COUNT_OF(TOLERANCES); k++) {
            static double x[SET_MAX_POINTS][SET_MAX_STATES];
            outcome found = integrate(&c, name, TOLERANCES[k],
                                      c.problem->most_rhs > 0 ? c.problem->most_rhs : MOST_RHS, x);
            for (int i = 0; i < c.problem->n_point && !found.has_failed; i++)
                found.error = set_worse(found.error, set_course_error(&c, x[i], c.reference[i]));
            const wr_integ_stats *const s = &found.stats;
            if (found.has_failed)
                continue;
            printf("%s %s %g %.6g %lld %.6g %lld %lld %lld %lld\n", problem->name, name,
                   TOLERANCES[k], found.error, (long long)s->n_rhs, found.work,
                   (long long)s->n_step, (long long)s->n_rejected, (long long)s->n_method_change,
                   (long long)s->n_jacobian);
            fflush(stdout);
        }
    wr_arena_destroy(&c.arena);
}

/* Prints the family of the step that covers each of WATCHES times: 0 explicit (Adams), 1 implicit (BDF). */
static void print_families(const set_problem *problem, const char *methods)
{
    static set_course c;
    char names[256];
    set_course_open(&c, problem);
    snprintf(names, sizeof names, "%s", methods);
    char *rest = names;
    for (const char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        for (size_t k = 0; k < WR_COUNT_OF(TOLERANCES); k++) {
            const wr_integrator_ops *const ops = wr_integrator_find(name);
            const wr_integ_options options = {.rtol = TOLERANCES[k], .atol_factor = 1.0};
            wr_arena *arena = wr_arena_create((size_t)1 << 26);
            wr_integrator *const integrator = begin(&c, ops, name, &options, arena);
            const wr_integ_stats *const s = wr_integrator_stats(integrator);
            printf("%s %s %g", problem->name, name, TOLERANCES[k]);
            double now_s = 0.0;
            for (int i = 0; i < SET_WATCHES;) {
                const int64_t n_implicit = s->n_implicit_step;
                if (ops->step(integrator, problem->t1_s, &now_s) != 0 || s->n_rhs > MOST_RHS)
                    set_refuse(problem->name, "the run fails; choose another method");
                for (; i < SET_WATCHES && set_course_time(problem, i, SET_WATCHES) <= now_s; i++)
                    printf(" %d", s->n_implicit_step > n_implicit);
            }
            printf("\n");
            if (ops->destroy)
                ops->destroy(integrator);
            wr_arena_destroy(&arena);
        }
    wr_arena_destroy(&c.arena);
}

static double digits(double error) { return error > 0.0 ? -log10(error) : 17.0; }

static void verify(const set_problem *problem, const char *references)
{
    static set_course c;
    static double other[SET_MAX_POINTS][SET_MAX_STATES];
    set_course_open(&c, problem);
    set_course_read(&c, references);
    const char *const method = problem->kind == SET_NON_STIFF ? "cvode_adams" : "cvode_bdf";
    const outcome found = integrate(&c, method, REFERENCE_RTOL, MOST_RHS_OF_REFERENCE, other);
    double worst = 0.0;
    for (int k = 0; k < problem->n_point && !found.has_failed; k++)
        worst = set_worse(worst, set_course_error(&c, other[k], c.reference[k]));
    printf("%s %s %.1f", problem->name, method, found.has_failed ? 0.0 : digits(worst));
    if (problem->end)
        printf(" published %.1f",
               digits(set_course_error(&c, c.reference[problem->n_point - 1], problem->end)));
    printf("\n");
    fflush(stdout);
    wr_arena_destroy(&c.arena);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_argument;
    } commands[] = {{"reference", 0}, {"verify", 1}, {"rows", 2}, {"families", 1}};
    size_t command = 0;
    while (command < WR_COUNT_OF(commands) &&
           (argc < 2 || strcmp(argv[1], commands[command].name) != 0))
        command++;
    if (command == WR_COUNT_OF(commands) || argc < 2 + commands[command].n_argument)
        set_refuse("usage", "wrsim-solvers reference|verify FILE|rows FILE METHOD[,METHOD ...]|"
                            "families METHOD[,METHOD ...] [PROBLEM ...]");
    for (int i = 0; set_table(i); i++)
        for (const set_problem *p = set_table(i); p->name; p++) {
            const int first = 2 + commands[command].n_argument;
            int is_in = argc <= first;
            for (int k = first; k < argc; k++)
                is_in |= strcmp(argv[k], p->name) == 0;
            if (!is_in || (argc <= first && i >= SET_ON_REQUEST))
                continue;
            if (command == 0)
                print_reference(p);
            else if (command == 1)
                verify(p, argv[2]);
            else if (command == 2)
                print_rows(p, argv[2], argv[3]);
            else
                print_families(p, argv[2]);
        }
    return 0;
}
