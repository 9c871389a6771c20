/* Tests states in memory: a restored simulation continues like the first run, to the last bit of its state.
 *
 * argv[1]: the folder of the models.
 */
#include "same_state.h"

typedef struct job {
    const char *config;
    double take_s, end_s;
    const char *overrides[12];
} job;

#define STIFF                                                                                      \
    "component.left.parameters.k12=2000", "component.right.parameters.k12=2000",                   \
        "relaxation.max_sweeps=40"

/* Each job fixes the number of workers, because the numbers of batches in the state depend on this number. */
#define ONE "scheduler.workers=1"
#define TWO "scheduler.workers=2", "scheduler.min_work=0"
#define NO_FILE "output.file=\"\""
#define SLACK "relaxation.scheme=slack", "slack.period=1e-4"
#define DRAWN "slack.delays=drawn", "slack.delay=5"

static const job jobs[] = {
    {"engine/engine.toml", 0.031, 0.07, {ONE, NO_FILE}},
    {"engine/engine.toml", 0.031, 0.06, {ONE, NO_FILE, "simulation.monolithic=true"}},
    {"engine/engine.toml", 0.06, 0.09, {TWO, NO_FILE, "relaxation.scheme=gauss_seidel"}},
    {"two_mass/two_mass.toml", 0.3, 0.8, {TWO, "relaxation.acceleration=anderson", STIFF}},
    {"two_mass/two_mass.toml", 0.3, 0.8, {ONE, "solver.kind=rosenbrock_w", "simulation.rtol=1e-5"}},
    {"two_mass/two_mass.toml", 0.3, 0.8, {TWO, "solver.kind=rk43", "simulation.rtol=1e-5"}},
    {"hires/hires.toml", 20.0, 60.0, {ONE, "solver.kind=auto", "simulation.rtol=1e-5"}},
    {"relay/relay.toml", 5.0, 9.0, {ONE}},
    {"bouncing_ball/bouncing_ball.toml", 1.0, 2.0, {ONE}},
    {"signal/signal.toml", 0.4, 0.9, {TWO}},
    {"engine/engine.toml", 0.01, 0.02, {TWO, NO_FILE, SLACK, "slack.bound=0"}},
    {"engine/engine.toml", 0.01, 0.013, {TWO, NO_FILE, SLACK, "slack.sweeps=2"}},
    {"engine/engine.toml", 0.01, 0.013, {ONE, NO_FILE, SLACK, DRAWN}},
    {"two_mass/two_mass.toml", 0.30005, 0.5, {TWO, SLACK, DRAWN}}, /* within a period */
    {"two_mass/two_mass.toml", 0.3, 0.5, {TWO, SLACK, "slack.delays=fixed", "slack.delay=3"}},
    {"signal/signal.toml", 0.4, 0.9, {TWO, SLACK, DRAWN}},
    {"bouncing_ball/bouncing_ball.toml", 1.0, 2.0, {ONE, SLACK}},
    /* A DAE: with an event after the snapshot, with a part of its Jacobian, slackened. The last two rows have event blocks. */
    {"varistor_line/varistor_line.toml", 0.25, 1.4, {TWO}},
    {"varistor_line/varistor_line.toml", 0.15, 0.4, {ONE, "solver.pattern=kept.mtx"}},
    {"varistor_line/varistor_line.toml", 0.15, 0.4, {TWO, SLACK, DRAWN}},
    {"engine/engine.toml",
     0.031,
     0.05,
     {ONE, NO_FILE, "simulation.event_blocks=1", "simulation.monolithic=true"}},
    {"mono_cylinder/mono_cylinder.toml", 0.03, 0.1, {ONE, NO_FILE, "simulation.event_blocks=1"}},
};

static const char *path_of(const char *config)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", wr_test_arg(1), config);
    return path;
}

