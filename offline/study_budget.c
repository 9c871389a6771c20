/* The study of tolerances as a public call, and its result as a config. See wrsim/study.h and budget.h.
 *
 * Thread: one owner. Real-time: no. */
#include <string.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/diag.h"
#include "offline/budget.h"
#include "runtime/sim/simulation.h"

/* ---- result as a config ---- */

/* Returns 1 for an override of simulation.stop, which concerns only the measured run. */
static int is_only_shorter(const char *override)
{
    static const char key[] = "simulation.stop";
    return strncmp(override, key, sizeof key - 1) == 0 &&
           strspn(override + sizeof key - 1, " \t") == strcspn(override + sizeof key - 1, "=");
}

/* Creates the config with the chosen tolerances. If keeps_stop is 1, keeps overrides of the stop time. Returns WRSIM_OK, or a negative
 * status with err. */
static wrsim_status tuned_config(wr_trial *trial, const wrsim_budget *budget, int keeps_stop,
                                 wrsim_config **ret_config, wrsim_error *err)
{
    const wr_texts *const given = &trial->at->override;
    wr_texts list = {0};
    for (int i = 0; i < given->n; i++)
        if (keeps_stop || !is_only_shorter(given->item[i]))
            wr_texts_add(trial->memory, &list, given->item[i]);
    for (int i = 0; i < budget->n_override; i++)
        wr_texts_add(trial->memory, &list, budget->override[i]);
    return wrsim_config_from_file(trial->at->config, list.item, list.n, NULL, NULL, ret_config,
                                  err);
}

char *wr_budget_config(wr_trial *trial, const wrsim_budget *budget, wrsim_error *err)
{
    WR_AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    wrsim_status status = tuned_config(trial, budget, 0, &config, err);
    if (status == WRSIM_E_CONFIG)
        status = tuned_config(trial, budget, 1, &config, err);
    char *const text = status < 0 ? NULL : wr_settings_dump_next(config->settings, NULL);
    if (status >= 0 && !text)
        wr_error_memory(err);
    return text;
}

/* ---- the public call ---- */

/* Limit of the wall time of a run, s, too large to have an effect (assumed), so that the result depends on counts alone. */
enum { ANY_TIME_S = 1000000 };

void wr_budget_defaults(wr_trial_case *c)
{
    if (!(c->error > 0.0))
        c->error = c->rtol;
    if (!c->reference_solver)
        c->reference_solver = "auto"; /* "auto" suits stiff and nonstiff models */
    if (!(c->reference_rtol > 0.0))
        c->reference_rtol = wr_max(1e-4 * c->error, 1e-13);
}

/* Receiver of the study's messages. */
typedef struct audience {
    const wrsim_budget_options *options;
    wrsim_error *err;
    int has_error;
} audience;

static void take_error(void *user, const wrsim_error *error)
{
    audience *const a = user;
    if (a->err && !a->has_error)
        *a->err = *error;
    a->has_error = 1;
}

static void take_news(void *user, wr_news news, const char *text)
{
    audience *const a = user;
    if (news == WR_NEWS_PROGRESS || news == WR_NEWS_NOTE) {
        if (a->options->progress)
            a->options->progress(a->options->user, text);
        return;
    }
    wrsim_error error;
    wr_error_set(&error, WRSIM_E_SOLVER, "%s", text);
    take_error(a, &error);
}

static int is_over(void *user)
{
    const audience *const a = user;
    return a->options->is_over && a->options->is_over(a->options->user);
}

static wrsim_status study(wr_trial *trial, const char *path, const wrsim_budget_options *o,
                          wrsim_budget *budget)
{
    wr_trial_case c = {.name = path,
                       .config = path,
                       .warm_s = o->warm_s,
                       .error = o->error,
                       .reference_event_s = 1e-12};
    for (int i = 0; i < o->n_override; i++)
        wr_texts_add(trial->memory, &c.override, o->override[i]);
    for (int i = 0; i < o->n_signal; i++)
        wr_texts_add(trial->memory, &c.signal, o->signal[i]);
    WR_TRY(wr_trial_look(trial, &c));
    wr_budget_defaults(&c);
    wr_trial_choose(trial, &c);
    wrsim_status status = wr_trial_open(trial);
    if (status >= 0)
        status = wr_budget_find(trial, budget);
    wr_trial_close(trial);
    wr_trial_choose(trial, NULL);
    return status;
}

wrsim_status wrsim_study_budget(const char *path, const wrsim_budget_options *options,
                                wrsim_budget **ret, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!path || !options || !ret || !(options->error >= 0.0) || !(options->warm_s >= 0.0) ||
        (options->n_override > 0 && !options->override) ||
        (options->n_signal > 0 && !options->signal))
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_study_budget needs a config file, options with their lists and "
                            "without negative numbers, and a place for the result");
    audience a = {.options = options, .err = err};
    wr_trial trial = {.listener = {take_news, take_error, is_over, &a},
                      .memory = wr_heap_pool_create(NULL),
                      .limit_s = ANY_TIME_S};
    wrsim_budget *const budget =
        trial.memory ? wr_heap_pool_take(trial.memory, 1, sizeof *budget) : NULL;
    const wrsim_status status = budget ? study(&trial, path, options, budget) : WRSIM_E_MEMORY;
    if (status < 0 && !a.has_error)
        wr_error_set(err, status, "%s: %s", path, wrsim_status_text(status));
    if (status >= 0 && budget->n_tolerance > 0) {
        budget->memory = trial.memory;
        *ret = budget;
        return status;
    }
    wr_heap_pool_destroy(&trial.memory);
    return status;
}

void wrsim_budget_destroy(wrsim_budget **budget)
{
    if (!budget || !*budget)
        return;
    wr_heap_pool *memory = (*budget)->memory;
    wr_heap_pool_destroy(&memory); /* the budget is in this memory */
    *budget = NULL;
}
