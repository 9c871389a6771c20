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
#include "subsystems/model_host/fmi/xml_reader.h"

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

enum {
    MOST_ENTRIES = 1000, /* of a map (assumed); the search of doubled entries is quadratic */
    MOST_PREFIX = 4096   /* longest prefix of names, bytes (assumed) */
};

typedef struct reader {
    wr_xml xml; /* the first member, so its address is the address of the reader */
    wr_ssp_file *f;
    int element;           /* index of the present system or component; -1: none */
    int is_in_set;         /* 1: inside of <ParameterSet> */
    wr_ssp_change *change; /* present transformation */
} reader;

#define FAIL(r, ...) wr_xml_fail(&(r)->xml, __VA_ARGS__)

/* Appends a zeroed item to an array in the arena. Returns the item, or NULL after an error. */
#define APPEND(r, list, n)                                                                         \
    ((r)->xml.status == WRSIM_OK &&                                                                \
             ((list) = wr_xml_grow_in_arena(&(r)->xml, (list), (n), sizeof *(list))) != NULL       \
         ? &(list)[(n)++]                                                                          \
         : NULL)

static wr_ssp_element *element_of(const reader *r) { return &r->f->element[r->element]; }

static wr_ssp_scope *scope_of(const reader *r)
{
    return r->is_in_set ? &r->f->set[r->f->n_set - 1].scope : &r->f->scope;
}

static void check_version(reader *r)
{
    const char *const version = wr_xml_need(&r->xml, "version");
    if (version && strcmp(version, "1.0") != 0)
        wr_xml_fail_plainly(&r->xml,
                            "the file has SSP version '%.*s', and wrsim reads 1.0; export the "
                            "system in this version",
                            WR_XML_QUOTED, version);
}

static void begin_root(reader *r, int arg)
{
    (void)arg;
    check_version(r);
    r->f->name = wr_xml_given_text(&r->xml, "name");
}

static void begin_experiment(reader *r, int arg)
{
    (void)arg;
    r->f->start_s = wr_xml_value(&r->xml, "startTime", WR_FMI_FLOAT64, (double)NAN);
    r->f->stop_s = wr_xml_value(&r->xml, "stopTime", WR_FMI_FLOAT64, (double)NAN);
}

/* ---- units and enumerations ---- */

static void begin_unit(reader *r, int arg)
{
    (void)arg;
    wr_ssp_scope *const scope = scope_of(r);
    wr_fmi_unit *const unit = APPEND(r, scope->unit, scope->n_unit);
    if (unit)
        wr_xml_unit(&r->xml, unit);
}

static void begin_base_unit(reader *r, int arg)
{
    (void)arg;
    const wr_ssp_scope *const scope = scope_of(r);
    wr_xml_base_unit(&r->xml, &scope->unit[scope->n_unit - 1]);
}

static void begin_enumeration(reader *r, int arg)
{
    (void)arg;
    wr_ssp_scope *const scope = scope_of(r);
    wr_ssp_enumeration *const e = APPEND(r, scope->enumeration, scope->n_enumeration);
    if (e)
        e->name = wr_xml_needed_text(&r->xml, "name");
}

static void begin_item(reader *r, int arg)
{
    (void)arg;
    const wr_ssp_scope *const scope = scope_of(r);
    wr_ssp_enumeration *const e = &scope->enumeration[scope->n_enumeration - 1];
    wr_fmi_item *const item = APPEND(r, e->item, e->n_item);
    if (!item)
        return;
    item->name = wr_xml_needed_text(&r->xml, "name");
    if (wr_xml_need(&r->xml, "value"))
        item->value = wr_xml_value(&r->xml, "value", WR_FMI_INT32, 0.0);
}

