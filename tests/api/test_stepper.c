/* Tests of steppers (wrsim_model.stepper) of a host: accuracy, checkpoints, failures and refusals. The runs are relaxed, slackened or in
 * real time. Two coupled masses have the solution x = (cos 2 pi t +- cos 6 pi t) / 2; the right mass is a stepper. */
#include "wr_test.h"

#include <unistd.h>

#include <wrsim/wrsim.h>

static const double PI = 3.14159265358979323846;
enum { SUBSTEPS = 20 };

/* ---- the right mass ---- */

typedef struct mass {
    double x, v;
} mass;

/* State outside of instance->memory. instance->memory has the address of this state. */
typedef struct outside {
    mass now, kept;
} outside;

/* Counts over all instances of a run. */
static struct {
    int n_advance, n_keep, n_go_back, n_init, n_done;
    double shortest_s, longest_s;
} calls;

enum { FAIL_TIME, FAIL_BY };
static const wrsim_variable mass_params[] = {
    {.name = "fail_time", .unit = "s", .start = 1e9},
    {.name = "fail_by", .start = -1.0}, /* returned by advance(); 0: the slope is infinite */
};

static int mass_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable u = {.name = "x_neighbour", .unit = "m", .nominal = 1.0};
    static const wrsim_variable x = {.name = "x", .unit = "m", .nominal = 1.0};
    static const wrsim_variable v = {.name = "v", .unit = "m/s", .nominal = 10.0};
    to->memory_bytes = sizeof(mass) > sizeof(outside *) ? sizeof(mass) : sizeof(outside *);
    return to->add(to, WRSIM_INPUT, &u) | to->add(to, WRSIM_OUTPUT, &x) |
           to->add(to, WRSIM_OUTPUT, &v);
}

static int is_outside(const wrsim_instance *self) { return self->user != NULL; }

static outside *outside_of(const wrsim_instance *self)
{
    outside *o;
    memcpy(&o, self->memory, sizeof o);
    return o;
}

static mass *mass_of(const wrsim_instance *self)
{
    return is_outside(self) ? &outside_of(self)->now : self->memory;
}

static int mass_init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    calls.n_init++;
    if (!is_outside(self))
        return 0;
    outside *const o = calloc(1, sizeof *o);
    memcpy(self->memory, &o, sizeof o);
    return o ? 0 : -1;
}

static void mass_done(wrsim_instance *self)
{
    calls.n_done++;
    if (is_outside(self))
        free(outside_of(self));
}

static int mass_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = mass_of(self)->x;
    ret_y[1] = mass_of(self)->v;
    return 0;
}

static double acceleration(const wrsim_step *step, double t_s, double x)
{
    double u;
    step->input(step, t_s, &u, NULL);
    return -4.0 * PI * PI * x - 16.0 * PI * PI * (x - u);
}

static void rk4(const wrsim_step *step, double t_s, double h, mass *m)
{
    const double v1 = m->v, a1 = acceleration(step, t_s, m->x);
    const double v2 = m->v + 0.5 * h * a1,
                 a2 = acceleration(step, t_s + 0.5 * h, m->x + 0.5 * h * v1);
    const double v3 = m->v + 0.5 * h * a2,
                 a3 = acceleration(step, t_s + 0.5 * h, m->x + 0.5 * h * v2);
    const double v4 = m->v + h * a3, a4 = acceleration(step, t_s + h, m->x + h * v3);
    m->x += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    m->v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

static int mass_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    mass *const m = mass_of(self);
    const double h = step->end_s - step->t_s;
    calls.n_advance++;
    calls.shortest_s = calls.n_advance == 1 || h < calls.shortest_s ? h : calls.shortest_s;
    calls.longest_s = h > calls.longest_s ? h : calls.longest_s;
    for (int i = 0; i < SUBSTEPS; i++)
        rk4(step, step->t_s + i * h / SUBSTEPS, h / SUBSTEPS, m);
    ret_slope[0] = m->v;
    ret_slope[1] = acceleration(step, step->end_s, m->x);
    if (step->end_s < self->param[FAIL_TIME])
        return 0;
    m->x = 1e3; /* wrong on purpose: wrsim must not use the state after a failed step */
    self->message = "the test asks for it";
    if (self->param[FAIL_BY] < 0.0 || self->param[FAIL_BY] > 0.0)
        return (int)self->param[FAIL_BY];
    ret_slope[0] = (double)INFINITY;
    return 0;
}

static int mass_keep(wrsim_instance *self, int slot)
{
    (void)slot;
    calls.n_keep++;
    outside_of(self)->kept = outside_of(self)->now;
    return outside_of(self)->now.x > 100.0;
}

static int mass_go_back(wrsim_instance *self, int slot)
{
    (void)slot;
    calls.n_go_back++;
    outside_of(self)->now = outside_of(self)->kept;
    return 0;
}

static size_t mass_bytes(wrsim_instance *self) { return self ? sizeof(mass) : 0; }
static void mass_forget(wrsim_instance *self, int slot) { (void)self, (void)slot; }

static const wrsim_stepper mass_stepper = {.struct_size = sizeof(wrsim_stepper),
                                           .advance = mass_advance};
static const wrsim_own_state mass_own = {.struct_size = sizeof mass_own,
                                         .keep = mass_keep,
                                         .go_back = mass_go_back,
                                         .forget = mass_forget};
