/* Calls most public functions of a simulation in every state, with good and with bad arguments. A table has the expected statuses for
 * good arguments. Refused calls change no result. */
#include "prepared.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static const double P = 0.125; /* communication step, s */

/* The derivative of the model is NaN from 0.9 s on, so that the run fails. */
static const char text[] =
    "[simulation]\nstop = 1.5\ncommunication_step = 0.125\n"
    "[scheduler]\nworkers = 1\ntopology = \"core:1 pu:1\"\n"
    "[[component]]\nname = \"sick\"\nmodel = \"test.faulty\"\n"
    "parameters = { nan_time = 0.9 }\n"
    "[[port]]\nname = \"u\"\nto = \"sick.u\"\n"
    "[[port]]\nname = \"x\"\nfrom = \"sick.x\"\n"
    "[[scenario]]\nname = \"push\"\nsignal = \"sick.x\"\naction = \"reset\"\n"
    "value = 0.5\nat = \"api\"\n";
enum { U, X };

static wrsim *create(void) { return created(text, NULL, 0); }

/* ---- the calls, with good arguments ---- */

/* A simulation and its snapshot. */
typedef struct subject {
    wrsim *sim;
    wrsim_snapshot *snapshot;
} subject;

static wrsim_status do_prepare(subject *s, wrsim_error *err) { return wrsim_prepare(s->sim, err); }
static wrsim_status do_run(subject *s, wrsim_error *err) { return wrsim_run(s->sim, err); }
static wrsim_status do_advance(subject *s, wrsim_error *err)
{
    return wrsim_advance(s->sim, wrsim_time(s->sim) + P, err);
}
static wrsim_status do_finish(subject *s, wrsim_error *err) { return wrsim_finish(s->sim, err); }

static wrsim_status do_get_many(subject *s, wrsim_error *err)
{
    const int variable = wrsim_find(s->sim, "sick.x");
    double value;
    return wrsim_get_many(s->sim, 1, &variable, &value);
}

static wrsim_status do_port_set(subject *s, wrsim_error *err)
{
    return wrsim_port_set(s->sim, U, 0.0);
}

static wrsim_status do_port_get_many(subject *s, wrsim_error *err)
{
    const int port = X;
    double value;
    return wrsim_port_get_many(s->sim, 1, &port, &value);
}

static wrsim_status do_port_info(subject *s, wrsim_error *err)
{
    wrsim_port info;
    return wrsim_port_info(s->sim, U, &info);
}

static wrsim_status do_trigger(subject *s, wrsim_error *err)
{
    return wrsim_scenario_trigger(s->sim, 0, 0);
}

static wrsim_status do_set_value(subject *s, wrsim_error *err)
{
    return wrsim_scenario_set_value(s->sim, 0, 0.25);
}

static wrsim_status do_scenario_info(subject *s, wrsim_error *err)
{
    wrsim_scenario info;
    return wrsim_scenario_info(s->sim, 0, &info);
}

static wrsim_status do_stats(subject *s, wrsim_error *err)
{
    wrsim_stats stats;
    return wrsim_stats_get(s->sim, &stats);
}

static wrsim_status do_stats_subsystem(subject *s, wrsim_error *err)
{
    wrsim_subsystem_stats stats;
    return wrsim_stats_subsystem(s->sim, 0, &stats);
}

static wrsim_status do_stats_worker(subject *s, wrsim_error *err)
{
    wrsim_worker_stats stats;
    return wrsim_stats_worker(s->sim, 0, &stats);
}

static wrsim_status do_account(subject *s, wrsim_error *err)
{
    wrsim_error_account account;
    return wrsim_error_account_get(s->sim, &account);
}

static wrsim_status do_snapshot_create(subject *s, wrsim_error *err)
{
    wrsim_snapshot *snapshot = NULL;
    const wrsim_status status = wrsim_snapshot_create(s->sim, &snapshot, err);
    assert_true((snapshot != NULL) == (status >= 0));
    wrsim_snapshot_destroy(&snapshot);
    return status;
}

