/* Inside of slackened synchronisation, shared by the files slack*.c, one job each:
 *
 *   slack_place.c   placing and starting
 *   slack_pick.c    which version of each source a period reads
 *   slack_part.c    a period of one part: read, integrate, publish
 *   slack_delay.c   what stale versions have cost, once newer ones are there
 *   slack_limit.c   what follows where that is too much
 *   slack_span.c    how long each part's periods are
 *   slack_pace.c    when a period may begin, and how long it took
 *   slack_rest.c    what its sweeps leave
 *   slack_history.c predictions from a period ago
 *   slack_state.c   the state between two runs, as bytes
 *   slack.c         running, workers, waiting
 *
 * A part is written by whoever has claimed it. Others read its store (store.h) and its clock.
 *
 * Thread: as said per function. Real-time: yes after start.
 */
#ifndef WR_SLACK_WORK_H
#define WR_SLACK_WORK_H

#include <stdatomic.h>

#include "runtime/relax/converge.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"
#include "runtime/slack/slack.h"
#include "runtime/slack/store.h"
#include "scheduler/barrier.h"

/* Predictions reach so many periods beyond the end of their version; what is older is held from there on, as polynomials
 * leave all bounds. */
enum { WR_SLACK_REACH = 4 };
/* Periods of connections are P / 2^k, k up to this. */
enum { WR_SLACK_MOST_HALVINGS = 10 };

/* Of a published version, beside what its store has; as safe to read as the slot, which it is indexed like. */
typedef struct wr_slack_version {
    double end_s;
    double next_s; /* where the next final one ends, unless a run ends before */
    int span;      /* ticks that it then has, unless it begins beside the grid */
    int sweep;     /* 0, 1 ... */
    int is_final;
    wr_wave *prediction; /* from its end on */
    int *wish;           /* [n_source] ticks that its sources' periods are to have at most */
} wr_slack_version;

/* Of the waves of its last two sweeps; where there is one sweep only, nothing is placed. */
typedef struct wr_slack_rest {
    wr_converge *converge;
    double *most, *low, *high; /* [n_published] largest difference; of what is published */
    double units, t_s;         /* the largest in tolerances, and when */
    int i_signal;
} wr_slack_rest;

typedef struct wr_slack_part wr_slack_part;

/* A source of a part. */
typedef struct wr_slack_source {
    wr_slack_part *producer;
    int i_reader;    /* in the producer's store */
    int is_played;   /* known ahead */
    int wish;        /* ticks that its periods are to have at most */
    int64_t version; /* picked for this period: its number from 1; 0: the start's */
    int64_t floor;   /* lower ones are released */
    int64_t known;   /* the newest that was ever picked */
    int is_awaited;  /* nothing stale is read of it any more */
    int is_upstream; /* the part acts on it neither directly nor through others */
    wr_wave *input;  /* where a version's prediction cannot be read as it is */
} wr_slack_source;

/* Who reads a part, and so may wish something of it. */
typedef struct wr_slack_reader {
    int i_source; /* among the part's own, where it picks versions of the reader; -1: it picks none */
    int i_place; /* of the part among the reader's sources */
} wr_slack_reader;

typedef enum wr_slack_progress {
    WR_SLACK_FINISHED, /* it is at the end */
    WR_SLACK_BLOCKED,  /* it waits for others, or another worker has it */
    WR_SLACK_EARLY,    /* it waits for its moment */
    WR_SLACK_DONE      /* a sweep of a period, or one that failed */
} wr_slack_progress;

struct wr_slack_part {
    /* Who adds one to 0 has it, and gives it back by 0: slack_part.c. */
    _Alignas(WR_CACHE_LINE) atomic_int n_claim;
    int i;
    wr_subsystem *subsystem;
    const wr_link *link;
    wr_store *store;
    wr_slack_version *info; /* [cap of the store] */
    wr_wave *start_prediction;
    wr_wave *
        no_difference; /* an empty wave for the state of a missing version; NULL: versions have no difference */
    wr_predict *predict;
    wr_history *history; /* NULL: it has none */
    wr_phase *phase;
    int i_phase_source, i_phase_signal; /* where it reads the phase; source -1: in its own wave */
    int64_t phase_place;
    double *weight; /* [n_published] tolerance units; at the start, values */
    double *slope;  /* [n_published] at the start */
    int n_source;
    int n_pick;              /* n_source, and those that are picked only for what they wish */
    wr_slack_source *source; /* [n_pick] */
    int64_t *version;        /* [n_pick] for the log */
    int n_reader;
    wr_slack_reader *reader; /* [n_reader] */
    int is_played;
    int64_t cap; /* of the store */
    int64_t
        room; /* of these, as many as a live run has: what is watched is given up alike in a replay */
    int64_t n_kept; /* versions that somebody may read, where the state is passed over */
    /* The period in progress, or to come. */
    double t_s, end_s;
    int64_t n_tick;  /* grid point at or before t_s */
    int span;        /* ticks from a grid point of its own to the next */
    int first_span;  /* the same at the start */
    int next_span;   /* of the next period: what is published says where that ends */
    int sweep;       /* to be made next */
    int n_sweep;     /* of the period */
    int is_degraded; /* for want of time */
    double tolerance_factor;
    /* Of the period, where it is paced. */
    int64_t begun_ns; /* when this sweep began */
    wr_period_time time;
    wr_period_work work; /* counted before it */
    int is_begun, has_log, has_waited, is_saved;
    int is_timing; /* the whole period has begun that is timed */
    wrsim_status status;
    wr_slack_age *age;     /* [n_external] mean_s is the sum here */
    wr_delay_error *delay; /* NULL: nothing is watched */
    wr_slack_excess local, global;
    int n_relax;    /* sweeps of its periods, at least */
    double quiet_s; /* up to there records say nothing of what a limit has changed last */
    int i_pending;  /* source whose periods are to be shorter, which they are not yet; -1 */
    int64_t n_wait, n_stale, n_integration;
    wr_slack_rest rest;
    /* Partner: wr_slack_time() in another worker's observer call. */
    _Alignas(WR_CACHE_LINE) _Atomic double clock_s;
};

