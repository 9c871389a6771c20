/* Memory of an instance: saved and restored with the states, advanced at accepted steps, freed at the end. */
#include "fixture.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

/* A clock that ticks every 0.25 s: x' = 1. The memory of the clock counts ticks and steps; d has the ticks. */
typedef struct notes {
    int n_tick, n_step;
    double last_s;
} notes;

static int n_init, n_done, n_wrong;
static const int secret = 42;

static int describe_clock(wrsim_instance *self, wrsim_description *to)
{
    to->memory_bytes = sizeof(notes);
    if (self->user != &secret)
        return -1;
    return wr_declare(to, "state: x discrete: ticks output: x:0");
}

INIT(init_clock)
{
    (void)x, (void)d;
    notes *const m = self->memory;
    n_wrong += m->n_tick != 0 || m->n_step != 0 || self->user != &secret;
    m->last_s = t_s;
    n_init++;
}

static void done_clock(wrsim_instance *self)
{
    n_wrong += self->user != &secret;
    n_done++;
}

RHS(rhs_clock)
{
    (void)self, (void)at;
    ret_dx[0] = 1.0;
}

NEXT_TIME(next_clock) { return 0.25 * (((const notes *)self->memory)->n_tick + 1); }

EVENT(event_clock)
{
    notes *const m = self->memory;
    (void)x, (void)at;
    if (what->is_time_event)
        d[0] = ++m->n_tick;
}

static int step_clock(wrsim_instance *self, const wrsim_point *at)
{
    notes *const m = self->memory;
    n_wrong += !(at->t_s > m->last_s) || fabs(at->x[0] - at->t_s) > 1e-9;
    m->last_s = at->t_s;
    m->n_step++;
    return 0;
}

static const wrsim_model clock_model = {
    MODEL_HEAD("test.clock"), .describe = describe_clock,   .init = init_clock,
    .rhs = rhs_clock,         .event = event_clock,         .next_time = next_clock,
    .user = &secret,          .step_completed = step_clock, .done = done_clock};

static void open_clock(rig *r)
{
    n_init = n_done = n_wrong = 0;
    rig_open(r);
    rig_add(r, "clock", &clock_model);
    rig_publish(r, 0);
    rig_start(r);
}

/* Three tries of each window give the result of one try. */
TEST(tries_leave_no_trace)
{
    double ticks[2], steps[2];
    for (int k = 0; k < 2; k++) {
        AUTO(rig_close) rig r;
        open_clock(&r);
        for (double t_s = 0.1; t_s < 2.05; t_s += 0.1) {
            wr_subsystem_save(r.s);
            for (int i = 0; i < 2 * k; i++) { /* longer and shorter windows that roll back */
                assert_int_equal(wr_subsystem_advance(r.s, t_s + 0.3 * i, 1.0), WRSIM_OK);
                wr_subsystem_restore(r.s);
            }
            rig_advance(&r, t_s);
        }
        ticks[k] = r.s->d[0];
        size_t bytes;
        const notes *const m = wr_group_memory(wr_ode_group(r.s), &bytes);
        assert_true(bytes >= sizeof *m);
        steps[k] = m->n_step;
        assert_int_equal(m->n_tick, (int)r.s->d[0]);
        assert_int_equal(n_wrong, 0);
    }
    assert_close(ticks[0], 8.0, 0.0, 0.0);
    assert_close(ticks[1], ticks[0], 0.0, 0.0);
    assert_true(steps[0] >= 200.0); /* steps of 0.01 s */
    assert_close(steps[1], steps[0], 0.0, 0.0);
}

static void open_own(rig *r, const char *integrator)
{
    rig_open(r);
    rig_add(r, "clock", &clock_model);
    rig_publish(r, 0);
    r->config.integrator = wr_integrator_find(integrator);
    assert_non_null(r->config.integrator);
    rig_start(r);
}

