/* wrsim-process-price: the time of a right-hand side in this process, and in a process of its own, in turn.
 *
 *     wrsim-process-price [-c CALLER_CPU PROCESS_CPU] FILE MODEL ...      FILE "": a built-in model; MODEL "": the first model of the file
 *
 * Each round measures CALLS right-hand sides in this process, then CALLS in the process of the model. Prints the medians of all rounds, and
 * the median of the ratios with its quartiles. Each call has another time and another first state, so that no FMU finds its last point again.
 * Without -c the kernel places the threads.
 *
 * Exit code: 0, 1 after an error. Thread: main. Real-time: no. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fp_mode.h"
#include "models/models.h"
#include "subsystems/model_files/model_files.h"
#include "subsystems/model_process/model_process.h"

enum { ROUNDS = 201, CALLS = 200 };
static const int64_t SPIN_NS = 300000; /* default of scheduler.spin_us */

/* An instance with a point, at which the program calls rhs(). */
typedef struct subject {
    wr_component *component;
    wrsim_instance instance;
    wrsim_point point;
    double *x, *d, *u, *w, *dx, *scratch;
    unsigned char *mode;
    const double **port;
} subject;

static void *take(size_t n, size_t bytes)
{
    void *const memory = calloc(n + 1, bytes);
    if (!memory) {
        fputs("wrsim-process-price: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void end_with(const char *what, const wrsim_instance *instance)
{
    fprintf(stderr, "wrsim-process-price: %s fails: %s\n", what,
            instance->message ? instance->message : "no reason");
    exit(EXIT_FAILURE);
}

static void report(wr_diag *diag)
{
    for (int i = 0; i < diag->n_items; i++)
        fprintf(stderr, "wrsim-process-price: %s\n", diag->items[i].text);
    wr_diag_done(diag);
}

static const wrsim_model *find(const wrsim_model *const *models, const char *name)
{
    while (*models && *name && strcmp((*models)->name, name) != 0)
        models++;
    return *models && (*models)->rhs ? *models : NULL;
}

/* Creates the component, and the memory of a point with its start values. */
static int create(subject *s, const wrsim_model *model, wr_diag *diag)
{
    s->component = wr_component_create("c", model, NULL, NULL, 0, NULL, 0, diag);
    if (!s->component)
        return -1;
    const wr_component *const c = s->component;
    const int n_x = c->n[WRSIM_STATE], n_d = c->n[WRSIM_DISCRETE], n_u = c->n[WRSIM_INPUT];
    s->x = take((size_t)n_x, sizeof *s->x);
    s->dx = take((size_t)n_x, sizeof *s->dx);
    s->d = take((size_t)n_d, sizeof *s->d);
    s->u = take((size_t)n_u, sizeof *s->u);
    s->w = take((size_t)c->n_w, sizeof *s->w);
    s->scratch = take((size_t)c->n[WRSIM_INDICATOR], sizeof *s->scratch);
    s->mode = take((size_t)c->n[WRSIM_INDICATOR], 1);
    s->port = take((size_t)c->n_port, sizeof *s->port);
    for (int i = 0; i < n_x; i++)
        s->x[i] = c->variable[WRSIM_STATE][i].start;
    for (int i = 0; i < n_d; i++)
        s->d[i] = c->variable[WRSIM_DISCRETE][i].start;
    for (int i = 0; i < n_u; i++)
        s->u[i] = c->variable[WRSIM_INPUT][i].start;
    for (int k = 0; k < c->n_port; k++)
        s->port[k] = s->u + c->port[k].first;
    s->instance = c->instance;
    s->instance.data = c->data_bytes ? take(c->data_bytes, 1) : NULL;
    s->instance.memory = c->memory_bytes ? take(c->memory_bytes, 1) : NULL;
    s->point =
        (wrsim_point){.x = s->x, .d = s->d, .u = s->u, .w = s->w, .mode = s->mode, .port = s->port};
    return 0;
}

/* Starts the instance, and makes its initial event. */
static void start(subject *s)
{
    const wrsim_model *const m = s->component->model;
    const wrsim_event first = {.fired = take((size_t)s->component->n[WRSIM_INDICATOR], 1),
                               .is_initial = 1};
    if (m->init && m->init(&s->instance, 0.0, s->x, s->d))
        end_with("init()", &s->instance);
    if (m->algebra && m->algebra(&s->instance, &s->point, s->w))
        end_with("algebra()", &s->instance);
    if (m->indicator && m->indicator(&s->instance, &s->point, s->scratch))
        end_with("indicator()", &s->instance);
    for (int i = 0; i < s->component->n[WRSIM_INDICATOR]; i++)
        s->mode[i] = s->scratch[i] > 0.0;
    if (m->event && m->event(&s->instance, &s->point, &first, s->x, s->d))
        end_with("event()", &s->instance);
}

/* Returns the time of a right-hand side, ns. */
static double measure(subject *s)
{
    const wrsim_model *const m = s->component->model;
    const double x = s->x[0];
    const int64_t start_ns = wr_clock_monotonic_ns();
    for (int i = 0; i < CALLS; i++) {
        s->point.t_s += 1e-9;
        s->x[0] = x * (1.0 + 1e-9 * i);
        if (m->rhs(&s->instance, &s->point, s->dx))
            end_with("rhs()", &s->instance);
    }
    const int64_t end_ns = wr_clock_monotonic_ns();
    s->x[0] = x;
    return (double)(end_ns - start_ns) / CALLS;
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double quantile(double *value, double share)
{
    qsort(value, ROUNDS, sizeof *value, compare);
    return value[(int)(share * (ROUNDS - 1))];
}

static int compare_one(const char *file, const char *name, const wr_process_waits *waits)
{
    static double here_ns[ROUNDS], there_ns[ROUNDS], ratio[ROUNDS];
    wr_diag diag = {0};
    subject here = {0}, there = {0};
    wr_model_files *const files = *file ? wr_model_files_open(file, NULL, &diag) : NULL;
    wr_model_process *process = wr_model_process_start(*file ? file : NULL, NULL, &diag);
    const wrsim_model *const model =
        files || !*file ? find(files ? wr_model_files_models(files) : wr_models, name) : NULL;
    const wrsim_model *const forwarded =
        process ? find(wr_model_process_models(process), name) : NULL;
    if (!model || !forwarded || create(&here, model, &diag) < 0 ||
        create(&there, forwarded, &diag) < 0) {
        report(&diag);
        fprintf(stderr, "wrsim-process-price: no model '%s' with states in '%s'\n", name, file);
        return -1;
    }
    wr_model_process_take_sizes(process, there.component);
    wr_model_process_set_waits(process, waits);
    start(&here);
    start(&there);
    for (int i = 0; i < ROUNDS; i++) {
        here_ns[i] = measure(&here);
        there_ns[i] = measure(&there);
        ratio[i] = there_ns[i] / here_ns[i];
    }
    const int is_same =
        memcmp(here.dx, there.dx, (size_t)here.component->n[WRSIM_STATE] * sizeof *here.dx) == 0;
    printf("%-24s %6d %10.0f %10.0f %9.1f %8.1f %8.1f  %s\n", model->name,
           here.component->n[WRSIM_STATE], quantile(here_ns, 0.5), quantile(there_ns, 0.5),
           quantile(ratio, 0.25), quantile(ratio, 0.5), quantile(ratio, 0.75),
           is_same ? "same bits" : "OTHER BITS");
    if (forwarded->done)
        forwarded->done(&there.instance);
    if (model->done)
        model->done(&here.instance);
    wr_model_process_end(&process);
    return is_same ? 0 : -1;
}

int main(int argc, char **argv)
{
    wr_process_waits waits = {
        .spin_ns = SPIN_NS, .process_spin_ns = SPIN_NS, .cpu = -1, .caller_cpu = -1};
    int at = 1, status = 0;
    if (argc > 3 && strcmp(argv[1], "-c") == 0) {
        cpu_set_t set;
        waits.caller_cpu = (int)strtol(argv[2], NULL, 10);
        waits.cpu = (int)strtol(argv[3], NULL, 10);
        CPU_ZERO(&set);
        CPU_SET(waits.caller_cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            perror("sched_setaffinity");
        at = 4;
    }
    (void)wr_fp_mode_set(WR_FP_MODE_RUN);
    printf("%-24s %6s %10s %10s %9s %8s %8s\n", "model", "states", "here [ns]", "own [ns]",
           "ratio 25%", "median", "75%");
    for (; at + 1 < argc; at += 2)
        status |= compare_one(argv[at], argv[at + 1], &waits);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
