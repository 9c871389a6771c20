/* Tests of models with an own state (wrsim_own_state). One model has three variants: the state is in instance->memory; outside, with
 * equations that read d; or outside, with equations that read the own state. The variants give the same bits. A further model has no
 * discrete states. */
#include "wr_model.h"
#include "wr_test.h"

#include <stdatomic.h>
#include <unistd.h>

#include <wrsim/wrsim.h>

/* The state besides x and d. The target and the scale equal the discrete states. */
typedef struct inner {
    double target, scale, filtered, next_s, n_event;
} inner;

/* MUTE: outside without bytes. HIDDEN: as READING, without discrete states. */
enum { MEMORY, OUTSIDE, READING, MUTE, HIDDEN };

typedef struct outside {
    inner now, copy[WRSIM_SLOTS];
    unsigned char is_alive[WRSIM_SLOTS];
} outside;

static struct {
    atomic_int n_keep, n_go_back, n_alive, most_alive, n_event, n_init, n_done, n_write, n_read;
    int keep_fails_at, bytes_fail, write_fails;
} calls;

static int kind_of(const wrsim_instance *self) { return *(const int *)self->user; }

static outside *outside_of(const wrsim_instance *self)
{
    outside *o;
    memcpy(&o, self->data, sizeof o);
    return o;
}

static inner *inner_of(const wrsim_instance *self)
{
    return kind_of(self) == MEMORY ? self->memory : &outside_of(self)->now;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->memory_bytes = kind_of(self) == MEMORY ? sizeof(inner) : 0;
    to->data_bytes = sizeof(outside *);
    return wr_declare(to, kind_of(self) == HIDDEN
                              ? "state: x=0.2 input: u output: y z indicator: up "
                                "U_Y: 1,0 X_Y: 0,0 X_Y: 1,0 timeless"
                              : "state: x=0.2 discrete: target=1 scale=1 input: u output: y z "
                                "indicator: up U_Y: 1,0 X_Y: 0,0 X_Y: 1,0 timeless");
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s;
    calls.n_init++;
    outside *const o = kind_of(self) == MEMORY ? NULL : calloc(1, sizeof *o);
    memcpy(self->data, &o, sizeof o);
    const double target = self->param[1] < 0.0 ? -1.0 : 1.0;
    if (kind_of(self) != HIDDEN)
        d[0] = target;
    x[0] += self->param[1];
    *inner_of(self) = (inner){.target = target, .scale = 1.0, .next_s = self->param[0]};
    return 0;
}

static void done(wrsim_instance *self)
{
    calls.n_done++;
    free(outside_of(self));
}

static double target_of(const wrsim_instance *self, const wrsim_point *at)
{
    return kind_of(self) >= READING ? inner_of(self)->target : at->d[0];
}

static double scale_of(const wrsim_instance *self, const wrsim_point *at)
{
    return kind_of(self) >= READING ? inner_of(self)->scale : at->d[1];
}

RHS(rhs)
{
    ret_dx[0] = 3.0 * (target_of(self, at) + 0.3 * scale_of(self, at) * at->u[0] - at->x[0]);
}

OUTPUTS(output)
{
    ret_y[0] = at->x[0] * scale_of(self, at);
    ret_y[1] = at->x[0] - 0.1 * at->u[0] * target_of(self, at);
}

INDICATORS(indicator) { ret_z[0] = target_of(self, at) * at->x[0] - 0.5; }

EVENT(event)
{
    inner *const o = inner_of(self);
    calls.n_event++;
    o->n_event += 1.0;
    if (what->fired && what->fired[0] > 0)
        o->target = o->target > 0.0 ? -1.0 - 0.1 * o->filtered : 1.0 - 0.1 * o->filtered;
    if (what->is_time_event) {
        o->next_s += 0.37 + 0.001 * o->n_event;
        o->scale = 1.0 + 0.2 * sin(at->u[0]);
        x[0] += 0.05 * at->u[0];
    }
    if (kind_of(self) == HIDDEN)
        return;
    d[0] = o->target;
    d[1] = o->scale;
}

