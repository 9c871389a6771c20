/* Windows, events, jumps, waves and rows of one subsystem, against closed-form answers. */
#include "fixture.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_tolerances.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

/* Times of the first six impacts of the bouncing ball, in closed form. */
static const double ball_times[6] = {0.45152364098573090445, 1.1739614665629003516,
                                     1.7519117270246359093,  2.2142719353940243554,
                                     2.5841601020895351124,  2.8800706354459437179};

/* Stores the times of the event rows on the left side; returns their number. */
static int event_times(const wr_subsystem *s, double *ret_t, int cap)
{
    int n = 0;
    for (int i = 0; i < s->n_row; i++)
        if (s->row_kind[i] == WR_ROW_EVENT_LEFT && n < cap)
            ret_t[n++] = s->row_time_s[i];
    return n;
}

/* The step may be longer than a whole flight, so the check after a bounce must find the next bounce. */
TEST(ball_bounces_at_analytic_times)
{
    static const double steps[] = {0.01, 0.2, 0.7, 10.0};
    for (size_t k = 0; k < WR_COUNT_OF(steps); k++) {
        RIG(r);
        rig_add(&r, "ball", &ball);
        rig_record(&r, WRSIM_STATE, 0);
        r.config.record_events = 1;
        r.config.options.step_s = steps[k];
        rig_start(&r);
        rig_advance(&r, 3.0);
        double t[16];
        assert_int_equal(event_times(r.s, t, 16), 6);
        /* Each impact is late by at most the tolerance, and later flights start late. */
        for (int i = 0; i < 6; i++)
            assert_close(t[i], ball_times[i], 0.0, 2e-9);
        assert_close(r.s->x[0], 0.06870746096576572, 0.0, 1e-8);
        assert_close(r.s->x[1], -0.01535413338474476, 0.0, 1e-8);
        assert_close(r.s->d[0], 6.0, 0.0, 0.0);
        assert_int_equal(r.s->stats.n_state_event, 6);
        assert_int_equal(r.s->stats.n_flip, 6);
    }
}

TEST(zeno_ball_is_an_error_that_names_the_indicator)
{
    RIG(r);
    rig_add(&r, "ball", &ball);
    r.config.options.step_s = 0.05;
    r.config.chatter_time_s = 1e-4;
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 5.0, 1.0), WRSIM_E_CHATTER);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_int_equal(err.status, WRSIM_E_CHATTER);
    assert_non_null(strstr(err.text, "'ball.impact'"));
    assert_string_equal(err.subsystem, "rig");
    /* Impacts accumulate at sqrt(2 / g) (1 + e) / (1 - e). */
    assert_close(err.time_s, sqrt(2.0 / 9.81) * 1.8 / 0.2, 0.0, 1e-2);
}

/* With "auto" the tolerances of events are shares of the last step. Without a step the tolerances equal the clock's resolution. A
 * configured number is unchanged. */
TEST(event_tolerance_follows_the_steps)
{
    assert_close(wr_ode_choose_share(1e-3), 1e-7, 1e-15, 0.0);
    assert_close(wr_ode_choose_share(1e-14), 16.0 * DBL_EPSILON, 0.0, 0.0);
    for (int is_set = 0; is_set < 2; is_set++) {
        RIG(r);
        rig_add(&r, "ball", &ball);
        r.config.event_tolerance_s = is_set ? 1e-5 : 0.0;
        r.config.coupling_rtol = 1e-6;
        rig_start(&r);
        assert_int_equal(wr_subsystem_advance(r.s, 0.3, 1.0), WRSIM_OK);
        const double step_s = wr_ode_of(r.s)->clock->last_step_s;
        assert_close(wr_ode_located_to(r.s), is_set ? 1e-5 : 1e-10 * step_s, 1e-12, 0.0);
        assert_close(wr_ode_event_tolerance(r.s), is_set ? 1e-5 : 1e-7 * step_s, 1e-12, 0.0);
        wr_ode_of(r.s)->clock->last_step_s = 0.0;
        assert_close(wr_ode_located_to(r.s), is_set ? 1e-5 : 64.0 * DBL_EPSILON * 0.3, 1e-12, 0.0);
    }
}

TEST(relay_switches_at_analytic_times)
{
    RIG(r);
    rig_add(&r, "relay", &relay);
    rig_record(&r, WRSIM_DISCRETE, 0);
    r.config.record_events = 1;
    rig_start(&r);
    rig_advance(&r, 20.0);
    double t[32];
    assert_int_equal(event_times(r.s, t, 32), 14);
    for (int k = 0; k < 14; k++)
        assert_close(t[k], log(5.0) + k * log(4.0), 0.0, 2e-8);
    assert_close(r.s->x[0], 0.4467132874746539, 0.0, 2e-8);
    assert_int_equal(r.s->stats.n_flip, 14);
}

/* Without directions the return through a threshold is exactly one further event, and the switching times stay. */
TEST(relay_without_directions_sees_the_returns)
{
    RIG(r);
    rig_add(&r, "relay", &relay_both);
    rig_start(&r);
    rig_advance(&r, 20.0);
    assert_close(r.s->x[0], 0.4467132874746539, 0.0, 2e-8);
    /* x rises through 0.2 once before the first switch, then every switch comes with a return. */
    assert_int_equal(r.s->stats.n_flip, 1 + 14 + 14);
}

