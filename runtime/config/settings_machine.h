/* Settings of [realtime], [scheduler] and [output]. The wr_settings owns all strings and arrays. Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_MACHINE_H
#define WR_SETTINGS_MACHINE_H

/* Reaction to more missed deadlines than allowed. */
typedef enum wr_set_policy {
    WR_POLICY_REPORT,
    WR_POLICY_HOLD,
    WR_POLICY_DEGRADE,
    WR_POLICY_STOP,
    WR_POLICY_COUNT
} wr_set_policy;
/* Method by which threads wait for a period. */
typedef enum wr_set_wait { WR_WAIT_SLEEP, WR_WAIT_MIXED, WR_WAIT_SPIN, WR_WAIT_COUNT } wr_set_wait;

typedef struct wr_set_realtime {
    double rate;       /* simulated s per wall s; 0 = not paced */
    double deadline_s; /* wall s from the beginning of a period; 0: length of the period / rate */
    int misses, of;    /* at most `misses` misses in `of` successive steps */
    int policy;        /* wr_set_policy */
    double degraded_tolerance; /* factor on tolerances while the run is degraded */
    int soft;                  /* 1: the run only counts misses */
    double catch_up_s;         /* longest delay that the run catches up, wall s */
    int wait;                  /* wr_set_wait */
    int priority;              /* priority of SCHED_FIFO; 0 = none */
    int lock_memory, strict, jitter;
} wr_set_realtime;

typedef struct wr_set_scheduler {
    int workers; /* number of workers; 0 = auto */
    int n_cores;
    int *cores; /* [n_cores] logical numbers of physical cores; none = all */
    int smt;    /* 1: also use SMT siblings */
    int pin;
    int event_threads;    /* 1: in a run of one subsystem, idle workers evaluate indicators, too */
    double spin_us;       /* time that a barrier spins before its threads sleep, us */
    double min_work;      /* work units per window and worker below which fewer workers run */
    const char *topology; /* "" or a synthetic hwloc description, for tests */
} wr_set_scheduler;

typedef struct wr_set_output {
    const char *file; /* result file; "" = none */
    int n_signals;
    /* [n_signals] glob patterns of component.variable; none = all outputs and states */
    const char **signals;
    int decimation;   /* the file has every decimation-th communication point */
    int points;       /* 1: the file has communication points */
    double start_s;   /* no rows before this time, s */
    int events;       /* 1: the file also has rows at events */
    int waves;        /* 1: the file also has the nodes of published waveforms */
    int log;          /* 1: the run also has an event log and window records */
    const char *json; /* summary file; "" = none */
    /* Actual file of the summary, if this file differs from `json`; else NULL. This member is no key, so dumps omit it. */
    const char *json_place;
    int has_memory_rows; /* 1: a study or a live view takes the rows of a run without a file; no key */
} wr_set_output;

static inline const char *wr_set_json_place(const wr_set_output *output)
{
    return output->json_place && output->json[0] ? output->json_place : output->json;
}

#endif
