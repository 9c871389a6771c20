/* Crew: how many workers take part. The one rule for it:
 *
 *   One worker begins. There is work for several if a window has at least a tenth of min_work units of counted
 *   work: for two, and for one more with every further min_work. Windows that follow one another for 8 ms make a
 *   sample, whose cost is time per unit of work. Either one worker runs, or as many as there is work for; after
 *   two samples, and then now and again, the other is tried for up to four samples, fewer where the case is
 *   clear, and the cheaper one goes on.
 *
 * So a machine that others keep busy, on which each window waits for the slowest worker, gets one worker, and so
 * do windows that are shorter than handing them over; and both get several again when these are faster. A sample
 * is longer than a scheduler's time slice. Each trial that is lost makes the wait for the next one four times as
 * long, from 24 to 384 samples; several whose cost has doubled for two samples are doubted at once.
 *
 * Only speed depends on it: results have the same bits with any number of workers.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_CREW_H
#define WR_CREW_H

/* What some windows took. */
typedef struct wr_crew_sample {
    double elapsed_s, work; /* wall-clock time, counted work */
    int n_window;
} wr_crew_sample;

typedef struct wr_crew {
    int most;             /* workers there are */
    double min_work;      /* units per window and worker; 0: all always take part */
    int by_work;          /* workers that there is work for; 0 = not known yet */
    double window_work;   /* of a window, as last looked at */
    int is_one;           /* one runs, else as many as there is work for */
    int is_trial;         /* to see how they do */
    double s_per_work[2]; /* cost of several [0], of one [1]; 0 = not known */
    int n_sample, wait;   /* since the last turn; after so many the other is tried */
    int n_doubtful;       /* samples in a row that took several twice as long */
    wr_crew_sample sample, trial;
} wr_crew;

/* Why fewer take part than there are. */
typedef enum wr_crew_reason {
    WR_CREW_ALL,   /* all do */
    WR_CREW_WORK,  /* a window has too little work for more */
    WR_CREW_TRIAL, /* one is being tried */
    WR_CREW_BEGIN, /* several have not been tried yet */
    WR_CREW_SLOWER /* several were not faster than one */
} wr_crew_reason;

/* most >= 1 workers, min_work >= 0. */
void wr_crew_init(wr_crew *crew, int most, double min_work);

/* Does the size ever change? If not, nothing has to be noted. */
int wr_crew_is_fixed(const wr_crew *crew);

/* Takes a window's counted work and wall-clock time into account. */
void wr_crew_note(wr_crew *crew, double work, double elapsed_s);

/* How many should take part in the next window, and why no more. */
int wr_crew_size(const wr_crew *crew);
wr_crew_reason wr_crew_why(const wr_crew *crew);

#endif
