/* Versions of waves: publications of a task, and the versions that its readers have not released.
 *
 * Thread: the task that publishes, or the reader. wr_published is constant after placing, except n_kept, store, info and the waves.
 * Real-time: plain data.
 */
#ifndef WR_VERSIONS_H
#define WR_VERSIONS_H

#include "base/check.h"
#include "runtime/slack/wave_store.h"

/* Number of periods that a prediction covers beyond the end of its version (assumed). For a period that ends later, a reader uses a
 * constant value, because polynomials grow without bound. */
enum { WR_SLACK_REACH = 4 };

/* A published version, without its wave. A reader that may read the wave (wave_store.h) may also read this record. */
typedef struct wr_version {
    double end_s;
    double next_s; /* end of the next final version, unless the run ends before */
    int span;      /* ticks of the next period, unless that period begins beside the grid */
    int sweep;     /* number of the sweep, from 0 */
    int is_final;
    wr_wave *prediction; /* prediction from end_s on */
    /* [n_source] largest number of ticks that the task requests for periods of each source */
    int *wish;
} wr_version;

/* The versions of one task. */
typedef struct wr_published {
    int i;         /* number of the task */
    int is_played; /* 1: the waves are known ahead */
    wr_wave_store *store;
    wr_version *info; /* [cap] */
    int64_t cap;      /* capacity of the store */
    int64_t room;     /* capacity in a live run, <= cap; a replay drops the same watched periods */
    int64_t n_kept;   /* versions that a reader may still read, while the state is written */
    int first_span;   /* ticks of the first period */
    wr_wave *start_prediction;
    /* empty wave in place of a difference while the state is measured or checked; NULL: no differences */
    wr_wave *no_difference;
} wr_published;

/* A source of a task. */
typedef struct wr_version_source {
    wr_published *producer;
    int i_reader;    /* number of the reader in the producer's store */
    int is_played;   /* 1: the waves are known ahead */
    int wish;        /* largest number of ticks that the reader requests for the source's periods */
    int64_t version; /* version selected for this period, from 1; 0: the start values */
    int64_t floor;   /* the reader has released all lower versions */
    int64_t known;   /* newest version selected so far */
    int is_awaited;  /* 1: the reader waits until no wave of this source is stale */
    /* 1: the reader acts on the source neither directly nor through other subsystems */
    int is_upstream;
    wr_wave *input; /* wave for a prediction that the reader cannot use as published */
} wr_version_source;

/* A reader of a task. */
typedef struct wr_version_reader {
    int i_source; /* number of the reader among the sources of the task */
    int i_place;  /* number of the task among the sources of the reader */
} wr_version_reader;

/* Returns a published version, from 1, that the reader has not released. */
static inline const wr_version *wr_version_of(const wr_version_source *source, int64_t version)
{
    const wr_published *const p = source->producer;
    WR_ASSERT(version >= 1 && version >= source->floor);
    return &p->info[(version - 1) % p->cap];
}

#endif
