/* Reads the XML of a description. See description_xml.h.
 *
 * Elements without a row of `rows` are ignored with all their children, for example annotations of tools.
 *
 * Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/description_xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/model_host/fmi/xml_reader.h"

enum { FMI2 = 1, FMI3 = 2, BOTH = FMI2 | FMI3 };

typedef enum place {
    DOCUMENT = WR_XML_DOCUMENT,
    IGNORED = WR_XML_IGNORED,
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
    wr_xml xml; /* the first member, so its address is the address of the reader */
    wr_description *d;
    int list;     /* FMI 2.0: wr_fmi_list_id of the present list */
    int variable; /* index of the present variable; its aliases of FMI 3.0 follow */
    int has_type; /* FMI 2.0: the present variable or type has an element of its type */
    int has_structure;
} reader;

#define FAIL(r, ...) wr_xml_fail(&(r)->xml, __VA_ARGS__)
#define APPEND(r, list, n) WR_XML_APPEND(&(r)->xml, list, n)

/* Reads min, max: infinite limits are valid. */
static double limit_of(reader *r, const char *name, wr_fmi_type type)
{
    const char *const text = wr_xml_find(&r->xml, name);
    if (text && (type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32) &&
        (strcmp(text, "INF") == 0 || strcmp(text, "-INF") == 0))
        return *text == '-' ? -(double)INFINITY : (double)INFINITY;
    return wr_xml_value(&r->xml, name, type, (double)NAN);
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
    const char *const version = wr_xml_need(&r->xml, "fmiVersion");
    if (!version)
        return;
    d->version = find_version(version);
    if (!d->version) {
        wr_xml_fail_plainly(&r->xml,
                            "the FMU has FMI version '%.*s', and wrsim reads 2.0 and 3.0; export "
                            "the FMU in one of these versions",
                            WR_XML_QUOTED, version);
        return;
    }
    d->version_text = wr_xml_needed_text(&r->xml, "fmiVersion");
    d->model_name = wr_xml_given_text(&r->xml, "modelName");
    d->token = wr_xml_given_text(&r->xml, d->version == 2 ? "guid" : "instantiationToken");
    d->tool = wr_xml_text(&r->xml, "generationTool");
    d->description = wr_xml_text(&r->xml, "description");
    if (d->version == 2)
        d->n_indicator = (int)wr_xml_value(&r->xml, "numberOfEventIndicators", WR_FMI_INT32, 0.0);
    if (d->n_indicator < 0)
        FAIL(r, "the attribute 'numberOfEventIndicators' is negative");
}

static void begin_interface(reader *r, int kind)
{
    wr_fmi_interface *const f = &r->d->interface[kind];
    if (f->identifier)
        FAIL(r, "the element <%s> is there twice", r->xml.element);
    f->identifier = wr_xml_needed_text(&r->xml, "modelIdentifier");
    if (f->identifier && (strchr(f->identifier, '/') || strlen(f->identifier) > 200))
        FAIL(r, "the attribute 'modelIdentifier' has a '/' or more than 200 bytes, so no file has "
                "this name");
    for (int i = 0; i < WR_FMI_FLAG_COUNT; i++) {
        const char *const name = r->d->version == 2 ? flag_rows[i].fmi2 : flag_rows[i].fmi3;
        if (*name && wr_xml_value(&r->xml, name, WR_FMI_BOOLEAN, 0.0) > 0.0)
            f->flags |= 1u << i;
    }
    f->max_output_derivative =
        (int)wr_xml_value(&r->xml, "maxOutputDerivativeOrder", WR_FMI_UINT16, 0.0);
    f->fixed_internal_step_s =
        wr_xml_value(&r->xml, "fixedInternalStepSize", WR_FMI_FLOAT64, (double)NAN);
}

static void begin_unit(reader *r, int arg)
{
    (void)arg;
    wr_fmi_unit *const unit = APPEND(r, r->d->unit, r->d->n_unit);
    if (unit)
        wr_xml_unit(&r->xml, unit);
}

static void begin_base_unit(reader *r, int arg)
{
    (void)arg;
    wr_xml_base_unit(&r->xml, &r->d->unit[r->d->n_unit - 1]);
}

