/* Directional derivatives of models against differences and closed forms, along algebraic paths. A group differences models without
 * tangents. */
#include "fixture.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

static int n_tangent, n_tangent_output, is_refused;

/* x' = -x^2 + w, w = x u; outputs: the state and y = x^2 + 3 u. */
DECLARE(describe_curve, "work=1 state: x=0.5 input: u=0.25 output: x:0 y")

ALGEBRA(algebra_curve) { ret_w[0] = at->x[0] * at->u[0]; }

RHS(rhs_curve) { ret_dx[0] = -at->x[0] * at->x[0] + at->w[0]; }

OUTPUTS(output_curve) { ret_y[1] = at->x[0] * at->x[0] + 3.0 * at->u[0]; }

static int tangent_curve(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                         const double *u_change, double *ret_dx)
{
    n_tangent++;
    if (is_refused) {
        self->message = "not here";
        return 1;
    }
    assert_close(at->w[0], at->x[0] * at->u[0], 0.0, 0.0);
    ret_dx[0] = (at->u[0] - 2.0 * at->x[0]) * x_change[0] + at->x[0] * u_change[0];
    return 0;
}

static int tangent_output_curve(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                                const double *u_change, double *ret_dy)
{
    n_tangent_output++;
    ret_dy[1] = 2.0 * at->x[0] * x_change[0] + 3.0 * u_change[0];
    return 0;
}

static const wrsim_model curve = {MODEL_HEAD("test.curve"),
                                  .describe = describe_curve,
                                  .rhs = rhs_curve,
                                  .output = output_curve,
                                  .algebra = algebra_curve,
                                  .tangent = tangent_curve,
                                  .tangent_output = tangent_output_curve};

/* Opens three components in a row: an external input drives the first, and y of each component drives the next component. */
static void open_row(rig *r, const wrsim_model *const model[3])
{
    rig_open(r);
    for (int i = 0; i < 3; i++)
        rig_add(r, (const char *const[]){"a", "b", "c"}[i], model[i]);
    rig_connect(r, 0, 1, 1, 0);
    rig_connect(r, 1, 1, 2, 0);
    rig_publish(r, 5);
    n_tangent = n_tangent_output = 0;
}

static void check_tangents(wr_unit_scale scale)
{
    const wrsim_model *const model[3] = {&curve, &curve, &curve};
    AUTO(rig_close) rig r;
    open_row(&r, model);
    rig_external(&r, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++)
        r.edge[i].scale = scale;
    rig_build_group(&r);
    assert_true(wr_group_has_tangent(r.group, NULL));
    const double x[3] = {0.5, -1.25, 2.0}, u[1] = {0.75};
    const double x_change[3] = {1.0, -0.5, 0.25}, u_change[1] = {2.0};
    const wr_group_point point = {.t_s = 1.0, .x = x, .external = u};
    double dx[3], side[2][3], dy[6], y_side[2][6];
    assert_int_equal(wr_group_tangent(r.group, &point, x_change, u_change, dx), 0);
    const double share = 1e-5;
    const int y = 5;
    const wr_plan *const plan = wr_group_plan_place(r.arena, r.group, &y, 1, NULL, 0);
    assert_non_null(plan);
    assert_true(wr_group_has_tangent(r.group, plan));
    assert_int_equal(wr_group_tangent_outputs(r.group, plan, &point, x_change, u_change, dy), 0);
    for (int k = 0; k < 2; k++) {
        double x_moved[3], u_moved[1];
        const double by = k == 0 ? -share : share;
        for (int i = 0; i < 3; i++)
            x_moved[i] = x[i] + by * x_change[i];
        u_moved[0] = u[0] + by * u_change[0];
        const wr_group_point moved = {.t_s = 1.0, .x = x_moved, .external = u_moved};
        assert_int_equal(wr_group_rhs(r.group, &moved, side[k]), 0);
        assert_int_equal(wr_group_outputs(r.group, &moved, y_side[k]), 0);
    }
    for (int i = 0; i < 3; i++)
        assert_close(dx[i], (side[1][i] - side[0][i]) / (2.0 * share), 1e-8, 1e-8);
    assert_close(dy[5], (y_side[1][5] - y_side[0][5]) / (2.0 * share), 1e-8, 1e-8);
    /* Closed form: dy_a = 2 x_a dx_a + 3 du = 7, and so on along the row. */
    const double factor = wr_unit_apply_change(scale, 1.0);
    const double dy_a = 2.0 * 0.5 * 1.0 + 3.0 * factor * 2.0;
    const double dy_b = 2.0 * -1.25 * -0.5 + 3.0 * factor * dy_a;
    assert_close(dy[5], 2.0 * 2.0 * 0.25 + 3.0 * factor * dy_b, 1e-14, 0.0);
}

