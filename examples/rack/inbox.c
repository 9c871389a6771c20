/* Classifies received messages. See inbox.h. Thread: one owner. Real-time: yes. */
#include "inbox.h"

int rack_inbox_take(rack_inbox *inbox, rack_kind kind, const uint8_t *bytes, size_t n_bytes,
                    rack_packet *ret_packet)
{
    rack_packet packet;
    const rack_verdict verdict = rack_packet_read(bytes, n_bytes, &packet);
    if (verdict != RACK_SOUND) {
        inbox->n_malformed++;
        inbox->n_wrong[verdict]++;
        return 0;
    }
    if (packet.kind != kind || packet.session != inbox->session || packet.sequence > inbox->most) {
        inbox->n_foreign++;
        return 0;
    }
    if (inbox->has_newest && packet.sequence <= inbox->newest) {
        *(packet.sequence == inbox->newest ? &inbox->n_duplicate : &inbox->n_late) += 1;
        return 0;
    }
    inbox->has_newest = 1;
    inbox->newest = packet.sequence;
    inbox->n_taken++;
    *ret_packet = packet;
    return 1;
}