#define MASS(NAME, USER, CAPS, OWN)                                                                \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = NAME, .caps = CAPS,    \
        .n_param = 2, .params = mass_params, .user = USER, .describe = mass_describe,              \
        .init = mass_init, .done = mass_done, .output = mass_output, .stepper = &mass_stepper,     \
        .own_state = OWN                                                                           \
    }
static const wrsim_model in_memory = MASS("mass.memory", NULL, 0, NULL),
                         kept = MASS("mass.kept", "outside", 0, &mass_own),
                         once =
                             MASS("mass.once", "outside",
                                  WRSIM_CAP_CANNOT_RESTORE | WRSIM_CAP_COMMUNICATION_STEPS, NULL),
                         grid = MASS("mass.grid", NULL, WRSIM_CAP_COMMUNICATION_STEPS, NULL);

/* ---- a sampled controller ---- */

typedef struct sampled {
    int64_t n_sample;
    double held;
} sampled;

static const wrsim_variable sampler_params[] = {{.name = "period", .unit = "s", .start = 0.1}};

static int sampler_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable u = {.name = "u", .unit = ""};
    static const wrsim_variable y = {.name = "y", .unit = "", .flags = WRSIM_DISCONTINUOUS};
    to->memory_bytes = sizeof(sampled);
    return to->add(to, WRSIM_INPUT, &u) | to->add(to, WRSIM_OUTPUT, &y);
}

static int sampler_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = ((const sampled *)self->memory)->held;
    return 0;
}

static double sampler_next(wrsim_instance *self, const wrsim_point *at)
{
    return (double)(((const sampled *)self->memory)->n_sample + 1) * self->param[0];
}

static int sampler_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    sampled *const s = self->memory;
    if (step->end_s < sampler_next(self, NULL))
        return 0;
    s->n_sample++;
    s->held = step->u_end[0];
    return 0;
}

static const wrsim_stepper sampler_stepper = {.struct_size = sizeof(wrsim_stepper),
                                              .advance = sampler_advance};
static const wrsim_model sampler = {.abi = WRSIM_MODEL_ABI,
                                    .struct_size = sizeof(wrsim_model),
                                    .name = "sampler",
                                    .n_param = 1,
                                    .params = sampler_params,
                                    .describe = sampler_describe,
                                    .output = sampler_output,
                                    .next_time = sampler_next,
                                    .stepper = &sampler_stepper};

static const wrsim_model *const models[] = {&in_memory, &kept, &once, &grid, &sampler, NULL};

/* ---- runs ---- */

#define MASSES(MODEL)                                                                              \
    "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"           \
    "[[component]]\nname = \"right\"\nmodel = \"" MODEL "\"\n"                                     \
    "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"                              \
    "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n"                              \
    "[[subsystem]]\nname = \"one\"\ncomponents = [\"left\"]\n"                                     \
    "[[subsystem]]\nname = \"two\"\ncomponents = [\"right\"]\n"                                    \
    "[output]\nfile = \"\"\n"
#define RUN "[simulation]\nstop = 1.0\ncommunication_step = 0.005\nrtol = 1e-8\n"

static wrsim *create(const char *text, const char *const *overrides, int n_override,
                     const wrsim_model *const *list, wrsim_error *err)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    const wrsim_host host = {.size_bytes = sizeof host, .models = list};
    memset(&calls, 0, sizeof calls);
    if (wrsim_config_from_text(text, strlen(text), "stepper.toml", overrides, n_override, NULL,
                               NULL, &config, err) >= 0)
        wrsim_create_hosted(config, &host, NULL, NULL, &sim, err);
    wrsim_config_destroy(&config);
    return sim;
}

static wrsim *open_run(const char *text, const char *override)
{
    wrsim_error err = {0};
    wrsim *sim = create(text, &override, override != NULL, models, &err);
    if (!sim || wrsim_prepare(sim, &err) < 0)
        print_error("%s\n", err.text);
    assert_non_null(sim);
    assert_int_equal(err.status, WRSIM_OK);
    return sim;
}

static void advance(wrsim *sim, double t_s)
{
    wrsim_error err = {0};
    const wrsim_status status = wrsim_advance(sim, t_s, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_true(status >= 0);
}

static double solution(double t_s, double sign)
{
    return 0.5 * (cos(2.0 * PI * t_s) + sign * cos(6.0 * PI * t_s));
}

/* Returns the largest error of the two positions, sampled every 0.05 s. */
static double run_error(wrsim *sim)
{
    const int left = wrsim_find(sim, "left.x"), right = wrsim_find(sim, "right.x");
    double worst = 0.0;
    for (int i = 1; i <= 20; i++) {
        advance(sim, 0.05 * i);
        worst = fmax(worst, fabs(wrsim_get(sim, left) - solution(0.05 * i, 1.0)));
        worst = fmax(worst, fabs(wrsim_get(sim, right) - solution(0.05 * i, -1.0)));
    }
    return worst;
}

static wrsim_stats stats_of(const wrsim *sim)
{
    wrsim_stats stats;
    assert_int_equal(wrsim_stats_get(sim, &stats), WRSIM_OK);
    return stats;
}

static void check_error(const char *text, const char *override, double most)
{
    wrsim *sim = open_run(text, override);
    const double error = run_error(sim);
    print_message("%.11s %s: error %.2e\n", strstr(text, "mass."), override ? override : "", error);
    assert_true(error < most);
    wrsim_destroy(&sim);
    assert_int_equal(calls.n_init, calls.n_done);
}

/* A stepper with rollback takes part in relaxed windows like an ordinary subsystem. The limit 5e-7 m is above the error of the substeps
 * of the stepper. */
TEST(relaxed)
{
    static const char *const overrides[] = {NULL,
                                            "relaxation.scheme=gauss_seidel",
                                            "relaxation.acceleration=anderson",
                                            "scheduler.workers=2",
                                            "relaxation.window.control=fixed",
                                            "simulation.communication_step=0.0025"};
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        check_error(RUN MASSES("mass.memory"), overrides[i], 5e-7);
        check_error(RUN MASSES("mass.kept"), overrides[i], 5e-7);
        assert_true(calls.n_go_back > 0);
        check_error(RUN MASSES("mass.grid"), overrides[i], 5e-7);
    }
}

