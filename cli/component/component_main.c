/* The program wrsim-component: the process of a component, which wrsim starts (subsystems/model_process/model_process.h).
 *
 * Arguments: the process number of wrsim, and the file of models ("": the built-in models). The program opens the file and serves wrsim over
 * the descriptors of process_setup.h. It ends when wrsim closes the socket or ends.
 *
 * Thread: one thread makes all calls of the model; another thread waits for the end of wrsim. Real-time: no.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/fp_mode.h"
#include "cli/component/collect.h"
#include "cli/component/serve.h"
#include "models/models.h"
#include "subsystems/model_files/model_files.h"
#include "subsystems/model_process/process_setup.h"
#include "wrsim/version.h"

enum { FAILED = 1, MOST_PARAMETERS = 1 << 24 };

/* ---- the end of wrsim ---- */

/* Waits until wrsim ends, however it ends, then kills this process. Also a callback that does not return must not remain. */
static void *watch(void *descriptor)
{
    struct pollfd end = {.fd = *(int *)descriptor, .events = POLLIN};
    while (poll(&end, 1, -1) < 1)
        ;
    kill(getpid(), SIGKILL);
    return NULL;
}

/* Starts the thread that watches wrsim. Returns 0, an error number if the thread cannot start, or -1 if wrsim has ended. */
static int watch_parent(pid_t parent)
{
    static int descriptor;
    sigset_t all, before;
    pthread_t thread;
    descriptor = (int)syscall(SYS_pidfd_open, parent, 0);
    if (descriptor < 0 || getppid() != parent)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&thread, NULL, watch, &descriptor);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---- models ---- */

typedef struct component {
    const char *path; /* "": the built-in models */
    wr_model_files *files;
    const wrsim_model *const *models;
    int n_model;
} component;

static unsigned callbacks_of(const wrsim_model *m)
{
    const wrsim_own_state *const own = m->own_state;
    const struct {
        wr_process_call call;
        int is_there;
    } rows[] = {{WR_PROCESS_INIT_FROM_INPUTS, m->init_from_inputs != NULL},
                {WR_PROCESS_RHS, m->rhs != NULL},
                {WR_PROCESS_OUTPUT, m->output != NULL},
                {WR_PROCESS_ALGEBRA, m->algebra != NULL},
                {WR_PROCESS_INDICATOR, m->indicator != NULL},
                {WR_PROCESS_EVENT, m->event != NULL},
                {WR_PROCESS_NEXT_TIME, m->next_time != NULL},
                {WR_PROCESS_JACOBIAN, m->jacobian != NULL},
                {WR_PROCESS_JACOBIAN_SPARSE, m->jacobian_sparse != NULL},
                {WR_PROCESS_TANGENT, m->tangent != NULL},
                {WR_PROCESS_TANGENT_OUTPUT, m->tangent_output != NULL},
                {WR_PROCESS_STEP_COMPLETED, m->step_completed != NULL},
                {WR_PROCESS_ADVANCE, m->stepper != NULL},
                {WR_PROCESS_STEPPER_EVENT, m->stepper && m->stepper->event},
                {WR_PROCESS_KEEP, own != NULL},
                {WR_PROCESS_WRITE, own && own->write}};
    unsigned has = 0;
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++)
        has |= rows[i].is_there ? 1U << rows[i].call : 0U;
    return has;
}

/* Sends the version, and the errors or the models. Returns 0, or -1. */
static int introduce(component *c, const wr_diag *diag)
{
    wr_text_buffer to = {0};
    wr_message_put_text(&to, WRSIM_VERSION_STRING);
    wr_message_put_int(&to, (int)sizeof(wr_process_channel));
    wr_message_put_int(&to, diag->n_items);
    for (int i = 0; i < diag->n_items; i++) {
        wr_message_put_int(&to, (int)diag->items[i].status);
        wr_message_put_text(&to, diag->items[i].text);
    }
    while (diag->n_items == 0 && c->models[c->n_model])
        c->n_model++;
    wr_message_put_int(&to, c->n_model);
    for (int i = 0; i < c->n_model; i++) {
        const wrsim_model *const m = c->models[i];
        wr_message_put_text(&to, m->name);
        wr_message_put_text(&to, m->description);
        wr_message_put_int(&to, (int)m->caps);
        wr_message_put_int(&to, (int)callbacks_of(m));
        wr_message_put_int(&to, m->n_param);
        for (int k = 0; k < m->n_param; k++)
            wr_message_put_variable(&to, &m->params[k]);
    }
    return wr_message_send(WR_PROCESS_SOCKET, &to);
}

/* ---- requests ---- */

/* An instance with its parameters. */
typedef struct instance {
    const wrsim_model *model;
    double *param;
    const char **text;
    wrsim_instance instance;
} instance;

static void forget_instance(instance *i)
{
    free(i->param);
    free(i->text);
}

