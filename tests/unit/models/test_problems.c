/* The test problems against their published or closed-form answers. The file has small solvers of its own, so that a failure is a fault of
 * the model and not of an integrator:
 *
 * - RK4 with bisected events for the non-stiff and the hybrid problems, with components joined by links;
 * - the Rosenbrock pair ode23s (Shampine and Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput.
 *   18, 1997, section 3.1) with the model's own Jacobian for the stiff problems.
 */
#include "describe_host.h"
#include "tests/numeric/reference.h"

enum { MAX_HOSTS = 2, MAX_X = 32, MAX_Z = 8 };

/* ---- Components joined by their outputs (none of which depends directly on an input) */

typedef struct rig_link {
    int from, i_output, to, i_input;
} rig_link;

typedef struct rig {
    int n_hosts, n_links, n_x;
    model_host *host[MAX_HOSTS];
    rig_link links[4];
    double t_s;
} rig;

static void exchange(rig *s)
{
    double y[MAX_X];
    for (int i = 0; i < s->n_links; i++) {
        assert_int_equal(host_output(s->host[s->links[i].from], y), 0);
        s->host[s->links[i].to]->u[s->links[i].i_input] = y[s->links[i].i_output];
    }
}

static void set_point(rig *s, double t_s, const double *x)
{
    for (int i = 0; i < s->n_hosts; i++) {
        memcpy(s->host[i]->x, x, (size_t)s->host[i]->n[WRSIM_STATE] * sizeof *x);
        s->host[i]->t_s = t_s;
        x += s->host[i]->n[WRSIM_STATE];
    }
    exchange(s);
}

static void get_x(const rig *s, double *ret_x)
{
    for (int i = 0; i < s->n_hosts; i++) {
        memcpy(ret_x, s->host[i]->x, (size_t)s->host[i]->n[WRSIM_STATE] * sizeof *ret_x);
        ret_x += s->host[i]->n[WRSIM_STATE];
    }
}

static void rig_rhs(rig *s, double t_s, const double *x, double *ret_dx)
{
    set_point(s, t_s, x);
    for (int i = 0; i < s->n_hosts; i++) {
        assert_int_equal(host_rhs(s->host[i], ret_dx), 0);
        ret_dx += s->host[i]->n[WRSIM_STATE];
    }
}

static void rig_start(rig *s)
{
    exchange(s);
    s->n_x = 0;
    for (int i = 0; i < s->n_hosts; i++) {
        host_start(s->host[i], 0.0);
        s->n_x += s->host[i]->n[WRSIM_STATE];
    }
    assert_in_range(s->n_x, 1, MAX_X);
    exchange(s);
}

static void rig_done(rig *s)
{
    for (int i = 0; i < s->n_hosts; i++)
        host_destroy(&s->host[i]);
}

static void rk4_step(rig *s, double t_s, double h, const double *x, double *ret_x)
{
    double k[4][MAX_X], stage[MAX_X];
    const int n = s->n_x;
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < n; j++)
            stage[j] = x[j] + (i > 0 ? c[i] * h * k[i - 1][j] : 0.0);
        rig_rhs(s, t_s + c[i] * h, stage, k[i]);
    }
    for (int j = 0; j < n; j++)
        ret_x[j] = x[j] + h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
}

/* Returns 1 if an indicator differs from its mode in the direction of an event. With do_fire, also sets modes and executes events. */
static int is_event(rig *s, int do_fire)
{
    int n_fired = 0;
    for (int i = 0; i < s->n_hosts; i++) {
        model_host *const host = s->host[i];
        double z[MAX_Z];
        signed char fired[MAX_Z] = {0};
        int is_hit = 0;
        assert_in_range(host->n[WRSIM_INDICATOR], 0, MAX_Z);
        assert_int_equal(host_indicator(host, z), 0);
        for (int k = 0; k < host->n[WRSIM_INDICATOR]; k++) {
            const unsigned flags = host->variable[WRSIM_INDICATOR][k].v.flags;
            const int direction = (z[k] > 0.0) - (int)host->mode[k];
            if (do_fire)
                host->mode[k] = z[k] > 0.0;
            if ((direction > 0 && (flags & WRSIM_FALLING_ONLY)) ||
                (direction < 0 && (flags & WRSIM_RISING_ONLY)))
                continue;
            fired[k] = (signed char)direction;
            is_hit |= direction != 0;
        }
        n_fired += is_hit;
        const wrsim_event event = {.fired = fired};
        if (do_fire && is_hit)
            assert_int_equal(host_event(host, &event), 0);
    }
    return n_fired > 0;
}

