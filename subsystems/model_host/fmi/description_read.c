/* Checks a description and resolves its references. See description_read.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/description_read.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "subsystems/model_host/fmi/description_xml.h"

enum { NAME_BYTES = 100 /* longest name in a message, bytes */ };
static const int64_t MAX_ELEMENTS =
    INT32_MAX; /* largest array; a run refers to elements by an int */

/* A value reference with its class: of FMI 2.0 each base type has its own value references. */
typedef struct reference {
    uint64_t key; /* class * 2^32 + value reference */
    int variable; /* index of the variable */
} reference;

typedef struct resolver {
    wr_description *d;
    const char *file;
    wrsim_error *err;
    reference *reference; /* sorted by key, then by index */
    wr_named *name;       /* work space of sorted names */
} resolver;

#define FAIL(s, line, ...) wr_description_refuse((s)->err, (s)->file, (line), __VA_ARGS__)

/* ---- declared types ---- */

/* Sorts the names s->name[n]. Returns the index of the second of two equal names; 0: all names differ. */
static int sort_names(const resolver *s, int n)
{
    wr_names_sort(s->name, n);
    for (int i = 1; i < n; i++)
        if (strcmp(s->name[i - 1].name, s->name[i].name) == 0)
            return i;
    return 0;
}

static double first_number(double own, double inherited, double otherwise)
{
    return !isnan(own) ? own : !isnan(inherited) ? inherited : otherwise;
}

/* Completes the attributes of a quantity from a declared type (NULL: none). */
static void inherit(wr_fmi_quantity *q, const wr_fmi_quantity *from)
{
    static const wr_fmi_quantity nothing = {
        .is_relative = 0, .nominal = (double)NAN, .min = (double)NAN, .max = (double)NAN};
    if (!from)
        from = &nothing;
    if (!q->quantity)
        q->quantity = from->quantity;
    if (!q->unit)
        q->unit = from->unit;
    if (q->is_relative < 0)
        q->is_relative = from->is_relative > 0;
    q->nominal = first_number(q->nominal, from->nominal, 1.0);
    q->min = first_number(q->min, from->min, -(double)INFINITY);
    q->max = first_number(q->max, from->max, (double)INFINITY);
}

static wrsim_status resolve_types(const resolver *s)
{
    wr_description *const d = s->d;
    for (int i = 0; i < d->n_type; i++)
        s->name[i] = (wr_named){.name = d->type[i].name, .number = i};
    const int doubled = sort_names(s, d->n_type);
    if (doubled > 0)
        return FAIL(s, 0, "two declared types have the name '%.*s'", NAME_BYTES,
                    s->name[doubled].name);
    for (int i = 0; i < d->n_variable; i++) {
        wr_fmi_variable *const v = &d->variable[i];
        v->declared_type = v->declared_name ? wr_names_find(s->name, d->n_type, v->declared_name,
                                                            strlen(v->declared_name))
                                            : -1;
        const wr_fmi_declared_type *const type =
            v->declared_type >= 0 ? &d->type[v->declared_type] : NULL;
        if (v->declared_name && !type)
            return FAIL(s, v->line,
                        "the declared type '%.*s' of the variable '%.*s' does not exist",
                        NAME_BYTES, v->declared_name, NAME_BYTES, v->name);
        if (type && type->type != v->type)
            return FAIL(s, v->line, "the variable '%.*s' is %s, but its declared type '%.*s' is %s",
                        NAME_BYTES, v->name, wr_description_type_name(d->version, v->type),
                        NAME_BYTES, type->name, wr_description_type_name(d->version, type->type));
        if (!type && v->type == WR_FMI_ENUMERATION)
            return FAIL(
                s, v->line,
                "the variable '%.*s' is an enumeration without the attribute 'declaredType'",
                NAME_BYTES, v->name);
        inherit(&v->quantity, type ? &type->quantity : NULL);
    }
    for (int i = 0; i < d->n_type; i++)
        inherit(&d->type[i].quantity, NULL);
    return WRSIM_OK;
}

