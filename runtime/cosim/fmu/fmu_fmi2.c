/* The functions of FMI 2.0 that an exported FMU has (co-simulation). See fmu.h.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), sections 2.1 and 4.2.
 *
 * Thread: as fmu.h. Real-time: as fmu.h. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cosim/fmu/fmu.h"
#include "runtime/cosim/fmu/fmu_log.h"
#include "runtime/cosim/fmu/fmu_state.h"
#include "subsystems/model_host/fmi/fmi2.h"

#define EXPORT __attribute__((visibility("default")))

#define WR_X(name, result, arguments, need) EXPORT result fmi2##name arguments;
WR_FMI2_LIST(WR_X)
#undef WR_X

/* Functions of the standard that wrsim does not call. */
EXPORT wr_fmi2_status fmi2SetDebugLogging(void *c, wr_fmi2_bool is_logging, size_t n,
                                          const char *const *category);
EXPORT wr_fmi2_status fmi2GetString(void *c, const wr_fmi2_number *number, size_t n,
                                    const char **value);
EXPORT wr_fmi2_status fmi2SetString(void *c, const wr_fmi2_number *number, size_t n,
                                    const char *const *value);
EXPORT wr_fmi2_status fmi2GetRealOutputDerivatives(void *c, const wr_fmi2_number *number, size_t n,
                                                   const int *order, double *value);
EXPORT wr_fmi2_status fmi2CancelStep(void *c);
EXPORT wr_fmi2_status fmi2GetStatus(void *c, int kind, wr_fmi2_status *value);
EXPORT wr_fmi2_status fmi2GetIntegerStatus(void *c, int kind, int *value);
EXPORT wr_fmi2_status fmi2GetStringStatus(void *c, int kind, const char **value);

enum { BLOCK = 256 }; /* variables per conversion between types */

typedef struct instance {
    wr_fmu *fmu;
    wr_fmi2_callbacks callbacks;
    char *name;
} instance;

static void log_text(void *user, wr_fmu_status status, const char *category, const char *text)
{
    const instance *const i = user;
    if (i->callbacks.logger) /* the logger formats its text, so the text must be an argument */
        i->callbacks.logger(i->callbacks.env, i->name, (wr_fmi2_status)status, category, "%s",
                            text);
}

/* Functions that return this status when the call is not allowed in the present phase. */
#define CHECK(c, phases, call)                                                                     \
    if (!(c) || wr_fmu_check(((instance *)(c))->fmu, (phases), (call)) != WR_FMU_OK)               \
        return WR_FMI2_ERROR;                                                                      \
    wr_fmu *const fmu = ((instance *)(c))->fmu

enum {
    START = WR_FMU_INSTANTIATED | WR_FMU_INITIALISING,
    ALIVE = START | WR_FMU_STEPPING | WR_FMU_TERMINATED,
    ANY = ALIVE | WR_FMU_FAILED
};

static wr_fmi2_status refuse(wr_fmu *fmu, const char *what)
{
    wr_fmu_log(fmu, WR_FMU_ERROR, "%s", what);
    return WR_FMI2_ERROR;
}

/* ---- creation ---- */

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

/* Returns the path of a URI such as file:///a%20b, without a final '/'; from malloc. NULL: out of memory, or another scheme. */
static char *read_uri(const char *uri)
{
    static const char scheme[] = "file:";
    const int has_scheme = strncmp(uri, scheme, sizeof scheme - 1) == 0;
    const char *from = has_scheme ? uri + sizeof scheme - 1 : uri;
    if (has_scheme &&
        strncmp(from, "//", 2) == 0) { /* skips the host, which is "" or "localhost" */
        from += 2;
        from += strcspn(from, "/");
    }
    char *const path = *from == '/' ? malloc(strlen(from) + 1) : NULL;
    char *to = path;
    while (path && *from) {
        const char digits[3] = {from[0] == '%' ? from[1] : '0', from[0] == '%' ? from[2] : '0', 0};
        const int is_coded = has_scheme && from[0] == '%' && isxdigit((unsigned char)digits[0]) &&
                             isxdigit((unsigned char)digits[1]);
        *to++ = is_coded ? (char)strtol(digits, NULL, 16) : *from;
        from += is_coded ? 3 : 1;
    }
    while (path && to > path + 1 && to[-1] == '/')
        to--;
    if (path)
        *to = '\0';
    return path;
}

