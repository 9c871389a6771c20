#include "wr_test.h"

#include "runtime/config/keys.h"
#include "runtime/config/settings.h"

/* Every row of the key table is complete for printing and checking. */
TEST(rows)
{
    int n_keys = 0;
    for (const wr_key *key = wr_keys; key->path; key++, n_keys++) {
        assert_non_null(strchr(key->path, '.'));
        assert_non_null(key->unit);
        assert_true(key->offset < sizeof(wr_settings));
        const size_t n_help = strlen(key->help);
        if (n_help < 10 || key->help[n_help - 1] != '.')
            fail_msg("help of %s is no sentence", key->path);
        assert_int_equal(key->choices != NULL, key->type == WR_KEY_CHOICE);
        if (key->type == WR_KEY_REAL || key->type == WR_KEY_INTEGER || key->type == WR_KEY_AUTO ||
            key->type == WR_KEY_AUTO_REAL)
            assert_true(key->min < key->max);
        if (key->type == WR_KEY_INTEGER || key->type == WR_KEY_AUTO)
            assert_true(key->min >= -2147483648.0 && key->max <= 2147483647.0);
        assert_ptr_equal(wr_key_find(key->path), key);
        for (const wr_key *other = key + 1; other->path; other++)
            if (strcmp(key->path, other->path) == 0 || key->offset == other->offset)
                fail_msg("%s and %s are the same", key->path, other->path);
    }
    /* simulation, relaxation, slack, realtime, scheduler, output, solver */
    assert_int_equal(n_keys, 12 + 22 + 14 + 13 + 8 + 9 + 13);
    for (const wr_gone_key *gone = wr_gone_keys; gone->path; gone++)
        assert_null(wr_key_find(gone->path));
    assert_null(wr_key_find("simulation"));
    assert_null(wr_key_find(""));
}

/* Each list of words is as long as its enum. */
TEST(choices)
{
    static const struct {
        const char *path;
        int count;
    } cases[] = {
        {"relaxation.scheme", WR_SCHEME_COUNT},
        {"relaxation.prediction", WR_PREDICT_COUNT},
        {"relaxation.acceleration", WR_ACCELERATE_COUNT},
        {"slack.delays", WR_DELAYS_COUNT},
        {"slack.on_loc", WR_ACTION_COUNT},
        {"slack.on_glo", WR_ACTION_COUNT},
        {"realtime.policy", WR_POLICY_COUNT},
        {"realtime.wait", WR_WAIT_COUNT},
        {"solver.over_budget", WR_OVER_BUDGET_COUNT},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const wr_key *const key = wr_key_find(cases[i].path);
        int n_words = 1;
        for (const char *c = key->choices; *c; c++)
            n_words += *c == '|';
        assert_int_equal(n_words, cases[i].count);
    }
}