/* After b reads the state of a, b has the results and memory of a. b continues from the time of a, which is before b's own time. */
TEST(another_one_goes_on)
{
    static unsigned char bytes[1 << 16];
    rig a, b;
    n_wrong = 0;
    open_own(&a, "dopri54");
    open_own(&b, "dopri54");
    assert_true(wr_subsystem_has_state(a.s));
    rig_advance(&b, 1.3);
    size_t n_memory;
    notes *const m = wr_group_memory(wr_ode_group(b.s), &n_memory);
    m->last_s = -1.0; /* b goes back, so the model must not check the time */
    for (int k = 1; k <= 12; k++) {
        rig_advance(&a, 0.13 * k);
        wr_state_io io = wr_state_writer(bytes, sizeof bytes, 0);
        wr_subsystem_state(a.s, &io);
        io = wr_state_reader(bytes, io.n_bytes, 0, 1);
        wr_subsystem_state(b.s, &io);
        assert_int_equal(io.fault, WR_STATE_SOUND);
        assert_int_equal(io.n_bytes, io.cap_bytes);
        io = wr_state_reader(bytes, io.n_bytes, 0, 0);
        wr_subsystem_state(b.s, &io);
        assert_true(b.s->t_s == a.s->t_s);
        assert_true(b.s->x[0] == a.s->x[0] && b.s->d[0] == a.s->d[0]);
        assert_memory_equal(m, wr_group_memory(wr_ode_group(a.s), &n_memory), sizeof *m);
        rig_advance(&b, 0.13 * (k + 1) + 0.5);
        assert_int_equal(b.s->d[0], (int)(b.s->t_s / 0.25 + 1e-9));
    }
    assert_int_equal(n_wrong, 0);
    rig_close(&a);
    rig_close(&b);
    open_clock(&a); /* a solver that cannot write its state */
    assert_false(wr_subsystem_has_state(a.s));
    rig_close(&a);
}

TEST(done_once)
{
    rig r;
    open_clock(&r);
    assert_int_equal(n_init, 1);
    assert_int_equal(n_done, 0);
    rig_close(&r);
    assert_int_equal(n_done, 1);
    /* Two starts need two calls of done(). */
    open_clock(&r);
    double none[1] = {0.0};
    assert_int_equal(wr_ode_init(r.s, none), WRSIM_OK);
    assert_int_equal(n_init, 2);
    assert_int_equal(n_done, 1);
    rig_close(&r);
    assert_int_equal(n_done, 2);
    assert_int_equal(n_wrong, 0);
}

/* Each time event adds 1 to n in memory. In a keen model the event also copies the state x to memory. The copy depends on the event's
 * time, so n_turn counts the events of a keen model, and turn_s is the time of the last event. The count n does not depend on the
 * event's time. */
typedef struct diary {
    double n, x;
} diary;

static int n_called;

static int describe_diary(wrsim_instance *self, wrsim_description *to)
{
    to->memory_bytes = sizeof(diary);
    return wr_declare(to, "state: x input: u output: x:0");
}

NEXT_TIME(next_diary) { return 0.03 * (((const diary *)self->memory)->n + 1.0); }

static int event_diary(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                       double *x, double *d)
{
    diary *const m = self->memory;
    (void)at, (void)d;
    n_called++;
    if (!what->is_time_event)
        return 0;
    m->n += 1.0;
    if (self->param[0] > 0.0)
        m->x = x[0];
    return 0;
}

static const wrsim_variable diary_params[] = {{.name = "is_keen", .start = 0.0}};

