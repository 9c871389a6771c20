/* What is printed of a run against the wall clock.
 *
 * Thread: main, between runs. Real-time: no.
 */
#ifndef WR_PRINT_REALTIME_H
#define WR_PRINT_REALTIME_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* A line for all that keeps the machine from being on time, and what was refused, with what to change; nothing where nothing
 * is asked of [realtime]. After wrsim_prepare. */
void wr_print_fitness(FILE *out, const wrsim *sim);

/* The same of workers on these CPUs. */
void wr_print_fitness_of(FILE *out, const wrsim_realtime_stats *run, const int *cpu, int n_worker);

/* The part of the summary about it; likewise. */
void wr_print_realtime(FILE *out, const wrsim *sim);

/* "1.23 ms": three digits, in the unit that suits. */
enum { WR_WALL_TEXT_BYTES = 32 };
const char *wr_wall_text(double ns, char *ret_text);

#endif
