/* Services of a host: the logger receives each message once and in order. The allocator serves all memory of a run, also after a
 * failure, and the run frees all of it. Results have the same bits with and without an allocator. Simulations in several threads share
 * one host. Argument: distance between the calls of the allocator that fail in turn (default 1: each call fails). */
#include "prepared.h"
#include "wr_model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char text[] = "[simulation]\nstop = 2.0\ncommunication_step = 0.125\nrtol = 1e-8\n"
                           "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\n"
                           "parameters = { a = -1.0, b = 0.5 }\nstart = { x = 1.0 }\n"
                           "[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\n"
                           "parameters = { a = -2.0, b = 0.5 }\nstart = { x = 3.0 }\n"
                           "[[connection]]\nfrom = \"u.x\"\nto = \"v.u\"\n"
                           "[[connection]]\nfrom = \"v.x\"\nto = \"u.u\"\n"
                           "[output]\nfile = \"\"\n";
static const char sick[] = "[simulation]\nstop = 1.0\n"
                           "[[component]]\nname = \"sick\"\nmodel = \"test.faulty\"\n"
                           "parameters = { nan_time = 0.5 }\n";

/* Configs whose features need further memory. */
#define PAIR                                                                                       \
    "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\nparameters = { a = -1.0, b = 0.5 }\n"     \
    "start = { x = 1.0 }\n[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\n"                    \
    "parameters = { a = -2.0, b = 0.5 }\nstart = { x = 3.0 }\n"                                    \
    "[[connection]]\nfrom = \"u.x\"\nto = \"v.u\"\n"
static const char recorded[] =
    "[simulation]\nstop = 2.0\ncommunication_step = 0.125\n"
    "[relaxation]\nacceleration = \"anderson\"\nhistory.period = 0.5\n[solver]\nkind = "
    "\"auto\"\n" PAIR "[[connection]]\nfrom = \"v.x\"\nto = \"u.u\"\n"
    "[[scenario]]\nname = \"push\"\nsignal = \"u.x\"\naction = \"bias\"\nvalue = 0.1\n"
    "when = \"v.x < 1.0\"\n"
    "[output]\nfile = \"refusals.h5\"\nwaves = true\njson = \"refusals.json\"\n";
static const char slackened[] =
    "[simulation]\nstop = 2.0\ncommunication_step = 0.125\n[relaxation]\nscheme = \"slack\"\n"
    "[slack]\nperiod = 0.0625\ndelays = \"drawn\"\nwatch = 1\neps_loc = 1.0\n"
    "[solver]\nkind = \"rk4\"\nstep = 0.03125\nspare_steps = 1\n" PAIR
    "[[port]]\nname = \"push\"\nto = \"u.u\"\n[[port]]\nname = \"seen\"\nfrom = \"v.x\"\n"
    "[[scenario]]\nname = \"off\"\nparameter = \"v.a\"\nvalue = -1.5\nat = \"api\"\n"
    "[output]\nfile = \"\"\n";
static const char paced[] =
    "[simulation]\nstop = 2.0\ncommunication_step = 0.125\n[relaxation]\nscheme = \"slack\"\n"
    "[slack]\nlog = \"refusals_log.csv\"\n[realtime]\nrate = 1e5\njitter = true\n" PAIR
    "[output]\nfile = \"refusals.csv\"\n";

/* ---- an allocator that counts ---- */

enum { HEAD_BYTES = 64 };
typedef struct head {
    size_t bytes, alignment;
    unsigned char *room;
} head;

typedef struct pool {
    _Atomic long n_asked, n_given, n_back, n_wrong;
    _Atomic size_t bytes, most_bytes;
    long fail_at;      /* number, from 1, of the first call that fails; 0: none */
    int is_once;       /* only call fail_at fails, else all later calls fail, too */
    int is_misaligned; /* failing calls return unaligned memory */
} pool;