TEST(notes_of_events_are_stored)
{
    static const wrsim_model model = {MODEL_HEAD("test.diary"), .n_param = 1,
                                      .params = diary_params,   .describe = describe_diary,
                                      .rhs = rhs_clock,         .event = event_diary,
                                      .next_time = next_diary};
    for (int is_keen = 0; is_keen < 2; is_keen++) {
        RIG(r);
        rig_add(&r, "diary", &model);
        r.component[0]->param[0] = is_keen;
        rig_external(&r, 0, 0, 0, 0);
        rig_publish(&r, 0);
        rig_start(&r);
        wr_wave *const zero = wr_wave_place(r.arena, 1, 4);
        wr_wave_append(zero, 0.0, (double[]){0.0}, (double[]){0.0});
        wr_wave_append(zero, 0.1, (double[]){0.0}, (double[]){0.0});
        r.s->source[0] = zero;
        n_called = 0;
        rig_advance(&r, 0.04);
        rig_advance(&r, 0.1);
        size_t bytes;
        const diary *const m = wr_group_memory(wr_ode_group(r.s), &bytes);
        assert_int_equal(n_called, is_keen ? 6 : 9); /* tried and rolled back, too */
        assert_close(m->n, 3.0, 0.0, 0.0);
        assert_close(m->x, is_keen ? 0.09 : 0.0, 1e-9, 0.0);
        assert_int_equal((int)r.s->stats.n_turn, is_keen ? 3 : 0);
        if (is_keen)
            assert_close(r.s->turn_s, 0.09, 1e-9, 0.0);
    }
}

/* A counter's event depends on inputs only in the last tenth of a window, and only if an indicator reads an input. */
DECLARE(describe_lap, "state: x discrete: n input: u output: x:0 indicator: z U_Z: -")
DECLARE(describe_read_lap, "state: x discrete: n input: u output: x:0 indicator: z U_Z: 0,0")
INDICATORS(indicator_lap) { ret_z[0] = at->x[0] - self->param[0]; }
EVENT(event_lap) { d[0] += what->fired[0] != 0; }

TEST(late_counts_depend_on_read_inputs)
{
    static const wrsim_variable level = {.name = "level", .start = 0.0};
    wrsim_model model = {MODEL_HEAD("test.lap"),     .n_param = 1,
                         .params = &level,           .rhs = rhs_clock,
                         .indicator = indicator_lap, .event = event_lap};
    for (int k = 0; k < 4; k++) {
        const int is_read = k % 2, is_late = k / 2;
        model.describe = is_read ? describe_read_lap : describe_lap;
        RIG(r);
        rig_add(&r, "lap", &model);
        r.component[0]->param[0] = is_late ? 0.095 : 0.085;
        rig_external(&r, 0, 0, 0, 0);
        rig_publish(&r, 0);
        rig_start(&r);
        wr_wave *const zero = wr_wave_place(r.arena, 1, 4);
        wr_wave_append(zero, 0.0, (double[]){0.0}, (double[]){0.0});
        wr_wave_append(zero, 0.1, (double[]){0.0}, (double[]){0.0});
        r.s->source[0] = zero;
        rig_advance(&r, 0.1);
        assert_close(r.s->d[0], 1.0, 0.0, 0.0);
        assert_int_equal((int)r.s->stats.n_turn, is_read && is_late);
    }
}

/* The model has no event(), and its right-hand side reads no input. Nevertheless the inputs and w are valid at the end of a step. u is
 * the x of a clock: the time. */
static int n_heard;

DECLARE(describe_listener, "work=1 state: x input: u=-1 U_X: -")

ALGEBRA(algebra_listener) { ret_w[0] = 2.0 * at->u[0]; }

static int step_listener(wrsim_instance *self, const wrsim_point *at)
{
    n_heard++;
    n_wrong += fabs(at->u[0] - at->t_s) > 1e-9 || !at->w || fabs(at->w[0] - 2.0 * at->t_s) > 1e-9;
    return 0;
}

static const wrsim_model listener = {MODEL_HEAD("test.listener"), .describe = describe_listener,
                                     .rhs = rhs_clock, .algebra = algebra_listener,
                                     .step_completed = step_listener};

