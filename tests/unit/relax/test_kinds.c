/* A third kind of subsystem, as a Co-Simulation unit is: it cannot go back, moves from one communication point to
 * another only, and knows nothing of effects and derivatives. It stands in for the right one of two masses; the
 * solution of both is x = (cos 2 pi t +- cos 6 pi t) / 2. */
#include "wr_case.h"

#include <math.h>

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/engine_run.h"

static const double STOP_S = 1.0, STEP_S = 0.005, PI = 3.14159265358979323846;
enum { SUBSTEPS = 20 };

typedef struct unit {
    wr_subsystem face;
    double x[2], saved_x[2], saved_s, room_external;
    double start_s;
    const wr_wave *room_source[1];
    int64_t n_advance, n_begin;
    int fails_from; /* advance */
    int spoils;     /* and what it is then is not what it was */
    int can_restore;
} unit;

static unit the_unit;

static unit *unit_of(const wr_subsystem *s) { return s->inside; }

static wrsim_status begin(wr_subsystem *s)
{
    unit *const m = unit_of(s);
    s->t_s = m->start_s;
    m->x[0] = m->x[1] = 0.0;
    m->n_advance = 0;
    m->n_begin++;
    return WRSIM_OK;
}

static wrsim_status published(wr_subsystem *s, double *ret_value, double *ret_slope)
{
    ret_value[0] = unit_of(s)->x[0];
    if (ret_slope)
        ret_slope[0] = unit_of(s)->x[1];
    return WRSIM_OK;
}

static void slope(const wr_subsystem *s, double t_s, const double *x, double *ret_dx)
{
    wr_cursor cursor = wr_cursor_start();
    const double u = wr_wave_eval(s->source[0], &cursor, t_s, s->external_signal[0]);
    ret_dx[0] = x[1];
    ret_dx[1] = -4.0 * PI * PI * x[0] - 16.0 * PI * PI * (x[0] - u);
}

static void rk4(const wr_subsystem *s, double t_s, double h, double *x)
{
    double k[4][2], at[2];
    slope(s, t_s, x, k[0]);
    for (int i = 1; i < 4; i++) {
        const double part = i == 3 ? h : 0.5 * h;
        for (int j = 0; j < 2; j++)
            at[j] = x[j] + part * k[i - 1][j];
        slope(s, t_s + part, at, k[i]);
    }
    for (int j = 0; j < 2; j++)
        x[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
}

static wrsim_status advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    unit *const m = unit_of(s);
    (void)tolerance_factor;
    const double steps = (t_end_s - s->t_s) / STEP_S;
    assert_true(fabs(steps - floor(steps + 0.5)) < 1e-4 && steps > 0.5);
    if (m->fails_from > 0 && ++m->n_advance >= m->fails_from) {
        m->x[0] += m->spoils;
        s->fault = (wr_fault){.status = WRSIM_E_CALLBACK, .t_s = s->t_s, .message = "it is tired"};
        return WRSIM_E_CALLBACK;
    }
    s->stats.n_integration++;
    wr_wave_clear(s->wave);
    assert_int_equal(wr_wave_append(s->wave, s->t_s, &m->x[0], &m->x[1]), WRSIM_OK);
    const int n = (int)floor(steps + 0.5);
    const double start_s = s->t_s, h = (t_end_s - start_s) / (n * SUBSTEPS);
    for (int i = 0; i < n * SUBSTEPS; i++) {
        rk4(s, start_s + i * h, h, m->x);
        if ((i + 1) % SUBSTEPS == 0) {
            const double t_s = i + 1 == n * SUBSTEPS ? t_end_s : start_s + (i + 1) * h;
            assert_int_equal(wr_wave_append(s->wave, t_s, &m->x[0], &m->x[1]), WRSIM_OK);
        }
    }
    s->t_s = t_end_s;
    return WRSIM_OK;
}

static void save(wr_subsystem *s)
{
    unit *const m = unit_of(s);
    memcpy(m->saved_x, m->x, sizeof m->x);
    m->saved_s = s->t_s;
}

static void restore(wr_subsystem *s)
{
    unit *const m = unit_of(s);
    assert_true(m->can_restore);
    memcpy(m->x, m->saved_x, sizeof m->x);
    s->t_s = m->saved_s;
}

