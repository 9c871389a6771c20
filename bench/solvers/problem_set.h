/* Initial value problems from literature, none of which is an engine: what the solvers are measured on (solver_bench.c).
 *
 * Values at the end time are the published ones where `source` names a table; `wrsim-solvers verify` compares them with two
 * independent solvers. The Jacobian's pattern is found by letting NaN through f.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_PROBLEM_SET_H
#define WR_PROBLEM_SET_H

enum { SET_MAX_STATES = 96, SET_MAX_POINTS = 20 };

typedef enum set_kind { SET_NON_STIFF, SET_STIFF_REAL, SET_STIFF_COMPLEX } set_kind;

typedef struct set_problem {
    const char *name, *source; /* of equations and of values at the end */
    set_kind
        kind; /* where the eigenvalues that matter lie: for people, and to choose references' methods */
    int n;
    double t1_s;            /* from 0 on */
    int n_point;            /* where errors are looked at, the last at t1: */
    double first_s;         /* > 0: the first, others a constant factor apart; 0: equally spaced */
    double nominal;         /* of all states, or */
    const double *nominals; /* [n] of each */
    const double *start;    /* [n], or NULL: all zero, or */
    void (*fill)(double *ret_x);
    const double *end; /* [n] published or exact values at t1; NULL: none */
    int (*rhs)(double t_s, const double *x, double *ret_dx);
    /* In its place, where numbers are drawn: data is the problem's own. */
    int (*rhs_of)(const void *data, double t_s, const double *x, double *ret_dx);
    const void *data;
    const char
        *reference; /* method of the reference; NULL: dopri54, where stiff and real rosenbrock */
    double reference_rtol; /* 0: 1e-12 */
    int most_rhs;          /* a method that takes more is no choice; 0: a million */
} set_problem;

/* Terminated by a name of NULL. */
extern const set_problem set_chemistry[], set_motion[], set_circuits[], set_vibrations[];
/* Random ones, the same each time. */
const set_problem *set_random(void);

#endif
