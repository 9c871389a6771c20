/* The life of a config: wrsim/config.h.
 *
 * Thread: one owner, and simulations that were made from it. Real-time: no.
 */
#include <stdlib.h>

#include "base/c_locale.h"
#include "runtime/sim/configs.h"
#include "runtime/sim/construct.h"

/* What is read then lacks anything. */
static int is_out_of_memory(const wr_diag *diag)
{
    int is_out = diag->n_dropped > 0;
    for (int i = 0; i < diag->n_items; i++)
        is_out |= diag->items[i].status == WRSIM_E_MEMORY;
    return is_out;
}

static wrsim_status finish_config(wr_settings *settings, wr_diag *diag, wrsim_report_fn report,
                                  void *user, wrsim_config **ret_config, wrsim_error *err)
{
    /* What would come to light only in wrsim_create() is said along with what is known. */
    if (settings && wr_diag_status(diag) < 0 && !is_out_of_memory(diag))
        wr_simulation_find_errors(settings, diag);
    wrsim_config *const config =
        settings && wr_diag_status(diag) >= 0 ? calloc(1, sizeof *config) : NULL;
    if (!config && wr_diag_status(diag) >= 0)
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while the config is read");
    const wrsim_status status = wr_diag_report(diag, report, user, err);
    wr_diag_done(diag);
    if (!config) {
        wr_settings_destroy(&settings);
        return status;
    }
    config->settings = settings;
    atomic_init(&config->n_user, 1);
    *ret_config = config;
    return WRSIM_OK;
}

static wr_override *make_overrides(const char *const *texts, int n)
{
    wr_override *const overrides = calloc((size_t)n + 1, sizeof *overrides);
    for (int i = 0; overrides && i < n; i++)
        overrides[i].text = texts[i];
    return overrides;
}

wrsim_status wrsim_config_from_file(const char *path, const char *const *overrides, int n_overrides,
                                    wrsim_report_fn report, void *user, wrsim_config **ret_config,
                                    wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!path || n_overrides < 0 || (n_overrides > 0 && !overrides) || !ret_config)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_config_from_file needs a path, as many overrides as it is told, "
                            "and where to put the config");
    wr_diag diag = {0};
    wr_override *const list = make_overrides(overrides, n_overrides);
    wr_settings *const settings = list ? wr_settings_load(path, list, n_overrides, &diag) : NULL;
    if (!list)
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL, "out of memory while '%s' is read", path);
    free(list);
    return finish_config(settings, &diag, report, user, ret_config, err);
}

wrsim_status wrsim_config_from_text(const char *text, size_t text_bytes, const char *name,
                                    const char *const *overrides, int n_overrides,
                                    wrsim_report_fn report, void *user, wrsim_config **ret_config,
                                    wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!text || !name || n_overrides < 0 || (n_overrides > 0 && !overrides) || !ret_config)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_config_from_text needs a text, its name, as many overrides as "
                            "it is told, and where to put the config");
    wr_diag diag = {0};
    wr_override *const list = make_overrides(overrides, n_overrides);
    wr_settings *const settings =
        list ? wr_settings_parse(text, text_bytes, name, list, n_overrides, &diag) : NULL;
    if (!list)
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL, "out of memory while '%s' is read", name);
    free(list);
    return finish_config(settings, &diag, report, user, ret_config, err);
}

char *wrsim_config_dump(const wrsim_config *config)
{
    WR_IN_C_LOCALE;
    return config ? wr_settings_dump(config->settings, WR_DUMP_ALL) : NULL;
}

int wrsim_config_is_undecided(const wrsim_config *config)
{
    return config && config->settings->simulation.monolithic == WR_GROUPING_AUTO;
}

void wr_simulation_use_config(wrsim_config *config)
{
    atomic_fetch_add_explicit(&config->n_user, 1, memory_order_relaxed);
}

void wrsim_config_destroy(wrsim_config **config)
{
    if (!config || !*config)
        return;
    /* acq_rel: the last user sees all that the others did before it frees. */
    if (atomic_fetch_sub_explicit(&(*config)->n_user, 1, memory_order_acq_rel) == 1) {
        wr_settings_destroy(&(*config)->settings);
        free(*config);
    }
    *config = NULL;
}
