/* Values set by a host, as waves: in windows of any length signals reach their targets, also after a restore. */
#include "wr_test.h"

#include "subsystems/playback/port_player.h"

enum { HOLD, RAMP, N_SIGNAL };
static const double P = 0.1; /* communication step, s */

static wr_subsystem *build(wr_arena *arena, int cap_row)
{
    static const double nominal[N_SIGNAL] = {1.0, 1.0}, start[N_SIGNAL] = {1.0, -1.0};
    static const unsigned char is_ramp[N_SIGNAL] = {[RAMP] = 1};
    static const int recorded[1] = {HOLD};
    wr_diag diag = {0};
    const wr_port_player_config config = {.played = {.name = "port",
                                                     .arena = arena,
                                                     .n_published = N_SIGNAL,
                                                     .nominal = nominal,
                                                     .rtol = 1e-6,
                                                     .atol_factor = 0.01,
                                                     .n_recorded = 1,
                                                     .recorded = recorded,
                                                     .communication_step_s = P,
                                                     .cap_node = 32,
                                                     .cap_row = cap_row,
                                                     .record_events = 1},
                                          .start = start,
                                          .is_ramp = is_ramp};
    wr_subsystem *const s = wr_port_player_create(&config, &diag);
    assert_non_null(s);
    assert_true(s->flags & WR_SUBSYSTEM_IS_PLAYED);
    assert_int_equal(wr_subsystem_begin(s), WRSIM_OK);
    return s;
}

/* Advances twice from one state and expects equal waves and rows. */
static void advance(wr_subsystem *s, double t_end_s)
{
    double value[64], row[64];
    wr_subsystem_save(s);
    const double from_s = s->t_s;
    assert_int_equal(wr_subsystem_advance(s, t_end_s, 1.0), WRSIM_OK);
    const int n_node = s->wave->n_node, n_row = s->n_row;
    const size_t wave_bytes = (size_t)n_node * N_SIGNAL * sizeof *value;
    const size_t row_bytes = (size_t)n_row * sizeof *row;
    assert_true(wave_bytes <= sizeof value && row_bytes <= sizeof row);
    memcpy(value, s->wave->value, wave_bytes);
    memcpy(row, s->row_value, row_bytes);
    wr_subsystem_restore(s);
    assert_close(s->t_s, from_s, 0.0, 0.0);
    assert_int_equal(wr_subsystem_advance(s, t_end_s, 1.0), WRSIM_OK);
    wr_wave_check(s->wave);
    assert_int_equal(s->wave->n_node, n_node);
    assert_int_equal(s->n_row, n_row);
    assert_memory_equal(s->wave->value, value, wave_bytes);
    if (n_row > 0)
        assert_memory_equal(s->row_value, row, row_bytes);
    assert_close(wr_wave_start(s->wave), from_s, 0.0, 0.0);
    assert_close(wr_wave_end(s->wave), t_end_s, 0.0, 0.0);
}

static double read_at(const wr_wave *wave, double t_s, int i_signal)
{
    wr_cursor cursor = wr_cursor_start();
    return wr_wave_eval(wave, &cursor, t_s, i_signal);
}

static void set_both(wr_subsystem *s, double hold, double ramp)
{
    wr_port_player_set(s, HOLD, hold);
    wr_port_player_set(s, RAMP, ramp);
    wr_port_player_sample(s);
}

/* Checks a jump at the beginning of one window, and a ramp over the windows of a communication step. */
static void check_course(double length_s)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 64);
    advance(s, 0.05); /* no value is set yet */
    assert_int_equal(s->wave->n_node, 2);
    assert_int_equal(s->wave->n_jump, 0);
    set_both(s, 3.0, 4.0);
    double published[N_SIGNAL];
    assert_int_equal(wr_subsystem_published(s, published, NULL), WRSIM_OK);
    assert_close(published[HOLD], 3.0, 0.0, 0.0);
    assert_close(published[RAMP], -1.0, 0.0, 0.0);
    int n_jump = 0, n_event = 0, n_bend = 0;
    for (int k = 1; s->t_s < 0.35; k++) {
        const double from_s = s->t_s;
        advance(s, 0.05 + length_s * k);
        const wr_wave *const w = s->wave;
        for (int i = 0; i + 1 < w->n_node; i++) {
            if (w->t_s[i] < w->t_s[i + 1])
                continue;
            const double jump = w->value[2 * i + 2 + HOLD] - w->value[2 * i + HOLD];
            const double bend = w->slope[2 * i + 2 + RAMP] - w->slope[2 * i + RAMP];
            n_jump += fabs(jump) > 0.0;
            if (fabs(jump) > 0.0)
                assert_close(w->t_s[i], 0.05, 0.0, 0.0);
            else {
                n_bend++;
                assert_close(w->t_s[i], 0.05 + P, 1e-14, 0.0);
                assert_close(bend, -5.0 / P, 1e-12, 0.0);
            }
        }
        for (int i = 1; i <= 20; i++) {
            const double t = from_s + (s->t_s - from_s) * i / 20.0;
            assert_close(read_at(w, t, HOLD), 3.0, 0.0, 0.0);
            assert_close(read_at(w, t, RAMP), t < 0.05 + P ? -1.0 + 5.0 * (t - 0.05) / P : 4.0,
                         1e-12, 1e-13);
        }
        for (int i = 0; i < s->n_row; i++) {
            n_event += s->row_kind[i] != WR_ROW_COMMUNICATION;
            assert_close(s->row_value[i], s->row_kind[i] == WR_ROW_EVENT_LEFT ? 1.0 : 3.0, 0.0,
                         0.0);
        }
    }
    assert_int_equal(n_jump, 1);
    assert_int_equal(n_bend, 1);
    assert_int_equal(n_event, 2);
}

