/* The life of an instance of an FMU: phases, values and steps. See fmu.h. Thread: one owner. Real-time: as in fmu.h. */
#include "runtime/cosim/fmu/fmu.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/heap_pool.h"
#include "runtime/cosim/fmu/fmu_build.h"
#include "runtime/cosim/fmu/fmu_log.h"
#include "runtime/cosim/fmu/fmu_state.h"
#include "runtime/cosim/fmu/fmu_values.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/report.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

enum { TEXT_BYTES = 1024 };

/* ---- messages ---- */

void wr_fmu_set_logging(wr_fmu *f, int is_logging) { f->host.is_logging = is_logging; }

static const char *phase_text(int phase)
{
    return phase == WR_FMU_INSTANTIATED   ? "after the instantiation or a reset"
           : phase == WR_FMU_INITIALISING ? "in initialisation mode"
           : phase == WR_FMU_STEPPING     ? "between steps"
           : phase == WR_FMU_TERMINATED   ? "after the termination"
                                          : "after an error";
}

wr_fmu_status wr_fmu_check(wr_fmu *f, unsigned phases, const char *call)
{
    if (phases & (unsigned)f->now.phase)
        return WR_FMU_OK;
    wr_fmu_log(f, WR_FMU_ERROR, "%s is not allowed %s; call the functions in the order of FMI",
               call, phase_text(f->now.phase));
    return WR_FMU_ERROR;
}

static void set_start(wr_fmu *f)
{
    f->now.phase = WR_FMU_INSTANTIATED;
    f->now.is_terminated = 0;
    f->now.start_s = f->now.time_s = f->config_start_s;
    f->now.stop_s = (double)NAN;
    for (int i = 0; i < f->list->n; i++) {
        f->now.value[i] = f->now.start[i] = f->list->variable[i].start;
        f->now.slope[i] = 0.0;
        f->now.is_tuned[i] = 0;
    }
}

/* ---- open and close ---- */

/* Reads the config and compares its token. Returns 0, or -1 after a message. */
static int check_token(wr_fmu *f, const char *token)
{
    FILE *const file = fopen(f->config, "re");
    char *text = NULL;
    size_t n = 0, cap = 0;
    int is_short = 0;
    while (file && !is_short && !feof(file) && !ferror(file)) {
        if (n == cap) {
            cap = cap ? 2 * cap : 1 << 16;
            char *const more = realloc(text, cap);
            is_short = !more;
            text = more ? more : text;
        }
        n += is_short ? 0 : fread(text + n, 1, cap - n, file);
    }
    const int is_read = file && !ferror(file) && !is_short;
    if (file)
        (void)fclose(file);
    if (is_read)
        wr_cosim_variables_token(text, n, f->token);
    free(text);
    if (!is_read)
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the file '%s' cannot be read; unpack the FMU, and pass the folder of its "
                   "resources",
                   f->config);
    else if (strcmp(f->token, token) != 0)
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the description has the token '%.100s', but the binary and the resources have "
                   "'%s'; use the files of one FMU",
                   token, f->token);
    return is_read && strcmp(f->token, token) == 0 ? 0 : -1;
}

/* Reads the config's variables and times. Returns 0, or -1 after a message. */
static int describe(wr_fmu *f)
{
    wr_fmu_build *build = wr_fmu_build_create(f);
    if (!build)
        return -1;
    f->list = build->list;
    build->list = NULL;
    f->config_start_s = build->sim->settings->simulation.start_s;
    f->config_stop_s = build->sim->settings->simulation.stop_s;
    wr_fmu_build_leave(&build);
    f->handle = calloc((size_t)f->list->n, sizeof *f->handle);
    f->shown = calloc((size_t)f->list->n, sizeof *f->shown);
    if (f->handle && f->shown && wr_fmu_values_create(&f->now, f->list->n) == 0)
        return 0;
    wr_fmu_log(f, WR_FMU_ERROR, "out of memory");
    return -1;
}

