/* Creates components: parameters, variables and start values of one model instance. See component.h.
 *
 * A model is foreign code. The code collects the declarations of describe() with limits on all sizes. Further checks of the declarations
 * follow, so that one run may report several errors.
 *
 * Thread: one at a time. Real-time: no (setup only).
 */
#include "subsystems/model_host/component.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/descriptor.h"

enum {
    MAX_VARIABLES = 1000000, /* most variables per kind, and most input blocks (assumed) */
    MAX_W = 1000000,
    MAX_NONZERO =
        20000000, /* most elements per pattern, and entries of the mass matrix (assumed) */
    MAX_MASS_STATES =
        2000, /* most states with a mass matrix (assumed): the search for null spaces uses full matrices */
    MAX_TEXT_BYTES =
        1024, /* most bytes copied from a name, or another string of a model (assumed) */
    MAX_NAME_BYTES = 128,
    MAX_ERRORS =
        10, /* most reported errors of a model (assumed): a broken model repeats its errors */
    KNOWN_FLAGS = WRSIM_REQUIRED | WRSIM_IS_STATE | WRSIM_RISING_ONLY | WRSIM_FALLING_ONLY |
                  WRSIM_DISCONTINUOUS | WRSIM_COMPUTED_START
};
static const size_t max_data_bytes = (size_t)1 << 30;

static const char *const kind_names[WRSIM_KIND_COUNT] = {"state",  "discrete state", "input",
                                                         "output", "indicator",      "parameter"};

/* Kinds of the rows and columns of each pattern. */
static const struct {
    const char *name;
    wrsim_kind row, column;
} pattern_shapes[WRSIM_PATTERN_COUNT] = {
    [WRSIM_X_X] = {"X_X", WRSIM_STATE, WRSIM_STATE},
    [WRSIM_U_X] = {"U_X", WRSIM_STATE, WRSIM_INPUT},
    [WRSIM_X_Y] = {"X_Y", WRSIM_OUTPUT, WRSIM_STATE},
    [WRSIM_U_Y] = {"U_Y", WRSIM_OUTPUT, WRSIM_INPUT},
    [WRSIM_X_Z] = {"X_Z", WRSIM_INDICATOR, WRSIM_STATE},
    [WRSIM_U_Z] = {"U_Z", WRSIM_INDICATOR, WRSIM_INPUT},
    [WRSIM_Z_D] = {"Z_D", WRSIM_DISCRETE, WRSIM_INDICATOR},
    [WRSIM_D_X] = {"D_X", WRSIM_STATE, WRSIM_DISCRETE},
    [WRSIM_D_Z] = {"D_Z", WRSIM_INDICATOR, WRSIM_DISCRETE},
};

/* Work data of a component's description. */
typedef struct description_work {
    wr_component *component;
    wr_diag *diag;
    int cap[WRSIM_KIND_COUNT];
    int n_error;
} description_work;

static int complain(description_work *work, wrsim_status status, const char *format, ...)
    WR_PRINTF(3, 4);

static int complain(description_work *work, wrsim_status status, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (work->n_error++ < MAX_ERRORS)
        wr_diag_add(work->diag, status, &work->component->where, "component '%s' (model '%s'): %s",
                    work->component->name, work->component->model->name, text);
    return -1;
}

/* Returns the length of a model's string, at most MAX_TEXT_BYTES; 0 for NULL. */
static size_t text_bytes_of(const char *text) { return text ? strnlen(text, MAX_TEXT_BYTES) : 0; }

/* Copies text to *at, moves *at behind the copy, and returns the copy. */
static char *put_text(char **at, const char *text, size_t n)
{
    char *const copy = *at;
    if (n > 0)
        memcpy(copy, text, n);
    copy[n] = '\0';
    *at += n + 1;
    return copy;
}

static char *copy_text(const char *text)
{
    const size_t n = text_bytes_of(text);
    char *at = malloc(n + 1);
    return at ? put_text(&at, text, n) : NULL;
}

/* Copies name, unit and description into one allocation. Returns 0, or -1 when out of memory. */
static int copy_texts(wr_variable *ret, const wrsim_variable *v)
{
    const size_t n_name = text_bytes_of(v->name), n_unit = text_bytes_of(v->unit);
    const size_t n_description = text_bytes_of(v->description);
    char *at = malloc(n_name + n_unit + n_description + 3);
    if (!at)
        return -1;
    ret->name = put_text(&at, v->name, n_name);
    ret->unit = put_text(&at, v->unit, n_unit);
    ret->description = put_text(&at, v->description, n_description);
    return 0;
}

