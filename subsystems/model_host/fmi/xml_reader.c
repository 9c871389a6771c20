/* Reads XML by expat. See xml_reader.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/xml_reader.h"

#include <ctype.h>
#include <expat.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/number.h"
#include "subsystems/model_host/fmi/description.h"

/* ---- errors ---- */

int wr_xml_line(const wr_xml *xml)
{
    const XML_Size line = XML_GetCurrentLineNumber(xml->parser);
    return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop(wr_xml *xml, wrsim_status status)
{
    xml->status = status;
    XML_StopParser(xml->parser, XML_FALSE);
}

/* Stops with an error at a line; 0: no line. */
static void fail_at(wr_xml *xml, int line, const char *advice, const char *format, va_list args)
{
    char text[sizeof xml->err->text - 128];
    if (xml->status != WRSIM_OK)
        return;
    vsnprintf(text, sizeof text, format, args);
    const wr_where where = {.file = xml->file, .line = line};
    stop(xml, wr_error_set_at(xml->err, WRSIM_E_MODEL, &where, "%s%s%s", text, *advice ? "; " : "",
                              advice));
}

void wr_xml_fail(wr_xml *xml, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(xml, wr_xml_line(xml), xml->advice, format, args);
    va_end(args);
}

void wr_xml_fail_plainly(wr_xml *xml, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(xml, wr_xml_line(xml), "", format, args);
    va_end(args);
}

static void fail_memory(wr_xml *xml)
{
    if (xml->status == WRSIM_OK)
        stop(xml, wr_error_memory(xml->err));
}

/* ---- memory ---- */

void *wr_xml_place(wr_xml *xml, size_t count, size_t size)
{
    void *const block = wr_arena_push(xml->arena, count, size);
    if (!block)
        fail_memory(xml);
    return block;
}

const char *wr_xml_copy(wr_xml *xml, const char *text, size_t n)
{
    char *const copy = wr_xml_place(xml, n + 1, 1);
    if (copy)
        memcpy(copy, text, n); /* the arena is zeroed */
    return copy;
}

void *wr_xml_grow(wr_xml *xml, void *list, int *n, size_t size)
{
    void *const grown = wr_memory_grow(list, *n, size);
    if (!grown) {
        fail_memory(xml);
        return list;
    }
    (*n)++;
    return grown;
}

/* The capacity is the length, rounded up to a power of two. So all older copies in the arena have fewer items than the capacity. */
void *wr_xml_grow_in_arena(wr_xml *xml, const void *array, int n, size_t size)
{
    if ((n & (n - 1)) != 0) {
        void *same;
        memcpy(&same, &array, sizeof same);
        return same;
    }
    void *const grown = wr_xml_place(xml, n ? 2 * (size_t)n : 1, size);
    if (grown && n > 0)
        memcpy(grown, array, (size_t)n * size);
    return grown;
}

/* ---- attributes ---- */

void wr_xml_check_attributes(wr_xml *xml, const char *names)
{
    for (const char **a = xml->attributes; *a; a += 2) {
        const size_t n = strlen(a[0]);
        const char *at = names;
        while ((at = strstr(at, a[0])) && (at[-1] != ' ' || (at[n] && at[n] != ' ')))
            at++;
        if (!at && !strchr(a[0], ' '))
            wr_xml_fail_plainly(
                xml, "the element <%s> has the unknown attribute '%.*s'; remove the attribute%s%s",
                xml->element, WR_XML_QUOTED, a[0], *names ? ", or choose one of:" : "", names);
    }
}

const char *wr_xml_find(const wr_xml *xml, const char *name)
{
    for (const char **a = xml->attributes; *a; a += 2)
        if (strcmp(a[0], name) == 0)
            return a[1];
    return NULL;
}

const char *wr_xml_need(wr_xml *xml, const char *name)
{
    const char *const value = wr_xml_find(xml, name);
    if (!value)
        wr_xml_fail(xml, "the element <%s> lacks the attribute '%s'", xml->element, name);
    return value;
}

const char *wr_xml_text(wr_xml *xml, const char *name)
{
    const char *const value = wr_xml_find(xml, name);
    return value && *value ? wr_xml_copy(xml, value, strlen(value)) : NULL;
}

const char *wr_xml_given_text(wr_xml *xml, const char *name)
{
    const char *const value = wr_xml_need(xml, name);
    return value ? wr_xml_copy(xml, value, strlen(value)) : NULL;
}

const char *wr_xml_needed_text(wr_xml *xml, const char *name)
{
    const char *const text = wr_xml_given_text(xml, name);
    if (text && !*text)
        wr_xml_fail(xml, "the attribute '%s' of the element <%s> is empty", name, xml->element);
    return text;
}

int wr_xml_is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

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

int wr_xml_is_word(const char *begin, const char *end, const char *word)
{
    return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, strlen(word)) == 0;
}

