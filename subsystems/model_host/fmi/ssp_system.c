/* Reads and flattens a system. See ssp_system.h.
 *
 * Each element is an instance, and each connector of an instance is a node. A connection makes its source node the driver of its sink
 * node. The way of an input leads from driver to driver, through connectors of systems, to an output.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_system.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/names.h"
#include "base/open_file.h"
#include "base/unit.h"
#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/description_read.h"
#include "subsystems/model_host/fmi/ssp_file.h"

enum {
    MOST_INSTANCES = 100000, /* systems and components (assumed) */
    MOST_NESTED = 16,        /* depth of references from components to systems (assumed) */
    MOST_WAY = 1000,         /* connections between an output and its input (assumed) */
    MOST_VALUES = 1000000,   /* values of all parameter bindings (assumed) */
    PATH_BYTES = 4096,       /* longest path of a file or an element (assumed) */
    QUOTED = 100             /* longest name in a message, bytes */
};

/* A file that is read once. */
typedef struct opened {
    const char *path;
    wr_ssp_file *file;
    wr_description *description;
    wr_named *name;          /* sorted names of the variables of the description */
    unsigned char *is_state; /* [variables of the description] 1: a continuous state */
    const char *base;        /* beginning of paths in the file */
} opened;

/* A connector of an instance. */
typedef struct node {
    int instance;
    const wr_ssp_connector *connector;
    const wr_fmi_variable *variable; /* of a component */
    wr_fmi_unit unit;                /* name NULL: not known */
    int driver;                      /* node of the source; -1: none */
    const wr_ssp_connection *by;     /* connection of the driver */
    const opened *by_file;
    int first_driven, next_driven; /* nodes that this node drives; nodes with the same driver */
    int is_linked;                 /* 1: an output drives this input of a component */
} node;

typedef struct instance {
    const char *name, *path; /* path: names of the outer systems and of the instance; root: "" */
    const opened *file;      /* of the contents */
    const wr_ssp_element *element;
    const wr_ssp_element *outer; /* component that refers to the system; NULL: none */
    const opened *outer_file;
    const opened *fmu;     /* of a component */
    int parent, component; /* component: index in the system; -1: a system */
    int n_child;
    int first_node, n_node;
    wr_named *child;     /* [n_child] sorted names */
    wr_named *connector; /* [n_node] sorted names */
} instance;

typedef struct wr_ssp_parts {
    wr_arena *arena;
    opened **opened;
    instance *instance;
    node *node;
    int n_opened, n_instance, n_node, n_value;
} wr_ssp_parts;

typedef struct flattener {
    wr_ssp_system *s;
    wr_ssp_parts *p;
    wrsim_error *err;
} flattener;

/* ---- errors and memory ---- */

static int fail(const flattener *f, const opened *in, int line, const char *format, ...)
    WR_PRINTF(4, 5);
static int fail(const flattener *f, const opened *in, int line, const char *format, ...)
{
    char text[sizeof f->err->text - 16];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const wr_where where = {.file = in->path, .line = line};
    wr_error_set_at(f->err, WRSIM_E_MODEL, &where, "%s", text);
    return -1;
}

static int fail_memory(const flattener *f)
{
    wr_error_memory(f->err);
    return -1;
}

static void *place(const flattener *f, size_t count, size_t size)
{
    void *const block = wr_arena_push(f->p->arena, count, size);
    if (!block)
        fail_memory(f);
    return block;
}

