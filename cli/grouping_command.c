/* `wrsim partition --groups`. Thread: main. Real-time: no. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/grouping/study_grouping.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

static void print_row(FILE *out, const wr_verify *v, const char *what, const wr_search_row *row)
{
    const wr_verify_result *const r = &row->result;
    if (!r->is_right) {
        fprintf(out, "%-34s %6d  does not run: %s\n", what, row->set.n_group, r->why);
        return;
    }
    fprintf(out, "%-34s %6d", what, row->set.n_group);
    for (int k = 0; k < WR_VERIFY_CORES; k++)
        fprintf(out, " %9.3f", r->work[k] / v->monolithic_work);
    fprintf(out, " %8.2f %9.2g %9.2g\n", r->sweeps, r->contraction, r->error);
}

static void print_groups(FILE *out, const wr_verify *v, const wr_search_row *row)
{
    const wr_parts *const p = v->of.parts;
    const wr_verify_result *const r = &row->result;
    double all = 0.0;
    for (int g = 0; g < row->set.n_group; g++)
        all += r->group_work[g];
    fprintf(out, "\n%-16s %5s %9s %7s  %s\n", "subsystem", "level", "work", "events", "components");
    for (int g = 0; g < row->set.n_group; g++) {
        fprintf(out, "%-16s %5d %7.1f %% %7.0f ", p->name[wr_grouping_head(p, &row->set, g)],
                row->set.level[g], 100.0 * r->group_work[g] / (all > 0.0 ? all : 1.0),
                r->group_events[g]);
        for (int i = 0; i < p->n_component; i++)
            if (row->set.group[p->part[i]] == g)
                fprintf(out, " %s", p->name[i]);
        fputc('\n', out);
    }
}

/* Prints up to N of the strongest cut connections and of the strongest kept connections, which explain the position of the cut. */
static void print_strengths(FILE *out, const wr_verify *v, const wr_search_row *row)
{
    enum { N = 6 };
    const wr_parts *const p = v->of.parts;
    for (int is_cut = 1; is_cut >= 0; is_cut--) {
        double below = (double)INFINITY;
        fprintf(out,
                "\nstrongest connections that are %s: effect of the prediction error of one window "
                "on the reader, in tolerances\n",
                is_cut ? "cut" : "kept");
        for (int n = 0; n < N; n++) {
            int best = -1;
            for (int i = 0; i < p->n_edge; i++) {
                const wr_parts_edge *const e = &p->edge[i];
                const int crosses =
                    row->set.group[p->part[e->from]] != row->set.group[p->part[e->to]];
                if (crosses == is_cut && e->strength < below &&
                    (best < 0 || e->strength > p->edge[best].strength))
                    best = i;
            }
            if (best < 0)
                break;
            below = p->edge[best].strength;
            fprintf(out, "  %-14s -> %-14s %9.3g%s\n", p->name[p->edge[best].from],
                    p->name[p->edge[best].to], below / v->of.settings->simulation.rtol,
                    p->edge[best].at_once ? "  (the output depends on inputs directly)" : "");
        }
    }
}