/* Against the wall clock. */
typedef struct wr_slack_clock {
    wr_slack_pace options;
    wr_pacer pacer;  /* has the schedule, but for the shift; its waiting is not used */
    double met_s;    /* where the last run ended; NaN: the next one begins a new schedule */
    int64_t jump_ns; /* what is later, or so much too early, moves the schedule */
    int64_t span_ns; /* of a period */
    /* relaxed: what belongs to a reading of these is that reading alone. */
    _Alignas(WR_CACHE_LINE) _Atomic int64_t shift_ns; /* of the schedule */
    _Atomic int64_t n_jump;
} wr_slack_clock;

struct wr_slack {
    wr_slack_options options;
    wr_slack_clock *clock; /* NULL: it is not paced */
    wr_observer *observer; /* the first */
    const wr_slack_log *log;
    wr_team *team;
    int n, n_active_worker;
    int n_tick; /* in a period of options.period_s: 2^k, for the shortest that there may be */
    double tick_s;
    wr_slack_part *part;    /* [n] */
    const wr_link *link;    /* [n] */
    int *order;             /* [n] parts by worker, ... */
    int *first;             /* [n_worker + 1] ... and where each one's begin */
    double end_s;           /* of the run */
    double told_s;          /* up to there observers know; worker 0's */
    int is_catching_up;     /* all go to end_s, whatever is asked for and whoever fails */
    wr_gate news;           /* opened where somebody may wait for it */
    atomic_int is_exceeded; /* set by wr_slack_judge() (relaxed: as stop) */
    /* Who has found nothing to do since the last news: how many, and which news (the gate's passage). All: nobody ever will. */
    _Atomic uint64_t idle;
    atomic_int is_stuck;   /* relaxed: as is_leaving */
    atomic_int is_leaving; /* relaxed: a flag and no more; what failed is read after the run */
    atomic_int stop;       /* set by wr_slack_stop (relaxed: only the flag itself matters) */
};

/* ---- slack_pick.c: by who has claimed the part ---- */

/* Picks what the period, or the sweep, is to read. Returns 0 where something is not there yet, 1 when all is, or a
 * negative status with the subsystem's fault set. */
int wr_slack_pick(wr_slack *slack, wr_slack_part *part);

/* The last one up to `newest` that ends by t. None before the floor is asked for. */
int64_t wr_slack_last_by(const wr_slack *slack, const wr_slack_source *source, int64_t newest,
                         double t_s);

/* When the version after that one ends; the one before: 0, and when the first ends. */
double wr_slack_next_end(const wr_slack *slack, const wr_slack_source *source, int64_t version);

/* What was published under that number, which this part has picked and not released. */
const wr_slack_version *wr_slack_version_of(const wr_slack_source *source, int64_t version);

/* Of a part that is at the end of the run: its producers, which may be behind, need not keep what they had published. */
void wr_slack_let_go(const wr_slack *slack, wr_slack_part *part);

/* ---- slack_span.c ---- */

/* How many ticks there are in a period, and how many of them each part's first one has. Before stores are placed. */
void wr_slack_span_place(wr_slack *slack);
/* Ticks that a part's link allows the periods of a source. */
int wr_slack_span_wish(const wr_slack *slack, const wr_link *link, int i_source);
/* Who reads each part; sources are there. 0, or -1: out of memory. */
int wr_slack_span_place_readers(wr_slack *slack, wr_arena *arena);

/* Grid point n. */
double wr_slack_grid(const wr_slack *slack, int64_t n_tick);
/* The first multiple of span after n_tick. */
int64_t wr_slack_span_end(int64_t n_tick, int span);
/* The grid point at or before t_s, which is no earlier than n_tick. */
int64_t wr_slack_span_tick(const wr_slack *slack, int64_t n_tick, double t_s);
/* The first multiple of the whole period at or after t_s. */
double wr_slack_span_meet(const wr_slack *slack, double t_s);