/* Returns the text of a unit from the arena. */
static const char *unit_text(const wr_description *d, const char *name, const wr_fmi_unit *unit,
                             int is_difference)
{
    const wr_unit *const definition = unit && unit->has_base ? &unit->definition : NULL;
    const size_t n_bytes = (size_t)wr_unit_define(name, definition, is_difference, NULL, 0) + 1;
    char *const text = WR_NEW_ARRAY(d->arena, char, n_bytes);
    if (text)
        wr_unit_define(name, definition, is_difference, text, n_bytes);
    return text;
}

/* Gives the variables the texts of their units. Variables that follow each other often share a text. */
static wrsim_status resolve_units(const resolver *s)
{
    wr_description *const d = s->d;
    for (int i = 0; i < d->n_unit; i++)
        s->name[i] = (wr_named){.name = d->unit[i].name, .number = i};
    const int unit = sort_names(s, d->n_unit);
    if (unit > 0)
        return FAIL(s, 0, "two units have the name '%.*s'", NAME_BYTES, s->name[unit].name);
    enum {
        MOST_UNIT = 200
    }; /* bytes of a name; a component keeps 1024 bytes of a unit, with the definition */
    const wr_fmi_variable *last = NULL; /* with a unit */
    for (int i = 0; i < d->n_variable; i++) {
        wr_fmi_variable *const v = &d->variable[i];
        const wr_fmi_quantity *const q = &v->quantity;
        if (!q->unit || !*q->unit)
            continue;
        if (strlen(q->unit) > MOST_UNIT)
            return FAIL(s, v->line, "the unit of the variable '%.*s' has more than %d bytes",
                        NAME_BYTES, v->name, MOST_UNIT);
        if (last && last->quantity.is_relative == q->is_relative &&
            strcmp(last->quantity.unit, q->unit) == 0) {
            v->unit = last->unit;
            continue;
        }
        const int k = wr_names_find(s->name, d->n_unit, q->unit, strlen(q->unit));
        v->unit = unit_text(d, q->unit, k < 0 ? NULL : &d->unit[k], q->is_relative);
        if (!v->unit)
            return wr_error_memory(s->err);
        last = v;
    }
    return WRSIM_OK;
}

/* ---- variables ---- */

static int is_parameter(const wr_fmi_variable *v)
{
    return v->causality == WR_FMI_PARAMETER || v->causality == WR_FMI_CALCULATED_PARAMETER ||
           v->causality == WR_FMI_STRUCTURAL_PARAMETER;
}

/* Sets the defaults of variability and initial by causality and type (FMI 3.0, section 2.4.7). FMI 2.0 says "continuous" for all types,
 * but a value that is no floating-point number changes at events only. */
static wrsim_status set_defaults(const resolver *s, wr_fmi_variable *v)
{
    const int is_float = v->type == WR_FMI_FLOAT64 || v->type == WR_FMI_FLOAT32;
    if (v->variability == WR_FMI_VARIABILITY_COUNT)
        v->variability = is_parameter(v) ? WR_FMI_FIXED
                         : is_float      ? WR_FMI_CONTINUOUS
                                         : WR_FMI_DISCRETE;
    if (v->variability == WR_FMI_CONTINUOUS && !is_float)
        v->variability = WR_FMI_DISCRETE;
    if (is_parameter(v) && v->variability != WR_FMI_FIXED && v->variability != WR_FMI_TUNABLE)
        return FAIL(s, v->line, "the parameter '%.*s' is neither fixed nor tunable", NAME_BYTES,
                    v->name);
    if (v->initial < WR_FMI_INITIAL_COUNT)
        return WRSIM_OK;
    const int is_exact = v->causality == WR_FMI_PARAMETER ||
                         v->causality == WR_FMI_STRUCTURAL_PARAMETER ||
                         v->causality == WR_FMI_INPUT || v->variability == WR_FMI_CONSTANT;
    v->initial = is_exact ? WR_FMI_EXACT : WR_FMI_CALCULATED;
    return WRSIM_OK;
}

