/* A simulation of a config's text, prepared; fails the test where that is not to be had. set: keys to be set, up to NULL. */
#ifndef WR_PREPARED_H
#define WR_PREPARED_H

#include "wr_test.h"

#include "wrsim/wrsim.h"

static inline wrsim *prepared(const char *text, const char *const *set)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    int n = 0;
    while (set[n])
        n++;
    wrsim_status status =
        wrsim_config_from_text(text, strlen(text), "test.toml", set, n, NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_true(status >= 0);
    return sim;
}

#endif
