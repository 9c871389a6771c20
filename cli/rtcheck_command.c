/* `wrsim rtcheck`. Thread: main. Real-time: no. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/print_run.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "wrsim/wrsim.h"

static void print_line(const char *name, const wrsim_wall_times *t)
{
    char median[WR_WALL_TEXT_BYTES], high[WR_WALL_TEXT_BYTES], most[WR_WALL_TEXT_BYTES];
    fprintf(wr_out, "%-24s %10s %10s %10s\n", name, wr_wall_text((double)t->median_ns, median),
            wr_wall_text((double)t->all_but_per_mille_ns, high),
            wr_wall_text((double)t->most_ns, most));
}

static void print_cases(const wrsim_rtcheck *c)
{
    char deadline[WR_WALL_TEXT_BYTES], allowed[64] = "none may be missed";
    if (c->run.misses > 0)
        snprintf(allowed, sizeof allowed, "at most %d of any %d in a row may be missed",
                 c->run.misses, c->run.of);
    fprintf(wr_out, "\nat rate %.10g, with a deadline of %s for each step, of which %s:\n",
            c->run.rate, wr_wall_text(1e9 * c->run.deadline_s, deadline), allowed);
    for (int i = 0; i < WRSIM_RTCHECK_CASES; i++) {
        const wrsim_rtcheck_case *const at = &c->at[i];
        char late[WR_WALL_TEXT_BYTES];
        fprintf(wr_out, "  %.2f of the measured time, starts at least %s late", at->factor,
                wr_wall_text(1e9 * at->lateness_s, late));
        if (i != WRSIM_RTCHECK_QUICK)
            fprintf(wr_out, " and by at least %.2f of the measured delays", at->factor);
        fputs(": ", wr_out);
        if (at->n_miss == 0)
            fprintf(wr_out, "the run misses no deadline\n");
        else if (at->n_violation == 0)
            fprintf(wr_out, "%" PRId64 " of %" PRId64 " deadlines missed, which is allowed\n",
                    at->n_miss, c->n_step);
        else if (c->run.misses == 0)
            fprintf(wr_out, "%" PRId64 " of %" PRId64 " deadlines missed\n", at->n_miss, c->n_step);
        else
            fprintf(wr_out,
                    "%" PRId64 " of %" PRId64 " deadlines missed; %" PRId64
                    " steps end a span of realtime.of steps with more misses than "
                    "realtime.misses\n",
                    at->n_miss, c->n_step, at->n_violation);
    }
}

typedef struct rtcheck {
    wr_arguments line;
    int is_quiet;
} rtcheck;

#define ROW(...) WR_OPTION(rtcheck, __VA_ARGS__)
static const wr_option options[] = {
    ROW("quiet", NULL, "print the verdict only", FLAG, is_quiet, .letter = 'q'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int run(void *into)
{
    const rtcheck *const r = into;
    wrsim_config *config = NULL;
    wrsim_rtcheck *check = NULL;
    wrsim_error err = {0};
    wrsim_status status =
        wrsim_config_from_file(r->line.operand[0], r->line.override, r->line.n_override,
                               wr_print_error, NULL, &config, NULL);
    if (status >= 0) {
        status = wr_tool_check(config);
        if (status >= 0 && (status = wrsim_study_realtime(config, NULL, &check, &err)) < 0)
            wr_print_error(NULL, &err);
    }
    wrsim_config_destroy(&config);
    if (status < 0)
        return wrsim_status_exit_code(status);
    if (!r->is_quiet) {
        wr_print_fitness_of(wr_err, &check->run, check->cpu, check->n_worker);
        fprintf(wr_out,
                "%" PRId64
                " of the run's %.0f steps measured, with a sleep after each, on %d worker%s\n\n",
                check->n_step, check->whole_steps, check->n_worker, wr_plural(check->n_worker));
        fprintf(wr_out, "%-24s %10s %10s %10s\n", "", "median", "99.9 %", "max");
        for (int i = 0; i < check->n_subsystem; i++)
            print_line(check->subsystem[i].name, &check->subsystem[i].compute);
        print_line("a whole step", &check->span);
        print_line("lateness of the machine", &check->jitter);
        print_cases(check);
    }
    fprintf(wr_out, "\n%s",
            check->verdict == WRSIM_OK           ? "the deadlines will hold"
            : check->verdict == WRSIM_INFEASIBLE ? "the deadlines will not hold"
                                                 : "undecided");
    fprintf(wr_out, " (margin %.0f %%)", 100.0 * check->margin);
    if (!isnan(check->rate_holds))
        fprintf(wr_out, "; the deadlines hold up to realtime.rate = %.3g", check->rate_holds);
    if (!isnan(check->rate_fails))
        fprintf(wr_out, "; the run misses deadlines from realtime.rate = %.3g on",
                check->rate_fails);
    fputs(check->verdict == WRSIM_OK || r->is_quiet
              ? "\n"
              : "\nlower realtime.rate, raise realtime.deadline, change the printed settings, or "
                "bound the work of a step (solver.spare_steps)\n",
          wr_out);
    const int code = wrsim_status_exit_code(check->verdict);
    wrsim_rtcheck_destroy(&check);
    return code;
}

const wr_command wr_rtcheck_command = {
    WR_COMMAND("rtcheck", "CONFIG", 1, 1, options, run),
    .help = "check whether the deadlines of [realtime] will hold on these cores",
    .more =
        "The config runs for up to 10 s, period by period with a sleep after each. The verdict "
        "allows for 30 % more and less\ntime than measured, and for the measured delay with which "
        "the machine wakes a thread. Exit code 0:\nthe deadlines will hold; 10: the deadlines will "
        "not hold; 11: undecided.\n",
    .into = &(rtcheck){.is_quiet = 0}};
