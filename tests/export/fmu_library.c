/* Loads FMUs. See fmu_session.h. */
#include "fmu_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the text with %XX for characters that are not allowed in a URI (RFC 3986, section 2.3), and '/'. */
static char *uri_of(const char *path)
{
    char *const uri = malloc(strlen(path) * 3 + 8);
    if (!uri)
        fmu_stop(2, "memory is short");
    char *to = stpcpy(uri, "file://");
    for (; *path; path++) {
        const unsigned char ch = (unsigned char)*path;
        const bool is_plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                              (ch >= '0' && ch <= '9') || strchr("/-._~", ch);
        to += is_plain ? sprintf(to, "%c", ch) : sprintf(to, "%%%02X", ch);
    }
    *to = '\0';
    return uri;
}

void fmu_open(fmu *f, const char *folder)
{
    char *const top = realpath(folder, NULL), path[4096];
    if (!top)
        fmu_stop(2, "the folder %s does not exist", folder);
    (void)snprintf(path, sizeof path, "%s/modelDescription.xml", top);
    fmu_table_read(&f->table, path);
    const bool is_2 = f->table.version == 2;
    (void)snprintf(path, sizeof path, "%s/binaries/%s/%s.so", top,
                   is_2 ? "linux64" : "x86_64-linux", f->table.identifier);
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library)
        fmu_stop(2, "%s", dlerror());
    f->call = calloc(1, sizeof *f->call);
    if (!f->call)
        fmu_stop(2, "memory is short");
#define X(name, result, arguments, need)                                                           \
    *(void **)&f->call->f2##name = is_2 ? dlsym(f->library, "fmi2" #name) : NULL;
    WR_FMI2_LIST(X)
#undef X
#define X(name, result, arguments, need)                                                           \
    *(void **)&f->call->f3##name = is_2 ? NULL : dlsym(f->library, "fmi3" #name);
    WR_FMI3_LIST(X)
#undef X
    (void)snprintf(path, sizeof path, "%s/resources", top);
    const bool has_resources = access(path, R_OK) == 0;
    if (!is_2)
        (void)strcat(path, "/"); /* a trailing separator (FMI 3.0.2, section 2.3.1) */
    f->resources = is_2 ? uri_of(path) : has_resources ? strdup(path) : NULL;
    free(top);
}

void fmu_close(fmu *f)
{
    fmu_table_free(&f->table);
    free(f->resources);
    free(f->call);
    (void)dlclose(f->library); /* then a leak detector also reports what static variables hold */
}
