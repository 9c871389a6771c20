/* A ring of subsystems has the same values with any number of workers, and its memory has a limit per subsystem. Argument: the number of
 * subsystems, a multiple of five (default 2000). */
#include "prepared.h"

enum { RING_STATES = 3, RING_WINDOWS = 5 };

static int ring_size(void) { return (int)wr_test_number(1, 2000); }

/* Returns a ring of ladder sections, one per subsystem. Every fifth section starts charged, so the values repeat after five sections. */
static wrsim *ring_prepared(const char *const *overrides, int n)
{
    const int n_subsystem = ring_size();
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, "[simulation]\nstop = 0.05\ncommunication_step = 0.01\nrtol = 1e-4\n[relaxation]\n"
                 "window = { initial = 0.01, min = 1e-3, max = 0.01, control = \"fixed\" }\n");
    for (int i = 0; i < n_subsystem; i++)
        fprintf(out,
                "[[component]]\nname = \"s%d\"\nmodel = \"rc_ladder\"\nparameters = { n = %d, "
                "open_end = 0 }\nstart = { \"v[1]\" = %d }\n",
                i, RING_STATES, i % 5 == 0);
    for (int i = 0; i < n_subsystem; i++) {
        const int right = (i + 1) % n_subsystem;
        fprintf(out,
                "[[connection]]\nfrom = \"s%d.v_last\"\nto = \"s%d.u\"\n"
                "[[connection]]\nfrom = \"s%d.v_first\"\nto = \"s%d.v_right\"\n",
                i, right, right, i);
    }
    assert_int_equal(fclose(out), 0);
    wrsim *const sim = prepared(text, overrides, n);
    free(text);
    return sim;
}

static double ring_value(wrsim *sim, int i)
{
    char name[32];
    snprintf(name, sizeof name, "s%d.v[1]", i);
    return value(sim, name);
}

TEST(ring)
{
    const int n_subsystem = ring_size();
    static const char *const schemes[] = {"relaxation.scheme=jacobi",
                                          "relaxation.scheme=gauss_seidel"};
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=3"};
    for (int scheme = 0; scheme < 2; scheme++) {
        double last[2][10];
        for (int k = 0; k < 2; k++) {
            const char *const overrides[] = {schemes[scheme], workers[k], "scheduler.min_work=0"};
            AUTO(wrsim_destroy) wrsim *sim = ring_prepared(overrides, 3);
            wrsim_stats s;
            wrsim_error err = {0};
            assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
            assert_int_equal(wrsim_stats_get(sim, &s), WRSIM_OK);
            assert_int_equal(s.n_subsystem, n_subsystem);
            assert_int_equal(s.n_connection, 2 * n_subsystem);
            assert_int_equal(s.n_state, RING_STATES * n_subsystem);
            assert_int_equal(s.n_window, RING_WINDOWS);
            assert_int_equal(s.n_rejected, 0);
            assert_true(s.n_integration >= (int64_t)n_subsystem * RING_WINDOWS);
            assert_true(s.n_integration < 4 * (int64_t)n_subsystem * RING_WINDOWS);
            /* Two waves of 524 nodes with two signals each take 42 kB; the other memory is below 32 MiB. */
            assert_true(s.memory_bytes < (int64_t)n_subsystem * 44 * 1024 + (32 << 20));
            for (int i = 0; i < 10; i++)
                last[k][i] = ring_value(sim, i < 5 ? i : n_subsystem - 10 + i);
            for (int i = 0; i < 5; i++)
                assert_close(last[k][i], last[k][5 + i], 1e-4, 1e-5);
            assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
        }
        assert_memory_equal(last[0], last[1], sizeof last[0]); /* equal for any number of workers */
    }
}
