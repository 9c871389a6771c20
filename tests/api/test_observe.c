/* An observer counts the tasks, steps, events, sweeps, windows, periods and waits of a run, and its counts equal wrsim's statistics.
 * The runs are relaxed, slackened or monolithic, with one or two workers. Results have the same bits with and without observer. */
#include "wr_test.h"

#include <wrsim/wrsim.h>

/* Two coupled masses, a sampler with time events, its reader with jumps of inputs, and a ball with state events. */
#define SYSTEM                                                                                     \
    "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"           \
    "[[component]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"                               \
    "[[component]]\nname = \"sampler\"\nmodel = \"signal.sampler\"\nparameters = { period = 0.1 "  \
    "}\n"                                                                                          \
    "[[component]]\nname = \"reader\"\nmodel = \"dahlquist\"\nparameters = { a = -5.0 }\n"         \
    "[[component]]\nname = \"ball\"\nmodel = \"bouncing_ball\"\n"                                  \
    "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"                              \
    "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n"                              \
    "[[connection]]\nfrom = \"left.x\"\nto = \"sampler.u\"\n"                                      \
    "[[connection]]\nfrom = \"sampler.y\"\nto = \"reader.u\"\n"                                    \
    "[output]\nfile = \"\"\n"
static const char relaxed[] =
    "[simulation]\nstop = 1.0\ncommunication_step = 0.01\n"
    "[relaxation]\nscheme = \"jacobi\"\nwindow.control = \"ratio\"\nwindow.initial = "
    "0.5\nwindow.min = 0.02\nwindow.max = 0.5\n" SYSTEM;
#define SLACKENED                                                                                  \
    "[simulation]\nstop = 1.0\ncommunication_step = 0.01\n"                                        \
    "[relaxation]\nscheme = \"slack\"\n"                                                           \
    "[slack]\nperiod = 0.01\nbound = 0\nsweeps = 2\n"
static const char *const slackened[] = {SLACKENED SYSTEM, SLACKENED "watch = 1\n" SYSTEM};
static const char monolithic[] =
    "[simulation]\nstop = 1.0\ncommunication_step = 0.01\nmonolithic = true\n" SYSTEM;

enum { N_SUBSYSTEM = 5, N_WORKER = 2, N_VALUE = 5 };
static const char *const names[N_VALUE] = {"left.x", "right.v", "sampler.y", "reader.x", "ball.h"};

/* Calls for one subsystem never overlap, and calls for one worker never overlap, so the counters need no lock. */
typedef struct part {
    int64_t n_task, n_integrated, n_failed, n_step, n_known, n_rejected, n_event[3], n_period,
        n_sweep, n_waited;
    int i_worker; /* of the present task; -1: none */
    double step_s, period_s;
} part;

typedef struct seen {
    part part[N_SUBSYSTEM];
    struct {
        int64_t n_task, n_wait, wait_ns, last_ns, n_decision, n_commit;
    } worker[N_WORKER];
    int64_t n_window, n_window_sweep, n_window_integration, n_sweep, n_rejection, n_wasted;
    int n_open; /* sweeps of the present window */
    double window_s;
} seen;

static void on_task_begin(void *user, const wrsim_task_record *task)
{
    part *const p = &((seen *)user)->part[task->i_subsystem];
    assert_int_equal(p->i_worker, -1);
    assert_int_equal(task->end_ns, 0);
    p->i_worker = task->i_worker;
}

static void on_task_end(void *user, const wrsim_task_record *task)
{
    seen *const s = user;
    part *const p = &s->part[task->i_subsystem];
    assert_int_equal(p->i_worker, task->i_worker);
    assert_true(task->end_ns >= task->start_ns);
    assert_true(task->i_sweep >= 1 && task->end_s >= task->start_s);
    p->i_worker = -1;
    p->n_task++;
    p->n_integrated += !task->is_unchanged;
    p->n_failed += task->status < 0;
    s->worker[task->i_worker].n_task++;
}

