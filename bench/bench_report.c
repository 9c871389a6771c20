/* What `wrsim bench` says and writes: tables and JSON. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench/bench.h"
#include "cli/print.h"
#include "scheduler/machine.h"

/* ---- tables on the terminal ---- */

/* With columns of its own: what counts is one unit: subsystem, state, connection or window. */
static void print_growth(const wr_bench *bench, FILE *out)
{
    int n = 0;
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        if (r->n_subsystem == 0)
            continue;
        if (n++ == 0)
            fprintf(out, "\n%-24s %10s %10s %13s %10s %18s  %s\n", "case", "subsystems", "ns/unit",
                    "KiB/subsystem", "start [s]", "ratio 10 % .. 90 %", "baseline");
        fprintf(out, "%-24s %10d %10.1f %13.1f %10.4f %5.2f  %4.2f .. %4.2f  %s\n", r->name,
                r->n_subsystem, r->unit_ns, r->unit_bytes / 1024.0, r->start_s, r->ratio,
                r->ratio_low, r->ratio_high, r->baseline);
        if (r->note)
            fprintf(out, "    %s\n", r->note);
    }
    if (n > 0)
        fprintf(out, "ns/unit: CPU time per window and unit (what the baseline counts; of windows: "
                     "per window)\nratio: ns/unit over that of the baseline, the smallest model; "
                     "less is better; median and spread over the rounds\nstart: from the config's "
                     "text until the first window can begin\n");
}

/* "-" where there is none. */
static void print_error(FILE *out, double error)
{
    if (isnan(error))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %9.2g", error);
}

void wr_bench_print_rows(const wr_bench *bench, FILE *out)
{
    int n = 0;
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        if (r->n_subsystem > 0)
            continue;
        if (n++ == 0)
            fprintf(out, "\n%-16s %-16s %5s %-8s %8s %17s %9s %9s %11s %11s %9s %7s\n", "case",
                    "baseline", "cores", "kind", "ratio", "10 % .. 90 %", "error", "of base", "ms",
                    "ms of base", "f", "sweeps");
        fprintf(out, "%-16s %-16s %5d %-8s %8.3f %8.3f %8.3f", r->name, r->baseline, r->cores,
                r->kind, r->ratio, r->ratio_low, r->ratio_high);
        print_error(out, r->error);
        print_error(out, r->error_baseline);
        fprintf(out, " %11.4f %11.4f %9.0f %7.3f%s%s\n", r->wall_s * 1e3, r->wall_baseline_s * 1e3,
                r->work.n_rhs, r->work.n_window > 0.0 ? r->work.n_sweep / r->work.n_window : 0.0,
                r->note ? "  " : "", r->note ? r->note : "");
    }
    if (n > 0)
        fprintf(out, "ratio: time of the baseline / time; of schedule and oracle the other way "
                     "round, less is better; median and spread over the rounds\n");
    print_growth(bench, out);
}

/* Cost at an error: that of the cheapest run that is at least so accurate, or, if that is less,
 * between neighbours in log-log; NaN where the curve does not reach. */
static double cost_at(const wr_bench_curve *c, double error)
{
    double best = (double)NAN;
    for (int i = 0; i < c->n; i++) {
        const wr_bench_point *const b = &c->point[i], *const a = i > 0 ? b - 1 : b;
        if (!(b->error <= error))
            continue;
        double cost_s = b->cost_s;
        if (a->error > error && b->error > 0.0)
            cost_s = a->cost_s *
                     pow(b->cost_s / a->cost_s, log(a->error / error) / log(a->error / b->error));
        best = !(wr_min(cost_s, b->cost_s) >= best) ? wr_min(cost_s, b->cost_s) : best;
    }
    return best;
}

