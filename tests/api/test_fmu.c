/* FMUs of model exchange beside models that a host registers: the same equations (tests/fmi/ball.c, oscillator.c, thermostat.c) with every
 * variable-step solver. Arguments: the folder of the FMUs. */
#include "wr_model.h"
#include "wr_test.h"

#include <wrsim/wrsim.h>

DECLARE(describe_ball, "state: x=1 v discrete: bounces output: n~ indicator: fall> timeless")
RHS(rhs_ball)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = -9.81;
}
OUTPUTS(output_ball) { ret_y[0] = at->d[0]; }
INDICATORS(indicator_ball) { ret_z[0] = at->x[0]; }
EVENT(event_ball)
{
    if (what->is_initial || what->fired[0] >= 0)
        return;
    x[0] = 0;
    x[1] *= -0.75;
    d[0] += 1;
}

DECLARE(describe_oscillator, "state: x=1 v output: y timeless")
RHS(rhs_oscillator)
{
    ret_dx[0] = at->x[1];
    ret_dx[1] = -4 * at->x[0];
}
OUTPUTS(output_oscillator) { ret_y[0] = at->x[1]; }

DECLARE(describe_thermostat,
        "state: x=10 discrete: on=1 switches input: u output: n~ indicator: low> high< timeless")
RHS(rhs_thermostat) { ret_dx[0] = (20 * at->d[0] + at->u[0] - at->x[0]) / 0.5; }
OUTPUTS(output_thermostat) { ret_y[0] = at->d[1]; }
INDICATORS(indicator_thermostat)
{
    ret_z[0] = at->x[0] - 9;
    ret_z[1] = at->x[0] - 11;
}
EVENT(event_thermostat)
{
    const int is_on = what->fired[0] < 0 ? 1 : what->fired[1] > 0 ? 0 : d[0] > 0;
    if (what->is_initial)
        return;
    d[1] += is_on != (int)d[0];
    d[0] = is_on;
}

#define MODEL(what) .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = "test." what
static const wrsim_model ball = {
    MODEL("ball"),         .describe = describe_ball,   .rhs = rhs_ball,
    .output = output_ball, .indicator = indicator_ball, .event = event_ball};
static const wrsim_model oscillator = {MODEL("oscillator"), .describe = describe_oscillator,
                                       .rhs = rhs_oscillator, .output = output_oscillator};
static const wrsim_model thermostat = {
    MODEL("thermostat"),         .describe = describe_thermostat,   .rhs = rhs_thermostat,
    .output = output_thermostat, .indicator = indicator_thermostat, .event = event_thermostat};
static const wrsim_model *const models[] = {&ball, &oscillator, &thermostat, NULL};

/* No connection joins a native component and an FMU. */
static const char text[] =
    "[simulation]\nstop = 2.0\ncommunication_step = 0.05\n[output]\nfile = \"\"\n"
    "[[component]]\nname = \"ball\"\nmodel = \"test.ball\"\n"
    "[[component]]\nname = \"osc\"\nmodel = \"test.oscillator\"\n"
    "[[component]]\nname = \"heat\"\nmodel = \"test.thermostat\"\n"
    "[[component]]\nname = \"ball_2\"\nfmu = \"%1$s/ball_2.fmu\"\n"
    "[[component]]\nname = \"ball_3\"\nfmu = \"%1$s/ball_3.fmu\"\n"
    "[[component]]\nname = \"osc_2\"\nfmu = \"%1$s/oscillator_2.fmu\"\n"
    "[[component]]\nname = \"osc_3\"\nfmu = \"%1$s/oscillator_3.fmu\"\n"
    "[[component]]\nname = \"heat_2\"\nfmu = \"%1$s/thermostat_2.fmu\"\n"
    "[[connection]]\nfrom = \"osc.y\"\nto = \"heat.u\"\n"
    "[[connection]]\nfrom = \"osc_3.y\"\nto = \"heat_2.u\"\n";

static double value_of(wrsim *sim, const char *name)
{
    const int i = wrsim_find(sim, name);
    if (i < 0)
        print_error("no signal '%s'\n", name);
    assert_true(i >= 0);
    return wrsim_get(sim, i);
}

/* Signals that agree within a share of their range. */
static const struct {
    const char *native, *fmu;
    double range;
} pairs[] = {
    {"ball.x", "ball_2.x", 1}, {"ball.x", "ball_3.x", 1}, {"ball.v", "ball_2.v", 8},
    {"osc.x", "osc_2.x", 2},   {"osc.y", "osc_3.y", 4},   {"osc.x", "osc_3.x", 2},
    {"heat.x", "heat_2.x", 2},
};
static const char *const counts[][2] = {
    {"ball.n", "ball_2.n"}, {"ball.n", "ball_3.n"}, {"heat.n", "heat_2.n"}};

static void compare(const char *solver, double rtol, int is_monolithic)
{
    char config_text[4096], options[3][64];
    snprintf(config_text, sizeof config_text, text, wr_test_arg(1));
    snprintf(options[0], sizeof options[0], "solver.kind=%s", solver);
    snprintf(options[1], sizeof options[1], "simulation.rtol=%g", rtol);
    snprintf(options[2], sizeof options[2], "simulation.monolithic=%s",
             is_monolithic ? "true" : "false");
    const char *const override[] = {options[0], options[1], options[2]};
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    if (wrsim_config_from_text(config_text, strlen(config_text), "fmu.toml", override, 3, NULL,
                               NULL, &config, &err) < 0 ||
        wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err) < 0 ||
        wrsim_prepare(sim, &err) < 0)
        print_error("%s: %s\n", solver, err.text);
    wrsim_config_destroy(&config);
    assert_non_null(sim);
    double worst = 0;
    for (int k = 1; k <= 40; k++) {
        if (wrsim_advance(sim, 0.05 * k, &err) != WRSIM_OK)
            print_error("%s: %s\n", solver, err.text);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            const double share =
                fabs(value_of(sim, pairs[i].native) - value_of(sim, pairs[i].fmu)) / pairs[i].range;
            if (!(share <= 10 * rtol))
                print_error("%s, %g, t = %g: %s differs by %g of the range\n", solver, rtol,
                            0.05 * k, pairs[i].fmu, share);
            assert_true(share <= 10 * rtol);
            worst = fmax(worst, share);
        }
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const double wanted = value_of(sim, counts[i][0]), found = value_of(sim, counts[i][1]);
            if (found < wanted || found > wanted)
                print_error("%s, %g, t = %g: %s = %g, not %g\n", solver, rtol, 0.05 * k,
                            counts[i][1], found, wanted);
            assert_true(found <= wanted && found >= wanted);
        }
    }
    print_message("%s, %g, %d: %.2g rtol, %g bounces, %g switches\n", solver, rtol, is_monolithic,
                  worst / rtol, value_of(sim, "ball.n"), value_of(sim, "heat.n"));
    assert_true(value_of(sim, "ball.n") > 2.5 && value_of(sim, "heat.n") > 2.5);
    wrsim_destroy(&sim);
}

TEST(equal_to_native)
{
    static const char *const solvers[] = {"bs32",        "rk43",         "dopri54",
                                          "rosenbrock",  "rosenbrock_w", "cvode_bdf",
                                          "cvode_adams", "lsoda",        "auto"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
        for (int is_tight = 0; is_tight < 2; is_tight++)
            for (int is_monolithic = 0; is_monolithic < 2; is_monolithic++)
                compare(solvers[k], is_tight ? 1e-7 : 1e-4, is_monolithic);
}
