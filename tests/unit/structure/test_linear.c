/* Linearisations against derivatives of the equations, in any grouping. */
#include "wr_test.h"

#include "offline/structure/linear.h"
#include "offline/structure/walk.h"
#include "wrsim/wrsim.h"

static wrsim_config *load(const char *model, const char *more)
{
    char path[512];
    const char *overrides[32];
    int n = 0;
    for (; wr_walk_overrides[n]; n++)
        overrides[n] = wr_walk_overrides[n];
    if (more)
        overrides[n++] = more;
    snprintf(path, sizeof path, "%s/models/%s", wr_test_arg(1), model);
    wrsim_config *config = NULL;
    wrsim_error err;
    if (wrsim_config_from_file(path, overrides, n, NULL, NULL, &config, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    return config;
}

/* Dense copies of the linearisation of one group at one time. */
enum { MAX = 32 };
typedef struct kept {
    int n_look, n_x, n_u, n_y;
    double t_s, x[MAX], u[MAX], dx[MAX], a[MAX * MAX], b[MAX * MAX], c[MAX * MAX], d[MAX * MAX];
    char by[16], name_u[MAX][32], driver[MAX][32];
} kept;

static wrsim_status keep(void *user, const wr_linear *l, wrsim_error *err)
{
    kept *const k = user;
    k->n_look++;
    k->t_s = l->view->t_s;
    k->n_x = l->view->n[WRSIM_STATE];
    k->n_u = l->view->n[WRSIM_INPUT];
    k->n_y = l->view->n[WRSIM_OUTPUT];
    memcpy(k->x, l->view->x, sizeof(double) * (size_t)k->n_x);
    memcpy(k->u, l->view->u, sizeof(double) * (size_t)k->n_u);
    memcpy(k->dx, l->dx, sizeof(double) * (size_t)k->n_x);
    wr_matrix_to_dense(l->a, k->a);
    wr_matrix_to_dense(l->b, k->b);
    wr_matrix_to_dense(l->c, k->c);
    wr_matrix_to_dense(l->d, k->d);
    snprintf(k->by, sizeof k->by, "%s", l->by);
    for (int i = 0; i < k->n_u; i++) {
        snprintf(k->name_u[i], sizeof k->name_u[i], "%s", l->view->variable[WRSIM_INPUT][i].name);
        snprintf(k->driver[i], sizeof k->driver[i], "%s",
                 l->view->driver[i].name ? l->view->driver[i].name : "");
    }
    return WRSIM_OK;
}

static kept look(const char *model, const char *more, wr_selection selection, double t_s,
                 wr_linear_source source)
{
    kept k = {0};
    wrsim_error err = {0};
    wrsim_config *config = load(model, more);
    const wr_linear_request request = {
        .group = &selection, .n_group = 1, .time_s = &t_s, .n_time = 1, .source = source};
    if (wr_linear_run(config, &request, keep, &k, NULL, NULL, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    wrsim_config_destroy(&config);
    assert_int_equal(k.n_look, 1);
    assert_close(k.t_s, t_s, 1e-12, 0.0);
    return k;
}

/* The matrix of the ladder with R = C = 1 is tridiagonal: -2 on the diagonal, -1 at the last node, 1 beside the diagonal. */
static void assert_ladder(const kept *k, int first, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double expected = i == j            ? (i == n - 1 ? -1.0 : -2.0)
                                    : abs(i - j) == 1 ? 1.0
                                                      : 0.0;
            assert_close(k->a[(first + j) * k->n_x + first + i], expected, 1e-9, 0.0);
        }
}

TEST(the_whole_ladder_has_its_tridiagonal_matrix)
{
    for (int source = WR_LINEAR_BEST; source <= WR_LINEAR_DIFFERENCES; source++)
        for (int is_split = 0; is_split < 2; is_split++) {
            const kept k =
                look("rc_ladder/rc_ladder.toml", is_split ? NULL : "simulation.monolithic=true",
                     (wr_selection){0}, 3.0, (wr_linear_source)source);
            assert_int_equal(k.n_x, 20);
            assert_int_equal(k.n_u, 1); /* right.v_right, an undriven input */
            assert_ladder(&k, 0, 20);
        }
}

TEST(a_piece_has_its_inputs)
{
    const wr_selection by_subsystem = {.subsystem = "right"}, by_component = {.component = "right"};
    const kept s = look("rc_ladder/rc_ladder.toml", NULL, by_subsystem, 3.0, WR_LINEAR_BEST),
               c = look("rc_ladder/rc_ladder.toml", NULL, by_component, 3.0, WR_LINEAR_BEST);
    assert_int_equal(s.n_x, 10);
    assert_ladder(&s, 0, 10);
    assert_int_equal(s.n_u, 2); /* v_right is open and has no effect */
    assert_string_equal(s.name_u[0], "right.u");
    assert_string_equal(s.driver[0], "left.v_last");
    assert_string_equal(s.driver[1], "");
    assert_close(s.b[0], 1.0, 1e-9, 0.0);
    for (int i = 1; i < 2 * s.n_x; i++)
        assert_close(s.b[i], 0.0, 0.0, 0.0);
    assert_memory_equal(s.a, c.a, sizeof s.a);
    for (int y = 0; y < s.n_y; y++) { /* outputs are states: one 1 per row */
        double sum = 0.0;
        for (int j = 0; j < s.n_x; j++)
            sum += s.c[j * s.n_y + y];
        assert_close(sum, 1.0, 1e-9, 0.0);
    }
    for (int i = 0; i < s.n_y * s.n_u; i++)
        assert_close(s.d[i], 0.0, 0.0, 0.0);
}

/* y1' = -0.04 y1 + 1e4 y2 y3, y3' = 3e7 y2^2, at the state of the run at 40 s. */
TEST(robertson_by_jacobian_and_by_differences)
{
    const kept j = look("robertson/robertson.toml", NULL, (wr_selection){0}, 40.0, WR_LINEAR_BEST),
               d = look("robertson/robertson.toml", NULL, (wr_selection){0}, 40.0,
                        WR_LINEAR_DIFFERENCES);
    assert_string_equal(j.by, "Jacobian");
    assert_string_equal(d.by, "differences");
    assert_int_equal(j.n_x, 3);
    const double y2 = j.x[1], y3 = j.x[2];
    const double rows[3][3] = {
        {-0.04, 1e4 * y3, 1e4 * y2}, {0.04, -1e4 * y3 - 6e7 * y2, -1e4 * y2}, {0.0, 6e7 * y2, 0.0}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            assert_close(j.a[c * 3 + r], rows[r][c], 1e-12, 0.0);
            assert_close(d.a[c * 3 + r], rows[r][c], 1e-6, 1e-7);
        }
}

/* Small changes of the engine's airpath follow the matrices of the subsystem. */
TEST(the_engine_moves_as_its_matrices_say)
{
    wrsim_error err = {0};
    AUTO(wrsim_config_destroy) wrsim_config *config = load("engine/engine.toml", NULL);
    AUTO(wrsim_destroy) wrsim *sim = NULL;
    AUTO(wr_view_destroy) wr_view *view = NULL;
    AUTO(wr_linear_done) wr_linear l;
    AUTO(wr_values_done) wr_values before, after;
    assert_int_equal(wr_walk_begin(config, NULL, NULL, &sim, &err), WRSIM_OK);
    assert_int_equal(wr_walk_to(sim, 0.013, &err), WRSIM_OK);
    assert_int_equal(wr_view_create(sim, &(wr_selection){.subsystem = "airpath"}, &view, &err),
                     WRSIM_OK);
    assert_int_equal(wr_view_take(view, &err), WRSIM_OK);
    if (wr_linear_make(view, WR_LINEAR_BEST, &l, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    assert_int_equal(wr_values_init(&before, view) | wr_values_init(&after, view), 0);
    assert_int_equal(wr_view_evaluate(view, before.dx, before.y, before.z), 0);
    for (int j = 0; j < view->n[WRSIM_STATE] + view->n[WRSIM_INPUT]; j++) {
        const int is_x = j < view->n[WRSIM_STATE], k = is_x ? j : j - view->n[WRSIM_STATE];
        double *const at = is_x ? &view->x[k] : &view->u[k], kept_value = *at;
        const double nominal = view->variable[is_x ? WRSIM_STATE : WRSIM_INPUT][k].nominal,
                     change = 1e-5 * fmax(fabs(kept_value), nominal);
        *at = kept_value + change;
        assert_int_equal(wr_view_evaluate(view, after.dx, after.y, after.z), 0);
        *at = kept_value;
        for (int i = 0; i < before.n_x; i++)
            assert_close(after.dx[i] - before.dx[i], change * wr_matrix_at(is_x ? l.a : l.b, i, k),
                         1e-3,
                         1e-9 * fabs(before.dx[i]) + 1e-8 * view->variable[WRSIM_STATE][i].nominal);
        for (int i = 0; i < before.n_y; i++)
            assert_close(after.y[i] - before.y[i], change * wr_matrix_at(is_x ? l.c : l.d, i, k),
                         1e-3,
                         1e-9 * fabs(before.y[i]) + 1e-8 * view->variable[WRSIM_OUTPUT][i].nominal);
    }
}

TEST(missing_derivatives_are_errors)
{
    static const struct {
        wr_selection selection;
        double t_s;
        const char *said;
    } wrong[] = {{{.subsystem = "rigth"}, 1.0, "did you mean 'right'"},
                 {{.component = "sauce"}, 1.0, "did you mean 'source'"},
                 {{0}, 51.0, "not within the run"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kept k = {0};
        wrsim_error err = {0};
        AUTO(wrsim_config_destroy) wrsim_config *config = load("rc_ladder/rc_ladder.toml", NULL);
        const wr_linear_request request = {
            .group = &wrong[i].selection, .n_group = 1, .time_s = &wrong[i].t_s, .n_time = 1};
        assert_int_equal(wr_linear_run(config, &request, keep, &k, NULL, NULL, &err), WRSIM_E_ARG);
        assert_non_null(strstr(err.text, wrong[i].said));
    }
}
