/* Groups: evaluation order and number of calls, algebraic loops, composed incidence. */

#include "fixture.h"
#include "subsystems/group/group_duplicates.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

enum { MAX_CALLS = 64 };
static struct {
    int n_output, n_rhs, n_algebra, n_indicator;
} calls;

/* gain: y = k u + 1, with a state x' = u - x that is also an output. */
static const wrsim_variable gain_params[] = {{.name = "k", .start = 2.0}};
DECLARE(gain_describe, "state: x=1 input: u=0.25 output: y x_out:0 X_Y: -")
RHS(gain_rhs)
{
    calls.n_rhs++;
    ret_dx[0] = at->u[0] - at->x[0];
}
OUTPUTS(gain_output)
{
    calls.n_output++;
    ret_y[0] = self->param[0] * at->u[0] + 1.0;
}
static const wrsim_model gain = {MODEL_HEAD("gain"),        .n_param = 1,    .params = gain_params,
                                 .describe = gain_describe, .rhs = gain_rhs, .output = gain_output};

static wr_group_point point_with(const double *x, const double *external)
{
    static const unsigned char mode[RIG_MAX];
    static const double d[RIG_MAX];
    return (wr_group_point){.t_s = 1.5, .x = x, .d = d, .external = external, .mode = mode};
}

/* c <- b <- a <- outside, listed in the wrong order: one call per component, in dependency order. */
TEST(chain_is_evaluated_in_order_with_one_call_each)
{
    RIG(r);
    const int c = rig_add(&r, "c", &gain), b = rig_add(&r, "b", &gain), a = rig_add(&r, "a", &gain);
    rig_connect(&r, b, 0, c, 0);
    rig_connect(&r, a, 0, b, 0);
    rig_external(&r, 0, 0, a, 0);
    rig_build_group(&r);
    double y[6], dx[3];
    const double x[3] = {10, 20, 30}, external = 3.0;
    const wr_group_point point = point_with(x, &external);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_outputs(r.group, &point, y), 0);
    assert_int_equal(calls.n_output, 3);
    assert_close(y[4], 7.0, 0, 0);  /* a */
    assert_close(y[2], 15.0, 0, 0); /* b */
    assert_close(y[0], 31.0, 0, 0); /* c */
    assert_close(y[1], 10.0, 0, 0); /* c.x_out, copied */
    assert_close(y[5], 30.0, 0, 0);
    /* The right-hand sides need a and b only: no component reads c's output. */
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_int_equal(calls.n_output, 2);
    assert_int_equal(calls.n_rhs, 3);
    assert_close(dx[0], 15.0 - 10.0, 0, 0);
    assert_close(dx[1], 7.0 - 20.0, 0, 0);
    assert_close(dx[2], 3.0 - 30.0, 0, 0);
    assert_int_equal(r.group->n_loop, 0);
    /* A plan for a's output alone calls a alone. */
    const int only = 4;
    const wr_plan *const plan = wr_group_plan_place(r.arena, r.group, &only, 1, NULL, 0);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_evaluate(r.group, plan, &point, y), 0);
    assert_int_equal(calls.n_output, 1);
}

TEST(states_are_copied_without_calls)
{
    RIG(r);
    rig_add(&r, "a", &gain);
    rig_add(&r, "b", &gain);
    rig_connect(&r, 0, 1, 1, 0); /* states to inputs in both directions: no loop */
    rig_connect(&r, 1, 1, 0, 0);
    rig_build_group(&r);
    double dx[2];
    const double x[2] = {5, 8};
    const wr_group_point point = point_with(x, NULL);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_int_equal(calls.n_output, 0);
    assert_close(dx[0], 3.0, 0, 0);
    assert_close(dx[1], -3.0, 0, 0);
    assert_int_equal(r.group->n_loop, 0);
    assert_int_equal(r.group->pattern_xx->n_nonzero, 4);
}

