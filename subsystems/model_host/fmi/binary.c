/* Opens binaries of FMUs, and holds what both versions of FMI share. See binary.h. Thread: as binary.h. Real-time: as binary.h. */
#include "subsystems/model_host/fmi/binary.h"

#include <dlfcn.h>
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

/* Instances of FMUs that allow one instance per process. */
static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static wr_binary_instance *once_first;

/* Returns folder/middle/file, or NULL. */
static char *join(const char *start, const char *folder, const char *middle, const char *end)
{
    char *text = NULL;
    return asprintf(&text, "%s%s/%s%s", start, folder, middle, end) < 0 ? NULL : text;
}

/* Returns a path as a file URI (RFC 3986, section 2), or NULL. */
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

/* Finds the functions of the binary. Returns 0, or -1 with the first missing function in err. */
static int find_functions(wr_binary *binary, wrsim_error *err)
{
    for (size_t i = 0; i < binary->ops->n_symbol; i++) {
        const wr_binary_symbol *const symbol = &binary->ops->symbol[i];
        void *const found = dlsym(binary->handle, symbol->name);
        if (!found && (symbol->need & binary->uses)) {
            wr_error_set(err, WRSIM_E_PLUGIN,
                         "'%s' lacks the function '%s' of FMI %s, which the description of the FMU "
                         "requires; export the FMU again",
                         binary->path, symbol->name, binary->ops->version);
            return -1;
        }
        memcpy((char *)binary->functions + symbol->place, &found, sizeof found);
    }
    return 0;
}

static int check_version(wr_binary *binary, wrsim_error *err)
{
    wr_calling_begin(binary->path, "GetVersion", (double)NAN);
    const char *const version = binary->ops->version_of(binary);
    const char *const types = binary->ops->other_types(binary);
    wr_calling_end();
    const size_t n = strlen(binary->ops->version);
    if (!version || strncmp(version, binary->ops->version, n) != 0 ||
        (version[n] != 0 && version[n] != '.')) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' reports FMI version '%.32s', but the description of the FMU says %s; "
                     "export the FMU again",
                     binary->path, version ? version : "", binary->ops->version);
        return -1;
    }
    if (types) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' reports types '%.32s', but wrsim has the types 'default'; export the "
                     "FMU with the default types",
                     binary->path, types);
        return -1;
    }
    return 0;
}

static int open_file(wr_binary *binary, wrsim_error *err)
{
    char reason[WR_SHARED_OBJECT_BYTES];
    if (access(binary->path, F_OK) != 0) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "the FMU has no binary '%s'; export the FMU for Linux on x86-64",
                     binary->path);
        return -1;
    }
    binary->handle = wr_shared_object_open(binary->path, WR_SHARED_OBJECT_ISOLATED, reason);
    if (binary->handle)
        return 0;
    wr_error_set(err, WRSIM_E_PLUGIN,
                 "the binary '%s' of the FMU cannot be opened: %s; install a missing library, or "
                 "export the FMU again",
                 binary->path, reason);
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
    char *const folder = join("", source->folder, binary->ops->platform, "");
    binary->path = folder ? join("", folder, source->identifier, ".so") : NULL;
    free(folder);
    char *const resources = join("", source->folder, "resources", source->version == 2 ? "" : "/");
    binary->resources = resources && source->version == 2 ? as_uri(resources) : resources;
    if (binary->resources != resources)
        free(resources);
    binary->token = strdup(source->token);
    binary->functions = calloc(1, binary->ops->table_bytes);
    if (!binary->path || !binary->resources || !binary->token || !binary->functions)
        wr_error_memory(err);
    else if (open_file(binary, err) == 0 && find_functions(binary, err) == 0 &&
             check_version(binary, err) == 0)
        return binary;
    wr_binary_close(&binary);
    return NULL;
}

