/* Texts of a run against the wall clock. See print_run.h. Thread: main, between runs. Real-time: no. */
#include "cli/print_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "scheduler/rt_check.h"

const char *wr_wall_text(double ns, char *ret_text)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (fabs(ns) >= units[i].ns) {
            snprintf(ret_text, WR_WALL_TEXT_BYTES, "%.3g %s", ns / units[i].ns, units[i].unit);
            return ret_text;
        }
    snprintf(ret_text, WR_WALL_TEXT_BYTES, "%.0f ns", ns);
    return ret_text;
}

static void print_finding(FILE *out, const wr_rt_finding *f)
{
    fputs("wrsim: real time: ", out);
    switch (f->id) {
    case WR_RT_KERNEL:
        fprintf(
            out,
            "the kernel's preemption is %s: boot a kernel with PREEMPT_RT, or with preempt=full",
            f->text);
        break;
    case WR_RT_ISOLATED:
        fprintf(out, "other tasks may run on CPU %s: boot with isolcpus=%s", f->cpus, f->cpus);
        break;
    case WR_RT_NOHZ_FULL:
        fprintf(out, "CPU %s has a timer tick: boot with nohz_full=%s", f->cpus, f->cpus);
        break;
    case WR_RT_GOVERNOR:
        fprintf(out,
                "the frequency of CPU %s is governed by %s: run cpupower -c %s frequency-set -g "
                "performance",
                f->cpus, f->text, f->cpus);
        break;
    case WR_RT_THROTTLING:
        fprintf(out,
                "real-time threads are stopped after %" PRId64 " of every %" PRId64
                " us: run sysctl kernel.sched_rt_runtime_us=-1",
                f->number, f->limit);
        break;
    case WR_RT_MEMLOCK:
        fprintf(out,
                "only %" PRId64 " bytes may be locked: raise memlock in /etc/security/limits.conf",
                f->number);
        break;
    case WR_RT_PRIORITY:
        fprintf(out,
                "the highest priority allowed is %" PRId64 ": raise rtprio in "
                "/etc/security/limits.conf",
                f->number);
        break;
    case WR_RT_SMT:
        fprintf(out,
                "CPU %s shares a core with a used CPU: write off to "
                "/sys/devices/system/cpu/smt/control",
                f->cpus);
        break;
    case WR_RT_SWAP:
        fprintf(out,
                "swap space is on, with %" PRId64
                " bytes in use: run swapoff -a, or set realtime.lock_memory = true",
                f->number);
        break;
    case WR_RT_HYPERVISOR:
        fputs("this is a virtual machine, which its host may stop at any time: use a physical "
              "machine",
              out);
        break;
    case WR_RT_CHECK_COUNT:
        break;
    }
    fputc('\n', out);
}

void wr_print_fitness_of(FILE *out, const wrsim_realtime_stats *run, const int *cpu, int n_worker)
{
    wr_rt_check_result check;
    if (run->priority_refusal)
        fprintf(out,
                "wrsim: real time: the system refuses a priority (%s): allow rtprio in "
                "/etc/security/limits.conf\n",
                strerror(run->priority_refusal));
    if (run->lock_refusal)
        fprintf(out,
                "wrsim: real time: the system refuses to lock memory (%s): raise memlock in "
                "/etc/security/limits.conf\n",
                strerror(run->lock_refusal));
    if (run->n_not_pinned > 0)
        fprintf(out,
                "wrsim: real time: %d worker%s no core of %s own: end other runs, or lower "
                "scheduler.workers\n",
                run->n_not_pinned, run->n_not_pinned == 1 ? " has" : "s have",
                run->n_not_pinned == 1 ? "its" : "their");
    wr_rt_check("", cpu, n_worker, &check);
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        if (check.finding[i].verdict == WR_RT_BAD)
            print_finding(out, &check.finding[i]);
}

void wr_print_fitness(FILE *out, const wrsim *sim)
{
    wrsim_realtime_stats r;
    wrsim_stats s;
    if (wrsim_stats_realtime(sim, &r) < 0 || r.of == 0 || wrsim_stats_get(sim, &s) < 0)
        return;
    int *const cpu = calloc((size_t)s.n_worker, sizeof *cpu);
    for (int i = 0; cpu && i < s.n_worker; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        cpu[i] = w.cpu;
    }
    wr_print_fitness_of(out, &r, cpu, cpu ? s.n_worker : 0);
    free(cpu);
}

