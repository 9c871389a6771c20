/* One run of wrsim or of a peer, its time, its counts and its error. See bench.h.
 *
 * A peer is another program that integrates the same model code (bench/peers/peers.c). It measures itself
 * the same way and says "name value" line by line on its standard output.
 *
 * Thread: main, and a progress callback on a worker. Real-time: no.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "cli/print.h"
#include "runtime/sim/counted_work.h"

enum { MAX_ARGUMENT = 160, COST_RUNS = 3 };

static const char STOPPED[] = "stopped";

/* A run this long is not repeated only to know its cost. */
static const double LONG_S = 2.0;

/* What is known already: equal settings are run once. */
typedef struct wr_bench_known {
    const char *key;
    double value;
    wr_bench_sample work;
    struct wr_bench_known *next;
} wr_bench_known;

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
        text = wr_bench_text(bench, "%s, %s", text, wr_bench_baselines[i]);
    return text;
}

/* ---- wrsim itself ---- */

typedef struct wr_watch {
    const wr_bench *bench;
    wrsim *sim;
    int64_t until_ns;
} wr_watch;

static void stop_when_late(void *user, const wrsim_progress *progress)
{
    wr_watch *const watch = user;
    (void)progress;
    if (wr_clock_monotonic_ns() > watch->until_ns || wr_bench_is_over(watch->bench))
        wrsim_stop(watch->sim);
}

/* Room for parts, with what does not change. The names of a simulation go with it. */
static void make_parts(wr_bench *bench, const wrsim *sim, int n)
{
    wrsim_subsystem_stats s;
    bench->part = wr_settings_memory_take(bench->memory, (size_t)n, sizeof *bench->part);
    bench->n_part = bench->part ? n : 0;
    for (int i = 0; i < bench->n_part && wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++)
        bench->part[i] = (wr_bench_part){.name = wr_bench_text(bench, "%s", s.name),
                                         .solver = wr_bench_text(bench, "%s", s.solver),
                                         .n_state = s.n_state,
                                         .n_input = s.n_input,
                                         .rtol = s.rtol};
}

static void add_counts(wr_bench *bench, const wrsim *sim, double sign, wr_bench_sample *sample)
{
    wrsim_stats stats;
    wrsim_subsystem_stats s;
    if (wrsim_stats_get(sim, &stats) != WRSIM_OK)
        return;
    if (bench->has_parts && bench->n_part != stats.n_subsystem)
        make_parts(bench, sim, stats.n_subsystem);
    sample->n_window += sign * (double)stats.n_window;
    sample->n_sweep += sign * (double)stats.n_sweep;
    sample->n_integration += sign * (double)stats.n_integration;
    sample->accepted_s += sign * stats.accepted_s;
    sample->n_rhs_accepted += sign * (double)stats.n_rhs_accepted;
    memcpy(sample->bound_core, stats.bound_core, sizeof sample->bound_core);
    for (int i = 0; i < WRSIM_BOUND_CASES; i++)
        sample->bound_s[i] += sign * stats.bound_wall_s[i];
    for (int i = 0; wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++) {
        sample->n_step += sign * (double)s.n_step;
        sample->n_rhs += sign * (double)s.n_rhs;
        if (stats.n_state > 0)
            sample->n_rhs_whole += sign * (double)s.n_rhs * s.n_state / stats.n_state;
        sample->n_indicator += sign * (double)s.n_indicator_evaluation;
        sample->n_event += sign * (double)(s.n_state_event + s.n_time_event);
        if (i < bench->n_part) {
            bench->part[i].work += sign * wr_counted_work(&s, stats.n_subsystem, NULL);
            bench->part[i].n_integration += sign * (double)s.n_integration;
        }
    }
}

const char *wr_bench_signals_text(wr_bench *bench, const wr_bench_case *c)
{
    const char *signals = "";
    for (int i = 0; i < c->signal.n; i++)
        signals = wr_bench_text(bench, "%s%s\"%s\"", signals, i ? ", " : "", c->signal.item[i]);
    return wr_bench_text(bench, "output.signals=[%s]", signals);
}

