/* External inputs of a subsystem, read from the waves of their sources. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_INPUTS_H
#define WR_ODE_INPUTS_H

#include <math.h>

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/waves/wave.h"

/* The present cubic of an input: a start time, and the coefficients of powers of the time since the start. A block interleaves two
 * inputs, because one SIMD instruction evaluates two cubics. */
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
    int n;               /* number of external inputs from the source */
    const int *external; /* [n] index of each external input from the source */
    const int *signal;   /* [n] index of each input's signal in the wave */
    double **cubic;      /* [n] present cubics */
    double *limit; /* [n] heights above which a step ends at a jump; valid for a wave that jumps */
    wr_cursor cursor;
    double low_s, high_s; /* the cubics are valid for low_s < t <= high_s; NaN: unknown */
    double jump_s;        /* time of the next jump at which a step ends; INFINITY: none */
    int i_left,
        n_round; /* index of the last node left of the present instant; number of rounds after the node, 0: no jump */
    const double *offset; /* [n] height of the deferred jumps; NULL: none */
} wr_source_reader;

typedef struct wr_ode_inputs {
    int is_frozen;            /* before the first window: the inputs are external[], not waves */
    wr_source_reader *reader; /* [n_source] */
    double *cubic;            /* blocks of WR_CUBIC_SIZE: the cubics of all inputs */
    double low_s;             /* the cubics are valid for low_s < t <= high_s; NaN: unknown */
    double high_s;
    double jump_s; /* time of the next jump of any source at which a step ends; INFINITY: none */
    double *external_eval;  /* [n_external] inputs at eval_s */
    double eval_s;          /* time of external_eval; NaN: none */
    double *external_slope; /* [n_external] slopes of the inputs from the last read with slopes */
    int i_jumped; /* index of the only source that jumps at the present instant; -1: several */
    int n_jump;   /* number of sources that jump at the last instant */
    /* [n_external], constant after creation. reaches_z: an indicator depends on the input, maybe through outputs. reaches_y: a published
     * output depends on the input directly. */
    unsigned char *reaches_z, *reaches_y;
    int needs_slopes; /* 1: the wave needs the slopes of the inputs, because a published output is no state */
} wr_ode_inputs;

/* Places the readers of all sources. plan: plan of the published outputs; NULL: all are states. Setup only. Returns 0, or -1 when the
 * arena is exhausted. */
int wr_ode_inputs_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config,
                        const wr_plan *plan);
void wr_ode_inputs_state(wr_subsystem *s, wr_state_io *io);
/* Invalidates the cubics and jumps of all sources. */
void wr_ode_forget_inputs(wr_subsystem *s);
/* Makes external[] the inputs, before the first window. */
void wr_ode_freeze_inputs(wr_subsystem *s);
/* Begins to read the waves of a window: finds their jumps, and reads the inputs at the current time into external. Returns 1 if the
 * inputs have the same bits as before. */
int wr_ode_open_inputs(wr_subsystem *s);
int wr_ode_is_jump(const wr_subsystem *s, int i_external, double value);
/* Reads the external inputs at t_s into ret_external[n_external]; with_slope also fills external_slope. */
void wr_ode_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope);
/* Returns whether the inputs of the window begin with a jump from the inputs before wr_ode_open_inputs(). */
int wr_ode_has_jumped(const wr_subsystem *s);
/* Copies the inputs from before wr_ode_open_inputs() to WR_EXTERNAL_LEFT, directly after wr_ode_open_inputs(). With algebraic variables, which
 * follow inputs at once, also copies the states to WR_X_LEFT. */
void wr_ode_keep_last_end(wr_subsystem *s);
/* Returns the time of the first node after t_s in the waves of all sources; INFINITY: none. */
double wr_ode_next_input_node(const wr_subsystem *s, double t_s);
/* Returns the time of the first jump of any source after the next jump; INFINITY: none. */
double wr_ode_second_jump(const wr_subsystem *s);
/* Returns the end of the instant that begins with the jump at jump_s, for a reader outside of rings. Jumps by located events form one
 * instant if their times differ by at most the event tolerance, or coupling_rtol of the window if longer. Two subsystems locate one contact
 * separately, and values between the two times are meaningless. In a ring the later jump may be the response to the first. */
double wr_ode_end_of_instant(const wr_subsystem *s, double jump_s);
/* Returns whether the time of a due jump has an error, because a located event caused the jump. A source without causes counts as located.
 * Announced events have exact times. */
