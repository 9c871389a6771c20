#include "arena_test.h"
#include "wr_test.h"

#include "runtime/relax/predict.h"

typedef void (*signal_fn)(double t, double *y, double *s);

static void cubic(double t, double *y, double *s)
{
    *y = 1 + t * (2 + t * (-3 + t * 0.5));
    *s = 2 + t * (-6 + t * 1.5);
}

static void noisy(double t, double *y,
                  double *s) /* slopes are noise: a constant prediction is best */
{
    *y = 1.0 + 1e-3 * sin(1e4 * t);
    *s = 10.0 * cos(1e4 * t);
}

static wr_wave *window(signal_fn f, double t0, double h)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 6);
    for (int i = 0; i <= 5; i++) {
        double y, s;
        f(t0 + h * i / 5, &y, &s);
        wr_wave_append(wave, t0 + h * i / 5, &y, &s);
    }
    return wave;
}

/* Runs n windows and returns the error of the last prediction over its window. */
static double predict(signal_fn f, int fixed_degree, int n, wr_predict **ret_predict)
{
    const double h = 0.1, weight = 1e-6;
    wr_predict *const p = wr_predict_place(arena, 1, 0, fixed_degree);
    wr_wave *const next = wr_wave_place(arena, 1, 2);
    for (int i = 0; i < n; i++) {
        wr_predict_offer(p, window(f, h * i, h), &weight, NULL, 0.1, next);
        wr_predict_accept(p);
    }
    double error = 0.0;
    wr_cursor cursor = wr_cursor_start();
    for (int i = 0; i <= 10; i++) {
        const double t = h * n + h * i / 10;
        double y, s;
        f(t, &y, &s);
        error = fmax(error, fabs(wr_wave_eval(next, &cursor, t, 0) - y));
    }
    if (ret_predict)
        *ret_predict = p;
    return error;
}

TEST(each_degree)
{
    const double error[4] = {predict(cubic, 0, 4, NULL), predict(cubic, 1, 4, NULL),
                             predict(cubic, 2, 4, NULL), predict(cubic, 3, 4, NULL)};
    assert_true(error[3] < 1e-12);
    assert_true(error[2] < error[1] && error[1] < error[0]);
    assert_true(error[2] > 1e-6);
}

TEST(degree_is_chosen_by_the_past)
{
    wr_predict *p;
    assert_true(predict(cubic, -1, 4, &p) < 1e-12);
    assert_int_equal(wr_predict_choice(p, 0), 3);
    assert_true(predict(noisy, -1, 6, &p) < 2.1e-3);
    assert_int_equal(wr_predict_choice(p, 0), 0);
}

/* After a jump the prediction is constant, although a cubic fits the windows before. */
TEST(jump_falls_back_to_hold)
{
    wr_predict *const p = wr_predict_place(arena, 1, 0, -1);
    wr_wave *const next = wr_wave_place(arena, 1, 2);
    const double weight = 1e-6;
    for (int i = 0; i < 3; i++) {
        wr_predict_offer(p, window(cubic, 0.1 * i, 0.1), &weight, NULL, 0.1, next);
        wr_predict_accept(p);
    }
    wr_wave *const wave = wr_wave_place(arena, 1, 4);
    const double one = 1.0, five = 5.0, slope = 3.0;
    wr_wave_append(wave, 0.3, &one, &slope);
    wr_wave_append(wave, 0.35, &one, &slope);
    wr_wave_append(wave, 0.35, &five, &slope);
    wr_wave_append(wave, 0.4, &five, &slope);
    wr_predict_offer(p, wave, &weight, NULL, 0.1, next);
    wr_cursor cursor = wr_cursor_start();
    assert_close(wr_wave_eval(next, &cursor, 0.45, 0), 5.0, 0, 0);
    assert_close(wr_wave_eval(next, &cursor, 0.5, 0), 5.0, 0, 0);
}

/* An offered window that is not accepted changes no state. */
TEST(rejected_offers_leave_no_trace)
{
    const double weight = 1e-6;
    wr_wave *const a = wr_wave_place(arena, 1, 2), *const b = wr_wave_place(arena, 1, 2);
    wr_predict *const p = wr_predict_place(arena, 1, 0, -1), *const q =
                                                                 wr_predict_place(arena, 1, 0, -1);
    for (int i = 0; i < 4; i++) {
        wr_predict_offer(p, window(noisy, 0.1 * i, 0.1), &weight, NULL, 0.1, a);
        wr_predict_offer(p, window(cubic, 0.1 * i, 0.1), &weight, NULL, 0.1, a);
        wr_predict_accept(p);
        wr_predict_offer(q, window(cubic, 0.1 * i, 0.1), &weight, NULL, 0.1, b);
        wr_predict_accept(q);
    }
    assert_memory_equal(a->value, b->value, 2 * sizeof *a->value);
    assert_memory_equal(a->slope, b->slope, 2 * sizeof *a->slope);
}

/* Returns a wave with sin 2 pi t in the first signal and a large number in the second. */
static wr_wave *sine_window(int n_signal, double t0, double h)
{
    const double turn = 6.283185307179586;
    wr_wave *const wave = wr_wave_place(arena, n_signal, 6);
    for (int i = 0; i <= 5; i++) {
        const double t = t0 + h * i / 5;
        const double y[2] = {sin(turn * t), 1e3}, slope[2] = {turn * cos(turn * t), 0.0};
        wr_wave_append(wave, t, y, slope);
    }
    return wave;
}

/* Either this subsystem or the followed subsystem publishes a further signal, the phase. The prediction must follow only the common
 * signal. */
TEST(followed_with_other_signals)
{
    for (int n = 1; n <= 2; n++) {
        const double h = 0.1, weight[2] = {1e-6, 1e-6};
        wr_history *const history = wr_history_place(arena, 3 - n, 1024);
        for (int i = 0; i < 12; i++)
            wr_history_append(history, sine_window(3 - n, h * i, h));
        wr_history_show(history);
        wr_predict *const p = wr_predict_place(arena, n, 2, -1);
        wr_wave *const next = wr_wave_place(arena, n, WR_PREDICT_NODES);
        double end = 1.0;
        for (int i = 0; i < 4; i++) {
            const wr_wave *const now = sine_window(n, end, h);
            end = wr_wave_end(now);
            const wr_predict_past past = {.source = {{0}, {history, end - 1.0, 1.0}},
                                          .period_s = 1.0};
            wr_predict_offer(p, now, weight, &past, h, next);
            wr_predict_accept(p);
        }
        assert_true(wr_predict_choice(p, 0) >= WR_PREDICT_DEGREES);
        wr_cursor cursor = wr_cursor_start();
        for (int i = 0; i <= 10; i++) {
            const double t = end + h * i / 10;
            assert_close(wr_wave_eval(next, &cursor, t, 0), sin(6.283185307179586 * t), 0.0, 1e-5);
            if (n == 2)
                assert_close(wr_wave_eval(next, &cursor, t, 1), 1e3, 1e-12, 0.0);
        }
    }
}
