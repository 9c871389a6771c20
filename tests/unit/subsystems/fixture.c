#include "fixture.h"

#include "tests/harness/wr_model.h"
#include "wr_test.h"

typedef struct fixture_state {
    double t_s, last_s; /* end and start of the last step */
    double *x0, *f0;    /* at the start of the last step */
    double *x1, *f1;    /* at the end of the last step */
} fixture_state;

typedef struct fixture_integ {
    wr_integ_stats stats;
    const wr_equations *ode;
    double step_s;
    fixture_state now;
    double *block, *saved;
    fixture_state saved_times;
    size_t n_block;
    double *k2, *k3, *k4, *x;
    int has_slope;
} fixture_integ;

static fixture_integ *cast(wr_integrator *integrator)
{
    return (fixture_integ *)(void *)integrator;
}

static int call_rhs(fixture_integ *it, double t_s, const double *x, double *ret_dx)
{
    it->stats.n_rhs++;
    return it->ode->rhs(it->ode->self, t_s, x, ret_dx);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    fixture_integ *const it = WR_NEW(arena, fixture_integ);
    const size_t n = (size_t)ode->n_x;
    it->ode = ode;
    it->step_s = options->step_s;
    it->n_block = 4 * n;
    it->block = WR_NEW_ARRAY(arena, double, 4 * n);
    it->saved = WR_NEW_ARRAY(arena, double, 4 * n);
    it->k2 = WR_NEW_ARRAY(arena, double, n);
    it->k3 = WR_NEW_ARRAY(arena, double, n);
    it->k4 = WR_NEW_ARRAY(arena, double, n);
    it->x = WR_NEW_ARRAY(arena, double, n);
    it->now = (fixture_state){
        .x0 = it->block, .f0 = it->block + n, .x1 = it->block + 2 * n, .f1 = it->block + 3 * n};
    *ret_integrator = (wr_integrator *)(void *)it;
    return WRSIM_OK;
}

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    fixture_integ *const it = cast(integrator);
    const size_t bytes = (size_t)it->ode->n_x * sizeof *x;
    it->stats.n_start++;
    it->now.t_s = it->now.last_s = t_s;
    memcpy(it->now.x1, x, bytes);
    memcpy(it->now.x0, x, bytes);
    it->has_slope = dx != NULL;
    if (dx)
        memcpy(it->now.f1, dx, bytes);
    return 0;
}

static int try_step(fixture_integ *it, double h, double end_s)
{
    const int n = it->ode->n_x;
    fixture_state *const s = &it->now;
    int rc = 0;
    for (int i = 0; i < n; i++)
        it->x[i] = s->x0[i] + 0.5 * h * s->f0[i];
    rc = call_rhs(it, s->last_s + 0.5 * h, it->x, it->k2);
    for (int i = 0; i < n && !rc; i++)
        it->x[i] = s->x0[i] + 0.5 * h * it->k2[i];
    rc = rc ? rc : call_rhs(it, s->last_s + 0.5 * h, it->x, it->k3);
    for (int i = 0; i < n && !rc; i++)
        it->x[i] = s->x0[i] + h * it->k3[i];
    rc = rc ? rc : call_rhs(it, end_s, it->x, it->k4);
    for (int i = 0; i < n && !rc; i++)
        s->x1[i] = s->x0[i] + h / 6.0 * (s->f0[i] + 2.0 * it->k2[i] + 2.0 * it->k3[i] + it->k4[i]);
    return rc ? rc : call_rhs(it, end_s, s->x1, s->f1);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    fixture_integ *const it = cast(integrator);
    const size_t bytes = (size_t)it->ode->n_x * sizeof(double);
    fixture_state *const s = &it->now;
    if (!it->has_slope && call_rhs(it, s->t_s, s->x1, s->f1) != 0)
        return WRSIM_E_SOLVER;
    it->has_slope = 1;
    s->last_s = s->t_s;
    memcpy(s->x0, s->x1, bytes);
    memcpy(s->f0, s->f1, bytes);
    for (double h = it->step_s; h > 1e-12; h *= 0.5) {
        const double end_s = s->last_s + h * (1.0 + 1e-9) >= t_stop_s ? t_stop_s : s->last_s + h;
        const int rc = try_step(it, end_s - s->last_s, end_s);
        if (rc == 0) {
            it->stats.n_step++;
            *ret_t_s = s->t_s = end_s;
            return 0;
        }
        if (rc < 0)
            return WRSIM_E_CALLBACK;
        it->stats.n_rejected++;
    }
    return WRSIM_E_SOLVER;
}