wr_fmu *wr_fmu_open(const char *resources, const char *token, const wr_fmu_host *host)
{
    wr_fmu *f = calloc(1, sizeof *f);
    const size_t n = strlen(resources) + sizeof "/" WR_COSIM_CONFIG;
    if (f)
        f->config = malloc(n);
    if (!f || !f->config) {
        if (host->log)
            host->log(host->user, WR_FMU_ERROR, WR_FMU_CATEGORY_ERROR, "out of memory");
        wr_fmu_close(&f);
        return NULL;
    }
    f->host = *host;
    snprintf(f->config, n, "%s/" WR_COSIM_CONFIG, resources);
    if (check_token(f, token) < 0 || describe(f) < 0)
        wr_fmu_close(&f);
    else
        set_start(f);
    return f;
}

void wr_fmu_close(wr_fmu **fmu)
{
    wr_fmu *const f = fmu ? *fmu : NULL;
    if (!f)
        return;
    *fmu = NULL;
    wr_fmu_state_free_all(f);
    wr_fmu_build_leave(&f->build);
    wr_cosim_variables_destroy(&f->list);
    wr_fmu_values_free(&f->now);
    free(f->config);
    free(f->handle);
    free(f->shown);
    free(f);
}

/* ---- phases ---- */

wr_fmu_status wr_fmu_set_times(wr_fmu *f, double start_s, double stop_s)
{
    if (!isfinite(start_s) || (!isnan(stop_s) && !(stop_s > start_s))) {
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the start %g s and the stop %g s are no span of time; set a "
                   "stop after the start",
                   start_s, stop_s);
        return WR_FMU_ERROR;
    }
    f->now.start_s = f->now.time_s = start_s;
    f->now.stop_s = isfinite(stop_s) ? stop_s : (double)NAN;
    return WR_FMU_OK;
}

double wr_fmu_config_start(const wr_fmu *f) { return f->config_start_s; }

wr_fmu_status wr_fmu_begin(wr_fmu *f)
{
    f->now.phase = WR_FMU_INITIALISING;
    return WR_FMU_OK;
}

/* Builds the simulation of the present values, unless a simulation exists. */
static wr_fmu_status build(wr_fmu *f)
{
    if (!f->build)
        memcpy(f->now.start, f->now.value, (size_t)f->list->n * sizeof *f->now.start);
    return wr_fmu_build_make(f);
}

wr_fmu_status wr_fmu_end_initialisation(wr_fmu *f)
{
    const wr_fmu_status status = build(f);
    f->now.phase = status == WR_FMU_OK ? WR_FMU_STEPPING : WR_FMU_FAILED;
    return status;
}

wr_fmu_status wr_fmu_terminate(wr_fmu *f)
{
    f->now.phase = WR_FMU_TERMINATED;
    return WR_FMU_OK;
}

wr_fmu_status wr_fmu_reset(wr_fmu *f)
{
    wr_fmu_build_leave(&f->build);
    set_start(f);
    return WR_FMU_OK;
}

/* ---- variables ---- */

static const char *type_name(wr_cosim_type type)
{
    return type == WR_COSIM_BOOLEAN ? "Boolean" : type == WR_COSIM_INTEGER ? "integer" : "real";
}

/* Returns the variable of a reference; NULL after a message. */
static const wr_cosim_variable *find(wr_fmu *f, wr_cosim_type type, uint32_t reference)
{
    const wr_cosim_variable *const v =
        reference < (uint32_t)f->list->n ? &f->list->variable[reference] : NULL;
    if (!v)
        wr_fmu_log(f, WR_FMU_ERROR,
                   "no variable has the value reference %lu; use the references of the description",
                   (unsigned long)reference);
    else if (v->type != type)
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the variable '%.200s' is %s, not %s; call the function of "
                   "its type",
                   v->name, type_name(v->type), type_name(type));
    return v && v->type == type ? v : NULL;
}

/* Checks that the variable has a value in the present phase. Builds the simulation for an output. */
static wr_fmu_status need_value(wr_fmu *f, const wr_cosim_variable *v)
{
    if (!wr_cosim_variable_is_output(v))
        return WR_FMU_OK;
    if (f->now.phase != WR_FMU_INSTANTIATED && (f->now.phase != WR_FMU_FAILED || f->build))
        return build(f);
    const wr_fmu_status status =
        f->now.phase == WR_FMU_INSTANTIATED ? f->host.no_value : WR_FMU_ERROR;
    wr_fmu_log(f, status, "the output '%.200s' has no value %s; enter initialisation mode first",
               v->name, phase_text(f->now.phase));
    return status;
}

