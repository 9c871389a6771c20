/* Checks every model of the table and of the example plug-in against its own description. Names, units and nominals exist, Jacobians are
 * derivatives, outputs read only declared inputs, and events and announced times are consistent. The test perturbs one variable at a time
 * at random points near the start, with frozen modes. A change outside the declared pattern is a failure. */
#include <ctype.h>
#include <dlfcn.h>

#include "models/models.h"

#include "describe_host.h"

/* ---- Cases: parameter sets besides the defaults, for models whose description depends on them. */

typedef struct model_case {
    const char *model;
    host_value values[18]; /* an empty value ends the list */
} model_case;

static const model_case extra_cases[] = {
    {"dahlquist", {{"a", -1.0}, {"b", 0.5}}},
    {"engine.crankshaft", {{"balance", 1.0}, {"cylinders", 2.0}}},
    {"engine.orifice", {{"area", 1e-3}}},
    {"engine.volume", {{"volume", 5e-3}}},
    {"engine.volume", {{"volume", 5e-3}, {"species", 1.0}, {"isothermal", 1.0}, {"balance", 1.0}}},
    {"engine.volume",
     {{"volume", 5e-3},
      {"cells", 3.0},
      {"in_ports", 2.0},
      {"wall", 2.0},
      {"heat_area", 0.1},
      {"film", 100.0},
      {"film_flow", 0.1},
      {"film_table", 1.0},
      {"film_side", 1.0},
      {"cold_film", 0.5},
      {"cooling", 10.0},
      {"cooling_knee", 350.0},
      {"cooling_rise", 0.5},
      {"p_bands", 3.0},
      {"T_bands", 3.0},
      {"p_limit", 1e5},
      {"balance", 1.0}}},
    {"diode_bridge", {{"g_on", 5.0}, {"g_off", 0.5}, {"v_f", 0.0}}},
    {"heat_rod", {{"n", 1.0}, {"film_left", 500.0}}},
    {"heat_rod", {{"n", 7.0}, {"film_left", 500.0}, {"film_right", 0.0}, {"T_start", 400.0}}},
    {"null", {{"n_states", 0.0}, {"n_inputs", 0.0}, {"n_outputs", 3.0}}},
    {"null", {{"n_states", 4.0}, {"n_inputs", 2.0}, {"n_outputs", 6.0}}},
    {"pipe", {{"cells", 1.0}, {"balance", 1.0}}},
    {"pipe", {{"cells", 3.0}, {"expansion", 1.0}, {"balance", 1.0}}},
    {"rc_ladder", {{"n", 1.0}}},
    {"rc_ladder", {{"n", 1.0}, {"open_end", 0.0}}},
    {"rc_ladder", {{"n", 7.0}, {"R", 2.0}, {"C", 0.5}, {"open_end", 0.0}}},
    {"robot", {{"payload", 0.0}, {"balance", 1.0}}},
    {"rlc_line", {{"n", 1.0}}},
    {"rlc_line", {{"n", 5.0}, {"R", 2.0}, {"L", 0.5}, {"C", 0.25}, {"G", 0.1}}},
    {"signal.gain", {{"k", -3.0}, {"offset", 1.0}}},
    {"signal.sampler", {{"period", 0.1}, {"t_first", -0.05}}},
    {"signal.sine", {{"t_on", 1.0}}},
    {"signal.step", {{"t_step", 1.0}}},
    {"test.faulty", {{"chatter_time", 5.0}, {"slide_time", 5.0}}},
    {"vanderpol", {{"mu", 5.0}}},
};

/* Returns the nominal value; 1 if none is declared. */
static double nominal_of(const model_host *host, wrsim_kind kind, int i)
{
    const double nominal = host->variable[kind][i].v.nominal;
    return nominal > 0.0 ? nominal : 1.0;
}

