/* The summary of a run. See print_run.h. Thread: main. Real-time: no. */
#include <inttypes.h>
#include <math.h>

#include "cli/print.h"
#include "cli/print_run.h"
#include "runtime/sim/component_process.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/report.h"
#include "runtime/sim/simulation.h"

/* Fraction of the longest period below which a connection's period counts as shortened. A limit halves periods, and 0.75 is between 1 and
 * 1/2. */
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

/* Prints the connections and sweeps that delay limits or the config have changed, and the subsystems with errors above a limit. */
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
                    "the delay error of %s is above slack.eps_loc in %" PRId64 " of %" PRId64
                    " watched periods, first at t = %.6g s\n",
                    s.name, s.n_above_loc, s.n_period, s.first_above_loc_s);
        if (s.n_above_glo > 0)
            fprintf(out,
                    "the delay error of %s is above slack.eps_glo in %" PRId64 " of %" PRId64
                    " watched periods, first at t = %.6g s\n",
                    s.name, s.n_above_glo, s.n_period, s.first_above_glo_s);
    }
}

/* Prints the delay errors of subsystems and connections; nothing if slack.watch is 0. */
static void print_delay(FILE *out, const wrsim *sim)
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
                    "%s: %" PRId64 " step%s %s not part of E_c, because the model fails with the "
                    "right inputs; shorten slack.period\n",
                    s.name, s.n_failed, wr_plural(s.n_failed), s.n_failed == 1 ? "is" : "are");
        if (s.is_partial)
            fprintf(out,
                    "%s: E_c and the estimate may be too small, because a model has "
                    "WRSIM_CAP_NO_PROBE or an own state\n",
                    s.name);
        if (s.n_lost > 0)
            fprintf(out,
                    "%s: the delay error of %" PRId64
                    " period%s is unknown, because the right inputs became known too late; set "
                    "slack.bound to 0 or 1 (for a replay in the logged run)\n",
                    s.name, s.n_lost, wr_plural(s.n_lost));
    }
    if (find_worst(sim, &worst) == 0)
        fprintf(out, "the largest part of the delay error comes through %s -> %s\n", worst.producer,
                worst.reader);
    print_actions(out, sim);
}

static double per(int64_t a, int64_t b) { return b > 0 ? (double)a / (double)b : 0.0; }

/* Prints the points by purpose, summed over the subsystems; nothing if simulation.points is "off". */
static void print_points(FILE *out, const wrsim *sim)
{
    static const char *const names[] = {WRSIM_PURPOSES(WRSIM_PURPOSE_KEY) "all"};
    wrsim_points sum[WRSIM_PURPOSE_COUNT + 1] = {{.n = 0}}, part[WRSIM_PURPOSE_COUNT];
    for (int i = 0; wrsim_stats_points(sim, i, part) == WRSIM_OK; i++)
        for (int k = 0; k < 2 * WRSIM_PURPOSE_COUNT; k++) {
            wrsim_points *const to = &sum[k < WRSIM_PURPOSE_COUNT ? k : WRSIM_PURPOSE_COUNT];
            const wrsim_points *const from = &part[k % WRSIM_PURPOSE_COUNT];
            to->n += from->n;
            to->n_repeated += from->n_repeated;
            to->cost_s += from->cost_s;
            to->repeated_s += from->repeated_s;
        }
    if (sum[WRSIM_PURPOSE_COUNT].n == 0)
        return;
    fprintf(out, "\n%-16s %12s %12s %12s %12s\n", "points", "accepted", "repeated", "cost [s]",
            "repeated [s]");
    for (int k = 0; k <= WRSIM_PURPOSE_COUNT; k++)
        if (sum[k].n > 0)
            fprintf(out, "%-16s %12" PRId64 " %12" PRId64 " %12.4g %12.4g\n", names[k],
                    sum[k].n - sum[k].n_repeated, sum[k].n_repeated,
                    sum[k].cost_s - sum[k].repeated_s, sum[k].repeated_s);
}

/* Prints the components with a process of their own, and the cost of their calls. */
static void print_processes(FILE *out, const wrsim *sim)
{
    wr_component_process_stats p;
    for (int i = 0; wr_component_process_stats_get(sim, i, &p) == 0; i++)
        fprintf(out,
                "%s: in a process of its own%s; %" PRId64
                " call%s, each %.3g us longer than in wrsim\n",
                p.component,
                p.is_needed ? ", because its model allows one instance in a process" : "", p.n_call,
                wr_plural(p.n_call), p.call_cost_us);
}

