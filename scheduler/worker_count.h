/* Decides how many workers a window uses.
 *
 * If min_work > 0, a run begins with one worker. Two workers have enough work if a window has at least 0.1 min_work units of counted work.
 * A window with more than (n - 1) min_work units has enough work for n > 2 workers. Windows of at least 8 ms in total make a sample. The
 * cost of a sample is wall time per unit of work. A window uses one worker, or all workers that have enough work. After two samples, and
 * repeatedly later, a trial uses the other number for up to four samples, fewer if the result is clear. The other number stays if its cost
 * is lower by more than a factor of 1.05.
 *
 * So one worker runs if windows are too short to distribute, or if other load makes each window wait for the slowest worker. A
 * sample is longer than a time slice of the system. Each failed trial makes the wait for the next trial four times as long, from 24
 * to 384 samples. If the cost of several workers doubles for two samples, a trial begins at once.
 *
 * Only speed depends on this decision: results have the same bits with any number of workers.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_WORKER_COUNT_H
#define WR_WORKER_COUNT_H

/* Cost of successive windows. */
typedef struct wr_worker_count_sample {
    double elapsed_s, work; /* wall-clock time and counted work */
    int n_window;
} wr_worker_count_sample;

typedef struct wr_worker_count {
    int most; /* number of workers of the team */
    /* counted work per window, from which the limits above follow; 0: each window uses all workers */
    double min_work;
    int by_work;        /* number of workers with enough work; 0: before the first window */
    double window_work; /* mean counted work of a window of the last sample */
    int is_one;         /* 1: one worker runs; 0: by_work workers run */
    int is_trial;       /* 1: a trial of the present number runs */
    /* cost of several workers [0] and of one worker [1], s per unit of work; 0: no sample */
    double s_per_work[2];
    int n_sample;   /* samples since the last change */
    int wait;       /* number of samples before the next trial */
    int n_doubtful; /* successive samples with a cost above DOUBTFUL times s_per_work[0] */
    wr_worker_count_sample sample, trial;
} wr_worker_count;

/* Reason for the number of workers of the next window. */
typedef enum wr_worker_count_reason {
    WR_WORKER_COUNT_ALL,   /* the window uses all workers */
    WR_WORKER_COUNT_WORK,  /* the window has too little work for more workers */
    WR_WORKER_COUNT_TRIAL, /* a trial uses one worker */
    WR_WORKER_COUNT_BEGIN, /* no trial of several workers yet */
    WR_WORKER_COUNT_SLOWER /* several workers are not faster than one */
} wr_worker_count_reason;

/* Initialises a count for most >= 1 workers and min_work >= 0. */
void wr_worker_count_init(wr_worker_count *count, int most, double min_work);

/* Returns 1 if the number never changes. The caller then needs no wr_worker_count_note. */
int wr_worker_count_is_fixed(const wr_worker_count *count);

/* Notes counted work and wall-clock time of a window. */
void wr_worker_count_note(wr_worker_count *count, double work, double elapsed_s);

/* Returns the number of workers for the next window; wr_worker_count_why gives the reason. */
int wr_worker_count_get(const wr_worker_count *count);
wr_worker_count_reason wr_worker_count_why(const wr_worker_count *count);

#endif
