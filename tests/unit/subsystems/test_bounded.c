/* Bounded work: the maximum work of a communication step for any events, and its effect on order, events and bits. */
#include "fixture.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

static const double no_inputs[RIG_MAX];

static void open_bounded(rig *r, const wrsim_model *model, const char *solver, double step_s,
                         int n_spare)
{
    rig_open(r);
    rig_add(r, "a", model);
    r->config.integrator = wr_integrator_find(solver);
    assert_non_null(r->config.integrator);
    r->config.options.step_s = step_s;
    r->config.event_tolerance_s = 1e-13;
    r->config.bounds_steps = n_spare >= 0;
    r->config.n_spare = n_spare;
}

static const wr_integ_stats *solver_stats(const rig *r) { return wr_ode_solver_stats(r->s); }

/* Advances by communication points; returns the largest number of steps between two points. */
static int64_t advance_by_points(rig *r, double t_end_s)
{
    int64_t most = 0;
    const double step_s = r->config.communication_step_s;
    for (int64_t k = 1; (double)k * step_s < t_end_s * (1.0 + 1e-9); k++) {
        const int64_t before = solver_stats(r)->n_step;
        rig_advance(r, (double)k * step_s);
        const int64_t n = solver_stats(r)->n_step - before;
        most = n > most ? n : most;
    }
    return most;
}

/* Returns the error of the relay at 6 s, after the fourth switch, in one window. */
static double relay_error(const char *solver, double step_s)
{
    rig r;
    open_bounded(&r, &relay, solver, step_s, 1);
    r.config.communication_step_s = 1.0;
    rig_start(&r);
    rig_advance(&r, 6.0);
    const double exact = 1.0 - 0.8 * exp(-(6.0 - log(5.0) - 3.0 * log(4.0)));
    const double error = fabs(r.s->x[0] - exact);
    assert_int_equal(r.s->stats.n_state_event, 4);
    assert_int_equal(r.s->stats.n_late_event, 0);
    const int n_planned = (int)(6.0 / step_s + 0.5);
    assert_in_range(solver_stats(&r)->n_step, n_planned, n_planned + 4);
    rig_close(&r);
    return error;
}

/* Events inside a step do not repeat the step: the next steps are longer and start from the dense output. */
TEST(order_survives_events)
{
    static const char *const solvers[] = {"euler", "heun", "rk3", "rk4", "linimp"};
    for (size_t i = 0; i < WR_COUNT_OF(solvers); i++) {
        const int p = wr_integrator_find(solvers[i])->order;
        const double step_s = p > 2 ? 0.1 : 0.02;
        const double coarse = relay_error(solvers[i], step_s);
        const double fine = relay_error(solvers[i], step_s / 4.0);
        print_message("%s: error %.2e -> %.2e, order %.2f\n", solvers[i], coarse, fine,
                      log2(coarse / fine) / 2.0);
        assert_between(log2(coarse / fine) / 2.0, p - 0.35, p + 1.2);
    }
}

/* ---- a pair of tanks: levels switch valves, the inflow is a sine, the outflow a root ---- */

typedef struct tank_case {
    double area, inflow, rate, high, low;
} tank_case;
static tank_case tank;

DECLARE(tank_describe, "state: upper=1 lower=0.5 discrete: is_open n indicator: high< low>")
RHS(tank_rhs)
{
    const double through = (at->d[0] > 0.5 ? 1.0 : 0.1) * tank.area * sqrt(fmax(at->x[0], 0.0));
    ret_dx[0] = tank.inflow * (1.0 + 0.5 * sin(tank.rate * at->t_s)) - through;
    ret_dx[1] = through - 0.3 * sqrt(fmax(at->x[1], 0.0));
}
INDICATORS(tank_indicator)
{
    ret_z[0] = at->x[0] - tank.high;
    ret_z[1] = at->x[0] - tank.low;
}
EVENT(tank_event)
{
    if (what->fired[0] > 0)
        d[0] = 1.0;
    if (what->fired[1] < 0)
        d[0] = 0.0;
    d[1] += 1.0;
}
static const wrsim_model tanks = {MODEL_HEAD("tanks"), .describe = tank_describe, .rhs = tank_rhs,
                                  .indicator = tank_indicator, .event = tank_event};

