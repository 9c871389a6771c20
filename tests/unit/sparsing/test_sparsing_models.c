/* Sparsing of the robot and the pipe, the models of two papers (docs/METHODS.md, Sources). The test has its own linearly implicit Euler
 * method. Accepted patterns are stable and accurate over the whole run, and reproduce the results of the papers. */
#include "../models/describe_host.h"
#include "offline/algebra/lapack.h"
#include "offline/sparsing/sparsing.h"

extern const wrsim_model wr_model_pipe, wr_model_robot;

enum { MOST = 78, PIPE = 25, ROBOT = 78, KIND = 13, Q_OF_JOINT = 11 };

static void jacobian(model_host *host, double *ret)
{
    const int n = host->n[WRSIM_STATE];
    double low[MOST], high[MOST];
    for (int j = 0; j < n; j++) {
        const double x = host->x[j],
                     h = 1e-6 * fmax(fabs(x), host->variable[WRSIM_STATE][j].v.nominal);
        host->x[j] = x - h;
        assert_int_equal(host_rhs(host, low), 0);
        host->x[j] = x + h;
        assert_int_equal(host_rhs(host, high), 0);
        host->x[j] = x;
        for (int i = 0; i < n; i++)
            ret[j * n + i] = (high[i] - low[i]) / (2.0 * h);
    }
}

/* Computes x += (I - tau J)^-1 tau f(t + tau, x) with the kept entries of J (NULL: all). */
static void step(model_host *host, double t_s, double tau, const unsigned char *keep)
{
    const int n = host->n[WRSIM_STATE];
    double f[MOST], left[MOST * MOST], rcond;
    host->t_s = t_s + tau;
    assert_int_equal(host_rhs(host, f), 0);
    jacobian(host, left);
    for (int e = 0; e < n * n; e++)
        left[e] = (e % (n + 1) == 0) - tau * (!keep || keep[e] ? left[e] : 0.0);
    for (int i = 0; i < n; i++)
        f[i] *= tau;
    assert_int_equal(wr_lapack_solve(n, 1, left, f, &rcond), WRSIM_OK);
    for (int i = 0; i < n; i++)
        host->x[i] += f[i];
}