static const char *format_text(const flattener *f, const char *format, ...) WR_PRINTF(2, 3);
static const char *format_text(const flattener *f, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *const text = place(f, (size_t)n + 1, 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/* Makes room for a zeroed item at the end of a list of malloc, as wr_xml_grow(). */
static void *grow(const flattener *f, void *list, int *n, size_t size)
{
    void *grown = list;
    if ((*n & (*n - 1)) == 0)
        grown = realloc(list, (*n ? 2 * (size_t)*n : 1) * size);
    if (!grown) {
        fail_memory(f);
        return list;
    }
    memset((char *)grown + (size_t)*n * size, 0, size);
    (*n)++;
    return grown;
}

/* Appends an item to a list of malloc. Returns the item, or NULL when out of memory. */
#define APPEND(f, list, n)                                                                         \
    ((list) = grow((f), (list), &(n), sizeof *(list)),                                             \
     (f)->err->status == WRSIM_OK ? &(list)[(n)-1] : NULL)

static int add_note(const flattener *f, const char *text)
{
    const char **const note = APPEND(f, f->s->note, f->s->n_note);
    if (!text || !note)
        return -1;
    *note = text;
    return 0;
}

/* ---- files ---- */

/* Reads a file of the disk or of an archive. Returns the bytes, or NULL with the reason in err. */
static char *read_file(const flattener *f, const char *path, size_t *ret_n)
{
    char *bytes = NULL;
    const size_t n_part = wr_open_file_part(path);
    if (n_part > 0 && path[n_part] == '/')
        return wr_archive_read_file(path, WR_SSP_FILE_BYTES, &bytes, ret_n, f->err) == WRSIM_OK
                   ? bytes
                   : NULL;
    const wr_where where = {.file = path};
    FILE *const file = n_part > 0 ? fopen(path, "rbe") : NULL;
    if (!file) {
        wr_error_set_at(f->err, WRSIM_E_IO, &where, "the file cannot be read; check the name");
        return NULL;
    }
    bytes = malloc((size_t)WR_SSP_FILE_BYTES + 1);
    *ret_n = bytes ? fread(bytes, 1, (size_t)WR_SSP_FILE_BYTES + 1, file) : 0;
    (void)fclose(file); /* the file is open for reading only */
    if (!bytes) {
        fail_memory(f);
    } else if (*ret_n > WR_SSP_FILE_BYTES) {
        wr_error_set_at(f->err, WRSIM_E_MODEL, &where,
                        "the file has more than %d MiB; check the name", WR_SSP_FILE_BYTES >> 20);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static opened *find_opened(const flattener *f, const char *path)
{
    for (int i = 0; i < f->p->n_opened; i++)
        if (strcmp(f->p->opened[i]->path, path) == 0)
            return f->p->opened[i];
    return NULL;
}

static opened *add_opened(const flattener *f, const char *path)
{
    opened *const o = place(f, 1, sizeof *o);
    opened **const slot = o ? APPEND(f, f->p->opened, f->p->n_opened) : NULL;
    const char *const slash = strrchr(path, '/');
    if (!slot)
        return NULL;
    *slot = o;
    o->path = format_text(f, "%s", path);
    o->base = format_text(f, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    return o->path && o->base ? o : NULL;
}

/* Returns the file of SSP at a path, read once. NULL with the reason in err. */
static opened *open_file(const flattener *f, wr_ssp_kind kind, const char *path)
{
    opened *o = find_opened(f, path);
    if (o && o->file && o->file->kind == kind)
        return o;
    size_t n;
    char *const bytes = read_file(f, path, &n);
    if (!bytes)
        return NULL;
    o = add_opened(f, path);
    if (o)
        o->file = wr_ssp_file_read(kind, path, bytes, n, f->err);
    free(bytes);
    return o && o->file ? o : NULL;
}

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const wr_named *)a)->name, ((const wr_named *)b)->name);
}

/* Returns the FMU at a path, whose description is read once. NULL with the reason in err. */
static opened *open_fmu(const flattener *f, const char *path)
{
    opened *o = find_opened(f, path);
    if (o && o->description)
        return o;
    wr_archive *archive = wr_archive_open(path, f->err);
    if (!archive)
        return NULL;
    size_t n_bytes;
    const char *const xml = wr_archive_description(archive, &n_bytes);
    o = add_opened(f, path);
    if (o)
        o->description = wr_description_read("modelDescription.xml", xml, n_bytes, f->err);
    wr_archive_close(&archive);
    if (!o || !o->description)
        return NULL;
    const int n = o->description->n_variable;
    o->name = place(f, (size_t)n + 1, sizeof *o->name);
    o->is_state = place(f, (size_t)n + 1, 1);
    if (!o->name || !o->is_state)
        return NULL;
    for (int i = 0; i < n; i++)
        o->name[i] = (wr_named){o->description->variable[i].name, i};
    wr_names_sort(o->name, n);
    const wr_fmi_list *const derivatives = &o->description->list[WR_FMI_DERIVATIVES];
    for (int k = 0; k < derivatives->n_row; k++)
        o->is_state[o->description->variable[derivatives->row[k].variable].derivative_of] = 1;
    return o;
}

/* Returns the variable of a name, or of an element "a[2]" of an array "a"; NULL: none. */
static const wr_fmi_variable *find_variable(const opened *fmu, const char *name)
{
    const wr_description *const d = fmu->description;
    int i = wr_names_find(fmu->name, d->n_variable, name, strlen(name));
    if (i >= 0)
        return &d->variable[i];
    const char *const bracket = strrchr(name, '[');
    if (bracket)
        i = wr_names_find(fmu->name, d->n_variable, name, (size_t)(bracket - name));
    return i >= 0 && d->variable[i].n_dimension > 0 ? &d->variable[i] : NULL;
}

/* Resolves a relative URI. Returns the path without its fragment, which is in *ret_fragment; NULL with the reason in err. */
static const char *resolve_path(const flattener *f, const opened *in, int line, const char *uri,
                                const char *base, const char **ret_fragment)
{
    char path[PATH_BYTES];
    size_t n = 0;
    const char *fault = NULL;
    *ret_fragment = NULL;
    if (*uri == '/' || uri[strcspn(uri, ":/#")] == ':')
        fault = "is absolute; put the file beside the system, and name it by a relative path";
    for (const char *at = uri; !fault && *at; at++) {
        char c = *at;
        if (c == '#') {
            *ret_fragment = at + 1;
            break;
        }
        if (c == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
            const char digits[] = {at[1], at[2], '\0'};
            c = (char)strtol(digits, NULL, 16);
            at += 2;
        }
        if (n + 1 == sizeof path)
            fault = "is too long; shorten it";
        else if ((unsigned char)c < ' ' || c == '\\')
            fault = "has a backslash or a control character; use '/' between folders";
        else
            path[n++] = c;
    }
    path[n] = '\0';
    const char *at = path;
    while (strncmp(at, "./", 2) == 0)
        at += 2;
    for (const char *part = at; !fault && part;
         part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/'))
            fault = "has '..'; put the file beside the system, or into its folder 'resources'";
    if (fault) {
        fail(f, in, line, "the source '%.*s' %s", QUOTED, uri, fault);
        return NULL;
    }
    return format_text(f, "%s%s", base, at);
}

/* Puts the place of a reference before the reason of a failure. */
static int fail_reference(const flattener *f, const opened *in, int line, const char *noun,
                          const char *name, const char *source)
{
    const wrsim_error why = *f->err;
    if (why.status == WRSIM_E_MEMORY)
        return -1;
    char text[sizeof why.text];
    snprintf(text, sizeof text, "%.*s", (int)sizeof text - 400, why.text);
    const wr_where where = {.file = in->path, .line = line};
    const int is_own = strncmp(why.file, in->path, strlen(in->path)) == 0;
    if (why.line > 0 && !is_own)
        wr_error_set_at(f->err, why.status, &where, "%s '%.*s', source '%.*s', line %d: %s", noun,
                        QUOTED, name, QUOTED, source, why.line, text);
    else
        wr_error_set_at(f->err, why.status, &where, "%s '%.*s', source '%.*s': %s", noun, QUOTED,
                        name, QUOTED, source, text);
    return -1;
}

/* ---- instances ---- */

static const char *path_of(const instance *i) { return *i->path ? i->path : i->element->name; }

static int add_system(const flattener *f, const opened *file, int i_element, int i_outer,
                      int depth);

/* Returns the index of the element with an id; -1: none. */
static int find_id(const wr_ssp_file *file, const char *id)
{
    for (int i = 0; i < file->n_element; i++)
        if (file->element[i].id && strcmp(file->element[i].id, id) == 0)
            return i;
    return -1;
}

/* Adds an instance. parent -1: the root. Returns its index, or -1 after an error. */
static int add_instance(const flattener *f, const opened *file, const wr_ssp_element *e, int parent)
{
    wr_ssp_parts *const p = f->p;
    if (p->n_instance == MOST_INSTANCES)
        return fail(f, file, e->line, "the system has more than %d elements; divide the system",
                    MOST_INSTANCES);
    instance *const i = APPEND(f, p->instance, p->n_instance);
    if (!i)
        return -1;
    *i = (instance){.name = e->name, .file = file, .element = e, .parent = parent, .component = -1};
    i->path = parent < 0 ? ""
              : *p->instance[parent].path == '\0'
                  ? e->name
                  : format_text(f, "%s.%s", p->instance[parent].path, e->name);
    if (i->path && strlen(i->path) >= PATH_BYTES)
        return fail(f, file, e->line,
                    "the names of the element and its systems have more than %d bytes; shorten "
                    "them",
                    PATH_BYTES);
    return i->path ? p->n_instance - 1 : -1;
}

/* Adds the system to which a component refers: a file .ssd, a package .ssp or an element of the same file. */
static int add_nested(const flattener *f, int i_outer, int depth)
{
    const instance *const i = &f->p->instance[i_outer];
    const wr_ssp_element *const e = i->element;
    const opened *const in = i->file;
    const char *fragment;
    const int is_package = strcmp(e->type, "application/x-ssp-package") == 0;
    if (depth == MOST_NESTED)
        return fail(
            f, in, e->line,
            "the component '%.*s' is nested %d systems deep, as in a loop of sources; correct "
            "the attribute 'source'",
            QUOTED, i->path, MOST_NESTED);
    const char *path = resolve_path(f, in, e->line, e->source, in->base, &fragment);
    if (!path)
        return -1;
    if (*e->source == '#') {
        const int i_element = find_id(in->file, fragment);
        if (i_element < 0 || in->file->element[i_element].kind != WR_SSP_SYSTEM)
            return fail(f, in, e->line,
                        "the component '%.*s' refers to the id '%.*s', but no system has this id; "
                        "correct the source",
                        QUOTED, i->path, QUOTED, fragment);
        return add_system(f, in, i_element, i_outer, depth + 1);
    }
    if (is_package && fragment && strchr(fragment, '/'))
        return fail(
            f, in, e->line,
            "the source '%.*s' names a file in a folder of the package; name a file at its top",
            QUOTED, e->source);
    if (is_package)
        path = format_text(f, "%s/%s", path, fragment ? fragment : "SystemStructure.ssd");
    const opened *const file = path ? open_file(f, WR_SSP_SSD, path) : NULL;
    if (!file)
        return path ? fail_reference(f, in, e->line, "component", i->path, e->source) : -1;
    return add_system(f, file, 0, i_outer, depth + 1);
}

/* Adds the FMU of a component. */
static int add_component(const flattener *f, int i_instance)
{
    const instance *const i = &f->p->instance[i_instance];
    const wr_ssp_element *const e = i->element;
    const char *fragment;
    const char *const path = resolve_path(f, i->file, e->line, e->source, i->file->base, &fragment);
    if (!path)
        return -1;
    const opened *const fmu = open_fmu(f, path);
    if (!fmu)
        return fail_reference(f, i->file, e->line, "component", i->path, e->source);
    const wr_description *const d = fmu->description;
    const int has[] = {d->interface[WR_FMI_ME].identifier != NULL,
                       d->interface[WR_FMI_CS].identifier != NULL};
    if (!has[0] && !has[1])
        return fail(f, i->file, e->line,
                    "the FMU '%.*s' of the component '%.*s' has neither model exchange nor "
                    "co-simulation; export the FMU for model exchange",
                    QUOTED, e->source, QUOTED, i->path);
    if (e->implementation > 0 && !has[e->implementation - 1])
        return fail(f, i->file, e->line,
                    "the component '%.*s' needs %s, which the FMU '%.*s' lacks; change the "
                    "attribute 'implementation', or export the FMU again",
                    QUOTED, i->path, e->implementation == 1 ? "model exchange" : "co-simulation",
                    QUOTED, e->source);
    for (int v = 0; v < d->n_variable; v++)
        if (d->variable[v].type == WR_FMI_CLOCK)
            return fail(f, i->file, e->line,
                        "the FMU '%.*s' of the component '%.*s' has clocks, which wrsim does "
                        "not support; export the FMU without clocks",
                        QUOTED, e->source, QUOTED, i->path);
    wr_ssp_component *const c = APPEND(f, f->s->component, f->s->n_component);
    if (!c)
        return -1;
    *c = (wr_ssp_component){
        .path = i->path, .fmu = fmu->path, .implementation = e->implementation, .description = d};
    f->p->instance[i_instance].component = f->s->n_component - 1;
    f->p->instance[i_instance].fmu = fmu;
    return 0;
}

/* Adds an element of a system. */
static int add_element(const flattener *f, const opened *file, int i_element, int parent, int depth)
{
    const wr_ssp_element *const e = &file->file->element[i_element];
    const int i = add_instance(f, file, e, parent);
    if (i < 0)
        return -1;
    if (e->kind == WR_SSP_SYSTEM)
        return add_system(f, file, i_element, i, depth);
    if (e->kind == WR_SSP_DICTIONARY)
        return fail(f, file, e->line,
                    "'%.*s' is a signal dictionary, which wrsim does not support; connect the "
                    "components directly",
                    QUOTED, f->p->instance[i].path);
    if (!e->source)
        return fail(f, file, e->line,
                    "the component '%.*s' has no source; name its FMU in the attribute 'source'",
                    QUOTED, f->p->instance[i].path);
    if (!e->type || strcmp(e->type, "application/x-fmu-sharedlibrary") == 0)
        return add_component(f, i);
    if (strcmp(e->type, "application/x-ssp-definition") == 0 ||
        strcmp(e->type, "application/x-ssp-package") == 0)
        return add_nested(f, i, depth);
    return fail(f, file, e->line,
                "the component '%.*s' has the type '%.*s', and wrsim reads FMUs and systems of "
                "SSP; replace it by an FMU",
                QUOTED, f->p->instance[i].path, QUOTED, e->type);
}

/* Gives an instance the contents of a system, and adds the elements of the system. i_outer: the instance. */
static int add_system(const flattener *f, const opened *file, int i_element, int i_outer, int depth)
{
    const wr_ssp_file *const of = file->file;
    instance *const i = &f->p->instance[i_outer];
    if (i->element != &of->element[i_element]) {
        i->outer = i->element;
        i->outer_file = i->file;
        i->element = &of->element[i_element];
        i->file = file;
    }
    for (int k = i_element + 1; k < of->n_element; k++)
        if (of->element[k].parent < i_element)
            break; /* the elements of a system follow the system */
        else if (of->element[k].parent == i_element && add_element(f, file, k, i_outer, depth) < 0)
            return -1;
    return 0;
}

/* Sorts names, and refuses equal names. */
static int sort_names(const flattener *f, const instance *i, wr_named *name, int n,
                      const char *noun)
{
    wr_names_sort(name, n);
    for (int k = 1; k < n; k++)
        if (strcmp(name[k - 1].name, name[k].name) == 0)
            return fail(f, i->file, i->element->line,
                        "'%.*s' has two %s '%.*s'; rename one of them", QUOTED, path_of(i), noun,
                        QUOTED, name[k].name);
    return 0;
}

/* Lists the elements and connectors of all instances. */
static int list_nodes(const flattener *f)
{
    wr_ssp_parts *const p = f->p;
    for (int k = 1; k < p->n_instance; k++)
        p->instance[p->instance[k].parent].n_child++;
    for (int k = 0; k < p->n_instance; k++) {
        instance *const i = &p->instance[k];
        i->first_node = p->n_node;
        i->n_node = i->element->n_connector;
        i->child = place(f, (size_t)i->n_child + 1, sizeof *i->child);
        i->connector = place(f, (size_t)i->n_node + 1, sizeof *i->connector);
        if (!i->child || !i->connector)
            return -1;
        for (int c = 0; c < i->n_node; c++) {
            node *const n = APPEND(f, p->node, p->n_node);
            if (!n)
                return -1;
            *n = (node){.instance = k,
                        .connector = &i->element->connector[c],
                        .driver = -1,
                        .first_driven = -1,
                        .next_driven = -1};
            i->connector[c] = (wr_named){n->connector->name, i->first_node + c};
        }
        i->n_child = 0;
        if (i->parent >= 0) {
            instance *const parent = &p->instance[i->parent];
            parent->child[parent->n_child++] = (wr_named){i->name, k};
        }
    }
    for (int k = 0; k < p->n_instance; k++) {
        const instance *const i = &p->instance[k];
        if (sort_names(f, i, i->child, i->n_child, "elements") < 0 ||
            sort_names(f, i, i->connector, i->n_node, "connectors") < 0)
            return -1;
    }
    return 0;
}

/* ---- units ---- */

/* Returns the unit of a name in a scope. has_base 0: wrsim cannot read the unit. */
static wr_fmi_unit unit_of(const wr_fmi_unit *list, int n, const char *name)
{
    wr_fmi_unit unit = {.name = name, .factor = 1.0};
    wr_unit read;
    for (int i = 0; name && i < n; i++)
        if (list[i].has_base && strcmp(list[i].name, name) == 0)
            return list[i];
    if (name && wr_unit_read(name, &read) == 0) {
        unit.has_base = 1;
        memcpy(unit.exponent, read.exponent, sizeof unit.exponent);
        unit.factor = read.factor;
        unit.offset = read.offset;
    }
    return unit;
}

/* Finds the conversion between two units. Returns 0 if the units do not fit. A unit that is not known fits any unit. */
static int convert_unit(const wr_fmi_unit *from, const wr_fmi_unit *to, wr_unit_scale *ret)
{
    *ret = (wr_unit_scale){0.0, 0.0};
    if (!from->name || !to->name || strcmp(from->name, to->name) == 0)
        return 1;
    if (!from->has_base || !to->has_base ||
        memcmp(from->exponent, to->exponent, sizeof from->exponent) != 0)
        return 0;
    const wr_unit_scale scale = {from->factor / to->factor,
                                 (from->offset - to->offset) / to->factor};
    if (!wr_unit_is_same_scale(scale, (wr_unit_scale){1.0, 0.0}))
        *ret = scale;
    return 1;
}

/* ---- connectors of components ---- */

static const char *const connector_kinds[WR_SSP_CONNECTOR_KINDS] = {
    "input", "output", "parameter", "calculated parameter", "inout"};

/* Finds the variable of a connector in the FMU, compares kind and unit, and sets the unit of the node. */
static int check_connector(const flattener *f, node *n)
{
    static const int causality_of[WR_SSP_CONNECTOR_KINDS] = {
        WR_FMI_INPUT, WR_FMI_OUTPUT, WR_FMI_PARAMETER, WR_FMI_CALCULATED_PARAMETER, -1};
    const instance *const i = &f->p->instance[n->instance];
    const wr_ssp_connector *const c = n->connector;
    const opened *const fmu = i->fmu;
    const wr_fmi_variable *const v = n->variable = find_variable(fmu, c->name);
    if (!v) {
        char hint[WR_NAMES_HINT_BYTES];
        const wr_description *const d = fmu->description;
        const char **const names = malloc(((size_t)d->n_variable + 1) * sizeof *names);
        for (int k = 0; names && k < d->n_variable; k++)
            names[k] =
                (int)d->variable[k].causality == causality_of[c->kind] ? d->variable[k].name : NULL;
        wr_names_hint(c->name, names, names ? d->n_variable : 0, hint);
        free(names);
        return fail(f, i->file, c->line,
                    "the component '%.*s' has the connector '%.*s', but its FMU has no such "
                    "variable; %s",
                    QUOTED, i->path, QUOTED, c->name, hint);
    }
    if ((int)v->causality != causality_of[c->kind])
        return fail(f, i->file, c->line,
                    "the connector '%.*s' of the component '%.*s' is of the kind %s, but the "
                    "variable of the FMU is not; correct the kind",
                    QUOTED, c->name, QUOTED, i->path, connector_kinds[c->kind]);
    wr_unit_scale scale;
    n->unit = unit_of(fmu->description->unit, fmu->description->n_unit, v->quantity.unit);
    if (!c->unit)
        return 0;
    const wr_fmi_unit own =
        unit_of(i->file->file->scope.unit, i->file->file->scope.n_unit, c->unit);
    if (!n->unit.name)
        n->unit = own;
    else if (!convert_unit(&own, &n->unit, &scale) || wr_unit_is_scaled(scale))
        return fail(f, i->file, c->line,
                    "the connector '%.*s' of the component '%.*s' has the unit '%.*s', but the "
                    "variable of the FMU has '%.*s'; correct one of them",
                    QUOTED, c->name, QUOTED, i->path, QUOTED, c->unit, QUOTED, n->unit.name);
    return 0;
}

/* Compares the connectors of a component that refers to a system with those of the system, which connections use. */
static int check_outer(const flattener *f, const instance *i)
{
    const wr_ssp_scope *const scope = &i->outer_file->file->scope;
    for (int c = 0; c < i->outer->n_connector; c++) {
        const wr_ssp_connector *const outer = &i->outer->connector[c];
        const int k = wr_names_find(i->connector, i->n_node, outer->name, strlen(outer->name));
        const node *const inner = k < 0 ? NULL : &f->p->node[k];
        const wr_fmi_unit unit = unit_of(scope->unit, scope->n_unit, outer->unit);
        wr_unit_scale scale = {0.0, 0.0};
        const char *const fault =
            !inner                                  ? "which its system does not have"
            : inner->connector->kind != outer->kind ? "which has another kind in its system"
            : !convert_unit(&unit, &inner->unit, &scale) || wr_unit_is_scaled(scale)
                ? "which has another unit in its system"
                : NULL;
        if (fault)
            return fail(f, i->outer_file, outer->line,
                        "the component '%.*s' has the connector '%.*s', %s; correct one of them",
                        QUOTED, i->path, QUOTED, outer->name, fault);
    }
    return 0;
}

static int check_connectors(const flattener *f)
{
    for (int k = 0; k < f->p->n_node; k++) {
        node *const n = &f->p->node[k];
        const instance *const i = &f->p->instance[n->instance];
        if (n->connector->kind == WR_SSP_INOUT)
            return fail(f, i->file, n->connector->line,
                        "the connector '%.*s' of '%.*s' is of the kind inout, which has no "
                        "direction; use input or output",
                        QUOTED, n->connector->name, QUOTED, path_of(i));
        if (i->component >= 0 ? check_connector(f, n) < 0 : 0)
            return -1;
        if (i->component < 0)
            n->unit =
                unit_of(i->file->file->scope.unit, i->file->file->scope.n_unit, n->connector->unit);
        if (n->unit.name && !n->unit.has_base && i->component < 0)
            return fail(f, i->file, n->connector->line,
                        "the connector '%.*s' of '%.*s' has the unit '%.*s', which the file does "
                        "not define; add it to <Units>",
                        QUOTED, n->connector->name, QUOTED, path_of(i), QUOTED, n->unit.name);
    }
    for (int k = 0; k < f->p->n_instance; k++)
        if (f->p->instance[k].outer && check_outer(f, &f->p->instance[k]) < 0)
            return -1;
    return 0;
}

/* ---- connections ---- */

/* Returns the node of an end of a connection, or -1 after an error. */
static int find_end(const flattener *f, const instance *system, const wr_ssp_connection *c, int end)
{
    const instance *owner = system;
    char hint[WR_NAMES_HINT_BYTES];
    if (c->element[end]) {
        const int k =
            wr_names_find(system->child, system->n_child, c->element[end], strlen(c->element[end]));
        if (k < 0) {
            const char **const names = malloc(((size_t)system->n_child + 1) * sizeof *names);
            for (int i = 0; names && i < system->n_child; i++)
                names[i] = system->child[i].name;
            wr_names_hint(c->element[end], names, names ? system->n_child : 0, hint);
            free(names);
            return fail(f, system->file, c->line,
                        "the connection names the element '%.*s', which the system '%.*s' does not "
                        "have; %s",
                        QUOTED, c->element[end], QUOTED, path_of(system), hint);
        }
        owner = &f->p->instance[k];
    }
    const char *const name = c->connector[end];
    const int k = wr_names_find(owner->connector, owner->n_node, name, strlen(name));
    if (k >= 0)
        return k;
    const char **const names = malloc(((size_t)owner->n_node + 1) * sizeof *names);
    for (int i = 0; names && i < owner->n_node; i++)
        names[i] = owner->connector[i].name;
    wr_names_hint(name, names, names ? owner->n_node : 0, hint);
    free(names);
    return fail(f, system->file, c->line, "'%.*s' has no connector '%.*s'; %s", QUOTED,
                path_of(owner), QUOTED, name, hint);
}

/* Returns 1 if a node is the source of connections inside of a system. */
static int is_source(const flattener *f, int i_node, const instance *system)
{
    const node *const n = &f->p->node[i_node];
    const int is_own = &f->p->instance[n->instance] == system;
    return (n->connector->kind == WR_SSP_INPUT || n->connector->kind == WR_SSP_PARAMETER) == is_own;
}

static const char *name_node(const flattener *f, int i_node, char *ret, size_t n)
{
    const node *const at = &f->p->node[i_node];
    snprintf(ret, n, "%.*s.%.*s", QUOTED, path_of(&f->p->instance[at->instance]), QUOTED,
             at->connector->name);
    return ret;
}

static int add_connection(const flattener *f, const instance *system, const wr_ssp_connection *c)
{
    char a[3 * QUOTED], b[3 * QUOTED];
    const int start = find_end(f, system, c, 0);
    const int end = start < 0 ? -1 : find_end(f, system, c, 1);
    if (end < 0)
        return -1;
    const int from_start = is_source(f, start, system), from_end = is_source(f, end, system);
    name_node(f, start, a, sizeof a);
    name_node(f, end, b, sizeof b);
    if (from_start == from_end)
        return fail(f, system->file, c->line,
                    "the connection of '%s' and '%s' has two %s; connect a source to a sink", a, b,
                    from_start ? "sources, such as outputs" : "sinks, such as inputs");
    const int from = from_start ? start : end, to = from_start ? end : start;
    node *const sink = &f->p->node[to];
    const wr_ssp_connector_kind kinds[] = {f->p->node[from].connector->kind, sink->connector->kind};
    const int is_parameter = kinds[1] == WR_SSP_PARAMETER || kinds[1] == WR_SSP_CALCULATED;
    if (is_parameter && (kinds[0] == WR_SSP_INPUT || kinds[0] == WR_SSP_OUTPUT))
        return fail(f, system->file, c->line,
                    "the connection of '%s' and '%s' drives a parameter by a signal; connect the "
                    "signal to an input",
                    a, b);
    if (sink->driver >= 0)
        return fail(f, system->file, c->line,
                    "'%s' is driven twice, here and in line %d; remove one of the connections",
                    from_start ? b : a, sink->by->line);
    sink->driver = from;
    sink->by = c;
    sink->by_file = system->file;
    sink->next_driven = f->p->node[from].first_driven;
    f->p->node[from].first_driven = to;
    return 0;
}

static int add_connections(const flattener *f)
{
    for (int k = 0; k < f->p->n_instance; k++) {
        const instance *const i = &f->p->instance[k];
        for (int c = 0; c < i->element->n_connection; c++)
            if (add_connection(f, i, &i->element->connection[c]) < 0)
                return -1;
    }
    return 0;
}

/* ---- maps ---- */

typedef struct items {
    const wr_fmi_item *item;
    int n;
} items;

static const wr_fmi_item truths[] = {{"false", 0.0}, {"true", 1.0}};

static items items_of_type(const wr_description *d, const wr_fmi_variable *v)
{
    if (v->declared_type < 0)
        return (items){NULL, 0};
    const wr_fmi_declared_type *const t = &d->type[v->declared_type];
    return (items){t->item, t->n_item};
}

/* Returns the items of a node's enumeration, or of the Booleans; n is 0 if the node has no such list. */
static items items_of(const flattener *f, const node *n)
{
    const instance *const i = &f->p->instance[n->instance];
    if (n->variable ? n->variable->type == WR_FMI_BOOLEAN : n->connector->type == WR_FMI_BOOLEAN)
        return (items){truths, 2};
    if (n->variable && n->variable->type == WR_FMI_ENUMERATION) {
        const wr_description *const d = f->s->component[i->component].description;
        return items_of_type(d, n->variable);
    }
    const wr_ssp_scope *const scope = &i->file->file->scope;
    for (int k = 0; n->connector->enumeration && k < scope->n_enumeration; k++)
        if (strcmp(scope->enumeration[k].name, n->connector->enumeration) == 0)
            return (items){scope->enumeration[k].item, scope->enumeration[k].n_item};
    return (items){NULL, 0};
}

static const wr_fmi_item *find_item(items of, const char *name, double value)
{
    for (int i = 0; i < of.n; i++)
        if (name ? strcmp(of.item[i].name, name) == 0 : fabs(of.item[i].value - value) < 0.5)
            return &of.item[i];
    return NULL;
}

/* Returns the value after a map. from, to: items of both sides of an enumeration. *ret_missing: item that `to` does not have. */
static double map_value(const wr_ssp_change *c, items from, items to, double value,
                        const char **ret_missing)
{
    const wr_fmi_item *const item = find_item(from, NULL, value);
    for (int i = 0; i < c->n_map; i++) {
        const struct wr_ssp_map *const m = &c->map[i];
        if (c->kind != WR_SSP_ENUMERATION_MAP && fabs(m->from - value) < 0.5)
            return m->to;
        if (c->kind != WR_SSP_ENUMERATION_MAP || !item || strcmp(item->name, m->source) != 0)
            continue;
        const wr_fmi_item *const target = find_item(to, m->target, 0.0);
        if (target)
            return target->value;
        *ret_missing = m->target;
    }
    return value;
}

enum { MOST_ITEMS = 1000 }; /* of an enumeration that a map changes (assumed) */

/* Finds the linear transformation that equals the maps on a way. way: nodes from the output to the input. */
static int fit_maps(const flattener *f, const int *way, int n_way, double *ret_factor,
                    double *ret_offset)
{
    const node *const all_nodes = f->p->node;
    const opened *const in = all_nodes[way[n_way - 1]].by_file;
    items known = items_of(f, &all_nodes[way[0]]);
    const items all = known;
    double value[MOST_ITEMS];
    const char *missing = NULL;
    int line = all_nodes[way[1]].by->line;
    for (int i = 0; i < all.n && i < MOST_ITEMS; i++)
        value[i] = all.item[i].value;
    for (int k = 1; k < n_way; k++) {
        const wr_ssp_change *const c = &all_nodes[way[k]].by->change;
        items next = items_of(f, &all_nodes[way[k]]);
        for (int j = k + 1; next.n == 0 && j < n_way; j++)
            next = items_of(f, &all_nodes[way[j]]);
        if (c->kind != WR_SSP_NO_CHANGE)
            line = all_nodes[way[k]].by->line;
        for (int i = 0; c->kind != WR_SSP_NO_CHANGE && i < all.n && i < MOST_ITEMS; i++)
            value[i] = map_value(c, known, next, value[i], &missing);
        known = next.n > 0 ? next : known;
    }
    if (missing)
        return fail(f, in, line,
                    "the map of a connection has the target '%.*s', which the enumeration does not "
                    "have; correct the map",
                    QUOTED, missing);
    if (all.n == 0 || all.n > MOST_ITEMS)
        return fail(f, in, line,
                    "the map of a connection needs a Boolean or an enumeration of at most %d items "
                    "at its source; declare one",
                    MOST_ITEMS);
    int last = 0;
    for (int i = 1; i < all.n; i++)
        if (fabs(all.item[i].value - all.item[0].value) > 0.5)
            last = i;
    const double span = all.item[last].value - all.item[0].value;
    const double factor = fabs(span) > 0.5 ? (value[last] - value[0]) / span : 1.0;
    const double offset = value[0] - factor * all.item[0].value;
    for (int i = 0; i < all.n; i++)
        if (fabs(factor * all.item[i].value + offset - value[i]) > 1e-9 || fabs(factor) < 1e-9)
            return fail(f, in, line,
                        "the map of a connection is not linear in the numbers of the items, and "
                        "wrsim has linear maps only; map the values in an FMU");
    *ret_factor = factor;
    *ret_offset = offset;
    return 0;
}

/* ---- ways ---- */

static int is_integer(wr_fmi_type type) { return type != WR_FMI_FLOAT64 && type != WR_FMI_FLOAT32; }

/* Returns the name of a type in SSP. */
static const char *type_text(wr_fmi_type type)
{
    return type == WR_FMI_STRING        ? "String"
           : type == WR_FMI_BINARY      ? "Binary"
           : type == WR_FMI_BOOLEAN     ? "Boolean"
           : type == WR_FMI_ENUMERATION ? "Enumeration"
           : is_integer(type)           ? "Integer"
                                        : "Real";
}

/* Refuses a connection of types that do not fit. */
static int check_types(const flattener *f, const node *from, const node *to, const opened *in,
                       int line)
{
    const wr_fmi_type a = from->variable->type, b = to->variable->type;
    const int is_text =
        a == WR_FMI_STRING || a == WR_FMI_BINARY || b == WR_FMI_STRING || b == WR_FMI_BINARY;
    const int fits = !is_integer(b) || (b == WR_FMI_BOOLEAN ? a == WR_FMI_BOOLEAN : is_integer(a));
    if (fits && !is_text)
        return 0;
    char names[2][3 * QUOTED];
    name_node(f, (int)(from - f->p->node), names[0], sizeof names[0]);
    name_node(f, (int)(to - f->p->node), names[1], sizeof names[1]);
    return fail(f, in, line,
                "the connection of '%s' (%s) and '%s' (%s) %s; remove the connection, or change "
                "the FMUs",
                names[0], type_text(a), names[1], type_text(b),
                is_text ? "carries a text, and wrsim has numbers only"
                        : "has types that do not fit");
}

/* The value on a way, after conversions of units and transformations. */
typedef struct carried {
    wr_fmi_unit unit;     /* unit of the present value */
    wr_unit_scale total;  /* conversions and transformations from the output on */
    wr_unit_scale change; /* the transformations from the output on, without conversions */
    int has_change;
} carried;

/* Passes a value through a connection into node `to`. next_unit: the unit of the first node, from `to` on, that has a unit. */
static int carry(const flattener *f, carried *at, const node *to, const wr_fmi_unit *next_unit)
{
    const wr_ssp_connection *const c = to->by;
    wr_unit_scale scale = {0.0, 0.0};
    if (c->is_unconverted) {
        at->unit = to->unit;
    } else {
        if (!convert_unit(&at->unit, &to->unit, &scale)) {
            char name[3 * QUOTED];
            const wr_fmi_unit *const unknown = !at->unit.has_base   ? &at->unit
                                               : !to->unit.has_base ? &to->unit
                                                                    : NULL;
            if (unknown)
                return fail(f, to->by_file, c->line,
                            "the connection to '%s' is from the unit '%.*s' to '%.*s', but '%.*s' "
                            "has no <BaseUnit>; define the unit, or set suppressUnitConversion",
                            name_node(f, (int)(to - f->p->node), name, sizeof name), QUOTED,
                            at->unit.name, QUOTED, to->unit.name, QUOTED, unknown->name);
            return fail(f, to->by_file, c->line,
                        "the connection to '%s' is from the unit '%.*s' to '%.*s', which do not "
                        "fit; correct a unit, or set suppressUnitConversion",
                        name_node(f, (int)(to - f->p->node), name, sizeof name), QUOTED,
                        at->unit.name, QUOTED, to->unit.name);
        }
        if (to->unit.name)
            at->unit = to->unit;
    }
    at->total = wr_unit_compose(at->total, scale);
    if (c->change.kind != WR_SSP_LINEAR)
        return 0;
    if (!to->unit.name && at->unit.name && next_unit->name && !c->is_unconverted &&
        (!convert_unit(&at->unit, next_unit, &scale) || wr_unit_is_scaled(scale))) {
        char name[3 * QUOTED];
        return fail(f, to->by_file, c->line,
                    "the transformation to '%s' has no unit, because this connector has none; give "
                    "the connector a unit",
                    name_node(f, (int)(to - f->p->node), name, sizeof name));
    }
    const wr_unit_scale change = {c->change.factor, c->change.offset};
    if (!(fabs(change.factor) > 0.0))
        return fail(
            f, to->by_file, c->line,
            "the transformation has the factor 0; remove the connection, and set the input");
    at->total = wr_unit_compose(at->total, change);
    at->change = wr_unit_compose(at->change, change);
    at->has_change = 1;
    return 0;
}

/* Returns whether two transformations agree within rounding. */
static int agrees(wr_unit_scale a, wr_unit_scale b)
{
    static const double ROUNDING =
        1e-12; /* some thousand times the rounding of one operation (assumed) */
    const double fa = wr_unit_is_scaled(a) ? a.factor : 1.0,
                 fb = wr_unit_is_scaled(b) ? b.factor : 1.0;
    return fabs(fa - fb) <= ROUNDING * fabs(fb) &&
           fabs(a.offset - b.offset) <= ROUNDING * fmax(fabs(a.offset), fabs(b.offset));
}

/* Fills the keys of a link. Together with wrsim's conversion of units, unless is_unconverted is 1, the keys give at->total. */
static void fill_link(wr_ssp_link *link, const carried *at, const node *from, const node *to)
{
    wr_unit_scale own;
    const int fits = wr_unit_convert(from->variable->quantity.unit, to->variable->quantity.unit,
                                     &own) == WR_UNIT_FITS;
    link->factor = 1.0;
    if (fits && agrees(wr_unit_compose(own, at->change), at->total)) {
        if (at->has_change) {
            link->factor = at->change.factor;
            link->offset = at->change.offset;
        }
        return;
    }
    link->is_unconverted = !fits || wr_unit_is_scaled(own);
    if (wr_unit_is_scaled(at->total)) {
        link->factor = at->total.factor;
        link->offset = at->total.offset;
    }
}

/* Adds the link that drives a connector of a component, if an output does. */
static int add_link(const flattener *f, int i_node)
{
    const node *const all = f->p->node;
    int way[MOST_WAY], n_way = 0;
    for (int k = i_node; k >= 0; k = all[k].driver) {
        char name[3 * QUOTED];
        if (n_way == MOST_WAY)
            return fail(f, all[i_node].by_file, all[i_node].by->line,
                        "the connections to '%s' form a loop through systems; remove one of them",
                        name_node(f, i_node, name, sizeof name));
        way[n_way++] = k;
    }
    const node *const from = &all[way[n_way - 1]], *const to = &all[i_node];
    if (f->p->instance[from->instance].component < 0)
        return 0;
    for (int k = 0; k < n_way / 2; k++) {
        const int other = way[k];
        way[k] = way[n_way - 1 - k];
        way[n_way - 1 - k] = other;
    }
    if (from->connector->kind == WR_SSP_CALCULATED) {
        char name[3 * QUOTED];
        return fail(f, to->by_file, to->by->line,
                    "the connection starts at the calculated parameter '%s', and wrsim connects "
                    "outputs to inputs only; remove the connection, and set the value",
                    name_node(f, way[0], name, sizeof name));
    }
    if (check_types(f, from, to, to->by_file, to->by->line) < 0)
        return -1;
    carried at = {.unit = from->unit};
    int n_map = 0;
    for (int k = 1; k < n_way; k++) {
        static const wr_fmi_unit unknown = {0};
        const wr_fmi_unit *next = &unknown;
        for (int j = k; j < n_way && !next->name; j++)
            next = &all[way[j]].unit;
        const wr_ssp_change_kind kind = all[way[k]].by->change.kind;
        n_map += kind != WR_SSP_NO_CHANGE && kind != WR_SSP_LINEAR;
        if (kind == WR_SSP_LINEAR && is_integer(to->variable->type))
            return fail(f, all[way[k]].by_file, all[way[k]].by->line,
                        "the linear transformation leads to an input of another type than Real; "
                        "use a map of values");
        if (carry(f, &at, &all[way[k]], next) < 0)
            return -1;
    }
    if (n_map > 0 && wr_unit_is_scaled(at.total))
        return fail(f, to->by_file, to->by->line,
                    "the connections from '%.*s' to '%.*s' have a map, and also a linear "
                    "transformation or a conversion of units; use one of them",
                    QUOTED, from->connector->name, QUOTED, to->connector->name);
    wr_ssp_link *const link = APPEND(f, f->s->link, f->s->n_link);
    if (!link)
        return -1;
    *link = (wr_ssp_link){.from = f->p->instance[from->instance].component,
                          .to = f->p->instance[to->instance].component,
                          .output = from->connector->name,
                          .input = to->connector->name};
    f->p->node[i_node].is_linked = 1;
    fill_link(link, &at, from, to);
    return n_map > 0 ? fit_maps(f, way, n_way, &link->factor, &link->offset) : 0;
}

static int add_links(const flattener *f)
{
    for (int k = 0; k < f->p->n_node; k++) {
        const node *const n = &f->p->node[k];
        if (f->p->instance[n->instance].component >= 0 && n->driver >= 0 && add_link(f, k) < 0)
            return -1;
    }
    return 0;
}

/* ---- parameters ---- */

/* A value on its way to a variable. */
typedef struct assigned {
    const opened *in; /* file of the value and its line, for messages */
    int line;
    const char *name, *full; /* full: with the prefix */
    wr_fmi_type type;
    double number;
    const char *text; /* of a STRING or ENUMERATION */
    wr_fmi_unit unit;
    int is_used; /* 1: a mapping names the value */
} assigned;

/* Applies a transformation to a value. */
static int change_value(const flattener *f, assigned *a, const wr_ssp_change *c)
{
    if (c->kind == WR_SSP_NO_CHANGE)
        return 0;
    const int is_fit = c->kind == WR_SSP_LINEAR        ? a->type == WR_FMI_FLOAT64
                       : c->kind == WR_SSP_BOOLEAN_MAP ? a->type == WR_FMI_BOOLEAN
                       : c->kind == WR_SSP_INTEGER_MAP ? a->type == WR_FMI_INT32
                                                       : a->type == WR_FMI_ENUMERATION;
    if (!is_fit)
        return fail(f, a->in, a->line,
                    "the parameter '%.*s' has a type that its transformation does not take; "
                    "correct one of them",
                    QUOTED, a->name);
    if (c->kind == WR_SSP_LINEAR)
        a->number = c->factor * a->number + c->offset;
    for (int i = 0; i < c->n_map; i++) {
        const struct wr_ssp_map *const m = &c->map[i];
        if (a->type == WR_FMI_ENUMERATION ? strcmp(m->source, a->text) != 0
                                          : fabs(m->from - a->number) > 0.5)
            continue;
        a->number = m->to;
        a->text = a->type == WR_FMI_ENUMERATION ? m->target : a->text;
        break;
    }
    return 0;
}

static int convert_value(const flattener *f, assigned *a, const wr_fmi_unit *to, const char *noun,
                         const char *name)
{
    wr_unit_scale scale;
    if (!convert_unit(&a->unit, to, &scale))
        return fail(f, a->in, a->line,
                    "the parameter '%.*s' has the unit '%.*s', which does not fit '%.*s' of %s "
                    "'%.*s'; correct the unit",
                    QUOTED, a->name, QUOTED, a->unit.name, QUOTED, to->name, noun, QUOTED, name);
    a->number = wr_unit_apply(scale, a->number);
    a->unit = to->name ? *to : a->unit;
    return 0;
}

/* Returns 1 if wrsim can set a variable before a run. */
static int is_settable(const wr_ssp_component *c, const opened *fmu, const wr_fmi_variable *v)
{
    if (v->causality == WR_FMI_PARAMETER)
        return v->variability != WR_FMI_CONSTANT;
    return v->causality == WR_FMI_INPUT ||
           (fmu->is_state[v - c->description->variable] && v->initial != WR_FMI_CALCULATED &&
            wr_ssp_component_kind(c) == WR_FMI_ME);
}

/* Returns 1 if a variable takes values of the type of a parameter. */
static int takes_type(const wr_fmi_variable *v, wr_fmi_type type)
{
    if (v->type == WR_FMI_ENUMERATION)
        return type == WR_FMI_ENUMERATION || type == WR_FMI_INT32;
    if (v->type == WR_FMI_BOOLEAN)
        return type == WR_FMI_BOOLEAN;
    return type == WR_FMI_INT32 || (type == WR_FMI_FLOAT64 && !is_integer(v->type));
}

/* Adds or replaces a setting. */
static int put_setting(const flattener *f, wr_ssp_component *c, const wr_fmi_variable *v,
                       double value)
{
    int low = 0, high = c->n_setting;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (c->setting[middle].variable < v)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == c->n_setting || c->setting[low].variable != v) {
        const int n = c->n_setting;
        const wr_ssp_setting *const added = APPEND(f, c->setting, c->n_setting);
        if (!added)
            return -1;
        memmove(&c->setting[low + 1], &c->setting[low], (size_t)(n - low) * sizeof *c->setting);
    }
    c->setting[low] = (wr_ssp_setting){v, value};
    return 0;
}

/* Sets a variable of a component. */
static int set_variable(const flattener *f, const assigned *a, const instance *i,
                        const wr_fmi_variable *v)
{
    wr_ssp_component *const c = &f->s->component[i->component];
    const wr_description *const d = c->description;
    double value = a->number;
    if (v->type == WR_FMI_STRING || v->type == WR_FMI_BINARY) {
        if (v->type == WR_FMI_STRING && a->type == WR_FMI_STRING && v->n_start > 0 &&
            strcmp(v->text[0], a->text) == 0)
            return 0;
        return fail(f, a->in, a->line,
                    "the parameter '%.*s' sets the text '%.*s.%.*s', and wrsim sets numbers only; "
                    "set the text in the FMU",
                    QUOTED, a->name, QUOTED, i->path, QUOTED, v->name);
    }
    if (!takes_type(v, a->type))
        return fail(f, a->in, a->line,
                    "the parameter '%.*s' has another type than '%.*s.%.*s' (%s); correct the type",
                    QUOTED, a->name, QUOTED, i->path, QUOTED, v->name, type_text(v->type));
    if (v->type == WR_FMI_ENUMERATION) {
        const wr_fmi_item *const item = find_item(
            items_of_type(d, v), a->type == WR_FMI_ENUMERATION ? a->text : NULL, a->number);
        if (!item)
            return fail(f, a->in, a->line,
                        "the parameter '%.*s' has the value '%.*s', which the enumeration of "
                        "'%.*s.%.*s' does not have; correct the value",
                        QUOTED, a->name, QUOTED, a->text, QUOTED, i->path, QUOTED, v->name);
        value = item->value;
    }
    const int k = wr_names_find(i->connector, i->n_node, v->name, strlen(v->name));
    if (k >= 0 && f->p->node[k].is_linked)
        return add_note(f, format_text(f, "a connection drives '%s.%s', so its value is not used",
                                       i->path, v->name));
    if (is_settable(c, i->fmu, v))
        return put_setting(f, c, v, value);
    if (v->start && v->n_start > 0 && fabs(v->start[0] - value) <= 0.0)
        return 0;
    return fail(f, a->in, a->line,
                "the parameter '%.*s' sets '%.*s.%.*s', and wrsim sets parameters, inputs and "
                "start values of states of model exchange only; remove the value",
                QUOTED, a->name, QUOTED, i->path, QUOTED, v->name);
}

/* Sets a variable of a component, in its unit and after a transformation. Returns 1, or -1. */
static int assign(const flattener *f, const assigned *from, const instance *i,
                  const wr_fmi_variable *v, int is_unconverted, const wr_ssp_change *change)
{
    const opened *const fmu = i->fmu;
    const wr_fmi_unit unit =
        unit_of(fmu->description->unit, fmu->description->n_unit, v->quantity.unit);
    assigned a = *from;
    if (v->n_dimension > 0)
        return fail(f, a.in, a.line,
                    "the parameter '%.*s' sets an array, which SSP 1.0 does not allow; remove the "
                    "parameter",
                    QUOTED, a.name);
    if (!is_unconverted && convert_value(f, &a, &unit, "the variable", v->name) < 0)
        return -1;
    return change_value(f, &a, change) < 0 || set_variable(f, &a, i, v) < 0 ? -1 : 1;
}

/* Passes a value from a connector of a system to the variables that the connector drives. Returns the number of variables, or -1. */
static int assign_connector(const flattener *f, const assigned *from, int i_node,
                            int is_unconverted, const wr_ssp_change *change, int depth)
{
    const node *const n = &f->p->node[i_node];
    assigned a = *from;
    if (depth == MOST_WAY)
        return fail(f, a.in, a.line,
                    "the parameter '%.*s' leads into a loop of connections; remove one of them",
                    QUOTED, a.name);
    if (!is_unconverted && convert_value(f, &a, &n->unit, "the connector", n->connector->name) < 0)
        return -1;
    a.unit = is_unconverted ? n->unit : a.unit;
    if (change_value(f, &a, change) < 0)
        return -1;
    int n_found = 0;
    for (int k = n->first_driven; k >= 0; k = f->p->node[k].next_driven) {
        const node *const to = &f->p->node[k];
        const instance *const i = &f->p->instance[to->instance];
        const int n_new =
            i->component >= 0
                ? assign(f, &a, i, to->variable, to->by->is_unconverted, &to->by->change)
                : assign_connector(f, &a, k, to->by->is_unconverted, &to->by->change, depth + 1);
        if (n_new < 0)
            return -1;
        n_found += n_new;
    }
    return n_found;
}

/* Applies a value to all variables of a hierarchical name. Returns the number of variables, or -1. */
static int apply(const flattener *f, const assigned *a, int i_instance, const char *name,
                 int is_unconverted, const wr_ssp_change *change)
{
    const instance *const i = &f->p->instance[i_instance];
    int n_found = 0;
    if (i->component >= 0) {
        const wr_fmi_variable *const v = find_variable(i->fmu, name);
        return v ? assign(f, a, i, v, is_unconverted, change) : 0;
    }
    const int k = wr_names_find(i->connector, i->n_node, name, strlen(name));
    if (k >= 0)
        n_found = assign_connector(f, a, k, is_unconverted, change, 0);
    if (n_found < 0)
        return -1;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const int child = wr_names_find(i->child, i->n_child, name, (size_t)(dot - name));
        const int n = child >= 0 ? apply(f, a, child, dot + 1, is_unconverted, change) : 0;
        if (n < 0)
            return -1;
        n_found += n;
    }
    return n_found;
}

