/* Steps against the wall clock: closed forms for equal steps, a recount for random steps. */
#include "wr_test.h"

#include "base/check.h"
#include "offline/forecast.h"

enum { N = 2000 };
static double span_s[N];
static const wr_forecast_late no_late = {0};

static wr_forecast equal_steps(double length_s)
{
    for (int n = 0; n < N; n++)
        span_s[n] = length_s;
    return (wr_forecast){
        .span_s = span_s, .n_step = N, .period_s = 1e-3, .rate = 1.0, .catch_up_s = 10.0, .of = 1};
}

/* A step is in time if (1 + margin) (lateness + span) does not exceed the deadline, and late if (1 - margin) (lateness + span) does. */
TEST(equal_steps)
{
    static const double MARGIN = 0.25;
    static const int64_t seldom_ns[] = {50000};
    static const wr_forecast_late late = {.usual_s = 2e-5, .trace_ns = seldom_ns, .n_trace = 1};
    static const struct {
        double length_s;
        wrsim_status verdict;
    } cases[] = {{0.1e-3, WRSIM_OK},        {0.74e-3, WRSIM_OK},         {0.77e-3, WRSIM_UNDECIDED},
                 {1.3e-3, WRSIM_UNDECIDED}, {1.35e-3, WRSIM_INFEASIBLE}, {9e-3, WRSIM_INFEASIBLE}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const wr_forecast f = equal_steps(cases[i].length_s);
        wrsim_rtcheck_case at[WRSIM_RTCHECK_CASES];
        wrsim_status verdict;
        assert_int_equal(wr_forecast_judge(&f, MARGIN, late, at, &verdict), WRSIM_OK);
        assert_int_equal(verdict, cases[i].verdict);
        assert_true((at[WRSIM_RTCHECK_SLOW].n_violation == 0) == (verdict == WRSIM_OK));
        assert_true(at[WRSIM_RTCHECK_QUICK].n_miss <= at[WRSIM_RTCHECK_MEASURED].n_miss &&
                    at[WRSIM_RTCHECK_MEASURED].n_miss <= at[WRSIM_RTCHECK_SLOW].n_miss);
        double holds, fails;
        assert_int_equal(wr_forecast_rates(&f, MARGIN, late, &holds, &fails), WRSIM_OK);
        assert_close(holds, 1e-3 / (1.25 * (5e-5 + cases[i].length_s)), 2e-3, 0);
        assert_close(fails, 1e-3 / (0.75 * (late.usual_s + cases[i].length_s)), 2e-3, 0);
    }
}

/* A fixed deadline does not depend on the rate. The steps meet the deadline at all rates below the limit of the queue, or at no rate. */
TEST(fixed_deadline)
{
    wr_forecast f = equal_steps(0.4e-3);
    double holds, fails;
    f.deadline_s = 0.6e-3;
    assert_int_equal(wr_forecast_rates(&f, 0.25, no_late, &holds, &fails), WRSIM_OK);
    assert_close(holds, 1e-3 / 0.5e-3, 2e-3, 0); /* faster steps would queue up */
    f.deadline_s = 0.2e-3;
    assert_int_equal(wr_forecast_rates(&f, 0.25, no_late, &holds, &fails), WRSIM_OK);
    assert_true(isnan(holds));
}

/* One step of 3.4 periods makes itself and the next steps late. */
TEST(queue)
{
    wr_forecast f = equal_steps(0.5e-3);
    f.misses = 4;
    f.of = 10;
    span_s[100] = 3.4e-3;
    wrsim_rtcheck_case at = {.factor = 1.0};
    assert_int_equal(wr_forecast_run(&f, no_late, 0.0, &at), WRSIM_OK);
    /* The steps end 2.4, 1.9, 1.4, 0.9, 0.4 ms after their deadlines; later steps are in time. */
    assert_int_equal(at.n_miss, 5);
    assert_int_equal(at.n_violation, 6);
    f.misses = 5;
    assert_int_equal(wr_forecast_run(&f, no_late, 0.0, &at), WRSIM_OK);
    assert_int_equal(at.n_violation, 0);
    /* The late step proves infeasibility, unless rare_s makes it a rare disturbance. */
    wrsim_status verdict;
    f.misses = 1;
    assert_int_equal(wr_forecast_judge(&f, 0.25, no_late, NULL, &verdict), WRSIM_OK);
    assert_int_equal(verdict, WRSIM_INFEASIBLE);
    f.rare_s = 0.6e-3;
    assert_int_equal(wr_forecast_judge(&f, 0.25, no_late, NULL, &verdict), WRSIM_OK);
    assert_int_equal(verdict, WRSIM_UNDECIDED);
    f.rare_s = 0.0;
    f.misses = 5;
    f.catch_up_s = 1e-3; /* a lateness above catch_up_s shifts the schedule */
    assert_int_equal(wr_forecast_run(&f, no_late, 0.0, &at), WRSIM_OK);
    assert_int_equal(at.n_miss, 1);
}

