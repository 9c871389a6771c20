/* Exports configs. See cosim_export.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_export.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/heap_pool.h"
#include "base/module.h"
#include "base/temporary_folder.h"
#include "base/text_file.h"
#include "runtime/cosim/cosim_copy.h"
#include "runtime/cosim/cosim_description.h"
#include "runtime/cosim/cosim_files.h"
#include "runtime/cosim/cosim_variables.h"
#include "runtime/record/own_file.h"
#include "runtime/sim/component_process.h"
#include "runtime/sim/run_files.h"
#include "runtime/sim/simulation.h"
#include "subsystems/model_host/fmi/binary.h"
#include "subsystems/model_host/fmi/fmi.h"

#if defined(__aarch64__)
#define PLATFORM_2 "aarch64-linux"
#define PLATFORM_3 "aarch64-linux"
#else
#define PLATFORM_2 "linux64"
#define PLATFORM_3 "x86_64-linux"
#endif
#define CONFIG "resources/" WR_COSIM_CONFIG

_Static_assert(sizeof CONFIG == sizeof WR_OWN_FMU_FIRST, "the first file marks an FMU of wrsim");

_Static_assert(sizeof((wr_cosim_content *)NULL)->refusal == WR_BINARY_LOG_BYTES, "a whole text");

enum { IDENTIFIER_BYTES = 64 };

/* An FMU in a temporary folder. */
typedef struct package {
    int version;
    wr_temporary_folder folder;
    char identifier[IDENTIFIER_BYTES];
    char token[WR_COSIM_TOKEN_BYTES];
    const char *binaries; /* folder of the binaries in the archive */
    int has_cvode;
    wr_heap_pool *pool;
    wr_cosim_files files;
    wrsim *sim; /* of the config in the package */
    wr_cosim_list *list;
} package;

/* ---- the folder ---- */

static void package_done(package *p)
{
    wrsim_destroy(&p->sim);
    wr_cosim_variables_destroy(&p->list);
    wr_temporary_folder_remove(&p->folder);
    wr_heap_pool_destroy(&p->pool);
}

/* Returns the path of a file of the package, owned by the pool; NULL when out of memory. */
static const char *path_of(const package *p, const char *name)
{
    const size_t n = strlen(p->folder.path) + 1 + strlen(name) + 1;
    char *const path = wr_heap_pool_take(p->pool, n, 1);
    if (path)
        snprintf(path, n, "%s/%s", p->folder.path, name);
    return path;
}

static wrsim_status make_folders(package *p, wrsim_error *err)
{
    char binaries[128];
    WR_TRY(wr_temporary_folder_make(&p->folder, "the FMU cannot be written", err));
    snprintf(binaries, sizeof binaries, "binaries/%s", p->version == 2 ? PLATFORM_2 : PLATFORM_3);
    p->binaries = wr_heap_pool_text(p->pool, binaries, strlen(binaries));
    const char *const folder[] = {path_of(p, "resources"), path_of(p, "binaries"),
                                  p->binaries ? path_of(p, p->binaries) : NULL};
    for (size_t i = 0; i < WR_COUNT_OF(folder); i++) {
        if (!folder[i])
            return wr_error_memory(err);
        if (mkdir(folder[i], 0700) != 0)
            return wr_text_file_fail(folder[i], errno, err);
    }
    return WRSIM_OK;
}

/* Makes the name of the binary from the name of the file: letters, digits and '_'. */
static void name_binary(package *p, const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *from = slash ? slash + 1 : path;
    const size_t n = strcspn(from, ".");
    int k = 0;
    if (n == 0 || isdigit((unsigned char)*from))
        p->identifier[k++] = '_';
    for (size_t i = 0; i < n && k < IDENTIFIER_BYTES - 1; i++)
        p->identifier[k++] =
            (from[i] & 0x80) == 0 && isalnum((unsigned char)from[i]) ? from[i] : '_';
    p->identifier[k] = '\0';
}

/* ---- config and files ---- */

