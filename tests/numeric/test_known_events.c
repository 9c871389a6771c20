/* Windows end at announced events, but not at events that follow one another closely. */
#include "wr_case.h"

enum { MAX_WINDOWS = 4096 };

typedef struct windows {
    int n, n_sweep;
    double end_s[MAX_WINDOWS];
} windows;

static void on_window(void *context, double t_s)
{
    windows *const w = context;
    assert_true(w->n < MAX_WINDOWS);
    w->end_s[w->n++] = t_s;
}

static void on_sweep(void *context, double t_s, double length_s, int i_sweep, double delta)
{
    ((windows *)context)->n_sweep++;
}

static void run_text(windows *w, const char *text, double stop_s)
{
    wr_observer observer = {.context = w, .sweep = on_sweep, .window = on_window};
    const wr_engine_options options = wr_case_options(wr_window_rule_find("work"), 0.05, 1e-4, 0.5);
    AUTO(wr_case_destroy) wr_case c;
    wr_case_create(&c, text, 1, &options, &observer);
    wrsim_error err;
    assert_int_equal(wr_engine_run(c.engine, stop_s, &err), WRSIM_OK);
}

/* Runs a sampled sine and a lag that follows the samples; optionally four subsystems that follow the sine. */
static void run(windows *w, double period_s, double frequency, int has_bystanders)
{
    enum { STOP = 3 };
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "[simulation]\nstop = %d\nrtol = 1e-7\n[solver]\nkind = \"dopri54\"\n"
                     "[[component]]\nname = \"sine\"\nmodel = \"signal.sine\"\n"
                     "parameters = { frequency = %.17g }\n"
                     "[[component]]\nname = \"sampler\"\nmodel = \"signal.sampler\"\n"
                     "parameters = { period = %.17g }\n"
                     "[[component]]\nname = \"held\"\nmodel = \"dahlquist\"\n"
                     "parameters = { a = -10.0, b = 10.0 }\n"
                     "[[connection]]\nfrom = \"sine.y\"\nto = \"sampler.u\"\n"
                     "[[connection]]\nfrom = \"sampler.y\"\nto = \"held.u\"\n"
                     "[[subsystem]]\nname = \"sampled\"\ncomponents = [\"sine\", \"sampler\"]\n",
                     STOP, frequency, period_s);
    for (int i = 0; has_bystanders && i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "[[component]]\nname = \"lag%d\"\nmodel = \"dahlquist\"\n"
                      "parameters = { a = -1.0, b = 1.0 }\n"
                      "[[connection]]\nfrom = \"sine.y\"\nto = \"lag%d.u\"\n",
                      i, i);
    assert_true((size_t)n < sizeof text);
    *w = (windows){0};
    run_text(w, text, STOP);
}

/* Returns the number of windows from t_s on with a sample between their ends. */
static int n_across(const windows *w, double period_s, double t_s)
{
    int n = 0;
    for (int i = 1; i < w->n; i++) {
        const double sample_s = period_s * floor(w->end_s[i - 1] / period_s + 1.0 + 1e-6);
        n += w->end_s[i - 1] > t_s && sample_s < w->end_s[i] - 1e-9;
    }
    return n;
}

TEST(windows_end_at_samples)
{
    windows w;
    run(&w, 0.1, 2.0, 0);
    print_message("period 0.1 s: %d windows, %d sweeps, %d across a sample\n", w.n, w.n_sweep,
                  n_across(&w, 0.1, 0.2));
    assert_int_equal(n_across(&w, 0.1, 0.2), 0);
    assert_between(w.n, 28, 45);
    assert_between(w.n_sweep, w.n, w.n + 4); /* a held signal is constant over the whole window */
}

TEST(frequent_samples_are_passed)
{
    windows w;
    run(&w, 1e-3, 0.2, 1);
    print_message("period 1 ms: %d windows, %d sweeps\n", w.n, w.n_sweep);
    assert_between(w.n, 3, 150);
}

/* Many samplers sample in turn: the samples of one sampler are far apart, but the samples of all samplers together are frequent. */
TEST(staggered_samples_are_passed)
{
    enum { N = 16, STOP = 3 };
    static char text[16384];
    size_t n = (size_t)snprintf(
        text, sizeof text, "[simulation]\nstop = %d\nrtol = 1e-5\n[solver]\nkind = \"dopri54\"\n",
        STOP);
    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "[[component]]\nname = \"sine%d\"\nmodel = \"signal.sine\"\n"
            "parameters = { frequency = 0.5 }\n"
            "[[component]]\nname = \"sampler%d\"\nmodel = \"signal.sampler\"\n"
            "parameters = { period = 0.1, t_first = %.17g }\n"
            "[[component]]\nname = \"held%d\"\nmodel = \"dahlquist\"\n"
            "parameters = { a = -10.0, b = 10.0 }\n"
            "[[connection]]\nfrom = \"sine%d.y\"\nto = \"sampler%d.u\"\n"
            "[[connection]]\nfrom = \"sampler%d.y\"\nto = \"held%d.u\"\n"
            "[[subsystem]]\nname = \"sampled%d\"\ncomponents = [\"sine%d\", \"sampler%d\"]\n",
            i, i, 0.1 * i / N, i, i, i, i, i, i, i, i);
    assert_true(n < sizeof text);
    windows w = {0};
    run_text(&w, text, STOP);
    print_message("16 staggered: %d windows, %d sweeps\n", w.n, w.n_sweep);
    assert_between(w.n, 3, 120); /* 480 samples */
}
