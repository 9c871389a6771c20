/* After wrsim_prepare() the window loop allocates nothing, with built-in models and wrsim's own integrators. Only the recorder's thread may
 * allocate. argv[1]: the folder of the models. */
#include "prepared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "alloc_guard.h"
#include "runtime/sim/simulation.h"
#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_layout.h"

/* ---- the guard itself ---- */

static void *volatile on_purpose_block;

__attribute__((noinline)) static void allocate_on_purpose(void)
{
    on_purpose_block = malloc(100);
    on_purpose_block = realloc(on_purpose_block, 200);
    free(on_purpose_block);
    on_purpose_block = NULL; /* no tail call: this function must appear as the caller */
}

TEST(guard_names_the_caller)
{
    char text[1024];
    wr_alloc_guard_arm();
    allocate_on_purpose();
    const int n = wr_alloc_guard_disarm();
    assert_int_equal(n, 3);
    static const char *const expected[] = {"malloc < allocate_on_purpose",
                                           "realloc < allocate_on_purpose",
                                           "free < allocate_on_purpose"};
    for (int i = 0; i < 3; i++) {
        wr_alloc_guard_text(i, text, sizeof text);
        if (strncmp(text, expected[i], strlen(expected[i])) != 0)
            print_error("%s\n", text);
        assert_memory_equal(text, expected[i], strlen(expected[i]));
    }
    allocate_on_purpose(); /* not armed: the guard catches no call */
    wr_alloc_guard_arm();
    assert_int_equal(wr_alloc_guard_disarm(), 0);
}

/* ---- runs ---- */

enum { MAX_OVERRIDES = 16 };

typedef struct job {
    const char *config; /* relative to models/ */
    int n_worker;
    const char *overrides[MAX_OVERRIDES]; /* up to the first NULL */
} job;

static wrsim *prepare(const job *j)
{
    char path[1024], workers[64];
    const char *overrides[MAX_OVERRIDES + 4];
    int n = 0;
    overrides[n++] = "scheduler.min_work=0"; /* all workers run, or the job overrides it */
    for (int i = 0; i < MAX_OVERRIDES && j->overrides[i]; i++)
        overrides[n++] = j->overrides[i];
    snprintf(workers, sizeof workers, "scheduler.workers=%d", j->n_worker);
    overrides[n++] = workers;
    overrides[n++] = "output.json=\"\"";
    snprintf(path, sizeof path, "%s/%s", wr_test_arg(1), j->config);
    wrsim *const sim = created_file(path, overrides, n);
    wrsim_error err = {0};
    wr_alloc_guard_forget_threads();
    assert_good(wrsim_prepare(sim, &err), &err);
    /* The started threads are the exempted recorder and all workers except worker 0, which is the calling thread. */
    int n_exempt;
    assert_int_equal(wr_alloc_guard_exempt_unnamed("wr-worker", &n_exempt), j->n_worker - 1);
    assert_int_equal(n_exempt, 1);
    return sim;
}

/* Runs to the end under guard; returns the number of calls caught and prints them. */
static int run_guarded(wrsim *sim, int *ret_n_window)
{
    char text[1024];
    wrsim_error err = {0};
    wrsim_stats stats;
    wr_alloc_guard_arm();
    const wrsim_status status = wrsim_run(sim, &err);
    const int n = wr_alloc_guard_disarm();
    if (status != WRSIM_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, WRSIM_OK);
    wrsim_stats_get(sim, &stats);
    wrsim_subsystem_stats alone;
    assert_int_equal(wrsim_stats_subsystem(sim, 0, &alone), WRSIM_OK);
    /* A single subsystem has steps instead of windows. */
    *ret_n_window = (int)(stats.n_subsystem > 1 ? stats.n_window : alone.n_step);
    for (int i = 0; i < n && i < 8; i++)
        print_error("  %s\n", wr_alloc_guard_text(i, text, sizeof text));
    return n;
}

static void check_job(const job *j)
{
    int n_window;
    AUTO(wrsim_destroy) wrsim *sim = prepare(j);
    const int n = run_guarded(sim, &n_window);
    if (n != 0 || n_window < 10)
        print_error("%s, %d workers, %s: %d allocations in %d windows\n", j->config, j->n_worker,
                    j->overrides[0] ? j->overrides[0] : "", n, n_window);
    assert_int_equal(n, 0);
    assert_true(n_window >= 10);
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
}

