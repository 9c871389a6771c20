/* See bench_run.h. Peers are other programs that integrate the same model code (bench/peers/peers.c). A peer measures its time as
 * wrsim does, and prints lines "name value" on standard output.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

enum { COST_RUNS = 3 };

/* Wall s above which the benchmark does not repeat a run to measure its cost (assumed). */
static const double LONG_S = 2.0;

/* Cache entry: the error of a setting, or its least cost on a number of workers. */
typedef struct wr_bench_known {
    const char *key;
    double value;
    wr_trial_sample work;
    struct wr_bench_known *next;
} wr_bench_known;

enum { MAX_ARGUMENT = 160 };

const char *const wr_bench_baselines[] = {
    "monolithic",  "cvode-bdf-dense", "cvode-bdf-klu", "cvode-adams", "arkode-erk",
    "arkode-erk5", "arkode-dirk",     "arkode-dirk5",  "lsodar",      NULL};

int wr_bench_is_baseline(const char *name)
{
    for (int i = 0; wr_bench_baselines[i]; i++)
        if (strcmp(wr_bench_baselines[i], name) == 0)
            return 1;
    return 0;
}

const char *wr_bench_baselines_text(wr_bench *bench)
{
    const char *text = wr_bench_baselines[0];
    for (int i = 1; wr_bench_baselines[i]; i++)
        text = wr_text(bench->trial.memory, "%s, %s", text, wr_bench_baselines[i]);
    return text;
}

/* Returns the path of the program wrsim-peers: the option --peers, or a place in the build folder or installation of this program; NULL if
 * no place has the program. */
