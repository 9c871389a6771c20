/* Fuzz target of the packets of examples/rack. The reader refuses a packet, or the writer makes the same bytes from it. The responder
 * answers only with commands from 0 to 1, or refuses another session.
 *
 * If the first byte of the input is not 0, each packet gets the right magic, version and check sum, so that the reader passes these
 * checks. The packets follow, each after a byte with its length.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/rack/packet.h"
#include "examples/rack/responder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_packet: %s\n", what);
    abort();
}

/* CRC-32 by a table of half-bytes. The reader computes the sum in another way. */
static uint32_t check_sum(const uint8_t *bytes, size_t n)
{
    uint32_t table[16], crc = 0xffffffffu;
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++)
            table[i] = table[i] & 1u ? (table[i] >> 1) ^ 0xedb88320u : table[i] >> 1;
    }
    for (size_t i = 0; i < n; i++) {
        crc = (crc >> 4) ^ table[(crc ^ bytes[i]) & 15u];
        crc = (crc >> 4) ^ table[(crc ^ (bytes[i] >> 4)) & 15u];
    }
    return ~crc;
}

static void dress(uint8_t *bytes)
{
    static const uint8_t head[6] = {'R', 'A', 'C', 'K', 1, 0};
    memcpy(bytes, head, sizeof head);
    bytes[7] = 0;
    memset(bytes + 12, 0, 4);
    const uint32_t crc = check_sum(bytes, RACK_PACKET_BYTES);
    for (int i = 0; i < 4; i++)
        bytes[12 + i] = (uint8_t)(crc >> (8 * i));
}

static void check_packet(const uint8_t *bytes, size_t n, int is_dressed)
{
    rack_packet packet = {.session = 77};
    const rack_verdict verdict = rack_packet_read(bytes, n, &packet);
    if (verdict != RACK_SOUND) {
        require(packet.session == 77, "a refused packet was set");
        require(n == RACK_PACKET_BYTES ? verdict != RACK_BAD_SIZE : verdict == RACK_BAD_SIZE,
                "a length is taken for another");
        require(!is_dressed || verdict == RACK_BAD_KIND || verdict == RACK_BAD_VALUE,
                "magic, version or check sum are refused though they are right");
        return;
    }
    uint8_t again[RACK_PACKET_BYTES];
    rack_packet_write(&packet, again);
    require(memcmp(again, bytes, sizeof again) == 0, "what was read is written otherwise");
}

static void check_answer(rack_responder *responder, const uint8_t *bytes, size_t n, int64_t now_ns)
{
    uint8_t reply[RACK_PACKET_BYTES];
    rack_packet packet;
    if (!rack_responder_answer(responder, bytes, n, now_ns, reply))
        return;
    require(rack_packet_read(reply, sizeof reply, &packet) == RACK_SOUND &&
                (packet.kind == RACK_COMMAND || packet.kind == RACK_BUSY),
            "an answer is neither a command nor a refusal");
    require(packet.value[RACK_WASTEGATE] >= 0.0 && packet.value[RACK_WASTEGATE] <= 1.0,
            "a command is out of its range");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static const double SETPOINT_PA = 150e3;
    rack_responder responder;
    rack_responder_init(&responder, SETPOINT_PA);
    const int may_dress = n_bytes > 0 && data[0] != 0;
    int64_t n_packet = 0; /* sessions change after 5 packets of other plants */
    for (size_t at = 1; at < n_bytes;) {
        const size_t left = n_bytes - at - 1;
        const size_t n = data[at] < left ? data[at] : left;
        uint8_t *const bytes = malloc(n ? n : 1); /* as large as the packet: ASan finds overruns */
        require(bytes != NULL, "no memory");
        memcpy(bytes, data + at + 1, n);
        const int is_dressed = may_dress && n == RACK_PACKET_BYTES;
        if (is_dressed)
            dress(bytes);
        check_packet(bytes, n, is_dressed);
        check_answer(&responder, bytes, n, n_packet * RACK_RELEASE_NS / 5);
        free(bytes);
        at += 1 + n;
        n_packet++;
    }
    const rack_inbox *const in = &responder.inbox;
    require(in->n_taken + in->n_late + in->n_duplicate + in->n_malformed + in->n_foreign <=
                n_packet,
            "more is counted than came in");
    return 0;
}
