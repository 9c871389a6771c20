/* What `wrsim bench` says and writes: tables, JSON, and what is made of JSON. See bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/json.h"
#include "runtime/bench/bench.h"
#include "runtime/bench/bench_json.h"
#include "runtime/cli/print.h"
#include "scheduler/machine.h"

/* ---- tables on the terminal ---- */

void wr_bench_print_rows(const wr_bench *bench, FILE *out)
{
    if (bench->n_row == 0)
        return;
    fprintf(out, "\n%-16s %-16s %5s %-8s %8s %17s %9s %9s %11s %11s %9s %7s\n", "case", "baseline",
            "cores", "kind", "ratio", "10 % .. 90 %", "error", "of base", "ms", "ms of base", "f",
            "sweeps");
    for (int i = 0; i < bench->n_row; i++) {
        const wr_bench_row *const r = &bench->row[i];
        fprintf(out, "%-16s %-16s %5d %-8s %8.3f %8.3f %8.3f %9.2g %9.2g %11.4f %11.4f %9.0f %7.3f",
                r->name, r->baseline, r->cores, r->kind, r->ratio, r->ratio_low, r->ratio_high,
                r->error, r->error_baseline, r->wall_s * 1e3, r->wall_baseline_s * 1e3,
                r->work.n_rhs, r->work.n_window > 0.0 ? r->work.n_sweep / r->work.n_window : 0.0);
        if (r->unit_ns > 0.0)
            fprintf(out, "  %.1f ns", r->unit_ns);
        if (r->unit_bytes > 0.0)
            fprintf(out, ", %.0f bytes each, start %.3f s", r->unit_bytes, r->start_s);
        fputc('\n', out);
    }
    fprintf(out, "ratio: time of the baseline / time; median and spread over the rounds\n");
}

/* Cost at an error, between neighbours in log-log; NaN outside of the curve. */
static double cost_at(const wr_bench_curve *c, double error)
{
    double best = (double)NAN;
    for (int i = 0; i + 1 < c->n; i++) {
        const wr_bench_point *const a = &c->point[i], *const b = &c->point[i + 1];
        if (!(a->error >= error) || !(b->error <= error) || !(b->error > 0.0))
            continue;
        const double share =
            a->error > b->error ? log(a->error / error) / log(a->error / b->error) : 1.0;
        const double cost_s = a->cost_s * pow(b->cost_s / a->cost_s, share);
        best = !(cost_s >= best) ? cost_s : best;
    }
    return best;
}

static void print_curves_of(const wr_bench *bench, FILE *out, int first, int last)
{
    static const double errors[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    fprintf(out, "\n%s: CPU time in ms on one core at an error of (* = least)\n%-24s",
            bench->curve_case[first], "");
    for (size_t k = 0; k < WR_COUNT_OF(errors); k++)
        fprintf(out, " %10.0e", errors[k]);
    fputc('\n', out);
    for (int i = first; i < last; i++) {
        fprintf(out, "%-24s", bench->curve[i].name);
        for (size_t k = 0; k < WR_COUNT_OF(errors); k++) {
            const double cost_s = cost_at(&bench->curve[i], errors[k]);
            int is_least = isfinite(cost_s);
            for (int j = first; j < last; j++)
                is_least = is_least && !(cost_at(&bench->curve[j], errors[k]) < cost_s);
            if (isfinite(cost_s))
                fprintf(out, " %9.4g%c", cost_s * 1e3, is_least ? '*' : ' ');
            else
                fprintf(out, " %10s", "-");
        }
        fputc('\n', out);
    }
}

void wr_bench_print_curves(const wr_bench *bench, FILE *out)
{
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = first + 1;
        while (last < bench->n_curve &&
               strcmp(bench->curve_case[last], bench->curve_case[first]) == 0)
            last++;
        print_curves_of(bench, out, first, last);
    }
}

/* ---- JSON ---- */

static void json_machine(wr_json *j)
{
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    wr_machine machine;
    wr_machine_read(&machine, topology);
    wr_json_object(j, "machine");
    wr_json_string(j, "cpu", machine.cpu);
    wr_json_string(j, "cores", machine.cores);
    wr_json_string(j, "kernel", machine.kernel);
    wr_json_string(j, "compiler", machine.compiler);
    wr_json_string(j, "flags", machine.flags);
    wr_json_end(j);
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
}

