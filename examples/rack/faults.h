/* Faults of a link, drawn from a seed, so that runs with equal seeds have equal faults.
 *
 * A fault loses, delays (reorders), duplicates or truncates a message, or replaces the message by random bytes. A delayed message follows
 * the next unchanged or duplicated message. The fault of a message depends only on `share`, the seed, and the number and sizes of the
 * messages up to this message.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef RACK_FAULTS_H
#define RACK_FAULTS_H

#include "link.h"

typedef struct rack_message {
    size_t n_bytes;
    uint8_t bytes[RACK_MESSAGE_BYTES];
} rack_message;

enum { RACK_MOST_PASSED = 3 };

typedef struct rack_faults {
    double share;   /* probability of each kind of fault, 0 to 0.2 */
    uint64_t state; /* state of the generator; initially the seed */
    int64_t n_message, n_lost, n_reordered, n_duplicated, n_truncated, n_random;
    int has_kept;
    rack_message kept;
} rack_faults;

/* Writes the messages that arrive at the other end, in order. Returns the number of these messages, 0 to RACK_MOST_PASSED. *ret_is_sound is
 * 1 if the messages include the input message, unchanged and in order. */
int rack_faults_pass(rack_faults *faults, const uint8_t *bytes, size_t n_bytes,
                     rack_message ret_passed[RACK_MOST_PASSED], int *ret_is_sound);

#endif