/* The integrator keeps its order with events inside steps: half the step divides the error at the end by 2^4. */
TEST(events_keep_the_order)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        RIG(r);
        rig_add(&r, "relay", &relay);
        r.config.options.step_s = 0.4 / (double)(1 << k);
        r.config.event_tolerance_s = 1e-14;
        rig_start(&r);
        rig_advance(&r, 6.0);
        /* The relay last switches on at ln 5 + 3 ln 4. */
        error[k] = fabs(r.s->x[0] - (1.0 - 0.8 * exp(-(6.0 - log(5.0) - 3.0 * log(4.0)))));
    }
    assert_between(log2(error[0] / error[1]), 3.4, 5.2);
    assert_between(log2(error[1] / error[2]), 3.4, 5.2);
}

/* x' = 1. Events store the order in which four indicators rise, and count the rounds. */
RHS(ramp_rhs) { ret_dx[0] = 1.0; }
DECLARE(ladder_describe,
        "state: x discrete: order0 order1 order2 order3 count indicator: z0 z1 z2 z3")
/* z1 crosses first, then z0 and z2 together, z3 last: all within one step. */
INDICATORS(ladder_indicator)
{
    ret_z[0] = at->x[0] - 0.55;
    ret_z[1] = at->x[0] - 0.52;
    ret_z[2] = 2.0 * (at->x[0] - 0.55);
    ret_z[3] = at->x[0] * at->x[0] - 0.58 * 0.58;
}
static int ladder_event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what,
                        double *x, double *d)
{
    if (what->is_initial)
        return 0;
    d[4] += 1.0;
    for (int i = 0; i < 4; i++)
        if (what->fired[i])
            d[i] = what->fired[i] * d[4];
    return 0;
}
static const wrsim_model ladder = {MODEL_HEAD("ladder"), .describe = ladder_describe,
                                   .rhs = ramp_rhs, .indicator = ladder_indicator,
                                   .event = ladder_event};

TEST(several_events_in_one_step_come_in_time_order)
{
    RIG(r);
    rig_add(&r, "ladder", &ladder);
    rig_record(&r, WRSIM_STATE, 0);
    r.config.record_events = 1;
    r.config.options.step_s = 1.0;
    rig_start(&r);
    rig_advance(&r, 1.0);
    double t[8];
    assert_int_equal(event_times(r.s, t, 8), 3);
    assert_close(t[0], 0.52, 0.0, 1e-10);
    assert_close(t[1], 0.55, 0.0, 1e-10);
    assert_close(t[2], 0.58, 0.0, 1e-10);
    static const double order[] = {2.0, 1.0, 2.0, 3.0, 3.0};
    for (int i = 0; i < 5; i++)
        assert_close(r.s->d[i], order[i], 0.0, 0.0);
}

/* Cascade at one instant: z0 fires by time, its event changes d0, the change makes z1 fire, and so on. */
DECLARE(cascade_describe, "state: x discrete: d0 d1 d2 indicator: z0 z1 z2")
INDICATORS(cascade_indicator)
{
    ret_z[0] = at->x[0] - 0.25;
    ret_z[1] = at->d[0] - 0.5;
    ret_z[2] = at->d[1] - 0.5;
}
EVENT(cascade_event)
{
    for (int i = 0; i < 3; i++)
        if (what->fired[i])
            d[i] = what->fired[i] > 0 ? 1.0 : 0.0;
}
static const wrsim_model cascade = {MODEL_HEAD("cascade"), .describe = cascade_describe,
                                    .rhs = ramp_rhs, .indicator = cascade_indicator,
                                    .event = cascade_event};

TEST(events_are_iterated_at_one_instant)
{
    RIG(r);
    rig_add(&r, "cascade", &cascade);
    r.config.options.step_s = 0.1;
    rig_start(&r);
    rig_advance(&r, 0.5);
    assert_int_equal(r.s->stats.n_state_event, 1);
    assert_int_equal(r.s->stats.n_flip, 3);
    for (int i = 0; i < 3; i++)
        assert_close(r.s->d[i], 1.0, 0.0, 0.0);
}

/* Two indicators that trigger each other without end. */
INDICATORS(fight_indicator)
{
    ret_z[0] = at->x[0] - 0.25;
    ret_z[1] = at->mode[0] ? 0.5 - at->d[1] : -1.0;
    ret_z[2] = -1.0;
}
static const wrsim_model fight = {MODEL_HEAD("fight"), .describe = cascade_describe,
                                  .rhs = ramp_rhs, .indicator = fight_indicator,
                                  .event = cascade_event};

TEST(endless_event_iteration_is_an_error)
{
    RIG(r);
    rig_add(&r, "fight", &fight);
    r.config.options.step_s = 0.1;
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 0.5, 1.0), WRSIM_E_CHATTER);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "'fight.z1'"));
    assert_null(strstr(err.text, "'fight.z2'"));
    assert_non_null(strstr(err.text, "endlessly"));
    assert_close(err.time_s, 0.25, 0.0, 1e-9);
}

/* Sliding mode: x' = -1 where x > 0, +1 elsewhere. */
DECLARE(slide_describe, "state: x=0.3 indicator: side")
RHS(slide_rhs) { ret_dx[0] = at->mode[0] ? -1.0 : 1.0; }
INDICATORS(first_state) { ret_z[0] = at->x[0]; }
static const wrsim_model slide = {MODEL_HEAD("slide"), .describe = slide_describe, .rhs = slide_rhs,
                                  .indicator = first_state};

