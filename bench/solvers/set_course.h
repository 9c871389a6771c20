/* A problem as an ODE, with its points and its reference solution. Thread: one. Real-time: no. */
#ifndef WR_SET_COURSE_H
#define WR_SET_COURSE_H

#include "base/arena.h"
#include "bench/solvers/problem_set.h"
#include "subsystems/solvers/integrator.h"

typedef struct set_course {
    const set_problem *problem;
    wr_arena *arena; /* the caller destroys it */
    wr_equations ode;
    double nominal[SET_MAX_STATES], factor[SET_MAX_STATES], start[SET_MAX_STATES];
    double reference[SET_MAX_POINTS][SET_MAX_STATES];
} set_course;

/* Prints "what: why" on the error stream and ends the process with exit code 1. */
_Noreturn void set_refuse(const char *what, const char *why);

/* Index of the first set whose problems run only if the command line names them, because auto exceeds its limits on these sets. */
enum { SET_ON_REQUEST = 3 };
/* Returns a set of problems, index >= 0; NULL: no more sets. */
const set_problem *set_table(int index);

/* Returns the problem of a name; NULL: no such problem. */
const set_problem *set_find(const char *name);

/* Fills all but the reference, which is zero. to must not move afterwards. */
void set_course_open(set_course *to, const set_problem *problem);

enum { SET_WATCHES = 50 }; /* number of times at which programs ask for the present method */

/* Returns point k of n points between 0 and the end of the problem, the last of them the end, s: geometrically spaced from first_s if
 * the problem has first_s, else equally spaced. */
double set_course_time(const set_problem *problem, int k, int n);

/* Reads the reference from a file of `wrsim-solvers reference`. Ends the process if the file lacks the problem. */
void set_course_read(set_course *c, const char *file_name);

/* Returns the larger of two errors; NaN if one of them is NaN. */
double set_worse(double error, double other);

/* Returns the largest error of x[n] relative to |reference| + nominal. */
double set_course_error(const set_course *c, const double *x, const double *reference);

#endif