static double close_in(wr_subsystem *s, double tolerance_factor)
{
    (void)tolerance_factor;
    return s->t_s;
}

static const wr_subsystem_ops unit_ops = {.kind = "unit",
                                          .begin = begin,
                                          .published = published,
                                          .save = save,
                                          .restore = restore,
                                          .advance = advance,
                                          .close_in = close_in};

/* The right mass's face, with another inside. */
static void swap(const wr_assembly *a, wr_link *parts)
{
    const wr_subsystem *const was = parts[1].subsystem;
    static const int no_state[1] = {-1};
    static const double nominal[1] = {1.0};
    unit *const m = &the_unit;
    wr_wave *const wave = wr_wave_place(a->arena, 1, 64);
    m->face = (wr_subsystem){.ops = &unit_ops,
                             .inside = m,
                             .wave = wave,
                             .source = m->room_source,
                             .flags = WR_SUBSYSTEM_GRID_ONLY |
                                      (m->can_restore ? 0u : (unsigned)WR_SUBSYSTEM_CANNOT_RESTORE),
                             .n_source = 1,
                             .n_external = 1,
                             .n_published = 1,
                             .external = &m->room_external,
                             .external_source = was->external_source,
                             .external_signal = was->external_signal,
                             .signal_state = no_state,
                             .nominal_published = nominal,
                             .rtol = was->rtol,
                             .atol_published = was->atol_published,
                             .atol_external = was->atol_external,
                             .work_per_rhs = 1.0,
                             .name = "unit"};
    assert_int_equal(was->n_published, 1);
    parts[1].subsystem = &m->face;
}

static void open_masses(wr_case *c, const char *rule, double window_s, int is_gauss_seidel,
                        wr_accelerate_kind acceleration)
{
    static const char form[] =
        "[simulation]\nstart = %g\nstop = %.17g\nrtol = 1e-8\ncommunication_step = 0.005\n"
        "[solver]\nkind = \"dopri54\"\n"
        "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"
        "[[component]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"
        "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"
        "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n"
        "[[subsystem]]\nname = \"left\"\ncomponents = [\"left\"]\n"
        "[[subsystem]]\nname = \"right\"\ncomponents = [\"right\"]\n";
    char text[sizeof form + 64];
    snprintf(text, sizeof text, form, the_unit.start_s, the_unit.start_s + 1.0);
    const int is_fixed = strcmp(rule, "fixed") == 0;
    wr_engine_options options =
        wr_case_options(is_fixed ? wr_window_rule_find("fixed") : wr_window_rule_find("work"),
                        window_s, 1e-6, is_fixed ? window_s : 0.1);
    options.communication_step_s = STEP_S;
    options.start_s = the_unit.start_s;
    options.is_gauss_seidel = is_gauss_seidel;
    options.acceleration = acceleration;
    wr_case_create_with(c, text, 1, &options, NULL, swap);
}

/* The largest error of both positions at the ends of windows until the end. */
static double run_error(wr_case *c)
{
    double worst = 0.0;
    for (double t_s = 0.05; t_s < STOP_S + 0.01; t_s += 0.05) {
        wrsim_error err = {0};
        const wrsim_status status = wr_engine_run(c->engine, t_s, &err);
        if (status != WRSIM_OK)
            print_error("%s\n", err.text);
        assert_int_equal(status, WRSIM_OK);
        const double slow = cos(2.0 * PI * t_s), fast = cos(6.0 * PI * t_s);
        const double left = c->engine->run[0]->subsystem->x[0];
        worst = wr_max(worst, fabs(left - 0.5 * (slow + fast)));
        worst = wr_max(worst, fabs(the_unit.x[0] - 0.5 * (slow - fast)));
    }
    return worst;
}

/* It is advanced once in a window, on the grid, and never asked to go back: it could not. What that costs falls with
 * the window: it moves against an iterate that knows its prediction only. */