/* Writes the config without results and without the table [realtime], and copies its files. */
static wrsim_status write_config(package *p, const wr_settings *from, wrsim_error *err)
{
    static const char least[] = "simulation.stop = 1";
    wr_diag diag = {0};
    wr_settings *defaults = wr_settings_parse(least, sizeof least - 1, "defaults", NULL, 0, &diag);
    wr_diag_done(&diag);
    if (!defaults)
        return wr_error_memory(err);
    wr_settings set = *from, copy;
    const wr_set_output *const output = &from->output;
    set.output = defaults->output;
    set.output.n_signals = output->n_signals;
    set.output.signals = output->signals;
    set.realtime = defaults->realtime;
    set.slack.log = "";
    p->files = (wr_cosim_files){.folder = path_of(p, "resources"), .pool = p->pool, .err = err};
    const char *const path = path_of(p, CONFIG);
    wrsim_status status = p->files.folder && path ? wr_cosim_files_copy(&set, &p->files, &copy)
                                                  : wr_error_memory(err);
    WR_AUTO_FREE char *const dump =
        status >= 0 ? wr_settings_dump_next(&copy, p->files.folder) : NULL;
    wr_settings_destroy(&defaults);
    WR_TRY(status);
    WR_AUTO_FREE char *const comment = wr_cosim_files_comment(&p->files);
    if (!comment)
        return err->status;
    WR_AUTO_FREE char *text = NULL;
    if (!dump || asprintf(&text, "%s%s", dump, comment) < 0)
        return wr_error_memory(err);
    wr_cosim_variables_token(text, strlen(text), p->token);
    const int error_number = wr_text_file_write(path, text);
    return error_number ? wr_text_file_fail(path, error_number, err) : WRSIM_OK;
}

/* Creates the simulation of the config in the package, and lists its variables. */
static wrsim_status read_config(package *p, wrsim_error *err)
{
    wrsim_config *config = NULL;
    WR_TRY(wrsim_config_from_file(path_of(p, CONFIG), NULL, 0, NULL, NULL, &config, err));
    const wrsim_status status = wrsim_create(config, NULL, NULL, &p->sim, err);
    wrsim_config_destroy(&config);
    WR_TRY(status);
    p->list = wr_cosim_variables_create(p->sim, err);
    return p->list ? WRSIM_OK : err->status;
}

/* ---- binaries ---- */

static wrsim_status copy_binary(const package *p, const char *module, const char *name,
                                wrsim_error *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    char file[64];
    snprintf(file, sizeof file, "wrsim_%s.so", module);
    if (!wr_module_find_file(file, from))
        return wr_error_set(err, WRSIM_E_IO,
                            "the file '%s' does not exist; install wrsim completely, or name the "
                            "folder of its modules in WRSIM_MODULES",
                            from);
    if (snprintf(to, sizeof to, "%s/%s/%s.so", p->folder.path, p->binaries, name) >= (int)sizeof to)
        return wr_text_file_fail(p->folder.path, ENAMETOOLONG, err);
    return wr_cosim_copy(from, to, err);
}

/* Refuses components with a process of their own: an FMU starts no process. */
static wrsim_status refuse_processes(const package *p, wrsim_error *err)
{
    wr_component_process_stats s;
    if (wr_component_process_stats_get(p->sim, 0, &s) != 0)
        return WRSIM_OK;
    return wr_error_set(
        err, WRSIM_E_CONFIG,
        "component.%s.%s: the component has a process of its own, which an exported FMU cannot "
        "start; %s",
        s.component, s.is_needed ? "fmu" : "process",
        s.is_needed ? "use its model once, because the model allows one instance in a process"
                    : "remove the key");
}

static wrsim_status copy_binaries(package *p, wrsim_error *err)
{
    for (int i = 0; i < p->sim->assembly->n_subsystem; i++) {
        const wr_setup *const m = &p->sim->assembly->setup[i];
        p->has_cvode |= m->kind->has_group && m->ode.integrator->module == WR_MODULE_SUNDIALS;
    }
    WR_TRY(copy_binary(p, "cosim", p->identifier, err));
    if (p->has_cvode)
        WR_TRY(copy_binary(p, "cosim_sundials", "wrsim_sundials", err));
    return p->files.has_fmu ? copy_binary(p, "cosim_fmi", "wrsim_fmi", err) : WRSIM_OK;
}

/* Fills err with a message of the FMU. */
static wrsim_status refuse_start(const char *text, wrsim_error *err)
{
    return wr_error_set(err, WRSIM_E_CONFIG, "the exported FMU cannot start: %s", text);
}

