/* Reads and flattens a system. See ssp_reader.h.
 *
 * Each element is an instance, and each connector of an instance is a node. A connection makes its source node the driver of its sink
 * node. The way of an input leads from driver to driver, through connectors of systems, to an output.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/open_file.h"
#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/ssp_bindings.h"
#include "subsystems/model_host/fmi/ssp_connections.h"
#include "subsystems/model_host/fmi/ssp_instances.h"
#include "subsystems/model_host/fmi/ssp_links.h"
#include "subsystems/model_host/fmi/ssp_sources.h"

enum { NAME_LETTERS = WR_NAMES_MAX_BYTES - 10 }; /* without the digits that make a name unique */

/* Gives each component a name of letters, digits and '_'. Of equal names all except the first get a number. */
static int name_components(const wr_ssp_flattener *f)
{
    const int n = f->s->n_component;
    wr_named *const list = wr_ssp_parts_place(f, (size_t)n + 1, sizeof *list);
    if (!list)
        return -1;
    for (int i = 0; i < n; i++) {
        wr_ssp_component *const c = &f->s->component[i];
        const size_t length = strlen(c->path);
        /* Long paths differ at their ends more often than at their beginnings. */
        const char *from = c->path + (length > NAME_LETTERS ? length - NAME_LETTERS : 0);
        char *const name = wr_ssp_parts_place(f, WR_NAMES_MAX_BYTES, 1);
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
            char *const name = wr_ssp_parts_place(f, WR_NAMES_MAX_BYTES, 1);
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

int wr_ssp_reader_is_package(const char *path)
{
    return wr_open_file_part(path) > 0 && wr_archive_has(path, "SystemStructure.ssd");
}

static int flatten(const wr_ssp_flattener *f, const char *path)
{
    const char *const dot = strrchr(path, '.');
    const int is_package = !dot || strcasecmp(dot, ".ssd") != 0;
    if (is_package && wr_open_file_part(path) == 0)
        return wr_ssp_parts_fail_read(f, path);
    const char *const file =
        is_package ? wr_ssp_parts_format(f, "%s/SystemStructure.ssd", path) : path;
    const wr_ssp_opened *const root = file ? wr_ssp_sources_open(f, WR_SSP_SSD, file) : NULL;
    if (!root)
        return -1;
    f->s->name = root->file->name;
    f->s->start_s = root->file->start_s;
    f->s->stop_s = root->file->stop_s;
    if (wr_ssp_instances_add(f, root) < 0)
        return -1;
    if (f->s->n_component == 0)
        return wr_ssp_parts_fail(f, root, 0, "the system has no components; add an FMU");
    if (wr_ssp_instances_list(f) < 0 || wr_ssp_connections_check(f) < 0 ||
        wr_ssp_connections_add(f) < 0 || wr_ssp_links_add(f) < 0 || wr_ssp_bindings_apply(f) < 0)
        return -1;
    return name_components(f);
}

wr_ssp_system *wr_ssp_reader_read(const char *path, wrsim_error *err)
{
    wr_ssp_system *s = calloc(1, sizeof *s);
    if (s)
        s->parts = wr_ssp_parts_create();
    if (!s || !s->parts) {
        wr_error_memory(err);
        wr_ssp_reader_destroy(&s);
        return NULL;
    }
    *err = (wrsim_error){0};
    if (flatten(&(wr_ssp_flattener){.s = s, .p = s->parts, .err = err}, path) < 0)
        wr_ssp_reader_destroy(&s);
    return s;
}

void wr_ssp_reader_destroy(wr_ssp_system **system)
{
    wr_ssp_system *const s = system ? *system : NULL;
    if (!s)
        return;
    wr_ssp_parts_destroy(&s->parts);
    for (int i = 0; i < s->n_component; i++)
        free(s->component[i].setting);
    free(s->component);
    free(s->link);
    free(s->note);
    free(s);
    *system = NULL;
}
