/* The table of the module fmi. See fmi.h. Thread: any. Real-time: no. */
#include "base/module.h"
#include "subsystems/model_host/fmi/fmi.h"

static const wr_fmi_ops operations = {.archive_open = wr_archive_open,
                                      .archive_description = wr_archive_description,
                                      .archive_platforms = wr_archive_platforms,
                                      .archive_unpack = wr_archive_unpack,
                                      .archive_folder = wr_archive_folder,
                                      .archive_close = wr_archive_close,
                                      .archive_write = wr_archive_write,
                                      .description_read = wr_description_read,
                                      .description_destroy = wr_description_destroy,
                                      .type_name = wr_description_type_name,
                                      .ssp_is_package = wr_ssp_reader_is_package,
                                      .ssp_read = wr_ssp_reader_read,
                                      .ssp_destroy = wr_ssp_reader_destroy};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &operations};
