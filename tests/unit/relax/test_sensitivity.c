#include "wr_test.h"

#include "runtime/relax/sensitivity.h"

/* Begins a window with an event. `early`: change of the inputs up to the event. */
static void note_event(wr_sensitivity *g, double early)
{
    wr_sensitivity_note_event(g, 0);
    g->early = early;
}

/* Runs n windows with these changes of the inputs, estimates, and changes of the subsystem. */
static void learn(wr_sensitivity *g, int n, int has_events, double inputs, double estimate,
                  double change)
{
    for (int i = 0; i < n; i++) {
        if (has_events)
            note_event(g, inputs);
        wr_sensitivity_learn(g, inputs, estimate, change);
        wr_sensitivity_accepted(g);
    }
}

/* Before the first measurement every change of an input matters. */
TEST(start)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    assert_true(wr_sensitivity_unmodelled(&g, 0.5) >= 0.5);
    assert_true(wr_sensitivity_effect(&g, 0.5, 0.0) >= 0.5);
}

/* While a valve is shut, estimate and change are 0. After the valve opens, the estimate counts. A shut valve still has no effect. */
TEST(estimate_tells_open_from_shut)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    learn(&g, 10, 0, 5.0, 0.0, 0.0);
    assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) < 0.3);
    learn(&g, 10, 0, 5.0, 10.0, 4.0);
    assert_between(wr_sensitivity_effect(&g, 5.0, 10.0), 3.9, 4.4);
    assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) < 0.3);
}

/* An effect that all estimates miss stays marked as hidden, also after an estimate of zero. */
TEST(hidden_ways)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    learn(&g, 10, 0, 9.0, 0.0, 0.0);
    assert_true(wr_sensitivity_effect(&g, 9.0, 0.0) < 0.3);
    learn(&g, 1, 0, 9.0, 0.01, 20.0); /* one window suffices */
    assert_true(wr_sensitivity_effect(&g, 9.0, 0.0) > 19.0);
}

/* Inputs act only through events: inputs matter in windows with an event, after any number of quiet windows. In windows without
 * events inputs have little effect. */
TEST(events_have_a_factor_of_their_own)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    for (int i = 0; i < 20; i++) {
        learn(&g, 9, 0, 9.0, 0.0, 0.0);
        learn(&g, 1, 1, 9.0, 0.0, 5.0);
    }
    assert_true(wr_sensitivity_effect(&g, 9.0, 0.0) < 0.3);
    note_event(&g, 9.0);
    assert_true(wr_sensitivity_effect(&g, 9.0, 0.0) > 4.5);
    /* After other events, too, a change of 10 tolerance units always matters. */
    wr_sensitivity_accepted(&g);
    learn(&g, 50, 1, 1e4, 0.0, 0.0);
    note_event(&g, 10.0);
    assert_true(wr_sensitivity_unmodelled(&g, 10.0) >= 0.3 - 1e-12);
}

/* After its last event a window is like a window without events: a late change has the factor of windows without events. If the late
 * change then has an effect, late changes matter in later windows with and without events. */
TEST(changes_after_the_last_event)
{
    for (int i = 0; i < 2; i++) {
        wr_sensitivity g;
        wr_sensitivity_init(&g, 0.3);
        learn(&g, 10, 0, 9.0, 0.0, 0.0);
        note_event(&g, 4.0);
        assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) >= 4.0);
        note_event(&g, 5.0); /* counts once */
        assert_close(wr_sensitivity_effect(&g, 5.0, 0.0), 5.0, 1e-12, 0.0);
        note_event(&g, i == 0 ? 0.1 : 0.0);
        assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) < 0.3);
        assert_close(wr_sensitivity_largest(&g, 5.0, 0.0), 5.0, 1e-12, 0.0);
        wr_sensitivity_learn(&g, 5.0, 0.0, 20.0);
        assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) > 19.0);
        wr_sensitivity_accepted(&g);
        assert_true(wr_sensitivity_effect(&g, 5.0, 0.0) > 19.0);
    }
}

/* Changes far below the accepted limit only bound the effect from above. */
TEST(noise)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    learn(&g, 50, 0, 0.1, 0.1, 0.0);
    assert_between(wr_sensitivity_effect(&g, 1.0, 1.0), 0.99, 1.01);
    wr_sensitivity_init(&g, 0.3);
    learn(&g, 20, 0, 0.1, 0.1, 0.12);
    assert_between(wr_sensitivity_effect(&g, 1.0, 1.0), 1.69, 1.75);
}

/* Without new measurements the estimated effect of a change returns to the whole change. */
TEST(forgets)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    learn(&g, 20, 0, 1000.0, 1000.0, 0.0);
    assert_true(wr_sensitivity_effect(&g, 1.0, 0.0) < 0.05);
    for (int i = 0; i < 1000; i++)
        wr_sensitivity_accepted(&g);
    assert_close(wr_sensitivity_effect(&g, 1.0, 0.0), 1.0, 1e-12, 0);
    assert_close(wr_sensitivity_effect(&g, 0.0, 1.0), 1.0, 1e-12, 0);
}

/* A failed integration leaves the estimates unchanged. */
TEST(not_finite)
{
    wr_sensitivity g;
    wr_sensitivity_init(&g, 0.3);
    wr_sensitivity_learn(&g, (double)INFINITY, 1.0, 0.0);
    wr_sensitivity_learn(&g, 1.0, 1.0, (double)INFINITY);
    wr_sensitivity_learn(&g, 1.0, 1.0, (double)NAN);
    assert_close(wr_sensitivity_effect(&g, 1.0, 1.0), 2.0, 0, 0);
}