/* Returns a host. Required inputs with the start value 0 get their nominal value. */
static model_host *create_case(const wrsim_model *model, const host_value *values)
{
    model_host *const host = host_create(model, values);
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++) {
        const wrsim_variable *const v = &host->variable[WRSIM_INPUT][i].v;
        if ((v->flags & WRSIM_REQUIRED) && !(v->start < 0.0) && !(v->start > 0.0))
            host->u[i] = nominal_of(host, WRSIM_INPUT, i);
    }
    return host;
}

/* Returns 1 if the model has a parameter without default; such a model needs a case above. */
static int has_required_parameter(const wrsim_model *model)
{
    for (int i = 0; i < model->n_param; i++)
        if (model->params[i].flags & WRSIM_REQUIRED)
            return 1;
    return 0;
}

/* Calls check for every model with its defaults, unless a parameter lacks a default, and with each parameter set. */
static void for_each_case(void (*check)(model_host *))
{
    for (const wrsim_model *const *m = wr_models; *m; m++) {
        int n_checked = 0;
        for (int i = -1; i < (int)(sizeof extra_cases / sizeof extra_cases[0]); i++) {
            if (i >= 0 ? strcmp(extra_cases[i].model, (*m)->name) != 0 : has_required_parameter(*m))
                continue;
            model_host *host = create_case(*m, i >= 0 ? extra_cases[i].values : NULL);
            check(host);
            host_destroy(&host);
            n_checked++;
        }
        if (n_checked == 0)
            fail_msg("model '%s' needs a row in extra_cases", (*m)->name);
    }
}

#define require(host, condition, ...)                                                              \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("model '%s': ", (host)->model->name);                                      \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n");                                                                     \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* ---- Descriptions */

static int is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return 0;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_[]", *c))
            return 0;
    return strlen(name) < HOST_NAME_BYTES - 1;
}

/* Returns 1 for the models signal.*, whose variables have any unit and size. */
static int is_signal(const model_host *host)
{
    return strncmp(host->model->name, "signal.", 7) == 0;
}

/* Returns 1 for event indicators and for all variables of the models signal.*, which need no unit. */
static int may_lack_unit(const model_host *host, wrsim_kind kind)
{
    return kind == WRSIM_INDICATOR || is_signal(host);
}

static void check_variable(const model_host *host, wrsim_kind kind, const host_variable *variable)
{
    const wrsim_variable *const v = &variable->v;
    const char *const name = variable->name;
    require(host, is_identifier(name), "'%s' is no identifier", name);
    require(host, variable->unit[0] || may_lack_unit(host, kind), "'%s' has no unit", name);
    /* Indicators often form numbered rows; the name then describes the indicator. */
    require(host, variable->description[0] || kind == WRSIM_INDICATOR, "'%s' has no description",
            name);
    require(host, isfinite(v->start), "'%s' starts at %g", name, v->start);
    const int is_continuous = kind == WRSIM_STATE || kind == WRSIM_INPUT || kind == WRSIM_OUTPUT;
    require(host, v->nominal > 0.0 || !is_continuous || is_signal(host), "'%s' has nominal %g",
            name, v->nominal);
    require(host, isfinite(v->nominal) && v->nominal >= 0.0, "'%s' has nominal %g", name,
            v->nominal);
    if (v->flags & WRSIM_IS_STATE) {
        require(host, kind == WRSIM_OUTPUT, "'%s' is no output", name);
        require(host, v->index >= 0 && v->index < host->n[WRSIM_STATE], "'%s' is state %d", name,
                v->index);
        require(host, strcmp(variable->unit, host->variable[WRSIM_STATE][v->index].unit) == 0,
                "'%s' has another unit than its state", name);
    }
}

