#include "wr_test.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/scheme_choice.h"

enum { N = 5 };

static double draw(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (double)(*seed >> 8) / (1U << 24);
}

static void add(wr_scheme_choice *c, int n, double size)
{
    double work[N];
    for (int k = 0; k < n; k++)
        work[k] = size;
    wr_scheme_choice_add(c, work, n);
}

/* A run of n windows with five equal tasks. Jacobi: one batch of all tasks, and with probability `again` a second one. Gauss-Seidel: a
 * batch of the first task, and a batch of the others. The work of a window varies by a factor of up to 9. Returns the order at the end. */
static int run(wr_scheme_choice *c, int n, double again, unsigned seed)
{
    for (int i = 0; i < n; i++) {
        const double size = exp(draw(&seed) * log(9.0)) * 1e4;
        double first[N];
        if (c->order == WR_SWEEP_JACOBI) {
            add(c, N, size);
            if (draw(&seed) < again)
                add(c, N, size);
        } else {
            add(c, 1, size);
            add(c, N - 1, size);
        }
        for (int k = 0; k < N; k++)
            first[k] = size;
        wr_scheme_choice_next(c, first, N);
    }
    return c->order;
}

/* Five equal tasks. Without a second sweep Jacobi takes 3 units on two workers, and Gauss-Seidel 1 + 2. On five workers Jacobi takes 1 unit,
 * and Gauss-Seidel 2. With a second sweep Jacobi takes 6 against 3, and 2 against 2. */