/* Opens the parameter set or mapping of a binding. Returns the file with the set or mapping, or NULL with the reason in err. */
static const opened *open_source(const flattener *f, const opened *in, int line,
                                 const wr_ssp_source *source, wr_ssp_kind kind, const char *fmu)
{
    static const char *const types[] = {"", "application/x-ssp-parameter-set",
                                        "application/x-ssp-parameter-mapping"};
    const char *fragment;
    if (source->type && strcmp(source->type, types[kind]) != 0) {
        fail(f, in, line,
             "a parameter binding has the type '%.*s', and wrsim reads '%s' only; convert the file",
             QUOTED, source->type, types[kind]);
        return NULL;
    }
    if (!source->path)
        return in;
    if (source->is_in_component && !fmu) {
        fail(
            f, in, line,
            "only a component with an FMU can have sourceBase=\"component\"; remove the attribute");
        return NULL;
    }
    const char *const base = source->is_in_component ? format_text(f, "%s/", fmu) : in->base;
    const char *const path = base ? resolve_path(f, in, line, source->path, base, &fragment) : NULL;
    const opened *const o = path ? open_file(f, kind, path) : NULL;
    if (!o && path)
        fail_reference(f, in, line, "parameter binding", kind == WR_SSP_SSV ? "values" : "mapping",
                       source->path);
    return o;
}

