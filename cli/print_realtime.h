/* Texts of a run against the wall clock.
 *
 * Thread: main, between runs. Real-time: no.
 */
#ifndef WR_PRINT_REALTIME_H
#define WR_PRINT_REALTIME_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Prints one line for each property of the machine that endangers deadlines, and for each refused privilege, with the
 * remedy. Prints nothing if the config has no [realtime]. Called after wrsim_prepare(). */
void wr_print_fitness(FILE *out, const wrsim *sim);

/* Prints these lines for workers on the given CPUs. */
void wr_print_fitness_of(FILE *out, const wrsim_realtime_stats *run, const int *cpu, int n_worker);

/* Prints the summary's part on real time. Called after wrsim_prepare(). */
void wr_print_realtime(FILE *out, const wrsim *sim);

/* Formats a duration as "1.23 ms": three digits and a fitting unit. Returns ret_text. */
enum { WR_WALL_TEXT_BYTES = 32 };
const char *wr_wall_text(double ns, char *ret_text);

#endif