/* The stepper has the results of the ordinary model, to 2e-6 m. */
TEST(as_a_model)
{
    double x[2][2];
    for (int k = 0; k < 2; k++) {
        wrsim *sim =
            open_run(k == 0 ? RUN MASSES("mass.memory") : RUN MASSES("oscillator.mass"), NULL);
        advance(sim, 1.0);
        x[k][0] = wrsim_get(sim, wrsim_find(sim, "left.x"));
        x[k][1] = wrsim_get(sim, wrsim_find(sim, "right.x"));
        wrsim_destroy(&sim);
    }
    assert_true(fabs(x[0][0] - x[1][0]) < 2e-6 && fabs(x[0][1] - x[1][1]) < 5e-7);
}

/* keep() runs at most once per window plus once, and go_back() at most once per further integration or rejection plus once. */
TEST(calls_of_keep)
{
    wrsim *sim = open_run(RUN MASSES("mass.kept"), NULL);
    advance(sim, 1.0);
    wrsim_subsystem_stats part;
    assert_int_equal(wrsim_stats_subsystem(sim, 1, &part), WRSIM_OK);
    const wrsim_stats stats = stats_of(sim);
    assert_string_equal(part.solver, "stepper");
    assert_true(calls.n_keep <= stats.n_window + 1);
    assert_true(calls.n_go_back <= part.n_integration - stats.n_window + stats.n_rejected + 1);
    wrsim_destroy(&sim);
    assert_int_equal(calls.n_init, 1);
    assert_int_equal(calls.n_done, 1);
}

/* Without rollback the stepper advances once per window, on the grid of communication points. The inputs of the stepper are a
 * prediction of the other subsystem, so the error falls with the length of the window. */
TEST(once)
{
    static const char *const schemes[] = {"jacobi", "gauss_seidel"};
    static const char *const accelerations[] = {"none", "anderson"};
    for (int k = 0; k < 4; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            char text[2048];
            snprintf(text, sizeof text,
                     "%s[relaxation]\nscheme = \"%s\"\nacceleration = \"%s\"\nconvergence = 1e-6\n"
                     "window = { control = \"fixed\", initial = %g, min = 0.005, max = %g }\n%s",
                     RUN, schemes[k % 2], accelerations[k / 2], i == 0 ? 0.01 : 0.005,
                     i == 0 ? 0.01 : 0.005, MASSES("mass.once"));
            AUTO(wrsim_destroy) wrsim *sim = open_run(text, NULL);
            error[i] = run_error(sim);
            assert_int_equal(calls.n_advance, 200);
            assert_true(fabs(calls.shortest_s - 0.005) < 1e-9);
            assert_true(fabs(calls.longest_s - 0.005) < 1e-9);
        }
        print_message("%s %s: %.2e, %.2e\n", schemes[k % 2], accelerations[k / 2], error[0],
                      error[1]);
        assert_true(error[0] < 5e-6);
        assert_true(error[1] < error[0] / 4.0);
    }
    /* If windows may be longer, input errors keep the windows short. The error account names the subsystem that it does not cover. */
    AUTO(wrsim_destroy)
    wrsim *sim = open_run(RUN "[relaxation]\nconvergence = 1e-6\n" MASSES("mass.once"), NULL);
    const double error = run_error(sim);
    print_message("error %.2e in %d windows\n", error, (int)stats_of(sim).n_window);
    assert_true(error < 1e-6);
    wrsim_error_account account;
    assert_int_equal(wrsim_error_account_get(sim, &account), WRSIM_OK);
    assert_string_equal(account.not_covered, "two");
}

TEST(times_off_the_grid)
{
    static const char *const texts[] = {
        RUN MASSES("mass.once"),
        RUN "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.005\n" MASSES("mass.once")};
    for (int k = 0; k < 2; k++) {
        AUTO(wrsim_destroy) wrsim *sim = open_run(texts[k], NULL);
        wrsim_error err = {0};
        assert_int_equal(wrsim_advance(sim, 0.0123, &err), WRSIM_E_ARG);
        assert_non_null(strstr(err.text, "'two'"));
        assert_non_null(strstr(err.text, "communication"));
        assert_int_equal(wrsim_advance(sim, 0.015, &err), WRSIM_OK);
    }
}