/* scale: y = k u + 1 without states; tunable: the same with a parameter that a scenario may change. */
DECLARE(scale_describe, "input: u=0.25 output: y")
static const wrsim_variable tunable_params[] = {
    {.name = "k", .start = 2.0, .flags = WRSIM_TUNABLE}};
static const wrsim_model scale = {MODEL_HEAD("scale"), .n_param = 1, .params = gain_params,
                                  .describe = scale_describe, .output = gain_output};
static const wrsim_model tunable = {MODEL_HEAD("tunable"), .n_param = 1, .params = tunable_params,
                                    .describe = scale_describe, .output = gain_output};

/* Two chains x -> scale -> scale -> x' have the same values, so the first chain drives both states. A different parameter, input, or a
 * tunable parameter prevents sharing. */
TEST(duplicates_are_evaluated_once)
{
    static const struct {
        const wrsim_model *model;
        double k; /* parameter of the second scale of the second chain */
        int source, n_duplicate, n_call;
        wr_unit_scale change; /* of the connection to the first scale of the second chain */
    } cases[] = {{&scale, 2, 0, 2, 2, {0, 0}},
                 {&scale, 3, 0, 1, 3, {0, 0}},
                 {&scale, 2, 1, 0, 4, {0, 0}},
                 {&tunable, 2, 0, 0, 4, {0, 0}},
                 {&scale, 2, 0, 0, 4, {-1, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double dx[2][2];
        for (int is_shared = 0; is_shared < 2; is_shared++) {
            RIG(r);
            rig_add(&r, "a", &gain);
            rig_add(&r, "b", &gain);
            for (int k = 2; k < 6; k++)
                rig_add(&r, k == 2 ? "c" : k == 3 ? "d" : k == 4 ? "e" : "f", cases[i].model);
            r.component[5]->param[0] = cases[i].k;
            rig_connect(&r, 4, 0, 0, 0);
            rig_connect(&r, 5, 0, 1, 0);
            rig_connect(&r, 0, 1, 2, 0);
            rig_connect(&r, cases[i].source, 1, 3, 0);
            r.edge[3].scale = cases[i].change;
            rig_connect(&r, 2, 0, 4, 0);
            rig_connect(&r, 3, 0, 5, 0);
            if (is_shared)
                assert_int_equal(wr_group_share_duplicates(r.component, 6, r.edge, 6),
                                 cases[i].n_duplicate);
            rig_build_group(&r);
            const double x[2] = {5, 8};
            const wr_group_point point = point_with(x, NULL);
            memset(&calls, 0, sizeof calls);
            assert_int_equal(wr_group_rhs(r.group, &point, dx[is_shared]), 0);
            assert_int_equal(calls.n_output, is_shared ? cases[i].n_call : 4);
        }
        assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    }
}

/* Two scales read the third, which reads the first. A component in an algebraic loop is not shared. */
TEST(duplicates_in_loops_are_not_shared)
{
    RIG(r);
    for (int k = 0; k < 3; k++)
        rig_add(&r, k == 0 ? "a" : k == 1 ? "b" : "c", &scale);
    rig_connect(&r, 2, 0, 0, 0);
    rig_connect(&r, 2, 0, 1, 0);
    rig_connect(&r, 0, 0, 2, 0);
    assert_int_equal(wr_group_share_duplicates(r.component, 3, r.edge, 3), 0);
}

/* notes: init() receives zeroed data at every start, and later calls receive the data of init(). */
static int notes_describe(wrsim_instance *self, wrsim_description *to)
{
    to->data_bytes = 5 * sizeof(double);
    return add_variable(to, WRSIM_STATE, "x", 1.0, 0, 0);
}
static int notes_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    double *const data = self->data;
    for (int i = 0; i < 5; i++)
        if (data[i] != 0.0)
            return -1;
    data[4] = self->param[0];
    return 0;
}
RHS(notes_rhs) { ret_dx[0] = ((const double *)self->data)[4]; }
TEST(every_instance_has_data_of_its_own)
{
    static const wrsim_model notes = {MODEL_HEAD("notes"),   .n_param = 1,
                                      .params = gain_params, .describe = notes_describe,
                                      .init = notes_init,    .rhs = notes_rhs};
    RIG(r);
    rig_add(&r, "a", &notes);
    rig_add(&r, "b", &notes);
    r.component[1]->param[0] = 7.0;
    rig_build_group(&r);
    double x[2], dx[2];
    const wr_group_point point = point_with(x, NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(wr_group_init(r.group, 0.0, x, NULL), WRSIM_OK);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_close(dx[0], 2.0, 0, 0);
    assert_close(dx[1], 7.0, 0, 0);
}

TEST(open_input_keeps_its_default)
{
    RIG(r);
    rig_add(&r, "a", &gain);
    rig_build_group(&r);
    double dx;
    const double x = 1.0;
    const wr_group_point point = point_with(&x, NULL);
    assert_int_equal(wr_group_rhs(r.group, &point, &dx), 0);
    assert_close(dx, 0.25 - 1.0, 0, 0);
}

/* y0 = x + 0.5, y1 = 3 u0: y0 drives another component whose output drives u0. This chain is no loop, but the component has two calls. */
DECLARE(two_describe, "state: x=2 input: u output: first second U_Y: 1,0 X_Y: 0,0")
RHS(two_rhs) { ret_dx[0] = at->u[0]; }
OUTPUTS(two_output)
{
    calls.n_output++;
    ret_y[0] = at->x[0] + 0.5;
    ret_y[1] = 3.0 * at->u[0];
}
static const wrsim_model two = {MODEL_HEAD("two"), .describe = two_describe, .rhs = two_rhs,
                                .output = two_output};

TEST(output_is_called_in_stages_where_needed)
{
    RIG(r);
    const int a = rig_add(&r, "a", &two), b = rig_add(&r, "b", &gain), c = rig_add(&r, "c", &gain);
    rig_connect(&r, a, 0, b, 0);
    rig_connect(&r, b, 0, a, 0);
    rig_connect(&r, a, 1, c, 0);
    rig_build_group(&r);
    assert_int_equal(r.group->n_loop, 0);
    double y[6], dx[3];
    const double x[3] = {2, 0, 0};
    const wr_group_point point = point_with(x, NULL);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_outputs(r.group, &point, y), 0);
    assert_int_equal(calls.n_output, 4); /* a, b, a, c */
    assert_close(y[0], 2.5, 0, 0);
    assert_close(y[2], 6.0, 0, 0);
    assert_close(y[1], 18.0, 0, 0);
    assert_close(y[4], 37.0, 0, 0);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_close(dx[0], 6.0, 0, 0);
    assert_close(dx[2], 18.0, 0, 0);
    /* a.x' <- b.y <- a.first <- a.x; b.x' <- a.first; c.x' <- a.second <- b.y <- a.x. */
    const wr_matrix *const p = r.group->pattern_xx;
    assert_int_equal(p->start[1] - p->start[0], 3);
}

/* A ring of n gains y = k u + 1 has one solution if k^n != 1. */
TEST(linear_loop_is_solved_and_spelled)
{
    RIG(r);
    const int a = rig_add(&r, "a", &gain), b = rig_add(&r, "b", &gain), c = rig_add(&r, "c", &gain);
    rig_connect(&r, a, 0, b, 0);
    rig_connect(&r, b, 0, a, 0);
    rig_connect(&r, b, 0, c, 0); /* a reader outside the loop */
    rig_build_group(&r);
    assert_int_equal(r.group->n_loop, 1);
    assert_int_equal(r.group->loop[0].n, 2);
    char text[128];
    wr_group_loop_text(r.group, 0, text, sizeof text);
    assert_string_equal(text, "a.y -> b.u -> b.y -> a.u");
    double y[6];
    const double x[3] = {0, 0, 0};
    const wr_group_point point = point_with(x, NULL);
    assert_int_equal(wr_group_outputs(r.group, &point, y), 0);
    /* a = 2 b + 1, b = 2 a + 1: both are -1; c = 2 b + 1. */
    assert_close(y[0], -1.0, 1e-13, 0);
    assert_close(y[2], -1.0, 1e-13, 0);
    assert_close(y[4], -1.0, 1e-12, 0);
}

/* y = f(u) with y connected to u; each model has its own f. */
DECLARE(self_describe, "input: u=0.5 output: y")
OUTPUTS(cosine_output) { ret_y[0] = cos(at->u[0]); }
OUTPUTS(impossible_output) { ret_y[0] = at->u[0] + 1.0 + at->u[0] * at->u[0]; }
static const wrsim_model cosine = {MODEL_HEAD("cosine"), .describe = self_describe,
                                   .output = cosine_output};
static const wrsim_model impossible = {MODEL_HEAD("impossible"), .describe = self_describe,
                                       .output = impossible_output};

TEST(nonlinear_loop_is_solved)
{
    RIG(r);
    rig_add(&r, "a", &cosine);
    rig_connect(&r, 0, 0, 0, 0);
    rig_build_group(&r);
    double y;
    const wr_group_point point = point_with(NULL, NULL);
    assert_int_equal(wr_group_outputs(r.group, &point, &y), 0);
    assert_close(y, 0.73908513321516064, 1e-15, 0); /* Dottie's number */
}

TEST(loop_without_solution_is_a_fault_that_spells_it)
{
    RIG(r);
    rig_add(&r, "a", &impossible);
    rig_connect(&r, 0, 0, 0, 0);
    rig_build_group(&r);
    double y = 7.0;
    const wr_group_point point = point_with(NULL, NULL);
    assert_true(wr_group_outputs(r.group, &point, &y) > 0);
    assert_close(y, 7.0, 0, 0);
    assert_int_equal(r.group->fault.status, WRSIM_E_LOOP);
    wrsim_error err;
    wr_group_fault_text(r.group, &r.group->fault, &err);
    assert_non_null(strstr(err.text, "a.y -> a.u"));
    assert_close(err.time_s, 1.5, 0, 0);
}

/* Patterns through two connections have only the entries on the path. */
/* y0 depends on q and u1. */
DECLARE(mixer_describe,
        "state: p q input: u0 u1 output: y0 X_X: 0,0 1,1 U_X: 0,0 X_Y: 0,1 U_Y: 0,1")
RHS(mixer_rhs)
{
    ret_dx[0] = -at->x[0] + at->u[0];
    ret_dx[1] = -2.0 * at->x[1];
}
OUTPUTS(mixer_output) { ret_y[0] = at->x[1] + at->u[1]; }
static int mixer_jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_jac)
{
    ret_jac[0] = -1.0;
    ret_jac[1] = ret_jac[2] = 0.0;
    ret_jac[3] = -2.0;
    return 0;
}
static const wrsim_model mixer = {MODEL_HEAD("mixer"), .describe = mixer_describe, .rhs = mixer_rhs,
                                  .output = mixer_output, .jacobian = mixer_jacobian};

