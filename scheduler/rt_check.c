/* Reads /proc and /sys. See rt_check.h.
 *
 * A file in an unknown format counts as missing, so no verdict depends on a fragment of such a file.
 *
 * Thread: any. Real-time: no.
 */
#include "scheduler/rt_check.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

/* size of the text, bytes (assumed); enough for all files except /proc/cpuinfo, of which the check needs only the first CPU */
enum { FILE_BYTES = 16384 };

/* Upper limit of CPU numbers in all Linux kernels so far (NR_CPUS). */
enum { MAX_CPU = 8192 };

/* Numbers of capabilities, from uapi/linux/capability.h. */
enum { BIT_IPC_LOCK = 14, BIT_SYS_NICE = 23 };

typedef struct cpus {
    uint64_t bit[MAX_CPU / 64];
} cpus;

typedef struct machine {
    const char *root;
    cpus used;
    int n_used;            /* number of used CPUs; duplicates count again */
    char text[FILE_BYTES]; /* content of the file read last */
} machine;

/* Reads the beginning of a file into `text`. Returns 1, or 0 if the file is unreadable, empty or not text. */
static int read_start(machine *m, const char *path)
{
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s%s", m->root, path) >= (int)sizeof name)
        return 0;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    size_t n = 0;
    ssize_t n_more = 0;
    do {
        n_more = read(fd, m->text + n, sizeof m->text - 1 - n);
        n += n_more > 0 ? (size_t)n_more : 0;
    } while (n < sizeof m->text - 1 && (n_more > 0 || (n_more < 0 && errno == EINTR)));
    close(fd);
    m->text[n] = '\0';
    return n > 0 && n_more >= 0 && strlen(m->text) == n;
}

/* Reads a whole file into `text`. Returns 1, or 0 if the file cannot be read or is too long. */
static int read_file(machine *m, const char *path)
{
    return read_start(m, path) && strlen(m->text) < sizeof m->text - 1;
}

/* Reads a file in the folder of a CPU. Returns as read_file(). */
static int read_cpu_file(machine *m, int cpu, const char *leaf)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, leaf);
    return read_file(m, path);
}

/* Parses the whole number at the beginning of a text. A blank or the end of the text must follow. Returns 1, or 0 without a number. */
static int parse_number(const char *text, int64_t *ret_number)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || errno != 0 || (*end != '\0' && !isspace((unsigned char)*end)))
        return 0;
    *ret_number = number;
    return 1;
}

static int read_number(machine *m, const char *path, int64_t *ret_number)
{
    int64_t number;
    if (!read_file(m, path) || !parse_number(m->text, &number))
        return 0;
    const char *rest = m->text + strspn(m->text, " \t");
    rest += strspn(rest, "-+0123456789");
    if (rest[strspn(rest, " \t\n")] != '\0')
        return 0;
    *ret_number = number;
    return 1;
}

static void put_cpu(cpus *set, int cpu) { set->bit[cpu / 64] |= UINT64_C(1) << cpu % 64; }

static int has_cpu(const cpus *set, int cpu) { return (int)(set->bit[cpu / 64] >> cpu % 64 & 1); }

/* Returns the first CPU of a set from `cpu` on, or MAX_CPU. */
static int next_cpu(const cpus *set, int cpu)
{
    while (cpu < MAX_CPU && !has_cpu(set, cpu))
        cpu++;
    return cpu;
}

/* Parses the next number of a list and sets *at to the end of the number. Returns 1 for a valid CPU number. */
static int parse_cpu(const char **at, int *ret_cpu)
{
    int cpu = 0;
    if (!isdigit((unsigned char)**at))
        return 0;
    for (; isdigit((unsigned char)**at) && cpu < MAX_CPU; (*at)++)
        cpu = 10 * cpu + (**at - '0');
    *ret_cpu = cpu;
    return cpu < MAX_CPU;
}