/* Allocates memory filled with bytes that must not affect results. */
static void *take(void *user, size_t bytes, size_t alignment)
{
    pool *const p = user;
    const long call = ++p->n_asked;
    const int is_power = alignment && (alignment & (alignment - 1)) == 0;
    if (bytes == 0 || !is_power || alignment > 4096)
        p->n_wrong++;
    const int fails = p->fail_at && (p->is_once ? call == p->fail_at : call >= p->fail_at);
    if (fails && !p->is_misaligned)
        return NULL;
    unsigned char *const room = malloc(bytes + alignment + HEAD_BYTES + sizeof(head));
    if (!room)
        return NULL;
    uintptr_t at = ((uintptr_t)room + HEAD_BYTES + alignment - 1) / alignment * alignment;
    if (fails)
        at += 1;
    const head h = {bytes, alignment, room};
    memcpy((unsigned char *)at - sizeof h, &h, sizeof h);
    memset((unsigned char *)at, 0xa5, bytes);
    p->n_given++;
    const size_t now = atomic_fetch_add(&p->bytes, bytes) + bytes;
    if (now > p->most_bytes)
        p->most_bytes = now;
    return (void *)at;
}

static void give(void *user, void *block, size_t bytes)
{
    pool *const p = user;
    head h;
    memcpy(&h, (unsigned char *)block - sizeof h, sizeof h);
    if (h.bytes != bytes)
        p->n_wrong++;
    p->n_back++;
    p->bytes -= h.bytes;
    free(h.room);
}

static wrsim_host host_of(pool *p)
{
    return (wrsim_host){
        .size_bytes = sizeof(wrsim_host), .allocate = take, .release = give, .memory_user = p};
}

static void assert_all_back(pool *p)
{
    assert_int_equal(p->n_wrong, 0);
    assert_int_equal(p->n_given, p->n_back);
    assert_int_equal(p->bytes, 0);
}

/* ---- a run, whole ---- */

/* Runs a config with a snapshot and, except for `paced`, a return to the start. Returns u.x at the end, NaN after a failure; *ret_status is
 * the first negative status, or the status of the run. */
static double run_text(const char *toml, const wrsim_host *host, wrsim_status *ret_status)
{
    wrsim_config *config = config_of(toml, NULL, 0);
    wrsim *sim = NULL;
    wrsim_snapshot *snapshot = NULL;
    double x = (double)NAN;
    wrsim_status status = wrsim_create_hosted(config, host, NULL, NULL, &sim, NULL);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = wrsim_prepare(sim, NULL);
    if (status >= 0)
        status = wrsim_keep_start(sim, NULL);
    if (status >= 0)
        status = wrsim_advance(sim, 1.0, NULL);
    if (status >= 0)
        status = wrsim_snapshot_create(sim, &snapshot, NULL);
    if (status >= 0)
        status = wrsim_advance(sim, 1.5, NULL);
    if (status >= 0 && toml != paced) /* a paced run with a log cannot roll back */
        status = wrsim_snapshot_restore(sim, snapshot, NULL);
    if (status >= 0 && toml != paced)
        status = wrsim_reset(sim, NULL);
    if (status >= 0)
        status = wrsim_run(sim, NULL);
    if (status >= 0)
        x = wrsim_get(sim, wrsim_find(sim, "u.x"));
    if (sim)
        wrsim_finish(sim, NULL);
    wrsim_destroy(&sim);
    wrsim_snapshot_destroy(&snapshot);
    *ret_status = status;
    return x;
}

static double run(const wrsim_host *host, wrsim_status *ret_status)
{
    return run_text(text, host, ret_status);
}

TEST(memory_is_the_hosts)
{
    wrsim_status status;
    pool p = {0};
    const wrsim_host host = host_of(&p);
    const double plain = run(NULL, &status), hosted = run(&host, &status);
    assert_int_equal(status, WRSIM_OK);
    assert_memory_equal(&plain, &hosted, sizeof plain);
    assert_all_back(&p);
    assert_true(p.n_given > 10 && p.most_bytes > (size_t)1 << 18);
}

/* If any call of the allocator fails or returns unaligned memory, the run reports "out of memory" and frees all memory. */
static void refuse_each(const char *toml)
{
    const long every = (long)wr_test_number(1, 1);
    wrsim_status status;
    pool whole = {0};
    const wrsim_host host = host_of(&whole);
    run_text(toml, &host, &status);
    assert_true(status >= 0);
    const long n = whole.n_asked;
    assert_true(n > 10 && n < 5000);
    for (int how = toml == text ? 0 : 2; how < 3; how++) /* in other configs only one call fails */
        for (long i = 1 + how % every; i <= n; i += every) {
            pool p = {.fail_at = i, .is_misaligned = how == 1, .is_once = how == 2};
            const wrsim_host refusing = host_of(&p);
            const double x = run_text(toml, &refusing, &status);
            if (status != WRSIM_E_MEMORY)
                print_error("refusal %ld of %ld (%d): %s\n", i, n, how, wrsim_status_name(status));
            assert_int_equal(status, WRSIM_E_MEMORY);
            assert_true(isnan(x));
            assert_all_back(&p);
        }
}