static wrsim_status check_variables(const resolver *s)
{
    wr_description *const d = s->d;
    const wr_fmi_variable *independent = NULL;
    for (int i = 0; i < d->n_variable; i++) {
        wr_fmi_variable *const v = &d->variable[i];
        s->name[i] = (wr_named){.name = v->name, .number = i};
        WR_TRY(set_defaults(s, v));
        if (v->causality != WR_FMI_INDEPENDENT || v->alias_of >= 0)
            continue;
        if (independent)
            return FAIL(s, v->line, "the variables '%.*s' and '%.*s' are both independent",
                        NAME_BYTES, independent->name, NAME_BYTES, v->name);
        independent = v;
    }
    const int doubled = sort_names(s, d->n_variable);
    return doubled > 0
               ? FAIL(s, d->variable[s->name[doubled].number].line,
                      "two variables have the name '%.*s'", NAME_BYTES, s->name[doubled].name)
               : WRSIM_OK;
}

/* ---- value references ---- */

/* Returns the class of the value references of a type in FMI 2.0. Enumerations share the functions and the references of integers. */
static uint64_t class_of(const wr_description *d, wr_fmi_type type)
{
    return d->version == 3 ? 0 : type == WR_FMI_ENUMERATION ? WR_FMI_INT32 : (uint64_t)type;
}

static int compare_references(const void *a, const void *b)
{
    const reference *const x = a, *const y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1)
                            : (x->variable > y->variable) - (x->variable < y->variable);
}

/* Returns the number of references without aliases of FMI 3.0, after sorting. */
static int sort_references(const resolver *s)
{
    const wr_description *const d = s->d;
    int n = 0;
    for (int i = 0; i < d->n_variable; i++)
        if (d->variable[i].alias_of < 0)
            s->reference[n++] =
                (reference){.key = class_of(d, d->variable[i].type) << 32 | d->variable[i].number,
                            .variable = i};
    qsort(s->reference, (size_t)n, sizeof *s->reference, compare_references);
    return n;
}

/* Finds aliases of FMI 2.0, which have equal value references. Refuses equal references of FMI 3.0. */
static wrsim_status find_aliases(const resolver *s, int n)
{
    wr_description *const d = s->d;
    for (int i = 1, first = 0, input = -1; i < n; i++) {
        const int before = s->reference[i - 1].variable, here = s->reference[i].variable;
        if (s->reference[i].key != s->reference[first].key) {
            first = i;
            input = -1;
            continue;
        }
        wr_fmi_variable *const v = &d->variable[here];
        if (i - 1 == first)
            input = d->variable[before].causality == WR_FMI_INPUT ? before : -1;
        if (d->version == 3)
            return FAIL(
                s, v->line, "the variables '%.*s' and '%.*s' have the same value reference %u",
                NAME_BYTES, d->variable[before].name, NAME_BYTES, v->name, (unsigned)v->number);
        if (input >= 0 && v->causality == WR_FMI_INPUT)
            return FAIL(s, v->line, "the inputs '%.*s' and '%.*s' have the same value reference %u",
                        NAME_BYTES, d->variable[input].name, NAME_BYTES, v->name,
                        (unsigned)v->number);
        if (v->causality == WR_FMI_INPUT)
            input = here;
        v->alias_of = s->reference[first].variable;
    }
    return WRSIM_OK;
}

