/* Pace: do all workers together get on faster than one? On a machine that others keep busy they may
 * not, because each window waits for the slowest.
 *
 * Windows of little work have a pace of their own: one worker runs first, and two are tried once it has run for
 * a while, as waiting for each other may take longer than what they share saves.
 *
 * On a machine that is busy from the start one runs first: a worker that begins where others compute gets little
 * of its CPU at first.
 *
 * As long as they clearly work side by side (the time that their tasks have a CPU sums to well above
 * the time that passes), they go on: on many a machine the times of two stretches differ by more from
 * noise alone; one is tried once in hundreds of stretches, for cores that share what they compute with are
 * at work at once, too. Otherwise wall-clock time per unit of counted work is compared between all workers
 * and one: one is tried early and then now and again where the two are close; all are tried again now and
 * again while one runs. A trial lasts several stretches unless the case is clear before: who has to wait for a
 * CPU does so for milliseconds at a time. Only speed depends on it: results have the same bits on any number
 * of workers.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#ifndef WR_PACE_H
#define WR_PACE_H

typedef struct wr_pace {
    double cost_s[2]; /* wall-clock time per work unit, [0] one worker, [1] all; 0 = not known */
    double at_once;   /* task time per wall-clock time with all workers; 0 = not known */
    double trial_s, trial_work; /* of the trial under way */
    int is_alone;               /* one worker runs now */
    int is_trial;               /* only to see how it does */
    int n_review, wait;
    int is_of_little; /* its windows have little work */
    int is_crowded;   /* the machine was busy when the run was prepared */
} wr_pace;

/* Why fewer workers run than there are. */
typedef enum wr_pace_reason {
    WR_PACE_ALL,   /* all run */
    WR_PACE_WORK,  /* a window has too little work for more */
    WR_PACE_TRIAL, /* one runs now, to see how it does */
    WR_PACE_CROWD, /* one runs, as the machine was busy at the start; all have not been tried yet */
    WR_PACE_SLOWER, /* all were not faster than one */
    WR_PACE_WAITS   /* two were not faster than one, with windows of little work */
} wr_pace_reason;

/* A stretch of the run: how long it took, the time its tasks had a CPU (all workers together), its work. */
typedef struct wr_stretch {
    double elapsed_s, useful_s, work;
} wr_stretch;

/* Takes a stretch into account. Returns whether one worker alone should run the next one. */
int wr_pace_review(wr_pace *pace, wr_stretch stretch);

/* The paces of windows with enough work for several workers, and with little. */
wr_pace wr_pace_of_enough(int is_crowded);
wr_pace wr_pace_of_little(int is_crowded);

/* Whether a window's work is little: too little for two workers to be taken at once. */
int wr_pace_is_little(double work, double min_work);

/* How many of most (> 1) workers there is work for: few enough that each has min_work (> 0) of the work of a
 * window, two where that is little, one where it is very little. */
int wr_pace_by_work(double work, double min_work, int most);

/* How many of those n that there is work for should run, and why no more of most. */
int wr_pace_workers(const wr_pace *pace, int n, int most, wr_pace_reason *ret_reason);

/* Gives up a trial that there is too little work for. */
void wr_pace_drop_trial(wr_pace *pace);

/* Whether one runs that others may keep from its CPU: alone, and not just because nothing else was tried. */
int wr_pace_roams(const wr_pace *pace);

/* Wall-clock time per work unit of the faster one, as far as known; 0 = not at all. */
double wr_pace_best(const wr_pace *pace);

#endif
