/* Signals of result files as recordings: exact to rounding from waves, with an interpolation error from points. */
#include "record_test.h"

#include <math.h>

#include "runtime/record/results_waves.h"

/* Returns a signal of a recording at t, the left limit at jumps. */
static double read_at(const wr_results_waves *w, int j, double t_s)
{
    int i = 0;
    while (i + 2 < w->n_node && w->t_s[i + 1] < t_s)
        i++;
    const double h = w->t_s[i + 1] - w->t_s[i], r = h > 0.0 ? (t_s - w->t_s[i]) / h : 1.0;
    const size_t n = (size_t)w->n_signal, a = (size_t)i * n + (size_t)j, b = a + n;
    return w->value[a] + r * r * (3.0 - 2.0 * r) * (w->value[b] - w->value[a]) +
           h * r * (1.0 - r) * ((1.0 - r) * w->slope[a] - r * w->slope[b]);
}

static wr_results_waves *load(const char *file, int n, const char *const *name)
{
    wrsim_error err = {0};
    wr_results_waves *const w = wr_results_waves_load(file, n, name, &err);
    if (!w)
        fail_msg("%s", err.text);
    assert_int_equal(w->n_signal, n);
    for (int i = 1; i < w->n_node; i++)
        assert_true(w->t_s[i] >= w->t_s[i - 1]);
    return w;
}

static void refuse(const char *file, const char *name, wrsim_status status, const char *words)
{
    wrsim_error err = {0};
    assert_null(wr_results_waves_load(file, 1, &name, &err));
    assert_int_equal(err.status, status);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

/* ---- points ---- */

static double level(double t) { return sin(7.0 * t); }

/* Writes rows of the signals s.y and z.y = 2 t at n + 1 points up to t = 1. has_event: s.y jumps by 5 at 0.43. */
static void write_points(const char *file, int n, int has_event)
{
    FILE *const out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out,
            "# wrsim 0\n# signal s.y [1] \n# signal z.y [1] \ntime [s],kind,s.y [1],z.y [1]\n");
    for (int i = 0, is_past = !has_event; i <= n; i++) {
        const double t = (double)i / n;
        if (!is_past && t >= 0.43) {
            fprintf(out, "0.43,l,%.17g,\n0.43,r,%.17g,\n", level(0.43), level(0.43) + 5.0);
            is_past = 1;
        }
        fprintf(out, "%.17g,c,%.17g,%.17g\n", t, level(t) + (has_event && is_past ? 5.0 : 0.0),
                2.0 * t);
    }
    fclose(out);
}

static double worst_between(const wr_results_waves *w, double jump_s)
{
    double worst = 0.0;
    for (int i = 1; i < 2000; i++) {
        const double t = i / 2000.0;
        worst = fmax(worst, fabs(read_at(w, 0, t) - level(t) - (t > jump_s ? 5.0 : 0.0)));
    }
    return worst;
}

TEST(points)
{
    static const char *const names[] = {"s.y", "z.y"};
    for (int has_event = 0; has_event < 2; has_event++) {
        double before = 0.0;
        for (int n = 25; n <= 100; n *= 2) {
            write_points("points.csv", n, has_event);
            AUTO(wr_results_waves_destroy) wr_results_waves *w = load("points.csv", 2, names);
            const double jump_s = has_event ? 0.43 : 2.0, range = has_event ? 6.0 : 2.0;
            const double worst = worst_between(w, jump_s) / range;
            assert_int_equal(w->n_point_signal, 2);
            /* The order is 4, or 5 with slopes at the ends; the estimate is close to the error. */
            if (before > 0.0)
                assert_between(before / worst, 10.0, 40.0);
            assert_between(w->error[0] / worst, 0.3, 3.0);
            assert_true(w->error[1] < 1e-12);
            assert_close(read_at(w, 1, 0.777), 2.0 * 0.777, 1e-12, 0.0);
            before = worst;
        }
    }
}

/* A corner between points enters the error estimate. */
TEST(corner_in_points)
{
    static const char *const name = "s.y";
    FILE *const out = fopen("corner.csv", "w");
    fprintf(out, "# wrsim 0\n# signal s.y [1] \ntime [s],kind,s.y [1]\n");
    for (int i = 0; i <= 40; i++)
        fprintf(out, "%.17g,c,%.17g\n", i / 40.0, fabs(i / 40.0 - 0.41));
    fclose(out);
    AUTO(wr_results_waves_destroy) wr_results_waves *w = load("corner.csv", 1, &name);
    double worst = 0.0;
    for (int i = 0; i < 1000; i++)
        worst = fmax(worst, fabs(read_at(w, 0, i / 1000.0) - fabs(i / 1000.0 - 0.41)));
    assert_between(w->error[0] / (worst / 0.59), 0.2, 5.0);
}