static int check_variable(description_work *work, wrsim_kind kind, const wrsim_variable *v)
{
    if (!v->name || !wr_model_is_variable_name(v->name))
        return complain(work, WRSIM_E_MODEL, "%s number %d has no valid name; " WR_MODEL_NAME_RULE,
                        kind_names[kind], work->component->n[kind]);
    const char *reason = NULL;
    if (!isfinite(v->start))
        reason = "has a start value that is not finite; give a finite value";
    else if (!isfinite(v->nominal) || v->nominal < 0)
        reason =
            "has a nominal value that is negative or not finite; give a typical magnitude, or 0";
    else if (isnan(v->min) || isnan(v->max))
        reason = "has limits that are not numbers; give numbers, or 0 for no limit";
    else if (v->flags & ~(unsigned)KNOWN_FLAGS)
        reason = "has unknown flags; set only flags of wrsim/model.h";
    else if ((v->flags & WRSIM_RISING_ONLY) && (v->flags & WRSIM_FALLING_ONLY))
        reason = "is both rising-only and falling-only; remove one flag";
    else if (v->choices || v->text)
        reason = "has choices or a text, which only parameters may have; remove them";
    else if ((v->flags & WRSIM_IS_STATE) && kind != WRSIM_OUTPUT)
        reason = "has the flag WRSIM_IS_STATE, which only outputs may have; remove the flag";
    else if ((v->flags & WRSIM_COMPUTED_START) && kind != WRSIM_STATE)
        reason = "has the flag WRSIM_COMPUTED_START, which only states may have; remove the flag";
    if (!reason)
        return 0;
    return complain(work, WRSIM_E_MODEL, "%s '%s' %s", kind_names[kind], v->name, reason);
}

/* Returns memory for a further variable of a kind. Returns NULL when out of memory. */
static wr_variable *grow_variables(description_work *work, wrsim_kind kind)
{
    wr_component *const component = work->component;
    const int n = component->n[kind];
    if (n == work->cap[kind]) {
        const int cap = n ? 2 * n : 16;
        wr_variable *const grown = realloc(component->variable[kind], (size_t)cap * sizeof *grown);
        if (!grown)
            return NULL;
        component->variable[kind] = grown;
        work->cap[kind] = cap;
    }
    return &component->variable[kind][n];
}

static int append_variable(description_work *work, wrsim_kind kind, const wrsim_variable *v)
{
    wr_variable *const slot = grow_variables(work, kind);
    if (!slot)
        return complain(work, WRSIM_E_MEMORY, "out of memory");
    *slot = (wr_variable){.start = v->start,
                          .nominal = v->nominal > 0 ? v->nominal : 1.0,
                          .is_nominal_declared = v->nominal > 0,
                          .min = v->min,
                          .max = v->max,
                          .flags = v->flags,
                          .index = v->index};
    if (copy_texts(slot, v) < 0)
        return complain(work, WRSIM_E_MEMORY, "out of memory");
    work->component->n[kind]++; /* wr_component_destroy() frees counted variables only */
    return 0;
}

static int on_add(wrsim_description *description, wrsim_kind kind, const wrsim_variable *v)
{
    description_work *const work = description->host;
    if ((int)kind < 0 || kind >= WRSIM_PARAMETER || !v)
        return complain(work, WRSIM_E_MODEL,
                        "the model adds NULL, or a variable of an unknown kind; pass a variable of "
                        "a kind from WRSIM_STATE to WRSIM_INDICATOR");
    if (work->component->n[kind] >= MAX_VARIABLES) {
        return complain(work, WRSIM_E_MODEL,
                        "the model has more than %d variables of kind %s; divide the model",
                        MAX_VARIABLES, kind_names[kind]);
    }
    if (check_variable(work, kind, v) < 0)
        return -1;
    return append_variable(work, kind, v);
}

static int on_depends(wrsim_description *description, wrsim_pattern pattern, int row, int column)
{
    description_work *const work = description->host;
    if ((int)pattern < 0 || pattern >= WRSIM_PATTERN_COUNT)
        return complain(work, WRSIM_E_MODEL,
                        "the model declares an unknown pattern; pass a value of wrsim_pattern");
    wr_incidence *const incidence = &work->component->pattern[pattern];
    incidence->is_declared = 1;
    if (row == -1 && column == -1)
        return 0;
    if (row < 0 || column < 0 || incidence->n >= MAX_NONZERO)
        return complain(work, WRSIM_E_MODEL,
                        "the model declares a pattern element with a negative index, or too many "
                        "elements; correct the elements");
    if (incidence->n == incidence->cap) {
        const int cap = incidence->cap ? 2 * incidence->cap : 64;
        int *const rows = realloc(incidence->row, (size_t)cap * sizeof *rows);
        if (rows)
            incidence->row = rows;
        int *const columns = realloc(incidence->column, (size_t)cap * sizeof *columns);
        if (columns)
            incidence->column = columns;
        if (!rows || !columns)
            return complain(work, WRSIM_E_MEMORY, "out of memory");
        incidence->cap = cap;
    }
    incidence->row[incidence->n] = row;
    incidence->column[incidence->n++] = column;
    return 0;
}