static void read_quantity(reader *r, wr_fmi_type type, wr_fmi_quantity *q)
{
    const int is_float = type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32;
    const int has_range = type != WR_FMI_BOOLEAN && type != WR_FMI_STRING &&
                          type != WR_FMI_BINARY && type != WR_FMI_CLOCK;
    q->quantity = wr_xml_text(&r->xml, "quantity");
    q->unit = is_float ? wr_xml_text(&r->xml, "unit") : NULL;
    q->is_relative = is_float && wr_xml_find(&r->xml, "relativeQuantity")
                         ? wr_xml_value(&r->xml, "relativeQuantity", WR_FMI_BOOLEAN, 0.0) > 0.0
                         : -1;
    q->nominal =
        is_float ? wr_xml_value(&r->xml, "nominal", WR_FMI_FLOAT64, (double)NAN) : (double)NAN;
    q->min = has_range ? limit_of(r, "min", type) : (double)NAN;
    q->max = has_range ? limit_of(r, "max", type) : (double)NAN;
    /* Some tools write a negative nominal value or 0, which the standard forbids. */
    q->nominal = q->nominal > 0.0 || q->nominal < 0.0 ? fabs(q->nominal)
                 : isnan(q->nominal)                  ? q->nominal
                                                      : 1.0;
    if (q->min > q->max)
        FAIL(r, "the attribute 'min' of the element <%s> is above 'max'", r->xml.element);
}

/* Begins <SimpleType> of FMI 2.0, or with a type <Float64Type> of FMI 3.0. */
static void begin_type(reader *r, int type)
{
    wr_fmi_declared_type *const t = APPEND(r, r->d->type, r->d->n_type);
    if (!t)
        return;
    t->name = wr_xml_needed_text(&r->xml, "name");
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
        FAIL(r, "the type '%.*s' has two elements of a type", WR_XML_QUOTED, t->name);
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
    item->name = wr_xml_needed_text(&r->xml, "name");
    if (wr_xml_need(&r->xml, "value"))
        item->value =
            wr_xml_value(&r->xml, "value", r->d->version == 2 ? WR_FMI_INT32 : WR_FMI_INT64, 0.0);
}

static void begin_experiment(reader *r, int arg)
{
    (void)arg;
    r->d->experiment = (wr_fmi_experiment){
        .start_s = wr_xml_value(&r->xml, "startTime", WR_FMI_FLOAT64, (double)NAN),
        .stop_s = wr_xml_value(&r->xml, "stopTime", WR_FMI_FLOAT64, (double)NAN),
        .tolerance = wr_xml_value(&r->xml, "tolerance", WR_FMI_FLOAT64, (double)NAN),
        .step_s = wr_xml_value(&r->xml, "stepSize", WR_FMI_FLOAT64, (double)NAN)};
}

/* Reads the attributes of the type of a variable. Start values of texts of FMI 3.0 are elements. */
static void read_typed(reader *r, wr_fmi_type type)
{
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    v->type = type;
    read_quantity(r, type, &v->quantity);
    v->declared_name = wr_xml_text(&r->xml, "declaredType");
    if (type == WR_FMI_STRING && r->d->version == 2) {
        const char *const start = wr_xml_find(&r->xml, "start");
        const char **const text = start ? wr_xml_place(&r->xml, 1, sizeof *text) : NULL;
        if (text)
            text[0] = wr_xml_copy(&r->xml, start, strlen(start));
        v->text = text;
        v->n_start = start != NULL;
    } else if (type != WR_FMI_STRING && type != WR_FMI_BINARY && type != WR_FMI_CLOCK) {
        v->start = wr_xml_values(&r->xml, "start", type, &v->n_start);
    }
    v->is_derivative = wr_xml_find(&r->xml, "derivative") != NULL;
    if (v->is_derivative)
        v->derivative_of = (int)wr_xml_number(&r->xml, "derivative");
}