/* Reads up to f->list->n variables. wrsim evaluates consecutive signals of one subsystem once, so one call reads all signals. */
static wrsim_status read_block(wr_fmu *f, const uint32_t *reference, int n, double *ret_value)
{
    int n_signal = 0;
    for (int i = 0; i < n; i++)
        if (f->list->variable[reference[i]].role == WR_COSIM_SIGNAL)
            f->handle[n_signal++] = f->build->list->variable[reference[i]].handle;
    if (n_signal > 0)
        WR_TRY(wrsim_get_many(f->build->sim, n_signal, f->handle, f->shown));
    for (int i = 0, k = 0; i < n; i++) {
        const uint32_t r = reference[i];
        const wr_cosim_role role = f->list->variable[r].role;
        ret_value[i] = role == WR_COSIM_TIME ? f->now.time_s
                       : role == WR_COSIM_PORT
                           ? wrsim_port_get(f->build->sim, f->build->list->variable[r].handle)
                       : role == WR_COSIM_SIGNAL ? f->shown[k++]
                                                 : f->now.value[r];
    }
    return WRSIM_OK;
}

wr_fmu_status wr_fmu_get(wr_fmu *f, wr_cosim_type type, const uint32_t *reference, size_t n,
                         double *ret_value)
{
    for (size_t i = 0; i < n; i++) {
        const wr_cosim_variable *const v = find(f, type, reference[i]);
        const wr_fmu_status status = v ? need_value(f, v) : WR_FMU_ERROR;
        if (status != WR_FMU_OK)
            return status;
    }
    const size_t cap = (size_t)f->list->n;
    for (size_t at = 0; at < n; at += cap) {
        const size_t n_block = n - at < cap ? n - at : cap;
        const wrsim_status status = read_block(f, reference + at, (int)n_block, ret_value + at);
        if (status >= 0)
            continue;
        wr_fmu_log(f, WR_FMU_ERROR, "the outputs cannot be read: %s", wrsim_status_text(status));
        return WR_FMU_ERROR;
    }
    for (size_t i = 0; i < n; i++)
        if (isnan(ret_value[i])) {
            wr_fmu_log(f, WR_FMU_DISCARD, "the output '%.200s' has no value at t = %.10g s",
                       f->list->variable[reference[i]].name, f->now.time_s);
            return WR_FMU_DISCARD;
        }
    return WR_FMU_OK;
}

/* Returns whether a host may set the variable in the present phase, after a message if not. */
static int may_set(wr_fmu *f, const wr_cosim_variable *v, double value)
{
    const int is_start = f->now.phase == WR_FMU_INSTANTIATED || f->now.phase == WR_FMU_INITIALISING;
    const int is_free = wr_cosim_variable_is_free(v);
    const int is_outside = (v->min < 0.0 || v->min > 0.0 || v->max < 0.0 || v->max > 0.0) &&
                           !(value >= v->min && value <= v->max) && v->role >= WR_COSIM_TUNABLE;
    const char *const why =
        v->role == WR_COSIM_TIME || wr_cosim_variable_is_output(v)
            ? "is no input and no parameter; set other variables"
        : !is_free && !is_start ? "is fixed after the initialisation; set the parameter before"
        : !isfinite(value)      ? "gets a value that is not finite; set a finite value"
        : is_outside            ? "gets a value beyond its limits; set a value from min to max"
                                : NULL;
    if (why)
        wr_fmu_log(f, WR_FMU_ERROR, "the variable '%.200s' %s", v->name, why);
    return !why;
}

/* Returns the first whole number that changes if the new values would give the models other variables, after a message; NULL: none. Such a
 * number is a count of parts, which the description has fixed. */
