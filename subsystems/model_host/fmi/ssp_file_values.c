/* Reads values of SSP. See ssp_file_values.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/ssp_file_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ENTRIES = 1000, /* of a map (assumed); the search of doubled entries is quadratic */
    MOST_PREFIX = 4096   /* longest prefix of names, bytes (assumed) */
};

#define FAIL WR_SSP_FILE_FAIL
#define APPEND WR_SSP_FILE_APPEND

static wr_ssp_scope *scope_of(const wr_ssp_file_reader *r)
{
    return r->is_in_set ? &r->f->set[r->f->n_set - 1].scope : &r->f->scope;
}

void wr_ssp_file_values_check_version(wr_ssp_file_reader *r)
{
    const char *const version = wr_xml_need(&r->xml, "version");
    if (version && strcmp(version, "1.0") != 0)
        wr_xml_fail_plainly(&r->xml,
                            "the file has SSP version '%.*s', and wrsim reads 1.0; export the "
                            "system in this version",
                            WR_XML_QUOTED, version);
}

/* ---- units and enumerations ---- */

void wr_ssp_file_values_begin_unit(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_scope *const scope = scope_of(r);
    wr_fmi_unit *const unit = APPEND(r, scope->unit, scope->n_unit);
    if (unit)
        wr_xml_unit(&r->xml, unit);
}

void wr_ssp_file_values_begin_base_unit(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    const wr_ssp_scope *const scope = scope_of(r);
    wr_xml_base_unit(&r->xml, &scope->unit[scope->n_unit - 1]);
}

void wr_ssp_file_values_begin_enumeration(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_scope *const scope = scope_of(r);
    wr_ssp_enumeration *const e = APPEND(r, scope->enumeration, scope->n_enumeration);
    if (e)
        e->name = wr_xml_needed_text(&r->xml, "name");
}

void wr_ssp_file_values_begin_item(wr_ssp_file_reader *r, int arg)
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

static void sort_names(wr_ssp_file_reader *r, void *list, int n, size_t size, const char *noun)
{
    if (n > 1)
        qsort(list, (size_t)n, size, compare_names);
    for (int i = 1; i < n; i++) {
        const char *const item = (const char *)list + (size_t)i * size;
        if (compare_names(item - size, item) == 0)
            FAIL(r, "two %s have the name '%.*s'", noun, WR_XML_QUOTED, *(const char *const *)item);
    }
}

void wr_ssp_file_values_sort(wr_ssp_file_reader *r)
{
    wr_ssp_scope *const s = scope_of(r);
    sort_names(r, s->unit, s->n_unit, sizeof *s->unit, "units");
    sort_names(r, s->enumeration, s->n_enumeration, sizeof *s->enumeration, "enumerations");
}

/* ---- transformations ---- */

void wr_ssp_file_values_begin_change(wr_ssp_file_reader *r, int kind)
{
    wr_ssp_change *const c = r->change;
    if (c->kind != WR_SSP_NO_CHANGE)
        FAIL(r, "the element <%s> is a second transformation", r->xml.element);
    c->kind = (wr_ssp_change_kind)kind;
    c->line = wr_xml_line(&r->xml);
    c->factor = wr_xml_value(&r->xml, "factor", WR_FMI_FLOAT64, 1.0);
    c->offset = wr_xml_value(&r->xml, "offset", WR_FMI_FLOAT64, 0.0);
}

void wr_ssp_file_values_begin_map(wr_ssp_file_reader *r, int arg)
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

static wr_ssp_source read_source(wr_ssp_file_reader *r)
{
    static const char *const bases[] = {"SSD", "component"};
    const char *const type = wr_xml_text(&r->xml, "type");
    const char *const path = wr_xml_text(&r->xml, "source");
    return (wr_ssp_source){.type = type,
                           .path = path,
                           .is_in_component = wr_xml_word(&r->xml, "sourceBase", bases, 2, 0),
                           .i_inline = -1};
}

void wr_ssp_file_values_begin_binding(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_element *const e = wr_ssp_file_element(r);
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

static wr_ssp_binding *binding_of(const wr_ssp_file_reader *r)
{
    return &wr_ssp_file_element(r)->binding[wr_ssp_file_element(r)->n_binding - 1];
}

void wr_ssp_file_values_begin_mapping_place(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_binding *const b = binding_of(r);
    if (b->has_mapping)
        FAIL(r, "the parameter binding has two mappings");
    b->mapping = read_source(r);
    b->has_mapping = 1;
}

void wr_ssp_file_values_begin_set(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_file_values_check_version(r);
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

void wr_ssp_file_values_begin_parameter(wr_ssp_file_reader *r, int arg)
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

void wr_ssp_file_values_begin_parameter_type(wr_ssp_file_reader *r, int type)
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

void wr_ssp_file_values_begin_mapping(wr_ssp_file_reader *r, int arg)
{
    (void)arg;
    wr_ssp_file_values_check_version(r);
    const wr_ssp_mapping *const mapping = APPEND(r, r->f->mapping, r->f->n_mapping);
    if (!mapping || r->f->kind != WR_SSP_SSD)
        return;
    wr_ssp_source *const source = &binding_of(r)->mapping;
    if (source->path || source->i_inline >= 0)
        FAIL(r, "the parameter binding has two mappings");
    source->i_inline = r->f->n_mapping - 1;
}

void wr_ssp_file_values_begin_mapping_entry(wr_ssp_file_reader *r, int arg)
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