/* Reads the name of a variable, which tables print in one line. */
static const char *name_of(reader *r)
{
    const char *const name = wr_xml_needed_text(&r->xml, "name");
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
    v->line = wr_xml_line(&r->xml);
    v->name = name_of(r);
    v->description = wr_xml_text(&r->xml, "description");
    v->number = wr_xml_number(&r->xml, "valueReference");
    v->causality = (wr_fmi_causality)wr_xml_word(&r->xml, "causality", causalities,
                                                 WR_FMI_CAUSALITY_COUNT, WR_FMI_LOCAL);
    v->variability = (wr_fmi_variability)wr_xml_word(
        &r->xml, "variability", variabilities, WR_FMI_VARIABILITY_COUNT, WR_FMI_VARIABILITY_COUNT);
    v->initial = (wr_fmi_initial)wr_xml_word(&r->xml, "initial", initials, WR_FMI_INITIAL_COUNT,
                                             WR_FMI_INITIAL_COUNT);
    v->alias_of = -1;
    r->has_type = type < WR_FMI_TYPE_COUNT;
    if (r->has_type)
        read_typed(r, (wr_fmi_type)type);
}

static void begin_variable_kind(reader *r, int type)
{
    if (r->has_type)
        FAIL(r, "the variable '%.*s' has two elements of a type", WR_XML_QUOTED,
             r->d->variable[r->variable].name);
    r->has_type = 1;
    read_typed(r, (wr_fmi_type)type);
}

static void end_typed(reader *r)
{
    if (!r->has_type)
        FAIL(r, "the element <%s> has no element of a type, such as <Real>", r->xml.element);
}

static void begin_dimension(reader *r, int arg)
{
    (void)arg;
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    wr_fmi_dimension *const all =
        wr_xml_grow_in_arena(&r->xml, v->dimension, v->n_dimension, sizeof *all);
    if (!all)
        return;
    wr_fmi_dimension *const dimension = &all[v->n_dimension];
    const int is_fixed = wr_xml_find(&r->xml, "start") != NULL;
    if (is_fixed == (wr_xml_find(&r->xml, "valueReference") != NULL))
        FAIL(r,
             "a dimension of the variable '%.*s' must have one of the attributes 'start' and "
             "'valueReference'",
             WR_XML_QUOTED, v->name);
    else if (is_fixed)
        *dimension = (wr_fmi_dimension){
            .size = (int64_t)wr_xml_value(&r->xml, "start", WR_FMI_INT32, 0.0), .variable = -1};
    else
        *dimension = (wr_fmi_dimension){.number = wr_xml_number(&r->xml, "valueReference")};
    if (is_fixed && dimension->size < 1)
        FAIL(r, "a dimension of the variable '%.*s' has the size %d; sizes are positive",
             WR_XML_QUOTED, v->name, (int)dimension->size);
    v->dimension = all;
    v->n_dimension++;
}