static const wr_cosim_variable *find_count(wr_fmu *f, const uint32_t *reference, size_t n,
                                           const double *value)
{
    const wr_cosim_variable *count = NULL;
    memcpy(f->shown, f->now.value, (size_t)f->list->n * sizeof *f->shown);
    for (size_t i = 0; i < n; i++) {
        const wr_cosim_variable *const v = &f->list->variable[reference[i]];
        const double now = f->now.value[reference[i]];
        if (!count && v->key && v->type != WR_COSIM_REAL && (value[i] < now || value[i] > now))
            count = v;
        f->shown[reference[i]] = value[i];
    }
    if (!count || !wr_fmu_build_has_other_variables(f, f->shown))
        return NULL;
    wr_fmu_log(
        f, WR_FMU_ERROR,
        "the parameter '%.200s' changes the number or the names of the variables of a model; "
        "set the parameter in the config, and export the FMU again",
        count->name);
    return count;
}

wr_fmu_status wr_fmu_set(wr_fmu *f, wr_cosim_type type, const uint32_t *reference, size_t n,
                         const double *value)
{
    for (size_t i = 0; i < n; i++) {
        const wr_cosim_variable *const v = find(f, type, reference[i]);
        if (!v || !may_set(f, v, value[i]))
            return WR_FMU_ERROR;
    }
    if (f->now.phase != WR_FMU_STEPPING && type != WR_COSIM_REAL &&
        find_count(f, reference, n, value))
        return WR_FMU_ERROR;
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = reference[i];
        const wr_cosim_variable *const v = &f->list->variable[r];
        const int is_changed = f->now.value[r] < value[i] || f->now.value[r] > value[i];
        f->now.value[r] = value[i];
        if (f->now.phase == WR_FMU_STEPPING)
            f->now.is_tuned[r] |= v->role == WR_COSIM_TUNABLE;
        else if (v->key && is_changed)
            wr_fmu_build_leave(&f->build); /* the start values belong to other values */
    }
    return WR_FMU_OK;
}

wr_fmu_status wr_fmu_set_slope(wr_fmu *f, uint32_t reference, int order, double slope)
{
    const wr_cosim_variable *const v = find(f, WR_COSIM_REAL, reference);
    if (!v)
        return WR_FMU_ERROR;
    const char *const why = v->role != WR_COSIM_INPUT ? "is no input; set derivatives of inputs"
                            : order != 1 ? "gets a derivative of another order than 1; set the "
                                           "first derivative only"
                            : !isfinite(slope) ? "gets a derivative that is not finite"
                                               : NULL;
    if (why) {
        wr_fmu_log(f, WR_FMU_ERROR, "the variable '%.200s' %s", v->name, why);
        return WR_FMU_ERROR;
    }
    f->now.slope[reference] = slope;
    return WR_FMU_OK;
}

/* ---- steps ---- */

/* Passes the inputs to the simulation. */
static wrsim_status push(wr_fmu *f)
{
    wrsim *const sim = f->build->sim;
    wrsim_status status = WRSIM_OK;
    for (int i = 0; i < f->list->n && status >= 0; i++) {
        const wr_cosim_variable *const v = &f->build->list->variable[i];
        const double value = f->now.value[i], slope = f->now.slope[i];
        if (v->role == WR_COSIM_INPUT) {
            status = wrsim_port_set(sim, v->handle, value);
            if (status >= 0 && (slope < 0.0 || slope > 0.0))
                status = wr_ports_set_slope(sim, v->handle, slope);
        } else if (v->role == WR_COSIM_SWITCH)
            status = wrsim_scenario_trigger(sim, v->handle, value > 0.0);
        else if (v->role == WR_COSIM_VALUE)
            status = wrsim_scenario_set_value(sim, v->handle, value);
        else if (v->role == WR_COSIM_TUNABLE && f->now.is_tuned[i]) {
            status = wrsim_scenario_set_value(sim, v->handle, value);
            if (status >= 0)
                status = wrsim_scenario_trigger(sim, v->handle, 1);
        }
        if (status < 0)
            wr_fmu_log(f, WR_FMU_ERROR, "the input '%.200s' cannot be set%s: %s", v->name,
                       slope < 0.0 || slope > 0.0 ? " with a derivative (a port with mode = "
                                                    "\"ramp\" has none)"
                                                  : "",
                       wrsim_status_text(status));
    }
    return status;
}