TEST(each_refusal)
{
    static const char *const files[] = {"refusals.h5",       "refusals.json",
                                        "refusals.csv",      "refusals_log.csv",
                                        "refusals.csv.json", "refusals_log.csv.json"};
    refuse_each(text);
    refuse_each(recorded);
    refuse_each(slackened);
    refuse_each(paced);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
}

/* ---- an advance allocates no memory ---- */

TEST(none_in_an_advance)
{
    pool p = {0};
    const wrsim_host host = host_of(&p);
    wrsim_config *config = config_of(text, NULL, 0);
    wrsim *sim = NULL;
    assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    const long before = p.n_asked, back = p.n_back; /* memory for start values is freed already */
    for (int i = 1; i <= 16; i++)
        assert_int_equal(wrsim_advance(sim, 0.125 * i, NULL), WRSIM_OK);
    assert_int_equal(p.n_asked, before);
    assert_int_equal(p.n_back, back);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    assert_all_back(&p);
}

/* ---- the logger ---- */

enum { MOST_LINES = 16 };
typedef struct log_book {
    int n, n_outside; /* lines, and lines from another thread than `owner` */
    wrsim_log_level level[MOST_LINES];
    char line[MOST_LINES][256];
    pthread_t owner;
    wrsim *sim; /* simulation for calls from the logger; NULL: none */
    int n_refused;
} log_book;

static void log_line(void *user, wrsim_log_level level, const char *line)
{
    log_book *const b = user;
    b->n_outside += !pthread_equal(b->owner, pthread_self());
    if (b->n < MOST_LINES) {
        b->level[b->n] = level;
        snprintf(b->line[b->n], sizeof b->line[0], "%s", line);
    }
    b->n++;
    assert_null(strchr(line, '\n'));
    if (!b->sim)
        return;
    wrsim *same = b->sim;
    b->n_refused += wrsim_advance(b->sim, 9.0, NULL) == WRSIM_E_STATE;
    b->n_refused += wrsim_finish(b->sim, NULL) == WRSIM_E_STATE;
    b->n_refused += wrsim_reset(b->sim, NULL) == WRSIM_E_STATE;
    wrsim_destroy(&same);
    b->n_refused += same == b->sim;
}

TEST(logger)
{
    log_book book = {.owner = pthread_self()};
    const wrsim_host host = {.size_bytes = sizeof(wrsim_host), .log = log_line, .log_user = &book};
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(sick, NULL, 0);
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    assert_int_equal(book.n, 2);
    assert_int_equal(wrsim_advance(sim, 0.25, NULL), WRSIM_OK);
    assert_int_equal(book.n, 2); /* a successful advance logs nothing */
    assert_int_equal(wrsim_advance(sim, (double)NAN, NULL), WRSIM_E_ARG);
    assert_int_equal(book.n, 2); /* a refused advance logs nothing */
    book.sim = sim;
    assert_int_equal(wrsim_run(sim, &err), WRSIM_E_NAN);
    assert_int_equal(book.n, 3);
    assert_int_equal(book.n_refused, 4);
    assert_int_equal(wrsim_advance(sim, 1.0, NULL),
                     WRSIM_E_STATE); /* the calls of the logger do not hide the failure */
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_OK);
    assert_int_equal(book.n, 4);
    assert_int_equal(wrsim_finish(sim, NULL), WRSIM_E_STATE);
    assert_int_equal(book.n, 4);
    static const wrsim_log_level levels[] = {WRSIM_LOG_INFO, WRSIM_LOG_INFO, WRSIM_LOG_ERROR,
                                             WRSIM_LOG_INFO};
    static const char *const parts[] = {"created", "prepared", "", "finished"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(book.level[i], levels[i]);
        assert_non_null(strstr(book.line[i], parts[i]));
    }
    assert_int_equal(strncmp(book.line[2], err.text, sizeof book.line[0] - 1), 0);
    assert_int_equal(book.n_outside, 0);
    book.sim = NULL;
}