static int grow_mass(wr_mass_list *list)
{
    const int cap = list->cap ? 2 * list->cap : 64;
    int *const row = realloc(list->row, (size_t)cap * sizeof *row);
    list->row = row ? row : list->row;
    int *const column = realloc(list->column, (size_t)cap * sizeof *column);
    list->column = column ? column : list->column;
    double *const value = realloc(list->value, (size_t)cap * sizeof *value);
    list->value = value ? value : list->value;
    if (!row || !column || !value)
        return -1;
    list->cap = cap;
    return 0;
}

static int on_mass(wrsim_description *description, int row, int column, double value)
{
    description_work *const work = description->host;
    wr_mass_list *const list = &work->component->mass;
    if (row < 0 || column < 0 || list->n >= MAX_NONZERO || !isfinite(value))
        return complain(work, WRSIM_E_MODEL,
                        "an entry of the mass matrix has a negative index or is not finite, or the "
                        "entries are too many; correct the entries");
    if (list->n == list->cap && grow_mass(list) < 0)
        return complain(work, WRSIM_E_MEMORY, "out of memory");
    list->row[list->n] = row;
    list->column[list->n] = column;
    list->value[list->n++] = value;
    return 0;
}

static int on_port(wrsim_description *description, int first, int n)
{
    description_work *const work = description->host;
    wr_component *const component = work->component;
    if (first < 0 || n < 1 || n > MAX_VARIABLES || component->n_port >= MAX_VARIABLES)
        return complain(
            work, WRSIM_E_MODEL,
            "the model declares an input block with an invalid index or number of inputs, or too "
            "many input blocks; correct the calls of port()");
    if (component->n_port == component->cap_port) {
        const int cap = component->cap_port ? 2 * component->cap_port : 8;
        wr_input_port *const grown = realloc(component->port, (size_t)cap * sizeof *grown);
        if (!grown)
            return complain(work, WRSIM_E_MEMORY, "out of memory");
        component->port = grown;
        component->cap_port = cap;
    }
    component->port[component->n_port++] = (wr_input_port){first, n};
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const wr_variable *const *const va = a;
    const wr_variable *const *const vb = b;
    return strcmp((*va)->name, (*vb)->name);
}

/* Returns whether two variables may have one name. Only an output that is a state may have the name of this state. */
static int may_share_name(const wr_component *component, const wr_variable *a, const wr_variable *b)
{
    const wr_variable *const output = (a->flags & WRSIM_IS_STATE) ? a : b;
    const wr_variable *const other = output == a ? b : a;
    return (output->flags & WRSIM_IS_STATE) && output->index >= 0 &&
           output->index < component->n[WRSIM_STATE] &&
           other == &component->variable[WRSIM_STATE][output->index];
}

/* Returns the kind of a variable of the component. */
static wrsim_kind kind_of(const wr_component *component, const wr_variable *v)
{
    int kind = 0;
    while (component->n[kind] == 0 || v < component->variable[kind] ||
           v >= component->variable[kind] + component->n[kind])
        kind++;
    return (wrsim_kind)kind;
}

static void complain_of_names(description_work *work, const wr_variable *a, const wr_variable *b)
{
    const wr_component *const component = work->component;
    const wrsim_kind a_kind = kind_of(component, a), b_kind = kind_of(component, b);
    const int a_index = (int)(a - component->variable[a_kind]);
    const int b_index = (int)(b - component->variable[b_kind]);
    if (a_kind > b_kind || (a_kind == b_kind && a_index > b_index)) {
        complain_of_names(work, b, a);
        return;
    }
    complain(work, WRSIM_E_MODEL,
             "%s %d and %s %d, numbered from 0, are both named '%s'; rename one of them",
             kind_names[a_kind], a_index, kind_names[b_kind], b_index, a->name);
}