/* Creates an instance. Returns NULL with err, which has the messages of the FMU without the advice for foreign FMUs. */
static wr_binary_instance *instantiate(wr_binary *binary, wrsim_error *err)
{
    static const char logs[] = WR_BINARY_LOGS_MARK;
    wr_binary_instance *const instance = wr_binary_instantiate(binary, "exported FMU", err);
    if (instance)
        return instance;
    char text[sizeof err->text];
    const char *const messages = strstr(err->text, logs);
    snprintf(text, sizeof text, "%s", messages ? messages + strlen(logs) : err->text);
    (void)refuse_start(text, err);
    return NULL;
}

/* Starts the FMU, and tries whether it saves its state. */
static wrsim_status try_start(const package *p, int is_once, wr_cosim_content *ret,
                              wrsim_error *err)
{
    const wr_binary_source source = {.folder = p->folder.path,
                                     .identifier = p->identifier,
                                     .token = p->token,
                                     .version = p->version,
                                     .uses =
                                         WR_FMI_NEED_CS | WR_FMI_NEED_STATE | WR_FMI_NEED_SERIALISE,
                                     .is_once = is_once};
    const wr_binary_experiment experiment = {.start_s = p->sim->settings->simulation.start_s,
                                             .stop_s = (double)NAN,
                                             .tolerance = (double)NAN};
    wr_binary *binary = wr_binary_open(&source, err);
    if (!binary)
        return err->status;
    wr_binary_instance *instance = instantiate(binary, err);
    wrsim_status status = instance ? WRSIM_OK : err->status;
    if (instance && (wr_binary_enter_initialisation(instance, &experiment) != WR_BINARY_OK ||
                     wr_binary_exit_initialisation(instance) != WR_BINARY_OK)) {
        char text[WR_BINARY_LOG_BYTES];
        wr_binary_log(instance, text);
        status = refuse_start(text, err);
    }
    void *slot = NULL;
    ret->can_save = status >= 0 && wr_binary_keep(instance, &slot) == WR_BINARY_OK;
    if (status >= 0 && !ret->can_save)
        wr_binary_log(instance, ret->refusal);
    if (slot)
        (void)wr_binary_forget(instance, &slot);
    if (status >= 0)
        (void)wr_binary_terminate(instance);
    if (instance)
        wr_binary_free(&instance);
    wr_binary_close(&binary);
    return status;
}

/* ---- the archive ---- */

static wrsim_status write_description(const package *p, const wr_cosim_content *content,
                                      int is_once, wrsim_error *err)
{
    const wr_set_simulation *const s = &p->sim->settings->simulation;
    const wr_cosim_description d = {.version = p->version,
                                    .identifier = p->identifier,
                                    .token = p->token,
                                    .list = p->list,
                                    .start_s = s->start_s,
                                    .stop_s = s->stop_s,
                                    .step_s = s->communication_step_s,
                                    .tolerance = s->rtol,
                                    .can_save = content->can_save,
                                    .can_vary_steps = content->can_vary_steps,
                                    .is_once = is_once};
    const char *const path = path_of(p, "modelDescription.xml");
    WR_AUTO_FREE char *const text = wr_cosim_description_write(&d);
    if (!path || !text)
        return wr_error_memory(err);
    const int error_number = wr_text_file_write(path, text);
    return error_number ? wr_text_file_fail(path, error_number, err) : WRSIM_OK;
}