static void dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    const fixture_integ *const it = cast(integrator);
    const fixture_state *const s = &it->now;
    const double h = s->t_s - s->last_s, r = h > 0 ? (t_s - s->last_s) / h : 1.0, q = 1.0 - r;
    for (int i = 0; i < it->ode->n_x; i++) {
        const double rise = s->x1[i] - s->x0[i];
        if (ret_x)
            ret_x[i] = r >= 1.0 ? s->x1[i]
                                : s->x0[i] + r * r * (3.0 - 2.0 * r) * rise +
                                      h * r * q * (q * s->f0[i] - r * s->f1[i]);
        if (ret_dx)
            ret_dx[i] = h > 0 ? 6.0 * r * q * rise / h + q * (1.0 - 3.0 * r) * s->f0[i] +
                                    r * (3.0 * r - 2.0) * s->f1[i]
                              : s->f1[i];
    }
}

static void inputs_changed(wr_integrator *integrator, const double *dx)
{
    cast(integrator)->has_slope = 0;
}

static void save(wr_integrator *integrator)
{
    fixture_integ *const it = cast(integrator);
    memcpy(it->saved, it->block, it->n_block * sizeof *it->saved);
    it->saved_times = it->now;
}

static void restore(wr_integrator *integrator)
{
    fixture_integ *const it = cast(integrator);
    memcpy(it->block, it->saved, it->n_block * sizeof *it->saved);
    it->now = it->saved_times;
    it->has_slope = 1;
}

static void loosen(wr_integrator *integrator, double factor) {}

const wr_integrator_ops fixture_integrator = {.name = "fixture",
                                              .help = "RK4 of the tests",
                                              .order = 4,
                                              .dense_order = 3,
                                              .flags = WR_INTEG_FIXED_STEP | WR_INTEG_ROLLBACK,
                                              .place = place,
                                              .start = start,
                                              .step = step,
                                              .dense = dense,
                                              .inputs_changed = inputs_changed,
                                              .save = save,
                                              .restore = restore,
                                              .loosen = loosen};
const wr_integrator_ops fixture_integrator_dense = {.name = "fixture_dense",
                                                    .help = "RK4 of the tests",
                                                    .order = 4,
                                                    .dense_order = 4,
                                                    .flags =
                                                        WR_INTEG_FIXED_STEP | WR_INTEG_ROLLBACK,
                                                    .place = place,
                                                    .start = start,
                                                    .step = step,
                                                    .dense = dense,
                                                    .inputs_changed = inputs_changed,
                                                    .save = save,
                                                    .restore = restore,
                                                    .loosen = loosen};

void rig_open(rig *r)
{
    memset(r, 0, sizeof *r);
    r->arena = wr_arena_create((size_t)64 << 20);
    assert_non_null(r->arena);
    r->config = (wr_ode_config){.name = "rig",
                                .arena = r->arena,
                                .components = r->component,
                                .edges = r->edge,
                                .source = r->source,
                                .source_signal = r->source_signal,
                                .published = r->published,
                                .recorded_kind = r->recorded_kind,
                                .recorded_index = r->recorded_index,
                                .integrator = &fixture_integrator,
                                .options = {.rtol = 1e-6,
                                            .atol_factor = 1,
                                            .step_s = 0.01,
                                            .formula = &wr_lms_find("am2")->formula},
                                .communication_step_s = 0.1,
                                .event_tolerance_s = 1e-10,
                                .max_event_iterations = 10,
                                .max_stuck_events = 20,
                                .chatter_time_s = 1e-6,
                                .cap_node = 4096,
                                .cap_row = 4096,
                                .jump_limit = 10.0};
}

int rig_add(rig *r, const char *name, const wrsim_model *model)
{
    wr_component *const component =
        wr_component_create(name, model, NULL, NULL, 0, NULL, 0, &r->diag);
    if (!component)
        print_error("%s\n", r->diag.n_items > 0 ? r->diag.items[0].text : "?");
    assert_non_null(component);
    r->component[r->config.n_components] = component;
    return r->config.n_components++;
}

void rig_connect(rig *r, int from, int i_output, int to, int i_input)
{
    r->edge[r->config.n_edges++] =
        (wr_group_edge){.from = from, .i_output = i_output, .to = to, .i_input = i_input};
}

