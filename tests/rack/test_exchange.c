/* Tests both sides of the exchange of examples/rack: invalid answers on the line, and a second plant at a controller. */
#include "wr_test.h"

#include <time.h>

#include "examples/rack/exchange.h"
#include "examples/rack/responder.h"

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
    return (rack_exchange){
        .link = &answers, .wait_ns = wait_ns, .safe_after = 100, .inbox.session = SESSION};
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
    assert_close(*rack_exchange_step(&x, 0.0, shown), 0.25, 0.0, 0.0);
    say(UINT64_MAX, 0.75);
    assert_close(*rack_exchange_step(&x, 0.1, shown), 0.25, 0.0, 0.0);
    say(2, 0.5);
    assert_close(*rack_exchange_step(&x, 0.2, shown), 0.5, 0.0, 0.0);
    assert_int_equal(x.inbox.n_foreign, 1);
    assert_int_equal(x.inbox.n_late, 0);
}

/* Before the first command and after safe_after silent steps, the plant uses the safe command. */
TEST(silence_is_safe)
{
    rack_exchange x = exchange(0);
    x.safe_after = 2;
    assert_close(*rack_exchange_step(&x, 0.0, shown), 1.0, 0.0, 0.0);
    say(1, 0.25);
    assert_close(*rack_exchange_step(&x, 0.1, shown), 0.25, 0.0, 0.0);
    assert_close(*rack_exchange_step(&x, 0.2, shown), 0.25, 0.0, 0.0);
    assert_close(*rack_exchange_step(&x, 0.3, shown), 1.0, 0.0, 0.0);
    assert_int_equal(x.is_silent && x.n_held == 2 && x.n_safe == 1, 1);
}

/* The plant takes the refusal of its own session only. */
TEST(busy_controller)
{
    rack_exchange x = exchange(0);
    for (uint32_t session = SESSION + 1; session >= SESSION; session--) {
        say(0, 0.0);
        line.packet.kind = RACK_BUSY;
        line.packet.session = session;
        rack_exchange_step(&x, 0.0, shown);
        assert_int_equal(x.is_refused, session == SESSION);
    }
    assert_int_equal(x.inbox.n_taken, 0);
}

/* Returns the kind of the responder's answer to a measurement; 0: no answer. */
static int ask(rack_responder *r, uint32_t session, uint64_t sequence, int64_t now_ns)
{
    uint8_t bytes[RACK_PACKET_BYTES], reply[RACK_PACKET_BYTES];
    rack_packet packet = {.kind = RACK_MEASUREMENT, .session = session, .sequence = sequence};
    rack_packet_write(&packet, bytes);
    if (!rack_responder_answer(r, bytes, sizeof bytes, now_ns, reply))
        return 0;
    assert_int_equal(rack_packet_read(reply, sizeof reply, &packet), RACK_SOUND);
    assert_true(packet.session == session && packet.sequence == sequence);
    return (int)packet.kind;
}

/* A controller serves one plant. A second plant gets refusals until the first plant is silent for RACK_RELEASE_NS. Then the controller
 * serves the second plant and refuses the first plant. */
TEST(second_plant)
{
    rack_responder r;
    rack_responder_init(&r, 150e3);
    assert_int_equal(ask(&r, SESSION, 0, 0), RACK_COMMAND);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(ask(&r, SESSION + 1, i, RACK_RELEASE_NS), RACK_BUSY);
    assert_int_equal(ask(&r, SESSION, 1, RACK_RELEASE_NS), RACK_COMMAND);
    assert_int_equal(ask(&r, SESSION, 1, 2 * RACK_RELEASE_NS), 0); /* a duplicate */
    assert_int_equal(ask(&r, SESSION + 1, 7, 2 * RACK_RELEASE_NS + 1), RACK_COMMAND);
    assert_int_equal(ask(&r, SESSION, 2, 2 * RACK_RELEASE_NS + 2), RACK_BUSY);
    assert_int_equal(r.n_refused, 6);
    assert_int_equal(r.inbox.n_taken, 3);
}
