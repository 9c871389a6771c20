/* A master that calls the functions of an exported FMU (co-simulation) in random order, as the state machine of the standard allows.
 *
 * random_master BINARY RESOURCES TOKEN VERSION VARIABLES STEP_S SEED SECONDS
 *
 * VARIABLES is a file with one variable in a line: value reference, causality (i input, t tunable, p parameter, o output), type (r real, w
 * whole, b Boolean), and start value. Two instances take turns. The master checks that every allowed call succeeds, that a repeated step
 * from a saved state has the same bits, also from serialised states, and that calls out of order are refused and change nothing.
 *
 * The program defines symbols of CVODE, LAPACK and HDF5, and exports them. An FMU that calls one of these functions ends the program. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "subsystems/model_host/fmi/fmi2.h"
#include "subsystems/model_host/fmi/fmi3.h"

#define FOREIGN(name)                                                                              \
    __attribute__((visibility("default"))) void name(void);                                        \
    __attribute__((visibility("default"))) void name(void)                                         \
    {                                                                                              \
        fprintf(stderr, "the FMU calls " #name "() of its host\n");                                \
        abort();                                                                                   \
    }
FOREIGN(CVode)
FOREIGN(CVodeCreate)
FOREIGN(CVodeInit)
FOREIGN(SUNContext_Create)
FOREIGN(N_VNew_Serial)
FOREIGN(SUNLinSol_Dense)
FOREIGN(dgetrf_)
FOREIGN(H5open)
FOREIGN(wrsim_create)
FOREIGN(wrsim_advance)

enum { N_INSTANCE = 2, N_STATE = 4, MAX_VARIABLES = 4096, TEXT_BYTES = 512 };

typedef struct variable {
    uint32_t reference;
    char causality, type;
    double start;
} variable;

/* Phases of the state machine (FMI 2.0, section 4.2.4; FMI 3.0, section 4.3). */
typedef enum phase { INSTANTIATED, INITIALISING, STEPPING, TERMINATED, N_PHASE } phase;

/* A saved state, and the step that followed once. */
typedef struct saved {
    void *state; /* NULL: none */
    phase phase;
    double t_s;
    double value[MAX_VARIABLES]; /* of inputs and parameters */
    int has_step;
    double h_s;
    uint64_t result; /* hash of the outputs after the step */
    double input[MAX_VARIABLES], slope[MAX_VARIABLES];
} saved;

typedef struct instance {
    void *c;
    phase phase;
    double t_s;
    double value[MAX_VARIABLES];
    saved state[N_STATE];
} instance;

typedef struct functions2 {
#define WR_X(name, result, arguments, need) wr_fmi2_##name *name;
    WR_FMI2_LIST(WR_X)
#undef WR_X
} functions2;
typedef struct functions3 {
#define WR_X(name, result, arguments, need) wr_fmi3_##name *name;
    WR_FMI3_LIST(WR_X)
#undef WR_X
} functions3;

static functions2 f2;
static functions3 f3;
static int version, n_variable, may_save = 1;
static variable variables[MAX_VARIABLES];
static const char *resources, *token;
static double step_s;
static char last_message[TEXT_BYTES];
static uint64_t random_state;
static instance instances[N_INSTANCE];
static long n_call[8];

static void stop(const char *what)
{
    fprintf(stderr, "%s; last message: %s\n", what, last_message);
    exit(1);
}

/* xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016, section 3) */
static uint32_t draw(uint32_t n)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * UINT64_C(2685821657736338717)) >> 33) % n;
}

/* ---- calls of both versions ---- */

static void log_2(void *env, const char *name, wr_fmi2_status status, const char *category,
                  const char *message, ...)
{
    (void)env, (void)name, (void)status, (void)category;
    __builtin_va_list args;
    __builtin_va_start(args, message);
    vsnprintf(last_message, sizeof last_message, message, args);
    __builtin_va_end(args);
}

static void log_3(void *env, wr_fmi3_status status, const char *category, const char *message)
{
    (void)env, (void)status, (void)category;
    snprintf(last_message, sizeof last_message, "%s", message);
}

static void *instantiate(void)
{
    static const wr_fmi2_callbacks callbacks = {log_2, calloc, free, NULL, NULL};
    char uri[4096];
    snprintf(uri, sizeof uri, "file://%s", resources);
    return version == 2 ? f2.Instantiate("random", WR_FMI2_CS, token, uri, &callbacks, 0, 0)
                        : f3.InstantiateCoSimulation("random", token, resources, false, false,
                                                     false, false, NULL, 0, NULL, log_3, NULL);
}