typedef struct tank_end {
    double x[2], n_event;
    int64_t n_late, most;
} tank_end;

static tank_end fill_tanks(const char *solver, double step_s, int n_spare)
{
    rig r;
    open_bounded(&r, &tanks, solver, step_s, n_spare);
    r.config.communication_step_s = 0.5;
    rig_start(&r);
    tank_end end = {.most = advance_by_points(&r, 10.0)};
    end.x[0] = r.s->x[0];
    end.x[1] = r.s->x[1];
    end.n_event = r.s->d[1];
    end.n_late = r.s->stats.n_late_event;
    rig_close(&r);
    return end;
}

/* Random tanks: the error against a run with steps of 1 ms and located events falls with the order of the method. */
TEST(random_tanks_converge)
{
    srand(17);
    /* Without spare steps, events in the last step make coarse steps of order 2. */
    enum { N_KIND = 3 };
    double worst[N_KIND] = {9.0, 9.0, 9.0};
    static const char *const solvers[N_KIND] = {"heun", "rk3", "rk4"};
    static const int n_spare[N_KIND] = {2, 2, 0};
    int n_event = 0, n_coarse = 0;
    for (int seed = 0; seed < 12; seed++) {
        double u[4];
        for (int i = 0; i < 4; i++)
            u[i] = rand() / (double)RAND_MAX;
        tank = (tank_case){.area = 0.8 + 0.4 * u[0],
                           .inflow = 0.3 + 0.2 * u[1],
                           .rate = 0.5 + u[2],
                           .high = 1.2 + 0.2 * u[3],
                           .low = 0.8};
        const tank_end exact = fill_tanks("rk4", 1e-3, -1);
        n_event += (int)exact.n_event;
        for (int k = 0; k < N_KIND; k++) {
            double error[2];
            for (int j = 0; j < 2; j++) {
                const double step_s = 0.05 / (j == 0 ? 1 : 4);
                const tank_end end = fill_tanks(solvers[k], step_s, n_spare[k]);
                error[j] = hypot(end.x[0] - exact.x[0], end.x[1] - exact.x[1]);
                assert_close(end.n_event, exact.n_event, 0.0, 0.0);
                assert_int_equal(end.n_late, 0);
                const int64_t n_planned = (int64_t)(0.5 / step_s + 0.5);
                assert_true(end.most <= n_planned + n_spare[k] + 8);
                n_coarse += k == 2 && end.most > n_planned;
            }
            const double order = log2(error[0] / error[1]) / 2.0;
            worst[k] = fmin(worst[k], order);
        }
    }
    print_message("%d events; least orders %.2f, %.2f and %.2f; coarse steps in %d runs\n", n_event,
                  worst[0], worst[1], worst[2], n_coarse);
    assert_true(n_event >= 30);
    assert_true(worst[0] > 1.6);
    assert_true(worst[1] > 2.4);
    assert_true(worst[2] > 1.6 && n_coarse > 3);
}

/* ---- many events: x' = 1 past random thresholds, some equal ---- */

enum { N_LEVEL = 60 };
static double level[N_LEVEL];

static int stairs_describe(wrsim_instance *self, wrsim_description *to)
{
    if (wr_declare(to, "state: x discrete: n"))
        return -1;
    for (int i = 0; i < N_LEVEL; i++) {
        char name[8];
        snprintf(name, sizeof name, "z%d", i);
        if (add_variable(to, WRSIM_INDICATOR, name, 0.0, 0, 0))
            return -1;
    }
    return 0;
}
RHS(stairs_rhs) { ret_dx[0] = 1.0; }
INDICATORS(stairs_indicator)
{
    for (int i = 0; i < N_LEVEL; i++)
        ret_z[i] = at->x[0] - level[i];
}
EVENT(stairs_event)
{
    for (int i = 0; i < N_LEVEL; i++)
        d[0] += what->fired[i] != 0;
}
static const wrsim_model stairs = {MODEL_HEAD("stairs"), .describe = stairs_describe,
                                   .rhs = stairs_rhs, .indicator = stairs_indicator,
                                   .event = stairs_event};