/* Names are unique, but an output that is a state may have the state's name. */
static void check_names(const model_host *host)
{
    for (int kind = 0; kind < WRSIM_PARAMETER; kind++)
        for (int i = 0; i < host->n[kind]; i++) {
            const host_variable *const a = &host->variable[kind][i];
            for (int other = 0; other < WRSIM_PARAMETER; other++) {
                const int j = host_find(host, (wrsim_kind)other, a->name);
                const int is_itself = other == kind && j == i;
                const int is_own_state = kind == WRSIM_OUTPUT && other == WRSIM_STATE &&
                                         (a->v.flags & WRSIM_IS_STATE) && j == a->v.index;
                const int is_own_output = kind == WRSIM_STATE && other == WRSIM_OUTPUT && j >= 0 &&
                                          (host->variable[other][j].v.flags & WRSIM_IS_STATE) &&
                                          host->variable[other][j].v.index == i;
                require(host, j < 0 || is_itself || is_own_state || is_own_output,
                        "two variables are named '%s'", a->name);
            }
        }
}

static void check_parameters(const model_host *host)
{
    const wrsim_model *const model = host->model;
    for (int i = 0; i < model->n_param; i++) {
        const wrsim_variable *const p = &model->params[i];
        require(host, is_identifier(p->name), "parameter '%s' is no identifier", p->name);
        require(host, p->description && p->description[0], "parameter '%s' has no description",
                p->name);
        require(host, p->unit && (p->unit[0] || may_lack_unit(host, WRSIM_PARAMETER)),
                "parameter '%s' has no unit", p->name);
        require(host, isfinite(p->start) && p->min <= p->max, "parameter '%s' has no sense",
                p->name);
        const int is_limited = p->min < 0.0 || p->min > 0.0 || p->max < 0.0 || p->max > 0.0;
        require(host,
                !is_limited || (p->flags & WRSIM_REQUIRED) ||
                    (p->start >= p->min && p->start <= p->max),
                "parameter '%s' defaults to %g", p->name, p->start);
        for (int j = 0; j < i; j++)
            require(host, strcmp(p->name, model->params[j].name) != 0, "parameter '%s' twice",
                    p->name);
    }
}

static void check_description(model_host *host)
{
    const wrsim_model *const model = host->model;
    require(host, model->abi == WRSIM_MODEL_ABI, "ABI %u", (unsigned)model->abi);
    require(host, model->struct_size == sizeof(wrsim_model), "size");
    require(host, model->description && model->description[0], "no description");
    for (int kind = 0; kind < WRSIM_PARAMETER; kind++)
        for (int i = 0; i < host->n[kind]; i++)
            check_variable(host, (wrsim_kind)kind, &host->variable[kind][i]);
    check_names(host);
    check_parameters(host);
    require(host, model->rhs || host->n[WRSIM_STATE] == 0, "no rhs");
    require(host, model->indicator || host->n[WRSIM_INDICATOR] == 0, "no indicator");
    require(host, model->algebra || host->description.n_w == 0, "no algebra");
}

TEST(descriptions) { for_each_case(check_description); }

TEST(model_names_are_unique)
{
    int n = 0;
    for (const wrsim_model *const *a = wr_models; *a; a++, n++)
        for (const wrsim_model *const *b = wr_models; b != a; b++)
            assert_string_not_equal((*a)->name, (*b)->name);
    assert_true(n >= 20);
}

/* ---- Points */

static uint64_t random_state;
static double random_unit(void) { return wr_random_unit(&random_state); }

/* Moves x and u randomly by up to 5 % of the sum of value and nominal value, and t by up to 0.01 s. Sets the modes. */
static void wander(model_host *host)
{
    for (int i = 0; i < host->n[WRSIM_STATE]; i++)
        host->x[i] += 0.05 * random_unit() * (fabs(host->x[i]) + nominal_of(host, WRSIM_STATE, i));
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++)
        host->u[i] += 0.05 * random_unit() * (fabs(host->u[i]) + nominal_of(host, WRSIM_INPUT, i));
    host->t_s += 0.01 * fabs(random_unit());
    host_set_modes(host);
}

