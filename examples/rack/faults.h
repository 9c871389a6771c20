/* Faults of a line, drawn from a seed: what a rack must survive, the same each time.
 *
 * A message is lost; kept back until the next sound one has passed (reordered); doubled; cut short; or replaced by random
 * bytes. What becomes of the n-th message depends on the seed and on n alone.
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
    double share;   /* of each kind, 0 to 0.2 */
    uint64_t state; /* of the generator; the seed at first */
    int64_t n_message, n_lost, n_reordered, n_duplicated, n_truncated, n_random;
    int has_kept;
    rack_message kept;
} rack_faults;

/* What comes out at the other end, in order: 0 to RACK_MOST_PASSED messages. *ret_is_sound: the one that went in is among
 * them, whole and in its place. */
int rack_faults_pass(rack_faults *faults, const uint8_t *bytes, size_t n_bytes,
                     rack_message ret_passed[RACK_MOST_PASSED], int *ret_is_sound);

#endif