TEST(sliding_mode_is_an_error_not_an_endless_run)
{
    RIG(r);
    rig_add(&r, "slide", &slide);
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 1.0, 1.0), WRSIM_E_CHATTER);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "'slide.side'"));
    assert_non_null(strstr(err.text, "hysteresis"));
    assert_close(err.time_s, 0.3, 0.0, 1e-6);
}

/* At 0.25 the output of step jumps from 0 to 1. The output of follow_late follows by an event. The model keeps its own modes. */
DECLARE(step_describe, "discrete: on output: y")
OUTPUTS(on_output) { ret_y[0] = at->d[0]; }
EVENT(step_event) { d[0] = what->is_time_event ? 1.0 : d[0]; }
NEXT_TIME(step_next) { return at->d[0] > 0.5 ? (double)INFINITY : 0.25; }
static const wrsim_model step_model = {MODEL_HEAD("step"), .describe = step_describe,
                                       .output = on_output, .event = step_event,
                                       .next_time = step_next};
DECLARE(late_describe, "discrete: on input: u output: y indicator: z")
DECLARE(late_declared_describe, "discrete: on input: u output: y indicator: z U_Y: -")
INDICATORS(late_indicator) { ret_z[0] = at->u[0] - 0.5; }
EVENT(late_event) { d[0] = what->fired[0] > 0 ? 1.0 : d[0]; }
#define FOLLOW_LATE(describe_)                                                                     \
    {                                                                                              \
        MODEL_HEAD("late"), .caps = WRSIM_CAP_OWN_MODES, .describe = describe_,                    \
                            .output = on_output, .indicator = late_indicator, .event = late_event  \
    }
static const wrsim_model follow_late = FOLLOW_LATE(late_describe),
                         follow_late_declared = FOLLOW_LATE(late_declared_describe);
/* Counts the sign changes of an indicator that the step raises, and the late step lowers. */
DECLARE(between_describe, "discrete: n input: u late indicator: z")
INDICATORS(between_indicator) { ret_z[0] = at->u[0] - 2.0 * at->u[1] - 0.5; }
EVENT(between_event) { d[0] += what->fired[0] != 0 ? 1.0 : 0.0; }
static const wrsim_model between = {MODEL_HEAD("between"), .describe = between_describe,
                                    .indicator = between_indicator, .event = between_event};

/* If the model declares that its output depends on no input directly, the indicator changes twice. Without the declaration the number of
 * changes is unknown. */
TEST(own_modes_without_dependencies_leave_the_order_unknown)
{
    const wrsim_model *const followers[] = {&follow_late_declared, &follow_late};
    for (int k = 0; k < 2; k++) {
        RIG(r);
        rig_add(&r, "step", &step_model);
        rig_add(&r, "late", followers[k]);
        rig_add(&r, "between", &between);
        rig_connect(&r, 0, 0, 1, 0);
        rig_connect(&r, 0, 0, 2, 0);
        rig_connect(&r, 1, 0, 2, 1);
        r.config.integrator = NULL;
        rig_start(&r);
        if (k == 0) {
            rig_advance(&r, 1.0);
            assert_close(r.s->d[2], 2.0, 0.0, 0.0);
            continue;
        }
        assert_int_equal(wr_subsystem_advance(r.s, 1.0, 1.0), WRSIM_E_CONTRACT);
        wrsim_error err;
        wr_subsystem_fault_text(r.s, &err);
        assert_non_null(strstr(err.text, "'between.z'"));
        assert_non_null(strstr(err.text, "modelDescription.xml"));
        assert_close(err.time_s, 0.25, 0.0, 1e-9);
    }
}

/* x' = 1, with an event at x = 2. If the limit of `user` is below x, the indicator fails. */
DECLARE(limited_describe, "state: x indicator: z")
static int limited_indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->x[0] - 2.0;
    return at->x[0] > *(const double *)self->user ? -1 : 0;
}

/* An event is near if small changes of the state cause the event. If the model fails at such a change, the answer is yes. */
TEST(event_is_near_if_the_model_fails_beside)
{
    double limit;
    const wrsim_model limited = {MODEL_HEAD("limited"), .describe = limited_describe,
                                 .rhs = ramp_rhs, .indicator = limited_indicator, .user = &limit};
    const struct {
        double t_s, limit;
        int is_near;
    } cases[] = {{1.0, 3.0, 0}, {2.0 - 1e-12, 3.0, 1}, {1.0, 1.0, 1}};
    for (size_t k = 0; k < WR_COUNT_OF(cases); k++) {
        RIG(r);
        limit = 3.0;
        rig_add(&r, "limited", &limited);
        r.config.coupling_rtol = 1e-6;
        rig_start(&r);
        rig_advance(&r, cases[k].t_s);
        limit = cases[k].limit + 1e-12;
        assert_int_equal(wr_subsystem_is_event_near(r.s), cases[k].is_near);
    }
}

/* An indicator that touches zero and turns back, and an indicator that is always zero. */
DECLARE(touch_describe, "state: x discrete: n indicator: touch zero")
INDICATORS(touch_indicator)
{
    ret_z[0] = (at->x[0] - 0.5) * (at->x[0] - 0.5);
    ret_z[1] = 0.0;
}
EVENT(touch_event) { d[0] += what->fired[0] != 0 || what->fired[1] != 0; }
static const wrsim_model touch = {MODEL_HEAD("touch"), .describe = touch_describe, .rhs = ramp_rhs,
                                  .indicator = touch_indicator, .event = touch_event};