static const double errors[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

/* Who is cheapest at an error: of all, and of our own monolithic runs; NaN = nobody gets there. */
typedef struct winner {
    const char *name;
    double cost_s, monolithic_s, relaxed_s, auto_s;
} winner;

/* Of the tuned setting, or with another solver. */
static int is_auto(const wr_bench_curve *c)
{
    return strncmp(c->name, WR_BENCH_AUTO, strlen(WR_BENCH_AUTO)) == 0;
}

static winner winner_at(const wr_bench *bench, int first, int last, double error)
{
    winner w = {"", (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (int i = first; i < last; i++) {
        const wr_bench_curve *const c = &bench->curve[i];
        const double cost_s = cost_at(c, error);
        if (isnan(cost_s))
            continue;
        if (!(cost_s >= w.cost_s)) {
            w.name = c->name;
            w.cost_s = cost_s;
        }
        if (strncmp(c->name, "monolithic", strlen("monolithic")) == 0 &&
            !(cost_s >= w.monolithic_s))
            w.monolithic_s = cost_s;
        if (strcmp(c->name, "relaxed") == 0)
            w.relaxed_s = cost_s;
        if (is_auto(c) && !(cost_s >= w.auto_s))
            w.auto_s = cost_s;
    }
    return w;
}

static void print_cost(FILE *out, double cost, char mark)
{
    if (isnan(cost))
        fprintf(out, " %10s", "-");
    else
        fprintf(out, " %9.4g%c", cost, mark);
}

static void print_curves_of(const wr_bench *bench, FILE *out, int first, int last)
{
    winner w[WR_COUNT_OF(errors)];
    fprintf(out, "\n%s: CPU time in ms on one core at an error of (* = least)\n%-24s",
            bench->curve_case[first], "");
    for (size_t k = 0; k < WR_COUNT_OF(errors); k++) {
        fprintf(out, " %9.0e ", errors[k]);
        w[k] = winner_at(bench, first, last, errors[k]);
    }
    for (int i = first; i < last; i++) {
        fprintf(out, "\n%-24s", bench->curve[i].name);
        for (size_t k = 0; k < WR_COUNT_OF(errors); k++)
            print_cost(out, 1e3 * cost_at(&bench->curve[i], errors[k]),
                       strcmp(w[k].name, bench->curve[i].name) == 0 ? '*' : ' ');
    }
    fprintf(out, "\n%-24s", "relaxed / best monolithic");
    for (size_t k = 0; k < WR_COUNT_OF(errors); k++)
        print_cost(out, w[k].relaxed_s / w[k].monolithic_s, ' ');
    fprintf(out, "\n%-24s", "auto / best monolithic");
    for (size_t k = 0; k < WR_COUNT_OF(errors); k++)
        print_cost(out, w[k].auto_s / w[k].monolithic_s, ' ');
    fputc('\n', out);
    for (int i = first; i < last; i++)
        if (!isnan(bench->curve[i].floor))
            fprintf(out, "%s: its error falls no further than %.2g\n", bench->curve[i].name,
                    bench->curve[i].floor);
}

/* One past the last curve of the case that begins with the first. */
static int end_of_case(const wr_bench *bench, int first)
{
    int last = first + 1;
    while (last < bench->n_curve && strcmp(bench->curve_case[last], bench->curve_case[first]) == 0)
        last++;
    return last;
}

void wr_bench_print_curves(const wr_bench *bench, FILE *out)
{
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = end_of_case(bench, first);
        print_curves_of(bench, out, first, last);
    }
}

/* ---- JSON ---- */

static void json_machine(wr_json *j)
{
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    wr_machine_json(j, topology);
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
}

static void json_work(wr_json *j, const char *key, const wr_bench_sample *s)
{
    wr_json_object(j, key);
    wr_json_number(j, "n_step", s->n_step);
    wr_json_number(j, "n_rhs", s->n_rhs);
    wr_json_number(j, "n_rhs_whole", s->n_rhs_whole);
    wr_json_number(j, "n_indicator_evaluation", s->n_indicator);
    wr_json_number(j, "n_event", s->n_event);
    wr_json_number(j, "n_window", s->n_window);
    wr_json_number(j, "n_sweep", s->n_sweep);
    wr_json_number(j, "n_integration", s->n_integration);
    wr_json_end(j);
}

/* What wrsim is given to run it again. */
static void json_run(wr_json *j, const wr_bench_case *of, const wr_bench_setting *run)
{
    const wr_bench_list *const lists[] = {&of->override, &run->override};
    char text[WR_BENCH_TEXT];
    wr_json_string(j, "config", of->config);
    wr_json_array(j, "overrides");
    for (size_t k = 0; k < WR_COUNT_OF(lists); k++)
        for (int i = 0; i < lists[k]->n; i++)
            wr_json_string(j, NULL, lists[k]->item[i]);
    snprintf(text, sizeof text, "simulation.rtol=%.17g", run->rtol);
    if (run->rtol > 0.0)
        wr_json_string(j, NULL, text);
    wr_json_end(j);
}

static void json_row(wr_json *j, const wr_bench_row *r)
{
    wr_json_object(j, NULL);
    wr_json_string(j, "case", r->name);
    wr_json_string(j, "baseline", r->baseline);
    wr_json_integer(j, "cores", r->cores);
    wr_json_string(j, "kind", r->kind);
    wr_json_integer(j, "n_round", r->n_round);
    wr_json_number(j, "ratio", r->ratio);
    wr_json_number(j, "ratio_low", r->ratio_low);
    wr_json_number(j, "ratio_high", r->ratio_high);
    wr_json_number(j, "error", r->error);
    wr_json_number(j, "error_baseline", r->error_baseline);
    wr_json_number(j, "error_reference", r->error_reference);
    wr_json_number(j, "wall_s", r->wall_s);
    wr_json_number(j, "wall_baseline_s", r->wall_baseline_s);
    if (r->unit_ns > 0.0)
        wr_json_number(j, "unit_ns", r->unit_ns);
    if (r->n_subsystem > 0) {
        wr_json_integer(j, "n_subsystem", r->n_subsystem);
        wr_json_number(j, "start_s", r->start_s);
        wr_json_number(j, "unit_bytes", r->unit_bytes);
    }
    wr_json_bool(j, "is_cost", r->is_cost);
    wr_json_string(j, "note", r->note ? r->note : "");
    wr_json_string(j, "setting", r->setting);
    wr_json_string(j, "setting_baseline", r->setting_baseline);
    if (r->of)
        json_run(j, r->of, r->run);
    json_work(j, "work", &r->work);
    json_work(j, "work_baseline", &r->work_baseline);
    wr_json_end(j);
}

static void json_curves(wr_json *j, const wr_bench *bench)
{
    wr_json_array(j, "curves");
    for (int i = 0; i < bench->n_curve; i++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "case", bench->curve_case[i]);
        wr_json_string(j, "name", bench->curve[i].name);
        wr_json_number(j, "floor", bench->curve[i].floor);
        wr_json_array(j, "points");
        for (int k = 0; k < bench->curve[i].n; k++) {
            wr_json_object(j, NULL);
            wr_json_number(j, "rtol", bench->curve[i].point[k].rtol);
            wr_json_number(j, "error", bench->curve[i].point[k].error);
            wr_json_number(j, "cost_s", bench->curve[i].point[k].cost_s);
            json_work(j, "work", &bench->curve[i].point[k].work);
            wr_json_end(j);
        }
        wr_json_end(j);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void json_winners(wr_json *j, const wr_bench *bench)
{
    wr_json_array(j, "winners");
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = end_of_case(bench, first);
        for (size_t k = 0; k < WR_COUNT_OF(errors); k++) {
            const winner w = winner_at(bench, first, last, errors[k]);
            if (isnan(w.cost_s))
                continue;
            wr_json_object(j, NULL);
            wr_json_string(j, "case", bench->curve_case[first]);
            wr_json_number(j, "error", errors[k]);
            wr_json_string(j, "name", w.name);
            wr_json_number(j, "cost_s", w.cost_s);
            wr_json_number(j, "relaxed_over_monolithic", w.relaxed_s / w.monolithic_s);
            wr_json_number(j, "auto_over_monolithic", w.auto_s / w.monolithic_s);
            wr_json_end(j);
        }
    }
    wr_json_end(j);
}

int wr_bench_write_json(const wr_bench *bench, const char *file)
{
    wr_json j = {0};
    wr_json_object(&j, NULL);
    wr_json_integer(&j, "schema", WR_BENCH_SCHEMA);
    wr_json_string(&j, "program", "wrsim bench");
    wr_json_string(&j, "version", wrsim_version());
    json_machine(&j);
    wr_json_integer(&j, "n_run", bench->options.n_run);
    wr_json_bool(&j, "is_complete", !wr_bench_is_over(bench));
    wr_json_array(&j, "rows");
    for (int i = 0; i < bench->n_row; i++)
        json_row(&j, &bench->row[i]);
    wr_json_end(&j);
    json_curves(&j, bench);
    json_winners(&j, bench);
    wr_json_end(&j);
    const int code = wr_bench_write(file, wr_json_text(&j));
    wr_json_done(&j);
    return code;
}
