/* Opens FMUs as files of models. See provider.h.
 *
 * A file has a model of model exchange, a model of co-simulation, or both in this order. Only models of co-simulation have a stepper. An FMU
 * with event mode has one more model, which runs co-simulation without event mode.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/provider.h"

#include <stdlib.h>
#include <string.h>

#include "base/module.h"
#include "subsystems/model_host/descriptor.h"
#include "subsystems/model_host/fmi/cs_model.h"
#include "subsystems/model_host/fmi/fmi.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/fmi_instance.h"
#include "subsystems/model_host/fmi/fmi_variables.h"
#include "subsystems/model_host/fmi/me_model.h"

enum { MOST_IDENTIFIER = 114 /* characters of a model's name (descriptor.c) without suffixes */ };

enum { WITH_EVENTS, WITHOUT_EVENTS, N_CS };
enum { N_MODEL = 1 + N_CS };

typedef struct fmu {
    const wr_fmi_ops *reader; /* the module fmi */
    wr_archive *archive;
    wr_description *description;
    wr_fmi_interface without_events; /* of co-simulation */
    wr_binary *binary[N_MODEL];
    wr_me_model *me;
    wr_cs_model *cs[N_CS];
    const wrsim_model *models[N_MODEL + 1];
    int n_model;
} fmu;

static void close_fmu(void *opened)
{
    fmu *const f = opened;
    wr_me_model_destroy(&f->me);
    for (int k = 0; k < N_CS; k++)
        wr_cs_model_destroy(&f->cs[k]);
    for (int k = 0; k < N_MODEL; k++)
        wr_binary_close(&f->binary[k]);
    if (f->description)
        f->reader->description_destroy(&f->description);
    if (f->archive)
        f->reader->archive_close(&f->archive);
    free(f);
}

/* Opens the binary for a kind of the FMU at path, and makes the model. interface: of this kind. Returns 0, or -1 with the reason in err. */
static int open_kind(fmu *f, const char *path, wr_fmi_kind kind, const wr_fmi_interface *interface,
                     wrsim_error *err)
{
    const wr_description *const d = f->description;
    if (strlen(interface->identifier) > MOST_IDENTIFIER ||
        !wr_model_is_name(interface->identifier, "")) {
        wr_error_set(err, WRSIM_E_MODEL,
                     "the FMU has the modelIdentifier '%.*s'; use a letter or _, then letters, "
                     "digits and _, at most %d characters, and export the FMU again",
                     MOST_IDENTIFIER, interface->identifier, MOST_IDENTIFIER);
        return -1;
    }
    const wr_binary_source source = {.folder = f->reader->archive_folder(f->archive),
                                     .file = path,
                                     .identifier = interface->identifier,
                                     .token = d->token,
                                     .version = d->version,
                                     .uses = wr_fmi_instance_uses(interface, kind),
                                     .is_once = (interface->flags & 1U << WR_FMI_ONCE) != 0};
    wr_binary *const binary = f->binary[f->n_model] = wr_binary_open(&source, err);
    if (!binary)
        return -1;
    const wrsim_model *model = NULL;
    if (kind == WR_FMI_ME) {
        f->me = wr_me_model_create(d, binary);
        model = f->me ? wr_me_model_descriptor(f->me) : NULL;
    } else {
        static const char *const suffixes[2][N_CS] = {{"", ".no_events"}, {".cs", ".cs.no_events"}};
        const int i = interface == &f->without_events ? WITHOUT_EVENTS : WITH_EVENTS;
        f->cs[i] = wr_cs_model_create(d, interface, binary, suffixes[f->me != NULL][i]);
        model = f->cs[i] ? wr_cs_model_descriptor(f->cs[i]) : NULL;
    }
    if (!model) {
        wr_error_memory(err);
        return -1;
    }
    f->models[f->n_model++] = model;
    return 0;
}

/* Reads the description, and opens the kinds of the FMU. Returns 0, or -1 with the reason in err. */
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
    const wr_fmi_interface *const interface = f->description->interface;
    const char *const why =
        wr_fmi_config_obstacle(f->description, f->reader->archive_platforms(f->archive));
    if (why) {
        wr_error_set(err, WRSIM_E_MODEL, "wrsim cannot run the FMU: %s", why);
        return -1;
    }
    if (f->reader->archive_unpack(f->archive, err) != WRSIM_OK)
        return -1;
    for (int kind = WR_FMI_ME; kind <= WR_FMI_CS; kind++)
        if (interface[kind].identifier &&
            open_kind(f, path, (wr_fmi_kind)kind, &interface[kind], err) < 0)
            return -1;
    f->without_events = interface[WR_FMI_CS];
    f->without_events.flags &= ~(1U << WR_FMI_EVENT_MODE);
    return interface[WR_FMI_CS].flags & 1U << WR_FMI_EVENT_MODE
               ? open_kind(f, path, WR_FMI_CS, &f->without_events, err)
               : 0;
}

static const char *explain(void *opened, const char *name)
{
    const wr_description *const d = ((const fmu *)opened)->description;
    int i = 0;
    while (i < d->n_variable && strcmp(d->variable[i].name, name) != 0)
        i++;
    if (i == d->n_variable)
        return NULL;
    const wr_fmi_variable *const v = &d->variable[i];
    if (v->causality == WR_FMI_INPUT || v->causality == WR_FMI_OUTPUT)
        return NULL;
    if (v->variability == WR_FMI_CONSTANT)
        return "is a constant of the FMU; remove the value";
    if (!wr_fmi_variables_is_number(v))
        return "is no number, and wrsim sets numbers only; set the value in the model, and export "
               "the FMU again";
    if (v->causality == WR_FMI_STRUCTURAL_PARAMETER)
        return "is a structural parameter, which keeps its start value in wrsim; remove the value";
    if (v->causality == WR_FMI_CALCULATED_PARAMETER)
        return "is a calculated parameter, which the FMU computes; set other parameters";
    if (v->causality == WR_FMI_PARAMETER && v->n_dimension > 0)
        return "is an array; set its elements, such as 'NAME[1]'";
    return NULL;
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
    if (open_parts(f, path, &err) < 0) {
        wr_diag_add(diag, err.status, where, "FMU '%s': %s", path, err.text);
        close_fmu(f);
        return NULL;
    }
    *ret_models = f->models;
    return f;
}

const wr_provider wr_provider_fmi = {"FMU", wr_fmi_config_is_fmu, open_fmu, explain, close_fmu};