static void on_step(void *user, const wrsim_step_record *step)
{
    part *const p = &((seen *)user)->part[step->i_subsystem];
    assert_true(p->i_worker >= 0);
    assert_true(step->end_s > step->start_s);
    assert_true(step->n_step > p->n_known); /* by more than 1 if an event repeats a step */
    p->n_step++;
    p->n_known = step->n_step;
    p->n_rejected = step->n_rejected;
    p->step_s = step->end_s;
}

static void on_event(void *user, const wrsim_event_record *event)
{
    part *const p = &((seen *)user)->part[event->i_subsystem];
    for (int k = 0; k < 3; k++)
        p->n_event[k] += (event->causes & 1U << k) != 0;
}

static void on_wait(void *user, const wrsim_wait_record *wait)
{
    seen *const s = user;
    assert_true(wait->end_ns >= wait->start_ns);
    assert_true(wait->start_ns >= s->worker[wait->i_worker].last_ns);
    s->worker[wait->i_worker].last_ns = wait->end_ns;
    s->worker[wait->i_worker].n_wait++;
    s->worker[wait->i_worker].wait_ns += wait->end_ns - wait->start_ns;
}

static void on_commit(void *user, const wrsim_commit_record *commit)
{
    seen *const s = user;
    assert_true(commit->end_ns >= commit->start_ns && commit->status >= 0);
    assert_true(commit->i_subsystem >= 0 && commit->i_subsystem < N_SUBSYSTEM);
    s->worker[commit->i_worker].n_commit++;
}

static void on_decision(void *user, const wrsim_decision_record *decision)
{
    seen *const s = user;
    assert_true(decision->end_ns >= decision->start_ns);
    assert_true(decision->start_ns >= s->worker[decision->i_worker].last_ns);
    s->worker[decision->i_worker].last_ns = decision->end_ns;
    s->worker[decision->i_worker].n_decision++;
}

static void on_sweep(void *user, const wrsim_window_record *sweep)
{
    seen *const s = user;
    s->n_sweep++;
    assert_int_equal(sweep->n_sweep, ++s->n_open);
    assert_true(sweep->n_integration > 0 && sweep->wall_ns > 0);
}

static void on_window(void *user, const wrsim_window_record *window)
{
    seen *const s = user;
    assert_true(window->end_s > window->start_s);
    assert_true(window->start_s <= s->window_s && window->start_s >= s->window_s);
    s->window_s = window->end_s;
    assert_int_equal(window->n_sweep, s->n_open);
    s->n_open = 0;
    s->n_window++;
    s->n_window_sweep += window->n_sweep;
    s->n_window_integration += window->n_integration;
}

static void on_rejection(void *user, const wrsim_window_record *window)
{
    seen *const s = user;
    s->n_open = 0;
    s->n_rejection++;
    s->n_wasted += window->n_integration;
}

static void on_period(void *user, const wrsim_period_record *period)
{
    part *const p = &((seen *)user)->part[period->i_subsystem];
    assert_true(period->start_s <= p->period_s && period->start_s >= p->period_s);
    p->period_s = period->end_s;
    p->n_period++;
    p->n_sweep += period->n_sweep;
    p->n_waited += period->has_waited;
    assert_false(period->has_deadline); /* without [realtime] */
}

static seen start(void)
{
    seen s = {.n_window = 0};
    for (int i = 0; i < N_SUBSYSTEM; i++)
        s.part[i].i_worker = -1;
    return s;
}

static wrsim_observer observer_of(seen *s)
{
    return (wrsim_observer){.size_bytes = sizeof(wrsim_observer),
                            .user = s,
                            .task_begin = on_task_begin,
                            .task_end = on_task_end,
                            .step = on_step,
                            .event = on_event,
                            .wait = on_wait,
                            .sweep = on_sweep,
                            .window = on_window,
                            .rejection = on_rejection,
                            .period = on_period,
                            .commit = on_commit,
                            .decision = on_decision};
}