static int has_element(const wr_matrix *p, int row, int column)
{
    for (int k = p->start[column]; k < p->start[column + 1]; k++)
        if (p->row[k] == row)
            return 1;
    return 0;
}

TEST(incidence_is_composed_through_connections)
{
    RIG(r);
    for (int i = 0; i < 3; i++)
        rig_add(&r, (const char *const[]){"a", "b", "c"}[i], &mixer);
    rig_connect(&r, 0, 0, 1, 1); /* a.y0 -> b.u1 -> b.y0 -> c.u0 -> c.p' */
    rig_connect(&r, 1, 0, 2, 0);
    rig_build_group(&r);
    const wr_matrix *const p = r.group->pattern_xx;
    static const char *const expected[6] = {"x.....", ".x....", "..x...",
                                            "...x..", ".x.xx.", ".....x"};
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            assert_int_equal(has_element(p, row, column), expected[row][column] == 'x');
    assert_false(wr_group_has_jacobian(r.group)); /* because of an algebraic path */
    /* The values equal differences of the right-hand side. */
    double x[6] = {1, 2, 3, 4, 5, 6}, dx[6], moved[6];
    const wr_group_point point = point_with(x, NULL);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    for (int column = 0; column < 6; column++) {
        x[column] += 1.0;
        assert_int_equal(wr_group_rhs(r.group, &point, moved), 0);
        x[column] -= 1.0;
        for (int row = 0; row < 6; row++)
            assert_int_equal(fabs(moved[row] - dx[row]) > 1e-12, has_element(p, row, column));
    }
}