/* The logger receives each error of setup with its position. */
TEST(logger_in_setup)
{
    static const char wrong[] = "[simulation]\nstop = 1.0\n"
                                "[[component]]\nname = \"a\"\nmodel = \"nothing\"\n"
                                "[[component]]\nname = \"b\"\nmodel = \"no_more\"\n";
    log_book book = {.owner = pthread_self()};
    const wrsim_host host = {.size_bytes = sizeof(wrsim_host), .log = log_line, .log_user = &book};
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(wrong, NULL, 0);
    wrsim *sim = NULL;
    assert_true(wrsim_create_hosted(config, &host, NULL, NULL, &sim, NULL) < 0);
    assert_null(sim);
    assert_int_equal(book.n, 2);
    assert_int_equal(book.level[0], WRSIM_LOG_ERROR);
    assert_non_null(strstr(book.line[0], "test.toml:5: "));
    assert_non_null(strstr(book.line[1], "test.toml:8: "));
}

/* ---- refused hosts and models ---- */

static int64_t now(void *user) { return *(int64_t *)user; }
static void sleep_until(void *user, int64_t due_ns) { *(int64_t *)user = due_ns; }

typedef struct newer_host {
    wrsim_host host;
    void *more;
} newer_host;

static void check_host(const wrsim_host *host, wrsim_status expected, const char *says)
{
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(text, NULL, 0);
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    assert_int_equal(wrsim_create_hosted(config, host, NULL, NULL, &sim, &err), expected);
    assert_true((sim != NULL) == (expected >= 0));
    if (!strstr(err.text, says))
        print_error("'%s' does not say '%s'\n", err.text, says);
    assert_non_null(strstr(err.text, says));
}

TEST(hosts_that_are_not_complete)
{
    const size_t size = sizeof(wrsim_host);
    int64_t clock = 0;
    pool p = {0};
    check_host(NULL, WRSIM_OK, "");
    check_host(&(wrsim_host){.size_bytes = size}, WRSIM_OK, "");
    check_host(&(wrsim_host){0}, WRSIM_E_ARG, "size_bytes");
    check_host(&(wrsim_host){.size_bytes = offsetof(wrsim_host, models) - 1}, WRSIM_E_ARG,
               "size_bytes");
    check_host(&(wrsim_host){.size_bytes = SIZE_MAX}, WRSIM_E_ARG, "size_bytes");
    check_host(&(wrsim_host){.size_bytes = size, .allocate = take, .memory_user = &p}, WRSIM_E_ARG,
               "allocate and release");
    check_host(&(wrsim_host){.size_bytes = size, .release = give, .memory_user = &p}, WRSIM_E_ARG,
               "allocate and release");
    check_host(&(wrsim_host){.size_bytes = size, .now_ns = now, .clock_user = &clock}, WRSIM_E_ARG,
               "now_ns and sleep_until_ns");
    check_host(&(wrsim_host){.size_bytes = size, .sleep_until_ns = sleep_until}, WRSIM_E_ARG,
               "now_ns and sleep_until_ns");
    check_host(
        &(wrsim_host){
            .size_bytes = size, .now_ns = now, .sleep_until_ns = sleep_until, .clock_user = &clock},
        WRSIM_OK, "");
    newer_host newer = {.host = {.size_bytes = sizeof newer}};
    check_host(&newer.host, WRSIM_OK, "");
    newer.more = &p;
    check_host(&newer.host, WRSIM_E_ARG, "version");
    assert_int_equal(p.n_asked, 0);
}

/* ---- models of the host ---- */

static const char decaying[] = "[simulation]\nstop = 2.0\ncommunication_step = 0.125\nrtol = 1e-9\n"
                               "[[component]]\nname = \"u\"\nmodel = \"host.decay\"\n"
                               "parameters = { rate = 0.75 }\n"
                               "[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\n"
                               "parameters = { a = -2.0, b = 0.5 }\n"
                               "[[connection]]\nfrom = \"u.x\"\nto = \"v.u\"\n"
                               "[output]\nfile = \"\"\n";
static const wrsim_variable decay_params[] = {{.name = "rate", .unit = "1/s", .start = 1.0}};

static int decay_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable x = {.name = "x", .unit = "1", .start = 1.0, .nominal = 1.0};
    static const wrsim_variable y = {
        .name = "x", .unit = "1", .nominal = 1.0, .flags = WRSIM_IS_STATE};
    return to->add(to, WRSIM_STATE, &x) | to->add(to, WRSIM_OUTPUT, &y);
}