static wrsim *open_run(const char *text, int n_worker)
{
    char workers[64];
    snprintf(workers, sizeof workers, "scheduler.workers=%d", n_worker);
    const char *const overrides[] = {workers, "scheduler.min_work=0"};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    if (wrsim_config_from_text(text, strlen(text), "observe.toml", overrides, 2, NULL, NULL,
                               &config, &err) < 0 ||
        wrsim_create(config, NULL, NULL, &sim, &err) < 0)
        print_error("%s\n", err.text);
    wrsim_config_destroy(&config);
    assert_non_null(sim);
    return sim;
}

/* Runs in four intervals; the observer is absent in interval `without`, -1: in none. */
static void run(wrsim *sim, const wrsim_observer *observer, int without, double *ret_value)
{
    int variable[N_VALUE];
    wrsim_error err = {0};
    for (int i = 0; i < N_VALUE; i++)
        variable[i] = wrsim_find(sim, names[i]);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(wrsim_observe(sim, k == without ? NULL : observer, &err), WRSIM_OK);
        if (k == 0)
            assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        const wrsim_status status = wrsim_advance(sim, 0.25 * (k + 1), &err);
        if (status != WRSIM_OK)
            print_error("%s\n", err.text);
        assert_int_equal(status, WRSIM_OK);
        assert_int_equal(wrsim_get_many(sim, N_VALUE, variable, ret_value + k * N_VALUE), WRSIM_OK);
    }
}

static void check_subsystems(const wrsim *sim, const seen *s, int n_subsystem)
{
    for (int i = 0; i < n_subsystem; i++) {
        wrsim_subsystem_stats stats;
        const part *const p = &s->part[i];
        assert_int_equal(wrsim_stats_subsystem(sim, i, &stats), WRSIM_OK);
        assert_int_equal(p->n_known, stats.n_step);
        assert_int_equal(p->n_rejected, stats.n_rejected);
        assert_true(stats.n_state == 0 || p->n_step > 0);
        assert_int_equal(p->n_event[0], stats.n_state_event);
        assert_int_equal(p->n_event[1], stats.n_time_event);
        assert_int_equal(p->n_event[2], stats.n_input_jump);
        assert_int_equal(p->n_failed, 0);
        assert_int_equal(p->i_worker, -1);
    }
}

static void check_workers(const wrsim *sim, const seen *s, int n_worker)
{
    for (int i = 0; i < n_worker; i++) {
        wrsim_worker_stats stats;
        assert_int_equal(wrsim_stats_worker(sim, i, &stats), WRSIM_OK);
        assert_int_equal(s->worker[i].n_task, stats.n_task);
        assert_int_equal(s->worker[i].wait_ns, stats.wait_ns);
    }
}

TEST(relaxed)
{
    for (int n_worker = 1; n_worker <= N_WORKER; n_worker++) {
        double value[4 * N_VALUE];
        seen s = start();
        const wrsim_observer observer = observer_of(&s);
        AUTO(wrsim_destroy) wrsim *sim = open_run(relaxed, n_worker);
        run(sim, &observer, -1, value);
        wrsim_stats stats;
        assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
        print_message("%d windows, %d sweeps, %d rejections, %d waits\n", (int)s.n_window,
                      (int)s.n_sweep, (int)s.n_rejection,
                      (int)(s.worker[0].n_wait + s.worker[1].n_wait));
        assert_true(stats.n_rejected > 0);
        assert_int_equal(s.n_window, stats.n_window);
        assert_int_equal(s.n_window_sweep, stats.n_sweep);
        assert_true(s.n_sweep > s.n_window_sweep); /* including sweeps of rejected windows */
        assert_int_equal(s.n_window_integration, stats.n_integration);
        assert_int_equal(s.n_rejection, stats.n_rejected);
        assert_int_equal(s.n_wasted, stats.n_wasted);
        int64_t n_integrated = 0, n_event = 0;
        for (int i = 0; i < N_SUBSYSTEM; i++) {
            n_integrated += s.part[i].n_integrated;
            assert_int_equal(s.part[i].n_period, 0);
            for (int k = 0; k < 3; k++)
                n_event += s.part[i].n_event[k];
        }
        assert_true(n_event > 0);
        assert_int_equal(n_integrated, stats.n_integration + stats.n_wasted);
        check_subsystems(sim, &s, N_SUBSYSTEM);
        check_workers(sim, &s, n_worker);
        if (n_worker > 1)
            assert_true(s.worker[0].n_wait + s.worker[1].n_wait > 0);
        /* Each sweep ends with a decision. Each window has a commit of each subsystem. */
        assert_true(s.worker[0].n_decision + s.worker[1].n_decision >= s.n_sweep);
        assert_int_equal(s.worker[0].n_commit + s.worker[1].n_commit, N_SUBSYSTEM * s.n_window);
    }
}