TEST(against_differences_of_the_group)
{
    check_tangents((wr_unit_scale){0.0, 0.0});
    check_tangents((wr_unit_scale){0.5, -3.0}); /* all connections convert the unit */
}

/* Tangents of a subsystem after a window, if all, some or none of its models have tangents. */
TEST(subsystem)
{
    wrsim_model bare = curve, no_output = curve;
    bare.tangent = NULL;
    bare.tangent_output = no_output.tangent_output = NULL;
    const wrsim_model *const rows[3][3] = {
        {&curve, &curve, &curve}, {&bare, &bare, &bare}, {&no_output, &curve, &curve}};
    const double x_change[3] = {1.0, -0.5, 0.25};
    double dx[4][3], dy[4][1];
    for (int k = 0; k < 4; k++) {
        AUTO(rig_close) rig r;
        open_row(&r, rows[k % 3]);
        rig_start(&r);
        rig_advance(&r, 0.1);
        is_refused = k == 3;
        if (k == 3) {
            assert_int_equal(wr_subsystem_tangent(r.s, x_change, NULL, dx[k]), 1);
            assert_int_equal(r.s->fault.status, WRSIM_OK);
            is_refused = 0;
        }
        const int n_before = n_tangent;
        assert_int_equal(wr_subsystem_tangent(r.s, x_change, NULL, dx[k]), 0);
        assert_int_equal(n_tangent - n_before, k % 3 == 0 ? 3 : 0);
        assert_int_equal(wr_subsystem_tangent_outputs(r.s, x_change, NULL, dy[k]), 0);
        assert_true(k % 3 == 0 ? n_tangent_output > 0 : n_tangent_output == 0);
        rig_advance(&r, 0.2); /* the tangent leaves no state behind */
    }
    for (int k = 1; k < 4; k++) {
        for (int i = 0; i < 3; i++)
            assert_close(dx[k][i], dx[0][i], 1e-5, 1e-5);
        assert_close(dy[k][0], dy[0][0], 1e-5, 1e-5);
    }
}

/* Implicit methods use tangents for the Jacobian, also along the algebraic path, and reach the end state of a run with differences. */
TEST(jacobians_by_tangents)
{
    wrsim_model bare = curve;
    bare.tangent = NULL;
    bare.tangent_output = NULL;
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        const wrsim_model *const m = k == 0 ? &curve : &bare;
        AUTO(rig_close) rig r;
        open_row(&r, (const wrsim_model *const[]){m, m, m});
        r.config.integrator = wr_integrator_find("rosenbrock");
        assert_non_null(r.config.integrator);
        r.config.options.step_s = 0.0;
        r.config.options.rtol = 1e-8;
        rig_start(&r);
        rig_advance(&r, 1.0);
        assert_int_equal(n_tangent > 0, k == 0);
        assert_true(wr_ode_solver_stats(r.s)->n_jacobian > 0);
        memcpy(end[k], r.s->x, sizeof end[k]);
    }
    for (int i = 0; i < 3; i++)
        assert_close(end[0][i], end[1][i], 1e-6, 0.0);
}