static void own_overrides(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                          const char *result, wr_bench_list *to)
{
    const wr_bench_case *const c = bench->at;
    for (int i = 0; i < c->override.n; i++)
        wr_bench_list_add(bench, to, c->override.item[i]);
    for (int i = 0; i < setting->override.n; i++)
        wr_bench_list_add(bench, to, setting->override.item[i]);
    if (setting->rtol > 0.0)
        wr_bench_list_add(bench, to, wr_bench_text(bench, "simulation.rtol=%.17g", setting->rtol));
    wr_bench_list_add(bench, to, wr_bench_text(bench, "scheduler.workers=%d", n_worker));
    wr_bench_list_add(bench, to, "output.json=\"\"");
    wr_bench_list_add(bench, to, "output.events=false");
    wr_bench_list_add(bench, to, "output.decimation=1");
    wr_bench_list_add(bench, to, wr_bench_text(bench, "output.start=%.17g", c->start_s));
    wr_bench_list_add(bench, to, wr_bench_text(bench, "output.file=\"%s\"", result ? result : ""));
    /* Without a file nothing is to be recorded; one signal is the least that can be asked for. */
    wr_bench_list_add(bench, to,
                      result || !bench->reference ? wr_bench_signals_text(bench, c)
                                                  : wr_bench_text(bench, "output.signals=[\"%s\"]",
                                                                  bench->reference->name[0]));
    if (result)
        wr_bench_list_add(bench, to,
                          wr_bench_text(bench, "simulation.communication_step=%.17g", c->grid_s));
}

/* Warm-up, then what is measured. */
static wrsim_status drive(wr_bench *bench, wrsim *sim, wr_bench_sample *sample, wrsim_error *err)
{
    const wr_bench_case *const c = bench->at;
    wr_watch watch = {bench, sim,
                      wr_clock_monotonic_ns() + (int64_t)(bench->options.limit_s * 1e9)};
    wrsim_set_progress(sim, stop_when_late, &watch);
    wrsim_status status = wrsim_prepare(sim, err);
    if (status >= 0 && c->warm_s > 0.0)
        status = wrsim_advance(sim, c->start_s + c->warm_s, err);
    if (status != WRSIM_OK)
        return status;
    add_counts(bench, sim, -1.0, sample);
    const int64_t cpu_ns = wr_clock_thread_cpu_ns(), wall_ns = wr_clock_monotonic_ns();
    status = wrsim_run(sim, err);
    sample->wall_s = (double)(wr_clock_monotonic_ns() - wall_ns) * 1e-9;
    sample->cpu_s = (double)(wr_clock_thread_cpu_ns() - cpu_ns) * 1e-9;
    add_counts(bench, sim, 1.0, sample);
    return status == WRSIM_INACCURATE ? WRSIM_OK : status; /* its error is measured */
}

static void run_own(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                    const char *result, wr_bench_sample *sample)
{
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wr_bench_list overrides = {0};
    for (int i = 0; i < bench->n_part; i++)
        bench->part[i].work = bench->part[i].n_integration = 0.0;
    own_overrides(bench, setting, n_worker, result, &overrides);
    wrsim_status status = wrsim_config_from_file(bench->at->config, overrides.item, overrides.n,
                                                 NULL, NULL, &config, &err);
    if (status >= 0 && wrsim_config_is_undecided(config)) {
        status = wrsim_study_split(config, 0, &sample->choice, &err);
        if (status >= 0)
            status = wrsim_config_keep_split(config, &sample->choice, &err);
    }
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    if (status >= 0)
        status = drive(bench, sim, sample, &err);
    if (sim && result && status == WRSIM_OK)
        status = wrsim_finish(sim, &err);
    wrsim_destroy(&sim);
    wrsim_config_destroy(&config);
    if (status == WRSIM_STOPPED && wr_bench_is_over(bench))
        snprintf(sample->why, sizeof sample->why, "%s", STOPPED);
    else if (status == WRSIM_STOPPED)
        snprintf(sample->why, sizeof sample->why, "took more than %g s", bench->options.limit_s);
    else if (status < 0)
        snprintf(sample->why, sizeof sample->why, "%.200s", err.text);
}

/* ---- peers ---- */

/* The program beside this one: in its folder, where the build puts it, or where it is installed. */
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
        const char *const path = wr_bench_text(bench, "%s/%s", self, places[i]);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

/* Runs a program; what it says comes to *ret_out. Returns a stream, NULL when it cannot start. */
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
        } const arguments = {argument}; /* execv() promises not to write */
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

