#include "wr_test.h"

#include "runtime/relax/window.h"

/* A model problem: a window of length H (s) costs 20000 H + 8 right-hand sides of work 2 per integration of each of N subsystems. The
 * residual after the first sweep is (H / h0)^3.5 tolerance units; each further sweep multiplies it by 0.1 H / h0, at most 0.9. */
enum { N = 3 };

typedef struct numbers {
    double prediction_error[N], n_rhs[N], work[N];
} numbers;

static wr_window_outcome outcome(double length_s, double h0, numbers *of)
{
    for (int i = 0; i < N; i++) {
        of->prediction_error[i] = pow(length_s / h0, 3.5);
        of->n_rhs[i] = 20000.0 * length_s + 8.0;
        of->work[i] = 2.0 * of->n_rhs[i];
    }
    const double rho = fmin(0.1 * length_s / h0, 0.9);
    const int n_sweep = of->prediction_error[0] <= 1.0
                            ? 1
                            : 2 + (int)(log(of->prediction_error[0]) / log(1.0 / rho));
    return (wr_window_outcome){.length_s = length_s,
                               .is_accepted = 1,
                               .n_sweep = n_sweep,
                               .n_subsystem = N,
                               .prediction_error = of->prediction_error,
                               .contraction = n_sweep > 1 ? rho : 0.0,
                               .n_rhs = of->n_rhs,
                               .work = of->work,
                               .spent = N * n_sweep * of->work[0]};
}

static double settle(const wr_window_rule *rule, double initial_s, double h0)
{
    wr_window w;
    numbers of;
    wr_window_init(&w, rule, N, initial_s, 1e-6, 1.0);
    for (int i = 0; i < 600; i++) {
        const wr_window_outcome o = outcome(w.length_s, h0, &of);
        wr_window_accepted(&w, &o);
    }
    return w.length_s;
}

/* From starts 20 times too long or too short, the length settles between half and 1.05 times h0, the longest length with one sweep. */
TEST(work_rule_finds_the_length)
{
    const double h0 = 1e-3;
    assert_between(settle(wr_window_rule_find("work"), h0 / 20, h0), 0.5 * h0, 1.05 * h0);
    assert_between(settle(wr_window_rule_find("work"), h0 * 20, h0), 0.5 * h0, 1.05 * h0);
}

/* Windows 16 times too long are expensive, so the rule shortens them within few windows. */
TEST(far_too_long_is_left_at_once)
{
    const double h0 = 1e-3;
    wr_window w;
    numbers of;
    wr_window_init(&w, wr_window_rule_find("work"), N, 16 * h0, 1e-6, 1.0);
    for (int i = 0; i < 4; i++) {
        const wr_window_outcome o = outcome(w.length_s, h0, &of);
        wr_window_accepted(&w, &o);
    }
    assert_between(w.length_s, 0.2 * h0, 2.5 * h0);
}

/* A too long first window costs many sweeps. So with several subsystems the first window is a sixteenth of the configured length, but at
 * least the shortest length. Predictions extrapolate by up to three octaves before the first measurement. */
TEST(work_rule_starts_short)
{
    wr_window w;
    wr_window_init(&w, wr_window_rule_find("work"), N, 1.6e-2, 1e-6, 1.0);
    assert_close(w.length_s, 1e-3, 1e-12, 0);
    assert_between(wr_window_longest_next(&w), 8e-3, 1.2e-2);
    wr_window_init(&w, wr_window_rule_find("work"), N, 1.6e-2, 1e-2, 1.0);
    assert_close(w.length_s, 1e-2, 1e-12, 0);
    wr_window_init(&w, wr_window_rule_find("work"), 1, 1.6e-2, 1e-6, 1.0);
    assert_close(w.length_s, 1.6e-2, 1e-12, 0); /* one subsystem does not iterate */
}

/* Windows above the best length cost twice the model's value, so the model overestimates shorter windows. The rule nevertheless tries
 * shorter windows, at a bounded cost. */
TEST(wrong_guesses_are_found_out)
{
    enum { N_WINDOW = 2000 };
    const double best_s = 1.024e-3; /* on the rule's grid of lengths */
    wr_window w;
    numbers of;
    double spent = 0.0, span_s = 0.0;
    wr_window_init(&w, wr_window_rule_find("work"), N, 16 * 1.7 * best_s, 1e-6, 2.0 * best_s);
    for (int i = 0; i < N_WINDOW; i++) {
        wr_window_outcome o = outcome(w.length_s, 1.0, &of);
        if (o.length_s > 1.1 * best_s)
            o.spent *= 2.0;
        spent += o.spent;
        span_s += o.length_s;
        wr_window_accepted(&w, &o);
    }
    assert_between(w.length_s, 0.5 * best_s, 1.1 * best_s);
    const double best = outcome(best_s, 1.0, &of).spent / best_s;
    assert_between(spent / span_s / best, 1.0, 1.1);
}

