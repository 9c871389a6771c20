/* External inputs of a subsystem, read from the waves of their sources.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_INPUTS_H
#define WR_ODE_INPUTS_H

#include <math.h>

#include "subsystems/ode/ode_parts.h"
#include "subsystems/waves/wave.h"

/* The present cubic of an input: its start time, and its coefficients of powers of the time since then. A block interleaves two
 * inputs, because one SIMD instruction evaluates two. */
enum {
    WR_CUBIC_LANES = 2,
    WR_CUBIC_START = 0,
    WR_CUBIC_0 = WR_CUBIC_START + WR_CUBIC_LANES,
    WR_CUBIC_1 = WR_CUBIC_0 + WR_CUBIC_LANES,
    WR_CUBIC_2 = WR_CUBIC_1 + WR_CUBIC_LANES,
    WR_CUBIC_3 = WR_CUBIC_2 + WR_CUBIC_LANES,
    WR_CUBIC_SIZE = WR_CUBIC_3 + WR_CUBIC_LANES /* doubles per block */
};

/* External inputs of one source. */
typedef struct wr_source_reader {
    int n;               /* external inputs it drives */
    const int *external; /* [n] indices of these inputs */
    const int *signal;   /* [n] indices of their signals in the wave */
    double **cubic;      /* [n] present cubics */
    double *limit;       /* [n] steps end at larger jumps; valid for a wave that jumps */
    wr_cursor cursor;
    double low_s, high_s; /* the cubics hold for low_s < t <= high_s; NaN: unknown */
    double jump_s;        /* next jump to land on; INFINITY: none */
    int i_left, n_round;  /* last node left of the present instant; rounds after it, 0: no jump */
    const double *offset; /* [n] height of the deferred jumps; NULL: none */
} wr_source_reader;

typedef struct wr_ode_inputs {
    int is_frozen;            /* before the first window: inputs are external[], not waves */
    wr_source_reader *reader; /* [n_source] */
    double *cubic;            /* blocks of WR_CUBIC_SIZE: the cubics of all inputs */
    double low_s;             /* the cubics hold for low_s < t <= high_s; NaN: not known */
    double high_s;
    double jump_s;          /* next jump of any source to land on; INFINITY: none */
    double *external_eval;  /* [n_external] inputs read last */
    double eval_s;          /* time at which external_eval was read; NaN: none */
    double *external_slope; /* [n_external] slopes read last */
    int i_jumped;           /* the only source that jumps at the present instant; -1: several */
    int n_jump;             /* sources that jump at the last instant */
} wr_ode_inputs;

int wr_ode_passes_on(const wr_subsystem *s, int i_external);
int wr_ode_is_jump(const wr_subsystem *s, int i_external, double value);
/* Reads the external inputs at t_s; with_slope also fills external_slope. */
void wr_ode_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope);
/* Time of the first node after t_s in the waves of all sources; INFINITY: none. */
double wr_ode_next_input_node(const wr_subsystem *s, double t_s);
/* Sets the height above which steps end at a jump of a source, from the inputs at the current time: WR_LEAST_JUMP of the value if
 * an indicator or a published output depends on the input directly, else the loosened tolerance. */
void wr_ode_set_limits(const wr_subsystem *s, int i_source);
/* Finds the next jump of a source at which a step has to end. */
void wr_ode_find_jump(wr_subsystem *s, int i_source);

static inline double *wr_ode_cubic(const wr_ode *work, int i_external)
{
    return work->inputs->cubic + i_external / WR_CUBIC_LANES * WR_CUBIC_SIZE +
           i_external % WR_CUBIC_LANES;
}

/* Subtracts deferred jumps from the cubics. */
static inline void wr_ode_take_offset(const wr_source_reader *reader)
{
    for (int j = 0; reader->offset && j < reader->n; j++)
        reader->cubic[j][WR_CUBIC_0] -= reader->offset[j];
}

/* Invalidates the cubics of a source: its wave has changed, or a jump in it was passed. */
static inline void wr_ode_forget_source(wr_subsystem *s, int i_source)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    inputs->eval_s = inputs->low_s = inputs->reader[i_source].low_s = (double)NAN;
}

#endif
