/* Opens FMUs as files of models. See provider.h. Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/fmi_provider.h"

#include <stdlib.h>

#include "base/module.h"
#include "subsystems/model_host/fmi/fmi.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/fmi_instance.h"
#include "subsystems/model_host/fmi/me_model.h"

typedef struct fmu {
    const wr_fmi_ops *reader; /* the module fmi */
    wr_archive *archive;
    wr_description *description;
    wr_binary *binary;
    wr_me_model *me;
    const wrsim_model *models[2];
} fmu;

static void close_fmu(void *opened)
{
    fmu *const f = opened;
    wr_me_model_destroy(&f->me);
    wr_binary_close(&f->binary);
    if (f->description)
        f->reader->description_destroy(&f->description);
    if (f->archive)
        f->reader->archive_close(&f->archive);
    free(f);
}

/* Reads the description and opens the binary. Returns 0, or -1 with the reason in err. */
static int open_parts(fmu *f, const char *path, wrsim_error *err)
{
    f->reader = wr_module_load(WR_MODULE_FMI, err);
    f->archive = f->reader ? f->reader->archive_open(path, err) : NULL;
    if (!f->archive)
        return -1;
    size_t n_bytes;
    const char *const xml = f->reader->archive_description(f->archive, &n_bytes);
    f->description = f->reader->description_read("modelDescription.xml", xml, n_bytes, err);
    if (!f->description)
        return -1;
    const wr_fmi_interface *const me = &f->description->interface[WR_FMI_ME];
    if (!me->identifier) {
        wr_error_set(err, WRSIM_E_MODEL,
                     "the FMU has no model exchange, and wrsim runs no other FMUs; export the "
                     "model for model exchange");
        return -1;
    }
    if (f->reader->archive_unpack(f->archive, err) != WRSIM_OK)
        return -1;
    const wr_binary_source source = {.folder = f->reader->archive_folder(f->archive),
                                     .identifier = me->identifier,
                                     .token = f->description->token,
                                     .version = f->description->version,
                                     .uses = wr_fmi_instance_uses(me, WR_FMI_ME),
                                     .is_once = (me->flags & 1U << WR_FMI_ONCE) != 0};
    f->binary = wr_binary_open(&source, err);
    return f->binary ? 0 : -1;
}

static void *open_fmu(const char *path, const wr_where *where, wr_diag *diag,
                      const wrsim_model *const **ret_models)
{
    fmu *const f = calloc(1, sizeof *f);
    wrsim_error err = {0};
    if (!f) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory for '%s'", path);
        return NULL;
    }
    if (open_parts(f, path, &err) < 0)
        wr_diag_add(diag, err.status, where, "FMU '%s': %s", path, err.text);
    else
        f->me = wr_me_model_create(path, f->description, f->binary, where, diag);
    if (!f->me) {
        close_fmu(f);
        return NULL;
    }
    f->models[0] = wr_me_model_descriptor(f->me);
    *ret_models = f->models;
    return f;
}

const wr_provider wr_provider_fmi = {"FMU", wr_fmi_config_is_fmu, open_fmu, close_fmu};
