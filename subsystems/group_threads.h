/* Operations of the module 'openmp': a team of threads that shares out the indicators of a group.
 *
 * Thread: one owner, which is the team's first thread. Real-time: no, a team may allocate.
 */
#ifndef WR_GROUP_THREADS_H
#define WR_GROUP_THREADS_H

typedef struct wr_group_threads {
    /* Threads that a team of n_wanted gets. */
    int (*count)(int n_wanted);
    /* Calls work() once in each of n_thread threads, with its part of 0 .. n - 1: items first to
     * end - 1. Returns when all are done. */
    void (*share)(int n_thread, int n, void (*work)(void *context, int first, int end),
                  void *context);
} wr_group_threads;

#endif
