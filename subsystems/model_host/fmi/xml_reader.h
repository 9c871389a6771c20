/* Reads XML by expat: attributes with checks, places of elements, errors with the line. Descriptions of FMUs and files of SSP use this
 * reader.
 *
 * An element has a place, which depends on its name and on the place of its parent. The children of an ignored element are ignored.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_XML_READER_H
#define WR_XML_READER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "subsystems/model_host/fmi/quantity.h"

enum {
    WR_XML_DEPTH =
        100, /* deepest nesting of elements (assumed; FMI needs 6, annotations have no limit) */
    WR_XML_QUOTED = 100, /* longest text of a file in a message, bytes */
    WR_XML_DOCUMENT = 0, /* place of the parent of the top element */
    WR_XML_IGNORED = 1
};

/* The owner sets the members up to name_space, and zero in the others. */
typedef struct wr_xml {
    const char *file;   /* name in messages */
    const char *noun;   /* the file in messages: "description" */
    const char *top;    /* the top element in messages: "a description has <fmiModelDescription>" */
    const char *advice; /* end of messages */
    wr_arena *arena;    /* for texts and small arrays */
    wrsim_error *err;
    /* Returns the place of an element. */
    int (*enter)(struct wr_xml *xml, int parent, const char *name);
    void (*leave)(struct wr_xml *xml, int place);
    /* Beginning of the namespaces of elements, which enter() gets without their namespace. Other elements must be inside of ignored
     * elements. NULL: enter() gets names as written. */
    const char *name_space;

    void *parser;            /* XML_Parser */
    wrsim_status status;     /* the first error stops the reader */
    const char *element;     /* name of the present element */
    const char **attributes; /* names and values of the present element, ended by NULL */
    int depth;
    unsigned char place[WR_XML_DEPTH + 1];
} wr_xml;

/* Reads a text of at most INT_MAX bytes. Returns xml->status. */
wrsim_status wr_xml_parse(wr_xml *xml, const char *text, size_t n_bytes);

int wr_xml_line(const wr_xml *xml);
/* Stops with an error at the present line, unless an earlier error has stopped the reader. */
void wr_xml_fail(wr_xml *xml, const char *format, ...) WR_PRINTF(2, 3);
/* Stops with an error that has its own advice. */
void wr_xml_fail_plainly(wr_xml *xml, const char *format, ...) WR_PRINTF(2, 3);

/* ---- memory ---- */

/* Returns zeroed memory of the arena; NULL after an error. */
void *wr_xml_place(wr_xml *xml, size_t count, size_t size);
const char *wr_xml_copy(wr_xml *xml, const char *text, size_t n);
/* Makes room for a zeroed item at the end of a list of malloc. The capacity of a list is its length, rounded up to a power of two. Returns
 * the list; if memory is short, the old list. */
void *wr_xml_grow(wr_xml *xml, void *list, int *n, size_t size);
/* Makes room for an item at the end of an array in the arena. Returns the array, or NULL after an error. */
void *wr_xml_grow_in_arena(wr_xml *xml, const void *array, int n, size_t size);

/* Appends an item to a list of malloc. Returns the item, or NULL after an error. */
#define WR_XML_APPEND(xml, list, n)                                                                \
    ((list) = wr_xml_grow((xml), (list), &(n), sizeof *(list)),                                    \
     (xml)->status == WRSIM_OK ? &(list)[(n)-1] : NULL)

/* ---- attributes of the present element ---- */

/* Stops with an error if the element has an attribute that names does not contain. names: each name after a blank. The function skips
 * attributes with a namespace. */
void wr_xml_check_attributes(wr_xml *xml, const char *names);
const char *wr_xml_find(const wr_xml *xml, const char *name);
/* Returns an attribute that the standard requires; NULL after an error. */
const char *wr_xml_need(wr_xml *xml, const char *name);
/* Copies an attribute; NULL if the attribute is absent or empty. */
const char *wr_xml_text(wr_xml *xml, const char *name);
/* Copies an attribute that the standard requires. The text may be empty. */
const char *wr_xml_given_text(wr_xml *xml, const char *name);
/* Copies as wr_xml_given_text() and refuses an empty text. */
const char *wr_xml_needed_text(wr_xml *xml, const char *name);
/* Reads an attribute of a type without surrounding blanks; `otherwise` if the attribute is absent. */
double wr_xml_value(wr_xml *xml, const char *name, wr_fmi_type type, double otherwise);
/* Reads a required attribute as unsigned 32-bit integer. */
uint32_t wr_xml_number(wr_xml *xml, const char *name);
/* Returns the index of the attribute's word in a list; `otherwise` if the attribute is absent. */
int wr_xml_word(wr_xml *xml, const char *name, const char *const *words, int n_word, int otherwise);
/* Reads a list of values separated by blanks. Returns the values in the arena and their number. */
const double *wr_xml_values(wr_xml *xml, const char *name, wr_fmi_type type, int *ret_n);
/* Reads the name of <Unit>, and sets the factor without a <BaseUnit>. */
void wr_xml_unit(wr_xml *xml, wr_fmi_unit *unit);
/* Reads the attributes of <BaseUnit>. */
void wr_xml_base_unit(wr_xml *xml, wr_fmi_unit *unit);

int wr_xml_is_space(char c);
int wr_xml_is_word(const char *begin, const char *end, const char *word);

#endif
