/* wrsim-peers: runs other solvers on wrsim's models, for `wrsim bench`.
 *
 *    wrsim-peers --method NAME --rtol R [--warm S] [--result FILE --grid S] [-D KEY=VALUE] CONFIG
 *    wrsim-peers --method lsodar --rtol R --stops FILE [--longest S] [-D KEY=VALUE] CONFIG
 *    wrsim-peers --probe --method NAME
 *
 * Prints lines "name value" on standard output, or "why TEXT" on failure.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/peers/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fp_mode.h"
#include "cli/options.h"

typedef struct arguments {
    wr_arguments line;
    const char *method, *result, *stops;
    double rtol, warm_s, grid_s, longest_s;
    int is_probe;
} arguments;

#define ROW(...) WR_OPTION(arguments, __VA_ARGS__)
static const wr_option options[] = {
    ROW("method", "NAME", "solver", TEXT, method),
    ROW("probe", NULL, "say only whether the solver is available", FLAG, is_probe),
    ROW("rtol", "R", "relative tolerance", NUMBER, rtol, .low = 1e-300, .high = 1.0),
    ROW("warm", "S", "simulated time before the clock starts, s", NUMBER, warm_s, .high = 1e300),
    ROW("result", "FILE", "file of the results", FILE, result, .needs = "grid"),
    ROW("grid", "S", "distance of the results, s", NUMBER, grid_s, .low = 1e-300, .high = 1e300),
    ROW("stops", "FILE", "file of the ends of steps (lsodar only)", FILE, stops),
    ROW("longest", "S", "longest step, s", NUMBER, longest_s, .high = 1e300, .needs = "stops"),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static const wr_command peers = {
    .name = "wrsim-peers", .operands = "CONFIG", .max_operand = 1, .option = options};

static int say_why(const char *why)
{
    printf("why %s\n", why);
    return 1;
}

/* Integrates to the goal, handles events, and records the rows up to the goal. */
static int integrate(peer_problem *p, const peer_method *m, peer_solver *solver, double *x,
                     int *found, double *t_s, double goal_s)
{
    while (*t_s < goal_s && !wr_time_close(*t_s, goal_s)) {
        const double limit_s = wr_min(peer_next_time(p), goal_s);
        const double row_s = peer_next_row(p);
        const double to_s = row_s < limit_s && !wr_time_close(row_s, limit_s) ? row_s : limit_s;
        peer_arrival arrival = PEER_THERE;
        if (to_s > *t_s && !wr_time_close(to_s, *t_s)) {
            arrival = m->advance(solver, to_s, limit_s, t_s, x, found);
            if (arrival == PEER_FAILED)
                return -1;
        }
        const int is_row = arrival == PEER_THERE && wr_time_close(row_s, *t_s);
        if (arrival == PEER_ROOT || wr_time_close(to_s, limit_s)) {
            const int happened = peer_event(p, *t_s, x, arrival == PEER_ROOT ? found : NULL);
            if (happened < 0 || (happened > 0 && m->restart(solver, *t_s, x) != 0))
                return -1;
        }
        /* A row has the values after the events at its time. */
        if (is_row && peer_record(p, *t_s, x) != 0)
            return -1;
    }
    return 0;
}