/* Reads a value of a type. Returns 0 and stops with an error if the text is no value of the type. */
static int read_value(wr_xml *xml, const char *name, wr_fmi_type type, const char *begin,
                      const char *end, double *ret_value)
{
    const int is_float = type == WR_FMI_FLOAT64 || type == WR_FMI_FLOAT32;
    const char *problem = NULL;
    double value = 0.0, low, high;
    wr_description_type_range(type, &low, &high);
    if (type == WR_FMI_BOOLEAN &&
        (wr_xml_is_word(begin, end, "true") || wr_xml_is_word(begin, end, "1")))
        value = 1.0;
    else if (type == WR_FMI_BOOLEAN && !wr_xml_is_word(begin, end, "false") &&
             !wr_xml_is_word(begin, end, "0"))
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
        wr_xml_fail(xml, "the value '%.*s' of the attribute '%s' of the element <%s> %s",
                    (int)(n > WR_XML_QUOTED ? WR_XML_QUOTED : n), begin, name, xml->element,
                    problem);
    }
    if (!problem)
        *ret_value = value;
    return !problem;
}

double wr_xml_value(wr_xml *xml, const char *name, wr_fmi_type type, double otherwise)
{
    const char *begin = wr_xml_find(xml, name);
    if (!begin)
        return otherwise;
    const char *end = begin + strlen(begin);
    while (wr_xml_is_space(*begin))
        begin++;
    while (end > begin && wr_xml_is_space(end[-1]))
        end--;
    double value = otherwise;
    return read_value(xml, name, type, begin, end, &value) ? value : otherwise;
}

uint32_t wr_xml_number(wr_xml *xml, const char *name)
{
    return wr_xml_need(xml, name) ? (uint32_t)wr_xml_value(xml, name, WR_FMI_UINT32, 0.0) : 0;
}

int wr_xml_word(wr_xml *xml, const char *name, const char *const *words, int n_word, int otherwise)
{
    const char *const text = wr_xml_find(xml, name);
    if (!text)
        return otherwise;
    for (int i = 0; i < n_word; i++)
        if (words[i] && strcmp(text, words[i]) == 0)
            return i;
    wr_xml_fail(xml, "the attribute '%s' of the element <%s> has the unknown value '%.*s'", name,
                xml->element, WR_XML_QUOTED, text);
    return otherwise;
}

const double *wr_xml_values(wr_xml *xml, const char *name, wr_fmi_type type, int *ret_n)
{
    const char *const text = wr_xml_find(xml, name);
    int n = 0, i = 0;
    for (const char *at = text; at && *at; at++)
        n += !wr_xml_is_space(*at) && (wr_xml_is_space(at[1]) || !at[1]);
    *ret_n = n;
    double *const value = n > 0 ? wr_xml_place(xml, (size_t)n, sizeof *value) : NULL;
    if (text && n == 0)
        wr_xml_fail(xml, "the attribute '%s' of the element <%s> has no value", name, xml->element);
    for (const char *at = text; value && *at && xml->status == WRSIM_OK;) {
        while (wr_xml_is_space(*at))
            at++;
        const char *const begin = at;
        while (*at && !wr_xml_is_space(*at))
            at++;
        if (at > begin)
            read_value(xml, name, type, begin, at, &value[i++]);
    }
    return value;
}

