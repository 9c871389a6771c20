/* Components: parameters, start values, and hostile descriptions. */
#include "fixture.h"
#include "subsystems/model_host/descriptor.h"
#include "tests/harness/wr_model.h"
#include "wr_test.h"

static const wrsim_variable tank_params[] = {
    {.name = "volume", .start = 2.0, .min = 0.1, .max = 10.0},
    {.name = "n_cells", .start = 1.0, .min = 1.0, .max = 5.0, .flags = WRSIM_INTEGER},
    {.name = "gas_constant", .flags = WRSIM_REQUIRED},
};
static int tank_describe(wrsim_instance *self, wrsim_description *to)
{
    const int n = (int)self->param[1];
    static const char *const names[] = {"p[0]", "p[1]", "p[2]", "p[3]", "p[4]"};
    for (int i = 0; i < n; i++)
        if (add_variable(to, WRSIM_STATE, names[i], 1.0 + i, 0, 0))
            return -1;
    to->data_bytes = 40;
    return add_variable(to, WRSIM_DISCRETE, "open", 0.0, 0, 0) ||
           add_variable(to, WRSIM_INPUT, "flow", 0.5, 0, 0) ||
           add_variable(to, WRSIM_OUTPUT, "p_out", 0.0, WRSIM_IS_STATE, n - 1) ||
           to->depends(to, WRSIM_X_X, 0, 0);
}
RHS(any_rhs) { ret_dx[0] = 0.0; }
static const wrsim_model tank = {MODEL_HEAD("tank"), .n_param = 3, .params = tank_params,
                                 .describe = tank_describe, .rhs = any_rhs};

TEST(parameters_and_starts)
{
    wr_diag diag = {0};
    const wr_assignment params[] = {{.name = "n_cells", .value = 3},
                                    {.name = "gas_constant", .value = 287}};
    const wr_assignment starts[] = {{.name = "p[1]", .value = 7}, {.name = "flow", .value = -1}};
    AUTO(wr_component_destroy)
    wr_component *c = wr_component_create("t", &tank, NULL, params, 2, starts, 2, &diag);
    assert_non_null(c);
    assert_int_equal(diag.n_items, 0);
    assert_int_equal(c->n[WRSIM_STATE], 3);
    assert_close(c->instance.param[0], 2.0, 0, 0);
    assert_close(c->instance.param[2], 287.0, 0, 0);
    assert_close(c->variable[WRSIM_STATE][1].start, 7.0, 0, 0);
    assert_close(c->variable[WRSIM_STATE][2].start, 3.0, 0, 0);
    assert_close(c->variable[WRSIM_STATE][2].nominal, 1.0, 0, 0);
    assert_close(c->variable[WRSIM_INPUT][0].start, -1.0, 0, 0);
    assert_int_equal(wr_component_find(c, WRSIM_STATE, "p[2]"), 2);
    assert_int_equal(wr_component_find(c, WRSIM_INPUT, "p[2]"), -1);
    assert_int_equal(wr_component_find(c, WRSIM_PARAMETER, "volume"), 0);
    assert_true(wr_component_depends(c, WRSIM_X_X, 0, 0));
    assert_false(wr_component_depends(c, WRSIM_X_X, 0, 1)); /* the declared pattern lacks it */
    assert_true(wr_component_depends(c, WRSIM_U_X, 2, 0));  /* an undeclared pattern is full */
    assert_true(wr_component_depends(c, WRSIM_X_Y, 0, 2));  /* an output that is a state */
    assert_false(wr_component_depends(c, WRSIM_X_Y, 0, 1));
    assert_false(wr_component_depends(c, WRSIM_U_Y, 0, 0));
    assert_false(wr_component_depends(c, WRSIM_X_X, 0, 9));
    wr_component_destroy(&c);
    assert_null(c);
}

