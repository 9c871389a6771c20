/* The table of providers, and checks of their models. See model_files.h. Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_files/model_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open_file.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/descriptor.h"
#include "subsystems/model_host/provider.h"

enum { MAX_MODELS = 1024, PATH_BYTES = 4200 };

#define WR_X(name) &wr_provider_##name,
static const wr_provider *const providers[] = {WR_PROVIDER_LIST(WR_X) NULL};
#undef WR_X

struct wr_model_files {
    const wr_provider *provider; /* NULL: another object owns the models */
    void *opened;
    const wrsim_model *const *models;
};

int wr_model_files_check(const char *from, const wrsim_model *const *models, const wr_where *where,
                         wr_diag *diag)
{
    int n = 0;
    while (n < MAX_MODELS && models[n])
        n++;
    if (n == MAX_MODELS)
        return wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                           "%s: the list of models has %d entries or more; end the list by NULL",
                           from, MAX_MODELS);
    if (n == 0)
        return wr_diag_add(diag, WRSIM_E_PLUGIN, where, "%s has no models; list at least one",
                           from);
    for (int i = 0; i < n; i++) {
        char text[256];
        if (wr_model_check(models[i], text, sizeof text) < 0)
            return wr_diag_add(diag, WRSIM_E_PLUGIN, where, "%s: %s", from, text);
        for (int j = 0; j < i; j++)
            if (strcmp(models[i]->name, models[j]->name) == 0)
                return wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                                   "%s has two models named '%s'; rename one of them", from,
                                   models[i]->name);
    }
    return n;
}

wr_model_files *wr_model_files_open(const char *path, const wr_where *where, wr_diag *diag)
{
    if (wr_open_file_is_pipe(path)) {
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "plug-in '%s' cannot be opened: the file is a pipe; name a regular file", path);
        return NULL;
    }
    const wr_provider *const *provider = providers;
    while (provider[1] && !(*provider)->recognises(path))
        provider++;
    wr_model_files *provided = calloc(1, sizeof *provided);
    if (!provided) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory for '%s'", path);
        return NULL;
    }
    provided->provider = *provider;
    provided->opened = (*provider)->open(path, where, diag, &provided->models);
    char from[PATH_BYTES];
    snprintf(from, sizeof from, "plug-in '%s'", path);
    wr_calling_begin(path, "checking", (double)NAN); /* lengths in a descriptor may be wrong */
    const int is_refused =
        !provided->opened || wr_model_files_check(from, provided->models, where, diag) < 0;
    wr_calling_end();
    if (is_refused)
        wr_model_files_close(&provided);
    return provided;
}

wr_model_files *wr_model_files_of_list(const wrsim_model *const *models)
{
    wr_model_files *const provided = calloc(1, sizeof *provided);
    if (provided)
        provided->models = models;
    return provided;
}

const wrsim_model *const *wr_model_files_models(const wr_model_files *provided)
{
    return provided->models;
}

const char *wr_model_files_explain(const wr_model_files *provided, const char *name)
{
    const wr_provider *const provider = provided->provider;
    return provider && provider->explain ? provider->explain(provided->opened, name) : NULL;
}

void wr_model_files_close(wr_model_files **provided)
{
    if (!provided || !*provided)
        return;
    if ((*provided)->opened)
        (*provided)->provider->close((*provided)->opened);
    free(*provided);
    *provided = NULL;
}
