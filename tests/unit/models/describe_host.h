/* A host for model descriptions in tests: collects the declarations of describe() and calls the model's callbacks at any point. The host
 * uses only the model ABI of wrsim. */
#ifndef WR_DESCRIBE_HOST_H
#define WR_DESCRIBE_HOST_H

#include "models/models.h"
#include "wr_test.h"
#include "wrsim/model.h"

enum { HOST_NAME_BYTES = 128 };

typedef struct host_variable {
    wrsim_variable v; /* its strings are the copies below */
    char name[HOST_NAME_BYTES], unit[HOST_NAME_BYTES], description[256];
} host_variable;

/* A dense pattern; is_set[row * n_columns + column]. */
typedef struct host_pattern {
    int is_declared, n, cap;
    int *row, *column;
    int n_rows, n_columns;
    unsigned char *is_set;
} host_pattern;

typedef struct model_host {
    const wrsim_model *model;
    wrsim_instance instance;
    double *param;
    wrsim_description description;
    int n[WRSIM_KIND_COUNT], cap[WRSIM_KIND_COUNT];
    host_variable *variable[WRSIM_KIND_COUNT];
    host_pattern pattern[WRSIM_PATTERN_COUNT];
    int n_port, cap_port;
    int (*port)[2]; /* first input and number of inputs */
    const double **port_at;
    /* The current point: t_s, x, d, u, w, mode. */
    double t_s, *x, *d, *u, *w;
    unsigned char *mode;
} model_host;

static const wrsim_kind host_pattern_row[WRSIM_PATTERN_COUNT] = {
    WRSIM_STATE,     WRSIM_STATE,    WRSIM_OUTPUT, WRSIM_OUTPUT,   WRSIM_INDICATOR,
    WRSIM_INDICATOR, WRSIM_DISCRETE, WRSIM_STATE,  WRSIM_INDICATOR};
static const wrsim_kind host_pattern_column[WRSIM_PATTERN_COUNT] = {
    WRSIM_STATE, WRSIM_INPUT,     WRSIM_STATE,    WRSIM_INPUT,   WRSIM_STATE,
    WRSIM_INPUT, WRSIM_INDICATOR, WRSIM_DISCRETE, WRSIM_DISCRETE};

static inline int host_add(wrsim_description *description, wrsim_kind kind, const wrsim_variable *v)
{
    model_host *const host = description->host;
    assert_true((int)kind >= 0 && kind < WRSIM_PARAMETER);
    assert_non_null(v->name);
    if (host->n[kind] == host->cap[kind]) {
        host->cap[kind] = 2 * host->cap[kind] + 16;
        host->variable[kind] =
            realloc(host->variable[kind], (size_t)host->cap[kind] * sizeof *host->variable[kind]);
        assert_non_null(host->variable[kind]);
    }
    host_variable *const copy = &host->variable[kind][host->n[kind]++];
    copy->v = *v;
    snprintf(copy->name, sizeof copy->name, "%s", v->name);
    snprintf(copy->unit, sizeof copy->unit, "%s", v->unit ? v->unit : "");
    snprintf(copy->description, sizeof copy->description, "%s",
             v->description ? v->description : "");
    return 0;
}

/* Ignores the values, which numeric tests check. */
static inline int host_mass(wrsim_description *description, int row, int column, double value)
{
    assert_true(row >= 0 && column >= 0 && isfinite(value));
    return 0;
}

static inline int host_depends(wrsim_description *description, wrsim_pattern which, int row,
                               int column)
{
    model_host *const host = description->host;
    assert_true((int)which >= 0 && which < WRSIM_PATTERN_COUNT);
    host_pattern *const pattern = &host->pattern[which];
    pattern->is_declared = 1;
    if (row == -1 && column == -1)
        return 0;
    if (pattern->n == pattern->cap) {
        pattern->cap = 2 * pattern->cap + 64;
        pattern->row = realloc(pattern->row, (size_t)pattern->cap * sizeof *pattern->row);
        pattern->column = realloc(pattern->column, (size_t)pattern->cap * sizeof *pattern->column);
        assert_true(pattern->row && pattern->column);
    }
    pattern->row[pattern->n] = row;
    pattern->column[pattern->n++] = column;
    return 0;
}

static inline int host_port(wrsim_description *description, int first, int n)
{
    model_host *const host = description->host;
    if (host->n_port == host->cap_port) {
        host->cap_port = 2 * host->cap_port + 8;
        host->port = realloc(host->port, (size_t)host->cap_port * sizeof *host->port);
        assert_non_null(host->port);
    }
    host->port[host->n_port][0] = first;
    host->port[host->n_port++][1] = n;
    return 0;
}

