/* The newest rows of a run and its newest steps with deadlines, in memory that the run shares with the live view.
 *
 * The memory has two rings, for rows of signals and for steps. Each ring has one writer, which replaces the oldest entry and never waits. A
 * reader copies entries and then drops the entries that the writer may have replaced meanwhile (H.-J. Boehm, Can seqlocks get along with
 * programming language memory models?, 2012, section 4). So readers cannot delay the run. The size of the memory is fixed.
 *
 * Thread: see each function; readers may be in another process. Real-time: wr_live_step().
 */
#ifndef WR_LIVE_MEMORY_H
#define WR_LIVE_MEMORY_H

#include <stdint.h>

#include "runtime/record/streams.h"

/* Largest number of signals, and sizes of texts with their final 0. */
enum { WR_LIVE_SIGNALS = 2048, WR_LIVE_TEXT_BYTES = 1024, WR_LIVE_CPUS = 1024 };

/* Columns of the entries of a ring; in rows the signals follow the time. Times of steps are in ns. */
enum { WR_LIVE_TIME, WR_LIVE_COMPUTE, WR_LIVE_LATE, WR_LIVE_OVER, WR_LIVE_STEP_COLUMNS };

typedef enum wr_live_ring { WR_LIVE_ROWS, WR_LIVE_STEPS, WR_LIVE_RINGS } wr_live_ring;

typedef enum wr_live_state {
    WR_LIVE_EMPTY,   /* no run has begun */
    WR_LIVE_RUNNING, /* a run has begun, and may end at any time */
    WR_LIVE_ENDED
} wr_live_state;

/* Description of a run. */
typedef struct wr_live_run {
    const char *title;
    double start_s, stop_s; /* simulated time */
    double rate;     /* simulated seconds per second of a paced run; 0: the run has no deadlines */
    double period_s; /* simulated length of a step */
    int n_stream;
    const wr_stream_info *stream; /* [n_stream] signals, in the order of wr_live_row() */
} wr_live_run;

/* A step with a deadline. */
typedef struct wr_live_step_time {
    double t_s;         /* simulated time at the start; NaN: unknown */
    int64_t compute_ns; /* computing time of all subsystems */
    int64_t late_ns;    /* delay of the start */
    int64_t over_ns; /* time from the deadline to the end; > 0 is a miss; INT64_MAX: no end yet */
} wr_live_step_time;

typedef struct wr_live wr_live;

/* Returns empty memory, which child processes share; NULL when memory is exhausted. */
wr_live *wr_live_create(void);
void wr_live_destroy(wr_live **live);

/* ---- the run; thread: the owner, while no other function of the run is in progress ---- */

/* Begins a run and deletes the data of an earlier run. Writes to all memory that wr_live_step() uses. */
void wr_live_begin(wr_live *live, const wr_live_run *run);
/* Sets the CPUs of the workers, which the reader's process leaves to them. A negative number is no CPU. */
void wr_live_set_cpus(wr_live *live, int n, const int *cpu);
/* Ends the run. text: the reason, one sentence. */
void wr_live_end(wr_live *live, const char *text);

/* Stores a row. values[i_stream] are the values of a stream, or NULL. live: a wr_live. Thread: one at a time, and successive threads need
 * an order. */
void wr_live_row(void *live, double t_s, const double *const *values);
/* Stores a step. Thread: as wr_live_row(), independent of it. Makes no system call and takes no lock. */
void wr_live_step(void *live, const wr_live_step_time *step);

/* ---- readers; thread: any, one per wr_live_view ---- */

/* Copy of the description and of the counts. */
typedef struct wr_live_view {
    /* number of the run; odd: a run is about to begin, and the other members are not valid */
    int64_t generation;
    wr_live_state state;
    char title[WR_LIVE_TEXT_BYTES], text[WR_LIVE_TEXT_BYTES];
    double start_s, stop_s, rate, period_s;
    int n_signal;     /* signals in the memory, from the first signal of the run */
    int n_all_signal; /* signals of the run */
    int64_t n_row, n_step, n_miss;
} wr_live_view;

void wr_live_view_get(const wr_live *live, wr_live_view *ret_view);

/* Returns the name or the unit of a signal, valid until the next run begins. */
const char *wr_live_name(const wr_live *live, int i_signal);
const char *wr_live_unit(const wr_live *live, int i_signal);

/* Returns the number of entries that a ring can have. */
int wr_live_cap(const wr_live *live, wr_live_ring ring);

/* Copies columns of the newest entries, at most cap_value, from number `from` on to ret_value[n][n_column], in order. column: indices below
 * the width of the ring. Returns n, and the number of the first copied entry, which is above `from` if entries are omitted. If another run
 * begins during the call, the values are not valid. */
int wr_live_read(const wr_live *live, wr_live_ring ring, int64_t from, int n_column,
                 const int *column, int cap_value, double *ret_value, int64_t *ret_first);

/* Writes the CPUs of the workers. Returns their number. */
int wr_live_cpus(const wr_live *live, int ret_cpu[WR_LIVE_CPUS]);

#endif