/* Refuses a mapping with two entries of one target. */
static int check_targets(const flattener *f, const opened *in, const wr_ssp_mapping *m)
{
    wr_named *const target = place(f, (size_t)m->n_entry + 1, sizeof *target);
    if (!target)
        return -1;
    for (int i = 0; i < m->n_entry; i++)
        target[i] = (wr_named){m->entry[i].target, i};
    qsort(target, (size_t)m->n_entry, sizeof *target, compare_named);
    for (int i = 1; i < m->n_entry; i++)
        if (strcmp(target[i - 1].name, target[i].name) == 0)
            return fail(f, in, m->entry[target[i].number].line,
                        "the mapping has two entries for the target '%.*s'; remove one of them",
                        QUOTED, target[i].name);
    return 0;
}

#define NOT_TAKEN "'%s' has a value for '%s', which no variable takes"

/* The values of a binding, by their names with the prefix. */
typedef struct bound {
    assigned *value;
    wr_named *name; /* sorted */
    int n;
} bound;

static int list_values(const flattener *f, const opened *in, const wr_ssp_set *set,
                       const char *prefix, bound *ret)
{
    ret->n = set->n_value;
    if (ret->n > MOST_VALUES - f->p->n_value)
        return fail(f, in, 0, "the parameter bindings have more than %d values; remove bindings",
                    MOST_VALUES);
    f->p->n_value += ret->n;
    ret->name = place(f, (size_t)ret->n + 1, sizeof *ret->name);
    ret->value = place(f, (size_t)ret->n + 1, sizeof *ret->value);
    if (!ret->name || !ret->value)
        return -1;
    for (int i = 0; i < ret->n; i++) {
        const wr_ssp_value *const v = &set->value[i];
        ret->value[i] =
            (assigned){.in = in,
                       .line = v->line,
                       .name = v->name,
                       .full = *prefix ? format_text(f, "%s%s", prefix, v->name) : v->name,
                       .type = v->type,
                       .number = v->number,
                       .text = v->text,
                       .unit = unit_of(set->scope.unit, set->scope.n_unit, v->unit)};
        ret->name[i] = (wr_named){ret->value[i].full, i};
        if (!ret->value[i].full)
            return -1;
    }
    wr_names_sort(ret->name, ret->n);
    for (int i = 1; i < ret->n; i++)
        if (strcmp(ret->name[i - 1].name, ret->name[i].name) == 0)
            return fail(f, in, ret->value[ret->name[i].number].line,
                        "the parameter set has two values for '%.*s'; remove one of them", QUOTED,
                        ret->name[i].name);
    return 0;
}

