/* Contraction of Gauss-Jacobi waveform relaxation on the Dahlquist pair against theory.
 *
 * x' = a x + b y, y' = a y + b x, split into x | y. The difference of two successive iterates obeys
 * d_{k+1}(t) = b int_0^t e^{a (t-s)} d_k(s) ds. With the first guess held at x(0) = y(0) = 1 the
 * first difference is d_1(t) = (1 + b/a) (e^{a t} - 1), and by induction d_{k+1}(t) is
 *     (a + b) b^k e^{a t} int_0^t (t - s)^k / k! e^{-a s} ds,
 * evaluated here by Simpson's rule on a fine grid. Convergence is superlinear on finite windows (Miekkala
 * and Nevanlinna 1987, "Convergence of dynamic iteration methods for initial value problems").
 */
#include "wr_case.h"

enum { MAX_SWEEPS = 12 };

typedef struct history {
    int n;
    double delta[MAX_SWEEPS];
} history;

static void on_sweep(void *context, double t_s, double length_s, int i_sweep, double delta)
{
    history *const h = context;
    if (h->n < MAX_SWEEPS)
        h->delta[h->n++] = delta;
}

/* Returns |d_{k+1}(t)| by the formula of the file head. */
static double difference(double a, double b, int k, double t)
{
    enum { N = 2000 };
    double sum = 0.0, factorial = 1.0;
    for (int i = 2; i <= k; i++)
        factorial *= i;
    for (int i = 0; i <= N; i++) {
        const double s = t * i / N;
        const double f = pow(t - s, k) * exp(-a * s);
        sum += f * (i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
    }
    return fabs((a + b) * pow(b, k) * exp(a * t) / factorial * sum * t / (3.0 * N));
}

/* Returns the largest |d_{k+1}| in the window. */
static double largest(double a, double b, int k, double window)
{
    double worst = 0.0;
    for (int i = 0; i <= 400; i++)
        worst = fmax(worst, difference(a, b, k, window * i / 400));
    return worst;
}

static void check_window(double a, double b, double window)
{
    char text[2048];
    snprintf(text, sizeof text,
             "[simulation]\nstop = %.17g\nrtol = 1e-9\n"
             "[relaxation]\nwindow = { initial = 10.0, min = 1e-3, max = 10.0 }\n"
             "[solver]\nkind = \"dopri54\"\n"
             "[[component]]\nname = \"x\"\nmodel = \"dahlquist\"\n"
             "parameters = { a = %.17g, b = %.17g }\nstart = { x = 1.0 }\n"
             "[[component]]\nname = \"y\"\nmodel = \"dahlquist\"\n"
             "parameters = { a = %.17g, b = %.17g }\nstart = { x = 1.0 }\n"
             "[[connection]]\nfrom = \"x.x\"\nto = \"y.u\"\n"
             "[[connection]]\nfrom = \"y.x\"\nto = \"x.u\"\n",
             window, a, b, a, b);
    history h = {0};
    wr_observer observer = {.context = &h, .sweep = on_sweep};
    wr_engine_options options = wr_case_options(wr_window_rule_find("fixed"), 10.0, window, 10.0);
    options.relaxation.max_sweeps = MAX_SWEEPS + 20;
    options.fixed_degree = 0;
    options.relaxation.active_set = 0;
    AUTO(wr_case_destroy) wr_case c;
    wr_case_create(&c, text, 1, &options, &observer);
    wrsim_error err;
    assert_int_equal(wr_engine_run(c.engine, window, &err), WRSIM_OK);
    assert_true(h.n >= 4);
    for (int k = 1; k + 1 < h.n; k++) {
        /* Differences above 1e3 tolerance units exceed the errors of the solver. From the second sweep on the largest values of successive
         * iterates are nearly equal, so the units cancel in the ratio. */
        if (h.delta[k + 1] < 1e3)
            break;
        const double measured = h.delta[k + 1] / h.delta[k];
        const double theory = largest(a, b, k + 1, window) / largest(a, b, k, window);
        print_message("a %g b %g window %g: rho_%d = %.6f, theory %.6f\n", a, b, window, k + 2,
                      measured, theory);
        assert_close(measured, theory, 0.01, 0.0);
    }
}

TEST(contraction_equals_theory)
{
    const double windows[] = {0.25, 0.5, 1.0, 2.0};
    for (size_t i = 0; i < WR_COUNT_OF(windows); i++) {
        check_window(-1.0, 0.5, windows[i]);
        check_window(-2.0, 1.5, windows[i]);
    }
}