/* Reads the number of a model, and values of its parameters. Returns 0, or -1 when memory is exhausted. */
static int read_instance(const component *c, wr_message_reader *from, instance *ret)
{
    const int i_model = wr_message_get_int(from);
    *ret = (instance){.model = NULL};
    if (i_model < 0 || i_model >= c->n_model || from->is_short)
        return -1;
    ret->model = c->models[i_model];
    const int n = ret->model->n_param;
    ret->param = calloc((size_t)n + 1, sizeof *ret->param);
    ret->text = calloc((size_t)n + 1, sizeof *ret->text);
    if (!ret->param || !ret->text || n > MOST_PARAMETERS) {
        forget_instance(ret);
        return -1;
    }
    wr_message_get(from, ret->param, (size_t)n * sizeof *ret->param);
    for (int k = 0; k < n; k++)
        ret->text[k] = wr_message_get_text(from);
    ret->instance =
        (wrsim_instance){.param = ret->param, .text = ret->text, .user = ret->model->user};
    return 0;
}

static int answer_failure(const char *text)
{
    wr_text_buffer to = {0};
    wr_message_put_int(&to, -1);
    wr_message_put_text(&to, text);
    return wr_message_send(WR_PROCESS_SOCKET, &to);
}

static int answer_describe(const component *c, wr_message_reader *from)
{
    instance made;
    wr_collected collected;
    if (read_instance(c, from, &made) < 0)
        return answer_failure("out of memory for its parameters");
    const int rc = wr_collect(made.model, &made.instance, &collected);
    wr_text_buffer to = {0};
    wr_message_put_int(&to, rc);
    wr_message_put_text(&to, made.instance.message);
    if (!collected.declarations.is_failed)
        wr_message_put(&to, collected.declarations.text, collected.declarations.n_bytes);
    wr_collected_done(&collected);
    forget_instance(&made);
    return wr_message_send(WR_PROCESS_SOCKET, &to);
}

static void answer_success(void *context)
{
    wr_text_buffer to = {0};
    wr_message_put_int(&to, 0);
    *(int *)context = wr_message_send(WR_PROCESS_SOCKET, &to);
}

static int serve(const component *c, wr_message_reader *from)
{
    instance made;
    wr_collected collected;
    wr_served served = {.memory_fd = WR_PROCESS_MEMORY};
    if (read_instance(c, from, &made) < 0)
        return answer_failure("out of memory for its parameters");
    wr_message_get(from, &served.sizes, sizeof served.sizes);
    wr_message_get(from, &served.spin_ns, sizeof served.spin_ns);
    int status = 0;
    if (wr_collect(made.model, &made.instance, &collected) != 0 ||
        collected.memory_bytes != served.sizes.memory_bytes ||
        collected.n_port != served.sizes.n_port) {
        status = answer_failure("describe() of its model gives other declarations at its second "
                                "call; the declarations may depend on parameters only");
    } else {
        served.model = made.model;
        served.text = made.text;
        served.data_bytes = collected.data_bytes;
        served.n_port = collected.n_port;
        served.port_length = collected.port_length;
        if (wr_serve(&served, answer_success, &status) < 0)
            status = answer_failure("out of memory for the shared memory of its process");
    }
    wr_collected_done(&collected);
    forget_instance(&made);
    return status;
}

static int explain(const component *c, wr_message_reader *from)
{
    wr_text_buffer to = {0};
    const char *const name = wr_message_get_text(from);
    wr_message_put_text(&to, c->files && name ? wr_model_files_explain(c->files, name) : NULL);
    return wr_message_send(WR_PROCESS_SOCKET, &to);
}

/* Answers requests until wrsim closes the socket. */
static void answer_requests(const component *c)
{
    wr_message_reader from;
    int status = 0;
    while (status == 0 && wr_message_receive(WR_PROCESS_SOCKET, &from) == 0) {
        switch ((wr_process_request)wr_message_get_int(&from)) {
        case WR_PROCESS_DESCRIBE:
            status = answer_describe(c, &from);
            break;
        case WR_PROCESS_SERVE:
            status = serve(c, &from);
            break;
        case WR_PROCESS_EXPLAIN:
            status = explain(c, &from);
            break;
        }
        wr_message_done(&from);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)dprintf(STDERR_FILENO,
                      WR_PROCESS_PROGRAM ": wrsim starts this program for components with "
                                         "process = \"own\"; run wrsim instead\n");
        return FAILED;
    }
    /* A program that the model starts must not keep the socket open: its end shows wrsim the end of this process. */
    (void)fcntl(WR_PROCESS_SOCKET, F_SETFD, FD_CLOEXEC);
    (void)fcntl(WR_PROCESS_MEMORY, F_SETFD, FD_CLOEXEC);
    const int rc = watch_parent((pid_t)strtol(argv[1], NULL, 10));
    if (rc < 0)
        return FAILED;
    (void)wr_fp_mode_set(WR_FP_MODE_RUN); /* as wrsim opens and describes models */
    /* As in a run of wrsim: a model may print after the reader of its texts has ended. */
    (void)signal(SIGPIPE, SIG_IGN);
    wr_diag diag = {0};
    component c = {.path = argv[2], .models = wr_models};
    if (rc > 0)
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL,
                    "the process of a component cannot start a thread: %s; raise the limit of "
                    "processes (ulimit -u), or set process = \"own\" for fewer components",
                    strerror(rc));
    else if (*c.path) {
        c.files = wr_model_files_open(c.path, NULL, &diag);
        c.models = c.files ? wr_model_files_models(c.files) : NULL;
    }
    if (introduce(&c, &diag) == 0 && diag.n_items == 0)
        answer_requests(&c);
    wr_diag_done(&diag);
    wr_model_files_close(&c.files);
    return 0;
}
