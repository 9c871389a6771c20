/* Packets as bytes. See packet.h. Shifts compose the bytes, so the layout does not depend on byte order and padding of the machine.
 *
 * Thread: any. Real-time: yes.
 */
#include "packet.h"

#include <math.h>
#include <string.h>

static const uint32_t MAGIC = 0x4b434152u;

enum {
    VERSION = 1,
    AT_MAGIC = 0,
    AT_VERSION = 4,
    AT_KIND = 6,
    AT_SESSION = 8,
    AT_CHECK_SUM = 12,
    AT_SEQUENCE = 16,
    AT_TIME = 24,
    AT_VALUE = 32
};
_Static_assert(AT_VALUE + 8 * RACK_VALUES == RACK_PACKET_BYTES, "the layout ends with the values");

static void put(uint8_t *to, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *from, int n_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, bits, 8);
}

static double get_double(const uint8_t *from)
{
    const uint64_t bits = get(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the CRC-32 of IEEE 802.3 of a packet, computed bit by bit. The bytes of the check sum count as 0. */
static uint32_t check_sum(const uint8_t *bytes)
{
    static const uint32_t POLYNOMIAL = 0xedb88320u;
    uint32_t crc = 0xffffffffu;
    for (int i = 0; i < RACK_PACKET_BYTES; i++) {
        crc ^= i >= AT_CHECK_SUM && i < AT_CHECK_SUM + 4 ? 0u : bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1u ? POLYNOMIAL : 0u);
    }
    return ~crc;
}

void rack_packet_write(const rack_packet *packet, uint8_t ret_bytes[RACK_PACKET_BYTES])
{
    put(ret_bytes + AT_MAGIC, MAGIC, 4);
    put(ret_bytes + AT_VERSION, VERSION, 2);
    put(ret_bytes + AT_KIND, (uint64_t)packet->kind, 2);
    put(ret_bytes + AT_SESSION, packet->session, 4);
    put(ret_bytes + AT_SEQUENCE, packet->sequence, 8);
    put_double(ret_bytes + AT_TIME, packet->time_s);
    for (int i = 0; i < RACK_VALUES; i++)
        put_double(ret_bytes + AT_VALUE + 8 * i, packet->value[i]);
    put(ret_bytes + AT_CHECK_SUM, check_sum(ret_bytes), 4);
}

rack_verdict rack_packet_read(const uint8_t *bytes, size_t n_bytes, rack_packet *ret_packet)
{
    if (n_bytes != RACK_PACKET_BYTES)
        return RACK_BAD_SIZE;
    if (get(bytes + AT_MAGIC, 4) != MAGIC)
        return RACK_BAD_MAGIC;
    if (get(bytes + AT_VERSION, 2) != VERSION)
        return RACK_BAD_VERSION;
    if (get(bytes + AT_CHECK_SUM, 4) != check_sum(bytes))
        return RACK_BAD_CHECK_SUM;
    const uint64_t kind = get(bytes + AT_KIND, 2);
    if (kind < RACK_MEASUREMENT || kind > RACK_BUSY)
        return RACK_BAD_KIND;
    rack_packet packet = {.kind = (rack_kind)kind,
                          .session = (uint32_t)get(bytes + AT_SESSION, 4),
                          .sequence = get(bytes + AT_SEQUENCE, 8),
                          .time_s = get_double(bytes + AT_TIME)};
    int is_finite = isfinite(packet.time_s);
    for (int i = 0; i < RACK_VALUES; i++) {
        packet.value[i] = get_double(bytes + AT_VALUE + 8 * i);
        is_finite = is_finite && isfinite(packet.value[i]);
    }
    if (!is_finite)
        return RACK_BAD_VALUE;
    *ret_packet = packet;
    return RACK_SOUND;
}
