/* Incidence of random models. The detected entries are exactly the true entries. Declared entries are composed over
 * connections. An entry that a model does not declare is found and named. */
#include "wr_test.h"

#include "offline/structure/incidence.h"
#include "offline/structure/survey.h"
#include "offline/structure/walk.h"
#include "structure_truth.h"
#include "wrsim/wrsim.h"

static wrsim_config *config_of(const char *components)
{
    char text[4096];
    const char *const *const overrides = wr_walk_overrides;
    int n = 0;
    while (overrides[n])
        n++;
    snprintf(text, sizeof text,
             "[simulation]\nstop = 0.02\ncommunication_step = 0.002\nrtol = 1e-6\n"
             "[[plugin]]\nfile = \"%s\"\n%s",
             wr_test_arg(1), components);
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    if (wrsim_config_from_text(text, strlen(text), "text.toml", overrides, n, NULL, NULL, &config,
                               &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    return config;
}

static wr_survey survey_of(const char *components, int n_time)
{
    wr_survey survey = {0};
    wrsim_error err = {0};
    wrsim_config *config = config_of(components);
    double *const time_s = wr_walk_times(config, n_time);
    const wr_survey_request request = {.time_s = time_s, .n_time = n_time};
    if (wr_survey_run(config, &request, &survey, NULL, NULL, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    free(time_s);
    wrsim_config_destroy(&config);
    return survey;
}

/* Relation of each pattern of the truth. */
static const wr_relation relation_of[TRUTH_COUNT] = {
    [WRSIM_X_X] = WR_X_DX, [WRSIM_U_X] = WR_U_DX, [WRSIM_X_Y] = WR_X_Y,  [WRSIM_U_Y] = WR_U_Y,
    [WRSIM_X_Z] = WR_X_Z,  [WRSIM_U_Z] = WR_U_Z,  [WRSIM_Z_D] = WR_Z_D,  [WRSIM_D_X] = WR_D_DX,
    [WRSIM_D_Z] = WR_D_Z,  [TRUTH_D_Y] = WR_D_Y,  [TRUTH_M_X] = WR_M_DX, [TRUTH_M_Z] = WR_M_Z,
    [TRUTH_Z_X] = WR_Z_X,
};

static int assert_truth(const wr_survey_part *p, const truth *t)
{
    int n_entry = 0;
    for (int r = 0; r < TRUTH_COUNT; r++)
        for (int i = 0; i < t->n[truth_shapes[r].row]; i++)
            for (int j = 0; j < t->n[truth_shapes[r].column]; j++) {
                const int has = truth_has(t, r, i, j), relation = relation_of[r];
                const int is_found = wr_matrix_find(p->detected.at[relation], i, j) >= 0;
                if (is_found != has)
                    print_error("seed %d: %s (%d, %d) is %d, found %d\n", t->seed,
                                wr_relations[relation].arrow, i, j, has, is_found);
                assert_int_equal(is_found, has);
                if (r < WRSIM_PATTERN_COUNT) {
                    assert_int_equal(wr_matrix_find(p->declared.at[relation], i, j) >= 0, has);
                    n_entry += has;
                }
            }
    return n_entry;
}

TEST(detected_entries_are_the_true_entries)
{
    for (int seed = 1; seed <= 60; seed++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "[[component]]\nname = \"a\"\nmodel = \"test.structure\"\nparameters = { seed = %d }\n",
            seed);
        AUTO(wr_survey_done) wr_survey s = survey_of(text, 4);
        const truth t = truth_of(seed);
        assert_truth(&s.part[0], &t);
        assert_int_equal(s.n_undeclared, 0);
    }
}

TEST(undeclared_entries_are_found)
{
    for (int seed = 1; seed <= 20; seed++) {
        const truth t = truth_of(seed);
        int n = 0;
        for (int r = 0; r < WRSIM_PATTERN_COUNT; r++)
            for (int i = 0; i < t.n[truth_shapes[r].row]; i++)
                for (int j = 0; j < t.n[truth_shapes[r].column]; j++)
                    n += truth_has(&t, r, i, j);
        char text[256];
        const int wrong = n > 0 ? (7 * seed) % n : 0;
        snprintf(text, sizeof text,
                 "[[component]]\nname = \"a\"\nmodel = \"test.structure\"\n"
                 "parameters = { seed = %d, wrong = %d }\n",
                 seed, wrong);
        AUTO(wr_survey_done) wr_survey s = survey_of(text, 4);
        if (s.n_undeclared != (n > 0))
            print_error("seed %d wrong %d of %d: %d\n", seed, wrong, n, s.n_undeclared);
        assert_int_equal(s.n_undeclared, n > 0);
        int k = 0;
        for (int r = 0; r < WRSIM_PATTERN_COUNT; r++)
            for (int i = 0; i < t.n[truth_shapes[r].row]; i++)
                for (int j = 0; j < t.n[truth_shapes[r].column]; j++)
                    if (truth_has(&t, r, i, j) && k++ == wrong)
                        assert_true(wr_matrix_find(s.part[0].undeclared[r], i, j) >= 0);
    }
}

/* If every change of a state gives derivatives that are NaN, the survey finds no entry of this state and reports the state. */
TEST(unchangeable_entries_are_reported)
{
    AUTO(wr_survey_done)
    wr_survey s = survey_of("[solver]\nkind = \"euler\"\nstep = 1e-3\n"
                            "[[component]]\nname = \"a\"\nmodel = \"test.narrow\"\n",
                            3);
    const wr_incidence_set *const found = &s.part[0].detected;
    assert_int_equal(found->n_refused, 3 * 4);
    assert_int_equal(found->n_blind, 1);
    assert_int_equal(found->blind_kind, WRSIM_STATE);
    assert_int_equal(found->i_blind, 0);
    assert_true(wr_matrix_find(found->at[WR_X_DX], 1, 1) >=
                0); /* the entry of the other state is found */
}

/* Two random models, with outputs of a connected to inputs of b. The declared entries cover the detected entries. Composition is
 * multiplication of patterns. */
TEST(connected_components)
{
    int n_checked = 0;
    for (int seed = 1; seed <= 30; seed++) {
        char text[2048];
        const truth a = truth_of(seed), b = truth_of(seed + 1000);
        int n = snprintf(text, sizeof text,
                         "[[component]]\nname = \"a\"\nmodel = \"test.structure\"\n"
                         "parameters = { seed = %d }\n[[component]]\nname = \"b\"\n"
                         "model = \"test.structure\"\nparameters = { seed = %d }\n"
                         "[[subsystem]]\nname = \"both\"\ncomponents = [\"a\", \"b\"]\n",
                         seed, seed + 1000);
        for (int i = 0; i < a.n[WRSIM_OUTPUT] && i < b.n[WRSIM_INPUT]; i++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "[[connection]]\nfrom = \"a.y%d\"\nto = \"b.u%d\"\n", i, i);
        AUTO(wr_survey_done) wr_survey s = survey_of(text, 3);
        const wr_survey_part *const p = &s.part[0];
        assert_int_equal(s.n_part, 3);
        assert_truth(&s.part[1], &a);
        assert_truth(&s.part[2], &b);
        for (int r = 0; r < WR_N_DECLARABLE; r++) {
            assert_int_equal(p->undeclared[r]->n_nonzero, 0);
            n_checked += p->detected.at[r]->n_nonzero;
        }
        /* States of a act on states of b through y_i = u_i. */
        for (int i = 0; i < b.n[WRSIM_STATE]; i++)
            for (int j = 0; j < a.n[WRSIM_STATE]; j++) {
                int has = 0;
                for (int k = 0; k < a.n[WRSIM_OUTPUT] && k < b.n[WRSIM_INPUT]; k++)
                    has |= truth_has(&b, WRSIM_U_X, i, k) && truth_has(&a, WRSIM_X_Y, k, j);
                const int row = a.n[WRSIM_STATE] + i;
                assert_int_equal(wr_matrix_find(p->declared.at[WR_X_DX], row, j) >= 0, has);
                assert_int_equal(wr_matrix_find(p->detected.at[WR_X_DX], row, j) >= 0, has);
            }
        AUTO(wr_matrix_destroy)
        wr_matrix *z_dx = wr_matrix_chain(p->declared.at[WR_D_DX], p->declared.at[WR_Z_D]);
        assert_true(wr_matrix_is_equal(z_dx, p->declared.at[WR_Z_DX]));
        AUTO(wr_matrix_destroy) wr_matrix *x_dx = wr_matrix_chain(z_dx, p->declared.at[WR_X_Z]);
        assert_true(wr_matrix_is_equal(x_dx, p->declared.at[WR_X_DX_EVENTS]));
    }
    assert_true(n_checked > 500);
}
