/* The controller in the plant's own process. See link.h. Thread: one owner. Real-time: yes. */
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "responder.h"

typedef struct local {
    rack_link link; /* first member: the functions cast rack_link * */
    rack_responder *responder;
    int has_reply;
    uint8_t reply[RACK_PACKET_BYTES];
} local;

static int send_local(rack_link *link, const uint8_t *bytes, size_t n_bytes)
{
    local *const l = (local *)link;
    uint8_t reply[RACK_PACKET_BYTES];
    if (rack_responder_answer(l->responder, bytes, n_bytes, rack_now_ns(), reply)) {
        memcpy(l->reply, reply, sizeof reply);
        l->has_reply = 1;
    }
    return 0;
}

static int receive_local(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns)
{
    local *const l = (local *)link;
    (void)wait_ns;
    if (!l->has_reply)
        return RACK_NOTHING;
    l->has_reply = 0;
    memcpy(ret_bytes, l->reply, sizeof l->reply);
    return RACK_PACKET_BYTES;
}

static void close_local(rack_link *link) { free(link); }

rack_link *rack_link_local(rack_responder *responder)
{
    local *const l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->link = (rack_link){.send = send_local, .receive = receive_local, .close = close_local};
    l->responder = responder;
    return &l->link;
}