static void check_unique_names(description_work *work)
{
    const wr_component *const component = work->component;
    size_t n = 0;
    for (int kind = 0; kind < WRSIM_PARAMETER; kind++)
        n += (size_t)component->n[kind];
    const wr_variable **const all = malloc((n + 1) * sizeof *all);
    if (!all) {
        complain(work, WRSIM_E_MEMORY, "out of memory");
        return;
    }
    size_t k = 0;
    for (int kind = 0; kind < WRSIM_PARAMETER; kind++)
        for (int i = 0; i < component->n[kind]; i++)
            all[k++] = &component->variable[kind][i];
    qsort(all, n, sizeof *all, by_name);
    for (size_t i = 1; i < n; i++)
        if (strcmp(all[i - 1]->name, all[i]->name) == 0 &&
            !may_share_name(component, all[i - 1], all[i]))
            complain_of_names(work, all[i - 1], all[i]);
    free(all);
}

static void check_state_outputs(description_work *work)
{
    wr_component *const component = work->component;
    for (int i = 0; i < component->n[WRSIM_OUTPUT]; i++) {
        const wr_variable *const y = &component->variable[WRSIM_OUTPUT][i];
        if (!(y->flags & WRSIM_IS_STATE))
            continue;
        if (y->index < 0 || y->index >= component->n[WRSIM_STATE]) {
            complain(work, WRSIM_E_MODEL,
                     "output '%s' is declared as state %d, but the model has %d states, numbered "
                     "from 0; correct the index",
                     y->name, y->index, component->n[WRSIM_STATE]);
        }
    }
}

static void check_patterns(description_work *work)
{
    const wr_component *const component = work->component;
    for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
        const int n_row = component->n[pattern_shapes[p].row];
        const int n_column = component->n[pattern_shapes[p].column];
        const wr_incidence *const incidence = &component->pattern[p];
        for (int i = 0; i < incidence->n; i++)
            if (incidence->row[i] >= n_row || incidence->column[i] >= n_column) {
                complain(work, WRSIM_E_MODEL,
                         "pattern %s has element (%d, %d) but is %d x %d; correct the indices",
                         pattern_shapes[p].name, incidence->row[i], incidence->column[i], n_row,
                         n_column);
                break;
            }
    }
}

/* Checks the indices against the sizes, and rejects entries that are set twice. */
static void check_mass(description_work *work)
{
    const wr_mass_list *const list = &work->component->mass;
    const int n = work->component->n[WRSIM_STATE];
    char text[160];
    if (list->n == 0)
        return;
    if (n > MAX_MASS_STATES) {
        complain(
            work, WRSIM_E_MODEL,
            "the model has a mass matrix and %d states, but at most %d states are allowed with "
            "a mass matrix; divide the model",
            n, MAX_MASS_STATES);
        return;
    }
    unsigned char *const is_set = calloc((size_t)n * (size_t)n + 1, 1);
    if (!is_set)
        complain(work, WRSIM_E_MEMORY, "out of memory");
    for (int i = 0; is_set && i < list->n; i++) {
        const int row = list->row[i], column = list->column[i];
        const int is_inside = row < n && column < n;
        unsigned char *const flag =
            is_inside ? is_set + (size_t)row * (size_t)n + (size_t)column : NULL;
        if (!is_inside)
            snprintf(text, sizeof text,
                     "the mass matrix has element (%d, %d) but is %d x %d; correct the indices",
                     row, column, n, n);
        else if (*flag)
            snprintf(text, sizeof text,
                     "element (%d, %d) of the mass matrix is set twice; set it once", row, column);
        if (!is_inside || *flag) {
            complain(work, WRSIM_E_MODEL, "%s", text);
            break;
        }
        *flag = 1;
    }
    free(is_set);
}

static void check_ports(description_work *work)
{
    const wr_component *const component = work->component;
    const int n_u = component->n[WRSIM_INPUT];
    if (component->n_port == 0)
        return;
    unsigned char *const is_taken = calloc((size_t)n_u + 1, 1);
    if (!is_taken) {
        complain(work, WRSIM_E_MEMORY, "out of memory");
        return;
    }
    for (int k = 0; k < component->n_port; k++) {
        const wr_input_port port = component->port[k];
        const char *reason = port.first > n_u - port.n
                                 ? "goes beyond the model's inputs; correct the call of port()"
                                 : NULL;
        for (int i = 0; i < port.n && !reason; i++)
            if (is_taken[port.first + i]++)
                reason = "shares an input with another input block; correct the call of port()";
        if (!reason)
            continue;
        complain(work, WRSIM_E_MODEL, "input block %d (inputs %d to %d) %s", k, port.first,
                 port.first + port.n - 1, reason);
    }
    free(is_taken);
}