static void free_instance(instance *i)
{
    wr_fmu_close(&i->fmu);
    free(i->name);
    free(i);
}

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const wr_fmi2_callbacks *callbacks, wr_fmi2_bool is_visible,
                      wr_fmi2_bool is_logging)
{
    (void)is_visible;
    instance *const i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    if (callbacks)
        i->callbacks = *callbacks;
    i->name = strdup(name ? name : "");
    char *const path = resources ? read_uri(resources) : NULL;
    const char *const why =
        !i->name ? "out of memory"
        : type != WR_FMI2_CS
            ? "the FMU is of co-simulation only; instantiate it as fmi2CoSimulation"
        : !guid || !resources ? "fmi2Instantiate needs the GUID and the location of the resources"
        : !path ? "the location of the resources is no URI of a local folder; pass file:///..."
                : NULL;
    const wr_fmu_host host = {
        .log = log_text, .user = i, .is_logging = is_logging != 0, .no_value = WR_FMU_ERROR};
    if (why)
        log_text(i, WR_FMU_ERROR, WR_FMU_CATEGORY_ERROR, why);
    else
        i->fmu = wr_fmu_open(path, guid, &host);
    free(path);
    if (i->fmu)
        return i;
    free_instance(i);
    return NULL;
}

void fmi2FreeInstance(void *c)
{
    if (c)
        free_instance(c);
}

wr_fmi2_status fmi2SetDebugLogging(void *c, wr_fmi2_bool is_logging, size_t n,
                                   const char *const *category)
{
    (void)n; /* errors always appear, and the other categories together */
    (void)category;
    CHECK(c, ANY, "fmi2SetDebugLogging");
    wr_fmu_set_logging(fmu, is_logging != 0);
    return WR_FMI2_OK;
}

/* ---- phases ---- */

wr_fmi2_status fmi2SetupExperiment(void *c, wr_fmi2_bool has_tolerance, double tolerance,
                                   double start_s, wr_fmi2_bool has_stop, double stop_s)
{
    (void)has_tolerance; /* the config has tolerances for solvers and coupling */
    (void)tolerance;
    CHECK(c, WR_FMU_INSTANTIATED, "fmi2SetupExperiment");
    return (wr_fmi2_status)wr_fmu_set_times(fmu, start_s, has_stop ? stop_s : (double)NAN);
}

wr_fmi2_status fmi2EnterInitializationMode(void *c)
{
    CHECK(c, WR_FMU_INSTANTIATED, "fmi2EnterInitializationMode");
    return (wr_fmi2_status)wr_fmu_begin(fmu);
}

wr_fmi2_status fmi2ExitInitializationMode(void *c)
{
    CHECK(c, WR_FMU_INITIALISING, "fmi2ExitInitializationMode");
    return (wr_fmi2_status)wr_fmu_end_initialisation(fmu);
}

wr_fmi2_status fmi2Terminate(void *c)
{
    CHECK(c, WR_FMU_STEPPING, "fmi2Terminate");
    return (wr_fmi2_status)wr_fmu_terminate(fmu);
}

wr_fmi2_status fmi2Reset(void *c)
{
    CHECK(c, ANY, "fmi2Reset");
    return (wr_fmi2_status)wr_fmu_reset(fmu);
}

/* ---- variables ---- */

wr_fmi2_status fmi2GetReal(void *c, const wr_fmi2_number *number, size_t n, double *value)
{
    CHECK(c, ANY, "fmi2GetReal");
    return (wr_fmi2_status)wr_fmu_get(fmu, WR_COSIM_REAL, number, n, value);
}

wr_fmi2_status fmi2SetReal(void *c, const wr_fmi2_number *number, size_t n, const double *value)
{
    CHECK(c, START | WR_FMU_STEPPING, "fmi2SetReal");
    return (wr_fmi2_status)wr_fmu_set(fmu, WR_COSIM_REAL, number, n, value);
}

