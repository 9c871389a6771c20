/* Builds the simulation of an instance. See fmu_build.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/fmu/fmu_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text_buffer.h"
#include "runtime/cosim/fmu/fmu_log.h"
#include "wrsim/wrsim.h"

typedef struct override_list {
    int n;
    char **text; /* [n] */
    int is_short;
} override_list;

static void add(override_list *to, wr_text_buffer *text)
{
    char *const taken = wr_text_buffer_take(text);
    to->is_short |= !taken;
    if (taken)
        to->text[to->n++] = taken;
}

static void add_number(override_list *to, const char *key, wr_cosim_type type, double value)
{
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text, "%s=", key);
    if (type == WR_COSIM_BOOLEAN)
        wr_text_buffer_add(&text, value > 0.0 ? "true" : "false");
    else if (type == WR_COSIM_INTEGER)
        wr_text_buffer_add(&text, "%lld", (long long)value);
    else
        wr_text_buffer_number(&text, value);
    add(to, &text);
}

static int differs(double a, double b) { return a < b || a > b; }

/* Lists the start values that differ from the config. The length of a run does not change if the host gives another start. */
static void list_overrides(const wr_fmu *f, override_list *to)
{
    if (differs(f->now.start_s, f->config_start_s)) {
        add_number(to, "simulation.start", WR_COSIM_REAL, f->now.start_s);
        add_number(to, "simulation.stop", WR_COSIM_REAL,
                   f->now.start_s + (f->config_stop_s - f->config_start_s));
    }
    for (int i = 0; i < f->list->n; i++) {
        const wr_cosim_variable *const v = &f->list->variable[i];
        if (v->key && differs(f->now.start[i], v->start))
            add_number(to, v->key, v->type, f->now.start[i]);
    }
}

static void free_overrides(override_list *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->text[i]);
    free(list->text);
}

static void log_line(void *user, wrsim_log_level level, const char *text)
{
    /* Calls return their errors, and the instance writes them to the logger. */
    if (level == WRSIM_LOG_WARNING)
        wr_fmu_log(user, WR_FMU_WARNING, "%s", text);
    else if (level == WRSIM_LOG_INFO)
        wr_fmu_log(user, WR_FMU_OK, "%s", text);
}

static void report(void *user, const wrsim_error *error) { (void)wr_fmu_log_failure(user, error); }

wr_fmu_build *wr_fmu_build_create(wr_fmu *f)
{
    wr_fmu_build *b = calloc(1, sizeof *b);
    const int n = f->list ? f->list->n : 0;
    override_list list = {.text = calloc((size_t)n + 2, sizeof *list.text)};
    if (list.text && n > 0)
        list_overrides(f, &list);
    if (!b || !list.text || list.is_short) {
        wr_fmu_log(f, WR_FMU_ERROR, "out of memory");
        free_overrides(&list);
        free(b);
        return NULL;
    }
    b->n_user = 1;
    const wrsim_host host = {.size_bytes = sizeof host, .log = log_line, .log_user = f};
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wrsim_status status = wrsim_config_from_file(f->config, (const char *const *)list.text, list.n,
                                                 report, f, &config, NULL);
    if (status >= 0)
        status = wrsim_create_hosted(config, &host, report, f, &b->sim, NULL);
    wrsim_config_destroy(&config);
    free_overrides(&list);
    if (status >= 0)
        b->list = wr_cosim_variables_create(b->sim, &err);
    if (err.status < 0)
        (void)wr_fmu_log_failure(f, &err);
    if (!b->list)
        wr_fmu_build_leave(&b);
    return b;
}

/* Returns 1 if the build has the variables of the instance. */
static int has_same_variables(const wr_cosim_list *a, const wr_cosim_list *b)
{
    int i = 0;
    while (i < a->n && i < b->n && strcmp(a->variable[i].name, b->variable[i].name) == 0)
        i++;
    return a->n == b->n && i == a->n;
}

int wr_fmu_build_has_other_variables(const wr_fmu *f, double *value)
{
    wr_fmu quiet = *f;
    quiet.host.log = NULL;
    quiet.now.start = value;
    wr_fmu_build *b = wr_fmu_build_create(&quiet);
    const int is_other = b && !has_same_variables(b->list, f->list);
    wr_fmu_build_leave(&b);
    return is_other;
}

wr_fmu_status wr_fmu_build_make(wr_fmu *f)
{
    if (f->build)
        return WR_FMU_OK;
    wrsim_error err = {0};
    f->build = wr_fmu_build_create(f);
    if (!f->build)
        return WR_FMU_ERROR;
    if (!has_same_variables(f->build->list, f->list))
        wr_error_set(&err, WRSIM_E_ARG,
                     "a parameter changes the number or the names of the variables of a model; set "
                     "the parameter in the config, and export the FMU again");
    else
        (void)wrsim_prepare(f->build->sim, &err);
    if (err.status < 0) {
        (void)wr_fmu_log_failure(f, &err);
        wr_fmu_build_leave(&f->build);
    }
    return f->build ? WR_FMU_OK : WR_FMU_ERROR;
}

void wr_fmu_build_leave(wr_fmu_build **build)
{
    wr_fmu_build *const b = build ? *build : NULL;
    if (!b)
        return;
    *build = NULL;
    if (--b->n_user > 0)
        return;
    wrsim_destroy(&b->sim);
    wr_cosim_variables_destroy(&b->list);
    free(b);
}
