/* The program's commands. See commands.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/commands.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/print_run.h"
#include "models/models.h"
#include "runtime/config/keys.h"
#include "runtime/record/results.h"
#include "scheduler/machine.h"
#include "scheduler/topology.h"
#include "subsystems/component.h"
#include "subsystems/plugin.h"

/* ---- run and check ---- */

/* The simulation that Ctrl-C stops: a signal handler can be told in no other way. */
static wrsim *volatile signal_sim;

/* A second one of either ends the program at once, also in the midst of a window. */
static void on_signal(int number)
{
    (void)number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (signal_sim)
        wrsim_stop(signal_sim);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Whether the split is to be kept: decided where the config leaves it open, else only told. */
static wrsim_status probe_split(wrsim_config *config)
{
    wrsim_split_probe found;
    wrsim_error err;
    wrsim_status status = wrsim_study_split(config, 0, &found, &err);
    if (status >= 0)
        status = wrsim_config_keep_split(config, &found, &err);
    if (status < 0)
        wr_print_error(NULL, &err);
    return status;
}

/* Config file to simulation; prints what is wrong. Returns the exit code. */
static int create(const wr_cli *cli, int has_probe, wrsim **ret_sim)
{
    wrsim_config *config = NULL;
    wrsim_status status = wrsim_config_from_file(cli->operand[0], cli->override, cli->n_override,
                                                 wr_print_error, NULL, &config, NULL);
    if (status >= 0 && (has_probe || wrsim_config_is_undecided(config)))
        status = probe_split(config);
    if (status >= 0)
        status = wrsim_create(config, wr_print_error, NULL, ret_sim, NULL);
    wrsim_config_destroy(&config);
    return wrsim_status_exit_code(status);
}

static int print_and_free(char *text, FILE *out)
{
    if (!text) {
        fputs("wrsim: error: out of memory\n", stderr);
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    fputs(text, out); /* main() looks whether all went out */
    free(text);
    return 0;
}

/* Prepares and runs. Returns the status; *ret_is_prepared tells how far it came. */
static wrsim_status prepare_and_run(wrsim *sim, const wr_cli *cli, int *ret_is_prepared,
                                    wrsim_error *err)
{
    wr_progress *progress = NULL;
    /* Started before prepare pins this thread, so that it stays free to run on any core. */
    if (!cli->is_quiet && (cli->is_progress || isatty(STDERR_FILENO)))
        progress = wr_progress_start();
    if (progress)
        wrsim_set_progress(sim, wr_progress_update, progress);
    wrsim_status status = wrsim_prepare(sim, err);
    *ret_is_prepared = status >= 0;
    if (status >= 0)
        status = wrsim_run(sim, err);
    wr_progress_finish(&progress);
    return status;
}

/* After the end: what a run that is not complete leaves. How much a full disk took nobody knows. */
static void print_kept(const wrsim *sim, wrsim_status status, wrsim_status finished)
{
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    const int has_rows = stats.file_bytes > 0 && stats.n_row + stats.n_event_row > 0;
    const int is_kept = finished >= 0 && has_rows && stats.time_s > stats.start_s;
    if (status == WRSIM_STOPPED)
        fprintf(stderr, "wrsim: stopped at t = %.9g s%s\n", stats.time_s,
                is_kept         ? "; results up to there are complete"
                : finished >= 0 ? "; nothing was recorded"
                                : "");
    else if (status < 0 && status != WRSIM_E_DISK && status != WRSIM_E_IO && is_kept)
        fprintf(stderr, "wrsim: results up to t = %.9g s are kept\n", stats.time_s);
}

/* Results are complete, but the run does not trust them. */
static void print_doubt(const wrsim *sim)
{
    wrsim_error_account account;
    wrsim_error_account_get(sim, &account);
    const int has_name = account.connection[0] != '\0';
    fprintf(stderr,
            "wrsim: the error of splitting is estimated at %.2g of the range%s%s; "
            "relaxation.error_limit allows %.2g\n",
            account.error, has_name ? ", most of it through " : "",
            has_name ? account.connection : "", account.limit);
}

static int command_run(const wr_cli *cli)
{
    wrsim *sim = NULL;
    wrsim_error err = {0};
    const int created = create(cli, 0, &sim);
    if (created != 0)
        return created;
    signal_sim = sim;
    catch_signals();
    int is_prepared;
    const wrsim_status status = prepare_and_run(sim, cli, &is_prepared, &err);
    if (status < 0)
        wr_print_error(NULL, &err);
    signal_sim = NULL;
    const wrsim_status finished = wrsim_finish(sim, &err);
    if (finished < 0)
        wr_print_error(NULL, &err);
    print_kept(sim, status, finished);
    if (status == WRSIM_INACCURATE)
        print_doubt(sim);
    const int code = wrsim_status_exit_code(status < 0 ? status : finished < 0 ? finished : status);
    if (is_prepared && !cli->is_quiet && status >= 0)
        wr_print_summary(stdout, sim);
    wrsim_destroy(&sim);
    return code;
}

static int command_check(const wr_cli *cli)
{
    wrsim *sim = NULL;
    const int created = create(cli, 1, &sim);
    if (created != 0)
        return created;
    int code = 0;
    if (cli->is_json)
        code = print_and_free(wrsim_structure(sim), stdout);
    else
        wr_print_structure(stdout, sim);
    wrsim_destroy(&sim);
    return code;
}

/* ---- compare ---- */

/* NaN is above any limit; a limit < 0 is none. */
static int is_above(double difference, double limit)
{
    return limit >= 0.0 && !(difference <= limit);
}

static void print_differences(const wr_difference *d, int n, double limit)
{
    printf("%-36s %12s %12s %12s %12s %14s\n", "signal", "range", "max", "max/range", "rms/range",
           "at t [s]");
    for (int i = 0; i < n; i++)
        printf("%-36s %12.5g %12.5g %12.5g %12.5g %14.9g%s%s\n", d[i].name, d[i].range,
               d[i].max_abs, d[i].max_rel, d[i].rms_rel, d[i].t_max_s,
               d[i].is_constant ? "  constant" : "",
               is_above(d[i].max_rel, limit) ? "  above the limit" : "");
}

/* "2 of a.h5 (x, ...)": how many signals of a file, and the first one's name. */
static void print_only(int n, const char *file, const char *first)
{
    printf("%d of %s", n, file);
    if (n > 0)
        printf(" (%s%s)", first, n > 1 ? ", ..." : "");
}

/* What one of them has and the other has not. */
static void print_lacking(const wr_cli *cli, const wr_overlap *o)
{
    const char *const a = cli->operand[0], *const b = cli->operand[1];
    if (o->n_only_a || o->n_only_b) {
        fputs("signals without a partner: ", stdout);
        print_only(o->n_only_a, a, o->only_a);
        fputs(", ", stdout);
        print_only(o->n_only_b, b, o->only_b);
        fputs("\n", stdout);
    }
    if (o->n_row_only_a || o->n_row_only_b)
        printf("points without a partner: %d of %s, %d of %s\n", o->n_row_only_a, a,
               o->n_row_only_b, b);
    if (o->end_a_s < o->end_b_s || o->end_a_s > o->end_b_s)
        printf("one ends before the other: %s at t = %.9g s, %s at t = %.9g s\n", a, o->end_a_s, b,
               o->end_b_s);
}

/* Returns the exit code. */
static int print_comparison(const wr_cli *cli, const wr_difference *d, int n, const wr_overlap *o)
{
    double worst = 0.0;
    int i_worst = 0, n_above = 0;
    for (int i = 0; i < n; i++) {
        n_above += is_above(d[i].max_rel, cli->limit);
        if (!(d[i].max_rel <= worst)) {
            worst = d[i].max_rel;
            i_worst = i;
        }
    }
    const int is_lacking = cli->limit >= 0.0 && !cli->may_lack && wr_results_lack(o);
    print_differences(d, n, cli->limit);
    print_lacking(cli, o);
    printf("compared %d signal%s at %d point%s, t = %.9g s to %.9g s\n", n, n == 1 ? "" : "s",
           o->n_row, o->n_row == 1 ? "" : "s", o->first_s, o->last_s);
    printf("largest difference: %.6g of the range, %s\n", worst, d[i_worst].name);
    if (n_above > 0)
        printf("above the limit %g: %d of %d signals\n", cli->limit, n_above, n);
    if (is_lacking)
        printf("what one side lacks counts as above the limit %g (--allow-missing: it does not)\n",
               cli->limit);
    return n_above > 0 || is_lacking ? wrsim_status_exit_code(WRSIM_DIFFERENT) : 0;
}

static int command_compare(const wr_cli *cli)
{
    wrsim_error err = {0};
    wr_results *a = wr_results_load(cli->operand[0], &err), *b = NULL;
    wr_difference *differences = NULL;
    wr_overlap overlap;
    int n = -1;
    if (a)
        b = wr_results_load(cli->operand[1], &err);
    if (b)
        n = wr_results_compare(a, b, &differences, &overlap, &err);
    if (b && n < 0)
        snprintf(err.file, sizeof err.file, "%s, %s", cli->operand[0], cli->operand[1]);
    if (b && n < 0 && (a->n_row == 0 || b->n_row == 0)) {
        wr_error_set(&err, WRSIM_E_ARG, "holds no communication point");
        snprintf(err.file, sizeof err.file, "%s", cli->operand[a->n_row == 0 ? 0 : 1]);
    }
    int code;
    if (n < 0) {
        wr_print_error(NULL, &err);
        code = wrsim_status_exit_code(err.status);
    } else {
        code = print_comparison(cli, differences, n, &overlap);
    }
    free(differences);
    wr_results_destroy(&a);
    wr_results_destroy(&b);
    return code;
}

/* ---- lists ---- */

static const char *const kind_titles[WRSIM_KIND_COUNT] = {[WRSIM_STATE] = "continuous states",
                                                          [WRSIM_DISCRETE] = "discrete states",
                                                          [WRSIM_INPUT] = "inputs",
                                                          [WRSIM_OUTPUT] = "outputs",
                                                          [WRSIM_INDICATOR] = "indicators",
                                                          [WRSIM_PARAMETER] = "parameters"};

static void print_variable(const char *name, const char *unit, double start, unsigned flags,
                           const char *description)
{
    if (flags & WRSIM_REQUIRED)
        printf("    %-22s [%s] required  %s\n", name, unit, description);
    else
        printf("    %-22s [%s] = %.6g  %s\n", name, unit, start, description);
}

static int print_diag(wr_diag *diag)
{
    for (int i = 0; i < diag->n_items; i++)
        wr_print_error(NULL, &diag->items[i]);
    const int code = wrsim_status_exit_code(wr_diag_status(diag));
    wr_diag_done(diag);
    return code;
}

/* Everything a config may say about one model. */
static int describe_model(const wrsim_model *model)
{
    int is_required = 0;
    for (int i = 0; i < model->n_param; i++)
        is_required = is_required || (model->params[i].flags & WRSIM_REQUIRED);
    wr_diag diag = {0};
    wr_component *c = wr_component_create("instance", model, NULL, NULL, 0, NULL, 0, &diag);
    if (!c && !is_required)
        return print_diag(&diag); /* the model itself is wrong */
    printf("%s: %s\n", model->name, model->description ? model->description : "");
    printf("  %s\n", kind_titles[WRSIM_PARAMETER]);
    for (int i = 0; i < model->n_param; i++) {
        const wrsim_variable *const p = &model->params[i];
        print_variable(p->name, p->unit ? p->unit : "", p->start, p->flags,
                       p->description ? p->description : "");
    }
    for (int kind = 0; c && kind < WRSIM_PARAMETER; kind++) {
        if (c->n[kind] > 0)
            printf("  %s (%d)\n", kind_titles[kind], c->n[kind]);
        for (int i = 0; i < c->n[kind]; i++) {
            const wr_variable *const v = &c->variable[kind][i];
            if (kind == WRSIM_OUTPUT || kind == WRSIM_INDICATOR)
                printf("    %-22s [%s] %s\n", v->name, v->unit, v->description);
            else
                print_variable(v->name, v->unit, v->start, v->flags, v->description);
        }
    }
    if (!c)
        printf("  (its variables depend on parameters that must be given)\n");
    wr_component_destroy(&c);
    wr_diag_done(&diag);
    return 0;
}

/* "engine" is the family of "engine.cylinder". */
static int is_family(const char *family, const char *name)
{
    const size_t n = strlen(family);
    return strncmp(name, family, n) == 0 && name[n] == '.';
}

/* Keeps text in best if it is more like word than what is there ("" = nothing yet). */
static void keep_nearest(const char *word, const char *text, int n_text,
                         char best[WR_NAMES_MAX_BYTES])
{
    char candidate[WR_NAMES_MAX_BYTES];
    snprintf(candidate, sizeof candidate, "%.*s", n_text, text);
    const char *const names[] = {best[0] ? best : NULL, candidate};
    if (wr_names_nearest(word, names, 2) == candidate)
        strcpy(best, candidate);
}

/* All models, or those of a family (NULL: all). Returns how many. */
static int print_models(const wrsim_model *const *models, const char *family)
{
    int n = 0;
    for (; *models; models++) {
        const wrsim_model *const m = *models;
        if (family && !is_family(family, m->name))
            continue;
        printf("%-28s %s\n", m->name, m->description ? m->description : "");
        n++;
    }
    return n;
}

/* otherwise: what to do where no name is like the one that is not there. */
static int list_models(const wrsim_model *const *models, const char *name, const char *otherwise)
{
    for (int i = 0; name && models[i]; i++)
        if (strcmp(models[i]->name, name) == 0)
            return describe_model(models[i]);
    if (print_models(models, name) > 0 || !name)
        return 0;
    char nearest[WR_NAMES_MAX_BYTES] = "";
    for (int i = 0; models[i]; i++) {
        keep_nearest(name, models[i]->name, (int)strlen(models[i]->name), nearest);
        keep_nearest(name, models[i]->name, (int)strcspn(models[i]->name, "."), nearest);
        const char *const dot = strchr(models[i]->name, '.');
        if (dot && strcmp(dot + 1, name) == 0) {
            snprintf(nearest, sizeof nearest, "%s", models[i]->name);
            break;
        }
    }
    return wr_print_usage_error("there is no model '%s'; %s%s%s", name,
                                nearest[0] ? "did you mean '" : "",
                                nearest[0] ? nearest : otherwise, nearest[0] ? "'?" : "");
}

static int command_models(const wr_cli *cli)
{
    const char *const name = cli->n_operand > 0 ? cli->operand[0] : NULL;
    if (!cli->plugin)
        return list_models(wr_models, name, "those of a plug-in are told with --plugin FILE");
    /* A name without any '/' would be searched in the system's library folders. */
    char path[4096];
    snprintf(path, sizeof path, "%s%s", strchr(cli->plugin, '/') ? "" : "./", cli->plugin);
    wr_diag diag = {0};
    wr_plugin *plugin = wr_plugin_open(path, NULL, &diag);
    if (!plugin)
        return print_diag(&diag);
    const int code =
        list_models(wr_plugin_models(plugin), name, "without a name all of the plug-in are told");
    wr_plugin_close(&plugin);
    return code;
}

/* A key, one of its sections or its own name, whichever is most like word. */
static void keep_nearest_key(const char *word, const char *path, char best[WR_NAMES_MAX_BYTES])
{
    keep_nearest(word, path, (int)strlen(path), best);
    for (const char *at = path; at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL)
        keep_nearest(word, at, (int)strcspn(at, "."), best);
}

/* The keys of the repeated tables whose names ("component.model") contain part. Returns how many. */
static int print_table_keys(const char *part, char nearest[WR_NAMES_MAX_BYTES])
{
    int n = 0;
    for (const wr_table *table = wr_tables; table->name; table++)
        for (const wr_table_key *key = table->key; key->name; key++) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", table->name, key->name);
            keep_nearest_key(part, path, nearest);
            if (!strstr(path, part))
                continue;
            n++;
            printf("[[%s]] %s  (%s)\n    %s\n", table->name, key->name, key->type, key->help);
        }
    return n;
}

static int command_keys(const wr_cli *cli)
{
    const char *const part = cli->n_operand > 0 ? cli->operand[0] : "";
    char type[256], nearest[WR_NAMES_MAX_BYTES] = "";
    int n = 0, n_hidden = 0;
    for (const wr_key *k = wr_keys; k->path; k++) {
        keep_nearest_key(part, k->path, nearest);
        if (!strstr(k->path, part))
            continue;
        if (k->audience == WR_KEY_EXPERT && !*part && !cli->is_all) { /* who asks by name gets it */
            n_hidden++;
            continue;
        }
        n++;
        wr_key_type_text(k, type, sizeof type);
        printf("%s = %s  (%s)%s\n    %s\n", k->path,
               k->default_text ? k->default_text : "(required)", type,
               k->audience == WR_KEY_EXPERT ? "  [expert]" : "", k->help);
    }
    n += print_table_keys(part, nearest);
    if (n_hidden > 0)
        printf("\n%d keys for experts are not shown: wrsim keys --all\n", n_hidden);
    return n > 0 ? 0
                 : wr_print_usage_error("no key contains '%s'%s%s%s", part,
                                        nearest[0] ? "; did you mean '" : "", nearest,
                                        nearest[0] ? "'?" : "");
}

static int command_topology(const wr_cli *cli)
{
    wr_diag diag = {0};
    wr_topology *t = wr_topology_create(cli->n_operand ? cli->operand[0] : NULL, &diag);
    if (!t)
        return print_diag(&diag);
    wr_machine machine;
    wr_machine_read(&machine, t);
    printf("%s\n%s\n\n%6s %6s %8s %8s %6s %6s\n", machine.cpu, t->name, "cpu", "core", "sibling",
           "package", "numa", "L3");
    for (int i = 0; i < t->n_pu; i++)
        printf("%6d %6d %8d %8d %6d %6d\n", t->pu[i].os_cpu, t->pu[i].core, t->pu[i].sibling,
               t->pu[i].package, t->pu[i].numa, t->pu[i].l3);
    wr_topology_destroy(&t);
    return 0;
}

static int command_help(const wr_cli *cli)
{
    const char *const word = cli->n_operand ? cli->operand[0] : NULL;
    const wr_command *const command = wr_command_find(word);
    if (!word || command)
        return wr_print_help(command);
    const char *const meant = wr_command_meant(word);
    return wr_print_usage_error("there is no command '%s'%s%s%s", word,
                                meant ? "; did you mean '" : "", meant ? meant : "",
                                meant ? "'?" : "");
}

/* These have command lines of their own, taken up in main() before any option is read. */
static int command_bench(const wr_cli *cli)
{
    (void)cli;
    return wr_print_usage_error("write options after the word bench or budget");
}

static const char compare_more[] = "The range is that in REFERENCE. Where it is below 1e-8 of the "
                                   "signal's largest value there it is taken\n"
                                   "for noise: the signal is marked as constant, and its "
                                   "differences are relative to that largest value; to 1\n"
                                   "where all is zero. Signals that both have are compared at the "
                                   "communication points that both have.\n"
                                   "With --limit a signal or a point that one side lacks, such as "
                                   "all after its end, is a difference as well.\n";

const wr_command wr_commands[] = {
    {"run", "CONFIG", 1, 1, "Dojmgq", "simulate and record (also without the word run)",
     command_run, NULL},
    {"check", "CONFIG", 1, 1, "Djm",
     "validate a config, print its structure, say whether its split pays (--json)", command_check,
     NULL},
    {"compare", "RESULT REFERENCE", 2, 2, "la",
     "largest and RMS difference of every signal, relative to its range (--limit L)",
     command_compare, compare_more},
    {"models", "[MODEL]", 0, 1, "p",
     "list the built-in models (or a family, as engine), or describe one (--plugin FILE: of a "
     "plug-in)",
     command_models, NULL},
    {"keys", "[PART]", 0, 1, "A",
     "list the keys of a config with defaults and meaning (--all: those for experts, too)",
     command_keys, NULL},
    {"topology", "[SYNTHETIC]", 0, 1, "", "show the cores of this (or a synthetic) machine",
     command_topology, NULL},
    {"bench", "FILE|growth|...", 0, 4, NULL,
     "measure speed at equal error (see wrsim bench --help)", command_bench, NULL},
    {"budget", "CONFIG", 0, 4, NULL,
     "choose the solvers' tolerances for an error at the outputs (see wrsim budget --help)",
     command_bench, NULL},
    {"help", "[COMMAND]", 0, 1, "", "list commands and options, or say what a command takes",
     command_help, NULL},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, NULL}};

const wr_command *wr_command_find(const char *name)
{
    for (int i = 0; name && wr_commands[i].name; i++)
        if (strcmp(wr_commands[i].name, name) == 0)
            return &wr_commands[i];
    return NULL;
}

const char *wr_command_meant(const char *word)
{
    const char *names[32];
    int n = 0;
    for (; wr_commands[n].name && n < 32; n++)
        names[n] = wr_commands[n].name;
    return strpbrk(word, "./") ? NULL : wr_names_nearest(word, names, n);
}
