/* CPU time of other programs. See other_load.h. Thread: one owner. Real-time: no. */
#include "scheduler/other_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Least time between two readings, in ticks of /proc/stat (assumed): an error of a tick per reading then is 4 % of a CPU. */
enum { LEAST_TICKS = 50 };

static int64_t tick_ns(void)
{
    const long per_s = sysconf(_SC_CLK_TCK);
    return 1000000000 / (per_s > 0 ? per_s : 100);
}

/* Returns 1 if the line of /proc/stat counts: "cpu " is the sum of all CPUs, "cpu3 " is CPU 3. */
static int is_chosen(const char *line, const int *cpu, int n_cpu, int is_sum)
{
    int number = -1;
    if (strncmp(line, "cpu", 3) != 0)
        return 0;
    if (sscanf(line, "cpu%d ", &number) != 1 || line[3] == ' ')
        return line[3] == ' ' && is_sum;
    for (int i = 0; i < n_cpu && !is_sum; i++)
        if (cpu[i] == number)
            return 1;
    return 0;
}

wr_other_load wr_other_load_read(const int *cpu, int n_cpu)
{
    wr_other_load load = {.now_ns = wr_clock_monotonic_ns()};
    struct timespec own;
    char line[512];
    int is_sum = 0;
    for (int i = 0; i < n_cpu; i++)
        is_sum |= cpu[i] < 0;
    FILE *const file = fopen("/proc/stat", "re");
    while (file && fgets(line, sizeof line, file)) {
        /* user, nice, system, idle, iowait, irq, softirq, steal (man 5 proc_stat), in ticks */
        int64_t t[8] = {0};
        if (!is_chosen(line, cpu, n_cpu, is_sum))
            continue;
        const char *at = strchr(line, ' ');
        for (int i = 0, n = 0; i < 8 && at && sscanf(at, "%" SCNd64 "%n", &t[i], &n) == 1; i++)
            at += n;
        load.n_cpu++;
        load.all_ns += tick_ns() * (t[0] + t[1] + t[2] + t[5] + t[6] + t[7]);
    }
    if (file)
        fclose(file);
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0)
        load.n_cpu = 0;
    else
        load.own_ns = 1000000000 * (int64_t)own.tv_sec + own.tv_nsec;
    return load;
}

double wr_other_load_between(const wr_other_load *before, const wr_other_load *after)
{
    const int64_t wall_ns = after->now_ns - before->now_ns;
    const int64_t other_ns = after->all_ns - before->all_ns - (after->own_ns - before->own_ns);
    if (before->n_cpu == 0 || before->n_cpu != after->n_cpu || wall_ns < LEAST_TICKS * tick_ns() ||
        other_ns < 0)
        return 0.0;
    return (double)other_ns / (double)wall_ns;
}