/* For any number of events, steps, restarts and evaluations per communication step are bounded, and no event is lost. */
TEST(bound_is_never_exceeded)
{
    enum { PLANNED = 10, COARSE = 8, MOST_LOCATE = 24 };
    srand(5);
    int64_t n_late = 0, n_full = 0;
    for (int seed = 0; seed < 200; seed++) {
        const int n_spare = rand() % 4;
        const double narrow =
            rand() % 2 ? 1.0 : 0.1; /* in nine communication steps, or all in one */
        for (int i = 0; i < N_LEVEL; i++)
            level[i] = i > 0 && rand() % 4 == 0 ? level[i - 1]
                                                : 0.1 + narrow * 0.89 * (rand() / (double)RAND_MAX);
        AUTO(rig_close) rig r;
        open_bounded(&r, &stairs,
                     seed % 3 == 0   ? "euler"
                     : seed % 3 == 1 ? "heun"
                                     : "rk3",
                     0.01, n_spare);
        rig_start(&r);
        for (int k = 1; k <= 11; k++) {
            const wr_integ_stats before = *solver_stats(&r);
            const wr_subsystem_stats events = r.s->stats;
            rig_advance(&r, 0.1 * k);
            const int64_t n_step = solver_stats(&r)->n_step - before.n_step;
            assert_in_range(n_step, PLANNED, PLANNED + n_spare + COARSE);
            assert_true(r.s->stats.n_restart_rhs - events.n_restart_rhs <= n_step);
            assert_true(r.s->stats.n_locate - events.n_locate <= MOST_LOCATE * n_step);
            n_full += n_step == PLANNED + n_spare + COARSE;
        }
        assert_close(r.s->d[0], N_LEVEL, 0.0, 0.0);
        assert_close(r.s->x[0], 1.1, 0.0, 1e-12);
        n_late += r.s->stats.n_late_event;
        assert_true(r.s->stats.latest_s <= 4.0 * 0.01 * (1.0 + 1e-9));
    }
    print_message("%d communication steps used all steps, %d events came late\n", (int)n_full,
                  (int)n_late);
    assert_true(n_full > 50 && n_late > 1000);
}

/* Windows longer than a communication step, or ending inside a step, do not change the division into steps. */
TEST(long_windows_are_cut)
{
    for (int i = 0; i < N_LEVEL; i++)
        level[i] = 0.01 + 0.016 * i;
    AUTO(rig_close) rig r;
    open_bounded(&r, &stairs, "heun", 0.01, 1);
    rig_start(&r);
    rig_advance(&r, 1.0);
    const int64_t n = solver_stats(&r)->n_step;
    assert_in_range(n, 100, 100 + 10 * (1 + 8));
    rig_advance(&r, 1.013);
    assert_int_equal(solver_stats(&r)->n_step - n, 2);
    assert_close(r.s->t_s, 1.013, 0.0, 0.0);
    assert_close(r.s->d[0], N_LEVEL, 0.0, 0.0);
}

/* ---- infinite sequences of events ---- */

/* Moves the ball up to the ground at an event below the ground, as bouncing models must. */
static int caught_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                        double *x, double *d)
{
    x[0] = what->fired[0] < 0 ? fmax(x[0], 0.0) : x[0];
    return ball.event(self, at, what, x, d);
}

TEST(zeno_ball_ends_in_late_events)
{
    wrsim_model caught = ball;
    caught.event = caught_event;
    AUTO(rig_close) rig r;
    open_bounded(&r, &caught, "heun", 0.05, 2);
    rig_start(&r);
    assert_in_range(advance_by_points(&r, 8.0), 2, 4 + 8);
    print_message("h = %g m, v = %g m/s, %d late\n", r.s->x[0], r.s->x[1],
                  (int)r.s->stats.n_late_event);
    assert_true(r.s->stats.n_late_event > 0);
    assert_true(fabs(r.s->x[0]) < 0.05 && fabs(r.s->x[1]) < 1.0);
}

