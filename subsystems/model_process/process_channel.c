/* Positions of arrays in the memory that wrsim shares with the process of a component. See process_channel.h. Thread: any. Real-time: yes. */
#include "subsystems/model_process/process_channel.h"

#include <stdalign.h>
#include <unistd.h>

#include "subsystems/model_host/guard.h"

const char *wr_process_call_name(wr_process_call call)
{
    static const char *const names[] = {
#define WR_X(name, text) text,
        WR_PROCESS_CALL_LIST(WR_X)
#undef WR_X
    };
    return names[call];
}

/* A position behind the arrays that are already placed. */
typedef struct place {
    unsigned char *base; /* NULL: the function only counts */
    size_t n_bytes;
} place;

/* Returns the next array with n_bytes bytes, aligned for any type. */
static void *next(place *at, size_t n_bytes)
{
    unsigned char *const array = at->base ? at->base + at->n_bytes : NULL;
    const size_t align = alignof(max_align_t);
    at->n_bytes += (n_bytes + align - 1) / align * align;
    return array;
}

static double *next_values(place *at, int64_t n, int has_guard)
{
    return next(at, (size_t)n * sizeof(double) + (has_guard ? WR_GUARD_BYTES : 0));
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

wr_process_arrays wr_process_arrays_place(const wr_process_sizes *sizes,
                                          wr_process_channel *channel)
{
    const int n_x = sizes->n[WRSIM_STATE], n_d = sizes->n[WRSIM_DISCRETE],
              n_u = sizes->n[WRSIM_INPUT], n_z = sizes->n[WRSIM_INDICATOR];
    int64_t n_result = larger(larger(n_x, sizes->n[WRSIM_OUTPUT]), larger(n_z, sizes->n_w));
    n_result = larger(n_result, sizes->n_sparse);
    n_result = larger(n_result, sizes->has_jacobian ? (int64_t)n_x * n_x : 0);
    place at = {.base = (unsigned char *)channel, .n_bytes = sizeof *channel};
    wr_process_arrays a;
    /* Small components have all arguments of rhs() in few cache lines: the most frequent arguments come first. */
    a.x = next_values(&at, n_x, 0);
    a.u = next_values(&at, n_u, 0);
    a.port = next_values(&at, sizes->n_port_value, 0);
    a.d = next_values(&at, n_d, 0);
    a.w = next_values(&at, sizes->n_w, 0);
    a.mode = next(&at, (size_t)n_z);
    a.memory = next(&at, sizes->memory_bytes + WR_GUARD_BYTES);
    a.param = next_values(&at, sizes->n[WRSIM_PARAMETER], 0);
    a.result = next_values(&at, n_result, 1);
    a.new_x = next_values(&at, n_x, 1);
    a.new_d = next_values(&at, n_d, 1);
    a.fired = next(&at, (size_t)n_z);
    a.u_end = next_values(&at, n_u, 0);
    a.x_change = next_values(&at, larger(n_x, n_u), 0);
    a.u_change = next_values(&at, n_u, 0);
    a.n_bytes = at.n_bytes;
    return a;
}

size_t wr_process_own_offset(const wr_process_arrays *arrays)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (arrays->n_bytes + page - 1) / page * page;
}