/* A loop without integration halves the residual per sweep at any length, and a constant prediction errs in proportion to the length. Twice
 * the length costs one sweep more, so the cost per second falls with the length, and windows grow. */
TEST(windows_of_static_loops_grow)
{
    enum { N_WINDOW = 400 };
    wr_window w;
    wr_window_init(&w, wr_window_rule_find("work"), N, 16e-4, 1e-6, 1.0);
    w.is_static = 1;
    w.error_order = 1.0;
    for (int i = 0; i < N_WINDOW; i++) {
        const double miss_now = fmax(1.0, 1e6 * w.length_s);
        const int n_sweep = 1 + (int)ceil(log2(miss_now));
        const double prediction_error[N] = {miss_now, miss_now, miss_now},
                     n_rhs[N] = {10.0, 10.0, 10.0}, work[N] = {10.0, 10.0, 10.0};
        const wr_window_outcome o = {.length_s = w.length_s,
                                     .is_accepted = 1,
                                     .n_sweep = n_sweep,
                                     .n_subsystem = N,
                                     .prediction_error = prediction_error,
                                     .contraction = 0.5,
                                     .n_rhs = n_rhs,
                                     .work = work,
                                     .spent = N * n_sweep * 10.0};
        wr_window_accepted(&w, &o);
    }
    assert_between(w.length_s, 0.1, 1.0);
}

/* The start of an integration costs 8 of its 28 right-hand sides, and at most three quarters of a short integration. Before the first
 * window the cost is unknown. */
TEST(gap_pays_for_a_beginning)
{
    wr_window w;
    numbers of;
    wr_window_init(&w, wr_window_rule_find("work"), N, 1.6e-2, 1e-6, 1.0);
    assert_true(isinf(wr_window_least_gap(&w)));
    wr_window_outcome o = outcome(1e-3, 1.0, &of);
    wr_window_accepted(&w, &o);
    assert_close(wr_window_least_gap(&w), 8.0 / 20000.0, 1e-12, 0);
    o = outcome(1e-5, 1.0, &of);
    wr_window_accepted(&w, &o);
    assert_close(wr_window_least_gap(&w), 3e-5, 1e-12, 0);
    wr_window_init(&w, wr_window_rule_find("fixed"), N, 1e-3, 1e-6, 1.0);
    o = outcome(1e-3, 1.0, &of);
    wr_window_accepted(&w, &o);
    assert_true(isinf(wr_window_least_gap(&w)));
}

/* Windows that always end early, after one sweep each, give no information on much longer windows. */
TEST(early_ends_do_not_lengthen)
{
    const double length_s = 1.024e-3; /* on the rule's grid of lengths */
    wr_window w;
    numbers of;
    wr_window_init(&w, wr_window_rule_find("work"), N, 16 * length_s, 1e-6, 1.0);
    w.max_s = length_s;
    for (int i = 0; i < 100; i++) {
        const wr_window_outcome o = outcome(w.length_s, 1.0, &of);
        wr_window_accepted(&w, &o);
    }
    w.max_s = 1.0;
    for (int i = 0; i < 100; i++) {
        const wr_window_outcome o = outcome(length_s / 4, 1.0, &of);
        wr_window_accepted(&w, &o);
        assert_true(w.length_s <= length_s * (1.0 + 1e-12));
    }
}

TEST(fixed_stays) { assert_close(settle(wr_window_rule_find("fixed"), 2e-3, 1e-3), 2e-3, 0, 0); }

TEST(ratio_rule_is_bounded)
{
    assert_between(settle(wr_window_rule_find("ratio"), 2e-2, 1e-3), 2e-4, 4e-3);
}

TEST(rejection_shrinks_down_to_the_minimum)
{
    wr_window w;
    numbers of;
    wr_window_init(&w, wr_window_rule_find("work"), N, 1e-2, 1e-3, 1e-1);
    wr_window_outcome o = outcome(1e-2, 1e-3, &of);
    assert_int_equal(wr_window_rejected(&w, &o, 8e-3), 0);
    assert_close(w.length_s, 8e-3, 1e-12, 0); /* the converged prefix */
    o.length_s = w.length_s;
    assert_int_equal(wr_window_rejected(&w, &o, 0.0), 0);
    assert_close(w.length_s, 2e-3, 1e-12, 0);
    o.length_s = w.length_s;
    assert_int_equal(wr_window_rejected(&w, &o, 0.0), 0);
    assert_close(w.length_s, 1e-3, 1e-12, 0);
    o.length_s = w.length_s;
    assert_int_equal(wr_window_rejected(&w, &o, 0.0), -1);
}