#define CALL(name, ...) (version == 2 ? (int)f2.name(__VA_ARGS__) : (int)f3.name(__VA_ARGS__))

static int begin(instance *i)
{
    if (version == 3)
        return (int)f3.EnterInitializationMode(i->c, false, 0.0, 0.0, false, 0.0);
    const int status = (int)f2.SetupExperiment(i->c, 0, 0.0, 0.0, 0, 0.0);
    return status > WR_FMI2_WARNING ? status : (int)f2.EnterInitializationMode(i->c);
}

static int set_one(instance *i, const variable *v, double value)
{
    const int whole = (int)value;
    const bool flag = value > 0.0;
    if (v->type == 'r')
        return version == 2 ? (int)f2.SetReal(i->c, &v->reference, 1, &value)
                            : (int)f3.SetFloat64(i->c, &v->reference, 1, &value, 1);
    if (v->type == 'w')
        return version == 2 ? (int)f2.SetInteger(i->c, &v->reference, 1, &whole)
                            : (int)f3.SetInt32(i->c, &v->reference, 1, &whole, 1);
    return version == 2 ? (int)f2.SetBoolean(i->c, &v->reference, 1, &whole)
                        : (int)f3.SetBoolean(i->c, &v->reference, 1, &flag, 1);
}

static int get_outputs(instance *i, double *ret, int *ret_n)
{
    uint32_t reference[MAX_VARIABLES];
    size_t n = 0;
    for (int k = 0; k < n_variable; k++)
        if (variables[k].causality == 'o')
            reference[n++] = variables[k].reference;
    *ret_n = (int)n;
    return version == 2 ? (int)f2.GetReal(i->c, reference, n, ret)
                        : (int)f3.GetFloat64(i->c, reference, n, ret, n);
}

static int do_step(instance *i, double h_s)
{
    bool event, ended, early;
    double last_s;
    return version == 2 ? (int)f2.DoStep(i->c, i->t_s, h_s, 0)
                        : (int)f3.DoStep(i->c, i->t_s, h_s, false, &event, &ended, &early, &last_s);
}

static int save(instance *i, void **state)
{
    return version == 2 ? (int)f2.GetFMUstate(i->c, state) : (int)f3.GetFMUState(i->c, state);
}
static int restore(instance *i, void *state)
{
    return version == 2 ? (int)f2.SetFMUstate(i->c, state) : (int)f3.SetFMUState(i->c, state);
}
static int forget(instance *i, void **state)
{
    return version == 2 ? (int)f2.FreeFMUstate(i->c, state) : (int)f3.FreeFMUState(i->c, state);
}

static void need(int status, const char *what)
{
    if (status > WR_FMI2_WARNING)
        stop(what);
}

/* ---- actions ---- */