void wr_xml_unit(wr_xml *xml, wr_fmi_unit *unit)
{
    unit->definition.factor = 1.0;
    unit->name = wr_xml_needed_text(xml, "name");
}

void wr_xml_base_unit(wr_xml *xml, wr_fmi_unit *unit)
{
    static const char *const names[WR_UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    wr_unit *const definition = &unit->definition;
    unit->has_base = 1;
    for (int i = 0; i < WR_UNIT_BASES; i++)
        definition->exponent[i] = (int)wr_xml_value(xml, names[i], WR_FMI_INT8, 0.0);
    definition->factor = wr_xml_value(xml, "factor", WR_FMI_FLOAT64, 1.0);
    definition->offset = wr_xml_value(xml, "offset", WR_FMI_FLOAT64, 0.0);
    if (!(definition->factor > 0.0 || definition->factor < 0.0))
        wr_xml_fail(xml, "the unit '%.*s' has the factor 0", WR_XML_QUOTED, unit->name);
    else if (unit->name)
        wr_unit_settle(unit->name, definition);
}

/* ---- elements ---- */

static void XMLCALL begin_element(void *user, const char *name, const char **attributes)
{
    wr_xml *const xml = user;
    const size_t n_space = xml->name_space ? strlen(xml->name_space) : 0;
    if (xml->status != WRSIM_OK)
        return;
    if (xml->depth == WR_XML_DEPTH) {
        wr_xml_fail(xml, "elements are nested more than %d deep", WR_XML_DEPTH);
        return;
    }
    const int is_own = strncmp(name, n_space > 0 ? xml->name_space : "", n_space) == 0;
    if (n_space > 0 && is_own && strchr(name, ' '))
        name = strchr(name, ' ') + 1;
    xml->element = name;
    xml->attributes = attributes;
    const int parent = xml->place[xml->depth];
    const int here =
        parent == WR_XML_IGNORED || !is_own ? WR_XML_IGNORED : xml->enter(xml, parent, name);
    if (!is_own && parent != WR_XML_IGNORED && parent != WR_XML_DOCUMENT)
        wr_xml_fail(xml, "the element <%.*s> has another namespace than the %s", WR_XML_QUOTED,
                    name, xml->noun);
    if (parent == WR_XML_DOCUMENT && here == WR_XML_IGNORED)
        wr_xml_fail(xml, "the file has the element <%.*s> at its top, but %s", WR_XML_QUOTED, name,
                    xml->top);
    xml->place[++xml->depth] = (unsigned char)here;
}

static void XMLCALL end_element(void *user, const char *name)
{
    wr_xml *const xml = user;
    if (xml->status != WRSIM_OK)
        return;
    xml->element = name;
    xml->leave(xml, xml->place[xml->depth--]);
}

static void XMLCALL refuse_doctype(void *user, const char *name, const char *system,
                                   const char *public, int has_subset)
{
    (void)name, (void)system, (void)public, (void)has_subset;
    wr_xml *const xml = user;
    wr_xml_fail(xml, "the %s has a document type (<!DOCTYPE>), which wrsim does not read",
                xml->noun);
}

wrsim_status wr_xml_parse(wr_xml *xml, const char *text, size_t n_bytes)
{
    WR_ASSERT(n_bytes <= INT_MAX);
    XML_Parser parser = xml->name_space ? XML_ParserCreateNS(NULL, ' ') : XML_ParserCreate(NULL);
    if (!parser)
        return wr_error_memory(xml->err);
    xml->parser = parser;
    XML_SetUserData(parser, xml);
    XML_SetElementHandler(parser, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(parser, refuse_doctype);
    if (XML_Parse(parser, text, (int)n_bytes, 1) != XML_STATUS_OK && xml->status == WRSIM_OK) {
        const enum XML_Error code = XML_GetErrorCode(parser);
        if (code == XML_ERROR_NO_MEMORY)
            fail_memory(xml);
        else
            wr_xml_fail(xml, "the %s is no valid XML: %s", xml->noun, XML_ErrorString(code));
    }
    XML_ParserFree(parser);
    xml->parser = NULL;
    return xml->status;
}
