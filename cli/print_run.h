/* Texts about a simulation: its structure (`check`), the summary of a run, warnings, the fitness of the machine for real time, and
 * durations. Thread: main, between runs. Real-time: no. */
#ifndef WR_PRINT_RUN_H
#define WR_PRINT_RUN_H

#include <stdio.h>

#include "wrsim/wrsim.h"

/* Prints subsystems, components, connections, unconnected inputs, algebraic loops, histories, levels, workers, warnings, and the result of
 * the split probe. Requires wrsim_create() only. */
void wr_print_structure(FILE *out, const wrsim *sim);

/* Mean numbers of CPUs that were busy during a run besides the workers' own work; 0: none, or not known. */
typedef struct wr_busy_cpus {
    double n_other;  /* of the workers' CPUs, by other programs */
    double n_writer; /* of all CPUs, by the thread that writes the results */
} wr_busy_cpus;

/* Prints the summary of a run. The call must follow wrsim_prepare(). */
void wr_print_summary(FILE *out, const wrsim *sim, const wr_busy_cpus *busy);

/* Prints the result of the split probe, for `check` and for the summary. */
void wr_print_split_probe(FILE *out, const wrsim *sim);
/* Prints the warnings of the config. The call must follow wrsim_prepare(); the summary omits these warnings. */
void wr_print_warnings(FILE *out, const wrsim *sim);

/* Prints one line for each subsystem and each limit that its delay errors exceed, if the limit's action is "warn" or "stop". */
void wr_print_delay_excess(FILE *out, const wrsim *sim);

/* Prints a warning for each step, period or window that divides the run into very many parts. The call precedes the run; the summary omits
 * these warnings. */
void wr_print_run_length(FILE *out, const wrsim *sim);

/* Prints one line with the remedy for each property of the machine that endangers deadlines, and for each refused privilege. Prints a line
 * if workers have no cores of their own. Prints nothing if the config has no [realtime]. The call must follow wrsim_prepare(). */
void wr_print_fitness(FILE *out, const wrsim *sim);

/* Prints the lines of wr_print_fitness() for workers on the given CPUs. */
void wr_print_fitness_of(FILE *out, const wrsim_realtime_stats *run, const int *cpu, int n_worker);

/* Prints the lines of the summary about real time. The call must follow wrsim_prepare(). */
void wr_print_realtime(FILE *out, const wrsim *sim);

/* Formats a duration as "1.23 ms": three digits and a fitting unit. Returns ret_text. */
enum { WR_WALL_TEXT_BYTES = 32 };
const char *wr_wall_text(double ns, char *ret_text);

#endif
