/* The study of groupings. See study_grouping.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/study_grouping.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/point_cost.h"
#include "runtime/config/settings.h"
#include "runtime/record/own_file.h"
#include "runtime/sim/simulation.h"

enum { N_TIME = 40 }; /* number of points of a run at which the study linearises (assumed) */
static const double WARM_SHARE = 0.2; /* share of the run before measurements begin (assumed) */

/* Returns a component that no path of connections joins with the first component; -1: paths join all components. */
static int find_apart(const wr_parts *p)
{
    unsigned char is_joined[WR_GROUPING_PARTS] = {0};
    int has_grown = 1;
    is_joined[p->part[0]] = 1;
    while (has_grown) {
        has_grown = 0;
        for (int i = 0; i < p->n_edge; i++) {
            const int a = p->part[p->edge[i].from], b = p->part[p->edge[i].to];
            if (is_joined[a] != is_joined[b])
                is_joined[a] = is_joined[b] = has_grown = 1;
        }
    }
    for (int i = 0; i < p->n_component; i++)
        if (!is_joined[p->part[i]])
            return i;
    return -1;
}

static wrsim_status check(const wr_settings *set, const wr_parts *parts, const wr_search_options *o,
                          wrsim_error *err)
{
    for (int i = 0; i < set->n_subsystems; i++)
        if (strcmp(set->subsystems[i].kind, "components") != 0)
            return wr_error_set(err, WRSIM_E_CONFIG,
                                "subsystem '%s' is of kind \"%s\", but a grouping takes only "
                                "subsystems with a solver; remove the subsystem for the study",
                                set->subsystems[i].name, set->subsystems[i].kind);
    if (set->n_ports > 0 || set->n_scenarios > 0)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the study takes no config with %s; remove these tables",
                            set->n_ports > 0 ? "[[port]]" : "[[scenario]]");
    if (parts->n_part > WR_GROUPING_PARTS)
        return wr_error_set(err, WRSIM_E_LIMIT,
                            "the config has %d components (an algebraic loop counts as one), but "
                            "the study takes at most %d; simulate fewer components",
                            parts->n_part, (int)WR_GROUPING_PARTS);
    if (parts->n_part < 2)
        return wr_error_set(err, WRSIM_E_CONFIG, "the components cannot be grouped, because %s",
                            parts->n_component > 1
                                ? "an algebraic loop joins all of them; put a state into the loop"
                                : "the config has one component only; name another config");
    if (o->k > parts->n_part)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "--groups %d: the %d components%s make at most %d groups; lower --groups", o->k,
            parts->n_component,
            parts->n_part < parts->n_component ? " (some in algebraic loops)" : "", parts->n_part);
    const int i_apart = find_apart(parts);
    if (i_apart >= 0)
        return wr_error_set(
            err, WRSIM_E_GRAPH,
            "no path of connections joins '%s' with '%s'; simulate independent parts separately",
            parts->name[i_apart], parts->name[0]);
    return WRSIM_OK;
}

wrsim_status wr_grouping_study_run(const wrsim_config *config, wr_search_options *options,
                                   double warm_s, int is_given, wr_grouping_study *study,
                                   wrsim_error *err)
{
    wr_settings *const set = &study->settings;
    study->declared = config->settings;
    *set = *study->declared;
    set->simulation.monolithic = WR_GROUPING_SPLIT;
    wr_point_cost_prepare(set, 1, &study->components);
    const double length_s = set->simulation.stop_s - set->simulation.start_s;
    WR_TRY(wr_parts_find(set, N_TIME, &study->parts, err));
    WR_TRY(check(set, &study->parts, options, err));
    WR_TRY(wr_likeness_find(set, &study->parts, &study->likeness, err));
    study->verify = (wr_verify){.of = {set, &study->parts, study->likeness},
                                .warm_s = warm_s >= 0.0 ? warm_s : WARM_SHARE * length_s};
    options->error = options->error > 0.0 ? options->error : set->simulation.rtol;
    wr_verify *const v = &study->verify;
    static const int cores[WR_VERIFY_CORES] = {1, 2, 5, 16};
    memcpy(v->core, cores, sizeof cores);
    for (int i = 0; i < options->n_core; i++)
        if (options->core[i] != 1 && options->core[i] != 2 && options->core[i] != 5)
            v->core[WR_VERIFY_CORES - 1] = options->core[i];
    WR_TRY(wr_verify_open(&study->verify, options->error, err));
    return wr_search_run(&study->verify, options, is_given && set->n_subsystems > 0, &study->result,
                         err);
}

static void add(wr_grouping_study *study, const char *what, const wr_search_row *row)
{
    if (row && !row->what[0])
        return;
    struct wr_grouping_measured *const m = &study->measured[study->n_measured++];
    m->row = row;
    snprintf(m->what, sizeof m->what, "%s", what);
}

