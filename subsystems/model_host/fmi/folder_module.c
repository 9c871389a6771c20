/* The table of the module fmi in exported FMUs, which reads unpacked FMUs only. See fmi.h. Thread: any. Real-time: no. */
#include "base/module.h"
#include "subsystems/model_host/fmi/fmi.h"

static const wr_fmi_ops operations = {.archive_open = wr_archive_open,
                                      .archive_description = wr_archive_description,
                                      .archive_platforms = wr_archive_platforms,
                                      .archive_unpack = wr_archive_unpack,
                                      .archive_folder = wr_archive_folder,
                                      .archive_close = wr_archive_close,
                                      .description_read = wr_description_read,
                                      .description_destroy = wr_description_destroy,
                                      .type_name = wr_description_type_name};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &operations};
