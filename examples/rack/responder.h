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
    uint32_t other_session;   /* session of the last measurement from another session */
    int n_other;              /* number of measurements of other_session in a row */
} rack_responder;

void rack_responder_init(rack_responder *responder, double setpoint_pa);

/* Handles a message. Returns 1 if the caller must send ret_reply. Only a new measurement gets an answer. After a restart of the plant the
 * first measurement begins a new session. If this packet is lost, the third received measurement in a row begins the session. */
int rack_responder_answer(rack_responder *responder, const uint8_t *bytes, size_t n_bytes,
                          uint8_t ret_reply[RACK_PACKET_BYTES]);

#endif