TEST(touching_zero_comes_to_rest)
{
    RIG(r);
    rig_add(&r, "touch", &touch);
    r.config.options.step_s = 0.25; /* a step ends at the touching point */
    rig_start(&r);
    rig_advance(&r, 1.0);
    assert_true(r.s->d[0] <= 2.0); /* at most one fall and one rise */
    assert_close(r.s->x[0], 1.0, 0.0, 1e-12);
}

/* rhs becomes NaN from t = 0.35 on. */
RHS(nan_rhs) { ret_dx[0] = at->t_s < 0.35 ? 1.0 : (double)NAN; }
DECLARE(nan_describe, "state: pressure")
static const wrsim_model sick = {MODEL_HEAD("sick"), .describe = nan_describe, .rhs = nan_rhs};

TEST(nan_names_variable_and_time)
{
    RIG(r);
    rig_add(&r, "tank", &sick);
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 1.0, 1.0), WRSIM_E_NAN);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_int_equal(err.status, WRSIM_E_NAN);
    assert_non_null(strstr(err.text, "tank.pressure"));
    assert_close(err.time_s, 0.35, 0.0, 1e-6);
    assert_true(r.s->stats.n_integration == 1);
    /* Shorter steps up to the last finite values count as one further integration. */
    const int64_t n_rhs = wr_ode_solver_stats(r.s)->n_rhs;
    assert_close(wr_subsystem_close_in(r.s, 1.0), 0.35, 0.0, 1e-6);
    assert_true(r.s->stats.n_integration == 2);
    assert_true(wr_ode_solver_stats(r.s)->n_rhs <= 3 * n_rhs + 20);
}

/* Returns a fatal status with a message from t = 0.2 s on. */
static int fatal_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = 1.0;
    if (at->t_s < 0.2)
        return 0;
    self->message = "fuel table exceeded";
    return -1;
}
static const wrsim_model fatal = {MODEL_HEAD("fatal"), .describe = nan_describe, .rhs = fatal_rhs};

TEST(fatal_callback_gives_its_message)
{
    RIG(r);
    rig_add(&r, "tank", &fatal);
    rig_start(&r);
    assert_int_equal(wr_subsystem_advance(r.s, 1.0, 1.0), WRSIM_E_CALLBACK);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "tank"));
    assert_non_null(strstr(err.text, "fuel table exceeded"));
}

/* Sampled counter: time events at k * 0.25 s; discrete only. */
DECLARE(clock_describe, "discrete: k held input: u output: held U_Y: -")
OUTPUTS(clock_output) { ret_y[0] = at->d[1]; }
EVENT(clock_event)
{
    if (what->is_time_event) {
        d[0] += 1.0;
        d[1] = at->u[0];
    }
}
NEXT_TIME(clock_next) { return (at->d[0] + 1.0) * 0.25; }
/* A discrete state and an output need different names, so the sampler has its own description. */
DECLARE(sampler_describe, "discrete: k held input: u output: y U_Y: -")
static const wrsim_model sampler = {MODEL_HEAD("sampler"), .describe = sampler_describe,
                                    .output = clock_output, .event = clock_event,
                                    .next_time = clock_next};
static const wrsim_model twice_named = {MODEL_HEAD("twice_named"), .describe = clock_describe,
                                        .output = clock_output};

TEST(names_are_unique_in_a_model)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_component_create("c", &twice_named, NULL, NULL, 0, NULL, 0, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_MODEL, "'c'", "'held'");
}

/* A subsystem without states: a sampler with a ramp as external input. */
TEST(time_events_without_states)
{
    RIG(r);
    rig_add(&r, "sampler", &sampler);
    rig_external(&r, 0, 0, 0, 0);
    rig_publish(&r, 0);
    rig_record(&r, WRSIM_OUTPUT, 0);
    rig_record(&r, WRSIM_INPUT, 0);
    r.config.integrator = NULL;
    r.config.record_events = 1;
    rig_start(&r);
    wr_wave *const ramp = wr_wave_place(r.arena, 1, 4);
    wr_wave_append(ramp, 0.0, (double[]){0.0}, (double[]){2.0});
    wr_wave_append(ramp, 1.1, (double[]){2.2}, (double[]){2.0});
    r.s->source[0] = ramp;
    rig_advance(&r, 1.1);
    double t[8];
    assert_int_equal(event_times(r.s, t, 8), 4);
    for (int i = 0; i < 4; i++)
        assert_close(t[i], 0.25 * (i + 1), 0.0, 0.0);
    assert_int_equal(r.s->stats.n_time_event, 4);
    /* 12 communication points, the start included, and two rows at each event. */
    assert_int_equal(r.s->n_row, 12 + 8);
    for (int i = 0; i < r.s->n_row; i++) {
        const double time_s = r.s->row_time_s[i];
        const double k = r.s->row_kind[i] == WR_ROW_EVENT_LEFT ? time_s / 0.25 - 1.0
                                                               : floor(time_s / 0.25 + 1e-9);
        assert_close(r.s->row_value[2 * i], 2.0 * 0.25 * k, 1e-12, 1e-12);
        assert_close(r.s->row_value[2 * i + 1], 2.0 * time_s, 1e-12, 1e-12);
    }
    /* The sampler's wave is a staircase with jump nodes. */
    wr_wave_check(r.s->wave);
    wr_cursor cursor = wr_cursor_start();
    assert_close(wr_wave_eval(r.s->wave, &cursor, 0.6, 0), 1.0, 1e-12, 1e-12);
    const double limit = 0.1;
    assert_close(wr_wave_next_jump(r.s->wave, &cursor, 0.6, 1, (int[]){0}, &limit), 0.75, 0.0, 0.0);
}