static wrsim_status do_take(subject *s, wrsim_error *err)
{
    return wrsim_snapshot_take(s->sim, s->snapshot, err);
}

static wrsim_status do_restore(subject *s, wrsim_error *err)
{
    return wrsim_snapshot_restore(s->sim, s->snapshot, err);
}

static wrsim_status do_keep_start(subject *s, wrsim_error *err)
{
    return wrsim_keep_start(s->sim, err);
}

static wrsim_status do_reset(subject *s, wrsim_error *err) { return wrsim_reset(s->sim, err); }

static wrsim_status do_write(subject *s, wrsim_error *err)
{
    const wrsim_status status = wrsim_checkpoint_write(s->sim, "misuse.ckpt", err);
    unlink("misuse.ckpt");
    return status;
}

static wrsim_status do_set_progress(subject *s, wrsim_error *err)
{
    return wrsim_set_progress(s->sim, NULL, NULL);
}

static wrsim_status do_read(subject *s, wrsim_error *err)
{
    return wrsim_checkpoint_read(s->sim, "no_such.ckpt", err);
}

/* ---- states ---- */

typedef enum where { NONE, CREATED, PREPARED, WITHIN, ADVANCED, FAILED, FINISHED, STATES } where;

/* Calls and the result of each in every state. o: done, a: wrong argument, s: wrong state, i: missing file, n: NaN of the model. */
static const struct {
    const char *name;
    wrsim_status (*call)(subject *s, wrsim_error *err);
    const char expected[STATES + 1];
    int says; /* 1: the call fills err */
} calls[] = {
    {"wrsim_prepare", do_prepare, "aosssss", 1},
    {"wrsim_run", do_run, "asnsnss", 1},
    {"wrsim_advance", do_advance, "asososs", 1},
    {"wrsim_finish", do_finish, "asosoos", 1},
    {"wrsim_set_progress", do_set_progress, "aoosooo", 0},
    {"wrsim_get_many", do_get_many, "asosooo", 0},
    {"wrsim_port_set", do_port_set, "asososs", 0},
    {"wrsim_port_get_many", do_port_get_many, "asooooo", 0},
    {"wrsim_port_info", do_port_info, "aoooooo", 0},
    {"wrsim_scenario_trigger", do_trigger, "asososs", 0},
    {"wrsim_scenario_set_value", do_set_value, "asososs", 0},
    {"wrsim_scenario_info", do_scenario_info, "aoooooo", 0},
    {"wrsim_stats_get", do_stats, "aoooooo", 0},
    {"wrsim_stats_subsystem", do_stats_subsystem, "aoooooo", 0},
    {"wrsim_stats_worker", do_stats_worker, "aoooooo", 0},
    {"wrsim_error_account_get", do_account, "aoooooo", 0},
    {"wrsim_snapshot_create", do_snapshot_create, "asososs", 1},
    {"wrsim_snapshot_take", do_take, "asososs", 1},
    {"wrsim_snapshot_restore", do_restore, "asosoos", 1},
    {"wrsim_keep_start", do_keep_start, "asososs", 1},
    {"wrsim_reset", do_reset, "asosoos", 1},
    {"wrsim_checkpoint_write", do_write, "asososs", 1},
    {"wrsim_checkpoint_read", do_read, "asisiis", 1},
};
enum { N_CALL = sizeof calls / sizeof *calls };

static wrsim_status status_of(char letter)
{
    return letter == 'o'   ? WRSIM_OK
           : letter == 'a' ? WRSIM_E_ARG
           : letter == 's' ? WRSIM_E_STATE
           : letter == 'i' ? WRSIM_E_IO
                           : WRSIM_E_NAN;
}