/* Integrates to t_end_s in steps of at most h; stores the end state and the times of events, and returns the number of events. */
static int simulate(rig *s, double t_end_s, double h, double *ret_x, double *event_s, int cap)
{
    double x[MAX_X], next[MAX_X];
    int n_events = 0;
    get_x(s, x);
    while (s->t_s < t_end_s) {
        double step = fmin(h, t_end_s - s->t_s);
        rk4_step(s, s->t_s, step, x, next);
        set_point(s, s->t_s + step, next);
        const int has_event = is_event(s, 0);
        if (has_event) {
            double low = 0.0, high = step;
            for (int i = 0; i < 60; i++) {
                step = 0.5 * (low + high);
                rk4_step(s, s->t_s, step, x, next);
                set_point(s, s->t_s + step, next);
                *(is_event(s, 0) ? &high : &low) = step;
            }
            step = high;
            rk4_step(s, s->t_s, step, x, next);
            set_point(s, s->t_s + step, next);
        }
        /* A remainder below rounding of t ends the loop. */
        s->t_s = s->t_s + step >= t_end_s * (1.0 - 1e-15) ? t_end_s : s->t_s + step;
        if (has_event) {
            assert_true(n_events < cap);
            event_s[n_events++] = s->t_s;
            is_event(s, 1);
            get_x(s, next);
            exchange(s);
        }
        /* Modes of one-directional indicators follow the signs of the indicators without an event. */
        for (int i = 0; i < s->n_hosts; i++)
            host_set_modes(s->host[i]);
        memcpy(x, next, sizeof x);
    }
    memcpy(ret_x, x, (size_t)s->n_x * sizeof x[0]);
    return n_events;
}

/* ---- Non-stiff problems */

TEST(linear_pair)
{
    const host_value u[] = {{"a", -1.0}, {"b", 0.5}, {NULL, 0.0}};
    const host_value v[] = {{"a", -1.0}, {"b", -0.5}, {NULL, 0.0}};
    const wrsim_model *const model = find_model("dahlquist");
    AUTO(rig_done)
    rig s = {.n_hosts = 2,
             .n_links = 2,
             .host = {host_create(model, u), host_create(model, v)},
             .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}};
    s.host[1]->x[0] = 3.0;
    rig_start(&s);
    double x[MAX_X];
    assert_int_equal(simulate(&s, wr_ref_linear_pair.t_end_s, 1e-3, x, NULL, 0), 0);
    for (int i = 0; i < 2; i++) /* RK4: about t h^4 / 120 */
        assert_close(x[i], wr_ref_linear_pair.end[i], 1e-12, 0.0);
}

TEST(two_mass_oscillator)
{
    const wrsim_model *const model = find_model("oscillator.mass");
    AUTO(rig_done)
    rig s = {.n_hosts = 2,
             .n_links = 2,
             .host = {host_create(model, NULL), host_create(model, NULL)},
             .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}};
    s.host[0]->x[0] = 1.0;
    rig_start(&s);
    double x[MAX_X];
    assert_int_equal(simulate(&s, wr_ref_two_mass.t_end_s, 1e-4, x, NULL, 0), 0);
    for (int i = 0; i < 4; i++) /* (6 pi h)^5 / 120 per step */
        assert_close(x[i], wr_ref_two_mass.end[i], 1e-9, 1e-9);
}

/* One ladder of 20 sections, and two of 10 connected by their voltages. */
TEST(rc_ladder)
{
    const host_value whole[] = {{"n", 20.0}, {NULL, 0.0}};
    const host_value left[] = {{"n", 10.0}, {"open_end", 0.0}, {NULL, 0.0}};
    const host_value right[] = {{"n", 10.0}, {NULL, 0.0}};
    const wrsim_model *const model = find_model("rc_ladder");
    rig s[2] = {{.n_hosts = 1, .host = {host_create(model, whole)}},
                {.n_hosts = 2,
                 .n_links = 2,
                 .host = {host_create(model, left), host_create(model, right)},
                 .links = {{0, 1, 1, 0}, {1, 0, 0, 1}}}};
    for (int k = 0; k < 2; k++) {
        s[k].host[0]->u[0] = 1.0;
        rig_start(&s[k]);
        double x[MAX_X];
        assert_int_equal(simulate(&s[k], wr_ref_rc_ladder.t_end_s, 0.01, x, NULL, 0), 0);
        for (int i = 0; i < 20; i++) /* the fast modes of the step response have decayed */
            assert_close(x[i], wr_ref_rc_ladder.end[i], 1e-9, 0.0);
        rig_done(&s[k]);
    }
}