/* The name is the first member of units and enumerations. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(reader *r, void *list, int n, size_t size, const char *noun)
{
    if (n > 1)
        qsort(list, (size_t)n, size, compare_names);
    for (int i = 1; i < n; i++) {
        const char *const item = (const char *)list + (size_t)i * size;
        if (compare_names(item - size, item) == 0)
            FAIL(r, "two %s have the name '%.*s'", noun, WR_XML_QUOTED, *(const char *const *)item);
    }
}

static void sort_scope(reader *r)
{
    wr_ssp_scope *const s = scope_of(r);
    sort_names(r, s->unit, s->n_unit, sizeof *s->unit, "units");
    sort_names(r, s->enumeration, s->n_enumeration, sizeof *s->enumeration, "enumerations");
}

/* ---- systems ---- */

static void begin_element(reader *r, int kind)
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
static void begin_system(reader *r, int arg)
{
    (void)arg;
    if (r->f->n_element > 0)
        FAIL(r, "the description has two systems at its top");
    begin_element(r, WR_SSP_SYSTEM);
}

static void begin_connector(reader *r, int arg)
{
    static const char *const kinds[WR_SSP_CONNECTOR_KINDS] = {"input", "output", "parameter",
                                                              "calculatedParameter", "inout"};
    (void)arg;
    wr_ssp_element *const e = element_of(r);
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

static void begin_connector_type(reader *r, int type)
{
    wr_ssp_connector *const c = &element_of(r)->connector[element_of(r)->n_connector - 1];
    if (c->type != WR_FMI_TYPE_COUNT)
        FAIL(r, "the connector '%.*s' has two types", WR_XML_QUOTED, c->name);
    c->type = (wr_fmi_type)type;
    if (type == WR_FMI_FLOAT64)
        c->unit = wr_xml_text(&r->xml, "unit");
    if (type == WR_FMI_ENUMERATION)
        c->enumeration = wr_xml_needed_text(&r->xml, "name");
}

static void begin_connection(reader *r, int arg)
{
    (void)arg;
    wr_ssp_element *const e = element_of(r);
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

/* ---- transformations ---- */

static void begin_change(reader *r, int kind)
{
    wr_ssp_change *const c = r->change;
    if (c->kind != WR_SSP_NO_CHANGE)
        FAIL(r, "the element <%s> is a second transformation", r->xml.element);
    c->kind = (wr_ssp_change_kind)kind;
    c->line = wr_xml_line(&r->xml);
    c->factor = wr_xml_value(&r->xml, "factor", WR_FMI_FLOAT64, 1.0);
    c->offset = wr_xml_value(&r->xml, "offset", WR_FMI_FLOAT64, 0.0);
}

static void begin_map(reader *r, int arg)
{
    (void)arg;
    wr_ssp_change *const c = r->change;
    const wr_fmi_type type = c->kind == WR_SSP_BOOLEAN_MAP ? WR_FMI_BOOLEAN : WR_FMI_INT32;
    if (c->n_map == MOST_ENTRIES)
        FAIL(r, "the map has more than %d entries", MOST_ENTRIES);
    struct wr_ssp_map *const m = APPEND(r, c->map, c->n_map);
    if (!m)
        return;
    m->source = wr_xml_given_text(&r->xml, "source");
    m->target = wr_xml_given_text(&r->xml, "target");
    if (c->kind != WR_SSP_ENUMERATION_MAP) {
        m->from = wr_xml_value(&r->xml, "source", type, 0.0);
        m->to = wr_xml_value(&r->xml, "target", type, 0.0);
    }
    for (int i = 0; r->xml.status == WRSIM_OK && i < c->n_map - 1; i++)
        if (c->kind == WR_SSP_ENUMERATION_MAP ? strcmp(c->map[i].source, m->source) == 0
                                              : fabs(c->map[i].from - m->from) < 0.5)
            FAIL(r, "the map has two entries for the value '%.*s'", WR_XML_QUOTED, m->source);
}

/* ---- parameters ---- */

static wr_ssp_source read_source(reader *r)
{
    static const char *const bases[] = {"SSD", "component"};
    const char *const type = wr_xml_text(&r->xml, "type");
    const char *const path = wr_xml_text(&r->xml, "source");
    return (wr_ssp_source){.type = type,
                           .path = path,
                           .is_in_component = wr_xml_word(&r->xml, "sourceBase", bases, 2, 0),
                           .i_inline = -1};
}

static void begin_binding(reader *r, int arg)
{
    (void)arg;
    wr_ssp_element *const e = element_of(r);
    wr_ssp_binding *const b = APPEND(r, e->binding, e->n_binding);
    if (!b)
        return;
    b->line = wr_xml_line(&r->xml);
    b->set = read_source(r);
    b->mapping.i_inline = -1;
    const char *const prefix = wr_xml_text(&r->xml, "prefix");
    b->prefix = prefix ? prefix : "";
    if (strlen(b->prefix) > MOST_PREFIX)
        FAIL(r, "the prefix has more than %d bytes", MOST_PREFIX);
}

static wr_ssp_binding *binding_of(const reader *r)
{
    return &element_of(r)->binding[element_of(r)->n_binding - 1];
}

static void begin_mapping_place(reader *r, int arg)
{
    (void)arg;
    wr_ssp_binding *const b = binding_of(r);
    if (b->has_mapping)
        FAIL(r, "the parameter binding has two mappings");
    b->mapping = read_source(r);
    b->has_mapping = 1;
}

static void begin_set(reader *r, int arg)
{
    (void)arg;
    check_version(r);
    const wr_ssp_set *const set = APPEND(r, r->f->set, r->f->n_set);
    if (!set)
        return;
    r->is_in_set = 1;
    if (r->f->kind != WR_SSP_SSD)
        return;
    wr_ssp_binding *const b = binding_of(r);
    if (b->set.path || b->set.i_inline >= 0)
        FAIL(r, "the parameter binding has two parameter sets");
    b->set.i_inline = r->f->n_set - 1;
}

static void begin_parameter(reader *r, int arg)
{
    (void)arg;
    wr_ssp_set *const set = &r->f->set[r->f->n_set - 1];
    wr_ssp_value *const v = APPEND(r, set->value, set->n_value);
    if (!v)
        return;
    v->line = wr_xml_line(&r->xml);
    v->name = wr_xml_needed_text(&r->xml, "name");
    v->type = WR_FMI_TYPE_COUNT;
}

static void begin_parameter_type(reader *r, int type)
{
    const wr_ssp_set *const set = &r->f->set[r->f->n_set - 1];
    wr_ssp_value *const v = &set->value[set->n_value - 1];
    if (v->type != WR_FMI_TYPE_COUNT)
        FAIL(r, "the parameter '%.*s' has two values", WR_XML_QUOTED, v->name);
    v->type = (wr_fmi_type)type;
    v->text = wr_xml_given_text(&r->xml, "value");
    if (type == WR_FMI_FLOAT64 || type == WR_FMI_INT32 || type == WR_FMI_BOOLEAN)
        v->number = wr_xml_value(&r->xml, "value", v->type, 0.0);
    if (type == WR_FMI_FLOAT64)
        v->unit = wr_xml_text(&r->xml, "unit");
}

static void begin_mapping(reader *r, int arg)
{
    (void)arg;
    check_version(r);
    const wr_ssp_mapping *const mapping = APPEND(r, r->f->mapping, r->f->n_mapping);
    if (!mapping || r->f->kind != WR_SSP_SSD)
        return;
    wr_ssp_source *const source = &binding_of(r)->mapping;
    if (source->path || source->i_inline >= 0)
        FAIL(r, "the parameter binding has two mappings");
    source->i_inline = r->f->n_mapping - 1;
}

static void begin_mapping_entry(reader *r, int arg)
{
    (void)arg;
    wr_ssp_mapping *const m = &r->f->mapping[r->f->n_mapping - 1];
    wr_ssp_mapping_entry *const e = APPEND(r, m->entry, m->n_entry);
    if (!e)
        return;
    e->line = wr_xml_line(&r->xml);
    e->source = wr_xml_given_text(&r->xml, "source");
    e->target = wr_xml_given_text(&r->xml, "target");
    e->is_unconverted = wr_xml_value(&r->xml, "suppressUnitConversion", WR_FMI_BOOLEAN, 0.0) > 0.0;
    r->change = &e->change;
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
    {parent, CHANGE, "LinearTransformation", begin_change, WR_SSP_LINEAR, " factor offset"},       \
        {parent, MAPS, "BooleanMappingTransformation", begin_change, WR_SSP_BOOLEAN_MAP, ""},      \
        {parent, MAPS, "IntegerMappingTransformation", begin_change, WR_SSP_INTEGER_MAP, ""},      \
    {                                                                                              \
        parent, MAPS, "EnumerationMappingTransformation", begin_change, WR_SSP_ENUMERATION_MAP, "" \
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
    void (*begin)(reader *r, int arg);
    int arg;
    const char *attributes; /* names, each after a blank */
} rows[] = {
    {DOCUMENT, ROOT, "SystemStructureDescription", begin_root, 0, " name" FILE_DATA},
    {DOCUMENT, SET, "ParameterSet", begin_set, 0, " name" FILE_DATA},
    {DOCUMENT, MAPPING, "ParameterMapping", begin_mapping, 0, FILE_DATA},
    {ROOT, SYSTEM, "System", begin_system, 0, ELEMENT},
    {ROOT, EXPERIMENT, "DefaultExperiment", begin_experiment, 0, " startTime stopTime"},
    {ROOT, UNITS, "Units", NULL, 0, ""},
    {SET, UNITS, "Units", NULL, 0, ""},
    {UNITS, UNIT, "Unit", begin_unit, 0, ELEMENT},
    {UNIT, BASE_UNIT, "BaseUnit", begin_base_unit, 0, " kg m s A K mol cd rad factor offset"},
    {ROOT, ENUMERATIONS, "Enumerations", NULL, 0, ""},
    {SET, ENUMERATIONS, "Enumerations", NULL, 0, ""},
    {ENUMERATIONS, ENUMERATION, "Enumeration", begin_enumeration, 0, ELEMENT},
    {ENUMERATION, ITEM, "Item", begin_item, 0, " name value"},
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
    {MAPS, MAP, "MapEntry", begin_map, 0, " source target"},
    {SYSTEM, BINDINGS, "ParameterBindings", NULL, 0, ""},
    {COMPONENT, BINDINGS, "ParameterBindings", NULL, 0, ""},
    {BINDINGS, BINDING, "ParameterBinding", begin_binding, 0, " prefix" SOURCE},
    {BINDING, VALUES, "ParameterValues", NULL, 0, ""},
    {VALUES, SET, "ParameterSet", begin_set, 0, " name" FILE_DATA},
    {BINDING, MAPPING_PLACE, "ParameterMapping", begin_mapping_place, 0, SOURCE},
    {MAPPING_PLACE, MAPPING, "ParameterMapping", begin_mapping, 0, FILE_DATA},
    {SET, PARAMETERS, "Parameters", NULL, 0, ""},
    {PARAMETERS, PARAMETER, "Parameter", begin_parameter, 0, ELEMENT},
    TYPES(PARAMETER, PARAMETER_TYPE, begin_parameter_type, " value"),
    {MAPPING, MAPPING_ENTRY, "MappingEntry", begin_mapping_entry, 0,
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
    reader *const r = (reader *)xml;
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
    reader *const r = (reader *)xml;
    if (here == SYSTEM || here == COMPONENT)
        r->element = element_of(r)->parent;
    if (here == ROOT || here == SET)
        sort_scope(r);
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
    reader r = {.xml = {.file = path,
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
