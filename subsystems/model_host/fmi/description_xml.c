/* Reads the XML of a description. See description_xml.h.
 *
 * An element has a place, which depends on its name and on the place of its parent. Elements without a row of `rows` are ignored with all
 * their children, for example annotations of tools.
 *
 * Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/description_xml.h"

#include <ctype.h>
#include <expat.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum {
    MAX_DEPTH =
        100, /* deepest nesting of elements (assumed; the standard needs 6, annotations have no limit) */
    QUOTED_BYTES = 100, /* longest text of the description in a message, bytes */
    FMI2 = 1,
    FMI3 = 2,
    BOTH = FMI2 | FMI3
};

typedef enum place {
    DOCUMENT,
    IGNORED,
    ROOT,
    INTERFACE,
    UNITS,
    UNIT,
    BASE_UNIT,
    TYPES,
    TYPE,
    TYPE_KIND, /* FMI 2.0: <Real> in <SimpleType> */
    ITEM,
    EXPERIMENT,
    VARIABLES,
    VARIABLE,
    VARIABLE_KIND, /* FMI 2.0: <Real> in <ScalarVariable> */
    DIMENSION,
    START,
    ALIAS,
    STRUCTURE,
    LIST, /* FMI 2.0: <Outputs> */
    UNKNOWN
} place;

typedef struct reader {
    wr_description *d;
    XML_Parser parser;
    const char *file;
    wrsim_error *err;
    wrsim_status status;
    const char *element;     /* name of the present element */
    const char **attributes; /* names and values of the present element, ended by NULL */
    int depth;
    unsigned char place[MAX_DEPTH + 1];
    int list;     /* FMI 2.0: wr_fmi_list_id of the present list */
    int variable; /* index of the present variable; its aliases of FMI 3.0 follow */
    int has_type; /* FMI 2.0: the present variable or type has an element of its type */
    int has_structure;
} reader;

/* ---- errors ---- */