static uint64_t outputs_hash(instance *i)
{
    double y[MAX_VARIABLES];
    int n;
    need(get_outputs(i, y, &n), "outputs cannot be read");
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < n; k++) {
        uint64_t bits;
        if (!isfinite(y[k]))
            stop("an output is not finite");
        memcpy(&bits, &y[k], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Sets a random variable that the phase allows, to a value near its start. */
static void set_random(instance *i)
{
    if (n_variable == 0)
        return;
    const int k = (int)draw((uint32_t)n_variable);
    const variable *const v = &variables[k];
    if (v->causality == 'o' || (v->causality == 'p' && i->phase == STEPPING))
        return;
    double value = v->start;
    if (v->type == 'b' && v->causality != 'p')
        value = draw(2);
    else if (v->type == 'r' && v->causality != 'p')
        value += (v->start > 0.0 || v->start < 0.0 ? fabs(v->start) : 1.0) * 0.01 * (double)draw(4);
    need(set_one(i, v, value), "a variable cannot be set");
    i->value[k] = value;
}

static void forget_states(instance *i)
{
    for (int k = 0; k < N_STATE; k++)
        if (i->state[k].state)
            need(forget(i, &i->state[k].state), "a state cannot be freed");
}

static void start_again(instance *i)
{
    i->phase = INSTANTIATED;
    i->t_s = 0.0;
    for (int k = 0; k < n_variable; k++)
        i->value[k] = variables[k].start;
}

static void renew(instance *i)
{
    if (i->c) {
        forget_states(i);
        version == 2 ? f2.FreeInstance(i->c) : f3.FreeInstance(i->c);
    }
    i->c = instantiate();
    if (!i->c)
        stop("no instance");
    start_again(i);
}

static void step(instance *i, saved *from)
{
    static const double lengths[] = {1.0, 1.0, 0.5, 2.0, 0.25};
    const double h_s = step_s * lengths[draw(5)];
    double slope[MAX_VARIABLES] = {0.0};
    for (int k = 0; k < n_variable && version == 2; k++)
        if (variables[k].causality == 'i' && variables[k].type == 'r' && draw(4) == 0) {
            const int order = 1;
            slope[k] = 0.01 / step_s;
            need((int)f2.SetRealInputDerivatives(i->c, &variables[k].reference, 1, &order,
                                                 &slope[k]),
                 "a derivative cannot be set");
        }
    need(do_step(i, h_s), "a step fails");
    i->t_s += h_s;
    const uint64_t result = outputs_hash(i);
    if (from) { /* the step follows the saved state */
        from->has_step = 1;
        from->h_s = h_s;
        from->result = result;
        memcpy(from->input, i->value, sizeof from->input);
        memcpy(from->slope, slope, sizeof from->slope);
    }
}

/* Saves a state, and mostly makes a step from it. */
static void save_random(instance *i)
{
    saved *const s = &i->state[draw(N_STATE)];
    need(save(i, &s->state), "the state cannot be saved");
    s->phase = i->phase;
    s->t_s = i->t_s;
    s->has_step = 0;
    memcpy(s->value, i->value, sizeof s->value);
    if (i->phase == STEPPING && draw(4) > 0) {
        for (int k = 0; k < 3; k++)
            set_random(i);
        step(i, s);
    }
}

/* Writes a state as bytes, and reads the bytes into the same slot. */
static void pass_through_bytes(instance *i, saved *s)
{
    size_t n = 0;
    need(version == 2 ? (int)f2.SerializedFMUstateSize(i->c, s->state, &n)
                      : (int)f3.SerializedFMUStateSize(i->c, s->state, &n),
         "the size of a state is unknown");
    unsigned char *const bytes = malloc(n);
    if (!bytes)
        stop("out of memory");
    need(version == 2 ? (int)f2.SerializeFMUstate(i->c, s->state, (char *)bytes, n)
                      : (int)f3.SerializeFMUState(i->c, s->state, bytes, n),
         "a state cannot be written");
    need(forget(i, &s->state), "a state cannot be freed");
    need(version == 2 ? (int)f2.DeSerializeFMUstate(i->c, (char *)bytes, n, &s->state)
                      : (int)f3.DeserializeFMUState(i->c, bytes, n, &s->state),
         "a state cannot be read");
    free(bytes);
}

static void restore_random(instance *i)
{
    saved *const s = &i->state[draw(N_STATE)];
    if (!s->state)
        return;
    if (draw(3) == 0)
        pass_through_bytes(i, s);
    need(restore(i, s->state), "a state cannot be restored");
    i->phase = s->phase;
    i->t_s = s->t_s;
    memcpy(i->value, s->value, sizeof i->value);
    if (!s->has_step)
        return;
    for (int k = 0; k < n_variable; k++)
        if (variables[k].causality == 'i' || variables[k].causality == 't')
            if (s->input[k] < i->value[k] || s->input[k] > i->value[k]) {
                need(set_one(i, &variables[k], s->input[k]), "a variable cannot be set");
                i->value[k] = s->input[k];
            }
    for (int k = 0; k < n_variable; k++) {
        const int order = 1;
        if (s->slope[k] > 0.0)
            need((int)f2.SetRealInputDerivatives(i->c, &variables[k].reference, 1, &order,
                                                 &s->slope[k]),
                 "a derivative cannot be set");
    }
    need(do_step(i, s->h_s), "a repeated step fails");
    i->t_s += s->h_s;
    if (outputs_hash(i) != s->result)
        stop("a repeated step has other results");
}

/* Calls a function that the phase forbids. The call must fail, and change nothing. */
static void try_forbidden(instance *i)
{
    double y[MAX_VARIABLES];
    int n = 0, status = 0;
    const variable *output = NULL;
    for (int k = 0; k < n_variable; k++)
        output = variables[k].causality == 'o' ? &variables[k] : output;
    switch (draw(5)) {
    case 0:
        status = i->phase == STEPPING ? WR_FMI2_ERROR : do_step(i, step_s);
        break;
    case 1:
        status = i->phase == INSTANTIATED ? WR_FMI2_ERROR : begin(i);
        break;
    case 2:
        status = i->phase == INITIALISING ? WR_FMI2_ERROR : CALL(ExitInitializationMode, i->c);
        break;
    case 3:
        status = i->phase == STEPPING ? WR_FMI2_ERROR : CALL(Terminate, i->c);
        break;
    default:
        status = i->phase != INSTANTIATED || !output ? WR_FMI2_ERROR : get_outputs(i, y, &n);
        if (output)
            status = set_one(i, output, 0.0) < WR_FMI2_ERROR ? 0 : status;
    }
    if (status < WR_FMI2_ERROR)
        stop("a call out of order is not refused");
}

static void act(instance *i)
{
    const uint32_t action = draw(20);
    n_call[action < 8 ? action : 7]++;
    if (action == 0 && draw(8) == 0)
        renew(i);
    else if (action == 1 && draw(4) == 0) {
        need(CALL(Reset, i->c), "a reset fails");
        start_again(i);
    } else if (action == 2)
        try_forbidden(i);
    else if (action == 3 && may_save && i->phase != TERMINATED)
        save_random(i);
    else if ((action == 4 || action == 5) && may_save)
        restore_random(i);
    else if (i->phase == TERMINATED) {
        (void)outputs_hash(i);
        if (draw(4) == 0)
            renew(i);
    } else if (action < 10)
        set_random(i);
    else if (i->phase == INSTANTIATED) {
        need(begin(i), "the initialisation cannot begin");
        i->phase = INITIALISING;
    } else if (i->phase == INITIALISING) {
        if (draw(2) == 0)
            (void)outputs_hash(i);
        need(CALL(ExitInitializationMode, i->c), "the initialisation fails");
        i->phase = STEPPING;
    } else if (action == 10 && draw(10) == 0) {
        need(CALL(Terminate, i->c), "the termination fails");
        i->phase = TERMINATED;
    } else
        step(i, NULL);
}

/* ---- program ---- */

static void load(const char *binary)
{
    void *const object = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        stop(dlerror());
#define WR_X(name, result, arguments, need)                                                        \
    *(void **)&f2.name =                                                                           \
        version == 2 && ((need)&WR_FMI_NEED_CS) ? dlsym(object, "fmi2" #name) : NULL;
    WR_FMI2_LIST(WR_X)
#undef WR_X
#define WR_X(name, result, arguments, need)                                                        \
    *(void **)&f3.name =                                                                           \
        version == 3 && ((need)&WR_FMI_NEED_CS) ? dlsym(object, "fmi3" #name) : NULL;
    WR_FMI3_LIST(WR_X)
#undef WR_X
#define STATE(name) *(void **)&f2.name = version == 2 ? dlsym(object, "fmi2" #name) : NULL;
    STATE(GetFMUstate)
    STATE(SetFMUstate)
    STATE(FreeFMUstate)
    STATE(SerializedFMUstateSize)
    STATE(SerializeFMUstate)
    STATE(DeSerializeFMUstate)
    STATE(SetRealInputDerivatives)
#undef STATE
#define STATE(name) *(void **)&f3.name = version == 3 ? dlsym(object, "fmi3" #name) : NULL;
    STATE(GetFMUState)
    STATE(SetFMUState)
    STATE(FreeFMUState)
    STATE(SerializedFMUStateSize)
    STATE(SerializeFMUState)
    STATE(DeserializeFMUState)
#undef STATE
}

static void read_variables(const char *path)
{
    FILE *const file = fopen(path, "r");
    if (!file)
        stop("no list of variables");
    variable *v = variables;
    while (n_variable < MAX_VARIABLES &&
           fscanf(file, "%u %c %c %lf", &v->reference, &v->causality, &v->type, &v->start) == 4)
        v = &variables[++n_variable];
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 9 && argc != 10)
        stop("usage: random_master BINARY RESOURCES TOKEN VERSION VARIABLES STEP_S SEED SECONDS "
             "[no-states]");
    resources = argv[2];
    token = argv[3];
    version = atoi(argv[4]);
    may_save = argc == 9;
    step_s = atof(argv[6]);
    random_state = strtoull(argv[7], NULL, 10) * 2 + 1;
    read_variables(argv[5]);
    load(argv[1]);
    for (int k = 0; k < N_INSTANCE; k++)
        renew(&instances[k]);
    const time_t end = time(NULL) + atoi(argv[8]);
    long n = 0;
    for (; time(NULL) < end || n < 120; n++)
        act(&instances[draw(N_INSTANCE)]);
    for (int k = 0; k < N_INSTANCE; k++) {
        forget_states(&instances[k]);
        version == 2 ? f2.FreeInstance(instances[k].c) : f3.FreeInstance(instances[k].c);
    }
    printf("%ld calls\n", n);
    return 0;
}
