/* Tests of requests of models: an event at the end of a step (WRSIM_ENTER_EVENT), and an event that ends the run (WRSIM_TERMINATE). */
#include "wr_model.h"
#include "wr_test.h"

#include <unistd.h>

#include <wrsim/wrsim.h>

/* The model asks for an event after each third step. */
enum { EVERY = 3 };
typedef struct counts {
    double n_step, n_asked;
} counts;

static int describe_asker(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    to->memory_bytes = sizeof(counts);
    return wr_declare(to, "state: x=1 discrete: steps events input: u output: y:0");
}

RHS(rhs_asker) { ret_dx[0] = at->u[0] - 2.0 * at->x[0] + 0.01 * at->d[1] + cos(9.0 * at->t_s); }

static int ask(wrsim_instance *self, const wrsim_point *at)
{
    (void)at;
    counts *const c = self->memory;
    c->n_step += 1.0;
    return fmod(c->n_step, EVERY) > 0.0 ? 0 : WRSIM_ENTER_EVENT;
}

EVENT(event_asker)
{
    counts *const c = self->memory;
    if (!what->is_time_event)
        return;
    c->n_asked += 1.0;
    d[0] = c->n_step;
    d[1] = c->n_asked;
    x[0] += 0.02;
}

/* Ends of the run. BY_STATE: x reaches the parameter. BY_TIME: the time reaches the parameter. AT_ONCE: the initial event. AT_START: an
 * event that the initial event causes. */
enum { BY_STATE, BY_TIME, AT_ONCE, AT_START };
static const int kinds[] = {BY_STATE, BY_TIME, AT_ONCE, AT_START};
static const wrsim_variable params[] = {{.name = "last", .start = 0.777}};
DECLARE(describe_ender, "state: x input: u output: y:0 indicator: z timeless")
RHS(rhs_ender) { ret_dx[0] = 1.0 + 0.0 * at->u[0]; }
static int is_kind(const wrsim_instance *self, int kind)
{
    return *(const int *)self->user == kind;
}
INDICATORS(indicator_ender)
{
    ret_z[0] =
        is_kind(self, BY_STATE) || is_kind(self, AT_START) ? at->x[0] - self->param[0] : -1.0;
}
NEXT_TIME(next_ender)
{
    return is_kind(self, BY_TIME) && at->t_s < self->param[0] - 1e-9 ? self->param[0]
                                                                     : (double)INFINITY;
}
static int event_ender(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    (void)at, (void)d;
    if (what->is_initial && is_kind(self, AT_START))
        x[0] = 1.0;
    if (what->is_initial && !is_kind(self, AT_ONCE))
        return 0;
    self->message = "the tank is empty";
    return WRSIM_TERMINATE;
}

#define MODEL(name_) .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_
#define ENDER(name_, kind)                                                                         \
    {                                                                                              \
        MODEL(name_), .n_param = 1, .params = params, .user = &kinds[kind],                        \
                      .describe = describe_ender, .rhs = rhs_ender, .indicator = indicator_ender,  \
                      .event = event_ender, .next_time = next_ender                                \
    }
static const wrsim_model asker = {MODEL("test.asker"), .describe = describe_asker, .rhs = rhs_asker,
                                  .event = event_asker, .step_completed = ask};
static const wrsim_model by_state = ENDER("test.state", BY_STATE),
                         by_time = ENDER("test.time", BY_TIME),
                         at_once = ENDER("test.once", AT_ONCE),
                         at_start = ENDER("test.start", AT_START);
static const wrsim_model *const models[] = {&asker, &by_state, &by_time, &at_once, &at_start, NULL};

#define PAIR(first, second)                                                                        \
    "[simulation]\nstop = 2.0\ncommunication_step = 0.05\nrtol = 1e-6\n[output]\nfile = \"\"\n"    \
    "[[component]]\nname = \"a\"\nmodel = \"" first "\"\n"                                         \
    "[[component]]\nname = \"b\"\nmodel = \"" second "\"\n"                                        \
    "[[connection]]\nfrom = \"a.y\"\nto = \"b.u\"\n[[connection]]\nfrom = \"b.y\"\nto = \"a.u\"\n" \
    "[[subsystem]]\nname = \"s_a\"\ncomponents = [\"a\"]\nlevel = 0\n"                             \
    "[[subsystem]]\nname = \"s_b\"\ncomponents = [\"b\"]\nlevel = 1\n"

static const char *const settings[][3] = {
    {"simulation.monolithic=true"},
    {"relaxation.scheme=jacobi"},
    {"relaxation.scheme=gauss_seidel"},
    {"relaxation.acceleration=anderson"},
    {"relaxation.window.control=fixed", "relaxation.window.initial=0.3"},
    {"relaxation.scheme=gauss_seidel", "relaxation.ahead=true", "solver.kind=rk43"},
};
enum { N_SETTING = sizeof settings / sizeof *settings };

static wrsim *create(const char *text, const char *const *override)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    int n = 0;
    while (n < 3 && override[n])
        n++;
    if (wrsim_config_from_text(text, strlen(text), "requests.toml", override, n, NULL, NULL,
                               &config, &err) < 0 ||
        wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err) < 0)
        print_error("%s\n", err.text);
    wrsim_config_destroy(&config);
    assert_non_null(sim);
    return sim;
}

static double value_of(wrsim *sim, const char *name)
{
    return wrsim_get(sim, wrsim_find(sim, name));
}

