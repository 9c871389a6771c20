/* Checks whether a machine is set up for real time: facts from /proc and /sys with verdicts.
 *
 * Background: Linux kernel documentation, admin-guide/kernel-parameters (isolcpus, nohz_full), scheduler/sched-rt-group (throttling), and
 * the real-time Linux wiki, "How to build a basic cyclic application". Files in cli/ make the texts of reports.
 *
 * Thread: any. Real-time: no (setup only).
 */
#ifndef WR_RT_CHECK_H
#define WR_RT_CHECK_H

#include <stdint.h>

/* Checks. Each comment gives the meaning of number, limit, text and cpus of a finding. Unused members are 0 or "". */
typedef enum wr_rt_check_id {
    WR_RT_KERNEL,    /* preemption; text: word of the kernel, such as PREEMPT_RT */
    WR_RT_ISOLATED,  /* CPUs without other tasks; number, cpus: used CPUs that are not isolated */
    WR_RT_NOHZ_FULL, /* CPUs without timer tick; number, cpus: used CPUs with a tick */
    /* frequency; number, cpus: used CPUs with a known governor other than "performance", text: governor of the first such CPU */
    WR_RT_GOVERNOR,
    /* time share of real-time threads; number: us in each period of limit us; -1: the whole time */
    WR_RT_THROTTLING,
    /* lockable memory; number: soft limit, bytes, limit: hard limit, bytes; -1: all memory */
    WR_RT_MEMLOCK,
    WR_RT_PRIORITY,   /* number: highest allowed real-time priority */
    WR_RT_SMT,        /* number, cpus: online hardware threads that share a core with a used CPU */
    WR_RT_SWAP,       /* swap; number: bytes swapped out, limit: bytes of swap space */
    WR_RT_HYPERVISOR, /* virtual machine; only the verdict */
    WR_RT_CHECK_COUNT
} wr_rt_check_id;

typedef enum wr_rt_verdict {
    WR_RT_UNKNOWN, /* the system gives no information, or unreadable information */
    WR_RT_GOOD,
    WR_RT_BAD
} wr_rt_verdict;

enum { WR_RT_CHECK_TEXT_BYTES = 64 };

typedef struct wr_rt_finding {
    wr_rt_check_id id;
    wr_rt_verdict verdict;
    int64_t number, limit;
    char text[WR_RT_CHECK_TEXT_BYTES];
    char cpus[WR_RT_CHECK_TEXT_BYTES]; /* list as in "0-3,8"; ends with "..." if too long */
} wr_rt_finding;

typedef struct wr_rt_check_result {
    wr_rt_finding finding[WR_RT_CHECK_COUNT]; /* result of each check, by wr_rt_check_id */
} wr_rt_check_result;

/* Checks a machine by the files root/proc/... and root/sys/... ; root "": this machine. cpu[n] are the CPUs that the run will use; numbers
 * outside 0 to 8191 have no effect. Without CPUs, checks of CPUs give WR_RT_UNKNOWN. Never fails. */
void wr_rt_check(const char *root, const int *cpu, int n, wr_rt_check_result *ret_result);

#endif
