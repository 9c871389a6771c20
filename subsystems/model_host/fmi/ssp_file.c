/* Reads the XML of files of SSP. See ssp_file.h.
 *
 * An element without a row of `rows` is ignored with all its children, for example geometry and annotations.
 *
 * Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/ssp_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/model_host/fmi/ssp_file_values.h"

typedef enum place {
    DOCUMENT = WR_XML_DOCUMENT,
    IGNORED = WR_XML_IGNORED,
    ROOT,
    SYSTEM,
    ELEMENTS,
    COMPONENT,
    CONNECTORS,
    CONNECTOR,
    CONNECTOR_TYPE,
    CONNECTIONS,
    CONNECTION,
    CHANGE,
    MAPS,
    MAP,
    BINDINGS,
    BINDING,
    VALUES,
    MAPPING_PLACE,
    SET,
    PARAMETERS,
    PARAMETER,
    PARAMETER_TYPE,
    MAPPING,
    MAPPING_ENTRY,
    UNITS,
    UNIT,
    BASE_UNIT,
    ENUMERATIONS,
    ENUMERATION,
    ITEM,
    EXPERIMENT
} place;

#define FAIL WR_SSP_FILE_FAIL
#define APPEND WR_SSP_FILE_APPEND

static void begin_root(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_file_values_check_version(r);
    r->f->name = wr_xml_given_text(&r->xml, "name");
}

static void begin_experiment(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    r->f->start_s = wr_xml_value(&r->xml, "startTime", WR_FMI_FLOAT64, (double)NAN);
    r->f->stop_s = wr_xml_value(&r->xml, "stopTime", WR_FMI_FLOAT64, (double)NAN);
}

/* ---- systems ---- */

static void begin_element(wr_ssp_file_reader *r, int kind)
{
    static const char *const implementations[] = {"any", "ModelExchange", "CoSimulation"};
    wr_ssp_element *const e = APPEND(r, r->f->element, r->f->n_element);
    if (!e)
        return;
    e->kind = (wr_ssp_element_kind)kind;
    e->parent = r->element;
    e->line = wr_xml_line(&r->xml);
    e->name = wr_xml_needed_text(&r->xml, "name");
    e->id = wr_xml_text(&r->xml, "id");
    if (kind == WR_SSP_COMPONENT) {
        e->type = wr_xml_text(&r->xml, "type");
        e->source = wr_xml_text(&r->xml, "source");
        e->implementation = wr_xml_word(&r->xml, "implementation", implementations, 3, 0);
    }
    if (e->name && e->name[strcspn(e->name, "\n\r\t")])
        FAIL(r, "the name of an element has a line feed or tab");
    r->element = r->f->n_element - 1;
}

/* The standard allows one root system. */
static void begin_system(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    if (r->f->n_element > 0)
        FAIL(r, "the description has two systems at its top");
    begin_element(r, WR_SSP_SYSTEM);
}

static void begin_connector(wr_ssp_file_reader *r, int arg)
{
    static const char *const kinds[WR_SSP_CONNECTOR_KINDS] = {"input", "output", "parameter",
                                                              "calculatedParameter", "inout"};
    (void)arg;
    wr_ssp_element *const e = wr_ssp_file_element(r);
    wr_ssp_connector *const c = APPEND(r, e->connector, e->n_connector);
    if (!c)
        return;
    c->line = wr_xml_line(&r->xml);
    c->name = wr_xml_needed_text(&r->xml, "name");
    if (c->name && c->name[strcspn(c->name, "\n\r\t")])
        FAIL(r, "the name of a connector has a line feed or tab");
    if (wr_xml_need(&r->xml, "kind"))
        c->kind = (wr_ssp_connector_kind)wr_xml_word(&r->xml, "kind", kinds, WR_SSP_CONNECTOR_KINDS,
                                                     WR_SSP_INPUT);
    c->type = WR_FMI_TYPE_COUNT;
}