static void check_callbacks(description_work *work)
{
    const wr_component *const component = work->component;
    const wrsim_model *const model = component->model;
    int n_computed = 0;
    for (int i = 0; i < component->n[WRSIM_OUTPUT]; i++)
        n_computed += !(component->variable[WRSIM_OUTPUT][i].flags & WRSIM_IS_STATE);
    if (component->n[WRSIM_STATE] > 0 && !model->rhs)
        complain(work, WRSIM_E_MODEL, "the model has states but no rhs callback; add rhs()");
    if (n_computed > 0 && !model->output)
        complain(work, WRSIM_E_MODEL, "the model has outputs but no output callback; add output()");
    if (model->jacobian_sparse && !component->pattern[WRSIM_X_X].is_declared)
        complain(work, WRSIM_E_MODEL,
                 "the model has jacobian_sparse() but declares no pattern WRSIM_X_X; declare this "
                 "pattern in describe()");
    if (component->n_w > 0 && !model->algebra)
        complain(work, WRSIM_E_MODEL,
                 "the model has n_w > 0 but no algebra callback; add algebra()");
    if (component->n[WRSIM_INDICATOR] > 0 && !model->indicator)
        complain(work, WRSIM_E_MODEL,
                 "the model has indicators but no indicator callback; add indicator()");
    if (model->stepper &&
        component->n[WRSIM_STATE] + component->n[WRSIM_DISCRETE] + component->n[WRSIM_INDICATOR] >
            0)
        complain(work, WRSIM_E_MODEL,
                 "the model has a stepper and states, discrete states or indicators; declare only "
                 "the stepper");
}

static void describe(description_work *work)
{
    wr_component *const component = work->component;
    wrsim_description description = {.struct_size = sizeof description,
                                     .add = on_add,
                                     .depends = on_depends,
                                     .host = work,
                                     .mass = on_mass,
                                     .port = on_port};
    wr_calling_begin(component->name, "describe", (double)NAN);
    const int rc = component->model->describe(&component->instance, &description);
    wr_calling_end();
    const char *const message = component->instance.message;
    component->instance.message = NULL;
    if (rc != 0 && work->n_error == 0) {
        char returned[48] = "";
        if (!message || rc > 1 || rc < -1) /* 1 and -1 mean only that describe() has failed */
            snprintf(returned, sizeof returned, " (describe() returned %d)", rc);
        complain(work, WRSIM_E_MODEL, "the model refuses its parameters: %.400s%s%s",
                 message && message[0] ? message : "unknown reason", returned,
                 message && message[0] ? "" : "; debug the model, or set instance->message");
    }
    if (work->n_error > 0)
        return;
    if (description.n_w < 0 || description.n_w > MAX_W)
        complain(work, WRSIM_E_MODEL,
                 "the model declares an n_w that is negative or above %d; correct n_w", MAX_W);
    else if (description.data_bytes > max_data_bytes || description.memory_bytes > max_data_bytes)
        complain(work, WRSIM_E_MODEL, "the model requests more than 1 GiB of data; request less");
    else if (!(description.time_scale_s >= 0.0))
        complain(work, WRSIM_E_MODEL,
                 "the model declares a time_scale_s that is negative or not a number; declare a "
                 "time in s, or 0");
    else {
        component->time_scale_s = description.time_scale_s;
        component->n_w = description.n_w;
        component->data_bytes = description.data_bytes;
        component->memory_bytes = description.memory_bytes;
    }
    check_state_outputs(work);
    check_unique_names(work);
    check_patterns(work);
    check_mass(work);
    check_ports(work);
    check_callbacks(work);
}

/* Reports a name that no variable of the kinds `from` to `to` has. */
static void complain_unknown(description_work *work, const wr_assignment *a, const char *what,
                             wrsim_kind from, wrsim_kind to)
{
    static const char *const others[WRSIM_KIND_COUNT] = {
        [WRSIM_STATE] = "is a state; set it in 'start'",
        [WRSIM_DISCRETE] = "is a discrete state; set it in 'start'",
        [WRSIM_INPUT] = "is an input; connect it, or set it in 'start'",
        [WRSIM_OUTPUT] = "is an output, which a config cannot set; remove this value",
        [WRSIM_PARAMETER] = "is a parameter; set it in 'parameters'"};
    const wr_component *const component = work->component;
    int n = 0, n_all = 0;
    work->n_error++;
    for (wrsim_kind kind = 0; kind < WRSIM_KIND_COUNT; kind++)
        if (others[kind] && wr_component_find(component, kind, a->name) >= 0) {
            wr_diag_add(work->diag, WRSIM_E_CONFIG, &a->where,
                        "component '%s': '%.64s' of model '%s' %s", component->name, a->name,
                        component->model->name, others[kind]);
            return;
        }
    for (int kind = (int)from; kind <= (int)to; kind++)
        n_all += component->n[kind];
    const char **const names = calloc((size_t)n_all + 1, sizeof *names);
    for (int kind = (int)from; names && kind <= (int)to; kind++)
        for (int i = 0; i < component->n[kind]; i++)
            names[n++] = component->variable[kind][i].name;
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(work->diag, WRSIM_E_CONFIG, &a->where,
                "component '%s': model '%s' has no %s '%.64s'; %s", component->name,
                component->model->name, what, a->name, wr_names_hint(a->name, names, n, hint));
    free(names);
}