static void take_line(const char *line, wr_bench_sample *sample)
{
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

static void call_peer(const char *const *argument, double limit_s, wr_bench_sample *sample)
{
    pid_t pid = 0;
    FILE *const out = start_program(argument, (unsigned)ceil(limit_s), &pid);
    char line[512];
    int state = 0;
    while (out && fgets(line, sizeof line, out))
        take_line(line, sample);
    if (out)
        fclose(out);
    if (pid > 0 && wr_bench_is_interrupted())
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    sample->n_rhs_whole = sample->n_rhs;
    if (wr_bench_is_interrupted())
        snprintf(sample->why, sizeof sample->why, "%s", STOPPED);
    else if (!out)
        snprintf(sample->why, sizeof sample->why, "%.120s cannot be run: %s", argument[0],
                 strerror(errno));
    else if (WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM)
        snprintf(sample->why, sizeof sample->why, "took more than %g s", limit_s);
    else if (state != 0 && !sample->why[0])
        snprintf(sample->why, sizeof sample->why, "%.120s failed", argument[0]);
}

const char *wr_bench_peer_missing(wr_bench *bench, const char *name)
{
    const char *const program = peer_program(bench);
    if (!program)
        return "the program wrsim-peers is not built or not beside this one";
    const char *const argument[] = {program, "--probe", "--method", name, NULL};
    wr_bench_sample sample = {0};
    call_peer(argument, 60.0, &sample);
    return sample.why[0] ? wr_bench_text(bench, "%s", sample.why) : NULL;
}

static void run_peer(wr_bench *bench, const wr_bench_setting *setting, const char *result,
                     wr_bench_sample *sample)
{
    const wr_bench_case *const c = bench->at;
    const char *argument[MAX_ARGUMENT] = {
        peer_program(bench),
        "--method",
        setting->peer,
        "--rtol",
        wr_bench_text(bench, "%.17g", setting->rtol),
        "--warm",
        wr_bench_text(bench, "%.17g", c->warm_s),
    };
    int n = 7;
    if (result) {
        argument[n++] = "--result";
        argument[n++] = result;
        argument[n++] = "--grid";
        argument[n++] = wr_bench_text(bench, "%.17g", c->grid_s);
    }
    for (int k = 0; k < 2; k++) {
        const wr_bench_list *const list = k == 0 ? &c->override : &setting->override;
        for (int i = 0; i < list->n && n + 8 < MAX_ARGUMENT; i++) {
            argument[n++] = "-D";
            argument[n++] = list->item[i];
        }
    }
    argument[n++] = "-D";
    argument[n++] = wr_bench_signals_text(bench, c);
    argument[n++] = "-D"; /* without a file no rows are made */
    argument[n++] = wr_bench_text(bench, "output.file=\"%s\"", result ? result : "");
    argument[n++] = c->config;
    argument[n] = NULL;
    if (!argument[0])
        snprintf(sample->why, sizeof sample->why, "there is no program wrsim-peers");
    else
        call_peer(argument, wr_min(bench->options.limit_s, wr_max(1.0, wr_bench_left_s(bench))),
                  sample);
    for (int i = 0; i < WRSIM_BOUND_CASES; i++)
        sample->bound_s[i] = (double)NAN;
}

void wr_bench_run(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                  const char *result, wr_bench_sample *ret_sample)
{
    *ret_sample = (wr_bench_sample){.wall_s = 0.0};
    if (wr_bench_is_over(bench))
        snprintf(ret_sample->why, sizeof ret_sample->why, "%s", STOPPED);
    else if (setting->peer)
        run_peer(bench, setting, result, ret_sample);
    else
        run_own(bench, setting, n_worker, result, ret_sample);
    if (!ret_sample->why[0] && !(ret_sample->wall_s > 0.0))
        snprintf(ret_sample->why, sizeof ret_sample->why, "no time was measured");
}

/* ---- errors ---- */

/* Signals of the reference that the result lacks make it infinite: they must not be passed over.
 * *ret_signal: the worst one, by the reference's name, NULL where there is no error. */
static double error_between(const wr_results *a, const wr_results *reference,
                            const char **ret_signal)
{
    wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    const int n = wr_results_compare(a, reference, &difference, &overlap, &err);
    *ret_signal = NULL;
    double worst =
        n == reference->n_signal && overlap.n_row == reference->n_row ? 0.0 : (double)INFINITY;
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        int k = 0;
        while (k < reference->n_signal && strcmp(reference->name[k], difference[i].name) != 0)
            k++;
        for (int j = 0; k < reference->n_signal && j < reference->n_row; j++)
            size = wr_max(size,
                          fabs(reference->value[(size_t)k * (size_t)reference->n_row + (size_t)j]));
        const double error = difference[i].max_abs / (size > 0.0 ? size : 1.0);
        if (error > worst) {
            worst = error;
            *ret_signal = k < reference->n_signal ? reference->name[k] : NULL;
        }
    }
    free(difference);
    return worst;
}

static wr_results *record(wr_bench *bench, const wr_bench_setting *setting, const char *name,
                          wr_bench_sample *sample)
{
    wrsim_error err = {0};
    const char *const file = wr_bench_text(bench, "%s/%s.csv", bench->folder, name);
    wr_bench_run(bench, setting, 1, file, sample);
    wr_results *const results = sample->why[0] ? NULL : wr_results_load(file, &err);
    if (!results && !sample->why[0])
        snprintf(sample->why, sizeof sample->why, "%.200s", err.text);
    unlink(file);
    return results;
}

