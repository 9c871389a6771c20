/* Publication store: the last waves of one producer, for readers that never wait for it, nor it for them.
 *
 * A ring of cap slots with one writer and several readers. Version v, the wave of the producer's period v, lies in slot
 * v mod cap from its publication until every reader has released it. Lamport's bounded queue (1983, "Specifying concurrent
 * program modules") with counters that only grow, as base/ring.h, but with one counter of releases for each reader: readers
 * do not consume, they look at whatever versions they still hold, in any order and as often as they like.
 *
 *     written       versions published so far; the writer stores it (release), readers load it (acquire)
 *     released[i]   versions below it are over for reader i; it stores it (release), the writer loads it (acquire)
 *
 * Invariants, at any instant:
 *     1. written <= released[i] + cap for every i.
 *     2. The writer fills in version `written` only; its slot held version written - cap, if any.
 *     3. A reader reads versions from released[i] up to below a `written` that it has loaded.
 * So nothing is read while it is written, and what is read is the version asked for:
 *     - Of a version and its reading: the writer stores `written` after it has filled in the slot, and the reader reads after
 *       it has loaded that value or a later one. Release and acquire on `written` order the two.
 *     - Of a reading and the next version in the same slot: the reader stores released[i] > v after its last read of v, and
 *       the writer begins version v + cap only after it has loaded such a value from every reader. Release and acquire
 *       on released[i] order the two.
 *     - Versions that share a slot are cap apart, and between a version's publication and its release by reader i fewer
 *       than cap more are begun: what lies in the slot is v.
 * Copies of the other side's counters are old values of them, which only say "not yet" more often: the writer keeps the smallest
 * `released` that it has seen, and a reader may keep the `written` that it has seen.
 * tests/model explores all executions of this source under C11's release and acquire, within bounds.
 *
 * Every call is wait-free: no loop but that over the readers. Each counter has its cache line.
 *
 * Thread: one writer; reader i is one thread at a time. Whoever takes either over must have met the one before (a barrier).
 * Real-time: yes after placing.
 */
#ifndef WR_WAVE_STORE_H
#define WR_WAVE_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "subsystems/waves/wave.h"

typedef struct wr_wave_store wr_wave_store;

typedef struct wr_wave_store_options {
    int n_reader; /* >= 0; without any, the writer is never told to wait */
    int cap;      /* slots, >= 1: versions that can be held, the one being filled in included */
    int n_signal; /* of each wave, >= 0 */
    int cap_node; /* of each wave, >= 2 */
    int n_extra;  /* numbers beside each wave, >= 0 */
    int cap_difference; /* nodes of a second wave beside each, >= 0 */
} wr_wave_store_options;

/* What a version consists of. Its content is the caller's; the store never looks at it. */
typedef struct wr_wave_store_slot {
    wr_wave *wave;
    double *extra;       /* [n_extra] */
    wr_wave *difference; /* second wave; NULL if absent */
} wr_wave_store_slot;

/* Places a store that is reset to version 0; all belongs to the arena. NULL when that is exhausted, or for options out of
 * range. Set-up. */
wr_wave_store *wr_wave_store_place(wr_arena *arena, const wr_wave_store_options *options);

/* No version is held, the next one is `first` >= 0, and nobody needs any before it. Nobody else uses the store meanwhile,
 * and who does afterwards has met the caller (a barrier). */
void wr_wave_store_reset(wr_wave_store *store, int64_t first);

/* Writer: the slot of version `written`, to be filled in, with what it last held; NULL while a reader may still need that.
 * Without a publication in between it gives the same slot again. */
wr_wave_store_slot *wr_wave_store_begin(wr_wave_store *store);

/* Writer: what wr_wave_store_begin() gave is the next version. */
void wr_wave_store_publish(wr_wave_store *store);

/* Versions published so far, those before the first one included; the last is one less. Any thread: who reads versions
 * below it must have called this itself. It never goes back for one thread. */
int64_t wr_wave_store_written(const wr_wave_store *store);

/* Reader i: a version from released[i] up to below a wr_wave_store_written() that this reader has seen. It stays as it is until
 * this reader releases it. */
const wr_wave_store_slot *wr_wave_store_read(const wr_wave_store *store, int64_t version);

/* Reader i: it needs versions below `version` no more. Never less than before; it may be one not yet written. */
void wr_wave_store_release(wr_wave_store *store, int i_reader, int64_t version);

/* Asserts the invariants. Nobody else uses the store meanwhile. */
void wr_wave_store_check(const wr_wave_store *store);

#endif