TEST(jacobian_of_unconnected_components)
{
    RIG(r);
    rig_add(&r, "a", &mixer);
    rig_add(&r, "b", &mixer);
    rig_build_group(&r);
    assert_true(wr_group_has_jacobian(r.group));
    double values[4];
    const double x[4] = {0};
    const wr_group_point point = point_with(x, NULL);
    assert_int_equal(r.group->pattern_xx->n_nonzero, 4);
    assert_int_equal(wr_group_jacobian(r.group, &point, values), 0);
    static const double expected[] = {-1, -2, -1, -2};
    for (int i = 0; i < 4; i++)
        assert_close(values[i], expected[i], 0, 0);
}

/* A group calls algebra() once per component and point, before the callbacks that read w, and not for outputs. */
DECLARE(algebra_describe, "work=2 state: x=3 input: u=4 indicator: z")
ALGEBRA(algebra_algebra)
{
    calls.n_algebra++;
    ret_w[0] = at->u[0] * at->x[0];
    ret_w[1] = 1.0;
}
RHS(algebra_rhs)
{
    calls.n_rhs++;
    ret_dx[0] = at->w[0] + at->w[1];
}
INDICATORS(algebra_indicator)
{
    calls.n_indicator++;
    ret_z[0] = at->w[0] - 100.0;
}
static const wrsim_model algebra = {MODEL_HEAD("algebra"), .describe = algebra_describe,
                                    .rhs = algebra_rhs, .algebra = algebra_algebra,
                                    .indicator = algebra_indicator};

