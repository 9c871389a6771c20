/* The event log of a subsystem: the stops of the present window, the events that fire at each stop, and the values that change
 * (docs/reference/event_log.md).
 *
 * An advance writes the entries. As for recorded rows, a new advance over the same window replaces the entries, and the owner takes the
 * entries of the accepted window. The memory has a fixed size. Entries without room are counted, and the log then contains their number.
 *
 * Thread: one at a time. Real-time: yes after placing. */
#ifndef WR_EVENT_LOG_H
#define WR_EVENT_LOG_H

#include <string.h>

#include "base/arena.h"

/* Kinds of entries, with the numbers of the result file. */
typedef enum wr_log_kind {
    WR_LOG_STOP,        /* a stop; the entries of the stop follow */
    WR_LOG_STATE_EVENT, /* an indicator fires */
    WR_LOG_TIME_EVENT, /* an event of a component at an announced time, or on request at the end of a step */
    WR_LOG_INPUT_JUMP, /* an input jumps */
    WR_LOG_VALUE,      /* a state, discrete state or output changes */
    WR_LOG_SLOPE,      /* the slope of a state changes */
    WR_LOG_LOST,       /* lost entries */
    WR_LOG_KIND_COUNT
} wr_log_kind;

/* Cause of a stop besides WRSIM_CAUSE_... (wrsim/observer.h): the start of the run. */
enum { WR_LOG_CAUSE_START = 1 << 3 };

/* Types of items, in the order of their numbers. */
typedef enum wr_log_type {
    WR_LOG_INDICATOR,
    WR_LOG_COMPONENT,
    WR_LOG_INPUT,
    WR_LOG_STATE,
    WR_LOG_DISCRETE,
    WR_LOG_OUTPUT,
    WR_LOG_TYPE_COUNT
} wr_log_type;

typedef struct wr_log_entry {
    double t_s;
    double before, after; /* values on both sides; NaN: the kind has no values */
    int item;             /* number of the item among the subsystem's items; -1: no item */
    int round;            /* round of events; WR_LOG_STOP: number of rounds; -1: after all rounds */
    signed char kind;     /* wr_log_kind */
    signed char direction; /* 1 rising, -1 falling; WR_LOG_STOP: sum of causes */
} wr_log_entry;

typedef struct wr_event_log {
    int n, cap;
    int n_kept; /* the next advance keeps this number of entries */
    int n_lost; /* entries without room */
    int i_stop; /* index of the present stop's entry; -1: no stop is open */
    int first[WR_LOG_TYPE_COUNT +
              1];        /* number of the first item of each type; last: number of items */
    wr_log_entry *entry; /* [cap] */
} wr_event_log;

/* Places a log for n_item[] items of each type. Setup only. Returns NULL when the arena is exhausted. */
static inline wr_event_log *wr_event_log_place(wr_arena *arena, const int n_item[WR_LOG_TYPE_COUNT],
                                               int cap)
{
    wr_event_log *const log = WR_NEW(arena, wr_event_log);
    if (!log || !(log->entry = WR_NEW_ARRAY(arena, wr_log_entry, cap)))
        return NULL;
    log->cap = cap;
    log->i_stop = -1;
    for (int type = 0; type < WR_LOG_TYPE_COUNT; type++)
        log->first[type + 1] = log->first[type] + n_item[type];
    return log;
}

/* Places an empty log of the same items and capacity. Setup only. Returns NULL when the arena is exhausted. */
static inline wr_event_log *wr_event_log_copy_place(wr_arena *arena, const wr_event_log *from)
{
    wr_event_log *const log = WR_NEW(arena, wr_event_log);
    if (!log || !(log->entry = WR_NEW_ARRAY(arena, wr_log_entry, from->cap)))
        return NULL;
    log->cap = from->cap;
    log->i_stop = -1;
    memcpy(log->first, from->first, sizeof log->first);
    return log;
}

/* Adds an entry. A full log counts the entry as lost. */
static inline void wr_event_log_add(wr_event_log *log, const wr_log_entry *entry)
{
    if (log->n < log->cap)
        log->entry[log->n++] = *entry;
    else
        log->n_lost++;
}

/* Removes the entries after t_s. */
static inline void wr_event_log_cut(wr_event_log *log, double t_s)
{
    while (log->n > 0 && log->entry[log->n - 1].t_s > t_s)
        log->n--;
}

/* Removes all entries except the kept entries. */
static inline void wr_event_log_clear(wr_event_log *log)
{
    log->n = log->n_kept;
    log->n_lost = 0;
    log->i_stop = -1;
}

#endif