/* x' = -sign x: the indicator changes its sign repeatedly. */
DECLARE(slide_describe, "state: x=0.33 indicator: side")
RHS(slide_rhs) { ret_dx[0] = at->mode[0] ? -1.0 : 1.0; }
INDICATORS(first_state) { ret_z[0] = at->x[0]; }
static const wrsim_model slide = {MODEL_HEAD("slide"), .describe = slide_describe, .rhs = slide_rhs,
                                  .indicator = first_state};

TEST(sliding_continues_with_late_events)
{
    AUTO(rig_close) rig r;
    open_bounded(&r, &slide, "heun", 0.01, 2);
    rig_start(&r);
    assert_in_range(advance_by_points(&r, 3.0), 10, 12 + 8);
    assert_true(r.s->stats.n_late_event > 10);
    assert_true(fabs(r.s->x[0]) <= 0.1);
}

TEST(late_event_may_end_the_run)
{
    AUTO(rig_close) rig r;
    open_bounded(&r, &slide, "heun", 0.01, 2);
    r.config.over_budget_fails = 1;
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 3.0, 1.0), WRSIM_E_LIMIT);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "solver.spare_steps"));
    assert_between(err.time_s, 0.33, 0.5);
}

/* From x = 0.25 on two indicators trigger each other without end. */
DECLARE(fight_describe, "state: x discrete: turn n indicator: start other")
INDICATORS(fight_indicator)
{
    ret_z[0] = at->x[0] - 0.25;
    ret_z[1] = at->x[0] > 0.25 ? 0.5 - at->d[0] : -1.0;
}
EVENT(fight_event)
{
    if (what->fired[1] != 0)
        d[0] = 1.0 - d[0];
    d[1] += 1.0;
}
static const wrsim_model fight = {MODEL_HEAD("fight"), .describe = fight_describe,
                                  .rhs = stairs_rhs, .indicator = fight_indicator,
                                  .event = fight_event};

TEST(endless_iteration_is_left_and_counted)
{
    AUTO(rig_close) rig r;
    open_bounded(&r, &fight, "heun", 0.01, 2);
    rig_start(&r);
    assert_in_range(advance_by_points(&r, 1.0), 10, 12 + 8);
    assert_true(r.s->stats.n_unsettled > 5);
    /* A step has at most one event instant with a bounded number of passes. */
    assert_true(r.s->d[1] <= 10.0 * (double)(solver_stats(&r)->n_step + 1));
    assert_close(r.s->x[0], 1.0, 0.0, 1e-12);
}

/* ---- bits ---- */

TEST(restored_windows_give_the_same_bits)
{
    srand(3);
    tank = (tank_case){.area = 1.0, .inflow = 0.4, .rate = 1.0, .high = 1.3, .low = 0.8};
    static const char *const solvers[] = {"euler", "heun", "rk3", "rk4", "linimp"};
    for (size_t i = 0; i < WR_COUNT_OF(solvers); i++) {
        AUTO(rig_close) rig r;
        open_bounded(&r, &tanks, solvers[i], 0.03, 1);
        rig_start(&r);
        for (int k = 1; k <= 60; k++) {
            wr_subsystem_save(r.s);
            double x[2][2];
            int64_t n[2];
            for (int j = 0; j < 2; j++) {
                if (j > 0)
                    wr_subsystem_restore(r.s);
                const int64_t before = solver_stats(&r)->n_rhs;
                rig_advance(&r, 0.17 * k);
                memcpy(x[j], r.s->x, sizeof x[j]);
                n[j] = solver_stats(&r)->n_rhs - before;
            }
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            assert_int_equal(n[0], n[1]);
        }
        assert_true(r.s->stats.n_state_event > 4);
    }
}

/* ---- budgets of methods with error control ---- */

/* x'' = mu (1 - x^2) x' - x: slow for long times, with short fast transitions. */
DECLARE(pol_describe, "state: x=2 v indicator: zero")
RHS(pol_rhs)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = 5.0 * (1.0 - at->x[0] * at->x[0]) * at->x[1] - at->x[0];
}
static const wrsim_model pol = {MODEL_HEAD("pol"), .describe = pol_describe, .rhs = pol_rhs,
                                .indicator = first_state};