/* A restored simulation repeats the first run, also if it has advanced further or has restored the snapshot before. */
TEST(continues_as_before)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const job *const j = &jobs[i];
        AUTO(wrsim_destroy) wrsim *sim = prepare(path_of(j->config), j->overrides);
        wrsim_snapshot *snapshot = NULL;
        wrsim_error err = {0};
        size_t n_taken, n_back, n_first, n_again;
        assert_good(wrsim_snapshot_create(sim, &snapshot, &err), &err); /* the state at the start */
        advance(sim, j->take_s);
        assert_good(wrsim_snapshot_take(sim, snapshot, &err), &err);
        unsigned char *const taken = state_of(sim, &n_taken);
        advance(sim, j->end_s);
        unsigned char *const first = state_of(sim, &n_first);
        for (int round = 0; round < 3; round++) {
            if (round == 1)
                advance(sim, 1.2 * j->end_s);
            assert_good(wrsim_snapshot_restore(sim, snapshot, &err), &err);
            assert_true(wrsim_time(sim) == j->take_s);
            unsigned char *const back = state_of(sim, &n_back);
            assert_same_state(back, n_back, taken, n_taken);
            if (round == 2) { /* advances to another state and restores again */
                advance(sim, 0.5 * (j->take_s + j->end_s));
                assert_good(wrsim_snapshot_restore(sim, snapshot, &err), &err);
            }
            advance(sim, j->end_s);
            unsigned char *const again = state_of(sim, &n_again);
            assert_same_state(again, n_again, first, n_first);
            free(back);
            free(again);
        }
        free(taken);
        free(first);
        wrsim_snapshot_destroy(&snapshot);
        assert_null(snapshot);
    }
}

TEST(reset)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const job *const j = &jobs[i];
        AUTO(wrsim_destroy) wrsim *sim = prepare(path_of(j->config), j->overrides);
        wrsim_error err = {0};
        size_t n_first, n_again;
        assert_int_equal(wrsim_reset(sim, &err), WRSIM_E_STATE);
        assert_non_null(strstr(err.text, "wrsim_keep_start"));
        assert_good(wrsim_keep_start(sim, &err), &err);
        assert_good(wrsim_keep_start(sim, &err), &err); /* a second call changes nothing */
        advance(sim, j->take_s);
        unsigned char *const first = state_of(sim, &n_first);
        advance(sim, j->end_s);
        assert_good(wrsim_reset(sim, &err), &err);
        advance(sim, j->take_s);
        unsigned char *const again = state_of(sim, &n_again);
        assert_same_state(again, n_again, first, n_first);
        free(first);
        free(again);
    }
    AUTO(wrsim_destroy) wrsim *sim = prepare(path_of("two_mass/two_mass.toml"), NULL);
    wrsim_error err = {0};
    advance(sim, 0.1);
    assert_int_equal(wrsim_keep_start(sim, &err), WRSIM_E_STATE);
}

/* A failed simulation returns to the snapshot, and fails again in the same way. */
TEST(after_a_failure)
{
    static const char *const overrides[] = {ONE, "component.sick.parameters.nan_time=0.5", NULL};
    AUTO(wrsim_destroy) wrsim *sim = prepare(path_of("faulty/faulty.toml"), overrides);
    AUTO(wrsim_snapshot_destroy) wrsim_snapshot *snapshot = NULL;
    wrsim_error err = {0}, first = {0}, again = {0};
    size_t n_taken, n_back;
    advance(sim, 0.25);
    assert_good(wrsim_snapshot_create(sim, &snapshot, &err), &err);
    unsigned char *const taken = state_of(sim, &n_taken);
    assert_true(wrsim_advance(sim, 1.0, &first) < 0);
    assert_int_equal(wrsim_advance(sim, 1.0, &err), WRSIM_E_STATE);
    assert_int_equal(wrsim_snapshot_take(sim, snapshot, &err), WRSIM_E_STATE);
    assert_int_equal(wrsim_checkpoint_write(sim, "failed.ckpt", &err), WRSIM_E_STATE);
    assert_good(wrsim_snapshot_restore(sim, snapshot, &err), &err);
    unsigned char *const back = state_of(sim, &n_back);
    assert_same_state(back, n_back, taken, n_taken);
    assert_int_equal(wrsim_advance(sim, 1.0, &again), first.status);
    assert_string_equal(again.text, first.text);
    free(taken);
    free(back);
}