NEXT_TIME(next_time) { return inner_of(self)->next_s; }

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    inner_of(self)->filtered += 0.125 * (at->x[0] - inner_of(self)->filtered);
    return 0;
}

/* ---- the own state ---- */

static int keep(wrsim_instance *self, int slot)
{
    outside *const o = outside_of(self);
    if (++calls.n_keep == calls.keep_fails_at)
        return -1;
    calls.n_alive += !o->is_alive[slot];
    calls.most_alive = calls.n_alive > calls.most_alive ? calls.n_alive : calls.most_alive;
    o->is_alive[slot] = 1;
    o->copy[slot] = o->now;
    return 0;
}

static int go_back(wrsim_instance *self, int slot)
{
    outside *const o = outside_of(self);
    calls.n_go_back++;
    o->now = o->copy[slot];
    return o->is_alive[slot] ? 0 : -1;
}

static void forget(wrsim_instance *self, int slot)
{
    calls.n_alive -= outside_of(self)->is_alive[slot];
    outside_of(self)->is_alive[slot] = 0;
}

static size_t bytes(wrsim_instance *self)
{
    self->message = calls.bytes_fail ? "no room" : self->message;
    return calls.bytes_fail ? SIZE_MAX : sizeof outside_of(self)->now;
}

static int write_bytes(wrsim_instance *self, void *to, size_t n_bytes)
{
    calls.n_write++;
    memcpy(to, &outside_of(self)->now, n_bytes);
    return calls.write_fails;
}

static int read_bytes(wrsim_instance *self, const void *from, size_t n_bytes)
{
    calls.n_read++;
    memcpy(&outside_of(self)->now, from, n_bytes);
    return 0;
}

static const wrsim_own_state own = {.struct_size = sizeof own,
                                    .keep = keep,
                                    .go_back = go_back,
                                    .forget = forget,
                                    .bytes = bytes,
                                    .write = write_bytes,
                                    .read = read_bytes},
                             mute = {.struct_size = sizeof mute,
                                     .keep = keep,
                                     .go_back = go_back,
                                     .forget = forget};
static const int kinds[] = {MEMORY, OUTSIDE, READING, MUTE, HIDDEN};
static const wrsim_variable params[] = {{.name = "first", .start = 0.3}, {.name = "shift"}};
#define MODEL(name_, kind, own_)                                                                   \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_,                 \
        .caps = WRSIM_CAP_NO_PROBE, .n_param = 2, .params = params, .user = &kinds[kind],          \
        .describe = describe, .init = init, .done = done, .rhs = rhs, .output = output,            \
        .indicator = indicator, .event = event, .next_time = next_time,                            \
        .step_completed = step_completed, .own_state = own_                                        \
    }
static const wrsim_model in_memory = MODEL("test.memory", MEMORY, NULL),
                         other = MODEL("test.outside", OUTSIDE, &own),
                         reading = MODEL("test.reading", READING, &own),
                         without = MODEL("test.mute", MUTE, &mute),
                         hidden = MODEL("test.hidden", HIDDEN, &own);
static const wrsim_model *const models[] = {&in_memory, &other, &reading, &without, &hidden, NULL};
static const char *const names[] = {"test.memory", "test.outside", "test.reading", "test.mute",
                                    "test.hidden"};

/* ---- runs ---- */

enum { N = 4, MOST_BYTES = 4096 };

/* Writes the config of a ring of N components. kind: model of all components but the last, whose model is ordinary. group[i]: subsystem of
 * component i. Within one subsystem the first two components have an event at the same instant. */