/* The part's period is over with this version: what it says of the next ones. By who has claimed the part. */
void wr_slack_span_publish(const wr_slack *slack, wr_slack_part *part, wr_slack_version *version);

/* Through that source more has come than is to be, by that factor. Returns 1 where its periods are to be shorter. */
int wr_slack_span_shorten(const wr_slack *slack, wr_slack_part *part, int i_source, double factor);
/* Ticks of a source's periods, as far as is known. */
int wr_slack_span_known(const wr_slack_source *source);
/* As short as they can be? */
int wr_slack_span_is_shortest(const wr_slack *slack, const wr_slack_source *source);

/* Is any connection to be shortened where a limit is exceeded? */
int wr_slack_is_shortening(const wr_slack_options *options);

/* Passes over ticks of a period. */
void wr_slack_span_pass(const wr_slack *slack, wr_state_io *io, int *span);
/* Passes over it. */
void wr_slack_span_state(const wr_slack *slack, wr_slack_part *part, wr_state_io *io);

/* ---- slack_delay.c: by who has claimed the part ---- */

/* Watches the period that is about to be integrated against the subsystem's source[], if its turn has come. */
void wr_slack_watch(const wr_slack *slack, wr_slack_part *part);

/* Settles what can be, after versions have been picked for a new period. */
void wr_slack_settle(wr_slack *slack, wr_slack_part *part);

/* A period has been settled: is a limit exceeded, and what is done then (slack_limit.c). */
void wr_slack_judge(wr_slack *slack, wr_slack_part *part, const wr_delay_verdict *verdict);

/* Versions have been picked: has what a limit has changed come about? (slack_limit.c) */
void wr_slack_await_change(const wr_slack *slack, wr_slack_part *part);

/* Up to which versions a source is not needed for what is still to be settled. */
int64_t wr_slack_unwatched(const wr_slack *slack, const wr_slack_part *part,
                           const wr_slack_source *source);

/* ---- slack_pace.c; without a clock none of these does anything ---- */

/* A run begins or ends, and how. */
void wr_slack_pace_begin(wr_slack *slack);
void wr_slack_pace_end(wr_slack *slack, wrsim_status status);

/* Has the moment of simulated time t_s come? Moves the schedule where the clock has jumped. Thread: any. */
int wr_slack_pace_is_due(wr_slack *slack, double t_s);

/* Waits for the moment of t_s, or, if it needs any, for news after `seen`; until the run is to be left at the latest. */
void wr_slack_pace_wait(wr_slack *slack, int i_worker, double t_s, int needs_news, unsigned seen);

/* A sweep of the part's period begins; it is done; the period is. By who has claimed the part. */
void wr_slack_pace_enter(wr_slack *slack, wr_slack_part *part);
void wr_slack_pace_rest(wr_slack *slack, wr_slack_part *part);
void wr_slack_pace_leave(wr_slack *slack, wr_slack_part *part);

/* ---- slack.c ---- */

/* Has a time come to an end, but for less than a period can be: picks do not tell apart what ends then (slack_pick.c)? */
int wr_slack_is_end(const wr_slack *slack, double t_s, double t_end_s);
/* Are workers to come back? */
int wr_slack_is_leaving(wr_slack *slack);

/* ---- slack_history.c ---- */

/* Places what a part needs for it, where it is asked for and can be; 0, or -1: out of memory. */
int wr_slack_history_place(const wr_slack *slack, wr_slack_part *part, wr_arena *arena);

/* As wr_predict_offer() of a final wave of the part, which then is history. */
wrsim_status wr_slack_history_offer(const wr_slack *slack, wr_slack_part *part, const wr_wave *wave,
                                    double horizon_s, wr_wave *ret_prediction);

/* Passes over it, and over what the part predicts by. */
void wr_slack_history_state(wr_slack_part *part, wr_state_io *io);

/* ---- slack_place.c ---- */

/* The name of the first subsystem with that flag; NULL: there is none. */
const char *wr_slack_find_flag(const wr_slack *slack, unsigned flag);

/* Is a span a whole number of communication steps, but for rounding? */
int wr_slack_is_multiple(const wr_slack *slack, double span_s);

/* ---- slack_rest.c ---- */

/* Returns 0, or -1 when out of memory. */
int wr_slack_rest_place(const wr_slack *slack, wr_slack_part *part, wr_arena *arena);

/* The last sweep of a period is to be published. By who has claimed the part. */
void wr_slack_rest_note(wr_slack_part *part);

/* Passes over it. */
void wr_slack_rest_state(wr_slack_part *part, wr_state_io *io);

/* ---- slack_part.c ---- */

/* The next sweep of a part, if it has one before the end and what it reads is there. Anybody may call it. */
wr_slack_progress wr_slack_step(wr_slack *slack, wr_slack_part *part);

#endif