static void print_grouping(FILE *out, const wr_verify *v, const wr_search_options *o,
                           const wr_search_result *r)
{
    fprintf(out,
            "%d component%s in %d part%s, %d connection%s; error %.2g, error of the reference "
            "%.1g; %d runs\n",
            v->of.parts->n_component, wr_plural(v->of.parts->n_component), v->of.parts->n_part,
            wr_plural(v->of.parts->n_part), v->of.parts->n_edge, wr_plural(v->of.parts->n_edge),
            o->error, v->reference_error, r->n_run);
    fprintf(out, "cost: critical path in counted work on");
    for (int i = 0; i < o->n_core; i++)
        fprintf(out, "%s %d", i ? " and" : "", o->core[i]);
    fprintf(out, " cores, relative to the work of one solver (%s at rtol %.2g, error %.2g)\n\n",
            v->monolithic_solver, v->monolithic_rtol, v->monolithic_error);
    fprintf(out, "%-34s %6s", "", "groups");
    for (int k = 0; k < WR_VERIFY_CORES; k++)
        fprintf(out, " %3d core%s", v->core[k], v->core[k] == 1 ? " " : "s");
    fprintf(out, " %8s %9s %9s\n", "sweeps", "contract.", "error");
    for (int i = 0; i < r->n_row; i++)
        print_row(out, v, r->row[i].what, &r->row[i]);
    if (r->n_random > 0) {
        char what[64];
        snprintf(what, sizeof what, "best of %d random, tuned", r->n_random);
        print_row(out, v, what, &r->random);
    }
    for (int i = 0; i < r->n_finalist; i++)
        print_row(out, v, "finalist, tuned", &r->finalist[i]);
    if (r->given.what[0])
        print_row(out, v, "as in the config, tuned", &r->given);
    if (r->given.what[0])
        print_row(out, v, "as in the config, all in one level", &r->given_at_once);
    print_row(out, v, "chosen", &r->best);
    print_groups(out, v, &r->best);
    print_strengths(out, v, &r->best);
}

static void put_row(wr_json *j, const wr_verify *v, const char *key, const wr_search_row *row)
{
    const wr_parts *const p = v->of.parts;
    wr_json_object(j, key);
    wr_json_string(j, "what", row->what);
    wr_json_bool(j, "runs", row->result.is_right);
    wr_json_number(j, "cost", row->cost);
    wr_json_number(j, "error", row->result.error);
    wr_json_number(j, "sweeps", row->result.sweeps);
    wr_json_number(j, "contraction", row->result.contraction);
    wr_json_number(j, "n_rhs", row->result.n_rhs);
    wr_json_array(j, "critical_path");
    for (int k = 0; k < WR_VERIFY_CORES; k++) {
        wr_json_object(j, NULL);
        wr_json_integer(j, "cores", v->core[k]);
        wr_json_number(j, "work", row->result.work[k]);
        wr_json_end(j);
    }
    wr_json_end(j);
    wr_json_array(j, "groups");
    for (int g = 0; g < row->set.n_group; g++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "name", p->name[wr_grouping_head(p, &row->set, g)]);
        wr_json_integer(j, "level", row->set.level[g]);
        wr_json_number(j, "work", row->result.group_work[g]);
        wr_json_array(j, "components");
        for (int i = 0; i < p->n_component; i++)
            if (row->set.group[p->part[i]] == g)
                wr_json_string(j, NULL, p->name[i]);
        wr_json_end(j);
        wr_json_end(j);
    }
    wr_json_end(j);
    wr_json_end(j);
}