static void check_call(int i_call, where state, subject *s)
{
    wrsim_error err = {.text = "untouched"};
    const wrsim_status expected = status_of(calls[i_call].expected[state]);
    const wrsim_status got = calls[i_call].call(s, &err);
    if (got != expected)
        print_error("%s in state %d: %s, expected %s (%s)\n", calls[i_call].name, (int)state,
                    wrsim_status_name(got), wrsim_status_name(expected), err.text);
    assert_int_equal(got, expected);
    if (expected >= 0 || !calls[i_call].says) {
        assert_string_equal(err.text, "untouched");
        return;
    }
    assert_int_equal(err.status, expected);
    assert_string_not_equal(err.text, "untouched");
    if (expected == WRSIM_E_NAN || expected == WRSIM_E_IO)
        return;
    static const char *const words[STATES] = {
        [CREATED] = "call wrsim_prepare first", [PREPARED] = "prepared already",
        [WITHIN] = "the simulation is running", [ADVANCED] = "prepared already",
        [FAILED] = "the simulation has failed", [FINISHED] = "is finished"};
    const char *const why = expected == WRSIM_E_STATE ? words[state] : "";
    if (!strstr(err.text, calls[i_call].name) || !strstr(err.text, why))
        fail_msg("%s in state %d: '%s' lacks the call or '%s'", calls[i_call].name, (int)state,
                 err.text, why);
}

