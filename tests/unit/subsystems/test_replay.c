/* Played signals equal the recording, in windows of any length. */
#include "fixture.h"
#include "wr_test.h"

#include "subsystems/playback/replay.h"

/* y0 = t^3 until 1.0, then 5 + t^2; y1 = 2 t throughout. Nodes every 0.25 s, two at 1.0. The two nodes at 1.5, as at a window's end of the
 * recorded run, differ in y0 by far less than the tolerance. */
enum { N_NODE = 11, N_SIGNAL = 2 };
static const double TIME_S[N_NODE] = {0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.25, 1.5, 1.5, 1.75, 2.0};
static const double MOVE = 1e-13;

static double time_of(const void *context, int i)
{
    assert_in_range(i, 0, N_NODE - 1);
    return TIME_S[i];
}

static double level_at(double t, int is_right) { return is_right ? 5.0 + t * t : t * t * t; }
static double slope_at(double t, int is_right) { return is_right ? 2.0 * t : 3.0 * t * t; }

static void node_of(const void *context, int i, double *ret_value, double *ret_slope)
{
    const double t = time_of(context, i);
    ret_value[0] = level_at(t, i > 4) + (i == 8 ? MOVE : 0.0);
    ret_slope[0] = slope_at(t, i > 4);
    ret_value[1] = 2.0 * t;
    ret_slope[1] = 2.0;
}

static wr_subsystem *build(wr_arena *arena, int cap_node, double start_s)
{
    static const double nominal[N_SIGNAL] = {1.0, 10.0};
    static const int recorded[1] = {0};
    wr_diag diag = {0};
    const wr_replay_config config = {.played = {.name = "tape",
                                                .arena = arena,
                                                .n_published = N_SIGNAL,
                                                .nominal = nominal,
                                                .rtol = 1e-6,
                                                .atol_factor = 0.01,
                                                .n_recorded = 1,
                                                .recorded = recorded,
                                                .start_s = start_s,
                                                .communication_step_s = 0.1,
                                                .cap_node = cap_node,
                                                .cap_row = 64,
                                                .record_events = 1},
                                     .recording = {NULL, N_NODE, time_of, node_of}};
    wr_subsystem *const s = wr_replay_create(&config, &diag);
    assert_non_null(s);
    assert_int_equal(diag.n_items, 0);
    assert_int_equal(wr_subsystem_begin(s), WRSIM_OK);
    return s;
}

static void check_wave(const wr_wave *wave, double from_s, double to_s, int is_right_at_start)
{
    wr_wave_check(wave);
    assert_close(wr_wave_start(wave), from_s, 0.0, 0.0);
    assert_close(wr_wave_end(wave), to_s, 0.0, 0.0);
    wr_cursor cursor = wr_cursor_start();
    const int both[2] = {0, 1};
    for (int k = 0; k <= 40; k++) {
        const double t = from_s + (to_s - from_s) * k / 40.0;
        double value[2], slope[2];
        wr_wave_eval_many(wave, &cursor, t, 2, both, value, slope);
        const int is_right = t > 1.0 + 1e-12 || (is_right_at_start && k == 0);
        if (fabs(t - 1.0) > 1e-12 || is_right)
            assert_close(value[0], level_at(t, is_right), 1e-12, 1e-14);
        assert_close(value[1], 2.0 * t, 1e-12, 1e-14);
        assert_close(slope[1], 2.0, 1e-12, 0.0);
    }
}

TEST(windows_of_any_length)
{
    const double lengths[] = {0.07, 0.1, 0.25, 0.3, 0.5, 1.0, 2.0};
    for (size_t i = 0; i < WR_COUNT_OF(lengths); i++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
        AUTO(wr_subsystem_destroy) wr_subsystem *s = build(arena, 64, 0.0);
        int n_row = 0, n_jump = 0, n_event = 0;
        double last_s = -1.0;
        while (s->t_s < 2.0 - 1e-9) {
            const double from_s = s->t_s, to_s = fmin(2.0, from_s + lengths[i]);
            wr_subsystem_save(s);
            assert_int_equal(wr_subsystem_advance(s, to_s, 1.0), WRSIM_OK);
            const int n_first = s->n_row;
            wr_subsystem_restore(s); /* again with equal results */
            assert_close(s->t_s, from_s, 0.0, 0.0);
            assert_int_equal(wr_subsystem_advance(s, to_s, 1.0), WRSIM_OK);
            assert_int_equal(s->n_row, n_first);
            check_wave(s->wave, from_s, to_s, from_s > 1.0 - 1e-12);
            n_jump += s->wave->n_jump;
            for (int k = 0; k < s->n_row; k++) {
                assert_true(s->row_time_s[k] >= last_s);
                last_s = s->row_time_s[k];
                if (s->row_kind[k] == WR_ROW_COMMUNICATION) {
                    const double t = 0.1 * n_row++;
                    assert_close(s->row_time_s[k], t, 1e-12, 1e-12);
                    /* At the jump the row has the right limit and follows the event rows, as in an integrated subsystem. */
                    assert_close(s->row_value[k], level_at(t, t > 1.0 - 1e-9), 1e-9, 1e-12);
                    assert_true(t < 1.0 - 1e-9 || n_event == 2);
                } else {
                    n_event++;
                    assert_close(s->row_time_s[k], 1.0, 1e-12, 0.0);
                    assert_close(s->row_value[k], s->row_kind[k] == WR_ROW_EVENT_LEFT ? 1.0 : 6.0,
                                 1e-12, 0.0);
                }
            }
        }
        assert_int_equal(n_row, 21);
        assert_int_equal(n_jump, 2);
        assert_int_equal(n_event, 2);
    }
}

