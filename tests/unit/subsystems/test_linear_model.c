/* State-space files: a valid file with values computed by hand, and every kind of invalid file. */
#include "fixture.h"
#include "subsystems/model_files/model_files.h"
#include "subsystems/model_host/linear_model.h"
#include "wr_test.h"

static char path[64];

static void write_file(const char *text)
{
    strcpy(path, "/tmp/wr_test_linear_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *const file = fdopen(fd, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char good[] = "wrsim state space 1\n"
                           "# a comment\n"
                           "model two_tanks\n"
                           "\n"
                           "states 2\n"
                           "state 2 0.5\n"
                           "input in kg/s 2 1.5\n"
                           "input spare - 0 0\n"
                           "output level m 0 3\n"
                           "A 1 1 -1\n"
                           "A 2 1 1\r\n"
                           "A 2 2 -2\n"
                           "B 1 1 4\n"
                           "C 1 2 10\n"
                           "D 1 1 0.25\n"
                           "rate 2 0.125\n";

TEST(good_file)
{
    wr_diag diag = {0};
    write_file(good);
    wr_model_files *provided = wr_model_files_open(path, NULL, &diag);
    remove(path);
    assert_non_null(provided);
    const wrsim_model *const model = wr_model_files_models(provided)[0];
    assert_string_equal(model->name, "two_tanks");
    wr_component *c = wr_component_create("c", model, NULL, NULL, 0, NULL, 0, &diag);
    assert_non_null(c);
    assert_int_equal(c->n[WRSIM_STATE], 2);
    assert_close(c->variable[WRSIM_STATE][0].nominal, 1.0, 0, 0);
    assert_close(c->variable[WRSIM_STATE][1].nominal, 0.5, 0, 0);
    assert_string_equal(c->variable[WRSIM_INPUT][0].unit, "kg/s");
    assert_close(c->variable[WRSIM_INPUT][0].start, 1.5, 0, 0);
    assert_string_equal(c->variable[WRSIM_INPUT][1].unit, "");
    assert_false(c->variable[WRSIM_INPUT][1].is_nominal_declared);
    assert_true(wr_component_depends(c, WRSIM_U_Y, 0, 0));
    assert_false(wr_component_depends(c, WRSIM_U_Y, 0, 1));
    assert_false(wr_component_depends(c, WRSIM_X_X, 0, 1));
    const double x[] = {3.0, 5.0}, u[] = {2.5, 7.0}, dx[] = {1.0, 2.0}, du[] = {10.0, 1.0};
    const wrsim_point at = {.x = x, .u = u};
    double ret[2], jac[3], y = 0.0;
    assert_int_equal(model->rhs(&c->instance, &at, ret), 0);
    assert_close(ret[0], -3.0 + 4.0 * (2.5 - 1.5), 0, 0);
    assert_close(ret[1], 3.0 - 2.0 * 5.0 + 0.125, 0, 0);
    assert_int_equal(model->output(&c->instance, &at, &y), 0);
    assert_close(y, 3.0 + 10.0 * 5.0 + 0.25 * (2.5 - 1.5), 0, 0);
    assert_int_equal(model->jacobian_sparse(&c->instance, &at, jac), 0);
    assert_close(jac[0], -1.0, 0, 0);
    assert_close(jac[1], 1.0, 0, 0);
    assert_close(jac[2], -2.0, 0, 0);
    assert_int_equal(model->tangent(&c->instance, &at, dx, du, ret), 0);
    assert_close(ret[0], -1.0 + 40.0, 0, 0);
    assert_close(ret[1], 1.0 - 4.0, 0, 0);
    assert_int_equal(model->tangent_output(&c->instance, &at, dx, du, &y), 0);
    assert_close(y, 20.0 + 2.5, 0, 0);
    wr_component_destroy(&c);
    wr_model_files_close(&provided);
    assert_int_equal(diag.n_items, 0);
}

/* The head of the valid file; tests append lines. */
#define HEAD "wrsim state space 1\nmodel m\nstates 2\ninput u - 0 0\noutput y - 0 0\n"

TEST(bad_files)
{
    static const struct {
        const char *text;
        int line;
        const char *word;
    } cases[] = {
        {"wrsim state space 2\n", 1, "write the file in this format"},
        {"wrsim state space 1", 1, "write the file in this format"},
        {"wrsim state space 1\nstates 1\n", 0, "no line 'model NAME'"},
        {"wrsim state space 1\nmodel m\n", 0, "no line 'states N'"},
        {"wrsim state space 1\nmodel m\nmodel n\n", 3, "a second line 'model'"},
        {"wrsim state space 1\nmodel m\nstates -1\n", 3, "'-1' is not a valid number of states"},
        {"wrsim state space 1\nmodel m\nstates 0\nstate 1 1\n", 4,
         "'1' is not a valid state, because the model has none"},
        {"wrsim state space 1\nmodel m\nstates 1\nB 1 1 1\n", 4,
         "'1' is not a valid column, because the model has none"},
        {"wrsim state space 1\nmodel m\nstates 100001\n", 3, "from 1 to 100000"},
        {"wrsim state space 1\nmodel m\nA 1 1 2\n", 3, "'states N' is not above this line"},
        {"wrsim state space 1\nmodel m n\n", 2, "must have 2 words, but has 3"},
        {HEAD "A 1 3 2\n", 6, "'3' is not a valid column"},
        {HEAD "A 0 1 2\n", 6, "'0' is not a valid row"},
        {HEAD "A 1.5 1 2\n", 6, "'1.5' is not a valid row; write a whole number from 1 to 2"},
        {HEAD "A 1 1 nan\n", 6, "'nan' is not a finite number"},
        {HEAD "A 1 1 1e999\n", 6, "is not a finite number"},
        {HEAD "A 1 1 1x\n", 6, "is not a finite number"},
        {HEAD "A 1 1\n", 6, "must have 4 words, but has 3"},
        {HEAD "A 1 1 1 1 1 1 1\n", 6, "must have 4 words, but has 8"},
        {HEAD "A 1 1 1\nB 1 1 1\nA 1 1 1\n", 8, "this entry is also in line 6"},
        {HEAD "C 2 1 1\n", 6, "'2' is not a valid row"},
        {HEAD "D 1 2 1\n", 6, "'2' is not a valid column"},
        {HEAD "E 1 1 1\n", 6, "the first word 'E' is unknown"},
        {HEAD "states 3\n", 6, "a second line 'states'"},
        {HEAD "state 3 1\n", 6, "'3' is not a valid state; write a whole number from 1 to 2"},
        {HEAD "state 1 1\nstate 1 1\n", 7, "a second nominal value of this state"},
        {HEAD "state 1 nan\n", 6, "'nan' is not a finite number"},
        {HEAD "state 1 0\n", 6, "must be above 0"},
        {HEAD "input v - -1 0\n", 6, "must be at least 0"},
        {HEAD "rate 3 1\n", 6, "'3' is not a valid state"},
        {HEAD "rate 1 0\nrate 1 0\n", 7, "a second rate of this state"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        write_file(cases[i].text);
        assert_null(wr_model_files_open(path, NULL, &diag));
        remove(path);
        if (diag.n_items != 1 || !strstr(diag.items[0].text, cases[i].word) ||
            diag.items[0].line != cases[i].line || strcmp(diag.items[0].file, path) != 0)
            fail_msg("case %d: %d errors, %s:%d: %s", (int)i, diag.n_items,
                     diag.n_items ? diag.items[0].file : "", diag.n_items ? diag.items[0].line : 0,
                     diag.n_items ? diag.items[0].text : "");
    }
}

/* The outputs of a model without states depend on the inputs only. */
TEST(no_states)
{
    wr_diag diag = {0};
    write_file(
        "wrsim state space 1\nmodel gain\nstates 0\ninput u V 1 1\noutput y V 1 2\nD 1 1 3\n");
    AUTO(wr_model_files_close) wr_model_files *provided = wr_model_files_open(path, NULL, &diag);
    remove(path);
    assert_non_null(provided);
    const wrsim_model *const model = wr_model_files_models(provided)[0];
    AUTO(wr_component_destroy)
    wr_component *c = wr_component_create("c", model, NULL, NULL, 0, NULL, 0, &diag);
    assert_non_null(c);
    const double u = 5.0;
    const wrsim_point at = {.u = &u};
    double y = 0.0;
    assert_int_equal(model->output(&c->instance, &at, &y), 0);
    assert_close(y, 2.0 + 3.0 * 4.0, 0, 0);
}

/* Linear models have the name check of all models. */
TEST(names)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    write_file("wrsim state space 1\nmodel 7up\nstates 0\n");
    assert_null(wr_model_files_open(path, NULL, &diag));
    remove(path);
    EXPECT_ERROR(&diag, WRSIM_E_PLUGIN, path, "no valid name");
}
