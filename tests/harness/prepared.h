/* Makes simulations from config texts and files, through the public interface. A failure prints its error and ends the test. */
#ifndef WR_PREPARED_H
#define WR_PREPARED_H

#include "wr_test.h"

#include "wrsim/wrsim.h"

static inline void print_report(void *user, const wrsim_error *error)
{
    print_error("%s:%d: %s\n", error->file, error->line, error->text);
}

static inline void assert_good(wrsim_status status, const wrsim_error *err)
{
    if (status < 0)
        print_error("%s\n", err->text);
    assert_int_equal(status, WRSIM_OK);
}

static inline wrsim_config *config_of(const char *text, const char *const *overrides, int n)
{
    wrsim_config *config = NULL;
    assert_int_equal(wrsim_config_from_text(text, strlen(text), "test.toml", overrides, n,
                                            print_report, NULL, &config, NULL),
                     WRSIM_OK);
    assert_non_null(config);
    return config;
}

static inline wrsim *created(const char *text, const char *const *overrides, int n)
{
    AUTO(wrsim_config_destroy) wrsim_config *config = config_of(text, overrides, n);
    wrsim *sim = NULL;
    assert_int_equal(wrsim_create(config, print_report, NULL, &sim, NULL), WRSIM_OK);
    return sim;
}

/* Creates a simulation from a config file. */
static inline wrsim *created_file(const char *path, const char *const *overrides, int n)
{
    AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    wrsim *sim = NULL;
    assert_int_equal(wrsim_config_from_file(path, overrides, n, print_report, NULL, &config, NULL),
                     WRSIM_OK);
    assert_int_equal(wrsim_create(config, print_report, NULL, &sim, NULL), WRSIM_OK);
    return sim;
}

static inline wrsim *prepared(const char *text, const char *const *overrides, int n)
{
    wrsim *const sim = created(text, overrides, n);
    wrsim_error err = {0};
    assert_good(wrsim_prepare(sim, &err), &err);
    return sim;
}

/* Prepares a simulation. The overrides end with NULL. */
static inline wrsim *prepared_set(const char *text, const char *const *overrides)
{
    int n = 0;
    while (overrides[n])
        n++;
    return prepared(text, overrides, n);
}

static inline void leave(wrsim **sim)
{
    wrsim_finish(*sim, NULL);
    wrsim_destroy(sim);
}

static inline double value(wrsim *sim, const char *name)
{
    const int variable = wrsim_find(sim, name);
    if (variable < 0)
        print_error("there is no %s\n", name);
    assert_true(variable >= 0);
    return wrsim_get(sim, variable);
}

static inline void advance(wrsim *sim, double time_s)
{
    wrsim_error err = {0};
    assert_good(wrsim_advance(sim, time_s, &err), &err);
}

#endif
