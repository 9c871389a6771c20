/* State of a run as bytes: one function per module passes over all that changes after placing, and the cursor here
 * measures it, writes it, looks at what was written, or reads it back.
 *
 *     void wr_thing_state(wr_thing *t, wr_state_io *io)
 *     {
 *         WR_STATE(io, t->t_s);
 *         t->n = wr_state_count(io, t->n, t->cap);
 *         WR_STATE_ARRAY(io, t->value, t->n);
 *     }
 *
 * What is passed over must not depend on the values in it but through wr_state_count(), and pointers are passed over as
 * numbers. While bytes are looked at (WR_STATE_CHECK) nothing is changed, so that a module assigns what
 * wr_state_count() gives only where wr_state_reads() says so, and goes by the number itself.
 *
 * Sections follow one another: a name, a number, how many bytes, a check sum (CRC-32 of IEEE 802.3; none in memory, where
 * nothing is damaged), the bytes. All are of the machine that wrote them.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_STATE_IO_H
#define WR_STATE_IO_H

#include <stddef.h>
#include <stdint.h>

typedef enum wr_state_mode {
    WR_STATE_MEASURE, /* the most bytes there can be: every count is taken for the most it may be */
    WR_STATE_WRITE,
    WR_STATE_CHECK, /* as reading, but nothing is changed */
    WR_STATE_READ
} wr_state_mode;

/* What was found wrong first. */
typedef enum wr_state_fault {
    WR_STATE_SOUND,
    WR_STATE_SHORT,   /* the bytes end too soon; writing: there is no room */
    WR_STATE_DAMAGED, /* a check sum is wrong */
    WR_STATE_OTHER    /* it is of something else */
} wr_state_fault;

enum { WR_STATE_NAME = 8 }; /* bytes of a section's name, zeros included */

typedef struct wr_state_io {
    wr_state_mode mode;
    int has_sums; /* sections have check sums */
    wr_state_fault fault;
    unsigned char *to;         /* writing */
    const unsigned char *from; /* checking and reading */
    size_t n_bytes, cap_bytes; /* so far, and in all */
    size_t section, end;       /* where the open section's bytes begin; where they have to end */
} wr_state_io;

/* Cursors at the beginning. The bytes stay the caller's. */
wr_state_io wr_state_measure(void);
wr_state_io wr_state_writer(void *to, size_t cap_bytes, int has_sums);
/* is_check: looks only. */
wr_state_io wr_state_reader(const void *from, size_t n_bytes, int has_sums, int is_check);

/* Between two sections: opens the next one. When checking it must be there, whole, and have that name and number. Name: at
 * most WR_STATE_NAME - 1 letters. */
void wr_state_begin(wr_state_io *io, const char *name, int64_t number);
/* Closes it. When checking and reading it must have been passed over to its end. */
void wr_state_end(wr_state_io *io);

/* Passes over n bytes. */
void wr_state_bytes(wr_state_io *io, void *data, size_t n_bytes);

/* A number from 0 to most: the one given, or when checking and reading the one that was written. */
int64_t wr_state_count(wr_state_io *io, int64_t value, int64_t most);

/* A number that must be the same in what reads as in what wrote. */
void wr_state_agree(wr_state_io *io, int64_t value);

/* Are values changed? */
static inline int wr_state_reads(const wr_state_io *io)
{
    return io->mode == WR_STATE_READ && io->fault == WR_STATE_SOUND;
}

/* A number from -1 to n - 1 in place; -1 stands for none. */
void wr_state_index(wr_state_io *io, int *index, int n);

#define WR_STATE(io, value) wr_state_bytes((io), &(value), sizeof(value))
#define WR_STATE_ARRAY(io, array, n) wr_state_bytes((io), (array), (size_t)(n) * sizeof *(array))

/* The check sum of bytes; `before` is that of those before them, 0 at first. */
uint32_t wr_state_sum(uint32_t before, const void *data, size_t n_bytes);

#endif
