/* Initial value problems, from literature or random, for comparisons of solvers (solver_bench.c). Values at the end time, where
 * given, are published or exact. `wrsim-solvers verify` compares the references with these values and with CVODE. The benchmark finds the
 * Jacobian's pattern by passing NaN through f.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_PROBLEM_SET_H
#define WR_PROBLEM_SET_H

enum { SET_MAX_STATES = 96, SET_MAX_POINTS = 20 };

typedef enum set_kind { SET_NON_STIFF, SET_STIFF_REAL, SET_STIFF_COMPLEX } set_kind;

typedef struct set_problem {
    const char *name, *source; /* source of the equations and of the end values */
    /* position of the dominant eigenvalues; also selects the method of the reference */
    set_kind kind;
    int n;
    double t1_s; /* end time, s; the start is 0 */
    int n_point; /* number of times at which the benchmark measures errors; the last time is t1_s */
    double first_s; /* > 0: first of geometrically spaced times, s; 0: equally spaced times */
    double nominal; /* nominal value of all states */
    const double *nominals; /* [n] nominal values of the states; NULL: `nominal` for all */
    const double *start;    /* [n] start values; NULL: zeros, or the values of fill() */
    void (*fill)(double *ret_x);
    const double *end; /* [n] published or exact values at t1_s; NULL: none */
    int (*rhs)(double t_s, const double *x, double *ret_dx);
    /* Right-hand side of a problem with random parameters, the argument `data`; NULL: rhs. */
    int (*rhs_of)(const void *data, double t_s, const double *x, double *ret_dx);
    const void *data;
    /* method of the reference; NULL: dopri54, or rosenbrock for a stiff problem with real eigenvalues */
    const char *reference;
    double reference_rtol; /* tolerance of the reference; 0: 1e-12 */
    int most_rhs;          /* limit of right-hand sides for a run; 0: a million */
} set_problem;

/* First fields of a problem. */
#define SET_PROBLEM(name_, kind_, n_, t1_s_, n_point_, nominal_, rhs_, source_)                    \
    .name = name_, .source = source_, .kind = kind_, .n = n_, .t1_s = t1_s_, .n_point = n_point_,  \
    .nominal = nominal_, .rhs = rhs_

/* Tables of problems; the last row of each table has name == NULL. */
extern const set_problem set_chemistry[], set_motion[], set_circuits[], set_vibrations[];
/* Returns the random problems, which are equal in each call. */
const set_problem *set_random(void);

#endif
