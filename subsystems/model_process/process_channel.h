/* The memory that wrsim shares with the process of a component: a call, its arguments and its results.
 *
 * wrsim writes the arguments, opens the gate `request` and waits for the gate `reply`. The process calls the model, writes the results and
 * opens `reply`. Only one side works at a time, so the gates order all other accesses, and the other members are plain data. advance() of a
 * stepper may request inputs: the reply then has `asks`, and wrsim answers by a further request.
 *
 * Both sides compute the same positions of the arrays from the sizes of the component.
 *
 * Thread: one at a time on each side. Real-time: yes (a wait ends when the other side answers or ends).
 */
#ifndef WR_PROCESS_CHANNEL_H
#define WR_PROCESS_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "scheduler/barrier.h"
#include "wrsim/model.h"

/* Calls: their names in C, and in messages. */
#define WR_PROCESS_CALL_LIST(X)                                                                    \
    X(INIT, "init")                                                                                \
    X(INIT_FROM_INPUTS, "init_from_inputs")                                                        \
    X(RHS, "rhs")                                                                                  \
    X(OUTPUT, "output")                                                                            \
    X(ALGEBRA, "algebra")                                                                          \
    X(INDICATOR, "indicator")                                                                      \
    X(EVENT, "event")                                                                              \
    X(NEXT_TIME, "next_time")                                                                      \
    X(JACOBIAN, "jacobian")                                                                        \
    X(JACOBIAN_SPARSE, "jacobian_sparse")                                                          \
    X(TANGENT, "tangent")                                                                          \
    X(TANGENT_OUTPUT, "tangent_output")                                                            \
    X(STEP_COMPLETED, "step_completed")                                                            \
    X(DONE, "done")                                                                                \
    X(ADVANCE, "advance")                                                                          \
    X(STEPPER_EVENT, "event")                                                                      \
    X(KEEP, "keep")                                                                                \
    X(GO_BACK, "go_back")                                                                          \
    X(FORGET, "forget")                                                                            \
    X(BYTES, "bytes")                                                                              \
    X(WRITE, "write")                                                                              \
    X(READ, "read")                                                                                \
    X(NOTHING, "") /* no callback: for measurements of the cost of a call */

typedef enum wr_process_call {
#define WR_X(name, text) WR_PROCESS_##name,
    WR_PROCESS_CALL_LIST(WR_X)
#undef WR_X
        WR_PROCESS_N_CALL
} wr_process_call;

/* Sizes of the component, which both sides know before init(). */
typedef struct wr_process_sizes {
    int n[WRSIM_KIND_COUNT];
    int n_w;
    int n_port, n_port_value; /* input blocks, and the sum of their lengths */
    int n_sparse;             /* values of jacobian_sparse() */
    int has_jacobian;         /* 1: the model has jacobian() */
    size_t memory_bytes;
} wr_process_sizes;

/* Members of the point that are not NULL, and arrays of event() that the point shares. */
enum {
    WR_PROCESS_HAS_X = 1 << 0,
    WR_PROCESS_HAS_D = 1 << 1,
    WR_PROCESS_HAS_U = 1 << 2,
    WR_PROCESS_HAS_W = 1 << 3,
    WR_PROCESS_HAS_MODE = 1 << 4,
    WR_PROCESS_HAS_PORT = 1 << 5,
    WR_PROCESS_SAME_X = 1 << 6, /* the array of new states is point->x */
    WR_PROCESS_SAME_D = 1 << 7,
    WR_PROCESS_TIME_EVENT = 1 << 8, /* members of wrsim_event */
    WR_PROCESS_INITIAL = 1 << 9,
    WR_PROCESS_HAS_FIRED = 1 << 10,
    WR_PROCESS_HAS_SLOPE = 1 << 11 /* input(): the call also returns slopes */
};

enum { WR_PROCESS_MESSAGE_BYTES = 1024 };

/* The head of the shared memory. The arrays follow. */
typedef struct wr_process_channel {
    _Alignas(WR_CACHE_LINE) wr_gate request;
    int32_t call;     /* a wr_process_call */
    uint32_t has;     /* sum of WR_PROCESS_HAS_X, ... */
    double t_s;       /* time of the point, or start of the step */
    uint64_t fp_mode; /* floating-point mode of the caller */
    double end_s;     /* advance(): end of the step */
    int64_t number;   /* slot of an own state, or number of its bytes */
    _Alignas(WR_CACHE_LINE) wr_gate reply;
    int32_t returned;  /* by the callback */
    int32_t asks;      /* 1: advance() requests inputs at `value` */
    double value;      /* result of next_time(), end of a step, or time of asked inputs */
    uint64_t n_bytes;  /* result of bytes() */
    int32_t is_beyond; /* 1: the callback has written beyond an array */
    int32_t has_message;
    char message[WR_PROCESS_MESSAGE_BYTES];
} wr_process_channel;

/* The arrays of the shared memory. A guard (guard.h) follows new_x, new_d, memory and result. */
typedef struct wr_process_arrays {
    double *x, *d, *u, *w, *port; /* of the point; port: all input blocks, one after the other */
    double *u_end;                /* [n_input] advance(): inputs at the end */
    double *x_change, *u_change;  /* tangents; answers of input(): inputs and slopes */
    double *param;
    double *new_x, *new_d; /* init() and event() change these arrays */
    double *result;        /* of all other callbacks */
    unsigned char *memory;
    unsigned char *mode;
    signed char *fired;
    size_t n_bytes; /* of the shared memory, without the bytes of an own state */
} wr_process_arrays;

/* Returns the positions of the arrays behind the channel. channel NULL: only n_bytes is valid. */
wr_process_arrays wr_process_arrays_place(const wr_process_sizes *sizes,
                                          wr_process_channel *channel);

/* Returns the name of a callback. */
const char *wr_process_call_name(wr_process_call call);

/* Returns the offset of the bytes of an own state in the file of the shared memory, a multiple of the page size. */
size_t wr_process_own_offset(const wr_process_arrays *arrays);

#endif