/* A step that starts after its due time neither sleeps nor has the lateness of a wake-up. */
TEST(random_steps)
{
    unsigned seed = 3;
    wr_forecast f = equal_steps(0.0);
    f.misses = 3;
    f.of = 20;
    int64_t n_miss = 0, n_violation = 0;
    static int is_missed[N];
    double free_s = 0.0;
    for (int n = 0; n < N; n++) {
        span_s[n] = 1e-6 * (500 + rand_r(&seed) % (rand_r(&seed) % 8 == 0 ? 2000 : 300));
        const double due_s = 1e-3 * n;
        free_s = (n > 0 && free_s > due_s ? free_s : due_s + 3e-5) + 1.1 * span_s[n];
        is_missed[n] = free_s > due_s + 1e-3;
        n_miss += is_missed[n];
        int n_window = 0;
        for (int j = n; j >= 0 && j > n - f.of; j--)
            n_window += is_missed[j];
        n_violation += n_window > f.misses;
    }
    wrsim_rtcheck_case at = {.factor = 1.1, .lateness_s = 3e-5};
    assert_int_equal(wr_forecast_run(&f, no_late, 0.0, &at), WRSIM_OK);
    assert_int_equal(at.n_miss, n_miss);
    assert_int_equal(at.n_violation, n_violation);
    assert_true(n_miss > 50 && n_violation > 0);
}

/* Five misses in a hundred are allowed. A delay of 8 ms makes eight wake-ups in a row late and violates this limit. Eight wake-ups that are
 * late by 0.8 ms each and far apart do not. In both cases eight of a thousand wake-ups are late. */
TEST(late_ones_come_together)
{
    enum { N_TRACE = 1000, N_LATE = 8 };
    static int64_t together_ns[N_TRACE], apart_ns[N_TRACE];
    for (int i = 0; i < N_LATE; i++) {
        together_ns[500 + i] = (N_LATE - i) * 1000000;
        apart_ns[i * N_TRACE / N_LATE] = 800000;
    }
    wr_forecast f = equal_steps(0.3e-3);
    f.misses = 5;
    f.of = 100;
    wrsim_rtcheck_case at[WRSIM_RTCHECK_CASES];
    wrsim_status verdict;
    wr_forecast_late late = {.usual_s = 1e-5, .trace_ns = together_ns, .n_trace = N_TRACE};
    assert_int_equal(wr_forecast_judge(&f, 0.3, late, at, &verdict), WRSIM_OK);
    assert_int_equal(verdict, WRSIM_UNDECIDED);
    /* After a lateness of 8 ms, steps of 0.3 ms miss until the run has caught up: 8 + 0.3 n > n up to n = 11. The 2000 steps use the trace
     * twice. */
    assert_int_equal(at[WRSIM_RTCHECK_MEASURED].n_miss, 2 * 11);
    assert_int_equal(at[WRSIM_RTCHECK_QUICK].n_miss, 0);
    late.trace_ns = apart_ns;
    assert_int_equal(wr_forecast_judge(&f, 0.3, late, at, &verdict), WRSIM_OK);
    assert_int_equal(verdict, WRSIM_OK);
    assert_int_equal(at[WRSIM_RTCHECK_MEASURED].n_miss, 2 * N_LATE);
}

TEST(lateness)
{
    wr_histogram h;
    wr_histogram_init(&h);
    for (int i = 0; i < 1000; i++)
        wr_histogram_add(&h, i < 450 ? 10000 : 2000000);
    assert_close(wr_forecast_usual_s(&h, 0, 1), 2e-3, 0.04, 0);
    assert_close(wr_forecast_usual_s(&h, 5, 100), 2e-3, 0.04, 0);
    assert_close(wr_forecast_usual_s(&h, 20, 100), 1e-5, 0.04, 0);
}
