/* Parses a text in tests of the settings. */
#ifndef WR_SETTINGS_HARNESS_H
#define WR_SETTINGS_HARNESS_H

#include "runtime/config/settings.h"

enum { WR_MAX_TEST_OVERRIDES = 8 };

/* Returns the settings of a text, or NULL after any error. Overrides end with NULL; NULL: no overrides. */
static inline wr_settings *parse_with(const char *text, const char *const *overrides, wr_diag *diag)
{
    wr_override items[WR_MAX_TEST_OVERRIDES] = {{NULL}};
    int n_items = 0;
    while (overrides && overrides[n_items]) {
        items[n_items].text = overrides[n_items];
        n_items++;
    }
    const int n_before = diag->n_items;
    wr_settings *settings = wr_settings_parse(text, strlen(text), "t.toml", items, n_items, diag);
    if (diag->n_items > n_before) /* settings with errors are useless */
        wr_settings_destroy(&settings);
    return settings;
}

/* Returns the settings of a text; fails with the first error. */
static inline wr_settings *parse_good(const char *text, const char *const *overrides)
{
    wr_diag diag = {0};
    wr_settings *const settings = parse_with(text, overrides, &diag);
    if (!settings)
        fail_msg("%s:%d:%d: %s", diag.items[0].file, diag.items[0].line, diag.items[0].column,
                 diag.items[0].text);
    assert_int_equal(diag.n_items, 0);
    wr_diag_done(&diag);
    return settings;
}

#endif
