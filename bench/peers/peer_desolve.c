/* The model for R's package deSolve (Soetaert, Petzoldt and Setzer, Journal of Statistical Software 33(9), 2010). This
 * file has the functions that deSolve calls, and the functions that lsodar.R calls by .C().
 *
 * A process has one model, because deSolve's callbacks have no user pointer. A declared time event is one further root
 * function, t - next time.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fp_mode.h"
#include "bench/peers/peer_problem.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/ode_parts.h"

#define PEER_API __attribute__((visibility("default")))

PEER_API void peer_r_load(char **config, int *n_override, char **overrides, int *ret_size,
                          double *ret_times, char **ret_why);
PEER_API void peer_r_start(double *ret_x, double *ret_rtol, double *ret_atol);
PEER_API void peer_r_record(char **file, double *grid_s, int *ret_ok);
PEER_API void peer_r_stops(char **file, int *ret_ok);
PEER_API void peer_r_counts(double *ret_counts);
PEER_API void peer_r_init(void (*parameters)(int *n, double *values));
PEER_API void peer_r_rhs(int *n, double *t_s, double *x, double *dx, double *out, int *ip);
PEER_API void peer_r_roots(int *n, double *t_s, double *x, int *n_root, double *root, double *out,
                           int *ip);
PEER_API void peer_r_event(int *n, double *t_s, double *x);

/* The one model of this process. */
static peer_problem problem;

/* -FAR is the value of the root function if no model declares a time event. ROOT_ROUNDINGS: relative distance from a root, in roundings of
 * t, within which an indicator counts as fired. LSODAR locates roots to 100 roundings of t; the factor 4 is a margin. */
static const double FAR = 1.0, ROOT_ROUNDINGS = 400.0 * 2.220446049250313e-16;

/* The present stop of LSODAR, for the file of stops. LSODAR evaluates the roots at the end of each step, and then possibly before. So the
 * latest time of an evaluation since the last stop is the end of the present step. An event ends the step earlier. */
static struct {
    FILE *file; /* NULL: none */
    double begin_s, end_s, n_rhs;
} stop;

void peer_r_load(char **config, int *n_override, char **overrides, int *ret_size, double *ret_times,
                 char **ret_why)
{
    const char **const list = calloc((size_t)*n_override + 1, sizeof *list);
    for (int i = 0; list && i < *n_override; i++)
        list[i] = overrides[i];
    const int rc = list ? peer_problem_open(&problem, config[0], list, *n_override) : -1;
    free(list);
    ret_size[0] = rc == 0 ? problem.n_x : -1;
    ret_size[1] = problem.n_z + 1;
    ret_times[0] = problem.start_s;
    ret_times[1] = problem.stop_s;
    /* R passes a text of 512 blanks. */
    snprintf(ret_why[0], 512, "%.500s", problem.why);
}

/* Writes the start values and tolerances. Sets the floating-point mode of wrsim for all further computations of R. */
void peer_r_start(double *ret_x, double *ret_rtol, double *ret_atol)
{
    wr_fp_mode_set(WR_FP_MODE_RUN);
    memcpy(ret_x, problem.s->x, (size_t)problem.n_x * sizeof *ret_x);
    for (int i = 0; i < problem.n_x; i++) {
        ret_rtol[i] = problem.factor[i] * problem.rtol;
        ret_atol[i] = ret_rtol[i] * problem.atol_factor * problem.nominal[i];
    }
}

void peer_r_record(char **file, double *grid_s, int *ret_ok)
{
    if (file[0][0])
        *ret_ok = peer_record_open(&problem, file[0], *grid_s) == 0;
    else
        *ret_ok = peer_record_close(&problem) == 0;
}

/* Adds a stop to the file: time, length of the step, 1 at an event, right-hand sides so far. The next step begins there. */
static void add_stop(double t_s, int is_event, double counted_rhs)
{
    if (stop.file && t_s > stop.begin_s)
        fprintf(stop.file, "%.17g,%.17g,%d,%.0f\n", t_s, t_s - stop.begin_s, is_event, counted_rhs);
    stop.begin_s = stop.end_s = t_s;
}

