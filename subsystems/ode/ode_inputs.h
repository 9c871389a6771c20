/* External inputs of a subsystem, read from the waves of their sources.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_INPUTS_H
#define WR_ODE_INPUTS_H

#include <math.h>

#include "subsystems/ode/ode_parts.h"
#include "subsystems/waves/wave.h"

/* The cubic an input follows at present: when it began, and its factors by powers of the time since
 * then. Two inputs share a block, each number beside the other's, for one instruction takes two. */
enum {
    WR_CUBIC_LANES = 2,
    WR_CUBIC_START = 0,
    WR_CUBIC_0 = WR_CUBIC_START + WR_CUBIC_LANES,
    WR_CUBIC_1 = WR_CUBIC_0 + WR_CUBIC_LANES,
    WR_CUBIC_2 = WR_CUBIC_1 + WR_CUBIC_LANES,
    WR_CUBIC_3 = WR_CUBIC_2 + WR_CUBIC_LANES,
    WR_CUBIC_SIZE = WR_CUBIC_3 + WR_CUBIC_LANES /* of a block */
};

/* External inputs of one source. */
typedef struct wr_source_reader {
    int n;               /* external inputs it drives */
    const int *external; /* [n] which */
    const int *signal;   /* [n] which signals of its wave */
    double **cubic;      /* [n] cubics that hold at present */
    double *limit;       /* [n] jumps above it are landed on; valid for a wave that jumps */
    wr_cursor cursor;
    double low_s, high_s; /* its cubics are to be read for low < t <= high; NaN: not known */
    double jump_s;        /* next jump to land on, INFINITY = none */
    int i_left, n_round; /* at the present instant: node on its left, rounds after it; 0: no jump */
    const double *offset; /* [n] height of the jumps that are deferred; NULL: none is */
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
/* External inputs at a time; with_slope also fills external_slope. */
void wr_ode_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope);
/* The first node after t of any source's wave; INFINITY: there is none. */
double wr_ode_next_input_node(const wr_subsystem *s, double t_s);
/* Sets the height above which a jump of a source is landed on, from the inputs at the current time: WR_LEAST_JUMP of the value if
 * an indicator or a published output depends on the input directly, else the loosened tolerance. */
void wr_ode_set_limits(const wr_subsystem *s, int i_source);
/* Finds the next jump of a source that is to be landed on. */
void wr_ode_find_jump(wr_subsystem *s, int i_source);

/* The cubic of an input. */
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

/* The wave of a source has changed, or a jump in it was passed: reads its cubics anew. */
static inline void wr_ode_forget_source(wr_subsystem *s, int i_source)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    inputs->eval_s = inputs->low_s = inputs->reader[i_source].low_s = (double)NAN;
}

#endif
