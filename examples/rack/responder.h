/* The controller's side of the exchange: a message comes in, an answer goes out, or none. The same for a controller in the
 * plant's process and in one of its own.
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
    int has_session, is_over; /* the plant has said that it ends */
    uint32_t other_session;   /* of the last measurement that was not of this session, ... */
    int n_other;              /* ... and how many came in a row */
} rack_responder;

void rack_responder_init(rack_responder *responder, double setpoint_pa);

/* 1 where ret_reply is to be sent. What is no new measurement gets no answer. Another session begins anew, as the plant was
 * started again: with its first measurement, or where that was lost the third in a row. */
int rack_responder_answer(rack_responder *responder, const uint8_t *bytes, size_t n_bytes,
                          uint8_t ret_reply[RACK_PACKET_BYTES]);

#endif
