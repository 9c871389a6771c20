/* The test problems against their published and closed-form end values, through the public API, by several solvers, split and monolithic,
 * at several tolerances.
 *
 * The largest error over the states, relative to each state's size, must be within factor() times the requested tolerance, and must be
 * smaller at the tightest than at the loosest tolerance. The methods control errors of steps and windows, which add up over a run.
 *
 * Arguments: the source folder.
 */
#include "prepared.h"
#include "reference.h"

static const double FACTOR = 30.0;

typedef struct problem {
    const wr_reference *reference;
    const char *config;     /* below the source folder */
    const char *states[20]; /* "component.state" in the order of the reference */
    const char *solvers[5];
} problem;

static const problem problems[] = {
    {&wr_ref_vanderpol,
     "models/vanderpol/vanderpol.toml",
     {"vdp.y1", "vdp.y2"},
     {"rosenbrock", "rosenbrock_w", "cvode_bdf", "auto"}},
    {&wr_ref_robertson,
     "models/robertson/robertson.toml",
     {"reaction.y1", "reaction.y2", "reaction.y3"},
     {"rosenbrock", "cvode_bdf", "auto"}},
    {&wr_ref_orego,
     "models/orego/orego.toml",
     {"reaction.y1", "reaction.y2", "reaction.y3"},
     {"rosenbrock", "cvode_bdf", "auto"}},
    {&wr_ref_hires,
     "models/hires/hires.toml",
     {"a.y1", "a.y2", "a.y3", "a.y4", "b.y5", "b.y6", "b.y7", "b.y8"},
     {"rosenbrock", "rosenbrock_w", "cvode_bdf", "dopri54", "auto"}},
    {&wr_ref_kpr,
     "models/kpr/kpr.toml",
     {"slow.u", "fast.v"},
     {"rosenbrock", "rosenbrock_w", "dopri54", "auto"}},
    {&wr_ref_two_mass,
     "models/two_mass/two_mass.toml",
     {"left.x", "left.v", "right.x", "right.v"},
     {"bs32", "dopri54", "cvode_adams", "auto"}},
    {&wr_ref_linear_pair,
     "models/dahlquist/dahlquist.toml",
     {"u.x", "v.x"},
     {"bs32", "dopri54", "rosenbrock", "auto"}},
};

/* Returns the largest error relative to the size of each state. */
static double run(const problem *p, const char *solver, double rtol, int is_monolithic)
{
    char path[1024], set_rtol[64], set_stop[64], set_solver[64];
    snprintf(path, sizeof path, "%s/%s", wr_test_arg(1), p->config);
    snprintf(set_rtol, sizeof set_rtol, "simulation.rtol=%g", rtol);
    snprintf(set_stop, sizeof set_stop, "simulation.stop=%.17g", p->reference->t_end_s);
    snprintf(set_solver, sizeof set_solver, "solver.kind=%s", solver);
    const char *const overrides[] = {set_rtol, set_stop, set_solver, "output.file=\"\"",
                                     is_monolithic ? "simulation.monolithic=true"
                                                   : "simulation.monolithic=false"};
    AUTO(wrsim_destroy) wrsim *sim = created_file(path, overrides, 5);
    wrsim_error err = {0};
    assert_good(wrsim_prepare(sim, &err), &err);
    assert_good(wrsim_run(sim, &err), &err);
    double error = 0.0;
    for (int i = 0; i < p->reference->n; i++) {
        const double expected = p->reference->end[i];
        error = fmax(error, fabs(value(sim, p->states[i]) - expected) / fabs(expected));
    }
    return error;
}

/* Returns the permitted error in tolerances. In monolithic runs of kpr dopri54, also selected by auto, errs more at 1e-4: an independent
 * plain DOPRI5 errs by 35 to 46 tolerances. */
static double factor(const problem *p, const char *solver, int is_monolithic, double rtol)
{
    const int is_dopri54 = strcmp(solver, "dopri54") == 0 || strcmp(solver, "auto") == 0;
    return is_monolithic && is_dopri54 && rtol >= 1e-4 && strcmp(p->reference->name, "kpr") == 0
               ? 50.0
               : FACTOR;
}

TEST(published_end_values)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    enum { N = sizeof tolerances / sizeof tolerances[0] };
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const problem *const p = &problems[i];
        for (int s = 0; s < 5 && p->solvers[s]; s++) {
            for (int is_monolithic = 0; is_monolithic < 2; is_monolithic++) {
                double error[N];
                for (int k = 0; k < N; k++)
                    error[k] = run(p, p->solvers[s], tolerances[k], is_monolithic);
                print_message("%-12s %-12s %-10s %.2e %.2e %.2e\n", p->reference->name,
                              p->solvers[s], is_monolithic ? "monolithic" : "split", error[0],
                              error[1], error[2]);
                for (int k = 0; k < N; k++)
                    assert_between(error[k], 0.0,
                                   factor(p, p->solvers[s], is_monolithic, tolerances[k]) *
                                       tolerances[k]);
                assert_true(error[N - 1] < error[0]);
            }
        }
    }
}

/* If a subsystem of the first Gauss-Seidel level exhausts its nodes, the rejected window restarts at its own start. The error to find: the
 * later levels restore the start of the window before. */
TEST(gauss_seidel_after_rejected_windows)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/models/dahlquist/dahlquist.toml", wr_test_arg(1));
    const char *const overrides[] = {"relaxation.scheme=gauss_seidel",
                                     "relaxation.max_nodes=16",
                                     "solver.kind=bs32",
                                     "relaxation.window.initial=1.0",
                                     "relaxation.window.control=fixed",
                                     "simulation.rtol=1e-7",
                                     "output.file=\"\""};
    AUTO(wrsim_destroy) wrsim *sim = created_file(path, overrides, 7);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    assert_true(stats.n_rejected > 0);
    assert_close(value(sim, "u.x"), wr_ref_linear_pair.end[0], 1e-5, 0.0);
    assert_close(value(sim, "v.x"), wr_ref_linear_pair.end[1], 1e-5, 0.0);
}

/* An accelerated run converges with a signal that jumps. The error to find: the common grid smears the jump, so every sweep changes the
 * signal by half a jump. */
TEST(acceleration_passes_jumps)
{
    static const char text[] = "[simulation]\nstop = 2.0\nrtol = 1e-6\n"
                               "[relaxation]\nacceleration = \"anderson\"\n"
                               "[[component]]\nname = \"s\"\nmodel = \"signal.step\"\n"
                               "[[component]]\nname = \"x\"\nmodel = \"dahlquist\"\n"
                               "parameters = { a = -1.0, b = 1.0 }\nstart = { x = 0.0 }\n"
                               "[[connection]]\nfrom = \"s.y\"\nto = \"x.u\"\n";
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, NULL, 0);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_OK);
}
