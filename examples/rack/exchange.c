/* Sends measurements and receives commands. See exchange.h. Thread: one owner. Real-time: as in exchange.h. */
#include "exchange.h"

#include <string.h>

_Static_assert((int)RACK_PACKET_BYTES <= (int)RACK_MESSAGE_BYTES, "a link passes whole packets");

/* Ranges and safe values of the commands. */
#define RACK_RANGE(index, port, least, most, safe) {least, most, safe},
static const struct {
    double least, most, safe;
} ranges[] = {RACK_COMMANDED(RACK_RANGE)};

static void take_command(rack_exchange *x, const rack_packet *packet)
{
    for (int i = 0; i < RACK_N_COMMAND; i++) {
        const double command = packet->value[i];
        x->command[i] = command < ranges[i].least  ? ranges[i].least
                        : command > ranges[i].most ? ranges[i].most
                                                   : command;
        x->n_limited += x->command[i] < command || x->command[i] > command;
    }
}

static void use_safe_command(rack_exchange *x)
{
    for (int i = 0; i < RACK_N_COMMAND; i++)
        x->command[i] = ranges[i].safe;
}

/* Reads the received packets. Returns 1 if a packet is a command newer than the last command. An answer to the present step ends the wait
 * early; other packets do not extend the wait. */
static int take_commands(rack_exchange *x)
{
    /* largest number of packets per step (assumed), so that a flood of packets does not block the loop */
    enum { MOST = 256 };
    int has_new = 0, has_answer = 0;
    const int64_t until_ns = x->wait_ns > 0 ? rack_now_ns() + x->wait_ns : 0;
    x->inbox.most = (uint64_t)x->n_step;
    for (int i = 0; i < MOST && !x->is_refused; i++) {
        uint8_t bytes[RACK_MESSAGE_BYTES];
        rack_packet packet;
        const int is_waiting = x->wait_ns > 0 && !has_answer && !x->is_silent;
        const int64_t left_ns = is_waiting ? until_ns - rack_now_ns() : 0;
        const int n = x->link->receive(x->link, bytes, left_ns > 0 ? left_ns : 0);
        if (n == RACK_NOTHING)
            break;
        if (rack_inbox_take(&x->inbox, RACK_COMMAND, bytes, (size_t)n, &packet)) {
            take_command(x, &packet);
            has_new = 1;
            has_answer = packet.sequence >= (uint64_t)x->n_step;
        } else if (rack_packet_read(bytes, (size_t)n, &packet) == RACK_SOUND) {
            x->is_refused = packet.kind == RACK_BUSY && packet.session == x->inbox.session;
        }
    }
    return has_new;
}

const double *rack_exchange_step(rack_exchange *x, double time_s,
                                 const double value[RACK_N_MEASURED])
{
    rack_packet packet = {.kind = RACK_MEASUREMENT,
                          .session = x->inbox.session,
                          .sequence = (uint64_t)x->n_step,
                          .time_s = time_s};
    memcpy(packet.value, value, RACK_N_MEASURED * sizeof *value);
    uint8_t bytes[RACK_PACKET_BYTES];
    rack_packet_write(&packet, bytes);
    x->n_unsent += x->link->send(x->link, bytes, sizeof bytes) != 0;
    if (x->n_step == 0)
        use_safe_command(x);
    if (take_commands(x)) {
        x->n_silent = 0;
        x->is_silent = 0;
    } else {
        x->n_silent++;
        x->is_silent = x->n_silent >= x->safe_after;
        if (x->is_silent) {
            use_safe_command(x);
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