TEST(courses)
{
    static const double lengths[] = {0.01, 0.05, 0.1, 0.15, 0.3};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_course(lengths[i]);
}

/* A new value in the middle of a ramp begins at the present value; a sample of one signal does not change the other. */
TEST(set_meanwhile)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 64);
    set_both(s, 1.0, 1.0);
    advance(s, 0.25 * P);
    wr_port_player_set(s, HOLD, 2.0);
    wr_port_player_sample(s);
    advance(s, 0.5 * P);
    assert_close(read_at(s->wave, 0.5 * P, RAMP), 0.0, 0.0, 1e-14);
    wr_port_player_set(s, RAMP, -2.0);
    wr_port_player_sample(s);
    wr_port_player_sample(s); /* nothing new */
    advance(s, 2.0 * P);
    assert_close(read_at(s->wave, P, RAMP), -1.0, 1e-13, 0.0);
    assert_close(read_at(s->wave, 1.5 * P, RAMP), -2.0, 1e-13, 0.0);
    assert_close(read_at(s->wave, 2.0 * P, HOLD), 2.0, 0.0, 0.0);
    /* Two values set and sampled at one instant: the left limit stays the value that consumers have read. */
    set_both(s, 9.0, -2.0);
    set_both(s, 4.0, -2.0);
    advance(s, 3.0 * P);
    assert_close(s->wave->value[HOLD], 2.0, 0.0, 0.0);
    assert_close(s->wave->value[N_SIGNAL + HOLD], 4.0, 0.0, 0.0);
}

/* A signal with a slope is a line from the sample on. A value that continues the line is no jump. */
TEST(slopes)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 64);
    assert_int_equal(wr_port_player_set_slope(s, RAMP, 1.0), -1);
    for (int k = 0; k < 5; k++) {
        const double t_s = k * P;
        wr_port_player_set(s, HOLD, 1.0 + 3.0 * t_s);
        assert_int_equal(wr_port_player_set_slope(s, HOLD, 3.0), 0);
        wr_port_player_sample(s);
        advance(s, (k + 0.5) * P);
        advance(s, (k + 1) * P);
        assert_int_equal(s->wave->n_jump, 0);
        assert_close(read_at(s->wave, (k + 0.75) * P, HOLD), 1.0 + 3.0 * (k + 0.75) * P, 1e-14,
                     0.0);
    }
    wr_port_player_set(s, HOLD, 2.0); /* jumps back, without a slope */
    wr_port_player_sample(s);
    advance(s, 6.0 * P);
    assert_close(s->wave->value[HOLD], 1.0 + 3.0 * 5 * P, 1e-14, 0.0);
    assert_close(read_at(s->wave, 5.5 * P, HOLD), 2.0, 0.0, 0.0);
    assert_int_equal(wr_port_player_set_slope(s, HOLD, -1.0), 0); /* the value stays */
    wr_port_player_sample(s);
    advance(s, 7.0 * P);
    assert_close(read_at(s->wave, 7.0 * P, HOLD), 2.0 - P, 1e-14, 0.0);
    /* The host sets the same value and slope again: the line begins again. */
    wr_port_player_set(s, HOLD, 2.0);
    assert_int_equal(wr_port_player_set_slope(s, HOLD, -1.0), 0);
    wr_port_player_sample(s);
    advance(s, 8.0 * P);
    assert_close(s->wave->value[HOLD], 2.0 - P, 1e-14, 0.0);
    assert_close(s->wave->value[N_SIGNAL + HOLD], 2.0, 0.0, 0.0);
}

TEST(too_many_rows_are_a_fault)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 3);
    wr_subsystem_save(s);
    assert_int_equal(wr_subsystem_advance(s, 1.0, 1.0), WRSIM_E_LIMIT);
    wr_subsystem_restore(s);
    advance(s, P);
}