static int run(const arguments *a, const peer_method *m, peer_problem *p)
{
    double *const x = malloc((size_t)p->n_x * sizeof *x);
    int *const found = calloc((size_t)p->n_z + 1, sizeof *found);
    peer_solver *solver = x && found ? m->create(m, p) : NULL;
    double t_s = p->start_s, wall_s = 0.0, cpu_s = 0.0;
    int rc = -1;
    if (!solver)
        goto out;
    memcpy(x, p->s->x, (size_t)p->n_x * sizeof *x);
    if (a->result && peer_record_open(p, a->result, a->grid_s) != 0)
        goto out;
    if (p->result && peer_record(p, t_s, x) != 0)
        goto out;
    if (a->warm_s > 0.0 && integrate(p, m, solver, x, found, &t_s, p->start_s + a->warm_s) != 0)
        goto out;
    const peer_counts before = p->counts;
    const int64_t n_step = m->n_step(solver);
    const int64_t wall_ns = wr_clock_monotonic_ns(), cpu_ns = wr_clock_thread_cpu_ns();
    if (integrate(p, m, solver, x, found, &t_s, p->stop_s) != 0)
        goto out;
    wall_s = (double)(wr_clock_monotonic_ns() - wall_ns) * 1e-9;
    cpu_s = (double)(wr_clock_thread_cpu_ns() - cpu_ns) * 1e-9;
    rc = peer_record_close(p);
    printf("wall_s %.9g\ncpu_s %.9g\nn_step %lld\nn_rhs %lld\nn_indicator %lld\nn_event %lld\n",
           wall_s, cpu_s, (long long)(m->n_step(solver) - n_step),
           (long long)(p->counts.n_rhs - before.n_rhs),
           (long long)(p->counts.n_indicator - before.n_indicator),
           (long long)(p->counts.n_event - before.n_event));
out:
    if (solver)
        m->destroy(solver);
    free(found);
    free(x);
    return rc;
}

/* LSODAR runs in R: lsodar.R, in the folder of this program, loads the model as a shared object. */
static int run_in_r(char **argv)
{
    char self[1024], script[1100], model[1100];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *const slash = strrchr(self, '/');
    if (!slash)
        return say_why("the path of wrsim-peers is not known");
    *slash = '\0';
    snprintf(script, sizeof script, "%s/lsodar.R", self);
    snprintf(model, sizeof model, "%s/libwrsim_peer.so", self);
    const char *word[WR_OPTION_OVERRIDES + 32] = {"Rscript", "--vanilla", script, model};
    int k = 4;
    for (int i = 1; argv[i] && k < WR_OPTION_OVERRIDES + 30; i++)
        word[k++] = argv[i];
    union {
        const char **read;
        char **write;
    } const list = {word}; /* execvp() does not write to its arguments */
    execvp("Rscript", list.write);
    return say_why("R is not installed (Debian: r-base-core, r-cran-desolve)");
}

int main(int argc, char **argv)
{
    static arguments a; /* static, because the struct is too large for the stack */
    static char why[WR_OPTION_WHY_BYTES];
    if (wr_options_parse(&peers, argc, argv, &a, why) != 0)
        return say_why(why[0] ? why
                              : "the comment at the top of bench/peers/peers.c has the usage");
    const char *const config = a.line.n_operand ? a.line.operand[0] : NULL;
    if (!a.method || (!a.is_probe && !(config && a.rtol > 0.0)))
        return say_why("--method, and without --probe also CONFIG and --rtol, are needed");
    if (strcmp(a.method, "lsodar") == 0)
        return run_in_r(argv);
    if (a.stops)
        return say_why("--stops needs --method lsodar; omit --stops");
    const peer_method *m = peer_sundials;
    while (m->name && strcmp(m->name, a.method) != 0)
        m++;
    if (!m->name)
        return say_why("the method is unknown; see bench/peers/peer_sundials.c");
    if (a.is_probe)
        return 0;
    char rtol[64];
    if (a.line.n_override == WR_OPTION_OVERRIDES)
        return say_why("the command has too many -D; remove one");
    snprintf(rtol, sizeof rtol, "simulation.rtol=%.17g", a.rtol);
    a.line.override[a.line.n_override++] = rtol;
    peer_problem problem;
    int rc = peer_problem_open(&problem, config, a.line.override, a.line.n_override);
    wr_fp_mode_set(WR_FP_MODE_RUN); /* floating-point mode of wrsim */
    if (rc == 0)
        rc = run(&a, m, &problem);
    if (rc != 0)
        say_why(problem.why[0] ? problem.why : "out of memory");
    peer_problem_close(&problem);
    return rc == 0 ? 0 : 1;
}
