/* A problem for R's package deSolve (Soetaert, Petzoldt and Setzer, Journal of Statistical Software 33(9), 2010): functions that deSolve
 * calls, and functions that set_lsodar.R calls by .C(). A process has one problem, because deSolve's callbacks have no user pointer.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/solvers/set_course.h"

#include <math.h>
#include <string.h>

#define SET_API __attribute__((visibility("default")))

SET_API void set_r_open(char **name, char **references, int *ret_size);
SET_API void set_r_start(double *ret_x, double *ret_nominal);
SET_API void set_r_times(int *n, double *ret_t_s);
SET_API void set_r_error(double *x, double *ret_error);
SET_API void set_r_count(double *ret_count);
SET_API void set_r_init(void (*parameters)(int *n, double *values));
SET_API void set_r_rhs(int *n, double *t_s, double *x, double *dx, double *out, int *ip);

static set_course course;
static double n_rhs;

/* Opens a problem. ret_size: numbers of states, of points and of times for the method. An empty name of a file opens no reference. */
void set_r_open(char **name, char **references, int *ret_size)
{
    const set_problem *const problem = set_find(name[0]);
    if (!problem)
        set_refuse(name[0], "the problem is unknown; name a problem of bench/solvers/set_*.c");
    set_course_open(&course, problem);
    if (references[0][0])
        set_course_read(&course, references[0]);
    ret_size[0] = problem->n;
    ret_size[1] = problem->n_point;
    ret_size[2] = SET_WATCHES;
}

void set_r_start(double *ret_x, double *ret_nominal)
{
    memcpy(ret_x, course.start, (size_t)course.problem->n * sizeof *ret_x);
    memcpy(ret_nominal, course.nominal, (size_t)course.problem->n * sizeof *ret_nominal);
}

/* Writes n points of time between the start and the end. */
void set_r_times(int *n, double *ret_t_s)
{
    for (int k = 0; k < *n; k++)
        ret_t_s[k] = set_course_time(course.problem, k, *n);
}

/* Writes the largest error of x[n_point][n_x]; NaN if a value is NaN. */
void set_r_error(double *x, double *ret_error)
{
    *ret_error = 0.0;
    for (int k = 0; k < course.problem->n_point; k++)
        *ret_error = set_worse(
            *ret_error, set_course_error(&course, x + k * course.problem->n, course.reference[k]));
}

/* Writes the number of right-hand sides since the last call. */
void set_r_count(double *ret_count)
{
    *ret_count = n_rhs;
    n_rhs = 0.0;
}

void set_r_init(void (*parameters)(int *n, double *values)) { (void)parameters; }

void set_r_rhs(int *n, double *t_s, double *x, double *dx, double *out, int *ip)
{
    (void)out, (void)ip;
    n_rhs++;
    if (course.ode.rhs(course.ode.self, *t_s, x, dx) != 0)
        for (int i = 0; i < *n; i++)
            dx[i] = (double)NAN;
}