/* Applies the values under their own names. */
static int apply_values(const flattener *f, int i_instance, const bound *all)
{
    static const wr_ssp_change none = {.kind = WR_SSP_NO_CHANGE};
    for (int i = 0; i < all->n; i++) {
        const assigned *const a = &all->value[i];
        const int n = apply(f, a, i_instance, a->full, 0, &none);
        if (n < 0 ||
            (n == 0 && add_note(f, format_text(f, NOT_TAKEN, path_of(&f->p->instance[i_instance]),
                                               a->full)) < 0))
            return -1;
    }
    return 0;
}

/* Applies the values that a mapping names. */
static int apply_mapping(const flattener *f, int i_instance, const wr_ssp_mapping *m,
                         const bound *all)
{
    const char *const where = path_of(&f->p->instance[i_instance]);
    for (int i = 0; i < m->n_entry; i++) {
        const wr_ssp_mapping_entry *const e = &m->entry[i];
        const int k = wr_names_find(all->name, all->n, e->source, strlen(e->source));
        const int n =
            k < 0 ? 0
                  : apply(f, &all->value[k], i_instance, e->target, e->is_unconverted, &e->change);
        if (k >= 0)
            all->value[k].is_used = 1;
        if (n < 0)
            return -1;
        if (n == 0 &&
            add_note(f, format_text(f,
                                    k < 0 ? "the mapping of '%s' names '%s', which has no value"
                                          : NOT_TAKEN,
                                    where, k < 0 ? e->source : e->target)) < 0)
            return -1;
    }
    for (int i = 0; i < all->n; i++)
        if (!all->value[i].is_used &&
            add_note(f, format_text(f, "the mapping of '%s' does not name the value '%s'", where,
                                    all->value[i].full)) < 0)
            return -1;
    return 0;
}