static void json_work(wr_json *j, const char *key, const wr_bench_sample *s)
{
    wr_json_object(j, key);
    wr_json_number(j, "n_step", s->n_step);
    wr_json_number(j, "n_rhs", s->n_rhs);
    wr_json_number(j, "n_indicator_evaluation", s->n_indicator);
    wr_json_number(j, "n_event", s->n_event);
    wr_json_number(j, "n_window", s->n_window);
    wr_json_number(j, "n_sweep", s->n_sweep);
    wr_json_number(j, "n_integration", s->n_integration);
    wr_json_end(j);
}

static void json_row(wr_json *j, const wr_bench_row *r)
{
    wr_json_object(j, NULL);
    wr_json_string(j, "case", r->name);
    wr_json_string(j, "baseline", r->baseline);
    wr_json_integer(j, "cores", r->cores);
    wr_json_string(j, "kind", r->kind);
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
    wr_json_string(j, "setting", r->setting);
    wr_json_string(j, "setting_baseline", r->setting_baseline);
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
        wr_json_array(j, "points");
        for (int k = 0; k < bench->curve[i].n; k++) {
            wr_json_object(j, NULL);
            wr_json_number(j, "rtol", bench->curve[i].point[k].rtol);
            wr_json_number(j, "error", bench->curve[i].point[k].error);
            wr_json_number(j, "cost_s", bench->curve[i].point[k].cost_s);
            wr_json_end(j);
        }
        wr_json_end(j);
        wr_json_end(j);
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
    wr_json_array(&j, "rows");
    for (int i = 0; i < bench->n_row; i++)
        json_row(&j, &bench->row[i]);
    wr_json_end(&j);
    json_curves(&j, bench);
    wr_json_end(&j);
    const char *const text = wr_json_text(&j);
    FILE *const out = text ? fopen(file, "w") : NULL;
    const int is_written = out && fputs(text, out) >= 0;
    const int is_closed = out && fclose(out) == 0;
    wr_json_done(&j);
    if (is_written && is_closed)
        return 0;
    fprintf(stderr, "wrsim: error: '%s' cannot be written: %s\n", file, strerror(errno));
    return wrsim_status_exit_code(WRSIM_E_IO);
}

/* ---- what is made of JSON ---- */

static wr_bench_json *load(const char *file)
{
    char why[256] = "";
    wr_bench_json *tree = wr_bench_json_load(file, why);
    const double schema = tree ? wr_bench_json_number(tree, "schema") : (double)NAN;
    if (tree && schema != WR_BENCH_SCHEMA) {
        snprintf(why, sizeof why, "has schema %g, this program reads %d", schema, WR_BENCH_SCHEMA);
        wr_bench_json_free(&tree);
    } else if (tree && !wr_bench_json_get(tree, "rows")) {
        snprintf(why, sizeof why, "has no rows: it was not written by wrsim bench --json");
        wr_bench_json_free(&tree);
    }
    if (!tree)
        fprintf(stderr, "wrsim: error: '%s' %s\n", file, why);
    return tree;
}

/* The machine's part in which two files differ; NULL if they are of one machine and build. */
static const char *other_machine(const wr_bench_json *a, const wr_bench_json *b)
{
    static const char *const parts[] = {"cpu", "cores", "kernel", "compiler", "flags"};
    const wr_bench_json *const of_a = wr_bench_json_get(a, "machine"), *const of_b =
                                                                           wr_bench_json_get(
                                                                               b, "machine");
    for (size_t i = 0; i < WR_COUNT_OF(parts); i++)
        if (strcmp(wr_bench_json_string(of_a, parts[i]), wr_bench_json_string(of_b, parts[i])) != 0)
            return parts[i];
    return NULL;
}

static int is_same_row(const wr_bench_json *a, const wr_bench_json *b)
{
    static const char *const texts[] = {"case", "baseline", "kind"};
    for (size_t i = 0; i < WR_COUNT_OF(texts); i++)
        if (strcmp(wr_bench_json_string(a, texts[i]), wr_bench_json_string(b, texts[i])) != 0)
            return 0;
    return wr_bench_json_number(a, "cores") == wr_bench_json_number(b, "cores");
}

