/* Receives measurements and returns commands. See responder.h. Thread: one owner. Real-time: yes. */
#include "responder.h"

void rack_responder_init(rack_responder *responder, double setpoint_pa)
{
    *responder = (rack_responder){.setpoint_pa = setpoint_pa, .inbox.most = UINT64_MAX};
    rack_boost_control_init(&responder->control, setpoint_pa);
}

/* Returns 1 if the packet begins a new session. A single packet of another session begins a session only with sequence 0. */
static int is_new_session(rack_responder *r, const rack_packet *packet)
{
    enum { SURE = 3 };
    if (packet->kind != RACK_MEASUREMENT)
        return 0;
    if (!r->has_session)
        return 1;
    if (packet->session == r->inbox.session) {
        r->n_other = 0;
        return 0;
    }
    r->n_other = packet->session == r->other_session ? r->n_other + 1 : 1;
    r->other_session = packet->session;
    return packet->sequence == 0 || r->n_other >= SURE;
}

/* Begins a new session, or sets is_over, if the packet requires a change. Counters continue from one session to the next. */
static void follow_session(rack_responder *r, const uint8_t *bytes, size_t n_bytes)
{
    rack_packet packet;
    if (rack_packet_read(bytes, n_bytes, &packet) != RACK_SOUND)
        return;
    if (is_new_session(r, &packet)) {
        r->has_session = 1;
        r->n_other = 0;
        r->inbox.session = packet.session;
        r->inbox.has_newest = 0;
        rack_boost_control_init(&r->control, r->setpoint_pa);
    }
    if (r->has_session && packet.kind == RACK_END && packet.session == r->inbox.session)
        r->is_over = 1;
}

int rack_responder_answer(rack_responder *r, const uint8_t *bytes, size_t n_bytes,
                          uint8_t ret_reply[RACK_PACKET_BYTES])
{
    follow_session(r, bytes, n_bytes);
    if (r->is_over)
        return 0;
    const uint64_t before = r->inbox.newest;
    const int is_first = !r->inbox.has_newest;
    rack_packet packet;
    if (!rack_inbox_take(&r->inbox, RACK_MEASUREMENT, bytes, n_bytes, &packet))
        return 0;
    const uint64_t n_step = is_first ? 1 : packet.sequence - before;
    rack_packet reply = {.kind = RACK_COMMAND,
                         .session = packet.session,
                         .sequence = packet.sequence,
                         .time_s = packet.time_s};
    reply.value[RACK_WASTEGATE] =
        rack_boost_control_step(&r->control, packet.value[RACK_P_IM], n_step);
    rack_packet_write(&reply, ret_reply);
    return 1;
}