/* x' = u with the external input u. */
DECLARE(follow_describe, "state: x discrete: n input: u output: x:0 square indicator: u_high")
RHS(follow_rhs) { ret_dx[0] = at->u[0]; }
OUTPUTS(follow_output) { ret_y[1] = at->x[0] * at->x[0] + at->u[0]; }
INDICATORS(follow_indicator) { ret_z[0] = at->u[0] - 2.0; }
EVENT(follow_event) { d[0] += what->fired[0] != 0; }
static const wrsim_model follow = {
    MODEL_HEAD("follow"),    .describe = follow_describe,   .rhs = follow_rhs,
    .output = follow_output, .indicator = follow_indicator, .event = follow_event};

/* x' = 1. At 1.5 an event sets x to 2, so the one-sided indicator "room" falls without an event. The output is the mode of "room". */
DECLARE(door_describe, "state: x=1 output: is_open indicator: due room<")
RHS(door_rhs) { ret_dx[0] = 1.0; }
OUTPUTS(door_output) { ret_y[0] = at->mode[1]; }
INDICATORS(door_indicator)
{
    ret_z[0] = at->x[0] - 1.5;
    ret_z[1] = 1.75 - at->x[0];
}
EVENT(door_event)
{
    if (what->fired[0] > 0)
        x[0] = 2.0;
}
static const wrsim_model door = {
    MODEL_HEAD("door"),    .describe = door_describe,   .rhs = door_rhs,
    .output = door_output, .indicator = door_indicator, .event = door_event};

/* f after an event uses modes that have changed without an event, also modes of components that drive its inputs. */
TEST(silent_modes_are_known_after_an_event)
{
    RIG(r);
    const int from = rig_add(&r, "door", &door), to = rig_add(&r, "follow", &follow);
    rig_connect(&r, from, 0, to, 0);
    rig_start(&r);
    rig_advance(&r, 1.0);
    assert_int_equal(wr_ode_mode(r.s)[1], 0);
    assert_close(r.s->x[1], 0.5, 1e-9, 0.0);
}

/* u = 1 until 0.333, then 3 + 6 (t - 0.333). */
static wr_wave *jumping_wave(wr_arena *arena)
{
    wr_wave *const wave = wr_wave_place(arena, 1, 8);
    wr_wave_append(wave, 0.0, (double[]){1.0}, (double[]){0.0});
    wr_wave_append(wave, 0.333, (double[]){1.0}, (double[]){0.0});
    wr_wave_append(wave, 0.333, (double[]){3.0}, (double[]){6.0});
    wr_wave_append(wave, 1.0, (double[]){3.0 + 6.0 * 0.667}, (double[]){6.0});
    return wave;
}

static double jump_solution(double t_s)
{
    const double late = t_s - 0.333;
    return t_s <= 0.333 ? t_s : 0.333 + 3.0 * late + 3.0 * late * late;
}

/* Opens a rig with one component that follows its only input. */
static void rig_open_follow(rig *r)
{
    rig_open(r);
    rig_add(r, "follow", &follow);
    rig_external(r, 0, 0, 0, 0);
}

TEST(input_jump_is_landed_on_and_fires)
{
    AUTO(rig_close) rig r;
    rig_open_follow(&r);
    rig_publish(&r, 0);
    rig_publish(&r, 1);
    rig_record(&r, WRSIM_STATE, 0);
    r.config.options.step_s = 0.05;
    rig_start(&r);
    r.s->source[0] = jumping_wave(r.arena);
    rig_advance(&r, 1.0);
    assert_int_equal(r.s->stats.n_input_jump, 1);
    assert_int_equal(r.s->stats.n_state_event, 1);
    assert_close(r.s->d[0], 1.0, 0.0, 0.0);
    assert_close(r.s->x[0], jump_solution(1.0), 1e-13, 0.0);
    assert_int_equal(r.s->n_row, 11);
    for (int i = 0; i < r.s->n_row; i++) {
        assert_close(r.s->row_time_s[i], i * 0.1, 0.0, 1e-15);
        assert_close(r.s->row_value[i], jump_solution(r.s->row_time_s[i]), 1e-12, 1e-15);
    }
    /* At 0.333 s the published state has a slope jump, the published output a jump. */
    wr_wave_check(r.s->wave);
    wr_cursor cursor = wr_cursor_start();
    for (int i = 0; i <= 50; i++) {
        const double t_s = i / 50.0;
        assert_close(wr_wave_eval(r.s->wave, &cursor, t_s, 0), jump_solution(t_s), 1e-12, 1e-14);
        const double u = t_s <= 0.333 ? 1.0 : 3.0 + 6.0 * (t_s - 0.333);
        const double x = jump_solution(t_s);
        /* x^2 + u is a quartic: the cubic between nodes 0.05 apart errs by at most h^4 y4 / 384. */
        assert_close(wr_wave_eval(r.s->wave, &cursor, t_s, 1), x * x + u, 0.0,
                     pow(0.05, 4) * 9 * 24 / 384 + 1e-9);
    }
}

