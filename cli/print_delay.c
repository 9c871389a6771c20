/* See print_delay.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_delay.h"

#include <inttypes.h>

#include "cli/print.h"

/* A connection's period counts as shortened below this fraction of the longest period: periods are halved, and 0.75
 * lies between 1 and 1/2. */
static const double SHORTER = 0.75;

/* Finds the connection with the largest sum of delay errors. Returns 0, or -1 if all sums are 0. */
static int find_worst(const wrsim *sim, wrsim_delay_connection *ret)
{
    int rc = -1;
    wrsim_delay_subsystem s;
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++)
        for (int j = 0; j < s.n_connection; j++) {
            wrsim_delay_connection c;
            wrsim_delay_connection_get(sim, i, j, &c);
            if (c.sum > 0.0 && (rc < 0 || c.sum > ret->sum)) {
                *ret = c;
                rc = 0;
            }
        }
    return rc;
}

/* Prints the connections and sweeps that limits have changed, or that the config sets. */
static void print_actions(FILE *out, const wrsim *sim)
{
    wrsim_delay_subsystem s;
    wrsim_stats all;
    wrsim_stats_get(sim, &all);
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++) {
        for (int j = 0; j < s.n_connection; j++) {
            wrsim_delay_connection c;
            wrsim_delay_connection_get(sim, i, j, &c);
            if (c.is_awaited)
                fprintf(out, "%s waits for %s\n", c.reader, c.producer);
            if (!c.is_played && c.period_s < SHORTER * all.window_longest_s)
                fprintf(out, "%s -> %s is exchanged every %.6g s\n", c.producer, c.reader,
                        c.period_s);
        }
        if (s.n_sweep > 1)
            fprintf(out, "%s integrates each period %d times\n", s.name, s.n_sweep);
        if (s.n_above_loc > 0)
            fprintf(out,
                    "%s is above slack.eps_loc in %" PRId64 " of %" PRId64
                    " periods watched, since t = %.6g s\n",
                    s.name, s.n_above_loc, s.n_period, s.first_above_loc_s);
        if (s.n_above_glo > 0)
            fprintf(out,
                    "%s is above slack.eps_glo in %" PRId64 " of %" PRId64
                    " periods watched, since t = %.6g s\n",
                    s.name, s.n_above_glo, s.n_period, s.first_above_glo_s);
    }
}

void wr_print_delay(FILE *out, const wrsim *sim)
{
    wrsim_delay_subsystem s;
    wrsim_delay_connection worst;
    if (wrsim_delay_subsystem_get(sim, 0, &s) != WRSIM_OK)
        return;
    fprintf(out, "\n%-16s %10s %-20s %10s %-20s %8s %9s\n", "stale inputs", "E_c", "of", "estimate",
            "of", "watched", "rhs");
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++) {
        wrsim_subsystem_stats stats;
        wrsim_stats_subsystem(sim, i, &stats);
        if (s.n_period > 0)
            fprintf(out, "%-16s %10.2e %-20s %10.2e %-20s %8" PRId64 " %+8.1f%%\n", s.name,
                    s.current, s.current_state, s.estimate, s.estimate_state, s.n_period,
                    (stats.n_rhs > 0 ? 100.0 * (double)s.n_rhs / (double)stats.n_rhs : 0.0));
        if (s.n_failed > 0)
            fprintf(out,
                    "%s: %" PRId64
                    " step%s %s not in E_c, because the model fails with the true inputs\n",
                    s.name, s.n_failed, wr_plural(s.n_failed), s.n_failed == 1 ? "is" : "are");
        if (s.n_lost > 0)
            fprintf(
                out,
                "%s: %" PRId64
                " period%s could not be judged, because the true inputs became known too late\n",
                s.name, s.n_lost, wr_plural(s.n_lost));
    }
    if (find_worst(sim, &worst) == 0)
        fprintf(out, "the largest part comes through %s -> %s\n", worst.producer, worst.reader);
    print_actions(out, sim);
}

void wr_print_delay_excess(FILE *out, const wrsim *sim)
{
    wrsim_delay_subsystem s;
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++) {
        if (s.current > s.said_loc)
            fprintf(out,
                    "wrsim: warning: %s: stale inputs cause an error of up to %.2g in %s in one "
                    "step, above slack.eps_loc = %.2g in %" PRId64 " of %" PRId64
                    " periods watched, since t = %.9g s\n",
                    s.name, s.current, s.current_state, s.said_loc, s.n_above_loc, s.n_period,
                    s.first_above_loc_s);
        if (s.estimate > s.said_glo)
            fprintf(out,
                    "wrsim: warning: %s: stale inputs have caused an estimated error of up to %.2g "
                    "in %s, "
                    "above slack.eps_glo = %.2g in %" PRId64 " of %" PRId64
                    " periods watched, since t = %.9g s\n",
                    s.name, s.estimate, s.estimate_state, s.said_glo, s.n_above_glo, s.n_period,
                    s.first_above_glo_s);
    }
}
