/* Publication store: the last waves of one producer. Readers and producer never wait for one another.
 *
 * The store is a ring buffer of cap slots with one writer and several readers. Version v, the producer's publication number v from 0, is in
 * slot v mod cap until every reader has released v. The store is Lamport's bounded queue (1983, "Specifying concurrent program modules"),
 * as base/ring.h, but with a counter of releases for each reader. A reader may read its unreleased versions in any order, any number of
 * times.
 *
 *     written       versions published so far; the writer stores it (release), readers load it (acquire)
 *     released[i]   reader i has released all lower versions; reader i stores it (release), the writer loads it (acquire)
 *
 * Invariants, at any instant:
 *     1. written <= released[i] + cap for every i.
 *     2. The writer fills in version `written` only; its slot held version written - cap, if any.
 *     3. A reader reads versions from released[i] up to below a `written` that it has loaded.
 * So no slot is read while it is written, and a reader gets the requested version v:
 *     - Write before read: the writer stores `written` after it has filled in the slot, and the reader reads after it has
 *       loaded that value or a later one. Release and acquire on `written` order the two.
 *     - Read before the next write of the slot: the reader stores released[i] > v after its last read of v. The writer begins
 *       version v + cap after it has loaded such a value from every reader. Release and acquire on released[i] order both.
 *     - Versions in one slot are cap apart. Between the publication of v and its release by reader i the writer begins fewer
 *       than cap versions, so the slot holds v.
 * The writer caches the smallest loaded `released`; a reader may cache `written`. A cached counter may be too small, which only
 * delays a version or a slot.
 * tests/model explores all executions of this source under C11's release and acquire, within bounds.
 *
 * Each call is wait-free: its only loop is over the readers. Each counter has its own cache line.
 *
 * Thread: one writer; reader i is one thread at a time. A barrier must lie between two threads in the same role.
 * Real-time: yes after placing.
 */
#ifndef WR_WAVE_STORE_H
#define WR_WAVE_STORE_H

#include <stdint.h>

#include "base/arena.h"
#include "subsystems/waves/wave.h"

typedef struct wr_wave_store wr_wave_store;

typedef struct wr_wave_store_options {
    int n_reader; /* number of readers, >= 0; with 0 a slot is always free */
    /* number of slots, >= 1: for unreleased versions, and for the version being filled in */
    int cap;
    int n_signal; /* number of signals of each wave, >= 0 */
    int cap_node; /* largest number of nodes of each wave, >= 2 */
    int n_extra;  /* number of doubles beside each wave, >= 0 */
    /* largest number of nodes of a second wave beside each wave; 0: no second wave */
    int cap_difference;
} wr_wave_store_options;

/* A version. The caller owns the content; the store never reads it. */
typedef struct wr_wave_store_slot {
    wr_wave *wave;
    double *extra;       /* [n_extra] */
    wr_wave *difference; /* second wave; NULL if absent */
} wr_wave_store_slot;

/* Places a store, reset to version 0, at setup. Returns NULL when the arena is exhausted, or an option is out of range. */
wr_wave_store *wr_wave_store_place(wr_arena *arena, const wr_wave_store_options *options);

/* Releases all versions; the next version is `first` >= 0. No other thread uses the store during the call, and a barrier lies
 * between the call and later uses by other threads. */
void wr_wave_store_reset(wr_wave_store *store, int64_t first);

/* Writer: returns the slot for version `written`, with the content of an old version. Returns NULL while a reader may need the old version.
 * Repeated calls return the same slot until the version is published. */
wr_wave_store_slot *wr_wave_store_begin(wr_wave_store *store);

/* Writer: publishes the slot of wr_wave_store_begin() as the next version. */
void wr_wave_store_publish(wr_wave_store *store);

/* Any thread: returns the number of versions published so far, from version 0. A thread may read versions below a result of
 * this call. Successive results in one thread never decrease. */
int64_t wr_wave_store_written(const wr_wave_store *store);

/* Reader i: returns a version >= released[i] and below a result of wr_wave_store_written() in this thread. The version is constant
 * until this reader releases it. */
const wr_wave_store_slot *wr_wave_store_read(const wr_wave_store *store, int64_t version);

/* Reader i: releases all versions below `version`. `version` never decreases, and may exceed the published versions. */
void wr_wave_store_release(wr_wave_store *store, int i_reader, int64_t version);

/* Asserts invariant 1. No other thread uses the store during the call. */
void wr_wave_store_check(const wr_wave_store *store);

#endif