/* Starts in the middle of the recording, and right of a jump. */
TEST(starts_anywhere)
{
    const double starts[] = {0.3, 0.75, 1.0, 1.6};
    for (size_t i = 0; i < WR_COUNT_OF(starts); i++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
        wr_subsystem *s = build(arena, 64, starts[i]);
        double value[2], slope[2];
        const int is_jump = fabs(starts[i] - 1.0) < 1e-12;
        int n_due;
        /* Values before the initial events, and after that round of events. */
        assert_int_equal(wr_subsystem_published(s, value, slope), WRSIM_OK);
        assert_close(value[0], level_at(starts[i], starts[i] > 1.0), 1e-12, 0.0);
        assert_int_equal(wr_subsystem_fire_initial(s, NULL, &n_due), WRSIM_OK);
        assert_int_equal(n_due, 0);
        assert_int_equal(wr_subsystem_published(s, value, slope), WRSIM_OK);
        const int is_right = starts[i] > 1.0 || is_jump;
        assert_close(value[0], level_at(starts[i], is_right), 1e-12, 0.0);
        assert_int_equal(wr_subsystem_start(s), WRSIM_OK);
        assert_int_equal(wr_subsystem_published(s, value, slope), WRSIM_OK);
        assert_close(value[0], level_at(starts[i], is_right), 1e-12, 0.0);
        assert_close(slope[0], slope_at(starts[i], is_right), 1e-10, 0.0);
        assert_int_equal(wr_subsystem_advance(s, 2.0, 1.0), WRSIM_OK);
        check_wave(s->wave, starts[i], 2.0, is_right);
    }
}

TEST(a_full_wave_is_a_fault)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 4, 0.0);
    wr_subsystem_save(s);
    assert_int_equal(wr_subsystem_advance(s, 2.0, 1.0), WRSIM_E_LIMIT);
    wrsim_error err = {0};
    wr_subsystem_fault_text(s, &err);
    assert_non_null(strstr(err.text, "nodes"));
    assert_string_equal(err.subsystem, "tape");
    wr_subsystem_restore(s);
    assert_int_equal(wr_subsystem_advance(s, 0.3, 1.0), WRSIM_OK);
    check_wave(s->wave, 0.0, 0.3, 0);
}

/* The subsystem returns the time of its next jump, and a window may end at the jump. */
TEST(the_next_jump_is_known)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 64, 0.0);
    double gap_s;
    assert_close(wr_subsystem_next_event(s, &gap_s), 1.0, 0.0, 0.0);
    assert_close(gap_s, 1.0, 0.0, 0.0);
    wr_subsystem_save(s);
    assert_int_equal(wr_subsystem_advance(s, 1.0, 1.0), WRSIM_OK);
    assert_int_equal(wr_wave_rounds_at_end(s->wave), 1);
    assert_true(wr_subsystem_next_event(s, &gap_s) > 1e300);
    wr_subsystem_restore(s);
    assert_close(wr_subsystem_next_event(s, &gap_s), 1.0, 0.0, 0.0);
    /* only rounding places a node between the jump's time and the window's end */
    assert_int_equal(wr_subsystem_advance(s, 1.0 + 2e-16, 1.0), WRSIM_OK);
    assert_int_equal(s->wave->n_node, 6);
    wr_wave_check(s->wave);
}

TEST(nothing_is_played_after_the_end)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    wr_subsystem *s = build(arena, 64, 1.0);
    wr_subsystem_save(s);
    assert_int_equal(wr_subsystem_advance(s, 2.1, 1.0), WRSIM_E_ARG);
    assert_close(s->fault.t_s, 2.0, 0.0, 0.0);
    wr_subsystem_restore(s);
    assert_int_equal(wr_subsystem_advance(s, 2.0, 1.0), WRSIM_OK);
}
