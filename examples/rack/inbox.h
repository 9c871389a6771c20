/* What becomes of each message that comes in: taken if it is new, else counted by what is wrong with it.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef RACK_INBOX_H
#define RACK_INBOX_H

#include "packet.h"

typedef struct rack_inbox {
    uint32_t session;
    uint64_t most; /* sequence that a message can have */
    int has_newest;
    uint64_t newest; /* sequence of the last one taken, if has_newest */
    int64_t n_taken;
    int64_t n_late;      /* sound, but older than one that was taken */
    int64_t n_duplicate; /* of the last one taken */
    int64_t
        n_foreign; /* of another session, a kind that is not for us, or a sequence that cannot be */
    int64_t n_malformed; /* of these: */
    int64_t n_wrong[RACK_VERDICTS];
} rack_inbox;

/* 1 and *ret_packet where the message is sound, of that kind and of this session, and newer than all before, but of no
 * sequence that has not been yet: all to come would be late. */
int rack_inbox_take(rack_inbox *inbox, rack_kind kind, const uint8_t *bytes, size_t n_bytes,
                    rack_packet *ret_packet);

#endif