enum { VALUE_BYTES = 80 };

/* Writes the value as in a config, and returns the text. */
static const char *value_text(const wr_assignment *a, char ret_text[VALUE_BYTES])
{
    if (a->text)
        snprintf(ret_text, VALUE_BYTES, "\"%.60s\"", a->text);
    else if (a->is_flag)
        snprintf(ret_text, VALUE_BYTES, "%s", a->value > 0.0 ? "true" : "false");
    else
        snprintf(ret_text, VALUE_BYTES, "%.17g", a->value);
    return ret_text;
}

static void complain_value(description_work *work, const wr_assignment *a, const char *format,
                           double low, double high) __attribute__((format(printf, 3, 0)));

static void complain_value(description_work *work, const wr_assignment *a, const char *format,
                           double low, double high)
{
    char text[160], value[VALUE_BYTES];
    snprintf(text, sizeof text, format, low, high);
    wr_diag_add(work->diag, WRSIM_E_CONFIG, &a->where, "component '%s': %s = %s %s",
                work->component->name, a->name, value_text(a, value), text);
    work->n_error++;
}

/* Returns the type of a parameter if the value in the config has another type; else NULL. */
static const char *wanted_type(const wrsim_variable *p, const wr_assignment *a)
{
    const int is_text = a->text != NULL;
    if (p->flags & WRSIM_BOOLEAN)
        return a->is_flag ? NULL : "true or false";
    if (p->flags & WRSIM_TEXT)
        return is_text ? NULL : "a text in quotes";
    if (p->choices)
        return is_text ? NULL : "the name of one of its values, in quotes";
    return is_text || a->is_flag ? "a number" : NULL;
}

static void complain_type(description_work *work, const wr_assignment *a, const char *wanted)
{
    char value[VALUE_BYTES];
    wr_diag_add(work->diag, WRSIM_E_CONFIG, &a->where,
                "component '%s': parameter '%s' must be %s, but is %s%s%s", work->component->name,
                a->name, wanted, a->text ? "the text " : "", value_text(a, value),
                a->number_hint && strcmp(wanted, "a number") == 0 ? a->number_hint : "");
    work->n_error++;
}

static void set_choice(description_work *work, int i, const wr_assignment *a)
{
    const char *const *const choices = work->component->model->params[i].choices;
    int n = 0, found = -1;
    for (; choices[n]; n++)
        if (strcmp(choices[n], a->text) == 0)
            found = n;
    if (found >= 0) {
        work->component->param[i] = found;
        return;
    }
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(work->diag, WRSIM_E_CONFIG, &a->where,
                "component '%s': parameter '%s' has no value '%.64s'; %s", work->component->name,
                a->name, a->text, wr_names_hint(a->text, choices, n, hint));
    work->n_error++;
}

/* Sets a text parameter. MAX_TEXT_BYTES does not limit texts of a config. Returns 0, or -1 when out of memory. */
static int set_text(wr_component *component, int i, const char *text)
{
    char *const copy = malloc(strlen(text) + 1);
    if (!copy)
        return -1;
    strcpy(copy, text);
    free(component->text[i]);
    component->text[i] = copy;
    return 0;
}