/* ---- a sampled controller against signal.sampler ---- */

#define SAMPLED(MODEL, PARAMETERS)                                                                 \
    RUN "[[component]]\nname = \"source\"\nmodel = \"signal.sine\"\n"                              \
        "parameters = { amplitude = 1.0, frequency = 1.3 }\n"                                      \
        "[[component]]\nname = \"sampler\"\nmodel = \"" MODEL "\"\nparameters = " PARAMETERS "\n"  \
        "[[component]]\nname = \"plant\"\nmodel = \"dahlquist\"\nparameters = { a = -5.0 }\n"      \
        "[[connection]]\nfrom = \"source.y\"\nto = \"sampler.u\"\n"                                \
        "[[connection]]\nfrom = \"sampler.y\"\nto = \"plant.u\"\n"                                 \
        "[output]\nfile = \"\"\n"

static void on_event(void *user, const wrsim_event_record *event)
{
    ((int *)user)[event->i_subsystem]++;
}

static int64_t n_step;
static void on_step(void *user, const wrsim_step_record *step)
{
    assert_true(step->end_s > step->start_s && step->n_step > 0);
    if (step->i_subsystem == 1)
        n_step = step->n_step;
}

TEST(sampler)
{
    static const char *const steps[] = {"simulation.communication_step=0.005",
                                        "simulation.communication_step=0.07"};
    for (int k = 0; k < 2; k++) {
        double x[2], y[2][9];
        for (int i = 0; i < 2; i++) {
            wrsim *sim =
                open_run(i == 0 ? SAMPLED("sampler", "{ period = 0.1 }")
                                : SAMPLED("signal.sampler", "{ period = 0.1, t_first = 0.1 }"),
                         steps[k]);
            int n_event[3] = {0, 0, 0};
            const wrsim_observer observer = {
                .size_bytes = sizeof observer, .user = n_event, .event = on_event, .step = on_step};
            assert_int_equal(wrsim_observe(sim, &observer, NULL), WRSIM_OK);
            for (int n = 0; n < 9; n++) {
                advance(sim, 0.1 * n + 0.15);
                y[i][n] = wrsim_get(sim, wrsim_find(sim, "sampler.y"));
            }
            x[i] = wrsim_get(sim, wrsim_find(sim, "plant.x"));
            wrsim_subsystem_stats part;
            assert_int_equal(wrsim_stats_subsystem(sim, 1, &part), WRSIM_OK);
            assert_true(part.n_time_event >= 9);
            assert_int_equal(n_event[1], part.n_time_event);
            assert_true(i > 0 || (n_step == part.n_step && n_step > 9));
            wrsim_destroy(&sim);
        }
        for (int n = 0; n < 9; n++)
            assert_true(fabs(y[0][n] - y[1][n]) < 1e-9);
        assert_true(fabs(x[0] - x[1]) < 1e-8);
        assert_true(fabs(y[0][3]) > 1e-3);
    }
}

/* Steps end at each jump of an input, also if one input jumps several times within a communication step of 5 ms. */
TEST(jumps_of_an_input)
{
    AUTO(wrsim_destroy)
    wrsim *sim = open_run(RUN "[[component]]\nname = \"sine\"\nmodel = \"signal.sine\"\n"
                              "parameters = { amplitude = 1.0, frequency = 1.3 }\n"
                              "[[component]]\nname = \"hold\"\nmodel = \"signal.sampler\"\n"
                              "parameters = { period = 0.002 }\n"
                              "[[component]]\nname = \"mass\"\nmodel = \"mass.memory\"\n"
                              "[[connection]]\nfrom = \"sine.y\"\nto = \"hold.u\"\n"
                              "[[connection]]\nfrom = \"hold.y\"\nto = \"mass.x_neighbour\"\n"
                              "[output]\nfile = \"\"\n",
                          "relaxation.scheme=gauss_seidel");
    advance(sim, 0.1);
    assert_true(calls.longest_s < 0.0020001);
}

/* ---- order of the waveforms ---- */

/* y = sin t: with its slope, without slope, and constant over each step. */
static int sine_describe(wrsim_instance *self, wrsim_description *to)
{
    static const char *const name[] = {"with_slope", "without", "held"};
    to->memory_bytes = sizeof(double);
    int rc = 0;
    for (int i = 0; i < 3; i++) {
        const wrsim_variable y = {.name = name[i], .flags = i == 2 ? WRSIM_DISCONTINUOUS : 0};
        rc |= to->add(to, WRSIM_OUTPUT, &y);
    }
    return rc;
}

static int sine_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    for (int i = 0; i < 3; i++)
        ret_y[i] = sin(at->t_s);
    return 0;
}

static int sine_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    ret_slope[0] = cos(step->end_s);
    return 0;
}