/* All results at one point: y, dx, z in sequence. */
typedef struct results {
    int n_y, n_dx, n_z;
    double *y, *dx, *z;
} results;

static results make_results(const model_host *host)
{
    const int n_y = host->n[WRSIM_OUTPUT], n_dx = host->n[WRSIM_STATE],
              n_z = host->n[WRSIM_INDICATOR];
    return (results){n_y,
                     n_dx,
                     n_z,
                     host_alloc((size_t)n_y, sizeof(double)),
                     host_alloc((size_t)n_dx, sizeof(double)),
                     host_alloc((size_t)n_z, sizeof(double))};
}

static void free_results(results *r)
{
    free(r->y);
    free(r->dx);
    free(r->z);
}

/* Evaluates all results; fills the buffers with garbage first to detect unwritten entries. */
static void evaluate(model_host *host, const results *r, double garbage)
{
    for (int i = 0; i < r->n_y; i++)
        r->y[i] = garbage;
    for (int i = 0; i < r->n_dx; i++)
        r->dx[i] = garbage;
    for (int i = 0; i < r->n_z; i++)
        r->z[i] = garbage;
    require(host, host_output(host, r->y) == 0, "output fails");
    require(host, host_rhs(host, r->dx) == 0, "rhs fails");
    require(host, host_indicator(host, r->z) == 0, "indicator fails");
}

static int same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_same(const model_host *host, wrsim_kind kind, const double *a, const double *b,
                       int n)
{
    for (int i = 0; i < n; i++) {
        require(host, isfinite(a[i]), "result of '%s' is not finite at the start",
                host->variable[kind][i].name);
        require(host, same(a[i], b[i]), "result of '%s' is not written, or differs when repeated",
                host->variable[kind][i].name);
    }
}

static void check_results(model_host *host)
{
    host_start(host, 0.0);
    results a = make_results(host), b = make_results(host);
    random_state = 1;
    for (int i = 0; i < 10; i++) {
        evaluate(host, &a, 1e30);
        evaluate(host, &b, -7.0);
        check_same(host, WRSIM_OUTPUT, a.y, b.y, a.n_y);
        check_same(host, WRSIM_STATE, a.dx, b.dx, a.n_dx);
        check_same(host, WRSIM_INDICATOR, a.z, b.z, a.n_z);
        wander(host);
    }
    free_results(&a);
    free_results(&b);
}

TEST(results_are_complete_and_repeatable) { for_each_case(check_results); }

/* ---- Patterns */

/* Returns 1 if a and b are equal up to rounding, e.g. of (m R T) / m. The test changes an argument by 1e-3 of its size or more, so a true
 * dependency changes results by far more than rounding. */
static int nearly_same(double a, double b)
{
    return same(a, b) || fabs(a - b) <= 1e-13 * (fabs(a) + fabs(b));
}

static void check_rows(const model_host *host, wrsim_pattern which, const double *before,
                       const double *after, int n, int column)
{
    static const char *const names[WRSIM_PATTERN_COUNT] = {"X_X", "U_X", "X_Y", "U_Y", "X_Z",
                                                           "U_Z", "Z_D", "D_X", "D_Z"};
    const host_pattern *const pattern = &host->pattern[which];
    for (int row = 0; row < n; row++)
        require(host,
                nearly_same(before[row], after[row]) ||
                    pattern->is_set[row * pattern->n_columns + column],
                "pattern %s lacks (%s, %s)", names[which],
                host->variable[host_pattern_row[which]][row].name,
                host->variable[host_pattern_column[which]][column].name);
}