/* A run that restores snapshots writes the same result file as a run that does not. */
TEST(file_never_goes_back)
{
    static const struct {
        const char *config, *extra;
        double step_s;
    } runs[] = {{"two_mass/two_mass.toml", "output.decimation=3", 0.07},
                {"signal/signal.toml", "output.events=true", 0.1},
                {"bouncing_ball/bouncing_ball.toml", "output.events=true", 0.11}};
    static const char *const names[] = {"back.csv", "back.csv.json", "back.events.csv"};
    enum { N_FILE = sizeof names / sizeof *names };
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        size_t n[2][N_FILE];
        unsigned char *file[2][N_FILE];
        for (int goes_back = 0; goes_back < 2; goes_back++) {
            /* Both runs use one file name, because the description contains the config. */
            const char *const overrides[] = {"output.file=\"back.csv\"", runs[r].extra, NULL};
            wrsim *sim = prepare(path_of(runs[r].config), overrides);
            wrsim_snapshot *snapshot = NULL;
            wrsim_error err = {0};
            assert_good(wrsim_snapshot_create(sim, &snapshot, &err), &err);
            for (int i = 1; i <= 8; i++) {
                advance(sim, i * runs[r].step_s);
                if (!goes_back)
                    continue;
                if (i % 3 == 0) {
                    assert_good(wrsim_snapshot_restore(sim, snapshot, &err), &err);
                    for (int k = i - 2; k <= i; k++)
                        advance(sim, k * runs[r].step_s);
                    assert_good(wrsim_snapshot_take(sim, snapshot, &err), &err);
                }
            }
            assert_good(wrsim_finish(sim, &err), &err);
            wrsim_snapshot_destroy(&snapshot);
            wrsim_destroy(&sim);
            for (int i = 0; i < N_FILE; i++)
                file[goes_back][i] = read_file(names[i], &n[goes_back][i]);
        }
        for (int i = 0; i < N_FILE; i++) {
            assert_int_equal(n[0][i], n[1][i]);
            assert_memory_equal(file[0][i], file[1][i], n[0][i]);
            assert_true(n[0][i] > 60); /* more than a header */
            free(file[0][i]);
            free(file[1][i]);
        }
    }
    for (int i = 0; i < N_FILE; i++)
        unlink(names[i]);
    unlink("back.windows.csv");
}

static void set_words(const char **words, const char *const *some, const char *more)
{
    int n = 0;
    for (; some[n]; n++)
        words[n] = some[n];
    words[n++] = more;
    words[n] = NULL;
}

enum { N_VALUE = 6 };

static void values_of(wrsim *sim, double *ret_value)
{
    static const char *const names[N_VALUE] = {"crank.omega", "crank.theta", "cyl1.p",
                                               "cyl3.T",      "turbo.omega", "exhaust.p"};
    int variable[N_VALUE];
    for (int i = 0; i < N_VALUE; i++)
        assert_true((variable[i] = wrsim_find(sim, names[i])) >= 0);
    assert_int_equal(wrsim_get_many(sim, N_VALUE, variable, ret_value), WRSIM_OK);
}

/* A live slackened run that continues from a checkpoint may differ from the first run. A run with slack.replay, from the same checkpoint
 * and with the log of the continued run, has the bits of the continued run. */
