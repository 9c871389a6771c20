/* `compare`. See compare_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/compare_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/record/results.h"

/* NaN exceeds any limit; a limit < 0 stands for none. */
static int is_above(double difference, double limit)
{
    return limit >= 0.0 && !(difference <= limit);
}

static void print_differences(const wr_difference *d, int n, double limit)
{
    fprintf(wr_out, "%-36s %12s %12s %12s %12s %14s\n", "signal", "range", "max", "max/range",
            "rms/range", "at t [s]");
    for (int i = 0; i < n; i++)
        fprintf(wr_out, "%-36s %12.5g %12.5g %12.5g %12.5g %14.9g%s%s\n", d[i].name, d[i].range,
                d[i].max_abs, d[i].max_rel, d[i].rms_rel, d[i].t_max_s,
                d[i].is_constant ? "  constant" : "",
                is_above(d[i].max_rel, limit) ? "  above the limit" : "");
}

/* Prints how many signals a file has and the name of the first, as "2 of a.h5 (x, ...)". */
static void print_only(int n, const char *file, const char *first)
{
    fprintf(wr_out, "%d of %s", n, file);
    if (n > 0)
        fprintf(wr_out, " (%s%s)", first, n > 1 ? ", ..." : "");
}

/* Prints what only one of the two files has. */
static void print_lacking(const wr_cli *cli, const wr_overlap *o)
{
    const char *const a = cli->operand[0], *const b = cli->operand[1];
    if (o->n_only_a || o->n_only_b) {
        fputs("signals without a partner: ", wr_out);
        print_only(o->n_only_a, a, o->only_a);
        fputs(", ", wr_out);
        print_only(o->n_only_b, b, o->only_b);
        fputs("\n", wr_out);
    }
    if (o->n_row_only_a || o->n_row_only_b)
        fprintf(wr_out, "points without a partner: %d of %s, %d of %s\n", o->n_row_only_a, a,
                o->n_row_only_b, b);
    if (o->end_a_s < o->end_b_s || o->end_a_s > o->end_b_s)
        fprintf(wr_out, "one ends before the other: %s at t = %.9g s, %s at t = %.9g s\n", a,
                o->end_a_s, b, o->end_b_s);
}

/* Prints all differences. Returns the exit code. */
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
    fprintf(wr_out, "compared %d signal%s at %d point%s, t = %.9g s to %.9g s\n", n, wr_plural(n),
            o->n_row, wr_plural(o->n_row), o->first_s, o->last_s);
    fprintf(wr_out, "largest difference: %.6g of the range, %s\n", worst, d[i_worst].name);
    if (n_above > 0)
        fprintf(wr_out, "above the limit %g: %d of %d signal%s\n", cli->limit, n_above, n,
                wr_plural(n));
    if (is_lacking)
        fprintf(wr_out,
                "signals and points that one side lacks count as above the limit %g "
                "(--allow-missing ignores them)\n",
                cli->limit);
    return n_above > 0 || is_lacking ? wrsim_status_exit_code(WRSIM_DIFFERENT) : 0;
}

int wr_compare_command(const wr_cli *cli)
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