/* Changes one value after another and compares with the results of the point. */
static void perturb(model_host *host, wrsim_kind kind, double *values, const results *before,
                    const results *after, const wrsim_pattern *patterns)
{
    for (int i = 0; i < host->n[kind]; i++) {
        const double kept = values[i];
        const double scale = nominal_of(host, kind, i);
        /* Discrete states are flags or counts: the test inverts a flag or increments a count. */
        values[i] = kind == WRSIM_DISCRETE ? (same(kept, 1.0) ? 0.0 : kept + 1.0)
                                           : kept + 1e-3 * (fabs(kept) + scale);
        evaluate(host, after, 0.0);
        values[i] = kept;
        if (patterns[0] < WRSIM_PATTERN_COUNT)
            check_rows(host, patterns[0], before->dx, after->dx, before->n_dx, i);
        if (patterns[1] < WRSIM_PATTERN_COUNT)
            check_rows(host, patterns[1], before->y, after->y, before->n_y, i);
        if (patterns[2] < WRSIM_PATTERN_COUNT)
            check_rows(host, patterns[2], before->z, after->z, before->n_z, i);
    }
}

/* Fires every indicator alone, up and down. The pattern Z_D must declare all changed discrete states. */
static void perturb_events(model_host *host)
{
    const int n_x = host->n[WRSIM_STATE], n_d = host->n[WRSIM_DISCRETE],
              n_z = host->n[WRSIM_INDICATOR];
    AUTO(wr_test_free)
    double *x = host_alloc((size_t)n_x, sizeof *x), *d = host_alloc((size_t)n_d, 8);
    signed char *const fired = host_alloc((size_t)n_z, 1);
    memcpy(x, host->x, (size_t)n_x * sizeof *x);
    memcpy(d, host->d, (size_t)n_d * sizeof *d);
    for (int i = 0; i < 2 * n_z; i++) {
        const int z = i / 2, direction = i % 2 ? 1 : -1;
        const unsigned char kept = host->mode[z];
        fired[z] = (signed char)direction;
        host->mode[z] = direction > 0;
        const wrsim_event event = {.fired = fired};
        require(host, host_event(host, &event) == 0, "event fails");
        check_rows(host, WRSIM_Z_D, d, host->d, n_d, z);
        for (int k = 0; k < n_x; k++)
            require(host, isfinite(host->x[k]), "event makes '%s' not finite",
                    host->variable[WRSIM_STATE][k].name);
        host->mode[z] = kept;
        fired[z] = 0;
        memcpy(host->x, x, (size_t)n_x * sizeof *x);
        memcpy(host->d, d, (size_t)n_d * sizeof *d);
    }
    free(fired);
}

static void check_patterns(model_host *host)
{
    static const wrsim_pattern by_x[] = {WRSIM_X_X, WRSIM_X_Y, WRSIM_X_Z},
                               by_u[] = {WRSIM_U_X, WRSIM_U_Y, WRSIM_U_Z},
                               by_d[] = {WRSIM_D_X, WRSIM_PATTERN_COUNT, WRSIM_D_Z};
    host_start(host, 0.0);
    results before = make_results(host), after = make_results(host);
    random_state = 2;
    for (int i = 0; i < 8; i++) {
        /* Each point has its own modes. Every second point inverts some modes, as in an integrator when a step passes an event. */
        for (int k = 0; k < host->n[WRSIM_INDICATOR] && i % 2; k++)
            if (random_unit() > 0.8)
                host->mode[k] ^= 1u;
        evaluate(host, &before, 0.0);
        perturb(host, WRSIM_STATE, host->x, &before, &after, by_x);
        perturb(host, WRSIM_INPUT, host->u, &before, &after, by_u);
        perturb(host, WRSIM_DISCRETE, host->d, &before, &after, by_d);
        perturb_events(host);
        wander(host);
    }
    free_results(&before);
    free_results(&after);
}

TEST(patterns_hide_nothing) { for_each_case(check_patterns); }