TEST(algebra_comes_before_rhs_and_indicators)
{
    RIG(r);
    const int a = rig_add(&r, "a", &algebra), b = rig_add(&r, "b", &gain);
    rig_connect(&r, b, 0, a, 0);
    rig_build_group(&r);
    double dx[2], z;
    const double x[2] = {3, 0};
    const wr_group_point point = point_with(x, NULL);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_close(dx[0], 1.5 * 3.0 + 1.0, 0, 0);
    assert_int_equal(calls.n_algebra, 1);
    assert_int_equal(calls.n_indicator, 0);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_indicators(r.group, &point, &z), 0);
    assert_close(z, 4.5 - 100.0, 0, 0);
    assert_int_equal(calls.n_rhs, 0);
    assert_int_equal(calls.n_algebra, 1);
}

TEST(edges_are_checked)
{
    RIG(r);
    rig_add(&r, "a", &gain);
    rig_add(&r, "b", &gain);
    rig_connect(&r, 0, 0, 1, 0);
    rig_connect(&r, 0, 1, 1, 0);
    assert_null(wr_group_place(r.arena, r.component, 2, r.edge, 2, 0, &r.diag));
    EXPECT_ERROR(&r.diag, WRSIM_E_GRAPH, "'b.u'", "twice");
    wr_diag_done(&r.diag);
    r.edge[1] = (wr_group_edge){.from = 0, .i_output = 9, .to = 0, .i_input = 0};
    assert_null(wr_group_place(r.arena, r.component, 2, r.edge, 2, 0, &r.diag));
    EXPECT_ERROR(&r.diag, WRSIM_E_INTERNAL, "connection 1");
}