static int apply_binding(const flattener *f, int i_instance, const opened *in,
                         const wr_ssp_binding *b)
{
    const int c = f->p->instance[i_instance].component;
    const char *const fmu = c >= 0 ? f->s->component[c].fmu : NULL;
    if (!b->set.path && b->set.i_inline < 0)
        return fail(f, in, b->line, "the parameter binding has no values; add a source");
    if (b->has_mapping && !b->mapping.path && b->mapping.i_inline < 0)
        return fail(f, in, b->line,
                    "the mapping of the parameter binding has no entries; remove it");
    const opened *const values = open_source(f, in, b->line, &b->set, WR_SSP_SSV, fmu);
    const opened *const mapping = !values || !b->has_mapping
                                      ? values
                                      : open_source(f, in, b->line, &b->mapping, WR_SSP_SSM, fmu);
    bound all = {0};
    if (!values || !mapping ||
        list_values(f, values, &values->file->set[b->set.path ? 0 : b->set.i_inline], b->prefix,
                    &all) < 0)
        return -1;
    if (b->has_mapping) {
        const wr_ssp_mapping *const m =
            &mapping->file->mapping[b->mapping.path ? 0 : b->mapping.i_inline];
        return check_targets(f, mapping, m) < 0 ? -1 : apply_mapping(f, i_instance, m, &all);
    }
    return apply_values(f, i_instance, &all);
}

