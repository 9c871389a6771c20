/* Reads descriptions by expat. See fmu_table.h. */
#include "fmu_table.h"

#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    fmu_table *table;
    fmu_variable next; /* FMI 2.0: the variable of the present ScalarVariable */
    bool is_in_variables, is_in_unknowns;
} reader;

_Noreturn void fmu_stop(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)fputs("master: ", stderr);
    (void)vfprintf(stderr, format, list);
    (void)fputc('\n', stderr);
    va_end(list);
    exit(status);
}

static const char *text_of(const char **attribute, const char *name)
{
    for (; *attribute; attribute += 2)
        if (strcmp(attribute[0], name) == 0)
            return attribute[1];
    return NULL;
}

static double number_of(const char **attribute, const char *name, double otherwise)
{
    const char *const text = text_of(attribute, name);
    return !text ? otherwise : strcmp(text, "true") == 0 ? 1 : strtod(text, NULL);
}

static bool is_set(const char **attribute, const char *name)
{
    return number_of(attribute, name, 0) > 0;
}

static int index_of(const char *text, const char *const *names, int n, int otherwise)
{
    for (int i = 0; text && i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return otherwise;
}

static char *copy_of(const char *text)
{
    char *const copy = text ? strdup(text) : NULL;
    if (!copy)
        fmu_stop(2, "the description lacks an attribute, or memory is short");
    return copy;
}

/* ---- variables ---- */

/* Takes the attributes that both versions have in the element of the variable. */
static void begin_variable(reader *r, const char **attribute, bool is_real)
{
    static const char *const causalities[] = {"parameter", "input",       "output",
                                              "local",     "independent", "calculatedParameter"};
    static const char *const initials[] = {"exact", "approx", "calculated"};
    fmu_variable *const v = &r->next;
    const char *const variability = text_of(attribute, "variability");
    *v = (fmu_variable){.name = copy_of(text_of(attribute, "name")), .n = 1};
    v->number = (unsigned)number_of(attribute, "valueReference", 0);
    v->causality =
        (fmu_causality)index_of(text_of(attribute, "causality"), causalities, 6, FMU_LOCAL);
    v->is_constant = variability && strcmp(variability, "constant") == 0;
    v->is_tunable = variability && strcmp(variability, "tunable") == 0;
    v->is_continuous =
        variability ? strcmp(variability, "continuous") == 0
                    : is_real && v->causality != FMU_PARAMETER && v->causality != FMU_CALCULATED;
    const fmu_initial standard =
        v->causality == FMU_INDEPENDENT ? FMU_NO_INITIAL
        : v->causality == FMU_PARAMETER || v->causality == FMU_INPUT || v->is_constant
            ? FMU_EXACT
            : FMU_COMPUTED;
    v->initial = (fmu_initial)index_of(text_of(attribute, "initial"), initials, 3, (int)standard);
}

/* Takes the attributes of the type, and appends the variable. */
static void end_variable(reader *r, const char *tag, const char **attribute)
{
#define X(name, ctype) #name,
    static const char *const kinds[] = {FMU_KINDS(X)};
#undef X
    static const char *const kinds_2[] = {"Real", "Integer", "Boolean", "Enumeration"};
    static const fmu_kind of_2[] = {FMU_Float64, FMU_Int32, FMU_Boolean, FMU_Int32};
    fmu_variable *const v = &r->next;
    const int i_2 = index_of(tag, kinds_2, 4, -1);
    v->is_enumeration = strcmp(tag, "Enumeration") == 0;
    v->kind = r->table->version == 2 ? (i_2 >= 0 ? of_2[i_2] : FMU_OTHER)
              : v->is_enumeration    ? FMU_Int64
                                     : (fmu_kind)index_of(tag, kinds, FMU_OTHER, FMU_OTHER);
    v->start = number_of(attribute, "start", 0);
    v->min = number_of(attribute, "min", -INFINITY);
    v->max = number_of(attribute, "max", INFINITY);
    fmu_table *const table = r->table;
    fmu_variable *const grown =
        realloc(table->variable, (table->n + 1) * sizeof *table->variable); /* a few thousand */
    if (!grown)
        fmu_stop(2, "memory is short");
    table->variable = grown;
    table->variable[table->n++] = *v;
}

/* ---- elements ---- */

static void take_unknown(reader *r, const char **attribute)
{
    fmu_table *const table = r->table;
    const size_t index = (size_t)number_of(attribute, "index", 0);
    const unsigned number = (unsigned)number_of(attribute, "valueReference", 0);
    for (size_t i = 0; i < table->n; i++)
        if (table->version == 2 ? i + 1 == index : table->variable[i].number == number)
            table->variable[i].is_initial_unknown = true;
}

static void begin_element(void *user, const char *tag, const char **attribute)
{
    reader *const r = user;
    fmu_table *const table = r->table;
    if (strcmp(tag, "fmiModelDescription") == 0) {
        table->version = (int)number_of(attribute, "fmiVersion", 0);
        if (table->version != 2 && table->version != 3)
            fmu_stop(2, "the description is not of FMI 2.0 or 3.0");
        table->token =
            copy_of(text_of(attribute, table->version == 2 ? "guid" : "instantiationToken"));
    } else if (strcmp(tag, "CoSimulation") == 0) {
        const bool is_2 = table->version == 2;
        table->identifier = copy_of(text_of(attribute, "modelIdentifier"));
        table->can_vary_step = is_set(attribute, "canHandleVariableCommunicationStepSize");
        table->can_save = is_set(attribute, is_2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
        table->can_serialise =
            is_set(attribute, is_2 ? "canSerializeFMUstate" : "canSerializeFMUState");
        table->can_interpolate = is_set(attribute, "canInterpolateInputs");
        table->is_once = is_set(attribute, "canBeInstantiatedOnlyOncePerProcess");
    } else if (strcmp(tag, "DefaultExperiment") == 0) {
        table->start_s = number_of(attribute, "startTime", 0);
        table->stop_s = number_of(attribute, "stopTime", INFINITY);
        table->step_s = number_of(attribute, "stepSize", 0.01);
    } else if (strcmp(tag, "ModelVariables") == 0) {
        r->is_in_variables = true;
    } else if (r->is_in_variables && strcmp(tag, "ScalarVariable") == 0) {
        begin_variable(r, attribute, true);
    } else if (r->is_in_variables && strcmp(tag, "Dimension") == 0) {
        if (text_of(attribute, "valueReference"))
            fmu_stop(2, "the master has no arrays of variable size");
        table->variable[table->n - 1].n *= (size_t)number_of(attribute, "start", 1);
    } else if (r->is_in_variables && text_of(attribute, "valueReference")) { /* FMI 3.0 */
        begin_variable(r, attribute, strncmp(tag, "Float", 5) == 0);
        end_variable(r, tag, attribute);
    } else if (r->is_in_variables && table->version == 2 && strcmp(tag, "Annotations") != 0 &&
               strcmp(tag, "Tool") != 0) {
        end_variable(r, tag, attribute);
    } else if (strcmp(tag, "InitialUnknowns") == 0) {
        r->is_in_unknowns = true;
    } else if (strcmp(tag, "InitialUnknown") == 0 ||
               (r->is_in_unknowns && strcmp(tag, "Unknown") == 0)) {
        take_unknown(r, attribute);
    }
}

static void end_element(void *user, const char *tag)
{
    reader *const r = user;
    r->is_in_variables = r->is_in_variables && strcmp(tag, "ModelVariables") != 0;
}

void fmu_table_read(fmu_table *table, const char *path)
{
    *table = (fmu_table){.step_s = 0.01, .stop_s = INFINITY};
    reader r = {.table = table};
    FILE *const file = fopen(path, "r");
    const XML_Parser parser = XML_ParserCreate(NULL);
    if (!file || !parser)
        fmu_stop(2, "%s cannot be read", path);
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, begin_element, end_element);
    static char block[1 << 16];
    size_t n;
    do {
        n = fread(block, 1, sizeof block, file);
        if (XML_Parse(parser, block, (int)n, n == 0) == XML_STATUS_ERROR)
            fmu_stop(2, "%s is no XML: %s", path, XML_ErrorString(XML_GetErrorCode(parser)));
    } while (n > 0);
    XML_ParserFree(parser);
    (void)fclose(file); /* read only */
    if (!table->identifier)
        fmu_stop(2, "%s has no element CoSimulation", path);
}

void fmu_table_free(fmu_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        free(table->variable[i].name);
    free(table->variable);
    free(table->identifier);
    free(table->token);
}