/* picky: a gain that refuses an input that is not finite. */
static int picky_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    return isfinite(at->u[0]) ? gain_output(self, at, ret_y) : -1;
}
static const wrsim_model picky = {MODEL_HEAD("picky"),   .n_param = 1,
                                  .params = gain_params, .describe = gain_describe,
                                  .rhs = gain_rhs,       .output = picky_output};

/* The error names the producer of a value that is not finite, also if a consumer refuses the value before the check. */
TEST(first_value_that_is_not_finite_is_named)
{
    const wrsim_model *const readers[] = {&gain, &picky};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        RIG(r);
        const int c = rig_add(&r, "c", &gain), b = rig_add(&r, "b", readers[i]);
        const int a = rig_add(&r, "a", &gain);
        rig_connect(&r, b, 0, c, 0);
        rig_connect(&r, a, 0, b, 0);
        rig_external(&r, 0, 0, a, 0);
        rig_build_group(&r);
        double y[6], dx[3];
        const double x[3] = {10, 20, 30}, external = (double)INFINITY;
        const wr_group_point point = point_with(x, &external);
        assert_int_equal(wr_group_rhs(r.group, &point, dx), 1);
        assert_int_equal(r.group->fault.status, WRSIM_E_NAN);
        assert_int_equal(r.group->fault.i_component, a);
        assert_int_equal(r.group->fault.kind, WRSIM_OUTPUT);
        assert_int_equal(r.group->fault.i_variable, 0);
        assert_int_equal(wr_group_outputs(r.group, &point, y), 1);
        assert_int_equal(r.group->fault.i_component, a);
    }
}

/* Finite values with an infinite sum are no fault; one infinite value among many is a fault. */
TEST(finiteness_of_many_values)
{
    enum { N = 37 };
    RIG(r);
    for (int i = 0; i < N; i++)
        rig_add(&r, "a", &gain);
    rig_build_group(&r);
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = 1.7e308;
    assert_int_equal(wr_group_check_state(r.group, 0, x), 0);
    for (int i = 0; i < N; i++) {
        x[i] = i % 2 ? (double)NAN : -(double)INFINITY;
        assert_int_equal(wr_group_check_state(r.group, 0, x), 1);
        assert_int_equal(r.group->fault.i_component, i);
        x[i] = 1.7e308;
    }
}

TEST(too_small_an_arena_is_an_error)
{
    RIG(r);
    for (int i = 0; i < 40; i++)
        rig_add(&r, "a", &gain);
    AUTO(wr_arena_destroy) wr_arena *small = wr_arena_create(4096);
    assert_null(wr_group_place(small, r.component, 40, NULL, 0, 0, &r.diag));
    EXPECT_ERROR(&r.diag, WRSIM_E_MEMORY, "memory is not sufficient");
}

/* Indicators: the difference of two inputs, and twice the second input. */
DECLARE(watch_describe, "input: a b indicator: difference twice")
INDICATORS(watch_indicator)
{
    calls.n_indicator++;
    ret_z[0] = at->u[0] - at->u[1];
    ret_z[1] = 2.0 * at->u[1];
}

/* Evaluates the indicators of one component, with fewer calls than for all. */
static int indicators_of(wr_group *group, const wr_group_point *point, int c, double *ret_z)
{
    int is_all;
    const int rc = wr_group_indicators_listed(group, point, &group->z_start[c], 1, ret_z, &is_all);
    assert_false(is_all);
    return rc;
}
static const wrsim_model watch = {MODEL_HEAD("watch"), .describe = watch_describe,
                                  .indicator = watch_indicator};

