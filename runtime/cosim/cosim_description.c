/* Writes descriptions. See cosim_description.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "wrsim/version.h"

typedef struct writer {
    wr_text_buffer text;
    const wr_cosim_description *d;
} writer;

/* ---- attributes ---- */

static void put(writer *w, const char *text) { wr_text_buffer_put(&w->text, text, strlen(text)); }

/* Writes one character with the escapes of XML. Control characters, which XML 1.0 excludes, become blanks. Returns the number of bytes of
 * the character. */
static size_t put_character(writer *w, const char *at)
{
    static const char noncharacters[] = "\xef\xbf"; /* U+FFFE and U+FFFF, which XML 1.0 excludes */
    const size_t n = wr_utf8_length(at);
    if (*at == '&')
        put(w, "&amp;");
    else if (*at == '<')
        put(w, "&lt;");
    else if (*at == '>')
        put(w, "&gt;");
    else if (*at == '"')
        put(w, "&quot;");
    else if (n == 1 && (unsigned char)*at < 0x20)
        put(w, " ");
    else if (n == 0 || (strncmp(at, noncharacters, 2) == 0 && (unsigned char)at[2] >= 0xbe))
        put(w, "?"); /* a plug-in may have texts in another encoding */
    else
        wr_text_buffer_put(&w->text, at, n);
    return n > 0 ? n : 1;
}

static void put_attribute(writer *w, const char *name, const char *value)
{
    wr_text_buffer_add(&w->text, " %s=\"", name);
    while (*value)
        value += put_character(w, value);
    put(w, "\"");
}

static void put_number(writer *w, const char *name, double value)
{
    wr_text_buffer_add(&w->text, " %s=\"", name);
    wr_text_buffer_number(&w->text, value);
    put(w, "\"");
}

static void put_flag(writer *w, const char *name, int value)
{
    put_attribute(w, name, value ? "true" : "false");
}

/* ---- capabilities ---- */