void rig_external(rig *r, int source, int signal, int to, int i_input)
{
    const int k = r->config.n_external++;
    r->source[k] = source;
    r->source_signal[k] = signal;
    if (source >= r->config.n_source)
        r->config.n_source = source + 1;
    r->edge[r->config.n_edges++] =
        (wr_group_edge){.from = -1, .to = to, .i_input = i_input, .i_external = k};
}

void rig_publish(rig *r, int i_output) { r->published[r->config.n_published++] = i_output; }

void rig_record(rig *r, wrsim_kind kind, int index)
{
    r->recorded_kind[r->config.n_recorded] = (int)kind;
    r->recorded_index[r->config.n_recorded++] = index;
}

void rig_build_group(rig *r)
{
    r->group = wr_group_place(r->arena, r->component, r->config.n_components, r->edge,
                              r->config.n_edges, r->config.n_external, &r->diag);
    assert_non_null(r->group);
}

void rig_build(rig *r)
{
    r->s = wr_ode_create(&r->config, &r->diag);
    if (!r->s)
        print_error("%s\n", r->diag.n_items > 0 ? r->diag.items[0].text : "?");
    assert_non_null(r->s);
    r->group = wr_ode_group(r->s);
}

static void expect_done(rig *r, wrsim_status status)
{
    if (status < 0) {
        wrsim_error err;
        wr_subsystem_fault_text(r->s, &err);
        print_error("status %d: %s\n", (int)status, err.text);
    }
    assert_int_equal(status, WRSIM_OK);
}

void rig_start(rig *r)
{
    static const double zero[RIG_MAX];
    rig_build(r);
    expect_done(r, wr_ode_init(r->s, zero));
    wr_subsystem_save(r->s);
}

void rig_advance(rig *r, double t_end_s)
{
    expect_done(r, wr_subsystem_advance(r->s, t_end_s, 1.0));
}

void rig_close(rig *r)
{
    wr_subsystem_destroy(&r->s);
    for (int i = 0; i < r->config.n_components; i++)
        wr_component_destroy(&r->component[i]);
    wr_diag_done(&r->diag);
    wr_arena_destroy(&r->arena);
}

void expect_error(const wr_diag *diag, wrsim_status status, const char *const *words)
{
    if (diag->n_items != 1)
        for (int i = 0; i < diag->n_items; i++)
            print_error("error %d: %s\n", i, diag->items[i].text);
    assert_int_equal(diag->n_items, 1);
    assert_int_equal(diag->items[0].status, status);
    for (; *words; words++)
        if (!strstr(diag->items[0].text, *words)) {
            print_error("'%s' is not in: %s\n", *words, diag->items[0].text);
            fail();
        }
}

int add_variable(wrsim_description *to, wrsim_kind kind, const char *name, double start_value,
                 unsigned flags, int index)
{
    return to->add(
        to, kind,
        &(wrsim_variable){.name = name, .start = start_value, .flags = flags, .index = index});
}

/* ---- models ---- */

DECLARE(ball_describe, "state: h=1 v discrete: n output: h:0 v:1 indicator: impact>")
RHS(ball_rhs)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = -9.81;
}
INDICATORS(ball_indicator) { ret_z[0] = at->x[0]; }
EVENT(ball_event)
{
    if (what->fired[0] < 0) {
        x[1] = -0.8 * x[1];
        d[0] += 1.0;
    }
}
const wrsim_model ball = {MODEL_HEAD("ball"), .describe = ball_describe, .rhs = ball_rhs,
                          .indicator = ball_indicator, .event = ball_event};

DECLARE(relay_describe, "timeless state: x discrete: u=1 output: x:0 indicator: high< low>")
DECLARE(relay_both_describe, "timeless state: x discrete: u=1 output: x:0 indicator: high low")
RHS(relay_rhs) { ret_dx[0] = -at->x[0] + at->d[0]; }
INDICATORS(relay_indicator)
{
    ret_z[0] = at->x[0] - 0.8;
    ret_z[1] = at->x[0] - 0.2;
}
EVENT(relay_event)
{
    if (what->fired[0] > 0)
        d[0] = 0.0;
    if (what->fired[1] < 0)
        d[0] = 1.0;
}
const wrsim_model relay = {MODEL_HEAD("relay"), .describe = relay_describe, .rhs = relay_rhs,
                           .indicator = relay_indicator, .event = relay_event};
const wrsim_model relay_both = {MODEL_HEAD("relay_both"), .describe = relay_both_describe,
                                .rhs = relay_rhs, .indicator = relay_indicator,
                                .event = relay_event};
