/* Opens binaries of FMUs, and has the parts that both versions share. See binary.h. Thread: as binary.h. Real-time: as binary.h. */
#include "subsystems/model_host/fmi/binary.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/fmi/binary_call.h"
#include "subsystems/model_host/fmi/binary_parts.h"
#include "subsystems/model_host/shared_object.h"

/* Joins start, folder, "/", middle and end. Returns NULL when out of memory. */
static char *join(const char *start, const char *folder, const char *middle, const char *end)
{
    char *text = NULL;
    return asprintf(&text, "%s%s/%s%s", start, folder, middle, end) < 0 ? NULL : text;
}

/* Returns a path as a file URI with percent-encoded bytes (RFC 3986, section 2.1), or NULL when out of memory. */
static char *as_uri(const char *path)
{
    char *const uri = malloc(sizeof "file://" + 3 * strlen(path));
    if (!uri)
        return NULL;
    char *to = stpcpy(uri, "file://");
    for (; *path; path++)
        if (strchr("/-._~", *path) || (*path >= '0' && *path <= '9') ||
            (*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z'))
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*path);
    *to = 0;
    return uri;
}

/* Finds the functions that the uses need. Returns 0, or -1 with the first missing function in err. */
static int find_functions(wr_binary *binary, wrsim_error *err)
{
    for (size_t i = 0; i < binary->ops->n_symbol; i++) {
        const wr_binary_symbol *const symbol = &binary->ops->symbol[i];
        if (!(symbol->need & binary->uses))
            continue;
        void *const found = dlsym(binary->library->handle, symbol->name);
        if (!found) {
            wr_error_set(err, WRSIM_E_PLUGIN,
                         "'%s' lacks the function '%s' of FMI %s, which the description of the FMU "
                         "requires; export the FMU again",
                         binary->inner, symbol->name, binary->ops->version);
            return -1;
        }
        memcpy((char *)binary->functions + symbol->place, &found, sizeof found);
    }
    return 0;
}

static int check_version(wr_binary *binary, wrsim_error *err)
{
    wr_calling_begin(binary->file, "GetVersion", (double)NAN);
    const char *const version = binary->ops->version_of(binary);
    const char *const types = binary->ops->other_types(binary);
    wr_calling_end();
    const size_t n = strlen(binary->ops->version);
    if (!version || strncmp(version, binary->ops->version, n) != 0 ||
        (version[n] != 0 && version[n] != '.')) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' reports FMI version '%.32s', but the description of the FMU says %s; "
                     "export the FMU again",
                     binary->inner, version ? version : "", binary->ops->version);
        return -1;
    }
    if (types) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' reports the types platform '%.32s', but wrsim needs 'default'; export "
                     "the FMU for this types platform",
                     binary->inner, types);
        return -1;
    }
    return 0;
}

static int open_file(wr_binary *binary, const char *path, wrsim_error *err)
{
    char reason[WR_SHARED_OBJECT_BYTES];
    if (access(path, F_OK) != 0) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "the FMU has no binary '%s'; export the FMU for Linux on x86-64",
                     binary->inner);
        return -1;
    }
    void *const handle = wr_shared_object_open(path, WR_SHARED_OBJECT_ISOLATED, reason);
    if (!handle) {
        /* A text of glibc: many binaries with thread-local variables fill a fixed area of the process. */
        wr_error_set(err, WRSIM_E_PLUGIN, "the binary '%s' of the FMU cannot be opened: %s; %s",
                     binary->inner, reason,
                     strstr(reason, "static TLS")
                         ? "the process has too many such FMUs, so set process = \"own\" in "
                           "[[component]] of some FMUs"
                         : "install a missing library, or export the FMU again");
        return -1;
    }
    binary->library = wr_binary_library_join(handle, binary->token);
    if (!binary->library) {
        dlclose(handle);
        wr_error_memory(err);
        return -1;
    }
    if (!wr_binary_library_is_dead(binary->library))
        return 0;
    wr_error_set(err, WRSIM_E_PLUGIN,
                 "the FMU of '%s' has reported a fatal error, so the process cannot use it again; "
                 "start the program again",
                 binary->inner);
    return -1;
}