static void set_param(description_work *work, const wr_assignment *a, unsigned char *is_given)
{
    wr_component *const component = work->component;
    const int i = wr_component_find(component, WRSIM_PARAMETER, a->name);
    if (i < 0)
        return; /* wr_component_create() reports the name when all variables are known */
    const wr_variable *const p = &component->variable[WRSIM_PARAMETER][i];
    const wrsim_variable *const declared = &component->model->params[i];
    const char *const wanted = wanted_type(declared, a);
    const int is_limited = p->min < 0 || p->min > 0 || p->max < 0 || p->max > 0;
    if (a->is_refused)
        work->n_error++;
    else if (is_given[i])
        complain_value(work, a, "is given twice; remove one value", 0, 0);
    else if (wanted)
        complain_type(work, a, wanted);
    else if (declared->choices)
        set_choice(work, i, a);
    else if (p->flags & WRSIM_TEXT) {
        if (set_text(component, i, a->text) < 0)
            complain(work, WRSIM_E_MEMORY, "out of memory");
    } else if (!isfinite(a->value))
        complain_value(work, a, "must be a finite number", 0, 0);
    else if ((p->flags & WRSIM_INTEGER) && (rint(a->value) < a->value || rint(a->value) > a->value))
        complain_value(work, a, "must be a whole number", 0, 0);
    else if (is_limited && (a->value < p->min || a->value > p->max))
        complain_value(work, a, "is outside its range %g to %g", p->min, p->max);
    else
        component->param[i] = a->value;
    is_given[i] = 1;
}

static void set_params(description_work *work, const wr_assignment *params, int n_params)
{
    wr_component *const component = work->component;
    const wrsim_model *const model = component->model;
    for (int i = 0; i < model->n_param; i++)
        if (append_variable(work, WRSIM_PARAMETER, &model->params[i]) < 0)
            return;
    component->param = calloc((size_t)model->n_param + 1, sizeof *component->param);
    component->text = calloc((size_t)model->n_param + 1, sizeof *component->text);
    unsigned char *const is_given = calloc((size_t)model->n_param + 1, 1);
    int is_full = !component->param || !component->text || !is_given;
    for (int i = 0; i < model->n_param && !is_full; i++)
        if (model->params[i].flags & WRSIM_TEXT)
            is_full = (component->text[i] = copy_text(model->params[i].text)) == NULL;
    if (is_full) {
        free(is_given);
        complain(work, WRSIM_E_MEMORY, "out of memory");
        return;
    }
    for (int i = 0; i < model->n_param; i++)
        component->param[i] = model->params[i].start;
    for (int i = 0; i < n_params; i++)
        set_param(work, &params[i], is_given);
    for (int i = 0; i < model->n_param; i++)
        if ((model->params[i].flags & WRSIM_REQUIRED) && !is_given[i]) {
            wr_diag_add(work->diag, WRSIM_E_CONFIG, &component->where,
                        "component '%s': model '%s' needs a value for parameter '%s'; add it to "
                        "'parameters'",
                        component->name, model->name, model->params[i].name);
            work->n_error++;
        }
    free(is_given);
    component->instance.param = component->param;
    component->instance.text = (const char *const *)component->text;
    component->instance.user = component->model->user;
}

static void set_start(description_work *work, const wr_assignment *a)
{
    wr_component *const component = work->component;
    for (wrsim_kind kind = WRSIM_STATE; kind <= WRSIM_INPUT; kind++) {
        const int i = wr_component_find(component, kind, a->name);
        if (i < 0)
            continue;
        if (a->is_refused)
            work->n_error++;
        else if (!isfinite(a->value))
            complain_value(work, a, "must be a finite number", 0, 0);
        else if (component->variable[kind][i].flags & WRSIM_COMPUTED_START)
            complain_value(work, a,
                           "cannot be set, because the model computes the start value; remove it",
                           0, 0);
        else
            component->variable[kind][i].start = a->value;
        return;
    }
    complain_unknown(work, a, "state, discrete state or input", WRSIM_STATE, WRSIM_INPUT);
}

/* ---- models with one instance at most ---- */

enum { MOST_CLAIMED = 256 };
static atomic_flag is_claiming =
    ATOMIC_FLAG_INIT; /* lock of claimed[], set during setup for some hundred comparisons */
static const wrsim_model *claimed[MOST_CLAIMED];

/* Claims the only instance that the model may have in this process. Returns 0, or -1 if an instance exists or claimed[] is full. */
static int claim_model(const wrsim_model *model)
{
    int free_place = -1, is_taken = 0;
    while (atomic_flag_test_and_set(&is_claiming))
        ;
    for (int i = 0; i < MOST_CLAIMED; i++) {
        is_taken |= claimed[i] == model;
        if (!claimed[i])
            free_place = i;
    }
    if (!is_taken && free_place >= 0)
        claimed[free_place] = model;
    atomic_flag_clear(&is_claiming);
    return is_taken || free_place < 0 ? -1 : 0;
}

int wr_component_is_claimed(const wrsim_model *model)
{
    int is_taken = 0;
    while (atomic_flag_test_and_set(&is_claiming))
        ;
    for (int i = 0; i < MOST_CLAIMED; i++)
        is_taken |= claimed[i] == model;
    atomic_flag_clear(&is_claiming);
    return is_taken;
}

