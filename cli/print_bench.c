/* Tables of benchmarks and budgets. See print_bench.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_bench.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench_report.h"
#include "cli/print.h"

/* Has columns of its own: the unit of cost is one subsystem, state, connection or window. */
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
        fprintf(out, "ns/unit: CPU time per window and unit (the unit is in the column baseline; "
                     "for windows: per window)\nratio: ns/unit over ns/unit of the smallest model; "
                     "smaller is better; median and spread over the rounds\nstart: wall time from "
                     "reading the config until the first window can begin\n");
}

/* Prints "-" if there is no error. */
static void print_error(FILE *out, double error)
{
    if (isnan(error))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %9.2g", error);
}

void wr_print_bench_rows(const wr_bench *bench, FILE *out)
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
        fprintf(out, "ratio: time of the baseline / time; for schedule and oracle the inverse, "
                     "smaller is better; median and spread over the rounds\n");
    print_growth(bench, out);
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
    enum { MOST = 16 };
    wr_bench_winner w[MOST];
    fprintf(out, "\n%s: CPU time in ms on one core at an error of (* = least)\n%-24s",
            bench->curve_case[first], "");
    for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++) {
        fprintf(out, " %9.0e ", wr_bench_errors[k]);
        w[k] = wr_bench_winner_at(bench, first, last, wr_bench_errors[k]);
    }
    for (int i = first; i < last; i++) {
        fprintf(out, "\n%-24s", bench->curve[i].name);
        for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
            print_cost(out, 1e3 * wr_bench_cost_at(&bench->curve[i], wr_bench_errors[k]),
                       strcmp(w[k].name, bench->curve[i].name) == 0 ? '*' : ' ');
    }
    fprintf(out, "\n%-24s", "relaxed / best monolithic");
    for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
        print_cost(out, w[k].relaxed_s / w[k].monolithic_s, ' ');
    fprintf(out, "\n%-24s", "auto / best monolithic");
    for (size_t k = 0; k < MOST && wr_bench_errors[k] > 0.0; k++)
        print_cost(out, w[k].auto_s / w[k].monolithic_s, ' ');
    fputc('\n', out);
    for (int i = first; i < last; i++)
        if (!isnan(bench->curve[i].floor))
            fprintf(out, "%s: its error does not fall below %.2g\n", bench->curve[i].name,
                    bench->curve[i].floor);
}

void wr_print_bench_curves(const wr_bench *bench, FILE *out)
{
    for (int first = 0, last; first < bench->n_curve; first = last) {
        last = wr_bench_end_of_case(bench, first);
        print_curves_of(bench, out, first, last);
    }
}

static void print_outcome(FILE *out, const char *name, const wrsim_budget_outcome *o)
{
    char beside[64] = "";
    if (o->error_beside >= 0.0)
        snprintf(beside, sizeof beside, " (%.2g a step to either side)", o->error_beside);
    fprintf(out, "%-8s error %.2g%s, counted work %.3g\n", name, o->error, beside, o->work);
}

void wr_print_budget(FILE *out, const char *name, const wrsim_budget *b)
{
    fprintf(out,
            "%s: requested error %.2g, of %d signal%s, t = %.9g s to %.9g s (error of the "
            "reference %.1g)\n\n",
            name, b->error, b->n_signal, wr_plural(b->n_signal), b->start_s, b->stop_s,
            b->reference_error);
    if (!b->is_complete)
        fputs(
            "the search was interrupted: the chosen tolerances are the best of the runs so far\n\n",
            out);
    fprintf(out, "%-28s %-12s %9s %9s %9s %10s %8s\n", "tolerance of", "solver", "now", "uniform",
            "chosen", "of error", "of work");
    for (int i = 0; i < b->n_tolerance; i++) {
        const wrsim_budget_tolerance *const t = &b->tolerance[i];
        fprintf(out, "%-28s %-12s %9.2g %9.2g %9.2g", t->name, t->solver, t->now, t->uniform,
                t->chosen);
        if (isnan(t->error_share))
            fprintf(out, " %10s", "-");
        else
            fprintf(out, " %8.0f %%", 100.0 * t->error_share);
        fprintf(out, " %6.0f %%\n", 100.0 * t->work_share);
    }
    fputc('\n', out);
    fprintf(out, "now: the config with simulation.rtol = %.3g, the requested error\n", b->error);
    print_outcome(out, "now", &b->now);
    print_outcome(out, "uniform", &b->uniform);
    print_outcome(out, "chosen", &b->chosen);
    fprintf(out, "work saved over uniform: %.0f %%\n\n",
            100.0 * (1.0 - b->chosen.work / b->uniform.work));
    for (int i = 0; i < b->n_override; i++)
        fprintf(out, "%s-D %s", i ? " " : "", b->override[i]);
    fputc('\n', out);
}