TEST(one_that_cannot_go_back)
{
    for (int is_gauss_seidel = 0; is_gauss_seidel < 2; is_gauss_seidel++)
        for (int acceleration = WR_ACCELERATE_KIND_NONE;
             acceleration <= WR_ACCELERATE_KIND_ANDERSON; acceleration++) {
            double error[2];
            for (int k = 0; k < 2; k++) {
                the_unit = (unit){0};
                AUTO(wr_case_destroy) wr_case c;
                open_masses(&c, "fixed", k == 0 ? 0.01 : 0.005, is_gauss_seidel,
                            (wr_accelerate_kind)acceleration);
                error[k] = run_error(&c);
                const wr_engine_stats *const stats = wr_engine_stats_get(c.engine);
                assert_int_equal(the_unit.face.stats.n_integration, stats->n_window);
                assert_int_equal(the_unit.n_begin, 1);
            }
            print_message("gauss_seidel %d acceleration %d: %.2e, %.2e\n", is_gauss_seidel,
                          acceleration, error[0], error[1]);
            assert_true(error[0] < 2e-4);
            assert_true(error[1] < error[0] / 4.0);
        }
}

/* Where windows may be longer, what it missed keeps them short. */
TEST(windows_follow_what_it_misses)
{
    the_unit = (unit){0};
    AUTO(wr_case_destroy) wr_case c;
    open_masses(&c, "work", 0.1, 0, WR_ACCELERATE_KIND_NONE);
    const double error = run_error(&c);
    print_message("error %.2e in %d windows\n", error,
                  (int)wr_engine_stats_get(c.engine)->n_window);
    assert_true(error < 2e-5);
    /* What errors of its inputs do to it nobody knows, and the account says so. */
    assert_int_equal(wr_engine_error_get(c.engine).i_opaque, 1);
}

TEST(times_beside_the_grid_are_refused)
{
    the_unit = (unit){0};
    AUTO(wr_case_destroy) wr_case c;
    open_masses(&c, "fixed", 0.01, 0, WR_ACCELERATE_KIND_NONE);
    wrsim_error err = {0};
    assert_int_equal(wr_engine_run(c.engine, 0.0123, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "'unit'"));
    assert_non_null(strstr(err.text, "communication"));
    assert_int_equal(wr_engine_run(c.engine, 0.015, &err), WRSIM_OK);
}

/* Its failure ends the run at the start of the window: nothing is tried again. */
TEST(its_failure_is_told)
{
    the_unit = (unit){.fails_from = 4};
    AUTO(wr_case_destroy) wr_case c;
    open_masses(&c, "fixed", 0.01, 0, WR_ACCELERATE_KIND_NONE);
    the_unit.fails_from = 4;
    wrsim_error err = {0};
    assert_int_equal(wr_engine_run(c.engine, 0.5, &err), WRSIM_E_CALLBACK);
    assert_string_equal(err.subsystem, "unit");
    assert_non_null(strstr(err.text, "it is tired"));
    assert_close(wr_engine_time(c.engine), 0.03, 1e-9, 0.0);
}

/* One that can go back does after a failure, where it failed at once, too; far from zero, where lengths between
 * points of the grid are rounded, the run ends all the same. */
TEST(a_failure_leaves_it_at_the_start_of_the_window)
{
    for (int k = 0; k < 2; k++) {
        the_unit = (unit){.can_restore = 1, .start_s = k == 0 ? 0.0 : 1e6};
        AUTO(wr_case_destroy) wr_case c;
        open_masses(&c, "work", 0.01, 0, WR_ACCELERATE_KIND_NONE);
        wrsim_error err = {0};
        const double start_s = the_unit.start_s;
        assert_int_equal(wr_engine_run(c.engine, start_s + 0.1, &err), WRSIM_OK);
        const double at = the_unit.x[0];
        the_unit.fails_from = 1;
        the_unit.spoils = 1;
        assert_int_equal(wr_engine_run(c.engine, start_s + 0.5, &err), WRSIM_E_CALLBACK);
        assert_close(wr_engine_time(c.engine), start_s + 0.1, 1e-9, 0.0);
        assert_true(the_unit.x[0] <= at && the_unit.x[0] >= at);
        assert_true(the_unit.face.t_s <= wr_engine_time(c.engine) &&
                    the_unit.face.t_s >= wr_engine_time(c.engine));
    }
}