/* The indicators of one component need only the components that drive it. */
TEST(indicators_of_one_component)
{
    RIG(r);
    const int a = rig_add(&r, "a", &gain), b = rig_add(&r, "b", &gain), c = rig_add(&r, "c", &gain);
    const int w = rig_add(&r, "w", &watch), v = rig_add(&r, "v", &watch);
    const int e = rig_add(&r, "e", &algebra);
    rig_connect(&r, a, 0, b, 0);
    rig_connect(&r, b, 0, w, 0);
    rig_connect(&r, c, 1, w, 1); /* a state */
    rig_connect(&r, c, 0, v, 0);
    rig_external(&r, 0, 0, v, 1);
    rig_connect(&r, b, 0, e, 0);
    rig_build_group(&r);
    const double x[4] = {1.0 / 3.0, 0.7, 1.0 / 7.0, 3.1}, external = 0.3;
    const wr_group_point point = point_with(x, &external);
    double all[5], one[5] = {0};
    assert_int_equal(wr_group_indicators(r.group, &point, all), 0);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(indicators_of(r.group, &point, w, one), 0);
    assert_int_equal(calls.n_output, 2);
    assert_int_equal(calls.n_indicator, 1);
    assert_int_equal(calls.n_algebra, 0);
    assert_memory_equal(one, all, 2 * sizeof *one);
    for (int i = 2; i < 5; i++)
        assert_close(one[i], 0, 0, 0);
    assert_int_equal(indicators_of(r.group, &point, v, one), 0);
    assert_int_equal(indicators_of(r.group, &point, e, one), 0);
    assert_int_equal(calls.n_algebra, 1);
    assert_memory_equal(one, all, sizeof one);
    /* The error names the value that is not finite. */
    const double bad[4] = {0, 0, (double)NAN, 0};
    const wr_group_point bad_point = point_with(bad, &external);
    assert_int_equal(indicators_of(r.group, &bad_point, v, one), 0);
    assert_int_equal(indicators_of(r.group, &bad_point, w, one), 1);
    assert_int_equal(r.group->fault.status, WRSIM_E_NAN);
    assert_int_equal(r.group->fault.i_component, w);
    assert_int_equal(r.group->fault.kind, WRSIM_INDICATOR);
    assert_int_equal(r.group->fault.i_variable, 0);
}

/* latch: its event stores its input. */
DECLARE(latch_describe, "discrete: kept input: u indicator: z")
INDICATORS(latch_indicator) { ret_z[0] = at->u[0] - 1.0; }
EVENT(latch_event) { d[0] = at->u[0]; }
static const wrsim_model latch = {MODEL_HEAD("latch"), .describe = latch_describe,
                                  .indicator = latch_indicator, .event = latch_event};

/* An event needs only the inputs of its component. */
TEST(event_evaluates_what_its_component_reads)
{
    RIG(r);
    const int a = rig_add(&r, "a", &gain), b = rig_add(&r, "b", &gain);
    const int p = rig_add(&r, "p", &latch), q = rig_add(&r, "q", &latch);
    rig_connect(&r, a, 0, p, 0);
    rig_connect(&r, b, 0, q, 0);
    rig_external(&r, 0, 0, a, 0);
    rig_external(&r, 0, 1, b, 0);
    rig_build_group(&r);
    double x[2] = {0.0, 0.0}, d[2] = {0.0, 0.0};
    const double external[2] = {3.0, 5.0};
    const wr_group_point point = point_with(x, external);
    const unsigned char only_q[4] = {[3] = WR_DUE_STATE},
                        both[4] = {[2] = WR_DUE_STATE, [3] = WR_DUE_STATE};
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_event(r.group, &point, (const signed char[]){0, 1}, only_q, 0, x, d),
                     0);
    assert_int_equal(calls.n_output, 1);
    assert_close(d[0], 0.0, 0, 0);
    assert_close(d[1], 11.0, 0, 0);
    /* Two events in one round, and the initial event. */
    for (int is_initial = 0; is_initial < 2; is_initial++) {
        d[0] = d[1] = 0.0;
        assert_int_equal(
            wr_group_event(r.group, &point, (const signed char[]){1, 1}, both, is_initial, x, d),
            0);
        assert_close(d[0], 7.0, 0, 0);
        assert_close(d[1], 11.0, 0, 0);
    }
}