void wr_binary_close(wr_binary **binary)
{
    wr_binary *const b = *binary;
    if (!b)
        return;
    if (b->handle) {
        wr_calling_begin(b->path, "closing", (double)NAN);
        dlclose(b->handle);
        wr_calling_end();
    }
    free(b->path);
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

/* Adds the instance of an FMU that allows one. Returns 0, or -1 if an instance with the same token exists. */
static int claim(wr_binary_instance *instance)
{
    int is_taken = 0;
    pthread_mutex_lock(&once_lock);
    for (const wr_binary_instance *i = once_first; i; i = i->next)
        is_taken |= strcmp(i->binary->token, instance->binary->token) == 0;
    if (!is_taken) {
        instance->next = once_first;
        once_first = instance;
    }
    pthread_mutex_unlock(&once_lock);
    return is_taken ? -1 : 0;
}

static void release(wr_binary_instance *instance)
{
    pthread_mutex_lock(&once_lock);
    for (wr_binary_instance **i = &once_first; *i; i = &(*i)->next)
        if (*i == instance) {
            *i = instance->next;
            break;
        }
    pthread_mutex_unlock(&once_lock);
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
    if (!instance->name) {
        wr_error_memory(err);
        goto fail;
    }
    if (binary->is_once && claim(instance) != 0) {
        wr_error_set(err, WRSIM_E_PLUGIN,
                     "'%s' is a second instance of an FMU that allows one instance per process; "
                     "use the FMU in one component",
                     name);
        goto fail;
    }
    if (!atomic_load_explicit(&binary->is_dead, memory_order_relaxed))
        binary->ops->instantiate(instance);
    if (instance->fmu)
        return instance;
    wr_error_set(err, WRSIM_E_PLUGIN, "'%s' cannot be instantiated from '%s': %s", name,
                 binary->path,
                 instance->log[0] ? instance->log
                                  : "the FMU gives no reason; check its licence and its resources");
fail:
    wr_binary_free(&instance);
    return NULL;
}

void wr_binary_free(wr_binary_instance **instance)
{
    wr_binary_instance *const i = *instance;
    if (!i)
        return;
    if (i->fmu && !atomic_load_explicit(&i->binary->is_dead, memory_order_relaxed))
        i->binary->ops->free(i);
    if (i->binary->is_once)
        release(i);
    pthread_mutex_destroy(&i->lock);
    free(i->name);
    free(i->scratch);
    free(i->callbacks);
    free(i);
    *instance = NULL;
}

wr_binary_status wr_binary_enter_initialisation(wr_binary_instance *instance,
                                                const wr_binary_experiment *experiment)
{
    instance->t_s = experiment->start_s;
    return instance->binary->ops->enter_initialisation(instance, experiment);
}

wr_binary_status wr_binary_exit_initialisation(wr_binary_instance *instance)
{
    return instance->binary->ops->exit_initialisation(instance);
}

wr_binary_status wr_binary_enter_events(wr_binary_instance *instance)
{
    return instance->binary->ops->enter_events(instance);
}

wr_binary_status wr_binary_update_discrete(wr_binary_instance *instance, wr_binary_update *ret)
{
    return instance->binary->ops->update_discrete(instance, ret);
}

wr_binary_status wr_binary_leave_events(wr_binary_instance *instance)
{
    return instance->binary->ops->leave_events(instance);
}

wr_binary_status wr_binary_terminate(wr_binary_instance *instance)
{
    return instance->binary->ops->terminate(instance);
}

wr_binary_status wr_binary_reset(wr_binary_instance *instance)
{
    return instance->binary->ops->reset(instance);
}

wr_binary_status wr_binary_get(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, double *value, int n_value)
{
    return instance->binary->ops->get(instance, type, number, n, value, n_value);
}

wr_binary_status wr_binary_set(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, const double *value, int n_value)
{
    return instance->binary->ops->set(instance, type, number, n, value, n_value);
}

wr_binary_status wr_binary_set_time(wr_binary_instance *instance, double t_s)
{
    instance->t_s = t_s;
    return instance->binary->ops->set_time(instance, t_s);
}

wr_binary_status wr_binary_set_states(wr_binary_instance *instance, const double *x, int n)
{
    return instance->binary->ops->set_states(instance, x, n);
}

wr_binary_status wr_binary_get_states(wr_binary_instance *instance, double *x, int n)
{
    return instance->binary->ops->get_states(instance, x, n);
}

wr_binary_status wr_binary_get_nominals(wr_binary_instance *instance, double *nominal, int n)
{
    return instance->binary->ops->get_nominals(instance, nominal, n);
}

wr_binary_status wr_binary_get_derivatives(wr_binary_instance *instance, double *dx, int n)
{
    return instance->binary->ops->get_derivatives(instance, dx, n);
}

wr_binary_status wr_binary_get_indicators(wr_binary_instance *instance, double *z, int n)
{
    return instance->binary->ops->get_indicators(instance, z, n);
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
    return instance->binary->ops->set_input_derivatives(instance, number, n, value);
}

wr_binary_status wr_binary_keep(wr_binary_instance *instance, void **slot)
{
    return instance->binary->ops->keep(instance, slot);
}

wr_binary_status wr_binary_go_back(wr_binary_instance *instance, void *slot)
{
    return instance->binary->ops->go_back(instance, slot);
}

wr_binary_status wr_binary_forget(wr_binary_instance *instance, void **slot)
{
    return instance->binary->ops->forget(instance, slot);
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
    return instance->binary->ops->directional(instance, unknown, n_unknown, known, n_known, seed,
                                              sensitivity);
}