/* ---- models without rollback ---- */

static const wrsim_variable late_params[] = {{.name = "fault_time", .unit = "s", .start = 1e9}};

static int late_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable x = {.name = "x", .start = 1.0}, u = {.name = "u"},
                                y = {.name = "y", .flags = WRSIM_IS_STATE};
    return to->add(to, WRSIM_STATE, &x) | to->add(to, WRSIM_INPUT, &u) |
           to->add(to, WRSIM_OUTPUT, &y);
}

static int late_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = 0.5 * at->u[0] - at->x[0];
    return 0;
}

static int late_completed(wrsim_instance *self, const wrsim_point *at)
{
    return at->t_s > self->param[0] ? WRSIM_ENTER_EVENT : 0;
}

/* The end of a step in an accepted window is no integration. After its fault no value belongs to another time than wrsim_time(). */
TEST(ends_of_steps)
{
    static const wrsim_model late = {.abi = WRSIM_MODEL_ABI,
                                     .struct_size = sizeof late,
                                     .name = "late",
                                     .caps = WRSIM_CAP_CANNOT_RESTORE,
                                     .n_param = 1,
                                     .params = late_params,
                                     .describe = late_describe,
                                     .rhs = late_rhs,
                                     .step_completed = late_completed};
    static const wrsim_model *const list[] = {&late, NULL};
    static const char text[] =
        "[simulation]\nstop = 1.0\ncommunication_step = 0.01\n"
        "[solver]\nkind = \"rk4\"\nstep = 0.002\n"
        "[[component]]\nname = \"a\"\nmodel = \"late\"\n"
        "[[component]]\nname = \"b\"\nmodel = \"oscillator.mass\"\n"
        "[[connection]]\nfrom = \"a.y\"\nto = \"b.x_neighbour\"\n"
        "[[connection]]\nfrom = \"b.x\"\nto = \"a.u\"\n[output]\nfile = \"\"\n";
    const wrsim_host host = {.size_bytes = sizeof host, .models = list};
    for (int is_faulty = 0; is_faulty < 2; is_faulty++) {
        const char *const fault = "component.a.parameters.fault_time=0.5";
        seen s = start();
        const wrsim_observer observer = observer_of(&s);
        wrsim_config *config = NULL;
        AUTO(wrsim_destroy) wrsim *sim = NULL;
        wrsim_error err = {0};
        assert_int_equal(wrsim_config_from_text(text, strlen(text), "late.toml", &fault, is_faulty,
                                                NULL, NULL, &config, &err),
                         WRSIM_OK);
        assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err), WRSIM_OK);
        wrsim_config_destroy(&config);
        assert_int_equal(wrsim_observe(sim, &observer, &err), WRSIM_OK);
        assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        const wrsim_status status = wrsim_advance(sim, 1.0, &err);
        if (is_faulty) {
            assert_int_equal(status, WRSIM_E_CALLBACK);
            assert_true(s.part[0].n_failed == 1 && fabs(wrsim_time(sim) - 0.499) < 1e-3);
            assert_true(isnan(wrsim_get(sim, wrsim_find(sim, "a.x"))));
            continue;
        }
        wrsim_stats stats;
        assert_int_equal(status, WRSIM_OK);
        assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
        assert_true(s.part[0].n_task > s.part[0].n_integrated);
        assert_int_equal(s.part[0].n_integrated + s.part[1].n_integrated,
                         stats.n_integration + stats.n_wasted);
    }
}

