/* Receives measurements and returns commands. See responder.h. Thread: one owner. Real-time: yes. */
#include "responder.h"

void rack_responder_init(rack_responder *responder, double setpoint_pa)
{
    *responder = (rack_responder){.setpoint_pa = setpoint_pa, .inbox.most = UINT64_MAX};
    rack_boost_control_init(&responder->control, setpoint_pa);
}

/* Begins a session. Counters continue from one session to the next. */
static void begin_session(rack_responder *r, uint32_t session)
{
    r->has_session = 1;
    r->inbox.session = session;
    r->inbox.has_newest = 0;
    rack_boost_control_init(&r->control, r->setpoint_pa);
}

int rack_responder_answer(rack_responder *r, const uint8_t *bytes, size_t n_bytes, int64_t now_ns,
                          uint8_t ret_reply[RACK_PACKET_BYTES])
{
    rack_packet packet = {0};
    (void)rack_packet_read(bytes, n_bytes, &packet);
    const int is_measurement = packet.kind == RACK_MEASUREMENT;
    if (is_measurement && (!r->has_session || (packet.session != r->inbox.session &&
                                               now_ns - r->newest_ns > RACK_RELEASE_NS)))
        begin_session(r, packet.session);
    const int is_other = packet.session != r->inbox.session;
    if (r->has_session && packet.kind == RACK_END && !is_other)
        r->is_over = 1;
    if (r->is_over)
        return 0;
    const uint64_t before = r->inbox.newest;
    const int is_first = !r->inbox.has_newest;
    const int is_taken = rack_inbox_take(&r->inbox, RACK_MEASUREMENT, bytes, n_bytes, &packet);
    if (!is_taken && !(is_measurement && is_other))
        return 0;
    rack_packet reply = {.kind = is_taken ? RACK_COMMAND : RACK_BUSY,
                         .session = packet.session,
                         .sequence = packet.sequence,
                         .time_s = packet.time_s};
    if (is_taken) {
        r->newest_ns = now_ns;
        rack_boost_control_step(&r->control, packet.value, is_first ? 1 : packet.sequence - before,
                                reply.value);
    } else {
        r->n_refused++;
    }
    rack_packet_write(&reply, ret_reply);
    return 1;
}