static wrsim_status write_archive(const package *p, const char *path, wrsim_error *err)
{
    enum { N_OWN = 5 };
    const wr_fmi_ops *const fmi = wr_module_load(WR_MODULE_FMI, err);
    if (!fmi)
        return err->status;
    wr_archive_entry *const entry =
        wr_heap_pool_take(p->pool, (size_t)p->files.n + N_OWN, sizeof *entry);
    const size_t n_folder = strlen(p->folder.path) + 1;
    char name[128 + IDENTIFIER_BYTES];
    int n = 0;
    if (!entry)
        return wr_error_memory(err);
    entry[n++] = (wr_archive_entry){.path = path_of(p, CONFIG)};
    entry[n++] = (wr_archive_entry){.path = path_of(p, "modelDescription.xml")};
    snprintf(name, sizeof name, "%s/%s.so", p->binaries, p->identifier);
    entry[n++] = (wr_archive_entry){.path = path_of(p, name), .is_program = 1};
    snprintf(name, sizeof name, "%s/wrsim_sundials.so", p->binaries);
    if (p->has_cvode)
        entry[n++] = (wr_archive_entry){.path = path_of(p, name), .is_program = 1};
    snprintf(name, sizeof name, "%s/wrsim_fmi.so", p->binaries);
    if (p->files.has_fmu)
        entry[n++] = (wr_archive_entry){.path = path_of(p, name), .is_program = 1};
    for (int i = 0; i < p->files.n; i++)
        if (!p->files.file[i].is_folder)
            entry[n++] = (wr_archive_entry){.path = p->files.file[i].copy};
    if (wr_heap_pool_is_short(p->pool))
        return wr_error_memory(err);
    for (int i = 0; i < n; i++)
        entry[i].name = entry[i].path + n_folder;
    return fmi->archive_write(path, entry, n, err);
}

static void count(const package *p, wr_cosim_content *to)
{
    for (int i = 0; i < p->list->n; i++) {
        const wr_cosim_variable *const v = &p->list->variable[i];
        to->n_input += v->role == WR_COSIM_INPUT;
        to->n_output += v->role == WR_COSIM_PORT;
        to->n_tunable +=
            v->role == WR_COSIM_SWITCH || v->role == WR_COSIM_VALUE || v->role == WR_COSIM_TUNABLE;
        to->n_parameter += v->role == WR_COSIM_PARAMETER;
        to->n_signal += v->role == WR_COSIM_SIGNAL;
    }
    for (int i = 0; i < p->files.n; i++)
        to->n_file += p->files.file[i].from != NULL;
    to->can_vary_steps = 1;
    for (int i = 0; i < p->sim->assembly->n_subsystem; i++)
        if (p->sim->assembly->setup[i].subsystem->flags & WR_SUBSYSTEM_GRID_ONLY)
            to->can_vary_steps = 0;
}

/* Returns 1 if a model allows one instance in a process only. */
static int is_once(const wrsim *sim)
{
    for (int i = 0; i < sim->assembly->n_component; i++)
        if (sim->assembly->component[i]->model->caps & WRSIM_CAP_ONE_INSTANCE)
            return 1;
    return 0;
}

static wrsim_status export_to(package *p, const wrsim *sim, const char *path, wr_cosim_content *ret,
                              wrsim_error *err)
{
    p->pool = wr_heap_pool_create(NULL);
    if (!p->pool)
        return wr_error_memory(err);
    name_binary(p, path);
    WR_TRY(make_folders(p, err));
    WR_TRY(write_config(p, sim->settings, err));
    WR_TRY(read_config(p, err));
    WR_TRY(refuse_processes(p, err));
    WR_TRY(copy_binaries(p, err));
    const int once = is_once(p->sim);
    count(p, ret);
    ret->has_realtime = wr_settings_is_realtime(sim->settings);
    WR_TRY(try_start(p, once, ret, err));
    WR_TRY(write_description(p, ret, once, err));
    return write_archive(p, path, err);
}

wrsim_status wr_cosim_export(const wrsim *sim, int version, const char *path, wr_cosim_content *ret,
                             wrsim_error *err)
{
    const char *const extension = strrchr(path, '.');
    if (!extension || strcasecmp(extension, ".fmu") != 0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "the FMU '%s' must have the extension .fmu; choose another name", path);
    const char *const input = wr_run_files_input(sim->settings, path);
    if (input)
        return wr_error_set(err, WRSIM_E_IO,
                            "'%s' is %s, which the export would overwrite; choose another name by "
                            "-o",
                            path, input);
    const char *const refusal = wr_own_file_refusal(path, WR_OWN_FMU);
    if (refusal)
        return wr_error_set(err, WRSIM_E_IO,
                            "'%s' exists and is not %s, so it is not overwritten; choose another "
                            "name, or remove the file",
                            path, refusal);
    package p = {.version = version};
    *ret = (wr_cosim_content){0};
    const wrsim_status status = export_to(&p, sim, path, ret, err);
    package_done(&p);
    return status;
}