/* Prints the number of steps of each family of methods, for solvers that change the family. */
static void print_choices(FILE *out, const wrsim *sim)
{
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        const wr_setup *const m = &sim->assembly->setup[i];
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (!m->kind->has_group || !m->ode.integrator->family[0] || s.n_state == 0)
            continue;
        fprintf(out, "%s: %s made %" PRId64 " step%s with %s, %" PRId64 " with %s", s.name,
                s.solver, s.n_step - s.n_implicit_step, wr_plural(s.n_step - s.n_implicit_step),
                m->ode.integrator->family[0], s.n_implicit_step, m->ode.integrator->family[1]);
        if (s.n_implicit_step > 0)
            fprintf(out, " (%.3g %% of the simulated time, %" PRId64 " change%s)",
                    100.0 * s.implicit_share, s.n_method_change,
                    wr_plural((int64_t)s.n_method_change));
        fputc('\n', out);
    }
}

/* Prints the delayed events, spent budgets and exceeded tolerances of a subsystem with bounded work, and the change of its outputs in the
 * last sweeps. */
static void print_bounds(FILE *out, const wrsim_subsystem_stats *s)
{
    if (s->n_late_event > 0)
        fprintf(out,
                "%s: late handling of %" PRId64
                " event%s at the end of a step, by less than %.3g s; %s\n",
                s->name, s->n_late_event, wr_plural(s->n_late_event), s->latest_s,
                s->rtol > 0.0 ? "raise solver.budget"
                              : "raise solver.spare_steps, or lower solver.step");
    if (s->n_unsettled > 0)
        fprintf(out,
                "%s: at %" PRId64 " instant%s events triggered one another too often, and the next "
                "step continued them; give the indicators hysteresis\n",
                s->name, s->n_unsettled, wr_plural(s->n_unsettled));
    if (s->n_spent > 0)
        fprintf(out, "%s: solver.budget was spent %" PRId64 " time%s\n", s->name, s->n_spent,
                wr_plural(s->n_spent));
    if (s->n_unchecked_step > 0)
        fprintf(out,
                "%s: with a spent budget %" PRId64 " step%s had an error above the tolerance, by a "
                "factor of up to %.3g; raise solver.budget\n",
                s->name, s->n_unchecked_step, wr_plural(s->n_unchecked_step), s->unchecked_error);
    if (s->sweep_rest_output[0])
        fprintf(out,
                "%s: the last sweep of a period changed %s by up to %.3g tolerances, at t = %.6g "
                "s; largest change relative to a range: %s, %.2g\n",
                s->name, s->sweep_rest_output, s->sweep_rest, s->sweep_rest_s,
                s->sweep_rest_share_output[0] ? s->sweep_rest_share_output : "none",
                s->sweep_rest_share);
}

/* Mean number of busy CPUs, from which on other work is a cause of slow workers (assumed). */
static const double BUSY_COUNT = 0.2;

/* Prints the measured times of a window with one worker and with several, the measured causes, and the remedy. */
static void print_slower(FILE *out, const wrsim *sim, const wr_engine_stats *e,
                         const wr_busy_cpus *busy)
{
    char one[WR_WALL_TEXT_BYTES], several[WR_WALL_TEXT_BYTES];
    /* A worker and the thread of the results share a CPU only if each CPU has a worker. */
    const int has_writer = busy->n_writer >= BUSY_COUNT && sim->n_cpu <= sim->n_worker;
    const int has_others = busy->n_other >= BUSY_COUNT;
    /* Windows became slower after the last trial. */
    const int is_faster = e->measured_s[1] > e->measured_s[0];
    const int is_small = e->work_per_window < sim->settings->scheduler.min_work;
    fprintf(out, "a window took %s with one worker and %s with several%s",
            wr_wall_text(1e9 * e->measured_s[1], one),
            wr_wall_text(1e9 * e->measured_s[0], several),
            is_faster ? ", but one worker was faster in the last trial" : "");
    if (has_writer)
        fprintf(out, ", while the thread that writes results kept %.2g CPUs busy", busy->n_writer);
    if (has_others)
        fprintf(out, "%s other programs kept %.2g CPUs busy", has_writer ? " and" : ", while",
                busy->n_other);
    if (has_writer || has_others)
        fprintf(out, "; %s%s%s, or", has_writer ? "record fewer signals (output.signals)" : "",
                has_writer && has_others ? ", " : "", has_others ? "stop other programs" : "");
    else if (is_small && !is_faster)
        fprintf(out, ", and a window has only %.0f units of work; lengthen the windows, or",
                e->work_per_window);
    else
        fputs(";", out);
    fprintf(out, " set scheduler.%s\n", is_faster ? "min_work = 0" : "workers = 1");
}