static void begin_start(reader *r, int arg)
{
    (void)arg;
    wr_fmi_variable *const v = &r->d->variable[r->variable];
    if (v->type != WR_FMI_STRING && v->type != WR_FMI_BINARY)
        return;
    const char *const value = wr_xml_need(&r->xml, "value");
    const char **const all = wr_xml_grow_in_arena(&r->xml, v->text, v->n_start, sizeof *all);
    if (!value || !all)
        return;
    all[v->n_start++] = wr_xml_copy(&r->xml, value, strlen(value));
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
    v->description = wr_xml_text(&r->xml, "description");
    v->line = wr_xml_line(&r->xml);
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

/* Reads dependenciesKind: as many words as dependencies. FMUs of FMI 3.0 by Dymola 2024x and 2025x have more words in InitialUnknown. A run
 * does not use this list, so such words are ignored. */
static void read_kinds(reader *r, wr_fmi_list_id list, wr_fmi_unknown *u)
{
    static const char *const words[WR_FMI_DEPENDENCY_COUNT] = {"dependent", "constant", "fixed",
                                                               "tunable", "discrete"};
    const char *at = wr_xml_find(&r->xml, "dependenciesKind");
    if (!at)
        return;
    if (u->n_dependency < 0) {
        FAIL(r, "the element <%s> has the attribute 'dependenciesKind' without 'dependencies'",
             r->xml.element);
        return;
    }
    u->kind = wr_xml_place(&r->xml, (size_t)u->n_dependency + 1, 1);
    int n = 0;
    while (u->kind && r->xml.status == WRSIM_OK) {
        while (wr_xml_is_space(*at))
            at++;
        if (!*at)
            break;
        const char *const begin = at;
        while (*at && !wr_xml_is_space(*at))
            at++;
        int kind = 0;
        while (kind < WR_FMI_DEPENDENCY_COUNT && !wr_xml_is_word(begin, at, words[kind]))
            kind++;
        if (kind == WR_FMI_DEPENDENCY_COUNT)
            FAIL(r, "the attribute 'dependenciesKind' has the unknown word '%.*s'",
                 at - begin > WR_XML_QUOTED ? WR_XML_QUOTED : (int)(at - begin), begin);
        else if (n < u->n_dependency)
            u->kind[n] = (unsigned char)kind;
        n++;
    }
    if (n != u->n_dependency && list == WR_FMI_INITIAL_UNKNOWNS)
        u->kind = NULL;
    else if (n != u->n_dependency)
        FAIL(r, "the element <%s> has %d dependenc%s, but %d kind%s of dependencies",
             r->xml.element, u->n_dependency, u->n_dependency == 1 ? "y" : "ies", n,
             n == 1 ? "" : "s");
}

/* Begins a row of ModelStructure; list < 0: of the present list of FMI 2.0. */
static void begin_unknown(reader *r, int list)
{
    const wr_fmi_list_id id = (wr_fmi_list_id)(list < 0 ? r->list : list);
    wr_fmi_list *const l = &r->d->list[id];
    wr_fmi_unknown *const u = APPEND(r, l->row, l->n_row);
    if (!u)
        return;
    u->line = wr_xml_line(&r->xml);
    u->variable = (int)wr_xml_number(&r->xml, r->d->version == 2 ? "index" : "valueReference");
    u->n_dependency = -1;
    const char *const text = wr_xml_find(&r->xml, "dependencies");
    if (text)
        u->n_dependency = 0;
    if (text && text[strspn(text, " \t\r\n")]) {
        const double *const value =
            wr_xml_values(&r->xml, "dependencies", WR_FMI_UINT32, &u->n_dependency);
        u->dependency = wr_xml_place(&r->xml, (size_t)u->n_dependency, sizeof *u->dependency);
        for (int i = 0; value && u->dependency && i < u->n_dependency; i++)
            u->dependency[i] = (int)(uint32_t)value[i];
    }
    read_kinds(r, id, u);
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
        if (*own && wr_xml_is_word(name, name + n - n_ending, own))
            break;
    }
    return type;
}

static int enter(wr_xml *xml, int parent, const char *name)
{
    reader *const r = (reader *)xml;
    const int version = r->d->version, versions = version == 2 ? FMI2 : version == 3 ? FMI3 : BOTH;
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        if (rows[i].parent == parent && (rows[i].versions & versions) &&
            strcmp(rows[i].name, name) == 0) {
            if (rows[i].begin)
                rows[i].begin(r, rows[i].arg);
            return rows[i].place;
        }
    for (size_t i = 0; i < WR_COUNT_OF(typed_rows); i++) {
        const int is_here = typed_rows[i].version == version && typed_rows[i].parent == parent;
        const int type = is_here ? type_of(version, name, typed_rows[i].ending) : WR_FMI_TYPE_COUNT;
        if (type < WR_FMI_TYPE_COUNT) {
            typed_rows[i].begin(r, type);
            return typed_rows[i].place;
        }
    }
    return IGNORED;
}

static void leave(wr_xml *xml, int here)
{
    reader *const r = (reader *)xml;
    if (here == TYPE)
        end_typed(r);
    else if (here == VARIABLE)
        end_variable(r);
}

wrsim_status wr_description_xml_read(wr_description *d, const char *file, const char *xml,
                                     size_t n_bytes, wrsim_error *err)
{
    reader r = {.xml = {.file = file,
                        .noun = "description",
                        .top = "a description has <fmiModelDescription>",
                        .advice = "correct the description, or export the FMU again",
                        .arena = d->arena,
                        .err = err,
                        .enter = enter,
                        .leave = leave},
                .d = d};
    WR_ASSERT(n_bytes <= WR_FMI_DESCRIPTION_BYTES);
    wrsim_status status = wr_xml_parse(&r.xml, xml, n_bytes);
    if (status == WRSIM_OK && !r.has_structure)
        status = wr_description_refuse(err, file, 0,
                                       "the description lacks the element <ModelStructure>");
    return status;
}
