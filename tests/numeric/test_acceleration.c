/* The two-mass oscillator with a stiff coupling spring, split at the spring.
 *
 * The window is fixed and longer than the coupling's period. In plain Gauss-Jacobi iteration the change of the
 * waveforms first grows from sweep to sweep. Anderson's method converges in fewer sweeps to the exact solution
 *     x_1 = (cos w_1 t + cos w_2 t) / 2, w_1^2 = k, w_2^2 = k + 2 k12 (unit masses).
 */
#include "wr_case.h"

static const double K = 39.47841760435743, K12 = 1600.0; /* N/m */
static const double WINDOW = 0.2, STOP = 0.6;            /* s */

enum { MAX_SWEEPS = 60 };

typedef struct history {
    int n;
    double delta[MAX_SWEEPS]; /* change in each sweep of the first window, tolerance units */
} history;

static void on_sweep(void *context, double t_s, double length_s, int i_sweep, double delta)
{
    history *const h = context;
    if (t_s <= 0.0 && i_sweep <= MAX_SWEEPS) {
        h->delta[i_sweep - 1] = delta;
        h->n = i_sweep;
    }
}

static wrsim_status run(wr_acceleration kind, double *ret_x1, history *ret_history)
{
    char text[2048];
    snprintf(text, sizeof text,
             "[simulation]\nstop = %.17g\nrtol = 1e-6\n"
             "[relaxation]\nwindow = { initial = %.17g, min = %.17g, max = 1.0 }\n"
             "[solver]\nkind = \"dopri54\"\n"
             "[[component]]\nname = \"m1\"\nmodel = \"oscillator.mass\"\n"
             "parameters = { m = 1.0, k = %.17g, k12 = %.17g }\nstart = { x = 1.0 }\n"
             "[[component]]\nname = \"m2\"\nmodel = \"oscillator.mass\"\n"
             "parameters = { m = 1.0, k = %.17g, k12 = %.17g }\n"
             "[[connection]]\nfrom = \"m1.x\"\nto = \"m2.x_neighbour\"\n"
             "[[connection]]\nfrom = \"m2.x\"\nto = \"m1.x_neighbour\"\n",
             STOP, WINDOW, WINDOW, K, K12, K, K12);
    wr_engine_options options = wr_case_options(wr_window_rule_find("fixed"), WINDOW, WINDOW, 1.0);
    options.relaxation.max_sweeps = MAX_SWEEPS;
    options.relaxation.active_set = 0;
    options.relaxation.acceleration = kind;
    options.cap_node = 8192;
    wr_case c;
    wr_observer observer = {.context = ret_history, .sweep = on_sweep};
    wr_case_create(&c, text, 2, &options, &observer);
    wrsim_error err;
    const wrsim_status status = wr_engine_run(c.engine, STOP, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    *ret_x1 = c.assembly->setup[0].subsystem->x[0];
    wr_case_destroy(&c);
    return status;
}

TEST(plain_diverges_anderson_converges)
{
    double x1;
    history plain = {0}, anderson = {0};
    const double exact = 0.5 * (cos(sqrt(K) * STOP) + cos(sqrt(K + 2 * K12) * STOP));
    /* Waveform iteration converges superlinearly, so plain iteration may converge as well. The first prediction is constant, so
     * growth of the changes is visible from the second sweep on. */
    const wrsim_status status = run(WR_ACCELERATE_NONE, &x1, &plain);
    assert_true(status == WRSIM_OK || status == WRSIM_E_CONTRACT);
    if (status == WRSIM_OK)
        assert_close(x1, exact, 0.0, 2e-5);
    assert_true(plain.n >= 3);
    print_message("plain: %d sweeps in the first window, sweep 3: %.4g after %.4g\n", plain.n,
                  plain.delta[2], plain.delta[1]);
    assert_true(plain.delta[2] > plain.delta[1]);
    assert_int_equal(run(WR_ACCELERATE_ANDERSON, &x1, &anderson), WRSIM_OK);
    print_message("Anderson: %d sweeps in the first window\n", anderson.n);
    assert_close(x1, exact, 0.0, 2e-5);
    assert_true(status != WRSIM_OK || anderson.n < plain.n);
}