/* Prints the reason for unused workers, and the remedy. */
static void print_idle_workers(FILE *out, const wrsim *sim, int n_active, const wr_busy_cpus *busy)
{
    const wr_engine_stats none = {0}; /* statistics of a run without an engine */
    const wr_engine_stats *const e =
        wr_driver_engine(sim) ? wr_engine_stats_get(wr_driver_engine(sim)) : &none;
    const double min_work = sim->settings->scheduler.min_work;
    fprintf(out, "%d of %d worker%s %s used at the end: ", n_active, sim->n_worker,
            wr_plural(sim->n_worker), n_active == 1 ? "was" : "were");
    if (n_active == sim->assembly->n_subsystem)
        fprintf(out, "the model has no more subsystems; set scheduler.workers = %d\n",
                n_active < sim->n_cpu ? n_active : sim->n_cpu);
    else if (n_active == sim->n_cpu)
        fprintf(out, "the process may use no more CPUs; set scheduler.workers = %d\n", n_active);
    else if (e->worker_reason == WR_WORKER_COUNT_TRIAL)
        fprintf(out, "the run ended in a periodic trial with one worker; no action is needed\n");
    else if (e->worker_reason == WR_WORKER_COUNT_BEGIN)
        fprintf(out, "the run was too short to try more workers; set scheduler.min_work = 0 to "
                     "start with all workers\n");
    else if (e->worker_reason == WR_WORKER_COUNT_SLOWER)
        print_slower(out, sim, e, busy);
    else if (n_active > 1 && e->work_per_window < min_work)
        fprintf(out,
                "a window has %.0f units of work, too little for more workers (scheduler.min_work "
                "is %.10g); lengthen the windows, or set scheduler.workers = %d\n",
                e->work_per_window, min_work, n_active);
    else
        fprintf(out,
                "a window has %.0f units of work, and each worker needs %.10g "
                "(scheduler.min_work); lengthen the windows, or set scheduler.workers = %d\n",
                e->work_per_window, min_work, n_active);
}

/* Prints the times of each worker. Workers after the last worker with a task share a line. */
static void print_worker_times(FILE *out, const wrsim *sim, int n_active, const wr_busy_cpus *busy)
{
    int n_idle = 0;
    for (int i = 0; i < sim->n_worker; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        n_idle = w.n_task == 0 ? n_idle + 1 : 0;
    }
    const int n_listed = n_idle > 1 ? sim->n_worker - n_idle : sim->n_worker;
    for (int i = 0; i < n_listed; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        fprintf(out, "worker %d: busy %.3f s, waiting %.3f s, %" PRId64 " task%s, %s\n", i,
                (double)w.busy_ns * 1e-9, (double)w.wait_ns * 1e-9, w.n_task, wr_plural(w.n_task),
                w.is_pinned ? "pinned" : "not pinned");
    }
    if (n_listed < sim->n_worker)
        fprintf(out, "workers %d to %d: no tasks\n", n_listed, sim->n_worker - 1);
    int n_taken = 0;
    for (int i = 0; i < sim->topology->n_pu; i++)
        n_taken += sim->topology->pu[i].is_taken &&
                   (i == 0 || sim->topology->pu[i].core != sim->topology->pu[i - 1].core);
    if (n_taken > 0)
        fprintf(out,
                "other runs held %d of %d core%s at the start; this run pinned workers to these "
                "cores only if scheduler.cores lists them\n",
                n_taken, sim->topology->n_core, wr_plural(sim->topology->n_core));
    if (n_active > 0 && n_active < sim->n_worker)
        print_idle_workers(out, sim, n_active, busy);
}

static void print_predictions(FILE *out, const wrsim *sim, const wrsim_stats *s)
{
    if (!(sim->settings->relaxation.history_period > 0.0) || s->n_subsystem == 1)
        return;
    fprintf(out,
            "predicted from history: %.1f %% by the previous period, %.1f %% by a leading signal\n",
            100.0 * per(s->n_predicted_period, s->n_predicted),
            100.0 * per(s->n_predicted_followed, s->n_predicted));
    if (s->n_phase_fall > 0)
        fprintf(out,
                "relaxation.history.phase: %s decreased %" PRId64
                " time%s, which cleared the history: choose a phase that only grows\n",
                wr_report_phase(sim), s->n_phase_fall, wr_plural(s->n_phase_fall));
}

