/* Errors and memory of the flattening of a system. See ssp_parts.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "subsystems/model_host/fmi/description_read.h"

wr_ssp_parts *wr_ssp_parts_create(void)
{
    wr_ssp_parts *p = calloc(1, sizeof *p);
    if (p)
        p->arena = wr_arena_create(SIZE_MAX);
    if (p && !p->arena)
        wr_ssp_parts_destroy(&p);
    return p;
}

void wr_ssp_parts_destroy(wr_ssp_parts **parts)
{
    wr_ssp_parts *const p = *parts;
    if (!p)
        return;
    for (int i = 0; i < p->n_opened; i++) {
        wr_ssp_file_destroy(&p->opened[i]->file);
        wr_description_destroy(&p->opened[i]->description);
    }
    free(p->opened);
    free(p->instance);
    free(p->node);
    free(p->taken);
    wr_arena_destroy(&p->arena);
    free(p);
    *parts = NULL;
}

int wr_ssp_parts_fail(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                      const char *format, ...)
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

int wr_ssp_parts_fail_memory(const wr_ssp_flattener *f)
{
    wr_error_memory(f->err);
    return -1;
}

int wr_ssp_parts_fail_read(const wr_ssp_flattener *f, const char *path)
{
    const wr_where where = {.file = path};
    wr_error_set_at(f->err, WRSIM_E_IO, &where,
                    "the file cannot be read: %s; check the path and its permissions",
                    access(path, R_OK) != 0 ? strerror(errno) : "it is no regular file");
    return -1;
}

void *wr_ssp_parts_place(const wr_ssp_flattener *f, size_t count, size_t size)
{
    void *const block = wr_arena_push(f->p->arena, count, size);
    if (!block)
        wr_ssp_parts_fail_memory(f);
    return block;
}

static const char *format_list(const wr_ssp_flattener *f, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *const text = wr_ssp_parts_place(f, (size_t)n + 1, 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

const char *wr_ssp_parts_format(const wr_ssp_flattener *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *const text = format_list(f, format, args);
    va_end(args);
    return text;
}

void *wr_ssp_parts_grow(const wr_ssp_flattener *f, void *list, int *n, size_t size)
{
    void *const grown = wr_memory_grow(list, *n, size);
    if (!grown) {
        wr_ssp_parts_fail_memory(f);
        return list;
    }
    (*n)++;
    return grown;
}

int wr_ssp_parts_note(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                      const char *format, ...)
{
    enum { MOST_NOTES = 1000000 }; /* (assumed) */
    if (f->s->n_note == MOST_NOTES)
        return wr_ssp_parts_fail(
            f, in, line, "the system has more than %d notes; correct the system", MOST_NOTES);
    va_list args;
    va_start(args, format);
    const char *const text = format_list(f, format, args);
    va_end(args);
    wr_ssp_note *const note = text ? WR_SSP_APPEND(f, f->s->note, f->s->n_note) : NULL;
    if (!note)
        return -1;
    *note = (wr_ssp_note){text, in->path, line};
    return 0;
}

int wr_ssp_parts_visit(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line)
{
    /* Assumed: ten visits for each of the values that a system may have (ssp_bindings.c). These visits take about a second. */
    enum { MOST_VISITS = 10000000 };
    if (f->p->n_visit++ < MOST_VISITS)
        return 0;
    return wr_ssp_parts_fail(f, in, line,
                             "the values of the parameter bindings visit more than %d elements, "
                             "connectors and variables; remove values or connections",
                             MOST_VISITS);
}

const char *wr_ssp_parts_path(const wr_ssp_instance *i)
{
    return *i->path ? i->path : i->element->name;
}

const char *wr_ssp_parts_name_node(const wr_ssp_flattener *f, int i_node, char *ret, size_t n)
{
    const wr_ssp_node *const at = &f->p->node[i_node];
    snprintf(ret, n, "%.*s.%.*s", WR_SSP_QUOTED, wr_ssp_parts_path(&f->p->instance[at->instance]),
             WR_SSP_QUOTED, at->connector->name);
    return ret;
}

int wr_ssp_parts_is_integer(wr_fmi_type type)
{
    return type != WR_FMI_FLOAT64 && type != WR_FMI_FLOAT32;
}

const char *wr_ssp_parts_type(wr_fmi_type type)
{
    return type == WR_FMI_STRING           ? "String"
           : type == WR_FMI_BINARY         ? "Binary"
           : type == WR_FMI_BOOLEAN        ? "Boolean"
           : type == WR_FMI_ENUMERATION    ? "Enumeration"
           : wr_ssp_parts_is_integer(type) ? "Integer"
                                           : "Real";
}