TEST(wrong_assignments)
{
    static const wr_assignment rows[] = {
        {.name = "gas_constnt", .value = 1},      {.name = "volume", .value = 11},
        {.name = "volume", .value = (double)NAN}, {.name = "n_cells", .value = 2.5},
        {.name = "gas_constant", .value = 1},
    };
    static const char *const words[][3] = {
        {"has no parameter 'gas_constnt'", "did you mean 'gas_constant'?", "'t'"},
        {"volume = 11 is outside its range 0.1 to 10", "'t'", ""},
        {"volume", "finite", "t"},
        {"n_cells = 2.5 must be a whole number", "'t'", ""},
        {"gas_constant", "twice", "t"}};
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        const wr_where where = {.file = "x.toml", .line = (int)i + 1, .column = 3};
        wr_assignment params[2] = {{.name = "gas_constant", .value = 1}, rows[i]};
        params[1].where = where;
        assert_null(wr_component_create("t", &tank, NULL, params, 2, NULL, 0, &diag));
        EXPECT_ERROR(&diag, WRSIM_E_CONFIG, words[i][0], words[i][1], words[i][2]);
        assert_int_equal(diag.items[0].line, (int)i + 1);
        assert_string_equal(diag.items[0].file, "x.toml");
    }
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_component_create("t", &tank, NULL, NULL, 0, NULL, 0, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_CONFIG, "needs a value for parameter 'gas_constant'");
    wr_diag_done(&diag);
    const wr_assignment given = {.name = "gas_constant", .value = 1};
    const wr_assignment start = {.name = "flwo", .value = 1};
    assert_null(wr_component_create("t", &tank, NULL, &given, 1, &start, 1, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_CONFIG, "'flwo'", "did you mean 'flow'");
}

/* describe() receives at least one parameter of each type. */
static const char *const speeds[] = {"slow", "fast", "very.fast", NULL};
static const wrsim_variable typed_params[] = {
    {.name = "real", .start = 2.5},
    {.name = "whole", .start = 3.0, .flags = WRSIM_INTEGER},
    {.name = "is_on", .start = 1.0, .flags = WRSIM_BOOLEAN},
    {.name = "file", .flags = WRSIM_TEXT, .text = "map.txt"},
    {.name = "note", .flags = WRSIM_TEXT},
    {.name = "speed", .start = 1.0, .choices = speeds},
};
enum { REAL, WHOLE, IS_ON, FILE_NAME, NOTE, SPEED, N_TYPED };

static int typed_describe(wrsim_instance *self, wrsim_description *to)
{
    if (self->text[REAL] || self->text[SPEED] || !self->text[FILE_NAME] || !self->text[NOTE])
        return -1;
    return add_variable(to, WRSIM_STATE, "x", self->param[SPEED], 0, 0);
}
static const wrsim_model typed = {MODEL_HEAD("typed"), .n_param = N_TYPED, .params = typed_params,
                                  .describe = typed_describe, .rhs = any_rhs};

TEST(types_of_parameters)
{
    wr_diag diag = {0};
    AUTO(wr_component_destroy)
    wr_component *c = wr_component_create("c", &typed, NULL, NULL, 0, NULL, 0, &diag);
    assert_non_null(c);
    assert_string_equal(c->instance.text[FILE_NAME], "map.txt");
    assert_string_equal(c->instance.text[NOTE], "");
    assert_close(c->instance.param[IS_ON], 1.0, 0, 0);
    wr_component_destroy(&c);
    char long_text[5000]; /* stored without change */
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    const wr_assignment params[] = {{.name = "is_on", .is_flag = 1, .value = 0.0},
                                    {.name = "file", .text = long_text},
                                    {.name = "note", .text = ""},
                                    {.name = "speed", .text = "very.fast"},
                                    {.name = "real", .value = -1.0}};
    c = wr_component_create("c", &typed, NULL, params, 5, NULL, 0, &diag);
    assert_non_null(c);
    assert_int_equal(diag.n_items, 0);
    assert_close(c->instance.param[REAL], -1.0, 0, 0);
    assert_close(c->instance.param[WHOLE], 3.0, 0, 0);
    assert_close(c->instance.param[IS_ON], 0.0, 0, 0);
    assert_close(c->instance.param[FILE_NAME], 0.0, 0, 0);
    assert_close(c->instance.param[SPEED], 2.0, 0, 0);
    assert_string_equal(c->instance.text[FILE_NAME], long_text);
}