static void begin_connector_type(wr_ssp_file_reader *r, int type)
{
    wr_ssp_connector *const c =
        &wr_ssp_file_element(r)->connector[wr_ssp_file_element(r)->n_connector - 1];
    if (c->type != WR_FMI_TYPE_COUNT)
        FAIL(r, "the connector '%.*s' has two types", WR_XML_QUOTED, c->name);
    c->type = (wr_fmi_type)type;
    if (type == WR_FMI_FLOAT64)
        c->unit = wr_xml_text(&r->xml, "unit");
    if (type == WR_FMI_ENUMERATION)
        c->enumeration = wr_xml_needed_text(&r->xml, "name");
}

static void begin_connection(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_element *const e = wr_ssp_file_element(r);
    wr_ssp_connection *const c = APPEND(r, e->connection, e->n_connection);
    if (!c)
        return;
    c->line = wr_xml_line(&r->xml);
    c->element[0] = wr_xml_text(&r->xml, "startElement");
    c->element[1] = wr_xml_text(&r->xml, "endElement");
    c->connector[0] = wr_xml_needed_text(&r->xml, "startConnector");
    c->connector[1] = wr_xml_needed_text(&r->xml, "endConnector");
    c->is_unconverted = wr_xml_value(&r->xml, "suppressUnitConversion", WR_FMI_BOOLEAN, 0.0) > 0.0;
    r->change = &c->change;
}

/* ---- the table of elements ---- */

/* Attributes of several elements. */
#define BASE " id description"
#define FILE_DATA                                                                                  \
    " version author fileversion copyright license generationTool generationDateAndTime" BASE
#define SOURCE " type source sourceBase" BASE
#define ELEMENT " name" BASE

/* The rows of elements that have several parents. */
#define CHANGES(parent)                                                                            \
    {parent,        CHANGE,          "LinearTransformation", wr_ssp_file_values_begin_change,      \
     WR_SSP_LINEAR, " factor offset"},                                                             \
        {parent,                                                                                   \
         MAPS,                                                                                     \
         "BooleanMappingTransformation",                                                           \
         wr_ssp_file_values_begin_change,                                                          \
         WR_SSP_BOOLEAN_MAP,                                                                       \
         ""},                                                                                      \
        {parent,                                                                                   \
         MAPS,                                                                                     \
         "IntegerMappingTransformation",                                                           \
         wr_ssp_file_values_begin_change,                                                          \
         WR_SSP_INTEGER_MAP,                                                                       \
         ""},                                                                                      \
    {                                                                                              \
        parent, MAPS, "EnumerationMappingTransformation", wr_ssp_file_values_begin_change,         \
            WR_SSP_ENUMERATION_MAP, ""                                                             \
    }
#define TYPES(parent, here, begin, value)                                                          \
    {parent, here, "Real", begin, WR_FMI_FLOAT64, " unit" value},                                  \
        {parent, here, "Integer", begin, WR_FMI_INT32, value},                                     \
        {parent, here, "Boolean", begin, WR_FMI_BOOLEAN, value},                                   \
        {parent, here, "String", begin, WR_FMI_STRING, value},                                     \
        {parent, here, "Enumeration", begin, WR_FMI_ENUMERATION, " name" value},                   \
    {                                                                                              \
        parent, here, "Binary", begin, WR_FMI_BINARY, " mime-type" value                           \
    }

