#include "wr_test.h"

#include "runtime/relax/contraction.h"
#include "runtime/relax/sweep_verdict.h"

static const wr_set_relaxation few_active = {.max_sweeps = 20, .convergence = 0.1, .active_set = 1},
                               all_active = {.max_sweeps = 20, .convergence = 0.1};

/* Returns a plain sweep in a ring with an input change above tolerance; further sweeps contract well. */
static wr_sweep_verdict_input open_sweep(void)
{
    return (wr_sweep_verdict_input){.kind = WR_VERDICT_OF_SWEEP,
                                    .is_open = 1,
                                    .i_sweep = 3,
                                    .relaxation = &few_active,
                                    .residual = 5.0,
                                    .ratio = 0.2,
                                    .has_cycle = 1,
                                    .may_retry = 1};
}

TEST(nothing_open_accepts)
{
    wr_sweep_verdict_input v = open_sweep();
    v.is_open = 0;
    v.ratio = 10.0;
    v.i_sweep = 1000;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_ACCEPT);
}

TEST(contracting_sweeps_go_on)
{
    wr_sweep_verdict_input v = open_sweep();
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.relaxation = &all_active; /* subsystems are checked before all of them integrate */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_CHECK);
}

/* A ratio above 0.8 rejects from the third sweep on, from the fourth in an algebraic loop. */
TEST(slow_ratio_rejects)
{
    wr_sweep_verdict_input v = open_sweep();
    v.ratio = 0.81;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.i_sweep = 2;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 3;
    v.has_algebraic_cycle = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 4;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.residual = 0.05; /* below relaxation.convergence the ratio has no effect */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.residual = 5.0;
    v.is_accelerated = 1; /* accelerated residuals may grow in a sweep */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
}

/* A residual that stays above tolerance up to max_sweeps rejects early, if a shorter window may help. 5 * 0.795^17 = 0.101. */
TEST(slow_forecast_rejects)
{
    wr_sweep_verdict_input v = open_sweep();
    v.ratio = 0.795;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.ratio = 0.794;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.ratio = 0.795;
    v.is_short_enough =
        1; /* the shortest window needs the sweeps, so no series of rejections is endless */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.is_short_enough = v.may_retry = 0;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.may_retry = v.is_accelerated = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.is_accelerated = 0;
    v.i_sweep = 4;
    v.has_algebraic_cycle = 1; /* a shorter window contracts no faster */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.may_not_matter = 1;
    v.has_algebraic_cycle = 0; /* a check decides by an estimate */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_CHECK);
}

/* If a shorter window does not help, sweeps continue while they may converge. */
TEST(short_window_continues)
{
    wr_sweep_verdict_input v = open_sweep();
    v.ratio = 0.99;
    v.is_short_enough = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 4999;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 5000;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.i_sweep = 25;
    v.ratio = 2.0; /* diverges */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.residual = 0.5; /* the residual may be noise of the solvers */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
}

TEST(most_sweeps)
{
    wr_sweep_verdict_input v = open_sweep();
    v.i_sweep = 20;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.may_not_matter = 1; /* a check decides by an estimate */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_CHECK);
    v.may_not_matter = 0;
    v.has_cycle = 0; /* without a ring each sweep settles a further subsystem */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.has_cycle = 1;
    v.is_short_enough = v.is_accelerated = v.has_guesses = 1;
    v.ratio = 1.0;
    v.i_sweep = 199;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 200;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
}

TEST(other_kinds)
{
    wr_sweep_verdict_input v = open_sweep();
    v.kind = WR_VERDICT_OF_CHECK;
    v.relaxation = &all_active; /* after a check comes a sweep, never a second check */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v.i_sweep = 20;
    v.may_not_matter = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.kind = WR_VERDICT_OF_ONCE; /* without iteration no ratio rejects the window */
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
    v = open_sweep();
    v.kind = WR_VERDICT_OF_ACCELERATED;
    v.is_accelerated = v.is_stuck = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_REJECT);
    v.is_short_enough = 1;
    assert_int_equal(wr_sweep_verdict_of(&v), WR_VERDICT_SWEEP);
}