/* Each type in place of another type; the error has the place of the parameter. */
TEST(wrong_types_of_parameters)
{
    static const struct {
        wr_assignment given;
        const char *says;
    } cases[] = {
        {{.name = "real", .text = "1,5", .number_hint = "; like 20"},
         "'real' must be a number, but is the text \"1,5\"; like 20"},
        {{.name = "real", .is_flag = 1, .value = 1.0}, "'real' must be a number, but is true"},
        {{.name = "whole", .text = "x"}, "'whole' must be a number, but is the text \"x\""},
        {{.name = "is_on", .value = 1.0}, "'is_on' must be true or false, but is 1"},
        {{.name = "is_on", .text = "true"}, "must be true or false, but is the text \"true\""},
        {{.name = "file", .value = 12.0}, "'file' must be a text in quotes, but is 12"},
        {{.name = "speed", .value = 1.0},
         "'speed' must be the name of one of its values, in quotes, but is 1"},
        {{.name = "speed", .is_flag = 1},
         "must be the name of one of its values, in quotes, but is false"},
        {{.name = "speed", .text = "fsat"}, "'speed' has no value 'fsat'; did you mean 'fast'?"},
        {{.name = "speed", .text = "?"}, "no value '?'; choose one of: slow, fast, very.fast"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        wr_assignment given = cases[i].given;
        given.where = (wr_where){.file = "x.toml", .line = 7, .column = 3};
        assert_null(wr_component_create("c", &typed, NULL, &given, 1, NULL, 0, &diag));
        EXPECT_ERROR(&diag, WRSIM_E_CONFIG, "component 'c'", cases[i].says);
        assert_int_equal(diag.items[0].line, 7);
    }
    const wr_assignment twice[] = {{.name = "note", .text = "a"}, {.name = "note", .text = "b"}};
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_component_create("c", &typed, NULL, twice, 2, NULL, 0, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_CONFIG, "note = \"b\" is given twice");
}

TEST(hostile_types_are_refused)
{
    static const char *const none[] = {NULL}, *const twice[] = {"a", "b", "a", NULL};
    static const char *const no_name[] = {"a", "b c", NULL};
    static const struct {
        wrsim_variable param;
        const char *says;
    } cases[] = {
        {{.name = "p", .flags = WRSIM_TEXT | WRSIM_INTEGER}, "several types"},
        {{.name = "p", .flags = WRSIM_BOOLEAN, .choices = speeds}, "several types"},
        {{.name = "p", .text = "t"}, "not the flag WRSIM_TEXT"},
        {{.name = "p", .flags = WRSIM_BOOLEAN, .start = 2.0}, "not a value of its type"},
        {{.name = "p", .flags = WRSIM_BOOLEAN, .start = 0.5}, "not a value of its type"},
        {{.name = "p", .flags = WRSIM_TEXT, .start = 1.0}, "not a value of its type"},
        {{.name = "p", .start = 3.0, .choices = speeds}, "not a value of its type"},
        {{.name = "p", .start = -1.0, .choices = speeds}, "not a value of its type"},
        {{.name = "p", .max = 1.0, .choices = speeds}, "limits"},
        {{.name = "p", .choices = none}, "no choices"},
        {{.name = "p", .choices = twice}, "the same choice twice"},
        {{.name = "p", .choices = no_name}, "a choice that is not a valid name"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        char text[256];
        wrsim_model model = typed;
        model.n_param = 1;
        model.params = &cases[i].param;
        assert_true(wr_model_check(&model, text, sizeof text) < 0);
        if (!strstr(text, cases[i].says) || !strstr(text, "'p' of model 'typed'"))
            fail_msg("%s", text);
    }
}

/* One hostile description per number in param[0]. */
static const wrsim_variable which_param[] = {{.name = "which"}};
static int hostile_describe(wrsim_instance *self, wrsim_description *to)
{
    static char long_name[500];
    memset(long_name, 'a', sizeof long_name - 1);
    wrsim_variable v = {.name = "x"};
    switch ((int)self->param[0]) {
    case 0:
        return 1;
    case 1:
        self->message = "no luck";
        return -1;
    case 2:
        return to->add(to, (wrsim_kind)77, &v);
    case 3:
        return to->add(to, WRSIM_STATE, NULL);
    case 4:
        v.name = NULL;
        return to->add(to, WRSIM_STATE, &v);
    case 5:
        v.name = "a\tb";
        return to->add(to, WRSIM_STATE, &v);
    case 6:
        v.name = long_name;
        return to->add(to, WRSIM_STATE, &v);
    case 7:
        v.start = (double)NAN;
        return to->add(to, WRSIM_STATE, &v);
    case 8:
        v.nominal = -1;
        return to->add(to, WRSIM_STATE, &v);
    case 9:
        v.flags = 0x8000;
        return to->add(to, WRSIM_STATE, &v);
    case 10:
        v.flags = WRSIM_RISING_ONLY | WRSIM_FALLING_ONLY;
        return to->add(to, WRSIM_INDICATOR, &v);
    case 11:
        v.flags = WRSIM_IS_STATE;
        v.index = 3;
        to->add(to, WRSIM_OUTPUT, &v); /* the return value is ignored on purpose */
        return 0;
    case 12:
        return to->depends(to, WRSIM_X_X, 4, 4);
    case 13:
        return to->depends(to, WRSIM_X_X, -3, 0);
    case 14:
        return to->depends(to, (wrsim_pattern)99, 0, 0);
    case 15:
        to->n_w = -5;
        return 0;
    case 16:
        to->data_bytes = (size_t)-1;
        return 0;
    case 17:
        return to->add(to, WRSIM_STATE, &v); /* no rhs */
    case 18:
        return to->add(to, WRSIM_OUTPUT, &v); /* no output */
    case 19:
        to->n_w = 3; /* no algebra */
        return 0;
    case 20:
        return to->add(to, WRSIM_INDICATOR, &v); /* no indicator */
    case 21:
        for (int i = 0; i < 1000; i++)
            to->add(to, WRSIM_PARAMETER, &v); /* each call has an error */
        return 0;
    case 22:
        to->add(to, WRSIM_INPUT, &v);
        return to->add(to, WRSIM_DISCRETE, &v);
    case 23:
        to->mass(to, 0, 0, 1.0); /* the model has no states */
        return 0;
    case 24:
        to->mass(to, -1, 0, 1.0);
        return 0;
    case 25:
        return to->mass(to, 0, 0, (double)NAN);
    case 26:
        return to->port(to, -1, 2);
    case 27:
        return to->port(to, 0, 0);
    case 28:
        to->add(to, WRSIM_INPUT, &v);
        return to->port(to, 0, 2);
    case 29:
        to->add(to, WRSIM_INPUT, &v);
        to->port(to, 0, 1);
        return to->port(to, 0, 1);
    case 30:
        while (to->add(to, WRSIM_INPUT, &v) == 0)
            ;
        return -1;
    default:
        return 0;
    }
}
static const wrsim_model hostile = {MODEL_HEAD("hostile"), .n_param = 1, .params = which_param,
                                    .describe = hostile_describe};

TEST(hostile_descriptions_give_one_clear_error)
{
    static const char *const word[] = {
        "unknown reason (describe() returned 1); debug the model",
        "no luck",
        "kind",
        "kind",
        "valid name",
        "state number 0 has no valid name",
        "valid name",
        "a start value that is not finite",
        "a nominal value that is negative or not finite",
        "unknown flags",
        "both",
        "state 3, but the model has 0 states",
        "pattern X_X has element (4, 4) but is",
        "negative",
        "pattern",
        "n_w",
        "requests more than 1 GiB of data",
        "has states but no rhs callback",
        "has outputs but no output callback",
        "has n_w > 0 but no algebra callback",
        "has indicators but no indicator callback",
        "a variable of an unknown kind",
        "discrete state 0 and input 0, numbered from 0, are both named 'x'",
        "is 0 x 0",
        "mass matrix",
        "mass matrix",
        "port",
        "port",
        "beyond",
        "shares",
        "more than 1000000 variables of kind input"};
    for (size_t i = 0; i < WR_COUNT_OF(word); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        const wr_assignment which = {.name = "which", .value = (double)i};
        assert_null(wr_component_create("h", &hostile, NULL, &which, 1, NULL, 0, &diag));
        assert_true(diag.n_items >= 1 && diag.n_items <= 10);
        assert_int_equal(diag.items[0].status, WRSIM_E_MODEL);
        if (!strstr(diag.items[0].text, word[i]))
            print_error("%zu: %s\n", i, diag.items[0].text);
        assert_non_null(strstr(diag.items[0].text, word[i]));
        assert_non_null(strstr(diag.items[0].text, "'h'"));
    }
    /* An empty model is valid. */
    wr_diag diag = {0};
    const wr_assignment which = {.name = "which", .value = 99};
    AUTO(wr_component_destroy)
    wr_component *c = wr_component_create("h", &hostile, NULL, &which, 1, NULL, 0, &diag);
    assert_non_null(c);
}

TEST(hostile_descriptors_are_refused)
{
    const wrsim_variable bad_default[] = {{.name = "a", .start = 5, .min = 0, .max = 1}};
    const wrsim_variable bad_range[] = {{.name = "a", .min = 2, .max = 1}};
    const wrsim_variable twice[] = {{.name = "a"}, {.name = "a"}};
    const wrsim_variable nan_default[] = {{.name = "a", .start = (double)NAN}};
    const wrsim_variable unnamed[] = {{.name = NULL}};
    const wrsim_variable flagged[] = {{.name = "a", .flags = WRSIM_IS_STATE}};
    struct {
        wrsim_model model;
        const char *word;
    } rows[] = {
        {hostile, "the model has ABI 99, but this wrsim has ABI 3; compile the model again"},
        {hostile, "move keep() and go_back() of a stepper to wrsim_own_state"},
        {hostile, "a model's descriptor has 8 bytes instead of"},
        {hostile, "a model has no valid name"},
        {hostile, "a model has no valid name"},
        {hostile, "declares unknown capabilities 0x80000000"},
        {hostile, "has no describe callback"},
        {hostile, "n_param = -1"},
        {hostile, "n_param = 10001"},
        {hostile, "has parameters but no parameter table"},
        {hostile, "has a default outside its own limits"},
        {hostile, "has min = 2 above max = 1 (0 if missing); correct min or max"},
        {hostile, "is declared twice"},
        {hostile, "not finite"},
        {hostile, "no valid name"},
        {hostile, "unknown flags"},
        {hostile, "has .abi = 0; set .abi = WRSIM_MODEL_ABI"},
        {hostile, "has .struct_size = 0; set .struct_size = sizeof(wrsim_model)"},
        {hostile, "has params, but n_param = 0"},
    };
    rows[16].model.abi = rows[17].model.struct_size = 0;
    rows[18].model.n_param = 0;
    rows[18].model.params = twice;
    rows[0].model.abi = 99;
    rows[1].model.abi = 2;
    rows[2].model.struct_size = 8;
    rows[3].model.name = NULL;
    rows[4].model.name = "a\nb";
    rows[5].model.caps = 1u << 31;
    rows[6].model.describe = NULL;
    rows[7].model.n_param = -1;
    rows[8].model.n_param = 10001;
    rows[9].model.params = NULL;
    rows[10].model.params = bad_default;
    rows[11].model.params = bad_range;
    rows[12].model.params = twice;
    rows[12].model.n_param = 2;
    rows[13].model.params = nan_default;
    rows[14].model.params = unnamed;
    rows[15].model.params = flagged;
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++) {
        char text[256] = "";
        assert_true(wr_model_check(&rows[i].model, text, sizeof text) < 0);
        if (!strstr(text, rows[i].word))
            print_error("%zu: %s\n", i, text);
        assert_non_null(strstr(text, rows[i].word));
        AUTO(wr_diag_done) wr_diag diag = {0};
        assert_null(wr_component_create("h", &rows[i].model, NULL, NULL, 0, NULL, 0, &diag));
        EXPECT_ERROR(&diag, WRSIM_E_MODEL, rows[i].word);
    }
    char text[256];
    assert_true(wr_model_check(NULL, text, sizeof text) < 0);
    assert_int_equal(wr_model_check(&hostile, text, sizeof text), 0);
}

static int mass_describe(wrsim_instance *self, wrsim_description *to)
{
    if (add_variable(to, WRSIM_STATE, "a", 0.0, 0, 0) ||
        add_variable(to, WRSIM_STATE, "b", 0.0, 0, 0))
        return -1;
    to->mass(to, 1, 0, 2.0);
    return self->param[0] > 0.5 ? to->mass(to, 1, 0, 3.0) : to->mass(to, 1, 1, -1.0);
}
static const wrsim_model heavy = {MODEL_HEAD("heavy"), .n_param = 1, .params = which_param,
                                  .describe = mass_describe, .rhs = any_rhs};

TEST(mass_matrices)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    wr_assignment which = {.name = "which", .value = 0.0};
    wr_component *c = wr_component_create("h", &heavy, NULL, &which, 1, NULL, 0, &diag);
    assert_non_null(c);
    assert_int_equal(c->mass.n, 2);
    assert_true(c->mass.row[1] == 1 && c->mass.column[1] == 1);
    assert_close(c->mass.value[1], -1.0, 0, 0);
    wr_component_destroy(&c);
    which.value = 1.0;
    assert_null(wr_component_create("h", &heavy, NULL, &which, 1, NULL, 0, &diag));
    EXPECT_ERROR(&diag, WRSIM_E_MODEL, "(1, 0) of the mass matrix is set twice");
}