static inline void *host_alloc(size_t n, size_t size)
{
    void *const memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

/* Makes the patterns dense; fails at an element outside of the matrix. */
static inline void host_close_patterns(model_host *host)
{
    for (int i = 0; i < WRSIM_PATTERN_COUNT; i++) {
        host_pattern *const p = &host->pattern[i];
        p->n_rows = host->n[host_pattern_row[i]];
        p->n_columns = host->n[host_pattern_column[i]];
        p->is_set = host_alloc((size_t)p->n_rows * (size_t)p->n_columns, 1);
        if (!p->is_declared)
            memset(p->is_set, 1, (size_t)p->n_rows * (size_t)p->n_columns);
        for (int k = 0; k < p->n; k++) {
            assert_in_range(p->row[k], 0, p->n_rows - 1);
            assert_in_range(p->column[k], 0, p->n_columns - 1);
            p->is_set[p->row[k] * p->n_columns + p->column[k]] = 1;
        }
    }
}

static inline int host_find(const model_host *host, wrsim_kind kind, const char *name)
{
    for (int i = 0; i < host->n[kind]; i++)
        if (strcmp(host->variable[kind][i].name, name) == 0)
            return i;
    return -1;
}

/* The value of a parameter in a test. An array of values ends with name == NULL. */
typedef struct host_value {
    const char *name;
    double value;
} host_value;

/* Returns a host of an instance after describe(); the point is the start point, before init(). */
static inline model_host *host_create(const wrsim_model *model, const host_value *values)
{
    model_host *const host = host_alloc(1, sizeof *host);
    host->model = model;
    host->param = host_alloc((size_t)model->n_param, sizeof(double));
    for (int i = 0; i < model->n_param; i++)
        host->param[i] = model->params[i].start;
    for (; values && values->name; values++) {
        int i = 0;
        while (i < model->n_param && strcmp(model->params[i].name, values->name) != 0)
            i++;
        assert_in_range(i, 0, model->n_param - 1);
        host->param[i] = values->value;
    }
    host->instance.param = host->param;
    host->description = (wrsim_description){.struct_size = sizeof(wrsim_description),
                                            .add = host_add,
                                            .depends = host_depends,
                                            .mass = host_mass,
                                            .port = host_port,
                                            .host = host};
    assert_int_equal(model->describe(&host->instance, &host->description), 0);
    host_close_patterns(host);
    host->instance.data = host_alloc(host->description.data_bytes, 1);
    double **const vectors[3] = {&host->x, &host->d, &host->u};
    for (int kind = WRSIM_STATE; kind <= WRSIM_INPUT; kind++) {
        *vectors[kind] = host_alloc((size_t)host->n[kind], sizeof(double));
        for (int i = 0; i < host->n[kind]; i++)
            (*vectors[kind])[i] = host->variable[kind][i].v.start;
    }
    host->port_at = host_alloc((size_t)host->n_port, sizeof *host->port_at);
    for (int k = 0; k < host->n_port; k++) {
        assert_in_range(host->port[k][0], 0, host->n[WRSIM_INPUT] - host->port[k][1]);
        host->port_at[k] = host->u + host->port[k][0];
    }
    host->w = host_alloc((size_t)host->description.n_w, sizeof(double));
    host->mode = host_alloc((size_t)host->n[WRSIM_INDICATOR], 1);
    return host;
}

static inline void host_destroy(model_host **pointer)
{
    model_host *const host = *pointer;
    for (int i = 0; i < WRSIM_KIND_COUNT; i++)
        free(host->variable[i]);
    for (int i = 0; i < WRSIM_PATTERN_COUNT; i++) {
        free(host->pattern[i].row);
        free(host->pattern[i].column);
        free(host->pattern[i].is_set);
    }
    free(host->port);
    free(host->port_at);
    free(host->param);
    free(host->instance.data);
    free(host->x);
    free(host->d);
    free(host->u);
    free(host->w);
    free(host->mode);
    free(host);
}

static inline wrsim_point host_point(const model_host *host)
{
    return (wrsim_point){.t_s = host->t_s,
                         .x = host->x,
                         .d = host->d,
                         .u = host->u,
                         .w = host->w,
                         .mode = host->mode,
                         .port = host->port_at};
}

/* host_output() to host_indicator() return the first failing status of the callbacks that they call, or 0. A missing callback succeeds. */
static inline int host_output(model_host *host, double *ret_y)
{
    wrsim_point point = host_point(host);
    point.w = NULL; /* the contract: w is not available in this callback */
    const int rc = host->model->output ? host->model->output(&host->instance, &point, ret_y) : 0;
    for (int i = 0; i < host->n[WRSIM_OUTPUT]; i++)
        if (host->variable[WRSIM_OUTPUT][i].v.flags & WRSIM_IS_STATE)
            ret_y[i] = host->x[host->variable[WRSIM_OUTPUT][i].v.index];
    return rc;
}

static inline int host_algebra(model_host *host)
{
    wrsim_point point = host_point(host);
    point.w = NULL;
    return host->model->algebra ? host->model->algebra(&host->instance, &point, host->w) : 0;
}

static inline int host_rhs(model_host *host, double *ret_dx)
{
    const int rc = host_algebra(host);
    const wrsim_point point = host_point(host);
    return rc || !host->model->rhs ? rc : host->model->rhs(&host->instance, &point, ret_dx);
}

static inline int host_indicator(model_host *host, double *ret_z)
{
    const int rc = host_algebra(host);
    const wrsim_point point = host_point(host);
    return rc || !host->model->indicator ? rc
                                         : host->model->indicator(&host->instance, &point, ret_z);
}

static inline int host_has_jacobian(const model_host *host)
{
    return host->model->jacobian || host->model->jacobian_sparse;
}

/* Spreads the values of a pattern, column by column, into a dense matrix in the same array, from the last value to the first. */
static inline void host_spread(const model_host *host, double *jac)
{
    const host_pattern *const p = &host->pattern[WRSIM_X_X];
    int n = 0;
    for (int i = 0; i < p->n_rows * p->n_columns; i++)
        n += p->is_set[i];
    for (int j = p->n_columns - 1; j >= 0; j--)
        for (int i = p->n_rows - 1; i >= 0; i--)
            jac[j * p->n_rows + i] = p->is_set[i * p->n_columns + j] ? jac[--n] : 0.0;
}

/* Evaluates a Jacobian callback into a dense column-major matrix. */
static inline int host_jacobian(model_host *host, double *ret_jac)
{
    const int rc = host_algebra(host);
    const wrsim_point point = host_point(host);
    if (rc || host->model->jacobian)
        return rc ? rc : host->model->jacobian(&host->instance, &point, ret_jac);
    const int rc_sparse = host->model->jacobian_sparse(&host->instance, &point, ret_jac);
    host_spread(host, ret_jac);
    return rc_sparse;
}

/* Executes one round of events; changes x and d of the point. The callback reads the values before the event in the point and changes
 * copies. */
static inline int host_event(model_host *host, const wrsim_event *what)
{
    if (!host->model->event)
        return 0;
    const int n_x = host->n[WRSIM_STATE], n_d = host->n[WRSIM_DISCRETE];
    double *const x = host_alloc((size_t)n_x, sizeof *x), *const d = host_alloc((size_t)n_d, 8);
    memcpy(x, host->x, (size_t)n_x * sizeof *x);
    memcpy(d, host->d, (size_t)n_d * sizeof *d);
    int rc = host_algebra(host);
    const wrsim_point point = host_point(host);
    rc = rc ? rc : host->model->event(&host->instance, &point, what, x, d);
    memcpy(host->x, x, (size_t)n_x * sizeof *x);
    memcpy(host->d, d, (size_t)n_d * sizeof *d);
    free(x);
    free(d);
    return rc;
}

static inline double host_next_time(model_host *host)
{
    const wrsim_point point = host_point(host);
    return host->model->next_time ? host->model->next_time(&host->instance, &point) : HUGE_VAL;
}

/* Sets the modes from the signs of the indicators, four times, because indicators may depend on modes. */
static inline void host_set_modes(model_host *host)
{
    const int n_z = host->n[WRSIM_INDICATOR];
    AUTO(wr_test_free) double *z = host_alloc((size_t)n_z, sizeof *z);
    for (int pass = 0; pass < 4; pass++) {
        assert_int_equal(host_indicator(host, z), 0);
        for (int i = 0; i < n_z; i++)
            host->mode[i] = z[i] > 0.0;
    }
}

/* Calls init(), sets the modes, executes the initial event, and sets the modes again. */
static inline void host_start(model_host *host, double t_s)
{
    host->t_s = t_s;
    if (host->model->init)
        assert_int_equal(host->model->init(&host->instance, t_s, host->x, host->d), 0);
    host_set_modes(host);
    signed char *const fired = host_alloc((size_t)host->n[WRSIM_INDICATOR], 1);
    const wrsim_event initial = {.fired = fired, .is_initial = 1};
    assert_int_equal(host_event(host, &initial), 0);
    host_set_modes(host);
    free(fired);
}

/* Returns the built-in model of this name. */
static inline const wrsim_model *find_model(const char *name)
{
    for (const wrsim_model *const *m = wr_models; *m; m++)
        if (strcmp((*m)->name, name) == 0)
            return *m;
    fail_msg("there is no model '%s'", name);
    return NULL;
}

#endif
