/* Every zero-stable formula of the table has its order, after a restart at most order 4. CUT_NONE has no windows. CUT_WINDOWS repeats each
 * window, whose length is no multiple of the step. CUT_RESTART restarts inside a step. CUT_PLANNED has planned steps of changing
 * lengths. Formulas are given as in a config. */
#include "ivp.h"

typedef enum cut { CUT_NONE, CUT_WINDOWS, CUT_RESTART, CUT_PLANNED, CUT_COUNT } cut;

static const char *const cut_name[CUT_COUNT] = {"whole", "windows", "restart", "planned"};

static double distance(wr_integrator *integrator, const wr_integrator_ops *ops, double t_s)
{
    double x[2], exact[2];
    ops->dense(integrator, t_s, x, NULL);
    ivp_smooth_exact(t_s, exact);
    return fmax(fabs(x[0] - exact[0]), fabs(x[1] - exact[1]));
}

/* Steps to t_stop_s; returns the largest error at ends of steps. */
static double walk(wr_integrator *integrator, const wr_integrator_ops *ops, double t_stop_s)
{
    double worst = 0.0, t_s = 0.0;
    do {
        assert_int_equal(ops->step(integrator, t_stop_s, &t_s), 0);
        worst = fmax(worst, distance(integrator, ops, t_s));
    } while (t_s < t_stop_s);
    return worst;
}

static double in_windows(wr_integrator *integrator, const wr_integrator_ops *ops, double t1_s)
{
    const double window_s = 0.3737;
    double worst = 0.0;
    for (int i = 1; i * window_s < t1_s; i++)
        for (int sweep = 0; sweep < 2; sweep++) {
            if (sweep == 0)
                ops->save(integrator);
            else
                ops->restore(integrator);
            ops->inputs_changed(integrator, NULL);
            worst = fmax(worst, walk(integrator, ops, i * window_s));
        }
    return fmax(worst, walk(integrator, ops, t1_s));
}

/* Restarts in the middle of a step, as at an event. */
static double with_restart(wr_integrator *integrator, const wr_integrator_ops *ops, double t1_s)
{
    const double event_s = 1.03;
    double t_s = 0.0, x[2];
    while (t_s < event_s)
        assert_int_equal(ops->step(integrator, t1_s, &t_s), 0);
    ops->dense(integrator, event_s, x, NULL);
    assert_int_equal(ops->start(integrator, event_s, x, NULL), 0);
    return walk(integrator, ops, t1_s);
}

/* Makes intervals of 0.4 s in n equal steps, and every second interval in a fifth more steps. */
static double planned(wr_integrator *integrator, const wr_integrator_ops *ops, double t1_s,
                      double step_s)
{
    double worst = 0.0;
    for (int i = 0; i * 0.4 < t1_s - 0.1; i++) {
        const int n = (int)lrint(0.4 / step_s * (i % 2 ? 1.2 : 1.0));
        for (int k = 1; k <= n; k++)
            worst = fmax(worst, walk(integrator, ops, 0.4 * (i + (double)k / n)));
    }
    return worst;
}

static double error_of(const wr_lms *formula, cut how, double step_s)
{
    const wr_integrator_ops *const ops = wr_integrator_find("multistep");
    const wr_integ_options options = {.rtol = 1e-12,
                                      .atol_factor = 1.0,
                                      .step_s = how == CUT_PLANNED ? (double)INFINITY : step_s,
                                      .formula = formula};
    ivp problem;
    ivp_smooth(&problem);
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    const double error = how == CUT_WINDOWS   ? in_windows(integrator, ops, problem.t1_s)
                         : how == CUT_RESTART ? with_restart(integrator, ops, problem.t1_s)
                         : how == CUT_PLANNED ? planned(integrator, ops, problem.t1_s, step_s)
                                              : walk(integrator, ops, problem.t1_s);
    assert_int_equal(wr_integrator_stats(integrator)->n_rhs, problem.n_rhs);
    assert_true(problem.t_max_s <= problem.t1_s);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return error;
}