/* Returns the index of the variable with a number: in FMI 2.0 an index from 1, in FMI 3.0 a value reference. -1: none. */
static int find_variable(const resolver *s, int n_reference, uint32_t number)
{
    if (s->d->version == 2)
        return number >= 1 && number <= (uint32_t)s->d->n_variable ? (int)number - 1 : -1;
    int low = 0, high = n_reference;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (s->reference[middle].key < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n_reference && s->reference[low].key == number ? s->reference[low].variable : -1;
}

/* ---- arrays ---- */

static wrsim_status resolve_dimension(const resolver *s, int n_reference, const wr_fmi_variable *v,
                                      wr_fmi_dimension *dimension)
{
    if (dimension->variable < 0 || dimension->size > 0)
        return WRSIM_OK; /* fixed, or resolved by an alias, which has the same dimensions */
    const int i = find_variable(s, n_reference, dimension->number);
    const wr_fmi_variable *const by = i >= 0 ? &s->d->variable[i] : NULL;
    if (!by)
        return FAIL(
            s, v->line,
            "a dimension of the variable '%.*s' has the value reference %u, which no variable has",
            NAME_BYTES, v->name, (unsigned)dimension->number);
    const int is_integer = by->type >= WR_FMI_INT8 && by->type <= WR_FMI_UINT64;
    const int is_size =
        by->causality == WR_FMI_STRUCTURAL_PARAMETER || by->variability == WR_FMI_CONSTANT;
    if (!is_size || !is_integer || by->n_dimension > 0 || by->n_start != 1)
        return FAIL(s, v->line,
                    "a dimension of the variable '%.*s' has the variable '%.*s', which is no "
                    "constant or structural parameter with an integer start value",
                    NAME_BYTES, v->name, NAME_BYTES, by->name);
    if (!(by->start[0] >= 1.0 && by->start[0] <= (double)MAX_ELEMENTS))
        return FAIL(s, v->line,
                    "a dimension of the variable '%.*s' has the size %.17g; sizes are from 1 to %d",
                    NAME_BYTES, v->name, by->start[0], (int)MAX_ELEMENTS);
    dimension->variable = i;
    dimension->size = (int64_t)by->start[0];
    return WRSIM_OK;
}

static wrsim_status resolve_arrays(const resolver *s, int n_reference)
{
    for (int i = 0; i < s->d->n_variable; i++) {
        wr_fmi_variable *const v = &s->d->variable[i];
        v->n_element = 1;
        for (int k = 0; k < v->n_dimension; k++) {
            WR_TRY(resolve_dimension(s, n_reference, v, &v->dimension[k]));
            if (v->dimension[k].size > MAX_ELEMENTS / v->n_element)
                return FAIL(s, v->line, "the variable '%.*s' has more than %d elements", NAME_BYTES,
                            v->name, (int)MAX_ELEMENTS);
            v->n_element *= v->dimension[k].size;
        }
        if (v->n_start > 1 && v->n_start != v->n_element)
            return FAIL(s, v->line, "the variable '%.*s' has %d start values for %d element%s",
                        NAME_BYTES, v->name, v->n_start, (int)v->n_element,
                        v->n_element == 1 ? "" : "s");
    }
    return WRSIM_OK;
}

/* ---- ModelStructure ---- */

static wrsim_status resolve_derivatives(const resolver *s, int n_reference)
{
    for (int i = 0; i < s->d->n_variable; i++) {
        wr_fmi_variable *const v = &s->d->variable[i];
        const int state =
            v->is_derivative ? find_variable(s, n_reference, (uint32_t)v->derivative_of) : -1;
        if (v->is_derivative && state < 0)
            return FAIL(
                s, v->line,
                "the variable '%.*s' is the derivative of variable %u, which does not exist",
                NAME_BYTES, v->name, (unsigned)v->derivative_of);
        v->derivative_of = state;
        const wr_fmi_variable *const x = state >= 0 ? &s->d->variable[state] : NULL;
        if (x && (x->type != v->type || x->n_element != v->n_element ||
                  (v->type != WR_FMI_FLOAT64 && v->type != WR_FMI_FLOAT32)))
            return FAIL(
                s, v->line,
                "the variable '%.*s' is the derivative of '%.*s', which has another type or size",
                NAME_BYTES, v->name, NAME_BYTES, x->name);
    }
    return WRSIM_OK;
}

static wrsim_status resolve_unknown(const resolver *s, int n_reference, wr_fmi_list_id list,
                                    wr_fmi_unknown *u)
{
    const uint32_t number = (uint32_t)u->variable;
    u->variable = find_variable(s, n_reference, number);
    if (u->variable < 0)
        return FAIL(s, u->line, "the variable %u of ModelStructure does not exist",
                    (unsigned)number);
    const wr_fmi_variable *const v = &s->d->variable[u->variable];
    if (list == WR_FMI_OUTPUTS && v->causality != WR_FMI_OUTPUT)
        return FAIL(s, u->line, "the variable '%.*s' is in the list of outputs, but is no output",
                    NAME_BYTES, v->name);
    if (list == WR_FMI_DERIVATIVES && v->derivative_of < 0)
        return FAIL(s, u->line,
                    "the variable '%.*s' is in the list of derivatives, but lacks the attribute "
                    "'derivative'",
                    NAME_BYTES, v->name);
    for (int i = 0; i < u->n_dependency; i++) {
        const uint32_t on = (uint32_t)u->dependency[i];
        u->dependency[i] = find_variable(s, n_reference, on);
        if (u->dependency[i] < 0)
            return FAIL(s, u->line,
                        "the variable '%.*s' depends on the variable %u, which does not exist",
                        NAME_BYTES, v->name, (unsigned)on);
    }
    return WRSIM_OK;
}

/* Refuses a variable that is in a list twice. seen: zeroed, one byte per variable. */
static wrsim_status check_list(const resolver *s, const wr_fmi_list *list, char *seen)
{
    for (int i = 0; i < list->n_row; i++) {
        const wr_fmi_variable *const v = &s->d->variable[list->row[i].variable];
        if (seen[list->row[i].variable])
            return FAIL(s, list->row[i].line,
                        "the variable '%.*s' is in a list of ModelStructure twice", NAME_BYTES,
                        v->name);
        seen[list->row[i].variable] = 1;
    }
    return WRSIM_OK;
}

static wrsim_status resolve_structure(const resolver *s, int n_reference)
{
    wr_description *const d = s->d;
    for (int k = 0; k < WR_FMI_LIST_COUNT; k++) {
        wr_fmi_list *const list = &d->list[k];
        for (int i = 0; i < list->n_row; i++)
            WR_TRY(resolve_unknown(s, n_reference, (wr_fmi_list_id)k, &list->row[i]));
        char *const seen = calloc((size_t)d->n_variable + 1, 1);
        const wrsim_status status = seen ? check_list(s, list, seen) : wr_error_memory(s->err);
        free(seen);
        WR_TRY(status);
    }
    for (int i = 0; i < d->list[WR_FMI_EVENT_INDICATORS].n_row; i++) {
        const int64_t n = d->n_indicator +
                          d->variable[d->list[WR_FMI_EVENT_INDICATORS].row[i].variable].n_element;
        if (n > INT_MAX)
            return FAIL(s, 0, "the FMU has more than %d event indicators", INT_MAX);
        d->n_indicator = (int)n;
    }
    return WRSIM_OK;
}

/* ---- all ---- */

static wrsim_status resolve(const resolver *s)
{
    const wr_description *const d = s->d;
    if (!d->interface[WR_FMI_ME].identifier && !d->interface[WR_FMI_CS].identifier &&
        !d->interface[WR_FMI_SE].identifier)
        return FAIL(s, 0,
                    "the description has none of the elements <ModelExchange> and <CoSimulation>");
    WR_TRY(resolve_types(s));
    WR_TRY(resolve_units(s));
    WR_TRY(check_variables(s));
    const int n = sort_references(s);
    WR_TRY(find_aliases(s, n));
    WR_TRY(resolve_arrays(s, n));
    WR_TRY(resolve_derivatives(s, n));
    return resolve_structure(s, n);
}

wr_description *wr_description_read(const char *file, const char *xml, size_t n_bytes,
                                    wrsim_error *err)
{
    wr_description *d = calloc(1, sizeof *d);
    if (d) {
        d->arena = wr_arena_create(SIZE_MAX);
        d->experiment = (wr_fmi_experiment){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    }
    if (!d || !d->arena) {
        wr_error_memory(err);
        wr_description_destroy(&d);
        return NULL;
    }
    wrsim_status status = wr_description_xml_read(d, file, xml, n_bytes, err);
    if (status == WRSIM_OK) {
        const int n_name = d->n_variable + d->n_unit + d->n_type + 1;
        resolver s = {.d = d, .file = file, .err = err};
        s.reference = malloc(((size_t)d->n_variable + 1) * sizeof *s.reference);
        s.name = malloc((size_t)n_name * sizeof *s.name);
        status = s.reference && s.name ? resolve(&s) : wr_error_memory(err);
        free(s.reference);
        free(s.name);
    }
    if (status != WRSIM_OK)
        wr_description_destroy(&d);
    return d;
}