/* Readers x' = u - x with x(0) = 0: x = (sin t - cos t + exp -t) / 2. */
TEST(order)
{
    static const wrsim_stepper stepper = {.struct_size = sizeof stepper, .advance = sine_advance};
    static const wrsim_model sine = {.abi = WRSIM_MODEL_ABI,
                                     .struct_size = sizeof(wrsim_model),
                                     .name = "sine",
                                     .describe = sine_describe,
                                     .output = sine_output,
                                     .stepper = &stepper};
    static const wrsim_model *const list[] = {&sine, NULL};
    static const char *const outputs[] = {"with_slope", "without", "held"};
    static const double least[] = {12.0, 3.5, 1.8}; /* error ratios of orders 4, 2 and 1 */
    for (int k = 0; k < 3; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            char text[1024];
            wrsim_error err = {0};
            snprintf(text, sizeof text,
                     "[simulation]\nstop = 4.0\ncommunication_step = %g\nrtol = 1e-10\n"
                     "[[component]]\nname = \"sine\"\nmodel = \"sine\"\n"
                     "[[component]]\nname = \"reader\"\nmodel = \"dahlquist\"\n"
                     "parameters = { a = -1.0, b = 1.0 }\nstart = { x = 0.0 }\n"
                     "[[connection]]\nfrom = \"sine.%s\"\nto = \"reader.u\"\n"
                     "[relaxation]\nwindow = { control = \"fixed\", initial = 1.0, max = 1.0 }\n"
                     "[output]\nfile = \"\"\n",
                     i == 0 ? 0.25 : 0.125, outputs[k]);
            AUTO(wrsim_destroy) wrsim *sim = create(text, NULL, 0, list, &err);
            assert_non_null(sim);
            assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
            advance(sim, 4.0);
            const double x = 0.5 * (sin(4.0) - cos(4.0) + exp(-4.0));
            error[i] = fabs(wrsim_get(sim, wrsim_find(sim, "reader.x")) - x);
        }
        print_message("%s: %.2e, %.2e\n", outputs[k], error[0], error[1]);
        assert_true(error[1] < error[0] / least[k]);
    }
}

/* ---- steps that end early, and events ---- */

/* A sawtooth y = t - t_reset, which an event resets after each PERIOD, or a triangle, which has kinks instead. The parameter may be a fault of
 * advance(). */
static const double PERIOD = 0.2817;
enum { SAWTOOTH, TRIANGLE, END_IS_NAN, NO_PROGRESS, ENDLESS };
static const wrsim_variable saw_params[] = {{.name = "kind", .start = SAWTOOTH, .max = ENDLESS}};

typedef struct saw {
    double now_s;
    int n_reset;
} saw;

static int saw_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable y = {.name = "y"};
    to->memory_bytes = sizeof(saw);
    return to->add(to, WRSIM_OUTPUT, &y);
}

static int saw_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const saw *const s = self->memory;
    const double y = s->now_s - s->n_reset * PERIOD;
    ret_y[0] = (int)self->param[0] == TRIANGLE && s->n_reset % 2 ? PERIOD - y : y;
    return 0;
}

static int saw_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    saw *const s = self->memory;
    const double reset_s = (s->n_reset + 1) * PERIOD;
    const int kind = (int)self->param[0];
    if (kind > TRIANGLE)
        *step->ret_end_s = kind == END_IS_NAN ? (double)NAN : step->t_s;
    else if (reset_s < step->end_s)
        *step->ret_end_s = reset_s;
    s->now_s = *step->ret_end_s;
    if (kind == SAWTOOTH) /* a triangle has the mean slopes of steps */
        ret_slope[0] = 1.0;
    return kind == ENDLESS || s->now_s >= reset_s ? WRSIM_ENTER_EVENT : 0;
}

static int saw_event(wrsim_instance *self, const wrsim_point *at)
{
    saw *const s = self->memory;
    if (at->t_s < (s->n_reset + 1) * PERIOD)
        return 0;
    s->n_reset++;
    return WRSIM_ENTER_EVENT;
}

/* The integral is exact only if the reader sees each jump of the value or the slope at its time. */
TEST(events)
{
    static const wrsim_stepper stepper = {
        .struct_size = sizeof stepper, .advance = saw_advance, .event = saw_event};
    static const wrsim_model sawtooth = {.abi = WRSIM_MODEL_ABI,
                                         .struct_size = sizeof(wrsim_model),
                                         .name = "saw",
                                         .n_param = 1,
                                         .params = saw_params,
                                         .describe = saw_describe,
                                         .output = saw_output,
                                         .stepper = &stepper};
    static const wrsim_model *const list[] = {&sawtooth, NULL};
    static const char *const says[] = {NULL, NULL, "outside of its interval",
                                       "outside of its interval", "too many events at one instant"};
    for (int kind = SAWTOOTH; kind <= ENDLESS; kind++) {
        char text[1024];
        wrsim_error err = {0};
        snprintf(text, sizeof text,
                 "[simulation]\nstop = 1.0\ncommunication_step = 0.05\nrtol = 1e-8\n"
                 "[[component]]\nname = \"saw\"\nmodel = \"saw\"\nparameters = { kind = %d }\n"
                 "[[component]]\nname = \"reader\"\nmodel = \"dahlquist\"\n"
                 "parameters = { a = 0.0, b = 1.0 }\nstart = { x = 0.0 }\n"
                 "[[connection]]\nfrom = \"saw.y\"\nto = \"reader.u\"\n[output]\nfile = \"\"\n",
                 kind);
        AUTO(wrsim_destroy) wrsim *sim = create(text, NULL, 0, list, &err);
        assert_non_null(sim);
        assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
        const wrsim_status status = wrsim_advance(sim, 1.0, &err);
        if (kind > TRIANGLE) {
            assert_int_equal(status, WRSIM_E_CALLBACK);
            assert_non_null(strstr(err.text, says[kind]));
            continue;
        }
        assert_true(status >= 0);
        const double rest = 1.0 - 3.0 * PERIOD,
                     last = kind == SAWTOOTH ? 0.5 * rest * rest : (PERIOD - 0.5 * rest) * rest;
        assert_true(fabs(wrsim_get(sim, wrsim_find(sim, "reader.x")) - 1.5 * PERIOD * PERIOD -
                         last) < 1e-7);
    }
}

