/* Tests the plant's side of the exchange of examples/rack, with invalid answers on the line. */
#include "wr_test.h"

#include <time.h>

#include "examples/rack/exchange.h"

enum { SESSION = 7 };
static const int64_t PAUSE_NS = 5000000;

/* The simulated line: its answer, the answers left, and the number of reads in one step. */
static struct {
    rack_packet packet;
    int is_malformed, n_left, n_asked;
} line;

static int send_line(rack_link *link, const uint8_t *bytes, size_t n_bytes)
{
    line.n_asked = 0;
    return 0;
}

static int receive_line(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns)
{
    line.n_asked++;
    if (line.n_left == 0 || (wait_ns == 0 && line.is_malformed))
        return RACK_NOTHING;
    line.n_left--;
    if (line.is_malformed) { /* each wrong packet arrives after a quarter of the time limit */
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    rack_packet_write(&line.packet, ret_bytes);
    return RACK_PACKET_BYTES - line.is_malformed;
}

static rack_link answers = {.send = send_line, .receive = receive_line};
static const double shown[RACK_VALUES];

static rack_exchange exchange(int64_t wait_ns)
{
    return (rack_exchange){.link = &answers,
                           .wait_ns = wait_ns,
                           .safe_after = 100,
                           .safe_command = 1.0,
                           .inbox.session = SESSION};
}

static void say(uint64_t sequence, double command)
{
    line.n_left = 1;
    line.packet = (rack_packet){.kind = RACK_COMMAND, .session = SESSION, .sequence = sequence};
    line.packet.value[RACK_WASTEGATE] = command;
}

/* A line that repeats wrong packets delays the plant no longer than a silent line. */
TEST(babble_does_not_prolong_the_wait)
{
    rack_exchange x = exchange(4 * PAUSE_NS);
    say(0, 0.5);
    line.is_malformed = 1;
    line.n_left = 1000;
    rack_exchange_step(&x, 0.0, shown);
    assert_true(line.n_asked <= 6);
    assert_true(x.inbox.n_malformed >= 1);
    line.is_malformed = 0;
}

/* A command for a future step is invalid and does not make later commands late. */
TEST(answer_from_the_future)
{
    rack_exchange x = exchange(0);
    say(0, 0.25);
    assert_close(rack_exchange_step(&x, 0.0, shown), 0.25, 0.0, 0.0);
    say(UINT64_MAX, 0.75);
    assert_close(rack_exchange_step(&x, 0.1, shown), 0.25, 0.0, 0.0);
    say(2, 0.5);
    assert_close(rack_exchange_step(&x, 0.2, shown), 0.5, 0.0, 0.0);
    assert_int_equal(x.inbox.n_foreign, 1);
    assert_int_equal(x.inbox.n_late, 0);
}
