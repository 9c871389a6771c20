/* Windows begun ahead (relaxation.ahead) with integrations ahead that fail. The later levels still read the waves of the window before. */
#include "wr_model.h"
#include "wr_test.h"

#include <wrsim/wrsim.h>

static const double LENGTH_S = 0.02; /* windows of the config */
/* The next step of `sum` that ends after this time fails, and the time then grows by LENGTH_S. So an integration ahead fails, and the
 * repetition of this integration does not. */
static double next_failure_s;

DECLARE(describe_sum, "state: x input: u output: x:0")
RHS(rhs_sum) { ret_dx[0] = at->u[0] - at->x[0]; }
static int fail_once(wrsim_instance *self, const wrsim_point *at)
{
    (void)self;
    if (!(at->t_s > next_failure_s))
        return 0;
    next_failure_s += LENGTH_S;
    return 1;
}
DECLARE(describe_turn, "state: a=1 b output: a:0")
RHS(rhs_turn)
{
    ret_dx[0] = 7.0 * at->x[1];
    ret_dx[1] = -7.0 * at->x[0];
}
/* The sum changes the indicator little, but makes the switch active in each second sweep. */
DECLARE(describe_switch, "input: u sum output: y~ indicator: z U_Y: -")
OUTPUTS(output_switch) { ret_y[0] = at->mode[0] > 0; }
INDICATORS(indicator_switch) { ret_z[0] = at->u[0] + 1e-6 * at->u[1]; }
#define MODEL(name_) .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_
static const wrsim_model sum = {MODEL("test.sum"), .describe = describe_sum, .rhs = rhs_sum,
                                .step_completed = fail_once};
static const wrsim_model turn = {MODEL("test.turn"), .describe = describe_turn, .rhs = rhs_turn};
static const wrsim_model change = {MODEL("test.switch"), .describe = describe_switch,
                                   .output = output_switch, .indicator = indicator_switch};
static const wrsim_model *const models[] = {&sum, &turn, &change, NULL};

/* clang-format off */
#define PART(name, level)                                                                          \
    "[[component]]\nname = \"" name "\"\nmodel = \"test." name "\"\n"                               \
    "[[subsystem]]\nname = \"s_" name "\"\ncomponents = [\"" name "\"]\nlevel = " level "\n"
#define CONNECTION(from, to) "[[connection]]\nfrom = \"" from "\"\nto = \"" to "\"\n"
static const char text[] =
    "[simulation]\nstop = 8.0\ncommunication_step = 0.1\nrtol = 1e-5\n[solver]\nkind = \"rk43\"\n"
    "[relaxation]\nscheme = \"gauss_seidel\"\nahead = true\nprediction = \"quadratic\"\n"
    "[output]\nfile = \"\"\n[relaxation.window]\ncontrol = \"fixed\"\ninitial = 0.02\n"
    PART("sum", "0") PART("turn", "1") PART("switch", "2")
    CONNECTION("turn.a", "switch.u") CONNECTION("sum.x", "switch.sum") CONNECTION("switch.y", "sum.u");
/* clang-format on */

/* Returns the last sum of a run in which integrations ahead fail from from_s on. */
static double run(const char *override, double from_s, wrsim_stats *ret_stats)
{
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    wrsim_config *config;
    wrsim *sim;
    wrsim_error err;
    next_failure_s = from_s;
    assert_int_equal(wrsim_config_from_text(text, sizeof text - 1, "ahead", &override, 1, NULL,
                                            NULL, &config, &err),
                     WRSIM_OK);
    assert_int_equal(wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err), WRSIM_OK);
    wrsim_config_destroy(&config);
    assert_int_equal(wrsim_prepare(sim, &err), WRSIM_OK);
    assert_true(wrsim_run(sim, &err) >= 0);
    const double x = wrsim_get(sim, wrsim_find(sim, "sum.x"));
    wrsim_stats_get(sim, ret_stats);
    wrsim_destroy(&sim);
    return x;
}

TEST(integrations_ahead_that_fail)
{
    wrsim_stats stats;
    const double exact = run("simulation.monolithic=true", (double)INFINITY, &stats);
    const double x = run("scheduler.workers=1", LENGTH_S, &stats);
    assert_true(stats.n_ahead_undone > 50);
    assert_true(fabs(x - exact) < 1e-3 * fabs(exact));
}