RHS(decay_rhs) { ret_dx[0] = -self->param[0] * at->x[0]; }

static const wrsim_model decay = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "host.decay",
                                  .n_param = 1,
                                  .params = decay_params,
                                  .describe = decay_describe,
                                  .rhs = decay_rhs};

TEST(models_of_the_host)
{
    const wrsim_model *const models[] = {&decay, NULL};
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    wrsim_status status;
    const double x = run_text(decaying, &host, &status);
    assert_int_equal(status, WRSIM_OK);
    assert_true(fabs(x - exp(-1.5)) < 1e-8);
    run_text(decaying, NULL, &status); /* another simulation lacks the model */
    assert_int_equal(status, WRSIM_E_CONFIG);
}

/* A split run compares its work with a monolithic run, which also has the models of the host. */
TEST(models_in_a_second_run)
{
    /* The guard compares works after 2e9 counted instructions, if the whole run has more than 1.5e11 (runtime/sim/run.c). With many
     * states and short windows a run soon reaches these counts. */
    static const char endless[] =
        "[simulation]\nstop = 1.0\ncommunication_step = 0.125\n[solver]\nkind = \"bs32\"\n"
        "[relaxation]\nwindow = { initial = 1e-7, min = 1e-7, max = 1e-7 }\n"
        "[scheduler]\nworkers = 1\n"
        "[[component]]\nname = \"u\"\nmodel = \"host.decay\"\n"
        "[[component]]\nname = \"v\"\nmodel = \"rc_ladder\"\nparameters = { n = 900 }\n"
        "[output]\nfile = \"\"\n";
    const wrsim_model *const models[] = {&decay, NULL};
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(endless, NULL, 0);
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_prepare(sim, NULL), WRSIM_OK);
    assert_int_equal(wrsim_run(sim, NULL), WRSIM_E_CONTRACT);
}

TEST(models_that_are_refused)
{
    const wrsim_model *const none[] = {NULL}, *const twice[] = {&decay, &decay, NULL};
    wrsim_model known = decay, other_abi = decay, short_one = decay;
    short_one.struct_size = offsetof(wrsim_model, own_state);
    known.name = "dahlquist";
    other_abi.abi = WRSIM_MODEL_ABI + 1;
    const wrsim_model *const built_in[] = {&known, NULL}, *const foreign[] = {&other_abi, NULL},
                             *const cut[] = {&short_one, NULL};
    const size_t size = sizeof(wrsim_host);
    check_host(&(wrsim_host){.size_bytes = size, .models = none}, WRSIM_E_PLUGIN, "no models");
    check_host(&(wrsim_host){.size_bytes = size, .models = twice}, WRSIM_E_PLUGIN,
               "two models named 'host.decay'");
    check_host(&(wrsim_host){.size_bytes = size, .models = built_in}, WRSIM_E_PLUGIN,
               "another model has this name");
    check_host(&(wrsim_host){.size_bytes = size, .models = foreign}, WRSIM_E_PLUGIN, "ABI");
    check_host(&(wrsim_host){.size_bytes = size, .models = cut}, WRSIM_E_PLUGIN, "descriptor");
    /* The host struct of the first version ends before `models`. */
    check_host(&(wrsim_host){.size_bytes = offsetof(wrsim_host, models), .models = none}, WRSIM_OK,
               "");
}

/* ---- several simulations in several threads ---- */

typedef struct task {
    const wrsim_host *host;
    double x;
    wrsim_status status;
} task;

static void *run_task(void *user)
{
    task *const t = user;
    t->x = run(t->host, &t->status);
    return NULL;
}

TEST(several_in_several_threads)
{
    enum { N = 4 };
    pool p = {0};
    const wrsim_host host = host_of(&p);
    wrsim_status status;
    const double alone = run(NULL, &status);
    task tasks[N];
    pthread_t thread[N];
    for (int i = 0; i < N; i++) {
        tasks[i] = (task){.host = &host};
        assert_int_equal(pthread_create(&thread[i], NULL, run_task, &tasks[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(tasks[i].status, WRSIM_OK);
        assert_memory_equal(&tasks[i].x, &alone, sizeof alone);
    }
    assert_all_back(&p);
}