wr_binary *wr_binary_open(const wr_binary_source *source, wrsim_error *err)
{
    wr_binary *binary = calloc(1, sizeof *binary);
    if (!binary) {
        wr_error_memory(err);
        return NULL;
    }
    binary->ops = source->version == 2 ? &wr_binary_fmi2 : &wr_binary_fmi3;
    binary->uses = source->uses;
    binary->is_once = source->is_once;
    binary->inner = join("", binary->ops->platform, source->identifier, ".so");
    char *const path = binary->inner ? join("", source->folder, binary->inner, "") : NULL;
    char *const resources = join("", source->folder, "resources", source->version == 2 ? "" : "/");
    binary->resources = resources && source->version == 2 ? as_uri(resources) : resources;
    if (binary->resources != resources)
        free(resources);
    binary->token = strdup(source->token);
    binary->file = strdup(source->file ? source->file : source->identifier);
    binary->functions = calloc(1, binary->ops->table_bytes);
    int is_open = 0;
    if (!path || !binary->file || !binary->resources || !binary->token || !binary->functions)
        wr_error_memory(err);
    else
        is_open = open_file(binary, path, err) == 0 && find_functions(binary, err) == 0 &&
                  check_version(binary, err) == 0;
    free(path);
    if (!is_open)
        wr_binary_close(&binary);
    return binary;
}

void wr_binary_close(wr_binary **binary)
{
    wr_binary *const b = *binary;
    if (!b)
        return;
    void *const handle = b->library ? b->library->handle : NULL;
    if (handle && wr_binary_library_leave(b->library)) {
        wr_calling_begin(b->file, "closing", (double)NAN);
        dlclose(handle);
        wr_calling_end();
    }
    free(b->inner);
    free(b->file);
    free(b->resources);
    free(b->token);
    free(b->functions);
    free(b);
    *binary = NULL;
}

void wr_binary_log(wr_binary_instance *instance, char ret_text[WR_BINARY_LOG_BYTES])
{
    pthread_mutex_lock(&instance->lock);
    memcpy(ret_text, instance->log, WR_BINARY_LOG_BYTES);
    pthread_mutex_unlock(&instance->lock);
}

/* The current folder and the locale of the process, which an FMU may change at the start. */
typedef struct process {
    int folder;   /* open folder; -1: unknown */
    char *locale; /* NULL: unknown */
} process;

static process keep_process(void)
{
    const char *const locale = setlocale(LC_ALL, NULL);
    return (process){.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC),
                     .locale = locale ? strdup(locale) : NULL};
}

/* Restores the folder and the locale. Returns the given status. */
static wr_binary_status restore_process(process *kept, wr_binary_status status)
{
    if (kept->folder >= 0) {
        (void)!fchdir(kept->folder); /* after a failure the run goes on in the FMU's folder */
        (void)close(kept->folder);
    }
    if (kept->locale && strcmp(setlocale(LC_ALL, NULL), kept->locale) != 0)
        (void)setlocale(LC_ALL, kept->locale);
    free(kept->locale);
    return status;
}

wr_binary_instance *wr_binary_instantiate(wr_binary *binary, const char *name, wrsim_error *err)
{
    wr_binary_instance *instance = calloc(1, sizeof *instance);
    if (!instance) {
        wr_error_memory(err);
        return NULL;
    }
    instance->binary = binary;
    instance->t_s = (double)NAN;
    pthread_mutex_init(&instance->lock, NULL);
    instance->name = strdup(name);
    instance->owner = strdup(wr_calling_now.callback ? wr_calling_now.owner : name);
    if (!instance->name || !instance->owner) {
        wr_error_memory(err);
        goto fail;
    }
    if (wr_binary_library_claim(binary->library, binary->is_once) != 0) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' is a second instance of an FMU that allows one instance per process; "
                     "set process = \"own\" in [[component]] of '%s'",
                     name, name);
        goto fail;
    }
    instance->is_counted = 1;
    if (!wr_binary_library_is_dead(binary->library)) {
        process before = keep_process();
        binary->ops->instantiate(instance);
        (void)restore_process(&before, WR_BINARY_OK);
    } else
        wr_binary_store_log(instance,
                            "the FMU has reported a fatal error; start the program again");
    if (instance->fmu)
        return instance;
    /* The text of the FMU may be long or faulty, so the text is last. */
    wr_error_set(
        err, WRSIM_E_PLUGIN,
        "'%s' cannot be instantiated from '%s'; check that modelDescription.xml belongs to "
        "the binary (%s), and check the licence and the resources%s%s",
        name, binary->inner, binary->ops == &wr_binary_fmi2 ? "guid" : "instantiationToken",
        instance->log[0] ? WR_BINARY_LOGS_MARK : "; the FMU logs no reason", instance->log);
