/* Sends measurements and receives commands. See exchange.h. Thread: one owner. Real-time: as in exchange.h. */
#include "exchange.h"

/* Reads the received packets. Returns 1 if a packet is a command newer than the last command. An answer to the present step ends the wait
 * early; other packets do not extend the wait. */
static int take_commands(rack_exchange *x)
{
    /* largest number of packets per step (assumed), so that a flood of packets does not block the loop */
    enum { MOST = 256 };
    int has_new = 0, has_answer = 0;
    const int64_t until_ns = x->wait_ns > 0 ? rack_now_ns() + x->wait_ns : 0;
    x->inbox.most = (uint64_t)x->n_step;
    for (int i = 0; i < MOST; i++) {
        uint8_t bytes[RACK_MESSAGE_BYTES];
        rack_packet packet;
        const int is_waiting = x->wait_ns > 0 && !has_answer && !x->is_silent;
        const int64_t left_ns = is_waiting ? until_ns - rack_now_ns() : 0;
        const int n = x->link->receive(x->link, bytes, left_ns > 0 ? left_ns : 0);
        if (n == RACK_NOTHING)
            break;
        if (!rack_inbox_take(&x->inbox, RACK_COMMAND, bytes, (size_t)n, &packet))
            continue;
        const double command = packet.value[RACK_WASTEGATE];
        const double limited = command < 0.0 ? 0.0 : command > 1.0 ? 1.0 : command;
        x->n_limited += limited < command || limited > command;
        x->command = limited;
        has_new = 1;
        has_answer = packet.sequence >= (uint64_t)x->n_step;
    }
    return has_new;
}

double rack_exchange_step(rack_exchange *x, double time_s, const double value[RACK_VALUES])
{
    rack_packet packet = {.kind = RACK_MEASUREMENT,
                          .session = x->inbox.session,
                          .sequence = (uint64_t)x->n_step,
                          .time_s = time_s};
    for (int i = 0; i < RACK_VALUES; i++)
        packet.value[i] = value[i];
    uint8_t bytes[RACK_PACKET_BYTES];
    rack_packet_write(&packet, bytes);
    x->n_unsent += x->link->send(x->link, bytes, sizeof bytes) != 0;
    if (take_commands(x)) {
        x->n_silent = 0;
        x->is_silent = 0;
    } else {
        x->n_silent++;
        x->is_silent = x->n_silent >= x->safe_after;
        if (x->is_silent) {
            x->command = x->safe_command;
            x->n_safe++;
        } else {
            x->n_held++;
        }
    }
    x->n_step++;
    return x->command;
}

void rack_exchange_end(const rack_exchange *x, rack_link *link)
{
    enum { TIMES = 3 };
    const rack_packet packet = {
        .kind = RACK_END, .session = x->inbox.session, .sequence = (uint64_t)x->n_step};
    uint8_t bytes[RACK_PACKET_BYTES];
    rack_packet_write(&packet, bytes);
    for (int i = 0; i < TIMES; i++)
        (void)link->send(link, bytes, sizeof bytes);
}
