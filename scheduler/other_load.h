/* CPU time that other programs take from the workers, from /proc/stat. Thread: one owner. Real-time: no. */
#ifndef WR_OTHER_LOAD_H
#define WR_OTHER_LOAD_H

#include <stdint.h>

/* Times at one moment, of all threads of this process and of the chosen CPUs. */
typedef struct wr_other_load {
    int n_cpu; /* number of rows of /proc/stat in the reading; all CPUs: 1 row; 0: no reading */
    int64_t now_ns; /* monotonic clock */
    int64_t own_ns; /* CPU time of this process */
    int64_t all_ns; /* time in which the CPUs were not idle; time that a hypervisor steals counts */
} wr_other_load;

/* Reads the times of the CPUs cpu[n_cpu], which are numbers of the system. If a number is negative, reads all CPUs of the machine. */
wr_other_load wr_other_load_read(const int *cpu, int n_cpu);

/* Returns the mean number of CPUs that other programs kept busy between two readings of the same CPUs. Returns 0 if a reading failed,
 * the difference is negative, or the ticks of /proc/stat are too coarse for the time between the readings. */
double wr_other_load_between(const wr_other_load *before, const wr_other_load *after);

#endif