fail:
    wr_binary_free(&instance);
    return NULL;
}

void wr_binary_free(wr_binary_instance **instance)
{
    wr_binary_instance *const i = *instance;
    if (!i)
        return;
    wr_binary_library *const library = i->binary->library;
    if (i->fmu && wr_binary_library_is_dead(library)) {
        i->next = wr_binary_library_lose(library, i);
        *instance = NULL;
        return;
    }
    if (i->fmu)
        i->binary->ops->free(i);
    if (i->is_counted)
        wr_binary_library_release(library);
    pthread_mutex_destroy(&i->lock);
    free(i->name);
    free(i->owner);
    free(i->scratch);
    free(i->callbacks);
    free(i);
    *instance = NULL;
}

/* A successful reset, or a return to a kept state, makes an instance usable again after an error. Returns the given status. */
static wr_binary_status usable_again(wr_binary_instance *instance, wr_binary_status status)
{
    if (status == WR_BINARY_OK)
        instance->has_failed = 0;
    return status;
}

static int is_number(wr_fmi_type type)
{
    return type != WR_FMI_STRING && type != WR_FMI_BINARY && type != WR_FMI_CLOCK;
}

wr_binary_status wr_binary_enter_initialisation(wr_binary_instance *instance,
                                                const wr_binary_experiment *experiment)
{
    process before = keep_process();
    instance->t_s = experiment->start_s;
    return restore_process(&before,
                           instance->binary->ops->enter_initialisation(instance, experiment));
}

wr_binary_status wr_binary_exit_initialisation(wr_binary_instance *instance)
{
    process before = keep_process();
    return restore_process(&before, instance->binary->ops->exit_initialisation(instance));
}

wr_binary_status wr_binary_enter_events(wr_binary_instance *instance)
{
    return instance->binary->ops->enter_events(instance);
}

wr_binary_status wr_binary_update_discrete(wr_binary_instance *instance, wr_binary_update *ret)
{
    const wr_binary_status status = instance->binary->ops->update_discrete(instance, ret);
    return status == WR_BINARY_OK && isnan(ret->next_time_s)
               ? wr_binary_refuse(instance, "the FMU reports NaN as the time of its next event")
               : status;
}

wr_binary_status wr_binary_leave_events(wr_binary_instance *instance)
{
    return instance->binary->ops->leave_events(instance);
}

wr_binary_status wr_binary_terminate(wr_binary_instance *instance)
{
    if (instance->has_failed)
        return wr_binary_refuse(instance, "after an error the FMU cannot be terminated");
    return instance->binary->ops->terminate(instance);
}

wr_binary_status wr_binary_reset(wr_binary_instance *instance)
{
    return usable_again(instance, instance->binary->ops->reset(instance));
}

wr_binary_status wr_binary_get(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, double *value, int n_value)
{
    if (n == 0)
        return WR_BINARY_OK;
    return is_number(type) ? instance->binary->ops->get(instance, type, number, n, value, n_value)
                           : wr_binary_refuse(instance, "the variable is not a number");
}

wr_binary_status wr_binary_set(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, const double *value, int n_value)
{
    if (n == 0)
        return WR_BINARY_OK;
    return is_number(type) ? instance->binary->ops->set(instance, type, number, n, value, n_value)
                           : wr_binary_refuse(instance, "the variable is not a number");
}

wr_binary_status wr_binary_set_point(wr_binary_instance *instance, const wr_binary_point *point,
                                     const char **ret_failed)
{
    if (point->has_time)
        instance->t_s = point->t_s;
    return instance->binary->ops->set_point(instance, point, ret_failed);
}