TEST(refused)
{
    write_points("points.csv", 10, 0);
    refuse("points.csv", "s.x", WRSIM_E_CONFIG, "'s.x'");
    refuse("points.csv", "s.yy", WRSIM_E_CONFIG, "but has 's.y'");
    refuse("nowhere.csv", "s.y", WRSIM_E_IO, "nowhere.csv");
    const char few[] = "time [s],s.y [1]\n0,1\n";
    write_text("few.csv", few, sizeof few - 1);
    refuse("few.csv", "s.y", WRSIM_E_CONFIG, "fewer than two points");
    const char nan[] = "time [s],s.y [1]\n0,1\n1,\n2,3\n";
    write_text("nan.csv", nan, sizeof nan - 1);
    refuse("nan.csv", "s.y", WRSIM_E_CONFIG, "not finite");
    const char two[] = "time [s],s.y [1]\n0,1\n2,5\n";
    write_text("two.csv", two, sizeof two - 1);
    static const char *const name = "s.y";
    AUTO(wr_results_waves_destroy) wr_results_waves *w = load("two.csv", 1, &name);
    assert_true(isnan(w->error[0]));
    assert_close(read_at(w, 0, 0.5), 2.0, 1e-15, 0.0);
}

/* ---- waves ---- */

/* Writes two waves with different nodes: a.u is t^3 and jumps by 1 at 0.5; a.v is 1 + t; b.w is t^2 - t. Rows have a.u and c.x. */
static void write_waves(const char *file, double start_s)
{
    static const wr_channel rows[] = {{"a.u", "", ""}, {"c.x", "", ""}};
    static const wr_channel a[] = {
        {"a.u", "", ""}, {"a.v", "", ""}, {"der(a.u)", "", ""}, {"der(a.v)", "", ""}};
    static const wr_channel b[] = {{"b.w", "", ""}, {"der(b.w)", "", ""}};
    static const wr_stream_info stream[] = {{"a", 2, rows}},
                                waves[] = {{"a", 4, a}, {"none", 0, NULL}, {"b", 2, b}};
    const wr_recorder_options options = {.file = file,
                                         .version = "0",
                                         .decimation = 4,
                                         .start_s = start_s,
                                         .n_stream = 1,
                                         .stream = stream,
                                         .n_wave = 3,
                                         .wave = waves,
                                         .cap_node = 16};
    wr_diag diag = {0};
    AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    for (int i = 0; i <= 8; i++) {
        const double t = 0.125 * i, jump = t > 0.5 ? 1.0 : 0.0;
        const double row[2] = {t * t * t + jump, 3.0 * t};
        const double node[4] = {t * t * t + jump, 1.0 + t, 3.0 * t * t, 1.0};
        assert_int_equal(wr_recorder_push(recorder, 0, 0, t, row), WRSIM_OK);
        assert_int_equal(wr_recorder_push(recorder, 1, WR_RECORD_NODE, t, node), WRSIM_OK);
        if (i != 4)
            continue;
        const double right[4] = {t * t * t + 1.0, 1.0 + t, 3.0 * t * t, 1.0};
        assert_int_equal(wr_recorder_push(recorder, 1, WR_RECORD_NODE, t, right), WRSIM_OK);
    }
    for (int i = 0; i <= 5; i++) {
        const double t = 0.2 * i, node[2] = {t * t - t, 2.0 * t - 1.0};
        assert_int_equal(wr_recorder_push(recorder, 3, WR_RECORD_NODE, t, node), WRSIM_OK);
    }
    wr_recorder_stats stats;
    assert_int_equal(wr_recorder_finish(recorder, &stats, NULL), WRSIM_OK);
    assert_int_equal(stats.n_event_row, 0);
}

static void check_waves(const wr_results_waves *w, double from_s)
{
    for (int i = 0; i <= 500; i++) {
        const double t = from_s + (1.0 - from_s) * i / 500.0;
        assert_close(read_at(w, 0, t), t * t - t, 1e-13, 1e-13);
        assert_close(read_at(w, 1, t), t * t * t + (t > 0.5 ? 1.0 : 0.0), 1e-13, 1e-13);
    }
}

TEST(waves)
{
    if (!has_hdf5())
        skip();
    static const char *const both[] = {"b.w", "a.u"}, *const one[] = {"a.v"};
    write_waves("waves.h5", -1e300);
    AUTO(wr_results_waves_destroy) wr_results_waves *w = load("waves.h5", 2, both);
    assert_int_equal(w->n_node, 10 + 4); /* nodes of a, and nodes of b at other times */
    assert_int_equal(w->n_point_signal, 0);
    assert_close(w->error[0] + w->error[1], 0.0, 0.0, 0.0);
    check_waves(w, 0.0);
    wr_results_waves_destroy(&w);
    w = load("waves.h5", 1, one);
    assert_int_equal(w->n_node, 10);
    wr_results_waves_destroy(&w);
    /* A recording from 0.3 on includes the node before. */
    write_waves("late.h5", 0.3);
    w = load("late.h5", 2, both);
    assert_true(w->t_s[0] <= 0.3);
    check_waves(w, 0.3);
}

/* Signals without waves come from points. */
TEST(waves_and_points)
{
    if (!has_hdf5())
        skip();
    static const char *const names[] = {"a.u", "c.x"};
    write_waves("waves.h5", -1e300);
    wr_results_waves *w = load("waves.h5", 2, names);
    assert_int_equal(w->n_point_signal, 1);
    assert_close(w->error[0], 0.0, 0.0, 0.0);
    for (int i = 0; i <= 100; i++)
        assert_close(read_at(w, 1, i / 100.0), 3.0 * i / 100.0, 1e-13, 1e-13);
    wr_results_waves_destroy(&w);
    refuse("waves.h5", "b.u", WRSIM_E_CONFIG, "'b.u'");
}

TEST_FOLDER