/* A stage with an event at the start and at jumps of its input, y = offset + u, or a follower without events, whose output at the start is its
 * input. */
typedef struct stage {
    int is_started;
    double u, y;
} stage;

static int stage_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable u = {.name = "u"}, y = {.name = "y"};
    to->memory_bytes = sizeof(stage);
    return to->add(to, WRSIM_INPUT, &u) | to->add(to, WRSIM_OUTPUT, &y);
}

static int stage_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const stage *const s = self->memory;
    ret_y[0] = self->user && !s->is_started ? at->u[0] : s->y;
    return 0;
}

static int stage_advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    stage *const s = self->memory;
    s->y = self->user ? step->u_end[0] : s->y;
    s->is_started = 1;
    return 0;
}

static int stage_event(wrsim_instance *self, const wrsim_point *at)
{
    stage *const s = self->memory;
    if (s->is_started && !(at->u[0] < s->u) && !(at->u[0] > s->u))
        return 0;
    *s = (stage){.is_started = 1, .u = at->u[0], .y = self->param[0] + at->u[0]};
    return WRSIM_ENTER_EVENT;
}

/* The follower reads its input at the start from after all events of the start. */
TEST(start_after_events)
{
    static const wrsim_variable offset = {.name = "offset"};
    static const wrsim_stepper with_events = {.struct_size = sizeof with_events,
                                              .advance = stage_advance,
                                              .event = stage_event},
                               without = {.struct_size = sizeof without, .advance = stage_advance};
#define STAGE(NAME, USER, STEPPER)                                                                 \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = NAME, .n_param = 1,    \
        .params = &offset, .user = USER, .describe = stage_describe, .output = stage_output,       \
        .stepper = STEPPER                                                                         \
    }
    static const wrsim_model staged = STAGE("stage", NULL, &with_events),
                             follower = STAGE("follower", "follows", &without);
    static const wrsim_model *const list[] = {&staged, &follower, NULL};
    static const char text[] =
        "[simulation]\nstop = 1.0\ncommunication_step = 0.05\nrtol = 1e-8\n"
        "[[component]]\nname = \"a\"\nmodel = \"stage\"\nparameters = { offset = 1.0 }\n"
        "[[component]]\nname = \"b\"\nmodel = \"stage\"\nparameters = { offset = 5.0 }\n"
        "[[component]]\nname = \"c\"\nmodel = \"follower\"\n"
        "[[component]]\nname = \"reader\"\nmodel = \"dahlquist\"\n"
        "parameters = { a = 0.0, b = 1.0 }\nstart = { x = 0.0 }\n"
        "[[connection]]\nfrom = \"a.y\"\nto = \"b.u\"\n"
        "[[connection]]\nfrom = \"b.y\"\nto = \"c.u\"\n"
        "[[connection]]\nfrom = \"c.y\"\nto = \"reader.u\"\n[output]\nfile = \"\"\n";
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = create(text, NULL, 0, list, &err);
    assert_non_null(sim);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    advance(sim, 1.0);
    assert_true(fabs(wrsim_get(sim, wrsim_find(sim, "reader.x")) - 6.0) < 1e-7);
}

/* ---- slack and real time ---- */

TEST(slackened)
{
#define SLACK(MORE)                                                                                \
    RUN "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.005\nbound = 0\n" MORE
    check_error(SLACK("sweeps = 3\n") MASSES("mass.memory"), NULL, 1e-4);
    check_error(SLACK("sweeps = 3\n") MASSES("mass.kept"), "scheduler.workers=2", 1e-4);
    check_error(SLACK("") MASSES("mass.once"), NULL, 1e-2);
    check_error(SLACK("") MASSES("mass.once"), "scheduler.workers=2", 1e-2);
    check_error(SLACK("") "[realtime]\nrate = 20.0\npolicy = \"report\"\n" MASSES("mass.memory"),
                NULL, 1e-2);
    wrsim_error err = {0};
    AUTO(wrsim_destroy)
    wrsim *sim = create(SLACK("sweeps = 2\n") MASSES("mass.once"), NULL, 0, models, &err);
    assert_non_null(sim);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_E_CONFIG);
    assert_non_null(strstr(err.text, "'two' has no rollback"));
}

/* ---- state ---- */