wrsim_status wr_grouping_study_measure(wr_grouping_study *study, const wr_search_options *options,
                                       int n_round, wrsim_error *err)
{
    wr_search_result *const r = &study->result;
    const wr_grouping_set *sets[WR_GROUPING_MEASURED];
    double bound_s[WR_GROUPING_MEASURED][WR_VERIFY_CORES], least = (double)INFINITY;
    study->n_measured = 0;
    study->i_chosen = -1;
    add(study, "one solver, tuned", NULL);
    add(study, "best of the random groupings", &r->random);
    add(study, "as in the config", &r->given);
    add(study, "as in the config, in one level", &r->given_at_once);
    for (int i = 0; i < r->n_finalist; i++) {
        char what[48];
        snprintf(what, sizeof what, "finalist of %d groups", r->finalist[i].set.n_group);
        if (r->finalist[i].result.error <= options->error)
            add(study, what, &r->finalist[i]);
    }
    for (int i = 0; i < study->n_measured; i++)
        sets[i] = study->measured[i].row ? &study->measured[i].row->set : NULL;
    WR_TRY(wr_verify_measure(&study->verify, sets, study->n_measured, n_round, bound_s, err));
    for (int i = 0; i < study->n_measured; i++) {
        struct wr_grouping_measured *const m = &study->measured[i];
        memcpy(m->bound_s, bound_s[i], sizeof bound_s[i]);
        double logs = 0.0;
        for (int j = 0; j < options->n_core; j++)
            for (int k = 0; k < WR_VERIFY_CORES; k++)
                if (study->verify.core[k] == options->core[j])
                    logs += log(m->bound_s[k]) / options->n_core;
        const double time_s = exp(logs);
        if (m->row >= r->finalist && m->row < r->finalist + r->n_finalist && time_s < least) {
            least = time_s;
            study->i_chosen = i;
        }
    }
    if (least < (double)INFINITY)
        r->best = *study->measured[study->i_chosen].row;
    return WRSIM_OK;
}

void wr_grouping_study_done(wr_grouping_study *study)
{
    wr_verify_close(&study->verify);
    wr_likeness_destroy(&study->likeness);
    wr_parts_done(&study->parts);
    free(study->components);
    study->components = NULL;
}

void wr_fragment_tables(const wr_grouping_of *of, const wr_search_row *row, wr_heap_pool *memory,
                        wr_text_buffer *to)
{
    const wr_settings set = wr_grouping_settings(of, &row->set, memory);
    const wr_verify_result *const r = &row->result;
    double all = 0.0;
    for (int g = 0; g < set.n_subsystems; g++)
        all += r->group_work[g];
    wr_text_buffer_add(to, WR_OWN_TOOL_MARK
                       "\n# Found by `wrsim partition --groups`. These keys belong to it, in the "
                       "config's own tables:\n#\n#     [relaxation]\n#     scheme = "
                       "\"gauss_seidel\"\n");
    wr_text_buffer_add(to, "#     convergence = %.9g\n#     solver_tolerance_factor = %.9g\n",
                       set.relaxation.convergence, set.relaxation.solver_tolerance_factor);
    wr_text_buffer_add(
        to, "#     window = { initial = %.9g, min = %.9g, max = %.9g, control = \"%s\" }\n",
        set.relaxation.window_initial_s, set.relaxation.window_min_s, set.relaxation.window_max_s,
        set.relaxation.window_control);
    if (set.solver.rtol > 0.0)
        wr_text_buffer_add(to, "#\n#     [solver]\n#     rtol = %.9g\n", set.solver.rtol);
    for (int g = 0; g < set.n_subsystems && set.subsystems; g++) {
        const wr_set_subsystem *const s = &set.subsystems[g];
        wr_text_buffer_add(to, "\n# %.0f %% of the counted work, %.0f events\n",
                           100.0 * r->group_work[g] / (all > 0.0 ? all : 1.0), r->group_events[g]);
        wr_text_buffer_add(to, "[[subsystem]]\nname = \"%s\"\n", s->name);
        wr_text_buffer_add(to, "components = [");
        for (int i = 0; i < s->n_components; i++)
            wr_text_buffer_add(to, "%s\"%s\"", i ? ", " : "", s->components[i]);
        wr_text_buffer_add(to, "]\n");
        if (s->level >= 0)
            wr_text_buffer_add(to, "level = %d\n", s->level);
        if (strcmp(s->solver.kind, set.solver.kind) != 0 || s->solver.rtol < set.solver.rtol ||
            s->solver.rtol > set.solver.rtol) {
            wr_text_buffer_add(to, "solver = { kind = \"%s\"", s->solver.kind);
            if (s->solver.rtol > 0.0)
                wr_text_buffer_add(to, ", rtol = %.9g", s->solver.rtol);
            wr_text_buffer_add(to, " }\n");
        }
        if (s->history_source) {
            wr_text_buffer_add(to, "history_source = \"%s\"\n", s->history_source);
            wr_text_buffer_add(to, "lag = ");
            wr_text_buffer_number(to, s->lag);
            wr_text_buffer_add(to, "\n");
        }
    }
}

wrsim_status wr_fragment_config(const wr_grouping_study *study, const wr_search_row *row,
                                const char *folder, wr_heap_pool *memory, wr_text_buffer *to)
{
    wr_settings set = wr_grouping_settings(&study->verify.of, &row->set, memory);
    set.components = study->declared->components;
    set.simulation.points = study->declared->simulation.points;
    WR_AUTO_FREE char *const text = wr_settings_dump_next(&set, folder);
    if (!text)
        return WRSIM_E_MEMORY;
    wr_text_buffer_add(to, WR_OWN_TOOL_MARK ", partition --groups\n%s", text);
    return WRSIM_OK;
}