TEST(inputs_at_the_end_of_a_step)
{
    for (int has_clock_events = 0; has_clock_events < 2; has_clock_events++) {
        wrsim_model source = clock_model;
        if (!has_clock_events) {
            source.event = NULL;
            source.next_time = NULL;
        }
        AUTO(rig_close) rig r;
        n_wrong = n_heard = 0;
        rig_open(&r);
        rig_add(&r, "clock", &source);
        rig_add(&r, "listener", &listener);
        rig_connect(&r, 0, 0, 1, 0);
        rig_publish(&r, 0);
        rig_start(&r);
        rig_advance(&r, 0.5);
        assert_true(n_heard >= 50);
        assert_int_equal(n_wrong, 0);
    }
}

/* x0' = -2 x0 + x2, x1' = -x1, x2' = 3 x0 - 4 x2: dense and sparse. */
/* The elements have an arbitrary order. */
DECLARE(describe_three, "state: a=1 b=1 c=1 X_X: 2,2 0,0 1,1 0,2 2,0 0,0")

RHS(rhs_three)
{
    ret_dx[0] = -2.0 * at->x[0] + at->x[2];
    ret_dx[1] = -at->x[1];
    ret_dx[2] = 3.0 * at->x[0] - 4.0 * at->x[2];
}

static int dense_three(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    (void)self, (void)at;
    static const double jac[9] = {-2, 0, 3, 0, -1, 0, 1, 0, -4};
    memcpy(ret_jac, jac, sizeof jac);
    return 0;
}

static int sparse_three(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    (void)self, (void)at;
    static const double value[5] = {-2, 3, -1, 1, -4}; /* column by column */
    memcpy(ret_value, value, sizeof value);
    return 0;
}

TEST(sparse_jacobian_is_the_dense_one)
{
    const wrsim_model dense = {MODEL_HEAD("test.dense"), .describe = describe_three,
                               .rhs = rhs_three, .jacobian = dense_three};
    const wrsim_model sparse = {MODEL_HEAD("test.sparse"), .describe = describe_three,
                                .rhs = rhs_three, .jacobian_sparse = sparse_three};
    double value[2][10];
    for (int k = 0; k < 2; k++) {
        RIG(r);
        rig_add(&r, "first", k == 0 ? &dense : &sparse);
        rig_add(&r, "second", k == 0 ? &dense : &sparse);
        rig_build_group(&r);
        assert_true(wr_group_has_jacobian(r.group));
        assert_int_equal(r.group->pattern_xx->n_nonzero, 10);
        const double x[6] = {1, 2, 3, 4, 5, 6};
        const wr_group_point point = {.x = x};
        assert_int_equal(wr_group_jacobian(r.group, &point, value[k]), 0);
    }
    for (int i = 0; i < 10; i++)
        assert_close(value[1][i], value[0][i], 0.0, 0.0);
}

static wr_component *create(const wrsim_model *model, wr_diag *diag)
{
    return wr_component_create("c", model, NULL, NULL, 0, NULL, 0, diag);
}

TEST(models_that_may_be_there_once)
{
    const wrsim_model once = {MODEL_HEAD("test.once"), .describe = describe_three, .rhs = rhs_three,
                              .caps = WRSIM_CAP_ONE_INSTANCE};
    for (int k = 0; k < 2; k++) { /* again after the first instance is freed */
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_component_destroy) wr_component *first = create(&once, &diag);
        assert_non_null(first);
        assert_null(create(&once, &diag));
        EXPECT_ERROR(&diag, WRSIM_E_MODEL, "allows one instance in a process", "test.once");
    }
}

TEST(memory_that_solvers_refuse)
{
    static const struct {
        uint32_t caps;
        const char *says;
    } cases[] = {{WRSIM_CAP_COMMUNICATION_STEPS, "communication steps"},
                 {WRSIM_CAP_OWN_THREAD, "thread"}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const wrsim_model model = {MODEL_HEAD("test.special"), .describe = describe_three,
                                   .rhs = rhs_three, .caps = cases[i].caps};
        RIG(r);
        rig_add(&r, "special", &model);
        r.config.components = r.component;
        assert_null(wr_ode_create(&r.config, &r.diag));
        EXPECT_ERROR(&r.diag, WRSIM_E_MODEL, "'special'", "'test.special'", cases[i].says);
    }
}
