/* `wrsim compare`. Thread: main. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/results.h"

typedef struct compare {
    wr_arguments line;
    double limit; /* negative: no limit */
    int may_lack;
} compare;

#define ROW(...) WR_OPTION(compare, __VA_ARGS__)
static const wr_option options[] = {
    ROW("limit", "L",
        "limit of the differences; exit code 1 above it, or if a file lacks a signal or a point",
        NUMBER, limit, .high = (double)INFINITY),
    ROW("allow-missing", NULL, "ignore signals and points that one file lacks", FLAG, may_lack),
    {.name = NULL}};

/* Returns whether the difference is above the limit. NaN exceeds any limit; a limit < 0 stands for no limit. */
static int is_above(double difference, double limit)
{
    return limit >= 0.0 && !(difference <= limit);
}

/* Prints the number of signals that only this file has, and the first name, as "2 of a.h5 (x, ...)". */
static void print_only(int n, const char *file, const char *first)
{
    fprintf(wr_out, "%d of %s", n, file);
    if (n > 0)
        fprintf(wr_out, " (%s%s)", first, n > 1 ? ", ..." : "");
}

/* Prints all differences. Returns the exit code. */
static int print_comparison(const compare *c, const wr_difference *d, int n, const wr_overlap *o)
{
    double worst = 0.0;
    int i_worst = 0, n_above = 0;
    for (int i = 0; i < n; i++) {
        n_above += is_above(d[i].max_rel, c->limit);
        if (!(d[i].max_rel <= worst)) {
            worst = d[i].max_rel;
            i_worst = i;
        }
    }
    const int is_lacking = c->limit >= 0.0 && !c->may_lack && wr_results_lack(o);
    fprintf(wr_out, "%-36s %12s %12s %12s %12s %14s\n", "signal", "range", "max", "max/range",
            "rms/range", "at t [s]");
    for (int i = 0; i < n; i++)
        fprintf(wr_out, "%-36s %12.5g %12.5g %12.5g %12.5g %14.9g%s%s\n", d[i].name, d[i].range,
                d[i].max_abs, d[i].max_rel, d[i].rms_rel, d[i].t_max_s,
                d[i].is_constant ? "  constant" : "",
                is_above(d[i].max_rel, c->limit) ? "  above the limit" : "");
    const char *const a = c->line.operand[0], *const b = c->line.operand[1];
    if (o->n_only_a || o->n_only_b) {
        fputs("signals in one file only: ", wr_out);
        print_only(o->n_only_a, a, o->only_a);
        fputs(", ", wr_out);
        print_only(o->n_only_b, b, o->only_b);
        fputs("\n", wr_out);
    }
    if (o->n_row_only_a || o->n_row_only_b)
        fprintf(wr_out, "points in one file only: %d of %s, %d of %s\n", o->n_row_only_a, a,
                o->n_row_only_b, b);
    if (o->end_a_s < o->end_b_s || o->end_a_s > o->end_b_s)
        fprintf(wr_out, "the files end at different times: %s at t = %.9g s, %s at t = %.9g s\n", a,
                o->end_a_s, b, o->end_b_s);
    fprintf(wr_out, "compared %d signal%s at %d point%s, t = %.9g s to %.9g s\n", n, wr_plural(n),
            o->n_row, wr_plural(o->n_row), o->first_s, o->last_s);
    fprintf(wr_out, "largest difference: %.6g of the range, %s\n", worst, d[i_worst].name);
    if (n_above > 0)
        fprintf(wr_out, "above the limit %g: %d of %d signal%s\n", c->limit, n_above, n,
                wr_plural(n));
    if (is_lacking)
        fprintf(wr_out,
                "signals and points that one file lacks count as above the limit %g "
                "(--allow-missing ignores them)\n",
                c->limit);
    return n_above > 0 || is_lacking ? wrsim_status_exit_code(WRSIM_DIFFERENT) : 0;
}

static int run(void *into)
{
    const compare *const c = into;
    wrsim_error err = {0};
    wr_results *a = wr_results_load(c->line.operand[0], &err), *b = NULL;
    wr_difference *differences = NULL;
    wr_overlap overlap;
    int n = -1;
    if (a)
        b = wr_results_load(c->line.operand[1], &err);
    if (b)
        n = wr_results_compare(a, b, &differences, &overlap, &err);
    if (b && n < 0)
        snprintf(err.file, sizeof err.file, "%s, %s", c->line.operand[0], c->line.operand[1]);
    if (b && n < 0 && (a->n_row == 0 || b->n_row == 0)) {
        wr_error_set(&err, WRSIM_E_ARG,
                     "the file has no row at a communication point; name another result file");
        snprintf(err.file, sizeof err.file, "%s", c->line.operand[a->n_row == 0 ? 0 : 1]);
    }
    int code;
    if (n < 0) {
        wr_print_error(NULL, &err);
        code = wrsim_status_exit_code(err.status);
    } else {
        code = print_comparison(c, differences, n, &overlap);
    }
    free(differences);
    wr_results_destroy(&a);
    wr_results_destroy(&b);
    return code;
}

const wr_command wr_compare_command = {
    WR_COMMAND("compare", "RESULT REFERENCE", 2, 2, options, run),
    .help = "print the largest and RMS difference of every signal, relative to its range",
    .more = "The range is the range in REFERENCE. If the range is below 1e-8 of the signal's "
            "largest value, the table marks the\nsignal as constant. The differences are then "
            "relative to this value, or to 1 if all values are zero. Signals of both\nfiles are "
            "compared at the communication points of both.\n",
    .into = &(compare){.limit = -1.0}};