/* Checks the times of a step. Returns the reason of a refusal; NULL: none. */
static const char *find_time_fault(const wr_fmu *f, double t_s, double h_s)
{
    /* Masters add step lengths, so their times have rounding errors. The tolerances are assumed. */
    static const double OF_STEP = 1e-6, OF_TIME = 1e-12;
    const double tolerance_s = OF_STEP * h_s + OF_TIME * fabs(f->now.time_s);
    if (!isfinite(t_s) || !isfinite(h_s) || !(h_s > 0.0))
        return "the time or the length of the step is not finite, or the length is not positive";
    if (!(fabs(t_s - f->now.time_s) <= tolerance_s))
        return "the step does not begin at the end of the last step";
    if (t_s + h_s > f->now.stop_s + tolerance_s)
        return "the step ends after the stop time that the host has given";
    return f->now.is_terminated ? "an event of the model has ended the simulation" : NULL;
}

/* Returns the end of a step, s: the communication point of the config if the end differs from this point by rounding only. So masters that
 * add step lengths, and masters that multiply, get results with the same bits. */
static double end_of(const wr_fmu *f, double end_s)
{
    /* The rounding errors of 1e6 added steps are below this share of a step (assumed). */
    static const double ROUNDING = 1e-9;
    const wr_set_simulation *const set = &f->build->sim->settings->simulation;
    const double i = floor((end_s - set->start_s) / set->communication_step_s + 0.5);
    const double point_s = wr_time_at(set->start_s, i, set->communication_step_s);
    return fabs(end_s - point_s) <= ROUNDING * set->communication_step_s ? point_s : end_s;
}

wr_fmu_status wr_fmu_step(wr_fmu *f, double t_s, double h_s, double *ret_end_s,
                          int *ret_is_terminated)
{
    const char *const why = find_time_fault(f, t_s, h_s);
    *ret_end_s = f->now.time_s;
    *ret_is_terminated = f->now.is_terminated;
    if (why) {
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the step from %.15g s by %.15g s is refused, because %s; the FMU is at %.15g s",
                   t_s, h_s, why, f->now.time_s);
        return WR_FMU_ERROR;
    }
    wrsim *const sim = f->build->sim;
    wrsim_error err = {0};
    wrsim_status status = push(f);
    if (status < 0) {
        f->now.phase = WR_FMU_FAILED;
        return WR_FMU_ERROR;
    }
    const double end_s = t_s + h_s;
    status = wrsim_advance(sim, end_of(f, end_s), &err);
    const double reached_s = wrsim_time(sim);
    char end[TEXT_BYTES] = "";
    f->now.is_terminated = status >= 0 && wr_report_end(sim, end, sizeof end);
    *ret_is_terminated = f->now.is_terminated;
    if (status == WRSIM_E_ARG) { /* nothing has changed */
        (void)wr_fmu_log_failure(f, &err);
        return WR_FMU_DISCARD;
    }
    if (status < 0) {
        (void)wr_fmu_log_failure(f, &err);
        f->now.phase = WR_FMU_FAILED;
        *ret_end_s = f->now.time_s = reached_s;
        return WR_FMU_ERROR;
    }
    for (int i = 0; i < f->list->n; i++)
        f->now.slope[i] = 0.0;
    const int is_short = status > 0 || f->now.is_terminated || !(reached_s > f->now.time_s);
    f->now.time_s = *ret_end_s = is_short ? reached_s : end_s;
    if (!is_short)
        return WR_FMU_OK;
    if (f->now.is_terminated)
        wr_fmu_log(f, WR_FMU_WARNING, "%s", end);
    else
        wr_fmu_log(f, WR_FMU_DISCARD, "the step to %.17g s ends at %.17g s: %s", end_s, reached_s,
                   status > 0 ? wrsim_status_text(status)
                              : "the step is below the resolution of time");
    return WR_FMU_DISCARD;
}

double wr_fmu_time(const wr_fmu *f) { return f->now.time_s; }
int wr_fmu_is_terminated(const wr_fmu *f) { return f->now.is_terminated; }