static void release_model(const wrsim_model *model)
{
    while (atomic_flag_test_and_set(&is_claiming))
        ;
    for (int i = 0; i < MOST_CLAIMED; i++)
        if (claimed[i] == model)
            claimed[i] = NULL;
    atomic_flag_clear(&is_claiming);
}

static wr_component *new_component(const char *name, const wrsim_model *model,
                                   const wr_where *where, wr_diag *diag)
{
    char text[256];
    if (wr_model_check(model, text, sizeof text) < 0) {
        wr_diag_add(diag, WRSIM_E_MODEL, where, "component '%s': %s", name, text);
        return NULL;
    }
    wr_component *component = calloc(1, sizeof *component);
    if (component) {
        component->name = copy_text(name);
        component->model = model;
        component->tolerance_factor = 1.0;
        component->where = where ? *where : (wr_where){NULL, 0, 0};
    }
    if (!component || !component->name) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory");
        wr_component_destroy(&component);
    }
    return component;
}

wr_component *wr_component_create(const char *name, const wrsim_model *model, const wr_where *where,
                                  const wr_assignment *params, int n_params,
                                  const wr_assignment *starts, int n_starts, wr_diag *diag)
{
    wr_component *component = new_component(name, model, where, diag);
    if (!component)
        return NULL;
    description_work work = {.component = component, .diag = diag};
    if (model->caps & WRSIM_CAP_ONE_INSTANCE) {
        component->is_claimed = claim_model(model) == 0;
        if (!component->is_claimed) {
            complain(&work, WRSIM_E_MODEL,
                     "the model allows one instance in a process, and another component of this or "
                     "another simulation has this instance; remove one of the components, or end "
                     "the other simulation");
            goto fail;
        }
    }
    set_params(&work, params, n_params);
    if (work.n_error == 0)
        describe(&work);
    for (int i = 0; i < n_params && component->param; i++)
        if (wr_component_find(component, WRSIM_PARAMETER, params[i].name) < 0)
            complain_unknown(&work, &params[i], "parameter", WRSIM_PARAMETER, WRSIM_PARAMETER);
    if (work.n_error > 0)
        goto fail;
    if (wr_component_set_start(component, starts, n_starts, diag) < 0)
        goto fail;
    return component;
fail:
    wr_component_destroy(&component);
    return NULL;
}

int wr_component_set_start(wr_component *component, const wr_assignment *starts, int n_starts,
                           wr_diag *diag)
{
    description_work work = {.component = component, .diag = diag};
    for (int i = 0; i < n_starts; i++)
        set_start(&work, &starts[i]);
    return work.n_error > 0 ? -1 : 0;
}

void wr_component_destroy(wr_component **component)
{
    if (!component || !*component)
        return;
    wr_component *const c = *component;
    if (c->is_claimed)
        release_model(c->model);
    for (int kind = 0; kind < WRSIM_KIND_COUNT; kind++) {
        for (int i = 0; i < c->n[kind]; i++)
            free(c->variable[kind][i].name); /* the block also contains unit and description */
        free(c->variable[kind]);
    }
    for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
        free(c->pattern[p].row);
        free(c->pattern[p].column);
    }
    free(c->mass.row);
    free(c->mass.column);
    free(c->mass.value);
    for (int i = 0; c->text && i < c->model->n_param; i++)
        free(c->text[i]);
    free(c->port);
    free(c->text);
    free(c->param);
    free(c->name);
    free(c);
    *component = NULL;
}

int wr_component_find(const wr_component *component, wrsim_kind kind, const char *name)
{
    for (int i = 0; i < component->n[kind]; i++)
        if (strcmp(component->variable[kind][i].name, name) == 0)
            return i;
    return -1;
}

int wr_component_depends(const wr_component *component, wrsim_pattern pattern, int row, int column)
{
    const wr_incidence *const incidence = &component->pattern[pattern];
    if (row < 0 || row >= component->n[pattern_shapes[pattern].row] || column < 0 ||
        column >= component->n[pattern_shapes[pattern].column])
        return 0;
    if (pattern == WRSIM_X_Y || pattern == WRSIM_U_Y) {
        const wr_variable *const y = &component->variable[WRSIM_OUTPUT][row];
        if (y->flags & WRSIM_IS_STATE)
            return pattern == WRSIM_X_Y && column == y->index;
    }
    if (!incidence->is_declared)
        return 1;
    for (int i = 0; i < incidence->n; i++)
        if (incidence->row[i] == row && incidence->column[i] == column)
            return 1;
    return 0;
}