static void note_end(double t_s)
{
    /* LSODAR also evaluates the roots some roundings after a start. */
    if (!stop.file || t_s <= stop.end_s + ROOT_ROUNDINGS * fabs(t_s))
        return;
    if (stop.end_s > stop.begin_s)
        add_stop(stop.end_s, 0, stop.n_rhs);
    stop.end_s = t_s;
    stop.n_rhs = (double)problem.counts.n_rhs;
}

/* Opens the file of stops; an empty name closes it. */
void peer_r_stops(char **file, int *ret_ok)
{
    if (file[0][0]) {
        stop.file = fopen(file[0], "w");
        stop.begin_s = stop.end_s = problem.start_s;
        *ret_ok = stop.file != NULL;
        return;
    }
    add_stop(stop.end_s, 0, stop.n_rhs);
    *ret_ok = !ferror(stop.file) && fclose(stop.file) == 0;
    stop.file = NULL;
}

/* Writes the present wall and CPU time and the counts so far. */
void peer_r_counts(double *ret_counts)
{
    ret_counts[0] = (double)wr_clock_monotonic_ns() * 1e-9;
    ret_counts[1] = (double)wr_clock_thread_cpu_ns() * 1e-9;
    ret_counts[2] = (double)problem.counts.n_rhs;
    ret_counts[3] = (double)problem.counts.n_indicator;
    ret_counts[4] = (double)problem.counts.n_event;
}

void peer_r_init(void (*parameters)(int *n, double *values)) { (void)parameters; }

/* Fills an array with NaN, because LSODAR has no other report of a failed evaluation. */
static void spoil(double *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (double)NAN;
}

void peer_r_rhs(int *n, double *t_s, double *x, double *dx, double *out, int *ip)
{
    /* LSODAR returns results exactly at output times, by interpolation. */
    if (ip[0] > 0) {
        out[0] = 0.0;
        if (*t_s == peer_next_row(&problem))
            peer_record(&problem, *t_s, x);
    }
    if (peer_rhs(&problem, *t_s, x, dx) != 0)
        spoil(dx, *n);
}

void peer_r_roots(int *n, double *t_s, double *x, int *n_root, double *root, double *out, int *ip)
{
    (void)n, (void)out, (void)ip;
    note_end(*t_s);
    const double next_s = peer_next_time(&problem);
    if (problem.n_z > 0 && peer_indicators(&problem, *t_s, x, root) != 0)
        spoil(root, *n_root);
    /* An indicator that has just fired keeps its new sign within its band, as in wrsim. */
    for (int i = 0; i < problem.n_z; i++) {
        const double band = wr_ode_of(problem.s)->indicators->band[i];
        if (band > 0.0 && fabs(root[i]) <= band && (root[i] > 0.0) != wr_ode_of(problem.s)->mode[i])
            root[i] = wr_ode_of(problem.s)->mode[i] ? band : -band;
    }
    root[problem.n_z] = isfinite(next_s) ? *t_s - next_s : -FAR;
}

/* Handles the event at a root. LSODAR stops on either side of a root and does not report the function. A function whose sign changes within
 * the root finder's width has fired. */
void peer_r_event(int *n, double *t_s, double *x)
{
    const double width_s = ROOT_ROUNDINGS * fabs(*t_s);
    double *const work = malloc((size_t)(2 * *n + problem.n_z + 1) * sizeof *work);
    int *const found = calloc((size_t)problem.n_z + 1, sizeof *found);
    if (work && found) {
        double *const dx = work, *const ahead = work + *n, *const z = work + 2 * *n;
        peer_rhs(&problem, *t_s, x, dx);
        for (int i = 0; i < *n; i++)
            ahead[i] = x[i] + width_s * dx[i];
        if (problem.n_z > 0)
            peer_indicators(&problem, *t_s + width_s, ahead, z);
        for (int i = 0; i < problem.n_z; i++)
            found[i] = (z[i] > 0.0) != wr_ode_of(problem.s)->mode[i] ? (z[i] > 0.0 ? 1 : -1) : 0;
        const double next_s = peer_next_time(&problem);
        const double at_s = fabs(next_s - *t_s) <= width_s ? next_s : *t_s;
        const int has_fired = peer_event(&problem, at_s, x, found);
        add_stop(*t_s, has_fired > 0, (double)problem.counts.n_rhs);
    }
    free(found);
    free(work);
}