/* Returns JSON that the caller frees; NULL when out of memory. */
static char *grouping_json(const wr_grouping_study *study, const wr_search_options *o)
{
    const wr_verify *const v = &study->verify;
    const wr_search_result *const r = &study->result;
    wr_json j = {0};
    wr_json_object(&j, NULL);
    wr_json_integer(&j, "schema", 1);
    wr_json_number(&j, "error_asked_for", o->error);
    wr_json_number(&j, "reference_error", v->reference_error);
    wr_json_number(&j, "monolithic_work", v->monolithic_work);
    wr_json_number(&j, "monolithic_error", v->monolithic_error);
    wr_json_string(&j, "monolithic_solver", v->monolithic_solver);
    wr_json_number(&j, "monolithic_rtol", v->monolithic_rtol);
    wr_json_integer(&j, "n_run", r->n_run);
    wr_json_integer(&j, "n_random", r->n_random);
    wr_json_array(&j, "candidates");
    for (int i = 0; i < r->n_row; i++)
        put_row(&j, v, NULL, &r->row[i]);
    wr_json_end(&j);
    if (r->n_random > 0)
        put_row(&j, v, "random", &r->random);
    if (r->given.what[0])
        put_row(&j, v, "given", &r->given);
    if (r->given.what[0])
        put_row(&j, v, "given_at_once", &r->given_at_once);
    put_row(&j, v, "chosen", &r->best);
    wr_json_array(&j, "measured");
    for (int i = 0; i < study->n_measured; i++) {
        wr_json_object(&j, NULL);
        wr_json_string(&j, "what", i == study->i_chosen ? "chosen" : study->measured[i].what);
        wr_json_array(&j, "bound_s");
        for (int k = 0; k < WR_VERIFY_CORES; k++)
            wr_json_number(&j, NULL, study->measured[i].bound_s[k]);
        wr_json_end(&j);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    wr_json_end(&j);
    return wr_json_take(&j);
}

enum { RUNS = 600, MOST_GROUPS = 8 };

typedef struct order {
    wr_arguments line;
    const char *dir;
    wr_search_options search;
    wr_option_numbers cores;
    wr_folder written;
    double warm_s; /* simulated s; negative: not given */
    int is_given, is_quiet, is_json, n_round;
} order;

enum { MOST = WR_GROUPING_GROUPS - 1 };

#define ROW(...) WR_OPTION(order, __VA_ARGS__)
static const wr_option options[] = {
    ROW("groups", "K|auto", "number of subsystems; auto: the number with the lowest cost", COUNT,
        search.k, .low = 2, .high = MOST),
    ROW("cores", "N,N,...",
        "numbers of cores; the cost is the geometric mean of their critical paths (default 2)",
        LIST, cores),
    ROW("error", "E", "error at which all candidates are compared (default simulation.rtol)",
        NUMBER, search.error, .low = 1e-9, .high = 0.1),
    ROW("warm", "S", "simulated time before work counts, s (default: a fifth of the run)", NUMBER,
        warm_s, .low = 0.0, .high = 1e12),
    ROW("most", "K", "largest number of subsystems that auto tries (default 8)", COUNT, search.most,
        .low = 2, .high = MOST),
    ROW("runs", "N", "approximate number of runs to spend (default 600)", COUNT, search.n_run,
        .low = 8, .high = 1000000),
    ROW("given", NULL, "also tune the config's own [[subsystem]] tables and compare them", FLAG,
        is_given),
    ROW("measure", "N", "also measure schedule bounds from the shortest times of tasks in N rounds",
        COUNT, n_round, .low = 1, .high = 100000),
    ROW("random", "N", "also compare with the best of N random balanced groupings", COUNT,
        search.n_random, .low = 0, .high = 100000),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("quiet", NULL, "print no progress", FLAG, is_quiet, .letter = 'q'),
    ROW("output", "DIR",
        "write subsystems.toml (the tables) and grouped.toml (a whole config) to this folder", FILE,
        dir, .letter = 'o'),
    WR_OPTION_COSTS,
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int set_cores(order *o)
{
    const int n = o->cores.n;
    if (n > WR_VERIFY_CORES - 1)
        return wr_command_line_refuse(o, "--cores takes at most %d values", WR_VERIFY_CORES - 1);
    for (int i = 0; i < n; i++) {
        const double value = o->cores.value[i];
        if (!(value >= 1.0 && value <= 64.0) || value != floor(value))
            return wr_command_line_refuse(o, "--cores takes whole numbers from 1 to 64, not %g",
                                          value);
        o->search.core[i] = (int)value;
    }
    if (n > 0)
        o->search.n_core = n;
    return 0;
}

static void progress(void *user, const char *text)
{
    (void)user;
    fprintf(wr_err, "wrsim: partition: %s\n", text);
}

typedef enum file { SUBSYSTEMS, GROUPED, GIVEN, N_FILE } file;

static const char *const file_names[N_FILE] = {
    [SUBSYSTEMS] = "subsystems.toml", [GROUPED] = "grouped.toml", [GIVEN] = "given.toml"};

static wrsim_status write_file(wr_folder *folder, file which, wr_text_buffer *text,
                               wrsim_error *err)
{
    const char *const path = wr_folder_file(folder, err, "%s", file_names[which]);
    if (path)
        return wr_text_buffer_write(text, path, err);
    wr_text_buffer_done(text);
    return err->status;
}

static wrsim_status write_files(order *o, const wr_grouping_study *study, wr_heap_pool *memory,
                                wrsim_error *err)
{
    const wr_search_result *const r = &study->result;
    wr_text_buffer text = {0};
    wr_fragment_tables(&study->verify.of, &r->best, memory, &text);
    WR_TRY(write_file(&o->written, SUBSYSTEMS, &text, err));
    WR_TRY(wr_fragment_config(study, &r->best, o->dir, memory, &text));
    WR_TRY(write_file(&o->written, GROUPED, &text, err));
    if (!r->given.what[0])
        return WRSIM_OK;
    WR_TRY(wr_fragment_config(study, &r->given, o->dir, memory, &text));
    return write_file(&o->written, GIVEN, &text, err);
}

static wrsim_status report(order *o, wr_grouping_study *study, wr_heap_pool *memory,
                           wrsim_error *err)
{
    const wr_verify *const v = &study->verify;
    const wr_search_result *const r = &study->result;
    if (o->n_round > 0)
        WR_TRY(wr_grouping_study_measure(study, &o->search, o->n_round, err));
    if (o->is_json) {
        WR_TRY(wr_tool_print_json(grouping_json(study, &o->search), err));
    } else {
        print_grouping(wr_out, v, &o->search, r);
        if (o->n_round > 0) {
            fprintf(wr_out, "\nmeasured schedule bounds, ms, and speed-up over one solver\n");
            for (int i = 0; i < study->n_measured; i++) {
                fprintf(wr_out, "%-34s %s", study->measured[i].what,
                        i == study->i_chosen ? "chosen" : "      ");
                for (int k = 0; k < WR_VERIFY_CORES; k++)
                    fprintf(wr_out, " %8.2f (%.2f)", 1e3 * study->measured[i].bound_s[k],
                            study->measured[0].bound_s[0] / study->measured[i].bound_s[k]);
                fputc('\n', wr_out);
            }
        }
    }
    return o->dir ? write_files(o, study, memory, err) : WRSIM_OK;
}

static int run(void *into)
{
    order *const o = into;
    static wr_grouping_study study; /* static, because the study is too large for the stack */
    const int code = set_cores(o);
    if (code != 0)
        return code;
    if (!o->is_quiet)
        o->search.progress = progress;
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wr_heap_pool *memory = wr_heap_pool_create(NULL);
    wrsim_status status =
        memory ? wrsim_config_from_file(o->line.operand[0], o->line.override, o->line.n_override,
                                        wr_print_error, NULL, &config, NULL)
               : WRSIM_E_MEMORY;
    if (status >= 0)
        status = wr_tool_check(config);
    if (status >= 0) {
        /* The command opens the folder first, because the search takes minutes. */
        status =
            o->dir ? wr_folder_open(&o->written, o->dir, o->line.operand[0], NULL, &err) : WRSIM_OK;
        for (int i = 0; i < N_FILE && o->dir && status >= 0; i++)
            if ((i != GIVEN || o->is_given) &&
                !wr_folder_file(&o->written, &err, "%s", file_names[i]))
                status = err.status;
        if (status >= 0)
            status =
                wr_grouping_study_run(config, &o->search, o->warm_s, o->is_given, &study, &err);
        if (status >= 0 && study.verify.is_reference_poor)
            fprintf(wr_err,
                    "wrsim: partition: with ten times its tolerance the reference changes by %.2g, "
                    "too much to judge errors of %.2g; raise --error\n",
                    study.verify.reference_error, o->search.error);
        if (status >= 0)
            status = report(o, &study, memory, &err);
        if (status < 0)
            wr_print_error(NULL, &err);
        wr_grouping_study_done(&study);
    }
    wrsim_config_destroy(&config);
    wr_heap_pool_destroy(&memory);
    return wrsim_status_exit_code(status < 0 ? status : WRSIM_OK);
}

const wr_command wr_grouping_form = {
    WR_COMMAND("partition --groups auto", "CONFIG", 1, 1, options, run),
    .help = "group the components of a config into subsystems and sweep levels, by counted cost",
    .into = &(order){.search = {.most = MOST_GROUPS, .n_run = RUNS, .n_core = 1, .core = {2}},
                     .warm_s = -1.0}};