static void print_times(FILE *out, const char *what, const wrsim_wall_times *t, const char *more)
{
    char median[WR_WALL_TEXT_BYTES], high[WR_WALL_TEXT_BYTES], most[WR_WALL_TEXT_BYTES];
    fprintf(out, "%-12s median %-9s 99.9 %% %-9s max %-9s %s\n", what,
            wr_wall_text((double)t->median_ns, median),
            wr_wall_text((double)t->all_but_per_mille_ns, high),
            wr_wall_text((double)t->most_ns, most), more);
}

static void print_constraint(FILE *out, const wrsim_realtime_stats *r)
{
    fprintf(out,
            "%" PRId64 " of %" PRId64 " step%s missed the deadline (at most %" PRId64
            " in a row); ",
            r->n_miss, r->n_step, wr_plural(r->n_step), r->longest_run);
    if (r->n_violation == 0)
        fprintf(out, "never more than %d in %d step%s\n", r->misses, r->of, wr_plural(r->of));
    else
        fprintf(out,
                "the limit of %d miss%s in %d step%s was exceeded at %" PRId64
                " step%s, first at step %" PRId64 " (policy %s)\n",
                r->misses, r->misses == 1 ? "" : "es", r->of, wr_plural(r->of), r->n_violation,
                wr_plural(r->n_violation), r->first_violation, r->policy);
    if (r->n_held > 0)
        fprintf(out, "outputs were held at the end of %" PRId64 " step%s\n", r->n_held,
                wr_plural(r->n_held));
    if (r->n_degraded > 0)
        fprintf(out,
                "%" PRId64 " step%s used the looser settings of realtime.policy = \"degrade\"\n",
                r->n_degraded, wr_plural(r->n_degraded));
    if (r->n_jump > 0)
        fprintf(out,
                "the schedule was shifted %" PRId64
                " time%s: the clock jumped, or the delay exceeded realtime.catch_up\n",
                r->n_jump, wr_plural(r->n_jump));
    if (r->n_dropped_row > 0)
        fprintf(out,
                "warning: %" PRId64 " row%s dropped, because the disk was too slow for %s: record "
                "less (output.signals, output.decimation, output.log, slack.log)\n",
                r->n_dropped_row, r->n_dropped_row == 1 ? " was" : "s were",
                r->n_dropped_row == 1 ? "it" : "them");
}

void wr_print_realtime(FILE *out, const wrsim *sim)
{
    wrsim_realtime_stats r;
    if (wrsim_stats_realtime(sim, &r) < 0 || r.n_step == 0)
        return;
    fprintf(out, "\nreal time: rate %.10g, period %.10g s, deadline %.10g s\n", r.rate, r.period_s,
            r.deadline_s);
    print_times(out, "compute", &r.compute, "all subsystems together");
    print_times(out, "lateness", &r.lateness, "of the first subsystem of a step");
    const wrsim_wall_times *const t = &r.margin;
    char median[WR_WALL_TEXT_BYTES], low[WR_WALL_TEXT_BYTES], least[WR_WALL_TEXT_BYTES],
        all[WR_WALL_TEXT_BYTES];
    fprintf(out, "%-12s median %-9s  0.1 %% %-9s min %-9s of %s\n", "margin",
            wr_wall_text((double)t->median_ns, median), wr_wall_text((double)t->per_mille_ns, low),
            wr_wall_text((double)t->least_ns, least), wr_wall_text(r.deadline_s * 1e9, all));
    if (r.jitter.n > 0)
        print_times(out, "jitter", &r.jitter, "of an idle thread");
    print_constraint(out, &r);
    if (r.n_worst > 0)
        fprintf(out,
                "\nsteps with the latest ends (over: time from the deadline to the end; negative: "
                "time left)\n%10s %12s %10s %-16s %10s %10s %7s %9s %6s\n",
                "step", "t [s]", "over", "latest in", "compute", "late", "f", "jacobians",
                "events");
    for (int i = 0; i < r.n_worst; i++) {
        char over[WR_WALL_TEXT_BYTES], compute[WR_WALL_TEXT_BYTES], late[WR_WALL_TEXT_BYTES];
        wrsim_worst_step w;
        wrsim_stats_worst(sim, i, &w);
        if (w.over_ns < INT64_MAX)
            fprintf(out,
                    "%10" PRId64 " %12.9g %10s %-16s %10s %10s %7" PRId64 " %9" PRId64 " %6" PRId64
                    "\n",
                    w.i_step, w.time_s, wr_wall_text((double)w.over_ns, over), w.subsystem,
                    wr_wall_text((double)w.compute_ns, compute),
                    wr_wall_text((double)w.late_ns, late), w.n_rhs, w.n_jacobian, w.n_event);
        else
            fprintf(out, "%10" PRId64 " %12.9g %10s %-16s\n", w.i_step, w.time_s, "far behind",
                    w.subsystem);
    }
}