static const struct {
    unsigned char parent, place;
    const char *name;
    void (*begin)(wr_ssp_file_reader *r, int arg);
    int arg;
    const char *attributes; /* names, each after a blank */
} rows[] = {
    {DOCUMENT, ROOT, "SystemStructureDescription", begin_root, 0, " name" FILE_DATA},
    {DOCUMENT, SET, "ParameterSet", wr_ssp_file_values_begin_set, 0, " name" FILE_DATA},
    {DOCUMENT, MAPPING, "ParameterMapping", wr_ssp_file_values_begin_mapping, 0, FILE_DATA},
    {ROOT, SYSTEM, "System", begin_system, 0, ELEMENT},
    {ROOT, EXPERIMENT, "DefaultExperiment", begin_experiment, 0, " startTime stopTime"},
    {ROOT, UNITS, "Units", NULL, 0, ""},
    {SET, UNITS, "Units", NULL, 0, ""},
    {UNITS, UNIT, "Unit", wr_ssp_file_values_begin_unit, 0, ELEMENT},
    {UNIT, BASE_UNIT, "BaseUnit", wr_ssp_file_values_begin_base_unit, 0,
     " kg m s A K mol cd rad factor offset"},
    {ROOT, ENUMERATIONS, "Enumerations", NULL, 0, ""},
    {SET, ENUMERATIONS, "Enumerations", NULL, 0, ""},
    {ENUMERATIONS, ENUMERATION, "Enumeration", wr_ssp_file_values_begin_enumeration, 0, ELEMENT},
    {ENUMERATION, ITEM, "Item", wr_ssp_file_values_begin_item, 0, " name value"},
    {SYSTEM, ELEMENTS, "Elements", NULL, 0, ""},
    {ELEMENTS, SYSTEM, "System", begin_element, WR_SSP_SYSTEM, ELEMENT},
    {ELEMENTS, COMPONENT, "Component", begin_element, WR_SSP_COMPONENT,
     " type source implementation" ELEMENT},
    {ELEMENTS, COMPONENT, "SignalDictionaryReference", begin_element, WR_SSP_DICTIONARY,
     " dictionary" ELEMENT},
    {SYSTEM, CONNECTORS, "Connectors", NULL, 0, ""},
    {COMPONENT, CONNECTORS, "Connectors", NULL, 0, ""},
    {CONNECTORS, CONNECTOR, "Connector", begin_connector, 0, " kind" ELEMENT},
    TYPES(CONNECTOR, CONNECTOR_TYPE, begin_connector_type, ""),
    {SYSTEM, CONNECTIONS, "Connections", NULL, 0, ""},
    {CONNECTIONS, CONNECTION, "Connection", begin_connection, 0,
     " startElement startConnector endElement endConnector suppressUnitConversion" BASE},
    CHANGES(CONNECTION),
    CHANGES(MAPPING_ENTRY),
    {MAPS, MAP, "MapEntry", wr_ssp_file_values_begin_map, 0, " source target"},
    {SYSTEM, BINDINGS, "ParameterBindings", NULL, 0, ""},
    {COMPONENT, BINDINGS, "ParameterBindings", NULL, 0, ""},
    {BINDINGS, BINDING, "ParameterBinding", wr_ssp_file_values_begin_binding, 0, " prefix" SOURCE},
    {BINDING, VALUES, "ParameterValues", NULL, 0, ""},
    {VALUES, SET, "ParameterSet", wr_ssp_file_values_begin_set, 0, " name" FILE_DATA},
    {BINDING, MAPPING_PLACE, "ParameterMapping", wr_ssp_file_values_begin_mapping_place, 0, SOURCE},
    {MAPPING_PLACE, MAPPING, "ParameterMapping", wr_ssp_file_values_begin_mapping, 0, FILE_DATA},
    {SET, PARAMETERS, "Parameters", NULL, 0, ""},
    {PARAMETERS, PARAMETER, "Parameter", wr_ssp_file_values_begin_parameter, 0, ELEMENT},
    TYPES(PARAMETER, PARAMETER_TYPE, wr_ssp_file_values_begin_parameter_type, " value"),
    {MAPPING, MAPPING_ENTRY, "MappingEntry", wr_ssp_file_values_begin_mapping_entry, 0,
     " source target suppressUnitConversion" BASE},
};

/* By wr_ssp_kind. */
static const struct {
    place place;
    const char *noun, *top;
} kinds[] = {
    {ROOT, "description",
     "a system description has <SystemStructureDescription> with a namespace of SSP 1.0"},
    {SET, "parameter set", "a parameter set has <ParameterSet> with a namespace of SSP 1.0"},
    {MAPPING, "parameter mapping",
     "a parameter mapping has <ParameterMapping> with a namespace of SSP 1.0"}};

