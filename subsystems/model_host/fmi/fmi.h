/* The functions of the module fmi, which links expat and libzip. A caller gets the table by wr_module_load().
 *
 * Thread: any. Real-time: no. */
#ifndef WR_FMI_H
#define WR_FMI_H

#include "subsystems/model_host/fmi/archive.h"
#include "subsystems/model_host/fmi/archive_write.h"
#include "subsystems/model_host/fmi/description_read.h"
#include "subsystems/model_host/fmi/ssp_reader.h"

/* Functions of archive.h, archive_write.h, description.h, description_read.h and ssp_reader.h under short names. */
typedef struct wr_fmi_ops {
    wr_archive *(*archive_open)(const char *path, wrsim_error *err);
    const char *(*archive_description)(const wr_archive *archive, size_t *ret_n_bytes);
    const char *(*archive_platforms)(const wr_archive *archive);
    wrsim_status (*archive_unpack)(wr_archive *archive, wrsim_error *err);
    const char *(*archive_folder)(const wr_archive *archive);
    void (*archive_close)(wr_archive **archive);
    wrsim_status (*archive_write)(const char *path, const wr_archive_entry *entry, int n,
                                  wrsim_error *err);
    wr_description *(*description_read)(const char *file, const char *xml, size_t n_bytes,
                                        wrsim_error *err);
    void (*description_destroy)(wr_description **description);
    const char *(*type_name)(int version, wr_fmi_type type);
    int (*ssp_is_package)(const char *path);
    wr_ssp_system *(*ssp_read)(const char *path, wrsim_error *err);
    void (*ssp_destroy)(wr_ssp_system **system);
} wr_fmi_ops;

#endif