static void put_interface(writer *w)
{
    const wr_cosim_description *const d = w->d;
    const int is_2 = d->version == 2;
    put(w, "  <CoSimulation");
    put_attribute(w, "modelIdentifier", d->identifier);
    put_flag(w, "canHandleVariableCommunicationStepSize", d->can_vary_steps);
    put_flag(w, is_2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", d->can_save);
    put_flag(w, is_2 ? "canSerializeFMUstate" : "canSerializeFMUState", d->can_save);
    put_flag(w, "canBeInstantiatedOnlyOncePerProcess", d->is_once);
    put(w, " maxOutputDerivativeOrder=\"0\"");
    if (is_2) {
        put_flag(w, "canInterpolateInputs", 1);
        put_flag(w, "canNotUseMemoryManagementFunctions", 1);
    } else {
        put_flag(w, "hasEventMode", 0);
        put_flag(w, "providesIntermediateUpdate", 0);
        put_flag(w, "mightReturnEarlyFromDoStep", 0);
    }
    put(w, "/>\n");
}

/* ---- units ---- */

static void put_unit(writer *w, const char *name)
{
    static const char *const bases[WR_UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    wr_unit unit;
    put(w, "    <Unit");
    put_attribute(w, "name", name);
    if (wr_unit_read(name, &unit) != 0) { /* only the name of the unit is known */
        put(w, "/>\n");
        return;
    }
    put(w, "><BaseUnit");
    for (int i = 0; i < WR_UNIT_BASES; i++)
        if (unit.exponent[i] != 0)
            wr_text_buffer_add(&w->text, " %s=\"%d\"", bases[i], unit.exponent[i]);
    if (unit.factor < 1.0 || unit.factor > 1.0)
        put_number(w, "factor", unit.factor);
    if (unit.offset < 0.0 || unit.offset > 0.0)
        put_number(w, "offset", unit.offset);
    put(w, "/></Unit>\n");
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void put_units(writer *w)
{
    const wr_cosim_list *const list = w->d->list;
    const char **const unit = malloc(((size_t)list->n + 1) * sizeof *unit);
    if (!unit) {
        wr_text_buffer_fail(&w->text);
        return;
    }
    for (int i = 0; i < list->n; i++)
        unit[i] = list->variable[i].unit;
    qsort(unit, (size_t)list->n, sizeof *unit, compare_texts);
    put(w, "  <UnitDefinitions>\n");
    for (int i = 0; i < list->n; i++)
        if (*unit[i] && (i == 0 || strcmp(unit[i], unit[i - 1]) != 0))
            put_unit(w, unit[i]);
    put(w, "  </UnitDefinitions>\n");
    free(unit);
}

/* ---- variables ---- */

static const char *causality(const wr_cosim_variable *v)
{
    return v->role == WR_COSIM_TIME                                  ? "independent"
           : v->role == WR_COSIM_INPUT || v->role == WR_COSIM_SWITCH ? "input"
           : wr_cosim_variable_is_output(v)                          ? "output"
                                                                     : "parameter";
}

static const char *variability(const wr_cosim_variable *v)
{
    return v->role == WR_COSIM_PARAMETER                              ? "fixed"
           : v->role == WR_COSIM_TUNABLE || v->role == WR_COSIM_VALUE ? "tunable"
           : v->is_discrete                                           ? "discrete"
                                                                      : "continuous";
}

static void put_start(writer *w, const wr_cosim_variable *v)
{
    if (isnan(v->start))
        return;
    if (v->type == WR_COSIM_BOOLEAN)
        put_flag(w, "start", v->start > 0.0);
    else if (v->type == WR_COSIM_INTEGER)
        wr_text_buffer_add(&w->text, " start=\"%lld\"", (long long)v->start);
    else
        put_number(w, "start", v->start);
}

/* Writes the attributes of the type. */
static void put_quantity(writer *w, const wr_cosim_variable *v)
{
    const int is_real = v->type == WR_COSIM_REAL;
    if (is_real && *v->unit)
        put_attribute(w, "unit", v->unit);
    if (v->type != WR_COSIM_BOOLEAN &&
        (v->min < 0.0 || v->min > 0.0 || v->max < 0.0 || v->max > 0.0)) {
        /* Attributes of integers have no fraction and no exponent. */
        const int is_whole = !is_real;
        if (isfinite(v->min) && (!is_whole || fabs(v->min) < 0x1p31))
            is_whole ? wr_text_buffer_add(&w->text, " min=\"%lld\"", (long long)ceil(v->min))
                     : put_number(w, "min", v->min);
        if (isfinite(v->max) && (!is_whole || fabs(v->max) < 0x1p31))
            is_whole ? wr_text_buffer_add(&w->text, " max=\"%lld\"", (long long)floor(v->max))
                     : put_number(w, "max", v->max);
    }
    if (is_real && v->nominal > 0.0)
        put_number(w, "nominal", v->nominal);
    put_start(w, v);
}

static void put_variable(writer *w, int i)
{
    static const char *const types[2][3] = {{"Real", "Integer", "Boolean"},
                                            {"Float64", "Int32", "Boolean"}};
    const wr_cosim_variable *const v = &w->d->list->variable[i];
    const int is_2 = w->d->version == 2;
    const char *const type = types[!is_2][v->type];
    wr_text_buffer_add(&w->text, "    <%s", is_2 ? "ScalarVariable" : type);
    put_attribute(w, "name", v->name);
    wr_text_buffer_add(&w->text, " valueReference=\"%d\"", i);
    if (*v->description)
        put_attribute(w, "description", v->description);
    put_attribute(w, "causality", causality(v));
    put_attribute(w, "variability", variability(v));
    if (is_2)
        wr_text_buffer_add(&w->text, "><%s", type);
    put_quantity(w, v);
    put(w, is_2 ? "/></ScalarVariable>\n" : "/>\n");
}

/* ---- structure ---- */

/* Lists the outputs. list_2: name of the list in FMI 2.0. item_3: name of an item in FMI 3.0. */
static void put_outputs(writer *w, const char *list_2, const char *item_3, const char *more)
{
    const int is_2 = w->d->version == 2;
    if (is_2)
        wr_text_buffer_add(&w->text, "    <%s>\n", list_2);
    for (int i = 0; i < w->d->list->n; i++)
        if (wr_cosim_variable_is_output(&w->d->list->variable[i]))
            wr_text_buffer_add(&w->text, "%s    <%s %s=\"%d\"%s/>\n", is_2 ? "  " : "",
                               is_2 ? "Unknown" : item_3, is_2 ? "index" : "valueReference",
                               is_2 ? i + 1 : i, more);
    if (is_2)
        wr_text_buffer_add(&w->text, "    </%s>\n", list_2);
}

/* Outputs show the end of the last step, so they depend on no input at the same time. In initialisation mode they may depend on all
 * inputs and parameters. */
static void put_structure(writer *w)
{
    int n_output = 0;
    for (int i = 0; i < w->d->list->n; i++)
        n_output += wr_cosim_variable_is_output(&w->d->list->variable[i]);
    if (n_output == 0) { /* the lists of FMI 2.0 may not be empty */
        put(w, "  <ModelStructure/>\n");
        return;
    }
    put(w, "  <ModelStructure>\n");
    put_outputs(w, "Outputs", "Output", " dependencies=\"\"");
    put_outputs(w, "InitialUnknowns", "InitialUnknown", "");
    put(w, "  </ModelStructure>\n");
}

char *wr_cosim_description_write(const wr_cosim_description *d)
{
    static const char categories[] =
        "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"errors\"/>\n"
        "    <Category name=\"logStatusWarning\" description=\"warnings\"/>\n"
        "    <Category name=\"logEvents\" description=\"creation and preparation\"/>\n"
        "  </LogCategories>\n";
    writer w = {.d = d};
    put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    wr_text_buffer_add(&w.text, " fmiVersion=\"%d.0\"", d->version);
    put_attribute(&w, "modelName", d->identifier);
    put_attribute(&w, d->version == 2 ? "guid" : "instantiationToken", d->token);
    put_attribute(&w, "description", "system of coupled models, simulated by wrsim");
    put_attribute(&w, "generationTool", "wrsim " WRSIM_VERSION_STRING);
    put_attribute(&w, "variableNamingConvention", "flat");
    put(&w, ">\n");
    put_interface(&w);
    put_units(&w);
    put(&w, categories);
    put(&w, "  <DefaultExperiment");
    put_number(&w, "startTime", d->start_s);
    put_number(&w, "stopTime", d->stop_s);
    put_number(&w, "tolerance", d->tolerance);
    put_number(&w, "stepSize", d->step_s);
    put(&w, "/>\n  <ModelVariables>\n");
    for (int i = 0; i < d->list->n; i++)
        put_variable(&w, i);
    put(&w, "  </ModelVariables>\n");
    put_structure(&w);
    put(&w, "</fmiModelDescription>\n");
    return wr_text_buffer_take(&w.text);
}
