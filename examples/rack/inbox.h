/* Classifies received messages: accepts new messages, and counts all other messages by defect. Thread: one owner. Real-time: yes. */
#ifndef RACK_INBOX_H
#define RACK_INBOX_H

#include "packet.h"

typedef struct rack_inbox {
    uint32_t session;
    uint64_t most; /* largest valid sequence of a message */
    int has_newest;
    uint64_t newest; /* if has_newest: sequence of the last accepted message */
    int64_t n_taken;
    int64_t n_late;      /* valid messages, but older than an accepted message */
    int64_t n_duplicate; /* messages with the sequence of the last accepted message */
    int64_t n_foreign;   /* messages of another session or kind, or with an impossible sequence */
    int64_t n_malformed; /* damaged messages */
    int64_t n_wrong[RACK_VERDICTS]; /* n_malformed by verdict */
} rack_inbox;

/* Returns 1 and sets *ret_packet if the message is undamaged, of this kind and session, and newer than all accepted messages. Refuses a
 * sequence above inbox->most, because after such a sequence all later messages would count as late. */
int rack_inbox_take(rack_inbox *inbox, rack_kind kind, const uint8_t *bytes, size_t n_bytes,
                    rack_packet *ret_packet);

#endif