typedef struct pol_end {
    double x[2], error;
    int64_t most, n_spent, n_unchecked;
} pol_end;

static pol_end swing(const char *solver, int64_t budget)
{
    rig r;
    open_bounded(&r, &pol, solver, 0.0, -1);
    r.config.budget = budget;
    rig_start(&r);
    pol_end end = {.most = 0};
    for (int k = 1; k <= 200; k++) {
        const int64_t before = solver_stats(&r)->n_rhs + r.s->stats.n_restart_rhs;
        rig_advance(&r, 0.1 * k);
        const int64_t n = solver_stats(&r)->n_rhs + r.s->stats.n_restart_rhs - before;
        end.most = n > end.most ? n : end.most;
    }
    memcpy(end.x, r.s->x, sizeof end.x);
    end.n_spent = r.s->stats.n_spent;
    end.n_unchecked = solver_stats(&r)->n_unchecked_step;
    end.error = solver_stats(&r)->unchecked_error;
    rig_close(&r);
    return end;
}

TEST(budgets_are_kept)
{
    /* Maximum work above the budget: the step that spends the budget, four more steps, and one restart. */
    static const struct {
        const char *solver;
        int per_step;
    } cases[] = {{"bs32", 4},        {"rk43", 5},          {"dopri54", 7},
                 {"rosenbrock", 10}, {"rosenbrock_w", 10}, {"auto", 11}};
    int n_above = 0;
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const pol_end free_run = swing(cases[i].solver, 0);
        const int64_t budget = free_run.most / 2;
        const pol_end bounded = swing(cases[i].solver, budget);
        print_message("%s: %d at most, with a budget of %d %d; spent %d times, %d steps unchecked, "
                      "error %.3g\n",
                      cases[i].solver, (int)free_run.most, (int)budget, (int)bounded.most,
                      (int)bounded.n_spent, (int)bounded.n_unchecked, bounded.error);
        assert_true(bounded.most <= budget + 6 * cases[i].per_step);
        assert_true(bounded.n_spent > 0);
        assert_int_equal(bounded.n_unchecked > 0, bounded.error > 1.0);
        n_above += bounded.n_unchecked > 0;
        assert_true(fabs(bounded.x[0]) < 3.0);
        assert_int_equal(free_run.n_spent, 0);
        assert_close(free_run.error, 0.0, 0.0, 0.0);
        /* An unspent budget changes no result. */
        const pol_end ample = swing(cases[i].solver, 2 * free_run.most);
        assert_memory_equal(ample.x, free_run.x, sizeof ample.x);
        assert_int_equal(ample.most, free_run.most);
        assert_int_equal(ample.n_spent, 0);
    }
    assert_true(n_above >= 3);
}

/* Restarts at events count. With events, a few more steps may follow a spent budget than without events. */
TEST(budgets_are_kept_with_events)
{
    enum { BUDGET = 30, PER_STEP = 6, FINISH = 8 };
    srand(11);
    int64_t n_spent = 0, n_late = 0;
    for (int seed = 0; seed < 60; seed++) {
        for (int i = 0; i < N_LEVEL; i++)
            level[i] = 0.05 + (seed % 2 ? 0.9 : 0.2) * (rand() / (double)RAND_MAX);
        AUTO(rig_close) rig r;
        open_bounded(&r, &stairs, "rk43", 0.03, -1);
        r.config.budget = BUDGET;
        rig_start(&r);
        for (int k = 1; k <= 11; k++) {
            const int64_t before = solver_stats(&r)->n_rhs + r.s->stats.n_restart_rhs;
            rig_advance(&r, 0.1 * k);
            const int64_t n = solver_stats(&r)->n_rhs + r.s->stats.n_restart_rhs - before;
            assert_true(n <= BUDGET + (1 + FINISH) * PER_STEP);
        }
        assert_close(r.s->d[0], N_LEVEL, 0.0, 0.0);
        assert_close(r.s->x[0], 1.1, 0.0, 1e-12);
        n_spent += r.s->stats.n_spent;
        n_late += r.s->stats.n_late_event;
    }
    print_message("spent %d times, %d events came late\n", (int)n_spent, (int)n_late);
    assert_true(n_spent > 60 && n_late > 60);
}