/* A run continued from a checkpoint or snapshot has the bits of the whole run. */
TEST(checkpoints)
{
    static const char file[] = "stepper.checkpoint";
    static const char *const texts[] = {RUN MASSES("mass.memory"),
                                        SAMPLED("sampler", "{ period = 0.1 }")};
    static const char *const names[] = {"right.x", "plant.x"};
    for (int k = 0; k < 2; k++) {
        wrsim_error err = {0};
        double x[3];
        wrsim *sim = open_run(texts[k], NULL);
        const int i_x = wrsim_find(sim, names[k]);
        advance(sim, 0.33);
        wrsim_snapshot *snapshot = NULL;
        assert_int_equal(wrsim_checkpoint_write(sim, file, &err), WRSIM_OK);
        assert_int_equal(wrsim_snapshot_create(sim, &snapshot, &err), WRSIM_OK);
        advance(sim, 1.0);
        x[0] = wrsim_get(sim, i_x);
        assert_int_equal(wrsim_snapshot_restore(sim, snapshot, &err), WRSIM_OK);
        advance(sim, 1.0);
        x[1] = wrsim_get(sim, i_x);
        wrsim_snapshot_destroy(&snapshot);
        wrsim_destroy(&sim);
        sim = open_run(texts[k], NULL);
        assert_int_equal(wrsim_checkpoint_read(sim, file, &err), WRSIM_OK);
        advance(sim, 1.0);
        x[2] = wrsim_get(sim, i_x);
        wrsim_destroy(&sim);
        unlink(file);
        assert_memory_equal(&x[0], &x[1], sizeof *x);
        assert_memory_equal(&x[0], &x[2], sizeof *x);
    }
    static const char *const opaque[] = {RUN MASSES("mass.kept"), RUN MASSES("mass.once")};
    for (int k = 0; k < 2; k++) {
        wrsim_error err = {0};
        AUTO(wrsim_destroy) wrsim *sim = open_run(opaque[k], NULL);
        assert_int_equal(wrsim_checkpoint_write(sim, file, &err), WRSIM_E_CONFIG);
        print_message("%s\n", err.text);
        assert_string_equal(err.subsystem, "two");
        assert_non_null(strstr(err.text, "component 'right' cannot be saved"));
        assert_non_null(strstr(err.text, "outside of instance->memory"));
    }
}

/* ---- failures ---- */

TEST(failures)
{
    static const struct {
        const char *text, *fail_by;
        wrsim_status status;
        const char *says;
        double least_s, most_s; /* end time of the run */
    } cases[] = {
        {RUN MASSES("mass.memory"), "-1", WRSIM_E_CALLBACK, "the test asks for it", 0.0, 0.5},
        {RUN MASSES("mass.kept"), "-3", WRSIM_E_CALLBACK, "(returned -3)", 0.0, 0.5},
        {RUN MASSES("mass.memory"), "1", WRSIM_E_CALLBACK, "component 'right' fails", 0.0, 0.5},
        {RUN MASSES("mass.memory"), "0", WRSIM_E_NAN, "'right.x' or its slope is not finite", 0.0,
         0.5},
        {RUN MASSES("mass.grid"), "-1", WRSIM_E_CALLBACK, "the test asks for it", 0.3, 0.5},
        {RUN MASSES("mass.once"), "-1", WRSIM_E_CALLBACK, "the test asks for it", 0.3, 0.5},
        {RUN "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.005\n" MASSES("mass.once"),
         "-1", WRSIM_E_CALLBACK, "the test asks for it", 0.3, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], parameters[64];
        const char *const model = strstr(cases[i].text, "[[connection]]");
        snprintf(parameters, sizeof parameters, "parameters = { fail_time = 0.5, fail_by = %s }\n",
                 cases[i].fail_by);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(model - cases[i].text), cases[i].text,
                 parameters, model);
        wrsim *sim = open_run(text, NULL);
        wrsim_error err = {0};
        assert_int_equal(wrsim_advance(sim, 1.0, &err), cases[i].status);
        print_message("%.4f s: %s\n", wrsim_time(sim), err.text);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_string_equal(err.subsystem, "two");
        assert_true(wrsim_time(sim) >= cases[i].least_s && wrsim_time(sim) <= cases[i].most_s);
        const double x = wrsim_get(sim, wrsim_find(sim, "right.x"));
        assert_true(strstr(text, "mass.once") ||
                    fabs(x) < 10.0); /* restored to the window's start */
        wrsim_destroy(&sim);
        assert_int_equal(calls.n_init, calls.n_done);
    }
}

/* Far from zero, rounding changes the lengths of communication steps. */
TEST(far_from_zero)
{
    AUTO(wrsim_destroy)
    wrsim *sim = open_run("[simulation]\nstart = 1e6\nstop = 1000001\ncommunication_step = 0.005\n"
                          "rtol = 1e-8\n" MASSES("mass.grid"),
                          NULL);
    advance(sim, 1e6 + 1.0);
    assert_true(fabs(calls.shortest_s - 0.005) < 1e-6 && fabs(calls.longest_s - 0.005) < 1e-6);
    assert_true(fabs(wrsim_get(sim, wrsim_find(sim, "left.x")) - solution(1.0, 1.0)) < 1e-5);
}

/* Rounding of start + 3 step counts also at t = 0. */
TEST(end_at_zero)
{
    AUTO(wrsim_destroy)
    wrsim *sim = open_run(
        "[simulation]\nstart = -0.3\nstop = 0.0\ncommunication_step = 0.1\n" MASSES("mass.grid"),
        NULL);
    advance(sim, 0.0);
    assert_true(fabs(wrsim_time(sim)) < 1e-12);
    assert_true(fabs(calls.shortest_s - 0.1) < 1e-9 && fabs(calls.longest_s - 0.1) < 1e-9);
}

