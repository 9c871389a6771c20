/* State of a run as bytes. Each type of object has a function that visits all values that change after placing. The cursor of the visit
 * measures these values, writes the values, checks written bytes, or reads the values back.
 *
 *     void wr_thing_state(wr_thing *t, wr_state_io *io)
 *     {
 *         WR_STATE(io, t->t_s);
 *         const int64_t n = wr_state_count(io, t->n, t->cap);
 *         if (wr_state_reads(io))
 *             t->n = n;
 *         WR_STATE_ARRAY(io, t->value, n);
 *     }
 *
 * The sequence of visited values must not depend on other values, except through wr_state_count(). A function visits a pointer as a number.
 * In modes WR_STATE_MEASURE and WR_STATE_CHECK the simulation does not change. So a function assigns the result of wr_state_count() only if
 * wr_state_reads() is 1.
 *
 * A section consists of a name, a number, its size in bytes, a check sum (CRC-32 of IEEE 802.3; 0 without has_sums) and the bytes. Only
 * WR_STATE_CHECK tests the check sum. Values have the byte format of the machine that wrote the section.
 *
 * Thread: one owner. Real-time: yes. */
#ifndef WR_STATE_IO_H
#define WR_STATE_IO_H

#include <stddef.h>
#include <stdint.h>

typedef enum wr_state_mode {
    WR_STATE_MEASURE, /* finds the largest size of a state, with the largest value of every count */
    WR_STATE_WRITE,
    WR_STATE_CHECK, /* reads a state like WR_STATE_READ and tests check sums, but changes no value of the simulation */
    WR_STATE_READ
} wr_state_mode;

/* Faults of a visit; the cursor stores the first fault. */
typedef enum wr_state_fault {
    WR_STATE_SOUND,
    WR_STATE_SHORT,   /* the bytes end too early; in WR_STATE_WRITE: the buffer is full */
    WR_STATE_DAMAGED, /* a check sum differs */
    WR_STATE_OTHER,   /* the bytes belong to another object */
    WR_STATE_REFUSED  /* a model failed to write or to read its own state */
} wr_state_fault;

enum { WR_STATE_NAME = 8 }; /* bytes of a section's name, zeros included */

typedef struct wr_state_io {
    wr_state_mode mode;
    int has_sums;   /* 1: sections have check sums */
    int has_no_own; /* 1: the visit omits own states of models (wrsim_own_state) */
    wr_state_fault fault;
    const char *refused_by;    /* the component of WR_STATE_REFUSED */
    const char *refused_for;   /* the reason that its model gives; NULL: none */
    unsigned char *to;         /* destination of WR_STATE_WRITE */
    const unsigned char *from; /* source of WR_STATE_CHECK and WR_STATE_READ */
    size_t n_bytes;            /* bytes visited so far */
    size_t cap_bytes;          /* size of the destination or source */
    size_t section;            /* offset of the bytes of the open section */
    size_t end;                /* offset of the end of the open section */
} wr_state_io;

/* Return cursors at the beginning. The caller owns the bytes. */
wr_state_io wr_state_measure(void);
wr_state_io wr_state_writer(void *to, size_t cap_bytes, int has_sums);
/* Returns a cursor in mode WR_STATE_CHECK (is_check 1) or WR_STATE_READ (0). */
wr_state_io wr_state_reader(const void *from, size_t n_bytes, int has_sums, int is_check);

/* Begins the next section. When checking and reading, the section must exist completely with this name and number. The name has at most
 * WR_STATE_NAME - 1 letters. */
void wr_state_begin(wr_state_io *io, const char *name, int64_t number);
/* Ends the section. When checking and reading, the caller must have visited all bytes of the section. */
void wr_state_end(wr_state_io *io);

/* Visits n_bytes bytes. */
void wr_state_bytes(wr_state_io *io, void *data, size_t n_bytes);

/* Visits n_bytes bytes without a copy. In modes WRITE and READ the caller writes them to io->to + *ret_at, or reads them from
 * io->from + *ret_at. Returns 0 after a fault, else 1. */
int wr_state_place(wr_state_io *io, size_t n_bytes, size_t *ret_at);
/* Sets the fault WR_STATE_REFUSED, unless another fault has occurred. owner: the component with the own state. reason: constant text; NULL:
 * none. */
void wr_state_refuse(wr_state_io *io, const char *owner, const char *reason);

/* Visits a count from 0 to `most`. Returns `value` in mode WRITE, `most` in mode MEASURE, and the written count in modes CHECK and READ.
 * Returns 0 after a fault. */
int64_t wr_state_count(wr_state_io *io, int64_t value, int64_t most);

/* Visits a number. If the written number differs, the fault is WR_STATE_OTHER. */
void wr_state_agree(wr_state_io *io, int64_t value);

/* Returns 1 if the mode is WR_STATE_READ and no fault has occurred. */
static inline int wr_state_reads(const wr_state_io *io)
{
    return io->mode == WR_STATE_READ && io->fault == WR_STATE_SOUND;
}

/* Visits an index from -1 to n - 1; mode READ sets *index. -1: none. */
void wr_state_index(wr_state_io *io, int *index, int n);

#define WR_STATE(io, value) wr_state_bytes((io), &(value), sizeof(value))
#define WR_STATE_ARRAY(io, array, n) wr_state_bytes((io), (array), (size_t)(n) * sizeof *(array))

/* Returns the check sum of bytes. `before` is the check sum of the preceding bytes, or 0 for the first bytes. */
uint32_t wr_state_sum(uint32_t before, const void *data, size_t n_bytes);

#endif