/* Prints the estimated error of splitting or of stale inputs, and its sources. */
static void print_account(FILE *out, const wrsim *sim)
{
    wrsim_error_account a;
    if (sim->assembly->n_subsystem < 2 || !sim->driver->account ||
        wrsim_error_account_get(sim, &a) < 0)
        return;
    const double rtol = sim->settings->simulation.rtol;
    if (!sim->driver->has_error_account && sim->settings->slack.watch == 0) {
        fputs("error of stale inputs: not estimated; set slack.watch = 1 to estimate it\n", out);
        return;
    }
    fprintf(out, "error of %s, estimated: %.2g of the range (%.2g rtol)", sim->driver->error_noun,
            a.error, a.error / rtol);
    if (a.error > 0.0 && !sim->driver->has_error_account)
        fprintf(out, ", worst in %s, most through %s", a.subsystem, a.connection);
    else if (a.error > 0.0)
        fprintf(out, ", worst in %s%s%s; waves %.0f %%, readers %.0f %%, sweeps %.0f %%",
                a.subsystem, a.connection[0] ? ", most through " : "", a.connection,
                100.0 * a.waves / a.error, 100.0 * a.readers / a.error, 100.0 * a.sweeps / a.error);
    if (a.not_covered[0])
        fprintf(out, "; not included: the effect of input errors on %s, which is unknown",
                a.not_covered);
    fputc('\n', out);
    if (a.is_above)
        fprintf(out,
                "warning: the error exceeds relaxation.error_limit = %.10g: lower "
                "relaxation.convergence or simulation.rtol%s\n",
                sim->settings->relaxation.error_limit,
                a.connection[0] ? ", or put both ends of the connection into one subsystem" : "");
}

static void print_periods(FILE *out, const wrsim *sim, const wrsim_stats *s)
{
    const int n_sweep = sim->settings->slack.sweeps;
    fprintf(out,
            "periods %" PRId64 " of %.6g s, each integrated %d time%s; integrations %" PRId64
            ", of which %" PRId64 " waited for other subsystems\n",
            s->n_window, s->window_longest_s, n_sweep, wr_plural(n_sweep), s->n_integration,
            s->n_wait);
    if (s->n_stale > 0)
        fprintf(out,
                "warning: at %" PRId64
                " read%s the inputs were too old for a prediction, so the run "
                "held their values: set slack.bound (with fixed or drawn delays slack.delay) to 0 "
                "to 3\n",
                s->n_stale, wr_plural(s->n_stale));
    print_predictions(out, sim, s);
    print_account(out, sim);
    const int n = wrsim_age_count(sim);
    if (n > 0)
        fprintf(out, "\n%-16s %-16s %12s %12s %12s\n", "reader", "of", "reads", "mean age, s",
                "most, s");
    for (int i = 0; i < n; i++) {
        wrsim_age age;
        wrsim_stats_age(sim, i, &age);
        /* An earlier row may have the same reader and producer. All inputs from one producer have the same age. */
        int is_told = 0;
        for (int k = 0; k < i && !is_told; k++) {
            wrsim_age before;
            wrsim_stats_age(sim, k, &before);
            if (before.reader == age.reader && before.producer == age.producer)
                is_told = 1;
        }
        if (!is_told)
            fprintf(out, "%-16s %-16s %12" PRId64 " %12.3g %12.3g\n", age.reader, age.producer,
                    age.n_read, age.mean_s, age.most_s);
    }
    print_delay(out, sim);
}

static void print_windows(FILE *out, const wrsim *sim, const wrsim_stats *s)
{
    if (s->n_subsystem == 1) {
        fprintf(out, "one subsystem: no windows, no sweeps\n");
        return;
    }
    fprintf(out,
            "windows %" PRId64 " (%.3g to %.3g s), rejected %" PRId64 ", accepted after one sweep "
            "%" PRId64 "\n",
            s->n_window, s->window_shortest_s, s->window_longest_s, s->n_rejected, s->n_one_sweep);
    fprintf(out,
            "sweeps %" PRId64 ", %.3f per window; full sweeps per window %.3f; integrations "
            "%" PRId64 ", skipped %" PRId64 ", wasted %" PRId64 "\n",
            s->n_sweep, per(s->n_sweep, s->n_window),
            per(s->n_integration, s->n_window * s->n_subsystem), s->n_integration, s->n_skipped,
            s->n_wasted);
    if (s->n_ahead > 0)
        fprintf(out, "begun ahead %" PRId64 " window%s, taken back %" PRId64 "\n", s->n_ahead,
                wr_plural(s->n_ahead), s->n_ahead_undone);
    if (s->n_event_check > 0)
        fprintf(out, "events at shared instants: %" PRId64 " checks, %" PRId64 " refuted\n",
                s->n_event_check, s->n_event_refuted);
    if (s->contraction_mean > 0.0)
        fprintf(out, "contraction per sweep %.3g (mean of measured sweeps)\n", s->contraction_mean);
    if (!isnan(s->fallback_s))
        fprintf(out,
                "acceleration active from t = %.9g s on, because sweeps contracted too slowly\n",
                s->fallback_s);
    char scheme[512];
    wr_report_scheme(sim, scheme, sizeof scheme);
    if (scheme[0])
        fprintf(out, "relaxation.scheme: %s\n", scheme);
    print_predictions(out, sim, s);
    print_account(out, sim);
}