static const char *peer_program(wr_bench *bench)
{
    static const char *const places[] = {"wrsim-peers", "bench/peers/wrsim-peers",
                                         "../libexec/wrsim/wrsim-peers"};
    char self[1024];
    if (bench->options.peers)
        return bench->options.peers;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *const slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    for (size_t i = 0; i < WR_COUNT_OF(places); i++) {
        const char *const path = wr_text(bench->trial.memory, "%s/%s", self, places[i]);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

/* Starts a program. Returns a stream of the program's output; NULL on failure. */
static FILE *start_program(const char *const *argument, unsigned limit_s, pid_t *ret_pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        union {
            const char *const *read;
            char *const *write;
        } const arguments = {argument}; /* execv() does not write to its arguments */
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        alarm(limit_s);
        execv(argument[0], arguments.write);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return NULL;
    }
    *ret_pid = pid;
    return fdopen(ends[0], "r");
}

static void call_peer(const char *const *argument, double limit_s, wr_trial_sample *sample)
{
    pid_t pid = 0;
    FILE *const out = start_program(argument, (unsigned)ceil(limit_s), &pid);
    char line[512];
    int state = 0;
    while (out && fgets(line, sizeof line, out)) {
        const struct {
            const char *name;
            double *to;
        } numbers[] = {{"wall_s", &sample->wall_s},   {"cpu_s", &sample->cpu_s},
                       {"n_step", &sample->n_step},   {"n_rhs", &sample->n_rhs},
                       {"n_event", &sample->n_event}, {"n_indicator", &sample->n_indicator}};
        const size_t n_name = strcspn(line, " ");
        const char *const value = line[n_name] ? line + n_name + 1 : "";
        for (size_t i = 0; i < WR_COUNT_OF(numbers); i++)
            if (strlen(numbers[i].name) == n_name && strncmp(line, numbers[i].name, n_name) == 0)
                *numbers[i].to = strtod(value, NULL);
        if (strncmp(line, "why ", 4) == 0)
            snprintf(sample->why, sizeof sample->why, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (out)
        fclose(out);
    if (pid > 0 && wr_bench_is_interrupted())
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    sample->n_rhs_whole = sample->n_rhs;
    if (wr_bench_is_interrupted())
        snprintf(sample->why, sizeof sample->why, "stopped");
    else if (!out)
        snprintf(sample->why, sizeof sample->why,
                 "%.120s cannot be run: %s; check the permissions of the program", argument[0],
                 strerror(errno));
    else if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
        snprintf(sample->why, sizeof sample->why, "took more than %g s; raise --limit or --total",
                 limit_s);
    else if (state != 0 && !sample->why[0])
        snprintf(sample->why, sizeof sample->why,
                 "%.120s failed; run this program alone to see its errors", argument[0]);
}

const char *wr_bench_peer_missing(wr_bench *bench, const char *name)
{
    const char *const program = peer_program(bench);
    if (!program)
        return "the folder of wrsim has no program wrsim-peers; build it, or name it by --peers";
    const char *const argument[] = {program, "--probe", "--method", name, NULL};
    wr_trial_sample sample = {0};
    call_peer(argument, 60.0, &sample);
    return sample.why[0] ? wr_text(bench->trial.memory, "%s", sample.why) : NULL;
}

void wr_bench_run(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample)
{
    if (!setting->peer || wr_bench_is_over(bench)) {
        wr_trial_run(&bench->trial, setting, n_worker, result, ret_sample);
        return;
    }
    *ret_sample = (wr_trial_sample){.wall_s = 0.0};
    const wr_trial_case *const c = bench->trial.at;
    const char *argument[MAX_ARGUMENT] = {
        peer_program(bench),
        "--method",
        setting->peer,
        "--rtol",
        wr_text(bench->trial.memory, "%.17g", setting->rtol),
        "--warm",
        wr_text(bench->trial.memory, "%.17g", c->warm_s),
    };
    int n = 7;
    if (result) {
        argument[n++] = "--result";
        argument[n++] = result;
        argument[n++] = "--grid";
        argument[n++] = wr_text(bench->trial.memory, "%.17g", c->grid_s);
    }
    for (int k = 0; k < 2; k++) {
        const wr_texts *const list = k == 0 ? &c->override : &setting->override;
        for (int i = 0; i < list->n && n + 8 < MAX_ARGUMENT; i++) {
            argument[n++] = "-D";
            argument[n++] = list->item[i];
        }
    }
    argument[n++] = "-D";
    argument[n++] = wr_trial_signals(&bench->trial, c);
    argument[n++] = "-D"; /* without a result file a peer records no rows */
    argument[n++] = wr_text(bench->trial.memory, "output.file=\"%s\"", result ? result : "");
    argument[n++] = c->config;
    argument[n] = NULL;
    if (!argument[0])
        snprintf(ret_sample->why, sizeof ret_sample->why,
                 "the program wrsim-peers is missing; name it by --peers");
    else
        call_peer(argument, wr_min(bench->options.limit_s, wr_max(1.0, wr_bench_left_s(bench))),
                  ret_sample);
    for (int i = 0; i < WRSIM_BOUND_CASES; i++)
        ret_sample->bound_s[i] = (double)NAN;
    if (!ret_sample->why[0] && !(ret_sample->wall_s > 0.0))
        snprintf(ret_sample->why, sizeof ret_sample->why,
                 "no time was measured; raise simulation.stop");
}

static wr_bench_known *known_value(wr_bench *bench, const wr_trial_setting *setting, int n_worker)
{
    const char *key = wr_text(bench->trial.memory, "%d %s %.17g", n_worker,
                              setting->peer ? setting->peer : "", setting->rtol);
    for (int i = 0; i < setting->override.n; i++)
        key = wr_text(bench->trial.memory, "%s;%s", key, setting->override.item[i]);
    for (wr_bench_known *k = bench->known; k; k = k->next)
        if (strcmp(k->key, key) == 0)
            return k;
    wr_bench_known *const added = wr_heap_pool_take(bench->trial.memory, 1, sizeof *added);
    if (!added)
        return NULL;
    *added = (wr_bench_known){.key = key, .value = -1.0, .next = bench->known};
    bench->known = added;
    return added;
}

void wr_bench_forget(wr_bench *bench) { bench->known = NULL; }

double wr_bench_error(wr_bench *bench, const wr_trial_setting *setting)
{
    wr_bench_known *const known = known_value(bench, setting, 0);
    if (!known || known->value != -1.0)
        return known ? known->value : (double)NAN;
    const char *const file = wr_trial_file(&bench->trial, "run");
    wr_bench_run(bench, setting, 1, file, &known->work);
    known->value = wr_trial_error(&bench->trial, file, &known->work);
    return known->value;
}

const char *wr_bench_failure(wr_bench *bench, const wr_trial_setting *setting)
{
    const wr_bench_known *const known = known_value(bench, setting, 0);
    return known ? known->work.why : "";
}

double wr_bench_point_time(const wr_trial_sample *s, int cores)
{
    for (int k = 0; k < WRSIM_BOUND_CASES && cores > 1; k++)
        if (s->bound_core[k] == cores)
            return s->bound_point_s[k];
    return s->point_s;
}

/* Runs the setting once, and keeps the cost in *known if no earlier run has a lower cost. Returns 0 if another run is pointless. ret_cost_s
 * (may be NULL) receives the cost, s; NaN if the run fails. */
static int cost_once(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_bench_known *known, double *ret_cost_s)
{
    wr_trial_sample sample;
    const int is_counted = bench->at->is_counted;
    wr_bench_run(bench, setting, is_counted ? 1 : n_worker, NULL, &sample);
    const double cost_s = is_counted      ? wr_bench_point_time(&sample, n_worker)
                          : n_worker == 1 ? sample.cpu_s
                                          : sample.wall_s;
    if (ret_cost_s)
        *ret_cost_s = sample.why[0] ? (double)NAN : cost_s;
    if (!sample.why[0] && !(cost_s >= known->value)) {
        known->value = cost_s;
        known->work = sample;
    }
    return !sample.why[0] && sample.wall_s <= LONG_S && !is_counted; /* counted costs are equal */
}

double wr_bench_cost_again(wr_bench *bench, const wr_trial_setting *setting, int n_worker)
{
    wr_bench_known *const known = known_value(bench, setting, n_worker);
    if (!known || known->value == -1.0)
        return wr_bench_cost(bench, setting, n_worker, NULL);
    double cost_s = known->value;
    if (known->value <= LONG_S)
        cost_once(bench, setting, n_worker, known, &cost_s);
    return cost_s;
}

double wr_bench_cost(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_trial_sample *ret_work)
{
    wr_bench_known *const known = known_value(bench, setting, n_worker);
    if (!known)
        return (double)NAN;
    const int n_run = known->value == -1.0 ? COST_RUNS : 0;
    if (n_run > 0)
        known->value = (double)NAN;
    for (int i = 0; i < n_run && cost_once(bench, setting, n_worker, known, NULL); i++)
        continue;
    if (ret_work)
        *ret_work = known->work;
    return known->value;
}