static void compose(char *text, int kind, const int *group, int n_worker, const char *more)
{
    static const double shift[] = {0.0, -0.3, 0.1};
    const double first[] = {0.3, group[0] == group[1] ? 0.3 : 0.21, 0.47};
    char *at = text;
    at += sprintf(at,
                  "[simulation]\nstop = 2.0\ncommunication_step = 0.05\nrtol = 1e-5\n"
                  "event_blocks = %d\n"
                  "[scheduler]\nworkers = %d\n[output]\nfile = \"\"\n%s",
                  kind == HIDDEN ? 1 : 2000, n_worker, more);
    for (int i = 0; i < N - 1; i++)
        at += sprintf(at,
                      "[[component]]\nname = \"c%d\"\nmodel = \"%s\"\n"
                      "parameters = { first = %g, shift = %g }\n",
                      i, names[kind], first[i], shift[i]);
    at += sprintf(at, "[[component]]\nname = \"c3\"\nmodel = \"test.memory\"\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "[[connection]]\nfrom = \"c%d.y\"\nto = \"c%d.u\"\n", i, (i + 1) % N);
    for (int g = 0; g < N; g++) {
        int n = 0;
        for (int i = 0; i < N; i++)
            if (group[i] == g)
                at += n++ == 0
                          ? sprintf(
                                at,
                                "[[subsystem]]\nname = \"s%d\"\nlevel = %d\ncomponents = [\"c%d\"",
                                g, g > 0, i)
                          : sprintf(at, ", \"c%d\"", i);
        at += n > 0 ? sprintf(at, "]\n") : 0;
    }
    assert_true(at - text < MOST_BYTES);
}

static wrsim *try_open(int n_worker, int kind, const int *group, const char *more, wrsim_error *err)
{
    char text[MOST_BYTES];
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    const int keep_fails_at = calls.keep_fails_at, bytes_fail = calls.bytes_fail;
    memset(&calls, 0, sizeof calls);
    calls.keep_fails_at = keep_fails_at;
    calls.bytes_fail = bytes_fail;
    compose(text, kind, group, n_worker, more);
    if (wrsim_config_from_text(text, strlen(text), "own.toml", NULL, 0, NULL, NULL, &config, err) <
            0 ||
        wrsim_create_hosted(config, &host, NULL, NULL, &sim, err) < 0 ||
        wrsim_prepare(sim, err) < 0)
        print_message("%s\n%s\n", text, err->text);
    wrsim_config_destroy(&config);
    return sim;
}

static wrsim *open_on(int n_worker, int kind, const int *group, const char *more)
{
    wrsim_error err = {0};
    wrsim *const sim = try_open(n_worker, kind, group, more, &err);
    assert_int_equal(err.status, WRSIM_OK);
    return sim;
}

static wrsim *open_run(int kind, const int *group, const char *more)
{
    return open_on(1, kind, group, more);
}

static void read_all(wrsim *sim, double *ret)
{
    static const char *const variables[] = {"x", "target", "scale", "y", "z"};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "c%d.%s", i, variables[k]);
            ret[5 * i + k] = wrsim_get(sim, wrsim_find(sim, name));
        }
}

static void advance(wrsim *sim, double t_s)
{
    wrsim_error err = {0};
    if (wrsim_advance(sim, t_s, &err) < 0)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, WRSIM_OK);
}

/* Each scheme with its settings. */
static const char *const settings[] = {
    "",
    "[relaxation]\nscheme = \"jacobi\"\n",
    "[relaxation]\nscheme = \"gauss_seidel\"\n",
    ("[relaxation]\nscheme = \"gauss_seidel\"\nahead = true\n[solver]\nkind = \"rk43\"\n"
     "[relaxation.window]\ncontrol = \"fixed\"\ninitial = 0.02\n"),
    "[relaxation]\nacceleration = \"anderson\"\n",
    "[relaxation]\n[relaxation.window]\ncontrol = \"fixed\"\ninitial = 0.1\n",
    "[solver]\nkind = \"rosenbrock_w\"\n",
    "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.01\ndelays = \"fixed\"\nwatch = 1\n",
};
enum { AHEAD = 3, N_SETTING = sizeof settings / sizeof *settings };