/* Parses a list such as "0-3,8", or an empty list, for which some kernels write "(null)". Returns 1, or 0 for another text. */
static int parse_list(const char *at, cpus *ret_set)
{
    memset(ret_set, 0, sizeof *ret_set);
    if (strcmp(at, "(null)\n") == 0 || strcmp(at, "\n") == 0)
        return 1;
    for (;; at++) {
        int low, high;
        if (!parse_cpu(&at, &low))
            return 0;
        high = low;
        if (*at == '-' && (at++, !parse_cpu(&at, &high)))
            return 0;
        for (int cpu = low; cpu <= high; cpu++)
            put_cpu(ret_set, cpu);
        if (high < low || (*at != ',' && strcmp(at, "\n") != 0 && *at != '\0'))
            return 0;
        if (*at != ',')
            return 1;
    }
}

/* Writes the number and the list of the CPUs in a set to f->number and f->cpus. */
static void set_cpus(wr_rt_finding *f, const cpus *set)
{
    enum { PART_BYTES = sizeof ",1234-1234" };
    size_t n = 0;
    int is_full = 0;
    for (int low = next_cpu(set, 0), high; low < MAX_CPU; low = next_cpu(set, high)) {
        for (high = low; high < MAX_CPU && has_cpu(set, high); high++)
            f->number++;
        is_full = is_full || n + PART_BYTES + sizeof "..." > sizeof f->cpus;
        if (is_full)
            continue;
        n += (size_t)snprintf(f->cpus + n, sizeof f->cpus - n, "%s%d", n > 0 ? "," : "", low);
        if (high > low + 1)
            n += (size_t)snprintf(f->cpus + n, sizeof f->cpus - n, "-%d", high - 1);
    }
    if (is_full)
        snprintf(f->cpus + n, sizeof f->cpus - n, "...");
}

static wr_rt_verdict good_if(int is_good) { return is_good ? WR_RT_GOOD : WR_RT_BAD; }

static void check_kernel(machine *m, wr_rt_finding *f)
{
    int64_t is_real_time;
    const int is_known = read_number(m, "/sys/kernel/realtime", &is_real_time);
    const int has_version = read_file(m, "/proc/version") && strncmp(m->text, "Linux ", 6) == 0;
    /* The kernel names its preemption PREEMPT_RT, PREEMPT_DYNAMIC, PREEMPT ...; patches before 5.4 wrote "PREEMPT RT". */
    const char *const word = has_version ? strstr(m->text, "PREEMPT") : NULL;
    if (word && strncmp(word, "PREEMPT RT", 10) == 0)
        snprintf(f->text, sizeof f->text, "PREEMPT_RT");
    else if (word)
        snprintf(f->text, sizeof f->text, "%.*s", (int)strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
                 word);
    if (is_known && (is_real_time == 0 || is_real_time == 1))
        f->verdict = good_if(is_real_time == 1);
    else if (has_version)
        f->verdict = good_if(strcmp(f->text, "PREEMPT_RT") == 0);
}

/* Finds used CPUs that are not in the kernel's list of isolated CPUs (WR_RT_ISOLATED) or of CPUs without a tick. */
static void check_listed(machine *m, wr_rt_finding *f)
{
    const char *const path = f->id == WR_RT_ISOLATED ? "/sys/devices/system/cpu/isolated"
                                                     : "/sys/devices/system/cpu/nohz_full";
    cpus set;
    if (m->n_used == 0 || !read_file(m, path) || !parse_list(m->text, &set))
        return;
    for (int i = 0; i < MAX_CPU / 64; i++)
        set.bit[i] = m->used.bit[i] & ~set.bit[i];
    set_cpus(f, &set);
    f->verdict = good_if(f->number == 0);
}

static void check_governor(machine *m, wr_rt_finding *f)
{
    cpus slow = {0};
    int n_unknown = 0;
    for (int cpu = next_cpu(&m->used, 0); cpu < MAX_CPU; cpu = next_cpu(&m->used, cpu + 1)) {
        const int is_read = read_cpu_file(m, cpu, "cpufreq/scaling_governor");
        const size_t n = is_read ? strspn(m->text, "abcdefghijklmnopqrstuvwxyz_") : 0;
        const int is_known = n > 0 && n < WR_RT_CHECK_TEXT_BYTES &&
                             (strcmp(m->text + n, "\n") == 0 || m->text[n] == '\0');
        m->text[n] = '\0';
        n_unknown += !is_known;
        if (!is_known || strcmp(m->text, "performance") == 0)
            continue;
        if (f->text[0] == '\0')
            snprintf(f->text, sizeof f->text, "%.*s", WR_RT_CHECK_TEXT_BYTES - 1, m->text);
        put_cpu(&slow, cpu);
    }
    set_cpus(f, &slow);
    if (f->number > 0 || (n_unknown == 0 && m->n_used > 0))
        f->verdict = good_if(f->number == 0);
}