/* Computes a fine reference: classic Runge-Kutta with n_part substeps. */
static void fine_step(model_host *host, double t_s, double tau, int n_part)
{
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    const int n = host->n[WRSIM_STATE];
    const double h = tau / n_part;
    double k[4][MOST], x[MOST];
    for (int part = 0; part < n_part; part++) {
        memcpy(x, host->x, (size_t)n * sizeof *x);
        for (int s = 0; s < 4; s++) {
            host->t_s = t_s + (part + c[s]) * h;
            for (int i = 0; i < n; i++)
                host->x[i] = x[i] + (s > 0 ? c[s] * h * k[s - 1][i] : 0.0);
            assert_int_equal(host_rhs(host, k[s]), 0);
        }
        for (int i = 0; i < n; i++)
            host->x[i] = x[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

typedef struct model_study {
    model_host *host;
    wr_sparsing sparsing;
    const char *name[MOST];
    double nominal[MOST];
} model_study;

/* Sets the inputs of the pipe as an engine would. The robot has a built-in path. */
static void drive_pipe(model_host *host, double t_s)
{
    host->u[0] = 8.15e-3 * (1.0 + 0.3 * sin(0.3 * t_s));
    host->u[2] = 500.0 + 40.0 * sin(0.6 * t_s);
}
static void drive_robot(model_host *host, double t_s) {}
typedef void (*driver)(model_host *host, double t_s);

static void study_begin(model_study *study, const wrsim_model *model, double tau)
{
    unsigned char full[MOST * MOST];
    wrsim_error err;
    study->host = host_create(model, NULL);
    host_start(study->host, 0.0);
    const int n = study->host->n[WRSIM_STATE];
    for (int i = 0; i < n; i++) {
        study->name[i] = study->host->variable[WRSIM_STATE][i].name;
        study->nominal[i] = study->host->variable[WRSIM_STATE][i].v.nominal;
        for (int j = 0; j < n; j++)
            full[j * n + i] = study->host->pattern[WRSIM_X_X].is_set[i * n + j];
    }
    study->sparsing = (wr_sparsing){.options = WR_SPARSING_DEFAULTS};
    study->sparsing.options.tau_s = tau;
    if (wr_sparsing_begin(&study->sparsing, model->name, n, study->name, study->nominal, full,
                          &err) != WRSIM_OK)
        fail_msg("%s", err.text);
}

static void take_sample(model_study *study, double t_s)
{
    double df[MOST * MOST];
    wrsim_error err;
    study->host->t_s = t_s;
    jacobian(study->host, df);
    const wr_linearisation at = {.t_s = t_s, .df = df, .x = study->host->x};
    if (wr_samples_add(&study->sparsing.samples, &at, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
}

/* Runs the unsparsed method and linearises in each step whose number is a multiple of `every`. */
static void collect(model_study *study, driver drive, int n_settle, int n_step, int every)
{
    const double tau = study->sparsing.options.tau_s;
    for (int k = -n_settle; k <= n_step; k++) {
        drive(study->host, tau * (k > 0 ? k : 0));
        if (k >= 0 && k % every == 0)
            take_sample(study, k * tau);
        step(study->host, tau * (k > 0 ? k : 0), tau, NULL);
    }
}

static void judge(model_study *study)
{
    wrsim_error err;
    if (wr_sparsing_judge(&study->sparsing, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
}

/* Returns the largest error of a state of the sparsed run, relative to the state's range; *ret_unsparsed: of the unsparsed run. States with
 * a range of at most 1e-3 of the nominal value do not count. */
static double errors(const wrsim_model *model, const model_study *study, driver drive,
                     const int n_steps[3], double *ret_unsparsed)
{
    model_host *host[3];
    const double tau = study->sparsing.options.tau_s;
    double off[2][MOST] = {{0.0}}, low[MOST], high[MOST], worst[2] = {0.0, 0.0};
    const int n = study->sparsing.n, n_settle = n_steps[0], n_part = n_steps[2];
    for (int h = 0; h < 3; h++) {
        host[h] = host_create(model, NULL);
        host_start(host[h], 0.0);
    }
    for (int k = -n_settle; k <= n_steps[1]; k++) {
        const double t_s = tau * (k > 0 ? k : 0);
        for (int i = 0; i < n && k >= 0; i++) {
            low[i] = k == 0 ? host[0]->x[i] : fmin(low[i], host[0]->x[i]);
            high[i] = k == 0 ? host[0]->x[i] : fmax(high[i], host[0]->x[i]);
            for (int h = 0; h < 2; h++)
                off[h][i] = fmax(off[h][i], fabs(host[1 + h]->x[i] - host[0]->x[i]));
        }
        for (int h = 0; h < 3; h++)
            drive(host[h],
                  t_s +
                      (k >= 0 ? tau : 0.0)); /* constant over the step, with the value at its end */
        fine_step(host[0], t_s, tau, n_part);
        step(host[1], t_s, tau, study->sparsing.sparsed.keep);
        step(host[2], t_s, tau, NULL);
    }
    for (int i = 0; i < n; i++)
        for (int h = 0; h < 2; h++)
            if (high[i] - low[i] > 1e-3 * study->nominal[i])
                worst[h] = fmax(worst[h], off[h][i] / (high[i] - low[i]));
    for (int h = 0; h < 3; h++)
        host_destroy(&host[h]);
    *ret_unsparsed = worst[1];
    return worst[0];
}

static void study_done(model_study *study)
{
    wr_sparsing_done(&study->sparsing);
    host_destroy(&study->host);
}

static int count_within(const double complex *value, int n, double low, double high)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += cabs(value[i]) >= low && cabs(value[i]) < high;
    return count;
}

/* Schiela and Bornemann (2003), Figs. 1-4 and Table 1: 390 entries to 158, LU 646 to 204, errors of 1 to 3 %. */
TEST(robot)
{
    AUTO(study_done) model_study study;
    wrsim_error err;
    double unsparsed;
    study_begin(&study, &wr_model_robot, 1e-3);
    collect(&study, drive_robot, 0, 1600, 50);
    wr_sparsing *const s = &study.sparsing;
    /* Eigenvalues of the standing robot: stiff modes below 0.5, slow modes near 1, none between. Three pairs
     * oscillate. */
    const wr_sample *const first = &s->samples.sample[0];
    assert_int_equal(count_within(first->value, ROBOT, 0.0, 0.5), 48);
    assert_int_equal(count_within(first->value, ROBOT, 0.5, 0.94), 0);
    int n_swinging = 0;
    for (int i = 0; i < ROBOT; i++)
        n_swinging += cabs(first->value[i]) > 0.94 && cimag(first->value[i]) > 0.05;
    assert_int_equal(n_swinging, 3);
    if (wr_sparsing_search(s, s->options.error, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    judge(&study);
    assert_int_equal(s->full.fill.nnz, 372);
    assert_true(2 * s->sparsed.fill.nnz <= s->full.fill.nnz);
    assert_true(2 * s->sparsed.fill.nnz_lu <= s->full.fill.nnz_lu);
    /* All accelerations depend on the same 24 states, so columns share colours only if these rows are empty. */
    assert_int_equal(s->full.n_colour, 25);
    assert_true(2 * s->sparsed.n_colour <= s->full.n_colour);
    for (int k = 0; k < s->samples.n_sample; k++)
        assert_true(s->estimates[k].radius_after < 1.0);
    assert_between(s->sparsed.error, 1e-4, s->options.error);
    const double sparsed =
        errors(&wr_model_robot, &study, drive_robot, (const int[3]){0, 1600, 20}, &unsparsed);
    print_message("robot: %d of %d non-zeros, LU %d of %d, errors %.2f %% and %.2f %% unsparsed\n",
                  s->sparsed.fill.nnz, s->full.fill.nnz, s->sparsed.fill.nnz_lu,
                  s->full.fill.nnz_lu, 100.0 * sparsed, 100.0 * unsparsed);
    assert_true(sparsed < 0.03 && unsparsed < 0.01);
}

/* The spectrum alone refuses the pattern of the standing robot for the moving robot (Schiela and Bornemann (2003), section 4). */
TEST(standing_is_not_enough)
{
    AUTO(study_done) model_study study;
    wrsim_error err;
    study_begin(&study, &wr_model_robot, 1e-3);
    take_sample(&study, 0.0);
    assert_int_equal(wr_sparsing_search(&study.sparsing, HUGE_VAL, &err), WRSIM_OK);
    unsigned char standing[ROBOT * ROBOT];
    memcpy(standing, study.sparsing.sparsed.keep, sizeof standing);
    const int n_standing = study.sparsing.sparsed.n_kept;
    study_done(&study);
    study_begin(&study, &wr_model_robot, 1e-3);
    study.sparsing.options.error = study.sparsing.samples.error = HUGE_VAL;
    collect(&study, drive_robot, 0, 1600, 50);
    assert_int_equal(wr_sparsing_check(&study.sparsing, standing, &err), WRSIM_OK);
    assert_false(study.sparsing.sparsed.is_accepted);
    assert_true(2 * n_standing < study.sparsing.full.n_kept);
}

TEST(pipe)
{
    AUTO(study_done) model_study study;
    wrsim_error err;
    unsigned char given[PIPE * PIPE];
    double unsparsed;
    study_begin(&study, &wr_model_pipe, 1e-2);
    collect(&study, drive_pipe, 5000, 3000, 100);
    wr_sparsing *const s = &study.sparsing;
    /* In the settled state the rates, in 1/s, follow from z = 1 / (1 + tau rate). */
    const wr_sample *const first = &s->samples.sample[0];
    int n_fast = 0, n_slow = 0;
    for (int i = 0; i < PIPE; i++) {
        const double rate = (1.0 / creal(first->value[i]) - 1.0) / 1e-2;
        n_fast += rate > 745.0 && rate < 1015.0;
        n_slow += rate > 0.03 && rate < 0.06;
        assert_close(cimag(first->value[i]), 0.0, 0.0, 1e-4);
    }
    assert_int_equal(n_fast, 20);
    assert_int_equal(n_slow, 5);
    /* The pattern of the sum-of-squares paper, section 4: empty rows for the wall; else the diagonal and the entries of the cell
     * before (docs/METHODS.md, Sources). */
    memset(given, 0, PIPE * PIPE);
    for (int i = 0; i < PIPE - 5; i++) {
        given[i * PIPE + i] = 1;
        if (i % 5 > 0)
            given[(i - 1) * PIPE + i] = 1;
    }
    assert_int_equal(wr_sparsing_check(s, given, &err), WRSIM_OK);
    judge(&study);
    assert_true(s->sparsed.is_accepted);
    assert_int_equal(s->sparsed.fill.nnz, 20 + 16 + 5);
    assert_int_equal(s->sparsed.fill.nnz_lu, 20 + 16 + 5);
    /* Fig. 1 of the sum-of-squares paper: with separate clusters of fast and slow modes d2 follows d_r in all samples. Clusters of real
     * values with imaginary rounding errors are no halves of pairs. */
    for (int k = 0; k < s->samples.n_sample; k++) {
        const wr_resolution *const r = s->samples.sample[k].resolution;
        int n_value = 0;
        for (int c = 0; r && c < r->n_cluster; c++)
            n_value += r->cluster[c].n * (r->cluster[c].has_conjugate ? 2 : 1);
        assert_int_equal(n_value, r ? PIPE : 0);
        assert_close(s->estimates[k].d2k, s->estimates[k].dr2, 0.05, 0.0);
    }
    const double error =
        errors(&wr_model_pipe, &study, drive_pipe, (const int[3]){5000, 3000, 10}, &unsparsed);
    print_message(
        "pipe, bidiagonal: errors %.2f %% and %.2f %% unsparsed, predicted %.2f %% more\n",
        100.0 * error, 100.0 * unsparsed, 100.0 * s->sparsed.error);
    assert_true(error < 0.03);
    assert_true(error < unsparsed + 1.5 * s->sparsed.error + 1e-4);
}