static wr_fmi2_status get_whole(wr_fmu *fmu, wr_cosim_type type, const wr_fmi2_number *number,
                                size_t n, int *value)
{
    wr_fmi2_status status = WR_FMI2_OK;
    for (size_t at = 0; at < n && status == WR_FMI2_OK; at += BLOCK) {
        double block[BLOCK];
        const size_t n_block = n - at < BLOCK ? n - at : BLOCK;
        status = (wr_fmi2_status)wr_fmu_get(fmu, type, number + at, n_block, block);
        for (size_t k = 0; k < n_block && status == WR_FMI2_OK; k++)
            value[at + k] = (int)block[k];
    }
    return status;
}

static wr_fmi2_status set_whole(wr_fmu *fmu, wr_cosim_type type, const wr_fmi2_number *number,
                                size_t n, const int *value)
{
    wr_fmi2_status status = WR_FMI2_OK;
    for (size_t at = 0; at < n && status == WR_FMI2_OK; at += BLOCK) {
        double block[BLOCK];
        const size_t n_block = n - at < BLOCK ? n - at : BLOCK;
        for (size_t k = 0; k < n_block; k++)
            block[k] = type == WR_COSIM_BOOLEAN ? value[at + k] != 0 : value[at + k];
        status = (wr_fmi2_status)wr_fmu_set(fmu, type, number + at, n_block, block);
    }
    return status;
}

wr_fmi2_status fmi2GetInteger(void *c, const wr_fmi2_number *number, size_t n, int *value)
{
    CHECK(c, ANY, "fmi2GetInteger");
    return get_whole(fmu, WR_COSIM_INTEGER, number, n, value);
}

wr_fmi2_status fmi2SetInteger(void *c, const wr_fmi2_number *number, size_t n, const int *value)
{
    CHECK(c, START | WR_FMU_STEPPING, "fmi2SetInteger");
    return set_whole(fmu, WR_COSIM_INTEGER, number, n, value);
}

wr_fmi2_status fmi2GetBoolean(void *c, const wr_fmi2_number *number, size_t n, wr_fmi2_bool *value)
{
    CHECK(c, ANY, "fmi2GetBoolean");
    return get_whole(fmu, WR_COSIM_BOOLEAN, number, n, value);
}

wr_fmi2_status fmi2SetBoolean(void *c, const wr_fmi2_number *number, size_t n,
                              const wr_fmi2_bool *value)
{
    CHECK(c, START | WR_FMU_STEPPING, "fmi2SetBoolean");
    return set_whole(fmu, WR_COSIM_BOOLEAN, number, n, value);
}

wr_fmi2_status fmi2GetString(void *c, const wr_fmi2_number *number, size_t n, const char **value)
{
    (void)number;
    (void)value;
    CHECK(c, ANY, "fmi2GetString");
    return n == 0 ? WR_FMI2_OK : refuse(fmu, "the FMU has no variables of the type String");
}

wr_fmi2_status fmi2SetString(void *c, const wr_fmi2_number *number, size_t n,
                             const char *const *value)
{
    (void)number;
    (void)value;
    CHECK(c, START | WR_FMU_STEPPING, "fmi2SetString");
    return n == 0 ? WR_FMI2_OK : refuse(fmu, "the FMU has no variables of the type String");
}

wr_fmi2_status fmi2SetRealInputDerivatives(void *c, const wr_fmi2_number *number, size_t n,
                                           const int *order, const double *value)
{
    CHECK(c, START | WR_FMU_STEPPING, "fmi2SetRealInputDerivatives");
    wr_fmi2_status status = WR_FMI2_OK;
    for (size_t k = 0; k < n && status == WR_FMI2_OK; k++)
        status = (wr_fmi2_status)wr_fmu_set_slope(fmu, number[k], order[k], value[k]);
    return status;
}

wr_fmi2_status fmi2GetRealOutputDerivatives(void *c, const wr_fmi2_number *number, size_t n,
                                            const int *order, double *value)
{
    (void)number;
    (void)order;
    (void)value;
    CHECK(c, ANY, "fmi2GetRealOutputDerivatives");
    return n == 0 ? WR_FMI2_OK
                  : refuse(fmu, "the FMU has no derivatives of outputs (maxOutputDerivativeOrder)");
}

wr_fmi2_status fmi2GetDirectionalDerivative(void *c, const wr_fmi2_number *unknown,
                                            size_t n_unknown, const wr_fmi2_number *known,
                                            size_t n_known, const double *seed, double *sensitivity)
{
    (void)unknown;
    (void)n_unknown;
    (void)known;
    (void)n_known;
    (void)seed;
    (void)sensitivity;
    CHECK(c, ANY, "fmi2GetDirectionalDerivative");
    return refuse(fmu, "the FMU has no directional derivatives (providesDirectionalDerivative)");
}