TEST(kpr)
{
    AUTO(rig_done)
    rig s = {
        .n_hosts = 2,
        .n_links = 2,
        .host = {host_create(find_model("kpr.u"), NULL), host_create(find_model("kpr.v"), NULL)},
        .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}};
    rig_start(&s);
    double x[MAX_X];
    assert_int_equal(simulate(&s, wr_ref_kpr.t_end_s, 1e-4, x, NULL, 0), 0);
    for (int i = 0; i < 2; i++) /* (w h)^4 = 1e-8 */
        assert_close(x[i], wr_ref_kpr.end[i], 1e-8, 0.0);
}

/* HIRES is mildly stiff, within the limits of RK4: the fastest eigenvalue is about -280 (y6 + y8) > -200 1/s. */
TEST(hires)
{
    AUTO(rig_done)
    rig s = {.n_hosts = 2,
             .n_links = 2,
             .host = {host_create(find_model("hires.a"), NULL),
                      host_create(find_model("hires.b"), NULL)},
             .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}};
    rig_start(&s);
    double x[MAX_X];
    assert_int_equal(simulate(&s, wr_ref_hires.t_end_s, 5e-3, x, NULL, 0), 0);
    for (int i = 0; i < 8; i++)
        assert_close(x[i], wr_ref_hires.end[i], 1e-6, 0.0);
}

/* ---- Hybrid problems */

static void check_events(const wr_reference *reference, const double *event_s, int n_events)
{
    assert_int_equal(n_events, reference->n_events);
    for (int i = 0; i < n_events; i++)
        assert_close(event_s[i], reference->event_s[i], 1e-9, 0.0);
}

TEST(bouncing_ball)
{
    AUTO(rig_done) rig s = {.n_hosts = 1, .host = {host_create(find_model("bouncing_ball"), NULL)}};
    rig_start(&s);
    double x[MAX_X], event_s[16];
    const int n = simulate(&s, wr_ref_bouncing_ball.t_end_s, 0.01, x, event_s, 16);
    check_events(&wr_ref_bouncing_ball, event_s, n);
    assert_close(s.host[0]->d[0], n, 0.0, 0.0);
    for (int i = 0; i < 2; i++) /* parabolas: RK4 is exact */
        assert_close(x[i], wr_ref_bouncing_ball.end[i], 1e-9, 1e-12);
}

TEST(relay)
{
    const host_value plant[] = {{"a", -1.0}, {"b", 1.0}, {NULL, 0.0}};
    /* The first rig has one component, the second rig a plant and a switch. */
    rig s[2] = {{.n_hosts = 1, .host = {host_create(find_model("relay"), NULL)}},
                {.n_hosts = 2,
                 .n_links = 2,
                 .host = {host_create(find_model("dahlquist"), plant),
                          host_create(find_model("relay.switch"), NULL)},
                 .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}}};
    s[1].host[0]->x[0] = 0.0;
    for (int k = 0; k < 2; k++) {
        rig_start(&s[k]);
        double x[MAX_X], event_s[32];
        const int n = simulate(&s[k], wr_ref_relay.t_end_s, 2e-3, x, event_s, 32);
        check_events(&wr_ref_relay, event_s, n);
        assert_close(x[0], wr_ref_relay.end[0], 1e-9, 0.0);
        rig_done(&s[k]);
    }
}

/* ---- Stiff problems */

/* Solves a x = b in place by elimination with partial pivoting; a is column-major. */
static void solve(int n, const double *a_in, double *b)
{
    double a[9];
    memcpy(a, a_in, (size_t)(n * n) * sizeof *a);
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[k * n + i]) > fabs(a[k * n + pivot]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            const double kept = a[j * n + k];
            a[j * n + k] = a[j * n + pivot];
            a[j * n + pivot] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[k * n + i] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[j * n + i] -= factor * a[j * n + k];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[j * n + k] * b[j];
        b[k] /= a[k * n + k];
    }
}

static void host_f(model_host *host, const double *x, double *ret_dx)
{
    memcpy(host->x, x, (size_t)host->n[WRSIM_STATE] * sizeof *x);
    assert_int_equal(host_rhs(host, ret_dx), 0);
}

