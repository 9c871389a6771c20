/* Tests of start values from inputs (init_from_inputs() of wrsim/model.h), also in loops of such values and of outputs across
 * subsystems. */
#include "wr_model.h"
#include "wr_test.h"

#include <wrsim/wrsim.h>

/* x begins at base + gain u, and the mode of the indicator is then the sign of x. */
enum { BASE, GAIN, DIRECT, N_PARAM };
static const wrsim_variable params[N_PARAM] = {
    {.name = "base", .start = 1.0}, {.name = "gain", .start = 0.5}, {.name = "direct"}};

DECLARE(describe, "state: x=100 discrete: d mode input: u output: y x:0 indicator: z timeless")

static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    x[0] = self->param[BASE] + self->param[GAIN] * at->u[0];
    d[0] = 2.0 * x[0];
    return 0;
}

RHS(rhs) { ret_dx[0] = 0.1 * (at->d[0] - 2.0 * at->x[0]); }
OUTPUTS(output) { ret_y[0] = at->x[0] + self->param[DIRECT] * at->u[0]; }
INDICATORS(indicator) { ret_z[0] = at->x[0]; }

EVENT(event)
{
    if (what->is_initial)
        d[1] = at->mode[0] ? 1.0 : -1.0;
}

static const wrsim_model model = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "test.start",
                                  .n_param = N_PARAM,
                                  .params = params,
                                  .describe = describe,
                                  .rhs = rhs,
                                  .output = output,
                                  .indicator = indicator,
                                  .event = event,
                                  .init_from_inputs = init_from_inputs};
static const wrsim_model *const models[] = {&model, NULL};

enum { N = 3 };

/* Starts a ring of N components. is_apart: each component is a subsystem; else one subsystem has all components. */
static wrsim *start(const double param[N][N_PARAM], int is_apart, const char *scheme,
                    wrsim_error *err)
{
    char text[2048], *at = text;
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    const wrsim_host host = {.size_bytes = sizeof host, .models = models};
    at += sprintf(at,
                  "[simulation]\nstop = 1.0\nmonolithic = %s\n[output]\nfile = \"\"\n"
                  "[relaxation]\nscheme = \"%s\"\n",
                  is_apart ? "false" : "true", scheme);
    for (int i = 0; i < N; i++)
        at += sprintf(at,
                      "[[component]]\nname = \"c%d\"\nmodel = \"test.start\"\n"
                      "parameters = { base = %.17g, gain = %.17g, direct = %.17g }\n"
                      "[[connection]]\nfrom = \"c%d.y\"\nto = \"c%d.u\"\n",
                      i, param[i][BASE], param[i][GAIN], param[i][DIRECT], (i + 1) % N, i);
    for (int i = 0; i < N; i++)
        at += sprintf(at, "[[subsystem]]\nname = \"s%d\"\ncomponents = [\"c%d\"]\n", i, i);
    if (wrsim_config_from_text(text, strlen(text), "start.toml", NULL, 0, NULL, NULL, &config,
                               err) < 0 ||
        wrsim_create_hosted(config, &host, NULL, NULL, &sim, err) < 0 ||
        wrsim_prepare(sim, err) < 0)
        print_message("%s\n", err->text);
    wrsim_config_destroy(&config);
    return sim;
}

/* Solves the start values by elimination: u_i = y_(i+1), y_i = x_i + direct u_i, x_i = base + gain u_i. */
static void solve(const double param[N][N_PARAM], double *ret_x)
{
    double share[N], base[N]; /* y_i = base_i + share_i u_i */
    for (int i = 0; i < N; i++) {
        base[i] = param[i][BASE];
        share[i] = param[i][GAIN] + param[i][DIRECT];
    }
    const double y0 = (base[0] + share[0] * (base[1] + share[1] * base[2])) /
                      (1.0 - share[0] * share[1] * share[2]);
    const double y2 = base[2] + share[2] * y0, y1 = base[1] + share[1] * y2;
    const double u[] = {y1, y2, y0};
    for (int i = 0; i < N; i++)
        ret_x[i] = param[i][BASE] + param[i][GAIN] * u[i];
}

TEST(start_values)
{
    static const double param[][N][N_PARAM] = {
        {{1.0, 0.5, 0.0}, {-2.0, 0.25, 0.0}, {3.0, 0.0, 0.0}},   /* a chain */
        {{1.0, 0.5, 0.0}, {-2.0, 0.25, 0.0}, {3.0, -0.75, 0.0}}, /* a loop of start values */
        {{1.0, 0.5, 0.5}, {-2.0, 0.25, 0.5}, {3.0, -0.5, -0.25}} /* both loops */
    };
    static const char *const schemes[] = {"jacobi", "gauss_seidel", "slack"};
    for (int k = 0; k < 9 + 3; k++) {
        const int i = k % 3, is_apart = k < 9;
        double x[N];
        wrsim_error err = {0};
        wrsim *sim = start(param[i], is_apart, schemes[k / 3 % 3], &err);
        assert_int_equal(err.status, WRSIM_OK);
        solve(param[i], x);
        for (int c = 0; c < N; c++) {
            static const char *const names[N][3] = {{"c0.x", "c0.d", "c0.mode"},
                                                    {"c1.x", "c1.d", "c1.mode"},
                                                    {"c2.x", "c2.d", "c2.mode"}};
            double value[3];
            for (int j = 0; j < 3; j++)
                value[j] = wrsim_get(sim, wrsim_find(sim, names[c][j]));
            print_message("%d: %.17g, expected %.17g\n", k, value[0], x[c]);
            assert_true(fabs(value[0] - x[c]) < 1e-9);
            assert_true(fabs(value[1] - 2.0 * x[c]) < 1e-9);
            assert_true(value[2] * x[c] > 0.0);
        }
        assert_int_equal(wrsim_run(sim, &err), WRSIM_OK);
        wrsim_destroy(&sim);
    }
}

/* Start values that do not settle end with one sentence. */
TEST(endless)
{
    static const double param[N][N_PARAM] = {{1.0, 1.5, 0.0}, {1.0, 1.5, 0.0}, {1.0, 1.5, 0.0}};
    wrsim_error err = {0};
    wrsim *sim = start(param, 1, "jacobi", &err);
    assert_int_equal(err.status, WRSIM_E_CONTRACT);
    assert_non_null(strstr(err.text, "do not settle"));
    wrsim_destroy(&sim);
    err = (wrsim_error){0};
    sim = start(param, 0, "jacobi", &err);
    assert_int_equal(err.status, WRSIM_E_CONTRACT);
    wrsim_destroy(&sim);
}