/* Evaluates the outputs with NaN in the inputs on which no output depends. */
static void check_unread_inputs(model_host *host)
{
    host_start(host, 0.0);
    const host_pattern *const pattern = &host->pattern[WRSIM_U_Y];
    AUTO(wr_test_free) double *y = host_alloc((size_t)host->n[WRSIM_OUTPUT], sizeof *y);
    for (int column = 0; column < pattern->n_columns; column++) {
        int is_read = 0;
        for (int row = 0; row < pattern->n_rows; row++)
            is_read |= pattern->is_set[row * pattern->n_columns + column];
        if (!is_read)
            host->u[column] = (double)NAN;
    }
    require(host, host_output(host, y) == 0, "output fails");
    for (int i = 0; i < host->n[WRSIM_OUTPUT]; i++)
        require(host, isfinite(y[i]), "output '%s' reads an input it has not declared",
                host->variable[WRSIM_OUTPUT][i].name);
}

TEST(outputs_read_declared_inputs_only) { for_each_case(check_unread_inputs); }

/* ---- Jacobians, against central differences */

static void check_jacobian(model_host *host)
{
    if (!host_has_jacobian(host))
        return;
    host_start(host, 0.0);
    const int n = host->n[WRSIM_STATE];
    AUTO(wr_test_free) double *jac = host_alloc((size_t)(n * n), sizeof *jac);
    AUTO(wr_test_free)
    double *up = host_alloc((size_t)n, sizeof *up), *down = host_alloc((size_t)n, 8);
    random_state = 3;
    for (int pass = 0; pass < 5; pass++, wander(host)) {
        for (int i = 0; i < n * n; i++)
            jac[i] = 1e30; /* the callback must write all entries */
        require(host, host_jacobian(host, jac) == 0, "jacobian fails");
        for (int column = 0; column < n; column++) {
            const double kept = host->x[column];
            const double step = 1e-5 * (fabs(kept) + nominal_of(host, WRSIM_STATE, column));
            host->x[column] = kept + step;
            require(host, host_rhs(host, up) == 0, "rhs fails");
            host->x[column] = kept - step;
            require(host, host_rhs(host, down) == 0, "rhs fails");
            host->x[column] = kept;
            for (int row = 0; row < n; row++) {
                /* Differences have the error step^2 f''' plus rounding of f over step. */
                const double expected = (up[row] - down[row]) / (2.0 * step);
                const double limit = 1e-6 * fabs(expected) +
                                     1e-13 * (fabs(up[row]) + fabs(down[row])) / step + 1e-12;
                require(host, fabs(jac[column * n + row] - expected) <= limit,
                        "df%d/dx%d is %.12g, differences give %.12g", row, column,
                        jac[column * n + row], expected);
            }
        }
    }
}

TEST(jacobians_are_derivatives) { for_each_case(check_jacobian); }

/* ---- Directional derivatives, against central differences along a random direction */

static void move(model_host *host, const double *dx, const double *du, double step)
{
    for (int i = 0; i < host->n[WRSIM_STATE]; i++)
        host->x[i] += step * dx[i];
    for (int i = 0; i < host->n[WRSIM_INPUT]; i++)
        host->u[i] += step * du[i];
}

/* Stores derivatives of states, then outputs. */
static void values_at(model_host *host, double *ret)
{
    require(host, host_rhs(host, ret) == 0, "rhs fails");
    require(host, host_output(host, ret + host->n[WRSIM_STATE]) == 0, "output fails");
}

