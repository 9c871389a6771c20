/* A cursor over the state of a run. See state_io.h.
 *
 * The check sum is the CRC-32 of IEEE 802.3, 3.2.9, computed four bits at a time (R. Williams, "A painless guide to CRC error
 * detection algorithms", 1993, section 9). The check sum finds every error of up to 32 bits in a row.
 *
 * Thread: one owner. Real-time: yes.
 */
#include "base/state_io.h"

#include <string.h>

#include "base/check.h"

/* Head of a section. */
typedef struct head {
    char name[WR_STATE_NAME];
    int64_t number;
    uint64_t n_bytes;
    uint64_t sum; /* check sum of the members above and of the section's bytes */
} head;

_Static_assert(sizeof(head) == 32, "no padding");

uint32_t wr_state_sum(uint32_t before, const void *data, size_t n_bytes)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *at = data;
    uint32_t sum = ~before;
    for (; n_bytes > 0; n_bytes--, at++) {
        sum ^= *at;
        sum = (sum >> 4) ^ table[sum & 15];
        sum = (sum >> 4) ^ table[sum & 15];
    }
    return ~sum;
}

wr_state_io wr_state_measure(void) { return (wr_state_io){.mode = WR_STATE_MEASURE}; }

wr_state_io wr_state_writer(void *to, size_t cap_bytes, int has_sums)
{
    return (wr_state_io){
        .mode = WR_STATE_WRITE, .to = to, .cap_bytes = cap_bytes, .has_sums = has_sums};
}

wr_state_io wr_state_reader(const void *from, size_t n_bytes, int has_sums, int is_check)
{
    return (wr_state_io){.mode = is_check ? WR_STATE_CHECK : WR_STATE_READ,
                         .from = from,
                         .cap_bytes = n_bytes,
                         .end = n_bytes,
                         .has_sums = has_sums};
}

static int is_reader(const wr_state_io *io)
{
    return io->mode == WR_STATE_CHECK || io->mode == WR_STATE_READ;
}

/* Stores the first fault. */
static void fail(wr_state_io *io, wr_state_fault fault)
{
    if (io->fault == WR_STATE_SOUND)
        io->fault = fault;
}

/* Advances the cursor by n_bytes and writes the old position to *ret_at. Returns 1, or 0 after a fault or if fewer than n_bytes bytes
 * remain. */
static int take(wr_state_io *io, size_t n_bytes, size_t *ret_at)
{
    const size_t end = is_reader(io) ? io->end : io->cap_bytes;
    *ret_at = io->n_bytes;
    if (io->fault != WR_STATE_SOUND)
        return 0;
    if (io->mode != WR_STATE_MEASURE && n_bytes > end - io->n_bytes) {
        fail(io, WR_STATE_SHORT);
        return 0;
    }
    io->n_bytes += n_bytes;
    return 1;
}

void wr_state_bytes(wr_state_io *io, void *data, size_t n_bytes)
{
    size_t at;
    if (!take(io, n_bytes, &at) || n_bytes == 0)
        return;
    if (io->mode == WR_STATE_WRITE)
        memcpy(io->to + at, data, n_bytes);
    if (io->mode == WR_STATE_READ)
        memcpy(data, io->from + at, n_bytes);
}

int wr_state_place(wr_state_io *io, size_t n_bytes, size_t *ret_at)
{
    return take(io, n_bytes, ret_at);
}

void wr_state_refuse(wr_state_io *io, const char *owner, const char *reason)
{
    if (io->fault == WR_STATE_SOUND) {
        io->refused_by = owner;
        io->refused_for = reason;
    }
    fail(io, WR_STATE_REFUSED);
}

int64_t wr_state_count(wr_state_io *io, int64_t value, int64_t most)
{
    size_t at;
    WR_ASSERT(io->mode != WR_STATE_WRITE || (value >= 0 && value <= most));
    if (io->mode == WR_STATE_MEASURE) {
        take(io, sizeof value, &at);
        return most;
    }
    if (!take(io, sizeof value, &at))
        return 0;
    if (io->mode == WR_STATE_WRITE) {
        memcpy(io->to + at, &value, sizeof value);
        return value;
    }
    memcpy(&value, io->from + at, sizeof value);
    if (value >= 0 && value <= most)
        return value;
    fail(io, WR_STATE_OTHER);
    return 0;
}

void wr_state_agree(wr_state_io *io, int64_t value)
{
    int64_t there = value;
    size_t at;
    if (!take(io, sizeof value, &at))
        return;
    if (io->mode == WR_STATE_WRITE)
        memcpy(io->to + at, &value, sizeof value);
    if (is_reader(io))
        memcpy(&there, io->from + at, sizeof there);
    if (there != value)
        fail(io, WR_STATE_OTHER);
}

void wr_state_index(wr_state_io *io, int *index, int n)
{
    const int64_t number = wr_state_count(io, (int64_t)*index + 1, n);
    if (wr_state_reads(io))
        *index = (int)number - 1;
}

void wr_state_begin(wr_state_io *io, const char *name, int64_t number)
{
    head wanted = {.number = number}, there;
    size_t at;
    WR_ASSERT(strlen(name) < WR_STATE_NAME);
    memcpy(wanted.name, name, strlen(name));
    if (is_reader(io))
        io->end = io->cap_bytes;
    if (!take(io, sizeof wanted, &at))
        return;
    io->section = io->n_bytes;
    if (io->mode == WR_STATE_WRITE)
        memcpy(io->to + at, &wanted, sizeof wanted);
    if (!is_reader(io))
        return;
    memcpy(&there, io->from + at, sizeof there);
    if (there.n_bytes > io->cap_bytes - io->section) {
        fail(io, WR_STATE_SHORT);
        return;
    }
    io->end = io->section + (size_t)there.n_bytes;
    if (io->has_sums && io->mode == WR_STATE_CHECK) {
        const uint32_t sum = wr_state_sum(0, &there, offsetof(head, sum));
        if (there.sum != wr_state_sum(sum, io->from + io->section, (size_t)there.n_bytes))
            fail(io, WR_STATE_DAMAGED);
    }
    if (memcmp(there.name, wanted.name, sizeof there.name) != 0 || there.number != number)
        fail(io, WR_STATE_OTHER);
}

void wr_state_end(wr_state_io *io)
{
    if (io->fault != WR_STATE_SOUND)
        return;
    if (is_reader(io)) {
        if (io->n_bytes != io->end)
            fail(io, WR_STATE_OTHER);
        io->end = io->cap_bytes;
    }
    if (io->mode != WR_STATE_WRITE)
        return;
    head written;
    unsigned char *const at = io->to + io->section - sizeof written;
    memcpy(&written, at, sizeof written);
    written.n_bytes = io->n_bytes - io->section;
    if (io->has_sums) {
        const uint32_t sum = wr_state_sum(0, &written, offsetof(head, sum));
        written.sum = wr_state_sum(sum, io->to + io->section, (size_t)written.n_bytes);
    }
    memcpy(at, &written, sizeof written);
}