/* The reference's own error is estimated from a run with a tolerance ten times looser. */
int wr_bench_reference(wr_bench *bench)
{
    const wr_bench_case *const c = bench->at;
    const double limit_s = bench->options.limit_s;
    wr_bench_setting setting = {.rtol = c->reference_rtol};
    wr_bench_sample sample;
    wr_bench_list_add(bench, &setting.override, "solver.rtol=0"); /* simulation.rtol it is */
    wr_bench_list_add(bench, &setting.override, "simulation.monolithic=true");
    wr_bench_list_add(bench, &setting.override,
                      wr_bench_text(bench, "solver.kind=%s", c->reference_solver));
    wr_bench_list_add(
        bench, &setting.override,
        wr_bench_text(bench, "simulation.event_tolerance=%.17g", c->reference_event_s));
    bench->options.limit_s = 20.0 * limit_s; /* it is run twice only */
    wr_results_destroy(&bench->reference);
    bench->reference = record(bench, &setting, "reference", &sample);
    wr_results *looser = NULL;
    if (bench->reference) {
        setting.rtol *= 10.0;
        looser = record(bench, &setting, "looser", &sample);
    }
    bench->options.limit_s = limit_s;
    if (!looser && wr_bench_is_over(bench))
        return 0; /* said once, for all */
    if (!looser) {
        fprintf(stderr, "wrsim: error: case '%s': the reference run failed: %s\n", c->name,
                sample.why);
        return wrsim_status_exit_code(WRSIM_E_SOLVER);
    }
    bench->reference_error = error_between(looser, bench->reference, &bench->worst_signal);
    wr_results_destroy(&looser);
    if (!(bench->reference_error < 0.1 * c->error))
        fprintf(stderr,
                "wrsim: case '%s': its reference changes by %.2g when its tolerance does: too much "
                "to judge an error of %.2g\n",
                c->name, bench->reference_error, c->error);
    return 0;
}

/* ---- what is known already ---- */

static wr_bench_known *known_value(wr_bench *bench, const wr_bench_setting *setting, int n_worker)
{
    const char *key = wr_bench_text(bench, "%d %s %.17g", n_worker,
                                    setting->peer ? setting->peer : "", setting->rtol);
    for (int i = 0; i < setting->override.n; i++)
        key = wr_bench_text(bench, "%s;%s", key, setting->override.item[i]);
    for (wr_bench_known *k = bench->known; k; k = k->next)
        if (strcmp(k->key, key) == 0)
            return k;
    wr_bench_known *const added = wr_settings_memory_take(bench->memory, 1, sizeof *added);
    if (!added)
        return NULL;
    *added = (wr_bench_known){.key = key, .value = -1.0, .next = bench->known};
    bench->known = added;
    return added;
}

void wr_bench_forget(wr_bench *bench) { bench->known = NULL; }

double wr_bench_try(wr_bench *bench, const wr_bench_setting *setting, wr_bench_sample *ret_sample)
{
    wr_results *results = record(bench, setting, "run", ret_sample);
    const double error =
        results ? error_between(results, bench->reference, &bench->worst_signal) : (double)NAN;
    wr_results_destroy(&results);
    return error;
}

double wr_bench_error(wr_bench *bench, const wr_bench_setting *setting)
{
    wr_bench_known *const known = known_value(bench, setting, 0);
    if (!known || known->value != -1.0)
        return known ? known->value : (double)NAN;
    wr_bench_sample sample;
    known->value = wr_bench_try(bench, setting, &sample);
    return known->value;
}

/* One run more; 0 when there is no sense in another. ret_cost_s is NULL or its cost, NaN if it
 * failed. */
static int cost_once(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                     wr_bench_known *known, double *ret_cost_s)
{
    wr_bench_sample sample;
    wr_bench_run(bench, setting, n_worker, NULL, &sample);
    const double cost_s = n_worker == 1 ? sample.cpu_s : sample.wall_s;
    if (ret_cost_s)
        *ret_cost_s = sample.why[0] ? (double)NAN : cost_s;
    if (!sample.why[0] && !(cost_s >= known->value)) {
        known->value = cost_s;
        known->work = sample;
    }
    return !sample.why[0] && sample.wall_s <= LONG_S;
}

double wr_bench_cost_again(wr_bench *bench, const wr_bench_setting *setting, int n_worker)
{
    wr_bench_known *const known = known_value(bench, setting, n_worker);
    if (!known || known->value == -1.0)
        return wr_bench_cost(bench, setting, n_worker, NULL);
    double cost_s = known->value;
    if (known->value <= LONG_S)
        cost_once(bench, setting, n_worker, known, &cost_s);
    return cost_s;
}

double wr_bench_cost(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                     wr_bench_sample *ret_work)
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
