/* Opens the files of a system. See ssp_sources.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_sources.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open_file.h"
#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/description_read.h"

enum { PATH_BYTES = 4096 /* longest path of a file (assumed) */ };

/* Reads a file of the disk or of an archive. Returns the bytes, or NULL with the reason in err. */
static char *read_file(const wr_ssp_flattener *f, const char *path, size_t *ret_n)
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
        wr_ssp_parts_fail_read(f, path);
        return NULL;
    }
    bytes = malloc((size_t)WR_SSP_FILE_BYTES + 1);
    *ret_n = bytes ? fread(bytes, 1, (size_t)WR_SSP_FILE_BYTES + 1, file) : 0;
    const int failure = ferror(file) ? errno : 0;
    (void)fclose(file); /* the file is open for reading only */
    if (!bytes) {
        wr_ssp_parts_fail_memory(f);
    } else if (failure != 0) {
        wr_error_set_at(f->err, WRSIM_E_IO, &where, "the file cannot be read: %s; check the disk",
                        strerror(failure));
        free(bytes);
        bytes = NULL;
    } else if (*ret_n > WR_SSP_FILE_BYTES) {
        wr_error_set_at(f->err, WRSIM_E_MODEL, &where,
                        "the file has more than %d MiB; check the name", WR_SSP_FILE_BYTES >> 20);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static wr_ssp_opened *find_opened(const wr_ssp_flattener *f, const char *path)
{
    for (int i = 0; i < f->p->n_opened; i++)
        if (strcmp(f->p->opened[i]->path, path) == 0)
            return f->p->opened[i];
    return NULL;
}

static wr_ssp_opened *add_opened(const wr_ssp_flattener *f, const char *path)
{
    wr_ssp_opened *const o = wr_ssp_parts_place(f, 1, sizeof *o);
    wr_ssp_opened **const slot = o ? WR_SSP_APPEND(f, f->p->opened, f->p->n_opened) : NULL;
    const char *const slash = strrchr(path, '/');
    if (!slot)
        return NULL;
    *slot = o;
    o->path = wr_ssp_parts_format(f, "%s", path);
    o->base = wr_ssp_parts_format(f, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    return o->path && o->base ? o : NULL;
}

/* Returns the file of SSP at a path, read once. NULL with the reason in err. */
wr_ssp_opened *wr_ssp_sources_open(const wr_ssp_flattener *f, wr_ssp_kind kind, const char *path)
{
    wr_ssp_opened *o = find_opened(f, path);
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

/* Returns the FMU at a path, whose description is read once. NULL with the reason in err. */
wr_ssp_opened *wr_ssp_sources_open_fmu(const wr_ssp_flattener *f, const char *path)
{
    wr_ssp_opened *o = find_opened(f, path);
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
    o->name = wr_ssp_parts_place(f, (size_t)n + 1, sizeof *o->name);
    o->is_state = wr_ssp_parts_place(f, (size_t)n + 1, 1);
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
const wr_fmi_variable *wr_ssp_sources_variable(const wr_ssp_opened *fmu, const char *name)
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

const char *wr_ssp_sources_resolve(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                                   const char *uri, const char *base, const char **ret_fragment)
{
    char path[PATH_BYTES];
    size_t n = 0;
    static const char absolute[] =
        "is absolute; put the file beside the system, and name it by a relative path";
    const char *fault = uri[strcspn(uri, ":/#")] == ':' ? absolute : NULL;
    const char *fragment = NULL;
    for (const char *at = uri; !fault && *at; at++) {
        char c = *at;
        if (c == '#') {
            fragment = at + 1;
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
    if (!fault && *at == '/')
        fault = absolute;
    for (const char *part = at; !fault && part;
         part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/'))
            fault = "has '..'; put the file beside the system, or into its folder 'resources'";
    if (!fault && fragment && !ret_fragment)
        fault =
            "has a fragment after '#', which SSP 1.0 defines for packages and for systems of the "
            "same file only; remove the fragment, or write '#' in a file name as %23";
    if (fault) {
        wr_ssp_parts_fail(f, in, line, "the source '%.*s' %s", WR_SSP_QUOTED, uri, fault);
        return NULL;
    }
    if (ret_fragment)
        *ret_fragment = fragment;
    return wr_ssp_parts_format(f, "%s%s", base, at);
}

/* Puts the place of a reference before the reason of a failure. */
int wr_ssp_sources_fail(const wr_ssp_flattener *f, const wr_ssp_opened *in, int line,
                        const char *noun, const char *name, const char *source)
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
                        WR_SSP_QUOTED, name, WR_SSP_QUOTED, source, why.line, text);
    else
        wr_error_set_at(f->err, why.status, &where, "%s '%.*s', source '%.*s': %s", noun,
                        WR_SSP_QUOTED, name, WR_SSP_QUOTED, source, text);
    return -1;
}