#define ENGINE "engine/engine.toml"
#define ENGINE_SHORT "simulation.stop=0.02"
#define PAIR "two_mass/two_mass.toml"
#define NO_FILE "output.file=\"\""

TEST(engine)
{
    static const job jobs[] = {
        {ENGINE, 1, {"solver.kind=bs32", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 2, {"solver.kind=bs32", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 1, {"solver.kind=rosenbrock", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 2, {"solver.kind=rosenbrock", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 2, {"solver.kind=rosenbrock_w", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 2, {"solver.kind=auto", ENGINE_SHORT, NO_FILE}},
        {ENGINE,
         2,
         {"solver={kind=\"rk3\",step=3e-5,spare_steps=1}", ENGINE_SHORT, NO_FILE,
          "subsystem.airpath.solver.kind=rk3"}},
        {ENGINE, 2, {"solver.budget=40", ENGINE_SHORT, NO_FILE}},
        {ENGINE, 2, {"relaxation.scheme=gauss_seidel", ENGINE_SHORT, NO_FILE}},
        {ENGINE,
         2,
         {"scheduler.min_work=1", "simulation.stop=0.04",
          NO_FILE}}, /* the number of workers changes */
        {ENGINE, 2, {"scheduler.min_work=5000", "simulation.stop=0.2", NO_FILE}}, /* little work */
        {ENGINE, 1, {"simulation.monolithic=true", ENGINE_SHORT, NO_FILE}},
        {ENGINE,
         1,
         {"solver={kind=\"rosenbrock\",linear_solver=\"sparse\"}", ENGINE_SHORT, NO_FILE,
          "simulation.monolithic=true"}},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        check_job(&jobs[i]);
}

TEST(every_integrator)
{
    static const char *const kinds[] = {"solver={kind=\"euler\",step=1e-3}",
                                        "solver={kind=\"heun\",step=1e-3,spare_steps=1}",
                                        "solver={kind=\"rk3\",step=1e-3}",
                                        "solver={kind=\"rk4\",step=1e-3}",
                                        "solver={kind=\"linimp\",step=1e-3}",
                                        "solver.kind=bs32",
                                        "solver.kind=dopri54",
                                        "solver.kind=rosenbrock",
                                        "solver.kind=rosenbrock_w",
                                        "solver.kind=auto"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const job j = {PAIR, 2, {kinds[i], "simulation.rtol=1e-5", NO_FILE}};
        check_job(&j);
    }
}

/* Events and jumps with new algebraic variables, and fixed pivots, with the whole Jacobian or a part of it. */
TEST(sparse_matrices)
{
    static const job jobs[] = {
        {"varistor_line/varistor_line.toml", 2, {NO_FILE}},
        {"varistor_line/varistor_line.toml", 1, {"solver.pattern=kept.mtx", NO_FILE}},
        {"varistor_line/varistor_line.toml",
         1,
         {"solver.pattern=kept.mtx", "solver.spare_steps=2", NO_FILE}},
        {"robot/robot.toml", 1, {NO_FILE}}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        check_job(&jobs[i]);
}

TEST(every_acceleration)
{
    static const char *const kinds[] = {"relaxation.acceleration=none",
                                        "relaxation.acceleration=anderson",
                                        "relaxation.tolerance_first=100"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const job j = {PAIR, 2, {kinds[i], "relaxation.max_sweeps=60", NO_FILE}};
        check_job(&j);
    }
}

/* Returns the number of workers that evaluate the indicators of the only subsystem. */
static int count_helpers(const wrsim *sim)
{
    const wr_group *const group = wr_setup_group(&sim->assembly->setup[0]);
    return group->blocks ? group->blocks->helpers.n_worker : 0;
}

/* Two workers have a core each, by a synthetic topology. The idle worker evaluates indicators of the engine and allocates nothing.
 * In real time only the worker of the subsystem evaluates indicators. */
TEST(event_threads)
{
    job j = {ENGINE,
             2,
             {"simulation.monolithic=true", "scheduler.event_threads=true",
              "simulation.event_blocks=1", "scheduler.topology=\"core:2 pu:1\"", ENGINE_SHORT,
              NO_FILE}};
    check_job(&j);
    AUTO(wrsim_destroy) wrsim *sim = prepare(&j);
    assert_int_equal(count_helpers(sim), 2);
    j.overrides[6] = "relaxation.scheme=slack";
    j.overrides[7] = "realtime.rate=1";
    AUTO(wrsim_destroy) wrsim *paced = prepare(&j);
    assert_int_equal(count_helpers(paced), 1);
}

/* With files, rows go through ring buffers to the recorder's thread, which writes during the run. */
TEST(recording)
{
    static const char *const files[] = {"output.file=window_loop.csv",
                                        "output.file=window_loop.h5"};
    char folder[] = "/tmp/wrsim-rt-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char back[4096];
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const job j = {ENGINE, 2, {files[i], ENGINE_SHORT}};
        check_job(&j);
        assert_int_equal(unlink(strchr(files[i], '=') + 1), 0);
    }
    /* The next jobs record waves and replay these waves. */
    char played[128];
    snprintf(played, sizeof played, "subsystem.cyl2.file=\"%s/waves.h5\"", folder);
    const job waves[] = {
        {ENGINE, 2, {"output.file=waves.h5", "output.waves=true", ENGINE_SHORT}},
        {ENGINE, 2, {"subsystem.cyl2.kind=replay", played, NO_FILE, ENGINE_SHORT}},
        {ENGINE, 2, {"subsystem.cyl2.kind=replay", played, "output.file=again.csv", ENGINE_SHORT}}};
    for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
        check_job(&waves[i]);
    assert_int_equal(unlink("waves.h5"), 0);
    static const char *const of_csv[] = {"again.csv",
                                         "again.csv.json",
                                         "again.events.csv",
                                         "again.windows.csv",
                                         "window_loop.csv.json",
                                         "window_loop.events.csv",
                                         "window_loop.windows.csv"};
    for (size_t i = 0; i < sizeof of_csv / sizeof *of_csv; i++)
        assert_int_equal(unlink(of_csv[i]), 0);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Returns a simulation for a host that sets inputs, advances and reads outputs. Results go to no file. */
static wrsim *prepare_ports(int n_worker)
{
    static const char text[] = "simulation = { stop = 1.0, communication_step = 1e-3 }\n"
                               "scheduler.min_work = 0\n"
                               "component = [{ name = \"a\", model = \"dahlquist\" },\n"
                               "             { name = \"b\", model = \"dahlquist\" }]\n"
                               "connection = [{ from = \"a.x\", to = \"b.u\" }]\n"
                               "port = [{ name = \"u\", to = \"a.u\" },\n"
                               "        { name = \"v\", from = \"b.u\" },\n"
                               "        { name = \"x\", from = \"b.x\" }]\n";
    char workers[64];
    const char *const overrides[] = {workers};
    snprintf(workers, sizeof workers, "scheduler.workers=%d", n_worker);
    wrsim *const sim = created(text, overrides, 1);
    wr_alloc_guard_forget_threads();
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    return sim;
}

TEST(ports)
{
    for (int n_worker = 1; n_worker <= 2; n_worker++) {
        AUTO(wrsim_destroy) wrsim *sim = prepare_ports(n_worker);
        const int u = wrsim_port_find(sim, "u"),
                  shown[2] = {wrsim_port_find(sim, "v"), wrsim_port_find(sim, "x")};
        char text[1024];
        double value[2];
        int n_wrong = 0, n_exempt;
        wr_alloc_guard_exempt_unnamed("wr-worker", &n_exempt);
        wr_alloc_guard_arm();
        for (int i = 0; i < 1000; i++) {
            n_wrong += wrsim_port_set(sim, u, sin(0.1 * i)) != WRSIM_OK;
            n_wrong += wrsim_advance(sim, 1e-3 * (i + 1), NULL) != WRSIM_OK;
            n_wrong += wrsim_port_get_many(sim, 2, shown, value) != WRSIM_OK;
        }
        const int n = wr_alloc_guard_disarm();
        for (int i = 0; i < n && i < 8; i++)
            print_error("  %s\n", wr_alloc_guard_text(i, text, sizeof text));
        assert_int_equal(n, 0);
        assert_int_equal(n_wrong, 0);
        wrsim_finish(sim, NULL);
    }
}

/* A progress callback allocates between two windows: the guard counts the call and names the caller. */
static void progress_on_purpose(void *user, const wrsim_progress *progress)
{
    int *const n_left = user;
    if (progress->n_window > 3 && *n_left > 0) {
        --*n_left;
        on_purpose_block = malloc(10);
        free(on_purpose_block);
        on_purpose_block = NULL;
    }
}

TEST(window_loop_is_watched)
{
    for (int n_worker = 1; n_worker <= 2; n_worker++) {
        const job j = {PAIR, n_worker, {NO_FILE}};
        AUTO(wrsim_destroy) wrsim *sim = prepare(&j);
        int n_left = 2;
        char text[1024];
        assert_int_equal(wrsim_set_progress(sim, progress_on_purpose, &n_left), WRSIM_OK);
        wr_alloc_guard_arm();
        const wrsim_status status = wrsim_run(sim, NULL);
        assert_int_equal(wr_alloc_guard_disarm(), 4);
        assert_int_equal(status, WRSIM_OK);
        for (int i = 0; i < 4; i++) {
            wr_alloc_guard_text(i, text, sizeof text);
            if (!strstr(text, " < progress_on_purpose < "))
                print_error("%s\n", text);
            assert_non_null(strstr(text, " < progress_on_purpose < "));
        }
        wrsim_finish(sim, NULL);
    }
}

/* The guard also catches a call in a worker thread. */
static atomic_int n_on_thread;

static void *allocate_on_thread(void *context)
{
    while (atomic_load(&n_on_thread) == 0)
        usleep(100);
    allocate_on_purpose();
    atomic_store(&n_on_thread, 2);
    return NULL;
}

TEST(other_threads_are_watched)
{
    static const char *const names[] = {"wr-worker-1", "other"};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        int n_exempt;
        wr_alloc_guard_forget_threads();
        atomic_store(&n_on_thread, 0);
        assert_int_equal(pthread_create(&thread, NULL, allocate_on_thread, NULL), 0);
        assert_int_equal(pthread_setname_np(thread, names[i]), 0);
        assert_int_equal(wr_alloc_guard_exempt_unnamed("wr-worker", &n_exempt), i == 0);
        assert_int_equal(n_exempt, i);
        wr_alloc_guard_arm();
        atomic_store(&n_on_thread, 1);
        while (atomic_load(&n_on_thread) != 2)
            usleep(100);
        assert_int_equal(wr_alloc_guard_disarm(), i == 0 ? 3 : 0);
        pthread_join(thread, NULL);
    }
}

/* Storing and restoring a state allocates nothing, with several integrators. */
TEST(snapshots)
{
    static const job jobs[] = {
        {ENGINE, 2, {NO_FILE}},
        {ENGINE, 1, {"solver.kind=rosenbrock_w", NO_FILE}},
        {PAIR, 2, {"relaxation.acceleration=anderson", NO_FILE}},
        {"hires/hires.toml", 1, {"solver.kind=auto", NO_FILE}},
        {"varistor_line/varistor_line.toml", 1, {"solver.pattern=kept.mtx", NO_FILE}}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char text[1024];
        AUTO(wrsim_destroy) wrsim *sim = prepare(&jobs[i]);
        AUTO(wrsim_snapshot_destroy) wrsim_snapshot *snapshot = NULL;
        wrsim_error err = {0};
        assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_OK);
        assert_int_equal(wrsim_keep_start(sim, &err), WRSIM_OK);
        int n_failed = 0;
        wr_alloc_guard_arm();
        for (int k = 1; k <= 6; k++) {
            n_failed += wrsim_advance(sim, 0.01 * k, &err) != WRSIM_OK;
            n_failed += wrsim_snapshot_take(sim, snapshot, &err) != WRSIM_OK;
            n_failed += wrsim_advance(sim, 0.01 * k + 0.02, &err) != WRSIM_OK;
            n_failed += wrsim_snapshot_restore(sim, snapshot, &err) != WRSIM_OK;
        }
        n_failed += wrsim_reset(sim, &err) != WRSIM_OK;
        n_failed += wrsim_advance(sim, 0.01, &err) != WRSIM_OK;
        const int n = wr_alloc_guard_disarm();
        for (int k = 0; k < n && k < 8; k++)
            print_error("  %s\n", wr_alloc_guard_text(k, text, sizeof text));
        assert_int_equal(n_failed, 0);
        assert_int_equal(n, 0);
    }
}

int main(void) { return wr_alloc_guard_works() ? wr_test_run() : WR_TEST_SKIP; }