TEST(the_cheaper_order_of_the_stated_number_stays)
{
    static const struct {
        int n_worker;
        double again;
        int expected;
    } cases[] = {{1, 0.5, WR_SWEEP_GAUSS_SEIDEL}, {2, 0.5, WR_SWEEP_GAUSS_SEIDEL},
                 {5, 0.5, WR_SWEEP_JACOBI},       {5, 0.0, WR_SWEEP_JACOBI},
                 {1, 1.0, WR_SWEEP_GAUSS_SEIDEL}, {4, 1.0, WR_SWEEP_GAUSS_SEIDEL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned seed = 1; seed <= 20; seed++) {
            wr_scheme_choice c;
            wr_scheme_choice_init(&c, cases[i].n_worker);
            assert_int_equal(run(&c, 100, cases[i].again, seed), cases[i].expected);
            assert_int_equal(run(&c, 2000, cases[i].again, seed), cases[i].expected);
        }
}

/* The costs of the tasks cancel in the ratio. For eight workers Gauss-Seidel takes 2 units and Jacobi 1 unit. For 1, 2 and 4 workers
 * the two orders have equal costs (5, 3 and 2 units), but a run without a measurement assumes that Jacobi repeats. */
TEST(the_ratio_is_the_cost_of_gauss_seidel_per_cost_of_jacobi)
{
    static const struct {
        int n_worker;
        double expected;
    } cases[] = {{1, 1.0 / 1.9}, {2, 1.0 / 1.9}, {4, 1.0 / 1.9}, {8, 2.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_scheme_choice c;
        wr_scheme_choice_init(&c, cases[i].n_worker);
        assert_close(c.ratio, 0.0, 0.0, 0.0);
        run(&c, 100, 0.0, 3);
        assert_close(c.ratio, cases[i].expected, 0.02, 0.0); /* barriers */
    }
}

/* Two tasks of a tight coupling: Gauss-Seidel takes ten sweeps of two batches, Jacobi twelve sweeps of one batch. Jacobi repeats at least
 * as often as Gauss-Seidel, so before the first window of Jacobi the ratio is at most 2. On one worker no window of Jacobi is necessary. */
TEST(repeated_sweeps_of_gauss_seidel_bound_the_assumption)
{
    for (int n_worker = 1; n_worker <= 2; n_worker++) {
        wr_scheme_choice c;
        wr_scheme_choice_init(&c, n_worker);
        for (int i = 0; i < 64; i++) {
            double first[2] = {1e6, 1e6};
            const int is_jacobi = c.order == WR_SWEEP_JACOBI;
            for (int k = 0; k < (is_jacobi ? 12 : 20); k++)
                add(&c, is_jacobi ? 2 : 1, 1e6);
            wr_scheme_choice_next(&c, first, 2);
            if (i == 31)
                assert_close(c.ratio, n_worker, 1e-3, 0.0);
        }
        assert_int_equal(c.n_change, n_worker - 1);
        assert_int_equal(c.is_assumed, n_worker == 1);
        assert_close(c.ratio, n_worker == 1 ? 1.0 : 20.0 / 12.0, 1e-3, 0.0);
    }
}

/* A chain of five cheap tasks gains nothing from a second worker, and the barriers after the tasks cost more than Jacobi saves. So two
 * workers have the costs of one. Expensive tasks in one batch hide the barrier. */
TEST(barriers_limit_the_number_of_workers)
{
    for (int is_dear = 0; is_dear < 2; is_dear++) {
        wr_scheme_choice c;
        wr_scheme_choice_init(&c, 2);
        for (int i = 0; i < 32; i++) {
            const double size = is_dear ? 1e6 : 0.0;
            double first[N] = {size, size, size, size, size};
            for (int k = 0; k < N; k++)
                add(&c, 1, size);
            wr_scheme_choice_next(&c, first, N);
        }
        /* cheap: 3 integrations and a barrier, per 5 integrations */
        assert_close(c.share, is_dear ? 0.6 : (3 * 130.0 + 100.0) / (5 * 130.0), 1e-3, 0.0);
    }
}

/* The order indexes lists, so a checkpoint with a number outside of the lists must fail and leave the run unchanged. */
TEST(a_state_with_a_wrong_order_is_refused)
{
    static const int64_t wrong[] = {-1, WR_SWEEP_ORDERS, INT64_MAX};
    for (int i_member = 0; i_member < 2; i_member++) /* order, chosen */
        for (int k = 0; k < 3; k++) {
            unsigned char bytes[1024];
            wr_scheme_choice c;
            wr_scheme_choice_init(&c, 2);
            wr_state_io io = wr_state_writer(bytes, sizeof bytes, 0);
            wr_state_begin(&io, "choice", 0);
            const size_t at = io.n_bytes + (size_t)i_member * sizeof *wrong;
            wr_scheme_choice_state(&c, &io);
            wr_state_end(&io);
            assert_int_equal(io.fault, WR_STATE_SOUND);
            memcpy(bytes + at, &wrong[k], sizeof *wrong);
            for (int is_check = 1; is_check >= 0; is_check--) {
                wr_state_io in = wr_state_reader(bytes, io.n_bytes, 0, is_check);
                wr_state_begin(&in, "choice", 0);
                wr_scheme_choice_state(&c, &in);
                assert_int_equal(in.fault, WR_STATE_OTHER);
                assert_int_equal(c.order, WR_SWEEP_GAUSS_SEIDEL);
            }
        }
}

/* A comparison in progress changes neither the chosen order nor its ratio, so a report agrees with itself at any window. A cut window
 * leaves no batches for the next run. */
TEST(a_look_in_progress_keeps_the_last_decision)
{
    wr_scheme_choice c;
    wr_scheme_choice_init(&c, 5);
    for (int i = 0; i < 2000; i++) {
        run(&c, 1, 0.0, (unsigned)i + 1);
        assert_true(!(c.ratio > 0.0) || (c.ratio > 1.0) == (c.chosen == WR_SWEEP_JACOBI));
    }
    add(&c, N, 1e5);
    wr_scheme_choice_begin_window(&c);
    assert_close(c.path, 0.0, 0.0, 0.0);
}

/* Each comparison and each measurement of repetitions takes 32 windows. A change of the solution changes the order at the next
 * comparison. */
TEST(looks_are_rare_and_follow_the_solution)
{
    wr_scheme_choice c;
    wr_scheme_choice_init(&c, 8);
    assert_int_equal(run(&c, 600, 0.0, 5), WR_SWEEP_JACOBI);
    assert_int_equal(run(&c, 600, 1.0, 6), WR_SWEEP_JACOBI + (c.n_comparison > 0));
    assert_int_equal(run(&c, 20000, 1.0, 7), WR_SWEEP_GAUSS_SEIDEL);
    assert_true(c.n_comparison >= 6 && c.n_comparison <= 9);
}
