/* Single-writer store of published versions. wave_store.h has the proof.
 *
 * Thread: one writer, reader i one thread. Real-time: yes after placing.
 */
#include "runtime/slack/wave_store.h"

#include <stdatomic.h>

#include "base/check.h"

/* The types are padded instead of aligned, because wr_arena_line() does not align a block whose alignment exceeds the arena's limit. */
typedef union writer_line {
    struct {
        _Atomic int64_t written;
        /* owned by the writer: no reader needs a version below released_seen */
        int64_t released_seen;
    };
    char line[WR_CACHE_LINE];
} writer_line;

typedef union reader_line {
    _Atomic int64_t released;
    char line[WR_CACHE_LINE];
} reader_line;

struct wr_wave_store {
    int n_reader, cap;
    wr_wave_store_slot *slot; /* [cap] */
    writer_line *writer;
    reader_line *reader; /* [n_reader] */
};

wr_wave_store *wr_wave_store_place(wr_arena *arena, const wr_wave_store_options *options)
{
    if (options->n_reader < 0 || options->cap < 1 || options->n_signal < 0 ||
        options->cap_node < 2 || options->n_extra < 0 || options->cap_difference < 0)
        return NULL;
    wr_wave_store *const store = WR_NEW(arena, wr_wave_store);
    wr_wave_store_slot *const slot = WR_NEW_ARRAY(arena, wr_wave_store_slot, options->cap);
    wr_arena_line(arena);
    writer_line *const writer = WR_NEW(arena, writer_line);
    reader_line *const reader = WR_NEW_ARRAY(arena, reader_line, options->n_reader);
    wr_arena_line(arena);
    if (!store || !slot || !writer || !reader)
        return NULL;
    for (int i = 0; i < options->cap; i++) {
        slot[i].wave = wr_wave_place(arena, options->n_signal, options->cap_node);
        slot[i].extra = WR_NEW_ARRAY(arena, double, options->n_extra);
        if (!slot[i].wave || !slot[i].extra)
            return NULL;
        if (options->cap_difference > 0 &&
            !(slot[i].difference =
                  wr_wave_place(arena, options->n_signal, options->cap_difference)))
            return NULL;
    }
    *store = (wr_wave_store){.n_reader = options->n_reader,
                             .cap = options->cap,
                             .slot = slot,
                             .writer = writer,
                             .reader = reader};
    wr_wave_store_reset(store, 0);
    return store;
}

void wr_wave_store_reset(wr_wave_store *store, int64_t first)
{
    WR_ASSERT(first >= 0);
    /* relaxed, no partner: a barrier lies between this call and the next use of the store. */
    atomic_store_explicit(&store->writer->written, first, memory_order_relaxed);
    store->writer->released_seen = first;
    for (int i = 0; i < store->n_reader; i++)
        atomic_store_explicit(&store->reader[i].released, first, memory_order_relaxed);
}

static wr_wave_store_slot *slot_of(const wr_wave_store *store, int64_t version)
{
    return store->slot + version % store->cap;
}

wr_wave_store_slot *wr_wave_store_begin(wr_wave_store *store)
{
    writer_line *const w = store->writer;
    /* Relaxed: only the writer stores `written`. */
    const int64_t written = atomic_load_explicit(&w->written, memory_order_relaxed);
    if (written - w->released_seen >= store->cap) {
        w->released_seen = written;
        for (int i = 0; i < store->n_reader; i++) {
            /* acquire: partner is the store in wr_wave_store_release(), which follows the reads of older versions. */
            const int64_t released =
                atomic_load_explicit(&store->reader[i].released, memory_order_acquire);
            if (released < w->released_seen)
                w->released_seen = released;
        }
        if (written - w->released_seen >= store->cap)
            return NULL;
    }
    return slot_of(store, written);
}

void wr_wave_store_publish(wr_wave_store *store)
{
    writer_line *const w = store->writer;
    /* Relaxed: only the writer stores `written`. */
    const int64_t written = atomic_load_explicit(&w->written, memory_order_relaxed);
    WR_ASSERT(written - w->released_seen < store->cap); /* wr_wave_store_begin() returned a slot */
    /* release, after the writes of the slot: partner is the load in wr_wave_store_written(). */
    atomic_store_explicit(&w->written, written + 1, memory_order_release);
}

int64_t wr_wave_store_written(const wr_wave_store *store)
{
    /* acquire: partner is the store in wr_wave_store_publish(). */
    return atomic_load_explicit(&store->writer->written, memory_order_acquire);
}

const wr_wave_store_slot *wr_wave_store_read(const wr_wave_store *store, int64_t version)
{
    /* Relaxed: this thread has loaded a `written` above `version`. The reader has not released the version, so the writer does not
     * fill in the slot. */
    WR_ASSERT(version < atomic_load_explicit(&store->writer->written, memory_order_relaxed));
    WR_ASSERT(version + store->cap >=
              atomic_load_explicit(&store->writer->written, memory_order_relaxed));
    return slot_of(store, version);
}

void wr_wave_store_release(wr_wave_store *store, int i_reader, int64_t version)
{
    _Atomic int64_t *const released = &store->reader[i_reader].released;
    WR_ASSERT(i_reader >= 0 && i_reader < store->n_reader);
    /* Relaxed: only this reader stores its `released`. */
    WR_ASSERT(version >= atomic_load_explicit(released, memory_order_relaxed));
    /* release, after the reads of older versions: partner is the load in wr_wave_store_begin(). */
    atomic_store_explicit(released, version, memory_order_release);
}

/* Asserts invariant 1. Relaxed loads: no other thread uses the store. */
void wr_wave_store_check(const wr_wave_store *store)
{
    const int64_t written = atomic_load_explicit(&store->writer->written, memory_order_relaxed);
    const int64_t seen = store->writer->released_seen;
    WR_ASSERT(seen >= 0 && seen <= written && written - seen <= store->cap);
    for (int i = 0; i < store->n_reader; i++)
        WR_ASSERT(atomic_load_explicit(&store->reader[i].released, memory_order_relaxed) >= seen);
    (void)written;
    (void)seen;
}