/* Integrations of the shadow, which slack.watch needs, are no integrations of the run. */
TEST(slackened)
{
    for (int k = 0; k < 2 * N_WORKER; k++) {
        const int n_worker = 1 + k / 2;
        double value[4 * N_VALUE];
        seen s = start();
        const wrsim_observer observer = observer_of(&s);
        AUTO(wrsim_destroy) wrsim *sim = open_run(slackened[k % 2], n_worker);
        run(sim, &observer, -1, value);
        wrsim_stats stats;
        assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
        int64_t n_integrated = 0, n_waited = 0, n_sweep = 0;
        for (int i = 0; i < N_SUBSYSTEM; i++) {
            assert_int_equal(s.part[i].n_period, stats.n_window);
            n_integrated += s.part[i].n_integrated;
            n_waited += s.part[i].n_waited;
            n_sweep += s.part[i].n_sweep;
        }
        assert_int_equal(n_integrated, stats.n_integration);
        assert_int_equal(n_sweep, stats.n_integration);
        assert_int_equal(n_waited, stats.n_wait);
        assert_int_equal(s.n_window + s.n_sweep + s.n_rejection, 0);
        check_subsystems(sim, &s, N_SUBSYSTEM);
    }
}

TEST(one_subsystem)
{
    for (int n_worker = 1; n_worker <= N_WORKER; n_worker++) {
        double value[4 * N_VALUE];
        seen s = start();
        const wrsim_observer observer = observer_of(&s);
        AUTO(wrsim_destroy) wrsim *sim = open_run(monolithic, n_worker);
        run(sim, &observer, -1, value);
        assert_int_equal(s.n_window + s.n_sweep + s.n_rejection, 0);
        assert_true(s.part[0].n_task > 0);
        assert_true(s.part[0].step_s >= 1.0);
        check_subsystems(sim, &s, 1);
    }
}

/* Setting and removing an observer changes no bit. */
TEST(same_bits)
{
    const char *const texts[] = {relaxed, slackened[0], slackened[1], monolithic};
    for (int k = 0; k < 4; k++)
        for (int n_worker = 1; n_worker <= N_WORKER; n_worker++) {
            double value[3][4 * N_VALUE];
            for (int i = 0; i < 3; i++) {
                seen s = start();
                const wrsim_observer observer = observer_of(&s);
                AUTO(wrsim_destroy) wrsim *sim = open_run(texts[k], n_worker);
                s.window_s = 0.0;
                if (i == 2) { /* without some of the callbacks */
                    wrsim_observer partial = observer;
                    partial.window = partial.sweep = NULL;
                    partial.step = NULL;
                    partial.period = NULL;
                    run(sim, &partial, 1, value[i]);
                } else
                    run(sim, i == 0 ? NULL : &observer, -1, value[i]);
            }
            assert_memory_equal(value[0], value[1], sizeof value[0]);
            assert_memory_equal(value[0], value[2], sizeof value[0]);
        }
}

TEST(refused)
{
    seen s = start();
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = open_run(monolithic, 1);
    wrsim_observer observer = observer_of(&s);
    observer.size_bytes = 0;
    assert_int_equal(wrsim_observe(sim, &observer, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "size_bytes"));
    struct {
        wrsim_observer known;
        void (*unknown)(void);
    } newer = {.known = observer_of(&s)};
    newer.known.size_bytes = sizeof newer;
    assert_int_equal(wrsim_observe(sim, &newer.known, &err), WRSIM_OK);
    observer.size_bytes = offsetof(wrsim_observer, commit); /* the oldest size */
    observer.commit = NULL;
    observer.decision = NULL;
    assert_int_equal(wrsim_observe(sim, &observer, &err), WRSIM_OK);
    newer.unknown = abort;
    assert_int_equal(wrsim_observe(sim, &newer.known, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "this version"));
    assert_int_equal(wrsim_observe(NULL, &observer, &err), WRSIM_E_ARG);
    assert_int_equal(wrsim_observe(sim, NULL, &err), WRSIM_OK);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
    assert_int_equal(wrsim_observe(sim, NULL, &err), WRSIM_E_STATE);
}