/* Returns a simulation in a state, with a snapshot and a kept start if the state permits. */
static subject subject_in(where state)
{
    subject s = {0};
    if (state == NONE)
        return s;
    s.sim = create();
    if (state == CREATED)
        return s;
    assert_int_equal(wrsim_prepare(s.sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_keep_start(s.sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_snapshot_create(s.sim, &s.snapshot, NULL), WRSIM_OK);
    if (state >= ADVANCED)
        assert_int_equal(wrsim_advance(s.sim, P, NULL), WRSIM_OK);
    if (state == FAILED)
        assert_int_equal(wrsim_advance(s.sim, 1.5, NULL), WRSIM_E_NAN);
    if (state == FINISHED)
        assert_int_equal(wrsim_finish(s.sim, NULL), WRSIM_OK);
    return s;
}

static void done(subject *s)
{
    wrsim_destroy(&s->sim);
    assert_null(s->sim);
    wrsim_snapshot_destroy(&s->snapshot);
}

TEST(every_call_in_every_state)
{
    for (int i = 0; i < N_CALL; i++)
        for (where w = NONE; w < STATES; w++) {
            if (w == WITHIN)
                continue;
            AUTO(done) subject s = subject_in(w);
            check_call(i, w, &s);
        }
}

/* ---- calls from callbacks ---- */

typedef struct caller {
    subject s;
    int n_call;
    int is_other_thread;
} caller;

/* Makes all calls from a callback. Another thread makes only the refused calls, because in a callback only the thread that advances may
 * read statistics, ports and texts. */
static void *call_all(void *user)
{
    caller *const c = user;
    for (int i = 0; i < N_CALL; i++)
        if (!c->is_other_thread || calls[i].expected[WITHIN] == 's') {
            check_call(i, WITHIN, &c->s);
            c->n_call++;
        }
    wrsim *same = c->s.sim;
    wrsim_destroy(&same); /* requests a stop */
    assert_ptr_equal(same, c->s.sim);
    return NULL;
}

static void call_back(void *user, const wrsim_progress *progress)
{
    caller *const c = user;
    pthread_t thread;
    if (c->n_call > 0)
        return;
    if (!c->is_other_thread) {
        call_all(c);
        return;
    }
    assert_int_equal(pthread_create(&thread, NULL, call_all, c), 0);
    pthread_join(thread, NULL);
}

/* Refused calls change no bit of the results. */
TEST(from_within)
{
    AUTO(wrsim_destroy) wrsim *plain = create();
    assert_int_equal(wrsim_prepare(plain, NULL), WRSIM_OK);
    assert_int_equal(wrsim_advance(plain, 4.0 * P, NULL), WRSIM_OK);
    const double expected = wrsim_port_get(plain, X);
    for (int is_other = 0; is_other < 2; is_other++) {
        caller c = {.s = subject_in(PREPARED), .is_other_thread = is_other};
        wrsim_set_progress(c.s.sim, call_back, &c);
        assert_int_equal(wrsim_advance(c.s.sim, 4.0 * P, NULL), WRSIM_STOPPED);
        assert_true(c.n_call > 10);
        assert_int_equal(wrsim_advance(c.s.sim, 4.0 * P, NULL), WRSIM_OK);
        const double got = wrsim_port_get(c.s.sim, X);
        assert_memory_equal(&got, &expected, sizeof got);
        done(&c.s);
    }
}

/* Two threads advance one simulation by mistake. Each call is refused or advances, and the result is accurate. */
typedef struct racer {
    wrsim *sim;
    int n_refused, n_wrong;
} racer;

/* Each thread advances to 400 end times in short intervals, so that the threads alternate. */
static void *race(void *user)
{
    racer *const r = user;
    for (int i = 1; i <= 400;) {
        const wrsim_status status = wrsim_advance(r->sim, 5.0 * P * i / 400.0, NULL);
        r->n_refused += status == WRSIM_E_STATE;
        r->n_wrong += status != WRSIM_E_STATE && status != WRSIM_OK;
        i += status != WRSIM_E_STATE;
        if (status == WRSIM_E_STATE)
            sched_yield();
    }
    return NULL;
}

TEST(two_threads_advance_one)
{
    AUTO(done) subject s = subject_in(PREPARED);
    racer r[2] = {{.sim = s.sim}, {.sim = s.sim}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, race, &r[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(r[i].n_wrong, 0);
    }
    assert_int_equal(wrsim_advance(s.sim, 5.0 * P, NULL), WRSIM_OK);
    assert_close(wrsim_time(s.sim), 5.0 * P, 1e-12, 0.0);
    assert_close(wrsim_port_get(s.sim, X), exp(-5.0 * P), 1e-4, 0.0);
}

/* ---- bad arguments, in every state ---- */

static void try_numbers(wrsim *sim)
{
    static const int wrong[] = {-1, 2, 1000000, INT32_MAX, INT32_MIN};
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 5; i++) {
        wrsim_port info;
        wrsim_scenario scenario;
        wrsim_subsystem_stats subsystem;
        wrsim_worker_stats worker;
        double value = 4.0;
        assert_true(wrsim_port_set(sim, wrong[i], 1.0) < 0);
        assert_true(wrsim_port_get_many(sim, 1, &wrong[i], &value) < 0);
        assert_close(value, 4.0, 0.0, 0.0);
        assert_true(isnan(wrsim_port_get(sim, wrong[i])));
        assert_int_equal(wrsim_port_info(sim, wrong[i], &info), WRSIM_E_ARG);
        assert_int_equal(wrsim_scenario_info(sim, wrong[i], &scenario), WRSIM_E_ARG);
        assert_true(wrsim_scenario_trigger(sim, wrong[i], 1) < 0);
        assert_true(wrsim_scenario_set_value(sim, wrong[i], 1.0) < 0);
        assert_true(i == 1 || wrsim_get_many(sim, 1, &wrong[i], &value) < 0 || isnan(value));
        assert_true(isnan(wrsim_get(sim, wrong[i] == 2 ? -2 : wrong[i])));
        assert_int_equal(wrsim_stats_subsystem(sim, wrong[i], &subsystem), WRSIM_E_ARG);
        assert_int_equal(wrsim_stats_worker(sim, wrong[i], &worker), WRSIM_E_ARG);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(wrsim_port_set(sim, U, bad[i]) < 0);
        assert_true(wrsim_scenario_set_value(sim, 0, bad[i]) < 0);
        assert_true(wrsim_advance(sim, bad[i], NULL) < 0);
    }
}

static void try_missing(wrsim *sim)
{
    const int port = X;
    double value = 4.0;
    assert_true(wrsim_port_set_many(sim, 1, NULL, &value) < 0);
    assert_true(wrsim_port_set_many(sim, 1, &port, NULL) < 0);
    assert_true(wrsim_port_set_many(sim, INT32_MIN, &port, &value) < 0);
    assert_true(wrsim_port_set(sim, X, 1.0) < 0); /* an output port */
    assert_true(wrsim_port_get_many(sim, 1, NULL, &value) < 0);
    assert_true(wrsim_port_get_many(sim, 1, &port, NULL) < 0);
    assert_true(wrsim_port_get_many(sim, -1, &port, &value) < 0);
    assert_true(isnan(wrsim_port_get(sim, U))); /* an input port */
    assert_true(wrsim_get_many(sim, -1, &port, &value) < 0);
    assert_true(wrsim_get_many(sim, 1, NULL, &value) < 0);
    assert_true(wrsim_get_many(sim, 1, &port, NULL) < 0);
    assert_int_equal(wrsim_port_info(sim, U, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_scenario_info(sim, 0, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_port_find(sim, NULL), -1);
    assert_int_equal(wrsim_port_find(sim, ""), -1);
    assert_int_equal(wrsim_scenario_find(sim, NULL), -1);
    assert_int_equal(wrsim_find(sim, NULL), -1);
    assert_int_equal(wrsim_stats_get(sim, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_stats_subsystem(sim, 0, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_stats_worker(sim, 0, NULL), WRSIM_E_ARG);
    assert_int_equal(wrsim_error_account_get(sim, NULL), WRSIM_E_ARG);
    assert_true(wrsim_snapshot_create(sim, NULL, NULL) < 0);
    assert_true(wrsim_snapshot_take(sim, NULL, NULL) < 0);
    assert_true(wrsim_snapshot_restore(sim, NULL, NULL) < 0);
    assert_true(wrsim_checkpoint_write(sim, NULL, NULL) < 0);
    assert_true(wrsim_checkpoint_write(sim, "", NULL) < 0);
    assert_true(wrsim_checkpoint_read(sim, NULL, NULL) < 0);
    assert_close(value, 4.0, 0.0, 0.0);
}

TEST(bad_arguments)
{
    for (where w = NONE; w < STATES; w++) {
        if (w == WITHIN)
            continue;
        AUTO(done) subject s = subject_in(w);
        AUTO(done) subject other = subject_in(PREPARED);
        const double before = wrsim_port_get(s.sim, X);
        try_numbers(s.sim);
        try_missing(s.sim);
        assert_true(wrsim_snapshot_take(s.sim, other.snapshot, NULL) < 0); /* of another run */
        assert_true(wrsim_snapshot_restore(s.sim, other.snapshot, NULL) < 0);
        const double after = wrsim_port_get(s.sim, X);
        assert_true(isnan(before) ? isnan(after) : memcmp(&before, &after, sizeof after) == 0);
    }
}

/* ---- after a failure ---- */

TEST(back_from_a_failure)
{
    AUTO(done) subject s = subject_in(FAILED);
    assert_int_equal(wrsim_advance(s.sim, 1.5, NULL), WRSIM_E_STATE);
    assert_int_equal(wrsim_reset(s.sim, NULL), WRSIM_OK);
    assert_close(wrsim_time(s.sim), 0.0, 0.0, 0.0);
    assert_int_equal(wrsim_port_set(s.sim, U, 0.0), WRSIM_OK);
    assert_int_equal(wrsim_advance(s.sim, P, NULL), WRSIM_OK);
    assert_close(wrsim_port_get(s.sim, X), exp(-P), 1e-4, 0.0);
    assert_int_equal(wrsim_advance(s.sim, 1.5, NULL), WRSIM_E_NAN);
    assert_int_equal(wrsim_finish(s.sim, NULL), WRSIM_OK);
}
