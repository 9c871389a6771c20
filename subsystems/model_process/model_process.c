/* The models of a process of a component. See model_process.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_process/model_process.h"

#include <stdlib.h>
#include <string.h>

#include "subsystems/model_process/process_proxy.h"
#include "subsystems/model_process/process_setup.h"
#include "wrsim/version.h"

enum { MOST_MODELS = 1024, MOST_PARAMETERS = 1 << 24 };

struct wr_model_process {
    wr_process_parts parts;
    wr_message_reader text; /* texts of the models */
    int n_model;
    wr_process_model *model;    /* [n_model] */
    const wrsim_model **models; /* [n_model + 1] */
};

/* ---- the list of models ---- */

static void free_model(wr_process_model *m)
{
    for (int i = 0; m->choices && i < m->model.n_param; i++)
        free(m->choices[i]);
    free(m->choices);
    free(m->params);
}

/* Reads a model of the list. Returns 0, or -1. */
static int read_model(wr_model_process *p, wr_process_model *m, wr_message_reader *from)
{
    m->process = &p->parts;
    m->number = p->n_model;
    m->model = (wrsim_model){.abi = WRSIM_MODEL_ABI,
                             .struct_size = sizeof m->model,
                             .name = wr_message_get_text(from),
                             .user = m};
    m->model.description = wr_message_get_text(from);
    const unsigned caps = (unsigned)wr_message_get_int(from);
    m->model.caps = caps & ~(unsigned)WRSIM_CAP_RT_SAFE;
    wr_process_proxy_fill(m, (unsigned)wr_message_get_int(from));
    const int n = wr_message_get_int(from);
    if (n < 0 || n > MOST_PARAMETERS || from->is_short)
        return -1;
    m->params = calloc((size_t)n + 1, sizeof *m->params);
    m->choices = calloc((size_t)n + 1, sizeof *m->choices);
    p->n_model++;
    if (!m->params || !m->choices)
        return -1;
    m->model.params = n > 0 ? m->params : NULL;
    for (m->model.n_param = 0; m->model.n_param < n; m->model.n_param++)
        wr_message_get_variable(from, &m->params[m->model.n_param], &m->choices[m->model.n_param]);
    return from->is_short ? -1 : 0;
}

/* Reads the version and the models. Returns 0, or -1 with the reason in diag. */
static int read_models(wr_model_process *p, const char *path, const wr_where *where, wr_diag *diag)
{
    wr_message_reader *const from = &p->text;
    if (wr_message_receive(p->parts.link.socket, from) < 0) {
        wr_process_link_note_end(&p->parts.link, "the opening of its file");
        wr_diag_add(diag, WRSIM_E_MODEL, where, "'%s': %s", path ? path : "the built-in models",
                    p->parts.link.message);
        return -1;
    }
    const char *const version = wr_message_get_text(from);
    const int channel_bytes =
        wr_message_get_int(from); /* differs between some states of a source tree */
    if (!version || strcmp(version, WRSIM_VERSION_STRING) != 0 ||
        channel_bytes != (int)sizeof(wr_process_channel)) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "the program '" WR_PROCESS_PROGRAM "' belongs to wrsim %s, but this program is "
                    "wrsim %s; install wrsim completely",
                    version ? version : "?", WRSIM_VERSION_STRING);
        return -1;
    }
    const int n_error = wr_message_get_int(from);
    for (int i = 0; i < n_error && !from->is_short; i++) {
        const wrsim_status status = (wrsim_status)wr_message_get_int(from);
        wr_diag_add(diag, status < 0 ? status : WRSIM_E_PLUGIN, where, "%s",
                    wr_message_get_text(from));
    }
    const int n = wr_message_get_int(from);
    if (n_error != 0)
        return -1;
    const int is_valid = n > 0 && n <= MOST_MODELS && !from->is_short;
    p->model = is_valid ? calloc((size_t)n, sizeof *p->model) : NULL;
    p->models = is_valid ? calloc((size_t)n + 1, sizeof *p->models) : NULL;
    int status = p->model && p->models ? 0 : -1;
    for (int i = 0; i < n && status == 0; i++) {
        status = read_model(p, &p->model[i], from);
        p->models[i] = &p->model[i].model;
    }
    if (status < 0)
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory for the models of a process");
    return status;
}

wr_model_process *wr_model_process_start(const char *path, const wr_where *where, wr_diag *diag)
{
    wrsim_error err = {0};
    wr_model_process *p = calloc(1, sizeof *p);
    if (!p) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory for a process");
        return NULL;
    }
    if (wr_process_link_start(&p->parts.link, path, &err) < 0)
        wr_diag_add(diag, err.status, where, "%s", err.text);
    else if (read_models(p, path, where, diag) == 0)
        return p;
    wr_model_process_end(&p);
    return NULL;
}

const wrsim_model *const *wr_model_process_models(const wr_model_process *process)
{
    return process->models;
}

void wr_model_process_end(wr_model_process **process)
{
    if (!process || !*process)
        return;
    wr_model_process *const p = *process;
    wr_process_parts_done(&p->parts);
    for (int i = 0; i < p->n_model; i++)
        free_model(&p->model[i]);
    wr_message_done(&p->text);
    free(p->model);
    free(p->models);
    free(p);
    *process = NULL;
}

const char *wr_model_process_explain(wr_model_process *process, const char *name)
{
    return wr_process_requests_explain(&process->parts, name);
}

void wr_model_process_take_sizes(wr_model_process *process, const wr_component *component)
{
    wr_process_requests_take_sizes(&process->parts, component);
}

void wr_model_process_set_waits(wr_model_process *process, const wr_process_waits *waits)
{
    wr_process_link_set_waits(&process->parts.link, waits);
}

wr_process_counts wr_model_process_count(const wr_model_process *process)
{
    return process->parts.link.counts;
}