/* ---- steps ---- */

wr_fmi2_status fmi2DoStep(void *c, double t_s, double h_s, wr_fmi2_bool is_final)
{
    (void)is_final;
    CHECK(c, WR_FMU_STEPPING, "fmi2DoStep");
    double end_s;
    int is_terminated;
    return (wr_fmi2_status)wr_fmu_step(fmu, t_s, h_s, &end_s, &is_terminated);
}

wr_fmi2_status fmi2CancelStep(void *c)
{
    CHECK(c, ANY, "fmi2CancelStep");
    return refuse(fmu, "fmi2CancelStep is not allowed, because steps are not asynchronous");
}

static wr_fmi2_status refuse_status(wr_fmu *fmu)
{
    wr_fmu_log(fmu, WR_FMU_DISCARD,
               "the FMU has no such status, because steps are not "
               "asynchronous");
    return WR_FMI2_DISCARD;
}

wr_fmi2_status fmi2GetStatus(void *c, int kind, wr_fmi2_status *value)
{
    (void)kind;
    (void)value;
    CHECK(c, ANY, "fmi2GetStatus");
    return refuse_status(fmu);
}

wr_fmi2_status fmi2GetRealStatus(void *c, int kind, double *value)
{
    CHECK(c, ANY, "fmi2GetRealStatus");
    if (kind != WR_FMI2_LAST_TIME)
        return refuse_status(fmu);
    *value = wr_fmu_time(fmu);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetIntegerStatus(void *c, int kind, int *value)
{
    (void)kind;
    (void)value;
    CHECK(c, ANY, "fmi2GetIntegerStatus");
    return refuse_status(fmu);
}

wr_fmi2_status fmi2GetBooleanStatus(void *c, int kind, wr_fmi2_bool *value)
{
    CHECK(c, ANY, "fmi2GetBooleanStatus");
    if (kind != WR_FMI2_TERMINATED)
        return refuse_status(fmu);
    *value = wr_fmu_is_terminated(fmu);
    return WR_FMI2_OK;
}

wr_fmi2_status fmi2GetStringStatus(void *c, int kind, const char **value)
{
    (void)kind;
    (void)value;
    CHECK(c, ANY, "fmi2GetStringStatus");
    return refuse_status(fmu);
}

/* ---- states ---- */

wr_fmi2_status fmi2GetFMUstate(void *c, void **state)
{
    CHECK(c, ALIVE, "fmi2GetFMUstate");
    return (wr_fmi2_status)wr_fmu_state_get(fmu, (wr_fmu_state **)state);
}

wr_fmi2_status fmi2SetFMUstate(void *c, void *state)
{
    CHECK(c, ANY, "fmi2SetFMUstate");
    return (wr_fmi2_status)wr_fmu_state_set(fmu, state);
}

wr_fmi2_status fmi2FreeFMUstate(void *c, void **state)
{
    /* The instance may be freed. */
    return c && wr_fmu_state_free((wr_fmu_state **)state) == 0 ? WR_FMI2_OK : WR_FMI2_ERROR;
}

wr_fmi2_status fmi2SerializedFMUstateSize(void *c, void *state, size_t *bytes)
{
    CHECK(c, ANY, "fmi2SerializedFMUstateSize");
    const unsigned char *data;
    return (wr_fmi2_status)wr_fmu_state_bytes(fmu, state, &data, bytes);
}

wr_fmi2_status fmi2SerializeFMUstate(void *c, void *state, char *to, size_t bytes)
{
    CHECK(c, ANY, "fmi2SerializeFMUstate");
    return (wr_fmi2_status)wr_fmu_state_write(fmu, state, to, bytes);
}

wr_fmi2_status fmi2DeSerializeFMUstate(void *c, const char *from, size_t bytes, void **state)
{
    CHECK(c, ANY, "fmi2DeSerializeFMUstate");
    return (wr_fmi2_status)wr_fmu_state_read(fmu, (const unsigned char *)from, bytes,
                                             (wr_fmu_state **)state);
}