/* Makes one trial step of ode23s; returns its error in units of the tolerance. */
static double ode23s_step(model_host *host, const double *x, double h, double rtol, double *ret_x)
{
    enum { N = 3 };
    const int n = host->n[WRSIM_STATE];
    const double d = 1.0 / (2.0 + sqrt(2.0)), e32 = 6.0 + sqrt(2.0);
    double f0[N], f1[N], f2[N], k1[N], k2[N], k3[N], stage[N], w[N * N];
    assert_in_range(n, 1, N);
    host_f(host, x, f0);
    assert_int_equal(host_jacobian(host, w), 0);
    for (int i = 0; i < n * n; i++)
        w[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - h * d * w[i];
    memcpy(k1, f0, sizeof k1);
    solve(n, w, k1);
    for (int i = 0; i < n; i++)
        stage[i] = x[i] + 0.5 * h * k1[i];
    host_f(host, stage, f1);
    for (int i = 0; i < n; i++)
        k2[i] = f1[i] - k1[i];
    solve(n, w, k2);
    for (int i = 0; i < n; i++) {
        k2[i] += k1[i];
        ret_x[i] = x[i] + h * k2[i];
    }
    host_f(host, ret_x, f2);
    for (int i = 0; i < n; i++)
        k3[i] = f2[i] - e32 * (k2[i] - f1[i]) - 2.0 * (k1[i] - f0[i]);
    solve(n, w, k3);
    double error = 0.0;
    for (int i = 0; i < n; i++) {
        /* Nearly relative tolerance: end values of Robertson's problem are as small as 1e-13. */
        const double scale = rtol * (fmax(fabs(x[i]), fabs(ret_x[i])) +
                                     1e-9 * host->variable[WRSIM_STATE][i].v.nominal);
        error = fmax(error, fabs(h / 6.0 * (k1[i] - 2.0 * k2[i] + k3[i])) / scale);
    }
    return error;
}

static void check_stiff(const char *model, const wr_reference *reference, double rtol, double limit)
{
    AUTO(host_destroy) model_host *host = host_create(find_model(model), NULL);
    const int n = host->n[WRSIM_STATE];
    double x[3], next[3], t_s = 0.0, h = 1e-8;
    assert_int_equal(n, reference->n);
    host_start(host, 0.0);
    for (int i = 0; i < n; i++) {
        assert_close(host->x[i], reference->start[i], 0.0, 0.0);
        x[i] = host->x[i];
    }
    for (int64_t n_trials = 0; t_s < reference->t_end_s; n_trials++) {
        assert_true(n_trials < 20000000);
        const int is_last = t_s + h >= reference->t_end_s;
        const double step = is_last ? reference->t_end_s - t_s : h;
        const double error = ode23s_step(host, x, step, rtol, next);
        if (error <= 1.0) {
            t_s = is_last ? reference->t_end_s : t_s + step;
            memcpy(x, next, sizeof x);
        }
        h = step * fmin(5.0, fmax(0.2, 0.8 * pow(fmax(error, 1e-10), -1.0 / 3.0)));
    }
    for (int i = 0; i < n; i++)
        assert_close(x[i], reference->end[i], limit, 0.0);
}

TEST(vanderpol) { check_stiff("vanderpol", &wr_ref_vanderpol, 1e-6, 1e-4); }

TEST(robertson) { check_stiff("robertson", &wr_ref_robertson, 1e-6, 1e-4); }

TEST(orego) { check_stiff("orego", &wr_ref_orego, 1e-6, 2e-4); }

/* The two halves have the equations of the whole. */
TEST(vanderpol_halves)
{
    const host_value mu[] = {{"mu", 5.0}, {NULL, 0.0}};
    rig s[2] = {{.n_hosts = 1, .host = {host_create(find_model("vanderpol"), mu)}},
                {.n_hosts = 2,
                 .n_links = 2,
                 .host = {host_create(find_model("vanderpol.position"), NULL),
                          host_create(find_model("vanderpol.velocity"), mu)},
                 .links = {{0, 0, 1, 0}, {1, 0, 0, 0}}}};
    double x[2][MAX_X];
    for (int k = 0; k < 2; k++) {
        rig_start(&s[k]);
        simulate(&s[k], 20.0, 1e-3, x[k], NULL, 0);
        rig_done(&s[k]);
    }
    for (int i = 0; i < 2; i++)
        assert_close(x[1][i], x[0][i], 0.0, 0.0);
}