void wr_print_summary(FILE *out, const wrsim *sim, const wr_busy_cpus *busy)
{
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    const double simulated_s = s.time_s - s.start_s;
    fprintf(out, "simulated %.6g s in %.*g s of wall time: %.3g x real time\n", simulated_s,
            s.wall_s < 999.5 ? 3 : 6, s.wall_s, s.wall_s > 0.0 ? simulated_s / s.wall_s : 0.0);
    char end[512];
    if (wr_report_end(sim, end, sizeof end))
        fprintf(out, "%s\n", end);
    fprintf(out, "%d subsystem%s, %d continuous state%s, %d event indicator%s, %d worker%s\n",
            s.n_subsystem, wr_plural(s.n_subsystem), s.n_state, wr_plural(s.n_state), s.n_indicator,
            wr_plural(s.n_indicator), s.n_worker, wr_plural(s.n_worker));
    if (sim->is_split_chosen)
        wr_print_split_probe(out, sim);
    if (!sim->driver->has_windows)
        print_periods(out, sim, &s);
    else
        print_windows(out, sim, &s);
    fprintf(out, "\nwork, all sweeps counted:");
    fprintf(out, "\n%-16s %-12s %9s %12s %9s %9s %9s %9s %9s %9s\n", "subsystem", "solver",
            "time [s]", "integrations", "steps", "rejected", "f", "jacobians", "events", "jumps");
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats work;
        wrsim_stats_subsystem(sim, i, &work);
        fprintf(out,
                "%-16s %-12s %9.3g %12" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64
                " %9" PRId64 " %9" PRId64 "\n",
                work.name, work.solver, work.integration_s, work.n_integration, work.n_step,
                work.n_rejected, work.n_rhs, work.n_jacobian,
                work.n_state_event + work.n_time_event, work.n_input_jump);
    }
    print_choices(out, sim);
    print_processes(out, sim);
    print_points(out, sim);
    wr_print_realtime(out, sim);
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats work;
        wrsim_stats_subsystem(sim, i, &work);
        print_bounds(out, &work);
    }
    fputc('\n', out);
    if (sim->driver->has_windows)
        print_worker_times(out, sim, s.n_active_worker, busy);
    if (sim->settings->output.file[0])
        fprintf(out,
                "results: %s, %" PRId64 " row%s, %" PRId64 " row%s at events, %" PRId64 " bytes\n",
                sim->settings->output.file, s.n_row, wr_plural(s.n_row), s.n_event_row,
                wr_plural(s.n_event_row), s.file_bytes);
}

void wr_print_delay_excess(FILE *out, const wrsim *sim)
{
    wrsim_delay_subsystem s;
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++) {
        if (s.current > s.said_loc)
            fprintf(out,
                    "wrsim: warning: %s: delay errors of up to %.2g in %s exceed slack.eps_loc = "
                    "%.2g in %" PRId64 " of %" PRId64
                    " watched periods, first at t = %.9g s. Shorten slack.period\n",
                    s.name, s.current, s.current_state, s.said_loc, s.n_above_loc, s.n_period,
                    s.first_above_loc_s);
        if (s.estimate > s.said_glo)
            fprintf(out,
                    "wrsim: warning: %s: an estimated delay error of up to %.2g in %s exceeds "
                    "slack.eps_glo = %.2g in %" PRId64 " of %" PRId64
                    " watched periods, first at t = %.9g s. Shorten slack.period\n",
                    s.name, s.estimate, s.estimate_state, s.said_glo, s.n_above_glo, s.n_period,
                    s.first_above_glo_s);
    }
}
