/* Packets of a fixed layout, which plant and controller exchange by UDP or shared memory.
 *
 *     offset  bytes  field      all little-endian
 *          0      4  magic      0x4b434152, the letters RACK
 *          4      2  version    1
 *          6      2  kind       1 measurement, 2 command, 3 end, 4 busy: the controller serves another plant
 *          8      4  session    number of a run of the plant, very probably different from earlier runs
 *         12      4  check sum  CRC-32 (IEEE 802.3) of all bytes, with 0 for these four bytes
 *         16      8  sequence   step of the loop; a command repeats the step of its measurement
 *         24      8  time       simulated time of the measurement, s; IEEE 754 double
 *         32     8n  value      n = RACK_VALUES doubles, in the order of the rows of signals.h; values without a row are 0
 *
 * rack_packet_read() accepts only a whole valid packet, and returns the defect of any other message.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef RACK_PACKET_H
#define RACK_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "signals.h"

enum { RACK_PACKET_BYTES = 32 + 8 * RACK_VALUES };

typedef enum rack_kind {
    RACK_MEASUREMENT = 1,
    RACK_COMMAND = 2,
    RACK_END = 3,
    RACK_BUSY = 4
} rack_kind;

typedef struct rack_packet {
    rack_kind kind;
    uint32_t session;
    uint64_t sequence;
    double time_s;
    double value[RACK_VALUES];
} rack_packet;

typedef enum rack_verdict {
    RACK_SOUND,
    RACK_BAD_SIZE,
    RACK_BAD_MAGIC,
    RACK_BAD_VERSION,
    RACK_BAD_CHECK_SUM,
    RACK_BAD_KIND,
    RACK_BAD_VALUE, /* the time or a value is NaN or infinite */
    RACK_VERDICTS
} rack_verdict;

void rack_packet_write(const rack_packet *packet, uint8_t ret_bytes[RACK_PACKET_BYTES]);

/* Reads n_bytes bytes of received data. Sets *ret_packet only if the bytes are a valid packet. Returns the verdict. */
rack_verdict rack_packet_read(const uint8_t *bytes, size_t n_bytes, rack_packet *ret_packet);

#endif
