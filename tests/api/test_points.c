/* The points that wrsim counts by purpose are the points that models see, in every kind of run. A model counts its own points: calls of its
 * callbacks at another time, state, mode or input than the call before. */
#include "wr_model.h"
#include "wr_test.h"

#include <stdlib.h>
#include <time.h>

#include <wrsim/wrsim.h>

enum { N_BALL = 2, N_PART = 4 };

/* The last point of a component, and the number of points so far. */
typedef struct spy {
    double t_s, x[2], u;
    int is_u_known, mode;
    long n;
} spy;
static spy spies[N_PART];

static void look(const wrsim_instance *self, const wrsim_point *at, int reads_u)
{
    spy *const s = &spies[(int)self->param[0]];
    const int has_x = self->param[0] < N_BALL, mode = has_x ? at->mode[0] : 0;
    const double x[2] = {has_x ? at->x[0] : 0.0, has_x ? at->x[1] : 0.0};
    if (s->n == 0 || memcmp(&s->t_s, &at->t_s, sizeof s->t_s) != 0 ||
        memcmp(s->x, x, sizeof x) != 0 || s->mode != mode ||
        (reads_u && s->is_u_known && memcmp(&s->u, at->u, sizeof s->u) != 0)) {
        s->n++;
        s->is_u_known = 0;
    }
    s->t_s = at->t_s;
    memcpy(s->x, x, sizeof x);
    s->mode = mode;
    if (reads_u) {
        s->u = at->u[0];
        s->is_u_known = 1;
    }
}

/* A ball whose weight depends on an input. Only f reads the input. */
DECLARE(describe_ball, "state: h=1 v input: u output: h:0 y indicator: z> U_Y: - U_Z: - X_Z: 0,0")
RHS(rhs_ball)
{
    look(self, at, 1);
    ret_dx[0] = at->x[1];
    ret_dx[1] = -9.81 + 0.1 * at->u[0];
}
OUTPUTS(output_ball)
{
    look(self, at, 0);
    ret_y[1] = at->x[0] * at->x[0] + 0.1 * sin(40.0 * at->t_s);
}
INDICATORS(indicator_ball)
{
    look(self, at, 0);
    ret_z[0] = at->x[0];
}
EVENT(event_ball) { x[1] = -0.8 * x[1]; }

/* A model with an output that depends on the input at the same instant. */
DECLARE(describe_pass, "input: u output: y")
OUTPUTS(output_pass)
{
    look(self, at, 1);
    ret_y[0] = 0.5 * at->u[0] + 0.1;
}

static const wrsim_variable params[] = {
    {.name = "id", .unit = "1", .description = "number", .max = N_PART}};
#define SPY(name_)                                                                                 \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_, .n_param = 1,       \
    .params = params
static const wrsim_model ball = {
    SPY("test.ball"),      .describe = describe_ball,   .rhs = rhs_ball,
    .output = output_ball, .indicator = indicator_ball, .event = event_ball};
static const wrsim_model pass = {SPY("test.pass"), .describe = describe_pass,
                                 .output = output_pass};
static const wrsim_model *const models[] = {&ball, &pass, NULL};

/* Ball a drives b through p, and b drives a directly. q reads its own output, which is an algebraic loop. */
#define COMPONENT(name, model, id)                                                                 \
    "[[component]]\nname = \"" name "\"\nmodel = \"" model "\"\nparameters = { id = " id " }\n"
#define CONNECTION(from, to) "[[connection]]\nfrom = \"" from "\"\nto = \"" to "\"\n"
#define SYSTEM                                                                                     \
    COMPONENT("a", "test.ball", "0")                                                               \
    COMPONENT("b", "test.ball", "1")                                                               \
    COMPONENT("p", "test.pass", "2")                                                               \
    COMPONENT("q", "test.pass", "3")                                                               \
    CONNECTION("a.y", "p.u")                                                                       \
    CONNECTION("p.y", "b.u")                                                                       \
    CONNECTION("b.y", "a.u") CONNECTION("q.y", "q.u") "[output]\nfile = \"\"\n"

static const struct {
    const char *name, *override[3];
    int repeats; /* the run repeats integrations */
} runs[] = {
    {"jacobi", {"relaxation.window.initial=0.05", "relaxation.window.control=fixed"}, 1},
    {"rejected windows",
     {"relaxation.window.initial=0.5", "relaxation.window.min=0.01",
      "relaxation.window.control=ratio"},
     1},
    {"gauss_seidel", {"relaxation.scheme=gauss_seidel", "simulation.event_blocks=1"}, 0},
    {"ahead", {"relaxation.scheme=gauss_seidel", "relaxation.ahead=true", "solver.kind=rk43"}, 1},
    {"slack", {"relaxation.scheme=slack", "slack.sweeps=2"}, 0},
    {"implicit", {"solver.kind=rosenbrock"}, 0},
    {"monolithic", {"simulation.monolithic=true"}, 0},
    {"blocks", {"simulation.monolithic=true", "simulation.event_blocks=1"}, 0}};

