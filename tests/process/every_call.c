/* Plug-in whose models have every callback, and fail in one of them on request. Two oscillators with a switch:
 *
 *     x0' = x1, x1' = -w x0 - friction x1 + u + s + b0 - b1       w, friction, step: see below
 *
 * process.dense has jacobian() and input blocks, process.sparse has jacobian_sparse() and an own state, and process.once allows one instance,
 * and process.many is process.once without this limit. process.stepper makes steps of explicit Euler's method for x' = u - x.
 *
 * Parameters: `call`, the callback that fails; `count`, the number of calls before the failing call; `fault`, the kind of failure; `label`, a
 * text, and with fault "hang" the file that the callback creates. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrsim/model.h"

enum { CALL, COUNT, FAULT, FRICTION, LABEL, N_PARAM };
enum { NO_FAULT, CRASH, EXIT, HANG, REFUSE, BEYOND, ASK, TRUNCATE };
static const char *const faults[] = {"none",   "crash", "exit",     "hang", "refuse",
                                     "beyond", "ask",   "truncate", NULL};
static const char *const calls[] = {
    "none",    "describe",       "init",           "init_from_inputs",
    "rhs",     "output",         "algebra",        "indicator",
    "event",   "next_time",      "jacobian",       "jacobian_sparse",
    "tangent", "tangent_output", "step_completed", "done",
    "advance", "stepper_event",  "keep",           "go_back",
    "forget",  "bytes",          "write",          "read",
    NULL};
static const wrsim_variable params[N_PARAM] = {
    [CALL] = {.name = "call", .description = "callback that fails", .choices = calls},
    [COUNT] = {.name = "count",
               .description = "calls before the fault",
               .flags = WRSIM_INTEGER,
               .max = 1e9},
    [FAULT] = {.name = "fault", .description = "kind of failure", .choices = faults},
    [FRICTION] = {.name = "friction",
                  .unit = "1",
                  .description = "friction",
                  .start = 0.1,
                  .max = 10.0,
                  .flags = WRSIM_TUNABLE},
    [LABEL] = {.name = "label", .description = "a text", .flags = WRSIM_TEXT, .text = "none"},
};

/* Fails if the parameters demand a failure of this call. array: NULL, or an array with n values that the call writes. */
static int fails(wrsim_instance *self, const char *call, double *array, int n)
{
    static int n_call; /* of the failing callback; no state of the model */
    if (strcmp(calls[(int)self->param[CALL]], call) != 0 || n_call++ < (int)self->param[COUNT])
        return 0;
    switch ((int)self->param[FAULT]) {
    case CRASH:
        raise(SIGSEGV);
        return 0;
    case EXIT:
        exit(7);
    case HANG: /* the file shows the test that the callback has begun */
        (void)close(open(self->text[LABEL], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        for (;;)
            pause();
    case REFUSE:
        self->message = "a refusal of the model";
        return -1;
    case TRUNCATE: /* of each descriptor above standard error */
        for (int i = STDERR_FILENO + 1; i < 10; i++)
            (void)!ftruncate(i, 0);
        return 0;
    case BEYOND:
        if (array)
            array[n] = 1.0;
        return 0;
    default:
        return 0;
    }
}
#define TRY(call, array, n)                                                                        \
    do {                                                                                           \
        if (fails(self, call, array, n))                                                           \
            return -1;                                                                             \
    } while (0)

typedef struct constants {
    double w;
} constants;

/* Memory of an instance: its events, and the time of the next time event. */
typedef struct memory {
    int64_t n_event;
    double next_s;
} memory;

enum { N_SLOT = WRSIM_SLOTS };
/* The own state of process.sparse: the number of accepted steps, which no equation reads, and its copies. */
static double n_step, kept[N_SLOT];

static int is_sparse(const wrsim_instance *self) { return self->user != NULL; }

static int describe(wrsim_instance *self, wrsim_description *to)
{
    TRY("describe", NULL, 0);
    static const struct {
        wrsim_kind kind;
        wrsim_variable variable;
    } rows[] = {{WRSIM_STATE, {.name = "x0", .unit = "m", .start = 1.0}},
                {WRSIM_STATE, {.name = "x1", .unit = "m/s"}},
                {WRSIM_DISCRETE, {.name = "s", .start = 0.5}},
                {WRSIM_INPUT, {.name = "u", .unit = "m"}},
                {WRSIM_INPUT, {.name = "b0", .unit = "m"}},
                {WRSIM_INPUT, {.name = "b1", .unit = "m/s"}},
                {WRSIM_OUTPUT, {.name = "y", .unit = "m", .flags = WRSIM_IS_STATE, .index = 0}},
                {WRSIM_OUTPUT, {.name = "v", .unit = "m/s"}},
                {WRSIM_OUTPUT, {.name = "through", .unit = "m"}},
                {WRSIM_INDICATOR, {.name = "z0"}},
                {WRSIM_INDICATOR, {.name = "z1"}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (to->add(to, rows[i].kind, &rows[i].variable))
            return -1;
    static const int entries[][2] = {
        {0, 1}, {1, 0}, {1, 1}, {1, 1}}; /* the last entry appears twice */
    for (size_t i = 0; i < 4; i++)
        if (to->depends(to, WRSIM_X_X, entries[i][0], entries[i][1]))
            return -1;
    if (to->depends(to, WRSIM_U_Y, 2, 0))
        return -1;
    to->n_w = 1;
    to->data_bytes = sizeof(constants);
    to->memory_bytes = sizeof(memory);
    to->time_scale_s = (double)INFINITY;
    return is_sparse(self) ? 0 : to->port(to, 1, 2);
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    TRY("init", x, 2);
    ((constants *)self->data)->w = 4.0 + (double)strlen(self->text[LABEL]);
    ((memory *)self->memory)->next_s = t_s + 0.37;
    x[1] = d[0];
    n_step = 0.0;
    return 0;
}

static int init_from_inputs(wrsim_instance *self, const wrsim_point *at, double *x, double *d)
{
    TRY("init_from_inputs", x, 2);
    d[0] = 0.5 + 0.01 * at->u[0];
    return 0;
}

static double block(const wrsim_instance *self, const wrsim_point *at)
{
    const double *const b = is_sparse(self) ? at->u + 1 : at->port[0];
    return b[0] - b[1];
}

static int algebra(wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    TRY("algebra", ret_w, 1);
    ret_w[0] = at->u[0] + at->d[0] + block(self, at) + (at->mode[0] ? 0.2 : 0.0);
    return 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    TRY("rhs", ret_dx, 2);
    ret_dx[0] = at->x[1];
    ret_dx[1] = -((const constants *)self->data)->w * at->x[0] - self->param[FRICTION] * at->x[1] +
                at->w[0];
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    TRY("output", ret_y, 3);
    ret_y[1] = at->x[1];
    ret_y[2] = 0.1 * at->u[0] + at->d[0];
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    TRY("indicator", ret_z, 2);
    ret_z[0] = at->x[0];
    ret_z[1] = at->x[1] - 0.3;
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *cause, double *x,
                 double *d)
{
    TRY("event", x, 2);
    memory *const m = self->memory;
    m->n_event++;
    if (cause->is_time_event)
        m->next_s = at->t_s + 0.37;
    if (cause->fired && cause->fired[0])
        x[1] = 0.98 * at->x[1];
    d[0] = 0.5 - 0.9 * d[0] + 1e-3 * (double)m->n_event;
    return 0;
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    (void)at;
    if (fails(self, "next_time", NULL, 0))
        return (double)NAN;
    return ((const memory *)self->memory)->next_s;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret)
{
    (void)at;
    TRY("jacobian", ret, 4);
    ret[0] = 0.0;
    ret[1] = -((const constants *)self->data)->w;
    ret[2] = 1.0;
    ret[3] = -self->param[FRICTION];
    return 0;
}

static int jacobian_sparse(wrsim_instance *self, const wrsim_point *at, double *ret)
{
    (void)at;
    TRY("jacobian_sparse", ret, 3);
    ret[0] = -((const constants *)self->data)->w;
    ret[1] = 1.0;
    ret[2] = -self->param[FRICTION];
    return 0;
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret)
{
    (void)at;
    TRY("tangent", ret, 2);
    ret[0] = x_change[1];
    ret[1] = -((const constants *)self->data)->w * x_change[0] -
             self->param[FRICTION] * x_change[1] + u_change[0] + u_change[1] - u_change[2];
    return 0;
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret)
{
    (void)at;
    TRY("tangent_output", ret, 3);
    ret[1] = x_change[1];
    ret[2] = 0.1 * u_change[0];
    return 0;
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    TRY("step_completed", NULL, 0);
    n_step += 1.0;
    return fmod(at->t_s, 1.0) > 0.999 ? WRSIM_ENTER_EVENT : 0;
}

static void done(wrsim_instance *self) { (void)fails(self, "done", NULL, 0); }

/* ---- the own state ---- */

static int keep(wrsim_instance *self, int slot)
{
    TRY("keep", NULL, 0);
    kept[slot] = n_step;
    return 0;
}

static int go_back(wrsim_instance *self, int slot)
{
    TRY("go_back", NULL, 0);
    n_step = kept[slot];
    return 0;
}

static void forget(wrsim_instance *self, int slot)
{
    (void)fails(self, "forget", NULL, 0);
    kept[slot] = 0.0;
}

static size_t bytes(wrsim_instance *self)
{
    return fails(self, "bytes", NULL, 0) ? SIZE_MAX : sizeof n_step;
}

static int write_state(wrsim_instance *self, void *to, size_t n_bytes)
{
    TRY("write", NULL, 0);
    memcpy(to, &n_step, n_bytes);
    return 0;
}

static int read_state(wrsim_instance *self, const void *from, size_t n_bytes)
{
    TRY("read", NULL, 0);
    memcpy(&n_step, from, n_bytes);
    return 0;
}

static const wrsim_own_state own_state = {.struct_size = sizeof own_state,
                                          .keep = keep,
                                          .go_back = go_back,
                                          .forget = forget,
                                          .bytes = bytes,
                                          .write = write_state,
                                          .read = read_state};

/* ---- the stepper ---- */

static int stepper_describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    const wrsim_variable u = {.name = "u", .unit = "m"}, y = {.name = "y", .unit = "m"};
    to->memory_bytes = 2 * sizeof(double); /* x, and the number of steps */
    return to->add(to, WRSIM_INPUT, &u) || to->add(to, WRSIM_OUTPUT, &y) ? -1 : 0;
}

static int stepper_output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)at;
    TRY("output", ret_y, 1);
    ret_y[0] = *(const double *)self->memory;
    return 0;
}

static double stepper_next_time(wrsim_instance *self, const wrsim_point *at)
{
    if (fails(self, "next_time", NULL, 0))
        return (double)NAN;
    return at->t_s + 0.0123;
}

static int advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    TRY("advance", ret_slope, 1);
    enum { N = 5 };
    double *const x = self->memory;
    const double h = (step->end_s - step->t_s) / N;
    double u, slope;
    x[1] += 1.0;                   /* a change of the memory before a question for inputs */
    if (self->param[FAULT] == ASK) /* the file shows the test that the questions have begun */
        (void)close(open(self->text[LABEL], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    while (self->param[FAULT] == ASK) {
        step->input(step, step->t_s, &u, NULL);
        (void)usleep(1);
    }
    for (int i = 0; i < N; i++) {
        step->input(step, step->t_s + i * h, &u, i % 2 ? &slope : NULL);
        x[0] += h * (u + (i % 2 ? 0.5 * h * slope : 0.0) - x[0]);
    }
    ret_slope[0] = step->u_end[0] - x[0];
    return fmod(x[1], 7.0) < 0.5 ? WRSIM_ENTER_EVENT : 0;
}

static int stepper_event(wrsim_instance *self, const wrsim_point *at)
{
    TRY("stepper_event", NULL, 0);
    double *const x = self->memory;
    if (fmod(x[1], 7.0) >= 0.5)
        return 0;
    x[0] += 0.01 * at->u[0];
    x[1] += 1.0;
    return WRSIM_ENTER_EVENT;
}

static const wrsim_stepper stepper = {
    .struct_size = sizeof stepper, .advance = advance, .event = stepper_event};

#define MODEL(name_)                                                                               \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_,                     \
    .description = "model with every callback", .n_param = N_PARAM, .params = params
#define EQUATIONS                                                                                  \
    .describe = describe, .init = init, .rhs = rhs, .output = output, .algebra = algebra,          \
    .indicator = indicator, .event = event, .next_time = next_time, .tangent = tangent,            \
    .tangent_output = tangent_output, .done = done

static const wrsim_model dense = {MODEL("process.dense"), EQUATIONS, .caps = WRSIM_CAP_RT_SAFE,
                                  .jacobian = jacobian, .init_from_inputs = init_from_inputs},
                         sparse = {MODEL("process.sparse"),
                                   EQUATIONS,
                                   .jacobian_sparse = jacobian_sparse,
                                   .user = &own_state,
                                   .step_completed = step_completed,
                                   .own_state = &own_state},
                         once = {MODEL("process.once"), EQUATIONS, .caps = WRSIM_CAP_ONE_INSTANCE,
                                 .jacobian = jacobian},
                         many = {MODEL("process.many"), EQUATIONS, .jacobian = jacobian},
                         stepping = {MODEL("process.stepper"), .describe = stepper_describe,
                                     .output = stepper_output, .next_time = stepper_next_time,
                                     .stepper = &stepper};

/* Crashes while the plug-in is loaded, if the environment demands it. */
__attribute__((constructor)) static void load(void)
{
    if (getenv("EVERY_CALL_CRASH"))
        raise(SIGSEGV);
}

const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model *const models[] = {&dense, &sparse, &once, &many, &stepping, NULL};
    return abi == WRSIM_MODEL_ABI ? models : NULL;
}