TEST(accepted_error)
{
    assert_close(wr_sweep_verdict_accepted_error(0.1, 29, 1), 0.1, 0.0, 0.0);
    assert_close(wr_sweep_verdict_accepted_error(0.1, 30, 0), 0.1, 0.0, 0.0);
    assert_close(wr_sweep_verdict_accepted_error(0.1, 30, 1), 1.0, 0.0, 0.0);
    assert_close(wr_sweep_verdict_accepted_error(3.0, 30, 1), 3.0, 0.0, 0.0);
}

/* Adds the residual of one sweep of a ring. */
static void sweep(wr_contraction *c, double residual)
{
    wr_contraction_begin_sweep(c);
    wr_contraction_add(c, residual, 0.0);
}

/* Published waves have the error effect / (1 - rate). In a ring with unknown rate the accepted effect is 0. A known rate also counts in
 * later windows. */
TEST(accepted_effect)
{
    wr_contraction c;
    wr_contraction_init(&c, 1, 0);
    wr_contraction_begin_window(&c, 0.1, 0.1);
    assert_close(c.accepted_effect, 0.0, 0.0, 0.0);
    sweep(&c, 100.0);
    assert_true(wr_contraction_measure(&c, 1, 0.1) < 0.0);
    sweep(&c, 25.0);
    assert_close(wr_contraction_measure(&c, 2, 0.1), 0.25, 1e-15, 0.0);
    assert_close(c.accepted_effect, 0.1 * 0.75, 1e-15, 0.0);
    wr_contraction_amplify(&c, 10.0); /* an algebraic loop amplifies more than the ring */
    assert_close(c.accepted_effect, 0.1 / 10.0, 1e-15, 0.0);
    wr_contraction_learn(&c);
    wr_contraction_amplify(&c, 0.0);
    wr_contraction_begin_window(&c, 0.2, 0.1); /* twice the length: twice the rate */
    assert_close(c.accepted_effect, 0.1 * 0.5, 1e-15, 0.0);
    wr_contraction_begin_window(&c, 0.05, 0.1); /* a shorter window has no lower rate */
    assert_close(c.accepted_effect, 0.1 * 0.75, 1e-15, 0.0);
    wr_contraction_init(&c, 0, 0); /* without a ring no feedback exists */
    wr_contraction_begin_window(&c, 0.1, 0.1);
    assert_close(c.accepted_effect, 0.1, 0.0, 0.0);
}

/* If a window of half the length contracts no faster, the rate does not depend on the length. */
TEST(rejections_teach)
{
    wr_contraction c;
    wr_contraction_init(&c, 1, 0);
    assert_false(wr_contraction_is_retry(&c, 1.0));
    wr_contraction_begin_window(&c, 0.1, 0.1);
    wr_contraction_reject(&c, 0.9, 1.0);
    assert_true(wr_contraction_is_retry(&c, 1.0));
    assert_false(c.is_slow);
    wr_contraction_begin_window(&c, 0.05, 0.1);
    wr_contraction_reject(&c, 0.88, 1.0);
    assert_true(c.is_slow);
    wr_contraction_reject(&c, 0.88,
                          1.0); /* more sweeps do not help: the coupling no longer counts as slow */
    assert_false(c.is_slow || wr_contraction_is_retry(&c, 1.0));
    assert_false(wr_contraction_is_often_slow(&c, 4));
    wr_contraction_reject(&c, 0.0, 2.0); /* another reason */
    assert_false(wr_contraction_is_retry(&c, 2.0));
    wr_contraction_reject(&c, 0.9, 2.0);
    assert_true(wr_contraction_is_often_slow(&c, 16) && !wr_contraction_is_often_slow(&c, 17));
}
