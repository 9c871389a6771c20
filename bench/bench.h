/* Benchmarks: cases, runs, curves and rows, as structures, JSON and SVG; cli/ prints them.
 *
 * Errors and times come from trials (offline/trial.h). In each round the contestants run one after the other, so that a disturbance of the
 * machine affects all contestants. Except for growth, busy and cases with a unit, the benchmark first tunes both sides of a ratio to equal
 * error (work-precision diagrams: Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, section IV.10).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_H
#define WR_BENCH_H

#include <math.h>
#include <stdint.h>

#include "bench/bench_options.h"
#include "bench/bench_row.h"
#include "offline/trial.h"

enum {
    WR_BENCH_SCHEMA = 1,
    WR_BENCH_CONTESTANTS = 48,
    WR_BENCH_RUNS = 1000, /* maximum number of rounds (assumed) */
    WR_BENCH_TEXT = 256
};

typedef struct wr_bench {
    wr_bench_options options;
    wr_trial trial; /* owner of the memory of the benchmark */
    int64_t start_ns;
    int n_row, cap_row;
    wr_bench_row *row;
    int n_curve, cap_curve;
    wr_bench_curve *curve;
    const char **curve_case; /* [n_curve] */
    const wr_bench_case *at; /* the present case */
    struct wr_bench_known *known;
} wr_bench;

/* Creates a benchmark with a copy of options and listener, which receives messages. Returns WRSIM_E_MEMORY, or WRSIM_OK; after WRSIM_OK the
 * caller destroys the object. */
wrsim_status wr_bench_create(wr_bench *bench, const wr_bench_options *options,
                             const wr_listener *listener);
void wr_bench_destroy(wr_bench *bench);
/* Reports an error of the caller. Returns WRSIM_E_ARG. */
wrsim_status wr_bench_refuse(const wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row);
wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name);
/* Removes the last curve. */
void wr_bench_curve_drop(wr_bench *bench);
/* Returns the number of cores that this process may use. */
int wr_bench_count_cores(void);
/* Returns the path of an output that the command line names. */
static inline const char *wr_bench_place(const wr_bench *bench, const char *name)
{
    return bench->options.place_of ? bench->options.place_of(name) : name;
}

/* Reports a file that the program cannot write. error_number: errno; 0: no report. Returns the status, which is WRSIM_OK for 0. */
wrsim_status wr_bench_unwritten(const wr_bench *bench, const char *file, int error_number);

/* Writes a file and reports errors. text NULL: out of memory. Returns the status. */
wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text);
/* Refuses an output that would overwrite an input (what: "the config", ...). Returns the status. */
wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file);
/* Makes SIGINT and SIGTERM set a flag; a second signal ends the program. */
void wr_bench_catch_signals(void);
/* Restores the default actions of SIGINT and SIGTERM, which end the process. */
void wr_bench_obey_signals(void);
int wr_bench_is_interrupted(void);
/* Returns the remaining wall s of --total; INFINITY without a limit. */
double wr_bench_left_s(const wr_bench *bench);
/* Returns whether the measurement ends: after a signal, or without remaining time. */
int wr_bench_is_over(const wr_bench *bench);

/* Calls fn for the cases of a file; file NULL: calls wr_bench_growth() instead. A failed case does not stop the other cases. Returns
 * WRSIM_STOPPED after an interrupt, else WRSIM_OK or the status of an error. */
typedef wrsim_status (*wr_bench_case_fn)(wr_bench *bench, const wr_bench_case *c);
wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn);

/* Returns the names of the shapes of growth, ended by NULL. */
const char *const *wr_bench_shapes(void);
wrsim_status wr_bench_growth(wr_bench *bench);

/* Compares one worker with two workers while other processes load the machine. */
wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

/* Tunes all sides of a case without a unit. Measures all sides and adds rows. With --curve also adds curves, except for cases with a unit
 * or a comparison of windows. */
wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

#endif
