/* Unpacked FMUs. See unpacked.h. Thread: any. Real-time: no. */
#include "subsystems/model_host/fmi/unpacked.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/open_file.h"
#include "base/text_buffer.h"
#include "base/text_file.h"
#include "subsystems/model_host/fmi/description.h"

enum { BLOCK_BYTES = 1 << 16, MOST_PLATFORMS = 64 /* assumed */ };

wrsim_status wr_unpacked_read(const char *folder, char **ret_description, size_t *ret_n_bytes,
                              wrsim_error *err)
{
    char path[PATH_MAX], block[BLOCK_BYTES];
    if (snprintf(path, sizeof path, "%s/" WR_UNPACKED_DESCRIPTION, folder) >= (int)sizeof path)
        return wr_text_file_fail(folder, ENAMETOOLONG, err);
    FILE *const file = wr_open_file_read(path);
    if (!file)
        return wr_text_file_fail(path, errno, err);
    wr_text_buffer text = {0};
    size_t n, n_all = 0;
    while (n_all <= WR_FMI_DESCRIPTION_BYTES && (n = fread(block, 1, sizeof block, file)) > 0) {
        wr_text_buffer_put(&text, block, n);
        n_all += n;
    }
    const int error_number = ferror(file) ? EIO : n_all > WR_FMI_DESCRIPTION_BYTES ? EFBIG : 0;
    (void)fclose(file); /* the file is open for reading only */
    wr_text_buffer_put(&text, "", 0);
    *ret_description = wr_text_buffer_take(&text);
    *ret_n_bytes = n_all;
    if (error_number)
        return wr_text_file_fail(path, error_number, err);
    return *ret_description ? WRSIM_OK : wr_error_memory(err);
}

wrsim_status wr_unpacked_list_platforms(const char *folder, char **ret_text, wrsim_error *err)
{
    char path[PATH_MAX];
    struct dirent **entry = NULL;
    wr_text_buffer text = {0};
    const int is_short = snprintf(path, sizeof path, "%s/binaries", folder) < (int)sizeof path;
    const int n = is_short ? scandir(path, &entry, NULL, alphasort) : 0;
    for (int i = 0, n_platform = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.' && n_platform < MOST_PLATFORMS)
            wr_text_buffer_add(&text, "%s%s", n_platform++ > 0 ? ", " : "", entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    wr_text_buffer_put(&text, "", 0);
    *ret_text = wr_text_buffer_take(&text);
    return *ret_text ? WRSIM_OK : wr_error_memory(err);
}
