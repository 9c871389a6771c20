/* See print_grouping.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_grouping.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/print.h"

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

/* Prints the strongest connections, cut and kept, which explain the position of the cut. */
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

void wr_print_grouping(FILE *out, const wr_verify *v, const wr_search_options *o,
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

void wr_print_grouping_measured(FILE *out, const wr_grouping_study *study)
{
    fprintf(out, "\nmeasured schedule bounds, ms, and speed-up over one solver\n");
    for (int i = 0; i < study->n_measured; i++) {
        fprintf(out, "%-34s %s", study->measured[i].what,
                i == study->i_chosen ? "chosen" : "      ");
        for (int k = 0; k < WR_VERIFY_CORES; k++)
            fprintf(out, " %8.2f (%.2f)", 1e3 * study->measured[i].bound_s[k],
                    study->measured[0].bound_s[0] / study->measured[i].bound_s[k]);
        fputc('\n', out);
    }
}

char *wr_grouping_json(const wr_grouping_study *study, const wr_search_options *o)
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