/* Neither the state's place nor the number of workers changes a bit. event() runs for events only, so all kinds count the same events. */
TEST(same_bits)
{
    unsigned seed = 7;
    for (int trial = 0; trial < 5 * N_SETTING; trial++) {
        int group[N] = {0, 1, 2, 3}, n_event[3];
        double value[3][5 * N];
        for (int i = 0; i < N && trial >= N_SETTING; i++)
            group[i] = (int)((seed = seed * 1103515245u + 12345u) >> 16) % N;
        for (int kind = MEMORY; kind <= READING; kind++) {
            wrsim *sim = open_on(kind == MEMORY ? 1 : 1 + trial % 3, kind, group,
                                 settings[trial % N_SETTING]);
            advance(sim, 2.0);
            read_all(sim, value[kind]);
            n_event[kind] = calls.n_event;
            wrsim_stats stats;
            wrsim_stats_get(sim, &stats);
            assert_true(trial != AHEAD || stats.n_ahead > 10);
            assert_true(calls.most_alive <= 3 * WRSIM_SLOTS);
            wrsim_destroy(&sim);
            assert_int_equal(calls.n_alive, 0);
            assert_int_equal(calls.n_init, calls.n_done);
            if (kind == MEMORY)
                continue;
            if (memcmp(value[MEMORY], value[kind], sizeof *value) != 0)
                print_message("trial %d, kind %d\n", trial, kind);
            assert_memory_equal(value[MEMORY], value[kind], sizeof *value);
            assert_int_equal(n_event[MEMORY], n_event[kind]);
        }
        print_message("%d: %d events, %d keeps\n", trial, n_event[0], calls.n_keep);
        assert_true(n_event[0] > 20);
    }
}

/* An event that changes only an own state changes indicators, also if the subsystem evaluates its indicators in blocks. */
TEST(hidden_changes)
{
    static const int together[N] = {0};
    double value[2][3 * N];
    for (int k = 0; k < 2; k++) {
        wrsim *sim = open_run(k == 0 ? READING : HIDDEN, together, "");
        advance(sim, 2.0);
        for (int i = 0; i < 3 * N; i++) {
            char name[32];
            snprintf(name, sizeof name, "c%d.%c", i / 3, "xyz"[i % 3]);
            value[k][i] = wrsim_get(sim, wrsim_find(sim, name));
        }
        wrsim_destroy(&sim);
    }
    assert_memory_equal(value[0], value[1], sizeof *value);
}

/* wrsim calls keep() once per window, and go_back() once per repeated integration or rejection, for each of the three instances. */
TEST(numbers_of_calls)
{
    static const int apart[N] = {0, 1, 2, 3}, together[N] = {0};
    for (int k = 0; k < 3; k++) {
        wrsim *sim = open_run(OUTSIDE, k == 2 ? together : apart, settings[k]);
        advance(sim, 2.0);
        wrsim_stats stats;
        int64_t n_more = 0;
        wrsim_stats_get(sim, &stats);
        for (int i = 0; i < (k == 2 ? 1 : 3); i++) {
            wrsim_subsystem_stats part;
            wrsim_stats_subsystem(sim, i, &part);
            n_more +=
                (k == 2 ? 3 : 1) * (part.n_integration - stats.n_window + stats.n_rejected + 1);
        }
        print_message("%d windows, %d keeps, %d go_backs, at most %d\n", (int)stats.n_window,
                      calls.n_keep, calls.n_go_back, (int)n_more);
        /* a single subsystem has no sweeps; its copies are for the search of a fault's time */
        const int64_t n_window = k == 2 ? 40 : stats.n_window;
        assert_true(calls.n_keep > 0 && calls.n_keep <= 3 * (n_window + 1));
        assert_true(calls.n_go_back <= n_more);
        assert_int_equal(calls.most_alive, 3);
        assert_int_equal(calls.n_write + calls.n_read, 0);
        wrsim_destroy(&sim);
    }
}