EVENT(reset_event) { x[0] = 0.5 * at->x[0]; }

/* Only an event that reads w needs algebra(). */
TEST(event_without_w_calls_no_algebra)
{
    for (int reads_w = 0; reads_w < 2; reads_w++) {
        wrsim_model model = algebra;
        model.event = reset_event;
        model.caps = reads_w ? 0 : WRSIM_CAP_EVENT_WITHOUT_W;
        RIG(r);
        rig_add(&r, "a", &model);
        rig_external(&r, 0, 0, 0, 0);
        rig_build_group(&r);
        double x[1] = {3.0};
        const double before[1] = {3.0}, external[1] = {4.0};
        const wr_group_point point = point_with(before, external);
        const unsigned char due[1] = {WR_DUE_STATE};
        memset(&calls, 0, sizeof calls);
        assert_int_equal(wr_group_event(r.group, &point, (const signed char[]){1}, due, 0, x, NULL),
                         0);
        assert_close(x[0], 1.5, 0, 0);
        assert_int_equal(calls.n_algebra, reads_w);
    }
}

/* f and indicators at one point share one evaluation of outputs and of algebra(), with equal bits. */
TEST(rhs_and_indicators_share_a_point)
{
    RIG(r);
    const int a = rig_add(&r, "a", &algebra), b = rig_add(&r, "b", &gain);
    rig_connect(&r, b, 0, a, 0);
    rig_build_group(&r);
    double dx[2], dx_alone[2], z, z_alone;
    const double x[2] = {1.0 / 3.0, 0.7};
    const wr_group_point point = point_with(x, NULL);
    assert_int_equal(wr_group_rhs(r.group, &point, dx_alone), 0);
    assert_int_equal(wr_group_indicators(r.group, &point, &z_alone), 0);
    assert_false(wr_group_can_follow(r.group, point.t_s)); /* the last evaluation is not one of f */
    assert_int_equal(wr_group_rhs(r.group, &point, dx), 0);
    assert_false(wr_group_can_follow(r.group, point.t_s + 1e-15));
    assert_true(wr_group_can_follow(r.group, point.t_s));
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_indicators_after_rhs(r.group, &z), 0);
    assert_memory_equal(&z, &z_alone, sizeof z);
    assert_int_equal(calls.n_output + calls.n_algebra, 0);
    assert_int_equal(wr_group_indicators_before_rhs(r.group, &point, &z), 0);
    assert_int_equal(wr_group_rhs_after_indicators(r.group, &point, dx), 0);
    assert_memory_equal(&z, &z_alone, sizeof z);
    assert_memory_equal(dx, dx_alone, sizeof dx);
    assert_int_equal(calls.n_output, 1);
    assert_int_equal(calls.n_algebra, 1);
}

/* If indicators need a call that f does not need, f and indicators have separate calls. */
TEST(rhs_is_not_burdened_with_indicators)
{
    RIG(r);
    const int a = rig_add(&r, "a", &gain), w = rig_add(&r, "w", &watch);
    rig_connect(&r, a, 0, w, 0);
    rig_build_group(&r);
    double dx, z[2], z_alone[2];
    const double x = 0.5;
    const wr_group_point point = point_with(&x, NULL);
    assert_int_equal(wr_group_indicators(r.group, &point, z_alone), 0);
    memset(&calls, 0, sizeof calls);
    assert_int_equal(wr_group_rhs(r.group, &point, &dx), 0);
    assert_int_equal(calls.n_output, 0);
    assert_false(wr_group_can_follow(r.group, point.t_s));
    assert_int_equal(wr_group_indicators_before_rhs(r.group, &point, z), 0);
    assert_memory_equal(z, z_alone, sizeof z);
    assert_int_equal(wr_group_rhs_after_indicators(r.group, &point, &dx), 0);
    assert_int_equal(calls.n_rhs, 2);
}