/* Applies the bindings of all instances. Inner instances come first, so that values of outer instances replace values of inner ones. */
static int apply_bindings(const flattener *f)
{
    for (int k = f->p->n_instance - 1; k >= 0; k--) {
        const instance *const i = &f->p->instance[k];
        for (int b = 0; b < i->element->n_binding; b++)
            if (apply_binding(f, k, i->file, &i->element->binding[b]) < 0)
                return -1;
        for (int b = 0; i->outer && b < i->outer->n_binding; b++)
            if (apply_binding(f, k, i->outer_file, &i->outer->binding[b]) < 0)
                return -1;
    }
    return 0;
}

/* ---- names ---- */

enum { NAME_LETTERS = WR_NAMES_MAX_BYTES - 10 }; /* without the digits that make a name unique */

/* Gives each component a name of letters, digits and '_'. Equal names get a number. */
static int name_components(const flattener *f)
{
    const int n = f->s->n_component;
    wr_named *const list = place(f, (size_t)n + 1, sizeof *list);
    if (!list)
        return -1;
    for (int i = 0; i < n; i++) {
        wr_ssp_component *const c = &f->s->component[i];
        const size_t length = strlen(c->path);
        /* Long paths differ at their ends more often than at their beginnings. */
        const char *from = c->path + (length > NAME_LETTERS ? length - NAME_LETTERS : 0);
        char *const name = place(f, WR_NAMES_MAX_BYTES, 1);
        size_t k = 0;
        if (!name)
            return -1;
        if (isdigit((unsigned char)*from))
            name[k++] = '_';
        for (; *from; from++)
            name[k++] = isalnum((unsigned char)*from) && (unsigned char)*from < 0x80 ? *from : '_';
        c->name = name;
        list[i] = (wr_named){name, i};
    }
    wr_names_sort(list, n);
    for (int first = 0; first < n;) {
        int end = first + 1;
        while (end < n && strcmp(list[end].name, list[first].name) == 0)
            end++;
        int number = 2;
        for (int i = first + 1; i < end; i++) {
            char *const name = place(f, WR_NAMES_MAX_BYTES, 1);
            if (!name)
                return -1;
            do
                snprintf(name, WR_NAMES_MAX_BYTES, "%s_%d", list[first].name, number++);
            while (wr_names_find(list, n, name, strlen(name)) >= 0);
            f->s->component[list[i].number].name = name;
        }
        first = end;
    }
    return 0;
}