/* A run continued from a snapshot or from a checkpoint has the bits of the whole run. A model without bytes has neither. */
TEST(checkpoints)
{
    static const char file[] = "own_state.checkpoint";
    static const int apart[N] = {0, 1, 1, 2};
    for (int k = 0; k < N_SETTING; k++) {
        wrsim_error err = {0};
        double value[3][5 * N];
        wrsim_snapshot *snapshot = NULL;
        wrsim *sim = open_run(READING, apart, settings[k]);
        advance(sim, 0.77);
        assert_int_equal(wrsim_checkpoint_write(sim, file, &err), WRSIM_OK);
        assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_OK);
        advance(sim, 2.0);
        read_all(sim, value[0]);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
        advance(sim, 2.0);
        read_all(sim, value[1]);
        assert_memory_equal(value[0], value[1], sizeof *value);
        calls.write_fails = -1;
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
        assert_int_equal(wrsim_checkpoint_write(sim, "other.checkpoint", &err), WRSIM_E_CALLBACK);
        print_message("%s\n", err.text);
        assert_non_null(strstr(err.text, "check write() of its model"));
        /* the run goes on, and the snapshot has no state */
        assert_int_equal(wrsim_snapshot_take(sim, snapshot, &err), WRSIM_E_CALLBACK);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_E_STATE);
        calls.write_fails = 0;
        advance(sim, 2.0);
        read_all(sim, value[1]);
        assert_memory_equal(value[0], value[1], sizeof *value);
        assert_int_equal(wrsim_snapshot_take(sim, snapshot, &err), WRSIM_OK);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
        wrsim_snapshot_destroy(&snapshot);
        wrsim_destroy(&sim);
        sim = open_run(READING, apart, settings[k]);
        assert_int_equal(wrsim_checkpoint_read(sim, file, &err), WRSIM_OK);
        assert_true(calls.n_read > 0);
        advance(sim, 2.0);
        read_all(sim, value[2]);
        wrsim_destroy(&sim);
        unlink(file);
        assert_memory_equal(value[0], value[2], sizeof *value);
        sim = open_run(MUTE, apart, settings[k]);
        assert_int_equal(wrsim_checkpoint_write(sim, file, &err), WRSIM_E_CONFIG);
        assert_non_null(strstr(err.text, "add write() and read()"));
        advance(sim, 2.0);
        wrsim_destroy(&sim);
    }
}

/* A failure of keep() ends the run with an error, in the first window and later. */
TEST(keep_fails)
{
    static const int apart[N] = {0, 1, 1, 2};
    for (int k = 0; k < N_SETTING; k++)
        for (int at = 1; at < 20; at += 8) {
            wrsim_error err = {0};
            calls.keep_fails_at = at;
            wrsim *sim = open_run(OUTSIDE, apart, settings[k]);
            assert_int_equal(wrsim_advance(sim, 2.0, &err), WRSIM_E_CALLBACK);
            print_message("%s\n", err.text);
            assert_non_null(strstr(err.text, "its own state has failed"));
            wrsim_destroy(&sim);
            assert_int_equal(calls.n_init, calls.n_done);
            calls.keep_fails_at = 0;
        }
    wrsim_error err = {0};
    calls.bytes_fail = 1;
    wrsim *sim = open_run(READING, apart, settings[0]);
    assert_int_equal(wrsim_advance(sim, 2.0, &err), WRSIM_E_CALLBACK);
    assert_non_null(strstr(err.text, "no room"));
    wrsim_destroy(&sim);
    calls.bytes_fail = 0;
}

/* The delay errors of a subsystem with an own state are unknown, so limits are refused. */
TEST(delay_errors)
{
    static const int apart[N] = {0, 1, 1, 2};
    static const char slack[] =
        "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.01\nwatch = 1\n";
    char text[256];
    wrsim_delay_subsystem of;
    wrsim *sim = open_run(OUTSIDE, apart, slack);
    advance(sim, 0.5);
    assert_int_equal(wrsim_delay_subsystem_get(sim, 0, &of), WRSIM_OK);
    assert_int_equal(of.is_partial, 1);
    assert_int_equal(of.n_failed, 0);
    wrsim_destroy(&sim);
    snprintf(text, sizeof text, "%seps_loc = 0.1\n", slack);
    wrsim_error err = {0};
    sim = try_open(1, OUTSIDE, apart, text, &err);
    wrsim_destroy(&sim);
    assert_int_equal(err.status, WRSIM_E_CONFIG);
    assert_non_null(strstr(err.text, "set slack.eps_loc = 0"));
}