/* Each third accepted step has an event, also after rollbacks. */
TEST(events_at_ends_of_steps)
{
    for (int k = 0; k < N_SETTING; k++) {
        wrsim_error err = {0};
        wrsim *sim = create(PAIR("test.asker", "test.asker"), settings[k]);
        assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        const wrsim_status status = wrsim_run(sim, &err);
        print_message("%d: %s %g events, x = %.9g\n", k, err.text, value_of(sim, "a.events"),
                      value_of(sim, "a.x"));
        assert_int_equal(status, WRSIM_OK);
        assert_true(value_of(sim, "a.events") > 2.0);
        assert_true(fabs(value_of(sim, "a.steps") - EVERY * value_of(sim, "a.events")) < 0.5);
        assert_true(fabs(value_of(sim, "b.steps") - EVERY * value_of(sim, "b.events")) < 0.5);
        /* The time of such an event depends on steps, so its error is unknown. The account does not count the whole change as error. */
        wrsim_error_account account;
        assert_int_equal(wrsim_error_account_get(sim, &account), WRSIM_OK);
        assert_true(k == 0 || account.not_covered[0] != '\0');
        assert_true(account.error < 0.01);
        wrsim_destroy(&sim);
    }
}

/* The run ends at the event, as a complete run with the model's message. A run from an earlier snapshot ends at the same time. */
TEST(end_of_a_run)
{
    static const char *const texts[] = {PAIR("test.time", "test.asker"),
                                        PAIR("test.state", "test.asker"),
                                        PAIR("test.state", "test.time")};
    for (int k = 0; k < N_SETTING; k++)
        for (int i = 0; i < 3; i++) {
            wrsim_error err = {0};
            wrsim_snapshot *snapshot = NULL;
            wrsim *sim = create(texts[i], settings[k]);
            assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
            assert_int_equal(wrsim_advance(sim, 0.4, &err), WRSIM_OK);
            assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_OK);
            const wrsim_status status = wrsim_run(sim, &err);
            const double end_s = wrsim_time(sim), x = value_of(sim, "a.x");
            print_message("%d, %d: %s t = %.17g, x = %.17g\n", k, i, err.text, end_s, x);
            assert_int_equal(status, WRSIM_OK);
            assert_true(fabs(end_s - 0.777) < (i == 0 ? 1e-10 : 1e-6));
            assert_true(fabs(x - end_s) < 1e-10);
            assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
            assert_int_equal(wrsim_advance(sim, 2.0, &err), WRSIM_OK);
            assert_true(wrsim_time(sim) <= end_s);
            assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
            assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
            const double again_s = wrsim_time(sim);
            assert_memory_equal(&again_s, &end_s, sizeof end_s);
            wrsim_snapshot_destroy(&snapshot);
            assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
            char *const summary = wrsim_summary(sim);
            assert_non_null(strstr(summary, "' ended the run at t = 0.777"));
            assert_non_null(strstr(summary, "the tank is empty"));
            assert_non_null(strstr(summary, "\"is_complete\": true"));
            free(summary);
            wrsim_destroy(&sim);
        }
}

/* A checkpoint of an ended run continues as an ended run. */
TEST(checkpoint_of_an_ended_run)
{
    static const char file[] = "ended.checkpoint";
    for (int k = 0; k < N_SETTING; k++) {
        wrsim_error err = {0};
        wrsim *sim = create(PAIR("test.state", "test.asker"), settings[k]);
        assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        assert_int_equal(wrsim_checkpoint_write(sim, file, &err), WRSIM_OK);
        const double end_s = wrsim_time(sim), x = value_of(sim, "b.x");
        wrsim_destroy(&sim);
        sim = create(PAIR("test.state", "test.asker"), settings[k]);
        assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        assert_int_equal(wrsim_checkpoint_read(sim, file, &err), WRSIM_OK);
        unlink(file);
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        const double again_s = wrsim_time(sim), x_again = value_of(sim, "b.x");
        assert_memory_equal(&again_s, &end_s, sizeof end_s);
        assert_memory_equal(&x_again, &x, sizeof x);
        assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
        char *const summary = wrsim_summary(sim);
        assert_non_null(strstr(summary, "' ended the run at t = 0.777"));
        assert_non_null(strstr(summary, "\"is_complete\": true"));
        free(summary);
        wrsim_destroy(&sim);
    }
}

/* A run that cannot end within a window fails with one sentence. */
TEST(refused)
{
    static const struct {
        const char *text, *override[3], *says;
    } cases[] = {
        {PAIR("test.asker", "test.asker"),
         {"simulation.max_stuck_events=1", "simulation.chatter_time=2.0", "simulation.rtol=1e-12"},
         "it asks for too many events at the ends of steps"},
        {PAIR("test.time", "test.asker"),
         {"relaxation.scheme=slack", "slack.period=0.05"},
         "this run cannot end within a window"},
        {PAIR("test.once", "test.asker"),
         {"simulation.monolithic=true"},
         "its initial event ends the run"},
        {PAIR("test.once", "test.asker"),
         {"relaxation.scheme=jacobi"},
         "its initial event ends the run"},
        {PAIR("test.start", "test.asker"),
         {"simulation.monolithic=true"},
         "an event at the start ends the run"},
        {PAIR("test.start", "test.asker"),
         {"relaxation.scheme=jacobi"},
         "an event at the start ends the run"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wrsim_error err = {0};
        wrsim *sim = create(cases[k].text, cases[k].override);
        if (wrsim_prepare(sim, &err) >= 0)
            wrsim_run(sim, &err);
        print_message("%s\n", err.text);
        assert_int_equal(err.status, k == 0 ? WRSIM_E_CHATTER : WRSIM_E_CALLBACK);
        assert_non_null(strstr(err.text, cases[k].says));
        wrsim_destroy(&sim);
    }
}
