#include "wr_test.h"

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "scheduler/rt_check.h"

/* Makes the folders above a file. A synthetic machine is a folder with copies of the kernel's files. */

static void make_folders_for(const char *path)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        (void)mkdir(folder, 0777); /* may exist */
    }
}

static void put_bytes(const char *root, const char *name, const char *bytes, size_t n)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, name);
    make_folders_for(path);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *root, const char *name, const char *text)
{
    put_bytes(root, name, text, strlen(text));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static void remove_root(const char *root)
{
    assert_int_equal(nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

typedef struct file {
    const char *name, *text;
} file;

#define CPU_FOLDER "/sys/devices/system/cpu"

#define LIMITS(memlock, rtprio)                                                                    \
    "Limit                     Soft Limit           Hard Limit           Units     \n"             \
    "Max cpu time              unlimited            unlimited            seconds   \n"             \
    "Max locked memory         " memlock "     bytes     \n"                                       \
    "Max realtime priority     " rtprio "                 \n"

#define SWAPS "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

/* Eight cores; the run uses cores 2 and 3. */
static const file good[] = {
    {"/sys/kernel/realtime", "1\n"},
    {"/proc/version", "Linux version 6.1.0-18-rt-amd64 (x@y) (gcc 12) #1 SMP PREEMPT_RT Debian\n"},
    {CPU_FOLDER "/isolated", "2-3,6\n"},
    {CPU_FOLDER "/nohz_full", "2,3\n"},
    {CPU_FOLDER "/online", "0-7\n"},
    {CPU_FOLDER "/cpu2/cpufreq/scaling_governor", "performance\n"},
    {CPU_FOLDER "/cpu3/cpufreq/scaling_governor", "performance\n"},
    {CPU_FOLDER "/cpu2/topology/thread_siblings_list", "2\n"},
    {CPU_FOLDER "/cpu3/topology/thread_siblings_list", "3\n"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "-1\n"},
    {"/proc/sys/kernel/sched_rt_period_us", "1000000\n"},
    {"/proc/self/limits",
     LIMITS("unlimited            unlimited       ", "95                   99  ")},
    {"/proc/self/status", "Name:\twrsim\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n"},
    {"/proc/swaps", SWAPS},
    {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme tsc\nbugs\t\t:\n\nprocessor\t: 1\n"
                      "flags\t\t: fpu hypervisor\n"}};

static const file laptop[] = {
    {"/proc/version",
     "Linux version 6.1.0-18-amd64 (x@y) (gcc 12) #1 SMP PREEMPT_DYNAMIC Debian\n"},
    {CPU_FOLDER "/isolated", "\n"},
    {CPU_FOLDER "/nohz_full", "(null)\n"},
    {CPU_FOLDER "/online", "0-7\n"},
    {CPU_FOLDER "/cpu2/cpufreq/scaling_governor", "powersave\n"},
    {CPU_FOLDER "/cpu3/cpufreq/scaling_governor", "schedutil\n"},
    {CPU_FOLDER "/cpu2/topology/thread_siblings_list", "2-3\n"},
    {CPU_FOLDER "/cpu3/topology/thread_siblings_list", "2-3\n"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "950000\n"},
    {"/proc/sys/kernel/sched_rt_period_us", "1000000\n"},
    {"/proc/self/limits",
     LIMITS("8388608              67108864        ", "0                    0   ")},
    {"/proc/self/status", "Name:\twrsim\nCapEff:\t0000000000000000\n"},
    {"/proc/swaps",
     SWAPS "/dev/dm-2                               partition\t999420\t\t1020\t\t-2\n"
           "/swap\\040file                           file\t\t1000\t\t4\t\t-3\n"},
    {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n"}};

static void make_machine(char *root, const file *files, size_t n)
{
    strcpy(root, "/tmp/wr_rt_check_XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < n; i++)
        put(root, files[i].name, files[i].text);
}

enum { ROOT_BYTES = 32 };
static const int used[] = {3, -1, 2, 3};

static void check(const char *root, wr_rt_check_result *ret_result)
{
    memset(ret_result, 'x', sizeof *ret_result);
    wr_rt_check(root, used, WR_COUNT_OF(used), ret_result);
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        assert_int_equal(ret_result->finding[i].id, i);
}

static void assert_finding(const wr_rt_finding *actual, const wr_rt_finding *expected)
{
    if (actual->verdict != expected->verdict || actual->number != expected->number ||
        actual->limit != expected->limit || strcmp(actual->text, expected->text) != 0 ||
        strcmp(actual->cpus, expected->cpus) != 0)
        print_error("finding %d: verdict %d, %lld of %lld, '%s', '%s'\n", (int)expected->id,
                    (int)actual->verdict, (long long)actual->number, (long long)actual->limit,
                    actual->text, actual->cpus);
    assert_int_equal(actual->verdict, expected->verdict);
    assert_int_equal(actual->number, expected->number);
    assert_int_equal(actual->limit, expected->limit);
    assert_string_equal(actual->text, expected->text);
    assert_string_equal(actual->cpus, expected->cpus);
}

TEST(good_machine)
{
    static const wr_rt_finding expected[WR_RT_CHECK_COUNT] = {
        {WR_RT_KERNEL, WR_RT_GOOD, 0, 0, "PREEMPT_RT", ""},
        {WR_RT_ISOLATED, WR_RT_GOOD, 0, 0, "", ""},
        {WR_RT_NOHZ_FULL, WR_RT_GOOD, 0, 0, "", ""},
        {WR_RT_GOVERNOR, WR_RT_GOOD, 0, 0, "", ""},
        {WR_RT_THROTTLING, WR_RT_GOOD, -1, 1000000, "", ""},
        {WR_RT_MEMLOCK, WR_RT_GOOD, -1, -1, "", ""},
        {WR_RT_PRIORITY, WR_RT_GOOD, 95, 0, "", ""},
        {WR_RT_SMT, WR_RT_GOOD, 0, 0, "", ""},
        {WR_RT_SWAP, WR_RT_GOOD, 0, 0, "", ""},
        {WR_RT_HYPERVISOR, WR_RT_GOOD, 0, 0, "", ""}};
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, good, WR_COUNT_OF(good));
    check(root, &result);
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        assert_finding(&result.finding[i], &expected[i]);
    remove_root(root);
}

TEST(laptop)
{
    static const wr_rt_finding expected[WR_RT_CHECK_COUNT] = {
        {WR_RT_KERNEL, WR_RT_BAD, 0, 0, "PREEMPT_DYNAMIC", ""},
        {WR_RT_ISOLATED, WR_RT_BAD, 2, 0, "", "2-3"},
        {WR_RT_NOHZ_FULL, WR_RT_BAD, 2, 0, "", "2-3"},
        {WR_RT_GOVERNOR, WR_RT_BAD, 2, 0, "powersave", "2-3"},
        {WR_RT_THROTTLING, WR_RT_BAD, 950000, 1000000, "", ""},
        {WR_RT_MEMLOCK, WR_RT_BAD, 8388608, 67108864, "", ""},
        {WR_RT_PRIORITY, WR_RT_BAD, 0, 0, "", ""},
        {WR_RT_SMT, WR_RT_BAD, 2, 0, "", "2-3"}, /* each is the sibling of the other */
        {WR_RT_SWAP, WR_RT_BAD, 1024 * 1024, 1024 * 1000420, "", ""},
        {WR_RT_HYPERVISOR, WR_RT_BAD, 0, 0, "", ""}};
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, laptop, WR_COUNT_OF(laptop));
    check(root, &result);
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        assert_finding(&result.finding[i], &expected[i]);
    remove_root(root);
}

static int is_about_cpus(int id)
{
    return id == WR_RT_ISOLATED || id == WR_RT_NOHZ_FULL || id == WR_RT_GOVERNOR || id == WR_RT_SMT;
}

TEST(missing_files)
{
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, NULL, 0);
    check(root, &result);
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        assert_finding(&result.finding[i], &(wr_rt_finding){.id = (wr_rt_check_id)i});
    remove_root(root);
    check(root, &result); /* without the folder, too */
    for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
        assert_finding(&result.finding[i], &(wr_rt_finding){.id = (wr_rt_check_id)i});
    /* No valid CPU is configured. */
    static const int none[] = {-1, 8192, INT32_MIN, INT32_MAX};
    make_machine(root, laptop, WR_COUNT_OF(laptop));
    for (int n = 0; n <= 4; n++) {
        wr_rt_check(root, none, n, &result);
        for (int i = 0; i < WR_RT_CHECK_COUNT; i++)
            assert_int_equal(result.finding[i].verdict,
                             is_about_cpus(i) ? WR_RT_UNKNOWN : WR_RT_BAD);
    }
    remove_root(root);
}

/* A changed or missing file of a good machine, and the changed result. */
typedef struct change {
    file file;
    wr_rt_finding finding;
} change;

static const change changes[] = {
    /* Without the kernel's realtime file, the version decides. */
    {{"/sys/kernel/realtime", NULL}, {WR_RT_KERNEL, WR_RT_GOOD, 0, 0, "PREEMPT_RT", ""}},
    {{"/sys/kernel/realtime", "yes\n"}, {WR_RT_KERNEL, WR_RT_GOOD, 0, 0, "PREEMPT_RT", ""}},
    {{"/sys/kernel/realtime", "1 1\n"}, {WR_RT_KERNEL, WR_RT_GOOD, 0, 0, "PREEMPT_RT", ""}},
    {{"/sys/kernel/realtime", "0\n"}, {WR_RT_KERNEL, WR_RT_BAD, 0, 0, "PREEMPT_RT", ""}},
    {{"/proc/version", NULL}, {WR_RT_KERNEL, WR_RT_GOOD, 0, 0, "", ""}},
    /* Lists. */
    {{CPU_FOLDER "/isolated", "3\n"}, {WR_RT_ISOLATED, WR_RT_BAD, 1, 0, "", "2"}},
    {{CPU_FOLDER "/isolated", "0-2,4-99"}, {WR_RT_ISOLATED, WR_RT_BAD, 1, 0, "", "3"}},
    {{CPU_FOLDER "/isolated", "0-8191\n"}, {WR_RT_ISOLATED, WR_RT_GOOD, 0, 0, "", ""}},
    {{CPU_FOLDER "/isolated", NULL}, {WR_RT_ISOLATED, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{CPU_FOLDER "/nohz_full", "\n"}, {WR_RT_NOHZ_FULL, WR_RT_BAD, 2, 0, "", "2-3"}},
    /* Governors: one wrong governor gives "bad"; "good" needs all governors to be known. */
    {{CPU_FOLDER "/cpu3/cpufreq/scaling_governor", "ondemand\n"},
     {WR_RT_GOVERNOR, WR_RT_BAD, 1, 0, "ondemand", "3"}},
    {{CPU_FOLDER "/cpu3/cpufreq/scaling_governor", NULL},
     {WR_RT_GOVERNOR, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{CPU_FOLDER "/cpu3/cpufreq/scaling_governor", "performance powersave\n"},
     {WR_RT_GOVERNOR, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/sys/kernel/sched_rt_runtime_us", "1000000\n"},
     {WR_RT_THROTTLING, WR_RT_GOOD, 1000000, 1000000, "", ""}},
    {{"/proc/sys/kernel/sched_rt_runtime_us", "0\n"},
     {WR_RT_THROTTLING, WR_RT_BAD, 0, 1000000, "", ""}},
    {{"/proc/sys/kernel/sched_rt_runtime_us", "-2\n"},
     {WR_RT_THROTTLING, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/sys/kernel/sched_rt_runtime_us", "-1 us\n"},
     {WR_RT_THROTTLING, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/sys/kernel/sched_rt_runtime_us", "garbage\n"},
     {WR_RT_THROTTLING, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/sys/kernel/sched_rt_period_us", NULL}, {WR_RT_THROTTLING, WR_RT_GOOD, -1, 0, "", ""}},
    /* A capability overrides limits. If the capability is unknown, no limit is judged too small. */
    {{"/proc/self/status", "CapEff:\t0000000000804000\n"},
     {WR_RT_PRIORITY, WR_RT_GOOD, 99, 0, "", ""}},
    {{"/proc/self/status", NULL}, {WR_RT_PRIORITY, WR_RT_GOOD, 95, 0, "", ""}},
    {{"/proc/self/limits", NULL}, {WR_RT_PRIORITY, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/self/limits", LIMITS("1 2", "unlimited unlimited")},
     {WR_RT_PRIORITY, WR_RT_GOOD, 99, 0, "", ""}},
    {{"/proc/self/limits", LIMITS("1 2", "0 99")}, {WR_RT_PRIORITY, WR_RT_BAD, 0, 0, "", ""}},
    {{"/proc/self/limits", LIMITS("1 2", "0 99")}, {WR_RT_MEMLOCK, WR_RT_BAD, 1, 2, "", ""}},
    {{"/proc/self/limits", LIMITS("0 unlimited", "0 99")},
     {WR_RT_MEMLOCK, WR_RT_BAD, 0, -1, "", ""}},
    {{"/proc/self/limits", LIMITS("1 x", "0 99")}, {WR_RT_MEMLOCK, WR_RT_UNKNOWN, 0, 0, "", ""}},
    /* Siblings that are offline do not count. */
    {{CPU_FOLDER "/cpu2/topology/thread_siblings_list", "2,6\n"},
     {WR_RT_SMT, WR_RT_BAD, 1, 0, "", "6"}},
    {{CPU_FOLDER "/cpu2/topology/thread_siblings_list", "2,8\n"},
     {WR_RT_SMT, WR_RT_GOOD, 0, 0, "", ""}},
    {{CPU_FOLDER "/cpu2/topology/thread_siblings_list", "6\n"},
     {WR_RT_SMT, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{CPU_FOLDER "/cpu2/topology/thread_siblings_list", NULL},
     {WR_RT_SMT, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{CPU_FOLDER "/cpu2/topology/thread_siblings_list", "0-7\n"},
     {WR_RT_SMT, WR_RT_BAD, 7, 0, "", "0-1,3-7"}},
    {{CPU_FOLDER "/online", NULL}, {WR_RT_SMT, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/swaps", SWAPS "/swap file 8 0 -2\n"}, {WR_RT_SWAP, WR_RT_BAD, 0, 8192, "", ""}},
    {{"/proc/swaps", SWAPS "/swap file\n"}, {WR_RT_SWAP, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/swaps", SWAPS "/swap file 8 9 -2\n"}, {WR_RT_SWAP, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/cpuinfo", "flags\t\t: hypervisory\n"}, {WR_RT_HYPERVISOR, WR_RT_GOOD, 0, 0, "", ""}},
    {{"/proc/cpuinfo", "flags\t\t: hypervisor\n"}, {WR_RT_HYPERVISOR, WR_RT_BAD, 0, 0, "", ""}},
    {{"/proc/cpuinfo", "Features\t: fp asimd\n"}, {WR_RT_HYPERVISOR, WR_RT_UNKNOWN, 0, 0, "", ""}},
    {{"/proc/cpuinfo", "flags\t\t: fpu"}, {WR_RT_HYPERVISOR, WR_RT_UNKNOWN, 0, 0, "", ""}}};

TEST(each_file)
{
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, good, WR_COUNT_OF(good));
    for (size_t i = 0; i < WR_COUNT_OF(changes); i++) {
        const change *const c = &changes[i];
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", root, c->file.name);
        if (c->file.text)
            put(root, c->file.name, c->file.text);
        else
            assert_int_equal(remove(path), 0);
        check(root, &result);
        assert_finding(&result.finding[c->finding.id], &c->finding);
        for (size_t j = 0; j < WR_COUNT_OF(good); j++)
            if (strcmp(good[j].name, c->file.name) == 0)
                put(root, c->file.name, good[j].text);
    }
    remove_root(root);
}

/* Without the realtime file the version decides. */
TEST(versions)
{
    static const struct {
        const char *version, *text;
        wr_rt_verdict verdict;
    } versions[] = {{"Linux version 4.19 #1 SMP PREEMPT RT Debian\n", "PREEMPT_RT", WR_RT_GOOD},
                    {"Linux version 5.10 #1 SMP PREEMPT Mon\n", "PREEMPT", WR_RT_BAD},
                    {"Linux version 6.12 #1 SMP PREEMPT_RT\n", "PREEMPT_RT", WR_RT_GOOD},
                    {"Linux version 6.12 #1 SMP PREEMPT_RTX\n", "PREEMPT_RTX", WR_RT_BAD},
                    {"Linux version 6.12 #1 SMP Debian\n", "", WR_RT_BAD},
                    {"NetBSD PREEMPT_RT\n", "", WR_RT_UNKNOWN}};
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, NULL, 0);
    for (size_t i = 0; i < WR_COUNT_OF(versions); i++) {
        put(root, "/proc/version", versions[i].version);
        check(root, &result);
        assert_int_equal(result.finding[WR_RT_KERNEL].verdict, versions[i].verdict);
        assert_string_equal(result.finding[WR_RT_KERNEL].text, versions[i].text);
    }
    remove_root(root);
}

/* Garbage in a file gives no verdict. The test omits files of governors, which may have any name, and the sched_rt files, in which
 * some of these texts are valid numbers. */
TEST(garbage)
{
    static const char *const garbage[] = {"garbage\n", "\xff\xfe\n", "-\n",
                                          "1,\n",      "3-2\n",      "2--3\n",
                                          "1-2-3\n",   ",2\n",       "99999999999999999999\n",
                                          "0-8192\n",  "2 3\n",      "2\n\n",
                                          "%s%n\n",    "0x2\n",      ""};
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, NULL, 0);
    for (size_t i = 0; i < WR_COUNT_OF(garbage); i++) {
        for (size_t j = 0; j < WR_COUNT_OF(good); j++)
            if (!strstr(good[j].name, "governor") &&
                strncmp(good[j].name, "/proc/sys/kernel/sched_rt", 25) != 0)
                put(root, good[j].name, garbage[i]);
        check(root, &result);
        for (int id = 0; id < WR_RT_CHECK_COUNT; id++)
            assert_int_equal(result.finding[id].verdict, WR_RT_UNKNOWN);
    }
    remove_root(root);
}

/* A machine file may contain zero bytes or a long list, or be a folder or a pipe. */
TEST(strange_files)
{
    enum { LONG = 200000 };
    static char text[LONG];
    char root[ROOT_BYTES], path[PATH_MAX];
    wr_rt_check_result result;
    make_machine(root, NULL, 0);
    put_bytes(root, CPU_FOLDER "/isolated", "2-3\0\n", 5);
    snprintf(path, sizeof path, "%s/proc/swaps", root);
    make_folders_for(path);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/proc/version", root);
    assert_int_equal(mkfifo(path, 0666), 0);
    for (int i = 0; i + 2 < LONG; i += 2) /* a list longer than the buffer */
        memcpy(text + i, "2,", 3);
    memcpy(text + LONG - 3, "3\n", 3);
    put(root, CPU_FOLDER "/nohz_full", text);
    check(root, &result);
    for (int id = 0; id < WR_RT_CHECK_COUNT; id++)
        assert_int_equal(result.finding[id].verdict, WR_RT_UNKNOWN);
    /* The end of a long /proc/cpuinfo has no effect. */
    memset(text, 'x', LONG - 1);
    memcpy(text, "flags\t\t: fpu\n", 13);
    put(root, "/proc/cpuinfo", text);
    check(root, &result);
    assert_int_equal(result.finding[WR_RT_HYPERVISOR].verdict, WR_RT_GOOD);
    remove_root(root);
}

/* With more CPUs than the text can name, the count is complete. */
TEST(many_cpus)
{
    enum { N_CPU = 4096 };
    static int cpu[N_CPU];
    char root[ROOT_BYTES];
    wr_rt_check_result result;
    make_machine(root, NULL, 0);
    put(root, CPU_FOLDER "/isolated", "\n");
    for (int i = 0; i < N_CPU; i++)
        cpu[i] = 2 * i;
    wr_rt_check(root, cpu, N_CPU, &result);
    const wr_rt_finding *const f = &result.finding[WR_RT_ISOLATED];
    assert_int_equal(f->number, N_CPU);
    assert_true(strncmp(f->cpus, "0,2,4,6,8,10,", 13) == 0);
    assert_string_equal(f->cpus + strlen(f->cpus) - 3, "...");
    for (int i = 0; i < N_CPU; i++)
        cpu[i] = N_CPU - 1 - i;
    wr_rt_check(root, cpu, N_CPU, &result);
    assert_string_equal(f->cpus, "0-4095");
    remove_root(root);
}

/* The check of this machine agrees with its files, for any verdicts. */
TEST(this_machine)
{
    wr_rt_check_result result;
    check("", &result);
    FILE *const in = fopen("/proc/sys/kernel/sched_rt_runtime_us", "r");
    long long runtime_us;
    if (in && fscanf(in, "%lld", &runtime_us) == 1)
        assert_int_equal(result.finding[WR_RT_THROTTLING].number, runtime_us);
    if (in)
        fclose(in);
    assert_int_not_equal(result.finding[WR_RT_KERNEL].verdict, WR_RT_UNKNOWN);
    assert_int_not_equal(result.finding[WR_RT_MEMLOCK].verdict, WR_RT_UNKNOWN);
    assert_int_not_equal(result.finding[WR_RT_PRIORITY].verdict, WR_RT_UNKNOWN);
}
