/* The controller's side of the exchange: makes at most one answer to each received message. A controller in the plant's process and a
 * controller in its own process use this code.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef RACK_RESPONDER_H
#define RACK_RESPONDER_H

#include "boost_control.h"
#include "inbox.h"

typedef struct rack_responder {
    rack_inbox inbox;
    rack_boost_control control;
    double setpoint_pa;
    int has_session, is_over; /* is_over: the plant has sent the end */
    int64_t newest_ns;        /* wall time of the last accepted measurement */
    int64_t n_refused;        /* number of measurements of other plants, answered with RACK_BUSY */
} rack_responder;

void rack_responder_init(rack_responder *responder, double setpoint_pa);

/* Wall time without a new measurement after which another plant may begin a session, ns (assumed: longer than any step). */
static const int64_t RACK_RELEASE_NS = 2000000000;

/* Handles a message that arrives at the wall time now_ns. Returns 1 if the caller must send ret_reply. A new measurement of the present
 * session gets a command. A measurement of another session begins a session after RACK_RELEASE_NS without a new measurement, and gets
 * RACK_BUSY before. */
int rack_responder_answer(rack_responder *responder, const uint8_t *bytes, size_t n_bytes,
                          int64_t now_ns, uint8_t ret_reply[RACK_PACKET_BYTES]);

#endif