/* Returns 1 + t^3 and its half as one cubic. */
static wr_wave *cubic_wave(wr_arena *arena, double end_s)
{
    wr_wave *const wave = wr_wave_place(arena, 2, 2);
    const double y = 1.0 + end_s * end_s * end_s, s = 3.0 * end_s * end_s;
    wr_wave_append(wave, 0.0, (double[]){1.0, 0.5}, (double[]){0.0, 0.0});
    wr_wave_append(wave, end_s, (double[]){y, 0.5 * y}, (double[]){s, 0.5 * s});
    return wave;
}

/* Two sources with one cubic over the same interval share its evaluation. The results have the same bits, whether the third, constant
 * source ends with these sources or later. */
TEST(sources_read_together_give_the_same_bits)
{
    static const double ends_s[] = {0.7, 0.9};
    double x[2][3], square[2][2];
    for (int k = 0; k < 2; k++) {
        RIG(r);
        rig_add(&r, "a", &follow);
        rig_add(&r, "b", &follow);
        rig_add(&r, "c", &follow);
        rig_external(&r, 2, 0, 2, 0);
        rig_external(&r, 1, 1, 0, 0);
        rig_external(&r, 0, 0, 1, 0);
        rig_publish(&r, 1);
        rig_publish(&r, 3);
        rig_start(&r);
        r.s->source[0] = cubic_wave(r.arena, 0.7);
        r.s->source[1] = cubic_wave(r.arena, 0.7);
        wr_wave *const constant = wr_wave_place(r.arena, 1, 2);
        wr_wave_append(constant, 0.0, (double[]){1.0}, (double[]){0.0});
        wr_wave_append(constant, ends_s[k], (double[]){1.0}, (double[]){0.0});
        r.s->source[2] = constant;
        rig_advance(&r, 0.7);
        assert_close(r.s->x[0], 0.5 * (0.7 + 0.25 * 0.2401), 0.0, 1e-12);
        assert_close(r.s->x[1], 0.7 + 0.25 * 0.2401, 0.0, 1e-12);
        assert_close(r.s->x[2], 0.7, 0.0, 1e-12);
        memcpy(x[k], r.s->x, sizeof x[k]);
        memcpy(square[k], r.s->wave->slope + 2 * (r.s->wave->n_node - 1), sizeof square[k]);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(square[0], square[1], sizeof square[0]);
}

/* x' = u, without an indicator. */
DECLARE(drift_describe, "state: x input: u output: x:0 square")
static const wrsim_model drift = {MODEL_HEAD("drift"), .describe = drift_describe,
                                  .rhs = follow_rhs, .output = follow_output};

/* Returns a wave with the value 2 - h up to 0.333 and from 0.777 on, and 2 + h between. */
static wr_wave *step_wave(wr_arena *arena, double h)
{
    static const double t_s[] = {0.0, 0.333, 0.333, 0.777, 0.777, 1.0};
    wr_wave *const wave = wr_wave_place(arena, 1, 8);
    for (int i = 0; i < 6; i++)
        wr_wave_append(wave, t_s[i], (double[]){i == 2 || i == 3 ? 2.0 + h : 2.0 - h},
                       (double[]){0.0});
    return wave;
}

/* The input jumps by 2e-9 at rtol 1e-6. A step ends at the jump only if an indicator or a published output directly depends on u. */
TEST(jump_below_the_limit_is_stepped_over)
{
    static const struct {
        const wrsim_model *model;
        int i_published, n_jump, n_event;
    } cases[] = {{&follow, 0, 2, 2}, {&drift, 0, 0, 0}, {&drift, 1, 2, 0}};
    for (int k = 0; k < 3; k++) {
        RIG(r);
        rig_add(&r, "it", cases[k].model);
        rig_external(&r, 0, 0, 0, 0);
        rig_publish(&r, cases[k].i_published);
        rig_start(&r);
        r.s->source[0] = step_wave(r.arena, 1e-9);
        rig_advance(&r, 1.0);
        assert_int_equal(r.s->stats.n_input_jump, cases[k].n_jump);
        assert_int_equal(r.s->stats.n_state_event, cases[k].n_event);
        assert_close(r.s->x[0], 2.0, 0.0, 2e-9);
        assert_int_equal(r.s->wave->n_jump, cases[k].i_published == 1 ? 2 : 0);
    }
}

/* A change of 1e-14 of the value is rounding, also if an indicator directly depends on the input. */
TEST(rounding_is_no_jump)
{
    AUTO(rig_close) rig r;
    rig_open_follow(&r);
    rig_publish(&r, 1);
    rig_start(&r);
    r.s->source[0] = step_wave(r.arena, 1e-14);
    rig_advance(&r, 1.0);
    assert_int_equal(r.s->stats.n_input_jump, 0);
}

/* If an interval of a wave has length zero, its right limit counts, and its slope has no effect on later values. */
TEST(stretch_of_no_length_holds)
{
    AUTO(rig_close) rig r;
    rig_open_follow(&r);
    r.config.jump_limit = 1e9;
    rig_start(&r);
    wr_wave *const wave = wr_wave_place(r.arena, 1, 4);
    wr_wave_append(wave, 0.0, (double[]){1.0}, (double[]){0.0});
    wr_wave_append(wave, 0.0, (double[]){2.0}, (double[]){5.0});
    r.s->source[0] = wave;
    rig_advance(&r, 0.5);
    assert_close(r.s->x[0], 1.0, 1e-13, 0.0);
}

/* Inputs of a new window may already have the other sign of an indicator. */
TEST(window_start_fires_events_of_new_inputs)
{
    AUTO(rig_close) rig r;
    rig_open_follow(&r);
    rig_publish(&r, 0);
    rig_start(&r);
    wr_wave *const wave = wr_wave_place(r.arena, 1, 8);
    wr_wave_append(wave, 0.0, (double[]){5.0}, (double[]){0.0});
    wr_wave_append(wave, 1.0, (double[]){5.0}, (double[]){0.0});
    r.s->source[0] = wave;
    rig_advance(&r, 0.5);
    assert_int_equal(r.s->stats.n_state_event, 1);
    assert_close(r.s->d[0], 1.0, 0.0, 0.0);
    assert_close(r.s->x[0], 2.5, 1e-13, 0.0);
    wr_wave_check(r.s->wave);
    assert_close(wr_wave_start(r.s->wave), 0.0, 0.0, 0.0);
    assert_close(wr_wave_end(r.s->wave), 0.5, 0.0, 0.0);
}

/* y is u, at most 0.5. */
DECLARE(clip_describe, "timeless input: u output: y indicator: high")
OUTPUTS(clip_output) { ret_y[0] = at->mode[0] ? 0.5 : at->u[0]; }
INDICATORS(clip_indicator) { ret_z[0] = at->u[0] - 0.5; }
static const wrsim_model clip = {MODEL_HEAD("clip"), .describe = clip_describe,
                                 .output = clip_output, .indicator = clip_indicator};

/* Counts how often u crosses 0.7. */
DECLARE(over_describe, "timeless input: u discrete: n indicator: over")
INDICATORS(over_indicator) { ret_z[0] = at->u[0] - 0.7; }
EVENT(over_event) { d[0] += what->fired[0] != 0; }
static const wrsim_model over = {MODEL_HEAD("over"), .describe = over_describe,
                                 .indicator = over_indicator, .event = over_event};

/* The input is 0 in the first window and 1 in the second window. The error to find: the output of the clip follows the input up to 1 before
 * the clip changes its branch. */
TEST(window_start_shows_no_branch_that_the_inputs_leave)
{
    AUTO(rig_close) rig r;
    rig_open(&r);
    rig_add(&r, "clip", &clip);
    rig_add(&r, "over", &over);
    rig_connect(&r, 0, 0, 1, 0);
    rig_external(&r, 0, 0, 0, 0);
    rig_publish(&r, 0);
    rig_start(&r);
    wr_wave *const wave = wr_wave_place(r.arena, 1, 2);
    wr_wave_append(wave, 0.0, (double[]){0.0}, (double[]){0.0});
    wr_wave_append(wave, 2.0, (double[]){0.0}, (double[]){0.0});
    r.s->source[0] = wave;
    rig_advance(&r, 0.5);
    wave->value[0] = wave->value[1] = 1.0;
    rig_advance(&r, 1.0);
    assert_int_equal(wr_ode_mode(r.s)[0], 1);
    assert_close(r.s->d[0], 0.0, 0.0, 0.0);
    assert_close(r.s->wave->value[0], 0.0, 0.0, 0.0); /* the left side of the jump */
    for (int i = 1; i < r.s->wave->n_node; i++)
        assert_close(r.s->wave->value[i], 0.5, 0.0, 0.0);
}

/* Stores all results of advance as bytes and returns their number. */
static size_t snapshot(const wr_subsystem *s, unsigned char *buffer)
{
    size_t n = 0;
#define KEEP(pointer, count)                                                                       \
    do {                                                                                           \
        memcpy(buffer + n, (pointer), (size_t)(count) * sizeof *(pointer));                        \
        n += (size_t)(count) * sizeof *(pointer);                                                  \
    } while (0)
    KEEP(s->x, wr_ode_group(s)->n_x);
    KEEP(s->d, wr_ode_group(s)->n_d);
    KEEP(wr_ode_mode(s), wr_ode_group(s)->n_z);
    KEEP(&s->t_s, 1);
    KEEP(s->row_time_s, s->n_row);
    KEEP(s->row_kind, s->n_row);
    KEEP(s->row_value, s->n_row * s->n_recorded);
    KEEP(s->wave->t_s, s->wave->n_node);
    KEEP(s->wave->value, s->wave->n_node * s->wave->n_signal);
    KEEP(s->wave->slope, s->wave->n_node * s->wave->n_signal);
    return n;
}

TEST(restored_window_gives_the_same_bits)
{
    static unsigned char first[1 << 20], again[1 << 20];
    for (int which = 0; which < 2; which++) {
        RIG(r);
        rig_add(&r, "a", which ? &follow : &ball);
        if (which)
            rig_external(&r, 0, 0, 0, 0);
        rig_publish(&r, 0);
        rig_publish(&r, 1);
        rig_record(&r, WRSIM_STATE, 0);
        rig_record(&r, WRSIM_OUTPUT, 1);
        r.config.record_events = 1;
        rig_start(&r);
        if (which)
            r.s->source[0] = jumping_wave(r.arena);
        for (int window = 0; window < 3; window++) {
            const double end_s = (window + 1) * 0.32;
            wr_subsystem_save(r.s);
            rig_advance(&r, end_s);
            const size_t n = snapshot(r.s, first);
            for (int sweep = 0; sweep < 2; sweep++) {
                wr_subsystem_restore(r.s);
                rig_advance(&r, end_s);
                assert_int_equal(snapshot(r.s, again), n);
                assert_memory_equal(first, again, n);
            }
        }
    }
}

/* Without external inputs, ends of windows cost no start of the integrator and no further evaluation. */
TEST(windows_leave_no_trace)
{
    double end[2][2];
    for (int which = 0; which < 2; which++) {
        RIG(r);
        rig_add(&r, "relay", &relay);
        r.config.options.step_s = 0.125;
        rig_record(&r, WRSIM_STATE, 0);
        rig_start(&r);
        int64_t n_row = 0;
        const int n_window = which ? 16 : 1;
        for (int i = 1; i <= n_window; i++) {
            wr_subsystem_save(r.s);
            rig_advance(&r, 1.0 * i / n_window);
            n_row += r.s->n_row;
        }
        assert_int_equal(n_row, 11);
        end[which][0] = r.s->x[0];
        end[which][1] = (double)wr_ode_solver_stats(r.s)->n_rhs;
    }
    /* 1/16 is half a step, so the step sequences differ, without a start or an extra evaluation. */
    assert_close(end[0][0], end[1][0], 0.0, 1e-6);
    assert_close(end[1][1], 16 * 4, 0.0, 0.0);
    assert_close(end[0][1], 8 * 4, 0.0, 0.0);
}

/* x' = -x; from x = 1/2 on, x' = -x (1 + bend). */
static double bend;
DECLARE(bent_describe, "state: x=1 output: square indicator: high")
RHS(bent_rhs) { ret_dx[0] = at->mode[0] ? -at->x[0] : -at->x[0] * (1.0 + bend); }
OUTPUTS(bent_output) { ret_y[0] = at->x[0] * at->x[0]; }
INDICATORS(bent_indicator) { ret_z[0] = at->x[0] - 0.5; }
static const wrsim_model bent = {MODEL_HEAD("bent"), .describe = bent_describe, .rhs = bent_rhs,
                                 .output = bent_output, .indicator = bent_indicator};

/* At an event the wave has two nodes only if a slope changes by more than rounding and the error of the solver. */
TEST(an_event_that_turns_nothing_leaves_one_node)
{
    static const struct {
        double bend, rtol;
        int n_jump;
    } cases[] = {{0.0, 1e-4, 0}, {1e-6, 1e-4, 0}, {1e-2, 1e-4, 1}, {1e-6, 1e-9, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RIG(r);
        rig_add(&r, "bent", &bent);
        rig_publish(&r, 0);
        r.config.options.rtol = cases[k].rtol;
        r.config.options.step_s = 0.1;
        bend = cases[k].bend;
        rig_start(&r);
        rig_advance(&r, 1.0);
        assert_int_equal(r.s->stats.n_state_event, 1);
        assert_int_equal(r.s->wave->n_jump, cases[k].n_jump);
    }
}

TEST(full_wave_and_full_rows_are_errors)
{
    for (int which = 0; which < 2; which++) {
        RIG(r);
        rig_add(&r, "relay", &relay);
        rig_publish(&r, 0);
        rig_record(&r, WRSIM_STATE, 0);
        if (which)
            r.config.cap_row = 5;
        else
            r.config.cap_node = 20;
        rig_start(&r);
        assert_int_equal(wr_subsystem_advance(r.s, 1.0, 1.0), WRSIM_E_LIMIT);
        wrsim_error err;
        wr_subsystem_fault_text(r.s, &err);
        assert_non_null(strstr(err.text, which ? "rows" : "waveform"));
        /* After a restore a shorter window succeeds. */
        wr_subsystem_restore(r.s);
        rig_advance(&r, 0.1);
    }
}

/* next_time() returns the present time. */
NEXT_TIME(stuck_next) { return at->t_s; }
static const wrsim_model stuck = {MODEL_HEAD("stuck"), .describe = sampler_describe,
                                  .output = clock_output, .next_time = stuck_next};

TEST(time_event_in_the_past_is_an_error)
{
    RIG(r);
    rig_add(&r, "stuck", &stuck);
    rig_build(&r);
    assert_int_equal(wr_ode_init(r.s, NULL), WRSIM_E_CALLBACK);
    wrsim_error err;
    wr_subsystem_fault_text(r.s, &err);
    assert_non_null(strstr(err.text, "stuck"));
    assert_non_null(strstr(err.text, "next_time"));
}

TEST(wrong_configs_are_refused)
{
    for (int which = 0; which < 4; which++) {
        RIG(r);
        rig_add(&r, "relay", &relay);
        static const char *const words[] = {"integrator", "communication", "published", "recorded"};
        if (which == 0)
            r.config.integrator = NULL;
        if (which == 1)
            r.config.communication_step_s = 0.0;
        if (which == 2)
            rig_publish(&r, 7);
        if (which == 3)
            rig_record(&r, WRSIM_INDICATOR, 0);
        assert_null(wr_ode_create(&r.config, &r.diag));
        EXPECT_ERROR(&r.diag, WRSIM_E_ARG, "'rig'", words[which]);
    }
}
