/* The archive of an FMU in an exported FMU: a folder. This file replaces archive.c, so an exported FMU needs no libzip, because `wrsim export`
 * has unpacked the archives (runtime/cosim/cosim_fmus.c). See archive.h. Thread: one owner. Real-time: no (setup only). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/text_file.h"
#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/unpacked.h"

struct wr_archive {
    char folder[PATH_MAX];
    char *description, *platforms;
    size_t description_bytes;
};

wr_archive *wr_archive_open(const char *path, wrsim_error *err)
{
    wr_archive *a = calloc(1, sizeof *a);
    if (!a)
        wr_error_memory(err);
    else if (!realpath(path, a->folder))
        (void)wr_text_file_fail(path, errno, err);
    else if (wr_unpacked_read(a->folder, &a->description, &a->description_bytes, err) == WRSIM_OK &&
             wr_unpacked_list_platforms(a->folder, &a->platforms, err) == WRSIM_OK)
        return a;
    wr_archive_close(&a);
    return NULL;
}

const char *wr_archive_description(const wr_archive *a, size_t *ret_n_bytes)
{
    *ret_n_bytes = a->description_bytes;
    return a->description;
}

const char *wr_archive_platforms(const wr_archive *a) { return a->platforms; }

wrsim_status wr_archive_unpack(wr_archive *a, wrsim_error *err)
{
    (void)a, (void)err;
    return WRSIM_OK;
}

const char *wr_archive_folder(const wr_archive *a) { return a->folder; }

void wr_archive_close(wr_archive **archive)
{
    wr_archive *const a = *archive;
    if (!a)
        return;
    *archive = NULL;
    free(a->description);
    free(a->platforms);
    free(a);
}