static void print_pair(const wr_bench_json *a, const wr_bench_json *b)
{
    const double low_a = wr_bench_json_number(a, "ratio_low"),
                 high_a = wr_bench_json_number(a, "ratio_high"),
                 low_b = wr_bench_json_number(b, "ratio_low"),
                 high_b = wr_bench_json_number(b, "ratio_high");
    /* Spreads that overlap tell nothing. */
    const char *const verdict = low_b > high_a ? "better" : high_b < low_a ? "worse" : "same";
    printf("%-16s %-16s %5.0f %-8s %9.3f %9.3f %8.3f  %s; time x %.3f, f x %.3f\n",
           wr_bench_json_string(a, "case"), wr_bench_json_string(a, "baseline"),
           wr_bench_json_number(a, "cores"), wr_bench_json_string(a, "kind"),
           wr_bench_json_number(a, "ratio"), wr_bench_json_number(b, "ratio"),
           wr_bench_json_number(b, "ratio") / wr_bench_json_number(a, "ratio"), verdict,
           wr_bench_json_number(b, "wall_s") / wr_bench_json_number(a, "wall_s"),
           wr_bench_json_number(wr_bench_json_get(b, "work"), "n_rhs") /
               wr_bench_json_number(wr_bench_json_get(a, "work"), "n_rhs"));
}

static void print_pairs(const wr_bench_json *a, const wr_bench_json *b)
{
    int n_single = 0;
    printf("%-16s %-16s %5s %-8s %9s %9s %8s\n", "case", "baseline", "cores", "kind", "A", "B",
           "B / A");
    for (const wr_bench_json *r = wr_bench_json_get(a, "rows")->first; r; r = r->next) {
        const wr_bench_json *other = wr_bench_json_get(b, "rows")->first;
        while (other && !is_same_row(r, other))
            other = other->next;
        if (other)
            print_pair(r, other);
        else
            n_single++;
    }
    if (n_single > 0)
        printf("rows of the first without a partner: %d\n", n_single);
}

int wr_bench_compare(const char *file_a, const char *file_b)
{
    wr_bench_json *a = load(file_a), *b = a ? load(file_b) : NULL;
    int code = wrsim_status_exit_code(WRSIM_E_IO);
    if (a && b) {
        const char *const part = other_machine(a, b);
        code = part ? wrsim_status_exit_code(WRSIM_E_ARG) : 0;
        if (part)
            fprintf(stderr,
                    "wrsim: error: '%s' and '%s' are of different machines or builds (%s: '%s', "
                    "'%s'); measure both on one\n",
                    file_a, file_b, part,
                    wr_bench_json_string(wr_bench_json_get(a, "machine"), part),
                    wr_bench_json_string(wr_bench_json_get(b, "machine"), part));
        else
            print_pairs(a, b);
    }
    wr_bench_json_free(&a);
    wr_bench_json_free(&b);
    return code;
}

/* A table in Markdown, for the README. */
int wr_bench_table(const char *file)
{
    wr_bench_json *tree = load(file);
    if (!tree)
        return wrsim_status_exit_code(WRSIM_E_IO);
    const wr_bench_json *const machine = wr_bench_json_get(tree, "machine");
    printf("| case | relaxed on | against | ratio (10 %% to 90 %% of the rounds) | error, of the "
           "baseline |\n|---|---|---|---|---|\n");
    for (const wr_bench_json *r = wr_bench_json_get(tree, "rows")->first; r; r = r->next) {
        const double cores = wr_bench_json_number(r, "cores");
        printf("| %s | %g core%s%s | %s | %.2f (%.2f to %.2f) | %.1e, ",
               wr_bench_json_string(r, "case"), cores, cores == 1.0 ? "" : "s",
               strcmp(wr_bench_json_string(r, "kind"), "bound") == 0 ? ", schedule bound" : "",
               wr_bench_json_string(r, "baseline"), wr_bench_json_number(r, "ratio"),
               wr_bench_json_number(r, "ratio_low"), wr_bench_json_number(r, "ratio_high"),
               wr_bench_json_number(r, "error"));
        if (wr_bench_json_number(r, "error_baseline") > 0.0)
            printf("%.1e |\n", wr_bench_json_number(r, "error_baseline"));
        else
            printf("- |\n");
    }
    printf("\nwrsim %s; %s; %s; %s; %s\n", wr_bench_json_string(tree, "version"),
           wr_bench_json_string(machine, "cpu"), wr_bench_json_string(machine, "cores"),
           wr_bench_json_string(machine, "kernel"), wr_bench_json_string(machine, "compiler"));
    wr_bench_json_free(&tree);
    return 0;
}