static int line_of(const reader *r)
{
    const XML_Size line = XML_GetCurrentLineNumber(r->parser);
    return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop(reader *r, wrsim_status status)
{
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

/* Stops with an error at the present line, unless an earlier error has stopped the reader. */
#define FAIL(r, ...)                                                                               \
    do {                                                                                           \
        if ((r)->status == WRSIM_OK)                                                               \
            stop((r), wr_description_refuse((r)->err, (r)->file, line_of(r), __VA_ARGS__));        \
    } while (0)

static void fail_memory(reader *r)
{
    if (r->status == WRSIM_OK)
        stop(r, wr_error_memory(r->err));
}

/* ---- memory ---- */

static void *place_bytes(reader *r, size_t count, size_t size)
{
    void *const block = wr_arena_push(r->d->arena, count, size);
    if (!block)
        fail_memory(r);
    return block;
}

static const char *copy_bytes(reader *r, const char *text, size_t n)
{
    char *const copy = place_bytes(r, n + 1, 1);
    if (copy)
        memcpy(copy, text, n); /* the arena is zeroed */
    return copy;
}

/* Makes room for a zeroed item at the end of a list. The capacity of a list is the power of two from its length. Returns the list; if
 * memory is short, the old list. */
static void *grow(reader *r, void *list, int *n, size_t size)
{
    void *grown = list;
    if ((*n & (*n - 1)) == 0) {
        const size_t cap = *n ? 2 * (size_t)*n : 1;
        grown = cap > INT_MAX / 2 ? NULL : realloc(list, cap * size);
    }
    if (!grown) {
        fail_memory(r);
        return list;
    }
    memset((char *)grown + (size_t)*n * size, 0, size);
    (*n)++;
    return grown;
}

/* Appends an item. Returns the item, or NULL after an error. */
#define APPEND(r, list, n)                                                                         \
    ((list) = grow((r), (list), &(n), sizeof *(list)),                                             \
     (r)->status == WRSIM_OK ? &(list)[(n)-1] : NULL)

/* ---- attributes ---- */

static const char *find(const reader *r, const char *name)
{
    for (const char **a = r->attributes; *a; a += 2)
        if (strcmp(a[0], name) == 0)
            return a[1];
    return NULL;
}

/* Returns an attribute that the standard requires; NULL after an error. */
static const char *need(reader *r, const char *name)
{
    const char *const value = find(r, name);
    if (!value)
        FAIL(r, "the element <%s> lacks the attribute '%s'", r->element, name);
    return value;
}

/* Copies an attribute; NULL if the attribute is absent or empty. */
static const char *text_of(reader *r, const char *name)
{
    const char *const value = find(r, name);
    return value && *value ? copy_bytes(r, value, strlen(value)) : NULL;
}

/* Copies an attribute that the standard requires. The text may be empty. */
static const char *given_text(reader *r, const char *name)
{
    const char *const value = need(r, name);
    return value ? copy_bytes(r, value, strlen(value)) : NULL;
}

/* Copies as given_text() and refuses an empty text. */
static const char *needed_text(reader *r, const char *name)
{
    const char *const text = given_text(r, name);
    if (text && !*text)
        FAIL(r, "the attribute '%s' of the element <%s> is empty", name, r->element);
    return text;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Returns whether the text is an integer in decimal digits, and the integer as double. */
static int read_integer(const char *begin, const char *end, double *ret_value)
{
    const char *at = begin + (begin < end && (*begin == '-' || *begin == '+'));
    if (at == end)
        return 0;
    for (; at < end; at++)
        if (!isdigit((unsigned char)*at))
            return 0;
    return wr_number_parse(begin, end, ret_value);
}

static int is_word(const char *begin, const char *end, const char *word)
{
    return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, strlen(word)) == 0;
}

/* Reads a value of a type. Returns 0 and stops with an error if the text is no value of the type. */
static int read_value(reader *r, const char *name, wr_fmi_type type, const char *begin,
                      const char *end, double *ret_value)
{
    const int is_float = type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32;
    const char *problem = NULL;
    double value = 0.0, low, high;
    wr_description_type_range(type, &low, &high);
    if (type == WR_FMI_BOOLEAN && (is_word(begin, end, "true") || is_word(begin, end, "1")))
        value = 1.0;
    else if (type == WR_FMI_BOOLEAN && !is_word(begin, end, "false") && !is_word(begin, end, "0"))
        problem = "is neither true nor false";
    else if (is_float && !wr_number_parse(begin, end, &value))
        problem = "is no number";
    else if (is_float && !isfinite(value))
        problem = "is not finite";
    else if (type == WR_FMI_FLOAT32 && fabs(value) > (double)FLT_MAX)
        problem = "is beyond the range of Float32";
    else if (!is_float && type != WR_FMI_BOOLEAN && !read_integer(begin, end, &value))
        problem = "is no integer";
    else if (!is_float && !(value >= low && value <= high))
        problem = "is beyond the range of its type";
    if (problem) {
        const size_t n = (size_t)(end - begin);
        FAIL(r, "the value '%.*s' of the attribute '%s' of the element <%s> %s",
             (int)(n > QUOTED_BYTES ? QUOTED_BYTES : n), begin, name, r->element, problem);
    }
    if (!problem)
        *ret_value = value;
    return !problem;
}

/* Reads an attribute of a type without surrounding blanks; `otherwise` if the attribute is absent. */
static double value_of(reader *r, const char *name, wr_fmi_type type, double otherwise)
{
    const char *begin = find(r, name);
    if (!begin)
        return otherwise;
    const char *end = begin + strlen(begin);
    while (is_space(*begin))
        begin++;
    while (end > begin && is_space(end[-1]))
        end--;
    double value = otherwise;
    return read_value(r, name, type, begin, end, &value) ? value : otherwise;
}

/* Reads min, max: infinite limits are valid. */
static double limit_of(reader *r, const char *name, wr_fmi_type type)
{
    const char *const text = find(r, name);
    if (text && (type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32) &&
        (strcmp(text, "INF") == 0 || strcmp(text, "-INF") == 0))
        return *text == '-' ? -(double)INFINITY : (double)INFINITY;
    return value_of(r, name, type, (double)NAN);
}

static uint32_t number_of(reader *r, const char *name)
{
    return need(r, name) ? (uint32_t)value_of(r, name, WR_FMI_UINT32, 0.0) : 0;
}

/* Returns the index of the attribute's word in a list; `otherwise` if the attribute is absent. */
static int word_of(reader *r, const char *name, const char *const *words, int n_word, int otherwise)
{
    const char *const text = find(r, name);
    if (!text)
        return otherwise;
    for (int i = 0; i < n_word; i++)
        if (words[i] && strcmp(text, words[i]) == 0)
            return i;
    FAIL(r, "the attribute '%s' of the element <%s> has the unknown value '%.*s'", name, r->element,
         QUOTED_BYTES, text);
    return otherwise;
}

/* Reads a list of values separated by blanks. Returns the values in the arena and their number. */
static const double *values_of(reader *r, const char *name, wr_fmi_type type, int *ret_n)
{
    const char *const text = find(r, name);
    int n = 0, i = 0;
    for (const char *at = text; at && *at; at++)
        n += !is_space(*at) && (is_space(at[1]) || !at[1]);
    *ret_n = n;
    double *const value = n > 0 ? place_bytes(r, (size_t)n, sizeof *value) : NULL;
    if (text && n == 0)
        FAIL(r, "the attribute '%s' of the element <%s> has no value", name, r->element);
    for (const char *at = text; value && *at && r->status == WRSIM_OK;) {
        while (is_space(*at))
            at++;
        const char *const begin = at;
        while (*at && !is_space(*at))
            at++;
        if (at > begin)
            read_value(r, name, type, begin, at, &value[i++]);
    }
    return value;
}

/* ---- elements ---- */

static const struct {
    const char *fmi2, *fmi3;
} flag_rows[WR_FMI_FLAG_COUNT] = {
#define WR_X(name, fmi2, fmi3, text) [WR_FMI_##name] = {fmi2, fmi3},
    WR_FMI_FLAG_LIST(WR_X)
#undef WR_X
};

/* Returns 3 for the version "3.0" and its corrections "3.0.1". */
static int find_version(const char *text)
{
    if (strcmp(text, "2.0") == 0)
        return 2;
    if (strncmp(text, "3.0", 3) != 0)
        return 0;
    const size_t n = strspn(text + 4 * (text[3] == '.'), "0123456789");
    return !text[3] || (text[3] == '.' && n > 0 && !text[4 + n]) ? 3 : 0;
}

static void begin_root(reader *r, int arg)
{
    (void)arg;
    wr_description *const d = r->d;
    const char *const version = need(r, "fmiVersion");
    if (!version)
        return;
    d->version = find_version(version);
    if (!d->version) {
        if (r->status == WRSIM_OK)
            stop(r, wr_error_set_at(r->err, WRSIM_E_MODEL,
                                    &(wr_where){.file = r->file, .line = line_of(r)},
                                    "the FMU has FMI version '%.*s', and wrsim reads 2.0 and 3.0; "
                                    "export the FMU in one of these versions",
                                    QUOTED_BYTES, version));
        return;
    }
    d->version_text = needed_text(r, "fmiVersion");
    d->model_name = given_text(r, "modelName");
    d->token = given_text(r, d->version == 2 ? "guid" : "instantiationToken");
    d->tool = text_of(r, "generationTool");
    d->description = text_of(r, "description");
    if (d->version == 2)
        d->n_indicator = (int)value_of(r, "numberOfEventIndicators", WR_FMI_INT32, 0.0);
    if (d->n_indicator < 0)
        FAIL(r, "the attribute 'numberOfEventIndicators' is negative");
}

static void begin_interface(reader *r, int kind)
{
    wr_fmi_interface *const f = &r->d->interface[kind];
    if (f->identifier)
        FAIL(r, "the element <%s> is there twice", r->element);
    f->identifier = needed_text(r, "modelIdentifier");
    if (f->identifier && (strchr(f->identifier, '/') || strlen(f->identifier) > 200))
        FAIL(r, "the attribute 'modelIdentifier' has a '/' or more than 200 bytes, so no file has "
                "this name");
    for (int i = 0; i < WR_FMI_FLAG_COUNT; i++) {
        const char *const name = r->d->version == 2 ? flag_rows[i].fmi2 : flag_rows[i].fmi3;
        if (*name && value_of(r, name, WR_FMI_BOOLEAN, 0.0) > 0.0)
            f->flags |= 1u << i;
    }
    f->max_output_derivative = (int)value_of(r, "maxOutputDerivativeOrder", WR_FMI_UINT16, 0.0);
    f->fixed_internal_step_s = value_of(r, "fixedInternalStepSize", WR_FMI_FLOAT64, (double)NAN);
}

static void begin_unit(reader *r, int arg)
{
    (void)arg;
    wr_fmi_unit *const unit = APPEND(r, r->d->unit, r->d->n_unit);
    if (!unit)
        return;
    unit->factor = 1.0;
    unit->name = needed_text(r, "name");
}

static void begin_base_unit(reader *r, int arg)
{
    (void)arg;
    static const char *const names[WR_FMI_BASE_COUNT] = {"kg", "m",   "s",  "A",
                                                         "K",  "mol", "cd", "rad"};
    wr_fmi_unit *const unit = &r->d->unit[r->d->n_unit - 1];
    unit->has_base = 1;
    for (int i = 0; i < WR_FMI_BASE_COUNT; i++)
        unit->exponent[i] = (int)value_of(r, names[i], WR_FMI_INT8, 0.0);
    unit->factor = value_of(r, "factor", WR_FMI_FLOAT64, 1.0);
    unit->offset = value_of(r, "offset", WR_FMI_FLOAT64, 0.0);
    if (!(unit->factor > 0.0 || unit->factor < 0.0))
        FAIL(r, "the unit '%.*s' has the factor 0", QUOTED_BYTES, unit->name);
}

static void read_quantity(reader *r, wr_fmi_type type, wr_fmi_quantity *q)
{
    const int is_float = type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32;
    const int has_range = type != WR_FMI_BOOLEAN && type != WR_FMI_STRING &&
                          type != WR_FMI_BINARY && type != WR_FMI_CLOCK;
    q->quantity = text_of(r, "quantity");
    q->unit = is_float ? text_of(r, "unit") : NULL;
    q->nominal = is_float ? value_of(r, "nominal", WR_FMI_FLOAT64, (double)NAN) : (double)NAN;
    q->min = has_range ? limit_of(r, "min", type) : (double)NAN;
    q->max = has_range ? limit_of(r, "max", type) : (double)NAN;
    /* Some tools write a negative nominal value or 0, which the standard forbids. */
    q->nominal = q->nominal > 0.0 || q->nominal < 0.0 ? fabs(q->nominal)
                 : isnan(q->nominal)                  ? q->nominal
                                                      : 1.0;
    if (q->min > q->max)
        FAIL(r, "the attribute 'min' of the element <%s> is above 'max'", r->element);
}

/* Begins <SimpleType> of FMI 2.0, or with a type <Float64Type> of FMI 3.0. */
static void begin_type(reader *r, int type)
{
    wr_fmi_declared_type *const t = APPEND(r, r->d->type, r->d->n_type);
    if (!t)
        return;
    t->name = needed_text(r, "name");
    r->has_type = type < WR_FMI_TYPE_COUNT;
    if (r->has_type) {
        t->type = (wr_fmi_type)type;
        read_quantity(r, t->type, &t->quantity);
    }
}

static void begin_type_kind(reader *r, int type)
{
    wr_fmi_declared_type *const t = &r->d->type[r->d->n_type - 1];
    if (r->has_type)
        FAIL(r, "the type '%.*s' has two elements of a type", QUOTED_BYTES, t->name);
    r->has_type = 1;
    t->type = (wr_fmi_type)type;
    read_quantity(r, t->type, &t->quantity);
}

static void begin_item(reader *r, int arg)
{
    (void)arg;
    wr_fmi_declared_type *const t = &r->d->type[r->d->n_type - 1];
    if (t->type != WR_FMI_ENUMERATION)
        return;
    wr_fmi_item *const item = APPEND(r, t->item, t->n_item);
    if (!item)
        return;
    item->name = needed_text(r, "name");
    if (need(r, "value"))
        item->value = value_of(r, "value", r->d->version == 2 ? WR_FMI_INT32 : WR_FMI_INT64, 0.0);
}

static void begin_experiment(reader *r, int arg)
{
    (void)arg;
    r->d->experiment =
        (wr_fmi_experiment){.start_s = value_of(r, "startTime", WR_FMI_FLOAT64, (double)NAN),
                            .stop_s = value_of(r, "stopTime", WR_FMI_FLOAT64, (double)NAN),
                            .tolerance = value_of(r, "tolerance", WR_FMI_FLOAT64, (double)NAN),
                            .step_s = value_of(r, "stepSize", WR_FMI_FLOAT64, (double)NAN)};
}

/* Reads the attributes of the type of a variable. Start values of texts of FMI 3.0 are elements. */
static void read_typed(reader *r, wr_fmi_type type)
{
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    v->type = type;
    read_quantity(r, type, &v->quantity);
    v->declared_name = text_of(r, "declaredType");
    if (type == WR_FMI_STRING && r->d->version == 2) {
        const char *const start = find(r, "start");
        const char **const text = start ? place_bytes(r, 1, sizeof *text) : NULL;
        if (text)
            text[0] = copy_bytes(r, start, strlen(start));
        v->text = text;
        v->n_start = start != NULL;
    } else if (type != WR_FMI_STRING && type != WR_FMI_BINARY && type != WR_FMI_CLOCK) {
        v->start = values_of(r, "start", type, &v->n_start);
    }
    v->is_derivative = find(r, "derivative") != NULL;
    if (v->is_derivative)
        v->derivative_of = (int)number_of(r, "derivative");
}

/* Reads the name of a variable, which tables print in one line. */
static const char *name_of(reader *r)
{
    const char *const name = needed_text(r, "name");
    if (name && name[strcspn(name, "\n\r\t")])
        FAIL(r, "the name of a variable has a line feed or tab");
    return name;
}

static void begin_variable(reader *r, int type)
{
    static const char *const causalities[WR_FMI_CAUSALITY_COUNT] = {
        "local",      "input", "output", "parameter", "calculatedParameter", "structuralParameter",
        "independent"};
    static const char *const variabilities[WR_FMI_VARIABILITY_COUNT] = {
        "continuous", "discrete", "tunable", "fixed", "constant"};
    static const char *const initials[WR_FMI_INITIAL_COUNT] = {"exact", "approx", "calculated"};
    wr_fmi_variable *const v = APPEND(r, r->d->variable, r->d->n_variable);
    if (!v)
        return;
    r->variable = r->d->n_variable - 1;
    v->line = line_of(r);
    v->name = name_of(r);
    v->description = text_of(r, "description");
    v->number = number_of(r, "valueReference");
    v->causality = (wr_fmi_causality)word_of(r, "causality", causalities, WR_FMI_CAUSALITY_COUNT,
                                             WR_FMI_LOCAL);
    v->variability = (wr_fmi_variability)word_of(
        r, "variability", variabilities, WR_FMI_VARIABILITY_COUNT, WR_FMI_VARIABILITY_COUNT);
    v->initial =
        (wr_fmi_initial)word_of(r, "initial", initials, WR_FMI_INITIAL_COUNT, WR_FMI_INITIAL_COUNT);
    v->alias_of = -1;
    r->has_type = type < WR_FMI_TYPE_COUNT;
    if (r->has_type)
        read_typed(r, (wr_fmi_type)type);
}

static void begin_variable_kind(reader *r, int type)
{
    if (r->has_type)
        FAIL(r, "the variable '%.*s' has two elements of a type", QUOTED_BYTES,
             r->d->variable[r->variable].name);
    r->has_type = 1;
    read_typed(r, (wr_fmi_type)type);
}

static void end_typed(reader *r)
{
    if (!r->has_type)
        FAIL(r, "the element <%s> has no element of a type, such as <Real>", r->element);
}

/* Appends an item to an array in the arena. The capacity is the power of two from its length, so the arena has at most twice the array. */
static void *append_in_arena(reader *r, const void *array, int n, size_t size)
{
    if ((n & (n - 1)) != 0) {
        void *same;
        memcpy(&same, &array, sizeof same);
        return same;
    }
    void *const grown = place_bytes(r, n ? 2 * (size_t)n : 1, size);
    if (grown && n > 0)
        memcpy(grown, array, (size_t)n * size);
    return grown;
}

static void begin_dimension(reader *r, int arg)
{
    (void)arg;
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    wr_fmi_dimension *const all = append_in_arena(r, v->dimension, v->n_dimension, sizeof *all);
    if (!all)
        return;
    wr_fmi_dimension *const dimension = &all[v->n_dimension];
    const int is_fixed = find(r, "start") != NULL;
    if (is_fixed == (find(r, "valueReference") != NULL))
        FAIL(r,
             "a dimension of the variable '%.*s' must have one of the attributes 'start' and "
             "'valueReference'",
             QUOTED_BYTES, v->name);
    else if (is_fixed)
        *dimension = (wr_fmi_dimension){.size = (int64_t)value_of(r, "start", WR_FMI_INT32, 0.0),
                                        .variable = -1};
    else
        *dimension = (wr_fmi_dimension){.number = number_of(r, "valueReference")};
    if (is_fixed && dimension->size < 1)
        FAIL(r, "a dimension of the variable '%.*s' has the size %d; sizes are positive",
             QUOTED_BYTES, v->name, (int)dimension->size);
    v->dimension = all;
    v->n_dimension++;
}

static void begin_start(reader *r, int arg)
{
    (void)arg;
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    if (v->type != WR_FMI_STRING && v->type != WR_FMI_BINARY)
        return;
    const char *const value = need(r, "value");
    const char **const all = append_in_arena(r, v->text, v->n_start, sizeof *all);
    if (!value || !all)
        return;
    all[v->n_start++] = copy_bytes(r, value, strlen(value));
    v->text = all;
}

/* Appends a variable with the name of the alias. The values follow from the aliased variable when all its elements are read. */
static void begin_alias(reader *r, int arg)
{
    (void)arg;
    wr_fmi_variable *const v = APPEND(r, r->d->variable, r->d->n_variable);
    if (!v)
        return;
    v->name = name_of(r);
    v->description = text_of(r, "description");
    v->line = line_of(r);
    v->alias_of = r->variable;
}

/* Completes the aliases of the present variable. */
static void end_variable(reader *r)
{
    end_typed(r);
    const wr_fmi_variable *const first = &r->d->variable[r->variable];
    for (int i = r->variable + 1; i < r->d->n_variable; i++) {
        wr_fmi_variable *const alias = &r->d->variable[i];
        const wr_fmi_variable own = *alias;
        *alias = *first;
        alias->name = own.name;
        alias->description = own.description ? own.description : first->description;
        alias->line = own.line;
        alias->alias_of = own.alias_of;
    }
}

static void begin_list(reader *r, int list) { r->list = list; }

static void begin_structure(reader *r, int arg)
{
    (void)arg;
    if (r->has_structure)
        FAIL(r, "the element <ModelStructure> is there twice");
    r->has_structure = 1;
}

/* Reads dependenciesKind: as many words as dependencies. */
static void read_kinds(reader *r, wr_fmi_unknown *u)
{
    static const char *const words[WR_FMI_DEPENDENCY_COUNT] = {"dependent", "constant", "fixed",
                                                               "tunable", "discrete"};
    const char *at = find(r, "dependenciesKind");
    if (!at)
        return;
    if (u->n_dependency < 0) {
        FAIL(r, "the element <%s> has the attribute 'dependenciesKind' without 'dependencies'",
             r->element);
        return;
    }
    u->kind = place_bytes(r, (size_t)u->n_dependency + 1, 1);
    int n = 0;
    while (u->kind && r->status == WRSIM_OK) {
        while (is_space(*at))
            at++;
        if (!*at)
            break;
        const char *const begin = at;
        while (*at && !is_space(*at))
            at++;
        int kind = 0;
        while (kind < WR_FMI_DEPENDENCY_COUNT && !is_word(begin, at, words[kind]))
            kind++;
        if (kind == WR_FMI_DEPENDENCY_COUNT)
            FAIL(r, "the attribute 'dependenciesKind' has the unknown word '%.*s'",
                 at - begin > QUOTED_BYTES ? QUOTED_BYTES : (int)(at - begin), begin);
        else if (n < u->n_dependency)
            u->kind[n] = (unsigned char)kind;
        n++;
    }
    if (n != u->n_dependency)
        FAIL(r, "the element <%s> has %d dependenc%s, but %d kind%s of dependencies", r->element,
             u->n_dependency, u->n_dependency == 1 ? "y" : "ies", n, n == 1 ? "" : "s");
}

/* Begins a row of ModelStructure; list < 0: of the present list of FMI 2.0. */
static void begin_unknown(reader *r, int list)
{
    wr_fmi_list *const l = &r->d->list[list < 0 ? r->list : list];
    wr_fmi_unknown *const u = APPEND(r, l->row, l->n_row);
    if (!u)
        return;
    u->line = line_of(r);
    u->variable = (int)number_of(r, r->d->version == 2 ? "index" : "valueReference");
    u->n_dependency = -1;
    const char *const text = find(r, "dependencies");
    if (text)
        u->n_dependency = 0;
    if (text && text[strspn(text, " \t\r\n")]) {
        const double *const value = values_of(r, "dependencies", WR_FMI_UINT32, &u->n_dependency);
        u->dependency = place_bytes(r, (size_t)u->n_dependency, sizeof *u->dependency);
        for (int i = 0; value && u->dependency && i < u->n_dependency; i++)
            u->dependency[i] = (int)(uint32_t)value[i];
    }
    read_kinds(r, u);
}

/* ---- the table of elements ---- */

typedef struct row {
    int versions;
    unsigned char parent, place;
    const char *name;
    void (*begin)(reader *r, int arg);
    int arg;
} row;

static const row rows[] = {
    {BOTH, DOCUMENT, ROOT, "fmiModelDescription", begin_root, 0},
    {BOTH, ROOT, INTERFACE, "ModelExchange", begin_interface, WR_FMI_ME},
    {BOTH, ROOT, INTERFACE, "CoSimulation", begin_interface, WR_FMI_CS},
    {FMI3, ROOT, INTERFACE, "ScheduledExecution", begin_interface, WR_FMI_SE},
    {BOTH, ROOT, UNITS, "UnitDefinitions", NULL, 0},
    {BOTH, UNITS, UNIT, "Unit", begin_unit, 0},
    {BOTH, UNIT, BASE_UNIT, "BaseUnit", begin_base_unit, 0},
    {BOTH, ROOT, TYPES, "TypeDefinitions", NULL, 0},
    {FMI2, TYPES, TYPE, "SimpleType", begin_type, WR_FMI_TYPE_COUNT},
    {FMI2, TYPE_KIND, ITEM, "Item", begin_item, 0},
    {FMI3, TYPE, ITEM, "Item", begin_item, 0},
    {BOTH, ROOT, EXPERIMENT, "DefaultExperiment", begin_experiment, 0},
    {BOTH, ROOT, VARIABLES, "ModelVariables", NULL, 0},
    {FMI2, VARIABLES, VARIABLE, "ScalarVariable", begin_variable, WR_FMI_TYPE_COUNT},
    {FMI3, VARIABLE, DIMENSION, "Dimension", begin_dimension, 0},
    {FMI3, VARIABLE, START, "Start", begin_start, 0},
    {FMI3, VARIABLE, ALIAS, "Alias", begin_alias, 0},
    {BOTH, ROOT, STRUCTURE, "ModelStructure", begin_structure, 0},
    {FMI2, STRUCTURE, LIST, "Outputs", begin_list, WR_FMI_OUTPUTS},
    {FMI2, STRUCTURE, LIST, "Derivatives", begin_list, WR_FMI_DERIVATIVES},
    {FMI2, STRUCTURE, LIST, "InitialUnknowns", begin_list, WR_FMI_INITIAL_UNKNOWNS},
    {FMI2, LIST, UNKNOWN, "Unknown", begin_unknown, -1},
    {FMI3, STRUCTURE, UNKNOWN, "Output", begin_unknown, WR_FMI_OUTPUTS},
    {FMI3, STRUCTURE, UNKNOWN, "ContinuousStateDerivative", begin_unknown, WR_FMI_DERIVATIVES},
    {FMI3, STRUCTURE, UNKNOWN, "ClockedState", begin_unknown, WR_FMI_CLOCKED_STATES},
    {FMI3, STRUCTURE, UNKNOWN, "InitialUnknown", begin_unknown, WR_FMI_INITIAL_UNKNOWNS},
    {FMI3, STRUCTURE, UNKNOWN, "EventIndicator", begin_unknown, WR_FMI_EVENT_INDICATORS},
};

/* Elements whose name is a type: <Real> in a variable or type of FMI 2.0, <Float64> or <Float64Type> of FMI 3.0. */
static const struct {
    unsigned char version, parent, place;
    const char *ending;
    void (*begin)(reader *r, int type);
} typed_rows[] = {
    {2, TYPE, TYPE_KIND, "", begin_type_kind},
    {2, VARIABLE, VARIABLE_KIND, "", begin_variable_kind},
    {3, TYPES, TYPE, "Type", begin_type},
    {3, VARIABLES, VARIABLE, "", begin_variable},
};

/* Returns the type of an element NAME with the ending; WR_FMI_TYPE_COUNT: the name is no type. */
static int type_of(int version, const char *name, const char *ending)
{
    const size_t n = strlen(name), n_ending = strlen(ending);
    int type = n > n_ending && strcmp(name + n - n_ending, ending) == 0 ? 0 : WR_FMI_TYPE_COUNT;
    for (; type < WR_FMI_TYPE_COUNT; type++) {
        const char *const own = wr_description_type_name(version, (wr_fmi_type)type);
        if (*own && is_word(name, name + n - n_ending, own))
            break;
    }
    return type;
}

static place enter(reader *r, place parent, const char *name)
{
    const int version = r->d->version, versions = version == 2 ? FMI2 : version == 3 ? FMI3 : BOTH;
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        if (rows[i].parent == parent && (rows[i].versions & versions) &&
            strcmp(rows[i].name, name) == 0) {
            if (rows[i].begin)
                rows[i].begin(r, rows[i].arg);
            return (place)rows[i].place;
        }
    for (size_t i = 0; i < WR_COUNT_OF(typed_rows); i++) {
        const int is_here = typed_rows[i].version == version && typed_rows[i].parent == parent;
        const int type = is_here ? type_of(version, name, typed_rows[i].ending) : WR_FMI_TYPE_COUNT;
        if (type < WR_FMI_TYPE_COUNT) {
            typed_rows[i].begin(r, type);
            return (place)typed_rows[i].place;
        }
    }
    return IGNORED;
}

static void XMLCALL begin_element(void *user, const char *name, const char **attributes)
{
    reader *const r = user;
    if (r->status != WRSIM_OK)
        return;
    if (r->depth == MAX_DEPTH) {
        FAIL(r, "elements are nested more than %d deep", MAX_DEPTH);
        return;
    }
    r->element = name;
    r->attributes = attributes;
    const place parent = (place)r->place[r->depth];
    const place here = parent == IGNORED ? IGNORED : enter(r, parent, name);
    if (parent == DOCUMENT && here == IGNORED)
        FAIL(r,
             "the file has the element <%.*s> at its top, but a description has "
             "<fmiModelDescription>",
             QUOTED_BYTES, name);
    r->place[++r->depth] = (unsigned char)here;
}

static void XMLCALL end_element(void *user, const char *name)
{
    reader *const r = user;
    if (r->status != WRSIM_OK)
        return;
    r->element = name;
    const place here = (place)r->place[r->depth--];
    if (here == TYPE)
        end_typed(r);
    else if (here == VARIABLE)
        end_variable(r);
}

static void XMLCALL refuse_doctype(void *user, const char *name, const char *system,
                                   const char *public, int has_subset)
{
    (void)name, (void)system, (void)public, (void)has_subset;
    reader *const r = user;
    FAIL(r, "the description has a document type (<!DOCTYPE>), which wrsim does not read");
}

wrsim_status wr_description_xml_read(wr_description *d, const char *file, const char *xml,
                                     size_t n_bytes, wrsim_error *err)
{
    reader r = {.d = d, .file = file, .err = err, .parser = XML_ParserCreate(NULL)};
    if (!r.parser)
        return wr_error_memory(err);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(r.parser, refuse_doctype);
    WR_ASSERT(n_bytes <= WR_FMI_DESCRIPTION_BYTES);
    if (XML_Parse(r.parser, xml, (int)n_bytes, 1) != XML_STATUS_OK && r.status == WRSIM_OK) {
        const enum XML_Error code = XML_GetErrorCode(r.parser);
        r.status = code == XML_ERROR_NO_MEMORY
                       ? wr_error_memory(err)
                       : wr_description_refuse(err, file, line_of(&r),
                                               "the description is no valid XML: %s",
                                               XML_ErrorString(code));
    }
    if (r.status == WRSIM_OK && !r.has_structure)
        r.status = wr_description_refuse(err, file, 0,
                                         "the description lacks the element <ModelStructure>");
    XML_ParserFree(r.parser);
    return r.status;
}