static int enter(wr_xml *xml, int parent, const char *name)
{
    wr_ssp_file_reader *const r = (wr_ssp_file_reader *)xml;
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        if (rows[i].parent == parent && strcmp(rows[i].name, name) == 0 &&
            (parent != DOCUMENT || rows[i].place == kinds[r->f->kind].place)) {
            wr_xml_check_attributes(xml, rows[i].attributes);
            if (rows[i].begin && xml->status == WRSIM_OK)
                rows[i].begin(r, rows[i].arg);
            return rows[i].place;
        }
    /* Elements without an effect on values. A misspelt element of another kind would lose its values. */
    static const char *const unread[] = {
        "Annotations",        "SystemGeometry",    "ElementGeometry",   "ConnectorGeometry",
        "ConnectionGeometry", "GraphicalElements", "SignalDictionaries"};
    for (size_t i = 0; i < WR_COUNT_OF(unread); i++)
        if (strcmp(unread[i], name) == 0)
            return IGNORED;
    if (parent != DOCUMENT)
        FAIL(r, "SSP 1.0 has no element <%.*s> at this place", WR_XML_QUOTED, name);
    return IGNORED;
}

static void leave(wr_xml *xml, int here)
{
    wr_ssp_file_reader *const r = (wr_ssp_file_reader *)xml;
    if (here == SYSTEM || here == COMPONENT)
        r->element = wr_ssp_file_element(r)->parent;
    if (here == ROOT || here == SET)
        wr_ssp_file_values_sort(r);
    if (here == SET)
        r->is_in_set = 0;
    if (here == PARAMETER) {
        const wr_ssp_set *const set = &r->f->set[r->f->n_set - 1];
        if (set->value[set->n_value - 1].type == WR_FMI_TYPE_COUNT)
            FAIL(r, "the parameter '%.*s' has no value", WR_XML_QUOTED,
                 set->value[set->n_value - 1].name);
    }
}

wr_ssp_file *wr_ssp_file_read(wr_ssp_kind kind, const char *path, const char *text, size_t n_bytes,
                              wrsim_error *err)
{
    wr_ssp_file *f = calloc(1, sizeof *f);
    wr_ssp_file_reader r = {.xml = {.file = path,
                                    .noun = kinds[kind].noun,
                                    .top = kinds[kind].top,
                                    .advice = "correct the file, or export the system again",
                                    .err = err,
                                    .enter = enter,
                                    .leave = leave,
                                    .name_space = "http://ssp-standard.org/SSP1/"},
                            .f = f,
                            .element = -1};
    if (f)
        f->arena = r.xml.arena = wr_arena_create(SIZE_MAX);
    if (!f || !f->arena) {
        wr_error_memory(err);
        wr_ssp_file_destroy(&f);
        return NULL;
    }
    f->kind = kind;
    f->start_s = f->stop_s = (double)NAN;
    WR_ASSERT(n_bytes <= WR_SSP_FILE_BYTES);
    wrsim_status status = wr_xml_parse(&r.xml, text, n_bytes);
    char *const copy = wr_arena_push(f->arena, strlen(path) + 1, 1);
    if (copy)
        f->path = strcpy(copy, path);
    else if (status == WRSIM_OK)
        status = wr_error_memory(err);
    if (status == WRSIM_OK && kind == WR_SSP_SSD && f->n_element == 0)
        status = wr_error_set_at(err, WRSIM_E_MODEL, &(wr_where){.file = path},
                                 "the description has no <System>; export the system again");
    if (status != WRSIM_OK)
        wr_ssp_file_destroy(&f);
    return f;
}

void wr_ssp_file_destroy(wr_ssp_file **file)
{
    if (!file || !*file)
        return;
    wr_arena_destroy(&(*file)->arena);
    free(*file);
    *file = NULL;
}