/* Runs with `mode` of simulation.points. Returns the last height of the first ball. */
static double run(int i_run, const char *mode, int n_worker, wrsim_points ret[WRSIM_PURPOSE_COUNT],
                  wrsim_stats *ret_stats)
{
    static const char toml[] = "[simulation]\nstop = 1.5\ncommunication_step = 0.05\n" SYSTEM;
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    char points[40], workers[40];
    const char *override[8] = {points, workers, "component.*.cost=1e-6", "component.a.cost=3e-6"};
    int n = 4;
    snprintf(points, sizeof points, "simulation.points=%s", mode);
    snprintf(workers, sizeof workers, "scheduler.workers=%d", n_worker);
    for (int i = 0; i < 3 && runs[i_run].override[i]; i++)
        override[n++] = runs[i_run].override[i];
    wrsim_config *config;
    wrsim *sim;
    wrsim_error err;
    memset(spies, 0, sizeof spies);
    memset(ret, 0, WRSIM_PURPOSE_COUNT * sizeof *ret);
    assert_int_equal(wrsim_config_from_text(toml, sizeof toml - 1, "points", override, n, NULL,
                                            NULL, &config, &err),
                     WRSIM_OK);
    assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err), WRSIM_OK);
    wrsim_config_destroy(&config);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    assert_true(wrsim_run(sim, &err) >= 0);
    const double h = wrsim_get(sim, wrsim_find(sim, "a.h")); /* may evaluate outputs */
    wrsim_points part[WRSIM_PURPOSE_COUNT];
    for (int i = 0; wrsim_stats_points(sim, i, part) == WRSIM_OK; i++)
        for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
            ret[k].n += part[k].n;
            ret[k].n_repeated += part[k].n_repeated;
            ret[k].cost_s += part[k].cost_s;
            ret[k].repeated_s += part[k].repeated_s;
        }
    wrsim_stats_get(sim, ret_stats);
    wrsim_destroy(&sim);
    return h;
}

TEST(every_point_has_one_purpose)
{
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        wrsim_points points[WRSIM_PURPOSE_COUNT], on_two[WRSIM_PURPOSE_COUNT];
        wrsim_stats stats;
        const double plain = run((int)i, "off", 1, points, &stats);
        for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++)
            assert_int_equal(points[k].n, 0);
        assert_true(run((int)i, "count", 2, on_two, &stats) == plain);
        assert_true(run((int)i, "count", 1, points, &stats) == plain);
        assert_memory_equal(points, on_two, sizeof points);
        long seen = 0;
        double seen_s = 0.0, cost_s = 0.0;
        int64_t n = 0, n_repeated = 0;
        for (int k = 0; k < N_PART; k++) {
            seen += spies[k].n;
            seen_s += (k == 0 ? 3e-6 : 1e-6) * (double)spies[k].n;
        }
        for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
            n += points[k].n;
            n_repeated += points[k].n_repeated;
            cost_s += points[k].cost_s;
            assert_true(points[k].n_repeated <= points[k].n &&
                        points[k].repeated_s <= points[k].cost_s);
        }
        if (n != seen)
            fail_msg("%s: %ld points counted, %ld seen by the models", runs[i].name, (long)n, seen);
        assert_close(cost_s, seen_s, 1e-12, 0.0);
        assert_true(points[WRSIM_PURPOSE_STAGE].n > 0 && points[WRSIM_PURPOSE_EVENT].n > 0 &&
                    points[WRSIM_PURPOSE_LOCATE].n > 0);
        assert_true(runs[i].repeats == 0 || n_repeated > 0);
        if (stats.n_subsystem == 1)
            assert_int_equal(n_repeated, 0);
        /* The bound on one core is the cost of all tasks; only points before the first and after the last task are missing. */
        assert_true(strcmp(runs[i].name, "ahead") != 0 || stats.n_ahead_undone > 0);
        if (stats.n_subsystem > 1 && i < 4)
            assert_between(stats.bound_point_s[0], 0.9 * cost_s, cost_s * (1.0 + 1e-12));
        assert_true(i >= 4 || stats.bound_point_s[1] <= stats.bound_point_s[0]);
    }
}

TEST(spent_costs_take_their_time)
{
    wrsim_points points[WRSIM_PURPOSE_COUNT];
    wrsim_stats stats;
    const double plain = run(0, "off", 1, points, &stats);
    assert_true(run(0, "spend", 1, points, &stats) == plain);
    double cost_s = 0.0;
    for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++)
        cost_s += k == WRSIM_PURPOSE_OTHER ? 0.0 : points[k].cost_s; /* without the start */
    assert_true(cost_s > 0.0 && stats.wall_s >= cost_s);
}