static void check_tangent(model_host *host)
{
    const wrsim_model *const model = host->model;
    if (!model->tangent || !model->tangent_output)
        return;
    host_start(host, 0.0);
    const int n_x = host->n[WRSIM_STATE], n_u = host->n[WRSIM_INPUT], n_y = host->n[WRSIM_OUTPUT];
    const int n = n_x + n_y;
    AUTO(wr_test_free) double *work = host_alloc((size_t)(n_x + n_u + 3 * n), sizeof *work);
    double *const du = work + n_x, *const up = du + n_u, *const down = up + n;
    double *const tangent = down + n;
    random_state = 5;
    for (int pass = 0; pass < 5; pass++, wander(host)) {
        for (int i = 0; i < n_x; i++)
            work[i] = random_unit() * nominal_of(host, WRSIM_STATE, i);
        for (int i = 0; i < n_u; i++)
            du[i] = random_unit() * nominal_of(host, WRSIM_INPUT, i);
        const double step = 1e-5;
        move(host, work, du, step);
        values_at(host, up);
        move(host, work, du, -2.0 * step);
        values_at(host, down);
        move(host, work, du, step);
        const wrsim_point at = host_point(host);
        require(host, model->tangent(&host->instance, &at, work, du, tangent) == 0, "tangent");
        require(host, model->tangent_output(&host->instance, &at, work, du, tangent + n_x) == 0,
                "tangent_output");
        for (int i = 0; i < n; i++) {
            const int is_copied =
                i >= n_x && (host->variable[WRSIM_OUTPUT][i - n_x].v.flags & WRSIM_IS_STATE);
            if (!is_copied)
                assert_close(tangent[i], (up[i] - down[i]) / (2.0 * step), 1e-6,
                             1e-13 * (fabs(up[i]) + fabs(down[i])) / step + 1e-12);
        }
    }
}

TEST(tangents_are_derivatives) { for_each_case(check_tangent); }

/* ---- Time events */

static void check_next_time(model_host *host)
{
    host_start(host, 0.0);
    signed char *const fired = host_alloc((size_t)host->n[WRSIM_INDICATOR], 1);
    for (int i = 0; i < 100; i++) {
        const double next_s = host_next_time(host);
        require(host, next_s > host->t_s, "next event at %.17g is not after %.17g", next_s,
                host->t_s);
        if (!isfinite(next_s))
            break;
        host->t_s = next_s;
        const wrsim_event event = {.fired = fired, .is_time_event = 1};
        require(host, host_event(host, &event) == 0, "time event fails");
    }
    free(fired);
}

TEST(announced_times_move_on) { for_each_case(check_next_time); }

TEST(sampler_times_are_a_grid)
{
    const host_value values[] = {{"period", 0.1}, {"t_first", 0.05}, {NULL, 0.0}};
    const wrsim_model *const *m = wr_models;
    while (strcmp((*m)->name, "signal.sampler") != 0)
        m++;
    AUTO(host_destroy) model_host *host = host_create(*m, values);
    host->u[0] = 4.0;
    host_start(host, 0.0);
    double y = -1.0;
    for (int i = 0; i < 1000; i++) {
        assert_close(host_next_time(host), 0.05 + i * 0.1, 1e-15, 1e-15);
        host->t_s = host_next_time(host);
        host->u[0] = i;
        const wrsim_event event = {.is_time_event = 1};
        assert_int_equal(host_event(host, &event), 0);
        assert_int_equal(host_output(host, &y), 0);
        assert_close(y, i, 0.0, 0.0);
    }
}

/* ---- The example plug-in, built as a shared object */

TEST(plugin_example)
{
    void *const handle = dlopen(wr_test_arg(1), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        print_error("%s\n", dlerror());
    assert_non_null(handle);
    wrsim_plugin_models_fn entry = NULL;
    void *const symbol = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    assert_non_null(symbol);
    memcpy(&entry, &symbol,
           sizeof entry); /* POSIX's conversion of an object to a function pointer */
    assert_null(entry(WRSIM_MODEL_ABI + 1));
    const wrsim_model *const *models = entry(WRSIM_MODEL_ABI);
    assert_non_null(models);
    assert_non_null(models[0]);
    void (*const checks[])(model_host *) = {check_description,   check_results,  check_patterns,
                                            check_unread_inputs, check_jacobian, check_next_time};
    for (; *models; models++)
        for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
            AUTO(host_destroy) model_host *host = create_case(*models, NULL);
            checks[i](host);
        }
    dlclose(handle);
}