/* The run records all outputs, with or without readers. */
TEST(rows)
{
    static const char name[] = "stepper.csv";
    wrsim *sim = open_run(RUN MASSES("mass.memory"), "output.file=stepper.csv");
    advance(sim, 1.0);
    const double v = wrsim_get(sim, wrsim_find(sim, "right.v"));
    wrsim_error err = {0};
    assert_int_equal(wrsim_finish(sim, &err), WRSIM_OK);
    wrsim_destroy(&sim);
    FILE *const file = fopen(name, "r");
    assert_non_null(file);
    char line[1024];
    int column = -1, n_row = 0;
    double last = 0.0;
    while (fgets(line, sizeof line, file)) {
        int k = 0;
        for (char *cell = strtok(line, ",\n"); cell; cell = strtok(NULL, ",\n"), k++) {
            if (strncmp(cell, "right.v", 7) == 0)
                column = k;
            else if (k == column)
                last = strtod(cell, NULL);
        }
        n_row++;
    }
    fclose(file);
    unlink(name);
    assert_true(column > 0 && n_row > 200);
    assert_true(fabs(last - v) < 1e-9 * fabs(v));
}

/* ---- refused models and configs ---- */

static void check_refused(const wrsim_model *model, const char *says)
{
    wrsim_error err = {0};
    const wrsim_model *const list[] = {model, NULL};
    wrsim *sim = create(RUN MASSES("mass.memory"), NULL, 0, list, &err);
    assert_null(sim);
    if (!strstr(err.text, says))
        print_error("'%s' lacks '%s'\n", err.text, says);
    assert_non_null(strstr(err.text, says));
}

static int stateful_describe(wrsim_instance *self, wrsim_description *to)
{
    static const wrsim_variable x = {.name = "s"};
    return to->add(to, WRSIM_STATE, &x) | mass_describe(self, to);
}

static int stateful_rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    (void)self, (void)at;
    ret_dx[0] = 0.0;
    return 0;
}

TEST(refused)
{
    wrsim_stepper stepper = mass_stepper;
    wrsim_model model = in_memory;
    model.stepper = &stepper;
    stepper.struct_size = 8;
    check_refused(&model, "too small");
    stepper = mass_stepper;
    stepper.advance = NULL;
    check_refused(&model, "without advance()");
    stepper = mass_stepper;
    wrsim_own_state own = {.struct_size = 8};
    model.own_state = &own;
    check_refused(&model, "wrsim_own_state that is too small");
    own = mass_own;
    own.go_back = NULL;
    check_refused(&model, "without keep(), go_back() or forget()");
    own = mass_own;
    own.bytes = mass_bytes;
    check_refused(&model, "only some of bytes(), write() and read()");
    own = mass_own;
    model.caps = WRSIM_CAP_CANNOT_RESTORE;
    check_refused(&model, "WRSIM_CAP_CANNOT_RESTORE");
    model.own_state = NULL;
    model.caps = WRSIM_CAP_COMMUNICATION_STEPS;
    model.next_time = sampler_next;
    check_refused(&model, "next_time()");
    model = in_memory;
    model.caps = WRSIM_CAP_OWN_THREAD;
    check_refused(&model, "WRSIM_CAP_OWN_THREAD");
    model.caps = 0;
    model.describe = stateful_describe;
    model.rhs = stateful_rhs;
    check_refused(&model, "has a stepper and states");
    /* wrsim refuses a model that has the restrictions of steppers but no stepper. */
    model = in_memory;
    model.stepper = NULL;
    model.caps = WRSIM_CAP_COMMUNICATION_STEPS;
    check_refused(&model, "wrsim_model.stepper");

    static const struct {
        const char *text, *says;
    } configs[] = {
        {RUN "[relaxation]\nscheme = \"slack\"\n[slack]\nperiod = 0.005\nwatch = 1\n" MASSES(
             "mass.memory"),
         "which advances itself; set slack.watch = 0"},
        {RUN "monolithic = true\n" MASSES("mass.memory"), "set simulation.monolithic = false"},
        {RUN "[[component]]\nname = \"a\"\nmodel = \"mass.memory\"\n"
             "[[component]]\nname = \"b\"\nmodel = \"oscillator.mass\"\n"
             "[[subsystem]]\nname = \"both\"\ncomponents = [\"a\", \"b\"]\n[output]\nfile = \"\"\n",
         "list it alone"},
        {RUN "[[component]]\nname = \"a\"\nmodel = \"mass.memory\"\n"
             "[[connection]]\nfrom = \"a.x\"\nto = \"a.x_neighbour\"\n[output]\nfile = \"\"\n",
         "own inputs"},
        {RUN "[[scenario]]\nname = \"s\"\nparameter = \"right.fail_by\"\nvalue = 1.0\nat = "
             "0.5\n" MASSES("mass.memory"),
         "fail_by"}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        wrsim_error err = {0};
        wrsim *sim = create(configs[i].text, NULL, 0, models, &err);
        assert_null(sim);
        if (!strstr(err.text, configs[i].says))
            print_error("%s\n", err.text);
        assert_non_null(strstr(err.text, configs[i].says));
    }
}