/* Rounding of a thousand steps, twice (assumed). Smaller errors show no order. */
static const double ROUNDING = 4e-13;

TEST(every_formula_shows_its_order)
{
    int n_checked = 0;
    for (const wr_lms_named *row = wr_lms_table; row->name; row++)
        for (cut how = CUT_NONE; how < CUT_COUNT; how++) {
            wr_lms_facts facts;
            assert_int_equal(wr_lms_examine(&row->formula, &facts), WRSIM_OK);
            if (!facts.is_zero_stable)
                continue;
            /* A restart takes its state from the dense output, a cubic. */
            const int p = facts.order;
            double step_s = p > 5 ? 0.02 : 0.02 / 3.0;
            double fine = error_of(&row->formula, how, step_s / 3.0);
            if (fine < ROUNDING) {
                step_s = 0.02;
                fine = error_of(&row->formula, how, step_s / 3.0);
            }
            const double coarse = error_of(&row->formula, how, step_s);
            const double order = log(coarse / fine) / log(3.0);
            print_message("%-15s %-8s error %.2e -> %.2e, order %.2f\n", row->name, cut_name[how],
                          coarse, fine, order);
            assert_between(order, (how == CUT_RESTART ? fmin(p, 4.0) : p) - 0.35, p + 0.9);
            n_checked++;
        }
    assert_int_equal(n_checked, 19 * CUT_COUNT);
}

/* With its history, an explicit formula evaluates one right-hand side per step. */
TEST(work_of_a_step)
{
    const char *const names[] = {"ab2", "ab3", "ab4"};
    for (size_t i = 0; i < WR_COUNT_OF(names); i++) {
        const wr_integrator_ops *const ops = wr_integrator_find(names[i]);
        const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0, .step_s = 0.01};
        IVP(problem, smooth);
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        assert_int_equal(ivp_run(integrator, ops, 0.1), 0);
        const int before = problem.n_rhs;
        assert_int_equal(ivp_run(integrator, ops, 0.6), 0);
        assert_int_equal(problem.n_rhs - before, 50);
        ivp_destroy(integrator, ops);
    }
}

/* x' = 100 x^2 + 1e4: the equation of a backward Euler step has no real root. */
static int explode(void *self, double t_s, const double *x, double *ret_dx)
{
    ivp *const problem = self;
    problem->n_rhs++;
    ret_dx[0] = 100.0 * x[0] * x[0] + 1e4;
    return 0;
}

TEST(an_unsolvable_step_fails_in_bounded_work)
{
    const wr_integrator_ops *const ops = wr_integrator_find("backward_euler");
    const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0, .step_s = 0.1};
    const unsigned char full[1] = {1};
    IVP(problem, smooth);
    problem.ode.n_x = 1;
    problem.ode.rhs = explode;
    problem.ode.pattern = wr_sparsity_place(problem.arena, 1, 1, full);
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, 1.0), WRSIM_E_SOLVER);
    assert_in_range(problem.n_rhs, 3, 30);
    ivp_destroy(integrator, ops);
}

/* place() refuses a missing formula, and formulas that do not converge. */
TEST(divergent_formulas_are_refused)
{
    const wr_integrator_ops *const ops = wr_integrator_find("multistep");
    const wr_lms refused[] = {wr_lms_find("beste")->formula,
                              {2, {1, -2, 1}, {0, 1, -1}},
                              {1, {1, -1}, {0.5}},
                              {1, {0, 1}, {1}}};
    IVP(problem, smooth);
    wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0, .step_s = 0.01};
    wr_integrator *integrator = NULL;
    assert_int_equal(ops->place(problem.arena, &problem.ode, &options, &integrator), WRSIM_E_ARG);
    for (size_t i = 0; i < WR_COUNT_OF(refused); i++) {
        options.formula = &refused[i];
        assert_int_equal(ops->place(problem.arena, &problem.ode, &options, &integrator),
                         WRSIM_E_ARG);
        assert_null(integrator);
    }
}