wr_binary_status wr_binary_set_time(wr_binary_instance *instance, double t_s)
{
    const char *failed;
    return wr_binary_set_point(instance, &(wr_binary_point){.has_time = 1, .t_s = t_s}, &failed);
}

wr_binary_status wr_binary_set_states(wr_binary_instance *instance, const double *x, int n)
{
    const char *failed;
    return n == 0 ? WR_BINARY_OK
                  : wr_binary_set_point(instance, &(wr_binary_point){.x = x, .n_x = n}, &failed);
}

wr_binary_status wr_binary_get_states(wr_binary_instance *instance, double *x, int n)
{
    return n == 0 ? WR_BINARY_OK : instance->binary->ops->get_states(instance, x, n);
}

wr_binary_status wr_binary_get_nominals(wr_binary_instance *instance, double *nominal, int n)
{
    const wr_binary_status status =
        n == 0 ? WR_BINARY_OK : instance->binary->ops->get_nominals(instance, nominal, n);
    for (int k = 0; k < n && status == WR_BINARY_OK; k++) {
        if (!isfinite(nominal[k]))
            return wr_binary_refuse(instance, "a nominal value of a state is not finite");
        nominal[k] = nominal[k] == 0 ? 1 : fabs(nominal[k]); /* as in the description */
    }
    return status;
}

wr_binary_status wr_binary_get_derivatives(wr_binary_instance *instance, double *dx, int n)
{
    return n == 0 ? WR_BINARY_OK : instance->binary->ops->get_derivatives(instance, dx, n);
}

wr_binary_status wr_binary_get_indicators(wr_binary_instance *instance, double *z, int n)
{
    return n == 0 ? WR_BINARY_OK : instance->binary->ops->get_indicators(instance, z, n);
}

wr_binary_status wr_binary_step_completed(wr_binary_instance *instance, int may_forget,
                                          wr_binary_step *ret)
{
    return instance->binary->ops->step_completed(instance, may_forget, ret);
}

wr_binary_status wr_binary_do_step(wr_binary_instance *instance, double t_s, double h_s,
                                   int may_forget, wr_binary_step *ret)
{
    instance->t_s = t_s;
    return instance->binary->ops->do_step(instance, t_s, h_s, may_forget, ret);
}

wr_binary_status wr_binary_set_input_derivatives(wr_binary_instance *instance,
                                                 const uint32_t *number, int n, const double *value)
{
    return n == 0 ? WR_BINARY_OK
                  : instance->binary->ops->set_input_derivatives(instance, number, n, value);
}

wr_binary_status wr_binary_keep(wr_binary_instance *instance, void **slot)
{
    return instance->binary->ops->keep(instance, slot);
}

wr_binary_status wr_binary_go_back(wr_binary_instance *instance, void *slot)
{
    return usable_again(instance, instance->binary->ops->go_back(instance, slot));
}

wr_binary_status wr_binary_forget(wr_binary_instance *instance, void **slot)
{
    if (!*slot)
        return WR_BINARY_OK;
    const wr_binary_status status = instance->binary->ops->forget(instance, slot);
    if (status == WR_BINARY_OK)
        *slot = NULL;
    return status;
}

wr_binary_status wr_binary_state_bytes(wr_binary_instance *instance, void *slot,
                                       size_t *ret_n_bytes)
{
    return instance->binary->ops->state_bytes(instance, slot, ret_n_bytes);
}

wr_binary_status wr_binary_write_state(wr_binary_instance *instance, void *slot, void *bytes,
                                       size_t n_bytes)
{
    return instance->binary->ops->write_state(instance, slot, bytes, n_bytes);
}

wr_binary_status wr_binary_read_state(wr_binary_instance *instance, const void *bytes,
                                      size_t n_bytes, void **slot)
{
    return instance->binary->ops->read_state(instance, bytes, n_bytes, slot);
}

wr_binary_status wr_binary_directional(wr_binary_instance *instance, const uint32_t *unknown,
                                       int n_unknown, const uint32_t *known, int n_known,
                                       const double *seed, double *sensitivity)
{
    if (n_unknown == 0)
        return WR_BINARY_OK;
    return instance->binary->ops->directional(instance, unknown, n_unknown, known, n_known, seed,
                                              sensitivity);
}