int wr_ode_is_jump_located(const wr_subsystem *s);
/* Sets the inputs in external[n_external] that jump at the present instant back to their present values. */
void wr_ode_hold_jumping(const wr_subsystem *s, double *external);
/* Returns the latest located time of the events that cause the next jump; -INFINITY: none. */
double wr_ode_located_cause(const wr_subsystem *s);
/* Returns whether an indicator or a published output depends on an input from the source at the same instant. */
int wr_ode_is_followed(const wr_subsystem *s, int i_source);
/* Returns whether a step ends at the jump after node i_node of a source's wave. */
int wr_ode_is_jump_node(const wr_subsystem *s, int i_source, const wr_wave *wave, int i_node);
/* Returns whether an input on which an output or an indicator depends directly jumps after node i_node of a source's wave. */
int wr_ode_is_jump_direct(const wr_subsystem *s, int i_source, const wr_wave *wave, int i_node);
/* Sets the heights above which steps end at a jump of a source, from the inputs at the current time. The height is the loosened
 * wr_ode_jump_limit(). If an indicator or a published output depends on the input at the same instant, the height is at most
 * WR_LEAST_JUMP (|u| + nominal). */
void wr_ode_set_limits(const wr_subsystem *s, int i_source);
/* Finds the next jump of a source at which a step must end. */
void wr_ode_find_jump(wr_subsystem *s, int i_source);

/* Reads the inputs at t_s into external_eval, and returns external_eval. */
static inline double *wr_ode_inputs_at(wr_subsystem *s, double t_s, int with_slope)
{
    double *const external = wr_ode_of(s)->inputs->external_eval;
    wr_ode_read_inputs(s, t_s, external, with_slope);
    return external;
}

/* Returns the inputs that the last wr_ode_inputs_at() read, [n_external]. */
WR_ODE_GET(const double *, last_inputs, inputs->external_eval)
/* Returns the slopes of the inputs from the last read with slopes, [n_external]. */
WR_ODE_GET(const double *, input_slopes, inputs->external_slope)
/* Returns whether the wave needs the slopes of the inputs, because a published output is no state. */
WR_ODE_GET(int, needs_slopes, inputs->needs_slopes)

/* Returns the point at t_s inside the last step, with the inputs at t_s. with_slope: also sets WR_DX_STEP and the slopes of the inputs for
 * wr_ode_published_at(). */
static inline wr_group_point wr_ode_point_at(wr_subsystem *s, double t_s, int with_slope)
{
    double *const x = wr_scratch(s, WR_X_STEP);
    wr_ode_state_at(s, t_s, x, with_slope ? wr_scratch(s, WR_DX_STEP) : NULL);
    return wr_ode_point_of(s, t_s, x,
                           wr_ode_inputs_at(s, t_s, with_slope && wr_ode_needs_slopes(s)));
}

/* Returns the time of the next jump of any source at which a step ends, s; INFINITY: none. */
WR_ODE_GET(double, next_jump, inputs->jump_s)
/* Returns the number of sources that jump at the last instant. */
WR_ODE_GET(int, n_jump, inputs->n_jump)

static inline void wr_ode_count_jumps(wr_subsystem *s, int n) { wr_ode_of(s)->inputs->n_jump = n; }

/* Returns the index of the only source that jumps at the present instant; -1: several. */
WR_ODE_GET(int, i_jumped, inputs->i_jumped)

/* Returns whether an indicator depends on input i, maybe through outputs. */
WR_ODE_GET_AT(int, reaches_z, inputs->reaches_z)
/* Returns whether a published output depends on input i directly. */
WR_ODE_GET_AT(int, passes_on, inputs->reaches_y)

/* Subtracts deferred jumps from the cubics. */
static inline void wr_ode_take_offset(const wr_source_reader *reader)
{
    for (int j = 0; reader->offset && j < reader->n; j++)
        reader->cubic[j][WR_CUBIC_0] -= reader->offset[j];
}

/* Invalidates the cubics of a source, after a change of its wave or a passed jump. */
static inline void wr_ode_forget_source(wr_subsystem *s, int i_source)
{
    wr_ode_inputs *const inputs = wr_ode_of(s)->inputs;
    inputs->eval_s = inputs->low_s = inputs->reader[i_source].low_s = (double)NAN;
}

#endif
