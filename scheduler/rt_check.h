/* Is this machine set up for real time? Facts read from /proc and /sys at the start, each with a verdict.
 *
 * What each is about: Linux kernel documentation, admin-guide/kernel-parameters (isolcpus, nohz_full), scheduler/sched-rt-group
 * (throttling), and the real-time Linux wiki, "How to build a basic cyclic application". Text for people is made by whoever
 * shows it.
 *
 * Thread: any. Real-time: no (setup only).
 */
#ifndef WR_RT_CHECK_H
#define WR_RT_CHECK_H

#include <stdint.h>

/* And what number, limit, text and cpus of a finding say about it; they are 0 and "" where nothing is said. */
typedef enum wr_rt_check_id {
    WR_RT_KERNEL,    /* preemption: text is the kernel's own word for it, as PREEMPT_RT */
    WR_RT_ISOLATED,  /* CPUs kept free of other tasks: number and cpus of those used that are not */
    WR_RT_NOHZ_FULL, /* CPUs without a timer tick: likewise */
    WR_RT_GOVERNOR, /* frequency: number and cpus of those used without "performance", text is what the first of them has */
    WR_RT_THROTTLING, /* share of real-time threads: number of us in each limit us; number -1 = all */
    WR_RT_MEMLOCK, /* memory that may be locked: number of bytes now, up to limit if asked for; -1 = all */
    WR_RT_PRIORITY,   /* highest real-time priority allowed: number */
    WR_RT_SMT,        /* hardware threads beside used ones: number and cpus of those online */
    WR_RT_SWAP,       /* number of bytes swapped out, of limit there are */
    WR_RT_HYPERVISOR, /* whether this is a virtual machine */
    WR_RT_CHECK_COUNT
} wr_rt_check_id;

typedef enum wr_rt_verdict {
    WR_RT_UNKNOWN, /* the system does not tell, or something that cannot be read */
    WR_RT_GOOD,
    WR_RT_BAD
} wr_rt_verdict;

enum { WR_RT_CHECK_TEXT_BYTES = 64 };

typedef struct wr_rt_finding {
    wr_rt_check_id id;
    wr_rt_verdict verdict;
    int64_t number, limit;
    char text[WR_RT_CHECK_TEXT_BYTES];
    char cpus[WR_RT_CHECK_TEXT_BYTES]; /* as "0-3,8"; ends with "..." if there is no room for all */
} wr_rt_finding;

typedef struct wr_rt_check_result {
    wr_rt_finding finding[WR_RT_CHECK_COUNT]; /* by id */
} wr_rt_check_result;

/* Looks at this machine with root "", otherwise at copies of its files in a folder: root/proc/..., root/sys/... . cpu[n] are the
 * CPUs to be used; numbers outside of 0 to 8191 do not count, and with none, what is about CPUs is unknown. Never fails. */
void wr_rt_check(const char *root, const int *cpu, int n, wr_rt_check_result *ret_result);

#endif