/* ---- all ---- */

int wr_ssp_system_is_package(const char *path)
{
    return wr_open_file_part(path) > 0 && wr_archive_has(path, "SystemStructure.ssd");
}

static int flatten(const flattener *f, const char *path)
{
    const char *const dot = strrchr(path, '.');
    const int is_package = !dot || strcasecmp(dot, ".ssd") != 0;
    const wr_where where = {.file = path};
    if (is_package && wr_open_file_part(path) == 0) {
        wr_error_set_at(f->err, WRSIM_E_IO, &where, "the file cannot be read; check the name");
        return -1;
    }
    const char *const file = is_package ? format_text(f, "%s/SystemStructure.ssd", path) : path;
    const opened *const root = file ? open_file(f, WR_SSP_SSD, file) : NULL;
    if (!root)
        return -1;
    f->s->name = root->file->name;
    f->s->start_s = root->file->start_s;
    f->s->stop_s = root->file->stop_s;
    const int i = add_instance(f, root, &root->file->element[0], -1);
    if (i < 0 || add_system(f, root, 0, i, 0) < 0)
        return -1;
    if (f->s->n_component == 0)
        return fail(f, root, 0, "the system has no components; add an FMU");
    if (list_nodes(f) < 0 || check_connectors(f) < 0 || add_connections(f) < 0 ||
        add_links(f) < 0 || apply_bindings(f) < 0)
        return -1;
    return name_components(f);
}

wr_ssp_system *wr_ssp_system_read(const char *path, wrsim_error *err)
{
    wr_ssp_system *s = calloc(1, sizeof *s);
    wr_ssp_parts *const p = calloc(1, sizeof *p);
    if (s)
        s->parts = p;
    if (p)
        p->arena = wr_arena_create(SIZE_MAX);
    const flattener f = {.s = s, .p = p, .err = err};
    if (!s || !p || !p->arena) {
        wr_error_memory(err);
        if (!s)
            free(p);
        wr_ssp_system_destroy(&s);
        return NULL;
    }
    *err = (wrsim_error){0};
    if (flatten(&f, path) < 0)
        wr_ssp_system_destroy(&s);
    return s;
}

void wr_ssp_system_destroy(wr_ssp_system **system)
{
    wr_ssp_system *const s = system ? *system : NULL;
    if (!s)
        return;
    wr_ssp_parts *const p = s->parts;
    for (int i = 0; p && i < p->n_opened; i++) {
        wr_ssp_file_destroy(&p->opened[i]->file);
        wr_description_destroy(&p->opened[i]->description);
    }
    if (p) {
        free(p->opened);
        free(p->instance);
        free(p->node);
        wr_arena_destroy(&p->arena);
        free(p);
    }
    for (int i = 0; i < s->n_component; i++)
        free(s->component[i].setting);
    free(s->component);
    free(s->link);
    free(s->note);
    free(s);
    *system = NULL;
}