static void check_throttling(machine *m, wr_rt_finding *f)
{
    int64_t runtime_us, period_us;
    if (!read_number(m, "/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) || runtime_us < -1)
        return;
    const int has_period =
        read_number(m, "/proc/sys/kernel/sched_rt_period_us", &period_us) && period_us > 0;
    if (runtime_us >= 0 && !has_period)
        return;
    f->number = runtime_us;
    f->limit = has_period ? period_us : 0;
    f->verdict = good_if(runtime_us == -1 || runtime_us >= period_us);
}

/* Finds a line that begins with a key. Returns the text after the key, or NULL. */
static const char *find_line(const machine *m, const char *key)
{
    const size_t n = strlen(key);
    const char *line = m->text;
    while (line && strncmp(line, key, n) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line ? line + n : NULL;
}

/* Parses a limit and sets *at to the end of the limit; "unlimited" gives -1. Returns 1, or 0 without a limit. */
static int parse_limit(const char **at, int64_t *ret_limit)
{
    static const char unlimited[] = "unlimited";
    *at += strspn(*at, " \t");
    const int is_unlimited = strncmp(*at, unlimited, sizeof unlimited - 1) == 0;
    if (is_unlimited)
        *ret_limit = -1;
    else if (!parse_number(*at, ret_limit) || *ret_limit < 0)
        return 0;
    *at += strcspn(*at, " \t\n");
    return 1;
}

/* Reads the soft and the hard limit in a row of /proc/self/limits. Returns 1, or 0 without a valid row. */
static int read_limits(machine *m, const char *key, int64_t *ret_soft, int64_t *ret_hard)
{
    if (!read_file(m, "/proc/self/limits"))
        return 0;
    const char *at = find_line(m, key);
    int64_t soft, hard;
    if (!at || !parse_limit(&at, &soft) || !parse_limit(&at, &hard))
        return 0;
    *ret_soft = soft;
    *ret_hard = hard;
    return 1;
}

/* Returns 1 if the process has a capability, 0 if not, or -1 if the system has no answer. */
static int has_capability(machine *m, int bit)
{
    enum { N_DIGIT = 16 };
    const char *const line = read_file(m, "/proc/self/status") ? find_line(m, "CapEff:\t") : NULL;
    if (!line || strspn(line, "0123456789abcdef") != N_DIGIT || line[N_DIGIT] != '\n')
        return -1;
    return (int)(strtoull(line, NULL, 16) >> bit & 1);
}

static void check_memlock(machine *m, wr_rt_finding *f)
{
    const int is_allowed = has_capability(m, BIT_IPC_LOCK);
    if (is_allowed == 1) {
        f->number = f->limit = -1;
        f->verdict = WR_RT_GOOD;
    } else if (read_limits(m, "Max locked memory", &f->number, &f->limit) &&
               (is_allowed == 0 || f->number == -1)) {
        f->verdict = good_if(f->number == -1);
    }
}

static void check_priority(machine *m, wr_rt_finding *f)
{
    enum { HIGHEST = 99 };
    int64_t soft, hard;
    const int is_allowed = has_capability(m, BIT_SYS_NICE);
    if (is_allowed == 1) {
        f->number = HIGHEST;
        f->verdict = WR_RT_GOOD;
    } else if (read_limits(m, "Max realtime priority", &soft, &hard)) {
        f->number = soft < 0 || soft > HIGHEST ? HIGHEST : soft;
        if (is_allowed == 0 || f->number > 0)
            f->verdict = good_if(f->number > 0);
    }
}

/* Finds online siblings of used CPUs. Sibling lists may contain CPUs that have just become offline. */
static void check_smt(machine *m, wr_rt_finding *f)
{
    cpus beside = {0}, online, set;
    int n_unknown = 0;
    for (int cpu = next_cpu(&m->used, 0); cpu < MAX_CPU; cpu = next_cpu(&m->used, cpu + 1)) {
        if (!read_cpu_file(m, cpu, "topology/thread_siblings_list") || !parse_list(m->text, &set) ||
            !has_cpu(&set, cpu)) {
            n_unknown++;
            continue;
        }
        set.bit[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
        for (int i = 0; i < MAX_CPU / 64; i++)
            beside.bit[i] |= set.bit[i];
    }
    if (!read_file(m, "/sys/devices/system/cpu/online") || !parse_list(m->text, &online))
        return;
    for (int i = 0; i < MAX_CPU / 64; i++)
        beside.bit[i] &= online.bit[i];
    set_cpus(f, &beside);
    if (f->number > 0 || (n_unknown == 0 && m->n_used > 0))
        f->verdict = good_if(f->number == 0);
}

/* Reads /proc/swaps: a headline, and a row per file or partition with name, kind, KiB, KiB used, priority. */
static void check_swap(machine *m, wr_rt_finding *f)
{
    static const int64_t most_kib = INT64_C(1) << 45;
    int64_t used_kib = 0, all_kib = 0;
    if (!read_file(m, "/proc/swaps") || strncmp(m->text, "Filename", 8) != 0)
        return;
    const char *row = strchr(m->text, '\n');
    for (; row && row[1] != '\0'; row = strchr(row + 1, '\n')) {
        int64_t kib, part_kib;
        if (sscanf(row + 1, "%*[^ \t\n]%*[ \t]%*[^ \t\n]%*[ \t]%" SCNd64 "%*[ \t]%" SCNd64, &kib,
                   &part_kib) != 2 ||
            kib < 0 || kib > most_kib || part_kib < 0 || part_kib > kib)
            return;
        all_kib = kib < most_kib - all_kib ? all_kib + kib : most_kib;
        used_kib = part_kib < most_kib - used_kib ? used_kib + part_kib : most_kib;
    }
    f->number = 1024 * used_kib;
    f->limit = 1024 * all_kib;
    f->verdict = good_if(all_kib == 0);
}

/* Reads the flag "hypervisor" in /proc/cpuinfo of x86. Other architectures use the device tree, which the check does not read. */
static void check_hypervisor(machine *m, wr_rt_finding *f)
{
    static const char word[] = " hypervisor";
    const char *const flags = read_start(m, "/proc/cpuinfo") ? find_line(m, "flags\t\t:") : NULL;
    char *const end = flags ? strchr(flags, '\n') : NULL;
    if (!end)
        return;
    *end = '\0';
    const char *const found = strstr(flags, word);
    const char after = found ? found[sizeof word - 1] : '\0';
    f->verdict = good_if(!found || (after != ' ' && after != '\0'));
}

static void (*const checks[WR_RT_CHECK_COUNT])(machine *m, wr_rt_finding *f) = {
    [WR_RT_KERNEL] = check_kernel,
    [WR_RT_ISOLATED] = check_listed,
    [WR_RT_NOHZ_FULL] = check_listed,
    [WR_RT_GOVERNOR] = check_governor,
    [WR_RT_THROTTLING] = check_throttling,
    [WR_RT_MEMLOCK] = check_memlock,
    [WR_RT_PRIORITY] = check_priority,
    [WR_RT_SMT] = check_smt,
    [WR_RT_SWAP] = check_swap,
    [WR_RT_HYPERVISOR] = check_hypervisor};

void wr_rt_check(const char *root, const int *cpu, int n, wr_rt_check_result *ret_result)
{
    machine m = {.root = root};
    for (int i = 0; i < n; i++) {
        if (cpu[i] < 0 || cpu[i] >= MAX_CPU)
            continue;
        put_cpu(&m.used, cpu[i]);
        m.n_used++;
    }
    memset(ret_result, 0, sizeof *ret_result);
    for (int id = 0; id < WR_RT_CHECK_COUNT; id++) {
        wr_rt_finding *const f = &ret_result->finding[id];
        f->id = (wr_rt_check_id)id;
        checks[id](&m, f);
    }
}
