/* History and phase: recording, finding the last repetition, and prediction. */
#include "arena_test.h"
#include "wr_test.h"

#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"

/* Computes a signal of period 1 s with two harmonics and a jump at every whole number. */
static void periodic(double t, int is_right, double *y, double *s)
{
    const double w = 2.0 * M_PI, r = t - floor(t);
    const double up = r > 0.0 || is_right ? r : 1.0; /* saw tooth: 0..1 over a period */
    *y = sin(w * t) + 0.3 * cos(5.0 * w * t) + up;
    *s = w * cos(w * t) - 1.5 * w * sin(5.0 * w * t) + 1.0;
}

/* Returns a window [t0, t0 + h] of n steps, with a jump node at each whole number inside. */
static wr_wave *window(double t0, double h, int n)
{
    wr_wave *const wave = wr_wave_place(arena, 1, n + 3);
    double y, s;
    for (int i = 0; i <= n; i++) {
        const double t = t0 + h * i / n;
        const double whole = floor(t + 0.5);
        const int is_jump = fabs(t - whole) < 1e-9 && i > 0 && i < n && whole > 0.5;
        periodic(is_jump ? whole : t, i == 0, &y, &s);
        wr_wave_append(wave, t, &y, &s);
        if (is_jump) {
            periodic(whole, 1, &y, &s);
            wr_wave_append(wave, t, &y, &s);
        }
    }
    return wave;
}

TEST(ring)
{
    wr_history *const h = wr_history_place(arena, 1, 64);
    assert_false(wr_history_has(h, 0.0));
    for (int i = 0; i < 40; i++) {
        wr_history_append(h, window(0.1 * i, 0.1, 4));
        assert_false(wr_history_has(h, 0.1 * i + 0.05)); /* before show() */
        wr_history_show(h);
    }
    assert_true(h->n_written > 2 * 64); /* the ring buffer has wrapped */
    assert_true(wr_history_has(h, 3.95));
    assert_false(wr_history_has(h, 4.0)); /* the history ends at 4 */
    assert_false(wr_history_has(h, 1.0)); /* overwritten, or overwritten next */
    for (double t = 3.4; t < 3.9; t += 0.01) {
        double y, s, expected_y, expected_s;
        const int64_t node = wr_history_find(h, -1, t);
        assert_true(wr_history_time(h, node) <= t && t < wr_history_time(h, node + 1));
        for (int64_t from = h->n_written - 96; from < h->n_written;
             from++) /* overwritten nodes, too */
            assert_int_equal(wr_history_find(h, from, t), node);
        const wr_piece piece = wr_history_piece(h, node);
        wr_piece_values(&piece, t, 1, &y);
        wr_piece_slopes(&piece, t, 1, &s);
        periodic(t, 1, &expected_y, &expected_s);
        assert_close(y, expected_y, 0.0, 1e-2); /* 40 steps per period, fifth harmonic */
        assert_close(s, expected_s, 0.0, 1.0);
    }
}

/* The phase of a shaft that turns once a second and accelerates is t + t^2 / 20. */
TEST(phase_is_found_again)
{
    wr_phase *const phase = wr_phase_place(arena, 1.0, 0);
    double t = 0.0, back, rate;
    int64_t place = 0;
    for (int i = 0; i < 4000; i++, t = 0.001 * i) {
        const wr_phase_point now = {t, t + t * t / 20.0, 1.0 + t / 10.0};
        if (now.phase > 1.0) {
            assert_int_equal(wr_phase_back(phase, now, 1.0, &place, &back, &rate), 1);
            const double expected = -10.0 + sqrt(100.0 + 20.0 * (now.phase - 1.0));
            assert_close(back, expected, 0.0, 1e-9);
            assert_close(rate, now.rate / (1.0 + expected / 10.0), 1e-7, 0.0);
        } else {
            assert_int_equal(wr_phase_back(phase, now, 1.0, &place, &back, &rate), 0);
        }
        wr_phase_append(phase, now);
    }
    /* A shaft that turns back has no history. */
    wr_phase_append(phase, (wr_phase_point){t, 0.0, -1.0});
    assert_int_equal(
        wr_phase_back(phase, (wr_phase_point){t, 0.1, 1.0}, 0.05, &place, &back, &rate), 0);
    /* A place found before is only a hint: new points overwrite the ring buffer. */
    int64_t rare = place;
    for (int i = 1; i < 4000; i++) {
        const wr_phase_point now = {t + 0.001 * i, 0.001 * i, 1.0};
        wr_phase_append(phase, now);
        int64_t nowhere = -1;
        double expected, expected_rate;
        const int is_known = wr_phase_back(phase, now, 0.5, &nowhere, &expected, &expected_rate);
        assert_int_equal(is_known, i > 500);
        int64_t *const hint = i % 1500 == 0 ? &rare : &place;
        assert_int_equal(wr_phase_back(phase, now, 0.5, hint, &back, &rate), is_known);
        assert_true(!is_known || (back == expected && rate == expected_rate));
    }
}

/* Returns the largest error of the prediction over the next window. */
static double error_of(const wr_wave *next, double t0, double h)
{
    double worst = 0.0;
    for (int i = 1; i <= 20; i++) {
        const double t = t0 + h * i / 20;
        double y, s;
        wr_cursor cursor = wr_cursor_start();
        periodic(t, 1, &y, &s);
        if (fabs(t - floor(t + 0.5)) > 1e-9)
            worst = fmax(worst, fabs(wr_wave_eval(next, &cursor, t, 0) - y));
    }
    return worst;
}

/* Returns the worst error of the predictions in the second half of five periods, with windows of 0.08 s. */
static double worst_prediction(int has_history, int is_sibling, double drift)
{
    const double h = 0.08, weight = 1e-6;
    const int n = 5 * 25 / 2;
    wr_predict *const p = wr_predict_place(arena, 1, WR_PREDICT_SOURCES, -1);
    wr_history *const own = wr_history_place(arena, 1, 1024);
    wr_wave *const next = wr_wave_place(arena, 1, WR_PREDICT_NODES);
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        wr_wave *const wave = window(h * i, h, 16);
        for (int k = 0; k < wave->n_node; k++)
            wave->value[k] += drift * wave->t_s[k];
        const double end = h * (i + 1);
        wr_predict_past past = {.period_s = 1.0};
        if (has_history)
            past.source[is_sibling] = (wr_predict_source){own, end - 1.0, 1.0};
        assert_int_equal(wr_predict_offer(p, wave, &weight, &past, 2.0 * h, next), 0);
        wr_wave_check(next);
        wr_predict_accept(p);
        wr_history_append(own, wave);
        wr_history_show(own);
        for (int k = 0; k < next->n_node; k++)
            next->value[k] -= drift * next->t_s[k];
        if (i > n / 2)
            worst = fmax(worst, error_of(next, end, h));
    }
    if (has_history)
        assert_true(wr_predict_choice(p, 0) >= WR_PREDICT_DEGREES);
    return worst;
}

TEST(prediction_from_history)
{
    const double polynomial = worst_prediction(0, 0, 0.0);
    assert_true(polynomial > 0.1);
    /* Only the cubic pieces between nodes have errors, equal in every period. */
    assert_true(worst_prediction(1, 0, 0.0) < 1e-3);
    assert_true(worst_prediction(1, 1, 0.0) < 1e-3);
    /* The prediction corrects drift between periods at the window's start. */
    assert_true(worst_prediction(1, 0, 0.01) < 2e-3);
}