TEST(rest_of_a_live_run)
{
    static const char *const live[] = {SLACK, NO_FILE, "scheduler.workers=3", "slack.bound=1",
                                       NULL};
    static const char *const replay[] = {SLACK, NO_FILE, "slack.bound=1",
                                         "slack.replay=\"live.csv\"", NULL};
    static const char *const workers[] = {"scheduler.workers=1", "scheduler.workers=2",
                                          "scheduler.workers=5"};
    const char *words[12], *const config = "engine/engine.toml";
    wrsim_error err = {0};
    double first[N_VALUE], again[N_VALUE];
    wrsim *sim = prepare(path_of(config), live);
    advance(sim, 0.0105);
    assert_good(wrsim_checkpoint_write(sim, "live.ckpt", &err), &err);
    wrsim_destroy(&sim);
    set_words(words, live, "slack.log=\"live.csv\"");
    sim = prepare(path_of(config), words);
    assert_good(wrsim_checkpoint_read(sim, "live.ckpt", &err), &err);
    advance(sim, 0.02);
    values_of(sim, first);
    assert_int_equal(wrsim_checkpoint_read(sim, "live.ckpt", &err), WRSIM_E_STATE); /* logged */
    assert_non_null(strstr(err.text, "slack.log"));
    assert_good(wrsim_finish(sim, &err), &err);
    wrsim_destroy(&sim);
    for (int i = 0; i < 3; i++) {
        set_words(words, replay, workers[i]);
        sim = prepare(path_of(config), words);
        assert_good(wrsim_checkpoint_read(sim, "live.ckpt", &err), &err);
        advance(sim, 0.02);
        values_of(sim, again);
        assert_memory_equal(again, first, sizeof first);
        assert_good(wrsim_checkpoint_read(sim, "live.ckpt", &err), &err); /* and rereads the log */
        advance(sim, 0.02);
        values_of(sim, again);
        assert_memory_equal(again, first, sizeof first);
        wrsim_destroy(&sim);
    }
    unlink("live.csv");
    unlink("live.ckpt");
}

/* A snapshot fits one simulation only. The error to find: a new simulation accepts a snapshot of a destroyed simulation
 * that had the same address. */
TEST(of_one_that_is_gone)
{
    static const char *const more[] = {"relaxation.max_nodes=512", NULL};
    wrsim_error err = {0};
    for (int round = 0; round < 8; round++) {
        AUTO(wrsim_snapshot_destroy) wrsim_snapshot *snapshot = NULL;
        AUTO(wrsim_destroy) wrsim *sim = prepare(path_of("two_mass/two_mass.toml"), NULL);
        assert_good(wrsim_snapshot_create(sim, &snapshot, &err), &err);
        wrsim_destroy(&sim);
        sim = prepare(path_of("two_mass/two_mass.toml"), round % 2 ? more : NULL);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_E_ARG);
        assert_non_null(strstr(err.text, "of another simulation"));
        assert_int_equal(wrsim_snapshot_take(sim, snapshot, &err), WRSIM_E_ARG);
        advance(sim, 0.1);
    }
}

TEST(cvode_is_refused_by_name)
{
    static const char *const overrides[] = {"subsystem.right.solver.kind=cvode_bdf", NULL};
    AUTO(wrsim_destroy) wrsim *sim = prepare(path_of("two_mass/two_mass.toml"), overrides);
    wrsim_snapshot *snapshot = NULL;
    wrsim_error err = {0};
    assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_E_CONFIG);
    assert_null(snapshot);
    assert_string_equal(err.subsystem, "right");
    assert_non_null(strstr(err.text, "the solver cvode_bdf has a state that cannot be saved"));
    assert_int_equal(wrsim_checkpoint_write(sim, "x.ckpt", &err), WRSIM_E_CONFIG);
    assert_int_equal(wrsim_checkpoint_read(sim, "x.ckpt", &err), WRSIM_E_CONFIG);
    assert_int_equal(wrsim_keep_start(sim, &err), WRSIM_E_CONFIG);
    assert_int_equal(access("x.ckpt", F_OK), -1);
}

TEST_FOLDER