/* x' = -x + u. */
DECLARE(follower_describe, "timeless state: x input: u")
RHS(follower_rhs) { ret_dx[0] = at->u[0] - at->x[0]; }
static const wrsim_model follower = {MODEL_HEAD("follower"), .describe = follower_describe,
                                     .rhs = follower_rhs};

/* An input with a slope jump at every node shortens steps with error control. The finishing steps have their planned length. */
TEST(rough_inputs_do_not_cut_steps_that_finish)
{
    enum { N_NODE = 41, FINISH_STEPS = 4 };
    static const struct {
        const char *solver;
        int per_step;
    } cases[] = {{"bs32", 4}, {"rk43", 5}, {"dopri54", 7}, {"rosenbrock", 10}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        AUTO(rig_close) rig r;
        open_bounded(&r, &follower, cases[i].solver, 0.0, -1);
        rig_external(&r, 0, 0, 0, 0);
        r.config.communication_step_s = 1.0;
        r.config.budget = 2 * cases[i].per_step;
        rig_build(&r);
        wr_wave *const zigzag = wr_wave_place(r.arena, 1, 2 * N_NODE);
        for (int k = 0; k < N_NODE; k++)
            for (int side = 0; side < 2; side++)
                wr_wave_append(zigzag, 0.025 * k, (double[]){k % 2},
                               (double[]){(k % 2 == side ? 1.0 : -1.0) * 40.0});
        r.s->source[0] = zigzag;
        assert_int_equal(wr_ode_init(r.s, no_inputs), WRSIM_OK);
        rig_advance(&r, 1.0);
        print_message("%s: %d steps\n", cases[i].solver, (int)solver_stats(&r)->n_step);
        assert_int_equal(r.s->stats.n_spent, 1);
        /* Before the budget is spent, the solver makes at most three steps, one of them an initial step. */
        assert_true(solver_stats(&r)->n_step <= 3 + FINISH_STEPS);
        assert_true(r.s->x[0] > 0.0 && r.s->x[0] < 1.0);
    }
}

TEST(spent_budget_may_end_the_run)
{
    AUTO(rig_close) rig r;
    open_bounded(&r, &pol, "rk43", 0.0, -1);
    r.config.budget = 20;
    r.config.over_budget_fails = 1;
    rig_build(&r);
    assert_int_equal(wr_ode_init(r.s, no_inputs), WRSIM_OK);
    assert_int_equal(wr_subsystem_advance(r.s, 20.0, 1.0), WRSIM_E_LIMIT);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "solver.budget"));
}

/* Counts the calls of the model's right-hand side. The rig publishes no output, whose slope would need further calls. */
static int64_t n_seen;
static int counted_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    n_seen++;
    return tank_rhs(self, at, ret_dx);
}
static const wrsim_model counted = {MODEL_HEAD("counted"), .describe = tank_describe,
                                    .rhs = counted_rhs, .indicator = tank_indicator,
                                    .event = tank_event};

TEST(restarts_are_counted)
{
    static const char *const solvers[] = {"euler", "heun", "rk3", "rk4", "bs32", "rk43", "dopri54"};
    tank = (tank_case){.area = 1.0, .inflow = 0.4, .rate = 1.0, .high = 1.3, .low = 0.8};
    for (size_t i = 0; i < WR_COUNT_OF(solvers); i++)
        for (int n_spare = -1; n_spare < 2; n_spare++) {
            AUTO(rig_close) rig r;
            open_bounded(&r, &counted, solvers[i], 0.02, n_spare);
            n_seen = 0;
            rig_start(&r);
            rig_advance(&r, 10.0);
            assert_true(r.s->stats.n_state_event > 2);
            assert_int_equal(solver_stats(&r)->n_rhs + r.s->stats.n_restart_rhs +
                                 r.s->stats.n_effect_rhs + 1, /* the trial of the start */
                             n_seen);
        }
}
